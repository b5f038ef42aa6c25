//! Lines of EPD files: a position, then operations such as `bm Nf3;` and `id "WAC.001";`.
//!
//! The position is a FEN, in which counters may be missing; the operations `hmvc` and `fmvn` stand for them.
//! Each operation ends with a semicolon. In a line without any, a common opcode begins the next operation. An
//! opcode may have a colon, as `PV:` in public lists of mates, and case makes no difference. A quotation mark
//! in a string is escaped with a backslash, and so is a backslash.

use thiserror::Error;

use super::quote;

/// A line of an EPD file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position, as a FEN.
    pub fen: String,
    /// The operations, in the order of the line.
    pub operations: Vec<Operation>,
}

/// An operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Its name, such as `bm`, as it is written but for a colon.
    pub opcode: String,
    /// Its words or strings, without quotation marks.
    pub operands: Vec<String>,
}

/// An error in a line of an EPD file; `E` is the error in its position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EpdError<E> {
    /// The position is not valid.
    #[error(transparent)]
    Position(#[from] E),
    /// A word that is no opcode.
    #[error("{} is no opcode, expected a word such as `bm`, `am` or `id`", quote(.0))]
    Opcode(String),
}

/// Opcodes that are known without semicolons around them: those of test suites and of positions.
const COMMON: [&str; 12] = ["acd", "acn", "acs", "am", "bm", "c0", "ce", "dm", "fmvn", "hmvc", "id", "pv"];

/// Whether a word is an opcode that is known without semicolons around it.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.iter().any(|opcode| word.trim_end_matches(':').eq_ignore_ascii_case(opcode))
}

/// A part of a line.
enum Token {
    Word(String),
    Quoted(String),
    Semicolon,
}

impl Epd {
    /// Reads a line. `check` says whether a text is a position of the game, which is how the end of the
    /// position is found: the fields of a FEN differ from game to game.
    ///
    /// # Errors
    /// [`EpdError`]; the error in the position is that of `check`.
    pub fn parse<E>(line: &str, mut check: impl FnMut(&str) -> Result<(), E>) -> Result<Epd, EpdError<E>> {
        let tokens = tokens(line);
        let words: Vec<&str> = tokens.iter().map_while(Token::word).collect();
        let fields = match check(&words.join(" ")) {
            Ok(()) => words.len(),
            Err(error) => {
                let shorter =
                    (1..words.len()).rev().find(|&fields| check(&words[..fields].join(" ")).is_ok());
                shorter.filter(|_| tokens.iter().any(Token::is_semicolon)).ok_or(error)?
            }
        };
        let operations = tokens[fields..].split(Token::is_semicolon).filter(|tokens| !tokens.is_empty());
        let operations = operations.map(read_operation).collect::<Result<Vec<_>, _>>()?;
        let mut epd = Epd { fen: words[..fields].join(" "), operations };
        let counter = |opcode, default| epd.operand(opcode).unwrap_or(default).to_owned();
        let counted = format!("{} {} {}", epd.fen, counter("hmvc", "0"), counter("fmvn", "1"));
        if (epd.operand("hmvc").is_some() || epd.operand("fmvn").is_some()) && check(&counted).is_ok() {
            epd.fen = counted;
        }
        Ok(epd)
    }

    /// The operands of an operation; `None` if the line does not have it.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        let is_it = |operation: &&Operation| operation.opcode.eq_ignore_ascii_case(opcode);
        let operation = self.operations.iter().find(is_it)?;
        Some(&operation.operands)
    }

    /// The first operand of an operation.
    pub fn operand(&self, opcode: &str) -> Option<&str> {
        self.operands(opcode)?.first().map(String::as_str)
    }
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is_semicolon(&self) -> bool {
        matches!(self, Token::Semicolon)
    }
}

