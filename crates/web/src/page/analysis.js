// What searches say: the bar, the lines with their arrows, visits, the graph, answers.

import { $, countText, draw, percent, scoreText } from "./elements.js";
import { numberText } from "./lines.js";
import { readMove } from "./moves.js";

// Whether a search is of the position on the board, or of the one before it.
function isOfLine(state, search) {
  if (!state || !search || search.number !== state.number) return false;
  const index = state.line.findIndex(move => move.node === search.node) + 1;
  return search.node === state.node || ((index > 0 || search.node === 0) && index === state.ply - 1);
}

// The bar beside the board: what White is expected to score.
export function showBar(state, search, isFlipped) {
  const known = state.ply ? state.line[state.ply - 1].eval : state["start-eval"];
  const searched = isOfLine(state, search) ? search.lines[0] : null;
  const result = state.end
    ? { white: 1, black: 0 }[state.end.winner] ?? 0.5
    : searched?.result ?? known?.result;
  $("bar").classList.toggle("flipped", isFlipped);
  if (result !== undefined) $("bar-white").style.height = percent(result).replace(" ", "");
  const words = searched && !state.end ? `Evaluation ${scoreText(searched.score)}, ` : "";
  const label = result === undefined ? "No evaluation" : `${words}White is expected to score ${percent(result)}`;
  $("bar").setAttribute("aria-label", state.end ? state.end.text : label);
}

// The lines of the last search, in a list of them.
export function showLines(lines, state, search, isFlipped) {
  if (!isOfLine(state, search) || state.end) {
    lines.show(state, null, 0, isFlipped);
    $("speed").textContent = "";
    return;
  }
  const speed = search.seconds > 0.05 ? `, ${countText(Math.round(search.nodes / search.seconds))}/s` : "";
  $("speed").textContent = `depth ${search.depth}, ${countText(search.nodes)} nodes${speed}`;
  lines.show(state, search, search.node === state.node ? state.ply : state.ply - 1, isFlipped);
}

// The arrows of the last search, of the position on the board alone: the best line is the widest one.
export function arrowsOf(state, search) {
  const arrows = [];
  if (search && search.number === state.number && search.node === state.node && !state.end && state.analysing) {
    search.lines.forEach(({ move }, index) => {
      if (move) arrows.push({ move, weight: 1 - index / 5, kind: index ? "other-line" : "best-line" });
    });
  }
  const { answer } = state;
  if (answer?.move && !answer.about) {
    arrows.push({ move: answer.move, weight: 1, kind: answer.threat ? "threat" : "hint" });
  }
  return arrows.reverse();
}

// What a search that counts visits looks at: the share of the squares that its moves begin or end on.
export function visitsOf(state, search) {
  const amounts = new Map();
  const isOfBoard = search?.number === state.number && search.node === state.node && state.analysing;
  for (const { move, visits } of isOfBoard ? search.lines : []) {
    if (!visits || !move) continue;
    for (const square of readMove(move).squares) amounts.set(square, (amounts.get(square) ?? 0) + visits[0]);
  }
  return { colours: ["--visits"], amounts };
}

// The answer to a question: a hint, or what follows a move.
export function answerText({ answer, ply, "first-ply": first }) {
  if (!answer) return "";
  const [move, ...rest] = answer.line;
  const after = rest.length ? `, then ${rest.slice(0, 8).join(" ")}` : "";
  // A threat is a move of the other side.
  const number = numberText(answer.threat ? (first + ply) ^ 1 : first + ply);
  const what = answer.threat ? "Threat:" : answer.about ? "After" : "Hint:";
  return `${what} ${number} ${move} ${scoreText(answer.score)}${after}`;
}

const WIDTH = 300, HEIGHT = 70;

// The graph of the evaluations over the game. `go` is called with the ply that is clicked.
export class Graph {
  #plies = 1;

  constructor(element, go) {
    this.element = element;
    element.addEventListener("click", event => {
      const box = element.getBoundingClientRect();
      go(Math.round(((event.clientX - box.x) / box.width) * this.#plies));
    });
  }

  show(state) {
    const results = [state["start-eval"], ...state.line.map(move => move.eval)].map(known => known?.result);
    this.#plies = Math.max(1, state.line.length);
    const x = ply => ((ply / this.#plies) * WIDTH).toFixed(1);
    const y = result => ((1 - result) * HEIGHT).toFixed(1);
    const points = results.flatMap((result, ply) => (result === undefined ? [] : [[x(ply), y(result)]]));
    const line = points.map(point => point.join()).join(" ");
    const children = [];
    if (points.length > 1) {
      const [from, to] = [points[0][0], points.at(-1)[0]];
      children.push(draw("rect", { x: from, width: to - from, height: HEIGHT, class: "graph-black" }));
      const area = `${points[0][0]},${HEIGHT} ${line} ${points.at(-1)[0]},${HEIGHT}`;
      children.push(draw("polygon", { points: area, class: "graph-white" }));
      children.push(draw("polyline", { points: line, class: "graph-line" }));
    }
    children.push(draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "graph-middle" }));
    const now = x(state.ply);
    children.push(draw("line", { x1: now, x2: now, y1: 0, y2: HEIGHT, class: "graph-now" }));
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" }, ...children);
    this.element.replaceChildren(svg);
    const known = points.length;
    this.element.setAttribute("aria-label", `Evaluation over the game, ${known} of ${results.length} positions`);
  }
}
