//! Games with their alternatives as game records, PGN.

use crate::game_tree::{End, GameError, GameTree, LONGEST, ROOT};
use labrys_arena::pgn::{DEEPEST, PgnGame, PgnMove, PgnReader, PlayerTags};
use labrys_arena::{FinalResult, Rules, Termination, Variation};

/// The event and the site of the games that are saved.
const EVENT: [(&str, &str); 2] = [("Event", "Casual game"), ("Site", "Labrys")];

impl GameTree {
    /// The first game of a PGN text, with the names of its players. `values` are those of the options of all
    /// games, by name of the game.
    pub(crate) fn from_pgn(
        pgn: &str,
        values: impl Fn(&str) -> Vec<Rules>,
    ) -> Result<(GameTree, [String; 2]), GameError> {
        let game =
            PgnReader::new(pgn.as_bytes()).next().ok_or(GameError::Pgn("it has no game".to_owned()))?;
        let game = game.map_err(|error| GameError::Pgn(error.to_string()))?;
        let mut board = game.board(None)?;
        // The record names the option by its tag, the server by its value.
        let same =
            |rules: &Rules| rules.board().is_ok_and(|other| other.pgn_variant() == board.pgn_variant());
        let rules = values(board.variant()).into_iter().find(same);
        let rules = rules.map_or_else(|| Rules::new(board.variant(), None), Ok)?;
        let fen = game.opening.fen.as_str();
        if game.opening.moves.len() + game.moves.len() > LONGEST {
            return Err(GameError::TooLong);
        }
        let moves = game.replay(board.as_mut())?;
        let mut tree = GameTree::new(rules, Some(fen).filter(|fen| !fen.is_empty()))?;
        let (opening, others) = moves.split_at(game.opening.moves.len());
        opening.iter().try_for_each(|mv| tree.add(mv))?;
        for (mv, record) in others.iter().zip(&game.moves) {
            let (before, fen) = (tree.shown(), tree.board.fen());
            tree.add(mv)?;
            tree.add_variations(before, &fen, &record.variations);
        }
        let [white, black] = game.players;
        Ok((tree, [white.name, black.name]))
    }

    /// Adds lines after a node, whose position is that of `fen`. Records have null moves and slips in them: a
    /// line is cut where it cannot be played.
    fn add_variations(&mut self, node: usize, fen: &str, lines: &[Vec<PgnMove>]) {
        for line in lines {
            if let Err(error) = self.add_variation(node, fen, line) {
                log::debug!("a variation is cut: {error}");
            }
        }
    }

    /// Adds a line up to the first move that cannot be played.
    fn add_variation(&mut self, node: usize, fen: &str, line: &[PgnMove]) -> Result<(), GameError> {
        let [mut reader, mut writer] = [self.rules.board()?, self.rules.board()?];
        reader.set_up(Some(fen), &[])?;
        writer.set_up(Some(fen), &[])?;
        let mut parent = node;
        for PgnMove { text, variations, .. } in line {
            let (before, fen) = (parent, writer.fen());
            let played = reader.play_san(text).and_then(|mv| Ok((writer.play_to_san(&mv)?, mv)));
            if let Ok((text, mv)) = &played {
                let children = self.nodes[parent].children.iter().copied();
                let known = children.into_iter().find(|&child| self.nodes[child].mv == *mv);
                parent = known.map_or_else(|| self.push(before, mv.clone(), text.clone()), Ok)?;
            }
            // What could be played in place of the move.
            self.add_variations(before, &fen, variations);
            played?;
        }
        Ok(())
    }

    /// The line that begins with a node, with its alternatives; `depth` variations are around it.
    fn record(&self, first: usize, depth: usize) -> Vec<PgnMove> {
        let next = |&node: &usize| self.nodes[node].next.or(self.nodes[node].children.first().copied());
        let line = std::iter::successors(Some(first), next).enumerate().map(|(index, node)| {
            let siblings = self.nodes[self.nodes[node].parent].children.iter().copied();
            // Those of the first move are variations of their own.
            let others = siblings.filter(|&other| other != node && (index > 0 || depth == 0));
            let others = others.filter(|_| depth < DEEPEST);
            PgnMove {
                text: self.nodes[node].text.clone(),
                variations: others.map(|other| self.record(other, depth + 1)).collect(),
                ..PgnMove::default()
            }
        });
        line.collect()
    }

