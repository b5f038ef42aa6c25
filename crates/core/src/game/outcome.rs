//! Outcomes of games, results, and draw rules.

use std::fmt;
use std::ops::Not;

use serde::{Deserialize, Serialize};

use super::Color;

/// The outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; none if the game is drawn.
    pub winner: Option<Color>,
    /// The rule that ended the game.
    pub ending: Ending,
}

/// The rule that ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move has no legal move.
    NoMoves,
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// A king has been captured.
    KingCaptured,
    /// Only kings are left.
    BareKings,
    /// Neither player has the pieces to win.
    InsufficientMaterial,
    /// The same position with the same side to move has occurred as often as the rules allow.
    Repetition,
    /// Too many plies in a row without progress.
    NoProgress,
}

impl Ending {
    /// All of them.
    pub const ALL: [Ending; 8] = [
        Ending::NoMoves,
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::KingCaptured,
        Ending::BareKings,
        Ending::InsufficientMaterial,
        Ending::Repetition,
        Ending::NoProgress,
    ];
}

/// The result of a game for one of its players: win, draw or loss, in half points 2, 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wdl {
    /// The game is lost.
    Loss = 0,
    /// The game is drawn.
    Draw = 1,
    /// The game is won.
    Win = 2,
}

impl Wdl {
    /// The result for `player`; a game without a winner is drawn.
    pub fn of(winner: Option<Color>, player: Color) -> Wdl {
        match winner {
            None => Wdl::Draw,
            Some(winner) if winner == player => Wdl::Win,
            Some(_) => Wdl::Loss,
        }
    }

    /// The winner, if this is the result for `player`.
    pub fn winner(self, player: Color) -> Option<Color> {
        match self {
            Wdl::Win => Some(player),
            Wdl::Draw => None,
            Wdl::Loss => Some(!player),
        }
    }

    /// 1 for a win, ½ for a draw, 0 for a loss.
    pub fn value(self) -> f64 {
        f64::from(self as u8) / 2.0
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Wdl::Win => "win",
            Wdl::Draw => "draw",
            Wdl::Loss => "loss",
        })
    }
}

impl Not for Wdl {
    type Output = Wdl;

    /// The result for the other player.
    fn not(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// Draws that depend on earlier positions or counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRules {
    /// The number of occurrences of a position that draws the game.
    pub repetitions: Option<usize>,
    /// Plies without progress that draw the game, unless the last of them ends it by another rule.
    pub no_progress: Option<usize>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} wins: {}", self.ending),
            None => write!(f, "draw: {}", self.ending),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::NoMoves => "no legal move",
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::KingCaptured => "king captured",
            Ending::BareKings => "bare kings",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::Repetition => "repetition",
            Ending::NoProgress => "no progress",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_a_player() {
        let [white, black] = Color::BOTH;
        let points = |winner| [white, black].map(|player| Wdl::of(winner, player));
        assert_eq!(points(Some(black)), [Wdl::Loss, Wdl::Win]);
        assert_eq!(points(None), [Wdl::Draw; 2]);
        for winner in [None, Some(white), Some(black)] {
            let [first, second] = points(winner);
            assert_eq!((!first, first.value() + second.value()), (second, 1.0));
        }
        assert_eq!(Wdl::Win.value(), 1.0);
    }

    #[test]
    fn outcomes_name_the_winner_and_the_rule() {
        let text = |winner, ending| Outcome { winner, ending }.to_string();
        assert_eq!(text(Some(Color::Black), Ending::Checkmate), "Black wins: checkmate");
        assert_eq!(text(None, Ending::Stalemate), "draw: stalemate");
        let texts: std::collections::BTreeSet<_> = Ending::ALL.map(|ending| ending.to_string()).into();
        assert!(texts.len() == Ending::ALL.len() && !texts.contains(""), "{texts:?}");
    }
}
