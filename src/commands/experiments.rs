//! `labrys experiments`: the tables of `experiments/README.md`, repeated from nothing and compared with the
//! page.

mod manifest;
mod measured;
mod run;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Subcommand;

use self::table::Table;
use crate::commands::shared::errors::full_text;
use crate::game::counted;

#[derive(Debug, Subcommand)]
pub(super) enum ExperimentsCommand {
    /// List the tables that can be repeated
    List(ListArguments),
    /// Repeat tables from nothing and compare them with the page
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
    let (mut out, mut unread) = (io::stdout(), 0);
    for name in table::names(&tables.tables)? {
        let table = match Table::read(&tables.tables, &name) {
            Ok(table) => table,
            Err(error) => {
                print_message!("labrys: {}", full_text(&error));
                unread += 1;
                continue;
            }
        };
        let Table { paper, title, page, date, machine, commit, seeds, quiet, .. } = table;
        let quiet = if quiet { ", on a quiet machine" } else { "" };
        let seeds: Vec<_> = seeds.iter().map(u64::to_string).collect();
        writeln!(out, "{name}\n    {paper}: {title}{quiet}")?;
        writeln!(out, "    of {date}, commit {commit}, seeds {}, on {machine}", seeds.join(", "))?;
        writeln!(out, "    section {page}")?;
    }
    ensure!(unread == 0, "{} cannot be read", counted(unread, "table"));
    Ok(())
}
