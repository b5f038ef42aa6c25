//! The moves of a game with their alternatives, the position on the board, and what is known of each
//! position.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::Times;
use crate::message::{Eval, LineMove, TreeMove};
use crate::remarks::{RemarkError, Remarks};
use crate::review::{Judgements, Reviewed};
use labrys_arena::analysis::Mark;
use labrys_arena::pgn::ReplayError;
use labrys_arena::{Rules, RulesError, Variation};
use labrys_core::engine::{Board, NamedOpening, PositionError, registry};
use labrys_core::game::{Color, MoveError};

/// The node of the start position.
pub(crate) const ROOT: usize = 0;

/// Moves that a game may have in all its lines, those taken back included.
pub(crate) const LONGEST: usize = 5_000;

/// The most bytes of comments that are written in a game.
const LONGEST_TEXT: usize = 1 << 18;

/// A position of the game.
pub(crate) struct Node {
    pub(crate) parent: usize,
    /// The move that leads here, in the notation of the protocol.
    pub(crate) mv: String,
    /// The same in the notation of records.
    pub(crate) text: String,
    /// The key of the position, the same for all move orders that lead to it.
    pub(crate) key: u64,
    /// The positions after it, the one of the main line first.
    pub(crate) children: Vec<usize>,
    /// The child that the line goes on with.
    pub(crate) next: Option<usize>,
    /// Its evaluation, if it has been searched.
    pub(crate) eval: Option<Eval>,
    /// The clocks, in a game that has them.
    pub(crate) times: Option<Times>,
    /// How the players have ended the game here.
    pub(crate) agreed: Option<Agreement>,
    /// What is said of the move.
    pub(crate) remarks: Remarks,
    /// What the review says of the position.
    pub(crate) reviewed: Option<Reviewed>,
    /// How the game has ended here, if it has.
    pub(crate) end: Option<End>,
}

/// An end of a game by its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Agreement {
    /// White, or Black, has resigned.
    WhiteResigns,
    BlackResigns,
    /// They have agreed on a draw.
    Draw,
}

impl Node {
    fn new(parent: usize, mv: String, text: String) -> Node {
        Node {
            parent,
            mv,
            text,
            key: 0,
            children: Vec::new(),
            next: None,
            eval: None,
            times: None,
            agreed: None,
            remarks: Remarks::default(),
            reviewed: None,
            end: None,
        }
    }
}

/// A game with its alternatives.
pub(crate) struct GameTree {
    pub(crate) rules: Rules,
    /// The board, in the position of `shown`.
    pub(crate) board: Box<dyn Board>,
    /// The start position.
    pub(crate) start: String,
    /// The start position first. A move that is taken back leaves its node, which nothing leads to.
    pub(crate) nodes: Vec<Node>,
    shown: usize,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) winner: Option<Color>,
    /// The result with its reason.
    pub(crate) text: String,
}

impl End {
    /// The result for White, from 0 to 1.
    pub(crate) fn result(&self) -> f64 {
        self.winner.map_or(0.5, |winner| if winner == Color::White { 1.0 } else { 0.0 })
    }
}

