//! `labrys lobby`.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;

use crate::arena::lobby::{Hall, Identities, LiveLobby, Lobby, LobbyEvent, LobbyFormat, Standings};
use crate::arena::pgn::PgnGame;
use crate::arena::pgn::file::PgnFile;
use crate::arena::{EngineConfig, EngineLimits, EngineSetupError, Format, KeyValues, Schedule, Tournament};
use crate::commands::shared::engines::Engines;
use crate::commands::shared::play::GameArguments;
use crate::commands::shared::values::{duration, socket_address, whole};
use crate::commands::shared::{interruptible, suggest};
use crate::files::{Claim, create_folder};
use crate::game::{counted, quote};
use crate::protocol::agents::{self, AgentName};
use crate::tuc;
use crate::tuc::door::Door;
#[cfg(feature = "web")]
use crate::web::{Config, LobbyPage, Server};

/// The folder of the games in the folder of the lobby: what its page shows.
pub(super) const ARCHIVE: &str = "archive";

/// The file of the games in the archive.
pub(super) const GAMES: &str = "games.pgn";

/// The folder of the sessions of the page.
#[cfg(feature = "web")]
const SESSIONS: &str = "web";

/// The file of the agents in the folder.
pub(super) const IDENTITIES: &str = "identities.json";

/// The timeout of agents in seconds, unless there is another.
const TIMEOUT: &str = "timeout=10";

/// Plays a tournament of agents that connect from outside. Whoever is there and free is paired; a lobby that
/// was stopped or killed goes on where it was. docs/lobby.md has a recipe.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LobbyArguments {
    /// Where agents connect over TCP. Without an address, only agents on this machine can; others need a token
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    agents: SocketAddr,
    /// Where clients of TUC-CHESS join over UDP as well, each for one game at a time. There is no token over UDP
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    udp: Option<SocketAddr>,
    /// Addresses that names over UDP come from; each other name belongs to the address from which it comes first
    #[arg(long, num_args = 1.., requires = "udp", value_name = "NAME=IP", value_parser = udp_name)]
    udp_names: Vec<(AgentName, IpAddr)>,
    /// The folder of the games (archive/games.pgn) and of the names of the agents (identities.json); from both
    /// the lobby goes on
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Serve a page with the table, the games being played and the archive. Without an address, only browsers
    /// on this machine can see it; others need the token in the printed address
    #[cfg(feature = "web")]
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = socket_address)]
    web: Option<SocketAddr>,
    #[command(flatten)]
    play: GameArguments,
    #[command(flatten)]
    engines: Engines,
    /// Keys for all agents and engines: tc=… or st=…, and option.<name>=…, timemargin=…, timeout=…
    #[arg(
        long,
        num_args = 1..,
        required = true,
        value_name = "KEY=VALUE",
        value_parser = suggest::key(),
        hide_possible_values = true
    )]
    each: Vec<String>,
    /// Let people play, too, on the page of --web. Keys of their clocks: tc=…, timemargin=…
    #[cfg(feature = "web")]
    #[arg(
        long,
        num_args = 1..,
        requires = "web",
        value_name = "KEY=VALUE",
        value_parser = suggest::key(),
        hide_possible_values = true
    )]
    people: Vec<String>,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Games per pairing, an even number
    #[arg(long, value_parser = whole::<u64>(..), default_value_t = 2)]
    games: u64,
    /// End when N players, those of --engine among them, have played all their games [default: go on until
    /// Ctrl-C]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(2..=256))]
    players: Option<usize>,
    /// Begin no game after this time in seconds
    #[arg(long, value_name = "S", value_parser = duration)]
    until: Option<Duration>,
    /// Who is paired: everybody, the first player with everybody else, or neighbours in the table first
    #[arg(long, value_enum, default_value_t = Pairing::RoundRobin)]
    tournament: Pairing,
    /// Release a name whose token is lost; may be given several times
    #[arg(long, value_name = "NAME")]
    forget: Vec<String>,
    /// Let in only agents that are known from earlier runs
    #[arg(long)]
    closed: bool,
    /// Print the table every N games
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), default_value_t = 10)]
    rating_interval: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pairing {
    RoundRobin,
    Gauntlet,
    Ladder,
}

