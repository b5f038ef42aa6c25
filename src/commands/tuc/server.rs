//! `labrys tuc server`.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use anyhow::Context;

use crate::commands::shared::values::{duration, ip_address, whole};
use crate::tuc::{Host, TimeLimits, server};

/// Serves one game of TUC-CHESS over UDP. The first two clients that send their names play, the first one as
/// White. docs/udp.md describes the protocol.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct TucServerArguments {
    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", value_parser = whole::<u16>(..))]
    port: u16,
    /// Address to listen on; 0.0.0.0 accepts clients on other machines
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDR", value_parser = ip_address)]
    bind: IpAddr,
    /// Time limit of the game in seconds, after which the player with more points wins
    #[arg(long, default_value = "840", value_name = "S", value_parser = duration)]
    game_time: Duration,
    /// Time limit of a move in seconds; exceeding it loses the game
    #[arg(long, default_value = "6", value_name = "S", value_parser = duration)]
    move_time: Duration,
    /// Seed of the prizes [default: random]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// Seconds from the second client's name to the start of the game
    #[arg(long, default_value = "3", value_name = "S", value_parser = duration)]
    countdown: Duration,
    /// Start position in FEN; the clients must use the same [default: the game's start position]
    #[arg(long)]
    fen: Option<String>,
}

pub(in crate::commands) fn run(arguments: &TucServerArguments) -> anyhow::Result<()> {
    let TucServerArguments { game_time, move_time, countdown, .. } = *arguments;
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let time_limits = TimeLimits { game_time, move_time, countdown };
    let mut host = Host::new(arguments.fen.as_deref(), time_limits, seed).context("--fen")?;
    let address = SocketAddr::new(arguments.bind, arguments.port);
    let socket = UdpSocket::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let mut out = io::stdout();
    let mut written = writeln!(out, "listening on {}\nseed {seed}", socket.local_addr()?);
    written = written.and_then(|()| out.flush());
    server::serve(socket, &mut host, &mut |event| {
        if written.is_ok() {
            written = writeln!(out, "{event}").and_then(|()| out.flush());
        }
    })
    .context("cannot receive datagrams")?;
    Ok(written?)
}
