//! The datagrams as types, with parsing and formatting.
//!
//! The digits of a message have no separators. `T15444990001` means: Black is next, the move was from row 5,
//! column 4 to row 4, column 4, no prize appeared (`99`), and the points are 0 to 1.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use labrys_core::game::{Color, counted, quote};

/// The greatest length of a datagram, in bytes.
pub const MAX_BYTES: usize = 200;

/// Rows of the board; row 0 is rank 7.
pub const ROWS: u8 = 7;

/// Columns of the board; column 0 is the a file.
pub const COLUMNS: u8 = 5;

/// The maximum number of points that two digits can show.
pub const MAX_POINTS: u8 = 99;

/// The square of a prize if none has appeared.
const NO_SQUARE: &str = "99";

/// The length of a `T`, in characters.
const TURN_LENGTH: usize = 12;

/// The length of a `GE`, in characters.
const END_LENGTH: usize = 6;

/// The length of a move, in characters.
const STEP_LENGTH: usize = 4;

/// Padding after a message of the server, which the clients of the course ignore.
const PADDING: [char; 4] = ['\0', ' ', '\r', '\n'];

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    row: u8,
    column: u8,
}

impl Square {
    /// The square in a row and a column, if they are on the board.
    pub fn new(row: u8, column: u8) -> Option<Square> {
        (row < ROWS && column < COLUMNS).then_some(Square { row, column })
    }

    /// The number of the square: a1 is 0, b1 is 1, a2 is 5.
    pub fn number(self) -> u8 {
        (ROWS - 1 - self.row) * COLUMNS + self.column
    }

    /// Reads a name such as `a4`.
    pub fn from_name(name: &str) -> Option<Square> {
        let [file, rank] = name.as_bytes() else { return None };
        Square::new((b'0' + ROWS).checked_sub(*rank)?, file.checked_sub(b'a')?)
    }

    /// The name of the square in the notation of the game.
    pub fn name(self) -> String {
        format!("{}{}", char::from(b'a' + self.column), ROWS - self.row)
    }
}

impl fmt::Display for Square {
    /// Two digits, row and column.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.row, self.column)
    }
}

/// A move without its chance outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The square that the piece leaves.
    pub from: Square,
    /// The target square.
    pub to: Square,
}

impl Step {
    /// Reads the datagram of a move: four digits and nothing else.
    ///
    /// # Errors
    /// [`MessageError`] names the invalid part.
    pub fn parse(datagram: &[u8]) -> Result<Step, MessageError> {
        let text = read_text(datagram)?;
        check_length(text, STEP_LENGTH)?;
        read_step(text, 0..2, 2..4)
    }

    /// Reads a move in the notation of the game, such as `a3a4`; a chance outcome may follow.
    pub fn from_name(name: &str) -> Option<Step> {
        Some(Step { from: Square::from_name(name.get(0..2)?)?, to: Square::from_name(name.get(2..4)?)? })
    }

    /// The move in the notation of the game.
    pub fn name(self) -> String {
        self.from.name() + &self.to.name()
    }
}

impl fmt::Display for Step {
    /// Four digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

/// A move and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The player to move next.
    pub next: Color,
    /// The move that was made.
    pub step: Step,
    /// The square on which a new prize has appeared.
    pub prize: Option<Square>,
    /// The points of White and of Black, [`MAX_POINTS`] at most.
    pub points: [u8; 2],
}

/// A message of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// `PW`, `PB`: the colour of the client.
    Player(Color),
    /// `GB`: the game begins, White moves.
    Begin,
    /// `T…`: a move was made.
    Turn(Turn),
    /// `GE…`: the game has ended with these points of White and of Black, [`MAX_POINTS`] at most.
    End([u8; 2]),
}

