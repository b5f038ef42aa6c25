//! `labrys options`: the command line and the options of the engine, for programs.

use std::any::TypeId;
use std::io::{self, Write};

use clap::builder::ValueRange;
use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

use crate::commands::shared::outputs::{is_file, is_written};
use crate::commands::shared::suggest;
use crate::commands::shared::values::{Kind, ValueError};
use crate::engine::{OptionKind, OptionSpec, registry};
use crate::learn::zero::ZeroConfig;

/// A value that every parser of numbers refuses.
const NONSENSE: &str = "\u{1}";

/// Prints the arguments of all commands and the options of the engine.
#[derive(Debug, clap::Args)]
pub(super) struct OptionsArguments {
    /// Print them as JSON, with defaults, ranges and kinds of values
    #[arg(long)]
    json: bool,
}

/// Prints the arguments of `command`, the whole command line.
pub(super) fn run(arguments: &OptionsArguments, mut command: Command) -> anyhow::Result<()> {
    command.build();
    let mut out = io::stdout();
    let commands = leaves(&command, "");
    if arguments.json {
        let commands: Map<_, _> = commands.into_iter().map(|(name, inner)| (name, describe(inner))).collect();
        let games = registry::names().into_iter();
        let games: Map<_, _> = games.map(|name| (name.to_owned(), options(name))).collect();
        let version = env!("CARGO_PKG_VERSION");
        let settings = json!({"zero": zero_settings()?});
        let all = json!({"version": version, "commands": commands, "settings": settings, "games": games});
        writeln!(out, "{all:#}")?;
        return Ok(());
    }
    for (name, inner) in commands {
        writeln!(out, "labrys {name}")?;
        for argument in arguments_of(inner) {
            writeln!(out, "  {}", row(argument))?;
        }
    }
    for name in registry::names() {
        writeln!(out, "option of {name}")?;
        for OptionSpec { name, kind, .. } in suggest::specs(name) {
            writeln!(out, "  {name}{}", range(&kind))?;
        }
    }
    Ok(())
}

/// The settings of `labrys zero` that a file leaves out.
fn zero_settings() -> anyhow::Result<Value> {
    let text = format!("variant = {:?}", registry::default_name());
    let settings = ZeroConfig::parse(text)?.settings;
    let mut all = serde_json::to_value(&settings)?;
    // Settings without influence on the result are not serialised.
    all["generations"] = settings.generations.get().into();
    Ok(all)
}

/// The leaf commands, each with its words.
fn leaves<'a>(command: &'a Command, words: &str) -> Vec<(String, &'a Command)> {
    let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    let inner: Vec<_> =
        inner.flat_map(|inner| leaves(inner, format!("{words} {}", inner.get_name()).trim())).collect();
    if inner.is_empty() { vec![(words.to_owned(), command)] } else { inner }
}

/// The arguments of a command, but `--help`.
fn arguments_of(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
}

/// A command as JSON.
fn describe(command: &Command) -> Value {
    let about = command.get_about().map(ToString::to_string);
    let arguments: Vec<_> =
        arguments_of(command).map(|argument| describe_argument(command, argument)).collect();
    json!({"about": about, "arguments": arguments})
}

/// An argument as JSON.
fn describe_argument(command: &Command, argument: &Arg) -> Value {
    let defaults: Vec<_> = argument.get_default_values().iter().map(|text| text.to_string_lossy()).collect();
    // Either of two may declare it.
    let excludes = |one: &Arg, other: &Arg| command.get_arg_conflicts_with(one).contains(&other);
    let others =
        arguments_of(command).filter(|&other| excludes(argument, other) || excludes(other, argument));
    let mut excluded: Vec<_> = others.map(name).collect();
    excluded.sort();
    let mut all = json!({
        "name": name(argument),
        "help": argument.get_help().map(ToString::to_string),
        "required": argument.is_required_set(),
        "values": argument.get_num_args().map_or([0, 0], bounds),
        "repeats": matches!(argument.get_action(), ArgAction::Append),
        "excludes": excluded,
    });
    if argument.get_action().takes_values() {
        all["value"] = argument.get_value_names().map_or(Value::Null, |names| {
            names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into()
        });
        // A default in words depends on other arguments.
        all["default"] = if defaults.is_empty() { Value::Null } else { defaults.join(" ").into() };
    }
    let Value::Object(all) = &mut all else { return all };
    all.extend(kind(argument));
    Value::Object(std::mem::take(all))
}

