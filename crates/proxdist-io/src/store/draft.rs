//! A store in the making: a hidden folder that becomes the store once it is whole, and vanishes if it never is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::{DESCRIPTION, Description, FORMAT, Place, VERSION, folder_of, open};
use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::npy::{Kind, NpyWriter, refused};
use crate::options::ReadOptions;
use crate::table::{Features, Table};

/// A folder that is being filled.
#[derive(Debug)]
pub(crate) struct Draft {
    folder: TempDir,
    /// Where it goes; nowhere if it is temporary.
    place: Option<PathBuf>,
    source: Option<Fingerprint>,
    weights: Option<String>,
    offset: Option<String>,
    is_exposure: bool,
}

impl Draft {
    /// An empty folder for what `name` holds; without a `source` it cannot be kept.
    pub(crate) fn new(name: &str, source: Option<Fingerprint>, options: &ReadOptions) -> Result<Self> {
        let kept = match (&options.store, &source) {
            (Place::Kept(folder), Some(source)) => Some((folder.clone(), folder_of(folder, name, source))),
            _ => None,
        };
        let parent = kept.as_ref().map_or_else(std::env::temp_dir, |(folder, _)| folder.clone());
        fs::create_dir_all(&parent).map_err(|error| refused(&parent, error))?;
        let folder = tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(".partial").tempdir_in(&parent);
        let folder = folder.map_err(|error| refused(&parent, error))?;
        let place = kept.map(|(_, place)| place);
        let (weights, offset) = (options.weights.clone(), options.offset.clone());
        let is_exposure = options.is_exposure();
        Ok(Self { folder, place, source, weights, offset, is_exposure })
    }

    /// A file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes what belongs to the rows, then the description, and opens the whole.
    pub(crate) fn finish(self, mut table: Table, largest: f64, options: &ReadOptions) -> Result<Table> {
        if let Some(source) = &self.source {
            source.check()?;
        }
        let (rows, columns) = (table.features.rows(), table.features.columns());
        let vectors = [("y.npy", &table.response), ("w.npy", &table.weights), ("o.npy", &table.offset)];
        for (name, vector) in vectors {
            if let Some(vector) = vector {
                self.write(name, Kind::F64, vector)?;
            }
        }
        if !table.dropped.is_empty() {
            let dropped: Vec<f64> = table.dropped.iter().map(|&row| row as f64).collect();
            self.write("dropped.npy", Kind::I64, &dropped)?;
        }
        let description = Description {
            format: FORMAT.to_owned(),
            version: VERSION,
            rows,
            columns,
            is_sparse: table.features.is_sparse(),
            largest,
            names: table.schema.names(),
            schema: table.schema.clone(),
            classes: table.classes.clone(),
            weights: self.weights.clone(),
            offset: self.offset.clone(),
            is_exposure: self.is_exposure,
            notices: table.notices.clone(),
            source: self.source.clone(),
        };
        let path = self.path(DESCRIPTION);
        let text = serde_json::to_string_pretty(&description).map_err(|error| refused(&path, error.into()))?;
        fs::write(&path, text + "\n").map_err(|error| refused(&path, error))?;
        table.features = Features::Dense { rows: 0, columns: 0, values: Vec::new() };
        let (rows_text, sizes) = (format!("{rows} x {columns} features"), total(self.folder.path()));
        let packed = crate::error::size(sizes);
        if let Some(place) = self.place {
            put(self.folder, &place)?;
            let mut table = open::load(&place, description, options)?;
            table.notices.push(format!("{rows_text} are packed ({packed}) and read from {}", place.display()));
            return Ok(table);
        }
        let folder = Arc::new(self.folder);
        let mut table = open::load(folder.path(), description, options)?;
        if let Features::Stored(stored) = &mut table.features {
            stored.folder = Some(folder);
        }
        table.notices.push(format!("{rows_text} are packed into temporary files ({packed})"));
        Ok(table)
    }

    fn write(&self, name: &str, kind: Kind, values: &[f64]) -> Result<()> {
        let mut writer = NpyWriter::new(&self.path(name), kind, None)?;
        writer.push(values)?;
        writer.finish().map(|_| ())
    }
}

/// Puts a folder in its place, and takes away what was there.
fn put(folder: TempDir, place: &Path) -> Result<()> {
    let refused_here = |error| refused(place, error);
    if place.exists() {
        let aside = tempfile::Builder::new().prefix(".old.").tempdir_in(place.parent().unwrap_or(Path::new(".")));
        let aside = aside.map_err(refused_here)?;
        fs::rename(place, aside.path().join("store")).map_err(refused_here)?;
    }
    fs::rename(folder.path(), place).map_err(refused_here)?;
    // It is no longer there to be removed.
    let _ = folder.keep();
    Ok(())
}

fn total(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    sizes.map(|found| found.len()).sum()
}
