//! The review of a game: one analyst searches each position of the line; each move is judged by the change of
//! the expected score, as in `labrys analyse`.

use serde::{Deserialize, Serialize};

use crate::game_tree::{End, GameTree, Node, ROOT};
use crate::message::{BetterMove, LineState, MoveReview, PlayerReview, ReviewState, Verdict};
use labrys_arena::Variation;
use labrys_arena::analysis::{GameAnalysis, Mark, MoveAnalysis};
use labrys_core::eval::UciScore;
use labrys_core::game::Color;

/// The review of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PositionReview {
    /// The best line, if the search has found one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) best: Option<LineState>,
}

impl PositionReview {
    /// Drops the parts of the line that can be recomputed.
    pub(crate) fn new(best: Option<LineState>) -> PositionReview {
        PositionReview { best: best.map(|best| LineState { moves: Vec::new(), boards: Vec::new(), ..best }) }
    }
}

/// The judgements of all moves, by node; `None` for moves that have not been reviewed.
pub(crate) struct Judgements(Vec<Option<MoveAnalysis>>);

impl Judgements {
    /// The mark (`?!`, `?`, `??`) of the move that leads to a node, if any.
    pub(crate) fn mark(&self, node: usize) -> Option<Mark> {
        self.0[node].as_ref()?.mark()
    }
}

impl GameTree {
    /// The first position of the line that has not been reviewed.
    pub(crate) fn first_unreviewed(&self) -> Option<usize> {
        let line = std::iter::once(ROOT).chain(self.line());
        line.into_iter()
            .find(|&node| self.nodes[node].reviewed.is_none() && self.end_by_rules(node).is_none())
    }

    /// Deletes the review.
    pub(crate) fn clear_review(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.reviewed = None);
    }

    /// White's expected score at a node, by the review.
    fn reviewed_result(&self, node: usize) -> Option<f64> {
        match self.end_by_rules(node) {
            Some(end) => Some(end.result()),
            None => Some(self.reviewed_best(node)?.result),
        }
    }

    /// The end of the game at a node, unless by resignation or agreement, which do not reflect on the last
    /// move.
    fn end_by_rules(&self, node: usize) -> Option<&End> {
        let node = &self.nodes[node];
        node.end.as_ref().filter(|_| node.decision.is_none())
    }

    /// The best line at a node, by the review.
    pub(crate) fn reviewed_best(&self, node: usize) -> Option<&LineState> {
        self.nodes[node].reviewed.as_ref()?.best.as_ref()
    }

    /// Judges the move of `player` that leads to a node; `None` if it has not been reviewed.
    fn judgement(&self, node: usize, player: Color) -> Option<MoveAnalysis> {
        let Node { parent, text, .. } = &self.nodes[node];
        let white = [self.reviewed_result(*parent)?, self.reviewed_result(node)?];
        let best = self.reviewed_best(*parent);
        Some(MoveAnalysis {
            player,
            text: text.clone(),
            score: self.reviewed_best(node).and_then(|best| read_score(&best.score)),
            expected: for_player(player, white),
            best: best.map_or(Vec::new(), |best| best.line.clone()),
            is_best: best.is_some_and(|best| self.is_chosen(node, &best.mv)),
        })
    }

    /// Whether the move that leads to a node is this one, whatever chance has made of it.
    fn is_chosen(&self, node: usize, mv: &str) -> bool {
        let Node { parent, mv: played, .. } = &self.nodes[node];
        let chosen = || {
            let mut board = self.rules.board().ok()?;
            let Variation { fen, moves } = self.moves_to(*parent);
            board.set_up(Some(&fen), &moves).ok()?;
            board.play_san_as_chosen(played).ok()
        };
        // An outcome is written behind its move: most moves need no board.
        played == mv || (played.starts_with(mv) && chosen().as_deref() == Some(mv))
    }

    /// Judges all moves.
    pub(crate) fn judgements(&self) -> Judgements {
        let mut judgements = Judgements(Vec::new());
        judgements.0.resize_with(self.nodes.len(), || None);
        for (node, ply) in self.depth_first() {
            judgements.0[node] = self.judgement(node, self.side_at(ply));
        }
        judgements
    }

    /// The review of the move that leads to a node.
    pub(crate) fn move_review(&self, node: usize, judgements: &Judgements) -> Option<MoveReview> {
        let result = self.reviewed_result(node)?;
        let judged = judgements.0[node].as_ref();
        let mark = judged.and_then(MoveAnalysis::mark);
        let best = self.reviewed_best(self.nodes[node].parent).filter(|_| mark.is_some());
        Some(MoveReview {
            result,
            loss: judged.map_or(0.0, |judged| judged.loss()),
            mark: mark.map(Mark::symbol),
            better: best.map(|best| BetterMove { mv: best.mv.clone(), line: best.line.clone() }),
        })
    }

    /// Judges the moves of a line from the start position.
    pub(crate) fn analysis(&self, nodes: &[usize]) -> Vec<Option<MoveAnalysis>> {
        nodes.iter().enumerate().map(|(ply, &node)| self.judgement(node, self.side_at(ply))).collect()
    }

    /// The review of the line.
    pub(crate) fn review_state<'a>(&self, analyst: &'a str, mut judgements: Judgements) -> ReviewState<'a> {
        let line = self.line();
        let analysis =
            GameAnalysis { moves: line.iter().filter_map(|&node| judgements.0[node].take()).collect() };
        let known = std::iter::once(&ROOT).chain(&line);
        ReviewState {
            analyst,
            start: self.reviewed_result(ROOT),
            known: known.filter(|&&node| self.reviewed_result(node).is_some()).count(),
            players: Color::BOTH.map(|color| {
                let player = analysis.player(color);
                let (moves, marks, loss) = (player.moves, player.marks, player.loss);
                PlayerReview { moves, accuracy: (moves > 0).then_some(player.accuracy), loss, marks }
            }),
        }
    }

    /// The verdict on a move at a node, after which White's expected score is `result`.
    pub(crate) fn verdict(&self, node: usize, mv: &str, result: f64) -> Option<Verdict> {
        let best = self.reviewed_best(node)?;
        let player = self.side_at(self.path(node).len());
        let [before, after] = for_player(player, [best.result, result]);
        Some(match Mark::of(before - after) {
            _ if best.mv == mv => Verdict::Best,
            None => Verdict::Good,
            Some(_) => Verdict::Wrong,
        })
    }

    /// The line of a move at a node, if known without another search: for the best move, and for reviewed
    /// ones.
    pub(crate) fn known_line(&self, node: usize, mv: &str) -> Option<LineState> {
        let best = self.reviewed_best(node)?;
        if best.mv == mv {
            return Some(best.clone());
        }
        let children = self.nodes[node].children.iter().copied();
        let child = children.into_iter().find(|&child| self.nodes[child].mv == mv)?;
        let after = self.reviewed_best(child)?;
        let text = std::iter::once(&self.nodes[child].text).chain(&after.line).cloned();
        Some(LineState { mv: mv.to_owned(), line: text.collect(), ..after.clone() })
    }
}

