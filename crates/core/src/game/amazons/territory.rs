//! Territory: which player reaches a square first (J. Lieberum, "An evaluation function for the game of
//! Amazons", 2005).
//!
//! The distance of a square is the number of queen moves, or of king moves, that a player's nearest amazon
//! needs to reach it over empty squares.

use super::board::{BITS, FILE_A, FILE_K, MAX_SIZE, RINGS, connected, reach, squares};
use super::filling::{self, MoveBounds, Region};
use super::flood::FloodFill;

/// The greatest difference of king distances that counts (Lieberum's c2).
const MAX_KING_LEAD: usize = 6;

/// Amazons with less mobility than this count as partly enclosed. An amazon in the middle of an empty board
/// has about 60.
const FREE_MOBILITY: i32 = 10;

/// The terms of a position, in squares: those of the side to move less those of the opponent, unless the
/// term says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Territory {
    /// Squares that the player reaches first by queen moves (t1).
    pub(super) queen_nearer: f64,
    /// Squares that the player reaches first by king moves (t2).
    pub(super) king_nearer: f64,
    /// Squares at the same distance from both players by queen moves.
    pub(super) queen_ties: f64,
    /// Σ 2 (2^-D − 2^-D′), where D and D′ are the distances by queen moves (c1).
    pub(super) queen_lead: f64,
    /// Σ (D′ − D) / 6, each term clamped to −1 … 1, where D and D′ are the distances by king moves (c2).
    pub(super) king_lead: f64,
    /// Σ 2^-|D − D′|, each term at least 2^-3, over the squares that both players can reach by queen moves:
    /// a measure of the game phase (w).
    pub(super) contact: f64,
    /// Mobility of the amazons: over the squares that an amazon reaches in one move and that the opponent can
    /// reach as well, Σ 2^-d times the empty neighbours of the square, which is d king steps away (m).
    pub(super) mobility: f64,
    /// Enclosed amazons: 1 for an amazon without mobility, falling linearly to 0 at [`FREE_MOBILITY`].
    pub(super) enclosed: f64,
    /// 1 if the side to move makes the last move, −1 if the opponent does, 0 if that is open. It is sure where
    /// the closed regions are small, see [`filling::move_estimate`].
    pub(super) settled: f64,
}

impl Territory {
    /// The terms of a position with these amazons and empty squares.
    #[inline]
    pub(super) fn new(me: u128, other: u128, empty: u128) -> Territory {
        let flood = FloodFill::new(empty);
        let mut territory = Territory::default();
        let reachable = territory.king_moves(&flood, me, other);
        let first = territory.amazons(me, other, empty, reachable);
        territory.queen_moves(&flood, first, reachable);
        if reachable[0] != reachable[1] {
            territory.count_moves([me, other], empty, reachable);
        }
        territory
    }

    /// Counts the terms of king distances. Returns the squares that each player can reach in any number of
    /// moves.
    #[inline]
    fn king_moves(&mut self, flood: &FloodFill, me: u128, other: u128) -> [u128; 2] {
        // The squares reached before each of the last rounds.
        let mut before = [[0; 2]; MAX_KING_LEAD - 1];
        let (mut nearer, mut lead, mut idle) = (0, 0, 0);
        let (mut new, mut reached) = ([flood.kings(me), flood.kings(other)], [0; 2]);
        for round in 0.. {
            // A square counts in each round from that in which one player reaches it to that in which the
            // other does, at most six times.
            let old = std::mem::replace(&mut before[round % (MAX_KING_LEAD - 1)], reached);
            reached = [reached[0] | new[0], reached[1] | new[1]];
            lead += count(reached[0] & !reached[1] & !old[0]) - count(reached[1] & !reached[0] & !old[1]);
            nearer += count(new[0] & !reached[1]) - count(new[1] & !reached[0]);
            if new == [0; 2] {
                idle += 1;
                if idle == MAX_KING_LEAD - 1 || reached[0] == reached[1] {
                    break;
                }
            } else {
                new = [flood.kings(new[0]) & !reached[0], flood.kings(new[1]) & !reached[1]];
            }
        }
        self.king_nearer = f64::from(nearer);
        self.king_lead = f64::from(lead) / MAX_KING_LEAD as f64;
        reached
    }

    /// Counts mobility and enclosed amazons. Returns the squares that each player reaches in one move.
    #[inline]
    fn amazons(&mut self, me: u128, other: u128, empty: u128, reachable: [u128; 2]) -> [u128; 2] {
        let free = Neighbours::new(empty);
        let side = |amazons: u128, contested: u128| {
            let (mut first, mut sum, mut missing) = (0, 0, 0);
            for square in squares(amazons) {
                let targets = reach(square, empty);
                first |= targets;
                let mobility = free.sum(targets & contested, square);
                sum += mobility;
                missing += (EIGHTHS * FREE_MOBILITY - mobility).max(0);
            }
            (first, sum, missing)
        };
        let (first, mobility, missing) = side(me, reachable[1]);
        let (first_other, mobility_other, missing_other) = side(other, reachable[0]);
        self.mobility = f64::from(mobility - mobility_other) / f64::from(EIGHTHS);
        self.enclosed = f64::from(missing - missing_other) / f64::from(EIGHTHS * FREE_MOBILITY);
        [first, first_other]
    }

