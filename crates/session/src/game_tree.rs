//! The game tree: the mainline, variations, the current node, and data of each node.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::annotations::{AnnotationError, Annotations};
use crate::clock::Times;
use crate::message::{Eval, LineMove, TreeMove};
use crate::review::{Judgements, PositionReview};
use labrys_arena::analysis::Mark;
use labrys_arena::pgn::ReplayError;
use labrys_arena::{Rules, RulesError, Variation};
use labrys_core::engine::{Board, NamedOpening, PositionError, registry};
use labrys_core::game::{Color, MoveError};

/// The node of the start position.
pub(crate) const ROOT: usize = 0;

/// The maximum number of moves in all lines, including those taken back.
pub(crate) const MAX_MOVES: usize = 5_000;

/// The maximum size of all comments set by the user, in bytes.
const MAX_COMMENT_BYTES: usize = 1 << 18;

/// A node: a position, and the move that leads to it.
#[derive(Default)]
pub(crate) struct Node {
    pub(crate) parent: usize,
    /// The move, in the notation of the protocol.
    pub(crate) mv: String,
    /// The move in SAN.
    pub(crate) text: String,
    /// The hash key of the position.
    pub(crate) key: u64,
    /// The next nodes, the mainline first.
    pub(crate) children: Vec<usize>,
    /// The child on the current line.
    pub(crate) next: Option<usize>,
    /// Its evaluation, if it has been searched.
    pub(crate) eval: Option<Eval>,
    /// The clocks, if the game has any.
    pub(crate) times: Option<Times>,
    /// A resignation or agreed draw here.
    pub(crate) decision: Option<PlayerDecision>,
    /// The annotations of the move.
    pub(crate) annotations: Annotations,
    /// The review of the position.
    pub(crate) reviewed: Option<PositionReview>,
    /// The end of the game here, if it is over.
    pub(crate) end: Option<End>,
}

/// A decision of the players that ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PlayerDecision {
    WhiteResigns,
    BlackResigns,
    /// A draw by agreement.
    Draw,
}

/// A game tree.
pub(crate) struct GameTree {
    pub(crate) rules: Rules,
    /// The board, in the current position.
    pub(crate) board: Box<dyn Board>,
    /// The start position.
    pub(crate) start: String,
    /// The start position first. Nodes of deleted moves remain, unreachable.
    pub(crate) nodes: Vec<Node>,
    current: usize,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) winner: Option<Color>,
    /// The result and its reason.
    pub(crate) text: String,
}

impl End {
    /// White's score, from 0 to 1.
    pub(crate) fn result(&self) -> f64 {
        self.winner.map_or(0.5, |winner| if winner == Color::White { 1.0 } else { 0.0 })
    }
}

