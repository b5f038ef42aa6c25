//! The words of the move section: results, glyphs, moves and others.

use super::lines::is_space;
use labrys_core::game::Color;

/// The winner of a finished game; `None` is a draw.
pub(super) type Winner = Option<Color>;

/// The kind of a word.
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

/// Notations of a null move, as in variations.
const NULL_MOVES: [&str; 7] = ["--", "——", "––", "@@@@", "<>", "0000", "Z0"];

/// Castling without its dashes, in letters or in zeros.
const CASTLING: [&str; 6] = ["OO", "OOO", "oo", "ooo", "00", "000"];

/// Words at the end of a game, kept as a comment.
const PROSE: [&str; 35] = [
    "abandoned",
    "adjourned",
    "agreed",
    "and",
    "black",
    "by",
    "draw",
    "drawn",
    "draws",
    "etc",
    "flag",
    "forfeit",
    "forfeits",
    "game",
    "gives",
    "loses",
    "lost",
    "mates",
    "mated",
    "offer",
    "offered",
    "on",
    "over",
    "perpetual",
    "repetition",
    "resign",
    "resigned",
    "resigns",
    "stalemate",
    "time",
    "timeout",
    "up",
    "white",
    "wins",
    "won",
];

/// Words about the last move that follow from the position, and are ignored.
const REMARKS: [&str; 14] =
    ["e.p.", "e.p", "ep", "+", "++", "#", "ch", "check", "mate", "dis", "disc", "dbl", "double", "checkmate"];

/// Dashes between squares and numbers.
pub(super) const DASHES: [char; 6] = ['-', '‐', '‑', '–', '—', '−'];

/// What a pawn becomes.
const PROMOTIONS: [char; 8] = ['Q', 'R', 'B', 'N', 'q', 'r', 'b', 'n'];

/// Signs that link the two squares of a move.
const LINKS: [char; 10] = ['-', '‐', '‑', '–', '—', '−', 'x', 'X', '×', ':'];

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
        // Parts that are apart may be two words, of which the second one goes on with any sign, or is the
        // number of a move of Black.
        let (found, rest) = text.split_at(at);
        let is_alone = |letter| is_delimiter(letter) || is_around(letter) || letter == '.';
        let is_end = rest.chars().next().is_none_or(is_alone) && !rest.starts_with("..");
        let is_whole = !found.contains([' ', '\t']) || is_end;
        (is_whole && ends_word(rest)).then_some(at)
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

/// The length of a result at the end of a word, as in `Qh4#0-1`, with signs around it.
pub(super) fn glued_result(whole: &str) -> Option<usize> {
    let word = whole.trim_end_matches(is_around);
    let at = word.char_indices().skip(1).map(|(at, _)| at);
    let is_result = |&at: &usize| {
        // `21-0` may be the end of `h2` and a result, but nothing ends with `1/2`.
        !word[at..].starts_with("1/2")
            || word[at..].starts_with("1/2-1/2") && result_at(&word[at..]).is_some()
    };
    let has_result = |&at: &usize| {
        result_at(&word[at..]).is_some_and(|(length, _)| at + length == word.len() && length > "½".len())
    };
    at.filter(is_result).find(has_result).map(|at| whole.len() - at)
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Whether a word ends before this text.
fn ends_word(text: &str) -> bool {
    let next = text.chars().next();
    next.is_none_or(|letter| !letter.is_alphanumeric() && letter != '/' && !DASHES.contains(&letter))
}

/// Whether a character ends every word before it. `.` does so, too, except in `e.p.`.
fn is_delimiter(letter: char) -> bool {
    is_space(letter)
        || matches!(letter, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '*' | '$' | '!' | '?' | '…')
}

/// The length of the word at the beginning of a text, which is no delimiter.
pub(super) fn word_length(text: &str) -> usize {
    spaced_length(text).unwrap_or_else(|| plain_length(text))
}

/// The length of a word whose parts stand together, but for a promotion.
fn plain_length(text: &str) -> usize {
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
        } else if is_delimiter(letter) {
            match promotion_length(word, rest) {
                Some(length) => end += length,
                None => break,
            }
            continue;
        }
        end += letter.len_utf8();
    }
    end
}

