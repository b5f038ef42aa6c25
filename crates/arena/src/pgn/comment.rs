//! The comments on moves: score, depth, time, and optional values.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::PgnMove;
use crate::MoveReply;
use labrys_core::eval::UciScore;
use labrys_core::game::{Game, quote};

/// The optional values of comments, parsed from a list such as `nodes,pv`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentKeys(BTreeSet<Key>);

/// A part of a comment, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Nodes,
    Nps,
    Seldepth,
    Pv,
}

impl Key {
    const ALL: [Key; 4] = [Key::Nodes, Key::Nps, Key::Seldepth, Key::Pv];

    fn name(self) -> &'static str {
        match self {
            Key::Nodes => "nodes",
            Key::Nps => "nps",
            Key::Seldepth => "seldepth",
            Key::Pv => "pv",
        }
    }

    /// The value in a reply of the player to move in a position; `None` if the reply does not have it.
    fn value<G: Game>(self, position: &G, reply: &MoveReply<G::Move>) -> Option<String> {
        match self {
            Key::Nodes => reply.nodes.map(|nodes| nodes.to_string()),
            Key::Nps => reply.nodes_per_second().map(|nps| nps.to_string()),
            Key::Seldepth => reply.seldepth.map(|depth| depth.to_string()),
            Key::Pv if reply.pv.is_empty() => None,
            Key::Pv => {
                let mut position = position.clone();
                let moves = reply.pv.iter().map(|&mv| {
                    let text = position.san(mv);
                    position.play(mv);
                    text
                });
                Some(moves.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

impl FromStr for CommentKeys {
    type Err = String;

    fn from_str(text: &str) -> Result<CommentKeys, String> {
        let names = text.split(',').filter(|_| !text.is_empty());
        let keys = names.map(|name| {
            let known = || Key::ALL.map(Key::name).join(", ");
            let key = Key::ALL.into_iter().find(|key| key.name() == name);
            key.ok_or_else(|| format!("unknown key {}, expected any of: {}", quote(name), known()))
        });
        keys.collect::<Result<_, _>>().map(CommentKeys)
    }
}

impl PgnMove {
    /// The move `mv`, played in a position, with a comment made of the player's reply.
    pub fn new<G: Game>(
        position: &G,
        mv: G::Move,
        reply: &MoveReply<G::Move>,
        keys: &CommentKeys,
    ) -> PgnMove {
        let seconds = reply.elapsed.as_secs_f64();
        let score = reply.score.map(|score| match score {
            UciScore::Centi(value) => format!("{:+.2}", f64::from(value) / 100.0),
            UciScore::Mate(moves) if moves > 0 => format!("+M{moves}"),
            UciScore::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
        });
        let mut comment = match score {
            Some(score) => format!("{score}/{} {seconds:.3}s", reply.depth.unwrap_or(0)),
            None => format!("{seconds:.3}s"),
        };
        let values = keys.0.iter().filter_map(|key| Some((key, key.value(position, reply)?)));
        values.for_each(|(key, value)| comment += &format!(", {}={value}", key.name()));
        PgnMove { text: position.san(mv), comment, ..PgnMove::default() }
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

    /// The parts of the comment that Labrys and cutechess write: score and depth, time, and other values.
    fn values(&self) -> impl Iterator<Item = &str> {
        self.comment.split([' ', ',']).filter(|word| !word.is_empty())
    }

    /// The depth in the comment.
    pub fn depth(&self) -> Option<u32> {
        self.score()?;
        self.values().next()?.split_once('/')?.1.parse().ok().filter(|&depth| depth > 0)
    }

    /// The nodes in the comment.
    pub fn nodes(&self) -> Option<u64> {
        self.values().find_map(|word| word.strip_prefix("nodes="))?.parse().ok()
    }

    /// The time in the comment, in seconds.
    pub fn seconds(&self) -> Option<f64> {
        let time = self.values().take(2).find_map(|word| word.strip_suffix('s'))?;
        time.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::chess::Chess;

    #[test]
    fn scores_are_read_back() {
        let score = |comment: &str| PgnMove { comment: comment.into(), ..PgnMove::default() }.score();
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
    fn comments_give_depth_nodes_and_time() {
        let of = |comment: &str| {
            let mv = PgnMove { comment: comment.into(), ..PgnMove::default() };
            (mv.depth(), mv.nodes(), mv.seconds())
        };
        assert_eq!(of("+1.23/12 0.450s, nodes=77, nps=9"), (Some(12), Some(77), Some(0.45)));
        assert_eq!(of("-M3/5 1.000s"), (Some(5), None, Some(1.0)));
        assert_eq!(of("0.450s"), (None, None, Some(0.45)));
        for other in ["book", "", "well played, sirs", "a/b", "1/0"] {
            assert_eq!(of(other), (None, None, None), "{other}");
        }
    }

    #[test]
    fn keys_are_read_by_name() {
        let keys = |text: &str| text.parse::<CommentKeys>();
        assert_eq!(keys(""), Ok(CommentKeys::default()));
        assert_eq!(keys("pv,nodes"), Ok(CommentKeys([Key::Nodes, Key::Pv].into())));
        let error = keys("nodes,other").unwrap_err();
        assert!(error.starts_with("unknown key `other`, expected any of: nodes, nps"), "{error}");
    }

    #[test]
    fn replies_become_comments() {
        let reply = |score, depth| {
            let elapsed = std::time::Duration::from_millis(450);
            let (position, keys) = (Chess::start(), "pv,nps,seldepth,nodes".parse().unwrap());
            let line = |text| position.parse_move(text).unwrap();
            let reply = MoveReply { score, depth, elapsed, ..MoveReply::new(Ok(line("e2e4"))) };
            PgnMove::new(&position, line("e2e4"), &reply, &keys).comment
        };
        assert_eq!(reply(Some(UciScore::Centi(123)), Some(12)), "+1.23/12 0.450s");
        assert_eq!(reply(Some(UciScore::Centi(-5)), Some(1)), "-0.05/1 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(5)), Some(9)), "+M5/9 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(-4)), None), "-M4/0 0.450s");
        assert_eq!(reply(None, None), "0.450s");
    }

    #[test]
    fn values_are_written_where_the_reply_has_them() {
        let position = Chess::start();
        let comment = |pv: &[&str], nodes| {
            let mut after = position.clone();
            let pv = pv.iter().map(|text| {
                let mv = after.parse_move(text).unwrap();
                after.play(mv);
                mv
            });
            let pv: Vec<_> = pv.collect();
            let (seldepth, elapsed) = (Some(7), std::time::Duration::from_millis(500));
            let mv = position.parse_move("e2e4").unwrap();
            let reply = MoveReply { pv, nodes, seldepth, elapsed, ..MoveReply::new(Ok(mv)) };
            PgnMove::new(&position, mv, &reply, &"pv,nps,seldepth,nodes".parse().unwrap()).comment
        };
        assert_eq!(
            comment(&["e2e4", "e7e5"], Some(900)),
            "0.500s, nodes=900, nps=1800, seldepth=7, pv=e4 e5"
        );
        assert_eq!(comment(&[], None), "0.500s, seldepth=7");
    }
}
