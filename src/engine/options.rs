//! The options of an engine: each is declared once, as a row.

use std::fmt;

use thiserror::Error;

use crate::eval::{MAX_PLY, Strength, WeightsError};
use crate::game::quote;
use crate::search::{Expansion, FinalMove, Method, Options, Selection};

/// The values of the options that all games share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Threads that a search by depth runs on.
    pub threads: usize,
    /// How the searches by depth go about it.
    pub search: Options,
    /// Time kept back in every move, in milliseconds.
    pub move_overhead: u64,
    /// Which search looks for the move.
    pub method: Method,
    /// Whether the moves of the root are those that the game's rules of thumb leave.
    pub rules_of_thumb: bool,
    /// Whether lines of play come with the likelihood of their results.
    pub show_wdl: bool,
    /// Whether the engine plays no stronger than `elo`, in a game whose strength has been measured.
    pub limit_strength: bool,
    /// How strong it plays then, in Elo; what is not within the game's range counts as the end that is nearer.
    pub elo: u32,
}

impl Default for Settings {
    fn default() -> Self {
        let mut settings = Settings {
            hash: 0,
            threads: 1,
            search: Options::default(),
            move_overhead: 0,
            method: Method::ALL[0],
            rules_of_thumb: false,
            show_wdl: false,
            limit_strength: false,
            elo: 0,
        };
        for row in SHARED {
            row.reset(&mut settings);
        }
        settings
    }
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Value at the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Value at the start.
        default: i64,
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// One of some words.
    Combo {
        /// The words, the default first.
        values: Vec<&'static str>,
    },
    /// Any text.
    Text,
    /// No value: setting it does something.
    Button,
}

/// An option as the protocol announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name; case does not matter.
    pub name: &'static str,
    /// Its values.
    pub kind: OptionKind,
}

impl fmt::Display for OptionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo { values } => {
                write!(f, "combo default {}", values.first().unwrap_or(&""))?;
                values.iter().try_for_each(|value| write!(f, " var {value}"))
            }
            OptionKind::Text => f.write_str("string default <empty>"),
            OptionKind::Button => f.write_str("button"),
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
        /// What it takes.
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
}

/// An option of all games: what it is, and where it goes.
pub(super) struct Row {
    pub(super) name: &'static str,
    kind: RowKind,
}

/// The kind of an option together with its place in the settings.
enum RowKind {
    Check { default: bool, place: fn(&mut Settings, bool) },
    Spin { default: i64, min: i64, max: i64, place: fn(&mut Settings, i64) },
    Combo { values: &'static [&'static str], place: fn(&mut Settings, usize) },
}