/// The length of a promotion in brackets, or apart, after the square of a pawn, as in `e8(Q)`, `e8=(Q)` and
/// `e8 = Q`.
fn promotion_length(word: &str, rest: &str) -> Option<usize> {
    let signs = rest.find(|letter| !matches!(letter, ' ' | '(' | '=' | '/')).unwrap_or(rest.len());
    let (signs, rest) = rest.split_at(signs);
    if !is_pawn_at_the_end(word) || signs.matches('(').count() > 1 {
        return None;
    }
    let letter = rest.chars().next().filter(|letter| PROMOTIONS.contains(letter))?;
    let rest = &rest[letter.len_utf8()..];
    // `(` alone may begin a variation.
    let closed = rest.starts_with(')');
    let length = signs.len() + 1 + usize::from(closed);
    let is_whole =
        closed == signs.contains('(') && !signs.is_empty() && ends_word(&rest[usize::from(closed)..]);
    is_whole.then_some(length)
}

/// Whether a word is a move of a pawn to its last rank, perhaps behind the number of the move.
fn is_pawn_at_the_end(word: &str) -> bool {
    let is_pawn = word.starts_with(|letter| matches!(letter, 'a'..='h' | '0'..='9'));
    is_pawn && matches!(word.trim_end_matches('=').as_bytes(), [.., b'a'..=b'h', b'1' | b'8'])
}

/// The length of a move at the beginning of a text whose parts stand apart, as in `O - O`, `e2 - e4` or
/// `Nf3 x e5`.
fn spaced_length(text: &str) -> Option<usize> {
    let length = castling_length(text).or_else(|| squares_length(text))?;
    text[..length].contains(is_space).then_some(length)
}

/// The length of castling at the beginning of a text.
fn castling_length(text: &str) -> Option<usize> {
    let is_part = |text: &str| text.starts_with(['O', '0', 'o']);
    let (mut end, mut parts) = (1, usize::from(is_part(text)));
    while (1..3).contains(&parts)
        && let Some(at) = link(&text[end..], &DASHES).map(|length| end + length)
        && is_part(&text[at..])
    {
        (end, parts) = (at + 1, parts + 1);
    }
    (parts > 1 && ends_word(&text[end..])).then(|| end + plain_length(&text[end..]))
}

/// The length of two squares at the beginning of a text, with what belongs to them.
fn squares_length(text: &str) -> Option<usize> {
    let first = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    let at = first + link(&text[first..], &LINKS)?;
    let is_square = |word: &str| {
        let mut letters = word.chars();
        matches!((letters.next(), letters.next()), (Some('a'..='k'), Some('1'..='9')))
    };
    let from = text[..first].trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_from = !from.is_empty() && is_square(&text[from.len() - 1..first]);
    (is_from && is_square(&text[at..])).then(|| at + plain_length(&text[at..]))
}

/// Whether two words are the parts of one move, as in `Nf3 xe5` and `e8 Q`.
pub(super) fn are_parts(first: &str, second: &str) -> bool {
    let mut letters = second.chars();
    if is_pawn_at_the_end(first) && letters.next().is_some_and(|letter| PROMOTIONS.contains(&letter)) {
        return letters.next().is_none();
    }
    let begins_with_square = |word: &str| matches!(word.as_bytes(), [b'a'..=b'k', b'1'..=b'9', ..]);
    let file = first.trim_end_matches(|letter: char| letter.is_ascii_digit()).len().checked_sub(1);
    let ends_with_square = file.and_then(|file| first.get(file..)).is_some_and(begins_with_square);
    ends_with_square && second.strip_prefix(LINKS).is_some_and(begins_with_square)
}

/// Whether two words side by side are read as one.
pub(super) fn are_one(first: &str, second: &str) -> bool {
    word_length(&format!("{first} {second}")) > first.len() || are_parts(first, second)
}

/// The length of a sign that links two parts of a move, with the spaces around it.
fn link(text: &str, links: &[char]) -> Option<usize> {
    let after = text.trim_start_matches([' ', '\t']).strip_prefix(links)?;
    Some(text.len() - after.trim_start_matches([' ', '\t']).len())
}

