//! $\Theta = U\Sigma V^T$ of a matrix of rank $r$, and what Newton's method in [`super::rank`] needs of it.
//!
//! $U$ comes from Gram–Schmidt with column pivoting; rotations then make the rows of $U^T\Theta$ orthogonal (one-sided
//! Jacobi), which are $\Sigma V^T$. If the rank is below $r$ the missing vectors are filled in, orthogonal to the rest, with
//! $\sigma = 0$.
//!
//! Unknowns are ordered $A$ (row by row, $r \times q$), $B$ (row by row, $p \times r$), then the intercept.

use crate::linalg::{axpy, dot, norm, norm_squared};

/// Relative size below which a column or singular value counts as zero.
const NEGLIGIBLE: f64 = 1e-13;
const SWEEPS: usize = 40;

/// The factors; `left[k]` and `right[k]` are the vectors of $\sigma_k$, in falling order.
pub(super) struct Factors {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) rank: usize,
    pub(super) left: Vec<Vec<f64>>,
    pub(super) right: Vec<Vec<f64>>,
    sizes: Vec<f64>,
}

impl Factors {
    /// The factors of a row-major matrix of rank at most `rank`.
    pub(super) fn of(theta: &[f64], rows: usize, columns: usize, rank: usize) -> Self {
        let rank = rank.min(rows).min(columns);
        let mut rest: Vec<Vec<f64>> =
            (0..columns).map(|j| (0..rows).map(|i| theta[i * columns + j]).collect()).collect();
        let top = rest.iter().map(|column| norm_squared(column)).fold(0.0, f64::max).sqrt();
        let mut left: Vec<Vec<f64>> = Vec::with_capacity(rank);
        while left.len() < rank {
            let sizes = rest.iter().map(|column| norm_squared(column));
            let Some((pivot, size)) = sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) else {
                break;
            };
            if size.is_nan() || size.sqrt() <= NEGLIGIBLE * top {
                break;
            }
            let mut unit = rest[pivot].clone();
            orthonormalise(&mut unit, &left);
            for column in &mut rest {
                let along = dot(&unit, column);
                axpy(-along, &unit, column);
            }
            left.push(unit);
        }
        complete(&mut left, rank, rows);
        let mut weighted: Vec<Vec<f64>> = left
            .iter()
            .map(|unit| {
                let mut row = vec![0.0; columns];
                (0..rows).for_each(|i| axpy(unit[i], &theta[i * columns..(i + 1) * columns], &mut row));
                row
            })
            .collect();
        rotate(&mut left, &mut weighted);
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by(|&a, &b| norm(&weighted[b]).total_cmp(&norm(&weighted[a])));
        let sizes: Vec<f64> = order.iter().map(|&k| norm(&weighted[k])).collect();
        let left: Vec<Vec<f64>> = order.iter().map(|&k| left[k].clone()).collect();
        let mut right: Vec<Vec<f64>> = Vec::with_capacity(rank);
        for (&k, &size) in order.iter().zip(&sizes) {
            if size.is_nan() || size <= NEGLIGIBLE * sizes[0] || size == 0.0 {
                break;
            }
            let mut unit = weighted[k].clone();
            orthonormalise(&mut unit, &right);
            right.push(unit);
        }
        complete(&mut right, rank, columns);
        Self { rows, columns, rank, left, right, sizes }
    }

    /// Entries of the matrix.
    pub(super) fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// Number of unknowns without the intercept.
    pub(super) fn unknowns(&self) -> usize {
        self.rank * (self.rows + self.columns)
    }

    /// $\sigma_r/\sigma_1$
    pub(super) fn condition(&self) -> f64 {
        match (self.sizes.first(), self.sizes.last()) {
            (Some(first), Some(last)) if *first > 0.0 => last / first,
            _ => 0.0,
        }
    }

    fn at_a(&self, k: usize, j: usize) -> usize {
        k * self.columns + j
    }

    fn at_b(&self, i: usize, k: usize) -> usize {
        self.rank * self.columns + i * self.rank + k
    }

    /// $\|P_T G\|$, the gradient along the set, with the intercept's derivative.
    pub(super) fn tangent_norm(&self, gradient: &[f64]) -> f64 {
        // ‖UᵀG‖² + ‖GV‖² − ‖UᵀGV‖²
        let mut squares: f64 = gradient[self.size()..].iter().map(|g| g * g).sum();
        for unit in &self.left {
            let mut row = vec![0.0; self.columns];
            (0..self.rows).for_each(|i| axpy(unit[i], self.row(gradient, i), &mut row));
            squares += norm_squared(&row);
            // What lies in the span of V is counted with GV below.
            squares -= self.right.iter().map(|v| dot(v, &row).powi(2)).sum::<f64>();
        }
        for v in &self.right {
            squares += (0..self.rows).map(|i| dot(self.row(gradient, i), v).powi(2)).sum::<f64>();
        }
        squares.max(0.0).sqrt()
    }

    /// A gradient in the unknowns: $U^TG$, $GV$ and the intercept's derivative.
    pub(super) fn reduced(&self, gradient: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.unknowns()];
        for i in 0..self.rows {
            let row = self.row(gradient, i);
            for k in 0..self.rank {
                axpy(self.left[k][i], row, &mut out[k * self.columns..(k + 1) * self.columns]);
                out[self.at_b(i, k)] = dot(row, &self.right[k]);
            }
        }
        out.extend_from_slice(&gradient[self.size()..]);
        out
    }

    fn row<'g>(&self, matrix: &'g [f64], i: usize) -> &'g [f64] {
        &matrix[i * self.columns..(i + 1) * self.columns]
    }

    /// Moves `point` along `t` times a step in the unknowns, with the second-order part or without.
    pub(super) fn moved(&self, step: &[f64], t: f64, bend: bool, point: &mut [f64]) {
        for i in 0..self.rows {
            let row = &mut point[i * self.columns..(i + 1) * self.columns];
            for k in 0..self.rank {
                let b = t * step[self.at_b(i, k)];
                let curved = if bend { t * b / self.sizes[k] } else { 0.0 };
                let a = &step[self.at_a(k, 0)..self.at_a(k, self.columns)];
                axpy(t * self.left[k][i] + curved, a, row);
                axpy(b, &self.right[k], row);
            }
        }
        if let (Some(last), Some(d)) = (point.get_mut(self.size()), step.get(self.unknowns())) {
            *last += t * d;
        }
    }

    /// Adds $G_{ij}/\sigma_k$ between $B_{ik}$ and $A_{kj}$, in the lower triangle (column-major).
    pub(super) fn add_bend(&self, gradient: &[f64], matrix: &mut [f64], size: usize) {
        for i in 0..self.rows {
            for k in 0..self.rank {
                for j in 0..self.columns {
                    matrix[self.at_a(k, j) * size + self.at_b(i, k)] += gradient[i * self.columns + j] / self.sizes[k];
                }
            }
        }
    }

    /// Adds the Hessian of $\tfrac\tau2\|U^TB - AV\|^2$, in the lower triangle (column-major).
    pub(super) fn add_gauge(&self, tau: f64, matrix: &mut [f64], size: usize) {
        self.add_products(tau, -tau, matrix, size, true);
    }

    /// Adds the Hessian of $\tfrac\lambda2\|UA + BV^T\|^2$, in the lower triangle (column-major).
    pub(super) fn add_ridge(&self, lambda: f64, matrix: &mut [f64], size: usize) {
        (0..self.unknowns()).for_each(|k| matrix[k * size + k] += lambda);
        self.add_products(0.0, lambda, matrix, size, false);
    }

    /// The blocks $VV^T$ of $A$ and $UU^T$ of $B$, times `square`, and $\sum V_{jk}U_{il}$ between $A_{lj}$ and $B_{ik}$, times
    /// `cross`.
    fn add_products(&self, square: f64, cross: f64, matrix: &mut [f64], size: usize, with_squares: bool) {
        for l in 0..self.rank {
            for k in 0..self.rank {
                for j in 0..self.columns {
                    let column = self.at_a(l, j) * size;
                    let v = self.right[k][j];
                    for i in 0..self.rows {
                        matrix[column + self.at_b(i, k)] += cross * v * self.left[l][i];
                    }
                    if with_squares {
                        (j..self.columns)
                            .for_each(|m| matrix[column + self.at_a(l, m)] += square * v * self.right[k][m]);
                    }
                }
                if with_squares {
                    for i in 0..self.rows {
                        let column = self.at_b(i, k) * size;
                        let u = square * self.left[l][i];
                        (i..self.rows).for_each(|m| matrix[column + self.at_b(m, k)] += u * self.left[l][m]);
                    }
                }
            }
        }
    }
}

