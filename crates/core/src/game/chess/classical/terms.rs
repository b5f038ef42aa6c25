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

/// Terms for a number of each of the left four files.
macro_rules! files {
    ($name:literal: $($number:literal)+) => {
        [
            terms_of_file!($name, ".a", $($number)+),
            terms_of_file!($name, ".b", $($number)+),
            terms_of_file!($name, ".c", $($number)+),
            terms_of_file!($name, ".d", $($number)+),
        ]
        .as_flattened()
    };
}

/// Terms for a number of one file.
macro_rules! terms_of_file {
    ($name:literal, $file:literal, $($number:literal)+) => { [$(term!($name, $file, $number)),+] };
}

/// A term for each square of the left half of the board, file by file.
macro_rules! squares {
    ($name:literal) => { files!($name: 1 2 3 4 5 6 7 8) };
}

/// Material: pawns, knights, bishops, rooks, queens.
pub(super) const MATERIAL: usize = 0;
/// Piece-square tables of pawns, knights, bishops, rooks, queens and kings: four files of eight ranks each.
/// (The first and last rank of the pawns are not used.)
pub(super) const PAWN_ON: usize = MATERIAL + 5;
pub(super) const PIECE_ON: [usize; 4] = [PAWN_ON + 32, PAWN_ON + 64, PAWN_ON + 96, PAWN_ON + 128];
pub(super) const KING_ON: usize = PAWN_ON + 160;
/// Mobility of a knight, bishop, rook or queen: the attacked squares without own pawns, the own king, and
/// squares that enemy pawns attack. Bishops and rooks attack through queens, rooks through own rooks. One
/// term for each number.
pub(super) const MOBILITY: [usize; 4] = {
    let knight = KING_ON + 32;
    [knight, knight + 9, knight + 9 + 14, knight + 9 + 14 + 15]
};
/// Doubled, isolated and backward pawns, and those of the last two kinds that no enemy pawn is in front of.
pub(super) const DOUBLED: usize = MOBILITY[3] + 28;
pub(super) const ISOLATED: usize = DOUBLED + 1;
pub(super) const BACKWARD: usize = ISOLATED + 2;
/// Phalanx pawns by rank from the second, and pawns protected by a pawn by rank from the third.
pub(super) const PHALANX: usize = BACKWARD + 2;
pub(super) const PROTECTED: usize = PHALANX + 6;
/// Pawns that only enemy pawns of one neighbouring file can stop, by rank from the second.
pub(super) const CANDIDATE: usize = PROTECTED + 5;
/// Passed pawns by rank from the second: all; those with an empty square in front; where it is not attacked
/// either; where the whole path to promotion is empty and not attacked.
pub(super) const PASSED: usize = CANDIDATE + 6;
pub(super) const PASSED_FREE: usize = PASSED + 6;
pub(super) const PASSED_SAFE: usize = PASSED_FREE + 6;
pub(super) const PASSED_CLEAR: usize = PASSED_SAFE + 6;
/// Passed pawns by rank, times the distance of the own and of the enemy king from the square in front.
pub(super) const PASSED_KING: [usize; 2] = [PASSED_CLEAR + 6, PASSED_CLEAR + 12];
/// Own and enemy rooks and queens behind a passed pawn.
pub(super) const PASSED_BEHIND: usize = PASSED_KING[1] + 6;
/// Shelter: the nearest own pawn at or in front of the king, on its file and on each neighbouring file, by
/// file and by its distance in ranks; 7 if there is none.
pub(super) const SHELTER: [usize; 2] = [PASSED_BEHIND + 2, PASSED_BEHIND + 34];
/// Pawn storm: the same of the nearest enemy pawn; free, and blocked by that own pawn.
pub(super) const STORM: [usize; 2] = [SHELTER[1] + 32, SHELTER[1] + 64];
/// No pawns on the files near the king.
pub(super) const PAWNLESS_FLANK: usize = STORM[1] + 32;
/// Squares near the king in its half of the board: attacked by the enemy, by two of its pieces, own attacks.
pub(super) const FLANK: usize = PAWNLESS_FLANK + 1;
/// King danger, in steps.
pub(super) const DANGER: usize = FLANK + 3;
pub(super) const DANGER_STEPS: usize = 32;
/// Two knights, bishops or rooks.
pub(super) const PAIR: usize = DANGER + DANGER_STEPS;
/// Knights, bishops and rooks, times the own pawns beyond five, and times the rammed pawns.
pub(super) const WITH_PAWNS: usize = PAIR + 3;
pub(super) const WITH_RAMMED: usize = WITH_PAWNS + 3;
/// Rooks on open files, on half-open files and on the seventh rank.
pub(super) const ROOK_OPEN: usize = WITH_RAMMED + 3;
pub(super) const ROOK_HALF_OPEN: usize = ROOK_OPEN + 1;
pub(super) const ROOK_SEVENTH: usize = ROOK_HALF_OPEN + 1;
/// Outposts of knights and bishops: squares of the fourth to sixth rank that an own pawn protects and no
/// enemy pawn can attack; those that a knight can move to.
pub(super) const OUTPOST: usize = ROOK_SEVENTH + 1;
pub(super) const OUTPOST_NEAR: usize = OUTPOST + 2;
/// Knights and bishops behind a pawn, and times their distance from the own king.
pub(super) const BEHIND_PAWN: usize = OUTPOST_NEAR + 1;
pub(super) const FROM_KING: usize = BEHIND_PAWN + 2;
/// Own pawns on squares of the bishop's colour, and those of them that are rammed.
pub(super) const BISHOP_PAWNS: usize = FROM_KING + 2;
pub(super) const BISHOP_BLOCKED_PAWNS: usize = BISHOP_PAWNS + 1;
/// Bishops on a diagonal through the centre that no pawn blocks.
pub(super) const BISHOP_DIAGONAL: usize = BISHOP_BLOCKED_PAWNS + 1;
/// Enemy pieces attacked by less valuable ones, or by as valuable ones: minor pieces, rooks and queens by
/// pawns; weak pawns, minor pieces, rooks and queens by minor pieces; weak pawns, weak minor pieces and
/// queens by rooks; all weak ones by the king. Weak ones have no pawn that protects them, and no two pieces
/// unless two attack them.
pub(super) const THREAT: usize = BISHOP_DIAGONAL + 1;
/// Enemy pieces that are attacked and not protected: pawns, minor pieces, rooks, queens.
pub(super) const HANGING: usize = THREAT + 11;
/// Weak enemy pieces: attacked twice and protected; protected by the queen.
pub(super) const OVERLOADED: usize = HANGING + 4;
pub(super) const QUEEN_GUARDS: usize = OVERLOADED + 1;
/// Empty squares that both attack and that are weak for the opponent.
pub(super) const RESTRICTED: usize = QUEEN_GUARDS + 1;
/// Enemy pieces that a safe pawn move attacks.
pub(super) const PUSH_THREAT: usize = RESTRICTED + 1;
/// Safe squares from which a knight, or a bishop or rook, attacks the enemy's only queen.
pub(super) const ON_QUEEN: usize = PUSH_THREAT + 1;
/// Squares on the second to fourth rank of the middle files without own pawns that no enemy pawn attacks,
/// times the number of own pieces; those behind own pawns that nothing attacks.
pub(super) const SPACE: usize = ON_QUEEN + 2;
/// The right to move.
pub(super) const TEMPO: usize = SPACE + 2;
/// The number of terms.
pub(super) const TERMS: usize = TEMPO + 1;

