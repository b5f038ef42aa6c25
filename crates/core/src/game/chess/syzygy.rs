//! Syzygy endgame tables, probed by the crate `pyrrhic-rs`.
//!
//! The crate keeps its tables in global variables: a process has one set of them, which is kept until another
//! one takes its place.

use std::sync::{Arc, Mutex, PoisonError};

use cozy_chess::{
    BitBoard, Board, Color as Side, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use pyrrhic_rs::{
    Color as ProberSide, DtzProbeValue, DtzResult, EngineAdapter, Piece as ProberPiece, TableBases,
    WdlProbeResult,
};

use super::super::{
    EndgameTables, Game, GameHistory, SharedTables, TableMoves, TableOptions, TablesError, Wdl,
};
use super::rules::{Chess, ChessMove, FIFTY_MOVE_PLIES};
use super::table_files::{Material, TableFiles};

/// The rank of a move that wins for certain.
const WIN_RANK: i32 = 1 << 16;

/// The tables of this process.
static OPEN: Mutex<Option<Arc<OpenTables>>> = Mutex::new(None);

/// Tables that have been opened.
#[derive(Debug)]
struct OpenTables {
    files: TableFiles,
    prober: Prober,
}

/// Open tables, as one engine uses them.
#[derive(Debug)]
struct Syzygy {
    open: Arc<OpenTables>,
    options: TableOptions,
}

impl Syzygy {
    /// Tables with the default options.
    fn shared(open: Arc<OpenTables>) -> SharedTables<Chess> {
        Arc::new(Syzygy { open, options: TableOptions::default() })
    }
}

/// The prober, which has no `Debug`.
struct Prober {
    tables: TableBases<Attacks>,
    /// Held while distances are probed: the crate does not allow that on several threads.
    distances: Mutex<()>,
}

impl std::fmt::Debug for Prober {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Prober")
    }
}

/// Opens the tables of the folders of `path`, see [`Knowledge::open_tables`](super::super::Knowledge).
pub(super) fn open(tables: &mut Option<SharedTables<Chess>>, path: &str) -> Result<(), TablesError> {
    let files = TableFiles::find(path)?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(current) = open.as_ref() {
        // Besides this variable and the caller, only other engines hold them.
        let is_shared = Arc::strong_count(current) > 1 + usize::from(tables.is_some());
        if is_shared {
            if current.files != files {
                return Err(TablesError::InUse);
            }
            *tables = Some(Syzygy::shared(current.clone()));
            return Ok(());
        }
    }
    // The crate opens tables only after the last ones have been dropped.
    (*tables, *open) = (None, None);
    let prober = TableBases::new(&files.folders).map_err(|_| TablesError::InUse)?;
    let prober = Prober { tables: prober, distances: Mutex::new(()) };
    let new = Arc::new(OpenTables { files, prober });
    *tables = Some(Syzygy::shared(new.clone()));
    *open = Some(new);
    Ok(())
}

impl EndgameTables<Chess> for Syzygy {
    fn probe(&self, position: &Chess) -> Option<Wdl> {
        // With a clock that runs, the fifty-move rule may come before the win.
        let counts = position.halfmove_clock() == 0 && self.has(position.board());
        counts.then(|| self.wdl(position).map(|result| self.result(result))).flatten()
    }

    fn options(&self) -> TableOptions {
        self.options
    }

    fn with_options(&self, options: TableOptions) -> Option<SharedTables<Chess>> {
        Some(Arc::new(Syzygy { open: self.open.clone(), options }))
    }

    fn best_moves(
        &self,
        position: &Chess,
        history: &GameHistory<Chess>,
        moves: &[ChessMove],
    ) -> Option<TableMoves<ChessMove>> {
        if !self.has(position.board()) {
            return None;
        }
        let by_distance = self.rank_by_distance(position, history, moves);
        let makes_progress = by_distance.is_some();
        let mut ranked = by_distance.or_else(|| self.rank_by_result(position, moves))?;
        // Among equals, the quickest progress comes first.
        ranked.sort_by_key(|ranked| std::cmp::Reverse((ranked.rank, ranked.progress)));
        let &Ranked { rank, result, .. } = ranked.first()?;
        let best = ranked.iter().take_while(|ranked| ranked.rank == rank);
        Some(TableMoves { moves: best.map(|ranked| ranked.mv).collect(), result, makes_progress })
    }
}

