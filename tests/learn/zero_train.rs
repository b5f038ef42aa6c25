//! Learning nets by self-play, as a library and from the command line.

use crate::common::shell::{assert_fails, labrys, succeed};

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use labrys::arena::Pairs;
use labrys::engine::Playable;
use labrys::engine::{Board, GameState};
use labrys::game::amazons::Amazons;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, Knowledge, Symmetry, Wdl};
use labrys::learn::training::NetTrainer;
use labrys::learn::zero::{Event, GateSettings, ReplaySettings, Samples, ZeroConfig, ZeroError, ZeroRun};
use labrys::nets::Parameters;
use labrys::search::Control;

/// A run that takes seconds.
const SMALL: &str = "
variant = \"tucchess\"
generations = 3
net = { channels = 4, blocks = 1, dense = 4 }
selfplay = { games = 4, opening_plies = 2, longest = 40, options = { Simulations = 8 } }
training = { batch = 16, epochs = 2, window = 2 }
gate = { games = 4 }
comparison = { every = 2, games = 2 }
rivals = [{ name = \"any\", options = { SearchMode = \"random\" } }]
";

fn config(text: &str) -> ZeroConfig {
    ZeroConfig::parse(text.to_owned()).unwrap()
}

/// Starts or resumes the run in a folder.
fn open<G: Playable>(text: &str, out: &Path, threads: usize) -> Result<ZeroRun<G>, ZeroError> {
    ZeroRun::open(config(text), GameState::start(), out, true, threads)
}

/// Runs all generations.
fn run<G: Playable>(text: &str, out: &Path, threads: usize) -> ZeroRun<G> {
    let mut run = open(text, out, threads).unwrap();
    run.run(&Control::default(), &mut |_| ()).unwrap();
    run
}

/// All files of a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(path) = folders.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".labrys.lock") {
                // A run that is still in use.
            } else if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn assert_same(one: &Path, other: &Path) {
    let [one, other] = [one, other].map(files);
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    one.iter().zip(&other).for_each(|(one, other)| assert!(one == other, "{}", one.0.display()));
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn the_result_depends_neither_on_threads_nor_on_interruptions() {
    for text in
        [SMALL.to_owned(), SMALL.replace("games = 4 }", "games = 4, threshold = 0.9, revert = true }")]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // Killed in the second generation, once in each phase: a copy of the folder is resumed.
        let mut whole = open::<TucChess>(&text, &path("whole"), 1).unwrap();
        let (mut done, mut killed) = (0, Vec::new());
        let mut each = |event: Event| {
            let phase = match event {
                Event::SelfPlay { games: 2, .. } => "selfplay",
                Event::Training { loss, total, .. } if 2 * loss.steps == total - total % 2 => "training",
                Event::Match { opponent: "any", games: 1, .. } => "match",
                Event::Done(_) => {
                    done += 1;
                    "done"
                }
                _ => return,
            };
            if done == 1 {
                copy(&path("whole"), &path(phase));
                killed.push(phase);
            }
        };
        whole.run(&Control::default(), &mut each).unwrap();
        assert_eq!(killed, ["done", "selfplay", "training", "match"]);
        for phase in killed {
            run::<TucChess>(&text, &path(phase), 2);
            assert_same(&path("whole"), &path(phase));
        }

        // Stopped at every other event.
        let (mut pieces, mut done) = (0, 0);
        while done < 3 {
            let mut run = open::<TucChess>(&text, &path("pieces"), 2).unwrap();
            let (control, mut events) = (Control::default(), 0);
            let mut stop = |_: Event| {
                events += 1;
                if events == 5 * (1 + pieces) {
                    control.stop();
                }
            };
            run.run(&control, &mut stop).unwrap();
            (done, pieces) = (run.state().done(), pieces + 1);
        }
        assert!(pieces > 3, "{pieces}");
        assert_same(&path("whole"), &path("pieces"));

        let other = text.replace("generations", "seed = 2\ngenerations");
        run::<TucChess>(&other, &path("other"), 1);
        assert_ne!(
            files(&path("whole"))[Path::new("best.safetensors")],
            files(&path("other"))[Path::new("best.safetensors")]
        );
    }
}

fn check_samples<G: Playable>(text: &str, start: &GameState<G>) {
    let folder = tempfile::tempdir().unwrap();
    let text =
        text.replace("opening_plies = 2", "opening_plies = 0").replace("generations = 3", "generations = 1");
    let mut run = ZeroRun::<G>::open(config(&text), start.clone(), folder.path(), false, 1).unwrap();
    run.run(&Control::default(), &mut |_| ()).unwrap();
    let (position, shape) = (start.position(), start.position().encoding_shape());
    let path = folder.path().join("generation-0001/samples.safetensors");
    let (samples, result) = Samples::load::<G>(&path, shape, 1).unwrap();
    let generation = &run.state().generations[0];
    assert_eq!((result.games(), result), (4, generation.selfplay));
    assert_eq!(samples.len() as u64, generation.positions);
    assert!(samples.values().iter().all(|value| [-1.0, 0.0, 1.0].contains(value)));
    assert!(
        (0..samples.len())
            .any(|place| samples.policy(place).iter().filter(|&&share| share > 0.0).count() > 1)
    );

    let mut planes = vec![0.0; shape.input_len()];
    position.write_planes(1, &mut planes);
    let moves = position.moves();
    let indices: Vec<_> =
        moves.iter().flat_map(|&mv| position.policy_indices(mv)).map(|index| index as u32).collect();
    let identity = &position.symmetries()[0];
    let [example, by_search] = [0.0, 1.0].map(|share| samples.example(0, shape, identity, share));
    assert_eq!((example.planes, example.indices), (planes, indices));
    assert_eq!(example.policy, samples.policy(0));
    assert_eq!(example.value, samples.values()[0]);
    assert!(by_search.value != example.value && by_search.value.abs() < 1.0);
    assert!((example.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn samples_are_the_positions_of_the_games() {
    check_samples::<TucChess>(SMALL, &GameState::start());
    check_samples::<Neighbours>(&SMALL.replace("tucchess", "neighbours"), &GameState::start());
    let mut amazons = GameState::<Amazons>::start();
    amazons.set_option("AmazonsBoard", "5x5").unwrap();
    check_samples::<Amazons>(&SMALL.replace("tucchess", "amazons"), &amazons);
}

#[test]
fn a_run_whose_nets_see_some_planes_has_only_those() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        SMALL.replace("generations = 3", "generations = 1").replace("gate = {", "gate = { on = false,");
    let some = text.replace("channels = 4", "planes = [\"prizes\", \"board\"], channels = 4");
    let path = |name: &str| folder.path().join(name);
    run::<TucChess>(&some, &path("some"), 1);
    run::<TucChess>(&text, &path("all"), 1);
    let all = TucChess::start().encoding_shape();
    let net = Parameters::load::<TucChess>(&path("some/best.safetensors")).unwrap();
    let shape = net.config().shape;
    assert_eq!((shape.input_planes, shape.selection.to_string().as_str()), (7, "board, prizes"));
    let samples_path = path("some/generation-0001/samples.safetensors");
    let (samples, _) = Samples::load::<TucChess>(&samples_path, shape, 1).unwrap();
    assert_eq!(samples.example(0, shape, &Symmetry::identity(shape), 0.0).planes.len(), 7 * 35);
    let error = Samples::load::<TucChess>(&samples_path, all, 1).unwrap_err().to_string();
    assert!(error.contains("tensor `planes`: 7 of a position (board, prizes), expected 9 (all)"), "{error}");

    // Nets and samples of other planes are not learned from.
    for name in ["net", "trainer", "samples"] {
        let name = format!("generation-0001/{name}.safetensors");
        let good = fs::read(path("all").join(&name)).unwrap();
        fs::copy(path("some").join(&name), path("all").join(&name)).unwrap();
        let error = open::<TucChess>(&text.replace("= 1\n", "= 9\n"), &path("all"), 1).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("planes in the settings") || error.contains("of a position"), "{error}");
        fs::write(path("all").join(&name), good).unwrap();
    }
}

#[test]
fn a_net_is_accepted_when_it_wins_more_than_the_threshold_of_the_decided_games() {
    let gate = GateSettings::default();
    for (results, is_accepted) in [
        ([9, 20, 11], false),
        ([9, 0, 12], true),
        ([0, 39, 1], true),
        ([0, 40, 0], false),
        ([40, 0, 0], false),
    ] {
        let pairs = Pairs { games: results, ..Pairs::default() };
        assert_eq!(gate.accepts(&pairs), is_accepted, "{results:?}");
    }
    let mut counted = Pairs::default();
    counted.add(Wdl::Win, Wdl::Loss);
    assert!(!gate.accepts(&counted));
}

#[test]
fn the_window_moves_and_may_grow() {
    let window = |text: &str, number| {
        let settings: ReplaySettings = toml::from_str(text).unwrap();
        let window = settings.window(number);
        (*window.start(), *window.end())
    };
    for (number, first) in [(1, 1), (3, 1), (4, 2), (10, 8)] {
        assert_eq!(window("window = 3", number), (first, number));
    }
    let growing = "window = 4\nwindow_start = 1\nwindow_every = 2";
    for (number, first) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4), (8, 5), (9, 6)] {
        assert_eq!(window(growing, number), (first, number), "{number}");
    }
}

