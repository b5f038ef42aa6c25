//! Writing nets to files.

use std::collections::BTreeMap;
use std::path::Path;

use labrys_core::eval::nnue::{EvalNet, EvalNetError};
use labrys_core::game::Knowledge;
use labrys_core::nets::{NetError, NetProblem, Parameters, Tensor};
use labrys_support::files::write_atomically;

/// Writes the evaluation net of the game `G` to a file.
///
/// # Errors
/// [`EvalNetError`] names the file; an existing file is left unchanged.
pub fn save_eval_net<G: Knowledge>(net: &EvalNet, path: &Path) -> Result<(), EvalNetError> {
    let write = || Ok(write_atomically(path, net.to_bytes::<G>()?)?);
    write().map_err(|problem| EvalNetError { path: path.to_owned(), problem: Box::new(problem) })
}

/// Writes the parameters of a policy/value net to a file.
///
/// # Errors
/// [`NetError`] names the file; an existing file is left unchanged.
pub fn save_parameters(parameters: &Parameters, path: &Path) -> Result<(), NetError> {
    save_with_optimiser(parameters, &BTreeMap::new(), path)
}

/// Writes parameters and the state of their optimiser to a file.
pub(crate) fn save_with_optimiser(
    parameters: &Parameters,
    optimiser: &BTreeMap<String, Tensor>,
    path: &Path,
) -> Result<(), NetError> {
    let write = || Ok(write_atomically(path, parameters.to_bytes(optimiser)?)?);
    write().map_err(NetProblem::File).map_err(|problem| NetError::new(path, problem))
}