impl LobbyArguments {
    fn lobby(&self) -> anyhow::Result<Lobby> {
        let each = KeyValues::parse("--each", &self.each)?;
        let engines = self.engines.read(&each)?;
        let agent = each.with_defaults(&KeyValues::parse("--each", &[TIMEOUT])?);
        let agent = EngineConfig::read_all(vec![agent])?.remove(0);
        if self.games == 0 || !self.games.is_multiple_of(2) {
            bail!("--games {}: expected an even number, since every opening is played twice", self.games);
        }
        ensure!(!self.play.is_pinned(), "--affinity: the engines of a lobby play games on several threads");
        let person = self.person()?;
        let schedule = Schedule::new(Format::RoundRobin, 0, 0..0);
        let format = match self.tournament {
            Pairing::RoundRobin => LobbyFormat::RoundRobin,
            Pairing::Gauntlet => LobbyFormat::Gauntlet,
            Pairing::Ladder => LobbyFormat::Ladder,
        };
        let tournament = self.play.tournament(engines, schedule)?;
        let live = Arc::new(LiveLobby::new(&tournament.rules.variant));
        Ok(Lobby {
            tournament,
            agent,
            person,
            format,
            games: self.games,
            players: self.players,
            duration: self.until,
            live,
        })
    }

    /// The limits of people.
    #[cfg(feature = "web")]
    fn person(&self) -> anyhow::Result<EngineLimits> {
        if self.people.is_empty() {
            return Ok(EngineLimits::default());
        }
        Ok(EngineConfig::read_clock(KeyValues::parse("--people", &self.people)?)?)
    }

    /// There are no people without a page.
    #[cfg(not(feature = "web"))]
    fn person(&self) -> anyhow::Result<EngineLimits> {
        Ok(EngineLimits::default())
    }

    /// Serves the page of the lobby, if there is one.
    #[cfg(feature = "web")]
    fn serve(&self, lobby: &Lobby, hall: &Arc<Hall>) -> anyhow::Result<()> {
        let Some(listen) = self.web else { return Ok(()) };
        let server = Server::bind(&Config {
            listen,
            // The cores are for the games.
            searches: Some(1),
            engines: Vec::new(),
            state: Some(self.folder.join(SESSIONS)),
            folder: Some(self.folder.join(ARCHIVE)),
            lobby: Some(Arc::new(LobbyPage { live: Arc::clone(&lobby.live), hall: Arc::clone(hall) })),
        })?;
        self.tell(format_args!("the lobby is at {}lobby", server.url()))?;
        thread::spawn(move || server.run());
        Ok(())
    }

    /// Prints a message beside the result.
    fn tell(&self, text: std::fmt::Arguments) -> io::Result<()> {
        match self.json {
            true => writeln!(io::stderr(), "{text}"),
            false => print(text),
        }
    }
}

