//! The review of a game: what one analyst says of each position of the line, and so of each move, by the
//! rules of `labrys analyse`.

use serde::{Deserialize, Serialize};

use crate::game_tree::{End, GameTree, Node, ROOT};
use crate::message::{BetterMove, LineState, MoveReview, PlayerReview, ReviewState, Verdict};
use labrys_arena::analysis::{GameAnalysis, Mark, MoveAnalysis};
use labrys_core::eval::UciScore;
use labrys_core::game::Color;

/// What the analyst of a review says of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Reviewed {
    /// The best line; none if the search has found none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) best: Option<LineState>,
}

impl Reviewed {
    /// With a line that was found. What can be played again is not kept.
    pub(crate) fn new(best: Option<LineState>) -> Reviewed {
        Reviewed { best: best.map(|best| LineState { moves: Vec::new(), boards: Vec::new(), ..best }) }
    }
}

/// What the review says of the moves of a game, by the nodes that they lead to; none of a move without a
/// review.
pub(crate) struct Judgements(Vec<Option<MoveAnalysis>>);

impl Judgements {
    /// The mark of the move that leads to a node, if the review gives it one.
    pub(crate) fn mark(&self, node: usize) -> Option<Mark> {
        self.0[node].as_ref()?.mark()
    }
}

impl GameTree {
    /// The first position of the line that has no review.
    pub(crate) fn first_unreviewed(&self) -> Option<usize> {
        let line = std::iter::once(ROOT).chain(self.line_nodes());
        line.into_iter().find(|&node| self.nodes[node].reviewed.is_none() && self.ruled_end(node).is_none())
    }

    /// Forgets the review, which another analyst begins anew.
    pub(crate) fn clear_review(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.reviewed = None);
    }

    /// What the review expects White to score in the position of a node.
    fn reviewed_result(&self, node: usize) -> Option<f64> {
        match self.ruled_end(node) {
            Some(end) => Some(end.result()),
            None => Some(self.reviewed_best(node)?.result),
        }
    }

    /// How the game has ended in the position of a node, unless the players have ended it: what they agree on
    /// says nothing of the last move.
    fn ruled_end(&self, node: usize) -> Option<&End> {
        let node = &self.nodes[node];
        node.end.as_ref().filter(|_| node.agreed.is_none())
    }

    /// The best line of the review in the position of a node.
    pub(crate) fn reviewed_best(&self, node: usize) -> Option<&LineState> {
        self.nodes[node].reviewed.as_ref()?.best.as_ref()
    }

    /// What the move that leads to a node is worth; `player` has played it. None without a review.
    fn judged(&self, node: usize, player: Color) -> Option<MoveAnalysis> {
        let Node { parent, text, .. } = &self.nodes[node];
        let white = [self.reviewed_result(*parent)?, self.reviewed_result(node)?];
        Some(MoveAnalysis {
            player,
            text: text.clone(),
            score: self.reviewed_best(node).and_then(|best| read_score(&best.score)),
            expected: for_player(player, white),
            best: self.reviewed_best(*parent).map_or(Vec::new(), |best| best.line.clone()),
        })
    }

    /// What the review says of all moves.
    pub(crate) fn judgements(&self) -> Judgements {
        let mut judgements = Judgements(Vec::new());
        judgements.0.resize_with(self.nodes.len(), || None);
        for (node, ply) in self.all_nodes() {
            judgements.0[node] = self.judged(node, self.player(ply));
        }
        judgements
    }

    /// What the review says of the move that leads to a node.
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

    /// What the review says of the moves of these nodes, which follow each other from the start position.
    pub(crate) fn analysis(&self, nodes: &[usize]) -> Vec<Option<MoveAnalysis>> {
        nodes.iter().enumerate().map(|(ply, &node)| self.judged(node, self.player(ply))).collect()
    }

    /// The review of the line.
    pub(crate) fn review_state<'a>(&self, analyst: &'a str, mut judgements: Judgements) -> ReviewState<'a> {
        let line = self.line_nodes();
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

    /// Whether a move in the position of a node is as good as the review wants it: the best one, or one that
    /// gives less away than what is marked. `result` is what White is expected to score after it.
    pub(crate) fn verdict(&self, node: usize, mv: &str, result: f64) -> Option<Verdict> {
        let best = self.reviewed_best(node)?;
        let player = self.player(self.path(node).len());
        let [before, after] = for_player(player, [best.result, result]);
        Some(match Mark::of(before - after) {
            _ if best.mv == mv => Verdict::Best,
            None => Verdict::Good,
            Some(_) => Verdict::Wrong,
        })
    }

    /// What is known of a move in the position of a node without another search: it is the best one, or was
    /// played and reviewed.
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

/// Results for White as results for a player.
fn for_player(player: Color, white: [f64; 2]) -> [f64; 2] {
    if player == Color::White { white } else { white.map(|white| 1.0 - white) }
}

/// A score as in UCI, `cp 37` or `mate -4`.
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

    fn reviewed(mv: &str, result: f64, line: &[&str]) -> Option<Reviewed> {
        let line = line.iter().map(|&text| text.to_owned()).collect();
        let best = LineState {
            mv: mv.to_owned(),
            score: "cp 10".to_owned(),
            result,
            line,
            moves: Vec::new(),
            boards: Vec::new(),
            visits: None,
        };
        Some(Reviewed { best: Some(best) })
    }

    /// A game in which Black gives away `loss`, to be found by the review.
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
        game.nodes[3].reviewed = Some(Reviewed::default());
        assert_eq!(game.first_unreviewed(), None);
        assert_eq!(game.move_review(4, &game.judgements()).unwrap().result, 0.0);
        game.clear_review();
        assert_eq!(game.first_unreviewed(), Some(0));
    }
}
