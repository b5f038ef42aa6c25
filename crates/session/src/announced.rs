//! Which games an engine plays, as it announces it itself.

use labrys_arena::EngineConfig;
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;

/// The games that an engine of the command line plays: starts it for a moment. One that plays none is named in
/// the log, with the reason.
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
