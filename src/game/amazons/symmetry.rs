//! Hashes that do not change when a region is moved, turned or reflected.

use super::super::zobrist::mixed;
use super::board::{MAX_SIZE, squares};
use super::small_board::{SIZE, small};

/// Symmetries of a square: four rotations, each with its mirror image.
const SYMMETRIES: usize = 8;

/// The hash of sets on the large board.
pub(super) fn hash(sets: [u128; 3]) -> u64 {
    let region = sets[0] | sets[1] | sets[2];
    let row = (0..MAX_SIZE).fold(0, |row, rank| row | region >> (MAX_SIZE * rank)) & ((1 << MAX_SIZE) - 1);
    let (first_file, last_file) = (row.trailing_zeros() as usize, row.ilog2() as usize);
    let (first_rank, last_rank) =
        (region.trailing_zeros() as usize / MAX_SIZE, region.ilog2() as usize / MAX_SIZE);
    if let [Some(first), Some(second), Some(third)] =
        sets.map(|set| small(set >> (MAX_SIZE * first_rank + first_file)))
    {
        return small_hash([first, second, third]);
    }
    let mut images = [[0u128; 3]; SYMMETRIES];
    for (index, set) in sets.into_iter().enumerate() {
        for square in squares(set) {
            let (file, rank) = (usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE);
            let (west, east) = (file - first_file, last_file - file);
            let (south, north) = (rank - first_rank, last_rank - rank);
            let places = [
                (west, south),
                (east, south),
                (west, north),
                (east, north),
                (south, west),
                (south, east),
                (north, west),
                (north, east),
            ];
            for (image, (file, rank)) in images.iter_mut().zip(places) {
                image[index] |= 1 << (MAX_SIZE * rank + file);
            }
        }
    }
    let smallest = images.into_iter().min().unwrap_or_default();
    smallest.into_iter().fold(1, |hash, set| mixed(mixed(hash ^ set as u64) ^ (set >> 64) as u64))
}

/// The hash of sets on the small board, not all of them empty.
pub(super) fn small_hash(sets: [u64; 3]) -> u64 {
    let (sets, files, ranks) = in_the_corner(sets);
    // Wide rather than high: other images need not be looked at.
    let (sets, files, ranks) = match files < ranks {
        true => (sets.map(transpose), ranks, files),
        false => (sets, files, ranks),
    };
    let smallest = smallest_reflection(sets, files, ranks);
    let smallest = match files == ranks {
        true => smallest.min(smallest_reflection(sets.map(transpose), files, ranks)),
        false => smallest,
    };
    smallest.into_iter().fold(0, |hash, set| mixed(hash ^ set))
}

/// The smallest of four images, all in the corner.
#[inline]
fn smallest_reflection(sets: [u64; 3], files: u32, ranks: u32) -> [u64; 3] {
    let up = SIZE as u32 * (SIZE as u32 - ranks);
    let mirrored = sets.map(|set| mirror(set) >> (SIZE as u32 - files));
    let upside_down = |sets: [u64; 3]| sets.map(|set| set.swap_bytes() >> up);
    sets.min(mirrored).min(upside_down(sets)).min(upside_down(mirrored))
}

/// Sets, moved down and left as far as they go, with the number of their files and ranks.
#[inline]
fn in_the_corner(sets: [u64; 3]) -> ([u64; 3], u32, u32) {
    let all = sets[0] | sets[1] | sets[2];
    let (first, last) = (all.trailing_zeros() / 8, 7 - all.leading_zeros() / 8);
    let row = all | all >> 32;
    let row = row | row >> 16;
    let row = (row | row >> 8) as u8;
    let (left, right) = (row.trailing_zeros(), 7 - row.leading_zeros());
    (sets.map(|set| set >> (8 * first + left)), right - left + 1, last - first + 1)
}

/// The files in reverse order.
#[inline]
fn mirror(set: u64) -> u64 {
    set.swap_bytes().reverse_bits()
}

/// Files and ranks exchanged.
#[inline]
fn transpose(set: u64) -> u64 {
    let exchange = |set: u64, mask: u64, steps: u32| {
        let different = mask & (set ^ set << steps);
        set ^ different ^ different >> steps
    };
    let set = exchange(set, 0x0F0F_0F0F_0000_0000, 28);
    let set = exchange(set, 0x3333_0000_3333_0000, 14);
    exchange(set, 0x5500_5500_5500_5500, 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_ranks_are_exchanged() {
        for square in 0..SIZE * SIZE {
            let (file, rank) = (square % SIZE, square / SIZE);
            assert_eq!(transpose(1 << square), 1 << (SIZE * file + rank));
            assert_eq!(mirror(1 << square), 1 << (SIZE * rank + SIZE - 1 - file));
        }
    }

    #[test]
    fn images_have_the_same_hash_on_both_boards() {
        let mut random = 1u64;
        for round in 0..1_000 {
            random = mixed(random);
            // A region of five files and six ranks at most, turned, anywhere.
            let board = 0x1F1F_1F1F_1F1Fu64;
            let sets = [random, mixed(random), mixed(mixed(random))].map(|set| set & board);
            let sets = [sets[0], sets[1] & !sets[0], sets[2] & !sets[1] & !sets[0]];
            let expected = small_hash(sets);
            let image = sets.map(|set| if round % 2 == 0 { mirror(set) } else { set });
            let image = image.map(|set| if round % 3 == 0 { transpose(set) } else { set });
            assert_eq!(small_hash(image), expected);
            let on_the_large_board = |set: u64| {
                (0..SIZE).fold(0, |large, rank| {
                    large | (u128::from(set >> (SIZE * rank)) & 0xFF) << (MAX_SIZE * (rank + 3) + 3)
                })
            };
            assert_eq!(hash(image.map(on_the_large_board)), expected);
        }
    }
}
