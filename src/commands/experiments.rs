//! `labrys experiments`: the tables of `experiments/README.md`, repeated from nothing and compared with the
//! page.

mod manifest;
mod measured;
mod run;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Subcommand;

use self::table::Table;

#[derive(Debug, Subcommand)]
pub(super) enum ExperimentsCommand {
    /// List the tables that can be repeated
    List(ListArguments),
    /// Repeat a table from nothing and compare it with the page
    Run(run::RunArguments),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    tables: TablesArguments,
}

/// Where the tables are.
#[derive(Debug, clap::Args)]
struct TablesArguments {
    /// The folder of the tables
    #[arg(long, value_name = "FOLDER", default_value = "experiments/tables")]
    tables: PathBuf,
}

pub(super) fn run(command: &ExperimentsCommand) -> anyhow::Result<()> {
    match command {
        ExperimentsCommand::List(arguments) => list(&arguments.tables),
        ExperimentsCommand::Run(arguments) => run::run(arguments),
    }
}

/// Prints the name of each table, its paper, title and section, and what is known of its numbers.
fn list(tables: &TablesArguments) -> anyhow::Result<()> {
    let mut out = io::stdout();
    for name in table::names(&tables.tables)? {
        let Table { paper, title, page, date, machine, commit, seeds, quiet, .. } =
            Table::read(&tables.tables, &name)?;
        let quiet = if quiet { ", on a quiet machine" } else { "" };
        let seeds: Vec<_> = seeds.iter().map(u64::to_string).collect();
        writeln!(out, "{name}\n    {paper}: {title}{quiet}")?;
        writeln!(out, "    of {date}, commit {commit}, seeds {}, on {machine}", seeds.join(", "))?;
        writeln!(out, "    section {page}")?;
    }
    Ok(())
}
