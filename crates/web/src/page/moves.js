// Parsing of positions and moves, for all games.

// Parses a FEN: { files, ranks, pieces: square name → letter, fields: those after the board }.
export function readFen(fen) {
  const [board, ...fields] = fen.split(" ");
  const rows = board.split("/");
  const pieces = new Map();
  let files = 0;
  rows.forEach((row, index) => {
    let file = 0;
    for (const [part] of row.matchAll(/\d+|\D/g)) {
      if (/\d/.test(part)) file += Number(part);
      else pieces.set(squareName(file++, rows.length - 1 - index), part);
    }
    files = Math.max(files, file);
  });
  return { files, ranks: rows.length, pieces, fields };
}

// The name of a square; file and rank are counted from 0.
export function squareName(file, rank) {
  return String.fromCharCode(97 + file) + (rank + 1);
}

// Parses a move: its squares in order, and the letter of a promotion. `e7e8q` is e7, e8, q; `d1d7,d7g7` is
// d1, d7, g7. Outcomes of chance (`=1`, `+c5`) are ignored.
export function readMove(text) {
  const squares = [];
  let suffix = "";
  for (const part of text.split(/[=+]/)[0].split(",")) {
    const [, from, to, letter] = part.match(/^([a-z]\d+)([a-z]\d+)([a-z]?)$/) ?? [];
    if (!from) continue;
    if (squares.length === 0) squares.push(from);
    squares.push(to);
    suffix = letter;
  }
  return { text, squares, suffix };
}

// The square in the name of a net's input, as in `P e4`, if it has one.
export function squareOf(name) {
  return name.match(/ ([a-z]\d+)$/)?.[1];
}

// The square on which a prize has appeared after a move, if any.
export function appeared(text) {
  return text.match(/\+([a-z]\d+)$/)?.[1];
}

// Writes the board part of a FEN.
export function writeBoard(files, ranks, pieces) {
  const rows = [];
  for (let rank = ranks - 1; rank >= 0; rank--) {
    let [row, empty] = ["", 0];
    for (let file = 0; file < files; file++) {
      const letter = pieces.get(squareName(file, rank));
      if (!letter) empty++;
      else [row, empty] = [row + (empty || "") + letter, 0];
    }
    rows.push(row + (empty || ""));
  }
  return rows.join("/");
}
