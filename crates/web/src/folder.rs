//! The folder of a match or a training: its games, curves and charts.
//!
//! The browser can only open files by a name in the list. Links are not followed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;

use labrys_arena::pgn::{self, PgnGame};
use labrys_core::game::{Color, quote};
use labrys_core::input;
use labrys_support::text;

/// The maximum depth of listed folders.
const MAX_DEPTH: usize = 6;

/// The maximum number of listed files.
const MAX_FILES: usize = 1000;

/// The maximum number of listed games of a file.
const MAX_GAMES: usize = 5000;

/// The maximum number of rows of a table that are sent; longer ones are thinned out.
const MAX_ROWS: usize = 1000;

/// The maximum number of columns of a table that are read.
const MAX_COLUMNS: usize = 300;

/// The maximum size of a file that is read as a whole, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The maximum length of a line of a table, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileKind {
    /// Games, as PGN.
    Games,
    /// A table of numbers, as CSV.
    Table,
    /// A chart, as SVG.
    Chart,
    /// A report, as JSON.
    Report,
}

/// A file of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FileEntry {
    /// Its path relative to the folder, with `/`.
    pub(super) name: String,
    pub(super) kind: FileKind,
    /// Its size in bytes.
    size: u64,
    /// Its modification time, in milliseconds since 1970.
    pub(super) modified: u64,
}

/// The files of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listing {
    /// The first ones by name.
    pub(super) files: Vec<FileEntry>,
    /// The number of others.
    pub(super) left_out: usize,
}

/// The part of a file that is shown.
pub(super) struct Shown {
    pub(super) content: Content,
    /// What is left out, if anything.
    pub(super) note: Option<String>,
}

/// The content of a file.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Content {
    Games(Vec<GameEntry>),
    Table {
        columns: Vec<String>,
        rows: Vec<Vec<Option<f64>>>,
    },
    /// Fetched by its name (`chart?name=…`).
    Chart,
    Report(Box<RawValue>),
}

/// A game of a file.
#[derive(Serialize)]
pub(super) struct GameEntry {
    /// White and Black.
    players: [String; 2],
    result: &'static str,
    plies: usize,
    /// Why the game cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// A message about the folder.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(super) enum FolderMessage<'a> {
    /// The list of files.
    Files { files: Vec<FileEntry>, left_out: usize },
    /// The content of a file.
    File {
        name: &'a str,
        modified: u64,
        content: Content,
        /// What is left out, if anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

impl FolderMessage<'_> {
    /// As JSON.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages are made of text and numbers")
    }
}

/// Why a file is not shown.
#[derive(Debug, Error)]
pub(super) enum FolderError {
    #[error("no folder is open")]
    None,
    #[error("the folder cannot be read: {0}")]
    Folder(io::Error),
    #[error("there is no file {}", quote(.0))]
    File(String),
    #[error("there is no game {0} in this file")]
    Game(usize),
    #[error("{file}: {reason}")]
    Read { file: String, reason: String },
}

/// A folder that browsers can look at.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path }
    }

    /// The files of the folder and its subfolders, by name. Subfolders that cannot be read are left out.
    pub(super) fn list(&self) -> Result<Listing, FolderError> {
        let (mut files, mut count) = (BTreeMap::new(), 0);
        let listed = list_folder(&self.path, "", MAX_DEPTH, &mut |file| {
            count += 1;
            files.insert(file.name.clone(), file);
            if files.len() > MAX_FILES {
                files.pop_last();
            }
        });
        listed.map_err(FolderError::Folder)?;
        Ok(Listing { left_out: count - files.len(), files: files.into_values().collect() })
    }

    /// A file of the list.
    pub(super) fn find(&self, name: &str) -> Result<FileEntry, FolderError> {
        let found = self.list()?.files.into_iter().find(|file| file.name == name);
        found.ok_or_else(|| FolderError::File(name.to_owned()))
    }

    /// Where a file of the list is.
    pub(super) fn path_of(&self, file: &FileEntry) -> PathBuf {
        self.path.join(&file.name)
    }

    /// The content of a file of the list.
    pub(super) fn open(&self, file: &FileEntry) -> Result<Shown, FolderError> {
        let path = self.path_of(file);
        let failed = |reason: &dyn std::fmt::Display| FolderError::Read {
            file: file.name.clone(),
            reason: reason.to_string(),
        };
        let whole = |content| Shown { content, note: None };
        match file.kind {
            FileKind::Games => games(&path).map_err(|reason| failed(&reason)),
            FileKind::Table => table(&path).map_err(|reason| failed(&reason)),
            FileKind::Chart => Ok(whole(Content::Chart)),
            FileKind::Report => {
                let text = read(&path).map_err(|reason| failed(&reason))?;
                let json = serde_json::from_str(&text).map_err(|reason| failed(&reason))?;
                Ok(whole(Content::Report(json)))
            }
        }
    }

    /// A game of a file of games, counted from 0.
    pub(super) fn game(&self, name: &str, index: usize) -> Result<PgnGame, FolderError> {
        let file = self.find(name)?;
        let failed = |reason: String| FolderError::Read { file: name.to_owned(), reason };
        if file.kind != FileKind::Games {
            return Err(FolderError::Game(index));
        }
        let path = self.path_of(&file);
        let mut games = pgn::file::open(&path).map_err(|error| failed(error.to_string()))?;
        let game = games.nth(index).ok_or(FolderError::Game(index))?;
        game.map_err(|error| failed(error.to_string()))
    }

    /// The text of a chart.
    pub(super) fn chart(&self, name: &str) -> Result<String, FolderError> {
        let file = self.find(name).and_then(|file| match file.kind {
            FileKind::Chart => Ok(file),
            _ => Err(FolderError::File(name.to_owned())),
        })?;
        read(&self.path_of(&file))
            .map_err(|error| FolderError::Read { file: file.name, reason: error.to_string() })
    }
}

