//! UCI over TCP.

use crate::common::port;
use crate::common::shell::succeed;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The timeout for a line.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server, which ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Server {
        Server::start_with(&[])
    }

    fn start_with(arguments: &[&str]) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(["uci", "--listen", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Server { process, address }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        Client(BufReader::new(stream))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn send(&mut self, lines: &str) {
        self.0.get_mut().write_all(format!("{lines}\n").as_bytes()).unwrap();
    }

    /// The next line that begins with `word`; empty at the end of the connection.
    fn next(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            // A rejected connection may be reset.
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return String::new();
            }
            if line.starts_with(word) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Everything up to the end of the connection.
    fn rest(&mut self) -> String {
        let mut text = String::new();
        // A server that has closed the connection with unread input resets it.
        let _ = self.0.read_to_string(&mut text);
        text
    }
}

#[test]
fn each_connection_is_a_session() {
    let server = Server::start();
    let (mut one, mut other) = (server.connect(), server.connect());
    one.send("setoption name UCI_Variant value neighbours\nposition startpos moves e1e3\nd");
    other.send("d");
    assert_eq!(one.next("Fen: "), "Fen: pppppppp/8/8/8/8/4P3/8/PPPP1PPP b 1 1");
    assert!(other.next("Fen: ").contains("rnbqkbnr/pppppppp"));
    one.send("go infinite");
    other.send("go depth 3");
    assert!(other.next("bestmove").len() > 9);
    one.send("quit");
    assert!(one.next("bestmove").len() > 9);
    assert_eq!(one.rest(), "");
    other.send("isready");
    assert_eq!(other.next("readyok"), "readyok");
}

/// Clients open files of offered folders only, and are not told what is in a file. Memory and threads are
/// limited.
#[test]
fn clients_see_no_files_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let [offered, secret] = ["offered", "secret"].map(|name| folder.path().join(name));
    std::fs::create_dir(&offered).unwrap();
    std::fs::write(&secret, "{\"SECRET\": 1}").unwrap();
    let weights = labrys::eval::Weights::shipped::<labrys::game::chess::Chess>(0).unwrap().to_json();
    std::fs::write(offered.join("good.json"), &weights).unwrap();
    std::fs::write(offered.join("bad.json"), weights.replace("\"chess\"", "\"SECRET\"")).unwrap();
    let server = Server::start_with(&[
        "--folder",
        offered.to_str().unwrap(),
        "--max-hash",
        "32",
        "--max-threads",
        "2",
    ]);
    let mut client = server.connect();
    let mut answer = |line: &str| {
        client.send(&format!("{line}\nisready"));
        let mut text = String::new();
        loop {
            let line = client.next("");
            match &*line {
                "readyok" => return text,
                "" => panic!("the connection has ended: {text}"),
                line => text += &format!("{line}\n"),
            }
        }
    };
    let secret = secret.display();
    for path in [secret.to_string(), "../secret".to_owned(), "/dev/zero".to_owned(), "missing".to_owned()] {
        for option in ["WeightsFile", "EvalFile", "NetFile", "SyzygyPath", "TablePath", "BookFile"] {
            let text = answer(&format!("setoption name {option} value {path}"));
            let expected = format!("info string error: option {option}: `");
            assert!(
                text.starts_with(&expected) && text.contains("is not a file in an offered folder"),
                "{text}"
            );
        }
        let text = answer(&format!("setweights file {path}"));
        assert!(text.starts_with("info string error: setweights: `") && !text.contains("SECRET"), "{text}");
    }
    // A client writes no file, in offered folders either.
    let log = offered.join("log");
    let text = answer(&format!("setoption name Debug Log File value {}", log.display()));
    assert_eq!(text, "info string error: unknown option `Debug Log File`\n");
    assert!(!log.exists() && !answer("uci").contains("Debug Log File"));
    for (name, what) in [("WeightsFile", "option WeightsFile"), ("EvalFile", "option EvalFile")] {
        let text = answer(&format!("setoption name {name} value bad.json"));
        assert_eq!(text, format!("info string error: {what}: the file is refused\n"));
    }
    assert_eq!(answer("setweights file bad.json"), "info string error: setweights: the file is refused\n");
    for good in ["setoption name WeightsFile value good.json", "setweights file good.json"] {
        assert!(!answer(good).contains("error"), "{good}");
    }
    assert!(
        answer("setoption name Hash value 64")
            .contains("option Hash: 64 exceeds the limit of 32 for clients")
    );
    assert!(answer("setoption name Threads value 3").contains("option Threads: 3 exceeds the limit of 2"));
    assert!(!answer("setoption name Hash value 32\nsetoption name Threads value 2").contains("error"));
    let options = answer("uci");
    assert!(options.contains("name Hash type spin default 16 min 1 max 32\n"), "{options}");
    assert!(options.contains("name Threads type spin default 1 min 1 max 2\n"), "{options}");
}

