//! `labrys tuc-client`.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;

use anyhow::Context;
use clap::value_parser;

use crate::arena::parse_option;
use crate::engine::{Settings, registry};
use crate::protocol::tuc::VARIANT;
use crate::protocol::tuc::client::{ClientSettings, play};

/// Plays one game of TUC-CHESS on the server of the course, or on `labrys tuc-server`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Where the server is
    #[arg(long, value_name = "HOST:PORT")]
    server: String,
    /// The name to play under
    #[arg(long)]
    name: String,
    /// Milliseconds for a move, of which the option `Move Overhead` is kept back
    #[arg(long, default_value_t = 5000, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes for a move, as far as the time allows
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seconds after which a silent server is given up
    #[arg(long, default_value = "60", value_name = "S", value_parser = super::parse_seconds)]
    timeout: Duration,
    /// An option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// The position to begin from, where the server begins from it, too
    #[arg(long)]
    fen: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = registry::engine(VARIANT, &Settings::default())?;
    for (name, value) in &arguments.option {
        if let Some(side_effect) = engine.set_option(name, value)? {
            log::warn!("--option {name}: {side_effect}");
        }
    }
    engine.board_mut().set_up(arguments.fen.as_deref(), &[]).context("--fen")?;
    let server = find(&arguments.server).with_context(|| format!("--server {}", arguments.server))?;
    let any = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(any).context("no socket")?;
    let settings = ClientSettings {
        name: arguments.name.clone(),
        movetime: Duration::from_millis(arguments.movetime),
        nodes: arguments.nodes,
        timeout: arguments.timeout,
    };
    let (mut out, mut written) = (io::stdout(), Ok(()));
    play(socket, server, &settings, engine.as_mut(), &mut |event| {
        if written.is_ok() {
            written = writeln!(out, "{event}").and_then(|()| out.flush());
        }
    })?;
    Ok(written?)
}

/// The address of the server; one of IPv4, which the original speaks, where there is a choice.
fn find(server: &str) -> anyhow::Result<SocketAddr> {
    let addresses: Vec<_> = server.to_socket_addrs()?.collect();
    let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    address.copied().context("no such host")
}
