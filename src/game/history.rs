//! The earlier positions of a game, and the draws that depend on them.

use super::{Ending, Game, Outcome};

/// The earlier positions of a game or of a line of search, oldest first.
///
/// The current position is not part of it. The search pushes and pops positions along its line; a referee
/// only pushes. Both compare whole boards, so that a key collision cannot end a game.
#[derive(Clone, Debug)]
pub struct GameHistory<G> {
    past: Vec<G>,
}

impl<G: Game> GameHistory<G> {
    /// An empty history.
    pub fn new() -> GameHistory<G> {
        GameHistory { past: Vec::new() }
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
    }

    /// Adds a position, before a move is played in it.
    pub fn push(&mut self, position: &G) {
        self.past.push(position.clone());
    }

    /// Removes the last position.
    pub fn pop(&mut self) {
        self.past.pop();
    }

    /// Whether `position` has occurred before. The search scores this as a draw.
    pub fn is_repetition(&self, position: &G) -> bool {
        self.earlier(position).next().is_some()
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

    /// Earlier positions equal to `position`. They can only be an even number of plies ago, at least four,
    /// and after the last irreversible move.
    fn earlier<'a>(&'a self, position: &'a G) -> impl Iterator<Item = &'a G> {
        let plies = position.halfmove_clock().min(self.past.len());
        let key = position.key();
        let reversible = &self.past[self.past.len() - plies..];
        reversible
            .iter()
            .rev()
            .skip(3)
            .step_by(2)
            .filter(move |past| past.key() == key && past.same_position(position))
    }
}

impl<G: Game> Default for GameHistory<G> {
    fn default() -> Self {
        GameHistory::new()
    }
}
