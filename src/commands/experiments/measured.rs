//! Numbers in what commands have printed, and their comparison with those of the page.

use anyhow::{Context, anyhow, ensure};
use serde::Serialize;
use serde_json::{Map, Value};

use super::table::Rows;
use crate::game::quote;
use labrys_support::elo::student;

/// A number of the page beside the one measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Comparison {
    pub(super) step: String,
    pub(super) value: String,
    /// The number of the page, and half the width of its 95 % interval.
    pub(super) page: f64,
    pub(super) page_error: f64,
    /// The mean over the seeds.
    pub(super) measured: f64,
    /// Half the width of its 95 % interval: that over the seeds or that of the page, whichever is greater.
    pub(super) error: f64,
    /// The number of each seed.
    pub(super) by_seed: Vec<f64>,
    /// Whether the difference is within its own 95 % interval.
    pub(super) agrees: bool,
}

impl Comparison {
    /// Compares the numbers of all seeds, at least one, with that of the page.
    pub(super) fn new(
        step: &str,
        value: &str,
        [page, page_error]: [f64; 2],
        by_seed: Vec<f64>,
    ) -> Comparison {
        let count = by_seed.len() as f64;
        let measured = by_seed.iter().sum::<f64>() / count;
        let over_seeds = match by_seed.len() {
            1 => 0.0,
            seeds => {
                let squares: f64 = by_seed.iter().map(|number| (number - measured).powi(2)).sum();
                student(seeds - 1) * (squares / (count - 1.0) / count).sqrt()
            }
        };
        // As many games were played for the page, so its error is that of the number, too, if not a greater one:
        // few seeds may be alike by chance.
        let error = over_seeds.max(page_error);
        // What is printed on the page is rounded.
        let rounding = 1e-9 * page.abs().max(1.0);
        let agrees = (measured - page).abs() <= error.hypot(page_error) + rounding;
        let (step, value) = (step.to_owned(), value.to_owned());
        Comparison { step, value, page, page_error, measured, error, by_seed, agrees }
    }
}

/// The number at a path in JSON, where `{}` stands for `key`. An entry of a list is named by its `name`, by
/// its `players`, joined by `/`, or by its index.
///
/// # Errors
/// The error names the part of the path that does not exist.
pub(super) fn number(printed: &Value, path: &str, key: &str) -> anyhow::Result<f64> {
    let mut at = printed;
    for part in path.split('.') {
        let part = part.replace("{}", key);
        at = find(at, &part).ok_or_else(|| anyhow!("no {} in {path}", quote(&part)))?;
    }
    at.as_f64().ok_or_else(|| anyhow!("{path} of {}: {at}, expected a number", quote(key)))
}

/// The entry of an object or a list.
fn find<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    let Value::Array(entries) = value else { return value.get(part) };
    let is_it = |entry: &&Value| {
        let players = entry["players"].as_array().map(|players| {
            players.iter().map(|name| name.as_str().unwrap_or_default()).collect::<Vec<_>>().join("/")
        });
        entry["name"] == part || players.is_some_and(|players| players == part)
    };
    entries.iter().find(is_it).or_else(|| entries.get(part.parse::<usize>().ok()?))
}

/// The numbers of a table of comma-separated values, as an object with the heads of its columns: of each column
/// of numbers the last one, or their mean. Cells may be empty.
///
/// # Errors
/// It has no row, or rows have different numbers of columns.
pub(super) fn of_rows(text: &str, rows: Rows) -> anyhow::Result<Value> {
    let mut lines = text.lines().filter(|line| !line.is_empty()).map(|line| line.split(',').collect());
    let head: Vec<&str> = lines.next().context("an empty table")?;
    let cells: Vec<Vec<&str>> = lines.collect();
    ensure!(!cells.is_empty(), "a table without rows");
    ensure!(cells.iter().all(|row| row.len() == head.len()), "a row has another number of columns");
    let mut columns = Map::new();
    for (index, name) in head.into_iter().enumerate() {
        let column = cells.iter().map(|row| row[index]).filter(|cell| !cell.is_empty());
        let Ok(numbers) = column.map(str::parse).collect::<Result<Vec<f64>, _>>() else { continue };
        let mean = || numbers.iter().sum::<f64>() / numbers.len() as f64;
        let number = numbers.last().map(|&last| if rows == Rows::Last { last } else { mean() });
        columns.extend(number.map(|number| (name.to_owned(), number.into())));
    }
    Ok(Value::Object(columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_found_by_name() {
        let printed = json!({
            "players": [{ "name": "a", "score": 0.25 }, { "name": "b", "score": 0.75 }],
            "pairings": [{ "players": ["a", "b"], "wins": 3 }],
            "list": [4, 5],
        });
        assert_eq!(number(&printed, "players.{}.score", "b").unwrap(), 0.75);
        assert_eq!(number(&printed, "pairings.{}.wins", "a/b").unwrap(), 3.0);
        assert_eq!(number(&printed, "list.1", "").unwrap(), 5.0);
        let error = number(&printed, "players.{}.score", "c").unwrap_err().to_string();
        assert_eq!(error, "no `c` in players.{}.score");
        let error = number(&printed, "players.a.name", "x").unwrap_err().to_string();
        assert!(error.contains("expected a number"), "{error}");
    }

    #[test]
    fn of_a_table_the_last_row_counts_or_the_mean() {
        let table = "games,change,accepted,score\n10,0.5,,\n20,,true,\n30,0.25,,\n";
        assert_eq!(of_rows(table, Rows::Last).unwrap(), json!({ "games": 30.0, "change": 0.25 }));
        assert_eq!(of_rows(table, Rows::Mean).unwrap(), json!({ "games": 20.0, "change": 0.375 }));
        for rows in [Rows::Last, Rows::Mean] {
            for wrong in ["games\n", "", "a,b\n1\n"] {
                assert!(of_rows(wrong, rows).is_err(), "{wrong:?}");
            }
        }
        assert!(of_rows("a,b\n1\n1,2\n", Rows::Mean).is_err());
    }

    #[test]
    fn numbers_agree_within_their_errors() {
        let of = |measured: &[f64]| Comparison::new("s", "v", [50.0, 3.0], measured.to_vec());
        // The difference of two numbers with an error of 3 has one of 4.24.
        assert!(of(&[54.2]).agrees && !of(&[54.3]).agrees && of(&[45.8]).agrees);
        // Three seeds: the mean 60, with the standard error 1.155 times 4.303.
        let seeds = of(&[58.0, 62.0, 60.0]);
        assert!((seeds.measured - 60.0).abs() < 1e-9 && (seeds.error - 4.9687).abs() < 1e-3, "{seeds:?}");
        assert!(!seeds.agrees && of(&[50.0, 56.0, 53.0]).agrees);
        // Seeds that are alike by chance leave the error of the games.
        assert_eq!(of(&[54.0, 54.0, 54.0]).error, 3.0);
        assert!(Comparison::new("s", "v", [7.0, 0.0], vec![7.0]).agrees);
    }
}
