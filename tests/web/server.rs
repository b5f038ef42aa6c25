//! The web board over HTTP and WebSocket, as a browser uses it.

use crate::common::engines;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use engines::labrys;
use labrys::arena::lobby::{Hall, Identities, LiveLobby};
use labrys::eval::nnue::{EvalNet, NetEvaluator};
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Game, GameHistory, Knowledge};
use labrys::nets::{Architecture, NetConfig, Parameters};
use labrys::search::{Leaf, LeafEvaluator, NetLeaves};
use labrys::web::{Config, LobbyPage, Server};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, WebSocket};

/// The timeout of a message, after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The default configuration, on a free port.
fn config(listen: &str) -> Config {
    Config {
        listen: listen.parse().unwrap(),
        searches: Some(2),
        engines: Vec::new(),
        state: None,
        folder: None,
        lobby: None,
    }
}

/// A server that runs until the tests end.
pub(super) struct Board {
    pub(super) address: SocketAddr,
    /// The path of the page.
    pub(super) base: String,
}

impl Board {
    fn start() -> Board {
        Board::on("127.0.0.1:0")
    }

    fn on(listen: &str) -> Board {
        Board::with(&config(listen))
    }

    fn with(config: &Config) -> Board {
        let server = Server::bind(config).unwrap();
        let url = server.url();
        let url = url.strip_prefix("http://").unwrap();
        let (address, path) = url.split_once('/').unwrap();
        let base = format!("/{path}");
        let port = address.parse::<SocketAddr>().unwrap().port();
        thread::spawn(move || server.run());
        Board { address: SocketAddr::from(([127, 0, 0, 1], port)), base }
    }

    /// The response to a request with these headers.
    fn http(&self, request: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        write!(stream, "{request} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    pub(super) fn get(&self, path: &str) -> String {
        self.http(&format!("GET {path}"), &format!("Host: {}\r\n", self.address))
    }

    /// The status of the response, and its body.
    fn answer(&self, path: &str) -> (String, String) {
        let response = self.get(path);
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        (head[9..12].to_owned(), body.to_owned())
    }

    /// Opens a WebSocket.
    pub(super) fn connect(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Browser, Box<Error>> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Browser { socket }),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
            Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("the stream blocks"),
        }
    }

    /// The status of a refused WebSocket.
    fn refusal(&self, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        match self.connect(path, headers).err().map(|error| *error) {
            Some(Error::Http(response)) => response.status().as_u16(),
            other => panic!("{other:?}"),
        }
    }

    /// Joins a session. Returns the client, the session's name and the game.
    pub(super) fn enter(&self, session: &str) -> (Browser, String, Value) {
        let mut browser = self.connect(&format!("{}ws?session={session}", self.base), &[]).unwrap();
        let welcome = browser.next("welcome");
        let game = browser.next("game");
        (browser, welcome["session"].as_str().unwrap().to_owned(), game)
    }
}

impl Board {
    /// Opens the link of a seat. Returns the client, its first message and the game.
    pub(super) fn sit(&self, token: &Value) -> (Browser, Value, Value) {
        let path = format!("{}ws?seat={}", self.base, token.as_str().unwrap());
        let mut browser = self.connect(&path, &[]).unwrap();
        let welcome = browser.next("welcome");
        let game = browser.next("game");
        (browser, welcome, game)
    }
}

pub(super) struct Browser {
    socket: WebSocket<TcpStream>,
}

