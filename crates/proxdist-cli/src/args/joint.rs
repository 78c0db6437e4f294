//! Options of times until an event and of ordered labels.

use clap::{Args, ValueEnum};
use proxdist::survival;

/// What belongs to `--loss cox` and `--loss ordinal`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Times and ordered labels")]
pub(crate) struct JointArgs {
    /// Column of events for --loss cox: 1 where it happened at the time of the target, 0 where the row was censored then
    #[arg(long, value_name = "COL")]
    pub(crate) event: Option<String>,
    /// Column of times at which rows came under observation, for --loss cox
    #[arg(long, value_name = "COL")]
    pub(crate) entry: Option<String>,
    /// Column of strata for --loss cox: each has a baseline hazard of its own
    #[arg(long, value_name = "COL")]
    pub(crate) strata: Option<String>,
    /// How events at the same time are counted by --loss cox [default: efron]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) ties: Option<Ties>,
    /// Labels of --loss ordinal, the lowest first [default: numbers by size, texts by letters]
    #[arg(long, value_name = "LABEL,...", value_delimiter = ',')]
    pub(crate) levels: Option<Vec<String>>,
}

/// Rules for ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ties {
    /// As if all were at risk until the last one
    Breslow,
    /// As if they left one after the other, on average over their orders
    Efron,
}

impl From<Ties> for survival::Ties {
    fn from(ties: Ties) -> Self {
        match ties {
            Ties::Breslow => Self::Breslow,
            Ties::Efron => Self::Efron,
        }
    }
}
