// How players end a game, and begin it again: giving up, a draw, a rematch with the colours swapped.

import { $ } from "./elements.js";

// Asks before something is done that cannot be undone.
function confirm(text, act) {
  const dialog = $("confirm-dialog");
  $("confirm-text").textContent = text;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && act(), { once: true });
  dialog.showModal();
}

// The request that begins the game again, with the players on the other sides.
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

// `ask` sends a request, `current` is the state of the game.
export function setUpEnding(ask, current) {
  const onClick = (id, act) => $(id).addEventListener("click", () => current() && act(current()));
  onClick("resign", ({ person, "side-to-move": side }) => {
    const who = person ? "You give" : `${side === "black" ? "Black" : "White"} gives`;
    confirm(`${who} the game up?`, () => ask({ do: "resign" }));
  });
  onClick("draw", ({ person }) => {
    if (person) ask({ do: "draw" });
    else confirm("Do both players agree on a draw?", () => ask({ do: "draw" }));
  });
  onClick("rematch", state => ask(rematch(state)));
}
