//! Files of self-play games, about seven bytes per position.
//!
//! A file begins with a line of JSON, the [`GamesHeader`] and its checksum, followed by blocks. A block
//! begins with four 32-bit numbers, little-endian like all numbers: the number of games, the number of
//! positions with a score, the length of the games in bytes, and the CRC-32 of these three numbers and of the
//! games. A game is
//!
//! | bytes | content |
//! |---|---|
//! | 1 | result: the half points of White, 0 to 2; 4 more if the start position was drawn |
//! | 3 | with a drawn start: the set-up of White, plus that of Black times the number of set-ups |
//! | 2 | plies of the opening |
//! | 2 | plies after it |
//! | 3 per ply | the moves of the opening, as [`GameMove::to_bits`], with chance outcomes |
//! | 6 per ply | the moves after it, each with the search score for the side to move, in thousandths |

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use labrys_core::eval::Score;
use labrys_core::game::{Color, Game, GameMove, Knowledge, Outcome, Wdl, counted, quote};
use labrys_core::input;
use labrys_core::seal::{self, SealError};
use labrys_support::files::{self, Claim, Existing, is_stream, set_aside, write_atomically_with};
use labrys_support::shard::Part;

/// The name of the format and its version, which changes with the bits of the moves of any game.
const FORMAT: (&str, u32) = ("labrys-games", 2);

/// The version whose blocks do not depend on the header.
const UNBOUND: u32 = 1;

/// The first bytes of a file.
const MAGIC: &[u8] = b"{\"format\":";

/// Maximum length of a header in bytes.
const MAX_HEADER: u64 = 1 << 16;

/// Length of a block header in bytes.
const BLOCK_HEADER: usize = 16;

/// Length of a game header in bytes, without a drawn start.
const GAME_HEADER: usize = 5;

/// Length of a drawn start in bytes.
const DRAWN_START: usize = 3;

/// The bit of the result of a game with a drawn start.
const DRAWN: u8 = 4;

/// Games per block; the last block may have fewer.
pub(crate) const BLOCK: usize = 64;

/// The maximum number of bytes of the games of a block.
const MAX_BLOCK: usize = BLOCK * (GAME_HEADER + DRAWN_START + (3 + 6) * u16::MAX as usize);

/// The maximum number of bytes of a file in which whole blocks are looked for behind a damaged one.
const MAX_MENDED: u64 = 16 << 30;

/// The entry of the checksum in the header.
const CHECKSUM: &str = "crc32";

/// Where games come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesHeader {
    /// The name of the format.
    format: String,
    /// The version of the format.
    version: u32,
    /// The game.
    pub game: String,
    /// The start position of all games, as FEN.
    pub start: String,
    /// The value of the game's option, such as `UCI_Chess960`; `None` for its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The evaluation of the scores, which the games were played with unless they were scored anew.
    pub evaluation: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Nodes after which a search begins no further iteration; `None` for no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_nodes: Option<u64>,
    /// What the games were played with, if they were scored anew; `None` if that is what has scored them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played_with: Option<PlayedWith>,
    /// Minimum and maximum number of random plies at the start of a game.
    pub random_plies: (usize, usize),
    /// The largest score, in units of the evaluation, that a search may see for a player after the random
    /// plies; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_start_score: Option<u32>,
    /// Percent of the games with a drawn start, the same for both players and one for each.
    #[serde(default, skip_serializing_if = "are_none")]
    pub drawn_starts: [u32; 2],
    /// The seed of everything random.
    pub seed: u64,
    /// The part of a job that the file contains; `None` for the whole job.
    #[serde(rename = "shard", default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The program that began the file, with its commit; `None` in files of earlier versions. Another one may
    /// go on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The checksum of the line, while it is read. Files of earlier versions have none.
    #[serde(rename = "crc32", default, skip_serializing)]
    checksum: Option<String>,
}

/// What games were played with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedWith {
    /// The evaluation.
    pub evaluation: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Nodes after which a search begins no further iteration; `None` for no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_nodes: Option<u64>,
}

impl fmt::Display for PlayedWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlayedWith { evaluation, nodes, soft_nodes } = self;
        write!(f, "{evaluation}, {}", counted(nodes, "node"))?;
        soft_nodes.map_or(Ok(()), |soft| write!(f, ", soft limit {soft}"))
    }
}

impl GamesHeader {
    /// The header of games from a start position.
    pub fn new<G: Game>(
        start: &G,
        evaluation: String,
        nodes: u64,
        random_plies: (usize, usize),
        seed: u64,
    ) -> GamesHeader {
        let (format, version) = (FORMAT.0.to_owned(), FORMAT.1);
        let (game, start) = (G::info().name.to_owned(), start.fen());
        GamesHeader {
            format,
            version,
            game,
            start,
            option: None,
            evaluation,
            nodes,
            soft_nodes: None,
            played_with: None,
            random_plies,
            max_start_score: None,
            drawn_starts: [0; 2],
            seed,
            part: None,
            program: None,
            checksum: None,
        }
    }

