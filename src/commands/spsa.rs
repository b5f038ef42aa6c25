//! `labrys spsa`.

mod arguments;

use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

pub(super) use self::arguments::SpsaArguments;
use crate::arena::{Format, Results, Schedule, Tournament};
use crate::commands::shared::interruptible;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::steps::{self, Step};
use crate::game::counted;
use crate::learn::run_folder::RunFolder;
use crate::learn::spsa::{Side, Spsa, SpsaState};
use crate::search::{Constants, Control};

/// Time between two tables and charts.
const REPORTS: Duration = Duration::from_secs(20);

pub(super) fn run(arguments: &SpsaArguments) -> anyhow::Result<()> {
    let spsa = arguments.spsa()?;
    let mut tournament = arguments.tournament(&spsa)?;
    arguments.play.check_cores();
    let control = interruptible()?;
    tournament.check(&control)?;
    let out = || format!("--out {}", arguments.out.display());
    let settings = arguments.result_arguments(&spsa)?;
    let folder = RunFolder::<SpsaState>::open(&arguments.out, settings.clone()).with_context(out)?;
    let resume = arguments.resume || arguments.step.resumes();
    // Several shards of a step may be played at once.
    let _claim = if arguments.step.writes() { Some(folder.claim()?) } else { None };
    let _part = arguments.step.claim_part()?;
    let mut state = folder.read(resume)?.unwrap_or_else(|| spsa.start());
    let games = if state.iteration < spsa.iterations { 2 * arguments.pairs } else { 0 };
    let step = Step { arguments: &settings, state: &state, games };
    if arguments.step.next {
        return Ok(step.print(state.iteration)?);
    }

    let options = tournament.engines[0].setup.options.clone();
    let mut play = |rounds: Range<u64>, sides: &[Side; 2]| {
        for (engine, values) in tournament.engines.iter_mut().zip(sides) {
            let names = spsa.parameters.iter().map(|parameter| parameter.name.clone());
            let constants = names.zip(values.iter().map(i64::to_string));
            engine.setup.options = options.iter().cloned().chain(constants).collect();
        }
        match_of(&mut tournament, rounds, &control)
    };
    let rounds = |iteration: u64| iteration * arguments.pairs..(iteration + 1) * arguments.pairs;
    if let Some((shard, path)) = arguments.step.shard() {
        ensure!(state.iteration < spsa.iterations, "--shard {shard}: all iterations are finished");
        let part = step.part(shard)?;
        let (first, pairs) = (rounds(state.iteration).start, part.numbers());
        let games = play(first + pairs.start / 2..first + pairs.end / 2, &spsa.sides(&state))?;
        return steps::write(path, part, &games.context("interrupted, nothing is written")?);
    }
    let is_given = arguments.step.parts().is_some();
    let read = |paths| step.read(paths, |games: &[u64; 3]| games.iter().sum());
    let parts = arguments.step.parts().map(read).transpose()?;
    let mut given =
        parts.map(|parts| parts.iter().fold([0; 3], |sum, games| [0, 1, 2].map(|i| sum[i] + games[i])));

    let mut progress = Progress::new("iterations", state.iteration, Some(spsa.iterations));
    let mut written = Instant::now();
    let games = |iteration: u64, sides: &[Side; 2]| match is_given {
        true => Ok(given.take()),
        false => play(rounds(iteration), sides),
    };
    spsa.run(&mut state, games, |state| -> anyhow::Result<()> {
        progress.update(state.iteration, || spsa.summary(state));
        folder.write(state)?;
        if written.elapsed() >= REPORTS {
            written = Instant::now();
            folder.put_report(spsa.report(state))?;
        }
        Ok(())
    })?;
    progress.finish();
    // A report without a state would be one of a run that has lost it.
    folder.write(&state)?;
    folder.put_report(spsa.report(&state))?;
    print_line!("{}, {}", counted(state.iteration, "iteration"), spsa.summary(&state))?;
    if state.iteration == spsa.iterations {
        print_values(&spsa, &state)?;
    } else if !is_given {
        bail!(
            "interrupted after {} of {}, use --resume to continue",
            state.iteration,
            counted(spsa.iterations, "iteration")
        );
    }
    super::r#match::check_log(&tournament)
}

/// Plays rounds of the match. Returns the games that the first engine lost, drew and won; `None` if `control`
/// stops it.
fn match_of(
    tournament: &mut Tournament,
    rounds: Range<u64>,
    control: &Control,
) -> anyhow::Result<Option<[u64; 3]>> {
    tournament.schedule = Schedule::new(Format::RoundRobin, 2, rounds);
    let mut results = Results::default();
    tournament.run(&mut results, control, &mut |_, _, _| Ok(()))?;
    let is_complete = results.games() == tournament.schedule.games();
    Ok(is_complete.then(|| results.between([0, 1]).games))
}

/// Prints the values as options of the engine, and as lines for the table of constants.
fn print_values(spsa: &Spsa, state: &SpsaState) -> io::Result<()> {
    let values = spsa.parameters.iter().zip(&state.values);
    let values: Vec<_> = values.map(|(parameter, value)| (&parameter.name, value.round() as i64)).collect();
    values.iter().try_for_each(|(name, value)| print_line!("setoption name {name} value {value}"))?;
    for (name, value) in values {
        if let Some(row) = Constants::TABLE.iter().find(|row| row.name == name) {
            print_line!("{name} = {value}, {}..={}, {:?};", row.min, row.max, row.step)?;
        }
    }
    Ok(())
}
