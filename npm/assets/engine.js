// The engine as the page or the program sees it.

import { SIGNALS } from "./signals.js";

// Commands that take their time, while others are answered.
const WORK = ["go", "perft", "bench"];

export class Engine extends EventTarget {
  onmessage = null;
  onerror = null;
  #worker;
  #signals;
  #pending = [];  // the first words of the lines that the worker has not executed

  // `startWorker` gets what hears a message and what is told an error, and returns the worker's `post` and
  // `terminate`.
  constructor(startWorker, signals) {
    super();
    this.addEventListener("message", event => this.onmessage?.(event));
    this.addEventListener("error", event => this.onerror?.(event));
    this.#signals = signals;
    this.#worker = startWorker(message => this.#hear(message), error => this.#fail(error));
    this.#worker.post({ signals: signals.describe() });
  }

  postMessage(lines) {
    String(lines).split("\n").forEach(line => this.#send(line));
  }

  terminate() {
    this.#worker.terminate();
    this.#signals.close();
  }

  #send(line) {
    const [word] = line.trim().split(/\s+/);
    // It is answered during a search, too, when the worker hears nothing.
    if (word === "isready" && this.#pending.some(pending => WORK.includes(pending))) return this.#say("readyok");
    const signal = SIGNALS[word];
    this.#pending.push(word);
    this.#worker.post(signal === undefined ? { line } : { line, signal, url: this.#signals.raise(signal) });
  }

  #hear({ lines, isDone, isOver, error }) {
    if (error !== undefined) this.#fail(error);
    if (isDone) this.#pending.shift();
    lines?.split("\n").forEach(line => this.#say(line));
    if (isOver) this.terminate();
  }

  #say(line) {
    this.dispatchEvent(new MessageEvent("message", { data: line }));
  }

  #fail(message) {
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
  }
}
