//! The output files of a command: none may be an input or another output.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::checksum::is_log;
use crate::commands::lobby;
use crate::files::is_same_file;
use crate::learn::run_folder::RunState;
use crate::learn::spsa::SpsaState;
use crate::learn::zero::ZeroState;
use crate::learn::{linear, nnue};

/// The arguments, of all commands, whose values are output files.
const OUTPUTS: [&str; 11] =
    ["out", "pgnout", "epdout", "plot", "log", "proof", "manifest", "checkpoint", "results", "part", "html"];

/// Outputs that may be inputs as well: results may be appended to the file that others are read from.
const APPENDED: [(&str, &str); 1] = [("results", "assume")];

/// The value names of files; some of these values may also be keywords.
const FILES: [&str; 5] = ["FILE", "NET", "WEIGHTS", "WHO", "PROGRAM"];

/// The keys of an engine whose values may be files; `stderr` is an output.
const KEYS: [&str; 3] = ["cmd", "arg", "stderr"];

/// The arguments whose values are folders in which a command keeps files, and those files.
const FOLDERS: [&str; 2] = ["out", "folder"];
const KEPT: [&[&str]; 7] = [
    &[linear::TrainingState::FILE],
    &[nnue::trainer::TrainingState::FILE],
    &[nnue::generations::GenerationsState::FILE],
    &[SpsaState::FILE],
    &[ZeroState::FILE],
    &[lobby::ARCHIVE, lobby::GAMES],
    &[lobby::IDENTITIES],
];

/// A file of a command line.
#[derive(Clone)]
struct FileArgument {
    /// The argument, or the key, that names it.
    name: String,
    /// The argument.
    id: String,
    path: PathBuf,
    is_output: bool,
}

/// Checks the command line of any command.
///
/// # Errors
/// An output is also an input, another output, or a file that the command keeps in a folder, possibly through
/// links.
pub(in crate::commands) fn check(mut command: &Command, mut matches: &ArgMatches) -> anyhow::Result<()> {
    while let Some((name, inner)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else { return Ok(()) };
        (command, matches) = (subcommand, inner);
    }
    let mut named: Vec<_> = command.get_arguments().flat_map(|argument| files(argument, matches)).collect();
    let folders: Vec<_> =
        named.iter().filter(|named| FOLDERS.contains(&&*named.id) && named.path.is_dir()).cloned().collect();
    for folder in folders {
        let path = |kept: &[&str]| folder.path.join(kept.iter().collect::<PathBuf>());
        named.extend(KEPT.map(|kept| FileArgument { path: path(kept), is_output: false, ..folder.clone() }));
    }
    for output in named.iter().filter(|named| named.is_output) {
        let clashes = |other: &&FileArgument| {
            output.name != other.name
                && !APPENDED.contains(&(&*output.id, &*other.id))
                && is_same_file(&output.path, &other.path)
        };
        if let Some(other) = named.iter().find(clashes) {
            let (path, other) = (output.path.display(), &other.name);
            bail!("{} {path}: the file of {other} as well, choose another one", output.name);
        }
    }
    Ok(())
}

/// The files that an argument names.
fn files(argument: &Arg, matches: &ArgMatches) -> Vec<FileArgument> {
    let id = argument.get_id().as_str();
    let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
    let words = matches.try_get_raw(id).ok().flatten().filter(|_| is_given);
    let kind = Kind::of(argument);
    words.into_iter().flatten().filter_map(|word| kind.read(argument, Path::new(word))).collect()
}

/// Whether the values of an argument are files.
pub(in crate::commands) fn is_file(argument: &Arg) -> bool {
    matches!(Kind::of(argument), Kind::Files)
}

/// Whether an argument names files to write.
pub(in crate::commands) fn is_written(argument: &Arg) -> bool {
    OUTPUTS.contains(&argument.get_id().as_str())
}

/// The kind of the values of an argument.
enum Kind {
    /// Each is a file.
    Files,
    /// `KEY=VALUE`.
    Keys,
    /// `NAME=VALUE`.
    Options,
    /// No files.
    Other,
}

