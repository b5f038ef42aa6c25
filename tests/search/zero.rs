//! Play with a policy/value net: PUCT with its priors and values, noise, temperature, and the option of
//! the protocol.

use crate::common;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use common::process::Process;
use common::random_lines;
use labrys::engine::Playable;
use labrys::engine::{Board, Engine, GameState, SearchReport, Settings, TypedEngine};
use labrys::eval::Linear;
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, Knowledge, PlaneSelection};
use labrys::nets::{Architecture, Net, NetConfig, Parameters};
use labrys::search::{
    Control, Leaf, LeafEvaluator, Limits, MctsOptions, NetLeaves, Options, Report, SearchInput, Selection,
    Tree, monte_carlo,
};

const SMALL: Architecture = Architecture::Residual { channels: 8, blocks: 1, hidden: 8 };

/// The file of a random net for the board of a position.
fn net_file<G: Knowledge>(folder: &tempfile::TempDir, position: &G, seed: u64) -> PathBuf {
    net_file_of(folder, position, PlaneSelection::ALL, seed)
}

/// The same for a net that has some of the planes as its input.
fn net_file_of<G: Knowledge>(
    folder: &tempfile::TempDir,
    position: &G,
    planes: PlaneSelection,
    seed: u64,
) -> PathBuf {
    let config = NetConfig { shape: position.encoding_shape().select(planes), architecture: SMALL };
    let path = folder.path().join(format!("{}-{seed}.safetensors", G::info().name));
    labrys::learn::save_parameters(&Parameters::random::<G>(config, seed).unwrap(), &path).unwrap();
    path
}

/// An engine that plays with a net.
fn engine<G: Playable>(net: &str, options: &[(&str, &str)]) -> Box<dyn TypedEngine<G>> {
    let mut engine = G::engine(&Settings::default());
    let common = [("SearchMode", "mcts"), ("Selection", "puct"), ("NetFile", net)];
    for (name, value) in common.iter().chain(options) {
        engine.set_option(name, value).unwrap();
    }
    engine
}

/// The move, and the visits of all root moves, of a search.
fn visits(engine: &mut dyn Engine) -> (String, Vec<(String, u32)>) {
    engine.set_option("MultiPV", "256").unwrap();
    let mut visits = Vec::new();
    let mut listener = |report: &SearchReport| {
        if report.multipv == 1 {
            visits.clear();
        }
        visits.push((report.pv[0].clone(), report.visits.unwrap().count));
    };
    let best = engine.search(&[], &Limits::nodes(1_000_000), &Control::default(), &mut listener).unwrap();
    (best.best.unwrap(), visits)
}

fn check_leaves<G: Playable>() {
    check_leaves_of::<G>(PlaneSelection::ALL);
    check_leaves_of::<G>(PlaneSelection::new(G::PLANE_GROUPS, &["board".to_owned()]).unwrap());
}

fn check_leaves_of<G: Playable>(planes: PlaneSelection) {
    let folder = tempfile::tempdir().unwrap();
    let lines = random_lines::<G>(8, 30);
    let path = net_file_of(&folder, &lines[0].0, planes, 1);
    let leaves = NetLeaves::load::<G>(&path).unwrap();
    let net = Net::load::<G>(&path).unwrap();
    for bytes in [0, 1 << 20] {
        leaves.set_cache(bytes);
        // The second time, from the cache.
        for _ in 0..2 {
            let batch = lines.iter().map(|(position, history)| {
                let (moves, occurrences) = (position.moves(), history.occurrences(position));
                Leaf { position: position.clone(), occurrences, moves, priors: Vec::new(), value: 0.0 }
            });
            let mut batch: Vec<_> = batch.collect();
            leaves.evaluate_leaves(&mut batch, &mut || false);
            for Leaf { position, occurrences, moves, priors, value } in &batch {
                let shape = position.encoding_shape().select(planes);
                let mut planes = vec![0.0; shape.input_len()];
                shape.write_planes(position, *occurrences, &mut planes);
                let outputs = net.evaluate(&planes);
                assert_eq!(*value, f64::from(outputs.value(0) + 1.0) / 2.0);
                assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-4 && priors.len() == moves.len());
                let logit =
                    |mv| position.policy_indices(mv).map(|index| outputs.logit(0, index)).sum::<f32>();
                for (&mv, prior) in moves.iter().zip(priors) {
                    let expected = (logit(mv) - logit(moves[0])).exp();
                    assert!((prior / priors[0] - expected).abs() < 1e-3 * expected, "{}", position.fen());
                }
            }
        }
    }
}

