//! Sharded work: the merged result equals that of one machine, and files that do not belong together are
//! rejected by name.

use crate::common::shell::{self, succeed};

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use labrys::arena::pgn::PgnGame;
use labrys::arena::pgn::file::finished_games;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

const SELFPLAY: &str = "nnue selfplay --variant neighbours --linear --games 70 --nodes 20";

const MATCH: &str = "match --variant neighbours --engine name=a --engine name=b option.FeatureSet=base --each \
                     nodes=100 option.Hash=1 --games 14";

/// A run of one generation, which takes seconds.
const ZERO: &str = "
variant = \"tucchess\"
generations = 1
net = { channels = 4, blocks = 1, dense = 4 }
selfplay = { games = 5, opening_plies = 2, longest = 40, options = { Simulations = 8 } }
training = { batch = 16 }
gate = { games = 2 }
";

/// A folder in which Labrys runs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &str) -> (bool, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        shell::output(command.args(words.split_whitespace()).current_dir(self.0.path()))
    }

    /// Standard output of a command that succeeds.
    fn done(&self, words: &str) -> String {
        succeed(self.run(words))
    }

    /// Plays the shards of a job, the last one first; `out` names the argument of their files, a to c.
    fn shards(&self, command: &str, out: &str) {
        for (index, name) in [(3, "c"), (2, "b"), (1, "a")] {
            self.done(&format!("{command} --shard {index}/3 {out} {name}"));
        }
    }

    fn refused(&self, words: &str, message: &str) {
        let (success, out, error) = self.run(words);
        assert!(!success && error.contains(message) && out.is_empty(), "{words}: {error}, not {message}");
        assert!(!words.contains("merged") || !self.path("merged").exists(), "{words}");
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }
}

#[test]
fn sharded_self_play_equals_that_of_one_machine() {
    let folder = Folder::new();
    folder.done(&format!("{SELFPLAY} --out whole"));
    folder.shards(SELFPLAY, "--out");
    // A killed shard is resumed; here its last block is cut off.
    let bytes = folder.bytes("b");
    fs::write(folder.path("b"), &bytes[..bytes.len() - 9]).unwrap();
    folder.refused("games merge --out merged a b c", "games file b: block 1");
    folder.done(&format!("{SELFPLAY} --shard 2/3 --out b"));
    assert_eq!(folder.bytes("b"), bytes);

    folder.refused(&format!("{SELFPLAY} --shard 1/3 --out b"), "games file b: shard 2/3 of 70 games");
    folder.refused("games merge --out merged a b", "1 of 3 shards missing: 3");
    folder.refused("games merge --out merged a b c b", "b: shard 2/3 again, after b");
    folder.refused("games merge --out merged a whole", "whole: not a shard, but whole");
    folder.done(&format!("{SELFPLAY} --seed 2 --shard 2/3 --out other"));
    folder.refused("games merge --out merged a other c", "other: shard 2/3 of 70 games of job ");
    folder.refused("games merge --out a b c", "--out a: the file exists");
    folder.refused(&format!("{SELFPLAY} --shard 36/36 --out x"), "70 games cannot be cut into ");

    assert_eq!(folder.done("games merge --out merged c a b"), "merged: 3 shards\n");
    assert_eq!(folder.bytes("merged"), folder.bytes("whole"));
}

/// The reproducible part of a match with node limits.
fn lasting(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).unwrap();
    for name in ["games_played", "wall_seconds", "thinking"] {
        report.as_object_mut().unwrap().remove(name).unwrap();
    }
    report
}

