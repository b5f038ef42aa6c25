//! The player of a side.

use std::sync::Arc;

use crate::catalogue::{Catalogue, Level, OfferedGame};
use labrys_arena::EngineConfig;
use labrys_core::clock::Instant;
use labrys_core::search::{Clock, Limits};

/// The name of a person among the players.
pub(crate) const PERSON: &str = "person";

/// The player of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Player {
    Person,
    Engine(EnginePlayer),
}

/// An engine as a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EnginePlayer {
    /// Labrys at a level.
    Level(Level),
    /// An engine of the command line.
    Named(Arc<EngineConfig>),
}

impl Player {
    /// Finds a player of a game by name.
    pub(crate) fn find(name: &str, offered: &OfferedGame, catalogue: &Catalogue) -> Option<Player> {
        if name == PERSON {
            return Some(Player::Person);
        }
        let level = offered.levels.iter().find(|level| level.name == name).cloned().map(EnginePlayer::Level);
        let named = || catalogue.engines().into_iter().find(|engine| engine.name == name);
        level.or_else(|| named().map(EnginePlayer::Named)).map(Player::Engine)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Player::Person => PERSON,
            Player::Engine(engine) => engine.name(),
        }
    }
}

impl EnginePlayer {
    pub(crate) fn name(&self) -> &str {
        match self {
            EnginePlayer::Level(level) => &level.name,
            EnginePlayer::Named(config) => &config.name,
        }
    }

    /// The limits of a search that starts now.
    pub(crate) fn limits(&self, clocks: [Option<Clock>; 2]) -> Limits {
        let own = match self {
            EnginePlayer::Level(level) => level.limits(),
            EnginePlayer::Named(config) => {
                let limits = &config.limits;
                Limits {
                    start: Instant::now(),
                    depth: limits.depth,
                    nodes: limits.nodes,
                    movetime: limits.move_time,
                    ..Limits::none()
                }
            }
        };
        Limits { clocks, ..own }
    }
}
