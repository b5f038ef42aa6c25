//! The position and its moves.

use super::super::fen::MAX_COUNT;
use super::super::zobrist::random_table;
use super::super::{
    Color, DrawRules, Ending, FenError, Game, GameInfo, GameMove, MoveError, Outcome, random_below,
};
use super::board::{self, BITS, MAX_SIZE, around, floods, reach, squares};
use super::info::INFO;
use super::notation;

/// The maximum number of amazons of a player.
pub const MAX_AMAZONS: u32 = 8;

/// The maximum number of squares that a queen reaches: its four lines on the largest board.
const QUEEN_MOVES: usize = 4 * (MAX_SIZE - 1);

/// Bits of a square in a move.
const SQUARE_BITS: u32 = 7;

/// Zobrist keys of an amazon on a square, for White and for Black.
static AMAZON_KEYS: [[u64; BITS]; 2] = [random_table(0x416D_617A), random_table(0x6F6E_7321)];

/// Zobrist keys of an arrow on a square.
static ARROW_KEYS: [u64; BITS] = random_table(0x4172_726F);

/// Zobrist keys of the sizes of the board.
static SIZE_KEYS: [[u64; MAX_SIZE + 1]; MAX_SIZE + 1] = {
    let mut keys = [[0; MAX_SIZE + 1]; MAX_SIZE + 1];
    let mut files = 0;
    while files <= MAX_SIZE {
        keys[files] = random_table(0x5369_7A65 + files as u64);
        files += 1;
    }
    keys
};

/// Zobrist key of Black to move.
const SIDE_KEY: u64 = random_table::<1>(0x7773)[0];

/// A position of Amazons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amazons {
    /// The amazons of White and of Black.
    amazons: [u128; 2],
    /// The squares with neither amazon nor arrow.
    empty: u128,
    key: u64,
    /// The FEN's count of plies.
    plies: u16,
    move_number: u16,
    files: u8,
    ranks: u8,
    stm: Color,
}

/// A move of Amazons, three squares as bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AmazonsMove {
    /// The square that the amazon leaves.
    pub from: u8,
    /// The target square, from which it shoots.
    pub to: u8,
    /// The square that the arrow hits.
    pub arrow: u8,
}

impl GameMove for AmazonsMove {
    fn to_bits(self) -> u32 {
        // Not 0: an amazon never stays where it is.
        (u32::from(self.from) << SQUARE_BITS | u32::from(self.to)) << SQUARE_BITS | u32::from(self.arrow)
    }

    fn from_bits(bits: u32) -> Self {
        let square = |number: u32| (bits >> (SQUARE_BITS * number)) as u8 & ((1 << SQUARE_BITS) - 1);
        AmazonsMove { from: square(2), to: square(1), arrow: square(0) }
    }
}

/// A random square of a set.
#[inline]
fn random_square(mut set: u128, random: &mut dyn FnMut() -> f64) -> Option<u8> {
    for _ in 0..random_below(set.count_ones() as usize, random) {
        set &= set - 1;
    }
    (set != 0).then(|| set.trailing_zeros() as u8)
}

impl Amazons {
    /// Makes a position. The caller has checked the size of the board, the amazons and the arrows.
    #[inline]
    pub fn new(
        (files, ranks): (usize, usize),
        amazons: [u128; 2],
        arrows: u128,
        stm: Color,
        plies: u16,
        move_number: u16,
    ) -> Amazons {
        let empty = board::board(files, ranks) & !(amazons[0] | amazons[1] | arrows);
        let (files, ranks) = (files as u8, ranks as u8);
        let mut position = Amazons { amazons, empty, key: 0, plies, move_number, files, ranks, stm };
        position.key = position.key_from_scratch();
        position
    }

    /// The amazons of a player.
    #[inline]
    pub fn of(&self, player: Color) -> u128 {
        self.amazons[player.index()]
    }

