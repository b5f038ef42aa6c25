//! The options of an engine: each is declared once, as a row.

use std::fmt;

use thiserror::Error;

use crate::eval::nnue::EvalNetError;
use crate::eval::{MAX_PLY, WeightsError};
use crate::game::{Strength, TablesError, quote};
use crate::nets::NetError;
#[cfg(feature = "tuning")]
use crate::search::Constants;
use crate::search::{Expansion, FinalMove, Method, NoiseAt, Options, RootSelection, SearchMode, Selection};

/// The most threads of a search.
pub(super) const MOST_THREADS: usize = if cfg!(has_threads) { 256 } else { 1 };

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
    /// Whether the GUI may use `go ponder`. The engine stores the value but does not need it.
    pub ponder: bool,
    /// Whether the GUI analyses and does not play. The engine stores the value but does not need it.
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
            ponder: false,
            analyse_mode: false,
        }
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
        /// The greatest value.
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

/// A change of the evaluation that was not asked for directly.
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
}

impl fmt::Display for SideEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideEffect::FeatureSet { set } => write!(f, "the weights select feature set `{set}`"),
            SideEffect::Weights { set } => {
                write!(f, "the weights are now the shipped ones of feature set `{set}`")
            }
            SideEffect::Evaluation { kind } => write!(f, "the evaluation is now `{kind}`"),
        }
    }
}

/// An option that cannot be set.
#[derive(Debug, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option {}", quote(.name))]
    Unknown {
        /// The name asked for.
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
        /// The size asked for.
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
    /// The endgame tables are refused.
    #[error("option {name}: {error}")]
    Tables {
        /// The option.
        name: &'static str,
        /// What is wrong.
        error: TablesError,
    },
}

/// An option of a `T`: its name, its values, and the function that sets it.
pub(super) struct Row<T: 'static> {
    pub(super) name: &'static str,
    pub(super) group: OptionGroup,
    pub(super) kind: RowKind<T>,
}

/// The values of an option together with the function that sets it.
pub(super) enum RowKind<T> {
    Check {
        default: bool,
        set: fn(&mut T, bool),
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: SpinSetter<T>,
    },
    /// `default` and the argument of `set` are indices into `values`. An error says `in_words` what is
    /// expected, or lists the values.
    Combo {
        values: Vec<&'static str>,
        in_words: Option<&'static str>,
        default: usize,
        set: fn(&mut T, usize) -> SetResult,
    },
    Text {
        set: fn(&mut T, &str) -> SetResult,
    },
    Button {
        press: fn(&mut T),
    },
}

/// Sets an option of a `T` to a number.
pub(super) type SpinSetter<T> = Box<dyn Fn(&mut T, i64)>;

/// The result of setting an option.
pub(super) type SetResult = Result<Vec<SideEffect>, OptionError>;

/// A number in the settings.
trait Number {
    fn to_option(self) -> i64;
    fn from_option(value: i64) -> Self;
}

macro_rules! number {
    ($($number:ty),+) => {$(
        // The range of the row keeps the value within the type.
        impl Number for $number {
            fn to_option(self) -> i64 {
                self as i64
            }

            fn from_option(value: i64) -> Self {
                value as Self
            }
        }
    )+};
}

number!(usize, u64, u32, i32);

/// −1 means none.
impl<N: Number> Number for Option<N> {
    fn to_option(self) -> i64 {
        self.map_or(-1, N::to_option)
    }

    fn from_option(value: i64) -> Self {
        (value >= 0).then(|| N::from_option(value))
    }
}

