//! `labrys serve`.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, bail};
use etcetera::BaseStrategy;

use crate::arena::lobby::{Hall, Identities};
use crate::arena::{EngineConfig, EngineKind, EngineSetup, KeyValues};
use crate::commands::lobby::IDENTITIES;
use crate::commands::shared::engines::Engines;
use crate::commands::shared::values::{ip_address, socket_address, whole};
use crate::engine::registry;
use crate::game::quote;
use crate::protocol::agents::{self, Greeting};
use crate::protocol::transport::Transport;
use crate::web::{Catalogue, Config, Server, is_reserved};

/// The help of `--engine`, which has no clients over UDP and no `tc`.
const ENGINE_HELP: &str = "An engine: cmd=… or tcp=… (default: Labrys itself), proto=uci|xboard, name=…, \
                           option.<name>=…, st=… …";

/// Serves the web board: a page on which to play all games against Labrys and other engines.
#[derive(Debug, clap::Args)]
#[command(mut_arg("engine", |argument| argument.help(ENGINE_HELP)))]
pub(super) struct ServeArguments {
    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value = "8888", value_name = "N", value_parser = whole::<u16>(..))]
    port: u16,
    /// Address to listen on; 0.0.0.0 accepts browsers on other machines, which need the token in the printed
    /// address
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDR", value_parser = ip_address)]
    bind: IpAddr,
    /// Open the page in the default browser
    #[arg(long)]
    open: bool,
    /// Maximum number of concurrent searches; others wait [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    searches: Option<u16>,
    /// Show the games, curves and charts of matches and trainings in this folder and its subfolders
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Keep the sessions in this folder [default: a folder per user and port; none with port 0]
    #[arg(long, value_name = "DIR", conflicts_with = "no_state")]
    state: Option<PathBuf>,
    /// Forget the sessions when the server stops
    #[arg(long)]
    no_state: bool,
    /// Let agents connect over TCP, as to `labrys lobby`, and play them on the board. Without an address, only
    /// agents on this machine can; others need a token
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    agents: Option<SocketAddr>,
    #[command(flatten)]
    engines: Engines,
}

impl ServeArguments {
    /// The engines that browsers can choose. A move takes one second unless there is another limit.
    fn engines(&self) -> anyhow::Result<Vec<EngineConfig>> {
        // Before their other keys, such as a missing port.
        if self.engines.0.iter().flatten().any(|word| word == "proto=tuc") {
            bail!("--engine: proto=tuc is not supported, the board has no clients over UDP");
        }
        let engines = self.engines.read(&KeyValues::parse("--engine", &["st=1"])?)?;
        for EngineConfig { name, limits, .. } in &engines {
            if is_reserved(name) {
                bail!("--engine: the name {} is that of another player", quote(name));
            }
            if limits.control.is_some() {
                bail!(
                    "--engine: {}: tc is not supported, each game on the board sets its own clock",
                    quote(name)
                );
            }
        }
        Ok(engines)
    }

    /// The folder of the sessions.
    fn state(&self) -> Option<PathBuf> {
        if self.no_state || (self.port == 0 && self.state.is_none()) {
            return None;
        }
        self.state.clone().or_else(|| {
            let user = etcetera::choose_base_strategy().ok()?;
            let folder = user.state_dir().unwrap_or_else(|| user.data_dir());
            Some(folder.join("labrys").join(format!("web-{}", self.port)))
        })
    }
}

/// The limits of an agent: it is given up after ten seconds without an answer.
const AGENT: [&str; 2] = ["st=1", "timeout=10"];

/// Lets agents connect, which then can be chosen on the board. Returns the address.
fn receive_agents(
    address: SocketAddr,
    config: &Config,
    catalogue: Arc<Catalogue>,
) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let identities = match &config.state {
        Some(folder) => Identities::open(&folder.join(IDENTITIES), false)?,
        None => Identities::without_file(),
    };
    let taken = config.engines.iter().map(|engine| engine.name.clone()).collect();
    let hall = Hall::new(&registry::names(), identities, taken);
    let agent = EngineConfig::read_all(vec![KeyValues::parse("--agents", &AGENT)?])?.remove(0);
    let shown = Arc::clone(&catalogue);
    let admit = move |greeting: Greeting, peer| {
        let name = greeting.name.to_string();
        if is_reserved(&name) {
            return Err(format!("{} is the name of another player", quote(&name)));
        }
        let admitted = hall.admit(&greeting, peer)?;
        let kind = EngineKind::Uci(Transport::Agent(admitted.clone()));
        let setup = EngineSetup { kind, ..agent.setup.clone() };
        catalogue.add_agent(EngineConfig { name, setup, ..agent.clone() }, greeting.games);
        Ok(admitted)
    };
    thread::spawn(move || agents::receive(&listener, admit, move || shown.announce_additions()));
    Ok(address)
}

pub(super) fn run(arguments: &ServeArguments) -> anyhow::Result<()> {
    let listen = SocketAddr::new(arguments.bind, arguments.port);
    if let Some(folder) = arguments.folder.as_deref().filter(|folder| !folder.is_dir()) {
        bail!("--folder {}: there is no such folder", folder.display());
    }
    let config = Config {
        listen,
        searches: arguments.searches.map(usize::from),
        engines: arguments.engines()?,
        state: arguments.state(),
        folder: arguments.folder.clone(),
        lobby: None,
    };
    let server = Server::bind(&config)?;
    let mut out = io::stdout();
    writeln!(out, "the board is at {}", server.url()).and_then(|()| out.flush())?;
    if let Some(address) = arguments.agents {
        let address = receive_agents(address, &config, server.catalogue())?;
        writeln!(out, "agents connect to {address}").and_then(|()| out.flush())?;
    }
    if arguments.open
        && let Err(error) = open::that_detached(server.local_url())
    {
        log::error!("cannot open a browser: {error}");
    }
    server.run()
}
