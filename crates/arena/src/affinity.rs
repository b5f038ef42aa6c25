//! Pinning of concurrent games to cores.

use std::collections::BTreeSet;
use std::str::FromStr;

use core_affinity::CoreId;
use thiserror::Error;

/// The cores of concurrent games, one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affinity(Vec<Core>);

/// A core of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Core(CoreId);

/// The numbers of cores to use, parsed from a list such as `0,2-3`. The empty text stands for all cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreList(BTreeSet<usize>);

/// An error of pinning games.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AffinityError {
    /// The system does not list its cores.
    #[error("this system does not say which cores it has")]
    Unknown,
    /// A core does not exist.
    #[error("there is no core {core}, the cores are: {known}")]
    NoCore {
        /// The core.
        core: usize,
        /// The cores of this machine that may be used.
        known: String,
    },
    /// There are more games than cores.
    #[error("{games} concurrent games need a core each, not {cores}")]
    TooFew {
        /// Concurrent games.
        games: usize,
        /// The cores.
        cores: usize,
    },
}

/// The greatest number of a core in a list. A greater one is a typo.
const MAX_CORE: usize = 65_535;

impl FromStr for CoreList {
    type Err = String;

    fn from_str(text: &str) -> Result<CoreList, String> {
        let mut cores = BTreeSet::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range = first.parse().ok().zip(last.parse().ok());
            let range = range.filter(|&(first, last): &(usize, usize)| first <= last && last <= MAX_CORE);
            let (first, last) = range.ok_or("expected numbers of cores, such as `0,2-3`")?;
            cores.extend(first..=last);
        }
        Ok(CoreList(cores))
    }
}

impl Affinity {
    /// A core for each of `games` concurrent games, from the list.
    ///
    /// # Errors
    /// [`AffinityError`] names the core that does not exist, or says that there are too few.
    pub fn new(list: &CoreList, games: usize) -> Result<Affinity, AffinityError> {
        let known = core_affinity::get_core_ids().ok_or(AffinityError::Unknown)?;
        Affinity::among(&known, list, games)
    }

    fn among(known: &[CoreId], list: &CoreList, games: usize) -> Result<Affinity, AffinityError> {
        let find = |&core: &usize| {
            known.iter().copied().find(|known| known.id == core).ok_or_else(|| {
                let known: Vec<_> = known.iter().map(|known| known.id.to_string()).collect();
                AffinityError::NoCore { core, known: known.join(", ") }
            })
        };
        let cores = match list.0.is_empty() {
            true => known.to_vec(),
            false => list.0.iter().map(find).collect::<Result<_, _>>()?,
        };
        match cores.len() < games {
            true => Err(AffinityError::TooFew { games, cores: cores.len() }),
            false => Ok(Affinity(cores.into_iter().map(Core).collect())),
        }
    }

    /// The core of the concurrent game `number`, counted from 0.
    pub(super) fn of(&self, number: usize) -> Option<Core> {
        self.0.get(number).copied()
    }
}

impl Core {
    /// Pins this thread, and the threads and processes that it will start.
    pub(super) fn pin(self) {
        if !core_affinity::set_for_current(self.0) {
            log::warn!("cannot pin a game to core {}", self.0.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read() {
        let read = |text: &str| text.parse::<CoreList>().map(|list| Vec::from_iter(list.0));
        assert_eq!(read("0,2-3"), Ok(vec![0, 2, 3]));
        assert_eq!(read("3,3,1"), Ok(vec![1, 3]));
        assert_eq!(read(""), Ok(vec![]));
        for text in ["x", "1-", "3-2", "0,", "0-99999999", "-1"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn each_game_has_a_core_of_its_own() {
        let known: Vec<_> = [0, 1, 4].map(|id| CoreId { id }).into();
        let choose = |list: &str, games| {
            let chosen = Affinity::among(&known, &list.parse().unwrap(), games);
            chosen.map(|Affinity(cores)| cores.iter().map(|core| core.0.id).collect::<Vec<_>>())
        };
        assert_eq!(choose("", 2), Ok(vec![0, 1, 4]));
        assert_eq!(choose("1,4", 2), Ok(vec![1, 4]));
        let error = |list, games| choose(list, games).unwrap_err().to_string();
        assert_eq!(error("0-2", 1), "there is no core 2, the cores are: 0, 1, 4");
        assert_eq!(error("4", 2), "2 concurrent games need a core each, not 1");
        assert_eq!(error("", 4), "4 concurrent games need a core each, not 3");
    }
}
