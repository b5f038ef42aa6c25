//! Certificates, and proofs combined from parts.

use crate::common;
use crate::common::shell::{self, assert_fails, succeed};

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Game, GameHistory, Wdl};
use labrys::search::{Control, Limits};
use labrys::solver::Solvable;
use labrys::solver::{
    Job, KnownValues, Leaves, Solver, Verified, Verifier, WriteError, result_line, split, with_solver,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tempfile::TempDir;

use common::grid::random_fen;
use common::minimax::{Plain, empty_squares, result};

pub(crate) const LOSS: &str = "1qq1/q2q/Q2Q/1QQ1 w";
const MATE_IN_TWO: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";

/// Bits of a rank in a set of squares.
const ROW: u32 = 11;

/// Tokens of a certificate.
const REFERENCE: u8 = 3;
const REPLIES: u8 = 4;
const KEPT: u8 = 5;
pub(crate) const MOVE: u8 = 6;

/// Solves a position and writes the certificate.
fn certify<G: Solvable>(fen: &str, known: &KnownValues<G>, leaves: Leaves, path: &Path) -> Wdl {
    let position = G::from_fen(fen).unwrap();
    let (limits, control) = (Limits::nodes(100_000), Control::default());
    let job = |solver: &mut Solver<G>| {
        let value = solver.solve().unwrap().value.unwrap();
        solver.write_proof(path, &position, value, leaves).unwrap();
        value
    };
    with_solver(&position, known, None, &16.into(), &limits, &control, job).unwrap()
}

pub(crate) fn verify<G: Solvable>(path: &Path) -> Result<Verified, String> {
    Verifier::<G>::new().verify(path).map_err(|error| error.to_string())
}

/// A folder with a certificate in it.
fn certificate<G: Solvable>(fen: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    certify(fen, &KnownValues::<G>::new(), Leaves::Searched, &path);
    (folder, path)
}

/// Header and tokens of a certificate.
pub(crate) fn taken_apart(path: &Path) -> (String, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let title = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let header = title + bytes[title..].iter().position(|&byte| byte == b'\n').unwrap();
    let mut tokens = Vec::new();
    DeflateDecoder::new(&bytes[header + 1..bytes.len() - 4]).read_to_end(&mut tokens).unwrap();
    (String::from_utf8(bytes[title..header].to_vec()).unwrap(), tokens)
}

/// Writes a certificate with a correct checksum.
pub(crate) fn forge(path: &Path, header: &str, tokens: &[u8]) {
    let mut body = DeflateEncoder::new(Vec::new(), Compression::fast());
    body.write_all(tokens).unwrap();
    let mut bytes = format!("Labrys proof 1\n{header}\n").into_bytes();
    bytes.extend(body.finish().unwrap());
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    fs::write(path, bytes).unwrap();
}

/// A header of a proof of one move, for forged tokens.
pub(crate) fn header(variant: &str, fen: &str, value: &str) -> String {
    format!(
        "{{\"variant\":\"{variant}\",\"fen\":\"{fen}\",\"value\":\"{value}\",\"moves\":1,\"replies\":0,\
         \"kept\":0,\"references\":0,\"searched\":0,\"counted\":0,\"assumed\":0}}"
    )
}

/// A proof would consider a single chance outcome, so a win by one prize of several would look proven.
#[test]
fn games_of_chance_have_no_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    for (fen, value, tokens) in [
        ("*3k/P4/5/5/5/5/4K w 0 1 1", "win", &[MOVE][..]),
        ("4k/P4/5/5/5/5/4K w 9 1 1", "win", &[MOVE]),
        ("*3k/P4/5/5/5/5/4K w 0 1 1", "draw", &[0]),
    ] {
        forge(&path, &header("tucchess", fen, value), tokens);
        let error = self::verify::<TucChess>(&path).unwrap_err();
        assert_eq!(error, "proves nothing: tucchess is a game of chance: no result can be proven");
        let outcome = labrys(&["verify", path.to_str().unwrap()]);
        assert_fails(outcome, "proof proves nothing: tucchess is a game of chance");
    }
    // Neither does a list of results.
    let results = folder.path().join("results");
    fs::write(&results, "").unwrap();
    assert!(KnownValues::<TucChess>::read(&[results]).unwrap_err().to_string().contains("a game of chance"));
    let (success, out, _) = labrys(&["solve", "--variant", "tucchess", "--split", "1"]);
    assert!(!success && out.is_empty());
}

