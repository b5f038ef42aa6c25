//! Matches with clients that speak the UDP protocol of TUC-CHESS.

use crate::common::shell::{output, signal, succeed};
use crate::common::{port, records};

use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use labrys::arena::Termination;
use labrys::arena::pgn::PgnGame;
use labrys::engine::registry;
use labrys::game::Color;
use records::{end, read};
use tempfile::TempDir;

const LABRYS: &str = env!("CARGO_BIN_EXE_labrys");

/// Arguments of a reproducible match with an engine in process.
const INSIDE: &str = "--variant tucchess --random-plies 0 --games 2 --engine name=in nodes=200 option.Hash=1";

/// Maximum time that a test waits for an event.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The command `labrys match` with arguments that contain no spaces.
fn labrys(words: &str) -> Command {
    let mut command = Command::new(LABRYS);
    command.arg("match").args(words.split_whitespace()).env_remove("RUST_LOG");
    command
}

/// A path for a PGN file, in a temporary folder that is removed at the end of the test.
fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    (folder, path)
}

/// The moves of each game.
fn moves(records: &[PgnGame]) -> Vec<Vec<&str>> {
    records.iter().map(|record| record.moves.iter().map(|mv| mv.text.as_str()).collect()).collect()
}

/// The `--engine` argument of `labrys tuc client` with a node limit.
fn client(name: &str, nodes: u32) -> String {
    let arguments = ["tuc", "client", "--server", "127.0.0.1:{port}", "--name", name, "--movetime", "20000"];
    let limits = ["--nodes", &nodes.to_string(), "--option", "Hash=1"].map(|word| format!(" arg={word}"));
    let arguments = arguments.map(|argument| format!(" arg={argument}")).concat() + &limits.concat();
    format!("--engine name={name} proto=tuc st=30 cmd={LABRYS}{arguments}")
}

/// The final points of a game that a client has printed.
fn points(record: &PgnGame) -> String {
    let mut board = registry::board("tucchess").unwrap();
    record.replay(board.as_mut()).unwrap();
    let fen = board.fen();
    let fields: Vec<_> = fen.split(' ').collect();
    format!("{}-{}", fields[2], fields[3])
}

#[test]
fn a_client_plays_as_in_process() {
    let (_folder, path) = file();
    let other = path.with_extension("inside");
    succeed(output(&mut labrys(&format!(
        "{INSIDE} --engine name=out nodes=100 option.Hash=1 --pgnout {}",
        other.display()
    ))));
    let words = format!("{INSIDE} {} --pgnout {}", client("out", 100), path.display());
    let (success, out, log) = output(labrys(&words).env("RUST_LOG", "info"));
    assert!(success && !out.contains("lost"), "{out}{log}");
    assert!(!log.contains("WARN"), "{log}");

    // The same moves and chance outcomes, with both colours.
    let (inside, outside) = (read(&other), read(&path));
    assert_eq!(moves(&outside), moves(&inside));
    let names: Vec<_> =
        outside.iter().map(|record| record.players.each_ref().map(|player| &*player.name)).collect();
    assert_eq!(names, [["in", "out"], ["out", "in"]]);
    for (record, other) in outside.iter().zip(&inside) {
        assert_eq!(record.end, other.end);
        assert!(matches!(end(record).termination, Termination::Rules | Termination::Adjudication));
    }
    let player = &outside[1].players[0];
    assert_eq!(player.time_control, "30/move");
    assert!(player.setup.contains("127.0.0.1:{port}") && player.setup.ends_with(", UDP 127.0.0.1:0"));

    // Each client has received the result of its game; that of the check has received none.
    let results = log.lines().filter_map(|line| line.split_once("result: ")).map(|(_, result)| result);
    let results: Vec<_> = results.collect();
    assert_eq!(results.len(), 3, "{log}");
    assert_eq!(results[0], "draw 0-0");
    for (result, record) in results[1..].iter().zip(&outside) {
        assert!(result.ends_with(&format!(" {}", points(record))), "{result}: {}", points(record));
    }

    // Such a match can be resumed.
    let (success, out, log) = output(&mut labrys(&format!("{words} --resume")));
    assert!(success && out.contains("\n0 games in "), "{out}{log}");
}

