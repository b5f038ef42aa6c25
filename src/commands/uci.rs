//! `labrys uci`.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::commands::shared::values::{socket_address, tcp_address, whole};
use crate::engine::registry;
use crate::protocol::agents::{self, AgentName, Greeting, Token};
use crate::protocol::transport::TcpAddress;
use crate::protocol::{self, GuestLimits};

/// The environment variable with the token of an agent.
const TOKEN: &str = "LABRYS_TOKEN";

/// The most MiB of a table of a client over TCP.
const MAX_HASH: usize = 256;

/// Speaks UCI on standard input and output. This is the default without a command.
#[derive(Debug, Default, clap::Args)]
pub(super) struct UciArguments {
    /// Speak UCI over TCP instead, with a separate session for each client. Without an address, only clients
    /// on this machine can connect
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address, group = "server")]
    listen: Option<SocketAddr>,
    /// Speak UCI with a server that pairs agents, such as `labrys lobby`: connect to it, and come back
    /// whenever the connection is lost, until it says `quit`
    #[arg(long, value_name = "HOST:PORT", value_parser = tcp_address, group = "server", requires = "name")]
    connect: Option<TcpAddress>,
    /// With `--connect`: the name of the agent, of letters, digits, `-`, `_` and `.`
    #[arg(long, value_name = "NAME", requires = "connect")]
    name: Option<AgentName>,
    /// With `--connect`: what proves the name, at least 8 characters; the server keeps it with the name.
    /// [default: that of the environment variable LABRYS_TOKEN, if it is set]
    #[arg(long, value_name = "TOKEN", requires = "connect")]
    token: Option<Token>,
    /// With `--listen` or `--connect`: a folder whose files the other side may open as nets, weights and
    /// tables; may be given several times [default: none]
    #[arg(long, value_name = "DIR", requires = "server")]
    folder: Vec<PathBuf>,
    /// With `--listen` or `--connect`: the most MiB of `Hash`, and of `NetCache`, of a client [default: 256]
    #[arg(long, value_name = "MIB", value_parser = whole::<usize>(1..), requires = "server")]
    max_hash: Option<usize>,
    /// With `--listen` or `--connect`: the most threads of a client [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroUsize>(..), requires = "server")]
    max_threads: Option<NonZeroUsize>,
}

impl UciArguments {
    /// What the other side may do.
    fn limits(&self) -> GuestLimits {
        let threads = crate::commands::shared::threads(self.max_threads);
        let hash = self.max_hash.unwrap_or(MAX_HASH);
        GuestLimits { folders: self.folder.clone(), hash, threads }
    }

    /// The first line to a server.
    fn greeting(&self, name: &AgentName) -> anyhow::Result<Greeting> {
        let token = match (&self.token, std::env::var(TOKEN)) {
            (Some(token), _) => Some(token.clone()),
            (None, Ok(token)) => Some(token.parse().context(TOKEN)?),
            (None, Err(_)) => None,
        };
        let games = registry::names().into_iter().map(str::to_owned).collect();
        Ok(Greeting { name: name.clone(), games, token })
    }
}

pub(super) fn run(arguments: &UciArguments) -> anyhow::Result<()> {
    for folder in &arguments.folder {
        ensure!(folder.is_dir(), "--folder {}: no folder", folder.display());
    }
    if let (Some(address), Some(name)) = (&arguments.connect, &arguments.name) {
        let lost = || print_message!("labrys: the connection to {address} is lost, trying to come back");
        return Ok(agents::connect(address, &arguments.greeting(name)?, &arguments.limits(), lost)?);
    }
    let Some(address) = arguments.listen else {
        return protocol::run(io::BufReader::new(io::stdin()), io::stdout()).context("protocol");
    };
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let mut out = io::stdout();
    writeln!(out, "listening on {}", listener.local_addr()?).and_then(|()| out.flush())?;
    protocol::listen(&listener, &arguments.limits())
}