/// A move ranked by the tables, higher is better.
struct Ranked {
    mv: ChessMove,
    /// Its rank. Moves of one rank are equally good.
    rank: i32,
    /// How quickly it makes progress.
    progress: i32,
    /// The result for the side to move.
    result: Wdl,
}

impl Syzygy {
    /// Whether there are tables for a board and all its successors.
    fn has(&self, board: &Board) -> bool {
        let men = board.occupied().len();
        men <= self.options.max_men
            && men as usize <= self.open.files.most_men
            && Side::ALL.into_iter().all(|side| {
                let rights = board.castle_rights(side);
                rights.short.is_none() && rights.long.is_none()
            })
            && self.open.files.wdl.contains(&Material::of(board))
    }

    /// The result of a position, just after a capture or pawn move.
    fn wdl(&self, position: &Chess) -> Option<WdlProbeResult> {
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(position.board());
        let en_passant = en_passant(position);
        let is_white = position.board().side_to_move() == Side::White;
        let tables = &self.open.prober.tables;
        tables
            .probe_wdl(white, black, kings, queens, rooks, bishops, knights, pawns, en_passant, is_white)
            .ok()
    }

    /// A result for the side to move, under the fifty-move rule if that counts.
    fn result(&self, result: WdlProbeResult) -> Wdl {
        match result {
            WdlProbeResult::Loss => Wdl::Loss,
            WdlProbeResult::BlessedLoss if !self.options.progress_rule => Wdl::Loss,
            WdlProbeResult::Win => Wdl::Win,
            WdlProbeResult::CursedWin if !self.options.progress_rule => Wdl::Win,
            WdlProbeResult::BlessedLoss | WdlProbeResult::Draw | WdlProbeResult::CursedWin => Wdl::Draw,
        }
    }

    /// Ranks moves by the distance to the next capture or pawn move, as Stockfish does.
    fn rank_by_distance(
        &self,
        position: &Chess,
        history: &GameHistory<Chess>,
        moves: &[ChessMove],
    ) -> Option<Vec<Ranked>> {
        let board = position.board();
        if !self.open.files.dtz.contains(&Material::of(board)) {
            return None;
        }
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(board);
        // The crate counts in a byte.
        let clock = position.halfmove_clock().min(FIFTY_MOVE_PLIES) as i32;
        let alone = self.open.prober.distances.lock().unwrap_or_else(PoisonError::into_inner);
        let probed = self.open.prober.tables.probe_root(
            white,
            black,
            kings,
            queens,
            rooks,
            bishops,
            knights,
            pawns,
            clock as u32,
            en_passant(position),
            board.side_to_move() == Side::White,
        );
        drop(alone);
        let probed = probed.ok()?;
        let results: Vec<_> = probed.moves[..probed.num_moves]
            .iter()
            .filter_map(|value| match value {
                DtzProbeValue::DtzResult(result) => Some(result),
                _ => None,
            })
            .collect();
        let repeats = has_repeated(position, history);
        let ranked = |&mv: &ChessMove| {
            let result = results.iter().find(|result| is_move(result, mv.0))?;
            let rank = rank(result, clock, repeats);
            let progress = i32::from(result.dtz) * -rank.signum();
            Some(Ranked { mv, rank, progress, result: self.result(result.wdl) })
        };
        moves.iter().map(ranked).collect()
    }

    /// Ranks moves by the results after them alone.
    fn rank_by_result(&self, position: &Chess, moves: &[ChessMove]) -> Option<Vec<Ranked>> {
        let ranked = |&mv: &ChessMove| {
            let child = position.after(mv);
            // Bare kings have no table.
            let is_bare = child.board().occupied().len() == 2;
            let result = if is_bare { WdlProbeResult::Draw } else { self.wdl(&child)? };
            Some(Ranked { mv, rank: -(result as i32), progress: 0, result: !self.result(result) })
        };
        moves.iter().map(ranked).collect()
    }
}

