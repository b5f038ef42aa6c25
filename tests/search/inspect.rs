//! The microscope: what an observer sees, the reference against plain minimax, and `labrys inspect`.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::common;
use crate::common::shell::{self, Output, assert_fails, labrys, succeed};

use common::{Line, heavy_evaluator, random_lines};
use labrys::engine::Playable;
use labrys::eval::{Linear, Score};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Claim, Control, Decision, Heuristics, Limits, MsdOptions, Observer, Options, Reference, ReferenceNode,
    Report, SearchInput, SearchMode, Step, TranspositionTable, observe, search,
};
use serde_json::Value as Json;

/// Counts decisions, and forbids a step, or all of them.
#[derive(Default)]
struct Counter {
    counts: BTreeMap<Step, u64>,
    forbidden: Option<Step>,
    forbids_all: bool,
    /// The longest path seen.
    longest: usize,
}

impl<M: Copy> Observer<M> for Counter {
    fn allows(&self, step: Step) -> bool {
        !self.forbids_all && self.forbidden != Some(step)
    }

    fn decided(&mut self, decision: &Decision<M>) {
        *self.counts.entry(decision.step).or_default() += 1;
        self.longest = self.longest.max(decision.path.len());
        assert_eq!(decision.claim == Claim::HasBest, decision.step == Step::Filter);
    }
}

/// The nodes and the score of a search with an observer.
fn observed<G: Playable>(
    (position, history): &Line<G>,
    options: &Options,
    mode: SearchMode,
    depth: u32,
    counter: &mut Counter,
) -> (u64, Score) {
    let (evaluator, limits) = (Linear::shipped(0).unwrap(), Limits::depth(depth));
    let input = SearchInput::new(position, history, &evaluator, options, &limits);
    let (table, mut heuristics) = (TranspositionTable::new(1).unwrap(), Heuristics::new());
    let (control, mut score) = (Control::default(), Score::DRAW);
    let mut listener = |report: Report<G::Move>| score = report.score;
    let result = observe(&input, mode, &table, &mut heuristics, &control, &mut listener, counter);
    (result.nodes, score)
}

/// The same without an observer.
fn unobserved<G: Playable>((position, history): &Line<G>, options: &Options, depth: u32) -> (u64, Score) {
    let (evaluator, limits) = (Linear::shipped(0).unwrap(), Limits::depth(depth));
    let input = SearchInput::new(position, history, &evaluator, options, &limits);
    let table = TranspositionTable::new(1).unwrap();
    let (control, mut score) = (Control::default(), Score::DRAW);
    let mut listener = |report: Report<G::Move>| score = report.score;
    let heuristics = &mut [Heuristics::new()];
    let result = search(&input, SearchMode::Pvs, &table, heuristics, &control, &mut listener);
    (result.nodes, score)
}

/// Searches positions with and without an observer. Returns the decisions of all of them.
fn compare<G: Playable>(count: usize, plies: usize, depth: u32) -> BTreeMap<Step, u64> {
    let (mut counts, options) = (BTreeMap::new(), Options::default());
    for line in random_lines::<G>(count, plies) {
        let mut counter = Counter::default();
        let with = observed(&line, &options, SearchMode::Pvs, depth, &mut counter);
        assert_eq!(with, unobserved(&line, &options, depth), "{}", line.0.fen());
        assert!(counter.longest < 2 * depth as usize + 8);
        // Each step that can be switched off is seen no longer then.
        for &step in counter.counts.keys() {
            let mut without = Counter { forbidden: Some(step), ..Counter::default() };
            observed(&line, &options, SearchMode::Pvs, depth, &mut without);
            assert!(!without.counts.contains_key(&step), "{} in {}", step.name(), line.0.fen());
        }
        for (step, number) in counter.counts {
            *counts.entry(step).or_default() += number;
        }
    }
    counts
}

