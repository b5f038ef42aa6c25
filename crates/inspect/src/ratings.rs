//! The terms of the move ratings of minimax selective deepening, found by switching one after another off.

use labrys_core::eval::Evaluator;
use labrys_core::game::{GameHistory, Knowledge, MsdTerms};

/// The rating of a move, and the term that has decided it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rating {
    pub(crate) rating: i32,
    /// The switch that has decided it, if one has.
    pub(crate) switch: Option<&'static str>,
    /// Otherwise the shares of θ and of γ; both are 0 in games that rate by static evaluation.
    pub(crate) mobility: i32,
    pub(crate) piece: i32,
}

impl Rating {
    /// Whether neither θ nor γ has a share in it.
    fn is_by_static_eval(&self) -> bool {
        self.mobility == 0 && self.piece == 0
    }
}

/// The name of a switch, and what turns it off.
type Switch = (&'static str, fn(&mut MsdTerms));

/// The switches in the order in which they apply.
const SWITCHES: [Switch; 5] = [
    ("win", |terms| terms.win = false),
    ("capture", |terms| terms.capture = false),
    ("escape", |terms| terms.escape = false),
    ("repetition", |terms| terms.repetition = false),
    ("exposure", |terms| terms.exposure = false),
];

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
    let stm = position.side_to_move();
    let [mut state, mut scratch] = [E::State::default(), E::State::default()];
    evaluator.reset(position, &mut state);
    let mut rate = |change: &dyn Fn(&mut MsdTerms)| {
        let mut changed = terms.clone();
        change(&mut changed);
        let mut rated = Vec::with_capacity(moves.len());
        let mut static_eval =
            |child: &G| evaluator.evaluate_child(position, &state, child, &mut scratch, stm).to_thousandths();
        position.msd_ratings(moves, &changed, &history, &mut static_eval, &mut rated);
        rated
    };
    let whole = rate(&|_| ());
    // Several may hold for a move: the last of them decides.
    let without = (1..=SWITCHES.len()).map(|count| {
        let (off, last) = (&SWITCHES[..count], SWITCHES[count - 1].0);
        (last, rate(&|terms| off.iter().for_each(|(_, off)| off(terms))))
    });
    let without: Vec<_> = without.collect();
    let no_theta = rate(&|terms| (terms.theta, terms.theta_end) = (0, None));
    let no_gamma = rate(&|terms| (terms.gamma, terms.gamma_end) = (0, None));
    let rating = |(index, &rating): (usize, &i32)| {
        let switch = without.iter().find(|(_, rated)| rated[index] != rating).map(|&(name, _)| name);
        let share = |rated: &[i32]| if switch.is_some() { 0 } else { rating.saturating_sub(rated[index]) };
        Rating { rating, switch, mobility: share(&no_theta), piece: share(&no_gamma) }
    };
    whole.iter().enumerate().map(rating).collect()
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
        (None, None) if missed.is_by_static_eval() && last.is_by_static_eval() => "static evaluation",
        (None, None) if last.mobility - missed.mobility >= last.piece - missed.piece => "θ (new moves)",
        (None, None) => "γ (piece value)",
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
        // The knight on d5 hangs; h7 is attacked by nobody; both capture and escape hold for the bishop.
        let position = Chess::from_fen("4k3/8/2n4b/3n4/4P3/4B3/8/4K2R w - - 0 1").unwrap();
        let moves = ["e4d5", "e4e5", "h1g1", "e3h6"].map(|mv| position.parse_move(mv).ok());
        let moves: Vec<_> = moves.into_iter().flatten().collect();
        assert_eq!(moves.len(), 4);
        let (terms, history) = (MsdTerms::default(), GameHistory::new());
        let ratings = ratings(&position, &history, &Linear::shipped(0).unwrap(), &terms, &moves);
        assert_eq!(ratings[0].switch, Some("capture"));
        assert_eq!(ratings[1].switch, Some("exposure"), "the knight attacks e5");
        assert_eq!(ratings[2].switch, None);
        assert_eq!(ratings[3].switch, Some("escape"));
        assert_eq!(ratings[2].rating, ratings[2].mobility + ratings[2].piece);
        assert_eq!(blame(&ratings[1], &ratings[2]), "exposure");
        assert_eq!(blame(&ratings[2], &ratings[0]), "captures of others");
        let slower = Rating { mobility: ratings[2].mobility - 600, rating: 0, ..ratings[2].clone() };
        assert_eq!(blame(&slower, &ratings[2]), "θ (new moves)");
    }
}
