//! Row-major dense features, `f64` or `f32`. `f32` is a way of storing: arithmetic is `f64` from the gather on.

use super::magnitude::first_beyond;
use super::{Cell, ChunkSource, RandomAccess, RowBuffer, Rows, Visit, Wanted};
use crate::error::{Error, Result};

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

impl<T: Element> ChunkSource for Dense<'_, T> {
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
        let cell =
            |at: usize| Cell { row: at / self.columns, column: at % self.columns, value: self.values[at].to_f64() };
        Ok(first_beyond(self.values, limit).map(cell))
    }
}

impl<T: Element> RandomAccess for Dense<'_, T> {
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        let width = columns.map_or(self.columns, <[usize]>::len);
        let target = buffer.dense(rows.len(), width);
        for (&row, target) in rows.iter().zip(target.chunks_exact_mut(width.max(1))) {
            let source = &self.values[row * self.columns..(row + 1) * self.columns];
            match (columns, T::as_f64(source)) {
                (Some(few), _) => target.iter_mut().zip(few).for_each(|(t, &j)| *t = source[j].to_f64()),
                (None, Some(source)) => target.copy_from_slice(source),
                (None, None) => target.iter_mut().zip(source).for_each(|(t, s)| *t = s.to_f64()),
            }
        }
        Ok(())
    }

    fn borrow(&self) -> Option<Rows<'_>> {
        T::as_f64(self.values).map(|values| Rows::Dense { values, rows: self.rows, columns: self.columns })
    }
}
