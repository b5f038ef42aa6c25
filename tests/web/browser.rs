//! The page of the web board in a real browser, Chromium, driven over its DevTools protocol.
//!
//! `cargo test --release --test web -- --ignored browser`, where `chromium` is installed. With
//! `LABRYS_AXE`, the file `axe.min.js` of the npm package axe-core, accessibility is checked; with
//! `LABRYS_SCREENSHOTS`, a folder, the pictures of the manual are written.

use crate::common::engines;
use crate::common::shell::not_tested;

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engines::labrys;
use labrys::eval::nnue::EvalNet;
use labrys::game::Game;
use labrys::game::amazons::Amazons;
use labrys::game::neighbours::Neighbours;
use labrys::web::{Config, Server};
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A name of this machine that browsers do not trust like `127.0.0.1`: a page from there has no service
/// worker.
const INSECURE_HOST: &str = "board.test";

/// The timeout of the page, after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The default configuration, on a free port.
fn config() -> Config {
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        searches: None,
        engines: Vec::new(),
        state: None,
        folder: None,
        lobby: None,
    }
}

/// A page of a browser, which is closed with it.
pub(super) struct Page {
    chromium: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    /// The number of the last command.
    number: u64,
    _profile: TempDir,
}

impl Page {
    /// Opens the board in a new browser, in a window of this size in pixels.
    fn open(width: u32, height: u32) -> Page {
        Page::with(width, height, config())
    }

    /// Opens the board of a server with this configuration.
    fn with(width: u32, height: u32, config: Config) -> Page {
        let server = Server::bind(&config).unwrap();
        let url = server.url();
        thread::spawn(move || server.run());
        Page::at(width, height, &url)
    }

    /// Opens an address, and waits for a board on its page.
    pub(super) fn at(width: u32, height: u32, url: &str) -> Page {
        let mut page = Page::load(width, height, url);
        page.until("document.querySelector('lab-board [data-square]') !== null");
        page
    }

    /// Opens an address.
    pub(super) fn load(width: u32, height: u32, url: &str) -> Page {
        let profile = tempfile::tempdir().unwrap();
        let mut chromium = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-port=0", &format!("--window-size={width},{height}")])
            .arg(format!("--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .expect("chromium is installed");
        // The browser prints its address, and later other lines.
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
    pub(super) fn value(&mut self, script: &str) -> Value {
        self.try_value(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of an expression; none while the page is loading.
    fn try_value(&mut self, script: &str) -> Result<Value, Value> {
        let result =
            self.try_call("Runtime.evaluate", json!({"expression": script, "returnByValue": true}))?;
        match &result["exceptionDetails"] {
            Value::Null => Ok(result["result"]["value"].clone()),
            exception => Err(exception.clone()),
        }
    }

    /// Waits until an expression is true.
    pub(super) fn until(&mut self, script: &str) {
        let end = Instant::now() + TIMEOUT;
        while self.try_value(script) != Ok(Value::Bool(true)) {
            assert!(Instant::now() < end, "{script}, but: {}", self.value("document.body.innerText"));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the status message contains a text.
    fn message(&mut self, text: &str) {
        self.until(&format!("document.getElementById('message').textContent.includes({})", json!(text)));
    }

    /// The position of an element, once it exists and is stable: the lines of a search move what is below
    /// them, and a click would miss it.
    fn center(&mut self, selector: &str) -> (f64, f64) {
        self.until(&format!("document.querySelector({}) !== null", json!(selector)));
        let script = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'nearest' }});
              const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            json!(selector)
        );
        let end = Instant::now() + TIMEOUT;
        let mut point = self.value(&script);
        loop {
            thread::sleep(Duration::from_millis(20));
            let before = std::mem::replace(&mut point, self.value(&script));
            if point == before {
                return (point[0].as_f64().unwrap(), point[1].as_f64().unwrap());
            }
            assert!(Instant::now() < end, "{selector} does not stay where it is");
        }
    }

    fn mouse(&mut self, kind: &str, point: (f64, f64)) {
        self.button("left", kind, point);
    }

    /// Dispatches a mouse event.
    fn button(&mut self, button: &str, kind: &str, (x, y): (f64, f64)) {
        let buttons = if button == "left" { 1 } else { 2 };
        let event =
            json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Clicks an element, once the mouse could reach it. The lines of a search may move what is below them
    /// between two commands, so one script looks and clicks.
    pub(super) fn click(&mut self, selector: &str) {
        let script = format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return false;
              e.scrollIntoView({{ block: 'nearest' }});
              const b = e.getBoundingClientRect();
              const hit = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
              if (!hit || !(e.contains(hit) || [...(e.labels ?? [])].some(l => l.contains(hit)))) return false;
              e.focus(); e.click(); return true; }})()",
            json!(selector)
        );
        self.until(&script);
    }

    /// Moves the pointer onto an element until an expression is true: what arrives meanwhile may move it.
    fn hover(&mut self, selector: &str, script: &str) {
        let end = Instant::now() + TIMEOUT;
        while self.try_value(script) != Ok(Value::Bool(true)) {
            assert!(Instant::now() < end, "{script}, but: {}", self.value("document.body.innerText"));
            let point = self.center(selector);
            self.mouse("mouseMoved", point);
            // The page asks after a while of rest.
            thread::sleep(Duration::from_secs(1));
        }
    }

    /// Clicks squares in turn.
    pub(super) fn squares(&mut self, squares: &str) {
        for square in squares.split(' ') {
            let point = self.center(&format!("[data-square={square}]"));
            self.mouse("mousePressed", point);
            self.mouse("mouseReleased", point);
        }
    }

    fn drag(&mut self, from: &str, to: &str) {
        self.drag_with("left", from, to);
    }

    fn drag_with(&mut self, button: &str, from: &str, to: &str) {
        let [from, to] = [from, to].map(|square| self.center(&format!("[data-square={square}]")));
        self.button(button, "mousePressed", from);
        self.button(button, "mouseMoved", ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0));
        self.button(button, "mouseMoved", to);
        self.button(button, "mouseReleased", to);
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

    /// Types into a field.
    pub(super) fn write(&mut self, id: &str, text: &str) {
        let (id, text) = (json!(id), json!(text));
        self.value(&format!(
            "{{ const e = document.getElementById({id}); e.value = {text};
               e.dispatchEvent(new Event('input', {{ bubbles: true }})); }}"
        ));
    }

    /// Sets the value of a field without an id.
    fn set_field(&mut self, selector: &str, value: &str) {
        self.until(&format!("document.querySelector({}) !== null", json!(selector)));
        self.value(&format!("document.querySelector({}).value = {}", json!(selector), json!(value)));
    }

    /// Emulates a preference for light or dark colours.
    fn colours(&mut self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// Writes a screenshot.
    pub(super) fn screenshot(&mut self, path: &Path) {
        // Without the pointer and toasts.
        self.mouse("mouseMoved", (1.0, 1.0));
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let text = shot["data"].as_str().unwrap();
        std::fs::write(path, decode_base64(text)).unwrap();
    }

    /// Starts a game with the dialog.
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

/// Decodes base64.
fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        (bits, count) = (bits << 6 | u32::from(value(byte)), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.chromium.kill();
        let _ = self.chromium.wait();
    }
}

