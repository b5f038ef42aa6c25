// The WebSocket to the server. Reconnects automatically to the same session: its name, or a seat in it, is
// kept in the address of the page.

import { isSeat } from "./seats.js";

// The delay before reconnecting, in milliseconds; it doubles with each failure.
const MIN_DELAY = 250, MAX_DELAY = 8000;

// The code with which the server closes a refused connection.
const REFUSED = 1008;

export class Connection {
  // The maximum size of a request in bytes.
  static maxBytes = 65536;
  // The requests that may be sent at once, and per second after that: less than the server's limits, to leave
  // room for the user's own.
  static burst = 40;
  static rate = 18;

  #socket = null;
  #delay = MIN_DELAY;

  // `onMessage` is called with each message, `onConnection` with whether there is a connection, and
  // with the reason if there will be no other.
  constructor(onMessage, onConnection) {
    this.onMessage = onMessage;
    this.onConnection = onConnection;
    this.#connect();
  }

  #connect() {
    const address = new URL("ws", location.href);
    address.protocol = "ws:";
    address.hash = "";
    const name = location.hash.slice(1);
    address.search = isSeat(location.hash) ? name : "session=" + encodeURIComponent(name);
    this.#socket = new WebSocket(address);
    this.#socket.addEventListener("message", event => {
      const message = JSON.parse(event.data);
      if (message.is === "welcome") {
        this.#delay = MIN_DELAY;
        if (message.session) history.replaceState(null, "", "#" + message.session);
        this.onConnection(true);
      }
      this.onMessage(message);
    });
    this.#socket.addEventListener("close", event => {
      // An invalid link stays invalid.
      const isOver = isSeat(location.hash) && event.code === REFUSED;
      this.onConnection(false, isOver ? event.reason : undefined);
      if (isOver) return;
      setTimeout(() => this.#connect(), this.#delay);
      this.#delay = Math.min(2 * this.#delay, MAX_DELAY);
    });
  }

  // Sends a request; false without a connection.
  send(request) {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(request));
    return true;
  }
}
