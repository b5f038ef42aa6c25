//! The command `labrys linear tune`, and its training samples.

use crate::common::shell::{labrys, succeed};

use std::path::Path;

use labrys::engine::GameState;
use labrys::eval::{Score, Weights};
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Color, Game, Knowledge, Wdl};
use labrys::learn::nnue::games::{GamesHeader, PlayedGame};
use labrys::learn::{RecordedGame, Samples};

/// Plays a few fast games of Neighbours.
fn play(file: &Path) {
    succeed(labrys(&format!(
        "match --variant neighbours --engine name=a --engine name=b --each nodes=100 option.Hash=1 \
         --games 20 --pgnout {}",
        file.display()
    )));
}

#[test]
fn weights_are_learned_from_the_games_of_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    play(&games);
    let tune = |name: &str, seed: u32| {
        let out = folder.path().join(name);
        let (success, text, error) = labrys(&format!(
            "linear tune --variant neighbours --set base --games {} --out {} --epochs 5 --seed {seed}",
            games.display(),
            out.display()
        ));
        assert!(success && text.starts_with("20 games, "), "{text} {error}");
        std::fs::read_to_string(out).unwrap()
    };
    let learned = tune("1.json", 1);
    assert_eq!(learned, tune("2.json", 1), "the same seed gives the same weights");
    assert_ne!(learned, tune("3.json", 2));
    let base = Neighbours::SETS.iter().position(|set| set.name == "base").unwrap();
    let weights = Weights::parse::<Neighbours>(&learned).unwrap();
    assert_ne!(weights.values(), Weights::shipped::<Neighbours>(base).unwrap().values());
    assert!(learned.contains("\"source\": \"logistic regression over "), "{learned}");
}

#[test]
fn weights_are_learned_from_games_of_self_play() {
    let folder = tempfile::tempdir().unwrap();
    let (games, out) = (folder.path().join("a.games"), folder.path().join("out.json"));
    let (games, out) = (games.display(), out.display());
    succeed(labrys(&format!(
        "nnue selfplay --variant neighbours --linear --games 10 --nodes 100 --out {games}"
    )));
    let words = format!("linear tune --games {games} --out {out} --epochs 2 --blend 0.5");
    let (success, text, error) = labrys(&format!("{words} --variant neighbours"));
    assert!(success && text.starts_with("10 games, "), "{text} {error}");
    let (success, text, error) = labrys(&format!("{words} --variant tucchess"));
    assert!(!success && text.is_empty() && error.contains("a.games: games of `neighbours`"), "{error}");
}

#[test]
fn weights_without_a_checksum_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let shipped = Weights::shipped::<Neighbours>(0).unwrap().to_json();
    let (whole, by_hand) = (path("whole.json"), path("by-hand.json"));
    std::fs::write(&whole, &shipped).unwrap();
    let lines: Vec<_> = shipped.lines().filter(|line| !line.contains("\"crc32\"")).collect();
    std::fs::write(&by_hand, lines.join("\n").replace("},\n}", "}\n}")).unwrap();
    let games = path("a.games");
    let selfplay = "nnue selfplay --variant neighbours --games 2 --nodes 50";
    succeed(labrys(&format!("{selfplay} --linear --out {games}")));
    let (again, out) = (path("b.games"), path("out.json"));
    for (file, times) in [(&whole, 0), (&by_hand, 1)] {
        let tune = format!("linear tune --variant neighbours --games {games} --out {out} --epochs 1");
        let train = "linear train --variant neighbours --games 2 --nodes 20 --threads 2";
        for words in [
            format!("{tune} --weights {file}"),
            format!("{selfplay} --weights {file} --out {again}"),
            format!("{train} --weights {file} --opponent {file} --out {file}-training"),
        ] {
            let (success, _, error) = labrys(&words);
            let warning = format!("`{file}`: the weights file has no checksum");
            let opponent = usize::from(words.contains("--opponent")) * times;
            assert_eq!(
                (success, error.matches(&warning).count()),
                (true, times + opponent),
                "{words}: {error}"
            );
        }
        std::fs::remove_file(&again).unwrap();
    }
}

#[test]
fn invalid_arguments_and_games_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (games, out) = (folder.path().join("games.pgn"), folder.path().join("out.json"));
    play(&games);
    let (games, out) = (games.display(), out.display());
    for (words, message) in [
        (
            format!("--variant tucchess --games {games} --out {out} --strict"),
            "game 1 in line 1: a game of neighbours, expected tucchess",
        ),
        (format!("--variant neighbours --games /no/such/file --out {out}"), "/no/such/file"),
        (format!("--variant neighbours --games {games} --out /no/such/folder/x"), "/no/such/folder/x"),
        (format!("--variant neighbours --set set9 --games {games} --out {out}"), "`set9` is not one of"),
        (format!("--variant ludo --games {games} --out {out}"), "unknown variant `ludo`"),
        (
            format!("--variant neighbours --games {games} --out {out} --rate=-1"),
            "--rate `-1`: expected a number, 0 or more",
        ),
        (format!("--variant neighbours --games {games} --out {out} --weights {games}"), "weights file"),
        (format!("--variant neighbours --out {out}"), "--games"),
    ] {
        let (success, text, error) = labrys(&format!("linear tune {words}"));
        assert!(!success && text.is_empty() && error.contains(message), "{words}: {error}");
        assert!(!folder.path().join("out.json").exists(), "{words}");
    }
}

