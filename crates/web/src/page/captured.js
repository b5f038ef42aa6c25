// Captured pieces: those of the start position that are no longer on the board.

import { make } from "./elements.js";
import { drawing, pieceName } from "./looks.js";
import { readFen } from "./moves.js";

// The pieces that a player has lost, the least valuable first. A promoted piece counts as its pawn.
function lostBy(start, now, looks, isBlack) {
  const count = (fen, letter) => [...readFen(fen).pieces.values()].filter(piece => piece === letter).length;
  const letters = [...looks.pieces.keys()].filter(letter => letter !== letter.toUpperCase());
  const lost = letters.map(letter => {
    const own = isBlack ? letter : letter.toUpperCase();
    return { letter: own, count: count(start, own) - count(now, own) };
  });
  const promoted = lost.reduce((sum, { count }) => sum + Math.max(0, -count), 0);
  if (lost.length) lost[0].count -= promoted;
  return lost.filter(({ count }) => count > 0);
}

// Shows the pieces that a player has captured.
export function showCaptured(element, state, looks, side) {
  const lost = lostBy(state.start, state.fen, looks, side === 0);
  const text = JSON.stringify(lost) + state.game;
  if (element.dataset.lost === text) return;
  element.dataset.lost = text;
  element.replaceChildren(...lost.map(({ letter, count }) =>
    make("span", { className: "taken" }, ...Array.from({ length: count }, () => drawing(looks, letter)))));
  const words = lost.map(({ letter, count }) => `${count} ${pieceName(looks, letter)}`);
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words.length ? `Taken: ${words.join(", ")}` : "Nothing taken");
}
