// Resigning, draws, and rematches with the colours swapped.

import { $ } from "./elements.js";

// Asks for confirmation.
function confirm(text, act) {
  const dialog = $("confirm-dialog");
  $("confirm-text").textContent = text;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && act(), { once: true });
  dialog.showModal();
}

// The request for a rematch.
function rematch(state) {
  const [minutes, increment] = state.clock?.text.split("+").map(Number) ?? [];
  return {
    do: "new",
    game: state.game,
    ...(state.option ? { option: state.option } : {}),
    fen: state.start,
    players: state.players.toReversed(),
    ...(state.clock ? { clock: { minutes, increment } } : {}),
  };
}

export function showEnding(state) {
  $("resign").hidden = $("draw").hidden = !state.players.includes("person") || !!state.end;
  $("draw").textContent = state.person ? "Offer a draw" : "Draw";
  $("rematch").hidden = !state.end;
}

// `ask` sends a request, `current` returns the state of the game.
export function setUpEnding(ask, current) {
  const onClick = (id, act) => $(id).addEventListener("click", () => current() && act(current()));
  onClick("resign", ({ person, "side-to-move": side }) => {
    const question = person ? "Resign?" : `${side === "black" ? "Black" : "White"} resigns?`;
    confirm(question, () => ask({ do: "resign" }));
  });
  onClick("draw", ({ person }) => {
    if (person) ask({ do: "draw" });
    else confirm("Do both players agree on a draw?", () => ask({ do: "draw" }));
  });
  onClick("rematch", state => ask(rematch(state)));
}
