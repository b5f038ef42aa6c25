//! Checking certificates.

use std::path::Path;

use super::super::{KnownValues, can_be_proven};
use super::file::{
    self, COUNTED, CertificateError, Counts, Header, KEPT, KNOWN, MOVE, REFERENCE, REPLIES, SEARCHED, Tokens,
};
use super::leaf::{KillerReplies, Leaves};
use super::{Claim, end, is_same};
use crate::Solvable;
use labrys_core::game::{Game, quote};

/// Plies of a line at most.
const MAX_PLIES: usize = 2_000;

/// A certificate that has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its header.
    pub header: Header,
    /// The checksum of the file.
    pub checksum: u32,
}

/// Checks certificates of one game, each of which may end lines in positions that those before it prove.
#[derive(Debug)]
pub struct Verifier<G> {
    proven: KnownValues<G>,
}

impl<G: Solvable> Default for Verifier<G> {
    fn default() -> Self {
        Verifier::new()
    }
}

impl<G: Solvable> Verifier<G> {
    /// A verifier without certificates.
    pub fn new() -> Verifier<G> {
        Verifier { proven: KnownValues::new() }
    }

    /// Checks a certificate.
    ///
    /// # Errors
    /// [`CertificateError`] names the problem and the position.
    pub fn verify(&mut self, path: &Path) -> Result<Verified, CertificateError> {
        let (header, checksum, tokens) = file::open(path)?;
        if header.variant != G::info().name {
            return Err(CertificateError::Game { found: header.variant, expected: G::info().name });
        }
        can_be_proven::<G>()?;
        let position =
            G::from_fen(&header.fen).map_err(|error| CertificateError::Header(error.to_string()))?;
        // Of several texts of a position one is right: spaces and line ends in it would be shown to people.
        if position.fen() != header.fen {
            let expected = quote(&position.fen());
            return Err(CertificateError::Header(format!(
                "position {}, expected {expected}",
                quote(&header.fen)
            )));
        }
        let (stm, counts) = (position.side_to_move(), Counts::default());
        let claim = Claim { player: stm, strict: true };
        let killers = KillerReplies::new();
        let mut check = Check { tokens, proven: &self.proven, claim, kept: Vec::new(), killers, counts };
        for claim in Claim::of(header.value, stm) {
            check.claim = claim;
            // Positions proven for one claim are not proven for the other.
            check.kept.iter_mut().for_each(|kept| *kept = None);
            check.check(&position)?;
        }
        if file::read_number(&mut check.tokens)?.is_some() || !file::is_at_end(&check.tokens) {
            return Err(CertificateError::Trailing);
        }
        if check.counts != header.counts {
            return Err(CertificateError::Counts);
        }
        self.proven.insert(&position, header.value);
        Ok(Verified { header, checksum })
    }
}

/// The check of one certificate.
struct Check<'a, G: Game> {
    tokens: Tokens,
    proven: &'a KnownValues<G>,
    claim: Claim,
    /// The canonical positions that may be referred to; `None` before all of the tree has been checked.
    kept: Vec<Option<G>>,
    killers: KillerReplies<G::Move>,
    counts: Counts,
}

/// A position whose tree is being checked. Those of a line lie on a stack of their own: a line may be longer
/// than the stack of a thread.
struct Open<G: Game> {
    position: G,
    /// The moves whose trees follow, the next one at the end.
    moves: Vec<G::Move>,
    /// Its number among the positions that may be referred to.
    number: Option<usize>,
}