    /// Counts the terms of queen distances. `first` are the squares reached in one move, `reachable` those
    /// reached in any number of moves.
    #[inline]
    fn queen_moves(&mut self, flood: &FloodFill, first: [u128; 2], reachable: [u128; 2]) {
        let shared = reachable[0] & reachable[1];
        let (mut nearer, mut ties) = (0, 0);
        let (mut lead, mut weight) = (0.0, 1.0);
        // Squares that only one player has reached: now, for one more round and for two more.
        let (mut apart, mut one, mut two) = (0, 0, 0);
        let mut contact = 8 * count(shared);
        let (mut new, mut reached) = (first, [0; 2]);
        loop {
            reached = [reached[0] | new[0], reached[1] | new[1]];
            nearer += count(new[0] & !reached[1]) - count(new[1] & !reached[0]);
            ties += count(new[0] & new[1]);
            lead += weight * f64::from(count(new[0]) - count(new[1]));
            weight /= 2.0;
            let now = (reached[0] ^ reached[1]) & shared;
            let three = now & two;
            two = now & one;
            one = now & !apart;
            apart = now;
            contact -= 4 * count(one) + 2 * count(two) + count(three);
            if reached == reachable {
                break;
            }
            for player in 0..2 {
                new[player] = match reached[player] == reachable[player] {
                    true => 0,
                    false => flood.queens(new[player], reachable[player] & !reached[player]),
                };
            }
        }
        self.queen_nearer = f64::from(nearer);
        self.queen_ties = f64::from(ties);
        self.queen_lead = lead;
        self.contact = f64::from(contact) / 8.0;
    }

    /// Corrects the territory in regions that only one player can enter: there, possible moves count instead
    /// of squares. If all regions are of this kind, the game is settled: the player with more moves left
    /// makes the last one. With equal numbers the side to move runs out of moves first.
    fn count_moves(&mut self, amazons: [u128; 2], empty: u128, reachable: [u128; 2]) {
        let ground = empty | amazons[0] | amazons[1];
        let mut contested = reachable[0] & reachable[1] != 0;
        let mut moves = [MoveBounds { lower: 0, upper: 0 }; 2];
        for player in 0..2 {
            let mut unvisited = reachable[player] & !reachable[1 - player];
            while unvisited != 0 {
                let region = connected(unvisited & unvisited.wrapping_neg(), ground);
                unvisited &= !region;
                if region & amazons[1 - player] != 0 {
                    // The opponent can enter once an amazon at the border moves away.
                    contested = true;
                    continue;
                }
                let (amazons, empty) = (region & amazons[player], region & empty);
                let bounds = filling::move_estimate(Region { amazons, blockers: 0, empty });
                let sign = if player == 0 { 1.0 } else { -1.0 };
                // The distance terms have counted all empty squares.
                let unfillable = f64::from(empty.count_ones()) - f64::from(bounds.upper);
                self.queen_nearer -= sign * unfillable;
                self.king_nearer -= sign * unfillable;
                moves[player].lower += bounds.lower;
                moves[player].upper += bounds.upper;
            }
        }
        if !contested && moves[0].lower > moves[1].upper {
            self.settled = 1.0;
        } else if !contested && moves[0].upper <= moves[1].lower {
            self.settled = -1.0;
        }
    }
}

/// The number of squares in a set.
#[inline]
fn count(set: u128) -> i32 {
    set.count_ones() as i32
}

/// Mobility is summed in eighths: distances of more than three steps count as three.
const EIGHTHS: i32 = 8;

/// The number of empty neighbours of each square, at most 7: three bits, on a board each.
struct Neighbours([u128; 3]);

impl Neighbours {
    #[inline]
    fn new(empty: u128) -> Neighbours {
        let (east, west) = ((empty & !FILE_K) << 1, (empty & !FILE_A) >> 1);
        let row = [east, empty, west];
        let (ones_above, twos_above) = add(row.map(|set| set << MAX_SIZE));
        let (ones_below, twos_below) = add(row.map(|set| set >> MAX_SIZE));
        let (ones, twos) = add([ones_above, ones_below, east ^ west]);
        let (twos_all, fours) = add([twos_above, twos_below, east & west]);
        let eight = fours & twos_all & twos;
        Neighbours([ones | eight, twos_all ^ twos | eight, fours | twos_all & twos])
    }

    /// The sum over `targets` of their empty neighbours, halved for each step from `square`, in eighths.
    #[inline]
    fn sum(&self, targets: u128, square: u8) -> i32 {
        let [ones, twos, fours] = self.0;
        let [near, next, far] = RINGS[usize::from(square) % BITS].map(|ring| targets & ring);
        // A square is on one ring only, so sets of the same weight are counted together.
        let weights = [
            far & ones,
            next & ones | far & twos,
            near & ones | next & twos | far & fours,
            near & twos | next & fours,
            near & fours,
        ];
        weights.into_iter().enumerate().map(|(power, set)| count(set) << power).sum()
    }
}

/// Adds three bits on each square. Returns the ones and the twos of the sums.
#[inline]
fn add([a, b, c]: [u128; 3]) -> (u128, u128) {
    (a ^ b ^ c, a & b | c & (a ^ b))
}
