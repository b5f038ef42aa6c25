//! The position and its moves.

use super::super::zobrist::{mixed, random_table};
use super::super::{
    BenchSuite, Chance, Color, DrawRules, Ending, FenError, Game, GameMove, GameOption, Looks, MoveError,
    MoveOrdering, Outcome, PieceLooks, Playouts, SelectiveDeepening, Selectivity, Tabled,
};
use super::board::{self, BITS, MAX_SIZE, around, floods, reach, squares};
use super::notation;

/// The most amazons of a player.
pub const MAX_AMAZONS: u32 = 8;

/// The most squares that a queen reaches: its four lines on the largest board.
const QUEEN_MOVES: usize = 4 * (MAX_SIZE - 1);

/// The greatest value of a counter in a FEN; counters stop there.
pub(super) const MAX_COUNT: u16 = 9_999;

/// Amazon moves whose arrows are generated with one, two, and three or more plies left to search.
const MAX_AMAZON_MOVES: [usize; 3] = [6, 10, 16];

/// Bits of a square in a move.
const SQUARE_BITS: u32 = 7;

/// Zobrist keys of an amazon on a square, for White and for Black.
static AMAZON_KEYS: [[u64; BITS]; 2] = [random_table(0x416D_617A), random_table(0x6F6E_7321)];

/// Zobrist keys of an arrow on a square.
static ARROW_KEYS: [u64; BITS] = random_table(0x4172_726F);

/// Zobrist keys of the sizes of the board.
static SIZE_KEYS: [[u64; MAX_SIZE + 1]; MAX_SIZE + 1] = {
    let mut keys = [[0; MAX_SIZE + 1]; MAX_SIZE + 1];
    let mut files = 0;
    while files <= MAX_SIZE {
        keys[files] = random_table(0x5369_7A65 + files as u64);
        files += 1;
    }
    keys
};

/// Zobrist key of Black to move.
const SIDE_KEY: u64 = random_table::<1>(0x7773)[0];

/// A position of Amazons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amazons {
    /// The amazons of White and of Black.
    amazons: [u128; 2],
    /// The squares with neither amazon nor arrow.
    empty: u128,
    key: u64,
    /// The FEN's count of plies.
    plies: u16,
    move_number: u16,
    files: u8,
    ranks: u8,
    stm: Color,
}

/// A move of Amazons, three squares as bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AmazonsMove {
    /// The square that the amazon leaves.
    pub from: u8,
    /// The square that it goes to and shoots from.
    pub to: u8,
    /// The square that the arrow hits.
    pub arrow: u8,
}

impl GameMove for AmazonsMove {
    fn to_bits(self) -> u32 {
        // Not 0: an amazon never stays where it is.
        (u32::from(self.from) << SQUARE_BITS | u32::from(self.to)) << SQUARE_BITS | u32::from(self.arrow)
    }

    fn from_bits(bits: u32) -> Self {
        let square = |number: u32| (bits >> (SQUARE_BITS * number)) as u8 & ((1 << SQUARE_BITS) - 1);
        AmazonsMove { from: square(2), to: square(1), arrow: square(0) }
    }
}

impl Amazons {
    /// Makes a position. The caller has checked the size of the board, the amazons and the arrows.
    #[inline]
    pub fn new(
        (files, ranks): (usize, usize),
        amazons: [u128; 2],
        arrows: u128,
        stm: Color,
        plies: u16,
        move_number: u16,
    ) -> Amazons {
        let empty = board::board(files, ranks) & !(amazons[0] | amazons[1] | arrows);
        let (files, ranks) = (files as u8, ranks as u8);
        let mut position = Amazons { amazons, empty, key: 0, plies, move_number, files, ranks, stm };
        position.key = position.key_from_scratch();
        position
    }

    /// The amazons of a player.
    #[inline]
    pub fn of(&self, player: Color) -> u128 {
        self.amazons[player.index()]
    }

    /// The squares with neither amazon nor arrow.
    #[inline]
    pub fn empty(&self) -> u128 {
        self.empty
    }

    /// The squares with an arrow.
    #[inline]
    pub fn arrows(&self) -> u128 {
        let (files, ranks) = self.size();
        board::board(files, ranks) & !(self.empty | self.amazons[0] | self.amazons[1])
    }

