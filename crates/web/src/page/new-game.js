// The dialog for a new game.

import { waitFor } from "./dialogs.js";
import { $, make } from "./elements.js";
import { looksOf } from "./looks.js";
import { fillPlayers } from "./players.js";

// The most values of an option in one list: what is beyond them is set apart. The usual values are the first.
const MOST_VALUES = 12;

// `begin` is called with a request.
export class NewGame {
  #games = [];
  #game = "";

  constructor(begin) {
    this.dialog = $("new-dialog");
    this.dialog.querySelector("form").addEventListener("submit", event => {
      event.preventDefault();
      const option = $("option").value;
      waitFor(this.dialog);
      begin({
        do: "new",
        game: this.#game,
        ...(option ? { option } : {}),
        ...($("fen").value.trim() ? { fen: $("fen").value.trim() } : {}),
        ...($("opening").value ? { opening: Number($("opening").value) } : {}),
        players: [$("new-white").value, $("new-black").value],
        ...(this.#clock() ? { clock: this.#clock() } : {}),
      });
    });
  }

  // The time of each player; none where both fields are empty.
  #clock() {
    const [minutes, increment] = [$("minutes").value, $("increment").value];
    return minutes || increment ? { minutes: Number(minutes), increment: Number(increment) } : null;
  }

  open(games, state) {
    this.#games = games;
    $("games").replaceChildren(...games.map(({ game }) => {
      const { title, hint } = looksOf(game);
      const input = make("input", { type: "radio", name: "game", value: game, checked: game === state.game });
      input.addEventListener("change", () => this.#choose(game));
      return make("label", {}, input, make("b", {}, title), make("small", {}, hint));
    }));
    $("fen").value = "";
    $("opening").value = "";
    $("new-problem").textContent = "";
    this.#choose(state.game, state.players);
    this.dialog.showModal();
  }

  #choose(game, players) {
    const { option, levels } = this.#games.find(offer => offer.game === game);
    const middle = levels[Math.floor(levels.length / 2) - 1];
    this.#game = game;
    fillPlayers($("new-white"), levels, players?.[0] ?? "person");
    fillPlayers($("new-black"), levels, players?.[1] ?? middle);
    $("option-label").hidden = !option;
    const values = option?.values ?? [];
    const isCheck = values[0] === "false";
    const text = value => (isCheck ? (value === "true" ? "on" : "off") : value);
    const options = values.map((value, index) => make("option", { value: index ? value : "" }, text(value)));
    const [usual, others] = [options.slice(0, MOST_VALUES), options.slice(MOST_VALUES)];
    $("option").replaceChildren(...usual);
    if (others.length) $("option").append(make("optgroup", { label: "others" }, ...others));
    $("option-label").firstChild.textContent = option ? `${option.name} ` : "";
  }
}
