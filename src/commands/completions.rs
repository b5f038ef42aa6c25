//! `labrys completions`.

use std::io::{self, Write};

use clap::{Arg, Command};
use clap_complete::Shell;

/// The name of the program.
const NAME: &str = "labrys";

/// Prints completions of the command line for a shell.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Prints completions of a command line.
pub(super) fn run(arguments: &CompletionsArguments, mut command: Command) -> io::Result<()> {
    // The crate panics if it cannot write.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, NAME, &mut text);
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    io::stdout().write_all(with_values(arguments.shell, &command, &text).as_bytes())
}

/// Adds completions that the crate lacks: values of arguments for elvish and PowerShell, and for bash words
/// split at `=` and arguments with several values.
fn with_values(shell: Shell, command: &Command, text: &str) -> String {
    let values = values(command, NAME);
    let lists = lists(command);
    let quoted = |words: &[String]| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>();
    match shell {
        Shell::Bash => {
            // The generated functions are wrapped.
            let (functions, end) = text.rsplit_once("\n}\n").unwrap_or((text, ""));
            let end = end.replace("complete -F _labrys ", "complete -F _labrys_by_words ");
            let values = include_str!("completions/values.bash").replace("@LISTS@", &lists.join(" "));
            format!("{functions}\n}}\n{values}{end}")
        }
        Shell::Elvish => {
            let row = |(key, words): &(String, Vec<String>)| {
                format!("    &'{key}'= [{}]\n", quoted(words).join(" "))
            };
            let rows: String = values.iter().map(row).collect();
            let script = include_str!("completions/values.elv").replace("@VALUES@", &rows);
            format!("{text}{}", script.replace("@LISTS@", &quoted(&lists).join(" ")))
        }
        Shell::PowerShell => {
            let row = |(key, words): &(String, Vec<String>)| {
                format!("    '{key}' = @({})\n", quoted(words).join(", "))
            };
            let rows: String = values.iter().map(row).collect();
            let flags = "Register-ArgumentCompleter -Native -CommandName 'labrys' -ScriptBlock {";
            let text = text.replace(flags, "$labrysFlags = {");
            let script = include_str!("completions/values.ps1").replace("@VALUES@", &rows);
            format!("{text}{}", script.replace("@LISTS@", &quoted(&lists).join(", ")))
        }
        _ => text.to_owned(),
    }
}

/// The arguments of all commands with known values, each with the words of its command.
fn values(command: &Command, words: &str) -> Vec<(String, Vec<String>)> {
    let own = command.get_arguments().filter(|argument| argument.get_action().takes_values());
    let own = own.map(|argument| {
        let known = argument.get_possible_values().into_iter().map(|value| value.get_name().to_owned());
        let flag = argument.get_long().map_or(String::new(), |long| format!("--{long}"));
        (format!("{words};{flag}"), known.collect::<Vec<_>>())
    });
    let inner =
        command.get_subcommands().flat_map(|inner| values(inner, &format!("{words};{}", inner.get_name())));
    own.filter(|(_, known)| !known.is_empty()).chain(inner).collect()
}

/// The arguments that take any number of values.
fn lists(command: &Command) -> Vec<String> {
    let is_list = |argument: &&Arg| argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let own = command.get_arguments().filter(is_list).filter_map(Arg::get_long);
    let own = own.map(|long| format!("--{long}"));
    let mut all: Vec<_> = own.chain(command.get_subcommands().flat_map(lists)).collect();
    all.sort();
    all.dedup();
    all
}
