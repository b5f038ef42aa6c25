//! Reading PGN as it is found: one game after the other, in constant memory.
//!
//! Tags may be missing, comments may stand anywhere, and annotation glyphs, `;` comments and `%` lines are
//! skipped. A game has to end with its result (`1-0`, `0-1`, `1/2-1/2`, `*`). After an error
//! the reader goes on with the next game.

use std::io::{BufRead, Read};

use encoding_rs::WINDOWS_1252;
use thiserror::Error;

use super::writer::{OWN_TAGS, TERMINATION};
use super::{BOOK, DEEPEST, PgnGame, PgnMove, PlayerTags};
use crate::arena::{FinalResult, Termination, Variation};
use crate::game::{Color, quote};

/// The longest line in bytes: whole games come on one line.
const LONGEST_LINE: u64 = 1 << 24;

/// The longest comment in bytes that is kept; the rest of a longer one is dropped.
const LONGEST_COMMENT: usize = 1 << 16;

/// What text editors put in front of UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Brackets that close nothing.
const BRACKETS: [&str; 2] = ["}", ")"];

/// An error in a PGN file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct PgnError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong in a PGN file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// A malformed tag.
    #[error("{}: expected a tag, `[Name \"value\"]`", quote(.0))]
    Tag(String),
    /// A comment or a variation is not closed.
    #[error("a comment or a variation is not closed")]
    Open,
    /// The next game or the end of the file comes before the result; the last word is given.
    #[error("the game ends without a result after {}", quote(.0))]
    Unfinished(String),
    /// A line is too long for a record of games.
    #[error("a line of more than {LONGEST_LINE} bytes")]
    LongLine,
    /// The file cannot be read.
    #[error("{0}")]
    Read(String),
}

/// Reads games one by one.
///
/// Lines are UTF-8, or Windows-1252 (and so Latin-1) where they are no valid UTF-8.
#[derive(Debug)]
pub struct PgnReader<R> {
    input: R,
    /// The current line with its end.
    line: String,
    /// Bytes of the current line that have been read.
    at: usize,
    /// Number of the current line, from 1.
    number: usize,
    /// Bytes of the file before the current line.
    before: u64,
    /// Length of the current line in the file, in bytes.
    length: u64,
    /// The line in which the last game begins.
    game_line: usize,
    /// The last word of the moves.
    last_word: String,
    /// What was wrong with the last game.
    problem: Option<Problem>,
}

/// A token of the move section.
enum Token {
    Move(String),
    Comment(String),
    /// A variation begins or ends.
    Open,
    Close,
    /// The result; `Some(None)` for a draw, `None` for `*`.
    Result(Option<Option<Color>>),
}