#[test]
fn samples_are_the_quiet_positions_after_the_opening() {
    let mut board = GameState::<Chess>::start();
    let moves = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut samples = Samples::default();
    samples.push([(0, 1.0), (3, 0.0)], 0.5);
    // Captures and replies to a check are left out.
    let game = moves("e4d5 d8d5 b1c3 d5e5 f1e2 g8f6");
    let scores = [None, Some(1.5), Some(-0.5), Some(f64::INFINITY), None];
    let (opening, winner) = (&moves("e2e4 d7d5"), Some(Color::Black));
    let record = RecordedGame { fen: None, opening, moves: &game, scores: &scores, winner };
    samples.add_game(0, &mut board, &record).unwrap();
    assert_eq!((samples.games(), samples.len()), (2, 4));
    assert_eq!((samples.of_game(0), samples.of_game(1)), (0..1, 1..4));
    // Before b1c3, d5e5 and g8f6: f1e2 answers a check.
    let results: Vec<_> = (1..4).map(|number| samples.get(number).1).collect();
    assert_eq!(results, [0.0, 1.0, 1.0]);
    let search_scores: Vec<_> = (0..4).map(|number| samples.search_score(number)).collect();
    assert_eq!(search_scores, [None, Some(-0.5), Some(f64::INFINITY), None]);
    let (features, _) = samples.get(0);
    assert_eq!(features.collect::<Vec<_>>(), [(0, 1.0)]);
    let record = RecordedGame { moves: &moves("e2e4 e2e4"), ..RecordedGame::default() };
    let error = samples.add_game(0, &mut board, &record).unwrap_err();
    assert!(error.to_string().starts_with("move 2: `e2e4` is not legal"), "{error}");
}

#[test]
fn samples_of_self_play_equal_those_of_the_same_pgn_game() {
    let start = Chess::start();
    let mut position = start.clone();
    let mut played = |text: &str| {
        let mv = position.parse_move(text).unwrap();
        position.play(mv);
        mv
    };
    let opening = ["e2e4", "d7d5"];
    let moves = [("e4d5", 0), ("d8d5", -250), ("b1c3", 1500), ("d5e5", -20), ("f1e2", 0), ("g8f6", 40)];
    let game = PlayedGame {
        start: None,
        opening: opening.map(&mut played).to_vec(),
        moves: moves.map(|(mv, score)| (played(mv), Score::from_thousandths(score))).to_vec(),
        result: Wdl::Loss,
    };
    let mated = PlayedGame { moves: vec![(game.opening[0], Score::mated_in(4))], opening: vec![], ..game };
    let header = GamesHeader::new(&start, "classical".into(), 100, (0, 2), 1);
    let mut samples = Samples::default();
    samples.add_played::<Chess>(0, &header, &[game, mated.clone()]).unwrap();

    let text = |moves: &[&str]| moves.iter().map(|&mv| mv.to_owned()).collect::<Vec<_>>();
    let mut expected = Samples::default();
    for (opening, moves, scores) in [
        (
            text(&opening),
            text(&moves.map(|(mv, _)| mv)),
            moves.map(|(_, score)| Some(f64::from(score) / 1000.0)),
        ),
        (vec![], text(&["e2e4"]), [Some(f64::NEG_INFINITY); 6]),
    ] {
        let winner = Some(Color::Black);
        let record = RecordedGame { fen: None, opening: &opening, moves: &moves, scores: &scores, winner };
        expected.add_game(0, &mut GameState::<Chess>::start(), &record).unwrap();
    }
    let all = |samples: &Samples| {
        let position = |number| {
            let (features, result) = samples.get(number);
            (features.collect::<Vec<_>>(), result, samples.search_score(number))
        };
        let games: Vec<_> = (0..samples.games()).map(|game| samples.of_game(game)).collect();
        (games, (0..samples.len()).map(position).collect::<Vec<_>>())
    };
    assert_eq!(samples.len(), 4);
    assert_eq!(all(&samples), all(&expected));

    let illegal = PlayedGame { opening: vec![mated.moves[0].0; 2], ..mated };
    let error = samples.add_played::<Chess>(0, &header, &[illegal]).unwrap_err();
    assert!(error.to_string().contains("e2e4"), "{error}");
}

#[test]
fn a_filter_is_learned_from_checked_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, empty) = (path("decisions.jsonl"), path("empty.jsonl"));
    let words = format!(
        "inspect --variant chess --option FeatureSet=msd --option MsdKeepRate=35 --selfplay 4 --depth 3 \
         --samples 3 --view filter --out {data}"
    );
    assert!(labrys(&words).0);
    let (success, text, error) = labrys(&format!("linear filter --data {data} --steps 300"));
    assert!(success, "{error}");
    let options = text.lines().last().unwrap();
    assert!(options.starts_with("option.MsdSum=true option.MsdCaptureWeight="), "{text}");
    let words = format!("match --games 2 --engine name=learned depth=2 {options} --engine name=b depth=1");
    let (success, _, error) = labrys(&words);
    assert!(success, "{words}: {error}");
    std::fs::write(&empty, "").unwrap();
    let of_amazons = path("amazons.jsonl");
    let line = r#"{"view": "filter", "moves": [{"terms": [], "value": 1}, {"terms": [], "value": 2}]}"#;
    std::fs::write(&of_amazons, line).unwrap();
    std::fs::write(path("bad.jsonl"), format!("{line}\n{{\"view\": 3}}\n")).unwrap();
    for (file, message) in [
        (empty, "empty.jsonl: too few decisions about a filter with the values of all moves, 0 of"),
        (of_amazons, "line 1: no `gained` and `piece`: the filter of this game rates by static evaluation"),
        (path("bad.jsonl"), "bad.jsonl"),
        (path("none.jsonl"), "none.jsonl"),
        (format!("{data} --data {data}"), "the file is there twice"),
        ("/dev/zero".to_owned(), "/dev/zero: a device"),
    ] {
        let (success, text, error) = labrys(&format!("linear filter --data {file}"));
        assert!(!success && text.is_empty() && error.contains(message), "{error}");
    }
}
