//! An inspection as a page that needs neither a server nor other files.

use labrys_core::engine::{UnknownVariant, registry};
use serde::Serialize;

use crate::report::Inspection;

/// The page, with a place for the data.
const PAGE: &str = include_str!("page.html");

/// The place of the data.
const DATA: &str = "/*data*/null";

/// The data of the page.
#[derive(Serialize)]
struct Data<'a> {
    inspection: &'a Inspection,
    appearance: labrys_core::game::Appearance,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is no such game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The data cannot be written.
    #[error(transparent)]
    Data(#[from] serde_json::Error),
}

impl Inspection {
    /// A page with the tables, and the tree with the board beside it.
    ///
    /// # Errors
    /// [`PageError`], for an inspection of an unknown game.
    pub fn page(&self) -> Result<String, PageError> {
        let appearance = registry::info(self.variant)?.appearance;
        let data = serde_json::to_string(&Data { inspection: self, appearance })?;
        // No text of the data may end the script.
        Ok(PAGE.replacen(DATA, &data.replace('<', "\\u003c"), 1))
    }
}
