//! Certificates of proofs, and files of known values.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use labrys_core::engine::Settings;
use labrys_core::game::amazons::Amazons;
use labrys_core::game::{Game, Wdl};
use labrys_core::search::{Control, Limits};
use labrys_solver::{KnownValues, Leaves, SolveTask, SolverGame, Verifier};

use super::scratch::{folder, with_file};
use super::{Target, game_and_rest, repair, seeds, with_game};

/// The first line of a file.
const TITLE: &[u8] = b"Labrys proof 1\n";

/// Positions of a game that is played out to check a proof.
const MOST_POSITIONS: u32 = 20_000;

/// A certificate: the game, then its header and its tokens, not compressed, or a whole file. What the
/// verifier accepts in Amazons is true by plain play.
pub(super) const TARGET: Target = Target {
    name: "certificate",
    run,
    seeds: all_seeds,
    words: &[
        "Labrys proof 1\n",
        "{\"variant\":\"",
        "\"fen\":\"",
        "\"value\":\"win\"",
        "\"value\":\"loss\"",
        "\"value\":\"draw\"",
        "\"moves\":",
        "\"replies\":",
        "\"kept\":",
        "\"references\":",
        "\"searched\":",
        "\"counted\":",
        "\"assumed\":",
        "\u{4}",
        "\u{5}",
        "\u{3}\u{1}",
        "\u{6}",
        "\u{7}",
        "; amazons ",
        " win",
    ],
};

fn run(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    let bytes = file(rest);
    with_game!(game, verify(&bytes));
}

/// The file of an input.
fn file(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if !data.starts_with(TITLE) {
        let end = data.iter().position(|&byte| byte == b'\n').map_or(data.len(), |end| end + 1);
        let (header, tokens) = data.split_at(end);
        let mut encoder = DeflateEncoder::new([TITLE, header].concat(), Compression::fast());
        encoder.write_all(tokens).expect("memory can be written");
        bytes = encoder.finish().expect("memory can be written");
        bytes.extend([0; 4]);
    }
    repair::last_bytes(&mut bytes);
    bytes
}

fn verify<G: SolverGame>(bytes: &[u8]) {
    with_file(bytes, |path| {
        let verified = Verifier::<G>::new().verify(path);
        if let Ok(verified) = &verified {
            let position = G::from_fen(&verified.header.fen).expect("the position of a proof");
            assert_eq!(position.fen(), verified.header.fen);
            if G::info().name == Amazons::info().name {
                let mut left = MOST_POSITIONS;
                let wins = wins(&position, &mut left);
                let expected = wins.map(|wins| if wins { Wdl::Win } else { Wdl::Loss });
                assert!(expected.is_none_or(|expected| expected == verified.header.value), "{verified:?}");
            }
        }
        // The same file among those with known values.
        let known = KnownValues::<G>::read(&[path.to_owned()]);
        assert!(verified.is_err() || known.is_ok());
    });
}

/// Whether the side to move wins, in a game without draws whose positions do not repeat, by playing all
/// moves. `None` if that takes too many positions.
fn wins<G: Game>(position: &G, left: &mut u32) -> Option<bool> {
    *left = left.checked_sub(1)?;
    for mv in position.moves() {
        if !wins(&position.after(mv), left)? {
            return Some(true);
        }
    }
    Some(false)
}

fn all_seeds() -> Vec<Vec<u8>> {
    let positions = [
        (0, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
        (0, "k7/8/1K6/8/8/8/8/7R w - - 0 1"),
        (3, "q2/3/2Q w - - 0 1"),
        (3, "q3/4/4/3Q b - - 0 1"),
        (3, "q1Q1/*2*/1*1* w - - 0 1"),
        (1, "8/8/8/8/8/8/1p6/P7 w 0 1"),
    ];
    let mut all = Vec::new();
    for (game, fen) in positions {
        for leaves in [Leaves::Searched, Leaves::Counted] {
            all.extend(certificate(game, fen, leaves).into_iter().flat_map(|bytes| both_forms(game, &bytes)));
        }
    }
    all.push(seeds::of_game(3, "; amazons values\nq2/3/2Q w - - 0 1; amazons; win; 100\n"));
    all
}

/// The certificate of a position, if it is proven at once.
fn certificate(game: u8, fen: &str, leaves: Leaves) -> Option<Vec<u8>> {
    let mut engine = labrys_solver::engine(seeds::GAMES[usize::from(game)], &Settings::default()).ok()?;
    engine.engine_mut().board_mut().set_up(Some(fen), &[]).ok()?;
    let folder = folder();
    let path = folder.path().join("proof");
    let task =
        SolveTask { resources: 1.into(), known: &[], regions: None, proof: Some((path.as_path(), leaves)) };
    let limits = Limits { nodes: Some(20_000), ..Limits::none() };
    engine.solve(&task, &limits, &Control::default(), &mut |_| {}).ok()?;
    std::fs::read(path).ok()
}

/// A certificate as it is, and with its tokens not compressed.
fn both_forms(game: u8, bytes: &[u8]) -> [Vec<u8>; 2] {
    let header = TITLE.len();
    let end = header + bytes[header..].iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut plain = bytes[header..end].to_vec();
    let mut decoder = flate2::read::DeflateDecoder::new(&bytes[end..bytes.len() - 4]);
    std::io::Read::read_to_end(&mut decoder, &mut plain).expect("a certificate that is whole");
    [seeds::of_game(game, bytes), seeds::of_game(game, plain)]
}