/// Python's file server, for the folder of `make page`.
struct FileServer {
    python: Child,
    url: String,
}

impl FileServer {
    fn new(folder: &str) -> FileServer {
        let mut python = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 is installed");
        let mut line = String::new();
        BufReader::new(python.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(['(', ')']).nth(1).unwrap_or_else(|| panic!("{line}")).to_owned();
        FileServer { python, url }
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}

const PEOPLE: [&str; 2] = ["person", "person"];

/// The moves of the list, joined.
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

/// The value of a variable of the environment. Not every machine of CI can make the page, or get axe-core, so
/// `.ci/run` may leave them out.
fn given(name: &str) -> Option<String> {
    let value = std::env::var(name).ok();
    if value.is_none() {
        let test = std::thread::current();
        not_tested(&format!("{}: {name} is not given", test.name().unwrap_or_default()));
    }
    value
}

#[test]
#[ignore = "needs chromium, and LABRYS_PAGE: the folder of `make page`"]
fn a_page_without_a_server_plays_analyses_and_remembers() {
    let Some(folder) = given("LABRYS_PAGE") else { return };
    let server = FileServer::new(&folder);
    let mut page = open_folder(&server, &folder);
    if has_threads(&folder) {
        analyse_with_threads(&mut page);
    }
    play_every_game(&mut page);
    page.begin("chess", "", ["person", "1650 Elo"]);
    page.squares("e2 e4");
    page.message("Black played ");
    page.set("line-count", "3");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 3");
    page.click("#static-eval summary");
    page.until("document.querySelectorAll('#static-eval-rows tr').length > 3");
    page.click("#static-eval summary");
    // Going to another position stops the search.
    page.click("#first");
    page.message("Looking back");
    page.until("document.querySelectorAll('.arrows path').length === 3");
    page.click("#analyse");
    page.click("#review");
    page.until("document.getElementById('graph').getAttribute('aria-label').endsWith('3 of 3 positions')");
    // These have been searched before. Until the review ends, each change of the game closes the dialog.
    page.until("document.getElementById('review').textContent !== 'Stop' && document.getElementById('review').disabled");
    page.click("#record");
    page.until("document.getElementById('record-pgn').value.includes('1. e4')");
    page.set("record-pgn", "1. e5 *");
    page.click("#record-dialog [type=submit]");
    page.until("document.getElementById('record-problem').textContent.includes('e5')");
    page.click("#record-dialog .cancel");
    review_a_game(&mut page);
    edit_a_record(&mut page);
    explore_records(&mut page);
    page.begin("amazons", "", ["person", "420 Elo"]);
    page.squares("d1 d7 g7");
    page.message("Black played ");
    open_links(&mut page);
    page.begin("neighbours", "", PEOPLE);
    page.click("#analyse");
    play_a_line(&mut page);
    page.click("#analyse");
    // The game is restored, even without the server.
    page.until("navigator.serviceWorker.controller !== null");
    let played = page.value(MOVES);
    drop(server);
    page.call("Page.reload", json!({}));
    page.until(&format!("{MOVES} === {played}"));
    page.click("#hint");
    page.until("document.getElementById('answer').textContent.startsWith('Hint: 2… ')");
}

#[test]
#[ignore = "needs chromium, and LABRYS_PAGE: the folder of `make page`"]
fn a_page_without_a_server_says_what_it_lacks() {
    let Some(folder) = given("LABRYS_PAGE") else { return };
    let server = FileServer::new(&folder);
    let mut page = open_folder(&server, &folder);
    page.begin("chess", "", PEOPLE);
    page.value("Storage.prototype.setItem = () => { throw new Error('it is full') }");
    page.squares("e2 e4");
    page.until(&format!("{MOVES} === 'e4'"));
    page.until("document.getElementById('toast').textContent === 'the game is not saved: it is full'");
    let rest = copy_page(&folder);
    std::fs::remove_file(rest.path().join("labrys_bg.wasm")).unwrap();
    let server = FileServer::new(rest.path().to_str().unwrap());
    let mut page = Page::load(1280, 900, &server.url);
    page.until("document.getElementById('toast').textContent === 'Not connected: labrys_bg.wasm: 404.'");
}

#[test]
#[ignore = "needs chromium, and LABRYS_PAGE: the folder of `make page`"]
fn a_new_version_of_a_page_waits_until_the_old_one_is_closed() {
    let Some(folder) = given("LABRYS_PAGE") else { return };
    let copy = copy_page(&folder);
    let server = FileServer::new(copy.path().to_str().unwrap());
    let mut page = open_folder(&server, &folder);
    page.until("navigator.serviceWorker.controller?.state === 'activated'");
    let path = copy.path().join("service-worker.js");
    let script = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, script.replacen("\"labrys-", "\"labrys-new-", 1)).unwrap();
    page.value("window.before = navigator.serviceWorker.controller; 0");
    page.value("navigator.serviceWorker.ready.then(found => { window.found = found; found.update(); }); 0");
    page.until("window.found?.waiting?.state === 'installed'");
    // Both versions have their files.
    page.value("caches.keys().then(names => (window.names = names)); 0");
    page.until("window.names !== undefined");
    assert_eq!(page.value("window.names.length"), 2);
    assert_eq!(page.value("navigator.serviceWorker.controller === window.before"), true);
}

/// Opens the page in a folder. Once its files are cached, the page with threads reloads itself, isolated.
fn open_folder(server: &FileServer, folder: &str) -> Page {
    let mut page = Page::at(1280, 900, &server.url);
    if has_threads(folder) {
        page.until("crossOriginIsolated");
        page.until("document.querySelector('lab-board [data-square]') !== null");
    }
    page
}

/// A copy of the files of the page in a folder.
fn copy_page(folder: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    copy
}

/// Whether the page in a folder has been built with threads.
fn has_threads(folder: &str) -> bool {
    !std::fs::read_to_string(Path::new(folder).join("program.js")).unwrap().contains("memory = null")
}

/// Searches of a page without a server, as the board makes them: `nodes` is what a search to this depth with
/// this many threads visits, each time with new workers; `depth` is reached after a search was stopped.
const SEARCHES: &str = r#"(async () => {
    const { compile } = await import("./program.js");
    const { Searcher } = await import("./searcher.js");
    const program = await compile();
    const search = (threads, depth) => JSON.stringify({
        variant: "chess", option: null, options: [["Threads", String(threads)]],
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves: [], "root-moves": [],
        depth, "move-time": null, clocks: [null, null], number: 1, node: 0,
    });
    const nodes = threads => new Promise((resolve, reject) => {
        let last = null;
        const searcher = new Searcher(program, found => {
            last = JSON.parse(found);
        }, ({ problem }) => problem ? reject(problem) : resolve(last.nodes));
        searcher.search(search(threads, 15), threads);
    });
    const depth = () => new Promise((resolve, reject) => {
        let last = null;
        const searcher = new Searcher(program, found => {
            // The first report of a search that would never end. The search after it stops it once more.
            if (last === null) {
                searcher.stop();
                searcher.search(search(2, 3), 2);
            }
            last = JSON.parse(found);
        }, ({ problem }) => problem ? reject(problem) : resolve(last.depth));
        searcher.search(search(2, null), 2);
    });
    return { one: await nodes(1), again: await nodes(1), two: await nodes(2), depth: await depth() };
})().then(found => (window.found = found), problem => (window.found = { problem: String(problem) })); 0"#;

