// The worker that runs the searches.

import init, { Searcher } from "./labrys.js";

let ready = null;
let searcher = null;

self.addEventListener("message", async ({ data }) => {
  if (data.module) {
    ready = init({ module_or_path: data.module }).then(() => (searcher = new Searcher()));
    return;
  }
  await ready;
  try {
    self.postMessage({ best: searcher.search(data.search, found => self.postMessage({ found })) });
  } catch (problem) {
    // After a panic the program must not be used again.
    if (problem instanceof WebAssembly.RuntimeError) throw problem;
    self.postMessage({ problem: String(problem.message ?? problem) });
  }
});
