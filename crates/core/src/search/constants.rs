//! The constants of the search that matches tune: depths, margins, reductions, history, windows.
//!
//! They interact, so they are in one table. With the cargo feature `tuning` each is an option of the engine
//! under the name that it has here, and `labrys spsa` tunes them together. In any other build they are
//! compile-time constants. Constants that matches at equal nodes cannot measure, such as table sizes and time
//! management, are declared where they are used.
//!
//! [`Margins`] scales them to an evaluation.

use std::ops::Deref;

use super::window::Window;
use crate::eval::{Scale, Score};

/// The probability of a win from which a game is as good as decided.
const DECIDED: f64 = 0.999;

/// A row of the table of constants.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name, also that of its option.
    pub name: &'static str,
    /// Its value in play.
    pub default: i32,
    /// The least value that makes sense.
    pub min: i32,
    /// The greatest value that makes sense.
    pub max: i32,
    /// How far SPSA moves it from its value in the last iterations (`c_end`): far enough for a measurable
    /// difference.
    pub step: f64,
    /// Its place.
    #[cfg_attr(not(feature = "tuning"), expect(dead_code, reason = "nothing is set in other builds"))]
    place: fn(&mut Constants) -> &mut i32,
}

macro_rules! constants {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $default:literal, $min:literal..=$max:literal, $step:literal;
    )+) => {
        /// The values of all constants. Margins in thousandths are on the scale of the evaluation, see
        /// [`Scale::margin`](crate::eval::Scale::margin), unless they say otherwise; depths are in plies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Constants {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Constants {
            /// The values in play.
            pub const DEFAULT: Constants = Constants { $($name: $default),+ };

            /// All constants.
            pub const TABLE: &[Constant] = &[$(Constant {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
                step: $step,
                place: |constants| &mut constants.$name,
            }),+];
        }
    };
}

