//! TUC-CHESS over UDP: client and server, with lost, repeated and invalid datagrams.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use labrys::game::Game;
use labrys::game::tucchess::TucChess;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The timeout for expected datagrams.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time in which no datagram may arrive.
const MOMENT: Duration = Duration::from_millis(300);

/// A running command.
struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(arguments: &[&str]) -> Process {
        Process::start_with_log("warn,labrys_tuc::socket=info", arguments)
    }

    fn start_with_log(level: &str, arguments: &[&str]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(arguments)
            .env("RUST_LOG", level)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Process { child, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The rest of the output, the log, and the exit status.
    fn finish(mut self) -> (Vec<String>, String, ExitStatus) {
        let mut errors = self.child.stderr.take().unwrap();
        let log = thread::spawn(move || {
            let mut log = String::new();
            errors.read_to_string(&mut log).unwrap();
            log
        });
        let mut output = String::new();
        self.output.read_to_string(&mut output).unwrap();
        (output.lines().map(str::to_owned).collect(), log.join().unwrap(), self.child.wait().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server on a free port, and its address.
fn server(arguments: &[&str]) -> (Process, SocketAddr) {
    // The log of refused datagrams would fill its pipe faster than a busy machine empties it.
    let arguments = [&["tuc", "server", "--port", "0", "--seed", "5"], arguments].concat();
    let mut process = Process::start_with_log("error", &arguments);
    let line = process.line();
    let address = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
    let address = address.parse().unwrap();
    assert_eq!(process.line(), "seed 5");
    (process, address)
}

fn client(server: SocketAddr, name: &str, arguments: &[&str]) -> Process {
    let server = server.to_string();
    Process::start(&[&["tuc", "client", "--server", &server, "--name", name], arguments].concat())
}

/// A scripted end of the protocol.
struct Peer {
    socket: UdpSocket,
    other: SocketAddr,
}

impl Peer {
    /// A client of the server at that address.
    fn client(server: SocketAddr) -> Peer {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        Peer { socket, other: server }
    }

    /// A server with a real client that has joined.
    fn server(arguments: &[&str]) -> (Peer, Process) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let process = client(socket.local_addr().unwrap(), "Ikaros", arguments);
        let mut peer = Peer { other: socket.local_addr().unwrap(), socket };
        let (name, address) = peer.receive(TIMEOUT).expect("a name");
        assert_eq!(name, "Ikaros");
        peer.other = address;
        (peer, process)
    }

    fn send(&self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    fn send_bytes(&self, bytes: &[u8]) {
        self.socket.send_to(bytes, self.other).unwrap();
    }

    fn receive(&self, timeout: Duration) -> Option<(String, SocketAddr)> {
        let mut buffer = [0; 300];
        self.socket.set_read_timeout(Some(timeout)).unwrap();
        let (length, address) = self.socket.recv_from(&mut buffer).ok()?;
        Some((String::from_utf8(buffer[..length].to_vec()).unwrap(), address))
    }

    /// The next datagram, which must arrive.
    fn hear(&self) -> String {
        self.receive(TIMEOUT).expect("a datagram").0
    }

    /// Checks that no datagram arrives.
    fn hear_nothing(&self) {
        assert_eq!(self.receive(MOMENT), None);
    }

    /// A move of the client, which is four digits.
    fn hear_move(&self) -> String {
        let text = self.hear();
        assert!(text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()), "{text:?}");
        text
    }
}

/// The moves that a command has printed, and the result.
fn game(lines: &[String]) -> (Vec<&str>, &str) {
    let is_move = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_digit());
    let moves = lines.iter().map(String::as_str).filter(is_move).collect();
    (moves, lines.iter().rfind(|line| line.starts_with("result: ")).map_or("", String::as_str))
}

/// The part of a result, `result: White wins 3-2…`, before the cause.
fn score(result: &str) -> &str {
    let text = result.strip_prefix("result: ").unwrap_or_else(|| panic!("{result}"));
    text.split_once(':').map_or(text, |(score, _)| score)
}

/// Checks that a server and two clients print the same game. Returns its result.
fn check_game(server: Process, clients: [Process; 2]) -> String {
    let (lines, log, status) = server.finish();
    assert!(status.success(), "{log}");
    let (moves, result) = game(&lines);
    for client in clients {
        let (lines, log, status) = client.finish();
        assert!(status.success(), "{log}");
        let (seen, end) = game(&lines);
        assert_eq!(score(end), score(result));
        assert!(!log.contains("illegal move") && !log.contains("using the latter"), "{log}");
        // Only its player knows a last move that has ended the game.
        let told = seen.iter().zip(&moves).filter(|(seen, told)| seen.split(" (").next() == Some(**told));
        assert!(told.count() + 1 >= moves.len(), "{seen:?} {moves:?}");
    }
    result.to_owned()
}

#[test]
fn two_clients_play_a_whole_game() {
    let (mut server, address) = server(&["--countdown", "0.1", "--game-time", "15"]);
    let clients = ["Daidalos", "Ikaros"].map(|name| {
        let client = client(address, name, &["--movetime", "30", "--timeout", "20"]);
        // The first client to join plays White.
        let joined =
            std::iter::repeat_with(|| server.line()).find(|line| line.is_empty() || line.contains(name));
        assert!(joined.is_some_and(|line| !line.is_empty()), "{name} has not joined");
        client
    });
    let result = check_game(server, clients);
    assert!(!result.contains("in time"), "{result}");
}

#[test]
fn garbage_does_not_disturb_a_game() {
    // Blocked pawns, so that the game lasts; the clock ends it.
    let fen = "5/2k2/p1p1p/P1P1P/5/2K2/5 w 0 0 1";
    let (mut server, address) = server(&["--countdown", "0", "--game-time", "14", "--fen", fen]);
    let arguments = ["--movetime", "100", "--timeout", "20", "--fen", fen];
    let clients = ["Daidalos", "Ikaros"].map(|name| client(address, name, &arguments));
    while server.line() != "the game begins" {}
    let done = Arc::new(AtomicBool::new(false));
    let senders = [1, 2].map(|seed| {
        let done = Arc::clone(&done);
        thread::spawn(move || {
            let mut random = StdRng::seed_from_u64(seed);
            let sockets: Vec<_> = (0..8).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
            let mut sent = 0;
            for n in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let length = random.random_range(0..300);
                let garbage: Vec<u8> = (0..length).map(|_| random.random()).collect();
                // A datagram that would be valid from a player.
                let [a, b, c, d] = [7, 5, 7, 5].map(|end| random.random_range(0..end));
                let datagram = match (seed, n % 4) {
                    (1, _) | (_, 0) => garbage,
                    (_, 1) => format!("T1{a}{b}{c}{d}990000").into_bytes(),
                    (_, 2) => "Minos".into(),
                    _ => format!("{a}{b}{c}{d}").into_bytes(),
                };
                sent += usize::from(sockets[n % sockets.len()].send_to(&datagram, address).is_ok());
                // Slowly, as the system may otherwise drop datagrams of the players.
                if n % 10 == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            sent
        })
    });
    let watched = thread::spawn(move || check_game(server, clients)).join();
    done.store(true, Ordering::Relaxed);
    // The game takes 14 s, in which even a busy machine sends many more.
    let sent = senders.map(|sender| sender.join().unwrap());
    assert!(sent.iter().all(|sent| *sent > 1_000), "{sent:?}");
    let result = watched.unwrap();
    assert!(result.ends_with(": time is over"), "{result}");
}

#[test]
fn the_client_follows_the_server() {
    let (server, client) = Peer::server(&["--movetime", "20"]);
    // All of these are invalid, and some come from other senders.
    for odd in ["", "X", "T15444", "T154449900010", "GEabcd", "TTTTTTTTTTTT", "5040", "PX"] {
        server.send(odd);
    }
    server.send_bytes(&[0xff; 12]);
    server.send_bytes(&[b'T'; 250]);
    let stranger = Peer::client(server.other);
    stranger.send("PW");
    stranger.send("GB");
    server.hear_nothing();
    server.send("PB");
    server.send("PW");
    server.send("GB");
    server.send("GB");
    // A prize worth nothing, one worth a point, and a new one; then repeated datagrams.
    server.send("T15040990000");
    let first = server.hear_move();
    server.send("T15040990000");
    stranger.send(&format!("T0{first}990000"));
    server.hear_nothing();
    server.send(&format!("T0{first}990000"));
    server.send(&format!("T0{first}990000"));
    server.send("T14030990000");
    let second = server.hear_move();
    server.send("T15040990000");
    server.hear_nothing();
    // White has points from no visible move, as after a capture of Black's pawn on the last row.
    server.send(&format!("T0{second}990900"));
    server.send("T15343991000");
    let third = server.hear_move();
    // The game ends without the echo.
    server.send("GE1000");
    let (lines, log, status) = client.finish();
    assert!(status.success(), "{log}");
    let (moves, result) = game(&lines);
    assert_eq!(result, "result: White wins 10-0");
    assert_eq!(lines[..2], ["playing Black", "the game begins"]);
    assert_eq!((moves[0], moves[2]), ("1 White a2a3 0-0", "3 White a3a4=0 0-0"), "{lines:?}");
    assert!(moves[3].ends_with(" 9-0") && moves[4] == "5 White d2d3 10-0", "{lines:?}");
    assert!(log.contains("ignored:") && log.contains(", expected 127.0.0.1:"), "{log}");
    assert!(log.contains("those of the server 9-0; using the latter"), "{log}");
    assert!(moves.len() <= 6, "{moves:?} after {third}");
    server.hear_nothing();
}

#[test]
fn the_client_follows_moves_that_the_rules_forbid() {
    let fen = "2k2/5/5/5/5/p3R/2K2 w 1 2 7";
    let (server, client) = Peer::server(&["--movetime", "20", "--fen", fen]);
    server.send("PW");
    server.send("GB");
    let first = server.hear_move();
    server.send(&format!("T1{first}990102"));
    // The original lets a black pawn step onto any empty square of the last row.
    server.send("T05061990103");
    let second = server.hear_move();
    server.send(&format!("T1{second}990103"));
    server.send("GE0103");
    let (lines, log, status) = client.finish();
    assert!(status.success(), "{log}");
    let (moves, result) = game(&lines);
    assert_eq!((moves[1], result), ("2 Black a2b1 1-3", "result: Black wins 1-3"));
    assert!(log.contains("the server has made an illegal move: `a2b1` is not legal"), "{log}");
    server.hear_nothing();
}

#[test]
fn the_client_tells_the_branching_on_its_own_turns() {
    let (server, client) = Peer::server(&["--movetime", "20"]);
    server.send("PW");
    server.send("GB");
    server.hear_move();
    server.send("GE0000");
    let (lines, log, status) = client.finish();
    assert!(status.success(), "{log}");
    let moves = TucChess::start().count_moves();
    let expected = format!("branching {moves}.0: the mean number of legal moves in 1 turn");
    assert_eq!(lines.last(), Some(&expected));
}

#[test]
fn the_client_gives_up_on_a_silent_server() {
    let silent = |say: &[&str], expected: &str| {
        let (server, mut client) = Peer::server(&["--movetime", "20", "--timeout", "0.5"]);
        say.iter().for_each(|text| server.send(text));
        let hears = usize::from(say.len() > 1);
        (0..hears).for_each(|_| drop(server.hear_move()));
        // Invalid datagrams do not extend the timeout.
        let start = Instant::now();
        while client.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < TIMEOUT, "still waiting for {expected}");
            server.send("PX");
            thread::sleep(Duration::from_millis(100));
        }
        let (_, log, status) = client.finish();
        assert_eq!(status.code(), Some(1));
        let address = server.socket.local_addr().unwrap();
        let error = format!("labrys: nothing from {address} for 0.5 s while waiting for {expected}");
        assert!(log.contains(&error), "{log}");
        server.hear_nothing();
    };
    silent(&[], "our colour, `PW` or `PB`\n");
    silent(&["PW"], "the beginning of the game, `GB`\n");
    silent(&["PW", "GB"], "the echo of our move ");
    let (server, client) = Peer::server(&["--timeout", "0.5"]);
    server.send("PB");
    server.send("GB");
    assert!(client.finish().1.contains("while waiting for a move of the opponent\n"));
}

