//! `labrys tuc`: TUC-CHESS over UDP.

pub(super) mod client;
pub(super) mod server;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum TucCommand {
    /// Play a game as a client
    Client(client::TucClientArguments),
    /// Serve a game to two clients
    Server(server::TucServerArguments),
}

pub(super) fn run(command: &TucCommand) -> anyhow::Result<()> {
    match command {
        TucCommand::Client(arguments) => client::run(arguments),
        TucCommand::Server(arguments) => server::run(arguments),
    }
}
