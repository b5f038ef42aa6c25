//! Who is nearer to the squares (J. Lieberum, "An evaluation function for the game of Amazons", 2005).
//!
//! Distances are counted in queen moves and in king moves of a player's nearest amazon, both over empty
//! squares.

use super::board::{BITS, FILE_A, FILE_K, MOST, RINGS, connected, reach, squares};
use super::filling::{self, Moves, Region};
use super::flood::Ground;

/// Differences of king distances are cut off here (Lieberum's c2).
const FAR: usize = 6;

/// Amazons with less mobility than this count as enclosed, in part. (Lieberum lets an amazon without any
/// cost ten squares and more; one in the middle of an empty board has about 60.)
const ENCLOSED: i32 = 10;

/// Measures of a position. They count squares, those of the side to move less those of the other player,
/// where nothing else is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Territory {
    /// Squares that are nearer by queen moves.
    pub(super) queen_nearer: f64,
    /// Squares that are nearer by king moves.
    pub(super) king_nearer: f64,
    /// Squares equally near by queen moves.
    pub(super) queen_ties: f64,
    /// Σ 2 (2^-D − 2^-D′) for the distances by queen moves D and D′ (c1).
    pub(super) queen_lead: f64,
    /// Σ (D′ − D) / 6 for the distances by king moves, each between −1 and 1 (c2).
    pub(super) king_lead: f64,
    /// Σ 2^-|D − D′| over the squares that both reach, by queen moves, 2^-3 at least: how much is still
    /// open (w).
    pub(super) contact: f64,
    /// Free neighbours of the squares that an amazon reaches in one move and the other player can reach,
    /// too, each times 2^-d where the way is d steps long (m).
    pub(super) mobility: f64,
    /// How much the amazons are enclosed: 1 for one without mobility, less for others, 0 from ten on.
    pub(super) enclosed: f64,
    /// 1 when it is certain that I make the last move, −1 when the other does, 0 as long as it is open.
    pub(super) settled: f64,
}

impl Territory {
    /// Looks at a position with these amazons and empty squares.
    #[inline]
    pub(super) fn new(me: u128, other: u128, empty: u128) -> Territory {
        let ground = Ground::new(empty);
        let mut territory = Territory::default();
        let reachable = territory.king_moves(&ground, me, other);
        let first = territory.amazons(me, other, empty, reachable);
        territory.queen_moves(&ground, first, reachable);
        if reachable[0] != reachable[1] {
            territory.count_moves([me, other], empty, reachable);
        }
        territory
    }

    /// Floods the board by king moves; returns what each player reaches at all.
    #[inline]
    fn king_moves(&mut self, ground: &Ground, me: u128, other: u128) -> [u128; 2] {
        // What had been reached before each of the last rounds.
        let mut before = [[0; 2]; FAR - 1];
        let (mut nearer, mut lead, mut idle) = (0, 0, 0);
        let (mut new, mut seen) = ([ground.kings(me), ground.kings(other)], [0; 2]);
        for round in 0.. {
            // A square counts from the round in which one player gets there to that of the other, six
            // rounds at most.
            let old = std::mem::replace(&mut before[round % (FAR - 1)], seen);
            seen = [seen[0] | new[0], seen[1] | new[1]];
            lead += count(seen[0] & !seen[1] & !old[0]) - count(seen[1] & !seen[0] & !old[1]);
            nearer += count(new[0] & !seen[1]) - count(new[1] & !seen[0]);
            if new == [0; 2] {
                idle += 1;
                if idle == FAR - 1 || seen[0] == seen[1] {
                    break;
                }
            } else {
                new = [ground.kings(new[0]) & !seen[0], ground.kings(new[1]) & !seen[1]];
            }
        }
        self.king_nearer = f64::from(nearer);
        self.king_lead = f64::from(lead) / FAR as f64;
        seen
    }

