//! Options of `summary`.

use super::{NewDataArgs, values};
use clap::{Args, ValueEnum};
use proxdist::inference::Covariance;
use std::path::PathBuf;

/// `summary`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist summary model.json train.csv\n  \
    proxdist summary model.json train.csv --covariance hc1 --level 0.9\n  \
    proxdist summary model.json train.csv --split --seed 7\n  \
    proxdist summary model.json train.csv --bootstrap 500 --state replicates.json\n  \
    proxdist summary model.json train.csv --stability 50 --threshold 0.8 --json\n\n\
    DATA is the file that the model was fitted to; after `fit --holdout` its rows of the fit are used. Ctrl-C ends with the repetitions done so far. \
    docs/inference.md says what each number means.")]
pub(crate) struct SummaryArgs {
    /// Model file written by fit, tune or path; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: NewDataArgs,
    /// Where standard errors come from
    #[arg(long, value_enum, default_value_t = CovarianceArg::Auto, value_name = "KIND", help_heading = "Inference")]
    pub(crate) covariance: CovarianceArg,
    /// Share of intervals that should hold the truth
    #[arg(long, default_value_t = 0.95, value_parser = values::share, value_name = "SHARE", help_heading = "Inference")]
    pub(crate) level: f64,
    /// Repeat the whole fit B times on rows drawn with replacement
    #[arg(long, value_name = "B", value_parser = values::repetitions, help_heading = "Inference")]
    pub(crate) bootstrap: Option<u64>,
    /// Repeat the whole fit on both halves of B random splits, and count how often each feature is chosen
    #[arg(long, value_name = "B", value_parser = values::repetitions, help_heading = "Inference")]
    pub(crate) stability: Option<u64>,
    /// Share of the halves that makes a feature stable, above 0.5
    #[arg(long, default_value_t = 0.75, value_parser = values::threshold, requires = "stability", value_name = "SHARE", help_heading = "Inference")]
    pub(crate) threshold: f64,
    /// Choose the features on one half of the rows and estimate them on the other
    #[arg(long, help_heading = "Inference")]
    pub(crate) split: bool,
    /// Decides which rows are drawn
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "Inference")]
    pub(crate) seed: u64,
    /// Threads [default: all cores]; never changes a result
    #[arg(long, value_parser = values::threads, value_name = "N", help_heading = "Inference")]
    pub(crate) threads: Option<usize>,
    /// File that keeps the repetitions, to go on from after an interrupt
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) state: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// No notes on standard error
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// Kinds of standard errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CovarianceArg {
    /// From the model where the loss is a likelihood, hc1 otherwise
    Auto,
    /// From the distribution that the loss is the likelihood of
    Model,
    /// The sandwich, without a correction
    Hc0,
    /// The sandwich times n/(n - k)
    Hc1,
}

impl From<CovarianceArg> for Covariance {
    fn from(kind: CovarianceArg) -> Self {
        match kind {
            CovarianceArg::Auto => Self::Auto,
            CovarianceArg::Model => Self::Model,
            CovarianceArg::Hc0 => Self::Hc0,
            CovarianceArg::Hc1 => Self::Hc1,
        }
    }
}
