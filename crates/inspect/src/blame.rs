//! The term that has led to a wrong decision of a principal variation search.

use labrys_core::eval::{Evaluator, Score};
use labrys_core::game::Knowledge;
use labrys_core::search::{Claim, ReferenceNode, Step};
use labrys_solver::Solvable;

use crate::judge::Judge;
use crate::recorder::Sample;

/// The decision rests on a shallower search whose own value is wrong: a decision further down is to blame.
const BELOW: &str = "search below";

/// The term that is to blame for a wrong decision; `None` where the step has a single one.
///
/// A decision may rest on a search of less depth. Where a full-width search of that depth contradicts it as
/// well, the fault is not that of the step, but of one further down.
pub(crate) fn blame<G: Solvable + Knowledge, E: Evaluator<G>>(
    judge: &mut Judge<G, E>,
    sample: &Sample<G::Move>,
) -> Option<&'static str> {
    let tested = sample.tested?;
    // For others than minimax, a node has the same value at every depth.
    if judge.truth.ignores_window() {
        return None;
    }
    let shallow = ReferenceNode { depth: tested, ..sample.node.clone() };
    match sample.step {
        Step::NullMove => {
            let Claim::AtLeast(beta) = sample.claim else { return None };
            let mut passed = shallow;
            passed.path.push(None);
            // The null move changes the side to move.
            let opponent = Claim::AtMost(-beta);
            if !judge.judge(&passed, opponent)?.is_right {
                return Some(BELOW);
            }
            passed.depth = sample.node.depth - 1;
            Some(if judge.judge(&passed, opponent)?.is_right { "zugzwang" } else { "reduction" })
        }
        Step::LateReduction | Step::InternalReduction | Step::Hindsight => {
            if !judge.judge(&shallow, sample.claim)?.is_right {
                return Some(BELOW);
            }
            reduction_term(&sample.terms).or(Some("depth"))
        }
        _ => None,
    }
}

/// The term of a reduction without which it would be the least, of those that have made it larger; the first
/// term, the base, if it alone reduces as much.
fn reduction_term(terms: &[(&'static str, i32)]) -> Option<&'static str> {
    let &(base, hundredths) = terms.first()?;
    let whole: i32 = terms.iter().map(|(_, hundredths)| hundredths).sum();
    let largest = terms[1..].iter().filter(|(_, share)| *share > 0).max_by_key(|(_, share)| *share);
    match largest {
        Some(&(term, share)) if hundredths / 100 < whole / 100 || (whole - share) / 100 < whole / 100 => {
            Some(term)
        }
        _ => Some(base),
    }
}

/// A cost as a number of units of the evaluation; `None` where a mate or a result of tables is involved,
/// which no evaluation measures.
pub(crate) fn units(cost: Score) -> Option<f64> {
    let thousandths = cost.to_thousandths();
    let is_evaluation = thousandths.abs() < Score::MAX_EVALUATION.to_thousandths() / 2;
    is_evaluation.then(|| f64::from(thousandths) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_that_made_the_reduction_larger_is_to_blame() {
        let terms = |cut: i32, history: i32| [("base", 210), ("cut node", cut), ("history", history)];
        assert_eq!(reduction_term(&terms(0, 0)), Some("base"));
        assert_eq!(reduction_term(&terms(84, 20)), Some("cut node"));
        assert_eq!(reduction_term(&terms(84, 150)), Some("history"));
        // It makes no difference of a ply.
        assert_eq!(reduction_term(&terms(0, 20)), Some("base"));
        assert_eq!(reduction_term(&terms(0, -120)), Some("base"));
        assert_eq!(reduction_term(&[]), None);
    }
}
