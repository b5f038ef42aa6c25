//! Endgame tables in a search: in the nodes of a principal variation search, and at the root of any search.

use super::input::SearchInput;
use super::observer::Observer;
use super::report::{Listener, Progress, Report, RootStatistics, Visits};
use super::searcher::Searcher;
use super::table::TtEntry;
use super::window::Bound;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Knowledge, Wdl};
use crate::sync::Ordering;

impl<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'_, G, E, O> {
    /// The score of the position at `ply` by the endgame tables, stored in the transposition table; `None`
    /// where they do not have it, or where `depth`, the plies left to search, are too few. A position without
    /// moves has a better score: its own.
    #[inline(always)]
    pub(super) fn probe_tables(&self, ply: usize, depth: i32) -> Option<Score> {
        // A compile-time constant.
        G::TABLES_OPTION?;
        self.tables.filter(|tables| depth >= tables.options().min_depth).and_then(|_| self.table_score(ply))
    }

    /// The same, where there are tables.
    #[cold]
    fn table_score(&self, ply: usize) -> Option<Score> {
        let position = self.position(ply);
        let result = self.tables?.probe(position).filter(|_| !position.is_terminal())?;
        self.shared.tbhits.fetch_add(1, Ordering::Relaxed);
        // There may be a mate, which is better than a tablebase win.
        let (score, bound) = match result {
            Wdl::Win => (Score::tb_win_in(ply), Bound::Lower),
            Wdl::Draw => (Score::DRAW, Bound::Exact),
            Wdl::Loss => (Score::tb_loss_in(ply), Bound::Upper),
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

/// The root of a search by endgame tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRoot<M> {
    /// The moves to choose from.
    moves: Vec<M>,
    /// The result.
    result: Wdl,
    /// Moves found in the tables.
    hits: u64,
    /// Whether the search below the root ignores the tables: any of the moves keeps the result, and tablebase
    /// scores would hide the quickest win.
    ignores_tables: bool,
}

impl<M: Copy + Eq> TableRoot<M> {
    /// The root of a search by its tables; `None` if they do not have it.
    pub fn of<G: Knowledge<Move = M>, E: Evaluator<G>>(input: &SearchInput<G, E>) -> Option<TableRoot<M>> {
        let tables = input.tables?;
        let moves = input.moves();
        let best = tables.best_moves(input.position, input.history, &moves)?;
        let ignores_tables = best.makes_progress || best.result != Wdl::Win;
        Some(TableRoot { moves: best.moves, result: best.result, hits: moves.len() as u64, ignores_tables })
    }

    /// The search of the best moves by the tables.
    pub fn narrow<'a, G: Knowledge<Move = M>, E>(
        &'a self,
        input: SearchInput<'a, G, E>,
    ) -> SearchInput<'a, G, E> {
        let tables = input.tables.filter(|_| !self.ignores_tables);
        SearchInput { root_moves: Some(&self.moves), tables, ..input }
    }

    /// A listener that reports the result of the tables as the score of the root, unless the search has found
    /// a mate.
    pub fn listener<'a>(&'a self, listener: &'a mut dyn Listener<M>) -> impl Listener<M> + 'a {
        TableListener { root: self, listener }
    }

    /// The score of the root.
    fn score(&self) -> Score {
        match self.result {
            Wdl::Win => Score::tb_win_in(0),
            Wdl::Draw => Score::DRAW,
            Wdl::Loss => Score::tb_loss_in(0),
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
        let (score, bound, visits) = match report.score.mate_distance() {
            Some(_) if self.root.result != Wdl::Draw => (report.score, report.bound, report.visits),
            _ => {
                let mean = self.root.result.value();
                let visits = report.visits.map(|visits| Visits { mean, ..visits });
                (self.root.score(), Bound::Exact, visits)
            }
        };
        let tbhits = self.tbhits(report.tbhits);
        self.listener.report(Report { score, bound, visits, tbhits, ..report });
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
