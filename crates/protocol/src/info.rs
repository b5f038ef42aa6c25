//! Parsing of the `info` lines of an engine.

use std::iter::Peekable;
use std::str::FromStr;

use labrys_core::eval::UciScore;

/// The words of an `info` line, at which the moves before them end.
const WORDS: [&str; 20] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "lowerbound",
    "upperbound",
    "wdl",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
    "string",
    "refutation",
    "currline",
];

/// The moves that come next in an `info` line, up to one of its words: fields may be in any order.
pub fn moves<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Vec<String> {
    std::iter::from_fn(|| words.next_if(|word| !WORDS.contains(word))).map(str::to_owned).collect()
}

/// The last report of an engine about its first line. A bound does not replace a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth of the iteration, in plies.
    pub depth: Option<u32>,
    /// Score of the line, for the side to move.
    pub score: Option<UciScore>,
    /// The deepest ply visited.
    pub seldepth: Option<u32>,
    /// Nodes visited so far.
    pub nodes: Option<u64>,
    /// The moves of the line, as the engine wrote them.
    pub pv: Vec<String>,
}

impl Info {
    /// Updates the report with a line of output. Unknown parts are ignored.
    pub fn update(&mut self, line: &str) {
        let mut words = line.split_whitespace().peekable();
        if words.next() != Some("info") {
            return;
        }
        let mut new = self.clone();
        let mut is_bound = false;
        while let Some(word) = words.next() {
            match word {
                "depth" => take(&mut new.depth, words.next()),
                "seldepth" => take(&mut new.seldepth, words.next()),
                "nodes" => take(&mut new.nodes, words.next()),
                "multipv" if words.next() != Some("1") => return,
                "score" => match (words.next(), words.next().and_then(|value| value.parse().ok())) {
                    (Some("cp"), Some(value)) => new.score = Some(UciScore::Centi(value)),
                    (Some("mate"), Some(value)) => new.score = Some(UciScore::Mate(value)),
                    _ => {}
                },
                "lowerbound" | "upperbound" => is_bound = true,
                "pv" => new.pv = moves(&mut words),
                "string" => break,
                _ => {}
            }
        }
        *self = match is_bound {
            true => Info { score: self.score, depth: self.depth, seldepth: self.seldepth, ..new },
            false => new,
        };
    }
}

/// Replaces a value if the word can be parsed.
fn take<T: FromStr>(place: &mut Option<T>, word: Option<&str>) {
    if let Some(value) = word.and_then(|word| word.parse().ok()) {
        *place = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_report_on_the_first_line_counts() {
        let mut info = Info::default();
        for line in [
            "info depth 3 seldepth 5 multipv 1 score cp 99 nodes 400 nps 1 pv e1e3 a1a2 score cp -12",
            "info depth 4 multipv 2 score cp 500 nodes 900",
            "info string depth 77",
            "info depth 4 currmove e1e3",
            "info nodes many score cp",
            "bestmove depth 9",
        ] {
            info.update(line);
        }
        let expected = Info {
            depth: Some(4),
            score: Some(UciScore::Centi(-12)),
            seldepth: Some(5),
            nodes: Some(400),
            pv: ["e1e3", "a1a2"].map(str::to_owned).into(),
        };
        assert_eq!(info, expected);
        for bound in ["lowerbound", "upperbound"] {
            info.update(&format!("info depth 9 score mate -3 {bound} nodes 500 pv e1e2"));
            let pv = vec!["e1e2".to_owned()];
            assert_eq!(info, Info { nodes: Some(500), pv, ..expected.clone() });
        }
        info.update("info depth 9 score mate -3");
        assert_eq!(info.score, Some(UciScore::Mate(-3)));
    }
}
