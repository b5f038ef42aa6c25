// The dialog to set up a position: the pieces, and the other fields of the FEN.

import { check } from "./check.js";
import { $, make } from "./elements.js";
import { drawing, looksOf, pieceName } from "./looks.js";
import { readFen, writeBoard } from "./moves.js";

// Castling rights: letter and name.
const CASTLING = [["K", "White, king's side"], ["Q", "White, queen's side"], ["k", "Black, king's side"], ["q", "Black, queen's side"]];

export class Editor {
  #game = "";
  #option = undefined;
  #position = null;      // as `readFen` gives it
  #tool = "";            // a letter; "" moves pieces, "x" removes them
  #done = null;
  #checks = 0;

  constructor() {
    this.dialog = $("editor-dialog");
    this.board = $("editor-board");
    this.board.addEventListener("free", event => this.#change(event.detail));
    this.board.addEventListener("off", event => this.#put(event.detail, ""));
    this.board.addEventListener("contextmenu", event => {
      event.preventDefault();
      const square = this.board.squareAt(event);
      if (square) this.#put(square, "");
    });
    $("editor-fen").addEventListener("input", () => this.#read($("editor-fen").value.trim()));
    $("editor-start").addEventListener("click", () => this.#start());
    $("editor-clear").addEventListener("click", () => {
      this.#position.pieces.clear();
      this.#show();
    });
    $("editor-side").addEventListener("change", () => {
      this.#position.fields[0] = $("editor-side").value;
      this.#show();
    });
    this.dialog.querySelector("form").addEventListener("submit", event => {
      event.preventDefault();
      this.#done($("editor-fen").value.trim());
      this.dialog.close();
    });
  }

  // Opens the editor with a position, by default the start position. `done` is called with the FEN.
  open({ game, option, fen }, done) {
    [this.#game, this.#option, this.#done, this.#tool, this.#position] = [game, option, done, "", null];
    $("editor-problem").textContent = "";
    this.board.deselect();
    this.#palette();
    const start = fen ? this.#read(fen) : this.#start();
    start.then(() => this.dialog.open || this.dialog.showModal());
  }

  // The request that checks a position.
  #request(fen) {
    return { game: this.#game, ...(this.#option ? { option: this.#option } : {}), ...(fen ? { fen } : {}) };
  }

  async #start() {
    const { fen } = await check(this.#request());
    if (fen) return this.#read(fen);
  }

  // Reads a FEN, and shows what is wrong with it.
  async #read(fen) {
    const number = ++this.#checks;
    const answer = await check(this.#request(fen));
    if (number !== this.#checks) return;
    if (!answer.fen && !this.#position) await this.#start();
    $("editor-problem").textContent = answer.problem ?? "";
    if (!answer.fen) return;
    this.#position = readFen(answer.fen);
    this.#draw();
    if (document.activeElement !== $("editor-fen")) $("editor-fen").value = answer.fen;
  }

  // Shows the edited position, and checks it.
  async #show() {
    const { files, ranks, pieces, fields } = this.#position;
    // An edited position has no en passant square.
    if (this.#game === "chess" && fields.length > 2) fields[2] = "-";
    const fen = [writeBoard(files, ranks, pieces), ...fields].join(" ");
    this.#draw();
    $("editor-fen").value = fen;
    const number = ++this.#checks;
    const { problem } = await check(this.#request(fen));
    if (number === this.#checks) $("editor-problem").textContent = problem ?? "";
  }

  #draw() {
    const { files, ranks, pieces, fields } = this.#position;
    const free = { isOrigin: letter => this.#tool !== "" || letter !== "", steps: this.#tool === "" ? 1 : 0 };
    const fen = [writeBoard(files, ranks, pieces), ...fields].join(" ");
    this.board.show({ fen, looks: looksOf(this.#game), free });
    $("editor-side").value = fields[0] === "b" ? "b" : "w";
    $("editor-fields").replaceChildren(...this.#fields());
  }

  // Inputs for the other fields of the FEN.
  #fields() {
    const { fields } = this.#position;
    const change = (index, value) => {
      fields[index] = value;
      this.#show();
    };
    if (this.#game === "chess") {
      const rights = fields[1] ?? "-";
      return CASTLING.map(([letter, name]) => {
        const box = make("input", { type: "checkbox", checked: rights.includes(letter) });
        box.addEventListener("change", () => {
          const kept = CASTLING.map(([other]) => other).filter(other => (other === letter ? box.checked : rights.includes(other)));
          change(1, kept.join("") || "-");
        });
        return make("label", { className: "switch" }, box, ` Castling: ${name}`);
      });
    }
    return (looksOf(this.#game).points ?? []).map((index, side) => {
      const input = make("input", { type: "number", min: 0, max: 999, step: "any", value: fields[index] ?? 0 });
      input.addEventListener("change", () => change(index, input.value || "0"));
      return make("label", {}, `Points of ${side ? "Black" : "White"} `, input);
    });
  }

  // The tools: the pieces of the game, moving, removing.
  #palette() {
    const looks = looksOf(this.#game);
    const letters = [...looks.pieces.keys()];
    const both = letters.filter(letter => letter !== letter.toUpperCase());
    const rows = [...both.map(letter => letter.toUpperCase()), ...both, ...letters.filter(letter => !both.includes(letter))];
    const tools = [["", "Move pieces", "✥"], ["x", "Remove pieces", "✕"], ...rows.map(letter => [letter, pieceName(looks, letter), null])];
    $("editor-palette").replaceChildren(...tools.map(([letter, name, sign]) => {
      const button = make("button", { type: "button", className: "tool", title: name }, sign ?? drawing(looks, letter));
      button.setAttribute("aria-label", name);
      button.setAttribute("aria-pressed", String(letter === this.#tool));
      button.addEventListener("click", () => {
        this.#tool = letter;
        for (const other of $("editor-palette").children) other.setAttribute("aria-pressed", String(other === button));
        this.#draw();
      });
      return button;
    }));
  }

  // Applies the tool to squares.
  #change([square, to]) {
    const { pieces } = this.#position;
    if (to) {
      pieces.set(to, pieces.get(square));
      pieces.delete(square);
      return this.#show();
    }
    const isSame = pieces.get(square) === this.#tool;
    this.#put(square, this.#tool === "x" || isSame ? "" : this.#tool);
  }

  #put(square, letter) {
    if (letter) this.#position.pieces.set(square, letter);
    else this.#position.pieces.delete(square);
    this.#show();
  }
}
