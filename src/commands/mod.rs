//! The command line: a module for each command and each group of commands; glue only.

/// Prints a line on standard output. `println!` would panic on a closed pipe.
macro_rules! print_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), $($text)*)
    }};
}

/// Prints a line on standard error, unless it is closed.
macro_rules! print_message {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod analyse;
mod bench;
mod completions;
mod compliance;
mod deprecated_names;
mod experiments;
mod games;
mod inspect;
mod linear;
mod lobby;
mod man;
mod r#match;
mod nnue;
mod openings;
mod options;
mod perft;
mod report;
#[cfg(feature = "web")]
mod serve;
mod shared;
mod solve;
mod spsa;
mod suite;
mod tables;
mod tuc;
mod uci;
mod verify;
mod zero;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use self::shared::typed::add_game;

use self::shared::errors::{exit, full_text, is_closed_pipe};
use self::shared::{config, errors, outputs, set_command_line, version};
use crate::arena::KeyError;
use crate::processor;

/// Labrys, a game engine for chess, Neighbours, TUC-CHESS and Amazons. Without a command it speaks UCI on
/// standard input and output; enter `help` for its commands.
#[derive(Debug, Parser)]
#[command(version = version::short(), about)]
struct LabrysArguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak UCI on standard input and output (the default), or over TCP
    Uci(uci::UciArguments),
    /// Serve the web board, a page on which to play against Labrys
    #[cfg(feature = "web")]
    Serve(serve::ServeArguments),
    /// Serve the web board, in a build with the feature `web`
    #[cfg(not(feature = "web"))]
    Serve(MissingCommand),
    /// Search the positions of played games and mark the mistakes
    Analyse(analyse::AnalyseArguments),
    /// Play TUC-CHESS over UDP
    #[command(subcommand)]
    Tuc(tuc::TucCommand),
    /// Play a match or a tournament between engines
    Match(Box<r#match::MatchArguments>),
    /// Play a tournament of agents that connect from outside
    Lobby(Box<lobby::LobbyArguments>),
    /// Find balanced openings for matches
    Openings(openings::OpeningsArguments),
    /// Check, plot and merge files of games
    #[command(subcommand)]
    Games(games::GamesCommand),
    /// Tell what played games say of their game: length, branching, draws, the first move
    Report(report::ReportArguments),
    /// Repeat the tables of the page of experiments
    #[command(subcommand)]
    Experiments(experiments::ExperimentsCommand),
    /// Search the positions of a test suite and count those that are solved
    Suite(suite::SuiteArguments),
    /// Check that an engine keeps to its protocol, UCI or xboard
    Compliance(compliance::ComplianceArguments),
    /// Check each step by which a search saves nodes, and say what it misses
    Inspect(inspect::InspectArguments),
    /// Search a fixed list of positions and print node counts and speed
    Bench(bench::BenchArguments),
    /// Count the leaf nodes of the tree of legal moves, for one position or a test suite
    Perft(perft::PerftArguments),
    /// Prove that a position is won, lost or drawn
    Solve(solve::SolveArguments),
    /// Check certificates of proofs against the rules
    Verify(verify::VerifyArguments),
    /// Build endgame tables by retrograde analysis
    Tables(tables::TablesArguments),
    /// Learn the weights of a linear evaluation
    #[command(subcommand)]
    Linear(linear::LinearCommand),
    /// Train an evaluation net on self-play games
    #[command(subcommand)]
    Nnue(nnue::NnueCommand),
    /// Train a policy/value net by self-play
    #[command(subcommand)]
    Zero(zero::ZeroCommand),
    /// Tune search constants by playing games, in a build with the feature `tuning`
    Spsa(Box<spsa::SpsaArguments>),
    /// Print the arguments of all commands and the options of the engine, as text or JSON
    Options(options::OptionsArguments),
    /// Print completions for a shell
    Completions(completions::CompletionsArguments),
    /// Write manual pages
    Man(man::ManArguments),
}

/// The commands in the sections of the help.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("Play", &["uci", "serve", "analyse", "tuc"]),
    (
        "Compare",
        &[
            "match",
            "lobby",
            "openings",
            "games",
            "report",
            "experiments",
            "suite",
            "compliance",
            "inspect",
            "bench",
            "perft",
        ],
    ),
    ("Prove", &["solve", "verify", "tables"]),
    ("Learn", &["linear", "nnue", "zero", "spsa"]),
    ("The program", &["options", "completions", "man", "help"]),
];

/// The whole command line.
fn command() -> clap::Command {
    let command = allow_negative_numbers(LabrysArguments::command());
    let template = help_template(&command);
    command.help_template(template)
}

/// Allows negative numbers as values.
fn allow_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    command.mut_subcommands(allow_negative_numbers)
}

/// Maximum width of the help, the default of clap.
const WIDEST_HELP: usize = 100;

/// The column of the descriptions of commands.
const DESCRIPTION: usize = 15;

/// The width of the help on this terminal.
fn help_width() -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).unwrap_or(WIDEST_HELP).min(WIDEST_HELP)
}

/// A command in the help, with its description wrapped.
fn help_row(name: &str, description: &str, width: usize) -> String {
    let room = width.saturating_sub(DESCRIPTION);
    let mut lines = vec![String::new()];
    for word in description.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    format!("  {name:12} {}\n", lines.join(&format!("\n{:DESCRIPTION$}", "")))
}

