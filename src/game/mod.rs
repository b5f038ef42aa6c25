//! Rules of the games, and nothing but rules.
//!
//! A game is a position type that implements [`Game`]: the side to move, legal moves, what they do, when the
//! game ends, FEN and move text. That is enough to be searched, solved, refereed and learned. The other
//! traits have defaults; each holds what one kind of reader may ask of a game:
//!
//! - [`Chance`]: chance events and their outcomes;
//! - [`Features`]: the features of linear evaluations, their shipped weights and the scale of their values;
//! - [`MoveOrdering`]: tactical moves, capture values, static exchange evaluation;
//! - [`Selectivity`]: checks, null moves, candidate moves;
//! - [`SelectiveDeepening`]: the move ratings of minimax selective deepening;
//! - [`Playouts`]: the playouts of Monte Carlo tree search;
//! - [`Solvable`]: what a solver knows of a position.
//!
//! [`Searchable`] and [`Playable`] stand for all that a search or an engine needs. Nothing in here knows
//! that a search or an evaluation exists. A new game is a new folder in here, one line in the registry
//! ([`crate::engine::registry`]) and one suite in `perft/`.

pub mod amazons;
mod bench;
mod chance;
pub mod chess;
mod error;
mod features;
pub mod fen;
mod history;
mod msd;
pub mod neighbours;
mod ordering;
mod outcome;
pub mod perft;
mod playouts;
mod scale;
mod selectivity;
mod solvable;
pub mod tucchess;
mod zobrist;

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Not;

pub use bench::BenchSuite;
pub use chance::Chance;
pub use error::{FenError, MoveError, quote};
pub use features::{FeatureSet, Features};
pub use history::GameHistory;
pub use msd::{MsdTerms, SelectiveDeepening};
pub use ordering::MoveOrdering;
pub use outcome::{DrawRules, Ending, Outcome, Points};
pub use playouts::Playouts;
pub use scale::{Scale, Strength, WdlModel};
pub use selectivity::Selectivity;
pub use solvable::{ProofLeaf, Solvable};
pub(crate) use zobrist::mixed;

/// One of the two players. White moves first from every start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The player with the upper-case pieces, at the bottom of the board.
    White,
    /// The player with the lower-case pieces, at the top of the board.
    Black,
}

impl Color {
    /// White and Black, in the order of [`Color::index`].
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter that stands for the player in a FEN: `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

/// An option of a game's own: which board it is played on, or how its moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Its values, the default first.
    pub choices: &'static [&'static str],
}

/// A move, small enough to be packed into a transposition table entry.
pub trait GameMove: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The move as a number in `1 .. 1 << 24`; 0 is kept for "no move".
    fn to_bits(self) -> u32;

    /// The inverse of [`GameMove::to_bits`].
    ///
    /// A number that no move has gives some move all the same, never a panic: table entries are
    /// compared with the legal moves before they are trusted.
    fn from_bits(bits: u32) -> Self;
}

/// A position that knows its rules.
///
/// A position is cheap to clone: searches keep one per ply and never take a move back. It carries
/// the counters of its FEN; what needs earlier positions (repetition) is asked of [`GameHistory`].
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A move of this game.
    type Move: GameMove;

    /// The name of the variant, as `UCI_Variant` has it.
    const NAME: &'static str;

    /// An upper bound on the number of legal moves in any position.
    const MAX_MOVES: usize;

    /// The draws that the rules of this game know besides those of [`Game::terminal_outcome`].
    const DRAW_RULES: DrawRules;

    /// Plies after which a referee ends a game that would go on for ever, in favour of [`Game::leader`].
    /// None where the rules end every game.
    const LONGEST_GAME: Option<u32> = None;

    /// The option that the game has of its own, if any. What is chosen goes by its number in the list of
    /// choices.
    const OPTION: Option<GameOption> = None;

    /// The positions that `bench` searches.
    const BENCH: BenchSuite = BenchSuite::EMPTY;

    /// The start position.
    fn start() -> Self;

    /// The start position under a choice of [`Game::OPTION`].
    fn start_with(_choice: usize) -> Self {
        Self::start()
    }

    /// Makes a position one of another choice of [`Game::OPTION`], as far as the choice is more than a
    /// start position.
    fn choose(&mut self, _choice: usize) {}

    /// Reads a position; counters may be missing at the end of the text.
    ///
    /// # Errors
    /// Names the field, what was found and what was expected.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position in text, all fields present. [`Game::from_fen`] reads it back.
    fn fen(&self) -> String;

    /// The player whose turn it is.
    fn side_to_move(&self) -> Color;

    /// Appends the legal moves to `moves`, in an order that depends on the position alone.
    ///
    /// No move is appended exactly when the rules end the game in this position; draws that depend
    /// on counters or on earlier positions ([`Game::DRAW_RULES`]) do not count here.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Whether a move of any other position is legal in this one, too.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.contains(&mv)
    }

    /// Plays a legal move of this position. An illegal one leaves some position, never a panic.
    fn play(&mut self, mv: Self::Move);

    /// How the game has ended, in a position without legal moves.
    fn terminal_outcome(&self) -> Outcome;

    /// Who has won if a referee ends the game here: nobody, unless the game has points.
    fn leader(&self) -> Option<Color> {
        None
    }

    /// Zobrist key of the board and the side to move, kept incrementally; counters are not in it.
    fn key(&self) -> u64;

    /// The same key, computed from scratch: tests compare [`Game::key`] with it.
    fn key_from_scratch(&self) -> u64;

    /// The key under which search results are stored: everything that the value of a position depends on
    /// besides its history has to be in it.
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// Whether board and side to move are the same, whatever the counters say: equality for repetition.
    fn same_position(&self, other: &Self) -> bool;

    /// A move in the notation of the game.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads a legal move of this position.
    ///
    /// # Errors
    /// [`MoveError`] when the text is not a move at all, or not a legal one here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// A picture of the board in text, several lines, the last one without a line end.
    fn diagram(&self) -> String;

    /// The number of legal moves; faster than listing them where a game can count.
    fn count_moves(&self) -> usize {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Whether the side to move has no legal move, so that [`Game::terminal_outcome`] holds.
    fn is_terminal(&self) -> bool {
        self.count_moves() == 0
    }

    /// How the game has ended by this position alone, if it has.
    fn outcome(&self) -> Option<Outcome> {
        self.is_terminal().then(|| self.terminal_outcome())
    }

    /// Whether neither player can win any more, whatever is played: a draw at once, though there are moves.
    fn is_dead(&self) -> bool {
        false
    }

    /// Plies since the last move that can never be undone: no earlier position can come back.
    ///
    /// It is also the count of the no-progress rule. A game in which nothing repeats answers 0.
    fn halfmove_clock(&self) -> usize {
        0
    }
}

/// Everything that a search asks of a game.
pub trait Searchable: Chance + MoveOrdering + Selectivity + SelectiveDeepening + Playouts {}

impl<G: Chance + MoveOrdering + Selectivity + SelectiveDeepening + Playouts> Searchable for G {}

/// Everything that an engine asks of a game.
pub trait Playable: Searchable + Features + Solvable {}

impl<G: Searchable + Features + Solvable> Playable for G {}
