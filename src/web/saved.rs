//! Sessions in files, so that they outlive the server.
//!
//! A folder has a file for each session, which is written soon after each change, and the token of the
//! address.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::catalogue::Catalogue;
use super::clock::Times;
use super::game_tree::{GameError, GameTree, ROOT};
use super::message::Eval;
use super::player::SidePlayer;
use super::sessions::random_name;
use super::state::State;
use crate::arena::{Rules, TimeControl};
use crate::files::write_atomically;
use crate::game::quote;

/// A session that nobody has touched for so long is forgotten.
const LONGEST_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// The file of the token.
const TOKEN: &str = "token";

/// What a session is saved as.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SavedSession {
    number: u64,
    game: String,
    option: Option<(String, String)>,
    players: [String; 2],
    control: Option<String>,
    paused: bool,
    analysing: bool,
    lines: usize,
    analyst: String,
    tree: SavedTree,
}

/// A game with its alternatives.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SavedTree {
    start: String,
    /// The index of the position on the board among `nodes`.
    shown: usize,
    /// The start position first; each after the one that it follows, and alternatives in their order.
    nodes: Vec<SavedNode>,
}

#[derive(Debug, Serialize, Deserialize)]
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
}

/// Why a session cannot be read.
#[derive(Debug, Error)]
pub(super) enum SavedError {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("it has {0} bytes")]
    Size(u64),
    #[error("there is no game {}", quote(.0))]
    Game(String),
    #[error("the time control {}", quote(.0))]
    Control(String),
    #[error("{0}")]
    Tree(#[from] GameError),
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
            let (mv, eval, times) = (node.mv.clone(), node.eval, node.times.clone());
            nodes.push(SavedNode { parent, mv, in_line, eval, times });
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
    pub(super) fn new(state: &State) -> SavedSession {
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
            tree: state.tree.save(),
        }
    }

    /// The state of the session. A player that does not exist any more is replaced by a person.
    fn restore(self, catalogue: &Catalogue) -> Result<State, SavedError> {
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
        Ok(state)
    }
}

/// The folder with the sessions of a server.
#[derive(Clone, Debug)]
pub(super) struct SavedSessions {
    folder: PathBuf,
}

impl SavedSessions {
    /// Makes the folder, which its owner alone can read.
    pub(super) fn open(folder: &Path) -> io::Result<SavedSessions> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        Ok(SavedSessions { folder: folder.to_owned() })
    }

    /// The token of earlier runs, or a new one, so that an address goes on to work.
    pub(super) fn token(&self) -> io::Result<String> {
        let path = self.folder.join(TOKEN);
        if let Some(token) = fs::read_to_string(&path).ok().filter(|token| is_name(token)) {
            return Ok(token);
        }
        let token = random_name();
        write_atomically(&path, &token)?;
        Ok(token)
    }

    /// The newest sessions, `most` of them, the newest last. Other files of sessions, and those that are too
    /// old, are deleted. What cannot be read is logged and left alone.
    pub(super) fn load(&self, most: usize, catalogue: &Arc<Catalogue>) -> io::Result<Vec<(String, State)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.extension().is_some_and(|extension| extension == "json") && is_name(&name) {
                files.push((fs::metadata(&path)?.modified()?, name));
            }
        }
        files.sort();
        let (now, count) = (SystemTime::now(), files.len());
        let mut sessions = Vec::new();
        for (index, (modified, name)) in files.into_iter().enumerate() {
            let is_old = now.duration_since(modified).is_ok_and(|age| age > LONGEST_LIFE);
            if is_old || index + most < count {
                self.remove(&name);
                continue;
            }
            match self.read(&name, catalogue) {
                Ok(state) => sessions.push((name, state)),
                Err(error) => log::warn!("{}: {error}", self.path(&name).display()),
            }
        }
        Ok(sessions)
    }

    fn read(&self, name: &str, catalogue: &Catalogue) -> Result<State, SavedError> {
        let path = self.path(name);
        let size = fs::metadata(&path)?.len();
        if size > LARGEST {
            return Err(SavedError::Size(size));
        }
        serde_json::from_slice::<SavedSession>(&fs::read(&path)?)?.restore(catalogue)
    }

    /// Writes a session.
    pub(super) fn write(&self, name: &str, session: &SavedSession) {
        let path = self.path(name);
        let json = serde_json::to_vec(session).expect("sessions are made of text and numbers");
        if let Err(error) = write_atomically(&path, json) {
            log::error!("{}: {error}", path.display());
        }
    }

    /// Deletes a session.
    pub(super) fn remove(&self, name: &str) {
        // There may be none.
        let _ = fs::remove_file(self.path(name));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }
}

/// Whether a text is a random name.
fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Arc<Catalogue> {
        Arc::new(Catalogue::new(&[]))
    }

    fn state(catalogue: &Catalogue) -> State {
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
        state.tree.show(1).unwrap();
        state
    }

    #[test]
    fn sessions_are_written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let (saved, catalogue) = (SavedSessions::open(&folder.path().join("a/b")).unwrap(), catalogue());
        let (name, before) = (random_name(), state(&catalogue));
        saved.write(&name, &SavedSession::new(&before));
        let mut read = saved.load(5, &catalogue).unwrap();
        let (same, after) = read.pop().unwrap();
        assert_eq!((same, after.to_json()), (name, before.to_json()));
        assert!(after.tree.times().is_some() && after.tree.line()[1].others.len() == 1);
        assert_eq!(saved.token().unwrap(), saved.token().unwrap());
    }

    #[test]
    fn what_cannot_be_read_is_passed_over_and_the_oldest_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let (saved, catalogue) = (SavedSessions::open(folder.path()).unwrap(), catalogue());
        let good = serde_json::to_string(&SavedSession::new(&state(&catalogue))).unwrap();
        let names: Vec<_> = (0..3).map(|_| random_name()).collect();
        for name in &names {
            fs::write(saved.path(name), &good).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
        let read = saved.load(2, &catalogue).unwrap();
        assert_eq!(read.iter().map(|(name, _)| name).collect::<Vec<_>>(), [&names[1], &names[2]]);
        assert!(!saved.path(&names[0]).exists());
        for bad in ["", "{}", &good.replace("a2a3", "a2a9"), &good.replace("tucchess", "ludo")] {
            fs::write(saved.path(&names[1]), bad).unwrap();
            assert_eq!(saved.load(2, &catalogue).unwrap().len(), 1, "{bad}");
            assert!(saved.path(&names[1]).exists());
        }
        fs::write(folder.path().join("../x.json").with_file_name("notes.json"), "{}").unwrap();
        assert_eq!(saved.load(2, &catalogue).unwrap().len(), 1);
    }
}
