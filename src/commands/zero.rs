//! `labrys zero`: policy/value nets.

mod new;
mod train;

use clap::Subcommand;

/// Makes policy/value nets.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a net with random parameters
    New(new::Arguments),
    /// Learn a net by self-play
    Train(train::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments),
        Command::Train(arguments) => train::run(arguments),
    }
}
