//! The options of an engine: each is declared once, as a row.

use std::fmt;

use thiserror::Error;

use crate::eval::{MAX_PLY, WeightsError};
use crate::game::quote;
use crate::search::{Method, Options};

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
    /// What the random numbers of a search depend on.
    pub seed: u64,
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
            elo: u32::MAX,
            seed: 0,
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
    Row {
        name: HASH,
        kind: RowKind::Spin {
            default: 16,
            min: 1,
            max: 32_768,
            place: |settings, mib| settings.hash = mib as usize,
        },
    },
    Row {
        name: "Threads",
        kind: RowKind::Spin {
            default: 1,
            min: 1,
            max: 256,
            place: |settings, threads| settings.threads = threads as usize,
        },
    },
    Row {
        name: "MultiPV",
        kind: RowKind::Spin {
            default: 1,
            min: 1,
            max: 256,
            place: |settings, n| settings.search.multi_pv = n as usize,
        },
    },
    Row {
        name: "Move Overhead",
        kind: RowKind::Spin {
            default: 10,
            min: 0,
            max: 5_000,
            place: |settings, ms| settings.move_overhead = ms as u64,
        },
    },
    Row {
        name: "SearchMode",
        kind: RowKind::Combo {
            values: &Method::NAMES,
            place: |settings, i| settings.method = Method::ALL[i],
        },
    },
    Row {
        name: "Selective",
        kind: RowKind::Check { default: true, place: |settings, on| settings.search.selective = on },
    },
    Row {
        name: "Width",
        kind: RowKind::Spin {
            default: 0,
            min: 0,
            max: 10_000,
            place: |settings, moves| settings.search.width = moves as usize,
        },
    },
    Row {
        name: "PlayoutPlies",
        kind: RowKind::Spin {
            default: -1,
            min: -1,
            max: 1_000,
            place: |settings, plies| settings.search.playout_plies = u32::try_from(plies).ok(),
        },
    },
    Row {
        name: "ChancePlies",
        kind: RowKind::Spin {
            default: 0,
            min: 0,
            max: MAX_PLY as i64,
            place: |settings, plies| settings.search.chance_plies = plies as usize,
        },
    },
    Row {
        name: "RulesOfThumb",
        kind: RowKind::Check { default: false, place: |settings, on| settings.rules_of_thumb = on },
    },
    Row {
        name: "Seed",
        kind: RowKind::Spin {
            default: 0,
            min: 0,
            max: i64::MAX,
            place: |settings, seed| settings.seed = seed as u64,
        },
    },
    Row {
        name: "UCI_ShowWDL",
        kind: RowKind::Check { default: false, place: |settings, on| settings.show_wdl = on },
    },
    // A GUI only wants to see it; pondering itself is asked for by `go ponder`.
    Row { name: "Ponder", kind: RowKind::Check { default: false, place: |_, _| {} } },
];

/// The options of a game whose strength has been measured, see [`Knowledge::STRENGTHS`](crate::game::Knowledge::STRENGTHS).
pub(super) fn strength(strengths: &[(u32, u64)]) -> Vec<Row> {
    let ([(least, _), ..], [.., (most, _)]) = (strengths, strengths) else { return Vec::new() };
    let (min, max) = (i64::from(*least), i64::from(*most));
    let limit = RowKind::Check { default: false, place: |settings, on| settings.limit_strength = on };
    let elo = RowKind::Spin { default: min, min, max, place: |settings, elo| settings.elo = elo as u32 };
    vec![Row { name: "UCI_LimitStrength", kind: limit }, Row { name: "UCI_Elo", kind: elo }]
}

/// Nodes of a move that plays as strong as `elo`: between two of the strengths, an Elo more takes the same share more.
pub(super) fn nodes_for(strengths: &[(u32, u64)], elo: u32) -> Option<u64> {
    let (&(least, few), &(most, many)) = (strengths.first()?, strengths.last()?);
    if elo <= least {
        return Some(few);
    }
    if elo >= most {
        return Some(many);
    }
    let (below, above) = strengths.iter().zip(&strengths[1..]).find(|(_, above)| elo <= above.0)?;
    let share = f64::from(elo - below.0) / f64::from(above.0 - below.0);
    Some((below.1 as f64 * (above.1 as f64 / below.1 as f64).powf(share)).round() as u64)
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
