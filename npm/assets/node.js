// Labrys in Node: the engine in a worker thread.

import { Worker } from "node:worker_threads";

import { Engine } from "./engine.js";
import { createSender } from "./signals.js";

export default class Labrys extends Engine {
  constructor() {
    super(startWorker, createSender(true));
  }
}

function startWorker(onMessage, onError) {
  const worker = new Worker(new URL("./node-worker.js", import.meta.url));
  worker.on("message", onMessage);
  worker.on("error", error => onError(String(error.message ?? error)));
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
}
