//! `reproduce`

use clap::Args;
use std::path::PathBuf;

/// `reproduce`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist reproduce all --quick\n  \
    proxdist reproduce table2 figure1 --out reproduction\n  \
    proxdist reproduce qsar --data shared/data\n\n\
    Writes rows (CSV), figures (SVG, PNG) and one page, DIR/index.html, that sets the paper's numbers beside ours. An \
    interrupted run goes on where it was; DIR/cells holds what is finished and may be deleted.")]
#[allow(clippy::struct_excessive_bools)] // Flags are what they are.
pub(crate) struct ReproduceArgs {
    /// What to repeat: figure1, figure2, table2, tables34, qsar, figure3b, rho1, boxplots, rates, lowrank (an extension of ours), or all
    #[arg(value_name = "NAME", required_unless_present = "print_settings")]
    pub(crate) names: Vec<String>,
    /// Small sizes and few repeats: a minute instead of more than an hour
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder to write, made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = "reproduction")]
    pub(crate) out: PathBuf,
    /// Fixes all random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Repeats of every experiment, in place of those in the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) repeats: Option<u64>,
    /// Folder with the real data (classification/qsar_oral_toxicity.csv.gz) [default: $PROXDIST_DATA]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Other settings than the built-in ones, as TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// Print the built-in settings and end
    #[arg(long)]
    pub(crate) print_settings: bool,
    /// Pieces of work at a time, up to 1024; results do not depend on it
    #[arg(long, value_name = "N", value_parser = super::values::threads)]
    pub(crate) threads: Option<usize>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