impl Browser {
    /// The next message of a kind.
    pub(super) fn next(&mut self, kind: &str) -> Value {
        // Bounded, as pings keep arriving.
        let end = Instant::now() + TIMEOUT;
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

    pub(super) fn send(&mut self, request: &Value) {
        self.socket.send(Message::text(request.to_string())).unwrap();
    }

    /// Sends a request that changes the game.
    pub(super) fn game(&mut self, request: &Value) -> Value {
        self.send(request);
        self.next("game")
    }

    /// The static evaluation of the current position.
    fn static_eval(&mut self, game: &Value) -> Value {
        self.send(&json!({"do": "static-eval"}));
        let eval = self.next("static-eval");
        assert_eq!((&eval["number"], &eval["node"]), (&game["number"], &game["node"]));
        eval
    }

    /// Sends a request that is refused, and returns the error.
    pub(super) fn refused(&mut self, request: &Value) -> String {
        self.send(request);
        self.next("error")["text"].as_str().unwrap().to_owned()
    }

    /// Starts a game between people.
    /// The reason why a request is refused; empty if the game changes instead.
    pub(super) fn refused_or_done(&mut self, request: &Value) -> String {
        self.send(request);
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                if message["is"] == "error" || message["is"] == "game" {
                    return message["text"].as_str().unwrap_or_default().to_owned();
                }
            }
        }
    }

    pub(super) fn begin(&mut self, game: &str) -> Value {
        self.game(&json!({"do": "new", "game": game, "players": ["person", "person"]}))
    }

    pub(super) fn play(&mut self, game: &Value, mv: &str) -> Value {
        self.game(&json!({"do": "play", "node": game["node"], "move": mv}))
    }

    /// Waits until the game fulfils a condition.
    pub(super) fn until(&mut self, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let game = self.next("game");
            if condition(&game) {
                return game;
            }
        }
    }

    /// Waits until the connection is closed, and returns the reason, if any.
    pub(super) fn ended(&mut self) -> String {
        let end = Instant::now() + TIMEOUT;
        loop {
            assert!(Instant::now() < end, "the connection is not closed");
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

/// The moves of the line, joined.
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
    // The policy forbids inline scripts.
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
fn people_beyond_loopback_need_the_token_of_the_lobby() {
    let identities = Identities::without_file();
    let hall = Hall::new(&["chess"], identities, Vec::new()).with_people(true);
    let page = LobbyPage { live: Arc::new(LiveLobby::new("chess")), hall: Arc::new(hall) };
    let board = Board::with(&Config { lobby: Some(Arc::new(page)), ..config("0.0.0.0:0") });
    for path in ["/lobby", "/lobby.json", "/games.json"] {
        assert!(board.get(path).starts_with("HTTP/1.1 404"), "{path}");
        let own = format!("{}{}", board.base, &path[1..]);
        assert!(board.get(&own).starts_with("HTTP/1.1 200"), "{own}");
    }
    assert_eq!(board.refusal("/seat", &[]), 404);
    let path = format!("{}seat", board.base);
    assert_eq!(board.refusal(&path, &[("origin", "http://evil.example")]), 403);
    let refusal = |greeting: &Value| {
        let mut browser = board.connect(&path, &[]).unwrap();
        let text = browser.refused(greeting);
        assert_eq!(browser.ended(), "refused");
        text
    };
    let mut ada = board.connect(&path, &[]).unwrap();
    ada.send(&json!({"name": "ada", "token": "own-token"}));
    assert_eq!(ada.next("seat")["game"], Value::Null);
    for (greeting, reason) in [
        (json!({"name": "ada", "token": "other-token"}), "the token is not that of `ada`"),
        (json!({"name": "\u{1b}[2J", "token": "own-token"}), "name `\\u{1b}[2J`: expected"),
        (json!({"name": "bob", "token": "short"}), "token: expected"),
        (json!({"name": "bob"}), "missing field `token`"),
        (json!({"do": "play"}), "invalid greeting"),
    ] {
        assert!(refusal(&greeting).contains(reason), "{greeting}");
    }
    assert!(ada.refused(&json!({"do": "resign", "id": 7})).contains("you do not play game 7"));
    assert!(ada.refused(&json!({"do": "win"})).contains("invalid request"));
}

#[test]
fn games_of_the_folder_are_searched_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[White \"Ada\"]\n[Date \"2026.11.03\"]\n\n1. e4 e5 1-0\n\n[White \"Bob\"]\n\n1. d4 *\n";
    std::fs::write(folder.path().join("games.pgn"), text).unwrap();
    let board = Board::with(&Config { folder: Some(folder.path().to_owned()), ..config("127.0.0.1:0") });
    let get = |path: &str| board.answer(path);
    let (status, found) = get("/search.json?player=ada&moves=1.%20e4&date=2026");
    let found: Value = serde_json::from_str(&found).unwrap();
    let hit = json!({
        "file": "games.pgn", "game": 0, "players": ["Ada", "?"], "result": "1-0", "date": "2026.11.03", "plies": 2
    });
    assert_eq!((status.as_str(), found), ("200", json!({"hits": [hit], "is-cut": false, "unreadable": 0})));
    let (status, pgn) = get("/search.pgn?result=*");
    assert!(status == "200" && pgn.contains("[White \"Bob\"]") && !pgn.contains("Ada"), "{pgn}");
    for (query, problem) in [("plyer=x", "unknown field `plyer`"), ("date=x", "date `x`: expected YYYY")] {
        let (status, text) = get(&format!("/search.json?{query}"));
        assert!(status == "400" && text.contains(problem), "{text}");
    }
    assert!(Board::start().get("/search.json?player=x").starts_with("HTTP/1.1 404"));
}

#[test]
fn positions_are_inspected() {
    let board = Board::start();
    let page = board.get("/inspect?variant=tucchess");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("src=\"inspect.js\""), "{page}");
    for file in ["/inspect.js", "/inspect.css"] {
        assert!(board.get(file).starts_with("HTTP/1.1 200"), "{file}");
    }
    let get = |query: &str| board.answer(&format!("/inspect.json?{query}"));
    let (status, text) = get("variant=amazons&option=6x6&depth=1");
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(status, "200", "{data}");
    assert_eq!(data["appearance"]["title"], "Amazons");
    let inspection = &data["inspection"];
    assert_eq!((&inspection["depth"], &inspection["complete"]), (&json!(1), &json!(true)));
    assert!(inspection["positions"][0]["fen"].as_str().unwrap().split('/').count() == 6, "{inspection}");
    for (query, problem) in [
        ("depth=0", "depth `0`: expected 1 to 10\n"),
        ("plies=3", "unknown field `plies`, expected one of: variant"),
        ("variant=chess&fen=8/8", "fen: "),
    ] {
        let (status, text) = get(query);
        assert!(status == "400" && text.contains(problem), "{query}: {text}");
    }
    let (_, text) = get(&"fen=7k/5KQ1/8/8/8/8/8/8 b - - 0 1".replace(' ', "+"));
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(data["inspection"]["positions"][0]["outcome"], "White wins: checkmate", "{data}");
    let long = |method: &str| {
        let mut stream = TcpStream::connect(board.address).unwrap();
        let path = "/inspect.json?depth=10&reference=nodes=1000000";
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {}\r\n\r\n", board.address).unwrap();
        stream
    };
    let mut head = [0; 12];
    long("HEAD").read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200", "the head does not need an inspection");
    // They would take until their deadline, which is later than that of the test, and end with their requests.
    let mut waiting: Vec<_> = (0..8).map(|_| long("GET")).collect();
    for stream in &mut waiting {
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        assert!(stream.read(&mut [0]).is_err(), "it takes long");
    }
    long("GET").read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 503", "eight are enough");
    drop(waiting);
    let answered = (0..100).find_map(|_| {
        thread::sleep(Duration::from_millis(50));
        Some(get("variant=neighbours&depth=1").0).filter(|status| status == "200")
    });
    assert!(answered.is_some(), "all have ended");
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
        (json!({"do": "new", "game": "amazons", "option": "9x2", "players": ["person", "person"]}), "9x2"),
        (
            json!({"do": "new", "game": "neighbours", "option": "8x8", "players": ["person", "person"]}),
            "option",
        ),
        (json!({"do": "players", "players": ["person", "cmd=/bin/sh"]}), "cmd=/bin/sh"),
        (json!({"do": "load", "pgn": "1. e5 *"}), "e5"),
        (json!({"do": "load", "pgn": "{a comment}"}), "no game"),
        (json!({"do": "load", "pgn": "1. e4 *", "game": 1}), "no game 1"),
        (json!({"do": "choose", "game": 0}), "no games to choose from"),
        (json!({"do": "annotate", "node": 7, "comment": "x"}), "no position 7"),
        (json!({"do": "annotate", "node": node, "glyphs": [1]}), "not to the start position"),
        (json!({"do": "annotate", "node": node, "comment": "x".repeat(4001)}), "at most 4000 letters"),
        (json!({"do": "promote", "node": node}), "already the mainline"),
        (json!({"do": "delete", "node": 7}), "no position 7"),
        (json!({"do": "record", "tags": {"White": "Ann", "FEN": "x"}}), "from the game itself"),
        (json!({"do": "record", "tags": {"Result": "2-0"}}), "the result `2-0`"),
        (json!({"do": "try", "node": node, "move": "e2e4"}), "not been reviewed"),
        (json!({"do": "replay", "file": "x"}), "missing field `game`"),
        (json!({"do": "run", "cmd": "sh"}), "invalid request"),
        (json!([[[[]]]]), "invalid request"),
    ] {
        let error = browser.refused(&request);
        assert!(error.contains(reason), "{request}: {error}");
    }
    browser.socket.send(Message::text("{\"do\":")).unwrap();
    assert!(browser.next("error")["text"].as_str().unwrap().contains("invalid request"));
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
    // Existing sessions can still be joined.
    assert_eq!(board.enter(&name).1, name);
    browsers.pop().unwrap().socket.close(None).unwrap();
    let end = Instant::now() + TIMEOUT;
    while board.connect("/ws", &[]).is_err() {
        assert!(Instant::now() < end, "no room");
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
fn two_players_and_a_spectator_have_links_of_their_own() {
    let board = Board::start();
    let (mut owner, session, _) = board.enter("");
    owner.begin("chess");
    owner.send(&json!({"do": "seats", "on": true}));
    let links = owner.next("seats");
    let (mut white, welcome, game) = board.sit(&links["white"]);
    assert_eq!(
        (&welcome["role"], &welcome["session"]),
        (&json!("white"), &Value::Null),
        "the name of the session is secret"
    );
    let (mut black, welcome, _) = board.sit(&links["black"]);
    assert_eq!((&welcome["role"], &welcome["folder"]), (&json!("black"), &json!(false)));
    let (mut spectator, welcome, _) = board.sit(&links["spectators"]);
    assert_eq!(welcome["role"], "spectator");
    let all_here = json!({"white": true, "black": true, "spectators": 1});
    owner.until(|game| game["seats"] == all_here);
    let play = |game: &Value, mv: &str| json!({"do": "play", "node": game["node"], "move": mv});
    assert!(black.refused(&play(&game, "e2e4")).contains("White is to move"));
    assert!(spectator.refused(&play(&game, "e2e4")).contains("only watch"));
    assert!(owner.refused(&play(&game, "e2e4")).contains("only the players"));
    for request in [
        json!({"do": "static-eval"}),
        json!({"do": "explore", "pgn": "1. e4 *"}),
        json!({"do": "files"}),
        json!({"do": "seats", "on": false}),
    ] {
        for browser in [&mut spectator, &mut white] {
            let error = browser.refused(&request);
            assert!(error.contains("can only"), "{request}: {error}");
        }
    }
    assert_eq!(line(&white.play(&game, "e2e4")), "e4");
    let game = black.until(|game| game["ply"] == 1);
    black.play(&game, "e7e5");
    spectator.until(|game| game["ply"] == 2);
    // A lost connection keeps its seat, and everyone sees that it is lost.
    drop(black);
    owner.until(|game| game["seats"]["black"] == false);
    let (mut black, _, game) = board.sit(&links["black"]);
    assert_eq!(line(&game), "e4 e5");
    black.game(&json!({"do": "resign"}));
    white.until(|game| game["end"]["text"] == "White wins: Black resigns");
    white.game(&json!({"do": "rematch"}));
    black.until(|game| game["rematch"] == "white");
    black.send(&json!({"do": "rematch"}));
    assert_eq!([white.next("role")["role"].clone(), black.next("role")["role"].clone()], ["black", "white"]);
    let game = black.until(|game| game["ply"] == 0);
    black.play(&game, "d2d4");
    // Closing the seats disconnects their holders.
    owner.game(&json!({"do": "seats", "on": false}));
    for mut browser in [white, black, spectator] {
        assert_eq!(browser.ended(), "this link is invalid or has been closed");
    }
    let path = |token: &str| format!("{}ws?seat={token}", board.base);
    for token in [links["white"].as_str().unwrap(), "", "guess", &session] {
        assert_eq!(
            board.connect(&path(token), &[]).unwrap().ended(),
            "this link is invalid or has been closed"
        );
    }
    let game = board.enter(&session).2;
    assert_eq!((line(&game).as_str(), &game["seats"]), ("d4", &Value::Null));
}

#[test]
fn every_game_is_played_to_its_end_by_engines() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    for (game, option, players) in [
        ("chess", None, ["1650 Elo", "2050 Elo"]),
        ("neighbours", None, ["280 Elo", "1550 Elo"]),
        ("tucchess", None, ["320 Elo", "1150 Elo"]),
        ("amazons", Some("5x5"), ["420 Elo", "850 Elo"]),
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
    let game = browser.game(&json!({"do": "new", "game": "neighbours", "players": ["person", "280 Elo"]}));
    assert_eq!(game["moves"].as_array().unwrap().len(), 20);
    browser.play(&game, "e1e3");
    let game = browser.until(|game| game["ply"] == 2);
    assert_eq!(game["thinking"], false);
    // Another move in an earlier position, and the reply.
    let first = game["line"][0]["node"].clone();
    let game = browser.game(&json!({"do": "show", "node": 0}));
    assert_eq!(
        (&game["ply"], game["line"].as_array().unwrap().len(), &game["thinking"]),
        (&json!(0), 2, &json!(false))
    );
    browser.play(&game, "d1d3");
    let game = browser.until(|game| game["ply"] == 2);
    // The other line remains as a variation.
    let begin: Vec<_> = list(&game["tree"]).iter().filter(|mv| mv["parent"] == 0).collect();
    assert_eq!(
        (&begin[0]["move"], &begin[1]["move"], &begin[1]["node"]),
        (&json!("d1d3"), &json!("e1e3"), &first)
    );
    // Both moves are taken back, so that the person is to move.
    let game = browser.game(&json!({"do": "take-back"}));
    assert_eq!((&game["ply"], line(&game)), (&json!(0), String::new()));
    // The engine takes over, and is stopped.
    browser.game(&json!({"do": "pause", "on": true}));
    let game = browser.game(&json!({"do": "players", "players": ["10 s a move", "person"]}));
    assert_eq!((&game["thinking"], &game["paused"]), (&json!(false), &json!(true)));
    let game = browser.game(&json!({"do": "pause", "on": false}));
    assert_eq!(game["thinking"], true);
    assert!(
        browser
            .refused(&json!({"do": "play", "node": game["node"], "move": "e1e3"}))
            .contains("engine is to move")
    );
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
    let best = &search["lines"][0];
    assert_eq!(
        (&search["node"], &best["score"], &best["result"]),
        (&json!(0), &json!("mate -1"), &json!(0.0))
    );
    assert_eq!((&best["move"], &best["line"]), (&json!("a2a1"), &json!(["Ra1#"])));
}

/// `labrys serve` in a process of its own.
struct Process {
    process: Child,
    board: Board,
}

impl Process {
    fn start(arguments: &[&str]) -> Process {
        let mut process = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("the board is at http://").unwrap().trim_end_matches('/');
        let board = Board { address: address.parse().unwrap(), base: "/".to_owned() };
        Process { process, board }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_page_is_opened_with_its_token_by_an_address_of_this_machine() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (browser, opened) = (folder.path().join("xdg-open"), folder.path().join("opened"));
    // Files are renamed into place when complete.
    let script = format!("#!/bin/sh\necho \"$1\" > {0}.new && mv {0}.new {0}\n", opened.display());
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    for (bind, local, slashes) in [("127.0.0.1", "127.0.0.1", 3), ("0.0.0.0", "127.0.0.1", 4)] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(["serve", "--port", "0", "--open", "--bind", bind])
            .env("PATH", &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        wait_for(|| opened.exists());
        let url = std::fs::read_to_string(&opened).unwrap();
        std::fs::remove_file(&opened).unwrap();
        let _ = process.kill();
        let _ = process.wait();
        let printed = line.strip_prefix("the board is at ").unwrap();
        assert_eq!(url, printed.replace(bind, local));
        assert_eq!(url.matches('/').count(), slashes, "{url}");
    }
}

/// Waits until a condition holds.
pub(super) fn wait_for(mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < end, "it does not come about");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn sessions_survive_a_server_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--state", folder.path().to_str().unwrap()];
    let server = Process::start(&arguments);
    let (mut browser, session, _) = server.board.enter("");
    let clock = json!({"minutes": 5, "increment": 2});
    let players = ["person", "280 Elo"];
    browser.game(&json!({"do": "new", "game": "neighbours", "players": players, "clock": clock}));
    browser.send(&json!({"do": "seats", "on": true}));
    let links = browser.next("seats");
    let (mut player, _, game) = server.board.sit(&links["white"]);
    player.play(&game, "e1e3");
    let game = browser.until(|game| game["ply"] == 2);
    let saved = folder.path().join(format!("{session}.json"));
    wait_for(|| std::fs::read_to_string(&saved).is_ok_and(|text| text.matches("\"move\"").count() == 3));
    drop(server);
    // Files that are not sessions are ignored, and take no place of those that are.
    for number in 0..64 {
        std::fs::write(folder.path().join(format!("{number:032x}.json")), "{").unwrap();
    }
    let server = Process::start(&arguments);
    let (mut browser, same, again) = server.board.enter(&session);
    assert_eq!((same, &again["fen"], &again["players"]), (session, &game["fen"], &game["players"]));
    assert_eq!(again["clock"]["text"], "5+2");
    let (mut player, _, again) = server.board.sit(&links["white"]);
    player.play(&again, again["moves"][0].as_str().unwrap());
    browser.until(|game| game["ply"] == 4);
    drop(server);
    // What seems to be old is not deleted in silence: the clock may be wrong.
    let file = std::fs::File::options().write(true).open(&saved).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(31 * 24 * 3600)).unwrap();
    let mut process = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["serve", "--port", "0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    process.kill().unwrap();
    let log = String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap();
    assert!(log.contains("deleted 1 session without changes for 30 days") && !saved.exists(), "{log}");
}

#[test]
fn engines_of_the_command_line_are_chosen_by_name() {
    let mut listener = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["uci", "--listen", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(listener.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let tcp = format!("tcp={}", line.trim().strip_prefix("listening on ").unwrap());
    let program = format!("cmd={}", env!("CARGO_BIN_EXE_labrys"));
    let mut arguments = vec!["--engine", "name=far", &tcp, "nodes=50"];
    arguments.extend(["--engine", "name=near", &program, "option.Hash=1", "nodes=50"]);
    arguments.extend(["--engine", "name=own", "option.Hash=1", "nodes=50"]);
    arguments.extend(["--engine", "name=gone", "cmd=/nowhere/engine"]);
    let server = Process::start(&arguments);
    let mut browser = server.board.connect("/ws", &[]).unwrap();
    let mut welcome = browser.next("welcome");
    assert_eq!(welcome["engines"], json!(["far", "near", "own", "gone"]));
    assert!(welcome["analysts"].as_array().unwrap().contains(&json!("own")));
    // An engine that is slow to announce its games is offered in all until then.
    let end = Instant::now() + TIMEOUT;
    while welcome["missing"] != json!(["gone"]) {
        assert!(Instant::now() < end, "{welcome}");
        thread::sleep(Duration::from_millis(200));
        browser = server.board.connect("/ws", &[]).unwrap();
        welcome = browser.next("welcome");
    }
    let offered = welcome["games"][0]["engines"].as_array().unwrap();
    assert!(offered.contains(&json!("own")) && !offered.contains(&json!("gone")), "{welcome}");
    assert!(!welcome.to_string().contains("nowhere"), "commands are no business of a browser");
    for players in [["far", "near"], ["own", "far"]] {
        browser.send(&json!({"do": "new", "game": "tucchess", "players": players}));
        // Engines are fast, and browsers may only receive the latest position.
        browser.until(|game| game["players"] == json!(players) && game["ply"].as_u64() >= Some(4));
        browser.send(&json!({"do": "pause", "on": true}));
        browser.until(|game| game["paused"] == true);
    }
    browser.send(&json!({"do": "new", "game": "chess", "players": ["gone", "person"]}));
    let game = browser.until(|game| !game["problem"].is_null());
    assert!(game["problem"].as_str().unwrap().contains("cannot start `/nowhere/engine`"), "{game}");
    assert_eq!((&game["paused"], &game["ply"]), (&json!(true), &json!(0)));
    for name in ["cmd=sh", "far ", "tcp=127.0.0.1:1"] {
        let error = browser.refused(&json!({"do": "players", "players": ["person", name]}));
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
    let _ = listener.kill();
    let _ = listener.wait();
}

#[test]
fn an_engine_is_started_once_to_learn_what_it_plays() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let script = format!(
        "echo start >> {}; while read line; do case \"$line\" in uci) \
         echo option name UCI_Variant type combo default chess var chess var amazons var ludo; echo uciok;; \
         isready) echo readyok;; quit) exit;; esac; done",
        starts.display()
    );
    let script = format!("arg={script}");
    let server = Process::start(&["--engine", "name=shell", "cmd=sh", "arg=-c", &script, "nodes=1"]);
    let end = Instant::now() + TIMEOUT;
    let offered = |welcome: &Value| {
        let games = welcome["games"].as_array().unwrap().iter();
        let games = games.filter(|game| !game["engines"].as_array().unwrap().is_empty());
        games.map(|game| game["game"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    while offered(&server.board.connect("/ws", &[]).unwrap().next("welcome")) != ["chess", "amazons"] {
        assert!(Instant::now() < end, "the engine is not known");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "start\n");
}

#[test]
fn engines_that_the_board_cannot_have_are_refused_at_the_start() {
    for (engine, reason) in [
        (&["name=person"][..], "the name `person` is that of another player"),
        (&["name=1550 Elo"], "the name `1550 Elo`"),
        (&["tc=10"], "tc is not supported"),
        (&["proto=tuc", "port=9876"], "no clients over UDP"),
        (&["name=far", "proto=tuc"], "no clients over UDP"),
        (&["ndoes=1"], "unknown key `ndoes`"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        let output = command.args(["serve", "--port", "0", "--engine"]).args(engine).output();
        let error = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(error.contains(reason), "{engine:?}: {error}");
    }
}

#[test]
fn the_clock_runs_and_its_end_is_a_loss() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let clock = json!({"minutes": 0.005, "increment": 0});
    let request = json!({"do": "new", "game": "chess", "players": ["person", "person"], "clock": clock});
    let game = browser.game(&request);
    assert_eq!((&game["clock"]["left"], &game["clock"]["running"]), (&json!([300, 300]), &json!(false)));
    let game = browser.play(&game, "e2e4");
    assert_eq!(game["clock"]["running"], true);
    let game = browser.until(|game| !game["end"].is_null());
    assert_eq!(game["end"], json!({"winner": "white", "text": "White wins: time is over"}));
    assert_eq!(game["clock"]["left"][1], 0);
    browser.send(&json!({"do": "save"}));
    let pgn = browser.next("saved")["pgn"].as_str().unwrap().to_owned();
    assert!(pgn.contains("[Termination \"time forfeit\"]") && pgn.contains("1-0"), "{pgn}");
    for clock in [json!({"minutes": -1, "increment": 0}), json!({"minutes": 0, "increment": 0})] {
        let request = json!({"do": "new", "game": "chess", "players": ["person", "person"], "clock": clock});
        assert!(browser.refused(&request).contains("a clock has"));
    }
    // An engine keeps to its clock, which has less time than its limit.
    let clock = json!({"minutes": 0.1, "increment": 0.2});
    let players = ["10 s a move", "10 s a move"];
    browser.send(&json!({"do": "new", "game": "tucchess", "players": players, "clock": clock}));
    let game = browser.until(|game| game["ply"].as_u64() >= Some(12));
    assert_eq!(game["end"], Value::Null);
}

#[test]
fn a_game_begins_with_random_moves() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let request = |opening: i64| {
        let players = ["person", "person"];
        json!({"do": "new", "game": "tucchess", "players": players, "opening": opening})
    };
    let game = browser.game(&request(6));
    assert_eq!((&game["ply"], &game["end"]), (&json!(6), &Value::Null));
    let other = browser.game(&request(6));
    assert_ne!(game["line"], other["line"]);
    assert_eq!(browser.game(&request(0))["ply"], 0);
    assert!(browser.refused(&request(21)).contains("up to 20 random moves"));
    let mut both = request(2);
    both["fen"] = other["fen"].clone();
    assert!(browser.refused(&both).contains("from the start position"));
}

#[test]
fn engines_are_stepped_and_questions_answered() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    browser.game(&json!({"do": "pause", "on": true}));
    let game = browser.game(&json!({"do": "new", "game": "neighbours", "players": ["person", "person"]}));
    assert_eq!(game["paused"], false);
    assert!(browser.refused(&json!({"do": "step"})).contains("no engine"));
    browser.game(&json!({"do": "pause", "on": true}));
    browser.game(&json!({"do": "players", "players": ["1550 Elo", "1550 Elo"]}));
    for ply in 1..4 {
        browser.send(&json!({"do": "step"}));
        let game = browser.until(|game| game["ply"] == ply && game["thinking"] == false);
        assert_eq!(game["paused"], true);
    }
    let game = browser.game(&json!({"do": "players", "players": ["person", "person"]}));
    browser.send(&json!({"do": "ask", "node": game["node"]}));
    let hint = browser.until(|game| !game["answer"].is_null())["answer"].clone();
    assert!(game["moves"].as_array().unwrap().contains(&hint["move"]), "{hint}");
    let mv = &game["moves"][3];
    browser.send(&json!({"do": "ask", "node": game["node"], "move": mv}));
    let answer = browser.until(|game| game["answer"]["about"] == *mv)["answer"].clone();
    assert_eq!((&answer["move"], &answer["node"]), (mv, &game["node"]));
    assert!(browser.refused(&json!({"do": "ask", "node": game["node"], "move": "a9a9"})).contains("a9a9"));
}

#[test]
fn positions_are_analysed_in_lines_with_visits_and_features() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    browser.begin("amazons");
    browser.game(&json!({"do": "analyse", "on": true, "lines": 3}));
    let lines = |search: &Value| search["lines"].as_array().unwrap().clone();
    let mut search = browser.next("search");
    while lines(&search).len() < 3 {
        search = browser.next("search");
    }
    let moves: std::collections::HashSet<_> =
        lines(&search).iter().map(|line| line["move"].to_string()).collect();
    assert_eq!(moves.len(), 3);
    let game = browser.game(&json!({"do": "analyse", "on": true, "lines": 2, "analyst": "Labrys, MCTS"}));
    assert_eq!((&game["lines"], &game["analyst"]), (&json!(2), &json!("Labrys, MCTS")));
    let search = {
        let mut search = browser.next("search");
        while search["lines"][0]["visits"].is_null() {
            search = browser.next("search");
        }
        search
    };
    let share = search["lines"][0]["visits"][0].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share), "{search}");
    assert!(browser.refused(&json!({"do": "analyse", "on": true, "lines": 6})).contains("lines"));
    assert!(browser.refused(&json!({"do": "analyse", "on": true, "analyst": "x"})).contains("`x`"));
    let game = browser.game(&json!({"do": "analyse", "on": false}));
    let static_eval = browser.static_eval(&game);
    let features = &static_eval["features"];
    let sum: f64 = rows(features).iter().map(|row| row[3].as_f64().unwrap()).sum();
    assert!((sum - features["sum"].as_f64().unwrap()).abs() < 1e-6, "{features}");
}

/// The rows of a table.
fn rows(table: &Value) -> &[Value] {
    list(&table["rows"])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn a_policy_value_net_shows_its_value_and_its_priors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let architecture = Architecture::Residual { channels: 8, blocks: 1, hidden: 8 };
    let net = NetConfig { shape: Chess::start().encoding_shape(), architecture };
    labrys::learn::save_parameters(&Parameters::random::<Chess>(net, 1).unwrap(), &path).unwrap();
    let file = format!("NetFile={}", path.display());
    let options = ["SearchMode=mcts", "Selection=puct", &file];
    let engines = labrys(&[("net", &options), ("unused", &options[1..])]);
    let board = Board::with(&Config { engines, ..config("127.0.0.1:0") });
    let (mut browser, _, _) = board.enter("");
    browser.begin("chess");
    let mut game = browser.game(&json!({"do": "analyse", "on": false, "analyst": "net"}));
    let (mut position, mut history) = (Chess::start(), GameHistory::new());
    for mv in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        game = browser.play(&game, mv);
        history.push(&position);
        position.play(position.parse_move(mv).unwrap());
    }
    let moves = position.moves();
    let occurrences = history.occurrences(&position);
    assert_eq!(occurrences, 2, "a net sees repetitions");
    let mut leaves = [Leaf { position, occurrences, moves, priors: Vec::new(), value: 0.0 }];
    NetLeaves::load::<Chess>(&path).unwrap().evaluate_leaves(&mut leaves, &mut || false);
    let [Leaf { position, moves, priors, value, .. }] = leaves;
    let policy = browser.static_eval(&game)["policy"].clone();
    assert_eq!(policy["value"].as_f64(), Some(value));
    assert_eq!(rows(&policy).len(), 20);
    for (mv, prior) in moves.iter().zip(priors) {
        let row = rows(&policy).iter().find(|row| row[0] == position.move_text(*mv)).unwrap();
        assert_eq!((row[1].as_str(), row[2].as_f64().unwrap() as f32), (Some(&*position.san(*mv)), prior));
    }
    let priors: Vec<_> = rows(&policy).iter().map(|row| row[2].as_f64().unwrap()).collect();
    assert!((priors.iter().sum::<f64>() - 1.0).abs() < 1e-5 && priors.is_sorted_by(|a, b| a >= b));
    // Another position has another one; none if the net is not used, or in another game.
    let game = browser.game(&json!({"do": "show", "node": 0}));
    assert_ne!(browser.static_eval(&game)["policy"], policy);
    let game = browser.game(&json!({"do": "analyse", "on": false, "analyst": "unused"}));
    let eval = browser.static_eval(&game);
    assert!(eval["policy"].is_null() && !eval["inputs"].is_null(), "{eval}");
    browser.game(&json!({"do": "analyse", "on": false, "analyst": "net"}));
    let game = browser.begin("amazons");
    let problem = browser.static_eval(&game)["problem"].clone();
    assert!(problem.as_str().is_some_and(|problem| problem.starts_with("option NetFile: ")), "{problem}");
}

#[test]
fn an_evaluation_net_shows_what_each_piece_contributes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    labrys::learn::save_eval_net::<Neighbours>(&EvalNet::random(&Neighbours::start(), 16, 1, 9), &path)
        .unwrap();
    let file = format!("EvalFile={}", path.display());
    let engines = labrys(&[("net", &[&file]), ("linear", &[&file, "Evaluation=linear"])]);
    let board = Board::with(&Config { engines, ..config("127.0.0.1:0") });
    let (mut browser, _, _) = board.enter("");
    let game = browser.begin("neighbours");
    let game = browser.play(&game, "e1e3");
    browser.game(&json!({"do": "analyse", "on": false, "analyst": "net"}));
    let eval = browser.static_eval(&game);
    let mut position = Neighbours::start();
    position.play(position.parse_move("e1e3").unwrap());
    let breakdown = NetEvaluator::new(EvalNet::load::<Neighbours>(&path).unwrap()).breakdown(&position);
    let inputs = breakdown.inputs.iter().map(|input| json!([input.name, input.contribution]));
    assert_eq!(eval["inputs"], json!({"value": breakdown.value, "rows": inputs.collect::<Vec<_>>()}));
    assert!(rows(&eval["inputs"]).iter().any(|row| row[0] == "P e3"));
    let game = browser.game(&json!({"do": "analyse", "on": false, "analyst": "linear"}));
    let eval = browser.static_eval(&game);
    assert!(eval["inputs"].is_null() && !eval["features"].is_null(), "it is not in use: {eval}");
}