#[test]
fn proofs_are_verified() {
    fn check<G: Solvable>(fen: &str, leaves: Leaves, value: Wdl) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proof");
        assert_eq!(certify(fen, &KnownValues::<G>::new(), leaves, &path), value, "{fen}");
        let Verified { header, .. } = verify::<G>(&path).unwrap();
        assert_eq!((header.value, header.variant.as_str()), (value, G::info().name));
        assert_eq!(header.counts.counted > 0, leaves == Leaves::Counted, "{fen}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    check::<Amazons>(LOSS, Leaves::Searched, Wdl::Loss);
    check::<Amazons>(LOSS, Leaves::Counted, Wdl::Loss);
    check::<Amazons>("1q1q1/q3q/Q3Q/1Q1Q1 b", Leaves::Counted, Wdl::Win);
    check::<Chess>(MATE_IN_TWO, Leaves::Searched, Wdl::Win);
    check::<Chess>("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", Leaves::Searched, Wdl::Loss);
    check::<Chess>("8/8/8/8/8/k7/p7/K7 w - - 0 1", Leaves::Searched, Wdl::Draw);
    check::<Chess>("1k6/8/1K6/8/8/8/8/7R b - - 97 80", Leaves::Searched, Wdl::Draw);
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let (_folder, path) = certificate::<Amazons>(LOSS);
    let bytes = fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&path, &damaged).unwrap();
        let error = verify::<Amazons>(&path).unwrap_err();
        assert!(error.contains("is damaged") || error.contains("is no certificate"), "byte {place}: {error}");
        fs::write(&path, &bytes[..place]).unwrap();
        let error = verify::<Amazons>(&path).unwrap_err();
        assert!(
            error.contains("is damaged") || error.contains("is no certificate"),
            "cut at {place}: {error}"
        );
    }
    fs::write(&path, &bytes).unwrap();
    assert!(verify::<Amazons>(&path).is_ok());
    let error = verify::<Chess>(&path).unwrap_err();
    assert!(error.contains("of the game `amazons`, not chess"), "{error}");
}

#[test]
fn forged_proofs_are_refused_by_position() {
    let (_folder, path) = certificate::<Chess>(MATE_IN_TWO);
    let (right, tokens) = taken_apart(&path);
    forge(&path, &right, &tokens);
    assert!(verify::<Chess>(&path).is_ok(), "the tools of this test work");
    // The first move is the only one that mates in two.
    assert!(tokens[0] >= MOVE);
    for place in (MOVE..MOVE + 40).filter(|&place| place != tokens[0]) {
        let mut forged = tokens.clone();
        forged[0] = place;
        forge(&path, &right, &forged);
        let error = verify::<Chess>(&path).unwrap_err();
        assert!(error.starts_with("proves nothing: ") && error.contains(" - - "), "{place}: {error}");
    }
    for place in 0..tokens.len() {
        let mut forged = tokens.clone();
        forged.remove(place);
        forge(&path, &right, &forged);
        assert!(verify::<Chess>(&path).is_err(), "without token {place}");
    }
    forge(&path, &right, &[&tokens[..], &[0]].concat());
    assert_eq!(verify::<Chess>(&path).unwrap_err(), "has more bytes than its proof");
    forge(&path, &right.replace("\"moves\":", "\"moves\":1"), &tokens);
    assert_eq!(verify::<Chess>(&path).unwrap_err(), "has a header with other numbers than its proof");
    for (header, message) in [("{}", "missing field"), ("not", "invalid header"), ("{", "invalid header")] {
        forge(&path, header, &tokens);
        let error = verify::<Chess>(&path).unwrap_err();
        assert!(error.contains(message), "{header}: {error}");
    }
}

/// A header has one form, so that nothing stands in it that means nothing, or something else to people.
#[test]
fn headers_with_other_bytes_are_refused() {
    let (_folder, path) = certificate::<Chess>(MATE_IN_TWO);
    let (right, tokens) = taken_apart(&path);
    let fen = Chess::from_fen(MATE_IN_TWO).unwrap().fen();
    let with_fen = |other: &str| right.replace(&fen, other);
    for header in [
        right.replacen('{', "{\"verified\":true,", 1),
        right.replacen('{', "{\"variant\":\"chess\",", 1),
        right.replacen(',', ", ", 1),
        right.replacen(',', ",\r", 1),
        format!("{right}\r"),
        format!(" {right}"),
        with_fen(&fen.replace(" w ", "\\nw ")),
        with_fen(&fen.replace(" w ", " \\u2028w ")),
        with_fen(&fen.replace(" w ", "  w ")),
        with_fen(&format!("{fen}\\nloss chess {fen}: verified")),
        right.replacen("chess", "chess\\n", 1),
    ] {
        assert_ne!(header, right);
        forge(&path, &header, &tokens);
        let error = verify::<Chess>(&path).unwrap_err();
        assert!(
            error.starts_with("has an invalid header") || error.contains("of the game"),
            "{header}: {error}"
        );
    }
}

/// What stands between the compressed tokens and the checksum is refused.
#[test]
fn nothing_stands_behind_the_tokens() {
    let (_folder, path) = certificate::<Chess>(MATE_IN_TWO);
    let bytes = fs::read(&path).unwrap();
    for junk in [&b"\0"[..], b"JUNKJUNK", &bytes] {
        let mut bytes = bytes[..bytes.len() - 4].to_vec();
        bytes.extend(junk);
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        fs::write(&path, bytes).unwrap();
        assert_eq!(verify::<Chess>(&path).unwrap_err(), "has more bytes than its proof");
    }
}

