//! `labrys games`: files of played games.

pub(super) mod merge;
pub(super) mod plot;
pub(super) mod replay;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum GamesCommand {
    /// Check the moves and results of the games in a PGN file
    Replay(replay::GamesReplayArguments),
    /// Plot the score over the games in a PGN file
    Plot(plot::GamesPlotArguments),
    /// Merge the results of all shards of a job
    Merge(merge::GamesMergeArguments),
}

pub(super) fn run(command: &GamesCommand) -> anyhow::Result<()> {
    match command {
        GamesCommand::Replay(arguments) => replay::run(arguments),
        GamesCommand::Plot(arguments) => plot::run(arguments),
        GamesCommand::Merge(arguments) => merge::run(arguments),
    }
}
