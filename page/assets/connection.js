// What stands in for the server where there is none: a worker with the game. The game is kept in this browser.

const KEPT = "labrys-game";

export class Connection {
  // Requests have any length, and may come as they will.
  static longest = Infinity;
  static burst = Infinity;
  static rate = 1;

  #worker;

  // `hear` gets each message, `tell` whether there is a connection.
  constructor(hear, tell) {
    this.#worker = new Worker("game-worker.js", { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => {
      if (data.saved) localStorage.setItem(KEPT, data.saved);
      for (const text of data.messages ?? []) {
        const message = JSON.parse(text);
        if (message.is === "welcome") tell(true);
        hear(message);
      }
    });
    this.#worker.addEventListener("error", () => tell(false));
    this.#worker.postMessage({ saved: localStorage.getItem(KEPT) });
  }

  // Sends a request.
  send(request) {
    this.#worker.postMessage({ request: JSON.stringify(request) });
    return true;
  }
}

// Keeps the page for when there is no network.
if ("serviceWorker" in navigator && window.isSecureContext) navigator.serviceWorker.register("service-worker.js");
