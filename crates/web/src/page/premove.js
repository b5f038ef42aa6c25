// Premoves: moves chosen while the engine is thinking, and played when it has moved. Any squares can be
// chosen, as the legal moves are not known yet; an illegal premove is dropped.

import { colourOf } from "./looks.js";
import { readMove } from "./moves.js";
import { ownSide } from "./seats.js";

export class Premove {
  #squares = [];
  #ply = 0;        // of the position in which it was chosen
  #shownPly = 0;   // of the position on the board

  // `play` is called with a move.
  constructor(board, play) {
    this.board = board;
    board.addEventListener("free", event => this.#set(event.detail));
    board.addEventListener("keydown", event => event.key === "Escape" && this.cancel(), true);
    this.play = play;
  }

  // The squares that can be chosen while the opponent is to move, as `free` of the board's `show`; null if
  // premoves are not possible.
  choices(state, looks, isOn) {
    if (!isOn || state.paused || !this.#waits(state)) return null;
    const colour = state.person ?? "white";
    return { isOrigin: letter => colourOf(letter) === colour, steps: looks.steps.length || 1 };
  }

  // Updates the premove after a change of the game: plays it in its turn, or drops it if it is illegal or the
  // person looks back.
  show(state, looks) {
    this.#shownPly = state.ply;
    if (!this.#squares.length) return;
    if (state.end || state.paused) return this.cancel();
    // The board still has it.
    if (this.#waits(state)) return;
    if (state.ply !== this.#ply + 1 || state.ply < state.line.length) return this.cancel();
    const squares = this.#squares.join();
    const letters = [...looks.pieces.keys()];
    const moves = state.moves.map(readMove).filter(move => move.squares.join() === squares);
    // Promotes to the most valuable piece.
    moves.sort((a, b) => letters.indexOf(b.suffix) - letters.indexOf(a.suffix));
    this.cancel();
    if (moves[0]) this.play(moves[0].text);
  }

  // Whether the person is waiting for the opponent's move.
  #waits({ person, thinking, end, "side-to-move": turn }) {
    return !end && (thinking ? !!person : !!ownSide() && person === ownSide() && turn !== person);
  }

  #set(squares) {
    this.#squares = squares;
    this.#ply = this.#shownPly;
    this.board.setPremove(squares);
  }

  // Cancels the premove; returns whether there was one.
  cancel() {
    const had = this.#squares.length > 0;
    this.#squares = [];
    if (had) this.board.setPremove([]);
    return had;
  }
}
