// The folder of a match or a training: its files, their games, curves and charts, and a search for games.

import { waitFor } from "./dialogs.js";
import { $, draw, make } from "./elements.js";
import { looksOf } from "./looks.js";

let ask = () => {};
let asked = null;   // the name of the file that was asked for; none after a search
let shown = null;   // its last message `file`
let column = "";    // the selected column of a table
let searches = 0;   // how many were begun or called off: the answer is to the last one

export function setUpFolder(send) {
  ask = send;
  $("folder-dialog").addEventListener("close", () => ask({ do: "open" }));
  $("search-games").addEventListener("submit", event => {
    event.preventDefault();
    search();
  });
  $("column").addEventListener("change", () => {
    column = $("column").value;
    if (shown?.content.table) showTable(shown.content.table);
  });
}

export function openFolder(games) {
  asked = shown = null;
  searches++;
  $("search-export").hidden = true;
  $("search-variant").replaceChildren(
    make("option", { value: "" }, "any"),
    ...games.map(({ game }) => make("option", { value: game }, looksOf(game).title)),
  );
  $("file-name").textContent = $("folder-problem").textContent = "";
  $("file-content").replaceChildren();
  $("column-label").hidden = true;
  ask({ do: "files" });
  $("folder-dialog").showModal();
}

// The games that a search has found, or why there are none.
async function find(query) {
  try {
    const answer = await fetch(`search.json?${query}`);
    return answer.ok ? await answer.json() : { problem: await answer.text() };
  } catch (error) {
    return { problem: error.message };
  }
}

// Searches for games by the fields that are not empty.
async function search() {
  const number = ++searches;
  const fields = [...new FormData($("search-games"))].filter(([, value]) => value.trim());
  const query = new URLSearchParams(fields);
  // The open file would be shown anew when it changes.
  ask({ do: "open" });
  asked = shown = null;
  $("column-label").hidden = $("search-export").hidden = true;
  $("file-content").replaceChildren();
  $("file-name").textContent = "Searching …";
  const { problem, hits, "is-cut": isCut, unreadable } = await find(query);
  // Meanwhile a file was opened, or another search begun.
  if (number !== searches) return;
  if (problem !== undefined) {
    $("file-name").textContent = "";
    $("folder-problem").textContent = problem;
    return;
  }
  const notes = isCut ? [`The first ${hits.length} games are shown.`] : [];
  if (unreadable) notes.push(`Files or games that cannot be read: ${unreadable}.`);
  $("folder-problem").textContent = notes.join(" ");
  $("file-name").textContent = hits.length === 1 ? "1 game found" : `${hits.length} games found`;
  $("search-export").href = `search.pgn?${query}`;
  $("search-export").hidden = !hits.length;
  showList(hits.map(hit => ({ ...hit, note: `${hit.date}, ${hit.file}` })));
}

function open(name) {
  asked = name;
  searches++;
  $("file-name").textContent = shown?.name ?? "";
  $("folder-problem").textContent = "";
  $("search-export").hidden = true;
  if (ask({ do: "open", file: name })) waitFor($("folder-dialog"), false);
}

export function showFiles(files, leftOut) {
  const items = files.map(({ name, kind }) => {
    const button = make("button", { type: "button" }, name, make("small", {}, ` ${kind}`));
    button.addEventListener("click", () => open(name));
    return make("li", {}, button);
  });
  if (leftOut) items.push(make("li", {}, `… and ${leftOut} more`));
  $("files").replaceChildren(...(items.length ? items : [make("li", {}, "The folder contains no games, curves or charts.")]));
}

// Shows the open file, also when it has changed. It may come after a search has closed it.
export function showFile(message) {
  if (message.name !== asked) return;
  shown = message;
  const { name, modified, content } = message;
  $("file-name").textContent = name;
  $("folder-problem").textContent = message.note ?? "";
  $("column-label").hidden = !content.table;
  if (content.games) showList(content.games.map((entry, game) => ({ ...entry, file: name, game })));
  else if (content.table) showTable(content.table);
  else if (content.report) $("file-content").replaceChildren(make("pre", { tabIndex: 0 }, JSON.stringify(content.report, null, 2)));
  else {
    const source = `chart?name=${encodeURIComponent(name)}&changed=${modified}`;
    $("file-content").replaceChildren(make("img", { src: source, alt: name }));
  }
}

// Shows games to replay, each with its file and its number there.
function showList(games) {
  $("file-content").replaceChildren(make("ol", { className: "games" }, ...games.map(({ players, result, plies, problem, note, file, game }) => {
    if (problem) return make("li", {}, problem);
    const details = [plies === 1 ? "1 ply" : `${plies} plies`, ...(note ? [note] : [])];
    const button = make("button", { type: "button" },
      `${players.join(" – ")} `, make("b", {}, result === "1/2-1/2" ? "½-½" : result), make("small", {}, ` ${details.join(", ")}`),
    );
    button.addEventListener("click", () => {
      if (ask({ do: "replay", file, game })) waitFor($("folder-dialog"));
    });
    return make("li", {}, button);
  })));
}

const WIDTH = 600, HEIGHT = 260, LEFT = 64, BOTTOM = 24;

// Plots a column of a table over the first one.
function showTable({ columns, rows }) {
  const [first, ...others] = columns;
  if (!others.includes(column)) column = others[0] ?? first;
  $("column").replaceChildren(...others.map(name => make("option", { value: name, selected: name === column }, name)));
  const index = columns.indexOf(column);
  const points = rows.map(row => [row[0], row[index]]).filter(([x, y]) => x !== null && y !== null);
  const [xs, ys] = [0, 1].map(axis => points.map(point => point[axis]));
  const range = values => [Math.min(...values), Math.max(...values)];
  const [[left, right], [low, high]] = [range(xs), range(ys)];
  const x = value => LEFT + ((value - left) / (right - left || 1)) * (WIDTH - LEFT - 8);
  const y = value => 8 + (1 - (value - low) / (high - low || 1)) * (HEIGHT - BOTTOM - 16);
  const text = (value, x, y, anchor) => draw("text", { x, y, "text-anchor": anchor }, value);
  const number = value => String(Number(value.toPrecision(4)));
  const line = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const label = points.length ? `${column} over ${first}: from ${number(ys[0])} to ${number(ys.at(-1))}` : `${column}: no numbers`;
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": label });
  svg.append(draw("path", { d: `M${LEFT} 8V${HEIGHT - BOTTOM}H${WIDTH - 8}`, class: "axis" }));
  if (points.length) {
    svg.append(
      draw("polyline", { points: line, class: "line" }),
      text(number(high), LEFT - 6, 16, "end"), text(number(low), LEFT - 6, HEIGHT - BOTTOM, "end"),
      text(number(left), LEFT, HEIGHT - 6, "start"), text(`${first} ${number(right)}`, WIDTH - 8, HEIGHT - 6, "end"),
    );
  }
  $("file-content").replaceChildren(svg, make("p", {}, label));
}