/// Makes `vector` orthogonal to `others` and of unit length; twice is enough.
fn orthonormalise(vector: &mut [f64], others: &[Vec<f64>]) {
    for _ in 0..2 {
        for other in others {
            let along = dot(other, vector);
            axpy(-along, other, vector);
        }
        let length = norm(vector);
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// Adds orthonormal vectors until there are `count`.
fn complete(vectors: &mut Vec<Vec<f64>>, count: usize, length: usize) {
    let mut axis = 0;
    while vectors.len() < count && axis < length {
        let mut unit = vec![0.0; length];
        unit[axis] = 1.0;
        axis += 1;
        let outside = 1.0 - vectors.iter().map(|v| dot(v, &unit).powi(2)).sum::<f64>();
        if outside > 0.25 / length as f64 {
            orthonormalise(&mut unit, vectors);
            vectors.push(unit);
        }
    }
}

/// Rotates pairs of rows of `weighted` until all are orthogonal, and the vectors of `left` with them.
fn rotate(left: &mut [Vec<f64>], weighted: &mut [Vec<f64>]) {
    for _ in 0..SWEEPS {
        let mut done = true;
        for a in 0..weighted.len() {
            for b in a + 1..weighted.len() {
                let product = dot(&weighted[a], &weighted[b]);
                let (first, second) = (norm_squared(&weighted[a]), norm_squared(&weighted[b]));
                if product.is_nan() || product.abs() <= 1e-15 * (first * second).sqrt() {
                    continue;
                }
                done = false;
                let tangent = {
                    let zeta = (second - first) / (2.0 * product);
                    1.0_f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0))
                };
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for rows in [&mut *left, &mut *weighted] {
                    for x in 0..rows[a].len() {
                        let (p, q) = (rows[a][x], rows[b][x]);
                        rows[a][x] = cosine * p - sine * q;
                        rows[b][x] = sine * p + cosine * q;
                    }
                }
            }
        }
        if done {
            break;
        }
    }
}