/// The options of all games. What needs more than a place in [`Settings`] is the session's.
pub(super) const SHARED: &[Row] = &[
    spin(HASH, 16, 1, 32_768, |settings, mib| settings.hash = mib as usize),
    spin("Threads", 1, 1, 256, |settings, threads| settings.threads = threads as usize),
    spin("MultiPV", 1, 1, 256, |settings, lines| settings.search.multi_pv = lines as usize),
    spin("Move Overhead", 10, 0, 5_000, |settings, ms| settings.move_overhead = ms as u64),
    combo("SearchMode", &Method::NAMES, |settings, index| settings.method = Method::ALL[index]),
    check("Selective", true, |settings, on| settings.search.selective = on),
    check("Iterative", true, |settings, on| settings.search.iterative = on),
    spin("Width", 0, 0, 10_000, |settings, moves| settings.search.width = moves as usize),
    spin("KeepRate", 100, 1, 100, |settings, percent| settings.search.msd.keep_rate = percent as u32),
    spin("KeepFall", 0, 0, 99, |settings, points| settings.search.msd.keep_fall = points as u32),
    spin("HotKeepRate", 1, 1, 100, |settings, percent| {
        settings.search.msd.volatile_keep_rate = percent as u32
    }),
    spin("HotPlies", 0, 0, 64, |settings, plies| settings.search.msd.volatile_plies = plies as usize),
    check("PromiseWin", true, |settings, on| settings.search.msd.terms.win = on),
    check("PromiseCapture", true, |settings, on| settings.search.msd.terms.capture = on),
    check("PromiseEscape", true, |settings, on| settings.search.msd.terms.escape = on),
    check("PromiseRepetition", true, |settings, on| settings.search.msd.terms.repetition = on),
    check("PromiseExposure", true, |settings, on| settings.search.msd.terms.exposure = on),
    spin("Theta", 60, 0, 1_000, |settings, percent| settings.search.msd.terms.theta = percent as i32),
    spin("Gamma", 40, 0, 1_000, |settings, percent| settings.search.msd.terms.gamma = percent as i32),
    spin("ThetaEnd", -1, -1, 1_000, |settings, percent| {
        settings.search.msd.terms.theta_end = (percent >= 0).then_some(percent as i32);
    }),
    spin("GammaEnd", -1, -1, 1_000, |settings, percent| {
        settings.search.msd.terms.gamma_end = (percent >= 0).then_some(percent as i32);
    }),
    combo("Selection", &["uct", "puct"], |settings, index| {
        settings.search.sampling.selection = [Selection::Uct, Selection::Puct][index];
    }),
    spin("Exploration", -1, -1, 100_000, |settings, thousandths| {
        settings.search.sampling.exploration = u32::try_from(thousandths).ok();
    }),
    combo("Expansion", &["auto", "all", "one", "evaluated"], |settings, index| {
        let expansions = [None, Some(Expansion::All), Some(Expansion::One), Some(Expansion::Evaluated)];
        settings.search.sampling.expansion = expansions[index];
    }),
    spin("PlayoutPlies", -1, -1, 1_000, |settings, plies| {
        settings.search.sampling.playout_plies = u32::try_from(plies).ok();
    }),
    spin("Epsilon", 100, 0, 100, |settings, percent| settings.search.sampling.epsilon = percent as u32),
    combo("FinalMove", &["visits", "value"], |settings, index| {
        settings.search.sampling.final_move = [FinalMove::Visits, FinalMove::Value][index];
    }),
    check("KeepTree", true, |settings, on| settings.search.sampling.keep_tree = on),
    check("ProveResults", true, |settings, on| settings.search.sampling.prove = on),
    spin("ChancePlies", 0, 0, MAX_PLY as i64, |settings, plies| {
        settings.search.chance_plies = plies as usize
    }),
    spin("BatchSize", 1, 1, 512, |settings, leaves| settings.search.sampling.batch = leaves as usize),
    check("RulesOfThumb", false, |settings, on| settings.rules_of_thumb = on),
    spin("Seed", 0, 0, i64::MAX, |settings, seed| settings.search.seed = seed as u64),
    check("UCI_ShowWDL", false, |settings, on| settings.show_wdl = on),
    // A GUI only wants to see it; pondering itself is asked for by `go ponder`.
    check("Ponder", false, |_, _| {}),
];

/// A row whose value is yes or no.
const fn check(name: &'static str, default: bool, place: fn(&mut Settings, bool)) -> Row {
    Row { name, kind: RowKind::Check { default, place } }
}

/// A row whose value is a whole number.
const fn spin(name: &'static str, default: i64, min: i64, max: i64, place: fn(&mut Settings, i64)) -> Row {
    Row { name, kind: RowKind::Spin { default, min, max, place } }
}

