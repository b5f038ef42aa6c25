//! `labrys tuc client`.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;

use anyhow::Context;

use crate::commands::shared::suggest;
use crate::commands::shared::values::{duration, whole};
use crate::engine::{Settings, registry};
use crate::game::counted;
use crate::tuc;
use crate::tuc::client::{ClientSettings, play};

/// Plays one game of TUC-CHESS over UDP, on the original server or on `labrys tuc server`.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct TucClientArguments {
    /// Address of the server
    #[arg(long, value_name = "HOST:PORT")]
    server: String,
    /// Name of the player
    #[arg(long)]
    name: String,
    /// Time per move in milliseconds, less the option `Move Overhead`
    #[arg(long, default_value_t = 5000, value_name = "MS", value_parser = whole::<u64>(1..))]
    movetime: u64,
    /// Maximum number of nodes per move
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Seconds to wait for a message from the server
    #[arg(long, default_value = "60", value_name = "S", value_parser = duration)]
    timeout: Duration,
    /// Set an option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    option: Vec<(String, String)>,
    /// Start position in FEN; the server must use the same [default: the game's start position]
    #[arg(long)]
    fen: Option<String>,
}

pub(in crate::commands) fn run(arguments: &TucClientArguments) -> anyhow::Result<()> {
    let mut engine = registry::engine(tuc::variant(), &Settings::default())?;
    crate::commands::shared::set_options(engine.as_mut(), &arguments.option)?;
    engine.board_mut().set_up(arguments.fen.as_deref(), &[]).context("--fen")?;
    let server = resolve(&arguments.server).with_context(|| format!("--server {}", arguments.server))?;
    let local = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(local).context("cannot open a UDP socket")?;
    let settings = ClientSettings {
        name: arguments.name.clone(),
        movetime: Duration::from_millis(arguments.movetime),
        nodes: arguments.nodes,
        timeout: arguments.timeout,
    };
    let (mut out, mut written) = (io::stdout(), Ok(()));
    let game = play(socket, server, &settings, engine.as_mut(), &mut |event| {
        if written.is_ok() {
            written = writeln!(out, "{event}").and_then(|()| out.flush());
        }
    })?;
    written?;
    let turns = counted(game.turns, "turn");
    Ok(writeln!(out, "branching {:.1}: the mean number of legal moves in {turns}", game.branching())?)
}

/// Resolves the address of the server. IPv4 is preferred, since the original server uses it.
fn resolve(server: &str) -> anyhow::Result<SocketAddr> {
    let addresses: Vec<_> = server.to_socket_addrs()?.collect();
    let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    address.copied().context("the host has no address")
}
