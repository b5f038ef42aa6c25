//! `labrys nnue rescore`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::selfplay::{check_soft_nodes, new_engine};
use crate::arena::Rules;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{interruptible, version};
use crate::engine::Playable;
use crate::game::counted;
use crate::learn::nnue::games::{GamesWriter, count_games, read_header, start_of};
use crate::learn::nnue::rescore::rescore;
use crate::learn::play::SearchLimit;

/// Scores the positions of games of `labrys nnue selfplay` anew, such as by a better net: moves and results
/// stay. An existing file is continued.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueRescoreArguments {
    /// The games
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Nodes for each position at most
    #[arg(long, default_value_t = 1_000, value_parser = whole::<u64>(1..))]
    nodes: u64,
    /// Nodes for each position after which the search begins no further iteration [default: only `--nodes`
    /// counts]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    soft_nodes: Option<u64>,
    /// Score with an evaluation net [default: the evaluation of the game]
    #[arg(long, value_name = "FILE")]
    net: Option<String>,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
    /// Output file of the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &NnueRescoreArguments) -> anyhow::Result<()> {
    let NnueRescoreArguments { data, nodes, soft_nodes, .. } = arguments;
    check_soft_nodes(*soft_nodes, *nodes)?;
    let header =
        read_header(data)?.with_context(|| format!("--data {}: no self-play games", data.display()))?;
    commands(&header.game)?.rescore(arguments)
}

impl NnueRescoreArguments {
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let NnueRescoreArguments { data, nodes, soft_nodes, net, threads, out } = self;
        let control = interruptible()?;
        let games = count_games::<G>(data)?;
        let header = read_header(data)?.with_context(|| format!("--data {}", data.display()))?;
        let option = G::info().option.zip(header.option.clone());
        let rules = Rules::new(&header.game, option.map(|(option, value)| (option.name.to_owned(), value)))?;
        let evaluation = net.as_deref().map(|path| ("EvalFile", path));
        let threads = crate::commands::shared::threads(*threads);
        let engines =
            (0..threads).map(|_| new_engine::<G>(&rules, evaluation)).collect::<anyhow::Result<Vec<_>>>()?;
        let start = rules.start::<G>()?;
        let first: G = start_of(&header)?;
        let evaluation = engines.first().map(|engine| engine.evaluation_name(&first));
        let mut header = header.rescored(evaluation.unwrap_or_default(), *nodes, *soft_nodes);
        header.program = Some(version::program());
        let mut writer = GamesWriter::open::<G>(out, &header)?;
        if let Some(mended) = writer.mended() {
            print_message!("labrys: warning: {mended}");
        }
        let limit = SearchLimit::of_nodes(*soft_nodes, *nodes);
        let mut progress = Progress::new("games", writer.games(), Some(games));
        let mut report = |done| progress.update(done, String::new);
        rescore(data, &start, engines, limit, &mut writer, &control, &mut report)?;
        progress.finish();
        print_line!("{}: {}", out.display(), counted(writer.games(), "game"))?;
        let is_complete = writer.games() >= games;
        ensure!(is_complete, "interrupted, run the same command to continue");
        Ok(())
    }
}
