//! Flood fill by queen moves and by king moves, for whole sets of squares at once.

use super::board::{FILE_A, FILE_K, MAX_SIZE, around, reach, squares};

/// Stages of a slide. Each one doubles the distance, so four cover 15 steps.
const STAGES: usize = 4;

/// The maximum number of squares that are handled one by one, which is faster than a slide of a small set.
const FEW: u32 = 5;

/// The empty squares of a position, prepared for flood fills.
pub(super) struct FloodFill {
    empty: u128,
    /// For each direction and stage, the squares that end a run of 1, 2, 4 or 8 empty ones.
    runs: [[u128; STAGES]; 8],
}

/// Moves a set by `STEP` bits, `times` times, up or down the board.
#[inline(always)]
fn shift<const UP: bool, const STEP: usize>(set: u128, times: usize) -> u128 {
    if UP { set << (STEP * times) } else { set >> (STEP * times) }
}

/// The runs in one direction. `entered` are the empty squares that a step in this direction can lead to.
#[inline(always)]
fn runs<const UP: bool, const STEP: usize>(entered: u128) -> [u128; STAGES] {
    let mut runs = [entered; STAGES];
    for stage in 1..STAGES {
        let before = runs[stage - 1];
        runs[stage] = before & shift::<UP, STEP>(before, 1 << (stage - 1));
    }
    runs
}

/// The squares of a set and those that it reaches in one direction (Kogge-Stone fill).
#[inline(always)]
fn slide<const UP: bool, const STEP: usize>(mut set: u128, runs: &[u128; STAGES]) -> u128 {
    for (stage, run) in runs.iter().enumerate() {
        set |= shift::<UP, STEP>(set, 1 << stage) & run;
    }
    set
}

impl FloodFill {
    #[inline]
    pub(super) fn new(empty: u128) -> FloodFill {
        // Steps to the east never lead to the a file, and steps to the west never to the k file.
        let (east, west) = (empty & !FILE_A, empty & !FILE_K);
        FloodFill {
            empty,
            runs: [
                runs::<true, MAX_SIZE>(empty),
                runs::<false, MAX_SIZE>(empty),
                runs::<true, 1>(east),
                runs::<false, 1>(west),
                runs::<true, { MAX_SIZE + 1 }>(east),
                runs::<false, { MAX_SIZE + 1 }>(west),
                runs::<true, { MAX_SIZE - 1 }>(west),
                runs::<false, { MAX_SIZE - 1 }>(east),
            ],
        }
    }

    /// The squares of `wanted`, which are empty, that queens on `set` reach in one move.
    #[inline]
    pub(super) fn queens(&self, set: u128, wanted: u128) -> u128 {
        if set.count_ones() <= FEW {
            return squares(set).fold(0, |reached, square| reached | reach(square, self.empty)) & wanted;
        }
        if wanted.count_ones() <= FEW {
            let is_reached = |square: &u8| reach(*square, self.empty | set) & set != 0;
            return squares(wanted).filter(is_reached).fold(0, |reached, square| reached | 1 << square);
        }
        let reached = slide::<true, MAX_SIZE>(set, &self.runs[0])
            | slide::<false, MAX_SIZE>(set, &self.runs[1])
            | slide::<true, 1>(set, &self.runs[2])
            | slide::<false, 1>(set, &self.runs[3])
            | slide::<true, { MAX_SIZE + 1 }>(set, &self.runs[4])
            | slide::<false, { MAX_SIZE + 1 }>(set, &self.runs[5])
            | slide::<true, { MAX_SIZE - 1 }>(set, &self.runs[6])
            | slide::<false, { MAX_SIZE - 1 }>(set, &self.runs[7]);
        reached & wanted
    }

    /// The empty squares that kings on `set` reach in one move.
    #[inline]
    pub(super) fn kings(&self, set: u128) -> u128 {
        around(set) & self.empty
    }
}
