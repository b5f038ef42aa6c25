//! Conversion of game trees from and to PGN.

use crate::annotations::Annotations;
use crate::game_tree::{End, GameError, GameTree, MAX_MOVES, ROOT};
use crate::header::Header;
use labrys_arena::analysis::GameAnalysis;
use labrys_arena::pgn::{BOOK, DEEPEST, PgnGame, PgnMove, PgnReader, PlayerTags};
use labrys_arena::{FinalResult, Rules, Termination, Variation};

/// The games of a PGN text.
pub(crate) fn read_games(pgn: &str) -> Result<Vec<PgnGame>, GameError> {
    let games: Result<Vec<_>, _> = PgnReader::new(pgn.as_bytes()).collect();
    let games = games.map_err(|error| GameError::Pgn(error.to_string()))?;
    if games.is_empty() {
        return Err(GameError::Pgn("it has no game".to_owned()));
    }
    Ok(games)
}

impl GameTree {
    /// Converts a PGN game. `values` returns the rules of a game with each value of its option.
    pub(crate) fn from_record(
        game: &PgnGame,
        values: impl Fn(&str) -> Vec<Rules>,
    ) -> Result<GameTree, GameError> {
        let mut board = game.board(None)?;
        // The value of the option is inferred from the `Variant` tag.
        let same =
            |rules: &Rules| rules.board().is_ok_and(|other| other.pgn_variant() == board.pgn_variant());
        let rules = values(board.variant()).into_iter().find(same);
        let rules = rules.map_or_else(|| Rules::new(board.variant(), None), Ok)?;
        let fen = game.opening.fen.as_str();
        if game.opening.moves.len() + game.moves.len() > MAX_MOVES {
            return Err(GameError::TooLong);
        }
        let moves = game.replay(board.as_mut())?;
        let mut tree = GameTree::new(rules, Some(fen).filter(|fen| !fen.is_empty()))?;
        tree.nodes[ROOT].annotations.comment = game.comment.clone();
        let (opening, others) = moves.split_at(game.opening.moves.len());
        for mv in opening {
            tree.add(mv)?;
            let current = tree.current();
            BOOK.clone_into(&mut tree.nodes[current].annotations.comment);
        }
        for (mv, record) in others.iter().zip(&game.moves) {
            let (before, fen) = (tree.current(), tree.board.fen());
            tree.add(mv)?;
            let current = tree.current();
            tree.nodes[current].annotations = annotations(record);
            tree.add_variations(before, &fen, &record.variations);
        }
        Ok(tree)
    }

    /// Adds variations after a node with the position `fen`. PGN files contain null moves and errors: each
    /// variation is cut at its first illegal move.
    fn add_variations(&mut self, node: usize, fen: &str, lines: &[Vec<PgnMove>]) {
        for line in lines {
            if let Err(error) = self.add_variation(node, fen, line) {
                log::debug!("a variation is cut: {error}");
            }
        }
    }

    /// Adds a variation up to its first illegal move, which is an error.
    fn add_variation(&mut self, node: usize, fen: &str, line: &[PgnMove]) -> Result<(), GameError> {
        let [mut reader, mut writer] = [self.rules.board()?, self.rules.board()?];
        reader.set_up(Some(fen), &[])?;
        writer.set_up(Some(fen), &[])?;
        let mut parent = node;
        for record in line {
            let PgnMove { text, variations, .. } = record;
            let (before, fen) = (parent, writer.fen());
            let played = reader.play_san(text).and_then(|mv| Ok((writer.play_to_san(&mv)?, mv)));
            if let Ok((text, mv)) = &played {
                let children = self.nodes[parent].children.iter().copied();
                let known = children.into_iter().find(|&child| self.nodes[child].mv == *mv);
                parent = known.map_or_else(|| self.push(before, mv.clone(), text.clone()), Ok)?;
                let node = &mut self.nodes[parent];
                if node.annotations.is_empty() {
                    node.annotations = annotations(record);
                }
                node.key = writer.key();
                let outcome = writer.outcome();
                node.end = outcome.map(|end| End { winner: end.winner, text: end.to_string() });
            }
            // Variations on the move itself, even if it is illegal.
            self.add_variations(before, &fen, variations);
            played?;
        }
        Ok(())
    }

