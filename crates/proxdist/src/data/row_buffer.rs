//! Rows that were copied into reused memory.

use super::Rows;
use super::source::{self, ChunkSource, Piece, Wanted};
use crate::error::Result;
use crate::scaling::Scaling;

/// Reused memory that a source copies rows into, dense or sparse as the source prefers.
#[derive(Debug, Default)]
pub struct RowBuffer {
    values: Vec<f64>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    rows: usize,
    columns: usize,
    is_sparse: bool,
    /// Memory for the numbers of rows; as many as there are sources that renumber rows on top of each other.
    numbers: Vec<Vec<usize>>,
}

impl RowBuffer {
    /// Room for `rows × columns` numbers, row-major. The source must fill all of it.
    pub fn dense(&mut self, rows: usize, columns: usize) -> &mut [f64] {
        (self.rows, self.columns, self.is_sparse) = (rows, columns, false);
        self.values.resize(rows * columns, 0.0);
        &mut self.values
    }

    /// An empty sparse block that rows are pushed onto.
    pub fn sparse(&mut self, columns: usize) -> &mut Self {
        (self.rows, self.columns, self.is_sparse) = (0, columns, true);
        self.values.clear();
        self.indices.clear();
        self.starts.clear();
        self.starts.push(0);
        self
    }

    /// Appends a sparse row of (column, value), columns increasing.
    pub fn push_row(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        for (column, value) in entries {
            self.indices.push(column);
            self.values.push(value);
        }
        self.starts.push(self.values.len());
        self.rows += 1;
    }

    /// Takes in rows, of dense ones only the `columns` that are listed.
    pub(crate) fn copy(&mut self, piece: &Piece<'_>, columns: Option<&[usize]>) {
        (self.rows, self.is_sparse) = (0, false);
        self.values.clear();
        self.append(piece, columns);
    }

    /// Takes in rows as `copy` does, each entry turned into $(x - m_j)f_j$ on the way.
    pub(crate) fn copy_scaled(&mut self, piece: &Piece<'_>, columns: Option<&[usize]>, scaling: &Scaling) {
        let Scaling { means, factors } = scaling;
        let Rows::Dense { values, rows, .. } = piece.rows else {
            self.copy(piece, columns);
            return self.scale(scaling, columns);
        };
        if columns.is_some() {
            self.copy(piece, columns);
            return self.scale(scaling, columns);
        }
        let width = piece.rows.width();
        crate::linalg::scale_rows(values, means, factors, self.dense(rows, width));
    }

    /// Takes in all rows of a source.
    pub(super) fn read_whole(&mut self, source: &dyn ChunkSource) -> Result<()> {
        let (rows, columns) = (source.rows(), source.columns());
        let wanted = Wanted { rows: 0..rows, length: source::length(columns), columns: None };
        source::read(source, &wanted, &mut |piece| {
            if piece.first > 0 {
                self.append(&piece, None);
                return Ok(());
            }
            self.copy(&piece, None);
            if !self.is_sparse {
                self.values.reserve_exact((rows - self.rows) * columns);
            }
            Ok(())
        })
    }

    fn append(&mut self, piece: &Piece<'_>, columns: Option<&[usize]>) {
        if let Rows::Dense { values, rows, .. } = piece.rows {
            match columns {
                None => self.values.extend_from_slice(values),
                Some(columns) => piece.pick(columns, &mut self.values),
            }
            self.columns = columns.map_or(piece.rows.width(), <[usize]>::len);
            self.rows += rows;
            return;
        }
        if self.rows == 0 {
            self.sparse(piece.rows.width());
        }
        (0..piece.rows.len()).for_each(|i| self.push_row(piece.rows.row(i).map(|(j, x)| (j as u32, x))));
    }

    /// Turns each entry $x$ of column $j$ into $(x - m_j)f_j$; in sparse rows zeros stay zeros and means must be zero. Dense rows have the `columns`
    /// that are listed, if any are.
    pub(crate) fn scale(&mut self, scaling: &Scaling, columns: Option<&[usize]>) {
        let Scaling { means, factors } = scaling;
        if self.is_sparse {
            self.values.iter_mut().zip(&self.indices).for_each(|(x, &j)| *x *= factors[j as usize]);
            return;
        }
        for row in self.values.chunks_exact_mut(self.columns.max(1)) {
            match columns {
                None => row.iter_mut().zip(means.iter().zip(factors)).for_each(|(x, (m, f))| *x = (*x - m) * f),
                Some(few) => row.iter_mut().zip(few).for_each(|(x, &j)| *x = (*x - means[j]) * factors[j]),
            }
        }
    }

    /// Multiplies each column by its factor.
    pub(super) fn stretch(&mut self, factors: &[f64]) {
        if self.is_sparse {
            self.values.iter_mut().zip(&self.indices).for_each(|(x, &j)| *x *= factors[j as usize]);
            return;
        }
        for row in self.values.chunks_exact_mut(self.columns.max(1)) {
            row.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
        }
    }

    /// Calls `gather` with other numbers for the rows; the memory for them is reused.
    pub(super) fn renumbered(
        &mut self,
        rows: impl Iterator<Item = usize>,
        gather: impl FnOnce(&[usize], &mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut numbers = self.numbers.pop().unwrap_or_default();
        numbers.clear();
        numbers.extend(rows);
        let outcome = gather(&numbers, self);
        self.numbers.push(numbers);
        outcome
    }

    /// What was copied in last.
    pub fn rows(&self) -> Rows<'_> {
        if self.is_sparse {
            Rows::Sparse { starts: &self.starts, indices: &self.indices, values: &self.values, columns: self.columns }
        } else {
            Rows::Dense { values: &self.values, rows: self.rows, columns: self.columns }
        }
    }

    /// The same as the rows from `first` on, gathered for these columns.
    pub fn piece<'b>(&'b self, first: usize, columns: Option<&'b [usize]>) -> Piece<'b> {
        Piece { first, rows: self.rows(), columns: if self.is_sparse { None } else { columns } }
    }
}
