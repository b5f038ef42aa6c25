//! Learning evaluation nets: self-play games and their files, gradients, training, and the commands.

use crate::common::shell::{assert_fails, labrys, labrys_within, signal_at, succeed};

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys::engine::Playable;
use labrys::engine::{GameState, SearchReport, Settings};
use labrys::eval::nnue::{EvalNet, EvalNetSizes, NetEvaluator};
use labrys::eval::{Evaluator, Score};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Game, Knowledge, Wdl};
use labrys::learn::nnue::data::{InputSizes, MemoryLimits, TrainingData};
use labrys::learn::nnue::datagen::{SelfPlaySettings, play_games};
use labrys::learn::nnue::dataset::{Counts, Dataset, Example, Target};
use labrys::learn::nnue::games::{GamesHeader, GamesWriter, PlayedGame, PlayedPosition, read_games};
use labrys::learn::nnue::model::{NetValues, Pass};
use labrys::learn::nnue::optimiser::{AdamW, Step};
use labrys::learn::nnue::trainer::{Trainer, TrainingError, TrainingSettings};
use labrys::search::{Control, Limits};
use tempfile::{TempDir, tempdir};

/// Plays games with few nodes until a file has `games` of them.
fn play<G: Playable>(path: &Path, games: u64, threads: usize) -> GamesHeader {
    let engine = G::engine(&Settings::default());
    let start = engine.game();
    let settings =
        SelfPlaySettings { nodes: 60, random_plies: 2..=5, seed: 3, ..SelfPlaySettings::default() };
    let header = GamesHeader::new(start.position(), engine.evaluation_name(start.position()), 60, (2, 5), 3);
    let mut writer = GamesWriter::open::<G>(path, &header).unwrap();
    let small_engine = |_| {
        let mut engine = G::engine(&Settings::default());
        engine.set_option("Hash", "1").unwrap();
        engine
    };
    let engines = (0..threads).map(small_engine).collect();
    let control = Control::default();
    play_games(&GameState::start(), engines, &settings, 0..games, &mut writer, &control, &mut |_| {})
        .unwrap();
    assert_eq!(writer.games(), games);
    header
}

fn file(name: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// Plays games and makes a data set of them.
fn games_and_dataset<G: Playable>(games: u64) -> (Vec<PlayedGame<G::Move>>, Dataset<G>) {
    let (_folder, path) = file("games");
    play::<G>(&path, games, 2);
    let (header, games) = read_games::<G>(&path).unwrap();
    let mut dataset = Dataset::new(G::start(), 1);
    dataset.add(&header, &games, 1, &mut Counts::default()).unwrap();
    (games, dataset)
}

fn dataset<G: Playable>(games: u64) -> Dataset<G> {
    games_and_dataset(games).1
}

/// Games are legal, quiet positions are found in them, and a position takes few bytes.
fn check_games<G: Playable>(games: u64) {
    let (_folder, path) = file("games");
    let header = play::<G>(&path, games, 1);
    let (found, games) = read_games::<G>(&path).unwrap();
    assert_eq!(found, header);
    let (mut dataset, mut counts) = (Dataset::<G>::new(G::start(), 1), Counts::default());
    dataset.add(&header, &games, 1, &mut counts).unwrap();
    assert_eq!(counts.quiet(), dataset.len() as u64);
    assert_eq!(counts.positions, games.iter().map(|game| game.moves.len() as u64).sum::<u64>());
    assert!(games.iter().all(|game| (2..=5).contains(&game.opening.len())));
    assert!(!dataset.is_empty() && counts.positions > counts.quiet());
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes / counts.positions <= 40, "{bytes} bytes of {} positions", counts.positions);
}

#[test]
fn games_of_all_kinds_are_played() {
    check_games::<Chess>(3);
    check_games::<Neighbours>(3);
    check_games::<TucChess>(6);
    let (_folder, path) = file("games");
    // Amazons has no tactical moves.
    play::<Amazons>(&path, 1, 1);
    assert_eq!(read_games::<Amazons>(&path).unwrap().1.len(), 1);
}

#[test]
fn a_file_depends_on_neither_threads_nor_interruptions() {
    let (_folder, path) = file("games");
    let header = play::<TucChess>(&path, 140, 2);
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(read_games::<TucChess>(&path).unwrap().1.len(), 140);
    std::fs::remove_file(&path).unwrap();
    play::<TucChess>(&path, 5, 1);
    // A truncated block is rejected by readers and dropped by the writer.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, [&bytes[..], &bytes[bytes.len() - 20..]].concat()).unwrap();
    let refusal = read_games::<TucChess>(&path).unwrap_err().to_string();
    assert!(refusal.contains(&format!("block 2, at byte {}, is damaged", bytes.len())), "{refusal}");
    // The games of an interruption are the beginning of a block that is filled.
    for games in [40, 70, 140] {
        play::<TucChess>(&path, games, 1);
    }
    assert!(std::fs::read(&path).unwrap() == whole);
    // Killed while a block is filled, before its header is written: the games before are kept.
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let end = first + 16 + u32::from_le_bytes(whole[first + 8..first + 12].try_into().unwrap()) as usize;
    std::fs::write(&path, [&bytes[..], &whole[bytes.len()..end]].concat()).unwrap();
    assert_eq!(GamesWriter::open::<TucChess>(&path, &header).unwrap().games(), 5);
    play::<TucChess>(&path, 140, 2);
    assert!(std::fs::read(&path).unwrap() == whole);
}

