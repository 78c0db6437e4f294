//! A block of rows in memory and the few products the methods need of it. Dense or sparse is decided here and nowhere else.

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

    /// Number of columns.
    pub fn width(&self) -> usize {
        match self {
            Self::Dense { columns, .. } | Self::Sparse { columns, .. } => *columns,
        }
    }

    /// Number of stored values.
    pub fn entries(&self) -> usize {
        match self {
            Self::Dense { values, .. } => values.len(),
            Self::Sparse { starts, .. } => starts[starts.len() - 1] - starts[0],
        }
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
            Self::Dense { values, rows, columns } => {
                linalg::add_transposed_product(values, a, rows, columns, width, out);
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
            Self::Dense { values, columns, .. } => {
                for (x, &weight) in values.chunks_exact(columns).zip(weights) {
                    out.iter_mut().zip(x).for_each(|(out, x)| *out += weight * x * x);
                }
            }
            Self::Sparse { .. } => {
                for (i, &weight) in weights.iter().enumerate() {
                    self.row(i).for_each(|(j, x)| out[j] += weight * x * x);
                }
            }
        }
    }

    /// Adds `Σᵢ wᵢ (xᵢⱼ − cⱼ)` and `Σᵢ wᵢ (xᵢⱼ − cⱼ)²` to the halves of `out`; for sparse rows the centre must be zero.
    pub fn add_moments(&self, weights: &[f64], centre: &[f64], out: &mut [f64]) {
        let (sums, squares) = out.split_at_mut(centre.len());
        match *self {
            Self::Dense { values, columns, .. } => {
                for (row, &weight) in values.chunks_exact(columns).zip(weights) {
                    for (((x, centre), sum), square) in row.iter().zip(centre).zip(&mut *sums).zip(&mut *squares) {
                        let (away, weighted) = (x - centre, weight * (x - centre));
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

/// The nonzeros of a vector, when they are few enough to be worth following one by one.
#[derive(Clone, Debug, Default)]
pub struct Support {
    indices: Vec<usize>,
    few: bool,
}

impl Support {
    /// Looks at `v` anew; reuses its memory.
    pub fn update(&mut self, v: &[f64]) {
        let limit = v.len() / 8;
        self.indices.clear();
        let nonzero = v.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(j, _)| j);
        self.indices.extend(nonzero.take(limit + 1));
        self.few = self.indices.len() <= limit;
    }

    /// The support of `v`.
    pub fn of(v: &[f64]) -> Self {
        let mut support = Self::default();
        support.update(v);
        support
    }

    /// The indices, or `None` if there are too many to be worth following.
    pub fn indices(&self) -> Option<&[usize]> {
        self.few.then_some(&self.indices[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 6] = [1.0, 0.0, 2.0, 0.0, 3.0, -1.0];

    fn both() -> [Rows<'static>; 2] {
        let sparse =
            Rows::Sparse { starts: &[0, 2, 4], indices: &[0, 2, 1, 2], values: &[1.0, 2.0, 3.0, -1.0], columns: 3 };
        [Rows::Dense { values: &X, rows: 2, columns: 3 }, sparse]
    }

    #[test]
    fn products_agree_with_hand_computation_dense_and_sparse() {
        for rows in both() {
            let mut out = [0.0; 2];
            rows.times(&[1.0, 1.0, 1.0], &Support::of(&[1.0; 3]), &mut out);
            assert_eq!(out, [3.0, 2.0]);
            let mut back = [1.0; 3];
            rows.add_transpose_times(&[1.0, 2.0], &mut back);
            assert_eq!(back, [2.0, 7.0, 1.0]);
            let mut g = [0.0; 4];
            rows.gram(&mut g, &mut Vec::new());
            assert_eq!(g, [5.0, -2.0, -2.0, 10.0]);
            let mut h = [0.0; 9];
            rows.add_weighted_cross(&[1.0, 4.0], &mut h, &mut Vec::new());
            // Column-major lower triangle of XᵀWX.
            assert_eq!([h[0], h[1], h[2], h[4], h[5], h[8]], [1.0, 0.0, 2.0, 36.0, -12.0, 8.0]);
            assert_eq!([rows.row_norm_squared(0), rows.row_norm_squared(1)], [5.0, 10.0]);
            assert_eq!(rows.slice(1..2).row(0).filter(|(_, x)| *x != 0.0).count(), 2);
        }
    }

    #[test]
    fn a_sparse_vector_reads_only_its_columns_and_gives_the_same_product() {
        let width = 16;
        let values: Vec<f64> = (0..2 * width).map(|i| f64::from(i as u32).sin()).collect();
        let rows = Rows::Dense { values: &values, rows: 2, columns: width };
        let mut v = vec![0.0; width];
        v[3] = 2.0;
        v[11] = -1.0;
        let (mut few, mut all) = ([0.0; 2], [0.0; 2]);
        rows.times(&v, &Support::of(&v), &mut few);
        rows.times(&v, &Support::default(), &mut all);
        assert!(Support::of(&v).indices().is_some() && Support::default().indices().is_none());
        assert!(few.iter().zip(all).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
