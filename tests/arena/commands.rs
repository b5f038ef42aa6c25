//! The command `labrys match`, and the commands that read and write its files.

use crate::common::records;
use crate::common::shell::{self, assert_fails, labrys, succeed};

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use labrys::arena::pgn::PgnGame;
use labrys::arena::{BookOptions, Openings, Termination, Variation};
use labrys::engine::registry;
use labrys::game::Color;
use labrys::search::Control;
use records::{end, read};
use tempfile::TempDir;

/// A temporary folder, removed at the end of the test.
fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn command(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.args(words.split_whitespace());
    command
}

/// Runs `labrys match` and returns the result as JSON.
fn json(words: &str) -> serde_json::Value {
    let out = succeed(labrys(&format!("match --json {words}")));
    serde_json::from_str(&out).unwrap()
}

/// Game records without their times, which depend on the machine.
fn essence(records: &[PgnGame]) -> Vec<PgnGame> {
    let mut records = records.to_vec();
    for mv in records.iter_mut().flat_map(|record| &mut record.moves) {
        mv.comment = mv.comment.split(' ').next().unwrap().to_owned();
    }
    records
}

const TWO: &str = "--variant neighbours --engine name=a option.FeatureSet=set1 \
    --engine name=b option.FeatureSet=base --each nodes=400 option.Hash=1";

#[test]
fn a_match_prints_its_result_and_writes_its_games() {
    let folder = folder();
    let file = folder.path().join("games.pgn");
    let plot = folder.path().join("score.svg");
    let out = succeed(labrys(&format!(
        "match {TWO} --games 12 --pgnout {} --plot {}",
        file.display(),
        plot.display()
    )));
    let records = read(&file);
    let count = |name: &str| {
        let won = |record: &&PgnGame| {
            end(record).winner.is_some_and(|winner| record.players[winner.index()].name == name)
        };
        records.iter().filter(won).count()
    };
    let (wins, losses) = (count("a"), count("b"));
    let draws = 12 - wins - losses;
    assert!(out.starts_with(&format!("a against b: 12 games, +{wins} ={draws} -{losses}, score ")), "{out}");
    assert!(out.contains("\nElo ") && out.contains("LOS"), "{out}");
    assert!(std::fs::read_to_string(&plot).unwrap().starts_with("<svg "));

    // Each opening is played twice, with colours swapped.
    assert_eq!(records.len(), 12);
    for pair in records.chunks(2) {
        assert_eq!(pair[0].opening, pair[1].opening);
        assert_eq!((&*pair[0].players[0].name, &*pair[1].players[0].name), ("a", "b"));
        assert!((4..=7).contains(&pair[0].opening.moves.len()));
    }
    assert!(records.iter().all(|record| end(record).termination == Termination::Rules));
    let openings: std::collections::HashSet<_> = records.iter().map(|record| &record.opening.moves).collect();
    assert!(openings.len() >= 5, "{openings:?}");

    // Replaying the games confirms their moves and results.
    let (success, out, error) = labrys(&format!("games replay {}", file.display()));
    assert!(
        success && out.contains("12 games, ") && out.trim_end().ends_with(" plies, all legal"),
        "{out}{error}"
    );
    let (_, one, _) = labrys(&format!("games replay {} --game 3", file.display()));
    assert!(
        one.starts_with("game 3: a – b, ") && one.contains("\nFen: ") && one.contains("1 game,"),
        "{one}"
    );
    let (success, svg, _) = labrys(&format!("games plot {}", file.display()));
    assert!(success && svg.contains("a against b"));
    // As everything that counts results, it reads games by the rules.
    let wrong = std::fs::read_to_string(&file).unwrap() + "[White \"a\"]\n[Black \"b\"]\n\n1. e4 Ke4 0-1\n";
    let path = folder.path().join("wrong.pgn");
    std::fs::write(&path, wrong).unwrap();
    let (success, svg, error) = labrys(&format!("games plot {}", path.display()));
    assert!(!success && svg.contains("a against b") && error.contains("wrong.pgn, game 13 "), "{error}");
    let (success, svg, _) = labrys(&format!("games plot {} --strict", path.display()));
    assert!(!success && svg.is_empty(), "{svg}");
    let (success, out, error) = labrys(&format!("games replay {} --game 99", path.display()));
    assert!(!success && out.is_empty() && error.contains("wrong.pgn: no game 99"), "{out}{error}");
    // Games of another match, with the numbers of these.
    let twice = std::fs::read_to_string(&file).unwrap().repeat(2);
    std::fs::write(&path, twice).unwrap();
    let (success, svg, error) = labrys(&format!("games plot {}", path.display()));
    assert!(!success && svg.contains("a against b") && error.contains("12 games left out"), "{error}");
    std::fs::write(&path, "").unwrap();
    let (success, _, error) =
        labrys(&format!("match {TWO} --report {} --plot {}", path.display(), plot.display()));
    assert!(!success && error.contains("--plot"), "{error}");
}

#[test]
fn the_branching_is_the_mean_number_of_legal_moves_on_own_turns() {
    // One move of each player from the start: twenty legal ones for each.
    let words = "--variant chess --engine name=a --engine name=b --each nodes=1 option.Hash=1 --max-moves 1";
    let report = json(&format!("{words} --games 2 --random-plies 0"));
    for player in report["thinking"].as_array().unwrap() {
        assert_eq!((&player["moves"], &player["branching"]), (&2.into(), &20.0.into()), "{player}");
    }
}

