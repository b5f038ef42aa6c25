//! The rules of the games.
//!
//! A game is a position type that implements [`Game`]: side to move, legal moves, playing a move, the end of
//! the game, FEN and move text. This is enough to search, solve, referee and learn a game. The other traits
//! have defaults, and each serves one kind of caller:
//!
//! - [`Chance`]: chance events and their outcomes;
//! - [`Features`]: the features of linear evaluations, their shipped weights and the scale of their values;
//! - [`MoveOrdering`]: tactical moves, capture values, static exchange evaluation;
//! - [`Selectivity`]: checks, null moves, candidate moves;
//! - [`SelectiveDeepening`]: the move ratings of minimax selective deepening;
//! - [`Playouts`]: the playouts of Monte Carlo tree search;
//! - [`Tabled`]: endgame tables;
//! - [`Encoding`]: planes and move indices for policy/value nets;
//! - [`Inputs`]: sparse inputs for efficiently updatable nets.
//!
//! [`Searchable`] combines the traits that a search requires, [`Playable`](crate::engine::Playable) those of an
//! engine. Nothing in this
//! module depends on a search or an evaluation. A new game is a new folder here, one line in the registry
//! ([`crate::engine::registry`]) and one suite in `perft/`.

pub mod amazons;
mod bench;
mod chance;
pub mod chess;
mod encoding;
pub mod epd;
mod error;
mod features;
pub mod fen;
mod history;
mod inputs;
mod looks;
mod msd;
pub mod neighbours;
mod ordering;
mod outcome;
pub mod perft;
mod playouts;
mod scale;
mod selectivity;
mod tables;
pub mod tucchess;
mod zobrist;

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Not;

pub use bench::BenchSuite;
pub use chance::Chance;
pub use encoding::{Encoding, EncodingShape, Symmetry};
pub use error::{FenError, MoveError, quote};
pub use features::{FeatureSet, Features};
pub use history::GameHistory;
pub use inputs::{
    InputRows, InputShape, InputView, Inputs, MOST_INPUTS, each_changed_input, each_input, plane_and_bit,
};
pub use looks::{Looks, PieceLooks};
pub use msd::{MsdTerms, SelectiveDeepening};
pub use ordering::MoveOrdering;
pub use outcome::{DrawRules, Ending, Outcome, Points};
pub use playouts::Playouts;
pub use scale::{Scale, Strength, WdlModel};
pub use selectivity::Selectivity;
pub use tables::{
    EndgameTables, Endgames, EndgamesVisitor, Initial, SharedTables, TableMoves, TableResult, Tabled,
    TablesError,
};
#[cfg(has_tables)]
pub use tables::{TableFile, TableName};
pub use zobrist::mixed;

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

    /// The letter of the player in a FEN: `w` or `b`.
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

/// An option that belongs to one game, such as the size of its board or the notation of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// The name in the protocol.
    pub name: &'static str,
    /// The values, the default first. The usual ones come next: lists that have to be short are cut.
    pub choices: &'static [&'static str],
    /// What the values are, such as `a number of squares`, where they are too many for an error to list.
    pub in_words: Option<&'static str>,
}

/// A move that fits into an entry of the transposition table.
pub trait GameMove: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The move as a number in `1 .. 1 << 24`; 0 means "no move".
    fn to_bits(self) -> u32;

    /// The inverse of [`GameMove::to_bits`].
    ///
    /// Never panics: a number that no move has gives an arbitrary move. Moves of table entries are checked
    /// for legality before they are used.
    fn from_bits(bits: u32) -> Self;
}

