//! The data of a game beside its rules: names, appearance, bench positions, net, strengths, openings.

use serde::Serialize;

use super::Strength;

/// The data of a game. [`GameInfo::new`] has the defaults of everything but the name.
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
    /// How a GUI shows the game.
    pub appearance: Appearance,
    /// The positions that `bench` searches.
    pub bench: BenchSuite,
    /// The file of the evaluation net that the game is played with by default, if there is one. It is not
    /// used on boards of other sizes.
    pub net: Option<&'static [u8]>,
    /// Strengths measured with the evaluation that the game is played with by default, in ascending order.
    /// Empty where none has been measured.
    pub strengths: &'static [Strength],
    /// Openings by name, a row each in the order of their moves: a code, the name and the moves from the start
    /// position, between tabs. Rows that begin with `#` are comments. Empty where openings have no names.
    pub openings: &'static str,
}

impl GameInfo {
    /// A game with a name and defaults: no option, the letters of its FEN, no net, no measured strengths, no
    /// names of openings.
    pub const fn new(name: &'static str) -> GameInfo {
        GameInfo {
            name,
            option: None,
            pgn_variants: &[],
            xboard_variants: &[],
            appearance: Appearance { title: name, ..Appearance::LETTERS },
            bench: BenchSuite { depth: 1, fens: &[] },
            net: None,
            strengths: &[],
            openings: "",
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
    /// A description of the values, such as `a number of squares`, where they are too many to list in an
    /// error.
    pub description: Option<&'static str>,
}

/// A fixed list of positions, searched to a fixed depth: the node count is the signature of the search.
#[derive(Clone, Copy, Debug)]
pub struct BenchSuite {
    /// Depth in plies.
    pub depth: u32,
    /// The positions.
    pub fens: &'static [&'static str],
}

/// How a GUI shows a game, by default by the letters of its FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Appearance {
    /// The name of the game, as people write it.
    pub title: &'static str,
    /// A short description.
    pub hint: &'static str,
    /// The pieces, the least valuable first.
    pub pieces: &'static [PieceAppearance],
    /// The names of the steps of a move, from its second square on.
    pub steps: &'static [&'static str],
    /// The fields of the FEN that have the points of White and Black, counted from 0 after the board.
    pub points: Option<[usize; 2]>,
}

/// How a piece is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PieceAppearance {
    /// Its letter in the FEN, in lower case. A character that is no letter belongs to no player.
    pub letter: char,
    /// Its name.
    pub name: &'static str,
    /// Its drawing: `pawn`, `knight`, `bishop`, `rook`, `queen`, `king`, `disc`, `coin`, `tile`.
    pub drawing: &'static str,
}

impl Appearance {
    /// The letters of the FEN.
    pub const LETTERS: Appearance = Appearance { title: "", hint: "", pieces: &[], steps: &[], points: None };
}

impl PieceAppearance {
    /// A piece with the drawing of its name.
    pub const fn new(letter: char, name: &'static str) -> PieceAppearance {
        PieceAppearance { letter, name, drawing: name }
    }
}
