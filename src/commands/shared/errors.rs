//! What is said of an error, in one voice.

use std::io;

use crate::learn::nnue::games::{GamesError, GamesProblem};

/// Whether an error is that nobody reads the output any more.
pub(in crate::commands) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut errors = error.chain().filter_map(|cause| match cause.downcast_ref() {
        // It says the whole problem itself, so that there is no cause behind it.
        Some(GamesError { problem: GamesProblem::Io(error), .. }) => Some(error),
        _ => cause.downcast_ref::<io::Error>(),
    });
    errors.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// An error with its causes. Some errors say their cause themselves: it is not said twice.
pub(in crate::commands) fn in_words(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.ends_with(&cause) => said,
        cause if said.is_empty() => cause,
        cause => format!("{said}: {cause}"),
    })
}
