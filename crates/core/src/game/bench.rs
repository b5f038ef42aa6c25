//! The positions of `bench`.

/// A fixed list of positions, searched to a fixed depth: the node count is the signature of the search.
#[derive(Clone, Copy, Debug)]
pub struct BenchSuite {
    /// Depth in plies.
    pub depth: u32,
    /// The positions.
    pub fens: &'static [&'static str],
}

impl BenchSuite {
    /// No positions.
    pub const EMPTY: BenchSuite = BenchSuite { depth: 1, fens: &[] };
}
