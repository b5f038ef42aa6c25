//! Games by name.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use labrys::engine::registry;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};

use crate::arrays;
use crate::convert::{elements, position_of, text_repr, value_error};
use crate::line::{AnyGame, AnyLine, GAMES};
use crate::position::Position;
use crate::rule_errors::checked;

/// A game: its rules and, for Amazons, the size of its board.
///
/// >>> labrys.Game("amazons", board="6x6").start().legal_moves
///
/// The option of a game has its name in the protocol, with or without the prefix: `AmazonsBoard` or `board`,
/// `UCI_Chess960` or `chess960`.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) rules: &'static dyn AnyGame,
    /// The index of the chosen value of its option.
    pub(crate) choice: usize,
}

impl Game {
    /// A game by its name.
    pub(crate) fn of_name(name: &str) -> PyResult<Game> {
        Ok(Game { rules: GAMES.get(name).map_err(value_error)?, choice: 0 })
    }

    /// Its name.
    pub(crate) fn variant(&self) -> &'static str {
        self.rules.info().name
    }

    /// Sets the option of the game.
    fn set(&mut self, name: &str, value: &str) -> PyResult<()> {
        let mut board = registry::board(self.variant()).map_err(value_error)?;
        let option = self.rules.info().option;
        let own = option.filter(|option| is_named(option.name, name, self.variant()));
        board.set_option(own.map_or(name, |option| option.name), value).map_err(value_error)?;
        let choices = own.map_or(&[][..], |option| option.choices);
        self.choice = choices.iter().position(|choice| choice.eq_ignore_ascii_case(value)).unwrap_or(0);
        Ok(())
    }

    /// The value of its option.
    pub(crate) fn value(&self) -> Option<(&'static str, &'static str)> {
        self.rules.info().option.map(|option| (option.name, option.choices[self.choice]))
    }

    /// The index of the feature set with a name, by default of the first one.
    pub(crate) fn set_of_name(&self, name: Option<&str>) -> PyResult<usize> {
        let sets = self.rules.feature_sets();
        let Some(name) = name else { return Ok(0) };
        sets.iter().position(|set| set.name == name).ok_or_else(|| {
            let names: Vec<_> = sets.iter().map(|set| set.name).collect();
            PyValueError::new_err(format!(
                "{} has no feature set `{name}`, expected one of: {}",
                self.variant(),
                names.join(", ")
            ))
        })
    }
}

/// Whether a name matches an option: in any case, with or without spaces or `_`, and with or without the
/// prefix of the protocol or the game.
pub(crate) fn is_named(option: &str, name: &str, game: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace([' ', '_'], "");
    let (option, name) = (plain(option), plain(name));
    [Some(&*option), option.strip_prefix("uci"), option.strip_prefix(game)].contains(&Some(&*name))
}

