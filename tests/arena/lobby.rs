//! Tournaments of agents that connect from outside.

use crate::common::{port, records, shell};

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use labrys::arena::Termination;
use labrys::arena::pgn::PgnGame;
use labrys::engine::registry;
use records::{end, read};

const LABRYS: &str = env!("CARGO_BIN_EXE_labrys");

/// A lobby, which is killed at the end of the test.
struct Lobby {
    process: Child,
    out: BufReader<ChildStdout>,
    address: String,
    udp: String,
    lines: Vec<String>,
}

impl Lobby {
    /// Starts a lobby of TUC-CHESS in a folder, with arguments that contain no spaces.
    fn start(folder: &Path, address: &str, words: &str) -> Lobby {
        let fixed = "--variant tucchess --random-plies 0 --udp 0 --rating-interval 1000000";
        let mut process = Command::new(LABRYS)
            .args(["lobby", "--agents", address, "--folder"])
            .arg(folder)
            .args(fixed.split(' ').chain(words.split_whitespace()))
            .env_remove("RUST_LOG")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let (address, udp) = (String::new(), String::new());
        let mut lobby = Lobby { process, out, address, udp, lines: Vec::new() };
        lobby.address = lobby.until("listening on ").split(' ').next_back().unwrap().to_owned();
        lobby.udp = lobby.until("listening on ").split(' ').nth(2).unwrap().to_owned();
        lobby
    }

    /// The next line with this text.
    fn until(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "{text}: {:?}", self.lines);
            self.lines.push(line.trim_end().to_owned());
            if line.contains(text) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// The rest of the output, after an end with success.
    fn finish(mut self) -> String {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert!(self.process.wait().unwrap().success(), "{:?} {rest}", self.lines);
        rest
    }
}

