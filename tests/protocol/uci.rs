//! The binary, driven over its protocol as a GUI or a script would.

use crate::common;

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::bench;
use common::process::Process;
use labrys::search::Constants;

const START: &str = "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1";

/// The only line of an answer.
fn one(answer: Vec<String>) -> String {
    assert_eq!(answer.len(), 1, "{answer:?}");
    answer.into_iter().next().unwrap()
}

/// The FEN that `d` shows.
fn fen(engine: &mut Process) -> String {
    let answer = engine.ask("d");
    answer.iter().find_map(|line| line.strip_prefix("Fen: ")).unwrap().to_owned()
}

/// The move of the next `bestmove` line.
fn best_move(engine: &mut Process) -> String {
    let lines = engine.until("bestmove");
    lines.last().unwrap().split(' ').nth(1).unwrap().to_owned()
}

/// Every option that `uci` announces is in `protocol.md`, with its type, range and default.
#[test]
fn the_reference_lists_the_options_of_every_game() {
    let reference = include_str!("../../protocol.md").split_whitespace().collect::<Vec<_>>().join(" ");
    for variant in ["chess", "neighbours", "tucchess", "amazons"] {
        let mut engine = Process::start();
        engine.send(&format!("setoption name UCI_Variant value {variant}\nuci"));
        for line in engine.until("uciok") {
            let Some((name, kind)) =
                line.strip_prefix("option name ").and_then(|text| text.split_once(" type "))
            else {
                continue;
            };
            // Those of a build for tuning are described together.
            if Constants::TABLE.iter().any(|constant| constant.name == name) {
                continue;
            }
            let from =
                reference.find(&format!("**`{name}`**")).unwrap_or_else(|| panic!("{variant}: {line}"));
            let entry = &reference[from..];
            let words: Vec<_> = kind.split(' ').collect();
            let expected = match words[..] {
                ["spin", _, default, _, min, _, max] => format!("(spin {min} to {max}, default {default})"),
                ["check", _, default] => format!("(check, `{default}`)"),
                ["string", ..] => "(string, `<empty>`)".to_owned(),
                [kind, ..] => format!("({kind}"),
                [] => panic!("{line}"),
            };
            let values = &entry[entry.find('(').unwrap()..];
            let entry = entry.split(" - **`").next().unwrap();
            match words[..] {
                // Each game has its own range.
                ["spin", _, default, _, min, _, max] if name == "UCI_Elo" => {
                    let listed = entry.contains(&format!("from {min} to {max}"));
                    assert!(listed && default == min, "{variant}: {line}");
                }
                _ => assert!(values.starts_with(&expected), "{variant}: {line}: expected {expected}"),
            }
            // The boards of Amazons are too many to list: the default and the range stand for them.
            let is_listed =
                |value: &&str| name != "AmazonsBoard" || ["10x10", "3x3", "11x11"].contains(value);
            for value in kind.split(" var ").skip(1).filter(is_listed) {
                assert!(entry.contains(&format!("`{value}`")), "{variant}: {line}: no `{value}`");
            }
        }
    }
}

#[test]
fn a_gui_handshake() {
    let mut engine = Process::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Labrys "));
    assert!(lines[1].starts_with("id author "));
    for option in [
        "option name UCI_Variant type combo default chess var chess var neighbours var tucchess var amazons",
        "option name Hash type spin default 16 min 1 max 32768",
        "option name Threads type spin default 1 min 1 max 256",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name SearchMode type combo default pvs var pvs var mtdf var alphabeta var minimax var expectiminimax var mcts var random",
        "option name Evaluation type combo default net var net var linear",
        "option name EvalFile type string default <empty>",
        "option name Selective type check default true",
        "option name MsdKeepRate type spin default 100 min 1 max 100",
        "option name MsdVolatilePlies type spin default 0 min 0 max 64",
        "option name MsdThetaEnd type spin default -1 min -1 max 1000",
        "option name Expansion type combo default auto var auto var all var one var evaluated",
        "option name Width type spin default 0 min 0 max 10000",
        "option name PlayoutPlies type spin default -1 min -1 max 1000",
        "option name ChancePlies type spin default 0 min 0 max 128",
        "option name UCI_ShowWDL type check default false",
        "option name RulesOfThumb type check default false",
        "option name Seed type spin default 0 min 0 max 9223372036854775807",
        "option name Ponder type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_Opponent type string default <empty>",
        "option name SyzygyPath type string default <empty>",
        "option name Clear Hash type button",
        "option name FeatureSet type combo default classical var classical var msd",
        "option name UCI_Chess960 type check default false",
        "option name WeightsFile type string default <empty>",
    ] {
        assert!(lines.contains(&option.to_owned()), "{option}");
    }
    assert_eq!(engine.ask("setoption name UCI_Variant value neighbours\nucinewgame"), [""; 0]);
    engine.send("uci");
    let variant = engine.until("option").pop().unwrap();
    assert!(
        variant.starts_with("option name UCI_Variant type combo default neighbours var chess "),
        "{variant}"
    );
    engine.send("quit");
    assert!(engine.finish().1.success());
}

#[test]
fn settings_of_a_gui_are_accepted() {
    let mut engine = Process::start();
    let lines =
        "setoption name UCI_AnalyseMode value true\nsetoption name UCI_Opponent value GM 2800 human Name";
    assert_eq!(engine.ask(lines), [""; 0]);
}

#[test]
fn the_last_move_of_a_time_control_is_answered() {
    let mut engine = Process::start();
    for clocks in ["wtime 100 btime 100", "wtime 1 btime 1", "wtime 100 btime 100 winc 10 binc 10"] {
        engine.send(&format!("position startpos\ngo {clocks} movestogo 1"));
        let best = engine.until("bestmove").pop().unwrap();
        assert_ne!(best, "bestmove (none)", "{clocks}");
    }
}

#[test]
fn a_long_search_reports_its_move_and_wdl() {
    let mut engine = Process::neighbours();
    engine.send("setoption name UCI_ShowWDL value true\ngo infinite");
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.contains(" currmove ")) {
        lines.push(engine.line().expect("a root move is announced"));
    }
    engine.send("stop");
    engine.until("bestmove");
    let current = lines.last().unwrap();
    let words: Vec<_> = current.split(' ').collect();
    assert_eq!((words[0], words[1], words[3], words[5]), ("info", "depth", "currmove", "currmovenumber"));
    assert_eq!((words[7], words[9], words[11], words[13]), ("nodes", "nps", "hashfull", "time"));
    let wdl = lines.iter().filter_map(|line| line.split_once(" wdl ")).map(|(_, rest)| rest);
    let sums = wdl.map(|rest| rest.split(' ').take(3).map(|n| n.parse::<u32>().unwrap()).sum::<u32>());
    let sums: Vec<_> = sums.collect();
    assert!(sums.len() > 5 && sums.iter().all(|&sum| sum == 1000), "{sums:?}");
}

/// During a long iteration of any search, its progress is reported every second.
#[test]
fn a_long_iteration_reports_its_progress() {
    let mut engine = Process::start();
    for (variant, mode) in [("chess", "minimax"), ("amazons", "pvs"), ("tucchess", "mcts")] {
        engine.send(&format!("setoption name UCI_Variant value {variant}"));
        engine.send(&format!("setoption name SearchMode value {mode}\nsetoption name Iterative value false"));
        // Reports of a Monte Carlo search come ever more rarely.
        engine.send(if mode == "mcts" { "go infinite" } else { "go infinite depth 40" });
        let is_progress = |line: &String| line.starts_with("info nodes ") || line.contains(" currmove ");
        let mut told = Vec::new();
        let start = Instant::now();
        while told.len() < 3 && start.elapsed() < Duration::from_secs(60) {
            told.extend(engine.line().filter(is_progress));
        }
        engine.send("stop");
        engine.until("bestmove");
        assert_eq!(told.len(), 3, "{variant} {mode}");
        let word = |line: &str, name: &str| {
            let words = line.split(' ').skip_while(|word| *word != name);
            words
                .skip(1)
                .find_map(|word| word.parse::<u64>().ok())
                .unwrap_or_else(|| panic!("{name}: {line}"))
        };
        for line in &told {
            assert!(word(line, "nps") > 0 && word(line, "hashfull") <= 1000, "{line}");
        }
        for name in ["nodes", "time"] {
            assert!(told.is_sorted_by(|one, next| word(one, name) < word(next, name)), "{name}: {told:?}");
        }
    }
}

#[test]
fn an_engine_plays_a_whole_game_against_itself() {
    let mut engine = Process::neighbours();
    let mut referee = Process::neighbours();
    engine.send("uci\nsetoption name UCI_Variant value neighbours\nucinewgame");
    engine.until("uciok");
    let mut moves = String::new();
    for ply in 0.. {
        assert!(ply < 1000, "the game does not end");
        let position = format!("position startpos{moves}");
        let legal = one(referee.ask(&format!("{position}\nmoves")));
        engine.send(&position);
        engine.send(match ply % 3 {
            0 => "go nodes 2000",
            1 => "go wtime 500 btime 500 winc 5 binc 5",
            _ => "go movetime 100\nstop",
        });
        let best = best_move(&mut engine);
        if best == "(none)" {
            let outcome = referee.ask("d").pop().unwrap();
            assert!(outcome.starts_with("Outcome: "), "{outcome}");
            return;
        }
        assert!(legal.split(' ').any(|mv| mv == best), "{best} after {moves}");
        moves = match moves.is_empty() {
            true => format!(" moves {best}"),
            false => format!("{moves} {best}"),
        };
    }
}

