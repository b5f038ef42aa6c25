//! Lines of the UCI protocol, to the engine without threads.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use labrys_core::search::Control;
use labrys_protocol::info::Info;
use labrys_protocol::{Command, UciEngine, parse};

use super::{Target, seeds};

/// Lines of an input at most.
const LINES: usize = 60;

/// Milliseconds of a search.
const SEARCH: u32 = 2;

/// Digits of the largest number that is passed on to options of memory and threads.
const DIGITS: usize = 2;

/// Lines of input. Each `go` has one answer, which is legal in its position.
pub(super) const TARGET: Target = Target { name: "uci", run, seeds: all_seeds, words: WORDS };

/// Words of the protocol.
pub(super) const WORDS: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "setoption name ",
    " value ",
    "position startpos",
    "position fen ",
    " moves ",
    "go ",
    "depth ",
    "nodes ",
    "mate ",
    "movetime ",
    "wtime ",
    "btime ",
    "winc ",
    "binc ",
    "movestogo ",
    "infinite",
    "ponder",
    "searchmoves ",
    "perft ",
    "stop",
    "ponderhit",
    "wait",
    "setweights ",
    "weights",
    "eval all",
    "d",
    "moves",
    "bench ",
    "debug on",
    "help",
    "quit",
    "e2e4",
    "0000",
    "UCI_Variant",
    "chess",
    "neighbours",
    "tucchess",
    "amazons",
    "UCI_Chess960",
    "AmazonsBoard",
    "6x6",
    "Hash",
    "MultiPV",
    "SearchMode",
    "mcts",
    "Evaluation",
    "linear",
    "FeatureSet",
    "Clear Hash",
    "UCI_LimitStrength",
    "UCI_Elo",
    "UCI_ShowWDL",
    "default",
    "file ",
    "=",
    "-1",
    "99999999999999999999",
    "\u{feff}",
    "\u{0}",
    "\r\n",
    "info depth 1 score cp 5 multipv 1 pv e2e4",
];

/// Keeps what is written.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    /// The text since the last call.
    pub(super) fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8(bytes).expect("output is UTF-8")
    }
}

thread_local!(static LEFT: Cell<u32> = const { Cell::new(0) });

/// Stops work after some milliseconds.
fn poll(control: &Control) {
    let left = LEFT.get();
    LEFT.set(left.saturating_sub(1));
    if left == 0 {
        control.stop();
    }
}

/// A conversation, and what is expected of it.
struct Conversation {
    engine: UciEngine,
    output: Kept,
    /// The legal moves, as the engine has listed them before its last search.
    legal: Vec<String>,
    /// Searches, and answers.
    counts: [usize; 2],
}

fn run(data: &[u8]) {
    let output = Kept::default();
    let engine = UciEngine::new(output.clone(), poll).expect("a default game");
    let mut conversation = Conversation { engine, output, legal: Vec::new(), counts: [0; 2] };
    let mut info = Info::default();
    for line in String::from_utf8_lossy(data).lines().take(LINES) {
        info.update(line);
        if is_harmless(line) && !conversation.line(line) {
            break;
        }
    }
    // Whatever runs ends here.
    conversation.line("stop");
    let [searches, answers] = conversation.counts;
    assert_eq!(answers, searches, "answers, searches");
}

/// Whether a line neither opens devices nor takes much memory or time.
fn is_harmless(line: &str) -> bool {
    let longest = line.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max();
    let line = line.to_ascii_lowercase();
    let is_large = ["hash", "cache", "threads"].iter().any(|name| line.contains(name));
    let is_path = ["/", "file"].iter().any(|part| line.contains(part)) && line.contains("value");
    !(is_large && longest.is_some_and(|longest| longest > DIGITS) || is_path || line.contains("file "))
}

impl Conversation {
    /// Executes a line. Returns whether there may be more.
    fn line(&mut self, line: &str) -> bool {
        let is_unseen = |letter: char| {
            letter.is_whitespace()
                || matches!(letter, '\0' | '\u{1a}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
        };
        let command = parse(line.trim_matches(is_unseen));
        let mut may_be_empty = false;
        if let Ok(Some(Command::Go(go))) = command {
            self.counts[0] += 1;
            may_be_empty = go.is_refused || go.search_moves.iter().any(|mv| mv == "0000");
            self.execute("moves");
            let listed = self.output.take();
            if !listed.starts_with("info string error") {
                self.legal = listed.split_whitespace().map(str::to_owned).collect();
            }
        }
        let continues = self.execute(line);
        for line in self.output.take().lines() {
            assert!(!line.contains('\r'), "{line}");
            if let Some(best) = line.strip_prefix("bestmove ") {
                self.counts[1] += 1;
                let best = best.split(' ').next().unwrap_or_default();
                let is_legal = match best {
                    "(none)" => may_be_empty || self.legal.is_empty(),
                    best => self.legal.iter().any(|mv| mv == best),
                };
                assert!(is_legal, "{line}, legal: {:?}", self.legal);
            }
        }
        continues
    }

    fn execute(&mut self, line: &str) -> bool {
        LEFT.set(SEARCH);
        self.engine.execute(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }
}

fn all_seeds() -> Vec<Vec<u8>> {
    let mut all: Vec<_> = [
        "uci\nisready\nucinewgame\nposition startpos moves e2e4 e7e5\ngo depth 3\nwait\nd\neval\nmoves\n\
         weights\nhelp\nquit",
        "go infinite\nisready\nposition startpos\ngo depth 1\nstop\ngo ponder wtime 1000 btime 1000\n\
         ponderhit\nstop",
        "setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\nposition fen \
         4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\ngo nodes 100 searchmoves e2e4 e1d1\ngo mate 2\nstop\ngo perft 2",
        "setoption name SearchMode value mcts\ngo nodes 50\nsetoption name SearchMode value plain\n\
         go depth 2\nbench 1",
        "setoption name UCI_Chess960 value true\nposition fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w \
         GEge - 0 1\ngo depth 2\nsetoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value \
         1500\ngo movetime 1",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    for game in seeds::GAMES {
        let lines = [
            "go depth 3",
            "go nodes 200",
            "eval all",
            "perft 2",
            "setweights default",
            "go depth 1 searchmoves 0000",
        ];
        all.push(
            format!("setoption name UCI_Variant value {game}\nposition startpos\n{}", lines.join("\n"))
                .into_bytes(),
        );
    }
    all
}
