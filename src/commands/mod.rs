//! The command line: one file per subcommand, glue only.

/// Prints a line on standard output. `println!` would panic where nobody reads any more.
macro_rules! print_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), $($text)*)
    }};
}

/// Prints a line on standard error, if somebody reads there.
macro_rules! print_message {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod analyse;
mod bench;
mod completions;
mod config;
mod engines;
mod games;
mod merge;
mod nnue;
mod openings;
mod outputs;
mod perft;
mod plot;
mod progress;
mod records;
mod replay;
mod selfplay;
#[cfg(feature = "web")]
mod serve;
mod solve;
mod spsa;
mod stats;
mod steps;
mod suite;
mod tables;
mod tournament;
mod train;
mod tuc_client;
mod tuc_server;
mod tune;
mod typed;
mod uci;
mod verify;
mod version;
mod words;
mod zero;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::Serialize;

pub use typed::add_game;

use crate::arena::pgn::file::{PgnFile, PgnFileError};
use crate::arena::{KeyError, Rules, RulesError, seconds};
use crate::engine::{Engine, OptionError, SideEffect, WeightsSource, registry};
use crate::eval::WeightsError;
use crate::files::Claim;
use crate::learn::nnue::games::{GamesError, GamesProblem};
use crate::processor;
use crate::search::{Control, Limits};

/// Labrys, a game engine for chess, Neighbours, TUC-CHESS and Amazons. Without a command it speaks UCI on
/// standard input and output; enter `help` for its commands.
#[derive(Debug, Parser)]
#[command(version = version::short(), about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak UCI on standard input and output (the default), or over TCP
    Uci(uci::Arguments),
    /// Count the leaf nodes of the tree of legal moves, for one position or a test suite
    Perft(perft::Arguments),
    /// Search a fixed list of positions and print node counts and speed
    Bench(bench::Arguments),
    /// Play a match or a tournament between engines
    Match(Box<tournament::Arguments>),
    /// Find balanced openings for matches
    Openings(openings::Arguments),
    /// Put the results of all shards of a job together
    Merge(merge::Arguments),
    /// Check the moves and results of the games in a PGN file
    Replay(replay::Arguments),
    /// Search the positions of played games and mark the mistakes
    Analyse(analyse::Arguments),
    /// Draw the score over the games in a PGN file as a chart
    Plot(plot::Arguments),
    /// Fit the weights of an evaluation to the results of games by logistic regression
    Tune(tune::Arguments),
    /// Tune the constants of the search over games, in a build with the feature `tuning`
    Spsa(Box<spsa::Arguments>),
    /// Learn the weights of an evaluation by self-play
    Train(Box<train::Arguments>),
    /// Play games for `nnue train`
    Selfplay(selfplay::Arguments),
    /// Check files of self-play games and count their positions
    Stats(stats::Arguments),
    /// Make and train evaluation nets
    Nnue(nnue::Arguments),
    /// Make policy/value nets
    Zero(zero::Arguments),
    /// Search the positions of a test suite and count those that are solved
    Suite(suite::Arguments),
    /// Prove that a position is won, lost or drawn
    Solve(solve::Arguments),
    /// Build endgame tables by retrograde analysis
    Tables(tables::Arguments),
    /// Check the certificates of proofs by the rules
    Verify(verify::Arguments),
    /// Serve the web board, a page on which to play against Labrys
    #[cfg(feature = "web")]
    Serve(serve::Arguments),
    /// Serve the web board, in a build with the feature `web`
    #[cfg(not(feature = "web"))]
    Serve(Lacking),
    /// Play a game of TUC-CHESS over UDP as a client
    TucClient(tuc_client::Arguments),
    /// Serve a game of TUC-CHESS over UDP to two clients
    TucServer(tuc_server::Arguments),
    /// Print completions for a shell
    Completions(completions::Completions),
    /// Write manual pages
    Man(completions::Man),
}

