//! The server's messages about a game.

use super::message::{ServerMessage, Square, Step, Turn, rounded_points};
use labrys_core::engine::Board;
use labrys_core::game::Game;
use labrys_core::game::tucchess::TucChess;

/// The message for the move `text`, with its chance outcome, that led to the position of `board`. None if the
/// text is not a move of the game.
pub fn turn(text: &str, board: &dyn Board) -> Option<ServerMessage> {
    turn_message(text, &position(board))
}

/// The message for the end of the game in the position of `board`.
pub fn end(board: &dyn Board) -> ServerMessage {
    end_message(&position(board))
}

/// The position of a board of TUC-CHESS.
fn position(board: &dyn Board) -> TucChess {
    TucChess::from_fen(&board.fen()).unwrap_or_else(|_| TucChess::start())
}

/// See [`turn`].
pub(super) fn turn_message(text: &str, position: &TucChess) -> Option<ServerMessage> {
    let step = Step::from_name(text)?;
    let prize = text.split_once('+').and_then(|(_, square)| Square::from_name(square));
    let points = position.score().map(rounded_points);
    Some(ServerMessage::Turn(Turn { next: position.side_to_move(), step, prize, points }))
}

/// See [`end`].
pub(super) fn end_message(position: &TucChess) -> ServerMessage {
    ServerMessage::End(final_points(position.score()))
}

/// The points of a `GE` message. If rounding or the limit of two digits makes unequal points equal, the
/// player with fewer points is shown one point less.
fn final_points([white, black]: [f64; 2]) -> [u8; 2] {
    match [white, black].map(rounded_points) {
        [a, b] if a == b && white > black => [a, b.saturating_sub(1)],
        [a, b] if a == b && white < black => [a.saturating_sub(1), b],
        points => points,
    }
}