/// A search ends with the iteration in which it reaches the soft limit.
#[test]
fn a_soft_limit_of_nodes_ends_an_iteration() {
    let mut engine = labrys::engine::registry::engine("chess", &Settings::default()).unwrap();
    let mut search = |soft_nodes| {
        engine.new_game();
        let mut reports = Vec::new();
        let listener = &mut |report: &SearchReport| reports.push((report.depth, report.nodes));
        let limits = Limits { soft_nodes, ..Limits::nodes(50_000) };
        let best = engine.search(&[], &limits, &Control::default(), listener).unwrap();
        (reports, best.nodes)
    };
    let (free, most) = search(None);
    assert_eq!(most, 50_000);
    let (soft, nodes) = search(Some(2_000));
    assert_eq!(soft, free[..soft.len()], "the same search");
    assert!(soft[soft.len() - 2].1 < 2_000 && (2_000..50_000).contains(&nodes), "{soft:?} {nodes}");
    assert_eq!(search(Some(1)).0.last().map(|(depth, _)| *depth), Some(1));
}

/// Readers would refuse the second of two equal blocks, and with it the file.
#[test]
fn the_same_games_again_are_refused() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let selfplay = "nnue selfplay --variant chess --games 256 --nodes 20 --random-plies 0 --linear --out";
    for _ in 0..2 {
        assert_fails(labrys(&format!("{selfplay} {}", path("games"))), "the same games again as in a block");
        assert_eq!(read_games::<Chess>(Path::new(&path("games"))).unwrap().1.len(), 64);
    }
    // Each shard may have them once, but not their merged file.
    let files = [1, 2, 3, 4].map(|index| {
        let file = path(&index.to_string());
        succeed(labrys(&format!("{selfplay} {file} --shard {index}/4")));
        file
    });
    let merge = format!("games merge --out {} {}", path("merged"), files.join(" "));
    assert_fails(labrys(&merge), "the same games again as in a block");
    assert!(!Path::new(&path("merged")).exists());
}

/// Plays games of chess with these settings until a file has `games` of them.
fn play_chess(
    path: &Path,
    games: u64,
    settings: &SelfPlaySettings,
) -> Vec<PlayedGame<<Chess as Game>::Move>> {
    let engine = Chess::engine(&Settings::default());
    let plies = (*settings.random_plies.start(), *settings.random_plies.end());
    let name = engine.evaluation_name(engine.game().position());
    let mut header = GamesHeader::new(&Chess::start(), name, settings.nodes, plies, settings.seed);
    settings.describe_in(&mut header);
    let mut writer = GamesWriter::open::<Chess>(path, &header).unwrap();
    let (start, control) = (GameState::start(), Control::default());
    play_games(&start, vec![engine], settings, 0..games, &mut writer, &control, &mut |_| {}).unwrap();
    read_games::<Chess>(path).unwrap().1
}

#[test]
fn openings_that_decide_a_game_are_drawn_again() {
    let (folder, path) = file("games");
    let settings =
        SelfPlaySettings { nodes: 60, random_plies: 12..=12, seed: 5, ..SelfPlaySettings::default() };
    let first = |games: &[PlayedGame<_>]| -> Vec<i32> {
        games
            .iter()
            .map(|game: &PlayedGame<<Chess as Game>::Move>| game.moves[0].1.to_thousandths().abs())
            .collect()
    };
    let free = first(&play_chess(&path, 12, &settings));
    assert!(free.iter().any(|&score| score > 1_000), "{free:?}");
    let filtered = SelfPlaySettings { max_start_score: Some(1), ..settings };
    let other = folder.path().join("filtered");
    let scores = first(&play_chess(&other, 12, &filtered));
    assert!(scores.iter().all(|&score| score <= 1_000), "{scores:?}");
    // The openings of a file that is continued are drawn as before.
    let whole = std::fs::read(&other).unwrap();
    std::fs::remove_file(&other).unwrap();
    play_chess(&other, 5, &filtered);
    let games = play_chess(&other, 12, &filtered);
    assert_eq!(first(&games), scores);
    std::fs::remove_file(&other).unwrap();
    play_chess(&other, 12, &filtered);
    assert_eq!(std::fs::read(&other).unwrap(), whole);
}

