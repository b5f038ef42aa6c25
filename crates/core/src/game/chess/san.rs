//! Moves in standard algebraic notation (SAN), as game records have them.
//!
//! Written by the PGN standard: `Nf3`, `exd5`, `Rad1`, `e8=Q+`, `O-O#`. Read more generously, as files are
//! found: with a missing or wrong `+` or `#`, with `!?` and `e.p.`, `0-0`, `OO`, `e8Q`, `e8(=Q)`, `Ng1-f3`
//! and `g1-f3`, `exd` where one capture is meant, more disambiguation than needed, figurines, pieces in
//! small letters where no pawn is meant, and moves in the notation of the protocol.

use cozy_chess::{BitBoard, Board, File, Move, Piece, Rank, Square};

use super::super::{Game, MoveError, quote};
use super::notation::{parse_move, piece_name, targets};
use super::rules::{Chess, ChessMove};

/// The form of a move, for errors.
const EXPECTED: &str = "a move in standard algebraic notation, as `Nf3`, `exd5`, `e8=Q` or `O-O`";

/// A legal move in SAN.
pub(super) fn write(position: &Chess, ChessMove(mv): ChessMove) -> String {
    let board = position.board();
    let mut text = match (castling_side(board, mv), board.piece_on(mv.from)) {
        (Some(CastlingSide::Short), _) => "O-O".to_owned(),
        (Some(CastlingSide::Long), _) => "O-O-O".to_owned(),
        (None, Some(Piece::Pawn) | None) => {
            let file = (mv.from.file() != mv.to.file()).then(|| format!("{}x", mv.from.file()));
            format!("{}{}", file.unwrap_or_default(), mv.to)
        }
        (None, Some(piece)) => {
            let takes = if board.occupied().has(mv.to) { "x" } else { "" };
            format!("{}{}{takes}{}", piece_letter(piece), disambiguation(board, mv, piece), mv.to)
        }
    };
    if let Some(piece) = mv.promotion {
        text.extend(['=', piece_letter(piece)]);
    }
    let child = position.after(ChessMove(mv));
    match (child.board().checkers().is_empty(), child.is_terminal()) {
        (true, _) => {}
        (false, false) => text.push('+'),
        (false, true) => text.push('#'),
    }
    text
}

/// The disambiguation of a move from those of other pieces of its kind to the same square: nothing, the file,
/// the rank or both.
fn disambiguation(board: &Board, mv: Move, piece: Piece) -> String {
    let others: Vec<_> = legal_to(board, mv.to, piece)
        .into_iter()
        .map(|other| other.from)
        .filter(|&from| from != mv.from)
        .collect();
    let (file, rank) = (mv.from.file(), mv.from.rank());
    if others.is_empty() {
        String::new()
    } else if others.iter().all(|other| other.file() != file) {
        file.to_string()
    } else if others.iter().all(|other| other.rank() != rank) {
        rank.to_string()
    } else {
        mv.from.to_string()
    }
}

/// The legal moves of the pieces of a kind to a square, without castling.
fn legal_to(board: &Board, to: Square, piece: Piece) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves_for(board.colored_pieces(board.side_to_move(), piece), |of_piece| {
        moves.extend(of_piece.into_iter().filter(|mv| mv.to == to && castling_side(board, *mv).is_none()));
        false
    });
    moves
}

/// The side of a castling move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CastlingSide {
    Short,
    Long,
}

/// The side on which a move castles; `None` for other moves.
fn castling_side(board: &Board, mv: Move) -> Option<CastlingSide> {
    let castles = board.colors(board.side_to_move()).has(mv.to);
    let side = if mv.to.file() > mv.from.file() { CastlingSide::Short } else { CastlingSide::Long };
    castles.then_some(side)
}

/// The letter of a piece.
fn piece_letter(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}

/// A parsed move in SAN.
struct San {
    piece: Piece,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    promotion: Option<Piece>,
}

impl San {
    /// Whether the move may begin on a square.
    fn fits(&self, from: Square) -> bool {
        self.from_file.is_none_or(|file| from.file() == file)
            && self.from_rank.is_none_or(|rank| from.rank() == rank)
    }

