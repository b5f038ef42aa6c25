//! What long work shares, whatever it is about: [`files`] that are claimed, and written atomically; [`shard`],
//! work cut into parts for several machines; [`elo`], Elo differences from results; [`chart`], line charts.

pub mod chart;
pub mod elo;
pub mod files;
pub mod shard;