#[test]
fn only_the_nets_of_old_generations_stay() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace("generations = 3", "generations = 4");
    let run = run::<TucChess>(&text, folder.path(), 2);
    let found: Vec<_> = files(folder.path()).into_keys().map(|path| path.display().to_string()).collect();
    let expected = [
        "best.safetensors",
        "curve.csv",
        "elo.svg",
        "entropy.svg",
        "generation-0000/net.safetensors",
        "generation-0001/net.safetensors",
        "generation-0002/net.safetensors",
        "generation-0003/net.safetensors",
        "generation-0004/net.safetensors",
        "generation-0004/samples.safetensors",
        "generation-0004/trainer.safetensors",
        "loss.svg",
        "score.svg",
        "state.json",
        "variety.svg",
    ];
    assert_eq!(found, expected);
    let generations = &run.state().generations;
    let positions: Vec<_> = generations.iter().map(|generation| generation.positions).collect();
    let windows: Vec<_> = generations.iter().map(|generation| generation.window).collect();
    assert_eq!(windows[..2], [positions[0], positions[0] + positions[1]]);
    assert_eq!(windows[3], positions[2] + positions[3]);
    let best = format!("generation-{:04}/net.safetensors", run.state().best);
    assert_eq!(
        fs::read(folder.path().join(best)).unwrap(),
        fs::read(folder.path().join("best.safetensors")).unwrap()
    );
}