#[test]
fn bad_lines_are_named_and_change_nothing() {
    let mut engine = Process::neighbours();
    let weights = engine.ask("weights");
    engine.ask("position startpos moves e1e3 e8e6\nsetoption name Hash value 3\nsetweights piecesForMe=9");
    let (fen, weights_now) = (fen(&mut engine), engine.ask("weights"));
    assert_ne!(weights, weights_now);
    for (line, error) in [
        ("xyzzy", "unknown command `xyzzy`, `help` lists the commands"),
        ("UCI", "unknown command `UCI`, `help` lists the commands"),
        ("wait now", "wait: unexpected `now`, expected the end of the line"),
        ("d now", "d: unexpected `now`, expected the end of the line"),
        ("eval nonsense", "eval: unexpected `nonsense`, expected `all`"),
        ("eval all now", "eval: unexpected `now`, expected the end of the line"),
        ("debug maybe", "debug: unexpected `maybe`, expected `on` or `off`"),
        ("position", "position: missing `startpos` or `fen <fen>`"),
        ("position start", "position: unexpected `start`, expected `startpos` or `fen <fen>`"),
        ("position startpos e1e3", "position: unexpected `e1e3`, expected `moves`"),
        ("position fen", "position: missing the FEN"),
        ("position fen 8/8 w 0 1", "position: FEN: the board has 2 ranks, expected 8"),
        (
            "position startpos moves e1e3 e8e6 f1f3",
            "position: move 3: `f1f3` is not legal: the piece on f1 must move exactly 1 in a straight line over empty squares",
        ),
        (
            "position startpos moves e1e9",
            "position: move 1: `e1e9` is no move: expected two squares, as in `e1e3`",
        ),
        (
            "position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
            "position: FEN: the board has 10 ranks, expected 8; looks like variant `amazons`",
        ),
        ("perft", "perft: missing depth"),
        ("bench deep", "bench: depth `deep`: expected a whole number from 1 to 100"),
        ("setoption", "setoption: missing `name <name>`"),
        ("setoption Hash 3", "setoption: unexpected `Hash`, expected `name <name>`"),
        ("setoption name", "setoption: missing the name of the option"),
        ("setoption name Speed value 3", "unknown option `Speed`"),
        ("setoption name Hash value 0", "option Hash: `0` is not a whole number from 1 to 32768"),
        ("setoption name Hash", "option Hash: `` is not a whole number from 1 to 32768"),
        ("setoption name Selective value yes", "option Selective: `yes` is not `true` or `false`"),
        (
            "setoption name SearchMode value negascout",
            "option SearchMode: `negascout` is not one of: pvs, mtdf, alphabeta, minimax, expectiminimax, mcts, random",
        ),
        (
            "setoption name FeatureSet value set4",
            "option FeatureSet: `set4` is not one of: set1, set2, set3, base",
        ),
        ("setoption name Evaluation value hce", "option Evaluation: `hce` is not one of: net, linear"),
        ("setoption name UCI_Chess960 value yes", "option UCI_Chess960: `yes` is not `true` or `false`"),
        (
            "setoption name UCI_Variant value go",
            "unknown variant `go`, expected one of: chess, neighbours, tucchess, amazons",
        ),
        ("setweights", "setweights: missing values, `<name>=<value>` …, `file <path>` or `default`"),
        ("setweights 1 2 3", "setweights: 3 weights, but set `set1` has 17"),
        (
            "setweights 1 two 3",
            "setweights: unexpected `two`, expected values, `<name>=<value>` …, `file <path>` or `default`",
        ),
        ("setweights x=1", "setweights: weight `x` is unknown in set `set1`"),
        ("setweights piecesForMe=1 x=1", "setweights: weight `x` is unknown in set `set1`"),
        ("setweights piecesForMe=", "setweights: weight `piecesForMe`: `` is not a finite number"),
        ("setweights piecesForMe=nan", "setweights: weight `piecesForMe`: `nan` is not a finite number"),
        ("setweights piecesForMe=1 piecesForMe=2", "setweights: weight `piecesForMe` is given twice"),
        ("setweights file", "setweights: missing the path of the file"),
        ("setweights default now", "setweights: unexpected `now`, expected the end of the line"),
    ] {
        assert_eq!(one(engine.ask(line)), format!("info string error: {error}"), "{line}");
    }
    for (line, start) in [
        ("setweights file /no/such file", "info string error: setweights: weights file `/no/such file`: "),
        (
            "setoption name EvalFile value /no/such file",
            "info string error: option EvalFile: net file /no/such file: ",
        ),
        (
            "setoption name WeightsFile value /no/such file",
            "info string error: option WeightsFile: weights file `/no/such file`: ",
        ),
    ] {
        assert!(one(engine.ask(line)).starts_with(start), "{line}");
    }
    assert_eq!(fen, self::fen(&mut engine));
    assert_eq!(weights_now, engine.ask("weights"));
}

/// The number behind a word in the last line of a search.
fn last(lines: &[String], word: &str) -> u64 {
    let line = lines.iter().rfind(|line| line.starts_with("info depth")).unwrap();
    line.split(' ').skip_while(|found| *found != word).nth(1).unwrap().parse().unwrap()
}

/// The lines that answer a `go`, and the number of those that are `bestmove`.
fn answer_to(engine: &mut Process, go: &str) -> Vec<String> {
    engine.send(go);
    let mut lines = engine.until("bestmove");
    lines.extend(engine.ask(""));
    let answers = lines.iter().filter(|line| line.starts_with("bestmove")).count();
    assert_eq!(answers, 1, "{go}: {lines:?}");
    lines
}

#[test]
fn a_wrong_go_still_gives_exactly_one_move() {
    let mut engine = Process::neighbours();
    let legal = one(engine.ask("moves"));
    for (go, messages) in [
        // What is wrong is named, and the rest counts.
        ("go depth", &["error: go: missing depth"][..]),
        ("go depth x", &["error: go: depth `x`: expected a whole number"]),
        ("go depth x nodes 100", &["error: go: depth `x`: expected a whole number"]),
        ("go movetime 1e9", &["error: go: movetime `1e9`: expected a whole number"]),
        ("go ponder movetime x\nponderhit", &["error: go: movetime `x`: expected a whole number"]),
        ("go wtime btime 1000", &["error: go: missing wtime"]),
        ("go depth 2 depth 3", &["error: go: depth is given twice"]),
        ("go searchmoves", &["error: go: missing a move after `searchmoves`"]),
        ("go searchmoves depth 3", &["error: go: missing a move after `searchmoves`"]),
        (
            "go depth 3 searchmoves e1e2 c1c3 x",
            &[
                "error: go: searchmoves: `e1e2` is not legal: the piece on e1 must move exactly 2 in a straight line over empty squares",
                "error: go: searchmoves: `x` is no move: expected two squares, as in `e1e3`",
            ],
        ),
        (
            "go depth 3 searchmoves e1e2",
            &[
                "error: go: searchmoves: `e1e2` is not legal: the piece on e1 must move exactly 2 in a straight line over empty squares",
            ],
        ),
        // Unknown words are passed over.
        ("go fast", &["go: `fast` is unknown and passed over"]),
        ("go dpeth 12", &["go: `dpeth` is unknown and passed over", "go: `12` is unknown and passed over"]),
        (
            "go really depth 2 now",
            &["go: `really` is unknown and passed over", "go: `now` is unknown and passed over"],
        ),
        // Numbers out of range mean the nearest in it.
        ("go depth 0", &[]),
        ("go depth -3", &[]),
        ("go depth 1.9", &[]),
        ("go nodes 0", &[]),
        ("go nodes -1", &[]),
        ("go mate 0 depth 2", &[]),
        ("go movetime -5", &[]),
        ("go movetime 20.7", &[]),
        ("go wtime 100.5 btime 100.5 winc 0.5", &[]),
        ("go wtime 100 btime 100 movestogo 0", &[]),
        ("go wtime 100 btime 100 movestogo -1", &[]),
        ("go movestogo 5", &[]),
        ("go btime 50", &[]),
        ("go winc 10 binc 10", &[]),
        ("go depth 99999999999999999999999 nodes 100", &[]),
        // Perft is not obeyed in part.
        ("go perft 2 depth 3", &["error: go: perft does not go with anything else"]),
        ("go depth 3 perft 2", &["error: go: perft does not go with anything else"]),
        ("go infinite perft 2", &["error: go: perft does not go with anything else"]),
        (
            "go perft 2 now",
            &["go: `now` is unknown and passed over", "error: go: perft does not go with anything else"],
        ),
        ("go perft 65", &["error: go: perft `65`: expected a whole number from 1 to 64"]),
        ("go perft", &["error: go: missing perft"]),
    ] {
        let lines = answer_to(&mut engine, go);
        let said: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("info string ")).collect();
        assert_eq!(said, messages, "{go}");
        assert!(!lines.iter().any(|line| line.contains("Nodes searched")), "{go}: {lines:?}");
        let best = lines.iter().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
        let best = best.split(' ').next().unwrap();
        let is_legal = legal.split(' ').any(|mv| mv == best);
        assert_eq!(
            if is_legal { "a move" } else { best },
            if go.contains("perft") { "(none)" } else { "a move" }
        );
        if go.contains("c1c3") {
            assert_eq!(best, "c1c3", "the only choice that is legal");
        }
    }
    assert_eq!(last(&answer_to(&mut engine, "go depth 2 depth 3"), "depth"), 3, "the last one counts");
    assert_eq!(last(&answer_to(&mut engine, "go depth 0"), "depth"), 1);
    assert!(last(&answer_to(&mut engine, "go nodes 500 fast"), "nodes") <= 500);
    // Clients name the null move for an empty list.
    let lines = answer_to(&mut engine, "go depth 3 searchmoves 0000");
    assert_eq!(lines.last().unwrap(), "bestmove (none)");
    assert!(lines[0].starts_with("info string error: go: searchmoves: `0000` is no move"), "{lines:?}");
    let mut chess = Process::start();
    assert_eq!(answer_to(&mut chess, "go searchmoves 0000").last().unwrap(), "bestmove (none)");
    assert_eq!(answer_to(&mut chess, "go depth 1 searchmoves 0000 a2a3")[2], "bestmove a2a3");
}

