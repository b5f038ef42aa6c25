//! Whole conversations in the UCI protocol, with commands during searches, to the engine with threads.

use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arbitrary::{Result, Unstructured};
use labrys_core::engine::{Board, GameOptions, OptionKind, Settings, registry};
use labrys_protocol::run as run_protocol;

use super::{Target, seeds};

/// Steps of a conversation at most.
const STEPS: usize = 24;

/// The longest pause before a step, in microseconds.
const PAUSE: u64 = 1_500;

/// The time in which one thread answers a `stop`.
const STOP: Duration = Duration::from_millis(20);

/// How often a conversation may take longer before that is a find: others may have the processor.
const ATTEMPTS: usize = 8;

/// Bytes from which a conversation is made. Each `go` has one answer, which is legal in its position; where a
/// program of libFuzzer runs it, a `stop` is answered at once.
pub(super) const TARGET: Target = Target { name: "uci_session", run, seeds: all_seeds, words: &[] };

/// A conversation.
struct Script {
    /// Lines, each with a pause before it.
    lines: Vec<(Duration, String)>,
    steps: usize,
    /// The most threads of a search.
    threads: u32,
    board: Box<dyn Board>,
}

fn run(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok(script) = Script::new(&mut choices) else { return };
    // The time of the process is also that of the tests beside this one; a program of libFuzzer has none.
    if cfg!(test) {
        converse(&script);
        return;
    }
    let slowest = (0..ATTEMPTS).map(|_| converse(&script)).find(|slowest| *slowest <= STOP * script.threads);
    assert!(slowest.is_some(), "`stop` takes more than {STOP:?} of a thread in\n{}", script.text());
}

