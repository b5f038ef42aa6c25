//! The commands that are generic over the game, for dispatch by the name of the game.

use anyhow::Result;

use crate::arena;
use crate::commands::{games, linear, nnue, tables, zero};
use crate::engine::Playable;
use crate::engine::registry::{GameTable, GameType};
use crate::eval::nnue::EvalNet;
use crate::solver::{self, SolverGame};

/// The commands of a game.
pub(in crate::commands) trait Commands: Sync {
    fn export(&self, arguments: &nnue::export::NnueExportArguments) -> Result<()>;
    fn generations(&self, run: nnue::generations::Run) -> Result<()>;
    fn merge(&self, merge: games::merge::Merge) -> Result<()>;
    fn new_eval_net(&self, arguments: &nnue::new::NnueNewArguments) -> Result<()>;
    fn new_net(&self, arguments: &zero::new::ZeroNewArguments) -> Result<()>;
    fn replay(&self, arguments: &games::replay::GamesReplayArguments) -> Result<()>;
    fn selfplay(&self, selfplay: &nnue::selfplay::SelfPlay) -> Result<()>;
    fn selfplay_of_generation(&self, games: zero::selfplay::Games) -> Result<()>;
    fn stats(&self, arguments: &nnue::stats::NnueStatsArguments) -> Result<()>;
    fn tables(&self, arguments: &tables::TablesArguments) -> Result<()>;
    fn train(&self, training: linear::train::Training) -> Result<()>;
    fn train_eval_net(&self, training: &nnue::train::Training) -> Result<()>;
    fn train_net(&self, training: zero::train::Training) -> Result<()>;
    fn tune(&self, arguments: &linear::tune::LinearTuneArguments) -> Result<()>;

    /// Whether the game has endgame tables that can be built.
    fn has_tables(&self) -> bool;

    /// The checksum of the net that is shipped for the game.
    fn shipped_net(&self) -> Option<u32>;
}

impl<G: Playable> Commands for GameType<G> {
    fn export(&self, arguments: &nnue::export::NnueExportArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn generations(&self, run: nnue::generations::Run) -> Result<()> {
        run.run_typed::<G>()
    }

    fn merge(&self, merge: games::merge::Merge) -> Result<()> {
        merge.run_typed::<G>()
    }

    fn new_eval_net(&self, arguments: &nnue::new::NnueNewArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn new_net(&self, arguments: &zero::new::ZeroNewArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn replay(&self, arguments: &games::replay::GamesReplayArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn selfplay(&self, selfplay: &nnue::selfplay::SelfPlay) -> Result<()> {
        selfplay.run_typed::<G>()
    }

    fn selfplay_of_generation(&self, games: zero::selfplay::Games) -> Result<()> {
        games.run_typed::<G>()
    }

    fn stats(&self, arguments: &nnue::stats::NnueStatsArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn tables(&self, arguments: &tables::TablesArguments) -> Result<()> {
        arguments.run_typed::<G>()
    }

    fn train(&self, training: linear::train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn train_eval_net(&self, training: &nnue::train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn train_net(&self, training: zero::train::Training) -> Result<()> {
        training.run_typed::<G>()
    }

    fn tune(&self, arguments: &linear::tune::LinearTuneArguments) -> Result<()> {
        linear::tune::tune::<G>(arguments)
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
pub(in crate::commands) fn commands(
    game: &str,
) -> Result<&'static dyn Commands, crate::engine::UnknownVariant> {
    GAMES.get(game)
}

/// Adds a game to those of all commands, unless there is one of its name: to be called before
/// [`run`](crate::commands::run).
pub fn add_game<G: SolverGame>() {
    arena::add_game::<G>();
    solver::add_game::<G>();
    GAMES.add(G::info, &GameType::<G>::GAME);
}
