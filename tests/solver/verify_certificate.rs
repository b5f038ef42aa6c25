//! Certificates beside `tools/verify_certificate.py`, which shares no code with Labrys. Without Python 3.10
//! or later the tests say so and end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use labrys::game::amazons::Amazons;

use crate::proofs::{LOSS, MOVE, forge, labrys, taken_apart, verify};

/// A small board on which a count ends every line.
const WIN: &str = "1q1q1/q3q/Q3Q/1Q1Q1 w";

fn python_is_installed() -> bool {
    let recent = "import sys; sys.exit(sys.version_info < (3, 10))";
    let status = Command::new("python3").args(["-c", recent]).status();
    let is_installed = status.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("no Python 3.10: the verifier in Python is not tested");
    }
    is_installed
}

/// Runs the verifier: what it prints, or the flaw.
fn verify_in_python(files: &[&Path]) -> Result<String, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/verify_certificate.py");
    let output = Command::new("python3").arg(script).args(files).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    match output.status.code() {
        Some(0) => Ok(text(output.stdout)),
        Some(1) => Err(text(output.stderr)),
        code => panic!("{code:?}: {}", text(output.stderr)),
    }
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

#[test]
fn the_other_verifier_accepts_what_is_proven() {
    if !python_is_installed() {
        return;
    }
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
        let verified = verify::<Amazons>(&path).unwrap();
        let (header, checksum) = (verified.header, verified.checksum);
        let (positions, lines) = (header.counts.positions(), header.counts.counted);
        let expected = format!("{}\t{}\t{positions}\t{checksum:08x}\t{lines}\n", header.value, header.fen);
        assert_eq!(verify_in_python(&[&path]), Ok(expected), "{arguments:?}");
    }
}

#[test]
fn the_other_verifier_takes_parts_of_a_proof() {
    if !python_is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The mirror image of a position in the proof of the whole.
    let part = write(folder.path(), "part", &["--fen", "1q1q1/q2q1/Q**QQ/1Q3 w", "--counting"]);
    let assumed = ["--fen", WIN, "--assume", part.to_str().unwrap(), "--counting"];
    let whole = write(folder.path(), "whole", &assumed);
    let error = verify_in_python(&[&whole]).unwrap_err();
    assert!(error.contains("not proven as said, `assumed`: 1q1q1/1q2q/QQ**Q/3Q1 w"), "{error}");
    assert!(verify_in_python(&[&part, &whole]).is_ok());
}

#[test]
fn the_other_verifier_refuses_moves_that_do_not_win() {
    if !python_is_installed() {
        return;
    }
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
            let by_python = verify_in_python(&[&path]);
            assert_eq!(found.is_ok(), by_python.is_ok(), "token {place}: {found:?} {by_python:?}");
            if let Err(error) = by_python {
                assert!(error.contains(" proves nothing: "), "token {place}: {error}");
            }
            seen[usize::from(found.is_ok())] += 1;
        }
    }
    assert!(seen[0] > 5, "{seen:?}");
}

#[test]
fn the_other_verifier_refuses_damaged_and_foreign_files() {
    if !python_is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "proof", &["--fen", WIN, "--counting"]);
    let bytes = fs::read(&path).unwrap();
    let (header, tokens) = taken_apart(&path);
    let refused = |problem: &str| {
        let error = verify_in_python(&[&path]).unwrap_err();
        assert!(error.contains(problem), "{problem}: {error}");
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
        (header.replace(" - - 0 1", ""), tokens.clone(), "invalid header: the FEN"),
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
