//! Plain minimax to the end of games without draws.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use labrys::game::Game;
use labrys::game::amazons::Amazons;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::grid::random_fen;

/// The results of minimax so far, and its budget.
pub struct Plain<K> {
    known: HashMap<K, i32>,
    /// The nodes left.
    pub nodes: u64,
}

impl<K> Plain<K> {
    /// No results yet, and a budget of nodes.
    pub fn new(nodes: u64) -> Plain<K> {
        Plain { known: HashMap::new(), nodes }
    }
}

/// The result for the side to move with best play, 1 or −1. None if the nodes run out. For games without
/// repetition and draws.
pub fn result<G: Game>(position: &G, plain: &mut Plain<u64>) -> Option<i32> {
    if let Some(&result) = plain.known.get(&position.key()) {
        return Some(result);
    }
    plain.nodes = plain.nodes.checked_sub(1)?;
    let moves = position.moves();
    let has_won = moves.is_empty() && position.terminal_outcome().winner == Some(position.side_to_move());
    let mut best = if has_won { 1 } else { -1 };
    for mv in moves {
        let child = position.after(mv);
        if result(&child, plain)? < 0 {
            best = 1;
            break;
        }
    }
    plain.known.insert(position.key(), best);
    Some(best)
}

/// The empty squares of a position.
pub fn empty_squares(fen: &str) -> u32 {
    let board = fen.split(' ').next().unwrap();
    board.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse::<u32>().ok()).sum()
}

/// Random endgames of Amazons with a number of empty squares, and their results for the side to move: those
/// that minimax finds with a budget of nodes for each.
pub fn end_games(
    seed: u64,
    empty: RangeInclusive<u32>,
    nodes: u64,
) -> impl Iterator<Item = (String, Amazons, i32)> {
    let mut random = StdRng::seed_from_u64(seed);
    std::iter::repeat_with(move || random_fen(&mut random))
        .filter(move |fen| empty.contains(&empty_squares(fen)))
        .filter_map(move |fen| {
            let position = Amazons::from_fen(&fen).unwrap();
            let result = result(&position, &mut Plain::new(nodes))?;
            Some((fen, position, result))
        })
}
