// The parts of the page around the board.

import { looksOf } from "./looks.js";
import { readFen } from "./moves.js";

export const $ = id => document.getElementById(id);

// Makes an element with properties and children.
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// How a player is called on the page.
export function playerName(player) {
  return player === "person" ? "Person" : `Labrys, ${player}`;
}

// Fills a list of players with those of a game.
export function fillPlayers(select, levels, chosen) {
  const players = ["person", ...levels];
  if (select.dataset.players !== players.join()) {
    select.dataset.players = players.join();
    select.replaceChildren(...players.map(player => make("option", { value: player }, playerName(player))));
  }
  if (players.includes(chosen)) select.value = chosen;
}

// The strip of a player above or below the board. `choose` is called with another player.
export class Strip {
  constructor(element, choose) {
    this.dot = make("span", { className: "dot" });
    this.select = make("select");
    this.points = make("span", { className: "points" });
    this.turn = make("span", { className: "turn" });
    this.select.addEventListener("change", () => choose(this.side, this.select.value));
    element.append(this.dot, this.select, this.points, this.turn);
  }

  show(state, levels, side) {
    const isTurn = !state.end && (state["side-to-move"] === "black") === (side === 1);
    this.side = side;
    this.dot.className = `dot ${side ? "black" : "white"}`;
    this.select.setAttribute("aria-label", side ? "Player of Black" : "Player of White");
    fillPlayers(this.select, levels, state.players[side]);
    const points = looksOf(state.game).points?.(readFen(state.fen).fields)[side];
    this.points.textContent = points === undefined ? "" : `${points} ${points === "1" ? "point" : "points"}`;
    this.turn.textContent = !isTurn ? "" : state.thinking ? "thinking …" : "to move";
    this.turn.classList.toggle("thinking", isTurn && state.thinking);
  }
}

// The list of moves. `show` is called with the node of a move that is clicked.
export function showHistory(list, state, show) {
  const rows = [];
  const button = (move, className) => {
    const element = make("button", { type: "button", className, title: move.text }, move.text);
    element.addEventListener("click", () => show(move.node));
    return element;
  };
  let row = null;
  state.line.forEach((move, index) => {
    const ply = state["first-ply"] + index;
    if (!row || ply % 2 === 0) {
      row = make("li", {}, make("span", { className: "number" }, `${1 + Math.floor(ply / 2)}.`));
      if (ply % 2) row.append(make("span", { className: "gap" }, "…"));
      rows.push(row);
    }
    const element = button(move, "move");
    if (index + 1 === state.ply) element.setAttribute("aria-current", "true");
    row.append(element);
    if (move.others) {
      const others = move.others.map(other => button(other, "other"));
      row.append(make("span", { className: "others" }, "or ", ...others));
      row = null;
    }
  });
  list.replaceChildren(...rows);
  const current = list.querySelector("[aria-current]");
  if (!current) return void (list.scrollTop = 0);
  // Scroll the list alone, not the page.
  const offset = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (offset < 0 || offset > list.clientHeight - 32) list.scrollTop += offset - list.clientHeight / 2;
}

// The evaluation of a search in the units of the board, from White's point of view.
export function scoreText(score) {
  const [kind, value] = score.split(" ");
  if (kind === "mate") return `${Number(value) < 0 ? "−" : "+"}M${Math.abs(value)}`;
  const units = Number(value) / 100;
  return (units < 0 ? "−" : "+") + Math.abs(units).toFixed(2);
}

// A number in few letters: 12, 3.4 k, 5.6 M.
export function countText(count) {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} k` : `${(count / 1e6).toFixed(1)} M`;
}

// The dialog for a new game. `begin` is called with a request.
export class NewGame {
  #games = [];
  #game = "";

  constructor(begin) {
    this.dialog = $("new-dialog");
    this.dialog.querySelector("form").addEventListener("submit", event => {
      event.preventDefault();
      const option = $("option").value;
      begin({
        do: "new",
        game: this.#game,
        ...(option ? { option } : {}),
        ...($("fen").value.trim() ? { fen: $("fen").value.trim() } : {}),
        players: [$("new-white").value, $("new-black").value],
      });
    });
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
    $("option").replaceChildren(...options);
    $("option-label").firstChild.textContent = option ? `${option.name} ` : "";
  }
}
