//! The references that decisions are checked against.

use labrys_core::engine::{GameState, TypedEngine};
use labrys_core::eval::{Evaluator, Score};
use labrys_core::game::{EndgameTables, Knowledge, Wdl};
use labrys_core::search::{Bound, Control, Limits, Reference, ReferenceNode, Report};
use labrys_solver::{Resources, Solvable, solve};

/// MiB of the solver's table.
const SOLVER_MEMORY: usize = 64;

/// A reference at work.
pub(crate) enum Truth<'a, G: Knowledge, E> {
    /// Full-width search to the same depth.
    Minimax(Box<Reference<'a, G, E>>),
    /// Proofs, each within a number of nodes.
    Solve(u64),
    /// Endgame tables.
    Tables(&'a dyn EndgameTables<G>),
    /// Searches of an engine, each of a number of nodes.
    Nodes(Box<dyn TypedEngine<G>>, u64),
}

impl<G: Solvable + Knowledge, E: Evaluator<G>> Truth<'_, G, E> {
    /// Whether values are exact, whatever the window and the depth of a node.
    pub(crate) fn ignores_window(&self) -> bool {
        !matches!(self, Truth::Minimax(_))
    }

    /// The value of a node, or of the best of its moves if there are any, for its side to move: exact between
    /// `low` and `high`, a bound of it elsewhere; and the nodes that it took. `None` where the reference does
    /// not know it.
    pub(crate) fn value(
        &mut self,
        root: &GameState<G>,
        node: &ReferenceNode<G::Move>,
        window: [Score; 2],
        control: &Control,
    ) -> Option<(Score, u64)> {
        match self {
            Truth::Minimax(reference) => reference.value(node, window, control),
            Truth::Solve(budget) => {
                let limits = Limits::nodes(*budget);
                by_result(root, node, |position| {
                    let solution = solve(position, Resources::from(SOLVER_MEMORY), &limits, control).ok()?;
                    Some((solution.value?, solution.nodes))
                })
            }
            Truth::Tables(tables) => by_result(root, node, |position| Some((tables.probe(position)?, 1))),
            Truth::Nodes(engine, nodes) => {
                let ply = node.path.len();
                let game = game(root, &node.path)?;
                if let Some(outcome) = game.position().outcome() {
                    return Some((score(Wdl::of(outcome.winner, game.position().side_to_move()), ply), 0));
                }
                let moves = (!node.moves.is_empty()).then_some(&node.moves[..]);
                let mut last = None;
                let mut listener = |report: Report<G::Move>| {
                    if report.multipv == 1 && (report.bound == Bound::Exact || last.is_none()) {
                        last = Some(report.score);
                    }
                };
                let limits = Limits::nodes(*nodes);
                // What an earlier node has left in the tables is no part of this search.
                engine.new_game();
                let best = engine.think(&game, moves, &limits, control, &mut listener);
                let score = last.filter(|_| !control.is_stopped())?;
                Some((score.from_tt(ply), best.nodes))
            }
        }
    }
}

/// The value of a node by the results of single positions.
fn by_result<G: Knowledge>(
    root: &GameState<G>,
    node: &ReferenceNode<G::Move>,
    mut result: impl FnMut(&G) -> Option<(Wdl, u64)>,
) -> Option<(Score, u64)> {
    let game = game(root, &node.path)?;
    let (position, ply) = (game.position(), node.path.len());
    let mut value = |position: &G| match game.history().outcome(position) {
        Some(outcome) => Some((Wdl::of(outcome.winner, position.side_to_move()), 0)),
        None => result(position),
    };
    if node.moves.is_empty() {
        let (found, nodes) = value(position)?;
        return Some((score(found, ply), nodes));
    }
    let (mut best, mut sum) = (-Score::INFINITE, 0);
    for &mv in &node.moves {
        let child = position.after(mv);
        let (found, nodes) = value(&child)?;
        let found = score(found, ply + 1);
        let is_same_player = child.side_to_move() == position.side_to_move();
        best = best.max(if is_same_player { found } else { -found });
        sum += nodes;
    }
    Some((best, sum))
}

/// A result as a score, `ply` plies from the root.
fn score(value: Wdl, ply: usize) -> Score {
    match value {
        Wdl::Win => Score::tb_win_in(ply),
        Wdl::Draw => Score::DRAW,
        Wdl::Loss => Score::tb_loss_in(ply),
    }
}

/// The game at the end of a path. After a null move it has no earlier positions.
pub(crate) fn game<G: Knowledge>(root: &GameState<G>, path: &[Option<G::Move>]) -> Option<GameState<G>> {
    let mut game = root.clone();
    for &mv in path {
        match mv {
            Some(mv) => game.advance(mv),
            None => game = game.after_null_move()?,
        }
    }
    Some(game)
}