#[test]
fn a_game_is_evaluated_from_its_start_to_its_end() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    browser.game(&json!({"do": "load", "pgn": "1. f3 e5 2. g4 Qh4# 0-1"}));
    browser.game(&json!({"do": "show", "node": 0}));
    browser.send(&json!({"do": "review"}));
    let all_known = |game: &Value| list(&game["line"]).iter().all(|mv| !mv["review"].is_null());
    let game = browser.until(|game| all_known(game) && game["reviewing"] == false);
    assert_eq!((&game["review"]["known"], &game["review"]["analyst"]), (&json!(5), &json!("Labrys")));
    let blunder = &game["line"][2]["review"];
    assert_eq!((&blunder["mark"], &game["tree"][2]["mark"]), (&json!("??"), &json!("??")));
    assert_eq!(game["line"][3]["review"]["result"], 0.0);
    assert!(blunder["result"].as_f64().unwrap() < 0.1 && blunder["loss"].as_f64().unwrap() > 0.15, "{game}");
    let [white, black] = [0, 1].map(|player| game["review"]["players"][player].clone());
    assert_eq!((&white["marks"][2], &black["marks"]), (&json!(1), &json!([0, 0, 0])));
    assert!(white["accuracy"].as_f64() < black["accuracy"].as_f64(), "{game}");
    // The better move is right, the game's is wrong, another one is searched.
    let before = &game["line"][1]["node"];
    browser.game(&json!({"do": "show", "node": before}));
    for (mv, is_right) in
        [(blunder["better"]["move"].as_str().unwrap(), true), ("g2g4", false), ("e2e4", true)]
    {
        browser.send(&json!({"do": "try", "node": before, "move": mv}));
        let judged =
            browser.until(|game| game["answer"]["about"] == mv && !game["answer"]["verdict"].is_null());
        assert_eq!(judged["answer"]["verdict"] != "wrong", is_right, "{mv}: {}", judged["answer"]);
    }
    browser.send(&json!({"do": "save", "annotated": true}));
    let pgn = browser.next("saved")["pgn"].as_str().unwrap().replace('\n', " ");
    assert!(pgn.contains("2. g4 $4 {[%eval #-1]} ( 2. ") && pgn.contains("[Annotator \"Labrys\"]"), "{pgn}");
    // Another analyst restarts the review.
    browser.game(&json!({"do": "analyse", "on": false, "analyst": "Labrys, MCTS"}));
    browser.send(&json!({"do": "review"}));
    let begun = browser.until(|game| game["review"]["analyst"] == "Labrys, MCTS");
    assert_eq!(begun["review"]["known"], 1, "only the end of the game is known");
    browser.game(&json!({"do": "review", "on": false}));
}

