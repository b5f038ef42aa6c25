//! The native module of the Python package `labrys`.
//!
//! - `line`: positions without the type of their game; `games`, `position`: their Python classes;
//! - `engine`, `search`: engines and search results;
//! - `records`: game records;
//! - `python_game`: games written in Python; `rule_errors`: the errors that these raise;
//! - `convert`: conversion of arguments; `arrays`: NumPy arrays; `wait`: long work that Ctrl-C interrupts.

#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod arrays;
mod convert;
mod engine;
mod games;
mod line;
mod position;
mod python_game;
mod records;
mod rule_errors;
mod search;
mod wait;

/// The part of `labrys` that is written in Rust.
#[pymodule]
mod _labrys {
    use std::process::ExitCode;

    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;
    use pyo3::types::PySequence;

    #[pymodule_export]
    use super::engine::{_engine, _evaluation, Engine, EngineOption, Evaluation};
    #[pymodule_export]
    use super::games::{_game, Game, games};
    #[pymodule_export]
    use super::position::{_move, _outcome, _position, Move, MoveList, Outcome, Position};
    #[pymodule_export]
    use super::python_game::add_game;
    #[pymodule_export]
    use super::records::{SelfPlayGames, read_pgn, read_selfplay};
    #[pymodule_export]
    use super::search::{_info, _result, _score, Info, Score, Search, SearchResult};

    /// Raises an error on a processor without the instructions of this build, which would crash silently.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        if let Some(feature) = labrys::processor::missing_feature() {
            return Err(PyImportError::new_err(format!(
                "labrys: built for a processor with {feature}, which this one lacks: use another wheel"
            )));
        }
        // It has all methods of a sequence.
        PySequence::register::<MoveList>(module.py())
    }

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Runs a command line, whose first element is the program name, as the binary does, and ends the
    /// process.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) {
        super::rule_errors::end_process_on_errors();
        let code = py.detach(|| labrys::commands::main(arguments));
        std::process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
    }
}
