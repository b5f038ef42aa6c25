//! The options of an engine: each is declared once, as a [row](row::Row) of a list.

mod lists;
mod row;

use std::fmt;

use thiserror::Error;

use super::BookError;
use crate::eval::WeightsError;
use crate::eval::nnue::EvalNetError;
use crate::game::{TablesError, quote};
use crate::nets::NetError;
use crate::search::{Method, Options, SearchMode};

pub(super) use lists::settings_rows;
pub(super) use row::{Getter, Row, RowKind, SetResult, find};

/// The maximum number of threads of a search.
pub(super) const MAX_THREADS: usize = if cfg!(any(has_threads, has_workers)) { 256 } else { 1 };

/// The skill level without a limit of strength.
pub(super) const MAX_SKILL: u32 = 20;

/// The values of the options that all games share. Their defaults are the defaults of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Threads that a search by depth runs on.
    pub threads: usize,
    /// The parameters of the searches.
    pub search: Options,
    /// Time subtracted from the time of every move, in milliseconds.
    pub move_overhead: u64,
    /// Memory of the cache of a policy/value net, in MiB.
    pub net_cache: usize,
    /// The search algorithm.
    pub method: Method,
    /// The kind of evaluation.
    pub evaluation: EvaluationKind,
    /// Whether the game's rules of thumb filter the root moves.
    pub rules_of_thumb: bool,
    /// Whether reports have the probabilities of win, draw and loss.
    pub show_wdl: bool,
    /// Whether strength is limited to `elo`, in a game whose strength has been measured.
    pub limit_strength: bool,
    /// The limited strength in Elo. A value outside of the game's range counts as the nearest one in it.
    pub elo: u32,
    /// The skill level, 0 to 20, in a game whose strength has been measured. 20 is the full strength. It counts
    /// where `limit_strength` is not set.
    pub skill_level: u32,
    /// Whether the GUI may use `go ponder`. The engine stores the value but does not need it.
    pub ponder: bool,
    /// Whether the GUI analyses and does not play. Then the own opening book is not used.
    pub analyse_mode: bool,
}

/// The kinds of evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationKind {
    /// A weighted sum of features.
    Linear,
    /// An efficiently updatable net: that of a file, or else the shipped one. Boards for which none is
    /// shipped are evaluated by a weighted sum of features.
    #[default]
    Net,
}

impl EvaluationKind {
    /// Its name in the protocol.
    pub(super) fn name(self) -> &'static str {
        match self {
            EvaluationKind::Linear => "linear",
            EvaluationKind::Net => "net",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            hash: 16,
            threads: 1,
            search: Options::default(),
            move_overhead: 10,
            net_cache: 16,
            method: Method::Deepening(SearchMode::default()),
            evaluation: EvaluationKind::default(),
            rules_of_thumb: false,
            show_wdl: false,
            limit_strength: false,
            elo: 0,
            skill_level: MAX_SKILL,
            ponder: false,
            analyse_mode: false,
        }
    }
}

impl Settings {
    /// Whether the strength is limited, in a game whose strength has been measured.
    pub fn is_limited(&self) -> bool {
        self.limit_strength || self.skill_level < MAX_SKILL
    }
}

/// The values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The least value.
        min: i64,
        /// The maximum value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The default.
        default: &'static str,
        /// The words.
        values: Vec<&'static str>,
    },
    /// Any text; empty by default.
    Text,
    /// No value: setting the option triggers an action.
    Button,
}

/// What an option is about. Options are announced in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionGroup {
    /// What every user may want to set, and the options of single games.
    General,
    /// The evaluation.
    Evaluation,
    /// The search by depth.
    Search,
    /// Minimax selective deepening.
    SelectiveDeepening,
    /// Monte Carlo tree search.
    MonteCarlo,
    /// The constants of the search, in builds for tuning.
    Tuning,
}

/// An option as the protocol announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name; case does not matter.
    pub name: &'static str,
    /// What it is about.
    pub group: OptionGroup,
    /// Its values.
    pub kind: OptionKind,
}

/// The option that has a text of any kind.
pub(super) const OPPONENT: &str = "UCI_Opponent";

impl OptionSpec {
    /// Whether its value names files or folders.
    pub fn is_path(&self) -> bool {
        self.kind == OptionKind::Text && self.name != OPPONENT
    }
}

/// What setting an option or weights has done, or found, besides what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideEffect {
    /// The weights belong to another feature set, which has been selected.
    FeatureSet {
        /// Name of the set.
        set: &'static str,
    },
    /// The shipped weights of a new feature set have replaced the weights of another set.
    Weights {
        /// Name of the new set.
        set: &'static str,
    },
    /// The weights, or the net, are of the other kind of evaluation, which has been selected.
    Evaluation {
        /// Name of the kind.
        kind: &'static str,
    },
    /// The weights come from a file without a checksum: whether it has changed cannot be seen.
    Unchecked,
}

impl fmt::Display for SideEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideEffect::FeatureSet { set } => write!(f, "the weights select feature set `{set}`"),
            SideEffect::Weights { set } => {
                write!(f, "the weights are now the shipped ones of feature set `{set}`")
            }
            SideEffect::Evaluation { kind } => write!(f, "the evaluation is now `{kind}`"),
            SideEffect::Unchecked => f.write_str("the weights file has no checksum"),
        }
    }
}

/// An option that cannot be set.
#[derive(Debug, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option {}", quote(.name))]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The option does not take this value.
    #[error("option {name}: {} is not {expected}", quote(.value))]
    Value {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// There is not enough memory for the table.
    #[error("option Hash: no memory for a table of {megabytes} MB")]
    Memory {
        /// The requested size.
        megabytes: usize,
    },
    /// The weights file is refused.
    #[error("option WeightsFile: {0}")]
    Weights(#[from] WeightsError),
    /// The file of a net is refused.
    #[error("option NetFile: {0}")]
    Net(#[from] NetError),
    /// The file of an evaluation net is refused.
    #[error("option EvalFile: {0}")]
    EvalNet(#[from] EvalNetError),
    /// The opening book is refused.
    #[error("option BookFile: {0}")]
    Book(#[from] BookError),
    /// The endgame tables are refused.
    #[error("option {name}: {error}")]
    Tables {
        /// The option.
        name: &'static str,
        /// The problem.
        error: TablesError,
    },
}
