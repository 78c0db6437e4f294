//! Options of `theory`.

use super::settings::OfTheory;
use super::{DataArgs, ProblemArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

/// `theory`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist theory train.csv --target y --constraint ball:1 --no-intercept\n  \
    proxdist theory train.csv --target y --loss logistic --constraint ball:1 --gamma 0.75 --measure --plot theory.svg\n  \
    proxdist theory train.csv --target y --constraint sparsity:5 --rho1 0.1 --at 5000 --json\n\n\
    docs/theory.md says what each number means.")]
pub(crate) struct TheoryArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs<OfTheory>,

    /// Step at which bounds are compared and advice is sought
    #[arg(long, default_value_t = 10_000, value_name = "K", help_heading = "Theory")]
    pub(crate) at: u64,
    /// Run the iteration too, and hold it against the bounds
    #[arg(long, help_heading = "Theory")]
    pub(crate) measure: bool,
    /// Runs to average, each with a seed of its own
    #[arg(long, default_value_t = 20, value_name = "R", requires = "measure", help_heading = "Theory")]
    pub(crate) repeats: usize,
    /// Steps of each run
    #[arg(long, default_value_t = 10_000, value_name = "K", requires = "measure", help_heading = "Theory")]
    pub(crate) steps: u64,

    /// Table of bounds and measurements, one line a step
    #[arg(long, short, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Picture of the bounds and, with --measure, of the runs
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// One JSON object on standard output, everything else on standard error
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// No progress, notes or summary
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}