#[test]
fn an_observer_changes_nothing_and_sees_each_step() {
    let chess = compare::<Chess>(3, 60, 6);
    for step in [
        Step::Hindsight,
        Step::Razoring,
        Step::ReverseFutility,
        Step::NullMove,
        Step::InternalReduction,
        Step::LateMoves,
        Step::Futility,
        Step::Exchange,
        Step::LateReduction,
    ] {
        assert!(chess.contains_key(&step), "{} is never seen: {chess:?}", step.name());
    }
    assert!(compare::<Neighbours>(3, 40, 6).contains_key(&Step::LateMoves));
    assert!(compare::<TucChess>(3, 40, 6).contains_key(&Step::ReverseFutility));
    let small = Amazons::start_with(0);
    let line = (small, GameHistory::new());
    let mut counter = Counter::default();
    let with = observed(&line, &Options::default(), SearchMode::Pvs, 2, &mut counter);
    assert_eq!(with, unobserved(&line, &Options::default(), 2));
    assert!(counter.counts.contains_key(&Step::Candidates), "{:?}", counter.counts);
}

#[test]
fn a_search_without_any_step_leaves_nothing_out() {
    for line in random_lines::<Neighbours>(4, 40) {
        let mut counter = Counter { forbids_all: true, ..Counter::default() };
        let (all, _) = observed(&line, &Options::default(), SearchMode::Pvs, 4, &mut counter);
        let (some, _) = unobserved(&line, &Options::default(), 4);
        assert!(counter.counts.is_empty(), "{:?}", counter.counts);
        assert!(all > some, "{all} nodes without, {some} with the steps");
    }
}

#[test]
fn the_filter_is_seen_at_each_node_that_it_thins_out() {
    let msd = MsdOptions { keep_rate: 40, ..MsdOptions::default() };
    let filtered = Options { msd, ..Options::default() };
    for line in random_lines::<Neighbours>(4, 30) {
        for mode in [SearchMode::AlphaBeta, SearchMode::Minimax] {
            let mut counter = Counter::default();
            let (nodes, _) = observed(&line, &filtered, mode, 3, &mut counter);
            let seen = counter.counts.get(&Step::Filter).copied().unwrap_or(0);
            assert!(0 < seen && seen < nodes, "{seen} of {nodes} nodes");
            let mut all = Counter::default();
            let (more, _) = observed(&line, &Options::default(), mode, 3, &mut all);
            assert!(all.counts.is_empty() && more > nodes);
        }
    }
}

/// The minimax value of a position, by the mode of that name.
fn minimax<G: Playable>(line: &Line<G>, depth: u32) -> Score {
    let limits = Limits::depth(depth);
    let (_, reports) = common::find(line, SearchMode::Minimax, false, 1, &limits);
    *common::scores(&reports).last().unwrap()
}

/// Compares the reference with minimax, at the root and after each move.
fn compare_reference<G: Playable>(count: usize, plies: usize, depth: u32, mode: SearchMode) {
    let (evaluator, options) = (heavy_evaluator(), Options { selective: false, ..Options::default() });
    let (limits, control) = (Limits::none(), Control::default());
    let whole = [-Score::INFINITE, Score::INFINITE];
    for line in random_lines::<G>(count, plies) {
        let (position, history) = &line;
        let input = SearchInput::new(position, history, &evaluator, &options, &limits);
        let mut reference = Reference::new(input, mode, 1).unwrap();
        let iteration = depth as usize;
        let expected = minimax(&line, depth);
        let moves = position.moves();
        let mut value = |path: &[G::Move], moves: &[G::Move], depth: u32, window| {
            let path = path.iter().copied().map(Some).collect();
            let node = ReferenceNode { path, moves: moves.to_vec(), depth: depth as i32, iteration };
            reference.value(&node, window, &control).unwrap().0
        };
        assert_eq!(value(&[], &moves, depth - 1, whole), expected, "{}", position.fen());
        let mut best = -Score::INFINITE;
        for &mv in &moves {
            // The same value as a move of the root, and as a node below it.
            let of_move = value(&[], &[mv], depth - 1, whole);
            let of_node = value(&[mv], &[], depth - 1, whole);
            let is_same = position.after(mv).side_to_move() == position.side_to_move();
            assert_eq!(of_move, if is_same { of_node } else { -of_node }, "{}", position.fen());
            best = best.max(of_move);
        }
        assert_eq!(best, expected, "{}", position.fen());
        // A null window tells on which side the value lies.
        for bound in [expected - Score::STEP, expected] {
            let found = value(&[], &moves, depth - 1, [bound, bound + Score::STEP]);
            assert_eq!(found > bound, expected > bound, "{}", position.fen());
        }
    }
}