/// A line of two thousand plies needs no stack of its length.
#[test]
fn long_lines_need_little_stack() {
    const STACK: usize = 256 << 10;
    const PLIES: usize = 2_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let fen = "k7/8/8/8/8/8/PPPPPPPP/7K w - - 0 1";
    let (mut position, mut tokens) = (Chess::from_fen(fen).unwrap(), Vec::new());
    let goes_on = |position: &Chess| GameHistory::new().outcome(position).is_none();
    while tokens.len() <= PLIES {
        // The first reply comes first in the file. A pawn moves as seldom as the clock allows.
        let after_reply = |&mv: &_| {
            let child = position.after(mv);
            let reply = child.moves().into_iter().next().filter(|_| goes_on(&child))?;
            Some(child.after(reply)).filter(goes_on)
        };
        let is_time = position.halfmove_clock() >= 90;
        let suits = |mv: &_| is_time == (position.after(*mv).halfmove_clock() == 0);
        let moves = position.moves();
        let place = moves.iter().position(|mv| suits(mv) && after_reply(mv).is_some());
        let place = place.or_else(|| moves.iter().position(|mv| after_reply(mv).is_some())).unwrap();
        tokens.extend([MOVE + place as u8, REPLIES]);
        position = after_reply(&moves[place]).unwrap();
    }
    forge(&path, &header("chess", fen, "win"), &tokens);
    let thread = std::thread::Builder::new().stack_size(STACK);
    let verified = thread.spawn(move || verify::<Chess>(&path)).unwrap();
    let error = verified.join().unwrap().unwrap_err();
    assert!(error.starts_with(&format!("proves nothing: after {PLIES} plies: ")), "{error}");
}

#[test]
fn no_tokens_prove_what_is_false() {
    let (_folder, path) = certificate::<Amazons>(LOSS);
    let (right, tokens) = taken_apart(&path);
    forge(&path, &right.replace("\"loss\"", "\"win\""), &tokens);
    assert!(verify::<Amazons>(&path).unwrap_err().starts_with("proves nothing"));

    let start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for (tokens, problem) in [
        // A position is proven by itself, after two moves of each side there and back.
        (vec![MOVE, KEPT, MOVE, REFERENCE, 1], "is said to be proven, but is not yet"),
        (vec![MOVE, KEPT, MOVE, REFERENCE, 0], "is said to be proven, but is not yet"),
        (vec![MOVE, REFERENCE, 9], "is said to be proven, but is not yet"),
        (vec![MOVE, REFERENCE], "the proof ends before it"),
        (vec![], "the proof ends before it"),
        (vec![0], "a short search does not prove it"),
        (vec![1], "a count of moves does not prove it"),
        (vec![2], "no certificate before this one proves it"),
        (vec![REPLIES], "the move of the player to move is missing"),
        (vec![MOVE, MOVE], "the replies of the player to move are missing"),
        (vec![MOVE + 100], "move 100 of 6 legal moves"),
        (vec![0xFF; 20], "a number is too large"),
    ] {
        forge(&path, &header("chess", start, "win"), &tokens);
        let error = verify::<Chess>(&path).unwrap_err();
        assert!(error.contains(problem), "{tokens:?}: {error}");
        assert!(error.contains(" - - ") || tokens.len() == 20, "it names the position: {error}");
    }
}