/// Calls `add` with the files of a folder and its subfolders. `prefix` is the path of the folder.
fn list_folder(folder: &Path, prefix: &str, depth: usize, add: &mut dyn FnMut(FileEntry)) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        // Of a link itself, not of its target.
        let Ok(metadata) = entry.metadata() else { continue };
        if name.starts_with('.') {
            continue;
        }
        if metadata.is_dir() && depth > 1 {
            // A subfolder that cannot be read, or is gone meanwhile, has no files.
            _ = list_folder(&entry.path(), &format!("{prefix}{name}/"), depth - 1, add);
        }
        let extension = entry.path().extension().map(|extension| extension.to_ascii_lowercase());
        let kind = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("pgn") => FileKind::Games,
            Some("csv") => FileKind::Table,
            Some("svg") => FileKind::Chart,
            Some("json") => FileKind::Report,
            _ => continue,
        };
        if metadata.is_file() {
            let modified = metadata.modified().ok();
            let modified = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| time.as_millis() as u64);
            add(FileEntry { name: format!("{prefix}{name}"), kind, size: metadata.len(), modified });
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<String> {
    input::read(path, MAX_FILE_BYTES).map(|bytes| text::decode(&bytes))
}

/// The games of a PGN file. One that cannot be read is listed with its error.
fn games(path: &Path) -> Result<Shown, pgn::file::PgnFileError> {
    let games = pgn::file::open(path)?;
    let mut entries = Vec::new();
    for game in games {
        if entries.len() == MAX_GAMES {
            let note = Some(format!("the first {MAX_GAMES} games are shown"));
            return Ok(Shown { content: Content::Games(entries), note });
        }
        entries.push(match game {
            Ok(game) => GameEntry {
                plies: game.opening.moves.len() + game.moves.len(),
                result: result_text(&game),
                players: game.players.map(|player| player.name),
                problem: None,
            },
            Err(error) => GameEntry {
                players: ["?", "?"].map(str::to_owned),
                result: "*",
                plies: 0,
                problem: Some(error.to_string()),
            },
        });
    }
    Ok(Shown { content: Content::Games(entries), note: None })
}

/// The result of a game as records have it.
pub(super) fn result_text(game: &PgnGame) -> &'static str {
    match game.end.as_ref().map(|end| end.winner) {
        Some(Some(Color::White)) => "1-0",
        Some(Some(Color::Black)) => "0-1",
        Some(None) => "1/2-1/2",
        None => "*",
    }
}