/// The length of the text before the moves of a game, up to its first move or number. `None` if the text
/// begins with them: its first word has to have a letter that no move has, unless it `goes_on`.
pub(super) fn prose_length(text: &str, goes_on: bool) -> Option<usize> {
    let end = text
        .find(|letter| is_space(letter) || matches!(letter, '{' | '[' | ';' | '*' | '('))
        .unwrap_or(text.len());
    let word = &text[..end];
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_number = number.len() < word.len() && number.starts_with('.');
    let is_move = word.contains(|letter: char| letter.is_ascii_digit()) && !goes_on || names_square(word);
    let is_foreign = |letter: char| letter.is_alphabetic() && !"abcdefghxKQRBNOoPpeD".contains(letter);
    let is_prose = goes_on || word.contains(is_foreign);
    (!word.is_empty() && !is_number && !is_move && is_prose).then_some(end)
}

/// Whether a word names a square.
fn names_square(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| matches!(pair, [b'a'..=b'k', b'1'..=b'9']))
}

/// The glyph that a sign stands for.
fn glyph(sign: &str) -> Option<u16> {
    SIGNS.iter().find(|(known, _)| *known == sign).map(|(_, glyph)| *glyph)
}

/// The word of a run of `!` and `?`.
pub(super) fn marks(run: &str) -> Word {
    let known = glyph(run).or_else(|| match run.bytes().all(|byte| byte == run.as_bytes()[0]) {
        // More marks than the standard has.
        true => Some(if run.starts_with('!') { 3 } else { 4 }),
        false => None,
    });
    known.map_or_else(|| Word::Sign(run.to_owned()), Word::Glyph)
}

/// Characters around words in pasted texts.
const AROUND: [char; 7] = [',', '|', '"', '\'', '“', '”', '_'];

/// Whether a character at the end of a word is no part of it.
fn is_around(letter: char) -> bool {
    letter == ':' || AROUND.contains(&letter)
}

/// The length of the signs at the end of a word, as in `Nf3±`, which are a word of their own.
pub(super) fn sign_length(word: &str) -> usize {
    let mut plain = word.trim_end_matches(AROUND);
    let mut length = 0;
    // Words rarely end with a sign: check that first.
    let ends = |plain: &str, sign: &str| plain.ends_with(sign) && !sign.contains(char::is_alphanumeric);
    let signs = || SIGNS.iter().map(|(sign, _)| *sign);
    while let Some(longest) = signs().filter(|sign| ends(plain, sign)).map(str::len).max() {
        plain = &plain[..plain.len() - longest];
        length = word.len() - plain.len();
    }
    if plain.contains(char::is_alphanumeric) { length } else { 0 }
}

