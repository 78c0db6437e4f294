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

mod ahead;
mod arrays;
mod bins;
mod blocks;
mod collect;
mod columns;
mod compression;
mod csv;
mod encode;
mod encoding;
mod error;
mod files;
mod fingerprint;
mod format;
mod frame;
mod hint;
mod labels;
mod layout;
mod live;
mod mapped;
mod meter;
mod npy;
mod npz;
mod number;
mod options;
mod outlet;
mod pack;
#[cfg(feature = "parquet")]
mod parquet;
mod picked;
mod schema;
mod sources;
mod statistics;
mod store;
mod stored;
mod svmlight;
mod table;
mod text_column;

use std::io::Read;
use std::path::{Path, PathBuf};

use outlet::Outlet;

pub use bins::BinRequest;
pub use error::{Error, Place, Result};
pub use frame::{Cells, FrameColumn, read_columns};
pub use labels::Classes;
pub use live::{Blocks, Encoding, Next};
pub use mapped::Mapped;
pub use meter::{Reading, Watch};
pub use npy::npy_header;
pub use options::{Coding, Format, Missing, ReadOptions, Storage, Task, Unknown};
pub use outlet::Visit;
pub use picked::Picked;
pub use schema::{ColumnKind, MOST_COLUMNS, Schema, SchemaColumn};
pub use store::Place as StorePlace;
pub use stored::{Reader as StoredReader, SparseRows, Stored};
pub use table::{Features, Table};

/// Reads the file at `path`; the files of a folder or of a pattern such as `data/*.parquet`, in the order of their names; a packed store; or
/// standard input for `-`.
///
/// An `.npy` file of native floating-point numbers is mapped into memory and stays so; it is looked through once to
/// make sure that all numbers are finite. Another program that changes the file meanwhile changes the data, and one
/// that shortens it ends this process. What is larger than [`ReadOptions::memory`] allows is never mapped.
pub fn read_path(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table> {
    read_paths(&[path.as_ref().to_owned()], options)
}

/// Reads several paths as one data set, in their order; each as [`read_path`] takes it.
pub fn read_paths(paths: &[PathBuf], options: &ReadOptions) -> Result<Table> {
    check(options)?;
    match paths {
        [path] if path.as_os_str() == "-" => read_from(std::io::stdin().lock(), "standard input", options),
        _ => sources::read(paths, options),
    }
}

/// Reads from any stream; `name` stands for it in messages, and its extension tells the format.
pub fn read_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<Table> {
    check(options)?;
    sources::stream(reader, name, None, options, Outlet::of("stream", None, options))
}

/// Reads a file that is already in memory; `name` stands for it in messages, and its extension tells the format.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Table> {
    check(options)?;
    sources::stream(bytes, name, Some(bytes.len() as u64), options, Outlet::of("bytes", None, options))
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
