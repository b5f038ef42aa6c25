//! Weights of a feature set, and the format of weights files.
//!
//! A weights file is a JSON object:
//!
//! ```json
//! {
//!   "game": "neighbours",
//!   "set": "base",
//!   "version": 1,
//!   "source": "where the numbers come from",
//!   "weights": { "piecesForMe": 8.0, "piecesForOther": -8.0 },
//!   "crc32": "89abcdef"
//! }
//! ```
//!
//! `weights` has every feature of the set once, in any order; `source` may be left out. `crc32` is the
//! checksum of all that the file says. Weights made by hand may go without.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::game::{FeatureSet, Knowledge, counted, quote, quote_path};
use crate::input;

/// The version of the file format. Other versions are refused.
const VERSION: u32 = 1;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Parsed shipped weights, by game and index of the set.
static SHIPPED: Mutex<BTreeMap<(&'static str, usize), Weights>> = Mutex::new(BTreeMap::new());

/// The weights of one feature set of one game; all finite. Copies share the values.
#[derive(Clone, Debug)]
pub struct Weights {
    game: &'static str,
    set: usize,
    features: &'static FeatureSet,
    source: String,
    values: Arc<[f64]>,
    /// Whether they come from a file without a checksum.
    is_unchecked: bool,
}

impl PartialEq for Weights {
    fn eq(&self, other: &Weights) -> bool {
        (self.game, self.set, &self.source, &self.values)
            == (other.game, other.set, &other.source, &other.values)
    }
}

impl PartialEq for FeatureSet {
    fn eq(&self, other: &FeatureSet) -> bool {
        self.name == other.name
    }
}

/// An error in weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("weights file {}: {error}", quote_path(.path))]
    Unreadable {
        /// Its path.
        path: String,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The file does not have the form of a weights file.
    #[error("weights file: {0}")]
    Format(#[from] serde_json::Error),
    /// The file has another version of the format.
    #[error("weights file: version {found}, expected {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// The weights belong to another game.
    #[error("weights of game {}, expected `{expected}`", quote(.found))]
    Game {
        /// Their game.
        found: String,
        /// The game in play.
        expected: &'static str,
    },
    /// The weights belong to a feature set that the game does not have, or to another one than requested.
    #[error("weights of set {}, expected {expected}", quote(.found))]
    Set {
        /// Their set.
        found: String,
        /// The sets that are accepted.
        expected: String,
    },
    /// A feature without a weight.
    #[error("weight `{name}` is missing")]
    Missing {
        /// Name of the feature.
        name: &'static str,
    },
    /// A weight without a feature.
    #[error("weight {} is unknown in set `{set}`", quote(.name))]
    Unknown {
        /// Name of the weight.
        name: String,
        /// The set in use.
        set: &'static str,
    },
    /// A weight that is given twice.
    #[error("weight `{name}` is given twice")]
    Duplicate {
        /// Name of the feature.
        name: &'static str,
    },
    /// A weight that is not a finite number.
    #[error("weight {}: {} is not a finite number", quote(.name), quote(.found))]
    Value {
        /// Name of the weight.
        name: String,
        /// The text.
        found: String,
    },
    /// A file has changed since it was written.
    #[error(
        "weights file: checksum {found:08x}, expected {}: damaged, or changed by hand, then leave out \
         `crc32`",
        quote(.expected)
    )]
    Checksum {
        /// The checksum of what the file says.
        found: u32,
        /// That in the file.
        expected: String,
    },
    /// A list of weights that is too short or too long.
    #[error("{}, but set `{set}` has {expected}", counted(.found, "weight"))]
    Count {
        /// Weights in the list.
        found: usize,
        /// Weights of the set.
        expected: usize,
        /// The set in use.
        set: &'static str,
    },
}

/// The JSON object of a weights file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: String,
    set: String,
    version: u32,
    #[serde(default)]
    source: String,
    weights: Entries,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc32: Option<String>,
}

/// Names and values in the order of the file, repeated names included.
struct Entries(Vec<(String, String)>);

impl Weights {
    /// The shipped weights of the set `G::SETS[set]`. They are parsed once per process.
    ///
    /// # Errors
    /// Those of [`Weights::parse`].
    pub fn shipped<G: Knowledge>(set: usize) -> Result<Weights, WeightsError> {
        let mut shipped = SHIPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(weights) = shipped.get(&(G::info().name, set)) {
            return Ok(weights.clone());
        }
        let features = &G::SETS[set];
        let weights = match features.default_weights {
            Some(text) => Weights::parse::<G>(text)?,
            None => {
                let values = vec![G::INITIAL_WEIGHT; features.features.len()].into();
                let source = if G::INITIAL_WEIGHT == 0.0 { "zeros" } else { "unlearned" }.to_owned();
                Weights { game: G::info().name, set, features, source, values, is_unchecked: false }
            }
        };
        shipped.insert((G::info().name, set), weights.clone());
        Ok(weights)
    }

    /// Reads a weights file for one of the sets of the game `G`.
    ///
    /// # Errors
    /// [`WeightsError::Unreadable`], and those of [`Weights::parse`].
    pub fn load<G: Knowledge>(path: &Path) -> Result<Weights, WeightsError> {
        let text = input::read_text(path, MAX_BYTES)
            .map_err(|error| WeightsError::Unreadable { path: path.display().to_string(), error })?;
        Weights::parse::<G>(&text)
    }

