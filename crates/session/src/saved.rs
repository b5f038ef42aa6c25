//! What a session is saved as, so that it outlives the server.

use std::io;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::catalogue::Catalogue;
use crate::clock::Times;
use crate::game_tree::{Agreement, GameError, GameTree, ROOT};
use crate::message::Eval;
use crate::player::SidePlayer;
use crate::state::State;
use labrys_arena::{Rules, TimeControl};
use labrys_core::game::quote;

/// What a session is saved as.
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
    /// Depth, threads and MiB of table of an analysis.
    #[serde(default)]
    analysis: (u32, usize, usize),
    tree: SavedTree,
}

/// A game with its alternatives.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedTree {
    start: String,
    /// The index of the position on the board among `nodes`.
    shown: usize,
    /// The start position first; each after the one that it follows, and alternatives in their order.
    nodes: Vec<SavedNode>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedNode {
    parent: usize,
    #[serde(rename = "move")]
    mv: String,
    /// Whether the line of its parent goes on here.
    in_line: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<Eval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
    /// How the players have ended the game here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agreed: Option<Agreement>,
}

/// Why a session cannot be read.
#[derive(Debug, Error)]
pub enum SavedError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// It is no saved session.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The file is too large.
    #[error("it has {0} bytes")]
    Size(u64),
    /// It is of an unknown game.
    #[error("there is no game {}", quote(.0))]
    Game(String),
    /// Its time control is none.
    #[error("the time control {}", quote(.0))]
    Control(String),
    /// Its moves cannot be played.
    #[error("{0}")]
    Tree(#[from] GameError),
    /// Its positions are not in order.
    #[error("node {0} follows no earlier one")]
    Order(usize),
}

impl GameTree {
    fn save(&self) -> SavedTree {
        // Depth first: what was taken back is left out.
        let (mut nodes, mut shown, mut open) = (Vec::new(), 0, vec![(ROOT, 0)]);
        while let Some((index, parent)) = open.pop() {
            let node = &self.nodes[index];
            let in_line = index != ROOT && self.nodes[node.parent].next == Some(index);
            if index == self.shown() {
                shown = nodes.len();
            }
            open.extend(node.children.iter().rev().map(|&child| (child, nodes.len())));
            let (mv, eval, times, agreed) = (node.mv.clone(), node.eval, node.times.clone(), node.agreed);
            nodes.push(SavedNode { parent, mv, in_line, eval, times, agreed });
        }
        SavedTree { start: self.start.clone(), shown, nodes }
    }

    fn restore(rules: Rules, saved: SavedTree) -> Result<GameTree, SavedError> {
        let mut tree = GameTree::new(rules, Some(&saved.start))?;
        let mut in_line = Vec::new();
        for (index, node) in saved.nodes.into_iter().enumerate() {
            if index > 0 {
                if node.parent >= index {
                    return Err(SavedError::Order(index));
                }
                if tree.shown() != node.parent {
                    tree.show(node.parent)?;
                }
                tree.add(&node.mv)?;
                if tree.shown() != index {
                    return Err(SavedError::Order(index));
                }
            }
            (tree.nodes[index].eval, tree.nodes[index].times) = (node.eval, node.times);
            tree.nodes[index].agreed = node.agreed;
            in_line.push(node.in_line.then_some(node.parent));
        }
        for (index, parent) in in_line.into_iter().enumerate() {
            if let Some(parent) = parent {
                tree.nodes[parent].next = Some(index);
            }
        }
        tree.show(saved.shown)?;
        Ok(tree)
    }
}

impl SavedSession {
    /// What has to be saved of a session.
    pub fn new(state: &State) -> SavedSession {
        let rules = state.tree.rules();
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
            tree: state.tree.save(),
        }
    }

    /// The state of the session. A player that does not exist any more is replaced by a person.
    pub fn restore(self, catalogue: &Catalogue) -> Result<State, SavedError> {
        let offer = catalogue.offer(&self.game).ok_or_else(|| SavedError::Game(self.game.clone()))?;
        let rules = Rules::new(&self.game, self.option).map_err(GameError::from)?;
        let tree = GameTree::restore(rules, self.tree)?;
        let find = |name: String| SidePlayer::find(&name, offer, catalogue).unwrap_or(SidePlayer::Person);
        let analyst = catalogue.analysts.iter().find(|analyst| analyst.name == self.analyst);
        let analyst = analyst.unwrap_or(&catalogue.analysts[0]).clone();
        let mut state = State::new(tree, self.players.map(find), analyst);
        let control = self.control.map(|text| text.parse().map_err(|()| SavedError::Control(text)));
        let control: Option<TimeControl> = control.transpose()?;
        (state.number, state.control, state.is_paused) = (self.number, control, self.paused);
        (state.analysis.is_on, state.analysis.lines) = (self.analysing, self.lines.max(1));
        let (depth, threads, hash) = self.analysis;
        // It may come from a machine with more room.
        (state.analysis.depth, state.analysis.threads) = (depth, threads.min(catalogue.threads));
        state.analysis.hash = hash.min(catalogue.hash);
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_restored_with_its_alternatives_clocks_and_evaluations() {
        let catalogue = Catalogue::new(&[]);
        let tree = GameTree::new(Rules::new("tucchess", None).unwrap(), None).unwrap();
        let players = [SidePlayer::Person, SidePlayer::Person];
        let mut state = State::new(tree, players, catalogue.analysts[1].clone());
        state.control = Some("300+3".parse().unwrap());
        *state.tree.times_mut() = state.control.map(Times::new);
        for mv in ["a2a3", "a6a5"] {
            state.play(mv).unwrap();
        }
        state.tree.show(1).unwrap();
        state.play("b6b5").unwrap();
        state.tree.note(1, Eval { result: 0.25, depth: 3 });
        state.tree.agree(Agreement::Draw).unwrap();
        (state.analysis.depth, state.analysis.threads, state.analysis.hash) = (20, 1, 64);
        state.tree.show(1).unwrap();
        let mut restored = SavedSession::new(&state).restore(&catalogue).unwrap();
        assert_eq!(restored.to_json(), state.to_json());
        assert!(restored.tree.times().is_some() && restored.tree.line()[1].others.len() == 1);
        restored.tree.show(3).unwrap();
        assert_eq!(restored.tree.end().unwrap().text, "draw: by agreement");
    }
}
