//! The words of the move section: what is a result, a glyph, a move or none of them.

use super::lines::is_space;
use labrys_core::game::Color;

/// The winner of a finished game; `None` is a draw.
pub(super) type Winner = Option<Color>;

/// What a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Move(String),
    /// The number of an annotation glyph.
    Glyph(u16),
    /// A sign without a number.
    Sign(String),
    /// The number of a move, punctuation, `e.p.`, a check mark.
    Nothing,
}

/// Signs that stand for annotation glyphs, by the table of the PGN standard and of ChessBase.
const SIGNS: [(&str, u16); 33] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("□", 7),
    ("=", 10),
    ("∞", 13),
    ("⩲", 14),
    ("+/=", 14),
    ("+=", 14),
    ("⩱", 15),
    ("=/+", 15),
    ("=+", 15),
    ("±", 16),
    ("+/-", 16),
    ("+/−", 16),
    ("∓", 17),
    ("-/+", 17),
    ("−/+", 17),
    ("+-", 18),
    ("+−", 18),
    ("+–", 18),
    ("-+", 19),
    ("−+", 19),
    ("–+", 19),
    ("⨀", 22),
    ("⟳", 32),
    ("→", 40),
    ("⇆", 132),
    // A diagram, in exports of ChessBase.
    ("D", 220),
    ("N", 146),
];

/// What stands for a null move. No game of ours has it, but variations do.
const NULL_MOVES: [&str; 6] = ["--", "——", "––", "@@@@", "<>", "0000"];

/// Words that say of the move before what everybody sees.
const REMARKS: [&str; 11] = ["e.p.", "e.p", "ep", "+", "++", "#", "ch", "mate", "dis", "dbl", "checkmate"];

/// The dashes that texts have between squares and numbers.
pub(super) const DASHES: [char; 6] = ['-', '‐', '‑', '–', '—', '−'];

/// The result at the beginning of a text: its length in bytes, and who has won. `*` is no result yet. Parts
/// may be apart, as in `1 - 0`.
pub(super) fn result_at(text: &str) -> Option<(usize, Option<Winner>)> {
    if text.starts_with('*') {
        return Some((1, None));
    }
    let half = ["1/2", "½", "0.5", "0,5"];
    let part = |text: &str, numbers: &[&str]| {
        numbers.iter().find(|number| text.starts_with(**number)).map(|number| number.len())
    };
    let pair = |first: &[&str], second: &[&str]| {
        let mut at = part(text, first)?;
        at += spaces(&text[at..]);
        let dash = text[at..].chars().next().filter(|letter| DASHES.contains(letter) || *letter == ':')?;
        at += dash.len_utf8();
        at += spaces(&text[at..]);
        at += part(&text[at..], second)?;
        ends_word(&text[at..]).then_some(at)
    };
    let whole = |length: usize| ends_word(&text[length..]).then_some(length);
    let (win, loss) = (["1"], ["0"]);
    if let Some(length) = pair(&win, &loss) {
        Some((length, Some(Some(Color::White))))
    } else if let Some(length) = pair(&loss, &win) {
        Some((length, Some(Some(Color::Black))))
    } else {
        let length = pair(&half, &half).or_else(|| whole(part(text, &half[..2])?))?;
        Some((length, Some(None)))
    }
}

/// The result of the tag `Result`; `None` if it is no result, `Some(None)` for `*`.
pub(super) fn read_result(text: &str) -> Option<Option<Winner>> {
    let text = text.trim();
    result_at(text).filter(|(length, _)| *length == text.len()).map(|(_, result)| result)
}

/// The length of a result at the end of a word whose beginning is something else, as in `Qh4#0-1`.
pub(super) fn glued_result(word: &str) -> Option<usize> {
    let at = word.char_indices().skip(1).map(|(at, _)| at);
    let is_result = |&at: &usize| {
        // `21-0` may be the end of `h2` and a result, but `1/2` is the end of nothing.
        !word[at..].starts_with("1/2")
            || word[at..].starts_with("1/2-1/2") && result_at(&word[at..]).is_some()
    };
    let has_result = |&at: &usize| {
        result_at(&word[at..]).is_some_and(|(length, _)| at + length == word.len() && length > "½".len())
    };
    at.filter(is_result).find(has_result).map(|at| word.len() - at)
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Whether a word ends before this text.
fn ends_word(text: &str) -> bool {
    let next = text.chars().next();
    next.is_none_or(|letter| !letter.is_alphanumeric() && letter != '/' && !DASHES.contains(&letter))
}

/// Whether a letter ends every word before it. `.` does so, too, but for `e.p.`.
fn is_delimiter(letter: char) -> bool {
    is_space(letter)
        || matches!(letter, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '*' | '$' | '!' | '?' | '…')
}

/// The length of the word at the beginning of a text, which is no delimiter.
pub(super) fn word_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(letter) = text[end..].chars().next() {
        let (word, rest) = text.split_at(end);
        if letter == '.' {
            // `e.p.` belongs to its move.
            let is_en_passant = rest.starts_with(".p") && word.ends_with('e');
            let is_its_end = word.ends_with("e.p");
            if !(is_en_passant || is_its_end) {
                break;
            }
        } else if letter == '(' && promotion_length(word, rest).is_some() {
            end += promotion_length(word, rest).unwrap_or(0);
            continue;
        } else if is_delimiter(letter) {
            break;
        }
        end += letter.len_utf8();
    }
    end
}

/// The length of a promotion in brackets after a move, as in `e8(Q)`.
fn promotion_length(word: &str, rest: &str) -> Option<usize> {
    let mut letters = rest.chars();
    let is_promotion = word.ends_with(['1', '8'])
        && letters.next() == Some('(')
        && letters.next().is_some_and(|letter| "QRBNqrbn".contains(letter))
        && letters.next() == Some(')');
    is_promotion.then_some(3)
}

