//! Moves without spaces between them, as in `1.e4e5`: only the position shows where one ends.

use super::{PgnGame, PgnMove};
use labrys_core::engine::{Board, registry};

/// Attempts to find a move at the beginning of a word. Words of moves need a few.
const ATTEMPTS: usize = 500;

/// The longest word that is split, in bytes.
const MAX_WORD: usize = 200;

/// Splits words of several moves where the position allows it. Records of Labrys have none.
pub(super) fn split(game: &mut PgnGame) {
    if game.number.is_some() || !game.moves.iter().any(is_suspicious) {
        return;
    }
    let variant = game.variant.clone().unwrap_or_default();
    let new_board = |fen: Option<&str>| {
        let mut board = registry::board_of_record(&variant).ok()?;
        board.set_up(fen, &[]).ok()?;
        Some(board)
    };
    let Some(mut board) = new_board(game.opening.set_up_fen()) else { return };
    if game.opening.moves.iter().all(|mv| board.play_san(mv).is_ok()) {
        split_line(&mut game.moves, board.as_mut(), &new_board);
    }
}

/// A board with a FEN, or in the start position; `None` where the FEN is none of the game.
type NewBoard<'a> = dyn Fn(Option<&str>) -> Option<Box<dyn Board>> + 'a;

/// Splits the words of a line that begins in the position of a board.
fn split_line(line: &mut Vec<PgnMove>, board: &mut dyn Board, new_board: &NewBoard) {
    let mut at = 0;
    while at < line.len() {
        let mut mv = std::mem::take(&mut line[at]);
        let fen = board.fen();
        let is_whole = board.play_san(&mv.text).is_ok();
        let parts = if is_whole { None } else { parts(&mv.text, board, &mut { ATTEMPTS }) };
        if mv.variations.iter().flatten().any(is_suspicious) {
            // Variations replace the last move of the word.
            let earlier =
                parts.as_deref().and_then(<[String]>::split_last).map_or(&[][..], |(_, earlier)| earlier);
            for variation in &mut mv.variations {
                let Some(mut board) = new_board(Some(&fen)) else { continue };
                if earlier.iter().all(|mv| board.play_san(mv).is_ok()) {
                    split_line(variation, board.as_mut(), new_board);
                }
            }
        }
        match parts.as_deref() {
            Some([parts @ .., last]) => {
                // Annotations of the word belong to its last move.
                let first = parts.iter().map(|text| PgnMove { text: text.clone(), ..PgnMove::default() });
                let mut moves: Vec<_> = first.collect();
                if let Some(first) = moves.first_mut() {
                    first.before = std::mem::take(&mut mv.before);
                }
                mv.text.clone_from(last);
                moves.push(mv);
                let count = moves.len();
                line.splice(at..=at, moves);
                at += count;
            }
            _ => {
                line[at] = mv;
                if !is_whole {
                    return;
                }
                at += 1;
            }
        }
    }
}

/// Splits a word into moves, which are played on the board; `None` if that fails.
fn parts(word: &str, board: &mut dyn Board, attempts: &mut usize) -> Option<Vec<String>> {
    // The end of a move, and separators before the next one.
    let ends_move = |letter: char| letter.is_alphanumeric() || matches!(letter, '+' | '#');
    let word = word.trim_start_matches(|letter| !ends_move(letter));
    // The number of the next move.
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Vec::new());
    }
    if word.len() > MAX_WORD {
        return None;
    }
    let fen = board.fen();
    let ends = word.char_indices().map(|(at, letter)| at + letter.len_utf8());
    for end in ends.collect::<Vec<_>>().into_iter().rev() {
        if !word[..end].ends_with(ends_move) {
            continue;
        }
        *attempts = attempts.checked_sub(1)?;
        if board.play_san(&word[..end]).is_ok() {
            if let Some(rest) = parts(&word[end..], board, attempts) {
                return Some([vec![word[..end].to_owned()], rest].concat());
            }
            board.set_up(Some(&fen), &[]).ok()?;
        }
    }
    None
}

/// Whether a word may be several moves: it has more than one square, or more than castling.
fn is_suspicious(mv: &PgnMove) -> bool {
    let bytes = mv.text.as_bytes();
    let squares = bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_digit());
    let has_number = bytes.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
    let castles = ["O-O", "0-0"].map(|text| mv.text.matches(text).count());
    squares.count() + castles.into_iter().sum::<usize>() > 1
        || has_number
        || mv.text.contains(',')
        || mv.variations.iter().flatten().any(is_suspicious)
}

#[cfg(test)]
mod tests {
    use super::super::tests::parse;

    fn split(text: &str) -> String {
        let game = parse(text).unwrap().remove(0);
        let texts: Vec<_> = game.moves.iter().map(|mv| mv.text.as_str()).collect();
        texts.join(" ")
    }

    #[test]
    fn words_of_several_moves_are_split() {
        for (text, moves) in [
            ("1.e4e5", "e4 e5"),
            ("1.e4e5 2.Nf3Nc6 3.Bb5a6 1-0", "e4 e5 Nf3 Nc6 Bb5 a6"),
            ("1.e4e52.Nf3Nc63.Bb5a61-0", "e4 e5 Nf3 Nc6 Bb5 a6"),
            ("1.e4,e5,2.Nf3,Nc6", "e4 e5 Nf3 Nc6"),
            ("1.e4=e5", "e4 e5"),
            ("e2e4e7e5 g1f3", "e2e4 e7e5 g1f3"),
            // Black may not castle yet.
            ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-OO-O", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-OO-O"),
            ("1. e4 e5 2. Nf3 Nc6 3. Bc4Bc5 4. O-ONf6 5. d3O-O", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 O-O"),
            ("[FEN \"4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1\"]\n\n1. Ke2Kd7", "Ke2 Kd7"),
            // One move where it is legal.
            ("[FEN \"4k3/8/8/8/4P3/8/8/4K3 w - - 0 1\"]\n\n1. e4e5 Kd7", "e4e5 Kd7"),
            ("1. e4x9e5", "e4x9e5"),
            ("[Variant \"neighbours\"]\n\n1. e1e3", "e1e3"),
        ] {
            assert_eq!(split(text), moves, "{text}");
        }
    }

    #[test]
    fn annotations_of_a_word_are_kept() {
        let text = "1.e4e5 $1 {open} (1... c5 {Sicilian} 2.Nf3d6 $2 {x}) 2.Nf3";
        let game = parse(text).unwrap().remove(0);
        assert_eq!((game.moves[1].glyphs.as_slice(), game.moves[1].comment.as_str()), (&[1][..], "open"));
        let line: Vec<_> = game.moves[1].variations[0].iter().map(|mv| mv.text.as_str()).collect();
        assert_eq!(line, ["c5", "Nf3", "d6"]);
        assert_eq!(game.moves[1].variations[0][2].glyphs, [2]);
    }

    #[test]
    fn a_long_word_ends() {
        let text = format!("1. {} *", "e4e5".repeat(10_000));
        assert_eq!(split(&text).len(), 40_000);
    }
}
