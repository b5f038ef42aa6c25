//! Scores: integers that searches compare.

use std::fmt;
use std::ops::{Add, Neg, Sub};

use crate::game::WdlModel;

/// The maximum ply of a search, extensions included.
pub const MAX_PLY: usize = 128;

/// The score of a tablebase win in hundredths, as in Stockfish, by which clients recognise it.
const TABLE_CENTI: i32 = 20_000;

/// The greatest evaluation in hundredths, below every win by endgame tables.
const MAX_CENTI: i32 = TABLE_CENTI - 2 * MAX_PLY as i32 - 1;

/// The largest lead of wins over losses, 1 for nothing but wins, that a score stands for.
const MAX_LEAD: f64 = 1.0 - 2e-4;

/// The score of a position for one of the players.
///
/// Evaluations are in thousandths of their unit, at most [`Score::MAX_EVALUATION`] in magnitude. Beyond that
/// lie tablebase wins and losses, and beyond those mates: the shorter the distance, the larger. All fit into
/// 24 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// A score in the units of UCI; prints as `cp 37` or `mate -4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UciScore {
    /// Hundredths of the evaluation's unit.
    Centi(i32),
    /// Mate in this many moves of the winner; negative if the player is mated.
    Mate(i32),
}

impl Score {
    /// A drawn game.
    pub const DRAW: Score = Score(0);
    /// The score of a game that has been won at the root.
    pub const WIN: Score = Score(8_000_000);
    /// Above every score.
    pub const INFINITE: Score = Score(8_000_001);
    /// The greatest magnitude of an evaluation.
    pub const MAX_EVALUATION: Score = Score(7_000_000);
    /// The score of a tablebase win at the root, just below the longest mate.
    const TABLE_WIN: i32 = Score::WIN.0 - MAX_PLY as i32 - 1;
    /// The smallest difference between two scores.
    pub const STEP: Score = Score(1);

    /// Steps in one unit of the evaluation.
    const UNIT: f64 = 1000.0;
    /// Steps in a hundredth of the unit.
    const CENTI: i32 = 10;

    /// The score of an evaluation of `value` units, rounded.
    #[inline]
    pub fn from_value(value: f64) -> Score {
        let most = f64::from(Score::MAX_EVALUATION.0);
        Score((value * Score::UNIT).clamp(-most, most).round_ties_even() as i32)
    }

    /// The score whose expected result is `rate`, draws counting half, by a model of results: the inverse of
    /// [`Score::win_rate`].
    pub fn from_win_rate(rate: f64, WdlModel { a, b }: WdlModel) -> Score {
        // Keep the logarithm finite.
        let lead = (2.0 * rate - 1.0).clamp(-MAX_LEAD, MAX_LEAD);
        // With x = exp(|value| / b), c = cosh(a / b) and the lead d of wins over losses, |2 rate − 1|, the
        // model gives (1 − d) x² − 2dcx − (1 + d) = 0.
        let (d, c) = (lead.abs(), (a / b).cosh());
        let x = (d * c + (d * d * (c * c - 1.0) + 1.0).sqrt()) / (1.0 - d);
        Score::from_value((b * x.ln()).copysign(lead))
    }

    /// The probabilities of a win, a draw and a loss for the side to move, in permille, by a model of
    /// results.
    pub fn wdl(self, WdlModel { a, b }: WdlModel) -> [u32; 3] {
        if self.is_decisive() {
            return if self > Score::DRAW { [1000, 0, 0] } else { [0, 0, 1000] };
        }
        let value = f64::from(self.0) / Score::UNIT;
        let wins = |value: f64| (1000.0 / (1.0 + ((a - value) / b).exp())).round() as u32;
        let (win, loss) = (wins(value), wins(-value));
        [win, 1000_u32.saturating_sub(win + loss), loss.min(1000 - win)]
    }

    /// The expected result by a model of results: 1 for a win, ½ for a draw.
    pub fn win_rate(self, WdlModel { a, b }: WdlModel) -> f64 {
        let value = f64::from(self.0) / Score::UNIT;
        let wins = |value: f64| 1.0 / (1.0 + ((a - value) / b).exp());
        (1.0 + wins(value) - wins(-value)) / 2.0
    }

    /// A score from its value in thousandths of the evaluation's unit.
    pub const fn from_thousandths(thousandths: i32) -> Score {
        Score(thousandths)
    }

