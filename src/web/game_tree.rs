//! The moves of a game with their alternatives, and the position on the board.

use thiserror::Error;

use super::message::{LineMove, OtherMove};
use crate::arena::pgn::{PgnGame, PgnMove, PgnReader, PlayerTags, ReplayError};
use crate::arena::{FinalResult, Rules, RulesError, Termination, Variation};
use crate::engine::{Board, PositionError};
use crate::game::{Color, MoveError};

/// The node of the start position.
pub(super) const ROOT: usize = 0;

/// Moves that a game may have in all its lines, those taken back included.
const LONGEST: usize = 5_000;

/// The longest PGN text of a game that is saved names its site and event so.
const EVENT: [(&str, &str); 2] = [("Event", "Casual game"), ("Site", "Labrys")];

/// A position of the game.
struct Node {
    parent: usize,
    /// The move that leads here, in the notation of the protocol.
    mv: String,
    /// The same in the notation of records.
    text: String,
    /// The positions after it, in the order in which they were first reached.
    children: Vec<usize>,
    /// The child that the line goes on with.
    next: Option<usize>,
}

/// A game with its alternatives.
pub(super) struct GameTree {
    rules: Rules,
    /// The board, in the position of `shown`.
    board: Box<dyn Board>,
    /// The start position.
    start: String,
    /// The start position first. A move that is taken back leaves its node, which nothing leads to.
    nodes: Vec<Node>,
    shown: usize,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) winner: Option<Color>,
    /// The result with its reason.
    pub(super) text: String,
}

