//! How a file is to be read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::bins::{BinRequest, BinRows};
use crate::error::{Error, Result};
use crate::meter::{Meter, Watch};
use crate::outlet::Visit;
use crate::schema::Schema;
use crate::store::Place;
use crate::table::Table;

/// File formats this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text with or without a header; also tab separated and the like.
    Csv,
    /// `label index:value …`, also called LIBSVM.
    Svmlight,
    /// One NumPy array.
    Npy,
    /// A NumPy archive, or a scipy.sparse CSR matrix.
    Npz,
    /// Apache Parquet.
    Parquet,
}

/// What to do with missing values (an empty field, `NA`, `N/A`, `?`, `null`; a null in Parquet).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// They are an error that names line and column. `NaN` is an error too.
    #[default]
    Error,
    /// Rows with a missing value in a column that is used are left out. `NaN` counts as missing.
    Drop,
    /// Numbers: the mean of the column; text: its most frequent value. `NaN` counts as missing.
    /// Rows without target, weight or offset are left out, since these are never invented.
    Mean,
    /// As [`Mean`](Self::Mean), and a column that has gaps in training gets one more feature, `column=missing`, which is 1 where the value is missing. A missing
    /// text is then no other level.
    Indicator,
}

impl Missing {
    /// Whether something is filled in for missing values.
    pub fn fills(self) -> bool {
        matches!(self, Self::Mean | Self::Indicator)
    }
}

/// What the target is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// A number.
    #[default]
    Regression,
    /// One of two labels, which may be text; they become 0 and 1.
    Classes,
}

/// Which indicator columns a text column with levels `a < b < …` becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// Two levels: one column, for the second; three or more: one for each level; a single level: none.
    #[default]
    Auto,
    /// One column for each level, always.
    Full,
    /// One column for each level but the first.
    DropFirst,
}

/// How the features of a text table are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Dense, unless indicator columns make sparse storage at least four times smaller and dense storage large.
    #[default]
    Auto,
    /// A full matrix.
    Dense,
    /// Compressed sparse rows.
    Sparse,
}

/// A category that did not occur in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// An error that names the value, its line and the known levels.
    #[default]
    Error,
    /// All indicator columns of that text column are zero.
    Zero,
}

/// What the column of offsets holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OffsetKind {
    /// What is added to a linear predictor.
    Added,
    /// Exposures, whose logarithms are added.
    Exposure,
}

