//! Writing PGN.

use std::fmt;

use super::{BOOK, PgnGame};
use crate::arena::FinalResult;
use crate::game::Color;

/// The `Event` tag of games written here.
pub(super) const EVENT: &str = "labrys match";

/// Maximum width of a line of moves.
const COLUMNS: usize = 80;

impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = &self.players;
        let plies = self.opening.moves.len() + self.moves.len();
        let result = result_text(self.end.as_ref());
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
        if let Some(end) = &self.end {
            tag(f, "Termination", end.termination.tag())?;
            tag(f, "TerminationDetails", &end.details)?;
        }
        writeln!(f)?;
        self.write_moves(f)?;
        writeln!(f)
    }
}

impl PgnGame {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = self.opening.fen.split(' ');
        let black_begins = fields.nth(1) == Some("b");
        // The last field of a FEN is the number of the move.
        let first = fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1_usize);
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
                write(&format!("{}.", first + ply / 2))?;
            } else if ply == 1 && black_begins {
                write(&format!("{first}..."))?;
            }
            write(text)?;
            if !comment.is_empty() {
                // A brace inside the comment would close it.
                format!("{{{}}}", comment.replace('}', ")")).split(' ').try_for_each(&mut write)?;
            }
        }
        write(result_text(self.end.as_ref()))?;
        writeln!(f)
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    // A tag has to stay on one line.
    let value: String = value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

fn result_text(end: Option<&FinalResult>) -> &'static str {
    match end.map(|end| end.winner) {
        Some(Some(Color::White)) => "1-0",
        Some(Some(Color::Black)) => "0-1",
        Some(None) => "1/2-1/2",
        None => "*",
    }
}

#[cfg(test)]
mod tests {
    use super::super::PgnMove;
    use super::super::tests::{parse, record};
    use super::*;

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
    fn move_numbers_come_from_the_fen() {
        let mut later = record();
        later.opening.fen = "pp6/8/8/8/8/8/8/PP6 b 0 31".into();
        assert!(later.to_string().contains("\n\n31... a8a7 {book} 32. a1a2 "));
        later.end = None;
        assert!(later.to_string().contains("[Result \"*\"]") && later.to_string().ends_with(" *\n\n"));
    }
}
