//! The position and its moves.

use super::super::zobrist::random_table;
use super::super::{
    BenchSuite, Chance, Color, DrawRules, Ending, FenError, Game, GameMove, GameOption, MoveError,
    MoveOrdering, Outcome, Playouts, ProofLeaf, SelectiveDeepening, Selectivity, Solvable,
};
use super::board::{self, BITS, MOST, around, flood, reach, squares};
use super::notation;
use super::rest::{Judgement, Rest};

/// Amazons of a player at most.
pub(super) const AMAZONS: u32 = 8;

/// Squares that a queen reaches at most: the whole of its four lines on the largest board.
const QUEEN_MOVES: usize = 4 * (MOST - 1);

/// The greatest value of a counter in a FEN. A game ends long before it; counting stops there.
pub(super) const LAST_COUNT: u16 = 9_999;

/// Moves of the amazon whose arrows are looked at, of all that there are, when a search has one ply left,
/// two, or more. (At 20,000 nodes a move on 10×10, 60 games against 16 everywhere: +37 −23, Elo +83 [+5,
/// +170].)
const PROMISING_PARTS: [usize; 3] = [6, 10, 16];

/// Squares that a player lacks for certainty; more make no difference to a solver.
const MOST_LACKED: u32 = 13;

/// Bits of a square in a move.
const SQUARE_BITS: u32 = 7;

/// Zobrist numbers of an amazon on a square, for White and for Black.
static AMAZON_KEYS: [[u64; BITS]; 2] = [random_table(0x416D_617A), random_table(0x6F6E_7321)];

/// Zobrist numbers of an arrow on a square.
static ARROW_KEYS: [u64; BITS] = random_table(0x4172_726F);

/// Zobrist numbers of the sizes of the board.
static SIZE_KEYS: [[u64; MOST + 1]; MOST + 1] = {
    let mut keys = [[0; MOST + 1]; MOST + 1];
    let mut files = 0;
    while files <= MOST {
        keys[files] = random_table(0x5369_7A65 + files as u64);
        files += 1;
    }
    keys
};

/// Zobrist number of Black to move.
const MOVER_KEY: u64 = random_table::<1>(0x7773)[0];

/// A position of Amazons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amazons {
    /// The amazons of White and of Black.
    amazons: [u128; 2],
    /// The squares with neither amazon nor arrow.
    empty: u128,
    key: u64,
    /// Plies that the FEN counts.
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
    pub(super) from: u8,
    /// The square that it goes to, and shoots from.
    pub(super) to: u8,
    /// The square that the arrow hits.
    pub(super) arrow: u8,
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
    /// A position on a board of so many files and ranks; the caller vouches for them, the amazons and the
    /// arrows.
    pub(super) fn new(
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
    pub(super) fn of(&self, player: Color) -> u128 {
        self.amazons[player.index()]
    }

    /// The squares with neither amazon nor arrow.
    pub(super) fn empty(&self) -> u128 {
        self.empty
    }

    /// The squares with an arrow.
    pub(super) fn arrows(&self) -> u128 {
        let (files, ranks) = self.size();
        board::board(files, ranks) & !(self.empty | self.amazons[0] | self.amazons[1])
    }

    /// Files and ranks of the board.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.files.into(), self.ranks.into())
    }

    /// Plies that the FEN counts.
    pub(super) fn plies(&self) -> u16 {
        self.plies
    }

    /// Number of the move, counted up after each of Black's.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }

    /// The position after the first part of a move: no arrow has been shot.
    fn moved(&self, from: u8, to: u8) -> Amazons {
        let mut position = *self;
        position.amazons[self.stm.index()] ^= 1 << from | 1 << to;
        position.empty ^= 1 << from | 1 << to;
        position.stm = !self.stm;
        position
    }

    /// Whether there is an empty square that both players can reach.
    fn in_contact(&self) -> bool {
        let [white, black] = self.amazons.map(|amazons| flood(amazons, self.empty));
        white & black != 0
    }

    /// Calls `each` with the square of every amazon of the side to move, every square that it may go to,
    /// and those that it may shoot at from there.
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

    const MAX_MOVES: usize = AMAZONS as usize * QUEEN_MOVES * QUEEN_MOVES;

    /// Every move blocks a square for good.
    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    const OPTION: Option<GameOption> = Some(GameOption { name: "AmazonsBoard", choices: &notation::BOARDS });

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
            keys[usize::from(from)] ^ keys[usize::from(to)] ^ ARROW_KEYS[usize::from(arrow)] ^ MOVER_KEY;
        self.plies = (self.plies + 1).min(LAST_COUNT);
        if self.stm == Color::Black {
            self.move_number = (self.move_number + 1).min(LAST_COUNT);
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
        let stm = if self.stm == Color::Black { MOVER_KEY } else { 0 };
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

    /// An amazon that can move can also shoot: at where it has come from.
    fn is_terminal(&self) -> bool {
        around(self.of(self.stm)) & self.empty == 0
    }
}

