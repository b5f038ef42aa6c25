//! Writing PGN.

use std::fmt;

use super::lines::is_space;
use super::{BOOK, DEEPEST, PgnGame, PgnMove, words};
use crate::FinalResult;
use labrys_core::game::Color;

/// The `Event` tag of games written here.
pub(super) const EVENT: &str = "labrys match";

/// Maximum width of a line of moves.
const COLUMNS: usize = 80;

/// The tag that says who has won.
pub(super) const RESULT: &str = "Result";

/// The tag that says how a game ended.
pub(super) const TERMINATION: &str = "Termination";

/// The tag that says how many moves there are.
pub(super) const PLY_COUNT: &str = "PlyCount";

/// The first tags of a game without other tags.
pub(super) const OWN_TAGS: [(&str, &str); 2] = [("Event", EVENT), ("Site", "?")];

impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags() {
            write_tag(f, name, &value)?;
        }
        writeln!(f)?;
        self.write_moves(f)?;
        writeln!(f)
    }
}

impl PgnGame {
    /// The tags with their values, in the order in which they are written.
    pub fn tags(&self) -> Vec<(&str, String)> {
        let [white, black] = &self.players;
        let plies = self.opening.moves.len() + self.moves.len();
        let other = |name: &str| self.other_tags.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let if_known = |name, value: &str| (!value.is_empty()).then(|| (name, value.to_owned()));

        // Only games of a match are numbered.
        let own = OWN_TAGS.map(|(name, own)| (name, if self.number.is_some() { own } else { "?" }));
        let own = own.map(|(name, own)| (name, other(name).map_or(own, |(_, value)| value).to_owned()));
        let mut tags: Vec<(&str, String)> = own.into();
        tags.push(("Date", self.date.clone()));
        tags.push(("Round", self.round.clone()));
        tags.push(("White", white.name.clone()));
        tags.push(("Black", black.name.clone()));
        // A non-standard result is kept for a game without one.
        let foreign = other(RESULT).filter(|_| self.end.is_none());
        let result = foreign.map_or(end_text(self.end.as_ref()), |(_, value)| value);
        let result = self.contradiction.unwrap_or(result);
        tags.push((RESULT, result.to_owned()));
        tags.extend(self.number.map(|number| ("GameNumber", number.to_string())));
        tags.extend(self.variant.clone().map(|variant| ("Variant", variant)));
        if !self.opening.fen.is_empty() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", self.opening.fen.clone()));
        }
        tags.extend(if_known("WhiteSetup", &white.setup));
        tags.extend(if_known("BlackSetup", &black.setup));
        match white.time_control == black.time_control {
            true => tags.extend(if_known("TimeControl", &white.time_control)),
            false => {
                tags.extend(if_known("WhiteTimeControl", &white.time_control));
                tags.extend(if_known("BlackTimeControl", &black.time_control));
            }
        }
        tags.push((PLY_COUNT, plies.to_string()));
        if let Some(end) = self.end.as_ref().filter(|_| other(TERMINATION).is_none()) {
            tags.push((TERMINATION, end.termination.tag().to_owned()));
            tags.extend(if_known("TerminationDetails", &end.details));
        }
        let first = [OWN_TAGS[0].0, OWN_TAGS[1].0, RESULT];
        let is_first = |name: &str| first.iter().any(|first| first.eq_ignore_ascii_case(name));
        let others = self.other_tags.iter().filter(|(name, _)| !is_first(name));
        tags.extend(others.map(|(name, value)| (name.as_str(), value.clone())));
        tags
    }

    /// The number of a move as readers see it, `12.` or `12...`; `index` counts from 0 in the whole game.
    pub fn move_number(&self, index: usize) -> String {
        let ply = self.first_ply() + index;
        format!("{}{}", 1 + ply / 2, if ply.is_multiple_of(2) { "." } else { "..." })
    }

    /// The plies before the first move of the record.
    fn first_ply(&self) -> usize {
        // With all of its fields, of which the last one is the number of the move.
        let Some(fen) = self.opening.set_up_fen().map(|fen| self.full_fen(fen)) else { return 0 };
        let mut fields = fen.split_whitespace();
        let black_begins = fields.nth(1) == Some("b");
        let number = fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1_usize);
        2 * number.saturating_sub(1) + usize::from(black_begins)
    }

    /// A FEN as its game writes it; as it is if the game does not read it.
    fn full_fen(&self, fen: &str) -> String {
        let board =
            self.board(None).ok().and_then(|mut board| board.set_up(Some(fen), &[]).ok().map(|()| board));
        board.map_or_else(|| fen.to_owned(), |board| board.fen())
    }

    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opening = self.opening.moves.iter();
        let opening = opening.map(|text| PgnMove {
            text: text.clone(),
            comment: BOOK.to_owned(),
            ..PgnMove::default()
        });
        let mut text = MoveText { f, column: 0, is_numbered: false, last: String::new() };
        text.write_comment(&self.comment)?;
        let first = self.first_ply();
        text.write_line(&opening.collect::<Vec<_>>(), first, 0)?;
        text.write_line(&self.moves, first + self.opening.moves.len(), 0)?;
        text.write_word(end_text(self.end.as_ref()))?;
        text.write_comment(&self.closing)?;
        if text.column > 0 { writeln!(f) } else { Ok(()) }
    }
}

