//! The position and its moves.

use super::super::fen::MAX_COUNT;
use super::super::zobrist::random_table;
use super::super::{Color, DrawRules, Ending, FenError, Game, GameInfo, GameMove, MoveError, Outcome};
use super::attacks::{self, NeighbourCounts, squares};
use super::info::INFO;
use super::notation;

/// The maximum number of pieces of a player.
pub(super) const PIECES: u32 = 8;

/// The plies without a capture that draw the game.
const NO_PROGRESS: usize = 100;

/// Zobrist keys of a piece on a square, for White and for Black.
static PIECE_KEYS: [[u64; 64]; 2] = [random_table(0x4E65_6967), random_table(0x6862_6F75)];

/// Zobrist key of Black to move.
const SIDE_KEY: u64 = random_table::<1>(0x7273)[0];

/// Keys of the halfmove clock, for the table key.
static PROGRESS_KEYS: [u64; NO_PROGRESS + 1] = random_table(0x6561_7421);

/// A position of Neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The pieces of White and of Black.
    pieces: [u64; 2],
    key: u64,
    stm: Color,
    /// Plies since the last capture.
    halfmove_clock: u16,
    move_number: u16,
}

/// A move of Neighbours: the squares it goes from and to, as bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeighboursMove {
    /// The square that the piece leaves, below 64.
    pub(super) from: u8,
    /// The target square, below 64.
    pub(super) to: u8,
}

impl GameMove for NeighboursMove {
    fn to_bits(self) -> u32 {
        u32::from(self.from) << 6 | u32::from(self.to)
    }

    fn from_bits(bits: u32) -> Self {
        NeighboursMove { from: (bits >> 6 & 63) as u8, to: (bits & 63) as u8 }
    }
}

impl Neighbours {
    /// Makes a position and computes its key. The caller has checked the pieces.
    pub(super) fn new(pieces: [u64; 2], stm: Color, halfmove_clock: u16, move_number: u16) -> Neighbours {
        let mut position = Neighbours { pieces, key: 0, stm, halfmove_clock, move_number };
        position.key = position.key_from_scratch();
        position
    }

    /// The pieces of a player.
    pub(super) fn of(&self, player: Color) -> u64 {
        self.pieces[player.index()]
    }

    /// Appends the moves to the squares of a set, none of which has a piece of the side to move.
    pub(super) fn moves_to(&self, squares_to: u64, moves: &mut Vec<NeighboursMove>) {
        let occupied = self.occupied();
        for from in squares(self.of(self.stm)) {
            let targets = attacks::targets(from, occupied) & squares_to;
            moves.extend(squares(targets).map(|to| NeighboursMove { from: from as u8, to: to as u8 }));
        }
    }

    /// The pieces of both players.
    pub(super) fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// The number of the move, counted up after each move of Black.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }
}

impl Game for Neighbours {
    type Move = NeighboursMove;

    fn info() -> GameInfo {
        INFO
    }

    const MAX_MOVES: usize = 64;

    const DRAW_RULES: DrawRules = DrawRules { repetitions: Some(3), no_progress: Some(NO_PROGRESS) };

    fn start() -> Self {
        Neighbours::new([0xFF, 0xFF << 56], Color::White, 0, 1)
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

    fn legal_moves(&self, moves: &mut Vec<NeighboursMove>) {
        self.moves_to(!self.of(self.stm), moves);
    }

    fn is_legal(&self, mv: NeighboursMove) -> bool {
        let own = self.of(self.stm);
        own >> mv.from & 1 != 0 && attacks::targets(mv.from.into(), self.occupied()) & !own & 1 << mv.to != 0
    }

    fn play(&mut self, mv: NeighboursMove) {
        let (us, them) = (self.stm.index(), (!self.stm).index());
        let (from, to) = (1 << mv.from, 1 << mv.to);
        self.pieces[us] = self.pieces[us] & !from | to;
        self.key ^= PIECE_KEYS[us][usize::from(mv.from)] ^ PIECE_KEYS[us][usize::from(mv.to)] ^ SIDE_KEY;
        if self.pieces[them] & to != 0 {
            self.pieces[them] &= !to;
            self.key ^= PIECE_KEYS[them][usize::from(mv.to)];
            self.halfmove_clock = 0;
        } else {
            self.halfmove_clock = (self.halfmove_clock + 1).min(MAX_COUNT);
        }
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
        let stm = if self.stm == Color::Black { SIDE_KEY } else { 0 };
        Color::BOTH.into_iter().fold(stm, |key, player| {
            let keys = &PIECE_KEYS[player.index()];
            squares(self.of(player)).fold(key, |key, square| key ^ keys[square as usize])
        })
    }

    fn same_position(&self, other: &Self) -> bool {
        self.pieces == other.pieces && self.stm == other.stm
    }

    fn move_text(&self, mv: NeighboursMove) -> String {
        notation::move_text(mv)
    }

    fn parse_move(&self, text: &str) -> Result<NeighboursMove, MoveError> {
        notation::parse_move(self, text)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn count_moves(&self) -> usize {
        let occupied = self.occupied();
        let reach = attacks::reach(self.of(self.stm), occupied, &NeighbourCounts::new(occupied));
        reach.iter().map(|targets| targets.count_ones() as usize).sum()
    }

    fn is_terminal(&self) -> bool {
        let occupied = self.occupied();
        let reach = attacks::reach(self.of(self.stm), occupied, &NeighbourCounts::new(occupied));
        reach.iter().all(|&targets| targets == 0)
    }

    fn halfmove_clock(&self) -> usize {
        usize::from(self.halfmove_clock)
    }

    /// The key includes the halfmove clock, which is a feature of the evaluation and decides when the game is
    /// drawn.
    fn table_key(&self) -> u64 {
        self.key ^ PROGRESS_KEYS[usize::from(self.halfmove_clock).min(NO_PROGRESS)]
    }
}