#[test]
fn references_are_to_the_same_position() {
    let (_folder, path) = certificate::<Amazons>(LOSS);
    let (right, tokens) = taken_apart(&path);
    let references: Vec<_> = (1..tokens.len()).filter(|&place| tokens[place - 1] == REFERENCE).collect();
    let mut refused = 0;
    for place in references {
        for other in (1..10).filter(|&other| other != tokens[place]) {
            let mut forged = tokens.clone();
            forged[place] = other;
            forge(&path, &right, &forged);
            let error = verify::<Amazons>(&path).map(|_| ());
            refused += usize::from(error.is_err_and(|error| error.contains("another position is proven")));
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_proof_is_put_together_from_parts() {
    let folder = tempfile::tempdir().unwrap();
    let root = Amazons::from_fen(LOSS).unwrap();
    let jobs = split(&root, 1, &KnownValues::new());
    assert!(jobs.is_sorted_by_key(|job| job.difficulty) && jobs.len() > 5, "{}", jobs.len());
    let (mut known, mut parts) = (KnownValues::new(), Vec::new());
    for (number, Job { position, moves, .. }) in jobs.iter().enumerate() {
        assert_eq!(moves.len(), 1);
        let path = folder.path().join(number.to_string());
        let value = certify(&position.fen(), &KnownValues::<Amazons>::new(), Leaves::Searched, &path);
        assert_eq!((value, known.insert(position, value)), (Wdl::Win, None));
        parts.push(path);
    }
    assert_eq!(split(&root, 1, &known), [], "nothing is left to do");
    let main = folder.path().join("main");
    // A known value of the whole position does not shorten the proof.
    known.insert(&root, Wdl::Loss);
    certify(LOSS, &known, Leaves::Searched, &main);
    let error = verify::<Amazons>(&main).unwrap_err();
    assert!(error.contains("no certificate before this one proves it"), "{error}");

    let mut verifier = Verifier::<Amazons>::new();
    for part in &parts {
        verifier.verify(part).unwrap();
    }
    let counts = verifier.verify(&main).unwrap().header.counts;
    assert!(counts.assumed >= jobs.len() as u64, "{counts:?}");
}

#[test]
fn decided_positions_are_not_split() {
    let folder = tempfile::tempdir().unwrap();
    let none = KnownValues::new();
    let value = |position: &Amazons| {
        certify(
            &position.fen(),
            &KnownValues::<Amazons>::new(),
            Leaves::Searched,
            &folder.path().join("proof"),
        )
    };
    // Every first move loses, on four files and five ranks.
    let first = split(&Amazons::from_fen("1qq1/q2q/4/Q2Q/1QQ1 w").unwrap(), 1, &none);
    let root = &first.last().unwrap().position;
    let all = split(root, 2, &none);
    let below = |jobs: &[Job<Amazons, _>], mv| jobs.iter().filter(|job| job.moves[0] == mv).count();
    let lost = all.iter().find(|job| value(&job.position) == Wdl::Loss).unwrap();
    // One loss of the last player is a win of the one before, whatever its other moves are worth.
    let mut known = KnownValues::new();
    known.insert(&lost.position, Wdl::Loss);
    let left = split(root, 2, &known);
    assert!(below(&all, lost.moves[0]) > 1 && below(&left, lost.moves[0]) == 0);
    assert!(!left.is_empty(), "other moves are still open");
    // And one loss of the one before decides everything.
    let refuted = split(root, 1, &none).into_iter().find(|job| value(&job.position) == Wdl::Loss).unwrap();
    known.insert(&refuted.position, Wdl::Loss);
    assert_eq!(split(root, 2, &known), []);
}

#[test]
fn a_known_value_is_used() {
    // A mate in one from here, if a wrong value is trusted.
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let mut position = Chess::from_fen(fen).unwrap();
    position.play(position.parse_move("e2e4").unwrap());
    let mut known = KnownValues::new();
    known.insert(&position, Wdl::Loss);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    assert_eq!(certify(fen, &known, Leaves::Searched, &path), Wdl::Win);
    assert!(verify::<Chess>(&path).is_err());
}

#[test]
fn results_are_checked_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        KnownValues::<Amazons>::read(std::slice::from_ref(&path)).map_err(|error| error.to_string())
    };
    let good = "# a comment\n\namazons\t1qq1/q2q/Q2Q/1QQ1 w - - 0 1\tloss\t3716\n";
    let known = read(good).unwrap();
    assert_eq!(known.get(&Amazons::from_fen(LOSS).unwrap()), Some(Wdl::Loss));
    assert_eq!(known.get(&Amazons::from_fen("1qq1/q2q/Q2Q/1QQ1 b").unwrap()), None);
    assert!(read(&good.repeat(2)).is_ok());
    // The moves that lead there are informative, in any encoding.
    assert!(read(&good.replace("3716", "3716\td1b3,d4d3")).is_ok());
    fs::write(&path, [b"# M\xfcller\r\n".as_slice(), good.as_bytes()].concat()).unwrap();
    assert!(KnownValues::<Amazons>::read(std::slice::from_ref(&path)).is_ok());
    for (line, problem) in [
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\twin\t1", "line 4: win, but an earlier line says loss"),
        // With the colours swapped: the solver knows both by one key.
        ("amazons\t1QQ1/Q2Q/q2q/1qq1 b\twin\t1", "line 4: win, but an earlier line says loss"),
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\topen\t1", "line 4: value `open`, expected"),
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\tdraw\t1", "line 4: value `draw`, expected"),
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\tloss\tmany", "line 4: nodes `many`"),
        ("amazons\t1qq1/q2q/Q2Q/1QQ x\tloss\t1", "line 4: FEN: "),
        ("chess\t8/8 w\tloss\t1", "line 4: game `chess`, expected `amazons`"),
        ("amazons\t**qQ w\twin\t1", "line 4: win is not the value of this position"),
        ("loss", "line 4: 1 field, expected 4"),
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\tloss\t1\tcrc32=00000000", "line 4: damaged: checksum "),
        (
            "amazons\t1qq1/q2q/Q2Q/1QQ1 w\tloss\t1\tcrc33=00000000",
            "expected `crc32=` and a checksum, or moves",
        ),
        (
            "amazons\t1qq1/q2q/Q2Q/1QQ1 w\tloss\t1\tcrc32a00000000",
            "expected `crc32=` and a checksum, or moves",
        ),
        ("amazons\t1qq1/q2q/Q2Q/1QQ1 w\tloss\t1\t\t", "line 4: 6 fields, expected 4"),
    ] {
        let error = read(&format!("{good}{line}")).unwrap_err();
        assert!(error.contains(problem), "{line}: {error}");
    }
}

#[test]
fn a_line_that_was_written_has_a_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let line = result_line("amazons", &Amazons::from_fen(LOSS).unwrap().fen(), Wdl::Loss, 3716);
    for bit in 0..8 * line.len() {
        let mut bytes = line.clone().into_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).unwrap();
        if let Ok(known) = KnownValues::<Amazons>::read(std::slice::from_ref(&path)) {
            let value = known.get(&Amazons::from_fen(LOSS).unwrap());
            assert!(value == Some(Wdl::Loss) || bytes[0] == b'#', "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn results_are_added_to_lists_of_results_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let solve = |more: &[&str]| {
        let all = [&["solve", "--variant", "amazons", "--hash", "1", "--fen", LOSS], more].concat();
        shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(all))
    };
    // A list that ends in the middle of a line, as one that was typed.
    let list = at("list.tsv");
    fs::write(&list, format!("amazons\t{LOSS}\tloss\t33")).unwrap();
    succeed(solve(&["--results", &list]));
    let text = fs::read_to_string(&list).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() == 2 && lines[0].ends_with("loss\t33") && lines[1].contains("crc32="), "{text}");
    assert!(KnownValues::<Amazons>::read(&[list.into()]).is_ok());
    // Files of something else stay as they are.
    let (proof, record) = (at("c.proof"), at("games.pgn"));
    succeed(solve(&["--proof", &proof]));
    fs::write(&record, "[Event \"x\"]\n\n1. e4 *\n").unwrap();
    for file in [&proof, &record] {
        let before = fs::read(file).unwrap();
        let again = at("again.proof");
        for (more, problem) in [
            (&["--results", file][..], "1 field, expected 4 with tabs between them"),
            (&["--proof", &again, "--manifest", file], "a file of something else, or a damaged one"),
        ] {
            shell::assert_fails(solve(more), &format!("{file}: line 1: {problem}"));
            assert_eq!(fs::read(file).unwrap(), before);
        }
    }
}

