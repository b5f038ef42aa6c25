//! The cross table of a tournament.

use std::fmt;

use super::summary::PairingSummary;

/// Points and games of every player against every other, as a Markdown table.
pub(super) struct CrossTable<'a> {
    /// The names of the players, in the order of rows and columns.
    pub(super) players: Vec<&'a str>,
    /// Their results.
    pub(super) pairings: &'a [PairingSummary],
}

impl CrossTable<'_> {
    /// `points/games` of `player` against `other`, if they have met.
    fn score(&self, player: &str, other: &str) -> Option<String> {
        self.pairings.iter().find_map(|PairingSummary { players: [first, second], tally, .. }| {
            let halves = match (first == player && second == other, first == other && second == player) {
                (true, _) => 2 * tally.wins + tally.draws,
                (_, true) => 2 * tally.losses + tally.draws,
                _ => return None,
            };
            let half = if halves.is_multiple_of(2) { "" } else { ".5" };
            Some(format!("{}{half}/{}", halves / 2, tally.games()))
        })
    }
}

impl fmt::Display for CrossTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A bar would begin another column.
        let names: Vec<_> = self.players.iter().map(|name| name.replace('|', "\\|")).collect();
        let head = std::iter::once(String::new()).chain(names.iter().cloned()).collect();
        let mut rows: Vec<Vec<String>> = vec![head];
        for (player, name) in self.players.iter().zip(&names) {
            let scores = self.players.iter().map(|other| self.score(player, other).unwrap_or("-".to_owned()));
            rows.push(std::iter::once(name.clone()).chain(scores).collect());
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..=names.len()).map(width).collect();
        for (row, number) in rows.iter().zip(0..) {
            f.write_str(if number == 0 { "|" } else { "\n|" })?;
            for ((cell, width), column) in row.iter().zip(&widths).zip(0..) {
                match column {
                    0 => write!(f, " {cell:width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            if number == 0 {
                write!(f, "\n|{}|", "-".repeat(widths[0] + 2))?;
                widths[1..].iter().try_for_each(|width| write!(f, "{}:|", "-".repeat(width + 1)))?;
            }
        }
        Ok(())
    }
}
