//! Game records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use labrys::arena::pgn::{PgnGame, file};
use labrys::engine::PositionError;
use labrys::engine::registry::{GameTable, GameType};
use labrys::game::{Color, GameMove, Knowledge, Wdl};
use labrys::learn::nnue::games::{GamesHeader, PlayedGame, read_games, read_header, start_of};
use labrys::search::Control;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Number, array, array_of};
use crate::convert::{Place, file_error, value_error};
use crate::line::{AnyGame, AnyLine, GAMES, Line};
use crate::position::Position;
use crate::rule_errors::checked;
use crate::wait::interruptible;

/// The self-play games of a file, without the type of their game.
pub(crate) trait AnyGames: Send + Sync {
    fn header(&self) -> &GamesHeader;

    fn len(&self) -> usize;

    /// The result for White, the plies of the opening and those after it.
    fn game(&self, index: usize) -> (Wdl, usize, usize);

    /// The scores after the opening, each for the side to move, in units of the evaluation.
    fn scores(&self, index: usize) -> Vec<f32>;

    /// The game as a line.
    fn line(&self, index: usize) -> Result<Arc<dyn AnyLine>, String>;
}

struct Games<G: Knowledge> {
    header: GamesHeader,
    start: G,
    /// The choice of the game's option.
    choice: usize,
    games: Vec<PlayedGame<G::Move>>,
}

impl<G: Knowledge> AnyGames for Games<G> {
    fn header(&self) -> &GamesHeader {
        &self.header
    }

    fn len(&self) -> usize {
        self.games.len()
    }

    fn game(&self, index: usize) -> (Wdl, usize, usize) {
        let PlayedGame { result, opening, moves, .. } = &self.games[index];
        (*result, opening.len(), moves.len())
    }

    fn scores(&self, index: usize) -> Vec<f32> {
        let scores = self.games[index].moves.iter();
        scores.map(|(_, score)| score.to_thousandths() as f32 / 1000.0).collect()
    }

    fn line(&self, index: usize) -> Result<Arc<dyn AnyLine>, String> {
        let game = &self.games[index];
        let PlayedGame { start, opening, moves, .. } = game;
        // Drawn starts belong to the last choice.
        let choices = G::info().option.map_or(1, |option| option.choices.len());
        let choice = start.map_or(self.choice, |_| choices - 1);
        let mut line: Arc<dyn AnyLine> = Line::new(game.start_position(&self.start), choice);
        let moves = opening.iter().copied().chain(moves.iter().map(|&(mv, _)| mv));
        for (mv, ply) in moves.zip(1..) {
            let bits = mv.to_bits();
            if !line.is_legal(bits) {
                return Err(format!("game {}, ply {ply}: {} is not legal", index + 1, line.move_text(bits)));
            }
            line = line.play(bits);
        }
        Ok(line)
    }
}

/// Reads self-play games of one game.
pub(crate) trait GamesReader: Sync {
    fn read(&self, path: &Path) -> PyResult<Arc<dyn AnyGames>>;
}

impl<G: Knowledge> GamesReader for GameType<G> {
    fn read(&self, path: &Path) -> PyResult<Arc<dyn AnyGames>> {
        let (header, games) = read_games::<G>(path).map_err(file_error)?;
        let start = start_of::<G>(&header).map_err(value_error)?;
        let choice = header.choice(&start);
        Ok(Arc::new(Games { header, start, choice, games }))
    }
}

/// The readers by the name of the game.
pub(crate) static READERS: GameTable<dyn GamesReader> = labrys::game_table!();

/// The games of a file of `labrys nnue selfplay`. `games[0]` is the final position of the first game, with
/// its moves.
#[pyclass(frozen, sequence, module = "labrys")]
pub(crate) struct SelfPlayGames(Arc<dyn AnyGames>);