/// The moves of a game, in lines.
struct MoveText<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    /// Letters on the current line.
    column: usize,
    /// Whether a move of Black can go without its number, as White's move stands before it.
    is_numbered: bool,
    /// The last move.
    last: String,
}

impl MoveText<'_, '_> {
    /// Writes a word, on the next line where this one is full.
    fn write_word(&mut self, word: &str) -> fmt::Result {
        let width = word.chars().count();
        let space = match self.column {
            0 => "",
            column if column + 1 + width > COLUMNS => "\n",
            _ => " ",
        };
        self.column = if space == " " { self.column + 1 + width } else { width };
        write!(self.f, "{space}{word}")
    }

    /// Writes moves with their annotations; `ply` is that of the first one, `depth` the variations around
    /// them.
    fn write_line(&mut self, moves: &[PgnMove], ply: usize, depth: usize) -> fmt::Result {
        for (mv, ply) in moves.iter().zip(ply..) {
            self.write_comment(&mv.before)?;
            self.write_move(&mv.text, ply)?;
            mv.glyphs.iter().try_for_each(|glyph| self.write_word(&format!("${glyph}")))?;
            self.write_comment(&mv.comment)?;
            for variation in mv.variations.iter().filter(|_| depth < DEEPEST) {
                self.write_word("(")?;
                self.is_numbered = false;
                self.write_line(variation, ply, depth + 1)?;
                self.write_word(")")?;
                self.is_numbered = false;
            }
        }
        Ok(())
    }

    /// Writes a comment, unless it is empty.
    fn write_comment(&mut self, text: &str) -> fmt::Result {
        if text.is_empty() {
            return Ok(());
        }
        // A comment with `}` is written after a semicolon.
        if text.contains('}') || text.contains("[Event \"") {
            self.write_word(";")?;
            self.column = 0;
            return writeln!(self.f, " {text}");
        }
        comment_words(&format!("{{{text}}}")).iter().try_for_each(|word| self.write_word(word))
    }

    /// Writes a move with its number; `ply` counts from 0 at the first move of White.
    fn write_move(&mut self, text: &str, ply: usize) -> fmt::Result {
        let number = 1 + ply / 2;
        // A number keeps odd words apart, too.
        let is_numbered = self.is_numbered && !words::are_one(&self.last, text);
        text.clone_into(&mut self.last);
        match ply.is_multiple_of(2) {
            true => self.write_word(&format!("{number}."))?,
            false if !is_numbered => self.write_word(&format!("{number}..."))?,
            false => {}
        }
        self.is_numbered = true;
        self.write_word(text)
    }
}

