//! Positions with the same tree of play, as one.

use labrys_core::game::amazons::board::{MAX_SIZE, components, squares};

/// The squares of the first rank.
const RANK: u128 = (1 << MAX_SIZE) - 1;

/// White's amazons, Black's amazons and the empty squares.
type Sets = [u128; 3];

/// The representative of a position under the symmetries of a board of `files` × `ranks`. Regions without
/// amazons or without empty squares are removed.
pub(super) fn canonical(sets: Sets, size: (usize, usize)) -> Sets {
    let sets = without_dead_ground(sets);
    let smallest = smallest_reflection(sets, size);
    // Only on a square board may files and ranks be exchanged.
    match size.0 == size.1 {
        true => smallest.min(smallest_reflection(sets.map(transposed), size)),
        false => smallest,
    }
}

/// The smallest of four images.
fn smallest_reflection(sets: Sets, (files, ranks): (usize, usize)) -> Sets {
    let turned = sets.map(|set| turned(set) >> (MAX_SIZE * (MAX_SIZE - ranks) + MAX_SIZE - files));
    let upside_down = |sets: Sets| sets.map(|set| upside_down(set) >> (MAX_SIZE * (MAX_SIZE - ranks)));
    sets.min(turned).min(upside_down(sets)).min(upside_down(turned))
}

/// The largest board, turned by 180°.
fn turned(set: u128) -> u128 {
    set.reverse_bits() >> (u128::BITS as usize - MAX_SIZE * MAX_SIZE)
}

/// The ranks of the largest board in reverse order.
fn upside_down(set: u128) -> u128 {
    (0..MAX_SIZE).fold(0, |image, rank| image << MAX_SIZE | set >> (MAX_SIZE * rank) & RANK)
}

/// Files and ranks exchanged.
fn transposed(set: u128) -> u128 {
    squares(set).fold(0, |image, square| {
        let (file, rank) = (usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE);
        image | 1 << (MAX_SIZE * file + rank)
    })
}

fn without_dead_ground(sets: Sets) -> Sets {
    let [white, black, empty] = sets;
    let alive = components(white | black | empty)
        .filter(|ground| ground & empty != 0 && ground & (white | black) != 0)
        .fold(0, |alive, ground| alive | ground);
    sets.map(|set| set & alive)
}
