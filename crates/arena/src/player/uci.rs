//! A UCI engine in a child process or over TCP.

use std::time::Duration;

use super::remote::{self, Remote};
use super::{EngineSetup, EngineSetupError, MoveReply, MoveRequest, Player, PlayerError};
use crate::{Rules, Variation};
use labrys_core::engine::{Board, registry};
use labrys_core::game::{Color, Game};
use labrys_core::search::Control;
use labrys_protocol::VARIANT;
use labrys_protocol::client::Client;
use labrys_protocol::engine_log::EngineLog;
use labrys_protocol::transport::Transport;

/// The UCI option of an engine that can search in the time of its opponent.
const PONDER: &str = "Ponder";

/// A UCI engine in a child process or over TCP.
pub(super) struct UciPlayer {
    remote: Remote<Client>,
    timeout: Duration,
    /// Whether it searches in the time of its opponent.
    ponders: bool,
    /// The reply that it expects to its last move.
    expected: Option<String>,
    /// The line at whose end it ponders.
    pondered: Option<Variation>,
    /// Why it could not ponder.
    failed: Option<PlayerError>,
}

impl UciPlayer {
    pub(super) fn new(setup: EngineSetup, transport: Transport, rules: Rules, log: EngineLog) -> UciPlayer {
        let EngineSetup { timeout, restart, ponders, .. } = setup;
        let connect = move |control: &Control| connect(&setup, &transport, &rules, &log, control);
        let remote = Remote::new(connect, restart);
        UciPlayer { remote, timeout, ponders, expected: None, pondered: None, failed: None }
    }

    /// Ends a search in the time of the opponent.
    fn end_pondering(&mut self, control: &Control) -> Result<(), PlayerError> {
        match self.pondered.take() {
            Some(_) => self.remote.run(control, |client| client.stop_pondering(control)),
            None => Ok(()),
        }
    }
}

/// Checks that an engine starts, plays the game and accepts its options. Returns a message about what cannot
/// be checked.
pub(super) fn check(
    setup: &EngineSetup,
    transport: &Transport,
    rules: &Rules,
    log: &EngineLog,
    control: &Control,
) -> Result<Option<String>, EngineSetupError> {
    let client = connect(setup, transport, rules, log, control)?;
    if client.option(VARIANT).is_none() && rules.variant != registry::default_name() {
        return Ok(Some(format!("it has no option {VARIANT} and has to know {} by itself", rules.variant)));
    }
    let option = rules.option.as_ref().filter(|(name, _)| client.option(name).is_none());
    Ok(option
        .map(|(name, value)| format!("it has no option {name} and has to know {name}={value} by itself")))
}

/// The games that an engine announces.
pub(super) fn announced_games(
    setup: &EngineSetup,
    transport: &Transport,
    log: &EngineLog,
    control: &Control,
) -> Result<Vec<&'static str>, EngineSetupError> {
    let mut client = Client::start(transport, log, setup.timeout, control)?;
    set_options(&mut client, setup, control)?;
    let Some(games) = client.option(VARIANT) else { return Ok(vec![registry::default_name()]) };
    let is_known = |game: &&str| games.words.iter().any(|known| known.eq_ignore_ascii_case(game));
    Ok(registry::names().into_iter().filter(is_known).collect())
}

/// Sets the options of an engine.
fn set_options(client: &mut Client, setup: &EngineSetup, control: &Control) -> Result<(), EngineSetupError> {
    if setup.ponders {
        client.set_option(PONDER, "true")?;
    }
    for (name, value) in &setup.options {
        client.set_option(name, value)?;
    }
    Ok(client.sync(setup.timeout, control)?)
}

/// Starts an engine or connects to it, checks that it plays the game and sets its options.
fn connect(
    setup: &EngineSetup,
    transport: &Transport,
    rules: &Rules,
    log: &EngineLog,
    control: &Control,
) -> Result<Client, EngineSetupError> {
    let mut client = Client::start(transport, log, setup.timeout, control)?;
    let prepared = prepare(&mut client, setup, rules, control);
    prepared.inspect_err(|error| client.refuse(error, control))?;
    Ok(client)
}

/// Checks that an engine plays the game, and sets its options.
fn prepare(
    client: &mut Client,
    setup: &EngineSetup,
    rules: &Rules,
    control: &Control,
) -> Result<(), EngineSetupError> {
    let variant = &rules.variant;
    match client.option(VARIANT) {
        Some(games) if games.words.iter().any(|game| game.eq_ignore_ascii_case(variant)) => {
            client.set_option(VARIANT, variant)?;
        }
        Some(games) => {
            return Err(EngineSetupError::Game { variant: variant.clone(), known: games.words.join(", ") });
        }
        // Logged once, by `check`.
        None => {}
    }
    if let Some((name, value)) = &rules.option
        && client.option(name).is_some()
    {
        client.set_option(name, value)?;
    }
    set_options(client, setup, control)
}

impl<G: Game> Player<G> for UciPlayer {
    fn new_game(&mut self, _: Color, control: &Control) -> Result<(), PlayerError> {
        let timeout = self.timeout;
        (self.expected, self.failed) = (None, None);
        self.remote.end_spent(|_| false);
        let is_first = self.remote.is_idle();
        self.remote.run(control, |client| {
            let begun = client.new_game(timeout, control);
            // The first game belongs to the handshake. A failure in a later one is no reason to stay away.
            begun.inspect_err(|error| {
                if is_first {
                    client.refuse(error, control)
                }
            })
        })
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let (timeout, move_timeout) = (self.timeout, request.timeout.unwrap_or(self.timeout));
        let (line, position) = (position_line(request.line), request.game.position());
        let is_legal = |best: &str| position.parse_move(best).is_ok();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let is_hit = self.pondered.as_ref() == Some(request.line);
        if is_hit {
            self.pondered = None;
        }
        self.end_pondering(control)?;
        let answer = self.remote.run(control, |client| {
            if is_hit {
                return client.ponderhit(is_legal, move_timeout, control);
            }
            client.set_up(&line, timeout, control)?;
            client.go(request.limits, is_legal, move_timeout, control)
        })?;
        self.expected = answer.ponder.clone();
        Ok(remote::reply(position, position.parse_move(&answer.best), answer))
    }

    fn ponder(&mut self, request: &MoveRequest<G>, control: &Control) {
        let position = request.game.position();
        let expected = self.expected.take().filter(|_| self.ponders);
        let Some(mv) = expected.and_then(|text| position.parse_move(&text).ok()) else { return };
        let mut line = request.line.clone();
        line.moves.push(position.move_text(mv));
        let (text, timeout) = (position_line(&line), self.timeout);
        match self.remote.run(control, |client| client.ponder(&text, request.limits, timeout, control)) {
            Ok(()) => self.pondered = Some(line),
            // It fails in its own time.
            Err(error) => self.failed = Some(error),
        }
    }

    fn game_over(&mut self, _: &dyn Board) {
        if let Err(error) = self.end_pondering(&Control::default()) {
            log::warn!("pondering: {error}");
        }
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