impl<R: BufRead> PgnReader<R> {
    /// Reads the games of `input`.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader {
            input,
            line: String::new(),
            at: 0,
            number: 0,
            before: 0,
            length: 0,
            game_line: 1,
            last_word: String::new(),
            problem: None,
        }
    }

    /// The line in which the last game begins, counted from 1.
    pub fn game_line(&self) -> usize {
        self.game_line
    }

    /// The length of what has been read, in bytes of the file. Exact after a game in UTF-8.
    pub fn bytes_read(&self) -> u64 {
        self.before + self.at as u64
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    /// Reads the next line; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, Problem> {
        self.before += self.length;
        (self.at, self.length) = (0, 0);
        self.line.clear();
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        let length = read.map_err(|error| Problem::Read(error.to_string()))? as u64;
        if length == 0 {
            return Ok(false);
        }
        (self.number, self.length) = (self.number + 1, length);
        if length > LONGEST_LINE {
            return Err(Problem::LongLine);
        }
        self.line = String::from_utf8(bytes).unwrap_or_else(|error| {
            WINDOWS_1252.decode_without_bom_handling(error.as_bytes()).0.into_owned()
        });
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.remove(0);
            self.before += BYTE_ORDER_MARK.len_utf8() as u64;
            self.length -= BYTE_ORDER_MARK.len_utf8() as u64;
        }
        Ok(true)
    }

    /// Goes to the next letter that is neither space nor in a `;` comment or a `%` line; false at the end of
    /// the file.
    fn skip_space(&mut self) -> Result<bool, Problem> {
        loop {
            let rest = self.rest().trim_start();
            let is_escaped = self.at == 0 && self.line.starts_with('%');
            if !(is_escaped || rest.is_empty() || rest.starts_with(';')) {
                self.at = self.line.len() - rest.len();
                return Ok(true);
            }
            if !self.next_line()? {
                return Ok(false);
            }
        }
    }

    /// Whether the current line is a tag.
    fn at_tag(&self) -> bool {
        is_tag(self.rest()) && self.line[..self.at].trim().is_empty()
    }

    /// The next game; `None` at the end of the file.
    fn game(&mut self) -> Result<Option<PgnGame>, Problem> {
        if !self.skip_space()? {
            return Ok(None);
        }
        self.game_line = self.number;
        self.last_word.clear();
        let mut tags: Vec<(String, String)> = Vec::new();
        while self.rest().starts_with('[') {
            tags.push(self.tag()?);
            if !self.skip_space()? {
                return Err(self.unfinished());
            }
        }
        let (moves, result) = self.moves()?;
        Ok(Some(record(tags, moves, result)))
    }

    fn unfinished(&self) -> Problem {
        Problem::Unfinished(self.last_word.clone())
    }

    /// A tag, `[Name "value"]`.
    fn tag(&mut self) -> Result<(String, String), Problem> {
        let rest = self.rest();
        let problem = || Problem::Tag(rest.trim_end().to_owned());
        let (name, value) = rest[1..].split_once('"').ok_or_else(problem)?;
        let (mut plain, mut escaped, mut end) = (String::new(), false, None);
        for (offset, letter) in value.char_indices() {
            match letter {
                '\\' if !escaped => escaped = true,
                '"' if !escaped && value[offset + 1..].trim_start().starts_with(']') => {
                    end = value[offset..].find(']').map(|length| offset + length + 1);
                    break;
                }
                _ => {
                    plain.push(letter);
                    escaped = false;
                }
            }
        }
        let (name, end) = (name.trim(), end.ok_or_else(problem)?);
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(problem());
        }
        let tag = (name.to_owned(), plain);
        self.at += rest.len() - value.len() + end;
        self.last_word.clone_from(&tag.0);
        Ok(tag)
    }

    /// The moves of a game and its result.
    fn moves(&mut self) -> Result<(Vec<PgnMove>, Option<Option<Color>>), Problem> {
        let mut moves: Vec<PgnMove> = Vec::new();
        // The variations that are open, each within the one before.
        let mut open: Vec<Vec<PgnMove>> = Vec::new();
        loop {
            let token = self.token(open.len())?;
            let line = open.last_mut().unwrap_or(&mut moves);
            match token {
                Token::Move(text) => line.push(PgnMove { text, ..PgnMove::default() }),
                Token::Comment(comment) => {
                    if let Some(last) = line.last_mut().filter(|last| last.comment.is_empty()) {
                        last.comment = comment;
                    }
                }
                Token::Open => open.push(Vec::new()),
                Token::Close => {
                    let variation = open.pop().filter(|line| !line.is_empty() && open.len() < DEEPEST);
                    let around = open.last_mut().unwrap_or(&mut moves).last_mut();
                    if let (Some(variation), Some(mv)) = (variation, around) {
                        mv.variations.push(variation);
                    }
                }
                // A variation may end with its own result.
                Token::Result(_) if !open.is_empty() => {}
                Token::Result(result) => return Ok((moves, result)),
            }
        }
    }

    /// The next token; `depth` variations are open.
    fn token(&mut self, depth: usize) -> Result<Token, Problem> {
        loop {
            if !self.skip_space()? || self.at_tag() {
                return Err(if depth > 0 { Problem::Open } else { self.unfinished() });
            }
            match self.rest().as_bytes()[0] {
                b'{' => return Ok(Token::Comment(self.comment()?)),
                b'(' => {
                    self.at += 1;
                    return Ok(Token::Open);
                }
                b')' if depth > 0 => {
                    self.at += 1;
                    return Ok(Token::Close);
                }
                _ => {
                    let word = self.word();
                    if let Some(token) = word_token(&word) {
                        if depth == 0 {
                            self.last_word = word;
                        }
                        return Ok(token);
                    }
                }
            }
        }
    }

    /// A word, up to a space or a bracket.
    fn word(&mut self) -> String {
        let rest = self.rest();
        let ends = |letter: char| letter.is_whitespace() || "{}();".contains(letter);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(ends).map_or(rest.len(), |end| first + end);
        // A bracket that closes nothing is a word of its own.
        let end = if rest.starts_with(ends) { first } else { end };
        let word = rest[..end].to_owned();
        self.at += end;
        word
    }

    /// A comment in braces, without them, in one line.
    fn comment(&mut self) -> Result<String, Problem> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let end = rest.find('}');
            let part = &rest[..end.unwrap_or(rest.len())];
            if text.len() + part.len() <= LONGEST_COMMENT {
                text.push_str(part);
            }
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            // The next game begins: the comment has no end.
            if !self.next_line()? || self.rest().starts_with("[Event \"") {
                return Err(Problem::Open);
            }
        }
    }

    /// Goes to the tags of the next game after an error.
    fn recover(&mut self, problem: &Problem) -> Result<(), Problem> {
        if let Problem::Tag(_) = problem {
            // The tags that are left belong to the same game.
            while self.line.trim_start().starts_with('[') && self.next_line()? {}
        }
        while !self.at_tag() && self.next_line()? {}
        Ok(())
    }

    /// The next game, after an earlier problem.
    fn next_game(&mut self) -> Result<Option<PgnGame>, Problem> {
        if let Some(problem) = self.problem.take() {
            self.recover(&problem)?;
        }
        self.game()
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.problem, Some(Problem::Read(_) | Problem::LongLine)) {
            return None;
        }
        let next = self.next_game();
        next.transpose().map(|game| {
            game.map_err(|problem| {
                self.problem = Some(problem.clone());
                PgnError { line: self.number, problem }
            })
        })
    }
}