#[test]
fn a_record_is_edited_and_games_of_a_text_are_chosen() {
    let board = Board::start();
    let (mut browser, _, _) = board.enter("");
    let pgn = "[White \"Ann\"]\n\n1. e4 {well} e5 ( 1... c5 2. Nf3 ) 1-0\n\n[White \"Bob\"]\n\n1. d5 *\n\n\
               [White \"Cid\"]\n\n1. d4 *";
    let game = browser.game(&json!({"do": "load", "pgn": pgn}));
    let names: Vec<_> = list(&game["games"]["list"]).iter().map(|game| game["players"][0].clone()).collect();
    assert_eq!(
        (&names[..], &game["games"]["chosen"]),
        (&["Ann", "Bob", "Cid"].map(Value::from)[..], &json!(0))
    );
    assert_eq!((&game["record"]["result"], &game["tree"][0]["comment"]), (&json!("1-0"), &json!("well")));
    let other = list(&game["tree"]).iter().find(|mv| mv["text"] == "c5").unwrap()["node"].clone();
    browser.game(&json!({"do": "annotate", "node": other, "comment": "better", "glyphs": [1]}));
    browser.game(&json!({"do": "promote", "node": other}));
    browser.game(&json!({"do": "record", "tags": {"White": "Anna", "Result": "*"}}));
    // Edits are kept when switching between games.
    assert!(browser.refused(&json!({"do": "choose", "game": 1})).contains("d5"));
    let game = browser.game(&json!({"do": "choose", "game": 2}));
    assert_eq!((line(&game), &game["games"]["list"][0]["players"][0]), ("d4".to_owned(), &json!("Anna")));
    let game = browser.game(&json!({"do": "choose", "game": 0}));
    assert_eq!((line(&game), &game["record"]["names"][0]), ("e4 c5 Nf3".to_owned(), &json!("Anna")));
    browser.send(&json!({"do": "save", "all": true}));
    let pgn = browser.next("saved")["pgn"].as_str().unwrap().replace('\n', " ");
    for part in ["[White \"Anna\"]", "1. e4 {well} c5 $1 {better} ( 1... e5 ) 2. Nf3 *", "[White \"Cid\"]"] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    let other = list(&game["tree"]).iter().find(|mv| mv["text"] == "e5").unwrap()["node"].clone();
    let game = browser.game(&json!({"do": "delete", "node": other}));
    assert_eq!(list(&game["tree"]).len(), 3);
}

