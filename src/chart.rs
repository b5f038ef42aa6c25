//! Line charts, as SVG.

use std::ops::Range;

use plotters::prelude::*;
use thiserror::Error;

/// Width and height of a picture in pixels.
const SIZE: (u32, u32) = (960, 540);

/// Points of a curve; more cannot be told apart.
const RESOLUTION: usize = 1000;

/// A line chart.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// Its title.
    pub title: &'a str,
    /// Label of the horizontal axis.
    pub x: &'a str,
    /// Label of the vertical axis.
    pub y: &'a str,
    /// The values that it shows upwards; what the curves need where it is not given.
    pub range: Option<Range<f64>>,
    /// A value that a level line marks.
    pub level: Option<f64>,
    /// The curves; those without points are left out.
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
            let (low, high) =
                points().fold((0.0, 0.0), |(low, high), point| (point.1.min(low), point.1.max(high)));
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
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..right, range)?;
        let digits = if right > 10.0 { 0 } else { 1 };
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&|x| format!("{x:.digits$}"))
            .light_line_style(WHITE)
            .draw()?;
        if let Some(level) = self.level {
            chart.draw_series(LineSeries::new([(0.0, level), (right, level)], BLACK.mix(0.5)))?;
        }
        for (curve, index) in curves.iter().zip(0..) {
            let color = Palette99::pick(index).to_rgba();
            let places: Vec<_> = places(curve.points.len()).collect();
            if !curve.band.is_empty() {
                let end = |end: fn((f64, f64)) -> f64| {
                    places.iter().map(move |&place| (curve.points[place].0, end(curve.band[place])))
                };
                let band: Vec<_> = end(|band| band.0).chain(end(|band| band.1).rev()).collect();
                chart.draw_series([Polygon::new(band, color.mix(0.15))])?;
            }
            let line = places.iter().map(|&place| curve.points[place]);
            chart
                .draw_series(LineSeries::new(line, color.stroke_width(2)))?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        if curves.len() > 1 {
            let mut labels = chart.configure_series_labels();
            labels.position(SeriesLabelPosition::UpperRight).background_style(WHITE.mix(0.8)).draw()?;
        }
        root.present()?;
        Ok(())
    }
}

/// The points of a curve of so many that are drawn, the last one among them.
fn places(points: usize) -> impl Iterator<Item = usize> {
    let step = points.div_ceil(RESOLUTION).max(1);
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
    fn nothing_is_no_picture() {
        assert_eq!(chart(Vec::new()).to_svg(), Err(ChartError::Empty));
        let origin = Curve { points: vec![(0.0, 1.0)], ..Curve::default() };
        assert_eq!(chart(vec![origin]).to_svg(), Err(ChartError::Empty));
    }

    #[test]
    fn the_last_point_is_always_drawn() {
        assert_eq!(places(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(places(0).count(), 0);
        assert_eq!(places(2002).last(), Some(2001));
    }
}
