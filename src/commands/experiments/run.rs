//! `labrys experiments run`.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use super::TablesArguments;
use super::manifest::{self, Configuration, Earlier, Machine, Manifest, Program, StepBegun, StepDone, Sums};
use super::measured::{self, Comparison};
use super::table::{self, Expected, Step, Table};
use crate::commands::shared::errors::full_text;
use crate::commands::shared::interruptible;
use crate::files::{Claim, create_folder, write_atomically};
use crate::game::counted;
use crate::input::{self, MAX_TEXT};
use crate::search::Control;

#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RunArguments {
    /// The tables, as `labrys experiments list` names them
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// The folder of the run, which is continued if it exists; of several tables each has a folder of its name
    /// there
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    tables: TablesArguments,
}

pub(super) fn run(arguments: &RunArguments) -> anyhow::Result<()> {
    let RunArguments { names, out, tables: TablesArguments { tables } } = arguments;
    let control = interruptible()?;
    if let [name] = &names[..] {
        return run_table(name, tables, out, &control);
    }
    // A misspelt name is no reason to find out after a night.
    names.iter().try_for_each(|name| Table::read(tables, name).map(drop))?;
    let mut failed = Vec::new();
    for name in names {
        print_line!("{name}")?;
        match run_table(name, tables, &out.join(name), &control) {
            Ok(()) => {}
            Err(error) if control.is_stopped() => return Err(error),
            Err(error) => {
                print_message!("labrys: {name}: {}", full_text(&error));
                failed.push(name.as_str());
            }
        }
    }
    ensure!(
        failed.is_empty(),
        "{} of {} failed: {}",
        failed.len(),
        counted(names.len(), "table"),
        failed.join(", ")
    );
    Ok(())
}

/// Runs a table in a folder, or what an earlier run has left of it.
fn run_table(name: &str, tables: &Path, out: &Path, control: &Control) -> anyhow::Result<()> {
    let table = Table::read(tables, name)?;
    create_folder(out).with_context(|| format!("--out {}", out.display()))?;
    let _claim = Claim::folder(out).with_context(|| format!("--out {}", out.display()))?;
    let configuration = Configuration::new(&table::path(tables, name), &table, out)?;
    let earlier = earlier(out, &configuration)?;
    let mut sums = manifest::sums(out)?;
    if let Some(earlier) = &earlier {
        check_unchanged(&table, out, earlier, &sums)?;
    }
    let (mut steps, mut begun) =
        earlier.map_or_else(Default::default, |earlier| (earlier.steps, earlier.begun));
    if table.quiet {
        print_message!("labrys: note: a clock decides this table: let the machine do nothing else");
    }
    let save =
        |steps: &[StepDone], begun: Option<&StepBegun>, results: &[Comparison], (games, files): &Sums| {
            let manifest = Manifest {
                table: name,
                date: manifest::now(),
                program: Program::this(),
                machine: Machine::this(),
                configuration: &configuration,
                seeds: &table.seeds,
                steps,
                begun,
                games,
                files,
                results,
                crc32: "00000000",
            };
            manifest.write(out)
        };
    for (step, seed) in table.runs() {
        let is_done = |done: &StepDone| done.name == step.name && done.seed == seed;
        let done = steps.iter().position(is_done);
        if done.is_some() && output_file(out, step, seed).exists() {
            continue;
        }
        // It may go on with the games of another program.
        let done = done.map(|index| steps.remove(index).version);
        let before = begun.take_if(|begun| begun.name == step.name && begun.seed == seed);
        let before = before.map(|begun| begun.version).or(done);
        let this = StepBegun::new(&step.name, seed, before.as_deref());
        save(&steps, Some(&this), &[], &sums)?;
        let ended = run_step(step, &this, out, control);
        steps.extend(ended.as_ref().ok().cloned());
        let saved = manifest::sums(out).and_then(|now| {
            sums = now;
            save(&steps, ended.is_err().then_some(&this), &[], &sums)
        });
        // Why a step has not ended matters more than what it has left.
        ended?;
        saved?;
    }
    let results = compare(&table, out)?;
    save(&steps, None, &results, &sums)?;
    print(&results)?;
    let others = results.iter().filter(|result| !result.agrees).count();
    ensure!(
        others == 0,
        "{} of {} beyond the error bars of the page",
        others,
        counted(results.len(), "number")
    );
    Ok(())
}