    /// Looks at each amazon; returns what each player reaches in one move.
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
                missing += (EIGHTHS * ENCLOSED - mobility).max(0);
            }
            (first, sum, missing)
        };
        let (first, mobility, missing) = side(me, reachable[1]);
        let (first_other, mobility_other, missing_other) = side(other, reachable[0]);
        self.mobility = f64::from(mobility - mobility_other) / f64::from(EIGHTHS);
        self.enclosed = f64::from(missing - missing_other) / f64::from(EIGHTHS * ENCLOSED);
        [first, first_other]
    }

    /// Floods the board by queen moves, from what they reach in one move to what they reach at all.
    #[inline]
    fn queen_moves(&mut self, ground: &Ground, first: [u128; 2], reachable: [u128; 2]) {
        let shared = reachable[0] & reachable[1];
        let (mut nearer, mut ties) = (0, 0);
        let (mut lead, mut worth) = (0.0, 1.0);
        // Squares that only one player has reached, for one round, for two and for three.
        let (mut apart, mut one, mut two) = (0, 0, 0);
        let mut contact = 8 * count(shared);
        let (mut new, mut seen) = (first, [0; 2]);
        loop {
            seen = [seen[0] | new[0], seen[1] | new[1]];
            nearer += count(new[0] & !seen[1]) - count(new[1] & !seen[0]);
            ties += count(new[0] & new[1]);
            lead += worth * f64::from(count(new[0]) - count(new[1]));
            worth /= 2.0;
            let now = (seen[0] ^ seen[1]) & shared;
            let three = now & two;
            two = now & one;
            one = now & !apart;
            apart = now;
            contact -= 4 * count(one) + 2 * count(two) + count(three);
            if seen == reachable {
                break;
            }
            for player in 0..2 {
                new[player] = match seen[player] == reachable[player] {
                    true => 0,
                    false => ground.queens(new[player], reachable[player] & !seen[player]),
                };
            }
        }
        self.queen_nearer = f64::from(nearer);
        self.queen_ties = f64::from(ties);
        self.queen_lead = lead;
        self.contact = f64::from(contact) / 8.0;
    }

    /// In regions that only one player can ever enter, moves count, not squares. Where there are no others,
    /// the game is settled: the player who has more moves left makes the last one, and of equal numbers the
    /// side to move runs out first.
    fn count_moves(&mut self, amazons: [u128; 2], empty: u128, reachable: [u128; 2]) {
        let ground = empty | amazons[0] | amazons[1];
        let mut contested = reachable[0] & reachable[1] != 0;
        let mut moves = [Moves { least: 0, most: 0 }; 2];
        for player in 0..2 {
            let mut rest = reachable[player] & !reachable[1 - player];
            while rest != 0 {
                let region = connected(rest & rest.wrapping_neg(), ground);
                rest &= !region;
                if region & amazons[1 - player] != 0 {
                    // Once an amazon at the border steps aside, the other player gets in.
                    contested = true;
                    continue;
                }
                let (amazons, empty) = (region & amazons[player], region & empty);
                let found = filling::moves(Region { amazons, guards: 0, empty });
                let sign = if player == 0 { 1.0 } else { -1.0 };
                // What the floods have counted is the empty squares.
                let lost = f64::from(empty.count_ones()) - f64::from(found.most);
                self.queen_nearer -= sign * lost;
                self.king_nearer -= sign * lost;
                moves[player].least += found.least;
                moves[player].most += found.most;
            }
        }
        if !contested && moves[0].least > moves[1].most {
            self.settled = 1.0;
        } else if !contested && moves[0].most <= moves[1].least {
            self.settled = -1.0;
        }
    }
}

/// How many squares a set has.
#[inline]
fn count(set: u128) -> i32 {
    set.count_ones() as i32
}

/// Mobility is summed in eighths: ways of more than three steps count as of three.
const EIGHTHS: i32 = 8;

/// How many free neighbours each square has, seven at most, as a number of three bits spread over three
/// boards.
struct Neighbours([u128; 3]);

impl Neighbours {
    #[inline]
    fn new(empty: u128) -> Neighbours {
        let (east, west) = ((empty & !FILE_K) << 1, (empty & !FILE_A) >> 1);
        let row = [east, empty, west];
        let (ones_above, twos_above) = add(row.map(|set| set << MOST));
        let (ones_below, twos_below) = add(row.map(|set| set >> MOST));
        let (ones, twos) = add([ones_above, ones_below, east ^ west]);
        let (twos_all, fours) = add([twos_above, twos_below, east & west]);
        let eight = fours & twos_all & twos;
        Neighbours([ones | eight, twos_all ^ twos | eight, fours | twos_all & twos])
    }

    /// In eighths, the sum over `targets` of their free neighbours, halved for each step from a square.
    #[inline]
    fn sum(&self, targets: u128, square: u8) -> i32 {
        let [ones, twos, fours] = self.0;
        let [near, next, far] = RINGS[usize::from(square) % BITS].map(|ring| targets & ring);
        // A square is on one ring only: what weighs the same is counted together.
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

/// The sums of three bits on each square: ones and twos.
#[inline]
fn add([a, b, c]: [u128; 3]) -> (u128, u128) {
    (a ^ b ^ c, a & b | c & (a ^ b))
}