#[test]
fn the_branching_of_a_continued_match_is_that_of_all_its_games() {
    let folder = folder();
    let path = folder.path().join("a.pgn");
    let words = format!("{TWO} --games 6 --pgnout {}", path.display());
    let whole = json(&words);
    let text = std::fs::read_to_string(&path).unwrap();
    let branching = |report: &serde_json::Value| -> Vec<f64> {
        report["thinking"].as_array().unwrap().iter().map(|of| of["branching"].as_f64().unwrap()).collect()
    };
    for games in [6, 5, 2, 0] {
        let end = text.match_indices("[Event ").map(|(at, _)| at).nth(games).unwrap_or(text.len());
        std::fs::write(&path, &text[..end]).unwrap();
        let continued = json(&format!("{words} --resume"));
        assert_eq!(continued["games_played"], 6 - games, "{continued}");
        assert_eq!(branching(&continued), branching(&whole), "{games}");
    }
    assert_eq!(branching(&json(&format!("{TWO} --games 6 --report {}", path.display()))), branching(&whole));
}

#[test]
fn games_that_repeat_each_other_are_a_warning() {
    let words =
        "match --variant neighbours --engine name=a depth=1 --engine name=b depth=2 --each option.Hash=1";
    let warning = "repeat another one move for move";
    for (openings, expected) in [("--random-plies 0", true), ("--random-plies 6", false)] {
        let (success, _, error) = labrys(&format!("{words} --games 20 {openings}"));
        assert!(success && error.contains(warning) == expected, "{openings}: {error}");
    }
}

#[test]
fn a_report_counts_what_the_match_has_counted() {
    let folder = folder();
    let [file, other, page] =
        ["neighbours.pgn", "chess.pgn", "report.html"].map(|name| folder.path().join(name));
    let played = json(&format!("{TWO} --games 6 --pgn-keys nodes --pgnout {}", file.display()));
    let report = |words: &str| succeed(labrys(&format!("report {words}")));
    let found: serde_json::Value =
        serde_json::from_str(&report(&format!("--json {}", file.display()))).unwrap();
    let [found] = &found.as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&found["variant"], &found["games"]), (&"neighbours".into(), &6.into()), "{found}");
    for (kind, rows) in [("players", &played["players"]), ("thinking", &played["thinking"])] {
        for row in rows.as_array().unwrap() {
            let players = found["players"].as_array().unwrap();
            let player = players.iter().find(|player| player["name"] == row["name"]).unwrap();
            let same = if kind == "players" { ["wins", "draws", "losses", "elo"] } else { ["branching"; 4] };
            for key in same {
                let [found, played] = [player, row].map(|of| of[key].as_f64().unwrap());
                assert!((found - played).abs() < 1e-9, "{key}: {found}, {played}");
            }
            assert!(player["nodes"].as_f64().unwrap() > 100.0 && player["depth"].as_f64().unwrap() > 1.0);
        }
    }
    // Two games side by side, and on a page.
    succeed(labrys(&format!(
        "match --engine name=a --engine name=b --each nodes=50 --games 2 --max-moves 5 --pgnout {}",
        other.display()
    )));
    let both = format!("{} {}", other.display(), file.display());
    let text = report(&format!("{both} --html {}", page.display()));
    let head: Vec<_> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["chess", "neighbours"]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<h2>chess</h2>") && page.matches("<svg").count() >= 3, "{page}");
    assert!(!page.contains("http://") || page.matches("http").count() == page.matches("www.w3.org").count());
    // One of them alone; a file of another game has none.
    let (success, out, error) = labrys(&format!("report {both} --variant chess"));
    assert!(success && out.contains("chess") && !out.contains("neighbours"), "{out}");
    assert!(error.is_empty(), "{error}");
    assert_fails(labrys(&format!("report {} --variant amazons", file.display())), "no finished game");
}

#[test]
fn programs_read_the_progress_as_json() {
    let words = format!("match {TWO} --games 4");
    let (success, _, error) = shell::output(command(&words).env("LABRYS_PROGRESS", "json"));
    assert!(success);
    let events: Vec<serde_json::Value> =
        error.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let (first, last) = (&events[0], &events[events.len() - 1]);
    assert_eq!(*first, serde_json::json!({"progress": "games", "done": 0, "total": 4, "message": ""}));
    assert_eq!((&last["done"], &last["total"]), (&4.into(), &4.into()));
    assert!(last["message"].as_str().unwrap().contains("Elo"), "{last}");
}

#[test]
fn replay_finds_errors() {
    let folder = folder();
    let file = folder.path().join("games.pgn");
    let (success, ..) = labrys(&format!("match {TWO} --games 2 --pgnout {}", file.display()));
    assert!(success);
    let text = std::fs::read_to_string(&file).unwrap();
    let game = &read(&file)[0];
    let last = game.moves.last().unwrap().text.clone();
    let third = format!("move 2: `{}` is not legal", game.opening.moves[2]);
    let broken = folder.path().join("broken.pgn");
    for (from, to, message) in [
        (last.as_str(), "a1a1", "`a1a1` is"),
        ("[Variant \"neighbours\"]", "[Variant \"ludo\"]", "unknown variant `ludo`"),
        // The comment ends after the next move, so that the one after it is the other side's.
        ("{book}", "{book", third.as_str()),
    ] {
        std::fs::write(&broken, text.replacen(from, to, 1)).unwrap();
        let (success, out, error) = labrys(&format!("games replay {}", broken.display()));
        assert!(!success && error.contains("game 1 in line 1: "), "{to}: {out}{error}");
        assert!(error.contains(message) && error.contains("1 of 2 games left out"), "{to}: {out}{error}");
    }
    // A broken tag line is text, which many files have before games.
    std::fs::write(&broken, text.replacen("[White ", "White ", 1)).unwrap();
    let (success, out, error) = labrys(&format!("games replay {}", broken.display()));
    assert!(success && out.starts_with("game 1: ? – b") && out.contains("2 games"), "{out}{error}");
    // A result that contradicts the rules.
    let records = read(&file);
    let wrong = match end(&records[0]).winner {
        Some(Color::White) => text.replacen("1-0", "0-1", 2),
        Some(Color::Black) => text.replacen("0-1", "1-0", 2),
        None => text.replacen("1/2-1/2", "1-0", 2),
    };
    std::fs::write(&broken, wrong).unwrap();
    let refused = labrys(&format!("games replay {}", broken.display()));
    assert_fails(refused, "game 1 in line 1: the result is wrong");
    assert_fails(labrys(&format!("games replay {} --game 9", file.display())), "no game 9");
    assert_fails(labrys("games replay /no/such/file"), "`/no/such/file`: ");
}

