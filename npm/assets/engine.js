// The interface of the engine, in browsers and in Node.

import { SIGNALS } from "./signals.js";

export class Engine extends EventTarget {
  onmessage = null;
  onerror = null;
  #worker;
  #signals;
  #pending = [""];     // the first words of the unfinished lines; the empty one is the start of the worker
  #isWorking = false;  // whether the worker is busy with the first of them and receives no messages
  #ready = 0;          // how many answers to `isready` are due
  #isOver = false;     // whether the worker has been ended
  #isHeard = false;    // whether somebody has asked for the event `error`

  // `startWorker` takes the callbacks for messages and for errors, and returns the worker's `post` and
  // `terminate`.
  constructor(startWorker, signals) {
    super();
    super.addEventListener("message", event => this.onmessage?.(event));
    super.addEventListener("error", event => this.onerror?.(event));
    this.#signals = signals;
    this.#worker = startWorker(message => this.#receive(message), error => this.#fail(error));
    this.#worker.post({ signals: signals.describe() });
  }

  addEventListener(type, ...rest) {
    super.addEventListener(type, ...rest);
    this.#isHeard ||= type === "error";
  }

  // Like a worker, it ignores what comes after its end.
  postMessage(lines) {
    if (!this.#isOver) String(lines).split("\n").forEach(line => this.#send(line));
  }

  terminate() {
    this.#worker.terminate();
    this.#signals.close();
    this.#ready = 0;
    this.#isOver = true;
  }

  #send(line) {
    const [word] = line.trim().split(/\s+/);
    this.#pending.push(word);
    if (word === "isready") return this.#answerReady();
    const signal = SIGNALS[word];
    this.#worker.post(signal === undefined ? { line } : { line, signal, url: this.#signals.raise(signal) });
  }

  // Answers each `isready` that has only work in progress before it, as the busy worker would not receive it:
  // soon, like a worker, which has no answer before `postMessage` returns.
  #answerReady() {
    const index = this.#isWorking ? 1 : 0;
    while (this.#pending[index] === "isready") {
      this.#pending.splice(index, 1);
      this.#ready++;
      soon(() => this.#emitReady());
    }
  }

  // Those that the answers cause are due later.
  #emitReady() {
    let due = this.#ready;
    this.#ready = 0;
    for (; due > 0; due--) this.#emit("readyok");
  }

  #receive({ lines, isWorking, isDone, isOver, error }) {
    this.#emitReady();
    if (error !== undefined) return this.#fail(error);
    lines?.split("\n").forEach(line => this.#emit(line));
    if (isWorking || isDone) this.#isWorking = !isDone;
    if (isDone) this.#pending.shift();
    this.#answerReady();
    if (isOver) this.terminate();
  }

  #emit(line) {
    this.dispatchEvent(new MessageEvent("message", { data: line }));
  }

  // The worker is of no use then, and would keep a program in Node from ending.
  #fail(message) {
    if (!this.onerror && !this.#isHeard) console.error(`labrys-engine: ${message}`);
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
    this.terminate();
  }
}

// Calls `act` from the event loop. Browsers delay timers of pages in the background, but not messages.
function soon(act) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(null);
}