/// Why a game tree cannot be built or changed.
#[derive(Debug, Error)]
pub enum GameError {
    /// The rules are invalid.
    #[error("{0}")]
    Rules(#[from] RulesError),
    /// The position is invalid.
    #[error("{0}")]
    Position(#[from] PositionError),
    /// The move is illegal.
    #[error("{0}")]
    Move(#[from] MoveError),
    /// A PGN game cannot be replayed.
    #[error("{0}")]
    Replay(#[from] ReplayError),
    /// The PGN text has no game that can be parsed.
    #[error("the PGN text: {0}")]
    Pgn(String),
    /// There is no such node.
    #[error("there is no position {0} in this game")]
    Node(usize),
    /// No move has been played.
    #[error("there is no move to take back")]
    NoMove,
    /// The line is the mainline.
    #[error("this is already the mainline")]
    Main,
    /// An annotation is refused.
    #[error("{0}")]
    Annotation(#[from] AnnotationError),
    /// There is too much text.
    #[error("a game has at most {MAX_COMMENT_BYTES} bytes of comments")]
    Text,
    /// The game is over.
    #[error("the game is over: {0}")]
    Over(String),
    /// There are too many moves.
    #[error("a game has at most {MAX_MOVES} moves here")]
    TooLong,
}

impl PlayerDecision {
    /// The resignation of a player.
    pub(crate) fn resignation(loser: Color) -> PlayerDecision {
        match loser {
            Color::White => PlayerDecision::WhiteResigns,
            Color::Black => PlayerDecision::BlackResigns,
        }
    }

    fn end(self) -> End {
        let won =
            |winner: Color| End { winner: Some(winner), text: format!("{winner} wins: {} resigns", !winner) };
        match self {
            PlayerDecision::WhiteResigns => won(Color::Black),
            PlayerDecision::BlackResigns => won(Color::White),
            PlayerDecision::Draw => End { winner: None, text: "draw: by agreement".to_owned() },
        }
    }
}

impl GameTree {
    /// A game from a position, by default the start position.
    pub(crate) fn new(rules: Rules, fen: Option<&str>) -> Result<GameTree, GameError> {
        let mut board = rules.board()?;
        if fen.is_some() {
            board.set_up(fen, &[])?;
        }
        let root = Node { parent: ROOT, key: board.key(), ..Node::default() };
        Ok(GameTree { rules, start: board.fen(), board, nodes: vec![root], current: ROOT })
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The board, in the current position.
    pub(crate) fn board(&self) -> &dyn Board {
        self.board.as_ref()
    }

    /// The current node.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    /// The start position and the moves to a node.
    pub(crate) fn moves_to(&self, node: usize) -> Variation {
        let path = self.path(node);
        let moves = path.iter().map(|&node| self.nodes[node].mv.clone());
        Variation { fen: self.start.clone(), moves: moves.collect() }
    }

    /// The plies from the start position to the current node.
    pub(crate) fn ply(&self) -> usize {
        self.path(self.current).len()
    }

    /// The move that leads to the current node.
    pub(crate) fn last_move(&self) -> Option<&str> {
        (self.current != ROOT).then(|| &*self.nodes[self.current].mv)
    }

    /// Whether the current node is the last one of its line.
    pub(crate) fn is_at_end(&self) -> bool {
        self.nodes[self.current].next.is_none()
    }

    /// Plies before the start position, by its move number.
    pub(crate) fn first_ply(&self) -> usize {
        let mut fields = self.start.split(' ');
        let black_begins = fields.nth(1) == Some("b");
        let number = fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1_usize);
        2 * number.saturating_sub(1) + usize::from(black_begins)
    }

    /// The end of the game at the current node, if it is over.
    pub(crate) fn end(&self) -> Option<End> {
        if let Some(outcome) = self.board.outcome() {
            return Some(End { winner: outcome.winner, text: outcome.to_string() });
        }
        if self.times().is_some_and(|times| times.is_over) {
            let winner = !self.board.side_to_move();
            return Some(End { winner: Some(winner), text: format!("{winner} wins: time is over") });
        }
        if let Some(agreement) = self.nodes[self.current].decision {
            return Some(agreement.end());
        }
        // Adjudicated by points at the maximum length.
        let longest = self.board.longest_game()? as usize;
        (self.ply() >= longest).then(|| {
            let winner = self.board.leader();
            let who = winner.map_or("draw".to_owned(), |winner| format!("{winner} wins"));
            End { winner, text: format!("{who}: points after {longest} plies") }
        })
    }

    /// Plays a move at the current node, sampling the outcome of chance with `random`. A known move leads to
    /// its existing node.
    pub(crate) fn play(&mut self, mv: &str, random: &mut dyn FnMut() -> f64) -> Result<(), GameError> {
        self.board.check_move(mv)?;
        if let Some(end) = self.end() {
            return Err(GameError::Over(end.text));
        }
        let mv = self.board.sample(mv, random)?;
        self.add(&mv)
    }

    /// Plays a move whose outcome of chance is given.
    pub(crate) fn add(&mut self, mv: &str) -> Result<(), GameError> {
        let current = self.current;
        let known = self.nodes[current].children.iter().copied().find(|&child| self.nodes[child].mv == mv);
        // The board must not change if there are too many moves.
        let text = self.board.san(mv)?;
        let node = known.map_or_else(|| self.push(current, mv.to_owned(), text), Ok)?;
        self.board.play(mv)?;
        self.nodes[node].key = self.board.key();
        self.nodes[current].next = Some(node);
        self.current = node;
        self.store_end();
        Ok(())
    }

    /// Adds a child to a node.
    pub(crate) fn push(&mut self, parent: usize, mv: String, text: String) -> Result<usize, GameError> {
        let node = self.nodes.len();
        if node > MAX_MOVES {
            return Err(GameError::TooLong);
        }
        self.nodes.push(Node { parent, mv, text, ..Node::default() });
        self.nodes[parent].children.push(node);
        self.nodes[parent].next.get_or_insert(node);
        Ok(node)
    }

    /// Ends the game at the current node by a decision of the players.
    pub(crate) fn decide(&mut self, agreement: PlayerDecision) -> Result<(), GameError> {
        if let Some(end) = self.end() {
            return Err(GameError::Over(end.text));
        }
        self.nodes[self.current].decision = Some(agreement);
        self.store_end();
        Ok(())
    }

    /// The current position after a null move.
    ///
    /// # Errors
    /// If a null move is not possible, as in check.
    pub(crate) fn after_null_move(&self) -> Result<Variation, GameError> {
        let fen = self.board.fen();
        let mut fields: Vec<_> = fen.split(' ').collect();
        if let Some(side) = fields.get_mut(1) {
            *side = if *side == "w" { "b" } else { "w" };
        }
        let mut board = self.rules.board()?;
        board.set_up(Some(&fields.join(" ")), &[])?;
        if let Some(outcome) = board.outcome() {
            return Err(GameError::Over(outcome.to_string()));
        }
        Ok(Variation { fen: board.fen(), moves: Vec::new() })
    }

    /// The node at the end of the current line.
    pub(crate) fn line_end(&self) -> usize {
        self.line().last().copied().unwrap_or(ROOT)
    }

    /// Makes a node the current one, and its line the current line.
    pub(crate) fn show(&mut self, node: usize) -> Result<(), GameError> {
        self.check(node)?;
        let path = self.path(node);
        let moves: Vec<_> = path.iter().map(|&node| self.nodes[node].mv.clone()).collect();
        self.board.set_up(Some(&self.start), &moves)?;
        for &node in &path {
            let parent = self.nodes[node].parent;
            self.nodes[parent].next = Some(node);
        }
        self.current = node;
        Ok(())
    }

    /// Deletes the move that leads to the current node, and all lines after it. The line then ends at its
    /// parent.
    pub(crate) fn take_back(&mut self) -> Result<(), GameError> {
        if self.current == ROOT {
            return Err(GameError::NoMove);
        }
        self.delete(self.current)?;
        self.nodes[self.current].next = None;
        Ok(())
    }

    /// Deletes the move that leads to a node, and all lines after it. If the current node is deleted, the
    /// parent of the move becomes the current one.
    pub(crate) fn delete(&mut self, node: usize) -> Result<(), GameError> {
        self.check(node)?;
        if node == ROOT {
            return Err(GameError::NoMove);
        }
        let parent = self.nodes[node].parent;
        if self.path(self.current).contains(&node) {
            self.show(parent)?;
        }
        self.nodes[parent].children.retain(|&child| child != node);
        if self.nodes[parent].next == Some(node) {
            self.nodes[parent].next = self.nodes[parent].children.first().copied();
        }
        Ok(())
    }

    /// Promotes the variation of a node by one level, or with `to_main` to the mainline.
    pub(crate) fn promote(&mut self, node: usize, to_main: bool) -> Result<(), GameError> {
        self.check(node)?;
        let mut path = self.path(node);
        path.retain(|&node| self.nodes[self.nodes[node].parent].children[0] != node);
        let last = path.len().checked_sub(1).ok_or(GameError::Main)?;
        for &node in &path[if to_main { 0 } else { last }..] {
            let parent = self.nodes[node].parent;
            let siblings = &mut self.nodes[parent].children;
            siblings.retain(|&child| child != node);
            siblings.insert(0, node);
        }
        Ok(())
    }

    /// Replaces the comment or the glyphs of the move that leads to a node.
    pub(crate) fn annotate(
        &mut self,
        node: usize,
        text: Option<&str>,
        glyphs: Option<&[u16]>,
    ) -> Result<(), GameError> {
        self.check(node)?;
        let mut annotations = self.nodes[node].annotations.clone();
        if let Some(text) = text {
            annotations.set_text(text)?;
        }
        if let Some(glyphs) = glyphs {
            if node == ROOT && !glyphs.is_empty() {
                return Err(AnnotationError::Start.into());
            }
            annotations.set_glyphs(glyphs)?;
        }
        let before = self.nodes[node].annotations.len();
        let all: usize = self.nodes.iter().map(|node| node.annotations.len()).sum();
        if annotations.len() > before && all - before + annotations.len() > MAX_COMMENT_BYTES {
            return Err(GameError::Text);
        }
        self.nodes[node].annotations = annotations;
        Ok(())
    }

    /// The clocks at the current node.
    pub(crate) fn times(&self) -> Option<&Times> {
        self.nodes[self.current].times.as_ref()
    }

    /// The clocks at the current node, mutable.
    pub(crate) fn times_mut(&mut self) -> &mut Option<Times> {
        &mut self.nodes[self.current].times
    }

    /// Stores the evaluation of a node, unless it has a deeper one.
    pub(crate) fn store_eval(&mut self, node: usize, eval: Eval) {
        if let Some(node) = self.nodes.get_mut(node)
            && node.eval.as_ref().is_none_or(|known| known.depth <= eval.depth)
        {
            node.eval = Some(eval);
        }
    }

    /// Stores the end of the game, if it is over at the current node.
    pub(crate) fn store_end(&mut self) {
        if let Some(end) = self.end() {
            self.store_eval(self.current, Eval { result: end.result(), depth: u32::MAX, by: String::new() });
            self.nodes[self.current].end = Some(end);
        }
    }

    /// The evaluation of a node.
    pub(crate) fn eval(&self, node: usize) -> Option<&Eval> {
        self.nodes.get(node)?.eval.as_ref()
    }

    /// The last named opening on the path to a node, if there is one.
    pub(crate) fn opening(&self, node: usize) -> Option<NamedOpening> {
        let openings = registry::openings(self.board.variant()).ok()?;
        let path = std::iter::once(ROOT).chain(self.path(node)).collect::<Vec<_>>();
        openings.last_named(path.into_iter().map(|node| self.nodes[node].key))
    }

    /// Whether a node is part of the tree: it exists and has not been deleted.
    pub(crate) fn contains(&self, mut node: usize) -> bool {
        while node != ROOT {
            let Some(Node { parent, .. }) = self.nodes.get(node) else { return false };
            if !self.nodes[*parent].children.contains(&node) {
                return false;
            }
            node = *parent;
        }
        true
    }

    /// Refuses a node that is not part of the tree.
    fn check(&self, node: usize) -> Result<(), GameError> {
        if self.contains(node) { Ok(()) } else { Err(GameError::Node(node)) }
    }

    /// The path to a node, without the root.
    pub(crate) fn path(&self, mut node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while node != ROOT {
            path.push(node);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// The nodes of the current line: the path to the current node, and its continuation.
    pub(crate) fn line(&self) -> Vec<usize> {
        let after = std::iter::successors(self.nodes[self.current].next, |&node| self.nodes[node].next);
        self.path(self.current).into_iter().chain(after).collect()
    }

    /// The nodes of the mainline.
    pub(crate) fn mainline(&self) -> Vec<usize> {
        let next = |&node: &usize| self.nodes[node].children.first().copied();
        std::iter::successors(next(&ROOT), next).collect()
    }

    /// All nodes except the root, depth first, each with the ply of its move.
    pub(crate) fn depth_first(&self) -> Vec<(usize, usize)> {
        let (mut nodes, mut open) = (Vec::new(), vec![(ROOT, 0)]);
        while let Some((node, plies)) = open.pop() {
            if node != ROOT {
                nodes.push((node, plies - 1));
            }
            open.extend(self.nodes[node].children.iter().rev().map(|&child| (child, plies + 1)));
        }
        nodes
    }

    /// The side to move at a ply.
    pub(crate) fn side_at(&self, ply: usize) -> Color {
        if (self.first_ply() + ply).is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// A player's clock after the move that leads to a node, if known.
    pub(crate) fn time_left(&self, node: usize, player: Color) -> Option<Duration> {
        let node = &self.nodes[node];
        let own = node.times.as_ref().map(|times| times.left(!player)[player.index()]);
        own.or_else(|| node.annotations.left())
    }

    /// The time spent on the move that leads to a node, if known.
    fn time_spent(&self, node: usize, player: Color, increment: Duration) -> Option<Duration> {
        let Node { parent, times, annotations, .. } = &self.nodes[node];
        if let (Some(_), Some(before)) = (times, &self.nodes[*parent].times) {
            return Some(before.used());
        }
        annotations.spent().or_else(|| {
            let before = self.time_left(self.nodes[*parent].parent, player).filter(|_| *parent != ROOT)?;
            (before + increment).checked_sub(self.time_left(node, player)?)
        })
    }

    /// All moves, depth first, the mainline first.
    pub(crate) fn all_moves(&self, increments: [Duration; 2], judgements: &Judgements) -> Vec<TreeMove<'_>> {
        let milliseconds = |time: Duration| time.as_millis() as u64;
        let moves = self.depth_first().into_iter().map(|(index, ply)| {
            let (node, player) = (&self.nodes[index], self.side_at(ply));
            TreeMove {
                node: index,
                parent: node.parent,
                mv: &node.mv,
                text: &node.text,
                before: &node.annotations.before,
                comment: node.annotations.text(),
                glyphs: &node.annotations.glyphs,
                mark: judgements.mark(index).map(Mark::symbol),
                left: self.time_left(index, player).map(milliseconds),
                spent: self.time_spent(index, player, increments[player.index()]).map(milliseconds),
            }
        });
        moves.collect()
    }

    /// The moves of the current line, with evaluations or without.
    pub(crate) fn line_moves(&self, judgements: &Judgements, shows_evals: bool) -> Vec<LineMove<'_>> {
        let line = self.line().into_iter().map(|index| {
            let node = &self.nodes[index];
            let review = self.move_review(index, judgements);
            let eval = node.eval.as_ref().filter(|_| shows_evals);
            LineMove { node: index, mv: &node.mv, text: &node.text, eval, review }
        });
        line.collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn game(variant: &str, fen: Option<&str>) -> GameTree {
        GameTree::new(Rules::new(variant, None).unwrap(), fen).unwrap()
    }

    pub(crate) fn play(game: &mut GameTree, moves: &str) {
        moves.split(' ').for_each(|mv| game.play(mv, &mut || 0.99).unwrap());
    }

    pub(crate) fn line(game: &GameTree) -> String {
        let line = game.line().into_iter().map(|node| {
            let siblings = game.nodes[game.nodes[node].parent].children.iter();
            let others = siblings.filter(|&&other| other != node);
            let others: String = others.map(|&other| format!("/{}", game.nodes[other].text)).collect();
            format!("{}{others}", game.nodes[node].text)
        });
        line.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_new_move_in_an_earlier_position_starts_a_variation() {
        let mut game = game("chess", None);
        play(&mut game, "e2e4 e7e5 g1f3");
        game.show(1).unwrap();
        assert_eq!((line(&game), game.ply(), game.is_at_end()), ("e4 e5 Nf3".to_owned(), 1, false));
        play(&mut game, "c7c5");
        assert_eq!((line(&game), game.is_at_end()), ("e4 c5/e5".to_owned(), true));
        // The other line remains, with the same nodes.
        game.show(3).unwrap();
        assert_eq!(line(&game), "e4 e5/c5 Nf3");
        game.show(1).unwrap();
        play(&mut game, "e7e5");
        assert_eq!((line(&game), game.current()), ("e4 e5/c5 Nf3".to_owned(), 2));
    }

    #[test]
    fn a_line_has_the_name_of_its_last_named_position() {
        let name = |game: &GameTree| game.opening(game.current()).map(|opening| opening.name);
        let mut chess = game("chess", None);
        assert_eq!(name(&chess), None);
        play(&mut chess, "g1f3 d7d5 d2d4 a7a6 a2a3 h7h6");
        assert_eq!(name(&chess), Some("Queen's Pawn Game: Zukertort Variation"));
        chess.show(1).unwrap();
        assert_eq!(name(&chess), Some("Zukertort Opening"));
        let mut neighbours = game("neighbours", None);
        play(&mut neighbours, "e1e3");
        assert_eq!(name(&neighbours), None);
    }

    #[test]
    fn moves_that_are_taken_back_are_gone() {
        let mut game = game("neighbours", None);
        assert!(matches!(game.take_back(), Err(GameError::NoMove)));
        let first = game.board().legal_moves()[0].clone();
        play(&mut game, &first);
        let fen = game.board().fen();
        let second = game.board().legal_moves()[0].clone();
        play(&mut game, &second);
        game.take_back().unwrap();
        assert_eq!((game.board().fen(), game.ply(), game.is_at_end()), (fen, 1, true));
        assert!(matches!(game.show(2), Err(GameError::Node(2))));
        assert!(matches!(game.show(usize::MAX), Err(GameError::Node(_))));
    }

    #[test]
    fn a_refused_move_changes_nothing() {
        let mut game = game("chess", Some("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"));
        for mv in ["f7f9", "e2e4", "", "Qg7"] {
            assert!(game.play(mv, &mut || 0.0).is_err(), "{mv}");
        }
        play(&mut game, "f7g7");
        assert_eq!(game.end().unwrap().text, "White wins: checkmate");
        assert!(game.play("h8g8", &mut || 0.0).is_err());
        assert_eq!(line(&game), "Qg7#");
    }

    #[test]
    fn variations_are_promoted_and_deleted() {
        let main = |game: &GameTree| {
            let texts: Vec<_> = game.mainline().iter().map(|&node| &*game.nodes[node].text).collect();
            texts.join(" ")
        };
        let mut game = game("chess", None);
        play(&mut game, "e2e4 e7e5 g1f3");
        game.show(1).unwrap();
        play(&mut game, "c7c5 b1c3");
        game.show(4).unwrap();
        play(&mut game, "g1f3 d7d6");
        assert_eq!((main(&game), game.current()), ("e4 e5 Nf3".to_owned(), 7));
        // By one level, then to the mainline.
        game.promote(7, false).unwrap();
        assert_eq!(game.nodes[4].children, [6, 5]);
        game.promote(7, true).unwrap();
        assert_eq!(main(&game), "e4 c5 Nf3 d6");
        assert!(matches!(game.promote(7, true), Err(GameError::Main)));
        game.promote(3, true).unwrap();
        game.promote(5, true).unwrap();
        assert_eq!((main(&game), line(&game)), ("e4 c5 Nc3".to_owned(), "e4 c5/e5 Nf3/Nc3 d6".to_owned()));
        // Deleting the current node moves to the parent.
        game.delete(6).unwrap();
        assert_eq!((game.current(), line(&game)), (4, "e4 c5/e5 Nc3".to_owned()));
        game.delete(2).unwrap();
        assert_eq!((game.current(), line(&game)), (4, "e4 c5 Nc3".to_owned()));
        for bad in [2, 6, 7, 99] {
            assert!(matches!(game.delete(bad), Err(GameError::Node(_))), "{bad}");
            assert!(matches!(game.promote(bad, true), Err(GameError::Node(_))), "{bad}");
        }
        assert!(matches!(game.delete(ROOT), Err(GameError::NoMove)));
    }

    #[test]
    fn annotations_are_replaced_and_bad_ones_change_nothing() {
        let mut game = game("chess", None);
        play(&mut game, "e2e4");
        game.annotate(1, Some("good"), Some(&[1])).unwrap();
        game.annotate(1, None, Some(&[1, 18])).unwrap();
        game.annotate(ROOT, Some("before"), None).unwrap();
        assert_eq!(
            (&*game.nodes[1].annotations.comment, &*game.nodes[1].annotations.glyphs),
            ("good", &[1, 18][..])
        );
        assert!(game.annotate(1, Some("bad"), Some(&[0])).is_err());
        assert!(matches!(game.annotate(2, Some("x"), None), Err(GameError::Node(2))));
        assert!(game.annotate(ROOT, None, Some(&[1])).is_err());
        assert_eq!(game.nodes[1].annotations.comment, "good");
        // The total size of the comments is bounded.
        let long = "x ".repeat(1_999);
        // Knights that go out and back, and pawn moves, so that no position occurs three times.
        let steps = ["76,23", "65,34"].into_iter().flat_map(|ranks| {
            "abcdgh".chars().flat_map(move |file| {
                let pawns = ranks.split(',').map(|ranks| ranks.split_at(1));
                let pawns = pawns.map(|(from, to)| format!("{file}{from}{file}{to}"));
                ["g8f6", "g1f3", "f6g8", "f3g1"]
                    .map(str::to_owned)
                    .into_iter()
                    .chain(pawns)
                    .collect::<Vec<_>>()
            })
        });
        let refused = (2..).zip(steps).find_map(|(node, step)| {
            game.add(&step).unwrap();
            game.annotate(node, Some(&long), None).is_err().then_some(node)
        });
        assert!(refused.is_some_and(|node| node > 60), "{refused:?}");
    }
}
