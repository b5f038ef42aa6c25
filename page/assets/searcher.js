// Runs searches in a worker, and with the help of others where they can share its memory. There a signal
// stops a search. Elsewhere its worker is terminated: WebAssembly receives no messages while it computes.

import { isIsolated, newMemory } from "./program.js";

export class Searcher {
  #program;
  #onProgress;
  #onEnd;
  #workers = [];    // the first one searches, the others help it
  #busy = 0;        // how many of them start or search
  #stopped = null;  // shared: the number of the last search to stop
  #number = 0;      // of the last search
  #next = null;     // the search to start when the workers are ready

  // `program` is the module. `onProgress` is called with what a search has found so far, `onEnd` with its
  // best move, if any, or with a problem.
  constructor(program, onProgress, onEnd) {
    this.#program = program;
    this.#onProgress = onProgress;
    this.#onEnd = onEnd;
    this.#start(1);
  }

  // Starts a search with this many threads, instead of the one before.
  search(search, threads) {
    this.stop();
    this.#next = { search, number: this.#number };
    // Helpers without work cost nothing, and stay.
    if (this.#workers.length < threads) this.#start(threads);
    this.#startNext();
  }

  // Stops the search, if there is one, and reports nothing more of it.
  stop() {
    const isSearching = this.#next === null && this.#busy > 0;
    this.#next = null;
    if (isSearching && this.#stopped) Atomics.store(this.#stopped, 0, this.#number);
    else if (isSearching) this.#start(1);
    this.#number++;
  }

  #startNext() {
    if (this.#busy > 0 || this.#next === null) return;
    this.#workers[0].postMessage(this.#next);
    this.#next = null;
    this.#busy = 1;
  }

  // Starts this many workers, instead of those before. The first one prepares the memory for the others.
  #start(threads) {
    this.#terminate();
    this.#busy = threads;
    try {
      const start = { program: this.#program };
      if (isIsolated) {
        start.memory = newMemory();
        this.#stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      }
      this.#add({ ...start, threads, stopped: this.#stopped }, () => {
        for (let helper = 1; helper < threads; helper++) this.#add(start);
      });
    } catch (problem) {
      // Not before the caller has recorded that there is a search.
      setTimeout(() => this.#fail(problem.message));
    }
  }

  // Adds a worker. `onReady` is called when it has started.
  #add(start, onReady = () => {}) {
    const worker = new Worker("search-worker.js", { type: "module" });
    const listen = (event, act) => {
      worker.addEventListener(event, event => this.#workers.includes(worker) && act(event));
    };
    listen("message", ({ data }) => this.#receive(data, onReady));
    listen("error", ({ message }) => this.#fail(message ?? "a worker does not start"));
    this.#workers.push(worker);
    worker.postMessage(start);
  }

  #receive({ isReady, failure, number, found, end }, onReady) {
    if (failure !== undefined) return this.#fail(failure);
    const isCurrent = number === this.#number;
    if (isReady) onReady();
    if (isReady || end) this.#busy--;
    if (found && isCurrent) this.#onProgress(found);
    if (end && isCurrent) this.#onEnd(end);
    this.#startNext();
  }

  // Memory that a failed worker has left behind must not be used again.
  #fail(message) {
    this.#terminate();
    this.#next = null;
    this.#onEnd({ problem: `the search has failed: ${message}` });
  }

  #terminate() {
    this.#workers.forEach(worker => worker.terminate());
    this.#workers = [];
    this.#busy = 0;
  }
}
