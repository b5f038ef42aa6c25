//! A report as text: the variants side by side, then the players of each.

use std::fmt;

use super::{PlayerReport, Share, Slope, VariantReport};

/// The statistics of variants, as a table with a column for each.
#[derive(Debug)]
pub struct SideBySide<'a>(pub &'a [VariantReport]);

/// A value as text; a dash where there is none.
fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// A share in percent, with its interval.
pub(super) fn percent(share: Share) -> String {
    let Share { share, low, high, .. } = share;
    or_dash(share, |share| format!("{:.1} [{:.1}, {:.1}]", 100.0 * share, 100.0 * low, 100.0 * high))
}

/// The rows of the table: a name, and the cell of each variant.
pub(super) fn rows(variants: &[VariantReport]) -> Vec<(String, Vec<String>)> {
    let row = |name: &str, cell: &dyn Fn(&VariantReport) -> String| {
        (name.to_owned(), variants.iter().map(cell).collect::<Vec<_>>())
    };
    let mut rows = vec![
        row("games", &|of| of.games.to_string()),
        row("  distinct", &|of| of.distinct.to_string()),
        row("plies of a game: mean", &|of| format!("{:.1}", of.plies.mean)),
        row("  median", &|of| format!("{:.1}", of.plies.median)),
        row("  shortest, longest", &|of| format!("{}, {}", of.plies.min, of.plies.max)),
        row("legal moves on a turn", &|of| or_dash(of.branching, |moves| format!("{moves:.1}"))),
        row("drawn, %", &|of| percent(of.draws)),
        row("decisive, %", &|of| percent(of.decisive)),
        row("  of these won by White, %", &|of| percent(of.white_wins)),
        row("decided pairs, %", &|of| percent(of.decided_pairs)),
        row("White's score, %", &|of| {
            or_dash(of.first_move, |of| format!("{:.1} ± {:.1}", 100.0 * of.score, 100.0 * of.error))
        }),
        row("first move, Elo", &|of| {
            let elo = of.first_move.map(|of| of.elo);
            or_dash(elo, |elo| format!("{:+.1} [{:+.1}, {:+.1}]", elo.estimate, elo.low, elo.high))
        }),
    ];
    let mut ends: Vec<_> = variants.iter().flat_map(|of| &of.ends).map(|end| &end.end).collect();
    ends.sort_unstable();
    ends.dedup();
    for name in ends {
        rows.push(row(&format!("ended by {name}, %"), &|of| {
            let games = of.ends.iter().find(|end| end.end == *name).map_or(0, |end| end.games());
            percent(Share::new(games, of.games))
        }));
    }
    if variants.iter().any(|of| of.unfinished > 0) {
        rows.push(row("not finished, left out", &|of| of.unfinished.to_string()));
    }
    rows
}

/// The heads of the columns of the players.
pub(super) const PLAYER_COLUMNS: [&str; 11] =
    ["player", "games", "wins", "draws", "losses", "on time", "score", "Elo", "±95 %", "moves", "depth"];

/// The heads of the columns that only some records have.
pub(super) const SEARCH_COLUMNS: [&str; 2] = ["nodes", "seconds"];

/// The cells of a player, in the order of both lists of columns.
pub(super) fn player_cells(player: &PlayerReport) -> Vec<String> {
    let digits = |value, digits: usize| or_dash(value, |value: f64| format!("{value:.digits$}"));
    vec![
        player.name.clone(),
        player.games.to_string(),
        player.wins.to_string(),
        player.draws.to_string(),
        player.losses.to_string(),
        player.losses_on_time.to_string(),
        format!("{:.1} %", 100.0 * player.score),
        or_dash(player.elo, |elo| format!("{elo:+.1}")),
        digits(player.elo_error, 1),
        digits(player.branching, 1),
        digits(player.depth, 1),
        digits(player.nodes, 0),
        digits(player.seconds, 4),
    ]
}

/// A slope in words.
pub(super) fn slope(slope: &Slope) -> String {
    let Slope { per, elo, players } = slope;
    format!("{elo:+.1} Elo for each {per}, by {players} players")
}

/// Writes rows of cells in columns: the first to the left, the others to the right.
fn write_table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    for row in rows {
        for ((cell, &width), column) in row.iter().zip(&widths).zip(0..) {
            match column {
                0 => write!(f, "{cell:width$}")?,
                _ => write!(f, "  {cell:>width$}")?,
            }
        }
        writeln!(f)?;
    }
    Ok(())
}

impl fmt::Display for SideBySide<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variants = self.0;
        let head = std::iter::once(String::new()).chain(variants.iter().map(VariantReport::title));
        let mut table: Vec<Vec<String>> = vec![head.collect()];
        table.extend(
            rows(variants).into_iter().map(|(name, cells)| std::iter::once(name).chain(cells).collect()),
        );
        write_table(f, &table)?;
        for of in variants {
            writeln!(f, "\n{}", of.title())?;
            let head: Vec<_> =
                PLAYER_COLUMNS.iter().chain(&SEARCH_COLUMNS).map(|&name| name.to_owned()).collect();
            let players = of.players.iter().map(player_cells);
            write_table(f, &std::iter::once(head).chain(players).collect::<Vec<_>>())?;
            of.strength.iter().try_for_each(|of| writeln!(f, "{}", slope(of)))?;
        }
        Ok(())
    }
}