/// The rank of a move by its result and distance, `clock` plies after the last capture or pawn move. Wins
/// that the fifty-move rule cannot spoil are equal, so that the search chooses among them, unless the game
/// repeats positions: then the shortest win comes first. A loss is delayed where the fifty-move rule may save
/// the game.
fn rank(&DtzResult { wdl, dtz, .. }: &DtzResult, clock: i32, repeats: bool) -> i32 {
    let (distance, limit) = (i32::from(dtz), FIFTY_MOVE_PLIES as i32);
    match wdl {
        WdlProbeResult::Win | WdlProbeResult::CursedWin => {
            let is_safe = distance + clock < limit && !repeats;
            if is_safe { WIN_RANK } else { WIN_RANK - (distance + clock) }
        }
        WdlProbeResult::Draw => 0,
        WdlProbeResult::Loss | WdlProbeResult::BlessedLoss => {
            let is_hopeless = 2 * distance + clock < limit;
            if is_hopeless { -WIN_RANK } else { distance + clock - WIN_RANK }
        }
    }
}

/// Whether any position since the last capture or pawn move has occurred twice.
fn has_repeated(position: &Chess, history: &GameHistory<Chess>) -> bool {
    let past = history.past();
    let reversible = &past[past.len() - position.halfmove_clock().min(past.len())..];
    let mut keys: Vec<_> = reversible.iter().chain([position]).map(Chess::key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Whether the result is that of a move.
fn is_move(result: &DtzResult, mv: Move) -> bool {
    let promotion = match result.promotion {
        ProberPiece::Queen => Some(Piece::Queen),
        ProberPiece::Rook => Some(Piece::Rook),
        ProberPiece::Bishop => Some(Piece::Bishop),
        ProberPiece::Knight => Some(Piece::Knight),
        _ => None,
    };
    (result.from_square, result.to_square, promotion) == (mv.from as u8, mv.to as u8, mv.promotion)
}

/// The squares of White, of Black and of the pieces from the king down to the pawn, for the prober.
fn bitboards(board: &Board) -> [u64; 8] {
    let [white, black] = [Side::White, Side::Black].map(|side| board.colors(side).0);
    let pieces = [Piece::King, Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight, Piece::Pawn];
    let [kings, queens, rooks, bishops, knights, pawns] = pieces.map(|piece| board.pieces(piece).0);
    [white, black, kings, queens, rooks, bishops, knights, pawns]
}

/// The en passant square for the prober; 0 means none.
fn en_passant(position: &Chess) -> u32 {
    position.en_passant().map_or(0, |square| square as u32)
}

/// Attacks for the prober.
#[derive(Clone)]
struct Attacks;

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: ProberSide, square: u64) -> u64 {
        let side = if color == ProberSide::White { Side::White } else { Side::Black };
        get_pawn_attacks(index(square), side).0
    }

    fn knight_attacks(square: u64) -> u64 {
        get_knight_moves(index(square)).0
    }

    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        get_bishop_moves(index(square), BitBoard(occupied)).0
    }

    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        get_rook_moves(index(square), BitBoard(occupied)).0
    }

    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        Attacks::bishop_attacks(square, occupied) | Attacks::rook_attacks(square, occupied)
    }

    fn king_attacks(square: u64) -> u64 {
        get_king_moves(index(square)).0
    }
}

/// The square of an index from a1, rank by rank.
fn index(square: u64) -> Square {
    Square::index(square as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables with wins that the fifty-move rule prevents are too large to be kept here.
    #[test]
    fn the_fifty_move_rule_may_not_count() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let mut tables = None;
        open(&mut tables, path).unwrap();
        let open = OPEN.lock().unwrap().clone().unwrap();
        let result = |progress_rule, result| {
            let options = TableOptions { progress_rule, ..TableOptions::default() };
            Syzygy { open: open.clone(), options }.result(result)
        };
        for (with, without, value) in [
            (Wdl::Loss, Wdl::Loss, WdlProbeResult::Loss),
            (Wdl::Draw, Wdl::Loss, WdlProbeResult::BlessedLoss),
            (Wdl::Draw, Wdl::Draw, WdlProbeResult::Draw),
            (Wdl::Draw, Wdl::Win, WdlProbeResult::CursedWin),
            (Wdl::Win, Wdl::Win, WdlProbeResult::Win),
        ] {
            assert_eq!([true, false].map(|rule| result(rule, value)), [with, without]);
        }
    }
}
