// The page of a lobby: the table and the boards of the games being played, asked for once a second.

import { $, make } from "./elements.js";
import { GameBoard } from "./lobby-board.js";
import { setUpSeat } from "./lobby-seat.js";
import { looksOf, setLooks } from "./looks.js";

const INTERVAL = 1000;

// The boards on the page, by the number of their game.
const boards = new Map();

// A number with its sign.
const signed = number => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(0)}`;

function showTable({ table, present, finished }) {
  const rated = table.map(({ name, "is-present": isPresent, wins, draws, losses, elo, "elo-error": error }) => {
    const games = wins + draws + losses;
    // JSON has no infinity.
    const within = error === null ? "∞" : error.toFixed(0);
    return [isPresent, name, games, wins, draws, losses, games ? `${signed(elo)} ± ${within}` : ""];
  });
  // Those whose pairs of games are not complete yet.
  const others = present.filter(name => !table.some(row => row.name === name));
  const rows = [...rated, ...others.map(name => [true, name, 0, 0, 0, 0, ""])];
  $("table").replaceChildren(...rows.map(([isPresent, name, ...cells]) => make("tr", {},
    make("td", { className: isPresent ? "present" : "", title: isPresent ? "connected" : "away" }),
    make("th", { scope: "row" }, name),
    ...cells.map(cell => make("td", {}, String(cell))),
  )));
  $("finished").textContent = `${finished} ${finished === 1 ? "game" : "games"} finished`;
}

function showGames({ game: variant, games }) {
  for (const [id, { element }] of boards) {
    if (games.some(game => game.id === id)) continue;
    element.remove();
    boards.delete(id);
  }
  for (const game of games) {
    if (!boards.has(game.id)) {
      boards.set(game.id, new GameBoard(true));
      $("live").append(boards.get(game.id).element);
    }
    boards.get(game.id).show(variant, game);
  }
}

async function fetchJson(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

let hasLooks = false;   // how the games look does not change
let hasSeat = false;    // whether the seat has been set up

async function update() {
  try {
    if (!hasLooks) setLooks(await fetchJson("games.json"));
    hasLooks = true;
    const lobby = await fetchJson("lobby.json");
    $("title").textContent = looksOf(lobby.game).title;
    showTable(lobby);
    showGames(lobby);
    if (lobby["has-people"] && !hasSeat) setUpSeat();
    hasSeat ||= lobby["has-people"];
    $("play").hidden = !lobby["has-people"];
    $("toast").hidden = true;
  } catch {
    $("toast").textContent = "Connection lost. Reconnecting …";
    $("toast").hidden = false;
  }
  setTimeout(update, INTERVAL);
}

update();