/// A whole program: runs the command line `arguments`, the program name included, and says on standard error
/// what went wrong.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    if let Some(feature) = processor::missing_feature() {
        return fail(format_args!(
            "built for a processor with {feature}, which this one lacks: take another build"
        ));
    }
    env_logger::init();
    match run(arguments) {
        // Whoever has read enough is no error.
        Err(error) if !is_closed_pipe(&error) => fail(format_args!("{}", in_words(&error))),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(reason: fmt::Arguments) -> ExitCode {
    print_message!("labrys: {reason}");
    ExitCode::FAILURE
}

/// Runs the command line `arguments`, the program name included.
///
/// # Errors
/// Any error of the command, with its context. Invalid arguments, `--help` and `--version` end the process
/// instead.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let line: Vec<_> = arguments.into_iter().collect();
    // Whoever starts an engine waits for it, and has no arguments to parse.
    if line.len() <= 1 {
        return execute(Arguments { command: None });
    }
    *LINE.lock().unwrap_or_else(PoisonError::into_inner) = line.clone();
    check_build(&line)?;
    let mut command = Arguments::command();
    if line.iter().any(|word| word == "--version") {
        command = command.long_version(version::long());
    }
    let (line, config) = config::expand(command.clone(), line)?;
    let matches = command.try_get_matches_from_mut(line).unwrap_or_else(|error| error.exit());
    outputs::check(&command, &matches)?;
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let done = execute(arguments);
    // A wrong key of a section may stand in the file.
    let is_key = |error: &anyhow::Error| error.chain().any(|cause| cause.is::<KeyError>());
    match (done, config) {
        (Err(error), Some(path)) if is_key(&error) => {
            Err(error.context(format!("config {}", path.display())))
        }
        (done, _) => done,
    }
}

/// The arguments of a command that this build lacks, whatever they are.
#[cfg(not(feature = "web"))]
#[derive(Debug, clap::Args)]
struct Lacking {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// Checks that the build has the command of a line, before its arguments are checked. Help is there anyway.
fn check_build(line: &[OsString]) -> anyhow::Result<()> {
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    let is_spsa = line.get(1).is_some_and(|command| command == "spsa");
    if is_spsa && cfg!(not(feature = "tuning")) && !line.iter().any(is_help) {
        return Err(lacking("spsa", "tuning"));
    }
    Ok(())
}

/// The error of a command that this build lacks.
fn lacking(command: &str, feature: &str) -> anyhow::Error {
    anyhow!(
        "{command}: it needs a build with the feature `{feature}`: \
         cargo build --release --features {feature}"
    )
}

fn execute(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command.unwrap_or(Command::Uci(uci::Arguments::default())) {
        Command::Uci(arguments) => uci::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Match(arguments) => tournament::run(*arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Spsa(arguments) => spsa::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Nnue(arguments) => nnue::run(&arguments),
        Command::Zero(arguments) => zero::run(&arguments),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Tables(arguments) => tables::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        #[cfg(feature = "web")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(not(feature = "web"))]
        Command::Serve(_) => Err(lacking("serve", "web")),
        Command::TucClient(arguments) => tuc_client::run(&arguments),
        Command::TucServer(arguments) => tuc_server::run(&arguments),
        Command::Completions(arguments) => Ok(completions::print(&arguments, Arguments::command())?),
        Command::Man(arguments) => {
            completions::write_pages(&arguments, Arguments::command().long_version(version::long()))
        }
    }
}

/// Whether an error is that nobody reads the output any more.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut errors = error.chain().filter_map(|cause| match cause.downcast_ref() {
        // It says the whole problem itself, so that there is no cause behind it.
        Some(GamesError { problem: GamesProblem::Io(error), .. }) => Some(error),
        _ => cause.downcast_ref::<io::Error>(),
    });
    errors.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// An error with its causes. Some errors say their cause themselves: it is not said twice.
fn in_words(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.ends_with(&cause) => said,
        cause if said.is_empty() => cause,
        cause => format!("{said}: {cause}"),
    })
}