impl ServerMessage {
    /// Reads a datagram of the server. White space and zero bytes at its end are ignored.
    ///
    /// # Errors
    /// [`MessageError`] names the invalid part.
    pub fn parse(datagram: &[u8]) -> Result<ServerMessage, MessageError> {
        let text = read_text(datagram)?.trim_end_matches(PADDING);
        match text {
            "PW" => Ok(ServerMessage::Player(Color::White)),
            "PB" => Ok(ServerMessage::Player(Color::Black)),
            "GB" => Ok(ServerMessage::Begin),
            _ if text.starts_with('T') => Ok(ServerMessage::Turn(read_turn(text)?)),
            _ if text.starts_with("GE") => {
                check_length(text, END_LENGTH)?;
                Ok(ServerMessage::End(read_points(text, 2..4, 4..6)?))
            }
            _ => Err(MessageError::Unknown { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for ServerMessage {
    /// The text of the datagram.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerMessage::Player(Color::White) => f.write_str("PW"),
            ServerMessage::Player(Color::Black) => f.write_str("PB"),
            ServerMessage::Begin => f.write_str("GB"),
            ServerMessage::Turn(Turn { next, step, prize, points: [white, black] }) => {
                let prize = prize.map_or(NO_SQUARE.to_owned(), |square| square.to_string());
                write!(f, "T{}{step}{prize}{white:02}{black:02}", next.index())
            }
            ServerMessage::End([white, black]) => write!(f, "GE{white:02}{black:02}"),
        }
    }
}

/// Reads the name that a client joins with: a line of text, not empty.
///
/// # Errors
/// [`MessageError`] if it is too long, not UTF-8, empty, or has control characters such as a line end.
pub fn parse_name(datagram: &[u8]) -> Result<&str, MessageError> {
    let text = read_text(datagram)?;
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(wrong("name", text, text, "at least one character, and no control characters"));
    }
    Ok(text)
}

/// Points for two digits: rounded to a whole number, [`MAX_POINTS`] at most.
pub fn rounded_points(points: f64) -> u8 {
    points.round().clamp(0.0, f64::from(MAX_POINTS)) as u8
}

/// An error in a datagram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// It is too long.
    #[error("a datagram of {bytes} bytes, expected {MAX_BYTES} at most")]
    TooLong {
        /// Its length, in bytes.
        bytes: usize,
    },
    /// It is not UTF-8.
    #[error("byte 0x{byte:02x} at position {position} is not UTF-8")]
    NotText {
        /// The first invalid byte.
        byte: u8,
        /// Its position, from 1.
        position: usize,
    },
    /// It does not begin like a message of the server.
    #[error("{} is not a message, expected `PW`, `PB`, `GB`, `T…` or `GE…`", quote(.text))]
    Unknown {
        /// The text.
        text: String,
    },
    /// It has the wrong length for its kind.
    #[error("{} has {}, expected {expected}", quote(.text), counted(.found, "byte"))]
    Length {
        /// The text.
        text: String,
        /// Its length, in bytes.
        found: usize,
        /// The expected length.
        expected: usize,
    },
    /// A part of it is invalid.
    #[error("{}: {part} {}: expected {expected}", quote(.text), quote(.found))]
    Part {
        /// The part.
        part: &'static str,
        /// The text of the part.
        found: String,
        /// The whole text.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
}

fn wrong(part: &'static str, found: &str, text: &str, expected: &'static str) -> MessageError {
    MessageError::Part { part, found: found.to_owned(), text: text.to_owned(), expected }
}

/// The text of a datagram.
fn read_text(datagram: &[u8]) -> Result<&str, MessageError> {
    if datagram.len() > MAX_BYTES {
        return Err(MessageError::TooLong { bytes: datagram.len() });
    }
    std::str::from_utf8(datagram).map_err(|error| {
        let position = error.valid_up_to();
        MessageError::NotText {
            byte: datagram.get(position).copied().unwrap_or_default(),
            position: position + 1,
        }
    })
}

fn check_length(text: &str, expected: usize) -> Result<(), MessageError> {
    let found = text.len();
    if found == expected {
        return Ok(());
    }
    Err(MessageError::Length { text: text.to_owned(), found, expected })
}

/// A part of a text that consists of digits.
fn digits<'a>(text: &'a str, part: &'static str, range: Range<usize>) -> Result<&'a str, MessageError> {
    let found = text.get(range).ok_or_else(|| wrong(part, text, text, "digits"))?;
    match found.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(found),
        false => Err(wrong(part, found, text, "digits")),
    }
}

fn read_square(text: &str, part: &'static str, range: Range<usize>) -> Result<Square, MessageError> {
    let found = digits(text, part, range)?;
    let square = match found.as_bytes() {
        [row, column] => Square::new(row - b'0', column - b'0'),
        _ => None,
    };
    square.ok_or_else(|| wrong(part, found, text, "a row from 0 to 6 and a column from 0 to 4"))
}

fn read_step(text: &str, from: Range<usize>, to: Range<usize>) -> Result<Step, MessageError> {
    Ok(Step { from: read_square(text, "start square", from)?, to: read_square(text, "target square", to)? })
}

fn read_points(text: &str, white: Range<usize>, black: Range<usize>) -> Result<[u8; 2], MessageError> {
    let read = |part, range| {
        let found = digits(text, part, range)?;
        found.parse().map_err(|_| wrong(part, found, text, "two digits"))
    };
    Ok([read("points of White", white)?, read("points of Black", black)?])
}

fn read_turn(text: &str) -> Result<Turn, MessageError> {
    check_length(text, TURN_LENGTH)?;
    let next = match digits(text, "next player", 1..2)? {
        "0" => Color::White,
        "1" => Color::Black,
        found => return Err(wrong("next player", found, text, "`0` or `1`")),
    };
    let step = read_step(text, 2..4, 4..6)?;
    let prize = match text.get(6..8) {
        Some(NO_SQUARE) => None,
        _ => Some(read_square(text, "prize", 6..8)?),
    };
    Ok(Turn { next, step, prize, points: read_points(text, 8..10, 10..12)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{RngSeed, TestRunner};

    use super::*;

    fn square() -> impl Strategy<Value = Square> {
        (0..ROWS, 0..COLUMNS).prop_map(|(row, column)| Square { row, column })
    }

    fn step() -> impl Strategy<Value = Step> {
        (square(), square()).prop_map(|(from, to)| Step { from, to })
    }

    fn color() -> impl Strategy<Value = Color> {
        prop_oneof![Just(Color::White), Just(Color::Black)]
    }

    fn points() -> impl Strategy<Value = [u8; 2]> {
        [0..=MAX_POINTS, 0..=MAX_POINTS]
    }

    fn message() -> impl Strategy<Value = ServerMessage> {
        let turn = (color(), step(), proptest::option::of(square()), points())
            .prop_map(|(next, step, prize, points)| Turn { next, step, prize, points });
        prop_oneof![
            color().prop_map(ServerMessage::Player),
            Just(ServerMessage::Begin),
            turn.prop_map(ServerMessage::Turn),
            points().prop_map(ServerMessage::End),
        ]
    }

    /// The same cases in each run.
    fn seeded() -> ProptestConfig {
        ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(seeded())]

        #[test]
        fn messages_come_back(message in message(), padding in "[\\x00 \r\n]{0,9}") {
            let text = message.to_string();
            prop_assert!(text.len() <= MAX_BYTES);
            prop_assert_eq!(ServerMessage::parse(text.as_bytes()), Ok(message));
            prop_assert_eq!(ServerMessage::parse((text + &padding).as_bytes()), Ok(message));
        }

        #[test]
        fn moves_come_back(step in step()) {
            prop_assert_eq!(Step::parse(step.to_string().as_bytes()), Ok(step));
            prop_assert_eq!(Step::from_name(&step.name()), Some(step));
            prop_assert_eq!(Step::from_name(&(step.name() + "=1+c5")), Some(step));
        }

        #[test]
        fn malformed_messages_do_not_panic(text in "(T|GE|P|G)[0-9é+ -]{0,14}") {
            let _ = ServerMessage::parse(text.as_bytes());
            let _ = Step::parse(text.as_bytes());
        }
    }

    /// Texts that are nearly messages, so that many of them are.
    #[test]
    fn parsing_inverts_formatting() {
        let turn = "T[01][0-7][0-5][0-7][0-5]([0-7][0-5]|99)[0-9]{4}";
        let near = format!("(P[WB]|GB|{turn}|GE[0-9]{{4,5}})[\\x00 ]{{0,3}}");
        let mut runner = TestRunner::new(seeded());
        let mut texts = |pattern: &str| -> Vec<String> {
            let mut text = || pattern.new_tree(&mut runner).unwrap().current();
            (0..300).map(|_| text()).collect()
        };
        let (mut messages, mut turns, mut steps) = (0, 0, 0);
        for text in texts(&near) {
            if let Ok(message) = ServerMessage::parse(text.as_bytes()) {
                assert_eq!(message.to_string(), text.trim_end_matches(PADDING));
                messages += 1;
                turns += u32::from(matches!(message, ServerMessage::Turn(_)));
            }
        }
        for text in texts("[0-7][0-5][0-7][0-5] ?") {
            if let Ok(step) = Step::parse(text.as_bytes()) {
                assert_eq!(step.to_string(), text);
                steps += 1;
            }
        }
        assert!(messages > 100 && turns > 10 && steps > 30, "{messages}, {turns}, {steps}");
    }

    #[test]
    fn rows_count_from_black_and_columns_from_the_a_file() {
        let step = Step::parse(b"5444").unwrap();
        assert_eq!(step.name(), "e2e3");
        let turn = Turn { next: Color::Black, step, prize: None, points: [0, 1] };
        assert_eq!(ServerMessage::Turn(turn).to_string(), "T15444990001");
        let turn = Turn { prize: Square::from_name("c5"), points: [12, 99], ..turn };
        assert_eq!(ServerMessage::Turn(turn).to_string(), "T15444221299");
        for (name, digits, number) in
            [("a7", "00", 30), ("e7", "04", 34), ("b3", "41", 11), ("a1", "60", 0), ("e1", "64", 4)]
        {
            let square = Square::from_name(name).unwrap();
            assert_eq!((square.to_string(), square.number()), (digits.to_owned(), number));
        }
        for name in ["", "a", "a0", "a8", "f1", "A1", "11", "a1 ", "é"] {
            assert_eq!(Square::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn errors_name_the_problem() {
        for (text, error) in [
            ("", "`` is not a message, expected `PW`, `PB`, `GB`, `T…` or `GE…`"),
            ("PX", "`PX` is not a message"),
            ("PWW", "`PWW` is not a message"),
            ("pw", "`pw` is not a message"),
            ("T", "`T` has 1 byte, expected 12"),
            ("T1544499001", "has 11 bytes, expected 12"),
            ("T154449900010", "has 13 bytes, expected 12"),
            ("T25444990001", "next player `2`: expected `0` or `1`"),
            ("Tx5444990001", "next player `x`: expected digits"),
            ("T17444990001", "start square `74`: expected a row from 0 to 6 and a column from 0 to 4"),
            ("T15445990001", "target square `45`: expected a row"),
            ("T15444980001", "prize `98`: expected a row"),
            ("T1544499+101", "points of White `+1`: expected digits"),
            ("T154449900 1", "points of Black ` 1`: expected digits"),
            ("T1544499é01", "points of White `é`: expected digits"),
            ("T15444990é1", "points of White"),
            ("GE010", "`GE010` has 5 bytes, expected 6"),
            ("GE01000", "has 7 bytes, expected 6"),
            ("GE01-1", "points of Black `-1`: expected digits"),
        ] {
            let found = ServerMessage::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
        for (text, error) in [
            ("", "`` has 0 bytes, expected 4"),
            ("54440", "`54440` has 5 bytes, expected 4"),
            ("5444\n", "`5444\\n` has 5 bytes, expected 4"),
            ("54x4", "target square `x4`: expected digits"),
            ("9944", "start square `99`: expected a row"),
        ] {
            let found = Step::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
        assert_eq!(Step::parse(b"54\xff4").unwrap_err().to_string(), "byte 0xff at position 3 is not UTF-8");
        assert_eq!(
            ServerMessage::parse(&[b'T'; 201]).unwrap_err().to_string(),
            "a datagram of 201 bytes, expected 200 at most"
        );
    }

    #[test]
    fn names_are_a_line_of_text() {
        assert_eq!(parse_name("Δαίδαλος 1".as_bytes()), Ok("Δαίδαλος 1"));
        assert_eq!(parse_name(&[b'x'; 200]).map(str::len), Ok(200));
        for name in ["", "a\n", "a\0"] {
            assert!(matches!(parse_name(name.as_bytes()), Err(MessageError::Part { part: "name", .. })));
        }
        assert_eq!(parse_name(&[b'x'; 201]), Err(MessageError::TooLong { bytes: 201 }));
    }

    #[test]
    fn two_digits_show_whole_points() {
        for (points, digits) in [(0.0, 0), (0.9, 1), (11.4, 11), (99.0, 99), (100.0, 99), (999.9, 99)] {
            assert_eq!(rounded_points(points), digits, "{points}");
        }
    }
}