#[test]
fn two_clients_play_each_other() {
    let (_folder, path) = file();
    let players = [client("a", 50), client("b", 50)].join(" ");
    let words = "--variant tucchess --random-plies 0 --games 4 --concurrency 2";
    let (success, out, log) = output(&mut labrys(&format!("{words} {players} --pgnout {}", path.display())));
    assert!(success && out.starts_with("a against b: 4 games") && !out.contains("lost"), "{out}{log}");
    assert_eq!(read(&path).len(), 4);
}

/// A proxy between a client and the arena that forwards every datagram twice and adds datagrams of strangers
/// and invalid ones. It starts the client for each game.
fn echo_chamber(arena: SocketAddr, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        let [inner, outer, stranger] = [(); 3].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        let at = inner.local_addr().unwrap().to_string();
        let arguments = ["tuc", "client", "--server", &at, "--name", "x", "--nodes", "100"];
        let mut child = Command::new(LABRYS)
            .args(arguments)
            .args(["--option", "Hash=1", "--movetime", "20000", "--timeout", "2"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut buffer = [0; 300];
        let (length, client) = inner.recv_from(&mut buffer).unwrap();
        let name = buffer[..length].to_vec();
        for socket in [&inner, &outer] {
            socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        }
        let mut joined = false;
        while child.try_wait().unwrap().is_none() && !done.load(Ordering::Relaxed) {
            if !joined {
                // The arena may not be listening yet.
                outer.send_to(&name, arena).unwrap();
            }
            if let Ok((length, _)) = outer.recv_from(&mut buffer) {
                joined = true;
                (0..2).for_each(|_| drop(inner.send_to(&buffer[..length], client)));
            }
            if let Ok((length, _)) = inner.recv_from(&mut buffer) {
                for datagram in [&b"Minos"[..], b"5040", &[0xff; 9], b""] {
                    stranger.send_to(datagram, arena).unwrap();
                }
                (0..2).for_each(|_| drop(outer.send_to(&buffer[..length], arena)));
                stranger.send_to(b"1020", arena).unwrap();
            }
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
}

#[test]
fn repeated_datagrams_and_strangers_change_nothing() {
    let (_folder, path) = file();
    let other = path.with_extension("inside");
    let inside = format!("{INSIDE} --engine name=out nodes=100 option.Hash=1 --pgnout {}", other.display());
    assert!(output(&mut labrys(&inside)).0);
    let port = port::free();
    let done = Arc::new(AtomicBool::new(false));
    let chamber = {
        let (done, arena) = (Arc::clone(&done), SocketAddr::from(([127, 0, 0, 1], port)));
        thread::spawn(move || echo_chamber(arena, &done))
    };
    let words = format!("{INSIDE} --engine name=out proto=tuc st=30 port={port} --pgnout {}", path.display());
    let (success, out, log) = output(labrys(&words).env("RUST_LOG", "info"));
    done.store(true, Ordering::Relaxed);
    chamber.join().unwrap();
    assert!(success && !out.contains("lost"), "{out}");
    assert!(log.contains("waiting on 127.0.0.1:") && log.contains("ignored:"), "{log}");
    assert_eq!(moves(&read(&path)), moves(&read(&other)));
}

fn send(socket: &UdpSocket, datagram: &[u8]) {
    let _ = socket.send(datagram);
}

/// A client that joins games at `port` and calls `act` whenever it is to move. Returns the last message of
/// each game.
fn misbehave(port: u16, games: usize, act: impl Fn(&UdpSocket) + Send + 'static) -> JoinHandle<Vec<String>> {
    let game = move || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let stray = UdpSocket::bind("127.0.0.1:0").unwrap();
        for socket in [&socket, &stray] {
            socket.connect(("127.0.0.1", port)).unwrap();
        }
        socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let start = Instant::now();
        let (mut last, mut is_white) = (String::new(), false);
        while start.elapsed() < TIMEOUT && !last.starts_with("GE") {
            let mut buffer = [0; 300];
            if last.is_empty() {
                // The arena may not be listening yet. A client of another game does not join.
                send(&stray, b"5040");
                send(&socket, b"Minotauros");
            }
            let Ok(length) = socket.recv(&mut buffer) else { continue };
            let heard = String::from_utf8(buffer[..length].to_vec()).unwrap();
            is_white |= heard == "PW";
            if heard.starts_with("T1") || heard == "GB" && is_white {
                act(&socket);
            }
            last = heard;
        }
        last
    };
    thread::spawn(move || (0..games).map(|_| game()).collect())
}

/// Plays two games against a client that acts as `act` says; the results.
fn against(keys: &str, act: impl Fn(&UdpSocket) + Send + 'static) -> (serde_json::Value, Vec<PgnGame>) {
    let (_folder, path) = file();
    let port = port::free();
    let guest = misbehave(port, 2, act);
    let mut command = labrys(&format!(
        "{INSIDE} --json --pgnout {} --engine name=bad proto=tuc port={port} {keys}",
        path.display()
    ));
    let out = succeed(output(&mut command));
    for last in guest.join().unwrap() {
        assert!(last.starts_with("GE"), "{last}");
    }
    (serde_json::from_str(&out).unwrap(), read(&path))
}

#[test]
fn clients_that_misbehave_lose_and_the_match_continues() {
    type Act = fn(&UdpSocket);
    // Who answers at once has time enough on any machine.
    let (short, long) = ("st=0.3", "st=20");
    let cases: [(&str, &str, Termination, &str, Act); 8] = [
        (short, "stall", Termination::Stall, "stalls: no move over UDP at 127.0.0.1:", |_| ()),
        (short, "time", Termination::Time, "loses on time after ", |socket| {
            // Longer than its clock.
            thread::sleep(Duration::from_millis(500));
            send(socket, b"5040");
        }),
        (long, "illegal", Termination::Illegal, "`d4d4` is not legal", |socket| send(socket, b"3333")),
        (
            long,
            "illegal",
            Termination::Illegal,
            "sends invalid output: `50400` has 5 bytes, expected 4",
            |socket| {
                send(socket, b"50400");
            },
        ),
        (long, "illegal", Termination::Illegal, "`5040\\n` has 5 bytes, expected 4", |socket| {
            send(socket, b"5040\n")
        }),
        (long, "illegal", Termination::Illegal, "byte 0xff at position 1 is not UTF-8", |socket| {
            send(socket, &[0xff; 4])
        }),
        (long, "illegal", Termination::Illegal, "expected a row from 0 to 6", |socket| send(socket, b"9999")),
        // Moves from another socket are ignored, legal or not, and so is a repeated name.
        (short, "stall", Termination::Stall, "within 0.3 s", |socket| {
            let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
            for text in [&b"5040"[..], b"1020", b"x"] {
                stranger.send_to(text, socket.peer_addr().unwrap()).unwrap();
            }
            send(socket, b"Minotauros");
        }),
    ];
    let games = cases.map(|(keys, kind, termination, details, act)| {
        thread::spawn(move || {
            let (result, records) = against(keys, act);
            assert_eq!(result["players"][1]["forfeits"][kind], 2, "{details}: {result}");
            for record in &records {
                let loser = end(record).winner.map(|winner| &*record.players[(!winner).index()].name);
                assert_eq!((loser, end(record).termination), (Some("bad"), termination), "{details}");
                assert!(end(record).details.contains(details), "{details}: {}", end(record).details);
            }
            let first = end(&records[0]).winner;
            assert_eq!((first, end(&records[1]).winner), (Some(Color::White), Some(Color::Black)));
        })
    });
    games.into_iter().for_each(|game| game.join().unwrap());
}

#[test]
#[cfg(unix)]
fn a_client_that_ends_or_never_joins_loses() {
    // The process ends once the client has joined, which is another one here.
    let (_folder, path) = file();
    let port = port::free();
    // The check before the match needs a client too.
    let guest = misbehave(port, 3, |_| ());
    let words =
        format!("{INSIDE} --pgnout {} --engine name=bad proto=tuc st=5 port={port} cmd=sh", path.display());
    succeed(output(labrys(&words).args(["arg=-c", "arg=sleep 0.8; exit 3"])));
    for record in read(&path) {
        let end = end(&record);
        assert_eq!(end.termination, Termination::Crash);
        assert!(end.details.ends_with(" crashes: the client has ended (exit status: 3)"), "{}", end.details);
    }
    assert_eq!(guest.join().unwrap()[0], "GE0000");

    // No client is started.
    let (_folder, path) = file();
    let port = port::free();
    let words =
        format!("{INSIDE} --pgnout {} --engine proto=tuc st=5 timeout=0.2 port={port}", path.display());
    let (success, _, log) = output(&mut labrys(&words));
    let waiting = format!("waiting on 127.0.0.1:{port} for a client to join as `udp`, again for each game");
    assert!(success && log.contains(&waiting), "{log}");
    for record in read(&path) {
        let end = end(&record);
        assert_eq!(end.termination, Termination::Stall);
        let details = format!("no client has joined over UDP at 127.0.0.1:{port} within 0.2 s");
        assert!(end.details.contains(&details), "{}", end.details);
    }
}

#[test]
#[cfg(unix)]
fn waiting_for_a_client_can_be_interrupted() {
    for name in ["-INT", "-TERM"] {
        let (_folder, path) = file();
        let pids = path.with_extension("pids");
        let words = format!("{INSIDE} --engine proto=tuc st=5 cmd=sh arg=-c");
        let script = format!("arg=echo $$ >> {}; exec sleep 60 # {{port}}", pids.display());
        let mut child =
            labrys(&words).arg(script).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while std::fs::read_to_string(&pids).unwrap_or_default().lines().next().is_none() {
            assert!(start.elapsed() < TIMEOUT);
            thread::sleep(Duration::from_millis(5));
        }
        signal(&child, name);
        while child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < TIMEOUT, "still running");
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!child.wait().unwrap().success());
        for pid in std::fs::read_to_string(&pids).unwrap().lines() {
            let alive = Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().unwrap();
            assert!(!alive.success(), "process {pid} is still there");
        }
    }
}

