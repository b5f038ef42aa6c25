// Interrupts for a worker that computes and so receives no messages: a signal says that a `stop` or a
// `ponderhit` is pending. The line itself arrives as a message in its turn, which clears the signal.

// The signal for a line, by its first word.
export const SIGNALS = { stop: 0, quit: 0, ponderhit: 1 };
const COUNT = 2;

// The sending side: in shared memory where the page may use it, otherwise through blob URLs, which a worker
// can fetch synchronously until they are revoked.
export function createSender(isShared) {
  return isShared ? new SharedSender() : new BlobSender();
}

// The receiving side, in the worker, from the result of the sender's `describe`.
export function createReceiver({ memory, urls }) {
  return memory ? new SharedReceiver(memory) : new BlobReceiver(urls);
}

// Shared memory: counts how often each signal was raised.
class SharedSender {
  #raised = new Int32Array(new SharedArrayBuffer(COUNT * Int32Array.BYTES_PER_ELEMENT));

  describe() {
    return { memory: this.#raised };
  }

  raise(signal) {
    Atomics.add(this.#raised, signal, 1);
  }

  close() {}
}

class SharedReceiver {
  #raised;
  #cleared = Array(COUNT).fill(0);

  constructor(memory) {
    this.#raised = memory;
  }

  isRaised(signal) {
    return Atomics.load(this.#raised, signal) !== this.#cleared[signal];
  }

  clear(signal) {
    this.#cleared[signal]++;
  }
}

// Blob URLs: raising a signal revokes its URL and creates the next one.
class BlobSender {
  #urls = Array.from({ length: COUNT }, newUrl);

  describe() {
    return { urls: [...this.#urls] };
  }

  // Returns the next URL, for the message with the line.
  raise(signal) {
    URL.revokeObjectURL(this.#urls[signal]);
    return (this.#urls[signal] = newUrl());
  }

  close() {
    this.#urls.forEach(url => URL.revokeObjectURL(url));
  }
}

function newUrl() {
  return URL.createObjectURL(new Blob(["-"]));
}

// Milliseconds between two checks of a URL. A check takes about half a millisecond.
const INTERVAL = 20;

class BlobReceiver {
  #urls;
  #isRaised = Array(COUNT).fill(false);
  #nextCheck = Array(COUNT).fill(-Infinity);

  constructor(urls) {
    this.#urls = urls;
    // Otherwise all signals would look raised, and every search would end at once.
    if (!exists(urls[1])) {
      throw new Error("blob URLs are not allowed here: the page's Content-Security-Policy needs "
        + "`connect-src blob:`, unless the page is cross-origin isolated");
    }
  }

  isRaised(signal) {
    const now = performance.now();
    if (!this.#isRaised[signal] && now >= this.#nextCheck[signal]) {
      this.#isRaised[signal] = !exists(this.#urls[signal]);
      this.#nextCheck[signal] = performance.now() + INTERVAL;
    }
    return this.#isRaised[signal];
  }

  clear(signal, nextUrl) {
    this.#urls[signal] = nextUrl;
    this.#isRaised[signal] = false;
  }
}

function exists(url) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}
