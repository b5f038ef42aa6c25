//! A report as a page of its own: the tables, and charts in the page.

use std::fmt::Write as _;

use labrys_support::chart::{Chart, ChartError, Curve};

use super::strength::{MEASURES, rated};
use super::{VariantReport, text};

/// The look of the page.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;\
    color:#1b1b1b;background:#fff}table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}\
    th,td{padding:.25rem .75rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}\
    th:first-child,td:first-child{text-align:left}svg{max-width:100%;height:auto}";

/// The page. It needs no other file and no network.
///
/// # Errors
/// [`ChartError::Draw`] if a chart cannot be drawn.
pub fn page(variants: &[VariantReport]) -> Result<String, ChartError> {
    let names: Vec<_> = variants.iter().map(VariantReport::title).collect();
    let title = format!("Games of {}", names.join(", "));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let head: Vec<_> = std::iter::once(String::new()).chain(names).collect();
    let rows = text::rows(variants).into_iter();
    table(&mut page, &head, rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()));
    page += "<p>Intervals are of 95 %. A pair is two games from one opening with colours swapped; it is \
             decided if one player has more than one point.</p>\n";
    let by_ply = |name: &str, points: &[(usize, f64)]| {
        Curve::new(name, points.iter().map(|&(ply, value)| (ply as f64, value)))
    };
    let still = variants.iter().map(|of| by_ply(&of.title(), &of.still_played));
    let still = Chart::new(["Games that are still played", "plies", "games, %"], still);
    draw(&mut page, &Chart { range: Some(0.0..100.0), ..still })?;
    let branching = variants.iter().map(|of| by_ply(&of.title(), &of.branching_by_ply));
    draw(&mut page, &Chart::new(["Legal moves", "plies", "mean number of legal moves"], branching))?;
    for of in variants {
        _ = writeln!(page, "<h2>{}</h2>", of.title());
        let head: Vec<_> =
            text::PLAYER_COLUMNS.iter().chain(&text::SEARCH_COLUMNS).map(|&name| name.to_owned()).collect();
        table(&mut page, &head, of.players.iter().map(text::player_cells));
        for slope in &of.strength {
            _ = writeln!(page, "<p>{}</p>", text::slope(slope));
        }
        strength_charts(&mut page, of)?;
    }
    page += "</body>\n</html>\n";
    Ok(page)
}

/// Elo against depth, nodes and time, where two players or more differ in them.
fn strength_charts(page: &mut String, of: &VariantReport) -> Result<(), ChartError> {
    for (measure, x) in MEASURES.into_iter().zip(["mean depth", "log₂ of the mean nodes", "log₂ of seconds"])
    {
        let points = rated(&of.players, measure);
        // A chart begins at 0, as no logarithm of seconds does.
        if points.len() < 2 || points.iter().any(|point| point.0 < 0.0) {
            continue;
        }
        let points = points.into_iter().map(|(x, elo, error)| (x, elo, (elo - error, elo + error)));
        let title = format!("{}: strength", of.title());
        draw(page, &Chart::new([&title, x, "Elo"], [Curve::with_band("players", points)]))?;
    }
    Ok(())
}

/// Adds a chart, unless there is nothing to draw.
fn draw(page: &mut String, chart: &Chart) -> Result<(), ChartError> {
    match chart.to_svg() {
        Ok(svg) => _ = writeln!(page, "<figure>{svg}</figure>"),
        Err(ChartError::Empty) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Adds a table with a head.
fn table(page: &mut String, head: &[String], rows: impl Iterator<Item = Vec<String>>) {
    let row = |page: &mut String, cell: &str, cells: &[String]| {
        *page += "<tr>";
        cells.iter().for_each(|text| _ = write!(page, "<{cell}>{}</{cell}>", escaped(text)));
        *page += "</tr>\n";
    };
    *page += "<table>\n";
    row(page, "th", head);
    rows.for_each(|cells| row(page, "td", &cells));
    *page += "</table>\n";
}

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_players_are_text() {
        let mut page = String::new();
        table(&mut page, &["<b>".to_owned()], [vec!["a & \"b\"".to_owned()]].into_iter());
        assert!(page.contains("<th>&lt;b&gt;</th>") && page.contains("a &amp; &quot;b&quot;"), "{page}");
    }
}