#[test]
fn a_line_that_begins_with_go_is_answered_even_if_it_cannot_be_read() {
    let mut engine = Process::start();
    engine.send_bytes(b"go depth 2 \xff\xfe\n");
    let lines = answer_to(&mut engine, "");
    assert_eq!(lines[0], "info string error: byte 0xff at position 12 of the line is not UTF-8");
    engine
        .send_bytes(&[b"go depth 2 searchmoves e2e4 ".as_slice(), &vec![b' '; 1 << 20], b"d2d4\n"].concat());
    let lines = answer_to(&mut engine, "");
    assert_eq!(lines[0], "info string error: a line of more than 1048576 bytes");
    assert!(lines.last().unwrap().starts_with("bestmove e2e4"), "{lines:?}");
}

/// More searches than anybody waits for, written at once: each is of its own position.
#[test]
fn thousands_of_lines_at_once_are_answered_in_their_order() {
    let mut engine = Process::start();
    let moves = ["e2e4", "d2d4", "g1f3", "b1c3"];
    let lines: String = (0..1_500)
        .map(|number| format!("position startpos\ngo depth 1 searchmoves {}\n", moves[number % moves.len()]))
        .collect();
    engine.send(lines.trim_end());
    for number in 0..1_500 {
        assert!(best_move(&mut engine).starts_with(moves[number % moves.len()]), "{number}");
    }
}

#[test]
fn isready_is_answered_while_a_search_never_ends() {
    for go in ["go mate 1", "go ponder\nponderhit", "go infinite"] {
        let mut engine = Process::start();
        engine.send(&format!("{go}\nposition startpos moves e2e4\nisready"));
        let lines = engine.until("readyok");
        assert!(lines.iter().any(|line| line.contains("position: not while searching")), "{go}: {lines:?}");
        engine.send("stop");
        best_move(&mut engine);
    }
}

/// Several searches with everything that ends them, written at once: `stop` and `quit` reach the search that
/// they stand behind.
#[test]
fn commands_written_at_once_take_effect_in_their_order() {
    let is_end = |line: &String| line.starts_with("bestmove") || line.ends_with(" stopped");
    for (lines, answers) in [
        ("go infinite\nstop\ngo infinite\nstop", 2),
        ("go infinite\nstop\ngo infinite\nstop\ngo infinite\nstop\nstop", 3),
        ("go infinite\nstop\nposition startpos moves e2e4\ngo infinite\nisready\nstop", 2),
        ("go ponder wtime 1000 btime 1000\nstop\ngo ponder wtime 1000 btime 1000\nstop", 2),
        ("go ponder movetime 10\nstop\ngo ponder movetime 10\nponderhit", 2),
        ("go ponder movetime 10\nponderhit\ngo infinite\nstop", 2),
        ("go mate 20\nstop\ngo mate 20\nstop", 2),
        ("go depth 120\nstop\nsetoption name Hash value 2\neval\ngo depth 120\nstop", 2),
        ("perft 12\nstop\nperft 12\nstop", 2),
        ("go perft 12\nstop\ngo infinite\nstop\nbench 60\nstop", 3),
        ("bench 60\nstop\nbench 60\nstop", 2),
        // Without a `stop` in between, work that ends by itself is waited for.
        ("go depth 3\nposition startpos moves e2e4\ngo depth 3", 2),
        ("go depth 3\ngo infinite\nstop", 2),
        ("go depth 120\ngo depth 120\nstop", 2),
        ("perft 12\ngo depth 120\nstop", 2),
        // The second one is refused, and answered.
        ("go infinite\ngo depth 1\nstop", 2),
        ("go infinite\ngo infinite\nstop\nstop", 2),
        // A `stop` behind a `wait` is for what stands in between, if anything does.
        ("go depth 3\nwait\ngo infinite\nstop", 2),
        ("go depth 120\nwait\nd\nstop", 1),
        ("go depth 3\nwait\ngo depth 120\nwait\nstop\ngo infinite\nstop", 3),
    ] {
        for end in ["", "\nquit"] {
            let mut engine = Process::start();
            engine.send(&format!("{lines}{end}"));
            let mut found = 0;
            while found < answers {
                let line = engine.line().unwrap_or_else(|| panic!("{lines:?}: {found} answers"));
                found += usize::from(is_end(&line));
            }
            let rest = if end.is_empty() { engine.ask("") } else { engine.finish().0 };
            assert!(!rest.iter().any(is_end), "{lines:?}: {rest:?}");
        }
    }
    // `quit` and the end of input reach the one that has not begun.
    for end in ["quit", ""] {
        let mut engine = Process::start();
        engine.send(&format!("go infinite\nstop\ngo depth 120\ngo depth 120\n{end}"));
        let lines = engine.finish().0;
        assert_eq!(lines.iter().filter(|line| is_end(line)).count(), 3, "{lines:?}");
    }
}

#[test]
fn queued_commands_use_their_own_position() {
    let mut engine = Process::start();
    engine.send("go nodes 3000\nposition startpos moves e2e4\nxyzzy\nisready\nmoves\ngo nodes 3000");
    let white = best_move(&mut engine);
    assert!(engine.line().unwrap().contains("unknown command `xyzzy`"));
    assert_eq!(engine.line().unwrap(), "readyok");
    assert!(engine.line().unwrap().contains("e7e5"), "the answer to `moves`");
    let black = best_move(&mut engine);
    assert!(white.as_bytes()[1] < b'3' && black.as_bytes()[1] > b'6', "{white} {black}");
}

#[test]
fn a_byte_order_mark_before_the_first_command_is_skipped() {
    let mut engine = Process::start();
    engine.send_bytes("\u{feff}uci\n".as_bytes());
    assert!(engine.until("uciok")[0].starts_with("id name Labrys"));
}

