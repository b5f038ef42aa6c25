//! What the page of the web board sends, and sessions that were saved.

use std::cell::RefCell;
use std::sync::Arc;

use labrys_core::game::Color;
use labrys_session::{
    AnyRequest, Catalogue, Listener, Role, SavedSession, SearchRunner, SearchState, Session, SlowRequest,
    Tasks, read,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Target, pgn, repair};

/// Requests of an input at most: a game of hundreds of moves is slow.
const REQUESTS_OF_INPUT: usize = 60;

/// Requests in JSON, a line for each, with a role before it or without. `!` makes the search that is due. A
/// session is the same when it is saved and restored.
pub(super) const REQUESTS: Target = Target {
    name: "requests",
    run: requests,
    seeds: request_seeds,
    words: &[
        "{\"do\":\"",
        "new",
        "play",
        "play-line",
        "show",
        "take-back",
        "players",
        "pause",
        "step",
        "analyse",
        "review",
        "try",
        "ask",
        "check",
        "resign",
        "draw",
        "annotate",
        "promote",
        "delete",
        "record",
        "save",
        "load",
        "choose",
        "explored",
        "static-eval",
        "rematch",
        "seats",
        "white ",
        "black ",
        "spectator ",
        "explore",
        "\"node\":",
        "\"move\":\"e2e4\"",
        "\"moves\":[",
        "\"game\":\"chess\"",
        "\"game\":0",
        "\"option\":\"",
        "\"fen\":\"",
        "\"players\":[\"person\",\"person\"]",
        "\"clock\":{\"minutes\":1,\"increment\":0.5}",
        "\"comment\":\"",
        "\"glyphs\":[1]",
        "\"pgn\":\"",
        "\"tags\":{\"White\":\"x\"}",
        "\"on\":true",
        "\"threat\":true",
        "\"annotated\":true",
        "\"all\":true",
        "\n!\n",
        "\\n",
        "\\u0000",
        "18446744073709551615",
        "1e308",
        "null",
    ],
};

/// A saved session. One that is accepted is the same when it is saved again.
pub(super) const SAVED: Target = Target {
    name: "saved_session",
    run: saved,
    seeds: saved_seeds,
    words: &[
        "\"session\":",
        "\"crc32\":\"",
        "\"number\":",
        "\"game\":\"",
        "\"option\":",
        "\"players\":[",
        "\"control\":\"300+3\"",
        "\"tree\":",
        "\"parent\":",
        "\"shown\":",
        "\"moves\":",
        "\"header\":",
        "\"file\":",
        "\"reviewer\":",
        "\"analysis\":[",
        "null",
        "-1",
        "18446744073709551615",
        "1e308",
        "\\n",
    ],
};

/// A session with those who listen to it.
struct Page {
    session: Session,
    tasks: Tasks,
    listener: Listener,
}

impl Page {
    fn new(catalogue: &Arc<Catalogue>) -> Page {
        let fresh = Session::with_default_game("a session".to_owned(), Arc::clone(catalogue));
        let (session, tasks) = fresh.unwrap_or_else(|refusal| panic!("{refusal}"));
        let listener = session.listen();
        Page { session, tasks, listener }
    }

    /// Does what a line asks for.
    fn line(&self, line: &str) {
        if line.trim() == "!" {
            return self.finish_search();
        }
        let (role, text) = role(line);
        let before = self.listener.game.borrow().clone();
        let answer = match read(text) {
            Ok(AnyRequest::Quick(request)) => self.session.request(role, request),
            Ok(AnyRequest::Slow(request)) if self.session.check_slow(role, &request).is_ok() => match request
            {
                SlowRequest::StaticEval {} => Some(self.session.static_eval()),
                SlowRequest::Explore { pgn, first } => Some(self.session.explore(&pgn, first)),
                // Folders are those of the server.
                _ => None,
            },
            _ => None,
        };
        let after = self.listener.game.borrow().clone();
        for message in answer.as_deref().into_iter().chain([&*after]) {
            assert!(serde_json::from_str::<Value>(message).is_ok(), "{message}");
        }
        // Those who watch a game with seats change nothing.
        if role == Role::Spectator && before != after {
            let before: Value = serde_json::from_str(&before).expect("JSON");
            assert!(before["seats"].is_null(), "{line}");
        }
    }

    /// Makes the search that is due, up to its first report.
    fn finish_search(&self) {
        thread_local!(static RUNNER: RefCell<SearchRunner> = RefCell::default());
        let job = self.tasks.jobs.borrow().clone();
        if let Some(job) = job {
            let report = &mut |found: &SearchState| {
                self.session.on_progress(&job, found);
                job.stop();
            };
            let best = RUNNER.with_borrow_mut(|runner| runner.run(&job, report));
            self.session.on_finish(&job, best);
        }
    }
}

/// The role that a line begins with, that of the owner by default, and the request behind it.
fn role(line: &str) -> (Role, &str) {
    let roles = [
        ("white ", Role::Player(Color::White)),
        ("black ", Role::Player(Color::Black)),
        ("spectator ", Role::Spectator),
    ];
    let found = roles.into_iter().find_map(|(name, role)| Some((role, line.strip_prefix(name)?)));
    found.unwrap_or((Role::Owner, line))
}

