//! Reading the lines of a suite.

use thiserror::Error;

use super::{Goal, SuitePosition};
use crate::engine::{Board, PositionError};
use crate::game::epd::{Epd, EpdError};
use crate::game::{MoveError, counted, quote};

/// The longest forced win that can be requested, in moves.
const MAX_MATE: u32 = 1000;

/// A line that is no position of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub problem: LineProblem,
}

impl LineError {
    /// The other game that has the position of the line, if any.
    pub fn other_game(&self) -> Option<&'static str> {
        match &self.problem {
            LineProblem::Epd(EpdError::Position(PositionError::Fen { looks_like, .. })) => *looks_like,
            _ => None,
        }
    }
}

/// A problem of a line of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineProblem {
    /// It is no line of EPD for this game.
    #[error(transparent)]
    Epd(#[from] EpdError<PositionError>),
    /// The position has no legal move.
    #[error("the game is over")]
    Over,
    /// The line has no goal.
    #[error("nothing to find, expected one of the operations `bm`, `am`, `dm`, `c0` with points")]
    NoGoal,
    /// An operation names no move.
    #[error("{opcode}: expected a move")]
    NoMove {
        /// The operation.
        opcode: &'static str,
    },
    /// An operation names a move that is not legal.
    #[error("{opcode}: {error}")]
    Move {
        /// The operation.
        opcode: &'static str,
        /// The problem of the move.
        error: MoveError,
    },
    /// A move has a chance outcome.
    #[error("{opcode}: {} is no move that a search finds, leave out the outcome of chance", quote(.text))]
    Outcome {
        /// The operation.
        opcode: &'static str,
        /// The move.
        text: String,
    },
    /// The operand of `dm`, or of `bm` with `#`, is not a number of moves.
    #[error("{opcode}: {} is not a whole number from 1 to {MAX_MATE}, or below zero", quote(.text))]
    Mate {
        /// The operation.
        opcode: &'static str,
        /// The operand.
        text: String,
    },
    /// Points are not of the form `Nf3=10`.
    #[error("c0: {} is not of the form `<move>=<points>`", quote(.0))]
    Points(String),
    /// A word among points is not a number.
    #[error("c8: {} is not a whole number", quote(.0))]
    Number(String),
    /// `c8` and `c9` do not belong together.
    #[error("c8 has {} for the {} of c9", counted(.numbers, "number"), counted(.moves, "move"))]
    Count {
        /// Numbers of `c8`.
        numbers: usize,
        /// Moves of `c9`.
        moves: usize,
    },
}

/// Reads a suite for the game of `board`, which is changed: a line for each position. Empty lines and lines
/// that begin with `#` are skipped.
///
/// # Errors
/// Each line has its own [`LineError`].
pub fn read(text: &str, board: &mut dyn Board) -> Vec<Result<SuitePosition, LineError>> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(text, _)| !text.is_empty() && !text.starts_with('#'));
    let positions =
        lines.map(|(text, line)| read_line(text, line, board).map_err(|problem| LineError { line, problem }));
    positions.collect()
}

fn read_line(text: &str, line: usize, board: &mut dyn Board) -> Result<SuitePosition, LineProblem> {
    let epd = Epd::parse(text, |fen| board.set_up(Some(fen), &[]))?;
    let mut moves = MoveReader::new(&epd.fen, board)?;
    let points = read_points(&epd, &mut moves)?;
    let goal = if let Some(number) = epd.operands("dm") {
        read_mate("dm", number.first().map_or("", String::as_str))?
    } else if let Some(mate) = epd.operand("bm").filter(|word| word.starts_with('#')) {
        read_mate("bm", mate)?
    } else if let Some(best) = epd.operands("bm") {
        Goal::Best(moves.read_all("bm", best)?)
    } else if let Some(avoid) = epd.operands("am") {
        Goal::Avoid(moves.read_all("am", avoid)?)
    } else {
        let most = points.iter().map(|(_, points)| points).max().ok_or(LineProblem::NoGoal)?;
        let best = points.iter().filter(|(_, points)| points == most);
        Goal::Best(best.map(|(mv, _)| mv.clone()).collect())
    };
    let id = epd.operands("id").map(|words| words.join(" ")).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| format!("line {line}"));
    Ok(SuitePosition { line, id, fen: epd.fen, goal, points })
}

