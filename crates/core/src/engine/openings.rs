//! Named openings, by position.

use std::collections::HashMap;

use crate::game::Game;

/// An opening with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedOpening {
    /// Its code; in chess, ECO.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The named openings of a game by [`Board::key`](super::Board::key), so that transpositions are recognised.
#[derive(Debug, Default)]
pub struct NamedOpenings {
    by_key: HashMap<u64, NamedOpening>,
}

impl NamedOpenings {
    /// Parses the rows of [`GameInfo::openings`](crate::game::GameInfo::openings). Skips invalid rows; a test
    /// makes sure that there are none.
    pub(super) fn parse<G: Game>(text: &'static str) -> NamedOpenings {
        let mut by_key = HashMap::new();
        // The moves of the last row with the positions after them, reused for the common prefix of the next
        // row.
        let mut line: Vec<(&str, G)> = Vec::new();
        for (opening, moves) in rows(text) {
            let same = moves.split(' ').zip(&line).take_while(|(mv, (before, _))| mv == before).count();
            line.truncate(same);
            let is_played = moves.split(' ').skip(same).all(|text| {
                let mut position = line.last().map_or_else(G::start, |(_, position)| position.clone());
                let Ok(mv) = position.parse_move(text) else { return false };
                position.play(mv);
                line.push((text, position));
                true
            });
            if let Some((_, position)) = line.last().filter(|_| is_played) {
                by_key.insert(position.key(), opening);
            }
        }
        NamedOpenings { by_key }
    }

    /// The opening at the position with a key, if it has a name.
    pub fn get(&self, key: u64) -> Option<NamedOpening> {
        self.by_key.get(&key).copied()
    }

    /// The last named position of a line, given the keys of its positions.
    pub fn last_named(&self, keys: impl DoubleEndedIterator<Item = u64>) -> Option<NamedOpening> {
        keys.rev().find_map(|key| self.get(key))
    }

    /// Whether there are no named openings.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

/// The openings of a tab-separated text, each with its moves.
fn rows(text: &'static str) -> impl Iterator<Item = (NamedOpening, &'static str)> {
    let rows = text.lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| {
        let mut columns = row.split('\t');
        let opening = NamedOpening { code: columns.next()?, name: columns.next()? };
        Some((opening, columns.next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::super::registry;
    use super::*;

    /// The opening of a line of chess, from the start position or a FEN.
    fn named(fen: Option<&str>, moves: &str) -> Option<(&'static str, &'static str)> {
        let mut board = registry::board("chess").unwrap();
        board.set_up(fen, &[]).unwrap();
        let mut keys = vec![board.key()];
        for mv in moves.split_whitespace() {
            board.play_san(mv).unwrap();
            keys.push(board.key());
        }
        let openings = registry::openings("chess").unwrap();
        openings.last_named(keys.into_iter()).map(|NamedOpening { code, name }| (code, name))
    }

    #[test]
    fn all_rows_are_valid() {
        for name in registry::names() {
            let (info, openings) = (registry::info(name).unwrap(), registry::openings(name).unwrap());
            let rows = info.openings.lines().filter(|row| !row.starts_with('#')).count();
            assert_eq!(openings.by_key.len(), rows, "{name}");
        }
        assert!(registry::openings("chess").unwrap().by_key.len() > 3_000);
        assert!(registry::openings("ludo").is_err());
    }

    #[test]
    fn the_last_named_position_counts_and_transpositions_are_recognised() {
        assert_eq!(named(None, ""), None);
        assert_eq!(named(None, "e4"), Some(("B00", "King's Pawn Game")));
        let najdorf = Some(("B90", "Sicilian Defense: Najdorf Variation"));
        assert_eq!(named(None, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"), najdorf);
        assert_eq!(named(None, "Nf3 c5 e4 d6 Nc3 Nf6 d4 cxd4 Nxd4 a6 h4 h5 Rh2"), najdorf);
        // A named start position, followed by an unnamed one.
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(named(Some(fen), "Ke2").unwrap().0, "C20");
        assert_eq!(named(Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "O-O"), None);
    }
}