/// A CSV table with a header line. Cells that are not numbers are `None`. Rows of a long table are thinned
/// out evenly, in memory independent of its length.
fn table(path: &Path) -> io::Result<Shown> {
    let mut file = text::open(path)?;
    let Some(titles) = next_line(&mut file)? else {
        let content = Content::Table { columns: Vec::new(), rows: Vec::new() };
        return Ok(Shown { content, note: None });
    };
    let titles = titles.trim_start_matches(text::BYTE_ORDER_MARK);
    let all = titles.split(',').count();
    let columns: Vec<String> = cells(titles).map(str::to_owned).collect();
    // Every `step`th row is kept, and the last one.
    let (mut rows, mut last, mut count, mut step) = (Vec::new(), None, 0_usize, 1);
    while let Some(line) = next_line(&mut file)? {
        // The last line may be incomplete while a program is writing it.
        if cells(&line).count() != columns.len() {
            continue;
        }
        let row: Vec<Option<f64>> =
            cells(&line).map(|cell| cell.parse().ok().filter(|number: &f64| number.is_finite())).collect();
        if count % step == 0 {
            rows.push(row.clone());
        }
        (count, last) = (count + 1, Some(row));
        if rows.len() > 2 * MAX_ROWS {
            let mut index = 0;
            rows.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            step *= 2;
        }
    }
    let thinned = rows.len().div_ceil(MAX_ROWS).max(1);
    let is_last_kept = count > 0 && (count - 1) % (step * thinned) == 0;
    let mut rows: Vec<_> = rows.into_iter().step_by(thinned).collect();
    rows.extend(last.filter(|_| !is_last_kept));
    let note = (all > MAX_COLUMNS).then(|| format!("the first {MAX_COLUMNS} of {all} columns are shown"));
    Ok(Shown { content: Content::Table { columns, rows }, note })
}

/// The cells of a line of a table.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').take(MAX_COLUMNS).map(str::trim)
}

