//! NumPy arrays. NumPy itself creates them; it is imported with the first one.

use labrys::game::EncodingShape;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Rows of an array that are written between two checks for signals: some milliseconds.
const ROWS_AT_ONCE: usize = 64;

/// An element type of arrays.
pub(crate) trait Number: FromBytes + IntoBytes + Immutable {
    /// Its name in NumPy.
    const TYPE: &'static str;
}

impl Number for f32 {
    const TYPE: &'static str = "float32";
}

impl Number for f64 {
    const TYPE: &'static str = "float64";
}

impl Number for u32 {
    const TYPE: &'static str = "uint32";
}

impl Number for u64 {
    const TYPE: &'static str = "uint64";
}

/// 0 or 1.
impl Number for u8 {
    const TYPE: &'static str = "bool";
}

/// An array of a shape, filled by `write`, which receives zeros.
///
/// # Errors
/// Those of `write`; `ImportError` without NumPy.
pub(crate) fn array<'py, T: Number, const N: usize>(
    py: Python<'py>,
    shape: [usize; N],
    write: impl FnOnce(&mut [T]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let len = shape.iter().product::<usize>() * size_of::<T>();
    let bytes = PyByteArray::new_with(py, len, |bytes| {
        // Python may have the memory of an empty bytearray anywhere, which is no place for numbers.
        if bytes.is_empty() {
            return write(&mut []);
        }
        let numbers = <[T]>::mut_from_bytes(bytes);
        write(numbers.map_err(|error| PyValueError::new_err(format!("no array: {error}")))?)
    })?;
    // The array is writable and shares the memory of the bytearray.
    let flat = py.import("numpy")?.call_method1("frombuffer", (bytes, T::TYPE))?;
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// Writes the rows of an array, each of `len` numbers, one for each item. Other Python threads can run
/// meanwhile, and Ctrl-C interrupts it.
///
/// # Errors
/// Those of `write`, and those that a signal handler raises.
pub(crate) fn write_rows<T: Number + Send, I: Sync>(
    py: Python<'_>,
    items: &[I],
    len: usize,
    array: &mut [T],
    write: impl Fn(&I, &mut [T]) -> PyResult<()> + Send + Sync,
) -> PyResult<()> {
    for (items, rows) in items.chunks(ROWS_AT_ONCE).zip(array.chunks_mut((len * ROWS_AT_ONCE).max(1))) {
        py.check_signals()?;
        let mut rows = items.iter().zip(rows.chunks_exact_mut(len.max(1)));
        py.detach(|| rows.try_for_each(|(item, row)| write(item, row)))?;
    }
    Ok(())
}

/// A one-dimensional array with these numbers.
///
/// # Errors
/// `ImportError` without NumPy.
pub(crate) fn array_of<'py, T: Number + Copy>(py: Python<'py>, numbers: &[T]) -> PyResult<Bound<'py, PyAny>> {
    array(py, [numbers.len()], |array: &mut [T]| {
        array.copy_from_slice(numbers);
        Ok(())
    })
}

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