/// How to read a file; every setting has a default, so that `ReadOptions::new().target("y")` usually suffices.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `format` | by extension, then content | the file format |
/// | `delimiter` | detected | one of `,` `;` tab `\|` blank, or any other ASCII byte |
/// | `header` | detected | whether the first line holds names; without one they are `V1`, `V2`, … |
/// | `target` | none | column name, one-based number as text, array name (`.npz`) or path of an `.npy` file |
/// | `weights`, `offset` | none | likewise; `.npz`: arrays `weights`, `offset` if present |
/// | `ignore` | none | columns to leave out |
/// | `categorical` | none | columns of numbers that are codes and become indicators |
/// | `bins` | none | columns of numbers that become bins, see [`BinRequest`]; the last request that names a column counts |
/// | `bin_rows` | all | rows that bins are learned from |
/// | `task` | regression | whether the target is a number or one of two labels |
/// | `positive` | see [`Classes`](crate::Classes) | the label that becomes 1 |
/// | `one_against_rest` | off | all other labels together become 0 |
/// | `many_classes` | off | more than two labels become 0, 1, … |
/// | `missing` | error | missing values: error, drop rows, fill in means, or also mark them by indicators |
/// | `coding` | auto | which indicator columns a text column becomes |
/// | `max_categories` | 10 000 | most levels of one text column |
/// | `storage` | auto | dense or sparse features |
/// | `columns` | largest index | number of columns of an svmlight file |
/// | `index_base` | 1, or 0 if an index 0 occurs | first index of an svmlight file |
/// | `schema` | none | [`Schema`] of the training table: its columns are found by name and encoded as in training, others are left out; the target is read if the file has it |
/// | `need_target` | off | with a schema, a target that is missing in some rows is a missing value like any other; otherwise it is then left unread |
/// | `unknown` | error | with a schema, a category that did not occur in training |
/// | `memory` | no limit | bytes that the table may take; what is larger stays on the disk and is read in order |
/// | `store` | a temporary folder | where data that are larger are packed, see [`Place`] |
/// | `single` | off | packed features in single precision: half the size, seven digits |
/// | `keep` | none | columns of text files whose fields are handed on as they are, in [`Table::echoed`](crate::Table::echoed) |
/// | `decimal_comma` | off | numbers in text files have a comma for the decimal point |
/// | `watch` | nobody | who is told how far reading is |
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct ReadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: Option<bool>,
    pub(crate) target: Option<String>,
    pub(crate) weights: Option<String>,
    pub(crate) offset: Option<String>,
    /// What that column holds.
    pub(crate) offset_kind: OffsetKind,
    pub(crate) ignore: Vec<String>,
    pub(crate) categorical: Vec<String>,
    pub(crate) bins: Vec<BinRequest>,
    pub(crate) bin_rows: BinRows,
    pub(crate) task: Task,
    pub(crate) positive: Option<String>,
    pub(crate) one_against_rest: bool,
    pub(crate) many_classes: bool,
    pub(crate) missing: Missing,
    pub(crate) coding: Coding,
    pub(crate) max_categories: usize,
    pub(crate) storage: Storage,
    pub(crate) columns: Option<usize>,
    pub(crate) index_base: Option<u8>,
    pub(crate) schema: Option<Schema>,
    pub(crate) need_target: bool,
    pub(crate) unknown: Unknown,
    pub(crate) memory: Option<usize>,
    pub(crate) store: Place,
    pub(crate) single: bool,
    pub(crate) keep: Vec<String>,
    pub(crate) decimal_comma: bool,
    pub(crate) meter: Meter,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            header: None,
            target: None,
            weights: None,
            offset: None,
            offset_kind: OffsetKind::Added,
            ignore: Vec::new(),
            categorical: Vec::new(),
            bins: Vec::new(),
            bin_rows: BinRows::default(),
            task: Task::default(),
            positive: None,
            one_against_rest: false,
            many_classes: false,
            missing: Missing::default(),
            coding: Coding::default(),
            max_categories: 10_000,
            storage: Storage::default(),
            columns: None,
            index_base: None,
            schema: None,
            need_target: false,
            unknown: Unknown::default(),
            memory: None,
            store: Place::default(),
            single: false,
            keep: Vec::new(),
            decimal_comma: false,
            meter: Meter::default(),
        }
    }
}

impl ReadOptions {
    /// Columns to hand on as they are.
    #[must_use]
    pub fn keep<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.keep = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Numbers with a decimal comma, or a point.
    #[must_use]
    pub fn decimal_comma(mut self, on: bool) -> Self {
        self.decimal_comma = on;
        self
    }

