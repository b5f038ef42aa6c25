// The results of searches: evaluation bar, lines, arrows, visits, answers.

import { $, countText, percent, scoreText } from "./elements.js";
import { numberText } from "./lines.js";
import { readMove } from "./moves.js";

// Whether a search is of the current position or the one before it.
function isRecent(state, search) {
  if (!state || !search || search.number !== state.number) return false;
  const index = state.line.findIndex(move => move.node === search.node) + 1;
  return search.node === state.node || ((index > 0 || search.node === 0) && index === state.ply - 1);
}

// The evaluation bar: White's expected score.
export function showBar(state, search, isFlipped) {
  const { eval: last, review } = state.line[state.ply - 1] ?? {};
  const start = state["start-eval"] ?? { result: state.review?.start ?? undefined };
  const known = state.ply ? last ?? review : start;
  const searched = isRecent(state, search) ? search.lines[0] : null;
  const result = state.end
    ? { white: 1, black: 0 }[state.end.winner] ?? 0.5
    : searched?.result ?? known?.result;
  $("bar").classList.toggle("flipped", isFlipped);
  if (result !== undefined) $("bar-white").style.height = percent(result).replace(" ", "");
  const words = searched && !state.end ? `Evaluation ${scoreText(searched.score)}, ` : "";
  const label = result === undefined ? "No evaluation" : `${words}White is expected to score ${percent(result)}`;
  $("bar").setAttribute("aria-label", state.end ? state.end.text : label);
}

// Shows the lines of the last search.
export function showLines(lines, state, search, isFlipped) {
  if (!isRecent(state, search) || state.end) {
    lines.show(state, null, 0, isFlipped);
    $("speed").textContent = "";
    return;
  }
  const speed = search.seconds > 0.05 ? `, ${countText(Math.round(search.nodes / search.seconds))}/s` : "";
  $("speed").textContent = `depth ${search.depth}, ${countText(search.nodes)} nodes${speed}`;
  lines.show(state, search, search.node === state.node ? state.ply : state.ply - 1, isFlipped);
}

// The arrows of the last search, if it is of the current position; the best line has the widest one.
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

// The share of visits of an MCTS search, by the squares of the moves.
export function visitsOf(state, search) {
  const amounts = new Map();
  const isCurrent = search?.number === state.number && search.node === state.node && state.analysing;
  for (const { move, visits } of isCurrent ? search.lines : []) {
    if (!visits || !move) continue;
    for (const square of readMove(move).squares) amounts.set(square, (amounts.get(square) ?? 0) + visits[0]);
  }
  return { colours: ["--visits"], amounts };
}

// The answer to a question: a hint, a threat, or the continuation after a move.
export function answerText({ answer, ply, "first-ply": first }) {
  if (!answer) return "";
  const [move, ...rest] = answer.line;
  const after = rest.length ? `, then ${rest.slice(0, 8).join(" ")}` : "";
  // A threat is a move of the opponent.
  const number = numberText(answer.threat ? (first + ply) ^ 1 : first + ply);
  const what = answer.threat ? "Threat:" : answer.about ? "After" : "Hint:";
  return `${what} ${number} ${move} ${scoreText(answer.score)}${after}`;
}