/// The steps of an earlier run in the folder.
fn earlier(out: &Path, configuration: &Configuration) -> anyhow::Result<Option<Earlier>> {
    let Some(earlier) = Earlier::read(out)? else { return Ok(None) };
    ensure!(
        earlier.configuration == *configuration,
        "--out {}: a run of another configuration ({}, now {}), choose another folder",
        out.display(),
        earlier.configuration.sha256,
        configuration.sha256
    );
    if let Some(gone) = earlier.games.keys().find(|name| !out.join(name).exists()) {
        bail!("--out {}: the games {gone} of this run are gone, choose another folder", out.display());
    }
    Ok(Some(earlier))
}

/// Checks that the files of the steps that are done are those that the manifest has.
fn check_unchanged(
    table: &Table,
    out: &Path,
    earlier: &Earlier,
    (games, files): &Sums,
) -> anyhow::Result<()> {
    for (step, seed) in table.runs() {
        if !earlier.steps.iter().any(|done| done.name == step.name && done.seed == seed) {
            continue;
        }
        let words = step.words(out, seed);
        let named = words.iter().flat_map(|word| word.split('=')).map(PathBuf::from);
        let output = output_file(out, step, seed);
        for path in named.chain(step.read_file(out, seed)).chain([output]) {
            let Ok(name) = path.strip_prefix(out) else { continue };
            let name = name.to_string_lossy();
            let changed = changed(games, &earlier.games, &name).or(changed(files, &earlier.files, &name));
            if let Some(changed) = changed {
                bail!(
                    "--out {}: {changed} has changed or is gone since its step was done, choose another folder",
                    out.display()
                );
            }
        }
    }
    Ok(())
}

/// The first file of this name, or in a folder of this name, that has another sum than before, or is gone. A step
/// whose printed output is gone is done again.
fn changed<'a, T: PartialEq>(
    now: &BTreeMap<String, T>,
    before: &'a BTreeMap<String, T>,
    name: &str,
) -> Option<&'a str> {
    let is_meant = |file: &str| Path::new(file).starts_with(name);
    let mut files = before.iter().filter(|(file, _)| is_meant(file));
    let changed = files.find(|&(file, sum)| now.get(file).map_or(!file.ends_with(".out"), |now| now != sum));
    changed.map(|(file, _)| file.as_str())
}

/// The file of what a step prints.
fn output_file(out: &Path, step: &Step, seed: Option<u64>) -> PathBuf {
    out.join(format!("{}.out", step.run_name(seed)))
}

/// The time that an interrupted step has to stop by itself.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for a process, and returns its status and what it has printed. An interruption of this process is
/// passed on, for only a terminal interrupts both; the process is killed unless it ends soon.
fn wait(mut child: Child, control: &Control) -> io::Result<(ExitStatus, Vec<u8>)> {
    let mut out = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let reader = thread::spawn(move || {
        let mut printed = Vec::new();
        out.read_to_end(&mut printed).map(|_| printed)
    });
    let mut interrupted = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if control.is_stopped() {
            let start = *interrupted.get_or_insert_with(|| {
                terminate(&child);
                Instant::now()
            });
            if start.elapsed() >= GRACE {
                child.kill()?;
            }
        }
        thread::sleep(Duration::from_millis(20));
    };
    let printed = reader.join().map_err(|_| io::ErrorKind::Other)??;
    Ok((status, printed))
}

/// Asks a process to end, where the system has a way.
#[cfg(unix)]
fn terminate(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    if let Err(error) = kill_process(Pid::from_child(child), Signal::TERM) {
        log::warn!("cannot end process {}: {error}", child.id());
    }
}

