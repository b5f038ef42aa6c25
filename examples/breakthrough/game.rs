//! Breakthrough on a board of five files and five ranks, a game that Labrys does not have.
//!
//! Each player has two rows of pawns. A pawn moves one square straight or diagonally forward to an empty
//! square, and captures diagonally forward only. A player wins by a pawn on the last rank, or by the
//! capture of all pawns of the opponent.
//!
//! It implements rules and notation only, the minimum for a new game.

use std::sync::LazyLock;

use labrys::game::fen::{self, Fields};
use labrys::game::{
    Color, DrawRules, Ending, FenError, Game, GameInfo, GameMove, Knowledge, MoveError, Outcome,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Files and ranks of the board.
const SIZE: usize = 5;

/// The maximum number of pawns of a player.
const PAWNS: u32 = 2 * SIZE as u32;

/// The greatest move number in a FEN; the counter stops there.
const LAST_MOVE: u16 = 9_999;

/// Zobrist keys of a pawn on a square, for White and for Black; the last one is Black to move.
static KEYS: LazyLock<[u64; 2 * SIZE * SIZE + 1]> = LazyLock::new(|| {
    let mut random = StdRng::seed_from_u64(0x4272_6561);
    std::array::from_fn(|_| random.random())
});

/// A position of Breakthrough. Bit `5 * rank + file` is a square, a1 is bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakthrough {
    /// The pawns of White and of Black.
    pawns: [u32; 2],
    stm: Color,
    key: u64,
    move_number: u16,
}

/// A move of Breakthrough: the squares that it goes from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BreakthroughMove {
    from: u8,
    to: u8,
}

impl GameMove for BreakthroughMove {
    fn to_bits(self) -> u32 {
        u32::from(self.from) << 5 | u32::from(self.to)
    }

    fn from_bits(bits: u32) -> Self {
        BreakthroughMove { from: (bits >> 5 & 31) as u8, to: (bits & 31) as u8 }
    }
}

/// The rank on which a player's pawns win.
fn last_rank(player: Color) -> u32 {
    match player {
        Color::White => 0b11111 << (SIZE * (SIZE - 1)),
        Color::Black => 0b11111,
    }
}

impl Breakthrough {
    fn new(pawns: [u32; 2], stm: Color, move_number: u16) -> Breakthrough {
        let mut position = Breakthrough { pawns, stm, key: 0, move_number };
        position.key = position.key_from_scratch();
        position
    }

    fn of(&self, player: Color) -> u32 {
        self.pawns[player.index()]
    }

    /// Removes or adds a pawn.
    fn toggle(&mut self, player: Color, square: u8) {
        self.pawns[player.index()] ^= 1 << square;
        self.key ^= KEYS[SIZE * SIZE * player.index() + usize::from(square)];
    }

    /// Whether a player has a pawn on the last rank, or the opponent has no pawns.
    fn has_won(&self, player: Color) -> bool {
        self.of(player) & last_rank(player) != 0 || self.of(!player) == 0
    }

    fn winner(&self) -> Option<Color> {
        Color::BOTH.into_iter().find(|&player| self.has_won(player))
    }

    /// The letter of the pawn on a square; none for an empty square.
    fn letter(&self, file: usize, rank: usize) -> Option<char> {
        let square = 1 << (SIZE * rank + file);
        let letter = |player| if player == Color::White { 'P' } else { 'p' };
        Color::BOTH.into_iter().find(|&player| self.of(player) & square != 0).map(letter)
    }
}

impl Game for Breakthrough {
    type Move = BreakthroughMove;

    fn info() -> GameInfo {
        GameInfo::new("breakthrough")
    }

    const MAX_MOVES: usize = 3 * PAWNS as usize;

    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    fn start() -> Self {
        Breakthrough::new([(1 << 10) - 1, ((1 << 10) - 1) << 15], Color::White, 1)
    }

