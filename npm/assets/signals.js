// How a worker hears of lines while it computes, when it gets no messages: a signal says that a `stop` or a
// `ponderhit` is on its way. The line itself comes as a message, in its turn, and puts the signal down.

// The signal of a line, by its first word.
export const SIGNALS = { stop: 0, quit: 0, ponderhit: 1 };
const COUNT = 2;

// The sender's half: in shared memory, where the page may have it, otherwise in addresses of blobs, which a
// worker can look up without a message, and which are gone once they are revoked.
export function createSender(isShared) {
  return isShared ? new SharedSender() : new BlobSender();
}

// The worker's half, from what `describe` of the sender's has said.
export function createReceiver({ memory, urls }) {
  return memory ? new SharedReceiver(memory) : new BlobReceiver(urls);
}

// Shared memory: how often each signal was raised.
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
  #handled = Array(COUNT).fill(0);

  constructor(memory) {
    this.#raised = memory;
  }

  isRaised(signal) {
    return Atomics.load(this.#raised, signal) !== this.#handled[signal];
  }

  putDown(signal) {
    this.#handled[signal]++;
  }
}

// Addresses: each signal has one until it is raised, and then the next one.
class BlobSender {
  #urls = Array.from({ length: COUNT }, newUrl);

  describe() {
    return { urls: [...this.#urls] };
  }

  // Returns the next address, for the message with the line.
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

// Milliseconds from one look at an address to the next. A look takes about half of one.
const INTERVAL = 20;

class BlobReceiver {
  #urls;
  #isRaised = Array(COUNT).fill(false);
  #nextLook = Array(COUNT).fill(-Infinity);

  constructor(urls) {
    this.#urls = urls;
    // A signal that is up from the start would end all searches at once.
    if (!isThere(urls[1])) {
      throw new Error("addresses of blobs are not allowed here: `connect-src blob:` of the page's "
        + "Content-Security-Policy allows them, and a page that is cross-origin isolated needs none");
    }
  }

  isRaised(signal) {
    const now = performance.now();
    if (!this.#isRaised[signal] && now >= this.#nextLook[signal]) {
      this.#isRaised[signal] = !isThere(this.#urls[signal]);
      this.#nextLook[signal] = performance.now() + INTERVAL;
    }
    return this.#isRaised[signal];
  }

  putDown(signal, nextUrl) {
    this.#urls[signal] = nextUrl;
    this.#isRaised[signal] = false;
  }
}

function isThere(url) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}
