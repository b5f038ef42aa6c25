//! Principal variation search (negamax form, fail soft) with a transposition table.
//!
//! Steps marked *selective* save nodes on a guess and may change the value; `Selective` switches
//! them off. What each is worth was measured in matches of 400 games, where nothing else is said at 20,000
//! nodes a move in Neighbours with hand-set weights, 4 to 7 random plies played with both colours (2026-11-21). Not worth their
//! place were, in chess at 4,000 nodes: razoring (−45 ± 28), a correction of evaluations by what searches of the same
//! pawns came to (−25 ± 28), reducing losing captures (−8 ± 26), more reduction where a cutoff is expected (−3 ± 27) or
//! where the evaluation does not rise (+1 ± 28).

use std::array;
use std::sync::LazyLock;

use super::ordering::{MovePicker, Scope};
use super::searcher::Searcher;
use super::table::{Bound, Entry};
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

/// Reverse futility up to this depth: a node is given up as too good for the opponent …
const REVERSE_FUTILITY_DEPTH: i32 = 6;
/// … when it is above β by this much for each ply that is left, in thousandths. +76 ± 31 Elo; +53 ± 28 in
/// chess at 2,500 nodes.
const REVERSE_FUTILITY_MARGIN: i32 = 200;

/// Null move pruning from this depth on: a node where even passing keeps β is given up. (In chess it saves 12 % of the nodes to
/// depth 12, after what reverse futility has saved, and −4 ± 37 Elo by itself in 200 games at 12,000 nodes.) …
const NULL_MOVE_DEPTH: i32 = 3;
/// … after a search that is shallower by so many plies, …
const NULL_MOVE_REDUCTION: i32 = 3;
/// … one more for so many plies of depth, …
const NULL_MOVE_DEPTH_STEP: i32 = 4;
/// … and one more for each so many thousandths above β, …
const NULL_MOVE_MARGIN: i32 = 200;
/// … three at most.
const NULL_MOVE_MARGIN_STEPS: i32 = 3;
/// From this depth on, a search without passing has to confirm it, whatever the position.
const NULL_MOVE_VERIFICATION_DEPTH: i32 = 12;

/// Without a table move, nodes from this depth on are searched a ply less deeply. +2 ± 30 Elo by itself,
/// but a third fewer nodes to a depth. (+10 ± 27 in chess at 2,500 nodes, 361 games.)
const REDUCTION_WITHOUT_TABLE_MOVE: i32 = 4;

/// Singular extension from this depth on: a table move that is alone in its class is searched a ply deeper. (+4 ± 13 Elo in
/// chess at 2,500 nodes, where few nodes are so deep.) …
const SINGULAR_DEPTH: i32 = 8;
/// … Its table entry is no more than so many plies shallower …
const SINGULAR_ENTRY: i32 = 3;
/// … and all other moves stay below its score by so many thousandths for each ply of depth.
const SINGULAR_MARGIN: i32 = 6;

/// Futility pruning up to this depth: quiet moves are left out …
const FUTILITY_DEPTH: i32 = 3;
/// … when the node is below α by this much for each ply that is left and one more, in thousandths. +75 ± 32 Elo;
/// −1 ± 27 in chess at 2,500 nodes, where other steps do the same.
const FUTILITY_MARGIN: i32 = 300;

/// Late move pruning up to this depth: quiet moves are left out …
const LATE_PRUNING_DEPTH: i32 = 4;
/// … behind this many moves and the square of the depth. +94 ± 33 Elo on top of all others;
/// +1 ± 28 in chess at 2,500 nodes.
const LATE_PRUNING_MOVES: i32 = 4;

/// Moves that lose by exchange are left out (+2 ± 27 Elo in chess at 2,500 nodes) up to this depth …
const EXCHANGE_DEPTH: i32 = 7;
/// … when a quiet one loses so much for each ply that is left, …
const EXCHANGE_QUIET: i32 = 210;
/// … and a tactical one so much for the square of the depth.
const EXCHANGE_TACTICAL: i32 = 65;

/// Late move reductions, +18 ± 30 Elo on top of all others and −3 ± 28 in chess at 2,500 nodes, begin at this depth …
const LATE_REDUCTION_DEPTH: i32 = 3;
/// … with the move of this number, counted from 1.
const LATE_REDUCTION_MOVES: usize = 3;
/// A history count of this size saves a move from a ply of reduction, or costs it one.
const LATE_REDUCTION_HISTORY: i32 = 5_000;

