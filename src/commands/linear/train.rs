//! `labrys linear train`.

mod arguments;

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

pub(in crate::commands) use self::arguments::LinearTrainArguments;
use self::arguments::START;
use crate::arena::{Pairs, Rules};
use crate::commands::shared::progress::Progress;
use crate::commands::shared::steps::{self, Step};
use crate::commands::shared::typed::commands;
use crate::commands::shared::{SMALL_HASH, interruptible, set_weights};
use crate::engine::Playable;
use crate::engine::{Engine, TypedEngine, WeightsSource};
use crate::game::{Wdl, counted};
use crate::learn::play::{Agent, SearchLimit};
use crate::learn::run_folder::{RunError, RunFolder};
use crate::learn::{Trainer, TrainingGame, TrainingState, Worker};

/// Time between two checkpoints.
const CHECKPOINTS: Duration = Duration::from_secs(20);

pub(in crate::commands) fn run(arguments: &LinearTrainArguments) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    arguments.check(&rules)?;
    commands(&rules.variant)?.train(Training { arguments, rules: &rules })
}

/// A training, to be dispatched on the type of the game.
pub(in crate::commands) struct Training<'a> {
    arguments: &'a LinearTrainArguments,
    rules: &'a Rules,
}

impl Training<'_> {
    /// Runs the training for the game `G`.
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let arguments = self.arguments;
        let threads = crate::commands::shared::threads(arguments.threads);
        let workers = (0..threads).map(|_| self.worker::<G>()).collect::<anyhow::Result<Vec<_>>>()?;
        let start = self.start::<G>()?;
        let start = start.weights();
        let (set, rivals) = (&G::SETS[start.set()], arguments.rivals());
        let names = set.features;
        let out = || format!("--out {}", arguments.out.display());
        let settings = arguments.result_arguments(set.name)?;
        let folder = RunFolder::<TrainingState>::open(&arguments.out, settings.clone()).with_context(out)?;
        // The state is written first, since the curve is derived from it.
        let write = |state: &TrainingState| -> Result<(), RunError> {
            folder.write(state)?;
            folder.put_report(state.report(names, &rivals))
        };
        let resume = arguments.resume || arguments.step.resumes();
        // Several shards of a step may be played at once.
        let _claim = if arguments.step.writes() { Some(folder.claim()?) } else { None };
        let _part = arguments.step.claim_part()?;
        let state = match folder.read(resume)? {
            Some(state) => {
                let weights = &arguments.weights;
                ensure!(
                    state.start == start.values(),
                    "--weights {weights}: the training in {} started with other weights",
                    arguments.out.display()
                );
                state
            }
            None => TrainingState::new(start.values().to_vec(), arguments.new_learner(names.len())),
        };
        let control = interruptible()?;

        let mut trainer = Trainer::new(arguments.settings(), workers, state.clone()).context("checkpoint")?;
        let round = trainer.next_round();
        let step = Step { arguments: &settings, state: &state, games: round.end - round.start };
        if arguments.step.next {
            return Ok(step.print(state.games)?);
        }
        if let Some((shard, path)) = arguments.step.shard() {
            ensure!(!round.is_empty(), "--shard {shard}: all games are played");
            let part = step.part(shard)?;
            let numbers = part.numbers();
            let games = trainer.play(round.start + numbers.start..round.start + numbers.end, &control);
            return steps::write(path, part, &games.context("interrupted, nothing is written")?);
        }
        match arguments.step.parts() {
            Some(paths) => {
                ensure!(!round.is_empty(), "--parts: all games are played");
                let played = step.read(paths, |games: &Vec<TrainingGame>| games.len() as u64)?.concat();
                let is_complete = trainer.learn_from(&played, &control)?;
                ensure!(is_complete, "interrupted, nothing is learned: give the same --parts again");
            }
            None => {
                let mut progress = Progress::new("games", state.games, Some(arguments.games));
                let mut written = Instant::now();
                trainer.run(&control, |state| -> anyhow::Result<()> {
                    progress.update(state.games, || summary(state));
                    if written.elapsed() >= CHECKPOINTS {
                        written = Instant::now();
                        write(state)?;
                    }
                    Ok(())
                })?;
                progress.finish();
            }
        }
        let state = trainer.state();
        write(state)?;
        print_line!(
            "{}, {}, {}",
            counted(state.games, "game"),
            counted(state.steps, "move"),
            summary(state)
        )?;
        match arguments.games - state.games {
            0 => {}
            _ if arguments.step.parts().is_some() => return Ok(()),
            _ => bail!(
                "interrupted after {} of {}, use --resume to continue",
                state.games,
                counted(arguments.games, "game")
            ),
        }
        let result = match arguments.judge_games {
            0 => None,
            games => {
                let results = trainer.final_match(games, &control);
                Some(match_result(
                    &results.context("interrupted in the final match, use --resume to play it again")?,
                ))
            }
        };
        let source = arguments.source(&settings, result.as_deref())?;
        let weights = start.learned(&trainer.state().weights, source)?;
        let path = folder.put("weights.json", weights.to_json() + "\n")?;
        print_line!("{}", result.unwrap_or_else(|| format!("weights: {}", path.display())))?;
        Ok(())
    }

    /// An engine with a small transposition table, `options` and the feature set. `flag` is the flag of the
    /// options, for error messages.
    fn engine<G: Playable>(
        &self,
        options: &[(String, String)],
        flag: &str,
    ) -> anyhow::Result<Box<dyn TypedEngine<G>>> {
        let mut engine = self.rules.typed_engine()?;
        engine.set_option("Hash", SMALL_HASH)?;
        engine.set_option("Evaluation", "linear")?;
        for (name, value) in options {
            engine.set_option(name, value).with_context(|| flag.to_owned())?;
        }
        if let Some(set) = &self.arguments.set {
            engine.set_option("FeatureSet", set).context("--set")?;
        }
        Ok(engine)
    }

    /// The learner's engine with its initial weights.
    fn start<G: Playable>(&self) -> anyhow::Result<Box<dyn TypedEngine<G>>> {
        let mut engine = self.engine(&self.arguments.search, "--search")?;
        set_source(engine.as_mut(), "--weights", &self.arguments.weights)?;
        Ok(engine)
    }

    /// The engine of a rival.
    fn rival<G: Playable>(&self, name: &str) -> anyhow::Result<Box<dyn TypedEngine<G>>> {
        if name == START {
            return self.start();
        }
        let mut engine = self.engine(&self.arguments.search, "--search")?;
        match name {
            "random" => engine.set_option("SearchMode", "random").map(drop)?,
            source => set_source(engine.as_mut(), "--rival", source)?,
        }
        Ok(engine)
    }

    /// The engine of the opponent.
    fn opponent<G: Playable>(&self) -> anyhow::Result<Box<dyn TypedEngine<G>>> {
        let LinearTrainArguments { search, opponent_search, opponent, weights, .. } = self.arguments;
        let mut engine = match opponent_search.as_slice() {
            [] => self.engine(search, "--search")?,
            options => self.engine(options, "--opponent-search")?,
        };
        match opponent.as_str() {
            "clone" => {}
            START => set_source(engine.as_mut(), "--weights", weights)?,
            source => set_source(engine.as_mut(), "--opponent", source)?,
        }
        Ok(engine)
    }

    /// The agents of one thread.
    fn worker<G: Playable>(&self) -> anyhow::Result<Worker<G>> {
        let [limit, opponent_budget] = self.arguments.limits();
        let agent = |engine, limit: SearchLimit| Agent { engine, limit };
        let opponent = agent(self.opponent()?, opponent_budget);
        let learner = agent(self.start()?, limit);
        let start = learner.engine.game().clone();
        let again = agent(self.start()?, limit);
        let rival = |name: &String| Ok(agent(self.rival(name)?, limit));
        let rivals = self.arguments.rivals().iter().map(rival).collect::<anyhow::Result<_>>()?;
        Ok(Worker { start, agents: [learner, opponent], learner: again, rivals })
    }
}

