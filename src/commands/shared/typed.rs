//! The commands that are generic over the game, for dispatch by the name of the game.

use anyhow::Result;

use crate::arena;
use crate::commands::{games, linear, nnue, tables, zero};
use crate::engine::Playable;
use crate::engine::registry::{GameTable, GameType};
use crate::eval::nnue::EvalNet;
use crate::inspect;
use crate::solver::{self, SolverGame};

/// Declares the commands of a game: each method calls `run_typed` of its argument with the type of the game.
macro_rules! commands {
    ($($name:ident($argument:ty);)+) => {
        /// The commands of a game.
        pub(in crate::commands) trait Commands: Sync {
            $(fn $name(&self, argument: $argument) -> Result<()>;)+

            /// Whether the game has endgame tables that can be built.
            fn has_tables(&self) -> bool;

            /// The checksum of the net shipped for the game.
            fn shipped_net(&self) -> Option<u32>;
        }

        impl<G: Playable> Commands for GameType<G> {
            $(fn $name(&self, argument: $argument) -> Result<()> {
                argument.run_typed::<G>()
            })+

            fn has_tables(&self) -> bool {
                tables::has_tables::<G>()
            }

            fn shipped_net(&self) -> Option<u32> {
                EvalNet::shipped::<G>().map(|net| net.checksum())
            }
        }
    };
}

commands! {
    export(&nnue::export::NnueExportArguments);
    generations(nnue::generations::Run);
    merge(games::merge::Merge);
    new_eval_net(&nnue::new::NnueNewArguments);
    new_net(&zero::new::ZeroNewArguments);
    replay(&games::replay::GamesReplayArguments);
    rescore(&nnue::rescore::NnueRescoreArguments);
    self_play_records(games::replay::SelfPlayRecords);
    selfplay(&nnue::selfplay::SelfPlay);
    selfplay_of_generation(zero::selfplay::Games);
    stats(&nnue::stats::NnueStatsArguments);
    tables(&tables::TablesArguments);
    train(linear::train::Training);
    train_eval_net(&nnue::train::Training);
    train_net(zero::train::Training);
    tune(&linear::tune::LinearTuneArguments);
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

/// Adds a game to all commands, unless there is one with its name. Call it before [`run`](crate::commands::run).
pub fn add_game<G: SolverGame>() {
    arena::add_game::<G>();
    solver::add_game::<G>();
    inspect::add_game::<G>();
    GAMES.add(G::info, &GameType::<G>::GAME);
}
