//! Reports of a long search, and its checkpoints.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::checkpoint::Checkpoint;
use super::numbers::Numbers;
use super::table::ProofTable;

/// Time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);

/// What is told of a search, and when.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    checkpoint: Option<&'a Checkpoint<'a>>,
    start: Instant,
    /// The last report, the last checkpoint.
    last: Mutex<[Instant; 2]>,
}

impl<'a> Progress<'a> {
    /// Reports from now on.
    pub(super) fn new(checkpoint: Option<&'a Checkpoint<'a>>) -> Progress<'a> {
        let start = Instant::now();
        Progress { checkpoint, start, last: Mutex::new([start; 2]) }
    }

    /// Tells where the search stands, and writes the checkpoint, if it is time to.
    pub(super) fn tell(&self, root: Numbers, nodes: u64, table: ProofTable<'_>) {
        let Ok(mut last) = self.last.lock() else { return };
        let [report, written] = &mut *last;
        if report.elapsed() >= REPORT_INTERVAL {
            *report = Instant::now();
            let rate = nodes as f64 / self.start.elapsed().as_secs_f64();
            log::info!(
                "proof number {}, disproof number {}, {nodes} nodes, {rate:.0} a second, table {:.0} % full",
                root.proof,
                root.disproof,
                100.0 * table.fill(),
            );
        }
        if let Some(checkpoint) = self.checkpoint
            && written.elapsed() >= CHECKPOINT_INTERVAL
        {
            if let Err(error) = checkpoint.write(table) {
                log::warn!("{error}; the search goes on");
            }
            *written = Instant::now();
        }
    }
}