#[test]
fn the_reference_is_plain_minimax() {
    for mode in [SearchMode::Pvs, SearchMode::AlphaBeta] {
        compare_reference::<Neighbours>(8, 50, 3, mode);
        compare_reference::<TucChess>(8, 50, 3, mode);
        compare_reference::<Chess>(5, 60, 2, mode);
    }
    // The filter of the search is not that of its reference.
    let msd = MsdOptions { keep_rate: 20, ..MsdOptions::default() };
    let options = Options { msd, selective: false, ..Options::default() };
    let (evaluator, limits, control) = (heavy_evaluator(), Limits::none(), Control::default());
    let line = (Neighbours::start(), GameHistory::new());
    let input = SearchInput::new(&line.0, &line.1, &evaluator, &options, &limits);
    let moves = line.0.moves();
    let node = ReferenceNode { path: Vec::new(), moves, depth: 2, iteration: 3 };
    let mut reference = Reference::new(input, SearchMode::AlphaBeta, 1).unwrap();
    let whole = [-Score::INFINITE, Score::INFINITE];
    assert_eq!(reference.value(&node, whole, &control).unwrap().0, minimax(&line, 3));
    // A budget that does not suffice gives no value.
    let limits = Limits::nodes(10);
    let input = SearchInput { limits: &limits, ..input };
    let mut reference = Reference::new(input, SearchMode::AlphaBeta, 1).unwrap();
    assert_eq!(reference.value(&node, whole, &control), None);
}

#[test]
fn the_reference_forgets_what_other_depths_have_found() {
    // Amazons has neither captures nor checks: full-width search is minimax, selective or not.
    let (evaluator, options, limits) = (heavy_evaluator(), Options::default(), Limits::none());
    for seed in 0..4 {
        let start = Amazons::from_fen("1q2/3q/4/Q3/2Q1 w").unwrap();
        let line = common::random_game_from(start, seed, 4, |_, _| {});
        let (position, history) = &line;
        let moves = position.moves();
        let input = SearchInput::new(position, history, &evaluator, &options, &limits);
        let mut reference = Reference::new(input, SearchMode::Pvs, 1).unwrap();
        for depth in [3, 2, 3, 1] {
            let expected = minimax(&line, depth);
            let node =
                ReferenceNode { path: vec![], moves: moves.clone(), depth: depth as i32 - 1, iteration: 3 };
            let whole = [-Score::INFINITE, Score::INFINITE];
            let found = reference.value(&node, whole, &Control::default()).unwrap().0;
            assert_eq!(found, expected, "{} to depth {depth}", position.fen());
        }
    }
}

/// Runs `labrys inspect`; an underscore stands for a space within a word.
fn inspect(words: &str) -> Output {
    let words = words.split_whitespace().map(|word| word.replace('_', " "));
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).arg("inspect").args(words))
}

/// Its output as JSON.
fn json(words: &str) -> Json {
    serde_json::from_str(&succeed(inspect(&format!("{words} --json")))).unwrap()
}

