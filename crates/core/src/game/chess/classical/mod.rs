//! The classical evaluation: material, piece-square tables, mobility, pawn structure, passed pawns, king
//! safety, threats and space.
//!
//! The evaluation is tapered: each term has a weight for the middle game and one for the end game, and the
//! game phase interpolates between them. Knights and bishops count 1 for the phase, rooks 2 and queens 4,
//! which makes 24 at the start. Where the stronger side can hardly win, all terms shrink. The evaluation is
//! linear in the weights. Each term is that of the side to move less that of the opponent; the unit is a
//! pawn.

mod king;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod terms;
mod threats;

use cozy_chess::{BitBoard, Board, Color as Side, Piece, Square};

use self::king::KingAttack;
use self::pawns::{Pawns, turned};
use self::scale::scale;
use self::terms::NAMES;
use super::super::FeatureSet;

/// The terms of [`terms`], each for the middle game and the end game.
pub(super) const SET: FeatureSet = FeatureSet {
    name: "classical",
    features: &NAMES,
    phases: &["middle", "end"],
    default_weights: Some(include_str!("../../../../../../weights/chess/classical.json")),
    scale: super::features::SCALE,
};

/// The phase value of each of [`PIECES`].
const PHASE_VALUES: [u32; 4] = [1, 1, 2, 4];
/// The phase value of all pieces of the start position.
const FULL_PHASE: u32 = 24;

/// The pieces that have mobility terms and count for the phase, in the order of the terms.
const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Receives the terms of the side to move (player 0) and of the opponent (player 1).
trait TermSink {
    /// Adds a term once.
    fn one(&mut self, player: usize, term: usize);

    /// Adds a term `count` times.
    fn add(&mut self, player: usize, term: usize, count: f64);

    /// Adds a term once for each square of a set.
    #[inline(always)]
    fn count(&mut self, player: usize, term: usize, set: BitBoard) {
        self.add(player, term, f64::from(set.len()));
    }
}

/// Turns terms into features: each term is split between the middle game and the end game.
struct FeatureVisitor<V> {
    visit: V,
    /// What a term counts in the middle game and in the end game, see [`tapers`].
    tapers: [f64; 2],
}

impl<V: FnMut(usize, f64)> TermSink for FeatureVisitor<V> {
    fn one(&mut self, player: usize, term: usize) {
        self.add(player, term, 1.0);
    }

    fn add(&mut self, player: usize, term: usize, count: f64) {
        let count = if player == 0 { count } else { -count };
        if count != 0.0 {
            (self.visit)(2 * term, count * self.tapers[0]);
            (self.visit)(2 * term + 1, count * self.tapers[1]);
        }
    }
}

/// Sums the weights of the middle game and of the end game. (Each has two sums, so that the processor can
/// overlap additions.)
struct WeightSum<'a> {
    weights: &'a [[f64; 2]],
    ones: [[f64; 2]; 2],
    counts: [[f64; 2]; 2],
}

impl WeightSum<'_> {
    /// The evaluation for the side to move.
    fn eval(&self, tapers: [f64; 2]) -> f64 {
        let lead = |n: usize| self.ones[0][n] + self.counts[0][n] - self.ones[1][n] - self.counts[1][n];
        lead(0) * tapers[0] + lead(1) * tapers[1]
    }
}

impl TermSink for WeightSum<'_> {
    #[inline(always)]
    fn one(&mut self, player: usize, term: usize) {
        let weights = self.weights[term];
        self.ones[player][0] += weights[0];
        self.ones[player][1] += weights[1];
    }

    #[inline(always)]
    fn add(&mut self, player: usize, term: usize, count: f64) {
        let weights = self.weights[term];
        self.counts[player][0] += count * weights[0];
        self.counts[player][1] += count * weights[1];
    }
}

/// Calls `visit` with the features.
pub(super) fn features(board: &Board, visit: impl FnMut(usize, f64)) {
    fill(board, &mut FeatureVisitor { visit, tapers: tapers(board) });
}

