//! Finds the chance outcome of a move that matches a message of the server.

use super::message::{Turn, rounded_points};
use labrys_core::game::Game;
use labrys_core::game::tucchess::TucChess;

/// The position after a move; none if the move is not legal.
pub(super) fn after(position: &TucChess, text: &str) -> Option<TucChess> {
    let mut position = *position;
    position.play(position.parse_move(text).ok()?);
    Some(position)
}

/// How well an outcome matches the points in the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Points differ in total.
    None,
    /// Only the sum of both players' points matches: points went to the wrong player.
    Sum,
    /// The points of both players match.
    Both,
}

/// A legal move with its chance outcome, and the position after it.
pub(super) struct Explanation {
    pub(super) fit: Fit,
    pub(super) text: String,
    pub(super) position: TucChess,
}

/// The chance outcome that matches the points best; none if the move is not legal.
pub(super) fn most_likely(turn: Turn, position: &TucChess) -> Option<Explanation> {
    let step = turn.step.name();
    let appears = turn.prize.map(|square| format!("+{}", square.name()));
    // A prize on an impossible square is left to the later correction.
    appears.into_iter().chain([String::new()]).find_map(|appears| {
        // `max_by_key` takes the last of equals: a prize most often scores.
        let outcomes = ["", "=0", "=1"].into_iter().filter_map(|value| {
            let text = format!("{step}{value}{appears}");
            let position = after(position, &text)?;
            Some(Explanation { fit: fit(position.score().map(rounded_points), turn.points), text, position })
        });
        outcomes.max_by_key(|outcome| outcome.fit)
    })
}

fn fit(ours: [u8; 2], announced: [u8; 2]) -> Fit {
    let sum = |[white, black]: [u8; 2]| u32::from(white) + u32::from(black);
    match (ours == announced, sum(ours) == sum(announced)) {
        (true, _) => Fit::Both,
        (_, true) => Fit::Sum,
        _ => Fit::None,
    }
}
