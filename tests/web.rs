//! The web board, driven as a browser drives it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use labrys::web::{Config, Server};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, WebSocket};

/// How long a test waits for a message before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs until the tests end.
struct Board {
    address: SocketAddr,
    /// What stands between the address and the path of a file.
    base: String,
}

impl Board {
    fn start() -> Board {
        Board::on("127.0.0.1:0")
    }

    fn on(listen: &str) -> Board {
        let config = Config { listen: listen.parse().unwrap(), searches: Some(2) };
        let server = Server::bind(&config).unwrap();
        let url = server.url().strip_prefix("http://").unwrap().to_owned();
        let (address, path) = url.split_once('/').unwrap();
        let base = format!("/{path}");
        let port = address.parse::<SocketAddr>().unwrap().port();
        thread::spawn(move || server.run());
        Board { address: SocketAddr::from(([127, 0, 0, 1], port)), base }
    }

    /// The whole answer to a request with these header lines.
    fn http(&self, request: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "{request} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.http(&format!("GET {path}"), &format!("Host: {}\r\n", self.address))
    }

    /// Asks for a WebSocket.
    fn connect(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<Browser, Box<Error>> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Browser { socket }),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
            Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("the stream blocks"),
        }
    }

    /// The status of the answer to a request for a WebSocket that is refused.
    fn refusal(&self, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        match self.connect(path, headers).err().map(|error| *error) {
            Some(Error::Http(response)) => response.status().as_u16(),
            other => panic!("{other:?}"),
        }
    }

    /// A browser in a session, with the name of the session and the game as it stands.
    fn enter(&self, session: &str) -> (Browser, String, Value) {
        let mut browser = self.connect(&format!("{}ws?session={session}", self.base), &[]).unwrap();
        let welcome = browser.next("welcome");
        let game = browser.next("game");
        (browser, welcome["session"].as_str().unwrap().to_owned(), game)
    }
}

struct Browser {
    socket: WebSocket<TcpStream>,
}

impl Browser {
    /// The next message of a kind.
    fn next(&mut self, kind: &str) -> Value {
        // Pings arrive for ever.
        let end = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < end, "no message `{kind}`");
            if let Message::Text(text) = self.socket.read().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                if message["is"] == kind {
                    return message;
                }
            }
        }
    }

    fn send(&mut self, request: &Value) {
        self.socket.send(Message::text(request.to_string())).unwrap();
    }

    /// Asks for a change of the game.
    fn game(&mut self, request: &Value) -> Value {
        self.send(request);
        self.next("game")
    }

    /// Asks for what is refused.
    fn refused(&mut self, request: &Value) -> String {
        self.send(request);
        self.next("error")["text"].as_str().unwrap().to_owned()
    }

    /// Begins a game between people.
    fn begin(&mut self, game: &str) -> Value {
        self.game(&json!({"do": "new", "game": game, "players": ["person", "person"]}))
    }

    fn play(&mut self, game: &Value, mv: &str) -> Value {
        self.game(&json!({"do": "play", "node": game["node"], "move": mv}))
    }

    /// Waits for a game that fulfils a condition.
    fn until(&mut self, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let game = self.next("game");
            if condition(&game) {
                return game;
            }
        }
    }

    /// Waits for the end of the connection, and returns the reason if one is given.
    fn ended(&mut self) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < end, "the connection goes on");
            match self.socket.read() {
                Ok(Message::Close(frame)) => {
                    return frame.map_or(String::new(), |frame| frame.reason.to_string());
                }
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("no end"),
                Err(_) => return String::new(),
            }
        }
    }
}