/// Reads a mate distance in moves, as in `5`, `#5`, or `#-5` for the side that is mated.
fn read_mate(opcode: &'static str, text: &str) -> Result<Goal, LineProblem> {
    let number = text.trim_start_matches('#').trim_end_matches(',');
    let (number, is_loss) = number.strip_prefix('-').map_or((number, false), |number| (number, true));
    let moves = number.parse().ok().filter(|moves| (1..=MAX_MATE).contains(moves));
    let moves = moves.ok_or_else(|| LineProblem::Mate { opcode, text: text.to_owned() })?;
    Ok(if is_loss { Goal::Mated(moves) } else { Goal::Mate(moves) })
}

/// Reads the points of moves. A `c8` or `c0` that does not begin with points is a comment.
fn read_points(epd: &Epd, moves: &mut MoveReader) -> Result<Vec<(String, u32)>, LineProblem> {
    let words = |opcode| {
        let words = epd.operands(opcode).unwrap_or_default().iter();
        let words = words.flat_map(|text| text.split(|letter: char| letter == ',' || letter.is_whitespace()));
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>()
    };
    let pair = |word: &str| {
        let (mv, points) = word.rsplit_once('=')?;
        Some((mv.to_owned(), points.parse::<u32>().ok()?))
    };
    let (numbers, named, pairs) = (words("c8"), words("c9"), words("c0"));
    if !named.is_empty() && numbers.first().is_some_and(|word| word.parse::<u32>().is_ok()) {
        if numbers.len() != named.len() {
            return Err(LineProblem::Count { numbers: numbers.len(), moves: named.len() });
        }
        let read = |(mv, number): (&str, &str)| {
            let number = number.parse().map_err(|_| LineProblem::Number(number.to_owned()))?;
            Ok((moves.read("c9", mv)?, number))
        };
        named.into_iter().zip(numbers).map(read).collect()
    } else if pairs.first().is_some_and(|word| pair(word).is_some()) {
        let read = |word: &str| {
            let (mv, points) = pair(word).ok_or_else(|| LineProblem::Points(word.to_owned()))?;
            Ok((moves.read("c0", &mv)?, points))
        };
        pairs.into_iter().map(read).collect()
    } else {
        Ok(Vec::new())
    }
}

/// Reads the moves of a position.
struct MoveReader<'a> {
    fen: &'a str,
    board: &'a mut dyn Board,
    /// The moves that a search chooses from.
    legal: Vec<String>,
}

impl<'a> MoveReader<'a> {
    fn new(fen: &'a str, board: &'a mut dyn Board) -> Result<MoveReader<'a>, LineProblem> {
        board.set_up(Some(fen), &[]).map_err(EpdError::Position)?;
        let legal = board.legal_moves();
        match legal.is_empty() {
            true => Err(LineProblem::Over),
            false => Ok(MoveReader { fen, board, legal }),
        }
    }

    /// Reads a move into the notation of the protocol.
    fn read(&mut self, opcode: &'static str, text: &str) -> Result<String, LineProblem> {
        self.board.set_up(Some(self.fen), &[]).map_err(EpdError::Position)?;
        let mv = self.board.play_san(text).map_err(|error| LineProblem::Move { opcode, error })?;
        match self.legal.contains(&mv) {
            true => Ok(mv),
            false => Err(LineProblem::Outcome { opcode, text: text.to_owned() }),
        }
    }

    /// Reads at least one move. Some files have commas between them, numbers before them, or marks such as
    /// `+` as words.
    fn read_all(&mut self, opcode: &'static str, texts: &[String]) -> Result<Vec<String>, LineProblem> {
        let is_mark = |text: &str| !text.contains(char::is_alphanumeric);
        let texts = texts.iter().map(|text| without_number(text.trim_end_matches(',')));
        let texts = texts.filter(|text| !is_mark(text));
        let moves = texts.map(|text| self.read(opcode, text)).collect::<Result<Vec<_>, _>>()?;
        match moves.is_empty() {
            true => Err(LineProblem::NoMove { opcode }),
            false => Ok(moves),
        }
    }
}

