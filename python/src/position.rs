//! Positions and their moves.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use labrys::game::{Color, Ending, Outcome as GameOutcome, Wdl};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};

use crate::arrays;
use crate::convert::{Count, Place, move_of, value_error};
use crate::games::Game;
use crate::line::{AnyLine, MoveBits};
use crate::rule_errors::checked;
use crate::wait::interruptible;

/// A position of a game, with the moves that led to it. It is immutable: `play` returns a new one.
///
/// Positions are equal if game, option and FEN are equal; the moves before do not matter.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) line: Arc<dyn AnyLine>,
}

/// The maximum depth of perft, as in the binary: perft is recursive.
const MAX_PERFT_DEPTH: u32 = 64;

/// The name of a player.
pub(crate) fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// The player with a name.
///
/// # Errors
/// `ValueError` if there is none.
pub(crate) fn color_of(word: &str) -> PyResult<Color> {
    let found = Color::BOTH.into_iter().find(|&color| color_name(color) == word);
    found.ok_or_else(|| value_error(format!("expected \"white\" or \"black\", not {word:?}")))
}

impl Position {
    /// The position after a move.
    pub(crate) fn after(&self, mv: &Bound<'_, PyAny>) -> PyResult<Position> {
        let bits = move_of(&self.line, mv)?;
        Ok(Position { line: checked(|| Arc::clone(&self.line).play(bits))? })
    }

    /// The moves since the position of a ply.
    pub(crate) fn moves_from(self, py: Python<'_>, ply: usize) -> PyResult<Vec<Move>> {
        let (positions, moves) = (Arc::clone(&self.line).positions(), self.line.moves());
        let (first, shared) = (ply.saturating_sub(positions[0].ply()), Py::new(py, self)?);
        let moves = positions.into_iter().zip(moves).skip(first);
        Ok(moves.map(|(line, bits)| Move::of(line, bits, shared.clone_ref(py))).collect())
    }

    fn divided(&self, py: Python<'_>, depth: u32) -> PyResult<Vec<(String, u64)>> {
        if depth > MAX_PERFT_DEPTH {
            return Err(value_error(format!("expected a depth of at most {MAX_PERFT_DEPTH}, not {depth}")));
        }
        let line = Arc::clone(&self.line);
        let counts = interruptible(py, move |control| line.divide(depth, control.stop_flag()))?;
        counts.ok_or_else(|| PyValueError::new_err("stopped"))
    }
}

