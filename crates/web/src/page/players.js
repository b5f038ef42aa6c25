// The players: lists to choose from, and the strips above and below the board.

import { showCaptured } from "./captured.js";
import { make } from "./elements.js";
import { looksOf } from "./looks.js";
import { readFen } from "./moves.js";
import { isOwner } from "./seats.js";

// The engines of the server, by name; other players are a person or a level.
export let engines = [];
export function setEngines(names) {
  engines = names;
}

// The label of a player.
export function playerName(player) {
  if (player === "person") return "Person";
  return engines.includes(player) ? player : `Labrys, ${player}`;
}

// Fills a list with the players of a game. The current player is always included.
export function fillPlayers(select, offer, chosen) {
  const players = ["person", ...offer.levels, ...offer.engines];
  if (engines.includes(chosen) && !players.includes(chosen)) players.push(chosen);
  if (select.dataset.players !== players.join()) {
    select.dataset.players = players.join();
    select.replaceChildren(...players.map(player => make("option", { value: player }, playerName(player))));
  }
  if (players.includes(chosen)) select.value = chosen;
}

// Formats a clock: 1:05:09, 4:03; below twenty seconds with tenths.
export function clockText(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  const two = number => String(Math.floor(number)).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  if (seconds >= 20) return `${minutes}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}.${Math.floor((seconds * 10) % 10)}`;
}

// A player's clock in the current position by the `[%clk]` of the moves; null if there is none.
function recordedTime(state, side) {
  const moves = new Map(state.tree.map(move => [move.node, move]));
  for (let index = state.ply - 1; index >= 0; index--) {
    const left = (state["first-ply"] + index) % 2 === side ? moves.get(state.line[index].node)?.left : undefined;
    if (left !== undefined) return { left, runs: false, since: 0 };
  }
  return null;
}

// The strip of a player. `choose` is called with a side and its new player.
export class Strip {
  constructor(element, choose) {
    this.dot = make("span", { className: "dot" });
    this.select = make("select");
    this.name = make("b", { className: "name" });
    this.captured = make("span", { className: "captured" });
    this.result = make("b", { className: "result" });
    this.points = make("span", { className: "points" });
    this.turn = make("span", { className: "turn" });
    this.clock = make("span", { className: "clock" });
    this.clock.setAttribute("role", "timer");
    this.select.addEventListener("change", () => choose(this.side, this.select.value));
    element.append(this.dot, this.result, this.name, this.select, this.captured, this.points, this.turn, this.clock);
  }

  show(state, offer, side, since) {
    const isTurn = !state.end && (state["side-to-move"] === "black") === (side === 1);
    this.side = side;
    this.dot.className = `dot ${side ? "black" : "white"}`;
    this.select.setAttribute("aria-label", side ? "Player of Black" : "Player of White");
    fillPlayers(this.select, offer, state.players[side]);
    this.select.disabled = !isOwner();
    const { names, result, tags } = state.record;
    const elo = tags.find(([name]) => name === (side ? "BlackElo" : "WhiteElo"))?.[1];
    const isNamed = !!names[side] && names[side] !== "?";
    this.name.textContent = isNamed ? names[side] + (elo ? ` (${elo})` : "") : "";
    this.name.title = this.name.textContent;
    this.name.hidden = !isNamed;
    this.select.classList.toggle("beside", isNamed);
    this.result.textContent = { "1-0": ["1", "0"], "0-1": ["0", "1"], "1/2-1/2": ["½", "½"] }[result]?.[side] ?? "";
    showCaptured(this.captured, state, looksOf(state.game), side);
    const field = looksOf(state.game).points?.[side];
    const points = field === undefined ? undefined : readFen(state.fen).fields[field];
    this.points.textContent = points === undefined ? "" : `${points} ${points === "1" ? "point" : "points"}`;
    this.turn.textContent = !isTurn ? "" : state.thinking ? "thinking …" : "to move";
    this.turn.classList.toggle("thinking", isTurn && state.thinking);
    this.time = state.clock
      ? { left: state.clock.left[side], runs: isTurn && state.clock.running, since }
      : recordedTime(state, side);
    this.clock.setAttribute("aria-label", side ? "Clock of Black" : "Clock of White");
    this.clock.hidden = !this.time;
    this.tick();
  }

  // Updates the time left.
  tick() {
    if (!this.time) return;
    const { left, runs, since } = this.time;
    const now = left - (runs ? performance.now() - since : 0);
    this.clock.textContent = clockText(now);
    this.clock.classList.toggle("running", runs);
    this.clock.classList.toggle("short", runs && now < 20000);
  }
}
