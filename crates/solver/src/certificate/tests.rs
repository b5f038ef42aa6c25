//! Certificates that are written and verified.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use labrys_core::game::amazons::Amazons;
use labrys_core::game::chess::Chess;
use labrys_core::game::{Game, Wdl};
use labrys_core::search::{Control, Limits};
use tempfile::NamedTempFile;

use super::*;
use crate::{KnownValues, Solvable, Solver, with_solver};

/// A loss in Amazons, with positions that are reached in several ways.
const LOSS: &str = "1qq1/q2q/Q2Q/1QQ1 w";

const WHITE: Color = Color::White;
const BLACK: Color = Color::Black;

/// Calls `job` with a solver of a position.
fn with<G: Solvable, T>(
    position: &G,
    known: &KnownValues<G>,
    control: &Control,
    job: impl FnOnce(&mut Solver<G>) -> T,
) -> T {
    with_solver(position, known, None, &1.into(), &Limits::none(), control, job).unwrap()
}

/// The position after the first legal move.
fn after_first_move(position: &Amazons) -> Amazons {
    let moves = position.moves();
    position.after(moves[0])
}

/// Solves a position and writes the certificate.
fn certify<G: Solvable>(position: &G, known: &KnownValues<G>, leaves: Leaves) -> (NamedTempFile, Written) {
    let file = NamedTempFile::new().unwrap();
    let written = with(position, known, &Control::default(), |solver| {
        let value = solver.solve().unwrap().value.unwrap();
        solver.write_proof(file.path(), position, value, leaves).unwrap()
    });
    (file, written)
}

#[test]
fn what_is_written_is_verified() {
    fn check<G: Solvable>(fen: &str, leaves: Leaves, value: Wdl) -> Counts {
        let position = G::from_fen(fen).unwrap();
        let (file, written) = certify(&position, &KnownValues::new(), leaves);
        let (variant, fen) = (G::info().name.to_owned(), position.fen());
        let header = Header { variant, fen, value, counts: written.counts };
        let verified = Verifier::<G>::default().verify(file.path()).unwrap();
        assert_eq!((&verified.header, verified.checksum), (&header, written.checksum));
        assert_eq!(header_of(file.path()).unwrap(), (header, written.checksum));
        written.counts
    }
    let counts = check::<Amazons>(LOSS, Leaves::Searched, Wdl::Loss);
    assert!(counts.references > counts.kept && counts.kept > 0 && counts.searched > 0, "{counts:?}");
    assert_eq!((counts.counted, counts.assumed), (0, 0));
    let counts = check::<Amazons>(LOSS, Leaves::Counted, Wdl::Loss);
    assert!(counts.counted > 0 && counts.searched == 0, "{counts:?}");
    check::<Amazons>("1q1q1/q3q/Q3Q/1Q1Q1 b", Leaves::Counted, Wdl::Win);
    check::<Chess>("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", Leaves::Searched, Wdl::Win);
    // Two claims: of a position that has ended, and of one in which the clock draws.
    let counts = check::<Chess>("8/8/8/8/8/k7/p7/K7 w - - 0 1", Leaves::Searched, Wdl::Draw);
    assert_eq!(counts, Counts::default());
    check::<Chess>("1k6/8/1K6/8/8/8/8/7R b - - 97 80", Leaves::Searched, Wdl::Draw);
}

#[test]
fn each_byte_of_a_certificate_counts() {
    let position = Chess::from_fen("8/8/8/8/8/k7/p7/K7 w - - 0 1").unwrap();
    let (file, _) = certify(&position, &KnownValues::new(), Leaves::Searched);
    let bytes = fs::read(file.path()).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        for bytes in [&damaged[..], &bytes[..place]] {
            fs::write(file.path(), bytes).unwrap();
            let error = header_of(file.path()).unwrap_err();
            let is_named = matches!(error, CertificateError::Damaged { .. } | CertificateError::Foreign);
            assert!(is_named, "byte {place}: {error}");
        }
    }
}

/// Verifies a certificate of tokens for a win or a draw, with bytes behind them and a right checksum.
fn verify(fen: &str, value: Wdl, tokens: &[u8], behind: &[u8]) -> Result<Verified, CertificateError> {
    let (file, mut bytes) = (NamedTempFile::new().unwrap(), Vec::new());
    let (variant, fen) = ("chess".to_owned(), fen.to_owned());
    file::write_header(&mut bytes, &Header { variant, fen, value, counts: Counts::default() }).unwrap();
    let mut body = DeflateEncoder::new(bytes, Compression::fast());
    body.write_all(tokens).unwrap();
    let mut bytes = body.finish().unwrap();
    bytes.extend(behind);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    fs::write(file.path(), bytes).unwrap();
    Verifier::<Chess>::new().verify(file.path())
}

#[test]
fn nothing_stands_behind_the_proof() {
    // The game is over: there are no tokens.
    let verify = |tokens, behind| verify("8/8/8/8/8/k7/p7/K7 w - - 0 1", Wdl::Draw, tokens, behind);
    assert!(verify(b"", b"").is_ok());
    for (tokens, behind) in [(&b"\0"[..], &b""[..]), (b"", b"\0"), (b"\0", b"\0")] {
        assert!(matches!(verify(tokens, behind), Err(CertificateError::Trailing)), "{tokens:?} {behind:?}");
    }
}

