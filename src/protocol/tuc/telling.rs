//! What a server tells of a game, whoever referees it.

use super::message::{ServerMessage, Square, Step, Turn, shown};
use super::position::Position;
use crate::engine::{Board, PositionError};

/// The points of White and of Black.
pub(super) fn points(board: &dyn Board) -> Result<[f64; 2], PositionError> {
    Ok(Position::parse(&board.fen())?.points)
}

/// The message that the move `text`, chance outcome and all, has led to the position of `board`; none if
/// it is no move of the game.
pub fn turn(text: &str, board: &dyn Board) -> Option<ServerMessage> {
    let step = Step::from_name(text)?;
    let prize = text.split_once('+').and_then(|(_, square)| Square::from_name(square));
    let points = points(board).ok()?.map(shown);
    Some(ServerMessage::Turn(Turn { next: board.side_to_move(), step, prize, points }))
}

/// The message that the game has ended in the position of `board`.
pub fn end(board: &dyn Board) -> ServerMessage {
    // Every board has a position that reads.
    ServerMessage::End(final_points(points(board).unwrap_or_default()))
}

/// Points as `GE` shows them. Where two digits or whole points would hide who has more, the other one is
/// shown a point less.
fn final_points([white, black]: [f64; 2]) -> [u8; 2] {
    match [white, black].map(shown) {
        [a, b] if a == b && white > black => [a, b.saturating_sub(1)],
        [a, b] if a == b && white < black => [a.saturating_sub(1), b],
        shown => shown,
    }
}
