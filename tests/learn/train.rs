//! The training loop, as a library and from the command line.

use crate::common::shell::{assert_fails, labrys, succeed};

use std::fs;
use std::path::Path;

use labrys::engine::Playable;
use labrys::engine::{self, GameState, TypedEngine, WeightsSource};
use labrys::eval::WeightsError;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Color, Game, Wdl};
use labrys::learn::play::{self, Agent, GameSettings, SearchLimit, SelfPlayGame};
use labrys::learn::{
    Decay, Exploration, Learner, LeastSquares, ObservationSettings, ObservedPosition, TemporalDifference,
    Trainer, TrainingSettings, TrainingState, Worker, sparse_features,
};
use labrys::search::Control;
use labrys::with_games;

fn small_engine<G: Playable>() -> Box<dyn TypedEngine<G>> {
    let mut engine = G::engine(&engine::Settings::default());
    engine.set_option("Hash", "1").unwrap();
    engine
}

fn agent<G: Playable>() -> Agent<G> {
    Agent { engine: small_engine(), limit: SearchLimit::Depth(1) }
}

fn workers(count: usize) -> Vec<Worker<Neighbours>> {
    let worker = || Worker {
        start: GameState::start(),
        agents: [agent(), agent()],
        learner: agent(),
        rivals: vec![agent(), agent()],
    };
    (0..count).map(|_| worker()).collect()
}

fn settings(games: u64) -> TrainingSettings {
    TrainingSettings {
        games,
        round: 3,
        seed: 7,
        rate: 0.01,
        decay: Decay::Linear,
        exploration: Exploration { start: 0.5, end: 0.1, midpoint: 0.5, steepness: 10.0 },
        opening_plies: 4,
        observation: ObservationSettings {
            both: false,
            position: ObservedPosition::Root,
            predicted: true,
            reward: 1.0,
        },
        period: 50,
        clone_every: Some(10),
        compare_every: Some(20),
        compare_games: 4,
    }
}

fn zeros() -> Vec<f64> {
    vec![0.0; small_engine::<Neighbours>().weights().values().len()]
}

fn lstd() -> Learner {
    Learner::Lstd(LeastSquares::new(zeros().len(), 0.95, 0.5, 0.9, 1e-3))
}

/// Trains from `state` and stops after `rounds` rounds.
fn train(state: TrainingState, settings: &TrainingSettings, threads: usize, rounds: usize) -> TrainingState {
    let mut trainer = Trainer::new(settings.clone(), workers(threads), state).unwrap();
    let (control, mut seen) = (Control::default(), 0);
    trainer
        .run(&control, |_| -> Result<(), WeightsError> {
            seen += 1;
            if seen == rounds {
                control.stop();
            }
            Ok(())
        })
        .unwrap();
    trainer.state().clone()
}

#[test]
fn the_result_depends_neither_on_threads_nor_on_interruptions() {
    for learner in [lstd(), Learner::Td(TemporalDifference::new(1.0, 0.5, Some(1.0)))] {
        let fresh = || TrainingState::new(zeros(), learner.clone());
        let settings = settings(40);
        let whole = train(fresh(), &settings, 1, usize::MAX);
        assert_eq!(whole.games, 40);
        assert_eq!(whole.results.iter().sum::<u64>(), 40);
        assert_eq!(whole.comparisons.len(), 2);
        assert!(whole.curve.len() as u64 == whole.steps / 50 && whole.steps > 200, "{}", whole.steps);
        assert!(whole.weights.iter().any(|&weight| weight != 0.0));
        assert_eq!(train(fresh(), &settings, 3, usize::MAX), whole);
        // Interrupted repeatedly and read back from JSON each time.
        let (mut state, mut pieces) = (fresh(), 0);
        while state.games < 40 {
            state = train(state, &settings, 2, 1 + pieces % 3);
            state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            pieces += 1;
        }
        assert!(pieces > 5);
        assert_eq!(state, whole);
    }
}

