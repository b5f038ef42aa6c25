//! The manifest of a table: what was run, by what, on what, and what it gave.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::measured::Comparison;
use super::table::Table;
use crate::arena::pgn::file;
use crate::commands::shared::checksum::sha256;
use crate::commands::shared::{cores, version};
use crate::files::write_atomically;
use crate::input::{self, MAX_TENSORS, MAX_TEXT};
use crate::seal;

/// The name of the file.
pub(super) const FILE: &str = "manifest.json";

/// The name of the checksum, the last field of the manifest.
const CHECKSUM: &str = "crc32";

/// A run of a table.
#[derive(Debug, Serialize)]
pub(super) struct Manifest<'a> {
    /// The name of the table.
    pub(super) table: &'a str,
    /// When the run ended or was interrupted, in UTC.
    pub(super) date: String,
    pub(super) program: Program,
    pub(super) machine: Machine,
    pub(super) configuration: &'a Configuration,
    pub(super) seeds: &'a [u64],
    /// The steps that are done.
    pub(super) steps: &'a [StepDone],
    /// The step that has been begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) begun: Option<&'a StepBegun>,
    /// The games in the folder, by the name of their file.
    pub(super) games: &'a BTreeMap<String, GamesSum>,
    /// The SHA-256 of all other files that the steps have written, such as weights, nets and curves.
    pub(super) files: &'a BTreeMap<String, String>,
    /// The numbers beside those of the page; empty before the last step is done.
    pub(super) results: &'a [Comparison],
    /// The checksum of the manifest, zeros until it is written.
    pub(super) crc32: &'static str,
}

/// The program that ran.
#[derive(Debug, Serialize)]
pub(super) struct Program {
    /// Version and commit.
    version: String,
    /// What `--version` says: the build, and the identities of the nets in it.
    build: Vec<String>,
}

/// The machine that it ran on.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    system: &'static str,
    architecture: &'static str,
    /// The processor, where the system tells it.
    processor: Option<String>,
    cores: usize,
}

/// All that decides what a table gives, besides the program.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Configuration {
    /// The seeds and steps of the table, and the files that its commands name: texts as they are, the SHA-256 of
    /// others.
    files: BTreeMap<String, String>,
    /// SHA-256 of the names and contents of the files.
    pub(super) sha256: String,
}

/// A step that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StepDone {
    pub(super) name: String,
    pub(super) seed: Option<u64>,
    /// The command line, without the program.
    pub(super) command: Vec<String>,
    /// Wall-clock time.
    pub(super) seconds: f64,
    /// The program that ran it; all of them where others had begun it.
    pub(super) version: String,
}

/// A step that is not done, but may have played games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StepBegun {
    pub(super) name: String,
    pub(super) seed: Option<u64>,
    /// The programs that have worked at it.
    pub(super) version: String,
}

impl StepBegun {
    /// The beginning of a step by this program, after those before.
    pub(super) fn new(name: &str, seed: Option<u64>, before: Option<&str>) -> StepBegun {
        let (this, before) = (version::short(), before.unwrap_or_default());
        let version = match before.split(", ").any(|version| version == this) {
            true => before.to_owned(),
            false => [before, &this].into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>().join(", "),
        };
        StepBegun { name: name.to_owned(), seed, version }
    }
}

/// The games of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GamesSum {
    games: u64,
    /// SHA-256 of players, openings, moves and results, in the order of the numbers of the games: the same
    /// for the same games, whatever time they took.
    sha256: String,
}

/// The games and the other files in a folder, as the manifest has them.
pub(super) type Sums = (BTreeMap<String, GamesSum>, BTreeMap<String, String>);

/// The steps of an earlier run in a manifest.
#[derive(Deserialize)]
pub(super) struct Earlier {
    pub(super) configuration: Configuration,
    pub(super) steps: Vec<StepDone>,
    pub(super) begun: Option<StepBegun>,
    pub(super) games: BTreeMap<String, GamesSum>,
    pub(super) files: BTreeMap<String, String>,
}

impl Manifest<'_> {
    /// Writes the manifest into the folder of the run.
    pub(super) fn write(&self, out: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        seal::seal(&mut text, CHECKSUM)?;
        write_atomically(&out.join(FILE), text).with_context(|| out.display().to_string())
    }
}

