//! `labrys zero`: policy/value nets.

pub(super) mod new;
pub(super) mod selfplay;
mod settings;
pub(super) mod train;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum ZeroCommand {
    /// Write a net with random parameters
    New(new::ZeroNewArguments),
    /// Play the games of a generation for `zero train`
    Selfplay(selfplay::ZeroSelfplayArguments),
    /// Learn a net by self-play
    Train(train::ZeroTrainArguments),
}

pub(super) fn run(command: &ZeroCommand) -> anyhow::Result<()> {
    match command {
        ZeroCommand::New(arguments) => new::run(arguments),
        ZeroCommand::Selfplay(arguments) => selfplay::run(arguments),
        ZeroCommand::Train(arguments) => train::run(arguments),
    }
}
