//! The tags `ECO` and `Opening`.

use super::{PgnGame, ReplayError};
use labrys_core::engine::{NamedOpening, registry};

/// The tags that name an opening.
const TAGS: [&str; 2] = ["ECO", "Opening"];

impl PgnGame {
    /// Sets both tags to the last named position of the game, unless one of them is set. `expected` is the
    /// game if there is no `Variant` tag, by default chess. Stops at an illegal move.
    ///
    /// # Errors
    /// [`ReplayError`] if the game is unknown or the start position is invalid.
    pub fn set_opening_tags(&mut self, expected: Option<&str>) -> Result<(), ReplayError> {
        let is_named = |(name, value): &(String, String)| {
            TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)) && !matches!(value.trim(), "" | "?" | "-")
        };
        let mut board = self.board(expected)?;
        let openings = registry::openings(board.variant())?;
        if openings.is_empty() || self.other_tags.iter().any(is_named) {
            return Ok(());
        }
        board.set_up(self.opening.set_up_fen(), &[])?;
        let mut keys = vec![board.key()];
        for text in self.opening.moves.iter().chain(self.moves.iter().map(|mv| &mv.text)) {
            if board.play_san(text).is_err() {
                break;
            }
            keys.push(board.key());
        }
        if let Some(NamedOpening { code, name }) = openings.last_named(keys.into_iter()) {
            self.other_tags.retain(|(name, _)| !TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)));
            self.other_tags
                .extend(TAGS.into_iter().zip([code, name]).map(|(tag, value)| (tag.into(), value.into())));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parse;

    #[test]
    fn opening_tags_are_set_unless_present() {
        for (pgn, tags) in [
            ("1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. h3 *", "E20 Nimzo-Indian Defense"),
            ("[ECO \"?\"]\n[Event \"Test\"]\n\n1. c4 f5 2. d4 Zz9 *", "Test A84 Dutch Defense"),
            ("[Opening \"mine\"]\n\n1. e4 *", "mine"),
            ("[ECO \"A00\"]\n\n1. e4 *", "A00"),
            ("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *", ""),
            ("[Variant \"neighbours\"]\n\n1. e1e3 *", ""),
        ] {
            let mut game = parse(pgn).unwrap().remove(0);
            game.set_opening_tags(None).unwrap();
            let values: Vec<_> = game.other_tags.iter().map(|(_, value)| &**value).collect();
            assert_eq!(values.join(" "), tags, "{pgn}");
        }
        let mut unknown = parse("[Variant \"ludo\"]\n\n*").unwrap().remove(0);
        assert!(unknown.set_opening_tags(None).is_err());
    }
}