/// The name of an argument: its flag, or what stands in its place.
fn name(argument: &Arg) -> String {
    argument.get_long().map_or_else(
        || argument.get_value_names().and_then(<[_]>::first).map_or_else(String::new, ToString::to_string),
        |long| format!("--{long}"),
    )
}

/// How many values an argument has, at least and at most; any number is -1.
fn bounds(range: ValueRange) -> [i64; 2] {
    [range.min_values(), range.max_values()].map(|bound| i64::try_from(bound).unwrap_or(-1))
}

/// The kind of the values of an argument.
fn kind(argument: &Arg) -> Map<String, Value> {
    let parser = argument.get_value_parser();
    let suggested: Vec<_> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let is = |id: TypeId| parser.type_id() == id;
    let described = if !argument.get_action().takes_values() {
        json!({"kind": "flag"})
    } else if is_file(argument) {
        json!({"kind": "file", "written": is_written(argument)})
    } else if is(TypeId::of::<(String, String)>()) {
        json!({"kind": "option", "suggested": suggested})
    } else if is(TypeId::of::<String>()) && !suggested.is_empty() {
        json!({"kind": "text", "suggested": suggested})
    } else if !suggested.is_empty() {
        json!({"kind": "word", "words": suggested})
    } else {
        match expected(argument) {
            None => json!({"kind": "text"}),
            Some(expected) => expected,
        }
    };
    let Value::Object(described) = described else { return Map::new() };
    described
}

/// The expected form of an argument, taken from the error of its parser for an invalid value.
fn expected(argument: &Arg) -> Option<Value> {
    let mut alone = Arg::new("value").value_parser(argument.get_value_parser().clone()).num_args(1);
    alone = alone.action(ArgAction::Set).allow_hyphen_values(true);
    let error = Command::new("labrys").arg(alone).try_get_matches_from(["labrys", NONSENSE]).err()?;
    let source = std::error::Error::source(&error)?;
    let Some(refused) = source.downcast_ref::<ValueError>() else {
        let text = source.to_string();
        let expected = text.strip_prefix("expected ").unwrap_or(&text);
        return Some(json!({"kind": "text", "expected": expected}));
    };
    let to_i64 = |bound: i128| i64::try_from(bound).ok();
    let finite = |bound: f64| Some(bound).filter(|bound| bound.is_finite());
    let expected = refused.expected.to_string();
    Some(match &refused.expected {
        Kind::Whole { min, max } => json!({"kind": "whole", "min": to_i64(*min), "max": to_i64(*max)}),
        Kind::Even => json!({"kind": "even", "min": 0, "max": null}),
        Kind::Number { min, max, is_open } => {
            json!({"kind": "number", "min": finite(*min), "max": finite(*max), "above_min": is_open})
        }
        Kind::Seconds => json!({"kind": "seconds", "min": 0, "max": 1_000_000}),
        Kind::Plies => json!({"kind": "range", "expected": expected}),
        Kind::Other(_) => json!({"kind": "text", "expected": expected}),
    })
}

/// An argument as a line.
fn row(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values =
        names.iter().filter(|_| argument.get_action().takes_values() && argument.get_long().is_some());
    let values: String = values.map(|value| format!(" {value}")).collect();
    let help = argument.get_help().map_or_else(String::new, ToString::to_string);
    let defaults: Vec<_> = argument.get_default_values().iter().map(|text| text.to_string_lossy()).collect();
    let is_shown = argument.get_action().takes_values() && !defaults.concat().is_empty();
    let default = if is_shown { format!(" [default: {}]", defaults.join(" ")) } else { String::new() };
    format!("{}{values}: {help}{default}", name(argument))
}

