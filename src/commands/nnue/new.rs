//! `labrys nnue new`.

use std::path::PathBuf;

use super::Sizes;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{RulesArguments, claim};
use crate::engine::Playable;
use crate::eval::nnue::{EvalNet, EvalNetSizes};
use crate::game::InputShape;
use crate::learn::save_eval_net;

/// Writes a net with random parameters.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueNewArguments {
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    sizes: Sizes,
    /// Seed of the random parameters
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &NnueNewArguments) -> anyhow::Result<()> {
    commands(&arguments.rules.variant)?.new_eval_net(arguments)
}

impl NnueNewArguments {
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let _claim = claim(&self.out)?;
        let play = self.rules.rules()?.start::<G>()?;
        let sizes = self.sizes.of(play.position())?;
        let net = EvalNet::random_of_sizes(sizes, self.seed);
        save_eval_net::<G>(&net, &self.out)?;
        let EvalNetSizes { inputs: InputShape { files, ranks, inputs }, buckets, hidden, outputs } = sizes;
        let times = if buckets == 1 { String::new() } else { format!(" in {buckets} buckets") };
        let path = self.out.display();
        print_line!(
            "a net for {} on {files}×{ranks}, {inputs}{times} → {hidden} × 2 → {outputs}: {path}",
            G::info().name
        )?;
        Ok(())
    }
}
