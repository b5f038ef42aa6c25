//! `labrys serve`.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};

use anyhow::Context;

use crate::web::{Config, Server};

/// Serves the web board: a page on which to play all games against Labrys.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value = "8888", value_name = "N")]
    port: u16,
    /// Address to listen on; 0.0.0.0 accepts browsers on other machines, which need the token in the address
    /// that is printed
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDR")]
    bind: IpAddr,
    /// Searches at a time; others wait for their turn [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches: Option<u16>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let listen = SocketAddr::new(arguments.bind, arguments.port);
    let config = Config { listen, searches: arguments.searches.map(usize::from) };
    let server = Server::bind(&config).with_context(|| format!("cannot listen on {listen}"))?;
    let mut out = io::stdout();
    writeln!(out, "the board is at {}", server.url()).and_then(|()| out.flush())?;
    server.run().context("the web board")
}
