// The WebSocket to the server. It comes back by itself after a lost connection, to the same session, whose
// name is kept in the address of the page.

const FIRST_DELAY = 250, LONGEST_DELAY = 8000;

export class Connection {
  // The most bytes of a request that the server takes.
  static longest = 65536;
  // The requests that the server takes at once, and those a second after that: somewhat less, for others.
  static burst = 40;
  static rate = 18;

  #socket = null;
  #delay = FIRST_DELAY;

  // `hear` gets each message, `tell` whether there is a connection.
  constructor(hear, tell) {
    this.hear = hear;
    this.tell = tell;
    this.#connect();
  }

  #connect() {
    const address = new URL("ws", location.href);
    address.protocol = "ws:";
    address.hash = "";
    address.search = "session=" + encodeURIComponent(location.hash.slice(1));
    this.#socket = new WebSocket(address);
    this.#socket.addEventListener("message", event => {
      const message = JSON.parse(event.data);
      if (message.is === "welcome") {
        this.#delay = FIRST_DELAY;
        history.replaceState(null, "", "#" + message.session);
        this.tell(true);
      }
      this.hear(message);
    });
    this.#socket.addEventListener("close", () => {
      this.tell(false);
      setTimeout(() => this.#connect(), this.#delay);
      this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
    });
  }

  // Sends a request; false without a connection.
  send(request) {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(request));
    return true;
  }
}
