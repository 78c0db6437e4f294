//! The features of a table as a source of rows: columns that are picked from a matrix, and rows that stay on the disk.

use proxdist::data::{Cell, ChunkSource, Element, Piece, RandomAccess, RowBuffer, Rows, Visit, Wanted};
use proxdist::{Error, Result};
use proxdist_io::{SparseRows, Stored, StoredReader};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Some columns of a row-major matrix, gathered as they are asked for.
pub(crate) struct PickedRows<'a, T> {
    /// The whole matrix.
    pub(crate) matrix: &'a [T],
    /// Its columns.
    pub(crate) width: usize,
    /// Those that are features.
    pub(crate) columns: &'a [usize],
}

impl<T: Element> ChunkSource for PickedRows<'_, T> {
    fn rows(&self) -> usize {
        self.matrix.len() / self.width.max(1)
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        self.chunks_at_hand(wanted, visit)
    }

    fn random_access(&self) -> Option<&dyn RandomAccess> {
        Some(self)
    }
}

impl<T: Element> RandomAccess for PickedRows<'_, T> {
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        let count = columns.map_or(self.columns.len(), <[usize]>::len);
        let values = buffer.dense(rows.len(), count);
        for (&row, out) in rows.iter().zip(values.chunks_exact_mut(count.max(1))) {
            let from = &self.matrix[row * self.width..(row + 1) * self.width];
            match columns {
                None => out.iter_mut().zip(self.columns).for_each(|(x, &column)| *x = from[column].to_f64()),
                Some(few) => out.iter_mut().zip(few).for_each(|(x, &j)| *x = from[self.columns[j]].to_f64()),
            }
        }
        Ok(())
    }
}

/// Rows on the disk, read in order.
pub(crate) struct StoredRows<'a> {
    /// Where they are.
    stored: &'a Stored,
    /// Whether the fit looks at every entry in its first reading, so that none is needed before.
    is_looked_at_later: bool,
    /// Memory of chunks that were read, for those to come.
    spare: Mutex<Vec<Held>>,
}

impl<'a> StoredRows<'a> {
    /// The rows of a matrix on the disk; whether somebody will look at every entry in a first reading.
    pub(crate) fn new(stored: &'a Stored, is_looked_at_later: bool) -> Self {
        Self { stored, is_looked_at_later, spare: Mutex::default() }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Held>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: proxdist_io::Error) -> Error {
        Error::File { path: self.stored.path(), source: std::io::Error::other(error) }
    }

    /// Rows of a chunk, copied into reused memory.
    fn read(
        &self,
        reader: &mut StoredReader<'_>,
        range: Range<usize>,
        hold: &mut Held,
        few: Option<&[usize]>,
    ) -> Result<()> {
        if self.stored.is_sparse() {
            return reader.sparse(range, &mut hold.sparse).map_err(|error| self.failed(error));
        }
        let count = few.map_or(self.stored.columns(), <[usize]>::len);
        hold.dense.resize(range.len() * count, 0.0);
        reader.dense(range, few, &mut hold.dense).map_err(|error| self.failed(error))
    }
}

/// Memory of a reader.
#[derive(Default)]
struct Held {
    dense: Vec<f64>,
    sparse: SparseRows,
}

impl ChunkSource for StoredRows<'_> {
    fn rows(&self) -> usize {
        self.stored.rows()
    }

    fn columns(&self) -> usize {
        self.stored.columns()
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        let reader = self.stored.reader_of(wanted.rows.clone(), wanted.length);
        let mut reader = reader.map_err(|error| self.failed(error))?;
        let mut hold = self.spare().pop().unwrap_or_default();
        for range in wanted.ranges() {
            let (first, rows) = (range.start, range.len());
            if wanted.columns.is_none()
                && let Some(values) = reader.lent(range.clone()).map_err(|error| self.failed(error))?
            {
                visit(Piece {
                    first,
                    rows: Rows::Dense { values, rows, columns: self.stored.columns() },
                    columns: None,
                })?;
                continue;
            }
            self.read(&mut reader, range, &mut hold, wanted.columns)?;
            let piece = if self.stored.is_sparse() {
                let SparseRows { starts, columns, values, .. } = &hold.sparse;
                let rows = Rows::Sparse { starts, indices: columns, values, columns: self.stored.columns() };
                Piece { first, rows, columns: None }
            } else {
                let columns = wanted.columns.map_or(self.stored.columns(), <[usize]>::len);
                Piece { first, rows: Rows::Dense { values: &hold.dense, rows, columns }, columns: wanted.columns }
            };
            visit(piece)?;
        }
        self.spare().push(hold);
        self.stored.check().map_err(|error| self.failed(error))
    }

    /// Nothing is read where it is known that no entry is so large.
    fn find_beyond(&self, limit: f64) -> Result<Option<Cell>> {
        let is_known = self.stored.largest().map(|largest| largest <= limit);
        if is_known.unwrap_or(self.is_looked_at_later) {
            return Ok(None);
        }
        let length = ((1 << 17) / self.columns().max(1)).clamp(16, 4096);
        let mut found = None;
        self.chunks(&Wanted { rows: 0..self.rows(), length, columns: None }, &mut |piece| {
            for row in 0..piece.rows.len() {
                let beyond = piece.rows.row(row).find(|(_, value)| value.is_nan() || value.abs() > limit);
                let cell = beyond.map(|(column, value)| Cell { row: piece.first + row, column, value });
                found = found.or(cell);
            }
            Ok(())
        })?;
        Ok(found)
    }
}