#[test]
fn a_stopped_round_is_dropped() {
    let mut trainer = Trainer::new(settings(40), workers(1), TrainingState::new(zeros(), lstd())).unwrap();
    let control = Control::default();
    control.stop();
    trainer.run(&control, |_| -> Result<(), WeightsError> { panic!("no round is complete") }).unwrap();
    assert_eq!(trainer.state(), &TrainingState::new(zeros(), lstd()));
}

#[test]
fn the_opponent_becomes_a_clone_only_when_it_loses_both_games() {
    let settings = TrainingSettings { clone_every: Some(5), compare_every: None, ..settings(60) };
    let start: Vec<_> = zeros();
    let state = train(TrainingState::new(start.clone(), lstd()), &settings, 2, usize::MAX);
    assert!(state.clones > 0, "60 games are enough to beat zeros");
    assert_ne!(state.opponent, start);
    let fixed = TrainingSettings { clone_every: None, ..settings };
    let state = train(TrainingState::new(start.clone(), lstd()), &fixed, 2, usize::MAX);
    assert_eq!((state.clones, &state.opponent), (0, &start));
}

fn play<G: Playable>(
    agents: [&mut Agent<G>; 2],
    observation: &ObservationSettings,
    game_settings: &GameSettings,
) -> SelfPlayGame<G::Move> {
    play::play(&GameState::start(), agents, game_settings, Some(observation), &Control::default()).unwrap()
}

/// Plays a game and checks its transitions.
fn check_transitions<G: Playable>(observation: ObservationSettings) {
    let game_settings = GameSettings {
        seed: 3,
        opening_seed: 3,
        opening_plies: 6,
        max_plies: None,
        first: Color::Black,
        exploration: 0.3,
    };
    let game = play::<G>([&mut agent(), &mut agent()], &observation, &game_settings);
    let steps: Vec<_> = game.episodes.iter().map(|episode| episode.transitions()).collect();
    let [first, others @ ..] = &steps[..] else { panic!("{}", G::info().name) };
    assert!(!first.is_empty() && others.iter().any(|other| !other.is_empty()), "{}", G::info().name);
    let features = G::SETS[0].features.len();
    for step in steps.iter().flatten() {
        let seen = step.features.iter().chain(step.next.iter().flatten());
        assert!(
            seen.clone().all(|&(index, value)| index < features && value != 0.0 && value.is_finite()),
            "{}",
            G::info().name
        );
        assert!(step.next.is_none() || step.reward == 0.0);
    }
    if observation.predicted || observation.position == ObservedPosition::Leaf {
        return;
    }
    // Random moves of the second agent end its episodes.
    let end = first.last().unwrap();
    assert!(end.next.is_none(), "{}", G::info().name);
    assert_eq!(end.reward, (2.0 * game.result.value() - 1.0) * 2.0);
    // Real successors are the positions of the agent's next move.
    for pair in steps.iter().flat_map(|steps| steps.windows(2)) {
        assert_eq!(pair[0].next.as_ref(), Some(&pair[1].features), "{}", G::info().name);
    }
}

#[test]
fn every_game_can_be_learned_from() {
    for (position, predicted) in
        [(ObservedPosition::Root, true), (ObservedPosition::Root, false), (ObservedPosition::Leaf, false)]
    {
        let observation = ObservationSettings { both: true, position, predicted, reward: 2.0 };
        macro_rules! check {
            ($($game:ty),+ $(,)?) => { $(check_transitions::<$game>(observation.clone()));+ };
        }
        with_games!(check);
    }
}

