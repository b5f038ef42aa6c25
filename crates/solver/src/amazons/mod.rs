//! Knowledge of Amazons for proofs: regions of one player, sums of regions, bounds, and initial proof
//! numbers.

mod canonical;
mod counting;
mod partition;
mod proof_numbers;
mod region_bounds;
mod region_tables;
mod sum;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use labrys_core::game::amazons::small_board::{large_square, small};
use labrys_core::game::amazons::{Amazons, AmazonsMove};
use labrys_core::game::{Color, Game, TablesError};

use self::canonical::canonical;
use self::partition::Partition;
use self::region_bounds::Area;
use self::sum::Status;
use crate::{ProofLeaf, Solvable};

impl Solvable for Amazons {
    /// The player who cannot move loses, so there are no draws.
    const CAN_BE_DRAWN: bool = false;

    const PROOF_OVERLAP: u64 = 8;

    fn proof_leaf(&self) -> ProofLeaf {
        let stm = self.side_to_move().index();
        let status = match on_the_small_board(self) {
            Some(area) => Partition::new(&area).status(stm),
            None => Partition::new(&area(self)).status(stm),
        };
        status.into()
    }

    fn proof_children(
        &self,
        each: &mut impl FnMut(AmazonsMove, ProofLeaf) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let stm = self.side_to_move().index();
        match on_the_small_board(self) {
            Some(area) => Partition::new(&area).children(stm, |(from, to, arrow), status| {
                let [from, to, arrow] = [from, to, arrow].map(large_square);
                each(AmazonsMove { from, to, arrow }, status.into())
            }),
            None => Partition::new(&area(self)).children(stm, |(from, to, arrow), status| {
                each(AmazonsMove { from, to, arrow }, status.into())
            }),
        }
    }

    fn canonical(&self) -> Self {
        let Area { amazons: [white, black], empty } = area(self);
        let [white, black, empty] = canonical([white, black, empty], self.size());
        let arrows = !(white | black | empty);
        Amazons::new(self.size(), [white, black], arrows, self.side_to_move(), 0, 1)
    }

    fn open_regions(folder: &Path, threads: usize, stop: &AtomicBool) -> Result<bool, TablesError> {
        region_tables::open(folder, threads, stop)
    }

    fn is_won_by_count(&self, player: Color) -> bool {
        let (stm, player) = (self.side_to_move().index(), player.index());
        match on_the_small_board(self) {
            Some(Area { amazons, empty }) => counting::wins(amazons, empty, stm, player),
            None => {
                let Area { amazons, empty } = area(self);
                counting::wins(amazons, empty, stm, player)
            }
        }
    }
}

fn area(position: &Amazons) -> Area<u128> {
    Area { amazons: Color::BOTH.map(|player| position.of(player)), empty: position.empty() }
}

/// The position on the small board, if it has room there.
fn on_the_small_board(position: &Amazons) -> Option<Area<u64>> {
    let [white, black] = Color::BOTH.map(|player| small(position.of(player)));
    Some(Area { amazons: [white?, black?], empty: small(position.empty())? })
}

impl From<Status> for ProofLeaf {
    #[inline]
    fn from(status: Status) -> ProofLeaf {
        match status {
            Status::Decided { winner } => ProofLeaf::Decided(Some(Color::BOTH[winner])),
            Status::Open { key, numbers } => ProofLeaf::Open { key, numbers },
        }
    }
}