    /// The header of the same games with other scores.
    #[must_use]
    pub fn rescored(&self, evaluation: String, nodes: u64, soft_nodes: Option<u64>) -> GamesHeader {
        let played_with = Some(self.player());
        GamesHeader { version: FORMAT.1, evaluation, nodes, soft_nodes, played_with, ..self.clone() }
    }

    /// What the games were played with, whatever has scored them.
    pub fn player(&self) -> PlayedWith {
        let GamesHeader { evaluation, nodes, soft_nodes, .. } = self;
        let own = || PlayedWith { evaluation: evaluation.clone(), nodes: *nodes, soft_nodes: *soft_nodes };
        self.played_with.clone().unwrap_or_else(own)
    }

    /// Sets the choice of the game's option.
    #[must_use]
    pub fn with_choice<G: Game>(mut self, choice: usize) -> GamesHeader {
        let value = G::info().option.and_then(|option| option.choices.get(choice).copied());
        self.option = value.filter(|_| choice != 0).map(str::to_owned);
        self
    }

    /// The choice of the game's option. Older files do not store it: there it is the first choice whose start
    /// position has the same board size.
    pub fn choice<G: Knowledge>(&self, start: &G) -> usize {
        let size = |position: &G| (position.encoding_shape().files, position.encoding_shape().ranks);
        let choices = G::info().option.map_or(&[][..], |option| option.choices);
        let place = match &self.option {
            Some(value) => choices.iter().position(|choice| choice.eq_ignore_ascii_case(value)),
            None => (0..choices.len()).find(|&choice| size(&G::start_with(choice)) == size(start)),
        };
        place.unwrap_or(0)
    }

    /// The line that a file begins with.
    fn line(&self) -> Result<Vec<u8>, GamesProblem> {
        let mut line = serde_json::to_string(self).map_err(GamesProblem::Header)?;
        line.truncate(line.len() - 1);
        let mut line = format!("{line},\"{CHECKSUM}\":\"00000000\"}}").into_bytes();
        seal::seal(&mut line, CHECKSUM)?;
        line.push(b'\n');
        Ok(line)
    }

    /// The line that a file begins with, and what the checksums of its blocks begin with.
    pub(crate) fn line_and_seed(&self) -> Result<(Vec<u8>, u32), GamesProblem> {
        let line = self.line()?;
        let seed = self.seed_of_blocks(line.strip_suffix(b"\n").unwrap_or(&line));
        Ok((line, seed))
    }

    /// What the checksums of blocks begin with: the checksum of the line of the header, so that blocks belong to
    /// their file; 0 in files of the first version.
    fn seed_of_blocks(&self, line: &[u8]) -> u32 {
        if self.version == UNBOUND { 0 } else { crc32fast::hash(line) }
    }

    /// The first setting that differs from another header: its name and both values.
    pub(crate) fn difference(&self, other: &GamesHeader) -> Option<(&'static str, String, String)> {
        let option = |header: &GamesHeader| header.option.clone().unwrap_or_else(|| "default".to_owned());
        let part = |header: &GamesHeader| header.part.map_or("none".to_owned(), |part| part.to_string());
        let number = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
        let score = |header: &GamesHeader| number(header.max_start_score.map(u64::from));
        let player = |header: &GamesHeader| {
            header.played_with.as_ref().map_or("none".to_owned(), |player| player.to_string())
        };
        let rows = [
            ("game", self.game.clone(), other.game.clone()),
            ("start", self.start.clone(), other.start.clone()),
            ("option", option(self), option(other)),
            ("evaluation", self.evaluation.clone(), other.evaluation.clone()),
            ("nodes", self.nodes.to_string(), other.nodes.to_string()),
            ("soft nodes", number(self.soft_nodes), number(other.soft_nodes)),
            ("rescored games of", player(self), player(other)),
            ("drawn starts", format!("{:?}", self.drawn_starts), format!("{:?}", other.drawn_starts)),
            ("maximum score at the start", score(self), score(other)),
            ("random plies", format!("{:?}", self.random_plies), format!("{:?}", other.random_plies)),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("shard", part(self), part(other)),
        ];
        rows.into_iter().find(|(_, ours, theirs)| ours != theirs)
    }
}

/// Whether no game has a drawn start.
fn are_none(drawn_starts: &[u32; 2]) -> bool {
    *drawn_starts == [0; 2]
}

