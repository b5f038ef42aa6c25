//! The classical evaluation: material, piece-square tables, mobility, pawn structure, passed pawns, king
//! safety and threats.
//!
//! The evaluation is tapered: each term has a weight for the middle game and one for the end game, and the
//! game phase interpolates between them. Knights and bishops count 1 for the phase, rooks 2 and queens 4,
//! which makes 24 at the start. The evaluation is linear in the weights. Each term is that of the side to
//! move less that of the opponent; the unit is a pawn.

use cozy_chess::{
    BitBoard, Board, Color as Side, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::super::FeatureSet;
use super::pawns::{FILE_A, Pawns, files, fill_up, turned};
use super::terms::{self, NAMES};

/// The terms of [`terms`], each for the middle game and the end game.
pub(super) const SET: FeatureSet = FeatureSet {
    name: "classical",
    features: &NAMES,
    phases: &["middle", "end"],
    default_weights: Some(include_str!("../../../weights/chess/classical.json")),
    scale: super::features::SCALE,
};

/// The phase value of each of [`PIECES`].
const PHASE_VALUES: [u32; 4] = [1, 1, 2, 4];
/// The phase value of all pieces of the start position.
const FULL_PHASE: u32 = 24;

/// Attack units for each square of the king ring that a knight, bishop, rook or queen attacks. (Chess
/// Programming Wiki, "King Safety".)
const RING_UNITS: [u32; 4] = [2, 2, 3, 5];
/// Attack units for each kind of piece that can give a safe check. (Set by hand.)
const CHECK_UNITS: [u32; 4] = [6, 4, 8, 7];
/// Attack units in one step of the king danger table.
const DANGER_STEP: u32 = 4;

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
    /// The game phase, see [`phase`].
    phase: f64,
}

impl<V: FnMut(usize, f64)> TermSink for FeatureVisitor<V> {
    fn one(&mut self, player: usize, term: usize) {
        self.add(player, term, 1.0);
    }