/// The words of a comment that stay on one line. A command as `[%eval 0.25]` is one with the word before it:
/// simple readers take a line that begins with a bracket for a tag.
fn comment_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_open = |word: &str| word.rfind("[%").is_some_and(|at| !word[at..].contains(']'));
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if last.len() < 2 * COLUMNS && (word.starts_with("[%") || is_open(last)) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    // A tag has to stay on one line, and simple programs leave a backslash before its end alone: with a bracket
    // behind it a quotation mark would end the tag.
    let plain = |(at, letter): (usize, char)| match letter {
        _ if letter.is_control() => ' ',
        '"' if value[at + 1..].trim_start_matches(is_space).starts_with(']') => '\'',
        _ => letter,
    };
    let value: String = value.char_indices().map(plain).collect();
    writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The result of a game; `*` of one that was not finished.
fn end_text(end: Option<&FinalResult>) -> &'static str {
    end.map_or("*", |end| result_text(end.winner))
}

/// The result of a finished game.
pub(super) fn result_text(winner: Option<Color>) -> &'static str {
    match winner {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{parse, record};
    use super::*;
    use crate::Variation;

    #[test]
    fn lines_are_not_too_long_and_comments_do_not_end_early() {
        let mut long = record();
        let mv = PgnMove { text: "a1a2".into(), comment: "a b { c".into(), ..PgnMove::default() };
        long.moves = vec![mv; 100];
        long.moves[50].comment = "ends } here [Event \"x\"]".into();
        long.closing = "or } here".into();
        let text = long.to_string();
        let is_short = |line: &str| line.chars().count() <= COLUMNS || line.starts_with('[');
        assert!(text.lines().all(|line| is_short(line) || line.contains(';')), "{text}");
        assert_eq!(parse(&text), Ok(vec![long]));
    }

    #[test]
    fn commands_of_comments_are_not_broken() {
        for length in 0..80 {
            let comment = format!("{} [%eval 0.25] [%clk 0:01:02] after", "x".repeat(length));
            let mut game = record();
            game.moves[0].comment = comment.trim().to_owned();
            let text = game.to_string();
            assert!(!text.contains("\n[%") && text.contains("[%eval 0.25] [%clk 0:01:02]"), "{text}");
            assert_eq!(parse(&text).unwrap()[0], game);
        }
        // One that is not closed does not go on for ever.
        let words = comment_words(&format!("{{[%eval {}}}", "word ".repeat(1000)));
        assert!(words.iter().all(|word| word.len() < 3 * COLUMNS));
    }

    #[test]
    fn move_numbers_come_from_the_fen() {
        let mut later = record();
        later.comment.clear();
        // With any white space between its fields.
        for fen in ["pp6/8/8/8/8/8/8/PP6  b 0\t31", "pp6/8/8/8/8/8/8/PP6 b 0 31"] {
            later.opening.fen = fen.into();
            assert!(later.to_string().contains("\n\n31... a8a7 {book} 32. a1a2 "), "{later}");
        }
        // A number that is missing is not taken from another field.
        let short = PgnGame {
            opening: Variation { fen: "pp6/8/8/8/8/8/8/PP6 w 5".into(), ..later.opening.clone() },
            ..later.clone()
        };
        assert_eq!(short.move_number(0), "1.");
        later.moves[0].glyphs = vec![4, 146];
        let line = |texts: [&str; 2]| texts.map(|text| PgnMove { text: text.into(), ..PgnMove::default() });
        later.moves[0].variations = vec![line(["b1b2", "b8b7"]).into()];
        later.moves[0].variations[0][0].before = "or".into();
        later.moves[0].variations[0][1].variations = vec![line(["a8a7", "b2b3"]).into()];
        let text = later.to_string();
        let annotated = "32. a1a2 $4 $146 {+1.23/12 0.450s} ( {or} 32. b1b2 b8b7 ( 32... a8a7 33. b2b3 ) ) \
                         32... a7a8 33. ";
        assert!(text.replace('\n', " ").contains(annotated), "{text}");
        assert_eq!(parse(&text).unwrap()[0], later);
        later.end = None;
        later.closing.clear();
        assert!(later.to_string().contains("[Result \"*\"]") && later.to_string().ends_with(" *\n\n"));
    }
}
