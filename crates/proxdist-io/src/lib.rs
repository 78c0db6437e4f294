//! Bytes in, data sets or an error with a place out.
//!
//! | format | extensions | features | notes |
//! |---|---|---|---|
//! | delimited text | `.csv`, `.tsv`, … | dense or sparse | delimiter and header are detected; text becomes indicators |
//! | svmlight | `.svm`, `.libsvm` | sparse | |
//! | NumPy array | `.npy` | mapped | the target is a column or another `.npy` file |
//! | NumPy archive | `.npz` | dense or sparse | arrays `X`, target, `weights`, `offset`; or scipy.sparse CSR |
//! | Parquet | `.parquet` | dense or sparse | cargo feature `parquet`, on by default |
//!
//! Anything may be gzip compressed. Extensions are a first guess; magic bytes and content decide.
//!
//! ```
//! use proxdist_io::{Missing, ReadOptions, Task, read_bytes};
//!
//! let text = "age;smoker;ill\n31;no;negative\n54;yes;positive\n47;yes;negative\n";
//! let options = ReadOptions::new().target("ill").task(Task::Classes);
//! let table = read_bytes(text.as_bytes(), "patients.csv", &options)?;
//! assert_eq!(table.names(), ["age", "smoker=yes"]);
//! assert_eq!(table.features.row(1), [54.0, 1.0]);
//! assert_eq!(table.response.unwrap(), [0.0, 1.0, 0.0]);
//! assert_eq!(table.classes.unwrap().positive, "positive");
//!
//! // Another file, without target and in another order, encoded as in training:
//! let options = ReadOptions::new().schema(table.schema);
//! let table = read_bytes(b"smoker,age\nyes,60\n", "new.csv", &options)?;
//! assert_eq!(table.features.row(0), [60.0, 1.0]);
//!
//! // A mistake has a place and a remedy:
//! let error = read_bytes(b"x,y\n1,2\n?,4\n", "gap.csv", &ReadOptions::new()).unwrap_err();
//! assert_eq!(error.to_string(), "gap.csv, line 3, column 1 (x): the value is missing (\"?\")");
//! assert!(error.hint().contains("drop rows"));
//! # Ok::<(), proxdist_io::Error>(())
//! ```

mod arrays;
mod blocks;
mod collect;
mod compression;
mod csv;
mod encode;
mod error;
mod format;
mod hint;
mod labels;
mod layout;
mod mapped;
mod npy;
mod npz;
mod number;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod schema;
mod svmlight;
mod table;

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use compression::{Input, Lines};

pub use blocks::{Blocks, Encoding, Next};
pub use error::{Error, Place, Result};
pub use labels::Classes;
pub use mapped::Mapped;
pub use npy::npy_header;
pub use options::{Coding, Format, Missing, ReadOptions, Storage, Task, Unknown};
pub use schema::{ColumnKind, MOST_COLUMNS, Schema, SchemaColumn};
pub use table::{Features, Table};

/// Reads the file at `path`, or standard input for `-`.
///
/// An `.npy` file of native floating-point numbers is mapped into memory and stays so; it is looked through once to
/// make sure that all numbers are finite. Another program that changes the file meanwhile changes the data, and one
/// that shortens it ends this process.
pub fn read_path(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table> {
    let path = path.as_ref();
    if path.as_os_str() == "-" {
        return read_from(std::io::stdin().lock(), "standard input", options);
    }
    check(options)?;
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|error| open_error(path, error))?;
    let io = |source| Error::Io { source_name: name.clone(), source };
    let length = file.metadata().map_err(io)?.len();
    let mut trailer = [0; 4];
    // A pipe has no end to look at; then nothing is reserved.
    let tail = (length > 4 && file.seek(SeekFrom::End(-4)).is_ok())
        .then(|| file.read_exact(&mut trailer).and_then(|()| file.rewind()))
        .transpose()
        .map_err(io)?
        .map(|()| trailer);
    let input = Input::new(&name, file.try_clone().map_err(io)?, Some(length).filter(|&length| length > 0), tail)?;
    let compressed = input.compressed;
    let lines = Lines::new(input)?;
    let (format, notice) = format::detect(&name, lines.data(), options.format)?;
    let table = match format {
        Format::Npy if !compressed => npy::read_file(path, &file, options),
        Format::Npz if !compressed => {
            file.rewind().map_err(io)?;
            npz::read(&name, path, std::io::BufReader::new(file), options)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet if !compressed => parquet::read(&name, file, options),
        _ => read_lines(lines, format, path, options),
    };
    table.map(|table| with_notice(table, notice))
}

/// Reads from any stream; `name` stands for it in messages, and its extension tells the format.
pub fn read_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<Table> {
    read_sized(reader, name, None, options)
}

/// Reads a file that is already in memory; `name` stands for it in messages, and its extension tells the format.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Table> {
    read_sized(bytes, name, Some(bytes.len() as u64), options)
}

fn read_sized(reader: impl Read, name: &str, length: Option<u64>, options: &ReadOptions) -> Result<Table> {
    check(options)?;
    let lines = Lines::new(Input::new(name, reader, length, None)?)?;
    let (format, notice) = format::detect(name, lines.data(), options.format)?;
    read_lines(lines, format, Path::new(name), options).map(|table| with_notice(table, notice))
}

fn read_lines(lines: Lines<'_>, format: Format, path: &Path, options: &ReadOptions) -> Result<Table> {
    let name = lines.input.name.clone();
    match format {
        Format::Csv => csv::read(lines, options),
        Format::Svmlight => svmlight::read(lines, options),
        Format::Npy => npy::read_stream(&name, path, &mut Cursor::new(lines.into_bytes()?), options),
        Format::Npz => npz::read(&name, path, Cursor::new(lines.into_bytes()?), options),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(&name, bytes::Bytes::from(lines.into_bytes()?), options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Error::FormatNotBuilt { source_name: name, format: "Parquet" }),
    }
}

fn with_notice(mut table: Table, notice: Option<String>) -> Table {
    table.notices.splice(0..0, notice);
    table
}

/// Settings that can never work, whatever the file.
fn check(options: &ReadOptions) -> Result<()> {
    let wrong = |setting, reason: &str| Err(Error::Setting { setting, reason: reason.to_owned() });
    if options.delimiter.is_some_and(|byte| matches!(byte, b'"' | b'\n' | b'\r') || !byte.is_ascii()) {
        return wrong("delimiter", "must be one ASCII character other than a quote or a line end");
    }
    if options.index_base.is_some_and(|base| base > 1) {
        return wrong("index base", "must be 0 or 1");
    }
    if options.columns == Some(0) {
        return wrong("columns", "at least one column is needed");
    }
    let numbered = options.schema.as_ref().and_then(|schema| schema.numbered);
    if numbered.is_some_and(|columns| columns > MOST_COLUMNS) {
        return wrong("schema", "has more columns than can be named");
    }
    Ok(())
}

fn open_error(path: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::FileMissing { path: path.to_path_buf() },
        _ => Error::Io { source_name: path.display().to_string(), source: error },
    }
}