#[test]
fn connections_are_limited_and_make_room_when_they_end() {
    let server = Server::start();
    let mut clients: Vec<_> = (0..16).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.send("go infinite\nisready");
        assert_eq!(client.next("readyok"), "readyok");
    }
    assert_eq!(server.connect().rest(), "info string error: too many connections\n");
    // A client that is gone ends its search and its session.
    clients.pop();
    let end = Instant::now() + TIMEOUT;
    loop {
        let mut client = server.connect();
        let _ = client.0.get_mut().write_all(b"isready\n");
        if client.next("readyok") == "readyok" {
            break;
        }
        assert!(Instant::now() < end, "no room");
    }
}

/// Connections that send nothing, or no complete command, are closed for others.
#[test]
fn silent_connections_take_no_slot() {
    let server = Server::start();
    let mut silent: Vec<_> = (0..100).map(|_| server.connect()).collect();
    for client in &mut silent[50..] {
        let _ = client.0.get_mut().write_all(b" \n\r\n is");
    }
    let mut clients: Vec<_> = (0..16).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.send("isready");
        assert_eq!(client.next("readyok"), "readyok");
    }
    // The oldest idle ones are closed for others.
    assert_eq!(silent[0].rest(), "info string error: too many connections\n");
    // One that sends a command when all slots are taken gets an error.
    silent.last_mut().unwrap().send("ready");
    assert_eq!(silent.last_mut().unwrap().rest(), "info string error: too many connections\n");
    clients.pop();
    let end = Instant::now() + TIMEOUT;
    for client in silent.iter_mut().rev().skip(1) {
        let _ = client.0.get_mut().write_all(b"ready\n");
        if client.next("readyok") == "readyok" {
            return;
        }
        assert!(Instant::now() < end, "no room");
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no room");
}

/// Nor do those that send anything but commands.
#[test]
fn noise_takes_no_connection_slot() {
    let server = Server::start();
    let unknown = "info string error: unknown command `x`, `help` lists the commands";
    let mut noisy: Vec<_> = (0..48).map(|_| server.connect()).collect();
    for (number, client) in noisy.iter_mut().enumerate() {
        match number % 3 {
            0 => client.send("x\nx"),
            1 => {
                let _ = client.0.get_mut().write_all(b"isready".repeat(1000).as_slice());
            }
            _ => {
                let _ = client.0.get_mut().write_all(b"x\nposition startpos moves");
            }
        }
    }
    assert_eq!(noisy[0].next("info"), unknown);
    let mut clients: Vec<_> = (0..16).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.send("isready");
        assert_eq!(client.next("readyok"), "readyok");
    }
    // The length of a line is limited.
    let endless = &mut noisy[1];
    let _ = endless.0.get_mut().write_all(b"isready".repeat(10_000).as_slice());
    assert_eq!(endless.rest(), "info string error: the first command has no end\n");
    // A later command is executed.
    drop(clients);
    let end = Instant::now() + TIMEOUT;
    for client in noisy.iter_mut().step_by(3).rev() {
        let _ = client.0.get_mut().write_all(b"isready\n");
        if client.next("readyok") == "readyok" {
            return;
        }
        assert!(Instant::now() < end, "no room");
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no room");
}

#[test]
fn a_connection_may_begin_with_a_byte_order_mark_and_end_without_a_line_end() {
    let server = Server::start();
    for (bytes, end) in [
        ("\u{feff}isready\nquit\n", false),
        ("\u{feff}\nisready\nquit\n", false),
        ("\u{feff}\r\n \u{feff}\u{feff} isready\nquit\0\n", false),
        ("\n\n  isready\nquit\n", false),
        ("isready", true),
    ] {
        let mut client = server.connect();
        for byte in bytes.bytes() {
            client.0.get_mut().write_all(&[byte]).unwrap();
        }
        if end {
            client.0.get_mut().shutdown(std::net::Shutdown::Write).unwrap();
        }
        assert_eq!(client.rest(), "readyok\n", "{bytes:?}");
    }
    let mut client = server.connect();
    client.0.get_mut().write_all("\u{feff}GET / HTTP/1.1\n".as_bytes()).unwrap();
    assert_eq!(client.rest(), "info string error: this is no command of UCI\n");
}

