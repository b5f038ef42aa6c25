//! `--config FILE` adds the arguments in the file: `games = 400` is `--games 400`, `json = true` is `--json`,
//! a table `[sprt]` with `elo0 = 0` is `--sprt elo0=0`, each `[[engine]]` is an `--engine`, and `rival =
//! ["ones", "random"]` is `--rival ones --rival random`. The result is parsed as a command line, so both have
//! the same names, ranges and errors.
//!
//! An argument on the command line replaces that argument of the file altogether, and those of the file that
//! it excludes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::{Table, Value};

use crate::commands::shared::errors;
use crate::game::quote;
use labrys_support::settings;

/// Appends the arguments of the file of `--config` that are not on the command line. Returns the line and the
/// path of the file, if there is one.
///
/// # Errors
/// The file cannot be read, or has a key or a value that the command does not take.
///
/// `command` parses the command line a first time, to tell arguments from values. An error in the line itself
/// stays in the result, before the arguments of the file.
pub(in crate::commands) fn expand(command: Command, mut line: Vec<OsString>) -> anyhow::Result<Expanded> {
    let (strict, mut command) = (command.clone(), command.ignore_errors(true));
    // The remaining errors are requests for help.
    let Ok(matches) = command.try_get_matches_from_mut(&line) else { return Ok((line, None)) };
    let (mut command, mut matches) = (&command, &matches);
    let mut words: Vec<OsString> = line.first().cloned().into_iter().collect();
    while let Some((name, inner)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else { return Ok((line, None)) };
        words.push(name.into());
        (command, matches) = (subcommand, inner);
    }
    let Ok(Some(path)) = matches.try_get_one::<PathBuf>("config") else { return Ok((line, None)) };
    let file = || format!("config {}", path.display());
    for (name, value) in read(path).with_context(file)? {
        let argument = command.get_arguments().find(|argument| argument.get_long() == Some(name.as_str()));
        let Some(argument) = argument else {
            let known = command.get_arguments().filter_map(Arg::get_long);
            let known: Vec<_> = known.filter(|name| !["config", "help"].contains(name)).collect();
            bail!("{}: unknown key {}, expected one of: {}", file(), quote(&name), known.join(", "));
        };
        let given: Vec<_> = self::words(&name, &value, min_values(argument)).with_context(file)?;
        let given = given.into_iter().map(OsString::from);
        check(&strict, words.iter().cloned().chain(given.clone())).map_err(|problem| {
            match problem.starts_with(&name) {
                true => anyhow!("{}: {problem}", file()),
                // The error of an extra value does not name the argument.
                false => anyhow!("{}: {name}: {problem}", file()),
            }
        })?;
        if !is_replaced(argument, command, matches) {
            line.extend(given);
        }
    }
    let path = path.clone();
    Ok((line, Some(path)))
}

/// A command line, and the file that its last arguments come from.
pub(in crate::commands) type Expanded = (Vec<OsString>, Option<PathBuf>);

/// Checks the value of the only argument in a line.
///
/// # Errors
/// The error of the value. Other arguments may be missing.
fn check(command: &Command, line: impl Iterator<Item = OsString>) -> Result<(), String> {
    let Err(error) = command.clone().try_get_matches_from(line) else { return Ok(()) };
    let of_value = [
        ErrorKind::InvalidValue,
        ErrorKind::ValueValidation,
        ErrorKind::TooManyValues,
        ErrorKind::TooFewValues,
        ErrorKind::WrongNumberOfValues,
        ErrorKind::UnknownArgument,
        ErrorKind::NoEquals,
        ErrorKind::InvalidUtf8,
    ];
    if !of_value.contains(&error.kind()) {
        return Ok(());
    }
    // A key of the file has no hyphens before it.
    Err(errors::of_line(&error).trim_start_matches("--").to_owned())
}

/// Whether the command line has the argument, or one that conflicts with it.
fn is_replaced(argument: &Arg, command: &Command, matches: &ArgMatches) -> bool {
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|conflict| conflict.get_id() == other.get_id())
    };
    command
        .get_arguments()
        .filter(|given| matches.value_source(given.get_id().as_str()) == Some(ValueSource::CommandLine))
        .any(|given| given == argument || excludes(given, argument) || excludes(argument, given))
}

