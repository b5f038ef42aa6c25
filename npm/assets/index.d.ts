/** A line of output. */
export interface LabrysMessageEvent extends Event {
  readonly data: string;
}

/** A fatal error of the worker. */
export interface LabrysErrorEvent extends Event {
  readonly message: string;
}

export interface LabrysEventMap {
  message: LabrysMessageEvent;
  error: LabrysErrorEvent;
}

type Listening = Parameters<EventTarget["addEventListener"]>;
type Unlistening = Parameters<EventTarget["removeEventListener"]>;

/** Labrys in a worker, with the interface of one: lines of UCI in, lines of UCI out. */
export default class Labrys extends EventTarget {
  /** Starts the worker. Lines may be sent immediately. */
  constructor();

  /** Sends one or more lines. */
  postMessage(lines: string): void;

  /** Ends the worker at once, unlike `quit`, which lets a search answer first. */
  terminate(): void;

  /** Called with each line of output, in the event's `data`. */
  onmessage: ((event: LabrysMessageEvent) => void) | null;

  /** Called when the engine has failed, which ends it. If nobody listens, the console gets the message. */
  onerror: ((event: LabrysErrorEvent) => void) | null;

  addEventListener<K extends keyof LabrysEventMap>(
    type: K,
    listener: (event: LabrysEventMap[K]) => void,
    options?: Listening[2],
  ): void;
  addEventListener(...listening: Listening): void;

  removeEventListener<K extends keyof LabrysEventMap>(
    type: K,
    listener: (event: LabrysEventMap[K]) => void,
    options?: Unlistening[2],
  ): void;
  removeEventListener(...unlistening: Unlistening): void;
}