#[test]
fn leaves_have_the_priors_and_the_value_of_the_net() {
    check_leaves::<Chess>();
    check_leaves::<Neighbours>();
    check_leaves::<TucChess>();
    check_leaves::<Amazons>();
}

#[test]
fn searches_with_a_net_repeat_themselves_whatever_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = net_file(&folder, &Neighbours::start(), 1);
    let net = path.to_str().unwrap();
    let found = |options: &[(&str, &str)]| {
        visits(engine::<Neighbours>(net, &[&[("Simulations", "400")], options].concat()).as_mut())
    };
    let plain = found(&[]);
    let total: u32 = plain.1.iter().map(|(_, count)| count).sum();
    assert_eq!(total, 400);
    assert_eq!(found(&[("NetCache", "0")]), plain);
    assert_eq!(found(&[("Seed", "5")]), plain, "nothing is random without noise");
    let batches = found(&[("BatchSize", "16")]);
    assert_eq!(batches.1.iter().map(|(_, count)| count).sum::<u32>(), 400);
    let other = net_file(&folder, &Neighbours::start(), 2);
    assert_ne!(
        visits(engine::<Neighbours>(other.to_str().unwrap(), &[("Simulations", "400")]).as_mut()),
        plain
    );
    assert_ne!(found(&[("NetFile", "")]), plain, "without a net, the evaluation gives the priors");
}

#[test]
fn a_net_of_the_board_alone_ignores_the_counters() {
    let folder = tempfile::tempdir().unwrap();
    let board = PlaneSelection::new(Chess::PLANE_GROUPS, &["board".to_owned()]).unwrap();
    let path = net_file_of(&folder, &Chess::start(), board, 1);
    let leaves = NetLeaves::load::<Chess>(&path).unwrap();
    let values = ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 60 90"].map(|fen| {
        let position = Chess::from_fen(fen).unwrap();
        leaves.check_board(&position).unwrap();
        let moves = position.moves();
        let mut leaf = [Leaf { position, occurrences: 1, moves, priors: Vec::new(), value: 0.0 }];
        leaves.evaluate_leaves(&mut leaf, &mut || false);
        leaf[0].value
    });
    assert_eq!(values[0], values[1]);
}

/// Records how often the start position has occurred where it is a leaf.
struct StartLeaves(Mutex<Vec<usize>>);

impl LeafEvaluator<Chess> for StartLeaves {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<Chess>], _: &mut dyn FnMut() -> bool) {
        for Leaf { position, occurrences, moves, priors, value } in leaves {
            if position.same_position(&Chess::start()) {
                self.0.lock().unwrap().push(*occurrences);
            }
            priors.resize(moves.len(), 1.0 / moves.len() as f32);
            *value = 0.5;
        }
    }
}

#[test]
fn leaves_know_the_repetitions_of_their_position() {
    let mut play = GameState::<Chess>::start();
    let evaluator = &Linear::shipped(0).unwrap();
    let mcts = MctsOptions { selection: Selection::Puct, playout_plies: Some(0), ..MctsOptions::default() };
    let (options, limits) = (&Options { mcts, ..Options::default() }, &Limits::nodes(5_000));
    for (moves, expected) in [(&["g1f3", "g8f6", "f3g1"][..], 2), (&["f6g8"], 2)] {
        moves.iter().for_each(|mv| play.play(mv).unwrap());
        let (position, history) = (play.position(), play.history());
        let input = SearchInput::new(position, history, evaluator, options, limits);
        let leaves = StartLeaves(Mutex::default());
        let (control, mut listener) = (Control::default(), |_: Report<_>| ());
        monte_carlo(&input, &mut Tree::new(1 << 22), 1, Some(&leaves), &control, &mut listener);
        let occurrences = leaves.0.into_inner().unwrap();
        assert_eq!(occurrences.first(), Some(&expected), "after {moves:?}");
    }
}

