// The folder of a match or a training: its files, their games, curves and charts.

import { waitFor } from "./dialogs.js";
import { $, draw, make } from "./elements.js";

let ask = () => {};
let shown = null;   // the last message `file`
let column = "";    // the selected column of a table

export function setUpFolder(send) {
  ask = send;
  $("folder-dialog").addEventListener("close", () => ask({ do: "open" }));
  $("column").addEventListener("change", () => {
    column = $("column").value;
    if (shown?.content.table) showTable(shown.content.table);
  });
}

export function openFolder() {
  shown = null;
  $("file-name").textContent = $("folder-problem").textContent = "";
  $("file-content").replaceChildren();
  $("column-label").hidden = true;
  ask({ do: "files" });
  $("folder-dialog").showModal();
}

function open(name) {
  $("folder-problem").textContent = "";
  waitFor($("folder-dialog"));
  ask({ do: "open", file: name });
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

// Shows the open file, also when it has changed.
export function showFile(message) {
  shown = message;
  const { name, modified, content } = message;
  $("file-name").textContent = name;
  $("folder-problem").textContent = message.note ?? "";
  $("column-label").hidden = !content.table;
  if (content.games) showGames(name, content.games);
  else if (content.table) showTable(content.table);
  else if (content.report) $("file-content").replaceChildren(make("pre", { tabIndex: 0 }, JSON.stringify(content.report, null, 2)));
  else {
    const source = `chart?name=${encodeURIComponent(name)}&changed=${modified}`;
    $("file-content").replaceChildren(make("img", { src: source, alt: name }));
  }
}

function showGames(file, games) {
  $("file-content").replaceChildren(make("ol", { className: "games" }, ...games.map(({ players, result, plies, problem }, game) => {
    if (problem) return make("li", {}, problem);
    const button = make("button", { type: "button" }, `${players.join(" – ")} `, make("b", {}, result), make("small", {}, plies === 1 ? " 1 ply" : ` ${plies} plies`));
    button.addEventListener("click", () => {
      waitFor($("folder-dialog"));
      ask({ do: "replay", file, game });
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