/// The next line of a table; `None` at its end.
fn next_line(file: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    file.take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut bytes)?;
    match bytes.len() as u64 {
        0 => Ok(None),
        1..=MAX_LINE_BYTES => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        _ => Err(io::Error::other(format!("a line of more than {MAX_LINE_BYTES} bytes"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("shown");
        fs::create_dir_all(path.join("deep/er")).unwrap();
        fs::write(outer.path().join("secret.svg"), "<svg/>").unwrap();
        fs::write(path.join("curve.csv"), "moves,change,w\n1,0.5,x\n2,0.25,3\n3,").unwrap();
        fs::write(path.join("deep/er/games.pgn"), "[White \"a\"]\n\n1. e4 e5 1-0\n\n[White \"b\"]\n\n1. d4")
            .unwrap();
        fs::write(path.join("chart.svg"), "<svg/>").unwrap();
        fs::write(path.join("report.json"), "{\"a\": 1}").unwrap();
        fs::write(path.join("notes.txt"), "no").unwrap();
        fs::write(path.join(".hidden.svg"), "no").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outer.path().join("secret.svg"), path.join("link.svg")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outer.path(), path.join("up")).unwrap();
        (outer, Folder::new(path))
    }

    #[test]
    fn known_kinds_of_files_are_listed_and_links_are_not() {
        let (_outer, folder) = folder();
        let Listing { files, left_out } = folder.list().unwrap();
        let names: Vec<_> = files.into_iter().map(|file| file.name).collect();
        assert_eq!(
            (names.as_slice(), left_out),
            (&["chart.svg", "curve.csv", "deep/er/games.pgn", "report.json"].map(str::to_owned)[..], 0)
        );
    }

    #[test]
    fn the_first_files_by_name_are_listed() {
        let outer = tempfile::tempdir().unwrap();
        for number in (0..MAX_FILES + 20).rev() {
            fs::write(outer.path().join(format!("{number:05}.svg")), "").unwrap();
        }
        let folder = Folder::new(outer.path().to_owned());
        let Listing { files, left_out } = folder.list().unwrap();
        let expected = (0..MAX_FILES).map(|number| format!("{number:05}.svg"));
        assert!(files.iter().map(|file| &file.name).eq(&expected.collect::<Vec<_>>()));
        assert_eq!(left_out, 20);
    }

    #[test]
    fn a_table_is_read_to_its_end() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("curve.csv");
        let folder = Folder::new(outer.path().to_owned());
        let wide = "9".repeat(200);
        for count in [0, 1, 2, 999, 1000, 1001, 2001, 5000, 45_000] {
            let lines = (0..count).map(|number| format!("{number},{wide}\n"));
            fs::write(&path, format!("\u{feff}a,b\n{}", lines.collect::<String>())).unwrap();
            let shown = folder.open(&folder.find("curve.csv").unwrap()).unwrap();
            let Content::Table { columns, rows } = shown.content else { panic!() };
            let firsts: Vec<_> = rows.iter().filter_map(|row| row[0]).collect();
            assert_eq!((columns[0].as_str(), rows.len() <= MAX_ROWS + 1), ("a", true));
            let last = (count > 0).then(|| f64::from(count - 1));
            assert_eq!(firsts.last().copied(), last, "{count}");
            assert!(count < 999 || firsts.len() > MAX_ROWS / 2 - 2, "{count}: {}", firsts.len());
            assert!(firsts.is_sorted_by(|a, b| a < b) && firsts.first().is_none_or(|&first| first == 0.0));
        }
        let utf16: Vec<u8> = "\u{feff}a,b\r\n1,2\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(&path, utf16).unwrap();
        let shown = folder.open(&folder.find("curve.csv").unwrap()).unwrap();
        let Content::Table { columns, rows } = shown.content else { panic!() };
        assert_eq!((columns, rows), (vec!["a".to_owned(), "b".to_owned()], vec![vec![Some(1.0), Some(2.0)]]));
        fs::write(&path, "9".repeat(MAX_LINE_BYTES as usize + 1)).unwrap();
        assert!(folder.open(&folder.find("curve.csv").unwrap()).is_err());
        fs::write(&path, vec!["x"; MAX_COLUMNS + 5].join(",")).unwrap();
        let note = folder.open(&folder.find("curve.csv").unwrap()).unwrap().note.unwrap();
        assert_eq!(note, "the first 300 of 305 columns are shown");
    }

    #[test]
    fn an_incomplete_game_is_listed() {
        let outer = tempfile::tempdir().unwrap();
        let text =
            "[White \"a\"]\n\n1. e4 1-0\n\n[White \"b\"]\n\n1. e4 (1. d4\n\n[White \"c\"]\n\n1. c4 0-1\n";
        fs::write(outer.path().join("games.pgn"), text).unwrap();
        let folder = Folder::new(outer.path().to_owned());
        let shown = folder.open(&folder.find("games.pgn").unwrap()).unwrap();
        let Content::Games(games) = shown.content else { panic!() };
        let found: Vec<_> = games.iter().map(|game| (game.players[0].as_str(), game.result)).collect();
        assert_eq!(found, [("a", "1-0"), ("b", "*"), ("c", "0-1")]);
        assert_eq!(folder.game("games.pgn", 2).unwrap().players[0].name, "c");
        assert_eq!(folder.game("games.pgn", 1).unwrap().moves.len(), 1);
        let many = "1. e4 *\n".repeat(MAX_GAMES + 1);
        fs::write(outer.path().join("games.pgn"), many).unwrap();
        let shown = folder.open(&folder.find("games.pgn").unwrap()).unwrap();
        assert_eq!(shown.note.unwrap(), "the first 5000 games are shown");
    }

    #[test]
    fn only_listed_names_can_be_opened() {
        let (outer, folder) = folder();
        assert_eq!(folder.chart("chart.svg").unwrap(), "<svg/>");
        let absolute = outer.path().join("secret.svg");
        for name in [
            "../secret.svg",
            "link.svg",
            "up/secret.svg",
            "./chart.svg",
            "deep/../chart.svg",
            "/etc/passwd",
            ".hidden.svg",
            "notes.txt",
            "",
            "chart.svg\0",
            "%2e%2e/secret.svg",
            absolute.to_str().unwrap(),
        ] {
            assert!(matches!(folder.chart(name), Err(FolderError::File(_))), "{name}");
            assert!(folder.game(name, 0).is_err(), "{name}");
        }
        assert!(folder.chart("report.json").is_err() && folder.game("chart.svg", 0).is_err());
    }

    #[test]
    fn unfinished_files_are_shown() {
        let (_outer, folder) = folder();
        let open = |name: &str| folder.open(&folder.find(name).unwrap()).unwrap().content;
        let Content::Table { columns, rows } = open("curve.csv") else { panic!() };
        assert_eq!(columns, ["moves", "change", "w"]);
        assert_eq!(rows, [[Some(1.0), Some(0.5), None], [Some(2.0), Some(0.25), Some(3.0)]]);
        let Content::Games(games) = open("deep/er/games.pgn") else { panic!() };
        assert_eq!((games.len(), games[0].result, games[0].plies), (2, "1-0", 2));
        assert_eq!((games[1].result, games[1].plies), ("*", 1));
        assert_eq!(folder.game("deep/er/games.pgn", 0).unwrap().players[0].name, "a");
        assert!(matches!(folder.game("deep/er/games.pgn", 7), Err(FolderError::Game(7))));
    }
}
