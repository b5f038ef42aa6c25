// The board: shows a position, and takes moves by click, drag or keyboard. With the attribute `still` it is a
// diagram, which needs a label.

import { arrow } from "./arrows.js";
import { draw } from "./elements.js";
import { drawing, pieceName } from "./looks.js";
import { appeared, readFen, readMove, squareName } from "./moves.js";

// The distance in pixels at which a drag starts.
const DRAG = 5;

// Text in a corner of a square: file, rank, or a note. Shown by CSS, so that screen readers skip it: the
// label of the square or a table says the same.
function corner(className, text) {
  const element = document.createElement("span");
  element.className = `corner ${className}`;
  element.dataset.text = text;
  return element;
}

export class LabBoard extends HTMLElement {
  #position = { files: 8, ranks: 8, pieces: new Map() };
  #looks = null;
  #moves = [];
  #free = null;           // replaces the legal moves: see `show`
  #premove = [];          // the squares of the premove
  #last = "";
  #isFlipped = false;
  #shown = "";            // what `show` was told, as far as a selection depends on it
  #selected = [];           // the selected squares of an incomplete move
  #focus = null;          // the square with the keyboard focus
  #cells = new Map();     // square name → element
  #shape = "";
  #drag = null;
  #isPressed = false;     // whether the pointer is setting the focus
  #drawings = draw("svg", { class: "drawings", "aria-hidden": "true" });
  #arrows = draw("svg", { class: "arrows", "aria-hidden": "true" });

