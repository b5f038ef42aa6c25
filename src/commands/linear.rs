//! `labrys linear`: the weights of linear evaluations.

pub(super) mod filter;
pub(super) mod train;
pub(super) mod tune;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum LinearCommand {
    /// Learn weights by self-play, with TD(λ) or LSTD(λ)
    Train(Box<train::LinearTrainArguments>),
    /// Fit weights to the results of games by logistic regression
    Tune(tune::LinearTuneArguments),
    /// Fit the filter of minimax selective deepening to decisions checked by `labrys inspect`
    Filter(filter::LinearFilterArguments),
}

pub(super) fn run(command: &LinearCommand) -> anyhow::Result<()> {
    match command {
        LinearCommand::Train(arguments) => train::run(arguments),
        LinearCommand::Tune(arguments) => tune::run(arguments),
        LinearCommand::Filter(arguments) => filter::run(arguments),
    }
}
