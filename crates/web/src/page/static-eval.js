// The static evaluation of the analyst, in detail.

import { $, make, percent } from "./elements.js";
import { readMove, squareOf } from "./moves.js";

// The number of a policy's moves in the table.
const MAX_MOVES = 10;

const number = value => String(Number(value.toFixed(3))).replace("-", "−");
const signed = value => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
const share = prior => `${(100 * prior).toFixed(1)} %`;
const byAmount = index => (a, b) => Math.abs(b[index]) - Math.abs(a[index]);

// The table of each kind of evaluation: a text above it, titles, rows, and the moves of the rows, if any.
const TABLES = {
  features: ({ set, sum, rows }) => ({
    value: `Feature set ${set}: ${number(sum)} for the side to move`,
    titles: ["feature", "value", "weight", "product"],
    rows: rows.toSorted(byAmount(3)).map(([name, ...numbers]) => [name, ...numbers.map(number)]),
  }),
  inputs: ({ value, rows }) => ({
    value: `Evaluation net: ${signed(value)} for the side to move`,
    titles: ["input", "for White"],
    rows: rows.toSorted(byAmount(1)).map(([name, contribution]) => [name, signed(contribution)]),
  }),
  policy: ({ value, rows }) => {
    const [shown, others] = [rows.slice(0, MAX_MOVES), rows.slice(MAX_MOVES)];
    const table = shown.map(([, text, prior]) => [text, share(prior)]);
    if (others.length) {
      const rest = others.reduce((sum, [, , prior]) => sum + prior, 0);
      table.push([`${others.length} more`, share(rest)]);
    }
    return {
      value: `Policy/value net: the side to move is expected to score ${share(value)}`,
      titles: ["move", "prior"],
      rows: table,
      moves: shown.map(([move]) => move),
    };
  },
  problem: text => ({ value: text, titles: [], rows: [] }),
};

// Shows a message `static-eval`.
export function showStaticEval(message) {
  const kind = Object.keys(TABLES).find(kind => kind in message);
  const { value, titles, rows, moves = [] } = TABLES[kind](message[kind]);
  const title = (scope, text) => Object.assign(make("th", {}, text), { scope });
  $("static-eval-value").textContent = value;
  $("static-eval-head").replaceChildren(make("tr", {}, ...titles.map(text => title("col", text))));
  $("static-eval-rows").replaceChildren(...rows.map(([name, ...cells], index) => {
    const row = make("tr", {}, title("row", name), ...cells.map(text => make("td", {}, text)));
    if (moves[index]) row.firstChild.dataset.move = moves[index];
    return row;
  }));
}

// The heat map of a net: the sum of the priors of moves to each square (of an amazon, not its arrow), or the
// contribution of each piece.
export function netOf(state, message) {
  const [amounts, notes] = [new Map(), new Map()];
  const add = (square, amount) => square && amounts.set(square, (amounts.get(square) ?? 0) + amount);
  const isCurrent = message?.number === state.number && message.node === state.node;
  if (isCurrent && message.policy) {
    for (const [move, , prior] of message.policy.rows) add(readMove(move).squares[1], prior);
    for (const [square, amount] of amounts) if (amount >= 0.005) notes.set(square, percent(amount));
    return { colours: ["--priors"], amounts, notes };
  }
  if (isCurrent && message.inputs) {
    for (const [name, contribution] of message.inputs.rows) add(squareOf(name), contribution);
    for (const [square, amount] of amounts) notes.set(square, signed(amount));
  }
  return { colours: ["--for-white", "--for-black"], amounts, notes };
}