/// Converts White's scores to a player's.
fn for_player(player: Color, white: [f64; 2]) -> [f64; 2] {
    if player == Color::White { white } else { white.map(|white| 1.0 - white) }
}

/// Parses a score as in UCI, `cp 37` or `mate -4`.
fn read_score(text: &str) -> Option<UciScore> {
    let (kind, value) = text.split_once(' ')?;
    let value = value.parse().ok()?;
    match kind {
        "cp" => Some(UciScore::Centi(value)),
        "mate" => Some(UciScore::Mate(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_tree::tests::{game, play};

    fn reviewed(mv: &str, result: f64, line: &[&str]) -> Option<PositionReview> {
        let line = line.iter().map(|&text| text.to_owned()).collect();
        let best =
            LineState { mv: mv.to_owned(), score: "cp 10".to_owned(), result, line, ..LineState::default() };
        Some(PositionReview { best: Some(best) })
    }

    /// A reviewed game in which Black loses `loss` points.
    fn example(loss: f64) -> GameTree {
        let mut game = game("chess", None);
        play(&mut game, "f2f3 e7e5");
        for (node, found) in [
            (0, reviewed("e2e4", 0.55, &["e4", "e5"])),
            (1, reviewed("d7d5", 0.54, &["d5"])),
            (2, reviewed("e2e4", 0.54 + loss, &["e4"])),
        ] {
            game.nodes[node].reviewed = found;
        }
        game
    }

    #[test]
    fn marks_are_those_of_the_analysis_of_games() {
        for (loss, mark) in [(0.04, None), (0.06, Some("?!")), (0.11, Some("?")), (0.16, Some("??"))] {
            let game = example(loss);
            let judgements = game.judgements();
            let review = game.move_review(2, &judgements).unwrap();
            assert_eq!((review.mark, review.better.is_some()), (mark, mark.is_some()), "{loss}");
            assert_eq!(judgements.mark(2).map(Mark::symbol), mark);
            assert_eq!(game.move_review(1, &judgements).unwrap().mark, None);
        }
        let game = example(0.2);
        let review = game.review_state("Labrys", game.judgements());
        assert_eq!((review.known, review.players[1].marks, review.players[0].moves), (3, [0, 0, 1], 1));
        assert!(review.players[1].accuracy < review.players[0].accuracy);
    }

    #[test]
    fn the_best_move_is_right_whatever_chance_makes_of_it() {
        let mut game = game("tucchess", None);
        ["a2a3", "a6a5", "a3a4=0"].into_iter().for_each(|mv| game.add(mv).unwrap());
        game.nodes[3].reviewed = reviewed("b6b5", 0.4, &["b6b5"]);
        for (best, loss, mark) in [("a3a4", 0.0, None), ("b2b3", 0.6 - 0.4, Some("??"))] {
            game.nodes[2].reviewed = reviewed(best, 0.6, &[best]);
            let review = game.move_review(3, &game.judgements()).unwrap();
            assert_eq!((review.loss, review.mark), (loss, mark), "{best}");
        }
    }

    #[test]
    fn a_move_is_right_if_it_would_not_be_marked() {
        let game = example(0.2);
        for (mv, result, verdict) in [
            ("d7d5", 0.9, Verdict::Best),
            ("c7c5", 0.58, Verdict::Good),
            ("c7c5", 0.1, Verdict::Good),
            ("g7g5", 0.6, Verdict::Wrong),
        ] {
            assert_eq!(game.verdict(1, mv, result), Some(verdict), "{mv}");
        }
        assert_eq!(game.known_line(1, "e7e5").unwrap().line, ["e5", "e4"]);
        assert_eq!(game.known_line(1, "c7c5"), None);
        // The end of the game is known without a search.
        let mut game = example(0.0);
        play(&mut game, "g2g4 d8h4");
        assert_eq!(game.first_unreviewed(), Some(3));
        game.nodes[3].reviewed = Some(PositionReview::default());
        assert_eq!(game.first_unreviewed(), None);
        assert_eq!(game.move_review(4, &game.judgements()).unwrap().result, 0.0);
        game.clear_review();
        assert_eq!(game.first_unreviewed(), Some(0));
    }
}
