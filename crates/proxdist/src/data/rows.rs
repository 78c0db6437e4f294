//! A block of rows in memory and the few products the methods need of it. Dense or sparse is decided here and nowhere else.

use super::Support;
use crate::layout::Layout;
use crate::linalg;
use std::ops::Range;

/// Rows of features, all in `f64`.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Row-major values.
    Dense {
        /// `rows × columns` numbers.
        values: &'a [f64],
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// Compressed sparse rows.
    Sparse {
        /// Where each row starts in `values`, and the end of the last one.
        starts: &'a [usize],
        /// Column of each value, increasing within a row.
        indices: &'a [u32],
        /// The values.
        values: &'a [f64],
        /// Number of columns.
        columns: usize,
    },
}

/// Rows of a weighted cross product that are scaled at a time: bounds the copy to a small block.
const CROSS_BLOCK: usize = 256;

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense { rows, .. } => *rows,
            Self::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether only some entries are stored, the others being zero.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse { .. })
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        match self {
            Self::Dense { columns, .. } | Self::Sparse { columns, .. } => *columns,
        }
    }

    /// How the coefficients of these columns are arranged; intercepts may follow them.
    pub(crate) fn layout(&self) -> Layout {
        Layout::vector(self.width())
    }

    /// Number of stored values.
    pub fn entries(&self) -> usize {
        match self {
            Self::Dense { values, .. } => values.len(),
            Self::Sparse { starts, .. } => starts[starts.len() - 1] - starts[0],
        }
    }

    /// Number of values that differ from the commonest of their column; for sparse rows, of those that are stored.
    pub(crate) fn uncommon(&self) -> usize {
        let Self::Dense { values, rows, columns } = self else { return self.entries() };
        let mut column = Vec::with_capacity(*rows);
        let differ = |j: usize| {
            column.clear();
            column.extend((0..*rows).map(|i| values[i * columns + j]));
            column.sort_unstable_by(f64::total_cmp);
            rows - column.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0)
        };
        (0..*columns).map(differ).sum()
    }

    /// Some consecutive rows.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        match *self {
            Self::Dense { values, columns, .. } => {
                Self::Dense { values: &values[range.start * columns..range.end * columns], rows: range.len(), columns }
            }
            Self::Sparse { starts, indices, values, columns } => {
                Self::Sparse { starts: &starts[range.start..=range.end], indices, values, columns }
            }
        }
    }

    /// The stored entries of one row, as (column, value).
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let (dense, columns, sparse) = match *self {
            Self::Dense { values, columns, .. } => (&values[row * columns..(row + 1) * columns], &[][..], &[][..]),
            Self::Sparse { starts, indices, values, .. } => {
                let range = starts[row]..starts[row + 1];
                (&[][..], &indices[range.clone()], &values[range])
            }
        };
        let sparse = columns.iter().map(|&column| column as usize).zip(sparse.iter().copied());
        dense.iter().copied().enumerate().chain(sparse)
    }

    /// Appends the entries in some columns to `out`, row by row.
    pub fn pick(&self, columns: &[usize], out: &mut Vec<f64>) {
        for i in 0..self.len() {
            match *self {
                Self::Dense { values, columns: width, .. } => {
                    let row = &values[i * width..(i + 1) * width];
                    out.extend(columns.iter().map(|&j| row[j]));
                }
                Self::Sparse { starts, indices, values, .. } => {
                    let range = starts[i]..starts[i + 1];
                    let (indices, values) = (&indices[range.clone()], &values[range]);
                    let entry = |&j: &usize| indices.binary_search(&(j as u32)).map_or(0.0, |at| values[at]);
                    out.extend(columns.iter().map(entry));
                }
            }
        }
    }

    /// All entries row by row, zeros included: as they are stored, or spread out in `work`.
    pub fn spread<'w>(&self, work: &'w mut Vec<f64>) -> &'w [f64]
    where
        'a: 'w,
    {
        match *self {
            Self::Dense { values, .. } => values,
            Self::Sparse { columns, .. } => {
                work.clear();
                work.resize(self.len() * columns, 0.0);
                for i in 0..self.len() {
                    self.row(i).for_each(|(j, x)| work[i * columns + j] = x);
                }
                work
            }
        }
    }

    /// $x_i^Tv$ of one row. If `support` lists few nonzeros of `v`, only those columns are read.
    pub fn dot(&self, row: usize, v: &[f64], support: &Support) -> f64 {
        match (*self, support.indices()) {
            (Self::Dense { values, columns, .. }, few) => {
                let row = &values[row * columns..(row + 1) * columns];
                few.map_or_else(|| linalg::dot(row, v), |few| few.iter().map(|&j| row[j] * v[j]).sum())
            }
            (Self::Sparse { .. }, _) => self.row(row).map(|(j, x)| x * v[j]).sum(),
        }
    }

    /// `out = X v`. If `support` lists few nonzeros of `v`, only those columns are read.
    pub fn times(&self, v: &[f64], support: &Support, out: &mut [f64]) {
        match *self {
            Self::Dense { values, columns, .. } => match support.indices() {
                None => linalg::times(values, v, out, false),
                Some(few) => {
                    for (out, row) in out.iter_mut().zip(values.chunks_exact(columns)) {
                        *out = few.iter().map(|&j| row[j] * v[j]).sum();
                    }
                }
            },
            Self::Sparse { .. } => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = self.row(i).map(|(j, x)| x * v[j]).sum();
                }
            }
        }
    }

    /// `out += Xᵀ a`
    pub fn add_transpose_times(&self, a: &[f64], out: &mut [f64]) {
        match *self {
            Self::Dense { values, .. } => linalg::transpose_times(values, a, out, true),
            Self::Sparse { .. } => {
                for (i, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                    self.row(i).for_each(|(j, x)| out[j] += a * x);
                }
            }
        }
    }

    /// $\|x_i\|^2$
    pub fn row_norm_squared(&self, row: usize) -> f64 {
        match *self {
            Self::Dense { values, columns, .. } => linalg::norm_squared(&values[row * columns..(row + 1) * columns]),
            Self::Sparse { starts, values, .. } => linalg::norm_squared(&values[starts[row]..starts[row + 1]]),
        }
    }

    /// `g = X Xᵀ`, full and symmetric. `work` holds one row at a time spread out, for sparse rows.
    pub fn gram(&self, g: &mut [f64], work: &mut Vec<f64>) {
        let size = self.len();
        match *self {
            Self::Dense { values, columns, .. } => linalg::gram(values, size, columns, g),
            Self::Sparse { columns, .. } => {
                work.clear();
                work.resize(columns, 0.0);
                for i in 0..size {
                    self.row(i).for_each(|(j, x)| work[j] = x);
                    for other in 0..=i {
                        let product = self.row(other).map(|(j, x)| x * work[j]).sum();
                        g[i * size + other] = product;
                        g[other * size + i] = product;
                    }
                    self.row(i).for_each(|(j, _)| work[j] = 0.0);
                }
            }
        }
    }

    /// `out += XᵀA` for `A` of `width` columns, row-major like `out`.
    pub fn add_transposed_product(&self, a: &[f64], width: usize, out: &mut [f64]) {
        match *self {
            Self::Dense { values, columns, .. } => {
                linalg::add_transposed_product(values, a, columns, width, out);
            }
            Self::Sparse { .. } => {
                for (i, a) in a.chunks_exact(width).enumerate() {
                    self.row(i).for_each(|(j, x)| linalg::axpy(x, a, &mut out[j * width..(j + 1) * width]));
                }
            }
        }
    }

    /// `out[j] += Σᵢ wᵢ xᵢⱼ²`
    pub fn add_weighted_squares(&self, weights: &[f64], out: &mut [f64]) {
        match *self {
            Self::Dense { values, .. } => linalg::add_squares(values, weights, out),
            Self::Sparse { .. } => {
                for (i, &weight) in weights.iter().enumerate() {
                    self.row(i).for_each(|(j, x)| out[j] += weight * x * x);
                }
            }
        }
    }

    /// Adds `Σᵢ wᵢ (xᵢⱼ − cⱼ)` and `Σᵢ wᵢ (xᵢⱼ − cⱼ)²` to the halves of `out`; for sparse rows the center must be zero.
    pub fn add_moments(&self, weights: &[f64], center: &[f64], out: &mut [f64]) {
        let (sums, squares) = out.split_at_mut(center.len());
        match *self {
            Self::Dense { values, columns, .. } => {
                for (row, &weight) in values.chunks_exact(columns).zip(weights) {
                    for (((x, center), sum), square) in row.iter().zip(center).zip(&mut *sums).zip(&mut *squares) {
                        let (away, weighted) = (x - center, weight * (x - center));
                        *sum += weighted;
                        *square += weighted * away;
                    }
                }
            }
            Self::Sparse { .. } => {
                for (i, &weight) in weights.iter().enumerate() {
                    self.row(i).for_each(|(j, x)| {
                        sums[j] += weight * x;
                        squares[j] += weight * x * x;
                    });
                }
            }
        }
    }

    /// Adds `Xᵀ diag(w) X` to the lower triangle (column-major) of `h`. `work` holds a small block of scaled rows.
    pub fn add_weighted_cross(&self, weights: &[f64], h: &mut [f64], work: &mut Vec<f64>) {
        match *self {
            Self::Dense { values, columns, .. } => {
                for (rows, weights) in values.chunks(CROSS_BLOCK * columns).zip(weights.chunks(CROSS_BLOCK)) {
                    work.clear();
                    for (row, weight) in rows.chunks_exact(columns).zip(weights) {
                        let factor = weight.sqrt();
                        work.extend(row.iter().map(|x| factor * x));
                    }
                    linalg::add_cross(work, weights.len(), columns, h);
                }
            }
            Self::Sparse { columns, .. } => {
                for (i, &weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                    for (j, x) in self.row(i) {
                        self.row(i).filter(|(k, _)| *k >= j).for_each(|(k, y)| h[j * columns + k] += weight * x * y);
                    }
                }
            }
        }
    }
}