#[test]
fn a_run_whose_settings_have_changed_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let first = SMALL.replace("generations = 3", "generations = 1");
    run::<TucChess>(&first, folder.path(), 1);
    let before = files(folder.path());
    for (from, to, expected) in [
        ("generations", "seed = 2\ngenerations", "seed: 2, but the training in "),
        ("channels = 4", "channels = 5", "net.channels: 5, but"),
        ("channels = 4", "channels = 4, planes = [\"board\"]", "net.planes.1: \"board\", but"),
        ("games = 4,", "games = 5,", "selfplay.games: 5, but"),
        ("Simulations = 8", "Simulations = 9", "selfplay.options.Simulations: 9, but"),
        ("Simulations = 8", "Simulations = 8, Hash = 1", "selfplay.options.Hash: 1, but"),
        ("\"random\"", "\"random\", Hash = 1", "rivals.1.options.Hash: 1, but"),
        ("games = 4 }", "games = 4 }\nlearning = { rate = 0.5 }", "learning.rate: 0.5, but"),
        ("window = 2", "window = 2, symmetries = 1", "training.symmetries: 1, but"),
        ("every = 2", "every = 3", "comparison.every: 3, but"),
    ] {
        let text = first.replacen(from, to, 1);
        assert_ne!(text, first);
        let error = open::<TucChess>(&text, folder.path(), 1).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = open::<TucChess>(&first.replace("rivals", "#"), folder.path(), 1).err().unwrap().to_string();
    assert!(error.contains("rivals.1.name: null, but"), "{error}");
    assert!(files(folder.path()) == before, "a refusal changes nothing");
    open::<TucChess>(&first.replace("generations = 1", "threads = 7\ngenerations = 9"), folder.path(), 1)
        .unwrap();
}

