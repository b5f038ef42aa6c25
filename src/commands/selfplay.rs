//! `labrys selfplay`.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

use super::progress::Progress;
use super::{RulesArguments, interruptible, parse_plies};
use crate::engine::registry::{self, GameVisitor};
use crate::engine::{Engine, Play, Session, Settings, Thinker};
use crate::game::Playable;
use crate::learn::nnue::games::{GamesHeader, GamesWriter};
use crate::learn::nnue::generation::{GenerationSettings, Played, generate};

/// Size of the transposition table of a thread in MiB. The searches are short.
const HASH: &str = "1";

/// Plays games for `labrys nnue train`. A file that exists is gone on with.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// Number of games that the file is to have
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of everything random: files with different seeds have different games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random plies at the beginning of each game, N or N-M
    #[arg(long, value_name = "N", default_value = "6-9", value_parser = parse_plies)]
    random_plies: RangeInclusive<usize>,
    /// Play by the linear evaluation with its shipped weights
    #[arg(long, conflicts_with_all = ["weights", "net"])]
    linear: bool,
    /// Play by the linear evaluation with the weights of a file
    #[arg(long, value_name = "FILE", conflicts_with = "net")]
    weights: Option<String>,
    /// Play by an evaluation net
    #[arg(long, value_name = "FILE")]
    net: Option<String>,
    /// Threads [default: as many as the machine has]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// The file of the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    registry::dispatch(&arguments.rules.rules()?.variant, arguments)?
}

impl Arguments {
    /// A thinker with its evaluation, and the start position.
    fn session<G: Playable>(&self) -> anyhow::Result<(Play<G>, Thinker<G>)> {
        let mut session = Session::<G>::new(&Settings::default());
        session.set_option("Hash", HASH)?;
        if let Some((name, value)) = &self.rules.option {
            session.set_option(name, value)?;
        }
        if self.linear {
            session.set_option("Evaluation", "linear")?;
        }
        if let Some(path) = &self.weights {
            session.set_option("WeightsFile", path)?;
        }
        if let Some(path) = &self.net {
            session.set_option("EvalFile", path)?;
            session.check_net()?;
        }
        Ok(session.into_parts())
    }
}

impl GameVisitor for &Arguments {
    type Output = anyhow::Result<()>;

    fn visit<G: Playable>(self) -> anyhow::Result<()> {
        let (start, thinker) = self.session::<G>()?;
        let random_plies = (*self.random_plies.start(), *self.random_plies.end());
        let (nodes, seed) = (self.nodes, self.seed);
        let evaluation = thinker.evaluation_name(start.position());
        let header = GamesHeader::new(start.position(), evaluation, nodes, random_plies, seed);
        let mut writer = GamesWriter::open::<G>(&self.out, &header)?;
        let threads = super::threads(self.threads);
        let thinkers =
            (0..threads).map(|_| Ok(self.session::<G>()?.1)).collect::<anyhow::Result<Vec<_>>>()?;
        let settings = GenerationSettings { nodes, random_plies: self.random_plies.clone(), seed };
        let control = interruptible()?;
        let begin = Instant::now();
        let mut progress = Progress::new("games", writer.games(), Some(self.games));
        let mut played = Played { games: writer.games(), positions: 0 };
        let mut report = |now: Played| {
            played = now;
            let rate = now.positions as f64 / begin.elapsed().as_secs_f64();
            progress.update(now.games, || format!("{} positions, {rate:.0}/s", now.positions));
        };
        generate(&start, thinkers, &settings, self.games, &mut writer, &control, &mut report)?;
        progress.finish();
        let (games, path) = (writer.games(), self.out.display());
        println!("{path}: {games} games, {} positions added", played.positions);
        Ok(())
    }
}
