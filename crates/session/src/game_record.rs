//! Games with their alternatives as game records, PGN.

use crate::game_tree::{End, GameError, GameTree, LONGEST, ROOT};
use crate::header::Header;
use crate::remarks::Remarks;
use labrys_arena::analysis::GameAnalysis;
use labrys_arena::pgn::{DEEPEST, PgnGame, PgnMove, PgnReader, PlayerTags};
use labrys_arena::{FinalResult, Rules, Termination, Variation};

/// The comment of the moves of an opening, by which readers know them.
const BOOK: &str = "book";

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
    /// The game of a record. `values` are those of the options of all games, by name of the game.
    pub(crate) fn from_record(
        game: &PgnGame,
        values: impl Fn(&str) -> Vec<Rules>,
    ) -> Result<GameTree, GameError> {
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
        tree.nodes[ROOT].remarks.comment = game.comment.clone();
        let (opening, others) = moves.split_at(game.opening.moves.len());
        for mv in opening {
            tree.add(mv)?;
            let shown = tree.shown();
            BOOK.clone_into(&mut tree.nodes[shown].remarks.comment);
        }
        for (mv, record) in others.iter().zip(&game.moves) {
            let (before, fen) = (tree.shown(), tree.board.fen());
            tree.add(mv)?;
            let shown = tree.shown();
            tree.nodes[shown].remarks = remarks(record);
            tree.add_variations(before, &fen, &record.variations);
        }
        Ok(tree)
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
        for record in line {
            let PgnMove { text, variations, .. } = record;
            let (before, fen) = (parent, writer.fen());
            let played = reader.play_san(text).and_then(|mv| Ok((writer.play_to_san(&mv)?, mv)));
            if let Ok((text, mv)) = &played {
                let children = self.nodes[parent].children.iter().copied();
                let known = children.into_iter().find(|&child| self.nodes[child].mv == *mv);
                parent = known.map_or_else(|| self.push(before, mv.clone(), text.clone()), Ok)?;
                let node = &mut self.nodes[parent];
                if node.remarks.is_empty() {
                    node.remarks = remarks(record);
                }
                node.key = writer.key();
                let outcome = writer.outcome();
                node.end = outcome.map(|end| End { winner: end.winner, text: end.to_string() });
            }
            // What could be played in place of the move.
            self.add_variations(before, &fen, variations);
            played?;
        }
        Ok(())
    }

    /// The line that begins with a node, with its alternatives; `ply` moves are before it, and `depth`
    /// variations around it.
    fn record(&self, first: usize, ply: usize, depth: usize) -> Vec<PgnMove> {
        let next = |&node: &usize| self.nodes[node].children.first().copied();
        let line = std::iter::successors(Some(first), next).enumerate().map(|(index, node)| {
            let siblings = self.nodes[self.nodes[node].parent].children.iter().copied();
            // Those of the first move are variations of their own.
            let others = siblings.filter(|&other| other != node && (index > 0 || depth == 0));
            let others = others.filter(|_| depth < DEEPEST);
            let variations = others.map(|other| self.record(other, ply + index, depth + 1)).collect();
            let mut remarks = self.nodes[node].remarks.clone();
            if index > 0 || depth == 0 {
                remarks = Remarks { comment: remarks.whole_comment(), before: String::new(), ..remarks };
            }
            if self.nodes[node].times.is_some()
                && let Some(left) = self.time_left(node, self.player(ply + index))
            {
                remarks.note_left(left);
            }
            let Remarks { before, comment, glyphs } = remarks;
            PgnMove { text: self.nodes[node].text.clone(), before, comment, glyphs, variations }
        });
        line.collect()
    }

    /// The game as a record, the end that of its main line. `here` are those who play, whose names and time
    /// controls stand where the header has none. With `is_annotated`, it has what the review says, as
    /// `labrys analyse` writes it.
    pub(crate) fn to_record(
        &self,
        header: &Header,
        here: [PlayerTags; 2],
        is_annotated: bool,
    ) -> Result<PgnGame, GameError> {
        let line = self.main_nodes();
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
        let body = PgnGame {
            number: None,
            round: String::new(),
            date: String::new(),
            variant: self.board.pgn_variant().map(str::to_owned),
            players: Default::default(),
            opening: start.to_record(at_end.board.as_mut())?,
            comment: self.nodes[ROOT].remarks.comment.clone(),
            moves: line.first().map_or(Vec::new(), |&first| self.record(first, 0, 0)),
            closing: String::new(),
            end,
            other_tags: Vec::new(),
        };
        let mut record = header.record(body, here);
        if is_annotated {
            // An evaluation is of the whole game or of none.
            if let Some(moves) = self.analysis(&line).into_iter().collect() {
                GameAnalysis { moves }.annotate(&mut record);
            }
        }
        Ok(record)
    }
}