impl Chance for Amazons {}

impl MoveOrdering for Amazons {
    /// There are none: nothing is ever captured.
    fn tactical_moves(&self, _moves: &mut Vec<AmazonsMove>) {}

    fn quiet_moves(&self, moves: &mut Vec<AmazonsMove>) {
        self.legal_moves(moves);
    }
}

impl Selectivity for Amazons {
    /// Two thousand at the start.
    const ORDERS_BY_STATIC_EVAL: bool = true;

    /// The arrows of the amazon moves that look best before one is shot.
    fn moves_by_static_eval(
        &self,
        depth: i32,
        rate: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(AmazonsMove, i32)>,
    ) {
        let most = PROMISING_PARTS[(depth.max(1) as usize - 1).min(PROMISING_PARTS.len() - 1)];
        let mut parts = Vec::with_capacity(64);
        for from in squares(self.of(self.stm)) {
            parts.extend(squares(reach(from, self.empty)).map(|to| (0, from, to)));
        }
        if parts.len() > most {
            for (promise, from, to) in &mut parts {
                *promise = rate(&self.moved(*from, *to));
            }
            // Of equals, the generator's first.
            parts.sort_by_key(|(promise, ..)| std::cmp::Reverse(*promise));
            parts.truncate(most);
        }
        for (_, from, to) in parts {
            moves.extend(squares(reach(to, self.empty | 1 << from)).map(|arrow| {
                let mv = AmazonsMove { from, to, arrow };
                let mut child = *self;
                child.play(mv);
                (mv, rate(&child))
            }));
        }
    }

    /// The other player moves twice. As long as the players are in contact nobody wants to pass.
    fn null_move(&self) -> Option<Self> {
        self.in_contact().then(|| Amazons { stm: !self.stm, key: self.key ^ MOVER_KEY, ..*self })
    }
}

impl SelectiveDeepening for Amazons {}

impl Playouts for Amazons {
    /// A game of random moves says little of who is stronger where.
    const PLAYOUT_PLIES: Option<u32> = Some(0);
}

impl Solvable for Amazons {
    /// Somebody is always the one who cannot move.
    const CAN_BE_DRAWN: bool = false;

    /// What a player lacks makes the work three times as much, square by square. (Of 2, 2.8, 4 and 8, the
    /// two in the middle need the fewest nodes on boards of four columns.)
    fn proof_leaf(&self) -> ProofLeaf {
        let rest = Rest::new([self.of(self.stm), self.of(!self.stm)], self.empty);
        match rest.judge() {
            Judgement::Certain { mover_wins } => {
                ProofLeaf::Decided(Some(if mover_wins { self.stm } else { !self.stm }))
            }
            Judgement::Open { lacks } => ProofLeaf::Open {
                key: rest.key(),
                numbers: lacks.map(|lack| 3u32.pow(lack.clamp(1, MOST_LACKED) - 1)),
            },
        }
    }
}