/// The help with the commands in their sections.
fn help_template(command: &clap::Command) -> String {
    let width = help_width();
    let row = |name: &&str| {
        let Some(command) = command.find_subcommand(name) else {
            // clap adds it last.
            return help_row(name, "Print this help, or that of a command", width);
        };
        let about = command.get_about().map_or_else(String::new, ToString::to_string);
        let inner: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        let inner = if inner.is_empty() { String::new() } else { format!(": {}", inner.join(", ")) };
        help_row(name, &format!("{about}{inner}"), width)
    };
    let section = |(title, names): &(&str, &[&str])| {
        let rows: String = names.iter().map(row).collect();
        format!("{title}:\n{rows}\n")
    };
    let sections: String = SECTIONS.iter().map(section).collect();
    format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{sections}Options:\n{{options}}")
}

/// Runs the program with the command line `arguments`, including the program name, and prints errors on
/// standard error.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    if let Some(feature) = processor::missing_feature() {
        return fail(format_args!(
            "built for a processor with {feature}, which this one lacks: use another build"
        ));
    }
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run(arguments) {
        // Who reads no more needs no message; what was left to do has not been done.
        Err(error) if is_closed_pipe(&error) => ExitCode::FAILURE,
        Err(error) => fail(format_args!("{}", full_text(&error))),
        Ok(()) => ExitCode::SUCCESS,
    }
}

fn fail(reason: fmt::Arguments) -> ExitCode {
    print_message!("labrys: {reason}");
    ExitCode::FAILURE
}

/// Runs the command line `arguments`, including the program name.
///
/// # Errors
/// Any error of the command, with its context. Invalid arguments, `--help` and `--version` end the process
/// instead.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let line: Vec<_> = arguments.into_iter().collect();
    // Start fast as an engine: there is nothing to parse.
    if line.len() <= 1 {
        return execute(LabrysArguments { command: None });
    }
    set_command_line(&line);
    let (arguments, config) = parse(line).map_err(|error| match error.downcast() {
        Ok(error) => exit(&error),
        Err(error) => error,
    })?;
    let done = execute(arguments);
    // The invalid key may come from the file.
    let is_key = |error: &anyhow::Error| error.chain().any(|cause| cause.is::<KeyError>());
    match (done, config) {
        (Err(error), Some(path)) if is_key(&error) => {
            Err(error.context(format!("config {}", path.display())))
        }
        (done, _) => done,
    }
}

/// Checks the command line `arguments`, including the program name, and the file of `--config`, as [`run`]
/// does before it executes them.
///
/// # Errors
/// What is wrong with them. `--help` and `--version` are errors, too.
pub fn check(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    parse(arguments.into_iter().collect()).map(drop)
}

/// The arguments of a command line and of the file of `--config`, and that file.
fn parse(line: Vec<OsString>) -> anyhow::Result<(LabrysArguments, Option<PathBuf>)> {
    let line = deprecated_names::replaced(line);
    check_build(&line)?;
    let mut command = command();
    if line.iter().any(|word| word == "--version") {
        command = command.long_version(version::long());
    }
    let (line, config) = config::expand(command.clone(), line)?;
    let matches = command.try_get_matches_from_mut(&line);
    let matches = matches.map_err(|error| errors::with_words(error, &line))?;
    outputs::check(&command, &matches)?;
    Ok((LabrysArguments::from_arg_matches(&matches)?, config))
}

/// Any arguments, of a command that this build lacks.
#[cfg(not(feature = "web"))]
#[derive(Debug, clap::Args)]
struct MissingCommand {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// Checks that the build has the command of a line, before its arguments are parsed. Help is always available.
fn check_build(line: &[OsString]) -> anyhow::Result<()> {
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    let is_spsa = line.get(1).is_some_and(|command| command == "spsa");
    if is_spsa && cfg!(not(feature = "tuning")) && !line.iter().any(is_help) {
        return Err(missing_command("spsa", "tuning"));
    }
    Ok(())
}

/// The error of a command that this build lacks.
fn missing_command(command: &str, feature: &str) -> anyhow::Error {
    anyhow!(
        "{command}: needs a build with the feature `{feature}`: \
         cargo build --release --features {feature}"
    )
}

fn execute(arguments: LabrysArguments) -> anyhow::Result<()> {
    match arguments.command.unwrap_or(Command::Uci(uci::UciArguments::default())) {
        Command::Uci(arguments) => uci::run(&arguments),
        #[cfg(feature = "web")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(not(feature = "web"))]
        Command::Serve(_) => Err(missing_command("serve", "web")),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Tuc(command) => tuc::run(&command),
        Command::Match(arguments) => r#match::run(*arguments),
        Command::Lobby(arguments) => lobby::run(&arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Games(command) => games::run(&command),
        Command::Report(arguments) => report::run(&arguments),
        Command::Experiments(command) => experiments::run(&command),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Compliance(arguments) => compliance::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Tables(arguments) => tables::run(&arguments),
        Command::Linear(command) => linear::run(&command),
        Command::Nnue(command) => nnue::run(&command),
        Command::Zero(command) => zero::run(&command),
        Command::Spsa(arguments) => spsa::run(&arguments),
        Command::Options(arguments) => options::run(&arguments, command()),
        Command::Completions(arguments) => Ok(completions::run(&arguments, command())?),
        Command::Man(arguments) => man::run(&arguments, command().long_version(version::long())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_section() {
        let mut listed: Vec<_> = SECTIONS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(listed.pop(), Some("help"));
        let command = LabrysArguments::command();
        assert_eq!(listed, command.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>());
    }
}