#[test]
fn sharded_matches_equal_those_of_one_machine() {
    let folder = Folder::new();
    let whole = folder.done(&format!("{MATCH} --json --pgnout whole"));
    folder.shards(MATCH, "--concurrency 2 --pgnout");

    for files in ["whole", "c a b"] {
        let report = folder.done(&format!("{MATCH} --json --report {files}"));
        assert_eq!(lasting(&report), lasting(&whole), "{files}");
    }
    // A test that some of the shards do not decide, but all do.
    let sprt = "--sprt elo0=-9 elo1=400 alpha=0.4 beta=0.4 --json --report";
    let accepted =
        |files| lasting(&folder.done(&format!("{MATCH} {sprt} {files}")))["sprt"]["accepted"].clone();
    assert_eq!(accepted("b c"), Value::Null, "the first pairs are missing");
    assert_ne!(accepted("a b c"), Value::Null);

    folder.refused(&format!("{MATCH} --seed 2 --report a"), ": another opening: not a game of");
    folder.refused(&format!("{MATCH} --report a a"), ": it is there twice");
    folder.refused(&format!("{MATCH} --report x"), "x");
    let resumed = format!("{MATCH} --resume --pgnout");
    folder.refused(&format!("{resumed} b --shard 1/3"), ": of shard 2/3 of 14 games of job ");
    folder
        .refused(&format!("{resumed} whole --shard 1/3"), "of the whole match, not of shard 1/3 of 14 games");
    // Games of the whole match would follow those of the shard.
    folder.refused(&format!("{resumed} a"), ": of shard 1/3 of 14 games of job ");
    folder.refused(&format!("{MATCH} --sprt elo0=0 elo1=5 --shard 8/8"), "14 games cannot be cut into ");

    let text = String::from_utf8(folder.bytes("b")).unwrap();
    fs::write(folder.path("cut"), &text[..text.len() - 9]).unwrap();
    folder.refused("games merge --out merged a cut c", "cut: ");
    let last = text.rfind("[Event ").unwrap();
    fs::write(folder.path("few"), &text[..last]).unwrap();
    folder.refused("games merge --out merged a few c", "few: 3 games, expected 4: play the shard to its end");
    fs::write(folder.path("twice"), text.replace("[GameNumber \"6\"]", "[GameNumber \"5\"]")).unwrap();
    folder.refused("games merge --out merged a twice c", "twice: game 5 is not of shard 2/3, or there twice");

    folder.done("games merge --out merged b c a");
    let [merged, whole] = ["merged", "whole"].map(|name| finished_games(&folder.path(name)).unwrap());
    assert_eq!(merged.len(), 14);
    for (merged, whole) in merged.iter().zip(&whole) {
        let moves = |record: &PgnGame| record.moves.iter().map(|mv| mv.text.clone()).collect::<Vec<_>>();
        assert_eq!(moves(merged), moves(whole));
        let rest = |record: &PgnGame| PgnGame { moves: Vec::new(), date: String::new(), ..record.clone() };
        assert_eq!(rest(merged), rest(whole));
    }
    assert!(folder.done("games replay merged").ends_with("all legal\n"));
}

/// A merge that is killed would leave its temporary file and its lock.
#[cfg(unix)]
#[test]
fn an_interrupted_merge_leaves_nothing() {
    use std::process::Stdio;
    use std::thread::sleep;
    use std::time::Duration;

    let folder = Folder::new();
    let command = "match --variant neighbours --engine name=a --engine name=b --each nodes=20 option.Hash=1 \
                   --games 4";
    for (shard, name) in [("1/2", "a"), ("2/2", "b")] {
        folder.done(&format!("{command} --shard {shard} --pgnout {name}"));
        // A pair of games, as often as takes seconds to merge.
        let text = String::from_utf8(folder.bytes(name)).unwrap();
        let pair = text.replace(" of 4 games of job ", " of 20000 games of job ");
        let numbered = |index: u32| {
            let number = |number: u32| format!("[GameNumber \"{number}\"]");
            pair.replace(&number(1), &number(2 * index + 1)).replace(&number(2), &number(2 * index + 2))
        };
        fs::write(folder.path(name), (0..5000).map(numbered).collect::<String>()).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["games", "merge", "--out", "merged", "a", "b"])
        .current_dir(folder.0.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let left = || {
        let names = fs::read_dir(folder.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| !["a", "b"].contains(&name.to_str().unwrap())).collect::<Vec<_>>()
    };
    while !left().iter().any(|name| !name.to_str().unwrap().ends_with(".lock")) {
        assert!(child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(1));
    }
    shell::signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("--out merged: interrupted"), "{error}");
    assert!(left().is_empty(), "{:?}", left());
}

