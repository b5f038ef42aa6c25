//! Generations of evaluation nets: `labrys nnue generations`.

use crate::common::shell::{self, assert_fails, signal, succeed};

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::tempdir;

/// Small settings under which nothing depends on time.
const SMALL: &str = "\
variant = \"amazons\"
option = \"AmazonsBoard=5x5\"
games = 24
nodes = 30
random-plies = \"2-5\"
window = 2
neurons = 16
epochs = 3
batch = 256
blend = 0.5
match-games = 4
each = { nodes = 40 }
";

/// The files that must not depend on interruptions of a run.
const RESULTS: [&str; 5] =
    ["elo.csv", "generations.json", "1/selfplay.games", "1/net.safetensors", "2/net.safetensors"];

/// The command, with the settings in a file of the folder.
fn generations(folder: &Path, out: &Path, words: &str) -> Command {
    let config = folder.join("small.toml");
    fs::write(&config, SMALL).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.args(["nnue", "generations", "--threads", "1", "--config"]).arg(config).arg("--out").arg(out);
    command.args(words.split_whitespace());
    command
}

fn results(out: &Path) -> Vec<Vec<u8>> {
    RESULTS.iter().map(|name| fs::read(out.join(name)).unwrap()).collect()
}

/// Starts a run and waits until a file has content, or the run is over.
fn run_until(command: &mut Command, file: &Path) -> Child {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while child.try_wait().unwrap().is_none() && !fs::metadata(file).is_ok_and(|file| file.len() > 0) {
        sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn the_result_does_not_depend_on_interruptions() {
    let folder = tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let text = succeed(shell::output(&mut generations(folder.path(), &whole, "--generations 2")));
    for line in ["generation 1: ", "generation 2: ", "; against the one before Elo ", "2 generations are"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let table = fs::read_to_string(whole.join("elo.csv")).unwrap();
    let lines: Vec<_> = table.lines().collect();
    assert!(lines.len() == 3 && lines[1].contains(",,,") && !lines[2].contains(",,"), "{table}");
    assert!(fs::read_to_string(whole.join("elo.svg")).unwrap().contains("against the one before"));

    for name in [
        "generations.json",
        "1/selfplay.games",
        "1/training.safetensors",
        "1/linear.pgn",
        "2/selfplay.games",
        "2/linear.pgn",
        "2/before.pgn",
    ] {
        let mut command = generations(folder.path(), &parts, "--generations 2");
        let mut child = run_until(&mut command, &parts.join(name));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // One generation, then one more.
    for words in ["--generations 1", "--generations 2"] {
        succeed(shell::output(&mut generations(folder.path(), &parts, words)));
    }
    assert!(results(&parts) == results(&whole));
    // Nothing is left to do.
    let (success, text, _) = shell::output(&mut generations(folder.path(), &parts, "--generations 2"));
    assert!(success && !text.contains("epoch") && text.starts_with("2 generations are complete"), "{text}");
}

/// A file that is whole and right, but of another run.
#[test]
fn files_that_were_changed_are_named() {
    let folder = tempdir().unwrap();
    let [ours, other] = ["ours", "other"].map(|name| folder.path().join(name));
    succeed(shell::output(&mut generations(folder.path(), &ours, "--generations 1 --match-games 0")));
    succeed(shell::output(&mut generations(
        folder.path(),
        &other,
        "--generations 1 --match-games 0 --seed 2",
    )));
    for name in ["1/net.safetensors", "1/selfplay.games"] {
        let path = ours.join(name);
        let before = fs::read(&path).unwrap();
        fs::copy(other.join(name), &path).unwrap();
        let mut command = generations(folder.path(), &ours, "--generations 2 --match-games 0");
        assert_fails(shell::output(&mut command), &format!("{name}: changed since its generation: SHA-256 "));
        assert!(!ours.join("2").exists());
        fs::write(&path, before).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_continue() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = generations(folder.path(), &out, "--games 1000000");
    let child = run_until(&mut command, &out.join("1/selfplay.games"));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{error}");
    assert!(error.contains("interrupted in generation 1, run the same command to continue"), "{error}");
}

#[test]
fn games_are_played_as_asked() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let words = "--generations 1 --match-games 0 --games 8 --soft-nodes 20 --max-start-score 9";
    succeed(shell::output(&mut generations(folder.path(), &out, words)));
    let games = fs::read(out.join("1/selfplay.games")).unwrap();
    let header = String::from_utf8_lossy(&games[..games.iter().position(|&byte| byte == b'\n').unwrap()]);
    assert!(header.contains("\"soft_nodes\":20") && header.contains("\"max_start_score\":9"), "{header}");
}

#[test]
fn other_settings_are_refused_by_name_and_change_nothing() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |words: &str| shell::output(&mut generations(folder.path(), &out, words));
    for (words, message) in [
        ("--neurons 20", "--neurons: 20 neurons, expected a multiple of 16"),
        ("--each tc=x", "--each: tc `x`: expected "),
        ("--each nodes=1 option.Nonsense=1", "Nonsense"),
        ("--match-games 3", "expected an even number"),
        ("--soft-nodes 31", "--soft-nodes 31: more than --nodes 30"),
        ("--chess960 50", "--chess960, --double-chess960: amazons has no such start positions"),
        ("--variant halma", "unknown variant `halma`"),
        ("--option Size=9", "--option"),
        ("--start random", "--start `random`: expected one of: linear, nothing"),
    ] {
        assert_fails(run(words), message);
        assert!(!out.exists(), "{words}");
    }
    succeed(run("--generations 1 --start nothing --blend 0 --match-games 0"));
    assert!(out.join("0/net.safetensors").exists() && !out.join("1/linear.pgn").exists());
    let files = || {
        let paths = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let paths = paths(out.clone()).chain(paths(out.join("1"))).filter(|path| path.is_file());
        let mut files: Vec<_> = paths.map(|path| (fs::read(&path).unwrap(), path)).collect();
        files.sort();
        files
    };
    let before = files();
    for (words, message) in [
        ("--start linear --blend 0 --match-games 0", "--start: \"linear\", but the training in "),
        ("--start nothing --blend 0.5 --match-games 0", "--blend: 0.5, but the training in "),
        ("--start nothing --blend 0 --match-games 0 --window 4", "--window: 4, but the training in "),
        (
            "--start nothing --blend 0 --match-games 0 --soft-nodes 20",
            "--soft-nodes: 20, but the training in ",
        ),
    ] {
        assert_fails(run(words), message);
        assert!(files() == before, "{words}");
    }
}
