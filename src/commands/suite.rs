//! `labrys suite`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;

use crate::commands::shared::LimitArguments;
use crate::commands::shared::suggest;
use crate::commands::shared::values::whole;
use crate::engine::suite::{self, SuitePosition, SuiteResult};
use crate::engine::{Engine, Settings, registry};
use crate::game::{MoveError, counted};
use crate::protocol::text;
use crate::search::Bound;

/// Searches the positions of a test suite and counts those in which the right move is found.
#[derive(Debug, clap::Args)]
pub(super) struct SuiteArguments {
    /// The suite: EPD with `bm`, `am`, `dm`, or points of moves in `c0` or `c8` and `c9`
    file: PathBuf,
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    variant: String,
    #[command(flatten)]
    limits: LimitArguments,
    /// Set an option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    option: Vec<(String, String)>,
    /// Fail if fewer positions are solved
    #[arg(long, value_name = "N", value_parser = whole::<usize>(..))]
    require: Option<usize>,
    /// Fail at the first invalid line instead of skipping it
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The maximum number of invalid lines that are reported one by one.
const MAX_REPORTED: usize = 20;

/// The result of a suite.
#[derive(Debug, Default, Serialize)]
struct Report {
    complete: bool,
    solved: usize,
    points: u64,
    most_points: u64,
    nodes: u64,
    seconds: f64,
    left_out: usize,
    positions: Vec<Row>,
}

/// The result of a position.
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    line: usize,
    fen: String,
    expected: String,
    found: Option<String>,
    score: Option<String>,
    solved: bool,
    /// Depth, nodes and time until it was solved, or of the whole search.
    depth: u32,
    nodes: u64,
    seconds: f64,
    points: u32,
    most_points: u32,
}

pub(super) fn run(arguments: &SuiteArguments) -> anyhow::Result<()> {
    let name = arguments.file.display();
    // Only the search is timed.
    let settings = Settings { move_overhead: 0, ..Settings::default() };
    let mut engine = registry::engine(&arguments.variant, &settings)?;
    crate::commands::shared::set_options(engine.as_mut(), &arguments.option)?;
    let text = labrys_support::text::read(&arguments.file).with_context(|| format!("cannot read {name}"))?;
    if text.trim_start().starts_with("[Event ") {
        bail!("suite {name}: games in PGN, expected positions in EPD");
    }
    let (mut positions, mut report, mut others) = (Vec::new(), Report::default(), Vec::new());
    for line in suite::read(&text, engine.board_mut()) {
        match line {
            Ok(position) => positions.push(position),
            Err(error) if arguments.strict => bail!("suite {name}, {error}"),
            Err(error) => {
                report.left_out += 1;
                let other = error.other_game();
                // A suite of another game consists of such lines, and any other file has many invalid ones.
                if report.left_out <= MAX_REPORTED && other.is_none_or(|other| !others.contains(&other)) {
                    let all = if other.is_some() { ", as are all others like it" } else { "" };
                    print_message!("labrys: suite {name}, {error}; left out{all}");
                    others.extend(other);
                }
            }
        }
    }
    if report.left_out > MAX_REPORTED && others.is_empty() {
        print_message!("labrys: suite {name}: {} left out", counted(report.left_out, "line"));
    }
    if positions.is_empty() {
        bail!("suite {name}: no position in it");
    }

    let control = crate::commands::shared::interruptible()?;
    let limits = arguments.limits.limits();
    let (start, mut out) = (Instant::now(), io::stdout());
    for position in &positions {
        let result = position.search(engine.as_mut(), &limits, &control)?;
        if control.is_stopped() {
            break;
        }
        let row = Row::new(position, &result, engine.as_ref())?;
        if !arguments.json {
            writeln!(out, "{}", row.text())?;
        }
        report.add(row, &result);
    }
    report.complete = report.positions.len() == positions.len();
    report.seconds = start.elapsed().as_secs_f64();
    match arguments.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => writeln!(out, "{}", report.text())?,
    }

    if !report.complete {
        bail!("interrupted after {} of {}", report.positions.len(), counted(positions.len(), "position"));
    }
    match arguments.require.filter(|&required| report.solved < required) {
        Some(required) => bail!("suite {name}: {} solved, {required} required", report.solved),
        None => Ok(()),
    }
}

impl Report {
    fn add(&mut self, row: Row, result: &SuiteResult) {
        self.solved += usize::from(row.solved);
        self.points += u64::from(row.points);
        self.most_points += u64::from(row.most_points);
        self.nodes += result.end.nodes;
        self.positions.push(row);
    }

    /// The totals, in two lines.
    fn text(&self) -> String {
        let mut sums = vec![format!("{} of {} solved", self.solved, self.positions.len())];
        if self.most_points > 0 {
            sums.push(format!("{} of {}", self.points, counted(self.most_points, "point")));
        }
        if self.left_out > 0 {
            sums.push(format!("{} left out", self.left_out));
        }
        let speed = text::speed(self.nodes, Duration::from_secs_f64(self.seconds));
        format!("{}\n{speed} {:.2} s", sums.join(", "), self.seconds)
    }
}

impl Row {
    /// `engine` has the position on its board.
    fn new(position: &SuitePosition, result: &SuiteResult, engine: &dyn Engine) -> Result<Row, MoveError> {
        let moment = result.solved.unwrap_or(result.end);
        Ok(Row {
            id: position.id.clone(),
            line: position.line,
            fen: position.fen.clone(),
            expected: position.goal.describe(engine.board())?,
            found: result.found.as_ref().map(|mv| engine.board().san(mv)).transpose()?,
            score: result.score.map(|score| match result.bound {
                Bound::Exact => score.to_string(),
                Bound::Lower => format!("{score} lowerbound"),
                Bound::Upper => format!("{score} upperbound"),
            }),
            solved: result.solved.is_some(),
            depth: moment.depth,
            nodes: moment.nodes,
            seconds: moment.time.as_secs_f64(),
            points: result.points,
            most_points: position.most_points(),
        })
    }

    fn text(&self) -> String {
        let Row { id, expected, depth, nodes, seconds, .. } = self;
        let found = self.found.as_deref().unwrap_or("none");
        let score = self.score.as_ref().map_or(String::new(), |score| format!(" ({score})"));
        let verdict = if self.solved { "ok" } else { "WRONG" };
        let points = match self.most_points {
            0 => String::new(),
            most => format!(", {} of {}", self.points, counted(most, "point")),
        };
        format!(
            "{id}: {expected}, found {found}{score}: {verdict}{points}, depth {depth}, {}, {seconds:.3} s",
            counted(nodes, "node")
        )
    }
}
