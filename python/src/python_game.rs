//! Games written in Python: subclasses of `labrys.Rules`.
//!
//! Searches are generic over the type of the game, but games in Python are defined at run time. So there is a
//! fixed number of types without rules, [`PythonGame`] with the number of a slot, and a game takes the first
//! free slot. A game with the name of an earlier one, as when a notebook cell runs again, replaces it.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use labrys::game::{
    Color, DrawRules, Ending, FeatureSet, FenError, Game, GameInfo, GameMove, Knowledge, MoveError, Outcome,
    Scale,
};
use labrys::{arena, solver};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::elements;
use crate::line::GAMES;
use crate::position::color_of;
use crate::records::READERS;
use crate::rule_errors::{call, note};
use crate::wait::lock;
use labrys::engine::registry::GameType;

/// The maximum number of games in Python in a process.
const SLOTS: usize = 2;

/// The feature set of games in Python.
const PYTHON_FEATURES: &str = "python";

/// The game in a slot.
#[derive(Clone, Copy)]
struct Slot {
    name: &'static str,
    rules: &'static Py<PyAny>,
}

/// The games by slot.
static SLOT_GAMES: RwLock<[Option<Slot>; SLOTS]> = RwLock::new([None; SLOTS]);

/// The interned texts of moves.
static TEXTS: Mutex<Texts> = Mutex::new(Texts { numbers: None, texts: Vec::new() });

#[derive(Default)]
struct Texts {
    numbers: Option<HashMap<String, u32>>,
    /// The first one has the number 1.
    texts: Vec<String>,
}

impl Texts {
    /// The number of a text, which is added if it is new; `None` if no record of a game would have it as a
    /// move, which is checked once.
    fn number(&mut self, text: &str) -> Option<u32> {
        let numbers = self.numbers.get_or_insert_default();
        if let Some(&number) = numbers.get(text) {
            return Some(number);
        }
        if !arena::pgn::is_move_word(text) {
            return None;
        }
        self.texts.push(text.to_owned());
        let number = self.texts.len() as u32;
        numbers.insert(text.to_owned(), number);
        Some(number)
    }
}

/// A move of a game in Python: the number of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PythonMove(u32);

impl PythonMove {
    fn text(self) -> String {
        let texts = lock(&TEXTS);
        texts.texts.get(self.0 as usize - 1).cloned().unwrap_or_default()
    }
}

impl GameMove for PythonMove {
    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Self {
        PythonMove(bits.max(1))
    }
}

/// A position of the game in a slot.
#[derive(Clone)]
pub(crate) struct PythonGame<const SLOT: usize>(Arc<PositionData>);

/// The results of all methods of the rules for a position.
struct PositionData {
    rules: &'static Py<PyAny>,
    /// The state; `None` if the rules have raised an error.
    state: Option<Py<PyAny>>,
    fen: String,
    key: u64,
    side: Color,
    moves: Vec<PythonMove>,
    winner: Option<Color>,
}

impl<const SLOT: usize> fmt::Debug for PythonGame<SLOT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PythonGame({})", self.0.fen)
    }
}

/// The string that a method has returned.
///
/// # Errors
/// `TypeError` names the method; `ValueError` if Python cannot write the text as Unicode.
fn text_of(method: &str, found: &Bound<'_, PyAny>) -> PyResult<String> {
    if !found.is_instance_of::<PyString>() {
        let kind = found.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{method}: expected a text, not {kind}")));
    }
    found.extract()
}

/// A `ValueError` about the return value of a method.
fn method_error(py: Python<'_>, method: &str, error: &PyErr) -> PyErr {
    PyValueError::new_err(format!("{method}: {}", error.value(py)))
}

/// Calls the methods of the rules for a state.
fn position_data(rules: &'static Py<PyAny>, state: Bound<'_, PyAny>) -> PyResult<PositionData> {
    let py = state.py();
    let get = |method: &str| call(|| rules.bind(py).call_method1(method, (&state,)));
    let fen = text_of("fen", &get("fen")?)?;
    let color = |method: &str, word: &str| color_of(word).map_err(|error| method_error(py, method, &error));
    let side = color("side_to_move", &text_of("side_to_move", &get("side_to_move")?)?)?;
    let (mut moves, mut seen) = (Vec::new(), HashSet::new());
    let found = get("legal_moves")?;
    let mut texts = elements("legal_moves", &found)?;
    while let Some(text) = call(|| texts.next()) {
        let text = text_of("legal_moves", &text?)?;
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Err(PyValueError::new_err(format!(
                "legal_moves: {text:?} is no move: it has to be a word"
            )));
        }
        // The record of a match would lose the move without a word.
        let mv = lock(&TEXTS).number(&text).map(PythonMove).ok_or_else(|| {
            PyValueError::new_err(format!("legal_moves: {text:?} cannot stand in a game record"))
        })?;
        if !seen.insert(mv) {
            return Err(PyValueError::new_err(format!("legal_moves: {text:?} is there twice")));
        }
        moves.push(mv);
    }
    let winner =
        if moves.is_empty() { Some(get("winner")?).filter(|winner| !winner.is_none()) } else { None };
    let winner = winner.map(|winner| color("winner", &text_of("winner", &winner)?)).transpose()?;
    let mut hasher = DefaultHasher::new();
    fen.hash(&mut hasher);
    Ok(PositionData { rules, state: Some(state.unbind()), fen, key: hasher.finish(), side, moves, winner })
}

