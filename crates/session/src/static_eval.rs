//! Static evaluations, in detail.

use crate::message::StaticEval;
use crate::search_runner::labrys;
use labrys_arena::{Rules, Variation};
use labrys_core::engine::{Engine, EvaluationKind};
use labrys_protocol::text::no_evaluation;

/// Evaluates positions. Keeps the engine for the next position, as loading a net takes time.
#[derive(Default)]
pub(crate) struct StaticEvaluator {
    kept: Option<Kept>,
}

struct Kept {
    rules: Rules,
    options: Vec<(String, String)>,
    engine: Box<dyn Engine>,
}

impl StaticEvaluator {
    /// Whether an engine is kept.
    pub(crate) fn holds_engine(&self) -> bool {
        self.kept.is_some()
    }

    /// The static evaluation of the last position of `game` by Labrys with the given options.
    ///
    /// # Errors
    /// A message if the options are invalid, the net does not fit the board, or the game is over.
    pub(crate) fn evaluate(
        &mut self,
        rules: &Rules,
        options: &[(String, String)],
        game: &Variation,
    ) -> Result<StaticEval, String> {
        let kept = self.kept.take().filter(|kept| kept.rules == *rules && kept.options == options);
        let engine = kept.map_or_else(|| labrys(rules, options), |kept| Ok(kept.engine))?;
        let kept = self.kept.insert(Kept { rules: rules.clone(), options: options.to_vec(), engine });
        let engine = kept.engine.as_mut();
        engine.board_mut().set_up(Some(&game.fen), &game.moves).map_err(|error| error.to_string())?;
        if let Some(reason) = no_evaluation(engine.board()) {
            return Err(reason);
        }
        engine.check_net().map_err(|error| error.to_string())?;
        Ok(read(engine))
    }
}

/// The static evaluation of the engine's position.
fn read(engine: &dyn Engine) -> StaticEval {
    if let Some(policy) = engine.policy_breakdown() {
        let rows = policy.moves.into_iter().map(|row| (row.mv, row.san, row.prior));
        return StaticEval::Policy { value: policy.value, rows: rows.collect() };
    }
    let is_used = engine.settings().evaluation == EvaluationKind::Net;
    if let Some(net) = engine.net_breakdown().filter(|_| is_used) {
        let rows = net.inputs.into_iter().map(|input| (input.name, input.contribution));
        return StaticEval::Inputs { value: net.value, rows: rows.collect() };
    }
    let linear = engine.eval_breakdown();
    let features = linear.features.iter().filter(|feature| feature.value != 0.0);
    let rows = features.map(|feature| (feature.name, feature.value, feature.weight, feature.product()));
    StaticEval::Features { set: linear.set.name, sum: linear.sum(), rows: rows.collect() }
}
