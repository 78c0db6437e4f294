//! Options that say how a file is read.

use clap::{ArgAction, Args, ValueEnum};
use proxdist_io::BinRequest;
use std::path::{Path, PathBuf};

/// A file to train on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct DataArgs {
    /// Training file: .csv, .tsv, .svm, .npy, .npz or .parquet, text also with .gz; a folder or pattern of CSV, svmlight or Parquet files; a packed store; `-` for CSV on standard input
    #[arg(value_name = "DATA", help_heading = None)]
    pub(crate) data: PathBuf,
    /// Further files of the same columns
    #[arg(value_name = "MORE", help_heading = None, hide_short_help = true)]
    pub(crate) more: Vec<PathBuf>,
    /// Column to be explained: a name, a number from 1, an array of the archive, or a .npy file; several names, with commas between, are explained together by `fit`
    #[arg(long, short, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Label that counts as positive
    #[arg(long, value_name = "LABEL")]
    pub(crate) positive: Option<String>,
    /// Take all labels but the positive one together
    #[arg(long, requires = "positive")]
    pub(crate) one_vs_rest: bool,
    /// Column of observation weights
    #[arg(long, value_name = "COL")]
    pub(crate) weights: Option<String>,
    /// Column added to the linear predictor as it is; for several outputs one for each, with commas between
    #[arg(long, value_name = "COL")]
    pub(crate) offset: Option<String>,
    /// Column of exposures (times, areas, populations), for losses with a log link: rates are per unit of it
    #[arg(long, value_name = "COL", conflicts_with = "offset")]
    pub(crate) exposure: Option<String>,
    /// Columns to leave out
    #[arg(long, value_name = "COL,...", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) ignore: Vec<String>,
    /// Columns of codes that become indicator columns; text columns do so by themselves
    #[arg(long, value_name = "COL,...", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) categorical: Vec<String>,
    /// Columns of numbers that become bins: quantile:5, or monotone:5 with event rates that rise or fall; for some columns as in age,dose_*=monotone:6; +missing behind gives gaps a bin; repeat for more
    #[arg(long, value_name = "[COLS=]RULE", value_parser = super::values::bins, action = ArgAction::Append)]
    pub(crate) bins: Vec<BinRequest>,
    /// Number of features of an svmlight file, where the largest index does not tell
    #[arg(long, value_name = "P")]
    pub(crate) features: Option<usize>,
    /// Folder for data that are packed because they are larger than the memory; used again while the source is unchanged [default: that of --out, or temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Pack features in single precision: half the size and the reading, seven digits
    #[arg(long)]
    pub(crate) single: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

impl DataArgs {
    /// The columns to be explained: several, where commas stand between them.
    pub(crate) fn targets(&self) -> Vec<String> {
        let Some(text) = &self.target else { return Vec::new() };
        // A name with a comma stands in backticks.
        if let Some(name) = text.trim().strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            return vec![name.to_owned()];
        }
        if !text.contains(',') {
            return vec![text.clone()];
        }
        text.split(',').map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
    }

    /// Several names of `--offset`, one for each output; none if it is one column or not given.
    pub(crate) fn offsets(&self) -> Vec<String> {
        several(self.offset.as_deref())
    }

    /// The one column of `--offset`.
    pub(crate) fn one_offset(&self) -> Option<String> {
        self.offset.clone().filter(|_| self.offsets().is_empty())
    }

    /// All paths.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().map(Path::to_owned).collect()
    }

    /// All paths, to look at.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        std::iter::once(&self.data).chain(&self.more).map(PathBuf::as_path).collect()
    }

    /// How the data are called.
    pub(crate) fn name(&self) -> String {
        name(&self.data, &self.more)
    }
}

fn name(first: &Path, more: &[PathBuf]) -> String {
    match more.len() {
        0 => first.display().to_string(),
        count => format!("{} and {count} more", first.display()),
    }
}

/// A file to predict or evaluate: its encoding comes from the model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct NewDataArgs {
    /// Data file with the columns of the training file, or a folder or pattern of such files; `-` for CSV on standard input
    #[arg(value_name = "DATA", help_heading = None)]
    pub(crate) data: PathBuf,
    /// Further files of the same columns
    #[arg(value_name = "MORE", help_heading = None, hide_short_help = true)]
    pub(crate) more: Vec<PathBuf>,
    /// Memory that may be used, such as 512M or 2G [default: half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = super::values::memory)]
    pub(crate) memory: Option<usize>,
    /// Column of true responses, if it is not called as in training
    #[arg(long, short, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Column of observation weights
    #[arg(long, value_name = "COL")]
    pub(crate) weights: Option<String>,
    /// Column added to the linear predictor, or one for each output; as in training if the model was fitted with one
    #[arg(long, value_name = "COL")]
    pub(crate) offset: Option<String>,
    /// Column of exposures; as in training if the model was fitted with one
    #[arg(long, value_name = "COL", conflicts_with = "offset")]
    pub(crate) exposure: Option<String>,
    /// What to do with a category that did not occur in training
    #[arg(long, value_enum, default_value_t = UnknownPolicy::Error, value_name = "POLICY")]
    pub(crate) unknown: UnknownPolicy,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

impl NewDataArgs {
    /// All paths.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().map(Path::to_owned).collect()
    }

    /// All paths, to look at.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        std::iter::once(&self.data).chain(&self.more).map(PathBuf::as_path).collect()
    }

    /// How the data are called.
    pub(crate) fn name(&self) -> String {
        name(&self.data, &self.more)
    }
}

/// What text files do not always tell.
#[derive(Clone, Debug, Args)]
pub(crate) struct TextArgs {
    /// The first line holds names (detected otherwise)
    #[arg(long, conflicts_with = "no_header")]
    pub(crate) header: bool,
    /// The first line holds data; columns are then called V1, V2, ...
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Character between fields, or `tab` (detected otherwise)
    #[arg(long, value_name = "CHAR", value_parser = super::values::delimiter)]
    pub(crate) delimiter: Option<Delimiter>,
    /// Decimal sign of the numbers in a text file: `.` or `,`
    #[arg(long, value_name = "CHAR", default_value = ".", value_parser = super::values::decimal, hide_default_value = true)]
    pub(crate) decimal: char,
    /// What to do with missing values
    #[arg(long, value_enum, default_value_t = MissingPolicy::Error, value_name = "POLICY")]
    pub(crate) missing: MissingPolicy,
}

/// One byte between fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delimiter(pub(crate) u8);

/// Missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingPolicy {
    /// An error that names line and column
    Error,
    /// Leave such rows out; predictions of them are NA
    Drop,
    /// Fill in the mean, or the most frequent text, of the training file
    Mean,
    /// Fill in means, and mark what was missing in further columns, COL=missing
    Indicator,
}

/// Categories that did not occur in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownPolicy {
    /// An error that names the value
    Error,
    /// None of the known categories
    Zero,
}

impl NewDataArgs {
    /// Several names of `--offset`, one for each output.
    pub(crate) fn offsets(&self) -> Vec<String> {
        several(self.offset.as_deref())
    }
}

/// Names with commas between, if they are more than one.
fn several(text: Option<&str>) -> Vec<String> {
    let names = text.filter(|text| text.contains(',')).into_iter().flat_map(|text| text.split(','));
    names.map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}