#[test]
fn damaged_and_foreign_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        SMALL.replace("generations = 3", "generations = 1").replace("gate = {", "gate = { on = false,");
    run::<TucChess>(&text, folder.path(), 1);
    let path = |name: &str| folder.path().join("generation-0001").join(name);
    let error = || open::<TucChess>(&text, folder.path(), 1).err().unwrap().to_string();
    for name in ["net.safetensors", "trainer.safetensors", "samples.safetensors"] {
        let good = fs::read(path(name)).unwrap();
        let mut flipped = good.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for (bytes, expected) in [
            (&good[..good.len() - 1], "not a whole safetensors file"),
            (&good[..4], "not a whole safetensors file"),
            (&flipped, "damaged: checksum"),
        ] {
            fs::write(path(name), bytes).unwrap();
            let error = error();
            // Errors of nets cut long paths.
            let kind = if name.starts_with("samples") { "samples file " } else { "net file " };
            assert!(error.contains(expected) && error.starts_with(kind), "{error}");
        }
        fs::remove_file(path(name)).unwrap();
        assert!(error().contains("No such file"), "{}", error());
        fs::write(path(name), good).unwrap();
    }

    let other = tempfile::tempdir().unwrap();
    run::<Neighbours>(&text.replace("tucchess", "neighbours"), other.path(), 1);
    for name in ["net.safetensors", "trainer.safetensors", "samples.safetensors"] {
        let good = fs::read(path(name)).unwrap();
        fs::copy(other.path().join("generation-0001").join(name), path(name)).unwrap();
        let error = error();
        assert!(error.contains("for game `neighbours`, expected `tucchess`"), "{error}");
        fs::write(path(name), good).unwrap();
    }
    let larger = tempfile::tempdir().unwrap();
    run::<TucChess>(&text.replace("channels = 4", "channels = 5"), larger.path(), 1);
    for name in ["net.safetensors", "trainer.safetensors"] {
        let good = fs::read(path(name)).unwrap();
        fs::copy(larger.path().join("generation-0001").join(name), path(name)).unwrap();
        assert!(error().contains("not a net of the architecture and planes in the settings"), "{}", error());
        fs::write(path(name), good).unwrap();
    }
    // The first net is needed only when it plays.
    open::<TucChess>(&text, folder.path(), 1).unwrap();

    let state = folder.path().join("state.json");
    let good = fs::read_to_string(&state).unwrap();
    for (bad, expected) in [
        (good[..good.len() / 2].to_owned(), "state.json: EOF while parsing"),
        (good.replace("\"version\":1", "\"version\":2"), "state.json: version 2, expected 1"),
        (good.replace("\"best\":1", "\"best\":0"), "state.json: damaged: checksum"),
    ] {
        fs::write(&state, bad).unwrap();
        assert!(error().contains(expected), "{}", error());
    }
    fs::remove_file(&state).unwrap();
    for left in ["generation-0001", "best.safetensors"] {
        let path = folder.path().join(left);
        assert!(
            error().contains(&format!("{}: left of a run whose state is", path.display())),
            "{}",
            error()
        );
        fs::remove_dir_all(&path).ok();
    }
}

#[test]
fn samples_that_do_not_fit_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace("generations = 3", "generations = 1");
    run::<TucChess>(&text, folder.path(), 1);
    let path = folder.path().join("generation-0001/samples.safetensors");
    let shape = TucChess::start().encoding_shape();
    let error = |files: usize, generation| {
        let shape = labrys::game::EncodingShape { files, ..shape };
        Samples::load::<TucChess>(&path, shape, generation).err().map(|error| error.to_string())
    };
    assert_eq!(error(5, 1), None);
    assert!(error(5, 2).unwrap().contains("tensor `value`: of generation 1, expected 2"));
    assert!(error(6, 1).unwrap().contains("tensor `planes`: of boards of 5×7, not 6×7"));
    let net = folder.path().join("best.safetensors");
    let refused = Samples::load::<TucChess>(&net, shape, 1).unwrap_err().to_string();
    assert!(refused.contains("not samples of Labrys: no metadata `labrys-samples`"), "{refused}");
    let refused = Parameters::load::<TucChess>(&path).unwrap_err().to_string();
    assert!(refused.contains("not a net of Labrys"), "{refused}");
    // A large file is refused by its beginning: all of it would take longer than this test may.
    for begin in [&b""[..], b"\x02\0\0\0\0\0\0\0{}", &[0xff; 8]] {
        fs::write(&path, begin).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(7 << 30).unwrap();
        let refused = Parameters::load::<TucChess>(&path).unwrap_err().to_string();
        assert!(refused.contains("not a net of Labrys"), "{refused}");
    }
}