/// Sets the weights of an engine, named by the value of an argument: `default`, `zeros`, `ones`, or a file.
fn set_source(engine: &mut dyn Engine, argument: &str, word: &str) -> anyhow::Result<()> {
    let all = |value: &str| WeightsSource::Values(vec![value.to_owned(); engine.weights().values().len()]);
    let source = match word {
        "default" => WeightsSource::Default,
        "zeros" => all("0"),
        "ones" => all("1"),
        path => WeightsSource::File(path.to_owned()),
    };
    set_weights(engine, &source, (argument, word), true)
}

/// The state of a training in one line.
fn summary(state: &TrainingState) -> String {
    let [won, drawn, lost] = state.results;
    let change = state.curve.last().map_or(String::from("–"), |point| format!("{:.4}", point.change));
    let score = state.comparisons.last().and_then(|last| last.scores.first());
    let score = score.map_or(String::new(), |score| format!(", {:.1} % against the start", 100.0 * score));
    let singular = match state.singular {
        0 => String::new(),
        periods => format!(", {} without a solution", counted(periods, "period")),
    };
    format!("{}, change {change}, +{won} ={drawn} -{lost}{score}{singular}", counted(state.clones, "clone"))
}

/// The result of the final match in one line.
fn match_result(results: &[[Wdl; 2]]) -> String {
    let mut pairs = Pairs::default();
    results.iter().for_each(|&[first, second]| pairs.add(first, second));
    let [lost, drawn, won] = pairs.games;
    format!(
        "against the weights at the start: {} games, +{won} ={drawn} -{lost}, score {:.1} %, {}",
        2 * pairs.count(),
        100.0 * pairs.mean(),
        pairs.elo()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_of_lost_games_is_none() {
        let result = match_result(&[[Wdl::Loss; 2]; 2]);
        assert!(result.contains(": 4 games, +0 =0 -4, score 0.0 %, Elo "), "{result}");
    }
}
