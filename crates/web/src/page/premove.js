// A move that a person chooses while the engine thinks, to be played when it is their turn. Nobody knows then
// what will be legal, so any square may be chosen, and the move is dropped if it is not.

import { colourOf } from "./looks.js";
import { readMove } from "./moves.js";

export class Premove {
  #squares = [];

  // `play` is called with a move.
  constructor(board, play) {
    this.board = board;
    board.addEventListener("free", event => this.#set(event.detail));
    board.addEventListener("keydown", event => event.key === "Escape" && this.cancel(), true);
    this.play = play;
  }

  // What may be chosen on the board while an engine thinks; null if nothing.
  choices(state, looks, isOn) {
    const index = state.players.indexOf("person");
    const isWaiting = isOn && state.thinking && !state.paused && index >= 0;
    if (!isWaiting) return null;
    const colour = index ? "black" : "white";
    return { isOrigin: letter => colourOf(letter) === colour, steps: looks.steps.length || 1 };
  }

  // Follows the game: plays the move when it is time, and drops it if it is not legal.
  show(state, looks) {
    if (!this.#squares.length) return;
    if (state.end || state.paused) return this.cancel();
    if (state.thinking) return this.board.setPremove(this.#squares);
    const squares = this.#squares.join();
    const letters = [...looks.pieces.keys()];
    const moves = state.moves.map(readMove).filter(move => move.squares.join() === squares);
    // The most valuable piece of a promotion.
    moves.sort((a, b) => letters.indexOf(b.suffix) - letters.indexOf(a.suffix));
    this.cancel();
    if (moves[0]) this.play(moves[0].text);
  }

  #set(squares) {
    this.#squares = squares;
    this.board.setPremove(squares);
  }

  // Whether there was one.
  cancel() {
    const was = this.#squares.length > 0;
    this.#squares = [];
    if (was) this.board.setPremove([]);
    return was;
  }
}