#[test]
fn games_start_from_drawn_positions() {
    let (_folder, path) = file("games");
    let settings = SelfPlaySettings { nodes: 30, drawn_starts: [40, 30], ..SelfPlaySettings::default() };
    let games = play_chess(&path, 24, &settings);
    let count = |is: fn(Option<[u32; 2]>) -> bool| games.iter().filter(|game| is(game.start)).count();
    let [none, same] = [count(|start| start.is_none()), count(|start| start.is_some_and(|[a, b]| a == b))];
    assert!(none > 2 && same > 4 && none + same < 22, "{none} {same}");
    let mut dataset = Dataset::<Chess>::new(Chess::start(), 1);
    let header = read_games::<Chess>(&path).unwrap().0;
    dataset.add(&header, &games, 1, &mut Counts::default()).unwrap();
    let (success, text, error) = labrys(&format!("nnue stats {}", path.display()));
    let line = format!("{same} from drawn starts, {} from different ones", 24 - none - same);
    assert!(success && text.contains(&line) && text.contains("by the material: opening "), "{text} {error}");
    let (success, text, error) = labrys(&format!("games replay {}", path.display()));
    let drawn = text.matches("[Variant \"Chess960\"]").count();
    assert!(success && drawn == 24 - none && text.contains("24 games, "), "{text} {error}");
    // A start that no game has.
    let mut bytes = std::fs::read(&path).unwrap();
    let block = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    bytes[block + 16] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    assert!(read_games::<Chess>(&path).unwrap_err().to_string().contains("block 1"));
}

/// Moves, results and starts stay, scores are those of the new searches; whatever the threads, and in shards as
/// in one file.
#[test]
fn games_are_scored_anew() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let selfplay = "nnue selfplay --games 140 --nodes 20 --chess960 50 --out";
    succeed(labrys(&format!("{selfplay} {}", path("games"))));
    let rescore = |from: &str, to: &str, words: &str| {
        labrys(&format!("nnue rescore --data {} --out {} --nodes 60 {words}", path(from), path(to)))
    };
    succeed(rescore("games", "new", "--threads 2"));
    let read = |name: &str| read_games::<Chess>(Path::new(&path(name))).unwrap();
    let ((header, games), (new_header, new)) = (read("games"), read("new"));
    assert_eq!((new_header.nodes, new_header.seed, new.len()), (60, header.seed, 140));
    assert_eq!(new_header.played_with, Some(header.player()));
    // Games of the evaluation and the limit of the new scores would follow those of others.
    let more = format!("nnue selfplay --games 150 --nodes 60 --chess960 50 --out {}", path("new"));
    assert_fails(labrys(&more), "rescored games of ");
    let (_, stats, _) = labrys(&format!("nnue stats {}", path("new")));
    assert!(stats.contains(", 20 nodes, seed 1\n  scored by ") && stats.contains(", 60 nodes\n"), "{stats}");
    let same = |one: &PlayedGame<_>, other: &PlayedGame<_>| {
        let moves = |game: &PlayedGame<<Chess as Game>::Move>| -> Vec<_> {
            game.moves.iter().map(|(mv, _)| *mv).collect()
        };
        (one.start, &one.opening, one.result) == (other.start, &other.opening, other.result)
            && moves(one) == moves(other)
    };
    assert!(games.iter().zip(&new).all(|(one, other)| same(one, other)) && games != new);
    // A file that was cut off, as by a kill, is continued to the same bytes.
    let whole = std::fs::read(path("new")).unwrap();
    std::fs::write(path("cut"), &whole[..whole.len() - 9]).unwrap();
    succeed(rescore("games", "cut", "--threads 1"));
    assert_eq!(std::fs::read(path("cut")).unwrap(), whole);
    // Games that are lost with a damaged block are scored again, behind the others.
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let mut damaged = whole.clone();
    damaged[first + 40] ^= 1;
    std::fs::write(path("mended"), &damaged).unwrap();
    succeed(rescore("games", "mended", ""));
    let (mended, kept) = (read("mended").1, 140 - 64);
    assert!(mended[..kept] == new[64..] && mended[kept..] == new[..64]);
    let aside = std::fs::read(path("mended.damaged")).unwrap();
    assert!(damaged[first..].starts_with(&aside) && aside.len() > 64 * 6);
    succeed(rescore("games", "mended", ""));
    assert!(read("mended").1 == mended, "it is complete");
    // Games of another file with the same settings.
    let few = format!("nnue selfplay --games 70 --nodes 20 --chess960 50 --out {}", path("few"));
    succeed(labrys(&few));
    assert_fails(rescore("few", "new", ""), "games others, not those of ");
    assert_eq!(std::fs::read(path("new")).unwrap(), whole);
    assert_fails(rescore("games", "new", "--soft-nodes 10"), "soft nodes none, not 10");
    // Shards.
    for shard in ["1/2", "2/2"] {
        let name = shard.replace('/', "-");
        succeed(labrys(&format!("{selfplay} {} --shard {shard}", path(&name))));
        succeed(rescore(&name, &format!("new-{name}"), ""));
    }
    let shards = [path("new-1-2"), path("new-2-2")].join(" ");
    succeed(labrys(&format!("games merge --out {} {shards}", path("merged"))));
    assert_eq!(read("merged").1.len(), 140);
    // The part of scores that were made anew is that of the games.
    let mixed = labrys(&format!("games merge --out {} {} {}", path("mixed"), path("1-2"), path("new-2-2")));
    assert_fails(mixed, &format!("{}: nodes 60, but {} has 20", path("new-2-2"), path("1-2")));
    assert!(!Path::new(&path("mixed")).exists());
    assert_fails(rescore("1-2", "new-2-2", ""), "shard 2/2");
    let mut damaged = std::fs::read(path("games")).unwrap();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(path("damaged"), damaged).unwrap();
    assert_fails(rescore("damaged", "none", ""), "damaged: block 3, at byte ");
    assert_fails(rescore("missing", "none", ""), "missing");
    assert!(!Path::new(&path("none")).exists());
}

