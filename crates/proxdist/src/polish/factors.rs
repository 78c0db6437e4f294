//! $\Theta = U\Sigma V^T$ of a matrix of rank $r$, and the directions along the set of such matrices.
//!
//! $U$ comes from Gram–Schmidt with column pivoting; rotations then make the rows of $U^T\Theta$ orthogonal (one-sided
//! Jacobi), which are $\Sigma V^T$. If the rank is below $r$ the missing vectors are filled in, with $\sigma = 0$: by the leading
//! singular vectors of the gradient outside the others ([`Factors::filled`]), along which F falls fastest.
//!
//! The tangent space at $\Theta$ is $T = \{UA + BV^T : U^TB = 0\}$. With $U_\perp$ an orthonormal basis of the rest of the space and
//! $B = U_\perp C$, the entries of $A$ ($r \times q$, row by row) and of $C$ ($(p - r) \times r$, row by row), then the intercept, are orthonormal
//! coordinates of it: $r(p + q - r)$ numbers and one. $U_\perp$ is never formed: reflections that turn $U$ into unit vectors turn it
//! into the others.

use super::orthonormal::{apply, complete, orthonormalise, reflections, rotate};
use crate::constraint::{Rank, projected};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{add_transposed_product, axpy, divide_by, dot, norm, norm_squared, product};
use crate::shape::Shape;

/// Relative size below which a column or singular value counts as zero.
const NEGLIGIBLE: f64 = 1e-13;

/// The factors, singular values in falling order.
pub(crate) struct Factors {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) rank: usize,
    /// $U$ ($p \times r$) and $U^T$, $V$ ($q \times r$) and $V^T$, row by row.
    pub(super) left: Vec<f64>,
    pub(super) left_t: Vec<f64>,
    pub(super) right: Vec<f64>,
    right_t: Vec<f64>,
    sizes: Vec<f64>,
    /// Singular values that are not zero.
    known: usize,
    /// Unit vectors $h$ of the reflections $I - 2hh^T$ that turn $U$ into unit vectors, one after the other.
    reflections: Vec<Vec<f64>>,
}

