//! Column-major dense features, `f64` or `f32`: entry $(i, j)$ of $n$ rows is number $jn + i$, as Fortran, R and some NumPy arrays
//! have it.
//!
//! The kernels want rows, so a batch or a chunk of a pass is turned in the buffer it is gathered into, a tile at a time to use each
//! cache line fully. From there on the bits are those of the same matrix stored by rows.

use super::dense::Element;
use super::magnitude::first_beyond;
use super::{Cell, ChunkSource, Data, RandomAccess, RowBuffer, Visit, Wanted};
use crate::error::{Error, Result};

/// A borrowed column-major matrix.
#[derive(Clone, Copy, Debug)]
pub struct ColumnMajor<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

/// Rows of a tile: their part of a column fills a few cache lines.
const TILE: usize = 32;

impl<'a, T: Element> ColumnMajor<'a, T> {
    /// Views `values` as columns of `rows` numbers.
    pub fn new(values: &'a [T], rows: usize) -> Result<Self> {
        if rows == 0 {
            return Err(Error::Empty { what: "rows" });
        }
        let columns = values.len() / rows;
        if rows * columns != values.len() {
            let rule = "a whole number of columns";
            return Err(Error::Length { what: "features", found: values.len(), expected: (columns + 1) * rows, rule });
        }
        Ok(Self { values, rows, columns })
    }
}

impl<'a> Data<'a> {
    /// Column-major features, one column after the other, with one response a row.
    ///
    /// ```
    /// use proxdist::{Data, data::{RowBuffer, Support}};
    /// let data = Data::column_major(&[1.0, 2.0, 3.0, 10.0, 20.0, 30.0], &[0.0, 1.0, 2.0])?;
    /// let mut second = RowBuffer::default();
    /// data.random_access()?.gather(&[1], None, &mut second)?;
    /// assert_eq!((data.rows(), data.columns()), (3, 2));
    /// assert_eq!(second.rows().dot(0, &[100.0, 1.0], &Support::default()), 220.0);
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn column_major<T: Element>(values: &'a [T], response: &'a [f64]) -> Result<Self> {
        Self::new(ColumnMajor::new(values, response.len())?, response)
    }
}

impl<T: Element> ChunkSource for ColumnMajor<'_, T> {
    fn rows(&self) -> usize {
        self.rows
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
        let cell = |at: usize| Cell { row: at % self.rows, column: at / self.rows, value: self.values[at].to_f64() };
        Ok(first_beyond(self.values, limit).map(cell))
    }
}

impl<T: Element> RandomAccess for ColumnMajor<'_, T> {
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        let width = columns.map_or(self.columns, <[usize]>::len);
        let target = buffer.dense(rows.len(), width);
        for (rows, target) in rows.chunks(TILE).zip(target.chunks_mut((TILE * width).max(1))) {
            for at in 0..width {
                let j = columns.map_or(at, |columns| columns[at]);
                let column = &self.values[j * self.rows..(j + 1) * self.rows];
                for (i, &row) in rows.iter().enumerate() {
                    target[i * width + at] = column[row].to_f64();
                }
            }
        }
        Ok(())
    }
}
