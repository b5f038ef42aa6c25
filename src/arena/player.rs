//! Players: Labrys in the same process, a UCI engine in a child process, or a client over UDP.

use std::any::Any;
use std::fmt;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::udp_player::UdpPlayer;
use super::{Rules, RulesError, Variation};
use crate::engine::{Board, Engine, OptionError, Play, Session, Thinker};
use crate::eval::UciScore;
use crate::game::{Color, Game, MoveError, Playable, quote};
use crate::protocol::client::{Client, ClientError};
use crate::protocol::process::Launch;
use crate::protocol::tuc::guest::{GuestError, Invitation};
use crate::search::{Control, Limits, Report};

/// The UCI option that selects the game.
const VARIANT: &str = "UCI_Variant";

/// A player, as the referee sees it.
pub trait Player<G: Game>: Send {
    /// Prepares for a game in which it plays `color`. A player that has failed before starts afresh.
    ///
    /// # Errors
    /// [`PlayerError`] when it cannot.
    fn new_game(&mut self, color: Color, control: &Control) -> Result<(), PlayerError>;

    /// Searches for a move.
    ///
    /// # Errors
    /// [`PlayerError`] when there is no reply at all. A late reply is no error: the referee checks the clock.
    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError>;

    /// Called after a move of either player, in text with its chance outcome. `board` is the position after
    /// the move. Not called for the move that ends the game.
    fn moved(&mut self, _mv: &str, _board: &dyn Board) {}

    /// Called at the end of a game, in the position of `board`, whatever has ended it, failures included.
    fn game_over(&mut self, _board: &dyn Board) {}
}

/// A request for a move.
pub struct MoveRequest<'a, G> {
    /// The game, which is not over.
    pub game: &'a Play<G>,
    /// The opening and the moves in text, for players outside of this process.
    pub line: &'a Variation,
    /// Limits of the search.
    pub limits: &'a Limits,
    /// How long to wait for the reply; `None` means the player's own timeout.
    pub timeout: Option<Duration>,
}

/// The reply of a player to a [`MoveRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveReply<M> {
    /// The move, or why its text is no legal move.
    pub mv: Result<M, MoveError>,
    /// The score that the player reports, from its own point of view.
    pub score: Option<UciScore>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Time used.
    pub elapsed: Duration,
}

/// Why a player gives no reply.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// Its process or search has ended, or cannot be started again.
    #[error("{0}")]
    Crashed(String),
    /// No reply within the timeout.
    #[error("{0}")]
    Stalled(String),
    /// Output that does not follow the protocol.
    #[error("{0}")]
    InvalidOutput(String),
    /// The match is being stopped.
    #[error("interrupted")]
    Interrupted,
}

/// How an engine is run: its kind and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSetup {
    /// Where the engine runs and which protocol it speaks.
    pub kind: EngineKind,
    /// UCI options, set in this order.
    pub options: Vec<(String, String)>,
    /// How long to wait for an answer where there is no clock.
    pub timeout: Duration,
}

/// Where an engine runs and which protocol it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Labrys in the same process.
    InProcess,
    /// A UCI engine in a child process.
    Uci(Launch),
    /// A client that speaks the UDP protocol of TUC-CHESS.
    Udp(Invitation),
}

impl fmt::Display for EngineSetup {
    /// The program with its arguments, the address, the options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            EngineKind::InProcess => write!(f, "labrys {}", env!("CARGO_PKG_VERSION"))?,
            EngineKind::Uci(launch) => write!(f, "{launch}")?,
            EngineKind::Udp(Invitation { listen, launch: None }) => write!(f, "UDP {listen}")?,
            EngineKind::Udp(Invitation { listen, launch: Some(launch) }) => {
                write!(f, "{launch}, UDP {listen}")?
            }
        }
        self.options.iter().try_for_each(|(name, value)| write!(f, ", {name}={value}"))
    }
}

/// Why an engine cannot play in a match.
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

