//! The command line: one file per subcommand, glue only.

mod bench;
mod perft;

use std::io;

use anyhow::Context;
use clap::{Parser, Subcommand};

/// Labrys, a game engine. Without a command it speaks its protocol, UCI style, on standard input and
/// output; type `help` there.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Arguments {
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
}

/// Does what the command line says.
///
/// # Errors
/// Whatever went wrong, in words for the user.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command.unwrap_or(Command::Uci) {
        Command::Uci => {
            crate::protocol::run(io::BufReader::new(io::stdin()), io::stdout()).context("protocol")
        }
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
