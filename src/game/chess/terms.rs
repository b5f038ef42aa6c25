//! The terms of the classical evaluation, and their names.
//!
//! A term has two features, one for the middle game and one for the end game. Piece-square tables are written
//! for White and mirrored: the files `a` to `d` stand for `h` to `e` as well.

/// The two features of a term.
type Names = [&'static str; 2];

/// A term with its name in parts.
macro_rules! term {
    ($($part:literal),+) => { [concat!($($part),+, ".middle"), concat!($($part),+, ".end")] };
}

/// Terms whose names end in different parts.
macro_rules! terms {
    ($name:literal: $($part:literal)+) => { [$(term!($name, ".", $part)),+] };
}

/// A term for each square of a file.
macro_rules! ranks {
    ($name:literal, $file:literal) => { ranks!($name, $file, 1 2 3 4 5 6 7 8) };
    ($name:literal, $file:literal, $($rank:literal)+) => { [$(term!($name, $file, $rank)),+] };
}

/// A term for each square of the left half of the board, file by file.
macro_rules! squares {
    ($name:literal) => {
        [ranks!($name, ".a"), ranks!($name, ".b"), ranks!($name, ".c"), ranks!($name, ".d")].as_flattened()
    };
}

/// Material: pawns, knights, bishops, rooks, queens.
pub(super) const MATERIAL: usize = 0;
/// Piece-square tables of pawns, knights, bishops, rooks, queens and kings: four files of eight ranks each.
/// (The first and last rank of the pawns are not used.)
pub(super) const PAWN_ON: usize = MATERIAL + 5;
pub(super) const PIECE_ON: [usize; 4] = [PAWN_ON + 32, PAWN_ON + 64, PAWN_ON + 96, PAWN_ON + 128];
pub(super) const KING_ON: usize = PAWN_ON + 160;
/// Mobility of a knight, bishop, rook or queen: the attacked squares without own pawns, the own king, and
/// squares that enemy pawns attack. One term for each number.
pub(super) const MOBILITY: [usize; 4] = {
    let knight = KING_ON + 32;
    [knight, knight + 9, knight + 9 + 14, knight + 9 + 14 + 15]
};
/// Doubled, isolated and backward pawns.
pub(super) const DOUBLED: usize = MOBILITY[3] + 28;
pub(super) const ISOLATED: usize = DOUBLED + 1;
pub(super) const BACKWARD: usize = ISOLATED + 1;
/// Phalanx pawns by rank from the second, and pawns protected by a pawn by rank from the third.
pub(super) const PHALANX: usize = BACKWARD + 1;
pub(super) const PROTECTED: usize = PHALANX + 6;
/// Passed pawns by rank from the second, and those with an empty square in front.
pub(super) const PASSED: usize = PROTECTED + 5;
pub(super) const PASSED_FREE: usize = PASSED + 6;
/// The progress of passed pawns, from 0 on the second rank to 1 on the seventh: where the path to promotion
/// is empty and not attacked, and times the distance of each king from the square in front.
pub(super) const PASSED_SAFE: usize = PASSED_FREE + 6;
pub(super) const PASSED_OWN_KING: usize = PASSED_SAFE + 1;
pub(super) const PASSED_ENEMY_KING: usize = PASSED_OWN_KING + 1;
/// Pawn shield: the nearest own pawn in front of the king, on its file and on each neighbouring file: on the
/// second rank, on the third, further up, none.
pub(super) const SHIELD: [usize; 2] = [PASSED_ENEMY_KING + 1, PASSED_ENEMY_KING + 5];
/// Pawn storm: the nearest enemy pawn on those files: none, or on the second to sixth rank. The seventh
/// counts as the sixth.
pub(super) const STORM: usize = SHIELD[1] + 4;
/// King danger, by steps of four attack units.
pub(super) const DANGER: usize = STORM + 6;
pub(super) const DANGER_STEPS: usize = 16;
/// Two bishops or more.
pub(super) const BISHOP_PAIR: usize = DANGER + DANGER_STEPS;
/// Rooks on open files, on half-open files and on the seventh rank.
pub(super) const ROOK_OPEN: usize = BISHOP_PAIR + 1;
pub(super) const ROOK_HALF_OPEN: usize = ROOK_OPEN + 1;
pub(super) const ROOK_SEVENTH: usize = ROOK_HALF_OPEN + 1;
/// Outposts of knights and bishops: squares of the fourth to sixth rank that an own pawn protects and no
/// enemy pawn can attack.
pub(super) const OUTPOST: usize = ROOK_SEVENTH + 1;
/// Own pawns on squares of the bishop's colour.
pub(super) const BISHOP_PAWNS: usize = OUTPOST + 2;
/// Enemy pieces attacked by less valuable ones: minor pieces, rooks and queens by pawns; rooks and queens by
/// minor pieces; queens by rooks.
pub(super) const THREAT: usize = BISHOP_PAWNS + 1;
/// Enemy pieces that are attacked and not protected: pawns, minor pieces, rooks, queens.
pub(super) const HANGING: usize = THREAT + 6;
/// Pawns in an end game of bishops on opposite colours.
pub(super) const OPPOSITE_BISHOPS: usize = HANGING + 4;
/// The right to move.
pub(super) const TEMPO: usize = OPPOSITE_BISHOPS + 1;
/// The number of terms.
pub(super) const TERMS: usize = TEMPO + 1;

/// The names of all features: those of term n are 2n and 2n + 1.
pub(super) const NAMES: [&str; 2 * TERMS] = {
    let groups: &[&[Names]] = &[
        &[term!("pawn"), term!("knight"), term!("bishop"), term!("rook"), term!("queen")],
        squares!("pawn"),
        squares!("knight"),
        squares!("bishop"),
        squares!("rook"),
        squares!("queen"),
        squares!("king"),
        &terms!("knight.moves": 0 1 2 3 4 5 6 7 8),
        &terms!("bishop.moves": 0 1 2 3 4 5 6 7 8 9 10 11 12 13),
        &terms!("rook.moves": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
        &terms!("queen.moves": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27),
        &terms!("pawn": "doubled" "isolated" "backward"),
        &terms!("pawn.phalanx": 2 3 4 5 6 7),
        &terms!("pawn.protected": 3 4 5 6 7),
        &terms!("passed": 2 3 4 5 6 7),
        &terms!("passed.free": 2 3 4 5 6 7),
        &terms!("passed": "safe" "ownKing" "enemyKing"),
        &terms!("shield": "second" "third" "further" "none"),
        &terms!("shield.beside": "second" "third" "further" "none"),
        &terms!("storm": "none" 2 3 4 5 6),
        &terms!("danger": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
        &[term!("bishop.pair"), term!("rook.open"), term!("rook.halfOpen"), term!("rook.seventh")],
        &[term!("knight.outpost"), term!("bishop.outpost"), term!("bishop.pawns")],
        &terms!("threat": "pawnMinor" "pawnRook" "pawnQueen" "minorRook" "minorQueen" "rookQueen"),
        &terms!("hanging": "pawn" "minor" "rook" "queen"),
        &[term!("oppositeBishops"), term!("tempo")],
    ];
    let mut names = [""; 2 * TERMS];
    let (mut at, mut group) = (0, 0);
    while group < groups.len() {
        let flat = groups[group].as_flattened();
        let mut index = 0;
        while index < flat.len() {
            names[at] = flat[index];
            at += 1;
            index += 1;
        }
        group += 1;
    }
    assert!(at == names.len());
    names
};