#[test]
fn a_prediction_is_the_position_after_our_move_and_the_expected_reply() {
    // A search to depth 1 predicts no reply, one to depth 2 does.
    let mut agents = [agent::<Neighbours>(), agent()];
    agents.iter_mut().for_each(|agent| agent.limit = SearchLimit::Depth(2));
    let observation = settings(1).observation;
    let game_settings = GameSettings {
        seed: 1,
        opening_seed: 1,
        opening_plies: 0,
        max_plies: None,
        first: Color::White,
        exploration: 1.0,
    };
    let game = play(agents.each_mut(), &observation, &game_settings);
    let steps = game.episodes[0].transitions();
    let mut lone = small_engine::<Neighbours>();
    let limits = labrys::search::Limits::depth(2);
    let best = lone.search(&[], &limits, &Control::default(), &mut |_: &engine::SearchReport| {}).unwrap();
    lone.board_mut().play(&best.best.unwrap()).unwrap();
    lone.board_mut().play(&best.ponder.unwrap()).unwrap();
    let reached = lone.game();
    let seen = sparse_features(reached.position(), lone.weights().set());
    assert_eq!(steps[0].next, Some(seen));
    // The opponent plays random moves, so the real successor differs.
    assert_ne!(steps[0].next.as_ref(), Some(&steps[1].features));
}

#[test]
fn the_policy_target_comes_from_the_search() {
    let observation = ObservationSettings { both: true, ..settings(1).observation };
    let game_settings = GameSettings {
        seed: 1,
        opening_seed: 1,
        opening_plies: 2,
        max_plies: None,
        first: Color::White,
        exploration: 0.0,
    };
    // MCTS: the visits of all root moves.
    let sampler = || {
        let mut engine = small_engine::<Neighbours>();
        engine.set_option("SearchMode", "mcts").unwrap();
        Agent { engine, limit: SearchLimit::Nodes(2_000) }
    };
    let mut agents = [sampler(), agent()];
    let game = play(agents.each_mut(), &observation, &game_settings);
    let [first, second] = &game.episodes[..] else { panic!("one episode of each agent") };
    let targets: Vec<_> = first.observations.iter().map(|observation| &observation.policy).collect();
    for target in &targets {
        let sum: f64 = target.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9 && target.iter().all(|(_, share)| *share >= 0.0), "{target:?}");
    }
    assert!(targets.iter().any(|target| target.iter().filter(|(_, share)| *share > 0.0).count() > 1));
    // Other searches: probability 1 for the chosen move.
    let moves = Neighbours::start().moves();
    assert!(targets[0].len() <= moves.len() && !second.observations.is_empty());
    for observation in &second.observations {
        let [(_, share)] = observation.policy[..] else { panic!("{:?}", observation.policy) };
        assert_eq!(share, 1.0);
    }
}

#[test]
fn leaf_features_are_from_the_point_of_view_of_the_agent() {
    // The leaf of a principal variation of one ply has the opponent to move.
    let observation =
        ObservationSettings { both: false, position: ObservedPosition::Leaf, predicted: false, reward: 1.0 };
    let game_settings = GameSettings {
        seed: 7,
        opening_seed: 7,
        opening_plies: 6,
        max_plies: None,
        first: Color::Black,
        exploration: 0.0,
    };
    // The games do not change with the shipped net.
    let linear = || {
        let mut engine = small_engine::<Chess>();
        engine.set_option("Evaluation", "linear").unwrap();
        Agent { engine, limit: SearchLimit::Depth(1) }
    };
    let game = play::<Chess>([&mut linear(), &mut linear()], &observation, &game_settings);
    let engine = small_engine::<Chess>();
    let weights = engine.weights().values();
    let value = |features: &[(usize, f64)]| {
        features.iter().map(|&(index, value)| weights[index] * value).sum::<f64>()
    };
    let steps = game.episodes[0].transitions();
    let last = value(&steps.iter().rev().find(|step| step.next.is_some()).unwrap().features);
    // Shortly before the end the evaluation is decisive.
    match game.result {
        Wdl::Win => assert!(last > 1.0, "{last}"),
        Wdl::Loss => assert!(last < -1.0, "{last}"),
        Wdl::Draw => panic!("choose another seed: a draw tells nothing"),
    }
}