#[test]
fn each_line_of_the_published_results_has_its_checksum() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/amazons");
    for name in ["5x6.results", "6x5.results"] {
        let path = folder.join(name);
        for line in fs::read_to_string(&path).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let (result, found) = line.rsplit_once('\t').unwrap();
            let checksum = crc32fast::hash(result.as_bytes());
            assert_eq!(found, format!("crc32={checksum:08x}"), "{name}: {line}");
        }
        KnownValues::<Amazons>::read(&[path]).unwrap();
    }
}

/// What `--assume` would refuse later is refused before the work.
#[test]
fn results_are_not_added_to_damaged_lines() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.tsv");
    let line = result_line("amazons", &Amazons::from_fen(LOSS).unwrap().fen(), Wdl::Loss, 3716);
    for (text, problem) in [
        (line.replace("loss", "win"), "line 1: damaged: checksum "),
        (line.replacen('1', "2", 1), "line 1: damaged: checksum "),
        (line.clone() + &line[..line.len() - 3], "line 2: damaged: checksum "),
        (line.clone() + "amazons\t1qq1/q2q\n", "line 2: 2 fields, expected 4"),
        (
            line.clone() + "amazons\t1qq1/q2q/Q2Q/1QQ1 w\twin\t1\n",
            "line 2: win, but an earlier line says loss",
        ),
    ] {
        fs::write(&list, &text).unwrap();
        for split in [&[][..], &["--split", "1"]] {
            let words = ["solve", "--variant", "amazons", "--fen", LOSS, "--results", list.to_str().unwrap()];
            let (success, out, error) = labrys(&[&words[..], split].concat());
            assert!(!success && out.is_empty() && error.contains("list.tsv: line "), "{out} {error}");
            assert!(error.contains(problem), "{text}: {error}");
            assert_eq!(fs::read_to_string(&list).unwrap(), text);
        }
    }
}

#[test]
fn draws_by_the_clock_are_not_mixed_up() {
    let mut known = KnownValues::<Neighbours>::new();
    let start = Neighbours::start();
    known.insert(&start, Wdl::Draw);
    let fen = start.fen();
    let fields: Vec<_> = fen.split(' ').collect();
    let later = format!("{} {} 7 9", fields[0], fields[1]);
    assert_eq!(known.get(&start), Some(Wdl::Draw));
    assert_eq!(known.get(&Neighbours::from_fen(&later).unwrap()), None);
}

#[test]
fn counting_proofs_are_right() {
    let mut random = StdRng::seed_from_u64(7);
    let mut counted = [0; 2];
    for _ in 0..4_000 {
        let fen = random_fen(&mut random);
        if empty_squares(&fen) > 8 {
            continue;
        }
        let position = Amazons::from_fen(&fen).unwrap();
        let mut players = Color::BOTH.into_iter();
        let Some(winner) = players.find(|&player| position.is_won_by_count(player)) else { continue };
        let Some(expected) = result(&position, &mut Plain::new(20_000)) else { continue };
        let wins = winner == position.side_to_move();
        assert_eq!(wins, expected > 0, "{fen}");
        counted[usize::from(wins)] += 1;
    }
    assert!(counted.iter().all(|&count| count > 200), "{counted:?}");
}

#[test]
fn a_count_is_right_in_all_positions_of_small_boards() {
    // The numbers are those of `tools/check_count.c`.
    for (files, ranks, expected) in [(3, 2, 2_844), (4, 2, 55_280), (3, 3, 199_488)] {
        let (mut plain, mut counted) = (Plain::new(u64::MAX), 0);
        for number in 0..4u32.pow(files * ranks) {
            // Two bits a square: a white amazon, a black one, an arrow, or empty.
            let mut sets = [0; 4];
            for square in 0..files * ranks {
                let content = number >> (2 * square) & 3;
                sets[content as usize] |= 1 << (square / files * ROW + square % files);
            }
            let [white, black, arrows, _] = sets;
            if white == 0 || black == 0 {
                continue;
            }
            for stm in Color::BOTH {
                let size = (files as usize, ranks as usize);
                let position = Amazons::new(size, [white, black], arrows, stm, 0, 1);
                let wins = result(&position, &mut plain).unwrap() > 0;
                for player in Color::BOTH {
                    if position.is_won_by_count(player) {
                        assert_eq!(wins, player == stm, "{}", position.fen());
                        counted += 1;
                    }
                }
            }
        }
        assert_eq!(counted, expected, "{files}x{ranks}");
    }
}

