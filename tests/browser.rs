//! The page of the web board in a real browser, Chromium, driven over its DevTools protocol.
//!
//! `cargo test --release --features web --test browser -- --ignored`, where `chromium` is installed.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use labrys::web::{Config, Server};
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long a test waits for the page before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A page of the browser, which ends with it.
struct Page {
    chromium: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    /// The number of the last command.
    number: u64,
    _profile: TempDir,
}

impl Page {
    /// Opens the board in a browser of its own, in a window of so many pixels.
    fn open(width: u32, height: u32) -> Page {
        let config = Config { listen: "127.0.0.1:0".parse().unwrap(), searches: None };
        let server = Server::bind(&config).unwrap();
        let url = server.url().to_owned();
        thread::spawn(move || server.run());
        let profile = tempfile::tempdir().unwrap();
        let mut chromium = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-port=0", &format!("--window-size={width},{height}")])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .expect("chromium is installed");
        // The browser says where it listens, and goes on to say other things.
        let mut lines = BufReader::new(chromium.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.strip_prefix("DevTools listening on ")?.to_owned()));
        thread::spawn(move || lines.for_each(drop));
        let address = address.expect("the browser listens");
        let (socket, _) = tungstenite::connect(&address).unwrap();
        let mut page = Page { chromium, socket, number: 0, _profile: profile };
        let target = page.call("Target.createTarget", json!({"url": url}))["targetId"].clone();
        let base = address.split_once("/devtools/").unwrap().0;
        let target = target.as_str().unwrap();
        page.socket = tungstenite::connect(format!("{base}/devtools/page/{target}")).unwrap().0;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        page.call("Emulation.setDeviceMetricsOverride", size);
        page.until("document.querySelector('lab-board [data-square]') !== null");
        page
    }

    /// The result of a command of the DevTools protocol.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The result of a command, or its error.
    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.number += 1;
        let command = json!({"id": self.number, "method": method, "params": parameters});
        self.socket.send(Message::text(command.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.number {
                let error = answer["error"].clone();
                return if error.is_null() { Ok(answer["result"].clone()) } else { Err(error) };
            }
        }
    }

    /// The value of an expression.
    fn value(&mut self, script: &str) -> Value {
        self.try_value(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of an expression. There is none while the page is being loaded.
    fn try_value(&mut self, script: &str) -> Result<Value, Value> {
        let result =
            self.try_call("Runtime.evaluate", json!({"expression": script, "returnByValue": true}))?;
        match &result["exceptionDetails"] {
            Value::Null => Ok(result["result"]["value"].clone()),
            exception => Err(exception.clone()),
        }
    }

    /// Waits until an expression is true.
    fn until(&mut self, script: &str) {
        let end = Instant::now() + PATIENCE;
        while self.try_value(script) != Ok(Value::Bool(true)) {
            assert!(Instant::now() < end, "{script}, but: {}", self.value("document.body.innerText"));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the message line has a text.
    fn message(&mut self, text: &str) {
        self.until(&format!("document.getElementById('message').textContent.includes({})", json!(text)));
    }

    fn center(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'nearest' }});
              const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            json!(selector)
        );
        let point = self.value(&script);
        (point[0].as_f64().unwrap(), point[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    fn click(&mut self, selector: &str) {
        let point = self.center(selector);
        self.mouse("mousePressed", point);
        self.mouse("mouseReleased", point);
    }

    /// Clicks squares, one after the other.
    fn squares(&mut self, squares: &str) {
        squares.split(' ').for_each(|square| self.click(&format!("[data-square={square}]")));
    }

    fn drag(&mut self, from: &str, to: &str) {
        let [from, to] = [from, to].map(|square| self.center(&format!("[data-square={square}]")));
        self.mouse("mousePressed", from);
        self.mouse("mouseMoved", ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0));
        self.mouse("mouseMoved", to);
        self.mouse("mouseReleased", to);
    }

    fn key(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}),
            );
        }
    }

    /// Sets the value of a field or list.
    fn set(&mut self, id: &str, value: &str) {
        let (id, value) = (json!(id), json!(value));
        self.value(&format!(
            "{{ const e = document.getElementById({id}); e.value = {value};
               e.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"
        ));
    }

    /// Begins a game with the dialog.
    fn begin(&mut self, game: &str, fen: &str, players: [&str; 2]) {
        self.click("#new");
        self.click(&format!("#games input[value={game}]"));
        self.set("fen", fen);
        self.set("new-white", players[0]);
        self.set("new-black", players[1]);
        self.click("#new-dialog [type=submit]");
        self.until("!document.getElementById('new-dialog').open");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.chromium.kill();
        let _ = self.chromium.wait();
    }
}

const PEOPLE: [&str; 2] = ["person", "person"];

