//! The phase of a game, for statistics.

use super::Knowledge;

/// The phase of a game, by what is left on the board: material as the game counts it
/// ([`Knowledge::material`]), such as pieces in chess and empty squares in Amazons, or, where it counts none, the
/// letters of the FEN.
///
/// It is for statistics. Evaluations interpolate between phases of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// More than two thirds of the most material are left.
    Opening,
    /// More than one third is left.
    MiddleGame,
    /// One third is left, or less.
    Endgame,
}

impl Phase {
    /// All phases, in the order in which they come.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::MiddleGame, Phase::Endgame];

    /// The phase of a position.
    pub fn of<G: Knowledge>(position: &G) -> Phase {
        match position.material() {
            (_, 0) => Phase::by_share(letters(&position.fen()), letters(&G::start().fen())),
            (now, most) => Phase::by_share(now, most),
        }
    }

    /// The phase with so much of the most material.
    fn by_share(now: usize, most: usize) -> Phase {
        match 3 * now {
            thirds if thirds > 2 * most => Phase::Opening,
            thirds if thirds > most => Phase::MiddleGame,
            _ => Phase::Endgame,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::MiddleGame => "middle game",
            Phase::Endgame => "endgame",
        }
    }
}

/// The letters of the board in a FEN: its pieces.
fn letters(fen: &str) -> usize {
    let board = fen.split(' ').next().unwrap_or_default();
    board.chars().filter(char::is_ascii_alphabetic).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::amazons::Amazons;
    use crate::game::chess::Chess;

    #[test]
    fn a_phase_ends_at_two_thirds_and_at_one_third() {
        let phases = [12, 9, 8, 5, 4, 0].map(|now| Phase::by_share(now, 12));
        use Phase::{Endgame, MiddleGame, Opening};
        assert_eq!(phases, [Opening, Opening, MiddleGame, MiddleGame, Endgame, Endgame]);
        assert_eq!(
            [22, 21, 11, 10].map(|now| Phase::by_share(now, 32)),
            [Opening, MiddleGame, MiddleGame, Endgame]
        );
    }

    #[test]
    fn a_phase_is_that_of_the_material() {
        assert_eq!(Phase::of(&Chess::start()), Phase::Opening);
        assert_eq!(Phase::of(&Chess::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap()), Phase::Endgame);
        // Of 16 squares, 4 are taken: 12 are empty.
        let position = Amazons::from_fen("q2q/4/4/Q2Q w - - 0 1").unwrap();
        assert_eq!((position.material(), Phase::of(&position)), ((12, 16), Phase::Opening));
        let position = Amazons::from_fen("q2q/****/4/Q2Q w - - 0 1").unwrap();
        assert_eq!(Phase::of(&position), Phase::MiddleGame);
        assert_eq!(letters("rnbqk2r/8 w KQkq - 0 1"), 6);
    }
}
