//! The signature of the search: the nodes of a fixed list of positions at a fixed depth.

use super::{SearchReport, Settings, registry};
use crate::search::{Control, Limits};

/// The node counts of a bench. They change with any change of search behaviour.
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
    let mut nodes = |name| bench_game(name, depth, control, each);
    let games: Option<_> = registry::names().into_iter().map(|name| Some((name, nodes(name)?))).collect();
    games.map(|games| Signature { games })
}

/// The nodes of the bench positions of a game; `None` if the bench was stopped.
fn bench_game(
    name: &str,
    depth: Option<u32>,
    control: &Control,
    each: &mut dyn FnMut(&str, u64),
) -> Option<u64> {
    let suite = registry::info(name).ok()?.bench;
    let limits = Limits::depth(depth.unwrap_or(suite.depth));
    let mut total = 0;
    for fen in suite.fens {
        let mut engine = registry::engine(name, &Settings::default()).ok()?;
        // A test reads all bench positions.
        engine.board_mut().set_up(Some(fen), &[]).ok()?;
        let nodes = engine.search(&[], &limits, control, &mut |_: &SearchReport| {}).ok()?.nodes;
        if control.is_stopped() {
            return None;
        }
        each(fen, nodes);
        total += nodes;
    }
    Some(total)
}
