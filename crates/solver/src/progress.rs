//! Reports of a long search, and its checkpoints.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::checkpoint::Checkpoint;
use super::numbers::Numbers;
use super::table::ProofTable;
use labrys_core::game::{Game, GameMove};

/// Time between two reports.
pub(super) const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);

/// Reported moves of the most proving line.
const LINE_PLIES: usize = 8;

/// Reports the progress of a search, and writes checkpoints.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    checkpoint: Option<&'a Checkpoint<'a>>,
    /// The text of a line.
    line_text: fn(&str, &[u32]) -> String,
    start: Instant,
    /// The last report, the last checkpoint.
    last: Mutex<[Instant; 2]>,
}

impl<'a> Progress<'a> {
    /// Reports from now on.
    pub(super) fn new<G: Game>(checkpoint: Option<&'a Checkpoint<'a>>) -> Progress<'a> {
        let start = Instant::now();
        Progress { checkpoint, line_text: line_text::<G>, start, last: Mutex::new([start; 2]) }
    }

    /// Reports the progress and writes the checkpoint, if they are due. The line is that of the most proving
    /// node, from a position by its FEN on.
    pub(super) fn report(
        &self,
        root: Numbers,
        (start, line): (&str, &[u32]),
        nodes: u64,
        table: ProofTable<'_>,
    ) {
        let Ok(mut last) = self.last.lock() else { return };
        let [report, written] = &mut *last;
        if report.elapsed() >= REPORT_INTERVAL {
            *report = Instant::now();
            let rate = nodes as f64 / self.start.elapsed().as_secs_f64();
            log::info!(
                "proof number {}, disproof number {}, {nodes} nodes, {rate:.0} a second, table {:.0} % full, line{}",
                root.proof,
                root.disproof,
                100.0 * table.fill(),
                (self.line_text)(start, &line[..line.len().min(LINE_PLIES)]),
            );
        }
        if let Some(checkpoint) = self.checkpoint
            && written.elapsed() >= CHECKPOINT_INTERVAL
        {
            if let Err(error) = checkpoint.write(table) {
                log::warn!("{error}; the search continues");
            }
            *written = Instant::now();
        }
    }
}

/// The moves of a line from a position on, each with a space before it.
fn line_text<G: Game>(start: &str, line: &[u32]) -> String {
    let Ok(mut position) = G::from_fen(start) else { return String::new() };
    let mut text = String::new();
    for &bits in line {
        let mv = G::Move::from_bits(bits);
        text = text + " " + &position.move_text(mv);
        position.play(mv);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::chess::Chess;

    #[test]
    fn a_line_is_reported_in_the_notation_of_the_game() {
        let position = Chess::start();
        let mut after = position.clone();
        let first = position.parse_move("e2e4").unwrap();
        after.play(first);
        let line = [first, after.parse_move("c7c5").unwrap()].map(GameMove::to_bits);
        assert_eq!(line_text::<Chess>(&position.fen(), &line), " e2e4 c7c5");
    }
}
