//! Certificates beside `tools/verify_certificate.py` and `tools/verify_certificate.c`, which share no code with
//! Labrys. Without Python 3.10 or later, or without a C compiler, the tests say so and leave that one out; they
//! fail where the environment says `CI=true`.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use labrys::game::amazons::Amazons;
use labrys::solver::{Verified, Verifier};

use crate::proofs::{LOSS, MOVE, forge, header, labrys, taken_apart, verify};

/// The token of a position of another certificate.
const ASSUMED: u8 = 2;

/// A small board on which a count ends every line.
const WIN: &str = "1q1q1/q3q/Q3Q/1Q1Q1 w";

/// A program that verifies certificates.
struct Checker {
    command: Vec<PathBuf>,
}

impl Checker {
    /// Runs it: what it prints, or the flaw.
    fn verify(&self, files: &[&Path]) -> Result<String, String> {
        let output = Command::new(&self.command[0]).args(&self.command[1..]).args(files).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        match output.status.code() {
            Some(0) => Ok(text(output.stdout)),
            Some(1) => Err(text(output.stderr)),
            code => panic!("{:?}: {code:?}: {}", self.command, text(output.stderr)),
        }
    }
}

static PYTHON: LazyLock<Option<Checker>> = LazyLock::new(python);
static C: LazyLock<Option<Checker>> =
    LazyLock::new(|| compiled("verify_certificate.c").map(|program| Checker { command: vec![program] }));

/// The verifiers in Python and in C that this machine can run.
fn checkers() -> Vec<&'static Checker> {
    [&PYTHON, &C].into_iter().filter_map(|checker| checker.as_ref()).collect()
}

fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").join(name)
}

fn python() -> Option<Checker> {
    let recent = "import sys; sys.exit(sys.version_info < (3, 10))";
    let status = Command::new("python3").args(["-c", recent]).status();
    if !status.is_ok_and(|status| status.success()) {
        say_untested("the verifier in Python, as there is no Python 3.10");
        return None;
    }
    Some(Checker { command: vec!["python3".into(), tool("verify_certificate.py")] })
}

/// Says that something is left out, past the test runner, which keeps what tests print. In CI that is an error.
fn say_untested(what: &str) {
    assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "not tested: {what}");
    _ = writeln!(io::stderr(), "NOT TESTED: {what}");
}

/// Whether a program is there; otherwise tests leave something out.
fn is_there(program: &str, what: &str) -> bool {
    let is_there = cfg!(all(unix, target_pointer_width = "64"))
        && Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        say_untested(&format!("{what}, as there is no `{program}` for 64 bits"));
    }
    is_there
}

/// Compiles a tool in C, where there is a compiler.
fn compiled(source: &str) -> Option<PathBuf> {
    if !is_there("cc", source) {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Other test processes may run the one that is there.
    let output = tempfile::NamedTempFile::new_in(folder).unwrap().into_temp_path();
    let words = ["-O1", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o"];
    let mut compiler = Command::new("cc");
    let done = compiler.args(words).arg(&output).arg(tool(source)).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let program = folder.join(source).with_extension("");
    output.persist(&program).unwrap();
    Some(program)
}

/// Writes a certificate with the program.
fn write(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let path = folder.join(name);
    let words = ["solve", "--variant", "amazons", "--proof", path.to_str().unwrap()];
    let words = [&words[..], arguments].concat();
    let (success, _, error) = labrys(&words);
    assert!(success, "{error}");
    path
}

/// What the other verifiers print of a certificate that Labrys accepts.
fn line_of(path: &Path) -> String {
    let Verified { header, checksum } = verify::<Amazons>(path).unwrap();
    let (positions, lines) = (header.counts.positions(), header.counts.counted);
    format!("{}\t{}\t{positions}\t{checksum:08x}\t{lines}\n", header.value, header.fen)
}

#[test]
fn the_other_verifiers_accept_what_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    for (number, arguments) in [
        &["--fen", LOSS][..],
        &["--fen", LOSS, "--counting"],
        &["--fen", WIN, "--counting"],
        // On ten files, and with regions of both players closed off by arrows.
        &["--fen", "qQ*q1*2qQ/2*1Q*3* b", "--counting"],
    ]
    .into_iter()
    .enumerate()
    {
        let path = write(folder.path(), &number.to_string(), arguments);
        for checker in checkers() {
            assert_eq!(checker.verify(&[&path]), Ok(line_of(&path)), "{arguments:?}");
        }
    }
}

/// These take Python a minute.
#[test]
fn the_verifier_in_c_accepts_whole_boards() {
    let Some(checker) = C.as_ref() else { return };
    let folder = tempfile::tempdir().unwrap();
    for fen in ["1qq1/q2q/4/Q2Q/1QQ1 w", "1qq1/q2q/4/4/Q2Q/1QQ1 w", "1q1q1/q3q/5/Q3Q/1Q1Q1 w"] {
        let path = write(folder.path(), "proof", &["--fen", fen, "--counting", "--hash", "64"]);
        assert_eq!(checker.verify(&[&path]), Ok(line_of(&path)), "{fen}");
    }
}

#[test]
fn the_other_verifiers_take_parts_of_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    // The mirror image of a position in the proof of the whole.
    let part = write(folder.path(), "part", &["--fen", "1q1q1/q2q1/Q**QQ/1Q3 w", "--counting"]);
    let assumed = ["--fen", WIN, "--assume", part.to_str().unwrap(), "--counting"];
    let whole = write(folder.path(), "whole", &assumed);
    for checker in checkers() {
        let error = checker.verify(&[&whole]).unwrap_err();
        assert!(error.contains("not proven as said, `assumed`: 1q1q1/1q2q/QQ**Q/3Q1 w"), "{error}");
        assert!(checker.verify(&[&part, &whole]).is_ok());
    }
}

