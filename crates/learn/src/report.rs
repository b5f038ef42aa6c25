//! Reports of a run: learning curves as comma-separated values and as charts.

use std::fmt::{Display, Write};

use labrys_support::chart::{Chart, ChartError};

/// A table and its charts, each with its file name.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The file name of the table.
    pub name: &'static str,
    /// The table.
    pub table: Table,
    /// The charts; charts without points are not drawn.
    pub charts: Vec<(&'static str, Chart<'a>)>,
}

impl Report<'_> {
    /// The charts as SVG, without the empty ones.
    ///
    /// # Errors
    /// [`ChartError`] when the drawing library fails.
    pub fn svgs(&self) -> Result<Vec<(&'static str, String)>, ChartError> {
        let drawn = self.charts.iter().map(|(name, chart)| Ok((*name, chart.to_svg()?)));
        drawn.filter(|drawn| !matches!(drawn, Err(ChartError::Empty))).collect()
    }
}

/// Comma-separated values with a header line.
#[derive(Clone, Debug)]
pub struct Table(String);

impl Table {
    /// A table with these column names.
    pub(crate) fn new(names: impl IntoIterator<Item = impl Display>) -> Table {
        let mut table = Table(String::new());
        // A column may be named after a file whose name contains a comma.
        table.push(names.into_iter().map(|name| name.to_string().replace(',', "_")));
        table
    }

    /// Adds a line.
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = impl Display>) {
        for (place, cell) in cells.into_iter().enumerate() {
            // Writing to a string cannot fail.
            _ = write!(self.0, "{}{cell}", if place == 0 { "" } else { "," });
        }
        self.0.push('\n');
    }

    /// The text of the table.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text of a cell; empty if there is no value.
pub(crate) fn cell(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_commas_and_cells_may_be_empty() {
        let mut table = Table::new(["generation", "score against a,b"]);
        table.push([cell(Some(1)), cell(None::<f64>)]);
        assert_eq!(table.as_str(), "generation,score against a_b\n1,\n");
    }
}