    /// The line from a node at `ply`, with its variations; `depth` is the nesting.
    fn record(&self, first: usize, ply: usize, depth: usize) -> Vec<PgnMove> {
        let next = |&node: &usize| self.nodes[node].children.first().copied();
        let line = std::iter::successors(Some(first), next).enumerate().map(|(index, node)| {
            let siblings = self.nodes[self.nodes[node].parent].children.iter().copied();
            // The siblings of a variation's first move belong to the parent line.
            let others = siblings.filter(|&other| other != node && (index > 0 || depth == 0));
            let others = others.filter(|_| depth < DEEPEST);
            let variations = others.map(|other| self.record(other, ply + index, depth + 1)).collect();
            let mut annotations = self.nodes[node].annotations.clone();
            if index > 0 || depth == 0 {
                annotations = Annotations {
                    comment: annotations.joined_comment(),
                    before: String::new(),
                    ..annotations
                };
            }
            if self.nodes[node].times.is_some()
                && let Some(left) = self.time_left(node, self.side_at(ply + index))
            {
                annotations.add_clock(left);
            }
            let Annotations { before, comment, glyphs } = annotations;
            PgnMove { text: self.nodes[node].text.clone(), before, comment, glyphs, variations }
        });
        line.collect()
    }

    /// Converts the game to PGN, with the result of the mainline. `here` has the names and time controls of
    /// the session's players, used if the header has none. `is_annotated` includes the review, as `labrys
    /// analyse` writes it.
    pub(crate) fn to_record(
        &self,
        header: &Header,
        here: [PlayerTags; 2],
        is_annotated: bool,
    ) -> Result<PgnGame, GameError> {
        let line = self.mainline();
        let moves: Vec<_> = line.iter().map(|&node| self.nodes[node].mv.clone()).collect();
        let mut at_end = GameTree::new(self.rules.clone(), Some(&self.start))?;
        moves.iter().try_for_each(|mv| at_end.add(mv))?;
        let last = line.last().map_or(ROOT, |&node| node);
        *at_end.times_mut() = self.nodes[last].times.clone().filter(|_| last != ROOT);
        let current = at_end.current();
        at_end.nodes[current].decision = self.nodes[last].decision;
        let end = at_end.end().map(|End { winner, text }| {
            let termination = match at_end.times() {
                _ if at_end.board.outcome().is_some() => Termination::Rules,
                Some(times) if times.is_over => Termination::Time,
                _ => Termination::Adjudication,
            };
            FinalResult { winner, termination, details: text }
        });
        let start = Variation { fen: self.start.clone(), moves: Vec::new() };
        let body = PgnGame {
            variant: self.board.pgn_variant().map(str::to_owned),
            opening: start.to_record(at_end.board.as_mut())?,
            comment: self.nodes[ROOT].annotations.comment.clone(),
            moves: line.first().map_or(Vec::new(), |&first| self.record(first, 0, 0)),
            end,
            ..PgnGame::default()
        };
        let mut record = header.record(body, here);
        if is_annotated {
            // An incomplete review is not written.
            if let Some(moves) = self.analysis(&line).into_iter().collect() {
                GameAnalysis { moves }.annotate(&mut record, None);
            }
        }
        Ok(record)
    }
}