#[test]
fn the_same_seed_gives_the_same_games_at_any_concurrency() {
    let folder = folder();
    let run = |name: &str, arguments: &str| {
        let file = folder.path().join(name);
        json(&format!("{TWO} --games 16 --pgnout {} {arguments}", file.display()));
        read(&file)
    };
    let alone = run("1.pgn", "--seed 5");
    for (name, concurrency) in [("2.pgn", 2), ("3.pgn", 3)] {
        let together = run(name, &format!("--seed 5 --concurrency {concurrency}"));
        assert_eq!(essence(&together), essence(&alone));
    }
    assert_ne!(essence(&run("4.pgn", "--seed 6")), essence(&alone));
}

#[test]
fn chance_outcomes_are_seeded_and_recorded() {
    let folder = folder();
    let run = |name: &str, arguments: &str| {
        let file = folder.path().join(name);
        let words =
            "--variant tucchess --engine name=a --engine name=b --each nodes=200 option.Hash=1 --games 8";
        json(&format!("{words} {arguments} --pgnout {}", file.display()));
        read(&file)
    };
    let alone = run("1.pgn", "");
    assert_eq!(essence(&run("2.pgn", "--concurrency 2")), essence(&alone));
    assert_ne!(essence(&run("3.pgn", "--seed 2")), essence(&alone));
    let moves: Vec<_> = alone.iter().flat_map(|record| &record.moves).map(|mv| mv.text.as_str()).collect();
    let with = |mark: &str| moves.iter().filter(|mv| mv.contains(mark)).count();
    assert!(with("=1") > with("=0") && with("=0") > 0, "{} of {}", with("=0"), with("=1"));
    assert!((moves.len() / 20..moves.len() / 5).contains(&with("+")), "{} of {}", with("+"), moves.len());
    let pairs = alone.chunks(2);
    assert!(pairs.into_iter().any(|pair| pair[0].moves != pair[1].moves), "chance differs from game to game");
    let (success, out, error) = labrys(&format!("games replay {}", folder.path().join("1.pgn").display()));
    assert!(success && out.contains("8 games"), "{error}");
    // At the move limit the points decide.
    let short = run("4.pgn", "--max-moves 20 --random-plies 0");
    assert!(short.iter().all(|record| record.moves.len() <= 40));
    let ends: Vec<_> =
        short.iter().map(|record| (end(record).winner, end(record).details.as_str())).collect();
    assert!(ends.contains(&(Some(Color::White), "White wins on points: 40 plies")), "{ends:?}");
}

#[test]
fn labrys_plays_the_same_in_process_and_over_uci() {
    let folder = folder();
    let run = |name: &str, cmd: &str| {
        let file = folder.path().join(name);
        json(&format!(
            "--variant neighbours --engine name=a {cmd} --engine name=b {cmd} option.FeatureSet=set3 \
             --each nodes=300 --games 4 --pgnout {}",
            file.display()
        ));
        read(&file)
    };
    let inside = run("in.pgn", "");
    let outside = run("out.pgn", &format!("cmd={}", env!("CARGO_BIN_EXE_labrys")));
    let setup = format!("{}, FeatureSet=set3", env!("CARGO_BIN_EXE_labrys"));
    assert_eq!(outside[0].players[1].setup, setup);
    let mut same = essence(&inside);
    for (record, other) in same.iter_mut().zip(&outside) {
        // The setups differ, and with them the job.
        (record.players, record.other_tags) = (other.players.clone(), other.other_tags.clone());
    }
    // Moves, scores and depths are the same in process and over UCI.
    assert_eq!(same, essence(&outside));
}

#[test]
fn a_hidden_clock_ends_a_search_that_is_not_told_of_it() {
    let folder = folder();
    for (name, cmd) in [("in.pgn", ""), ("out.pgn", concat!("cmd=", env!("CARGO_BIN_EXE_labrys")))] {
        let file = folder.path().join(name);
        let result = json(&format!(
            "--variant neighbours --engine name=deep {cmd} depth=200 tc=0.1 clock=hidden --engine name=quick depth=1 \
             --each option.Hash=1 --games 2 --pgnout {}",
            file.display()
        ));
        assert_eq!(result["players"][0]["forfeits"]["time"], 2, "{name}: {result}");
        let ends: Vec<_> = read(&file).iter().map(|record| end(record).details.clone()).collect();
        assert!(ends.iter().all(|details| details.contains("loses on time after ")), "{ends:?}");
    }
}

#[test]
fn games_of_chess960_begin_at_its_positions() {
    let folder = folder();
    let file = folder.path().join("960.pgn");
    json(&format!(
        "--variant chess --option UCI_Chess960=true --engine name=a --engine name=b --each nodes=20 option.Hash=1 \
         --games 4 --random-plies 0 --max-moves 20 --pgnout {}",
        file.display()
    ));
    let mut fens: Vec<_> = read(&file).into_iter().map(|record| record.opening.fen).collect();
    assert_eq!(fens.len(), 4);
    fens.sort();
    assert!(fens[0] == fens[1] && fens[2] == fens[3] && fens[1] != fens[2], "{fens:?}");
}

