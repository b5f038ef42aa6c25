//! Minimax selective deepening (MSD): at every node only the best rated moves are searched, so that the same
//! time reaches deeper ("Minimax Selective Deepening", chapter 2). The game rates its moves
//! ([`Knowledge::msd_ratings`](crate::game::Knowledge::msd_ratings)).

use crate::eval::{Evaluator, MAX_PLY};
use crate::game::{GameHistory, GameMove, Knowledge, MsdTerms, mixed};

/// Which moves of a node are searched. The paper's filter is the keep rate with its terms; the rest is what
/// the paper leaves as future work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MsdOptions {
    /// Percent of the moves that are kept, 1 to 100, rounded up; 100 keeps all.
    pub keep_rate: u32,
    /// Points of the keep rate that are lost with each ply from the root, down to 1.
    pub keep_fall: u32,
    /// Percent of the moves that are kept at least in a volatile position: the side to move is in check, or
    /// the last move was tactical.
    pub volatile_keep_rate: u32,
    /// Plies that a line may go on beyond the horizon while its positions are volatile.
    pub volatile_plies: usize,
    /// Whether the root moves come in random order. The first of those with equal scores is played, so each
    /// of them is as likely; it costs the order that finds cutoffs.
    pub random_root: bool,
    /// How moves are rated.
    pub terms: MsdTerms,
}

impl Default for MsdOptions {
    /// All moves are kept.
    fn default() -> Self {
        MsdOptions {
            keep_rate: 100,
            keep_fall: 0,
            volatile_keep_rate: 1,
            volatile_plies: 0,
            random_root: false,
            terms: MsdTerms::default(),
        }
    }
}

impl MsdOptions {
    /// Whether a move of any node may be left out.
    pub(crate) fn is_on(&self) -> bool {
        self.keep_rate < 100 || self.keep_fall > 0
    }

    /// Whether volatile positions are treated differently.
    fn uses_volatility(&self) -> bool {
        self.volatile_keep_rate > 1 || self.volatile_plies > 0
    }

    /// The number of moves of a position at `ply` that are kept, at least 1.
    fn kept(&self, moves: usize, ply: usize, volatile: bool) -> usize {
        let fall = self.keep_fall.saturating_mul(ply as u32);
        let least = if volatile { self.volatile_keep_rate } else { 1 };
        let rate = self.keep_rate.saturating_sub(fall).max(least);
        (moves * rate as usize).div_ceil(100).max(1)
    }
}

/// Keeps moves by [`MsdOptions`].
#[derive(Debug)]
pub(super) struct MsdFilter<'a, E> {
    options: &'a MsdOptions,
    evaluator: &'a E,
    seed: u64,
    ratings: Vec<i32>,
    /// Rating, tie-break and index of each move.
    ranks: Vec<(i32, u64, usize)>,
    /// Whether the move that led to each ply of a line was tactical; kept up to date only where it makes a
    /// difference.
    after_tactical: Vec<bool>,
}

impl<'a, E> MsdFilter<'a, E> {
    /// Ties are broken at random, by `seed`.
    pub(super) fn new(options: &'a MsdOptions, evaluator: &'a E, seed: u64) -> MsdFilter<'a, E> {
        let (ratings, ranks, after_tactical) = Default::default();
        MsdFilter { options, evaluator, seed, ratings, ranks, after_tactical }
    }

    /// The filter of a search by depth; `None` where the options leave the search as it is.
    pub(super) fn if_needed(
        options: &'a MsdOptions,
        evaluator: &'a E,
        seed: u64,
    ) -> Option<MsdFilter<'a, E>> {
        let is_needed = options.is_on() || options.uses_volatility();
        is_needed.then(|| MsdFilter::new(options, evaluator, seed))
    }

    /// Whether moves are left out.
    pub(super) fn is_on(&self) -> bool {
        self.options.is_on()
    }

    /// Notes whether the move that leads to `ply` is tactical.
    pub(super) fn note_move(&mut self, ply: usize, is_tactical: impl FnOnce() -> bool) {
        if self.options.uses_volatility() {
            self.after_tactical.resize(self.after_tactical.len().max(ply + 1), false);
            self.after_tactical[ply] = is_tactical();
        }
    }

    /// What the value of a position depends on besides itself, for its key in the table: 0 for nothing.
    pub(super) fn key_part<G: Knowledge>(&self, position: &G, ply: usize, iteration: usize) -> u64 {
        let options = &self.options;
        if options.keep_fall == 0 && !options.uses_volatility() {
            return 0;
        }
        let is_volatile = options.uses_volatility() && self.is_volatile(position, ply);
        let counts_ply = options.keep_fall > 0 || options.volatile_plies > 0;
        // Beyond the horizon, lines end some plies after it.
        let beyond = if options.volatile_plies > 0 { (ply + 1).saturating_sub(iteration) } else { 0 };
        let place = if counts_ply { ply + beyond * 2 * MAX_PLY } else { 0 };
        !mixed(2 * place as u64 + u64::from(is_volatile))
    }

    /// Whether a position at `ply` is volatile.
    pub(super) fn is_volatile<G: Knowledge>(&self, position: &G, ply: usize) -> bool {
        self.after_tactical.get(ply).is_some_and(|&is_tactical| is_tactical) || position.in_check()
    }

    /// The depth of a position at `ply` in an iteration of this many plies: a ply at least where the line
    /// continues beyond the horizon because the position is volatile.
    pub(super) fn depth<G: Knowledge>(&self, position: &G, depth: i32, ply: usize, iteration: usize) -> i32 {
        let plies = self.options.volatile_plies;
        let extends = plies > 0 && depth <= 0 && ply < iteration + plies && self.is_volatile(position, ply);
        if extends { 1 } else { depth }
    }

    /// Keeps the best rated of the moves of a position at `ply`, in their order. Equal ratings at the cut are
    /// decided at random, the same way at each visit. Once `is_over` returns true, the others are not rated.
    #[expect(clippy::too_many_arguments, reason = "what a position is, where it is, and when to end")]
    pub(super) fn keep<G: Knowledge>(
        &mut self,
        history: &mut GameHistory<G>,
        position: &G,
        state: &E::State,
        ply: usize,
        volatile: bool,
        moves: &mut Vec<G::Move>,
        is_over: &mut dyn FnMut() -> bool,
    ) where
        E: Evaluator<G>,
    {
        let kept = self.options.kept(moves.len(), ply, volatile);
        if kept >= moves.len() {
            return;
        }
        let (evaluator, stm) = (self.evaluator, position.side_to_move());
        let mut scratch = E::State::default();
        let mut static_eval = |child: &G| match is_over() {
            true => 0,
            false => evaluator.evaluate_child(position, state, child, &mut scratch, stm).to_thousandths(),
        };
        self.ratings.clear();
        history.push(position);
        position.msd_ratings(moves, &self.options.terms, history, &mut static_eval, &mut self.ratings);
        history.pop();
        let key = mixed(self.seed) ^ position.key();
        let ratings = moves.iter().zip(&self.ratings).enumerate();
        self.ranks.clear();
        self.ranks.extend(
            ratings.map(|(index, (mv, &rating))| (rating, mixed(key ^ u64::from(mv.to_bits())), index)),
        );
        self.ranks.select_nth_unstable_by(kept - 1, |one, other| other.cmp(one));
        self.ranks.truncate(kept);
        self.ranks.sort_unstable_by_key(|&(_, _, index)| index);
        for (place, &(_, _, index)) in self.ranks.iter().enumerate() {
            moves[place] = moves[index];
        }
        moves.truncate(kept);
    }
}