/// The arguments in a file: the name of each with its value.
fn read(path: &Path) -> anyhow::Result<Table> {
    let text = settings::read(path)?;
    text.parse().map_err(|error| anyhow!("{}", settings::problem(&text, &error)))
}

/// The minimum number of values of an argument.
fn min_values(argument: &Arg) -> usize {
    let takes_values = argument.get_action().takes_values();
    let min = argument.get_num_args().map_or(1, |range| range.min_values());
    if takes_values { min } else { 0 }
}

/// An argument as words of a command line. It takes at least `min` values; several belong to one occurrence.
fn words(name: &str, value: &Value, min: usize) -> anyhow::Result<Vec<String>> {
    if name == "config" {
        bail!("`config` is not allowed in a configuration file");
    }
    let (flag, mut words) = (format!("--{name}"), Vec::new());
    match value {
        Value::Boolean(true) if min == 0 => words.push(flag),
        Value::Boolean(false) if min == 0 => {}
        Value::Table(table) => add_section(&mut words, flag, table)?,
        Value::Array(values) if min > 1 && values.iter().all(|value| !value.is_table()) => {
            words.push(flag);
            words.extend(values.iter().map(|value| scalar(name, value)).collect::<anyhow::Result<Vec<_>>>()?);
        }
        Value::Array(values) => {
            for value in values {
                match value {
                    Value::Table(table) => add_section(&mut words, flag.clone(), table)?,
                    value => words.push(format!("{flag}={}", scalar(name, value)?)),
                }
            }
        }
        // As one word, since a value may start with a hyphen.
        value => words.push(format!("{flag}={}", scalar(name, value)?)),
    }
    Ok(words)
}

/// A table as `--flag key=value …`.
fn add_section(words: &mut Vec<String>, flag: String, table: &Table) -> anyhow::Result<()> {
    if !table.is_empty() {
        words.push(flag);
        add_pairs(words, "", table)?;
    }
    Ok(())
}

fn add_pairs(words: &mut Vec<String>, prefix: &str, table: &Table) -> anyhow::Result<()> {
    for (key, value) in table {
        let key = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => add_pairs(words, &format!("{key}."), inner)?,
            Value::Array(values) => {
                for value in values {
                    words.push(format!("{key}={}", scalar(&key, value)?));
                }
            }
            value => words.push(format!("{key}={}", scalar(&key, value)?)),
        }
    }
    Ok(())
}