fn requests(data: &[u8]) {
    let catalogue = Arc::new(Catalogue::new(&[]));
    let page = Page::new(&catalogue);
    let text = String::from_utf8_lossy(data);
    text.lines().take(REQUESTS_OF_INPUT).for_each(|line| page.line(line));
    if let Some(saved) = page.session.take_unsaved() {
        let text = saved.to_text().expect("a session in JSON");
        restored_again(&text, &catalogue).unwrap_or_else(|| panic!("{text}"));
    }
}

/// Restores a session. If it is accepted, it is the same when it is saved and restored once more.
fn restored_again(text: &str, catalogue: &Arc<Catalogue>) -> Option<()> {
    let restore = |text: &str| SavedSession::from_text(text).and_then(|saved| saved.restore(catalogue));
    let own = SavedSession::new(&restore(text).ok()?).to_text().expect("a session in JSON");
    let state = restore(&own).unwrap_or_else(|error| panic!("{own}: {error}"));
    let again = SavedSession::new(&state).to_text().expect("a session in JSON");
    assert_eq!(again, own);
    // It goes on.
    let (session, tasks) = Session::new("again".to_owned(), Arc::clone(catalogue), state);
    let listener = session.listen();
    let page = Page { session, tasks, listener };
    ["!", r#"{"do":"take-back"}"#, r#"{"do":"save","annotated":true}"#]
        .into_iter()
        .for_each(|line| page.line(line));
    Some(())
}

fn saved(data: &[u8]) {
    let mut bytes = data.to_vec();
    if let Some(sum) = checksum(&bytes) {
        repair::entry(&mut bytes, sum);
    }
    if let Ok(text) = String::from_utf8(bytes) {
        restored_again(&text, &Arc::new(Catalogue::new(&[])));
    }
}

/// The checksum of a saved session: that of its text within the whole.
fn checksum(bytes: &[u8]) -> Option<u32> {
    let entries: std::collections::HashMap<String, Box<RawValue>> = serde_json::from_slice(bytes).ok()?;
    Some(crc32fast::hash(entries.get("session")?.get().as_bytes()))
}

/// The requests of some visits.
fn visits() -> Vec<Vec<Value>> {
    let pgn = pgn::example();
    let all = json!([
        [
            {"do": "new", "game": "chess", "players": ["person", "person"]},
            {"do": "play", "node": 0, "move": "e2e4"}, {"do": "play", "node": 1, "move": "e7e5"},
            {"do": "show", "node": 0}, {"do": "play", "node": 0, "move": "d2d4"},
            {"do": "annotate", "node": 3, "comment": "better {or not}", "glyphs": [1]},
            {"do": "promote", "node": 3},
            {"do": "record", "tags": {"White": "x", "Event": "y"}}, {"do": "save", "annotated": true},
            {"do": "delete", "node": 1}, {"do": "take-back"}, {"do": "resign"},
        ],
        [
            {"do": "load", "pgn": pgn}, {"do": "review", "on": true}, "!", "!", {"do": "save", "all": true},
            {"do": "choose", "game": 0}, {"do": "explore", "pgn": pgn, "first": true},
            {"do": "explored", "game": 0},
            {"do": "analyse", "on": true, "lines": 3}, "!", {"do": "static-eval"},
        ],
        [
            {
                "do": "new", "game": "tucchess", "players": ["person", "person"],
                "clock": {"minutes": 5.0, "increment": 3.0},
            },
            {"do": "play", "node": 0, "move": "a2a3"}, {"do": "ask", "node": 1}, "!",
            {"do": "try", "node": 1, "move": "a6a5"}, "!", {"do": "draw"},
            {"do": "check", "game": "amazons", "fen": "q2/3/2Q w - - 0 1"},
        ],
        [
            {"do": "new", "game": "amazons", "players": ["person", "person"], "option": "6x6"},
            {"do": "pause", "on": true},
            {"do": "step"}, {"do": "play-line", "node": 0, "moves": ["d1d2,d2d1"]},
            {"do": "ask", "node": 0, "threat": true}, "!",
        ],
        [
            {"do": "new", "game": "neighbours", "players": ["person", "person"]}, {"do": "seats", "on": true},
            "white {\"do\":\"play\",\"node\":0,\"move\":\"e1e3\"}", "black {\"do\":\"draw\"}",
            "spectator {\"do\":\"resign\"}", "spectator {\"do\":\"save\"}", "white {\"do\":\"draw\"}",
            "black {\"do\":\"rematch\"}", "white {\"do\":\"rematch\"}", {"do": "seats", "on": false},
        ],
    ]);
    serde_json::from_value(all).expect("lists of requests")
}

fn request_seeds() -> Vec<Vec<u8>> {
    let line = |request: &Value| request.as_str().map_or_else(|| request.to_string(), str::to_owned);
    visits().iter().map(|visit| visit.iter().map(line).collect::<Vec<_>>().join("\n").into_bytes()).collect()
}

fn saved_seeds() -> Vec<Vec<u8>> {
    let catalogue = Arc::new(Catalogue::new(&[]));
    let save = |visit: Vec<u8>| {
        let page = Page::new(&catalogue);
        String::from_utf8_lossy(&visit).lines().for_each(|line| page.line(line));
        let saved = page.session.take_unsaved().expect("a session that has changed");
        saved.to_text().expect("a session in JSON").into_bytes()
    };
    request_seeds().into_iter().map(save).collect()
}