#[test]
fn invalid_arguments_are_named_before_the_first_game() {
    let client = client("out", 1);
    let port = port::free();
    let by_hand = format!("proto=tuc st=1 timeout=0.2 port={port}");
    for (words, message) in [
        (
            INSIDE.replace("tucchess", "neighbours") + " " + &client,
            "engine `out`: the engine does not play `neighbours`, it plays: tucchess",
        ),
        (
            INSIDE.replace("--random-plies 0", "") + " " + &client,
            "engine `out`: a client over UDP plays from the start position only: use --random-plies 0",
        ),
        (INSIDE.replace("--random-plies 0", "--random-plies 0-1") + " " + &client, "--random-plies 0"),
        (format!("{INSIDE} --engine {by_hand} --engine name=two {by_hand}"), "is used by engine `udp`"),
        (
            format!("{INSIDE} --engine {by_hand} --concurrency 2"),
            "serves one game at a time, not --concurrency 2",
        ),
        (
            format!("{INSIDE} --engine {by_hand} prot=1"),
            "--engine 2: unknown key `prot`, expected one of: cmd",
        ),
        (format!("{INSIDE} --engine {by_hand} bind=192.0.2.1"), "cannot listen on 192.0.2.1:"),
        (
            client.replace("{port}", "1") + " " + INSIDE,
            "port 0 picks any free port, so one arg has to contain",
        ),
        (
            client.replace("arg=client", "arg=cleint") + " " + INSIDE,
            "engine `out`: the client has ended (exit status: 2)",
        ),
        (
            client.replace(LABRYS, "no-such-client") + " " + INSIDE,
            "engine `out`: cannot start `no-such-client`",
        ),
    ] {
        let (success, out, error) = output(&mut labrys(&words));
        assert!(!success && out.is_empty() && error.contains(message), "{words}: {error}");
    }
}