/// A row whose value is one of some words, the default first.
const fn combo(name: &'static str, values: &'static [&'static str], place: fn(&mut Settings, usize)) -> Row {
    Row { name, kind: RowKind::Combo { values, place } }
}

/// The options of a game whose strength has been measured, see [`Scale::strengths`](crate::eval::Scale).
pub(super) fn strength(strengths: &[Strength]) -> Vec<Row> {
    let [first, .., last] = strengths else { return Vec::new() };
    let (min, max) = (i64::from(first.elo), i64::from(last.elo));
    vec![
        check("UCI_LimitStrength", false, |settings, on| settings.limit_strength = on),
        spin("UCI_Elo", min, min, max, |settings, elo| settings.elo = elo as u32),
    ]
}

/// Nodes of a move that plays as strong as `elo`: between two of the strengths, an Elo more takes the same share more.
pub(super) fn nodes_for(strengths: &[Strength], elo: u32) -> Option<u64> {
    let (first, last) = (strengths.first()?, strengths.last()?);
    if elo <= first.elo {
        return Some(first.nodes);
    }
    if elo >= last.elo {
        return Some(last.nodes);
    }
    let (below, above) = strengths.iter().zip(&strengths[1..]).find(|(_, above)| elo <= above.elo)?;
    let share = f64::from(elo - below.elo) / f64::from(above.elo - below.elo);
    let factor = above.nodes as f64 / below.nodes as f64;
    Some((below.nodes as f64 * factor.powf(share)).round() as u64)
}

/// The option whose value is memory.
pub(super) const HASH: &str = "Hash";

impl Row {
    /// The option as it is announced.
    pub(super) fn spec(&self) -> OptionSpec {
        let kind = match self.kind {
            RowKind::Check { default, .. } => OptionKind::Check { default },
            RowKind::Spin { default, min, max, .. } => OptionKind::Spin { default, min, max },
            RowKind::Combo { values, .. } => OptionKind::Combo { values: values.to_vec() },
        };
        OptionSpec { name: self.name, kind }
    }

    /// Whether a name is that of the option.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Sets the option in `settings`, which stay as they are if the value is refused.
    pub(super) fn set(&self, settings: &mut Settings, value: &str) -> Result<(), OptionError> {
        let refuse = |expected| OptionError::Value { name: self.name, value: value.to_owned(), expected };
        match self.kind {
            RowKind::Check { place, .. } => {
                let on = value.parse().map_err(|_| refuse("`true` or `false`".to_owned()))?;
                place(settings, on);
            }
            RowKind::Spin { min, max, place, .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(number));
                let number = number.ok_or_else(|| refuse(format!("a whole number from {min} to {max}")))?;
                place(settings, number);
            }
            RowKind::Combo { values, place } => place(settings, choose(self.name, values, value)?),
        }
        Ok(())
    }

    /// Sets the option to what it is at the start.
    fn reset(&self, settings: &mut Settings) {
        match self.kind {
            RowKind::Check { default, place } => place(settings, default),
            RowKind::Spin { default, place, .. } => place(settings, default),
            RowKind::Combo { place, .. } => place(settings, 0),
        }
    }
}

/// The index of a word among those that an option takes; case does not matter.
pub(super) fn choose(name: &'static str, values: &[&str], value: &str) -> Result<usize, OptionError> {
    let index = values.iter().position(|word| word.eq_ignore_ascii_case(value));
    index.ok_or_else(|| {
        let expected = format!("one of: {}", values.join(", "));
        OptionError::Value { name, value: value.to_owned(), expected }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_is_measured_in_nodes() {
        let strengths =
            [(1000, 100), (1500, 1_000), (2000, 100_000)].map(|(elo, nodes)| Strength { elo, nodes });
        for (elo, nodes) in [
            (0, 100),
            (1000, 100),
            (1250, 316), // half way from 2 to 3 on the scale of logarithms
            (1500, 1_000),
            (1750, 10_000),
            (2000, 100_000),
            (u32::MAX, 100_000),
        ] {
            assert_eq!(nodes_for(&strengths, elo), Some(nodes), "{elo}");
        }
        assert_eq!(nodes_for(&[], 1000), None);
        assert!(strength(&[]).is_empty());
    }

    #[test]
    fn the_range_of_strengths_is_what_has_been_measured() {
        let rows = strength(&[Strength { elo: 1000, nodes: 100 }, Strength { elo: 1500, nodes: 1_000 }]);
        assert_eq!(
            rows[1].spec().to_string(),
            "option name UCI_Elo type spin default 1000 min 1000 max 1500"
        );
        let mut settings = Settings::default();
        assert!(rows[1].set(&mut settings, "999").is_err());
        rows[1].set(&mut settings, "1200").unwrap();
        assert_eq!((settings.elo, settings.limit_strength), (1200, false));
    }
}
