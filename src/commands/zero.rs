//! `labrys zero`: policy/value nets.

pub(super) mod new;
pub(super) mod selfplay;
mod settings;
pub(super) mod train;

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
    /// Play the games of a generation for `zero train`
    Selfplay(selfplay::Arguments),
    /// Learn a net by self-play
    Train(train::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments),
        Command::Selfplay(arguments) => selfplay::run(arguments),
        Command::Train(arguments) => train::run(arguments),
    }
}
