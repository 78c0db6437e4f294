//! Sparse entries on their way to the disk. Columns are written as they stand in the file and shifted at the end, when it is known where they start.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};

use crate::error::{Error, Result};
use crate::npy::{Kind, NpyWriter, refused};
use crate::options::ReadOptions;
use crate::store::Draft;
use crate::table::Table;

/// Entries on the disk, columns as written.
pub(super) struct Packed {
    draft: Draft,
    pub(super) columns: NpyWriter,
    pub(super) values: NpyWriter,
}

impl Packed {
    pub(super) fn new(draft: Draft) -> Result<Self> {
        let columns = NpyWriter::new(&draft.path("written.npy"), Kind::U32, None)?;
        let values = NpyWriter::new(&draft.path("data.npy"), Kind::F64, None)?;
        Ok(Self { draft, columns, values })
    }

    /// Shifts columns to start at 0, and opens the store.
    pub(super) fn finish(self, table: Table, base: u32, starts: &[usize], options: &ReadOptions) -> Result<Table> {
        let Self { draft, columns, values } = self;
        let written = columns.finish()?;
        let mut indices = NpyWriter::new(&draft.path("indices.npy"), Kind::U32, None)?;
        let mut file =
            BufReader::with_capacity(1 << 20, File::open(&written).map_err(|error| refused(&written, error))?);
        let failed = |source| Error::Io { source_name: written.display().to_string(), source };
        file.seek(SeekFrom::Start(crate::npy::described("<u4", &[0]).len() as u64)).map_err(failed)?;
        let (mut bytes, mut part) = (vec![0; 1 << 18], Vec::new());
        loop {
            let count = std::io::Read::by_ref(&mut file).take(bytes.len() as u64).read(&mut bytes).map_err(failed)?;
            part.extend_from_slice(&bytes[..count]);
            let whole = part.len() / 4 * 4;
            let shifted: Vec<u32> = (part[..whole].chunks_exact(4))
                .map(|item| u32::from_le_bytes([item[0], item[1], item[2], item[3]]) - base)
                .collect();
            indices.push_columns(&shifted)?;
            part.drain(..whole);
            if count == 0 {
                break;
            }
        }
        indices.finish()?;
        std::fs::remove_file(&written).map_err(|error| refused(&written, error))?;
        let mut indptr = NpyWriter::new(&draft.path("indptr.npy"), Kind::I64, None)?;
        for part in starts.chunks(1 << 16) {
            indptr.push(&part.iter().map(|&start| start as f64).collect::<Vec<f64>>())?;
        }
        indptr.finish()?;
        let largest = values.largest;
        values.finish()?;
        draft.finish(table, largest, options)
    }
}