    /// The legal moves that it may be.
    fn moves(&self, board: &Board) -> Vec<Move> {
        let mut moves = legal_to(board, self.to, self.piece);
        moves.retain(|mv| self.fits(mv.from) && mv.promotion == self.promotion);
        moves
    }
}

/// Reads a legal move in SAN, or in the notation of the protocol. The error for an illegal one names the
/// rule that it breaks.
pub(super) fn parse(position: &Chess, text: &str) -> Result<ChessMove, MoveError> {
    let syntax = || MoveError::Syntax { text: text.to_owned(), expected: EXPECTED };
    let illegal = |reason| MoveError::Illegal { text: text.to_owned(), reason };
    let plain = without_suffixes(text);
    let board = position.board();
    if let Some(side) = read_castling(plain) {
        let castling = castling(board, side).filter(|&mv| board.is_legal(mv));
        return castling
            .map(ChessMove)
            .ok_or_else(|| illegal(format!("{} may not castle this way here", position.side_to_move())));
    }
    if NULL_MOVES.contains(&plain) {
        return Err(illegal("it is a null move, and no player may pass".to_owned()));
    }
    let squares = squares(plain);
    // `B1c3` is a bishop.
    if !squares.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        match parse_move(position, &squares) {
            Err(MoveError::Syntax { .. }) => {}
            Err(MoveError::Illegal { reason, .. }) => return Err(illegal(reason)),
            found => return found,
        }
    }
    // `b` is a pawn's file where a pawn can go there, and else a bishop in a small letter.
    let is_possible = |san: &San| !san.moves(board).is_empty();
    let bishop = || plain.strip_prefix('b').and_then(|rest| read(&format!("B{rest}"))).filter(is_possible);
    let san = match read(plain) {
        Some(san) if is_possible(&san) => Some(san),
        found => bishop().or(found),
    };
    let (moves, reason) = match (san, read_files(plain)) {
        (Some(san), _) => {
            let moves = san.moves(board);
            let reason = if moves.is_empty() { broken_rule(position, &san) } else { String::new() };
            (moves, reason)
        }
        (None, Some((from, to, promotion))) => {
            let mut moves: Vec<_> = Square::ALL
                .iter()
                .filter(|square| square.file() == to)
                .flat_map(|&to| legal_to(board, to, Piece::Pawn))
                .collect();
            moves.retain(|mv| mv.from.file() == from && mv.promotion == promotion);
            (
                moves,
                format!(
                    "no pawn of {} on the {from}-file can take on the {to}-file",
                    position.side_to_move()
                ),
            )
        }
        (None, None) => return Err(syntax()),
    };
    match moves[..] {
        [mv] => Ok(ChessMove(mv)),
        [] => Err(illegal(reason)),
        _ => {
            let moves: Vec<_> = moves.iter().map(|&mv| quote(&write(position, ChessMove(mv)))).collect();
            Err(illegal(format!("it may be {}", moves.join(" or "))))
        }
    }
}

/// Notations of a null move in annotated records.
const NULL_MOVES: [&str; 5] = ["--", "Z0", "@@@@", "<>", "0000"];

/// Suffixes of a move that follow from the position.
const SUFFIXES: [&str; 15] =
    ["e.p.", "e.p", "ep", "mate", "ch", "+", "#", "!", "?", "†", "‡", "=", "-", ".", ","];

/// A move without its suffixes.
fn without_suffixes(text: &str) -> &str {
    let mut plain = text;
    while !NULL_MOVES.contains(&plain)
        && let Some(shorter) = SUFFIXES.iter().find_map(|remark| plain.strip_suffix(remark))
    {
        plain = shorter.trim_end();
    }
    plain
}

/// Whether a character only separates the parts of a move.
fn is_separator(letter: char) -> bool {
    matches!(letter, 'x' | 'X' | '×' | ':' | '-' | '‐' | '‑' | '–' | '—' | '−' | '(' | ')' | '/')
}

/// A move by its squares, as in `g8-f6`, `e7xd8=Q` or `E2-E4`, in the notation of the protocol; other moves
/// become a text that is no move in it.
fn squares(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().filter(|&letter| !is_separator(letter)).collect();
    if let [from, _, to, ..] = &mut letters[..]
        && from.is_ascii_uppercase()
        && to.is_ascii_uppercase()
    {
        (*from, *to) = (from.to_ascii_lowercase(), to.to_ascii_lowercase());
    }
    if let [.., last] = &mut letters[..] {
        last.make_ascii_lowercase();
    }
    letters.into_iter().filter(|&letter| letter != '=').collect()
}

