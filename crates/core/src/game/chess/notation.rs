//! Positions and moves in text: standard FEN, and `e2e4`, `e7e8q`, `e1g1`.
//!
//! Castling rights are read as `KQkq`, meaning the outermost rook (X-FEN), or as the file of the rook
//! (Shredder-FEN). The first form is written for a king on the e-file with a rook in the corner, the second
//! otherwise. The en passant square is written only where an en passant capture is legal. A castling move is
//! read as the king moving two squares, if it stands on the e-file, or as the king taking its own rook. The
//! second form is written with `UCI_Chess960`, and where the king is not on the e-file or the rook not in the
//! corner.

use cozy_chess::{
    BitBoard, Board, BoardBuilder, CastleRights, Color as Side, File, Move, Piece, Rank, Square,
    get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_pawn_quiets, get_rook_moves,
};

use super::super::fen::{self, Fields, MAX_COUNT};
use super::super::{Color, FenError, Game, MoveError};
use super::rules::{Chess, ChessMove, en_passant_target, side};

/// Files and ranks of the board.
const SIZE: usize = 8;

/// The maximum number of pieces of a player.
const PIECES: u32 = 16;

/// The maximum number of pawns of a player.
const PAWNS: u32 = 8;

/// Names of fields.
const CASTLING: &str = "castling rights";
const EN_PASSANT: &str = "en passant square";

/// Reads a FEN. All fields after the side to move may be missing. What the board contradicts is dropped, as
/// other programs do: castling rights without king and rook in their places, and an en passant square that no
/// pawn can have passed, or that is none. A counter that is no number counts as missing.
pub(super) fn parse_fen(text: &str) -> Result<Chess, FenError> {
    let mut fields = Fields::new(text);
    let mut builder = BoardBuilder::empty();
    let board = fields.required("board", "eight ranks of `PNBRQKpnbrqk` and numbers of empty squares")?;
    read_board(board, &mut builder)?;
    let stm = fields.side()?;
    builder.side_to_move = side(stm);
    let mut position = build(&builder, "side to move", &stm.letter().to_string(), || {
        format!("`{}`, the king of {} being attacked", (!stm).letter(), !stm)
    })?;
    let (them, us) = (position.king(side(!stm)), position.king(side(stm)));
    if get_king_moves(us).has(them) {
        let expected = "kings that are not next to each other".to_owned();
        return Err(FenError::Field { field: "board", found: board.to_owned(), expected });
    }

    let rights = fields.or_dash();
    builder.castle_rights = read_rights(rights, &position)?;

    position = build(&builder, CASTLING, rights, || "rights of kings and rooks".to_owned())?;

    let square = fields.or_dash();
    if square.chars().count() > 2 {
        let (found, expected) = (square.to_owned(), "`-` or a square".to_owned());
        return Err(FenError::Field { field: EN_PASSANT, found, expected });
    }
    builder.en_passant = square.parse().ok();
    position = builder.build().unwrap_or(position);

    let halfmove_clock = fields.nearest_counter("halfmove clock", 0..=MAX_COUNT, 0)?;
    let move_number = fields.nearest_counter("move number", 0..=MAX_COUNT, 1)?.max(1);
    fields.end()?;
    Ok(Chess::new(position, halfmove_clock, move_number))
}

/// Builds the board. An error names `field` as the invalid one.
fn build(
    builder: &BoardBuilder,
    field: &'static str,
    found: &str,
    expected: impl FnOnce() -> String,
) -> Result<Board, FenError> {
    builder.build().map_err(|_| FenError::Field { field, found: found.to_owned(), expected: expected() })
}

