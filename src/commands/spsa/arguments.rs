//! The arguments of `labrys spsa`, and the tuning that they describe.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arena::{EngineConfig, EngineKind, Format, KeyError, KeyValues, Schedule, Tournament};
use crate::commands::shared::checksum::each_with_content;
use crate::commands::shared::play::GameArguments;
use crate::commands::shared::steps::StepArguments;
use crate::commands::shared::values::{positive, whole};
use crate::game::quote;
use crate::learn::spsa::{Parameter, Spsa};
use crate::search::{Constant, Constants};

/// The keys of a constant, for error messages.
const KEYS: &str = "start, min, max, c_end, r_end";

/// The names of the players.
const PLAYERS: [&str; 2] = ["θ⁺", "θ⁻"];

/// Tunes the constants of the search by SPSA: in each iteration two players whose constants lie on opposite
/// sides of the values play each other, and the values move towards the winner. docs/learning.md describes all
/// keys.
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct SpsaArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) play: GameArguments,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// Keys for both players, as for `match`: a limit, such as nodes=… or tc=…, and option.<name>=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// A constant to tune, by its name alone or with keys: "NAME start=… min=… max=… c_end=… r_end=…"; may be
    /// given several times [default: all]
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    constant: Vec<String>,
    /// Total number of iterations; steps shrink towards the last one
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1_000_000_000))]
    iterations: u64,
    /// Pairs of games per iteration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..=1_000_000))]
    pub(super) pairs: u64,
    /// Step of a constant per game won in the last iteration, as a fraction of its c_end
    #[arg(long, value_name = "X", default_value_t = 0.002, value_parser = positive)]
    r_end: f64,
    /// Folder of the run, created if missing
    #[arg(long, value_name = "FOLDER")]
    #[serde(skip)]
    pub(super) out: PathBuf,
    /// Continue the run in the folder
    #[arg(long)]
    #[serde(skip)]
    pub(super) resume: bool,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) step: StepArguments,
}

impl SpsaArguments {
    /// The tuning run.
    pub(super) fn spsa(&self) -> anyhow::Result<Spsa> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for text in &self.constant {
            let parameter = self.parameter(text)?;
            let name = &parameter.name;
            ensure!(parameters.iter().all(|other| other.name != *name), "--constant {name}: given twice");
            parameters.push(parameter);
        }
        if self.constant.is_empty() {
            let all = Constants::TABLE.iter().map(|constant| self.parameter(constant.name));
            parameters = all.collect::<Result<_, _>>()?;
        }
        Ok(Spsa { parameters, iterations: self.iterations, seed: self.play.seed })
    }

    /// Reads a constant with its keys.
    fn parameter(&self, text: &str) -> anyhow::Result<Parameter> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let Some(row) = Constants::TABLE.iter().find(|constant| constant.name == name) else {
            let names: Vec<_> = Constants::TABLE.iter().map(|constant| constant.name).collect();
            bail!("--constant: unknown constant {}, expected one of: {}", quote(name), names.join(", "));
        };
        let keys = KeyValues::parse(format!("--constant {name}"), &words.collect::<Vec<_>>())?;
        Ok(self.read(row, keys)?)
    }

    /// Reads the keys of a constant, whose defaults are those of the table.
    fn read(&self, row: &Constant, mut keys: KeyValues) -> Result<Parameter, KeyError> {
        let Constant { min: lowest, max: highest, .. } = *row;
        let mut whole = |key, default| {
            let expected = format!("a whole number from {lowest} to {highest}");
            let in_range = |text: &str| text.parse().ok().filter(|value| (lowest..=highest).contains(value));
            Ok::<i32, KeyError>(keys.read_with(key, expected, in_range)?.unwrap_or(default))
        };
        let (min, max, start) = (whole("min", lowest)?, whole("max", highest)?, whole("start", row.default)?);
        let mut positive = |key, default| {
            let read = |text: &str| positive(text).ok();
            Ok::<f64, KeyError>(keys.read_with(key, "a number above 0", read)?.unwrap_or(default))
        };
        let (c_end, r_end) = (positive("c_end", row.step)?, positive("r_end", self.r_end)?);
        keys.finish(KEYS)?;
        if min >= max {
            return Err(keys.invalid(format!("min {min} has to be less than max {max}")));
        }
        if !(min..=max).contains(&start) {
            return Err(keys.invalid(format!("the start {start} is not in the range from {min} to {max}")));
        }
        let [start, min, max] = [start, min, max].map(f64::from);
        Ok(Parameter { name: row.name.to_owned(), start, min, max, c_end, r_end })
    }

    /// The match of the two players, which differ in the tuned constants.
    pub(super) fn tournament(&self, spsa: &Spsa) -> anyhow::Result<Tournament> {
        let each = KeyValues::parse("--each", &self.each)?;
        let named = PLAYERS.map(|name| KeyValues::parse("--each", &[format!("name={name}")]));
        let named = named.into_iter().map(|keys| Ok(keys?.with_defaults(&each)));
        let players = EngineConfig::read_all(named.collect::<Result<_, KeyError>>()?)?;
        for EngineConfig { setup, .. } in &players {
            ensure!(
                setup.kind == EngineKind::InProcess,
                "--each: both players must be Labrys in this process"
            );
            let is_tuned = |name: &String| {
                spsa.parameters.iter().any(|parameter| parameter.name.eq_ignore_ascii_case(name))
            };
            if let Some((name, _)) = setup.options.iter().find(|(name, _)| is_tuned(name)) {
                bail!("--each: option.{name}: it is being tuned, use --constant \"{name} start=…\"");
            }
        }
        self.play.tournament(players, Schedule::new(Format::RoundRobin, 2, 0..self.pairs))
    }

    /// The arguments that the result depends on, by their flags, with the keys of all tuned constants and the
    /// content of files.
    pub(super) fn result_arguments(&self, spsa: &Spsa) -> anyhow::Result<Map<String, Value>> {
        let Value::Object(mut arguments) = serde_json::to_value(self)? else {
            bail!("arguments are an object")
        };
        arguments.extend(self.play.job()?);
        arguments.insert("each".to_owned(), each_with_content(&self.each)?.into());
        let flags = arguments.into_iter().map(|(name, value)| (name.replace('_', "-"), value));
        let constants = spsa.parameters.iter().map(|Parameter { name, start, min, max, c_end, r_end }| {
            let keys = format!("start={start} min={min} max={max} c_end={c_end} r_end={r_end}");
            (format!("constant {name}"), Value::from(keys))
        });
        Ok(flags.chain(constants).collect())
    }
}
