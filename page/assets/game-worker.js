// The worker with the game: executes the requests of the page and has its searches made.

import init, { Game } from "./labrys.js";
import { compile, hasThreads, isIsolated, newMemory } from "./program.js";
import { Searcher } from "./searcher.js";

// The minimum time between two reports of a search, in milliseconds.
const REPORT_INTERVAL = 100;

// The maximum number of threads of a search.
const MOST_THREADS = 32;

let game = null;
let searcher = null;
let reportedAt = 0;
let pending = null;  // the latest progress, not reported yet
let timer = 0;       // fires when the side to move runs out of time

// An exception in a request reaches the page as an error of this worker. One in the start would not.
self.addEventListener("message", ({ data }) => {
  if ("saved" in data) {
    start(data.saved).catch(fail);
  } else if (game) {
    const answer = game.request(data.request);
    if (answer !== undefined) self.postMessage({ messages: [answer] });
    update();
  }
});

// Starts the program with the saved game, if there is one.
async function start(saved) {
  const program = await compile();
  await init({ module_or_path: program, memory: newMemory() });
  const threads = hasThreads && isIsolated ? Math.min(navigator.hardwareConcurrency, MOST_THREADS) : 1;
  game = new Game(saved ?? undefined, threads);
  searcher = new Searcher(program, onProgress, onEnd);
  self.postMessage({ messages: [game.welcome()] });
  update();
}

function fail(problem) {
  self.postMessage({ failure: String(problem.message ?? problem) });
}

function onProgress(found) {
  pending = found;
  if (performance.now() - reportedAt >= REPORT_INTERVAL) report();
}

function onEnd({ best, problem }) {
  report();
  game.on_finish(best, problem);
  update();
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
    const search = game.search();
    if (search === undefined) searcher.stop();
    else searcher.search(search, game.threads());
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
