//! Game records in PGN.

use labrys_arena::pgn::{PgnGame, PgnReader};

use super::Target;

/// A PGN file. What is read and written is read again as the same.
pub(super) const TARGET: Target = Target {
    name: "pgn",
    run,
    seeds: all_seeds,
    words: &[
        "[Event \"",
        "[FEN \"",
        "[SetUp \"1\"]",
        "[Variant \"",
        "[Result \"",
        "[GameNumber \"1\"]",
        "[Termination \"",
        "\"]\n",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "$1",
        "$",
        "!?",
        "1-0",
        "0-1",
        "1/2-1/2",
        "*",
        "1.",
        "1...",
        "e4",
        "O-O",
        "Nf3",
        "e8=Q+",
        "--",
        "{+1.23/12 0.450s}",
        "{book}",
        "\u{feff}",
        "a3a4=1+c5",
        "\r\n",
        "\\",
        "Z0",
    ],
};

fn run(data: &[u8]) {
    // What a file of many programs has is brought into the form of Labrys by writing it once.
    let games = read(data);
    for game in &games {
        let text = game.to_string();
        let [again] = read(text.as_bytes()).try_into().unwrap_or_else(|games| panic!("{text}: {games:?}"));
        let own = again.to_string();
        let [last] = read(own.as_bytes()).try_into().unwrap_or_else(|games| panic!("{own}: {games:?}"));
        assert_eq!(last, again, "{text}");
        assert_eq!(last.to_string(), own, "{text}");
        replay(game);
    }
    // A file of all of them has the same games.
    let whole: Vec<_> = games.iter().map(PgnGame::to_string).collect();
    assert_eq!(read(whole.join("\n").as_bytes()).len(), games.len());
}

/// The games up to the first error.
fn read(data: &[u8]) -> Vec<PgnGame> {
    PgnReader::new(data).map_while(Result::ok).collect()
}

/// Replays a game: what is replayed ends in the same position when it is written and read again.
fn replay(game: &PgnGame) {
    let Ok(mut board) = game.board(None) else { return };
    let _ = game.replay_to_result(board.as_mut());
    if let Ok(moves) = game.replay(board.as_mut()) {
        let fen = board.fen();
        assert_eq!(game.final_fen(board.variant()).ok().as_ref(), Some(&fen));
        board.set_up(game.opening.set_up_fen(), &moves).unwrap_or_else(|error| panic!("{moves:?}: {error}"));
        assert_eq!(board.fen(), fen);
    }
}

fn all_seeds() -> Vec<Vec<u8>> {
    let games = [
        "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {+0.31/12 0.450s} e5 (1... \
         c5 2. Nf3 $1 (2. c3 d5)) 2. Bc4 Nc6 3. Qh5 Nf6?? 4. Qxf7# {mate} 1-0\n",
        "[Event \"Labrys\"]\n[GameNumber \"7\"]\n[Round \"4\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\
         [SetUp \"1\"]\n[Result \"*\"]\n\n1. e4 {book} Kd7 2. Kd2 *\n",
        "[Variant \"TUC-CHESS\"]\n[Result \"*\"]\n\n1. a3a4=1+c5 {+1/3} a5a4 *\n",
        "[Variant \"Amazons\"]\n[FEN \"3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1\"]\n[Result \"*\"]\n\n\
         1. d1d7,d7g7 *\n",
        "1. d4 d5 2. c4 dxc4 3. Nc3 e5 $6 4. dxe5 Qxd1+ 1/2-1/2\n\n1.f4 e5 0-1\n",
    ];
    games.map(|game| game.as_bytes().to_vec()).to_vec()
}

/// A PGN text for targets that take one inside of something else.
pub(super) fn example() -> String {
    String::from_utf8_lossy(&all_seeds()[0]).into_owned()
}
