//! `labrys analyse`.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::arena::analysis::{GameAnalysis, Mark, PlayerAnalysis, set_settings, settings_of};
use crate::arena::pgn::file::PgnFile;
use crate::arena::pgn::{PgnGame, PlayerTags};
use crate::arena::{EngineKind, EngineLimits, EngineSetup, Variation};
use crate::commands::games::replay::replay;
use crate::commands::shared::LimitArguments;
use crate::commands::shared::checksum::options_with_content;
use crate::commands::shared::records::{self, Strictness};
use crate::commands::shared::suggest;
use crate::engine::{Engine, Settings, registry};
use crate::game::{Color, counted, quote_path};
use crate::search::{Control, Limits};

/// The number of turning points printed for a game.
const TURNING_POINTS: usize = 3;

/// Searches every position of played games, marks the mistakes and reports the accuracy of both players.
#[derive(Debug, clap::Args)]
pub(super) struct AnalyseArguments {
    /// The PGN file
    file: PathBuf,
    #[command(flatten)]
    limits: LimitArguments,
    /// Write the games with scores, marks and better lines to this PGN file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Continue the file of --out, skipping the games that it contains
    #[arg(long, requires = "out")]
    resume: bool,
    /// The game [default: that of the `Variant` tag, or chess]
    #[arg(long, value_parser = suggest::game())]
    variant: Option<String>,
    /// Set an option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    option: Vec<(String, String)>,
    #[command(flatten)]
    strictness: Strictness,
    /// Print each game as a line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &AnalyseArguments) -> anyhow::Result<()> {
    let control = crate::commands::shared::interruptible()?;
    let mut records = records::open(&arguments.file, arguments.strictness, &control)?;
    let mut engine = engine(arguments.variant.as_deref().unwrap_or(registry::default_name()), arguments)?;
    let (limits, settings) = (arguments.limits.limits(), arguments.settings()?);
    let (mut file, done) = match &arguments.out {
        None => (None, Vec::new()),
        Some(path) if arguments.resume => {
            let (file, games) = PgnFile::resume(path).context("--resume")?;
            (Some(file), games)
        }
        Some(path) => {
            let hint = "use --resume to continue an analysis";
            (Some(crate::commands::shared::create_pgn(path, hint).context("--out")?), Vec::new())
        }
    };
    let (mut out, mut done) = (io::stdout(), done.into_iter());
    while let Some(mut game) = records.next()? {
        let number = records.number();
        if let Some(earlier) = done.next() {
            if essence(&earlier) != essence(&game) {
                bail!("--resume: game {number} is another one than in {}", arguments.file.display());
            }
            // One that could not be analysed, or that an earlier version has, has none.
            let found = settings_of(&earlier);
            if let Some(found) = found.filter(|&found| found != settings) {
                let [found, settings] = [found, &settings].map(quote_path);
                bail!("--resume: game {number} was analysed with {found}, not with {settings}");
            }
            let variant = arguments.variant.as_deref();
            if found.is_none()
                && let Err(error) = replay(&game, variant)
            {
                records.refuse(&game, variant, error)?;
            }
            continue;
        }
        let analysis = analyse(&game, arguments, &mut engine, &limits, &control);
        if control.is_stopped() {
            let hint = if file.is_some() { ", use --resume to continue" } else { "" };
            bail!("interrupted in game {number}{hint}");
        }
        match analysis {
            Ok(analysis) => {
                let summary = Summary::new(number, &game, &analysis);
                match arguments.json {
                    true => writeln!(out, "{}", serde_json::to_string(&summary)?)?,
                    false => write!(out, "{summary}")?,
                }
                analysis.annotate(&mut game, Some(&settings));
                game.set_opening_tags(arguments.variant.as_deref())?;
            }
            // Write the game, so that --resume can count games.
            Err(error) => {
                records.refuse(&game, arguments.variant.as_deref(), error)?;
                set_settings(&mut game, None);
            }
        }
        if let Some(file) = &mut file {
            file.append(&game).context("--out")?;
        }
    }
    if done.next().is_some() {
        bail!("--resume: more games than in {}", arguments.file.display());
    }
    match records.refused() {
        0 if records.number() == 0 => bail!("{}: no game in it", arguments.file.display()),
        0 => Ok(()),
        refused => bail!("{}: {} not analysed", arguments.file.display(), counted(refused, "game")),
    }
}