#[test]
fn nothing_is_proven_by_a_certificate_of_another_board() {
    let folder = tempfile::tempdir().unwrap();
    // After White's second move on 5×4, the squares from a1 on are those of this position on 4×5.
    let part = write(folder.path(), "part", &["--fen", "**q*/**1*/*1Q*/**1*/***1 b", "--counting"]);
    let whole = folder.path().join("whole");
    let header = header("amazons", "*Q*q*/1***1/*1**1/***1* w - - 0 1", "win");
    forge(&whole, &header.replace("\"assumed\":0", "\"assumed\":1"), &[MOVE + 1, ASSUMED]);
    let mut verifier = Verifier::<Amazons>::new();
    verifier.verify(&part).unwrap();
    let error = verifier.verify(&whole).unwrap_err().to_string();
    assert!(error.contains("no certificate before this one proves it"), "{error}");
    for checker in checkers() {
        let error = checker.verify(&[&part, &whole]).unwrap_err();
        assert!(error.contains("`assumed`: ***q*/Q***1/*1**1/***1* b"), "{error}");
    }
}

#[test]
fn the_other_verifiers_refuse_moves_that_do_not_win() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = [0; 2];
    for arguments in [&["--fen", LOSS][..], &["--fen", WIN, "--counting"]] {
        let path = write(folder.path(), "proof", arguments);
        let (header, tokens) = taken_apart(&path);
        // The numbers of the tokens are the same, so that only the proof can be wrong.
        let moves = (0..tokens.len()).filter(|&place| tokens[place] >= MOVE && tokens[place] < 0x80);
        for (place, bit) in moves.step_by(17).zip([0, 1, 2].into_iter().cycle()) {
            let mut forged = tokens.clone();
            forged[place] ^= 1 << bit;
            if forged[place] < MOVE {
                continue;
            }
            forge(&path, &header, &forged);
            let found = verify::<Amazons>(&path).map(|_| ());
            for checker in checkers() {
                let other = checker.verify(&[&path]);
                assert_eq!(found.is_ok(), other.is_ok(), "token {place}: {found:?} {other:?}");
                if let Err(error) = other {
                    assert!(error.contains(" proves nothing: "), "token {place}: {error}");
                }
            }
            seen[usize::from(found.is_ok())] += 1;
        }
    }
    assert!(seen[0] > 5, "{seen:?}");
}

