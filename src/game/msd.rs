//! What a move promises at first sight: the terms by which a filter chooses moves ("Minimax Selective Deepening", §2.2,
//! `H_D`).

use super::{Game, GameHistory};

/// What makes a move promising: the first of the terms that holds decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MsdTerms {
    /// Moves that win the game come first.
    pub win: bool,
    /// Moves that change the balance at once are good.
    pub capture: bool,
    /// So are those that bring a piece out of attack.
    pub escape: bool,
    /// Moves that draw the game by repetition come last.
    pub repetition: bool,
    /// Moves to an attacked square are bad.
    pub exposure: bool,
    /// Hundredths that each move counts which the side to move had not before (θ) …
    pub theta: i32,
    /// … and at the end of a game, if that is another number.
    pub theta_end: Option<i32>,
    /// Hundredths that a tenth of the value of the piece that moves counts (γ) …
    pub gamma: i32,
    /// … and at the end of a game, if that is another number.
    pub gamma_end: Option<i32>,
}

impl Default for MsdTerms {
    /// Those of the paper (its chapter 4 has tuned θ and γ).
    fn default() -> Self {
        MsdTerms {
            win: true,
            capture: true,
            escape: true,
            repetition: true,
            exposure: true,
            theta: 60,
            theta_end: None,
            gamma: 40,
            gamma_end: None,
        }
    }
}

/// The promise of a move that wins the game: the paper's ∞.
pub(super) const WINS: i32 = i32::MAX;

/// What a move that is good at first sight promises, or the negative of a bad one: the paper's 1000, in hundredths.
pub(super) const GOOD: i32 = 100_000;

/// The promise of a move that draws by repetition: the paper's −∞.
pub(super) const REPEATS: i32 = i32::MIN;

/// Whether the position after a move has come up as often as the rules allow; `history` holds those before it.
pub(super) fn is_last_repetition<G: Game>(child: &G, history: &GameHistory<G>) -> bool {
    G::DRAW_RULES.repetitions.is_some_and(|limit| history.occurrences(child) >= limit)
}