/// Waits until there are this many web workers. The browser takes a moment to end one.
fn until_workers(page: &mut Page, count: usize) {
    let end = Instant::now() + TIMEOUT;
    loop {
        let targets = page.call("Target.getTargets", json!({"filter": [{"type": "worker"}]}));
        let workers = targets["targetInfos"].as_array().unwrap().len();
        if workers == count {
            return;
        }
        assert!(Instant::now() < end, "{workers} workers, not {count}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn analyse_with_threads(page: &mut Page) {
    // The game and its searches.
    until_workers(page, 2);
    page.begin("chess", "", PEOPLE);
    page.squares("e2 e4");
    page.message("White played e4");
    page.click(".limits summary");
    page.set("threads", "2");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 1");
    // And a helper.
    until_workers(page, 3);
    // The searches of another position and of a new game end the one before.
    page.click("#first");
    page.message("Looking back");
    page.until("document.querySelector('#lines li').textContent.includes('1.')");
    page.begin("neighbours", "", PEOPLE);
    page.until("document.getElementById('title').textContent === 'Neighbours'");
    page.until("document.querySelectorAll('#lines li').length === 1");
    until_workers(page, 3);
    page.set("threads", "0");
    page.click("#analyse");
    page.click(".limits summary");
    // A search with one thread always visits the same nodes, and with a second one others.
    page.value(SEARCHES);
    page.until("window.found !== undefined");
    let found = page.value("window.found");
    assert!(found["one"].as_u64().is_some_and(|nodes| nodes > 10_000), "{found}");
    assert_eq!(found["one"], found["again"], "{found}");
    assert_ne!(found["one"], found["two"], "{found}");
    assert_eq!(found["depth"], 3, "{found}");
    // It stays isolated.
    page.call("Page.reload", json!({}));
    page.until("window.found === undefined && document.querySelector('lab-board [data-square]') !== null");
    assert_eq!(page.value("crossOriginIsolated"), true);
}

#[test]
#[ignore = "needs chromium, and LABRYS_PAGE: the folder of `make page`"]
fn a_page_that_cannot_be_isolated_searches_with_one_thread() {
    let Some(folder) = given("LABRYS_PAGE") else { return };
    let server = FileServer::new(&folder);
    let mut page = Page::at(1280, 900, &server.url.replace("127.0.0.1", INSECURE_HOST));
    assert_eq!(page.value("window.isSecureContext || crossOriginIsolated"), false);
    page.until("document.getElementById('threads').disabled");
    page.begin("chess", "", ["person", "1650 Elo"]);
    page.squares("e2 e4");
    page.message("Black played ");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 1");
    page.click("#first");
    page.message("Looking back");
    page.until("document.querySelector('#lines li').textContent.includes('1.')");
}

#[test]
#[ignore = "needs chromium"]
fn keys_and_the_wheel_look_back() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", PEOPLE);
    page.squares("e2 e4");
    page.message("White played e4");
    page.squares("e7 e5");
    page.message("Black played e5. White to move");
    for (key, code, message) in [
        ("ArrowLeft", 37, "White played e4. Looking back"),
        ("Home", 36, "Looking back"),
        ("ArrowRight", 39, "White played e4. Looking back"),
        ("End", 35, "Black played e5. White to move"),
    ] {
        page.key(key, code);
        page.until(&format!("document.getElementById('message').textContent.startsWith({})", json!(message)));
    }
    // Keys count from where those before them lead, not from what is shown yet.
    let keys = "for (const key of ['Home', 'ArrowRight'])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))";
    page.value(keys);
    page.message("White played e4. Looking back");
    page.key("End", 35);
    page.message("Black played e5. White to move");
    // A key that is held is not faster than the server allows.
    let held = "[false, true, true]
        .map(repeat => new KeyboardEvent('keydown', { key: 'ArrowLeft', repeat, bubbles: true }))
        .forEach(key => document.body.dispatchEvent(key)), document.getElementById('back').disabled";
    assert_eq!(page.value(held), false, "one move back");
    page.message("White played e4. Looking back");
    page.key("End", 35);
    page.message("Black played e5. White to move");
    let (x, y) = page.center("[data-square=d4]");
    let wheel = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -100});
    page.call("Input.dispatchMouseEvent", wheel);
    page.message("White played e4. Looking back");
    page.key(" ", 32);
    page.until("document.getElementById('analyse').checked");
    let flipped = "document.querySelector('#bar').classList.contains('flipped')";
    page.key("f", 70);
    page.until(flipped);
}

#[test]
#[ignore = "needs chromium"]
fn a_selection_stays_while_nothing_on_the_board_changes() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", PEOPLE);
    page.squares("g1");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 1");
    page.until("document.querySelector('.selected')?.dataset.square === 'g1'");
    page.squares("f3");
    page.message("White played Nf3.");
    page.until("document.querySelector('.selected') === null");
}

#[test]
#[ignore = "needs chromium"]
fn a_person_plays_labrys_looks_back_and_branches() {
    let mut page = Page::open(1280, 800);
    page.begin("chess", "", ["person", "1650 Elo"]);
    page.drag("e2", "e4");
    page.until(&format!("{MOVES}.startsWith('e4 ') && {MOVES}.length > 4"));
    page.message("White to move.");
    page.until("document.getElementById('speed').textContent.includes('depth')");
    page.click("#first");
    page.message("Looking back");
    page.squares("c2 c4");
    page.until(&format!("{MOVES}.startsWith('c4 ') && {MOVES}.length > 4"));
    // The game survives a reload.
    let moves = page.value(MOVES);
    page.value("document.body.dataset.loaded = 'before'");
    page.call("Page.reload", json!({}));
    page.until(&format!("!document.body.dataset.loaded && {MOVES} === {moves}"));
    page.click("#history .other");
    page.message("White played e4.");
    page.click("#last");
    page.click("#take-back");
    page.message("White to move.");
    page.until(&format!("{MOVES}.startsWith('c4 ') && document.querySelector('#history .other') === null"));
    // Labrys takes over White.
    page.value("document.querySelector('#strip-bottom select').id = 'white'");
    page.set("white", "1650 Elo");
    page.until("document.querySelector('#history .move').textContent !== 'c4'");
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
    page.click("#record");
    page.until("document.getElementById('record-dialog').open");
    let pgn = page.value("document.getElementById('record-pgn').value");
    page.click("#record-dialog .cancel");
    page.begin("chess", "", PEOPLE);
    page.click("#record");
    page.until("document.getElementById('record-dialog').open");
    page.set("record-pgn", "1. e5 *");
    page.click("#record-dialog [type=submit]");
    page.until("document.getElementById('record-problem').textContent.includes('e5')");
    page.set("record-pgn", pgn.as_str().unwrap());
    page.click("#record-dialog [type=submit]");
    page.until(&format!("{MOVES} === 'a1c1,c1c2'"));
    page.message("White wins: no legal move.");
    // A file in Windows-1252.
    page.click("#record");
    page.until("document.getElementById('record-dialog').open");
    let text = "'[White \"R\\xe9ti\"]\\n\\n*'";
    let file = format!("[Uint8Array.from({text}, letter => letter.charCodeAt(0))], 'reti.pgn'");
    choose_files(&mut page, "record-file", &[file]);
    page.until("document.getElementById('record-pgn').value.startsWith('[White \"Réti\"]')");
}

