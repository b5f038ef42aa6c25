// Annotation glyphs: number in PGN (NAG), symbol and meaning.

import { markClass } from "./graph.js";

export const GLYPHS = new Map([
  [3, ["!!", "brilliant move"]], [1, ["!", "good move"]], [5, ["!?", "interesting move"]],
  [6, ["?!", "dubious move"]], [2, ["?", "mistake"]], [4, ["??", "blunder"]],
  [7, ["□", "only move"]], [22, ["⨀", "zugzwang"]], [10, ["=", "equal"]], [13, ["∞", "unclear"]],
  [14, ["⩲", "White is slightly better"]], [15, ["⩱", "Black is slightly better"]],
  [16, ["±", "White is better"]], [17, ["∓", "Black is better"]],
  [18, ["+−", "White is winning"]], [19, ["−+", "Black is winning"]],
  [146, ["N", "novelty"]], [32, ["↑↑", "development"]], [36, ["↑", "initiative"]], [40, ["→", "attack"]],
  [132, ["⇆", "counterplay"]], [138, ["⊕", "time trouble"]], [44, ["=∞", "with compensation"]],
]);

// The glyphs that judge a move. A move has at most one of them.
export const MARKS = [3, 1, 5, 6, 2, 4];

const symbol = number => GLYPHS.get(number)?.[0] ?? `$${number}`;
const meaning = number => GLYPHS.get(number)?.[1] ?? `glyph ${number}`;

// The glyphs after a move: { text, words, kind }. The user's own mark replaces that of the review.
export function glyphsOf({ glyphs = [], mark }) {
  const own = glyphs.filter(number => MARKS.includes(number));
  const others = glyphs.filter(number => !MARKS.includes(number));
  const marks = own.length ? own.map(symbol) : mark ? [mark] : [];
  const words = [...own, ...others].map(meaning);
  if (!own.length && mark) words.unshift(markClass(mark));
  return { text: [...marks, ...others.map(symbol)].join(" "), words: words.join(", "), kind: markClass(marks[0]) };
}
