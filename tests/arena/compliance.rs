//! The check of engines against their protocol: Labrys passes it, and each kind of fault fails a step.

use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::common::shell::{self, assert_fails, labrys, succeed};
use labrys::engine::registry;

/// The mocks, which take their fault as an argument.
const UCI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/mock_compliance.sh");
const XBOARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/mock_compliance_xboard.sh");

/// A failed step: its name and the reason.
type Failure = (String, String);

/// Checks an engine. Returns whether it passes, the number of results and the failed steps.
fn check(arguments: &str, engine: &[&str]) -> (bool, usize, Vec<Failure>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("compliance").args(arguments.split_whitespace()).arg("--json").args(engine);
    let (success, out, error) = shell::output(&mut command);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
    let results = report["results"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let failed = results.iter().filter(|result| result["verdict"] == "fail");
    let failed = failed.map(|result| (text(&result["id"]), text(&result["reason"])));
    (success, results.len(), failed.collect())
}

/// The failures of a mock with a fault in some steps.
fn failures(mock: &str, fault: &str, arguments: &str) -> (bool, Vec<Failure>) {
    let protocol = if mock == XBOARD { "--xboard" } else { "" };
    let (success, _, failed) = check(&format!("{protocol} {arguments}"), &["sh", mock, fault]);
    (success, failed)
}

/// Faults by which an engine says nothing until the timeout.
const SILENT: [&str; 10] = [
    "silent",
    "flood",
    "endless-line",
    "mute",
    "no-readyok",
    "stays",
    "no-features",
    "not-done",
    "no-pong",
    "takes-illegal",
];

/// The timeout for an engine with a fault, in seconds. It is also the time for its start, so it has to be
/// long enough on a busy machine; the check waits for the end of the short one.
fn timeout(fault: &str) -> &'static str {
    if SILENT.contains(&fault) { "2" } else { "20" }
}