#[test]
#[ignore = "needs chromium"]
fn a_game_is_analysed_with_arrows_a_graph_and_answers() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", PEOPLE);
    page.squares("e2 e4");
    page.message("White played e4");
    page.squares("e7 e5");
    page.message("Black played e5");
    page.set("line-count", "3");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 3");
    page.until("document.querySelectorAll('.arrows path').length === 3");
    page.set("analyst", "Labrys, MCTS");
    page.until("document.querySelector('#lines small')?.textContent.includes('of visits')");
    page.until("document.querySelectorAll('.tinted').length > 2");
    page.click("#analyse");
    page.click("#hint");
    page.until("document.getElementById('answer').textContent.startsWith('Hint: 2. ')");
    // Why not this move: the pointer is on a target.
    page.click(".preferences summary");
    page.click("#show-why");
    page.squares("g1");
    page.hover(
        "[data-square=h3]",
        "document.getElementById('answer').textContent.startsWith('After 2. Nh3')",
    );
    // Also for the move played in an earlier position.
    page.click("#first");
    page.message("Looking back");
    page.hover(
        "#history [data-move=e2e4]",
        "document.getElementById('answer').textContent.startsWith('After 1. e4')",
    );
    page.click("#last");
    page.click("#review");
    page.until("document.getElementById('graph').getAttribute('aria-label').endsWith('3 of 3 positions')");
    let (x, y) = page.center("#graph");
    page.mouse("mousePressed", (x, y));
    page.mouse("mouseReleased", (x, y));
    page.message("White played e4. Looking back");
    page.click("#static-eval summary");
    page.until("document.querySelectorAll('#static-eval-rows tr').length > 3");
    // All preferences can be switched off.
    page.value("document.querySelectorAll('.preferences input:checked').forEach(box => box.click())");
    page.until("getComputedStyle(document.getElementById('bar')).display === 'none'");
    page.until("getComputedStyle(document.querySelector('.graph-panel')).display === 'none'");
    page.until("document.querySelectorAll('.arrows path').length === 0");
}

/// Loads a PGN text with the dialog.
fn load(page: &mut Page, pgn: &str) {
    page.click("#record");
    page.until("document.getElementById('record-dialog').open");
    page.set("record-pgn", pgn);
    page.click("#record-dialog [type=submit]");
    page.until("!document.getElementById('record-dialog').open");
}

/// Reviews a game with a blunder, and learns from it.
fn review_a_game(page: &mut Page) {
    page.begin("chess", "", PEOPLE);
    load(page, "1. f3 e5 2. g4 Qh4# 0-1");
    page.until(&format!("{MOVES} === 'f3 e5 g4 Qh4#'"));
    page.click("#review");
    page.until("document.getElementById('graph').getAttribute('aria-label').endsWith('5 of 5 positions')");
    page.until("document.querySelector('#history .blunder .glyph')?.textContent === '??'");
    page.until("document.querySelectorAll('.graph-mark.blunder').length > 0");
    page.until("/^[0-9]+ %$/.test(document.querySelector('#review-players b').textContent)");
    // The better move, as text and as an arrow.
    page.click("#history .move.blunder");
    page.until("document.getElementById('better').textContent.startsWith('Blunder: 2. g4 gives away')");
    page.until("document.querySelectorAll('.arrows .better').length === 1");
    // The best move is hidden during the exercise. Another marked move may precede the blunder.
    page.click("#review-players li:first-child button");
    page.until("!document.getElementById('learn').hidden && document.getElementById('learn-text').textContent.includes('was played')");
    for _ in 0..2 {
        if page.value("document.getElementById('learn-text').textContent.includes('g4??')") == true {
            break;
        }
        page.click("#learn-next");
        page.until("document.getElementById('learn-text').textContent.includes('was played')");
    }
    page.until("document.getElementById('learn-text').textContent.includes('2. g4?? was played')");
    page.until("document.querySelectorAll('.arrows .better').length === 0");
    page.message("Black played e5. Looking back");
    page.squares("g2 g4");
    page.until("document.getElementById('learn-text').textContent.includes('gives away too much')");
    page.squares("e2 e4");
    page.until("/is the best move|is good/.test(document.getElementById('learn-text').textContent)");
    page.until("document.querySelectorAll('.arrows .better').length === 1");
    page.click("#learn-next");
    page.until("document.getElementById('learn').hidden");
    page.until(&format!("{MOVES}.startsWith('f3')"));
}

/// Edits a PGN text of several games.
fn edit_a_record(page: &mut Page) {
    page.begin("chess", "", PEOPLE);
    let pgn = "[White \"Ann\"]\n[WhiteElo \"2000\"]\n\n1. e4 {[%clk 0:05:00] well} d5 ( 1... e5 2. Nf3 ) 2. exd5 1-0\n\n\
               [White \"Bob\"]\n\n1. d4 *";
    load(page, pgn);
    page.until("document.querySelector('#strip-bottom .name').textContent === 'Ann (2000)'");
    page.until("document.querySelector('#strip-bottom .result').textContent === '1'");
    page.until("document.querySelector('#strip-bottom .clock').textContent === '5:00'");
    page.until("document.querySelector('#strip-bottom .captured').getAttribute('aria-label') === 'Taken: 1 black pawn'");
    page.until("document.querySelector('#history li.comment').textContent === 'well'");
    page.click("#history .other");
    page.message("Black played e5");
    page.until("document.getElementById('opening').textContent === \"C20 King's Pawn Game\"");
    page.click("#annotate summary");
    page.click("#glyphs [data-glyph='1']");
    page.until("document.querySelector('#history .glyph')?.textContent === '!'");
    // A comment that is being typed stays with its move.
    page.write("comment", "an open game");
    page.click("#history .move");
    page.message("White played e4");
    page.until("document.querySelector('#history .variation .comment')?.textContent === 'an open game'");
    page.until("document.getElementById('comment').value === 'well'");
    page.click("#history .other");
    page.message("Black played e5");
    page.set("comment", "open game");
    page.until("document.querySelector('#history .variation .comment')?.textContent === 'open game'");
    page.click("#promote");
    page.until("document.querySelectorAll('#history .move')[1].textContent === 'e5!'");
    page.click("#history .other");
    page.message("Black played d5");
    page.click("#delete");
    page.until("document.querySelector('#history .variation') === null");
    page.click("#edit-record");
    page.set_field("[data-tag=White]", "Anna");
    page.set_field("[data-tag=Result]", "1/2-1/2");
    page.set_field("[data-tag=Date]", "yesterday");
    page.click("#tags-dialog [type=submit]");
    page.until("document.getElementById('tags-problem').textContent.includes('yesterday')");
    page.set_field("[data-tag=Date]", "1999.01.02");
    page.click("#tags-dialog [type=submit]");
    page.until("!document.getElementById('tags-dialog').open");
    page.set("games-list", "1");
    page.until("document.querySelector('#strip-bottom .name').textContent === 'Bob'");
    page.set("games-list", "0");
    page.until("document.querySelector('#strip-bottom .name').textContent === 'Anna (2000)'");
    // All of it survives a reload.
    page.value("document.body.dataset.loaded = 'before'");
    page.call("Page.reload", json!({}));
    page.until(
        "!document.body.dataset.loaded && document.querySelectorAll('#games-list option').length === 2",
    );
    page.until("document.querySelector('#strip-bottom .result').textContent === '½'");
    page.until("document.getElementById('record-about').textContent === '1999.01.02 · 1/2-1/2'");
    page.click("#record");
    page.until("document.getElementById('record-pgn').value.replaceAll('\\n', ' ').includes('well} e5 $1 {open game} 2. Nf3 1/2-1/2')");
    page.click("#record-dialog .cancel");
}