/// The moves of the line, in one text.
fn line(game: &Value) -> String {
    let moves = game["line"].as_array().unwrap().iter();
    moves.map(|mv| mv["text"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_is_served_with_its_files_and_nothing_else() {
    let board = Board::start();
    let page = board.get("/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<lab-board>"), "{page}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; ",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(page.contains(header), "{page}");
    }
    // The policy lets nothing run that stands in the page itself.
    let body = page.split_once("\r\n\r\n").unwrap().1;
    assert!(!body.contains("style=") && !body.contains("onclick") && !body.contains("<style"));
    let files: Vec<_> =
        body.split(['"']).filter(|word| word.ends_with(".js") || word.ends_with(".css")).collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        assert!(board.get(&format!("/{file}")).starts_with("HTTP/1.1 200"), "{file}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/page/app.js", "/app.js/", "/x"] {
        let answer = board.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        assert!(answer.contains("content-security-policy"), "{path}");
    }
    let posted = board.http("POST /", &format!("Host: {}\r\n", board.address));
    assert!(posted.starts_with("HTTP/1.1 405"), "{posted}");
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let board = Board::start();
    let port = board.address.port();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1"] {
        assert!(board.http("GET /", &format!("Host: {host}\r\n")).starts_with("HTTP/1.1 403"), "{host}");
        assert_eq!(board.refusal("/ws", &[("host", host)]), 403, "{host}");
    }
    for origin in ["http://evil.example", &format!("http://evil.example:{port}"), "null"] {
        assert_eq!(board.refusal("/ws", &[("origin", origin)]), 403, "{origin}");
    }
    let own = format!("http://{}", board.address);
    assert!(board.connect("/ws", &[("origin", &own)]).is_ok());
}

#[test]
fn beyond_loopback_only_the_address_with_the_token_works() {
    let board = Board::on("0.0.0.0:0");
    assert!(board.base.len() > 32, "{}", board.base);
    for path in ["/", "/app.js", "/ws", &format!("/{}/", "0".repeat(32)), &board.base[..board.base.len() - 2]]
    {
        assert!(board.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    assert!(board.get(&board.base).starts_with("HTTP/1.1 200"));
    assert_eq!(board.refusal("/ws", &[]), 404);
    assert_eq!(board.enter("").2["game"], "chess");
}

#[test]
fn bad_requests_are_refused_and_change_nothing() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let game = browser.begin("chess");
    let node = &game["node"];
    for (request, reason) in [
        (json!({"do": "play", "node": node, "move": "e2e5"}), "e2e5"),
        (json!({"do": "play", "node": 7, "move": "e2e4"}), "changed"),
        (json!({"do": "show", "node": 7}), "no position 7"),
        (json!({"do": "take-back"}), "no move"),
        (json!({"do": "new", "game": "ludo", "players": ["person", "person"]}), "ludo"),
        (json!({"do": "new", "game": "chess", "fen": "x", "players": ["person", "person"]}), "rank"),
        (json!({"do": "new", "game": "amazons", "option": "9x9", "players": ["person", "person"]}), "9x9"),
        (
            json!({"do": "new", "game": "neighbours", "option": "8x8", "players": ["person", "person"]}),
            "option",
        ),
        (json!({"do": "players", "players": ["person", "cmd=/bin/sh"]}), "cmd=/bin/sh"),
        (json!({"do": "load", "pgn": "1. e5 *"}), "e5"),
        (json!({"do": "run", "cmd": "sh"}), "not understood"),
        (json!([[[[]]]]), "not understood"),
    ] {
        let error = browser.refused(&request);
        assert!(error.contains(reason), "{request}: {error}");
    }
    browser.socket.send(Message::text("{\"do\":")).unwrap();
    assert!(browser.next("error")["text"].as_str().unwrap().contains("not understood"));
    let (_, _, now) = {
        let played = browser.play(&game, "e2e4");
        assert_eq!(line(&played), "e4");
        board.enter("unknown")
    };
    assert_eq!(line(&now), "", "a name that is not known is a new session");
}

#[test]
fn long_requests_binary_ones_and_floods_end_the_connection() {
    let board = Board::start();
    let (mut browser, session, _) = board.enter("");
    let _ = browser.socket.send(Message::text("x".repeat(65 << 10)));
    browser.ended();
    let (mut browser, again, _) = board.enter(&session);
    assert_eq!(session, again);
    browser.socket.send(Message::binary(vec![0; 8])).unwrap();
    assert_eq!(browser.ended(), "requests are text");
    let (mut browser, _, _) = board.enter(&session);
    for _ in 0..1000 {
        if browser.socket.send(Message::text("{}")).is_err() {
            break;
        }
    }
    browser.ended();
    assert_eq!(board.enter(&session).1, session);
}

#[test]
fn sessions_are_limited_and_idle_ones_make_room() {
    let board = Board::start();
    let (first, name, _) = board.enter("");
    let mut browsers: Vec<_> = (1..64).map(|_| board.enter("").0).collect();
    assert_eq!(board.refusal("/ws", &[]), 503);
    // Those who are in a session can still come back to it.
    assert_eq!(board.enter(&name).1, name);
    browsers.pop().unwrap().socket.close(None).unwrap();
    let patience = Instant::now() + PATIENCE;
    while board.connect("/ws", &[]).is_err() {
        assert!(Instant::now() < patience, "no room");
        thread::sleep(Duration::from_millis(20));
    }
    drop(first);
}

#[test]
fn a_game_outlives_its_connection_and_is_shared_by_browsers() {
    let board = Board::start();
    let (mut browser, session, _) = board.enter("");
    let game = browser.begin("chess");
    browser.play(&game, "e2e4");
    drop(browser);
    let (mut one, same, game) = board.enter(&session);
    assert_eq!(
        (same.as_str(), line(&game).as_str(), &game["last"]),
        (session.as_str(), "e4", &json!("e2e4"))
    );
    let (mut other, _, _) = board.enter(&session);
    one.play(&game, "c7c5");
    assert_eq!(line(&other.until(|game| game["ply"] == 2)), "e4 c5");
}

#[test]
fn every_game_is_played_to_its_end_by_engines() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    for (game, option, players) in [
        ("chess", None, ["1050 Elo", "1300 Elo"]),
        ("neighbours", None, ["1 ply", "2 plies"]),
        ("tucchess", None, ["1 ply", "2 plies"]),
        ("amazons", Some("5x5"), ["1 ply", "2 plies"]),
    ] {
        let fen = (game == "chess").then_some("7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
        browser.send(&json!({"do": "new", "game": game, "option": option, "fen": fen, "players": players}));
        let end = browser.until(|state| state["game"] == game && !state["end"].is_null());
        assert_eq!(end["ply"].as_u64(), Some(end["line"].as_array().unwrap().len() as u64), "{game}");
        assert!(end["moves"].as_array().unwrap().is_empty() && end["thinking"] == false, "{game}");
        browser.send(&json!({"do": "save"}));
        let pgn = browser.next("saved")["pgn"].clone();
        let loaded = browser.game(&json!({"do": "load", "pgn": pgn}));
        assert_eq!((&loaded["fen"], &loaded["end"]), (&end["fen"], &end["end"]), "{game}");
        assert_eq!(loaded["players"], json!(players));
    }
}

#[test]
fn a_person_plays_looks_back_branches_and_takes_back() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let game = browser.game(&json!({"do": "new", "game": "neighbours", "players": ["person", "1 ply"]}));
    assert_eq!(game["moves"].as_array().unwrap().len(), 20);
    browser.play(&game, "e1e3");
    let game = browser.until(|game| game["ply"] == 2);
    assert_eq!(game["thinking"], false);
    // An earlier position, another move there, and an answer to it.
    let first = game["line"][0]["node"].clone();
    let game = browser.game(&json!({"do": "show", "node": 0}));
    assert_eq!(
        (&game["ply"], game["line"].as_array().unwrap().len(), &game["thinking"]),
        (&json!(0), 2, &json!(false))
    );
    browser.play(&game, "d1d3");
    let game = browser.until(|game| game["ply"] == 2);
    assert_eq!(game["line"][0]["others"], json!([{"node": first, "text": "e1e3"}]));
    // Both moves are taken back: it is the turn of the person again.
    let game = browser.game(&json!({"do": "take-back"}));
    assert_eq!((&game["ply"], line(&game)), (&json!(0), String::new()));
    // The engine takes over, and is stopped.
    browser.game(&json!({"do": "pause", "on": true}));
    let game = browser.game(&json!({"do": "players", "players": ["10 s a move", "person"]}));
    assert_eq!((&game["thinking"], &game["paused"]), (&json!(false), &json!(true)));
    let game = browser.game(&json!({"do": "pause", "on": false}));
    assert_eq!(game["thinking"], true);
    assert!(browser.refused(&json!({"do": "play", "node": game["node"], "move": "e1e3"})).contains("turn"));
    let game = browser.game(&json!({"do": "players", "players": ["person", "person"]}));
    assert_eq!((&game["thinking"], &game["ply"]), (&json!(false), &json!(0)));
}

#[test]
fn the_position_on_the_board_is_evaluated() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let fen = "6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1";
    browser.game(&json!({"do": "new", "game": "chess", "fen": fen, "players": ["person", "person"]}));
    browser.game(&json!({"do": "analyse", "on": true}));
    let search = browser.next("search");
    assert_eq!(
        (&search["node"], &search["score"], &search["result"]),
        (&json!(0), &json!("mate -1"), &json!(0.0))
    );
    assert_eq!(search["line"], json!(["Ra1#"]));
}
