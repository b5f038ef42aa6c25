//! `labrys uci`.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::Context;

use crate::protocol;

/// Speaks UCI on standard input and output. This is the default without a command.
#[derive(Debug, Default, clap::Args)]
pub(super) struct UciArguments {
    /// Speak UCI over TCP instead, in a session of its own with each client. Without an address only clients
    /// on this machine are served
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = parse_address)]
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

/// Parses a port of this machine, or an address with a port.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.parse().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let address = port.or_else(|_| text.parse::<SocketAddr>());
    address.map_err(|_| "expected a port, or an address with a port, as in `127.0.0.1:3000`".to_owned())
}
