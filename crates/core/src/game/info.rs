//! What a game is called, how it is shown, and what is shipped for it: data beside its rules.

use serde::Serialize;

use super::Strength;

/// The data of a game: names, looks, bench positions, what is shipped and measured. [`GameInfo::new`] has the
/// defaults of everything but the name.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The name of the game, a value of the option `UCI_Variant`.
    pub name: &'static str,
    /// The option that belongs to this game, if any. A choice is an index into its list of choices.
    pub option: Option<GameOption>,
    /// The values of the PGN tag `Variant` that stand for this game beside its name; an empty value stands for
    /// a record without the tag. Each has an index into the choices of the option, 0 where there are none. The
    /// first value of a choice is the one that records are written with.
    pub pgn_variants: &'static [(&'static str, usize)],
    /// The names of the game in the xboard protocol, by the choice of the option. Empty where that protocol
    /// does not have the game.
    pub xboard_variants: &'static [&'static str],
    /// How a board on a screen shows the game.
    pub looks: Looks,
    /// The positions that `bench` searches.
    pub bench: BenchSuite,
    /// The file of the evaluation net that the game is played with by default, if there is one. It stands
    /// back on boards that it is not for.
    pub net: Option<&'static [u8]>,
    /// Strengths measured with the evaluation that the game is played with by default, in ascending order.
    /// Empty where none has been measured.
    pub strengths: &'static [Strength],
}

impl GameInfo {
    /// A game of a name that has nothing else: no option, no looks of its own, no net, nothing measured.
    pub const fn new(name: &'static str) -> GameInfo {
        GameInfo {
            name,
            option: None,
            pgn_variants: &[],
            xboard_variants: &[],
            looks: Looks { title: name, ..Looks::LETTERS },
            bench: BenchSuite { depth: 1, fens: &[] },
            net: None,
            strengths: &[],
        }
    }

    /// The choice of the game's option that a value of the PGN tag `Variant` stands for; `None` if it stands
    /// for another game. Case does not matter.
    pub fn choice_of_pgn_variant(&self, tag: &str) -> Option<usize> {
        let tag = tag.trim();
        let known = self.pgn_variants.iter().find(|(name, _)| name.eq_ignore_ascii_case(tag));
        known.map(|&(_, choice)| choice).or_else(|| self.name.eq_ignore_ascii_case(tag).then_some(0))
    }

    /// The value of the PGN tag `Variant` in records under a choice of the game's option; `None` for records
    /// without the tag.
    pub fn pgn_variant(&self, choice: usize) -> Option<&'static str> {
        let rows = self.pgn_variants;
        let row = rows.iter().find(|(_, of)| *of == choice).or(rows.first());
        row.map_or(Some(self.name), |&(name, _)| (!name.is_empty()).then_some(name))
    }
}

/// An option that belongs to one game, such as the size of its board or the notation of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// The name in the protocol.
    pub name: &'static str,
    /// The values, the default first. The usual ones come next: lists that have to be short are cut.
    pub choices: &'static [&'static str],
    /// What the values are, such as `a number of squares`, where they are too many for an error to list.
    pub in_words: Option<&'static str>,
}

/// A fixed list of positions, searched to a fixed depth: the node count is the signature of the search.
#[derive(Clone, Copy, Debug)]
pub struct BenchSuite {
    /// Depth in plies.
    pub depth: u32,
    /// The positions.
    pub fens: &'static [&'static str],
}

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
