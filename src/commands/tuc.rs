//! `labrys tuc`: TUC-CHESS over UDP.

pub(super) mod client;
pub(super) mod server;

use clap::Subcommand;

/// Plays TUC-CHESS over UDP.
#[derive(Debug, clap::Args)]
pub(super) struct TucArguments {
    #[command(subcommand)]
    command: TucCommand,
}

#[derive(Debug, Subcommand)]
enum TucCommand {
    /// Play a game as a client
    Client(client::TucClientArguments),
    /// Serve a game to two clients
    Server(server::TucServerArguments),
}

pub(super) fn run(arguments: &TucArguments) -> anyhow::Result<()> {
    match &arguments.command {
        TucCommand::Client(arguments) => client::run(arguments),
        TucCommand::Server(arguments) => server::run(arguments),
    }
}
