//! PGN files: reading them, and appending the games of a match one by one.

use std::fs::File;
use std::io::{self, BufRead, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::writer::EVENT;
use super::{PgnError, PgnGame, PgnReader};
use labrys_core::game::quote_path;
use labrys_core::input;
use labrys_support::files::{self, Claim, Existing};
use labrys_support::text;

/// The maximum number of bytes of a file of a match that is read as a whole, some half a million games.
const MAX_BYTES: u64 = 2 << 30;

/// A PGN file that games are appended to. Each game is written as soon as it is finished, so a killed match
/// loses no finished game.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    /// Length in bytes of the complete games, and what is behind them, which is moved aside before the next game
    /// is written.
    whole: Option<(u64, Vec<u8>)>,
    path: PathBuf,
    /// No other process appends to the file.
    _claim: Claim,
}

/// An error of a PGN file.
#[derive(Debug, Error)]
pub enum PgnFileError {
    /// It cannot be opened, read or written.
    #[error("{}: {error}", quote_path(.path))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// It is to be created, but exists.
    #[error("{}: the file exists", quote_path(.path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Its content is not PGN.
    #[error("{}, {error}", quote_path(.path))]
    Pgn {
        /// The file.
        path: PathBuf,
        /// The error and its line.
        error: PgnError,
    },
}

impl PgnFile {
    /// Creates a file, which must not exist, unless it is a pipe or a device.
    ///
    /// # Errors
    /// [`PgnFileError::Exists`], [`PgnFileError::File`].
    pub fn create(path: &Path) -> Result<PgnFile, PgnFileError> {
        match files::open(path, Existing::Refused) {
            Ok((file, claim)) => Ok(PgnFile { file, whole: None, path: path.to_owned(), _claim: claim }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(PgnFileError::Exists { path: path.to_owned() })
            }
            Err(error) => Err(failed(path, error)),
        }
    }

    /// Opens a file to append to, created if missing, and returns the games in it. What is behind the last
    /// result, such as the game of a killed match or the NULs that a crash leaves, is moved to
    /// `<name>.damaged` when the next game is appended; until then the file is not changed.
    ///
    /// # Errors
    /// [`PgnFileError`].
    pub fn resume(path: &Path) -> Result<(PgnFile, Vec<PgnGame>), PgnFileError> {
        let failed = |error| failed(path, error);
        let (file, claim) = files::open(path, Existing::Continued).map_err(failed)?;
        let bytes = file.try_clone().and_then(|file| input::read_all(file, MAX_BYTES)).map_err(failed)?;
        let (games, complete) =
            complete_games(&bytes).map_err(|error| PgnFileError::Pgn { path: path.to_owned(), error })?;
        if let Some(rest) = name_rest(&bytes[complete..]) {
            log::warn!("{}: {rest} and will be moved aside", path.display());
        }
        let whole = Some((complete as u64, bytes[complete..].to_vec()));
        Ok((PgnFile { file, whole, path: path.to_owned(), _claim: claim }, games))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// Any error of writing the file, with its name.
    pub fn append(&mut self, record: &PgnGame) -> io::Result<()> {
        self.write(record).map_err(|error| files::named(&self.path, error))
    }

    fn write(&mut self, record: &PgnGame) -> io::Result<()> {
        if let Some((whole, rest)) = self.whole.take() {
            if !rest.trim_ascii().is_empty() {
                files::set_aside(&self.path, &rest)?;
            }
            self.file.set_len(whole)?;
            self.file.seek(SeekFrom::End(0))?;
            if whole > 0 {
                self.file.write_all(b"\n\n")?;
            }
        }
        self.file.write_all(record.to_string().as_bytes())
    }

    /// Waits until all games are on the disk, so that none is lost by a power failure.
    ///
    /// # Errors
    /// The error of the system, with the name of the file.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data().map_err(|error| files::named(&self.path, error))
    }
}

/// The games of a file that a match writes, but not one at its end that is not finished.
///
/// # Errors
/// [`PgnFileError`].
pub fn finished_games(path: &Path) -> Result<Vec<PgnGame>, PgnFileError> {
    let bytes = input::open_stream(path).and_then(|file| input::read_all(file, MAX_BYTES));
    let bytes = bytes.map_err(|error| failed(path, error))?;
    let (games, complete) =
        complete_games(&bytes).map_err(|error| PgnFileError::Pgn { path: path.to_owned(), error })?;
    if let Some(rest) = name_rest(&bytes[complete..]) {
        log::warn!("{}: {rest} and does not count", path.display());
    }
    Ok(games)
}

/// Reads the games of a file one by one: UTF-8, Windows-1252, or UTF-16 with a byte order mark.
///
/// # Errors
/// [`PgnFileError::File`] when it cannot be opened. The errors of games name their line only.
pub fn open(path: &Path) -> Result<PgnReader<impl BufRead>, PgnFileError> {
    let text = text::open(path).map_err(|error| failed(path, error))?;
    Ok(PgnReader::new(text))
}

/// The games of a file that a match was writing when it was killed, and the length of the complete games in
/// bytes. An unfinished game at the end is left out.
fn complete_games(bytes: &[u8]) -> Result<(Vec<PgnGame>, usize), PgnError> {
    let mut reader = PgnReader::new(bytes);
    let (mut games, mut complete) = (Vec::new(), 0);
    loop {
        let next = reader.next();
        let next = next.map(|game| reader.unfinished().filter(|_| game.is_ok()).map_or(game, Err));
        match next {
            None if is_beginning(&bytes[complete..], games.is_empty()) => return Ok((games, complete)),
            None => return Err(reader.leftover()),
            Some(Ok(game)) => games.push(game),
            Some(Err(_)) if is_beginning(&bytes[complete..], games.is_empty()) => {
                return Ok((games, complete));
            }
            Some(Err(error)) => return Err(error),
        }
        complete = reader.bytes_read() as usize;
    }
}

