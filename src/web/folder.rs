//! The folder of a match or a training: its games, curves and charts.
//!
//! A browser names a file as the list names it; no other path leads anywhere. Links are not followed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::arena::pgn::{self, PgnGame};
use crate::game::{Color, quote};

/// Levels of folders that are listed.
const DEPTH: usize = 6;

/// Files that are listed at most.
const MOST_FILES: usize = 1000;

/// Games of a file that are listed at most.
const MOST_GAMES: usize = 5000;

/// Points of a curve that are sent at most; of more, some are left out.
const MOST_POINTS: usize = 1000;

/// Columns of a table that are read at most.
const MOST_COLUMNS: usize = 300;

/// The largest file that is sent or read as a whole, in bytes.
const LARGEST: u64 = 8 << 20;

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileKind {
    /// Games, as PGN.
    Games,
    /// A table of numbers, as CSV.
    Table,
    /// A drawing, as SVG.
    Chart,
    /// A report, as JSON.
    Report,
}

/// A file of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FileEntry {
    /// Its path below the folder, with `/`.
    pub(super) name: String,
    pub(super) kind: FileKind,
    /// Its length in bytes.
    size: u64,
    /// When it was last written, in milliseconds since 1970.
    pub(super) modified: u64,
}

/// The content of a file.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Content {
    /// The games.
    Games(Vec<GameEntry>),
    /// The numbers of a table.
    Table { columns: Vec<String>, rows: Vec<Vec<Option<f64>>> },
    /// A drawing is fetched by its name.
    Chart,
    /// The JSON of a report.
    Report(Box<RawValue>),
}

/// A game of a file.
#[derive(Serialize)]
pub(super) struct GameEntry {
    /// White and Black.
    players: [String; 2],
    result: &'static str,
    plies: usize,
}

/// Why a file is not shown.
#[derive(Debug, Error)]
pub(super) enum FolderError {
    #[error("no folder is open")]
    None,
    #[error("there is no file {}", quote(.0))]
    File(String),
    #[error("there is no game {0} in this file")]
    Game(usize),
    #[error("{file}: {reason}")]
    Read { file: String, reason: String },
}

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path }
    }

    /// The files of the folder and of those below it, by name.
    pub(super) fn list(&self) -> Vec<FileEntry> {
        let mut files = Vec::new();
        collect(&self.path, "", DEPTH, &mut files);
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files
    }

    /// A file of the list.
    pub(super) fn find(&self, name: &str) -> Result<FileEntry, FolderError> {
        let found = self.list().into_iter().find(|file| file.name == name);
        found.ok_or_else(|| FolderError::File(name.to_owned()))
    }

    /// The content of a file of the list.
    pub(super) fn open(&self, file: &FileEntry) -> Result<Content, FolderError> {
        let path = self.path.join(&file.name);
        let failed = |reason: &dyn std::fmt::Display| FolderError::Read {
            file: file.name.clone(),
            reason: reason.to_string(),
        };
        match file.kind {
            FileKind::Games => Ok(Content::Games(games(&path).map_err(|reason| failed(&reason))?)),
            FileKind::Table => table(&path).map_err(|reason| failed(&reason)),
            FileKind::Chart => Ok(Content::Chart),
            FileKind::Report => {
                let text = read(&path).map_err(|reason| failed(&reason))?;
                let json = serde_json::from_str(&text).map_err(|reason| failed(&reason))?;
                Ok(Content::Report(json))
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
        let path = self.path.join(name);
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
        read(&self.path.join(&file.name))
            .map_err(|error| FolderError::Read { file: file.name, reason: error.to_string() })
    }
}

/// Adds the files of a folder whose names begin with `prefix` below the first one.
fn collect(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<FileEntry>) {
    // A folder that cannot be read has no files.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        // The metadata of an entry are those of a link itself.
        let Ok(metadata) = entry.metadata() else { continue };
        if name.starts_with('.') || files.len() >= MOST_FILES {
            continue;
        }
        if metadata.is_dir() && depth > 1 {
            collect(&entry.path(), &format!("{prefix}{name}/"), depth - 1, files);
        }
        let kind = match entry.path().extension().and_then(|extension| extension.to_str()) {
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
            files.push(FileEntry { name: format!("{prefix}{name}"), kind, size: metadata.len(), modified });
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.len() > LARGEST {
        return Err(io::Error::other(format!("more than {LARGEST} bytes")));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// The games of a file that a match may still be writing: the list ends before the first that has an error.
fn games(path: &Path) -> Result<Vec<GameEntry>, pgn::file::PgnFileError> {
    let games = pgn::file::open(path)?.map_while(Result::ok).take(MOST_GAMES);
    let entries = games.map(|game| GameEntry {
        plies: game.opening.moves.len() + game.moves.len(),
        result: match game.end.map(|end| end.winner) {
            Some(Some(Color::White)) => "1-0",
            Some(Some(Color::Black)) => "0-1",
            Some(None) => "½-½",
            None => "*",
        },
        players: game.players.map(|player| player.name),
    });
    Ok(entries.collect())
}

/// A table with a line of titles. What is no number is none.
fn table(path: &Path) -> Result<Content, io::Error> {
    let mut lines = BufReader::new(File::open(path)?.take(LARGEST)).lines();
    let split = |line: &str| line.split(',').take(MOST_COLUMNS).map(str::trim).map(str::to_owned).collect();
    let columns: Vec<String> = lines.next().transpose()?.map_or(Vec::new(), |line| split(&line));
    let mut rows: Vec<Vec<Option<f64>>> = Vec::new();
    for line in lines {
        let cells: Vec<String> = split(&line?);
        // A line that is being written is short.
        if cells.len() == columns.len() {
            rows.push(
                cells
                    .iter()
                    .map(|cell| cell.parse().ok().filter(|number: &f64| number.is_finite()))
                    .collect(),
            );
        }
    }
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    let last = rows.len().saturating_sub(1);
    let kept = rows.into_iter().enumerate().filter(|(index, _)| index % step == 0 || *index == last);
    Ok(Content::Table { columns, rows: kept.map(|(_, row)| row).collect() })
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
    fn the_list_has_what_can_be_shown_and_no_links() {
        let (_outer, folder) = folder();
        let names: Vec<_> = folder.list().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["chart.svg", "curve.csv", "deep/er/games.pgn", "report.json"]);
    }

    #[test]
    fn only_names_of_the_list_lead_to_files() {
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
    fn unfinished_files_are_shown_as_far_as_they_go() {
        let (_outer, folder) = folder();
        let open = |name: &str| folder.open(&folder.find(name).unwrap()).unwrap();
        let Content::Table { columns, rows } = open("curve.csv") else { panic!() };
        assert_eq!(columns, ["moves", "change", "w"]);
        assert_eq!(rows, [[Some(1.0), Some(0.5), None], [Some(2.0), Some(0.25), Some(3.0)]]);
        let Content::Games(games) = open("deep/er/games.pgn") else { panic!() };
        assert_eq!((games.len(), games[0].result, games[0].plies), (1, "1-0", 2));
        assert_eq!(folder.game("deep/er/games.pgn", 0).unwrap().players[0].name, "a");
        assert!(matches!(folder.game("deep/er/games.pgn", 7), Err(FolderError::Game(7))));
    }
}