impl<G: Solvable> Check<'_, G> {
    /// Checks the proof of a position.
    fn check(&mut self, root: &G) -> Result<(), CertificateError> {
        let mut line: Vec<Open<G>> = self.enter(root.clone())?.into_iter().collect();
        while let Some(open) = line.last_mut() {
            let Some(mv) = open.moves.pop() else {
                if let Some(number) = open.number {
                    self.kept[number] = Some(open.position.canonical());
                }
                line.pop();
                continue;
            };
            let child = open.position.after(mv);
            if line.len() > MAX_PLIES {
                return Err(flaw(&child, format!("after {MAX_PLIES} plies")));
            }
            line.extend(self.enter(child)?);
        }
        Ok(())
    }

    /// Checks the token of a position. Returns the position if subtrees follow.
    fn enter(&mut self, position: G) -> Result<Option<Open<G>>, CertificateError> {
        if let Some(outcome) = end(&position) {
            self.expect(self.claim.holds(outcome.winner), &position, || {
                format!("{outcome}, which is not as claimed")
            })?;
            return Ok(None);
        }
        let token = self.read(&position)?;
        self.counts.add(token);
        let is_own = position.side_to_move() == self.claim.player;
        match token {
            SEARCHED => {
                let is_proven = self.is_leaf(Leaves::Searched, &position);
                self.expect(is_proven, &position, || "a short search does not prove it".to_owned())?;
            }
            COUNTED => {
                let is_proven = self.is_leaf(Leaves::Counted, &position);
                self.expect(is_proven, &position, || "a count of moves does not prove it".to_owned())?;
            }
            KNOWN => self.check_known(&position)?,
            REFERENCE => self.check_reference(&position)?,
            REPLIES | KEPT if !is_own => return Ok(Some(self.replies(position, token == KEPT))),
            MOVE.. if is_own => return self.chosen_move(position, token - MOVE).map(Some),
            REPLIES | KEPT => {
                return Err(flaw(&position, "the move of the player to move is missing".to_owned()));
            }
            MOVE.. => {
                return Err(flaw(&position, "the replies of the player to move are missing".to_owned()));
            }
        }
        Ok(None)
    }

    /// Whether a line may end in a position.
    fn is_leaf(&mut self, leaves: Leaves, position: &G) -> bool {
        leaves.prove(position, self.claim, &mut self.killers)
    }

    fn check_known(&self, position: &G) -> Result<(), CertificateError> {
        let value = self.proven.get(position);
        let is_proven = value.is_some_and(|value| self.claim.holds(value.winner(position.side_to_move())));
        self.expect(is_proven, position, || "no certificate before this one proves it".to_owned())
    }

    fn check_reference(&mut self, position: &G) -> Result<(), CertificateError> {
        let back = usize::try_from(self.read(position)?).ok();
        let kept = back.and_then(|back| self.kept.get(self.kept.len().checked_sub(back)?));
        let Some(Some(kept)) = kept else {
            return Err(flaw(position, "it is said to be proven, but is not yet".to_owned()));
        };
        self.expect(is_same(kept, &position.canonical()), position, || {
            format!("another position is proven: {}", kept.fen())
        })
    }

    /// A position of the player, with its move.
    fn chosen_move(&self, position: G, place: u64) -> Result<Open<G>, CertificateError> {
        let moves = position.moves();
        match usize::try_from(place).ok().and_then(|place| moves.get(place).copied()) {
            Some(mv) => Ok(Open { position, moves: vec![mv], number: None }),
            None => {
                let count = moves.len();
                Err(flaw(&position, format!("move {place} of {count} legal moves, counted from 0")))
            }
        }
    }

    /// A position of the opponent, with all replies.
    fn replies(&mut self, position: G, is_kept: bool) -> Open<G> {
        let number = is_kept.then_some(self.kept.len());
        if is_kept {
            self.kept.push(None);
        }
        let mut moves = position.moves();
        moves.reverse();
        Open { position, moves, number }
    }

    fn read(&mut self, position: &G) -> Result<u64, CertificateError> {
        let number = file::read_number(&mut self.tokens)?;
        number.ok_or_else(|| flaw(position, "the proof ends before it".to_owned()))
    }

    fn expect(
        &self,
        is_right: bool,
        position: &G,
        problem: impl FnOnce() -> String,
    ) -> Result<(), CertificateError> {
        if is_right { Ok(()) } else { Err(flaw(position, problem())) }
    }
}

fn flaw<G: Solvable>(position: &G, flaw: String) -> CertificateError {
    CertificateError::Flaw { fen: position.fen(), flaw }
}
