// The worker thread of Node.

import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";

import { initSync } from "./labrys.js";
import { serve } from "./serve.js";

async function load() {
  const bytes = await readFile(new URL("./labrys_bg.wasm", import.meta.url));
  initSync({ module: await WebAssembly.compile(bytes) });
}

parentPort.on("message", serve(message => parentPort.postMessage(message), load));
