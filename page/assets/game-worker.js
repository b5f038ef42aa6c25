// The worker with the game: executes the requests of the page and delegates searches to another worker. A
// search is cancelled by terminating its worker, since WebAssembly receives no messages while it computes.

import init, { Game } from "./labrys.js";

// The minimum time between two reports of a search, in milliseconds.
const REPORT_INTERVAL = 100;

let game = null;
let module = null;    // the program, compiled
let searcher = null;  // the worker that searches
let isSearching = false;
let reportedAt = 0;
let pending = null;   // the latest progress, not reported yet
let timer = 0;        // fires when the side to move runs out of time

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
    if (data.found) return onProgress(data.found);
    isSearching = false;
    report();
    game.on_finish(data.best, data.problem);
    update();
  });
  worker.addEventListener("error", event => {
    if (worker !== searcher) return;
    startSearcher();
    game.on_finish(undefined, `the search has failed: ${event.message}`);
    update();
  });
  searcher = worker;
}

function onProgress(found) {
  pending = found;
  if (performance.now() - reportedAt >= REPORT_INTERVAL) report();
}

// Records the progress of the search and sends it to the page.
function report() {
  if (pending === null) return;
  game.on_progress(pending);
  pending = null;
  reportedAt = performance.now();
  sendChanges();
}

function sendChanges() {
  const messages = game.messages();
  const saved = game.save();
  if (messages.length || saved) self.postMessage({ messages, saved });
}

// Brings the search, the clock and the page up to date with the game.
function update() {
  if (game.take_job()) {
    pending = null;
    if (isSearching) startSearcher();
    const search = game.search();
    if (search !== undefined) {
      isSearching = true;
      searcher.postMessage({ search });
    }
  }
  clearTimeout(timer);
  const left = game.time_left();
  if (left !== undefined) {
    timer = setTimeout(() => {
      game.out_of_time();
      update();
    }, left);
  }
  sendChanges();
}
