//! The positions before the one on the board, and the draws that depend on them.

use super::{Ending, Game, Outcome};

/// The earlier positions of a game or of a line of search, oldest first.
///
/// The position on the board is not in it. One history serves the search, which pushes and pops
/// along its line, and whoever referees: both compare whole boards, so that no collision of keys can
/// end a game.
#[derive(Clone, Debug)]
pub struct GameHistory<G> {
    past: Vec<G>,
}

impl<G: Game> GameHistory<G> {
    /// The history of a game that has just begun.
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

    /// Takes back all but the oldest `len` positions.
    pub fn truncate(&mut self, len: usize) {
        self.past.truncate(len);
    }

    /// Adds a position that a move is about to leave.
    pub fn push(&mut self, position: &G) {
        self.past.push(position.clone());
    }

    /// Takes back the last [`GameHistory::push`].
    pub fn pop(&mut self) {
        self.past.pop();
    }

    /// Whether `position` has come up before: the search scores that as a draw.
    pub fn is_repetition(&self, position: &G) -> bool {
        self.earlier(position).next().is_some()
    }

    /// How often `position` has come up, this time included.
    pub fn occurrences(&self, position: &G) -> usize {
        self.earlier(position).count() + 1
    }

    /// How the game has ended in `position`, if it has, all rules considered. A position that the
    /// rules decide by itself is decided so, even if it is a draw by repetition or lack of progress, too.
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

    /// Earlier positions equal to `position`: four, six, … plies ago, back to the last irreversible
    /// move. (Players alternate, and nobody can restore the board in two plies.)
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
