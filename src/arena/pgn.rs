//! Game records in PGN: tags, moves with comments, and the result.
//!
//! Moves are in the notation of the game. The comment after a move, `{+1.23/12 0.450s}`, has the player's
//! score in units of the evaluation (or `+M5` for a win in five moves), the depth and the time, as in
//! cutechess. Moves of the opening have the comment `{book}`.

use std::fmt;
use std::iter;

use thiserror::Error;

use super::{FinalResult, MoveReply, Termination, Variation};
use crate::eval::UciScore;
use crate::game::{Color, quote};

/// A game record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// Number of the game in its match, from 1 (tag `GameNumber`); `None` in files of other programs.
    pub number: Option<u64>,
    /// The round; in files of Labrys the number of the opening, from 1.
    pub round: String,
    /// The date, `YYYY.MM.DD`.
    pub date: String,
    /// The game, with its name in `UCI_Variant`; `None` in files of other programs.
    pub variant: Option<String>,
    /// White and Black.
    pub players: [PlayerTags; 2],
    /// The opening. Its FEN is empty where the file has none: the game begins at the start position.
    pub opening: Variation,
    /// The moves after the opening.
    pub moves: Vec<PgnMove>,
    /// The result.
    pub end: FinalResult,
}

/// The tags of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerTags {
    /// Its name.
    pub name: String,
    /// Its time control and search limits.
    pub time_control: String,
    /// Its program and options.
    pub setup: String,
}

/// A move with its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub text: String,
    /// The comment, without braces.
    pub comment: String,
}

/// A text that is not valid PGN.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct PgnError {
    /// The line number, from 1.
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
    /// An invalid value of a tag.
    #[error("{name} {}: expected {expected}", quote(.value))]
    Value {
        /// The tag.
        name: &'static str,
        /// The value.
        value: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A comment or a variation is not closed.
    #[error("a comment or a variation is not closed")]
    Open,
    /// The file ends before the game has a result.
    #[error("the game has no result")]
    Unfinished,
    /// A game has the result `*`.
    #[error("the game was not finished")]
    Abandoned,
}

/// The `Event` tag of games written here.
const EVENT: &str = "labrys match";

/// Maximum width of a line of moves.
const COLUMNS: usize = 80;

/// The comment of opening moves.
const BOOK: &str = "book";

impl PgnMove {
    /// A move, with a comment made of the player's reply.
    pub fn new<M>(mv: &str, reply: &MoveReply<M>) -> PgnMove {
        let seconds = reply.elapsed.as_secs_f64();
        let score = reply.score.map(|score| match score {
            UciScore::Centi(value) => format!("{:+.2}", f64::from(value) / 100.0),
            UciScore::Mate(moves) if moves > 0 => format!("+M{moves}"),
            UciScore::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
        });
        let comment = match score {
            Some(score) => format!("{score}/{} {seconds:.3}s", reply.depth.unwrap_or(0)),
            None => format!("{seconds:.3}s"),
        };
        PgnMove { text: mv.to_owned(), comment }
    }

    /// The score in the comment, in units of the evaluation and from the point of view of the player who
    /// moved. Infinite for a mate score; `None` where the comment has no score.
    pub fn score(&self) -> Option<f64> {
        let (score, _) = self.comment.split_once('/')?;
        match score.split_at_checked(2)? {
            ("+M", _) => Some(f64::INFINITY),
            ("-M", _) => Some(f64::NEG_INFINITY),
            _ => score.parse().ok().filter(|score: &f64| score.is_finite()),
        }
    }
}

impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = &self.players;
        let plies = self.opening.moves.len() + self.moves.len();
        let result = result_text(self.end.winner);
        tag(f, "Event", EVENT)?;
        tag(f, "Site", "?")?;
        tag(f, "Date", &self.date)?;
        tag(f, "Round", &self.round)?;
        tag(f, "White", &white.name)?;
        tag(f, "Black", &black.name)?;
        tag(f, "Result", result)?;
        if let Some(number) = self.number {
            tag(f, "GameNumber", &number.to_string())?;
        }
        if let Some(variant) = &self.variant {
            tag(f, "Variant", variant)?;
        }
        if !self.opening.fen.is_empty() {
            tag(f, "SetUp", "1")?;
            tag(f, "FEN", &self.opening.fen)?;
        }
        for (name, value) in [("WhiteSetup", &white.setup), ("BlackSetup", &black.setup)] {
            tag(f, name, value)?;
        }
        match white.time_control == black.time_control {
            true => tag(f, "TimeControl", &white.time_control)?,
            false => {
                tag(f, "WhiteTimeControl", &white.time_control)?;
                tag(f, "BlackTimeControl", &black.time_control)?;
            }
        }
        tag(f, "PlyCount", &plies.to_string())?;
        tag(f, "Termination", self.end.termination.tag())?;
        tag(f, "TerminationDetails", &self.end.details)?;
        writeln!(f)?;
        self.write_moves(f)?;
        writeln!(f)
    }
}

impl PgnGame {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let black_begins = self.opening.fen.split(' ').nth(1) == Some("b");
        let opening = self.opening.moves.iter().map(|text| (text, BOOK));
        let moves = opening.chain(self.moves.iter().map(|mv| (&mv.text, mv.comment.as_str())));
        let mut column = 0;
        let mut write = |word: &str| {
            let width = word.chars().count();
            let space = match column {
                0 => "",
                column if column + 1 + width > COLUMNS => "\n",
                _ => " ",
            };
            column = if space == " " { column + 1 + width } else { width };
            write!(f, "{space}{word}")
        };
        for ((text, comment), ply) in moves.zip(usize::from(black_begins)..) {
            if ply.is_multiple_of(2) {
                write(&format!("{}.", ply / 2 + 1))?;
            } else if ply == 1 && black_begins {
                write("1...")?;
            }
            write(text)?;
            if !comment.is_empty() {
                // A brace inside the comment would close it.
                format!("{{{}}}", comment.replace('}', ")")).split(' ').try_for_each(&mut write)?;
            }
        }
        write(result_text(self.end.winner))?;
        writeln!(f)
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    // A tag has to stay on one line.
    let value: String = value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

fn result_text(winner: Option<Color>) -> &'static str {
    match winner {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    }
}

/// Parses all games of a file.
///
/// # Errors
/// [`PgnError`] names the line.
pub fn parse(text: &str) -> Result<Vec<PgnGame>, PgnError> {
    let (records, complete) = parse_complete(text)?;
    match text[complete..].trim().is_empty() {
        true => Ok(records),
        false => Err(PgnError { line: text.trim_end().lines().count(), problem: Problem::Unfinished }),
    }
}

/// Parses the games of a file that a match was writing when it was killed. An unfinished game at its end is
/// left out; the second value is the length of the complete games in bytes.
///
/// # Errors
/// [`PgnError`] names the line.
pub fn parse_complete(text: &str) -> Result<(Vec<PgnGame>, usize), PgnError> {
    let mut parser = Parser { text, at: 0 };
    let (mut records, mut complete) = (Vec::new(), 0);
    loop {
        match parser.record() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return Ok((records, complete)),
            Err(problem) if problem != Problem::Abandoned && is_beginning(&text[complete..]) => {
                return Ok((records, complete));
            }
            Err(problem) => {
                let line = text[..parser.at].matches('\n').count() + 1;
                return Err(PgnError { line, problem });
            }
        }
        complete = parser.at;
    }
}

