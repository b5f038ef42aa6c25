//! A lenient PGN reader: one game after the other, in constant memory.
//!
//! Comments, annotation glyphs, variations and tags are kept. Tags may be missing or damaged, comments may
//! stand anywhere, moves may lack spaces, a comment or a variation may not be closed, and a game may end
//! without a result. Bytes that are no text are an error of their game, or one between games. After an error
//! the reader continues with the next game.

use std::io::BufRead;

use thiserror::Error;

use super::lines::{Damage, Lines, MAX_LINE, is_space};
use super::record::{Movetext, record};
use super::tag::{self, is_tag};
use super::words::{self, Winner, Word};
use super::writer::result_text;
use super::{DEEPEST, PgnGame, PgnMove, glued, join};

/// The longest comment in bytes that is kept; the rest of a longer one is dropped.
const MAX_COMMENT: usize = 1 << 20;

/// An error in a PGN file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{problem}", place(.line, .problem))]
pub struct PgnError {
    /// The line, counted from 1; the last readable one, if the next one cannot be read.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

/// A problem in a PGN file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The next game or the end of the file comes before the result; the last word is given. Only required of
    /// files written here.
    #[error("the game ends without a result after {}", labrys_core::game::quote(.0))]
    Unfinished(String),
    /// There is a byte that is no text in a game or between two.
    #[error("byte 0x{0:02x} is no text: the file is damaged")]
    NoText(u8),
    /// A line is too long for a record of games.
    #[error("a line of more than {MAX_LINE} bytes")]
    LongLine,
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(String),
}

/// The line of a problem. What cannot be read has none.
fn place(line: &usize, problem: &Problem) -> String {
    match problem {
        Problem::Read(_) => String::new(),
        _ => format!("line {line}: "),
    }
}

/// Reads games one by one.
///
/// Lines are UTF-8, or Windows-1252 (and so Latin-1) where they are no valid UTF-8.
#[derive(Debug)]
pub struct PgnReader<R> {
    lines: Lines<R>,
    /// The line in which the last game begins.
    game_line: usize,
    /// The last word of the moves.
    last_word: String,
    /// The line and the byte at which the last game ends.
    end: (usize, u64),
    /// Whether the last game ends with its result.
    has_result: bool,
    /// An error after a complete game.
    behind: Option<Problem>,
    /// Bytes in or before the last game that are no text.
    damage: Option<Damage>,
    /// Whether nothing more can be read.
    is_over: bool,
}

/// The head of a game, before its moves.
#[derive(Default)]
struct Head {
    tags: Vec<(String, String)>,
    comment: String,
    /// Whether there is a space or a comment between its tags.
    is_spaced: bool,
}

/// A token of the move section.
enum Token {
    Move(String),
    Comment(String),
    Glyph(u16),
    /// A variation begins or ends.
    Open,
    Close,
    /// The result; `None` for `*`.
    Result(Option<Winner>),
    /// The next game begins, or the file ends.
    End,
}

/// The moves of the game or of a variation read so far.
#[derive(Default)]
struct Line {
    moves: Vec<PgnMove>,
    /// Annotations before the first move.
    next: PgnMove,
}

impl Line {
    /// The move that comments, glyphs and variations belong to.
    fn last(&mut self) -> &mut PgnMove {
        self.moves.last_mut().unwrap_or(&mut self.next)
    }

    fn comment(&mut self, text: &str) {
        match self.moves.last_mut() {
            Some(last) => join(&mut last.comment, text),
            None => join(&mut self.next.before, text),
        }
    }
}

impl Head {
    /// Whether a tag of this name begins the next game, so that this one has no moves. A tag that repeats
    /// after a blank line does, and so does any tag after a blank line after `Result`, the last mandatory
    /// tag. `Event` begins the next game where it repeats; it need not be the first tag, as some programs
    /// sort tags by name.
    fn is_followed_by(&self, name: &str, is_after_space: bool) -> bool {
        let seen = |name: &str| self.tags.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let is_first = self.tags.first().is_some_and(|(first, _)| first.eq_ignore_ascii_case(name));
        (is_first && self.tags.len() > 1)
            || (is_after_space && (seen(name) || (seen("Result") && !self.is_spaced)))
            || (name.eq_ignore_ascii_case("Event")
                && seen(name)
                && ["White", "Black", "Result"].into_iter().any(seen))
    }
}