/// Holds a conversation and checks the answers. Returns the longest time that one to `stop` has taken.
fn converse(script: &Script) -> Duration {
    let (text, watch) = (script.text(), Watch::default());
    let input = Pauses { lines: script.lines.clone().into_iter(), rest: Vec::new(), watch: watch.clone() };
    run_protocol(BufReader::new(input), watch.clone()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let Seen { output, slowest, .. } = watch.take();
    let output = String::from_utf8(output).expect("output is UTF-8");
    let (mut searches, mut legal, mut before) = (text.lines().filter(|line| is_search(line)).count(), "", "");
    for line in output.lines() {
        // Before each `readyok` are the legal moves, unless the engine was searching and had no time for them.
        if line == "readyok" && !before.starts_with("info ") && !before.starts_with("bestmove ") {
            legal = before;
        }
        if let Some(answer) = line.strip_prefix("bestmove ") {
            let best = answer.split(' ').next().unwrap_or_default();
            let is_legal = match best {
                "(none)" => legal.is_empty(),
                best => legal.split(' ').any(|mv| mv == best),
            };
            assert!(is_legal && searches > 0, "{line}, legal: {legal}, in\n{text}\n{output}");
            searches -= 1;
        }
        before = line;
    }
    assert_eq!(searches, 0, "searches without an answer in\n{text}\n{output}");
    let count = |text: &str, line: &str| text.lines().filter(|found| *found == line).count();
    assert_eq!(count(&output, "readyok"), count(&text, "isready"), "{text}\n{output}");
    slowest
}

fn is_search(line: &str) -> bool {
    line.starts_with("go ") && !line.starts_with("go perft")
}

impl Script {
    fn new(choices: &mut Unstructured) -> Result<Script> {
        let board = registry::board(registry::default_name()).expect("a default game");
        let mut script = Script { lines: Vec::new(), steps: 0, threads: 1, board };
        script.list();
        while !choices.is_empty() && script.steps < STEPS {
            script.step(choices)?;
        }
        Ok(script)
    }

    fn text(&self) -> String {
        self.lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Asks for the legal moves, and for a sign that this is the end of them. Nothing begins between two lines,
    /// so the moves are known whenever a line before has changed them.
    fn list(&mut self) {
        self.lines.extend(["moves", "isready"].map(|line| (Duration::ZERO, line.to_owned())));
    }

    fn step(&mut self, choices: &mut Unstructured) -> Result<()> {
        self.steps += 1;
        let pause = Duration::from_micros(choices.int_in_range(0..=PAUSE)?);
        let (line, is_listed) = match choices.int_in_range(0..=15)? {
            0..=3 => (Some(self.go(choices)?), false),
            4 | 5 => (Some("stop".to_owned()), false),
            6 => (Some("ponderhit".to_owned()), false),
            7 => (None, true),
            8 => (Some("wait".to_owned()), false),
            9 | 10 => (Some(self.position(choices)?), true),
            11 => (Some(self.game(choices)?), true),
            12 | 13 => (self.option(choices)?, true),
            14 => {
                let others = ["ucinewgame", "d", "moves", "eval", "uci", "perft 2", "help", "xyzzy", ""];
                (Some((*choices.choose(&others)?).to_owned()), true)
            }
            _ => (Some("go perft 2".to_owned()), false),
        };
        self.lines.extend(line.map(|line| (pause, line)));
        if is_listed {
            self.list();
        }
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
        Ok(words.join(" "))
    }

    /// A position some moves after the start position, or after one of the perft tests or a finished one. It may
    /// be refused, as may all lines during a search.
    fn position(&mut self, choices: &mut Unstructured) -> Result<String> {
        let fens = fens(self.board.variant());
        let fen = if choices.ratio(1, 3)? { Some(*choices.choose(&fens)?) } else { None };
        // The board has another size than the option says.
        let mut words = match fen.filter(|fen| self.board.set_up(Some(fen), &[]).is_ok()) {
            Some(fen) => format!("position fen {fen}"),
            None => {
                self.board.set_up(None, &[]).expect("a start position");
                "position startpos".to_owned()
            }
        };
        for number in 0..choices.int_in_range(0..=6)? {
            let legal = self.board.legal_moves();
            let Ok(mv) = choices.choose(&legal) else { break };
            self.board.play(mv).expect("a legal move");
            words += &format!("{} {mv}", if number == 0 { " moves" } else { "" });
        }
        Ok(words)
    }

    fn game(&mut self, choices: &mut Unstructured) -> Result<String> {
        let name = choices.choose(&seeds::GAMES)?;
        self.board = registry::board(name).expect("a game of the registry");
        Ok(format!("setoption name UCI_Variant value {name}"))
    }

    /// An option with a value in its range. Paths, and what takes memory or processors, stay as they are.
    fn option(&mut self, choices: &mut Unstructured) -> Result<Option<String>> {
        let engine =
            registry::engine(self.board.variant(), &Settings::default()).expect("a game of the registry");
        let all = GameOptions::all(engine.as_ref());
        let option = choices.choose(&all)?;
        let name = option.name;
        // Options of a game change its start position.
        if self.board.option().is_some_and(|own| own.name == name) {
            return Ok(None);
        }
        let value = match &option.kind {
            OptionKind::Check { .. } => choices.choose(&["true", "false"])?.to_string(),
            OptionKind::Spin { max, .. } if name == "Threads" => {
                let threads = *choices.choose(&[1, 2, 3])?;
                self.threads = self.threads.max(threads);
                i64::from(threads).min(*max).to_string()
            }
            OptionKind::Spin { min, max, .. } => {
                choices.int_in_range(*min..=(*max).min(min + 30))?.to_string()
            }
            OptionKind::Combo { values, .. } => (*choices.choose(values)?).to_owned(),
            OptionKind::Text => return Ok(None),
            OptionKind::Button => return Ok(Some(format!("setoption name {name}"))),
        };
        Ok(Some(format!("setoption name {name} value {value}")))
    }
}

/// The positions of the perft tests of a game, and some at the end of it.
fn fens(game: &str) -> Vec<&'static str> {
    static TESTS: LazyLock<Vec<String>> =
        LazyLock::new(|| seeds::GAMES.map(|game| seeds::text(&format!("perft/{game}.epd"))).to_vec());
    let number = seeds::GAMES.iter().position(|name| *name == game).expect("a game");
    let tests = TESTS[number].lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let tests = tests.filter_map(|line| line.split(';').next()).map(str::trim);
    finished(game).iter().copied().chain(tests).collect()
}

/// Positions at the end of a game, or a move before.
fn finished(game: &str) -> &'static [&'static str] {
    match game {
        // Stalemate, mate, no material, 100 plies; and one legal move.
        "chess" => &[
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
            "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/R3K2R w KQ - 100 90",
            "7k/8/8/8/8/8/6q1/7K w - - 0 1",
        ],
        "neighbours" => &["pp6/8/8/8/8/8/7P/8 w 0 1"],
        "tucchess" => &["1r1rp/ppppp/5/5/5/PPPPP/PRKRP b 0 0 1"],
        _ => &["q***/****/****/***Q w - - 0 1"],
    }
}

