// The opening explorer: the moves played in the current position in the PGN files that the user has opened.

import { Connection } from "./connection.js";
import { $, make } from "./elements.js";
import { readText } from "./text-file.js";

// The maximum size of a request in bytes; small also where there is no limit, so that other requests are
// answered in between.
const MAX_BYTES = Math.min(Connection.maxBytes, 60_000);

// The size of a request without text.
const OVERHEAD = JSON.stringify({ do: "explore", pgn: "", first: false }).length;

let ask = () => {};
const pending = [];   // resolve the promises of requests, which are answered in order

const sizeOf = text => new Blob([JSON.stringify(text)]).size;

// Splits a PGN text before the tags of each game; parts that are too long, at every blank line.
function* splitGames(text) {
  for (const part of text.split(/(?:\r?\n[ \t]*){2,}(?=\[[A-Za-z])/)) {
    if (sizeOf(part) + OVERHEAD <= MAX_BYTES) yield part;
    else yield* part.split(/(?:\r?\n[ \t]*){2,}/);
  }
}

// Joins the parts to batches of the size of a request. A part that is too long is null.
function* batchesOf(text) {
  let [batch, length] = ["", OVERHEAD];
  for (const part of splitGames(text)) {
    const size = sizeOf(part) + 4;
    if (length + size > MAX_BYTES) {
      if (batch) yield batch;
      [batch, length] = ["", OVERHEAD];
    }
    if (length + size > MAX_BYTES) yield null;
    else [batch, length] = [batch + part + "\n\n", length + size];
  }
  if (batch) yield batch;
}

// Sends a request, and returns its answer; null if there is none.
function send(request) {
  return new Promise(resolve => {
    if (ask({ do: "explore", ...request })) pending.push(resolve);
    else resolve(null);
  });
}

const gamesText = games => (games === 1 ? "1 game" : `${games} games`);

function showCounts(games, leftOut) {
  $("explorer-state").textContent = `${gamesText(games)}${leftOut ? `, ${leftOut} left out` : ""}`;
}

// Sends the games of files. Returns the last answer, the number of games that are too long, and the problem
// if not all were sent: a file cannot be read, the connection was lost or a request refused.
async function sendAll(files) {
  let [answer, tooLong, sent] = [null, 0, 0];
  const start = performance.now();
  try {
    for (const file of files) {
      for (const batch of batchesOf(await readText(file))) {
        if (batch === null) {
          tooLong++;
          continue;
        }
        const delay = (1000 * (sent++ - Connection.burst)) / Connection.rate - (performance.now() - start);
        if (delay > 0) await new Promise(resolve => setTimeout(resolve, delay));
        const next = await send({ pgn: batch, first: !answer });
        if (!next) throw new Error("Not all games were read.");
        answer = next;
        $("explorer-state").textContent = `Reading ${file.name}: ${gamesText(answer.games)} …`;
      }
    }
  } catch ({ message }) {
    return { answer, tooLong, problem: message };
  }
  return { answer, tooLong };
}

async function open(files) {
  $("explorer-problem").textContent = "";
  setReading(true);
  const { answer, tooLong, problem } = await sendAll(files);
  setReading(false);
  if (answer) showCounts(answer.games, answer["left-out"]);
  if (problem) $("explorer-problem").textContent = problem;
  else if (tooLong) $("explorer-problem").textContent = `Too long to send: ${gamesText(tooLong)}.`;
}

// Other files wait until these have been read, and so does removing all.
function setReading(isReading) {
  $("explorer-files").disabled = $("explorer-close").disabled = isReading;
  if (!isReading) $("explorer-files").value = "";
}

// Called with the answer; without one if the request was refused or the connection lost.
export function onExplored(answer = null) {
  for (const resolve of pending.splice(0, answer ? 1 : pending.length)) resolve(answer);
}

export function setUpExplorer(request) {
  ask = request;
  $("explorer-files").addEventListener("change", () => open([...$("explorer-files").files]));
  $("explorer-close").addEventListener("click", () => {
    $("explorer-state").textContent = $("explorer-problem").textContent = "";
    send({ pgn: "", first: true });
  });
}

// The results of a move as a bar.
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
  if (!$("explorer-files").disabled) showCounts(explorer.all, explorer["left-out"]);
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
