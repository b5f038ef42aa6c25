//! Line charts, as SVG.

use std::ops::Range;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

/// Width and height of a picture in pixels, without the legend.
const SIZE: (u32, u32) = (880, 540);

/// The colours of the curves, for the first ones of a chart: those of Okabe and Ito without the yellow, which
/// is too light on white, and a dark red. Most people with a colour vision deficiency can tell them apart.
const COLORS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x99, 0x00, 0x00),
];

/// The colour of the other curves.
const GREY: RGBColor = RGBColor(0xC4, 0xC4, 0xC4);

/// Points of a curve; more cannot be told apart.
const RESOLUTION: usize = 1000;

/// Intervals of a curve that are drawn as error bars; more are drawn as a band.
const BARS: usize = 30;

/// Points of all grey curves together.
const GREY_RESOLUTION: usize = 20_000;

/// Size of the letters as plotters counts it, about 12 pixels, and height of a line of the legend in pixels.
const LETTERS: i32 = 15;
const LINE: i32 = 22;

/// The longest name in the legend, in characters.
const MAX_NAME: usize = 60;

/// A line chart.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// Its title.
    pub title: &'a str,
    /// Label of the horizontal axis.
    pub x: &'a str,
    /// Label of the vertical axis.
    pub y: &'a str,
    /// The range of the vertical axis; by default that of the curves.
    pub range: Option<Range<f64>>,
    /// A value marked by a horizontal line.
    pub level: Option<f64>,
    /// The curves, the most important first: those after the eighth are grey and have no name in the legend.
    /// Curves without points are left out.
    pub curves: Vec<Curve>,
}

/// A curve, from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// The ends of an interval around each point, or nothing.
    pub band: Vec<(f64, f64)>,
}

/// A picture that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("there is nothing to draw")]
    Empty,
    /// The drawing library has failed.
    #[error("cannot draw: {0}")]
    Draw(String),
}

impl<'a> Chart<'a> {
    /// A chart in the range of its curves, with its title and the labels of its axes.
    pub fn new([title, x, y]: [&'a str; 3], curves: impl IntoIterator<Item = Curve>) -> Chart<'a> {
        Chart { title, x, y, range: None, level: None, curves: curves.into_iter().collect() }
    }

    /// A chart of scores in percent.
    pub fn of_scores(title: &'a str, x: &'a str, curves: impl IntoIterator<Item = Curve>) -> Chart<'a> {
        let (range, level) = (Some(0.0..100.0), Some(50.0));
        Chart { range, level, ..Chart::new([title, x, "score, %"], curves) }
    }
}

impl Curve {
    /// A curve of points.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
        Curve { name: name.to_owned(), points: points.into_iter().collect(), band: Vec::new() }
    }

    /// A curve of points, each with an interval around it.
    pub fn with_band(name: &str, points: impl IntoIterator<Item = (f64, f64, (f64, f64))>) -> Curve {
        let (points, band) = points.into_iter().map(|(x, y, interval)| ((x, y), interval)).unzip();
        Curve { name: name.to_owned(), points, band }
    }
}

