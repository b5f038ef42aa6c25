//! The knowledge of a game beyond its rules, for searches, evaluations and nets.

use std::fmt::Debug;

use super::msd::{self, MsdFacts, MsdGains, MsdTerms};
use super::{
    Color, EncodingShape, EndgamesVisitor, FeatureSet, Game, GameHistory, InputShape, Perspective,
    PlaneGroup, PlaneSelection, Scale, SharedTables, Symmetry, TablesError,
};

/// The knowledge of a game beyond its rules, for searches, evaluations and nets. Everything but a type has a
/// default that is safe for any game, so that a new game begins with an empty implementation:
///
/// - **Move ordering**: tactical moves, capture values, static exchange evaluation, keys of histories. By
///   default all moves are quiet and ordered by history alone.
/// - **Selectivity**: checks, null moves, candidate moves. By default there are no checks and no null moves,
///   and every move is a candidate.
/// - **Other searches**: move ratings of minimax selective deepening, playouts of Monte Carlo tree search.
/// - **Endgame tables** and **opening books**. By default there are none.
/// - **Features** of linear evaluations. By default the one feature is the mobility of the side to move.
/// - **Encoding** for policy/value nets. By default there is none, and no such net can play the game.
///   Positions and moves are encoded from the side to move, which plays up the board: for Black the ranks are
///   counted from the top. Squares are counted along the ranks, a1 first, and the index of a square on a
///   plane is `plane * squares + square`.
/// - **Inputs** of efficiently updatable nets (NNUE). By default there are none, and no such net can play the
///   game. A position has a number of planes, sets of up to 128 bits that do not depend on the perspective. A
///   perspective gives each bit of each plane an index. The inputs of a player are the indices of all set
///   bits, at most [`MAX_INPUTS`](super::MAX_INPUTS). So the changes by a move follow from the planes
///   before and after it, in all games alike.
pub trait Knowledge: Game {
    // Move ordering.

    /// The number of kinds of moves, see [`Knowledge::move_kind`].
    const MOVE_KINDS: usize = 1;

    /// The number of kinds of captures, see [`Knowledge::capture_kind`].
    const CAPTURE_KINDS: usize = 1;

    /// The number of correction keys of a position, see [`Knowledge::correction_key`].
    const CORRECTION_KEYS: usize = 0;

    /// Whether quiet moves also have a history by the first correction key (pawn history).
    const KEY_HISTORY: bool = false;

    /// The number of threat buckets, see [`Knowledge::threat_bucket`].
    const THREAT_BUCKETS: usize = 1;

    /// The squares that the opponent attacks, for [`Knowledge::threat_bucket`].
    fn threats(&self) -> u64 {
        0
    }

    /// The threat bucket of a move in the history, below [`Knowledge::THREAT_BUCKETS`]: in chess, whether the
    /// squares that it leaves and enters are attacked. `threats` is [`Knowledge::threats`] of the position.
    fn threat_bucket(_mv: Self::Move, _threats: u64) -> usize {
        0
    }

