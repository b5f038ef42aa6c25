//! The position and its moves.

use cozy_chess::{
    BitBoard, Board, BoardBuilder, Color as Side, Move, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
};

use super::super::fen::MAX_COUNT;
use super::super::zobrist::random_table;
use super::super::{Color, DrawRules, Ending, FenError, Game, GameInfo, GameMove, MoveError, Outcome};
use super::info::INFO;
use super::{notation, san};

/// The plies without a capture or pawn move that draw the game (fifty-move rule).
pub(super) const FIFTY_MOVE_PLIES: usize = 100;

/// The light squares.
const LIGHT: BitBoard = BitBoard::LIGHT_SQUARES;

/// The pieces that a pawn can be promoted to, in the order of their bits in a move.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A position of chess.
#[derive(Clone, Debug)]
pub struct Chess {
    board: Board,
    key: u64,
    /// Plies since the last capture or pawn move. The board's own counter stops at 100.
    halfmove_clock: u16,
    move_number: u16,
    /// Whether all castling is written as the king taking the rook.
    chess960: bool,
}

/// A move of chess. Castling is the king taking its own rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChessMove(pub(super) Move);

impl GameMove for ChessMove {
    fn to_bits(self) -> u32 {
        let promotion = PROMOTIONS.iter().position(|&piece| Some(piece) == self.0.promotion);
        let promotion = promotion.map_or(0, |index| index as u32 + 1);
        // Never 0, as `from` and `to` differ.
        self.0.from as u32 | (self.0.to as u32) << 6 | promotion << 12
    }

    fn from_bits(bits: u32) -> Self {
        let square = |shift: u32| Square::index((bits >> shift & 63) as usize);
        let promotion = (bits >> 12 & 7).checked_sub(1).and_then(|index| PROMOTIONS.get(index as usize));
        ChessMove(Move { from: square(0), to: square(6), promotion: promotion.copied() })
    }
}

impl Chess {
    /// Makes a position and computes its key.
    pub(super) fn new(board: Board, halfmove_clock: u16, move_number: u16) -> Chess {
        let mut position = Chess { board, key: 0, halfmove_clock, move_number, chess960: false };
        position.key = position.hash();
        position
    }

    /// The board.
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The number of the move, counted up after each move of Black.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }

    /// Whether all castling is written as the king taking the rook.
    pub(super) fn chess960(&self) -> bool {
        self.chess960
    }

    /// The en passant square, if an en passant capture is legal. Otherwise the square does not distinguish
    /// positions.
    pub(super) fn en_passant(&self) -> Option<Square> {
        let board = &self.board;
        let us = board.side_to_move();
        let to = en_passant_target(board)?;
        let pawns = get_pawn_attacks(to, !us) & board.colored_pieces(us, Piece::Pawn);
        pawns.into_iter().any(|from| board.is_legal(Move { from, to, promotion: None })).then_some(to)
    }

    /// The position after a null move; `None` in check. The halfmove clock is reset, so that no repetition is
    /// found across the null move.
    pub(super) fn after_null_move(&self) -> Option<Chess> {
        let board = self.board.null_move()?;
        let mut position = Chess { board, halfmove_clock: 0, ..*self };
        position.key = position.hash();
        Some(position)
    }

    /// The key, from the one that the board keeps incrementally.
    fn hash(&self) -> u64 {
        match self.en_passant() {
            Some(_) => self.board.hash(),
            None => self.board.hash_without_ep(),
        }
    }
}

/// The square behind a pawn that has just moved two steps, whether or not a pawn can capture there.
pub(super) fn en_passant_target(board: &Board) -> Option<Square> {
    board.en_passant().map(|file| Square::new(file, Rank::Sixth.relative_to(board.side_to_move())))
}

/// Appends the moves of a piece. Only promotions have several moves to a square.
#[inline(always)]
pub(super) fn append(piece: PieceMoves, moves: &mut Vec<ChessMove>) {
    let PieceMoves { piece: kind, from, to } = piece;
    let last_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
    if kind == Piece::Pawn && !to.is_disjoint(last_ranks) {
        moves.extend(piece.into_iter().map(ChessMove));
    } else {
        moves.extend(to.into_iter().map(|to| ChessMove(Move { from, to, promotion: None })));
    }
}

/// Converts a player to the type of `cozy-chess`.
pub(super) fn side(player: Color) -> Side {
    match player {
        Color::White => Side::White,
        Color::Black => Side::Black,
    }
}

/// Converts a player from the type of `cozy-chess`.
pub(super) fn player(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}

/// Above this halfmove clock the table key depends on the clock, as the fifty-move rule is near.
const CLOCK_IN_KEY: usize = FIFTY_MOVE_PLIES - 20;

/// Zobrist keys of the halfmove clocks from [`CLOCK_IN_KEY`] on, for the table key.
static CLOCK_KEYS: [u64; FIFTY_MOVE_PLIES - CLOCK_IN_KEY] = random_table(0x4669_6674);

