//! `labrys uci`.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::commands::shared::values::{socket_address, whole};
use crate::protocol::{self, GuestLimits};

/// The most MiB of a table of a client over TCP.
const MAX_HASH: usize = 256;

/// Speaks UCI on standard input and output. This is the default without a command.
#[derive(Debug, Default, clap::Args)]
pub(super) struct UciArguments {
    /// Speak UCI over TCP instead, with a separate session for each client. Without an address, only clients
    /// on this machine can connect
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    listen: Option<SocketAddr>,
    /// With `--listen`: a folder whose files clients may open as nets, weights and tables; may be given
    /// several times [default: none]
    #[arg(long, value_name = "DIR", requires = "listen")]
    folder: Vec<PathBuf>,
    /// With `--listen`: the most MiB of `Hash`, and of `NetCache`, of a client [default: 256]
    #[arg(long, value_name = "MIB", value_parser = whole::<usize>(1..), requires = "listen")]
    max_hash: Option<usize>,
    /// With `--listen`: the most threads of a client [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroUsize>(..), requires = "listen")]
    max_threads: Option<NonZeroUsize>,
}

pub(super) fn run(arguments: &UciArguments) -> anyhow::Result<()> {
    let Some(address) = arguments.listen else {
        return protocol::run(io::BufReader::new(io::stdin()), io::stdout()).context("protocol");
    };
    for folder in &arguments.folder {
        ensure!(folder.is_dir(), "--folder {}: no folder", folder.display());
    }
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let mut out = io::stdout();
    writeln!(out, "listening on {}", listener.local_addr()?).and_then(|()| out.flush())?;
    let threads = crate::commands::shared::threads(arguments.max_threads);
    let hash = arguments.max_hash.unwrap_or(MAX_HASH);
    let limits = GuestLimits { folders: arguments.folder.clone(), hash, threads };
    protocol::listen(&listener, &limits)
}