#[test]
fn weights_that_are_not_finite_end_a_training() {
    let mut state = TrainingState::new(zeros(), Learner::Td(TemporalDifference::new(1.0, 1.0, None)));
    state.weights[0] = 1e300;
    let mut settings = settings(40);
    settings.rate = 1e300;
    let mut trainer = Trainer::new(settings, workers(1), state.clone()).unwrap();
    let error = trainer.run(&Control::default(), |_| Ok::<(), WeightsError>(())).unwrap_err();
    assert!(error.to_string().contains("not a finite number"), "{error}");
    assert_eq!(trainer.state(), &state, "the last good state is still there");
}

#[test]
fn a_training_writes_its_files_and_learns_from_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/training");
    let arguments = format!(
        "linear train --variant neighbours --weights zeros --games 300 --period 200 --compare-every 100 \
         --compare-games 10 --judge-games 40 --exploration 0.3 --rival random default --out {}",
        out.display()
    );
    let text = succeed(labrys(&arguments));
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("against the weights at the start: 40 games, +"), "{text}");
    let (_, after) = last.split_once("score ").unwrap();
    let score: f64 = after.split_once(" %").unwrap().0.parse().unwrap();
    assert!(score > 60.0, "300 games teach enough to beat zeros: {last}");
    for file in ["checkpoint.json", "weights.json", "curve.csv", "weights.svg", "change.svg", "score.svg"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let curve = fs::read_to_string(out.join("curve.csv")).unwrap();
    assert!(
        curve.contains(",score against start,score against random,score against default,pieces"),
        "{curve}"
    );
    let matches: Vec<Vec<_>> = curve
        .lines()
        .map(|line| line.split(',').collect())
        .filter(|line: &Vec<_>| line[3].is_empty())
        .collect();
    assert_eq!(matches.len(), 3, "{curve}");
    let scores = matches.iter().flat_map(|line| &line[4..7]).map(|score| score.parse::<f64>().unwrap());
    assert!(scores.clone().all(|score| (0.0..=1.0).contains(&score)), "{curve}");
    assert!(matches[2][5] > "0.8", "any move is a weak opponent: {curve}");
    // weights.json is a weights file with its source.
    let weights = out.join("weights.json");
    let mut engine = small_engine::<Neighbours>();
    engine.set_weights(&WeightsSource::File(weights.display().to_string())).unwrap();
    let source = fs::read_to_string(&weights).unwrap();
    assert!(source.contains("labrys linear train --variant neighbours") && source.contains(last), "{source}");

    // With the whole configuration, defaults included; a method has no settings of another one.
    for default in
        ["\"set\":\"set1\"", "\"window\":0.95", "\"depth\":2", "\"opponent_depth\":2", "\"rate\":null"]
    {
        assert!(source.contains(&default.replace('"', "\\\"")), "{default}: {source}");
    }

    // A finished training can be resumed for its final match, but is not overwritten without --resume.
    let (done, again, error) = labrys(&format!("{arguments} --resume"));
    assert!(done && again == text, "{again} {error}");
    assert_fails(labrys(&arguments), "already exists; use --resume");
    // A changed argument is named, and the checkpoint is unchanged.
    let before = fs::read_to_string(out.join("checkpoint.json")).unwrap();
    for (other, named) in [
        ("--seed 2", "--seed: 2, but the training"),
        ("--discount 0.5", "--discount: 0.5, but the training"),
        ("--set base", "--set: \"base\", but the training"),
    ] {
        assert_fails(labrys(&format!("{arguments} --resume {other}")), named);
    }
    assert_eq!(fs::read_to_string(out.join("checkpoint.json")).unwrap(), before);
    let old = before.replace("\"version\":3", "\"version\":2");
    fs::write(out.join("checkpoint.json"), old).unwrap();
    assert_fails(labrys(&format!("{arguments} --resume")), "checkpoint.json: version 2, expected 3");
    fs::write(out.join("checkpoint.json"), before.replace("\"steps\":", "\"steps\":1")).unwrap();
    assert_fails(labrys(&format!("{arguments} --resume")), "checkpoint.json: damaged: checksum");
    fs::write(out.join("checkpoint.json"), &before[..before.len() / 2]).unwrap();
    assert_fails(labrys(&format!("{arguments} --resume")), "checkpoint.json: EOF");
    // Results whose state is missing are not overwritten.
    fs::remove_file(out.join("checkpoint.json")).unwrap();
    let results = ["weights.json", "curve.csv"].map(|name| fs::read(out.join(name)).unwrap());
    for (name, resume) in [("weights.json", ""), ("weights.json", "--resume"), ("curve.csv", "--resume")] {
        let refused = labrys(&format!("{arguments} {resume}"));
        assert_fails(refused, &format!("{name}: left of a run whose state is missing; remove it"));
        if (name, resume) == ("weights.json", "--resume") {
            assert!(fs::read(&weights).unwrap() == results[0]);
            fs::remove_file(&weights).unwrap();
        }
    }
    assert!(fs::read(out.join("curve.csv")).unwrap() == results[1]);
}

