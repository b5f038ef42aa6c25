//! An inspection as a page: one that needs neither a server nor other files, and the files of one that asks
//! the server of the web board.

use labrys_core::engine::{UnknownVariant, registry};
use serde::Serialize;

use crate::report::Inspection;

/// The page, without data: its script asks `inspect.json` of the same folder.
pub const PAGE: &str = include_str!("page/inspect.html");

/// Its style, `inspect.css`.
pub const PAGE_STYLE: &str = include_str!("page/inspect.css");

/// Its script, `inspect.js`.
pub const PAGE_SCRIPT: &str = include_str!("page/inspect.js");

/// What names the style in the page.
const STYLE_LINK: &str = "<link rel=\"stylesheet\" href=\"inspect.css\">";

/// What names the script in the page.
const SCRIPT_LINK: &str = "<script type=\"module\" src=\"inspect.js\"></script>";

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
    /// The data of the page, in JSON.
    ///
    /// # Errors
    /// [`PageError`], for an inspection of an unknown game.
    pub fn page_data(&self) -> Result<String, PageError> {
        let appearance = registry::info(self.variant)?.appearance;
        Ok(serde_json::to_string(&Data { inspection: self, appearance })?)
    }

    /// A page with the tables, and the tree with the board beside it.
    ///
    /// # Errors
    /// [`PageError`], for an inspection of an unknown game.
    pub fn page(&self) -> Result<String, PageError> {
        // No text of the data may end the script.
        let data = self.page_data()?.replace('<', "\\u003c");
        let style = format!("<style>\n{PAGE_STYLE}</style>");
        let script = format!(
            "<script>globalThis.inspected = {data};</script>\n<script type=\"module\">\n{PAGE_SCRIPT}</script>"
        );
        Ok(PAGE.replacen(STYLE_LINK, &style, 1).replacen(SCRIPT_LINK, &script, 1))
    }
}
