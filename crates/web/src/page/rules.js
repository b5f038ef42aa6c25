// The rules of the games, with pictures.

import "./board.js";
import { $, make } from "./elements.js";
import { looksOf } from "./looks.js";

// For each game, paragraphs and diagrams: a position, with arrows (moves), a last move and a caption.
const RULES = {
  neighbours: [
    "Two players have eight pieces each on a board of 8 × 8. White begins. On a turn one piece is moved in a straight line, in any of the eight directions.",
    "A piece goes exactly as many squares as it has neighbours: pieces of either colour on the eight squares around it. The squares in between must be empty. An enemy piece on the last square is captured.",
    { fen: "8/8/5p2/8/2pP4/3P4/8/8 w", arrows: ["d4d6", "d4f6", "d4f4", "d4f2", "d4b6", "d4b2"],
      text: "The piece on d4 has two neighbours, so that it goes two squares. It may capture on f6. It cannot jump over c4 or d3." },
    "A piece without a neighbour stays where it is. A player who cannot move loses.",
    { fen: "7p/8/8/8/8/8/P7/P7 w", arrows: ["a2b2", "a2b3", "a2a3"], text: "With one neighbour a piece goes one square. Black's piece has none: after White's move Black cannot move, and has lost." },
    "The game is drawn when a position arises for the third time with the same side to move, and after 100 moves of either side in a row without a capture.",
  ],
  amazons: [
    "White and Black have four amazons each on a board of 10 × 10; other boards are played, too. White begins. A turn has two parts.",
    "First an amazon goes like a queen in chess, any number of empty squares in a straight line or a diagonal. From its new square it then shoots an arrow, which flies in the same way and stays where it lands.",
    { fen: "3q2/5q/6/6/Q5/3Q2 w", arrows: ["d1d4", "d4f4"], text: "The amazon goes from d1 to d4, and shoots from there to f4. Nobody can go or shoot over that square any more." },
    { fen: "3q2/5q/3Q1*/6/Q5/6 b", text: "The position after it." },
    "Nothing is captured. The board fills up with arrows until a player cannot move: that player has lost. There are no draws. Who encloses more squares of their own has more moves left.",
    { fen: "2*q/1***/2*1/Q1*1 w", text: "White has squares of its own left on the left side; Black's amazon is shut in, and loses." },
  ],
  tucchess: [
    "Chess for points, from the Technical University of Crete: pawns, rooks and kings on five files and seven ranks, with prizes on the middle rank. White begins. There is no check and no mate.",
    "Pawns step one square forward and capture one square diagonally forward. A pawn that reaches the last rank leaves the board and scores a point.",
    { fen: "4k/1P3/p4/1P3/5/5/4K w", arrows: ["b4a5", "b4b5", "b6b7"], text: "The pawn on b4 steps on or captures; the one on b6 leaves the board on b7." },
    "Rooks go up to three squares in a line. Kings step one square in a line. Pieces and prizes stop them, but they may land on a prize.",
    { fen: "k4/5/5/*4/5/R1p2/4K w", arrows: ["a2a4", "a2c2", "a2b2", "a2a3", "a2a1"], text: "The rook takes the prize on a4 or the pawn on c2." },
    "A captured pawn is worth 1 point, a rook 3, a king 8. A prize is worth a point in nine cases of ten, otherwise nothing. After each move a new prize appears on a random empty square in one case of ten.",
    "The game ends when a king is captured, when only the kings are left, or when the side to move has no move; here also after 140 moves of both sides together. More points win, equal points draw.",
  ],
  chess: [
    "The rules of FIDE. Who mates the enemy king wins. A game is drawn by stalemate, by the third occurrence of a position, by fifty moves of each side without a capture or a pawn move, and where neither side can mate.",
    "Rooks go any number of squares in a line, bishops in a diagonal, queens in both, kings one square in any direction. Pawns step one square forward, from their first square also two, and capture one square diagonally forward; on the last rank they become a queen, a rook, a bishop or a knight.",
    { fen: "4k3/8/8/8/4N3/8/8/R3K3 w", arrows: ["e4d6", "e4f6", "e4c5", "e4g5", "e4c3", "e4g3", "e4d2", "e4f2"], text: "The knight alone jumps over others." },
    { fen: "r3k2r/8/8/8/8/8/8/R3K2R w", arrows: ["e1g1", "e1c1"], text: "Castling: the king goes two squares towards a rook, which is put on his other side. Neither has moved before, nothing stands between them, and the king is not in check, passes no attacked square and lands on none." },
    { fen: "4k3/8/8/3pP3/8/8/8/4K3 w", last: "d7d5", arrows: ["e5d6"], text: "En passant: a pawn that has just gone two squares is captured as if it had gone one." },
    "Chess960 begins from one of 960 positions: the pieces of the first rank are shuffled, bishops on squares of both colours, the king between his rooks. After castling king and rook stand where they do in chess. On this board the king is put onto his rook to castle.",
  ],
};

let chosen = "";

function show() {
  const looks = looksOf(chosen);
  $("rules-content").replaceChildren(...(RULES[chosen] ?? []).map(part => {
    if (typeof part === "string") return make("p", {}, part);
    const board = document.createElement("lab-board");
    board.setAttribute("still", "");
    board.setAttribute("aria-label", "Diagram");
    const figure = make("figure", {}, board, make("figcaption", {}, part.text));
    board.show({ fen: part.fen, looks, last: part.last });
    board.setArrows((part.arrows ?? []).map(move => ({ move, weight: 0.4, kind: "other-line" })));
    return figure;
  }));
}

// Opens the rules of a game, with a list of all `games`.
export function openRules(games, game) {
  chosen = game;
  $("rules-game").replaceChildren(...games.map(name => make("option", { value: name, selected: name === game }, looksOf(name).title)));
  show();
  $("rules-dialog").showModal();
  $("rules-content").scrollTop = 0;
}

export function setUpRules() {
  $("rules-game").addEventListener("change", () => {
    chosen = $("rules-game").value;
    show();
  });
}
