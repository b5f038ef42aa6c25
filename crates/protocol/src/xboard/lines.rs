//! The lines of a search in the xboard protocol: limits, thinking output and the answer.

use crate::info::Info;
use labrys_core::eval::UciScore;
use labrys_core::game::Color;
use labrys_core::search::Limits;

/// Scores from here on are mates: the rest is the number of moves.
const MATE: i64 = 100_000;

/// The beginnings of lines that refuse a move or a position. The second is that of GNU Chess.
pub(super) const REFUSED_MOVE: [&str; 3] = ["Illegal move", "Invalid move", "tellusererror"];

/// An answer to `go`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Move(String),
    Resigns,
    /// It has refused an earlier line.
    Refuses(String),
}

impl Reply {
    /// Reads the answer of the side to move, `stm`: `move e7e5`, or `1. ... e7e5` of older engines. An engine
    /// resigns by that word, or by claiming that the opponent has won.
    pub(super) fn read(line: &str, stm: Color) -> Option<Reply> {
        if REFUSED_MOVE.iter().any(|beginning| line.starts_with(beginning)) {
            return Some(Reply::Refuses(line.to_owned()));
        }
        let lost = match stm {
            Color::White => "0-1",
            Color::Black => "1-0",
        };
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let is_number = || first.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
        match first {
            "move" => Some(Reply::Move(words.next().unwrap_or_default().to_owned())),
            "resign" => Some(Reply::Resigns),
            first if first == lost => Some(Reply::Resigns),
            _ if is_number() && words.next() == Some("...") => {
                words.next().map(|mv| Reply::Move(mv.to_owned()))
            }
            _ => None,
        }
    }
}

/// Reads a line of thinking output: depth, score in hundredths, time in hundredths of a second, nodes, line.
pub fn read_thinking(line: &str) -> Option<Info> {
    let mut words = line.split_whitespace();
    // Some engines mark the depth, as in `7.` or `7+`.
    let depth = words.next()?.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?;
    let score: i64 = words.next()?.parse().ok()?;
    let _hundredths: i64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    // Newer engines have more numbers here, and a tab before the line.
    let (seldepth, pv) = match line.split_once('\t') {
        Some((numbers, pv)) => (numbers.split_whitespace().nth(4), pv),
        None => (None, line),
    };
    let skipped = if line.contains('\t') { 0 } else { 4 };
    let seldepth = seldepth.and_then(|depth| depth.parse().ok());
    let pv = pv.split_whitespace().skip(skipped).map(str::to_owned).collect();
    let score = match score.abs() {
        ..MATE => UciScore::Centi(score as i32),
        distance => UciScore::Mate(((distance - MATE) * score.signum()).clamp(-999, 999) as i32),
    };
    Some(Info { depth: Some(depth), score: Some(score), seldepth, nodes: Some(nodes), pv })
}

/// The commands for the limits of a game, from those of the first search in it.
pub(super) fn game_limits(limits: &Limits, stm: Color) -> Vec<String> {
    let time = match (limits.clocks[stm.index()], limits.movetime) {
        (Some(clock), _) => {
            // The increment of the first move is on the clock already. The protocol has whole seconds here;
            // the clock itself is sent before each move.
            let base = clock.remaining.saturating_sub(clock.increment).as_secs_f64().ceil().max(1.0) as u64;
            let moves = limits.moves_to_go.unwrap_or(0);
            format!("level {moves} {}:{:02} {}", base / 60, base % 60, clock.increment.as_secs_f64())
        }
        (None, Some(time)) => format!("st {}", time.as_secs_f64()),
        // Not the engine's own default, which may end searches early.
        (None, None) => "level 0 60 0".to_owned(),
    };
    [Some(time), limits.depth.map(|depth| format!("sd {depth}"))].into_iter().flatten().collect()
}

/// The commands for the clocks, in hundredths of a second.
pub(super) fn clock_lines(limits: &Limits, stm: Color) -> Vec<String> {
    let clocks = [("time", stm), ("otim", !stm)];
    let lines = clocks.into_iter().filter_map(|(command, color)| {
        let clock = limits.clocks[color.index()]?;
        Some(format!("{command} {}", clock.remaining.as_millis() / 10))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use labrys_core::search::Clock;

    #[test]
    fn moves_are_read_in_both_forms() {
        let read = |line| Reply::read(line, Color::Black);
        let mv = |text: &str| Some(Reply::Move(text.into()));
        assert_eq!(read("move e7e5"), mv("e7e5"));
        assert_eq!(read("1. ... e7e8q"), mv("e7e8q"));
        assert_eq!(read("1. e2e4"), None, "an echo of the opponent's move");
        assert_eq!(read("My move is : e7e5"), None);
        assert_eq!(read("0-1 {Black mates}"), None);
        assert_eq!(read("1-0 {Black resigns}"), Some(Reply::Resigns));
        assert_eq!(read("resign"), Some(Reply::Resigns));
        assert_eq!(read("Illegal move:a1a1"), Some(Reply::Refuses("Illegal move:a1a1".into())));
        assert_eq!(read("1/2-1/2 {repetition}"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn thinking_is_read() {
        let info = |depth, score, seldepth, nodes, pv: &str| {
            let pv = pv.split_whitespace().map(str::to_owned).collect();
            Some(Info { depth: Some(depth), score: Some(score), seldepth, nodes: Some(nodes), pv })
        };
        for (line, expected) in [
            (" 7   12   25   316335 g8f6 e4e5", info(7, UciScore::Centi(12), None, 316_335, "g8f6 e4e5")),
            ("9. -40 0 2 (e5) Nd5", info(9, UciScore::Centi(-40), None, 2, "(e5) Nd5")),
            ("3 +100003 0 9 Qh5", info(3, UciScore::Mate(3), None, 9, "Qh5")),
            ("3 -100002 0 9", info(3, UciScore::Mate(-2), None, 9, "")),
            ("8 5 12 900 17 7500 0\te4 e5", info(8, UciScore::Centi(5), Some(17), 900, "e4 e5")),
            ("8 5 12 900\te4 e5", info(8, UciScore::Centi(5), None, 900, "e4 e5")),
        ] {
            assert_eq!(read_thinking(line), expected, "{line}");
        }
        for line in ["1. ... e7e5", "# times @ 57416122", "move e2e4", "3 12 5", "x 1 2 3"] {
            assert_eq!(read_thinking(line), None, "{line}");
        }
    }

    #[test]
    fn limits_become_commands() {
        let clock =
            |ms| Some(Clock { remaining: Duration::from_millis(ms), increment: Duration::from_millis(100) });
        let limits = Limits {
            clocks: [clock(90_100), clock(61_005)],
            moves_to_go: Some(40),
            depth: Some(9),
            ..Limits::none()
        };
        assert_eq!(game_limits(&limits, Color::White), ["level 40 1:30 0.1", "sd 9"]);
        assert_eq!(game_limits(&limits, Color::Black), ["level 40 1:01 0.1", "sd 9"]);
        assert_eq!(clock_lines(&limits, Color::Black), ["time 6100", "otim 9010"]);
        let limits = Limits { movetime: Some(Duration::from_secs(2)), ..Limits::none() };
        assert_eq!(game_limits(&limits, Color::White), ["st 2"]);
        assert_eq!(clock_lines(&limits, Color::White), [""; 0]);
        assert_eq!(game_limits(&Limits::depth(4), Color::White), ["level 0 60 0", "sd 4"]);
    }
}