pub(super) fn run(arguments: &LobbyArguments) -> anyhow::Result<()> {
    let lobby = arguments.lobby()?;
    arguments.play.check_cores();
    let control = interruptible()?;
    super::r#match::check(&lobby.tournament, &control)?;
    let folder = &arguments.folder;
    create_folder(folder).with_context(|| format!("--folder {}", folder.display()))?;
    let _claim = Claim::folder(folder).with_context(|| format!("--folder {}", folder.display()))?;
    let archive = folder.join(ARCHIVE);
    create_folder(&archive).with_context(|| format!("--folder {}", folder.display()))?;
    let path = archive.join(GAMES);
    let (mut pgn_file, records) = PgnFile::resume(&path)?;
    let mut standings = lobby.restore(&records).with_context(|| path.display().to_string())?;
    let mut identities = Identities::open(&folder.join(IDENTITIES), arguments.closed)?;
    for name in &arguments.forget {
        ensure!(identities.forget(name)?, "--forget {}: no agent of that name is known", quote(name));
    }
    let taken = lobby.tournament.engines.iter().map(|engine| engine.name.clone()).collect();
    let hall = Hall::new(&[&lobby.tournament.rules.variant], identities, taken);
    let hall = hall.with_people(lobby.person.control.is_some());

    let address = arguments.agents;
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    arguments.tell(format_args!("listening on {}", listener.local_addr()?))?;
    let hall = match arguments.udp {
        None => hall,
        Some(address) => {
            check_udp(&lobby)?;
            let door = Door::open(address).with_context(|| format!("cannot listen on {address}"))?;
            arguments.tell(format_args!("listening on {} over UDP", door.address()))?;
            hall.with_door(door, arguments.udp_names.iter().cloned().collect())
        }
    };
    let hall = Arc::new(hall);
    if !records.is_empty() {
        arguments.tell(format_args!("going on after {}", counted(records.len() as u64, "game")))?;
    }
    let door = Arc::clone(&hall);
    thread::spawn(move || {
        agents::receive(&listener, move |greeting, peer| door.admit(&greeting, peer), || ())
    });

    #[cfg(feature = "web")]
    arguments.serve(&lobby, &hall)?;
    lobby.run(&hall, &mut standings, &control, &mut |event, standings| match event {
        LobbyEvent::Joined(name) => arguments.tell(format_args!("{name} has joined")),
        LobbyEvent::Left(name) => arguments.tell(format_args!("{name} has left")),
        LobbyEvent::Refused(name, error) => arguments.tell(format_args!("{name} cannot play: {error}")),
        LobbyEvent::Begun(_) => Ok(()),
        LobbyEvent::Finished(game) => {
            pgn_file.append(game)?;
            pgn_file.sync()?;
            arguments.tell(format_args!("{}", line(game)))?;
            let games = standings.results().games();
            match games.is_multiple_of(arguments.rating_interval) {
                true => arguments.tell(format_args!("{}\n", table(standings))),
                false => Ok(()),
            }
        }
    })?;
    report(arguments, &lobby, &standings)?;
    super::r#match::check_log(&lobby.tournament)
}

/// A name over UDP with its address.
fn udp_name(text: &str) -> Result<(AgentName, IpAddr), String> {
    let (name, address) = text.split_once('=').ok_or("expected NAME=IP")?;
    let name = name.parse::<AgentName>().map_err(|error| error.to_string())?;
    let address: IpAddr =
        address.parse().map_err(|_| format!("{}: expected an IP address", quote(address)))?;
    Ok((name, address.to_canonical()))
}

/// Checks that clients over UDP can play these games, and have a clock.
fn check_udp(lobby: &Lobby) -> anyhow::Result<()> {
    let Tournament { rules, openings, .. } = &lobby.tournament;
    ensure!(rules.variant == tuc::variant(), "--udp: the game is {}, not {}", rules.variant, tuc::variant());
    if !openings.are_start(rules.board()?.as_mut()) {
        return Err(EngineSetupError::Opening).context("--udp");
    }
    let limits = &lobby.agent.limits;
    ensure!(
        limits.control.is_some() || limits.move_time.is_some(),
        "--udp: its clients need tc or st in --each"
    );
    Ok(())
}

/// Prints the table at the end.
fn report(arguments: &LobbyArguments, lobby: &Lobby, standings: &Standings) -> anyhow::Result<()> {
    match arguments.json {
        true => print(format_args!("{}", serde_json::to_string_pretty(&standings.summary())?))?,
        false => print(format_args!("{}", table(standings)))?,
    }
    if arguments.players.is_some() && !lobby.is_complete(standings) {
        let games = standings.results().games();
        bail!("stopped after {}, the same command goes on", counted(games, "game"));
    }
    Ok(())
}

/// The table after the games so far.
fn table(standings: &Standings) -> String {
    format!("after {}:\n{}", counted(standings.results().games(), "game"), standings.summary())
}

/// A game in one line.
fn line(game: &PgnGame) -> String {
    let [white, black] = game.players.each_ref().map(|player| player.name.as_str());
    let details = game.end.as_ref().map_or("", |end| end.details.as_str());
    format!("{}: {white} - {black}: {details}", game.number.unwrap_or(0))
}

/// Prints at once, also into a pipe.
fn print(text: std::fmt::Arguments) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{text}").and_then(|()| out.flush())
}
