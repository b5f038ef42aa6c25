//! Endgame tables in a search: in the nodes of a principal variation search, and at the root of any search.

use std::sync::atomic::Ordering;

use super::input::SearchInput;
use super::report::{Listener, Progress, Report, RootStatistics};
use super::searcher::Searcher;
use super::table::TtEntry;
use super::window::Bound;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Knowledge, Points};

impl<G: Knowledge, E: Evaluator<G>> Searcher<'_, G, E> {
    /// The score of the position at `ply` by the endgame tables, stored in the transposition table; `None`
    /// where they do not have it. A position without moves has a better score: its own.
    #[inline(always)]
    pub(super) fn probe_tables(&self, ply: usize) -> Option<Score> {
        // Known when a game without tables is compiled.
        G::TABLES_OPTION?;
        self.tables.and_then(|_| self.table_score(ply))
    }

    /// The same, where there are tables.
    #[cold]
    fn table_score(&self, ply: usize) -> Option<Score> {
        let position = self.position(ply);
        let result = self.tables?.probe(position).filter(|_| !position.is_terminal())?;
        self.shared.tbhits.fetch_add(1, Ordering::Relaxed);
        // There may be a mate, which is better than to win some time.
        let (score, bound) = match result {
            Points::Win => (Score::won_by_table(ply), Bound::Lower),
            Points::Draw => (Score::DRAW, Bound::Exact),
            Points::Loss => (Score::lost_by_table(ply), Bound::Upper),
        };
        let entry = TtEntry {
            best: None::<G::Move>,
            score,
            bound,
            depth: MAX_PLY as u8,
            static_eval: None,
            is_pv: false,
        };
        self.store(ply, entry);
        Some(score)
    }
}

/// What endgame tables say of the root of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRoot<M> {
    /// The moves to choose from.
    moves: Vec<M>,
    /// The result.
    result: Points,
    /// Moves that were looked up.
    hits: u64,
    /// Whether the search below the root is better off without tables: any of the moves leads to the result,
    /// and the score of a win by the tables would be worth more than the quickest way to it.
    leaves_tables: bool,
}

impl<M: Copy + Eq> TableRoot<M> {
    /// What the tables of a search say of its root; `None` where they do not have it.
    pub fn of<G: Knowledge<Move = M>, E: Evaluator<G>>(input: &SearchInput<G, E>) -> Option<TableRoot<M>> {
        let tables = input.tables?;
        let moves = input.moves();
        let best = tables.best_moves(input.position, input.history, &moves)?;
        let leaves_tables = best.makes_progress || best.result != Points::Win;
        Some(TableRoot { moves: best.moves, result: best.result, hits: moves.len() as u64, leaves_tables })
    }

    /// The search of the best moves by the tables.
    pub fn narrow<'a, G: Knowledge<Move = M>, E>(
        &'a self,
        input: SearchInput<'a, G, E>,
    ) -> SearchInput<'a, G, E> {
        let tables = input.tables.filter(|_| !self.leaves_tables);
        SearchInput { root_moves: Some(&self.moves), tables, ..input }
    }

    /// A listener that gives the result of the tables for the score of the root, unless the search has found
    /// a forced end.
    pub fn listener<'a>(&'a self, listener: &'a mut dyn Listener<M>) -> impl Listener<M> + 'a {
        TableListener { root: self, listener }
    }

    /// The score of the root.
    fn score(&self) -> Score {
        match self.result {
            Points::Win => Score::won_by_table(0),
            Points::Draw => Score::DRAW,
            Points::Loss => Score::lost_by_table(0),
        }
    }
}

/// See [`TableRoot::listener`].
struct TableListener<'a, M> {
    root: &'a TableRoot<M>,
    listener: &'a mut dyn Listener<M>,
}

impl<M> TableListener<'_, M> {
    /// Positions found, those of the root among them.
    fn tbhits(&self, below: Option<u64>) -> Option<u64> {
        Some(below.unwrap_or(0) + self.root.hits)
    }
}

impl<M: Copy + Eq> Listener<M> for TableListener<'_, M> {
    fn report(&mut self, report: Report<M>) {
        let (score, bound) = match report.score.plies_to_end() {
            Some(_) if self.root.result != Points::Draw => (report.score, report.bound),
            _ => (self.root.score(), Bound::Exact),
        };
        let tbhits = self.tbhits(report.tbhits);
        self.listener.report(Report { score, bound, tbhits, ..report });
    }

    fn root_move(&mut self, depth: u32, mv: M, number: usize, progress: &Progress) {
        let progress = Progress { tbhits: self.tbhits(progress.tbhits), ..*progress };
        self.listener.root_move(depth, mv, number, &progress);
    }

    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(&Progress { tbhits: self.tbhits(progress.tbhits), ..*progress });
    }

    fn root(&mut self, root: &RootStatistics<M>) {
        self.listener.root(root);
    }
}