    /// The squares with neither amazon nor arrow.
    #[inline]
    pub fn empty(&self) -> u128 {
        self.empty
    }

    /// The squares with an arrow.
    #[inline]
    pub fn arrows(&self) -> u128 {
        let (files, ranks) = self.size();
        board::board(files, ranks) & !(self.empty | self.amazons[0] | self.amazons[1])
    }

    /// Files and ranks of the board.
    #[inline]
    pub fn size(&self) -> (usize, usize) {
        (self.files.into(), self.ranks.into())
    }

    /// The FEN's count of plies.
    pub(super) fn plies(&self) -> u16 {
        self.plies
    }

    /// The number of the move, counted up after each move of Black.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }

    /// The position after the first half of a move: no arrow has been shot yet.
    pub(super) fn moved(&self, from: u8, to: u8) -> Amazons {
        let mut position = *self;
        position.amazons[self.stm.index()] ^= 1 << from | 1 << to;
        position.empty ^= 1 << from | 1 << to;
        position.stm = !self.stm;
        position
    }

    /// The position with the other player to move.
    pub(super) fn passed(&self) -> Amazons {
        Amazons { stm: !self.stm, key: self.key ^ SIDE_KEY, ..*self }
    }

    /// Whether there is an empty square that both players can reach.
    pub(super) fn in_contact(&self) -> bool {
        let [white, black] = floods(self.amazons, self.empty);
        white & black != 0
    }

    /// Calls `each` for every move of an amazon of the side to move, with its start, its target, and the
    /// squares that the arrow can hit from there.
    #[inline]
    fn each_shot(&self, mut each: impl FnMut(u8, u8, u128)) {
        for from in squares(self.of(self.stm)) {
            let empty = self.empty | 1 << from;
            for to in squares(reach(from, self.empty)) {
                each(from, to, reach(to, empty));
            }
        }
    }
}

impl Game for Amazons {
    type Move = AmazonsMove;

    fn info() -> GameInfo {
        INFO
    }

    const MAX_MOVES: usize = MAX_AMAZONS as usize * QUEEN_MOVES * QUEEN_MOVES;

    /// No position repeats and every move is progress, as arrows are never removed.
    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    fn start() -> Self {
        Self::start_with(0)
    }

    fn start_with(choice: usize) -> Self {
        notation::start(choice)
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        notation::parse_fen(fen)
    }

    fn fen(&self) -> String {
        notation::fen(self)
    }

    fn side_to_move(&self) -> Color {
        self.stm
    }

    fn legal_moves(&self, moves: &mut Vec<AmazonsMove>) {
        self.each_shot(|from, to, arrows| {
            moves.extend(squares(arrows).map(|arrow| AmazonsMove { from, to, arrow }));
        });
    }

    /// The amazon, its target and the square of the arrow are sampled one after the other: a position has
    /// hundreds of moves, and three squares take a fraction of the time of listing them.
    fn random_move(&self, random: &mut dyn FnMut() -> f64) -> Option<AmazonsMove> {
        let from = random_square(self.of(self.stm) & around(self.empty), random)?;
        let to = random_square(reach(from, self.empty), random)?;
        let arrow = random_square(reach(to, self.empty | 1 << from), random)?;
        Some(AmazonsMove { from, to, arrow })
    }

    fn is_legal(&self, mv: AmazonsMove) -> bool {
        let AmazonsMove { from, to, arrow } = mv;
        self.of(self.stm) & 1 << from != 0
            && reach(from, self.empty) & 1 << to != 0
            && reach(to, self.empty | 1 << from) & 1 << arrow != 0
    }