/// A self-play game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame<M> {
    /// The set-ups of White and of Black, see [`Game::drawn_start`]; `None` for the start position of the
    /// file.
    pub start: Option<[u32; 2]>,
    /// The moves of the random opening.
    pub opening: Vec<M>,
    /// The moves after it, each with the search score for the side to move.
    pub moves: Vec<(M, Score)>,
    /// The result for White.
    pub result: Wdl,
}

/// A games file that cannot be written or is invalid.
#[derive(Debug, Error)]
#[error("games file {}: {problem}", .path.display())]
pub struct GamesError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: GamesProblem,
}

/// What is wrong with a games file.
#[derive(Debug, Error)]
pub enum GamesProblem {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin with a header.
    #[error("no header of self-play games: {0}")]
    Header(serde_json::Error),
    /// Its header has changed since it was written.
    #[error("header: {0}")]
    Checksum(#[from] SealError),
    /// It has another format or version.
    #[error("format {} version {version}, expected `{}` version {}", quote(.format), FORMAT.0, FORMAT.1)]
    Version {
        /// Its format.
        format: String,
        /// Its version.
        version: u32,
    },
    /// It contains games of another game.
    #[error("games of {}, expected `{expected}`", quote(.found))]
    Game {
        /// Its game.
        found: String,
        /// The game that was expected.
        expected: &'static str,
    },
    /// Its games were played with other settings than those to be added.
    #[error("{name} {found}, not {expected}: write to another file")]
    Other {
        /// What differs.
        name: &'static str,
        /// Its value in the file.
        found: String,
        /// The value that was asked for.
        expected: String,
    },
    /// A block is incomplete or damaged, is there twice, or belongs to another file.
    #[error(
        "block {number}, at byte {offset}, is damaged, was cut off, is there twice or belongs to another file: \
         `labrys nnue selfplay` keeps the others and plays its games again"
    )]
    Block {
        /// Its number, from 1.
        number: usize,
        /// Where it begins.
        offset: u64,
    },
    /// A block of the same games is there already, and readers would refuse the second one.
    #[error("the same games again as in a block before: ask for more random plies, or another seed")]
    Again,
    /// A game is too long for the format.
    #[error("a game with {plies} random plies or plies after them: {} is the most of each", u16::MAX)]
    Plies {
        /// Its plies.
        plies: usize,
    },
    /// No random opening has been found that does not end the game.
    #[error("in {attempts} attempts every game was over within {} random plies: ask for fewer", plies.end())]
    Opening {
        /// The requested number of random plies.
        plies: RangeInclusive<usize>,
        /// The number of attempts.
        attempts: usize,
    },
    /// It does not contain the requested game.
    #[error("no game {wanted}: there are {games}")]
    NoGame {
        /// The number of the requested game.
        wanted: u64,
        /// The number of games in the file.
        games: usize,
    },
    /// The stored result of a game contradicts the rules.
    #[error("game {number}: the result is wrong: {outcome}")]
    Result {
        /// Number of the game, from 1.
        number: usize,
        /// The result according to the rules.
        outcome: Outcome,
    },
    /// The start position, or a move, is not legal.
    #[error("game {number}, ply {ply}: {} is not legal", quote(.text))]
    Move {
        /// Number of the game, from 1.
        number: usize,
        /// Number of the ply, from 1; 0 for the start position.
        ply: usize,
        /// The position or the move.
        text: String,
    },
}

impl GamesProblem {
    /// The same, where the games are counted after some others.
    pub(super) fn after_games(self, before: usize) -> GamesProblem {
        match self {
            GamesProblem::Move { number, ply, text } if ply > 0 => {
                GamesProblem::Move { number: before + number, ply, text }
            }
            other => other,
        }
    }
}