/// The game and its own option.
#[derive(Debug, clap::Args, Serialize)]
struct RulesArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = words::game())]
    variant: String,
    /// Set the game's own option, for all engines
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = words::own_option())]
    option: Option<(String, String)>,
}

impl RulesArguments {
    fn rules(&self) -> Result<Rules, RulesError> {
        Rules::new(&self.variant, self.option.clone())
    }
}

/// A game and a position of it.
#[derive(Debug, clap::Args)]
struct PositionArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = words::game())]
    variant: String,
    /// The position in FEN [default: the start position]
    #[arg(long)]
    fen: Option<String>,
}

/// The limits of each search, at least one of them.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct LimitArguments {
    /// Seconds for each search
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    movetime: Option<Duration>,
    /// Nodes for each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies for each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: Option<u32>,
}

impl LimitArguments {
    fn limits(&self) -> Limits {
        let LimitArguments { movetime, nodes, depth } = *self;
        Limits { movetime, nodes, depth, ..Limits::none() }
    }
}

/// The number of threads asked for, or as many as the machine has.
fn threads(asked: Option<impl Into<usize>>) -> usize {
    asked.map_or_else(cores, Into::into)
}

/// The cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The command line that runs, the program name included: that of the process may be another program's.
static LINE: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// The words of the command line that runs, without the program name.
fn command_line() -> Vec<String> {
    let line = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The control that Ctrl-C stops; none before the first command that has one.
static INTERRUPTIBLE: Mutex<Option<Arc<Control>>> = Mutex::new(None);

/// A control that Ctrl-C stops, in place of those before.
fn interruptible() -> anyhow::Result<Arc<Control>> {
    let control = Arc::new(Control::default());
    let current = || INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = current().replace(Arc::clone(&control));
    if before.is_none() {
        let stop = move || current().iter().for_each(|control| control.stop());
        ctrlc::set_handler(stop).context("cannot install the Ctrl-C handler")?;
    }
    Ok(control)
}

/// Creates a PGN file. Where there is one, `hint` says how to go on with it.
fn create_pgn(path: &Path, hint: &'static str) -> anyhow::Result<PgnFile> {
    PgnFile::create(path).map_err(|error| match error {
        PgnFileError::Exists { .. } => anyhow::Error::new(error).context(hint),
        error => error.into(),
    })
}

/// The right to write a file, before the work whose result it is to have.
fn claim(path: &Path) -> anyhow::Result<Claim> {
    Claim::file(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Sets options of an engine. What else has changed is logged.
fn set_options(engine: &mut dyn Engine, options: &[(String, String)]) -> Result<(), OptionError> {
    for (name, value) in options {
        for side_effect in engine.set_option(name, value)? {
            log::warn!("--option {name}: {side_effect}");
        }
    }
    Ok(())
}

/// Sets the weights of an engine, which have to be of its feature set.
fn set_weights_of_set(engine: &mut dyn Engine, source: &WeightsSource) -> Result<(), WeightsError> {
    let expected = engine.weights().set_name();
    for side_effect in engine.set_weights(source)? {
        if let SideEffect::FeatureSet { set: found } = side_effect {
            return Err(WeightsError::Set { found: found.to_owned(), expected: format!("`{expected}`") });
        }
    }
    Ok(())
}

/// The most plies of a random opening: no game needs more, and some would never end.
const LONGEST_OPENING: usize = 1000;

/// Parses a number of plies, `N`, or a range, `N-M`.
fn parse_plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok()).map(|(least, most)| least..=most);
    let range = range.filter(|range| !range.is_empty() && *range.end() <= LONGEST_OPENING);
    range.ok_or_else(|| format!("expected a number of plies, `N` or `N-M`, up to {LONGEST_OPENING}"))
}

/// Parses an even number.
fn parse_even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2));
    number.ok_or_else(|| "expected an even number".to_owned())
}

/// Parses a finite number, zero or more.
fn parse_non_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, zero or more".to_owned())
}

/// Parses a number from 0 to 1.
fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Parses a time in seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).ok_or_else(|| "expected seconds, from 0 to 1000000".to_owned())
}