/// The annotations of a PGN move.
fn annotations(record: &PgnMove) -> Annotations {
    let PgnMove { before, comment, glyphs, .. } = record.clone();
    Annotations { before, comment, glyphs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use labrys_core::game::Color;

    use crate::game_tree::tests::{game, line, play};

    /// The first game of a text.
    fn load(pgn: &str) -> Result<(GameTree, Header), GameError> {
        let game = read_games(pgn)?.remove(0);
        Ok((GameTree::from_record(&game, |_| Vec::new())?, Header::of(&game)))
    }

    fn save(game: &GameTree, header: &Header) -> String {
        let here = ["a", "b"].map(|name| PlayerTags { name: name.to_owned(), ..PlayerTags::default() });
        game.to_record(header, here, false).unwrap().to_string()
    }

    #[test]
    fn variations_are_saved_and_loaded() {
        let mut saved = game("chess", None);
        play(&mut saved, "e2e4 e7e5 g1f3");
        saved.show(1).unwrap();
        play(&mut saved, "c7c5 g1f3 d7d6");
        saved.show(4).unwrap();
        play(&mut saved, "b1c3");
        saved.show(ROOT).unwrap();
        play(&mut saved, "d2d4");
        saved.show(3).unwrap();
        let pgn = save(&saved, &Header::for_new_game());
        // The mainline does not depend on the current node.
        let text = "1. e4 ( 1. d4 ) 1... e5 ( 1... c5 2. Nf3 ( 2. Nc3 ) 2... d6 ) 2. Nf3 *";
        assert!(pgn.replace('\n', " ").contains(text), "{pgn}");
        let (loaded, header) = load(&pgn).unwrap();
        assert_eq!((line(&loaded), loaded.nodes.len()), ("e4/d4 e5/c5 Nf3".to_owned(), saved.nodes.len()));
        assert_eq!(save(&loaded, &header), pgn);
        // Deeply nested variations.
        let deep = format!("1. e4 {} {} *", "( 1. d4 ".repeat(5000), ")".repeat(5000));
        assert!(load(&deep).is_ok());
    }

    #[test]
    fn a_variation_is_cut_at_its_first_illegal_move() {
        for (pgn, expected, nodes) in [
            ("1. e4 ( 1. e5 ) e5 *", "e4 e5", 3),
            ("1. e4 ( 1. d4 d5 2. Ke5 ( 2. c4 ) e6 ) e5 *", "e4/d4 e5", 6),
            ("1. e4 e5 ( 1... -- 2. d4 ) ( 1... c5 2. -- d6 ) 2. Nf3 *", "e4 e5/c5 Nf3", 5),
            ("1. e4 ( 1. d4 Z0 2. c4 ) *", "e4/d4", 3),
            ("1. e4 ( what now ) e5", "e4 e5", 3),
            ("1. e4 -- 2. d4 *", "e4", 2),
        ] {
            let (game, _) = load(pgn).unwrap();
            assert_eq!((line(&game).as_str(), game.nodes.len()), (expected, nodes), "{pgn}");
        }
        // A variation with too many moves.
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_MOVES / 4);
        let pgn = format!("1. e4 e5 ( 1... {long} ) 2. Nf3 Nc6 *");
        let (game, _) = load(&pgn).unwrap();
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
            let pgn = save(&saved, &Header::for_new_game());
            let (loaded, header) = load(&pgn).unwrap();
            assert_eq!([Color::White, Color::Black].map(|player| header.name(player)), ["a", "b"]);
            assert_eq!((line(&loaded), loaded.board().fen()), (line(&saved), saved.board().fen()), "{pgn}");
            assert_eq!((loaded.first_ply(), &loaded.start), (saved.first_ply(), &saved.start));
        }
        for pgn in ["", "{a comment}", "[Variant \"ludo\"]\n\n*", "1. e5 *"] {
            assert!(load(pgn).is_err(), "{pgn}");
        }
        // Bare lists of moves, in common notations.
        for pgn in
            ["1. e4 e5 2. Nf3", "e2e4 e7e5 g1f3", "1.e4e5 2.Nf3*", "e2-e4 e7-e5 g1-f3", "1) e4, e5 2) Nf3"]
        {
            let (game, _) = load(pgn).unwrap();
            assert_eq!(line(&game), "e4 e5 Nf3", "{pgn}");
        }
    }

    #[test]
    fn tags_comments_glyphs_and_clocks_survive_a_round_trip() {
        let pgn = "[Event \"Match\"]\n[Site \"Here\"]\n[Date \"1999.01.??\"]\n[Round \"3\"]\n[White \"Ann\"]\n\
                   [Black \"Bob\"]\n[Result \"0-1\"]\n[TimeControl \"300+3\"]\n[PlyCount \"4\"]\n\
                   [Termination \"Normal\"]\n[WhiteElo \"2000\"]\n\n\
                   {first} 1. e4 $1 $14 {[%clk 0:05:00] well} ( {or} 1. d4 {queen} d5 $6 ) 1... e5\n\
                   {[%clk 0:04:50] } 2. Nf3 {[%clk 0:04:58]} Nc6 {the end} 0-1 {closing}\n\n";
        let (mut game, header) = load(pgn).unwrap();
        let saved = save(&game, &header).replace('\n', " ");
        assert_eq!(saved.replace("] }", "]}"), pgn.replace('\n', " ").replace("] }", "]}"));
        let moves = game.all_moves([Duration::from_secs(3); 2], &game.judgements());
        assert_eq!(
            (moves[0].comment.as_str(), moves[0].glyphs, moves[0].left),
            ("well", &[1, 14][..], Some(300_000))
        );
        let third = moves.iter().find(|mv| mv.text == "Nf3").unwrap();
        assert_eq!(third.spent, Some(5_000));
        let other = moves.iter().find(|mv| mv.text == "d4").unwrap();
        assert_eq!((other.before, &*other.comment, other.parent), ("or", "queen", ROOT));
        // A variation promoted to the mainline keeps the comment before it.
        let other = other.node;
        game.promote(other, true).unwrap();
        let text = "1. d4 {or queen} ( 1. e4";
        assert!(save(&game, &header).replace('\n', " ").contains(text), "{}", save(&game, &header));
    }

    #[test]
    fn the_clocks_of_a_game_are_saved() {
        let mut played = game("chess", None);
        let control: labrys_arena::TimeControl = "300+3".parse().unwrap();
        *played.times_mut() = Some(crate::clock::Times::new(control));
        for mv in ["e2e4", "e7e5"] {
            let mut times = played.times().unwrap().clone();
            let player = played.board().side_to_move();
            times.spend(Duration::from_secs(7), player);
            *played.times_mut() = Some(times.clone());
            played.play(mv, &mut || 0.0).unwrap();
            *played.times_mut() = Some(times.press(player, control));
        }
        let pgn = save(&played, &Header::for_new_game());
        assert_eq!(pgn.matches("[%clk 0:04:59.0]").count(), 2, "{pgn}");
        let spent = |game: &GameTree| game.all_moves([control.increment; 2], &game.judgements())[1].spent;
        assert_eq!((spent(&played), spent(&load(&pgn).unwrap().0)), (Some(7_000), None));
    }

    #[test]
    fn a_review_is_written_as_by_labrys_analyse() {
        let (mut game, header) = load("1. f3 e5 2. g4 Qh4# 0-1").unwrap();
        for (node, (mv, text, result)) in
            [("e2e4", "e4", 0.5), ("e7e5", "e5", 0.38), ("e2e4", "e4", 0.38), ("d8h4", "Qh4#", 0.0)]
                .into_iter()
                .enumerate()
        {
            let (mv, score, line) = (mv.to_owned(), "cp -20".to_owned(), vec![text.to_owned()]);
            let best = Some(crate::message::LineState { mv, score, result, line, ..Default::default() });
            game.nodes[node].reviewed = Some(crate::review::PositionReview { best });
        }
        let text = |is_annotated| {
            let record = game.to_record(&header, Default::default(), is_annotated).unwrap();
            record.to_string().replace('\n', " ")
        };
        assert!(text(true).contains("1. f3 $2 {[%eval -0.20]} ( 1. e4 )"), "{}", text(true));
        assert!(text(true).contains("[Annotator \"Labrys\"]") && text(true).contains("2. g4 $4"));
        assert!(text(false).contains("1. f3 e5 2. g4 Qh4#"));
        game.clear_review();
        let record = game.to_record(&header, Default::default(), true).unwrap();
        assert!(!record.to_string().contains("Annotator"), "an incomplete review is not written");
    }
}
