// The dialog for a new game.

import { check } from "./check.js";
import { COUNT, startPosition } from "./chess960.js";
import { waitFor } from "./dialogs.js";
import { $, make } from "./elements.js";
import { looksOf } from "./looks.js";
import { fillPlayers } from "./players.js";

// The labels of options and their values.
const OPTIONS = { UCI_Chess960: "Chess960", AmazonsBoard: "Board" };
const valueText = value => ({ true: "on", false: "off" })[value] ?? value.replace(/^(\d+)x(\d+)$/, "$1 × $2");

// The number of values in the main list of an option; further ones, less common, are in a group.
const MAX_VALUES = 12;

// `begin` sends a request; false without a connection. `editor` sets up a position.
export class NewGame {
  #games = [];
  #game = "";

  #checks = 0;
  #state = null;

  constructor(begin, editor) {
    this.dialog = $("new-dialog");
    $("option").addEventListener("change", () => {
      this.#showNumber();
      this.#setFen("");
    });
    $("fen").addEventListener("input", () => this.#check());
    $("start-number").addEventListener("input", () => this.#setNumber());
    $("random-number").addEventListener("click", () => {
      $("start-number").value = Math.floor(Math.random() * COUNT);
      this.#setNumber();
    });
    $("use-board").addEventListener("click", () => this.#setFen(this.#state.fen));
    $("set-up").addEventListener("click", () => {
      const position = { game: this.#game, option: $("option").value, fen: $("fen").value.trim() };
      editor.open(position, fen => this.#setFen(fen));
    });
    this.dialog.querySelector("form").addEventListener("submit", event => {
      event.preventDefault();
      const option = $("option").value;
      const isSent = begin({
        do: "new",
        game: this.#game,
        ...(option ? { option } : {}),
        ...($("fen").value.trim() ? { fen: $("fen").value.trim() } : {}),
        ...($("opening").value ? { opening: Number($("opening").value) } : {}),
        players: [$("new-white").value, $("new-black").value],
        ...(this.#clock() ? { clock: this.#clock() } : {}),
      });
      if (isSent) waitFor(this.dialog);
    });
  }

  // Fills in a position; empty for the start position.
  #setFen(fen) {
    $("fen").value = fen;
    this.#check();
  }

  // Clears a position that does not fit the game.
  async #clearUnfitFen() {
    const fen = $("fen").value;
    await this.#check();
    if (fen && $("fen").value === fen && $("new-problem").textContent) this.#setFen("");
  }

  // Shows what is wrong with the position.
  async #check() {
    const number = ++this.#checks;
    const [option, fen] = [$("option").value, $("fen").value.trim()];
    const answer = fen ? await check({ game: this.#game, ...(option ? { option } : {}), fen }) : {};
    if (number === this.#checks) $("new-problem").textContent = answer.problem ?? "";
  }

  // Fills in the Chess960 position of the number in its field.
  #setNumber() {
    const { value } = $("start-number");
    const isNumber = value !== "" && Number.isInteger(Number(value)) && value >= 0 && value < COUNT;
    if (isNumber) this.#setFen(startPosition(Number(value)));
    else if (value !== "") $("new-problem").textContent = `Positions are numbered from 0 to ${COUNT - 1}.`;
  }

  // Shows the number of the position only for Chess960.
  #showNumber() {
    $("start-number").value = "";
    $("number-row").hidden = this.#game !== "chess" || $("option").value !== "true";
  }

  // The time control; null if both fields are empty.
  #clock() {
    const [minutes, increment] = [$("minutes").value, $("increment").value];
    return minutes || increment ? { minutes: Number(minutes), increment: Number(increment) } : null;
  }

  open(games, state) {
    this.#games = games;
    this.#state = state;
    $("games").replaceChildren(...games.map(({ game }) => {
      const { title, hint } = looksOf(game);
      const input = make("input", { type: "radio", name: "game", value: game, checked: game === state.game });
      input.addEventListener("change", () => {
        this.#choose(game);
        this.#clearUnfitFen();
      });
      return make("label", {}, input, make("b", {}, title), make("small", {}, hint));
    }));
    $("fen").value = "";
    $("opening").value = "";
    $("new-problem").textContent = "";
    this.#choose(state.game, state.players);
    this.dialog.showModal();
  }

  #choose(game, players) {
    const offer = this.#games.find(offer => offer.game === game);
    const { option, levels } = offer;
    const middle = levels[Math.floor(levels.length / 2) - 1];
    this.#game = game;
    fillPlayers($("new-white"), offer, players?.[0] ?? "person");
    fillPlayers($("new-black"), offer, players?.[1] ?? middle);
    $("option-label").hidden = !option;
    const values = option?.values ?? [];
    const options = values.map((value, index) => make("option", { value: index ? value : "" }, valueText(value)));
    const [usual, others] = [options.slice(0, MAX_VALUES), options.slice(MAX_VALUES)];
    $("option").replaceChildren(...usual);
    if (others.length) $("option").append(make("optgroup", { label: "others" }, ...others));
    $("option-label").firstChild.textContent = option ? `${OPTIONS[option.name] ?? option.name} ` : "";
    if (game === this.#state.game && this.#state.option) $("option").value = this.#state.option;
    this.#showNumber();
    $("use-board").hidden = game !== this.#state.game;
    this.#check();
  }
}
