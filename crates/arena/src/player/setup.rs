//! How an engine is run, and errors of its setup.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

use super::in_process::InProcessPlayer;
use super::person::{Person, PersonPlayer};
use super::uci::UciPlayer;
use super::udp::{Source, UdpPlayer};
use super::xboard::XboardPlayer;
use super::{Player, in_process, uci, xboard};
use crate::{Rules, RulesError};
use labrys_core::engine::{OptionError, Playable, registry};
use labrys_core::game::quote;
use labrys_core::search::Control;
use labrys_protocol::client::ClientError;
use labrys_protocol::engine_log::EngineLog;
use labrys_protocol::transport::Transport;
use labrys_tuc::door::Caller;
use labrys_tuc::guest::{GuestError, Invitation};

/// What stands in the place of its program for a person.
pub(crate) const PERSON: &str = "person";

/// How an engine is run: its kind and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSetup {
    /// Where the engine runs and which protocol it speaks.
    pub kind: EngineKind,
    /// Options, set in this order.
    pub options: Vec<(String, String)>,
    /// How long to wait for an answer where there is no clock.
    pub timeout: Duration,
    /// Whether each game has a child process or a connection of its own.
    pub restart: bool,
    /// Whether a UCI engine searches in the time of its opponent.
    pub ponders: bool,
}

/// Where an engine runs and which protocol it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Labrys in the same process.
    InProcess,
    /// A UCI engine in a child process or over TCP.
    Uci(Transport),
    /// An engine in a child process or over TCP that speaks the xboard protocol.
    Xboard(Transport),
    /// A client that speaks the UDP protocol of TUC-CHESS.
    Udp(Invitation),
    /// The same, a client that waits at a door: for one game.
    Caller(Caller),
    /// A person.
    Person(Person),
}

impl fmt::Display for EngineSetup {
    /// The program with its arguments and directory, the address, the options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            EngineKind::InProcess => write!(f, "labrys {}", env!("CARGO_PKG_VERSION"))?,
            EngineKind::Uci(transport) | EngineKind::Xboard(transport) => write!(f, "{transport}")?,
            EngineKind::Udp(Invitation { listen, launch: None }) => write!(f, "UDP {listen}")?,
            EngineKind::Udp(Invitation { listen, launch: Some(launch) }) => {
                write!(f, "{launch}, UDP {listen}")?
            }
            EngineKind::Caller(_) => f.write_str("UDP")?,
            EngineKind::Person(_) => f.write_str(PERSON)?,
        }
        self.options.iter().try_for_each(|(name, value)| write!(f, ", {name}={value}"))?;
        if self.ponders { f.write_str(", ponder=on") } else { Ok(()) }
    }
}

/// An error of setting up an engine.
#[derive(Debug, Error)]
pub enum EngineSetupError {
    /// The game or its option does not exist.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// An option of Labrys cannot be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The engine does not start, or refuses an option.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The client over UDP does not join.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// The protocol over UDP has no openings.
    #[error("a client over UDP plays from the start position only: use --random-plies 0, without --openings")]
    Opening,
    /// Another engine uses the same port.
    #[error("port {port} is used by engine {}", quote(.other))]
    Port {
        /// The port.
        port: u16,
        /// The name of the other engine.
        other: String,
    },
    /// One port cannot serve concurrent games.
    #[error(
        "port {port} serves one game at a time, not --concurrency {games}; port 0 picks a free port for each"
    )]
    PortConcurrency {
        /// The port.
        port: u16,
        /// Concurrent games.
        games: usize,
    },
    /// The engine does not play the game.
    #[error("the engine does not play {}, it plays: {known}", quote(.variant))]
    Game {
        /// The game.
        variant: String,
        /// The games that it plays.
        known: String,
    },
}

impl EngineSetupError {
    /// Whether the engine cannot even be started.
    pub fn is_launch(&self) -> bool {
        matches!(self, EngineSetupError::Client(ClientError::Launch(_) | ClientError::Connect { .. }))
    }

