//! Files of self-play games as people read them: `labrys replay`.

#[path = "common/shell.rs"]
mod shell;

use std::fs;
use std::process::Command;

use tempfile::{TempDir, tempdir};

fn labrys(words: &str) -> (bool, String, String) {
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace()))
}

/// A folder with a file of six games.
fn games(variant: &str) -> TempDir {
    let folder = tempdir().unwrap();
    let out = folder.path().join("games");
    let words = format!("selfplay --variant {variant} --linear --games 6 --nodes 60 --out {}", out.display());
    let (success, _, error) = labrys(&words);
    assert!(success, "{error}");
    folder
}

#[test]
fn self_play_games_are_replayed() {
    for variant in ["chess", "tucchess"] {
        let folder = games(variant);
        let path = folder.path().join("games");
        let (success, text, error) = labrys(&format!("replay {}", path.display()));
        assert!(success && text.contains("6 games, ") && text.contains("plies, all legal"), "{error} {text}");
        let (success, text, error) = labrys(&format!("replay --game 2 {}", path.display()));
        assert!(success && text.contains("1 games, "), "{error} {text}");
        let is_there = |words: &[&str]| words.iter().all(|word| text.contains(word));
        assert!(is_there(&["\ngame 2: linear ", "{book} ", " {+", "\nFen: ", "[Result \""]), "{text}");
        assert!(!text.contains("game 1: "), "{text}");
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
    refused("replay --game 7", &bytes, "no game 7: there are 6");
    refused("replay --variant chess", &bytes, "games of `tucchess`, expected `chess`");
    refused("replay", &bytes[..bytes.len() - 3], "block 1, at byte ");
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 40] ^= 16;
    refused("replay", &damaged, "block 1, at byte ");
    refused("replay", &bytes[..40], "no header of self-play games");
    let unknown = String::from_utf8_lossy(&bytes[..100]).replace("tucchess", "tucchesz");
    let unknown = [unknown.as_bytes(), &bytes[100..]].concat();
    fs::write(&path, unknown).unwrap();
    let (success, _, error) = labrys(&format!("replay {}", path.display()));
    assert!(!success && error.contains("unknown variant `tucchesz`"), "{error}");
}