    /// Whether a move is tactical (a capture or promotion): it is searched early, reduced less than others,
    /// and part of quiescence search.
    fn is_tactical(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Appends the tactical moves, in an order that depends on the position alone.
    fn tactical_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| self.is_tactical(mv));
    }

    /// Appends the legal moves that are not tactical, in an order that depends on the position alone.
    fn quiet_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| !self.is_tactical(mv));
    }

    /// The value of what a tactical move captures or promotes to, less a little for a valuable piece that
    /// captures (MVV-LVA), in thousandths of the evaluation's unit.
    fn capture_value(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// Static exchange evaluation: whether a move leaves its player at least `threshold`, in thousandths of
    /// the evaluation's unit, when both sides go on capturing on its target square as long as it pays.
    fn see_ge(&self, _mv: Self::Move, _threshold: i32) -> bool {
        true
    }

    /// The kind of a legal move, below [`Knowledge::MOVE_KINDS`]: in chess, player, piece and target. It
    /// indexes continuation history, which works best if no kind belongs to both players.
    fn move_kind(&self, _mv: Self::Move) -> usize {
        0
    }

    /// The kind of a tactical move by what it captures, below [`Knowledge::CAPTURE_KINDS`].
    fn capture_kind(&self, _mv: Self::Move) -> usize {
        0
    }

    /// A key of the correction history: the hash of a part of the position that many positions of a search
    /// share, such as the pawns in chess. `index` is below [`Knowledge::CORRECTION_KEYS`].
    fn correction_key(&self, _index: usize) -> u64 {
        0
    }

    // Selectivity.

    /// Whether the side to move is in check: it has to answer a threat that would end the game. The search
    /// does not use the static evaluation of such a position.
    fn in_check(&self) -> bool {
        false
    }

    /// The position after a null move, where the search may prune by it. `None` where passing is not
    /// allowed or may be better than any move.
    fn null_move(&self) -> Option<Self> {
        None
    }

    /// Whether the side to move may be in zugzwang, so that null-move cutoffs have to be verified.
    fn may_be_zugzwang(&self) -> bool {
        false
    }

    /// Whether the side to move cannot win any more. Its static evaluation does not tell for how long it holds
    /// out, so that its nodes are not pruned for it.
    fn cannot_win(&self) -> bool {
        false
    }

    /// Whether reductions depend on more than depth, move count and history: on earlier principal variations,
    /// on refuted moves of the node, on the score of a reduced search, and on a tactical table move.
    const FINE_REDUCTIONS: bool = false;

    /// Whether a node adjusts the reduction of the move that led to it and updates the history of that move
    /// by its static evaluation and by failed replies (hindsight). Also whether large corrections of the
    /// static evaluation reduce less, and quiet checks are not pruned. +54 ± 28 Elo in chess; in TUC-CHESS
    /// −16 ± 39.
    const HINDSIGHT: bool = false;

    /// Whether a selective search orders the moves of this game by the static evaluation after them, see
    /// [`Knowledge::moves_by_static_eval`]: for games with hundreds of quiet moves.
    const ORDERS_BY_STATIC_EVAL: bool = false;

    /// Appends candidate moves, each with the static evaluation after it for the player who made it, by
    /// `static_eval`, in thousandths of its unit. Where moves are made of parts, those with a poor first part
    /// may be left out, more of them at smaller `depth`, the plies left to search. At least one move is
    /// appended if one is legal.
    fn moves_by_static_eval(
        &self,
        _depth: i32,
        static_eval: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(Self::Move, i32)>,
    ) {
        let mut legal = Vec::with_capacity(Self::MAX_MOVES.min(256));
        self.legal_moves(&mut legal);
        moves.extend(legal.into_iter().map(|mv| {
            let child = self.after(mv);
            (mv, static_eval(&child))
        }));
    }

    /// The legal moves that the rules of thumb of a simple agent of the game's literature keep, at least one if
    /// there is one, in the order of these rules; `None` if the game has none.
    fn rules_of_thumb(&self) -> Option<Vec<Self::Move>> {
        None
    }

    // Other searches.

    /// What holds for a legal move of what the terms of minimax selective deepening ask; `child` is the position
    /// after it, and `history` ends with this one.
    fn msd_facts(&self, mv: Self::Move, child: &Self, history: &GameHistory<Self>) -> MsdFacts {
        MsdFacts {
            wins: child.outcome().is_some_and(|outcome| outcome.winner == Some(self.side_to_move())),
            captures: self.is_tactical(mv),
            repeats: msd::is_last_repetition(child, history),
            ..MsdFacts::default()
        }
    }

    /// What a legal move gains, where that rates moves and not the static evaluation after them.
    fn msd_gains(&self, _mv: Self::Move, _child: &Self) -> Option<MsdGains> {
        None
    }

    /// The phase of the game by which θ and γ are interpolated: 1 with all pieces, 0 at its end.
    fn msd_phase(&self) -> f64 {
        1.0
    }

    /// Appends the rating of each of some legal moves by the terms of minimax selective deepening, higher is
    /// better. `history` ends with this position. `static_eval` gives the static evaluation of a child for the
    /// player who moved, in thousandths of its unit.
    fn msd_ratings(
        &self,
        moves: &[Self::Move],
        terms: &MsdTerms,
        history: &GameHistory<Self>,
        static_eval: &mut impl FnMut(&Self) -> i32,
        ratings: &mut Vec<i32>,
    ) {
        // The same for all moves, and needed for some.
        let mut common = None;
        ratings.extend(moves.iter().map(|&mv| {
            let child = self.after(mv);
            terms.rating(self.msd_facts(mv, &child, history), || match self.msd_gains(mv, &child) {
                Some(gains) => {
                    let (now, weights) =
                        *common.get_or_insert_with(|| (self.count_moves(), terms.weights(self.msd_phase())));
                    gains.shares(now, weights).iter().sum()
                }
                None => msd::by_static_eval(static_eval(&child)),
            })
        }));
    }

    /// Plies of a random playout before the position is evaluated statically. `None`: playouts go on to the
    /// end of the game and no evaluation is used.
    const PLAYOUT_PLIES: Option<u32> = None;

    // Endgame tables.

    /// The option for the path of the tables; `None` if the game has none.
    const TABLES_OPTION: Option<&'static str> = None;

    /// Opens the tables of `path`, in place of those of `tables`.
    ///
    /// # Errors
    /// [`TablesError`] names the folder or the file. The tables stay as they are.
    fn open_tables(_tables: &mut Option<SharedTables<Self>>, _path: &str) -> Result<(), TablesError> {
        Err(TablesError::NoTables { game: Self::info().name })
    }

    /// Whether the tables have the options of [`TableOptions`](super::TableOptions).
    const TABLES_HAVE_OPTIONS: bool = false;

    /// Calls `visitor` with the endgames of the game; `None` if it has none.
    fn visit_endgames<V: EndgamesVisitor>(_visitor: V) -> Option<V::Output> {
        None
    }

    // Opening books.

    /// Whether there are opening books of the game in the format of Polyglot.
    const HAS_BOOKS: bool = false;

    /// The key of the position in opening books.
    fn book_key(&self) -> u64 {
        0
    }

    /// The legal move with these bits in an opening book; `None` if it is not legal.
    fn book_move(&self, _bits: u16) -> Option<Self::Move> {
        None
    }

    // Features.

    /// The feature sets of the game; the first one is the default.
    const SETS: &'static [FeatureSet] = &[FeatureSet {
        name: "mobility",
        features: &["mobility"],
        phases: &[],
        default_weights: None,
        scale: Scale::UNMEASURED,
    }];

    /// The weight of each feature of a set without shipped weights.
    const INITIAL_WEIGHT: f64 = 0.0;

    /// Calls `visit(index, value)` for the features of the set `Self::SETS[set]`, for the side to move
    /// ("me"). An index may be visited more than once: its values add up. A feature that is not visited is 0.
    fn features(&self, _set: usize, mut visit: impl FnMut(usize, f64)) {
        visit(0, self.count_moves() as f64 / Self::MAX_MOVES as f64);
    }

    /// The sum of the features of a set, each times its weight. `weights` has one for each feature of the
    /// set. A game may compute the sum in a faster way.
    #[inline]
    fn weigh(&self, set: usize, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.features(set, |index, value| sum += weights[index] * value);
        sum
    }

    // Encoding.

    /// The version of the encoding. Nets of another version are refused, so it changes with any change of the
    /// methods below. 0 where the game has no encoding.
    const ENCODING_VERSION: u32 = 0;

    /// The sizes of the encoding on the board of this position.
    fn encoding_shape(&self) -> EncodingShape {
        let selection = PlaneSelection::ALL;
        EncodingShape { files: 0, ranks: 0, input_planes: 0, policy_planes: 0, selection }
    }

    /// The groups of planes by which a net selects its input, at most 32, in the order of the planes of
    /// [`Knowledge::write_planes`], with as many planes in all. Where there are none, a net has all planes.
    const PLANE_GROUPS: &'static [PlaneGroup] = &[];

    /// Writes the planes of the position, [`EncodingShape::input_len`] numbers that are 0 before.
    /// `occurrences` says how often the position has occurred in the game, 1 where it is new.
    fn write_planes(&self, _occurrences: usize, _planes: &mut [f32]) {}

    /// The indices of a legal move, below [`EncodingShape::policy_len`]. The logit of a move is the sum of
    /// those at its indices. No two moves have the same indices, except outcomes of chance of one move.
    fn policy_indices(&self, _mv: Self::Move) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }

    /// The symmetries of the rules on the board of this position, for data augmentation. The first one
    /// changes nothing, the second, if any, mirrors the files.
    fn symmetries(&self) -> Vec<Symmetry> {
        vec![Symmetry::identity(self.encoding_shape())]
    }

    // Inputs.

    /// The version of the inputs. Nets of another version are refused, so it changes with any change of the
    /// methods below. 0 where the game has no inputs.
    const INPUTS_VERSION: u32 = 0;

    /// The planes of a position, an array.
    type InputPlanes: AsRef<[u128]> + Clone + Default + Debug + PartialEq + Send + Sync;

    /// Whether the mirror image of a position has the same value and other inputs: then training mirrors
    /// positions at random.
    const MIRRORS: bool = false;

    /// The maximum number of input buckets, sets of weights for the same inputs. A net with fewer uses its
    /// last one for the others.
    const BUCKETS: u8 = 1;

    /// The sizes of the inputs on the board of this position.
    fn input_shape(&self) -> InputShape {
        InputShape { files: 0, ranks: 0, inputs: 0 }
    }

    /// The planes.
    fn input_planes(&self) -> Self::InputPlanes {
        Self::InputPlanes::default()
    }

    /// The perspective of a player.
    #[inline]
    fn perspective(&self, player: Color) -> Perspective {
        Perspective::plain(player)
    }

    /// The index of a bit of a plane in a perspective, below [`InputShape::inputs`] and the same for all
    /// buckets; `None` if the board has no such bit. No two bits of a perspective have the same index.
    fn input_index(_board: InputShape, _view: Perspective, _plane: usize, _bit: usize) -> Option<usize> {
        None
    }

    /// A bit of a plane in words, such as `P e4`: the square, if it has one, is the last word.
    fn input_name(&self, plane: usize, bit: usize) -> String {
        format!("plane {plane} bit {bit}")
    }

    /// The material on the board, and the most that there can be: it selects the output bucket of a net.
    fn material(&self) -> (usize, usize) {
        (0, 0)
    }

    /// The output bucket of a net with `outputs` buckets, by [`Knowledge::material`].
    #[inline]
    fn output_bucket(&self, outputs: usize) -> usize {
        if outputs <= 1 {
            return 0;
        }
        let (now, most) = self.material();
        (now * outputs / (most + 1)).min(outputs - 1)
    }
}

/// Appends the legal moves for which `wanted` holds.
fn append_legal<G: Game>(position: &G, moves: &mut Vec<G::Move>, wanted: impl Fn(G::Move) -> bool) {
    let before = moves.len();
    position.legal_moves(moves);
    let mut index = 0;
    moves.retain(|&mv| {
        index += 1;
        index <= before || wanted(mv)
    });
}