#[test]
fn the_server_ignores_invalid_datagrams() {
    let fen = "2k2/2p2/R4/5/5/2P2/2K1* w 0 0 1";
    let (server, address) = server(&["--countdown", "0.2", "--fen", fen]);
    let [white, black, third] = [(); 3].map(|()| Peer::client(address));
    for bad in [&b"\xff\xfe"[..], b"", b"name\n", &[b'n'; 201]] {
        third.send_bytes(bad);
    }
    white.send("white");
    assert_eq!(white.hear(), "PW");
    white.send("white");
    black.send("black");
    assert_eq!(black.hear(), "PB");
    third.send("third");
    white.send("5242");
    assert_eq!([white.hear(), black.hear()], ["GB", "GB"]);
    let wrong = |player: &Peer, moves: &[&str]| {
        moves.iter().for_each(|text| player.send(text));
        third.send("5242");
        [&white, &black, &third].into_iter().for_each(Peer::hear_nothing);
    };
    wrong(&white, &["52420", "5242\n", "524", "5262", "5222", "1222", "5292", "", "PW"]);
    wrong(&black, &["1222", "1222\n"]);
    white.send("2025");
    white.send("2023");
    let echo = white.hear();
    assert!(echo.starts_with("T12023") && echo.ends_with("0000"), "{echo}");
    assert_eq!(black.hear(), echo);
    wrong(&white, &["5242"]);
    wrong(&black, &["0222", "5242"]);
    black.send("1222");
    assert_eq!([white.hear(), black.hear()].map(|text| text[..6].to_owned()), ["T01222", "T01222"]);
    white.send("2322");
    assert!(white.hear().ends_with("0100") && black.hear().ends_with("0100"));
    black.send("0203");
    assert_eq!(white.hear(), black.hear());
    white.send("2202");
    assert!(white.hear().starts_with("T12202") && black.hear().starts_with("T12202"));
    black.send("0302");
    assert_eq!([white.hear(), black.hear()].map(|text| text[8..].to_owned()), ["0103", "0103"]);
    drop((white, black));
    drop(server);
}