impl Chart<'_> {
    /// The picture.
    ///
    /// # Errors
    /// [`ChartError`] when no curve has a point beside the origin.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        let curves: Vec<_> = self.curves.iter().filter(|curve| !curve.points.is_empty()).collect();
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let right = points().map(|point| point.0).fold(0.0, f64::max);
        if right <= 0.0 {
            return Err(ChartError::Empty);
        }
        let range = self.range.clone().unwrap_or_else(|| {
            let bands = curves.iter().flat_map(|curve| &curve.band).flat_map(|&(low, high)| [low, high]);
            let values = points().map(|point| point.1).chain(bands);
            let (low, high) = values.fold((0.0, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
            let margin = if high > low { 0.05 * (high - low) } else { 1.0 };
            low - margin..high + margin
        });
        let mut svg = String::new();
        self.draw(&mut svg, &curves, right, range).map_err(|error| ChartError::Draw(error.to_string()))?;
        Ok(svg)
    }

    fn draw(
        &self,
        svg: &mut String,
        curves: &[&Curve],
        right: f64,
        range: Range<f64>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let legend = Legend::new(curves);
        let (width, height) = SIZE;
        let root = SVGBackend::with_string(svg, (width + legend.width(), height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, margin) = root.split_horizontally(width);
        let mut chart = ChartBuilder::on(&left)
            .caption(self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..right, range.clone())?;
        let (x_digits, y_digits) = (digits(right), digits(range.end - range.start));
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&|&x| label(x, x_digits))
            .y_label_formatter(&|&y| label(y, y_digits))
            .label_style(("sans-serif", LETTERS))
            .axis_desc_style(("sans-serif", LETTERS))
            .bold_line_style(BLACK.mix(0.12))
            .light_line_style(WHITE)
            .draw()?;
        if let Some(level) = self.level {
            chart.draw_series(LineSeries::new([(0.0, level), (right, level)], BLACK.mix(0.5)))?;
        }
        // The first curve is drawn last, over the others.
        let (named, others) = curves.split_at(curves.len().min(COLORS.len()));
        let resolution = RESOLUTION.min(GREY_RESOLUTION / others.len().max(1));
        for curve in others.iter().rev() {
            let line = sampled_indices(curve.points.len(), resolution).map(|place| curve.points[place]);
            chart.draw_series(LineSeries::new(line, GREY))?;
        }
        for (curve, color) in named.iter().zip(COLORS).rev() {
            let sampled_indices: Vec<_> = sampled_indices(curve.points.len(), RESOLUTION).collect();
            if curve.band.len() <= BARS {
                let bars = curve.points.iter().zip(&curve.band);
                let bars = bars.map(|(&(x, _), &(low, high))| [(x, low), (x, high)]);
                chart.draw_series(bars.map(|bar| PathElement::new(bar, color.stroke_width(1))))?;
            } else {
                let end = |end: fn((f64, f64)) -> f64| {
                    sampled_indices.iter().map(move |&place| (curve.points[place].0, end(curve.band[place])))
                };
                let band: Vec<_> = end(|band| band.0).chain(end(|band| band.1).rev()).collect();
                chart.draw_series([Polygon::new(band, color.mix(0.15))])?;
            }
            let line = sampled_indices.iter().map(|&place| curve.points[place]);
            chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
        }
        let top = chart.plotting_area().get_pixel_range().1.start;
        for ((name, color), line) in legend.0.iter().zip(0..) {
            let y = top + LINE * line + LINE / 2;
            margin.draw(&PathElement::new([(0, y), (18, y)], color.stroke_width(3)))?;
            // The baseline of the text, so that it is beside the line in every font.
            let style = ("sans-serif", LETTERS).into_text_style(&margin);
            let style = style.pos(Pos::new(HPos::Left, VPos::Bottom));
            margin.draw(&Text::new(name.as_str(), (26, y + LETTERS / 2), style))?;
        }
        root.present()?;
        Ok(())
    }
}

/// The names beside the curves, with their colours. One curve alone needs none.
struct Legend(Vec<(String, RGBColor)>);

impl Legend {
    fn new(curves: &[&Curve]) -> Legend {
        if curves.len() < 2 {
            return Legend(Vec::new());
        }
        let named = curves.iter().zip(COLORS).map(|(curve, color)| (shortened(&curve.name), color));
        let others = curves.len().saturating_sub(COLORS.len());
        let others = (others > 0).then(|| (format!("{others} more"), GREY));
        Legend(named.chain(others).collect())
    }

    /// Its width in pixels, for letters of any usual font.
    fn width(&self) -> u32 {
        let longest = self.0.iter().map(|(name, _)| name.chars().count()).max();
        longest.map_or(0, |longest| 48 + 7 * longest as u32)
    }
}

/// A name, cut if it is too long.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The decimal places that tell labels apart on an axis of a given length.
fn digits(length: f64) -> usize {
    (1.0 - length.log10()).ceil().clamp(0.0, 9.0) as usize
}

/// A label with a number of decimal places. Zero has no sign.
fn label(value: f64, digits: usize) -> String {
    let label = format!("{value:.digits$}");
    if label.parse() == Ok(0.0) { format!("{:.digits$}", 0.0) } else { label }
}

