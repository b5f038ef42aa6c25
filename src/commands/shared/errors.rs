//! Error messages in one style: `--flag VALUE: expected …`.

use std::error::Error as _;
use std::ffi::OsString;
use std::io;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::game::{counted, quote};
use crate::learn::nnue::games::{GamesError, GamesProblem};

/// The exit status of an invalid command line.
const USAGE: i32 = 2;

/// Ends the process for an invalid command line, or a request for help. Returns the error of help that cannot be
/// printed.
pub(in crate::commands) fn exit(error: &Error) -> anyhow::Error {
    let is_help = [
        ErrorKind::DisplayHelp,
        ErrorKind::DisplayVersion,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ];
    if is_help.contains(&error.kind()) {
        match error.print() {
            Ok(()) => std::process::exit(error.exit_code()),
            Err(problem) => return problem.into(),
        }
    }
    print_message!("labrys: {}", of_line(error));
    std::process::exit(USAGE);
}

/// Adds the words that are not UTF-8 to the error of one of them, which does not name it.
pub(in crate::commands) fn with_words(mut error: Error, line: &[OsString]) -> Error {
    if error.kind() == ErrorKind::InvalidUtf8 {
        let before = line.iter().map(|word| word.to_str().filter(|word| word.starts_with('-')));
        let words =
            line.iter().zip([None].into_iter().chain(before)).filter(|(word, _)| word.to_str().is_none());
        let words = words.map(|(word, flag)| {
            let flag = flag.map_or_else(String::new, |flag| format!("{flag} "));
            flag + &quote(&word.to_string_lossy())
        });
        error.insert(ContextKind::InvalidValue, ContextValue::Strings(words.collect()));
    }
    error
}

/// The text of a command line error.
pub(in crate::commands) fn of_line(error: &Error) -> String {
    let argument =
        || texts(error, ContextKind::InvalidArg).first().map_or_else(String::new, |text| flag(text));
    let found =
        || texts(error, ContextKind::InvalidValue).first().map_or_else(String::new, |text| quote(text));
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        _ => 0,
    };
    match error.kind() {
        ErrorKind::InvalidValue if texts(error, ContextKind::InvalidValue).concat().is_empty() => {
            let usage =
                texts(error, ContextKind::InvalidArg).first().map_or_else(String::new, |text| plain(text));
            format!("{}: expected a value, as in `{usage}`", argument())
        }
        ErrorKind::InvalidValue => {
            let known = texts(error, ContextKind::ValidValue).join(", ");
            format!("{} {}: expected one of: {known}", argument(), found())
        }
        ErrorKind::ValueValidation => {
            let reason = error.source().map_or_else(|| "cannot be read".to_owned(), ToString::to_string);
            format!("{} {}: {reason}", argument(), found())
        }
        ErrorKind::UnknownArgument => {
            let word = texts(error, ContextKind::InvalidArg).concat();
            let what = if word.starts_with('-') { "unknown argument" } else { "unexpected" };
            format!("{what} {}{}", quote(&word), hint(error, ContextKind::SuggestedArg))
        }
        ErrorKind::InvalidSubcommand => {
            let word = texts(error, ContextKind::InvalidSubcommand).concat();
            format!("unknown command {}{}", quote(&word), hint(error, ContextKind::SuggestedSubcommand))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<_> =
                texts(error, ContextKind::InvalidArg).iter().map(|text| plain(text)).collect();
            format!("missing {}", missing.join(", "))
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<_> = texts(error, ContextKind::PriorArg).iter().map(|text| flag(text)).collect();
            match &others[..] {
                [other] if *other == argument() => format!("{other}: given twice"),
                [] => format!("{}: not with other arguments", argument()),
                others => format!("{}: not with {}", argument(), others.join(", ")),
            }
        }
        ErrorKind::TooManyValues => format!("{} {}: unexpected value", argument(), found()),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            let is_exact = error.kind() == ErrorKind::WrongNumberOfValues;
            let expected = if is_exact { ContextKind::ExpectedNumValues } else { ContextKind::MinValues };
            let (expected, actual) = (number(expected), number(ContextKind::ActualNumValues));
            let or_more = if is_exact { "" } else { " or more" };
            format!("{}: expected {}{or_more}, found {actual}", argument(), counted(expected, "value"))
        }
        ErrorKind::InvalidUtf8 => {
            format!("{}: not UTF-8", texts(error, ContextKind::InvalidValue).join(" or "))
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    }
}