/// The numbers of a field over the entries of a list.
fn sum(list: &Json, field: &str, of: impl Fn(&Json) -> bool) -> u64 {
    let entries = list.as_array().unwrap().iter().filter(|entry| of(entry));
    entries.map(|entry| entry[field].as_u64().unwrap()).sum()
}

#[test]
fn the_command_checks_the_steps_of_all_games() {
    for (words, step) in [
        ("--depth 4", "late move reduction"),
        ("--variant neighbours --depth 4", "late move reduction"),
        ("--variant tucchess --depth 4", "late move pruning"),
        ("--variant amazons --option AmazonsBoard=6x6 --depth 2", "candidate moves"),
    ] {
        let report = json(&format!("{words} --samples 2 --budget 20000"));
        let position = &report["positions"][0];
        let decisions = sum(&position["counts"], "decisions", |count| count["step"] == step);
        assert!(decisions > 0, "{words}: {report}");
        assert!(position["decisions"].as_array().unwrap().len() > 2);
        assert_eq!(report["complete"], true);
        // The tables count what was checked.
        let all = |field| sum(&report["summary"], field, |row| row["group"] == "all");
        let checked = position["decisions"].as_array().unwrap();
        let of =
            |verdict: &str| checked.iter().filter(|decision| decision["verdict"] == verdict).count() as u64;
        assert_eq!(all("wrong"), of("wrong"));
        assert_eq!(all("judged"), of("wrong") + of("right"));
        assert_eq!(all("unknown"), of("unknown"));
        let searches = position["searches"].as_array().unwrap();
        let names: Vec<_> = searches.iter().map(|row| &row["search"]).collect();
        assert_eq!(names, ["minimax", "α-β", "PVS, full width", "PVS", "MSD", "MCTS"]);
    }
}

#[test]
fn the_same_arguments_give_the_same_output() {
    let words = "--variant tucchess --selfplay 2 --depth 3 --samples 3 --view search filter";
    let run = || succeed(inspect(words));
    assert_eq!(run(), run());
}

#[test]
fn minimax_agrees_with_itself() {
    // Without selectivity nothing is left out, and α-β plays as minimax does.
    let report = json("--variant neighbours --depth 3 --option Selective=false --view searches search");
    let position = &report["positions"][0];
    assert_eq!(position["decisions"], Json::Array(Vec::new()));
    let searches = position["searches"].as_array().unwrap();
    assert!(searches[..4].iter().all(|search| search["is_best"] == true), "{searches:?}");
    assert!(searches[..4].iter().all(|search| search["score"] == searches[0]["score"]), "{searches:?}");
    assert!(searches[0]["nodes"].as_u64() > searches[1]["nodes"].as_u64());
}

#[test]
fn a_filter_that_falls_with_the_ply_keeps_its_rate() {
    let words = "--variant neighbours --depth 4 --view searches filter --samples 1";
    let nodes = |options: &str| {
        let position = json(&format!("{words} {options}"))["positions"][0].clone();
        let searches = position["searches"].as_array().unwrap();
        let row = searches.iter().find(|row| row["search"] == "MSD").unwrap();
        // The view of the filter searches the same tree.
        assert_eq!(row["nodes"], position["counts"][0]["nodes_with"], "{options}: {position}");
        row["nodes"].as_u64().unwrap()
    };
    assert_eq!(nodes(""), nodes("--option MsdKeepRate=35"));
    // All moves of the root, nine of ten after it.
    let [all, some] =
        ["", "--option MsdKeepRate=35"].map(|rate| nodes(&format!("{rate} --option MsdKeepFall=10")));
    assert!(all > some, "{all} nodes, {some} with 35 %");
}

