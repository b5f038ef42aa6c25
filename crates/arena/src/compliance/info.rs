//! Strict reading of `info` lines, and of the thinking output of the xboard protocol.

use std::str::FromStr;

use labrys_core::eval::UciScore;
use labrys_core::game::quote;
use labrys_core::search::Bound;
use labrys_protocol::info::moves;

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct InfoLine {
    pub(super) depth: Option<i64>,
    pub(super) seldepth: Option<u32>,
    pub(super) multipv: Option<usize>,
    pub(super) score: Option<UciScore>,
    /// The kinds of bound that are named.
    pub(super) bounds: Vec<Bound>,
    pub(super) nodes: Option<u64>,
    pub(super) nps: Option<u64>,
    /// In milliseconds.
    pub(super) time: Option<u64>,
    pub(super) hashfull: Option<u64>,
    /// Win, draw and loss in permille.
    pub(super) wdl: Option<[u64; 3]>,
    pub(super) currmove: Option<String>,
    pub(super) pv: Vec<String>,
    /// The first word that is none of UCI.
    pub(super) unknown: Option<String>,
}

impl InfoLine {
    /// Whether it reports a finished line of a search.
    pub(super) fn is_exact(&self) -> bool {
        self.score.is_some() && self.bounds.is_empty()
    }

    /// The number of the line among several.
    pub(super) fn number(&self) -> usize {
        self.multipv.unwrap_or(1)
    }

    /// Reads an `info` line; the error says what is wrong with which word.
    pub(super) fn read_uci(line: &str) -> Result<InfoLine, String> {
        let mut info = InfoLine::default();
        let mut words = line.split_whitespace().peekable();
        words.next();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = Some(value::<u32>(word, &mut words)?.into()),
                "seldepth" => info.seldepth = Some(value(word, &mut words)?),
                "multipv" => info.multipv = Some(value(word, &mut words)?),
                "nodes" => info.nodes = Some(value(word, &mut words)?),
                "nps" => info.nps = Some(value(word, &mut words)?),
                "time" => info.time = Some(value(word, &mut words)?),
                "hashfull" => info.hashfull = Some(value(word, &mut words)?),
                "tbhits" | "sbhits" | "cpuload" | "currmovenumber" => {
                    value::<u64>(word, &mut words)?;
                }
                "currmove" => info.currmove = Some(value(word, &mut words)?),
                "score" => match words.next() {
                    Some("cp") => info.score = Some(UciScore::Centi(value("cp", &mut words)?)),
                    Some("mate") => info.score = Some(UciScore::Mate(value("mate", &mut words)?)),
                    kind => {
                        let kind = quote(kind.unwrap_or_default());
                        return Err(format!("score {kind}: expected `cp` or `mate`"));
                    }
                },
                "lowerbound" => info.bounds.push(Bound::Lower),
                "upperbound" => info.bounds.push(Bound::Upper),
                "wdl" => {
                    let mut next = || value::<u64>(word, &mut words);
                    info.wdl = Some([next()?, next()?, next()?]);
                }
                "pv" => info.pv = moves(&mut words),
                "refutation" | "currline" => drop(moves(&mut words)),
                "string" => words.by_ref().for_each(drop),
                word => info.unknown = info.unknown.or_else(|| Some(word.to_owned())),
            }
        }
        Ok(info)
    }
}

fn value<'a, T: FromStr>(name: &str, words: &mut impl Iterator<Item = &'a str>) -> Result<T, String> {
    let word = words.next().unwrap_or_default();
    let value = word.parse().ok().filter(|_| !word.is_empty());
    value.ok_or_else(|| format!("{name} {}: expected a value of its kind", quote(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_lines_are_read() {
        let line = "info depth 3 seldepth 5 multipv 2 score cp -12 lowerbound wdl 1 2 3 nodes 400 nps 7 \
                    hashfull 0 tbhits 0 time 12 pv e2e4 e7e5";
        let info = InfoLine::read_uci(line).unwrap();
        assert_eq!((info.depth, info.number(), info.nodes), (Some(3), 2, Some(400)));
        assert_eq!((info.score, info.is_exact()), (Some(UciScore::Centi(-12)), false));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
        let info = InfoLine::read_uci("info pv e2e4 e7e5 score cp 3 movesleft 40 depth 2 ebf 2.1").unwrap();
        assert_eq!((info.pv.len(), info.score, info.depth), (2, Some(UciScore::Centi(3)), Some(2)));
        assert_eq!(info.unknown.as_deref(), Some("movesleft"));
        assert_eq!(InfoLine::read_uci("info string depth x").unwrap(), InfoLine::default());
        let line =
            InfoLine::read_uci("info refutation d1h5 g6h5 depth 3 currline 1 e2e4 e7e5 score cp 2 pv e2e4");
        assert_eq!(
            line.map(|info| (info.depth, info.score, info.pv.len())),
            Ok((Some(3), Some(UciScore::Centi(2)), 1))
        );
        assert_eq!(InfoLine::read_uci("info depth 2 string depth x").unwrap().depth, Some(2));
    }

    #[test]
    fn malformed_lines_are_named() {
        for (line, error) in [
            ("info depth", "depth ``: expected a value of its kind"),
            ("info depth -3", "depth `-3`: expected a value of its kind"),
            ("info depth 1 currmove", "currmove ``: expected a value of its kind"),
            ("info nodes many", "nodes `many`: expected a value of its kind"),
            ("info score 12", "score `12`: expected `cp` or `mate`"),
            ("info score mate 1.5", "mate `1.5`: expected a value of its kind"),
        ] {
            assert_eq!(InfoLine::read_uci(line), Err(error.to_owned()), "{line}");
        }
    }
}