impl EngineSetup {
    /// A player for games under `rules`. Its engine starts with its first game.
    pub fn player<G: Playable>(&self, rules: &Rules) -> Box<dyn Player<G>> {
        let (setup, rules) = (self.clone(), rules.clone());
        match &self.kind {
            EngineKind::InProcess => Box::new(InProcessPlayer { setup, rules, thinker: None }),
            EngineKind::Uci(launch) => {
                Box::new(UciPlayer { launch: launch.clone(), setup, rules, client: None })
            }
            EngineKind::Udp(invitation) => Box::new(UdpPlayer::new(invitation.clone(), self.timeout)),
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

    /// Checks that the engine starts, plays the game and accepts its options.
    ///
    /// # Errors
    /// [`EngineSetupError`] says why it cannot play.
    pub fn check(&self, rules: &Rules, control: &Control) -> Result<(), EngineSetupError> {
        match &self.kind {
            EngineKind::InProcess => Ok(self.set_options(rules.engine()?.as_mut())?),
            EngineKind::Uci(launch) => self.client(launch, rules, control).map(drop),
            EngineKind::Udp(invitation) => Ok(invitation.check(self.timeout, control)?),
        }
    }

    fn set_options(&self, engine: &mut dyn Engine) -> Result<(), OptionError> {
        for (name, value) in &self.options {
            if let Some(side_effect) = engine.set_option(name, value)? {
                log::warn!("option {name}: {side_effect}");
            }
        }
        Ok(())
    }

    fn client(&self, launch: &Launch, rules: &Rules, control: &Control) -> Result<Client, EngineSetupError> {
        let mut client = Client::start(launch, self.timeout, control)?;
        let variant = &rules.variant;
        match client.option(VARIANT) {
            Some(games) if games.words.iter().any(|game| game.eq_ignore_ascii_case(variant)) => {
                client.set_option(VARIANT, variant)?;
            }
            Some(games) => {
                return Err(EngineSetupError::Game {
                    variant: variant.clone(),
                    known: games.words.join(", "),
                });
            }
            None => log::warn!("{} has no option {VARIANT}: assuming that it plays {variant}", client.name),
        }
        if let Some((name, value)) = &rules.option {
            match client.option(name) {
                Some(_) => client.set_option(name, value)?,
                None => log::warn!(
                    "{} has no option {name}: assuming that it plays by {name}={value}",
                    client.name
                ),
            }
        }
        for (name, value) in &self.options {
            client.set_option(name, value)?;
        }
        client.sync(self.timeout, control)?;
        Ok(client)
    }
}

/// Labrys, searching on the thread of the referee.
struct InProcessPlayer<G: Game> {
    setup: EngineSetup,
    rules: Rules,
    /// `None` before the first game and after a panic of the search.
    thinker: Option<Thinker<G>>,
}

impl<G: Playable> InProcessPlayer<G> {
    fn start(&self) -> Result<Thinker<G>, OptionError> {
        let mut session: Session<G> = self.rules.session()?;
        self.setup.set_options(&mut session)?;
        Ok(session.into_parts().1)
    }

    /// Runs `job` on the search, started if need be. A panic loses the game but does not end the match.
    fn guard<T>(&mut self, job: impl FnOnce(&mut Thinker<G>) -> T) -> Result<T, PlayerError> {
        let mut thinker = match self.thinker.take() {
            Some(thinker) => thinker,
            None => self.start().map_err(|error| PlayerError::Crashed(error.to_string()))?,
        };
        // A panic drops the search, as its state may be inconsistent.
        let (thinker, done) = catch_unwind(AssertUnwindSafe(move || {
            let done = job(&mut thinker);
            (thinker, done)
        }))
        .map_err(|panic| PlayerError::Crashed(format!("panic: {}", panic_text(panic.as_ref()))))?;
        self.thinker = Some(thinker);
        Ok(done)
    }
}

/// The message of a panic.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

impl<G: Playable> Player<G> for InProcessPlayer<G> {
    fn new_game(&mut self, _: Color, _: &Control) -> Result<(), PlayerError> {
        self.guard(Thinker::new_game)
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let limits = Limits { start: Instant::now(), ..request.limits.clone() };
        let (mut score, mut depth) = (None, None);
        let best = self.guard(|thinker| {
            thinker.think(request.game, None, &limits, control, &mut |report: Report<G::Move>| {
                if report.multipv == 1 {
                    (score, depth) = (Some(report.score.to_uci()), Some(report.depth));
                }
            })
        })?;
        let elapsed = limits.start.elapsed();
        if control.is_stopped() {
            return Err(PlayerError::Interrupted);
        }
        // A missing move counts as an illegal one.
        let mv = best.mv.map_or_else(|| request.game.position().parse_move(""), Ok);
        Ok(MoveReply { mv, score, depth, nodes: Some(best.nodes), elapsed })
    }
}

/// A UCI engine in a child process, restarted after a failure.
struct UciPlayer {
    setup: EngineSetup,
    launch: Launch,
    rules: Rules,
    /// `None` before the first game and after a failure.
    client: Option<Client>,
}

impl UciPlayer {
    /// Runs `job` on the engine, started if need be. An engine that fails is stopped.
    fn guard<T>(
        &mut self,
        control: &Control,
        job: impl FnOnce(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, PlayerError> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.setup.client(&self.launch, &self.rules, control).map_err(|error| match error {
                EngineSetupError::Client(error) => PlayerError::from(error),
                error => PlayerError::Crashed(error.to_string()),
            })?,
        };
        let done = job(&mut client)?;
        self.client = Some(client);
        Ok(done)
    }
}

impl From<ClientError> for PlayerError {
    fn from(error: ClientError) -> PlayerError {
        match error {
            ClientError::Silent { .. } => PlayerError::Stalled(error.to_string()),
            ClientError::Garbage(_) | ClientError::Refused(_) => {
                PlayerError::InvalidOutput(error.to_string())
            }
            ClientError::Interrupted => PlayerError::Interrupted,
            _ => PlayerError::Crashed(error.to_string()),
        }
    }
}

impl<G: Game> Player<G> for UciPlayer {
    fn new_game(&mut self, _: Color, control: &Control) -> Result<(), PlayerError> {
        let timeout = self.setup.timeout;
        self.guard(control, |client| client.new_game(timeout, control))
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let timeout = request.timeout.unwrap_or(self.setup.timeout);
        let line = position_line(request.line);
        let answer = self.guard(control, |client| client.go(&line, request.limits, timeout, control))?;
        let (info, elapsed) = (answer.info, answer.elapsed);
        let mv = request.game.position().parse_move(&answer.best);
        Ok(MoveReply { mv, score: info.score, depth: info.depth, nodes: info.nodes, elapsed })
    }
}

/// The UCI `position` command for an opening and moves.
fn position_line(line: &Variation) -> String {
    let mut text = format!("position fen {}", line.fen);
    if !line.moves.is_empty() {
        text.push_str(" moves ");
        text.push_str(&line.moves.join(" "));
    }
    text
}