#[test]
fn settings_of_self_play_that_do_not_fit_are_refused() {
    let (_folder, out) = file("games");
    for (words, message) in [
        ("--soft-nodes 2000", "--soft-nodes 2000: more than --nodes 1000"),
        (
            "--chess960 60 --double-chess960 50",
            "--chess960 60 and --double-chess960 50: more than 100 percent",
        ),
        ("--chess960 101", "--chess960 `101`"),
        ("--variant neighbours --chess960 1", "neighbours has no such start positions"),
        ("--max-start-score 0", "--max-start-score `0`"),
    ] {
        let words = format!("nnue selfplay --games 1 --out {} {words}", out.display());
        assert_fails(labrys(&words), message);
        assert!(!out.exists(), "{words}");
    }
}

/// What can be read of a damaged file is kept, what cannot is set aside, and the games that are lost are
/// played again, once.
#[test]
fn a_damaged_block_is_set_aside() {
    let (folder, path) = file("games");
    play::<Neighbours>(&path, 140, 2);
    let good = std::fs::read(&path).unwrap();
    let games = || {
        let all = read_games::<Neighbours>(&path).unwrap().1;
        let mut games: Vec<_> = all.iter().map(|game| format!("{game:?}")).collect();
        games.sort();
        games
    };
    let all = games();
    let first = good.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let end = |at: usize| at + 16 + u32::from_le_bytes(good[at + 8..at + 12].try_into().unwrap()) as usize;
    let (second, third) = (end(first), end(end(first)));
    // The length of the first block, a game of the second one, the number of games of the last one.
    let cases = [(first + 9, first..second), (second + 40, second..third), (third, third..good.len())];
    for ((place, block), aside) in cases.into_iter().zip(["", "-2", "-3"]) {
        let mut damaged = good.clone();
        damaged[place] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        let refusal = read_games::<Neighbours>(&path).unwrap_err().to_string();
        assert!(refusal.contains("is damaged"), "{refusal}");
        play::<Neighbours>(&path, 140, 2);
        assert!(games() == all, "byte {place}");
        let aside = std::fs::read(folder.path().join(format!("games.damaged{aside}"))).unwrap();
        assert_eq!(aside, damaged[block], "byte {place}");
    }
}

/// On a full disk a damaged file stays as it is, and nothing beside it looks like what was moved.
#[cfg(unix)]
#[test]
fn what_cannot_be_set_aside_stays() {
    let (folder, path) = file("games");
    let words = format!("nnue selfplay --games 64 --nodes 10 --out {}", path.display());
    succeed(labrys(&words));
    let mut damaged = std::fs::read(&path).unwrap();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert_fails(labrys_within(1, &words), "games: File too large");
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Every bit of the header counts.
#[test]
fn a_changed_header_is_refused() {
    let (_folder, path) = file("games");
    let header = play::<TucChess>(&path, 1, 1);
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    for bit in 0..8 * (end + 1) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &damaged).unwrap();
        let refusal = read_games::<TucChess>(&path).unwrap_err().to_string();
        assert!(refusal.starts_with("games file "), "{refusal}");
        assert!(GamesWriter::open::<TucChess>(&path, &header).is_err(), "bit {bit}");
        assert_eq!(std::fs::read(&path).unwrap(), damaged);
    }
    // Only the first version had headers without a checksum.
    let text = std::str::from_utf8(&bytes[..end]).unwrap();
    let without = format!("{}}}\n", &text[..text.find(",\"crc32\"").unwrap()]);
    std::fs::write(&path, [without.as_bytes(), &bytes[end + 1..]].concat()).unwrap();
    assert!(read_games::<TucChess>(&path).unwrap_err().to_string().contains("checksum"));
    std::fs::write(&path, without.replace("\"version\":2", "\"version\":1")).unwrap();
    assert_eq!(read_games::<TucChess>(&path).unwrap().1.len(), 0);
}