#[test]
fn the_other_verifiers_refuse_damaged_and_foreign_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    let bytes = fs::read(&path).unwrap();
    let (header, tokens) = taken_apart(&path);
    let refused = |problem: &str| {
        for checker in checkers() {
            let error = checker.verify(&[&path]).unwrap_err();
            assert!(error.contains(problem), "{problem}: {error}");
        }
    };
    for (place, problem) in
        [(0, "is no certificate"), (50, "is damaged"), (200, "is damaged"), (255, "is damaged")]
    {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        fs::write(&path, damaged).unwrap();
        refused(problem);
        fs::write(&path, &bytes[..place]).unwrap();
        refused(problem);
    }
    let cut = tokens[..tokens.len() - 1].to_vec();
    let longer = [&tokens[..], &[0]].concat();
    for (header, tokens, problem) in [
        (header.clone(), cut, "the proof ends before it"),
        (header.clone(), longer, "has more bytes than its proof"),
        (header.replace("\"win\"", "\"loss\""), tokens.clone(), "proves nothing"),
        (header.replace("\"moves\":94", "\"moves\":95"), tokens.clone(), "other numbers than its proof"),
        (header.replace('{', "{\"more\":1,"), tokens.clone(), "invalid header"),
        (header.replace('{', "{\"kept\":0,"), tokens.clone(), "invalid header"),
        (header.replace(" - - 0 1", ""), tokens.clone(), "invalid header"),
        (header.replace("amazons", "chess"), tokens.clone(), "another game"),
        (header.replace(',', ", "), tokens.clone(), "invalid header"),
        ("{}".to_owned(), tokens.clone(), "invalid header"),
        ("[".to_owned(), tokens.clone(), "invalid header"),
    ] {
        forge(&path, &header, &tokens);
        refused(problem);
    }
    fs::remove_file(&path).unwrap();
    refused("No such file");
}

/// A number that goes on at the end of the tokens is no token, but it is not nothing either.
#[test]
fn a_number_without_its_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    let (header, tokens) = taken_apart(&path);
    for end in [&[0x80][..], &[0xFF], &[0x80; 9]] {
        forge(&path, &header, &[&tokens, end].concat());
        let error = verify::<Amazons>(&path).unwrap_err();
        assert_eq!(error, "cannot be read: the last number has no end", "{end:x?}");
        for checker in checkers() {
            let error = checker.verify(&[&path]).unwrap_err();
            assert!(error.contains("has more bytes than its proof"), "{end:x?}: {error}");
        }
    }
}

#[test]
fn streams_with_flipped_bits_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    let bytes = fs::read(&path).unwrap();
    let (header, _) = taken_apart(&path);
    let (start, end) = (header.len() + 16, bytes.len() - 4);
    // With a right checksum. The last byte has bits that mean nothing.
    for place in (start..end - 1).step_by(3) {
        let mut flipped = bytes[..end].to_vec();
        flipped[place] ^= 1 << (place % 8);
        flipped.extend(crc32fast::hash(&flipped).to_le_bytes());
        fs::write(&path, flipped).unwrap();
        let found = verify::<Amazons>(&path).map(|_| ());
        for checker in checkers() {
            assert_eq!(checker.verify(&[&path]).is_ok(), found.is_ok(), "byte {place}: {found:?}");
        }
    }
}

/// Nothing is printed as verified that has not arrived.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    for checker in checkers() {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(&checker.command[0]);
        let output = command.args(&checker.command[1..]).arg(&path).stdout(full).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && error.contains("No space left"), "{error}");
    }
}

#[test]
fn the_count_of_the_verifier_in_c_is_right_on_small_boards() {
    let Some(program) = compiled("check_count.c") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    let path = path.to_str().unwrap();
    for (arguments, expected) in [
        (&["4", "2"][..], "55280 counted, 55280 confirmed by all moves\n"),
        (&[path], "\n93 counted, 93 confirmed by all moves, 0 separated, 28 at once\n"),
    ] {
        let output = Command::new(&program).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.ends_with(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn one_command_checks_a_folder_and_its_manifest() {
    if !is_there("make", "make verify-certificates") || !is_there("cc", "make verify-certificates") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let make = || {
        let mut make = Command::new("make");
        let variables =
            [format!("FOLDER={}", at("")), format!("VERIFY={}", at("checker")), "JOBS=2".to_owned()];
        make.current_dir(env!("CARGO_MANIFEST_DIR")).arg("verify-certificates").args(variables);
        let output = make.output().unwrap();
        let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.success(), out + &error)
    };
    assert!(!make().0, "an empty folder");
    let manifest = at("manifest.tsv");
    let part = write(folder.path(), "a.proof", &["--fen", LOSS, "--counting", "--manifest", &manifest]);
    write(folder.path(), "it is 2.proof", &["--fen", WIN, "--counting", "--manifest", &manifest]);
    let (success, text) = make();
    assert!(success && text.contains("\n2 certificates hold\n"), "{text}");

    let listed = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, listed.replace("\twin\t", "\tloss\t")).unwrap();
    let (success, text) = make();
    assert!(!success && text.contains("> loss\t1q1q1/q3q"), "{text}");
    fs::write(&manifest, listed).unwrap();
    let bytes = fs::read(&part).unwrap();
    fs::write(&part, &bytes[..bytes.len() - 1]).unwrap();
    let (success, text) = make();
    assert!(!success && text.contains("a.proof is damaged or incomplete"), "{text}");
}
