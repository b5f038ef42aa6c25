//! Arguments of the form `key=value …`, as in `--engine cmd=… tc=…` of cutechess and fastchess.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

use labrys_core::game::quote;

/// The key-value pairs of one argument. Readers take out the keys that they know; [`KeyValues::finish`] then
/// reports any key that is left.
#[derive(Clone, Debug)]
pub struct KeyValues {
    section: String,
    pairs: Vec<(String, String)>,
}

/// A key or value that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A word without `=`.
    #[error("{section}: {} has no value, expected <key>=<value>", quote(.word))]
    NoValue {
        /// The argument.
        section: String,
        /// The word.
        word: String,
    },
    /// An unknown key.
    #[error("{section}: unknown key {}, expected one of: {expected}", quote(.key))]
    Unknown {
        /// The argument.
        section: String,
        /// The key.
        key: String,
        /// The known keys.
        expected: String,
    },
    /// A key that may be given only once.
    #[error("{section}: {key} is given twice")]
    Twice {
        /// The argument.
        section: String,
        /// The key.
        key: String,
    },
    /// A required key is missing.
    #[error("{section}: missing {key}")]
    Missing {
        /// The argument.
        section: String,
        /// The key.
        key: &'static str,
    },
    /// A value that cannot be parsed.
    #[error("{section}: {key} {}: expected {expected}", quote(.value))]
    Value {
        /// The argument.
        section: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// The expected form.
        expected: String,
    },
    /// Values that contradict each other.
    #[error("{section}: {reason}")]
    Invalid {
        /// The argument.
        section: String,
        /// The reason.
        reason: String,
    },
}