#[test]
fn each_player_has_tokens_of_its_own() {
    const MOVE: u8 = file::MOVE as u8;
    for (tokens, flaw) in [
        (&[file::REPLIES as u8][..], "the move of the player to move is missing"),
        (&[file::KEPT as u8], "the move of the player to move is missing"),
        (&[file::SEARCHED as u8], "a short search does not prove it"),
        (&[file::COUNTED as u8], "a count of moves does not prove it"),
        (&[file::KNOWN as u8], "no certificate before this one proves it"),
        (&[MOVE, MOVE], "the replies of the player to move are missing"),
        (&[MOVE + 100], "move 100 of 6 legal moves"),
        (&[MOVE], "the proof ends before it"),
        // A position would be proven by itself.
        (
            &[MOVE, file::KEPT as u8, MOVE, file::REFERENCE as u8, 1],
            "it is said to be proven, but is not yet",
        ),
        (&[MOVE, file::REFERENCE as u8, 0], "it is said to be proven, but is not yet"),
    ] {
        let error = verify("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", Wdl::Win, tokens, b"").unwrap_err();
        assert!(error.to_string().starts_with(&format!("proves nothing: {flaw}")), "{tokens:?}: {error}");
    }
}

#[test]
fn what_is_not_proven_is_not_written() {
    let (position, known) = (Amazons::from_fen(LOSS).unwrap(), KnownValues::new());
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), "before").unwrap();
    let write = |control: &Control, value| {
        let write =
            |solver: &mut Solver<_>| solver.write_proof(file.path(), &position, value, Leaves::Searched);
        with(&position, &known, control, write).unwrap_err()
    };
    let error = write(&Control::default(), Wdl::Win);
    assert!(matches!(&error, WriteError::Wrong { fen } if *fen == position.fen()), "{error}");
    let stopped = Control::default();
    stopped.stop();
    let error = write(&stopped, Wdl::Loss);
    assert!(matches!(error, WriteError::Stopped), "{error}");
    assert_eq!(fs::read(file.path()).unwrap(), b"before");
}

#[test]
fn a_certificate_rests_on_those_before_it() {
    let root = Amazons::from_fen(LOSS).unwrap();
    let part = after_first_move(&root);
    let mut known = KnownValues::new();
    known.insert(&part, Wdl::Win);
    let (whole, Written { counts, .. }) = certify(&root, &known, Leaves::Searched);
    assert!(counts.assumed > 0, "{counts:?}");
    let mut verifier = Verifier::<Amazons>::new();
    let flaw = |verifier: &mut Verifier<_>| match verifier.verify(whole.path()).unwrap_err() {
        CertificateError::Flaw { fen, flaw } => (fen, flaw),
        error => panic!("{error}"),
    };
    let unproven = (part.fen(), "no certificate before this one proves it".to_owned());
    assert_eq!(flaw(&mut verifier), unproven);
    verifier.verify(certify(&part, &KnownValues::new(), Leaves::Searched).0.path()).unwrap();
    assert!(verifier.verify(whole.path()).is_ok());
}

#[test]
fn no_certificate_rests_on_a_value_that_contradicts_it() {
    let root = Amazons::from_fen(LOSS).unwrap();
    let part = after_first_move(&root);
    let (mut known, file) = (KnownValues::new(), NamedTempFile::new().unwrap());
    known.insert(&part, Wdl::Loss);
    let error = with(&root, &known, &Control::default(), |solver| {
        solver.write_proof(file.path(), &root, Wdl::Loss, Leaves::Searched).unwrap_err()
    });
    assert!(matches!(&error, WriteError::Wrong { fen } if *fen == part.fen()), "{error}");
}

#[test]
fn a_value_is_made_of_claims() {
    for (value, stm, claims) in [
        (Wdl::Win, WHITE, &[(WHITE, true)][..]),
        (Wdl::Win, BLACK, &[(BLACK, true)]),
        (Wdl::Loss, WHITE, &[(BLACK, true)]),
        (Wdl::Loss, BLACK, &[(WHITE, true)]),
        (Wdl::Draw, WHITE, &[(WHITE, false), (BLACK, false)]),
        (Wdl::Draw, BLACK, &[(WHITE, false), (BLACK, false)]),
    ] {
        let found: Vec<_> = Claim::of(value, stm).iter().map(|claim| (claim.player, claim.strict)).collect();
        assert_eq!(found, claims, "{value} for {stm}");
    }
}

#[test]
fn a_claim_is_about_the_winner() {
    let holds =
        |strict| [Some(WHITE), Some(BLACK), None].map(|winner| Claim { player: WHITE, strict }.holds(winner));
    assert_eq!(holds(true), [true, false, false]);
    assert_eq!(holds(false), [true, false, true]);
}

#[test]
fn positions_are_told_apart_by_their_clock() {
    let position = |fields: &str| Chess::from_fen(&format!("4k3/8/8/8/8/8/{fields}")).unwrap();
    let one = position("4P3/4K3 w - - 7 9");
    for (other, is_it) in [
        (position("4P3/4K3 w - - 7 30"), true),
        (position("4P3/4K3 w - - 8 9"), false),
        (position("3P4/4K3 w - - 7 9"), false),
    ] {
        assert_eq!((is_same(&one, &other), hash(&one) == hash(&other)), (is_it, is_it), "{other:?}");
    }
    // The clock adds the same to every key.
    let other = position("3P4/4K3 b - - 7 9");
    assert_eq!(hash(&one) ^ one.key(), hash(&other) ^ other.key());
}
