//! The argument `--engine`.

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::arena::{EngineConfig, KeyError, KeyValues};
use crate::commands::shared::suggest;

/// The values of each `--engine`. clap's derive would concatenate those of repeated flags.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Engines(pub(in crate::commands) Vec<Vec<String>>);

impl clap::Args for Engines {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .num_args(1..)
                .action(ArgAction::Append)
                .value_name("KEY=VALUE")
                .value_parser(suggest::key())
                .hide_possible_values(true)
                .help(
                    "An engine: cmd=… or tcp=… (default: Labrys itself), proto=uci|xboard|tuc, name=…, \
                     option.<name>=…, tc=… …",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Engines::augment_args(command)
    }
}

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Engines, clap::Error> {
        let occurrences = matches.get_occurrences::<String>("engine").into_iter().flatten();
        Ok(Engines(occurrences.map(|words| words.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(Engines::from_arg_matches(matches)?.0);
        Ok(())
    }
}

impl Engines {
    /// Reads all engines; `defaults` are the keys that an engine does not set itself.
    pub(in crate::commands) fn read(&self, defaults: &KeyValues) -> Result<Vec<EngineConfig>, KeyError> {
        let engines = self.0.iter().zip(1..).map(|(words, number)| {
            Ok(KeyValues::parse(format!("--engine {number}"), words)?.with_defaults(defaults))
        });
        EngineConfig::read_all(engines.collect::<Result<_, KeyError>>()?)
    }
}
