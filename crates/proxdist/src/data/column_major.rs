//! Column-major dense features, `f64` or `f32`: entry $(i, j)$ of $n$ rows is number $jn + i$, as Fortran, R and some NumPy arrays
//! have it.
//!
//! The kernels want rows, so a batch or a chunk of a pass is turned in the buffer it is gathered into, a tile at a time to use each
//! cache line fully. From there on the bits are those of the same matrix stored by rows.

use super::dense::Element;
use super::magnitude::first_beyond;
use super::{Data, DataSource, RowBuffer, Support};
use crate::error::{Error, Result};
use crate::linalg;
use std::cell::RefCell;

/// A borrowed column-major matrix.
#[derive(Clone, Copy, Debug)]
pub struct ColumnMajor<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

/// Rows of a tile: their part of a column fills a few cache lines.
const TILE: usize = 32;

thread_local! {
    /// Where a row is put together when its product is asked for alone.
    static ROW: RefCell<Vec<f64>> = RefCell::default();
}

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
    /// use proxdist::Data;
    /// let data = Data::column_major(&[1.0, 2.0, 3.0, 10.0, 20.0, 30.0], &[0.0, 1.0, 2.0])?;
    /// assert_eq!((data.rows(), data.columns(), data.source().entry(1, 1)), (3, 2, 20.0));
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn column_major<T: Element>(values: &'a [T], response: &'a [f64]) -> Result<Self> {
        Self::new(ColumnMajor::new(values, response.len())?, response)
    }
}

impl<T: Element> DataSource for ColumnMajor<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn gather(&self, rows: &[usize], buffer: &mut RowBuffer) -> Result<()> {
        let target = buffer.dense(rows.len(), self.columns);
        for (rows, target) in rows.chunks(TILE).zip(target.chunks_mut(TILE * self.columns)) {
            for (j, column) in self.values.chunks_exact(self.rows).enumerate() {
                for (i, &row) in rows.iter().enumerate() {
                    target[i * self.columns + j] = column[row].to_f64();
                }
            }
        }
        Ok(())
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        self.values[column * self.rows + row].to_f64()
    }

    fn dot(&self, row: usize, v: &[f64], support: &Support) -> f64 {
        match support.indices() {
            Some(few) => few.iter().map(|&j| self.entry(row, j) * v[j]).sum(),
            None => ROW.with_borrow_mut(|values| {
                values.clear();
                values.extend(self.values.iter().skip(row).step_by(self.rows).map(|value| value.to_f64()));
                linalg::dot(values, v)
            }),
        }
    }

    fn find_beyond(&self, limit: f64) -> Option<(usize, usize, f64)> {
        let at = first_beyond(self.values, limit)?;
        Some((at % self.rows, at / self.rows, self.values[at].to_f64()))
    }
}
