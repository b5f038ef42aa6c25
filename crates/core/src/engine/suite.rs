//! Test suites: positions in EPD with the moves, mates or points to find.
//!
//! A line asks for one thing, by the first of these operations that it has: `dm`, or `bm` with `#5` or `#-5`,
//! a forced win or loss, `bm` one of the best moves, `am` any move but these, points the move that gets most
//! of them. Points are given as in STS, by `c8` (numbers) and `c9` (moves) or by `c0` (`"Nf3=10, e4=5"`). Any
//! other text in them is a comment.

mod read;

use std::time::Duration;

pub use read::{LineError, LineProblem, read};

use super::{Board, Engine, PositionError, SearchReport};
use crate::clock::Instant;
use crate::eval::UciScore;
use crate::game::MoveError;
use crate::search::{Bound, Control, Limits};

/// A position of a suite. Its moves are in the notation of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuitePosition {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// Its name: the operation `id`, or `line <number>` without one.
    pub id: String,
    /// The position, as a FEN.
    pub fen: String,
    /// The goal.
    pub goal: Goal,
    /// The points of some moves. The other moves get none.
    pub points: Vec<(String, u32)>,
}

/// The goal of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One of these moves.
    Best(Vec<String>),
    /// Any move but these.
    Avoid(Vec<String>),
    /// A win in at most this many moves of the winner, by score.
    Mate(u32),
    /// A loss in at most this many moves of the winner, by score.
    Mated(u32),
}

/// The result of a search of a suite position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteResult {
    /// The move found. `None` if there is no legal move.
    pub found: Option<String>,
    /// Its score; `None` in a search without reports.
    pub score: Option<UciScore>,
    /// Whether that is exact. A search that ends while it rises above its window has a lower bound only.
    pub bound: Bound,
    /// When the search settled on a solution. `None` if the position is not solved.
    pub solved: Option<Moment>,
    /// The end of the search.
    pub end: Moment,
    /// The points of the move found.
    pub points: u32,
}

/// A point in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: Duration,
}

impl Goal {
    /// Whether a move with a score meets the goal.
    pub fn is_met(&self, mv: &str, score: Option<UciScore>) -> bool {
        match self {
            Goal::Best(moves) => moves.iter().any(|best| best == mv),
            Goal::Avoid(moves) => moves.iter().all(|avoid| avoid != mv),
            &Goal::Mate(most) => {
                matches!(score, Some(UciScore::Mate(moves)) if moves > 0 && moves as u32 <= most)
            }
            &Goal::Mated(most) => {
                matches!(score, Some(UciScore::Mate(moves)) if moves <= 0 && moves.unsigned_abs() <= most)
            }
        }
    }

    /// The goal as an operation of EPD, with moves in the notation of game records. The position has to be on
    /// the board.
    ///
    /// # Errors
    /// [`MoveError`] if a move is not legal on the board.
    pub fn describe(&self, board: &dyn Board) -> Result<String, MoveError> {
        let (opcode, moves) = match self {
            Goal::Best(moves) => ("bm", moves),
            Goal::Avoid(moves) => ("am", moves),
            Goal::Mate(moves) => return Ok(format!("dm {moves}")),
            Goal::Mated(moves) => return Ok(format!("dm -{moves}")),
        };
        let moves = moves.iter().map(|mv| board.san(mv)).collect::<Result<Vec<_>, _>>()?;
        Ok(format!("{opcode} {}", moves.join(" ")))
    }
}

impl SuitePosition {
    /// The most points that a move gets.
    pub fn most_points(&self) -> u32 {
        self.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }

    /// Searches the position with fresh tables, and leaves it on the engine's board. A search for a forced
    /// win ends when it has found one that is short enough.
    ///
    /// # Errors
    /// [`PositionError`] if it is no position of the engine's game.
    pub fn search(
        &self,
        engine: &mut dyn Engine,
        limits: &Limits,
        control: &Control,
    ) -> Result<SuiteResult, PositionError> {
        engine.board_mut().set_up(Some(&self.fen), &[])?;
        engine.new_game();
        let mate = match self.goal {
            Goal::Mate(moves) => Some(moves),
            Goal::Best(_) | Goal::Avoid(_) | Goal::Mated(_) => limits.mate,
        };
        let limits = Limits { start: Instant::now(), mate, ..limits.clone() };
        let mut tracker = ReportTracker::new(&self.goal);
        let best = engine.search(&[], &limits, control, &mut |report: &SearchReport| tracker.update(report));
        let best = best.expect("no root move is named");
        let end = Moment { depth: tracker.depth, nodes: best.nodes, time: limits.start.elapsed() };
        let found = best.best;
        let is_met = found.as_ref().is_some_and(|mv| tracker.is_met(mv));
        let points = self.points.iter().find(|(mv, _)| Some(mv) == found.as_ref());
        Ok(SuiteResult {
            score: tracker.score,
            bound: tracker.bound,
            solved: is_met.then(|| tracker.since.unwrap_or(end)),
            end,
            points: points.map_or(0, |(_, points)| *points),
            found,
        })
    }
}

/// Follows the reports of a search.
struct ReportTracker<'a> {
    goal: &'a Goal,
    score: Option<UciScore>,
    bound: Bound,
    depth: u32,
    /// When the best move became a solution.
    since: Option<Moment>,
}