/// The options of a game as JSON, in the words of UCI.
fn options(game: &str) -> Value {
    let each = suggest::specs(game).into_iter().map(|OptionSpec { name, kind, .. }| match kind {
        OptionKind::Check { default } => json!({"name": name, "type": "check", "default": default}),
        OptionKind::Spin { default, min, max } => {
            json!({"name": name, "type": "spin", "default": default, "min": min, "max": max})
        }
        OptionKind::Combo { default, values } => {
            json!({"name": name, "type": "combo", "default": default, "var": values})
        }
        OptionKind::Text => json!({"name": name, "type": "string", "default": ""}),
        OptionKind::Button => json!({"name": name, "type": "button"}),
    });
    each.collect()
}

/// The values of an option of the engine as text.
fn range(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => format!(": true or false [default: {default}]"),
        OptionKind::Spin { default, min, max } => format!(": {min} to {max} [default: {default}]"),
        OptionKind::Combo { default, values } => format!(": {} [default: {default}]", values.join(", ")),
        OptionKind::Text => ": text".to_owned(),
        OptionKind::Button => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of a command by name.
    fn described(words: &str) -> Map<String, Value> {
        let mut command = crate::commands::command();
        command.build();
        let all = leaves(&command, "");
        let (_, found) = all.iter().find(|(name, _)| name == words).unwrap();
        let arguments = describe(found)["arguments"].as_array().unwrap().clone();
        arguments.into_iter().map(|each| (each["name"].as_str().unwrap().to_owned(), each)).collect()
    }

    #[test]
    fn arguments_have_their_kinds_ranges_and_defaults() {
        let selfplay = described("nnue selfplay");
        for (name, key, expected) in [
            ("--games", "kind", json!("whole")),
            ("--games", "min", json!(1)),
            ("--games", "max", Value::Null),
            ("--games", "required", json!(true)),
            ("--nodes", "default", json!("1000")),
            ("--threads", "min", json!(1)),
            ("--linear", "kind", json!("flag")),
            ("--net", "kind", json!("file")),
            ("--net", "written", json!(false)),
            ("--net", "excludes", json!(["--linear", "--weights"])),
            ("--out", "written", json!(true)),
            ("--random-plies", "kind", json!("range")),
            ("--option", "kind", json!("option")),
            ("--shard", "expected", json!("a shard, I/N, with I from 1 to N")),
        ] {
            assert_eq!(selfplay[name][key], expected, "{name} {key}");
        }
        let matches = described("match");
        assert_eq!(matches["--tournament"]["words"], json!(["round-robin", "gauntlet"]));
        assert_eq!(matches["--each"]["values"], json!([1, -1]));
        assert_eq!(matches["--quick"]["values"], json!([2, 2]));
        assert_eq!(described("linear train")["--lambda"]["max"], json!(1.0));
        assert_eq!(described("games replay")["FILE"]["required"], json!(true));
    }

    #[test]
    fn every_parser_has_its_own_errors() {
        let mut command = crate::commands::command();
        command.build();
        for (words, command) in leaves(&command, "") {
            for argument in arguments_of(command).filter(|argument| argument.get_action().takes_values()) {
                let described = describe_argument(command, argument);
                let text = described["expected"].as_str().unwrap_or_default();
                let is_raw = |raw: &&&str| text.contains(**raw);
                let raw = ["invalid", "not in", "would be", "empty string"].iter().find(is_raw);
                assert_eq!(raw, None, "{words} {}: {text}", name(argument));
            }
        }
    }

    #[test]
    fn the_options_of_a_game_are_those_of_uci() {
        let amazons = options("amazons");
        let find = |name: &str| amazons.as_array().unwrap().iter().find(|each| each["name"] == name).unwrap();
        assert_eq!(find("AmazonsBoard")["type"], "combo");
        assert_eq!((&find("Hash")["type"], &find("Hash")["min"]), (&json!("spin"), &json!(1)));
    }
}
