//! The rules of the games.
//!
//! A game is a position type that implements two traits. [`Game`] is its rules and notation: side to move,
//! legal moves, playing a move, chance, the end of the game, FEN and move text; [`GameInfo`] is data beside
//! them. [`Knowledge`] is for searches, evaluations and nets; all of it has defaults, so that rules alone are
//! enough to search, solve, referee and learn a game.
//!
//! Nothing in this module depends on a search or an evaluation. A new game of Labrys is a new folder here,
//! one line in the registry ([`crate::engine::registry`]) and one suite in `perft/`; other programs add
//! theirs at run time.

pub mod amazons;
pub mod chess;
mod encoding;
pub mod epd;
mod error;
mod features;
pub mod fen;
mod history;
mod info;
mod inputs;
mod knowledge;
mod msd;
pub mod neighbours;
mod outcome;
pub mod perft;
mod phase;
mod scale;
mod tables;
#[cfg(test)]
mod tests;
pub mod tucchess;
mod zobrist;

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Not;

pub use encoding::{EncodingShape, PlaneGroup, PlaneSelection, PlanesError, Symmetry};
pub use error::{FenError, MoveError, counted, escaped, quote, quote_path};
pub use features::FeatureSet;
pub use history::GameHistory;
pub use info::{Appearance, BenchSuite, GameInfo, GameOption, PieceAppearance};
pub use inputs::{
    InputRows, InputShape, MAX_INPUTS, Perspective, each_changed_input, each_input, plane_and_bit,
};
pub use knowledge::Knowledge;
pub use msd::{MsdFacts, MsdGains, MsdTerms};
pub use outcome::{DrawRules, Ending, Outcome, Wdl};
pub use phase::Phase;
pub use scale::{Scale, Strength, WdlModel};
pub use tables::{
    EndgameTables, Endgames, EndgamesVisitor, Initial, SharedTables, TableMoves, TableOptions, TableResult,
    TablesError,
};
#[cfg(has_tables)]
pub use tables::{TableFile, TableName};
pub use zobrist::mixed;

/// The start positions of a game, one for each choice of its [option](GameInfo::option). All its boards are
/// among theirs.
pub fn starts<G: Game>() -> impl Iterator<Item = G> {
    let choices = G::info().option.map_or(1, |option| option.choices.len());
    (0..choices).map(G::start_with)
}

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

/// A move that fits into an entry of the transposition table.
pub trait GameMove: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The move as a number in `1 .. 1 << 24`; 0 means "no move".
    fn to_bits(self) -> u32;

    /// The inverse of [`GameMove::to_bits`].
    ///
    /// Never panics: an invalid number gives an arbitrary move. Moves of table entries are checked for
    /// legality before use.
    fn from_bits(bits: u32) -> Self;
}

/// A random number below `end`, or 0 if there is none. `random` gives uniform numbers from 0 (included) to 1
/// (not included).
#[inline]
pub(crate) fn random_below(end: usize, random: &mut dyn FnMut() -> f64) -> usize {
    // The product may round up to the end.
    ((random() * end as f64) as usize).min(end.saturating_sub(1))
}

/// A position of a game and its rules.
///
/// A position is cheap to clone: searches keep one per ply and never take a move back. It includes the
/// counters of its FEN. Rules that need earlier positions (repetition) are part of [`GameHistory`].
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A move of this game.
    type Move: GameMove;

    /// The name and other data of the game, on which no rule depends.
    fn info() -> GameInfo;

    /// An upper bound on the number of legal moves in any position.
    const MAX_MOVES: usize;

    /// The draws by repetition and lack of progress, besides those of [`Game::terminal_outcome`].
    const DRAW_RULES: DrawRules;

    /// Plies after which a referee ends a game, in favour of [`Game::leader`]. None if the rules end every
    /// game.
    const LONGEST_GAME: Option<u32> = None;

    /// The start position.
    fn start() -> Self;

    /// The start position under a choice of the [option](GameInfo::option) of the game.
    fn start_with(_choice: usize) -> Self {
        Self::start()
    }

    /// The number of set-ups of a player at the start of a game, among which one is drawn under the last choice
    /// of the option. 0 where there are none.
    const DRAWN_SETUPS: u32 = 0;

    /// The start position with these set-ups, below [`Game::DRAWN_SETUPS`], of White and of Black.
    fn drawn_start(_setups: [u32; 2]) -> Self {
        Self::start()
    }

    /// Applies a choice of the game's option to the position. Does nothing if the choice only selects a start
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

    /// The legal moves.
    fn moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves
    }

    /// Whether a move is legal in this position. The move may come from any other position.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.contains(&mv)
    }

    /// A random legal move, for games of random moves; none in a position without legal moves. `random` gives
    /// uniform numbers from 0 (included) to 1 (not included).
    ///
    /// By default each move is as likely as any other. A game whose moves have parts may sample these one
    /// after the other.
    fn random_move(&self, random: &mut dyn FnMut() -> f64) -> Option<Self::Move> {
        let mut moves = Vec::with_capacity(Self::MAX_MOVES);
        self.legal_moves(&mut moves);
        moves.get(random_below(moves.len(), random)).copied()
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

    /// Whether the game has chance events.
    const HAS_CHANCE: bool = false;

    /// Appends every outcome of a legal move with its probability, the most probable first; the
    /// probabilities add up to 1.
    fn outcomes(&self, mv: Self::Move, outcomes: &mut Vec<(Self::Move, f64)>) {
        outcomes.push((mv, 1.0));
    }

    /// Samples the outcome of a legal move. `random` gives uniform numbers from 0 (included) to 1 (not
    /// included).
    fn sample(&self, mv: Self::Move, _random: &mut dyn FnMut() -> f64) -> Self::Move {
        mv
    }
}
