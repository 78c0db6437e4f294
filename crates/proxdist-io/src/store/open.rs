//! A packed store as a table: in memory if it fits, in order otherwise.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;

use super::{DESCRIPTION, Description, FORMAT, VERSION};
use crate::error::{Error, Result};
use crate::npy::{self, Element, Entries, Header};
use crate::options::ReadOptions;
use crate::stored::{ArrayFile, SparseRows, Stored};
use crate::table::{Features, Table};

fn damaged(folder: &Path, reason: impl Into<String>) -> Error {
    Error::Store { source_name: folder.display().to_string(), reason: reason.into() }
}

/// Reads the description of a store.
pub(super) fn description(folder: &Path) -> Result<Description> {
    let path = folder.join(DESCRIPTION);
    let text = std::fs::read_to_string(&path).map_err(|error| crate::open_error(&path, error))?;
    let found: Description =
        serde_json::from_str(&text).map_err(|error| damaged(folder, format!("{DESCRIPTION}: {error}")))?;
    if found.format != FORMAT || found.version > VERSION {
        let reason = format!("{DESCRIPTION} describes {:?}, version {}", found.format, found.version);
        return Err(damaged(folder, reason));
    }
    if found.schema.width() != found.columns || found.rows == 0 || found.columns == 0 {
        return Err(damaged(folder, format!("{} rows of {} columns", found.rows, found.columns)));
    }
    Ok(found)
}

/// A store that is given as data: its columns have their roles already.
pub(crate) fn open(folder: &Path, options: &ReadOptions) -> Result<Table> {
    let found = description(folder)?;
    check(folder, &found, options)?;
    load(folder, found, options)
}

/// Whether what is asked for is what was packed.
fn check(folder: &Path, found: &Description, options: &ReadOptions) -> Result<()> {
    let otherwise = |reason: String| {
        let source_name = folder.display().to_string();
        Err(Error::PackedOtherwise { source_name, reason })
    };
    let roles = [
        ("target", &options.target, &found.schema.target),
        ("weights", &options.weights, &found.weights),
        ("offset", &options.offset, &found.offset),
    ];
    for (role, wanted, packed) in roles {
        if let Some(wanted) = wanted.as_ref().filter(|wanted| packed.as_ref() != Some(*wanted)) {
            let packed = packed.as_deref().unwrap_or("none");
            return otherwise(format!("the store was packed with {packed} as {role}, not with {wanted}"));
        }
    }
    if options.offset.is_some() && options.is_exposure() != found.is_exposure {
        let role = |is_exposure: bool| if is_exposure { "exposure" } else { "offset" };
        let (packed, wanted) = (role(found.is_exposure), role(options.is_exposure()));
        return otherwise(format!("the store was packed with an {packed}, not with an {wanted}"));
    }
    let is_chosen = !options.ignore.is_empty() || !options.categorical.is_empty() || !options.bins.is_empty();
    if is_chosen || options.positive.is_some() {
        return otherwise("columns and labels cannot be chosen any more once they are packed".to_owned());
    }
    let Some(schema) = &options.schema else { return Ok(()) };
    if schema.names() != found.schema.names() {
        return otherwise(format!(
            "the store has {} features, which are not the {} features of the model",
            found.columns,
            schema.width()
        ));
    }
    if options.need_target && schema.labels != found.schema.labels {
        return otherwise("the labels in the store are not those of the model".to_owned());
    }
    Ok(())
}

/// The table of a store.
pub(super) fn load(folder: &Path, found: Description, options: &ReadOptions) -> Result<Table> {
    let rows = found.rows;
    let mut features = if found.is_sparse { sparse(folder, &found)? } else { dense(folder, &found)? };
    features.largest = Some(found.largest);
    let per_entry = if found.is_sparse { 12 } else { 8 };
    let bytes = features.stored().checked_mul(per_entry);
    let features = if options.is_too_large(bytes) { Features::Stored(features) } else { in_memory(&features)? };
    let is_there = |name: &str| folder.join(name).exists();
    let optional = |name: &str| is_there(name).then(|| vector(folder, name, rows)).transpose();
    let dropped = if is_there("dropped.npy") { numbers(folder, "dropped.npy")? } else { Vec::new() };
    let dropped = dropped.into_iter().map(|row| row as u64).collect();
    let Description { schema, classes, notices, .. } = found;
    Ok(Table {
        features,
        response: optional("y.npy")?,
        weights: optional("w.npy")?,
        offset: optional("o.npy")?,
        classes,
        schema,
        dropped,
        notices,
        echoed: Vec::new(),
    })
}

