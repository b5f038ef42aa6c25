//! Proof numbers.

/// The number of what cannot be done. A sum that grows beyond it stops just below.
pub(super) const INFINITE: u32 = (1 << 26) - 1;

/// How far a position is from being proved, always from the view of its side to move: φ and δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Leaves to prove, at least, so that the side to move reaches the aim: 0 when that is proved, [`INFINITE`] when it is
    /// proved that it does not.
    pub(super) proof: u32,
    /// The same for showing that the side to move does not reach the aim.
    pub(super) disproof: u32,
}

impl Numbers {
    /// The side to move reaches the aim, or does not.
    pub(super) fn certain(reached: bool) -> Numbers {
        match reached {
            true => Numbers { proof: 0, disproof: INFINITE },
            false => Numbers { proof: INFINITE, disproof: 0 },
        }
    }

    /// The same numbers within the bounds of what is not decided.
    pub(super) fn kept_open(self) -> Numbers {
        Numbers { proof: self.proof.clamp(1, INFINITE - 1), disproof: self.disproof.clamp(1, INFINITE - 1) }
    }

    /// Whether the side to move reaches the aim, if that is known.
    pub(super) fn proven(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}
