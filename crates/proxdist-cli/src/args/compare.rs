//! Options of `compare`.

use super::{DataArgs, RunArgs, values};
use clap::Args;
use proxdist::Method;
use std::path::PathBuf;

/// Change that counts as none: small, so that methods are seen to the end of what they can do.
pub(crate) const TOLERANCE: &str = "1e-8";
/// Passes over the data that each method gets where nothing else limits it.
pub(crate) const PASSES: &str = "50";

/// `compare`
#[derive(Debug, Args)]
#[command(
    mut_arg("method", |arg| arg.hide(true)),
    mut_arg("schedule", |arg| arg.hide(true)),
    mut_arg("no-polish", |arg| arg.hide(true)),
    mut_arg("tolerance", |arg| arg.default_value(TOLERANCE)),
    mut_arg("max-steps", |arg| arg.default_value(None)),
    mut_arg("passes", |arg| arg.default_value(PASSES)),
    after_help = "Examples:\n  \
    proxdist compare train.csv --target y --constraint sparsity:10 --methods spd,psgd,pd --plot methods.svg\n  \
    proxdist compare train.csv --target y --loss logistic --constraint ball:1 --methods spd,cspp,incremental --passes 20 --json\n\n\
    Every method sees the same batches, gets the same candidates for its first learning rate, of which the best at \
    the end of as many steps is used, and the same passes over the data (50 unless told otherwise). None is finished exactly; F* is the \
    exact finish. Methods are listed by `proxdist methods`."
)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Methods to compare
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "spd,psgd,pd", value_parser = values::method, help_heading = "Method")]
    pub(crate) methods: Vec<Method>,
    /// Table of all checkpoints of all methods; `-` for standard output
    #[arg(long, short, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Picture of F - F* against rows seen
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Self-contained HTML page with table and picture
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// One JSON object on standard output, everything else on standard error
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// No progress, notes or table
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}
