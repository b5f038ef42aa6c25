//! Splitting of long work into shards for several machines, and merging of the results.
//!
//! Such work is a list of numbered games, each of which depends only on the settings and its number. A
//! [`Shard`] is a range of these numbers. The file of a shard says which [`Part`] of which job it holds, so
//! that a merge can refuse files that do not belong together before it reads a game.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use labrys_core::game::counted;

/// One of several shards of a job, written `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Its number, from 1 to `count`.
    index: u64,
    /// The number of shards.
    count: u64,
}

/// The part of a job that a file holds, written `2/5 of 400 games of job 89abcdef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Part {
    /// The shard.
    shard: Shard,
    /// The games of the whole job.
    games: u64,
    /// The checksum of all that the games depend on.
    job: u32,
}

/// An invalid shard or part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShardError {
    /// The text is not that of a shard.
    #[error("expected a shard, I/N, with I from 1 to N")]
    Syntax,
    /// The text is not that of a part.
    #[error("shard `{0}`: expected `I/N of M games of job`, with a checksum")]
    Part(String),
    /// The number of games is unknown.
    #[error("{0}: the number of games is not known, name it")]
    Endless(Shard),
    /// There are fewer pairs of games than shards, of which there are several.
    #[error(
        "{} cannot be cut into {} of a pair at least",
        counted(.games, "game"),
        counted(.shard.count, "shard")
    )]
    TooMany {
        /// The shard.
        shard: Shard,
        /// All games.
        games: u64,
    },
    /// The settings of the job cannot be written as JSON.
    #[error("settings: {0}")]
    Settings(String),
}

/// Files that cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file does not hold a shard.
    #[error("{}: not a shard, but whole", .path.display())]
    Whole {
        /// The file.
        path: PathBuf,
    },
    /// A file belongs to another job.
    #[error("{}: shard {found}, but {} has shard {first_part}", .path.display(), .first.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its part.
        found: Part,
        /// The first file.
        first: PathBuf,
        /// The part of the first file.
        first_part: Part,
    },
    /// Two files hold the same shard.
    #[error("{}: shard {shard} again, after {}", .path.display(), .other.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The other file.
        other: PathBuf,
        /// The shard of both.
        shard: Shard,
    },
    /// Shards are missing.
    #[error("{count} of {} missing: {}", counted(.of, "shard"), listed(.missing))]
    Missing {
        /// The numbers of the first ones, in order: more than are listed, if there are more.
        missing: Vec<u64>,
        /// How many there are.
        count: u64,
        /// All shards.
        of: u64,
    },
    /// A shard is incomplete.
    #[error(
        "{}: {}, expected {expected}: play the shard to its end",
        .path.display(),
        counted(.games, "game")
    )]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Its games.
        games: u64,
        /// The games of the shard.
        expected: u64,
    },
    /// A game is not of the shard of its file.
    #[error("{}: {} is not of shard {shard}, or there twice", .path.display(), numbered(.number))]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, from 1; 0 if it has none.
        number: u64,
        /// The shard.
        shard: Shard,
    },
    /// The result cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The maximum number of missing shards that an error lists.
const LISTED: usize = 10;

/// A game by its number from 1; 0 if it has none.
pub fn numbered(number: &u64) -> String {
    match number {
        0 => "a game without a number".to_owned(),
        number => format!("game {number}"),
    }
}

fn listed(numbers: &[u64]) -> String {
    let texts: Vec<_> = numbers.iter().take(LISTED).map(u64::to_string).collect();
    texts.join(", ") + if numbers.len() > LISTED { ", …" } else { "" }
}

impl Shard {
    /// The numbers of its games, of `games` games counted from 0. Shards follow each other, sizes differ by a
    /// pair of games at most, and pairs, games 2n and 2n + 1, stay together.
    fn numbers(self, games: u64) -> Range<u64> {
        // In 128 bits, as the product may overflow.
        let first = |index: u64| match index == self.count {
            true => games,
            false => 2 * (u128::from(games / 2) * u128::from(index) / u128::from(self.count)) as u64,
        };
        first(self.index - 1)..first(self.index)
    }

    /// Whether each of several shards has a pair of games. One shard has what there is, also a single game.
    fn fits(self, games: u64) -> bool {
        self.count == 1 || self.count <= games / 2
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError::Syntax)?;
        let shard = index.parse().ok().zip(count.parse().ok()).map(|(index, count)| Shard { index, count });
        shard.filter(|shard| (1..=shard.count).contains(&shard.index)).ok_or(ShardError::Syntax)
    }
}