/// Whether a line begins with a tag. Commands in comments, as in `[%clk 0:10]`, are none.
fn is_tag(line: &str) -> bool {
    line.starts_with('[') && line[1..].starts_with(char::is_alphabetic) && line.contains('"')
}

/// What a word of the main line is; `None` for a move number or an annotation glyph.
fn word_token(word: &str) -> Option<Token> {
    match word {
        "1-0" => return Some(Token::Result(Some(Some(Color::White)))),
        "0-1" => return Some(Token::Result(Some(Some(Color::Black)))),
        "1/2-1/2" | "1/2" | "½-½" => return Some(Token::Result(Some(None))),
        "*" => return Some(Token::Result(None)),
        _ => {}
    }
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let word = match digits.strip_prefix(['.', '…']) {
        Some(word) => word.trim_start_matches(['.', '…']),
        None if digits.is_empty() => "",
        None => word,
    };
    // `$6`, `!?`, `+-`, `e.p.`; but `--` is a null move, which no game has.
    let is_glyph = word.starts_with('$') || word == "e.p." || !word.contains(char::is_alphanumeric);
    let is_move = word == "--" || BRACKETS.contains(&word) || !is_glyph;
    (is_move && !word.is_empty()).then(|| Token::Move(word.to_owned()))
}

/// Makes the record of a game.
fn record(
    mut tags: Vec<(String, String)>,
    mut moves: Vec<PgnMove>,
    result: Option<Option<Color>>,
) -> PgnGame {
    let mut get = |name: &str| {
        let at = tags.iter().position(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(tags.remove(at).1)
    };
    // Written anew from the game itself.
    ["Result", "SetUp", "PlyCount"].into_iter().for_each(|name| drop(get(name)));
    let number = get("GameNumber").and_then(|value| value.parse().ok()).filter(|&number| number > 0);
    let found = get("Termination");
    let of_tag = |tag: &str| Termination::ALL.into_iter().find(|known| known.tag().eq_ignore_ascii_case(tag));
    let termination = found.as_deref().and_then(of_tag);
    let details = get("TerminationDetails").unwrap_or_default();
    let end = result.map(|winner| FinalResult {
        winner,
        termination: termination.unwrap_or(Termination::Rules),
        details,
    });
    let time_control = get("TimeControl").unwrap_or_default();
    let players = ["White", "Black"].map(|name| PlayerTags {
        name: get(name).unwrap_or_else(|| "?".to_owned()),
        time_control: get(&format!("{name}TimeControl")).unwrap_or_else(|| time_control.clone()),
        setup: get(&format!("{name}Setup")).unwrap_or_default(),
    });
    let rest = moves.split_off(moves.iter().take_while(|mv| mv.comment == BOOK).count());
    let opening = Variation {
        fen: get("FEN").unwrap_or_default(),
        moves: moves.into_iter().map(|mv| mv.text).collect(),
    };
    let mut known = |name, unknown: &str| get(name).unwrap_or_else(|| unknown.to_owned());
    let (round, date) = (known("Round", "?"), known("Date", "????.??.??"));
    let variant = get("Variant").filter(|variant| !variant.is_empty());
    // Other programs have other words for the end of a game.
    tags.extend(found.filter(|_| termination.is_none()).map(|found| (TERMINATION.to_owned(), found)));
    tags.retain(|(name, value)| OWN_TAGS.iter().all(|own| *own != (name, value)));
    PgnGame { number, round, date, variant, players, opening, moves: rest, end, other_tags: tags }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parse;
    use super::*;

    /// The games of a text and its errors.
    fn read(text: &[u8]) -> (Vec<PgnGame>, Vec<String>) {
        let (mut games, mut errors) = (Vec::new(), Vec::new());
        for game in PgnReader::new(text) {
            match game {
                Ok(game) => games.push(game),
                Err(error) => errors.push(error.to_string()),
            }
        }
        (games, errors)
    }

    fn moves(game: &PgnGame) -> Vec<(&str, &str)> {
        game.moves.iter().map(|mv| (mv.text.as_str(), mv.comment.as_str())).collect()
    }

    #[test]
    fn games_of_other_programs_are_read() {
        let text = "% a comment\n[White \"x\"]\n[Result \"0-1\"]\n\n1.e4 e5 $1 \
                    (1... c5 {Sicilian (or so)} 2. Nf3 (2. c3))\n\
                    2.Nf3 ; good\n{first} Nc6 {two\nwords} {more} 0-1\n";
        let read = parse(text).unwrap().remove(0);
        assert_eq!(moves(&read), [("e4", ""), ("e5", ""), ("Nf3", "first"), ("Nc6", "two words")]);
        assert_eq!((read.number, read.variant.as_ref()), (None, None));
        assert_eq!(read.end.unwrap().winner, Some(Color::Black));
        assert_eq!(read.players.map(|side| side.name), ["x", "?"]);
        assert_eq!(parse(" \n\n"), Ok(vec![]));
    }

    #[test]
    fn whatever_is_found_between_moves_is_skipped() {
        let text = "\u{feff}% a line\n[White \"a \\\"b\\\"\"] [Black \"c\"]\r\n\r\n\
                    {[%clk 1:00] before} 1.e4! $1 $14 {[%eval 0.3] [%clk 0:59]} (1.d4 {)} (1.c4 *) d5) 1...e5 +- \
                    2 Nf3 !? Nc6 ; 3. Qh5\r\n%3. Qh5\n3.exd6 e.p. 0-0 = \u{bd}-\u{bd}\n\
                    1. d4 * 1. c4 1-0\n";
        let (games, errors) = read(text.as_bytes());
        assert_eq!(errors, [""; 0]);
        let all: Vec<Vec<_>> = games.iter().map(|game| moves(game).iter().map(|mv| mv.0).collect()).collect();
        assert_eq!(all, [vec!["e4!", "e5", "Nf3", "Nc6", "exd6", "0-0"], vec!["d4"], vec!["c4"]]);
        assert_eq!(moves(&games[0])[0].1, "[%eval 0.3] [%clk 0:59]");
        assert_eq!(games[0].players[0].name, "a \"b\"");
        let winners: Vec<_> = games.iter().map(|game| game.end.as_ref().map(|end| end.winner)).collect();
        assert_eq!(winners, [Some(None), None, Some(Some(Color::White))]);
    }

    #[test]
    fn lines_that_are_not_utf8_are_windows_1252() {
        let (games, _) = read(b"[White \"Andr\xe9\"]\n[Black \"\xc5\xbd\"]\n1. e4 *\n");
        assert_eq!(games[0].players.each_ref().map(|side| side.name.as_str()), ["Andr\u{e9}", "\u{17d}"]);
    }

    #[test]
    fn an_error_costs_one_game() {
        let good = "[Event \"x\"]\n[Site \"y\"]\n\n1. e4 e5 1-0\n\n";
        for (bad, error) in [
            ("hello\n\n", "line 3: the game ends without a result after `hello`"),
            ("[Event \"x\"]\n\n1. e4 e", "line 4: the game ends without a result after `e`"),
            ("\n[White x]\n[Black \"y\"]\n\n1. d4 d5 1-0\n", "line 2: `[White x]`: expected a tag"),
            ("1. e4 {open\n", "line 2: a comment or a variation is not closed"),
            ("1. e4 (open {)} 1-0\n", "line 2: a comment or a variation is not closed"),
        ] {
            let cut = if bad.ends_with('e') { "\n" } else { "" };
            let (games, errors) = read(format!("{bad}{cut}{good}").as_bytes());
            assert_eq!(games.len(), 1, "{bad}: {errors:?}");
            assert!(errors.len() == 1 && errors[0].starts_with(error), "{bad}: {errors:?}");
            let (games, errors) = read(format!("{good}{bad}").as_bytes());
            assert_eq!((games.len(), errors.len()), (1, 1), "{bad}: {errors:?}");
        }
        let stray = parse("1. e4 ) } *").unwrap();
        assert_eq!(moves(&stray[0]), [("e4", ""), (")", ""), ("}", "")]);
    }

    #[test]
    fn endless_lines_and_comments_end() {
        let long = "x".repeat(LONGEST_LINE as usize + 1);
        assert_eq!(read(long.as_bytes()).1, [format!("line 1: {}", Problem::LongLine)]);
        let comment = format!("1. e4 {{{}}} *", "long\n".repeat(LONGEST_COMMENT));
        let (games, _) = read(comment.as_bytes());
        assert!(games[0].moves[0].comment.len() <= LONGEST_COMMENT);
    }
}
