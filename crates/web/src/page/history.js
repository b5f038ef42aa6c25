// The list of moves.

import { make } from "./elements.js";

// `show` is called with the node of a move that is clicked.
export function showHistory(list, state, show) {
  const rows = [];
  const button = (move, className) => {
    const element = make("button", { type: "button", className, title: move.text }, move.text);
    if (move.move) element.dataset.move = move.move;
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
    const element = button({ ...move, move: index === state.ply && move.move }, "move");
    if (index + 1 === state.ply) element.setAttribute("aria-current", "true");
    row.append(element);
    if (move.others) {
      const others = move.others.map(other => button({ ...other, move: index === state.ply && other.move }, "other"));
      row.append(make("span", { className: "others" }, "or ", ...others));
      row = null;
    }
  });
  list.replaceChildren(...rows);
  reveal(list);
}

// Scrolls the list alone, not the page, to the move that leads to the position on the board.
export function reveal(list) {
  const current = list.querySelector("[aria-current]");
  if (!current) return void (list.scrollTop = 0);
  const offset = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (offset < 0 || offset > list.clientHeight - 32) list.scrollTop += offset - list.clientHeight / 2;
}
