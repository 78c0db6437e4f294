//! Everything that can be wrong with a file, in one enum: the message names the place, [`Error::hint`] the remedy.

use std::fmt;
use std::path::PathBuf;

use proxdist::binning::BinFault;

/// Shorthand used throughout the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Where in a file something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File name, or `standard input`.
    pub source: String,
    /// One-based line of a text file, counting the header.
    pub line: Option<u64>,
    /// One-based row of a binary file.
    pub row: Option<u64>,
    /// One-based number and name of the column.
    pub column: Option<(usize, String)>,
}

impl Place {
    pub(crate) fn file(source: &str) -> Self {
        Self { source: source.to_owned(), ..Self::default() }
    }

    pub(crate) fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    pub(crate) fn row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// `index` is zero-based here, as in the code; people read one-based numbers.
    pub(crate) fn column(mut self, index: usize, name: &str) -> Self {
        self.column = Some((index + 1, name.to_owned()));
        self
    }

    pub(crate) fn boxed(self) -> Box<Self> {
        Box::new(self)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.source)?;
        if let Some(line) = self.line {
            write!(out, ", line {line}")?;
        }
        if let Some(row) = self.row {
            write!(out, ", row {row}")?;
        }
        match &self.column {
            Some((number, name)) if name.is_empty() => write!(out, ", column {number}"),
            Some((number, name)) => write!(out, ", column {number} ({})", shortened(name)),
            None => Ok(()),
        }
    }
}