    /// Reads the text of a weights file for one of the sets of the game `G`.
    ///
    /// # Errors
    /// Any of [`WeightsError`] but `Unreadable` and `Count`.
    pub fn parse<G: Knowledge>(text: &str) -> Result<Weights, WeightsError> {
        let file: File = serde_json::from_str(text)?;
        if file.version != VERSION {
            return Err(WeightsError::Version { found: file.version });
        }
        if file.game != G::info().name {
            return Err(WeightsError::Game { found: file.game, expected: G::info().name });
        }
        let Some(set) = G::SETS.iter().position(|set| set.name == file.set) else {
            let names: Vec<_> = G::SETS.iter().map(|set| set.name).collect();
            return Err(WeightsError::Set {
                found: file.set,
                expected: format!("one of: {}", names.join(", ")),
            });
        };
        let features = &G::SETS[set];
        let mut values = vec![None; features.features.len()];
        for (name, text) in file.weights.0 {
            let index = find(features, &name)?;
            let value = parse_value(&name, &text)?;
            if values[index].replace(value).is_some() {
                return Err(WeightsError::Duplicate { name: features.features[index] });
            }
        }
        let values = features.features.iter().zip(values);
        let values = values.map(|(name, value)| value.ok_or(WeightsError::Missing { name }));
        let values = values.collect::<Result<_, _>>()?;
        let (game, source, is_unchecked) = (G::info().name, file.source, file.crc32.is_none());
        let weights = Weights { game, set, features, source, values, is_unchecked };
        match file.crc32 {
            Some(expected) if expected != format!("{:08x}", weights.checksum()) => {
                Err(WeightsError::Checksum { found: weights.checksum(), expected })
            }
            _ => Ok(weights),
        }
    }

    /// The checksum of all that a file says.
    fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for text in [self.game, self.features.name, &self.source] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        self.values.iter().for_each(|value| hasher.update(&value.to_le_bytes()));
        hasher.finalize()
    }

    /// Whether they come from a file without a checksum, as made by hand.
    pub fn is_unchecked(&self) -> bool {
        self.is_unchecked
    }

    /// These weights with all values replaced, in the order of the set.
    ///
    /// # Errors
    /// [`WeightsError::Count`] or [`WeightsError::Value`].
    pub fn with_values<S: AsRef<str>>(&self, texts: &[S]) -> Result<Weights, WeightsError> {
        let names = self.features.features;
        if texts.len() != names.len() {
            let (found, expected) = (texts.len(), names.len());
            return Err(WeightsError::Count { found, expected, set: self.features.name });
        }
        let pairs = names.iter().zip(texts).map(|(name, text)| (*name, text.as_ref()));
        self.with_named(pairs)
    }

    /// These weights with some values replaced, by name.
    ///
    /// # Errors
    /// [`WeightsError::Unknown`], [`WeightsError::Duplicate`] or [`WeightsError::Value`].
    pub fn with_named<'a>(
        &self,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Weights, WeightsError> {
        let mut values = self.values.to_vec();
        let mut seen = vec![false; values.len()];
        for (name, text) in pairs {
            let index = find(self.features, name)?;
            values[index] = parse_value(name, text)?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(WeightsError::Duplicate { name: self.features.features[index] });
            }
        }
        let source = "set by hand".to_owned();
        Ok(Weights { source, values: values.into(), is_unchecked: false, ..*self })
    }

    /// These weights with all values replaced by learned ones, rounded to 10⁻⁴, in the order of the set, and
    /// with their `source`.
    ///
    /// # Errors
    /// [`WeightsError::Count`] or [`WeightsError::Value`].
    pub fn learned(&self, values: &[f64], source: String) -> Result<Weights, WeightsError> {
        let texts: Vec<_> = values.iter().map(|value| ((value * 1e4).round() / 1e4).to_string()).collect();
        Ok(Weights { source, ..self.with_values(&texts)? })
    }

    /// The name of the game.
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// The name of the feature set.
    pub fn set_name(&self) -> &'static str {
        self.features.name
    }

    /// The index of the feature set.
    pub fn set(&self) -> usize {
        self.set
    }

    /// The values in the order of the set's features.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The weights as the text of a weights file.
    pub fn to_json(&self) -> String {
        let names = self.features.features.iter().map(|&name| name.to_owned());
        let values = self.values.iter().map(f64::to_string);
        let file = File {
            game: self.game.to_owned(),
            set: self.features.name.to_owned(),
            version: VERSION,
            source: self.source.clone(),
            weights: Entries(names.zip(values).collect()),
            crc32: Some(format!("{:08x}", self.checksum())),
        };
        serde_json::to_string_pretty(&file).expect("names and finite numbers are JSON")
    }
}

/// The index of a feature.
fn find(features: &'static FeatureSet, name: &str) -> Result<usize, WeightsError> {
    let index = features.features.iter().position(|&feature| feature == name);
    index.ok_or_else(|| WeightsError::Unknown { name: name.to_owned(), set: features.name })
}

/// A finite number.
fn parse_value(name: &str, text: &str) -> Result<f64, WeightsError> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| WeightsError::Value { name: name.to_owned(), found: text.to_owned() })
}

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, text) in &self.0 {
            let value = text.parse::<f64>().map_err(serde::ser::Error::custom)?;
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                // Raw text, so that a number out of range is refused by its name and not by its column.
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    entries.push((name, value.get().to_owned()));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(EntriesVisitor)
    }
}