#[test]
fn canonical_positions_have_the_same_tree() {
    let mut random = StdRng::seed_from_u64(8);
    let mut changed = 0;
    for _ in 0..300 {
        let position = Amazons::from_fen(&random_fen(&mut random)).unwrap();
        let canonical = position.canonical();
        changed += usize::from(!canonical.same_position(&position));
        assert_eq!(leaves(&canonical, 2), leaves(&position, 2), "{}", position.fen());
        assert!(canonical.canonical().same_position(&canonical));
    }
    assert!(changed > 100, "{changed}");
    let mirrored = ["1q2/q3/3Q/2Q1 w", "2q1/3q/Q3/1Q2 w", "1q2/q3/3Q/2Q1 b"]
        .map(|fen| Amazons::from_fen(fen).unwrap().canonical());
    assert!(mirrored[0].same_position(&mirrored[1]) && !mirrored[0].same_position(&mirrored[2]));
}

/// The number of paths of `plies` moves.
fn leaves<G: Game>(position: &G, plies: u32) -> usize {
    let moves = position.moves();
    let below = |&mv: &G::Move| {
        let child = position.after(mv);
        leaves(&child, plies - 1)
    };
    if plies == 1 { moves.len() } else { moves.iter().map(below).sum() }
}

pub(crate) fn labrys(arguments: &[&str]) -> (bool, String, String) {
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(arguments))
}

#[test]
fn the_commands_write_and_verify_and_split() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (proof, results) = (at("proof"), at("results"));
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS];
    let (success, out, error) =
        labrys(&[&solve[..], &["--proof", &proof, "--results", &results, "--counting"]].concat());
    assert!(success && out.lines().count() == 3, "{out} {error}");
    let (success, out, _) = labrys(&["verify", &proof]);
    assert!(success && out.starts_with("loss amazons 1qq1/q2q/Q2Q/1QQ1 w - - 0 1: verified, "), "{out}");
    assert!(out.contains(" lines by counting, "), "{out}");
    assert_eq!(fs::read_to_string(&results).unwrap().split('\t').nth(2), Some("loss"));

    let (success, out, _) = labrys(&[&solve[..], &["--split", "1"]].concat());
    assert!(success && out.lines().all(|line| line.split('\t').count() == 5), "{out}");
    let (success, out, error) = labrys(&[&solve[..], &["--assume", &results, "--split", "1"]].concat());
    assert!(success && !out.is_empty(), "{error}");

    // The limits apply to the value: with some limit it is known, though the proof needs more nodes.
    let long = at("long");
    let limited = |nodes: u64| {
        let nodes = nodes.to_string();
        let limits = ["--nodes", &nodes, "--hash", "1", "--proof", &long];
        let out = succeed(labrys(&[&solve[..], &limits].concat()));
        (out.contains("\nloss ") || out.starts_with("loss "), out)
    };
    let told = (500..1_500).step_by(5).map(limited).find(|(is_solved, _)| *is_solved).unwrap().1;
    assert!(told.contains("long: ") && told.contains(" positions, checksum "), "{told}");
    assert!(labrys(&["verify", &long]).0);

    let (success, _, error) = labrys(&["verify", &results]);
    assert!(!success && error.contains("results") && error.contains("is no certificate"), "{error}");
    assert_fails(labrys(&["verify", &at("missing")]), "missing");
    assert_fails(labrys(&[&solve[..], &["--proof", &at("no/folder")]].concat()), "cannot write");
    assert_fails(labrys(&[&solve[..], &["--assume", &at("missing")]].concat()), "missing");
}

#[test]
fn the_positions_of_a_split_proof_are_solved_with_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (results, table) = (at("results"), at("table"));
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS];
    let run = |words: &[&str]| labrys(&[&solve[..], words].concat());
    let jobs = run(&["--split", "1"]).1.lines().count();

    // A hundred nodes are too few for all of them.
    let short = at("short");
    let (success, out, error) = run(&["--split", "1", "--nodes", "100", "--results", &short]);
    let first = fs::read_to_string(&short).unwrap().lines().count();
    assert!(success && out.ends_with(&format!("\n{first} of {jobs} positions solved\n")), "{out} {error}");
    assert!(first < jobs);
    let left = run(&["--split", "1", "--assume", &short]).1.lines().count();
    assert_eq!(left, jobs - first, "some other jobs remain");

    let out = succeed(run(&["--split", "1", "--results", &results, "--checkpoint", &table]));
    let has = |start: &str| out.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!([has("moves "), has("win "), has("line ")], [jobs; 3], "{out}");
    let text = fs::read_to_string(&results).unwrap();
    assert_eq!(text.lines().filter(|line| line.split('\t').nth(2) == Some("win")).count(), jobs);
    let (success, out, _) = run(&["--assume", &results]);
    assert!(success && out.contains("\nloss 1 nodes"), "{out}");
    // The table is also used for the split position.
    let nodes = |words: &[&str]| -> u64 {
        let (_, out, _) = run(words);
        out.split_once("\nloss ").unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(nodes(&["--checkpoint", &table]) * 10 < nodes(&[]));

    for words in
        [&["--time", "1"][..], &["--nodes", "9"], &["--proof", &at("proof")], &["--checkpoint", &table]]
    {
        let (success, _, error) = run(&[&["--split", "1"], words].concat());
        assert!(
            !success && error.contains("--split") && words.iter().any(|word| error.contains(word)),
            "{error}"
        );
    }
}

