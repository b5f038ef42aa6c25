//! The signature of the search: nodes of a fixed list of positions at a fixed depth.

use super::{Settings, registry};
use crate::search::Control;

/// Searches the bench positions of every game, each with fresh tables and shipped weights, to `depth`
/// plies or to the depth of their list. `each` gets every position with its nodes; the sum is returned,
/// `None` if the bench was stopped before the end.
pub fn bench(depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
    let mut total = 0;
    for name in registry::names() {
        // A name out of the registry is in the registry.
        let Ok(engine) = registry::engine(name, &Settings::default()) else { continue };
        total += engine.bench(depth, control, each)?;
    }
    Some(total)
}
