//! Row-major dense features, `f64` or `f32`. `f32` is a way of storing: arithmetic is `f64` from the gather on.

use super::magnitude::first_beyond;
use super::{DataSource, RowBuffer, Rows, Support};
use crate::error::{Error, Result};
use crate::linalg;

/// A number features can be stored as.
pub trait Element: Copy + Send + Sync + 'static {
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// The same memory as `f64`, if that is what it is.
    fn as_f64(values: &[Self]) -> Option<&[f64]>;
}

impl Element for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn as_f64(values: &[Self]) -> Option<&[f64]> {
        Some(values)
    }
}

impl Element for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn as_f64(_values: &[Self]) -> Option<&[f64]> {
        None
    }
}

/// A borrowed row-major matrix.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

impl<'a, T: Element> Dense<'a, T> {
    /// Views `values` as rows of `columns` numbers.
    pub fn new(values: &'a [T], columns: usize) -> Result<Self> {
        if columns == 0 {
            return Err(Error::Empty { what: "columns" });
        }
        let rows = values.len() / columns;
        if rows * columns != values.len() {
            let rule = "a whole number of rows";
            return Err(Error::Length { what: "features", found: values.len(), expected: (rows + 1) * columns, rule });
        }
        Ok(Self { values, rows, columns })
    }
}

impl<T: Element> DataSource for Dense<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn gather(&self, rows: &[usize], buffer: &mut RowBuffer) -> Result<()> {
        let target = buffer.dense(rows.len(), self.columns);
        for (&row, target) in rows.iter().zip(target.chunks_exact_mut(self.columns)) {
            let source = &self.values[row * self.columns..(row + 1) * self.columns];
            match T::as_f64(source) {
                Some(source) => target.copy_from_slice(source),
                None => target.iter_mut().zip(source).for_each(|(t, s)| *t = s.to_f64()),
            }
        }
        Ok(())
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column].to_f64()
    }

    fn dot(&self, row: usize, v: &[f64], support: &Support) -> f64 {
        let values = &self.values[row * self.columns..(row + 1) * self.columns];
        match (support.indices(), T::as_f64(values)) {
            (Some(few), _) => few.iter().map(|&j| values[j].to_f64() * v[j]).sum(),
            (None, Some(values)) => linalg::dot(values, v),
            (None, None) => linalg::dot_mixed(values, v),
        }
    }

    fn borrow(&self) -> Option<Rows<'_>> {
        T::as_f64(self.values).map(|values| Rows::Dense { values, rows: self.rows, columns: self.columns })
    }

    fn find_beyond(&self, limit: f64) -> Option<(usize, usize, f64)> {
        let at = first_beyond(self.values, limit)?;
        Some((at / self.columns, at % self.columns, self.values[at].to_f64()))
    }
}