impl Kind {
    fn of(argument: &Arg) -> Kind {
        let names = argument.get_value_names().unwrap_or_default();
        let is = |name: &str| names.iter().any(|known| known.as_str() == name);
        match argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
            true => Kind::Files,
            false if is("KEY=VALUE") => Kind::Keys,
            false if is("NAME=VALUE") => Kind::Options,
            false if FILES.into_iter().any(is) => Kind::Files,
            false => Kind::Other,
        }
    }

    /// The file that a value names, if it does.
    fn read(&self, argument: &Arg, word: &Path) -> Option<FileArgument> {
        let id = argument.get_id().to_string();
        let name = match argument.get_long() {
            Some(long) => format!("--{long}"),
            None => argument.get_value_names().unwrap_or_default().first()?.to_string(),
        };
        let pair = || word.to_str().and_then(|word| word.split_once('='));
        let named =
            |name, path: &Path, is_output| Some(FileArgument { name, id, path: path.to_owned(), is_output });
        match self {
            Kind::Files => named(name, word, is_written(argument)),
            Kind::Keys => {
                let (key, value) = pair()?;
                let is_file = KEYS.contains(&key) || key.starts_with("option.");
                is_file.then(|| named(format!("{key}="), Path::new(value), key == "stderr" || is_log(key)))?
            }
            Kind::Options => {
                let (option, value) = pair()?;
                named(format!("{name} {option}"), Path::new(value), is_log(option))
            }
            Kind::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of type path that only read, of all commands.
    const INPUTS: [&str; 20] = [
        "assume",
        "config",
        "data",
        "file",
        "files",
        "folder",
        "games",
        "net",
        "openings",
        "parts",
        "positions",
        "quick",
        "regions",
        "report",
        "settings",
        "start",
        "state",
        "suite",
        "tables",
        "weights",
    ];

    /// Checks a line, where `@` stands for the folder.
    fn checked(folder: &Path, line: &str) -> Result<(), String> {
        let begin = format!("{}/", folder.display());
        let words = std::iter::once("labrys").chain(line.split(' ')).map(|word| word.replace('@', &begin));
        let mut command = crate::commands::command();
        let matches =
            command.try_get_matches_from_mut(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        check(&command, &matches).map_err(|error| error.to_string())
    }

    fn commands(command: &Command) -> Vec<&Command> {
        let inner = command.get_subcommands().flat_map(commands);
        std::iter::once(command).chain(inner).collect()
    }

    #[test]
    fn every_file_is_known_to_be_read_or_written() {
        for command in commands(&crate::commands::command()) {
            for argument in
                command.get_arguments().filter(|argument| matches!(Kind::of(argument), Kind::Files))
            {
                let id = argument.get_id().as_str();
                let is_word = ["opponent", "rival"].contains(&id);
                assert!(
                    is_word || OUTPUTS.contains(&id) != INPUTS.contains(&id),
                    "{}: {id}",
                    command.get_name()
                );
            }
        }
    }

    #[test]
    fn no_output_is_an_input_or_another_output() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            std::fs::write(path(name), "").unwrap();
        }
        std::fs::hard_link(path("a"), path("hard")).unwrap();
        let mut links = vec!["a", "./a", "hard"];
        if cfg!(unix) {
            #[cfg(unix)]
            std::os::unix::fs::symlink("a", path("soft")).unwrap();
            links.push("soft");
        }
        for link in links {
            for line in [
                "games plot @a --out @LINK",
                "report @b @a --html @LINK",
                "analyse @a --nodes 1 --out @LINK",
                "analyse @a --nodes 1 --out @LINK --resume",
                "games merge @b @a --out @LINK",
                "linear tune --games @b --games @a --out @LINK",
                "linear tune --games @b --weights @a --out @LINK",
                "nnue selfplay --games 1 --net @a --out @LINK",
                "match --quick x y --openings @a --plot @LINK",
                "match --quick x y --openings @a --pgnout @LINK",
                "match --quick x y --openings @a --epdout @LINK",
                "match --quick x y --openings @a --log @LINK",
                "match --quick x y --config @a --plot @LINK",
                "match --quick x y --report @b @a --plot @LINK",
                "match --quick x y --pgnout @a --plot @LINK",
                "match --quick x y --pgnout @a --epdout @LINK",
                "match --quick x y --each stderr=@a --log @LINK",
                "match --engine cmd=@a stderr=@LINK --engine name=b",
                "match --engine option.EvalFile=@a --engine name=b --log @LINK",
                "solve --proof @a --results @LINK",
                "solve --proof @a --checkpoint @LINK",
                "solve --checkpoint @a --results @LINK",
                "solve --assume @b @a --proof @LINK",
                "solve --option EvalFile=@a --proof @LINK",
                "nnue export --data @b --data @a --out @LINK",
                "zero selfplay @a --generation 1 --out @LINK",
                "analyse @b --nodes 1 --option LogFile=@a --out @LINK",
                "match --engine cmd=x option.LogFile=@LINK --engine name=b --openings @a",
            ] {
                let line = line.replace("LINK", link);
                let error = checked(folder.path(), &line).unwrap_err();
                let output = path(link);
                let is_named = [path("a"), output].iter().any(|path| error.contains(path.to_str().unwrap()));
                assert!(is_named && error.contains("choose another one"), "{line}: {error}");
            }
        }
        for (line, kept) in [
            ("linear train --out @run --shard 1/1 --part @run/checkpoint.json", "--out"),
            ("lobby --agents 0 --each st=1 --folder @run --log @run/archive/games.pgn", "--folder"),
            ("lobby --agents 0 --each st=1 --folder @run --log @run/identities.json", "--folder"),
        ] {
            std::fs::create_dir_all(path("run/archive")).unwrap();
            let error = checked(folder.path(), line).unwrap_err();
            assert!(error.contains(&format!("the file of {kept} as well")), "{line}: {error}");
        }
        for line in [
            "linear train --out @run --shard 1/1 --part @run/part",
            "games plot @a --out @b",
            "games plot @a --out @new",
            "match --quick x y --pgnout @new --epdout @newer --resume",
            "match --quick x y --pgnout /dev/null --epdout /dev/null --log /dev/null",
            "match --engine stderr=@a --engine stderr=@a --each stderr=@a",
            "match --engine name=@a --engine name=b --log @a",
            "solve --results @a --assume @a @b",
            "nnue selfplay --games 1 --out @a",
        ] {
            assert_eq!(checked(folder.path(), line), Ok(()), "{line}");
        }
        // Neither is there yet.
        let twice = checked(folder.path(), "match --quick x y --pgnout @new --plot @./new").unwrap_err();
        assert!(twice.contains("--plot") && twice.contains("--pgnout"), "{twice}");
    }
}
