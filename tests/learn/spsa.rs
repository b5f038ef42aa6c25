//! The command `labrys spsa`, and the constants of the search as options. Only in a build for tuning.

use crate::common::shell::{self, assert_fails, succeed};

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use labrys::engine::{Settings, registry};
use labrys::search::{Constants, Control, Limits};

/// `labrys spsa` with arguments that contain no spaces, and constants with their keys.
fn command(words: &str, constants: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("spsa").args(words.split_whitespace());
    constants.iter().for_each(|constant| _ = command.args(["--constant", constant]));
    command
}

/// Runs it: success, standard output, standard error.
fn spsa(words: &str, constants: &[&str]) -> (bool, String, String) {
    shell::output(&mut command(words, constants))
}

const GAMES: &str = "--variant neighbours --each nodes=300 option.Hash=1 --seed 3";

/// The second one starts from its default.
const CONSTANTS: [&str; 2] =
    ["reverse_futility_margin start=500 c_end=90 r_end=0.1", "late_pruning_moves min=3 max=16 c_end=3"];

/// The files of a run.
fn files(folder: &Path) -> [String; 3] {
    ["spsa.json", "spsa.csv", "spsa.svg"].map(|name| fs::read_to_string(folder.join(name)).unwrap())
}

/// Starts a run in a folder and kills it when it has finished an iteration.
fn kill(words: &str, folder: &Path) {
    let mut run = command(words, &CONSTANTS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !folder.join("spsa.json").exists() && run.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn a_killed_run_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let words = |out: &Path, more: &str| format!("{GAMES} --iterations 12 --out {} {more}", out.display());
    let out = succeed(spsa(&words(&whole, "--pairs 2 --concurrency 2"), &CONSTANTS));
    assert!(out.contains("12 iterations, θ⁺ +"), "{out}");
    // The values can be set and pasted.
    for start in [
        "setoption name reverse_futility_margin value ",
        "setoption name late_pruning_moves value ",
        "reverse_futility_margin = ",
    ] {
        assert!(out.lines().any(|line| line.starts_with(start)), "{start}: {out}");
    }
    kill(&words(&killed, "--pairs 2"), &killed);
    let again = succeed(spsa(&words(&killed, "--pairs 2 --resume"), &CONSTANTS));
    assert_eq!((again, files(&killed)), (out, files(&whole)));
    let [_, table, chart] = files(&whole);
    assert_eq!(
        (table.lines().count(), table.lines().next().unwrap()),
        (14, "iteration,reverse_futility_margin,late_pruning_moves")
    );
    assert!(table.lines().last().unwrap() != "12,500.0000,4.0000", "{table}");
    assert!(chart.contains("reverse_futility_margin") && chart.contains("late_pruning_moves"));
}

#[test]
fn sharded_iterations_equal_those_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, cut, worker] = ["whole", "cut", "worker"].map(|name| folder.path().join(name));
    let words = |out: &Path, more: &str| {
        format!("{GAMES} --iterations 3 --pairs 5 --out {} --resume {more}", out.display())
    };
    let out = succeed(spsa(&words(&whole, ""), &CONSTANTS));
    let part = |index: usize| folder.path().join(index.to_string()).display().to_string();
    let play = |index: usize| {
        // A worker has only the state.
        let _ = fs::remove_dir_all(&worker);
        fs::create_dir(&worker).unwrap();
        let _ = fs::copy(cut.join("spsa.json"), worker.join("spsa.json"));
        let (success, out, error) =
            spsa(&words(&worker, &format!("--shard {index}/2 --part {}", part(index))), &CONSTANTS);
        assert!(success && out.is_empty(), "{out} {error}");
    };
    let mut last = String::new();
    let make = |parts: &[&str]| spsa(&words(&cut, &format!("--parts {}", parts.join(" "))), &CONSTANTS);
    let [one, two] = [part(1), part(2)];
    for iteration in 1..=3 {
        play(2);
        if iteration == 2 {
            let before = fs::read(cut.join("spsa.json")).unwrap();
            assert_fails(make(&[&one, &two]), &format!("{one}: shard 1/2 of 10 games of job "));
            assert_fails(make(&[&two]), "1 of 2 shards missing: 1");
            assert_fails(make(&[&two, &two]), "shard 2/2 again");
            fs::write(&one, "{").unwrap();
            assert_fails(make(&[&one, &two]), &one);
            assert_eq!(fs::read(cut.join("spsa.json")).unwrap(), before);
        }
        play(1);
        let out = succeed(make(&[&one, &two]));
        last = out;
    }
    assert_eq!((last, files(&cut)), (out, files(&whole)));
    let refused = spsa(&words(&cut, &format!("--shard 1/2 --part {one}")), &CONSTANTS);
    assert_fails(refused, "all iterations are finished");
    let refused = spsa(&words(&worker, &format!("--shard 1/6 --part {one}")), &CONSTANTS);
    assert_fails(refused, "10 games cannot be cut into ");
}

