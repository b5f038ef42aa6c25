//! The subcommands `perft` and `bench`, and the errors of the command line.

use crate::common;
use crate::common::shell::{self, assert_fails, not_tested, succeed};

use std::process::{Command, Stdio};
use std::time::Duration;

use common::bench;

fn labrys(arguments: &[&str]) -> (bool, String, String) {
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(arguments))
}

#[test]
fn perft_counts_a_position() {
    let (success, out, _) = labrys(&["perft", "--variant", "neighbours", "--depth", "4"]);
    assert!(success && out.starts_with("132496 nodes "), "{out}");
    let fen = "p1p1p2P/7p/1p2p3/6p1/p2P4/2P5/4P1P1/P1P3P1 b 37 19";
    let (success, out, _) =
        labrys(&["perft", "--variant", "neighbours", "--fen", fen, "--depth", "3", "--divide"]);
    assert!(success);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 6, "five moves and the sum: {out}");
    let sum: u64 =
        lines[..5].iter().map(|line| line.split(": ").nth(1).unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 1146);
    assert!(lines[5].starts_with("1146 nodes "));
}

#[test]
fn perft_checks_a_suite() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/perft/neighbours.epd");
    let (success, out, _) = labrys(&["perft", "--variant", "neighbours", "--suite", suite, "--depth", "3"]);
    assert!(success && out.contains("25 positions, 75 counts, 0 wrong"), "{out}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.epd");
    std::fs::write(&path, "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1 ;D1 20 ;D2 401").unwrap();
    let (success, out, error) =
        labrys(&["perft", "--variant", "neighbours", "--suite", path.to_str().unwrap()]);
    assert!(!success && out.contains("D2 400 WRONG, expected 401"), "{out}");
    assert!(error.contains("1 of 2 counts wrong"), "{error}");

    std::fs::write(&path, "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1 ;D3 8902").unwrap();
    let suite = path.to_str().unwrap();
    let (success, _, error) = labrys(&["perft", "--variant", "neighbours", "--suite", suite, "--depth", "2"]);
    assert!(!success && error.contains("nothing to count, the least depth is 3"), "{error}");

    std::fs::write(&path, "\nppp w ;D1 20").unwrap();
    let (success, _, error) =
        labrys(&["perft", "--variant", "neighbours", "--suite", path.to_str().unwrap()]);
    assert!(!success && error.contains("line 2") && error.contains("the board has 1 rank,"), "{error}");
}

#[test]
fn a_position_of_another_game_is_recognised() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/perft");
    let games = ["chess", "neighbours", "tucchess", "amazons"];
    for game in games {
        let suite = format!("{folder}/{game}.epd");
        let text = std::fs::read_to_string(&suite).unwrap();
        let line = text.lines().find(|line| line.contains(';')).unwrap();
        let fen = line.split(';').next().unwrap().trim();
        let hint = format!("; looks like variant `{game}`");
        for other in games.into_iter().filter(|&other| other != game) {
            for arguments in [
                &["perft", "--variant", other, "--suite", &suite][..],
                &["perft", "--variant", other, "--depth", "1", "--fen", fen],
                &["solve", "--variant", other, "--fen", fen],
            ] {
                assert_fails(labrys(arguments), &hint);
            }
        }
    }
    let (success, _, error) = labrys(&["solve", "--fen", "8/8"]);
    assert!(!success && !error.contains("looks like"), "{error}");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, message) in [
        (&["perft"][..], "--depth"),
        (&["perft", "--depth", "0"], "labrys: --depth `0`: expected a whole number from 1 to 64\n"),
        (&["perft", "--depth", "2", "--variant", "go"], "unknown variant `go`"),
        (&["perft", "--depth", "2", "--fen", "8/8"], "labrys: --fen: FEN: the board has 2 ranks"),
        (&["solve", "--fen", "8/8"], "labrys: --fen: FEN: the board has 2 ranks"),
        (&["solve", "--moves", "e2e5"], "labrys: --moves: move 1: "),
        (&["perft", "--suite", "/no/such/file"], "cannot read /no/such/file"),
        (&["bench", "--depth", "x"], "labrys: --depth `x`: expected a whole number from 1 to 100\n"),
        (&["play"], "labrys: unknown command `play`"),
    ] {
        assert_fails(labrys(arguments), message);
    }
}