#[test]
fn damaged_and_foreign_files_are_refused_by_name() {
    let (_folder, path) = file("games");
    let header = play::<TucChess>(&path, 2, 1);
    let bytes = std::fs::read(&path).unwrap();
    let refusal = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        read_games::<TucChess>(&path).unwrap_err().to_string()
    };
    for index in (bytes.len() - 60..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[index] ^= 4;
        assert!(refusal(&damaged).contains("block 1"), "{index}");
    }
    assert!(refusal(&bytes[..bytes.len() - 1]).contains("block 1"));
    assert!(refusal(b"nothing").contains("no header of self-play games"));
    let text = String::from_utf8_lossy(&bytes[..50]).replace("\"version\":2", "\"version\":9");
    let versioned = [text.as_bytes(), &bytes[50..]].concat();
    assert!(refusal(&versioned).contains("version 9, expected `labrys-games` version 2"));
    std::fs::write(&path, &bytes).unwrap();
    let refusal = read_games::<Chess>(&path).unwrap_err().to_string();
    assert!(refusal.ends_with("games of `tucchess`, expected `chess`"), "{refusal}");

    let mut other = header.clone();
    other.nodes = 61;
    let refusal = GamesWriter::open::<TucChess>(&path, &other).unwrap_err().to_string();
    assert!(refusal.ends_with("nodes 60, not 61: write to another file"), "{refusal}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);

    let (_, games) = read_games::<TucChess>(&path).unwrap();
    let mut game: PlayedGame<_> = games[0].clone();
    let last = game.moves.len() - 1;
    game.moves[last] = game.moves[0];
    let mut dataset = Dataset::<TucChess>::new(TucChess::from_fen(&header.start).unwrap(), 1);
    let refusal = dataset.add(&header, &[game], 1, &mut Counts::default()).unwrap_err().to_string();
    assert!(refusal.contains("game 1, ply ") && refusal.ends_with("is not legal"), "{refusal}");
}

/// The λ-return term by term, for quiet positions of games one by one.
#[test]
fn targets_are_sums_over_the_rest_of_the_game() {
    let (games, dataset) = games_and_dataset::<TucChess>(8);
    for (blend, lambda) in [(1.0, 0.0), (1.0, 0.6), (0.7, 0.9), (1.0, 1.0), (0.0, 0.5)] {
        let unit = 2.5;
        let targets = dataset.targets(&Target { blend, lambda, unit });
        let mut expected = Vec::new();
        for game in &games {
            let add = |played: PlayedPosition<TucChess>, is_quiet: bool| {
                if !is_quiet {
                    return;
                }
                let result = played.result.value();
                let mut weight = 1.0;
                let mut sum = 0.0;
                for (plies, (_, score)) in game.moves[played.ply..].iter().enumerate() {
                    let score = f64::from(score.to_thousandths()) / 1000.0;
                    let score = if plies % 2 == 0 { score } else { -score };
                    sum += weight * (1.0 - lambda) / (1.0 + (-score / unit).exp());
                    weight *= lambda;
                }
                expected.push(blend * (sum + weight * result) + (1.0 - blend) * result);
            };
            Counts::default().add(&TucChess::start(), game, add).unwrap();
        }
        assert_eq!(targets.len(), expected.len());
        for (target, expected) in targets.iter().zip(expected) {
            assert!((f64::from(*target) - expected).abs() < 1e-6, "{blend} {lambda}: {target} {expected}");
        }
    }
}

fn sizes<G: Knowledge>(neurons: usize, outputs: usize) -> EvalNetSizes {
    EvalNetSizes { inputs: G::start().input_shape(), buckets: 1, hidden: neurons, outputs }
}

#[test]
fn gradients_agree_with_finite_differences() {
    let dataset = dataset::<TucChess>(4);
    for neurons in [16, 64] {
        let sizes = sizes::<TucChess>(neurons, 2);
        let net = NetValues::random(sizes, 20, 5);
        let (mut pass, mut example, mut gradient) =
            (Pass::new(sizes), Example::default(), NetValues::zeros(sizes));
        let targets = dataset.targets(&Target { blend: 0.5, lambda: 0.0, unit: 1.0 });
        dataset.get(3, false, &targets, &mut example);
        example.output = 1;
        pass.learn(&net, &example, &mut gradient);
        pass.finish(&mut gradient);
        let mut checked = 0;
        for part in 0..4 {
            let found = gradient.parts()[part].to_vec();
            for (index, &found) in found.iter().enumerate() {
                let mut loss = |shift: f32| {
                    let mut net = net.clone();
                    net.parts_mut()[part][index] += shift;
                    let output = f64::from(pass.output(&net, &example));
                    (1.0 / (1.0 + (-output).exp()) - f64::from(example.target)).powi(2)
                };
                // There are too many inactive inputs to try them all.
                if found == 0.0 && index % 97 != 0 {
                    continue;
                }
                let expected = (loss(1e-3) - loss(-1e-3)) / 2e-3;
                let error = (f64::from(found) - expected).abs();
                assert!(error < 2e-4 + 0.02 * expected.abs(), "{part} {index}: {found} {expected}");
                checked += 1;
            }
        }
        assert!(checked > 20 * neurons, "{checked}");
    }
}

fn settings() -> TrainingSettings {
    TrainingSettings {
        sizes: sizes::<TucChess>(16, 1),
        start: None,
        epochs: 3,
        batch: 256,
        rate: 0.01,
        decay: 0.01,
        blend: 0.7,
        lambda: 0.3,
        patience: 10,
        seed: 1,
        margin: 1_000,
        unit: None,
    }
}

