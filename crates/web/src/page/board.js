// The board: shows a position, and lets a person choose a move by clicks, by dragging or by keys. With the
// attribute `still` it is a picture, which needs a label.

import { arrow } from "./arrows.js";
import { draw } from "./elements.js";
import { drawing, pieceName } from "./looks.js";
import { appeared, readFen, readMove, squareName } from "./moves.js";

// A drag begins after this many pixels.
const DRAG = 5;

// A text in a corner of a square: the letter of a file, the number of a rank, a note. It is the style's, as the
// name of the square or a table says the same.
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
  #free = null;           // what may be chosen in place of legal moves
  #premove = [];          // the squares of a move that waits for its turn
  #last = "";
  #isFlipped = false;
  #chosen = [];           // the squares of the move that is being chosen
  #focus = null;          // the square that the keyboard is on
  #cells = new Map();     // square name → element
  #shape = "";
  #drag = null;
  #isPressed = false;     // whether the focus follows the pointer now
  #drawings = draw("svg", { class: "drawings", "aria-hidden": "true" });
  #arrows = draw("svg", { class: "arrows", "aria-hidden": "true" });

  connectedCallback() {
    if (this.isStill) return this.setAttribute("role", "img");
    this.setAttribute("role", "grid");
    this.setAttribute("aria-label", "Board. Arrow keys move, Enter chooses, Escape lets go.");
    this.addEventListener("keydown", event => this.#key(event));
    this.addEventListener("pointerdown", event => this.#press(event));
    this.addEventListener("pointermove", event => this.#move(event));
    this.addEventListener("pointerup", event => this.#release(event));
    this.addEventListener("pointercancel", () => this.#endDrag());
    // A screen reader presses no button of a mouse.
    this.addEventListener("click", event => {
      const square = event.detail === 0 && event.target.closest("[data-square]")?.dataset.square;
      if (square) this.#choose(square);
    });
    // The keyboard goes on from where the focus is, whatever has set it there.
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

  // Shows a position. `moves` are the legal moves that may be chosen now, `last` is the move before. In place
  // of legal moves squares may be `free`: any one after another one where `free.isOrigin` holds for its letter,
  // in `free.steps` steps.
  show({ fen, looks, moves = [], last, isFlipped = false, free = null }) {
    this.#position = readFen(fen);
    this.#looks = looks;
    this.#moves = moves.map(readMove);
    this.#free = free;
    this.#last = last ?? "";
    this.#isFlipped = isFlipped;
    this.#chosen = [];
    this.#endDrag();
    this.#build();
    this.#draw();
  }

  // Makes the cells, if the board has changed its shape.
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

  // Draws moves as arrows: each has its text, a weight from 0 to 1, and a class.
  point(arrows) {
    this.#arrows.replaceChildren(...arrows.flatMap(({ move, weight, kind }) => {
      const squares = readMove(move).squares.map(square => this.#centre(square));
      return squares.slice(1).map((to, index) => {
        const name = `${kind}${index ? " second" : ""}`;
        return arrow(squares[index], to, weight, { class: name, opacity: 0.45 + 0.45 * weight });
      });
    }));
  }

  // Draws the arrows and circles of a person: each `from` a square, `to` another one or the same, in a colour.
  sketch(shapes) {
    this.#drawings.replaceChildren(...shapes.map(({ from, to, colour }) => {
      const [x, y] = this.#centre(from);
      if (from !== to) return arrow([x, y], this.#centre(to), 0.6, { class: colour });
      return draw("circle", { cx: x, cy: y, r: 0.43, class: colour });
    }));
  }

  // The middle of a square, in squares from the upper left corner.
  #centre(square) {
    const { ranks, files } = this.#position;
    const [file, rank] = [square.charCodeAt(0) - 97, Number(square.slice(1)) - 1];
    return this.#isFlipped ? [files - file - 0.5, rank + 0.5] : [file + 0.5, ranks - rank - 0.5];
  }

  // Shows a move that waits for its turn, by its squares; none if there are none.
  setPremove(squares) {
    this.#premove = squares;
    this.#chosen = [];
    this.#draw();
  }

  // Colours squares and writes on them, layer over layer. A layer has the names of its `colours`, for numbers
  // above and below zero; maps of square names: `amounts`, the greatest of which has the full colour, and
  // perhaps `notes`.
  mark(layers) {
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

  // The move that would be played by choosing a square now, if there is one.
  moveTo(square) {
    if (this.#free) return undefined;
    const step = this.#chosen.length;
    const moves = step ? this.#candidates().filter(move => move.squares[step] === square) : [];
    return moves.find(move => move.squares.length === step + 1)?.text;
  }

  // The moves that begin with the chosen squares.
  #candidates() {
    return this.#moves.filter(move => this.#chosen.every((square, index) => move.squares[index] === square));
  }

  // Whether a move may begin on a square.
  #isOrigin(square) {
    if (this.#free) return this.#free.isOrigin(this.#position.pieces.get(square) ?? "");
    return this.#moves.some(move => move.squares[0] === square);
  }

  // Whether the chosen squares may go on to another one.
  #isTarget(square) {
    const step = this.#chosen.length;
    if (step === 0 || square === this.#chosen.at(-1)) return false;
    return !!this.#free || this.#candidates().some(move => move.squares[step] === square);
  }

  // Draws what has changed: pieces, the last move, what is chosen and where it may go.
  #draw() {
    const pieces = new Map(this.#position.pieces);
    const [from, ...way] = this.#chosen;
    if (way.length > 0) {
      pieces.set(way[0], pieces.get(from));
      pieces.delete(from);
    }
    const candidates = this.#chosen.length && !this.#free ? this.#candidates() : [];
    const next = new Set(candidates.map(move => move.squares[this.#chosen.length]));
    const origins = new Set(this.#moves.map(move => move.squares[0]));
    const premove = new Set(this.#premove);
    const turn = this.#position.fields[0] === "b" ? "Black" : "White";
    if (!this.isStill) {
      const words = `${this.#looks.title} board, ${turn} to move.`;
      this.setAttribute("aria-label", `${words} Arrow keys move, Enter chooses, Escape lets go.`);
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
      const isChosen = this.#chosen.at(-1) === square || (way.length > 0 && way[0] === square);
      cell.classList.toggle("last", last.has(square) || fresh === square);
      cell.classList.toggle("chosen", isChosen);
      cell.classList.toggle("target", next.has(square));
      cell.classList.toggle("origin", this.#free ? this.#isOrigin(square) : origins.has(square));
      cell.classList.toggle("premove", premove.has(square));
      if (this.isStill) continue;
      cell.setAttribute("aria-selected", String(isChosen));
      const words = [square, letter ? pieceName(this.#looks, letter) : "empty"];
      if (next.has(square)) words.push(this.#stepName() + " here");
      if (isChosen) words.push("chosen");
      if (premove.has(square)) words.push("premove");
      if (last.has(square) || fresh === square) words.push("last move");
      cell.setAttribute("aria-label", words.join(", "));
      cell.tabIndex = square === this.#focus ? 0 : -1;
    }
  }

  // The name of the step that the next square makes.
  #stepName() {
    return this.#looks.steps[this.#chosen.length - 1] ?? "move";
  }

  // Takes a square as the next one of a move, as a new beginning, or as neither.
  #choose(square) {
    const before = this.#chosen;
    if (this.#free) return this.#chooseFreely(square);
    if (before.length > 0 && square !== before.at(-1)) {
      this.#chosen = [...before, square];
      const candidates = this.#candidates();
      if (candidates.length > 0) {
        const whole = candidates.filter(move => move.squares.length === this.#chosen.length);
        if (whole.length > 0) this.#play(whole);
        else this.#tell(this.#stepName());
        return this.#draw();
      }
    }
    this.#chosen = this.#isOrigin(square) && (before.length !== 1 || square !== before[0]) ? [square] : [];
    if (this.#chosen.length) this.#tell(this.#stepName());
    this.#draw();
  }

  // The same where squares are free. `isDropped`: a piece was dragged there.
  #chooseFreely(square, isDropped = false) {
    const before = this.#chosen;
    const isOther = before.length === 1 && !isDropped && this.#isOrigin(square);
    if (this.#isTarget(square) && !isOther) this.#chosen = [...before, square];
    else this.#chosen = this.#isOrigin(square) && square !== before[0] ? [square] : [];
    if (this.#chosen.length === this.#free.steps + 1) {
      const squares = this.#chosen;
      this.#chosen = [];
      this.dispatchEvent(new CustomEvent("free", { detail: squares }));
    }
    this.#draw();
  }

  // Announces how many squares the next step can go to.
  #tell(step) {
    const count = new Set(this.#candidates().map(move => move.squares[this.#chosen.length])).size;
    const detail = `${this.#chosen.at(-1)}: ${count} ${count === 1 ? "square" : "squares"} to ${step} to`;
    this.dispatchEvent(new CustomEvent("step", { detail }));
  }

  // Hands on a move, or several that differ by their letter.
  #play(moves) {
    this.#chosen = moves[0].squares;
    const isBlack = this.#position.fields[0] === "b";
    this.dispatchEvent(new CustomEvent("move", { detail: { moves, isBlack } }));
  }

  // Lets go of what was chosen.
  letGo() {
    this.#chosen = [];
    this.#endDrag();
    this.#draw();
  }

  #key(event) {
    // To a hand on the mouse, other keys are for the game.
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
      this.#choose(this.#focus);
    } else if (event.key === "Escape") {
      this.letGo();
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
    // The frame of the keyboard does not follow the pointer.
    this.classList.add("pointed");
    this.#isPressed = true;
    this.#focusOn(square);
    this.#isPressed = false;
    const step = this.#chosen.length;
    const canDrag = step < 2 && this.#isOrigin(square) && (this.#free ? this.#free.steps > 0 : !this.#isTarget(square));
    const wasChosen = this.#chosen.length === 1 && this.#chosen[0] === square;
    if (!canDrag) return this.#choose(square);
    this.#chosen = [square];
    this.#draw();
    if (!this.#free) this.#tell(this.#stepName());
    this.#drag = { square, wasChosen, x: event.clientX, y: event.clientY, ghost: null };
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
      if (square) this.#chooseFreely(square, true);
      else this.#dropOutside(drag.square);
    } else if (square && square !== drag.square) {
      if (this.#candidates().some(move => move.squares[1] === square)) this.#choose(square);
      else this.letGo();
    } else if (drag.wasChosen) {
      this.letGo();
    }
  }

  // Tells that a piece was dragged off the board.
  #dropOutside(square) {
    this.letGo();
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
