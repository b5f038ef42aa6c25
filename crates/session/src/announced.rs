//! Which games an engine plays, as it announces it itself.

use labrys_arena::{EngineConfig, Rules};
use labrys_core::engine::registry;
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;

/// The games that an engine of the command line plays: starts it for a moment. One that plays none is named in
/// the log, with the reason.
pub fn announced_games(engine: &EngineConfig) -> Vec<String> {
    let (mut games, mut problem) = (Vec::new(), None);
    for name in registry::names() {
        let Ok(rules) = Rules::new(name, None) else { continue };
        match engine.setup.check(&rules, true, &EngineLog::default(), &Control::default()) {
            Ok(None) => games.push(name.to_owned()),
            // It does not say whether it knows the game.
            Ok(Some(_)) => {}
            Err(error) => problem = Some(error),
        }
    }
    match problem {
        Some(problem) if games.is_empty() => log::error!("engine {}: {problem}", engine.name),
        _ => log::debug!("engine {}: {}", engine.name, games.join(", ")),
    }
    games
}
