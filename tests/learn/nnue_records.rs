//! Reading and exporting files of self-play games: `labrys games replay` and `labrys nnue export`.

use crate::common::shell::{assert_fails, labrys, succeed};

use std::fs;
use std::path::Path;

use bulletformat::{ChessBoard, DataLoader};
use labrys::game::chess::Chess;
use labrys::game::{Color, Game, Knowledge, Wdl};
use labrys::learn::nnue::games::{PlayedPosition, read_games};
use tempfile::{TempDir, tempdir};

/// A folder with a file of six games.
fn games(variant: &str) -> TempDir {
    let folder = tempdir().unwrap();
    let out = folder.path().join("games");
    let words =
        format!("nnue selfplay --variant {variant} --linear --games 6 --nodes 60 --out {}", out.display());
    succeed(labrys(&words));
    folder
}

#[test]
fn self_play_games_are_replayed() {
    for variant in ["chess", "tucchess"] {
        let folder = games(variant);
        let path = folder.path().join("games");
        let (success, text, error) = labrys(&format!("games replay {}", path.display()));
        assert!(success && text.contains("6 games, ") && text.contains("plies, all legal"), "{error} {text}");
        let (success, text, error) = labrys(&format!("games replay --game 2 {}", path.display()));
        assert!(success && text.contains("1 game, "), "{error} {text}");
        let is_there = |words: &[&str]| words.iter().all(|word| text.contains(word));
        let header = fs::read(&path).unwrap();
        let header = header.split(|&byte| byte == b'\n').next().unwrap();
        let header: serde_json::Value = serde_json::from_slice(header).unwrap();
        let version = succeed(labrys("--version"));
        assert_eq!(header["program"].as_str(), version.lines().next(), "{header}");
        assert!(is_there(&["\ngame 2: linear ", "{book} ", " {+", "\nFen: ", "[Result \""]), "{text}");
        assert!(!text.contains("game 1: "), "{text}");
        let report: serde_json::Value =
            serde_json::from_str(&succeed(labrys(&format!("report --json {}", path.display())))).unwrap();
        let [of] = &report.as_array().unwrap()[..] else { panic!("{report}") };
        assert_eq!((&of["variant"], &of["games"]), (&variant.into(), &6.into()), "{report}");
        // The one player on both sides.
        assert_eq!(
            (&of["players"][0]["games"], &of["players"][0]["elo"]),
            (&12.into(), &serde_json::Value::Null)
        );
        assert!(of["branching"].as_f64().unwrap() > 5.0, "{report}");
        let other = if variant == "chess" { "neighbours" } else { "chess" };
        let error = format!("self-play games of {variant}, expected {other}");
        assert_fails(labrys(&format!("report --variant {other} {}", path.display())), &error);
    }
}

#[test]
fn a_bad_file_of_games_is_refused_by_name() {
    let folder = games("tucchess");
    let path = folder.path().join("games");
    let bytes = fs::read(&path).unwrap();
    let refused = |words: &str, bytes: &[u8], message: &str| {
        fs::write(&path, bytes).unwrap();
        let (success, text, error) = labrys(&format!("{words} {}", path.display()));
        let named = error.contains(&format!("games file {}", path.display()));
        assert!(!success && named && error.contains(message) && text.is_empty(), "{words}: {error}");
    };
    refused("games replay --game 7", &bytes, "no game 7: there are 6");
    refused("games replay --variant chess", &bytes, "games of `tucchess`, expected `chess`");
    refused("games replay", &bytes[..bytes.len() - 3], "block 1, at byte ");
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 40] ^= 16;
    refused("games replay", &damaged, "block 1, at byte ");
    refused("games replay", &bytes[..40], "no header of self-play games");
    let unknown = String::from_utf8_lossy(&bytes[..100]).replace("tucchess", "tucchesz");
    refused("games replay", &[unknown.as_bytes(), &bytes[100..]].concat(), "header: damaged: checksum ");
}

/// The line of the header of a file of games, and its blocks.
fn header_and_blocks(bytes: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let (mut rest, mut blocks) = (&bytes[end..], Vec::new());
    while !rest.is_empty() {
        let size = 16 + u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        blocks.push(rest[..size].to_vec());
        rest = &rest[size..];
    }
    (bytes[..end].to_vec(), blocks)
}

