//! Whole conversations in the UCI protocol, with commands during searches, to the engine with threads.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};
use std::time::{Duration, Instant};

use arbitrary::{Result, Unstructured};
use labrys_core::engine::{Board, GameOptions, OptionKind, Settings, registry};
use labrys_protocol::run as run_protocol;

use super::uci::Kept;
use super::{Target, seeds};

/// Steps of a conversation at most.
const STEPS: usize = 24;

/// The longest pause before a step, in microseconds.
const PAUSE: u64 = 1_500;

/// Bytes from which a conversation is made. Each `go` has one answer, which is legal in a position of the
/// conversation.
pub(super) const TARGET: Target = Target { name: "uci_session", run, seeds: all_seeds, words: &[] };

/// A conversation.
struct Script {
    /// Lines, each with a pause before it.
    lines: Vec<(Duration, String)>,
    /// The legal moves of all positions, and `(none)` if one has none.
    legal: BTreeSet<String>,
    /// Searches.
    searches: usize,
    board: Box<dyn Board>,
}

fn run(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok(script) = Script::new(&mut choices) else { return };
    let output = Kept::default();
    let lines = script.lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n");
    let input = BufReader::new(Pauses { lines: script.lines.clone().into_iter(), rest: Vec::new() });
    run_protocol(input, output.clone()).unwrap_or_else(|error| panic!("{lines}: {error}"));
    let output = output.take();
    let answers: Vec<_> = output.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(answers.len(), script.searches, "answers, searches in\n{lines}\n{output}");
    for answer in answers {
        let best = answer.split(' ').next().unwrap_or_default();
        assert!(script.legal.contains(best), "{best} in\n{lines}\n{output}");
    }
    let count = |text: &str, line: &str| text.lines().filter(|found| *found == line).count();
    assert_eq!(count(&output, "readyok"), count(&lines, "isready"), "{lines}\n{output}");
}

impl Script {
    fn new(choices: &mut Unstructured) -> Result<Script> {
        let board = registry::board(registry::default_name()).expect("a default game");
        let (lines, legal) = (Vec::new(), legal_moves(board.as_ref()).collect());
        let mut script = Script { lines, legal, searches: 0, board };
        while !choices.is_empty() && script.lines.len() < STEPS {
            script.step(choices)?;
        }
        Ok(script)
    }

    fn step(&mut self, choices: &mut Unstructured) -> Result<()> {
        let pause = Duration::from_micros(choices.int_in_range(0..=PAUSE)?);
        let line = match choices.int_in_range(0..=15)? {
            0..=3 => self.go(choices)?,
            4 | 5 => "stop".to_owned(),
            6 => "ponderhit".to_owned(),
            7 => "isready".to_owned(),
            8 => "wait".to_owned(),
            9 | 10 => self.position(choices)?,
            11 => self.game(choices)?,
            12 | 13 => self.option(choices)?,
            14 => (*choices.choose(&[
                "ucinewgame",
                "d",
                "moves",
                "eval",
                "uci",
                "perft 2",
                "help",
                "xyzzy",
                "",
            ])?)
            .to_owned(),
            _ => "go perft 2".to_owned(),
        };
        self.lines.push((pause, line));
        Ok(())
    }

    fn go(&mut self, choices: &mut Unstructured) -> Result<String> {
        let mut words = vec!["go".to_owned()];
        for _ in 0..choices.int_in_range(1..=2)? {
            let number = choices.int_in_range(1..=3000_u32)?;
            words.push(match choices.int_in_range(0..=7)? {
                0 => "infinite".to_owned(),
                1 => "ponder".to_owned(),
                2 => format!("depth {}", 1 + number % 5),
                3 => format!("nodes {number}"),
                4 => format!("movetime {}", number % 5),
                5 => format!("wtime {number} btime {number} winc {}", number % 7),
                6 => format!("mate {}", 1 + number % 3),
                _ => format!(
                    "depth 2 searchmoves {}",
                    choices.choose(&self.board.legal_moves()).map_or("e2e4", |mv| mv)
                ),
            });
        }
        self.searches += 1;
        Ok(words.join(" "))
    }

    /// A position some moves after the start position. It may be refused, as may all lines during a search.
    /// Then the game may still be another one, in which these moves may be legal, too.
    fn position(&mut self, choices: &mut Unstructured) -> Result<String> {
        self.board.set_up(None, &[]).expect("a start position");
        let mut moves: Vec<String> = Vec::new();
        for _ in 0..choices.int_in_range(0..=6)? {
            let legal = self.board.legal_moves();
            let Ok(mv) = choices.choose(&legal) else { break };
            self.board.play(mv).expect("a legal move");
            moves.push(mv.clone());
        }
        for game in seeds::GAMES {
            let mut board = registry::board(game).expect("a game of the registry");
            if board.set_up(None, &moves).is_ok() {
                self.legal.extend(legal_moves(board.as_ref()));
            }
        }
        let word = if moves.is_empty() { "" } else { " moves " };
        Ok(format!("position startpos{word}{}", moves.join(" ")))
    }

    fn game(&mut self, choices: &mut Unstructured) -> Result<String> {
        let name = choices.choose(&seeds::GAMES)?;
        self.board = registry::board(name).expect("a game of the registry");
        self.legal.extend(legal_moves(self.board.as_ref()));
        Ok(format!("setoption name UCI_Variant value {name}"))
    }

    /// An option with a value in its range. Paths, and what takes memory or processors, stay as they are.
    fn option(&mut self, choices: &mut Unstructured) -> Result<String> {
        let engine =
            registry::engine(self.board.variant(), &Settings::default()).expect("a game of the registry");
        let all = GameOptions::all(engine.as_ref());
        let option = choices.choose(&all)?;
        let name = option.name;
        // Options of a game change its start position.
        if self.board.option().is_some_and(|own| own.name == name) {
            return Ok("isready".to_owned());
        }
        let value = match &option.kind {
            OptionKind::Check { .. } => choices.choose(&["true", "false"])?.to_string(),
            OptionKind::Spin { max, .. } if name == "Threads" => {
                (*choices.choose(&[1, 2, 3])?).min(*max).to_string()
            }
            OptionKind::Spin { min, max, .. } => {
                choices.int_in_range(*min..=(*max).min(min + 30))?.to_string()
            }
            OptionKind::Combo { values, .. } => (*choices.choose(values)?).to_owned(),
            OptionKind::Text => return Ok("isready".to_owned()),
            OptionKind::Button => return Ok(format!("setoption name {name}")),
        };
        Ok(format!("setoption name {name} value {value}"))
    }
}

/// The legal moves of a position, or `(none)`.
fn legal_moves(board: &dyn Board) -> impl Iterator<Item = String> + use<> {
    let moves = board.legal_moves();
    let none = moves.is_empty().then(|| "(none)".to_owned());
    moves.into_iter().chain(none)
}

/// Gives lines after their pauses.
struct Pauses {
    lines: std::vec::IntoIter<(Duration, String)>,
    rest: Vec<u8>,
}

impl Read for Pauses {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty()
            && let Some((pause, line)) = self.lines.next()
        {
            // A sleep is too long for what has to overlap.
            let end = Instant::now() + pause;
            while Instant::now() < end {
                std::thread::yield_now();
            }
            self.rest = format!("{line}\n").into_bytes();
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

fn all_seeds() -> Vec<Vec<u8>> {
    // What the bytes mean depends on their number: any are as good as others.
    (0..8_u8)
        .map(|seed| {
            (0..120_u8).map(|byte| byte.wrapping_mul(seed * 16 + 7).wrapping_add(seed * 31)).collect()
        })
        .collect()
}