/// The indices of the drawn points of a curve, about `resolution`, with the last one.
fn sampled_indices(points: usize, resolution: usize) -> impl Iterator<Item = usize> {
    let step = points.div_ceil(resolution.max(1)).max(1);
    (0..points).filter(move |place| place % step == 0 || place + 1 == points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(curves: Vec<Curve>) -> Chart<'static> {
        Chart { title: "A title", x: "right", y: "up", range: None, level: None, curves }
    }

    #[test]
    fn a_chart_shows_its_names_and_every_curve_with_points() {
        let curve = |name: &str, points| Curve { name: name.to_owned(), points, band: Vec::new() };
        let line = (0..5000).map(|x| (f64::from(x), f64::from(x) * 0.5)).collect();
        let svg = chart(vec![
            curve("one", line),
            curve("two", vec![(0.0, -3.0), (10.0, 3.0)]),
            curve("none", vec![]),
        ]);
        let svg = svg.to_svg().unwrap();
        for text in ["A title", "right", "up", "one", "two"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("none\n"), "{svg}");
        assert!(svg.len() < 100_000, "5,000 points are thinned out: {}", svg.len());
    }

    #[test]
    fn few_intervals_are_bars_and_many_a_band() {
        let svg = |points: i32| {
            let points = (1..=points).map(|x| (f64::from(x), 0.0));
            let curve = Curve { band: points.clone().map(|_| (-1.0, 50.0)).collect(), ..Curve::default() };
            chart(vec![Curve { points: points.collect(), ..curve }]).to_svg().unwrap()
        };
        let color = "stroke=\"#0072B2\"";
        let (bars, band) = (svg(3), svg(100));
        assert_eq!((bars.matches(color).count(), bars.matches("<polygon").count()), (3 + 1, 0));
        assert_eq!((band.matches(color).count(), band.matches("<polygon").count()), (1, 1));
        assert!(bars.contains(">\n50\n"), "the axis holds the intervals: {bars}");
    }

    #[test]
    fn an_empty_chart_is_an_error() {
        assert_eq!(chart(Vec::new()).to_svg(), Err(ChartError::Empty));
        let origin = Curve { points: vec![(0.0, 1.0)], ..Curve::default() };
        assert_eq!(chart(vec![origin]).to_svg(), Err(ChartError::Empty));
    }

    #[test]
    fn the_curves_after_the_eighth_are_grey_and_counted() {
        let curve = |number: i32| Curve {
            name: format!("curve {number}"),
            points: vec![(0.0, 0.0), (1.0, f64::from(number))],
            ..Curve::default()
        };
        let svg = |count: i32| chart((1..=count).map(curve).collect()).to_svg().unwrap();
        let (eight, many) = (svg(8), svg(20));
        assert!(eight.contains("curve 8") && !eight.contains("more"), "{eight}");
        assert!(many.contains("curve 8") && many.contains("12 more") && !many.contains("curve 9"), "{many}");
        // A line in the plot and one in the legend for each name; one in the legend for all others.
        let lines = |svg: &str, color: RGBColor| {
            let color = format!("stroke=\"#{:02X}{:02X}{:02X}\"", color.0, color.1, color.2);
            svg.matches(&color).count()
        };
        assert_eq!((lines(&eight, GREY), lines(&many, GREY)), (0, 12 + 1));
        assert_eq!(lines(&many, COLORS[0]), 2);
    }

    #[test]
    fn the_legend_stands_beside_the_curves() {
        let curve = |name: String| Curve { name, points: vec![(0.0, 0.0), (1.0, 1.0)], ..Curve::default() };
        let svg = chart(vec![curve("first".to_owned()), curve("x".repeat(100))]).to_svg().unwrap();
        let mut names = svg.split("<text ").filter(|text| text.contains("first") || text.contains("xxx"));
        let x = |text: &str| -> u32 {
            let x = text.split(' ').find_map(|word| word.strip_prefix("x=\"")?.strip_suffix('"'));
            x.unwrap().parse().unwrap()
        };
        assert!(names.all(|text| x(text) > SIZE.0), "{svg}");
        assert!(svg.contains(&format!(">\n{}…", "x".repeat(MAX_NAME))), "a long name is cut: {svg}");
        assert!(chart(vec![curve("first".to_owned())]).to_svg().unwrap().contains("width=\"880\""));
    }

    #[test]
    fn labels_are_told_apart() {
        for (length, value, text) in
            [(100.0, 50.0, "50"), (8.0, -1e-17, "0.0"), (0.5, -0.25, "-0.25"), (1e9, -0.0, "0")]
        {
            assert_eq!(label(value, digits(length)), text);
        }
    }

    #[test]
    fn the_last_point_is_always_drawn() {
        assert_eq!(sampled_indices(3, 1000).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(sampled_indices(0, 1000).count(), 0);
        assert_eq!(sampled_indices(2002, 1000).last(), Some(2001));
    }
}
