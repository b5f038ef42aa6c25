// Resigning, draws, and rematches with the colours swapped.

import { $ } from "./elements.js";
import { isSpectator, ownSide } from "./seats.js";

// Asks for confirmation.
export function confirm(text, act) {
  const dialog = $("confirm-dialog");
  $("confirm-text").textContent = text;
  // The event `close` comes late: the dialog may be open again, with another question.
  dialog.onsubmit = ({ submitter }) => {
    if (submitter.value === "yes") act();
  };
  dialog.showModal();
}

const COLOURS = { white: "White", black: "Black" };

// The pending offer of a player.
export function offerText(state) {
  const { "draw-offer": draw, rematch } = state;
  if (draw) return ` ${COLOURS[draw]} offers a draw.`;
  return rematch ? ` ${COLOURS[rematch]} offers a rematch.` : "";
}

export function showEnding(state) {
  const { "draw-offer": draw, end, person, players, rematch, seats } = state;
  const plays = seats ? !!ownSide() : players.includes("person");
  $("resign").hidden = $("draw").hidden = !plays || !!end;
  $("draw").textContent = draw && draw !== person ? "Accept the draw" : person ? "Offer a draw" : "Draw";
  $("draw").disabled = !!draw && draw === person;
  $("rematch").hidden = !end || isSpectator();
  $("rematch").textContent = rematch && rematch !== ownSide() ? "Accept the rematch" : "Rematch";
  $("rematch").disabled = !!rematch && rematch === ownSide();
}

// `ask` sends a request, `current` returns the state of the game.
export function setUpEnding(ask, current) {
  const onClick = (id, act) => $(id).addEventListener("click", () => current() && act(current()));
  onClick("resign", ({ person, "side-to-move": side }) => {
    const question = person ? "Resign?" : `${COLOURS[side]} resigns?`;
    confirm(question, () => ask({ do: "resign" }));
  });
  onClick("draw", ({ person }) => {
    if (person) ask({ do: "draw" });
    else confirm("Do both players agree on a draw?", () => ask({ do: "draw" }));
  });
  onClick("rematch", () => ask({ do: "rematch" }));
}