/// What is behind the last whole game; `None` where that is blank.
fn name_rest(rest: &[u8]) -> Option<&'static str> {
    match rest.trim_ascii() {
        [] => None,
        rest if rest.iter().all(|&byte| byte == 0) => Some("what is behind the last game is no text"),
        _ => Some("the game at the end has no result"),
    }
}

/// Blank lines of a whole game: one after the tags, one after the moves.
const PARTS: usize = 2;

/// Whether a text is the beginning of one game written by Labrys, cut off at some byte. Behind other games it
/// may be of any event: an analysis keeps the events of its games. NULs may follow, as after a crash of the
/// machine.
fn is_beginning(text: &[u8], is_first: bool) -> bool {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end_matches('\0').trim_start();
    let event = if is_first { format!("[Event \"{EVENT}\"]\n") } else { "[Event \"".to_owned() };
    let is_one = text.strip_prefix(&event).is_some_and(|rest| !rest.contains(&format!("\n{event}")));
    // Blank text is the beginning of any.
    event.starts_with(text) || is_one && text.matches("\n\n").count() < PARTS
}

fn failed(path: &Path, error: io::Error) -> PgnFileError {
    PgnFileError::File { path: path.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::super::Problem;
    use super::super::tests;
    use super::*;

    /// A record as matches write it.
    fn record() -> PgnGame {
        PgnGame { comment: String::new(), closing: String::new(), ..tests::record() }
    }

    #[test]
    fn an_unfinished_game_at_the_end_is_left_out() {
        let (one, two) = (record().to_string(), format!("{}{}", record(), record()));
        for cut in (one.len()..two.len()).filter(|&cut| two.is_char_boundary(cut)) {
            let (records, whole) = complete_games(&two.as_bytes()[..cut]).unwrap();
            let complete = if cut < two.trim_end().len() { 1 } else { 2 };
            assert_eq!(records.len(), complete, "{cut}");
            assert_eq!(whole, if complete == 1 { one.trim_end().len() } else { two.trim_end().len() });
            let unfinished = !two[..cut][whole..].trim().is_empty();
            let mut reader = PgnReader::new(&two.as_bytes()[..cut]);
            let all = reader.by_ref().all(|game| game.is_ok());
            let is_whole = all && reader.unfinished().is_none();
            assert_eq!(!is_whole, unfinished, "{cut}");
        }
    }

    #[test]
    fn nuls_at_the_end_are_left_out() {
        let (one, two) = (record().to_string(), format!("{}{}", record(), record()));
        for cut in (one.len()..two.trim_end().len()).filter(|&cut| two.is_char_boundary(cut)) {
            let bytes = [&two.as_bytes()[..cut], &[0; 9]].concat();
            let (records, whole) = complete_games(&bytes).unwrap();
            assert_eq!((records.len(), whole), (1, one.trim_end().len()), "{cut}");
        }
        let bytes = [two.as_bytes(), &[0; 9]].concat();
        let (records, whole) = complete_games(&bytes).unwrap();
        assert_eq!((records.len(), whole), (2, two.trim_end().len()));
        let between = [one.as_bytes(), &[0; 9], one.as_bytes()].concat();
        assert_eq!(complete_games(&between).unwrap_err().problem, Problem::NoText(0));
    }

    #[test]
    fn a_game_of_any_event_may_be_cut_off_behind_others() {
        let mut foreign = record();
        foreign.other_tags.push(("Event".to_owned(), "Casual".to_owned()));
        let (first, second) = (foreign.to_string(), foreign.to_string());
        for cut in (0..second.len()).filter(|&cut| second.is_char_boundary(cut)) {
            let bytes = [first.as_bytes(), &second.as_bytes()[..cut]].concat();
            // The last line ends may be missing.
            let games = if cut < second.trim_end().len() { 1 } else { 2 };
            let (read, complete) = complete_games(&bytes).unwrap();
            assert!(read.len() == games && complete <= bytes.len(), "{cut}");
        }
    }

    #[test]
    fn games_in_windows_1252_are_followed_by_others() {
        let game = record().to_string().replace("1-0\n", "{\u{e4}\u{df}\u{e4}} 1-0\n");
        let bytes: Vec<u8> = game.chars().map(|letter| letter as u8).collect();
        let whole = bytes.trim_ascii_end();
        let (records, complete) = complete_games(whole).unwrap();
        assert_eq!((records.len(), complete), (1, whole.len()));
        // Both on one line.
        let two = [whole, b" 1. e4 *"].concat();
        assert_eq!(complete_games(&two).unwrap().1, two.len());
    }

    #[test]
    fn other_text_is_not_taken_for_an_unfinished_game() {
        let good = record().to_string();
        let behind = format!("{good}\nhello\nyou\n");
        for (text, line) in [
            ("hello".to_owned(), 1),
            (behind.clone(), behind.lines().count()),
            ("[Event \"x\"]\n\n1. e4".to_owned(), 3),
            (good.replace(" 1-0", "") + &good, 22),
        ] {
            let error = complete_games(text.as_bytes()).unwrap_err();
            assert!(error.line == line && matches!(error.problem, Problem::Unfinished(_)), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_in_utf16_is_read() {
        let text: Vec<u8> =
            "\u{feff}[White \"Žofia\"]\n1. e4 *\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let games: Vec<_> = open(file.path()).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(games[0].players[0].name, "Žofia");
    }
}
