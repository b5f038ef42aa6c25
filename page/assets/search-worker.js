// A worker that runs the searches, or helps another one.

import init, { Searcher, serve } from "./labrys.js";
import { newMemory } from "./program.js";

// The stack of a helper, as large as that of the first thread; .cargo/config.toml has it.
const STACK = 4 << 20;

let searcher = null;
let number = 0;  // of the search

self.addEventListener("message", ({ data }) => {
  if (data.program) start(data).catch(fail);
  else search(data);
});

// Starts the program: to search with this many threads, or without them to help.
async function start({ program, memory, threads, stopped }) {
  const stack = threads ? {} : { thread_stack_size: STACK };
  await init({ module_or_path: program, memory: memory ?? newMemory(), ...stack });
  // A later stop may come before this one has been looked at.
  const isStopped = () => stopped !== null && Atomics.load(stopped, 0) >= number;
  if (threads) searcher = new Searcher(threads, isStopped);
  self.postMessage({ isReady: true });
  if (!threads) serve();
}

function search(next) {
  number = next.number;
  try {
    const best = searcher.search(next.search, found => self.postMessage({ number, found }));
    self.postMessage({ number, end: { best } });
  } catch (problem) {
    if (problem instanceof WebAssembly.RuntimeError) fail(problem);
    else self.postMessage({ number, end: { problem: String(problem.message ?? problem) } });
  }
}

// After a panic the program must not be used again.
function fail(problem) {
  self.postMessage({ failure: String(problem.message ?? problem) });
}