/// The output of a match without the line of times.
fn table(out: &str) -> Vec<&str> {
    out.lines().filter(|line| !line.contains(" games in ")).collect()
}

#[test]
fn a_killed_match_resumes_to_the_same_result() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let arguments = |file: &Path, games: usize| {
        format!("match {TWO} --games {games} --concurrency 2 --pgnout {}", file.display())
    };
    for (signal, name) in [("-INT", "int.pgn"), ("-TERM", "term.pgn"), ("-KILL", "kill.pgn")] {
        let file = path(name);
        // Long enough that the match is not over when the signal arrives.
        let child = command(&arguments(&file, 1_000_000))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while std::fs::read_to_string(&file).unwrap_or_default().matches("[Result").count() < 3 {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
        shell::signal(&child, signal);
        let output = child.wait_with_output().unwrap();
        let (out, error) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let before = read(&file).len();
        if signal != "-KILL" {
            assert!(!output.status.success() && out.contains("a against b: "), "{out}");
            assert!(
                error.contains(&format!("interrupted after {before} games, use --resume to continue")),
                "{error}"
            );
        }
        let games = (before + 20) & !1;
        let out = succeed(labrys(&format!("{} --resume", arguments(&file, games))));
        let whole = path(&format!("whole-{name}"));
        let (_, never_killed, _) = labrys(&arguments(&whole, games));
        assert_eq!(table(&out), table(&never_killed));
        assert!(out.contains(&format!("\n{} games in ", games - before)), "only what was missing: {out}");
        assert_eq!(essence(&read(&file)), essence(&read(&whole)));
    }
    // A file cut in the middle of a game, as by a full disk.
    let [whole, cut] = [path("whole.pgn"), path("cut.pgn")];
    let (_, never_cut, _) = labrys(&arguments(&whole, 20));
    let text = std::fs::read_to_string(&whole).unwrap();
    std::fs::write(&cut, &text[..text.len() * 2 / 5]).unwrap();
    let (success, out, error) = labrys(&format!("{} --resume", arguments(&cut, 20)));
    assert!(
        success && error.contains("cut.pgn: the game at the end has no result and will be moved"),
        "{error}"
    );
    assert_eq!(table(&out), table(&never_cut));
    let aside = std::fs::read_to_string(path("cut.pgn.damaged")).unwrap();
    assert!(aside.contains("[Event") && text[..text.len() * 2 / 5].ends_with(&aside), "{aside}");
    assert_eq!(essence(&read(&cut)), essence(&read(&whole)));
    // A finished match plays no more games.
    let (_, out, _) = labrys(&format!("{} --resume", arguments(&cut, 20)));
    assert_eq!(table(&out), table(&never_cut));
    assert!(out.contains("\n0 games in "), "{out}");
}

/// Plays a match in two shards, `a.pgn` and `b.pgn`. Returns the commands that count the results of the first one:
/// `games replay`, `match --report`, `match --resume`, `games merge` and `linear tune`.
fn counting_commands(path: &dyn Fn(&str) -> String) -> [String; 5] {
    let (file, other) = (path("a.pgn"), path("b.pgn"));
    let play = format!("match {TWO} --games 4");
    assert!(labrys(&format!("{play} --shard 1/2 --pgnout {file}")).0);
    assert!(labrys(&format!("{play} --shard 2/2 --pgnout {other}")).0);
    [
        format!("games replay --strict {file}"),
        format!("{play} --report {file}"),
        format!("{play} --shard 1/2 --pgnout {file} --resume"),
        format!("games merge --out {} {file} {other}", path("merged.pgn")),
        format!("linear tune --variant neighbours --strict --games {file} --out {}", path("tuned.json")),
    ]
}

/// A result that the rules contradict is refused, or left out by name, wherever results count.
#[test]
fn changed_results_do_not_count() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, play) = (path("a.pgn"), format!("match {TWO} --games 4"));
    let all = counting_commands(&path);
    let [.., merge, tune] = &all;
    let good = std::fs::read_to_string(&file).unwrap();
    for command in &all[..3] {
        let (success, _, error) = labrys(command);
        assert!(success, "{command}: {error}");
    }
    let end = good.find("\n\n[Event").unwrap();
    let (first, rest) = good.split_at(end);
    let results = ["1-0", "0-1", "1/2-1/2"];
    let tag = |result: &str| format!("[Result \"{result}\"]");
    let from = results.into_iter().find(|from| first.contains(&tag(from))).unwrap();
    let moves = first.strip_suffix(from).unwrap();
    for to in results.into_iter().filter(|to| *to != from) {
        // Both places, the tag alone, and the moves' end alone.
        let changed = moves.replace(&tag(from), &tag(to));
        for bad in [format!("{changed}{to}"), format!("{changed}{from}"), format!("{moves}{to}")] {
            let bad = bad + rest;
            std::fs::write(&file, &bad).unwrap();
            for command in &all {
                let (success, _, error) = labrys(command);
                assert!(!success && error.contains("the result is wrong: "), "{command}: {error}");
                assert_eq!(std::fs::read_to_string(&file).unwrap(), bad, "{command}");
            }
        }
    }
    std::fs::write(&file, &good).unwrap();
    succeed(labrys(merge));
    succeed(labrys(tune));

    // A game that was adjudicated says why.
    let short = format!("{play} --max-moves 3 --pgnout {}", path("c.pgn"));
    assert!(labrys(&short).0);
    let bad = std::fs::read_to_string(path("c.pgn")).unwrap().replace("1/2-1/2", "1-0");
    std::fs::write(path("c.pgn"), bad).unwrap();
    let message = "the result is wrong: `1-0`, but the tag `TerminationDetails` says `draw: 6 plies`";
    assert_fails(labrys(&format!("{short} --resume")), message);
    assert_fails(labrys(&format!("games replay --strict {}", path("c.pgn"))), message);
}