#[test]
fn a_loss_that_is_not_finite_ends_the_run_and_the_last_good_net_stays() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace(
        "generations = 3",
        "learning = { optimiser = \"sgd\", rate = 1e37, warmup = 0 }\ngenerations = 3",
    );
    let mut run = open::<TucChess>(&text, folder.path(), 1).unwrap();
    let error = run.run(&Control::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("generation 1, step ") && error.contains("the nets before are kept"), "{error}");
    assert_eq!(run.state().done(), 0);
    let best = Parameters::load::<TucChess>(&folder.path().join("best.safetensors")).unwrap();
    let first =
        NetTrainer::load::<TucChess>(&folder.path().join("generation-0000/trainer.safetensors")).unwrap();
    assert_eq!(best.tensors(), first.parameters().tensors());
}

#[test]
fn settings_that_are_refused_are_named_by_line_and_key() {
    for (from, to, expected) in [
        ("generations", "genrations", "line 3, column 1|unknown field `genrations`"),
        ("games = 4,", "game = 4,", "line 5|unknown field `game`"),
        ("channels = 4", "channels = \"x\"", "line 4|invalid type: string \"x\""),
        ("games = 4 }", "games = 5 }", "line 7|5 is not an even number"),
        ("games = 4 }", "threshold = 1.5 }", "line 7|1.5 is not from 0 to 1"),
        ("games = 4,", "games = 0,", "line 5|nonzero"),
        ("epochs = 2", "epochs = 0", "line 6|nonzero"),
        ("epochs = 2", "root_share = nan", "line 6|is not from 0 to 1"),
        ("gate =", "learning = { rate = -1.0 }\ngate =", "line 7|rate: -1 is not above 0"),
        ("gate =", "learning = { rat = 1.0 }\ngate =", "line 7|unknown field `rat`"),
        (
            "Simulations = 8",
            "Simulatons = 8",
            "line 5: selfplay.options.Simulatons: unknown option `Simulatons`",
        ),
        (
            "Simulations = 8",
            "Simulations = -1",
            "line 5: selfplay.options.Simulations: option Simulations: `-1`",
        ),
        ("Simulations = 8", "Simulations = 0", "line 5: selfplay.options.Simulations: nothing else limits"),
        ("Simulations = 8", "Simulations = [8]", "line 5|expected a number, text, `true` or `false`"),
        (
            "Simulations = 8",
            "threads = 2",
            "line 5: selfplay.options.threads: the run sets this option itself",
        ),
        ("gate =", "match.options.NetFile = \"x\"\ngate =", "line 7: match.options.NetFile: the run sets"),
        ("\"any\"", "\"first net\"", "line 9: rivals.name: this name is taken"),
        ("\"random\"", "\"pvs\"", "line 9: rivals.1: missing depth, nodes or"),
        ("\"random\"", "\"mcts\"", "line 9: rivals.1: missing depth, nodes or"),
        ("\"any\"", "\"any\", depth = 1, nodes = 5", "line 9: rivals.1: either depth or nodes"),
        (
            "SearchMode = ",
            "NetFile = ",
            "line 9: rivals.1.options.NetFile: option NetFile: net file `random`",
        ),
        ("blocks = 1", "blocks = 0", "net: blocks: 0 is not from 1 to 256"),
        (
            "blocks = 1",
            "blocks = 1, planes = [\"board\", \"bord\"]",
            "line 4: net.planes: unknown planes `bord`, expected `board`, `prizes`, `lead`, `move_number`",
        ),
        (
            "blocks = 1",
            "blocks = 1, planes = [\"lead\", \"lead\"]",
            "line 4: net.planes: the planes `lead` are named twice",
        ),
        (
            "blocks = 1",
            "blocks = 1, planes = []",
            "line 4: net.planes: no planes, expected some of `board`, ",
        ),
        (
            "blocks = 1",
            "architecture = \"paper\", blocks = 1",
            "net.blocks: a net of the architecture `paper`",
        ),
    ] {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let error = match ZeroConfig::parse(text) {
            Err(error) => error.to_string(),
            Ok(config) => ZeroRun::<TucChess>::open(config, GameState::start(), &out, false, 1)
                .err()
                .unwrap()
                .to_string(),
        };
        assert!(expected.split('|').all(|part| error.contains(part)), "{expected}: {error}");
        assert!(!out.exists(), "refused before the folder is made");
    }
}