/// The moves of the list, in one text.
const MOVES: &str =
    "[...document.querySelectorAll('#history .move')].map(move => move.textContent).join(' ')";

fn play_every_game(page: &mut Page) {
    page.begin("chess", "", PEOPLE);
    for squares in ["f2 f3", "e7 e5", "g2 g4", "d8 h4"] {
        page.squares(squares);
        let last = squares.split(' ').next_back().unwrap();
        page.until(&format!("document.querySelector('[data-square={last}]').classList.contains('last')"));
    }
    page.message("Black wins: checkmate.");
    page.begin("neighbours", "7p/8/8/8/8/8/8/PP6 w 0 1", PEOPLE);
    page.squares("a1 a2");
    page.message("White wins: no legal move.");
    page.begin("tucchess", "k4/R4/5/5/5/5/4K w 0 0 1", PEOPLE);
    page.squares("a6 a7");
    page.message("White wins: king captured.");
    page.until("document.querySelector('#strip-bottom .points').textContent === '8 points'");
    page.begin("amazons", "**q/1*1/Q2 w - - 0 1", PEOPLE);
    page.squares("a1 c1 c2");
    page.message("White wins: no legal move.");
}

#[test]
#[ignore = "needs chromium"]
fn every_game_is_played_on_a_large_screen_and_on_a_phone() {
    play_every_game(&mut Page::open(1280, 800));
    let mut phone = Page::open(390, 844);
    play_every_game(&mut phone);
    assert_eq!(
        phone.value("document.documentElement.scrollWidth <= 390"),
        true,
        "nothing is wider than the screen"
    );
}

#[test]
#[ignore = "needs chromium"]
fn a_person_plays_labrys_looks_back_and_branches() {
    let mut page = Page::open(1280, 800);
    page.begin("chess", "", ["person", "1050 Elo"]);
    page.drag("e2", "e4");
    page.until(&format!("{MOVES}.startsWith('e4 ') && {MOVES}.length > 4"));
    page.message("White to move.");
    page.until("document.getElementById('search').textContent.includes('depth')");
    page.click("#first");
    page.message("Looking back");
    page.squares("c2 c4");
    page.until(&format!("{MOVES}.startsWith('c4 ') && {MOVES}.length > 4"));
    // The game is there after the page has been loaded again.
    let moves = page.value(MOVES);
    page.value("document.body.dataset.loaded = 'before'");
    page.call("Page.reload", json!({}));
    page.until(&format!("!document.body.dataset.loaded && {MOVES} === {moves}"));
    page.click("#history .other");
    page.message("White played e4.");
    page.click("#last");
    page.click("#take-back");
    page.until(&format!("{MOVES} === ''"));
    // The players are exchanged: Labrys has White now.
    page.value("document.querySelector('#strip-bottom select').id = 'white'");
    page.set("white", "1050 Elo");
    page.until(&format!("{MOVES}.length > 1"));
}

#[test]
#[ignore = "needs chromium"]
fn keys_alone_make_a_move_and_a_promotion() {
    let mut page = Page::open(1280, 800);
    page.begin("chess", "8/P6k/8/8/8/8/8/K7 w - - 0 1", PEOPLE);
    page.value("document.querySelector('lab-board [tabindex=\"0\"]').focus()");
    for _ in 0..8 {
        page.key("ArrowLeft", 37);
        page.key("ArrowUp", 38);
    }
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    page.until("document.getElementById('step').textContent.startsWith('a7: 1 square ')");
    page.key("ArrowUp", 38);
    assert_eq!(page.value("document.activeElement.getAttribute('aria-label')"), "a8, empty, move here");
    page.key("Enter", 13);
    page.until("document.getElementById('choice-dialog').open");
    assert_eq!(page.value("document.activeElement.getAttribute('aria-label')"), "white queen");
    page.click("#choices [aria-label='white rook']");
    page.message("White played a8=R.");
}

#[test]
#[ignore = "needs chromium"]
fn games_are_saved_and_loaded_and_bad_ones_refused() {
    let mut page = Page::open(1280, 800);
    page.begin("amazons", "**q/1*1/Q2 w - - 0 1", PEOPLE);
    page.squares("a1 c1 c2");
    page.message("White wins");
    page.click("#save");
    page.until("document.getElementById('save-dialog').open");
    let pgn = page.value("document.getElementById('save-pgn').value");
    page.click("#save-dialog [type=submit]");
    page.begin("chess", "", PEOPLE);
    page.click("#load");
    page.set("load-pgn", "1. e5 *");
    page.click("#load-dialog [type=submit]");
    page.until("document.getElementById('load-problem').textContent.includes('e5')");
    page.set("load-pgn", pgn.as_str().unwrap());
    page.click("#load-dialog [type=submit]");
    page.until(&format!("{MOVES} === 'a1c1,c1c2'"));
    page.message("White wins: no legal move.");
}
