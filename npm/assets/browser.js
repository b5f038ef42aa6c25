// Labrys in a page: the engine in a Web Worker.

import { Engine } from "./engine.js";
import { createSender } from "./signals.js";

export default class Labrys extends Engine {
  constructor() {
    super(startWorker, createSender(globalThis.crossOriginIsolated));
  }
}

function startWorker(hear, fail) {
  const worker = new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = ({ message }) => fail(message ?? "the worker does not start");
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
}