    /// Files and ranks of the board.
    #[inline]
    pub fn size(&self) -> (usize, usize) {
        (self.files.into(), self.ranks.into())
    }

    /// The FEN's count of plies.
    pub(super) fn plies(&self) -> u16 {
        self.plies
    }

    /// The number of the move, counted up after each move of Black.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }

    /// The position after the first half of a move: no arrow has been shot yet.
    fn moved(&self, from: u8, to: u8) -> Amazons {
        let mut position = *self;
        position.amazons[self.stm.index()] ^= 1 << from | 1 << to;
        position.empty ^= 1 << from | 1 << to;
        position.stm = !self.stm;
        position
    }

    /// Whether there is an empty square that both players can reach.
    fn in_contact(&self) -> bool {
        let [white, black] = floods(self.amazons, self.empty);
        white & black != 0
    }

    /// Calls `each` for every move of an amazon of the side to move, with its start, its target, and the
    /// squares that the arrow can hit from there.
    #[inline]
    fn each_shot(&self, mut each: impl FnMut(u8, u8, u128)) {
        for from in squares(self.of(self.stm)) {
            let empty = self.empty | 1 << from;
            for to in squares(reach(from, self.empty)) {
                each(from, to, reach(to, empty));
            }
        }
    }
}

impl Game for Amazons {
    type Move = AmazonsMove;

    const NAME: &'static str = "amazons";

    const LOOKS: Looks = Looks {
        title: "Amazons",
        hint: "queens that shoot arrows",
        pieces: &[
            PieceLooks { letter: '*', name: "arrow", drawing: "tile" },
            PieceLooks { letter: 'q', name: "amazon", drawing: "queen" },
        ],
        steps: &["move", "shoot"],
        ..Looks::LETTERS
    };

    const MAX_MOVES: usize = MAX_AMAZONS as usize * QUEEN_MOVES * QUEEN_MOVES;

    /// No position repeats and every move is progress, as arrows are never removed.
    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    const OPTION: Option<GameOption> = Some(GameOption {
        name: "AmazonsBoard",
        choices: &notation::BOARDS,
        in_words: Some(notation::BOARDS_IN_WORDS),
    });

    /// A position of each phase, and small boards.
    const BENCH: BenchSuite = BenchSuite {
        depth: 4,
        fens: &[
            "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1",
            "*3*2*2/2*4q1*/2*1***3/*2q1**3/*1*1*q3*/1Qq**Q*3/1*3***2/*1*Q**1*1*/1*2**1*1*/2*5*Q w - - 36 19",
            "2Q3q*/1*Q2*2/3*4/*qq1*1*1/1*1*2*1/*1*2*2/3q1*2/2QQ**1* b - - 17 9",
            "1q1q1/q3q/5/Q3Q/1Q1Q1 w - - 0 1",
            "1q1*1/q1q*1/Q1*Qq/2**1/1Q2Q b - - 5 3",
        ],
    };

    fn start() -> Self {
        Self::start_with(0)
    }

    fn start_with(choice: usize) -> Self {
        notation::start(choice)
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        notation::parse_fen(fen)
    }

    fn fen(&self) -> String {
        notation::fen(self)
    }

    fn side_to_move(&self) -> Color {
        self.stm
    }

    fn legal_moves(&self, moves: &mut Vec<AmazonsMove>) {
        self.each_shot(|from, to, arrows| {
            moves.extend(squares(arrows).map(|arrow| AmazonsMove { from, to, arrow }));
        });
    }

    fn is_legal(&self, mv: AmazonsMove) -> bool {
        let AmazonsMove { from, to, arrow } = mv;
        self.of(self.stm) & 1 << from != 0
            && reach(from, self.empty) & 1 << to != 0
            && reach(to, self.empty | 1 << from) & 1 << arrow != 0
    }

    fn play(&mut self, mv: AmazonsMove) {
        let AmazonsMove { from, to, arrow } = mv;
        let us = self.stm.index();
        self.amazons[us] = self.amazons[us] & !(1 << from) | 1 << to;
        self.empty = (self.empty | 1 << from) & !(1 << to) & !(1 << arrow);
        let keys = &AMAZON_KEYS[us];
        self.key ^=
            keys[usize::from(from)] ^ keys[usize::from(to)] ^ ARROW_KEYS[usize::from(arrow)] ^ SIDE_KEY;
        self.plies = (self.plies + 1).min(MAX_COUNT);
        if self.stm == Color::Black {
            self.move_number = (self.move_number + 1).min(MAX_COUNT);
        }
        self.stm = !self.stm;
    }

