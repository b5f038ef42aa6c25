// Replaces the connection to a server by a worker with the game, which is saved in this browser.

import { hasThreads, isIsolated } from "./program.js";
import { keep, recall } from "./storage.js";

const STORAGE_KEY = "labrys-game";

// Whether the address asks for a game, which is not saved yet.
const hasLink = location.hash.includes("=");

export class Connection {
  // There are no limits.
  static maxBytes = Infinity;
  static burst = Infinity;
  static rate = 1;

  #worker;
  #isBusy = false;  // whether something runs that a reload would interrupt
  #isSaved = true;  // whether the last change could be saved, which is reported once

  // `onMessage` is called with each message, `onConnection` with whether there is a connection, and with the
  // reason if there is none.
  constructor(onMessage, onConnection) {
    this.#worker = new Worker("game-worker.js", { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => {
      if (data.failure !== undefined) onConnection(false, data.failure);
      for (const text of data.messages ?? []) {
        const message = JSON.parse(text);
        if (message.is === "welcome") onConnection(true);
        if (message.is === "game") {
          this.#isBusy = message.thinking || message.analysing || message.reviewing;
        }
        onMessage(message);
      }
      if (data.saved) this.#save(data.saved, onMessage);
    });
    const noStart = "the worker of the game does not start";
    this.#worker.addEventListener("error", ({ message }) => onConnection(false, message ?? noStart));
    this.#worker.postMessage({ saved: recall(STORAGE_KEY) });
    // It caches the page for offline use, and isolates it from other origins, which threads need.
    if ("serviceWorker" in navigator && window.isSecureContext) {
      navigator.serviceWorker.addEventListener("controllerchange", () => this.#isolate());
      navigator.serviceWorker.register("service-worker.js");
    }
  }

  // Sends a request.
  send(request) {
    this.#worker.postMessage({ request: JSON.stringify(request) });
    return true;
  }

  #save(game, onMessage) {
    const problem = keep(STORAGE_KEY, game);
    const isNew = problem !== null && this.#isSaved;
    this.#isSaved = problem === null;
    if (isNew) onMessage({ is: "error", text: `the game is not saved: ${problem}` });
  }

  // Loads the page again if that isolates it and nobody has begun anything: the service worker is there now.
  #isolate() {
    const isInUse = this.#isBusy || hasLink || navigator.userActivation?.hasBeenActive !== false;
    if (!hasThreads || isIsolated || isInUse) return;
    this.#worker.terminate();
    // After `location.reload()`, Chromium would bring this document back when the next one is reloaded.
    location.replace(location.pathname + location.search);
  }
}
