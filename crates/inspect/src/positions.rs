//! Positions of self-play games.

use labrys_core::engine::GameState;
use labrys_core::game::mixed;
use labrys_core::search::{Control, Limits, Report};
use labrys_solver::SolverGame;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::InspectError;
use crate::microscope::engine_of;
use crate::task::Task;

/// Random plies at the start of a game.
const RANDOM: usize = 6;

/// The last ply from which a position is taken.
const LAST: usize = 60;

/// Games that may end too soon, one after the other.
const ATTEMPTS: usize = 1_000;

/// Nodes for each move after the random ones.
const NODES: u64 = 500;

/// The positions of `task.selfplay` games, one of each, at a random ply: games that begin with random moves
/// and go on with quick searches of the engine. Those that end too soon are played again.
pub(crate) fn selfplay<G: SolverGame>(
    task: &Task,
    control: &Control,
) -> Result<Vec<GameState<G>>, InspectError> {
    let mut engine = engine_of::<G>(task)?;
    // The start position of the board that the options select.
    let start = engine.game().clone();
    let mut games = Vec::new();
    for number in 0..task.selfplay {
        // Not the generator that draws the decisions of the position.
        let mut random = StdRng::seed_from_u64(mixed(task.seed ^ !mixed(number as u64)));
        let before = games.len();
        for _ in 0..ATTEMPTS {
            if control.is_stopped() {
                return Ok(games);
            }
            let mut game = start.clone();
            let last = random.random_range(RANDOM..=LAST);
            game.play_random_moves(RANDOM, &mut random, None, control);
            engine.new_game();
            let is_over = |game: &GameState<G>| game.history().outcome(game.position()).is_some();
            while game.history().past().len() < last && !is_over(&game) {
                let mut listener = |_: Report<G::Move>| ();
                let best = engine.think(&game, None, &Limits::nodes(NODES), control, &mut listener);
                let Some(mv) = best.mv.filter(|_| !control.is_stopped()) else { break };
                let mv = game.position().sample(mv, &mut || random.random());
                game.advance(mv);
            }
            if game.history().past().len() == last && !is_over(&game) {
                games.push(game);
                break;
            }
        }
        if games.len() == before {
            return Err(InspectError::ShortGames);
        }
    }
    Ok(games)
}