impl SelfPlayGames {
    /// An array with a number for each game.
    fn each<'py, T: Number>(
        &self,
        py: Python<'py>,
        number: impl Fn((Wdl, usize, usize)) -> T,
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, [self.0.len()], |numbers| {
            for (index, place) in numbers.iter_mut().enumerate() {
                *place = number(self.0.game(index));
            }
            Ok(())
        })
    }
}

#[pymethods]
impl SelfPlayGames {
    /// How the games were played: game, start position (FEN), evaluation, nodes per move, seed and so on.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let header = serde_json::to_string(self.0.header()).map_err(value_error)?;
        py.import("json")?.call_method1("loads", (header,))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: Place) -> PyResult<Position> {
        let index = index.index(self.0.len(), "game")?;
        Ok(Position { line: checked(|| self.0.line(index))?.map_err(value_error)? })
    }

    /// The results for White: 1, ½ or 0; float32 of shape (games,).
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each(py, |(result, _, _)| result.value() as f32)
    }

    /// The numbers of random plies at the start of the games: uint32 of shape (games,).
    #[getter]
    fn opening_plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each(py, |(_, opening, _)| opening as u32)
    }

    /// The numbers of plies after these: uint32 of shape (games,).
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each(py, |(_, _, plies)| plies as u32)
    }

    /// The scores of the searches in a game, each for the side to move, in units of the evaluation: float32
    /// of shape (plies,).
    fn scores<'py>(&self, py: Python<'py>, index: Place) -> PyResult<Bound<'py, PyAny>> {
        array_of(py, &self.0.scores(index.index(self.0.len(), "game")?))
    }

    /// All positions after the openings in which a move was played, as arrays of shape (positions,): `game`
    /// and `ply` (uint32), `white` (bool: whether White is to move), `score` and `result` (float32) for the
    /// side to move. `own` and `other` (uint32) are the concatenated inputs of an evaluation net (see
    /// `Position.inputs`); those of position `i` are `own[offset[i]:offset[i + 1]]`, with `offset` (uint64)
    /// of shape (positions + 1,). The first layer of a net in PyTorch is an `EmbeddingBag` over them.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let games = Arc::clone(&self.0);
        let arrays =
            interruptible(py, move |control| Arrays::of(games.as_ref(), control))?.map_err(value_error)?;
        let dict = PyDict::new(py);
        dict.set_item("game", array_of(py, &arrays.game)?)?;
        dict.set_item("ply", array_of(py, &arrays.ply)?)?;
        dict.set_item("white", array_of(py, &arrays.white)?)?;
        dict.set_item("score", array_of(py, &arrays.score)?)?;
        dict.set_item("result", array_of(py, &arrays.result)?)?;
        dict.set_item("own", array_of(py, &arrays.own)?)?;
        dict.set_item("other", array_of(py, &arrays.other)?)?;
        dict.set_item("offset", array_of(py, &arrays.offset)?)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("labrys.SelfPlayGames({} games of {})", self.0.len(), self.0.header().game)
    }
}

/// The positions of games as columns.
#[derive(Default)]
struct Arrays {
    game: Vec<u32>,
    ply: Vec<u32>,
    white: Vec<u8>,
    score: Vec<f32>,
    result: Vec<f32>,
    own: Vec<u32>,
    other: Vec<u32>,
    offset: Vec<u64>,
}

impl Arrays {
    /// The positions of all games, or of the first ones if `control` stops it.
    fn of(games: &dyn AnyGames, control: &Control) -> Result<Arrays, String> {
        let mut arrays = Arrays { offset: vec![0], ..Arrays::default() };
        for game in (0..games.len()).take_while(|_| !control.is_stopped()) {
            let (result, opening, _) = games.game(game);
            let positions = games.line(game)?.positions();
            for ((line, score), ply) in positions.iter().skip(opening).zip(games.scores(game)).zip(opening..)
            {
                let player = line.side_to_move();
                arrays.game.push(game as u32);
                arrays.ply.push(ply as u32);
                arrays.white.push((player == Color::White).into());
                arrays.score.push(score);
                let result = if player == Color::White { result } else { !result };
                arrays.result.push(result.value() as f32);
                if line.input_shape().inputs > 0 {
                    arrays.own.extend(line.inputs(player));
                    arrays.other.extend(line.inputs(!player));
                }
                arrays.offset.push(arrays.own.len() as u64);
            }
        }
        Ok(arrays)
    }
}

