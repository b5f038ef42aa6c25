// What a worker does with its messages, in a page as in Node.

import { Uci } from "./labrys.js";
import { createReceiver, SIGNALS } from "./signals.js";

// Returns what hears the messages, once `load` has loaded the program. Answers go to `post`.
export function serve(post, load) {
  let uci = null;
  let signals = null;
  let isWorking = false;
  let isOver = false;
  let last = load();

  // What work asks from time to time: whether such a line is on its way. The first time says that it works.
  const isOnItsWay = word => () => {
    if (!isWorking) post({ isWorking: true });
    isWorking = true;
    return signals.isRaised(SIGNALS[word]);
  };

  function execute(message) {
    if (isOver) return;
    if (message.signals) {
      signals = createReceiver(message.signals);
      uci = new Uci(lines => post({ lines }), isOnItsWay("stop"), isOnItsWay("ponderhit"));
    } else {
      if ("signal" in message) signals.putDown(message.signal, message.url);
      isOver = !uci.execute(message.line);
      isWorking = false;
    }
    post({ isDone: true, isOver });
  }

  return message => {
    last = last.then(() => execute(message));
    last.catch(error => {
      if (isOver) return;
      // Nothing of a program that has failed can be used again.
      isOver = true;
      post({ error: String(error.message ?? error) });
    });
  };
}