#[test]
fn a_training_without_comparison_games_compares_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("training");
    let text = succeed(labrys(&format!(
        "linear train --variant neighbours --games 20 --compare-every 10 --compare-games 0 --judge-games 0 --out {}",
        out.display()
    )));
    assert!(!text.contains("against"), "{text}");
    let curve = fs::read_to_string(out.join("curve.csv")).unwrap();
    let header: Vec<_> = curve.lines().next().unwrap().split(',').collect();
    let scores = header.iter().enumerate().filter(|(_, name)| name.starts_with("score"));
    for (column, name) in scores {
        assert!(curve.lines().skip(1).all(|line| line.split(',').nth(column) == Some("")), "{name}: {curve}");
    }
}

#[test]
fn sharded_rounds_equal_those_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let train = |out: &str, more: &str| {
        labrys(&format!(
            "linear train --variant neighbours --weights zeros --games 24 --round 8 --clone-every 12 --period 20 \
             --compare-every 24 --compare-games 4 --judge-games 4 --both --exploration 0.3 --out {} {more}",
            path(out)
        ))
    };
    let done = |(done, out, error): (bool, String, String)| {
        assert!(done, "{error}");
        out
    };
    let refused = |(done, _, error): (bool, String, String), message: &str| {
        assert!(!done && error.contains(message), "{error}");
    };
    let whole = done(train("whole", ""));
    let [one, two] = [path("1"), path("2")];
    let play = |shard: usize| {
        // A worker has only the state.
        let _ = fs::remove_dir_all(path("worker"));
        fs::create_dir(path("worker")).unwrap();
        let _ = fs::copy(path("cut/checkpoint.json"), path("worker/checkpoint.json"));
        let file = path(&shard.to_string());
        assert_eq!(done(train("worker", &format!("--shard {shard}/2 --part {file}"))), "");
    };
    let learn = |parts: &str| train("cut", &format!("--resume --parts {parts}"));
    let mut last = String::new();
    // Rounds end where a cloning match is due.
    for (games, next) in [(0, 8), (8, 4), (12, 8), (20, 4)] {
        assert_eq!(done(train("cut", "--next")), format!("done {games} games {next}\n"));
        play(2);
        if games == 8 {
            let before = fs::read(path("cut/checkpoint.json")).unwrap();
            refused(learn(&format!("{one} {two}")), &format!("{one}: shard 1/2 of 8 games of job "));
            refused(learn(&two), "1 of 2 shards missing: 1");
            refused(learn(&format!("{two} {two}")), "shard 2/2 again");
            let text = fs::read_to_string(&two).unwrap();
            fs::write(&one, text.replacen("[[0,", "[[9,", 1)).unwrap();
            refused(learn(&format!("{two} {one}")), &format!("{one}: damaged: checksum "));
            fs::write(&one, &text[..text.len() / 2]).unwrap();
            refused(learn(&format!("{one} {two}")), &format!("{one}: EOF"));
            refused(train("worker", &format!("--shard 1/3 --part {one}")), "4 games cannot be cut into ");
            refused(train("cut", &format!("--parts {one} {two}")), "use --resume");
            assert_eq!(fs::read(path("cut/checkpoint.json")).unwrap(), before);
        }
        play(1);
        last = done(learn(&format!("{two} {one}")));
    }
    assert_eq!(last, whole);
    for file in ["checkpoint.json", "curve.csv", "weights.json"] {
        let [cut, whole] =
            ["cut", "whole"].map(|out| fs::read_to_string(path(&format!("{out}/{file}"))).unwrap());
        assert_eq!(cut, whole, "{file}");
    }
    assert_eq!(done(train("cut", "--next")), "done 24 games 0\n");
    refused(train("cut", &format!("--shard 1/2 --part {one}")), "--shard 1/2: all games are played");
    refused(learn(&one), "--parts: all games are played");
    refused(train("cut", "--shard 1/2"), "missing --part FILE");
}

