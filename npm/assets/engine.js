// The engine as the page or the program sees it.

import { SIGNALS } from "./signals.js";

export class Engine extends EventTarget {
  onmessage = null;
  onerror = null;
  #worker;
  #signals;
  #pending = [""];     // the first words of the lines that are not done, behind the start of the worker
  #isWorking = false;  // whether the first of them takes its time, so that the worker hears nothing

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
    this.#pending.push(word);
    if (word === "isready") return this.#answerReady();
    const signal = SIGNALS[word];
    this.#worker.post(signal === undefined ? { line } : { line, signal, url: this.#signals.raise(signal) });
  }

  // Answers each `isready` in whose way there is nothing but work in progress. The worker would not hear it.
  #answerReady() {
    const index = this.#isWorking ? 1 : 0;
    while (this.#pending[index] === "isready") {
      this.#pending.splice(index, 1);
      this.#say("readyok");
    }
  }

  #hear({ lines, isWorking, isDone, isOver, error }) {
    if (error !== undefined) this.#fail(error);
    lines?.split("\n").forEach(line => this.#say(line));
    if (isWorking || isDone) this.#isWorking = !isDone;
    if (isDone) this.#pending.shift();
    this.#answerReady();
    if (isOver) this.terminate();
  }

  #say(line) {
    this.dispatchEvent(new MessageEvent("message", { data: line }));
  }

  #fail(message) {
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
  }
}
