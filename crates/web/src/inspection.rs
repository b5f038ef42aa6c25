//! Inspections of positions by the microscope, for the page of [`labrys_inspect`].

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use thiserror::Error;

use super::query::{self, FieldError};
use labrys_core::engine::{PositionError, UnknownVariant, registry};
use labrys_core::game::quote;
use labrys_core::search::Control;
use labrys_inspect::{
    InspectError, PageError, ReferenceError, ReferenceKind, StartPosition, Task, View, inspect,
};

/// The fields of a query.
const FIELDS: &str = "variant, option, fen, depth, reference";

/// The depth of the searches, by default and at most: what takes seconds, and what may take hours.
const DEPTHS: (u32, u32) = (3, 10);

/// Decisions of each step and depth that are checked at most.
const SAMPLES: usize = 20;

/// Nodes after which the check of a decision is given up.
const BUDGET: u64 = 100_000;

/// Nodes of a reference at most.
const MAX_NODES: u64 = 1_000_000;

/// The time of an inspection at most: it then shows what it has seen so far.
pub(super) const DEADLINE: Duration = Duration::from_secs(120);

/// Inspections that go on or wait at most.
pub(super) const MAX_QUEUE: usize = 8;

/// The seed of the samples.
const SEED: u64 = 1;

/// Why a position is not inspected.
#[derive(Debug, Error)]
pub(super) enum InspectionError {
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("variant: {0}")]
    Variant(#[from] UnknownVariant),
    #[error("option {}: {variant} has no option", quote(.value))]
    NoOption { value: String, variant: &'static str },
    #[error("depth {}: expected 1 to {}", quote(.0), DEPTHS.1)]
    Depth(String),
    #[error("reference: {0}")]
    Reference(#[from] ReferenceError),
    #[error("reference `nodes={0}`: at most {MAX_NODES} nodes")]
    Nodes(u64),
    #[error("reference `tables`: the board has none, use `labrys inspect`")]
    Tables,
    #[error("fen: {0}")]
    Fen(PositionError),
    #[error(transparent)]
    Inspect(InspectError),
    #[error(transparent)]
    Page(#[from] PageError),
}

impl From<InspectError> for InspectionError {
    fn from(error: InspectError) -> InspectionError {
        match error {
            InspectError::Position { error, .. } => InspectionError::Fen(error),
            error => InspectionError::Inspect(error),
        }
    }
}

impl InspectionError {
    /// The status of the response.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            InspectionError::Inspect(InspectError::Memory { .. }) => StatusCode::SERVICE_UNAVAILABLE,
            InspectionError::Page(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// Reads the fields of a query: what is to be inspected. `option` is the value of the option of the game.
///
/// # Errors
/// [`InspectionError`] names the field with its value.
pub(super) fn task(fields: &[(String, String)]) -> Result<Task, InspectionError> {
    let values = query::values(fields, FIELDS)?;
    let value = |name: &str| values.get(name).copied();
    let board = registry::board(value("variant").unwrap_or("chess"))?;
    let variant = board.variant();
    let option = value("option").map(|value| match board.option() {
        Some(option) => Ok((option.name.to_owned(), value.to_owned())),
        None => Err(InspectionError::NoOption { value: value.to_owned(), variant }),
    });
    let depth = value("depth").map_or(Ok(DEPTHS.0), |text| {
        let depth = text.parse().ok().filter(|depth| (1..=DEPTHS.1).contains(depth));
        depth.ok_or_else(|| InspectionError::Depth(text.to_owned()))
    })?;
    let reference = value("reference").map_or(Ok(ReferenceKind::Minimax), str::parse)?;
    match reference {
        ReferenceKind::Nodes(nodes) if nodes > MAX_NODES => return Err(InspectionError::Nodes(nodes)),
        ReferenceKind::Tables => return Err(InspectionError::Tables),
        _ => {}
    }
    Ok(Task {
        variant: variant.to_owned(),
        options: option.transpose()?.into_iter().collect(),
        positions: vec![StartPosition { fen: value("fen").map(str::to_owned), moves: Vec::new() }],
        selfplay: 0,
        depth,
        reference,
        views: vec![View::Searches, View::Search, View::Filter],
        samples: SAMPLES,
        budget: BUDGET,
        seed: SEED,
        values: false,
    })
}

/// The data of the page for a task, in JSON.
///
/// # Errors
/// [`InspectionError`], if the position or the reference does not fit the game.
pub(super) fn data(task: &Task, control: &Control) -> Result<String, InspectionError> {
    Ok(inspect(task, control, &mut |_| ())?.page_data()?)
}

/// Stops an inspection when it is dropped: a browser that has left or asks for another one does not wait for it.
pub(super) struct StopOnDrop(pub(super) Arc<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The task of a query, fields joined by `&`.
    fn read(query: &str) -> Result<Task, String> {
        let fields = query.split('&').filter_map(|field| field.split_once('='));
        let fields: Vec<_> = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        task(&fields).map_err(|error| error.to_string())
    }

    #[test]
    fn a_query_names_position_depth_and_reference() {
        let task = read("variant=amazons&option=6x6&depth=2&reference=nodes=500&fen=").unwrap();
        assert_eq!((task.variant.as_str(), task.depth), ("amazons", 2));
        assert_eq!(task.options, [("AmazonsBoard".to_owned(), "6x6".to_owned())]);
        assert_eq!(task.reference, ReferenceKind::Nodes(500));
        assert_eq!(task.positions, [StartPosition::default()]);
        let task = read("fen=8/8/8/8/8/4k3/4p3/4K3 w - - 0 1").unwrap();
        assert_eq!((task.variant.as_str(), task.depth), ("chess", DEPTHS.0));
        assert_eq!(task.positions[0].fen.as_deref(), Some("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"));
    }

    #[test]
    fn bad_input_is_named() {
        for (query, problem) in [
            ("plies=3", "unknown field `plies`, expected one of: variant, option"),
            ("depth=3&depth=4", "depth is given twice"),
            ("depth=0", "depth `0`: expected 1 to 10"),
            ("depth=11", "depth `11`: expected 1 to 10"),
            ("depth=three", "depth `three`: expected 1 to 10"),
            ("variant=ludo", "variant: "),
            ("variant=neighbours&option=6x6", "option `6x6`: neighbours has no option"),
            ("reference=nodes=1000001", "reference `nodes=1000001`: at most 1000000 nodes"),
            ("reference=tables", "reference `tables`: the board has none"),
            ("reference=oracle", "reference: `oracle` is no reference"),
        ] {
            let error = read(query).unwrap_err();
            assert!(error.contains(problem), "{query}: {error}");
        }
    }

    #[test]
    fn what_does_not_fit_the_game_is_named() {
        for (query, problem) in [
            ("fen=8/8", "fen: "),
            ("variant=amazons&option=6x99", "`6x99`"),
            ("variant=tucchess&reference=solve", "reference solve: "),
        ] {
            let result = data(&read(query).unwrap(), &Control::default());
            let error = result.map(drop).unwrap_err().to_string();
            assert!(error.contains(problem), "{query}: {error}");
        }
    }

    #[test]
    fn an_inspection_that_nobody_waits_for_ends() {
        let control = Arc::new(Control::default());
        drop(StopOnDrop(control.clone()));
        let text = data(&read("depth=10").unwrap(), &control).unwrap();
        assert!(text.contains("\"complete\":false"));
    }
}