/// With several threads, nodes from this depth on put moves off that another thread is searching.
const DEFERRAL_DEPTH: i32 = 3;

/// What is known of a node before its moves are searched.
struct Node<M> {
    /// Plies that are left.
    depth: i32,
    /// Plies from the root.
    ply: usize,
    window: Window,
    /// What the table knows, its score seen from the root.
    known: Option<Entry<M>>,
    /// The evaluation, where it means something and may prune.
    value: Option<Score>,
    in_check: bool,
}

impl<'a, G: Features + Knowledge> Searcher<'a, G> {
    /// The value of a position for its side to move, searched `depth` plies deep: exact within the window, a
    /// bound outside. `PV`: the node may lie on the principal variation; elsewhere the window is empty.
    pub(super) fn pvs<const PV: bool>(
        &mut self,
        position: &G,
        mut depth: i32,
        window: Window,
        ply: usize,
    ) -> Score {
        let Window { mut alpha, mut beta } = window;
        let root = ply == 0;
        self.pv[ply].clear();
        if self.enter(ply) {
            return Score::DRAW;
        }

        if !root {
            // 1. Draws by repetition, lack of progress or lack of pieces.
            if let Some(score) = self.drawn(position, ply) {
                return score;
            }
            // 2. Mate distance: nothing here is worse than losing now or better than winning by the next ply.
            alpha = alpha.max(Score::lost_in(ply));
            beta = beta.min(Score::won_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let window = Window { alpha, beta };

        // 3. Check extension (selective): threats that have to be answered now are answered before the horizon.
        //    (+5 ± 26 Elo in chess at 2,500 nodes.)
        let in_check = self.selective && position.in_check();
        if in_check && ply < 2 * self.iteration {
            depth = depth.max(0) + 1;
        }

        // 4. The horizon.
        depth = self.depth_if_hot(position, depth, ply);
        if ply >= MAX_PLY || (depth <= 0 && !self.selective) {
            return self.leaf(position, ply);
        }
        if depth <= 0 {
            return self.quiescence(position, window, ply);
        }

        // 5. What the evaluation says. (It is asked while the table's entry is on its way from memory.)
        let value = (self.selective && !in_check).then(|| self.evaluator.evaluate(position));

        // 6. The table: an answer at least as deep as the question ends the search of this node. (The
        //    principal variation is walked to its end, so that all of its moves are known.)
        let excluded = self.excluded[ply];
        let known = self.known(position, ply);
        let may_end = !PV && !root && excluded.is_none();
        if let Some(entry) = known
            && may_end
            && self.is_deep_enough(entry.depth, depth)
            && entry.decides(window)
        {
            return entry.score;
        }

        let value = value.map(|value| known.map_or(value, |entry| entry.refine(value)));
        let mut node = Node { depth, ply, window, known, value, in_check };
        if may_end
            && let Some(value) = value
            && let Some(score) = self.prune(position, &node, value)
        {
            return score;
        }

        // 9. Internal iterative reduction (selective): a node that nobody has cared about yet.
        let table_move = known.and_then(|entry| entry.best);
        if self.selective && !root && depth >= REDUCTION_WITHOUT_TABLE_MOVE && table_move.is_none() {
            node.depth -= 1;
        }

        // 10. The moves, one after the other, the most promising first.
        let mut moves = std::mem::take(&mut self.moves[ply]);
        if root {
            moves.begin_in_order(self.root_moves());
        } else {
            let scope =
                if G::ORDERS_BY_STATIC_EVAL && self.selective { Scope::Promising } else { Scope::All };
            moves.begin(position, scope, depth, table_move);
        }
        let score = self.search_moves::<PV>(position, &node, &mut moves);
        self.moves[ply] = moves;
        score
    }

    /// Whether a node is worth no further search: a bound of its value then. `value` is its evaluation.
    fn prune(&mut self, position: &G, node: &Node<G::Move>, value: Score) -> Option<Score> {
        let &Node { depth, ply, window, .. } = node;
        let beta = window.beta;
        if beta.plies_to_end().is_some() {
            return None;
        }
        // 7. Reverse futility (selective): so far ahead that the opponent will not let it come to this.
        let margin_left = margin::<G>(REVERSE_FUTILITY_MARGIN * depth);
        if depth <= REVERSE_FUTILITY_DEPTH && value - margin_left >= beta && !position.is_terminal() {
            return Some(value);
        }
        // 8. Null move (selective): so good that the side to move may even pass.
        if depth >= NULL_MOVE_DEPTH
            && value >= beta
            && self.may_pass(ply)
            && let Some(passed) = position.null_move()
        {
            let above = (value - beta).to_thousandths() / margin::<G>(NULL_MOVE_MARGIN).to_thousandths();
            let reduction =
                NULL_MOVE_REDUCTION + depth / NULL_MOVE_DEPTH_STEP + above.min(NULL_MOVE_MARGIN_STEPS);
            let ours = Window::below(beta);
            self.make_null_move(position, ply);
            let score = ours.descend(position, &passed, |window| {
                self.pvs::<false>(&passed, depth - 1 - reduction, window, ply + 1)
            });
            self.undo();
            if score >= beta && !self.is_stopped() {
                // A win behind a move that nobody may make is no win.
                let score = if score.plies_to_end().is_some() { beta } else { score };
                if depth < NULL_MOVE_VERIFICATION_DEPTH && !position.may_be_zugzwang() {
                    return Some(score);
                }
                // Nobody passes in the next plies, three quarters of those that are left.
                let plies = 3 * (depth - reduction).max(0) as usize / 4;
                let before = std::mem::replace(&mut self.no_pass_before, ply + 1 + plies);
                let confirmed = self.pvs::<false>(position, depth - reduction, ours, ply) >= beta;
                self.no_pass_before = before;
                if confirmed {
                    return Some(score);
                }
            }
        }
        None
    }

    /// Searches the moves of a node that nothing has decided yet, and stores what comes out.
    fn search_moves<const PV: bool>(
        &mut self,
        position: &G,
        node: &Node<G::Move>,
        moves: &mut MovePicker<G::Move>,
    ) -> Score {
        let &Node { depth, ply, window, value, in_check, .. } = node;
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        let stm = position.side_to_move();
        let excluded = self.excluded[ply];
        let prunes = self.selective && !PV && !root && !in_check;
        let hopeless = prunes
            && depth <= FUTILITY_DEPTH
            && alpha.plies_to_end().is_none()
            && value.is_some_and(|value| value + margin::<G>(FUTILITY_MARGIN * (depth + 1)) <= alpha);
        let enough_moves = match prunes && depth <= LATE_PRUNING_DEPTH {
            true => (LATE_PRUNING_MOVES + depth * depth) as usize,
            false => usize::MAX,
        };

        let width = if self.selective && !root { self.width } else { usize::MAX };

        let filtered = !root && self.filters;
        if filtered {
            self.note_kept(position, ply);
        }

        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let path = self.path(ply);
        while let Some(mv) = moves.next(position, self.evaluator, self.heuristics, path, ply) {
            self.count(moves.take_rated());
            if Some(mv) == excluded || (filtered && !self.kept[ply].contains(&mv)) {
                continue;
            }
            number += 1;
            if number > width {
                break;
            }
            if root {
                self.announce_root_move(mv, number);
            }
            let tactical = position.is_tactical(mv);
            let secure = number > 1 && best.plies_to_end().is_none();

            // 11. Futility and late move pruning (selective): quiet moves that will not help, once one has
            //     been searched that does not lose.
            if secure && !tactical && (hopeless || number > enough_moves) {
                if G::ORDERS_BY_STATIC_EVAL {
                    // All that follow promise less.
                    break;
                }
                continue;
            }
            // 12. Pruning by exchange (selective): moves that put a piece where it is lost.
            if secure && prunes && depth <= EXCHANGE_DEPTH {
                let loss = if tactical { EXCHANGE_TACTICAL * depth * depth } else { EXCHANGE_QUIET * depth };
                if !position.see_ge(mv, -margin::<G>(loss).to_thousandths()) {
                    continue;
                }
            }

            // 13. What another thread is searching comes last: by then the table knows of it (T. Kerrigan, "Simplified
            //     ABDADA", 2013).
            let place = match number > 1 && depth >= DEFERRAL_DEPTH {
                true => self.team.work_place(position, mv),
                false => None,
            };
            if let Some(place) = place {
                if place.is_taken() && moves.defer(mv) {
                    number -= 1;
                    continue;
                }
                place.take();
            }

            let mut full = depth - 1;
            // 14. Singular extension (selective): is the table's move the only good one?
            if number == 1
                && let Some(limit) = self.singular_limit(node, mv)
            {
                let others = self.search_without(position, mv, (depth - 1) / 2, Window::below(limit), ply);
                if others < limit {
                    full += 1;
                } else if limit >= beta {
                    // Several moves refute the position.
                    return limit;
                }
            }

            let learned = self.heuristics.history(stm, mv) + self.heuristics.continuation(position, mv, path);
            let mut score;
            if number == 1 {
                score = self.try_move(position, mv, full, Window { alpha, beta }, ply, Searcher::pvs::<PV>);
            } else {
                // 15. Late move reduction (selective): searched less deeply, and again if they surprise.
                let mut reduced = full;
                if self.selective
                    && depth >= LATE_REDUCTION_DEPTH
                    && number >= LATE_REDUCTION_MOVES
                    && !tactical
                {
                    reduced -= reduction::<PV>(depth, number, learned);
                    reduced = reduced.clamp(1, full);
                }
                score =
                    self.try_move(position, mv, reduced, Window::null(alpha), ply, Searcher::pvs::<false>);
                if score > alpha && reduced < full {
                    score =
                        self.try_move(position, mv, full, Window::null(alpha), ply, Searcher::pvs::<false>);
                }
                // 16. The null window has failed: a new principal variation.
                if PV && score > alpha && score < beta {
                    score =
                        self.try_move(position, mv, full, Window { alpha, beta }, ply, Searcher::pvs::<true>);
                }
            }
            if let Some(place) = place {
                place.leave();
            }
            if self.is_stopped() {
                return best;
            }
            if number == 1 {
                // A singular search at this ply has left its own.
                self.searched[ply].clear();
            }
            self.searched[ply].push(mv);

            if (PV && score > alpha) || (root && (score > alpha || number == 1)) {
                self.raise_pv(ply, mv);
            }
            if root {
                self.note_root_move(mv, (score > alpha || number == 1).then_some(score));
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if score >= beta {
                        let (_, failed) = self.searched[ply].split_last().unwrap_or((&mv, &[]));
                        self.heuristics.cutoff(position, mv, failed, path, depth, ply);
                        break;
                    }
                }
            }
        }

        if number == 0 {
            // Without the one move that there is, everything stays below.
            return if excluded.is_some() { alpha } else { self.terminal_score(position, ply) };
        }
        // The root is never asked of the table, and its moves may be the user's choice.
        if !root && excluded.is_none() {
            self.store(position, (best_move, best), window, depth, ply);
        }
        best
    }

    /// What all other moves have to stay below for the table's move to be singular; `None` where that is not asked.
    fn singular_limit(&self, node: &Node<G::Move>, mv: G::Move) -> Option<Score> {
        let &Node { depth, ply, known, .. } = node;
        let known = known.filter(|entry| entry.best == Some(mv))?;
        let asked = self.selective
            && ply > 0
            && ply < 2 * self.iteration
            && depth >= SINGULAR_DEPTH
            && self.excluded[ply].is_none()
            && known.bound != Bound::Upper
            && i32::from(known.depth) >= depth - SINGULAR_ENTRY
            && known.score.plies_to_end().is_none();
        asked.then(|| known.score - margin::<G>(SINGULAR_MARGIN * depth))
    }

    /// The value of a position without one of its moves.
    fn search_without(&mut self, position: &G, mv: G::Move, depth: i32, window: Window, ply: usize) -> Score {
        self.excluded[ply] = Some(mv);
        let score = self.pvs::<false>(position, depth, window, ply);
        self.excluded[ply] = None;
        score
    }

    /// Whether a stored result of depth `stored` answers a question of depth `asked`. One of greater
    /// depth is better, but another value than the one of plain minimax.
    fn is_deep_enough(&self, stored: u8, asked: i32) -> bool {
        let stored = i32::from(stored);
        if self.selective { stored >= asked } else { stored == asked }
    }
}

/// A margin in thousandths of what the margins of the game count as one.
fn margin<G: Knowledge>(thousandths: i32) -> Score {
    Score::from_thousandths(thousandths * G::MARGIN / 1000)
}

/// Plies by which a late quiet move is reduced: the more, the deeper the search and the later the move, and the less
/// it has been worth so far.
fn reduction<const PV: bool>(depth: i32, number: usize, learned: i32) -> i32 {
    let reduction = 0.5 + LOGARITHMS[depth.min(255) as usize] * LOGARITHMS[number.min(255)] / 2.0;
    reduction as i32 - i32::from(PV) - learned / LATE_REDUCTION_HISTORY
}

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));
