//! Opened tables of Neighbours: the result of a position, and its best moves with regard to the history.

use std::env;
use std::path::PathBuf;

use super::super::super::{
    EndgameTables, Endgames, Game, GameHistory, TableFile, TableMoves, TableName, TableResult, TablesError,
    Wdl,
};
use super::super::rules::{Neighbours, NeighboursMove};
use super::sets::MAX_PIECES;
use super::{Material, NeighboursEndgames, Pieces};

/// Tables of Neighbours that have been opened.
#[derive(Debug)]
struct Tables {
    /// The files by the pieces of the side to move and of the opponent.
    files: [[Option<TableFile>; MAX_PIECES + 1]; MAX_PIECES + 1],
}

/// Opens all tables in a list of folders, which are separated as the system separates paths.
///
/// # Errors
/// [`TablesError`] names a folder without tables, or a file that is damaged.
pub(super) fn open(path: &str) -> Result<impl EndgameTables<Neighbours> + use<>, TablesError> {
    let mut files = [const { [const { None }; MAX_PIECES + 1] }; MAX_PIECES + 1];
    let materials = NeighboursEndgames.materials(MAX_PIECES, usize::MAX).unwrap_or_default();
    for folder in env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()) {
        folder.read_dir().map_err(|error| TablesError::Io { path: folder.clone(), error })?;
        let mut found = false;
        for &material in &materials {
            let name = TableName { game: Neighbours::info().name, material: material.to_string() };
            if name.path(&folder).exists() {
                let file = TableFile::open(&folder, &name, NeighboursEndgames.numbers(material))?;
                files[material.own][material.other] = Some(file);
                found = true;
            }
        }
        if !found {
            return Err(TablesError::Empty { path: folder });
        }
    }
    if files.iter().flatten().all(Option::is_none) {
        return Err(TablesError::Empty { path: PathBuf::from(path) });
    }
    Ok(Tables { files })
}

impl Tables {
    /// The result of a position, whose clock and history do not count.
    fn result(&self, position: &Neighbours) -> Option<TableResult> {
        let pieces = Pieces::of(position);
        let Material { own, other } = pieces.material()?;
        let file = self.files[own][other].as_ref()?;
        file.get(pieces.number()).map_err(|error| log::error!("{error}")).ok()
    }

    /// The least distance among the positions since the last capture, the current one included, that have
    /// occurred twice and are won by the player to move now. A shorter way meets none of them.
    fn shortest_repeated(&self, position: &Neighbours, history: &GameHistory<Neighbours>) -> Option<u8> {
        let past = history.past();
        let reversible = &past[past.len() - position.halfmove_clock().min(past.len())..];
        let mut positions: Vec<_> = reversible.iter().chain([position]).collect();
        positions.sort_unstable_by_key(|position| position.key());
        let repeated = positions.windows(2).filter(|pair| pair[0].same_position(pair[1]));
        let won = repeated.filter_map(|pair| match self.result(pair[0])? {
            TableResult::Win(distance) if pair[0].side_to_move() == position.side_to_move() => Some(distance),
            TableResult::Loss(distance) if pair[0].side_to_move() != position.side_to_move() => {
                Some(distance)
            }
            _ => None,
        });
        won.min()
    }
}

/// A move with its result for the player who makes it.
#[derive(Clone, Copy)]
struct TableMove {
    mv: NeighboursMove,
    points: Wdl,
    /// Of the position after the move; 0 after a capture.
    distance: u8,
}

impl EndgameTables<Neighbours> for Tables {
    /// The halfmove clock counts. No position since the last capture may have occurred twice.
    fn probe(&self, position: &Neighbours) -> Option<Wdl> {
        let result = self.result(position)?;
        Some(result.at_clock(position.halfmove_clock(), Neighbours::DRAW_RULES.no_progress))
    }

    fn without_clock(&self, position: &Neighbours) -> Option<TableResult> {
        self.result(position)
    }

    /// A winning move leads to a lower distance than every position that has occurred twice, so the shortest
    /// win after it repeats none of them. If there is no such move, because the winner has repeated
    /// positions, the shortest win is chosen.
    fn best_moves(
        &self,
        position: &Neighbours,
        history: &GameHistory<Neighbours>,
        moves: &[NeighboursMove],
    ) -> Option<TableMoves<NeighboursMove>> {
        let limit = self.shortest_repeated(position, history).unwrap_or(u8::MAX);
        let mut history = history.clone();
        history.push(position);
        let after = |&mv: &NeighboursMove| {
            let mut child = *position;
            child.play(mv);
            let (points, distance) = match history.outcome(&child) {
                Some(outcome) => (Wdl::of(outcome.winner, position.side_to_move()), 0),
                None => {
                    let result = self.result(&child)?;
                    let clock = child.halfmove_clock();
                    let points = !result.at_clock(clock, Neighbours::DRAW_RULES.no_progress);
                    (points, if clock == 0 { 0 } else { result.distance().unwrap_or(0) })
                }
            };
            Some(TableMove { mv, points, distance })
        };
        let after: Vec<_> = moves.iter().map(after).collect::<Option<_>>()?;
        let result = after.iter().map(|after| after.points).max_by_key(|points| *points as u8)?;
        let mut best: Vec<_> = after.into_iter().filter(|after| after.points == result).collect();
        best.sort_by_key(|after| after.distance);
        match result {
            Wdl::Win => {
                let shortest = best[0].distance;
                best.retain(|after| after.distance < limit || after.distance == shortest);
            }
            // The loser holds out for as long as possible.
            Wdl::Loss => best.reverse(),
            Wdl::Draw => (),
        }
        let moves = best.into_iter().map(|after| after.mv).collect();
        Some(TableMoves { moves, result, makes_progress: true })
    }
}