/// A client sets what was announced, before or after it chooses the game.
#[test]
fn options_of_every_game_are_announced_and_kept_for_it() {
    let mut engine = Process::start();
    for variant in ["chess", "neighbours", "tucchess", "amazons"] {
        engine.send(&format!("setoption name UCI_Variant value {variant}\nuci"));
        let lines = engine.until("uciok");
        for name in [
            "UCI_Chess960",
            "AmazonsBoard",
            "SyzygyPath",
            "SyzygyProbeDepth",
            "TablePath",
            "BookFile",
            "Debug Log File",
            "UCI_LimitStrength",
            "UCI_Elo",
        ] {
            let start = format!("option name {name} type ");
            assert_eq!(lines.iter().filter(|line| line.starts_with(&start)).count(), 1, "{variant}: {name}");
        }
    }
    let mut engine = Process::start();
    assert_eq!(engine.ask("setoption name AmazonsBoard value 6x6"), [""; 0]);
    assert_eq!(
        one(engine.ask("setoption name amazonsboard value 12x12")),
        "info string error: option AmazonsBoard: `12x12` is not a board from 3x3 to 11x11, files x ranks"
    );
    assert!(one(engine.ask("setoption name TablePath value /no/such folder")).contains("option TablePath: "));
    assert_eq!(engine.ask("setoption name UCI_Variant value amazons"), [""; 0]);
    let board = fen(&mut engine);
    assert_eq!(board.split('/').count(), 6, "{board}");
    engine.ask("setoption name UCI_Chess960 value true\nsetoption name UCI_Variant value chess");
    engine.ask("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert!(one(engine.ask("moves")).contains("e1h1"), "castling as in Chess960");
    engine.ask("setoption name UCI_Variant value amazons");
    assert_eq!(fen(&mut engine), board, "the board is still the small one");
    // A strength that only one of the games has is no error in the other one.
    let elo = "setoption name UCI_Elo value 2500\nsetoption name UCI_Variant value tucchess";
    assert_eq!(engine.ask(&format!("setoption name UCI_Variant value chess\n{elo}")), [""; 0]);
    assert_eq!(engine.ask("setoption name UCI_Variant value chess"), [""; 0]);
    // A value that is lost is told, but the game has changed.
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.bin");
    std::fs::write(&book, book_entry(1, 12, 28, 1)).unwrap();
    assert_eq!(engine.ask(&format!("setoption name BookFile value {}", book.display())), [""; 0]);
    engine.ask("setoption name UCI_Variant value amazons");
    std::fs::remove_file(&book).unwrap();
    let told = one(engine.ask("setoption name UCI_Variant value chess"));
    assert!(
        told.starts_with("info string option BookFile: ") && told.ends_with("; it has its default"),
        "{told}"
    );
}

/// General options first, those of single searches last.
#[test]
fn options_are_announced_in_groups() {
    let mut engine = Process::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let place = |name: &str| {
        let start = format!("option name {name} type ");
        lines.iter().position(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{name}"))
    };
    let groups: [&[&str]; 5] = [
        &[
            "UCI_Variant",
            "Hash",
            "Clear Hash",
            "Threads",
            "MultiPV",
            "Ponder",
            "Move Overhead",
            "UCI_Elo",
            "UCI_Chess960",
            "AmazonsBoard",
            "SyzygyPath",
            "TablePath",
            "UCI_ShowWDL",
            "Seed",
            "UCI_Opponent",
            "Debug Log File",
        ],
        &["Evaluation", "EvalFile", "FeatureSet", "WeightsFile"],
        &["SearchMode", "Selective", "Width", "Candidates", "ChancePlies", "RulesOfThumb"],
        &["MsdKeepRate", "MsdWin", "MsdGammaEnd"],
        &["Selection", "NetFile", "NetCache", "Exploration", "GumbelNoise", "TemperatureMoves"],
    ];
    assert_eq!(place("UCI_Variant"), 2, "the first one");
    for pair in groups.windows(2) {
        let last = pair[0].iter().map(|name| place(name)).max();
        let first = pair[1].iter().map(|name| place(name)).min();
        assert!(last < first, "{pair:?}");
    }
}

#[test]
fn eval_names_the_evaluation_and_gives_no_score_to_a_finished_game() {
    let mut engine = Process::start();
    let marks = |engine: &mut Process| -> Vec<String> {
        let lines = engine.ask("eval").into_iter();
        let marked = lines.filter(|line| line.ends_with("in use)") || line.ends_with("(not in use)"));
        marked
            .map(|line| line.split(' ').next().unwrap().to_owned() + &line[line.find('(').unwrap()..])
            .collect()
    };
    assert_eq!(marks(&mut engine), ["set(not in use)", "net:(in use)"]);
    engine.ask("setoption name Evaluation value linear");
    assert_eq!(marks(&mut engine), ["set(in use)", "net:(not in use)"]);
    engine.ask("setoption name SearchMode value random");
    assert_eq!(marks(&mut engine), ["set(not in use)", "net:(not in use)"]);
    // Simulations play to the end at random, unless they are told otherwise.
    engine.ask("setoption name Evaluation value net\nsetoption name SearchMode value mcts");
    assert_eq!(marks(&mut engine), ["set(not in use)", "net:(not in use)"]);
    for [option, value, usual] in [
        ["PlayoutPlies", "5", "-1"],
        ["Epsilon", "50", "100"],
        ["Expansion", "evaluated", "auto"],
        ["Selection", "puct", "uct"],
        ["MsdKeepRate", "50", "100"],
    ] {
        engine.ask(&format!("setoption name {option} value {value}"));
        assert_eq!(marks(&mut engine), ["set(not in use)", "net:(in use)"], "{option}");
        engine.ask(&format!("setoption name {option} value {usual}"));
    }
    assert_eq!(marks(&mut engine), ["set(not in use)", "net:(not in use)"]);
    // A board without a net is evaluated by features.
    engine.ask("setoption name UCI_Variant value amazons\nsetoption name AmazonsBoard value 6x6");
    engine.ask("setoption name Evaluation value net\nsetoption name SearchMode value pvs");
    assert_eq!(marks(&mut engine), ["set(in use)"]);
    for (variant, fen, outcome) in [
        ("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "White wins: checkmate"),
        ("chess", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "draw: stalemate"),
        ("neighbours", "8/8/8/8/8/8/8/P6p w 0 1", "Black wins: no legal move"),
        ("tucchess", "5/5/5/5/5/5/R1K2 b 8 0 1", "White wins: king captured"),
    ] {
        engine.ask(&format!("setoption name UCI_Variant value {variant}\nposition fen {fen}"));
        for eval in ["eval", "eval all"] {
            let answer = engine.ask(eval);
            assert!(!answer.iter().any(|line| line.contains("score")), "{variant}: {answer:?}");
            assert_eq!(answer, [format!("no evaluation, the game is over: {outcome}")], "{variant}");
        }
    }
}

/// A process that has not memory for two tables of this size, but for one.
#[test]
#[cfg(target_os = "linux")]
fn a_table_is_freed_before_the_next_one_is_allocated() {
    let mut engine =
        Process::of("sh", &["-c", "ulimit -v 1200000; exec \"$0\"", env!("CARGO_BIN_EXE_labrys")]);
    for mode in ["pvs", "mcts", "pvs"] {
        engine.ask(&format!("setoption name SearchMode value {mode}"));
        for megabytes in [600, 650, 600] {
            assert_eq!(engine.ask(&format!("setoption name Hash value {megabytes}")), [""; 0]);
            engine.send("go nodes 100");
            engine.until("bestmove");
        }
    }
    let answer = one(engine.ask("setoption name Hash value 20000"));
    assert_eq!(answer, "info string error: option Hash: no memory for a table of 20000 MB");
    engine.send("go nodes 100");
    engine.until("bestmove");
}

#[test]
fn odd_bytes_do_no_harm() {
    let mut engine = Process::neighbours();
    engine.send_bytes(b"\n\r\n   \t\nisready\r\n");
    assert_eq!(engine.until("readyok").len(), 1);
    engine.send_bytes(b"position \xff\xfe\n");
    assert_eq!(one(engine.ask("")), "info string error: byte 0xff at position 10 of the line is not UTF-8");
    let long = "x".repeat(10_000);
    let answer = one(engine.ask(&long));
    assert_eq!(
        answer,
        format!("info string error: unknown command `{}…`, `help` lists the commands", "x".repeat(40))
    );
    let moves = "e1e2 e8e7 e2e1 e7e8 ".repeat(500);
    assert!(one(engine.ask(&format!("position startpos moves {moves}"))).contains("move "));
    assert_eq!(
        one(engine.ask("\u{1b}[2Jhello\0")),
        "info string error: unknown command `\\u{1b}[2Jhello`, `help` lists the commands"
    );
    engine.send_bytes(&[b"position startpos moves ".as_slice(), &[0xF0; 64], b"\n"].concat());
    assert!(one(engine.ask("")).contains("not UTF-8"));
    assert_eq!(fen(&mut engine), START);
}

#[test]
fn a_search_answers_and_can_be_stopped() {
    let mut engine = Process::neighbours();
    assert_eq!(engine.ask("stop\nponderhit\nwait"), [""; 0], "nothing runs: nothing to say");
    engine.send("go infinite");
    engine.until("info depth 5");
    engine.send("isready");
    engine.until("readyok");
    for (line, name) in [
        ("position startpos", "position"),
        ("go depth 1", "go"),
        ("setoption name Hash value 1", "setoption"),
        ("ucinewgame", "ucinewgame"),
        ("setweights default", "setweights"),
        ("eval", "eval"),
        ("uci", "uci"),
        ("perft 2", "perft"),
    ] {
        engine.send(line);
        let error = engine.until("info string error").pop().unwrap();
        assert_eq!(error, format!("info string error: {name}: not while searching, `stop` first"));
    }
    engine.send("wait");
    engine.until("info string error: wait: this search may end only by `stop` or `ponderhit`");
    engine.send("stop\nstop");
    let best = engine.until("bestmove").pop();
    assert_eq!(engine.line(), best, "the `go` that was refused is answered, too");
    assert_eq!(engine.ask("stop"), [""; 0], "one answer for one `go`");
    engine.send("go infinite\nstop\nposition startpos moves e1e3\nmoves");
    engine.until("bestmove");
    assert!(engine.line().unwrap().contains("e8e6"), "what follows `stop` need not wait for the answer");
}

/// A client that says `stop now` wants it to stop.
#[test]
fn extra_words_after_a_one_word_command_are_ignored() {
    let mut engine = Process::neighbours();
    let note =
        |command: &str, word: &str| format!("info string {command}: `{word}` is unknown and passed over");
    engine.send("isready ok");
    assert_eq!(engine.until("readyok"), [note("isready", "ok"), "readyok".to_owned()]);
    assert!(engine.ask("uci please").contains(&"uciok".to_owned()));
    assert_eq!(engine.ask("ucinewgame x y"), [note("ucinewgame", "x"), note("ucinewgame", "y")]);
    engine.send("go infinite");
    engine.until("info depth 2");
    engine.send("stop \u{1}now");
    engine.until("bestmove");
    engine.send("go ponder depth 2");
    engine.until("info depth 2");
    engine.send("ponderhit e2e4");
    engine.until("bestmove");
    // Before the end of the input.
    engine.send("go infinite");
    engine.send("quit now");
    engine.until("bestmove");
    assert_eq!(engine.line(), Some(note("quit", "now")));
    assert_eq!(engine.line(), None);
}

#[test]
fn many_wrong_words_of_a_line_are_named_in_a_few_lines() {
    let mut engine = Process::neighbours();
    for words in ["x ", "depth ", "depth x ", "searchmoves a1a1 ", "searchmoves x depth 1 "] {
        engine.send(&format!("go nodes 50 {}", words.repeat(5000)));
        let lines = engine.until("bestmove");
        let named = lines.iter().filter(|line| line.starts_with("info string")).count();
        assert!((2..30).contains(&named), "{words}: {named}");
        assert!(lines.iter().any(|line| line.starts_with("info string … and ")), "{words}");
    }
    engine.send(&format!("isready {}", "x ".repeat(5000)));
    assert_eq!(engine.until("readyok").len(), 10);
}

#[test]
fn an_infinite_search_keeps_its_answer() {
    let mut engine = Process::neighbours();
    engine.send("go infinite depth 1");
    engine.until("info depth 1");
    // Time for an answer that must not come.
    sleep(Duration::from_millis(50));
    assert_eq!(engine.ask(""), [""; 0]);
    assert!(
        one(engine.ask("eval")).contains("not while searching"),
        "the search has ended, but not its answer"
    );
    engine.send("stop");
    engine.until("bestmove");
    assert_eq!(fen(&mut engine), START);
}

#[test]
fn a_ponder_search_waits_for_the_move() {
    let mut engine = Process::neighbours();
    engine.send("go ponder wtime 300 btime 300");
    // Longer than the clock would last.
    sleep(Duration::from_millis(400));
    assert!(
        engine.ask("").iter().all(|line| line.starts_with("info")),
        "its own clock has not yet begun to count"
    );
    engine.send("ponderhit");
    engine.until("bestmove");
    engine.send("go ponder depth 1\nstop");
    engine.until("bestmove");
    engine.send("go ponder nodes 100");
    engine.until("info depth 1");
    engine.send("ponderhit\nponderhit");
    engine.until("bestmove");
    assert_eq!(engine.ask(""), [""; 0]);
}

#[test]
fn limits_are_kept() {
    let mut engine = Process::neighbours();
    engine.send("go depth 6");
    assert_eq!(last(&engine.until("bestmove"), "depth"), 6);
    engine.send("go nodes 5000");
    assert!(last(&engine.until("bestmove"), "nodes") <= 5000);
    engine.send("go searchmoves c1c3 h1g2 depth 4");
    let lines = engine.until("bestmove");
    assert!(lines.iter().all(|line| ["c1c3", "h1g2"].iter().any(|mv| line.contains(&format!(" {mv}")))));
    engine.send("go searchmoves c1c3 searchmoves h1g2 depth 4");
    assert!(engine.until("bestmove").pop().unwrap().starts_with("bestmove h1g2"), "the last list counts");
    // A clock of one side is the clock of both, whatever else limits the search.
    for clock in ["wtime 50", "btime 50"] {
        engine.send(&format!("go {clock} depth 128"));
        engine.until("bestmove");
    }
    engine.send("go wtime -50 btime -50 depth 30");
    engine.until("bestmove");
    engine.send("go movetime 0");
    engine.until("bestmove");
    engine.send("go wtime 9223372036854775807 winc 9223372036854775807 btime 1 depth 2");
    engine.until("bestmove");
    engine.send("setoption name MultiPV value 3\ngo depth 3");
    let lines = engine.until("bestmove");
    assert!(
        ["multipv 1", "multipv 2", "multipv 3"].iter().all(|n| lines.iter().any(|line| line.contains(n)))
    );
}

/// Clients may send all options again before each game or search.
#[test]
fn options_that_do_not_change_keep_the_table() {
    let nodes = |option: &str| {
        let mut engine = Process::start();
        let set = if option.is_empty() { String::new() } else { format!("setoption name {option}\n") };
        engine.send(&format!("go depth 7\nwait\n{set}go depth 7"));
        engine.until("bestmove");
        let lines = engine.until("bestmove");
        assert_eq!(last(&lines, "depth"), 7);
        last(&lines, "nodes")
    };
    let kept = nodes("");
    for option in [
        "Hash value 16",
        "Skill Level value 20",
        "SyzygyPath value <empty>",
        "Syzygy50MoveRule value true",
        "SyzygyProbeDepth value 1",
        "SyzygyProbeLimit value 7",
        "EvalFile value <empty>",
        "WeightsFile value <empty>",
    ] {
        assert_eq!(nodes(option), kept, "{option}");
    }
    for option in ["Hash value 8", "SyzygyProbeDepth value 2", "Evaluation value linear"] {
        assert_ne!(nodes(option), kept, "{option}");
    }
}

/// What is given twice is no reason to end a search without limits.
#[test]
fn a_search_without_limits_ends_by_stop() {
    let mut engine = Process::neighbours();
    for (go, message) in [
        ("go infinite infinite", "infinite is given twice"),
        ("go searchmoves c1c3 searchmoves h1g2", "searchmoves is given twice"),
        ("go ponder ponder\nponderhit", "ponder is given twice"),
    ] {
        engine.send(go);
        assert!(engine.until("info string error").pop().unwrap().ends_with(message), "{go}");
        // Longer than a search whose limits cannot be read.
        std::thread::sleep(Duration::from_millis(300));
        let lines = engine.ask("");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{go}: {lines:?}");
        engine.send("stop");
        engine.until("bestmove");
    }
}

/// The player chooses the move, and chance its outcome.
#[test]
fn outcomes_of_searchmoves_do_not_count() {
    let mut engine = Process::start();
    engine.ask("setoption name UCI_Variant value tucchess");
    for mode in ["pvs", "mtdf", "expectiminimax", "mcts", "random"] {
        engine.ask(&format!("setoption name SearchMode value {mode}"));
        let lines = answer_to(&mut engine, "go nodes 100 searchmoves a2a3+c3 a2a3+c5");
        assert!(lines.iter().any(|line| line.split(" ponder").next() == Some("bestmove a2a3")), "{mode}");
    }
}

#[test]
fn win_draw_and_loss_of_mcts_have_the_win_rate() {
    let mut engine = Process::neighbours();
    let fen = "pppppppp/8/8/8/8/8/8/PPPPP3 w 0 1";
    engine.ask(&format!(
        "setoption name SearchMode value mcts\nsetoption name UCI_ShowWDL value true\nposition fen {fen}"
    ));
    let lines = answer_to(&mut engine, "go nodes 20000");
    let number = |line: &str, name: &str, place: usize| {
        let mut words = line.split(' ').skip_while(|word| *word != name);
        words.nth(place).and_then(|word| word.parse::<f64>().ok())
    };
    let rate = lines.iter().rev().find_map(|line| number(line, "winrate", 1)).unwrap();
    let line = lines.iter().rev().find(|line| line.contains(" wdl ")).unwrap();
    let [win, draw, loss] = [1, 2, 3].map(|place| number(line, "wdl", place).unwrap());
    assert!(rate > 0.01 && rate < 0.99 && win + draw + loss == 1000.0, "{rate}: {line}");
    assert!(((win + draw / 2.0) / 1000.0 - rate).abs() < 0.002, "{rate}: {line}");
}

#[test]
fn only_games_with_rules_of_thumb_restrict_the_root() {
    let mut engine = Process::start();
    for (variant, has_some) in [("tucchess", true), ("amazons", false), ("chess", false)] {
        engine
            .ask(&format!("setoption name UCI_Variant value {variant}\nsetoption name MsdKeepRate value 10"));
        if has_some {
            // The king of White is attacked.
            engine.ask("position fen k4/5/5/r4/5/1P3/K3R w 0 0 1");
        }
        let mut answer = |option| {
            engine.ask(&format!("setoption name RulesOfThumb value {option}\nsetoption name Clear Hash"));
            last(&answer_to(&mut engine, "go depth 1"), "nodes")
        };
        assert_eq!(answer(false) != answer(true), has_some, "{variant}");
    }
}

#[test]
fn more_threads_than_processors_keep_to_the_time() {
    let mut engine = Process::start();
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    engine.ask("setoption name Threads value 256");
    for (variant, mode) in [("chess", "pvs"), ("chess", "mcts"), ("amazons", "pvs"), ("amazons", "mcts")] {
        engine.ask(&format!(
            "setoption name UCI_Variant value {variant}\nsetoption name SearchMode value {mode}\nucinewgame"
        ));
        let before = engine.processor_time();
        engine.send("go movetime 200");
        engine.until("bestmove");
        // Not the time that has passed, in which a busy machine does other things. A second is for the start
        // and the end of the threads.
        let used = engine.processor_time().zip(before).map(|(after, before)| after - before);
        let most = processors * Duration::from_millis(1_200);
        assert!(used.is_none_or(|used| used < most), "{variant} {mode}: {used:?}, more than {most:?}");
    }
}

#[test]
fn a_weaker_engine_searches_fewer_nodes() {
    let mut engine = Process::start();
    let mut nodes = |options: &str| {
        engine.send(&format!("{options}\nucinewgame\ngo depth 12"));
        last(&engine.until("bestmove"), "nodes")
    };
    let free = nodes("setoption name UCI_Elo value 1400");
    let weak = nodes("setoption name UCI_LimitStrength value true");
    let strong = nodes("setoption name UCI_Elo value 1820");
    assert!(weak < 1_000 && weak < strong && strong < free, "{weak}, {strong}, {free}");
    let elo_first = nodes("setoption name Skill Level value 0");
    assert_eq!(elo_first, strong);
    let skill = nodes("setoption name UCI_LimitStrength value false\nsetoption name Skill Level value 12");
    assert_eq!(skill, strong, "level 12 is 1820");
    assert_eq!(nodes("setoption name Skill Level value 20"), free);
    assert_eq!(
        one(engine.ask("setoption name Skill Level value 21")),
        "info string error: option Skill Level: `21` is not a whole number from 0 to 20"
    );
}

/// The bytes of an entry of a book: key, squares from and to, weight.
fn book_entry(key: u64, from: u16, to: u16, weight: u16) -> Vec<u8> {
    [&key.to_be_bytes()[..], &(from << 6 | to).to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
}

/// The key of the start position of chess in a book, by the description of the format.
const BOOK_KEY: u64 = 0x463b_9618_1691_fc9c;

#[cfg(unix)]
#[test]
fn an_own_book_answers_without_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let book = [book_entry(BOOK_KEY, 8, 16, 1), book_entry(BOOK_KEY, 15, 23, 0)].concat();
    std::fs::write(path("book.bin"), &book).unwrap();
    let mut engine = Process::start();
    let file = path("book.bin").display().to_string();
    assert_eq!(engine.ask(&format!("setoption name BookFile value {file}")), [""; 0]);
    let is_by_book = |engine: &mut Process, go: &str| {
        engine.send(&format!("{go}\nwait"));
        let lines = engine.until("bestmove");
        let by_book = lines.last().unwrap() == "bestmove a2a3";
        assert_eq!(by_book, !lines.iter().any(|line| line.contains(" score ")), "{go}: {lines:?}");
        by_book
    };
    assert!(!is_by_book(&mut engine, "go depth 1"), "OwnBook is not set");
    engine.ask("setoption name OwnBook value true");
    assert!(is_by_book(&mut engine, "go depth 1"));
    assert!(is_by_book(&mut engine, "go wtime 1000 btime 1000"));
    assert!(!is_by_book(&mut engine, "go depth 1 searchmoves e2e4"));
    assert!(!is_by_book(&mut engine, "go infinite\nstop"));
    assert!(!is_by_book(&mut engine, "go infinite depth 1\nstop"));
    assert!(!is_by_book(&mut engine, "position startpos moves e2e4\ngo depth 1\nposition startpos"));
    engine.ask("setoption name UCI_AnalyseMode value true");
    assert!(!is_by_book(&mut engine, "go depth 1"));
    engine.ask("setoption name UCI_AnalyseMode value false");
    // A command in a search that ends by itself waits for it.
    engine
        .send("go depth 3 searchmoves e2e4\nsetoption name OwnBook value false\ngo depth 1 searchmoves a2a3");
    assert!(engine.until("bestmove").last().unwrap().starts_with("bestmove e2e4"));
    assert!(engine.until("bestmove").iter().any(|line| line.contains(" score ")));
    engine.ask("setoption name OwnBook value true");

    std::fs::write(path("cut.bin"), &book[..31]).unwrap();
    std::fs::write(path("text.bin"), "sixteen letters!").unwrap();
    std::fs::File::create(path("huge.bin")).unwrap().set_len(1 << 40).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe.bin")).status().unwrap().success());
    let bad = [
        (path("missing.bin"), "No such file"),
        (folder.path().to_owned(), "a folder, expected a file"),
        (path("pipe.bin"), "a pipe, expected a file"),
        (Path::new("/dev/zero").to_owned(), "a device, expected a file"),
        (path("huge.bin"), "more than 268435456 bytes"),
        (path("cut.bin"), "31 bytes, expected entries of 16 bytes"),
        (path("text.bin"), "entry 1 has no move"),
    ];
    for (path, error) in bad {
        let answer = one(engine.ask(&format!("setoption name BookFile value {}", path.display())));
        let start = format!("info string error: option BookFile: book `{}`: {error}", path.display());
        assert!(answer.starts_with(&start), "{answer}");
        assert!(is_by_book(&mut engine, "go depth 1"), "the book stays: {answer}");
    }
    assert_eq!(engine.ask("setoption name BookFile value <empty>"), [""; 0]);
    assert!(!is_by_book(&mut engine, "go depth 1"));
}

#[cfg(unix)]
#[test]
fn a_log_file_has_the_lines_of_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("log"), "before\n").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let mut engine = Process::start();
    let set = |path: &Path| format!("setoption name debug log file value {}", path.display());
    assert_eq!(engine.ask(&set(&path("log"))), [""; 0]);
    for (bad, error) in [
        (path("missing/log"), "No such file"),
        (folder.path().to_owned(), "a folder, expected a file"),
        (path("pipe"), "a pipe, expected a file"),
        (Path::new("/dev/zero").to_owned(), "a device, expected a file"),
    ] {
        let answer = one(engine.ask(&set(&bad)));
        let start = format!("info string error: option Debug Log File: `{}`: {error}", bad.display());
        assert!(answer.starts_with(&start), "{answer}");
    }
    engine.ask("xyzzy");
    assert_eq!(engine.ask("setoption name Debug Log File value <empty>"), [""; 0]);
    engine.ask("after");
    let log = std::fs::read_to_string(path("log")).unwrap();
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("before"));
    let lines: Vec<_> =
        lines.map(|line| line.split_once("labrys[").unwrap().1.split_once("] ").unwrap().1).collect();
    let at = lines.iter().position(|line| *line == "< xyzzy").unwrap();
    assert_eq!(lines[at + 1], "> info string error: unknown command `xyzzy`, `help` lists the commands");
    assert_eq!(lines.last(), Some(&"< setoption name Debug Log File value <empty>"));
}

