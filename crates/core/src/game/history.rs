//! The earlier positions of a game, and the draws that depend on them.

use super::{Ending, Game, Outcome};

/// The earlier positions of a game or of a line of search, oldest first.
///
/// The current position is not part of it. The search pushes and pops positions along its line; a referee
/// only pushes. Both compare whole boards, so that a key collision cannot end a game.
#[derive(Clone, Debug)]
pub struct GameHistory<G> {
    past: Vec<G>,
    /// The keys of the positions, for a fast search for repetitions.
    keys: Vec<u64>,
}

/// The occurrence of a position that a search scores as a draw if the earlier ones lie before its root; fewer
/// in games whose rules draw sooner.
const DRAWN_OCCURRENCE: usize = 3;

impl<G: Game> GameHistory<G> {
    /// An empty history.
    pub fn new() -> GameHistory<G> {
        GameHistory { past: Vec::new(), keys: Vec::new() }
    }

    /// Whether there is no earlier position.
    pub fn is_empty(&self) -> bool {
        self.past.is_empty()
    }

    /// The earlier positions, oldest first.
    pub fn past(&self) -> &[G] {
        &self.past
    }

    /// Removes all but the oldest `len` positions.
    pub fn truncate(&mut self, len: usize) {
        self.past.truncate(len);
        self.keys.truncate(len);
    }

    /// Adds a position, before a move is played in it.
    pub fn push(&mut self, position: &G) {
        self.past.push(position.clone());
        self.keys.push(position.key());
    }

    /// Removes the last position.
    pub fn pop(&mut self) {
        self.past.pop();
        self.keys.pop();
    }

    /// Whether a search scores `position` as a draw by repetition. Its root follows the oldest `root`
    /// positions. It is a draw if it repeats a position of the search tree, from the root on. A single
    /// occurrence before the root is no draw, as the opponent need not repeat; a second one is.
    pub fn is_repetition(&self, position: &G, root: usize) -> bool {
        let Some(limit) = G::DRAW_RULES.repetitions else { return false };
        let before = limit.min(DRAWN_OCCURRENCE).saturating_sub(1);
        self.earlier(position).zip(1..).any(|(index, count)| index >= root || count >= before)
    }

    /// The number of occurrences of `position`, the current one included.
    pub fn occurrences(&self, position: &G) -> usize {
        self.earlier(position).count() + 1
    }

    /// The outcome of the game in `position` by all rules, if it has ended. An outcome of the position itself
    /// takes precedence over a draw by repetition or lack of progress.
    pub fn outcome(&self, position: &G) -> Option<Outcome> {
        let draw = |ending| Outcome { winner: None, ending };
        let rules = G::DRAW_RULES;
        position
            .outcome()
            .or_else(|| position.is_dead().then(|| draw(Ending::InsufficientMaterial)))
            .or_else(|| {
                let limit = rules.repetitions?;
                (self.occurrences(position) >= limit).then(|| draw(Ending::Repetition))
            })
            .or_else(|| {
                let limit = rules.no_progress?;
                (position.halfmove_clock() >= limit).then(|| draw(Ending::NoProgress))
            })
    }

    /// The indices of earlier positions equal to `position`, the latest first. They can only be after the
    /// last irreversible move, and at least two plies ago. Players need not alternate.
    fn earlier<'a>(&'a self, position: &'a G) -> impl Iterator<Item = usize> {
        let len = self.past.len();
        let first = len - position.halfmove_clock().min(len);
        let key = position.key();
        let repeats =
            move |&index: &usize| self.keys[index] == key && self.past[index].same_position(position);
        (first..len.saturating_sub(1)).rev().filter(repeats)
    }
}

impl<G: Game> Default for GameHistory<G> {
    fn default() -> Self {
        GameHistory::new()
    }
}