impl<'a> ReportTracker<'a> {
    fn new(goal: &'a Goal) -> ReportTracker<'a> {
        ReportTracker { goal, score: None, bound: Bound::Exact, depth: 0, since: None }
    }

    /// Whether the goal is met by a move with the last score. A lower bound proves a win, but no loss.
    fn is_met(&self, mv: &str) -> bool {
        let is_proven = self.bound == Bound::Exact || !matches!(self.goal, Goal::Mated(_));
        is_proven && self.goal.is_met(mv, self.score)
    }

    fn update(&mut self, report: &SearchReport) {
        let &SearchReport { depth, nodes, time, score, bound, .. } = report;
        // A search that falls below its window has no best move.
        let Some(mv) = report.pv.first().filter(|_| report.multipv == 1 && report.bound != Bound::Upper)
        else {
            return;
        };
        (self.depth, self.score, self.bound) = (depth, Some(score), bound);
        match self.is_met(mv) {
            true => drop(self.since.get_or_insert(Moment { depth, nodes, time })),
            false => self.since = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, registry};
    use super::*;

    /// Scholar's mate: Qxf7 mates, and Qxe5+ does not.
    pub(super) const MATE: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -";

    /// The suite position of [`MATE`] with these operations.
    pub(super) fn position(operations: &str) -> SuitePosition {
        let mut board = registry::board("chess").unwrap();
        read(&format!("{MATE} {operations}"), board.as_mut()).remove(0).unwrap()
    }

    /// The result of a search to `depth` plies.
    pub(super) fn result(position: &SuitePosition, depth: u32) -> SuiteResult {
        let mut engine = registry::engine("chess", &Settings::default()).unwrap();
        position.search(engine.as_mut(), &Limits::depth(depth), &Control::default()).unwrap()
    }

    #[test]
    fn a_position_is_solved_when_its_move_stays_the_best() {
        let mate = position("bm Qxf7;");
        let SuiteResult { found, score, solved, end, .. } = result(&mate, 4);
        assert_eq!((found.as_deref(), score), (Some("h5f7"), Some(UciScore::Mate(1))));
        assert_eq!((solved.unwrap().depth, end.depth), (1, 4));
        assert!(solved.unwrap().nodes < end.nodes);
        assert_eq!(result(&position("am Qxf7;"), 4).solved, None);
        assert_eq!(result(&position("am Qxe5;"), 4).solved.map(|moment| moment.depth), Some(1));
        // The search for a mate ends with it.
        assert_eq!(result(&position("dm 1;"), 4).end.depth, 1);

        let report = |depth, mv: &str, bound| SearchReport {
            depth,
            seldepth: depth,
            multipv: 1,
            score: UciScore::Centi(0),
            bound,
            wdl: None,
            nodes: depth.into(),
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: None,
            visits: None,
            pv: vec![mv.to_owned()],
        };
        let mut tracker = ReportTracker::new(&mate.goal);
        let mut since = |depth, mv, bound| {
            tracker.update(&report(depth, mv, bound));
            tracker.since.map(|moment| moment.depth)
        };
        assert_eq!(since(1, "h5f7", Bound::Exact), Some(1));
        assert_eq!(since(2, "h5e5", Bound::Upper), Some(1));
        assert_eq!(since(3, "h5e5", Bound::Exact), None);
        assert_eq!(since(4, "h5f7", Bound::Lower), Some(4));
        assert_eq!(since(5, "h5f7", Bound::Exact), Some(4));
        // A lower bound on the score is no proof of a loss, and a bound is reported as one.
        let goal = Goal::Mated(5);
        let mut tracker = ReportTracker::new(&goal);
        let mut mated = |bound| {
            tracker.update(&SearchReport { score: UciScore::Mate(-4), ..report(6, "h5f7", bound) });
            (tracker.since.is_some(), tracker.bound)
        };
        assert_eq!(mated(Bound::Lower), (false, Bound::Lower));
        assert_eq!(mated(Bound::Upper), (false, Bound::Lower));
        assert_eq!(mated(Bound::Exact), (true, Bound::Exact));
    }

    #[test]
    fn a_longer_mate_or_being_mated_is_no_solution() {
        let met = |score| Goal::Mate(3).is_met("h5f7", score);
        assert!(met(Some(UciScore::Mate(3))) && met(Some(UciScore::Mate(1))));
        for score in [Some(UciScore::Mate(4)), Some(UciScore::Mate(-2)), Some(UciScore::Mate(0)), None] {
            assert!(!met(score), "{score:?}");
        }
        assert!(!met(Some(UciScore::Centi(900))));
        let lost = |score| Goal::Mated(3).is_met("h5f7", Some(score));
        assert!(lost(UciScore::Mate(-3)) && lost(UciScore::Mate(-1)) && !lost(UciScore::Mate(-4)));
        assert!(!lost(UciScore::Mate(3)) && !lost(UciScore::Centi(-900)));
    }

    #[test]
    fn goals_are_described_in_the_notation_of_records() {
        let mut board = registry::board("chess").unwrap();
        board.set_up(Some(MATE), &[]).unwrap();
        for (operations, text) in [
            ("bm h5f7 g1f3;", "bm Qxf7# Nf3"),
            ("am Qxe5;", "am Qxe5+"),
            ("bm #2;", "dm 2"),
            ("dm -2;", "dm -2"),
        ] {
            assert_eq!(position(operations).goal.describe(board.as_ref()).unwrap(), text);
        }
    }
}