// Name, value, range, step; `labrys spsa` prints such lines.
constants! {
    /// Razoring up to this depth.
    razoring_depth = 4, 0..=10, 0.5;
    /// Razoring margin at any depth, in thousandths.
    razoring_base = 860, 0..=2000, 50.0;
    /// Razoring margin for the square of the depth, in thousandths.
    razoring_margin = 560, 50..=1000, 30.0;

    /// Reverse futility pruning up to this depth. +76 ± 31 Elo in Neighbours.
    reverse_futility_depth = 8, 0..=12, 0.75;
    /// Reverse futility margin for each ply of depth, less one where the position improves, in thousandths.
    reverse_futility_margin = 194, 20..=600, 20.0;

    /// Null move pruning from this depth on.
    null_move_depth = 3, 1..=128, 0.5;
    /// Null move reduction in plies.
    null_move_reduction = 3, 1..=6, 0.5;
    /// Plies of depth for which the null move is reduced by one more.
    null_move_depth_step = 4, 2..=12, 0.5;
    /// Thousandths above β for which the null move is reduced by one more.
    null_move_margin = 178, 50..=1000, 30.0;
    /// The most plies that are added to the null move reduction by the margin.
    null_move_margin_steps = 3, 0..=8, 0.5;
    /// Null-move cutoffs are verified from this depth on, whatever the position.
    null_move_verification_depth = 12, 4..=30, 1.5;

    /// ProbCut from this depth on.
    probcut_depth = 5, 4..=128, 0.5;
    /// Thousandths above β that a ProbCut search has to find.
    probcut_margin = 490, 100..=1500, 30.0;

    /// Internal iterative reduction from this depth on.
    internal_reduction_depth = 4, 2..=12, 0.5;

    /// Singular extension from this depth on.
    singular_depth = 8, 4..=14, 0.5;
    /// The table entry of a singular move may be this many plies shallower than the node.
    singular_entry = 3, 1..=6, 0.5;
    /// Thousandths for each ply of depth by which the other moves fail low, for a singular move.
    singular_margin = 5, 0..=60, 2.0;
    /// Thousandths below that margin at which a singular move is extended by two plies.
    singular_double_margin = 50, 0..=1000, 8.0;
    /// The most moves of a line that are extended by two plies.
    singular_double_extensions = 4, 0..=16, 1.0;
    /// Plies by which a move that is not singular is reduced where the table expects a cutoff.
    singular_reduction = 1, 0..=3, 0.5;

    /// Futility pruning up to this depth, reductions taken off. +75 ± 32 Elo in Neighbours.
    futility_depth = 6, 0..=12, 0.5;
    /// Futility margin for each ply of depth and one more, in thousandths.
    futility_margin = 488, 20..=900, 30.0;

    /// Late move pruning up to this depth. +94 ± 33 Elo in Neighbours.
    late_pruning_depth = 8, 0..=12, 0.5;
    /// Late move pruning begins after this many moves plus the square of the depth, half of that where the
    /// position does not improve.
    late_pruning_moves = 8, 1..=20, 0.75;

    /// History pruning below this depth, reductions taken off.
    history_pruning_depth = 4, 0..=10, 0.5;
    /// History score of a quiet move for each ply of depth below which it is pruned, with its sign turned.
    history_pruning_margin = 5100, 500..=15000, 300.0;

    /// Pruning by static exchange evaluation up to this depth.
    see_pruning_depth = 9, 0..=14, 0.75;
    /// Thousandths that a quiet move may lose by exchange for each ply of depth.
    see_quiet_margin = 238, 20..=600, 20.0;
    /// Thousandths that a tactical move may lose by exchange for the square of the depth.
    see_tactical_margin = 91, 5..=250, 8.0;

    /// Late move reductions from this depth on.
    late_reduction_depth = 3, 2..=6, 0.5;
    /// The first move that is reduced, counted from 1; one later on the principal variation.
    late_reduction_moves = 2, 2..=8, 0.5;
    /// The base of the reduction, in hundredths of a ply.
    late_reduction_base = 28, 0..=200, 8.0;
    /// The product of the logarithms of depth and number of the move that reduces by one ply, in hundredths.
    late_reduction_divisor = 230, 100..=500, 10.0;
    /// A history score of this size takes a ply off the reduction, or adds one.
    late_reduction_history = 4530, 1000..=20000, 400.0;
    /// The most that history takes off the reduction or adds to it, in hundredths of a ply.
    late_reduction_history_most = 228, 0..=500, 20.0;
    /// Added to the reduction where the position does not improve, in hundredths of a ply.
    late_reduction_not_improving = 44, 0..=200, 10.0;
    /// Added to the reduction where the node is expected to fail high, in hundredths of a ply.
    late_reduction_cut_node = 84, 0..=300, 10.0;
    /// Taken off the reduction of tactical moves, in hundredths of a ply.
    late_reduction_tactical = 147, 0..=2000, 10.0;

    /// Moves are reduced by a ply more if this many of the moves before them were refuted.
    late_reduction_cutoffs = 3, 0..=20, 0.5;
    /// Added to the reduction of quiet moves where the table move is tactical, in hundredths of a ply.
    late_reduction_tactical_table_move = 82, 0..=200, 10.0;
    /// Thousandths of correction of the static evaluation that take a ply off the reduction: such an
    /// evaluation is not to be trusted. +17 ± 13 Elo.
    late_reduction_correction = 300, 50..=2000, 30.0;
    /// The most that the correction takes off the reduction, in hundredths of a ply.
    late_reduction_correction_most = 150, 0..=400, 15.0;
    /// If a reduced search scores this many thousandths above the best move, the next one is a ply deeper.
    late_reduction_deeper = 30, 0..=300, 5.0;

    /// A node after a move that was reduced by this many plies is searched a ply deeper if the move has not
    /// worsened the static evaluation of the opponent. +9 ± 13 Elo with the next two.
    hindsight_deeper = 3, 1..=8, 0.5;
    /// A node after a move that was reduced by this many plies is searched a ply less deeply if the opponent
    /// has gained more than `hindsight_margin`.
    hindsight_shallower = 2, 1..=8, 0.5;
    /// The gain of the opponent, in thousandths.
    hindsight_margin = 170, 0..=1000, 20.0;

    /// History score of a quiet move for a thousandth that it has won by static evaluation, in hundredths.
    /// +7 ± 13 Elo.
    history_eval = 200, 0..=1000, 20.0;
    /// The most that a static evaluation adds to a history score or takes off it.
    history_eval_max = 1400, 0..=4000, 100.0;
    /// History score of a cutoff for the square of the depth.
    history_bonus_square = 14, 0..=64, 2.0;
    /// History score of a cutoff for each ply of depth.
    history_bonus_linear = 76, 0..=400, 10.0;
    /// History score of a cutoff at most. The bound of the scores themselves is 2¹⁴.
    history_bonus_max = 1440, 200..=4000, 100.0;
    /// History score of a thousandth of capture value, in the order of tactical moves.
    capture_value = 17, 1..=64, 2.0;

    /// The most that the static evaluation is corrected by one key, in thousandths.
    correction_most = 295, 0..=1000, 20.0;
    /// The most by which a single search may have found a static evaluation wrong, in thousandths.
    correction_error = 4720, 100..=20_000, 500.0;

    /// In quiescence search, a capture has to bring the score to α with this margin, in thousandths.
    quiescence_margin = 730, 50..=4000, 30.0;

    /// Iterations of at least this depth begin with an aspiration window.
    aspiration_depth = 4, 1..=10, 0.5;
    /// Half the width of the first aspiration window, in thousandths of the evaluation's unit.
    aspiration_window = 230, 20..=800, 20.0;
    /// The width of the next aspiration window where one has failed, in percent of its own.
    aspiration_growth = 200, 110..=400, 10.0;
    /// The most plies by which a search is shallower after the window has failed high.
    aspiration_reduction = 3, 0..=6, 0.5;
}

