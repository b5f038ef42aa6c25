//! The page of a lobby, and all that can be played at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::browser::Page;
use crate::server::{Board, wait_for};

const LABRYS: &str = env!("CARGO_BIN_EXE_labrys");

/// A process that is killed at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Labrys as an agent.
fn agent(address: &str, name: &str) -> Running {
    let mut command = Command::new(LABRYS);
    command.args(["uci", "--connect", address, "--name", name]).env("LABRYS_TOKEN", format!("{name}-token"));
    Running(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// A lobby of TUC-CHESS with a page.
struct Lobby {
    _process: Running,
    out: BufReader<ChildStdout>,
    /// Where agents connect, over TCP and over UDP.
    agents: String,
    udp: String,
    board: Board,
}

impl Lobby {
    fn start(folder: &Path, words: &str) -> Lobby {
        let fixed =
            "--agents 0 --udp 0 --web 0 --variant tucchess --random-plies 0 --rating-interval 1000000";
        let mut process = Command::new(LABRYS)
            .args(["lobby", "--folder"])
            .arg(folder)
            .args(fixed.split(' ').chain(words.split(' ')))
            .env_remove("RUST_LOG")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut words = || {
            let mut line = String::new();
            assert!(out.read_line(&mut line).unwrap() > 0, "the lobby has ended");
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let (agents, udp, url) = (words()[2].clone(), words()[2].clone(), words()[4].clone());
        let address = url.strip_prefix("http://").unwrap().strip_suffix("/lobby").unwrap().parse().unwrap();
        let board = Board { address, base: "/".to_owned() };
        Lobby { _process: Running(process), out, agents, udp, board }
    }

    fn agent(&self, name: &str) -> Running {
        agent(&self.agents, name)
    }

    /// What the page asks for.
    fn state(&self) -> Value {
        let answer = self.board.get("/lobby.json");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        serde_json::from_str(body).unwrap()
    }

    /// Reads the output until a line holds this text.
    fn until(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "no `{text}`");
        }
    }
}

#[test]
fn people_and_agents_of_all_kinds_play_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut lobby = Lobby::start(folder.path(), "--each st=60 nodes=50 --concurrency 2");
    let state = lobby.state();
    assert_eq!((&state["lobby"]["game"], &state["lobby"]["games"]), (&json!("tucchess"), &json!([])));
    let _agents = ["minos", "talos"].map(|name| lobby.agent(name));
    let clients = ["ikaros", "daidalos"].map(|name| {
        let words = ["tuc", "client", "--server", &lobby.udp, "--name", name, "--nodes", "50"];
        let arguments = [&words[..], &["--movetime", "50000", "--timeout", "600"]].concat();
        let arguments: Vec<_> = arguments.into_iter().map(str::to_owned).collect();
        thread::spawn(move || {
            for _ in 0..6 {
                assert!(Command::new(LABRYS).args(&arguments).output().unwrap().status.success());
            }
        })
    });
    // Meanwhile two people play, and a third watches.
    let (mut owner, _, _) = lobby.board.enter("");
    owner.begin("neighbours");
    owner.send(&json!({"do": "seats", "on": true}));
    let links = owner.next("seats");
    let (mut mover, _, mut game) = lobby.board.sit(&links["white"]);
    let [mut other, mut spectator] = ["black", "spectators"].map(|seat| lobby.board.sit(&links[seat]).0);
    for ply in 0..10 {
        let mv = game["moves"][0].as_str().unwrap().to_owned();
        assert!(other.refused(&json!({"do": "play", "node": game["node"], "move": mv})).contains("to move"));
        mover.play(&game, &mv);
        spectator.until(|game| game["ply"] == ply + 1);
        game = other.until(|game| game["ply"] == ply + 1);
        std::mem::swap(&mut mover, &mut other);
    }
    clients.into_iter().for_each(|client| client.join().unwrap());
    // Everybody with everybody else, twice.
    lobby.until("12: ");
    assert_eq!(lobby.state()["lobby"]["finished"], 12);
}

#[test]
fn the_state_of_a_lobby_has_its_table_and_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut lobby = Lobby::start(folder.path(), "--each st=60 nodes=50 --engine name=house option.Seed=3");
    let _agent = lobby.agent("minos");
    lobby.until("house - minos:");
    lobby.until("minos - house:");
    let Value::Array(table) = lobby.state()["lobby"]["table"].take() else { panic!("no table") };
    let names: Vec<_> = table.iter().map(|row| (row["name"].as_str().unwrap(), &row["is-present"])).collect();
    assert!(
        names.contains(&("house", &json!(true))) && names.contains(&("minos", &json!(true))),
        "{names:?}"
    );
    // The archive is there to look at, and neither the tokens nor the sessions are.
    let (mut browser, _, _) = lobby.board.enter("");
    browser.send(&json!({"do": "files"}));
    let files = browser.next("files");
    let names: Vec<_> = files["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(names, ["games.pgn"]);
}

#[test]
fn an_agent_that_connects_is_an_opponent_on_the_board() {
    let mut process = Command::new(LABRYS)
        .args(["serve", "--port", "0", "--no-state", "--agents", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let _process = Running(process);
    let mut last = || lines.next().unwrap().split(' ').next_back().unwrap().to_owned();
    let (url, address) = (last(), last());
    let address_of_board = url.strip_prefix("http://").unwrap().trim_end_matches('/').parse().unwrap();
    let board = Board { address: address_of_board, base: "/".to_owned() };
    let (mut browser, _, _) = board.enter("");
    // The names of the board's own players are not free.
    let mut foreign = Command::new(LABRYS);
    let refused =
        foreign.args(["uci", "--connect", &address, "--name", "person"]).stdin(Stdio::null()).output();
    let message = String::from_utf8(refused.unwrap().stderr).unwrap();
    assert!(message.contains("`person` is the name of another player"), "{message}");
    let agent = agent(&address, "talos");
    let welcome = browser.next("welcome");
    assert_eq!(welcome["engines"], json!(["talos"]));
    assert_eq!(welcome["games"][0]["engines"], json!(["talos"]));
    let game = browser.game(&json!({"do": "new", "game": "chess", "players": ["person", "talos"]}));
    browser.play(&game, "e2e4");
    browser.until(|game| game["ply"] == 2);
    // Once it has gone nobody can choose it.
    drop(agent);
    wait_for(|| {
        let (mut browser, _, _) = board.enter("");
        let request = json!({"do": "new", "game": "chess", "players": ["person", "talos"]});
        browser.refused_or_done(&request).contains("there is no player `talos`")
    });
}

#[test]
#[ignore = "needs chromium"]
fn browser_shows_a_lobby() {
    let folder = tempfile::tempdir().unwrap();
    let lobby = Lobby::start(folder.path(), "--each st=60 nodes=50 --games 200 --concurrency 2");
    let _agents = ["minos", "talos", "<b>ikaros</b>"].map(|name| lobby.agent(name));
    let mut page = Page::at(1280, 800, &format!("http://{}/lobby", lobby.board.address));
    page.until("document.querySelectorAll('#table .present').length === 2");
    page.until("[...document.querySelectorAll('#live .name')].some(name => name.textContent === 'talos')");
    page.until("Number.parseInt(document.getElementById('finished').textContent) > 3");
    assert_eq!(page.value("document.getElementById('title').textContent"), "TUC-CHESS");
    if let Ok(folder) = std::env::var("LABRYS_SCREENSHOTS") {
        page.screenshot(&Path::new(&folder).join("web-lobby.png"));
    }
}
