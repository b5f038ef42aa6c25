//! The classical evaluation: the terms of the field, each with a weight for the middle game and one for the
//! end game.
//!
//! The evaluation is tapered: it interpolates between the two by the game phase, for which knights and
//! bishops count 1, rooks 2 and queens 4, 24 at the start. So it is linear in the weights. All terms are
//! those of the player to move less those of the other; the unit is a pawn.

use cozy_chess::{
    BitBoard, Board, Color as Side, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::super::FeatureSet;
use super::pawns::{FILE_A, Pawns, files, fill_up, turned};
use super::terms::{self, NAMES};

/// Material, squares, mobility, pawns, kings, threats, each for the middle game and the end game.
pub(super) const SET: FeatureSet = FeatureSet {
    name: "classical",
    features: &NAMES,
    default_weights: Some(include_str!("../../../weights/chess/classical.json")),
    scale: super::features::SCALE,
};

/// What [`OFFICERS`] count for the middle game; all of them at the start count [`FULL_PHASE`].
const PHASES: [u32; 4] = [1, 1, 2, 4];
const FULL_PHASE: u32 = 24;

/// Units of danger for each square around the king that a knight, bishop, rook or queen attacks, and for
/// the kinds of pieces that can give a safe check. (The first row is that of the table "King Safety" of the
/// Chess Programming Wiki, the second was set by hand in proportion.)
const RING_UNITS: [u32; 4] = [2, 2, 3, 5];
const CHECK_UNITS: [u32; 4] = [6, 4, 8, 7];
/// Units of danger in a step of the table.
const DANGER_STEP: u32 = 4;

/// The pieces that move freely, in the order of the terms.
const OFFICERS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Where terms are counted, for the side to move (0) and for the other player (1).
trait Sheet {
    /// A term that holds once.
    fn one(&mut self, player: usize, term: usize);

    /// A term that holds so many times.
    fn add(&mut self, player: usize, term: usize, count: f64);

    /// The same for a number of pieces or squares.
    #[inline(always)]
    fn count(&mut self, player: usize, term: usize, set: BitBoard) {
        self.add(player, term, f64::from(set.len()));
    }
}

/// Hands the features on: a term is shared out to the middle game and the end game.
struct Visitor<V> {
    visit: V,
    /// The share of the middle game.
    middle: f64,
}

impl<V: FnMut(usize, f64)> Sheet for Visitor<V> {
    fn one(&mut self, player: usize, term: usize) {
        self.add(player, term, 1.0);
    }

    fn add(&mut self, player: usize, term: usize, count: f64) {
        let count = if player == 0 { count } else { -count };
        if count != 0.0 {
            (self.visit)(2 * term, count * self.middle);
            (self.visit)(2 * term + 1, count * (1.0 - self.middle));
        }
    }
}

/// Adds the weights of the middle game and those of the end game up. (Two sums of each, so that the
/// processor need not wait for one addition to begin the next.)
struct Tally<'a> {
    weights: &'a [[f64; 2]],
    ones: [[f64; 2]; 2],
    counts: [[f64; 2]; 2],
}

impl Tally<'_> {
    /// The evaluation for the side to move.
    fn value(&self, middle: f64) -> f64 {
        let lead = |n: usize| self.ones[0][n] + self.counts[0][n] - self.ones[1][n] - self.counts[1][n];
        lead(0) * middle + lead(1) * (1.0 - middle)
    }
}

impl Sheet for Tally<'_> {
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
    fill(board, &mut Visitor { visit, middle: phase(board) });
}

/// The sum of the features by their weights.
#[inline]
pub(super) fn weigh(board: &Board, weights: &[f64]) -> f64 {
    let (weights, _) = weights.as_chunks();
    let mut tally = Tally { weights, ones: [[0.0; 2]; 2], counts: [[0.0; 2]; 2] };
    fill(board, &mut tally);
    tally.value(phase(board))
}

/// The game phase: 1 in the middle game with all pieces, 0 in the end game.
pub(super) fn phase(board: &Board) -> f64 {
    let mut sum = 0;
    for (n, piece) in OFFICERS.into_iter().enumerate() {
        sum += PHASES[n] * board.pieces(piece).len();
    }
    f64::from(sum.min(FULL_PHASE)) / f64::from(FULL_PHASE)
}

/// The squares that a player attacks.
#[derive(Clone, Copy, Default)]
struct Attacks {
    pawns: BitBoard,
    /// Those of [`OFFICERS`].
    officers: [BitBoard; 4],
    /// All of them and the king.
    all: BitBoard,
    /// Units of danger to the enemy king from squares around it.
    danger: u32,
}