/// The constants of an engine. Only in a build for tuning may they differ from [`Constants::DEFAULT`]; in any
/// other this is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineConstants {
    #[cfg(feature = "tuning")]
    values: Constants,
}

impl EngineConstants {
    /// The values in play.
    pub const DEFAULT: EngineConstants = EngineConstants {
        #[cfg(feature = "tuning")]
        values: Constants::DEFAULT,
    };

    /// The value of a constant.
    #[cfg(feature = "tuning")]
    pub fn get(&self, constant: &Constant) -> i32 {
        let mut values = self.values;
        *(constant.place)(&mut values)
    }

    /// Sets a constant.
    #[cfg(feature = "tuning")]
    pub fn set(&mut self, constant: &Constant, value: i32) {
        *(constant.place)(&mut self.values) = value;
    }
}

impl Deref for EngineConstants {
    type Target = Constants;

    #[inline(always)]
    fn deref(&self) -> &Constants {
        #[cfg(feature = "tuning")]
        return &self.values;
        #[cfg(not(feature = "tuning"))]
        return &Constants::DEFAULT;
    }
}

/// The constants of a search, and the scale of its evaluation: the margins of a selective search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    pub(super) constants: EngineConstants,
    /// The unit of margins, see [`Scale::margin`].
    pub(super) unit: i32,
    /// The evaluation from which a game is as good as decided.
    decided: Score,
}

impl Margins {
    /// The margins of a search by these constants, with an evaluation of this scale.
    pub(super) fn new(scale: Scale, constants: EngineConstants) -> Margins {
        Margins { constants, unit: scale.margin, decided: Score::from_value(scale.wdl.value_of(DECIDED)) }
    }

    /// A margin in thousandths, on the scale of the evaluation. It is no larger than an evaluation may be,
    /// whatever the scale.
    #[inline]
    pub(super) fn of(&self, thousandths: i32) -> Score {
        let most = i64::from(Score::MAX_EVALUATION.to_thousandths());
        let margin = i64::from(thousandths) * i64::from(self.unit) / 1000;
        Score::from_thousandths(margin.clamp(-most, most) as i32)
    }

    /// A difference of evaluations in the thousandths in which margins are given.
    #[inline]
    pub(super) fn thousandths(&self, difference: Score) -> i32 {
        let thousandths = i64::from(difference.to_thousandths()) * 1000 / i64::from(self.unit.max(1));
        thousandths.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    /// Whether a bound is not that of a game as good as decided. Beyond it static evaluations do not
    /// distinguish the moves, and pruning by them may miss the mate.
    pub(super) fn is_close(&self, bound: Score) -> bool {
        -self.decided < bound && bound < self.decided
    }

    /// A window without bounds that are those of a game as good as decided: beyond them may be a mate, far
    /// from any evaluation.
    pub(super) fn without_far_bounds(&self, alpha: Score, beta: Score) -> Window {
        Window {
            alpha: if alpha > -self.decided { alpha } else { Window::FULL.alpha },
            beta: if beta < self.decided { beta } else { Window::FULL.beta },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_of_any_scale_is_an_evaluation() {
        let margin = |unit, thousandths| {
            let scale = Scale { margin: unit, ..Scale::UNMEASURED };
            Margins::new(scale, EngineConstants::DEFAULT).of(thousandths)
        };
        assert_eq!(margin(3_000, -500), Score::from_thousandths(-1_500));
        assert_eq!(margin(1_000_000, 500_000), Score::MAX_EVALUATION);
        assert_eq!(margin(1_000_000, -500_000), -Score::MAX_EVALUATION);
    }
}
