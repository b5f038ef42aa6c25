//! A microscope for searches: one tree seen through every step that saves nodes on a guess. Each cut,
//! reduction, filter or prior is checked against a reference, and is right or wrong; where it is wrong, the
//! term that is to blame, the move that was missed and the cost are named.
//!
//! - `task`: what is to be inspected, and by which reference; `positions`: those of self-play games;
//! - `recorder`: an observer of a search, which counts its decisions and samples them;
//! - `truth`: the references; `judge`: a decision against one of them;
//! - `blame`: the term that has led to a wrong decision; `ratings`: the same for the filter of minimax
//!   selective deepening;
//! - `priors`: the priors of a policy/value net;
//! - `searches`: all searches of a position side by side;
//! - `microscope`: a position under the microscope, and the facade for all games;
//! - `report`: the result; `summary`: its tables; `text`, `csv`, `html`, `training`: forms of it.

mod blame;
mod csv;
mod html;
mod judge;
mod microscope;
mod positions;
mod priors;
mod ratings;
mod recorder;
mod report;
mod searches;
mod summary;
mod task;
mod text;
mod training;
mod truth;

pub use html::{PAGE, PAGE_SCRIPT, PAGE_STYLE, PageError};
pub use microscope::{InspectError, add_game, inspect};
pub use report::{
    DecisionReport, Inspection, MoveReport, PositionReport, SearchReport, StepCount, Verdict, View,
};
pub use summary::{Group, SummaryRow};
pub use task::{ReferenceError, ReferenceKind, StartPosition, Task, TaskError, read_positions};
