//! Options of `path`.

use super::settings::OfPath;
use super::{DataArgs, JointArgs, OutputArgs, SettingArgs, UnitArgs, ranges, values};
use clap::{ArgAction, Args};
use proxdist::path::Criterion;
use proxdist::selection::{Choice, CrossValidation};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// `path`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist path train.csv --target y --out model.json --report path.html\n  \
    proxdist path train.csv --target y --loss logistic --sizes 1-50 --ridge-grid 1e-4..1,log,5 --table path.csv\n  \
    proxdist path train.csv --target y --sizes 1,2,5,10 --select ebic\n  \
    proxdist path train.csv --target y --constraint 'sparsity:10;keep=age,income' --sizes 2-30\n\n\
    Ctrl-C ends the search with the sizes found so far.")]
pub(crate) struct PathArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Loss, such as squared, logistic, huber:DELTA, poisson or gamma; `proxdist losses` lists all
    #[arg(long, default_value = "squared", value_name = "LOSS", help_heading = "Problem")]
    pub(crate) loss: String,
    /// Set whose number of features or groups is replaced by each size, as in 'sparsity:10;keep=age' or group-sparsity:5;by=source; a set without such a number stands beside sparsity; repeat for an intersection [default: sparsity]
    #[arg(long, short, value_name = "SET", action = ArgAction::Append, help_heading = "Problem")]
    pub(crate) constraint: Vec<String>,
    #[command(flatten)]
    pub(crate) units: UnitArgs,
    #[command(flatten)]
    pub(crate) joint: JointArgs,
    /// Numbers of features, or of groups: 1-30, 1..30 or a list [default: 1 to the number in --constraint; without one 1 to 30, but no more than there are columns, or half the rows]
    #[arg(long, value_name = "A-B,...", allow_negative_numbers = true, value_parser = ranges::Sizes::from_str, help_heading = "Path")]
    pub(crate) sizes: Option<ranges::Sizes>,
    /// Which size to take: the one that predicts held-out rows (cv), the least criterion (aic, bic, ebic, ebic:GAMMA), or none
    #[arg(long, default_value = "cv", value_name = "RULE", value_parser = Select::from_str, help_heading = "Path")]
    pub(crate) select: Select,
    /// Weights of the ridge term, a path for each: a list, or FROM..TO,log,COUNT [default: 0,1e-4,1e-3,1e-2,1e-1 for cv, 0 otherwise]
    #[arg(long, value_name = "X,...", allow_negative_numbers = true, value_parser = ranges::Ridges::from_str, help_heading = "Path")]
    pub(crate) ridge_grid: Option<ranges::Ridges>,
    /// Parts of the data for cv; each is predicted from the others (stratified for classes)
    #[arg(long, default_value_t = CrossValidation::FOLDS, value_name = "K", help_heading = "Path")]
    pub(crate) folds: usize,
    /// What cv takes: the smallest size within one standard error of the best (one-standard-error), or the best (best)
    #[arg(long, default_value_t = Choice::default(), value_name = "RULE", value_parser = values::choice, help_heading = "Path")]
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) settings: SettingArgs<OfPath>,
    /// Table of all sizes and ridges
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) table: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How a size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Select {
    /// By rows that were held out.
    CrossValidation,
    /// By the least criterion.
    Criterion(Criterion),
    /// Not at all.
    Nothing,
}

impl Select {
    /// EBIC in its strictest form, unless told otherwise.
    pub(crate) const EXTENDED: Criterion = Criterion::ExtendedBayes { gamma: 1.0 };
}

impl FromStr for Select {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, gamma) = text.split_once(':').map_or((text, None), |(name, gamma)| (name, Some(gamma)));
        match (name, gamma) {
            ("cv", None) => Ok(Self::CrossValidation),
            ("aic", None) => Ok(Self::Criterion(Criterion::Akaike)),
            ("bic", None) => Ok(Self::Criterion(Criterion::Bayes)),
            ("ebic", None) => Ok(Self::Criterion(Self::EXTENDED)),
            ("ebic", Some(gamma)) => match gamma.parse::<f64>() {
                Ok(gamma) if (0.0..=1.0).contains(&gamma) => Ok(Self::Criterion(Criterion::ExtendedBayes { gamma })),
                _ => Err("ebic takes a number from 0 to 1, as in ebic:0.5".to_owned()),
            },
            ("none", None) => Ok(Self::Nothing),
            _ => Err("it must be cv, aic, bic, ebic, ebic:GAMMA or none".to_owned()),
        }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CrossValidation => f.write_str("cv"),
            Self::Criterion(Criterion::Akaike) => f.write_str("aic"),
            Self::Criterion(Criterion::Bayes) => f.write_str("bic"),
            Self::Criterion(Criterion::ExtendedBayes { gamma }) if *gamma < 1.0 => write!(f, "ebic:{gamma}"),
            Self::Criterion(_) => f.write_str("ebic"),
            Self::Nothing => f.write_str("none"),
        }
    }
}