    /// The line as a game record, with the other lines as variations. The end is that of the line.
    pub(crate) fn to_pgn(
        &self,
        players: [&str; 2],
        date: String,
        control: &str,
    ) -> Result<String, GameError> {
        let line = self.line_nodes();
        let moves: Vec<_> = line.iter().map(|&node| self.nodes[node].mv.clone()).collect();
        let mut at_end = GameTree::new(self.rules.clone(), Some(&self.start))?;
        moves.iter().try_for_each(|mv| at_end.add(mv))?;
        let last = line.last().map_or(ROOT, |&node| node);
        *at_end.times_mut() = self.nodes[last].times.clone().filter(|_| last != ROOT);
        let shown = at_end.shown();
        at_end.nodes[shown].agreed = self.nodes[last].agreed;
        let end = at_end.end().map(|End { winner, text }| {
            let termination = match at_end.times() {
                _ if at_end.board.outcome().is_some() => Termination::Rules,
                Some(times) if times.is_over => Termination::Time,
                _ => Termination::Adjudication,
            };
            FinalResult { winner, termination, details: text }
        });
        let start = Variation { fen: self.start.clone(), moves: Vec::new() };
        let record = PgnGame {
            number: None,
            round: "-".to_owned(),
            date,
            variant: self.board.pgn_variant().map(str::to_owned),
            players: players.map(|name| PlayerTags {
                name: name.to_owned(),
                time_control: control.to_owned(),
                ..PlayerTags::default()
            }),
            opening: start.to_record(at_end.board.as_mut())?,
            comment: String::new(),
            moves: line.first().map_or(Vec::new(), |&first| self.record(first, 0)),
            closing: String::new(),
            end,
            other_tags: EVENT.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        };
        Ok(record.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_tree::ROOT;
    use crate::game_tree::tests::{game, line, play};

    #[test]
    fn alternatives_are_saved_and_loaded() {
        let mut saved = game("chess", None);
        play(&mut saved, "e2e4 e7e5 g1f3");
        saved.show(1).unwrap();
        play(&mut saved, "c7c5 g1f3 d7d6");
        saved.show(4).unwrap();
        play(&mut saved, "b1c3");
        saved.show(ROOT).unwrap();
        play(&mut saved, "d2d4");
        saved.show(3).unwrap();
        let pgn = saved.to_pgn(["a", "b"], "2026.11.22".to_owned(), "").unwrap();
        let text = "1. e4 ( 1. d4 ) 1... e5 ( 1... c5 2. Nc3 ( 2. Nf3 d6 ) ) 2. Nf3 *";
        assert!(pgn.replace('\n', " ").contains(text), "{pgn}");
        let (loaded, _) = GameTree::from_pgn(&pgn, |_| Vec::new()).unwrap();
        assert_eq!((line(&loaded), loaded.nodes.len()), (line(&saved), saved.nodes.len()));
        assert_eq!(loaded.to_pgn(["a", "b"], "2026.11.22".to_owned(), "").unwrap(), pgn);
        // Many variations, one within the other, do no harm.
        let deep = format!("1. e4 {} {} *", "( 1. d4 ".repeat(5000), ")".repeat(5000));
        assert!(GameTree::from_pgn(&deep, |_| Vec::new()).is_ok());
    }

    #[test]
    fn a_variation_is_cut_where_it_cannot_be_played() {
        for (pgn, expected, nodes) in [
            ("1. e4 ( 1. e5 ) e5 *", "e4 e5", 3),
            ("1. e4 ( 1. d4 d5 2. Ke5 ( 2. c4 ) e6 ) e5 *", "e4/d4 e5", 6),
            ("1. e4 e5 ( 1... -- 2. d4 ) ( 1... c5 2. -- d6 ) 2. Nf3 *", "e4 e5/c5 Nf3", 5),
            ("1. e4 ( 1. d4 Z0 2. c4 ) *", "e4/d4", 3),
            ("1. e4 ( what now ) e5", "e4 e5", 3),
            ("1. e4 -- 2. d4 *", "e4", 2),
        ] {
            let (game, _) = GameTree::from_pgn(pgn, |_| Vec::new()).unwrap();
            assert_eq!((line(&game).as_str(), game.nodes.len()), (expected, nodes), "{pgn}");
        }
        // More variations than there is room for.
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(LONGEST / 4);
        let pgn = format!("1. e4 e5 ( 1... {long} ) 2. Nf3 Nc6 *");
        let (game, _) = GameTree::from_pgn(&pgn, |_| Vec::new()).unwrap();
        assert_eq!(line(&game).split(' ').count(), 4);
    }

    #[test]
    fn games_are_saved_and_loaded() {
        for (variant, fen, moves) in [
            ("chess", Some("4k3/8/8/8/8/8/4P3/4K3 b - - 0 5"), "e8e7 e2e4"),
            ("neighbours", None, "e1e3"),
            ("tucchess", None, "a2a3 a6a5=1"),
            ("amazons", Some("1q1q1/q3q/5/Q3Q/1Q1Q1 w"), "b1c1,c1c5"),
        ] {
            let mut saved = game(variant, fen);
            let moves: Vec<_> = moves.split(' ').collect();
            let played = moves.iter().take_while(|mv| saved.add(mv).is_ok()).count();
            assert!(played > 0, "{variant}");
            let pgn = saved.to_pgn(["person", "1 ply"], "2026.11.22".to_owned(), "").unwrap();
            let (loaded, players) = GameTree::from_pgn(&pgn, |_| Vec::new()).unwrap();
            assert_eq!(players, ["person", "1 ply"]);
            assert_eq!((line(&loaded), loaded.board().fen()), (line(&saved), saved.board().fen()), "{pgn}");
            assert_eq!((loaded.first_ply(), &loaded.start), (saved.first_ply(), &saved.start));
        }
        for pgn in ["", "{a comment}", "[Variant \"ludo\"]\n\n*", "1. e5 *"] {
            assert!(GameTree::from_pgn(pgn, |_| Vec::new()).is_err(), "{pgn}");
        }
        // A list of moves from anywhere.
        for pgn in
            ["1. e4 e5 2. Nf3", "e2e4 e7e5 g1f3", "1.e4e5 2.Nf3*", "e2-e4 e7-e5 g1-f3", "1) e4, e5 2) Nf3"]
        {
            let (game, _) = GameTree::from_pgn(pgn, |_| Vec::new()).unwrap();
            assert_eq!(line(&game), "e4 e5 Nf3", "{pgn}");
        }
    }
}