#[test]
fn noise_changes_the_search_by_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = net_file(&folder, &Neighbours::start(), 1);
    let found = |options: &[(&str, &str)]| {
        let options = [&[("Simulations", "200")], options].concat();
        visits(engine::<Neighbours>(path.to_str().unwrap(), &options).as_mut()).1
    };
    let plain = found(&[]);
    for at in ["root", "leaves"] {
        let noise = |seed| found(&[("NoiseAt", at), ("DirichletWeight", "50"), ("Seed", seed)]);
        assert_eq!(noise("1"), noise("1"));
        assert_ne!(noise("1"), noise("2"), "{at}");
        assert_ne!(noise("1"), plain, "{at}");
    }
    let root = found(&[("NoiseAt", "root"), ("DirichletWeight", "50")]);
    assert_ne!(found(&[("NoiseAt", "leaves"), ("DirichletWeight", "50")]), root);
    // With a small α, one move gets nearly all of the noise; with a large one, all get the same.
    let most = |alpha| {
        found(&[("DirichletWeight", "100"), ("DirichletAlpha", alpha)]).iter().map(|(_, count)| *count).max()
    };
    assert!(most("10") > Some(150) && most("100000") < Some(50), "{:?} {:?}", most("10"), most("100000"));
}

#[test]
fn opening_moves_are_sampled_by_visits() {
    let folder = tempfile::tempdir().unwrap();
    let path = net_file(&folder, &Neighbours::start(), 1);
    let net = path.to_str().unwrap();
    let moves = |options: &[(&str, &str)], line: &[&str]| {
        let line: Vec<_> = line.iter().map(|mv| (*mv).to_owned()).collect();
        let mut engine = engine::<Neighbours>(net, &[&[("Simulations", "60")], options].concat());
        engine.board_mut().set_up(None, &line).unwrap();
        (0..40)
            .map(|seed| {
                engine.set_option("Seed", &seed.to_string()).unwrap();
                visits(engine.as_mut()).0
            })
            .collect::<BTreeSet<_>>()
    };
    let hot = [("Temperature", "100"), ("TemperatureMoves", "1")];
    assert_eq!(moves(&[], &[]).len(), 1);
    assert!(moves(&hot, &[]).len() > 5);
    assert!(moves(&hot, &["b1b3"]).len() > 5);
    assert_eq!(moves(&hot, &["b1b3", "b8b6"]).len(), 1, "the second move of White");
    assert!(moves(&[("Temperature", "5")], &[]).len() < 4, "nearly the most visited one");
}

#[test]
fn every_game_is_played_with_a_net() {
    fn check<G: Playable>() {
        let folder = tempfile::tempdir().unwrap();
        for (position, _) in random_lines::<G>(3, 30) {
            let path = net_file(&folder, &position, 1);
            for (batch, threads) in [("1", "1"), ("16", "1"), ("8", "3")] {
                let options = [("BatchSize", batch), ("Threads", threads), ("Simulations", "100")];
                let mut engine = engine::<G>(path.to_str().unwrap(), &options);
                engine.board_mut().set_up(Some(&position.fen()), &[]).unwrap();
                let (best, _) = visits(engine.as_mut());
                engine.board().check_move(&best).unwrap();
            }
        }
    }
    check::<Chess>();
    check::<Neighbours>();
    check::<TucChess>();
    check::<Amazons>();
}

#[test]
fn a_search_finds_a_mate_whatever_the_net_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = net_file(&folder, &Chess::start(), 3);
    let mut engine = engine::<Chess>(path.to_str().unwrap(), &[("BatchSize", "8"), ("Simulations", "5000")]);
    engine.board_mut().set_up(Some("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"), &[]).unwrap();
    assert_eq!(visits(engine.as_mut()).0, "a1a8");
}

#[test]
fn a_bad_net_file_is_named_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [chess, neighbours] =
        [net_file(&folder, &Chess::start(), 1), net_file(&folder, &Neighbours::start(), 1)];
    let mut engine = engine::<Neighbours>(neighbours.to_str().unwrap(), &[("Simulations", "50")]);
    let before = visits(engine.as_mut());
    for (path, expected) in [
        (chess.to_str().unwrap(), "a net for game `chess`, expected `neighbours`"),
        ("/missing/net", "option NetFile: net file `/missing/net`: No such file"),
    ] {
        let error = engine.set_option("NetFile", path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(visits(engine.as_mut()), before);
    }
}