/// What went wrong while reading a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant says what its fields are")]
pub enum Error {
    /// There is no file at the path.
    #[error("{}: there is no such file", path.display())]
    FileMissing { path: PathBuf },
    /// The operating system refused to read.
    #[error("{source_name}: cannot be read: {source}")]
    Io { source_name: String, source: std::io::Error },
    /// Neither extension nor content tell a format.
    #[error("{source_name}: the format is not recognised ({found})")]
    UnknownFormat { source_name: String, found: String },
    /// The first bytes belong to another format.
    #[error("{source_name}: this is not a {expected} file (it begins with {found})")]
    WrongMagic { source_name: String, expected: &'static str, found: String },
    /// The format is behind a cargo feature that is off.
    #[error("{source_name}: {format} files cannot be read by this build")]
    FormatNotBuilt { source_name: String, format: &'static str },
    /// There is nothing in the file.
    #[error("{source_name}: the file is empty")]
    EmptyFile { source_name: String },
    /// There are names but no rows.
    #[error("{source_name}: there is a header with {columns} names but no row of data")]
    HeaderOnly { source_name: String, columns: usize },
    /// Every row was dropped.
    #[error("{source_name}: no row is left, all {rows} have missing values")]
    NoRowsLeft { source_name: String, rows: u64 },
    /// All columns have another role.
    #[error("{source_name}: no feature column is left")]
    NoFeatures { source_name: String },
    /// Compressed data that end in the middle.
    #[error("{source_name}: the gzip data end too early, after {bytes} bytes of content")]
    TruncatedGzip { source_name: String, bytes: u64 },
    /// Compressed data that cannot be unpacked.
    #[error("{source_name}: the gzip data are damaged after {bytes} bytes of content: {reason}")]
    CorruptGzip { source_name: String, bytes: u64, reason: String },

    /// A line with too many or too few fields.
    #[error("{place}: {found} fields, but {expected} columns are expected")]
    RaggedRow { place: Box<Place>, found: usize, expected: usize },
    /// A quote that is not closed, or closed too early.
    #[error("{place}: {reason}")]
    Quote { place: Box<Place>, reason: &'static str },
    /// Text where a number is needed.
    #[error("{place}: {text:?} is not a number")]
    NotANumber { place: Box<Place>, text: String },
    /// `NaN` or an infinity.
    #[error("{place}: {text:?} is not a finite number")]
    NotFinite { place: Box<Place>, text: String },
    /// A missing value where none is allowed.
    #[error("{place}: the value is missing ({text:?})")]
    MissingValue { place: Box<Place>, text: String },
    /// A missing value where means are to be filled in but the model knows none.
    #[error("{place}: the value is missing ({text:?}) and the model knows no value to fill in")]
    NoFill { place: Box<Place>, text: String },
    /// `NaN` or an infinity among the entries of a sparse matrix.
    #[error("{place}: {text:?} is not a finite number, and a sparse matrix has no missing values")]
    SparseNotFinite { place: Box<Place>, text: String },
    /// A column in which every value is missing.
    #[error("{place}: every value is missing, so there is no mean to fill in")]
    NoMean { place: Box<Place> },
    /// Text in another encoding.
    #[error("{place}: the text is not UTF-8 ({text:?})")]
    NotUtf8 { place: Box<Place>, text: String },
    /// A weight below zero.
    #[error("{place}: the weight {value} is negative")]
    NegativeWeight { place: Box<Place>, value: f64 },
    /// An exposure that has no logarithm.
    #[error("{place}: an exposure must be above zero, got {value}")]
    Exposure { place: Box<Place>, value: f64 },

    /// A column of numbers with a decimal comma.
    #[error("{place}: {text:?} looks like a number with a decimal comma")]
    DecimalComma { place: Box<Place>, text: String },

    /// A column that is asked for but not there; `nearest` are similar names.
    #[error("{source_name}: there is no column {wanted:?} to use as {role} among {columns} columns")]
    UnknownColumn { source_name: String, role: &'static str, wanted: String, nearest: Vec<String>, columns: usize },
    /// A column asked for in two roles.
    #[error("{source_name}: column {column:?} is asked for twice, as {first} and as {second}")]
    TwoRoles { source_name: String, column: String, first: &'static str, second: &'static str },
    /// Two columns of one name, by one-based number.
    #[error("{source_name}: columns {first} and {second} have the same name {name:?}")]
    DuplicateName { source_name: String, name: String, first: usize, second: usize },
    /// A matrix that does not fit the model.
    #[error("{source_name}: {found} feature columns, but the model was trained on {expected}")]
    ColumnCount { source_name: String, found: usize, expected: usize },

    /// All labels are the same.
    #[error("{place}: all {rows} labels are {label:?}: two classes are needed")]
    OneClass { place: Box<Place>, label: String, rows: usize },
    /// There are more than two labels.
    #[error("{place}: more than two classes ({})", list(labels))]
    ManyClasses { place: Box<Place>, labels: Vec<String> },
    /// A label that does not occur, or did not occur in training.
    #[error("{place}: the label {label:?} is not among the labels ({})", list(labels))]
    UnknownLabel { place: Box<Place>, label: String, labels: Vec<String> },
    /// A text column with more levels than allowed.
    #[error("{place}: more than {limit} different texts, each would become a column")]
    TooManyCategories { place: Box<Place>, limit: usize },
    /// A text column with another text in every row.
    #[error("{place}: {rows} rows with {rows} different texts: this looks like an identifier, not a category")]
    Identifier { place: Box<Place>, rows: usize },
    /// A text that did not occur in training.
    #[error("{place}: the category {value:?} did not occur in training (known: {})", list(known))]
    UnknownCategory { place: Box<Place>, value: String, known: Vec<String> },

    /// A list of columns for bins that means none of the file.
    #[error("{source_name}: bins of {wanted}: {reason}")]
    BinColumns { source_name: String, wanted: String, reason: String },
    /// A text column that is to have bins.
    #[error("{place}: bins are for numbers, and this column holds text")]
    BinsOfText { place: Box<Place> },
    /// A column without bins.
    #[error("{place}: {fault}")]
    Bins { place: Box<Place>, fault: BinFault },
    /// Data that bins cannot be learned from.
    #[error("{source_name}: bins are learned from CSV or Parquet files in memory, and this is {what}")]
    BinsNotHere { source_name: String, what: String },

    /// Not an `index:value` pair.
    #[error("{place}: {text:?} is not of the form index:value")]
    BadPair { place: Box<Place>, text: String },
    /// Indices that do not increase.
    #[error("{place}: index {index} follows {previous}: indices must increase")]
    IndexOrder { place: Box<Place>, index: u64, previous: u64 },
    /// An index above the number of columns.
    #[error("{place}: index {index} is beyond the number of columns, {columns}")]
    IndexBeyond { place: Box<Place>, index: u64, columns: u64 },
    /// More columns than a file of this size stands for.
    #[error("{place}: {columns} columns for {entries} entries; at most {most} are believed")]
    TooManyColumns { place: Box<Place>, columns: u64, entries: u64, most: u64 },
    /// An index 0 where indices start at 1.
    #[error("{place}: index 0 in a file whose indices start at 1")]
    IndexZero { place: Box<Place> },

    /// An array of an unsupported type.
    #[error("{source_name}: arrays of type {dtype:?} cannot be read")]
    Dtype { source_name: String, dtype: String },
    /// An array header that makes no sense.
    #[error("{source_name}: the header of the array is damaged: {reason}")]
    NpyHeader { source_name: String, reason: String },
    /// An array of the wrong shape.
    #[error("{source_name}: the shape is {found}, but {expected} is needed")]
    Shape { source_name: String, found: String, expected: String },
    /// An array that ends too early.
    #[error("{source_name}: the data end too early: {expected} bytes are announced, {found} are there")]
    Truncated { source_name: String, expected: u64, found: u64 },
    /// An array that is asked for but not in the archive.
    #[error("{source_name}: there is no array {wanted:?} in the archive (arrays: {})", list(present))]
    NoArray { source_name: String, wanted: String, present: Vec<String> },
    /// Index arrays that contradict each other.
    #[error("{source_name}: the sparse matrix is inconsistent: {reason}")]
    SparseMatrix { source_name: String, reason: String },
    /// An archive that cannot be opened.
    #[error("{source_name}: the archive is damaged: {reason}")]
    Archive { source_name: String, reason: String },
    /// A Parquet file that cannot be decoded.
    #[error("{source_name}: the Parquet file is damaged: {reason}")]
    Parquet { source_name: String, reason: String },
    /// A Parquet column of an unsupported type.
    #[error("{place}: columns of type {kind} cannot be used")]
    ColumnType { place: Box<Place>, kind: String },
    /// More than the memory holds.
    #[error("{source_name}: not enough memory for {what}")]
    TooLarge { source_name: String, what: String },
    /// More than the memory that may be used.
    #[error("{source_name}: {what} take about {}, but the limit is {}", size(*need), size(*limit))]
    OverLimit { source_name: String, what: String, need: u64, limit: u64 },
    /// A file that is not what it was when reading began.
    #[error("{source_name}: the file {how} while it was being read")]
    Changed { source_name: String, how: &'static str },
    /// A folder or pattern without files.
    #[error("{source_name}: there is no data file {place}")]
    NoFiles { source_name: String, place: &'static str },
    /// Files of one data set in different formats.
    #[error("{source_name}: this is a {found} file, but {first} is a {expected} file")]
    MixedFormats { source_name: String, found: &'static str, first: String, expected: &'static str },
    /// A format of which one file is a data set.
    #[error("{source_name}: several {format} files cannot be read as one data set")]
    OneFileOnly { source_name: String, format: &'static str },
    /// Files of one data set with other columns; `column` counts from one.
    #[error("{source_name}: column {column} is {found}, but {expected} in {first}")]
    DifferentColumns { source_name: String, column: usize, found: String, first: String, expected: String },
    /// Files of one data set with other types.
    #[error("{place}: the column holds {found}, but {expected} in {first}")]
    DifferentTypes { place: Box<Place>, found: &'static str, first: String, expected: &'static str },
    /// A packed store that makes no sense.
    #[error("{source_name}: the packed store is damaged: {reason}")]
    Store { source_name: String, reason: String },
    /// A packed store that was packed with other columns than are asked for.
    #[error("{source_name}: {reason}")]
    PackedOtherwise { source_name: String, reason: String },
    /// The operating system refused to write.
    #[error("{}: cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    /// Someone asked that reading end.
    #[error("reading was interrupted")]
    Stopped,
    /// A setting that cannot work.
    #[error("{setting}: {reason}")]
    Setting { setting: &'static str, reason: String },
}

/// An amount of memory for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let bytes = bytes as f64;
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// Up to a dozen items, quoted, so that a message stays readable whatever the file holds.
fn list(items: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut text: Vec<String> = items.iter().take(SHOWN).map(|item| format!("{:?}", shortened(item))).collect();
    if items.len() > SHOWN {
        text.push(format!("and {} more", items.len() - SHOWN));
    }
    if text.is_empty() { "none".to_owned() } else { text.join(", ") }
}

/// Text taken from a file, cut to a length fit for a message.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LONGEST).collect();
    short.push('…');
    short
}

/// Bytes taken from a file, for a message.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(&bytes[..bytes.len().min(400)]))
}