/// The header in the first line of a file, without the end of the line.
fn parse_header(line: &[u8]) -> Result<GamesHeader, GamesProblem> {
    let mut header: GamesHeader = serde_json::from_slice(line).map_err(GamesProblem::Header)?;
    let GamesHeader { format, version, .. } = &header;
    if format != FORMAT.0 || ![UNBOUND, FORMAT.1].contains(version) {
        return Err(GamesProblem::Version { format: format.clone(), version: *version });
    }
    if header.checksum.take().is_some() || header.version != UNBOUND {
        seal::check(line, CHECKSUM)?;
    }
    Ok(header)
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockPlace {
    /// Its number in the file, from 1.
    number: usize,
    offset: u64,
    len: usize,
    pub(super) checksum: u32,
    /// What its checksum begins with.
    seed: u32,
}

impl BlockPlace {
    fn damaged(self) -> GamesProblem {
        GamesProblem::Block { number: self.number, offset: self.offset }
    }
}

/// A block of games, with its place.
type PlacedBlock<M> = (BlockPlace, Vec<PlayedGame<M>>);

/// What tells a block from others: its checksum and its numbers of games, positions and bytes.
pub(crate) type BlockId = [u32; 4];

/// Reads a file of the game `G` block by block, so that what is no such file is refused at its beginning.
pub(super) struct GamesReader<R> {
    input: R,
    header: GamesHeader,
    /// What the checksums of blocks begin with.
    seed: u32,
    /// The blocks so far.
    seen: HashSet<BlockId>,
    /// Bytes of the header and of the whole blocks.
    len: u64,
    /// Whole blocks.
    blocks: usize,
}

impl<R: BufRead> GamesReader<R> {
    pub(super) fn new<G: Game>(mut input: R) -> Result<GamesReader<R>, GamesProblem> {
        let mut line = Vec::new();
        let len = input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? as u64;
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let header = parse_header(line)?;
        if header.game != G::info().name {
            return Err(GamesProblem::Game { found: header.game, expected: G::info().name });
        }
        let seed = header.seed_of_blocks(line);
        Ok(GamesReader { input, header, seed, seen: HashSet::new(), len, blocks: 0 })
    }

    /// The header.
    pub(super) fn header(&self) -> &GamesHeader {
        &self.header
    }

    /// The games of the next block; `None` at the end of the file.
    ///
    /// # Errors
    /// [`GamesProblem::Block`]: it is damaged, is not whole, belongs to another file, or is there twice.
    pub(super) fn next<G: Knowledge>(&mut self) -> Result<Option<Vec<PlayedGame<G::Move>>>, GamesProblem> {
        Ok(self.next_with_place::<G>()?.map(|(_, games)| games))
    }

    /// The next block with its place.
    ///
    /// # Errors
    /// Those of [`GamesReader::next`].
    pub(super) fn next_with_place<G: Knowledge>(
        &mut self,
    ) -> Result<Option<PlacedBlock<G::Move>>, GamesProblem> {
        let (number, seed) = (self.blocks + 1, self.seed);
        let place = BlockPlace { number, offset: self.len, len: 0, checksum: 0, seed };
        let damaged = place.damaged();
        let mut bytes = vec![0; BLOCK_HEADER];
        match self.input.fill_buf()?.is_empty() {
            true => return Ok(None),
            false => match self.input.read_exact(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(damaged),
                read => read?,
            },
        }
        let Some(content) = content_len(&bytes) else { return Err(damaged) };
        self.input.by_ref().take(content as u64).read_to_end(&mut bytes)?;
        let Some((games, size)) = parse_block::<G>(&bytes, seed) else { return Err(damaged) };
        if !self.seen.insert(block_id(&bytes)) {
            return Err(damaged);
        }
        self.blocks += 1;
        self.len += size as u64;
        let checksum = number_at(&bytes, 3).unwrap_or_default();
        Ok(Some((BlockPlace { len: size, checksum, ..place }, games)))
    }
}

/// Reads a block again.
///
/// # Errors
/// [`GamesProblem::Block`] if it has changed.
pub(super) fn read_block<G: Knowledge>(
    path: &Path,
    place: BlockPlace,
) -> Result<Vec<PlayedGame<G::Move>>, GamesProblem> {
    let bytes = bytes_at(path, place)?;
    let is_same = number_at(&bytes, 3) == Some(place.checksum);
    let (games, _) =
        parse_block::<G>(&bytes, place.seed).filter(|_| is_same).ok_or_else(|| place.damaged())?;
    Ok(games)
}

/// The bytes of a block, or as many as there are.
fn bytes_at(path: &Path, place: BlockPlace) -> io::Result<Vec<u8>> {
    let mut file = input::open(path)?;
    file.seek(SeekFrom::Start(place.offset))?;
    let mut bytes = Vec::with_capacity(place.len);
    file.take(place.len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// See [`BlockId`]; zeros for what is not there.
pub(crate) fn block_id(bytes: &[u8]) -> BlockId {
    std::array::from_fn(|index| number_at(bytes, index).unwrap_or_default())
}

/// A number of the header of a block.
fn number_at(bytes: &[u8], index: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(4 * index..4 * index + 4)?.try_into().ok()?))
}

/// The bytes of the games of a block, by its header.
fn content_len(header: &[u8]) -> Option<usize> {
    let len = u32::from_le_bytes(header.get(8..12)?.try_into().ok()?) as usize;
    (len <= MAX_BLOCK).then_some(len)
}

/// The games of a block, and the length of the block in bytes.
type ParsedBlock<M> = (Vec<PlayedGame<M>>, usize);

/// The games of the block at the start of `bytes`. Its checksum begins with `seed`.
fn parse_block<G: Knowledge>(bytes: &[u8], seed: u32) -> Option<ParsedBlock<G::Move>> {
    let number = |index| number_at(bytes, index);
    let (games, positions, checksum) = (number(0)?, number(1)?, number(3)?);
    if games == 0 || games as usize > BLOCK {
        return None;
    }
    let len = content_len(bytes)?;
    let mut content = bytes[BLOCK_HEADER..].get(..len)?;
    if block_checksum(seed, games, positions, content) != checksum {
        return None;
    }
    let games: Vec<_> = (0..games).map(|_| parse_game::<G>(&mut content)).collect::<Option<_>>()?;
    content.is_empty().then_some((games, BLOCK_HEADER + len))
}

fn block_checksum(seed: u32, games: u32, positions: u32, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    [games, positions, content.len() as u32].iter().for_each(|number| hasher.update(&number.to_le_bytes()));
    hasher.update(content);
    hasher.finalize()
}

/// The set-ups of White and of Black by the number of a drawn start.
fn setups<G: Knowledge>(number: u32) -> Option<[u32; 2]> {
    let [white, black] = [number.checked_rem(G::DRAWN_SETUPS)?, number / G::DRAWN_SETUPS];
    (black < G::DRAWN_SETUPS).then_some([white, black])
}

fn parse_game<G: Knowledge>(content: &mut &[u8]) -> Option<PlayedGame<G::Move>> {
    let (&result, mut rest) = content.split_first()?;
    let unsigned = |bytes: [u8; 3]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    let mut start = None;
    if result & DRAWN != 0 {
        let (number, after) = rest.split_first_chunk::<DRAWN_START>()?;
        (start, rest) = (Some(setups::<G>(unsigned(*number))?), after);
    }
    let (header, rest) = rest.split_first_chunk::<{ GAME_HEADER - 1 }>()?;
    let [opening @ .., plies_low, plies_high] = *header;
    let (opening, plies) = (u16::from_le_bytes(opening), u16::from_le_bytes([plies_low, plies_high]));
    let (opening, rest) = rest.split_at_checked(3 * usize::from(opening))?;
    let (moves, rest) = rest.split_at_checked(6 * usize::from(plies))?;
    *content = rest;
    let mv = |bytes: [u8; 3]| G::Move::from_bits(unsigned(bytes));
    // The sign bit of 24 becomes that of 32.
    let score = |bytes| Score::from_thousandths((unsigned(bytes) << 8) as i32 >> 8);
    let moves = moves.as_chunks::<6>().0.iter().map(|&[a, b, c, d, e, f]| (mv([a, b, c]), score([d, e, f])));
    Some(PlayedGame {
        start,
        opening: opening.as_chunks::<3>().0.iter().map(|&bytes| mv(bytes)).collect(),
        moves: moves.collect(),
        result: [Wdl::Loss, Wdl::Draw, Wdl::Win].get(usize::from(result & !DRAWN)).copied()?,
    })
}

/// The bytes of a block, whose checksum begins with `seed`, see [`GamesHeader::seed_of_blocks`].
///
/// # Errors
/// [`GamesProblem::Plies`] if a game is too long for the format.
pub(crate) fn block_bytes<G: Knowledge>(
    seed: u32,
    games: &[PlayedGame<G::Move>],
) -> Result<Vec<u8>, GamesProblem> {
    let mut content = Vec::new();
    let plies = |plies: usize| u16::try_from(plies).map_err(|_| GamesProblem::Plies { plies });
    let three = |number: u32| number.to_le_bytes()[..3].to_vec();
    for PlayedGame { start, opening, moves, result } in games {
        content.push(*result as u8 | start.map_or(0, |_| DRAWN));
        if let Some([white, black]) = start {
            content.extend(three(white + G::DRAWN_SETUPS * black));
        }
        content.extend(plies(opening.len())?.to_le_bytes());
        content.extend(plies(moves.len())?.to_le_bytes());
        opening.iter().for_each(|mv| content.extend(three(mv.to_bits())));
        for (mv, score) in moves {
            content.extend(three(mv.to_bits()));
            content.extend(three(score.to_thousandths() as u32));
        }
    }
    let positions = games.iter().map(|game| game.moves.len() as u32).sum();
    Ok(with_header(seed, games.len() as u32, positions, &content))
}

/// A block with this content.
fn with_header(seed: u32, games: u32, positions: u32, content: &[u8]) -> Vec<u8> {
    let header = [games, positions, content.len() as u32, block_checksum(seed, games, positions, content)];
    header.iter().flat_map(|number| number.to_le_bytes()).chain(content.iter().copied()).collect()
}

/// A block of the games of two blocks; `first` may be empty.
fn joined(seed: u32, first: &[u8], second: Vec<u8>) -> Vec<u8> {
    if first.is_empty() {
        return second;
    }
    let sum = |index| [first, &second].iter().filter_map(|block| number_at(block, index)).sum();
    let content = [&first[BLOCK_HEADER..], &second[BLOCK_HEADER..]].concat();
    with_header(seed, sum(0), sum(1), &content)
}

/// The content of a games file.
pub type HeaderAndGames<M> = (GamesHeader, Vec<PlayedGame<M>>);

/// The header of a games file; `None` if it is a file of another kind or cannot be read. Pipes are not read:
/// the bytes would be lost to the next reader.
///
/// # Errors
/// [`GamesError`] names the file and what is wrong with its header.
pub fn read_header(path: &Path) -> Result<Option<GamesHeader>, GamesError> {
    if is_stream(path) {
        return Ok(None);
    }
    let mut line = Vec::new();
    let mut read = || BufReader::new(input::open(path)?.take(MAX_HEADER)).read_until(b'\n', &mut line);
    if read().is_err() || !line.starts_with(MAGIC) {
        return Ok(None);
    }
    parse_header(line.strip_suffix(b"\n").unwrap_or(&line))
        .map(Some)
        .map_err(|problem| GamesError { path: path.to_owned(), problem })
}

/// Opens a games file of the game `G`.
pub(super) fn open_games<G: Game>(path: &Path) -> Result<GamesReader<BufReader<File>>, GamesProblem> {
    GamesReader::new::<G>(BufReader::new(input::open(path)?))
}

/// The number of games in a file.
///
/// # Errors
/// [`GamesError`] names the file and what is wrong with it.
pub fn count_games<G: Knowledge>(path: &Path) -> Result<u64, GamesError> {
    let count = || {
        let (mut reader, mut games) = (open_games::<G>(path)?, 0);
        while let Some(block) = reader.next::<G>()? {
            games += block.len() as u64;
        }
        Ok(games)
    };
    count().map_err(|problem| GamesError { path: path.to_owned(), problem })
}

/// Reads a games file of the game `G`.
///
/// # Errors
/// [`GamesError`] names the file and what is wrong with it. No game of a damaged file is returned.
pub fn read_games<G: Knowledge>(path: &Path) -> Result<HeaderAndGames<G::Move>, GamesError> {
    let read = || {
        let (mut reader, mut games) = (open_games::<G>(path)?, Vec::new());
        while let Some(block) = reader.next::<G>()? {
            games.extend(block);
        }
        Ok((reader.header, games))
    };
    read().map_err(|problem| GamesError { path: path.to_owned(), problem })
}

/// What has been done with a damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The file.
    path: PathBuf,
    /// The first bytes that cannot be read, and how many there are altogether.
    damaged: (u64, u64),
    /// Where they are now.
    aside: PathBuf,
    /// The games that can be read, which the file has now.
    games: u64,
}