impl Part {
    /// A shard of a job of `games` games. `settings` are all settings that the games depend on.
    ///
    /// # Errors
    /// [`ShardError`] if there are fewer pairs of games than several shards, or their number is unknown.
    pub fn new(shard: Shard, games: u64, settings: &impl Serialize) -> Result<Part, ShardError> {
        if games == u64::MAX {
            return Err(ShardError::Endless(shard));
        }
        if !shard.fits(games) {
            return Err(ShardError::TooMany { shard, games });
        }
        Ok(Part { shard, games, job: checksum(settings)? })
    }

    /// The job, as [`job`] names it.
    pub fn job(&self) -> String {
        format!("{:08x}", self.job)
    }

    /// The shard.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The numbers of its games, from 0.
    pub fn numbers(&self) -> Range<u64> {
        self.shard.numbers(self.games)
    }

    /// Checks that a file has all games of the part.
    ///
    /// # Errors
    /// [`MergeError::Incomplete`] names the file.
    pub fn check_games(&self, path: &Path, games: u64) -> Result<(), MergeError> {
        let numbers = self.numbers();
        let expected = numbers.end - numbers.start;
        match games == expected {
            true => Ok(()),
            false => Err(MergeError::Incomplete { path: path.to_owned(), games, expected }),
        }
    }

    /// The error of a game, by its number from 1, that the file of this part should not have.
    pub fn refuse_game(&self, path: &Path, number: u64) -> MergeError {
        MergeError::Game { path: path.to_owned(), number, shard: self.shard }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} games of job {}", self.shard, self.games, self.job())
    }
}

/// The name of the job with these settings, which are all that its games depend on: their checksum as eight
/// digits.
///
/// # Errors
/// [`ShardError::Settings`] if they cannot be written down.
pub fn job(settings: &impl Serialize) -> Result<String, ShardError> {
    Ok(format!("{:08x}", checksum(settings)?))
}

fn checksum(settings: &impl Serialize) -> Result<u32, ShardError> {
    // Another version may play other games.
    let job = serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), settings));
    Ok(crc32fast::hash(&job.map_err(|error| ShardError::Settings(error.to_string()))?))
}

impl FromStr for Part {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Part, ShardError> {
        let parse = || {
            let (shard, rest) = text.split_once(" of ")?;
            let (games, job) = rest.split_once(" games of job ")?;
            let (shard, games): (Shard, u64) = (shard.parse().ok()?, games.parse().ok()?);
            let job = u32::from_str_radix(job, 16).ok().filter(|_| job.len() == 8)?;
            shard.fits(games).then_some(Part { shard, games, job })
        };
        parse().ok_or_else(|| ShardError::Part(text.to_owned()))
    }
}

impl TryFrom<String> for Part {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Part, ShardError> {
        text.parse()
    }
}

impl From<Part> for String {
    fn from(part: Part) -> String {
        part.to_string()
    }
}