#[test]
fn another_run_in_the_folder_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let words = |games: &str, more: &str| format!("{games} --out {} {more}", folder.path().display());
    succeed(spsa(&words(GAMES, "--iterations 1"), &CONSTANTS));
    let before = files(folder.path());
    let other = [CONSTANTS[0], "late_pruning_moves min=3 max=17 c_end=3"];
    let start = Constants::DEFAULT.late_pruning_moves;
    for (words, constants, message) in [
        (words(GAMES, "--iterations 1"), &CONSTANTS[..], "use --resume"),
        (words(GAMES, "--iterations 2 --resume"), &CONSTANTS, "--iterations: 2, but"),
        (words(GAMES, "--iterations 1 --resume --pairs 2"), &CONSTANTS, "--pairs: 2, but"),
        (
            words(GAMES, "--iterations 1 --resume"),
            &other,
            &format!("--constant late_pruning_moves: \"start={start} min=3 max=17"),
        ),
        (
            words(GAMES, "--iterations 1 --resume"),
            &CONSTANTS[..1],
            "--constant late_pruning_moves: null, but",
        ),
        (words(&GAMES.replace("seed 3", "seed 4"), "--iterations 1 --resume"), &CONSTANTS, "--seed: 4, but"),
        (
            words(&GAMES.replace("=300", "=301"), "--iterations 1 --resume"),
            &CONSTANTS,
            "--each: [\"nodes=301\"",
        ),
        (
            words(&format!("{GAMES} --random-plies 5"), "--iterations 1 --resume"),
            &CONSTANTS,
            "--random-plies: ",
        ),
    ] {
        assert_fails(spsa(&words, constants), message);
        assert_eq!(files(folder.path()), before, "{words}");
    }
}

#[test]
fn the_content_of_files_belongs_to_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("run");
    let words =
        |book: &str, more: &str| format!("{GAMES} --iterations 1 --openings {book} --out {out} {more}");
    let [book, copy] = ["book", "copy"].map(path);
    fs::write(&book, "e1e3\n").unwrap();
    succeed(spsa(&words(&book, ""), &CONSTANTS));
    fs::copy(&book, &copy).unwrap();
    succeed(spsa(&words(&copy, "--resume"), &CONSTANTS));
    fs::write(&book, "# another book\ne1e3\n").unwrap();
    assert_fails(spsa(&words(&book, "--resume"), &CONSTANTS), "--openings: \"");
}

