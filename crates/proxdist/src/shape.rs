//! The shape of the parameter: a vector, or a matrix stored row by row.

use std::fmt;

/// How the `p` coefficients are arranged. Matrices are row-major: entry (i, j) is coefficient `i * columns + j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `p` coefficients in a row.
    Vector(usize),
    /// Matrix covariates: `rows × columns` coefficients.
    Matrix {
        /// Rows of the coefficient matrix.
        rows: usize,
        /// Columns of the coefficient matrix.
        columns: usize,
    },
}

impl Shape {
    /// Number of coefficients; saturates instead of overflowing.
    pub fn len(self) -> usize {
        match self {
            Self::Vector(length) => length,
            Self::Matrix { rows, columns } => rows.saturating_mul(columns),
        }
    }

    /// Whether there is no coefficient at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vector(length) => write!(f, "{length}"),
            Self::Matrix { rows, columns } => write!(f, "{rows}x{columns}"),
        }
    }
}
