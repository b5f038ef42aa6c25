//! The options and weights set on an engine, for its copies and pickles.

use labrys::engine::WeightsSource;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// A change of an engine.
#[derive(Clone)]
pub(super) enum Change {
    Option(String, String),
    Weights(WeightsSource),
}

/// A pickled change: its kind, and names with their values.
pub(super) type PickledChange = (String, Vec<(String, String)>);

impl Change {
    /// Whether it may change the weights.
    fn is_of_weights(&self) -> bool {
        match self {
            Change::Option(name, _) => matches!(&**name, "FeatureSet" | "WeightsFile"),
            Change::Weights(_) => true,
        }
    }

    fn pickled(self) -> PickledChange {
        match self {
            Change::Option(name, value) => ("option".to_owned(), vec![(name, value)]),
            Change::Weights(WeightsSource::Named(pairs)) => ("weights".to_owned(), pairs),
            Change::Weights(WeightsSource::File(path)) => {
                ("weights file".to_owned(), vec![(path, String::new())])
            }
            Change::Weights(_) => ("shipped weights".to_owned(), Vec::new()),
        }
    }

    fn unpickled((kind, pairs): PickledChange) -> PyResult<Change> {
        match (&*kind, pairs.first().cloned()) {
            ("option", Some((name, value))) => Ok(Change::Option(name, value)),
            ("weights", _) => Ok(Change::Weights(WeightsSource::Named(pairs))),
            ("weights file", Some((path, _))) => Ok(Change::Weights(WeightsSource::File(path))),
            ("shipped weights", _) => Ok(Change::Weights(WeightsSource::Default)),
            _ => Err(PyKeyError::new_err(kind)),
        }
    }
}

/// The changes to repeat on a copy.
#[derive(Clone, Default)]
pub(super) struct Changes(Vec<Change>);

impl Changes {
    pub(super) fn pickled(self) -> Vec<PickledChange> {
        self.0.into_iter().map(Change::pickled).collect()
    }

    pub(super) fn unpickled(changes: Vec<PickledChange>) -> PyResult<Changes> {
        Ok(Changes(changes.into_iter().map(Change::unpickled).collect::<PyResult<_>>()?))
    }

    /// The options that have been set, with their values.
    pub(super) fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|change| match change {
            Change::Option(name, value) => Some((&**name, &**value)),
            Change::Weights(_) => None,
        })
    }

    /// The last value of an option of type string. Other changes of the weights reset the name of the weights
    /// file.
    pub(super) fn text(&self, name: &str) -> String {
        let of_weights = name == "WeightsFile";
        let last = self.0.iter().rev().find_map(|change| match change {
            Change::Option(known, value) if known == name => Some(value.clone()),
            Change::Weights(WeightsSource::File(path)) if of_weights => Some(path.clone()),
            other => (of_weights && other.is_of_weights()).then(String::new),
        });
        last.filter(|text| text != "<empty>").unwrap_or_default()
    }

    /// Adds a change.
    pub(super) fn add(&mut self, change: Change) {
        match &change {
            Change::Option(name, _) => {
                // Changes before the last weights stay: setting the feature set after them would replace
                // them.
                let weights = self.0.iter().rposition(Change::is_of_weights);
                let later = self.0.split_off(weights.map_or(0, |place| place + 1));
                let is_other = |known: &Change| !matches!(known, Change::Option(other, _) if other == name);
                self.0.extend(later.into_iter().filter(is_other));
            }
            // It has all weights, and selects their feature set.
            Change::Weights(WeightsSource::File(_)) => self.remove(|_, _| true),
            // These are the ones of the feature set that a file before them has selected.
            Change::Weights(WeightsSource::Default) => {
                self.remove(|_, source| !matches!(source, WeightsSource::File(_)));
            }
            // Learning sets the same weights again and again.
            Change::Weights(WeightsSource::Named(pairs)) => {
                let last = self.0.iter().rposition(Change::is_of_weights);
                self.remove(|place, source| match source {
                    WeightsSource::Named(known) if Some(place) == last => {
                        pairs.iter().map(|(name, _)| name).eq(known.iter().map(|(name, _)| name))
                    }
                    _ => false,
                });
            }
            Change::Weights(WeightsSource::Values(_)) => {}
        }
        self.0.push(change);
    }

    /// Removes weights that later ones replace, by their place among the changes and their source. Of the
    /// options that they have kept apart, the last values are left.
    fn remove(&mut self, is_replaced: impl Fn(usize, &WeightsSource) -> bool) {
        let is_gone = |(place, change): (usize, &Change)| match change {
            Change::Weights(source) => is_replaced(place, source),
            Change::Option(..) => false,
        };
        if !self.0.iter().enumerate().any(is_gone) {
            return;
        }
        let changes = std::mem::take(&mut self.0);
        for (place, change) in changes.into_iter().enumerate() {
            if !is_gone((place, &change)) {
                self.add(change);
            }
        }
    }
}

impl IntoIterator for Changes {
    type Item = Change;
    type IntoIter = std::vec::IntoIter<Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
