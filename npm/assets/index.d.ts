/** A line of the engine. */
export interface LabrysMessageEvent extends Event {
  readonly data: string;
}

/** An error of the worker, after which it does nothing any more. */
export interface LabrysErrorEvent extends Event {
  readonly message: string;
}

export interface LabrysEventMap {
  message: LabrysMessageEvent;
  error: LabrysErrorEvent;
}

type Listening = Parameters<EventTarget["addEventListener"]>;

/** Labrys in a worker, which is used as a worker: lines of UCI in, lines of UCI out. */
export default class Labrys extends EventTarget {
  /** Starts the worker. Lines may be sent at once. */
  constructor();

  /** Sends a line, or several. */
  postMessage(lines: string): void;

  /** Ends the worker at once. `quit` ends it after the answer to a search. */
  terminate(): void;

  /** Called with each line of the engine, which is the event's `data`. */
  onmessage: ((event: LabrysMessageEvent) => void) | null;

  onerror: ((event: LabrysErrorEvent) => void) | null;

  addEventListener<K extends keyof LabrysEventMap>(
    type: K,
    listener: (event: LabrysEventMap[K]) => void,
    options?: Listening[2],
  ): void;
  addEventListener(...listening: Listening): void;
}