#[test]
fn shards_with_other_weights_are_of_another_job() {
    let folder = Folder::new();
    folder.done(
        "linear train --variant neighbours --weights ones --games 2 --round 2 --compare-every 0 --judge-games 0 \
         --out training",
    );
    let weights = folder.bytes("training/weights.json");
    fs::create_dir(folder.path("sub")).unwrap();
    let program = format!("cmd={} dir=sub", env!("CARGO_BIN_EXE_labrys"));
    for (index, (engine, file)) in [("", "net"), (program.as_str(), "sub/net")].into_iter().enumerate() {
        let play = |shard: u32, name: &str, weights: &[u8]| {
            fs::write(folder.path(file), weights).unwrap();
            folder.done(&format!(
                "match --variant neighbours --engine name=a --engine name=b {engine} option.WeightsFile=net \
                 --each nodes=20 option.Hash=1 --games 4 --shard {shard}/2 --pgnout {name}{index}"
            ));
        };
        play(1, "a", &weights);
        play(2, "b", &[&weights[..], b"\n"].concat());
        play(2, "c", &weights);
        let foreign = format!("b{index}: shard 2/2 of 4 games of job ");
        folder.refused(&format!("games merge --out merged a{index} b{index}"), &foreign);
        folder.done(&format!("games merge --out whole{index} a{index} c{index}"));
    }
}

#[test]
fn sharded_generations_of_zero_equal_those_of_one_machine() {
    let folder = Folder::new();
    fs::write(folder.path("zero.toml"), ZERO).unwrap();
    folder.done("zero train zero.toml --out run");
    let run = folder.bytes("run/generation-0001/samples.safetensors");
    let command = "zero selfplay zero.toml --generation 1";
    folder.done(&format!("{command} --out whole"));
    assert_eq!(folder.bytes("whole"), run, "the random net at the beginning");
    folder.refused(&format!("{command} --shard 3/3 --out x"), "5 games cannot be cut into ");
    for (index, name) in [(2, "b"), (1, "a")] {
        folder.done(&format!(
            "{command} --net run/generation-0000/net.safetensors --shard {index}/2 --out {name}"
        ));
    }
    folder.done(&format!("{command} --seed 9 --shard 1/2 --out other"));
    folder.refused("games merge --out merged other b", "b: shard 2/2 of 5 games of job ");
    folder.done(&format!("{SELFPLAY} --shard 2/2 --out games"));
    folder.refused(
        "games merge --out merged a games",
        "games: self-play games of neighbours, but a has samples of",
    );
    folder.done("games merge --out merged b a");
    assert_eq!(folder.bytes("merged"), run);

    // A run whose games are played on other machines.
    assert!(
        folder.done("zero train zero.toml --out begun --generations 0").starts_with("best net: generation 0")
    );
    fs::create_dir(folder.path("begun/generation-0001")).unwrap();
    let samples = folder.path("begun/generation-0001/samples.safetensors");
    fs::copy(folder.path("a"), &samples).unwrap();
    let resumed = "zero train zero.toml --out begun --resume";
    folder.refused(resumed, "of shard 1/2 of 5 games of job ");
    fs::copy(folder.path("merged"), &samples).unwrap();
    folder.done(resumed);
    for name in ["best.safetensors", "state.json"] {
        assert_eq!(folder.bytes(&format!("begun/{name}")), folder.bytes(&format!("run/{name}")), "{name}");
    }
    folder.refused("zero selfplay zero.toml --generation 2 --net whole --out x", "whole");
}

#[test]
fn samples_of_other_games_are_not_learned_from() {
    let folder = Folder::new();
    fs::write(folder.path("zero.toml"), ZERO).unwrap();
    fs::write(folder.path("few.toml"), ZERO.replace("games = 5", "games = 1")).unwrap();
    let train = "zero train zero.toml --out run";
    folder.done(&format!("{train} --generations 0"));
    fs::create_dir_all(folder.path("run/generation-0001")).unwrap();
    let samples = "run/generation-0001/samples.safetensors";
    for (selfplay, message) in [("few.toml", ": of 1 game, expected 5"), ("zero.toml --seed 99", ": of job ")]
    {
        folder.done(&format!("zero selfplay {selfplay} --generation 1 --out {samples}"));
        folder.refused(&format!("{train} --resume"), &format!("samples file {samples}"));
        folder.refused(&format!("{train} --resume"), message);
        fs::remove_file(folder.path(samples)).unwrap();
    }
    folder.done(&format!("zero selfplay zero.toml --generation 1 --out {samples}"));
    folder.done(&format!("{train} --resume"));
}
