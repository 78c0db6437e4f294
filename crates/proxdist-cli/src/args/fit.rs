//! Options of `fit` and `tune`.

use super::joint::JointArgs;
use super::settings::{FirstPenalty, OfRun};
use super::{DataArgs, SettingArgs, StreamArgs, values};
use clap::{ArgAction, Args};
use proxdist::selection::{Choice, CrossValidation, Scoring};
use proxdist::{Settings, Shape};
use std::path::PathBuf;

/// `fit`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist fit train.csv --target y --constraint sparsity:10 --out model.json\n  \
    proxdist fit train.csv.gz --target 1025 --positive positive --loss logistic --constraint sparsity:100 --holdout 0.2\n  \
    proxdist fit data.svm --loss logistic --constraint l1:30 --ridge 1e-3 --report report.html\n  \
    proxdist fit digits.csv --target digit --loss logistic --shape 16x16 --constraint rank:2 --out model.json\n  \
    proxdist fit weights.csv --target y --constraint simplex --no-intercept --json\n  \
    proxdist fit patients.csv --loss cox --target days --event died --strata clinic --constraint sparsity:5 --out model.json\n  \
    proxdist fit survey.csv --loss ordinal --target rating --levels low,mid,high --constraint nonneg\n  \
    tail -n +1 -f events.csv | proxdist fit - --stream --target y --constraint sparsity:10 --half-life 100000 --every 30s --out model.json\n\n\
    Sets are listed by `proxdist constraints`, losses by `proxdist losses`, methods by `proxdist methods`. Ctrl-C ends a run with the best model so far.")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) rho1: SettingArgs<FirstPenalty>,
    /// Learning rate of the first step: another way to say --rho1 1/X
    #[arg(long, value_name = "X", value_parser = values::rate, conflicts_with = "rho1", help_heading = "Method")]
    pub(crate) rate: Option<f64>,
    /// Share of the rows, between 0 and 1, that is kept out of the fit and used to evaluate it
    #[arg(long, value_name = "SHARE", value_parser = values::share, help_heading = "Problem")]
    pub(crate) holdout: Option<f64>,
    /// File that keeps the state of the run, written every few seconds
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the state in the checkpoint file, if there is one
    #[arg(long, requires = "checkpoint", help_heading = "Output")]
    pub(crate) resume: bool,
    /// Picture of the run: F and the distance to the set at each checkpoint
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Table of the run, one line per checkpoint
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) joint: JointArgs,
    #[command(flatten)]
    pub(crate) stream: StreamArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl FitArgs {
    /// The settings that were given; a rate is another word for the first penalty.
    pub(crate) fn settings(&self) -> proxdist::Result<Settings> {
        let settings = self.rho1.apply(self.run.settings.apply(Settings::default())?)?;
        Ok(self.rate.map_or(settings.clone(), |rate| settings.rho1(rate.recip())))
    }
}

/// `tune`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist tune train.csv --target y --grid sparsity:1-20 --out model.json --report report.html\n  \
    proxdist tune train.csv --target y --loss logistic --grid sparsity:1-30 --grid ridge:0,1e-4..1,log,5 --choice best\n  \
    proxdist tune train.csv --target y --constraint nonneg --grid ball:1,5,10 --folds 5")]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) joint: JointArgs,
    /// Values to try: a set's parameter (sparsity:1-20 or sparsity:5,10,20), ridge:0,1e-4..1,log,5 or rho1:1e-3,auto; repeat for more dimensions
    #[arg(long, value_name = "NAME:V,V,...", required = true, action = ArgAction::Append, help_heading = "Tuning")]
    pub(crate) grid: Vec<String>,
    /// Penalty of the first step, `auto`, or several to choose from
    #[arg(long, value_name = "X|auto,...", value_delimiter = ',', value_parser = values::first_penalty, help_heading = "Method")]
    pub(crate) rho1: Vec<String>,
    /// Parts of the data; each is predicted from the others (stratified for classes)
    #[arg(long, default_value_t = CrossValidation::FOLDS, value_name = "K", help_heading = "Tuning")]
    pub(crate) folds: usize,
    /// What to choose by: loss, auc, accuracy, mse, deviance or d2; for times concordance
    #[arg(long, default_value_t = Scoring::default().to_string(), value_name = "NAME", help_heading = "Tuning")]
    pub(crate) score: String,
    /// Which fit to choose: the most constrained within one standard error of the best (one-standard-error), or the best (best)
    #[arg(long, default_value_t = Choice::default(), value_name = "RULE", value_parser = values::choice, help_heading = "Tuning")]
    pub(crate) choice: Choice,
    /// The same as --choice one-standard-error, which is the default
    #[arg(long, conflicts_with = "choice", hide = true)]
    pub(crate) one_standard_error: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is minimised over which set.
#[derive(Debug, Args)]
pub(crate) struct ProblemArgs {
    /// Loss, such as squared, logistic, huber:DELTA, poisson or gamma; `proxdist losses` lists all; `fit` also has cox and ordinal
    #[arg(long, default_value = "squared", value_name = "LOSS", help_heading = "Problem")]
    pub(crate) loss: String,
    /// Set for the coefficients, such as sparsity:20; repeat for an intersection
    #[arg(long, short, value_name = "SET", action = ArgAction::Append, help_heading = "Problem")]
    pub(crate) constraint: Vec<String>,
    /// Weight of the ridge term, half the sum of squares of the coefficients times the standard deviations of their columns, whatever the set; with --no-standardize, of the coefficients
    #[arg(long, default_value_t = 0.0, value_name = "X", help_heading = "Problem")]
    pub(crate) ridge: f64,
    #[command(flatten)]
    pub(crate) units: UnitArgs,
    /// The features are the entries of a matrix, row by row
    #[arg(long, value_name = "ROWSxCOLUMNS", value_parser = values::matrix_shape, help_heading = "Problem")]
    pub(crate) shape: Option<Shape>,
}

/// With an intercept or without, and in which units.
#[derive(Debug, Args)]
pub(crate) struct UnitArgs {
    /// Fit without an intercept
    #[arg(long, help_heading = "Problem")]
    pub(crate) no_intercept: bool,
    /// Scale columns to mean 0 and standard deviation 1 for the fit; done by itself where the set allows it, and the ridge acts as if it were done elsewhere, too
    #[arg(long, conflicts_with = "no_standardize", help_heading = "Problem")]
    pub(crate) standardize: bool,
    /// Fit the columns as they are; the ridge acts on their coefficients
    #[arg(long, help_heading = "Problem")]
    pub(crate) no_standardize: bool,
}

/// The problem and the method.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs<OfRun>,
}

/// What is written and said.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Model file; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Self-contained HTML page about the fit
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// One JSON object on standard output, everything else on standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, notes or summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Exit with status 1 if the run has not converged; the model is written all the same
    #[arg(long)]
    pub(crate) require_convergence: bool,
}

impl OutputArgs {
    /// Standard output holds one thing.
    pub(crate) fn check(&self) -> crate::failure::Result<()> {
        let is_stdout = self.out.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if is_stdout && self.json {
            let message = "--json and --out - both want standard output";
            return Err(crate::failure::Failure::new(message, "write the model to a file: --out model.json"));
        }
        Ok(())
    }
}