impl fmt::Display for Mended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, aside, (offset, bytes)) = (self.path.display(), self.aside.display(), self.damaged);
        write!(
            f,
            "games file {path}: damaged from byte {offset} on: {} moved to {aside}, {} kept",
            counted(bytes, "byte"),
            counted(self.games, "game")
        )
    }
}

/// Writes a damaged file anew with all blocks that can be read, also those behind a damaged one. All else is
/// set aside before. The first damage is at `offset`, behind blocks that were `seen`.
fn mend<G: Knowledge>(
    path: &Path,
    offset: u64,
    seed: u32,
    mut seen: HashSet<BlockId>,
) -> Result<Mended, GamesProblem> {
    let bytes = input::read(path, MAX_MENDED)?;
    let before = &bytes[..offset as usize];
    let (mut behind, mut damaged, mut games, mut at) = (Vec::new(), Vec::new(), 0, before.len());
    while at < bytes.len() {
        match parse_block::<G>(&bytes[at..], seed).filter(|_| seen.insert(block_id(&bytes[at..]))) {
            Some((block, size)) => {
                games += block.len() as u64;
                behind.push(&bytes[at..at + size]);
                at += size;
            }
            None => {
                damaged.push(bytes[at]);
                at += 1;
            }
        }
    }
    let mut reader = before;
    let _header = reader.skip_until(b'\n')?;
    while let Some((block, size)) = parse_block::<G>(reader, seed) {
        games += block.len() as u64;
        reader = &reader[size..];
    }
    let aside = set_aside(path, &damaged)?;
    write_atomically_with(path, |file| {
        file.write_all(before)?;
        behind.iter().try_for_each(|block| file.write_all(block))
    })?;
    Ok(Mended { path: path.to_owned(), damaged: (offset, damaged.len() as u64), aside, games })
}

