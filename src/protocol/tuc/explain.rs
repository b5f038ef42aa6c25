//! Which chance outcome of a move explains what the server tells of it.

use super::message::{Turn, shown};
use crate::game::Game;
use crate::game::tucchess::TucChess;

/// The position after a move; none if the rules forbid it.
pub(super) fn after(position: &TucChess, text: &str) -> Option<TucChess> {
    let mut position = *position;
    position.play(position.parse_move(text).ok()?);
    Some(position)
}

/// How well an outcome of a move explains the points that the server tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Not at all.
    None,
    /// All of them together: somebody got the points of somebody else.
    Sum,
    /// Those of both players.
    Both,
}

/// A legal move with its chance outcome, and the position after it.
pub(super) struct Explanation {
    pub(super) fit: Fit,
    pub(super) text: String,
    pub(super) position: TucChess,
}

/// The chance outcome that explains the points best; none if the move is not legal.
pub(super) fn most_likely(turn: Turn, position: &TucChess) -> Option<Explanation> {
    let step = turn.step.name();
    let appears = turn.prize.map(|square| format!("+{}", square.name()));
    // A prize that cannot appear where the server says is left to the correction.
    appears.into_iter().chain([String::new()]).find_map(|appears| {
        // The last of equals is taken: a prize has its worth more often than not.
        let outcomes = ["", "=0", "=1"].into_iter().filter_map(|worth| {
            let text = format!("{step}{worth}{appears}");
            let position = after(position, &text)?;
            Some(Explanation { fit: fit(position.score().map(shown), turn.points), text, position })
        });
        outcomes.max_by_key(|outcome| outcome.fit)
    })
}

fn fit(ours: [u8; 2], told: [u8; 2]) -> Fit {
    let sum = |[white, black]: [u8; 2]| u32::from(white) + u32::from(black);
    match (ours == told, sum(ours) == sum(told)) {
        (true, _) => Fit::Both,
        (_, true) => Fit::Sum,
        _ => Fit::None,
    }
}
