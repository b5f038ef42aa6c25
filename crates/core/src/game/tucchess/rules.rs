//! The position and its moves.

use super::super::fen::MAX_COUNT;
use super::super::zobrist::random_table;
use super::super::{Color, DrawRules, Ending, FenError, Game, GameInfo, GameMove, MoveError, Outcome};
use super::board::{ALL, Kind, forward, king_steps, last_rank, pawn_attacks, rook_steps, squares};
use super::info::INFO;
use super::notation;

/// A point in tenths, the unit of all scores: a prize of unknown value counts by its mean.
pub(super) const POINT: u16 = 10;

/// The mean value of a prize, in tenths of a point.
pub(super) const MEAN_PRIZE: u16 = 9;

/// The probability that a prize scores a point.
const PRIZE_SCORES: f64 = 0.9;

/// The probability that a new prize appears after a move.
const PRIZE_APPEARS: f64 = 0.1;

/// The maximum number of points in a FEN, in tenths; points stop there.
pub(super) const MAX_POINTS: u16 = 9_999;

/// Zobrist keys of each kind of piece on a square, for White and for Black.
static PIECE_KEYS: [[[u64; 64]; 3]; 2] = [
    [random_table(0x5055_4331), random_table(0x5055_4332), random_table(0x5055_4333)],
    [random_table(0x5055_4334), random_table(0x5055_4335), random_table(0x5055_4336)],
];

/// Zobrist keys of a prize on a square.
static PRIZE_KEYS: [u64; 64] = random_table(0x5072_697A);

/// Zobrist key of Black to move.
const SIDE_KEY: u64 = random_table::<1>(0x5475_726E)[0];

/// Keys of the lead in points, for the table key. Leads of more than a hundred points share keys.
static LEAD_KEYS: [u64; 2048] = random_table(0x4C65_6164);

/// A position of TUC-CHESS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TucChess {
    /// Pawns, rooks and kings of White and of Black.
    pieces: [[u64; 3]; 2],
    prizes: u64,
    key: u64,
    /// Points of White and of Black, in tenths.
    points: [u16; 2],
    stm: Color,
    move_number: u16,
}

/// A move of TUC-CHESS: the squares it goes from and to, and its chance outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TucMove {
    /// The square that the piece leaves, below 64.
    pub(super) from: u8,
    /// The target square, below 64.
    pub(super) to: u8,
    /// The value of the prize that it takes.
    pub(super) prize_value: PrizeValue,
    /// The square on which a new prize appears.
    pub(super) appears: Option<u8>,
}

/// The value of a prize.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PrizeValue {
    /// Not sampled: the prize counts by its mean.
    Mean,
    /// Nothing.
    Nothing,
    /// A point.
    Point,
}

impl TucMove {
    /// A move without an outcome of chance.
    pub(super) fn new(from: u8, to: u8) -> TucMove {
        TucMove { from, to, prize_value: PrizeValue::Mean, appears: None }
    }
}

/// No square, in the bits of a move.
pub(super) const NO_SQUARE: u8 = 63;

impl GameMove for TucMove {
    fn to_bits(self) -> u32 {
        let appears = self.appears.unwrap_or(NO_SQUARE);
        // Never 0, as `from` and `to` differ.
        u32::from(self.from)
            | u32::from(self.to) << 6
            | (self.prize_value as u32) << 12
            | u32::from(appears ^ NO_SQUARE) << 14
    }

    fn from_bits(bits: u32) -> Self {
        let six = |shift: u32| (bits >> shift & 63) as u8;
        TucMove {
            from: six(0),
            to: six(6),
            prize_value: match bits >> 12 & 3 {
                1 => PrizeValue::Nothing,
                2 => PrizeValue::Point,
                _ => PrizeValue::Mean,
            },
            appears: Some(six(14) ^ NO_SQUARE).filter(|&square| square != NO_SQUARE),
        }
    }
}

impl TucChess {
    /// Makes a position and computes its key. The caller has checked the pieces.
    pub(super) fn new(
        pieces: [[u64; 3]; 2],
        prizes: u64,
        points: [u16; 2],
        stm: Color,
        move_number: u16,
    ) -> TucChess {
        let mut position = TucChess { pieces, prizes, key: 0, points, stm, move_number };
        position.key = position.key_from_scratch();
        position
    }

    /// The pieces of a kind of a player.
    pub(super) fn pieces(&self, player: Color, kind: Kind) -> u64 {
        self.pieces[player.index()][kind as usize]
    }

