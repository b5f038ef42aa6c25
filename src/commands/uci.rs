//! `labrys uci`.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};

use anyhow::Context;

use crate::commands::shared::values::socket_address;
use crate::protocol;

/// Speaks UCI on standard input and output. This is the default without a command.
#[derive(Debug, Default, clap::Args)]
pub(super) struct UciArguments {
    /// Speak UCI over TCP instead, in a session of its own with each client. Without an address only clients
    /// on this machine are served
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    listen: Option<SocketAddr>,
}

pub(super) fn run(arguments: &UciArguments) -> anyhow::Result<()> {
    let Some(address) = arguments.listen else {
        return protocol::run(io::BufReader::new(io::stdin()), io::stdout()).context("protocol");
    };
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let mut out = io::stdout();
    writeln!(out, "listening on {}", listener.local_addr()?).and_then(|()| out.flush())?;
    protocol::listen(&listener)
}