#[test]
fn a_few_positions_are_memorised() {
    let dataset = dataset::<Neighbours>(12);
    let sizes = sizes::<Neighbours>(32, 1);
    let (mut net, mut pass) = (NetValues::random(sizes, 16, 1), Pass::new(sizes));
    let targets = dataset.targets(&Target { blend: 1.0, lambda: 0.0, unit: 1.0 });
    let examples: Vec<_> = (0..64)
        .map(|number| {
            let mut example = Example::default();
            dataset.get(number * dataset.len() / 64, false, &targets, &mut example);
            example
        })
        .collect();
    let zeros = NetValues::zeros(sizes);
    let mut optimiser = AdamW { steps: 0, mean: zeros.clone(), square: zeros.clone() };
    let mut loss = f32::INFINITY;
    for _ in 0..1_500 {
        let mut gradient = zeros.clone();
        loss = examples.iter().map(|example| pass.learn(&net, example, &mut gradient)).sum::<f32>() / 64.0;
        pass.finish(&mut gradient);
        let step = Step {
            rate: 0.005,
            decay: 0.0,
            share: 1.0 / 64.0,
            max_weights: (1.98, 1.98),
            max_output_sum: 500.0,
        };
        optimiser.step(step, &[&gradient], &mut net);
    }
    assert!(loss < 1e-4, "{loss}");
}

/// Plays games, and opens their file as the data of a training.
fn data<G: Playable>(games: u64, buckets: u8, limits: MemoryLimits) -> (TempDir, TrainingData<G>) {
    let (folder, path) = file("games");
    play::<G>(&path, games, 2);
    let data = TrainingData::open(&[path], InputSizes { buckets, outputs: 1 }, limits).unwrap();
    (folder, data)
}

/// Trains on a number of threads, for up to `epochs`.
fn train(
    data: &TrainingData<TucChess>,
    settings: TrainingSettings,
    threads: usize,
    epochs: usize,
) -> Trainer<'_, TucChess> {
    let mut trainer = Trainer::new(data, settings, None).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        while trainer.state.curve.len() < epochs && !trainer.is_finished() {
            trainer.epoch(&Control::default(), &mut |_| {}).unwrap().unwrap();
        }
    });
    trainer
}

#[test]
fn a_training_depends_on_neither_threads_nor_interruptions() {
    // In memory, and streamed from the file: 40 games are one block, 150 are three.
    let streamed = MemoryLimits { kept: 0, portion: 1_000, ..MemoryLimits::default() };
    for (games, limits) in [(40, MemoryLimits::default()), (150, streamed)] {
        let (_folder, data) = data::<TucChess>(games, 1, limits);
        let whole = train(&data, settings(), 1, 9);
        assert_eq!(whole.state.curve.len(), 3);
        assert!(train(&data, settings(), 3, 9).state == whole.state);
        let mut stopped = train(&data, settings(), 1, 2);
        let control = Control::default();
        control.stop();
        let before = stopped.state.clone();
        assert!(matches!(stopped.epoch(&control, &mut |_| {}), Ok(None)));
        assert!(stopped.state == before);
        stopped.epoch(&Control::default(), &mut |_| {}).unwrap();
        assert!(stopped.state == whole.state);
    }
}

/// A shard that is damaged while a training reads it ends the training, which stays as it was.
#[test]
fn a_file_that_changes_is_an_error_and_keeps_the_state() {
    let limits = MemoryLimits { kept: 0, portion: 1_000, ..MemoryLimits::default() };
    let (folder, data) = data::<TucChess>(150, 1, limits);
    let mut trainer = train(&data, settings(), 1, 1);
    let (before, path) = (trainer.state.clone(), folder.path().join("games"));
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, &good[..good.len() - 1]).unwrap();
    let error = trainer.epoch(&Control::default(), &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("games: block 3, at byte ") && trainer.state == before, "{error}");
    std::fs::write(&path, &good).unwrap();
    trainer.epoch(&Control::default(), &mut |_| {}).unwrap();
    assert!(trainer.state == train(&data, settings(), 1, 2).state);
}

#[test]
fn a_diverging_training_is_an_error_and_keeps_its_state() {
    let (_folder, data) = data::<TucChess>(20, 1, MemoryLimits::default());
    let mut trainer = Trainer::new(&data, TrainingSettings { rate: 1e300, ..settings() }, None).unwrap();
    let before = trainer.state.clone();
    let error = trainer.epoch(&Control::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, TrainingError::Diverged { epoch: 1, .. }), "{error}");
    assert!(trainer.state == before);
    let odd = TrainingSettings { sizes: sizes::<TucChess>(20, 1), ..settings() };
    assert!(matches!(Trainer::new(&data, odd, None), Err(TrainingError::Neurons(20))));
    let (_folder, one) = self::data::<TucChess>(1, 1, MemoryLimits::default());
    assert!(matches!(Trainer::new(&one, settings(), None), Err(TrainingError::TooFew { games: 1, .. })));
}

/// Weights that are all small enough may have a sum that the output of a net cannot have.
#[test]
fn a_net_that_is_trained_can_be_written() {
    let (_folder, data) = data::<TucChess>(20, 1, MemoryLimits::default());
    // Rounding would make 115 64ths of each weight if the sum were 33,025 64ths before.
    let settings = TrainingSettings { sizes: sizes::<TucChess>(144, 1), rate: 0.0, ..settings() };
    let mut trainer = Trainer::new(&data, settings, None).unwrap();
    let weights = trainer.state.net.output_weights.iter_mut().zip([1.98, -1.98].into_iter().cycle());
    weights.for_each(|(weight, value)| *weight = value);
    trainer.epoch(&Control::default(), &mut |_| {}).unwrap().unwrap();
    let net = trainer.best_net("a test".to_owned());
    let bytes = net.to_bytes::<TucChess>();
    assert!(bytes.is_ok(), "{:?}", bytes.err());
    assert!(net.output_weights.iter().all(|weight| weight.abs() == 114), "{:?}", net.output_weights);
}

