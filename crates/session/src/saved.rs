//! The format in which sessions are saved: JSON with a checksum.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use thiserror::Error;

use crate::annotations::Annotations;
use crate::catalogue::Catalogue;
use crate::clock::Times;
use crate::game_file::GameFile;
use crate::game_tree::{GameError, GameTree, PlayerDecision, ROOT};
use crate::header::Header;
use crate::message::{ColorText, Eval};
use crate::player::Player;
use crate::review::PositionReview;
use crate::seats::{Seats, Tokens};
use crate::state::State;
use labrys_arena::{Rules, TimeControl};
use labrys_core::game::{Color, quote};

/// A saved session.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SavedSession {
    number: u64,
    game: String,
    option: Option<(String, String)>,
    players: [String; 2],
    control: Option<String>,
    paused: bool,
    analysing: bool,
    lines: usize,
    analyst: String,
    /// Depth, threads and MiB of hash of an analysis.
    #[serde(default)]
    analysis: (u32, usize, usize),
    /// The tags of the game, as PGN without moves.
    #[serde(default)]
    header: Option<String>,
    /// The games of the loaded text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<SavedFile>,
    #[serde(default)]
    edited: bool,
    /// The analyst of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    /// The tokens of the seats, while they are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seats: Option<Tokens>,
    /// The player whose draw offer is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    draw_offer: Option<ColorText>,
    /// The player who has requested a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rematch: Option<ColorText>,
    tree: SavedTree,
}

/// The games of a text, each as PGN.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedFile {
    games: Vec<String>,
    chosen: usize,
}

/// A game tree.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedTree {
    start: String,
    /// The index of the current node.
    shown: usize,
    /// Depth first, the start position first: parents before children, siblings in their order.
    nodes: Vec<SavedNode>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedNode {
    parent: usize,
    #[serde(rename = "move")]
    mv: String,
    /// Whether it is the `next` node of its parent.
    in_line: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<Eval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
    /// A resignation or agreed draw here.
    #[serde(default, rename = "agreed", skip_serializing_if = "Option::is_none")]
    decision: Option<PlayerDecision>,
    #[serde(default, rename = "remarks", skip_serializing_if = "Annotations::is_empty")]
    annotations: Annotations,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reviewed: Option<PositionReview>,
}

/// The file of a saved session. Earlier versions wrote the session alone.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    session: Box<RawValue>,
    /// The checksum of the text of `session`.
    crc32: String,
}

fn checksum(session: &RawValue) -> String {
    format!("{:08x}", crc32fast::hash(session.get().as_bytes()))
}

/// Why a session cannot be restored.
#[derive(Debug, Error)]
pub enum SavedError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The file is not a saved session.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The checksum does not match.
    #[error("damaged: checksum {found}, expected {}", quote(.expected))]
    Checksum {
        /// The checksum of the session.
        found: String,
        /// The checksum in the file.
        expected: String,
    },
    /// The game is unknown.
    #[error("there is no game {}", quote(.0))]
    Game(String),
    /// The time control is invalid.
    #[error("the time control {}", quote(.0))]
    Control(String),
    /// The moves cannot be played.
    #[error("{0}")]
    Tree(#[from] GameError),
    /// The nodes are not in order.
    #[error("node {0} follows no earlier one")]
    Order(usize),
}

impl GameTree {
    fn save(&self) -> SavedTree {
        // Depth first from the root, which leaves out moves that were taken back.
        let (mut nodes, mut shown, mut open) = (Vec::new(), 0, vec![(ROOT, 0)]);
        while let Some((index, parent)) = open.pop() {
            let node = &self.nodes[index];
            let in_line = index != ROOT && self.nodes[node.parent].next == Some(index);
            if index == self.current() {
                shown = nodes.len();
            }
            open.extend(node.children.iter().rev().map(|&child| (child, nodes.len())));
            nodes.push(SavedNode {
                parent,
                mv: node.mv.clone(),
                in_line,
                eval: node.eval.clone(),
                times: node.times.clone(),
                decision: node.decision,
                annotations: node.annotations.clone(),
                reviewed: node.reviewed.clone(),
            });
        }
        SavedTree { start: self.start.clone(), shown, nodes }
    }