    fn terminal_outcome(&self) -> Outcome {
        Outcome { winner: Some(!self.stm), ending: Ending::NoMoves }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let (files, ranks) = self.size();
        let stm = if self.stm == Color::Black { SIDE_KEY } else { 0 };
        let keys = |set: u128, keys: &[u64; BITS]| {
            squares(set).fold(0, |key, square| key ^ keys[usize::from(square)])
        };
        SIZE_KEYS[files][ranks]
            ^ stm
            ^ keys(self.of(Color::White), &AMAZON_KEYS[0])
            ^ keys(self.of(Color::Black), &AMAZON_KEYS[1])
            ^ keys(self.arrows(), &ARROW_KEYS)
    }

    fn same_position(&self, other: &Self) -> bool {
        (self.size(), self.stm) == (other.size(), other.stm)
            && self.amazons == other.amazons
            && self.empty == other.empty
    }

    fn move_text(&self, mv: AmazonsMove) -> String {
        notation::move_text(mv)
    }

    fn parse_move(&self, text: &str) -> Result<AmazonsMove, MoveError> {
        notation::parse_move(self, text)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.each_shot(|_, _, arrows| count += arrows.count_ones() as usize);
        count
    }

    /// An amazon that can move can also shoot: the square that it has left is empty.
    fn is_terminal(&self) -> bool {
        around(self.of(self.stm)) & self.empty == 0
    }
}

impl Chance for Amazons {}

impl MoveOrdering for Amazons {
    /// The amazons of White; those of Black.
    const STRUCTURES: usize = 2;

    /// There are none, as nothing is captured.
    fn tactical_moves(&self, _moves: &mut Vec<AmazonsMove>) {}

    fn quiet_moves(&self, moves: &mut Vec<AmazonsMove>) {
        self.legal_moves(moves);
    }

    fn structure(&self, index: usize) -> u64 {
        let amazons = self.amazons[index];
        mixed(amazons as u64 ^ mixed((amazons >> 64) as u64))
    }
}

impl Selectivity for Amazons {
    /// The start position has 2176 moves, all quiet.
    const ORDERS_BY_STATIC_EVAL: bool = true;

    /// Moves whose first half, the move of the amazon, has one of the best static evaluations.
    fn moves_by_static_eval(
        &self,
        depth: i32,
        static_eval: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(AmazonsMove, i32)>,
    ) {
        let limit = MAX_AMAZON_MOVES[(depth.max(1) as usize - 1).min(MAX_AMAZON_MOVES.len() - 1)];
        let mut amazon_moves = Vec::with_capacity(64);
        for from in squares(self.of(self.stm)) {
            amazon_moves.extend(squares(reach(from, self.empty)).map(|to| (0, from, to)));
        }
        if amazon_moves.len() > limit {
            for (eval, from, to) in &mut amazon_moves {
                *eval = static_eval(&self.moved(*from, *to));
            }
            // The sort is stable: equal ones keep the generator's order.
            amazon_moves.sort_by_key(|(eval, ..)| std::cmp::Reverse(*eval));
            amazon_moves.truncate(limit);
        }
        for (_, from, to) in amazon_moves {
            moves.extend(squares(reach(to, self.empty | 1 << from)).map(|arrow| {
                let mv = AmazonsMove { from, to, arrow };
                let child = self.after(mv);
                (mv, static_eval(&child))
            }));
        }
    }

    /// Allowed while the players are in contact. After that every move costs its player a square, and a null
    /// move would be better than any move.
    fn null_move(&self) -> Option<Self> {
        self.in_contact().then(|| Amazons { stm: !self.stm, key: self.key ^ SIDE_KEY, ..*self })
    }
}

impl SelectiveDeepening for Amazons {}

impl Tabled for Amazons {}

impl Playouts for Amazons {
    /// Leaves are evaluated statically: random playouts hardly tell positions apart.
    const PLAYOUT_PLIES: Option<u32> = Some(0);
}
