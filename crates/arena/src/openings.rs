//! Openings of a match: an opening book, or random moves from the start position.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use super::Variation;
use super::book::{self, BookOptions, OpeningLineError};
use labrys_core::engine::Board;
use labrys_core::game::quote_path;
use labrys_core::search::Control;

/// A source of openings. They are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// The openings of a file, repeated from the first one when they are used up.
    Book(Vec<Variation>),
    /// Random moves from the start position, or from a random one where the game has several.
    Random {
        /// The seed. An opening depends on the seed and its number only.
        seed: u64,
        /// Length of an opening in plies, chosen at random from this range.
        plies: RangeInclusive<usize>,
    },
}

/// An error of openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("openings {}: {error}", quote_path(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The file contains no opening.
    #[error("openings {}: no opening in it", quote_path(.path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// None of its openings can be used.
    #[error("{0}; no opening of the file can be used")]
    NoneUsable(Box<OpeningError>),
    /// A line or a game of the file is not a valid opening.
    #[error("openings {}, {place}: {problem}", quote_path(.path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line or the game, such as `line 7`.
        place: String,
        /// The problem.
        problem: Box<OpeningLineError>,
    },
    /// The search for an opening was stopped.
    #[error("interrupted")]
    Interrupted,
    /// Random openings of this length always end the game.
    #[error("every game is over within {plies} random plies")]
    TooLong {
        /// Length of the opening in plies.
        plies: usize,
    },
}

/// Attempts at a random opening; an attempt fails when it reaches the end of the game.
const ATTEMPTS: usize = 1000;

/// Plies of all these attempts together, about: fewer for long openings.
const ATTEMPTED_PLIES: usize = 10_000;

impl Openings {
    /// Reads an opening book for the game of `board`, which is changed. The module `book` lists its forms.
    ///
    /// # Errors
    /// [`OpeningError`] names the file, the line or game, and the FEN field or the move that is wrong.
    pub fn read(path: &Path, board: &mut dyn Board, options: BookOptions) -> Result<Openings, OpeningError> {
        let mut lines = book::read(path, board, options)?;
        if let Some(seed) = options.shuffle {
            lines.shuffle(&mut StdRng::seed_from_u64(seed));
        }
        Ok(Openings::Book(lines))
    }

    /// Whether every opening is the start position, without moves. `board` is changed.
    pub fn are_start(&self, board: &mut dyn Board) -> bool {
        let no_moves = match self {
            Openings::Book(lines) => lines.iter().all(|line| line.moves.is_empty()),
            Openings::Random { plies, .. } => *plies.end() == 0,
        };
        no_moves && self.begin_at_start(board)
    }

    /// Whether every opening begins at the start position. `board` is changed.
    pub fn begin_at_start(&self, board: &mut dyn Board) -> bool {
        match self {
            Openings::Book(lines) => {
                let start = board.set_up(None, &[]).map(|()| board.fen());
                lines.iter().all(|line| start.as_ref() == Ok(&line.fen))
            }
            Openings::Random { .. } => board.start_count() == 1,
        }
    }

    /// The opening `number`. `board` is changed.
    ///
    /// # Errors
    /// [`OpeningError::TooLong`] where random openings always end the game, [`OpeningError::Interrupted`].
    pub fn get(
        &self,
        number: u64,
        board: &mut dyn Board,
        control: &Control,
    ) -> Result<Variation, OpeningError> {
        match self {
            Openings::Book(lines) => Ok(lines[(number % lines.len() as u64) as usize].clone()),
            Openings::Random { seed, plies } => {
                let mut random = seeded_rng(*seed, number);
                // Where there is one start, nothing is drawn, and the openings of a seed stay what they were.
                let start =
                    if board.start_count() > 1 { random.random_range(0..board.start_count()) } else { 0 };
                let plies = random.random_range(plies.clone());
                let mut left = ATTEMPTED_PLIES;
                for _ in 0..ATTEMPTS {
                    match random_line(board, start, plies, &mut random, control) {
                        Ok(line) => return Ok(line),
                        Err(played) => left = left.saturating_sub(played),
                    }
                    if control.is_stopped() {
                        return Err(OpeningError::Interrupted);
                    }
                    if left == 0 {
                        break;
                    }
                }
                Err(OpeningError::TooLong { plies })
            }
        }
    }
}