    /// The pieces of a player.
    pub(super) fn of(&self, player: Color) -> u64 {
        let [pawns, rooks, kings] = self.pieces[player.index()];
        pawns | rooks | kings
    }

    /// The pieces of both players.
    pub(super) fn occupied(&self) -> u64 {
        self.of(Color::White) | self.of(Color::Black)
    }

    /// The prizes on the board.
    pub(super) fn prizes(&self) -> u64 {
        self.prizes
    }

    /// The squares with neither piece nor prize.
    pub(super) fn free(&self) -> u64 {
        ALL & !self.occupied() & !self.prizes
    }

    /// The points of a player, in tenths.
    pub(super) fn points(&self, player: Color) -> u16 {
        self.points[player.index()]
    }

    /// Replaces the points of White and of Black, in tenths.
    pub(super) fn set_points(&mut self, points: [u16; 2]) {
        self.points = points;
    }

    /// The number of the move, counted up after each move of Black.
    pub(super) fn move_number(&self) -> u16 {
        self.move_number
    }

    /// The kind of a player's piece on a square, as a bit.
    pub(super) fn kind_on(&self, player: Color, square: u64) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| self.pieces(player, kind) & square != 0)
    }

    /// The ending by captures: a captured king or bare kings.
    pub(super) fn finished(&self) -> Option<Ending> {
        let [[_, _, white], [_, _, black]] = self.pieces;
        if white == 0 || black == 0 {
            return Some(Ending::KingCaptured);
        }
        (self.occupied() == white | black).then_some(Ending::BareKings)
    }

    /// Targets of a piece of `player` on a square, as a bit.
    pub(super) fn targets(&self, player: Color, kind: Kind, from: u64) -> u64 {
        let targets = match kind {
            Kind::Pawn => {
                forward(from, player) & !self.occupied() | pawn_attacks(from, player) & self.of(!player)
            }
            Kind::Rook => rook_steps(from, self.occupied() | self.prizes),
            Kind::King => king_steps(from),
        };
        targets & !self.of(player)
    }

    /// Calls `each` with every piece of the side to move and its targets.
    pub(super) fn each_piece(&self, mut each: impl FnMut(Kind, u8, u64)) {
        if self.finished().is_some() {
            return;
        }
        for kind in Kind::ALL {
            for from in squares(self.pieces(self.stm, kind)) {
                each(kind, from, self.targets(self.stm, kind, 1 << from));
            }
        }
    }

    /// The squares on which a move of a piece of this kind scores for the side to move: those of enemies and
    /// prizes, and for pawns the last rank.
    pub(super) fn scoring(&self, kind: Kind) -> u64 {
        let leaves = if kind == Kind::Pawn { last_rank(self.stm) } else { 0 };
        self.of(!self.stm) | self.prizes | leaves
    }

    pub(super) fn toggle(&mut self, player: Color, kind: Kind, square: u8) {
        self.pieces[player.index()][kind as usize] ^= 1 << square;
        self.key ^= PIECE_KEYS[player.index()][kind as usize][usize::from(square)];
    }

    pub(super) fn toggle_prize(&mut self, square: u8) {
        self.prizes ^= 1 << square;
        self.key ^= PRIZE_KEYS[usize::from(square)];
    }

    /// Whether the side to move can capture the enemy king.
    pub(super) fn attacks_king(&self) -> bool {
        let king = self.pieces(!self.stm, Kind::King);
        let reach = |kind| self.targets(self.stm, kind, self.pieces(self.stm, kind));
        Kind::ALL.into_iter().any(|kind| reach(kind) & king != 0)
    }

    /// The lead of the side to move in points, in tenths.
    pub(super) fn lead(&self) -> i32 {
        i32::from(self.points(self.stm)) - i32::from(self.points(!self.stm))
    }
}

impl Game for TucChess {
    type Move = TucMove;

    fn info() -> GameInfo {
        INFO
    }

    /// Seven pawns with three targets each, two rooks with twelve, a king with four.
    const MAX_MOVES: usize = 49;

    /// The only draw is a game that ends with equal points.
    const DRAW_RULES: DrawRules = DrawRules { repetitions: None, no_progress: None };

    /// A referee ends the game after 14 minutes, and a move has 6 seconds.
    const LONGEST_GAME: Option<u32> = Some(140);

