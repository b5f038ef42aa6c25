// The user's arrows and circles on the board: drawn with the right button, or on touch after a long press;
// `m` marks the focused square. Modifier keys select the colour.

// The duration of a long press in milliseconds, and its tolerance in pixels.
const LONG_PRESS = 450, TOLERANCE = 8;

export class Drawings {
  #shapes = [];
  #fen = "";
  #drawing = null;    // the unfinished shape
  #timer = 0;

  // `onRightButton` returns true if it has handled the press itself.
  constructor(board, onRightButton) {
    this.board = board;
    this.onRightButton = onRightButton;
    board.addEventListener("contextmenu", event => event.preventDefault());
    // Capturing: before the board, which may capture the pointer.
    board.addEventListener("pointerdown", event => this.#press(event), true);
    board.addEventListener("pointermove", event => this.#move(event), true);
    board.addEventListener("pointerup", event => this.#release(event), true);
    board.addEventListener("pointercancel", () => this.#stop());
    board.addEventListener("keydown", event => this.#key(event));
  }

  // Removes the drawings when the position changes.
  show(fen) {
    if (fen !== this.#fen) this.#shapes = [];
    this.#fen = fen;
    this.#draw();
  }

  #draw() {
    this.board.setDrawings(this.#drawing ? [...this.#shapes, this.#drawing] : this.#shapes);
  }

  #press(event) {
    const square = this.board.squareAt(event);
    if (!square) return;
    if (event.button === 2) {
      if (this.onRightButton()) return;
      this.#start(square, event);
      // The button may be released outside of the board.
      this.board.setPointerCapture(event.pointerId);
    } else if (event.pointerType === "touch" && event.isPrimary) {
      this.#drawing = null;
      const [x, y] = [event.clientX, event.clientY];
      this.pressedAt = { x, y };
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.board.deselect();
        navigator.vibrate?.(20);
        this.#start(square, event);
      }, LONG_PRESS);
    } else if (event.button === 0 && this.#shapes.length) {
      this.#shapes = [];
      this.#draw();
    }
  }

  #start(square, event) {
    const colour = event.shiftKey ? "red" : event.altKey ? "blue" : event.ctrlKey ? "yellow" : "green";
    this.#drawing = { from: square, to: square, colour };
    this.#draw();
  }

  #move(event) {
    if (!this.#drawing) {
      if (this.#timer && Math.hypot(event.clientX - this.pressedAt.x, event.clientY - this.pressedAt.y) > TOLERANCE) this.#cancelTimer();
      return;
    }
    event.stopPropagation();
    const square = this.board.squareAt(event);
    if (!square || square === this.#drawing.to) return;
    this.#drawing.to = square;
    this.#draw();
  }

  #release(event) {
    this.#cancelTimer();
    if (!this.#drawing) {
      // A tap.
      if (event.pointerType === "touch" && this.#shapes.length) this.show("");
      return;
    }
    event.stopPropagation();
    this.#toggle(this.#drawing);
    this.#drawing = null;
    this.#draw();
  }

  // Adds a shape, or removes an identical one.
  #toggle(shape) {
    const isSame = other => ["from", "to", "colour"].every(key => other[key] === shape[key]);
    const others = this.#shapes.filter(other => !isSame(other));
    this.#shapes = others.length < this.#shapes.length ? others : [...others, shape];
  }

  #cancelTimer() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #stop() {
    this.#cancelTimer();
    this.#drawing = null;
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