impl Game for Chess {
    type Move = ChessMove;

    fn info() -> GameInfo {
        INFO
    }

    /// Fifteen queens and a king. A position that can arise in a game has at most 218.
    const MAX_MOVES: usize = 15 * 27 + 8;

    const DRAW_RULES: DrawRules = DrawRules { repetitions: Some(3), no_progress: Some(FIFTY_MOVE_PLIES) };

    fn start() -> Self {
        Chess::new(Board::default(), 0, 1)
    }

    /// Those of Chess960.
    const DRAWN_SETUPS: u32 = 960;

    fn drawn_start([white, black]: [u32; 2]) -> Chess {
        let [white, black] = [white, black].map(|number| number % Chess::DRAWN_SETUPS);
        Chess::new(Board::double_chess960_startpos(white, black), 0, 1)
    }

    fn choose(&mut self, choice: usize) {
        self.chess960 = choice == 1;
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        notation::parse_fen(fen)
    }

    fn fen(&self) -> String {
        notation::fen(self)
    }

    fn side_to_move(&self) -> Color {
        player(self.board.side_to_move())
    }

    fn legal_moves(&self, moves: &mut Vec<ChessMove>) {
        self.board.generate_moves(|piece| {
            append(piece, moves);
            false
        });
    }

    fn is_legal(&self, ChessMove(mv): ChessMove) -> bool {
        self.board.is_legal(mv)
    }

    /// An illegal move changes nothing.
    fn play(&mut self, ChessMove(mv): ChessMove) {
        let board = &mut self.board;
        let us = board.side_to_move();
        let progress = board.pieces(Piece::Pawn).has(mv.from) || board.colors(!us).has(mv.to);
        if board.try_play(mv).is_err() {
            return;
        }
        self.halfmove_clock = if progress { 0 } else { (self.halfmove_clock + 1).min(MAX_COUNT) };
        if us == Side::Black {
            self.move_number = (self.move_number + 1).min(MAX_COUNT);
        }
        self.key = self.hash();
    }

    fn terminal_outcome(&self) -> Outcome {
        match self.board.checkers().is_empty() {
            true => Outcome { winner: None, ending: Ending::Stalemate },
            false => Outcome { winner: Some(!self.side_to_move()), ending: Ending::Checkmate },
        }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let rebuilt = BoardBuilder::from_board(&self.board).build();
        rebuilt.map_or(0, |board| Chess::new(board, 0, 1).key)
    }

    fn same_position(&self, other: &Self) -> bool {
        // `Board::same_position` of cozy-chess 0.3.4 takes a bishop that can move to the en passant square
        // for a pawn that can capture there.
        let (one, two) = (&self.board, &other.board);
        let mut sides = Side::ALL.into_iter();
        self.key == other.key
            && one.side_to_move() == two.side_to_move()
            && Piece::ALL.into_iter().all(|piece| one.pieces(piece) == two.pieces(piece))
            && sides.all(|side| {
                one.colors(side) == two.colors(side) && one.castle_rights(side) == two.castle_rights(side)
            })
            && self.en_passant() == other.en_passant()
    }

    fn move_text(&self, mv: ChessMove) -> String {
        notation::move_text(self, mv)
    }

    fn parse_move(&self, text: &str) -> Result<ChessMove, MoveError> {
        notation::parse_move(self, text)
    }

    fn san(&self, mv: ChessMove) -> String {
        san::write(self, mv)
    }

    fn parse_san(&self, text: &str) -> Result<ChessMove, MoveError> {
        san::parse(self, text)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.board.generate_moves(|piece| {
            count += piece.len();
            false
        });
        count
    }

    fn is_terminal(&self) -> bool {
        !self.board.generate_moves(|_| true)
    }

    /// True with bare kings, with one knight or bishop besides, and with any number of bishops on squares of
    /// one colour.
    fn is_dead(&self) -> bool {
        let pieces = |piece| self.board.pieces(piece);
        let mating = pieces(Piece::Pawn) | pieces(Piece::Rook) | pieces(Piece::Queen);
        if !mating.is_empty() {
            return false;
        }
        let (knights, bishops) = (pieces(Piece::Knight), pieces(Piece::Bishop));
        match knights.len() {
            0 => bishops.is_subset(LIGHT) || bishops.is_disjoint(LIGHT),
            1 => bishops.is_empty(),
            _ => false,
        }
    }

    fn halfmove_clock(&self) -> usize {
        usize::from(self.halfmove_clock)
    }

    /// Near the fifty-move draw the key includes the halfmove clock.
    fn table_key(&self) -> u64 {
        match self.halfmove_clock().checked_sub(CLOCK_IN_KEY) {
            None => self.key(),
            Some(beyond) => self.key() ^ CLOCK_KEYS[beyond.min(CLOCK_KEYS.len() - 1)],
        }
    }
}
