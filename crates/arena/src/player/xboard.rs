//! An engine in a child process or over TCP that speaks the xboard protocol.

use std::time::Duration;

use super::remote::{self, Remote};
use super::{EngineSetup, EngineSetupError, MoveReply, MoveRequest, Player, PlayerError};
use crate::{Rules, Variation};
use labrys_core::engine::registry;
use labrys_core::game::{Color, Game};
use labrys_core::search::Control;
use labrys_protocol::client::ClientError;
use labrys_protocol::engine_log::EngineLog;
use labrys_protocol::transport::Transport;
use labrys_protocol::xboard::{Client, STANDARD};

/// Checks that an engine starts, plays the game and accepts its options. `needs_setup` says that games begin at
/// other positions than the start position.
pub(super) fn check(
    setup: &EngineSetup,
    transport: &Transport,
    rules: &Rules,
    needs_setup: bool,
    log: &EngineLog,
    control: &Control,
) -> Result<(), EngineSetupError> {
    let variant = rules.board()?.xboard_variant();
    let client = connect(setup, transport, rules, log, control)?;
    match (needs_setup || variant != Some(STANDARD)) && !client.has_setboard() {
        true => Err(ClientError::StartOnly.into()),
        false => Ok(()),
    }
}

/// The games that an engine announces, and plays from any position.
pub(super) fn announced_games(
    setup: &EngineSetup,
    transport: &Transport,
    log: &EngineLog,
    control: &Control,
) -> Result<Vec<&'static str>, EngineSetupError> {
    let mut client = Client::start(transport, log, setup.timeout, control)?;
    client.set_options(&setup.options, control)?;
    if !client.has_setboard() {
        return Err(ClientError::StartOnly.into());
    }
    let variant = |game: &str| registry::board(game).ok()?.xboard_variant();
    let is_known =
        |game: &&str| variant(game).is_some_and(|variant| client.variants().any(|known| known == variant));
    Ok(registry::names().into_iter().filter(is_known).collect())
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
    let variant = rules.board()?.xboard_variant();
    if !variant.is_some_and(|variant| client.variants().any(|known| known == variant)) {
        let known = client.variants().collect::<Vec<_>>().join(", ");
        let variant = variant.unwrap_or(&rules.variant).to_owned();
        return Err(EngineSetupError::Game { variant, known });
    }
    client.set_options(&setup.options, control)?;
    Ok(client)
}

/// An engine that speaks the xboard protocol.
pub(super) struct XboardPlayer {
    remote: Remote<Client>,
    /// The name of the game in the protocol; `None` where it does not have the game.
    variant: Option<&'static str>,
    timeout: Duration,
    /// The number of moves sent to the engine, those of the opening included; `None` before its first search.
    sent_moves: Option<usize>,
}

impl XboardPlayer {
    pub(super) fn new(
        setup: EngineSetup,
        transport: Transport,
        rules: Rules,
        log: EngineLog,
    ) -> XboardPlayer {
        let EngineSetup { timeout, restart, .. } = setup;
        let variant = rules.board().ok().and_then(|board| board.xboard_variant());
        let connect = move |control: &Control| connect(&setup, &transport, &rules, &log, control);
        XboardPlayer { remote: Remote::new(connect, restart), variant, timeout, sent_moves: None }
    }

    fn is_standard(&self) -> bool {
        self.variant == Some(STANDARD)
    }
}

impl<G: Game> Player<G> for XboardPlayer {
    fn new_game(&mut self, _: Color, control: &Control) -> Result<(), PlayerError> {
        self.sent_moves = None;
        self.remote.end_spent(|client| !client.is_reusable());
        let variant = self.variant.unwrap_or_default();
        self.remote.run(control, |client| client.new_game(variant, control))
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let &MoveRequest { game, line, limits, timeout } = request;
        let (sent_moves, is_standard) = (self.sent_moves.take(), self.is_standard());
        let fen =
            (sent_moves.is_none() && !(is_standard && line.fen == G::start().fen())).then_some(&*line.fen);
        let (timeout, stm) = (timeout.unwrap_or(self.timeout), game.position().side_to_move());
        let is_legal = |best: &str| game.position().parse_san(best).is_ok();
        let answer = self.remote.run(control, |client| {
            let moves = texts::<G>(line, sent_moves.unwrap_or(0), client.uses_san(), is_standard);
            client.set_up(fen, &moves, control)?;
            client.go(limits, stm, is_legal, timeout, control)
        })?;
        // The engine has played its own move.
        self.sent_moves = Some(line.moves.len() + 1);
        let answer = answer.ok_or(PlayerError::Resigned)?;
        let position = game.position();
        Ok(remote::reply(position, position.parse_san(&answer.best), answer))
    }
}

/// The moves of a line after the first `sent_moves`, in SAN if the engine requests it, else by their squares.
/// Only in the standard game castling is written by the king's squares.
fn texts<G: Game>(line: &Variation, sent_moves: usize, in_san: bool, is_standard: bool) -> Vec<String> {
    let own = line.moves.get(sent_moves..).unwrap_or_default().to_vec();
    if own.is_empty() || (is_standard && !in_san) {
        return own;
    }
    // The referee has played these moves, so none of them is refused.
    let translated = || -> Option<Vec<String>> {
        let mut position = G::from_fen(&line.fen).ok()?;
        let mut texts = Vec::new();
        for text in &line.moves {
            let mv = position.parse_move(text).ok()?;
            let san = position.san(mv);
            let castling = san.starts_with("O-O").then(|| san.trim_end_matches(['+', '#']).to_owned());
            texts.push(if in_san { san } else { castling.unwrap_or_else(|| text.clone()) });
            position.play(mv);
        }
        Some(texts.split_off(sent_moves))
    };
    translated().unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::chess::Chess;

    #[test]
    fn moves_are_sent_as_the_engine_takes_them() {
        let line = |castling: &str| Variation {
            fen: "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1".to_owned(),
            moves: ["a1b1", "e8d8", castling].map(str::to_owned).into(),
        };
        let sent =
            |castling: &str, in_san, is_standard| texts::<Chess>(&line(castling), 1, in_san, is_standard);
        assert_eq!(sent("e1g1", false, true), ["e8d8", "e1g1"]);
        assert_eq!(sent("e1g1", true, true), ["Kd8", "O-O"]);
        assert_eq!(sent("e1h1", false, false), ["e8d8", "O-O"]);
        assert_eq!(sent("h1f1", false, false), ["e8d8", "h1f1"]);
        assert_eq!(texts::<Chess>(&line("e1g1"), 3, true, true), [""; 0], "all sent");
    }
}