#[test]
fn the_server_ends_a_game() {
    let fen = "2k2/2R2/5/5/5/5/2K1P w 1 2 7";
    let game = |arguments: &[&str], mv: Option<&str>| {
        let (server, address) = server(&[&["--countdown", "0", "--fen", fen], arguments].concat());
        let players = [(); 2].map(|()| Peer::client(address));
        for (player, color) in players.iter().zip(["PW", "PB"]) {
            player.send("name");
            assert_eq!(player.hear(), color);
        }
        assert_eq!(players.each_ref().map(Peer::hear), ["GB", "GB"]);
        players[0].send(mv.unwrap_or("9999"));
        let [end, other] = players.each_ref().map(Peer::hear);
        assert_eq!(end, other);
        let (lines, log, status) = server.finish();
        assert!(status.success(), "{log}");
        (end, lines.last().unwrap().clone())
    };
    let king = "result: White wins 9-2: king captured";
    assert_eq!(game(&[], Some("1202")), ("GE0902".into(), king.into()));
    let time = "result: Black wins 1-2: time is over";
    assert_eq!(game(&["--game-time", "0.3"], None), ("GE0102".into(), time.into()));
    let late = "result: Black wins 1-2: White has not moved in time";
    assert_eq!(game(&["--move-time", "0.3"], None), ("GE0102".into(), late.into()));
}