#[test]
fn each_position_of_a_split_proof_has_its_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (results, proofs) = (at("results"), at("proofs"));
    let solve = ["solve", "--variant", "amazons", "--fen", "1qq1/q2q/4/Q2Q/1QQ1 w"];
    let run = |words: &[&str]| labrys(&[&solve[..], words].concat());
    let listing = run(&["--split", "1"]).1;
    let jobs = listing.lines().count();
    let split = ["--split", "1", "--results", &results, "--proof", &proofs, "--counting"];
    // Positions left open by limits are solved later, and the others are not solved again.
    let (success, out, error) = run(&[&split[..], &["--nodes", "20000"]].concat());
    let first = fs::read_to_string(&results).unwrap().lines().count();
    assert!(success && first < jobs && out.contains(&format!("\n{first} of {jobs} ")), "{out} {error}");
    let (success, out, error) = run(&split);
    let rest = jobs - first;
    assert!(success && out.ends_with(&format!("\n{rest} of {rest} positions solved\n")), "{out} {error}");

    let moves = listing.lines().map(|line| line.rsplit('\t').next().unwrap());
    let files: Vec<_> = moves.map(|moves| at(&format!("proofs/{moves}.proof"))).collect();
    let files: Vec<_> = files.iter().map(String::as_str).collect();
    let (success, out, error) = labrys(&[&["verify"], &files[..]].concat());
    let verified = out.lines().filter(|line| line.starts_with("win") && line.contains(": verified")).count();
    assert!(success && verified == jobs, "{out} {error}");
    let (success, out, error) = run(&[&["--assume"], &files[..]].concat());
    assert!(success && out.contains("\nloss 1 nodes"), "{out} {error}");

    // A file in place of the folder.
    let (success, _, error) = run(&["--split", "1", "--results", &at("r"), "--proof", &results]);
    assert!(!success && error.contains("cannot make") && error.contains("results"), "{error}");
}

/// A damaged certificate in the folder is none: it is moved aside, and its position is solved again.
#[test]
fn a_damaged_certificate_of_a_split_proof_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let proofs = at("proofs");
    let split = ["--split", "1", "--results", &at("results"), "--proof", &proofs];
    let run = || labrys(&[&["solve", "--variant", "amazons", "--fen", LOSS], &split[..]].concat());
    succeed(run());
    let mut files: Vec<_> = fs::read_dir(&proofs).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let (file, good) = (&files[0], fs::read(&files[0]).unwrap());
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for (damaged, suffix) in
        [(&flipped[..], ""), (&good[..good.len() - 1], "-2"), (b"", "-3"), (b"no proof", "-4")]
    {
        fs::write(file, damaged).unwrap();
        let (success, out, error) = run();
        assert!(success && out.ends_with("\n1 of 1 position solved\n"), "{out} {error}");
        let aside = format!("{}.damaged{suffix}", file.display());
        let told = error.starts_with("[WARN ") && error.contains(file.to_str().unwrap());
        assert!(told && error.trim_end().ends_with(&format!(": moved to {aside}")), "{error}");
        assert_eq!(fs::read(aside).unwrap(), damaged);
        verify::<Amazons>(file).unwrap();
    }
    // One of another position may be needed elsewhere.
    let other = fs::read(&files[1]).unwrap();
    fs::write(file, &other).unwrap();
    assert_fails(run(), &format!("{} is of the position `", file.display()));
    assert_eq!(fs::read(file).unwrap(), other);
    forge(file, &header("chess", MATE_IN_TWO, "win"), &[MOVE]);
    assert_fails(run(), "is of the game `chess`, not amazons");
}

#[test]
fn the_same_command_writes_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS];
    let run = |words: &[&str]| succeed(labrys(&[&solve[..], words].concat()));
    let mut written = [0, 1].map(|turn| {
        let (one, counted, all) = (at(&format!("{turn}")), at(&format!("{turn}c")), at(&format!("{turn}s")));
        run(&["--proof", &one]);
        run(&["--proof", &counted, "--counting", "--hash", "1"]);
        run(&["--split", "1", "--results", &at(&format!("{turn}r")), "--proof", &all]);
        let mut files: Vec<_> = fs::read_dir(&all).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.extend([one, counted].map(PathBuf::from));
        files
    });
    let [first, second] = written.each_mut().map(std::mem::take);
    assert!(first.len() == second.len() && first.len() > 10);
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(fs::read(one).unwrap(), fs::read(other).unwrap(), "{one:?} {other:?}");
    }
}

