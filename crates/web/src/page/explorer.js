// The explorer: what the records that somebody has opened have played in the position on the board.

import { Connection } from "./connection.js";
import { $, make } from "./elements.js";

// The most bytes of a request with games: a server takes no longer ones, and answers others in between.
const LONGEST = Math.min(Connection.longest, 60_000);

// What a request has beside the text.
const ENVELOPE = JSON.stringify({ do: "explore", pgn: "", first: false }).length;

let ask = () => {};
let heard = null;   // takes the answer to the last request

const sizeOf = text => new Blob([JSON.stringify(text)]).size;

// The parts of a PGN text: between a blank line and the tags of the next game; where that is too long, between
// blank lines.
function* partsOf(text) {
  for (const part of text.split(/(?:\r?\n[ \t]*){2,}(?=\[[A-Za-z])/)) {
    if (sizeOf(part) + ENVELOPE <= LONGEST) yield part;
    else yield* part.split(/(?:\r?\n[ \t]*){2,}/);
  }
}

// The same put together again, up to the length of a request. A game that is too long by itself is null.
function* piecesOf(text) {
  let [piece, length] = ["", ENVELOPE];
  for (const part of partsOf(text)) {
    const size = sizeOf(part) + 4;
    if (length + size > LONGEST) {
      if (piece) yield piece;
      [piece, length] = ["", ENVELOPE];
    }
    if (length + size > LONGEST) yield null;
    else [piece, length] = [piece + part + "\n\n", length + size];
  }
  if (piece) yield piece;
}

// The answer to a request.
function send(request) {
  return new Promise(resolve => {
    heard = resolve;
    if (!ask({ do: "explore", ...request })) resolve(null);
  });
}

const counted = games => (games === 1 ? "1 game" : `${games} games`);

function tell(games, leftOut) {
  $("explorer-state").textContent = `${counted(games)}${leftOut ? `, ${leftOut} left out` : ""}`;
}

// Sends the games of files. Returns the last answer, and how many games are too long to be sent; null if an
// answer has not come.
async function sendAll(files) {
  let [answer, tooLong, sent] = [null, 0, 0];
  const start = performance.now();
  for (const file of files) {
    for (const piece of piecesOf(await file.text())) {
      if (piece === null) {
        tooLong++;
        continue;
      }
      const early = (1000 * (sent++ - Connection.burst)) / Connection.rate - (performance.now() - start);
      if (early > 0) await new Promise(resolve => setTimeout(resolve, early));
      answer = await send({ pgn: piece, first: !answer });
      if (!answer) return null;
      $("explorer-state").textContent = `Reading ${file.name}: ${counted(answer.games)} …`;
    }
  }
  return { answer, tooLong };
}

async function open(files) {
  $("explorer-problem").textContent = "";
  $("explorer-files").disabled = true;
  const sent = await sendAll(files);
  $("explorer-files").disabled = false;
  $("explorer-files").value = "";
  const { answer, tooLong } = sent ?? {};
  if (answer) tell(answer.games, answer["left-out"]);
  if (!sent) $("explorer-problem").textContent = "Not all games were read.";
  else if (tooLong) $("explorer-problem").textContent = `Too long to be sent: ${counted(tooLong)}.`;
}

// The answer has come, or none will: the request was refused, or the connection lost.
export function explored(answer = null) {
  heard?.(answer);
  heard = null;
}

export function setUpExplorer(request) {
  ask = request;
  $("explorer-files").addEventListener("change", () => open([...$("explorer-files").files]));
  $("explorer-close").addEventListener("click", () => {
    $("explorer-state").textContent = $("explorer-problem").textContent = "";
    send({ pgn: "", first: true });
  });
}

// The results of the games with a move, as a bar.
function bar({ white, draws, black, games }) {
  const parts = [["white", white], ["draw", draws], ["black", black]].filter(([, count]) => count);
  const words = `White wins ${white}, draws ${draws}, Black wins ${black}`;
  const element = make("span", { className: "results", title: words }, ...parts.map(([name, count]) => {
    const part = make("span", { className: name }, count >= games / 5 ? `${Math.round((100 * count) / games)} %` : "");
    part.style.flexGrow = count;
    return part;
  }));
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words);
  return element;
}

export function showExplorer({ explorer, node, end, thinking }) {
  $("explorer-close").hidden = $("explorer-here").hidden = !explorer;
  $("explorer-moves").replaceChildren();
  $("explorer-games").replaceChildren();
  if (!explorer) return;
  if (!$("explorer-files").disabled) tell(explorer.all, explorer["left-out"]);
  $("explorer-here").textContent = explorer.here ? `${explorer.here} with this position` : "None with this position";
  $("explorer-moves").append(...explorer.moves.map(move => {
    const button = make("button", { type: "button", disabled: !!end || thinking }, move.text);
    button.dataset.move = move.move;
    button.addEventListener("click", () => ask({ do: "play", node, move: move.move }));
    return make("li", {}, button, make("span", { className: "count" }, String(move.games)), bar(move));
  }));
  $("explorer-games").append(...explorer.list.map(({ game, players, result, date }) => {
    const year = /^\d/.test(date) ? ` ${date.split(".")[0]}` : "";
    const button = make("button", { type: "button" }, `${players.join(" – ")} `, make("b", {}, result), make("small", {}, year));
    button.addEventListener("click", () => ask({ do: "explored", game }));
    return make("li", {}, button);
  }));
  const others = explorer.here - explorer.list.length;
  if (others > 0) $("explorer-games").append(make("li", {}, `… and ${others} more`));
}