/// What the engine has read and written.
#[derive(Default)]
struct Seen {
    output: Vec<u8>,
    /// Searches without an answer.
    searches: usize,
    /// Whether the engine has said something about the only search, and a `stop` is meant for it.
    is_searching: bool,
    /// Whether a `wait` since the last `go` keeps a `stop` for work behind it.
    is_waited_for: bool,
    /// When the last `stop` was read during the only search.
    stopped: Option<Moment>,
    /// The longest time that an answer to `stop` has taken.
    slowest: Duration,
}

/// What is seen, shared by input and output.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Seen>>);

impl Watch {
    fn with<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self) -> Seen {
        self.with(std::mem::take)
    }

    /// Notes a line of input.
    fn read(&self, line: &str) {
        self.with(|seen| {
            if is_search(line) {
                seen.searches += 1;
                (seen.is_searching, seen.is_waited_for, seen.stopped) = (false, false, None);
            } else if line == "wait" {
                (seen.is_searching, seen.is_waited_for) = (false, true);
            } else if line == "stop" && seen.is_searching && seen.stopped.is_none() {
                seen.stopped = Some(Moment::now());
            }
        });
    }
}

impl Write for Watch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|seen| {
            seen.output.extend_from_slice(bytes);
            if bytes.starts_with(b"bestmove ") {
                seen.searches = seen.searches.saturating_sub(1);
                seen.is_searching = false;
                if let Some(stopped) = seen.stopped.take() {
                    seen.slowest = seen.slowest.max(stopped.elapsed());
                }
            } else if bytes.starts_with(b"info depth ") {
                seen.is_searching = seen.searches == 1 && !seen.is_waited_for;
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A time, and the time that this process has had of processors, where the system tells it.
struct Moment(Instant, Option<Duration>);

impl Moment {
    fn now() -> Moment {
        Moment(Instant::now(), process_time())
    }

    /// The time since then, but not that of other processes.
    fn elapsed(&self) -> Duration {
        let process = process_time().zip(self.1).map(|(now, then)| now - then);
        self.0.elapsed().min(process.unwrap_or(Duration::MAX))
    }
}

#[cfg(unix)]
fn process_time() -> Option<Duration> {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime)).ok()
}

#[cfg(not(unix))]
fn process_time() -> Option<Duration> {
    None
}

/// Gives lines after their pauses.
struct Pauses {
    lines: std::vec::IntoIter<(Duration, String)>,
    rest: Vec<u8>,
    watch: Watch,
}

impl Read for Pauses {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty()
            && let Some((pause, line)) = self.lines.next()
        {
            // A sleep is too long for what has to overlap.
            let end = Instant::now() + pause;
            while Instant::now() < end {
                std::thread::yield_now();
            }
            self.watch.read(&line);
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