#[test]
fn a_move_that_the_filter_removes_is_found_with_its_term() {
    // Rxd5 wins the queen, and is rated as a capture. Without that term it is a move onto an attacked square.
    let position = "--fen 4k3/2p5/4p3/3q4/8/8/3R4/4K3_w_-_-_0_1 --depth 2 --view filter --samples 50";
    let run = |term: &str| json(&format!("{position} --option MsdKeepRate=30 {term}"));
    let root = |report: &Json| {
        let decisions = report["positions"][0]["decisions"].as_array().unwrap();
        decisions.iter().find(|decision| decision["path"] == Json::Array(Vec::new())).cloned().unwrap()
    };
    assert_eq!(root(&run(""))["verdict"], "right");
    let wrong = root(&run("--option MsdCapture=false"));
    assert_eq!(
        [&wrong["verdict"], &wrong["missed"], &wrong["blame"]],
        ["wrong", "d2d5", "exposure"],
        "{wrong}"
    );
    assert!(wrong["cost"].as_f64().unwrap() > 1.0);
}

#[test]
fn rates_are_of_the_iteration_whose_decisions_are_counted() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R_b_KQkq_-_3_3";
    let [shallow, deep] =
        [5, 6].map(|depth| json(&format!("--fen {fen} --depth {depth} --view search --samples 300")));
    let nodes = |report: &Json, field: &str| report["positions"][0]["counts"][0][field].as_u64().unwrap();
    let last = nodes(&deep, "nodes_with") - nodes(&shallow, "nodes_with");
    assert_eq!(nodes(&deep, "nodes"), last);
    // All were checked: the estimate is their number.
    let wrong: Vec<_> = deep["summary"].as_array().unwrap().iter().filter(|row| row["wrong"] != 0).collect();
    assert!(!wrong.is_empty(), "{deep}");
    for row in wrong.iter().filter(|row| row["group"] == "all") {
        assert_eq!(row["judged"].as_f64(), row["decisions"].as_f64(), "{row}");
        let rate = 1e6 * row["wrong"].as_f64().unwrap() / last as f64;
        assert!((row["per_million"].as_f64().unwrap() - rate).abs() < 1e-6, "{row}: {rate}");
    }
    // What a step saves is saved in all iterations.
    let row = wrong.iter().find(|row| row["group"] == "all" && row["step"] == "late move pruning").unwrap();
    let counts = deep["positions"][0]["counts"].as_array().unwrap();
    let count = counts.iter().find(|count| count["step"] == row["step"]).unwrap();
    let [with, without] = ["nodes_with", "nodes_without"].map(|field| count[field].as_f64().unwrap());
    assert!((row["nodes_without"].as_f64().unwrap() - without / with).abs() < 1e-9, "{row}");
}

#[test]
fn other_references_have_their_say() {
    let board = "--variant amazons --option AmazonsBoard=4x4";
    let solved = json(&format!("{board} --depth 3 --reference solve --view search"));
    assert!(sum(&solved["summary"], "judged", |row| row["group"] == "all") > 0, "{solved}");
    let searched = json("--variant neighbours --depth 4 --reference nodes=2000 --samples 2 --view search");
    assert!(sum(&searched["summary"], "judged", |row| row["group"] == "all") > 0, "{searched}");
}

#[test]
fn only_the_best_of_several_lines_counts() {
    // Mate in one.
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR_w_KQkq_-_0_1";
    for reference in ["", "--reference nodes=300"] {
        let words = format!("--fen {fen} --depth 2 --view searches {reference}");
        let report = json(&format!("{words} --option MultiPV=3"));
        let searches = report["positions"][0]["searches"].as_array().unwrap();
        assert_eq!(searches.len(), 6, "{report}");
        assert!(searches.iter().all(|search| search["score"] == "win"), "{report}");
    }
}

#[test]
fn games_that_end_too_soon_are_an_error() {
    let words = "--variant amazons --option AmazonsBoard=3x3 --selfplay 1 --depth 1 --view search";
    assert_fails(inspect(words), "the games of this board end too soon");
}