/// Chooses files in a field, each by the arguments of its constructor.
fn choose_files(page: &mut Page, id: &str, files: &[String]) {
    let files = files.iter().map(|file| format!("files.items.add(new File({file}));")).collect::<String>();
    page.value(&format!(
        "{{ const files = new DataTransfer();
            {files}
            const field = document.getElementById('{id}');
            field.files = files.files;
            field.dispatchEvent(new Event('change')); }}"
    ));
}

/// Opens games of two variants in two files, too large for one request, in the explorer.
fn explore_records(page: &mut Page) {
    page.begin("chess", "", PEOPLE);
    page.click("#explorer summary");
    let games = json!(
        "[White \"Ann\"]\n\n1. e4 c5 {sharp} 2. Nf3 d6 1-0\n\n[White \"Bob\"]\n\n1. Nf3 c5 2. e4 Nc6 0-1\n\n"
    );
    let neighbours = json!("[Variant \"neighbours\"]\n\n1. e1e3 e8e6 1-0\n\n");
    let files = [format!("[{games}.repeat(600)], 'chess.pgn'"), format!("[{neighbours}], 'neighbours.pgn'")];
    choose_files(page, "explorer-files", &files);
    page.until("document.getElementById('explorer-state').textContent === '1201 games'");
    let moves = "[...document.querySelectorAll('#explorer-moves li')].map(move => move.textContent).join()";
    page.until(&format!("{moves} === 'e4600100 %,Nf3600100 %'"));
    page.click("#explorer-moves [data-move=g1f3]");
    page.message("White played Nf3");
    page.squares("c7 c5");
    page.message("Black played c5");
    page.squares("e2 e4");
    // Transpositions count.
    page.until(&format!("{moves} === 'd6600100 %,Nc6600100 %'"));
    page.until("document.getElementById('explorer-here').textContent === '1200 with this position'");
    page.click("#explorer-games button");
    page.until("document.querySelector('#strip-bottom .name').textContent === 'Ann'");
    page.message("White played Nf3");
    // A game without chance, so that a move leads to the position of the record.
    page.begin("neighbours", "", PEOPLE);
    page.until(&format!("{moves} === 'e1e31100 %'"));
    page.click("#explorer-moves button");
    page.until(&format!("{moves} === 'e8e61100 %'"));
    page.value("document.getElementById('show-explorer').click()");
    page.until("document.getElementById('explorer').offsetHeight === 0");
    page.value("document.getElementById('show-explorer').click()");
    page.click("#explorer-close");
    page.until("document.getElementById('explorer-close').hidden");
    page.value("File.prototype.arrayBuffer = () => Promise.reject(new Error('it has gone')); 0");
    choose_files(page, "explorer-files", &files);
    let problem = "chess.pgn cannot be read: it has gone";
    page.until(&format!("document.getElementById('explorer-problem').textContent === '{problem}'"));
    page.until("!document.getElementById('explorer-files').disabled");
    page.value("delete File.prototype.arrayBuffer");
}

#[test]
#[ignore = "needs chromium"]
fn records_are_explored() {
    explore_records(&mut Page::open(1280, 1200));
}

#[test]
#[ignore = "needs chromium"]
fn a_game_is_reviewed_and_its_mistakes_are_learnt_from() {
    review_a_game(&mut Page::open(1280, 900));
}

#[test]
#[ignore = "needs chromium"]
fn a_record_is_shown_edited_and_saved() {
    edit_a_record(&mut Page::open(1280, 900));
}

/// A policy/value net for Amazons on 6×6.
const NET: [&str; 3] = ["SearchMode=mcts", "Selection=puct", "NetFile=nets/amazons-6x6.safetensors"];

#[test]
#[ignore = "needs chromium"]
fn what_a_net_sees_is_shown_in_a_table_and_on_the_squares() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    labrys::learn::save_eval_net::<Neighbours>(&EvalNet::random(&Neighbours::start(), 16, 1, 9), &path)
        .unwrap();
    let file = format!("EvalFile={}", path.display());
    let engines = labrys(&[("policy", &NET), ("evaluation", &[&file])]);
    let mut page = Page::with(1280, 900, Config { engines, ..config() });
    page.begin("amazons", &Amazons::start_with(2).fen(), PEOPLE);
    page.set("analyst", "policy");
    page.click("#static-eval summary");
    page.until("document.querySelectorAll('#static-eval-rows tr').length === 11");
    let said = page.value("document.getElementById('static-eval-value').textContent");
    assert!(said.as_str().unwrap().contains("the side to move is expected to score "), "{said}");
    let sum = "[...document.querySelectorAll('#static-eval-rows td')]
        .reduce((sum, cell) => sum + parseFloat(cell.textContent), 0)";
    assert!((page.value(sum).as_f64().unwrap() - 100.0).abs() < 1.0, "in percent");
    page.until("document.querySelectorAll('.tinted').length > 5");
    page.click(".preferences summary");
    page.click("#show-net");
    page.until("document.querySelectorAll('.tinted').length === 0");
    page.click("#show-net");
    // Another position, another evaluation.
    page.begin("neighbours", "", PEOPLE);
    page.until("document.getElementById('static-eval-value').textContent.startsWith('option NetFile')");
    page.until("document.querySelectorAll('.tinted').length === 0");
    page.set("analyst", "evaluation");
    page.until(
        "document.querySelector('#static-eval-rows tr')?.textContent.match(/^[Pp] [a-h][1-8][+−]/) !== null",
    );
    page.until(
        "document.querySelector('[data-square=e1] .note').dataset.text.match(/^[+−][0-9.]+$/) !== null",
    );
    page.click("#static-eval summary");
    page.until("document.querySelectorAll('.tinted').length === 0");
}

/// Previews a move of a line, and plays the line up to it.
fn play_a_line(page: &mut Page) {
    page.until("document.querySelector('#lines [data-line=\"0\"][data-step=\"2\"]') !== null");
    let third = page.center("#lines [data-step=\"2\"]");
    page.mouse("mouseMoved", third);
    page.until("!document.getElementById('preview').hidden");
    page.until("document.querySelectorAll('#preview .last').length === 2");
    page.click("#lines [data-step=\"2\"]");
    page.until(&format!("{MOVES}.split(' ').length === 3"));
}

