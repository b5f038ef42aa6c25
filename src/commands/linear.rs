//! `labrys linear`: the weights of linear evaluations.

pub(super) mod train;
pub(super) mod tune;

use clap::Subcommand;

/// Learns the weights of a linear evaluation.
#[derive(Debug, clap::Args)]
pub(super) struct LinearArguments {
    #[command(subcommand)]
    command: LinearCommand,
}

#[derive(Debug, Subcommand)]
enum LinearCommand {
    /// Learn weights by self-play, with TD(λ) or LSTD(λ)
    Train(Box<train::LinearTrainArguments>),
    /// Fit weights to the results of games by logistic regression
    Tune(tune::LinearTuneArguments),
}

pub(super) fn run(arguments: &LinearArguments) -> anyhow::Result<()> {
    match &arguments.command {
        LinearCommand::Train(arguments) => train::run(arguments),
        LinearCommand::Tune(arguments) => tune::run(arguments),
    }
}