#[test]
fn a_generation_that_cannot_be_written_is_named_and_those_before_stay() {
    let folder = tempfile::tempdir().unwrap();
    let second = folder.path().join("generation-0002");
    let mut run = open::<TucChess>(SMALL, folder.path(), 1).unwrap();
    fs::write(&second, "in the way").unwrap();
    let error = run.run(&Control::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("generation-0002: "), "{error}");
    assert_eq!(run.state().done(), 1);
    fs::remove_file(second).unwrap();
    let refusal = open::<TucChess>(SMALL, folder.path(), 1).err().unwrap().to_string();
    assert!(refusal.contains("another process is writing it"), "{refusal}");
    drop(run);
    self::run::<TucChess>(SMALL, folder.path(), 1);
    let whole = tempfile::tempdir().unwrap();
    self::run::<TucChess>(SMALL, whole.path(), 1);
    assert_same(folder.path(), whole.path());
}

#[test]
fn a_run_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let path = write("small.toml", SMALL);
    let text = succeed(labrys(&format!("zero train {path} --generations 1 --threads 2")));
    assert!(text.starts_with("generation 1: White +") && text.contains("policy loss"), "{text}");
    assert!(text.contains("moves/s") && text.lines().last().unwrap().starts_with("best net: generation "));
    assert_fails(labrys(&format!("zero train {path}")), "small/state.json already exists; use --resume");
    let (done, text, error) = labrys(&format!("zero train {path} --resume"));
    assert!(done && text.contains("generation 3: ") && !text.contains("generation 1: "), "{text} {error}");
    assert!(text.contains("against first net: +") && text.contains("against any: +"), "{text}");
    let curve = fs::read_to_string(folder.path().join("small/curve.csv")).unwrap();
    assert_eq!(curve.lines().count(), 4, "{curve}");
    assert!(
        curve.starts_with("generation,white,")
            && curve.contains(",score against any,score against first net\n")
    );
    let columns: Vec<_> = curve.lines().next().unwrap().split(',').collect();
    assert_eq!(columns.len(), columns.iter().collect::<BTreeSet<_>>().len(), "{columns:?}");
    let best = folder.path().join("small/best.safetensors");
    let provenance = |net: &Path| Parameters::load::<TucChess>(net).unwrap().provenance().to_owned();
    assert!(provenance(&best).contains("seed "), "{}", provenance(&best));

    assert_fails(labrys(&format!("zero train {path} --resume --seed 7")), "seed: 7, but the training in ");
    let seeded = folder.path().join("seeded");
    succeed(labrys(&format!("zero train {path} --out {} --seed 7 --generations 0", seeded.display())));
    let first = |run: &Path| {
        let net = Parameters::load::<TucChess>(&run.join("generation-0000/net.safetensors")).unwrap();
        net.values("policy.weight").to_vec()
    };
    assert_ne!(first(&seeded), first(&folder.path().join("small")));

    let out = folder.path().join("out");
    for (text, expected) in [
        (SMALL.replace("tucchess", "tuc"), "bad.toml: line 2: variant: unknown variant `tuc`"),
        (
            SMALL.replace("generations", "option = \"x\"\ngenerations"),
            "line 3: option: expected `NAME=VALUE`",
        ),
        (
            SMALL.replace("generations", "option = \"x=1\"\ngenerations"),
            "line 3: option: --option: unknown option `x`",
        ),
        ("variant = ".to_owned(), "bad.toml: line 1, column "),
        (String::new(), "missing field `variant`"),
    ] {
        let path = write("bad.toml", &text);
        assert_fails(labrys(&format!("zero train {path} --out {}", out.display())), expected);
        assert!(!out.exists());
    }
    assert_fails(labrys("zero train /no/file"), "settings /no/file: ");
    let new = format!("zero new --variant tucchess --net paper --blocks 7 --out {}", out.display());
    assert_fails(labrys(&new), "--blocks: a net of the architecture `paper` has no blocks");
    assert!(!out.exists());
    assert_fails(labrys(&format!("zero train {path} --out /proc/run")), "/proc/run");
}
