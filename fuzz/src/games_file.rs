//! Records of self-play games.

use labrys_core::engine::GameState;
use labrys_core::eval::Score;
use labrys_core::game::{Knowledge, Wdl};
use labrys_learn::nnue::games::{GamesHeader, GamesWriter, PlayedGame, read_games, start_of};

use super::scratch::folder;
use super::{Target, game_and_rest, repair, seeds, with_game};

/// Bytes of the header of a block.
const BLOCK_HEADER: usize = 16;

/// A games file: the game, then the file. Its games are the same when they are written to another one, and a
/// damaged file is mended.
pub(super) const TARGET: Target = Target {
    name: "games_file",
    run,
    seeds: all_seeds,
    words: &[
        "\"format\":",
        "\"version\":",
        "\"game\":",
        "\"start\":",
        "\"option\":",
        "\"evaluation\":",
        "\"nodes\":",
        "\"played_with\":{\"evaluation\":",
        "\"random_plies\":[",
        "\"seed\":",
        "\"shard\":",
        "\"crc32\":\"",
        "1/2 of 4 games of job 89abcdef",
        "\u{1}\u{0}\u{0}\u{0}",
        "\u{7f}\u{7f}\u{0}\u{0}",
    ],
};

fn run(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    let mut bytes = rest.to_vec();
    repaired(&mut bytes);
    with_game!(game, read(&bytes));
}

/// Corrects the checksums of the header and of the blocks, as far as their lengths lead.
fn repaired(bytes: &mut [u8]) {
    repair::line(bytes);
    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else { return };
    let (line, rest) = bytes.split_at_mut(end);
    // Blocks belong to their header, but for the first version.
    let is_unbound = String::from_utf8_lossy(line).contains("\"version\":1,");
    let seed = if is_unbound { 0 } else { crc32fast::hash(line) };
    let mut rest = &mut rest[1..];
    while rest.len() >= BLOCK_HEADER {
        let length = u32::from_le_bytes([rest[8], rest[9], rest[10], rest[11]]) as usize;
        let Some((block, others)) = rest.split_at_mut_checked(BLOCK_HEADER + length) else { return };
        let mut hasher = crc32fast::Hasher::new_with_initial(seed);
        hasher.update(&block[..12]);
        hasher.update(&block[BLOCK_HEADER..]);
        block[12..BLOCK_HEADER].copy_from_slice(&hasher.finalize().to_le_bytes());
        rest = others;
    }
}

fn read<G: Knowledge>(bytes: &[u8]) {
    let folder = folder();
    let [path, other] = ["games", "copy"].map(|name| folder.path().join(name));
    std::fs::write(&path, bytes).expect("a temporary file");
    let Ok((header, games)) = read_games::<G>(&path) else { return mend::<G>(&path, bytes) };
    if let Ok(start) = start_of::<G>(&header) {
        let _ = header.choice(&start);
        for game in &games {
            let mut positions = 0;
            let replayed = game.replay(&start, |played| {
                assert!(!played.position.fen().is_empty());
                positions += 1;
            });
            assert!(replayed.is_err() || positions == game.moves.len());
        }
    }
    let mut writer = GamesWriter::open::<G>(&other, &header).unwrap_or_else(|error| panic!("{error}"));
    writer.append::<G>(&games).unwrap_or_else(|error| panic!("{error}"));
    drop(writer);
    let (again, same) = read_games::<G>(&other).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((again, same), (header, games));
}

/// A damaged file with a good header goes on with the games that can be read.
fn mend<G: Knowledge>(path: &std::path::Path, bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else { return };
    let header = path.with_file_name("header");
    std::fs::write(&header, &bytes[..=end]).expect("a temporary file");
    let Ok((header, _)) = read_games::<G>(&header) else { return };
    let writer = GamesWriter::open::<G>(path, &header).unwrap_or_else(|error| panic!("{error}"));
    let games = writer.games();
    drop(writer);
    let (_, kept) = read_games::<G>(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(kept.len() as u64, games);
}

fn all_seeds() -> Vec<Vec<u8>> {
    [0, 1, 2, 3].map(|game| seeds::of_game(game, with_game!(game, seed()))).to_vec()
}

/// Three games of a few moves, the first legal ones.
fn seed<G: Knowledge>() -> Vec<u8> {
    let game = |plies: usize| {
        let mut state = GameState::<G>::start();
        let mut moves = Vec::new();
        for ply in 0..plies {
            let legal = state.position().moves();
            let Some(&mv) = legal.get(ply % 3) else { break };
            moves.push((mv, Score::from_thousandths(100 * ply as i32 - 200)));
            state.advance(mv);
        }
        let opening = moves.drain(..1).map(|(mv, _)| mv).collect();
        PlayedGame { start: None, opening, moves, result: Wdl::Draw }
    };
    let header = GamesHeader::new(&G::start(), "linear".to_owned(), 100, (0, 2), 1);
    let folder = folder();
    let path = folder.path().join("games");
    let mut writer = GamesWriter::open::<G>(&path, &header).expect("a temporary file");
    writer.append::<G>(&[game(3), game(5)]).expect("a temporary file");
    writer.append::<G>(&[game(2)]).expect("a temporary file");
    drop(writer);
    std::fs::read(path).expect("a temporary file")
}
