// The worker with the game: does what the page asks for, and has another worker search. A search that is not
// wanted any more ends with its worker, since WebAssembly hears nothing while it computes.

import init, { Game } from "./labrys.js";

// The least milliseconds between two reports of a search.
const REPORT_INTERVAL = 100;

let game = null;
let module = null;    // the program, compiled
let searcher = null;  // the worker that searches
let isSearching = false;
let reportedAt = 0;
let held = null;      // the last report, where it came too soon
let clock = 0;

self.addEventListener("message", async ({ data }) => {
  if ("saved" in data) {
    module = await compile();
    await init({ module_or_path: module });
    game = new Game(data.saved ?? undefined);
    startSearcher();
    self.postMessage({ messages: [game.welcome()] });
  } else if (game) {
    const answer = game.request(data.request);
    if (answer !== undefined) self.postMessage({ messages: [answer] });
  }
  if (game) update();
});

async function compile() {
  const response = await fetch("labrys_bg.wasm");
  if (!response.ok) throw new Error(`labrys_bg.wasm: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function startSearcher() {
  searcher?.terminate();
  isSearching = false;
  const worker = new Worker("search-worker.js", { type: "module" });
  worker.postMessage({ module });
  worker.addEventListener("message", ({ data }) => {
    if (worker !== searcher) return;
    if (data.found) return heard(data.found);
    isSearching = false;
    report();
    game.finished(data.best, data.problem);
    update();
  });
  worker.addEventListener("error", event => {
    if (worker !== searcher) return;
    startSearcher();
    game.finished(undefined, `the search has failed: ${event.message}`);
    update();
  });
  searcher = worker;
}

function heard(found) {
  held = found;
  if (performance.now() - reportedAt >= REPORT_INTERVAL) report();
}

// Notes what the search has found, and tells the page.
function report() {
  if (held === null) return;
  game.searched(held);
  held = null;
  reportedAt = performance.now();
  tell();
}

// Tells the page what has changed.
function tell() {
  const messages = game.messages();
  const saved = game.save();
  if (messages.length || saved) self.postMessage({ messages, saved });
}

// Follows the game: the search, the clock, the page.
function update() {
  if (game.take_job()) {
    held = null;
    if (isSearching) startSearcher();
    const search = game.search();
    if (search !== undefined) {
      isSearching = true;
      searcher.postMessage({ search });
    }
  }
  clearTimeout(clock);
  const left = game.time_left();
  if (left !== undefined) {
    clock = setTimeout(() => {
      game.time_is_over();
      update();
    }, left);
  }
  tell();
}
