//! The page of a lobby, and all that can be played at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::browser::Page;
use crate::common::records;
use crate::server::{Board, Browser, wait_for};
use labrys::arena::Termination;
use records::{end, read};

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

    /// Seats a person.
    fn sit(&self, name: &str) -> Browser {
        let mut browser = self.board.connect(&format!("{}seat", self.board.base), &[]).unwrap();
        browser.send(&json!({"name": name, "token": format!("{name}-token")}));
        browser
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
    assert_eq!((&state["game"], &state["games"]), (&json!("tucchess"), &json!([])));
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
    assert_eq!(lobby.state()["finished"], 12);
}

#[test]
fn the_state_of_a_lobby_has_its_table_and_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut lobby = Lobby::start(folder.path(), "--each st=60 nodes=50 --engine name=house option.Seed=3");
    let _agent = lobby.agent("minos");
    lobby.until("house - minos:");
    lobby.until("minos - house:");
    let Value::Array(table) = lobby.state()["table"].take() else { panic!("no table") };
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

/// The next seat that fulfils a condition.
fn seat(browser: &mut Browser, condition: impl Fn(&Value) -> bool) -> Value {
    loop {
        let seat = browser.next("seat");
        if condition(&seat) {
            return seat;
        }
    }
}

/// Whether a person is to move.
fn is_turn(seat: &Value) -> bool {
    seat["game"]["moves"].as_array().is_some_and(|moves| !moves.is_empty())
}

/// The game and the ply of a position: a seat may be told twice, with other clocks.
fn position(game: &Value) -> [&Value; 2] {
    [&game["id"], &game["plies"]]
}

/// The request of a move.
fn play(game: &Value, mv: &Value) -> Value {
    json!({"do": "play", "id": game["id"], "plies": game["plies"], "move": mv})
}

#[test]
fn a_person_plays_an_agent_in_a_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--each st=60 nodes=20 --people tc=600 --max-moves 2";
    let mut lobby = Lobby::start(folder.path(), words);
    assert_eq!(lobby.state()["has-people"], true);
    let mut ada = lobby.sit("ada");
    lobby.until("ada has joined");
    let _agent = lobby.agent("minos");
    let mut last = Value::Null;
    for number in 1..=2 {
        for turn in 0..2 {
            let now = seat(&mut ada, |seat| is_turn(seat) && position(&seat["game"]) != position(&last));
            let game = &now["game"];
            assert!(game["side"] == game["turn"] && game["can-draw"] == false, "{now}");
            for (request, reason) in [
                (play(game, &json!("a1a7")), "`a1a7` is not a legal move"),
                (json!({"do": "play", "id": game["id"], "plies": 7, "move": "a2a3"}), "has changed"),
                (json!({"do": "draw", "id": game["id"]}), "agents take no draws"),
            ] {
                assert!(ada.refused(&request).contains(reason), "{request}");
            }
            // A connection that is lost comes back to the same position.
            if turn == 0 {
                drop(ada);
                ada = lobby.sit("ada");
                let back = seat(&mut ada, is_turn);
                assert_eq!((&back["game"]["id"], &back["game"]["fen"]), (&game["id"], &game["fen"]));
            }
            ada.send(&play(game, &game["moves"][0]));
            last = game.clone();
        }
        lobby.until(&format!("{number}: "));
    }
    let over = seat(&mut ada, |seat| seat["game"].is_null());
    assert!(over["last"].as_str().unwrap().contains("minos"), "{over}");
    assert_eq!(lobby.state()["finished"], 2);
    let table = lobby.state()["table"].clone();
    assert!(table.as_array().unwrap().iter().any(|row| row["name"] == "ada"), "{table}");
    for record in read(&folder.path().join("archive/games.pgn")) {
        let ada = record.players.iter().find(|player| player.name == "ada").unwrap();
        assert_eq!((ada.setup.as_str(), ada.time_control.as_str()), ("person", "600"));
    }
    // The games of people count when the lobby goes on, with other clocks, too.
    drop(lobby);
    let words = "--agents 0 --variant tucchess --random-plies 0 --each st=60 nodes=20 --players 2";
    let mut command = Command::new(LABRYS);
    let output =
        command.args(["lobby", "--folder"]).arg(folder.path()).args(words.split(' ')).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && out.contains("going on after 2 games"), "{out}");
}