fn scalar(name: &str, value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        other => bail!("`{name}`: unexpected {}", other.type_str()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use clap::{ArgAction, arg};

    use crate::commands::shared::values::whole;

    /// A command line with `--config` and the given text in the file, after `expand`.
    fn expanded(text: &str, line: &str) -> anyhow::Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.toml");
        std::fs::write(&path, text).unwrap();
        let keys = |argument: Arg| argument.num_args(1..).action(ArgAction::Append);
        let config = arg!(--config <FILE>).value_parser(clap::value_parser!(PathBuf));
        let command = Command::new("labrys").subcommand(Command::new("match").args([
            config,
            arg!(--games <N>).value_parser(whole::<u64>(..)).conflicts_with("rounds"),
            arg!(--rounds <N>),
            arg!(--seed <N>).default_value("1"),
            arg!(--json),
            arg!(--resume),
            arg!(--openings <FILE>),
            keys(arg!(--engine <KEY>)),
            keys(arg!(--sprt <KEY>)),
            arg!(--rival <WHO>).action(ArgAction::Append),
            arg!(--quick <A>).num_args(2),
            arg!(--affinity <CPUS>).num_args(0..=1),
        ]));
        let line = line.split(' ').map(|word| match word {
            "FILE" => path.clone().into_os_string(),
            word => word.replace("FILE", path.to_str().unwrap()).into(),
        });
        let line: Vec<_> = line.collect();
        let written = line.len();
        let (words, _) = expand(command, line)?;
        Ok(words.into_iter().skip(written).map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn a_file_adds_its_arguments() {
        let text = "games = 4\njson = true\nresume = false\nopenings = \"a b.epd\"\nrival = [\"x\", \"y\"]\n\
                    [sprt]\nelo0 = -1.5\nelo1 = 3\n\
                    [[engine]]\nname = \"a\"\narg = [\"x\", \"y\"]\noption.Hash = 8\n\
                    [[engine]]\n\"option.Move Overhead\" = 0\n";
        for line in ["labrys match --config FILE --seed 3", "labrys match --config=FILE"] {
            let expanded = expanded(text, line).unwrap();
            assert_eq!(expanded.iter().filter(|&word| word == "--engine").count(), 2);
            for word in [
                "--games=4",
                "--json",
                "--openings=a b.epd",
                "--rival=x",
                "--rival=y",
                "elo0=-1.5",
                "arg=y",
                "option.Hash=8",
                "option.Move Overhead=0",
            ] {
                assert!(expanded.iter().any(|found| found == word), "{word}: {expanded:?}");
            }
            assert!(!expanded.iter().any(|word| word == "--resume"));
        }
    }

    #[test]
    fn arguments_of_any_number_of_values_are_read() {
        for (text, words) in [
            ("quick = [\"a\", \"b\"]", &["--quick", "a", "b"][..]),
            ("affinity = true", &["--affinity"]),
            ("affinity = false", &[]),
            ("affinity = \"0-3\"", &["--affinity=0-3"]),
        ] {
            assert_eq!(expanded(text, "labrys match --config FILE").unwrap(), words, "{text}");
        }
        for text in ["quick = \"a\"", "quick = [\"a\"]", "quick = [\"a\", \"b\", \"c\"]", "quick = true"] {
            let error = expanded(text, "labrys match --config FILE").unwrap_err().to_string();
            assert!(error.contains("match.toml: quick: "), "{text}: {error}");
        }
    }

    #[test]
    fn the_command_line_wins() {
        let text = "games = 4\njson = true\nrival = [\"x\", \"y\"]\nseed = 7\n[sprt]\nelo0 = 0\nelo1 = 3\n\
                    [[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\n";
        let names = |line: &str| {
            let mut names = expanded(text, &format!("labrys match {line}")).unwrap();
            names.retain(|word| word.starts_with("--"));
            names.iter().map(|word| word[2..].split('=').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let all = ["engine", "engine", "games", "json", "rival", "rival", "seed", "sprt"];
        assert_eq!(names("--config FILE"), all);
        for (line, replaced) in [
            ("--games 6 --config FILE", "games"),
            ("--config=FILE --games=6", "games"),
            // Excluded by it, though only `games` declares that.
            ("--config FILE --rounds 3", "games"),
            ("--json --config FILE", "json"),
            ("--config FILE --rival z", "rival"),
            ("--sprt elo0=1 --config FILE", "sprt"),
            ("--config FILE --engine name=c", "engine"),
            ("--seed 1 --config FILE", "seed"),
        ] {
            assert_eq!(names(line), all.into_iter().filter(|&name| name != replaced).collect::<Vec<_>>());
        }
        // A value is not an argument, and where the line has an error the file does not hide it.
        assert_eq!(names("--config FILE --engine games seed=2 arg=--json"), all[2..]);
        assert!(names("--nonsense --config FILE").is_empty());
        assert!(expanded(text, "labrys FILE").unwrap().is_empty());
        assert!(expanded(text, "labrys match --config FILE --help").unwrap().is_empty());
    }

    #[test]
    fn errors_in_a_file_name_the_problem() {
        for (text, message) in [
            ("games = ", "line 1"),
            ("engine = [[1]]", "`engine`: unexpected array"),
            ("seed = 2026-11-21", "`seed`: unexpected datetime"),
            ("config = \"x\"", "`config` is not allowed"),
            ("gamez = 3", "unknown key `gamez`, expected one of: games, rounds, seed, json"),
            ("[match]\ngames = 3", "unknown key `match`"),
            ("\"games \" = 3", "unknown key `games `"),
            ("games = \"x\"", "games `x`: expected a whole number, 0 or more"),
            ("games = true", "games `true`: "),
            ("[games]\nx = 1", "games `x=1`: "),
            ("json = 3", "json `3`: unexpected value"),
        ] {
            let error = format!("{:#}", expanded(text, "labrys match --config FILE").unwrap_err());
            assert!(error.contains("match.toml") && error.contains(message), "{error}");
        }
        let error = format!("{:#}", expanded("", "labrys match --config /no/file").unwrap_err());
        assert!(error.contains("config /no/file: "), "{error}");
    }
}