/// Appends games to a file.
#[derive(Debug)]
pub struct GamesWriter {
    file: File,
    path: PathBuf,
    /// Length of the file in bytes; `None` for a pipe or a device, which cannot seek.
    len: Option<u64>,
    /// What the checksums of blocks begin with.
    seed: u32,
    /// The blocks in the file.
    seen: HashSet<BlockId>,
    /// The last block, if it has room for more games; otherwise, and in a pipe or a device, nothing.
    unfinished: Vec<u8>,
    /// Games in the file.
    games: u64,
    /// The openings of the games that were there before, as bits of their moves.
    openings: Vec<Vec<u32>>,
    mended: Option<Mended>,
    /// No other process adds games.
    _claim: Claim,
}

impl GamesWriter {
    /// Goes on with a file whose games were played in the same way, or begins a new one. Of a damaged file
    /// all blocks that can be read are kept, and the rest is set aside. A pipe or a device gets the file as
    /// it grows.
    ///
    /// # Errors
    /// [`GamesError`] names the file, and what is wrong with it or the first setting that differs.
    pub fn open<G: Knowledge>(path: &Path, header: &GamesHeader) -> Result<GamesWriter, GamesError> {
        let open = || {
            if is_stream(path) {
                let (mut file, _claim) = files::open(path, Existing::Refused)?;
                let (line, seed) = header.line_and_seed()?;
                file.write_all(&line)?;
                return Ok(GamesWriter {
                    file,
                    path: path.to_owned(),
                    len: None,
                    seed,
                    seen: HashSet::new(),
                    unfinished: Vec::new(),
                    games: 0,
                    openings: Vec::new(),
                    mended: None,
                    _claim,
                });
            }
            let _claim = Claim::file(path)?;
            let file = if path.try_exists()? { Some(input::open(path)?) } else { None };
            let is_empty = file.as_ref().map(File::metadata).transpose()?.is_none_or(|file| file.len() == 0);
            let is_without_games = || -> Result<bool, GamesProblem> {
                let mut reader = GamesReader::new::<G>(BufReader::new(input::open(path)?))?;
                Ok(reader.input.fill_buf()?.is_empty())
            };
            // Without a game nothing is lost, such as after a run with settings that are refused.
            if is_empty || is_without_games()? {
                let line = header.line()?;
                write_atomically_with(path, |file| file.write_all(&line))?;
            }
            GamesWriter::resume::<G>(path, header, _claim)
        };
        open().map_err(|problem| GamesError { path: path.to_owned(), problem })
    }