/// The names of all features: those of term n are 2n and 2n + 1.
pub(super) static NAMES: [&str; 2 * TERMS] = {
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
        &terms!("pawn": "doubled" "isolated" "isolated.open" "backward" "backward.open"),
        &terms!("pawn.phalanx": 2 3 4 5 6 7),
        &terms!("pawn.protected": 3 4 5 6 7),
        &terms!("candidate": 2 3 4 5 6 7),
        &terms!("passed": 2 3 4 5 6 7),
        &terms!("passed.free": 2 3 4 5 6 7),
        &terms!("passed.safe": 2 3 4 5 6 7),
        &terms!("passed.clear": 2 3 4 5 6 7),
        &terms!("passed.ownKing": 2 3 4 5 6 7),
        &terms!("passed.enemyKing": 2 3 4 5 6 7),
        &terms!("passed.behind": "own" "enemy"),
        files!("shelter": 0 1 2 3 4 5 6 7),
        files!("shelter.beside": 0 1 2 3 4 5 6 7),
        files!("storm": 0 1 2 3 4 5 6 7),
        files!("storm.blocked": 0 1 2 3 4 5 6 7),
        &terms!("flank": "pawnless" "attacked" "attackedTwice" "own"),
        &terms!("danger": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
        &terms!("danger": 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31),
        &terms!("pair": "knight" "bishop" "rook"),
        &terms!("withPawns": "knight" "bishop" "rook"),
        &terms!("withRammed": "knight" "bishop" "rook"),
        &terms!("rook": "open" "halfOpen" "seventh"),
        &[term!("knight.outpost"), term!("bishop.outpost"), term!("knight.outpostNear")],
        &[term!("knight.behindPawn"), term!("bishop.behindPawn")],
        &[term!("knight.fromKing"), term!("bishop.fromKing")],
        &terms!("bishop": "pawns" "blockedPawns" "diagonal"),
        &terms!("threat": "pawnMinor" "pawnRook" "pawnQueen"),
        &terms!("threat": "minorPawn" "minorMinor" "minorRook" "minorQueen"),
        &terms!("threat": "rookPawn" "rookMinor" "rookQueen" "king"),
        &terms!("hanging": "pawn" "minor" "rook" "queen"),
        &terms!("weak": "overloaded" "queenGuards" "restricted"),
        &terms!("threat": "push" "knightOnQueen" "sliderOnQueen"),
        &terms!("space": "safe" "behind"),
        &[term!("tempo")],
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
