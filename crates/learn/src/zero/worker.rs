//! The players of a thread.

use std::path::Path;

use super::{FIRST_NET, SettingsError, ZeroConfig};
use crate::play::Agent;
use labrys_core::engine::Playable;
use labrys_core::game::Game;
use labrys_core::nets::{Net, Parameters};
use labrys_core::search::NetLeaves;

/// The players of a thread.
pub(super) struct Worker<G: Game> {
    /// The player of self-play.
    pub(super) player: Agent<G>,
    /// The net whose results in a match are counted.
    pub(super) candidate: Agent<G>,
    /// Its opponent in a match against a net.
    pub(super) opponent: Agent<G>,
    /// The fixed opponents.
    rivals: Vec<(String, Agent<G>)>,
}

impl<G: Playable> Worker<G> {
    /// The players that the settings describe, for games from `start`. Their nets have yet to be set.
    ///
    /// # Errors
    /// [`SettingsError`] names the line and the option.
    pub(super) fn new(config: &ZeroConfig, start: &G) -> Result<Worker<G>, SettingsError> {
        let rivals = config.settings.rivals.iter().enumerate();
        let rivals =
            rivals.map(|(index, rival)| Ok((rival.name.get_ref().clone(), config.rival(index, start)?)));
        Ok(Worker {
            player: config.net_player(false)?,
            candidate: config.net_player(true)?,
            opponent: config.net_player(true)?,
            rivals: rivals.collect::<Result<_, SettingsError>>()?,
        })
    }

    /// The players of a match against a fixed opponent.
    pub(super) fn comparison(&mut self, name: &str) -> [&mut Agent<G>; 2] {
        let rival = self.rivals.iter_mut().find(|(rival, _)| rival == name);
        [&mut self.candidate, rival.map_or(&mut self.opponent, |(_, rival)| rival)]
    }
}

impl ZeroConfig {
    /// The names of the fixed opponents.
    pub(super) fn opponents(&self) -> Vec<String> {
        let first = self.settings.comparison.first_net.then(|| FIRST_NET.to_owned());
        first
            .into_iter()
            .chain(self.settings.rivals.iter().map(|rival| rival.name.get_ref().clone()))
            .collect()
    }
}

/// Sets the net of one player of each thread. `path` is its file, for error messages.
pub(super) fn set_net<G: Playable>(
    workers: &mut [Worker<G>],
    player: impl Fn(&mut Worker<G>) -> &mut Agent<G>,
    parameters: &Parameters,
    path: &Path,
) {
    let net = Net::new(parameters);
    for worker in workers {
        player(worker).engine.set_net(NetLeaves::new(net.clone(), path.to_owned()));
    }
}