#[test]
fn a_forced_move_has_the_greatest_prior_rightly() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("net").display().to_string();
    succeed(labrys(&format!("zero new --variant chess --channels 4 --blocks 1 --dense 4 --out {net}")));
    let fen = "1r6/6k1/8/8/4P3/8/7r/K7_w_-_-_0_1";
    let report = json(&format!("--fen {fen} --option NetFile={net} --view priors --depth 2"));
    let first = &report["positions"][0]["decisions"][0];
    assert_eq!((&first["path"], &first["verdict"]), (&Json::Array(Vec::new()), &"right".into()), "{first}");
}

#[test]
fn files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [data, page, positions] = ["data.jsonl", "page.html", "positions.epd"].map(path);
    let start = Neighbours::start().fen();
    fs::write(&positions, format!("# two\n{start}\n\n{start} id \"second\";\n")).unwrap();
    let words = format!("--positions {positions} --variant neighbours --depth 3 --samples 2");
    let csv = succeed(inspect(&format!("{words} --csv --out {data} --html {page}")));
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().count() > 10 && csv.lines().all(|line| line.split(',').count() == columns), "{csv}");
    let lines: Vec<Json> =
        fs::read_to_string(&data).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let filters: Vec<_> = lines.iter().filter(|line| line["view"] == "filter").collect();
    assert!(!filters.is_empty());
    for line in filters {
        let moves = line["moves"].as_array().unwrap();
        assert!(moves.iter().all(|mv| mv["rating"].is_i64() && mv["value"].is_i64()), "{line}");
        // The best move is among those kept exactly where the verdict says so.
        let best = |kept: bool| {
            let moves = moves.iter().filter(|mv| mv["kept"] == kept);
            moves.map(|mv| mv["value"].as_i64().unwrap()).max().unwrap()
        };
        assert_eq!(line["verdict"] == "right", best(true) >= best(false), "{line}");
    }
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("href=\"inspect.css\"") && !text.contains("src=\"inspect.js\""));
    let data = text.split("globalThis.inspected = ").nth(1).unwrap().split(";</script>").next().unwrap();
    let data: Json = serde_json::from_str(data).unwrap();
    assert_eq!(data["inspection"]["positions"].as_array().unwrap().len(), 2);
}

#[test]
fn bad_arguments_are_named() {
    let fen = "pppppppp/8/8/8/8/8/8/PPPPPPPP_w_0_1";
    for (words, message) in [
        (&*format!("--depth 3 --fen {fen}"), "looks like variant `neighbours`"),
        ("--depth 0", "`0`"),
        ("", "--depth"),
        ("--depth 3 --reference oracle", "`oracle` is no reference"),
        ("--depth 3 --reference nodes=0", "`nodes=0` is no reference"),
        ("--depth 3 --reference tables", "set the option SyzygyPath"),
        ("--depth 3 --variant amazons --reference tables", "amazons has no endgame tables"),
        ("--depth 3 --variant tucchess --reference solve", "tucchess is a game of chance"),
        ("--depth 3 --view trees", "`trees`: expected one of: searches, search, filter, priors"),
        ("--depth 3 --view priors", "set the option NetFile"),
        ("--depth 3 --option Depth=3", "unknown option `Depth`"),
        ("--depth 3 --option SearchMode=mcts", "option SearchMode"),
        ("--depth 3 --variant shogi", "`shogi`"),
        ("--depth 3 --moves e2e5", "e2e5"),
        ("--depth 3 --positions nowhere.epd", "nowhere.epd"),
        ("--depth 3 --json --csv", "--csv"),
    ] {
        assert_fails(inspect(words), message);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.epd");
    fs::write(&path, "# none\n").unwrap();
    let of_file = || inspect(&format!("--depth 3 --positions {}", path.display()));
    assert_fails(of_file(), "no position in it");
    fs::write(&path, format!("{}\n{}\n", Chess::start().fen(), Neighbours::start().fen())).unwrap();
    assert_fails(of_file(), "line 2");
}