#[test]
fn a_round_of_one_game_has_one_shard() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let train = |out: &str, more: &str| {
        succeed(labrys(&format!(
            "linear train --variant neighbours --weights zeros --games 2 --round 1 --compare-every 0 \
             --judge-games 0 --out {} {more}",
            path(out)
        )))
    };
    train("whole", "");
    for done in [0, 1] {
        assert_eq!(train("cut", "--next"), format!("done {done} games 1\n"));
        assert_eq!(train("cut", &format!("--shard 1/1 --part {}", path("part"))), "");
        train("cut", &format!("--resume --parts {}", path("part")));
    }
    let [cut, whole] =
        ["cut", "whole"].map(|out| fs::read_to_string(path(&format!("{out}/checkpoint.json"))).unwrap());
    assert_eq!(cut, whole);
}

#[test]
fn a_training_whose_initial_weights_have_changed_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let train = |rest: &str| {
        labrys(&format!(
            "linear train --variant neighbours --games 4 --compare-every 0 --judge-games 0 {rest}"
        ))
    };
    succeed(train(&format!("--weights ones --out {}", path("first"))));
    let start = path("first/weights.json");
    let second = format!("--weights {start} --resume --out {}", path("second"));
    assert!(train(&second).0 && train(&second).0);
    // Changed by hand, without a checksum.
    let text = fs::read_to_string(&start).unwrap().replace(": 1.0", ": 1.5");
    let lines: Vec<_> = text.lines().filter(|line| !line.contains("\"crc32\"")).collect();
    fs::write(&start, lines.join("\n").replace("},\n}", "}\n}")).unwrap();
    assert_fails(train(&second), &format!("--weights {start}: the training in "));
}