#[test]
fn huge_numbers_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let config = NetConfig { shape: TucChess::start().encoding_shape(), architecture: SMALL };
    let mut tensors = Parameters::random::<TucChess>(config, 1).unwrap().tensors().clone();
    for (name, tensor) in &mut tensors {
        match name.as_str() {
            "policy.weight" | "value.weight" => {
                tensor.values.iter_mut().for_each(|value| *value = f32::MAX.copysign(*value));
            }
            "normalisation.2.bias" => tensor.values.fill(1e30),
            _ => (),
        }
    }
    let path = folder.path().join("large");
    labrys::learn::save_parameters(
        &Parameters::new::<TucChess>(config, String::new(), tensors).unwrap(),
        &path,
    )
    .unwrap();
    let position = TucChess::start();
    let moves = position.moves();
    let mut leaves = [Leaf { position, occurrences: 1, moves, priors: Vec::new(), value: 0.0 }];
    NetLeaves::load::<TucChess>(&path).unwrap().evaluate_leaves(&mut leaves, &mut || false);
    let [Leaf { priors, value, .. }] = leaves;
    assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{priors:?}");
    assert!((0.0..=1.0).contains(&value), "{value}");
}

#[test]
fn a_net_for_another_board_is_refused_by_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = net_file(&folder, &Amazons::start_with(2), 1);
    let mut process = Process::start();
    process.send(&format!(
        "setoption name UCI_Variant value amazons\nsetoption name SearchMode value mcts\n\
         setoption name Selection value puct\nsetoption name NetFile value {}\ngo nodes 1000",
        path.display()
    ));
    let lines = process.until("info");
    let line = lines.last().unwrap();
    assert!(line.contains("go: net file `") && line.contains("a net for boards of 6×6, not 10×10"), "{line}");
    assert_ne!(process.until("bestmove").last().unwrap(), "bestmove (none)", "the best move without it");
    process.send("setoption name AmazonsBoard value 6x6\ngo nodes 1000");
    assert_ne!(process.until("bestmove").last().unwrap(), "bestmove (none)");
    assert!(process.finish().1.success());

    // In a match, too, it loses the game, with this reason.
    for program in ["", concat!("cmd=", env!("CARGO_BIN_EXE_labrys"))] {
        let pgn = folder.path().join("games.pgn");
        let engine =
            format!("option.SearchMode=mcts option.Selection=puct option.NetFile={}", path.display());
        let words =
            format!("match --variant amazons --games 2 --each nodes=9 --engine name=net {program} {engine}");
        let words = format!("{words} --engine name=other --pgnout {}", pgn.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.args(words.split_whitespace());
        assert!(command.output().unwrap().status.success());
        let games = std::fs::read_to_string(&pgn).unwrap();
        assert!(games.contains("a net for boards of 6×6, not 10×10"), "{games}");
        std::fs::remove_file(pgn).unwrap();
    }

    let mut engine = engine::<Amazons>(path.to_str().unwrap(), &[]);
    let best = engine.think(
        &GameState::start(),
        None,
        &Limits::nodes(100),
        &Control::default(),
        &mut |_: Report<_>| (),
    );
    assert!(best.mv.is_some(), "the best move without it");
}

#[test]
fn the_shipped_net_beats_playouts() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/amazons-6x6.safetensors");
    let each = "nodes=1000000 option.SearchMode=mcts option.Simulations=32 option.Hash=1";
    let words = format!(
        "match --variant amazons --option AmazonsBoard=6x6 --random-plies 2 --games 20 --each {each} --json \
        --engine name=net option.Selection=puct option.RootSelection=gumbel option.NetFile={} \
        --engine name=uniform option.Expansion=all option.PlayoutPlies=1000",
        path.display()
    );
    let output = Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace()).output().unwrap();
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // 95.5 % of 200 games (experiments/README.md).
    assert!(result["players"][0]["score"].as_f64().unwrap() > 0.7, "{result}");
}
