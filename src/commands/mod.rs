//! The command line: one file per subcommand, glue only.

mod bench;
mod config;
mod openings;
mod perft;
mod plot;
mod progress;
mod replay;
mod solve;
mod tournament;
mod train;
mod tuc_client;
mod tuc_server;
mod tune;

use std::ffi::OsString;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, Subcommand};
use serde::Serialize;

use crate::arena::{Rules, RulesError, parse_option, seconds};
use crate::engine::{Engine, SideEffect, WeightsSource, registry};
use crate::eval::WeightsError;
use crate::search::Control;

/// Labrys, a game engine. Without a command it speaks its protocol, UCI style, on standard input and
/// output; type `help` there.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak the protocol (the default)
    Uci,
    /// Count paths of legal moves, in one position or in a whole suite
    Perft(perft::Arguments),
    /// Search a fixed list of positions: the signature and the speed of the search
    Bench(bench::Arguments),
    /// Play a match or a tournament between engines
    Match(Box<tournament::Arguments>),
    /// Find balanced openings for matches
    Openings(openings::Arguments),
    /// Check every move of a file of games and show how they ended
    Replay(replay::Arguments),
    /// Draw the score over the games of a file
    Plot(plot::Arguments),
    /// Fit the weights of an evaluation to the results of games
    Tune(tune::Arguments),
    /// Learn the weights of an evaluation from games of its own
    Train(Box<train::Arguments>),
    /// Prove a position won, lost or drawn
    Solve(solve::Arguments),
    /// Play TUC-CHESS over UDP, on the server of the course or ours
    TucClient(tuc_client::Arguments),
    /// Referee a game of TUC-CHESS over UDP
    TucServer(tuc_server::Arguments),
}

/// Does what the command line says.
///
/// # Errors
/// Whatever went wrong, in words for the user. An argument that is wrong, `--help` and `--version` end the
/// process instead.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let arguments = Arguments::parse_from(config::expand(arguments)?);
    match arguments.command.unwrap_or(Command::Uci) {
        Command::Uci => {
            crate::protocol::run(io::BufReader::new(io::stdin()), io::stdout()).context("protocol")
        }
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Match(arguments) => tournament::run(&arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::TucClient(arguments) => tuc_client::run(&arguments),
        Command::TucServer(arguments) => tuc_server::run(&arguments),
    }
}

/// What is played.
#[derive(Debug, clap::Args, Serialize)]
struct RulesArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned())]
    variant: String,
    /// What is chosen of the game's own option; it holds for all engines
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Option<(String, String)>,
}

impl RulesArguments {
    fn rules(&self) -> Result<Rules, RulesError> {
        Rules::new(&self.variant, self.option.clone())
    }
}

/// The control of long work, which Ctrl-C stops. It can be had once in a process.
fn interruptible() -> anyhow::Result<Arc<Control>> {
    let control = Arc::new(Control::default());
    let handle = Arc::clone(&control);
    ctrlc::set_handler(move || handle.stop()).context("cannot listen for Ctrl-C")?;
    Ok(control)
}

/// Replaces the weights of an engine by others of the same feature set.
fn set_weights_of_set(engine: &mut dyn Engine, source: &WeightsSource) -> Result<(), WeightsError> {
    let expected = engine.weights().set_name();
    match engine.set_weights(source)? {
        Some(SideEffect::FeatureSet { set: found }) => {
            Err(WeightsError::Set { found: found.to_owned(), expected: format!("`{expected}`") })
        }
        _ => Ok(()),
    }
}

/// Reads a number of plies or a range of them.
fn parse_plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok()).map(|(least, most)| least..=most);
    range.filter(|range| !range.is_empty()).ok_or("expected a number of plies, `N` or `N-M`".to_owned())
}

/// Reads a finite number, zero or more.
fn parse_non_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, zero or more".to_owned())
}

/// Reads a number from 0 to 1.
fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Reads a time in seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).ok_or_else(|| "expected seconds, from 0 to 1000000".to_owned())
}