#[test]
#[ignore = "needs chromium"]
fn lines_of_an_analysis_are_looked_at_and_played() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", PEOPLE);
    page.click("#analyse");
    play_a_line(&mut page);
    page.message("White played ");
    page.click("#analyse");
    // The analysis ends at the depth limit.
    page.set("depth", "10");
    page.click("#analyse");
    page.until("document.getElementById('speed').textContent.startsWith('depth 10,')");
    page.click("#threat");
    page.until("document.getElementById('answer').textContent.startsWith('Threat: 2. ')");
    page.until("document.querySelectorAll('.arrows .threat').length === 1");
    page.begin("chess", "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", PEOPLE);
    page.key("t", 84);
    page.until("document.getElementById('toast').textContent.includes('cannot pass')");
}

#[test]
#[ignore = "needs chromium"]
fn thoughts_of_an_engine_that_is_played_are_hidden_unless_asked_for() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", ["person", "800 Elo"]);
    page.squares("e2 e4");
    page.message("Black played");
    let shown = "getComputedStyle(document.getElementById('search')).display !== 'none'";
    page.until(&format!("!({shown})"));
    page.click(".preferences summary");
    page.click("#show-thoughts");
    page.until(shown);
    page.until("document.querySelectorAll('#lines li').length === 1");
}

#[test]
#[ignore = "needs chromium"]
fn arrows_and_circles_are_drawn_and_wiped_away() {
    let mut page = Page::open(1280, 900);
    page.begin("neighbours", "", PEOPLE);
    page.drag_with("right", "b1", "c3");
    page.drag_with("right", "e4", "e4");
    page.until("document.querySelectorAll('.drawings path.green').length === 1");
    page.until("document.querySelectorAll('.drawings circle.green').length === 1");
    // Drawing it again removes it.
    page.drag_with("right", "e4", "e4");
    page.until("document.querySelectorAll('.drawings circle').length === 0");
    page.squares("d5");
    page.until("document.querySelectorAll('.drawings path').length === 0");
    page.key("m", 77);
    page.until("document.querySelectorAll('.drawings circle').length === 1");
    // An arrow is finished by a release outside of the board, too: drawing it again removes it.
    let [from, to] = ["b1", "c3"].map(|square| page.center(&format!("[data-square={square}]")));
    page.button("right", "mousePressed", from);
    page.button("right", "mouseMoved", to);
    page.button("right", "mouseMoved", (1.0, 1.0));
    page.button("right", "mouseReleased", (1.0, 1.0));
    page.until("document.querySelectorAll('.drawings path.green').length === 1");
    page.drag_with("right", "b1", "c3");
    page.until("document.querySelectorAll('.drawings path').length === 0");
}

#[test]
#[ignore = "needs chromium"]
fn positions_are_set_up_by_hand_by_text_and_by_number() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", PEOPLE);
    page.click("#new");
    assert_eq!(
        page.value("document.getElementById('option-label').innerText.split('\\n')[0].trim()"),
        "Chess960"
    );
    page.set("option", "true");
    page.write("start-number", "518");
    page.until("document.getElementById('fen').value.startsWith('rnbqkbnr/')");
    page.click("#random-number");
    page.until("document.getElementById('start-number').value !== '518'");
    page.write("fen", "8/8/8/8/8/8/8/kK6 w");
    page.until("document.getElementById('new-problem').textContent.includes('king')");
    page.write("fen", " 4k3/8/8/8/8/8/8/4K3 w ");
    page.until("document.getElementById('new-problem').textContent === ''");
    page.click("#set-up");
    page.until("document.getElementById('editor-dialog').open");
    page.click("#editor-palette [aria-label='white queen']");
    page.click("#editor-board [data-square=d4]");
    page.until("document.getElementById('editor-fen').value.startsWith('4k3/8/8/8/3Q4/8/8/4K3 w')");
    // A position without a king is illegal.
    page.click("#editor-palette [aria-label='Remove pieces']");
    page.click("#editor-board [data-square=e1]");
    page.until("document.getElementById('editor-problem').textContent.includes('king')");
    page.click("#editor-palette [aria-label='white king']");
    page.click("#editor-board [data-square=e1]");
    page.until("document.getElementById('editor-problem').textContent === ''");
    page.set("editor-side", "b");
    page.click("#editor-dialog [type=submit]");
    page.until("!document.getElementById('editor-dialog').open");
    page.click("#new-dialog [type=submit]");
    page.message("Black to move.");
    page.until("document.querySelector('[data-square=d4]').dataset.piece === 'Q'");
    // Another board of Amazons, and its start position.
    page.click("#new");
    page.click("#games input[value=amazons]");
    page.set("option", "7x5");
    page.click("#set-up");
    page.until("document.querySelectorAll('#editor-board [data-square]').length === 35");
    page.click("#editor-clear");
    page.until("document.getElementById('editor-problem').textContent !== ''");
    page.click("#editor-start");
    page.until("document.getElementById('editor-problem').textContent === ''");
    page.click("#editor-dialog .cancel");
    page.click("#new-dialog .cancel");
}

/// Opens the links to the position and to the game, at the address of the page.
fn open_links(page: &mut Page) {
    page.begin("tucchess", "", PEOPLE);
    page.squares("a2 a3");
    page.message("White played");
    page.squares("a6 a5");
    page.message("Black played");
    let [moves, fen] = [MOVES, "document.getElementById('position-link').value.split('fen=')[1]"];
    let played = page.value(moves);
    page.click("#link");
    page.until("document.getElementById('game-link').value.includes('#pgn=')");
    let links = ["game-link", "position-link"]
        .map(|id| page.value(&format!("document.getElementById('{id}').value")).as_str().unwrap().to_owned());
    let position = page.value(fen);
    page.click("#link-dialog [type=submit]");
    page.begin("chess", "", PEOPLE);
    page.call("Page.navigate", json!({"url": links[0]}));
    page.until(&format!("{MOVES} === {played}"));
    page.until("!location.hash.includes('=')");
    page.call("Page.navigate", json!({"url": links[1]}));
    page.until(&format!("document.querySelector('[data-square]') !== null && {MOVES} === ''"));
    page.until("document.querySelector('[data-square=a3]')?.dataset.piece === 'P'");
    page.click("#link");
    page.until(&format!("{fen} === {position}"));
    page.click("#link-dialog [type=submit]");
}

#[test]
#[ignore = "needs chromium"]
fn links_hold_positions_and_games() {
    open_links(&mut Page::open(1280, 900));
}

#[test]
#[ignore = "needs chromium"]
fn a_move_ahead_is_played_in_its_turn_unless_it_is_called_off() {
    let mut page = Page::open(1280, 900);
    page.begin("chess", "", ["person", "10 s a move"]);
    page.squares("e2 e4");
    page.message("Black is thinking");
    page.squares("d2 d4");
    page.until("document.querySelectorAll('.premove').length === 2");
    page.key("Escape", 27);
    page.until("document.querySelectorAll('.premove').length === 0");
    page.squares("g1 h3");
    page.until(&format!("{MOVES}.split(' ')[2] === 'Nh3'"));
    // The right button cancels it, too.
    page.message("Black is thinking");
    page.squares("a2 a3");
    page.until("document.querySelectorAll('.premove').length === 2");
    page.drag_with("right", "a5", "a5");
    page.until("document.querySelectorAll('.premove, .drawings *').length === 0");
    // So does looking back, where it would be legal.
    page.squares("a2 a3");
    page.until("document.querySelectorAll('.premove').length === 2");
    page.key("Home", 36);
    page.message("Looking back");
    page.until("document.querySelectorAll('.premove').length === 0");
    page.key("End", 35);
    page.until(&format!("{MOVES}.startsWith('e4 ')"));
    page.message("Black is thinking");
}

