//! What a server tells of a game, whoever referees it.

use super::message::{ServerMessage, Square, Step, Turn, shown};
use crate::engine::Board;
use crate::game::Game;
use crate::game::tucchess::TucChess;

/// The message that the move `text`, chance outcome and all, has led to the position of `board`; none if it
/// is no move of the game.
pub fn turn(text: &str, board: &dyn Board) -> Option<ServerMessage> {
    turn_message(text, &position(board))
}

/// The message that the game has ended in the position of `board`.
pub fn end(board: &dyn Board) -> ServerMessage {
    end_message(&position(board))
}

/// The position of a board, which is one of the game.
fn position(board: &dyn Board) -> TucChess {
    TucChess::from_fen(&board.fen()).unwrap_or_else(|_| TucChess::start())
}

/// See [`turn`].
pub(super) fn turn_message(text: &str, position: &TucChess) -> Option<ServerMessage> {
    let step = Step::from_name(text)?;
    let prize = text.split_once('+').and_then(|(_, square)| Square::from_name(square));
    let points = position.score().map(shown);
    Some(ServerMessage::Turn(Turn { next: position.side_to_move(), step, prize, points }))
}

/// See [`end`].
pub(super) fn end_message(position: &TucChess) -> ServerMessage {
    ServerMessage::End(final_points(position.score()))
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
