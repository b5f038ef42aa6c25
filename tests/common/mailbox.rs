//! A reference implementation of Neighbours on an array of 64 squares. It shares no code with the bitboards
//! of the engine, whose rules, features and speed are compared with it.
#![allow(dead_code, reason = "each test uses a part")]

/// A position: `squares[8 * rank + file]` is `'P'`, `'p'` or `'.'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    pub squares: [u8; 64],
    pub white_to_move: bool,
}

/// The eight directions, in files and ranks.
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// The square at `distance` in a direction, if it is on the board.
fn step(from: usize, (file, rank): (i32, i32), distance: i32) -> Option<usize> {
    let file = (from % 8) as i32 + file * distance;
    let rank = (from / 8) as i32 + rank * distance;
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((8 * rank + file) as usize)
}

impl Mailbox {
    /// Reads board and side to move of a valid FEN.
    pub fn new(fen: &str) -> Mailbox {
        let mut fields = fen.split(' ');
        let mut squares = [b'.'; 64];
        for (row, rank) in fields.next().unwrap().split('/').zip((0..8).rev()) {
            let mut file = 0;
            for letter in row.bytes() {
                if letter.is_ascii_digit() {
                    file += usize::from(letter - b'0');
                } else {
                    squares[8 * rank + file] = letter;
                    file += 1;
                }
            }
        }
        Mailbox { squares, white_to_move: fields.next() == Some("w") }
    }

    /// The piece of the side to move, or of the opponent.
    pub fn piece(&self, stm: bool) -> u8 {
        if self.white_to_move == stm { b'P' } else { b'p' }
    }

    /// The squares around a square.
    pub fn around(&self, square: usize) -> impl Iterator<Item = usize> {
        DIRECTIONS.into_iter().filter_map(move |direction| step(square, direction, 1))
    }

    /// The occupied squares around a square.
    pub fn neighbours(&self, square: usize) -> Vec<usize> {
        self.around(square).filter(|&near| self.squares[near] != b'.').collect()
    }

    /// The moves of the side to move, or those that the opponent would have.
    pub fn moves(&self, stm: bool) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        self.list(self.piece(stm), &mut moves);
        moves
    }

    fn list(&self, own: u8, moves: &mut Vec<(usize, usize)>) {
        for from in 0..64 {
            if self.squares[from] != own {
                continue;
            }
            let mut distance = 0;
            for direction in DIRECTIONS {
                let near = step(from, direction, 1);
                distance += i32::from(near.is_some_and(|near| self.squares[near] != b'.'));
            }
            if distance == 0 {
                continue;
            }
            'directions: for direction in DIRECTIONS {
                for passed in 1..distance {
                    match step(from, direction, passed) {
                        Some(square) if self.squares[square] == b'.' => {}
                        _ => continue 'directions,
                    }
                }
                if let Some(to) = step(from, direction, distance)
                    && self.squares[to] != own
                {
                    moves.push((from, to));
                }
            }
        }
    }

    /// Plays a move on a copy.
    pub fn play(&self, (from, to): (usize, usize)) -> Mailbox {
        let mut next = self.clone();
        next.squares[to] = next.squares[from];
        next.squares[from] = b'.';
        next.white_to_move = !next.white_to_move;
        next
    }

    /// Paths of `depth` moves; the last ply is counted by the length of the list.
    pub fn perft(&self, depth: u32) -> u64 {
        let moves = self.moves(true);
        if depth <= 1 {
            return moves.len() as u64;
        }
        moves.into_iter().map(|mv| self.play(mv).perft(depth - 1)).sum()
    }
}