/// Reads the pieces and checks their numbers.
fn read_board(board: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    fen::read_board(board, SIZE, SIZE, |file, rank, letter| {
        let piece = Piece::try_from(letter.to_ascii_lowercase()).map_err(|_| FenError::Piece {
            letter,
            rank: rank + 1,
            expected: "one of `PNBRQKpnbrqk` or a number",
        })?;
        if piece == Piece::Pawn && (rank == 0 || rank == SIZE - 1) {
            let expected = "no pawn there, it would have been promoted";
            return Err(FenError::Piece { letter, rank: rank + 1, expected });
        }
        let colour = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
        *builder.square_mut(Square::new(File::index(file), Rank::index(rank))) = Some((piece, colour));
        Ok(())
    })?;
    let count = |colour: Side, kind: Option<Piece>| {
        let pieces = builder.board.iter().flatten();
        pieces.filter(|(piece, of)| *of == colour && kind.is_none_or(|kind| kind == *piece)).count()
    };
    for (colour, [kings, pawns, pieces]) in [
        (Side::White, ["white king", "white pawn", "white piece"]),
        (Side::Black, ["black king", "black pawn", "black piece"]),
    ] {
        if count(colour, Some(Piece::King)) == 0 {
            return Err(FenError::Missing { field: kings, expected: "one on the board".to_owned() });
        }
        for (what, kind, at_most) in [
            (kings, Some(Piece::King), 1),
            (pawns, Some(Piece::Pawn), PAWNS as usize),
            (pieces, None, PIECES as usize),
        ] {
            fen::at_most(what, count(colour, kind), at_most)?;
        }
    }
    Ok(())
}

/// Reads castling rights in either form. Those that the board does not have are dropped.
fn read_rights(text: &str, board: &Board) -> Result<[CastleRights; 2], FenError> {
    let mut rights = [CastleRights::EMPTY; 2];
    // What stands for none.
    if text.chars().all(|sign| !sign.is_alphanumeric() || "0xX".contains(sign)) {
        return Ok(rights);
    }
    for letter in text.chars() {
        let colour = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
        let first = Rank::First.relative_to(colour);
        let king = board.king(colour);
        let rooks = board.colored_pieces(colour, Piece::Rook) & first.bitboard();
        let mut files = rooks.into_iter().map(Square::file);
        let file = match letter.to_ascii_lowercase() {
            'k' => files.filter(|&file| file > king.file()).last(),
            'q' => files.find(|&file| file < king.file()),
            file @ 'a'..='h' => files.find(|&rook| char::from(rook) == file),
            sign if !sign.is_alphanumeric() => None,
            _ => {
                let expected = "`-` or letters of `KQkq`, or `A` to `H` and `a` to `h` for files of rooks";
                let (found, expected) = (text.to_owned(), expected.to_owned());
                return Err(FenError::Field { field: CASTLING, found, expected });
            }
        };
        if let Some(file) = file.filter(|_| king.rank() == first) {
            let rights = &mut rights[colour as usize];
            let right = if file > king.file() { &mut rights.short } else { &mut rights.long };
            *right = Some(file);
        }
    }
    Ok(rights)
}

/// The six fields.
pub(super) fn fen(position: &Chess) -> String {
    let board = fen::write_board(SIZE, SIZE, |file, rank| letter(position, file, rank));
    let side = position.side_to_move().letter();
    let en_passant = position.en_passant().map_or_else(|| "-".to_owned(), |square| square.to_string());
    let (halfmove_clock, move_number) = (Game::halfmove_clock(position), position.move_number());
    format!("{board} {side} {} {en_passant} {halfmove_clock} {move_number}", rights(position.board()))
}

