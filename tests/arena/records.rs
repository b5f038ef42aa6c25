//! Game records: reading those of other programs, and writing what they expect.

use crate::common::records;
use crate::common::shell::{self, assert_fails, succeed};

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys::arena::pgn::{PgnGame, PgnReader};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;

/// Runs `labrys`: success, standard output, standard error.
fn labrys(words: &str, file: &Path) -> (bool, String, String) {
    let words = words.split_whitespace();
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words).arg(file).env_remove("RUST_LOG"))
}

/// A file with this text, in a folder that is removed at the end of the test.
fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// A game as lichess writes it, one as a player types it, and one of Chess960.
const FOREIGN: &str = r#"[Event "Rated game"]
[Site "https://lichess.org/x"]
[White "A"]
[Black "B"]
[Result "1-0"]
[Variant "Standard"]
[Termination "Normal"]

1. e4 { [%eval 0.36] [%clk 0:10:00] } 1... e5 { [%eval 0.3] } 2. Nf3?! $6 (2. Bc4 Nf6 (2... Nc6 3. Qh5)) 2... Nc6
3. Bb5 a6 ; the Morphy defence
4. Ba4 Nf6 5. O-O Be7 1-0

1.f3 e5 2.g4 Qh4 0-1

[Event "960"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1"]
[Result "*"]

1. d4 d5 2. Ng3 Ng6 3. 0-0 0-0 *
"#;

#[test]
fn games_of_other_programs_are_replayed() {
    let (_folder, path) = file("foreign.pgn", FOREIGN);
    let out = succeed(labrys("games replay --strict", &path));
    for line in [
        "game 1: A – B, White wins (normal), 10 plies",
        "Fen: r1bqk2r/1pppbppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 4 6",
        "game 2: ? – ?, Black wins (normal), 4 plies",
        "game 3: ? – ?, not finished, 6 plies",
        "Fen: nrbbqrk1/ppp1pppp/6n1/3p4/3P4/6N1/PPP1PPPP/NRBBQRK1 w - - 4 4",
        "3 games, 20 plies, all legal",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    // A draw that nobody claimed, and a game that White gave up.
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. e4 0-1\n";
    let (_folder, path) = file("shuffle.pgn", shuffle);
    let (success, out, error) = labrys("games replay", &path);
    assert!(success && out.contains("1 game, 13 plies, all legal"), "{error}");
}

#[test]
fn a_bad_game_is_named_and_left_out() {
    for (from, to, message) in [
        ("4. Ba4 Nf6", "4. Ba4 Nxf9", "game 1 in line 1: move 8: `Nxf9` is no move: expected"),
        (
            "3. Bb5 a6",
            "3. Bb6 a6",
            "game 1 in line 1: move 5: `Bb6` is not legal: no bishop of White can go to b6",
        ),
        ("\"Standard\"", "\"ludo\"", "game 1 in line 1: unknown variant `ludo`"),
        ("\"Standard\"", "\"amazons\"", "game 1 in line 1: a game of chess, expected amazons"),
        ("Qh4 0-1", "Qh4 1-0", "game 2 in line 13: the result is wrong: Black wins: checkmate"),
        ("0-0 *", "0-", "game 3 in line 15: move 6: `0-` is no move"),
        ("w HBhb", "w HBxb", "game 3 in line 15: FEN: castling rights `HBxb`"),
    ] {
        let (_folder, path) = file("bad.pgn", &FOREIGN.replace(from, to));
        let (success, out, error) = labrys("games replay", &path);
        let named = error.contains(&format!("bad.pgn, {message}"));
        assert!(!success && named, "{to}: {error}");
        assert!(error.contains("bad.pgn: 1 of ") && out.contains(" games, "), "{to}: {error} {out}");
        let (success, out, error) = labrys("games replay --strict", &path);
        assert!(!success && error.contains(message) && !out.contains("all legal"), "{to}: {error}");
    }
    let (_folder, path) = file("other.pgn", FOREIGN);
    assert_fails(labrys("games replay --variant neighbours", &path), "a game of chess, expected neighbours");
}

#[test]
fn a_block_that_is_no_text_is_named() {
    let (_folder, path) = file("damaged.pgn", FOREIGN);
    for byte in [0, 0xff] {
        let mut bytes = FOREIGN.as_bytes().to_vec();
        let at = FOREIGN.find("1.f3").unwrap();
        bytes[at..at + 20].fill(byte);
        std::fs::write(&path, bytes).unwrap();
        let message =
            format!("damaged.pgn, game 2: line 13: byte 0x{byte:02x} is no text: the file is damaged");
        for command in ["games replay", "report"] {
            let (_, _, error) = labrys(command, &path);
            assert!(error.contains(&message), "{command}: {error}");
            assert_fails(labrys(&format!("{command} --strict"), &path), &message);
        }
    }
}

/// Runs `replay --strict` on a text: its lines about the games, and their final positions.
fn replayed(text: &str) -> (Vec<String>, Vec<String>) {
    let (_folder, path) = file("pasted.pgn", text);
    let out = succeed(labrys("games replay --strict", &path));
    let lines = |prefix: &str| {
        let lines = out.lines().filter(|line| line.starts_with(prefix));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    (lines("game "), lines("Fen: "))
}

#[test]
fn moves_from_any_position_make_a_game() {
    let (_, expected) = replayed("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O *");
    for text in [
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O",
        "1.e4e5 2.Nf3Nc6 3.Bc4Nf6 4.O-O*",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.0-0*",
        "e2-e4 e7-e5 g1-f3 b8-c6 f1-c4 g8-f6 e1-g1",
        "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1",
        "1 e4 e5 2 Nf3 Nc6 3 Bc4 Nf6 4 O-O",
        "1) e4 e5 2) Nf3 Nc6 3) Bc4 Nf6 4) O-O",
        "e4, e5, Nf3, Nc6, Bc4, Nf6, O-O",
        "\u{feff}1. e4!? e5$1 2.Nf3$14Nc6± 3. Bc4 (3. Bb5 a6) 3... Nf6?! ; book\r\n4. O–O",
        "[White \"Engine /Level 6\\\"]\n[Black y]\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O 1/2-1/2",
    ] {
        assert_eq!(replayed(text).1, expected, "{text}");
    }
}

#[test]
fn games_of_a_file_are_independent() {
    let text = "{of a collection}\n\n[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\
                [White \"C\"]\n[Black \"D\"]\n\
                [FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O 1-0 {won}\n\n{the next one}\n[White \"E\"]\n\
                [Variant \"chess 960\"]\n\n1. e4 h6*\n\n[White \"F\"]\n[Variant \"Classical\"]\n\n1. d4\n";
    let (games, _) = replayed(text);
    assert_eq!(
        games,
        [
            "game 1: A – B, drawn (normal), 0 plies",
            "game 2: C – D, White wins (normal), 1 ply",
            "game 3: E – ?, not finished, 2 plies",
            "game 4: F – ?, not finished, 1 ply",
        ]
    );
}

#[test]
fn an_analysis_keeps_what_it_finds() {
    let text = "[Event \"x\"]\n[White \"A\"]\n[Source \"y\"]\n[Annotator \"Z\"]\n[PlyCount \"4\"]\n\n\
                {first} 1. f3 {[%clk 0:10:00]} {two} e5 $1 (1... e6 {so} (1... d5 2. e4 $5) 2. Kf2 -- 3. Kg3) {three} \
                2. g4?? {[%csl Rg4] four} 2... Qh4# 0-1 {last}\n";
    let (folder, path) = file("annotated.pgn", text);
    let out = folder.path().join("out.pgn");
    succeed(labrys(&format!("analyse --nodes 2000 --out {}", out.display()), &path));
    let written = std::fs::read_to_string(&out).unwrap().replace('\n', " ");
    for part in [
        "[Annotator \"Z, Labrys\"]",
        "[Source \"y\"]",
        "{first} 1. f3",
        "{[%clk 0:10:00] two [%eval ",
        "e5 $1 {three [%eval ",
        "( 1... e6 {so} ( 1... d5 2. e4 $5 ) 2. Kf2 -- 3. Kg3 )",
        "2. g4 $4 {[%csl Rg4] four [%eval #-1]} ( 2. ",
        "Qh4# 0-1 {last}",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let (_folder, plain) = file("plain.pgn", "1. e4 e5 1-0\n");
    let out = folder.path().join("plain.pgn");
    assert!(labrys(&format!("analyse --nodes 2000 --out {}", out.display()), &plain).0);
    assert!(std::fs::read_to_string(&out).unwrap().contains("[Annotator \"Labrys\"]"));
}

#[test]
fn chess_is_written_for_other_programs() {
    let play = |words: &str, path: &Path| {
        let words = format!(
            "match --engine name=a --engine name=b --each nodes=60 option.Hash=1 --games 2 {words} --pgnout"
        );
        succeed(labrys(&words, path));
        std::fs::read_to_string(path).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let standard = play("", &folder.path().join("standard.pgn"));
    assert!(!standard.contains("[Variant ") && !standard.contains("[FEN "), "{standard}");
    assert!(standard.contains(" O-O ") || standard.contains("x"), "moves are in SAN: {standard}");
    let path = folder.path().join("960.pgn");
    let (_book, openings) =
        file("960.epd", "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1 moves d2d4\n");
    let words = format!("--option UCI_Chess960=true --openings {} --max-moves 12", openings.display());
    let chess960 = play(&words, &path);
    assert!(chess960.contains("[Variant \"Chess960\"]") && chess960.contains("1. d4 {book}"), "{chess960}");
    // The output can be resumed and read back.
    succeed(labrys(
        &format!(
            "match --engine name=a --engine name=b --each nodes=60 option.Hash=1 --games 4 {words} --resume --pgnout"
        ),
        &path,
    ));
    let (success, out, error) = labrys("games replay --strict", &path);
    assert!(success && out.contains("4 games, "), "{error}");
    let games = records::read(&path);
    assert!(games.len() == 4 && games.iter().all(|game| !records::end(game).details.is_empty()));
}

#[test]
fn weights_are_fitted_to_games_of_other_programs() {
    let (folder, path) =
        file("foreign.pgn", &FOREIGN.replace("Qh4 0-1", "Qh4 0-1\n\n1. e4 e9 1-0").repeat(20));
    let out = folder.path().join("weights.json");
    let words = format!("linear tune --epochs 1 --out {} --games", out.display());
    let (success, text, error) = labrys(&words, &path);
    assert!(success && text.starts_with("40 games, "), "{text}{error}");
    assert!(error.contains("game 3 in line 15: move 2: `e9` is no move"), "{error}");
    assert!(error.contains("game 4 in line 17: the game was not finished"), "{error}");
    let refused = labrys(&format!("{words} --strict").replace("--games --strict", "--strict --games"), &path);
    assert_fails(refused, "`e9` is no move");
    let twice = labrys(&format!("{words} {} --games", path.display()), &path);
    assert_fails(twice, "foreign.pgn: the file is there twice");
}

#[test]
fn an_analysis_is_continued_with_its_games_and_settings_alone() {
    let (folder, path) = file("games.pgn", "1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 e5 *\n");
    let [out, other] = ["out.pgn", "other.pgn"].map(|name| folder.path().join(name));
    let analyse = |words: &str, games: &Path| {
        labrys(&format!("analyse --option Hash=1 {words} --out {}", out.display()), games)
    };
    succeed(analyse("--nodes 50", &path));
    let text = std::fs::read_to_string(&out).unwrap();
    let settings = format!("labrys {}, Hash=1; nodes 50", env!("CARGO_PKG_VERSION"));
    assert_eq!(text.matches(&format!("[Analysis \"{settings}\"]\n")).count(), 2, "{text}");
    for (words, found) in [
        ("--nodes 60", "; nodes 60`"),
        ("--nodes 50 --depth 3", "; depth 3, nodes 50`"),
        ("--nodes 50 --option Threads=2", ", Threads=2; nodes 50`"),
    ] {
        let refused = analyse(&format!("--resume {words}"), &path);
        assert_fails(refused, &format!("--resume: game 1 was analysed with `{settings}`, not with `labrys"));
        assert_fails(analyse(&format!("--resume {words}"), &path), found);
    }
    // Other games of as many moves.
    std::fs::write(&other, "1. f3 e5 2. g4 Qh4# 0-1\n\n1. d4 d5 *\n").unwrap();
    assert_fails(analyse("--resume --nodes 50", &other), "--resume: game 2 is another one than in ");
    std::fs::write(&other, "1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    assert_fails(analyse("--resume --nodes 50", &other), "--resume: more games than in ");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
    // Another analysis of the same games replaces the tag; files of earlier versions have none.
    let again = folder.path().join("again.pgn");
    succeed(labrys(&format!("analyse --nodes 60 --out {}", again.display()), &out));
    assert_eq!(std::fs::read_to_string(&again).unwrap().matches("[Analysis ").count(), 2);
    std::fs::write(&out, text.replace(&format!("[Analysis \"{settings}\"]\n"), "")).unwrap();
    succeed(analyse("--resume --nodes 60", &path));
    // A game that cannot be analysed fails each time.
    std::fs::remove_file(&out).unwrap();
    std::fs::write(&other, "1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 e5 2. Ke5 1-0\n").unwrap();
    for words in ["--nodes 50", "--resume --nodes 50"] {
        assert_fails(analyse(words, &other), "1 game not analysed");
    }
}

#[test]
fn an_analysis_is_written_and_resumed() {
    let (folder, path) = file("foreign.pgn", FOREIGN);
    let whole = folder.path().join("whole.pgn");
    let analyse = |words: &str, out: &Path| {
        labrys(&format!("analyse --nodes 2000 --option Hash=1 {words} --out {}", out.display()), &path)
    };
    let out = succeed(analyse("", &whole));
    for part in ["game 1: A – B\n  White: accuracy ", "\n  2. g4??: expected points 0.", "game 3: ? – ?\n"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let text = std::fs::read_to_string(&whole).unwrap();
    for part in
        ["[Event \"Rated game\"]", "[Site \"https://lichess.org/x\"]", "1. e4 {[%clk 0:10:00] [%eval 0."]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(" $4 {[%eval #-1]} ( 2. "), "{text}");
    assert!(labrys("games replay --strict", &whole).0);

    // Killed after the first game.
    let part = folder.path().join("part.pgn");
    let second = text.find("[Event \"?\"]").or(text[1..].find("[Event \"").map(|at| at + 1)).unwrap();
    std::fs::write(&part, &text[..second]).unwrap();
    assert_fails(analyse("", &part), "use --resume to continue");
    let out = succeed(analyse("--resume --json", &part));
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["game"], &lines[0]["white"]["moves"]), (2, &2.into(), &2.into()));
    assert_eq!(std::fs::read_to_string(&part).unwrap(), text);
    assert_fails(labrys("analyse --nodes 9 --option Hash=x", &path), "`x`");
    let refused = labrys("analyse --nodes 9 --option SearchMode=random", &path);
    assert_fails(refused, "game 1 in line 1: the search reports no score");
}

proptest! {
    // The same cases in each run.
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// Reading any bytes terminates, and games with legal moves survive writing and reading.
    #[test]
    fn damaged_files_are_read_to_the_end(
        damage in prop::collection::vec((0..FOREIGN.len(), prop::sample::select(DAMAGE.to_vec())), 0..8),
        cut in 0..=FOREIGN.len(),
    ) {
        let mut bytes = FOREIGN.as_bytes().to_vec();
        for (at, new) in damage {
            let at = at.min(bytes.len() - 1);
            bytes.splice(at..=at, new.iter().copied());
        }
        bytes.truncate(cut);
        for game in PgnReader::new(&bytes[..]).flatten() {
            let replayed = game.board(None).is_ok_and(|mut board| game.replay(board.as_mut()).is_ok());
            if !replayed {
                continue;
            }
            let written = game.to_string();
            let again: Vec<_> = PgnReader::new(written.as_bytes()).collect::<Result<_, _>>().unwrap();
            // The order of unknown tags may change.
            let plain = |game: PgnGame| PgnGame { other_tags: Vec::new(), ..game };
            prop_assert_eq!(again.into_iter().map(plain).collect::<Vec<_>>(), [plain(game)]);
        }
    }
}

/// The replacement of a byte.
const DAMAGE: [&[u8]; 12] =
    [b"", b"{", b"}", b"(", b")", b"[", b"\"", b"\n[Event \"x\"]", b"\xff", b" 1-0 ", b";", b"\n%"];
