//! Some columns of a row-major matrix, which stays where it is.

use std::fmt;

use crate::mapped::Mapped;

/// Columns of a matrix in memory or in a mapped file.
pub struct Picked<T> {
    matrix: Matrix<T>,
    width: usize,
    columns: Vec<usize>,
}

enum Matrix<T> {
    Owned(Vec<T>),
    Mapped(Mapped<T>),
}

/// The shape; the entries would fill the screen.
impl<T: bytemuck::Pod> fmt::Debug for Picked<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Picked({} of {} columns, {} rows)", self.columns.len(), self.width, self.rows())
    }
}

impl<T: bytemuck::Pod> Picked<T> {
    pub(crate) fn owned(matrix: Vec<T>, width: usize, columns: Vec<usize>) -> Self {
        Self { matrix: Matrix::Owned(matrix), width, columns }
    }

    pub(crate) fn mapped(matrix: Mapped<T>, columns: Vec<usize>) -> Self {
        Self { width: matrix.columns(), matrix: Matrix::Mapped(matrix), columns }
    }

    /// The whole matrix, row-major.
    pub fn matrix(&self) -> &[T] {
        match &self.matrix {
            Matrix::Owned(values) => values,
            Matrix::Mapped(map) => map.values(),
        }
    }

    /// Columns of the whole matrix.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The columns of the matrix that are features, in the order of the features.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.matrix().len() / self.width.max(1)
    }

    /// The features of a row.
    pub(crate) fn row(&self, index: usize) -> impl Iterator<Item = T> + '_ {
        let row = &self.matrix()[index * self.width..(index + 1) * self.width];
        self.columns.iter().map(|&column| row[column])
    }
}
