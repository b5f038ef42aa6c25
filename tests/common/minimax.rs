//! What positions of Amazons are worth, by plain minimax to the end of the game.

use std::collections::HashMap;

use labrys::game::Game;
use labrys::game::amazons::Amazons;

/// Plain minimax with a memory of results, until its nodes run out.
pub struct Plain<K> {
    known: HashMap<K, i32>,
    /// Nodes that it may still visit.
    pub nodes: u64,
}

impl<K> Plain<K> {
    /// Nothing known yet, and so many nodes to visit.
    pub fn new(nodes: u64) -> Plain<K> {
        Plain { known: HashMap::new(), nodes }
    }
}

/// What Amazons is worth to the side to move, 1 or −1; each line ends, and no draw is possible.
pub fn amazons(position: &Amazons, plain: &mut Plain<u64>) -> Option<i32> {
    if let Some(&value) = plain.known.get(&position.key()) {
        return Some(value);
    }
    plain.nodes = plain.nodes.checked_sub(1)?;
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut value = -1;
    for mv in moves {
        let mut child = *position;
        child.play(mv);
        if amazons(&child, plain)? < 0 {
            value = 1;
            break;
        }
    }
    plain.known.insert(position.key(), value);
    Some(value)
}

/// The empty squares of a position.
pub fn empty_squares(fen: &str) -> u32 {
    let board = fen.split(' ').next().unwrap();
    board.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse::<u32>().ok()).sum()
}