#[test]
fn a_training_starts_from_a_net() {
    let limits = MemoryLimits::default();
    let ((_one, data), (_other, wider)) = (data::<Chess>(6, 1, limits), data::<Chess>(6, 3, limits));
    let one = TrainingSettings { sizes: sizes::<Chess>(16, 1), ..settings() };
    let net = Trainer::new(&data, one, None).unwrap().best_net("a test".to_owned());
    let several = EvalNetSizes { buckets: 3, hidden: 32, ..net.sizes };
    let settings = TrainingSettings { sizes: several, start: Some(net.checksum()), ..settings() };
    let mut trainer = Trainer::new(&wider, settings, Some(&net)).unwrap();
    // At first all buckets are equal and new neurons have no effect; then each learns for itself.
    let values = |net: &EvalNet| -> Vec<Score> {
        let evaluator = NetEvaluator::<Chess>::new(net.clone());
        let fens = ["4k3/pppppppp/8/8/8/8/8/R3K3 w - -", "4k3/pppppppp/8/8/8/4K3/8/R7 w - -"];
        fens.map(|fen| evaluator.evaluate_position(&Chess::from_fen(fen).unwrap())).to_vec()
    };
    let begun = trainer.best_net("a test".to_owned());
    assert_eq!(begun.scale.unit, net.scale.unit);
    assert_eq!((begun.sizes, values(&begun)), (several, values(&net)));
    trainer.epoch(&Control::default(), &mut |_| {}).unwrap().unwrap();
    let rows = trainer.state.net.input_weights.chunks_exact(768 * 32).collect::<Vec<_>>();
    assert!(rows.len() == 3 && rows[0] != rows[1] && rows[1] != rows[2]);
    let mut halves = trainer.state.net.output_weights.chunks_exact(32).map(|half| half.split_at(16));
    assert!(halves.all(|(old, new)| old.iter().chain(new).all(|&weight| weight != 0.0)));
    let (narrow, more) = (EvalNetSizes { hidden: 48, ..begun.sizes }, EvalNetSizes { outputs: 2, ..several });
    for (start, sizes) in [(EvalNet::random_of_sizes(narrow, 1), several), (net, more)] {
        let refused = Trainer::new(&wider, TrainingSettings { sizes, ..settings }, Some(&start));
        assert!(matches!(refused, Err(TrainingError::Start(sizes)) if sizes == start.sizes));
    }
}

#[test]
fn a_net_learns_what_the_linear_evaluation_plays() {
    let (_folder, data) = data::<TucChess>(400, 1, MemoryLimits::default());
    let trainer = train(&data, TrainingSettings { epochs: 25, ..settings() }, 2, 25);
    let best = trainer.state.best_epoch().unwrap();
    let chance = trainer.baseline_loss();
    assert!(best.held_out < 0.6 * chance, "{} {chance}", best.held_out);
    let net = trainer.best_net("a test".to_owned());
    let evaluator = NetEvaluator::<TucChess>::new(net);
    let score = |fen| evaluator.evaluate_position(&Game::from_fen(fen).unwrap());
    // A lead is good.
    let more: Score = score("pr2p/2k2/p2**/2p2/P3P/2R2/P1K1P w 4 1 20");
    let less: Score = score("pr2p/2k2/p2**/2p2/P3P/2R2/P1K1P w 1 4 20");
    assert!(more > less, "{more:?} {less:?}");
}

