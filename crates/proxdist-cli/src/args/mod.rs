//! Text to types: everything the command line can say, and nothing about what is done with it.

pub(crate) mod compare;
mod data;
mod export;
mod fit;
mod joint;
mod path;
mod ranges;
mod reproduce;
mod scorecard;
mod settings;
mod stream;
mod summary;
mod theory;
mod values;

pub(crate) use compare::CompareArgs;
pub(crate) use data::{DataArgs, Delimiter, MissingPolicy, NewDataArgs, TextArgs, UnknownPolicy};
pub(crate) use export::{ExportArgs, ExportForm};
pub(crate) use fit::{FitArgs, OutputArgs, ProblemArgs, RunArgs, TuneArgs, UnitArgs};
pub(crate) use joint::JointArgs;
pub(crate) use path::{PathArgs, Select};
pub(crate) use ranges::{Ridges, Sizes};
pub(crate) use reproduce::ReproduceArgs;
pub(crate) use scorecard::ScorecardArgs;
pub(crate) use settings::SettingArgs;
pub(crate) use stream::{Every, StreamArgs};
pub(crate) use summary::SummaryArgs;
pub(crate) use theory::TheoryArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "proxdist",
    version,
    about = "Fit statistical models under exact constraints",
    long_about = "Fit statistical models under exact constraints: at most s nonzero coefficients, a norm ball, a low rank, \
                  a simplex, a sign, an order, or several of these at once.\n\nproxdist minimises the average loss over the \
                  rows of a file, plus a ridge term if wanted, over all coefficients in the set. It uses the stochastic \
                  proximal distance iteration, and ends on a point of the set with a certificate of how good it is.",
    after_help = "Examples:\n  \
        proxdist fit train.csv --target y --loss logistic --constraint sparsity:20 --out model.json --report report.html\n  \
        proxdist predict model.json new.csv --proba > predictions.csv\n  \
        proxdist evaluate model.json test.csv\n  \
        proxdist summary model.json train.csv\n  \
        proxdist path train.csv --target y --loss logistic --sizes 1-30 --out model.json --report path.html\n  \
        proxdist tune train.csv --target y --constraint nonneg --grid ball:1,5,10 --out model.json\n\n\
        Exit status: 0 result written; 1 written but not converged under --require-convergence; 2 nothing written.",
    subcommand_required = true,
    arg_required_else_help = false,
    disable_help_subcommand = false,
    max_term_width = 110
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit a model to a file
    Fit(Box<FitArgs>),
    /// Predict the rows of a file with a fitted model
    Predict(PredictArgs),
    /// Measure how well a model predicts a file
    Evaluate(EvaluateArgs),
    /// Standard errors, intervals and repetitions: what the coefficients of a model are worth
    Summary(Box<SummaryArgs>),
    /// Write a model as SQL, Python, C, PMML or a formula, to be used without this program
    Export(ExportArgs),
    /// Whole points for the features of a model of two labels, to be added up by hand
    Scorecard(Box<ScorecardArgs>),
    /// Choose the parameters of sets, ridge or rho1 by cross-validation, then refit
    Tune(Box<TuneArgs>),
    /// Find good models of all sizes, from one feature to many, and choose one of them
    Path(Box<PathArgs>),
    /// Compute the constants, bounds and rates of the convergence theory on a file, and measure beside them
    Theory(Box<TheoryArgs>),
    /// Run several methods on the same data and see how far each one gets
    Compare(Box<CompareArgs>),
    /// Draw data from the generators of the paper
    Simulate(SimulateArgs),
    /// Repeat the experiments of the paper and compare
    Reproduce(ReproduceArgs),
    /// List the losses
    Losses(CatalogueArgs),
    /// List the sets a parameter can be held to
    Constraints(CatalogueArgs),
    /// List the methods
    Methods(CatalogueArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  \
        proxdist completions bash > ~/.local/share/bash-completion/completions/proxdist\n  \
        proxdist completions zsh > ~/.zfunc/_proxdist")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(after_help = "Examples:\n  proxdist man | man -l -\n  proxdist man --dir ~/.local/share/man/man1")]
    Man {
        /// Folder for one page per command
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// `predict`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist predict model.json new.csv > predictions.csv\n  \
    proxdist predict model.json new.csv --proba --out probabilities.csv\n  \
    proxdist predict model.json new.csv --keep id,name --missing drop\n  \
    zcat new.csv.gz | proxdist predict model.json - --linear\n\n\
    There is one line for each row of the file, in its order; a row that --missing drop leaves out has the line NA.")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct PredictArgs {
    /// Model file written by fit, tune or path; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: NewDataArgs,
    /// Probabilities of the positive label instead of labels
    #[arg(long, conflicts_with = "linear")]
    pub(crate) proba: bool,
    /// Linear predictors: coefficients times features, plus intercept and offset
    #[arg(long)]
    pub(crate) linear: bool,
    /// Times at which a model of --loss cox gives the chance to be without the event
    #[arg(long, value_name = "T,...", value_delimiter = ',', value_parser = values::time)]
    pub(crate) times: Vec<f64>,
    /// Columns of the file to write in front of each prediction, such as those that say who a row is
    #[arg(long, value_name = "COL,...", value_delimiter = ',', action = clap::ArgAction::Append)]
    pub(crate) keep: Vec<String>,
    /// File to write; standard output otherwise
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write labels and kept columns as they are; those that a spreadsheet would run as a formula (=, +, -, @ in front) get an apostrophe otherwise
    #[arg(long)]
    pub(crate) raw: bool,
    /// No notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `evaluate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist evaluate model.json test.csv\n  \
    proxdist evaluate model.json test.svm.gz --json\n  \
    proxdist evaluate model.json test.csv --report roc.html\n  \
    proxdist evaluate model.json train.csv --rows heldout     the rows that `fit --holdout` kept out")]
pub(crate) struct EvaluateArgs {
    /// Model file written by fit, tune or path; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: NewDataArgs,
    /// Which rows to evaluate on: after `fit --holdout`, the kept-out ones or the rest can be chosen
    #[arg(long, value_enum, default_value_t = RowsArg::All, value_name = "WHICH")]
    pub(crate) rows: RowsArg,
    /// HTML page with ROC and calibration, or residuals
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// No notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Which rows of the file a model is evaluated on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowsArg {
    /// All rows
    All,
    /// Those that `fit --holdout` kept out of the fit
    Heldout,
    /// Those that entered the fit
    Training,
}

/// `simulate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist simulate linear --n 10000 --p 1000 --s 5 --seed 1 --out demo\n  \
    proxdist simulate logistic --n 500 --p 20 --ball --out demo --format csv\n  \
    proxdist simulate matrix --n 5000 --rank 2 --out demo\n\n\
    Writes DIR/data.npz (arrays X and y) or DIR/data.csv, and DIR/truth.json.")]
pub(crate) struct SimulateArgs {
    /// Which model draws the response
    #[arg(value_enum)]
    pub(crate) model: SimulatedModel,
    /// Rows
    #[arg(long, value_name = "N")]
    pub(crate) n: usize,
    /// Features; matrices are 64x64
    #[arg(long, value_name = "P")]
    pub(crate) p: Option<usize>,
    /// Nonzero entries of the truth, uniform on (-7,-4) and (4,7) [default: 5]
    #[arg(long, value_name = "S", conflicts_with_all = ["ball", "rank"])]
    pub(crate) s: Option<usize>,
    /// A dense truth of norm 2, outside the unit ball
    #[arg(long, conflicts_with = "rank")]
    pub(crate) ball: bool,
    /// Rank of a matrix truth [default: 2]
    #[arg(long, value_name = "R")]
    pub(crate) rank: Option<usize>,
    /// Fixes the numbers
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Folder to write, made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// File format
    #[arg(long, value_enum, default_value_t = SimulatedFormat::Npz)]
    pub(crate) format: SimulatedFormat,
    /// No summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Generators of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimulatedModel {
    /// Normal errors
    Linear,
    /// Labels 0 and 1 with the logit link
    Logistic,
    /// Normal errors and outliers in a tenth of the rows
    Huber,
    /// 64x64 matrix covariates, normal errors
    Matrix,
}

/// Formats of simulated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimulatedFormat {
    /// NumPy archive with X and y
    Npz,
    /// Text with columns x1, ..., xp, y
    Csv,
}

/// `losses`, `constraints`, `methods`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  proxdist constraints\n  proxdist losses --json")]
pub(crate) struct CatalogueArgs {
    /// One JSON array on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
