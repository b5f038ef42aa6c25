//! The games that an engine supports.

use labrys_arena::EngineConfig;
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;

/// Starts an engine of the command line to ask for the games that it supports. If it fails, logs the reason
/// and returns none.
pub fn announced_games(engine: &EngineConfig) -> Vec<String> {
    match engine.setup.announced_games(&EngineLog::default(), &Control::default()) {
        Ok(games) => {
            log::debug!("engine {}: {}", engine.name, games.join(", "));
            games.into_iter().map(str::to_owned).collect()
        }
        Err(error) => {
            log::error!("engine {}: {error}", engine.name);
            Vec::new()
        }
    }
}