    /// The defaults of the table above.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with every column of the schema written out, for a file with this many columns.
    pub(crate) fn written_out(&self, source: &str, columns: usize) -> Result<Cow<'_, Self>> {
        match &self.schema {
            // Before there is a name for each: the schema may be that of another file, or damaged.
            Some(schema) if schema.numbered.is_some_and(|expected| expected > columns) => {
                let (source_name, expected) = (source.to_owned(), schema.width());
                Err(Error::ColumnCount { source_name, found: columns, expected })
            }
            Some(schema) if schema.numbered.is_some() => {
                Ok(Cow::Owned(Self { schema: Some(schema.written_out()), ..self.clone() }))
            }
            _ => Ok(Cow::Borrowed(self)),
        }
    }

    /// Reads the file at `path`, all files of a folder or of a pattern such as `data/*.parquet`, or a packed store; `-` is standard input.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Table> {
        crate::read_path(path, self)
    }

    /// Reads the same in tables of some rows each, so that any number of rows takes little memory. Needs a [`Schema`], which says what columns
    /// become before the last row is seen.
    pub fn read_blocks(&self, paths: &[PathBuf], visit: &mut Visit<'_>) -> Result<()> {
        crate::blocks::read(paths, self, visit)
    }

    /// The file format, where extension and content do not tell.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The byte between fields; a blank stands for any run of blanks.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Whether the first line holds the names of the columns.
    #[must_use]
    pub fn header(mut self, present: bool) -> Self {
        self.header = Some(present);
        self
    }

    /// The response: a column name, a one-based number as text, an array name or the path of an `.npy` file.
    #[must_use]
    pub fn target(mut self, column: impl Into<String>) -> Self {
        self.target = Some(column.into());
        self
    }

    /// The column of observation weights.
    #[must_use]
    pub fn weights(mut self, column: impl Into<String>) -> Self {
        self.weights = Some(column.into());
        self
    }

    /// The column added to the linear predictor.
    #[must_use]
    pub fn offset(mut self, column: impl Into<String>) -> Self {
        self.offset = Some(column.into());
        self.offset_kind = OffsetKind::Added;
        self
    }

    /// The column of exposures (times, areas, populations), all above zero: their logarithms are the offset. It takes the place of [`Self::offset`].
    #[must_use]
    pub fn exposure(mut self, column: impl Into<String>) -> Self {
        self.offset = Some(column.into());
        self.offset_kind = OffsetKind::Exposure;
        self
    }

    /// Whether the offset is the logarithm of its column.
    pub(crate) fn is_exposure(&self) -> bool {
        self.offset_kind == OffsetKind::Exposure
    }

    /// Columns to leave out, added to those already named.
    #[must_use]
    pub fn ignore<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.ignore.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Columns that become indicators though they hold numbers, added to those already named.
    #[must_use]
    pub fn categorical<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.categorical.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Columns of numbers that become bins, added to those already asked for.
    #[must_use]
    pub fn bins(mut self, requests: impl IntoIterator<Item = BinRequest>) -> Self {
        self.bins.extend(requests);
        self
    }

    /// The rows that bins are learned from: a function of the responses, and of whether they are labels.
    #[must_use]
    pub fn bin_rows(mut self, rows: impl Fn(&[f64], bool) -> Option<Vec<usize>> + Send + Sync + 'static) -> Self {
        self.bin_rows = BinRows::of(rows);
        self
    }

    /// Whether the target is a number or one of two labels.
    #[must_use]
    pub fn task(mut self, task: Task) -> Self {
        self.task = task;
        self
    }

    /// The label that becomes 1.
    #[must_use]
    pub fn positive(mut self, label: impl Into<String>) -> Self {
        self.positive = Some(label.into());
        self
    }

    /// Lets all labels but the positive one, which must then be given, become 0.
    #[must_use]
    pub fn one_against_rest(mut self, on: bool) -> Self {
        self.one_against_rest = on;
        self
    }

    /// Takes more than two labels: they become 0, 1, … in order, numbers by size and texts by letters, and [`Schema::classes`] lists them.
    #[must_use]
    pub fn many_classes(mut self, on: bool) -> Self {
        self.many_classes = on;
        self
    }

    /// What to do with missing values.
    #[must_use]
    pub fn missing(mut self, policy: Missing) -> Self {
        self.missing = policy;
        self
    }

    /// Which indicator columns a text column becomes.
    #[must_use]
    pub fn coding(mut self, coding: Coding) -> Self {
        self.coding = coding;
        self
    }

    /// Most levels a text column may have.
    #[must_use]
    pub fn max_categories(mut self, limit: usize) -> Self {
        self.max_categories = limit;
        self
    }

    /// Dense or sparse features.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// The number of feature columns of an svmlight file, where the largest index does not tell.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = Some(columns);
        self
    }

    /// The first index of an svmlight file, 0 or 1.
    #[must_use]
    pub fn index_base(mut self, base: u8) -> Self {
        self.index_base = Some(base);
        self
    }

    /// Encodes exactly as in training: see [`Table::schema`].
    #[must_use]
    pub fn schema(mut self, schema: Schema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// With a schema, whether the target is wanted: gaps in it are then missing values like any other.
    #[must_use]
    pub fn need_target(mut self, needed: bool) -> Self {
        self.need_target = needed;
        self
    }

    /// With a schema, what to do with a category that did not occur in training.
    #[must_use]
    pub fn unknown(mut self, policy: Unknown) -> Self {
        self.unknown = policy;
        self
    }

    /// Bytes that the table may take. A larger one stays on the disk as [`Features::Stored`](crate::Features::Stored): arrays where they are, other
    /// formats packed into a store.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Where data that do not fit into the memory are packed.
    #[must_use]
    pub fn store(mut self, place: Place) -> Self {
        self.store = place;
        self
    }

    /// Packs features in single precision.
    #[must_use]
    pub fn single(mut self, on: bool) -> Self {
        self.single = on;
        self
    }

    /// Who is told how far reading is, and may end it.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.meter = Meter::new(watch);
        self
    }

    /// Whether this many bytes are more than the table may take.
    pub(crate) fn is_too_large(&self, bytes: Option<usize>) -> bool {
        self.memory.is_some_and(|memory| bytes.is_none_or(|bytes| bytes > memory))
    }
}
