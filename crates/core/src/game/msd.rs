//! Minimax selective deepening (MSD): the move ratings `H_D` by which the filter keeps moves ("Minimax
//! Selective Deepening", §2.2).

use super::{Game, GameHistory};

/// The terms of `H_D`: the first of the switches that applies to a move decides its rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MsdTerms {
    /// Moves that win the game are rated ∞.
    pub win: bool,
    /// Tactical moves are rated 1000.
    pub capture: bool,
    /// Moves that bring an attacked piece to safety are rated 1000.
    pub escape: bool,
    /// Moves that draw the game by repetition are rated −∞.
    pub repetition: bool,
    /// Moves onto an attacked square are rated −1000.
    pub exposure: bool,
    /// θ, in hundredths: the weight of each move that the player gains.
    pub theta: i32,
    /// θ in the end game; [`MsdTerms::theta`] if none.
    pub theta_end: Option<i32>,
    /// γ, in hundredths: the weight of a tenth of the value of the piece that moves.
    pub gamma: i32,
    /// γ in the end game; [`MsdTerms::gamma`] if none.
    pub gamma_end: Option<i32>,
}

impl Default for MsdTerms {
    /// The terms of the paper, with θ and γ as tuned in its chapter 4.
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

/// The rating of a move that wins the game: the paper's ∞.
pub(super) const WINS: i32 = i32::MAX;

/// The rating of a good move, and the negative of a bad one's: the paper's 1000, in hundredths.
pub(super) const GOOD: i32 = 100_000;

/// The rating of a move that draws by repetition: the paper's −∞.
pub(super) const REPEATS: i32 = i32::MIN;

/// Whether a position has occurred as often as the rules allow; `history` holds the positions before it.
pub(super) fn is_last_repetition<G: Game>(child: &G, history: &GameHistory<G>) -> bool {
    G::DRAW_RULES.repetitions.is_some_and(|limit| history.occurrences(child) >= limit)
}