/// Counts all terms.
#[inline(always)]
fn fill(board: &Board, sheet: &mut impl Sheet) {
    let us = board.side_to_move();
    let views = [Observation::new(board, us), Observation::new(board, !us)];
    let attacks = [views[0].pieces(0, sheet), views[1].pieces(1, sheet)];
    for (player, view) in views.iter().enumerate() {
        let (own, enemy) = (&attacks[player], &attacks[1 - player]);
        view.pawns.structure(|term, set| sheet.count(player, term, BitBoard(set)));
        view.passed(enemy, player, sheet);
        view.king(own, enemy, player, sheet);
        view.threats(own, enemy, player, sheet);
    }
    sheet.one(0, terms::TEMPO);
    if opposite_bishops(board) {
        let pawns = board.pieces(Piece::Pawn);
        sheet.count(0, terms::OPPOSITE_BISHOPS, pawns & board.colors(us));
        sheet.count(1, terms::OPPOSITE_BISHOPS, pawns & board.colors(!us));
    }
}

/// The squares of the board in tables of its left half, file by file.
static HALF: [u8; Square::NUM] = {
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

/// A position from the point of view of one player.
struct Observation<'a> {
    board: &'a Board,
    side: Side,
    pawns: Pawns,
}

impl<'a> Observation<'a> {
    #[inline(always)]
    fn new(board: &'a Board, side: Side) -> Observation<'a> {
        Observation { board, side, pawns: Pawns::new(board, side) }
    }

    /// The player's pieces of a kind.
    fn own(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(self.side, piece)
    }

    /// A board of the pawns as the position has it.
    fn back(&self, board: u64) -> BitBoard {
        BitBoard(turned(board, self.side))
    }

    /// The number of a square in a table of the left half of the board.
    #[inline(always)]
    fn half(&self, square: Square) -> usize {
        usize::from(HALF[square.relative_to(self.side) as usize])
    }

    /// Counts material, squares, mobility and what single pieces have; what they all attack.
    #[inline(always)]
    fn pieces(&self, player: usize, sheet: &mut impl Sheet) -> Attacks {
        let Observation { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        let own_pawns = self.own(Piece::Pawn);
        sheet.count(player, terms::MATERIAL, own_pawns);
        for square in own_pawns {
            sheet.one(player, terms::PAWN_ON + self.half(square));
        }
        let king = board.king(side);
        sheet.one(player, terms::KING_ON + self.half(king));

        let ring = get_king_moves(board.king(!side)) | board.king(!side).bitboard();
        let pawn_attacks = self.back(pawns.attacks());
        let open = !(own_pawns | king.bitboard() | self.back(pawns.enemy_attacks()));
        let mut attacks =
            Attacks { pawns: pawn_attacks, all: pawn_attacks | get_king_moves(king), ..Attacks::default() };
        for (n, piece) in OFFICERS.into_iter().enumerate() {
            let pieces = self.own(piece);
            sheet.count(player, terms::MATERIAL + 1 + n, pieces);
            for square in pieces {
                sheet.one(player, terms::OFFICER_ON[n] + self.half(square));
                let reached = match piece {
                    Piece::Knight => get_knight_moves(square),
                    Piece::Bishop => get_bishop_moves(square, occupied),
                    Piece::Rook => get_rook_moves(square, occupied),
                    _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                };
                sheet.one(player, terms::MOBILITY[n] + (reached & open).len() as usize);
                attacks.officers[n] |= reached;
                attacks.danger += RING_UNITS[n] * (reached & ring).len();
            }
            attacks.all |= attacks.officers[n];
        }

        let (knights, bishops, rooks) =
            (self.own(Piece::Knight), self.own(Piece::Bishop), self.own(Piece::Rook));
        sheet.add(player, terms::BISHOP_PAIR, if bishops.len() > 1 { 1.0 } else { 0.0 });
        let outposts = pawn_attacks & self.back(!pawns.enemy_reach() & OUTPOST_RANKS);
        sheet.count(player, terms::OUTPOST, knights & outposts);
        sheet.count(player, terms::OUTPOST + 1, bishops & outposts);
        for square in bishops {
            let light = BitBoard::LIGHT_SQUARES.has(square);
            let colour = if light { BitBoard::LIGHT_SQUARES } else { BitBoard::DARK_SQUARES };
            sheet.count(player, terms::BISHOP_PAWNS, own_pawns & colour);
        }
        let closed = BitBoard(files(own_pawns.0));
        let half_closed = BitBoard(files(board.pieces(Piece::Pawn).0));
        sheet.count(player, terms::ROOK_OPEN, rooks & !half_closed);
        sheet.count(player, terms::ROOK_HALF_OPEN, rooks & !closed & half_closed);
        sheet.count(player, terms::ROOK_SEVENTH, rooks & Rank::Seventh.relative_to(side).bitboard());
        attacks
    }

    /// Counts passed pawns.
    #[inline(always)]
    fn passed(&self, enemy: &Attacks, player: usize, sheet: &mut impl Sheet) {
        let Observation { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        for square in self.back(pawns.passed()) {
            let place = square.relative_to(side) as usize;
            let rank = place / 8;
            let next = Square::index(place + 8).relative_to(side);
            sheet.one(player, terms::PASSED + rank - 1);
            if !occupied.has(next) {
                sheet.one(player, terms::PASSED_FREE + rank - 1);
            }
            // From 0 on the second rank to 1 on the seventh.
            let gone = (rank - 1) as f64 / 5.0;
            let way = self.back(fill_up(1 << (place + 8)) & FILE_A << (place % 8));
            if (way & (occupied | enemy.all)).is_empty() {
                sheet.add(player, terms::PASSED_SAFE, gone);
            }
            sheet.add(player, terms::PASSED_OWN_KING, gone * distance(board.king(side), next));
            sheet.add(player, terms::PASSED_ENEMY_KING, gone * distance(board.king(!side), next));
        }
    }

    /// Counts the pawns before the king and the attacks on it.
    #[inline(always)]
    fn king(&self, own: &Attacks, enemy: &Attacks, player: usize, sheet: &mut impl Sheet) {
        let Observation { board, side, ref pawns } = *self;
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
            sheet.one(player, terms::SHIELD[usize::from(near != file)] + shield);
            let storm = match (pawns.enemies & column).trailing_zeros() / 8 {
                8 => 0,
                rank => rank.clamp(1, 5),
            };
            sheet.one(player, terms::STORM + storm as usize);
        }

        // Where a check could be given without being taken at once.
        let safe = !own.all & !board.colors(!side);
        let straight = get_rook_moves(king, board.occupied()) & safe;
        let diagonal = get_bishop_moves(king, board.occupied()) & safe;
        let checks = [get_knight_moves(king) & safe, diagonal, straight, diagonal | straight];
        let mut units = enemy.danger;
        for (n, from) in checks.into_iter().enumerate() {
            units += if (from & enemy.officers[n]).is_empty() { 0 } else { CHECK_UNITS[n] };
        }
        let step = (units / DANGER_STEP).min(terms::DANGER_STEPS as u32 - 1);
        sheet.one(player, terms::DANGER + step as usize);
    }

    /// Counts the enemy pieces that are in danger.
    #[inline(always)]
    fn threats(&self, own: &Attacks, enemy: &Attacks, player: usize, sheet: &mut impl Sheet) {
        let enemies = |piece| self.board.colored_pieces(!self.side, piece);
        let (pawns, rooks, queens) = (enemies(Piece::Pawn), enemies(Piece::Rook), enemies(Piece::Queen));
        let minors = enemies(Piece::Knight) | enemies(Piece::Bishop);
        let [by_knights, by_bishops, by_rooks, _] = own.officers;
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
            sheet.count(player, terms::THREAT + n, set);
        }
        let hanging = own.all & !enemy.all;
        for (n, set) in [pawns, minors, rooks, queens].into_iter().enumerate() {
            sheet.count(player, terms::HANGING + n, set & hanging);
        }
    }
}

/// Moves of a king from one square to another.
fn distance(from: Square, to: Square) -> f64 {
    let files = (from.file() as u8).abs_diff(to.file() as u8);
    f64::from(files.max((from.rank() as u8).abs_diff(to.rank() as u8)))
}

/// Whether each player has a bishop, on squares of different colours, and nothing else but pawns.
fn opposite_bishops(board: &Board) -> bool {
    let bishops = board.pieces(Piece::Bishop);
    let others = board.pieces(Piece::Knight) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let one_of_two = |set: BitBoard| bishops.len() == 2 && (bishops & set).len() == 1;
    others.is_empty() && one_of_two(board.colors(Side::White)) && one_of_two(BitBoard::LIGHT_SQUARES)
}