/// Splits a line into its tokens. Semicolons are added where the position ends, and in a line without them
/// between the operations.
fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = written_tokens(line);
    let has_semicolons = tokens.iter().any(Token::is_semicolon);
    let places = (0..tokens.len()).filter(|&at| tokens[at].word().is_some_and(is_common));
    let places: Vec<_> = places.take(if has_semicolons { 1 } else { usize::MAX }).collect();
    places.into_iter().rev().for_each(|at| tokens.insert(at, Token::Semicolon));
    tokens
}

/// The tokens as they are written.
fn written_tokens(line: &str) -> Vec<Token> {
    // Some programs end lines with a zero.
    let (mut tokens, mut rest) = (Vec::new(), line.trim_end_matches('\0').trim_start());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ';' => {
                tokens.push(Token::Semicolon);
                1
            }
            '"' => {
                let (text, length) = read_string(&rest[1..]);
                tokens.push(Token::Quoted(text));
                length + 1
            }
            _ => {
                let end = rest.find(|letter: char| letter.is_whitespace() || matches!(letter, ';' | '"'));
                let end = end.unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_owned()));
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The string at the beginning of a text, after its first quotation mark, and its length with the last one.
/// Programs without escaping write `"C:\"`: the last mark ends the string. An unclosed string ends with the
/// line.
fn read_string(text: &str) -> (String, usize) {
    let (mut plain, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        let after = text[at + letter.len_utf8()..].chars().next();
        match (letter, after) {
            ('"', _) => return (plain, at + 1),
            ('\\', Some('\\')) => plain.extend(letters.next().map(|(_, escaped)| escaped)),
            ('\\', Some('"')) if text[at + 2..].contains('"') && !is_end(&text[at + 2..]) => {
                plain.extend(letters.next().map(|(_, escaped)| escaped));
            }
            _ => plain.push(letter),
        }
    }
    let plain = plain.trim_end();
    (plain.strip_suffix(';').unwrap_or(plain).trim_end().to_owned(), text.len())
}

/// Whether an operation ends here, outside of a string: the quotation marks that are not escaped come in
/// pairs.
fn is_end(text: &str) -> bool {
    let text = text.trim_start();
    let marks = text.replace(r"\\", "").replace("\\\"", "").matches('"').count();
    (text.is_empty() || text.starts_with(';')) && marks.is_multiple_of(2)
}