#[test]
#[ignore = "needs chromium"]
fn games_are_given_up_drawn_and_played_again() {
    let mut page = Page::open(1280, 900);
    page.begin("neighbours", "", PEOPLE);
    page.squares("e1 e3");
    page.message("White played");
    page.click("#resign");
    page.click("#confirm-dialog [value=no]");
    page.click("#resign");
    page.click("#confirm-dialog [value=yes]");
    page.message("White wins: Black resigns.");
    page.begin("neighbours", "", ["person", "280 Elo"]);
    page.click("#draw");
    page.until("document.getElementById('toast').textContent.includes('Black declines the draw')");
    page.click("#resign");
    page.click("#confirm-dialog [value=yes]");
    page.message("Black wins: White resigns.");
    page.click("#rematch");
    // The engine now has White.
    page.until(&format!("{MOVES}.length > 1"));
    page.until("document.querySelector('#strip-bottom select').value === 'person'");
}

#[test]
#[ignore = "needs chromium"]
fn two_people_play_over_links_and_a_third_watches() {
    let mut owner = Page::open(1280, 900);
    owner.begin("neighbours", "", PEOPLE);
    owner.click("#link");
    owner.click("#open-seats");
    owner.until("document.getElementById('black-link').offsetHeight > 0");
    let [white, black, spectators] = ["white", "black", "spectators"].map(|seat| {
        owner.value(&format!("document.getElementById('{seat}-link').value")).as_str().unwrap().to_owned()
    });
    owner.click("#link-dialog [type=submit]");
    let mut white = Page::at(900, 900, &white);
    let mut black = Page::at(900, 900, &black);
    let mut spectator = Page::at(390, 844, &spectators);
    owner.until("document.getElementById('presence').textContent === 'Connected: White, Black, 1 spectator'");
    // Black premoves.
    black.squares("e8 e6");
    white.squares("e1 e3");
    for page in [&mut owner, &mut white, &mut black, &mut spectator] {
        page.message("Black played e8e6");
    }
    // Black sees the board from its side, and no one else can move.
    let top = "document.querySelector('#strip-top .dot').classList.contains('white')";
    assert_eq!((black.value(top), white.value(top)), (json!(true), json!(false)));
    for page in [&mut owner, &mut spectator] {
        page.squares("d1 d3");
        assert_eq!(page.value("document.querySelectorAll('#history .move').length"), 2);
    }
    for hidden in ["#new", "#take-back", "#analyse", "#hint", "#first"] {
        let height = format!("document.querySelector('{hidden}').offsetHeight");
        assert_eq!((white.value(&height), spectator.value(&height)), (json!(0), json!(0)), "{hidden}");
    }
    white.click("#draw");
    black.message("White offers a draw.");
    black.until("document.getElementById('draw').textContent === 'Accept the draw'");
    black.click("#draw");
    spectator.message("Draw: by agreement.");
    black.click("#rematch");
    white.message("Black offers a rematch.");
    white.click("#rematch");
    // The sides are swapped.
    white.until(&format!("{top} && document.querySelectorAll('#history .move').length === 0"));
    black.squares("e1 e3");
    white.squares("e8 e6");
    spectator.message("Black played e8e6");
    owner.click("#link");
    owner.click("#close-seats");
    spectator.until("document.getElementById('toast').textContent.includes('invalid or has been closed')");
}

#[test]
#[ignore = "needs chromium"]
fn a_position_is_inspected_and_its_tree_walked() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
    let mut page = Page::open(1280, 900);
    page.begin("chess", fen, PEOPLE);
    // In the same tab.
    page.value("location.href = document.getElementById('inspect').href");
    page.until("document.querySelector('#tables td') !== null");
    page.until(&format!("document.getElementById('fen').textContent === '{fen}'"));
    page.value("document.getElementById('all').click()");
    page.click(".decision");
    page.until("document.querySelector('#facts dt').textContent === 'Step'");
    assert_eq!(page.value("document.querySelectorAll('#board rect').length"), 64);
    page.value("document.getElementById('depth').value = 2");
    page.click("#ask button");
    page.until("document.getElementById('about').textContent.includes(', depth 2, reference minimax')");
    assert_eq!(page.value("new URLSearchParams(location.search).get('depth')"), "2");
    // An inspection that takes too long.
    page.value("document.getElementById('depth').value = 10");
    page.click("#ask button");
    page.click("#stop");
    page.until("document.getElementById('state').textContent === 'Stopped.'");
    assert_eq!(page.value("document.getElementById('stop').disabled"), true);
    // What is shown is still said to be of depth 2.
    assert_eq!(page.value("document.getElementById('about').textContent.includes(', depth 2, ')"), true);
}

#[test]
#[ignore = "needs chromium"]
fn rules_are_told_with_pictures() {
    let mut page = Page::open(1280, 900);
    page.click("#rules");
    for (game, squares) in [("chess", 64), ("neighbours", 64), ("tucchess", 35), ("amazons", 36)] {
        page.set("rules-game", game);
        let first =
            "document.querySelector('#rules-content lab-board').querySelectorAll('[data-square]').length";
        page.until(&format!("{first} === {squares}"));
    }
    page.click("#rules-dialog [type=submit]");
}

