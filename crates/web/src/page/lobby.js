// The page of a lobby: the table and the boards of the games being played, asked for once a second.

import "./board.js";
import { $, make } from "./elements.js";
import { looksOf, setLooks } from "./looks.js";
import { clockText } from "./players.js";

const INTERVAL = 1000;

// The boards on the page, by the number of their game.
const boards = new Map();

// A number with its sign.
const signed = number => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(0)}`;

function showTable({ table, present, finished }) {
  const rated = table.map(({ name, "is-present": isPresent, wins, draws, losses, elo, "elo-error": error }) => {
    const games = wins + draws + losses;
    return [isPresent, name, games, wins, draws, losses, games ? `${signed(elo)} ± ${error.toFixed(0)}` : ""];
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

// The board of a game with its players.
function newBoard() {
  const strips = [1, 0].map(side => make("div", { className: "strip" },
    make("span", { className: `dot ${side ? "black" : "white"}` }),
    make("b", { className: "name" }),
    make("span", { className: "clock" }),
  ));
  const board = document.createElement("lab-board");
  board.setAttribute("still", "");
  const element = make("article", {}, strips[0], board, strips[1]);
  $("live").append(element);
  return { element, board, strips };
}

function showGames({ game, games }) {
  for (const [id, { element }] of boards) {
    if (games.some(game => game.id === id)) continue;
    element.remove();
    boards.delete(id);
  }
  for (const { id, players, fen, last, clocks, turn } of games) {
    if (!boards.has(id)) boards.set(id, newBoard());
    const { board, strips } = boards.get(id);
    board.show({ fen, looks: looksOf(game), last });
    strips.forEach((strip, index) => {
      const side = 1 - index;
      const [, name, clock] = strip.children;
      name.textContent = players[side];
      clock.hidden = clocks[side] === null;
      clock.textContent = clock.hidden ? "" : clockText(clocks[side]);
      clock.classList.toggle("running", (turn === "black") === (side === 1));
    });
  }
}

async function update() {
  try {
    const answer = await fetch("lobby.json", { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const { looks, lobby } = await answer.json();
    setLooks(looks);
    $("title").textContent = looksOf(lobby.game).title;
    showTable(lobby);
    showGames(lobby);
    $("toast").hidden = true;
  } catch {
    $("toast").textContent = "Connection lost. Reconnecting …";
    $("toast").hidden = false;
  }
  setTimeout(update, INTERVAL);
}

update();