/// Reads the text of a castling move, with letters or zeros.
fn read_castling(text: &str) -> Option<CastlingSide> {
    let text = text.replace(['0', 'o'], "O").replace(|letter| letter != '-' && is_separator(letter), "-");
    match text.as_str() {
        "O-O" | "OO" => Some(CastlingSide::Short),
        "O-O-O" | "OOO" => Some(CastlingSide::Long),
        _ => None,
    }
}

/// The castling move of the side to move on one side.
fn castling(board: &Board, side: CastlingSide) -> Option<Move> {
    let us = board.side_to_move();
    let rights = board.castle_rights(us);
    let file = if side == CastlingSide::Short { rights.short? } else { rights.long? };
    let from = board.king(us);
    Some(Move { from, to: Square::new(file, from.rank()), promotion: None })
}

/// Splits a move in SAN: piece, start (its file, its rank, both or nothing), target and promotion.
fn read(text: &str) -> Option<San> {
    let mut letters: Vec<char> = text.chars().filter(|&letter| !is_separator(letter)).collect();
    let kind = |letter: char| match letter {
        'N' | '♘' | '♞' => Some(Piece::Knight),
        'B' | '♗' | '♝' => Some(Piece::Bishop),
        'R' | '♖' | '♜' => Some(Piece::Rook),
        'Q' | '♕' | '♛' => Some(Piece::Queen),
        'K' | '♔' | '♚' => Some(Piece::King),
        'P' | '♙' | '♟' => Some(Piece::Pawn),
        _ => None,
    };
    let promotion = letters.last().and_then(|letter| kind(letter.to_ascii_uppercase()));
    // `b` at the end is a bishop, as a target ends with its rank.
    if promotion.is_some() {
        letters.pop();
        letters.pop_if(|letter| *letter == '=');
    }
    // Small letters that are no files are pieces, too.
    let piece = letters.first().and_then(|&letter| match letter {
        'n' | 'r' | 'q' | 'k' => kind(letter.to_ascii_uppercase()),
        letter => kind(letter),
    });
    let squares = &letters[usize::from(piece.is_some())..];
    let (from, to) = squares.split_at_checked(squares.len().checked_sub(2)?)?;
    let file = |letter: char| File::try_from(letter).ok().filter(|_| letter.is_ascii_lowercase());
    let rank = |letter: char| Rank::try_from(letter).ok();
    let (from_file, from_rank) = match *from {
        [] => (None, None),
        [letter] => (file(letter), rank(letter)),
        [first, second] => (Some(file(first)?), Some(rank(second)?)),
        _ => return None,
    };
    if from.len() == 1 && from_file.is_none() && from_rank.is_none() {
        return None;
    }
    // A pawn whose start is not given stays on its file, unless it takes, as in `Pxd5`.
    let takes = piece.is_some() && text.contains(['x', 'X', '×', ':']);
    let (piece, to) = (piece.unwrap_or(Piece::Pawn), Square::new(file(to[0])?, rank(to[1])?));
    let stays = piece == Piece::Pawn && from_file.is_none() && !takes;
    let from_file = if stays { Some(to.file()) } else { from_file };
    Some(San { piece, from_file, from_rank, to, promotion })
}

/// The files of a pawn's capture without ranks, as in `exd` or `ed=Q`: start, target and promotion.
fn read_files(text: &str) -> Option<(File, File, Option<Piece>)> {
    let letters: Vec<char> = text.chars().filter(|&letter| !is_separator(letter) && letter != '=').collect();
    let (&[from, to], promotion) = letters.split_first_chunk()?;
    let promotion = match promotion {
        [] => None,
        [letter] if letter.is_ascii_uppercase() => Some(Piece::try_from(letter.to_ascii_lowercase()).ok()?),
        _ => return None,
    };
    let file = |letter: char| File::try_from(letter).ok().filter(|_| letter.is_ascii_lowercase());
    let (from, to) = (file(from)?, file(to)?);
    ((from as usize).abs_diff(to as usize) == 1).then_some((from, to, promotion))
}

