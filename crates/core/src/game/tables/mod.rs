//! The interface between a search and endgame tables: results under best play, computed in advance.

mod endgames;
#[cfg(has_tables)]
mod file;

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

pub use endgames::{Endgames, EndgamesVisitor, Initial, TableResult};
#[cfg(has_tables)]
pub use file::{TableFile, TableName};

use super::{Game, GameHistory, Wdl};

/// The endgame tables of a game, as its searches share them.
pub type SharedTables<G> = Arc<dyn EndgameTables<G>>;

/// Endgame tables that have been opened.
pub trait EndgameTables<G: Game>: Debug + Send + Sync {
    /// The result of a position under best play for the side to move. `None` where the tables do not have it,
    /// or where it depends on counters.
    fn probe(&self, position: &G) -> Option<Wdl>;

    /// The result of a position without regard to the halfmove clock, and the plies to the next irreversible
    /// move or to the end of the game, if the winner is as quick as possible and the loser as slow. `None`
    /// where the tables do not have it.
    fn without_clock(&self, _position: &G) -> Option<TableResult> {
        None
    }

    /// How the tables are used.
    fn options(&self) -> TableOptions {
        TableOptions { min_depth: 0, ..TableOptions::default() }
    }

    /// The same tables, used as `options` say; `None` where they have no options.
    fn with_options(&self, _options: TableOptions) -> Option<SharedTables<G>> {
        None
    }

    /// The moves among `moves` that keep the result and make progress, with regard to counters and history.
    /// `None` if the tables do not have all of them, or if there are no moves.
    fn best_moves(
        &self,
        position: &G,
        history: &GameHistory<G>,
        moves: &[G::Move],
    ) -> Option<TableMoves<G::Move>>;
}

/// How endgame tables are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether a win that the draw by lack of progress prevents counts as a draw.
    pub progress_rule: bool,
    /// The fewest plies left to search at which a search probes the tables below its root.
    pub min_depth: i32,
    /// The most men of a position that is probed.
    pub max_men: u32,
}

impl TableOptions {
    /// The most men of any table.
    pub const MAX_MEN: u32 = 7;
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions { progress_rule: true, min_depth: 1, max_men: TableOptions::MAX_MEN }
    }
}

/// The best moves of a position by endgame tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMoves<M> {
    /// The moves. Among equals, those with quick progress come first.
    pub moves: Vec<M>,
    /// Their result for the side to move.
    pub result: Wdl,
    /// Whether any choice among such moves, move after move, reaches the result.
    pub makes_progress: bool,
}

/// Endgame tables that cannot be opened.
#[derive(Debug, Error)]
pub enum TablesError {
    /// The game has no tables.
    #[error("{game} has no endgame tables")]
    NoTables {
        /// Name of the game.
        game: &'static str,
    },
    /// The game has no tables of regions.
    #[error("{game} has no tables of regions")]
    NoRegions {
        /// Name of the game.
        game: &'static str,
    },
    /// A folder or a file cannot be read.
    #[error("`{}`: {error}", .path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// There is no table in a folder, or no folder.
    #[error("`{}`: no endgame tables", .path.display())]
    Empty {
        /// Path of the folder.
        path: PathBuf,
    },
    /// A file is damaged.
    #[error("`{}`: damaged table, {problem}", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The problem.
        problem: &'static str,
    },
    /// No table can be used, because each needs others.
    #[error("table {table} needs {missing} as well")]
    Incomplete {
        /// A table.
        table: String,
        /// A table that it leads to.
        missing: String,
    },
    /// The tables cannot be opened beside those that another engine of the process uses.
    #[error("other endgame tables are in use, and a process can have only one set of them")]
    InUse,
    /// Tables cannot be read from the path.
    #[error("`{}`: a path with `:` in it", .path.display())]
    Path {
        /// Path of the folder.
        path: PathBuf,
    },
}