impl Earlier {
    /// What the manifest in a folder says, if there is one.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub(super) fn read(out: &Path) -> anyhow::Result<Option<Earlier>> {
        let path = out.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let read = || {
            let text = input::read(&path, MAX_TEXT)?;
            seal::check(&text, CHECKSUM)?;
            anyhow::Ok(serde_json::from_slice(&text)?)
        };
        read().map(Some).with_context(|| path.display().to_string())
    }
}

impl Program {
    pub(super) fn this() -> Program {
        let build = version::long().lines().skip(1).map(str::to_owned).collect();
        Program { version: version::short(), build }
    }
}

impl Machine {
    pub(super) fn this() -> Machine {
        // Linux tells the processor; where another system does not, nobody knows.
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = text.lines().find_map(|line| line.strip_prefix("model name"));
        Machine {
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: model.map(|model| model.trim_start_matches(['\t', ':', ' ']).to_owned()),
            cores: cores(),
        }
    }
}

impl Configuration {
    /// The configuration of the table in a file. Files are named by the words of commands; those of the run
    /// itself, in `out`, do not count.
    pub(super) fn new(path: &Path, table: &Table, out: &Path) -> anyhow::Result<Configuration> {
        let mut files = BTreeMap::new();
        let words = table.runs().flat_map(|(step, seed)| step.words(out, seed));
        let words = words.flat_map(|word| word.split('=').map(str::to_owned).collect::<Vec<_>>());
        // What the page says decides nothing.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, serde_json::to_string(&json!({ "seeds": table.seeds, "steps": table.steps }))?);
        for name in words {
            let path = Path::new(&name);
            if path.is_file() && !path.starts_with(out) {
                let bytes = input::read(path, MAX_TENSORS).with_context(|| name.clone())?;
                let text = String::from_utf8(bytes)
                    .unwrap_or_else(|error| format!("sha256 {:x}", Sha256::digest(error.into_bytes())));
                files.insert(name, text);
            }
        }
        let mut sum = Sha256::new();
        files.iter().for_each(|(name, text)| {
            sum.update([name.as_bytes(), &[0], text.as_bytes(), &[0]].concat());
        });
        Ok(Configuration { files, sha256: format!("{:x}", sum.finalize()) })
    }
}

/// The sums of what is in a folder and those within it, by the path from there: of the games of PGN files, and the
/// SHA-256 of all others but checkpoints, locks and the manifest itself. All of it is read.
pub(super) fn sums(folder: &Path) -> anyhow::Result<Sums> {
    let (mut games, mut files, mut folders) = (BTreeMap::new(), BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(of) = folders.pop() {
        for entry in fs::read_dir(&of)? {
            let path = entry?.path();
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            let is_other = own.starts_with('.') || own.starts_with("checkpoint") || own == FILE;
            let name = || path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pgn") {
                games.insert(name(), games_of(&path)?);
            } else if !is_other {
                files.insert(name(), sha256(&path)?);
            }
        }
    }
    Ok((games, files))
}

fn games_of(path: &Path) -> anyhow::Result<GamesSum> {
    let mut games = file::finished_games(path)?;
    games.sort_by_key(|game| game.number);
    let mut sum = Sha256::new();
    for game in &games {
        let names = game.players.iter().map(|player| player.name.as_str());
        let moves = game.opening.moves.iter().chain(game.moves.iter().map(|mv| &mv.text));
        let words = names.chain([game.opening.fen.as_str()]).chain(moves.map(String::as_str));
        words.for_each(|word| sum.update([word.as_bytes(), b"\0"].concat()));
        let end = game.end.as_ref().map(|end| (end.winner, end.termination.tag()));
        sum.update(format!("{end:?}\n"));
    }
    Ok(GamesSum { games: games.len() as u64, sha256: format!("{:x}", sum.finalize()) })
}

/// The time in UTC.
pub(super) fn now() -> String {
    let now = OffsetDateTime::now_utc();
    let (hour, minute, second) = now.to_hms();
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", now.date())
}

/// The JSON that a step has printed.
pub(super) fn printed(path: &Path) -> anyhow::Result<Value> {
    let read = || anyhow::Ok(serde_json::from_slice(&input::read(path, MAX_TEXT)?)?);
    read().with_context(|| path.display().to_string())
}
