//! Conversion of Python arguments: positions, moves, boards of python-chess; and of errors to exceptions.

use std::fmt::Display;
use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::games::Game;
use crate::line::{AnyLine, GAMES, MoveBits};
use crate::position::{Move, Position};
use crate::rule_errors::checked;

/// An error as a `ValueError` with the same text.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error about a file: `OSError`, such as `FileNotFoundError`, with its `errno` if the operating system
/// reports it, otherwise `ValueError`, both with the same text.
pub(crate) fn file_error(error: impl Display) -> PyErr {
    let text = error.to_string();
    // The standard library appends this to the message of an error of the operating system.
    let number = text.rsplit_once("(os error ").and_then(|(_, end)| end.split_once(')')?.0.parse().ok());
    match number {
        Some(number) => {
            let error: PyErr =
                std::io::Error::new(std::io::Error::from_raw_os_error(number).kind(), text).into();
            Python::attach(|py| error.value(py).setattr("errno", number)).err().unwrap_or(error)
        }
        None => value_error(text),
    }
}

/// The `repr` of a string.
pub(crate) fn text_repr(text: &str) -> String {
    Python::attach(|py| PyString::new(py, text).repr().map(|repr| repr.to_string()))
        .unwrap_or_else(|_| format!("{text:?}"))
}

/// The elements of an iterable argument. It may be long, so Ctrl-C is checked between them.
///
/// # Errors
/// `TypeError` if it is not iterable, or a string, whose letters are never meant.
pub(crate) fn elements<'py>(
    name: &str,
    iterable: &Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<Bound<'py, PyAny>>> + use<'py>> {
    let py = iterable.py();
    if iterable.is_instance_of::<PyString>() || iterable.is_instance_of::<PyBytes>() {
        let text = format!("{name}: expected a list or another iterable, not the text {}", iterable.repr()?);
        return Err(PyTypeError::new_err(text));
    }
    let elements = iterable.try_iter().map_err(|error| {
        let found = iterable.get_type().name().map_or("an object".to_owned(), |name| name.to_string());
        let text = format!("{name}: expected a list or another iterable, not {found}");
        if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(text) } else { error }
    })?;
    Ok(elements.map(move |element| py.check_signals().and(element)))
}

/// A Python integer clamped to the range of `isize`, as no sequence is longer, and its original text if it
/// was clamped.
pub(crate) struct Place(pub(crate) isize, pub(crate) Option<String>);

impl<'py> FromPyObject<'_, 'py> for Place {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Place> {
        match number.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
                let clamped = if number.lt(0)? { isize::MIN } else { isize::MAX };
                Ok(Place(clamped, Some(number.str()?.to_string())))
            }
            place => Ok(Place(place?, None)),
        }
    }
}

impl Place {
    /// The offset from the beginning of a sequence; a negative index counts from its end.
    fn offset(&self, len: usize) -> isize {
        if self.0 < 0 { self.0.saturating_add_unsigned(len) } else { self.0 }
    }

    /// The index of an element.
    ///
    /// # Errors
    /// `IndexError` if it is out of range; `what` names the elements.
    pub(crate) fn index(&self, len: usize, what: &str) -> PyResult<usize> {
        let index = usize::try_from(self.offset(len)).ok().filter(|&index| index < len);
        index.ok_or_else(|| {
            let found = self.1.clone().unwrap_or_else(|| self.0.to_string());
            PyIndexError::new_err(format!("no {what} {found} of {len}"))
        })
    }

    /// The bound of a slice, clamped to the sequence.
    pub(crate) fn end(&self, len: usize) -> usize {
        usize::try_from(self.offset(len)).unwrap_or(0).min(len)
    }
}

/// A position, or a board of python-chess. If a game is given, it must be of that game.
///
/// # Errors
/// `TypeError` if it is neither; `ValueError` if it is of another game, or the board has a position or a move
/// that Labrys rejects.
pub(crate) fn position_of(game: Option<&Game>, position: &Bound<'_, PyAny>) -> PyResult<Arc<dyn AnyLine>> {
    let line = match position.cast::<Position>() {
        Ok(position) => Arc::clone(&position.get().line),
        Err(_) if position.hasattr("move_stack")? => of_python_chess(position)?,
        Err(_) => {
            let found = position.get_type().name()?;
            let text = format!("expected a labrys.Position or a chess.Board, not {found}");
            return Err(PyTypeError::new_err(text));
        }
    };
    let found = line.game().info().name;
    match game.map(Game::variant).filter(|&expected| expected != found) {
        Some(expected) => Err(value_error(format!("a position of {found}, expected one of {expected}"))),
        None => Ok(line),
    }
}

/// The position of a board of python-chess, with the moves on its stack.
fn of_python_chess(board: &Bound<'_, PyAny>) -> PyResult<Arc<dyn AnyLine>> {
    let variant: String = board.getattr("uci_variant")?.extract()?;
    let rules = GAMES.get(&variant).map_err(value_error)?;
    let choice = usize::from(board.getattr("chess960")?.is_truthy()?);
    let fen: String = board.call_method0("root")?.call_method0("fen")?.extract()?;
    let mut line = checked(|| rules.position(choice, &fen))?.map_err(value_error)?;
    for (mv, number) in elements("move_stack", &board.getattr("move_stack")?)?.zip(1..) {
        let text: String = mv?.call_method0("uci")?.extract()?;
        let bits = line.parse(&text).map_err(|error| value_error(format!("move {number}: {error}")))?;
        line = line.play(bits);
    }
    Ok(line)
}

/// A legal move of a position: a move, its text, or a move of python-chess.
///
/// # Errors
/// `TypeError` if it is none of these; `ValueError` if it is not legal.
pub(crate) fn move_of(line: &Arc<dyn AnyLine>, mv: &Bound<'_, PyAny>) -> PyResult<MoveBits> {
    if let Ok(mv) = mv.cast::<Move>() {
        let mv = mv.get();
        let is_own = Arc::ptr_eq(&mv.line, line);
        let (ours, theirs) = (line.game().info().name, mv.line.game().info().name);
        if is_own || (ours == theirs && line.is_legal(mv.bits)) {
            return Ok(mv.bits);
        }
        return line.parse(&mv.line.move_text(mv.bits)).map_err(value_error);
    }
    if let Ok(text) = mv.extract::<&str>() {
        return line.parse(text).map_err(value_error);
    }
    if mv.hasattr("uci")? {
        let text: String = mv.call_method0("uci")?.extract()?;
        return line.parse(&text).map_err(value_error);
    }
    let found = mv.get_type().name()?;
    Err(PyTypeError::new_err(format!("expected a move, its text or a chess.Move, not {found}")))
}

/// A count. PyO3's own error for a number out of range is not a `ValueError`.
pub(crate) struct Count<T>(pub(crate) T);

impl<'py, T: TryFrom<u64>> FromPyObject<'_, 'py> for Count<T> {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Count<T>> {
        let found = match number.extract::<u64>() {
            Ok(count) => T::try_from(count).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => None,
            Err(error) => return Err(error),
        };
        let bits = 8 * size_of::<T>();
        let error =
            || value_error(format!("expected a whole number from 0 to 2^{bits} - 1, not {}", &*number));
        found.map(Count).ok_or_else(error)
    }
}