/// The options that change nothing but [`Settings`]. `strengths` are those of the game, see
/// [`GameInfo::strengths`](crate::game::GameInfo::strengths).
pub(super) fn rows(strengths: &[Strength]) -> Vec<Row<Settings>> {
    // A row names its field of the settings, which is also the source of its default.
    let defaults = Settings::default();
    macro_rules! check {
        ($name:literal, $($place:ident).+) => {
            Row {
                name: $name,
                group: OptionGroup::General,
                kind: RowKind::Check {
                    default: defaults.$($place).+,
                    set: |settings: &mut Settings, on| settings.$($place).+ = on,
                },
            }
        };
    }
    macro_rules! spin {
        ($name:literal, $($place:ident).+, $min:expr, $max:expr) => {
            Row {
                name: $name,
                group: OptionGroup::General,
                kind: RowKind::Spin {
                    default: defaults.$($place).+.to_option(),
                    min: $min,
                    max: $max,
                    set: Box::new(|settings: &mut Settings, value| {
                        settings.$($place).+ = Number::from_option(value);
                    }),
                },
            }
        };
    }
    macro_rules! combo {
        ($name:literal, $($place:ident).+, $($word:literal => $value:expr),+) => {
            Row {
                name: $name,
                group: OptionGroup::General,
                kind: RowKind::Combo {
                    values: vec![$($word),+],
                    in_words: None,
                    default: [$($value),+]
                        .iter()
                        .position(|value| *value == defaults.$($place).+)
                        .unwrap_or(0),
                    set: |settings: &mut Settings, index| {
                        settings.$($place).+ = [$($value),+][index];
                        Ok(Vec::new())
                    },
                },
            }
        };
    }
    let mut general = vec![
        spin!("Hash", hash, 1, 32_768),
        spin!("Threads", threads, 1, MOST_THREADS as i64),
        spin!("MultiPV", search.multi_pv, 1, 256),
        check!("Ponder", ponder),
        spin!("Move Overhead", move_overhead, 0, 5_000),
        spin!("Seed", search.seed, 0, i64::MAX),
        check!("UCI_ShowWDL", show_wdl),
        check!("UCI_AnalyseMode", analyse_mode),
    ];
    if let [first, .., last] = strengths {
        let mut elo = spin!("UCI_Elo", elo, first.elo.into(), last.elo.into());
        if let RowKind::Spin { default, min, max, .. } = &mut elo.kind {
            *default = (*default).clamp(*min, *max);
        }
        general.extend([check!("UCI_LimitStrength", limit_strength), elo]);
    }
    let evaluation = vec![combo!("Evaluation", evaluation,
        "net" => EvaluationKind::Net,
        "linear" => EvaluationKind::Linear)];
    let search = vec![
        combo!("SearchMode", method,
            "pvs" => Method::Deepening(SearchMode::Pvs),
            "mtdf" => Method::Deepening(SearchMode::Mtdf),
            "alphabeta" => Method::Deepening(SearchMode::AlphaBeta),
            "minimax" => Method::Deepening(SearchMode::Minimax),
            "expectiminimax" => Method::Deepening(SearchMode::Expectiminimax),
            "mcts" => Method::MonteCarlo,
            "random" => Method::Random),
        check!("Selective", search.selective),
        check!("Iterative", search.iterative),
        spin!("Width", search.width, 0, 10_000),
        spin!("ChancePlies", search.chance_plies, 0, MAX_PLY as i64),
        check!("RulesOfThumb", rules_of_thumb),
    ];
    let selective_deepening = vec![
        spin!("MsdKeepRate", search.msd.keep_rate, 1, 100),
        spin!("MsdKeepFall", search.msd.keep_fall, 0, 99),
        spin!("MsdVolatileKeepRate", search.msd.volatile_keep_rate, 1, 100),
        spin!("MsdVolatilePlies", search.msd.volatile_plies, 0, 64),
        check!("MsdWin", search.msd.terms.win),
        check!("MsdCapture", search.msd.terms.capture),
        check!("MsdEscape", search.msd.terms.escape),
        check!("MsdRepetition", search.msd.terms.repetition),
        check!("MsdExposure", search.msd.terms.exposure),
        spin!("MsdTheta", search.msd.terms.theta, 0, 1_000),
        spin!("MsdGamma", search.msd.terms.gamma, 0, 1_000),
        spin!("MsdThetaEnd", search.msd.terms.theta_end, -1, 1_000),
        spin!("MsdGammaEnd", search.msd.terms.gamma_end, -1, 1_000),
    ];
    let monte_carlo = vec![
        combo!("Selection", search.sampling.selection, "uct" => Selection::Uct, "puct" => Selection::Puct),
        spin!("NetCache", net_cache, 0, 32_768),
        spin!("Exploration", search.sampling.exploration, -1, 100_000),
        combo!("Expansion", search.sampling.expansion,
            "auto" => None,
            "all" => Some(Expansion::All),
            "one" => Some(Expansion::One),
            "evaluated" => Some(Expansion::Evaluated)),
        spin!("PlayoutPlies", search.sampling.playout_plies, -1, 1_000),
        spin!("Epsilon", search.sampling.epsilon, 0, 100),
        combo!("FinalMove", search.sampling.final_move,
            "visits" => FinalMove::Visits,
            "value" => FinalMove::Value),
        check!("KeepTree", search.sampling.keep_tree),
        check!("ProveResults", search.sampling.prove),
        spin!("BatchSize", search.sampling.batch, 1, 512),
        spin!("Simulations", search.sampling.simulations, 0, 1_000_000_000),
        combo!("RootSelection", search.sampling.root_selection,
            "puct" => RootSelection::Puct,
            "gumbel" => RootSelection::Gumbel),
        spin!("GumbelActions", search.sampling.gumbel_actions, 1, 10_000),
        spin!("GumbelNoise", search.sampling.gumbel_noise, 0, 1_000),
        combo!("NoiseAt", search.sampling.noise_at, "root" => NoiseAt::Root, "leaves" => NoiseAt::Leaves),
        spin!("DirichletWeight", search.sampling.noise_weight, 0, 100),
        spin!("DirichletAlpha", search.sampling.noise_alpha, 1, 100_000),
        spin!("Temperature", search.sampling.temperature, 0, 1_000),
        spin!("TemperatureMoves", search.sampling.temperature_moves, 0, 10_000),
    ];
    #[cfg(feature = "tuning")]
    let tuning = Constants::TABLE.iter().map(|constant| Row {
        name: constant.name,
        group: OptionGroup::Tuning,
        kind: RowKind::Spin {
            default: constant.default.into(),
            min: constant.min.into(),
            max: constant.max.into(),
            set: Box::new(|settings: &mut Settings, value| {
                settings.search.constants.set(constant, Number::from_option(value));
            }),
        },
    });
    #[cfg(not(feature = "tuning"))]
    let tuning = std::iter::empty();
    let groups = [
        (OptionGroup::General, general),
        (OptionGroup::Evaluation, evaluation),
        (OptionGroup::Search, search),
        (OptionGroup::SelectiveDeepening, selective_deepening),
        (OptionGroup::MonteCarlo, monte_carlo),
    ];
    let rows =
        groups.into_iter().flat_map(|(group, rows)| rows.into_iter().map(move |row| Row { group, ..row }));
    rows.chain(tuning).collect()
}