#[test]
fn blocks_belong_to_their_file_and_are_there_once() {
    let folder = tempdir().unwrap();
    let [first, other, mixed] = ["first", "other", "mixed"].map(|name| folder.path().join(name));
    let play = |games: u64, seed: u64, path: &Path| {
        let words = "nnue selfplay --variant neighbours --linear --nodes 30 --threads 1";
        labrys(&format!("{words} --games {games} --seed {seed} --out {}", path.display()))
    };
    succeed(play(130, 1, &first));
    succeed(play(64, 2, &other));
    let read = |path: &Path| header_and_blocks(&fs::read(path).unwrap());
    let ((line, blocks), (_, foreign)) = (read(&first), read(&other));
    assert_eq!((blocks.len(), foreign.len()), (3, 1));
    let replay = |parts: &[&[u8]]| {
        fs::write(&mixed, parts.concat()).unwrap();
        labrys(&format!("games replay {}", mixed.display()))
    };
    assert_fails(replay(&[&line, &foreign[0]]), "block 1, at byte ");
    assert_fails(replay(&[&line, &blocks[0], &foreign[0], &blocks[2]]), "block 2, at byte ");
    assert_fails(replay(&[&line, &blocks[0], &blocks[1], &blocks[0]]), "belongs to another file");
    // What is there is kept; what is foreign or a copy is moved aside, and missing games are played.
    replay(&[&line, &blocks[0], &foreign[0], &blocks[0], &blocks[2]]);
    let (success, text, error) = play(130, 1, &mixed);
    assert!(success && text.contains("130 games"), "{text}{error}");
    // The last block of two games has room for more.
    let mended = read(&mixed).1;
    assert_eq!((&mended[0], &mended[1][16..blocks[2].len()]), (&blocks[0], &blocks[2][16..]));
    assert_eq!(
        mended.iter().map(|block| u32::from_le_bytes(block[..4].try_into().unwrap())).sum::<u32>(),
        130
    );
    let aside = fs::read(folder.path().join("mixed.damaged")).unwrap();
    assert_eq!(aside, [&foreign[0][..], &blocks[0]].concat());

    // Files of the first version are read and continued; their blocks stand for themselves.
    let line = String::from_utf8(line).unwrap().replace("\"version\":2,", "\"version\":1,");
    let line = format!("{}}}\n", line.split_once(",\"crc32\"").unwrap().0);
    let unbound = |block: &Vec<u8>| {
        let mut block = block.clone();
        let sum = crc32fast::hash(&[&block[..12], &block[16..]].concat());
        block[12..16].copy_from_slice(&sum.to_le_bytes());
        block
    };
    let old: Vec<_> = blocks.iter().map(unbound).collect();
    let (success, text, error) = replay(&[line.as_bytes(), &old[0], &old[1]]);
    assert!(success && text.contains("128 games, "), "{text}{error}");
    succeed(play(130, 1, &mixed));
    assert_eq!(read(&mixed), (line.into_bytes(), old));
}

fn export(variant: &str, data: &Path, out: &Path) -> (bool, String, String) {
    let (data, out) = (data.display(), out.display());
    labrys(&format!("nnue export --variant {variant} --data {data} --data {data} --out {out}"))
}

#[test]
fn bullet_reads_what_is_exported() {
    let folder = games("chess");
    let [data, out] = ["games", "out"].map(|name| folder.path().join(name));
    let text = succeed(export("chess", &data, &out));

    let mut boards = Vec::new();
    DataLoader::<ChessBoard>::new(&out, 1).unwrap().map_positions(|board| boards.push(*board));
    assert!(text.contains(&format!(": {} quiet positions", boards.len())), "{text}");
    let mut found = boards.iter();
    let (mut blacks, mut decided) = (0, 0);
    for _ in 0..2 {
        for game in read_games::<Chess>(&data).unwrap().1 {
            game.replay(&Chess::start(), |played: PlayedPosition<Chess>| {
                let PlayedPosition { position, mv, score, result, .. } = played;
                let is_quiet = !position.in_check() && !position.is_tactical(mv);
                if !is_quiet || score.mate_distance().is_some() {
                    return;
                }
                // The crate's own reading of a FEN, with score and result for White.
                let is_black = position.side_to_move() == Color::Black;
                let centipawns = (f64::from(score.to_thousandths()) / 10.0).round();
                let (score, result) = match is_black {
                    true => (-centipawns, !result),
                    false => (centipawns, result),
                };
                let result = ["0", "1/2", "1"][result as usize];
                let line = format!("{} | {score} | {result}", position.fen());
                assert_eq!(Ok(*found.next().unwrap()), line.parse::<ChessBoard>(), "{line}");
                blacks += usize::from(is_black);
                decided += usize::from(played.result != Wdl::Draw);
            })
            .unwrap();
        }
    }
    assert!(found.next().is_none() && blacks > 10 && decided > 10, "{blacks} {decided}");
}

#[test]
fn a_failed_export_leaves_the_old_file() {
    let folder = games("tucchess");
    let [data, out] = ["games", "out"].map(|name| folder.path().join(name));
    fs::write(&out, "old").unwrap();
    for (variant, message) in [
        ("tucchess", "--variant tucchess: the format of bullet does not support this game"),
        ("chess", "games of `tucchess`, expected `chess`"),
    ] {
        assert_fails(export(variant, &data, &out), message);
        assert_eq!(fs::read(&out).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
