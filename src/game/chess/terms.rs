//! The terms of the classical evaluation, and their names.
//!
//! A term has two features, one for the middle game and one for the end game. Squares of tables are those
//! of the player whose piece it is, White's point of view, and the files `a` to `d` stand for `h` to `e`,
//! too.

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

/// Pieces from pawn to queen.
pub(super) const MATERIAL: usize = 0;
/// Where pawns, knights, bishops, rooks, queens and kings stand: four files of eight ranks for each. (No
/// pawn stands on the first or last.)
pub(super) const PAWN_ON: usize = MATERIAL + 5;
pub(super) const OFFICER_ON: [usize; 4] = [PAWN_ON + 32, PAWN_ON + 64, PAWN_ON + 96, PAWN_ON + 128];
pub(super) const KING_ON: usize = PAWN_ON + 160;
/// Squares that a knight, bishop, rook or queen can go to, those that enemy pawns attack not counted.
pub(super) const MOBILITY: [usize; 4] = {
    let knight = KING_ON + 32;
    [knight, knight + 9, knight + 9 + 14, knight + 9 + 14 + 15]
};
/// Pawns with another one in front, without neighbours on the files beside, and left behind by them.
pub(super) const DOUBLED: usize = MOBILITY[3] + 28;
pub(super) const ISOLATED: usize = DOUBLED + 1;
pub(super) const BACKWARD: usize = ISOLATED + 1;
/// Pawns beside another one, by rank from the second; pawns that a pawn protects, by rank from the third.
pub(super) const PHALANX: usize = BACKWARD + 1;
pub(super) const PROTECTED: usize = PHALANX + 6;
/// Passed pawns by rank from the second; those with an empty square in front.
pub(super) const PASSED: usize = PROTECTED + 5;
pub(super) const PASSED_FREE: usize = PASSED + 6;
/// Shares of their way that passed pawns have gone, if the rest of it is empty and not attacked, and times
/// the distance of both kings from the square in front.
pub(super) const PASSED_SAFE: usize = PASSED_FREE + 6;
pub(super) const PASSED_OWN_KING: usize = PASSED_SAFE + 1;
pub(super) const PASSED_ENEMY_KING: usize = PASSED_OWN_KING + 1;
/// The nearest own pawn before the king, on its file and on each file beside: on the second or third rank,
/// further, none.
pub(super) const SHIELD: [usize; 2] = [PASSED_ENEMY_KING + 1, PASSED_ENEMY_KING + 5];
/// The nearest enemy pawn on those files: none, on the second rank, …, on the sixth or seventh.
pub(super) const STORM: usize = SHIELD[1] + 4;
/// How much the squares around the king are attacked: a step for each four units.
pub(super) const DANGER: usize = STORM + 6;
pub(super) const DANGER_STEPS: usize = 16;
pub(super) const BISHOP_PAIR: usize = DANGER + DANGER_STEPS;
/// Rooks on files without pawns, without own pawns, and on the seventh rank.
pub(super) const ROOK_OPEN: usize = BISHOP_PAIR + 1;
pub(super) const ROOK_HALF_OPEN: usize = ROOK_OPEN + 1;
pub(super) const ROOK_SEVENTH: usize = ROOK_HALF_OPEN + 1;
/// Knights and bishops on the fourth to sixth rank, protected by a pawn, where no enemy pawn can attack them.
pub(super) const OUTPOST: usize = ROOK_SEVENTH + 1;
/// Own pawns on squares of the bishop's colour.
pub(super) const BISHOP_PAWNS: usize = OUTPOST + 2;
/// Enemy pieces that are attacked by something less valuable: by pawns knight or bishop, rook, queen; by
/// knights and bishops rook, queen; by rooks a queen.
pub(super) const THREAT: usize = BISHOP_PAWNS + 1;
/// Enemy pieces that are attacked and not protected: pawns, knights and bishops, rooks, queens.
pub(super) const HANGING: usize = THREAT + 6;
/// The lead in pawns where each player has one bishop and no other piece, on squares of different colours.
pub(super) const OPPOSITE_BISHOPS: usize = HANGING + 4;
/// The move.
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
