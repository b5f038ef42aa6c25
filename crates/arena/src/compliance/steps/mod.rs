//! The steps: a table for each protocol, and one of what only chess has.

mod chess;
mod uci;
mod xboard;

use super::step::Step;

/// The reason of most steps of UCI.
const UCI: &str = "UCI specification";

/// All steps, in the order in which they are carried out.
pub fn steps() -> impl Iterator<Item = &'static Step> {
    [uci::STEPS, chess::STEPS, xboard::STEPS].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Rules;
    use crate::compliance::positions::Positions;
    use crate::compliance::script::{Action, parse};
    use crate::compliance::{Games, Protocol};
    use labrys_core::engine::registry;

    /// Checks that a script can be filled in.
    fn check_lines(step: &Step, actions: &[Action], positions: &Positions) {
        for action in actions {
            match action {
                Action::Send(line) => {
                    assert!(positions.fill(line).is_some(), "{}: {line}", step.id);
                }
                Action::Repeat(_, inner) => check_lines(step, inner, positions),
                Action::Wait(_) | Action::Check(_) => {}
            }
        }
    }

    #[test]
    fn every_script_can_be_read_and_filled_in() {
        let rules = |game: &str| Rules::new(game, None).unwrap();
        let positions = Positions::new(&rules(registry::default_name())).unwrap();
        let mut ids = BTreeSet::new();
        for step in steps() {
            let actions = parse(step.script).unwrap_or_else(|error| panic!("{}: {error}", step.id));
            check_lines(step, &actions, &positions);
            assert!(
                !step.sends().is_empty() && !step.expects.is_empty() && !step.why.is_empty(),
                "{}",
                step.id
            );
            assert!(ids.insert(step.id), "{} twice", step.id);
            assert_eq!(step.id.starts_with("xboard/"), step.protocol == Protocol::Xboard, "{}", step.id);
            if let Games::Only(game) = step.games {
                rules(game);
            }
        }
        assert!(ids.len() > 100, "{}", ids.len());
    }
}
