//! Positions as arrays of NumPy.

use labrys::game::EncodingShape;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Checks that a game has an encoding for policy/value nets.
///
/// # Errors
/// `ValueError` names the game.
pub(crate) fn check_encoding(game: &str, shape: EncodingShape) -> PyResult<()> {
    match shape.input_planes {
        0 => Err(PyValueError::new_err(format!("{game} has no encoding for policy/value nets"))),
        _ => Ok(()),
    }
}
