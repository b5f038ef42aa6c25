//! A plain match between two engines (or one with two sets of options), until the arena is built:
//!
//! ```text
//! cargo run --release --example duel -- GAMES SEED 'go nodes 10000' 'A' 'B'
//! ```
//!
//! A and B are the path of an engine and commands for it, parted by `;`, such as
//! `target/release/labrys; setoption name FeatureSet value set2`. Every opening, a few random moves, is
//! played twice with colours swapped, on as many threads as there are cores. Prints wins, draws and
//! losses of A and its Elo with a 95 % interval over pairs of games.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use labrys::arena::{Pairs, Points};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random moves at the start of a game: 4 to 7.
const OPENING: std::ops::Range<usize> = 4..8;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(player: &str) -> Result<Engine> {
        let mut parts = player.split(';').map(str::trim);
        let path = parts.next().ok_or("no engine")?;
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut engine = Engine { child, input, output };
        for line in parts {
            engine.send(line)?;
        }
        engine.send("isready")?;
        let refused = engine.until("readyok")?.into_iter().find(|line| line.contains("error"));
        refused.map_or(Ok(engine), |line| Err(format!("{player}: {line}").into()))
    }

    fn send(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// The lines up to the one that begins with `word`, that one last.
    fn until(&mut self, word: &str) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the engine has gone".into());
            }
            let last = line.starts_with(word);
            lines.push(line.trim_end().to_owned());
            if last {
                return Ok(lines);
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Some random moves from the start position.
fn opening(engine: &mut Engine, random: &mut StdRng) -> Result<Vec<String>> {
    let plies = random.random_range(OPENING);
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..plies {
        engine.send(
            &format!("position startpos moves {}\nmoves\nisready", moves.join(" ")).replace("moves \n", "\n"),
        )?;
        let legal = engine.until("readyok")?;
        let legal: Vec<_> = legal[0].split(' ').collect();
        moves.push(legal[random.random_range(0..legal.len())].to_owned());
    }
    Ok(moves)
}

/// The result of a game for the first player, who is White.
fn game(players: [&mut Engine; 2], opening: &[String], go: &str) -> Result<Points> {
    let mut moves = opening.to_vec();
    let [white, black] = players;
    white.send("ucinewgame")?;
    black.send("ucinewgame")?;
    loop {
        let mover = if moves.len().is_multiple_of(2) { &mut *white } else { &mut *black };
        mover.send(&format!("position startpos moves {}\n{go}", moves.join(" ")))?;
        let lines = mover.until("bestmove")?;
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        if best != "(none)" {
            moves.push(best.to_owned());
            continue;
        }
        let outcome = lines.iter().find_map(|line| line.strip_prefix("info string ")).ok_or("no outcome")?;
        return match outcome.split(' ').next() {
            Some("White") => Ok(Points::Win),
            Some("Black") => Ok(Points::Loss),
            Some("draw:") => Ok(Points::Draw),
            _ => Err(format!("unknown outcome {outcome}").into()),
        };
    }
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [games, seed, go, a, b] = &arguments[..] else {
        return Err("expected: GAMES SEED GO A B".into());
    };
    let (pairs, seed): (u64, u64) = (games.parse::<u64>()?.div_ceil(2), seed.parse()?);
    let next = AtomicU64::new(0);
    let results = Mutex::new(Pairs::default());
    let play = || -> Result<()> {
        let (mut a, mut b) = (Engine::start(a)?, Engine::start(b)?);
        loop {
            let pair = next.fetch_add(1, Ordering::Relaxed);
            if pair >= pairs {
                return Ok(());
            }
            let mut random = StdRng::seed_from_u64(seed.wrapping_mul(1_000_003) + pair);
            let opening = opening(&mut a, &mut random)?;
            let first = game([&mut a, &mut b], &opening, go)?;
            let second = match game([&mut b, &mut a], &opening, go)? {
                Points::Win => Points::Loss,
                Points::Draw => Points::Draw,
                Points::Loss => Points::Win,
            };
            results.lock().map_err(|_| "a thread has died")?.add(first, second);
        }
    };
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(play)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread has died")?)
    })?;
    let results = results.into_inner()?;
    let [losses, draws, wins] = results.games;
    let (score, _) = results.mean_and_variance();
    println!("+{wins} ={draws} -{losses}  score {:.1} %  {}", 100.0 * score, results.elo());
    Ok(())
}