    /// Goes on with a file that has a header.
    fn resume<G: Knowledge>(
        path: &Path,
        header: &GamesHeader,
        _claim: Claim,
    ) -> Result<GamesWriter, GamesProblem> {
        let mut mended = None;
        loop {
            let mut reader = GamesReader::new::<G>(BufReader::new(input::open(path)?))?;
            if let Some((name, found, expected)) = reader.header.difference(header) {
                return Err(GamesProblem::Other { name, found, expected });
            }
            let (mut openings, mut last) = (Vec::new(), None);
            let damage = loop {
                match reader.next_with_place::<G>() {
                    Ok(Some((place, block))) => {
                        openings.extend(block.iter().map(|game| opening_bits(game.start, &game.opening)));
                        last = Some(place).filter(|_| block.len() < BLOCK);
                    }
                    Ok(None) => break None,
                    Err(GamesProblem::Block { offset, .. }) if mended.is_none() => break Some(offset),
                    Err(error) => return Err(error),
                }
            };
            if let Some(offset) = damage {
                mended = Some(mend::<G>(path, offset, reader.seed, reader.seen)?);
                continue;
            }
            return Ok(GamesWriter {
                file: OpenOptions::new().write(true).open(path)?,
                path: path.to_owned(),
                len: Some(reader.len),
                seed: reader.seed,
                seen: reader.seen,
                unfinished: last.map_or(Ok(Vec::new()), |place| bytes_at(path, place))?,
                games: openings.len() as u64,
                openings,
                mended,
                _claim,
            });
        }
    }

    /// What has been done with a damaged file.
    pub fn mended(&self) -> Option<&Mended> {
        self.mended.as_ref()
    }