#[pymethods]
impl Position {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game { rules: self.line.game(), choice: self.line.choice() }
    }

    /// The position as a FEN, with all counters.
    #[getter]
    fn fen(&self) -> String {
        self.line.fen()
    }

    /// The 64-bit Zobrist key of board and side to move, without the counters.
    #[getter]
    fn key(&self) -> u64 {
        self.line.key()
    }

    /// Whose turn it is: `"white"` or `"black"`.
    #[getter]
    fn side_to_move(&self) -> &'static str {
        color_name(self.line.side_to_move())
    }

    /// The legal moves, in an order that depends on the position alone. In games with chance they come
    /// without their chance outcomes, see `outcomes`.
    #[getter]
    fn legal_moves(slf: &Bound<'_, Self>) -> MoveList {
        MoveList { moves: slf.get().line.legal_moves(), position: slf.clone().unbind() }
    }

    /// How the game ended, by all rules including repetition and lack of progress; None if it has not ended.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.line.outcome().map(Outcome)
    }

    /// Who wins if a referee ends the game here; None for a draw, and in games without points.
    #[getter]
    fn leader(&self) -> Option<&'static str> {
        self.line.leader().map(color_name)
    }

    /// Whether the game has ended, by all rules including repetition and lack of progress.
    #[getter]
    fn is_over(&self) -> bool {
        self.line.outcome().is_some()
    }

    /// The number of moves since `start`.
    #[getter]
    fn ply(&self) -> usize {
        self.line.ply()
    }

    /// The moves since `start`.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Move>> {
        self.clone().moves_from(py, 0)
    }

    /// The last move; None at `start`.
    #[getter]
    fn last_move(slf: &Bound<'_, Self>) -> Option<Move> {
        slf.get().line.before().map(|(line, bits)| Move::of(line, bits, slf.clone().unbind()))
    }

    /// The position before the first of the moves.
    #[getter]
    fn start(&self) -> Position {
        let start = Arc::clone(&self.line).positions().into_iter().next();
        Position { line: start.unwrap_or_else(|| Arc::clone(&self.line)) }
    }

    /// The position before the last move; None at `start`.
    #[getter]
    fn parent(&self) -> Option<Position> {
        self.line.before().map(|(line, _)| Position { line })
    }

    /// How often the position has occurred since `start`, including now.
    #[getter]
    fn occurrences(&self) -> usize {
        self.line.occurrences()
    }

    /// A legal move by its text, in the notation of the protocol or of game records (SAN in chess).
    ///
    /// Raises `ValueError` if it is not legal.
    #[pyo3(name = "move")]
    fn parse(slf: &Bound<'_, Self>, text: &Bound<'_, PyAny>) -> PyResult<Move> {
        Ok(Move::at(slf, move_of(&slf.get().line, text)?))
    }

    /// Whether a move is legal.
    fn is_legal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        match move_of(&self.line, r#move) {
            Err(error) if error.is_instance_of::<PyValueError>(r#move.py()) => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// The position after some moves.
    ///
    /// Raises `ValueError` if one is not legal.
    #[pyo3(signature = (*moves))]
    fn play(&self, moves: &Bound<'_, PyTuple>) -> PyResult<Position> {
        let mut position = self.clone();
        for mv in moves {
            // The list may be very long.
            moves.py().check_signals()?;
            position = position.after(&mv)?;
        }
        Ok(position)
    }

    /// A legal move in the notation of game records, SAN in chess.
    fn san(&self, r#move: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.line.san(move_of(&self.line, r#move)?))
    }

    /// The chance outcomes of a move with their probabilities, which sum to 1, the most probable first;
    /// without chance, the move itself.
    fn outcomes(slf: &Bound<'_, Self>, r#move: &Bound<'_, PyAny>) -> PyResult<Vec<(Move, f64)>> {
        let line = &slf.get().line;
        let outcomes = line.outcomes(move_of(line, r#move)?);
        Ok(outcomes.into_iter().map(|(bits, probability)| (Move::at(slf, bits), probability)).collect())
    }

    /// Samples a chance outcome of a move by a random number in [0, 1), such as `random.random()`.
    fn sample(slf: &Bound<'_, Self>, r#move: &Bound<'_, PyAny>, number: f64) -> PyResult<Move> {
        if !(0.0..1.0).contains(&number) {
            return Err(value_error(format!("expected a number from 0 to 1, below 1, not {number}")));
        }
        // Inverse transform sampling.
        let line = &slf.get().line;
        let bits = move_of(line, r#move)?;
        let outcomes = line.outcomes(bits);
        let mut cumulative = 0.0;
        let found = outcomes.iter().find(|(_, probability)| {
            cumulative += probability;
            number < cumulative
        });
        // Through rounding, the sum may be below 1.
        Ok(Move::at(slf, found.or(outcomes.last()).map_or(bits, |&(bits, _)| bits)))
    }

    /// The final position of a game of random moves from here. The same seed gives the same moves. All legal
    /// moves are equally likely; in Amazons the amazon, its target and the target of the arrow are sampled
    /// one after the other.
    fn playout(&self, py: Python<'_>, seed: Count<u64>) -> PyResult<Position> {
        let line = py.detach(|| checked(|| Arc::clone(&self.line).playout(seed.0)))?;
        Ok(Position { line })
    }

    /// The number of sequences of `depth` legal moves.
    fn perft(&self, py: Python<'_>, depth: Count<u32>) -> PyResult<u64> {
        match depth.0 {
            0 => Ok(1),
            _ => Ok(self.divided(py, depth.0)?.into_iter().map(|(_, count)| count).sum()),
        }
    }

    /// The number of sequences of `depth` legal moves, for each first move.
    fn divide(&self, py: Python<'_>, depth: Count<u32>) -> PyResult<BTreeMap<String, u64>> {
        match depth.0 {
            0 => Err(PyValueError::new_err("expected a depth from 1 on, not 0")),
            _ => Ok(self.divided(py, depth.0)?.into_iter().collect()),
        }
    }

    /// A text diagram of the board.
    fn diagram(&self) -> PyResult<String> {
        checked(|| self.line.diagram())
    }

    /// The values of the features of a feature set (by default the first one) for the side to move: float64
    /// of shape (features,).
    #[pyo3(signature = (set = None))]
    fn features<'py>(&self, py: Python<'py>, set: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let set = self.game().set_of_name(set)?;
        arrays::array(py, [self.line.game().feature_sets()[set].features.len()], |values| {
            checked(|| self.line.features(set, values))
        })
    }

    /// The input of a policy/value net, from the perspective of the side to move, which plays up the board:
    /// float32 of shape (planes, ranks, files). The first rank is that of the side to move.
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.line.encoding_shape();
        arrays::check_encoding(self.line.game().info().name, shape)?;
        arrays::array(py, [shape.input_planes, shape.ranks, shape.files], |planes| {
            self.line.planes(planes);
            Ok(())
        })
    }

    /// The active inputs of an evaluation net (NNUE) as indices below `Game.inputs`: those of the side to
    /// move and those of the opponent, two arrays of uint32 of shape (active inputs,).
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        if self.line.input_shape().inputs == 0 {
            let game = self.line.game().info().name;
            return Err(value_error(format!("{game} has no inputs for evaluation nets")));
        }
        let player = self.line.side_to_move();
        let array = |player| arrays::array_of(py, &self.line.inputs(player));
        Ok((array(player)?, array(!player)?))
    }

    /// The indices of a move in the flattened policy of a net, whose shape is `Game.policy_shape`: the logit
    /// of the move is the sum of the logits at these indices.
    fn policy_indices(&self, r#move: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        Ok(self.line.policy_indices(move_of(&self.line, r#move)?))
    }

    /// An SVG image of the board, whose longer side has `size` pixels. `arrows` are moves to show as arrows;
    /// `last_move` highlights the squares of the last move; `flipped` puts Black at the bottom.
    #[pyo3(signature = (**options))]
    fn svg(slf: &Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let board = slf.py().import("labrys.svg")?.getattr("board")?;
        board.call((slf,), options)?.extract()
    }

    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        Position::svg(slf, None)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("{}\n{}", self.diagram()?, self.line.fen()))
    }

    fn __eq__(&self, other: &Position) -> bool {
        let (ours, theirs) = (&self.line, &other.line);
        let keys = [ours, theirs].map(|line| (line.game().info().name, line.choice(), line.key()));
        Arc::ptr_eq(ours, theirs) || (keys[0] == keys[1] && ours.fen() == theirs.fen())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.line.game().info().name, self.line.choice(), self.line.key()).hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(&self) -> Position {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_position")?;
        let positions = Arc::clone(&self.line).positions();
        let moves = positions.iter().zip(self.line.moves()).map(|(line, bits)| line.move_text(bits));
        let (start, moves) = (positions[0].fen(), moves.collect::<Vec<_>>());
        Ok((make, (self.game(), start, moves).into_pyobject(py)?))
    }
}