    /// The score in thousandths of the evaluation's unit; it fits into 24 bits, sign included.
    pub const fn to_thousandths(self) -> i32 {
        self.0
    }

    /// Mated in `ply` plies from the root.
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Score::WIN.0)
    }

    /// Mate in `ply` plies from the root.
    pub const fn mate_in(ply: usize) -> Score {
        Score(Score::WIN.0 - ply as i32)
    }

    /// Tablebase win `ply` plies from the root.
    pub const fn tb_win_in(ply: usize) -> Score {
        Score(Score::TABLE_WIN - ply as i32)
    }

    /// Tablebase loss `ply` plies from the root.
    pub const fn tb_loss_in(ply: usize) -> Score {
        Score(ply as i32 - Score::TABLE_WIN)
    }

    /// Whether the score is a mate or a tablebase result, and no evaluation.
    pub fn is_decisive(self) -> bool {
        // The tablebase position may be MAX_PLY plies below one at MAX_PLY.
        self.0.abs() >= Score::TABLE_WIN - 2 * MAX_PLY as i32
    }

    /// Whether the score is a mate or a tablebase result against the side whose score it is.
    pub fn is_loss(self) -> bool {
        self.is_decisive() && self < Score::DRAW
    }

    /// The mate distance in plies, if the score is a mate.
    pub fn mate_distance(self) -> Option<usize> {
        let plies = Score::WIN.0 - self.0.abs();
        usize::try_from(plies).ok().filter(|&plies| plies <= MAX_PLY)
    }

    /// The score as stored in the transposition table for a position at `ply`: distances count from that
    /// position.
    pub fn to_tt(self, ply: usize) -> Score {
        let ply = ply as i32;
        match self.is_decisive() {
            false => self,
            true => Score(self.0 + ply * self.0.signum()),
        }
    }

    /// The inverse of [`Score::to_tt`].
    pub fn from_tt(self, ply: usize) -> Score {
        let ply = ply as i32;
        match self.is_decisive() {
            false => self,
            true => Score(self.0 - ply * self.0.signum()),
        }
    }

    /// The score in the units of UCI. A tablebase win is 20,000 hundredths less the plies to it; evaluations
    /// stay below.
    pub fn to_uci(self) -> UciScore {
        if let Some(plies) = self.mate_distance() {
            return UciScore::Mate(self.0.signum() * plies.div_ceil(2) as i32);
        }
        if self.is_decisive() {
            let plies = Score::TABLE_WIN - self.0.abs();
            return UciScore::Centi(self.0.signum() * (TABLE_CENTI - plies));
        }
        let centi = (f64::from(self.0) / f64::from(Score::CENTI)).round() as i32;
        UciScore::Centi(centi.clamp(-MAX_CENTI, MAX_CENTI))
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add for Score {
    type Output = Score;

    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;

    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for UciScore {
    type Output = UciScore;

    /// The same score from the point of view of the other player.
    fn neg(self) -> UciScore {
        match self {
            UciScore::Centi(value) => UciScore::Centi(-value),
            UciScore::Mate(moves) => UciScore::Mate(-moves),
        }
    }
}

impl fmt::Display for UciScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UciScore::Centi(value) => write!(f, "cp {value}"),
            UciScore::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Scale;

    #[test]
    fn forced_ends_are_counted_in_moves_of_the_winner() {
        assert_eq!(Score::mate_in(1).to_uci(), UciScore::Mate(1));
        assert_eq!(Score::mate_in(5).to_uci(), UciScore::Mate(3));
        assert_eq!(Score::mated_in(4).to_uci(), UciScore::Mate(-2));
        assert_eq!(Score::mated_in(0).to_uci(), UciScore::Mate(0));
    }

    #[test]
    fn evaluations_are_never_mate_scores() {
        for value in [f64::MAX, -f64::MAX, 7_000.0, 1e9] {
            assert_eq!(Score::from_value(value).mate_distance(), None);
            assert!(!Score::from_value(value).is_decisive());
        }
        assert_eq!(Score::from_value(1.234).to_uci(), UciScore::Centi(123));
        assert_eq!(Score::from_value(-0.005).to_uci(), UciScore::Centi(-1));
    }

    #[test]
    fn tablebase_scores_lie_between_evaluations_and_mates() {
        for ply in [0, 1, MAX_PLY] {
            let (win, loss) = (Score::tb_win_in(ply), Score::tb_loss_in(ply));
            assert_eq!(win, -loss);
            assert!(Score::MAX_EVALUATION < win && win < Score::mate_in(MAX_PLY));
            for score in [win, loss] {
                assert!(score.is_decisive() && score.mate_distance().is_none());
                // The position that stores it and the one that finds it may be this deep.
                for (stored_at, found_at) in [(0, MAX_PLY), (ply, MAX_PLY), (ply, 0)] {
                    let stored = score.to_tt(stored_at);
                    assert!(stored.mate_distance().is_none() && stored.from_tt(stored_at) == score);
                    let found = stored.from_tt(found_at);
                    assert!(found.is_decisive() && found.to_tt(found_at) == stored);
                }
            }
            let model = WdlModel { a: 1.0, b: 0.5 };
            assert_eq!((win.wdl(model), loss.wdl(model)), ([1000, 0, 0], [0, 0, 1000]));
            assert_eq!((win.win_rate(model), loss.win_rate(model)), (1.0, 0.0));
        }
        assert!(Score::tb_win_in(3) > Score::tb_win_in(4));
        assert_eq!(Score::tb_win_in(1).to_uci(), UciScore::Centi(19_999));
        assert_eq!(Score::tb_loss_in(0).to_uci(), UciScore::Centi(-20_000));
        let UciScore::Centi(least) = Score::tb_win_in(2 * MAX_PLY).to_uci() else { panic!("a mate") };
        for value in [7_000.0, 199.0] {
            let evaluation = Score::from_value(value);
            let UciScore::Centi(most) = evaluation.to_uci() else { panic!("a mate") };
            assert!(most < least && (-evaluation).to_uci() == UciScore::Centi(-most), "{value}");
        }
    }

    #[test]
    fn a_unit_of_a_model_without_draws_is_a_hundred_elo() {
        let score = |rate| Score::from_win_rate(rate, Scale::UNMEASURED.wdl);
        assert_eq!(score(0.5), Score::DRAW);
        assert_eq!(score(10.0 / 11.0).to_uci(), UciScore::Centi(400));
        assert_eq!(score(1.0), -score(0.0));
        assert_eq!(score(1.0).mate_distance(), None);
    }

    #[test]
    fn scores_of_win_rates_have_these_win_rates() {
        for (a, b) in [(0.0, 1.7), (1.0, 0.5), (0.3, 2.0), (4.0, 0.4)] {
            let model = WdlModel { a, b };
            for rate in [0.001, 0.137, 0.4, 0.5, 0.6, 0.971, 0.999] {
                let found = Score::from_win_rate(rate, model).win_rate(model);
                assert!((found - rate).abs() < 1e-3, "{rate}: {found}, {model:?}");
            }
        }
    }

    #[test]
    fn results_are_as_likely_as_the_model_says() {
        let even = Score::DRAW.wdl(WdlModel { a: 1.0, b: 0.5 });
        assert_eq!(even, [119, 762, 119], "1 / (1 + e^2) = 0.1192");
        let [win, draw, loss] = Score::from_value(1.0).wdl(WdlModel { a: 1.0, b: 0.5 });
        assert_eq!([win, draw, loss], [500, 482, 18]);
        assert_eq!(Score::from_value(-1.0).wdl(WdlModel { a: 1.0, b: 0.5 }), [18, 482, 500]);
        // Without draws the rounding may not make one too many.
        for thousandths in -3000..3000 {
            let wdl = Score::from_thousandths(thousandths).wdl(WdlModel { a: 0.0, b: 1.7 });
            assert_eq!(wdl.iter().sum::<u32>(), 1000);
        }
        assert_eq!(Score::mate_in(3).wdl(WdlModel { a: 1.0, b: 0.5 }), [1000, 0, 0]);
        assert_eq!(Score::mated_in(4).wdl(WdlModel { a: 1.0, b: 0.5 }), [0, 0, 1000]);
    }

    #[test]
    fn table_scores_count_from_the_position() {
        for score in [Score::mate_in(7), Score::mated_in(9), Score::from_value(3.5), Score::DRAW] {
            assert_eq!(score.to_tt(5).from_tt(5), score);
        }
        assert_eq!(Score::mate_in(7).to_tt(5), Score::mate_in(2));
        assert_eq!(Score::mated_in(7).to_tt(5), Score::mated_in(2));
    }
}