/// Reads a file of `labrys nnue selfplay`.
///
/// Raises `ValueError` if it is not such a file, or is damaged; `OSError`, such as `FileNotFoundError`, if it
/// cannot be read.
#[pyfunction]
pub(crate) fn read_selfplay(py: Python<'_>, path: PathBuf) -> PyResult<SelfPlayGames> {
    interruptible(py, move |_| {
        // `read_header` finds no header in a missing file.
        let found = path.metadata();
        found.map_err(|error| file_error(format!("games file {}: {error}", path.display())))?;
        let header = read_header(&path).map_err(file_error)?;
        let header = header
            .ok_or_else(|| value_error(format!("{}: not a file of self-play games", path.display())))?;
        Ok(SelfPlayGames(READERS.get(&header.game).map_err(value_error)?.read(&path)?))
    })?
}

/// Reads the games of a PGN file: for each its tags and its final position, with the moves.
///
/// Raises `ValueError` at the first game that cannot be read or played; `OSError`, such as
/// `FileNotFoundError`, if the file cannot be read.
#[pyfunction]
pub(crate) fn read_pgn(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(BTreeMap<String, String>, Position)>> {
    interruptible(py, move |control| {
        let games = file::open(&path).map_err(file_error)?.zip(1..);
        let games = games.take_while(|_| !control.is_stopped()).map(|(game, number)| {
            let game: PgnGame = game.map_err(|error| file_error(format!("{}: {error}", path.display())))?;
            let line = line_of(&game)
                .map_err(|error| value_error(format!("{}: game {number}: {error}", path.display())))?;
            let tags = game.tags().into_iter().map(|(name, value)| (name.to_owned(), value));
            Ok((tags.collect(), Position { line }))
        });
        games.collect()
    })?
}

/// The position of a FEN with a choice of the game's option; if the board of that choice has another size,
/// with the first choice whose board fits.
fn on_its_board(rules: &dyn AnyGame, choice: usize, fen: &str) -> Result<Arc<dyn AnyLine>, PositionError> {
    let line = rules.position(choice, fen)?;
    let choices = rules.info().option.map_or(0, |option| option.choices.len());
    let size = |line: &Arc<dyn AnyLine>| (line.encoding_shape().files, line.encoding_shape().ranks);
    let fits = |&choice: &usize| size(&rules.start(choice)) == size(&line);
    if choices == 0 || fits(&choice) {
        return Ok(line);
    }
    let other = (0..choices).find(fits);
    other.map_or(Ok(line), |other| rules.position(other, fen))
}

/// The moves of a game record.
fn line_of(game: &PgnGame) -> Result<Arc<dyn AnyLine>, String> {
    let text = |error: &dyn ToString| error.to_string();
    let mut board = game.board(None).map_err(|error| text(&error))?;
    let moves = game.replay(board.as_mut()).map_err(|error| text(&error))?;
    let rules = GAMES.get(board.variant()).map_err(|error| text(&error))?;
    let choice = board
        .option()
        .and_then(|_| rules.info().choice_of_pgn_variant(board.pgn_variant().unwrap_or_default()));
    let choice = choice.unwrap_or(0);
    let mut line = match game.opening.set_up_fen() {
        Some(fen) => on_its_board(rules, choice, fen).map_err(|error| text(&error))?,
        None => rules.start(choice),
    };
    for mv in moves {
        let bits = line.parse(&mv).map_err(|error| text(&error))?;
        line = line.play(bits);
    }
    Ok(line)
}