    fn play(&mut self, mv: AmazonsMove) {
        let AmazonsMove { from, to, arrow } = mv;
        let us = self.stm.index();
        self.amazons[us] = self.amazons[us] & !(1 << from) | 1 << to;
        self.empty = (self.empty | 1 << from) & !(1 << to) & !(1 << arrow);
        let keys = &AMAZON_KEYS[us];
        self.key ^=
            keys[usize::from(from)] ^ keys[usize::from(to)] ^ ARROW_KEYS[usize::from(arrow)] ^ SIDE_KEY;
        self.plies = (self.plies + 1).min(MAX_COUNT);
        if self.stm == Color::Black {
            self.move_number = (self.move_number + 1).min(MAX_COUNT);
        }
        self.stm = !self.stm;
    }

    fn terminal_outcome(&self) -> Outcome {
        Outcome { winner: Some(!self.stm), ending: Ending::NoMoves }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let (files, ranks) = self.size();
        let stm = if self.stm == Color::Black { SIDE_KEY } else { 0 };
        let keys = |set: u128, keys: &[u64; BITS]| {
            squares(set).fold(0, |key, square| key ^ keys[usize::from(square)])
        };
        SIZE_KEYS[files][ranks]
            ^ stm
            ^ keys(self.of(Color::White), &AMAZON_KEYS[0])
            ^ keys(self.of(Color::Black), &AMAZON_KEYS[1])
            ^ keys(self.arrows(), &ARROW_KEYS)
    }

    fn same_position(&self, other: &Self) -> bool {
        (self.size(), self.stm) == (other.size(), other.stm)
            && self.amazons == other.amazons
            && self.empty == other.empty
    }

    fn move_text(&self, mv: AmazonsMove) -> String {
        notation::move_text(mv)
    }

    fn parse_move(&self, text: &str) -> Result<AmazonsMove, MoveError> {
        notation::parse_move(self, text)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.each_shot(|_, _, arrows| count += arrows.count_ones() as usize);
        count
    }

    /// An amazon that can move can also shoot: the square that it has left is empty.
    fn is_terminal(&self) -> bool {
        around(self.of(self.stm)) & self.empty == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_moves_are_legal_and_follow_the_numbers() {
        let position = Amazons::from_fen("1q2/2*1/4/Q1Q1 w - - 0 1").unwrap();
        let moves = position.moves();
        let last = 1.0 - f64::EPSILON / 2.0;
        let chosen = [0.0, 0.5, last].map(|number| position.random_move(&mut || number).unwrap());
        assert!(chosen.iter().all(|mv| moves.contains(mv)), "{chosen:?}");
        assert_eq!((Some(&chosen[0]), Some(&chosen[2])), (moves.first(), moves.last()));
        assert!(chosen[1] != chosen[0] && chosen[1] != chosen[2]);
        let stuck = Amazons::from_fen("Q*1q/**2/4/4 w - - 0 1").unwrap();
        assert_eq!((stuck.random_move(&mut || 0.0), stuck.is_terminal()), (None, true));
    }

    #[test]
    fn half_a_move_and_a_pass() {
        let position = Amazons::from_fen("1q2/2*1/4/Q1Q1 w - - 0 1").unwrap();
        let passed = position.passed();
        assert_eq!((passed.side_to_move(), passed.key()), (Color::Black, passed.key_from_scratch()));
        assert_eq!(passed.of(Color::White), position.of(Color::White));
        // From a1 to a2.
        let moved = position.moved(0, 11);
        assert_eq!(moved.of(Color::White), 1 << 11 | 1 << 2);
        assert_eq!(moved.empty(), position.empty() & !(1 << 11) | 1);
        assert_eq!((moved.side_to_move(), moved.arrows()), (Color::Black, position.arrows()));
    }

    #[test]
    fn contact_needs_an_empty_square_that_both_reach() {
        for (fen, in_contact) in [
            ("q3/4/4/3Q w", true),
            ("q3/****/4/3Q w", false),
            ("q1**/**2/4/3Q w", true),
            ("qQ**/**2/4/4 w", false),
        ] {
            assert_eq!(Amazons::from_fen(fen).unwrap().in_contact(), in_contact, "{fen}");
        }
    }
}
