//! Who plays a side.

use std::sync::Arc;

use crate::catalogue::{Catalogue, Level, Offer};
use labrys_arena::EngineConfig;
use labrys_core::clock::Instant;
use labrys_core::search::{Clock, Limits};

/// The name of a person among the players.
pub(crate) const PERSON: &str = "person";

/// Who plays a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SidePlayer {
    Person,
    Engine(EnginePlayer),
}

/// An engine that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EnginePlayer {
    /// Labrys at a level.
    Level(Level),
    /// An engine of the command line.
    Named(Arc<EngineConfig>),
}

impl SidePlayer {
    /// The player of this name in a game, if there is one.
    pub(crate) fn find(name: &str, offer: &Offer, catalogue: &Catalogue) -> Option<SidePlayer> {
        if name == PERSON {
            return Some(SidePlayer::Person);
        }
        let level = offer.levels.iter().find(|level| level.name == name).cloned().map(EnginePlayer::Level);
        let named = catalogue.engines.iter().find(|engine| engine.name == name);
        level.or_else(|| named.cloned().map(EnginePlayer::Named)).map(SidePlayer::Engine)
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            SidePlayer::Person => PERSON,
            SidePlayer::Engine(engine) => engine.name(),
        }
    }
}

impl EnginePlayer {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            EnginePlayer::Level(level) => &level.name,
            EnginePlayer::Named(config) => &config.name,
        }
    }

    /// The limits of a search from now on, with the clocks of the game.
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