/// What a record says of a move.
fn remarks(record: &PgnMove) -> Remarks {
    let PgnMove { before, comment, glyphs, .. } = record.clone();
    Remarks { before, comment, glyphs }
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
        let pgn = save(&saved, &Header::fresh());
        // The main line is that of the game, whatever is on the board.
        let text = "1. e4 ( 1. d4 ) 1... e5 ( 1... c5 2. Nf3 ( 2. Nc3 ) 2... d6 ) 2. Nf3 *";
        assert!(pgn.replace('\n', " ").contains(text), "{pgn}");
        let (loaded, header) = load(&pgn).unwrap();
        assert_eq!((line(&loaded), loaded.nodes.len()), ("e4/d4 e5/c5 Nf3".to_owned(), saved.nodes.len()));
        assert_eq!(save(&loaded, &header), pgn);
        // Many variations, one within the other, do no harm.
        let deep = format!("1. e4 {} {} *", "( 1. d4 ".repeat(5000), ")".repeat(5000));
        assert!(load(&deep).is_ok());
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
            let (game, _) = load(pgn).unwrap();
            assert_eq!((line(&game).as_str(), game.nodes.len()), (expected, nodes), "{pgn}");
        }
        // More variations than there is room for.
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(LONGEST / 4);
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
            let pgn = save(&saved, &Header::fresh());
            let (loaded, header) = load(&pgn).unwrap();
            assert_eq!([Color::White, Color::Black].map(|player| header.name(player)), ["a", "b"]);
            assert_eq!((line(&loaded), loaded.board().fen()), (line(&saved), saved.board().fen()), "{pgn}");
            assert_eq!((loaded.first_ply(), &loaded.start), (saved.first_ply(), &saved.start));
        }
        for pgn in ["", "{a comment}", "[Variant \"ludo\"]\n\n*", "1. e5 *"] {
            assert!(load(pgn).is_err(), "{pgn}");
        }
        // A list of moves from anywhere.
        for pgn in
            ["1. e4 e5 2. Nf3", "e2e4 e7e5 g1f3", "1.e4e5 2.Nf3*", "e2-e4 e7-e5 g1-f3", "1) e4, e5 2) Nf3"]
        {
            let (game, _) = load(pgn).unwrap();
            assert_eq!(line(&game), "e4 e5 Nf3", "{pgn}");
        }
    }

    #[test]
    fn a_record_is_saved_with_all_that_it_says() {
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
        // A variation that becomes the main line keeps what is said before it.
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
        let pgn = save(&played, &Header::fresh());
        assert_eq!(pgn.matches("[%clk 0:04:59.0]").count(), 2, "{pgn}");
        let spent = |game: &GameTree| game.all_moves([control.increment; 2], &game.judgements())[1].spent;
        assert_eq!((spent(&played), spent(&load(&pgn).unwrap().0)), (Some(7_000), None));
    }

    #[test]
    fn a_review_is_written_as_the_analysis_of_games_writes_it() {
        let (mut game, header) = load("1. f3 e5 2. g4 Qh4# 0-1").unwrap();
        for (node, (mv, text, result)) in
            [("e2e4", "e4", 0.5), ("e7e5", "e5", 0.38), ("e2e4", "e4", 0.38), ("d8h4", "Qh4#", 0.0)]
                .into_iter()
                .enumerate()
        {
            let (mv, score, line) = (mv.to_owned(), "cp -20".to_owned(), vec![text.to_owned()]);
            let best = Some(crate::message::LineState {
                mv,
                score,
                result,
                line,
                moves: Vec::new(),
                boards: Vec::new(),
                visits: None,
            });
            game.nodes[node].reviewed = Some(crate::review::Reviewed { best });
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
        assert!(!record.to_string().contains("Annotator"), "half a review is none");
    }
}
