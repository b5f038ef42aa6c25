//! Training samples: feature vectors of positions from games, with the results of the games.

use std::ops::Range;

use thiserror::Error;

use super::observation::sparse_features;
use crate::nnue::games::{GamesHeader, GamesProblem, PlayedGame, start_of};
use labrys_core::engine::Playable;
use labrys_core::engine::{Board, GameState, PositionError};
use labrys_core::eval::Score;
use labrys_core::game::{Color, MoveError, Wdl};

/// Feature vectors of positions, each with the result of its game for the side to move.
///
/// The vectors are stored sparsely.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// End of each position's features in `indices` and `values`.
    ends: Vec<usize>,
    indices: Vec<u16>,
    values: Vec<f32>,
    results: Vec<f32>,
    /// Search score of each position, NaN where there is none.
    search_scores: Vec<f32>,
    /// End of each game's positions.
    games: Vec<usize>,
}

/// A game to learn from.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordedGame<'a> {
    /// The position before the opening, as FEN; `None` for the start position.
    pub fen: Option<&'a str>,
    /// The moves of the opening. The positions before them are not used.
    pub opening: &'a [String],
    /// The moves after the opening.
    pub moves: &'a [String],
    /// The search scores of the positions before the moves, where known, in units of the evaluation.
    pub scores: &'a [Option<f64>],
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
}

/// Why a game cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SampleError {
    /// The opening is not valid.
    #[error(transparent)]
    Opening(#[from] PositionError),
    /// A move is not legal.
    #[error("move {number}: {error}")]
    Move {
        /// Number of the move after the opening, from 1.
        number: usize,
        /// What is wrong with it.
        error: MoveError,
    },
}

impl Samples {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The positions of the game `game`, as a range. Positions of one game are strongly correlated, so
    /// training and validation sets have to be split by games.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn of_game(&self, game: usize) -> Range<usize> {
        let begin = if game == 0 { 0 } else { self.games[game - 1] };
        begin..self.games[game]
    }

    /// The features of the position `number`, and the result of its game for the side to move: 1, ½ or 0.
    ///
    /// # Panics
    /// When there is no position of that number.
    pub fn get(&self, number: usize) -> (impl Iterator<Item = (usize, f64)>, f64) {
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        let range = begin..self.ends[number];
        let values = self.values[range.clone()].iter().map(|&value| f64::from(value));
        let indices = self.indices[range].iter().map(|&index| usize::from(index));
        (indices.zip(values), f64::from(self.results[number]))
    }

    /// The search score of the position `number` for the side to move, in units of the evaluation; infinite
    /// for a mate score.
    ///
    /// # Panics
    /// When there is no position of that number.
    pub fn search_score(&self, number: usize) -> Option<f64> {
        Some(f64::from(self.search_scores[number])).filter(|value| !value.is_nan())
    }

    /// Adds a position as a game of its own.
    pub fn push(&mut self, features: impl IntoIterator<Item = (usize, f64)>, result: f64) {
        self.push_position(features, result, None);
        self.end_game();
    }

    /// Ends the game of the positions added last.
    pub(super) fn end_game(&mut self) {
        self.games.push(self.len());
    }

    pub(super) fn push_position(
        &mut self,
        features: impl IntoIterator<Item = (usize, f64)>,
        result: f64,
        search_score: Option<f64>,
    ) {
        for (index, value) in features {
            if value != 0.0 {
                self.indices.push(u16::try_from(index).expect("feature sets have some thousand features"));
                self.values.push(value as f32);
            }
        }
        self.ends.push(self.indices.len());
        self.results.push(result as f32);
        self.search_scores.push(search_score.map_or(f32::NAN, |value| value as f32));
    }

    /// Adds the quiet positions of a game: those not in check in which no tactical move was played. In other
    /// positions the static evaluation differs from the search score. Features are those of the set
    /// `G::SETS[set]`. `game` is modified.
    ///
    /// # Errors
    /// [`SampleError`] names the illegal move; the positions before it have been added.
    pub fn add_game<G: Playable>(
        &mut self,
        set: usize,
        game: &mut GameState<G>,
        record: &RecordedGame,
    ) -> Result<(), SampleError> {
        let added = self.add_positions(set, game, record);
        self.end_game();
        added
    }

    fn add_positions<G: Playable>(
        &mut self,
        set: usize,
        game: &mut GameState<G>,
        record: &RecordedGame,
    ) -> Result<(), SampleError> {
        let RecordedGame { fen, opening, moves, scores, winner } = *record;
        game.set_up(fen, opening)?;
        for (text, number) in moves.iter().zip(1..) {
            let position = game.position();
            let mv = position.parse_move(text).map_err(|error| SampleError::Move { number, error })?;
            let result = Wdl::of(winner, position.side_to_move());
            self.push_quiet(set, position, mv, result, scores.get(number - 1).copied().flatten());
            game.advance(mv);
        }
        Ok(())
    }

    /// Adds the quiet positions of self-play games; see [`Samples::add_game`].
    ///
    /// # Errors
    /// [`GamesProblem::Move`] names the first move that is not legal, or the start position.
    pub fn add_played<G: Playable>(
        &mut self,
        set: usize,
        header: &GamesHeader,
        games: &[PlayedGame<G::Move>],
    ) -> Result<(), GamesProblem> {
        let start: G = start_of(header)?;
        for (game, number) in games.iter().zip(1..) {
            game.replay(&start, |played| {
                let score = units(played.score);
                self.push_quiet(set, played.position, played.mv, played.result, Some(score));
            })
            .map_err(|(ply, text)| GamesProblem::Move { number, ply, text })?;
            self.end_game();
        }
        Ok(())
    }

    /// Adds a position in which `mv` was played, if it is quiet.
    fn push_quiet<G: Playable>(
        &mut self,
        set: usize,
        position: &G,
        mv: G::Move,
        result: Wdl,
        score: Option<f64>,
    ) {
        if !position.in_check() && !position.is_tactical(mv) {
            self.push_position(sparse_features(position, set), result.value(), score);
        }
    }
}

/// A score in units of the evaluation; infinite for a decisive score.
fn units(score: Score) -> f64 {
    let thousandths = f64::from(score.to_thousandths());
    match score.is_decisive() {
        true => f64::INFINITY.copysign(thousandths),
        false => thousandths / 1000.0,
    }
}