impl PositionData {
    /// A drawn game in place of an error of the rules, which is recorded.
    fn failed(py: Python<'_>, game: &str, rules: &'static Py<PyAny>, error: PyErr) -> PositionData {
        note(py, game, error);
        let (fen, moves) = ("error".to_owned(), Vec::new());
        PositionData { rules, state: None, fen, key: 0, side: Color::White, moves, winner: None }
    }
}

impl<const SLOT: usize> PythonGame<SLOT> {
    fn slot() -> Option<Slot> {
        SLOT_GAMES.read().unwrap_or_else(PoisonError::into_inner)[SLOT]
    }

    /// The rules in the slot, which must be taken.
    fn rules() -> &'static Py<PyAny> {
        Self::slot().expect("a game is registered when its slot is taken").rules
    }

    /// The position of a state, or of an error.
    fn of(py: Python<'_>, rules: &'static Py<PyAny>, state: PyResult<Bound<'_, PyAny>>) -> PythonGame<SLOT> {
        let position = state.and_then(|state| position_data(rules, state));
        let failed = |error| PositionData::failed(py, Self::info().name, rules, error);
        PythonGame(Arc::new(position.unwrap_or_else(failed)))
    }

    /// Adds the game of the slot to the registries of engines, matches and the solver.
    fn register()
    where
        PythonGame<SLOT>: solver::SolverGame + labrys::engine::Playable,
    {
        solver::add_game::<PythonGame<SLOT>>();
        arena::add_game::<PythonGame<SLOT>>();
        GAMES.add(PythonGame::<SLOT>::info, &GameType::<PythonGame<SLOT>>::GAME);
        READERS.add(PythonGame::<SLOT>::info, &GameType::<PythonGame<SLOT>>::GAME);
    }
}

impl<const SLOT: usize> Game for PythonGame<SLOT> {
    type Move = PythonMove;

    fn info() -> GameInfo {
        GameInfo::new(Self::slot().map_or("none", |slot| slot.name))
    }

    const MAX_MOVES: usize = 1 << 12;

    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    const LONGEST_GAME: Option<u32> = Some(1000);

    fn start() -> Self {
        Python::attach(|py| {
            let rules = Self::rules();
            Self::of(py, rules, call(|| rules.bind(py).call_method0("start")))
        })
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        Python::attach(|py| {
            let rules = Self::rules();
            let state = call(|| rules.bind(py).call_method1("from_fen", (fen,)));
            let position = state.and_then(|state| position_data(rules, state));
            let position = position.map_err(|error| {
                let game = Self::info().name;
                let expected = format!("a position of {game} ({})", error.value(py));
                // Ctrl-C or `SystemExit` is not about the text.
                if !error.is_instance_of::<PyException>(py) {
                    note(py, game, error);
                }
                FenError::Field { field: "position", found: fen.to_owned(), expected }
            });
            Ok(PythonGame(Arc::new(position?)))
        })
    }

    fn fen(&self) -> String {
        self.0.fen.clone()
    }

    fn side_to_move(&self) -> Color {
        self.0.side
    }

    fn legal_moves(&self, moves: &mut Vec<PythonMove>) {
        moves.extend(&self.0.moves);
    }

    fn is_legal(&self, mv: PythonMove) -> bool {
        self.0.moves.contains(&mv)
    }

    fn play(&mut self, mv: PythonMove) {
        if !self.is_legal(mv) {
            return;
        }
        let PositionData { rules, state: Some(state), .. } = &*self.0 else { return };
        *self = Python::attach(|py| {
            Self::of(py, rules, call(|| rules.bind(py).call_method1("play", (state, mv.text()))))
        });
    }

    fn terminal_outcome(&self) -> Outcome {
        Outcome { winner: self.0.winner, ending: Ending::NoMoves }
    }

    fn key(&self) -> u64 {
        self.0.key
    }

    fn key_from_scratch(&self) -> u64 {
        self.0.key
    }

    fn same_position(&self, other: &Self) -> bool {
        self.0.fen == other.0.fen
    }

    fn move_text(&self, mv: PythonMove) -> String {
        mv.text()
    }

    fn parse_move(&self, text: &str) -> Result<PythonMove, MoveError> {
        self.0.moves.iter().copied().find(|mv| mv.text() == text).ok_or_else(|| MoveError::Illegal {
            text: text.to_owned(),
            reason: format!("not among the legal moves of {}", self.0.fen),
        })
    }