/// Why a game does not change.
#[derive(Debug, Error)]
pub enum GameError {
    /// There are no such rules.
    #[error("{0}")]
    Rules(#[from] RulesError),
    /// The position cannot be set up.
    #[error("{0}")]
    Position(#[from] PositionError),
    /// The move cannot be played.
    #[error("{0}")]
    Move(#[from] MoveError),
    /// A record cannot be replayed.
    #[error("{0}")]
    Replay(#[from] ReplayError),
    /// A text holds no game that can be read.
    #[error("the PGN text: {0}")]
    Pgn(String),
    /// There is no such position.
    #[error("there is no position {0} in this game")]
    Node(usize),
    /// Nothing has been played.
    #[error("there is no move to take back")]
    NoMove,
    /// The line is the main one.
    #[error("this is the main line already")]
    Main,
    /// A remark is refused.
    #[error("{0}")]
    Remark(#[from] RemarkError),
    /// There is no room for more text.
    #[error("a game has at most {LONGEST_TEXT} bytes of comments")]
    Text,
    /// The game is over.
    #[error("the game is over: {0}")]
    Over(String),
    /// There is no room for more moves.
    #[error("a game has at most {LONGEST} moves here")]
    TooLong,
}

impl Agreement {
    /// That a player resigns.
    pub(crate) fn resignation(loser: Color) -> Agreement {
        match loser {
            Color::White => Agreement::WhiteResigns,
            Color::Black => Agreement::BlackResigns,
        }
    }

    fn end(self) -> End {
        let won =
            |winner: Color| End { winner: Some(winner), text: format!("{winner} wins: {} resigns", !winner) };
        match self {
            Agreement::WhiteResigns => won(Color::Black),
            Agreement::BlackResigns => won(Color::White),
            Agreement::Draw => End { winner: None, text: "draw: by agreement".to_owned() },
        }
    }
}

impl GameTree {
    /// A game from a position, by default the start position of the game.
    pub(crate) fn new(rules: Rules, fen: Option<&str>) -> Result<GameTree, GameError> {
        let mut board = rules.board()?;
        if fen.is_some() {
            board.set_up(fen, &[])?;
        }
        let root = Node { key: board.key(), ..Node::new(ROOT, String::new(), String::new()) };
        Ok(GameTree { rules, start: board.fen(), board, nodes: vec![root], shown: ROOT })
    }

    /// The game and its option.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The board, in the position that is shown.
    pub(crate) fn board(&self) -> &dyn Board {
        self.board.as_ref()
    }

    /// The node of the position that is shown.
    pub(crate) fn shown(&self) -> usize {
        self.shown
    }

    /// The start position, and the moves to the position of a node.
    pub(crate) fn variation(&self, node: usize) -> Variation {
        let path = self.path(node);
        let moves = path.iter().map(|&node| self.nodes[node].mv.clone());
        Variation { fen: self.start.clone(), moves: moves.collect() }
    }

    /// The moves before the position that is shown.
    pub(crate) fn ply(&self) -> usize {
        self.path(self.shown).len()
    }

    /// The move that leads to the position that is shown.
    pub(crate) fn last_move(&self) -> Option<&str> {
        (self.shown != ROOT).then(|| &*self.nodes[self.shown].mv)
    }

    /// Whether the line ends with the position that is shown.
    pub(crate) fn is_at_end(&self) -> bool {
        self.nodes[self.shown].next.is_none()
    }

    /// Plies before the start position, by its move number.
    pub(crate) fn first_ply(&self) -> usize {
        let mut fields = self.start.split(' ');
        let black_begins = fields.nth(1) == Some("b");
        let number = fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1_usize);
        2 * number.saturating_sub(1) + usize::from(black_begins)
    }

    /// How the game has ended in the position that is shown, if it has.
    pub(crate) fn end(&self) -> Option<End> {
        if let Some(outcome) = self.board.outcome() {
            return Some(End { winner: outcome.winner, text: outcome.to_string() });
        }
        if self.times().is_some_and(|times| times.is_over) {
            let winner = !self.board.side_to_move();
            return Some(End { winner: Some(winner), text: format!("{winner} wins: time is over") });
        }
        if let Some(agreement) = self.nodes[self.shown].agreed {
            return Some(agreement.end());
        }
        // Points decide a game that the rules do not end.
        let longest = self.board.longest_game()? as usize;
        (self.ply() >= longest).then(|| {
            let winner = self.board.leader();
            let who = winner.map_or("draw".to_owned(), |winner| format!("{winner} wins"));
            End { winner, text: format!("{who}: points after {longest} plies") }
        })
    }

    /// Plays a move in the position that is shown. A move that has been played there before leads to the same
    /// line. `random` samples the outcome of chance.
    pub(crate) fn play(&mut self, mv: &str, random: &mut dyn FnMut() -> f64) -> Result<(), GameError> {
        self.board.check_move(mv)?;
        if let Some(end) = self.end() {
            return Err(GameError::Over(end.text));
        }
        let mv = self.board.sample(mv, random)?;
        self.add(&mv)
    }

    /// Plays a move with its outcome of chance.
    pub(crate) fn add(&mut self, mv: &str) -> Result<(), GameError> {
        let shown = self.shown;
        let known = self.nodes[shown].children.iter().copied().find(|&child| self.nodes[child].mv == mv);
        // The board stays where it is if the game is too long.
        let text = self.board.san(mv)?;
        let node = known.map_or_else(|| self.push(shown, mv.to_owned(), text), Ok)?;
        self.board.play(mv)?;
        self.nodes[node].key = self.board.key();
        self.nodes[shown].next = Some(node);
        self.shown = node;
        self.note_end();
        Ok(())
    }

    /// Adds a node after another one.
    pub(crate) fn push(&mut self, parent: usize, mv: String, text: String) -> Result<usize, GameError> {
        let node = self.nodes.len();
        if node > LONGEST {
            return Err(GameError::TooLong);
        }
        self.nodes.push(Node::new(parent, mv, text));
        self.nodes[parent].children.push(node);
        self.nodes[parent].next.get_or_insert(node);
        Ok(node)
    }

    /// Ends the game at the end of its line, by a decision of its players.
    pub(crate) fn agree(&mut self, agreement: Agreement) -> Result<(), GameError> {
        if let Some(end) = self.end() {
            return Err(GameError::Over(end.text));
        }
        self.nodes[self.shown].agreed = Some(agreement);
        self.note_end();
        Ok(())
    }

    /// The position that is shown, with the move of the other side.
    ///
    /// # Errors
    /// If there is no such position, as in check.
    pub(crate) fn after_pass(&self) -> Result<Variation, GameError> {
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

    /// Shows another position, and makes its line the line of the game.
    pub(crate) fn show(&mut self, node: usize) -> Result<(), GameError> {
        if !self.has(node) {
            return Err(GameError::Node(node));
        }
        let path = self.path(node);
        let moves: Vec<_> = path.iter().map(|&node| self.nodes[node].mv.clone()).collect();
        self.board.set_up(Some(&self.start), &moves)?;
        for &node in &path {
            let parent = self.nodes[node].parent;
            self.nodes[parent].next = Some(node);
        }
        self.shown = node;
        Ok(())
    }

    /// Takes back the move that leads to the position that is shown, and all lines after it. Then the line
    /// goes on with the first alternative, if there is one.
    pub(crate) fn take_back(&mut self) -> Result<(), GameError> {
        if self.shown == ROOT {
            return Err(GameError::NoMove);
        }
        self.delete(self.shown)?;
        self.nodes[self.shown].next = None;
        Ok(())
    }

    /// Deletes a move with all lines after it. Where the position on the board goes with it, that before the
    /// move is shown.
    pub(crate) fn delete(&mut self, node: usize) -> Result<(), GameError> {
        if !self.has(node) {
            return Err(GameError::Node(node));
        }
        if node == ROOT {
            return Err(GameError::NoMove);
        }
        let parent = self.nodes[node].parent;
        if self.path(self.shown).contains(&node) {
            self.show(parent)?;
        }
        self.nodes[parent].children.retain(|&child| child != node);
        if self.nodes[parent].next == Some(node) {
            self.nodes[parent].next = self.nodes[parent].children.first().copied();
        }
        Ok(())
    }

    /// Makes the variation that a node belongs to the line that the one around it goes on with; with
    /// `to_main`, the main line.
    pub(crate) fn promote(&mut self, node: usize, to_main: bool) -> Result<(), GameError> {
        if !self.has(node) {
            return Err(GameError::Node(node));
        }
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

    /// Replaces what is said of the move that leads to a node, or of the start position.
    pub(crate) fn annotate(
        &mut self,
        node: usize,
        text: Option<&str>,
        glyphs: Option<&[u16]>,
    ) -> Result<(), GameError> {
        if !self.has(node) {
            return Err(GameError::Node(node));
        }
        let mut remarks = self.nodes[node].remarks.clone();
        if let Some(text) = text {
            remarks.set_text(text)?;
        }
        if let Some(glyphs) = glyphs {
            if node == ROOT && !glyphs.is_empty() {
                return Err(RemarkError::Start.into());
            }
            remarks.set_glyphs(glyphs)?;
        }
        let before = self.nodes[node].remarks.len();
        let all: usize = self.nodes.iter().map(|node| node.remarks.len()).sum();
        if remarks.len() > before && all - before + remarks.len() > LONGEST_TEXT {
            return Err(GameError::Text);
        }
        self.nodes[node].remarks = remarks;
        Ok(())
    }

    /// The clocks of the position that is shown.
    pub(crate) fn times(&self) -> Option<&Times> {
        self.nodes[self.shown].times.as_ref()
    }

    /// The same, to change them.
    pub(crate) fn times_mut(&mut self) -> &mut Option<Times> {
        &mut self.nodes[self.shown].times
    }

    /// Notes what a search says of a node, unless a deeper one has said more.
    pub(crate) fn note(&mut self, node: usize, eval: Eval) {
        if let Some(node) = self.nodes.get_mut(node)
            && node.eval.as_ref().is_none_or(|known| known.depth <= eval.depth)
        {
            node.eval = Some(eval);
        }
    }

    /// Notes the result where the game has ended in the position that is shown.
    pub(crate) fn note_end(&mut self) {
        if let Some(end) = self.end() {
            self.note(self.shown, Eval { result: end.result(), depth: u32::MAX, by: String::new() });
            self.nodes[self.shown].end = Some(end);
        }
    }

    /// The evaluation of a node.
    pub(crate) fn eval(&self, node: usize) -> Option<&Eval> {
        self.nodes.get(node)?.eval.as_ref()
    }

    /// The last position with a name on the way to a node, if there is one.
    pub(crate) fn opening(&self, node: usize) -> Option<NamedOpening> {
        let openings = registry::openings(self.board.variant()).ok()?;
        let path = std::iter::once(ROOT).chain(self.path(node)).collect::<Vec<_>>();
        openings.deepest(path.into_iter().map(|node| self.nodes[node].key))
    }

    /// Whether a node belongs to the game: it exists and its moves have not been taken back.
    pub(crate) fn has(&self, mut node: usize) -> bool {
        while node != ROOT {
            let Some(Node { parent, .. }) = self.nodes.get(node) else { return false };
            if !self.nodes[*parent].children.contains(&node) {
                return false;
            }
            node = *parent;
        }
        true
    }

    /// The nodes from the first move to `node`.
    pub(crate) fn path(&self, mut node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while node != ROOT {
            path.push(node);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// The nodes of the line: to the position that is shown, and on from there.
    pub(crate) fn line_nodes(&self) -> Vec<usize> {
        let after = std::iter::successors(self.nodes[self.shown].next, |&node| self.nodes[node].next);
        self.path(self.shown).into_iter().chain(after).collect()
    }

    /// The nodes of the main line.
    pub(crate) fn main_nodes(&self) -> Vec<usize> {
        let next = |&node: &usize| self.nodes[node].children.first().copied();
        std::iter::successors(next(&ROOT), next).collect()
    }

    /// The nodes after the start position, depth first, each with the plies before its move.
    pub(crate) fn all_nodes(&self) -> Vec<(usize, usize)> {
        let (mut nodes, mut open) = (Vec::new(), vec![(ROOT, 0)]);
        while let Some((node, plies)) = open.pop() {
            if node != ROOT {
                nodes.push((node, plies - 1));
            }
            open.extend(self.nodes[node].children.iter().rev().map(|&child| (child, plies + 1)));
        }
        nodes
    }

    /// The side to move after this many plies.
    pub(crate) fn player(&self, ply: usize) -> Color {
        if (self.first_ply() + ply).is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// What the clock of a player shows after the move that leads to a node, if anything is known of it.
    pub(crate) fn time_left(&self, node: usize, player: Color) -> Option<Duration> {
        let node = &self.nodes[node];
        let own = node.times.as_ref().map(|times| times.left(!player)[player.index()]);
        own.or_else(|| node.remarks.left())
    }

    /// The time that the move took that leads to a node, if it is known. `increment` is what a move adds.
    fn time_spent(&self, node: usize, player: Color, increment: Duration) -> Option<Duration> {
        let Node { parent, times, remarks, .. } = &self.nodes[node];
        if let (Some(_), Some(before)) = (times, &self.nodes[*parent].times) {
            return Some(before.used());
        }
        remarks.spent().or_else(|| {
            let before = self.time_left(self.nodes[*parent].parent, player).filter(|_| *parent != ROOT)?;
            (before + increment).checked_sub(self.time_left(node, player)?)
        })
    }

    /// All moves of the game, depth first, the main line first, with their marks. `increments` are those of the
    /// players.
    pub(crate) fn all_moves(&self, increments: [Duration; 2], judgements: &Judgements) -> Vec<TreeMove<'_>> {
        let milliseconds = |time: Duration| time.as_millis() as u64;
        let moves = self.all_nodes().into_iter().map(|(index, ply)| {
            let (node, player) = (&self.nodes[index], self.player(ply));
            TreeMove {
                node: index,
                parent: node.parent,
                mv: &node.mv,
                text: &node.text,
                before: &node.remarks.before,
                comment: node.remarks.text(),
                glyphs: &node.remarks.glyphs,
                mark: judgements.mark(index).map(Mark::symbol),
                left: self.time_left(index, player).map(milliseconds),
                spent: self.time_spent(index, player, increments[player.index()]).map(milliseconds),
            }
        });
        moves.collect()
    }

    /// The moves of the line.
    pub(crate) fn line(&self, judgements: &Judgements) -> Vec<LineMove<'_>> {
        let line = self.line_nodes().into_iter().map(|index| {
            let node = &self.nodes[index];
            let review = self.move_review(index, judgements);
            LineMove { node: index, mv: &node.mv, text: &node.text, eval: node.eval.as_ref(), review }
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
        let line = game.line_nodes().into_iter().map(|node| {
            let siblings = game.nodes[game.nodes[node].parent].children.iter();
            let others = siblings.filter(|&&other| other != node);
            let others: String = others.map(|&other| format!("/{}", game.nodes[other].text)).collect();
            format!("{}{others}", game.nodes[node].text)
        });
        line.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn another_move_in_an_earlier_position_is_another_line() {
        let mut game = game("chess", None);
        play(&mut game, "e2e4 e7e5 g1f3");
        game.show(1).unwrap();
        assert_eq!((line(&game), game.ply(), game.is_at_end()), ("e4 e5 Nf3".to_owned(), 1, false));
        play(&mut game, "c7c5");
        assert_eq!((line(&game), game.is_at_end()), ("e4 c5/e5".to_owned(), true));
        // The other line is still there, and its moves lead to the nodes that they led to before.
        game.show(3).unwrap();
        assert_eq!(line(&game), "e4 e5/c5 Nf3");
        game.show(1).unwrap();
        play(&mut game, "e7e5");
        assert_eq!((line(&game), game.shown()), ("e4 e5/c5 Nf3".to_owned(), 2));
    }

    #[test]
    fn a_line_has_the_name_of_its_last_position_that_has_one() {
        let name = |game: &GameTree| game.opening(game.shown()).map(|opening| opening.name);
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
            let texts: Vec<_> = game.main_nodes().iter().map(|&node| &*game.nodes[node].text).collect();
            texts.join(" ")
        };
        let mut game = game("chess", None);
        play(&mut game, "e2e4 e7e5 g1f3");
        game.show(1).unwrap();
        play(&mut game, "c7c5 b1c3");
        game.show(4).unwrap();
        play(&mut game, "g1f3 d7d6");
        assert_eq!((main(&game), game.shown()), ("e4 e5 Nf3".to_owned(), 7));
        // By one level, then to the main line.
        game.promote(7, false).unwrap();
        assert_eq!(game.nodes[4].children, [6, 5]);
        game.promote(7, true).unwrap();
        assert_eq!(main(&game), "e4 c5 Nf3 d6");
        assert!(matches!(game.promote(7, true), Err(GameError::Main)));
        game.promote(3, true).unwrap();
        game.promote(5, true).unwrap();
        assert_eq!((main(&game), line(&game)), ("e4 c5 Nc3".to_owned(), "e4 c5/e5 Nf3/Nc3 d6".to_owned()));
        // What is deleted is gone, with the position on the board.
        game.delete(6).unwrap();
        assert_eq!((game.shown(), line(&game)), (4, "e4 c5/e5 Nc3".to_owned()));
        game.delete(2).unwrap();
        assert_eq!((game.shown(), line(&game)), (4, "e4 c5 Nc3".to_owned()));
        for bad in [2, 6, 7, 99] {
            assert!(matches!(game.delete(bad), Err(GameError::Node(_))), "{bad}");
            assert!(matches!(game.promote(bad, true), Err(GameError::Node(_))), "{bad}");
        }
        assert!(matches!(game.delete(ROOT), Err(GameError::NoMove)));
    }

    #[test]
    fn remarks_are_replaced_and_bad_ones_change_nothing() {
        let mut game = game("chess", None);
        play(&mut game, "e2e4");
        game.annotate(1, Some("good"), Some(&[1])).unwrap();
        game.annotate(1, None, Some(&[1, 18])).unwrap();
        game.annotate(ROOT, Some("before"), None).unwrap();
        assert_eq!((&*game.nodes[1].remarks.comment, &*game.nodes[1].remarks.glyphs), ("good", &[1, 18][..]));
        assert!(game.annotate(1, Some("bad"), Some(&[0])).is_err());
        assert!(matches!(game.annotate(2, Some("x"), None), Err(GameError::Node(2))));
        assert!(game.annotate(ROOT, None, Some(&[1])).is_err());
        assert_eq!(game.nodes[1].remarks.comment, "good");
        // All comments together have a bound, too.
        let long = "x ".repeat(1_999);
        // Knights that go and come back, and pawns, so that no position occurs for the third time.
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