#[test]
fn old_command_names_work_with_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games").display().to_string();
    let own = ["--variant", "neighbours", "--games", "1", "--nodes", "1", "--out", &path];
    let (success, out, error) = labrys(&[&["selfplay"][..], &own].concat());
    assert!(success && out.starts_with(&format!("{path}: 1 game, ")), "{out}{error}");
    let notice = "labrys: warning: `labrys selfplay` is now `labrys nnue selfplay`, \
                  the old name will be removed in the next version\n";
    assert_eq!(error, notice);
    let (old, new) = (labrys(&["stats", &path]), labrys(&["nnue", "stats", &path]));
    assert!(old.0 && old.1 == new.1 && new.2.is_empty(), "{old:?} {new:?}");
    let (_, help, error) = labrys(&["--help"]);
    assert!(error.is_empty() && help.contains("\nLearn:\n"), "{help}");
    assert!(help.contains(": selfplay, rescore, stats, ") && !help.contains("tuc-client"), "{help}");
}

#[test]
fn options_json_lists_arguments_and_options() {
    let (success, out, _) = labrys(&["options", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(success && all["commands"]["nnue selfplay"]["arguments"].is_array());
    assert_eq!(all["settings"]["zero"]["selfplay"]["games"], 40);
    assert_eq!(all["settings"]["zero"]["generations"], 100);
    for game in labrys::engine::registry::names() {
        assert!(all["games"][game].as_array().is_some_and(|options| options.len() > 10), "{game}");
    }
    let (success, text, _) = labrys(&["options"]);
    assert!(
        success && text.contains("\n  --nodes NODES: Nodes for each move at most [default: 1000]\n"),
        "{text}"
    );
}

#[test]
fn bench_ends_with_the_signature_of_each_game() {
    let (success, out, _) = labrys(&["bench", "--depth", "3"]);
    assert!(success);
    bench::check(&out.lines().map(str::to_owned).collect::<Vec<_>>());
}

/// Runs a command whose output is not read, and returns its messages.
#[cfg(unix)]
fn unread(arguments: &[&str]) -> (bool, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    let output = command.args(arguments).stdout(writer).stdin(Stdio::null()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [pgn, games, epd, net, zero] = ["a.pgn", "games", "a.epd", "net", "zero"].map(path);
    let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1"];
    let played = [&["match", "--games", "2", "--pgnout", &pgn][..], &both].concat();
    assert!(labrys(&played).0);
    let own = ["--variant", "neighbours", "--nodes", "1"];
    assert!(labrys(&[&["nnue", "selfplay", "--games", "2", "--out", &games][..], &own].concat()).0);
    std::fs::write(&epd, "k7/8/8/8/8/8/P7/K7 w - - 0 1 bm Kb2;\n").unwrap();
    let [more, book, weights, proof, tables, merged, man] =
        ["more", "book", "weights", "proof", "tables", "merged", "man"].map(path);
    let drawn = "8/8/8/8/8/k7/p7/K7 w - - 0 1";
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["match", "--help"],
        &["uci"],
        &["perft", "--depth", "2"],
        &["perft", "--depth", "2", "--divide"],
        &["bench", "--depth", "1"],
        &[&["match", "--games", "2"][..], &both].concat(),
        &[&["match", "--games", "2", "--json"][..], &both].concat(),
        &[&["match", "--games", "2", "--rating-interval", "2"][..], &both].concat(),
        &[&["match", "--games", "2", "--pgnout", "/dev/stdout"][..], &both].concat(),
        &[&["nnue", "selfplay", "--games", "2", "--out", "/dev/stdout"][..], &own].concat(),
        &["openings", "--count", "1", "--nodes", "1", "--within", "9999", "--out", &book],
        &["games", "replay", &pgn],
        &["games", "replay", &games],
        &["analyse", &pgn, "--nodes", "1"],
        &["games", "plot", &pgn],
        &["linear", "tune", "--games", &games, "--variant", "neighbours", "--epochs", "1", "--out", &weights],
        &[&["nnue", "selfplay", "--games", "2", "--out", &more][..], &own].concat(),
        &["nnue", "stats", "--variant", "neighbours", &games],
        &["nnue", "new", "--variant", "neighbours", "--out", &net],
        &["zero", "new", "--variant", "neighbours", "--out", &zero],
        &["suite", &epd, "--nodes", "1"],
        &["solve", "--fen", drawn, "--proof", &proof],
        &["verify", &proof],
        &["tables", "--pieces", "1", "--out", &tables],
        &["completions", "bash"],
        &["man", &man],
        &["games", "merge", &games, "--out", &merged],
    ] {
        let (_, error) = unread(arguments);
        // Other errors are reported: a complete file of games is not a shard.
        assert!(
            error.is_empty() || arguments[0] == "games" && arguments[1] == "merge",
            "{arguments:?}: {error}"
        );
        assert!(!error.contains("panicked") && !error.contains("pipe"), "{arguments:?}: {error}");
    }
    // What fails, fails.
    std::fs::write(&epd, "k7/8/8/8/8/8/P7/K7 w - - 0 1 ;D1 99\n").unwrap();
    assert_eq!(unread(&["perft", "--suite", &epd]), (false, String::new()));
    let [proof, manifest] = ["other-proof", "manifest"].map(path);
    unread(&["solve", "--fen", drawn, "--proof", &proof, "--manifest", &manifest]);
    assert_eq!(std::fs::read_to_string(&manifest).unwrap().lines().count(), 1);
    // Unread messages are no reason to fail, either.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    let output = command.args(["suite", &games, "--nodes", "1"]).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn outputs_are_pipes_and_links_as_well_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1", "--games", "2"];
    let selfplay = ["nnue", "selfplay", "--variant", "neighbours", "--nodes", "1", "--games", "2", "--out"];
    let openings = ["openings", "--count", "2", "--nodes", "1", "--within", "9999", "--out"];
    for (arguments, begin) in [
        (&[&["match"][..], &both, &["--pgnout"]].concat()[..], "[Event "),
        (&[&["match"][..], &both, &["--epdout"]].concat(), ""),
        (&[&["match"][..], &both, &["--plot"]].concat(), "<svg"),
        (&selfplay[..], "{\"format\":"),
        (&openings[..], ""),
        (&["nnue", "new", "--variant", "neighbours", "--out"], ""),
    ] {
        let [pipe, link, file] = ["pipe", "link", "file"].map(path);
        for name in [&pipe, &link, &file] {
            _ = std::fs::remove_file(name);
        }
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let read = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        succeed(labrys(&[arguments, &[&pipe]].concat()));
        let read = read.join().unwrap();
        assert!(!read.is_empty() && read.starts_with(begin.as_bytes()), "{arguments:?}");
        std::os::unix::fs::symlink("file", &link).unwrap();
        succeed(labrys(&[arguments, &[&link]].concat()));
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink(), "{arguments:?}");
        assert!(std::fs::read(&file).unwrap().starts_with(begin.as_bytes()), "{arguments:?}");
        succeed(labrys(&[arguments, &["/dev/null"]].concat()));
    }
    // If standard output is the same file, it has both, one after the other.
    let both = std::fs::File::create(path("file")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    assert!(command.args(openings).arg("/dev/stdout").stdout(both).status().unwrap().success());
    let text = std::fs::read_to_string(path("file")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() == 3 && lines[1].contains("; ce ") && lines[2].starts_with("2 openings"), "{text}");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing is left beside them: {names:?}");
}

/// A device without an end, a pipe that nobody writes to, and a file of many terabytes.
#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    std::fs::File::create(path("huge")).unwrap().set_len(1 << 42).unwrap();
    // In bounded memory and time: a command that reads on fails otherwise.
    let run = |arguments: &[&str], input: &str| {
        use std::io::Write as _;

        let words = ["60", "sh", "-c", "ulimit -v 8000000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_labrys")];
        let mut command = Command::new("timeout");
        command.args(words).args(arguments).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for input in ["/dev/zero", "pipe", "huge"] {
        let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1", "--games", "2"];
        for arguments in [
            &["nnue", "stats", input][..],
            &["suite", "--depth", "1", input],
            &["perft", "--suite", input],
            &["verify", input],
            &["games", "replay", "--strict", input],
            &["games", "merge", "--out", "merged", input],
            &["games", "plot", "--strict", input, "--out", "plot.svg"],
            &["analyse", "--nodes", "1", "--strict", input],
            &["linear", "tune", "--strict", "--games", input, "--out", "tuned.json"],
            &["nnue", "train", "--data", input, "--out", "trained"],
            &["nnue", "selfplay", "--games", "1", "--weights", input, "--out", "games.bin"],
            &["nnue", "selfplay", "--games", "1", "--net", input, "--out", "games.bin"],
            &["solve", "--assume", input],
            &["zero", "train", input, "--out", "zero"],
            &[&["match"][..], &both, &["--report", input]].concat(),
            &[&["match"][..], &both, &["--openings", input]].concat(),
        ] {
            let (code, text) = run(arguments, "");
            assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?}: {text}");
            assert!(text.contains(input) && !text.contains("unexpected argument"), "{arguments:?}: {text}");
        }
        for option in ["WeightsFile", "EvalFile", "NetFile"] {
            let (code, text) = run(&[], &format!("setoption name {option} value {input}\nisready\n"));
            assert_eq!(code, Some(0), "{option} {input}: {text}");
            assert!(text.contains("info string error: option ") && text.contains("readyok"), "{text}");
        }
        let (_, text) = run(&[], &format!("setweights file {input}\nisready\n"));
        assert!(text.contains("info string error: setweights: ") && text.contains("readyok"), "{text}");
    }
}