#[test]
fn a_beginner_makes_random_moves() {
    let mut engine = Process::start();
    engine.send("setoption name UCI_LimitStrength value true");
    let mut random_moves = |elo: u32| {
        engine.send(&format!("setoption name UCI_Elo value {elo}"));
        let is_random = |mv: &&str| {
            engine.send(&format!("position startpos moves {mv}\ngo movetime 1000"));
            // Random moves have no score.
            !engine.until("bestmove").iter().any(|line| line.contains(" score "))
        };
        "a2a3 a2a4 b2b3 b2b4 c2c3 c2c4 d2d3 d2d4 e2e3 e2e4 f2f3 f2f4 g2g3 g2g4 h2h3 h2h4 b1a3 b1c3 g1f3 g1h3"
            .split(' ')
            .filter(is_random)
            .count()
    };
    let beginner = random_moves(1000);
    assert!((1..20).contains(&beginner), "{beginner} of 20");
    assert_eq!(random_moves(1900), 0);
}

#[test]
fn the_same_commands_give_the_same_nodes() {
    let run = || {
        let mut engine = Process::neighbours();
        engine.send("setoption name Hash value 2\nposition startpos moves e1e3\ngo depth 10");
        let mut lines = engine.until("bestmove");
        engine.send("position startpos moves e1e3 e8e6\ngo nodes 20000");
        lines.extend(engine.until("bestmove"));
        // How often a search tells how far it has come depends on the time.
        lines.retain(|line| line.contains(" pv ") || line.starts_with("bestmove"));
        let timeless = |line: String| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let keep = |n: usize| !["time", "nps"].contains(&words[n.saturating_sub(1)].as_str());
            words
                .iter()
                .enumerate()
                .filter(|(n, _)| keep(*n))
                .map(|(_, word)| word.clone())
                .collect::<Vec<_>>()
        };
        lines.into_iter().map(timeless).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_finished_game_has_no_move() {
    let mut engine = Process::neighbours();
    for (position, outcome) in [
        ("fen 8/8/8/8/8/8/8/P6p w 0 1", "Black wins: no legal move"),
        ("fen P7/8/8/8/8/8/8/p6P b 100 60", "White wins: no legal move"),
    ] {
        for go in ["go depth 3", "go infinite", "go ponder"] {
            engine.send(&format!("position {position}\n{go}"));
            assert_eq!(
                engine.until("bestmove"),
                [format!("info string {outcome}"), "bestmove (none)".to_owned()]
            );
        }
    }
}

#[test]
fn a_draw_that_nobody_claims_is_played_on() {
    let mut engine = Process::start();
    for (variant, position, outcome) in [
        ("neighbours", "fen pp6/8/8/8/8/8/8/PP6 w 100 60", "draw: no progress"),
        (
            "neighbours",
            "fen pp6/8/8/8/8/8/8/PP6 w 0 1 moves a1a2 a8a7 a2a1 a7a8 a1a2 a8a7 a2a1 a7a8",
            "draw: repetition",
        ),
        ("chess", "fen 7k/8/8/8/8/8/8/KQ6 w - - 100 120", "draw: no progress"),
        ("chess", "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "draw: repetition"),
        ("chess", "fen 7k/8/8/8/8/8/8/KB6 b - - 0 1", "draw: insufficient material"),
    ] {
        for mode in ["pvs", "mtdf", "alphabeta", "minimax", "mcts", "random"] {
            engine.send(&format!("setoption name UCI_Variant value {variant}"));
            engine.send(&format!("setoption name SearchMode value {mode}\nposition {position}"));
            let legal = engine.ask("moves");
            engine.send("go depth 2 nodes 2000");
            let lines = engine.until("bestmove");
            assert_eq!(lines[0], format!("info string {outcome}"));
            let best = lines.last().unwrap().split(' ').nth(1).unwrap();
            assert!(
                legal.iter().flat_map(|line| line.split(' ')).any(|mv| mv == best),
                "{mode}: {best} in {position}"
            );
        }
        // A search without limits goes on until it is stopped.
        engine.send("setoption name SearchMode value pvs\ngo infinite");
        engine.until("info depth 2");
        engine.send("isready\nstop");
        let lines = engine.until("bestmove");
        let ready = lines.iter().position(|line| line == "readyok").unwrap();
        assert!(ready < lines.len() - 1, "{lines:?}");
        assert!(!lines.last().unwrap().contains("(none)"));
        engine.send("d");
        assert!(engine.until("Outcome").last().unwrap().ends_with(outcome), "`d` says that the game is over");
    }
}

#[test]
fn every_search_finishes_depth_1() {
    let mut engine = Process::start();
    for (variant, position, best) in [
        // The queen hangs.
        ("chess", "fen 4k3/8/8/3q4/8/8/8/K2R4 w - - 0 1", "d1d5"),
        // No move is the only good one: the answer has its line.
        ("tucchess", "fen 2k2/2P2/5/5/5/5/R1K2 w 0 0 1", ""),
        ("amazons", "fen 1q1*1/q1q*1/Q1*Qq/2**1/1Q2Q b - - 5 3", ""),
    ] {
        engine.send(&format!("setoption name UCI_Variant value {variant}\nposition {position}"));
        for mode in ["pvs", "mtdf", "alphabeta", "minimax", "expectiminimax", "mcts"] {
            for iterative in [true, false] {
                engine.send(&format!(
                    "setoption name SearchMode value {mode}\nsetoption name Iterative value {iterative}"
                ));
                for go in ["go nodes 1", "go movetime 0", "go wtime 1 btime 1", "go depth 20 nodes 1"] {
                    engine.send(go);
                    let lines = engine.until("bestmove");
                    let info = lines.iter().rfind(|line| line.starts_with("info depth")).unwrap();
                    let word = |line: &str, name: &str| {
                        let mut words = line.split(' ').skip_while(|word| *word != name);
                        words.nth(1).map(str::to_owned)
                    };
                    let found = word(lines.last().unwrap(), "bestmove").unwrap();
                    assert_eq!(word(info, "pv").unwrap(), found, "{mode} {go}: {lines:?}");
                    // With a random playout or two for each move, simulations know better than depth 1, or
                    // worse.
                    if !best.is_empty() && (mode != "mcts" || go == "go nodes 1") {
                        assert_eq!(found, best, "{mode} {go}: {lines:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_answer_has_a_line_wherever_the_search_is_stopped() {
    let mut engine = Process::start();
    let word =
        |line: &str, name: &str| line.split(' ').skip_while(|word| *word != name).nth(1).map(str::to_owned);
    // An end of few moves, whose iterations are short.
    engine.send("setoption name UCI_Variant value tucchess\nposition fen 2k2/2P2/5/5/5/5/R1K2 w 0 0 1");
    for mode in ["pvs", "mtdf", "alphabeta"] {
        engine.send(&format!("setoption name SearchMode value {mode}"));
        for nodes in (50..6000).step_by(11) {
            engine.send(&format!("go nodes {nodes}"));
            let lines = engine.until("bestmove");
            let info =
                lines.iter().rfind(|line| line.starts_with("info depth") && line.contains(" pv ")).unwrap();
            assert_eq!(word(info, "pv"), word(lines.last().unwrap(), "bestmove"), "{mode}: {lines:?}");
        }
    }
}

#[test]
fn principal_variations_come_in_order() {
    let mut engine = Process::start();
    for (variant, depth) in [("chess", 10), ("neighbours", 8), ("tucchess", 8)] {
        engine.send(&format!("setoption name UCI_Variant value {variant}\nsetoption name MultiPV value 4"));
        engine.send(&format!("position startpos\ngo depth {depth}"));
        let lines = engine.until("bestmove");
        let of_depth = |depth: u32| {
            let prefix = format!("info depth {depth} ");
            let exact = lines.iter().filter(move |line| line.starts_with(&prefix) && !line.contains("bound"));
            let score = |line: &String| {
                let words: Vec<_> = line.split(' ').collect();
                let at = words.iter().position(|word| *word == "cp").unwrap();
                words[at + 1].parse::<i32>().unwrap()
            };
            exact.map(score).collect::<Vec<_>>()
        };
        for depth in 1..=depth {
            let scores = of_depth(depth);
            assert_eq!(scores.len(), 4, "{variant}, depth {depth}");
            assert!(scores.is_sorted_by(|one, other| one >= other), "{variant}, depth {depth}: {scores:?}");
        }
        let first = lines.iter().rfind(|line| line.contains(" multipv 1 ")).unwrap();
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        assert!(first.contains(&format!(" pv {best} ")), "{first}, bestmove {best}");
    }
}

#[test]
fn perft_has_the_form_of_stockfish() {
    let mut engine = Process::neighbours();
    engine.send("go perft 3");
    let lines = engine.until("Nodes searched");
    assert_eq!(lines.len(), 22);
    assert!(lines[..20].contains(&"c1c3: 380".to_owned()), "{lines:?}");
    assert_eq!(lines[20..], ["", "Nodes searched: 7280"]);
    engine.send("perft 1");
    assert_eq!(engine.until("Nodes searched").last().unwrap(), "Nodes searched: 20");
    // Work that says nothing for a second says that it lives, or else a closed output would not be noticed.
    engine.send("perft 12");
    engine.until("info time");
    engine.send("stop");
    engine.until("info string perft stopped");
    engine.send("bench 60");
    engine.until("info time");
    engine.send("stop");
    engine.until("info string bench stopped");
}

#[test]
fn bench_ends_with_its_signature() {
    let mut engine = Process::neighbours();
    engine.send("bench 3");
    let mut lines = vec![engine.line().unwrap()];
    while !lines.last().unwrap().ends_with(" nps") {
        lines.push(engine.line().unwrap());
    }
    bench::check(&lines);
}

#[test]
fn help_lists_every_command() {
    let mut engine = Process::neighbours();
    let help = engine.ask("help").join("\n");
    for command in [
        "uci",
        "isready",
        "setoption",
        "ucinewgame",
        "position",
        "go",
        "perft",
        "stop",
        "ponderhit",
        "wait",
        "d",
        "moves",
        "eval",
        "weights",
        "setweights",
        "bench",
        "debug",
        "help",
        "quit",
    ] {
        assert!(help.lines().any(|line| line.split([' ', ',']).any(|word| word == command)), "{command}");
    }
}

#[test]
fn weights_round_trip() {
    let mut engine = linear();
    let before = engine.ask("weights");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my weights.json");
    let text = before.join("\n").replace("\"piecesForMe\": ", "\"piecesForMe\": 1");
    std::fs::write(&path, &text).unwrap();
    let refusal = one(engine.ask(&format!("setweights file {}", path.display())));
    assert!(refusal.starts_with("info string error: setweights: weights file: checksum "), "{refusal}");
    assert_eq!(engine.ask("weights"), before);
    // By hand, without a checksum.
    let lines = text.lines().filter(|line| !line.contains("\"crc32\""));
    let by_hand = lines.collect::<Vec<_>>().join("\n").replace("},\n}", "}\n}");
    std::fs::write(&path, by_hand).unwrap();
    let told = engine.ask(&format!("setweights file {}", path.display()));
    assert_eq!(told, ["info string the weights file has no checksum"]);
    let text = engine.ask("weights").join("\n");
    assert_ne!(text, before.join("\n"));
    std::fs::write(&path, &text).unwrap();
    let path = path.display();
    assert_eq!(engine.ask(&format!("setweights file {path}")), [""; 0]);
    assert_eq!(engine.ask("weights").join("\n"), text);
    assert_eq!(engine.ask("setweights default"), [""; 0]);
    assert_eq!(engine.ask("weights"), before);
    assert_eq!(engine.ask(&format!("setoption name WeightsFile value {path}")), [""; 0]);
    assert_eq!(engine.ask("weights").join("\n"), text);
    assert_eq!(engine.ask("setoption name WeightsFile value <empty>"), [""; 0]);
    assert_eq!(engine.ask("weights"), before);
    let values: Vec<_> = (0..17).map(|n| n.to_string()).collect();
    assert_eq!(engine.ask(&format!("setweights {}", values.join(" "))), [""; 0]);
    assert!(engine.ask("weights").join("\n").contains("\"movesLeftForMe\": 2.0"));
    assert_eq!(
        engine.ask("setoption name FeatureSet value BASE"),
        ["info string the weights are now the shipped ones of feature set `base`"]
    );
    assert!(engine.ask("eval").iter().any(|line| line.starts_with("set base, score cp ")));
    assert_eq!(engine.ask("setoption name FeatureSet value set1"), [""; 0], "shipped weights follow the set");
    assert_eq!(engine.ask("weights"), before);
}

#[test]
fn eval_shows_terms_and_eval_all_every_feature() {
    let mut engine = Process::start();
    engine.send("position fen r4rk1/1pp1qppp/p1np4/2b1p1B1/2B1P3/P1NP4/1PP2PPP/R4RK1 b - - 0 10");
    let without_net = |lines: Vec<String>| -> Vec<_> {
        lines
            .into_iter()
            .take_while(|line| !line.starts_with("net: "))
            .filter(|line| !line.is_empty())
            .collect()
    };
    let terms = engine.ask("eval");
    assert!(terms.last().unwrap().starts_with("net: value "), "{terms:?}");
    let (terms, features) = (without_net(terms), without_net(engine.ask("eval all")));
    let row = |table: &[String], name: &str| table.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((row(&terms, "tempo "), row(&terms, "tempo.")), (1, 0), "{terms:?}");
    assert_eq!((row(&features, "tempo.middle "), row(&features, "tempo.end ")), (1, 1));
    assert_eq!((row(&terms, "storm."), row(&features, "storm.")), (0, 128), "zeros are left out");
    assert_eq!(features.len(), 1066 + 3);
    assert_eq!(terms[terms.len() - 1], features[features.len() - 1]);
}

/// Neighbours by the linear evaluation.
fn linear() -> Process {
    let mut engine = Process::neighbours();
    engine.send("setoption name Evaluation value linear");
    engine
}

/// A weights file of set `base` of Neighbours that is not the shipped one, with its text.
fn base_weights(folder: &Path) -> (String, Vec<String>) {
    let mut engine = linear();
    engine.send("setoption name FeatureSet value base\nsetweights piecesForMe=77");
    let weights = engine.ask("weights");
    let path = folder.join("base.json");
    std::fs::write(&path, weights.join("\n")).unwrap();
    (path.display().to_string(), weights)
}

#[test]
fn a_weights_file_selects_its_feature_set() {
    let folder = tempfile::tempdir().unwrap();
    let (path, weights) = base_weights(folder.path());
    for command in [format!("setoption name WeightsFile value {path}"), format!("setweights file {path}")] {
        let mut engine = linear();
        assert_eq!(engine.ask(&command), ["info string the weights select feature set `base`"]);
        assert_eq!(engine.ask("weights"), weights);
        assert_eq!(engine.ask("setoption name FeatureSet value base"), [""; 0]);
        assert_eq!(engine.ask("weights"), weights, "naming the same set keeps the weights");
        assert_eq!(engine.ask(&command), [""; 0], "the set is the same");
        assert_eq!(
            engine.ask("setoption name FeatureSet value set2"),
            ["info string the weights are now the shipped ones of feature set `set2`"]
        );
        assert!(engine.ask("eval").iter().any(|line| line.starts_with("set set2, ")));
        engine.ask(&command);
        engine.ask("setoption name WeightsFile value <empty>");
        assert!(engine.ask("eval").iter().any(|line| line.starts_with("set base, ")), "the set stays");
        assert_ne!(engine.ask("weights"), weights);
    }
}

#[test]
fn weights_that_do_not_fit_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, weights) = base_weights(folder.path());
    let other_set = folder.path().join("other set.json");
    std::fs::write(&other_set, weights.join("\n").replace("\"base\"", "\"set9\"")).unwrap();
    let mut engine = linear();
    let before = engine.ask("weights");
    let other_set = other_set.display();
    let expected = "weights of set `set9`, expected one of: set1, set2, set3, base";
    for (line, name) in [
        (format!("setoption name WeightsFile value {other_set}"), "option WeightsFile"),
        (format!("setweights file {other_set}"), "setweights"),
    ] {
        assert_eq!(one(engine.ask(&line)), format!("info string error: {name}: {expected}"));
    }
    assert_eq!(engine.ask("weights"), before);
    let mut chess = Process::start();
    let before = chess.ask("weights");
    assert_eq!(
        one(chess.ask(&format!("setoption name WeightsFile value {path}"))),
        "info string error: option WeightsFile: weights of game `neighbours`, expected `chess`"
    );
    assert_eq!(chess.ask("weights"), before);
}

#[test]
fn the_end_of_input_ends_the_search() {
    let mut engine = Process::neighbours();
    engine.send("go infinite");
    engine.until("info depth 3");
    // Without an end of the input, it would never end.
    let (rest, status) = engine.finish();
    assert!(status.success());
    assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    let mut engine = Process::neighbours();
    engine.send_bytes(b"isready");
    assert_eq!(engine.finish().0, ["readyok"], "the last line needs no end");
}

#[test]
fn a_script_waits_for_its_answers() {
    let mut engine = Process::neighbours();
    engine.send("go depth 5\nwait\nposition startpos moves e1e3\ngo depth 5\nwait\nd\nquit");
    let (lines, status) = engine.finish();
    assert!(status.success());
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 2);
    assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("Key: "));
}

#[test]
fn the_time_of_a_search_counts_from_the_end_of_a_wait() {
    let mut engine = Process::neighbours();
    let start = Instant::now();
    engine.send("go movetime 400\nwait\ngo movetime 400\nwait\nquit");
    let (lines, _) = engine.finish();
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 2);
    assert!(start.elapsed() > Duration::from_millis(700), "{:?}", start.elapsed());
}

#[test]
fn a_wait_can_be_stopped() {
    let mut engine = Process::neighbours();
    engine.send("go depth 128\nwait\nxyzzy");
    engine.until("info depth 3");
    engine.send("stop");
    engine.until("bestmove");
    engine.until("info string error: unknown command `xyzzy`");
}

#[test]
fn a_candidate_that_loses_is_replaced_on_the_clock() {
    // Most moves leave the first rank to the rook, the first candidate by simulations, too.
    let position = "position fen 4r1k1/5ppp/8/8/8/8/PPP2PPP/6K1 w - - 0 1";
    let mut engine = Process::start();
    engine.send("setoption name Candidates value 1\nsetoption name CandidateSimulations value 5");
    engine.send(&format!("{position}\ngo wtime 20000 btime 20000"));
    let mv = best_move(&mut engine);
    engine.send(&format!("setoption name Candidates value 0\n{position} moves {mv}\ngo depth 3"));
    let reply = engine.until("bestmove");
    assert!(!reply.iter().any(|line| line.contains(" score mate ")), "{mv}: {reply:?}");
}

#[test]
fn a_tree_is_not_kept_where_other_points_decide() {
    let mut engine = Process::start();
    engine.send("setoption name UCI_Variant value tucchess\nsetoption name SearchMode value mcts");
    let mut score = |points: u32, new: &str| {
        engine.send(&format!("{new}position fen 5/2k2/1p3/2*2/2P2/1K1R1/5 w 0 {points} 1\ngo nodes 3000"));
        let line = engine.until("bestmove").into_iter().rfind(|line| line.contains(" score ")).unwrap();
        line.split(' ').skip_while(|&word| word != "score").nth(2).unwrap().to_owned()
    };
    score(0, "");
    let after = score(30, "");
    assert_eq!(after, score(30, "ucinewgame\n"));
}

#[test]
fn counters_of_a_start_position_survive_an_option_that_keeps_it() {
    let mut engine = Process::start();
    engine.send("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 40 30");
    engine.send("setoption name UCI_Chess960 value true");
    assert!(fen(&mut engine).ends_with(" 40 30"));
}
