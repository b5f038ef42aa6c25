//! How a board on a screen shows a game.

use serde::Serialize;

/// How a board on a screen shows a game. A game without looks of its own is shown by the letters of its FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Looks {
    /// The name of the game, as people write it.
    pub title: &'static str,
    /// What it is, in a few words.
    pub hint: &'static str,
    /// What stands on squares. The least valuable piece comes first.
    pub pieces: &'static [PieceLooks],
    /// What is done with each square that is chosen for a move, from the second one on.
    pub steps: &'static [&'static str],
    /// The fields of the FEN that have the points of White and Black, counted from 0 after the board.
    pub points: Option<[usize; 2]>,
}

/// How a piece is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PieceLooks {
    /// Its letter in the FEN, in lower case. What is no letter belongs to no player.
    pub letter: char,
    /// Its name.
    pub name: &'static str,
    /// The drawing that it has: `pawn`, `knight`, `bishop`, `rook`, `queen`, `king`, `disc`, `coin`, `tile`.
    pub drawing: &'static str,
}

impl Looks {
    /// The letters of the FEN.
    pub const LETTERS: Looks = Looks { title: "", hint: "", pieces: &[], steps: &[], points: None };
}

impl PieceLooks {
    /// A piece with the drawing of its name.
    pub const fn new(letter: char, name: &'static str) -> PieceLooks {
        PieceLooks { letter, name, drawing: name }
    }
}
