//! Suggested values of arguments for completions: the games, and the options of the engine.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use crate::arena::parse_option;
use crate::engine::registry;
use crate::engine::{OptionKind, OptionSpec, Settings};

/// The keys of an engine in a match, except options.
const KEYS: [&str; 15] = [
    "cmd=",
    "arg=",
    "dir=",
    "stderr=",
    "restart=",
    "tcp=",
    "proto=uci",
    "proto=xboard",
    "proto=tuc",
    "name=",
    "tc=",
    "st=",
    "depth=",
    "nodes=",
    "timeout=",
];

/// Maximum number of values of an option in completions. The usual values come first.
const MAX_VALUES: usize = 12;

/// A parser with suggested values. It accepts other values, which get a better error where they are used.
#[derive(Clone)]
struct Suggesting<P> {
    parser: P,
    words: fn() -> Vec<String>,
}

impl<P: TypedValueParser> TypedValueParser for Suggesting<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// Parses the name of a game.
pub(in crate::commands) fn game() -> impl TypedValueParser<Value = String> {
    let words = || registry::names().into_iter().map(str::to_owned).collect();
    Suggesting { parser: StringValueParser::new(), words }
}

/// Parses an option of the engine, `NAME=VALUE`.
pub(in crate::commands) fn option() -> impl TypedValueParser<Value = (String, String)> {
    Suggesting { parser: StringValueParser::new().try_map(|text| parse_option(&text)), words: options }
}

/// Parses the own option of a game, `NAME=VALUE`.
pub(in crate::commands) fn own_option() -> impl TypedValueParser<Value = (String, String)> {
    let words = || {
        let own = |name| registry::board(name).ok().and_then(|board| board.option());
        known(registry::names().into_iter().filter_map(own))
    };
    Suggesting { parser: StringValueParser::new().try_map(|text| parse_option(&text)), words }
}

/// Parses a key of an engine in a match, `KEY=VALUE`.
pub(in crate::commands) fn key() -> impl TypedValueParser<Value = String> {
    let words = || {
        let options = options().into_iter().map(|option| format!("option.{option}"));
        KEYS.into_iter().map(str::to_owned).chain(options).collect()
    };
    Suggesting { parser: StringValueParser::new(), words }
}

/// The options of all games as words.
fn options() -> Vec<String> {
    known(registry::names().into_iter().flat_map(specs))
}

/// Options as words: an option with a list of values once for each, up to [`MAX_VALUES`]. Words with spaces are
/// left out, since shells would split them.
fn known(options: impl Iterator<Item = OptionSpec>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for OptionSpec { name, kind, .. } in options {
        let values = match kind {
            OptionKind::Check { .. } => vec!["true", "false"],
            OptionKind::Combo { values, .. } => values,
            OptionKind::Spin { .. } | OptionKind::Text => vec![""],
            OptionKind::Button => Vec::new(),
        };
        let all = values.into_iter().take(MAX_VALUES).map(|value| format!("{name}={value}"));
        let new: Vec<_> = all.filter(|word| !word.contains(' ') && !words.contains(word)).collect();
        words.extend(new);
    }
    words
}

/// The options of a game.
pub(in crate::commands) fn specs(game: &str) -> Vec<OptionSpec> {
    let settings = Settings { hash: 1, ..Settings::default() };
    registry::engine(game, &settings).map(|engine| engine.options()).unwrap_or_default()
}
