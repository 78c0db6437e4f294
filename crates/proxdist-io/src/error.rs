//! Everything that can be wrong with a file, in one enum: the message names the place, [`Error::hint`] the remedy.

use std::fmt;
use std::path::PathBuf;

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
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    #[error("{}: there is no such file", path.display())]
    FileMissing { path: PathBuf },
    #[error("{source_name}: cannot be read: {source}")]
    Io { source_name: String, source: std::io::Error },
    #[error("{source_name}: the format is not recognised ({found})")]
    UnknownFormat { source_name: String, found: String },
    #[error("{source_name}: this is not a {expected} file (it begins with {found})")]
    WrongMagic { source_name: String, expected: &'static str, found: String },
    #[error("{source_name}: {format} files cannot be read by this build")]
    FormatNotBuilt { source_name: String, format: &'static str },
    #[error("{source_name}: the file is empty")]
    EmptyFile { source_name: String },
    #[error("{source_name}: there is a header with {columns} names but no row of data")]
    HeaderOnly { source_name: String, columns: usize },
    #[error("{source_name}: no row is left, all {rows} have missing values")]
    NoRowsLeft { source_name: String, rows: u64 },
    #[error("{source_name}: no feature column is left")]
    NoFeatures { source_name: String },
    #[error("{source_name}: the gzip data end too early, after {bytes} bytes of content")]
    TruncatedGzip { source_name: String, bytes: u64 },
    #[error("{source_name}: the gzip data are damaged after {bytes} bytes of content: {reason}")]
    CorruptGzip { source_name: String, bytes: u64, reason: String },

    #[error("{place}: {found} fields, but {expected} columns are expected")]
    RaggedRow { place: Box<Place>, found: usize, expected: usize },
    #[error("{place}: {reason}")]
    Quote { place: Box<Place>, reason: &'static str },
    #[error("{place}: {text:?} is not a number")]
    NotANumber { place: Box<Place>, text: String },
    #[error("{place}: {text:?} is not a finite number")]
    NotFinite { place: Box<Place>, text: String },
    #[error("{place}: the value is missing ({text:?})")]
    MissingValue { place: Box<Place>, text: String },
    #[error("{place}: every value is missing, so there is no mean to fill in")]
    NoMean { place: Box<Place> },
    #[error("{place}: the text is not UTF-8 ({text:?})")]
    NotUtf8 { place: Box<Place>, text: String },
    #[error("{place}: the weight {value} is negative")]
    NegativeWeight { place: Box<Place>, value: f64 },

    #[error("{source_name}: there is no column {wanted:?} to use as {role} among {columns} columns")]
    UnknownColumn { source_name: String, role: &'static str, wanted: String, nearest: Vec<String>, columns: usize },
    #[error("{source_name}: column {column:?} is asked for twice, as {first} and as {second}")]
    TwoRoles { source_name: String, column: String, first: &'static str, second: &'static str },
    #[error("{source_name}: columns {first} and {second} have the same name {name:?}")]
    DuplicateName { source_name: String, name: String, first: usize, second: usize },
    #[error("{source_name}: {found} feature columns, but the model was trained on {expected}")]
    ColumnCount { source_name: String, found: usize, expected: usize },

    #[error("{place}: all {rows} labels are {label:?}: two classes are needed")]
    OneClass { place: Box<Place>, label: String, rows: usize },
    #[error("{place}: more than two classes ({})", list(labels))]
    ManyClasses { place: Box<Place>, labels: Vec<String> },
    #[error("{place}: the label {label:?} is not among the labels ({})", list(labels))]
    UnknownLabel { place: Box<Place>, label: String, labels: Vec<String> },
    #[error("{place}: more than {limit} different texts, each would become a column")]
    TooManyCategories { place: Box<Place>, limit: usize },
    #[error("{place}: {rows} rows with {rows} different texts: this looks like an identifier, not a category")]
    Identifier { place: Box<Place>, rows: usize },
    #[error("{place}: the category {value:?} did not occur in training (known: {})", list(known))]
    UnknownCategory { place: Box<Place>, value: String, known: Vec<String> },

    #[error("{place}: {text:?} is not of the form index:value")]
    BadPair { place: Box<Place>, text: String },
    #[error("{place}: index {index} follows {previous}: indices must increase")]
    IndexOrder { place: Box<Place>, index: u64, previous: u64 },
    #[error("{place}: index {index} is beyond the number of columns, {columns}")]
    IndexBeyond { place: Box<Place>, index: u64, columns: u64 },
    #[error("{place}: index 0 in a file whose indices start at 1")]
    IndexZero { place: Box<Place> },

    #[error("{source_name}: arrays of type {dtype:?} cannot be read")]
    Dtype { source_name: String, dtype: String },
    #[error("{source_name}: the header of the array is damaged: {reason}")]
    NpyHeader { source_name: String, reason: String },
    #[error("{source_name}: the shape is {found}, but {expected} is needed")]
    Shape { source_name: String, found: String, expected: String },
    #[error("{source_name}: the data end too early: {expected} bytes are announced, {found} are there")]
    Truncated { source_name: String, expected: u64, found: u64 },
    #[error("{source_name}: there is no array {wanted:?} in the archive (arrays: {})", list(present))]
    NoArray { source_name: String, wanted: String, present: Vec<String> },
    #[error("{source_name}: the sparse matrix is inconsistent: {reason}")]
    SparseMatrix { source_name: String, reason: String },
    #[error("{source_name}: the archive is damaged: {reason}")]
    Archive { source_name: String, reason: String },
    #[error("{source_name}: the Parquet file is damaged: {reason}")]
    Parquet { source_name: String, reason: String },
    #[error("{place}: columns of type {kind} cannot be used")]
    ColumnType { place: Box<Place>, kind: String },
    #[error("{source_name}: not enough memory for {what}")]
    TooLarge { source_name: String, what: String },
    #[error("{setting}: {reason}")]
    Setting { setting: &'static str, reason: String },
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