/// The kind of a word. It has no sign at its end.
pub(super) fn read(word: &str) -> Word {
    let word = word.trim_matches(AROUND);
    if is_null_move(word) || CASTLING.contains(&word) {
        return Word::Move(word.to_owned());
    }
    if PROSE.contains(&&*word.trim_end_matches(is_punctuation).to_ascii_lowercase()) {
        return Word::Sign(word.to_owned());
    }
    let word = word.trim_end_matches(is_around);
    // At the beginning of a line, it would hide all of it.
    if word.starts_with('%') {
        return Word::Sign(word.to_owned());
    }
    // Move numbers come without dots, too.
    let is_figurine = |letter: char| ('♔'..='♟').contains(&letter);
    let is_first = |letter: char| letter.is_alphabetic() || is_figurine(letter);
    let after_digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &word[..word.len() - after_digits.len()];
    let after_number = after_digits.trim_start_matches(is_punctuation);
    let word = match after_digits.chars().next() {
        None => "",
        Some(letter) if is_first(letter) => after_digits,
        // `0-0` is castling.
        Some(_) if number.trim_start_matches('0').is_empty() && !after_digits.starts_with(':') => word,
        Some(_) if after_number.is_empty() || after_number.starts_with(is_first) => after_number,
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

/// Whether a text alone is read as a move: what is written has to be read as the same.
pub(super) fn is_move(text: &str) -> bool {
    let is_whole = word_length(text) == text.len() && glued_result(text).is_none() && sign_length(text) == 0;
    is_whole && result_at(text).is_none() && read(text) == Word::Move(text.to_owned())
}

/// Whether a word stands for a null move.
pub(super) fn is_null_move(word: &str) -> bool {
    NULL_MOVES.contains(&word)
}

/// Whether a character alone has no meaning.
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
            ("0- 1... e5", None),
            ("0 - 1.", Some((5, black))),
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
        for word in ["0-0", "O-O-O", "a3a4=1+c5", "d1d7,d7g7", "e4", "e4*", "1-0", "0-0-0", "Ra1/2", "Kd4½"]
        {
            assert_eq!(glued_result(word), None, "{word}");
        }
    }

    #[test]
    fn words_are_classified() {
        let mv = |text: &str| Word::Move(text.to_owned());
        for (text, expected) in [
            ("Nf3+", mv("Nf3+")),
            ("e4,", mv("e4")),
            ("2Nf3", mv("Nf3")),
            ("0Nf3", mv("Nf3")),
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
            ("D", Word::Glyph(220)),
            ("OO", mv("OO")),
            ("00", mv("00")),
            ("000", mv("000")),
            ("Z0", mv("Z0")),
            ("ed", mv("ed")),
            ("1-", Word::Nothing),
            ("12-e4", mv("e4")),
            ("1-O-O", mv("O-O")),
            ("0-O-O", mv("0-O-O")),
            ("resigns", Word::Sign("resigns".to_owned())),
            ("White", Word::Sign("White".to_owned())),
            ("Nff", mv("Nff")),
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
        for (text, length) in [
            ("1.e4", 1),
            ("exd6e.p.+ x", 9),
            ("e8(Q)+", 6),
            ("e4(d4)", 2),
            ("h6*", 2),
            ("Ke7??", 3),
            ("h6.p", 2),
        ] {
            assert_eq!(word_length(text), length, "{text}");
        }
        // Parts of a move that stand apart.
        for text in [
            "e8(=Q)",
            "e8=(Q)+",
            "e8 =Q",
            "e8= Q",
            "e8 (Q)",
            "e8 (=Q)",
            "exd8 = N#",
            "e8/Q",
            "e8 Q",
            "e2 - e4",
            "e2- e4",
            "Ng1 -f3",
            "e4 x d5",
            "Nf3 : e5+",
            "e7 - e8 =Q",
            "O - O",
            "0 - 0 - 0+",
            "O-O -O",
        ] {
            assert_eq!(word_length(&format!("{text} Kd7")), text.len(), "{text}");
        }
        for (text, length) in [
            ("e4 e5", 2),
            ("e4 (e5)", 2),
            ("e8 (Qd7)", 2),
            ("e8 (bxa3)", 2),
            ("Re8 Qd7", 3),
            ("e8 Qd7", 2),
            ("e4 - Nf6", 2),
            ("e4 -+", 2),
            ("O-O Nf6", 3),
            ("O-O - 1. e4", 3),
            ("O - e4", 1),
            ("O - O/x", 1),
        ] {
            assert_eq!(word_length(text), length, "{text}");
        }
    }

    #[test]
    fn more_marks_than_the_standard_has_are_its_longest() {
        for (run, word) in [
            ("!?", Word::Glyph(5)),
            ("!!!", Word::Glyph(3)),
            ("????", Word::Glyph(4)),
            ("!?!", Word::Sign("!?!".to_owned())),
        ] {
            assert_eq!(marks(run), word, "{run}");
        }
    }

    #[test]
    fn prose_ends_where_the_moves_begin() {
        let prose = |text: &str| {
            let (mut rest, mut is_prose) = (text, false);
            while let Some(length) = prose_length(rest, is_prose) {
                (rest, is_prose) = (rest[length..].trim_start(), true);
            }
            rest.to_owned()
        };
        for (text, moves) in [
            ("Hello, my game: 1. e4", "1. e4"),
            ("A game of 1995, e4 e5", "e4 e5"),
            ("Here is a bad one [Event", "[Event"),
            ("1. Hello", "1. Hello"),
            ("...so it began 1. e4", "1. e4"),
            ("Nf3 d5", "Nf3 d5"),
            ("O-O Hello", "O-O Hello"),
            ("Nff Hello", "Nff Hello"),
            ("exd Hello", "exd Hello"),
            ("", ""),
        ] {
            assert_eq!(prose(text), moves, "{text}");
        }
    }
}
