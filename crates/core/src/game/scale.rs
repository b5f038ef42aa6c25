//! The scale of an evaluation: margins, a model of results; and measured strengths.

/// The scale of an evaluation. It belongs to the evaluation and not to the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The unit of the pruning margins of a search, in thousandths of the evaluation's unit. It is larger the
    /// more a quiet move usually changes the evaluation.
    pub margin: i32,
    /// The model of results.
    pub wdl: WdlModel,
}

/// A logistic model of results: at value `x` the side to move wins with probability
/// `1 / (1 + exp((a − x) / b))` and loses with probability `1 / (1 + exp((a + x) / b))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    /// The value at which half of the games are won, in units of the evaluation; 0 where no game is drawn.
    pub a: f64,
    /// How quickly the probability rises, in units of the evaluation.
    pub b: f64,
}

impl WdlModel {
    /// The value at which the side to move wins with this probability, in units of the evaluation.
    pub fn value_of(self, probability: f64) -> f64 {
        self.a + self.b * (probability / (1.0 - probability)).ln()
    }
}

/// A measured strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Rating, in Elo.
    pub elo: u32,
    /// Nodes a move.
    pub nodes: u64,
    /// Moves in a thousand that are random: no search is as weak as a beginner.
    pub random: u32,
}

impl Scale {
    /// The scale of an evaluation that has not been measured: a unit is 100 Elo, and there are no draws.
    pub const UNMEASURED: Scale =
        Scale { margin: 1000, wdl: WdlModel { a: 0.0, b: 4.0 / std::f64::consts::LN_10 } };
}