#[test]
fn the_folder_of_a_match_is_shown_live() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("run")).unwrap();
    std::fs::write(path("games.pgn"), "[White \"a\"]\n\n1. e4 1-0\n\n1. d4 d5 *\n").unwrap();
    std::fs::write(path("run/curve.csv"), "moves,change\n1,0.5\n").unwrap();
    std::fs::write(path("run/a b.svg"), "<svg/>").unwrap();
    let board = Board::with(&Config { folder: Some(folder.path().to_owned()), ..config("127.0.0.1:0") });
    let mut browser = board.connect("/ws", &[]).unwrap();
    assert_eq!(browser.next("welcome")["folder"], true);
    browser.send(&json!({"do": "files"}));
    let files = browser.next("files")["files"].clone();
    let names: Vec<_> = files.as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
    assert_eq!(names, ["games.pgn", "run/a b.svg", "run/curve.csv"]);
    browser.send(&json!({"do": "open", "file": "games.pgn"}));
    let games = browser.next("file")["content"]["games"].clone();
    assert_eq!((&games[0]["players"][0], &games[1]["plies"]), (&json!("a"), &json!(2)));
    browser.send(&json!({"do": "replay", "file": "games.pgn", "game": 1}));
    assert_eq!(line(&browser.until(|game| game["number"] == 1)), "d4 d5");
    let refused = browser.refused(&json!({"do": "replay", "file": "games.pgn"}));
    assert!(refused.contains("missing field `game`"), "{refused}");
    // A growing table.
    browser.send(&json!({"do": "open", "file": "run/curve.csv"}));
    assert_eq!(browser.next("file")["content"]["table"]["rows"], json!([[1.0, 0.5]]));
    std::fs::write(path("run/curve.csv"), "moves,change\n1,0.5\n2,0.25\n").unwrap();
    assert_eq!(browser.next("file")["content"]["table"]["rows"], json!([[1.0, 0.5], [2.0, 0.25]]));
    let chart = board.get("/chart?name=run%2Fa%20b.svg");
    assert!(chart.contains("content-type: image/svg+xml") && chart.ends_with("<svg/>"), "{chart}");
    for name in ["..%2Fsecret.svg", "%2Fetc%2Fpasswd", "run%2F..%2Frun%2Fa%20b.svg", "games.pgn", "", "%00"] {
        let answer = board.get(&format!("/chart?name={name}"));
        assert!(answer.starts_with("HTTP/1.1 404"), "{name}: {answer}");
    }
    for file in ["../secret.pgn", "/etc/passwd", "run", "run/../games.pgn"] {
        assert!(browser.refused(&json!({"do": "open", "file": file})).contains("there is no file"), "{file}");
        let replay = json!({"do": "replay", "file": file, "game": 0});
        assert!(browser.refused(&replay).contains("there is no file"), "{file}");
    }
    let (mut other, _, _) = Board::start().enter("");
    assert!(other.refused(&json!({"do": "files"})).contains("no folder"));
}