/// Two runs with one output would both say that they are done, with the work of one of them lost.
#[test]
fn a_second_writer_of_an_output_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1", "--games", "100000"];
    for (name, arguments) in [
        ("games", &["nnue", "selfplay", "--variant", "neighbours", "--games", "100000000", "--out"][..]),
        ("a.pgn", &[&["match"][..], &both, &["--resume", "--pgnout"]].concat()),
        ("b.pgn", &[&["match"][..], &both, &["--pgnout"]].concat()),
        ("a.epd", &["openings", "--count", "1000000", "--nodes", "1", "--out"]),
        ("run", &["linear", "train", "--variant", "neighbours", "--games", "100000000", "--resume", "--out"]),
        ("table", &["solve", "--time", "600", "--hash", "1", "--checkpoint"]),
    ] {
        let path = path(name);
        let arguments = [arguments, &[&path]].concat();
        let mut first = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let is_locked = || {
            let folders = [folder.path().to_owned(), path.clone().into()];
            let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with(".lock"))
        };
        while !is_locked() {
            assert_eq!(first.try_wait().unwrap(), None, "{arguments:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let (success, out, error) = labrys(&arguments);
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(!success && out.is_empty(), "{arguments:?}: {out}");
        assert!(error.contains("another process is writing it") && error.contains(name), "{error}");
        // The lock of a killed process is stale.
        let other = ["nnue", "selfplay", "--variant", "neighbours", "--games", "1", "--nodes", "1", "--out"];
        if name == "games" {
            let (success, _, error) = labrys(&[&other[..], &[&path]].concat());
            assert!(success || error.contains("nodes 1000, not 1"), "{error}");
        }
        _ = std::fs::remove_dir_all(folder.path().join(name));
        for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
            _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The lock of a killed run is stale, even if another user started it.
#[cfg(unix)]
#[test]
fn a_stale_lock_of_another_user_does_not_block() {
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let everybody = |mode| PermissionsExt::from_mode(mode);
    std::fs::set_permissions(folder.path(), everybody(0o777)).unwrap();
    let program = folder.path().join("labrys");
    std::fs::copy(env!("CARGO_BIN_EXE_labrys"), &program).unwrap();
    std::fs::set_permissions(&program, everybody(0o755)).unwrap();
    let selfplay = |games: &str, uid| {
        let mut command = Command::new(&program);
        command.args([
            "nnue",
            "selfplay",
            "--variant",
            "neighbours",
            "--nodes",
            "1",
            "--games",
            games,
            "--out",
        ]);
        command.arg(folder.path().join("games")).stdout(Stdio::piped()).stderr(Stdio::piped()).uid(uid);
        command
    };
    let nobody = 65_534;
    let mut first = loop {
        match selfplay("100000000", 0).spawn() {
            Ok(first) => break first,
            // A process that another test starts has the copy open for writing until it runs its own program.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return not_tested("the lock of another user: only the superuser starts a program as one");
            }
            Err(error) => panic!("{error}"),
        }
    };
    let locks = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".lock")).count()
    };
    while locks() == 0 {
        assert_eq!(first.try_wait().unwrap(), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let (success, _, error) = shell::output(&mut selfplay("1", nobody));
    assert!(!success, "{error}");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(locks(), 1);
    _ = std::fs::remove_file(folder.path().join("games"));
    succeed(shell::output(&mut selfplay("1", nobody)));
    assert_eq!(locks(), 0);
}

#[test]
fn a_file_of_another_kind_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [pgn, games, out, inside] = ["a.pgn", "games", "out", "a.pgn/out"].map(path);
    let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1", "--games", "2"];
    assert!(labrys(&[&["match"][..], &both, &["--pgnout", &pgn]].concat()).0);
    let own = ["--variant", "neighbours", "--nodes", "1", "--games", "1", "--out", &games];
    assert!(labrys(&[&["nnue", "selfplay"][..], &own].concat()).0);
    // The file names its game.
    let (success, text, error) = labrys(&["nnue", "stats", &games]);
    assert!(success && text.contains("1 game with"), "{text}{error}");
    let refused = labrys(&["nnue", "stats", "--variant", "chess", &games]);
    assert_fails(refused, "games of `neighbours`, expected `chess`");
    let folder_name = folder.path().to_str().unwrap();
    for (arguments, problem) in [
        (&["games", "replay", folder_name][..], "a folder, expected a file of games"),
        (&["games", "plot", folder_name], "a folder, expected a file of games"),
        (&["analyse", folder_name, "--nodes", "1"], "a folder, expected a file of games"),
        (&["games", "merge", &games, "--out", folder_name], "a folder, expected the name of a file"),
        (&["suite", &pgn, "--nodes", "1"], "games in PGN, expected positions in EPD"),
        (&["man", &pgn], "there is a file in the place of the folder"),
        (&["man", &inside], "there is a file in the place of the folder"),
        (&["tables", "--pieces", "1", "--out", &pgn], "there is a file in the place"),
        (
            &["linear", "train", "--variant", "neighbours", "--out", &pgn],
            "there is a file in the place of the folder",
        ),
        (&["solve", "--variant", "neighbours", "--nodes", "1", "--checkpoint", &pgn], "it is no checkpoint"),
        (&[&["match"][..], &both, &["--epdout", &pgn]].concat(), "use --resume to continue a match"),
    ] {
        let (success, text, error) = labrys(arguments);
        assert!(!success && text.is_empty(), "{arguments:?}: {text}");
        assert!(error.contains(problem) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
    // An input that is also the output is unchanged.
    let before = std::fs::read(&pgn).unwrap();
    for arguments in [
        &["games", "plot", &pgn, "--out", &pgn][..],
        &["linear", "tune", "--games", &pgn, "--out", &pgn],
        &[&["match"][..], &both, &["--openings", &pgn, "--plot", &pgn]].concat(),
    ] {
        assert_fails(labrys(arguments), "choose another one");
    }
    assert_eq!(std::fs::read(&pgn).unwrap(), before);
    assert!(!std::path::Path::new(&out).exists());
}

#[cfg(unix)]
#[test]
fn a_word_that_is_not_utf8_is_named() {
    use std::os::unix::ffi::OsStrExt;

    let word = std::ffi::OsStr::from_bytes(b"caf\xe9.x");
    for (arguments, message) in [
        (
            &["nnue", "selfplay", "--variant", "chess", "--net"][..],
            "labrys: --net `caf\u{fffd}.x`: not UTF-8",
        ),
        (&["linear", "train", "--weights"], "labrys: --weights `caf\u{fffd}.x`: not UTF-8"),
        (&["match", "--each", "nodes=1"], "labrys: `caf\u{fffd}.x`: not UTF-8"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        assert_fails(shell::output(command.args(arguments).arg(word)), message);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("a.pgn").to_str().unwrap().to_owned();
    let engine = concat!("cmd=", env!("CARGO_BIN_EXE_labrys"));
    let both = ["--engine", "name=a", engine, "nodes=1", "--engine", "name=b", "nodes=1", "--games", "2"];
    assert!(labrys(&[&["match", "--pgnout", &pgn][..], &both].concat()).0);
    for arguments in [
        &[&["match", "--pgnout", "/dev/full"][..], &both].concat()[..],
        &[&["match", "--epdout", "/dev/full"][..], &both].concat(),
        &["analyse", &pgn, "--nodes", "1", "--out", "/dev/full"],
    ] {
        assert_fails(labrys(arguments), "`/dev/full`: No space left");
    }
    for words in [&["--help"][..], &["help", "match"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_labrys")).args(words).stdout(full).output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.code() == Some(1) && error.contains("No space left"), "{words:?}: {error}");
    }
}

/// The file is named, not the temporary one that replaces it.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_in_the_end_is_reported_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.epd");
    let words = format!("openings --count 1 --nodes 1 --within 9999 --out {}", path.display());
    let (success, _, error) = shell::labrys_within(0, &words);
    assert!(!success && error.contains("a.epd: File too large"), "{error}");
    assert!(!error.contains(" at path "), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// An incomplete log does not end a match, but is an error at its end.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_an_error_at_the_end() {
    let engine = concat!("cmd=", env!("CARGO_BIN_EXE_labrys"));
    let both = ["--engine", "name=a", engine, "nodes=1", "--engine", "name=b", "nodes=1", "--games", "2"];
    let (success, out, error) = labrys(&[&["match", "--log", "/dev/full"][..], &both].concat());
    assert!(!success && out.contains("a against b: 2 games"), "{out}");
    assert!(error.contains("--log: lines are missing: "), "{error}");
}

#[cfg(unix)]
#[test]
fn interrupted_openings_are_kept_but_replace_no_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.epd");
    let interrupted = || {
        let mut openings = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(["openings", "--count", "1000000", "--nodes", "1", "--within", "9999", "--out"])
            .arg(&path)
            .env("RUST_LOG", "labrys=debug")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = openings.stderr.take().unwrap();
        let error = shell::signal_at(&openings, log, "opening 1: ", "-INT");
        assert!(!openings.wait().unwrap().success());
        error
    };
    let error = interrupted();
    let book = std::fs::read_to_string(&path).unwrap();
    let lines = book.lines().count();
    let told = format!("found only {lines} of 1000000 openings, in {}: interrupted", path.display());
    assert!(lines > 0 && error.contains(&told), "{lines}: {error}");

    std::fs::write(&path, "a whole book").unwrap();
    let (error, told) = (interrupted(), format!("and {} is as it was: interrupted", path.display()));
    assert!(error.contains(&told), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a whole book");
}

#[test]
fn openings_that_always_end_the_game_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("games");
    let selfplay =
        ["nnue", "selfplay", "--variant", "amazons", "--games", "3", "--nodes", "1", "--random-plies"];
    for plies in ["200", "150-160", "700"] {
        let (success, _, error) = labrys(&[&selfplay[..], &[plies, "--out", out.to_str().unwrap()]].concat());
        let last = plies.split('-').next_back().unwrap();
        let told = format!("in 1000 attempts every game was over within {last} random plies");
        assert!(!success && error.contains(&told) && error.contains("games"), "{error}");
        std::fs::remove_file(&out).unwrap();
    }
}

#[test]
fn errors_point_at_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [pgn, games, epd, out, config] = ["a.pgn", "games", "a.epd", "out", "a.toml"].map(path);
    let both = ["--engine", "name=a", "nodes=1", "--engine", "name=b", "nodes=1", "--games", "4"];
    assert!(labrys(&[&["match"][..], &both, &["--pgnout", &pgn]].concat()).0);
    let own = ["--variant", "neighbours", "--nodes", "1"];
    assert!(labrys(&[&["nnue", "selfplay", "--games", "1", "--out", &games][..], &own].concat()).0);
    let amazons = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1 bm d1d7,d7g7;\n";
    std::fs::write(&epd, amazons.repeat(3)).unwrap();
    let missing = path("missing/file");

    // Words that occur once in the messages, and others that do not.
    let check = |arguments: &[&str], once: &str, never: &str| {
        let (success, _, error) = labrys(arguments);
        assert!(!success, "{arguments:?}: {error}");
        assert_eq!(error.matches(once).count(), 1, "{arguments:?}: {once}: {error}");
        assert!(never.is_empty() || !error.contains(never), "{arguments:?}: {error}");
    };
    for name in [&missing, "/proc/file"] {
        check(&[&["match"][..], &both, &["--pgnout", name]].concat(), name, "--resume");
        check(&["analyse", &pgn, "--nodes", "1", "--out", name], name, "--resume");
        check(&[&["nnue", "selfplay", "--games", "1", "--out", name][..], &own].concat(), name, "resume");
    }
    check(&[&["match"][..], &both, &["--pgnout", &pgn]].concat(), "use --resume to continue a match", "");
    check(&["analyse", &pgn, "--nodes", "1", "--out", &games], "use --resume to continue an analysis", "");
    for resume in [&[][..], &["--resume"]] {
        let analyse = [&["analyse", &pgn, "--nodes", "1", "--out", &pgn][..], resume].concat();
        check(&analyse, "the file of FILE as well, choose another one", "--resume");
    }
    for command in [&["games", "replay", &pgn][..], &["analyse", &pgn, "--nodes", "1"]] {
        let arguments = [command, &["--variant", "amazons"]].concat();
        check(&arguments, "a game of chess, expected amazons", "is no move");
    }
    let tune = ["linear", "tune", "--variant", "amazons", "--out", &out, "--games", &pgn];
    check(&tune, "a game of chess, expected amazons", "is no move");
    let book = [&["match", "--variant", "amazons", "--openings", &pgn][..], &both].concat();
    check(&book, "a game of chess, expected amazons", "is no move");
    check(&[&["match", "--openings", &epd][..], &both].concat(), "looks like variant `amazons`", "");
    check(&["suite", &epd, "--nodes", "1"], "looks like variant `amazons`", "");
    let net = path("net");
    assert!(labrys(&["nnue", "new", "--variant", "neighbours", "--out", &net]).0);
    check(
        &["nnue", "selfplay", "--games", "1", "--net", &net, "--out", &out],
        "an evaluation net for game `neighbours`",
        "",
    );
    check(&["games", "plot", &games], "self-play games of neighbours, expected games in PGN", "line");
    check(&["analyse", &games, "--nodes", "1"], "self-play games of neighbours", "line");
    for (text, message) in [
        ("gamez = 4", "config {}: unknown key `gamez`, expected one of: "),
        ("[match]\ngames = 4", "config {}: unknown key `match`"),
        ("games = \"four\"", "config {}: games `four`: expected a whole number"),
        (
            "[sprt]\nelo9 = 4\n[[engine]]\nnodes=1\n[[engine]]\nnodes=1",
            "config {}: --sprt: unknown key `elo9`",
        ),
        ("[[engine]]\nnodez = 4", "config {}: --engine 1: unknown key `nodez`"),
    ] {
        std::fs::write(&config, text).unwrap();
        check(&["match", "--config", &config], &message.replace("{}", &config), "");
    }
    for (arguments, feature, is_built) in [
        (&["serve"][..], "web", cfg!(feature = "web")),
        (&["serve", "--port", "0"], "web", cfg!(feature = "web")),
        (&["spsa"], "tuning", cfg!(feature = "tuning")),
        (&["spsa", "--iterations", "x"], "tuning", cfg!(feature = "tuning")),
    ] {
        if !is_built {
            check(arguments, &format!("cargo build --release --features {feature}"), "missing");
        }
    }
}

/// An engine without `UCI_Variant` cannot be told the game, which is reported once.
#[cfg(unix)]
#[test]
fn an_engine_without_the_variant_is_named_once() {
    let mock = concat!("arg=", env!("CARGO_MANIFEST_DIR"), "/tests/common/mock_engine.sh");
    let arguments = ["--engine", "name=good", "nodes=1", "--engine", "name=silent", "nodes=1", "cmd=sh"];
    let play = ["match", "--variant", "neighbours", "--games", "4"];
    let (success, _, error) = labrys(&[&play[..], &arguments, &["restart=on", mock, "arg=illegal"]].concat());
    assert!(success, "{error}");
    let told = "labrys: warning: engine `silent`: it has no option UCI_Variant and has to know neighbours by itself\n";
    assert_eq!(error, told);
}

#[test]
fn tables_default_to_the_game_that_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let (success, out, error) =
        labrys(&["tables", "--pieces", "1", "--out", folder.path().to_str().unwrap()]);
    assert!(success && out.lines().count() == 2, "{error}{out}");
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    for width in [60, 90] {
        for command in [&["--help"][..], &["match", "--help"], &["nnue", "train", "--help"]] {
            let mut labrys = Command::new(env!("CARGO_BIN_EXE_labrys"));
            let (success, out, _) = shell::output(labrys.args(command).env("COLUMNS", width.to_string()));
            let widest =
                out.lines().filter(|line| !line.contains("[possible")).map(|line| line.chars().count());
            assert!(success && widest.max().unwrap() <= width, "{command:?} in {width}: {out}");
        }
    }
}
