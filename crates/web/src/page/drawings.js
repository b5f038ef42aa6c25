// Arrows and circles that a person draws on the board: by dragging with the right button, or on touch after a
// long press; `m` marks the square that has the focus. Keys held down choose the colour.

// Milliseconds of a long press, and the pixels that it may move.
const LONG_PRESS = 450, STILL = 8;

export class Drawings {
  #shapes = [];
  #fen = "";
  #begun = null;      // the shape that is being drawn
  #timer = 0;

  // `isTaken`: whether the right button means something else now; it is called, then, for it to be done.
  constructor(board, isTaken) {
    this.board = board;
    this.isTaken = isTaken;
    board.addEventListener("contextmenu", event => event.preventDefault());
    // The board may take the pointer; here it is seen first.
    board.addEventListener("pointerdown", event => this.#press(event), true);
    board.addEventListener("pointermove", event => this.#move(event), true);
    board.addEventListener("pointerup", event => this.#release(event), true);
    board.addEventListener("pointercancel", () => this.#stop());
    board.addEventListener("keydown", event => this.#key(event));
  }

  // What is drawn belongs to a position.
  show(fen) {
    if (fen !== this.#fen) this.#shapes = [];
    this.#fen = fen;
    this.#draw();
  }

  #draw() {
    this.board.sketch(this.#begun ? [...this.#shapes, this.#begun] : this.#shapes);
  }

  #press(event) {
    const square = this.board.squareAt(event);
    if (!square) return;
    if (event.button === 2) {
      if (!this.isTaken()) this.#begin(square, event);
    } else if (event.pointerType === "touch" && event.isPrimary) {
      this.#begun = null;
      const [x, y] = [event.clientX, event.clientY];
      this.start = { x, y };
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.board.letGo();
        navigator.vibrate?.(20);
        this.#begin(square, event);
      }, LONG_PRESS);
    } else if (event.button === 0 && this.#shapes.length) {
      this.#shapes = [];
      this.#draw();
    }
  }

  #begin(square, event) {
    const colour = event.shiftKey ? "red" : event.altKey ? "blue" : event.ctrlKey ? "yellow" : "green";
    this.#begun = { from: square, to: square, colour };
    this.#draw();
  }

  #move(event) {
    if (!this.#begun) {
      if (this.#timer && Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) > STILL) this.#wait();
      return;
    }
    event.stopPropagation();
    const square = this.board.squareAt(event);
    if (!square || square === this.#begun.to) return;
    this.#begun.to = square;
    this.#draw();
  }

  #release(event) {
    this.#wait();
    if (!this.#begun) {
      // A tap.
      if (event.pointerType === "touch" && this.#shapes.length) this.show("");
      return;
    }
    event.stopPropagation();
    this.#toggle(this.#begun);
    this.#begun = null;
    this.#draw();
  }

  // Draws a shape, or wipes the same one away.
  #toggle(shape) {
    const isSame = other => ["from", "to", "colour"].every(key => other[key] === shape[key]);
    const others = this.#shapes.filter(other => !isSame(other));
    this.#shapes = others.length < this.#shapes.length ? others : [...others, shape];
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #stop() {
    this.#wait();
    this.#begun = null;
    this.#draw();
  }

  #key(event) {
    const square = event.target.dataset?.square;
    if (event.key !== "m" || !square || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#toggle({ from: square, to: square, colour: "green" });
    this.#draw();
  }
}