#[test]
fn errors_of_the_commands_name_the_cause() {
    for (arguments, error) in [
        (&["tuc", "server", "--port", "0", "--fen", "2k2"][..], "--fen: FEN: the board has 1 rank,"),
        (&["tuc", "server", "--port", "0", "--fen", "2k2/5/5/5/5/5/2K2 w 1 2 7"], "the game is over"),
        (&["tuc", "server", "--port", "0", "--game-time=-1"], "--game-time"),
        (&["tuc", "client", "--server", "127.0.0.1:9", "--name", "a\n"], "name `a\\n`"),
        (&["tuc", "client", "--server", "127.0.0.1", "--name", "a"], "--server 127.0.0.1: "),
        (&["tuc", "client", "--server", "127.0.0.1:9", "--name", "a", "--option", "Hash=x"], "option Hash"),
        (&["tuc", "client", "--server", "127.0.0.1:9", "--name", "a", "--option", "Hash"], "NAME=VALUE"),
        (&["tuc", "client", "--server", "127.0.0.1:9", "--name", "a", "--fen", "x"], "--fen: FEN"),
    ] {
        let (_, log, status) = Process::start(arguments).finish();
        assert!(!status.success() && log.contains(error), "{arguments:?}: {log}");
    }
    let (first, address) = server(&[]);
    let port = address.port().to_string();
    let (_, log, status) = Process::start(&["tuc", "server", "--port", &port]).finish();
    assert!(!status.success() && log.contains(&format!("cannot listen on {address}")), "{log}");
    drop(first);
}
