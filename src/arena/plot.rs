//! Pictures of matches: the score of each player over the games, as SVG.

use plotters::prelude::*;
use thiserror::Error;

use super::pgn::Record;
use super::{GameResult, Pairs, Results};

/// Width and height of a picture in pixels.
const SIZE: (u32, u32) = (960, 540);

/// Points of a curve; more cannot be told apart.
const RESOLUTION: usize = 1000;

/// A picture that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlotError {
    /// There is nothing to draw.
    #[error("no pair of games is complete")]
    Empty,
    /// The drawing library has failed.
    #[error("cannot draw: {0}")]
    Draw(String),
}

/// The names of the players in records, in the order of their first games, and their results. Games without a number get the next one.
pub fn results(records: &[Record]) -> (Vec<String>, Results) {
    let (mut names, mut results) = (Vec::new(), Results::default());
    let mut games: Vec<_> =
        records.iter().zip(1..).map(|(game, place)| (game.number.unwrap_or(place), game)).collect();
    games.sort_by_key(|(number, _)| *number);
    for (number, record) in games {
        let players = record.players.each_ref().map(|side| {
            names.iter().position(|name| *name == side.name).unwrap_or_else(|| {
                names.push(side.name.clone());
                names.len() - 1
            })
        });
        let result = GameResult { winner: record.end.winner, cause: record.end.cause };
        if !results.add(number - 1, players, result) {
            log::warn!("game {number} of the file is left out: its number is taken");
        }
    }
    (names, results)
}

/// A score after so many games, with the ends of its 95 % interval, all in percent.
type Point = (f64, [f64; 3]);

/// Draws the score of each player over its games; of two players only that of the first, with its 95 % interval.
///
/// # Errors
/// [`PlotError`] when there is nothing to draw.
pub fn score_over_games(names: &[String], results: &Results) -> Result<String, PlotError> {
    let mut curves: Vec<(&str, Vec<Point>)> = Vec::new();
    for (name, player) in names.iter().zip(0..) {
        curves.push((name, curve(player, results)));
    }
    curves.retain(|(_, points)| !points.is_empty());
    if names.len() == 2 {
        curves.truncate(1);
    }
    let title = match names {
        [first, second] => format!("{first} against {second}"),
        _ => format!("{} players", names.len()),
    };
    let games =
        curves.iter().filter_map(|(_, points)| points.last()).map(|point| point.0).fold(0.0, f64::max);
    if games == 0.0 {
        return Err(PlotError::Empty);
    }
    let mut svg = String::new();
    draw(&mut svg, &title, &curves, games).map_err(|error| PlotError::Draw(error.to_string()))?;
    Ok(svg)
}

/// The running score of a player, pair by pair.
fn curve(player: usize, results: &Results) -> Vec<Point> {
    let mut pairs = Pairs::default();
    let mut points = Vec::new();
    for pair in results.complete() {
        let [first, second] = pair.points();
        match pair.players {
            [own, _] if own == player => pairs.add(first, second),
            [_, own] if own == player => pairs.add(!first, !second),
            _ => continue,
        }
        let (mean, error) = pairs.score();
        let percent = [mean, mean - error, mean + error].map(|score| 100.0 * score.clamp(0.0, 1.0));
        points.push((2.0 * pairs.count() as f64, percent));
    }
    let step = points.len().div_ceil(RESOLUTION).max(1);
    let last = points.len().saturating_sub(1);
    points
        .into_iter()
        .enumerate()
        .filter(|(n, _)| n % step == 0 || *n == last)
        .map(|(_, point)| point)
        .collect()
}

fn draw(
    svg: &mut String,
    title: &str,
    curves: &[(&str, Vec<Point>)],
    games: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..games, 0.0..100.0)?;
    chart
        .configure_mesh()
        .x_desc("games")
        .y_desc("score, %")
        .x_label_formatter(&|games| format!("{games:.0}"))
        .y_label_formatter(&|score| format!("{score:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series(LineSeries::new([(0.0, 50.0), (games, 50.0)], BLACK.mix(0.5)))?;
    for ((name, points), index) in curves.iter().zip(0..) {
        let color = Palette99::pick(index).to_rgba();
        if curves.len() == 1 {
            let low = points.iter().map(|(games, [_, low, _])| (*games, *low));
            let high = points.iter().map(|(games, [_, _, high])| (*games, *high));
            let band: Vec<_> = low.chain(high.rev()).collect();
            chart.draw_series([Polygon::new(band, color.mix(0.15))])?;
        }
        let line = points.iter().map(|(games, [score, ..])| (*games, *score));
        chart
            .draw_series(LineSeries::new(line, color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    if curves.len() > 1 {
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).background_style(WHITE.mix(0.8)).draw()?;
    }
    root.present()?;
    Ok(())
}
