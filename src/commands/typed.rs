//! The commands that are generic over the game, by the names of the games.

use anyhow::Result;

use super::{merge, nnue, replay, selfplay, stats, tables, train, tune, zero};
use crate::arena;
use crate::engine::Playable;
use crate::engine::registry::{GameTable, Of};
use crate::eval::nnue::EvalNet;
use crate::solver::{self, SolverGame};

/// The commands of a game.
pub(super) trait Commands: Sync {
    fn export(&self, arguments: &nnue::export::Arguments) -> Result<()>;
    fn generations(&self, run: nnue::generations::Run) -> Result<()>;
    fn merge(&self, merge: merge::Merge) -> Result<()>;
    fn new_eval_net(&self, arguments: &nnue::new::Arguments) -> Result<()>;
    fn new_net(&self, arguments: &zero::new::Arguments) -> Result<()>;
    fn replay(&self, arguments: &replay::Arguments) -> Result<()>;
    fn selfplay(&self, selfplay: &selfplay::SelfPlay) -> Result<()>;
    fn selfplay_of_generation(&self, games: zero::selfplay::Games) -> Result<()>;
    fn stats(&self, arguments: &stats::Arguments) -> Result<()>;
    fn tables(&self, arguments: &tables::Arguments) -> Result<()>;
    fn train(&self, training: train::Training) -> Result<()>;
    fn train_eval_net(&self, training: &nnue::train::Training) -> Result<()>;
    fn train_net(&self, training: zero::train::Training) -> Result<()>;
    fn tune(&self, arguments: &tune::Arguments) -> Result<()>;

    /// Whether the game has endgame tables that can be built.
    fn has_tables(&self) -> bool;

    /// The checksum of the net that is shipped for the game.
    fn shipped_net(&self) -> Option<u32>;
}

impl<G: Playable> Commands for Of<G> {
    fn export(&self, arguments: &nnue::export::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn generations(&self, run: nnue::generations::Run) -> Result<()> {
        run.run_typed::<G>()
    }

    fn merge(&self, merge: merge::Merge) -> Result<()> {
        merge.run_typed::<G>()
    }

    fn new_eval_net(&self, arguments: &nnue::new::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn new_net(&self, arguments: &zero::new::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn replay(&self, arguments: &replay::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn selfplay(&self, selfplay: &selfplay::SelfPlay) -> Result<()> {
        selfplay.run_typed::<G>()
    }

    fn selfplay_of_generation(&self, games: zero::selfplay::Games) -> Result<()> {
        games.run_typed::<G>()
    }

    fn stats(&self, arguments: &stats::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn tables(&self, arguments: &tables::Arguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn train(&self, training: train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn train_eval_net(&self, training: &nnue::train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn train_net(&self, training: zero::train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn tune(&self, arguments: &tune::Arguments) -> Result<()> {
        tune::tune::<G>(arguments)
    }

    fn has_tables(&self) -> bool {
        tables::has_tables::<G>()
    }

    fn shipped_net(&self) -> Option<u32> {
        EvalNet::shipped::<G>().map(|net| net.checksum())
    }
}

static GAMES: GameTable<dyn Commands> = crate::game_table!();

/// The commands of a game by name.
///
/// # Errors
/// [`UnknownVariant`](crate::engine::UnknownVariant) lists the games.
pub(super) fn commands(game: &str) -> Result<&'static dyn Commands, crate::engine::UnknownVariant> {
    GAMES.get(game)
}

/// Adds a game to those of all commands, unless there is one of its name: to be called before
/// [`run`](super::run).
pub fn add_game<G: SolverGame>() {
    arena::add_game::<G>();
    solver::add_game::<G>();
    GAMES.add(G::info, &Of::<G>::GAME);
}