    fn from_fen(text: &str) -> Result<Self, FenError> {
        let mut fields = Fields::new(text);
        let mut pawns = [0u32; 2];
        let board = fields.required("board", "five ranks of `P`, `p` and numbers of empty squares")?;
        fen::read_board(board, SIZE, SIZE, |file, rank, letter| {
            let player = match letter {
                'P' => Color::White,
                'p' => Color::Black,
                _ => {
                    return Err(FenError::Piece { letter, rank: rank + 1, expected: "`P`, `p` or a number" });
                }
            };
            pawns[player.index()] |= 1 << (SIZE * rank + file);
            Ok(())
        })?;
        for (player, what) in [(Color::White, "white pawns"), (Color::Black, "black pawns")] {
            fen::at_most(what, pawns[player.index()].count_ones() as usize, PAWNS as usize)?;
        }
        let stm = fields.side()?;
        let move_number = fields.counter("move number", 1..=LAST_MOVE, 1)?;
        fields.end()?;
        let position = Breakthrough::new(pawns, stm, move_number);
        if Color::BOTH.into_iter().all(|player| position.has_won(player)) {
            let expected = "a position that one player at most has won".to_owned();
            return Err(FenError::Field { field: "board", found: board.to_owned(), expected });
        }
        Ok(position)
    }

    fn fen(&self) -> String {
        let board = fen::write_board(SIZE, SIZE, |file, rank| self.letter(file, rank));
        format!("{board} {} {}", self.stm.letter(), self.move_number)
    }

    fn side_to_move(&self) -> Color {
        self.stm
    }

    fn legal_moves(&self, moves: &mut Vec<BreakthroughMove>) {
        if self.winner().is_some() {
            return;
        }
        let (own, others) = (self.of(self.stm), self.of(!self.stm));
        for from in (0..(SIZE * SIZE) as u8).filter(|from| own & 1 << from != 0) {
            let rank = match self.stm {
                Color::White => usize::from(from) / SIZE + 1,
                Color::Black => usize::from(from) / SIZE - 1,
            };
            let file = usize::from(from) % SIZE;
            for to_file in file.saturating_sub(1)..=(file + 1).min(SIZE - 1) {
                let blocked = if to_file == file { own | others } else { own };
                let to = (SIZE * rank + to_file) as u8;
                if blocked & 1 << to == 0 {
                    moves.push(BreakthroughMove { from, to });
                }
            }
        }
    }

    fn play(&mut self, BreakthroughMove { from, to }: BreakthroughMove) {
        if usize::from(from.max(to)) >= SIZE * SIZE || self.of(self.stm) & 1 << from == 0 {
            return;
        }
        for player in Color::BOTH {
            if self.of(player) & 1 << to != 0 {
                self.toggle(player, to);
            }
        }
        self.toggle(self.stm, from);
        self.toggle(self.stm, to);
        self.move_number = (self.move_number + self.stm.index() as u16).min(LAST_MOVE);
        self.stm = !self.stm;
        self.key ^= KEYS[2 * SIZE * SIZE];
    }

    fn terminal_outcome(&self) -> Outcome {
        Outcome { winner: self.winner(), ending: Ending::NoMoves }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = if self.stm == Color::Black { KEYS[2 * SIZE * SIZE] } else { 0 };
        for (square, number) in KEYS[..2 * SIZE * SIZE].iter().enumerate() {
            if self.pawns[square / (SIZE * SIZE)] & 1 << (square % (SIZE * SIZE)) != 0 {
                key ^= number;
            }
        }
        key
    }

    fn same_position(&self, other: &Self) -> bool {
        (self.pawns, self.stm) == (other.pawns, other.stm)
    }

    fn move_text(&self, mv: BreakthroughMove) -> String {
        let square = |square: u8| fen::square_name(usize::from(square) % SIZE, usize::from(square) / SIZE);
        square(mv.from) + &square(mv.to)
    }

    fn parse_move(&self, text: &str) -> Result<BreakthroughMove, MoveError> {
        let moves = self.moves();
        if let Some(mv) = moves.into_iter().find(|&mv| self.move_text(mv) == text) {
            return Ok(mv);
        }
        let is_square = |pair: &[u8]| (b'a'..=b'e').contains(&pair[0]) && (b'1'..=b'5').contains(&pair[1]);
        if text.len() != 4 || !text.as_bytes().chunks(2).all(is_square) {
            return Err(MoveError::Syntax { text: text.to_owned(), expected: "two squares, as in `a2a3`" });
        }
        let reason = "pawns go forward to empty squares and capture diagonally".to_owned();
        Err(MoveError::Illegal { text: text.to_owned(), reason })
    }

    fn diagram(&self) -> String {
        fen::draw_board(SIZE, SIZE, |file, rank| self.letter(file, rank))
    }
}

impl Knowledge for Breakthrough {
    type InputPlanes = [u128; 0];
}

labrys::game!(Breakthrough);
