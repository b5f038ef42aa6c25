// Replaces the connection to a server by a worker with the game, which is saved in this browser.

const STORAGE_KEY = "labrys-game";

export class Connection {
  // There are no limits.
  static maxBytes = Infinity;
  static burst = Infinity;
  static rate = 1;

  #worker;

  // `onMessage` is called with each message, `onConnection` with whether there is a connection.
  constructor(onMessage, onConnection) {
    this.#worker = new Worker("game-worker.js", { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => {
      if (data.saved) localStorage.setItem(STORAGE_KEY, data.saved);
      for (const text of data.messages ?? []) {
        const message = JSON.parse(text);
        if (message.is === "welcome") onConnection(true);
        onMessage(message);
      }
    });
    this.#worker.addEventListener("error", () => onConnection(false));
    this.#worker.postMessage({ saved: localStorage.getItem(STORAGE_KEY) });
  }

  // Sends a request.
  send(request) {
    this.#worker.postMessage({ request: JSON.stringify(request) });
    return true;
  }
}

// Caches the page for offline use.
if ("serviceWorker" in navigator && window.isSecureContext) navigator.serviceWorker.register("service-worker.js");