impl KeyValues {
    /// Splits the words of the argument `section` into keys and values.
    ///
    /// # Errors
    /// [`KeyError::NoValue`] names a word without `=`.
    pub fn parse<S: AsRef<str>>(section: impl Into<String>, words: &[S]) -> Result<KeyValues, KeyError> {
        let section = section.into();
        let pair = |word: &S| match word.as_ref().split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(KeyError::NoValue { section: section.clone(), word: word.as_ref().to_owned() }),
        };
        let pairs = words.iter().map(pair).collect::<Result<_, _>>()?;
        Ok(KeyValues { section, pairs })
    }

    /// Adds the pairs of `defaults` whose keys are not given here. All values of a repeatable key are
    /// replaced together.
    pub fn with_defaults(mut self, defaults: &KeyValues) -> KeyValues {
        let missing = defaults.pairs.iter().filter(|(key, _)| !self.pairs.iter().any(|(own, _)| own == key));
        let missing: Vec<_> = missing.cloned().collect();
        self.pairs.splice(0..0, missing);
        self
    }

    /// Takes all values of a key.
    pub fn take_all(&mut self, key: &str) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.pairs).into_iter().partition(|(own, _)| own == key);
        self.pairs = left;
        Vec::into_iter(taken).map(|(_, value): (String, String)| value).collect()
    }

    /// Takes the value of a key.
    ///
    /// # Errors
    /// [`KeyError::Twice`].
    pub fn take(&mut self, key: &str) -> Result<Option<String>, KeyError> {
        let mut values = self.take_all(key);
        if values.len() > 1 {
            return Err(KeyError::Twice { section: self.section.clone(), key: key.to_owned() });
        }
        Ok(values.pop())
    }

    /// Takes the value of a key and parses it; `expected` is its form, for the error.
    ///
    /// # Errors
    /// [`KeyError::Twice`] and [`KeyError::Value`].
    pub fn read<T: FromStr>(&mut self, key: &str, expected: impl Display) -> Result<Option<T>, KeyError> {
        self.read_with(key, expected, |value| value.parse().ok())
    }

    /// Takes the value of a key and parses it with `read`, which returns `None` for an invalid value.
    ///
    /// # Errors
    /// [`KeyError::Twice`] and [`KeyError::Value`].
    pub fn read_with<T>(
        &mut self,
        key: &str,
        expected: impl Display,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, KeyError> {
        let Some(value) = self.take(key)? else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.invalid_value(key, value, expected)),
        }
    }

    /// Returns the value, or an error if it is missing.
    ///
    /// # Errors
    /// [`KeyError::Missing`].
    pub fn require<T>(&self, key: &'static str, value: Option<T>) -> Result<T, KeyError> {
        value.ok_or_else(|| KeyError::Missing { section: self.section.clone(), key })
    }

    /// Takes all pairs whose keys begin with `prefix`, and strips it.
    ///
    /// # Errors
    /// [`KeyError::Twice`].
    pub fn take_prefixed(&mut self, prefix: &str) -> Result<Vec<(String, String)>, KeyError> {
        let mut taken: Vec<(String, String)> = Vec::new();
        for (key, value) in std::mem::take(&mut self.pairs) {
            match key.strip_prefix(prefix) {
                Some(name) if taken.iter().any(|(other, _)| other == name) => {
                    return Err(KeyError::Twice { section: self.section.clone(), key });
                }
                Some(name) => taken.push((name.to_owned(), value)),
                None => self.pairs.push((key, value)),
            }
        }
        Ok(taken)
    }

    /// Checks that there are no unknown keys, before missing ones are reported.
    ///
    /// # Errors
    /// [`KeyError::Unknown`] lists them.
    pub fn check_known(&self, known: &str) -> Result<(), KeyError> {
        let is_known = |key: &str| known.split(", ").any(|known| known == key);
        let pairs = self.pairs.iter().filter(|(key, _)| !is_known(key)).cloned().collect();
        KeyValues { section: self.section.clone(), pairs }.finish(known)
    }

    /// Checks that no key is left.
    ///
    /// # Errors
    /// [`KeyError::Unknown`] lists the `known` keys.
    pub fn finish(&self, known: &str) -> Result<(), KeyError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, _)) => Err(KeyError::Unknown {
                section: self.section.clone(),
                key: key.clone(),
                expected: known.to_owned(),
            }),
        }
    }

    /// The error for values that contradict each other.
    pub fn invalid(&self, reason: impl Display) -> KeyError {
        KeyError::Invalid { section: self.section.clone(), reason: reason.to_string() }
    }

    /// The error for a value that is not of the expected form.
    pub fn invalid_value(&self, key: &str, value: String, expected: impl Display) -> KeyError {
        KeyError::Value {
            section: self.section.clone(),
            key: key.to_owned(),
            value,
            expected: expected.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_and_none_is_left() {
        let words = ["depth=3", "arg=a", "arg=b=c", "option.Move Overhead=0", "option.Hash=8"];
        let mut keys = KeyValues::parse("--engine 1", &words).unwrap();
        assert_eq!(keys.read::<u32>("depth", "a number"), Ok(Some(3)));
        assert_eq!(keys.read::<u32>("nodes", "a number"), Ok(None));
        assert_eq!(keys.take_all("arg"), ["a", "b=c"]);
        let options = keys.take_prefixed("option.").unwrap();
        assert_eq!(options, [("Move Overhead".into(), "0".into()), ("Hash".into(), "8".into())]);
        assert_eq!(keys.finish("none"), Ok(()));
    }

    #[test]
    fn errors_name_the_key() {
        let error = |words: &[&str]| {
            let mut keys = KeyValues::parse("--each", words).map_err(|error| error.to_string())?;
            keys.read::<u32>("depth", "a number").map_err(|error| error.to_string())?;
            keys.finish("depth").map_err(|error| error.to_string())
        };
        assert_eq!(error(&["depth"]).unwrap_err(), "--each: `depth` has no value, expected <key>=<value>");
        assert_eq!(error(&["depth=x"]).unwrap_err(), "--each: depth `x`: expected a number");
        assert_eq!(error(&["depth=1", "depth=1"]).unwrap_err(), "--each: depth is given twice");
        assert_eq!(error(&["dpeth=1"]).unwrap_err(), "--each: unknown key `dpeth`, expected one of: depth");
    }

    #[test]
    fn own_keys_replace_defaults() {
        let defaults = KeyValues::parse("--each", &["nodes=1", "arg=x", "arg=y"]).unwrap();
        let mut keys = KeyValues::parse("--engine 1", &["arg=z"]).unwrap().with_defaults(&defaults);
        assert_eq!((keys.take("nodes"), keys.take_all("arg")), (Ok(Some("1".into())), vec!["z".into()]));
    }
}