/// The castling rights.
fn rights(board: &Board) -> String {
    let mut text = String::new();
    for player in Color::BOTH {
        let colour = side(player);
        let rights = board.castle_rights(colour);
        let on_e = board.king(colour).file() == File::E;
        for (file, corner, standard) in [(rights.short, File::H, 'k'), (rights.long, File::A, 'q')] {
            let Some(file) = file else { continue };
            let letter = if on_e && file == corner { standard } else { char::from(file) };
            text.push(if player == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The board in text.
pub(super) fn diagram(position: &Chess) -> String {
    fen::draw_board(SIZE, SIZE, |file, rank| letter(position, file, rank))
}

/// The letter of the piece on a square; none for an empty square.
fn letter(position: &Chess, file: usize, rank: usize) -> Option<char> {
    let square = Square::new(File::index(file), Rank::index(rank));
    let letter = char::from(position.board().piece_on(square)?);
    let white = position.board().colors(Side::White).has(square);
    Some(if white { letter.to_ascii_uppercase() } else { letter })
}

/// A move in text: start, target, and the letter of a promotion.
pub(super) fn move_text(position: &Chess, ChessMove(mv): ChessMove) -> String {
    let mut to = mv.to;
    let castling = position.board().colors(position.board().side_to_move()).has(mv.to);
    if castling && !position.chess960() && mv.from.file() == File::E {
        match mv.to.file() {
            File::H => to = Square::new(File::G, mv.to.rank()),
            File::A => to = Square::new(File::C, mv.to.rank()),
            _ => {}
        }
    }
    let promotion = mv.promotion.map(|piece| piece.to_string()).unwrap_or_default();
    format!("{}{to}{promotion}", mv.from)
}

/// Reads a legal move. The error for an illegal one names the rule that it breaks.
pub(super) fn parse_move(position: &Chess, text: &str) -> Result<ChessMove, MoveError> {
    const EXPECTED: &str = "two squares, as in `e2e4`, then `q`, `r`, `b` or `n` for a promotion";
    let mv =
        read_move(text).ok_or_else(|| MoveError::Syntax { text: text.to_owned(), expected: EXPECTED })?;
    let board = position.board();
    if board.is_legal(mv) {
        return Ok(ChessMove(mv));
    }
    if let Some(castling) = two_squares(board, mv).filter(|&castling| board.is_legal(castling)) {
        return Ok(ChessMove(castling));
    }
    Err(MoveError::Illegal { text: text.to_owned(), reason: broken_rule(position, mv) })
}

/// The castling move that a king's move of two squares from the e-file stands for.
fn two_squares(board: &Board, mv: Move) -> Option<Move> {
    let us = board.side_to_move();
    let first = Rank::First.relative_to(us);
    let rights = board.castle_rights(us);
    let rook = match mv.to.file() {
        File::G => rights.short?,
        File::C => rights.long?,
        _ => return None,
    };
    let king = Square::new(File::E, first);
    let means = mv.from == king && board.king(us) == king && mv.to.rank() == first && mv.promotion.is_none();
    means.then_some(Move { to: Square::new(rook, first), ..mv })
}

/// Why a move is not legal.
fn broken_rule(position: &Chess, mv: Move) -> String {
    let board = position.board();
    let (stm, us) = (position.side_to_move(), board.side_to_move());
    let Move { from, to, promotion } = mv;
    if position.is_terminal() {
        return format!("the game is over: {}", position.terminal_outcome().ending);
    }
    let Some(piece) = board.piece_on(from).filter(|_| board.colors(us).has(from)) else {
        return format!("{stm}, to move, has no piece on {from}");
    };
    let takes_rook = piece == Piece::King && board.colored_pieces(us, Piece::Rook).has(to);
    if takes_rook || two_squares(board, mv).is_some() {
        return format!("{stm} may not castle this way here");
    }
    if board.colors(us).has(to) {
        return format!("{stm} has a piece of its own on {to}");
    }
    let name = piece_name(piece);
    if !targets(position, piece, from).has(to) {
        return format!("the {name} on {from} cannot go to {to}");
    }
    let promotes = piece == Piece::Pawn && to.rank() == Rank::Eighth.relative_to(us);
    match (promotes, promotion) {
        (true, None) => format!("the pawn on {from} is promoted, as in `{from}{to}q`"),
        (false, Some(_)) => format!("the {name} on {from} is not promoted on {to}"),
        _ => format!("the king of {stm} would be attacked"),
    }
}

/// The name of a piece.
pub(super) fn piece_name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

/// The squares that a piece of the side to move can go to, without castling, even if its king is left in
/// check.
pub(super) fn targets(position: &Chess, piece: Piece, from: Square) -> BitBoard {
    let board = position.board();
    let (us, occupied) = (board.side_to_move(), board.occupied());
    match piece {
        Piece::Pawn => {
            let en_passant = en_passant_target(board).map_or(BitBoard::EMPTY, Square::bitboard);
            let takes = board.colors(!us) | en_passant;
            get_pawn_quiets(from, us, occupied) | get_pawn_attacks(from, us) & takes
        }
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    }
}

/// Splits the text of a move into start, target and promotion, whose letter may be a capital.
fn read_move(text: &str) -> Option<Move> {
    let (from, rest) = text.split_at_checked(2)?;
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = match promotion.to_ascii_lowercase().as_str() {
        "" => None,
        "n" => Some(Piece::Knight),
        "b" => Some(Piece::Bishop),
        "r" => Some(Piece::Rook),
        "q" => Some(Piece::Queen),
        _ => return None,
    };
    Some(Move { from: from.parse().ok()?, to: to.parse().ok()?, promotion })
}