/// The texts that come with an error.
fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// A suggestion, if anything is similar.
fn hint(error: &Error, kind: ContextKind) -> String {
    let alike: Vec<_> = texts(error, kind).iter().map(|text| quote(&flag(text))).collect();
    if alike.is_empty() { String::new() } else { format!(", did you mean {}?", alike.join(" or ")) }
}

/// The name of an argument from its usage, as in `--games <N>` or `<FILE>...`.
fn flag(usage: &str) -> String {
    plain(usage).split([' ', '=']).next().unwrap_or_default().trim_end_matches("...").to_owned()
}

/// A usage without its brackets; a group as alternatives.
fn plain(usage: &str) -> String {
    let group = usage.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
    match group.filter(|inner| inner.contains("|--")) {
        Some(inner) => {
            let each: Vec<_> = inner.split('|').map(plain).collect();
            let (last, first) = each.split_last().map_or(("", &[][..]), |(last, first)| (last, first));
            format!("{} or {last}", first.join(", "))
        }
        None => usage.replace(['<', '>'], ""),
    }
}

/// Whether an error is a closed pipe.
pub(in crate::commands) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut errors = error.chain().filter_map(|cause| match cause.downcast_ref() {
        // Its cause is not in the chain.
        Some(GamesError { problem: GamesProblem::Io(error), .. }) => Some(error),
        _ => cause.downcast_ref::<io::Error>(),
    });
    errors.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The text of an error with its causes, without repetitions.
pub(in crate::commands) fn full_text(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.ends_with(&cause) => said,
        cause if said.is_empty() => cause,
        cause => format!("{said}: {cause}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a line.
    fn said(line: &str) -> String {
        let words = std::iter::once("labrys").chain(line.split(' '));
        of_line(&crate::commands::command().try_get_matches_from(words).unwrap_err())
    }

    #[test]
    fn command_line_errors_have_one_style() {
        for (line, expected) in [
            ("nnue selfplay --games 0", "--games `0`: expected a whole number, 1 or more"),
            ("nnue selfplay --seed -1", "--seed `-1`: expected a whole number, 0 or more"),
            ("nnue selfplay --threads 0", "--threads `0`: expected a whole number, 1 or more"),
            (
                "nnue selfplay --random-plies x",
                "--random-plies `x`: expected a number of plies, `N` or `N-M`, up to 1000",
            ),
            ("nnue selfplay --shard 3/2", "--shard `3/2`: expected a shard, I/N, with I from 1 to N"),
            ("nnue selfplay --games --seed", "--games: expected a value, as in `--games GAMES`"),
            ("nnue selfplay --games 1 --games 2 --out x", "--games: given twice"),
            ("nnue selfplay --games 1", "missing --out FILE"),
            ("nnue selfplay", "missing --games GAMES, --out FILE"),
            ("analyse x", "missing --movetime S, --nodes N or --depth N"),
            ("games replay", "missing FILE"),
            ("games replay a b", "unexpected `b`"),
            ("match --quick x", "--quick: expected 2 values, found 1"),
            ("match --json=3", "--json `3`: unexpected value"),
            ("match --gmaes 3", "unknown argument `--gmaes`, did you mean `--games`?"),
            ("match --games 2 --rounds 1", "--games: not with --rounds"),
            ("match --tournament x", "--tournament `x`: expected one of: round-robin, gauntlet"),
            ("linear train --discount -0.1", "--discount `-0.1`: expected a number from 0 to 1"),
            ("tuc server --port 65536", "--port `65536`: expected a whole number from 0 to 65535"),
            ("tuc server --bind x", "--bind `x`: expected an IP address, as in `127.0.0.1`"),
            ("tuc server --move-time x", "--move-time `x`: expected seconds, from 0 to 1000000"),
            ("spsa --r-end 0", "--r-end `0`: expected a number above 0"),
            ("solve --option x", "--option `x`: expected `NAME=VALUE`"),
            ("completions ksh", "SHELL `ksh`: expected one of: bash, elvish, fish, powershell, zsh"),
            ("mtach", "unknown command `mtach`, did you mean `match`?"),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
    }
}