/// Why a game does not change.
#[derive(Debug, Error)]
pub(super) enum GameError {
    #[error("{0}")]
    Rules(#[from] RulesError),
    #[error("{0}")]
    Position(#[from] PositionError),
    #[error("{0}")]
    Move(#[from] MoveError),
    #[error("{0}")]
    Replay(#[from] ReplayError),
    #[error("the PGN text: {0}")]
    Pgn(String),
    #[error("there is no position {0} in this game")]
    Node(usize),
    #[error("there is no move to take back")]
    NoMove,
    #[error("the game is over: {0}")]
    Over(String),
    #[error("a game has at most {LONGEST} moves here")]
    TooLong,
}

impl GameTree {
    /// A game from a position, by default the start position of the game.
    pub(super) fn new(rules: Rules, fen: Option<&str>) -> Result<GameTree, GameError> {
        let mut board = rules.board()?;
        if fen.is_some() {
            board.set_up(fen, &[])?;
        }
        let root =
            Node { parent: ROOT, mv: String::new(), text: String::new(), children: Vec::new(), next: None };
        Ok(GameTree { rules, start: board.fen(), board, nodes: vec![root], shown: ROOT })
    }

    /// The first game of a PGN text, with the names of its players. `values` are those of the options of all
    /// games, by name of the game.
    pub(super) fn from_pgn(
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
        moves.iter().try_for_each(|mv| tree.add(mv))?;
        let [white, black] = game.players;
        Ok((tree, [white.name, black.name]))
    }

    /// The game and its option.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The board, in the position that is shown.
    pub(super) fn board(&self) -> &dyn Board {
        self.board.as_ref()
    }

    /// The node of the position that is shown.
    pub(super) fn shown(&self) -> usize {
        self.shown
    }

    /// The start position, and the moves to the position that is shown.
    pub(super) fn variation(&self) -> Variation {
        let path = self.path(self.shown);
        let moves = path.iter().map(|&node| self.nodes[node].mv.clone());
        Variation { fen: self.start.clone(), moves: moves.collect() }
    }

    /// The moves before the position that is shown.
    pub(super) fn ply(&self) -> usize {
        self.path(self.shown).len()
    }

    /// The move that leads to the position that is shown.
    pub(super) fn last_move(&self) -> Option<&str> {
        (self.shown != ROOT).then(|| &*self.nodes[self.shown].mv)
    }

    /// Whether the line ends with the position that is shown.
    pub(super) fn is_at_end(&self) -> bool {
        self.nodes[self.shown].next.is_none()
    }

    /// Plies before the start position, by its move number.
    pub(super) fn first_ply(&self) -> usize {
        let mut fields = self.start.split(' ');
        let black_begins = fields.nth(1) == Some("b");
        let number = fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1_usize);
        2 * number.saturating_sub(1) + usize::from(black_begins)
    }

    /// How the game has ended in the position that is shown, if it has.
    pub(super) fn end(&self) -> Option<End> {
        if let Some(outcome) = self.board.outcome() {
            return Some(End { winner: outcome.winner, text: outcome.to_string() });
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
    pub(super) fn play(&mut self, mv: &str, random: &mut dyn FnMut() -> f64) -> Result<(), GameError> {
        self.board.check_move(mv)?;
        if let Some(end) = self.end() {
            return Err(GameError::Over(end.text));
        }
        let mv = self.board.sample(mv, random)?;
        self.add(&mv)
    }

    /// Plays a move with its outcome of chance.
    fn add(&mut self, mv: &str) -> Result<(), GameError> {
        let shown = self.shown;
        let known = self.nodes[shown].children.iter().copied().find(|&child| self.nodes[child].mv == mv);
        if known.is_none() && self.nodes.len() > LONGEST {
            return Err(GameError::TooLong);
        }
        let text = self.board.play_to_san(mv)?;
        let node = known.unwrap_or_else(|| {
            let node = self.nodes.len();
            let mv = mv.to_owned();
            self.nodes.push(Node { parent: shown, mv, text, children: Vec::new(), next: None });
            self.nodes[shown].children.push(node);
            node
        });
        self.nodes[shown].next = Some(node);
        self.shown = node;
        Ok(())
    }

    /// Shows another position, and makes its line the line of the game.
    pub(super) fn show(&mut self, node: usize) -> Result<(), GameError> {
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
    pub(super) fn take_back(&mut self) -> Result<(), GameError> {
        if self.shown == ROOT {
            return Err(GameError::NoMove);
        }
        let (node, parent) = (self.shown, self.nodes[self.shown].parent);
        self.show(parent)?;
        self.nodes[parent].children.retain(|&child| child != node);
        self.nodes[parent].next = None;
        Ok(())
    }

    /// Whether a node belongs to the game: it exists and its moves have not been taken back.
    fn has(&self, mut node: usize) -> bool {
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
    fn path(&self, mut node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while node != ROOT {
            path.push(node);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// The nodes of the line: to the position that is shown, and on from there.
    fn line_nodes(&self) -> Vec<usize> {
        let after = std::iter::successors(self.nodes[self.shown].next, |&node| self.nodes[node].next);
        self.path(self.shown).into_iter().chain(after).collect()
    }

    /// The moves of the line.
    pub(super) fn line(&self) -> Vec<LineMove<'_>> {
        let text = |node: usize| &*self.nodes[node].text;
        let line = self.line_nodes().into_iter().map(|node| {
            let siblings = self.nodes[self.nodes[node].parent].children.iter().copied();
            let others = siblings.filter(|&other| other != node);
            let others = others.map(|other| OtherMove { node: other, text: text(other) }).collect();
            LineMove { node, text: text(node), others }
        });
        line.collect()
    }

    /// The line as a game record. The end is that of the line.
    pub(super) fn to_pgn(&self, players: [&str; 2], date: String) -> Result<String, GameError> {
        let line = self.line_nodes();
        let moves: Vec<_> = line.iter().map(|&node| self.nodes[node].mv.clone()).collect();
        let mut at_end = GameTree::new(self.rules.clone(), Some(&self.start))?;
        moves.iter().try_for_each(|mv| at_end.add(mv))?;
        let end = at_end.end().map(|End { winner, text }| {
            let by_rules = at_end.board.outcome().is_some();
            let termination = if by_rules { Termination::Rules } else { Termination::Adjudication };
            FinalResult { winner, termination, details: text }
        });
        let start = Variation { fen: self.start.clone(), moves: Vec::new() };
        let record = PgnGame {
            number: None,
            round: "-".to_owned(),
            date,
            variant: self.board.pgn_variant().map(str::to_owned),
            players: players.map(|name| PlayerTags { name: name.to_owned(), ..PlayerTags::default() }),
            opening: start.to_record(at_end.board.as_mut())?,
            moves: line
                .iter()
                .map(|&node| PgnMove { text: self.nodes[node].text.clone(), ..PgnMove::default() })
                .collect(),
            end,
            other_tags: EVENT.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        };
        Ok(record.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(variant: &str, fen: Option<&str>) -> GameTree {
        GameTree::new(Rules::new(variant, None).unwrap(), fen).unwrap()
    }

    fn play(game: &mut GameTree, moves: &str) {
        moves.split(' ').for_each(|mv| game.play(mv, &mut || 0.99).unwrap());
    }

    fn line(game: &GameTree) -> String {
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
            let pgn = saved.to_pgn(["person", "1 ply"], "2026.11.22".to_owned()).unwrap();
            let (loaded, players) = GameTree::from_pgn(&pgn, |_| Vec::new()).unwrap();
            assert_eq!(players, ["person", "1 ply"]);
            assert_eq!((line(&loaded), loaded.board().fen()), (line(&saved), saved.board().fen()), "{pgn}");
            assert_eq!((loaded.first_ply(), &loaded.start), (saved.first_ply(), &saved.start));
        }
        for pgn in ["", "1. e4", "[Variant \"ludo\"]\n\n*", "1. e5 *"] {
            assert!(GameTree::from_pgn(pgn, |_| Vec::new()).is_err(), "{pgn}");
        }
    }
}
