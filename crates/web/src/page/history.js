// The move list: the mainline in rows, with variations and comments in between.

import { make } from "./elements.js";
import { glyphsOf } from "./glyphs.js";

// The game tree: moves by node, each with its children; node 0 is the start position.
export function treeOf(state) {
  const tree = new Map([[0, { node: 0, comment: state.comment, children: [] }]]);
  for (const move of state.tree) {
    tree.set(move.node, { ...move, children: [] });
    tree.get(move.parent).children.push(move.node);
  }
  return tree;
}

// Formats the time spent on a move.
export function spentText(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), String(Math.floor(seconds % 60)).padStart(2, "0")];
  return minutes ? `${minutes}:${rest}` : `${Math.round(seconds)} s`;
}

// `show` is called with the node of a clicked move.
export function showHistory(list, state, show) {
  const tree = treeOf(state);
  const number = (ply, isFirst) => {
    const at = state["first-ply"] + ply;
    return at % 2 === 0 ? `${1 + at / 2}.` : isFirst ? `${(1 + at) / 2}…` : "";
  };
  const comment = (text, name = "span") => (text ? [make(name, { className: "comment" }, text)] : []);
  const button = (move, className) => {
    const { text, words, kind } = glyphsOf(move);
    const element = make("button", { type: "button", className: `${className} ${kind}`.trim() }, move.text);
    if (text) element.append(make("span", { className: "glyph" }, text));
    if (move.spent !== undefined && className === "move") element.append(make("small", {}, spentText(move.spent)));
    element.title = words ? `${move.text}, ${words}` : move.text;
    if (move.parent === state.node) element.dataset.move = move.move;
    if (move.node === state.node) element.setAttribute("aria-current", "true");
    element.addEventListener("click", () => show(move.node));
    return element;
  };
  // A variation in one row, with nested ones in brackets.
  const variation = (first, ply, parts) => {
    let isFirst = true;
    for (let node = first; node !== undefined; node = tree.get(node).children[0], ply++) {
      const move = tree.get(node);
      const others = node === first ? [] : tree.get(move.parent).children.slice(1);
      if (move.before) parts.push(...comment(move.before));
      const text = number(ply, isFirst);
      if (text) parts.push(make("span", { className: "number" }, text));
      parts.push(button(move, "other"), ...comment(move.comment));
      for (const other of others) {
        parts.push("(");
        variation(other, ply, parts);
        parts.push(")");
      }
      isFirst = !!move.comment || others.length > 0;
    }
    return parts;
  };
  const rows = comment(state.comment, "li");
  let row = null;
  let [node] = tree.get(0).children;
  for (let ply = 0; node !== undefined; ply++) {
    const move = tree.get(node);
    if (!row || (state["first-ply"] + ply) % 2 === 0) {
      row = make("li", {}, make("span", { className: "number" }, number(ply, true).replace("…", ".")));
      if ((state["first-ply"] + ply) % 2) row.append(make("span", { className: "gap" }, "…"));
      rows.push(row);
    }
    row.append(button(move, "move"));
    const others = tree.get(move.parent).children.slice(1);
    const between = [
      ...comment(move.comment, "li"),
      ...others.map(other => make("li", { className: "variation" }, ...variation(other, ply, []))),
    ];
    if (between.length) {
      rows.push(...between);
      row = null;
    }
    [node] = move.children;
  }
  list.replaceChildren(...rows);
  scrollToCurrent(list);
}

// Scrolls the list, but not the page, to the current move.
export function scrollToCurrent(list) {
  const current = list.querySelector("[aria-current]");
  if (!current) return void (list.scrollTop = 0);
  const offset = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (offset < 0 || offset > list.clientHeight - 32) list.scrollTop += offset - list.clientHeight / 2;
}