    /// The openings of the games that were there before.
    pub(super) fn openings(&self) -> &[Vec<u32>] {
        &self.openings
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The number of games that the last block has room for, or a new one.
    pub(super) fn room(&self) -> usize {
        BLOCK - number_at(&self.unfinished, 0).unwrap_or(0) as usize
    }

    /// Appends a block of games. If that fails, the file is left unchanged.
    ///
    /// # Errors
    /// [`GamesError`] names the file that cannot be written, or that has such a block already.
    pub fn append<G: Knowledge>(&mut self, games: &[PlayedGame<G::Move>]) -> Result<(), GamesError> {
        self.unfinished.clear();
        self.add::<G>(games)
    }

    /// Adds games to the last block, which has to have [room](GamesWriter::room) for them, or as a new one.
    /// If that fails, the file is left unchanged. A kill loses these games alone.
    ///
    /// # Errors
    /// Those of [`GamesWriter::append`].
    pub(super) fn add<G: Knowledge>(&mut self, games: &[PlayedGame<G::Move>]) -> Result<(), GamesError> {
        if games.is_empty() {
            return Ok(());
        }
        let added = block_bytes::<G>(self.seed, games).and_then(|bytes| self.add_block(bytes));
        added.map_err(|problem| GamesError { path: self.path.clone(), problem })?;
        self.games += games.len() as u64;
        Ok(())
    }

    /// Adds the games of a block to the last one.
    fn add_block(&mut self, games: Vec<u8>) -> Result<(), GamesProblem> {
        let block = joined(self.seed, &self.unfinished, games);
        let id = block_id(&block);
        if self.seen.contains(&id) {
            return Err(GamesProblem::Again);
        }
        if let Err(error) = self.write(&block) {
            // If this fails too, readers will report the block as damaged.
            _ = self.restore();
            return Err(error.into());
        }
        self.seen.remove(&block_id(&self.unfinished));
        self.seen.insert(id);
        self.len = self.len.map(|len| len + (block.len() - self.unfinished.len()) as u64);
        let has_room = self.len.is_some() && number_at(&block, 0).is_some_and(|games| games < BLOCK as u32);
        self.unfinished = if has_room { block } else { Vec::new() };
        Ok(())
    }

    /// Writes a block that begins with the games of the last one, if that has room, in its place.
    fn write(&mut self, block: &[u8]) -> io::Result<()> {
        let Some(len) = self.len else { return self.file.write_all(block) };
        let before = self.unfinished.len();
        self.file.seek(SeekFrom::Start(len))?;
        self.file.write_all(&block[before..])?;
        self.file.sync_data()?;
        if before == 0 {
            return Ok(());
        }
        // Until the games are there, the old header keeps those before them readable.
        self.file.seek(SeekFrom::Start(len - before as u64))?;
        self.file.write_all(&block[..BLOCK_HEADER])?;
        self.file.sync_data()
    }

    /// Undoes a write that has failed.
    fn restore(&mut self) -> io::Result<()> {
        let Some(len) = self.len else { return Ok(()) };
        if let Some(header) = self.unfinished.first_chunk::<BLOCK_HEADER>() {
            self.file.seek(SeekFrom::Start(len - self.unfinished.len() as u64))?;
            self.file.write_all(header)?;
        }
        self.file.set_len(len)
    }
}

/// The start and the moves of an opening, to compare it.
pub(super) fn opening_bits<M: GameMove>(start: Option<[u32; 2]>, opening: &[M]) -> Vec<u32> {
    start.into_iter().flatten().chain(opening.iter().map(|mv| mv.to_bits())).collect()
}

/// A position of a game, before a move.
#[derive(Clone, Copy, Debug)]
pub struct PlayedPosition<'a, G: Game> {
    /// The position.
    pub position: &'a G,
    /// The move that was played.
    pub mv: G::Move,
    /// The search score for the side to move.
    pub score: Score,
    /// The result of the game for the side to move.
    pub result: Wdl,
    /// Plies since the opening.
    pub ply: usize,
}

impl<M: GameMove> PlayedGame<M> {
    /// The position that the game begins at, in a file with this start position.
    pub fn start_position<G: Knowledge<Move = M>>(&self, start: &G) -> G {
        self.start.map_or_else(|| start.clone(), G::drawn_start)
    }

    /// Replays a game, in a file with this start position; `visit` is called with each position after the opening.
    ///
    /// # Errors
    /// The ply, from 1, and text of the first move that is not legal.
    pub fn replay<G: Knowledge<Move = M>>(
        &self,
        start: &G,
        mut visit: impl FnMut(PlayedPosition<G>),
    ) -> Result<(), (usize, String)> {
        let mut position = self.start_position(start);
        let opening = self.opening.iter().map(|&mv| (mv, None));
        let moves = self.moves.iter().map(|&(mv, score)| (mv, Some(score)));
        for (ply, (mv, score)) in (1..).zip(opening.chain(moves)) {
            // Chance outcomes in a move are only checked by parsing its text.
            if !position.is_legal(mv) && position.parse_move(&position.move_text(mv)) != Ok(mv) {
                return Err((ply, position.move_text(mv)));
            }
            if let Some(score) = score {
                let result = match position.side_to_move() {
                    Color::White => self.result,
                    Color::Black => !self.result,
                };
                let ply = ply - 1 - self.opening.len();
                visit(PlayedPosition { position: &position, mv, score, result, ply });
            }
            position.play(mv);
        }
        Ok(())
    }
}

/// The start position of games.
///
/// # Errors
/// [`GamesProblem::Move`] if it is not a position of the game `G`.
pub fn start_of<G: Game>(header: &GamesHeader) -> Result<G, GamesProblem> {
    let text = header.start.clone();
    G::from_fen(&text).map_err(|_| GamesProblem::Move { number: 1, ply: 0, text })
}