/// Prints the latency of moves in 50 sessions, each a person against an engine.
#[test]
#[ignore = "measures: cargo test --release --test web fifty_sessions -- --ignored --nocapture"]
fn fifty_sessions_are_answered() {
    let server = Process::start(&["--no-state"]);
    let address = server.board.address;
    let people: Vec<_> = (0..50)
        .map(|number| {
            thread::spawn(move || {
                let board = Board { address, base: "/".to_owned() };
                let (mut browser, _, _) = board.enter("");
                browser.socket.get_ref().set_read_timeout(None).unwrap();
                let players = ["person", "1 s a move"];
                let mut game = browser.game(&json!({"do": "new", "game": "amazons", "players": players}));
                thread::sleep(Duration::from_millis(20 * number));
                let mut waits = Vec::new();
                for ply in [1, 3, 5] {
                    let moves = game["moves"].as_array().unwrap();
                    let mv = moves[17 * number as usize % moves.len()].clone();
                    let start = Instant::now();
                    browser.send(&json!({"do": "play", "node": game["node"], "move": mv}));
                    browser.until(|game| game["ply"] == ply);
                    waits.push(start.elapsed());
                    // The engine may wait for a slot for longer than the timeout of a message.
                    while game["is"] != "game" || game["ply"] != ply + 1 {
                        if let Message::Text(text) = browser.socket.read().unwrap() {
                            game = serde_json::from_str(&text).unwrap();
                        }
                    }
                }
                waits
            })
        })
        .collect();
    let mut waits: Vec<_> = people.into_iter().flat_map(|person| person.join().unwrap()).collect();
    waits.sort();
    println!("{} moves: median {:?}, worst {:?}", waits.len(), waits[waits.len() / 2], waits.last().unwrap());
}
