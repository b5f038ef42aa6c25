//! Minimax selective deepening (MSD): the move ratings `H_D` by which the filter keeps moves ("Minimax
//! Selective Deepening", §2.2).

use super::{Game, GameHistory};

/// What holds for a move, of what the terms of `H_D` ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MsdFacts {
    /// It wins the game.
    pub wins: bool,
    /// It is tactical.
    pub captures: bool,
    /// It brings an attacked piece to safety.
    pub escapes: bool,
    /// It draws the game by repetition.
    pub repeats: bool,
    /// It goes to an attacked square.
    pub exposed: bool,
}

/// What a move gains, by which it is rated where no other term decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MsdGains {
    /// The number of moves that the player could make next; `None` if it gains none.
    pub next_moves: Option<usize>,
    /// A tenth of the value of the piece that moves, a pawn being 10.
    pub piece: i32,
}

impl MsdGains {
    /// The moves gained, of `now` legal ones.
    pub fn gained(&self, now: usize) -> i32 {
        self.next_moves.map_or(0, |next| next as i32 - now as i32)
    }

    /// The shares of θ and of γ in the rating; `now` is the number of legal moves.
    pub fn shares(&self, now: usize, [theta, gamma]: [i32; 2]) -> [i32; 2] {
        [theta * self.gained(now), gamma * self.piece]
    }
}

/// The terms of `H_D`. By the paper the first that applies to a move decides its rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MsdTerms {
    /// Moves that win the game are rated ∞.
    pub win: bool,
    /// Tactical moves have [`MsdTerms::capture_weight`].
    pub capture: bool,
    /// Moves that bring an attacked piece to safety have [`MsdTerms::escape_weight`].
    pub escape: bool,
    /// Moves that draw the game by repetition are rated −∞.
    pub repetition: bool,
    /// Moves onto an attacked square have [`MsdTerms::exposure_weight`].
    pub exposure: bool,
    /// Whether the weights of all terms that apply and the gains of the move, or its static evaluation, add up,
    /// instead of the first one deciding.
    pub sum: bool,
    /// The weight of a tactical move; 1000 in the paper, as for the next one.
    pub capture_weight: i32,
    /// The weight of an escape.
    pub escape_weight: i32,
    /// The weight of a move onto an attacked square; −1000 in the paper.
    pub exposure_weight: i32,
    /// θ, in hundredths: the weight of each move that the player gains.
    pub theta: i32,
    /// θ in the endgame; [`MsdTerms::theta`] if none.
    pub theta_end: Option<i32>,
    /// γ, in hundredths: the weight of a tenth of the value of the piece that moves.
    pub gamma: i32,
    /// γ in the endgame; [`MsdTerms::gamma`] if none.
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
            sum: false,
            capture_weight: 1_000,
            escape_weight: 1_000,
            exposure_weight: -1_000,
            theta: 60,
            theta_end: None,
            gamma: 40,
            gamma_end: None,
        }
    }
}

/// The rating of a move that wins the game: the paper's ∞.
const WINS: i32 = i32::MAX;

/// The rating of a move that draws by repetition: the paper's −∞.
const REPEATS: i32 = i32::MIN;

/// Ratings are in hundredths.
const HUNDREDTHS: i32 = 100;

/// The greatest static evaluation counts a little less than the paper's 1000.
const GOOD: i32 = 1_000 * HUNDREDTHS;

impl MsdTerms {
    /// The facts that count, those whose terms are on.
    pub fn counted(&self, facts: MsdFacts) -> MsdFacts {
        MsdFacts {
            wins: facts.wins && self.win,
            captures: facts.captures && self.capture,
            escapes: facts.escapes && self.escape,
            repeats: facts.repeats && self.repetition,
            exposed: facts.exposed && self.exposure,
        }
    }

    /// The weights of a move as capture, as escape and as exposure, in hundredths, where these terms apply.
    pub fn weighed(&self, facts: MsdFacts) -> [Option<i32>; 3] {
        let MsdFacts { captures, escapes, exposed, .. } = self.counted(facts);
        [(captures, self.capture_weight), (escapes, self.escape_weight), (exposed, self.exposure_weight)]
            .map(|(applies, weight)| applies.then_some(weight * HUNDREDTHS))
    }

    /// The rating of a move, higher is better, in hundredths; `gains` is what its gains or its static evaluation
    /// are worth.
    pub fn rating(&self, facts: MsdFacts, gains: impl FnOnce() -> i32) -> i32 {
        let MsdFacts { wins, captures, escapes, repeats, .. } = self.counted(facts);
        let mut weights = self.weighed(facts).into_iter().flatten();
        if wins {
            WINS
        } else if repeats && (self.sum || !captures && !escapes) {
            REPEATS
        } else if self.sum {
            weights.sum::<i32>() + gains()
        } else {
            weights.next().unwrap_or_else(gains)
        }
    }

    /// θ and γ in a phase of the game: 1 with all pieces, 0 at its end.
    pub fn weights(&self, phase: f64) -> [i32; 2] {
        let by_phase = |start: i32, end: Option<i32>| {
            let end = f64::from(end.unwrap_or(start));
            (f64::from(start) * phase + end * (1.0 - phase)).round() as i32
        };
        [by_phase(self.theta, self.theta_end), by_phase(self.gamma, self.gamma_end)]
    }
}

/// The rating of a move by the static evaluation after it: less than that of a tactical move by default.
pub(super) fn by_static_eval(value: i32) -> i32 {
    value.clamp(1 - GOOD, GOOD - 1)
}

/// Whether a position has occurred as often as the rules allow; `history` holds the positions before it.
pub(super) fn is_last_repetition<G: Game>(child: &G, history: &GameHistory<G>) -> bool {
    G::DRAW_RULES.repetitions.is_some_and(|limit| history.occurrences(child) >= limit)
}
