//! `labrys linear tune`.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use serde_json::json;

use crate::arena::pgn::{PgnGame, PgnMove};
use crate::commands::shared::made_by::made_by;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::records::{self, Strictness};
use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::{fraction, non_negative, whole};
use crate::commands::shared::{check_distinct, names, set_weights};
use crate::engine::Playable;
use crate::engine::registry;
use crate::engine::{GameState, Settings, WeightsSource};
use crate::files::write_atomically;
use crate::game::counted;
use crate::learn::logistic::{self, Epoch, LogisticSettings};
use crate::learn::nnue::games::{GamesError, read_games, read_header};
use crate::learn::{RecordedGame, Samples};
use crate::search::Control;

/// Fits the weights of an evaluation to the results of games, by logistic regression over their quiet
/// positions.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LinearTuneArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    variant: String,
    /// The feature set [default: that of --weights, or the first of the game]
    #[arg(long)]
    set: Option<String>,
    /// Weights file with the initial weights [default: the shipped weights]
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// PGN file, as written by `labrys match --pgnout`, or file of self-play games; may be given several
    /// times
    #[arg(long, value_name = "FILE", required = true)]
    games: Vec<PathBuf>,
    /// Output file for the weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of passes over all positions
    #[arg(
        long,
        default_value_t = LogisticSettings::default().epochs,
        value_parser = whole::<u32>(1..)
    )]
    epochs: u32,
    /// Initial learning rate of Adam, in units of a weight
    #[arg(long, default_value_t = LogisticSettings::default().rate, value_parser = non_negative)]
    rate: f64,
    /// Strength of the L2 regularization towards the initial weights
    #[arg(long, default_value_t = LogisticSettings::default().l2, value_parser = non_negative)]
    pull: f64,
    /// Weight of the search score in the target, from 0 to 1; the rest is the result of the game
    #[arg(long, default_value_t = LogisticSettings::default().blend, value_parser = fraction)]
    blend: f64,
    /// Seed of the order of the positions and of the choice of held-out games
    #[arg(long, default_value_t = LogisticSettings::default().seed, value_parser = whole::<u64>(..))]
    seed: u64,
    #[command(flatten)]
    strictness: Strictness,
}

pub(in crate::commands) fn run(arguments: &LinearTuneArguments) -> anyhow::Result<()> {
    let _claim = crate::commands::shared::claim(&arguments.out)?;
    commands(&arguments.variant)?.tune(arguments)
}

impl LinearTuneArguments {
    /// Runs the regression for the game `G`.
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let mut engine = G::engine(&Settings::default());
        if let Some(set) = &self.set {
            engine.set_option("FeatureSet", set)?;
        }
        if let Some(path) = &self.weights {
            let source = WeightsSource::File(path.clone());
            set_weights(engine.as_mut(), &source, ("--weights", path), self.set.is_some())?;
        }
        let (mut game, start) = (engine.game().clone(), engine.weights());
        let control = crate::commands::shared::interruptible()?;

        let (samples, games) = read_samples(self, &mut game, start.set(), &control)?;
        let settings = LogisticSettings {
            epochs: self.epochs,
            rate: self.rate,
            l2: self.pull,
            blend: self.blend,
            seed: self.seed,
            ..LogisticSettings::default()
        };
        let mut progress = Progress::new("epochs", 0, Some(settings.epochs.into()));
        let (mut first, mut last) = (None, 0);
        let fit = logistic::fit(&samples, start.values(), &settings, &control, &mut |epoch| {
            first.get_or_insert(epoch);
            last = epoch.number;
            let Epoch { number, training, held_out } = epoch;
            let errors = format!("error {training:.5}, held out {held_out:.5}");
            log::info!("epoch {number}: {errors}");
            progress.update(number.into(), || errors);
        });
        progress.finish();
        let (Some(fit), Some(first)) = (fit, first) else {
            bail!("{}: too few quiet positions, {}", names(&self.games), samples.len())
        };
        let is_complete = !control.is_stopped() || last == settings.epochs;
        ensure!(is_complete || last > 0, "interrupted in the first epoch, nothing written");
        let error = format!("held-out error {:.5} (before: {:.5})", fit.epoch.held_out, first.held_out);
        let made_by = made_by(&json!({
            "variant": self.variant, "set": start.set_name(), "weights": self.weights, "games": self.games,
            "epochs": self.epochs, "rate": self.rate, "pull": self.pull, "blend": self.blend, "seed": self.seed,
        }))?;
        let source = format!(
            "logistic regression over {} quiet positions of {games} games, seed {}: {error}; {made_by}",
            samples.len(),
            self.seed
        );
        let weights = start.learned(&fit.weights, source)?;
        write_atomically(&self.out, &(weights.to_json() + "\n"))
            .with_context(|| self.out.display().to_string())?;
        print_line!(
            "{}, {}, scale {:.3} per unit",
            counted(games, "game"),
            counted(samples.len(), "quiet position"),
            fit.scale
        )?;
        print_line!("epoch {}: {error}", fit.epoch.number)?;
        ensure!(is_complete, "interrupted after {last} of {} epochs", settings.epochs);
        Ok(())
    }
}

/// Reads the quiet positions of all games; the second value is the number of games.
fn read_samples<G: Playable>(
    arguments: &LinearTuneArguments,
    game: &mut GameState<G>,
    set: usize,
    control: &Control,
) -> anyhow::Result<(Samples, usize)> {
    let (mut samples, mut games) = (Samples::default(), 0);
    // Games of the training would be held out as well.
    check_distinct("--games", &arguments.games)?;
    for path in &arguments.games {
        if read_header(path)?.is_some() {
            let (header, played) = read_games::<G>(path)?;
            let refuse = |problem| GamesError { path: path.clone(), problem };
            samples.add_played::<G>(set, &header, &played).map_err(refuse)?;
            games += played.len();
            continue;
        }
        let mut records = records::open(path, arguments.strictness, control)?;
        while let Some(record) = records.next()? {
            match add_game(&arguments.variant, &record, game, set, &mut samples) {
                Ok(()) => games += 1,
                Err(error) => records.refuse(&record, Some(&arguments.variant), error)?,
            }
        }
    }
    Ok((samples, games))
}

/// Adds the quiet positions of a game.
fn add_game<G: Playable>(
    variant: &str,
    record: &PgnGame,
    game: &mut GameState<G>,
    set: usize,
    samples: &mut Samples,
) -> anyhow::Result<()> {
    let end = record.end.as_ref().context("the game was not finished")?;
    let mut board = record.board(Some(variant))?;
    let moves = record.replay_to_result(board.as_mut())?;
    let (opening, moves) = moves.split_at(record.opening.moves.len());
    let scores: Vec<_> = record.moves.iter().map(PgnMove::score).collect();
    let fen = record.opening.set_up_fen();
    samples.add_game(
        set,
        game,
        &RecordedGame { fen, opening, moves, scores: &scores, winner: end.winner },
    )?;
    Ok(())
}
