//! The output files of `labrys match`, and how it runs engines.

use crate::common::records;
use crate::common::shell::{self, assert_fails, succeed};

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys::engine::registry;
use records::end;
use tempfile::TempDir;

/// A folder and a match of two quick engines in it.
fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

const ENGINES: &str = "--variant neighbours --engine name=a --engine name=b option.FeatureSet=base \
                       --each nodes=200 option.Hash=1";

/// Runs `labrys match` with arguments without spaces, in which `@` stands for the folder: success, standard
/// output, standard error.
fn run(folder: &TempDir, words: &str) -> (bool, String, String) {
    let words = words.replace('@', folder.path().to_str().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    shell::output(command.arg("match").args(words.split_whitespace()))
}

/// Standard output of a match that succeeds.
fn played(folder: &TempDir, words: &str) -> String {
    succeed(run(folder, words))
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn mock() -> String {
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_engine.sh"].iter().collect();
    format!("name=mock cmd=sh arg={}", script.display())
}

#[test]
#[cfg(unix)]
fn all_lines_are_logged() {
    let folder = folder();
    let engines = format!("--variant neighbours --engine {} nodes=9 arg=illegal --engine nodes=9", mock());
    for behaviour in ["illegal", "garbage"] {
        let engines = engines.replace("illegal", behaviour);
        played(&folder, &format!("{engines} --games 2 --concurrency 2 --log @/log"));
    }
    let log = lines(&folder.path().join("log"));
    let mut processes = std::collections::HashSet::new();
    let said: Vec<_> = log
        .iter()
        .map(|line| {
            let words: Vec<_> = line.splitn(4, ' ').collect();
            let [date, time, name, said] = words[..] else { panic!("{line}") };
            assert!(date.len() == 10 && time.len() == 12 && name.starts_with("mock["), "{line}");
            processes.insert(name);
            said
        })
        .collect();
    for line in [
        "< uci",
        "> id name mock illegal",
        "> readyok",
        "< go nodes 9",
        "> info depth 3 score cp 12",
        "> bestmove a1h8",
        "> (byte 0xff at position 6 of the line is not UTF-8)",
        "< quit",
    ] {
        assert!(said.contains(&line), "{line}: {log:#?}");
    }
    assert!(processes.len() >= 4, "the check and a game in each match: {processes:?}");

    let (success, out, error) = run(&folder, &format!("{ENGINES} --pgnout @/x.pgn --log @/no/log"));
    assert!(!success && out.is_empty() && error.contains("/no/log: "), "{error}");
    assert!(!folder.path().join("x.pgn").exists());
}

#[test]
#[cfg(unix)]
fn an_engine_may_have_a_process_for_each_game() {
    for (restart, processes) in [("off", 1 + 1), ("on", 1 + 4)] {
        let folder = folder();
        let mock = format!("{} arg=illegal arg=@/pids restart={restart}", mock());
        played(&folder, &format!("--variant neighbours --engine {mock} nodes=9 --engine nodes=9 --games 4"));
        assert_eq!(lines(&folder.path().join("pids")).len(), processes, "restart={restart}");
    }
}

#[test]
#[cfg(unix)]
fn a_match_is_not_continued_with_the_program_of_another_folder() {
    let folder = folder();
    let play = |folder_name: &str, words: &str| {
        std::fs::create_dir_all(folder.path().join(folder_name)).unwrap();
        let mock = format!("{} arg=illegal dir=@/{folder_name}", mock());
        let engines = format!("--variant neighbours --engine {mock} nodes=9 --engine nodes=9");
        run(&folder, &format!("{engines} --pgnout @/x.pgn {words}"))
    };
    succeed(play("a", "--games 2"));
    assert_fails(play("b", "--games 4 --resume"), "/b`: not a game of this match");
    succeed(play("a", "--games 4 --resume"));
}

#[test]
fn a_match_is_not_continued_with_another_net() {
    let folder = folder();
    let new_net = |seed: &str| {
        let words = format!("nnue new --variant neighbours --neurons 8 --seed {seed} --out @/net");
        succeed(shell::labrys(&words.replace('@', folder.path().to_str().unwrap())));
    };
    let play = |words: &str| {
        let engines = "--variant neighbours --each nodes=9 --engine option.EvalFile=@/net --engine name=b";
        run(&folder, &format!("{engines} --pgnout @/x.pgn {words}"))
    };
    new_net("1");
    succeed(play("--games 2"));
    // More games, and more at once, are the same ones.
    succeed(play("--games 4 --resume --concurrency 2"));
    new_net("2");
    assert_fails(
        play("--games 6 --resume"),
        "or a file that one names, is another: not a game of this match",
    );
    new_net("1");
    succeed(play("--games 6 --resume"));
}

#[test]
fn games_are_pinned_to_existing_cores() {
    let folder = folder();
    if cfg!(target_os = "linux") {
        let list = std::fs::read_to_string("/proc/self/status").unwrap();
        let list = list.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
        let first = list.split([',', '-']).next().unwrap();
        let script = folder.path().join("engine.sh");
        std::fs::write(&script, "grep Cpus_allowed_list /proc/$$/status >> $0.cores; exec \"$@\"").unwrap();
        let labrys = env!("CARGO_BIN_EXE_labrys");
        played(
            &folder,
            &format!(
                "--variant neighbours --engine cmd=sh arg=@/engine.sh arg={labrys} --engine name=in --each \
                 nodes=50 option.Hash=1 --games 2 --affinity {first}"
            ),
        );
        let cores = lines(&folder.path().join("engine.sh.cores"));
        assert_eq!(cores.last().unwrap().split_whitespace().last(), Some(first), "{cores:?}");
        assert!(!played(&folder, &format!("{ENGINES} --games 2 --affinity")).is_empty());
    }
    for (words, message) in [
        ("--affinity 60000", "--affinity: there is no core 60000, the cores are: "),
        ("--affinity x", "expected numbers of cores, such as `0,2-3`"),
        ("--affinity --concurrency 1000", "--affinity: 1000 concurrent games need a core each, not "),
    ] {
        let (success, out, error) = run(&folder, &format!("{ENGINES} --games 2 {words}"));
        assert!(!success && out.is_empty() && error.contains(message), "{words}: {error}");
    }
}

#[test]
fn comments_contain_the_requested_keys() {
    let folder = folder();
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let chess = format!("--engine name=in --engine name=out cmd={labrys} --each depth=4 option.Hash=1");
    played(&folder, &format!("{chess} --games 2 --pgnout @/all.pgn --pgn-keys pv,nodes,seldepth,nps"));
    played(&folder, &format!("{chess} --games 2 --pgnout @/one.pgn --pgn-keys seldepth"));
    let mut compared = 0;
    let [all, one] = ["all.pgn", "one.pgn"].map(|name| records::read(&folder.path().join(name)));
    for (all, one) in all.iter().zip(&one) {
        for (all, one) in all.moves.iter().zip(&one.moves) {
            assert_eq!(all.score(), one.score(), "{} and {}", all.comment, one.comment);
            let parts: Vec<_> = all.comment.split(", ").collect();
            let keys: Vec<_> = parts[1..].iter().map(|part| part.split('=').next().unwrap()).collect();
            assert_eq!(keys, ["nodes", "nps", "seldepth", "pv"], "{}", all.comment);
            assert_eq!(one.comment.split(", ").skip(1).collect::<Vec<_>>(), [parts[3]]);
            let pv = parts[4].strip_prefix("pv=").unwrap();
            assert_eq!(pv.split(' ').next(), Some(&*all.text), "the notation of the record: {}", all.comment);
            compared += 1;
        }
    }
    assert!(compared > 20 && all[0].moves[0].score().is_some());
    let version = succeed(shell::labrys("--version"));
    let generator = version.lines().next().unwrap();
    let tags = all[0].tags();
    let tag = tags.iter().find(|(name, _)| *name == "Generator").map(|(_, value)| value.as_str());
    assert_eq!(tag, Some(generator), "what played, as it names itself");
    let refused = run(&folder, &format!("{ENGINES} --pgn-keys nodes,speed"));
    assert_fails(refused, "unknown key `speed`, expected any of: nodes, nps");
}

#[test]
fn final_positions_are_appended_as_games_end() {
    let folder = folder();
    played(&folder, &format!("{ENGINES} --games 6 --pgnout @/whole.pgn --epdout @/whole.epd"));
    played(&folder, &format!("{ENGINES} --games 2 --pgnout @/part.pgn --epdout @/part.epd"));
    played(&folder, &format!("{ENGINES} --games 6 --pgnout @/part.pgn --epdout @/part.epd --resume"));
    let whole = lines(&folder.path().join("whole.epd"));
    assert_eq!(whole, lines(&folder.path().join("part.epd")));
    assert_eq!(whole.len(), 6);
    let mut board = registry::board("neighbours").unwrap();
    for (fen, record) in whole.iter().zip(records::read(&folder.path().join("whole.pgn"))) {
        board.set_up(Some(fen), &[]).unwrap();
        assert_eq!(board.outcome().unwrap().winner, end(&record).winner, "{fen}");
    }
    let (success, _, error) = run(&folder, &format!("{ENGINES} --games 2 --epdout @/whole.epd"));
    assert!(!success && error.contains("--epdout ") && error.contains("whole.epd"), "{error}");
}

#[test]
fn final_positions_of_a_killed_match_are_those_of_its_games() {
    let folder = folder();
    let play = |words: &str| run(&folder, &format!("{ENGINES} --pgnout @/x.pgn --epdout @/x.epd {words}"));
    succeed(play("--games 6"));
    let path = folder.path().join("x.epd");
    let whole = std::fs::read_to_string(&path).unwrap();
    let second = whole.find('\n').unwrap() + 1;
    // Cut off in the second line, at its end, and before the first one.
    for end in [second + 5, second, 0] {
        std::fs::write(&path, &whole[..end]).unwrap();
        succeed(play("--games 6 --resume"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{end}");
    }
    std::fs::write(&path, &whole[..second + 5]).unwrap();
    succeed(play("--games 8 --resume"));
    let more = lines(&path);
    assert!(more.len() == 8 && more[..6].iter().eq(whole.lines()), "{more:?}");
    // A file of something else is left as it is.
    let other = format!("{}x\n", &whole[..second]);
    std::fs::write(&path, &other).unwrap();
    assert_fails(play("--games 8 --resume"), "x.epd: line 2: not the final position of a game of --pgnout");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    // What is behind the games, or no text, is moved aside.
    let all = more.join("\n") + "\n";
    for (rest, kept, number) in [("x\ny\n", 8, ""), ("\0\0\0", 8, "-2"), ("\0\0", 1, "-3")] {
        let begin: String = all.split_inclusive('\n').take(kept).collect();
        std::fs::write(&path, begin + rest).unwrap();
        succeed(play("--games 8 --resume"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), all, "{rest:?}");
        let aside = folder.path().join(format!("x.epd.damaged{number}"));
        assert_eq!(std::fs::read_to_string(aside).unwrap(), rest);
    }
}

#[test]
fn a_report_names_missing_games() {
    let folder = folder();
    let (engines, path) = (format!("{ENGINES} --games 8"), folder.path().join("x.pgn"));
    let report = |words: &str| run(&folder, &format!("{engines} --report {words}"));
    played(&folder, &format!("{engines} --pgnout @/x.pgn"));
    for shard in [1, 2] {
        played(&folder, &format!("{engines} --shard {shard}/2 --pgnout @/{shard}.pgn"));
    }
    for words in ["@/x.pgn", "@/1.pgn @/2.pgn", "@/2.pgn"] {
        let (success, _, error) = report(words);
        assert!(success && !error.contains("missing"), "{words}: {error}");
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let starts: Vec<_> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    // Without games 2, 4 and 5, which nothing else shows, and without the last one.
    let games = [0..1, 2..3, 5..7].map(|run| &text[starts[run.start]..starts[run.end]]);
    std::fs::write(&path, games.concat()).unwrap();
    let (success, _, error) = report("@/x.pgn");
    assert!(success && error.contains("3 games missing before later ones, by number 2, 4 to 5: "), "{error}");
}

#[test]
fn the_state_of_a_match_is_reported_at_intervals() {
    let folder = folder();
    let out = played(&folder, &format!("{ENGINES} --games 8 --rating-interval 4"));
    assert_eq!(out.matches("a against b: ").count(), 3, "{out}");
    assert!(out.starts_with("after 4 games:\na against b: 4 games, "), "{out}");
    let (_, out, error) = run(&folder, &format!("{ENGINES} --games 8 --rating-interval 4 --json"));
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
    assert!(error.contains("after 8 games:\na against b: 8 games, "), "{error}");
}

#[test]
fn a_quick_match_takes_two_programs() {
    let folder = folder();
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let words = format!("--quick {labrys} {labrys} --variant neighbours --games 2 --rating-interval 1");
    let out = played(&folder, &format!("{words} --each nodes=50 option.Hash=1 --pgnout @/x.pgn"));
    assert!(out.starts_with("after 1 game:\nno pair"), "{out}");
    let records = records::read(&folder.path().join("x.pgn"));
    assert_eq!(records[0].players[0].name, "labrys");
    assert_eq!(records[0].players[1].name, "labrys-2");
    assert_eq!(records[0].players[1].time_control, "nodes 50");
    let out = played(&folder, &format!("{words} --each tc=0.5 option.Hash=1 --resign movecount=1 score=1"));
    assert!(out.contains("labrys against labrys-2: 2 games"), "{out}");
    std::fs::write(folder.path().join("program"), "").unwrap();
    for (words, message) in [
        ("--quick x", "--quick: expected 2 values, found 1"),
        ("--quick x y --engine nodes=1", "--quick: not with --engine"),
        ("--quick /no/x y", "engine `x`: cannot start `/no/x`"),
        ("--quick @/program y --plot @/program", "the file of --quick as well, choose another one"),
    ] {
        assert_fails(run(&folder, words), message);
    }
}