/// The sum of the features, each times its weight.
#[inline]
pub(super) fn weigh(board: &Board, weights: &[f64]) -> f64 {
    let (weights, _) = weights.as_chunks();
    let mut sum = WeightSum { weights, ones: [[0.0; 2]; 2], counts: [[0.0; 2]; 2] };
    fill(board, &mut sum);
    sum.eval(tapers(board))
}

/// What a term counts in the middle game and in the end game.
fn tapers(board: &Board) -> [f64; 2] {
    let (phase, scale) = (phase(board), scale(board));
    [phase * scale, (1.0 - phase) * scale]
}

/// The game phase: 1 in the middle game with all pieces, 0 in the end game.
pub(super) fn phase(board: &Board) -> f64 {
    let mut sum = 0;
    for (n, piece) in PIECES.into_iter().enumerate() {
        sum += PHASE_VALUES[n] * board.pieces(piece).len();
    }
    f64::from(sum.min(FULL_PHASE)) / f64::from(FULL_PHASE)
}

/// The squares that a player attacks, and how it attacks the enemy king.
#[derive(Clone, Copy, Default)]
struct Attacks {
    pawns: BitBoard,
    /// By kind of piece, see [`PIECES`].
    pieces: [BitBoard; 4],
    king: BitBoard,
    /// By any piece, and by two or more.
    all: BitBoard,
    twice: BitBoard,
    king_attack: KingAttack,
}

impl Attacks {
    /// Adds the squares that a piece attacks.
    #[inline(always)]
    fn add(&mut self, reached: BitBoard) {
        self.twice |= self.all & reached;
        self.all |= reached;
    }

    /// Squares that a pawn protects, or more pieces than the enemy attacks them with.
    #[inline(always)]
    fn strong(&self, enemy: &Attacks) -> BitBoard {
        self.pawns | (self.twice & !enemy.twice)
    }
}

/// Counts all terms.
#[inline(always)]
fn fill(board: &Board, sink: &mut impl TermSink) {
    let us = board.side_to_move();
    let sides = [SideView::new(board, us), SideView::new(board, !us)];
    let attacks = [sides[0].pieces(0, sink), sides[1].pieces(1, sink)];
    for (player, view) in sides.iter().enumerate() {
        let (own, enemy) = (&attacks[player], &attacks[1 - player]);
        view.pawns.structure(|term, set| sink.count(player, term, BitBoard(set)));
        view.passed(enemy, player, sink);
        view.king(own, enemy, player, sink);
        view.threats(own, enemy, player, sink);
        view.space(enemy, player, sink);
    }
    sink.one(0, terms::TEMPO);
}

/// The index of each square in a table of the left half of the board, file by file.
static HALF_BOARD: [u8; Square::NUM] = {
    let mut table = [0; Square::NUM];
    let mut square = 0;
    while square < Square::NUM {
        let (file, rank) = (square % 8, square / 8);
        table[square] = (8 * if file < 4 { file } else { 7 - file } + rank) as u8;
        square += 1;
    }
    table
};

/// A position from one player's side of the board.
struct SideView<'a> {
    board: &'a Board,
    side: Side,
    pawns: Pawns,
}

impl<'a> SideView<'a> {
    #[inline(always)]
    fn new(board: &'a Board, side: Side) -> SideView<'a> {
        SideView { board, side, pawns: Pawns::new(board, side) }
    }

    /// The player's pieces of a kind.
    fn own(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(self.side, piece)
    }

    /// The opponent's pieces of a kind.
    fn enemies(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(!self.side, piece)
    }

    /// A board of [`Pawns`] in the orientation of the position.
    fn unturned(&self, board: u64) -> BitBoard {
        BitBoard(turned(board, self.side))
    }

    /// A board of the position in the orientation of [`Pawns`].
    fn turned(&self, board: BitBoard) -> u64 {
        turned(board.0, self.side)
    }

    /// The index of a square in a piece-square table.
    #[inline(always)]
    fn table_index(&self, square: Square) -> usize {
        usize::from(HALF_BOARD[square.relative_to(self.side) as usize])
    }
}

/// The number of king moves from one square to another.
fn distance(from: Square, to: Square) -> u8 {
    let files = (from.file() as u8).abs_diff(to.file() as u8);
    files.max((from.rank() as u8).abs_diff(to.rank() as u8))
}
