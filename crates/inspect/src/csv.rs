//! The tables of an inspection as CSV.

use std::fmt::Write;

use crate::report::Inspection;

impl Inspection {
    /// The tables as comma-separated values, a row each, with a header. Neither steps nor terms have commas
    /// in their names.
    pub fn csv(&self) -> String {
        let mut csv = "variant,depth,reference,view,step,group,value,decisions,judged,wrong,unknown,share,\
                       share_error,per_million,cost,greatest,mates,nodes_without\n"
            .to_owned();
        let share = |share: Option<f64>| share.map_or(String::new(), |share| format!("{share:.5}"));
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.3}"));
        for row in &self.summary {
            // Writing to a string does not fail.
            _ = writeln!(
                csv,
                "{},{},{},{},{},{},{},{:.0},{},{},{},{},{},{},{},{},{},{}",
                self.variant,
                self.depth,
                self.reference,
                row.view.name(),
                row.step,
                row.group.name(),
                row.value,
                row.decisions,
                row.judged,
                row.wrong,
                row.unknown,
                share(row.share),
                share(row.share_error),
                number(row.per_million),
                number(row.cost),
                number(row.greatest),
                row.mates,
                number(row.nodes_without),
            );
        }
        csv
    }
}
