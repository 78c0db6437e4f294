//! Options of `scorecard`.

use super::{NewDataArgs, TextArgs, UnknownPolicy, values};
use clap::{ArgAction, Args};
use std::path::{Path, PathBuf};

/// `scorecard`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist fit loans.csv --target paid --loss logistic --bins monotone:5 --constraint 'group-sparsity:6;by=source' --out model.json\n  \
    proxdist scorecard model.json loans.csv --points 600 --pdo 20 --odds 50 --html card.html --csv card.csv\n  \
    proxdist scorecard model.json loans.csv --max-points 10 --test later.csv\n\n\
    Points are the whole numbers near those of the model that have the least log loss on the rows of DATA; docs/scorecards.md says how. Without DATA they are rounded one by one.")]
pub(crate) struct ScorecardArgs {
    /// Model file written by fit, tune or path, of two labels by --loss logistic; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Rows to round for, to count and to measure on: usually those of the fit
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Score of the odds that --odds gives
    #[arg(long, default_value_t = 600.0, allow_negative_numbers = true, value_name = "X", help_heading = "Card")]
    pub(crate) points: f64,
    /// Odds of that score, as in 50 to 1
    #[arg(long, default_value_t = 50.0, allow_negative_numbers = true, value_name = "X", help_heading = "Card")]
    pub(crate) odds: f64,
    /// Points that double the odds [default: 20, or as --max-points has it]
    #[arg(long, allow_negative_numbers = true, value_name = "X", help_heading = "Card")]
    pub(crate) pdo: Option<f64>,
    /// Label whose odds grow with the score [default: the positive one]
    #[arg(long, value_name = "LABEL", help_heading = "Card")]
    pub(crate) odds_of: Option<String>,
    /// Most points, in size, of an attribute; without --pdo the scale is such that the largest have that many
    #[arg(long, value_name = "N", help_heading = "Card")]
    pub(crate) max_points: Option<u32>,
    /// How far points may be from those of the model
    #[arg(long, default_value_t = 2.0, value_name = "X", help_heading = "Card")]
    pub(crate) reach: f64,
    /// Points of this number are for each so many units of it, as in income=1000
    #[arg(long, value_name = "COL=X", value_parser = values::unit, action = ArgAction::Append, help_heading = "Card")]
    pub(crate) unit: Vec<(String, f64)>,
    /// Boxes of cards that the search may look at; what is left open is said
    #[arg(long, default_value_t = 1000, value_name = "N", help_heading = "Card")]
    pub(crate) max_nodes: usize,
    /// Other rows to measure the card on
    #[arg(long, value_name = "FILE", requires = "data", help_heading = "Reading")]
    pub(crate) test: Option<PathBuf>,
    /// Column of true responses, if it is not called as in training
    #[arg(long, short, value_name = "COL", help_heading = "Reading")]
    pub(crate) target: Option<String>,
    /// Column of observation weights [default: that of the fit]
    #[arg(long, value_name = "COL", help_heading = "Reading")]
    pub(crate) weights: Option<String>,
    /// Memory that may be used, such as 512M or 2G [default: half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = values::memory, help_heading = "Reading")]
    pub(crate) memory: Option<usize>,
    /// What to do with a category that did not occur in training
    #[arg(long, value_enum, default_value_t = UnknownPolicy::Error, value_name = "POLICY", help_heading = "Reading")]
    pub(crate) unknown: UnknownPolicy,
    #[command(flatten, next_help_heading = "Reading")]
    pub(crate) text: TextArgs,
    /// Table of the card
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) csv: Option<PathBuf>,
    /// Page with the card
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Write names as they are; those that a spreadsheet would run as a formula (=, +, -, @ in front) get an apostrophe otherwise
    #[arg(long, requires = "csv", help_heading = "Output")]
    pub(crate) raw: bool,
    /// No notes on standard error
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl ScorecardArgs {
    /// How a file of rows is read.
    pub(crate) fn reading(&self, data: &Path) -> NewDataArgs {
        NewDataArgs {
            data: data.to_owned(),
            more: Vec::new(),
            memory: self.memory,
            target: self.target.clone(),
            weights: self.weights.clone(),
            offset: None,
            exposure: None,
            unknown: self.unknown,
            text: self.text.clone(),
        }
    }
}
