//! A reference implementation of Amazons on a plain grid.

use std::collections::VecDeque;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// The eight directions, as steps of file and rank.
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// File and rank of a square, from 0.
pub type Square = (i32, i32);

/// A board with the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The ranks, the lowest first: `Q`, `q`, `*` and `.`.
    pub rows: Vec<Vec<char>>,
    /// The letter of the amazons of the side to move.
    pub stm: char,
}

impl Grid {
    /// Reads a valid FEN.
    pub fn new(fen: &str) -> Grid {
        let (board, rest) = fen.split_once(' ').unwrap();
        let row = |text: &str| {
            let mut row = Vec::new();
            let mut digits = String::new();
            for letter in text.chars().chain(['/']) {
                if letter.is_ascii_digit() {
                    digits.push(letter);
                    continue;
                }
                row.extend(std::iter::repeat_n('.', digits.parse().unwrap_or(0)));
                digits.clear();
                row.push(letter);
            }
            row.pop();
            row
        };
        let stm = if rest.starts_with('w') { 'Q' } else { 'q' };
        Grid { rows: board.split('/').rev().map(row).collect(), stm }
    }

    /// The letter on a square; none beyond the edge.
    pub fn at(&self, (file, rank): Square) -> Option<char> {
        let row = self.rows.get(usize::try_from(rank).ok()?)?;
        row.get(usize::try_from(file).ok()?).copied()
    }

    fn set(&mut self, (file, rank): Square, letter: char) {
        self.rows[rank as usize][file as usize] = letter;
    }

    /// All squares.
    pub fn squares(&self) -> Vec<Square> {
        let files = self.rows[0].len() as i32;
        (0..self.rows.len() as i32).flat_map(|rank| (0..files).map(move |file| (file, rank))).collect()
    }

    /// The squares on which a letter stands.
    pub fn all(&self, letter: char) -> Vec<Square> {
        self.squares().into_iter().filter(|&square| self.at(square) == Some(letter)).collect()
    }

    /// The empty squares that a queen reaches in at most `most` steps.
    pub fn reach(&self, (file, rank): Square, steps: i32) -> Vec<Square> {
        let mut reached = Vec::new();
        for (east, north) in DIRECTIONS {
            for n in 1..=steps {
                let square = (file + n * east, rank + n * north);
                if self.at(square) != Some('.') {
                    break;
                }
                reached.push(square);
            }
        }
        reached
    }

    /// The positions after each legal move, with the squares from, to, arrow.
    pub fn moves(&self) -> Vec<([Square; 3], Grid)> {
        let mut moves = Vec::new();
        for from in self.all(self.stm) {
            for to in self.reach(from, 99) {
                let mut moved = self.clone();
                moved.set(from, '.');
                moved.set(to, self.stm);
                for arrow in moved.reach(to, 99) {
                    let mut shot = moved.clone();
                    shot.set(arrow, '*');
                    shot.stm = if self.stm == 'Q' { 'q' } else { 'Q' };
                    moves.push(([from, to, arrow], shot));
                }
            }
        }
        moves
    }

    /// The number of moves that the amazons of a letter need to each empty square, by breadth-first search;
    /// `None` if they cannot reach it. A move has up to `steps` steps: 99 for queen moves, 1 for king moves.
    pub fn distances(&self, letter: char, steps: i32) -> Vec<(Square, Option<u32>)> {
        let mut found: std::collections::HashMap<Square, u32> = std::collections::HashMap::new();
        let mut queue: VecDeque<(Square, u32)> =
            self.all(letter).into_iter().map(|square| (square, 0)).collect();
        while let Some((square, distance)) = queue.pop_front() {
            for next in self.reach(square, steps) {
                found.entry(next).or_insert_with(|| {
                    queue.push_back((next, distance + 1));
                    distance + 1
                });
            }
        }
        self.all('.').into_iter().map(|square| (square, found.get(&square).copied())).collect()
    }
}

/// The name of a square.
pub fn name((file, rank): Square) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}

/// A random position on a board of random size, mostly a small one.
pub fn random_fen(random: &mut StdRng) -> String {
    let most = if random.random_bool(0.2) { 11 } else { 6 };
    let (files, ranks) = (random.random_range(1..=most), random.random_range(2..=most));
    let mut rows = vec![vec!['.'; files]; ranks];
    let mut order: Vec<_> = (0..files * ranks).collect();
    order.shuffle(random);
    let (amazons, share) = ((files * ranks / 2).min(8), random.random_range(0.0..0.6));
    let [white, black] = [0, 1].map(|_| random.random_range(1..=amazons));
    for (index, square) in order.into_iter().enumerate() {
        rows[square / files][square % files] = match index {
            index if index < white => 'Q',
            index if index < white + black => 'q',
            _ if random.random_bool(share) => '*',
            _ => '.',
        };
    }
    let mut board: String = rows.iter().map(|row| row.iter().collect::<String>() + "/").collect();
    board.pop();
    for run in (1..=files).rev() {
        board = board.replace(&".".repeat(run), &run.to_string());
    }
    let side = if random.random_bool(0.5) { 'w' } else { 'b' };
    format!("{board} {side} - - {} {}", random.random_range(0..200), random.random_range(1..100))
}