/// The glyph that a sign stands for.
fn glyph(sign: &str) -> Option<u16> {
    SIGNS.iter().find(|(known, _)| *known == sign).map(|(_, glyph)| *glyph)
}

/// What a run of `!` and `?` is.
pub(super) fn marks(run: &str) -> Word {
    let known = glyph(run).or_else(|| match run.bytes().all(|byte| byte == run.as_bytes()[0]) {
        // Enthusiasm beyond the standard.
        true => Some(if run.starts_with('!') { 3 } else { 4 }),
        false => None,
    });
    known.map_or_else(|| Word::Sign(run.to_owned()), Word::Glyph)
}

/// What is around words of pasted texts.
const AROUND: [char; 7] = [',', '|', '"', '\'', '“', '”', '_'];

/// The length of the signs at the end of a word, as in `Nf3±`, which are a word of their own.
pub(super) fn sign_length(word: &str) -> usize {
    let signs = || SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| !sign.contains(char::is_alphanumeric));
    let mut plain = word.trim_end_matches(AROUND);
    let mut length = 0;
    while let Some(longest) = signs().filter(|sign| plain.ends_with(sign)).map(str::len).max() {
        plain = &plain[..plain.len() - longest];
        length = word.len() - plain.len();
    }
    if plain.contains(char::is_alphanumeric) { length } else { 0 }
}

/// What a word is. It has no sign at its end.
pub(super) fn read(word: &str) -> Word {
    let word = word.trim_matches(AROUND);
    if NULL_MOVES.contains(&word) {
        return Word::Move(word.to_owned());
    }
    let word = word.trim_end_matches(':');
    // Move numbers come without dots, too.
    let after_digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_figurine = |letter: char| ('♔'..='♟').contains(&letter);
    let word = match after_digits.chars().next() {
        None => "",
        Some(letter) if letter.is_alphabetic() || is_figurine(letter) => after_digits,
        Some(':') if after_digits.contains(char::is_alphabetic) => &after_digits[1..],
        // A time, as in `(0:02)`.
        Some(':') => return Word::Sign(word.to_owned()),
        Some(_) => word,
    };
    if REMARKS.contains(&word) || word.chars().all(is_punctuation) {
        Word::Nothing
    } else if let Some(glyph) = glyph(word) {
        Word::Glyph(glyph)
    } else if !word.contains(|letter: char| letter.is_alphanumeric() || is_figurine(letter)) {
        Word::Sign(word.to_owned())
    } else {
        Word::Move(word.to_owned())
    }
}

/// Whether a letter alone means nothing.
fn is_punctuation(letter: char) -> bool {
    DASHES.contains(&letter) || matches!(letter, '.' | ',' | ':' | '/' | '|' | '_' | '"' | '\'' | '\\' | '·')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_in_all_their_forms() {
        let (white, black, draw) = (Some(Some(Color::White)), Some(Some(Color::Black)), Some(None));
        for (text, expected) in [
            ("1-0", Some((3, white))),
            ("0-1 {x}", Some((3, black))),
            ("1 - 0", Some((5, white))),
            ("0\u{2013}1", Some((5, black))),
            ("1/2-1/2", Some((7, draw))),
            ("1/2", Some((3, draw))),
            ("½:½", Some((5, draw))),
            ("0.5-0.5", Some((7, draw))),
            ("*", Some((1, None))),
            ("0-0", None),
            ("0-0-0", None),
            ("1-0-0", None),
            ("1-00", None),
            ("1. e4", None),
            ("10-0", None),
            ("", None),
        ] {
            assert_eq!(result_at(text), expected, "{text}");
        }
        for (word, length) in
            [("Qh4#0-1", 3), ("e51-0", 3), ("Nf61/2-1/2", 7), ("h21-0", 3), ("Kd4½-½", 5), ("O-O1-0", 3)]
        {
            assert_eq!(glued_result(word), Some(length), "{word}");
        }
        for word in ["0-0", "O-O-O", "a3a4=1+c5", "d1d7,d7g7", "e4", "1-0", "0-0-0", "Ra1/2"] {
            assert_eq!(glued_result(word), None, "{word}");
        }
    }

    #[test]
    fn words_are_told_apart() {
        let mv = |text: &str| Word::Move(text.to_owned());
        for (text, expected) in [
            ("Nf3+", mv("Nf3+")),
            ("e4,", mv("e4")),
            ("2Nf3", mv("Nf3")),
            ("12", Word::Nothing),
            ("ep", Word::Nothing),
            ("1:e4", mv("e4")),
            ("0:02", Word::Sign("0:02".to_owned())),
            ("--", mv("--")),
            ("0000", mv("0000")),
            ("0-0", mv("0-0")),
            ("+/=", Word::Glyph(14)),
            ("N", Word::Glyph(146)),
            ("♘f3", mv("♘f3")),
            ("⌓", Word::Sign("⌓".to_owned())),
            ("a3a4=1+c5", mv("a3a4=1+c5")),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        for (text, sign) in [
            ("Nf3±", "±"),
            ("Nf3+-,", "+-,"),
            ("Nf3+", ""),
            ("+-", ""),
            ("--", ""),
            ("e4=", "="),
            ("e4==", "=="),
        ] {
            assert_eq!(&text[text.len() - sign_length(text)..], sign, "{text}");
        }
        for (text, length) in
            [("1.e4", 1), ("exd6e.p.+ x", 9), ("e8(Q)+", 6), ("e4(d4)", 2), ("h6*", 2), ("Ke7??", 3)]
        {
            assert_eq!(word_length(text), length, "{text}");
        }
    }
}