/// The row of that name; case does not matter.
pub(super) fn find<'a, T>(rows: &'a [Row<T>], name: &str) -> Option<&'a Row<T>> {
    rows.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl<T> Row<T> {
    /// The option as it is announced.
    pub(super) fn spec(&self) -> OptionSpec {
        let kind = match &self.kind {
            RowKind::Check { default, .. } => OptionKind::Check { default: *default },
            &RowKind::Spin { default, min, max, .. } => OptionKind::Spin { default, min, max },
            RowKind::Combo { values, default, .. } => {
                let default = values.get(*default).copied().unwrap_or_default();
                OptionKind::Combo { default, values: values.clone() }
            }
            RowKind::Text { .. } => OptionKind::Text,
            RowKind::Button { .. } => OptionKind::Button,
        };
        OptionSpec { name: self.name, group: self.group, kind }
    }

    /// Sets the option of `target`. It is unchanged if the value is refused.
    pub(super) fn set(&self, target: &mut T, value: &str) -> SetResult {
        let refuse = |expected| OptionError::Value { name: self.name, value: value.to_owned(), expected };
        match &self.kind {
            RowKind::Check { set, .. } => {
                let on = value.to_ascii_lowercase().parse();
                set(target, on.map_err(|_| refuse("`true` or `false`".to_owned()))?);
            }
            RowKind::Spin { min, max, set, .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(&number));
                set(target, number.ok_or_else(|| refuse(format!("a whole number from {min} to {max}")))?);
            }
            RowKind::Combo { values, in_words, set, .. } => {
                let index = values.iter().position(|word| word.eq_ignore_ascii_case(value));
                let expected =
                    || in_words.map_or_else(|| format!("one of: {}", values.join(", ")), str::to_owned);
                return set(target, index.ok_or_else(|| refuse(expected()))?);
            }
            RowKind::Text { set } => return set(target, value),
            RowKind::Button { press } => press(target),
        }
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRENGTHS: [Strength; 2] =
        [Strength { elo: 1000, nodes: 100, random: 0 }, Strength { elo: 1500, nodes: 1_000, random: 0 }];

    #[test]
    fn the_range_of_strengths_is_what_has_been_measured() {
        assert!(find(&rows(&[]), "UCI_Elo").is_none());
        let rows = rows(&STRENGTHS);
        let elo = find(&rows, "uci_elo").unwrap();
        assert_eq!(elo.spec().kind, OptionKind::Spin { default: 1000, min: 1000, max: 1500 });
        let mut settings = Settings::default();
        assert!(elo.set(&mut settings, "999").is_err());
        elo.set(&mut settings, "1200").unwrap();
        assert_eq!((settings.elo, settings.limit_strength), (1200, false));
    }

    #[test]
    fn an_option_at_its_default_changes_nothing() {
        for row in rows(&[]) {
            let default = match row.spec().kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } => default.to_owned(),
                OptionKind::Text | OptionKind::Button => panic!("{} is no setting", row.name),
            };
            let mut settings = Settings::default();
            row.set(&mut settings, &default).unwrap();
            assert_eq!(settings, Settings::default(), "{}", row.name);
        }
    }

    #[test]
    fn every_option_has_a_place_of_its_own() {
        let mut changed = Vec::new();
        for row in rows(&STRENGTHS) {
            let other = match row.spec().kind {
                OptionKind::Check { default } => (!default).to_string(),
                OptionKind::Spin { default, min, max } if min < max => {
                    (if default == max { min } else { max }).to_string()
                }
                OptionKind::Combo { values, .. } if values.len() > 1 => values[1].to_owned(),
                _ => continue,
            };
            let mut settings = Settings::default();
            row.set(&mut settings, &other).unwrap();
            assert!(settings != Settings::default() && !changed.contains(&settings), "{}", row.name);
            changed.push(settings);
        }
    }
}
