//! Packed data: a folder of NumPy arrays and a description, read in order without parsing anything again.
//!
//! | file | what |
//! |---|---|
//! | `store.json` | [`Description`]: shape, schema, labels, what it was packed from |
//! | `X.npy` | dense features, row-major `<f8`, or `<f4` where asked for |
//! | `indptr.npy`, `indices.npy`, `data.npy` | sparse features instead: row `i` has the entries `indptr[i]` to `indptr[i + 1]` |
//! | `y.npy`, `w.npy`, `o.npy` | response (labels as 0 and 1), weights, offset, as far as there are any |
//! | `dropped.npy` | numbers of the rows of the source that were left out, from 0, if any were |
//!
//! A store appears under its name only when it is whole.

mod draft;
mod open;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::labels::Classes;
use crate::options::ReadOptions;
use crate::schema::Schema;
use crate::table::Table;
pub(crate) use draft::Draft;
pub(crate) use open::open;

/// Where data that do not fit into the memory are packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Among the temporary files of the system, until the table is dropped.
    #[default]
    Temporary,
    /// In this folder, under the name of the source; kept, and used again while source and options are the same.
    Kept(PathBuf),
}

/// The description in a folder, by which it is recognised.
pub(crate) const DESCRIPTION: &str = "store.json";
/// What it calls itself.
const FORMAT: &str = "proxdist-store";
/// Layouts after this one cannot be read.
const VERSION: u32 = 1;

/// What `store.json` says.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    format: String,
    version: u32,
    rows: usize,
    columns: usize,
    is_sparse: bool,
    /// The largest feature in size; all are finite.
    largest: f64,
    /// Names of the features, for people and other programs.
    names: Vec<String>,
    schema: Schema,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    classes: Option<Classes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<String>,
    /// Whether the offset are the logarithms of that column.
    #[serde(default)]
    is_exposure: bool,
    #[serde(default)]
    notices: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<Fingerprint>,
}

/// Whether a path is a packed store.
pub(crate) fn is_store(path: &Path) -> bool {
    path.join(DESCRIPTION).is_file()
}

/// The folder of a kept store.
fn folder_of(place: &Path, name: &str, source: &Fingerprint) -> PathBuf {
    place.join(format!("{name}.{}.store", source.name()))
}

/// A store that was packed from the same source in the same way, if the options keep stores and there is one.
pub(crate) fn packed_before(name: &str, source: &Fingerprint, options: &ReadOptions) -> Result<Option<Table>> {
    let Place::Kept(place) = &options.store else { return Ok(None) };
    let folder = folder_of(place, name, source);
    if options.memory.is_none() || !is_store(&folder) {
        return Ok(None);
    }
    // One that cannot be read is packed again.
    let Ok(description) = open::description(&folder) else { return Ok(None) };
    if description.source.as_ref() != Some(source) {
        return Ok(None);
    }
    let mut table = open::load(&folder, description, options)?;
    table.notices.push(format!("packed before: {}", folder.display()));
    Ok(Some(table))
}
