//! The evaluation net of an engine.

use std::path::PathBuf;

use super::super::{EvaluationKind, Playable, Settings};
use crate::eval::nnue::{EvalNet, NetEvaluator};

/// An evaluation net and where it comes from.
#[derive(Debug)]
pub(super) struct EvalNetInPlay<G> {
    pub(super) evaluator: NetEvaluator<G>,
    /// The file that was requested; `None` for the shipped net, which is not used on boards of other sizes.
    pub(super) path: Option<PathBuf>,
}

impl<G: Playable> EvalNetInPlay<G> {
    /// The shipped net, if there is one.
    pub(super) fn shipped() -> Option<EvalNetInPlay<G>> {
        let net = EvalNet::shipped::<G>()?;
        Some(EvalNetInPlay { evaluator: NetEvaluator::new(net), path: None })
    }
}

/// The evaluation net that searches of a position use, if any.
pub(super) fn eval_net_in_use<'a, G: Playable>(
    settings: &Settings,
    eval_net: Option<&'a EvalNetInPlay<G>>,
    position: &G,
) -> Option<&'a EvalNetInPlay<G>> {
    let is_asked_for = settings.evaluation == EvaluationKind::Net;
    eval_net.filter(|net| is_asked_for && net.evaluator.fits(position))
}
