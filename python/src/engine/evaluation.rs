//! Static evaluations.

use std::collections::BTreeMap;

use labrys::engine::{self, EvaluationInUse};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::value_error;

/// The static evaluation of a position for the side to move.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Evaluation {
    /// The evaluation that searches use: `"linear"`, `"net"`, `"policy"` or `"none"`.
    #[pyo3(get)]
    kind: &'static str,
    /// The value, in units of the evaluation (pawns in chess); for a policy/value net the expected result,
    /// from 0 to 1.
    #[pyo3(get)]
    value: f64,
    /// For a linear evaluation: the value and the weight of each feature by name; `value` is the sum of their
    /// products.
    #[pyo3(get)]
    features: BTreeMap<String, (f64, f64)>,
    /// For an evaluation net: the contribution of each input, such as `P e4`, to the value for White, in
    /// units of the evaluation.
    #[pyo3(get)]
    inputs: Vec<(String, f64)>,
}

impl Evaluation {
    /// The evaluation of the current position of an engine.
    pub(super) fn of(engine: &dyn engine::Engine) -> Evaluation {
        let none = || Evaluation { kind: "none", value: 0.0, features: BTreeMap::new(), inputs: Vec::new() };
        match engine.evaluation_in_use() {
            EvaluationInUse::Nothing => none(),
            EvaluationInUse::Linear => {
                let breakdown = engine.eval_breakdown();
                let features = breakdown.features.iter();
                let features =
                    features.map(|feature| (feature.name.to_owned(), (feature.value, feature.weight)));
                Evaluation { kind: "linear", value: breakdown.sum(), features: features.collect(), ..none() }
            }
            EvaluationInUse::Net => engine.net_breakdown().map_or_else(none, |net| {
                let inputs = net.inputs.into_iter().map(|input| (input.name, input.contribution));
                Evaluation { kind: "net", value: net.value, inputs: inputs.collect(), ..none() }
            }),
            EvaluationInUse::PolicyNet => engine.policy_breakdown().map_or_else(none, |policy| Evaluation {
                kind: "policy",
                value: policy.value,
                ..none()
            }),
        }
    }
}

#[pymethods]
impl Evaluation {
    fn __float__(&self) -> f64 {
        self.value
    }

    fn __repr__(&self) -> String {
        format!("labrys.Evaluation({} {:.4})", self.kind, self.value)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_evaluation")?;
        let fields = (self.kind, self.value, self.features.clone(), self.inputs.clone());
        Ok((make, fields.into_pyobject(py)?))
    }
}

/// Unpickles an evaluation.
#[pyfunction]
pub(crate) fn _evaluation(
    kind: &str,
    value: f64,
    features: BTreeMap<String, (f64, f64)>,
    inputs: Vec<(String, f64)>,
) -> PyResult<Evaluation> {
    let known = ["none", "linear", "net", "policy"].into_iter().find(|&known| known == kind);
    let kind = known.ok_or_else(|| value_error(format!("unknown kind of evaluation `{kind}`")))?;
    Ok(Evaluation { kind, value, features, inputs })
}
