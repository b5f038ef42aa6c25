//! Images of regions under translation, rotation and reflection.

use super::super::zobrist::mixed;
use super::board::{MAX_SIZE, squares};
use super::small_board::{SIZE, small};

/// Symmetries of a square: four rotations, each with its mirror image.
const SYMMETRIES: usize = 8;

/// The hash of sets on the large board.
pub fn hash(sets: [u128; 3]) -> u64 {
    if let Some(sets) = on_the_small_board(sets) {
        return small_hash(sets);
    }
    let ([first_file, last_file], [first_rank, last_rank]) = bounds(sets);
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

/// The first and the last file, and the first and the last rank, of sets on the large board, not all of them
/// empty.
fn bounds(sets: [u128; 3]) -> ([usize; 2], [usize; 2]) {
    let region = sets[0] | sets[1] | sets[2];
    let row = (0..MAX_SIZE).fold(0, |row, rank| row | region >> (MAX_SIZE * rank)) & ((1 << MAX_SIZE) - 1);
    let files = [row.trailing_zeros() as usize, row.ilog2() as usize];
    (files, [region.trailing_zeros() as usize, region.ilog2() as usize].map(|square| square / MAX_SIZE))
}

/// Sets of the large board, not all of them empty, moved to the corner of the small one; `None` where they
/// have no room there.
pub fn on_the_small_board(sets: [u128; 3]) -> Option<[u64; 3]> {
    let ([file, _], [rank, _]) = bounds(sets);
    let [first, second, third] = sets.map(|set| small(set >> (MAX_SIZE * rank + file)));
    Some([first?, second?, third?])
}

/// The hash of sets on the small board, not all of them empty.
pub fn small_hash(sets: [u64; 3]) -> u64 {
    smallest_image(sets).into_iter().fold(0, |hash, set| mixed(hash ^ set))
}

/// The image of sets on the small board, not all of them empty, that comes first among all those in the
/// corner.
pub fn smallest_image<const N: usize>(sets: [u64; N]) -> [u64; N] {
    let (sets, files, ranks) = in_the_corner(sets);
    // Wide rather than high: the other images need no check.
    let (sets, files, ranks) = match files < ranks {
        true => (sets.map(transpose), ranks, files),
        false => (sets, files, ranks),
    };
    let smallest = smallest_reflection(sets, files, ranks);
    match files == ranks {
        true => smallest.min(smallest_reflection(sets.map(transpose), files, ranks)),
        false => smallest,
    }
}

/// The smallest of four images, all in the corner.
#[inline]
fn smallest_reflection<const N: usize>(sets: [u64; N], files: u32, ranks: u32) -> [u64; N] {
    let up = SIZE as u32 * (SIZE as u32 - ranks);
    let mirrored = sets.map(|set| mirror(set) >> (SIZE as u32 - files));
    let upside_down = |sets: [u64; N]| sets.map(|set| set.swap_bytes() >> up);
    sets.min(mirrored).min(upside_down(sets)).min(upside_down(mirrored))
}

/// Sets, moved down and left as far as they go, with the number of their files and ranks.
#[inline]
pub fn in_the_corner<const N: usize>(sets: [u64; N]) -> ([u64; N], u32, u32) {
    let all = sets.iter().fold(0, |all, set| all | set);
    let (first, last) = (all.trailing_zeros() / 8, 7 - all.leading_zeros() / 8);
    let row = all | all >> 32;
    let row = row | row >> 16;
    let row = (row | row >> 8) as u8;
    let (left, right) = (row.trailing_zeros(), 7 - row.leading_zeros());
    (sets.map(|set| set >> (8 * first + left)), right - left + 1, last - first + 1)
}

/// The files in reverse order.
#[inline]
pub fn mirror(set: u64) -> u64 {
    set.swap_bytes().reverse_bits()
}

/// Files and ranks exchanged.
#[inline]
pub fn transpose(set: u64) -> u64 {
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