#[test]
fn a_manifest_tells_what_each_certificate_proves_and_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let manifest = at("manifest.tsv");
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS, "--manifest", &manifest];
    succeed(labrys(&[&solve[..], &["--proof", &at("a.proof"), "--counting"]].concat()));
    let text = fs::read_to_string(&manifest).unwrap();
    let fields: Vec<_> = text.trim_end().split('\t').collect();
    let [name, bytes, value, fen, positions, checksum, counted, program, command] = fields[..] else {
        panic!("{text}")
    };
    let verified = verify::<Amazons>(Path::new(&at("a.proof"))).unwrap();
    let counts = verified.header.counts;
    assert_eq!([name, value, fen], ["a.proof", "loss", &*verified.header.fen]);
    assert_eq!(bytes, fs::metadata(at("a.proof")).unwrap().len().to_string());
    assert_eq!([positions, counted], [counts.positions(), counts.counted].map(|count| count.to_string()));
    assert_eq!(checksum, format!("{:08x}", verified.checksum));
    assert!(program.starts_with(concat!("labrys ", env!("CARGO_PKG_VERSION"))), "{program}");
    let expected = format!("labrys solve --variant amazons --fen '{LOSS}' --manifest ");
    assert!(command.starts_with(&expected) && command.ends_with(" --counting"), "{command}");

    // One line for each of a split proof, after those that are there.
    let split = ["--split", "1", "--results", &at("results"), "--proof", &at("all")];
    succeed(labrys(&[&solve[..], &split].concat()));
    let lines = fs::read_to_string(&manifest).unwrap();
    let names: Vec<_> = lines.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    let (first, all) = names.split_first().unwrap();
    assert_eq!(first, "a.proof");
    assert!(all.iter().all(|name| Path::new(&at("all")).join(name).exists()), "{all:?}");
    assert_eq!(all.len(), fs::read_dir(at("all")).unwrap().count());

    // The manifest may be in the folder of the certificates, which is made.
    let words = ["--split", "1", "--results", &at("more"), "--proof", &at("new"), "--manifest", &at("new/m")];
    succeed(labrys(&[&solve[..5], &words].concat()));
    assert_eq!(fs::read_to_string(at("new/m")).unwrap().lines().count(), all.len());

    assert_fails(labrys(&solve), "--proof");
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS, "--manifest", &at("no/m")];
    assert_fails(labrys(&[&solve[..], &["--proof", &at("b")]].concat()), "no/m");
}

/// What was there before stays.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof").to_str().unwrap().to_owned();
    let solve = ["solve", "--variant", "amazons", "--fen", LOSS];
    for words in [
        &["--proof", "/dev/full"][..],
        &["--results", "/dev/full"],
        &["--proof", &proof, "--manifest", "/dev/full"],
    ] {
        let (success, _, error) = labrys(&[&solve[..], words].concat());
        assert!(
            !success && error.contains("/dev/full") && error.contains("No space left"),
            "{words:?}: {error}"
        );
    }
    assert!(verify::<Amazons>(Path::new(&proof)).is_ok());
}

#[test]
fn a_proof_that_was_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (results, proofs) = (at("results"), at("proofs"));
    let split = ["--split", "1", "--results", &results, "--proof", &proofs, "--counting"];
    let words = [&["solve", "--variant", "amazons", "--fen", LOSS], &split[..]].concat();
    for lines in [1, 3, 10] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        let mut child = command.args(&words).stdout(Stdio::piped()).spawn().unwrap();
        let read = BufReader::new(child.stdout.take().unwrap()).lines().take(lines).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(read, lines);
        // Whatever is there under its name is whole.
        for file in fs::read_dir(&proofs).into_iter().flatten().map(|file| file.unwrap()) {
            let name = file.file_name().into_string().unwrap();
            if !name.starts_with('.') {
                verify::<Amazons>(&file.path()).unwrap();
            }
        }
        KnownValues::<Amazons>::read(&[PathBuf::from(&results)]).unwrap();
    }
    succeed(labrys(&words));
    let jobs = succeed(labrys(&["solve", "--variant", "amazons", "--fen", LOSS, "--split", "1"]));
    let is_proof = |name: &std::ffi::OsString| name.to_str().unwrap().ends_with(".proof");
    let names = fs::read_dir(&proofs).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(names.filter(is_proof).count(), jobs.lines().count());
}

#[test]
fn an_interrupted_proof_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let (position, known, limits) = (Amazons::from_fen(LOSS).unwrap(), KnownValues::new(), Limits::none());
    let control = Control::default();
    let job = |solver: &mut Solver<Amazons>| {
        let value = solver.solve().unwrap().value.unwrap();
        control.stop();
        solver.write_proof(&path, &position, value, Leaves::Searched)
    };
    let written = with_solver(&position, &known, None, &16.into(), &limits, &control, job).unwrap();
    assert!(matches!(written, Err(WriteError::Stopped)), "{written:?}");
    assert!(!path.exists());
}

#[test]
fn the_open_question_of_6x5_has_250_replies() {
    let start = "1q2q1/q4q/6/Q4Q/1Q2Q1 w";
    let (success, out, _) =
        labrys(&["solve", "--variant", "amazons", "--fen", start, "--moves", "b1b4,b4b3", "--split", "1"]);
    assert!(success);
    // Black has no two replies that are symmetrical, and none that is decided at once.
    let mut replies: Vec<_> = out.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    replies.sort_unstable();
    replies.dedup();
    assert_eq!(replies.len(), 250);
}
