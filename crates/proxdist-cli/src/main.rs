//! `proxdist`: statistical models under exact constraints, from the command line.
//!
//! This file knows exit statuses and nothing else: 0, result written; 1, written but not converged under
//! `--require-convergence`; 2, nothing written; 130, interrupted before there was anything to write.

#![forbid(unsafe_code)]

mod args;
mod checkpoint;
mod commands;
mod comparison;
mod csv;
mod failure;
mod holdout;
mod input;
mod joint;
mod kept;
mod measures;
mod memory;
mod model_file;
mod output;
mod outputs;
mod path;
mod progress;
mod reading;
mod reading_line;
mod replicates;
mod report;
mod row_writer;
mod rows;
mod scaling;
mod scores;
mod setup;
mod signals;
mod streaming;
mod summary;
mod table_rows;
mod terminal;
mod theory;
mod usage;
mod words;

use args::{Cli, Command};
use clap::Parser as _;
use commands::{Ending, catalogue, compare, evaluate, export, fit, pages, predict, reproduce, simulate, tune};
use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = match Cli::try_parse() {
        Ok(cli) => run(&cli.command),
        Err(error) => usage::explain(&error),
    };
    match ended {
        Ok(Ending::Written) => ExitCode::SUCCESS,
        Ok(Ending::NotConverged) => ExitCode::from(1),
        Err(failure) => {
            failure.print();
            ExitCode::from(if failure.interrupted { signals::INTERRUPTED } else { 2 })
        }
    }
}

fn run(command: &Command) -> failure::Result<Ending> {
    match command {
        Command::Fit(args) => fit::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Summary(args) => commands::summary::run(args),
        Command::Export(args) => export::run(args),
        Command::Scorecard(args) => commands::scorecard::run(args),
        Command::Tune(args) => tune::run(args),
        Command::Path(args) => commands::path::run(args),
        Command::Theory(args) => commands::theory::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Losses(args) => catalogue::losses(args),
        Command::Constraints(args) => catalogue::constraints(args),
        Command::Methods(args) => catalogue::methods(args),
        Command::Completions { shell } => pages::completions(*shell),
        Command::Man { dir } => pages::man(dir.as_deref()),
    }
}