/// Why no legal move is meant.
fn broken_rule(position: &Chess, san: &San) -> String {
    let board = position.board();
    let (stm, us, name) = (position.side_to_move(), board.side_to_move(), piece_name(san.piece));
    if position.is_terminal() {
        return format!("the game is over: {}", position.terminal_outcome().ending);
    }
    let pieces = board.colored_pieces(us, san.piece);
    let reaching: BitBoard = pieces
        .into_iter()
        .filter(|&from| san.fits(from) && targets(position, san.piece, from).has(san.to))
        .collect();
    if board.colors(us).has(san.to) {
        format!("{stm} has a piece of its own on {}", san.to)
    } else if reaching.is_empty() {
        format!("no {name} of {stm} can go to {}", san.to)
    } else if legal_to(board, san.to, san.piece).iter().any(|mv| san.fits(mv.from)) {
        match san.promotion {
            None => format!("the pawn is promoted, as in `{}=Q`", san.to),
            Some(_) => format!("the {name} is not promoted to that on {}", san.to),
        }
    } else {
        format!("the king of {stm} would be attacked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Chess {
        Chess::from_fen(fen).unwrap()
    }

    /// The moves in the notation of the protocol and in SAN. Every one reads back, and no other is written
    /// so.
    fn assert_written(fen: &str, moves: &[(&str, &str)]) {
        let position = position(fen);
        for &(uci, san) in moves {
            let mv = position.parse_move(uci).unwrap();
            assert_eq!(position.san(mv), san, "{fen} {uci}");
        }
        for mv in position.moves() {
            assert_eq!(position.parse_san(&position.san(mv)), Ok(mv), "{fen} {}", position.san(mv));
        }
    }

    #[test]
    fn moves_are_written_as_the_standard_has_them() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let moves = [("e1g1", "O-O"), ("e1c1", "O-O-O"), ("e5f7", "Nxf7"), ("d5e6", "dxe6"), ("a2a4", "a4")];
        assert_written(kiwipete, &moves);
        // Both rooks of a file, and three queens, of which one needs both file and rank.
        assert_written(
            "7k/R7/8/8/8/8/R7/K7 w - - 0 1",
            &[("a7a5", "R7a5"), ("a2a5", "R2a5"), ("a7b7", "Rb7")],
        );
        let queens = "8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1";
        assert_written(queens, &[("h4e1", "Qh4e1"), ("e4e1", "Qee1"), ("h1e1", "Q1e1"), ("e4a4", "Qa4+")]);
        // A pinned knight needs no disambiguation.
        assert_written("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1", &[("a1c2", "Nc2")]);
        assert_written("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1", &[("e7d8q", "exd8=Q+"), ("e7e8n", "e8=N")]);
        assert_written("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", &[("d1d8", "Rd8#")]);
        assert_written("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", &[("e5d6", "exd6")]);
        // Chess960.
        assert_written("4k3/8/8/8/8/8/8/RK4R1 w KQ - 0 1", &[("b1a1", "O-O-O"), ("b1g1", "O-O")]);
    }

    #[test]
    fn sloppy_forms_are_read() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        for (sloppy, uci) in [
            ("0-0", "e1g1"),
            ("o-o-o", "e1c1"),
            ("O-O+!?", "e1g1"),
            ("Ng6", "e5g6"),
            ("Nxg6+", "e5g6"),
            ("Ne5xg6!!", "e5g6"),
            ("Ne5-g6", "e5g6"),
            ("♘xg6", "e5g6"),
            ("e5g6", "e5g6"),
            ("Ke1g1", ""),
            ("Pd5xe6", "d5e6"),
            ("Pxe6", "d5e6"),
            ("Pe6", ""),
            ("nxg6", "e5g6"),
            ("ne5g6", "e5g6"),
            ("qf4", "f3f4"),
            ("kf1", "e1f1"),
            ("rb1", "a1b1"),
            ("ba6", "e2a6"),
            ("bxa6", "e2a6"),
            ("be2xa6", "e2a6"),
            ("b3", "b2b3"),
            ("bc4", "e2c4"),
            ("bf4", "d2f4"),
            ("bh8", ""),
            ("de6", "d5e6"),
            ("d5:e6", "d5e6"),
            ("e6", ""),
            ("a2-a4", "a2a4"),
            ("e5-g6", "e5g6"),
            ("e5xg6+", "e5g6"),
            ("e2–a6", "e2a6"),
            ("f3xh3", "f3h3"),
            ("E5-G6", "e5g6"),
            ("e1-g1", "e1g1"),
            ("e1-c1", "e1c1"),
            ("O–O", "e1g1"),
            ("d5-d6", "d5d6"),
            ("d5xe6ch", "d5e6"),
            ("Be2xa6+-", "e2a6"),
            ("e5-e6", ""),
            ("g8-f6", ""),
        ] {
            let read = position(fen).parse_san(sloppy).ok().map(|mv| position(fen).move_text(mv));
            assert_eq!(read.unwrap_or_default(), uci, "{sloppy}");
        }
        let promotion = position("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1");
        for text in [
            "e8=Q", "e8Q", "e8=q+", "e8q", "e7e8q", "e7e8=Q", "e7-e8Q", "e7-e8=q", "e8(Q)", "e8/Q+",
            "e8(=Q)", "e8=(Q)",
        ] {
            let mv = promotion.parse_san(text).unwrap();
            assert_eq!(promotion.move_text(mv), "e7e8q", "{text}");
        }
        let en_passant = position("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1");
        for text in ["exd6e.p.", "ed6ep", "exd6e.p.+", "exd6+ e.p.", "e5xd6e.p.", "e5-d6"] {
            assert!(en_passant.parse_san(text).is_ok(), "{text}");
        }
        for text in ["exd", "ed", "exde.p.", "e:d", "e5d"] {
            assert_eq!(en_passant.parse_san(text).is_ok(), text != "e5d", "{text}");
        }
        for text in ["exd=Q", "ed=Q+", "exdQ", "ed(Q)"] {
            let mv = promotion.parse_san(text).unwrap();
            assert_eq!(promotion.move_text(mv), "e7d8q", "{text}");
        }
        let castles = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        for (text, mv) in [("OO", "e1g1"), ("00", "e1g1"), ("OOO", "e1c1"), ("000", "e1c1"), ("oo+", "e1g1")]
        {
            assert_eq!(castles.parse_san(text).map(|mv| castles.move_text(mv)).as_deref(), Ok(mv), "{text}");
        }
        let black = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert_eq!(black.parse_san("g8-f6").map(|mv| black.move_text(mv)).as_deref(), Ok("g8f6"));
        let white = position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(white.parse_san("f1-c4").map(|mv| white.move_text(mv)).as_deref(), Ok("f1c4"));
    }

    #[test]
    fn errors_say_which_rule_is_broken() {
        for (fen, text, reason) in [
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "Ra5", "it may be `R2a5` or `R7a5`"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "Nf3", "no knight of White can go to f3"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "Ra1", "White has a piece of its own on a1"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "O-O", "White may not castle this way here"),
            ("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1", "Nd5", "the king of White would be attacked"),
            ("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1", "e8", "the pawn is promoted, as in `e8=Q`"),
            ("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1", "e8=K", "the pawn is not promoted to that on e8"),
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "Kh8", "the game is over: checkmate"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "e2e4", "White, to move, has no piece on e2"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "Nxf9", "is no move: expected a move in standard algebraic"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "--", "it is a null move"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "Z0", "`Z0` is not legal: it is a null move"),
            (
                "7k/R7/8/8/8/8/R7/K7 w - - 0 1",
                "a2-b3",
                "`a2-b3` is not legal: the rook on a2 cannot go to b3",
            ),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "N", "is no move"),
            (
                "7k/8/8/2pp4/4P3/8/8/K7 w - - 0 1",
                "exf",
                "no pawn of White on the e-file can take on the f-file",
            ),
            ("7k/8/3p4/4P3/4P3/3p4/4P3/K7 w - - 0 1", "ed", "it may be `exd3` or `exd6`"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "ah", "is no move"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "é", "is no move"),
            ("7k/R7/8/8/8/8/R7/K7 w - - 0 1", "", "is no move"),
        ] {
            let error = position(fen).parse_san(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
