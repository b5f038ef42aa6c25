//! Minimax selective deepening: at every node only the moves that promise most are searched, so that the same time
//! carries a search deeper ("Minimax Selective Deepening", chapter 2). What a move ratings, its game says
//! ([`Knowledge::msd_ratings`]).

use super::searcher::Searcher;
use crate::eval::Linear;
use crate::game::{Features, GameHistory, GameMove, Knowledge, MsdTerms, mixed};

/// Which moves of a node are searched. The paper's filter is the keep rate with its terms; the rest is what the paper leaves
/// as future work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Percent of the moves that are kept, 1 to 100, rounded up: 100 keeps all.
    pub keep_rate: u32,
    /// Points of the keep rate that are lost with each ply from the root, down to 1.
    pub keep_fall: u32,
    /// Percent of the moves that are kept at least where the position is hot: the side to move is in check, or the last move has
    /// changed the balance.
    pub hot_rate: u32,
    /// Plies that a line may go on behind the horizon while its positions are hot.
    pub hot_plies: usize,
    /// What makes a move promising.
    pub terms: MsdTerms,
}

impl Default for Filter {
    /// All moves are kept.
    fn default() -> Self {
        Filter { keep_rate: 100, keep_fall: 0, hot_rate: 1, hot_plies: 0, terms: MsdTerms::default() }
    }
}

impl Filter {
    /// Whether a move of any node may be left out.
    pub(super) fn is_on(&self) -> bool {
        self.keep_rate < 100 || self.keep_fall > 0
    }

    /// Whether it makes a difference that a position is hot.
    pub(super) fn asks_for_heat(&self) -> bool {
        self.hot_rate > 1 || self.hot_plies > 0
    }

    /// How many of the moves of a position at `ply` are kept, one at least.
    fn kept(&self, moves: usize, ply: usize, hot: bool) -> usize {
        let fall = self.keep_fall.saturating_mul(ply as u32);
        let least = if hot { self.hot_rate } else { 1 };
        let rate = self.keep_rate.saturating_sub(fall).max(least);
        (moves * rate as usize).div_ceil(100).max(1)
    }
}

/// Chooses moves by a [`Filter`].
#[derive(Debug)]
pub(super) struct Sieve<'a, G> {
    filter: &'a Filter,
    evaluator: &'a Linear<G>,
    seed: u64,
    ratings: Vec<i32>,
    /// Promise, lot and place of each move.
    ranks: Vec<(i32, u64, usize)>,
}

impl<'a, G: Features + Knowledge> Sieve<'a, G> {
    /// Ties are broken by `seed`.
    pub(super) fn new(filter: &'a Filter, evaluator: &'a Linear<G>, seed: u64) -> Sieve<'a, G> {
        Sieve { filter, evaluator, seed, ratings: Vec::new(), ranks: Vec::new() }
    }

    /// Leaves those of the moves that promise most, in the order in which they are. Which of equal ones stay is drawn
    /// by lot, the same at each visit.
    pub(super) fn keep(
        &mut self,
        history: &mut GameHistory<G>,
        position: &G,
        (ply, hot): (usize, bool),
        moves: &mut Vec<G::Move>,
    ) {
        let kept = self.filter.kept(moves.len(), ply, hot);
        if kept >= moves.len() {
            return;
        }
        let (evaluator, stm) = (self.evaluator, position.side_to_move());
        let mut rate = |child: &G| evaluator.evaluate_for(child, stm).to_thousandths();
        self.ratings.clear();
        history.push(position);
        position.msd_ratings(moves, &self.filter.terms, history, &mut rate, &mut self.ratings);
        history.pop();
        let key = mixed(self.seed) ^ position.key();
        let ratings = moves.iter().zip(&self.ratings).enumerate();
        self.ranks.clear();
        self.ranks.extend(
            ratings.map(|(place, (mv, &promise))| (promise, mixed(key ^ u64::from(mv.to_bits())), place)),
        );
        self.ranks.select_nth_unstable_by(kept - 1, |one, other| other.cmp(one));
        self.ranks.truncate(kept);
        self.ranks.sort_unstable_by_key(|&(_, _, place)| place);
        for (index, &(_, _, place)) in self.ranks.iter().enumerate() {
            moves[index] = moves[place];
        }
        moves.truncate(kept);
    }
}

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// Whether a position at `ply` is hot: the side to move is in check, or the last move has changed the balance.
    fn is_hot(&self, position: &G, ply: usize) -> bool {
        (ply > 0 && self.changed[ply]) || position.in_check()
    }

    /// The depth of a position at `ply`, a ply at least where the line goes on behind the horizon because it is hot.
    #[inline]
    pub(super) fn depth_if_hot(&self, position: &G, depth: i32, ply: usize) -> i32 {
        let plies = self.hot_plies;
        if plies > 0 && depth <= 0 && ply < self.iteration + plies && self.is_hot(position, ply) {
            1
        } else {
            depth
        }
    }

    /// Leaves the moves of a position at `ply` that are searched, in their order.
    pub(super) fn filter_moves(&mut self, position: &G, ply: usize, moves: &mut Vec<G::Move>) {
        let hot = self.is_hot(position, ply);
        self.sieve.keep(&mut self.history, position, (ply, hot), moves);
    }

    /// Notes the moves of a position at `ply` that are searched.
    pub(super) fn note_kept(&mut self, position: &G, ply: usize) {
        let mut kept = std::mem::take(&mut self.kept[ply]);
        kept.clear();
        position.legal_moves(&mut kept);
        self.filter_moves(position, ply, &mut kept);
        self.kept[ply] = kept;
    }
}