#[test]
fn people_agree_on_draws_and_resign() {
    let folder = tempfile::tempdir().unwrap();
    let mut lobby = Lobby::start(folder.path(), "--each st=60 nodes=20 --people tc=600");
    let mut people = ["ada", "bob"].map(|name| lobby.sit(name));
    // White offers a draw with its first move, which Black accepts.
    let seats = people.each_mut().map(|browser| seat(browser, |seat| !seat["game"].is_null()));
    let white = seats.iter().position(|seat| seat["game"]["side"] == "white").unwrap();
    let black = 1 - white;
    let game = &seats[white]["game"];
    people[white].send(&json!({"do": "draw", "id": game["id"]}));
    let offered = seat(&mut people[white], |seat| seat["game"]["offer"] == "white");
    people[white].send(&play(&offered["game"], &game["moves"][0]));
    seat(&mut people[black], |seat| is_turn(seat) && seat["game"]["offer"] == "white");
    people[black].send(&json!({"do": "draw", "id": game["id"]}));
    lobby.until("draw by agreement");
    // In the next game an offer lapses with the opponent's move, and White resigns.
    let (white, black) = (black, white);
    // The turn of the game that is over may have been told twice.
    let now = seat(&mut people[white], |seat| is_turn(seat) && seat["game"]["id"] != game["id"]);
    let game = &now["game"];
    people[white].send(&json!({"do": "draw", "id": game["id"]}));
    people[white].send(&play(game, &game["moves"][0]));
    let now = seat(&mut people[black], |seat| is_turn(seat) && seat["game"]["id"] == game["id"]);
    people[black].send(&play(&now["game"], &now["game"]["moves"][0]));
    let now = seat(&mut people[white], |seat| is_turn(seat) && seat["game"]["plies"] == 2);
    assert_eq!(now["game"]["offer"], Value::Null);
    people[white].send(&json!({"do": "resign", "id": game["id"]}));
    lobby.until("White resigns");
    let records = read(&folder.path().join("archive/games.pgn"));
    let winners: Vec<_> = records.iter().map(|record| end(record).winner.is_some()).collect();
    assert_eq!(winners, [false, true]);
}

#[test]
fn a_person_who_does_not_come_back_loses_that_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut lobby = Lobby::start(folder.path(), "--each st=60 nodes=20 --people tc=0.5 --engine name=house");
    let mut ada = lobby.sit("ada");
    lobby.until("loses on time");
    let away = seat(&mut ada, |seat| seat["game"].is_null() && !seat["last"].is_null());
    assert_eq!(away["is-away"], true);
    lobby.until("ada has left");
    ada.send(&json!({"do": "away", "on": false}));
    seat(&mut ada, |seat| !seat["game"].is_null());
    lobby.until("2: ");
    let records = read(&folder.path().join("archive/games.pgn"));
    assert_eq!(end(&records[0]).termination, Termination::Time);
}

#[test]
#[ignore = "needs chromium"]
fn browser_lets_a_person_play_in_a_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let lobby = Lobby::start(folder.path(), "--each st=60 nodes=20 --people tc=600 --max-moves 2");
    let _agent = lobby.agent("minos");
    let mut page = Page::load(1280, 1000, &format!("http://{}/lobby", lobby.board.address));
    page.until("document.getElementById('play')?.hidden === false");
    page.write("join-name", "ada");
    page.click("#join button");
    let own = "document.querySelector('#own-board .strip:last-child .dot')";
    let is_turn = "document.getElementById('own-message').textContent.includes('it is your move')";
    page.until(is_turn);
    let first = page.value(&format!("{own}.className")).as_str().unwrap().to_owned();
    let link = page.value("document.getElementById('own-link').value").as_str().unwrap().to_owned();
    let (white, black) = ([("a2", "a3"), ("b2", "b3")], [("a6", "a5"), ("b6", "b5")]);
    let moves = |dot: &str| if dot == "dot white" { white } else { black };
    let plies = "Number(document.querySelector('#own-board article').dataset.plies)";
    // Until the server has taken the move, and perhaps called to the next game.
    let play = |page: &mut Page, (from, to): (&str, &str)| {
        page.until(is_turn);
        let before = page.value(plies);
        page.squares(&format!("{from} {to}"));
        page.until(&format!("{plies} !== {before}"));
    };
    for mv in moves(&first) {
        play(&mut page, mv);
    }
    page.until("document.getElementById('finished').textContent === '1 game finished'");
    // The second game, with the other colour: by the link, as after the window was closed.
    drop(page);
    let mut page = Page::load(1280, 1000, &link);
    let second = if first == "dot white" { "dot black" } else { "dot white" };
    page.until(is_turn);
    assert_eq!(page.value(&format!("{own}.className")), second);
    play(&mut page, moves(second)[0]);
    page.click("#own-resign");
    page.click("#confirm-dialog [value=yes]");
    page.until("document.getElementById('own-message').textContent.includes('resigns')");
    page.until("document.getElementById('finished').textContent === '2 games finished'");
    page.until("[...document.querySelectorAll('#table th')].some(name => name.textContent === 'ada')");
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
