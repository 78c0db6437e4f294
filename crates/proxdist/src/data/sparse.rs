//! Compressed sparse rows (CSR), with 32- or 64-bit indices as other systems hand them over.

use super::SparseFault;
use super::dense::Element;
use super::magnitude::first_beyond;
use super::{Cell, ChunkSource, RandomAccess, RowBuffer, Rows, Visit, Wanted};
use crate::error::{Error, Result};
use crate::rule::Rule;

/// An integer that sparse matrices use for positions.
pub trait Index: Copy + Send + Sync + 'static {
    /// As `usize`; `None` if negative or too large.
    fn to_usize(self) -> Option<usize>;
    /// The same memory as row starts of the kernels, if that is what it is.
    fn as_starts(_indices: &[Self]) -> Option<&[usize]> {
        None
    }
    /// The same memory as column numbers of the kernels, if that is what it is.
    fn as_columns(_indices: &[Self]) -> Option<&[u32]> {
        None
    }
}

impl Index for i32 {
    fn to_usize(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

impl Index for i64 {
    fn to_usize(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

impl Index for u32 {
    fn to_usize(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
    fn as_columns(indices: &[Self]) -> Option<&[u32]> {
        Some(indices)
    }
}

impl Index for usize {
    fn to_usize(self) -> Option<usize> {
        Some(self)
    }
    fn as_starts(indices: &[Self]) -> Option<&[usize]> {
        Some(indices)
    }
}

/// A borrowed CSR matrix: row starts of type `S`, column indices of type `I`, values of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<'a, S, I, T> {
    starts: &'a [S],
    indices: &'a [I],
    values: &'a [T],
    columns: usize,
}

impl<'a, S: Index, I: Index, T: Element> Sparse<'a, S, I, T> {
    /// Checks the structure once: starts that never decrease and end at the number of values, column indices in range and
    /// increasing within a row.
    pub fn new(starts: &'a [S], indices: &'a [I], values: &'a [T], columns: usize) -> Result<Self> {
        if indices.len() != values.len() {
            let rule = "one index a value";
            return Err(Error::Length { what: "sparse indices", found: indices.len(), expected: values.len(), rule });
        }
        if starts.is_empty() {
            return Err(Error::Empty { what: "rows" });
        }
        if u32::try_from(columns).is_err() {
            return Err(Error::setting("the number of columns of a sparse matrix", Rule::Below32Bits, columns));
        }
        let this = Self { starts, indices, values, columns };
        this.check_starts()?;
        for row in 0..starts.len() - 1 {
            this.check_row(row)?;
        }
        Ok(this)
    }

    fn check_starts(&self) -> Result<()> {
        let mut previous = 0;
        for (at, start) in self.starts.iter().enumerate() {
            let negative = || Error::SparseStructure(SparseFault::NegativeStart { at });
            let start = start.to_usize().ok_or_else(negative)?;
            if at == 0 && start != 0 {
                return Err(Error::SparseStructure(SparseFault::FirstStart { start }));
            }
            if start < previous {
                return Err(Error::SparseStructure(SparseFault::DecreasingStart { at, start, previous }));
            }
            previous = start;
        }
        if previous != self.values.len() {
            let fault = SparseFault::LastStart { start: previous, values: self.values.len() };
            return Err(Error::SparseStructure(fault));
        }
        Ok(())
    }

    fn check_row(&self, row: usize) -> Result<()> {
        let mut previous = None;
        for index in &self.indices[self.range(row)] {
            let negative = || Error::SparseStructure(SparseFault::NegativeIndex { row });
            let column = index.to_usize().ok_or_else(negative)?;
            if column >= self.columns {
                let fault = SparseFault::IndexBeyond { row, column, columns: self.columns };
                return Err(Error::SparseStructure(fault));
            }
            if previous.is_some_and(|previous| column <= previous) {
                return Err(Error::SparseStructure(SparseFault::IndexOrder { row, column }));
            }
            previous = Some(column);
        }
        Ok(())
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let at = |position: usize| self.starts[position].to_usize().unwrap_or(0);
        at(row)..at(row + 1)
    }
}

impl<S: Index, I: Index, T: Element> ChunkSource for Sparse<'_, S, I, T> {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        self.chunks_at_hand(wanted, visit)
    }

    fn random_access(&self) -> Option<&dyn RandomAccess> {
        Some(self)
    }

    fn find_beyond(&self, limit: f64) -> Result<Option<Cell>> {
        let cell = |at: usize| {
            let row = (0..self.rows()).find(|&row| self.range(row).contains(&at))?;
            Some(Cell { row, column: self.indices[at].to_usize()?, value: self.values[at].to_f64() })
        };
        Ok(first_beyond(self.values, limit).and_then(cell))
    }
}

impl<S: Index, I: Index, T: Element> RandomAccess for Sparse<'_, S, I, T> {
    fn gather(&self, rows: &[usize], _columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        let target = buffer.sparse(self.columns);
        for &row in rows {
            let range = self.range(row);
            let columns = self.indices[range.clone()].iter().map(|i| i.to_usize().unwrap_or(0) as u32);
            target.push_row(columns.zip(self.values[range].iter().map(|v| v.to_f64())));
        }
        Ok(())
    }

    fn borrow(&self) -> Option<Rows<'_>> {
        let starts = S::as_starts(self.starts)?;
        let indices = I::as_columns(self.indices)?;
        let values = T::as_f64(self.values)?;
        Some(Rows::Sparse { starts, indices, values, columns: self.columns })
    }
}