    fn restore(rules: Rules, saved: SavedTree) -> Result<GameTree, SavedError> {
        let mut tree = GameTree::new(rules, Some(&saved.start))?;
        let mut next = vec![None; saved.nodes.len()];
        for (index, node) in saved.nodes.into_iter().enumerate() {
            if index > 0 {
                if node.parent >= index {
                    return Err(SavedError::Order(index));
                }
                if node.in_line {
                    next[node.parent] = Some(index);
                }
                if tree.current() != node.parent {
                    tree.show(node.parent)?;
                }
                tree.add(&node.mv)?;
                if tree.current() != index {
                    return Err(SavedError::Order(index));
                }
            }
            let kept = &mut tree.nodes[index];
            (kept.eval, kept.times, kept.decision) = (node.eval, node.times, node.decision);
            (kept.annotations, kept.reviewed) = (node.annotations, node.reviewed);
            // A player may have run out of time here.
            tree.store_end();
        }
        // None, too: after a move is taken back, the line ends in front of the variations.
        for (node, next) in tree.nodes.iter_mut().zip(next) {
            node.next = next;
        }
        tree.show(saved.shown)?;
        Ok(tree)
    }
}

impl SavedSession {
    /// The saved form of a state.
    pub fn new(state: &State) -> SavedSession {
        let rules = state.tree.rules();
        let mut tree = state.tree.save();
        // With the time of the running clock.
        tree.nodes[tree.shown].times = state.times();
        SavedSession {
            number: state.number,
            game: rules.variant.clone(),
            option: rules.option.clone(),
            players: state.players.each_ref().map(|player| player.name().to_owned()),
            control: state.control.map(|control| control.to_string()),
            paused: state.is_paused,
            analysing: state.analysis.is_on,
            lines: state.analysis.lines,
            analyst: state.analysis.analyst.name.clone(),
            analysis: (state.analysis.depth, state.analysis.threads, state.analysis.hash),
            header: Some(state.header.save()),
            file: state
                .file
                .as_ref()
                .map(|file| SavedFile { games: file.texts().to_vec(), chosen: file.chosen }),
            edited: state.is_edited,
            reviewer: state.reviewer.as_ref().map(|analyst| analyst.name.clone()),
            seats: state.seats.as_ref().map(Seats::tokens),
            draw_offer: state.draw_offer.map(Color::into),
            rematch: state.rematch.map(Color::into),
            tree,
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None: sessions consist of text and numbers.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let session = to_raw_value(self)?;
        let crc32 = checksum(&session);
        serde_json::to_string(&Sealed { session, crc32 })
    }

    /// Parses the text of a file, with a checksum or, from earlier versions, without one.
    ///
    /// # Errors
    /// [`SavedError`] if it is not a session, or the checksum does not match.
    pub fn from_text(text: &str) -> Result<SavedSession, SavedError> {
        let problem = match serde_json::from_str::<Sealed>(text) {
            Ok(Sealed { session, crc32: expected }) => {
                let found = checksum(&session);
                return match found == expected {
                    true => Ok(serde_json::from_str(session.get())?),
                    false => Err(SavedError::Checksum { found, expected }),
                };
            }
            Err(problem) => problem,
        };
        serde_json::from_str(text).map_err(|_| problem.into())
    }

    /// Restores the state. A player who no longer exists is replaced by a person.
    pub fn restore(self, catalogue: &Catalogue) -> Result<State, SavedError> {
        let offered = catalogue.game(&self.game).ok_or_else(|| SavedError::Game(self.game.clone()))?;
        let rules = Rules::new(&self.game, self.option).map_err(GameError::from)?;
        let tree = GameTree::restore(rules, self.tree)?;
        let find = |name: String| Player::find(&name, offered, catalogue).unwrap_or(Player::Person);
        let reviewer = self.reviewer.as_deref().and_then(|name| catalogue.analyst(name)).cloned();
        let analyst = catalogue.analyst(&self.analyst).unwrap_or(&catalogue.analysts[0]).clone();
        let mut state = State::new(tree, self.players.map(find), analyst);
        let control = self.control.map(|text| text.parse().map_err(|()| SavedError::Control(text)));
        let control: Option<TimeControl> = control.transpose()?;
        (state.number, state.control, state.is_paused) = (self.number, control, self.paused);
        (state.analysis.is_on, state.analysis.lines) = (self.analysing, self.lines.max(1));
        let (depth, threads, hash) = self.analysis;
        // It may come from a machine with more cores and memory.
        (state.analysis.depth, state.analysis.threads) = (depth, threads.min(catalogue.threads));
        state.analysis.hash = hash.min(catalogue.hash);
        state.header =
            self.header.and_then(|text| Header::restore(&text)).unwrap_or_else(Header::for_new_game);
        state.file = self.file.and_then(|file| GameFile::restore(&file.games, file.chosen));
        state.is_edited = self.edited;
        state.seats = self.seats.map(Seats::restore);
        state.draw_offer = self.draw_offer.map(ColorText::into);
        state.rematch = self.rematch.map(ColorText::into);
        match reviewer {
            Some(reviewer) => state.reviewer = Some(reviewer),
            None => state.tree.clear_review(),
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::LineState;
    use std::time::Duration;

    #[test]
    fn a_session_is_restored_with_its_variations_clocks_and_evaluations() {
        let catalogue = Catalogue::new(&[]);
        let tree = GameTree::new(Rules::new("tucchess", None).unwrap(), None).unwrap();
        let players = [Player::Person, Player::Person];
        let mut state = State::new(tree, players, catalogue.analysts[1].clone());
        state.control = Some("300+3".parse().unwrap());
        *state.tree.times_mut() = state.control.map(Times::new);
        for mv in ["a2a3", "a6a5"] {
            state.play(mv).unwrap();
        }
        state.tree.show(1).unwrap();
        state.play("b6b5").unwrap();
        state.tree.store_eval(1, Eval { result: 0.25, depth: 3, by: "320 Elo".to_owned() });
        state.tree.decide(PlayerDecision::Draw).unwrap();
        (state.analysis.depth, state.analysis.threads, state.analysis.hash) = (20, 1, 64);
        state.tree.show(1).unwrap();
        state.tree.annotate(2, Some("a comment"), Some(&[4])).unwrap();
        state.tree.annotate(ROOT, Some("before the game"), None).unwrap();
        let tags = [("White", "Ann"), ("Opening", "none"), ("Result", "1-0")];
        let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned()));
        state.header.set(&tags.into()).unwrap();
        let games = GameFile::read("1. e4 *\n\n1. d4 *").unwrap();
        state.file = Some(GameFile::new(&games, 1));
        state.reviewer = Some(catalogue.analysts[1].clone());
        let line = vec!["a2a3".to_owned()];
        let best = LineState {
            mv: "a2a3".to_owned(),
            score: "cp 5".to_owned(),
            result: 0.6,
            line,
            ..LineState::default()
        };
        state.tree.nodes[ROOT].reviewed = Some(PositionReview { best: Some(best) });
        let text = SavedSession::new(&state).to_text().unwrap();
        for key in ["agreed", "remarks", "reviewed", "times", "in-line"] {
            assert!(text.contains(&format!("\"{key}\":")), "the format of earlier versions: {key}");
        }
        let mut restored = SavedSession::from_text(&text).unwrap().restore(&catalogue).unwrap();
        assert_eq!(restored.to_json(), state.to_json());
        for part in
            ["a comment", "before the game", "Ann", "Opening", r#""result":"1-0""#, r#""start":0.6"#, "1-0"]
        {
            assert!(restored.to_json().contains(part), "{part}");
        }
        assert_eq!((restored.is_edited, restored.file), (true, state.file));
        assert!(restored.tree.times().is_some() && restored.tree.nodes[1].children.len() == 2);
        restored.tree.show(3).unwrap();
        assert_eq!(restored.tree.end().unwrap().text, "draw: by agreement");
    }

    /// The state after a session is saved and restored.
    fn restarted(state: &State, catalogue: &Catalogue) -> State {
        let text = SavedSession::new(state).to_text().unwrap();
        SavedSession::from_text(&text).unwrap().restore(catalogue).unwrap()
    }

    #[test]
    fn a_line_ends_where_a_move_was_taken_back() {
        let catalogue = Catalogue::new(&[]);
        let tree = GameTree::new(Rules::new("chess", None).unwrap(), None).unwrap();
        let mut state = State::new(tree, [Player::Person, Player::Person], catalogue.analysts[0].clone());
        state.play("e2e4").unwrap();
        state.play("e7e5").unwrap();
        state.tree.show(1).unwrap();
        state.play("c7c5").unwrap();
        state.tree.take_back().unwrap();
        let restored = restarted(&state, &catalogue);
        assert!(state.tree.is_at_end() && restored.tree.is_at_end());
        assert_eq!(restored.to_json(), state.to_json());
    }

    #[test]
    fn a_running_clock_and_offers_are_saved() {
        let catalogue = Catalogue::new(&[]);
        let tree = GameTree::new(Rules::new("chess", None).unwrap(), None).unwrap();
        let mut state = State::new(tree, [Player::Person, Player::Person], catalogue.analysts[0].clone());
        state.control = Some("300+3".parse().unwrap());
        *state.tree.times_mut() = state.control.map(Times::new);
        state.play("e2e4").unwrap();
        (state.draw_offer, state.rematch) = (Some(Color::White), Some(Color::Black));
        state.start_clock().unwrap();
        let time = Duration::from_millis(20);
        std::thread::sleep(time);
        let restored = restarted(&state, &catalogue);
        assert!(restored.tree.times().unwrap().used() >= time);
        assert!(state.tree.times().unwrap().used().is_zero(), "the clock runs on");
        assert_eq!((restored.draw_offer, restored.rematch), (state.draw_offer, state.rematch));
    }

    #[test]
    fn every_flipped_bit_is_refused_or_harmless() {
        let catalogue = Catalogue::new(&[]);
        let tree = GameTree::new(Rules::new("neighbours", None).unwrap(), None).unwrap();
        let players = [Player::Person, Player::Person];
        let state = State::new(tree, players, catalogue.analysts[0].clone());
        let saved = SavedSession::new(&state);
        let text = saved.to_text().unwrap();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(damaged) = String::from_utf8(bytes) else { continue };
            if let Ok(read) = SavedSession::from_text(&damaged) {
                assert_eq!(read, saved, "{damaged}");
            }
        }
        let error = SavedSession::from_text(&text.replace("neighbours", "amazons")).unwrap_err().to_string();
        assert!(error.starts_with("damaged: checksum "), "{error}");
    }

    #[test]
    fn a_session_that_was_saved_without_tags_is_restored() {
        let old = r#"{"number":3,"game":"chess","option":null,"players":["person","person"],"control":null,
            "paused":false,"analysing":false,"lines":1,"analyst":"Labrys","tree":{"start":
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","shown":1,"nodes":[
            {"parent":0,"move":"","in-line":false,"eval":{"result":0.5,"depth":3}},
            {"parent":0,"move":"e2e4","in-line":true}]}}"#;
        let saved = SavedSession::from_text(old).unwrap();
        let state = saved.restore(&Catalogue::new(&[])).unwrap();
        assert!(state.to_json().contains(r#""names":["",""]"#) && state.tree.ply() == 1);
    }
}