#[test]
fn the_commands_work_together() {
    let folder = tempdir().unwrap();
    let (games, out) = (folder.path().join("games"), folder.path().join("out"));
    let (games, out) = (games.display(), out.display());
    let selfplay = format!("nnue selfplay --variant tucchess --nodes 50 --threads 2 --out {games} --games");
    let (success, text, error) = labrys(&format!("{selfplay} 20 --linear"));
    assert!(success && text.contains(": 20 games, "), "{text} {error}");
    let (success, text, error) = labrys(&format!("{selfplay} 30 --linear"));
    assert!(success && text.contains(": 30 games, "), "{text} {error}");
    let (success, text, error) = labrys(&format!("nnue stats --variant tucchess {games}"));
    assert!(success && text.contains("30 games with 6 to 9 random plies, all legal"), "{text} {error}");

    let common = format!("nnue train --variant tucchess --data {games} --neurons 16 --batch 64 --out");
    let train = format!("{common} {out}");
    let (success, text, error) = labrys(&format!("{train} --epochs 2"));
    assert!(success && text.contains("epoch 2: held out "), "{text} {error}");
    assert_fails(labrys(&format!("{train} --epochs 2")), "use --resume to continue");
    assert_fails(labrys(&format!("{train} --epochs 3 --resume")), "--epochs: 3, but the training in ");
    succeed(labrys(&format!("{train} --epochs 2 --resume")));
    for name in ["net.safetensors", "training.safetensors", "curve.csv", "curve.svg"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
    // A net that is missing is written again, one whose state is missing is not overwritten.
    let (net, state) = (format!("{out}/net.safetensors"), format!("{out}/training.safetensors"));
    let before = [&net, &state].map(|path| std::fs::read(path).unwrap());
    std::fs::remove_file(&net).unwrap();
    succeed(labrys(&format!("{train} --epochs 2 --resume")));
    assert!([&net, &state].map(|path| std::fs::read(path).unwrap()) == before);
    std::fs::remove_file(&state).unwrap();
    for resume in ["", "--resume"] {
        let refused = labrys(&format!("{train} --epochs 2 {resume}"));
        assert_fails(refused, &format!("{net}: left of a run whose state is missing; remove it"));
    }
    assert!(std::fs::read(&net).unwrap() == before[0] && !Path::new(&state).exists());
    assert_fails(labrys(&format!("{common} {out}2 --buckets 2")), "--buckets 2: tucchess has at most 1");
    let start = format!("--start {out}/net.safetensors");
    let (success, text, error) = labrys(&format!("{common} {out}2 --epochs 2 --rate 0 {start}"));
    assert!(success && text.contains("epoch 2: loss "), "{text} {error}");
    let net = EvalNet::load::<TucChess>(&folder.path().join("out2/net.safetensors")).unwrap();
    assert!(net.provenance.starts_with("labrys nnue train from "), "{}", net.provenance);
    let refused = labrys(&format!("{common} {out}3 --outputs 2 {start}"));
    assert_fails(refused, "16 neurons, 1 outputs cannot become");
    let net = EvalNet::load::<TucChess>(&folder.path().join("out/net.safetensors")).unwrap();
    // The outputs of the net that a training starts from keep their unit, whatever the targets are.
    succeed(labrys(&format!("{common} {out}4 --epochs 1 --blend 0 {start}")));
    let started = EvalNet::load::<TucChess>(&folder.path().join("out4/net.safetensors")).unwrap();
    assert_eq!(started.scale.unit, net.scale.unit);
    assert!(net.provenance.contains("30 games of linear full"), "{}", net.provenance);

    let (success, text, error) = labrys(&format!(
        "nnue selfplay --variant tucchess --nodes 50 --net {out}/net.safetensors --out {games}2 --games 2"
    ));
    assert!(success && text.contains(": 2 games"), "{text} {error}");
    assert_fails(labrys(&format!("{selfplay} 40 --net {out}/net.safetensors")), "evaluation linear full");
    assert_fails(labrys(&format!("{selfplay} 40 --linear --net {out}/net.safetensors")), ": not with --");
    let refused = labrys(&format!("nnue stats --variant chess {games}"));
    assert_fails(refused, "games of `tucchess`, expected `chess`");
}

#[test]
fn results_are_from_the_point_of_view_of_the_side_to_move() {
    let (_folder, path) = file("games");
    play::<TucChess>(&path, 8, 2);
    let (_, games) = read_games::<TucChess>(&path).unwrap();
    for game in &games {
        game.replay(&Game::start(), |played: PlayedPosition<TucChess>| {
            let is_white = played.position.side_to_move() == Color::White;
            assert_eq!(played.result, if is_white { game.result } else { !game.result });
        })
        .unwrap();
    }
    assert!(games.iter().any(|game| game.result == Wdl::Win));
}

#[test]
fn evaluations_that_cannot_be_read_are_named_by_their_argument() {
    let (_folder, out) = file("games");
    let (_other, bad) = file(&"bad".repeat(20));
    std::fs::write(&bad, "no weights").unwrap();
    let bad = bad.display();
    for (words, message) in [
        ("--net /no/file".to_owned(), "labrys: --net: net file /no/file: No such file".to_owned()),
        (
            "--weights /no/file".to_owned(),
            "labrys: --weights: weights file `/no/file`: No such file".to_owned(),
        ),
        (format!("--weights {bad}"), format!("labrys: --weights `{bad}`: weights file: expected")),
    ] {
        let words = format!("nnue selfplay --games 1 --out {} {words}", out.display());
        let (done, _, error) = labrys(&words);
        assert!(!done && error.starts_with(&message), "{words}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_self_play_keeps_its_games_and_says_so() {
    use std::io::Read;
    use std::process::Stdio;

    let (_folder, out) = file("games");
    let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["nnue", "selfplay", "--games", "1000000", "--nodes", "1", "--threads", "1", "--out"])
        .arg(&out)
        .env("LABRYS_PROGRESS", "json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = child.stderr.take().unwrap();
    let error = signal_at(&child, log, "\"progress\"", "-INT");
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(!child.wait().unwrap().success(), "{error}");
    assert!(error.contains("labrys: interrupted, run the same command to continue"), "{error}");
    let (kept, _) = told.strip_prefix(&format!("{}: ", out.display())).unwrap().split_once(" game").unwrap();
    let (done, stats, error) = labrys(&format!("nnue stats {}", out.display()));
    assert!(done && stats.contains(&format!("{kept} game")), "{stats}{error}");
}