/// Unpickles a position from a FEN and the moves after it.
#[pyfunction]
pub(crate) fn _position(game: &Bound<'_, Game>, fen: &str, moves: Vec<String>) -> PyResult<Position> {
    let game = game.get();
    let line = checked(|| -> Result<_, String> {
        let mut line = game.rules.position(game.choice, fen).map_err(|error| error.to_string())?;
        for text in moves {
            let bits = line.parse(&text).map_err(|error| error.to_string())?;
            line = line.play(bits);
        }
        Ok(line)
    })?;
    Ok(Position { line: line.map_err(value_error)? })
}

/// A legal move in a position. `str(move)` is its text in the notation of the protocol.
///
/// The same move in different positions is equal.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Move {
    pub(crate) line: Arc<dyn AnyLine>,
    pub(crate) bits: MoveBits,
    /// A position that the moves of a list share, so that a pickle of the list contains it once: the position
    /// before the move, or a later one of the same game.
    shared: Py<Position>,
}

impl Move {
    /// A move that shares a position with others.
    pub(crate) fn of(line: Arc<dyn AnyLine>, bits: MoveBits, shared: Py<Position>) -> Move {
        Move { line, bits, shared }
    }

    /// A move in a position.
    fn at(position: &Bound<'_, Position>, bits: MoveBits) -> Move {
        Move::of(Arc::clone(&position.get().line), bits, position.clone().unbind())
    }

    fn text(&self) -> String {
        self.line.move_text(self.bits)
    }
}

#[pymethods]
impl Move {
    /// The position in which it is legal.
    #[getter]
    fn position(&self) -> Position {
        Position { line: Arc::clone(&self.line) }
    }

    /// The move in the notation of game records, SAN in chess.
    #[getter]
    fn san(&self) -> String {
        self.line.san(self.bits)
    }

    /// The move as a number, from 1 to 2²⁴ − 1.
    #[getter]
    fn bits(&self) -> MoveBits {
        self.bits
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("labrys.Move({})", self.text())
    }

    fn __eq__(&self, other: &Move) -> bool {
        let [ours, theirs] = [self, other].map(|mv| (mv.bits, mv.line.game().info().name));
        ours == theirs
    }

    fn __hash__(&self) -> u64 {
        self.bits.into()
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_move")?;
        let back = self.shared.get().line.ply() - self.line.ply();
        Ok((make, (self.shared.clone_ref(py), back, self.text()).into_pyobject(py)?))
    }
}

/// Unpickles a move that is legal in a position, or in the one `back` plies before it.
#[pyfunction]
pub(crate) fn _move(position: &Bound<'_, Position>, back: usize, text: &str) -> PyResult<Move> {
    let mut line = Arc::clone(&position.get().line);
    for _ in 0..back {
        (line, _) = line.before().ok_or_else(|| value_error(format!("no move {back} plies before")))?;
    }
    let bits = line.parse(text).map_err(value_error)?;
    Ok(Move::of(line, bits, position.clone().unbind()))
}

