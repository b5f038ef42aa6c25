//! Labrys in the same process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{EngineSetup, MoveReply, MoveRequest, Player, PlayerError};
use crate::Rules;
use labrys_core::clock::Instant;
use labrys_core::engine::Playable;
use labrys_core::engine::{Engine, OptionError, TypedEngine};
use labrys_core::game::{Color, Game};
use labrys_core::nets::NetError;
use labrys_core::search::{Bound, Control, Limits, Report};

/// Milliseconds after the end of its time when a search that is not told of it ends.
const AFTER_TIMEOUT: u64 = 5;

/// Sets the options of an engine.
pub(super) fn set_options(engine: &mut dyn Engine, options: &[(String, String)]) -> Result<(), OptionError> {
    for (name, value) in options {
        for side_effect in engine.set_option(name, value)? {
            log::info!("option {name}: {side_effect}");
        }
    }
    Ok(())
}

/// Labrys, searching on the thread of the referee.
pub(super) struct InProcessPlayer<G: Game> {
    setup: EngineSetup,
    rules: Rules,
    /// `None` before the first game and after a panic of the search.
    engine: Option<Box<dyn TypedEngine<G>>>,
}

impl<G: Playable> InProcessPlayer<G> {
    pub(super) fn new(setup: EngineSetup, rules: Rules) -> InProcessPlayer<G> {
        InProcessPlayer { setup, rules, engine: None }
    }

    fn start(&self) -> Result<Box<dyn TypedEngine<G>>, OptionError> {
        let mut engine = self.rules.typed_engine()?;
        set_options(engine.as_mut(), &self.setup.options)?;
        Ok(engine)
    }

    /// Calls `job` with the engine, started if needed. A panic loses the game but does not end the match.
    fn run<T>(&mut self, job: impl FnOnce(&mut dyn TypedEngine<G>) -> T) -> Result<T, PlayerError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start().map_err(|error| PlayerError::Crashed(error.to_string()))?,
        };
        // A panic drops the search, as its state may be inconsistent.
        let (engine, done) = catch_unwind(AssertUnwindSafe(move || {
            let done = job(engine.as_mut());
            (engine, done)
        }))
        .map_err(|panic| PlayerError::Crashed(format!("panic: {}", panic_text(panic.as_ref()))))?;
        self.engine = Some(engine);
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
        self.run(|engine| engine.new_game())
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let mut limits = Limits { start: Instant::now(), ..request.limits.clone() };
        // A bound is no score.
        let (mut exact, mut line) = (None, Vec::new());
        let best = self.run(|engine| {
            engine.check_board(request.game.position())?;
            if limits.movetime.is_none() && limits.clocks == [None; 2] {
                // A search that is told of no time ends a little after it, as others are stopped then.
                let late = Duration::from_millis(engine.settings().move_overhead + AFTER_TIMEOUT);
                limits.movetime = request.timeout.map(|timeout| timeout + late);
            }
            Ok(engine.think(request.game, None, &limits, control, &mut |report: Report<G::Move>| {
                if report.multipv != 1 {
                    return;
                }
                line.clone_from(&report.pv);
                if report.bound == Bound::Exact {
                    exact = Some(report);
                }
            }))
        })?;
        let best = best.map_err(|error: NetError| PlayerError::InvalidOutput(error.to_string()))?;
        let elapsed = limits.start.elapsed();
        if control.is_stopped() {
            return Err(PlayerError::Interrupted);
        }
        // A missing move counts as an illegal one.
        let mv = best.mv.map_or_else(|| request.game.position().parse_move(""), Ok);
        let reply = MoveReply { nodes: Some(best.nodes), elapsed, ..MoveReply::new(mv) };
        Ok(MoveReply {
            score: exact.as_ref().map(|report| report.score.to_uci()),
            depth: exact.as_ref().map(|report| report.depth),
            seldepth: exact.as_ref().map(|report| report.seldepth),
            pv: line,
            ..reply
        })
    }
}
