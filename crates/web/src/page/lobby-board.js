// A game of the lobby: its board, with both players and their clocks.

import "./board.js";
import { make } from "./elements.js";
import { looksOf } from "./looks.js";
import { clockText } from "./players.js";

export class GameBoard {
  #strips = [0, 1].map(() => make("div", { className: "strip" },
    make("span"), make("b", { className: "name" }), make("span", { className: "clock" }),
  ));
  #clocks = [];       // milliseconds left to the upper and the lower player; null without a clock
  #running = -1;      // whose clock is running
  #since = 0;         // when it was told

  // `isStill`: nobody plays on this board.
  constructor(isStill) {
    this.board = document.createElement("lab-board");
    this.board.toggleAttribute("still", isStill);
    this.element = make("article", {}, this.#strips[0], this.board, this.#strips[1]);
  }

  // Shows a game. The player of `side` sits at the lower edge.
  show(variant, { players, fen, last, plies, clocks, turn }, moves = [], side = "white") {
    this.board.show({ fen, looks: looksOf(variant), moves, last, isFlipped: side === "black" });
    this.element.dataset.plies = plies;
    const sides = side === "black" ? [0, 1] : [1, 0];
    this.#clocks = sides.map(index => clocks[index]);
    this.#running = sides.indexOf(turn === "black" ? 1 : 0);
    this.#since = performance.now();
    this.#strips.forEach(({ children: [dot, name] }, row) => {
      dot.className = `dot ${sides[row] ? "black" : "white"}`;
      name.textContent = players[sides[row]];
    });
    this.tick();
  }

  // Updates the clock that is running.
  tick() {
    this.#strips.forEach(({ children: [, , clock] }, row) => {
      const left = this.#clocks[row] ?? null;
      const isRunning = row === this.#running;
      clock.hidden = left === null;
      clock.textContent = clock.hidden ? "" : clockText(left - (isRunning ? performance.now() - this.#since : 0));
      clock.classList.toggle("running", isRunning);
    });
  }

  // Stops the clocks: the game is over.
  stop() {
    this.#clocks = [];
    this.tick();
  }
}