/// A record whose tags contradict each other or the moves does not count either.
#[test]
fn changed_tags_do_not_count() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = path("a.pgn");
    let all = counting_commands(&path);
    let [_, report, _, merge, _] = &all;
    let good = std::fs::read_to_string(&file).unwrap();
    let line = |name: &str| good.lines().find(|line| line.starts_with(&format!("[{name} "))).unwrap();
    let (result, plies, end) = (line("Result"), line("PlyCount"), line("Termination"));
    let count = plies.split('"').nth(1).unwrap();
    let (result, others) = match result {
        "[Result \"1-0\"]" => ("1-0", "0-1"),
        "[Result \"0-1\"]" => ("0-1", "1-0"),
        _ => ("1/2-1/2", "1-0"),
    };
    let tag = format!("[Result \"{result}\"]");
    let both = format!("the result is wrong: both `{result}` and `{others}`");
    for (from, to, message) in [
        (plies, "[PlyCount \"7\"]", format!("`PlyCount` is wrong: `7`, but the game has {count}")),
        ("[White \"a\"]", "[White \"a\"]\n[White \"b\"]", "`White` is wrong: both `a` and `b`".to_owned()),
        (&tag, &format!("{tag}\n[Result \"{others}\"]"), both.clone()),
        (&format!(" {result}\n"), &format!(" {result} {others}\n"), both),
        (end, "[Termination \"time forfeit\"]", "the rules ended the game, not the clock: ".to_owned()),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        std::fs::write(&file, &bad).unwrap();
        all.iter().for_each(|command| assert_fails(labrys(command), &message));
    }
    std::fs::write(&file, good.replacen("[White \"a\"]", "[White \"c\"]", 1)).unwrap();
    assert_fails(labrys(merge), "a.pgn: game 2: other players, options or limits than in the game before it");
    // A game that was cut off is named, and does not count.
    std::fs::write(&file, &good[..good.trim_end().len() - 5]).unwrap();
    let (success, _, error) = labrys(report);
    assert!(
        success && error.contains("a.pgn: the game at the end has no result and does not count"),
        "{error}"
    );
}

