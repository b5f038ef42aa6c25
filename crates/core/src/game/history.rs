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

#[cfg(test)]
mod tests {
    use super::super::neighbours::Neighbours;
    use super::*;

    /// Plays moves from a position in which both players can shuffle.
    fn play(clock: usize, moves: &str) -> (Neighbours, GameHistory<Neighbours>) {
        let fen = format!("pp6/8/8/8/8/8/8/PP6 w {clock} 60");
        let (mut position, mut history) = (Neighbours::from_fen(&fen).unwrap(), GameHistory::new());
        for text in moves.split_whitespace() {
            history.push(&position);
            position.play(position.parse_move(text).unwrap());
        }
        (position, history)
    }

    const CYCLE: &str = "a1a2 a8a7 a2a1 a7a8 ";

    #[test]
    fn a_search_scores_one_occurrence_in_its_tree_or_two_before_it_as_a_draw() {
        let (position, once) = play(0, CYCLE);
        assert_eq!(once.occurrences(&position), 2);
        assert_eq!([0, 1, 4].map(|root| once.is_repetition(&position, root)), [true, false, false]);
        let (position, twice) = play(0, &CYCLE.repeat(2));
        assert_eq!(twice.occurrences(&position), 3);
        assert_eq!([0, 4, 5, 8].map(|root| twice.is_repetition(&position, root)), [true; 4]);
        assert!(!GameHistory::new().is_repetition(&position, 0));
    }

    #[test]
    fn positions_before_the_last_irreversible_move_do_not_count() {
        // The clock of the text covers no position of the history.
        let (mut position, history) = play(0, CYCLE);
        assert_eq!(history.occurrences(&position), 2);
        position = Neighbours::from_fen("pp6/8/8/8/8/8/8/PP6 w 3 60").unwrap();
        assert_eq!(history.occurrences(&position), 1);
    }

    #[test]
    fn counters_draw_at_their_limits() {
        let ending = |clock, moves: &str| {
            let (position, history) = play(clock, moves);
            history.outcome(&position).map(|outcome| (outcome.winner, outcome.ending))
        };
        assert_eq!(ending(0, CYCLE), None);
        assert_eq!(ending(0, &CYCLE.repeat(2)), Some((None, Ending::Repetition)));
        assert_eq!(ending(98, "a1a2"), None);
        assert_eq!(ending(98, "a1a2 a8a7"), Some((None, Ending::NoProgress)));
        assert_eq!(ending(101, ""), Some((None, Ending::NoProgress)));
    }

    #[test]
    fn positions_are_taken_back_with_their_keys() {
        let (position, mut history) = play(0, CYCLE);
        assert!(!history.is_empty() && GameHistory::<Neighbours>::default().is_empty());
        let of = |history: &GameHistory<Neighbours>| (history.past().len(), history.keys.len());
        assert_eq!(of(&history), (4, 4));
        history.pop();
        assert_eq!(of(&history), (3, 3));
        history.truncate(1);
        assert_eq!(of(&history), (1, 1));
        assert_eq!((history.past()[0].key(), history.keys[0]), (position.key(), position.key()));
    }
}