/// The legal moves in a position, a sequence, whose elements are created on access.
#[pyclass(frozen, sequence, module = "labrys")]
pub(crate) struct MoveList {
    position: Py<Position>,
    moves: Vec<MoveBits>,
}

impl MoveList {
    fn mv(&self, py: Python<'_>, bits: MoveBits) -> Move {
        Move::at(self.position.bind(py), bits)
    }

    fn line(&self) -> &Arc<dyn AnyLine> {
        &self.position.get().line
    }
}

#[pymethods]
impl MoveList {
    fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let slice = slice.indices(self.moves.len() as isize)?;
            let at = |number: usize| slice.start + number as isize * slice.step;
            let moves = (0..slice.slicelength).map(|number| self.mv(py, self.moves[at(number) as usize]));
            return Ok(moves.collect::<Vec<_>>().into_pyobject(py)?.into_any());
        }
        let index = index.extract::<Place>()?.index(self.moves.len(), "legal move")?;
        Ok(self.mv(py, self.moves[index]).into_pyobject(py)?.into_any())
    }

    fn __iter__(slf: Bound<'_, Self>) -> MoveIterator {
        MoveIterator { list: slf.unbind(), next: 0 }
    }

    fn __contains__(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = r#move.py();
        match move_of(self.line(), r#move) {
            Ok(bits) => Ok(self.moves.contains(&bits)),
            // Anything but a move is not contained. A foreign object may raise other errors, such as Ctrl-C.
            Err(error) if error.is_instance_of::<PyValueError>(py) => Ok(false),
            Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The index of a move, between `start` and `stop` if given.
    ///
    /// Raises `ValueError` if it is not there.
    #[pyo3(
        signature = (value, start = Place(0, None), stop = None),
        text_signature = "($self, value, start=0, stop=None)",
    )]
    fn index(&self, value: &Bound<'_, PyAny>, start: Place, stop: Option<Place>) -> PyResult<usize> {
        let len = self.moves.len();
        let (start, stop) = (start.end(len), stop.map_or(len, |stop| stop.end(len)));
        let bits = move_of(self.line(), value)?;
        let found = (start..stop).find(|&place| self.moves[place] == bits);
        found.ok_or_else(|| value_error(format!("no legal move {}", self.line().move_text(bits))))
    }

    /// 1 for a legal move, otherwise 0.
    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.__contains__(value).map(usize::from)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let get = py.import("builtins")?.getattr("getattr")?;
        Ok((get, (self.position.clone_ref(py), "legal_moves").into_pyobject(py)?))
    }

    fn __eq__(&self, other: &MoveList) -> bool {
        self.moves == other.moves && self.line().game().info().name == other.line().game().info().name
    }

    fn __repr__(&self) -> String {
        let texts: Vec<_> = self.moves.iter().map(|&bits| self.line().move_text(bits)).collect();
        format!("[{}]", texts.join(", "))
    }
}

/// Iterates over the legal moves in a position.
#[pyclass]
pub(crate) struct MoveIterator {
    list: Py<MoveList>,
    next: usize,
}

#[pymethods]
impl MoveIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Move> {
        let list = self.list.get();
        let bits = *list.moves.get(self.next)?;
        self.next += 1;
        Some(list.mv(py, bits))
    }
}

/// How a game ended.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Outcome(GameOutcome);

#[pymethods]
impl Outcome {
    /// `"white"` or `"black"`; None if the game is drawn.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.winner.map(color_name)
    }

    /// The rule that ended the game, such as `"checkmate"`.
    #[getter]
    fn ending(&self) -> String {
        self.0.ending.to_string()
    }

    /// The result as in PGN: `"1-0"`, `"0-1"` or `"1/2-1/2"`.
    #[getter]
    fn result(&self) -> &'static str {
        match self.0.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// The points of `"white"` or `"black"`: 1, ½ or 0.
    fn points(&self, player: &str) -> PyResult<f64> {
        Ok(Wdl::of(self.0.winner, color_of(player)?).value())
    }

    fn __eq__(&self, other: &Outcome) -> bool {
        self.0 == other.0
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("labrys.Outcome({})", self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_outcome")?;
        Ok((make, (self.winner(), self.ending()).into_pyobject(py)?))
    }
}

/// Unpickles an outcome from its winner and the text of its ending.
#[pyfunction]
#[pyo3(signature = (winner, ending))]
pub(crate) fn _outcome(winner: Option<&str>, ending: &str) -> PyResult<Outcome> {
    let winner = winner.map(color_of).transpose()?;
    let known = Ending::ALL.into_iter().find(|known| known.to_string() == ending);
    let ending = known.ok_or_else(|| value_error(format!("unknown ending `{ending}`")))?;
    Ok(Outcome(GameOutcome { winner, ending }))
}
