// Handles the messages of a worker, in browsers and in Node.

import { Uci } from "./labrys.js";
import { createReceiver, SIGNALS } from "./signals.js";

// Returns the message handler, which waits until `load` has loaded the program. Answers go to `post`.
export function serve(post, load) {
  let uci = null;
  let signals = null;
  let isWorking = false;
  let isOver = false;
  let last = load();

  // Polled during work: whether such a line is pending. The first poll reports that the worker is busy.
  const isPending = word => () => {
    if (!isWorking) post({ isWorking: true });
    isWorking = true;
    return signals.isRaised(SIGNALS[word]);
  };

  function execute(message) {
    if (isOver) return;
    if (message.signals) {
      signals = createReceiver(message.signals);
      uci = new Uci(lines => post({ lines }), isPending("stop"), isPending("ponderhit"));
    } else {
      if ("signal" in message) signals.clear(message.signal, message.url);
      isOver = !uci.execute(message.line);
      isWorking = false;
    }
    post({ isDone: true, isOver });
  }

  return message => {
    last = last.then(() => execute(message));
    last.catch(error => {
      if (isOver) return;
      // A program that has failed must not be used again.
      isOver = true;
      post({ error: String(error.message ?? error) });
    });
  };
}
