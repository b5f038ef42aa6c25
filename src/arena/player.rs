//! Who plays: this engine in the same process, any other as a child process, or a client over UDP.

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

/// The option of an engine for several games that chooses one.
const VARIANT: &str = "UCI_Variant";

/// What the referee asks of a player, wherever it runs.
pub trait Player<G: Game>: Send {
    /// Gets ready for a game of that colour; after a failure, from scratch.
    ///
    /// # Errors
    /// [`PlayerError`] when it does not.
    fn new_game(&mut self, color: Color, control: &Control) -> Result<(), PlayerError>;

    /// Looks for a move.
    ///
    /// # Errors
    /// [`PlayerError`] when there is no answer at all. A late one is an answer: the referee sees to the clock.
    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError>;

    /// Hears of a move of either player, with what chance made of it. It has led to the position of
    /// `board`, in which the game goes on.
    fn moved(&mut self, _mv: &str, _board: &dyn Board) {}

    /// Hears that the game is over in the position of `board`, whatever has ended it: a failure, too.
    fn game_over(&mut self, _board: &dyn Board) {}
}

/// What a player is asked about.
pub struct MoveRequest<'a, G> {
    /// The game, which is not over.
    pub game: &'a Play<G>,
    /// The game in text, for players outside of this process.
    pub line: &'a Variation,
    /// What the player may use.
    pub limits: &'a Limits,
    /// How long the answer is waited for; none means as long as the player's own timeout.
    pub timeout: Option<Duration>,
}

/// What a player has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveReply<M> {
    /// The move, or what is wrong with it.
    pub mv: Result<M, MoveError>,
    /// What the player makes of it.
    pub score: Option<UciScore>,
    /// How deep it has looked, in plies.
    pub depth: Option<u32>,
    /// Nodes that it has visited.
    pub nodes: Option<u64>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Why a player gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// It has ended, or does not start any more.
    #[error("{0}")]
    Crashed(String),
    /// It says nothing.
    #[error("{0}")]
    Stalled(String),
    /// What it says is no text.
    #[error("{0}")]
    Garbage(String),
    /// The match has been called off.
    #[error("interrupted")]
    Interrupted,
}

/// Which engine plays, and how it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSetup {
    /// Where it runs.
    pub kind: EngineKind,
    /// Options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// How long an answer is waited for where there is no clock.
    pub timeout: Duration,
}

/// Where a player runs, and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Labrys in the same process.
    InProcess,
    /// A UCI engine in a process of its own.
    Uci(Launch),
    /// A client that speaks the protocol of the course.
    Udp(Invitation),
}

impl fmt::Display for EngineSetup {
    /// The program, its arguments, its address, its options.
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

/// Why a player cannot take part.
#[derive(Debug, Error)]
pub enum EngineSetupError {
    /// There are no such rules.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// An option of Labrys cannot be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The engine does not start, or refuses an option.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The client over UDP does not come.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// The client over UDP does not know of openings.
    #[error("a client over UDP begins at the start position: --random-plies 0, and no --openings")]
    Opening,
    /// Another player listens at the port.
    #[error("port {port} is that of engine {}", quote(.other))]
    Port {
        /// The port.
        port: u16,
        /// The name of the other player.
        other: String,
    },
    /// There is one port for several games.
    #[error(
        "port {port} is for one game at a time, not for --concurrency {games}; port 0 is any that is free"
    )]
    PortConcurrency {
        /// The port.
        port: u16,
        /// The games at a time.
        games: usize,
    },
    /// The engine does not know the game.
    #[error("the engine does not play {}, it plays: {known}", quote(.variant))]
    Game {
        /// The game.
        variant: String,
        /// The games that it knows.
        known: String,
    },
}

impl EngineSetup {
    /// The player for games under `rules`, which starts when its first game does.
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

    /// Where a client has to be started by hand, if that is so.
    pub fn external_client_address(&self) -> Option<SocketAddr> {
        match self.kind {
            EngineKind::Udp(Invitation { listen, launch: None }) => Some(listen),
            _ => None,
        }
    }

    /// Makes sure that the player starts, knows the game and takes its options.
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
            None => log::warn!("{} has no option {VARIANT}: it has to know its game, {variant}", client.name),
        }
        if let Some((name, value)) = &rules.option {
            match client.option(name) {
                Some(_) => client.set_option(name, value)?,
                None => log::warn!("{} has no option {name}: it has to know its rules", client.name),
            }
        }
        for (name, value) in &self.options {
            client.set_option(name, value)?;
        }
        client.sync(self.timeout, control)?;
        Ok(client)
    }
}

/// Labrys on this very thread.
struct InProcessPlayer<G: Game> {
    setup: EngineSetup,
    rules: Rules,
    /// Not there before the first game, and lost when a search panics.
    thinker: Option<Thinker<G>>,
}

impl<G: Playable> InProcessPlayer<G> {
    fn start(&self) -> Result<Thinker<G>, OptionError> {
        let mut session: Session<G> = self.rules.session()?;
        self.setup.set_options(&mut session)?;
        Ok(session.into_parts().1)
    }

    /// Does something with the search, whose panic is its own loss and not that of the match.
    fn guard<T>(&mut self, job: impl FnOnce(&mut Thinker<G>) -> T) -> Result<T, PlayerError> {
        let mut thinker = match self.thinker.take() {
            Some(thinker) => thinker,
            None => self.start().map_err(|error| PlayerError::Crashed(error.to_string()))?,
        };
        // A panic drops the search, whatever state it is in.
        let (thinker, done) = catch_unwind(AssertUnwindSafe(move || {
            let done = job(&mut thinker);
            (thinker, done)
        }))
        .map_err(|panic| PlayerError::Crashed(format!("panic: {}", panic_text(panic.as_ref()))))?;
        self.thinker = Some(thinker);
        Ok(done)
    }
}

/// What a panic said.
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
        // No move is no legal move.
        let mv = best.mv.map_or_else(|| request.game.position().parse_move(""), Ok);
        Ok(MoveReply { mv, score, depth, nodes: Some(best.nodes), elapsed })
    }
}

/// An engine in a process of its own, started again after a failure.
struct UciPlayer {
    setup: EngineSetup,
    launch: Launch,
    rules: Rules,
    /// Not there before the first game, and gone after a failure.
    client: Option<Client>,
}

impl UciPlayer {
    /// Does something with the engine, which is not kept if that fails.
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
            ClientError::Garbage(_) | ClientError::Refused(_) => PlayerError::Garbage(error.to_string()),
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

/// The `position` line for a line of play.
fn position_line(line: &Variation) -> String {
    let mut text = format!("position fen {}", line.fen);
    if !line.moves.is_empty() {
        text.push_str(" moves ");
        text.push_str(&line.moves.join(" "));
    }
    text
}