/// A second `stop` reaches the second search, here as on standard input.
#[test]
fn commands_written_at_once_are_all_answered() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("go infinite\nstop\ngo infinite\nstop\nperft 12\nstop\ngo x\nquit");
    let rest = client.rest();
    assert_eq!(rest.lines().filter(|line| line.starts_with("bestmove")).count(), 3, "{rest}");
}

#[test]
fn pages_in_a_browser_cannot_send_commands() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\nisready\nd");
    assert_eq!(client.rest(), "info string error: this is no command of UCI\n");
}

#[test]
fn a_listener_needs_a_port() {
    for address in ["", "here", "localhost", "127.0.0.1", "65536"] {
        let output = Command::new(env!("CARGO_BIN_EXE_labrys")).args(["uci", "--listen", address]).output();
        let error = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(error.contains("expected a port"), "{address}: {error}");
    }
}

/// Plays two games of Labrys against an engine over TCP. Returns whether the match was played, the records of
/// its games, and its messages.
fn play_match(address: &str) -> (bool, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let engine = format!("tcp={address}");
    let output = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["match", "--variant", "neighbours", "--games", "2", "--engine", "name=inside", "nodes=50"])
        .args(["--engine", "name=outside", &engine, "nodes=50", "--pgnout"])
        .arg(&pgn)
        .output()
        .unwrap();
    let records = std::fs::read_to_string(&pgn).unwrap_or_default();
    (output.status.success(), records, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_engine_over_tcp_plays_a_match() {
    let records = succeed(play_match(&Server::start().address));
    assert_eq!(records.matches("[Termination \"normal\"]").count(), 2, "{records}");
}

#[test]
fn a_match_against_an_address_where_nobody_listens_does_not_begin() {
    let address = format!("127.0.0.1:{}", port::free());
    let (done, records, error) = play_match(&address);
    assert!(!done && records.is_empty(), "{records}");
    assert!(error.contains(&format!("engine `outside`: cannot connect to `{address}`")), "{error}");
}

#[test]
fn an_engine_whose_connection_ends_forfeits_the_game() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // An engine that hangs up when it has to move.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut input = BufReader::new(stream.unwrap());
            let mut line = String::new();
            while input.read_line(&mut line).unwrap_or(0) > 0 && !line.starts_with("go") {
                let answer = match line.trim() {
                    "uci" => "option name UCI_Variant type combo var neighbours\nuciok\n",
                    "isready" => "readyok\n",
                    _ => "",
                };
                let _ = input.get_mut().write_all(answer.as_bytes());
                line.clear();
            }
        }
    });
    let records = succeed(play_match(&address));
    assert_eq!(records.matches("[Termination \"abandoned\"]").count(), 2, "{records}");
    let reason = format!("crashes: the connection to `{address}` has ended");
    // Comments of records are wrapped.
    let words = records.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches(&reason).count(), 2, "{records}");
}

/// The peak memory of a process, in MB.
#[cfg(target_os = "linux")]
fn peak_memory(process: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1000
}

/// Writes commands without reading the answers, until the engine blocks; returns whether it has read all.
#[cfg(target_os = "linux")]
fn flood(mut input: impl Write + Send + 'static) -> bool {
    const BYTES: usize = 26_000_000;
    let (sender, progress) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let lines = "d\n".repeat(10_000);
        for _ in 0..BYTES / lines.len() {
            if input.write_all(lines.as_bytes()).is_err() || sender.send(()).is_err() {
                return;
            }
        }
    });
    let mut written = 0;
    while progress.recv_timeout(Duration::from_secs(3)).is_ok() {
        written += 20_000;
    }
    written >= BYTES
}

#[cfg(target_os = "linux")]
#[test]
fn input_waits_while_answers_are_not_read() {
    let server = Server::start();
    let mut client = server.connect();
    assert!(!flood(client.0.get_ref().try_clone().unwrap()), "over TCP");
    let peak = peak_memory(&server.process);
    assert!(peak < 400, "{peak} MB");
    // It continues where it has stopped.
    for _ in 0..1_000 {
        assert!(client.next("Fen: ").contains("rnbqkbnr/pppppppp"));
    }
    drop(client);

    let mut engine = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let all = flood(engine.stdin.take().unwrap());
    let peak = peak_memory(&engine);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(!all && peak < 400, "standard input: {peak} MB");
}

#[test]
fn a_search_is_stopped_behind_a_backlog() {
    let server = Server::start();
    for end in ["stop\n", "quit\n"] {
        let mut client = server.connect();
        client.send(&format!("go infinite\n{}{end}", "isready\n".repeat(20_000)));
        assert!(client.next("bestmove").len() > 9, "{end}");
    }
}