    /// Whether the engine lacks an option or refuses its value.
    pub fn is_option(&self) -> bool {
        matches!(self, EngineSetupError::Client(ClientError::UnknownOption { .. } | ClientError::Refused(_)))
    }
}

impl EngineSetup {
    /// A player for games under `rules`. Its engine starts with its first game; `log` records all lines.
    pub fn player<G: Playable>(&self, rules: &Rules, log: &EngineLog) -> Box<dyn Player<G>> {
        let (setup, rules, log) = (self.clone(), rules.clone(), log.clone());
        match &self.kind {
            EngineKind::InProcess => Box::new(InProcessPlayer::new(setup, rules)),
            EngineKind::Uci(transport) => Box::new(UciPlayer::new(setup, transport.clone(), rules, log)),
            EngineKind::Xboard(transport) => {
                Box::new(XboardPlayer::new(setup, transport.clone(), rules, log))
            }
            EngineKind::Udp(invitation) => {
                Box::new(UdpPlayer::new(Source::Invitation(invitation.clone()), self.timeout, log))
            }
            EngineKind::Caller(caller) => {
                Box::new(UdpPlayer::new(Source::Caller(Some(caller.clone())), self.timeout, log))
            }
            EngineKind::Person(person) => Box::new(PersonPlayer(person.clone())),
        }
    }

    /// The folder where relative paths in its options begin; `None` if it does not run on this machine.
    pub fn folder(&self) -> Option<&Path> {
        match &self.kind {
            EngineKind::InProcess => Some(Path::new("")),
            EngineKind::Uci(Transport::Process(launch)) | EngineKind::Xboard(Transport::Process(launch)) => {
                Some(launch.folder.as_deref().unwrap_or(Path::new("")))
            }
            _ => None,
        }
    }

    /// The address that an external UDP client has to join at, if the engine is one: the user has to start
    /// it.
    pub fn external_client_address(&self) -> Option<SocketAddr> {
        match self.kind {
            EngineKind::Udp(Invitation { listen, launch: None }) => Some(listen),
            _ => None,
        }
    }

    /// Checks that the engine starts, plays the game and accepts its options. `needs_setup` says that games begin
    /// at other positions than the start position. Returns a message for the user about what cannot be
    /// checked.
    ///
    /// # Errors
    /// [`EngineSetupError`] says why it cannot play.
    pub fn check(
        &self,
        rules: &Rules,
        needs_setup: bool,
        log: &EngineLog,
        control: &Control,
    ) -> Result<Option<String>, EngineSetupError> {
        match &self.kind {
            EngineKind::Uci(transport) => return uci::check(self, transport, rules, log, control),
            EngineKind::InProcess => in_process::set_options(rules.engine()?.as_mut(), &self.options)?,
            EngineKind::Xboard(transport) => {
                xboard::check(self, transport, rules, needs_setup, log, control)?
            }
            EngineKind::Udp(invitation) => invitation.check(self.timeout, log, control)?,
            EngineKind::Caller(_) | EngineKind::Person(_) => {}
        }
        Ok(None)
    }

    /// The games that the engine announces, by name, from any position: starts it once, and sets its options.
    /// One whose protocol has no list of games plays the default game.
    ///
    /// # Errors
    /// [`EngineSetupError`] says why it plays none.
    pub fn announced_games(
        &self,
        log: &EngineLog,
        control: &Control,
    ) -> Result<Vec<&'static str>, EngineSetupError> {
        let announced: Vec<_> = match &self.kind {
            EngineKind::Uci(transport) => return uci::announced_games(self, transport, log, control),
            EngineKind::Xboard(transport) => return xboard::announced_games(self, transport, log, control),
            EngineKind::InProcess | EngineKind::Udp(_) | EngineKind::Caller(_) | EngineKind::Person(_) => {
                registry::names()
                    .into_iter()
                    .map(|game| self.check(&Rules::new(game, None)?, true, log, control).map(|_| game))
                    .collect()
            }
        };
        // The options may be those of one game.
        match announced.iter().all(Result::is_err) {
            true => announced.into_iter().collect(),
            false => Ok(announced.into_iter().filter_map(Result::ok).collect()),
        }
    }
}