#[test]
#[ignore = "needs chromium"]
fn small_screens_need_no_scrolling() {
    for (width, height) in [(1024, 600), (740, 360)] {
        let mut page = Page::open(width, height);
        for game in ["chess", "amazons", "tucchess"] {
            page.begin(game, "", ["person", "1 s a move"]);
            let root = "document.documentElement";
            assert_eq!(
                page.value(&format!(
                    "{root}.scrollHeight <= innerHeight && {root}.scrollWidth <= innerWidth"
                )),
                true,
                "{width} × {height}, {game}"
            );
            for id in ["lab-board", "#strip-bottom", "#message", "#first", "#take-back", "#hint", "#new"] {
                let bottom = format!("document.querySelector('{id}').getBoundingClientRect().bottom");
                assert_eq!(
                    page.value(&format!("{bottom} <= innerHeight")),
                    true,
                    "{width} × {height}, {game}, {id}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs chromium"]
fn clocks_run_and_engines_are_stepped() {
    let mut page = Page::open(1280, 900);
    page.click("#new");
    page.click("#games input[value=neighbours]");
    page.set("new-white", "1 s a move");
    page.set("new-black", "1 s a move");
    page.set("minutes", "5");
    page.set("increment", "3");
    page.click("#new-dialog [type=submit]");
    page.until("!document.getElementById('new-dialog').open");
    page.click("#pause");
    page.until("document.getElementById('pause').getAttribute('aria-pressed') === 'true'");
    page.until("document.querySelector('#strip-bottom .clock').textContent.startsWith('5:0')");
    let before = page.value("document.querySelectorAll('#history .move').length");
    page.click("#one-move");
    page.until(&format!("document.querySelectorAll('#history .move').length === {before} + 1"));
    page.message("Paused");
}

#[test]
#[ignore = "needs chromium"]
fn a_folder_is_shown_and_its_games_replayed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), "[White \"Ann\"]\n\n1. e4 e5 1/2-1/2\n").unwrap();
    std::fs::write(folder.path().join("curve.csv"), "moves,change\n1,0.5\n").unwrap();
    let mut page = Page::with(1280, 800, Config { folder: Some(folder.path().to_owned()), ..config() });
    page.click("#open");
    page.click("#files li:nth-child(1) button");
    page.until("document.querySelector('.curve')?.getAttribute('aria-label').endsWith('from 0.5 to 0.5')");
    // It stays open when the game changes.
    page.value("document.getElementById('analyse').click()");
    page.until("document.querySelectorAll('#lines li').length === 1");
    assert_eq!(page.value("document.getElementById('folder-dialog').open"), true);
    page.value("document.getElementById('analyse').click()");
    std::fs::write(folder.path().join("curve.csv"), "moves,change\n1,0.5\n2,0.25\n").unwrap();
    page.until("document.querySelector('.curve').getAttribute('aria-label').endsWith('to 0.25')");
    page.click("#files li:nth-child(2) button");
    page.until("document.querySelector('#file-content .games button') !== null");
    page.click("#file-content .games button");
    page.until(&format!("{MOVES} === 'e4 e5'"));
    page.until("!document.getElementById('folder-dialog').open");
}

/// What is checked: the page, and its dialogs.
const DIALOGS: [&str; 8] = [
    "",
    "new-dialog",
    "editor-dialog",
    "record-dialog",
    "tags-dialog",
    "link-dialog",
    "rules-dialog",
    "folder-dialog",
];

/// The violations that axe-core calls serious or critical, as text.
const SERIOUS: &str = "window.found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html + node.failureSummary).join(' | '))
    .join('\\n')";

#[test]
#[ignore = "needs chromium, and LABRYS_AXE: the file axe.min.js of the npm package axe-core"]
fn an_accessibility_checker_finds_nothing_serious() {
    let Some(axe) = given("LABRYS_AXE") else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    for (width, height) in [(1280, 900), (390, 844)] {
        let mut page = Page::open(width, height);
        page.begin("tucchess", "", ["person", "2050 Elo"]);
        page.squares("a2 a3");
        page.until(&format!("{MOVES}.split(' ').length === 2"));
        page.until("document.getElementById('speed').textContent.includes('depth')");
        page.click("#static-eval summary");
        page.click(".preferences summary");
        page.until("document.querySelectorAll('#static-eval-rows tr').length > 0");
        page.click("#annotate summary");
        page.click("#explorer summary");
        page.click("#review");
        page.until("!document.getElementById('review-panel').hidden");
        page.value(&format!("{axe}; 0"));
        for scheme in ["light", "dark"] {
            page.colours(scheme);
            for dialog in DIALOGS {
                if !dialog.is_empty() {
                    // Opened directly, as the button is hidden without a folder.
                    match dialog {
                        "tags-dialog" => page.click("#edit-record"),
                        "folder-dialog" => {
                            page.value("document.getElementById('folder-dialog').showModal()");
                        }
                        "editor-dialog" => {
                            page.click("#new");
                            page.click("#set-up");
                        }
                        _ => page.click(&format!("#{}", dialog.trim_end_matches("-dialog"))),
                    }
                    page.until(&format!("document.getElementById('{dialog}').open"));
                }
                page.value("window.found = null; axe.run().then(found => (window.found = found)); 0");
                page.until("window.found !== null");
                let serious = page.value(SERIOUS);
                assert_eq!(serious, "", "{width} {scheme} {dialog}");
                page.value("document.querySelectorAll('dialog[open]').forEach(dialog => dialog.close())");
            }
        }
    }
}

#[test]
#[ignore = "needs chromium, and LABRYS_SCREENSHOTS: the folder for the pictures of the manual"]
fn pictures_of_each_game() {
    let Ok(folder) = std::env::var("LABRYS_SCREENSHOTS") else { return };
    let folder = Path::new(&folder);
    let mut page = Page::open(1180, 820);
    page.begin("chess", "", PEOPLE);
    let pgn = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 ( 6. d3 b5 ) 6... b5 7. Bb3 d6 *";
    page.click("#record");
    page.until("document.getElementById('record-dialog').open");
    page.set("record-pgn", pgn);
    page.click("#record-dialog [type=submit]");
    page.until(&format!("{MOVES}.endsWith('d6')"));
    page.click("#review");
    page.until("document.getElementById('graph').getAttribute('aria-label').includes('15 of 15')");
    page.set("line-count", "3");
    page.click("#analyse");
    page.until("document.querySelectorAll('#lines li').length === 3");
    // Enough depth for long lines in the picture.
    thread::sleep(Duration::from_secs(3));
    page.screenshot(&folder.join("web-chess.png"));
    page.colours("dark");
    page.screenshot(&folder.join("web-chess-dark.png"));
    page.colours("light");
    page.click("#analyse");
    for (game, moves, first) in
        [("neighbours", 13, "e1 e3"), ("tucchess", 15, "b2 b3"), ("amazons", 11, "d1 d7 g7")]
    {
        page.begin(game, "", PEOPLE);
        page.squares(first);
        page.value("document.querySelector('#strip-top select').id = 'top'");
        page.value("document.querySelector('#strip-bottom select').id = 'bottom'");
        page.set("bottom", "1 s a move");
        page.until("!document.getElementById('pause').hidden");
        page.set("top", "1 s a move");
        page.until(&format!("document.querySelectorAll('#history .move').length >= {moves}"));
        page.click("#pause");
        page.message("Paused");
        page.set("top", "person");
        page.until("document.getElementById('top').value === 'person'");
        page.set("bottom", "person");
        page.until("document.getElementById('pause').hidden");
        page.click("#hint");
        page.until("document.getElementById('answer').textContent.startsWith('Hint')");
        page.screenshot(&folder.join(format!("web-{game}.png")));
    }
    let mut page = Page::with(1180, 940, Config { engines: labrys(&[("net", &NET)]), ..config() });
    page.begin("amazons", &Amazons::start_with(2).fen(), PEOPLE);
    for moves in ["d1 d4 b4", "c6 c3 e3", "a2 a5 d5"] {
        page.squares(moves);
        let last = moves.split(' ').next_back().unwrap();
        page.until(&format!("document.querySelector('[data-square={last}]').dataset.piece === '*'"));
    }
    page.set("analyst", "net");
    page.click("#static-eval summary");
    page.until("document.querySelectorAll('.tinted').length > 5");
    page.screenshot(&folder.join("web-net.png"));
    let mut phone = Page::open(390, 844);
    phone.begin("neighbours", "", ["person", "2850 Elo"]);
    phone.squares("e1 e3");
    phone.until(&format!("{MOVES}.split(' ').length === 2"));
    phone.screenshot(&folder.join("web-phone.png"));
}