/// The text of an option's value.
pub(crate) fn value_text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(on) = value.cast::<PyBool>() {
        return Ok(on.is_true().to_string());
    }
    if value.is_none() {
        return Ok(String::new());
    }
    if value.extract::<f64>().is_ok() || value.extract::<&str>().is_ok() {
        return Ok(value.str()?.to_string());
    }
    if value.hasattr("__fspath__")? {
        return value.call_method0("__fspath__")?.extract();
    }
    let found = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("option {name}: expected a text, a number, True or False, not {found}")))
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name = "chess", **options))]
    fn new(name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        let mut game = Game::of_name(name)?;
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            game.set(&name, &value_text(&name, &value)?)?;
        }
        Ok(game)
    }

    /// The name, as in the option `UCI_Variant`.
    #[getter]
    fn name(&self) -> &'static str {
        self.variant()
    }

    /// The name as people write it.
    #[getter]
    fn title(&self) -> &'static str {
        self.rules.info().appearance.title
    }

    /// The option of the game with its value, by name; empty if it has none.
    #[getter]
    fn options(&self) -> BTreeMap<&'static str, &'static str> {
        self.value().into_iter().collect()
    }

    /// The names of the features of each feature set, in order; the first set is the default.
    #[getter]
    fn feature_sets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sets = PyDict::new(py);
        for set in self.rules.feature_sets() {
            sets.set_item(set.name, set.features)?;
        }
        Ok(sets)
    }

    /// The shape of the planes of a position on the board of the start position: (planes, ranks, files).
    #[getter]
    fn planes_shape(&self) -> (usize, usize, usize) {
        let shape = self.rules.start(self.choice).encoding_shape();
        (shape.input_planes, shape.ranks, shape.files)
    }

    /// The shape of the policy on the board of the start position: (planes, ranks, files).
    #[getter]
    fn policy_shape(&self) -> (usize, usize, usize) {
        let shape = self.rules.start(self.choice).encoding_shape();
        (shape.policy_planes, shape.ranks, shape.files)
    }

    /// The number of inputs that an evaluation net has for each player, on the board of the start position.
    #[getter]
    fn inputs(&self) -> usize {
        self.rules.start(self.choice).input_shape().inputs
    }

    /// Whether moves have chance outcomes.
    #[getter]
    fn has_chance(&self) -> bool {
        self.rules.has_chance()
    }

    /// An upper bound of the number of legal moves in a position.
    #[getter]
    fn max_moves(&self) -> usize {
        self.rules.max_moves()
    }

    /// Plies after which a referee awards the game to `Position.leader`; None if the rules end every game.
    #[getter]
    fn longest_game(&self) -> Option<u32> {
        self.rules.longest_game()
    }

    /// The pieces: for each the letter in the FEN (lower case), a name and a drawing.
    #[getter]
    fn pieces(&self) -> Vec<(String, &'static str, &'static str)> {
        let pieces = self.rules.info().appearance.pieces.iter();
        pieces.map(|piece| (piece.letter.to_string(), piece.name, piece.drawing)).collect()
    }

    /// The start position.
    fn start(&self) -> PyResult<Position> {
        Ok(Position { line: checked(|| self.rules.start(self.choice))? })
    }

    /// The position of a FEN, by default the start position, after some moves. A `chess.Board` may replace
    /// the FEN.
    ///
    /// Raises `ValueError` if the FEN is not valid in the game, or a move is not legal.
    #[pyo3(signature = (fen = None, moves = None))]
    fn position(
        &self,
        fen: Option<&Bound<'_, PyAny>>,
        moves: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Position> {
        let line = match fen {
            None => checked(|| self.rules.start(self.choice))?,
            Some(fen) => match fen.extract::<&str>() {
                Ok(fen) => checked(|| self.rules.position(self.choice, fen))?.map_err(value_error)?,
                Err(_) => position_of(Some(self), fen)?,
            },
        };
        let mut position = Position { line };
        for mv in moves.map(|moves| elements("moves", moves)).transpose()?.into_iter().flatten() {
            position = position.after(&mv?)?;
        }
        Ok(position)
    }

    /// The features of several positions, as in `Position.features`: float64 of shape (positions, features).
    #[pyo3(signature = (positions, set = None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        set: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (lines, set) = (self.lines(positions)?, self.set_of_name(set)?);
        let features = self.rules.feature_sets()[set].features.len();
        arrays::array(py, [lines.len(), features], |values| {
            arrays::write_rows(py, &lines, features, values, |line, values| {
                checked(|| line.features(set, values))
            })
        })
    }

    /// The planes of several positions on boards of the same size, as in `Position.planes`: float32 of shape
    /// (positions, planes, ranks, files).
    fn planes<'py>(&self, py: Python<'py>, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let lines = self.lines(positions)?;
        let start = self.rules.start(self.choice);
        let shape = lines.first().unwrap_or(&start).encoding_shape();
        arrays::check_encoding(self.variant(), shape)?;
        if lines.iter().any(|line| line.encoding_shape() != shape) {
            return Err(PyValueError::new_err("the positions are on boards of different sizes"));
        }
        arrays::array(py, [lines.len(), shape.input_planes, shape.ranks, shape.files], |planes| {
            arrays::write_rows(py, &lines, shape.input_len(), planes, |line, planes| {
                line.planes(planes);
                Ok(())
            })
        })
    }

    fn __eq__(&self, other: &Game) -> bool {
        (self.variant(), self.choice) == (other.variant(), other.choice)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.variant(), self.choice).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let option = self.value().filter(|_| self.choice != 0);
        let option = option.map(|(name, value)| format!(", {name}={}", text_repr(value))).unwrap_or_default();
        format!("labrys.Game({}{option})", text_repr(self.variant()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_game")?;
        let option = self.value().into_pyobject(py)?;
        Ok((make, (self.variant(), option).into_pyobject(py)?))
    }
}

impl Game {
    /// Checks and converts positions of this game.
    fn lines(&self, positions: &Bound<'_, PyAny>) -> PyResult<Vec<Arc<dyn AnyLine>>> {
        elements("positions", positions)?.map(|position| position_of(Some(self), &position?)).collect()
    }

    /// The shortest Python expression for the game as an argument: its name, if its option has the default
    /// value.
    pub(crate) fn plain_repr(&self) -> String {
        if self.choice == 0 { text_repr(self.variant()) } else { self.__repr__() }
    }
}

/// Unpickles a game from its name and the value of its option.
#[pyfunction]
pub(crate) fn _game(name: &str, option: Option<(String, String)>) -> PyResult<Game> {
    let mut game = Game::of_name(name)?;
    if let Some((name, value)) = option {
        game.set(&name, &value)?;
    }
    Ok(game)
}

/// The names of the games, the default first.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    GAMES.all().into_iter().map(|(name, _)| name).collect()
}