/// A position of a game and its rules.
///
/// A position is cheap to clone: searches keep one per ply and never take a move back. It includes the
/// counters of its FEN. Rules that need earlier positions (repetition) are part of [`GameHistory`].
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A move of this game.
    type Move: GameMove;

    /// The name of the game, a value of the option `UCI_Variant`.
    const NAME: &'static str;

    /// An upper bound on the number of legal moves in any position.
    const MAX_MOVES: usize;

    /// The draws by repetition and lack of progress, besides those of [`Game::terminal_outcome`].
    const DRAW_RULES: DrawRules;

    /// Plies after which a referee ends a game, in favour of [`Game::leader`]. None if the rules end every
    /// game.
    const LONGEST_GAME: Option<u32> = None;

    /// The option that belongs to this game, if any. A choice is an index into its list of choices.
    const OPTION: Option<GameOption> = None;

    /// The values of the PGN tag `Variant` that stand for this game; an empty value stands for a record
    /// without the tag. Each has an index into the choices of [`Game::OPTION`], 0 where there are none. The
    /// first value of a choice is the one that records are written with.
    const PGN_VARIANTS: &'static [(&'static str, usize)] = &[(Self::NAME, 0)];

    /// The names of the game in the xboard protocol, by the choice of [`Game::OPTION`]. None where that
    /// protocol does not have the game.
    const XBOARD_VARIANTS: &'static [&'static str] = &[];

    /// How a board on a screen shows the game.
    const LOOKS: Looks = Looks { title: Self::NAME, ..Looks::LETTERS };

    /// The positions that `bench` searches.
    const BENCH: BenchSuite = BenchSuite::EMPTY;

    /// The start position.
    fn start() -> Self;

    /// The start position under a choice of [`Game::OPTION`].
    fn start_with(_choice: usize) -> Self {
        Self::start()
    }

    /// Applies a choice of [`Game::OPTION`] to the position. Does nothing if the choice only selects a start
    /// position.
    fn choose(&mut self, _choice: usize) {}

    /// Reads a position; counters may be missing at the end of the text.
    ///
    /// # Errors
    /// [`FenError`] names the field, its text and the expected form.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position as a FEN with all fields. [`Game::from_fen`] reads it back.
    fn fen(&self) -> String;

    /// The player whose turn it is.
    fn side_to_move(&self) -> Color;

    /// Appends the legal moves to `moves`, in an order that depends on the position alone.
    ///
    /// No move is appended if and only if the rules end the game in this position. Draws that depend on
    /// counters or on earlier positions ([`Game::DRAW_RULES`]) do not end it here.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Whether a move is legal in this position. The move may come from any other position.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.contains(&mv)
    }

    /// Plays a legal move. Never panics: after an illegal move the position is arbitrary.
    fn play(&mut self, mv: Self::Move);

    /// The position after a legal move.
    #[inline]
    fn after(&self, mv: Self::Move) -> Self {
        let mut after = self.clone();
        after.play(mv);
        after
    }

    /// The outcome of the game in a position without legal moves.
    fn terminal_outcome(&self) -> Outcome;

    /// The winner if a referee ends the game here. None in games without points.
    fn leader(&self) -> Option<Color> {
        None
    }

    /// Zobrist key of the board and the side to move, updated incrementally. It does not include counters.
    fn key(&self) -> u64;

    /// The same key, computed from scratch: tests compare [`Game::key`] with it.
    fn key_from_scratch(&self) -> u64;

    /// The key of the transposition table. It has to include everything that the value of a position depends
    /// on, except its history.
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// Whether board and side to move are the same. Counters are ignored, as for repetition.
    fn same_position(&self, other: &Self) -> bool;

    /// A move in the notation of the game.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads a legal move of this position.
    ///
    /// # Errors
    /// [`MoveError`] when the text is not a move or the move is not legal.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// A legal move in the notation of game records: standard algebraic notation (SAN) in chess, by default
    /// that of [`Game::move_text`].
    fn san(&self, mv: Self::Move) -> String {
        self.move_text(mv)
    }

    /// Reads a legal move of this position from a game record, in either notation.
    ///
    /// # Errors
    /// [`MoveError`] when the text is not a move or the move is not legal.
    fn parse_san(&self, text: &str) -> Result<Self::Move, MoveError> {
        self.parse_move(text)
    }

    /// A diagram of the board in several lines, the last one without a line end.
    fn diagram(&self) -> String;

    /// The number of legal moves. A game may count faster than it lists moves.
    fn count_moves(&self) -> usize {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Whether the side to move has no legal move; then [`Game::terminal_outcome`] is the outcome.
    fn is_terminal(&self) -> bool {
        self.count_moves() == 0
    }

    /// The outcome of the game if it has ended, without regard to history and counters.
    fn outcome(&self) -> Option<Outcome> {
        self.is_terminal().then(|| self.terminal_outcome())
    }

    /// Whether neither player can win by any sequence of moves. Such a position is a draw although there are
    /// moves.
    fn is_dead(&self) -> bool {
        false
    }

    /// Plies since the last irreversible move (rule50 in Stockfish): no position before it can repeat. The
    /// draw by lack of progress uses the same count. A game in which no position can repeat returns 0.
    fn halfmove_clock(&self) -> usize {
        0
    }
}

/// All traits that a search requires of a game.
pub trait Searchable: Chance + MoveOrdering + Selectivity + SelectiveDeepening + Playouts + Tabled {}

impl<G: Chance + MoveOrdering + Selectivity + SelectiveDeepening + Playouts + Tabled> Searchable for G {}