/// Calls `check` with each case and its fault. Silent engines are waited for together, when no others are timed.
fn each_case<C: Send>(cases: impl IntoIterator<Item = (&'static str, C)>, check: impl Fn(&str, C) + Sync) {
    let is_silent = |(fault, _): &(&str, C)| SILENT.contains(fault);
    let (silent, others): (Vec<_>, Vec<_>) = cases.into_iter().partition(is_silent);
    others.into_iter().for_each(|(fault, case)| check(fault, case));
    let check = &check;
    thread::scope(|scope| {
        for (fault, case) in silent {
            scope.spawn(move || check(fault, case));
        }
    });
}

#[test]
fn labrys_passes_in_every_game() {
    // On purpose: a line that begins with an unknown command is refused as a whole.
    let refused = [("handshake/unknown-word-first".to_owned(), "no `readyok` within 20 s".to_owned())];
    let check_game = |game: &str| {
        // On a busy machine nothing is late.
        let arguments = format!("--timeout 20 --margin 60 --variant {game}");
        let (success, count, failed) = check(&arguments, &[env!("CARGO_BIN_EXE_labrys")]);
        assert_eq!(failed, refused, "{game}");
        assert!(success && count > 80, "{game}: {count}");
    };
    thread::scope(|scope| {
        let check_game = &check_game;
        for game in registry::names() {
            scope.spawn(move || check_game(game));
        }
    });
}

#[test]
#[cfg(unix)]
fn each_fault_of_a_uci_engine_fails_its_step() {
    let faults = [
        ("illegal", "search/depth", "`a1a8`"),
        ("none", "search/depth", "`(none)`"),
        ("blank", "search/depth", "``"),
        ("twice", "search/depth", "a move that nobody asked for"),
        ("silent", "search/depth", "no move within 2 s"),
        ("deep", "search/depth", "deeper than the limit of 1"),
        ("flood", "search/depth", "no move within 2 s"),
        ("endless-line", "search/depth", "no move within 2 s"),
        ("crash", "search/depth", "the engine has ended (exit status: 3)"),
        ("signal", "search/depth", "the engine has ended (signal: 11"),
        ("garbage", "search/depth", "is not UTF-8"),
        ("mute", "handshake/uci", "no `uciok` within 2 s"),
        ("no-author", "handshake/uci", "no `id author` with a text"),
        ("bad-option", "handshake/options", "the default is out of range"),
        ("no-readyok", "search/isready", "no `readyok` within 2 s"),
        ("early", "search/infinite", "an answer before `stop`"),
        ("surplus", "search/stop-idle", "a move that nobody asked for"),
        ("stays", "exit/quit", "still running 2 s after the end"),
        ("bad-status", "exit/status", "ended with an error (exit status: 4)"),
        ("hasty", "clock/all-of-movetime", "ms, expected 200 ms or more"),
        ("shallow", "info/whole-depth", "the deepest finished depth is 1, expected 3 or more"),
        ("two-readyok", "handshake/isready", "a `readyok` that nobody asked for"),
        ("late", "clock/movetime", "allowed were 100 ms"),
        ("late", "search/infinite", "allowed were 250 ms"),
        ("changing", "search/same-again", "before, from the same start"),
        ("malformed", "info/words", "depth `one`"),
        ("unknown-word", "info/known-words", "unknown word `happiness`"),
        ("illegal-pv", "info/pv", "pv, move 2"),
        ("illegal-ponder", "info/ponder", "ponder `a1a2`"),
        ("bare-ponder", "info/ponder", "expected `bestmove <move>`"),
        ("no-ponder-word", "info/ponder", "expected `bestmove <move>`"),
        ("negative", "info/words", "depth `-1`"),
        ("falling-depth", "info/depth", "depth 2 after 3"),
        ("falling-nodes", "info/counters", "8 nodes after 9"),
        ("early-time", "info/counters", "time 99999999"),
        ("wrong-speed", "info/speed", "nps 7"),
        ("two-bounds", "info/score", "more than one bound"),
        ("other-line", "info/best-of-pv", "not the first of the last pv"),
        ("no-report", "info/reports", "no line with depth, score and pv"),
        ("one-line", "info/multipv", "expected 3 lines"),
        ("same-lines", "info/multipv", "two lines begin with the same move"),
        ("bad-order", "info/multipv-order", "line 2 has a better score"),
        ("wrong-wdl", "info/wdl", "win, draw and loss are not 1000 in all"),
    ];
    each_case(faults.map(|(fault, step, reason)| (fault, (step, reason))), |fault, (step, reason)| {
        let arguments = format!("--timeout {} --margin 0 --only {step}", timeout(fault));
        let (success, failed) = failures(UCI, fault, &arguments);
        let found = failed.first().map(|(_, reason)| reason.as_str()).unwrap_or_default();
        assert!(failed.len() == 1 && found.contains(reason), "{fault}: {failed:?}");
        let is_advice =
            ["search/same-again", "info/speed", "info/best-of-pv", "info/wdl", "info/multipv-order"]
                .into_iter()
                .chain(["info/known-words", "exit/status", "clock/all-of-movetime", "info/whole-depth"])
                .any(|advice| advice == step);
        assert_eq!(success, is_advice, "{fault}");
    });
}

#[test]
#[cfg(unix)]
fn answers_have_to_come_in_time() {
    for (fault, step, reason) in
        [("slow-readyok", "search/isready", "after "), ("other-clock", "clock/own", "allowed were 300 ms")]
    {
        let (success, failed) = failures(UCI, fault, &format!("--timeout 20 --margin 0 --only {step}"));
        assert!(!success && failed.len() == 1 && failed[0].1.contains(reason), "{fault}: {failed:?}");
    }
}

#[test]
#[cfg(unix)]
fn the_first_words_come_in_any_order_spacing_and_encoding() {
    for words in ["author-first", "spaces", "latin-1"] {
        let steps = "--only handshake/uci --only handshake/options --only search/depth";
        let (success, failed) = failures(UCI, words, steps);
        assert!(success, "{words}: {failed:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_behind_a_script_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("sleep 98765 & echo $! > {}; wait", file.display());
    let (success, _, _) = check("--timeout 2 --variant chess --only search/depth", &["sh", "-c", &script]);
    let pid = std::fs::read_to_string(&file).unwrap();
    // Of a process that has ended, nothing or an empty command line is left.
    let command = || std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !command().is_empty() && std::time::Instant::now() < end {
        thread::yield_now();
    }
    assert!(!success && command().is_empty(), "{pid}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_leak_is_seen() {
    let (success, failed) = failures(UCI, "leak", "--timeout 60 --only newgame/memory");
    assert!(!success && failed[0].1.contains("MiB more"), "{failed:?}");
    // Also behind a script that waits for the engine.
    let script = format!("sh {UCI} leak; exit $?");
    let (success, _, failed) = check("--timeout 60 --only newgame/memory", &["sh", "-c", &script]);
    assert!(!success && failed[0].1.contains("MiB more"), "{failed:?}");
    let (success, failed) = failures(XBOARD, "leak", "--timeout 60 --only xboard/many-games");
    assert!(!success && failed[0].1.contains("MiB more"), "{failed:?}");
}

#[test]
#[cfg(unix)]
fn what_an_engine_lacks_is_no_fault() {
    // The mock has no `Ponder`, and `MultiPV` up to 9.
    let steps = "--only search/ponder* --only chess/ponder-mate --only exit/quit-pondering";
    let out = succeed(labrys(&format!("compliance --timeout 5 {steps} sh {UCI} sound")));
    assert!(out.contains("skip  neighbours search/ponderhit: the engine has no Ponder"), "{out}");
    let xboard = format!("compliance --xboard --variant amazons --only xboard/go sh {XBOARD} sound");
    assert_fails(labrys(&xboard), "--variant amazons: the xboard protocol has no name for this game");
    // Words that it does not know are an error, and none of the engine.
    for (words, reason) in
        [("--variant chess", "does not announce `chess`, but neighbours"), ("--option Hsh=64", "`Hsh`")]
    {
        assert_fails(labrys(&format!("compliance {words} --only search/depth sh {UCI} sound")), reason);
    }
}

#[test]
#[cfg(unix)]
fn an_engine_that_fails_a_step_is_started_anew_for_the_next() {
    let steps = "--only handshake/uci --only search/depth --only search/infinite --only exit/*";
    each_case(["silent", "flood", "crash", "signal"].map(|fault| (fault, ())), |fault, ()| {
        let (success, failed) = failures(UCI, fault, &format!("--timeout {} {steps}", timeout(fault)));
        let ids: Vec<_> = failed.iter().map(|(id, _)| id.as_str()).collect();
        assert!(!success && ids == ["search/depth", "search/infinite"], "{fault}: {failed:?}");
    });
}

#[test]
#[cfg(unix)]
fn an_engine_that_never_shakes_hands_is_given_up() {
    // It says as little if it has not even started by then.
    let (success, count, failed) = check("--timeout 0.2", &["sh", UCI, "mute"]);
    assert!(!success && count > 80 && failed.len() < 10, "{count}: {failed:?}");
}

#[test]
#[cfg(unix)]
fn each_fault_of_an_xboard_engine_fails_its_step() {
    let faults = [
        ("no-features", "xboard/features", "no `feature` within 2 s"),
        ("not-done", "xboard/go", "no `feature done=1` after `done=0`"),
        ("no-pong", "xboard/ping", "no `pong"),
        ("silent", "xboard/go", "no move within 2 s"),
        ("illegal", "xboard/go", "a2a8"),
        ("resigns", "xboard/go", "the end of a game that goes on"),
        ("claims", "xboard/go", "the end of a game that goes on"),
        ("capitals", "xboard/go", "`H2H3`"),
        ("words", "xboard/go", "`h2h3 of course`"),
        ("two-pongs", "xboard/ping", "a `pong` that nobody asked for"),
        ("late", "xboard/force-then-ping", "a move that nobody asked for"),
        ("not-forced", "xboard/force-stops", "a move that nobody asked for"),
        ("talks", "xboard/nopost", "a line of thinking before it"),
        ("takes-illegal", "xboard/illegal-move", "no `Illegal move` or `Error` within 2 s"),
    ];
    each_case(faults.map(|(fault, step, reason)| (fault, (step, reason))), |fault, (step, reason)| {
        let arguments = format!("--timeout {} --only {step}", timeout(fault));
        let (success, failed) = failures(XBOARD, fault, &arguments);
        let found = failed.first().map(|(_, reason)| reason.as_str()).unwrap_or_default();
        assert!(!success && failed.len() == 1 && found.contains(reason), "{fault}: {failed:?}");
    });
    let steps = faults.map(|(_, step, _)| format!("--only {step} ")).concat();
    assert_eq!(failures(XBOARD, "sound", &format!("{steps} --timeout 60")), (true, Vec::new()));
}

#[test]
#[cfg(unix)]
fn results_are_text_and_tap() {
    let of = |words: &str| labrys(&format!("compliance --timeout 20 {words} sh {UCI} falling-depth"));
    let (success, out, error) = of("--only info/depth --only info/speed");
    assert!(!success && error.contains("1 of the required steps failed"), "{error}");
    let lines: Vec<_> = out.lines().map(str::trim_start).collect();
    let expected = [
        "pass  neighbours info/speed",
        "FAIL  neighbours info/depth (required): depth 2 after 3",
        "answered: info depth 2 score cp 3 pv a1a2",
        "2 steps: 1 passed, 1 required and 0 advised failed, 0 skipped",
    ];
    assert!(expected.iter().all(|line| lines.contains(line)), "{out}");
    let (_, out, _) = of("--tap --only info/depth --only chess/*");
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[..2], ["TAP version 14", "not ok 1 - neighbours info/depth"]);
    assert!(lines.contains(&"1..1") && lines.contains(&"  message: \"depth 2 after 3\""), "{out}");
    // Advice that fails is no failure.
    let advice = format!("compliance --tap --timeout 20 --only info/speed sh {UCI} wrong-speed");
    let out = succeed(labrys(&advice));
    assert!(out.contains("not ok 1 - neighbours info/speed # TODO advice"), "{out}");
}

#[test]
fn wrong_arguments_are_named() {
    assert_fails(labrys("compliance"), "missing CMD");
    assert_fails(labrys("compliance --only nothing/* labrys"), "--only `nothing/*`: no step of this name");
    assert_fails(labrys("compliance /no/such/engine"), "cannot start `/no/such/engine`");
    assert_fails(labrys("compliance --variant checkers labrys"), "checkers");
    assert_fails(labrys("compliance --variant amazons /no/such/engine"), "cannot start `/no/such/engine`");
    let engine = env!("CARGO_BIN_EXE_labrys");
    assert!(!labrys(&format!("compliance --variant amazons --only chess/* {engine}")).0);
}
