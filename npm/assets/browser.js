// Labrys in a page: the engine in a Web Worker.

import { Engine } from "./engine.js";
import { createSender } from "./signals.js";

export default class Labrys extends Engine {
  constructor() {
    super(startWorker, createSender(globalThis.crossOriginIsolated));
  }
}

function startWorker(onMessage, onError) {
  const worker = new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = ({ message }) => onError(message ?? "the worker does not start");
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
}