    fn add(&mut self, player: usize, term: usize, count: f64) {
        let count = if player == 0 { count } else { -count };
        if count != 0.0 {
            (self.visit)(2 * term, count * self.phase);
            (self.visit)(2 * term + 1, count * (1.0 - self.phase));
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
    fn eval(&self, phase: f64) -> f64 {
        let lead = |n: usize| self.ones[0][n] + self.counts[0][n] - self.ones[1][n] - self.counts[1][n];
        lead(0) * phase + lead(1) * (1.0 - phase)
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
    fill(board, &mut FeatureVisitor { visit, phase: phase(board) });
}

/// The sum of the features, each times its weight.
#[inline]
pub(super) fn weigh(board: &Board, weights: &[f64]) -> f64 {
    let (weights, _) = weights.as_chunks();
    let mut sum = WeightSum { weights, ones: [[0.0; 2]; 2], counts: [[0.0; 2]; 2] };
    fill(board, &mut sum);
    sum.eval(phase(board))
}

/// The game phase: 1 in the middle game with all pieces, 0 in the end game.
pub(super) fn phase(board: &Board) -> f64 {
    let mut sum = 0;
    for (n, piece) in PIECES.into_iter().enumerate() {
        sum += PHASE_VALUES[n] * board.pieces(piece).len();
    }
    f64::from(sum.min(FULL_PHASE)) / f64::from(FULL_PHASE)
}

/// The squares that a player attacks.
#[derive(Clone, Copy, Default)]
struct Attacks {
    pawns: BitBoard,
    /// By kind of piece, see [`PIECES`].
    pieces: [BitBoard; 4],
    /// By any piece, the king included.
    all: BitBoard,
    /// Attack units on the ring of the enemy king.
    king_attack: u32,
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
    }
    sink.one(0, terms::TEMPO);
    if opposite_bishops(board) {
        let pawns = board.pieces(Piece::Pawn);
        sink.count(0, terms::OPPOSITE_BISHOPS, pawns & board.colors(us));
        sink.count(1, terms::OPPOSITE_BISHOPS, pawns & board.colors(!us));
    }
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

/// The fourth to sixth rank.
const OUTPOST_RANKS: u64 = 0x0000_FFFF_FF00_0000;

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

    /// A board of [`Pawns`] in the orientation of the position.
    fn unturned(&self, board: u64) -> BitBoard {
        BitBoard(turned(board, self.side))
    }

    /// The index of a square in a piece-square table.
    #[inline(always)]
    fn table_index(&self, square: Square) -> usize {
        usize::from(HALF_BOARD[square.relative_to(self.side) as usize])
    }

    /// Counts material, piece-square tables, mobility and terms of single pieces. Returns all attacks.
    #[inline(always)]
    fn pieces(&self, player: usize, sink: &mut impl TermSink) -> Attacks {
        let SideView { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        let own_pawns = self.own(Piece::Pawn);
        sink.count(player, terms::MATERIAL, own_pawns);
        for square in own_pawns {
            sink.one(player, terms::PAWN_ON + self.table_index(square));
        }
        let king = board.king(side);
        sink.one(player, terms::KING_ON + self.table_index(king));

        let ring = get_king_moves(board.king(!side)) | board.king(!side).bitboard();
        let pawn_attacks = self.unturned(pawns.attacks());
        let open = !(own_pawns | king.bitboard() | self.unturned(pawns.enemy_attacks()));
        let mut attacks =
            Attacks { pawns: pawn_attacks, all: pawn_attacks | get_king_moves(king), ..Attacks::default() };
        for (n, piece) in PIECES.into_iter().enumerate() {
            let pieces = self.own(piece);
            sink.count(player, terms::MATERIAL + 1 + n, pieces);
            for square in pieces {
                sink.one(player, terms::PIECE_ON[n] + self.table_index(square));
                let reached = match piece {
                    Piece::Knight => get_knight_moves(square),
                    Piece::Bishop => get_bishop_moves(square, occupied),
                    Piece::Rook => get_rook_moves(square, occupied),
                    _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                };
                sink.one(player, terms::MOBILITY[n] + (reached & open).len() as usize);
                attacks.pieces[n] |= reached;
                attacks.king_attack += RING_UNITS[n] * (reached & ring).len();
            }
            attacks.all |= attacks.pieces[n];
        }

        let (knights, bishops, rooks) =
            (self.own(Piece::Knight), self.own(Piece::Bishop), self.own(Piece::Rook));
        sink.add(player, terms::BISHOP_PAIR, if bishops.len() > 1 { 1.0 } else { 0.0 });
        let outposts = pawn_attacks & self.unturned(!pawns.enemy_attack_span() & OUTPOST_RANKS);
        sink.count(player, terms::OUTPOST, knights & outposts);
        sink.count(player, terms::OUTPOST + 1, bishops & outposts);
        for square in bishops {
            let light = BitBoard::LIGHT_SQUARES.has(square);
            let colour = if light { BitBoard::LIGHT_SQUARES } else { BitBoard::DARK_SQUARES };
            sink.count(player, terms::BISHOP_PAWNS, own_pawns & colour);
        }
        let closed = BitBoard(files(own_pawns.0));
        let half_closed = BitBoard(files(board.pieces(Piece::Pawn).0));
        sink.count(player, terms::ROOK_OPEN, rooks & !half_closed);
        sink.count(player, terms::ROOK_HALF_OPEN, rooks & !closed & half_closed);
        sink.count(player, terms::ROOK_SEVENTH, rooks & Rank::Seventh.relative_to(side).bitboard());
        attacks
    }

    /// Counts passed pawns.
    #[inline(always)]
    fn passed(&self, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let SideView { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        for square in self.unturned(pawns.passed()) {
            let place = square.relative_to(side) as usize;
            let rank = place / 8;
            let next = Square::index(place + 8).relative_to(side);
            sink.one(player, terms::PASSED + rank - 1);
            if !occupied.has(next) {
                sink.one(player, terms::PASSED_FREE + rank - 1);
            }
            // 0 on the second rank, 1 on the seventh.
            let progress = (rank - 1) as f64 / 5.0;
            let path = self.unturned(fill_up(1 << (place + 8)) & FILE_A << (place % 8));
            if (path & (occupied | enemy.all)).is_empty() {
                sink.add(player, terms::PASSED_SAFE, progress);
            }
            sink.add(player, terms::PASSED_OWN_KING, progress * distance(board.king(side), next));
            sink.add(player, terms::PASSED_ENEMY_KING, progress * distance(board.king(!side), next));
        }
    }

    /// Counts pawn shield, pawn storm and king danger.
    #[inline(always)]
    fn king(&self, own: &Attacks, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let SideView { board, side, ref pawns } = *self;
        let king = board.king(side);
        let (file, rank) = (king.file() as usize, king.relative_to(side).rank() as usize);
        let above = !0 << (8 * rank);
        for near in file.saturating_sub(1)..=(file + 1).min(7) {
            let column = FILE_A << near & above;
            let shield = match (pawns.own & column).trailing_zeros() / 8 {
                1 => 0,
                2 => 1,
                3..=7 => 2,
                _ => 3,
            };
            sink.one(player, terms::SHIELD[usize::from(near != file)] + shield);
            let storm = match (pawns.enemies & column).trailing_zeros() / 8 {
                8 => 0,
                rank => rank.clamp(1, 5),
            };
            sink.one(player, terms::STORM + storm as usize);
        }

        // Squares from which a check would not be answered by a capture.
        let safe = !own.all & !board.colors(!side);
        let straight = get_rook_moves(king, board.occupied()) & safe;
        let diagonal = get_bishop_moves(king, board.occupied()) & safe;
        let checks = [get_knight_moves(king) & safe, diagonal, straight, diagonal | straight];
        let mut units = enemy.king_attack;
        for (n, from) in checks.into_iter().enumerate() {
            units += if (from & enemy.pieces[n]).is_empty() { 0 } else { CHECK_UNITS[n] };
        }
        let step = (units / DANGER_STEP).min(terms::DANGER_STEPS as u32 - 1);
        sink.one(player, terms::DANGER + step as usize);
    }

    /// Counts threats against enemy pieces.
    #[inline(always)]
    fn threats(&self, own: &Attacks, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let enemies = |piece| self.board.colored_pieces(!self.side, piece);
        let (pawns, rooks, queens) = (enemies(Piece::Pawn), enemies(Piece::Rook), enemies(Piece::Queen));
        let minors = enemies(Piece::Knight) | enemies(Piece::Bishop);
        let [by_knights, by_bishops, by_rooks, _] = own.pieces;
        let by_minors = by_knights | by_bishops;
        let threatened = [
            own.pawns & minors,
            own.pawns & rooks,
            own.pawns & queens,
            by_minors & rooks,
            by_minors & queens,
            by_rooks & queens,
        ];
        for (n, set) in threatened.into_iter().enumerate() {
            sink.count(player, terms::THREAT + n, set);
        }
        let hanging = own.all & !enemy.all;
        for (n, set) in [pawns, minors, rooks, queens].into_iter().enumerate() {
            sink.count(player, terms::HANGING + n, set & hanging);
        }
    }
}

/// The number of king moves from one square to another.
fn distance(from: Square, to: Square) -> f64 {
    let files = (from.file() as u8).abs_diff(to.file() as u8);
    f64::from(files.max((from.rank() as u8).abs_diff(to.rank() as u8)))
}

/// Whether each player has one bishop, the two on squares of different colours, and otherwise only pawns.
fn opposite_bishops(board: &Board) -> bool {
    let bishops = board.pieces(Piece::Bishop);
    let others = board.pieces(Piece::Knight) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let one_of_two = |set: BitBoard| bishops.len() == 2 && (bishops & set).len() == 1;
    others.is_empty() && one_of_two(board.colors(Side::White)) && one_of_two(BitBoard::LIGHT_SQUARES)
}