#[test]
fn invalid_arguments_are_named_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let one = format!("{GAMES} --iterations 1");
    let start = Constants::DEFAULT.futility_margin;
    for (words, constant, message) in [
        (
            one.as_str(),
            "futility",
            "--constant: unknown constant `futility`, expected one of: razoring_depth, razoring_base",
        ),
        (&one, "", "--constant: unknown constant ``"),
        (
            &one,
            "futility_margin start=100 min=200",
            "--constant futility_margin: the start 100 is not in the range",
        ),
        (
            &one,
            &format!("futility_margin min={}", start + 1),
            &format!("the start {start} is not in the range from {} to 900", start + 1),
        ),
        (
            &one,
            "futility_margin min=0",
            "--constant futility_margin: min `0`: expected a whole number from 20",
        ),
        (&one, "futility_margin max=2.5", "max `2.5`: expected a whole number from 20 to 900"),
        (&one, "futility_margin min=300 max=300", "min 300 has to be less than max 300"),
        (&one, "futility_margin c_end=0", "c_end `0`: expected a number above 0"),
        (&one, "futility_margin r_end=inf", "r_end `inf`: expected a number above 0"),
        (
            &one,
            "futility_margin step=3",
            "unknown key `step`, expected one of: start, min, max, c_end, r_end",
        ),
        (&one, "futility_margin 3", "`3` has no value"),
        (GAMES, "futility_margin", "--iterations"),
        (
            &format!("{GAMES} --iterations 0"),
            "futility_margin",
            "--iterations `0`: expected a whole number from 1 to 1000000000",
        ),
        (
            &format!("{one} --pairs 0"),
            "futility_margin",
            "--pairs `0`: expected a whole number from 1 to 1000000",
        ),
        (
            &one.replace("nodes=300", "option.Seed=1"),
            "futility_margin",
            "--each: missing tc, st, depth or nodes",
        ),
        (
            &one.replace("nodes=300", "nodes=3 cmd=x"),
            "futility_margin",
            "--each: both players must be Labrys",
        ),
        (
            &one.replace("Hash=1", "Futility_Margin=400"),
            "futility_margin",
            "--each: option.Futility_Margin: it is",
        ),
        (&one.replace("Hash=1", "Nothing=1"), "futility_margin", "unknown option `Nothing`"),
        (&one.replace("neighbours", "ludo"), "futility_margin", "unknown variant `ludo`"),
        (&format!("{one} --openings /no/file"), "futility_margin", "openings `/no/file`"),
    ] {
        let (success, stdout, error) = spsa(&format!("{words} --out {}", out.display()), &[constant]);
        assert!(!success && error.contains(message), "{words} {constant}: {error}");
        assert!(stdout.is_empty() && !out.exists(), "{words} {constant}");
    }
    let refused = spsa(&format!("{one} --out {}", out.display()), &["singular_depth", "singular_depth"]);
    assert_fails(refused, "--constant singular_depth: given twice");
}

#[test]
fn engines_in_one_process_have_constants_of_their_own() {
    let nodes = |constant: Option<(&str, &str)>| {
        let mut engine = registry::engine("chess", &Settings::default()).unwrap();
        if let Some((name, value)) = constant {
            engine.set_option(name, value).unwrap();
        }
        // Scores change much from depth to depth, so that aspiration windows fail.
        let fens = [
            "2r3k1/pp3ppp/1qb1pn2/8/1b1P4/2N1BN2/PP1Q1PPP/R4RK1 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/5pk1/1p2p1p1/p1r1P2p/P1R2P1P/1P2K1P1/8/8 w - - 4 40",
        ];
        let nodes = fens.map(|fen| {
            engine.board_mut().set_up(Some(fen), &[]).unwrap();
            engine.search(&[], &Limits::depth(11), &Control::default(), &mut |_: &_| {}).unwrap().nodes
        });
        nodes.iter().sum::<u64>()
    };
    let default = nodes(None);
    let mut same = Vec::new();
    for constant in Constants::TABLE {
        assert!((constant.min..=constant.max).contains(&constant.default), "{}", constant.name);
        let [least, most] = [constant.min, constant.max].map(|end| end.to_string());
        if nodes(Some((constant.name, &least))) == default && nodes(Some((constant.name, &most))) == default {
            same.push(constant.name);
        }
    }
    assert!(same.is_empty(), "without effect on a search: {same:?}");
    assert_eq!(nodes(None), default);
}
