// The lines of a search. Each move can be previewed on a small board, and played.

import { $, make, percent, scoreText } from "./elements.js";
import { looksOf } from "./looks.js";

// The maximum number of moves shown.
const MAX_MOVES = 12;

// The move number: "12." for White, "12…" for Black.
export const numberText = ply => `${1 + Math.floor(ply / 2)}${ply % 2 ? "…" : "."}`;

export class Lines {
  #search = null;
  #state = null;
  #isFlipped = false;
  #isHeld = false;     // while a move is pressed, so that an update does not replace it

  // `play` is called with a node and moves to play from it.
  constructor(list, play) {
    this.list = list;
    this.play = play;
    list.addEventListener("pointerover", event => this.#preview(event.target));
    list.addEventListener("pointerleave", () => this.#hide());
    list.addEventListener("focusin", event => this.#preview(event.target));
    list.addEventListener("focusout", () => this.#hide());
    list.addEventListener("pointerdown", () => (this.#isHeld = true));
    document.addEventListener("pointerup", () => setTimeout(() => (this.#isHeld = false)));
    document.addEventListener("pointercancel", () => (this.#isHeld = false));
    list.addEventListener("click", event => this.#click(event.target));
    list.addEventListener("keydown", event => this.#key(event));
  }

  // Shows the lines of a search of the position at `ply`; none without a search.
  show(state, search, ply, isFlipped) {
    if (this.#isHeld) return;
    [this.#state, this.#search, this.#isFlipped] = [state, search, isFlipped];
    const lines = search?.lines ?? [];
    const focus = document.activeElement?.closest("#lines button");
    while (this.list.children.length > lines.length) this.list.lastChild.remove();
    lines.forEach((line, index) => this.#showLine(index, line, state["first-ply"] + ply));
    if (!lines.length) this.#hide();
    else if (focus && !focus.isConnected) this.#at(focus.dataset)?.focus({ preventScroll: true });
  }

  #showLine(index, { score, line, visits }, ply) {
    const item = this.list.children[index] ?? this.list.appendChild(make("li", {}, make("b"), make("span"), make("small")));
    const [score_, moves, details] = item.children;
    score_.textContent = scoreText(score);
    details.textContent = visits ? ` ${percent(visits[0])} of visits, ${percent(visits[1])} won` : "";
    const key = `${ply} ${line.join(" ")}`;
    if (moves.dataset.key === key) return;
    moves.dataset.key = key;
    moves.replaceChildren(...line.slice(0, MAX_MOVES).flatMap((text, step) => {
      const number = step === 0 || (ply + step) % 2 === 0 ? ` ${numberText(ply + step)}` : "";
      const button = make("button", { type: "button", tabIndex: step ? -1 : 0 }, text);
      button.dataset.line = index;
      button.dataset.step = step;
      return [`${number} `, button];
    }));
  }

  #at({ line, step }) {
    return this.list.querySelector(`[data-line="${line}"][data-step="${step}"]`);
  }

  // Shows the position after the move of a button.
  #preview(target) {
    const button = target.closest("button");
    if (!button) return;
    const { board, move } = this.#move(button) ?? {};
    if (!board) return;
    const small = $("preview").firstElementChild;
    $("preview").hidden = false;
    small.setAttribute("aria-label", `The position after ${button.textContent}`);
    small.show({ fen: `${board} w`, looks: looksOf(this.#state.game), last: move, isFlipped: this.#isFlipped });
    // Above the move if there is room, otherwise below.
    const [box, own] = [button.getBoundingClientRect(), $("preview").getBoundingClientRect()];
    const left = Math.max(4, Math.min(box.left, innerWidth - own.width - 4));
    const top = box.top > own.height + 8 ? box.top - own.height - 6 : box.bottom + 6;
    $("preview").style.left = `${left}px`;
    $("preview").style.top = `${top}px`;
  }

  #move({ dataset: { line, step } }) {
    const found = this.#search?.lines[line];
    return found?.boards && { board: found.boards[step], move: found.moves[step], moves: found.moves.slice(0, Number(step) + 1) };
  }

  #hide() {
    $("preview").hidden = true;
  }

  #click(target) {
    const button = target.closest("button");
    const moves = button && this.#move(button)?.moves;
    this.#isHeld = false;
    if (!moves) return;
    this.#hide();
    this.play(this.#search.node, moves);
  }

  // Arrow keys move within a line and between lines.
  #key(event) {
    const button = event.target.closest("button");
    const [lines, steps] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key] ?? [];
    if (!button || lines === undefined) return;
    event.preventDefault();
    const { line, step } = button.dataset;
    this.#at({ line: Number(line) + lines, step: Number(step) + steps })?.focus();
  }
}