  connectedCallback() {
    if (this.isStill) return this.setAttribute("role", "img");
    this.setAttribute("role", "grid");
    this.setAttribute("aria-label", "Board. Arrow keys move, Enter selects, Escape deselects.");
    this.addEventListener("keydown", event => this.#key(event));
    this.addEventListener("pointerdown", event => this.#press(event));
    this.addEventListener("pointermove", event => this.#move(event));
    this.addEventListener("pointerup", event => this.#release(event));
    this.addEventListener("pointercancel", () => this.#endDrag());
    // Screen readers send clicks without pointer events.
    this.addEventListener("click", event => {
      const square = event.detail === 0 && event.target.closest("[data-square]")?.dataset.square;
      if (square) this.#select(square);
    });
    // Follows the focus if something else sets it, such as a screen reader.
    this.addEventListener("focusin", event => {
      const square = event.target.dataset.square;
      if (!this.#isPressed) this.classList.remove("pointed");
      if (square && square !== this.#focus) this.#focusOn(square);
    });
    this.addEventListener("focusout", event => {
      if (!this.contains(event.relatedTarget)) this.classList.remove("pointed");
    });
  }

  get isStill() {
    return this.hasAttribute("still");
  }

  // Shows a position with its legal moves and the last move. `free` replaces the legal moves: a move then
  // starts on any square for whose piece letter `free.isOrigin` holds, and takes `free.steps` steps to any
  // squares. A selection and a drag go on if nothing of this has changed. The looks are others after each
  // welcome.
  show({ fen, looks, moves = [], last, isFlipped = false, free = null }) {
    const shown = JSON.stringify([fen, moves, isFlipped, free && free.steps]);
    if (shown !== this.#shown || looks !== this.#looks) {
      this.#selected = [];
      this.#endDrag();
    }
    this.#shown = shown;
    this.#position = readFen(fen);
    this.#looks = looks;
    this.#moves = moves.map(readMove);
    this.#free = free;
    this.#last = last ?? "";
    this.#isFlipped = isFlipped;
    this.#build();
    this.#draw();
  }

  // Builds the cells, if the shape of the board has changed.
  #build() {
    const { files, ranks } = this.#position;
    const shape = `${files} ${ranks} ${this.#isFlipped}`;
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#cells.clear();
    this.style.setProperty("--files", files);
    this.style.setProperty("--ranks", ranks);
    const rows = [...Array(ranks).keys()].map(row => {
      const rank = this.#isFlipped ? row : ranks - 1 - row;
      const element = document.createElement("div");
      element.setAttribute("role", "row");
      if (this.isStill) element.setAttribute("aria-hidden", "true");
      element.append(...[...Array(files).keys()].map(column => {
        const file = this.#isFlipped ? files - 1 - column : column;
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        cell.dataset.square = squareName(file, rank);
        cell.className = (file + rank) % 2 ? "light" : "dark";
        if (!this.isStill) cell.tabIndex = -1;
        if (row === ranks - 1) cell.append(corner("coordinate file", cell.dataset.square[0]));
        if (column === 0) cell.append(corner("coordinate rank", rank + 1));
        cell.append(corner("note", ""));
        this.#cells.set(cell.dataset.square, cell);
        return cell;
      }));
      return element;
    });
    for (const layer of [this.#arrows, this.#drawings]) layer.setAttribute("viewBox", `0 0 ${files} ${ranks}`);
    this.replaceChildren(...rows, this.#arrows, this.#drawings);
    if (!this.#cells.has(this.#focus)) this.#focus = this.#cells.keys().next().value;
  }

  // Draws moves as arrows, each with a weight from 0 to 1 and a CSS class, `kind`.
  setArrows(arrows) {
    this.#arrows.replaceChildren(...arrows.flatMap(({ move, weight, kind }) => {
      const squares = readMove(move).squares.map(square => this.#centre(square));
      return squares.slice(1).map((to, index) => {
        const name = `${kind}${index ? " second" : ""}`;
        return arrow(squares[index], to, weight, { class: name, opacity: 0.45 + 0.45 * weight });
      });
    }));
  }

  // Draws the user's arrows, and circles (where `from` equals `to`).
  setDrawings(shapes) {
    this.#drawings.replaceChildren(...shapes.map(({ from, to, colour }) => {
      const [x, y] = this.#centre(from);
      if (from !== to) return arrow([x, y], this.#centre(to), 0.6, { class: colour });
      return draw("circle", { cx: x, cy: y, r: 0.43, class: colour });
    }));
  }

  // The centre of a square, in squares from the upper left corner.
  #centre(square) {
    const { ranks, files } = this.#position;
    const [file, rank] = [square.charCodeAt(0) - 97, Number(square.slice(1)) - 1];
    return this.#isFlipped ? [files - file - 0.5, rank + 0.5] : [file + 0.5, ranks - rank - 0.5];
  }

  // Shows the squares of a premove, if any.
  setPremove(squares) {
    this.#premove = squares;
    this.#selected = [];
    this.#draw();
  }

  // Colours and labels squares, one layer over another. A layer has `amounts` by square, scaled so that the
  // largest has the full colour; `colours`, CSS variables for positive and negative amounts; and optional
  // `notes` by square.
  setHeatMap(layers) {
    const most = layers.map(({ amounts }) => Math.max(...[...amounts.values()].map(Math.abs)));
    for (const [square, cell] of this.#cells) {
      const tints = layers.flatMap(({ colours, amounts }, index) => {
        const share = (amounts.get(square) ?? 0) / most[index];
        if (!share) return [];
        const opacity = `${Math.round(75 * Math.abs(share))}%`;
        const colour = `color-mix(in srgb, var(${colours[share > 0 ? 0 : 1]}) ${opacity}, transparent)`;
        return [`linear-gradient(${colour}, ${colour})`];
      });
      cell.classList.toggle("tinted", tints.length > 0);
      cell.style.setProperty("--tint", tints.join() || "none");
      const notes = layers.flatMap(({ notes }) => notes?.get(square) ?? []);
      cell.querySelector(".note").dataset.text = notes.join(" ");
    }
  }

  // The move that selecting a square would play, if any.
  moveTo(square) {
    if (this.#free) return undefined;
    const step = this.#selected.length;
    const moves = step ? this.#candidates().filter(move => move.squares[step] === square) : [];
    return moves.find(move => move.squares.length === step + 1)?.text;
  }

  // The moves that start with the selected squares.
  #candidates() {
    return this.#moves.filter(move => this.#selected.every((square, index) => move.squares[index] === square));
  }

  // Whether a move can start on a square.
  #isOrigin(square) {
    if (this.#free) return this.#free.isOrigin(this.#position.pieces.get(square) ?? "");
    return this.#moves.some(move => move.squares[0] === square);
  }

  // Whether a square can follow the selected ones.
  #isTarget(square) {
    const step = this.#selected.length;
    if (step === 0 || square === this.#selected.at(-1)) return false;
    return !!this.#free || this.#candidates().some(move => move.squares[step] === square);
  }

  // Updates the cells: pieces, last move, selection and its targets.
  #draw() {
    const pieces = new Map(this.#position.pieces);
    const [from, ...rest] = this.#selected;
    if (rest.length > 0) {
      pieces.set(rest[0], pieces.get(from));
      pieces.delete(from);
    }
    const candidates = this.#selected.length && !this.#free ? this.#candidates() : [];
    const next = new Set(candidates.map(move => move.squares[this.#selected.length]));
    const origins = new Set(this.#moves.map(move => move.squares[0]));
    const premove = new Set(this.#premove);
    const turn = this.#position.fields[0] === "b" ? "Black" : "White";
    if (!this.isStill) {
      const words = `${this.#looks.title} board, ${turn} to move.`;
      this.setAttribute("aria-label", `${words} Arrow keys move, Enter selects, Escape deselects.`);
    }
    const last = new Set(this.#last ? readMove(this.#last).squares : []);
    const fresh = appeared(this.#last);
    for (const [square, cell] of this.#cells) {
      const letter = pieces.get(square) ?? "";
      if (cell.dataset.piece !== letter || cell.looks !== this.#looks) {
        cell.dataset.piece = letter;
        cell.looks = this.#looks;
        cell.querySelector("svg")?.remove();
        if (letter) cell.append(drawing(this.#looks, letter));
      }
      const isSelected = this.#selected.at(-1) === square || (rest.length > 0 && rest[0] === square);
      cell.classList.toggle("last", last.has(square) || fresh === square);
      cell.classList.toggle("selected", isSelected);
      cell.classList.toggle("target", next.has(square));
      cell.classList.toggle("origin", this.#free ? this.#isOrigin(square) : origins.has(square));
      cell.classList.toggle("premove", premove.has(square));
      if (this.isStill) continue;
      cell.setAttribute("aria-selected", String(isSelected));
      const words = [square, letter ? pieceName(this.#looks, letter) : "empty"];
      if (next.has(square)) words.push(this.#stepName() + " here");
      if (isSelected) words.push("selected");
      if (premove.has(square)) words.push("premove");
      if (last.has(square) || fresh === square) words.push("last move");
      cell.setAttribute("aria-label", words.join(", "));
      cell.tabIndex = square === this.#focus ? 0 : -1;
    }
  }

  // The name of the step to the next square.
  #stepName() {
    return this.#looks.steps[this.#selected.length - 1] ?? "move";
  }

  // Continues the move with a square, starts another one, or deselects.
  #select(square) {
    const before = this.#selected;
    if (this.#free) return this.#selectFree(square);
    if (before.length > 0 && square !== before.at(-1)) {
      this.#selected = [...before, square];
      const candidates = this.#candidates();
      if (candidates.length > 0) {
        const whole = candidates.filter(move => move.squares.length === this.#selected.length);
        if (whole.length > 0) this.#play(whole);
        else this.#announce(this.#stepName());
        return this.#draw();
      }
    }
    this.#selected = this.#isOrigin(square) && (before.length !== 1 || square !== before[0]) ? [square] : [];
    if (this.#selected.length) this.#announce(this.#stepName());
    this.#draw();
  }

  // The same with free squares. `isDropped`: a piece was dragged there.
  #selectFree(square, isDropped = false) {
    const before = this.#selected;
    const isOther = before.length === 1 && !isDropped && this.#isOrigin(square);
    if (this.#isTarget(square) && !isOther) this.#selected = [...before, square];
    else this.#selected = this.#isOrigin(square) && square !== before[0] ? [square] : [];
    if (this.#selected.length === this.#free.steps + 1) {
      const squares = this.#selected;
      this.#selected = [];
      this.dispatchEvent(new CustomEvent("free", { detail: squares }));
    }
    this.#draw();
  }

  // Announces the number of squares for the next step.
  #announce(step) {
    const count = new Set(this.#candidates().map(move => move.squares[this.#selected.length])).size;
    const detail = `${this.#selected.at(-1)}: ${count} ${count === 1 ? "square" : "squares"} to ${step} to`;
    this.dispatchEvent(new CustomEvent("step", { detail }));
  }

  // Dispatches a move, or several that differ in the promotion.
  #play(moves) {
    this.#selected = moves[0].squares;
    const isBlack = this.#position.fields[0] === "b";
    this.dispatchEvent(new CustomEvent("move", { detail: { moves, isBlack } }));
  }

  deselect() {
    this.#selected = [];
    this.#endDrag();
    // An error may come before the first position.
    if (this.#looks) this.#draw();
  }

  #key(event) {
    // While the pointer is used, other keys are left to the page.
    if (this.classList.contains("pointed") && !["Enter", "Escape", "Tab"].includes(event.key)) return;
    this.classList.remove("pointed");
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const sign = this.#isFlipped ? -1 : 1;
      const [files, ranks] = steps[event.key].map(step => step * sign);
      const file = this.#focus.charCodeAt(0) - 97 + files;
      const square = squareName(file, Number(this.#focus.slice(1)) - 1 + ranks);
      if (this.#cells.has(square)) this.#focusOn(square);
    } else if (event.key === "Enter" || event.key === " ") {
      this.#select(this.#focus);
    } else if (event.key === "Escape") {
      this.deselect();
    } else {
      return;
    }
    event.preventDefault();
  }

  #focusOn(square) {
    const before = this.#cells.get(this.#focus);
    if (before) before.tabIndex = -1;
    this.#focus = square;
    const cell = this.#cells.get(square);
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  }

  // The square under the pointer.
  squareAt(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    return this.contains(cell) ? cell.dataset.square : undefined;
  }

  #press(event) {
    const square = this.squareAt(event);
    if (!square || event.button !== 0 || this.#drag) return;
    event.preventDefault();
    // Hides the focus ring.
    this.classList.add("pointed");
    this.#isPressed = true;
    this.#focusOn(square);
    this.#isPressed = false;
    const step = this.#selected.length;
    const canDrag = step < 2 && this.#isOrigin(square) && (this.#free ? this.#free.steps > 0 : !this.#isTarget(square));
    const wasSelected = this.#selected.length === 1 && this.#selected[0] === square;
    if (!canDrag) return this.#select(square);
    this.#selected = [square];
    this.#draw();
    if (!this.#free) this.#announce(this.#stepName());
    this.#drag = { square, wasSelected, x: event.clientX, y: event.clientY, ghost: null };
    this.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const drag = this.#drag;
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < DRAG) return;
      drag.ghost = this.#cells.get(drag.square).querySelector("svg");
      drag.ghost?.classList.add("dragged");
      if (drag.ghost) {
        const box = this.#cells.get(drag.square).getBoundingClientRect();
        drag.x = box.x + box.width / 2;
        drag.y = box.y + box.height / 2;
      }
    }
    if (drag.ghost) {
      drag.ghost.style.transform = `translate(${event.clientX - drag.x}px, ${event.clientY - drag.y}px)`;
    }
  }

  #release(event) {
    const drag = this.#drag;
    if (!drag) return;
    this.#endDrag();
    const square = this.squareAt(event);
    if (this.#free && square !== drag.square) {
      if (square) this.#selectFree(square, true);
      else this.#dropOutside(drag.square);
    } else if (square && square !== drag.square) {
      if (this.#candidates().some(move => move.squares[1] === square)) this.#select(square);
      else this.deselect();
    } else if (drag.wasSelected) {
      this.deselect();
    }
  }

  // Dispatches that a piece was dragged off the board.
  #dropOutside(square) {
    this.deselect();
    this.dispatchEvent(new CustomEvent("off", { detail: square }));
  }

  #endDrag() {
    if (this.#drag?.ghost) {
      this.#drag.ghost.classList.remove("dragged");
      this.#drag.ghost.style.transform = "";
    }
    this.#drag = null;
  }
}

customElements.define("lab-board", LabBoard);