impl AnalyseArguments {
    /// The program, its options with the content of files, and its limits, as the tags of a match have them.
    fn settings(&self) -> anyhow::Result<String> {
        let setup = EngineSetup {
            kind: EngineKind::InProcess,
            options: options_with_content(&self.option, Path::new(""), "--option ")?,
            timeout: Duration::ZERO,
            restart: false,
            ponders: false,
        };
        let Limits { movetime: move_time, depth, nodes, .. } = self.limits.limits();
        let limits = EngineLimits { move_time, depth, nodes, ..EngineLimits::default() };
        Ok(format!("{setup}; {limits}"))
    }
}

/// What an analysis leaves of a game as it is: its players, its start and its moves.
fn essence(game: &PgnGame) -> (&[PlayerTags; 2], &Variation, Vec<&str>) {
    (&game.players, &game.opening, game.moves.iter().map(|mv| mv.text.as_str()).collect())
}

/// An engine with the options of the command line.
fn engine(variant: &str, arguments: &AnalyseArguments) -> anyhow::Result<Box<dyn Engine>> {
    let mut engine = registry::engine(variant, &Settings::default())?;
    crate::commands::shared::set_options(engine.as_mut(), &arguments.option)?;
    Ok(engine)
}

/// Analyses a game. `engine` is replaced if it plays another variant.
fn analyse(
    game: &PgnGame,
    arguments: &AnalyseArguments,
    engine: &mut Box<dyn Engine>,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<GameAnalysis> {
    let variant = game.board(arguments.variant.as_deref())?.variant();
    if engine.board().variant() != variant {
        *engine = self::engine(variant, arguments)?;
    }
    Ok(GameAnalysis::new(game, engine.as_mut(), limits, control)?)
}

/// The printed summary of a game.
#[derive(Serialize)]
struct Summary {
    game: u64,
    white: Player,
    black: Player,
    /// The moves with the largest losses.
    turning_points: Vec<TurningPoint>,
}

/// The summary of a player.
#[derive(Serialize)]
struct Player {
    name: String,
    moves: usize,
    /// Mean accuracy of a move, in percent.
    accuracy: f64,
    /// Total loss of expected points.
    loss: f64,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

/// A move with a large loss.
#[derive(Serialize)]
struct TurningPoint {
    /// The move with its number and mark.
    #[serde(rename = "move")]
    mv: String,
    /// The expected points of its player before and after it.
    before: f64,
    after: f64,
    best: Vec<String>,
}

impl Summary {
    fn new(number: u64, game: &PgnGame, analysis: &GameAnalysis) -> Summary {
        let player = |player: Color| {
            let PlayerAnalysis { moves, accuracy, loss, marks } = analysis.player(player);
            let [inaccuracies, mistakes, blunders] = marks;
            let name = game.players[player.index()].name.clone();
            Player { name, moves, accuracy, loss, inaccuracies, mistakes, blunders }
        };
        let turning_points = analysis.turning_points(TURNING_POINTS).into_iter().map(|at| {
            let mv = &analysis.moves[at];
            let [before, after] = mv.expected;
            let mark = mv.mark().map_or("", Mark::symbol);
            let number = game.move_number(game.opening.moves.len() + at);
            TurningPoint { mv: format!("{number} {}{mark}", mv.text), before, after, best: mv.best.clone() }
        });
        Summary {
            game: number,
            white: player(Color::White),
            black: player(Color::Black),
            turning_points: turning_points.collect(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { game, white, black, turning_points } = self;
        writeln!(f, "game {game}: {} – {}", white.name, black.name)?;
        for (color, player) in [("White", white), ("Black", black)] {
            let Player { moves, accuracy, loss, inaccuracies, mistakes, blunders, .. } = player;
            writeln!(
                f,
                "  {color}: accuracy {accuracy:.1} % over {}, {loss:.2} points given away, \
                 inaccuracies {inaccuracies}, mistakes {mistakes}, blunders {blunders}",
                counted(moves, "move")
            )?;
        }
        for TurningPoint { mv, before, after, best } in turning_points {
            let best = best.join(" ");
            writeln!(f, "  {mv}: expected points {before:.2} → {after:.2}, better {best}")?;
        }
        Ok(())
    }
}