#[test]
fn a_match_does_not_resume_the_games_of_another() {
    let folder = folder();
    let file = folder.path().join("games.pgn");
    let run = |arguments: &str| labrys(&format!("match --pgnout {} {arguments}", file.display()));
    assert!(run(&format!("{TWO} --games 4")).0);
    let before = std::fs::read(&file).unwrap();
    for (arguments, message) in [
        (format!("{TWO} --games 4"), "use --resume to continue a match"),
        (format!("{TWO} --games 4 --resume --seed 2"), "game 1: another opening"),
        (format!("{TWO} --games 2 --resume"), "game 3: there are 2 games"),
        (TWO.replace("base", "set3") + " --games 4 --resume", "Black is `labrys"),
        (TWO.replace("400", "500") + " --games 4 --resume", "White has `nodes 400`, not `nodes 500`"),
        (format!("{TWO} timemargin=5 --games 4 --resume"), "not `nodes 400, timemargin 5`"),
        (TWO.replace("name=a", "name=c") + " --games 4 --resume", "White `a`, not `c`"),
        (format!("{TWO} --games 4 --resume --max-moves 5"), "adjudication none, not `maxmoves 5`"),
        (
            format!("{TWO} --games 4 --resume --draw movenumber=1 movecount=2 score=5"),
            "not `draw movenumber=1 movecount=2 score=5`",
        ),
    ] {
        assert_fails(run(&arguments), message);
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
    for (text, message) in [
        ("[White \"a\"]\n\n1. e1e3 *\n", "a game without a number: there are 4 games"),
        ("Not a game\n", "line 1: the game ends without a result after `game`"),
    ] {
        std::fs::write(&file, text).unwrap();
        assert_fails(run(&format!("{TWO} --games 4 --resume")), message);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn the_sprt_stops_a_match() {
    let words = "--engine name=strong nodes=800 --engine name=weak nodes=10 --each option.Hash=1 \
                 --sprt elo0=0 elo1=100";
    let alone = json(words);
    assert_eq!(alone["sprt"]["accepted"], "H1");
    assert_eq!(alone["complete"], true);
    let games = alone["games"].as_u64().unwrap();
    assert!((4..400).contains(&games), "{games}");
    assert!(alone["sprt"]["llr"].as_f64().unwrap() > 2.94);
    // The result does not depend on which games finish first.
    assert_eq!(json(&format!("{words} --concurrency 3"))["pairings"], alone["pairings"]);
    let reversed = json(
        "--engine name=weak nodes=10 --engine name=strong nodes=800 --each option.Hash=1 \
         --sprt elo0=0 elo1=100",
    );
    assert_eq!(reversed["sprt"]["accepted"], "H0");
    // A match may end while the test is undecided.
    let short = json(&format!("{words} --games 2"));
    assert_eq!((&short["sprt"]["accepted"], &short["complete"]), (&serde_json::Value::Null, &true.into()));
}

#[test]
fn tournaments_have_a_cross_table() {
    let players = "--engine name=strong nodes=1000 --engine name=middle nodes=100 \
                   --engine name=weak option.SearchMode=random nodes=1";
    let robin = json(&format!("{players} --each option.Hash=1 --rounds 5 --concurrency 2"));
    assert_eq!((&robin["games"], robin["pairings"].as_array().unwrap().len()), (&30.into(), 3));
    let elo = |index: usize| robin["players"][index]["elo"].as_f64().unwrap();
    assert!(elo(0) > elo(1) && elo(1) > elo(2), "{robin}");
    let sum: u64 =
        robin["players"].as_array().unwrap().iter().map(|player| player["wins"].as_u64().unwrap()).sum();
    let lost: u64 =
        robin["players"].as_array().unwrap().iter().map(|player| player["losses"].as_u64().unwrap()).sum();
    assert_eq!(sum, lost);
    let gauntlet = json(&format!("{players} --each option.Hash=1 --rounds 2 --tournament gauntlet"));
    assert_eq!((&gauntlet["games"], gauntlet["pairings"].as_array().unwrap().len()), (&8.into(), 2));
    let (_, out, _) = labrys(&format!("match {players} --each option.Hash=1 --rounds 1"));
    let lines: Vec<_> = out.lines().collect();
    assert!(lines[0].contains("player") && lines[1].contains("strong") && lines[3].contains("weak"), "{out}");
}

#[test]
fn a_configuration_file_gives_the_same_match() {
    let folder = folder();
    let path = folder.path().join("match.toml");
    let text = "variant = \"neighbours\"\ngames = 6\nseed = 9\nrandom-plies = \"3-5\"\njson = true\n\
                [each]\nnodes = 200\noption.Hash = 1\n\
                [[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\noption.FeatureSet = \"base\"\n\
                [draw]\nmovenumber = 10\nmovecount = 3\nscore = 20\n";
    std::fs::write(&path, text).unwrap();
    let out = succeed(labrys(&format!("match --config {}", path.display())));
    let written: serde_json::Value = serde_json::from_str(&out).unwrap();
    let typed = json(
        "--variant neighbours --games 6 --seed 9 --random-plies 3-5 --each nodes=200 option.Hash=1 \
         --engine name=a --engine name=b option.FeatureSet=base --draw movenumber=10 movecount=3 score=20",
    );
    assert_eq!(written["pairings"], typed["pairings"]);
    std::fs::write(&path, format!("gmaes = 3\n{text}")).unwrap();
    assert_fails(labrys(&format!("match --config {}", path.display())), "unknown key `gmaes`");
}

#[test]
fn openings_come_from_files() {
    let folder = folder();
    let path = folder.path().join("openings.epd");
    let fen = "p1p1p2P/7p/1p2p3/6p1/p2P4/2P5/4P1P1/P1P3P1 b 37 19";
    std::fs::write(&path, format!("# three kinds\n\n{fen} ;D1 5\nf1d3 f8d6\n{fen} moves h7g7\r\n")).unwrap();
    let file = folder.path().join("games.pgn");
    json(&format!("{TWO} --games 8 --openings {} --pgnout {}", path.display(), file.display()));
    let records = read(&file);
    assert_eq!(records[0].opening, Variation { fen: fen.into(), moves: vec![] });
    assert_eq!(records[2].opening.moves, ["f1d3", "f8d6"]);
    assert_eq!(records[4].opening, Variation { fen: fen.into(), moves: vec!["h7g7".into()] });
    assert_eq!(records[6].opening, records[0].opening, "over again");
    assert!(std::fs::read_to_string(&file).unwrap().contains("\n19... "), "Black begins");

    let mut board = registry::board("neighbours").unwrap();
    let mut orders = std::collections::HashSet::new();
    for seed in 0..20 {
        let openings = Openings::read(
            &path,
            board.as_mut(),
            BookOptions { shuffle: Some(seed), ..BookOptions::default() },
        )
        .unwrap();
        let order: Vec<_> = (0..3)
            .map(|number| openings.get(number, board.as_mut(), &Control::default()).unwrap().moves)
            .collect();
        orders.insert(order);
    }
    assert!(orders.len() > 1, "shuffled");
}

#[test]
fn the_option_of_a_game_holds_for_all() {
    let folder = folder();
    let file = folder.path().join("games.pgn");
    let labrys = env!("CARGO_BIN_EXE_labrys");
    json(&format!(
        "--variant amazons --option amazonsboard=5x4 --engine name=inside --engine name=outside cmd={labrys} \
         --each nodes=50 option.Hash=1 --games 2 --random-plies 0 --pgnout {}",
        file.display()
    ));
    let mut board = registry::board("amazons").unwrap();
    board.set_option("AmazonsBoard", "5x4").unwrap();
    for record in read(&file) {
        assert_eq!(record.opening.fen, board.fen());
        assert_eq!(end(&record).termination, Termination::Rules);
    }
}

#[test]
fn openings_are_balanced_and_reproducible() {
    let folder = folder();
    let find = |name: &str, words: &str| {
        let path = folder.path().join(name);
        let out = succeed(labrys(&format!(
            "openings --variant neighbours --nodes 300 {words} --out {}",
            path.display()
        )));
        (path, out)
    };
    let (path, out) = find("1.epd", "--count 30 --within 20");
    assert!(out.starts_with("30 openings within 20 cp, of "), "{out}");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut seen = std::collections::HashSet::new();
    for line in text.lines() {
        let (fen, score) = line.split_once("; ce ").unwrap();
        assert!(seen.insert(fen), "twice: {fen}");
        let score: i32 = score.strip_suffix(';').unwrap().parse().unwrap();
        assert!(score.abs() <= 20, "{line}");
    }
    assert_eq!(seen.len(), 30);
    let again = find("2.epd", "--count 30 --within 20").0;
    assert_eq!(std::fs::read_to_string(again).unwrap(), text);
    let other = find("3.epd", "--count 30 --within 20 --seed 2").0;
    assert_ne!(std::fs::read_to_string(other).unwrap(), text);
    json(&format!("{TWO} --games 2 --openings {}", path.display()));

    let out = folder.path().join("none.epd");
    for (words, message) in [
        ("--within=-1", "--within"),
        ("--count 0", "--count"),
        ("--random-plies 7-6", "--random-plies"),
        ("--option AmazonsBoard=5x4", "unknown option `AmazonsBoard`"),
        ("--random-plies 0 --count 2", "found only 1 of 2 openings"),
    ] {
        assert_fails(
            labrys(&format!("openings --variant neighbours --nodes 50 {words} --out {}", out.display())),
            message,
        );
        // The opening found before is kept.
        assert_eq!(out.exists(), message.starts_with("found"), "{words}");
    }
}

#[test]
fn invalid_arguments_are_named_before_the_first_game() {
    let folder = folder();
    let book = folder.path().join("book.txt");
    let file = folder.path().join("games.pgn");
    let openings = |text: &str| {
        std::fs::write(&book, text).unwrap();
        format!("{TWO} --strict --openings {}", book.display())
    };
    let cases: Vec<(String, &str)> = vec![
        ("".into(), "--engine: expected at least two engines, found 0"),
        ("--engine nodes=1".into(), "at least two engines, found 1"),
        ("--engine nodes=1 --engine nodez=1".into(), "--engine 2: unknown key `nodez`"),
        ("--engine nodes=1 --engine name=x".into(), "--engine 2: missing tc, st, depth or nodes"),
        ("--engine nodes=1 --engine nodes=1 foo=1".into(), "--engine 2: unknown key `foo`"),
        ("--engine nodes=1 --engine nodes".into(), "--engine 2: `nodes` has no value"),
        ("--engine name=x --engine name=x --each nodes=1".into(), "name `x`: expected a name that no other"),
        ("--engine nodes=1 --engine nodes=1 option.Foo=1".into(), "engine `labrys-2`: unknown option `Foo`"),
        ("--engine nodes=1 --engine nodes=1 option.Hash=x".into(), "option Hash: `x` is not a whole number"),
        (
            "--engine nodes=1 --engine nodes=1 cmd=/no/such/engine".into(),
            "engine `engine`: cannot start `/no/such/engine`",
        ),
        (TWO.replace("neighbours", "ludo"), "unknown variant `ludo`"),
        (format!("{TWO} --option Hash=1"), "--option: unknown option `Hash`\n"),
        (format!("{TWO} --option Hash"), "expected `NAME=VALUE`"),
        (
            "--variant amazons --engine name=a --engine name=b option.amazonsboard=6x6 --each nodes=9".into(),
            "`b`: option.amazonsboard: the rules are the same for all engines, use --option",
        ),
        (
            TWO.replace("neighbours", "amazons --option AmazonsBoard=1x1"),
            "--option: option AmazonsBoard: `1x1` is not",
        ),
        (format!("{TWO} --games 3"), "--games 3: expected an even number"),
        (format!("{TWO} --games 4 --rounds 2"), "--games: not with --rounds"),
        (format!("{TWO} --concurrency 0"), "expected a whole number from 1"),
        (format!("{TWO} --random-plies 7-4"), "expected a number of plies"),
        (format!("{TWO} --random-plies 999"), "every game is over within 999 random plies"),
        (format!("{TWO} --random-plies 9999"), "up to 1000"),
        (format!("{TWO} --sprt elo0=5 elo1=0"), "--sprt: elo0 5 has to be less than elo1 0"),
        (format!("{TWO} --sprt elo0=5"), "--sprt: missing elo1"),
        (format!("{TWO} --engine name=c --sprt elo0=0 elo1=5"), "--sprt: expected two engines, found 3"),
        (format!("{TWO} --draw movecount=3"), "--draw: missing score"),
        (format!("{TWO} --resign movecount=0 score=1"), "--resign: movecount `0`: expected"),
        (format!("{TWO} --plot /no/such/folder/x.svg"), "--plot /no/such/folder/x.svg"),
        (format!("{TWO} --openings /no/such/file"), "openings `/no/such/file`: "),
        (format!("{TWO} --nonsense"), "unknown argument `--nonsense`"),
    ];
    let missing = "/no/such/folder/x.pgn";
    let with = |path: &str, arguments: &str| format!("match --pgnout {path} {arguments}");
    let cases = cases.into_iter().map(|(arguments, message)| {
        assert!(!arguments.contains("--pgnout"), "given twice: {arguments}");
        (with(file.to_str().unwrap(), &arguments), message)
    });
    for (arguments, message) in cases.chain([(with(missing, TWO), missing)]) {
        let (success, out, error) = labrys(&arguments);
        assert!(!success && error.contains(message), "{arguments}: {error}");
        assert_eq!(out, "", "{arguments}");
        assert!(!file.exists(), "{arguments}");
    }
    for (text, message) in [
        ("", "no opening in it"),
        ("f1d3\n\nf1d3 f1d3\n", "line 3: move 2: `f1d3` is not legal"),
        ("8/8 w", "line 1: FEN: the board has 2 ranks"),
        ("p6p/8/8/8/8/8/8/PP6 b 0 1", "line 1: the game is over: White wins"),
        ("pppppppp/8/8/8/8/8/8/PPPPPPPP w moves e1e9", "line 1: move 1: `e1e9`"),
    ] {
        let (success, _, error) = labrys(&format!("match {}", openings(text)));
        assert!(
            !success && error.contains(book.to_str().unwrap()) && error.contains(message),
            "{text}: {error}"
        );
    }
    assert_fails(labrys(&format!("match {TWO} --resume")), "--pgnout");
    let (success, _, error) = labrys(&format!("match {TWO} --games 2 --concurrency 500"));
    assert!(success && error.contains("warning: --concurrency 500 on "), "{error}");
}

/// Plays two games against a mock engine: the result, the game records and the process ids of the mock.
fn against_mock(behaviour: &str, keys: &str) -> (serde_json::Value, Vec<PgnGame>, Vec<String>) {
    let folder = folder();
    let (file, pids) = (folder.path().join("games.pgn"), folder.path().join("pids"));
    let result = json(&format!(
        "--variant neighbours --engine name=good option.Hash=1 nodes=50 --engine name=mock {} \
         arg={behaviour} arg={} {keys} --games 2 --pgnout {}",
        mock(),
        pids.display(),
        file.display(),
    ));
    let pids = std::fs::read_to_string(pids).unwrap().lines().map(str::to_owned).collect();
    (result, read(&file), pids)
}

fn mock() -> String {
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_engine.sh"].iter().collect();
    format!("cmd=sh arg={}", script.display())
}

#[test]
#[cfg(unix)]
fn engines_that_misbehave_lose_and_the_match_continues() {
    for (behaviour, keys, kind, termination, details) in [
        ("crash", "nodes=1", "crash", Termination::Crash, "crashes: the engine has ended (exit status: 3)"),
        ("stall", "nodes=1 timeout=3", "stall", Termination::Stall, "stalls: no `bestmove` within 3 s"),
        ("stall", "st=0.1", "stall", Termination::Stall, "stalls: no `bestmove` within 0.1 s"),
        ("obedient", "tc=0.1", "time", Termination::Time, "loses on time after "),
        ("late", "tc=0.1", "time", Termination::Time, "loses on time after "),
        ("nothing", "nodes=1", "illegal", Termination::Illegal, "illegal move of"),
        ("nonsense", "nodes=1", "illegal", Termination::Illegal, "`hello` is no move"),
        ("illegal", "nodes=1", "illegal", Termination::Illegal, "`a1h8` is not legal"),
        ("many", "nodes=1", "illegal", Termination::Illegal, "`a1h8` is not legal"),
        (
            "garbage",
            "nodes=1",
            "illegal",
            Termination::Illegal,
            "sends invalid output: byte 0xff at position 6",
        ),
        ("flood", "st=0.1", "stall", Termination::Stall, "stalls: no `bestmove` within 0.1 s"),
        ("endless-line", "st=0.1", "stall", Termination::Stall, "stalls: no `bestmove` within 0.1 s"),
    ] {
        let (result, records, pids) = against_mock(behaviour, keys);
        assert_eq!(result["players"][1]["forfeits"][kind], 2, "{behaviour}: {result}");
        assert_eq!(result["pairings"][0]["wins"], 2, "{behaviour}");
        for record in &records {
            let loser = end(record).winner.map(|winner| record.players[(!winner).index()].name.as_str());
            assert_eq!((loser, end(record).termination), (Some("mock"), termination), "{behaviour}");
            assert!(end(record).details.contains(details), "{behaviour}: {}", end(record).details);
        }
        // One process for the check and, if it is restarted, one for each game; none is left running.
        let restarted =
            matches!(termination, Termination::Crash | Termination::Stall) || behaviour == "garbage";
        assert_eq!(pids.len(), if restarted { 3 } else { 2 }, "{behaviour}");
        for pid in pids {
            let alive = Command::new("kill").args(["-0", &pid]).stderr(Stdio::null()).status().unwrap();
            assert!(!alive.success(), "{behaviour}: process {pid} is still there");
        }
    }
}

/// Late output of an engine about its last search is not taken for an answer to the next one.
#[test]
#[cfg(unix)]
fn a_move_named_twice_counts_once() {
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_twice.sh"].iter().collect();
    let result = json(&format!(
        "--variant neighbours --engine name=good option.Hash=1 nodes=50 --engine name=mock cmd=sh arg={} arg={} \
         nodes=100000 --games 2 --max-moves 8",
        script.display(),
        env!("CARGO_BIN_EXE_labrys"),
    ));
    let forfeits = &result["players"][1]["forfeits"];
    assert_eq!((&forfeits["illegal"], &forfeits["stall"]), (&0.into(), &0.into()), "{result}");
}

#[test]
#[cfg(unix)]
fn engines_that_cannot_play_are_named_before_the_first_game() {
    for (behaviour, keys, message) in [
        ("mute", "timeout=0.2", "engine `mock`: no `uciok` within 0.2 s"),
        ("crash-at-start", "", "engine `mock`: the engine has ended (exit status: 9)"),
        ("refuse", "option.Mock_Level=3", "no option `Mock_Level`, the engine has: Mock Level"),
        ("chess", "", "does not play `neighbours`, it plays: chess, atomic"),
    ] {
        let words = format!(
            "match --variant neighbours --engine nodes=1 --engine nodes=1 name=mock {} \
             arg={behaviour} {keys}",
            mock()
        );
        let (success, out, error) = labrys(&words);
        assert!(!success && out.is_empty() && error.contains(message), "{behaviour}: {error}");
    }
    // An option with a space in its name that the engine rejects.
    let words = format!("match --engine nodes=1 --engine nodes=1 name=mock {} arg=refuse", mock());
    let outcome = shell::output(command(&words).arg("option.Mock Level=3"));
    assert_fails(outcome, "engine `mock`: the engine reports: name Mock Level value 3, no");
}

#[test]
#[cfg(unix)]
fn standard_error_of_an_engine_is_written_to_a_file() {
    let folder = folder();
    let log = folder.path().join("errors.log");
    against_mock("crash", &format!("nodes=1 stderr={}", log.display()));
    let text = std::fs::read_to_string(log).unwrap();
    assert_eq!(text, "something went wrong\n".repeat(2));
}