impl Factors {
    /// The factors of a row-major matrix of rank at most `rank`; singular values up to `cut` count as zero.
    pub(crate) fn of(theta: &[f64], rows: usize, columns: usize, rank: usize, cut: f64) -> Self {
        let rank = rank.min(rows).min(columns);
        let mut rest = transposed(theta, rows, columns);
        let top = rest.chunks_exact(rows.max(1)).map(norm_squared).fold(0.0, f64::max).sqrt();
        let mut left: Vec<Vec<f64>> = Vec::with_capacity(rank);
        while left.len() < rank {
            let sizes = rest.chunks_exact(rows).map(norm_squared);
            let Some((pivot, size)) = sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) else {
                break;
            };
            if size.is_nan() || size.sqrt() <= NEGLIGIBLE * top {
                break;
            }
            let mut unit = rest[pivot * rows..(pivot + 1) * rows].to_vec();
            orthonormalise(&mut unit, &left);
            for column in rest.chunks_exact_mut(rows) {
                let along = dot(&unit, column);
                axpy(-along, &unit, column);
            }
            left.push(unit);
        }
        let mut weighted: Vec<Vec<f64>> = left
            .iter()
            .map(|unit| {
                let mut row = vec![0.0; columns];
                (0..rows).for_each(|i| axpy(unit[i], &theta[i * columns..(i + 1) * columns], &mut row));
                row
            })
            .collect();
        rotate(&mut left, &mut weighted);
        let lengths: Vec<f64> = weighted.iter().map(|row| norm(row)).collect();
        let mut order: Vec<usize> = (0..left.len()).collect();
        order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
        let largest = order.first().map_or(0.0, |&k| lengths[k]);
        order.retain(|&k| lengths[k] > cut && lengths[k] > NEGLIGIBLE * largest);
        let mut right: Vec<Vec<f64>> = Vec::with_capacity(rank);
        for &k in &order {
            let mut unit = std::mem::take(&mut weighted[k]);
            orthonormalise(&mut unit, &right);
            right.push(unit);
        }
        let left = order.iter().map(|&k| std::mem::take(&mut left[k])).collect();
        Self::assembled((rows, columns, rank), left, right, order.iter().map(|&k| lengths[k]).collect())
    }

    fn assembled(
        (rows, columns, rank): (usize, usize, usize),
        mut left: Vec<Vec<f64>>,
        mut right: Vec<Vec<f64>>,
        mut sizes: Vec<f64>,
    ) -> Self {
        let known = sizes.len();
        sizes.resize(rank, 0.0);
        complete(&mut left, rank, rows);
        complete(&mut right, rank, columns);
        let reflections = reflections(&left);
        let (left_t, right_t) = (left.concat(), right.concat());
        let (left, right) = (transposed(&left_t, rank, rows), transposed(&right_t, rank, columns));
        Self { rows, columns, rank, left, left_t, right, right_t, sizes, known, reflections }
    }

    /// The same with the missing vectors taken from the gradient.
    pub(crate) fn filled(self, gradient: &[f64]) -> Result<Self> {
        let Self { rows, columns, rank, known, .. } = self;
        let units = |flat: &[f64], length: usize| -> Vec<Vec<f64>> {
            flat.chunks_exact(length.max(1)).take(known).map(<[f64]>::to_vec).collect()
        };
        let (mut left, mut right) = (units(&self.left_t, rows), units(&self.right_t, columns));
        let few = Self::assembled((rows, columns, known), left.clone(), right.clone(), self.sizes[..known].to_vec());
        let outside = few.outside(self.layout().coefficients(gradient));
        let steepest = projected(&Rank::at_most(rank - known, rows, columns), &outside)?;
        let found = Self::of(&steepest, rows, columns, rank - known, 0.0);
        for k in 0..found.known {
            let mut u = found.left_t[k * rows..(k + 1) * rows].to_vec();
            let mut v = found.right_t[k * columns..(k + 1) * columns].to_vec();
            orthonormalise(&mut u, &left);
            orthonormalise(&mut v, &right);
            left.push(u);
            right.push(v);
        }
        Ok(Self::assembled((rows, columns, rank), left, right, self.sizes[..known].to_vec()))
    }

    /// Where the matrix is in a parameter.
    fn layout(&self) -> Layout {
        Layout::of(Shape::Matrix { rows: self.rows, columns: self.columns })
    }

    /// Entries of the matrix.
    pub(super) fn size(&self) -> usize {
        self.layout().coefficient_count()
    }

    /// Where the coordinates are in a step; the intercept's may follow.
    pub(super) fn coordinates(&self) -> Layout {
        Layout::vector(self.unknowns())
    }

    /// Number of coordinates without the intercept.
    pub(super) fn unknowns(&self) -> usize {
        self.rank * (self.rows + self.columns - self.rank)
    }

    /// Whether all singular values are above zero, so that the set is smooth here.
    pub(crate) fn is_smooth(&self) -> bool {
        self.known == self.rank
    }

    /// $\sigma_r$
    pub(super) fn smallest(&self) -> f64 {
        self.sizes.last().copied().unwrap_or(0.0)
    }

    /// $U^TZ$
    pub(super) fn left_times(&self, z: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rank * self.columns];
        product(&self.left_t, z, &mut out, self.rows, self.columns);
        out
    }

    /// $Z^TU$
    pub(super) fn transpose_times_left(&self, z: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.columns * self.rank];
        if self.rank > 0 {
            add_transposed_product(z, &self.left, self.columns, self.rank, &mut out);
        }
        out
    }

    /// $ZV$
    pub(super) fn times_right(&self, z: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * self.rank];
        if self.rank > 0 {
            product(z, &self.right, &mut out, self.columns, self.rank);
        }
        out
    }

    /// $UA + BV^T$, for $A$ of $r \times q$ and $B$ of $p \times r$.
    pub(super) fn spanned(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let (mut out, mut other) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        if self.rank > 0 {
            product(&self.left, a, &mut out, self.rank, self.columns);
            product(b, &self.right_t, &mut other, self.rank, self.columns);
            axpy(1.0, &other, &mut out);
        }
        out
    }

    /// $(I - UU^T)Z(I - VV^T)$
    pub(crate) fn outside(&self, z: &[f64]) -> Vec<f64> {
        let mut rest = z.to_vec();
        axpy(-1.0, &self.spanned(&self.left_times(z), &vec![0.0; self.rows * self.rank]), &mut rest);
        let b = self.times_right(&rest);
        axpy(-1.0, &self.spanned(&vec![0.0; self.rank * self.columns], &b), &mut rest);
        rest
    }

    /// The nearest element of the tangent space.
    pub(crate) fn tangent(&self, z: &[f64]) -> Vec<f64> {
        let (a, mut b) = (self.left_times(z), self.times_right(z));
        self.drop_left(&mut b);
        self.spanned(&a, &b)
    }

    /// $B \leftarrow B - UU^TB$
    fn drop_left(&self, b: &mut [f64]) {
        if self.rank > 0 {
            let (mut core, mut along) = (vec![0.0; self.rank * self.rank], vec![0.0; b.len()]);
            product(&self.left_t, b, &mut core, self.rows, self.rank);
            product(&self.left, &core, &mut along, self.rank, self.rank);
            axpy(-1.0, &along, b);
        }
    }

    /// $(U + BK^{-1})(\Sigma V^T + A)$ for the direction $UA + BV^T$, where the set is smooth. It does not depend on the units of rows and columns.
    ///
    /// With $K = \Sigma + AV$ it differs from the end of the direction only outside the tangent space, and to second order it is the nearest matrix of the set; it
    /// is not finite where $K$ cannot be inverted. With $K = \Sigma$ both factors move straight ahead, however far.
    pub(crate) fn along(&self, direction: &[f64], is_straight: bool) -> Vec<f64> {
        let (rank, mut a, mut b) = (self.rank, self.left_times(direction), self.times_right(direction));
        self.drop_left(&mut b);
        let mut core = vec![0.0; rank * rank];
        if !is_straight {
            product(&a, &self.right, &mut core, self.columns, rank);
        }
        (0..rank).for_each(|k| core[k * rank + k] += self.sizes[k]);
        for (k, row) in a.chunks_exact_mut(self.columns).enumerate() {
            axpy(self.sizes[k], &self.right_t[k * self.columns..(k + 1) * self.columns], row);
        }
        divide_by(&mut b, &core, rank);
        axpy(1.0, &self.left, &mut b);
        let mut out = vec![0.0; self.size()];
        product(&b, &a, &mut out, rank, self.columns);
        out
    }

    /// $\|P_TZ\|$, with the intercept's entry.
    pub(super) fn tangent_norm(&self, z: &[f64]) -> f64 {
        let (matrix, intercept) = self.layout().split(z);
        let mut b = self.times_right(matrix);
        self.drop_left(&mut b);
        (norm_squared(&self.left_times(matrix)) + norm_squared(&b) + norm_squared(intercept)).sqrt()
    }

    /// The coordinates of $P_TZ$, and the intercept's entry.
    pub(super) fn reduced(&self, z: &[f64]) -> Vec<f64> {
        let (matrix, intercept) = self.layout().split(z);
        let mut out = self.left_times(matrix);
        let mut b = self.times_right(matrix);
        self.reflect(&mut b);
        out.extend_from_slice(&b[self.rank * self.rank..]);
        out.extend_from_slice(intercept);
        out
    }

    /// Applies the reflections to a $p \times r$ matrix, whose last $p - r$ rows are then $U_\perp^TB$.
    pub(super) fn reflect(&self, b: &mut [f64]) {
        self.reflections.iter().for_each(|h| apply(h, b, self.rank));
    }

    /// The matrix (and intercept) of coordinates.
    pub(super) fn expanded(&self, step: &[f64]) -> Vec<f64> {
        let (unknowns, intercept) = self.coordinates().split(step);
        let (a, c) = unknowns.split_at(self.rank * self.columns);
        let mut b = vec![0.0; self.rank * self.rank];
        b.extend_from_slice(c);
        self.reflections.iter().rev().for_each(|h| apply(h, &mut b, self.rank));
        let mut out = self.spanned(a, &b);
        out.extend_from_slice(intercept);
        out
    }

    /// Adds the bend of the set, $(U_\perp^TG(I - VV^T))_{lj}/\sigma_k$ between $C_{lk}$ and $A_{kj}$, in the lower triangle (column-major).
    pub(super) fn add_bend(&self, gradient: &[f64], matrix: &mut [f64], size: usize) {
        let mut rest = self.outside(self.layout().coefficients(gradient));
        self.reflections.iter().for_each(|h| apply(h, &mut rest, self.columns));
        for (l, row) in rest.chunks_exact(self.columns).skip(self.rank).enumerate() {
            for k in 0..self.known {
                let at = self.rank * self.columns + l * self.rank + k;
                for (j, g) in row.iter().enumerate() {
                    matrix[(k * self.columns + j) * size + at] += g / self.sizes[k];
                }
            }
        }
    }

    /// The bend applied to a direction $Z$: $G_\perp Z^TU\Sigma^{-1}V^T + U\Sigma^{-1}(ZV)^TG_\perp$, for the part $G_\perp$ of the gradient that
    /// [`Self::outside`] gives.
    pub(crate) fn bent(&self, outside: &[f64], z: &[f64]) -> Vec<f64> {
        let (mut zu, mut zv) = (self.transpose_times_left(z), self.times_right(z));
        for row in zu.chunks_exact_mut(self.rank.max(1)).chain(zv.chunks_exact_mut(self.rank.max(1))) {
            for (k, x) in row.iter_mut().enumerate() {
                *x = if k < self.known { *x / self.sizes[k] } else { 0.0 };
            }
        }
        let (mut a, mut b) = (vec![0.0; self.rank * self.columns], vec![0.0; self.rows * self.rank]);
        if self.rank > 0 {
            product(outside, &zu, &mut b, self.columns, self.rank);
            product(&transposed(&zv, self.rows, self.rank), outside, &mut a, self.rows, self.columns);
        }
        self.spanned(&a, &b)
    }

    /// What F could fall by if every entry of $A$ and every entry of $B$ moved alone, all added up:
    /// $\tfrac12\sum (U^TZ)_{kj}^2/\sum_iU_{ik}^2h_{ij} + \tfrac12\sum (ZV)_{ik}^2/\sum_jV_{jk}^2h_{ij}$ for a gradient $Z$ and curvatures $h$ of the
    /// entries of the matrix. The units of the entries do not matter to it.
    pub(super) fn decrement(&self, z: &[f64], curvatures: &[f64]) -> f64 {
        let matrix = self.layout().coefficients(z);
        let (left, right) = (self.left_times(matrix), self.times_right(matrix));
        let mean = curvatures.iter().sum::<f64>() / curvatures.len().max(1) as f64;
        let term = |g: f64, h: f64| if g == 0.0 { 0.0 } else { 0.5 * g * g / if h > 0.0 { h } else { mean } };
        let squares = |units: &[f64]| -> Vec<f64> { units.iter().map(|u| u * u).collect() };
        let (mut below, mut beside) = (vec![0.0; left.len()], vec![0.0; right.len()]);
        if self.rank > 0 {
            product(&squares(&self.left_t), curvatures, &mut below, self.rows, self.columns);
            product(curvatures, &squares(&self.right), &mut beside, self.columns, self.rank);
        }
        left.iter().zip(&below).chain(right.iter().zip(&beside)).map(|(g, h)| term(*g, *h)).sum()
    }
}

/// The transpose of a row-major matrix.
pub(super) fn transposed(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| matrix[i * columns + j])).collect()
}