/// The header of an array and where its data are; the file must hold all of them.
fn array(folder: &Path, name: &str) -> Result<(Header, ArrayFile)> {
    let path = folder.join(name);
    let mut file = File::open(&path).map_err(|error| crate::open_error(&path, error))?;
    let header = Header::read(&path.display().to_string(), &mut file)?;
    let bytes = header.entries().and_then(|entries| entries.checked_mul(header.kind.bytes()));
    let end = bytes.and_then(|bytes| bytes.checked_add(header.length)).map(|end| end as u64);
    let length = file.seek(std::io::SeekFrom::End(0)).map_err(|error| crate::open_error(&path, error))?;
    if header.fortran || end.is_none_or(|end| end > length) {
        return Err(damaged(folder, format!("{name} is too short or in column-major order")));
    }
    let array = ArrayFile::new(&path, 0, &header)?;
    Ok((header, array))
}

fn dense(folder: &Path, found: &Description) -> Result<Stored> {
    let (header, array) = array(folder, "X.npy")?;
    if header.shape != [found.rows, found.columns] || header.kind.is_text() {
        let reason = format!("X.npy has the shape {}, not {} x {}", header.shape_text(), found.rows, found.columns);
        return Err(damaged(folder, reason));
    }
    Ok(Stored::dense(array, found.rows, found.columns))
}

fn sparse(folder: &Path, found: &Description) -> Result<Stored> {
    let (values, indices) = (array(folder, "data.npy")?, array(folder, "indices.npy")?);
    let starts: Vec<u64> = numbers(folder, "indptr.npy")?.into_iter().map(|start| start as u64).collect();
    let entries = values.0.entries().unwrap_or(0);
    let is_whole = starts.len() == found.rows + 1 && starts[0] == 0 && starts[found.rows] == entries as u64;
    let is_rising = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if !is_whole || !is_rising || indices.0.kind != Element::Uint(4) || indices.0.entries() != Some(entries) {
        return Err(damaged(folder, format!("its arrays do not describe {} sparse rows", found.rows)));
    }
    Ok(Stored::sparse(starts, indices.1, values.1, found.columns))
}

fn numbers(folder: &Path, name: &str) -> Result<Vec<f64>> {
    let path = folder.join(name);
    let file = File::open(&path).map_err(|error| crate::open_error(&path, error))?;
    match npy::read_array(&path.display().to_string(), &mut BufReader::new(file))?.entries {
        Entries::F64(values) => Ok(values),
        _ => Err(damaged(folder, format!("{name} has entries of another type"))),
    }
}

fn vector(folder: &Path, name: &str, rows: usize) -> Result<Vec<f64>> {
    let values = numbers(folder, name)?;
    if values.len() == rows && values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    Err(damaged(folder, format!("{name} does not hold one finite number for each of {rows} rows")))
}

/// All rows at once.
fn in_memory(stored: &Stored) -> Result<Features> {
    let (rows, columns) = (stored.rows(), stored.columns());
    let mut reader = stored.reader(0..rows)?;
    if stored.is_sparse() {
        let mut all = SparseRows::default();
        reader.sparse(0..rows, &mut all)?;
        let SparseRows { starts, columns: columns_of, values, .. } = all;
        return Ok(Features::Sparse { rows, columns, row_starts: starts, columns_of, values });
    }
    let mut values = vec![0.0; rows * columns];
    let step = ((1 << 20) / columns).max(1);
    for first in (0..rows).step_by(step) {
        let range = first..rows.min(first + step);
        let part = first * columns..range.end * columns;
        reader.dense(range, None, &mut values[part])?;
    }
    Ok(Features::Dense { rows, columns, values })
}