/// Reads an operation: opcode and operands.
fn read_operation<E>(tokens: &[Token]) -> Result<Operation, EpdError<E>> {
    let mut words = tokens.iter().filter_map(|token| match token {
        Token::Word(word) | Token::Quoted(word) => Some(word.clone()),
        Token::Semicolon => None,
    });
    let opcode = words.next().unwrap_or_default().trim_end_matches(':').to_owned();
    let is_opcode = tokens.first().is_some_and(|token| token.word().is_some())
        && opcode.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && opcode.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    match is_opcode {
        true => Ok(Operation { opcode, operands: words.collect() }),
        false => Err(EpdError::Opcode(opcode)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FenError;
    use super::super::chess::Chess;
    use super::super::neighbours::Neighbours;
    use super::super::{Game, amazons::Amazons};
    use super::*;

    fn parse<G: Game>(line: &str) -> Result<Epd, EpdError<FenError>> {
        Epd::parse(line, |fen| G::from_fen(fen).map(drop))
    }

    #[test]
    fn the_position_ends_where_the_operations_begin() {
        let epd = parse::<Chess>(
            "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6 Nh5; id \"WAC; 001\"; c0 \"a=1\", x;",
        );
        let epd = epd.unwrap();
        assert_eq!(epd.fen, "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - -");
        assert_eq!(epd.operands("bm"), Some(&["Qg6".to_owned(), "Nh5".to_owned()][..]));
        assert_eq!((epd.operand("id"), epd.operand("am")), (Some("WAC; 001"), None));
        assert_eq!(epd.operands("c0").unwrap().len(), 3);
        let neighbours = parse::<Neighbours>("p6p/8/8/8/8/8/8/PP6 w 3 7; ce 12;").unwrap();
        assert_eq!(
            (neighbours.fen.as_str(), neighbours.operand("ce")),
            ("p6p/8/8/8/8/8/8/PP6 w 3 7", Some("12"))
        );
        let amazons = parse::<Amazons>("1q1q1/q3q/5/Q3Q/1Q1Q1 w bm b1c2d3").unwrap();
        assert_eq!(amazons.operand("bm"), Some("b1c2d3"));
        assert_eq!(parse::<Chess>("8/8/8/4k3/8/4K3/8/8 b - - 5 60").unwrap().operations, []);
        let sloppy = parse::<Chess>("8/8/8/4k3/8/4K3/8/8 b - - bm Ke6 Kd6 dm 26\0").unwrap();
        assert_eq!((sloppy.operands("bm").unwrap().len(), sloppy.operand("dm")), (2, Some("26")));
    }

    #[test]
    fn strings_are_read_with_what_is_escaped() {
        for (operations, id, next) in [
            (r#"id "a \"b\" c"; c0 "x";"#, r#"a "b" c"#, Some("x")),
            (r#"id "a \"b; c\""; c0 "x";"#, r#"a "b; c""#, Some("x")),
            (r#"id "\"; c0 \""; c0 "x";"#, r#""; c0 ""#, Some("x")),
            (r#"id "back\\slash\\"; c0 "x";"#, r"back\slash\", Some("x")),
            (r#"id "C:\dir\"; c0 "x";"#, r"C:\dir\", Some("x")),
            (r#"id "C:\dir\";"#, r"C:\dir\", None),
            (r#"id "C:\dir\new"; c0 "\"x\"";"#, r"C:\dir\new", Some(r#""x""#)),
            (r#"id"glued";c0"x";"#, "glued", Some("x")),
            (r#"c0 "x"; id "not closed"#, "not closed", Some("x")),
            (r#"c0 "x"; id "not closed ; "#, "not closed", Some("x")),
        ] {
            let epd = parse::<Chess>(&format!("8/8/8/4k3/8/4K3/8/8 b - - bm Ke6; {operations}"));
            let epd = epd.unwrap_or_else(|error| panic!("{operations}: {error}"));
            assert_eq!((epd.operand("id"), epd.operand("c0")), (Some(id), next), "{operations}");
        }
    }

    #[test]
    fn opcodes_of_lists_of_mates_are_read() {
        for line in [
            "8/8/8/4k3/8/4K3/8/8 b - - bm #5; PV: e5e6 e3e4;",
            "8/8/8/4k3/8/4K3/8/8 b - - bm #5; pv e5e6 e3e4",
            "8/8/8/4k3/8/4K3/8/8 b - - BM #5 PV: e5e6 e3e4",
        ] {
            let epd = parse::<Chess>(line).unwrap();
            assert_eq!((epd.operand("bm"), epd.operands("pv").unwrap().len()), (Some("#5"), 2), "{line}");
        }
    }

    #[test]
    fn counters_come_from_the_operations() {
        let epd = parse::<Chess>("8/8/8/4k3/8/4K3/8/8 b - - fmvn 60; hmvc 5;").unwrap();
        assert_eq!(epd.fen, "8/8/8/4k3/8/4K3/8/8 b - - 5 60");
    }

    #[test]
    fn errors_name_the_problem() {
        for (line, message) in [
            ("8/8/8/4k3/8/4K3/8/8 x - - bm Ke4;", "side to move `x`"),
            ("8/8/8/4k3/8/4K3/8/8 b - - 5 60 e2e4", "`e2e4` after the last field"),
            ("8/8/8/4k3/8/4K3/8/8 b - - 5 60; 7 x;", "`7` is no opcode"),
            ("8/8/8/4k3/8/4K3/8/8 b - - \"bm\" Ke4;", "`bm` is no opcode"),
            ("", "missing board"),
        ] {
            let error = parse::<Chess>(line).unwrap_err().to_string();
            assert!(error.contains(message), "{line}: {error}");
        }
    }
}