impl Drop for Lobby {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Labrys as an agent, which is killed at the end of the test.
struct Agent(Child);

impl Agent {
    fn start(address: &str, name: &str) -> Agent {
        let mut command = Command::new(LABRYS);
        command
            .args(["uci", "--connect", address, "--name", name])
            .env("LABRYS_TOKEN", format!("{name}-token"));
        Agent(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What an agent does when it is to move, with a legal move at hand.
type Act = fn(&mut TcpStream, &str);

fn play(stream: &mut TcpStream, mv: &str) {
    let _ = stream.write_all(format!("bestmove {mv}\n").as_bytes());
}

/// A line that an agent has received; `None` at the end of the connection.
fn line(input: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let count = input.read_line(&mut line).unwrap_or(0);
    (count > 0).then(|| line.trim_end().to_owned())
}

/// Greets a lobby, if it is there.
fn greet(address: &str, greeting: &str) -> std::io::Result<(TcpStream, BufReader<TcpStream>)> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(format!("{greeting}\n").as_bytes())?;
    let input = BufReader::new(stream.try_clone()?);
    Ok((stream, input))
}

/// An agent in a few lines, which comes back whenever its connection ends without `quit`, until `done`.
fn agent(address: &str, name: &str, act: Act, done: &Arc<AtomicBool>) -> JoinHandle<()> {
    let (address, name, done) = (address.to_owned(), name.to_owned(), Arc::clone(done));
    thread::spawn(move || {
        while !done.load(Ordering::Relaxed) {
            let greeting = format!("join name {name} games tucchess");
            let Ok((mut stream, mut input)) = greet(&address, &greeting) else { return };
            let mut board = registry::board("tucchess").unwrap();
            while let Some(line) = line(&mut input) {
                let words: Vec<_> = line.split(' ').collect();
                let answer = match words[0] {
                    "uci" => "option name UCI_Variant type combo default tucchess var tucchess\nuciok\n",
                    "isready" => "readyok\n",
                    "position" => {
                        let (fen, moves) = line.split_once(" moves ").unwrap_or((&line, ""));
                        let moves: Vec<_> = moves.split_whitespace().map(str::to_owned).collect();
                        board.set_up(fen.strip_prefix("position fen "), &moves).unwrap();
                        continue;
                    }
                    "go" => {
                        act(&mut stream, &board.legal_moves()[0]);
                        continue;
                    }
                    "quit" => return,
                    _ => continue,
                };
                let _ = stream.write_all(answer.as_bytes());
            }
            thread::yield_now();
        }
    })
}

/// The games of a folder, after a check that each is there once with its colours.
fn games(folder: &Path, each: usize) -> Vec<PgnGame> {
    let records = read(&folder.join("archive/games.pgn"));
    let mut counts = BTreeMap::new();
    for (record, number) in records.iter().zip(1..) {
        assert_eq!(record.number, Some(number));
        let names = record.players.each_ref().map(|player| player.name.clone());
        *counts.entry(names).or_insert(0) += 1;
    }
    assert!(counts.values().all(|&count| count == each), "{counts:?}");
    records
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("course");
    (folder, path)
}

#[test]
fn agents_over_tcp_and_over_udp_play_at_once() {
    let (_folder, path) = folder();
    let lobby = Lobby::start(&path, "0", "--each st=60 nodes=50 --players 4 --concurrency 2");
    let mut agents = ["minos", "talos"].map(|name| Agent::start(&lobby.address, name));
    let clients = ["ikaros", "daidalos"].map(|name| {
        let server = lobby.udp.clone();
        thread::spawn(move || {
            for _ in 0..6 {
                let words = ["tuc", "client", "--server", &server, "--name", name, "--nodes", "50"];
                let mut command = Command::new(LABRYS);
                command.args(words).args(["--movetime", "50000", "--timeout", "600"]);
                assert!(command.output().unwrap().status.success());
            }
        })
    });
    let rest = lobby.finish();
    assert!(rest.contains("after 12 games:\n") && !rest.contains("crash"), "{rest}");
    clients.into_iter().for_each(|client| client.join().unwrap());
    for agent in &mut agents {
        assert!(agent.0.wait().unwrap().success(), "it has heard `quit`");
    }
    let records = games(&path, 1);
    assert_eq!(records.len(), 12);
    for record in &records {
        let ended = end(record);
        let is_normal = matches!(ended.termination, Termination::Rules | Termination::Adjudication);
        assert!(is_normal, "{}", ended.details);
    }
}

#[test]
fn a_lobby_that_was_killed_goes_on_and_counts_each_game_once() {
    let (_folder, path) = folder();
    let address = format!("127.0.0.1:{}", port::free());
    let words = "--each st=60 nodes=20 --games 4 --players 3 --concurrency 2 --engine name=house";
    let mut lobby = Lobby::start(&path, &address, words);
    let _agents = ["minos", "talos"].map(|name| Agent::start(&address, name));
    for number in 1..=5 {
        lobby.until(&format!("{number}: "));
    }
    // Not even the end of a game that was being written is missed.
    drop(lobby);
    let file = path.join("archive/games.pgn");
    let text = std::fs::read(&file).unwrap();
    std::fs::write(&file, &text[..text.len() - 40]).unwrap();
    let mut lobby = Lobby::start(&path, &address, words);
    lobby.until("going on after ");
    let rest = lobby.finish();
    assert!(rest.contains("after 12 games:\n"), "{rest}");
    assert_eq!(games(&path, 2).len(), 12);
    // There is nothing left to play, and a game that is there twice is refused.
    assert!(Lobby::start(&path, "0", words).finish().contains("after 12 games:"));
    let text = std::fs::read_to_string(&file).unwrap();
    let first = text.find("[Event").unwrap()..text[1..].find("[Event").unwrap() + 1;
    std::fs::write(&file, format!("{text}{}", &text[first])).unwrap();
    let mut command = Command::new(LABRYS);
    command.args(["lobby", "--agents", "0", "--variant", "tucchess", "--folder"]).arg(&path);
    let output = command.args("--random-plies 0".split(' ').chain(words.split(' '))).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("game 1: expected game 13 here"), "{error}");
}

/// Agents that hang, flood, die or cheat lose their games, and come back for the next.
#[test]
fn agents_that_misbehave_lose_their_games_and_nobody_elses() {
    let cases: [(&str, Termination, &str, Act); 6] = [
        ("hangs", Termination::Stall, "no `bestmove`", |_, _| ()),
        ("floods", Termination::Crash, "it has flooded the connection", |stream, _| {
            while stream.write_all(&[b'x'; 4000]).and_then(|()| stream.write_all(b"\n")).is_ok() {}
        }),
        ("dies", Termination::Crash, "the connection to `dies` has ended", |stream, _| {
            stream.shutdown(std::net::Shutdown::Both).unwrap();
        }),
        ("cheats", Termination::Illegal, "`a1a7`", |stream, _| play(stream, "a1a7")),
        ("prattles", Termination::Illegal, "a line of more than 65536 bytes", |stream, _| {
            let _ = stream.write_all(&[b'x'; 70_000]).and_then(|()| stream.write_all(b"\n"));
        }),
        ("garbles", Termination::Illegal, "is not UTF-8", |stream, _| {
            let _ = stream.write_all(b"\xff\xfe\n");
        }),
    ];
    let (_folder, path) = folder();
    let words =
        "--each st=0.5 timemargin=3000 nodes=20 --players 8 --tournament gauntlet --engine name=house";
    let lobby = Lobby::start(&path, "0", words);
    let done = Arc::new(AtomicBool::new(false));
    let mut agents = vec![agent(&lobby.address, "good", play, &done)];
    agents.extend(cases.iter().map(|(name, _, _, act)| agent(&lobby.address, name, *act, &done)));
    let rest = lobby.finish();
    done.store(true, Ordering::Relaxed);
    assert!(rest.contains("after 14 games:"), "{rest}");
    let records = games(&path, 1);
    for record in &records {
        let ended = end(record);
        let loser = ended.winner.map(|winner| &*record.players[(!winner).index()].name);
        let case = cases.iter().find(|(name, ..)| Some(*name) == loser);
        let is_good = record.players.iter().all(|player| ["good", "house"].contains(&&*player.name));
        match case {
            Some((_, termination, details, _)) => {
                assert!(!is_good);
                assert_eq!(ended.termination, *termination, "{}", ended.details);
                assert!(ended.details.contains(details), "{}", ended.details);
            }
            None => {
                let names = record.players.each_ref().map(|player| &player.name);
                assert!(is_good, "{names:?}: {}", ended.details);
                let is_normal = matches!(ended.termination, Termination::Rules | Termination::Adjudication);
                assert!(is_normal, "{}", ended.details);
            }
        }
    }
    drop(agents);
}

/// What a lobby answers to a first line, up to the end of the connection.
fn refusal(address: &str, greeting: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(greeting).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Agents whose handshake fails are told why, whatever they have written, and so is whoever runs the lobby.
#[test]
fn an_agent_that_fails_its_handshake_is_told_why() {
    let variant = "option name UCI_Variant type combo default tucchess var tucchess\nuciok\n";
    let other = "option name UCI_Variant type combo default chess var chess var amazons\nuciok\n";
    let endless = "x".repeat(70_000);
    let (_folder, path) = folder();
    let mut lobby = Lobby::start(&path, "0", "--each st=60 nodes=20 timeout=2 option.Level=3");
    for (name, uci, ready, reason) in [
        ("mute", "", "", "no `uciok` within 2 s"),
        ("prattler", endless.as_str(), "", "a line of more than 65536 bytes"),
        ("stranger", other, "readyok\n", "the engine does not play `tucchess`, it plays: chess, amazons"),
        ("plain", variant, "readyok\n", "no option `Level`, the engine has: UCI_Variant"),
    ] {
        let (mut stream, mut input) =
            greet(&lobby.address, &format!("join name {name} games tucchess")).unwrap();
        let lines = std::iter::from_fn(|| line(&mut input));
        let last = lines.inspect(|line| match line.as_str() {
            "uci" => stream.write_all(format!("{uci}\n").as_bytes()).unwrap(),
            "isready" => stream.write_all(ready.as_bytes()).unwrap(),
            _ => {}
        });
        assert_eq!(last.last().unwrap(), format!("info string error: {reason}"));
        assert_eq!(lobby.until(" cannot play: "), format!("{name} cannot play: {reason}"));
    }
    // So is one that stops answering before its first game.
    drop(lobby);
    let mut lobby = Lobby::start(&path, "0", "--each st=60 nodes=20 timeout=2");
    let (mut stream, mut input) = greet(&lobby.address, "join name sleeper games tucchess").unwrap();
    let mut is_asleep = false;
    let lines = std::iter::from_fn(|| line(&mut input)).inspect(|line| match line.as_str() {
        "uci" => stream.write_all(variant.as_bytes()).unwrap(),
        "ucinewgame" => is_asleep = true,
        "isready" if !is_asleep => stream.write_all(b"readyok\n").unwrap(),
        _ => {}
    });
    assert_eq!(lines.last().unwrap(), "info string error: no `readyok` within 2 s");
    lobby.until("sleeper cannot play: no `readyok` within 2 s");
}

/// The games of an agent that has never been there are not waited for.
#[test]
fn an_agent_that_cannot_play_keeps_no_lobby_open() {
    let (_folder, path) = folder();
    let words = "--each st=60 nodes=20 --players 2 --max-moves 2 --until 60";
    let mut lobby = Lobby::start(&path, "0", words);
    let (mut stream, mut input) = greet(&lobby.address, "join name stranger games tucchess").unwrap();
    while let Some(heard) = line(&mut input) {
        let answer = match heard.as_str() {
            "uci" => "option name UCI_Variant type combo default chess var chess\nuciok\n",
            "isready" => "readyok\n",
            _ => continue,
        };
        stream.write_all(answer.as_bytes()).unwrap();
    }
    lobby.until("stranger cannot play: ");
    let done = Arc::new(AtomicBool::new(false));
    let agents = ["minos", "talos"].map(|name| agent(&lobby.address, name, play, &done));
    let rest = lobby.finish();
    done.store(true, Ordering::Relaxed);
    assert!(rest.contains("after 2 games:") && !rest.contains("stranger"), "{rest}");
    agents.into_iter().for_each(|agent| agent.join().unwrap());
}

#[test]
fn who_is_no_agent_or_brings_a_foreign_token_is_refused() {
    let (_folder, path) = folder();
    let mut lobby = Lobby::start(&path, "0", "--each st=60 nodes=20 --players 2");
    let address = lobby.address.clone();
    // Half-open connections, which never send a line, fill the room and are sent out of it.
    let mut idle: Vec<_> = (0..100).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut told = String::new();
    idle[0].read_to_string(&mut told).unwrap();
    assert_eq!(told, "info string error: too many connections\n");
    let own = "join name minos games tucchess token own-token";
    let (mut stream, mut input) = greet(&address, own).unwrap();
    assert_eq!(line(&mut input).as_deref(), Some("uci"));
    for (greeting, reason) in [
        (&b"join name minos games tucchess token foreign-token\n"[..], "the token is not that of `minos`"),
        (b"join name minos games tucchess\n", "`minos` needs a token"),
        (b"join name MINOS games tucchess token own-token\n", "`MINOS` is too much like `minos`"),
        (b"join name talos games chess\n", "expected tucchess among the games"),
        (b"join name \x1b[2J games tucchess\n", "name `\\u{1b}[2J`: expected"),
        (b"join name ../../x games tucchess\n", "name `../../x`: expected"),
        (b"join name talos\n", "missing games"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "is no greeting"),
        (b"uci\n", "is no greeting"),
        (b"\xff\xfe\n", "not UTF-8"),
        (&[b'x'; 2000], "the greeting has no end"),
    ] {
        let answer = refusal(&address, greeting);
        let is_told = answer.starts_with("info string error: ") && answer.contains(reason);
        assert!(is_told && answer.lines().count() == 1, "{reason}: {answer}");
        assert!(!answer.contains('\u{1b}') && !answer.contains("foreign-token"), "{answer}");
    }
    drop(idle);
    stream.write_all(b"option name UCI_Variant type combo var tucchess\nuciok\n").unwrap();
    while line(&mut input).unwrap() != "isready" {}
    stream.write_all(b"readyok\n").unwrap();
    while line(&mut input).unwrap() != "isready" {}
    stream.write_all(b"readyok\n").unwrap();
    lobby.until("minos has joined");
    // A lost connection comes back under its name and token.
    drop((stream, input));
    lobby.until("minos has left");
    let (_stream, mut input) = greet(&address, own).unwrap();
    assert_eq!(line(&mut input).as_deref(), Some("uci"));
    // Another one with the token takes its place: the first may be half open.
    let (_other, mut other) = greet(&address, own).unwrap();
    assert_eq!(line(&mut other).as_deref(), Some("uci"));
    let lines: Vec<_> = std::iter::from_fn(|| line(&mut input)).collect();
    assert_eq!(lines.last().map(String::as_str), Some("info string error: it has connected again"));
    assert!(!std::fs::read_to_string(path.join("identities.json")).unwrap().contains("own-token"));
}

#[test]
fn only_known_agents_come_into_a_closed_lobby() {
    let (_folder, path) = folder();
    let own = "join name minos games tucchess token own-token";
    {
        let lobby = Lobby::start(&path, "0", "--each st=60 nodes=20");
        let (_stream, mut input) = greet(&lobby.address, own).unwrap();
        assert_eq!(line(&mut input).as_deref(), Some("uci"));
    }
    let lobby = Lobby::start(&path, "0", "--each st=60 nodes=20 --closed");
    let (_stream, mut input) = greet(&lobby.address, own).unwrap();
    assert_eq!(line(&mut input).as_deref(), Some("uci"));
    let answer = refusal(&lobby.address, b"join name talos games tucchess\n");
    assert!(answer.contains("no agent `talos` is known here"), "{answer}");
}

/// A client over UDP that plays the first legal move, while a stranger sends moves and names in between.
#[test]
fn datagrams_of_strangers_change_nothing() {
    let (_folder, path) = folder();
    let words = "--each st=60 nodes=20 --players 2 --max-moves 2 --engine name=house";
    let lobby = Lobby::start(&path, "0", words);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..2 {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        for datagram in [&b"5040"[..], b"\xff\xff", b"", b"a\nb", b"\x1b[2J\x07", &[b'x'; 300], b"house"] {
            stranger.send_to(datagram, &lobby.udp).unwrap();
        }
        socket.send_to(b"Minos", &lobby.udp).unwrap();
        let (mut buffer, mut is_white, mut step) = ([0; 300], false, 0);
        loop {
            let length = socket.recv(&mut buffer).unwrap();
            let heard = std::str::from_utf8(&buffer[..length]).unwrap();
            is_white |= heard == "PW";
            if heard.starts_with("GE") {
                break;
            }
            let own = if is_white { "T0" } else { "T1" };
            if heard.starts_with(own) || heard == "GB" && is_white {
                for datagram in [&b"1020"[..], b"5040", b"\xff", b"house"] {
                    stranger.send_to(datagram, &lobby.udp).unwrap();
                }
                // Pawns of the files a to e, one step each.
                let (from, to) = if is_white { (5, 4) } else { (1, 2) };
                socket.send_to(format!("{from}{step}{to}{step}").as_bytes(), &lobby.udp).unwrap();
                step += 1;
            }
        }
    }
    drop(lobby.finish());
    let records = games(&path, 1);
    let names: Vec<_> =
        records.iter().map(|record| record.players.each_ref().map(|player| &*player.name)).collect();
    assert!(names.iter().flatten().all(|name| ["house", "Minos"].contains(name)), "{names:?}");
    for record in &records {
        assert!(
            matches!(end(record).termination, Termination::Rules | Termination::Adjudication),
            "{}",
            end(record).details
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_over_udp_belongs_to_its_address() {
    let (_folder, path) = folder();
    let mut lobby = Lobby::start(&path, "0", "--each st=60 nodes=20 --udp-names talos=192.0.2.7");
    let call = |server: &str, from: &str, name: &str| {
        let socket = UdpSocket::bind((from, 0)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        socket.send_to(name.as_bytes(), server).unwrap();
        socket
    };
    let answer = |socket: UdpSocket| {
        let mut buffer = [0; 300];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let _first = call(&lobby.udp, "127.0.0.1", "Minos");
    lobby.until("Minos has joined");
    for (from, name) in [("127.0.0.2", "Minos"), ("127.0.0.1", "talos")] {
        assert_eq!(answer(call(&lobby.udp, from, name)), "GE0000", "{name}");
    }
    let words = ["tuc", "client", "--server", &lobby.udp, "--name", "talos"];
    let output = Command::new(LABRYS).args(words).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("refuses `talos`: the name may be"), "{error}");
    for (flag, value, problem) in [
        ("--udp-names", "x", "expected NAME=IP"),
        ("--udp-names", "x=y", "`y`: expected an IP address"),
        ("--udp-names", "x y=::1", "name `x y`"),
        ("--concurrency", "1", "--udp: its clients need tc or st in --each"),
        ("--affinity", "0", "--affinity: the engines of a lobby play games on several threads"),
    ] {
        let words = "lobby --agents 0 --udp 0 --variant tucchess --random-plies 0 --each nodes=1 --folder";
        let (_folder, path) = folder();
        let mut command = Command::new(LABRYS);
        let output = command.args(words.split(' ')).arg(path).args([flag, value]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(problem), "{error}");
    }
}

/// Ctrl-C ends a lobby with the games so far, and agents wait for it to come back.
#[test]
#[cfg(unix)]
fn an_interrupted_lobby_goes_on() {
    let (_folder, path) = folder();
    let address = format!("127.0.0.1:{}", port::free());
    let mut lobby = Lobby::start(&path, &address, "--each st=60 nodes=20 --games 1000");
    let mut agents = ["minos", "talos"].map(|name| Agent::start(&address, name));
    lobby.until("3: ");
    shell::signal(&lobby.process, "-INT");
    let rest = lobby.finish();
    assert!(rest.contains("\npairs by points"), "{rest}");
    let played = read(&path.join("archive/games.pgn")).len();
    assert!(played >= 3 && agents.iter_mut().all(|agent| agent.0.try_wait().unwrap().is_none()));
    let mut lobby = Lobby::start(&path, &address, "--each st=60 nodes=20 --games 1000");
    lobby.until(&format!("going on after {played} games"));
    lobby.until(&format!("{}: ", played + 1));
}

/// A small course: everybody plays everybody, several games at a time.
#[test]
fn many_agents_play_a_round_robin() {
    let (_folder, path) = folder();
    let lobby = Lobby::start(&path, "0", "--each st=60 --players 8 --concurrency 4 --max-moves 10");
    let done = Arc::new(AtomicBool::new(false));
    let agents: Vec<_> =
        (0..8).map(|number| agent(&lobby.address, &format!("agent-{number}"), play, &done)).collect();
    let rest = lobby.finish();
    done.store(true, Ordering::Relaxed);
    assert!(rest.contains("after 56 games:"), "{rest}");
    assert_eq!(games(&path, 1).len(), 56);
    agents.into_iter().for_each(|agent| agent.join().unwrap());
}
