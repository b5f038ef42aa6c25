// Labrys in Node: the engine in a thread of `worker_threads`.

import { Worker } from "node:worker_threads";

import { Engine } from "./engine.js";
import { createSender } from "./signals.js";

export default class Labrys extends Engine {
  constructor() {
    super(startWorker, createSender(true));
  }
}

function startWorker(hear, fail) {
  const worker = new Worker(new URL("./node-worker.js", import.meta.url));
  worker.on("message", hear);
  worker.on("error", error => fail(String(error.message ?? error)));
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
}
