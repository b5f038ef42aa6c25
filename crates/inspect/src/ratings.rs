//! The terms of the move ratings of minimax selective deepening.

use labrys_core::eval::Evaluator;
use labrys_core::game::{GameHistory, Knowledge, MsdFacts, MsdTerms};

/// The rating of a move, and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rating {
    pub(crate) rating: i32,
    /// The terms that apply.
    pub(crate) terms: Vec<&'static str>,
    /// The first of them, if it alone has decided the rating.
    pub(crate) switch: Option<&'static str>,
    /// What the terms that add up, or what the move gains, contribute.
    pub(crate) shares: Vec<(&'static str, i32)>,
    /// The moves that it gains and a tenth of the value of the piece, in games where these rate moves.
    pub(crate) gains: Option<[i32; 2]>,
}

/// The terms that apply, in their order.
fn names(facts: MsdFacts) -> impl Iterator<Item = &'static str> {
    let MsdFacts { wins, captures, escapes, repeats, exposed } = facts;
    let all = [
        ("win", wins),
        ("capture", captures),
        ("escape", escapes),
        ("repetition", repeats),
        ("exposure", exposed),
    ];
    all.into_iter().filter_map(|(name, applies)| applies.then_some(name))
}

/// The ratings of some moves of a position; `history` holds the positions before it.
pub(crate) fn ratings<G: Knowledge, E: Evaluator<G>>(
    position: &G,
    history: &GameHistory<G>,
    evaluator: &E,
    terms: &MsdTerms,
    moves: &[G::Move],
) -> Vec<Rating> {
    let mut history = history.clone();
    history.push(position);
    let (stm, now) = (position.side_to_move(), position.count_moves());
    let weights = terms.weights(position.msd_phase());
    let [mut state, mut scratch] = [E::State::default(), E::State::default()];
    evaluator.reset(position, &mut state);
    let mut static_eval =
        |child: &G| evaluator.evaluate_child(position, &state, child, &mut scratch, stm).to_thousandths();
    let mut ratings = Vec::with_capacity(moves.len());
    position.msd_ratings(moves, terms, &history, &mut static_eval, &mut ratings);
    let rating = |(&mv, &rating): (&G::Move, &i32)| {
        let child = position.after(mv);
        let facts = terms.counted(position.msd_facts(mv, &child, &history));
        let applying: Vec<_> = names(facts).collect();
        let decides = |name: &&'static str| !terms.sum || matches!(*name, "win" | "repetition");
        let switch = applying.iter().copied().find(decides);
        let gains = position.msd_gains(mv, &child);
        let mut shares = Vec::new();
        if switch.is_none() {
            let weighed = terms.weighed(facts).map(Option::unwrap_or_default);
            shares.extend(["capture", "escape", "exposure"].into_iter().zip(weighed));
            match &gains {
                Some(gains) => {
                    let [theta, gamma] = gains.shares(now, weights);
                    shares.extend([("θ (new moves)", theta), ("γ (piece value)", gamma)]);
                }
                None => {
                    let others: i32 = shares.iter().map(|&(_, share)| share).sum();
                    shares.push(("static evaluation", rating - others));
                }
            }
        }
        let gains = gains.map(|gains| [gains.gained(now), gains.piece]);
        Rating { rating, terms: applying, switch, shares, gains }
    };
    moves.iter().zip(&ratings).map(rating).collect()
}

/// The term that has kept a move out, whose rating is `missed`: `last` is the lowest rating that was kept.
pub(crate) fn blame(missed: &Rating, last: &Rating) -> &'static str {
    if missed.rating == last.rating {
        return "tie";
    }
    match (missed.switch, last.switch) {
        (Some(term), _) => term,
        // All moves that were kept are rated higher by a switch.
        (None, Some("capture")) => "captures of others",
        (None, Some("escape")) => "escapes of others",
        (None, Some(term)) => term,
        (None, None) => {
            let behind =
                missed.shares.iter().zip(&last.shares).map(|(missed, last)| (last.1 - missed.1, last.0));
            // The first of equal ones.
            behind.rev().max_by_key(|&(by, _)| by).map_or("tie", |(_, term)| term)
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_core::eval::Linear;
    use labrys_core::game::Game;
    use labrys_core::game::chess::Chess;

    use super::*;

    #[test]
    fn each_term_of_the_ratings_is_found() {
        // The knight on d5 hangs; h7 is attacked by nobody; the bishop captures and escapes.
        let position = Chess::from_fen("4k3/8/2n4b/3n4/4P3/4B3/8/4K2R w - - 0 1").unwrap();
        let moves = ["e4d5", "e4e5", "h1g1", "e3h6"].map(|mv| position.parse_move(mv).ok());
        let moves: Vec<_> = moves.into_iter().flatten().collect();
        assert_eq!(moves.len(), 4);
        let (terms, history) = (MsdTerms::default(), GameHistory::new());
        let ratings = ratings(&position, &history, &Linear::shipped(0).unwrap(), &terms, &moves);
        assert_eq!(ratings[0].switch, Some("capture"));
        assert_eq!(ratings[1].switch, Some("exposure"), "the knight attacks e5");
        assert_eq!(ratings[2].switch, None);
        assert_eq!((ratings[3].switch, &ratings[3].terms[..]), (Some("capture"), &["capture", "escape"][..]));
        let [gained, piece] = ratings[2].gains.unwrap();
        assert_eq!(ratings[2].rating, 60 * gained + 40 * piece);
        assert_eq!(blame(&ratings[1], &ratings[2]), "exposure");
        assert_eq!(blame(&ratings[2], &ratings[0]), "captures of others");
        let mut slower = Rating { rating: 0, ..ratings[2].clone() };
        slower.shares[3].1 -= 600;
        assert_eq!(blame(&slower, &ratings[2]), "θ (new moves)");
        // Where terms add up, the one that is furthest behind is to blame.
        let sum = MsdTerms { sum: true, ..terms };
        let ratings = super::ratings(&position, &history, &Linear::shipped(0).unwrap(), &sum, &moves);
        assert!(ratings.iter().all(|rating| rating.switch.is_none()));
        assert!(ratings.iter().all(|one| one.rating == one.shares.iter().map(|share| share.1).sum::<i32>()));
        assert_eq!(blame(&ratings[1], &ratings[2]), "exposure");
        assert_eq!(blame(&ratings[2], &ratings[3]), "capture");
    }
}