/// Whether a text is the beginning of one game written by Labrys, cut off at some byte.
fn is_beginning(text: &str) -> bool {
    let first = format!("[Event \"{EVENT}\"]\n");
    let text = text.trim_start();
    first.starts_with(text) || (text.starts_with(&first) && !text[first.len()..].contains(&first))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

/// A token of the move section.
enum Token<'a> {
    Move(&'a str),
    Comment(String),
    Result(Option<Color>),
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let line_start = self.text[..self.at].ends_with('\n') || self.at == 0;
            // `%` at the start of a line comments it out; `;` comments out the rest of a line.
            match self.rest().chars().next() {
                Some(';') => {}
                Some('%') if line_start => {}
                _ => return,
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The next game; `None` at the end.
    fn record(&mut self) -> Result<Option<PgnGame>, Problem> {
        self.skip_space();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let mut tags: Vec<(&str, String)> = Vec::new();
        while self.rest().starts_with('[') {
            tags.push(self.tag()?);
            self.skip_space();
        }
        let mut get = |name: &str| {
            let at = tags.iter().position(|(other, _)| *other == name)?;
            Some(tags.swap_remove(at).1)
        };
        let number = get("GameNumber").map(|value| {
            let expected = "a whole number, at least 1";
            let number = value.parse().ok().filter(|&number| number > 0);
            number.ok_or(Problem::Value { name: "GameNumber", value, expected })
        });
        let termination = get("Termination").map(|value| {
            let termination = Termination::ALL.into_iter().find(|termination| termination.tag() == value);
            let expected =
                "normal, adjudication, time forfeit, rules infraction, abandoned or stalled connection";
            termination.ok_or(Problem::Value { name: "Termination", value, expected })
        });
        let (number, termination) =
            (number.transpose()?, termination.transpose()?.unwrap_or(Termination::Rules));
        let time_control = get("TimeControl").unwrap_or_default();
        let mut side = |name: &str| PlayerTags {
            name: get(name).unwrap_or_else(|| "?".to_owned()),
            time_control: get(&format!("{name}TimeControl")).unwrap_or_else(|| time_control.clone()),
            setup: get(&format!("{name}Setup")).unwrap_or_default(),
        };
        let players = ["White", "Black"].map(&mut side);
        let fen = get("FEN").unwrap_or_default();
        let details = get("TerminationDetails").unwrap_or_default();
        let (round, date) = (get("Round").unwrap_or_default(), get("Date").unwrap_or_default());
        let variant = get("Variant");
        let (moves, winner) = self.moves()?;
        let opening =
            iter::zip(&moves, 0..).find(|(mv, _)| mv.comment != BOOK).map_or(moves.len(), |(_, n)| n);
        let mut moves = moves;
        let rest = moves.split_off(opening);
        let opening = Variation { fen, moves: moves.into_iter().map(|mv| mv.text).collect() };
        let end = FinalResult { winner, termination, details };
        Ok(Some(PgnGame { number, round, date, variant, players, opening, moves: rest, end }))
    }

    /// The moves of a game and its result.
    fn moves(&mut self) -> Result<(Vec<PgnMove>, Option<Color>), Problem> {
        let mut moves: Vec<PgnMove> = Vec::new();
        loop {
            match self.token()? {
                Token::Move(text) => moves.push(PgnMove { text: text.to_owned(), comment: String::new() }),
                Token::Comment(comment) => {
                    if let Some(last) = moves.last_mut().filter(|last| last.comment.is_empty()) {
                        last.comment = comment;
                    }
                }
                Token::Result(winner) => return Ok((moves, winner)),
            }
        }
    }

    /// A line `[Name "value"]`.
    fn tag(&mut self) -> Result<(&'a str, String), Problem> {
        let line = self.rest().lines().next().unwrap_or_default();
        let tag = line.trim_end().strip_prefix('[').and_then(|tag| tag.strip_suffix("\"]"));
        let tag = tag.and_then(|tag| tag.split_once(" \""));
        let (name, value) = tag.ok_or_else(|| Problem::Tag(line.to_owned()))?;
        self.at += line.len();
        let (mut plain, mut escaped) = (String::new(), false);
        for letter in value.chars() {
            if letter == '\\' && !escaped {
                escaped = true;
            } else {
                plain.push(letter);
                escaped = false;
            }
        }
        Ok((name.trim(), plain))
    }

    /// The next token of the move section. Move numbers, annotation glyphs (`$1`) and variations are skipped.
    fn token(&mut self) -> Result<Token<'a>, Problem> {
        loop {
            self.skip_space();
            let rest = self.rest();
            match rest.chars().next() {
                None => return Err(Problem::Unfinished),
                Some('[') => return Err(Problem::Unfinished),
                Some('{') => {
                    let end = rest.find('}').ok_or(Problem::Open)?;
                    self.at += end + 1;
                    let words: Vec<_> = rest[1..end].split_whitespace().collect();
                    return Ok(Token::Comment(words.join(" ")));
                }
                Some('(') => self.variation()?,
                Some(_) => {
                    let end = rest.find(|letter: char| letter.is_whitespace() || "{}();".contains(letter));
                    let end = end.unwrap_or(rest.len()).max(1);
                    self.at += end;
                    let word = &rest[..end];
                    match word {
                        "1-0" => return Ok(Token::Result(Some(Color::White))),
                        "0-1" => return Ok(Token::Result(Some(Color::Black))),
                        "1/2-1/2" => return Ok(Token::Result(None)),
                        "*" => return Err(Problem::Abandoned),
                        _ => {}
                    }
                    let word = match word.split_once('.') {
                        Some((number, word)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                            word.trim_start_matches('.')
                        }
                        _ => word,
                    };
                    if !word.is_empty() && !word.starts_with('$') {
                        return Ok(Token::Move(word));
                    }
                }
            }
        }
    }

    /// Skips a variation, with any nested ones.
    fn variation(&mut self) -> Result<(), Problem> {
        let mut depth = 0;
        let mut comment = false;
        for (offset, letter) in self.rest().char_indices() {
            match letter {
                '{' => comment = true,
                '}' => comment = false,
                '(' if !comment => depth += 1,
                ')' if !comment => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += offset + 1;
                return Ok(());
            }
        }
        Err(Problem::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> PgnGame {
        let mv = |text: &str, comment: &str| PgnMove { text: text.into(), comment: comment.into() };
        let side = |name: &str| PlayerTags {
            name: name.into(),
            time_control: "10+0.1".into(),
            setup: format!("{name}, x=1"),
        };
        PgnGame {
            number: Some(7),
            round: "4".into(),
            date: "2026.11.21".into(),
            variant: Some("neighbours".into()),
            players: [side("a \"quoted\" \\ name"), side("b")],
            opening: Variation { fen: "pp6/8/8/8/8/8/8/PP6 b 0 1".into(), moves: vec!["a8a7".into()] },
            moves: vec![mv("a1a2", "+1.23/12 0.450s"), mv("a7a8", ""), mv("d1d7,d7g7", "-M5/3 1.000s")],
            end: FinalResult {
                winner: Some(Color::White),
                termination: Termination::Time,
                details: "Black loses on time".into(),
            },
        }
    }

    #[test]
    fn games_read_back() {
        let mut other = record();
        other.players[1].time_control = "nodes 5".into();
        other.end = FinalResult { winner: None, termination: Termination::Rules, details: String::new() };
        let text = format!("{}{other}", record());
        assert_eq!(parse(&text), Ok(vec![record(), other]));
        assert!(text.contains(
            "\n\n1... a8a7 {book} 2. a1a2 {+1.23/12 0.450s} a7a8 3. d1d7,d7g7 {-M5/3 1.000s} 1-0\n\n"
        ));
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS || line.starts_with('[')));
    }

    #[test]
    fn scores_are_read_back() {
        let score = |comment: &str| PgnMove { text: "e2e4".into(), comment: comment.into() }.score();
        assert_eq!((score("+1.23/12 0.450s"), score("-0.50/3 0.001s")), (Some(1.23), Some(-0.5)));
        assert_eq!(
            (score("+M5/9 1.000s"), score("-M2/9 1.000s")),
            (Some(f64::INFINITY), Some(f64::NEG_INFINITY))
        );
        for comment in ["", "book", "0.450s", "x/12", "é/1", "+inf/3", "a/b/c"] {
            assert_eq!(score(comment), None, "{comment}");
        }
    }

    #[test]
    fn lines_are_not_too_long_and_comments_do_not_end_early() {
        let mut long = record();
        let mv = PgnMove { text: "a1a2".into(), comment: "a } b {".into() };
        long.moves = vec![mv; 100];
        let text = long.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS || line.starts_with('[')), "{text}");
        let read = parse(&text).unwrap().remove(0);
        assert_eq!((read.moves.len(), read.moves[99].comment.as_str()), (100, "a ) b {"));
    }

    #[test]
    fn replies_become_comments() {
        let reply = |score, depth| {
            let elapsed = std::time::Duration::from_millis(450);
            let reply = MoveReply { mv: Ok(()), score, depth, nodes: None, elapsed };
            PgnMove::new("a1a2=1", &reply).comment
        };
        assert_eq!(reply(Some(UciScore::Centi(123)), Some(12)), "+1.23/12 0.450s");
        assert_eq!(reply(Some(UciScore::Centi(-5)), Some(1)), "-0.05/1 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(5)), Some(9)), "+M5/9 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(-4)), None), "-M4/0 0.450s");
        assert_eq!(reply(None, None), "0.450s");
    }

    #[test]
    fn games_of_other_programs_are_read() {
        let text = "% a comment\n[White \"x\"]\n[Result \"0-1\"]\n\n1.e4 e5 $1 \
                    (1... c5 {Sicilian (or so)} 2. Nf3 (2. c3))\n\
                    2.Nf3 ; good\n{first} Nc6 {two\nwords} {more} 0-1\n";
        let read = parse(text).unwrap().remove(0);
        let moves: Vec<_> = read.moves.iter().map(|mv| (mv.text.as_str(), mv.comment.as_str())).collect();
        assert_eq!(moves, [("e4", ""), ("e5", ""), ("Nf3", "first"), ("Nc6", "two words")]);
        assert_eq!((read.number, read.variant, read.end.winner), (None, None, Some(Color::Black)));
        assert_eq!(read.players.map(|side| side.name), ["x", "?"]);
        assert_eq!(parse(" \n\n"), Ok(vec![]));
    }

    #[test]
    fn an_unfinished_game_at_the_end_is_left_out() {
        let (one, two) = (record().to_string(), format!("{}{}", record(), record()));
        for cut in (one.len()..two.len()).filter(|&cut| two.is_char_boundary(cut)) {
            let (records, whole) = parse_complete(&two[..cut]).unwrap();
            let complete = if cut < two.trim_end().len() { 1 } else { 2 };
            assert_eq!(records.len(), complete, "{cut}");
            assert_eq!(whole, if complete == 1 { one.trim_end().len() } else { two.trim_end().len() });
            let unfinished = !two[..cut][whole..].trim().is_empty();
            assert_eq!(parse(&two[..cut]).is_err(), unfinished, "{cut}");
        }
    }

    #[test]
    fn other_text_is_not_taken_for_an_unfinished_game() {
        let good = record().to_string();
        for (text, line, problem) in [
            ("hello".to_owned(), 1, Problem::Unfinished),
            ("[Event \"x\"]\n\n1. e4".to_owned(), 3, Problem::Unfinished),
            ("\n[White x]\n\n1-0".to_owned(), 2, Problem::Tag("[White x]".into())),
            ("1. e4 {open".to_owned(), 1, Problem::Open),
            ("1. e4 (open {)} 1-0".to_owned(), 1, Problem::Open),
            ("1. e4 *".to_owned(), 1, Problem::Abandoned),
            (good.replace(" 1-0", " *"), 19, Problem::Abandoned),
            (good.replace(" 1-0", "") + &good, 21, Problem::Unfinished),
        ] {
            assert_eq!(parse_complete(&text), Err(PgnError { line, problem }), "{text}");
        }
    }
}