#[test]
fn invalid_arguments_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (arguments, named) in [
        ("--set set9", "--set: option FeatureSet: `set9`"),
        ("--variant neigbours", "unknown variant `neigbours`"),
        ("--window 1.5", "--window `1.5`: expected a number from 0 to 1"),
        ("--discount -0.1", "--discount `-0.1`: expected a number from 0 to 1"),
        ("--discount=-0.1", "--discount `-0.1`: expected a number from 0 to 1"),
        ("--lambda NaN", "--lambda `NaN`: expected"),
        ("--reward 0", "--reward: "),
        ("--games 0", "--games `0`: expected"),
        ("--judge-games 3", "--judge-games `3`: expected an even number"),
        ("--rate 0.1", "--rate: lstd has no learning rate"),
        ("--squash", "--squash: "),
        ("--learner td --window 0.5", "--window: only lstd"),
        ("--learner td --ridge 0.5", "--ridge: only lstd"),
        ("--learner td-leaf --successor predicted", "--successor: "),
        ("--learner tdd", "--learner `tdd`: expected one of"),
        ("--opponent start --both", "--both: "),
        ("--opponent /no/file", "--opponent: weights file `/no/file`"),
        ("--rival random /no/file", "--rival: weights file `/no/file`"),
        ("--rival random zeros random", "--rival random: a rival already"),
        ("--rival start", "--rival start: a rival already"),
        ("--weights /no/file", "--weights: weights file `/no/file`"),
        ("--search Hsh=1", "--search: unknown option `Hsh`"),
        ("--search FeatureSet=set1", "--search: FeatureSet: use --set instead"),
        ("--opponent-search FeatureSet=set1", " --opponent-search: FeatureSet: use --set instead"),
        ("--depth 2 --nodes 5", "--depth: not with --nodes"),
        ("--option AmazonsBoard=6x6", "unknown option `AmazonsBoard`"),
        ("--config /no/file", "config /no/file"),
    ] {
        let (done, _, error) =
            labrys(&format!("linear train --variant neighbours --out {} {arguments}", out.display()));
        // The second --variant is reported first.
        let named = if arguments.starts_with("--variant") { "--variant" } else { named };
        assert!(!done && error.contains(named), "{arguments}: {error}");
        assert!(!out.exists(), "{arguments}: refused before the folder is made");
    }
    let arguments =
        format!("linear train --variant amazons --search amazonsboard=6x6 --out {}", out.display());
    assert_fails(labrys(&arguments), "--search: amazonsboard: use --option instead");
    let config = folder.path().join("train.toml");
    fs::write(&config, "variant = \"neighbours\"\nwindwo = 0.9\n").unwrap();
    let refused = labrys(&format!("linear train --out {} --config {}", out.display(), config.display()));
    assert_fails(refused, "unknown key `windwo`");
}

#[test]
fn a_configuration_file_gives_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("train.toml");
    let text = "variant = \"amazons\"\noption = \"AmazonsBoard=5x5\"\nlearner = \"td\"\nrate = 0.01\n\
                games = 6\ncompare-every = 0\njudge-games = 4\nweights = \"ones\"\nopponent = \"start\"\n\
                rival = [\"zeros\", \"random\"]\n[search]\nSearchMode = \"alphabeta\"\n\
                [opponent-search]\nSearchMode = \"mcts\"\n";
    fs::write(&config, text).unwrap();
    let out = folder.path().join("out");
    let (done, text, error) = labrys(&format!(
        "linear train --opponent-nodes 50 --config {} --out {}",
        config.display(),
        out.display()
    ));
    assert!(done && text.contains("6 games, "), "{text} {error}");
}

#[test]
fn an_unwritable_folder_is_an_error_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for out in [file.as_path(), &file.join("below"), Path::new("/proc/training")] {
        let refused = labrys(&format!("linear train --games 1 --out {}", out.display()));
        assert_fails(refused, &format!("--out {}", out.display()));
    }
}

#[test]
fn another_opponent_in_the_same_file_is_another_training() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let train = |words: &str| {
        labrys(&format!(
            "linear train --variant neighbours --weights ones --games 4 --round 4 --compare-every 0 \
             --judge-games 0 {words}"
        ))
    };
    succeed(train(&format!("--out {}", path("first"))));
    let file = path("first/weights.json");
    let against = |words: &str| train(&format!("--opponent {file} --out {} {words}", path("second")));
    let parts = [1, 2].map(|shard| path(&shard.to_string()));
    let play = |shard: usize| {
        succeed(against(&format!("--shard {shard}/2 --part {}", parts[shard - 1])));
    };
    let weights = fs::read_to_string(&file).unwrap();
    play(1);
    fs::write(&file, format!("{weights}\n")).unwrap();
    play(2);
    let learn = || against(&format!("--parts {}", parts.join(" ")));
    assert_fails(learn(), &format!("{}: shard 1/2 of 4 games of job ", parts[0]));
    play(1);
    succeed(learn());
    let learned = fs::read_to_string(path("second/weights.json")).unwrap();
    assert!(learned.contains("weights.json (sha256 "), "{learned}");
    fs::write(&file, weights).unwrap();
    assert_fails(against("--resume"), &format!("--opponent: \"{file} (sha256 "));
}
