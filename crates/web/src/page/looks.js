// The looks of games. The server names the drawing of each piece; drawings are paths in a square of 45 × 45.

import { draw } from "./elements.js";

const BASE = "M11 39.5v-3c0-1.7 1.3-3 3-3h17c1.7 0 3 1.3 3 3v3z";

// Pieces of the players.
const DRAWINGS = {
  pawn: { body: `M22.5 8.5a6.2 6.2 0 0 1 3.9 11h2.4v2.9h-2.7c.5 4.7 2.3 8.2 5 11.1H13.9c2.7-2.9 4.5-6.4 5-11.1h-2.7v-2.9h2.4a6.2 6.2 0 0 1 3.9-11z${BASE}` },
  rook: { body: `M11.5 9h5v3.5h3.5V9h5v3.5h3.5V9h5v8.5L30 20.5v10l1.5 3h-18l1.5-3v-10l-3.5-3z${BASE}`, lines: "M15 20.5h15M15 30.5h15" },
  knight: { body: `M13.5 33.5c0-6.8 6.8-9 7.3-14-2.7 1.3-3.8 3.9-6.8 4.7-2.7.7-4.6-1.6-3.5-3.9 1.5-3.1 4.4-5.3 5.6-8.6l.8-5 4 3.2c9 .2 13.6 7 13.6 15.8 0 2.9-.4 5.3-1 7.8z${BASE}`, lines: "M17.9 15.2v.1M27 12.5c3 2.3 4.3 6.5 4.2 11.5" },
  bishop: { body: `M22.5 5.5a2.6 2.6 0 0 1 1.7 4.6c4.3 2.9 7 6.9 7 10.9 0 2.7-1.4 4.9-3.5 6.2l1.7 6.3H15.6l1.7-6.3c-2.1-1.3-3.5-3.5-3.5-6.2 0-4 2.7-8 7-10.9a2.6 2.6 0 0 1 1.7-4.6z${BASE}`, lines: "M22.5 14.5v8M18.5 18.5h8M17.3 27.2h10.4" },
  queen: { body: `M13 33.5 9.3 15.2l6.5 8.2.9-12.2 5.8 11 5.8-11 .9 12.2 6.5-8.2L32 33.5zM9 15.3a2.4 2.4 0 1 1 .1 0zM16.6 11.4a2.4 2.4 0 1 1 .1 0zM28.3 11.4a2.4 2.4 0 1 1 .1 0zM35.9 15.3a2.4 2.4 0 1 1 .1 0z${BASE}`, lines: "M14 28.5h17" },
  king: { body: `M21 5h3v2.6h2.7v3H24v5.2c4-3.9 11.1-2.9 11.1 4 0 5.2-4.6 8-5.1 13.7H15c-.5-5.7-5.1-8.5-5.1-13.7 0-6.9 7.1-7.9 11.1-4v-5.2h-2.7v-3H21z${BASE}`, lines: "M22.5 19.5v9.8M16 29.3h13" },
  disc: { body: "M22.5 7a15.5 15.5 0 1 1-.1 0z", lines: "M22.5 12.5a10 10 0 1 1-.1 0z" },
};

// Objects that belong to no player.
const OBJECTS = {
  coin: [
    ["circle", { cx: 22.5, cy: 22.5, r: 11, class: "coin" }],
    ["path", { d: "M22.5 14.6l2.3 5.1 5.5.6-4.1 3.7 1.2 5.4-4.9-2.8-4.9 2.8 1.2-5.4-4.1-3.7 5.5-.6z", class: "coin-star" }],
  ],
  tile: [
    ["rect", { x: 4, y: 4, width: 37, height: 37, rx: 7, class: "tile" }],
    ["path", { d: "M15.5 29.5 27 18M18 27l-5.5.5M18 27l-.5 5.5M21.5 23.5l-5.5.5M21.5 23.5l-.5 5.5", class: "tile-arrow" }],
    ["path", { d: "M33.5 11.5l-10.5 3.5 7 7z", class: "tile-head" }],
  ],
};

const all = new Map();

// Stores the looks of the games from the message `welcome`.
export function setLooks(offers) {
  for (const { game, looks } of offers) {
    all.set(game, { ...looks, pieces: new Map(looks.pieces.map(piece => [piece.letter, piece])) });
  }
}

// The looks of a game: title, hint, pieces by letter, names of the steps of a move, fields of points in the
// FEN.
export function looksOf(game) {
  return all.get(game) ?? { title: game, hint: "", pieces: new Map(), steps: [], points: null };
}

// The colour of a letter in the FEN: black, white or none.
export function colourOf(letter) {
  if (letter.toLowerCase() === letter.toUpperCase()) return "";
  return letter === letter.toLowerCase() ? "black" : "white";
}

// The name of a piece, by its letter in the FEN.
export function pieceName(looks, letter) {
  return `${colourOf(letter)} ${looks.pieces.get(letter.toLowerCase())?.name ?? letter}`.trim();
}

// The drawing of a piece, by its letter in the FEN.
export function drawing(looks, letter) {
  const svg = draw("svg", { viewBox: "0 0 45 45", class: `piece ${colourOf(letter)}`, "aria-hidden": "true" });
  const kind = looks.pieces.get(letter.toLowerCase())?.drawing;
  if (OBJECTS[kind]) {
    svg.append(...OBJECTS[kind].map(([name, attributes]) => draw(name, attributes)));
  } else if (DRAWINGS[kind]) {
    svg.append(draw("path", { d: DRAWINGS[kind].body, class: "body" }));
    if (DRAWINGS[kind].lines) svg.append(draw("path", { d: DRAWINGS[kind].lines, class: "lines" }));
  } else {
    svg.append(draw("text", { x: 22.5, y: 31, "text-anchor": "middle", class: "body" }, letter));
  }
  // Shown instead of the drawing in the piece set "Letters".
  if (!OBJECTS[kind]) svg.append(draw("text", { x: 22.5, y: 33, "text-anchor": "middle", class: "letter" }, letter.toUpperCase()));
  return svg;
}
