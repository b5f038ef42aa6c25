//! Positions with the same tree of play, as one.

use super::board::{MAX_SIZE, connected, squares};

/// White's amazons, Black's amazons and the empty squares.
type Sets = [u128; 3];

/// The representative of all positions that mirroring and turning the board turns into each other, on a board
/// of `files` × `ranks`. Ground without amazons or without empty squares, where nobody ever moves, is taken
/// out.
pub(super) fn canonical(sets: Sets, (files, ranks): (usize, usize)) -> Sets {
    let sets = without_dead_ground(sets);
    let mut images = [[0u128; 3]; 8];
    for (index, set) in sets.into_iter().enumerate() {
        for square in squares(set) {
            let (file, rank) = (usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE);
            let (last_file, last_rank) = (files - 1 - file, ranks - 1 - rank);
            let places = [
                (file, rank),
                (last_file, rank),
                (file, last_rank),
                (last_file, last_rank),
                (rank, file),
                (rank, last_file),
                (last_rank, file),
                (last_rank, last_file),
            ];
            for (image, (file, rank)) in images.iter_mut().zip(places) {
                image[index] |= 1 << (MAX_SIZE * rank + file);
            }
        }
    }
    // Only on a square board may files and ranks be exchanged.
    let count = if files == ranks { 8 } else { 4 };
    images.into_iter().take(count).min().unwrap_or(sets)
}

fn without_dead_ground(sets: Sets) -> Sets {
    let [white, black, empty] = sets;
    let (mut rest, mut alive) = (white | black | empty, 0);
    while rest != 0 {
        let ground = connected(rest & rest.wrapping_neg(), rest);
        rest &= !ground;
        if ground & empty != 0 && ground & (white | black) != 0 {
            alive |= ground;
        }
    }
    sets.map(|set| set & alive)
}