    fn diagram(&self) -> String {
        let PositionData { rules, state: Some(state), fen, .. } = &*self.0 else { return self.0.fen.clone() };
        Python::attach(|py| {
            let diagram = call(|| rules.bind(py).call_method1("diagram", (state,)));
            diagram.and_then(|diagram| text_of("diagram", &diagram)).unwrap_or_else(|error| {
                note(py, Self::info().name, error);
                fen.clone()
            })
        })
    }

    fn count_moves(&self) -> usize {
        self.0.moves.len()
    }
}

impl<const SLOT: usize> Knowledge for PythonGame<SLOT> {
    type InputPlanes = [u128; 0];

    const SETS: &'static [FeatureSet] = &[FeatureSet {
        name: PYTHON_FEATURES,
        features: &["evaluation"],
        phases: &[],
        default_weights: None,
        scale: Scale::UNMEASURED,
    }];

    /// The only feature is the evaluation itself.
    const INITIAL_WEIGHT: f64 = 1.0;

    fn features(&self, _set: usize, mut visit: impl FnMut(usize, f64)) {
        let PositionData { rules, state: Some(state), .. } = &*self.0 else { return };
        Python::attach(|py| {
            let value = call(|| rules.bind(py).call_method1("evaluate", (state,)));
            match value.and_then(|value| value.extract::<f64>()) {
                Ok(value) if value.is_finite() => visit(0, value),
                Ok(value) => {
                    let text = format!("evaluate: expected a finite number, not {value}");
                    note(py, Self::info().name, PyValueError::new_err(text));
                }
                Err(error) => note(py, Self::info().name, error),
            }
        });
    }
}

labrys::game!(PythonGame<0>);
labrys::game!(PythonGame<1>);

/// Words of the protocol and of the command line that cannot be names of games.
const RESERVED: &[&str] = &[
    "all",
    "auto",
    "bench",
    "button",
    "current",
    "d",
    "default",
    "empty",
    "eval",
    "false",
    "fen",
    "file",
    "go",
    "help",
    "isready",
    "moves",
    "name",
    "none",
    "null",
    "off",
    "on",
    "perft",
    "ponderhit",
    "position",
    "quit",
    "random",
    "setoption",
    "setweights",
    "startpos",
    "stop",
    "true",
    "uci",
    "ucinewgame",
    "unknown",
    "value",
    "wait",
    "weights",
];

/// Registers a game written in Python; it replaces an earlier game in Python of the same name. `rules` is a
/// `labrys.Rules`.
///
/// Raises `ValueError` if the name is taken by another game, or there are too many games in Python already,
/// and the errors that the rules raise for the start position.
#[pyfunction]
pub(crate) fn add_game(rules: &Bound<'_, PyAny>) -> PyResult<crate::games::Game> {
    let py = rules.py();
    let expected = py.import("labrys.rules")?.getattr("Rules")?;
    if !rules.is_instance(&expected)? {
        let found = rules.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected a labrys.Rules, not {found}")));
    }
    let name: String = rules.getattr("name")?.extract()?;
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(PyValueError::new_err(format!(
            "name: expected letters a to z, digits and hyphens, not {name:?}"
        )));
    }
    if RESERVED.contains(&&*name) {
        return Err(PyValueError::new_err(format!("name: {name:?} is a word of the protocol")));
    }
    // The rules must handle their start position before the game is registered.
    let leaked: &'static Py<PyAny> = Box::leak(Box::new(rules.clone().unbind()));
    let start = position_data(leaked, rules.call_method0("start")?)?;
    let again = position_data(leaked, rules.call_method1("from_fen", (&start.fen,))?)?;
    if (&again.fen, again.side, &again.moves) != (&start.fen, start.side, &start.moves) {
        return Err(PyValueError::new_err(format!(
            "from_fen: {:?}, which fen gives, is another position",
            start.fen
        )));
    }
    // The tables read the names from the slots, so they are queried before the slots are locked. The GIL lets
    // one thread through here at a time.
    let is_known = GAMES.get(&name).is_ok();
    let slot = {
        let mut taken = SLOT_GAMES.write().unwrap_or_else(PoisonError::into_inner);
        let own = taken.iter().position(|slot| slot.is_some_and(|slot| slot.name == name));
        if own.is_none() && is_known {
            return Err(PyValueError::new_err(format!("there is a game {name} already")));
        }
        let free = own.or_else(|| taken.iter().position(Option::is_none));
        let slot = free.ok_or_else(|| {
            PyValueError::new_err(format!("there are {SLOTS} games in Python already, and room for no more"))
        })?;
        taken[slot] = Some(Slot { name: String::leak(name.clone()), rules: leaked });
        slot
    };
    match slot {
        0 => PythonGame::<0>::register(),
        _ => PythonGame::<1>::register(),
    }
    crate::games::Game::of_name(&name)
}