    fn start() -> Self {
        let back = |rank: u32| [0b10001 << (5 * rank), 0b01010 << (5 * rank), 0b00100 << (5 * rank)];
        let mut pieces = [back(0), back(6)];
        pieces[0][0] |= 0b11111 << 5;
        pieces[1][0] |= 0b11111 << 25;
        TucChess::new(pieces, 0b11111 << 15, [0, 0], Color::White, 1)
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

    fn legal_moves(&self, moves: &mut Vec<TucMove>) {
        self.each_piece(|_, from, targets| moves.extend(squares(targets).map(|to| TucMove::new(from, to))));
    }

    fn is_legal(&self, mv: TucMove) -> bool {
        let from = 1 << mv.from;
        mv == TucMove::new(mv.from, mv.to)
            && self.finished().is_none()
            && self
                .kind_on(self.stm, from)
                .is_some_and(|kind| self.targets(self.stm, kind, from) & 1 << mv.to != 0)
    }

    fn play(&mut self, mv: TucMove) {
        let (us, them) = (self.stm, !self.stm);
        let to = 1 << mv.to;
        let mut tenths = 0;
        if let Some(captured) = self.kind_on(them, to) {
            self.toggle(them, captured, mv.to);
            tenths += captured.points() * POINT;
        }
        if let Some(kind) = self.kind_on(us, 1 << mv.from) {
            self.toggle(us, kind, mv.from);
            if kind == Kind::Pawn && to & last_rank(us) != 0 {
                tenths += POINT;
            } else {
                self.toggle(us, kind, mv.to);
            }
        }
        if self.prizes & to != 0 {
            self.toggle_prize(mv.to);
            tenths += match mv.prize_value {
                PrizeValue::Mean => MEAN_PRIZE,
                PrizeValue::Nothing => 0,
                PrizeValue::Point => POINT,
            };
        }
        if let Some(square) = mv.appears.filter(|&square| self.free() & 1 << square != 0) {
            self.toggle_prize(square);
        }
        let points = &mut self.points[us.index()];
        *points = (*points + tenths).min(MAX_POINTS);
        if us == Color::Black {
            self.move_number = (self.move_number + 1).min(MAX_COUNT);
        }
        self.stm = them;
        self.key ^= SIDE_KEY;
    }

    fn terminal_outcome(&self) -> Outcome {
        Outcome { winner: self.leader(), ending: self.finished().unwrap_or(Ending::NoMoves) }
    }

    fn leader(&self) -> Option<Color> {
        match self.lead() {
            0 => None,
            1.. => Some(self.stm),
            _ => Some(!self.stm),
        }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = if self.stm == Color::Black { SIDE_KEY } else { 0 };
        for player in Color::BOTH {
            for kind in Kind::ALL {
                let keys = &PIECE_KEYS[player.index()][kind as usize];
                key = squares(self.pieces(player, kind))
                    .fold(key, |key, square| key ^ keys[usize::from(square)]);
            }
        }
        squares(self.prizes).fold(key, |key, square| key ^ PRIZE_KEYS[usize::from(square)])
    }

    fn same_position(&self, other: &Self) -> bool {
        (self.pieces, self.prizes, self.stm) == (other.pieces, other.prizes, other.stm)
    }

    fn move_text(&self, mv: TucMove) -> String {
        notation::move_text(mv)
    }

    fn parse_move(&self, text: &str) -> Result<TucMove, MoveError> {
        notation::parse_move(self, text)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.each_piece(|_, _, targets| count += targets.count_ones() as usize);
        count
    }

    fn is_terminal(&self) -> bool {
        let [pawns, rooks, kings] = self.pieces[self.stm.index()];
        let (own, others) = (self.of(self.stm), self.of(!self.stm));
        let occupied = own | others;
        let pawns_stuck =
            forward(pawns, self.stm) & !occupied == 0 && pawn_attacks(pawns, self.stm) & others == 0;
        self.finished().is_some()
            || (king_steps(kings) & !own == 0
                && pawns_stuck
                && rook_steps(rooks, occupied | self.prizes) & !own == 0)
    }

    /// The key includes the lead in points, on which the value of a position depends.
    fn table_key(&self) -> u64 {
        self.key ^ LEAD_KEYS[(self.lead() & 2047) as usize]
    }

    const HAS_CHANCE: bool = true;

    fn outcomes(&self, mv: TucMove, outcomes: &mut Vec<(TucMove, f64)>) {
        let takes_prize = self.prizes & 1 << mv.to != 0;
        let values: &[(PrizeValue, f64)] = match takes_prize {
            true => &[(PrizeValue::Point, PRIZE_SCORES), (PrizeValue::Nothing, 1.0 - PRIZE_SCORES)],
            false => &[(PrizeValue::Mean, 1.0)],
        };
        let child = self.after(TucMove::new(mv.from, mv.to));
        let free = child.free();
        let free_squares = f64::from(free.count_ones());
        // Without a free square, no prize appears.
        let appears = if free == 0 { 0.0 } else { PRIZE_APPEARS };
        // The most probable first.
        for &(prize_value, probability) in values {
            outcomes.push((TucMove { prize_value, appears: None, ..mv }, probability * (1.0 - appears)));
        }
        for &(prize_value, probability) in values {
            outcomes.extend(squares(free).map(|square| {
                (TucMove { prize_value, appears: Some(square), ..mv }, probability * appears / free_squares)
            }));
        }
    }

    /// Samples the value of a prize that is taken, and whether and where a new one appears.
    fn sample(&self, mv: TucMove, random: &mut dyn FnMut() -> f64) -> TucMove {
        let mut sampled = TucMove::new(mv.from, mv.to);
        if self.prizes & 1 << mv.to != 0 {
            sampled.prize_value =
                if random() < PRIZE_SCORES { PrizeValue::Point } else { PrizeValue::Nothing };
        }
        if random() < PRIZE_APPEARS {
            let child = self.after(sampled);
            let free = child.free();
            // The product may round up to the number of squares.
            let place = (random() * f64::from(free.count_ones())) as usize;
            sampled.appears = squares(free).take(place + 1).last();
        }
        sampled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_free_square_no_prize_appears() {
        let fen = "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1";
        let start = TucChess::from_fen(fen).unwrap();
        // Prizes everywhere, even below the pieces.
        let full = TucChess { prizes: ALL, ..start };
        let (mv, mut outcomes) = (TucMove::new(5, 10), Vec::new());
        full.outcomes(mv, &mut outcomes);
        let sum: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        assert!(outcomes.len() == 2 && outcomes.iter().all(|(outcome, _)| outcome.appears.is_none()));
        assert_eq!(full.sample(mv, &mut || 0.0).appears, None);
    }

    #[test]
    fn captures_the_last_rank_and_prizes_score() {
        for (fen, mv, after) in [
            ("k4/5/5/r4/R4/5/K4 w 0 1 4", TucMove::new(10, 15), "k4/5/5/R4/5/5/K4 b 3 1 4"),
            ("k4/5/5/p4/R4/5/K4 w 2 0 4", TucMove::new(10, 15), "k4/5/5/R4/5/5/K4 b 3 0 4"),
            ("k4/5/5/r4/K4/5/5 b 0 1 4", TucMove::new(15, 10), "k4/5/5/5/r4/5/5 w 0 9 5"),
            // A pawn leaves the board.
            ("k4/2P2/5/5/5/5/K4 w 0 0 1", TucMove::new(27, 32), "k4/5/5/5/5/5/K4 b 1 0 1"),
            ("k4/5/5/*4/R4/5/K4 w 0 0 1", TucMove::new(10, 15), "k4/5/5/R4/5/5/K4 b 0.9 0 1"),
        ] {
            let mut position = TucChess::from_fen(fen).unwrap();
            assert!(position.is_legal(mv), "{fen}");
            position.play(mv);
            assert_eq!(position.fen(), after, "{fen}");
            // A new prize needs a free square.
            for (square, stars) in [(mv.from, 1), (30, 0)] {
                let mut position = TucChess::from_fen(fen).unwrap();
                position.play(TucMove { appears: Some(square), ..mv });
                assert_eq!(position.fen().matches('*').count(), stars, "{fen}, {square}");
            }
        }
    }

    #[test]
    fn outcomes_of_chance_have_the_probabilities_of_the_rules() {
        // 35 squares, less two kings, the rook and the prize, or less two kings and the rook.
        let position = TucChess::from_fen("k4/5/5/5/R*3/5/K4 w 0 0 1").unwrap();
        for (to, values, free) in [(11, &[0.9, 0.1][..], 32.0), (15, &[1.0][..], 31.0)] {
            let mut outcomes = Vec::new();
            position.outcomes(TucMove::new(10, to), &mut outcomes);
            let (none, new) = outcomes.split_at(values.len());
            let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
            for (outcome, &value) in none.iter().zip(values) {
                assert!(outcome.0.appears.is_none() && near(outcome.1, 0.9 * value), "{outcome:?}");
            }
            assert_eq!(new.len() as f64, free * values.len() as f64);
            for (new, &value) in new.chunks(free as usize).zip(values) {
                let is_right = |outcome: &(TucMove, f64)| {
                    outcome.0.appears.is_some() && near(outcome.1, 0.1 * value / free)
                };
                assert!(new.iter().all(is_right), "{new:?}");
            }
        }
    }

    #[test]
    fn samples_follow_the_numbers() {
        let position = TucChess::from_fen("k4/5/5/5/R*3/5/K4 w 0 0 1").unwrap();
        let sample = |to, numbers: &[f64]| {
            let mut numbers = numbers.iter();
            let mv = position.sample(TucMove::new(10, to), &mut || *numbers.next().unwrap());
            assert_eq!(numbers.next(), None, "all numbers are used");
            assert_eq!(TucMove::from_bits(mv.to_bits()), mv);
            (mv.prize_value, mv.appears)
        };
        // Free squares from b1 on; the last one is e7.
        assert_eq!(sample(11, &[0.89, 0.11]), (PrizeValue::Point, None));
        assert_eq!(sample(11, &[0.91, 0.09, 0.0]), (PrizeValue::Nothing, Some(1)));
        assert_eq!(sample(15, &[0.09, 1.0 - f64::EPSILON / 2.0]), (PrizeValue::Mean, Some(34)));
        assert_eq!(sample(15, &[0.09, 1.5 / 31.0]), (PrizeValue::Mean, Some(2)));
        assert_eq!(sample(15, &[0.5]), (PrizeValue::Mean, None));
    }

    #[test]
    fn a_king_is_attacked_by_every_piece() {
        for (fen, is_attacked) in [
            ("k4/5/5/5/R4/5/K4 w 0 0 1", false),
            ("k4/5/5/R4/5/5/K4 w 0 0 1", true),
            ("k4/1P3/5/5/5/5/K4 w 0 0 1", true),
            ("k4/P4/5/5/5/5/K4 w 0 0 1", false),
            ("kK3/5/5/5/5/5/5 b 0 0 1", true),
            ("k4/5/5/R4/5/5/K4 b 0 0 1", false),
        ] {
            assert_eq!(TucChess::from_fen(fen).unwrap().attacks_king(), is_attacked, "{fen}");
        }
    }

    #[test]
    fn the_game_ends_without_a_king_or_with_kings_alone() {
        for (fen, ending) in [
            ("k4/5/5/5/5/5/K4 w 0 0 1", Some(Ending::BareKings)),
            ("5/5/5/R4/5/5/K4 b 3 4 9", Some(Ending::KingCaptured)),
            ("k4/5/5/r4/5/5/5 w 3 4 9", Some(Ending::KingCaptured)),
            ("k4/p4/5/5/5/5/K4 w 0 0 1", None),
        ] {
            assert_eq!(TucChess::from_fen(fen).unwrap().finished(), ending, "{fen}");
        }
    }

    #[test]
    fn enemies_and_prizes_score_and_the_last_rank_for_pawns() {
        let position = TucChess::from_fen("k4/5/*4/5/R4/5/K4 w 0 0 1").unwrap();
        let [king, prize] = [1 << 30, 1 << 20];
        assert_eq!(position.scoring(Kind::Rook), king | prize);
        assert_eq!(position.scoring(Kind::Pawn), king | prize | 0b11111 << 30);
    }

    #[test]
    fn a_player_is_stuck_if_no_piece_can_move() {
        for (fen, is_stuck) in [
            ("kp3/pP3/P4/5/5/5/K4 b 2 2 1", true),
            // A rook, a pawn that steps, and one that captures.
            ("kp3/pP3/P4/5/5/5/K3r b 2 2 1", false),
            ("kp3/pP3/5/5/5/5/K4 b 2 2 1", false),
            ("kp3/pPP2/P4/5/5/5/K4 b 2 2 1", false),
        ] {
            let position = TucChess::from_fen(fen).unwrap();
            assert_eq!((position.is_terminal(), position.count_moves() == 0), (is_stuck, is_stuck), "{fen}");
            assert_eq!(position.leader(), None, "{fen}");
        }
    }
}
