//! `labrys zero`: policy/value nets.

pub(super) mod new;
pub(super) mod selfplay;
mod settings;
pub(super) mod train;

use clap::Subcommand;

/// Makes policy/value nets.
#[derive(Debug, clap::Args)]
pub(super) struct ZeroArguments {
    #[command(subcommand)]
    command: ZeroCommand,
}

#[derive(Debug, Subcommand)]
enum ZeroCommand {
    /// Write a net with random parameters
    New(new::ZeroNewArguments),
    /// Play the games of a generation for `zero train`
    Selfplay(selfplay::ZeroSelfplayArguments),
    /// Learn a net by self-play
    Train(train::ZeroTrainArguments),
}

pub(super) fn run(arguments: &ZeroArguments) -> anyhow::Result<()> {
    match &arguments.command {
        ZeroCommand::New(arguments) => new::run(arguments),
        ZeroCommand::Selfplay(arguments) => selfplay::run(arguments),
        ZeroCommand::Train(arguments) => train::run(arguments),
    }
}
