//! `labrys games`: files of games that have been played.

pub(super) mod merge;
pub(super) mod plot;
pub(super) mod replay;

use clap::Subcommand;

/// Checks, draws and merges files of games.
#[derive(Debug, clap::Args)]
pub(super) struct GamesArguments {
    #[command(subcommand)]
    command: GamesCommand,
}

#[derive(Debug, Subcommand)]
enum GamesCommand {
    /// Check the moves and results of the games in a PGN file
    Replay(replay::GamesReplayArguments),
    /// Draw the score over the games in a PGN file as a chart
    Plot(plot::GamesPlotArguments),
    /// Put the results of all shards of a job together
    Merge(merge::GamesMergeArguments),
}

pub(super) fn run(arguments: &GamesArguments) -> anyhow::Result<()> {
    match &arguments.command {
        GamesCommand::Replay(arguments) => replay::run(arguments),
        GamesCommand::Plot(arguments) => plot::run(arguments),
        GamesCommand::Merge(arguments) => merge::run(arguments),
    }
}