/// A random number generator that depends on `seed` and `number` only. Generators of different numbers are
/// independent.
pub(super) fn seeded_rng(seed: u64, number: u64) -> StdRng {
    let mut random = StdRng::seed_from_u64(seed);
    StdRng::seed_from_u64(random.random::<u64>() ^ number)
}

/// Plays random moves from a start position. If they end the game, or if `control` stops it, the error is
/// their number.
fn random_line(
    board: &mut dyn Board,
    start: u32,
    plies: usize,
    random: &mut StdRng,
    control: &Control,
) -> Result<Variation, usize> {
    board.set_up_start(start);
    let fen = board.fen();
    let moves = board.play_random_moves(plies, random, control);
    let is_opening = moves.len() == plies && board.outcome().is_none();
    if is_opening { Ok(Variation { fen, moves }) } else { Err(moves.len()) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use labrys_core::engine::registry;

    fn board() -> Box<dyn Board> {
        registry::board(registry::default_name()).unwrap()
    }

    #[test]
    fn random_openings_depend_on_seed_and_number_only() {
        let openings = |seed| Openings::Random { seed, plies: 4..=7 };
        let mut board = board();
        let mut seen = HashSet::new();
        for number in 0..200 {
            let line = openings(1).get(number, board.as_mut(), &Control::default()).unwrap();
            assert!((4..=7).contains(&line.moves.len()));
            assert_eq!(openings(1).get(number, board.as_mut(), &Control::default()).unwrap(), line);
            board.set_up(Some(&line.fen), &line.moves).unwrap();
            assert_eq!(board.outcome(), None);
            seen.insert(line.moves);
        }
        assert!(seen.len() > 190, "{} of 200 differ", seen.len());
        let other = openings(2).get(0, board.as_mut(), &Control::default()).unwrap();
        assert!(!seen.contains(&other.moves));
    }

    #[test]
    fn random_openings_begin_at_any_start() {
        let mut board = registry::board("chess").unwrap();
        let openings = Openings::Random { seed: 1, plies: 0..=0 };
        assert!(board.start_count() == 1 && openings.are_start(board.as_mut()));
        board.set_option("UCI_Chess960", "true").unwrap();
        assert!(board.start_count() == 960 && !openings.are_start(board.as_mut()));
        let mut fens = HashSet::new();
        for number in 0..100 {
            let line = openings.get(number, board.as_mut(), &Control::default()).unwrap();
            board.set_up(Some(&line.fen), &line.moves).unwrap();
            assert_eq!(board.fen(), line.fen);
            fens.insert(line.fen);
        }
        assert!(fens.len() > 80, "{} of 100 differ", fens.len());
    }

    #[test]
    fn openings_may_be_none() {
        let mut board = board();
        let mut is_start = |openings: Openings| openings.are_start(board.as_mut());
        assert!(is_start(Openings::Random { seed: 1, plies: 0..=0 }));
        assert!(!is_start(Openings::Random { seed: 1, plies: 0..=1 }));
        let start = Openings::Random { seed: 1, plies: 0..=0 }
            .get(0, self::board().as_mut(), &Control::default())
            .unwrap();
        let moved = Openings::Random { seed: 1, plies: 1..=1 }
            .get(0, self::board().as_mut(), &Control::default())
            .unwrap();
        let other = Variation { fen: "p6p/8/8/8/8/8/8/PP6 w 0 1".to_owned(), moves: Vec::new() };
        assert!(is_start(Openings::Book(vec![start.clone(); 2])));
        assert!(!is_start(Openings::Book(vec![start.clone(), moved])));
        assert!(!is_start(Openings::Book(vec![start, other])));
    }

    #[test]
    fn endless_random_openings_are_refused() {
        let openings = Openings::Random { seed: 1, plies: 5000..=5000 };
        assert!(matches!(
            openings.get(0, board().as_mut(), &Control::default()),
            Err(OpeningError::TooLong { plies: 5000 })
        ));
    }

    /// One opening may take long in games with many moves.
    #[test]
    fn a_search_for_an_opening_can_be_stopped() {
        let control = Control::default();
        control.stop();
        for plies in [10, 1000] {
            let openings = Openings::Random { seed: 1, plies: plies..=plies };
            let found = openings.get(0, board().as_mut(), &control);
            assert!(matches!(found, Err(OpeningError::Interrupted)), "{plies} plies");
        }
    }
}
