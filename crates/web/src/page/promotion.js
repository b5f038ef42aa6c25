// The promotion dialog.

import { $, make } from "./elements.js";
import { drawing, pieceName } from "./looks.js";

// Asks which of several moves to play; null if the dialog is closed.
export function choosePromotion(moves, isBlack, looks) {
  const dialog = $("choice-dialog");
  // The most valuable piece first.
  const letters = [...looks.pieces.keys()].reverse();
  const sorted = moves.toSorted((a, b) => letters.indexOf(a.suffix) - letters.indexOf(b.suffix));
  return new Promise(done => {
    $("choices").replaceChildren(...sorted.map(move => {
      const letter = isBlack ? move.suffix.toLowerCase() : move.suffix.toUpperCase();
      const button = make("button", { type: "submit", className: "choice" });
      button.setAttribute("aria-label", letter ? pieceName(looks, letter) : move.text);
      button.append(letter ? drawing(looks, letter) : move.text);
      button.addEventListener("click", () => done(move));
      return button;
    }));
    // The event comes late: the dialog may be open again, for another move.
    dialog.onclose = () => dialog.open || done(null);
    dialog.showModal();
  });
}
