//! The signature of the search: the nodes of a fixed list of positions at a fixed depth.

use super::{Settings, registry};
use crate::search::Control;

/// The nodes of a bench. They change with any change of search behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Each game with its nodes, in the order of the registry.
    pub games: Vec<(&'static str, u64)>,
}

impl Signature {
    /// The nodes of all games.
    pub fn total(&self) -> u64 {
        self.games.iter().map(|(_, nodes)| nodes).sum()
    }
}

/// Searches the bench positions of every game, each with fresh tables and shipped weights, to `depth` plies
/// or to the default depth of the game. `each` gets every position with its nodes. `None` if the bench was
/// stopped.
pub fn bench(depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<Signature> {
    let mut nodes = |name| registry::engine(name, &Settings::default()).ok()?.bench(depth, control, each);
    let games: Option<_> = registry::names().into_iter().map(|name| Some((name, nodes(name)?))).collect();
    games.map(|games| Signature { games })
}