#[cfg(not(unix))]
fn terminate(_child: &Child) {}

/// Runs the command of a step, and keeps what it prints.
fn run_step(step: &Step, begun: &StepBegun, out: &Path, control: &Control) -> anyhow::Result<StepDone> {
    let StepBegun { name, seed, version } = begun.clone();
    let (command, start) = (step.words(out, seed), Instant::now());
    print_message!("labrys: {}: labrys {}", step.run_name(seed), command.join(" "));
    let program = std::env::current_exe().context("the program has no path")?;
    let child = Command::new(program).args(&command).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let ended = child.and_then(|child| wait(child, control));
    let (status, printed) = ended.with_context(|| format!("step {}", step.run_name(seed)))?;
    // Some commands succeed with what they have found until then.
    let is_interrupted = control.is_stopped();
    if is_interrupted || !status.success() {
        let ending = if is_interrupted { "was interrupted" } else { "has failed" };
        bail!("step {} {ending}; the same command continues the run", step.run_name(seed));
    }
    write_atomically(&output_file(out, step, seed), printed)?;
    Ok(StepDone { name, seed, command, seconds: start.elapsed().as_secs_f64(), version })
}

/// The numbers of a finished run beside those of the page.
fn compare(table: &Table, out: &Path) -> anyhow::Result<Vec<Comparison>> {
    let mut results = Vec::new();
    for Expected { step, value, rows, scale, numbers } in &table.expected {
        let runs = table.runs().filter(|(known, _)| known.name == *step);
        let printed = runs.map(|(step, seed)| match step.read_file(out, seed) {
            None => manifest::printed(&output_file(out, step, seed)),
            Some(path) => {
                let text = input::read_text(&path, MAX_TEXT).with_context(|| path.display().to_string())?;
                measured::of_rows(&text, *rows).with_context(|| path.display().to_string())
            }
        });
        let printed: Vec<_> = printed.collect::<anyhow::Result<_>>()?;
        for (key, &page) in numbers {
            let number = |printed| {
                let number = measured::number(printed, value, key);
                number
                    .map(|number| scale * number)
                    .with_context(|| format!("`[[expected]]` of the step {step}"))
            };
            let by_seed: Vec<_> = printed.iter().map(number).collect::<anyhow::Result<_>>()?;
            results.push(Comparison::new(step, &value.replace("{}", key), page, by_seed));
        }
    }
    Ok(results)
}

/// Prints a line for each number.
fn print(results: &[Comparison]) -> io::Result<()> {
    let mut out = io::stdout();
    let width = |text: &dyn Fn(&Comparison) -> usize| results.iter().map(text).max().unwrap_or(0);
    let (step, value) = (width(&|of| of.step.chars().count()), width(&|of| of.value.chars().count()));
    for of in results {
        let verdict = if of.agrees { "agrees" } else { "differs" };
        let page = format!("{:.4} ± {:.4}", of.page, of.page_error);
        let measured = format!("{:.4} ± {:.4}", of.measured, of.error);
        writeln!(
            out,
            "{:step$}  {:value$}  page {page:>20}  measured {measured:>20}  {verdict}",
            of.step, of.value
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_gone_have_changed_but_for_what_a_step_has_printed() {
        let sums = |files: &[(&str, u32)]| -> BTreeMap<String, u32> {
            files.iter().map(|&(file, sum)| (file.to_owned(), sum)).collect()
        };
        let before = sums(&[("net/a", 1), ("net/b", 2), ("step.out", 3)]);
        for (now, expected) in [
            (sums(&[("net/a", 1), ("net/b", 2), ("net/new", 5)]), [None, None]),
            (sums(&[("net/a", 1), ("step.out", 3)]), [Some("net/b"), None]),
            (sums(&[("net/a", 4), ("net/b", 2), ("step.out", 4)]), [Some("net/a"), Some("step.out")]),
        ] {
            assert_eq!(["net", "step.out"].map(|name| changed(&now, &before, name)), expected, "{now:?}");
        }
    }
}