impl<R: BufRead> PgnReader<R> {
    /// Reads the games of `input`.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader {
            lines: Lines::new(input),
            game_line: 1,
            last_word: String::new(),
            end: (0, 0),
            has_result: false,
            behind: None,
            damage: None,
            is_over: false,
        }
    }

    /// The line in which the last game begins, counted from 1.
    pub fn game_line(&self) -> usize {
        self.game_line
    }

    /// The length of what has been read up to the end of the last game, in bytes of the file.
    pub fn bytes_read(&self) -> u64 {
        self.end.1
    }

    /// The error of the last game if it has no result; `None` if it has.
    pub fn unfinished(&self) -> Option<PgnError> {
        let problem = || Problem::Unfinished(self.last_word.clone());
        (!self.has_result).then(|| PgnError { line: self.end.0, problem: problem() })
    }

    /// The error of text after the last game that is no game.
    pub(super) fn leftover(&self) -> PgnError {
        PgnError { line: self.lines.number(), problem: Problem::Unfinished(self.last_word.clone()) }
    }

    /// The next game; `None` at the end of the file.
    fn game(&mut self) -> Result<Option<PgnGame>, Problem> {
        loop {
            let mut head = Head::default();
            let is_at_moves = self.head(&mut head)?;
            let mut text = if is_at_moves { self.moves()? } else { Movetext::default() };
            self.check_damage()?;
            if head.tags.is_empty() && text.moves.is_empty() {
                // A comment or a sign alone is no game.
                match is_at_moves {
                    true => continue,
                    false => return Ok(None),
                }
            }
            join(&mut head.comment, &std::mem::take(&mut text.comment));
            text.comment = head.comment;
            self.end = (self.lines.number(), self.lines.bytes_read());
            if self.has_result {
                self.closing(&mut text);
            }
            let mut game = record(head.tags, text);
            glued::split(&mut game);
            return Ok(Some(game));
        }
    }

    /// The tags of a game, and the comments between them. False if no moves come after them.
    fn head(&mut self, head: &mut Head) -> Result<bool, Problem> {
        let (mut is_after_comment, mut is_after_prose) = (false, false);
        while let Some(is_after_blank) = self.lines.skip_space()? {
            if head.tags.is_empty() && head.comment.is_empty() {
                self.game_line = self.lines.number();
                self.last_word.clear();
                self.has_result = false;
                self.check_between()?;
            }
            match self.lines.letter() {
                Some('{' | ';') => {
                    join(&mut head.comment, &self.comment()?);
                    is_after_comment = true;
                }
                Some('[') => match tag::read(self.lines.rest()) {
                    Some(tag) if head.is_followed_by(&tag.name, is_after_blank || is_after_comment) => {
                        return Ok(false);
                    }
                    // A list of moves in brackets.
                    _ if is_list(self.lines.rest()) => return Ok(true),
                    Some(tag) => {
                        head.is_spaced |= !head.tags.is_empty() && (is_after_blank || is_after_comment);
                        self.last_word.clone_from(&tag.name);
                        head.tags.push(self.whole_tag(tag)?);
                        is_after_comment = false;
                    }
                    None => join(&mut head.comment, &self.bracket()),
                },
                _ => match words::prose_length(self.lines.rest(), is_after_prose) {
                    Some(length) => {
                        self.last_word = words_of(&self.lines.rest()[..length]);
                        join(&mut head.comment, &self.last_word);
                        self.lines.skip(length);
                        (is_after_prose, is_after_comment) = (true, true);
                    }
                    None => return Ok(true),
                },
            }
        }
        Ok(false)
    }

    /// Reads a tag, whose value may continue on the next line.
    fn whole_tag(&mut self, tag: tag::Tag) -> Result<(String, String), Problem> {
        let (name, mut value) = (tag.name, tag.value);
        self.lines.skip(tag.length);
        if !tag.is_closed && self.lines.next_line()? {
            let rest = self.lines.rest();
            if let Some(end) = rest.find("\"]").filter(|_| !rest.trim_start().starts_with('[')) {
                join(&mut value, rest[..end].trim());
                self.lines.skip(end + 2);
            }
        }
        Ok((name, value))
    }

    /// The moves of a game and its result.
    fn moves(&mut self) -> Result<Movetext, Problem> {
        let mut game = Line::default();
        // The open variations, each within the one before.
        let mut open: Vec<Line> = Vec::new();
        // The result in a variation. If the variation is not closed, it is that of the game.
        let mut last_result = None;
        loop {
            let token = self.token(game.moves.len(), open.len(), last_result.is_some())?;
            let line = open.last_mut().unwrap_or(&mut game);
            if let Some((text, _)) = last_result.take_if(|_| !matches!(token, Token::End)) {
                line.comment(text);
            }
            let result = match token {
                Token::Move(text) => {
                    // The second part may be in the next line.
                    if let Some(last) = line.moves.last_mut()
                        && last.is_plain()
                        && words::are_parts(&last.text, &text)
                    {
                        last.text += &text;
                        continue;
                    }
                    line.moves.push(PgnMove { text, ..std::mem::take(&mut line.next) });
                    continue;
                }
                Token::Comment(comment) => {
                    line.comment(&comment);
                    continue;
                }
                Token::Glyph(glyph) => {
                    line.last().add_glyph(glyph);
                    continue;
                }
                Token::Open => {
                    open.push(Line::default());
                    continue;
                }
                Token::Close => {
                    close(&mut game, &mut open);
                    continue;
                }
                Token::Result(result) if !open.is_empty() => {
                    last_result = result.map(|winner| (result_text(winner), winner));
                    continue;
                }
                Token::Result(result) => {
                    self.has_result = true;
                    Some(result)
                }
                Token::End => last_result.map(|(_, winner)| Some(winner)),
            };
            while !open.is_empty() {
                close(&mut game, &mut open);
            }
            let Line { mut moves, next } = game;
            // Annotations before the first move belong to the whole game.
            let mut comment = next.before;
            if let Some(first) = moves.first_mut() {
                comment = std::mem::take(&mut first.before);
            }
            cut_at_null_move(&mut moves, &mut comment);
            return Ok(Movetext { moves, comment, closing: String::new(), result, second: None });
        }
    }

    /// The next token; `plies` moves of the game have been read, and `depth` variations are open, the last
    /// one perhaps after its result.
    fn token(&mut self, plies: usize, depth: usize, is_behind_result: bool) -> Result<Token, Problem> {
        loop {
            let is_after_blank = self.lines.skip_space()?;
            let is_at_tag = || is_tag(self.lines.rest()) && self.lines.at_start();
            if is_after_blank.is_none() || is_at_tag() {
                return Ok(Token::End);
            }
            if (depth == 0 || is_behind_result) && self.begins_next_game(plies, is_after_blank == Some(true))
            {
                return Ok(Token::End);
            }
            if let Some((length, result)) = words::result_at(self.lines.rest()) {
                self.lines.skip(length);
                return Ok(Token::Result(result));
            }
            match self.lines.letter() {
                Some('{' | ';') => return Ok(Token::Comment(self.comment()?)),
                Some('[') if plies == 0 && is_list(self.lines.rest()) => self.lines.skip(1),
                Some('[') => return Ok(Token::Comment(self.bracket())),
                Some('(') => {
                    self.lines.skip(1);
                    return Ok(Token::Open);
                }
                Some(')') if depth > 0 => {
                    self.lines.skip(1);
                    return Ok(Token::Close);
                }
                Some('.' | '…') => self.lines.skip_while(|letter| matches!(letter, '.' | '…')),
                _ => {
                    if let Some(token) = self.word(depth) {
                        return Ok(token);
                    }
                }
            }
        }
    }

    /// Whether a line begins with the number of a first move after moves that have no result: the next game.
    fn begins_next_game(&self, plies: usize, is_after_blank: bool) -> bool {
        let is_first = self.lines.rest().strip_prefix("1.").is_some_and(|rest| !rest.starts_with('.'));
        is_first && self.lines.at_start() && (plies > 1 || (plies > 0 && is_after_blank))
    }

    /// Reads a word, or a sign. `None` if it has no meaning.
    fn word(&mut self, depth: usize) -> Option<Token> {
        let rest = self.lines.rest();
        let word = match rest.chars().next() {
            Some('$') => {
                let number = &rest[1..];
                let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
                // A number that no glyph has stays as it is.
                let sign = || Token::Comment(rest[..=end].to_owned());
                let glyph = (end > 0).then(|| number[..end].parse().map_or_else(|_| sign(), Token::Glyph));
                self.lines.skip(1 + end);
                return glyph;
            }
            Some('!' | '?') => {
                let end = rest.find(|letter| !matches!(letter, '!' | '?')).unwrap_or(rest.len());
                let mark = words::marks(&rest[..end]);
                self.lines.skip(end);
                return token(mark);
            }
            // An unmatched bracket.
            Some('}' | ')' | ']') => {
                self.lines.skip(1);
                return None;
            }
            _ => &rest[..words::word_length(rest)],
        };
        let whole = word;
        let word = &word[..word.len() - words::glued_result(word).unwrap_or(0)];
        let word = &word[..word.len() - words::sign_length(word)];
        let found = match words::read(&word.replace(is_space, "")) {
            Word::Move(text) if text != whole && !words::is_move(&text) => Word::Sign(text),
            found => found,
        };
        let (length, is_number) = (word.len(), word.bytes().all(|byte| byte.is_ascii_digit()));
        if depth == 0 && matches!(found, Word::Move(_)) {
            self.last_word = word.to_owned();
        }
        self.lines.skip(length);
        // As in `1) e4`.
        if is_number && depth == 0 && self.lines.letter() == Some(')') {
            self.lines.skip(1);
        }
        token(found)
    }

    /// The text of a comment in one line: in braces, or after a semicolon.
    fn comment(&mut self) -> Result<String, Problem> {
        if self.lines.letter() == Some(';') {
            let text = words_of(&self.lines.rest()[1..]);
            self.lines.skip_while(|_| true);
            return Ok(text);
        }
        self.lines.skip(1);
        // The braces that are open within the comment.
        let (mut text, mut open) = (String::new(), 0);
        loop {
            let rest = self.lines.rest();
            let end = rest.find('}');
            let part = &rest[..end.unwrap_or(rest.len())];
            open += part.matches('{').count();
            if text.len() + part.len() <= MAX_COMMENT {
                text.push_str(part);
            }
            if let Some(end) = end {
                let is_nested = open > 0 && closes_first(&rest[end + 1..]);
                self.lines.skip(end + 1);
                if !is_nested {
                    return Ok(words_of(&text));
                }
                text.push('}');
                open -= 1;
                continue;
            }
            let is_blank = rest.trim().is_empty();
            // Without an end, it ends where the next game begins.
            if !self.lines.next_line()? || self.begins_tags(is_blank) {
                return Ok(words_of(&text));
            }
        }
    }

    /// Whether the line begins with a tag of a game, within a comment.
    fn begins_tags(&self, is_after_blank: bool) -> bool {
        let rest = self.lines.rest();
        rest.starts_with("[Event \"") || (is_after_blank && is_tag(rest))
    }

    /// Text in square brackets that is no tag.
    fn bracket(&mut self) -> String {
        let rest = self.lines.rest();
        let end = rest.find(']').map_or(rest.len(), |end| end + 1);
        let text = words_of(&rest[..end]);
        self.lines.skip(end);
        text
    }

    /// The comments and other results after the result. Their errors are not errors of the game.
    fn closing(&mut self, text: &mut Movetext) {
        self.behind = loop {
            match self.closing_part(text) {
                Ok(true) => self.end = (self.lines.number(), self.lines.bytes_read()),
                Ok(false) => break None,
                Err(problem) => break Some(problem),
            }
        };
    }

    /// The next comment or result after the result; false if there is none.
    fn closing_part(&mut self, text: &mut Movetext) -> Result<bool, Problem> {
        let Some(is_after_blank) = self.lines.skip_space()? else {
            return self.check_damage().map(|()| false);
        };
        self.check_between()?;
        if matches!(self.lines.letter(), Some('{' | ';')) {
            let comment = self.comment()?;
            self.check_damage()?;
            join(&mut text.closing, &comment);
            return Ok(true);
        }
        // After a blank line it is no result of this game.
        match words::result_at(self.lines.rest()).filter(|_| !is_after_blank) {
            Some((length, result)) => {
                self.lines.skip(length);
                let second = result.filter(|second| text.result.flatten() != Some(*second));
                text.second = text.second.or(second);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// The error of bytes that are no text in what has been read since the last call.
    fn check_damage(&mut self) -> Result<(), Problem> {
        self.damage = self.lines.take_damage();
        self.damage.map_or(Ok(()), |damage| Err(Problem::NoText(damage.byte)))
    }

    /// The error of such bytes between games. What is behind them in the same line is the rest of a game, whose
    /// beginning they have taken, and so is what follows up to the next game.
    fn check_between(&mut self) -> Result<(), Problem> {
        let checked = self.check_damage();
        let is_rest = self.damage.is_some_and(|damage| damage.line == self.lines.number());
        if is_rest && !self.begins_tags(false) {
            // The rest of a tag has further ones and a blank line before the moves.
            let mut blank_lines = if self.lines.rest().trim_end().ends_with(']') { 2 } else { 1 };
            let mut is_blank = false;
            while blank_lines > 0 && self.lines.next_line()? && !self.begins_tags(is_blank) {
                is_blank = self.lines.rest().trim().is_empty();
                blank_lines -= usize::from(is_blank);
            }
        }
        checked
    }

    /// The next game, after an earlier problem.
    fn next_game(&mut self) -> Result<Option<PgnGame>, Problem> {
        match self.behind.take() {
            Some(problem) => Err(problem),
            None => self.game(),
        }
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.next_game();
        next.transpose().map(|game| {
            game.map_err(|problem| {
                self.is_over = matches!(problem, Problem::Read(_) | Problem::LongLine);
                let damage = self.damage.filter(|_| matches!(problem, Problem::NoText(_)));
                PgnError { line: damage.map_or(self.lines.number(), |damage| damage.line), problem }
            })
        })
    }
}

/// Ends the last variation that is open.
fn close(game: &mut Line, open: &mut Vec<Line>) {
    let Some(variation) = open.pop() else { return };
    let (depth, line) = (open.len(), open.last_mut().unwrap_or(game));
    if variation.moves.is_empty() {
        line.comment(&variation.next.before);
    } else if depth < DEEPEST {
        line.last().variations.push(variation.moves);
    } else {
        log::warn!("a variation within {DEEPEST} others is left out");
    }
}

/// Ends the moves of a game at a null move. The rest is kept as a comment.
fn cut_at_null_move(moves: &mut Vec<PgnMove>, comment: &mut String) {
    let Some(at) = moves.iter().position(|mv| words::is_null_move(&mv.text)) else { return };
    let rest = as_comment(&moves.split_off(at));
    let comment = moves.last_mut().map_or(comment, |last| &mut last.comment);
    join(comment, &format!("null move: {rest}"));
}

/// Formats moves with their comments and variations as part of a comment, in parentheses as comments have no
/// braces.
fn as_comment(moves: &[PgnMove]) -> String {
    let mut text = String::new();
    for mv in moves {
        join(&mut text, &in_brackets(&mv.before));
        join(&mut text, &mv.text);
        mv.glyphs.iter().for_each(|glyph| join(&mut text, &format!("${glyph}")));
        join(&mut text, &in_brackets(&mv.comment));
        mv.variations.iter().for_each(|line| join(&mut text, &in_brackets(&as_comment(line))));
    }
    text
}

/// A text in round brackets, unless it is empty.
fn in_brackets(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("({text})") }
}

/// Whether a text begins with a list of moves in brackets, as in `[1. e4 e5]`.
fn is_list(text: &str) -> bool {
    let digits = text.strip_prefix('[').unwrap_or_default().trim_start_matches(is_space);
    let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < digits.len() && rest.starts_with('.')
}

/// Whether a text closes a comment before it opens another one.
fn closes_first(text: &str) -> bool {
    text.find(['{', '}', ';']).is_some_and(|at| text[at..].starts_with('}'))
}

/// The token of a word in the moves of a game.
fn token(word: Word) -> Option<Token> {
    match word {
        Word::Move(text) => Some(Token::Move(text)),
        Word::Glyph(glyph) => Some(Token::Glyph(glyph)),
        Word::Sign(text) => Some(Token::Comment(text)),
        Word::Nothing => None,
    }
}

/// A text in one line.
fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::parse;
    use super::*;
    use labrys_core::game::Color;

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

    fn texts(game: &PgnGame) -> String {
        game.moves.iter().map(|mv| mv.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// White, the moves and the winner of each game of a text without errors.
    fn summary(text: &str) -> Vec<String> {
        let (games, errors) = read(text.as_bytes());
        assert_eq!(errors, [""; 0], "{text}");
        let winner = |game: &PgnGame| match game.end.as_ref().map(|end| end.winner) {
            None => "*",
            Some(None) => "=",
            Some(Some(Color::White)) => "+",
            Some(Some(Color::Black)) => "-",
        };
        games
            .iter()
            .map(|game| format!("{}: {} {}", game.players[0].name, texts(game), winner(game)))
            .collect()
    }

    #[test]
    fn games_of_other_programs_are_read() {
        let text = "% a comment\n[White \"x\"]\n[Result \"0-1\"]\n\n1.e4 e5 $1 \
                    (1... c5 {Sicilian (or so)} 2. Nf3 (2. c3))\n\
                    2.Nf3 ; good\n{first} Nc6 {two\nwords} {more} 0-1\n";
        let read = parse(text).unwrap().remove(0);
        assert_eq!(moves(&read), [("e4", ""), ("e5", ""), ("Nf3", "good first"), ("Nc6", "two words more")]);
        assert_eq!(read.moves[1].glyphs, [1]);
        let variation = &read.moves[1].variations[0];
        assert_eq!(
            (variation[0].comment.as_str(), variation[1].variations[0][0].text.as_str()),
            ("Sicilian (or so)", "c3")
        );
        assert_eq!((read.number, read.variant.as_ref()), (None, None));
        assert_eq!(read.end.unwrap().winner, Some(Color::Black));
        assert_eq!(read.players.map(|side| side.name), ["x", "?"]);
        assert_eq!(parse(" \n\n"), Ok(vec![]));
    }

    #[test]
    fn the_line_of_each_game_is_known() {
        let text = "1. e4 *\n\n[Event \"x\"]\n[Site \"y\"]\n1. d4 *\n";
        let mut reader = PgnReader::new(text.as_bytes());
        for line in [1, 3] {
            assert!(reader.next().unwrap().is_ok());
            assert_eq!(reader.game_line(), line);
        }
    }

    #[test]
    fn brackets_are_lists_before_the_first_move_and_comments_behind_it() {
        assert_eq!(summary("[1. e4 e5 *"), ["?: e4 e5 *"]);
        assert_eq!(summary("1. e4 [1. d4 d5] e5 *"), ["?: e4 e5 *"]);
        assert_eq!(summary("[. e5] 1. e4 *"), ["?: e4 *"], "a list begins with a number");
    }

    #[test]
    fn text_between_moves_is_read() {
        let text = "\u{feff}% a line\n[White \"a \\\"b\\\"\"] [Black \"c\"]\r\n\r\n\
                    {[%clk 1:00] before} 1.e4! $1 $14 {[%eval 0.3] [%clk 0:59]} (1.d4 {)} (1.c4 *) d5) 1...e5 +- \
                    2 Nf3 !? Nc6 ; 3. Qh5\r\n%3. Qh5\n3.exd6 e.p. 0-0 = \u{bd}-\u{bd}\n\
                    1. d4 * 1. c4 1-0\n";
        let (games, errors) = read(text.as_bytes());
        assert_eq!(errors, [""; 0]);
        let all: Vec<_> = games.iter().map(texts).collect();
        assert_eq!(all, ["e4 e5 Nf3 Nc6 exd6 0-0", "d4", "c4"]);
        let glyphs: Vec<_> = games[0].moves.iter().map(|mv| mv.glyphs.as_slice()).collect();
        assert_eq!(glyphs, [&[1, 14][..], &[18], &[5], &[], &[], &[10]]);
        assert_eq!(moves(&games[0])[0].1, "[%eval 0.3] [%clk 0:59]");
        assert_eq!((games[0].comment.as_str(), moves(&games[0])[3].1), ("[%clk 1:00] before", "3. Qh5"));
        assert_eq!(games[0].players[0].name, "a \"b\"");
        let winners: Vec<_> = games.iter().map(|game| game.end.as_ref().map(|end| end.winner)).collect();
        assert_eq!(winners, [Some(None), None, Some(Some(Color::White))]);
    }

    #[test]
    fn a_game_without_moves_does_not_join_the_next() {
        let second = "[White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. O-O 1-0\n";
        for (first, result) in [
            ("[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n", "="),
            ("[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n", "="),
            ("[White \"A\"]\n[Result \"1/2-1/2\"]\n\n{never played}\n\n", "="),
            ("[White \"A\"]\n\n; never played\n\n", "*"),
            ("[White \"A\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n", "="),
            ("[Event \"x\"]\n[White \"A\"]\n\n[Event \"y\"]\n", "*"),
            ("[White \"A\"]\n[Event \"y\"]\n", "*"),
        ] {
            let found = summary(&format!("{first}{second}"));
            assert_eq!(found, [format!("A:  {result}"), "C: O-O +".to_owned()], "{first}");
        }
        // A tag that the first game does not have.
        let first = "[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n";
        for tags in [
            "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[SetUp \"1\"]\n",
            "[Event \"x\"]\n",
            "[Annotator \"x\"]\n",
        ] {
            for between in ["", "{a comment}\n\n"] {
                let found = summary(&format!("{first}{between}{tags}\n1. O-O 1-0\n"));
                assert_eq!(found, ["A:  =", "?: O-O +"], "{between}{tags}");
            }
        }
        // Spaces and comments within one head.
        for head in [
            "[Event \"x\"]\n\n[White \"A\"]\n",
            "[Event \"x\"]\n{c}\n[White \"A\"]\n",
            "[Event \"x\"]\n[Event \"x\"]\n[White \"A\"]\n",
            "[Event \"x\"]\n\n[White \"A\"]\n\n[Result \"*\"]\n\n[ECO \"C20\"]\n",
            "[White \"A\"]\n[Event \"x\"]\n",
            "[Black \"B\"]\n[Date \"?\"]\n[Event \"x\"]\n[Result \"*\"]\n[Site \"?\"]\n[White \"A\"]\n",
        ] {
            assert_eq!(summary(&format!("{head}\n1. e4 *")), ["A: e4 *"], "{head}");
        }
    }

    #[test]
    fn comments_around_games_are_no_games() {
        let text = "; a file\n{of games}\n\n[White \"A\"]\n\n{before} 1. e4 1-0 {behind}\n\n{between}\n\n\
                    [White \"B\"]\n\n1. {early} d4 {late} 0-1\n; the end\n{of it}\n";
        assert_eq!(summary(text), ["A: e4 +", "B: d4 -"]);
        let (games, _) = read(text.as_bytes());
        let around: Vec<_> = games.iter().map(|game| (&*game.comment, &*game.closing)).collect();
        assert_eq!(around, [("a file of games before", "behind between"), ("early", "the end of it")]);
        for text in ["{a}", "; a\n", "{a}\n\n{b}\n", "%\n", "*", "$1 ...", ")"] {
            let found = summary(text);
            assert!(found.is_empty() || text == ")", "{text}: {found:?}");
        }
        // An unclosed comment after a game is no error of the game.
        let (games, errors) = read(b"1. e4 1-0\n{open\n[Event \"x\"]\n\n1. d4 *");
        assert_eq!((games.len(), games[0].closing.as_str(), errors), (2, "open", vec![]));
    }

    #[test]
    fn prose_before_games_is_a_comment() {
        for (text, expected) in [
            ("Hello, my game:\n\n1. e4 e5 1-0", "?: e4 e5 +"),
            ("Some text\n\n[White \"A\"]\n[Black \"b\"]\n\n1. e4 e5 1-0\n", "A: e4 e5 +"),
            ("[White \"A\"]\n\nPlayed in a park in 1995.\n\n1. e4 e5 1-0\n", "A: e4 e5 +"),
            ("[White \"A\"]\n\n1. e4 e5 1-0\n\nThanks for reading a lot!\n", "A: e4 e5 +"),
            ("Thanks: e4 e5", "?: e4 e5 *"),
            ("[1. e4 e5]", "?: e4 e5 *"),
            ("[ 1.e4 e5 2. Nf3 ] 1-0", "?: e4 e5 Nf3 +"),
            // What may be a damaged move is one.
            ("1. Hello e5", "?: Hello e5 *"),
            ("Nff e5", "?: Nff e5 *"),
        ] {
            assert_eq!(summary(text), [expected], "{text}");
        }
        let (games, _) = read(b"Hello you\n\n[White \"A\"]\n\nthis is it 1. e4 *");
        assert_eq!(games[0].comment, "Hello you this is it");
        assert_eq!(summary("Hello\n\nall of you!\n"), [""; 0]);
    }

    #[test]
    fn moves_may_be_written_in_any_way() {
        for (text, expected) in [
            ("1. e4 e5 2. O - O D 0 - 0 3. OO 00", "?: e4 e5 O-O 0-0 OO 00 *"),
            ("1. e2 - e4 e7-e5 2. Ng1 - f3 Nb8 x c6", "?: e2-e4 e7-e5 Ng1-f3 Nb8xc6 *"),
            ("1. e8(=Q) e1=(Q) 2. d8 =Q d1 = N 3. a8 (R)", "?: e8(=Q) e1=(Q) d8=Q d1=N a8(R) *"),
            ("1- e4 e5 2-Nf3 Nc6 3: Bb5", "?: e4 e5 Nf3 Nc6 Bb5 *"),
            ("1. e4 e5 White resigns 1-0", "?: e4 e5 +"),
            ("1. e4 e5 resigns", "?: e4 e5 *"),
            ("1. e4 e5 Draw agreed. 1/2-1/2", "?: e4 e5 ="),
            ("1. e4 e5 etc.", "?: e4 e5 *"),
            ("1. e4 e5 and Black lost on time 1-0", "?: e4 e5 +"),
            ("1. e4 f5 2. Qh5 check g6 3. d4 dbl.ch. e5 disc. check", "?: e4 f5 Qh5 g6 d4 e5 *"),
            ("1. e4 D e5 N Nf3", "?: e4 e5 Nf3 *"),
            // The moves of White and of Black.
            ("1. e4 - e5 2. Nf3 - Nc6", "?: e4 e5 Nf3 Nc6 *"),
        ] {
            assert_eq!(summary(text), [expected], "{text}");
        }
        let (games, _) = read(b"1. e4 $70000 e5 $ White resigns");
        assert_eq!(moves(&games[0])[..2], [("e4", "$70000"), ("e5", "White resigns")][..]);
    }

    #[test]
    fn a_game_ends_where_a_player_passes() {
        let (games, errors) =
            read(b"1. e4 -- 2. d4 Z0 3. c4 1-0\n\n[White \"A\"]\n\n-- e5 *\n\n1. d4 (1. -- d5) d5 *");
        assert_eq!(errors, [""; 0]);
        assert_eq!(moves(&games[0]), [("e4", "null move: -- d4 Z0 c4")]);
        assert_eq!((games[0].end.is_some(), games[1].moves.len()), (true, 0));
        assert_eq!(games[2].moves[0].variations[0][0].text, "--");
        // Annotations of the moves after it are kept.
        let (games, _) =
            read(b"1. e4 {a} -- $13 {b} 2. d4 (2. c4 {c} (2. f4) e5! {d}) *\n\n[White \"A\"]\n\nZ0 {e} e5 *");
        let told = "a null move: -- $13 (b) d4 (c4 (c) (f4) e5 $1 (d))";
        assert_eq!(moves(&games[0]), [("e4", told)]);
        assert_eq!(games[1].comment, "null move: Z0 (e) e5");
    }

    #[test]
    fn unclosed_comments_end_with_their_game() {
        let next = "[White \"B\"]\n[Black \"b\"]\n\n1. c4 0-1\n";
        for (text, expected) in [
            ("1. e4 (1. d4 e5 *", "?: e4 *"),
            ("1. e4 (1. d4 (1. c4 c5 e5 1-0", "?: e4 +"),
            ("1. e4 {open e5", "?: e4 *"),
            ("1. e4 (1. d4 {open", "?: e4 *"),
            ("1. e4 (open {)} e5 1-0", "?: e4 +"),
            ("1. e4 ) e5 *", "?: e4 e5 *"),
            ("1. e4 } e5 *", "?: e4 e5 *"),
            ("1. e4 {nested {brace} x} e5 *", "?: e4 e5 *"),
            ("1. e4 {a {b {c} d} e} e5 *", "?: e4 e5 *"),
            ("1. e4 {a {b} e5 {c} *", "?: e4 e5 *"),
            ("1. e4 (1. d4)) e5 *", "?: e4 e5 *"),
            ("1. e4 {[%clk 1:00} e5 *", "?: e4 e5 *"),
            ("1. e4 {a\n[White \"x\"] b} e5 *", "?: e4 e5 *"),
        ] {
            assert_eq!(summary(text), [expected], "{text}");
            for next in [next.to_owned(), format!("[Event \"x\"]\n{next}")] {
                assert_eq!(summary(&format!("{text}\n\n{next}")), [expected, "B: c4 -"], "{text}");
            }
        }
        assert_eq!(summary("1. e4 (1. d4 d5 1-0\n\n1. c4 0-1"), ["?: e4 +", "?: c4 -"]);
        let (games, _) = read(b"1. e4 (1. d4 1/2-1/2 ) (1. c4 c5 0-1) e5 {nested {brace} x} *");
        let last = games[0].moves[0].variations.iter().map(|line| line.last().unwrap().comment.as_str());
        assert_eq!(last.collect::<Vec<_>>(), ["1/2-1/2", "0-1"]);
        assert_eq!(games[0].moves[1].comment, "nested {brace} x");
        // Only a result of its own says that a game is whole.
        let mut reader = PgnReader::new(&b"1. e4 (1. d4 1-0"[..]);
        assert!(reader.next().unwrap().is_ok() && reader.unfinished().is_some());
    }

    #[test]
    fn braces_within_braces_take_no_longer_than_other_text() {
        // Where each brace counts those before it, this takes half an hour.
        let nested = |count: usize| format!("{}x{}", "{".repeat(count), "}".repeat(count));
        let text = format!("1. e4 {} e5 {} *", nested(500_000), nested(2));
        assert_eq!(summary(&text), ["?: e4 e5 *"]);
        let (games, _) = read(text.as_bytes());
        let comments: Vec<_> = games[0].moves.iter().map(|mv| mv.comment.len()).collect();
        assert_eq!(comments, [nested(499_999).len(), "{x}".len()]);
    }

    #[test]
    fn words_are_split_where_the_standard_splits() {
        for (text, expected) in [
            ("1. e4 h6*", "?: e4 h6 *"),
            ("1.e4 e51-0", "?: e4 e5 +"),
            ("1. f3 e5 2. g4 Qh4#0-1", "?: f3 e5 g4 Qh4# -"),
            ("1.Nf3$1Nf6$2 1/2-1/2", "?: Nf3 Nf6 ="),
            ("1.Nf3!Nf6??2.Ng1{x}Ng8;y\n*", "?: Nf3 Nf6 Ng1 Ng8 *"),
            ("1.e4(1.d4)e5(1...c5)*", "?: e4 e5 *"),
            ("1.e4[%clk 1:00]e5", "?: e4 e5 *"),
            ("1...e5", "?: e5 *"),
            ("1. ... e5", "?: e5 *"),
            ("1 e4 e5 2 Nf3", "?: e4 e5 Nf3 *"),
            ("1) e4 e5 2) Nf3", "?: e4 e5 Nf3 *"),
            ("1. e4 (1. d4 2) e5", "?: e4 e5 *"),
            ("e4, e5, Nf3", "?: e4 e5 Nf3 *"),
            ("1.\u{a0}e4\u{200b} e5 \u{1a}", "?: e4 e5 *"),
            ("1. e4 e5 1 - 0", "?: e4 e5 +"),
            ("1. e8(Q) Kd7", "?: e8(Q) Kd7 *"),
            ("1. e8\nQ Kd7", "?: e8Q Kd7 *"),
            ("1. e4 b3 B", "?: e4 b3 B *"),
            ("1. e4 3/1 B", "?: e4 3/1 B *"),
            ("1. e4 0- 1@c3", "?: e4 0- 1@c3 *"),
            ("1. e4 1/2-+ e5 *", "?: e4 e5 *"),
            ("1. e4 %e5 e6", "?: e4 e6 *"),
            ("1. exd6e.p. exd6 e.p. exd6ep exd6 ep exd6 (e.p.)", "?: exd6e.p. exd6 exd6ep exd6 exd6 *"),
            ("1. e4 e5\r2. Nf3 ; x\rNc6\r", "?: e4 e5 Nf3 Nc6 *"),
        ] {
            assert_eq!(summary(text), [expected], "{text}");
        }
    }

    #[test]
    fn a_text_without_a_result_is_a_game() {
        let next = "[Event \"x\"]\n[White \"B\"]\n\n1. d4 d5 1-0\n";
        for (text, expected) in [
            ("e4", "?: e4 *"),
            ("1. e4 e5\n", "?: e4 e5 *"),
            ("[White \"A\"]\n[Result \"0-1\"]\n\n1. e4 e5\n\n", "A: e4 e5 -"),
            ("[White \"A\"]\n[Result \"1 - 0\"]\n\n1. e4 e5 *\n\n", "A: e4 e5 +"),
            ("[White \"A\"]\n[Result \"0-1\"]\n\n1. e4 e5 1-0\n\n", "A: e4 e5 +"),
            ("[White \"A\"]\n[Result \"unknown\"]\n\n1. e4 e5\n\n", "A: e4 e5 *"),
        ] {
            assert_eq!(summary(text), [expected], "{text}");
            assert_eq!(summary(&format!("{text}\n{next}")), [expected, "B: d4 d5 +"], "{text}");
            assert_eq!(summary(&format!("{next}{text}")), ["B: d4 d5 +", expected], "{text}");
        }
        for value in ["?", "-", " "] {
            let tags = format!("[Variant \"{value}\"]\n[FEN \"{value}\"]\n");
            let game = parse(&format!("{tags}\n1. e4 *")).unwrap().remove(0);
            assert!(game.variant.is_none() && game.opening.fen.is_empty(), "{value}: {game}");
            assert!(game.to_string().contains(&tags), "{game}");
        }
        let unknown = parse("[Result \"unknown\"]\n\n*").unwrap().remove(0);
        assert!(unknown.to_string().contains("[Result \"unknown\"]"));
        // Without tags, the number of the first move begins the next game.
        assert_eq!(summary("1. e4 e5\n\n1. d4 d5\n\n1. c4"), ["?: e4 e5 *", "?: d4 d5 *", "?: c4 *"]);
        assert_eq!(summary("1. e4\n1... e5 2. Nf3\n1. d4"), ["?: e4 e5 Nf3 *", "?: d4 *"]);
        assert_eq!(summary("1. e4\n1. d4 d5"), ["?: e4 d4 d5 *"], "one move is none yet");
        for text in ["1. e4 e5\n", "1. e4 e5 2", "1. e4 e5 (1... c5)"] {
            let mut reader = PgnReader::new(text.as_bytes());
            assert!(reader.next().unwrap().is_ok());
            let error = reader.unfinished().unwrap().to_string();
            assert_eq!(error, "line 1: the game ends without a result after `e5`", "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_of_their_game_or_one_between_games() {
        let tags = |name: &str| format!("[Event \"e\"] [White \"{name}\"]\n[Black \"b\"]\n\n");
        let [one, two, three] = ["A", "B", "C"].map(|name| format!("{}1. e4 e5 1-0\n\n", tags(name)));
        let erased = |text: &str, byte: u8| vec![byte; text.len()];
        let error = |line: usize, byte: u8| vec![format!("line {line}: {}", Problem::NoText(byte))];
        let white = |(games, errors): (Vec<PgnGame>, Vec<String>)| {
            let names: Vec<_> = games.into_iter().map(|game| game.players[0].name.clone()).collect();
            (names.concat(), errors)
        };
        for byte in [0, 0xff] {
            let between = [one.as_bytes(), &erased(&two, byte), three.as_bytes()].concat();
            assert_eq!(white(read(&between)), ("AC".to_owned(), error(6, byte)));
            let first = [&erased(&one, byte), two.as_bytes()].concat();
            assert_eq!(white(read(&first)), ("B".to_owned(), error(1, byte)));
            let last = [one.as_bytes(), &erased(&two, byte)].concat();
            assert_eq!(white(read(&last)), ("A".to_owned(), error(6, byte)));
            for (part, line) in [("\"B\"]\n[Bl", 6), ("\n\n1. ", 7), ("4 e5", 9), ("1-0\n", 9)] {
                let at = one.len() + two.find(part).unwrap();
                let mut all = [&*one, &two, &three].concat().into_bytes();
                all[at..at + part.len()].fill(byte);
                assert_eq!(white(read(&all)), ("AC".to_owned(), error(line, byte)), "{part}");
            }
            // The end of a game without its beginning is none.
            for part in ["\"]\n[Black", "b\"]\n\n1.", "e4 e5", "1-0\n"] {
                let rest = &two[two.find(part).unwrap()..];
                let before = erased(&two[..two.len() - rest.len()], byte);
                let all = [one.as_bytes(), &before, rest.as_bytes(), three.as_bytes()].concat();
                assert_eq!(white(read(&all)), ("AC".to_owned(), error(6, byte)), "{part}");
            }
            // Games on one line have each their own.
            let line =
                [b"1. e4 ", &erased("abcd", byte)[..], b" e5 1-0 1. d4 ", &erased("abcd", byte), b" d5 0-1"];
            assert_eq!(read(&line.concat()).1, [error(1, byte), error(1, byte)].concat());
            let comment = [one.trim_end().as_bytes(), b" {", &erased("abcd", byte), b"}\n", two.as_bytes()];
            assert_eq!(white(read(&comment.concat())), ("AB".to_owned(), error(4, byte)));
        }
        assert_eq!(read(b"[White \"\xff\xff\xff\"]\n1. e4 *").1, [""; 0], "letters of Windows-1252");
    }

    #[test]
    fn what_cannot_be_read_has_no_line() {
        let error = |problem| PgnError { line: 3, problem }.to_string();
        assert_eq!(error(Problem::Read("no disk".to_owned())), "cannot be read: no disk");
        assert_eq!(error(Problem::LongLine), format!("line 3: {}", Problem::LongLine));
    }

    #[test]
    fn damaged_tags_are_repaired() {
        for (tags, white) in [
            ("[White \"Engine /Level 6\\\"]\n[Black \"b\"]", "Engine /Level 6\\"),
            ("[White x]\n[Black \"b\"]", "x"),
            ("[White \"x\n[Black \"b\"]", "x"),
            ("[White \"two\nlines\"]\n[Black \"b\"]", "two lines"),
            ("[White \"two\nl\"] [Black \"b\"]", "two l"),
            ("[1 \"x\"]\n[White \"x\"]\n[\"y\"]\n[]\n[Black \"b\"]", "x"),
            ("[white \"x\"]\n[BLACK \"b\"]", "x"),
            ("[White \"\"]\n[Black \"b\"]", ""),
        ] {
            let text = format!("{tags}\n\n1. e4 e5 1-0\n\n{tags}\n\n1. d4 1-0\n");
            let (games, errors) = read(text.as_bytes());
            assert_eq!((games.len(), errors.len()), (2, 0), "{tags}: {errors:?}");
            for game in games {
                assert_eq!(game.players.each_ref().map(|side| &*side.name), [white, "b"], "{tags}");
                assert_eq!(parse(&game.to_string()).unwrap()[0].players, game.players);
            }
        }
    }

    #[test]
    fn tags_are_kept_as_they_are() {
        let tags = "[Event \"?\"]\n[Site \"C:\\\\games\"]\n[Date \"\"]\n[Round \"\"]\n[White \"\"]\n[Black \"b\"]\n\
                    [Result \"1-0\"]\n[PlyCount \"1\"]\n[Termination \"Normal\"]\n[TerminationDetails \"x\"]\n\
                    [TimeControl \"\"]\n[WhiteTimeControl \"60\"]\n[BlackTimeControl \"60\"]\n[Variant \"\"]\n\
                    [SetUp \"0\"]\n[GameNumber \"x\"]\n[ECO \"\"]\n";
        let written = parse(&format!("{tags}\n1. e4 1-0\n")).unwrap().remove(0).to_string();
        let lines = |text: &str| {
            let mut lines: Vec<_> =
                text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&written), lines(tags));
        let foreign = parse("1. e4 1-0").unwrap().remove(0).to_string();
        assert!(!foreign.contains("labrys"), "{foreign}");
    }

    #[test]
    fn lines_that_are_not_utf8_are_windows_1252() {
        let (games, _) = read(b"[White \"Andr\xe9\"]\n[Black \"\xc5\xbd\"]\n1. e4 *\n");
        assert_eq!(games[0].players.each_ref().map(|side| side.name.as_str()), ["Andr\u{e9}", "\u{17d}"]);
    }

    #[test]
    fn endless_lines_and_comments_end() {
        let long = "x".repeat(MAX_LINE + 1);
        assert_eq!(read(long.as_bytes()).1, [format!("line 1: {}", Problem::LongLine)]);
        let comment = |text: &str| {
            let (games, _) = read(format!("1. e4 {{{text}}} *").as_bytes());
            games[0].moves[0].comment.len()
        };
        assert!(comment(&"long\n".repeat(MAX_COMMENT)) <= MAX_COMMENT);
        let line = "x".repeat(2_000);
        assert_eq!(comment(&format!("{line}\n{line}")), 4_001);
    }
}
