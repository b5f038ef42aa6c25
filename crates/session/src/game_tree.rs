//! The moves of a game with their alternatives, the position on the board, and what is known of each
//! position.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::Times;
use crate::message::{Eval, LineMove, OtherMove};
use labrys_arena::pgn::ReplayError;
use labrys_arena::{Rules, RulesError, Variation};
use labrys_core::engine::{Board, PositionError};
use labrys_core::game::{Color, MoveError};

/// The node of the start position.
pub(crate) const ROOT: usize = 0;

/// Moves that a game may have in all its lines, those taken back included.
pub(crate) const LONGEST: usize = 5_000;

/// A position of the game.
pub(crate) struct Node {
    pub(crate) parent: usize,
    /// The move that leads here, in the notation of the protocol.
    pub(crate) mv: String,
    /// The same in the notation of records.
    pub(crate) text: String,
    /// The positions after it, in the order in which they were first reached.
    pub(crate) children: Vec<usize>,
    /// The child that the line goes on with.
    pub(crate) next: Option<usize>,
    /// Its evaluation, if it has been searched.
    pub(crate) eval: Option<Eval>,
    /// The clocks, in a game that has them.
    pub(crate) times: Option<Times>,
    /// How the players have ended the game here.
    pub(crate) agreed: Option<Agreement>,
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
        Node { parent, mv, text, children: Vec::new(), next: None, eval: None, times: None, agreed: None }
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
        let root = Node::new(ROOT, String::new(), String::new());
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
    /// goes on with the alternative that was played first, if there is one.
    pub(crate) fn take_back(&mut self) -> Result<(), GameError> {
        if self.shown == ROOT {
            return Err(GameError::NoMove);
        }
        let (node, parent) = (self.shown, self.nodes[self.shown].parent);
        self.show(parent)?;
        self.nodes[parent].children.retain(|&child| child != node);
        self.nodes[parent].next = None;
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
            && node.eval.is_none_or(|known| known.depth <= eval.depth)
        {
            node.eval = Some(eval);
        }
    }

    /// Notes the result where the game has ended in the position that is shown.
    pub(crate) fn note_end(&mut self) {
        if let Some(end) = self.end() {
            let result = end.winner.map_or(0.5, |winner| if winner == Color::White { 1.0 } else { 0.0 });
            self.note(self.shown, Eval { result, depth: u32::MAX });
        }
    }

    /// The evaluation of a node.
    pub(crate) fn eval(&self, node: usize) -> Option<Eval> {
        self.nodes.get(node)?.eval
    }

    /// The first node of the line that has no evaluation.
    pub(crate) fn first_unknown(&self) -> Option<usize> {
        std::iter::once(ROOT).chain(self.line_nodes()).find(|&node| self.nodes[node].eval.is_none())
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

    /// The moves of the line.
    pub(crate) fn line(&self) -> Vec<LineMove<'_>> {
        let text = |node: usize| &*self.nodes[node].text;
        let line = self.line_nodes().into_iter().map(|node| {
            let siblings = self.nodes[self.nodes[node].parent].children.iter().copied();
            let others = siblings.filter(|&other| other != node);
            let others = others
                .map(|other| OtherMove { node: other, mv: &self.nodes[other].mv, text: text(other) })
                .collect();
            LineMove { node, mv: &self.nodes[node].mv, text: text(node), eval: self.nodes[node].eval, others }
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
        let line = game.line().into_iter().map(|mv| {
            let others: String = mv.others.iter().map(|other| format!("/{}", other.text)).collect();
            format!("{}{others}", mv.text)
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
}
