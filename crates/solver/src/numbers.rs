//! Proof numbers.

/// The number of an impossible proof. Sums of open numbers stay below, so that they are not clamped.
pub(super) const INFINITE: u64 = (1 << 58) - 1;

/// Proof and disproof number of a position for its side to move: φ and δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The fewest leaves that have to be proven to prove that the side to move reaches its aim: 0 if it is
    /// proven, [`INFINITE`] if it is disproven.
    pub(super) proof: u64,
    /// The same for a proof that it does not.
    pub(super) disproof: u64,
}

impl Numbers {
    /// The numbers of a position where the side to move is proven to reach its aim, or not to.
    pub(super) fn decided(reached: bool) -> Numbers {
        match reached {
            true => Numbers { proof: 0, disproof: INFINITE },
            false => Numbers { proof: INFINITE, disproof: 0 },
        }
    }

    /// These numbers, clamped to the range of open positions.
    pub(super) fn clamped_open(self) -> Numbers {
        Numbers { proof: self.proof.clamp(1, INFINITE - 1), disproof: self.disproof.clamp(1, INFINITE - 1) }
    }

    /// Whether the side to move reaches its aim, if that is proven.
    pub(super) fn proven(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}
