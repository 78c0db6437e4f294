//! Simulated data in files, one block in memory at a time.

use crate::cell::Halt;
use crate::error::{Error, Result};
use proxdist::simulate::{Response, Truth, block, vector};
use proxdist_io::{ReadOptions, Table, npy_header, read_path};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Rows drawn at a time.
const BLOCK: usize = 2_000;

/// A data set in two `.npy` files, removed when it is dropped.
pub(crate) struct OnDisk {
    features: PathBuf,
    response: PathBuf,
    /// The parameter the responses were drawn from.
    pub(crate) truth: Vec<f64>,
}

/// What is drawn.
pub(crate) struct Recipe {
    pub(crate) response: Response,
    pub(crate) truth: Truth,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) seed: u64,
}

impl OnDisk {
    /// Draws data into files whose names begin with `stem`.
    pub(crate) fn draw(stem: &Path, recipe: &Recipe, halt: Halt) -> Result<Self> {
        let Recipe { response, truth, rows, columns, seed } = *recipe;
        let truth = vector(response, truth, 1, columns, seed)?.truth;
        let data = OnDisk { features: stem.with_extension("X.npy"), response: stem.with_extension("y.npy"), truth };
        let folder = stem.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::File { path, source: error }
        };
        let mut x = BufWriter::new(File::create(&data.features).map_err(failed(&data.features))?);
        let mut y = npy_header(&[rows]);
        x.write_all(&npy_header(&[rows, columns])).map_err(failed(&data.features))?;
        for (number, start) in (0..rows).step_by(BLOCK).enumerate() {
            halt.check()?;
            let drawn = block(response, &data.truth, BLOCK.min(rows - start), number as u64, seed);
            let bytes: Vec<u8> = drawn.x.iter().flat_map(|value| value.to_le_bytes()).collect();
            x.write_all(&bytes).map_err(failed(&data.features))?;
            y.extend(drawn.y.iter().flat_map(|value| value.to_le_bytes()));
        }
        x.flush().map_err(failed(&data.features))?;
        fs::write(&data.response, y).map_err(failed(&data.response))?;
        Ok(data)
    }

    /// The features mapped into memory, and the response.
    pub(crate) fn read(&self) -> Result<Table> {
        Ok(read_path(&self.features, &ReadOptions::new().target(self.response.display().to_string()))?)
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        // Nothing can be done about a file that cannot be removed, and the results do not depend on it.
        let _ = fs::remove_file(&self.features);
        let _ = fs::remove_file(&self.response);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_on_disk_read_back_as_one_data_set() {
        let folder = tempfile::tempdir().unwrap();
        let asked = || false;
        let stem = folder.path().join("data");
        let recipe =
            Recipe { response: Response::Linear, truth: Truth::Sparse(2), rows: BLOCK + 7, columns: 5, seed: 3 };
        let data = OnDisk::draw(&stem, &recipe, Halt::new(&asked)).unwrap();
        let table = data.read().unwrap();
        assert_eq!((table.features.rows(), table.features.columns()), (recipe.rows, recipe.columns));
        let second = block(Response::Linear, &data.truth, 7, 1, 3);
        assert_eq!(table.features.row(BLOCK + 6), second.x[6 * 5..]);
        assert_eq!(table.response.as_deref().map(|y| &y[BLOCK..]), Some(&second.y[..]));
        drop((table, data));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
