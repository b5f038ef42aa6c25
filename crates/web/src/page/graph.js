// The evaluation graph, with the marks of the review.

import { draw } from "./elements.js";

const WIDTH = 300, HEIGHT = 70;

// White's expected score at each position of the line: of the review, or one series for each engine, as their
// evaluations differ too much for a single curve. The end of a game belongs to all series.
function seriesOf(state) {
  if (state.review) return [[state.review.start ?? undefined, ...state.line.map(move => move.review?.result)]];
  const evals = [state["start-eval"], ...state.line.map(move => move.eval)];
  const names = new Set(evals.flatMap(known => known?.by ?? []));
  const of = name => evals.map(known => (known && (known.by ?? name) === name ? known.result : undefined));
  return (names.size ? [...names] : [undefined]).map(of);
}

// `go` is called with the clicked ply.
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
    this.#plies = Math.max(1, state.line.length);
    const x = ply => ((ply / this.#plies) * WIDTH).toFixed(1);
    const y = result => ((1 - result) * HEIGHT).toFixed(1);
    const series = seriesOf(state);
    const children = series.flatMap(results => {
      const points = results.flatMap((result, ply) => (result === undefined ? [] : [[x(ply), y(result)]]));
      if (points.length < 2) return [];
      const line = points.map(point => point.join()).join(" ");
      const curve = draw("polyline", { points: line, class: "graph-line" });
      if (series.length > 1) return [curve];
      const [from, to] = [points[0][0], points.at(-1)[0]];
      return [
        draw("rect", { x: from, width: to - from, height: HEIGHT, class: "graph-black" }),
        draw("polygon", { points: `${from},${HEIGHT} ${line} ${to},${HEIGHT}`, class: "graph-white" }),
        curve,
      ];
    });
    children.push(draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "graph-middle" }));
    // A dot is a line of length zero, so that it is not stretched with the graph.
    const marked = state.line.flatMap((move, index) => (move.review?.mark ? [[index + 1, move.review]] : []));
    for (const [ply, { mark, result }] of marked) {
      children.push(draw("path", { d: `M${x(ply)} ${y(result)}h0`, class: `graph-mark ${markClass(mark)}` }));
    }
    const now = x(state.ply);
    children.push(draw("line", { x1: now, x2: now, y1: 0, y2: HEIGHT, class: "graph-now" }));
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" }, ...children);
    this.element.replaceChildren(svg);
    const all = state.line.length + 1;
    const known = Array.from({ length: all }, (_, ply) => series.some(results => results[ply] !== undefined));
    const marks = marked.length ? ` ${marked.length} ${marked.length === 1 ? "move" : "moves"} marked,` : "";
    const label = `Evaluation over the game,${marks} ${known.filter(Boolean).length} of ${all} positions`;
    this.element.setAttribute("aria-label", label);
  }
}

// The CSS class of a mark of the review.
export function markClass(mark) {
  return { "?!": "inaccuracy", "?": "mistake", "??": "blunder" }[mark] ?? "";
}