/// A move without its number, as in `1.Nf3` and `1...Nf6`.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.len() < text.len() && rest.starts_with('.') { rest.trim_start_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MATE, position, result};
    use super::*;
    use crate::engine::registry;

    fn texts(moves: &[&str]) -> Vec<String> {
        moves.iter().map(|&mv| mv.to_owned()).collect()
    }

    #[test]
    fn operations_say_what_is_to_be_found() {
        for (operations, goal, id) in [
            ("bm Qxf7#; id \"no. 1\";", Goal::Best(texts(&["h5f7"])), "no. 1"),
            ("bm Qxe5 +, h5f7 !?", Goal::Best(texts(&["h5e5", "h5f7"])), "line 1"),
            ("bm 1. Qxf7# 1.Qxe5+;", Goal::Best(texts(&["h5f7", "h5e5"])), "line 1"),
            ("am 12...Nh3;", Goal::Avoid(texts(&["g1h3"])), "line 1"),
            ("am Qxe5+ Nh3; id no. 2;", Goal::Avoid(texts(&["h5e5", "g1h3"])), "no. 2"),
            ("bm Qxe5+; dm 1;", Goal::Mate(1), "line 1"),
            ("bm #1; PV: h5f7;", Goal::Mate(1), "line 1"),
            ("bm #-12; PV: g1h3 f6h5; id \"a \\\"b\\\"\";", Goal::Mated(12), "a \"b\""),
            ("dm -3;", Goal::Mated(3), "line 1"),
            ("c0 \"Nf3=3, Qxf7=10, Qxe5+=10\";", Goal::Best(texts(&["h5f7", "h5e5"])), "line 1"),
            (
                "am Nh3; c0 \"a remark, 1=0\"; c8 \"of two\"; c9 \"parts\";",
                Goal::Avoid(texts(&["g1h3"])),
                "line 1",
            ),
        ] {
            let position = position(operations);
            assert_eq!((position.goal, position.id.as_str()), (goal, id), "{operations}");
        }
    }

    #[test]
    fn points_come_in_both_forms() {
        let pairs = position("bm Qxf7; c0 \"Qxf7#=10, Qxe5+=4, Nf3=1\";");
        let lists = position("bm Qxf7; c8 \"10 4 1\"; c9 \"h5f7 h5e5 g1f3\";");
        assert_eq!(pairs.points, [("h5f7".to_owned(), 10), ("h5e5".to_owned(), 4), ("g1f3".to_owned(), 1)]);
        assert_eq!((&lists.points, lists.most_points()), (&pairs.points, 10));
        assert_eq!(result(&pairs, 2).points, 10);
        assert_eq!(result(&position("am Nf3; c0 \"Nf3=10\";"), 2).points, 0);
    }

    #[test]
    fn a_line_that_asks_for_nothing_readable_is_named() {
        let over = "7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;";
        for (variant, line, message) in [
            ("chess", format!("{MATE} id \"x\";"), "nothing to find"),
            ("chess", format!("{MATE} c0 \"x\";"), "nothing to find"),
            ("chess", format!("{MATE} bm;"), "bm: expected a move"),
            ("chess", format!("{MATE} am ?;"), "am: expected a move"),
            ("chess", format!("{MATE} bm Qxf7 Qh9;"), "bm: `Qh9`"),
            ("chess", format!("{MATE} am Ke4;"), "am: `Ke4` is not legal"),
            ("chess", format!("{MATE} dm 0;"), "dm: `0` is not a whole number"),
            ("chess", format!("{MATE} bm #x;"), "bm: `#x` is not a whole number"),
            ("chess", format!("{MATE} bm #0;"), "bm: `#0` is not a whole number"),
            ("chess", format!("{MATE} c0 \"Nf3=10, Nh3\";"), "c0: `Nh3` is not of the form"),
            ("chess", format!("{MATE} c0 \"Nf4=10\";"), "c0: `Nf4` is not legal"),
            ("chess", format!("{MATE} c8 \"10 x\"; c9 \"g1f3 g1h3\";"), "c8: `x` is not a whole number"),
            ("chess", format!("{MATE} c8 \"10 5\"; c9 \"g1f3\";"), "c8 has 2 numbers for the 1 move"),
            ("chess", "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP".to_owned(), "ranks"),
            ("chess", over.to_owned(), "the game is over"),
            ("neighbours", format!("{MATE} bm Qxf7;"), "FEN"),
            ("tucchess", "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w bm a2a3+c3;".to_owned(), "outcome of chance"),
        ] {
            let mut board = registry::board(variant).unwrap();
            let text = format!("# a comment\n\n{line}\n");
            let error = read(&text, board.as_mut()).remove(0).unwrap_err();
            assert_eq!(error.line, 3);
            assert!(error.to_string().contains(message), "{line}: {error}");
        }
    }
}