/// Puts the files of a job in order. `files` are their paths with the parts that they hold.
///
/// # Errors
/// [`MergeError`] names the first file that is no shard, of another job or a duplicate, or the missing
/// shards.
pub fn in_order(files: Vec<(PathBuf, Option<Part>)>) -> Result<Vec<(PathBuf, Part)>, MergeError> {
    let mut ordered: Vec<(PathBuf, Part)> = Vec::new();
    for (path, part) in files {
        let Some(found) = part else { return Err(MergeError::Whole { path }) };
        if let Some((first, first_part)) = ordered.first() {
            let job = |part: &Part| (part.job, part.games, part.shard.count);
            if job(&found) != job(first_part) {
                let (first, first_part) = (first.clone(), *first_part);
                return Err(MergeError::Foreign { path, found, first, first_part });
            }
        }
        if let Some((other, _)) = ordered.iter().find(|(_, part)| part.shard == found.shard) {
            return Err(MergeError::Twice { path, other: other.clone(), shard: found.shard });
        }
        ordered.push((path, found));
    }
    ordered.sort_by_key(|(_, part)| part.shard);
    let of = ordered.first().map_or(0, |(_, part)| part.shard.count);
    let is_there = |index: &u64| ordered.binary_search_by_key(index, |(_, part)| part.shard.index).is_ok();
    // A file may name any number of shards.
    let missing: Vec<_> = (1..=of).filter(|index| !is_there(index)).take(LISTED + 1).collect();
    match of - ordered.len() as u64 {
        0 => Ok(ordered),
        count => Err(MergeError::Missing { missing, count, of }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }

    #[test]
    fn shards_cover_all_games_once_and_keep_pairs_together() {
        for games in [2, 7, 100, 1001, u64::MAX - 1] {
            for count in [1, 2, 3, 7, games / 2].into_iter().filter(|&count| count <= games / 2) {
                let (mut end, mut sizes) = (0, Vec::new());
                for index in (1..=count).take(1000) {
                    let numbers = Shard { index, count }.numbers(games);
                    assert!(numbers.start == end && numbers.start.is_multiple_of(2) && !numbers.is_empty());
                    end = numbers.end;
                    sizes.push((numbers.end - numbers.start) / 2);
                }
                assert!(count > 1000 || end == games, "{games} in {count}");
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
            }
        }
    }

    #[test]
    fn texts_are_read_as_they_are_written() {
        let part = Part::new(shard("2/5"), 400, &"settings").unwrap();
        assert_eq!(part.to_string().parse(), Ok(part));
        assert_eq!(serde_json::from_str::<Part>(&serde_json::to_string(&part).unwrap()).unwrap(), part);
        assert!(part.to_string().starts_with("2/5 of 400 games of job "), "{part}");
        let single = Part::new(shard("1/1"), 1, &"settings").unwrap();
        assert_eq!(single.to_string().parse(), Ok(single));
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Syntax), "{text}");
        }
        for text in ["1/2", "1/2 of 3 games of job 89abcdef", "1/2 of 4 games of job 1", "x"] {
            assert_eq!(text.parse::<Part>(), Err(ShardError::Part(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_shard_is_of_a_job_with_enough_games() {
        let new = |games| Part::new(shard("3/3"), games, &()).map(|part| part.numbers());
        assert_eq!(new(6), Ok(4..6));
        assert_eq!(new(5), Err(ShardError::TooMany { shard: shard("3/3"), games: 5 }));
        assert_eq!(new(u64::MAX), Err(ShardError::Endless(shard("3/3"))));
        assert_eq!(Part::new(shard("1/1"), 1, &()).map(|part| part.numbers()), Ok(0..1));
        let job = |settings| Part::new(shard("1/2"), 8, &settings).unwrap().job;
        assert_ne!(job("a"), job("b"));
    }

    #[test]
    fn files_that_do_not_belong_together_are_refused_by_name() {
        let part = |text: &str, settings: &str| Part::new(shard(text), 100, &settings).unwrap();
        let merged = |parts: &[(&str, Option<Part>)]| {
            let files = parts.iter().map(|&(name, part)| (PathBuf::from(name), part)).collect();
            match in_order(files) {
                Ok(files) => files.iter().map(|(path, _)| path.display().to_string()).collect(),
                Err(error) => error.to_string(),
            }
        };
        let [one, two, three] = ["1/3", "2/3", "3/3"].map(|text| Some(part(text, "s")));
        assert_eq!(merged(&[("c", three), ("a", one), ("b", two)]), "abc");
        assert_eq!(merged(&[("a", one), ("b", None)]), "b: not a shard, but whole");
        assert_eq!(merged(&[("a", one), ("b", two), ("c", one)]), "c: shard 1/3 again, after a");
        assert_eq!(merged(&[("b", two)]), "2 of 3 shards missing: 1, 3");
        let many = "2/3000000000 of 6000000000 games of job 00000000".parse().ok();
        let missing = "2999999999 of 3000000000 shards missing: 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, …";
        assert_eq!(merged(&[("b", many)]), missing);
        for other in [part("2/3", "other"), part("2/4", "s"), Part { games: 98, ..part("2/3", "s") }] {
            let error = merged(&[("a", one), ("b", Some(other))]);
            assert!(error.starts_with("b: shard 2/") && error.contains("but a has shard 1/3"), "{error}");
        }
        assert!(part("1/3", "s").check_games(Path::new("a"), 32).is_ok());
        let error = part("1/3", "s").check_games(Path::new("a"), 31).unwrap_err().to_string();
        assert_eq!(error, "a: 31 games, expected 32: play the shard to its end");
    }
}
