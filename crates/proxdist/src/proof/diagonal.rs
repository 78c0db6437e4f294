//! Diagonals below $G$: the larger where it matters, the better the bound.
//!
//! The start is $D = t\,\mathrm{diag}(1/(G^{-1})_{jj})$ with the largest $t$ that can be shown; $t \ge 1/k$ always is, apart from rounding.
//!
//! The minimum of a node's relaxation is concave in $D$, with derivative $\tfrac12w_j$, $w_j = \theta_j^2(1/z_j - 1)$. A better $D$ comes from
//! $$\max_D\ \sum_jw_jd_j + \tau\log\det(G - D)$$
//! by columns: with $M = (G - D)^{-1}$ the best change of $d_j$ is $\delta = 1/M_{jj} - \tau/w_j$, which adds $\frac{\delta}{1 - \delta M_{jj}}M_jM_j^T$ to $M$. These changes of
//! $M$ are gathered and made in blocks.

use super::positive::{UNIT, is_shown, shift};
use crate::linalg::{Cholesky, add_symmetric_product, axpy};

/// Kept away from the boundary, so that $G - D$ can be factored again.
const INSIDE: f64 = 0.9995;
/// Weights of the barrier, as parts of the mean of $w_jd_j$.
const BARRIERS: [f64; 3] = [0.1, 0.03, 0.01];
/// Least weight, as a part of the largest.
const LEAST_WEIGHT: f64 = 0.005;
/// Part of its first value that an entry keeps.
const LEAST_ENTRY: f64 = 0.05;
/// Changes of $M$ that are made together.
const BLOCK: usize = 16;

/// The diagonal to start from, for the full symmetric matrix of this size; `None` if the matrix is not shown to be positive definite.
pub(super) fn first(gram: &[f64], size: usize, cholesky: &mut Cholesky) -> Option<Vec<f64>> {
    if size == 0 || !is_shown(gram, &vec![0.0; size], cholesky) {
        return (size == 0).then(Vec::new);
    }
    let mut inverse = vec![0.0; size * size];
    cholesky.inverse(&mut inverse);
    let entries: Vec<f64> = (0..size).map(|j| 1.0 / inverse[j * size + j]).collect();
    drop(inverse);
    let scaled = |t: f64| -> Vec<f64> { entries.iter().map(|d| t * d).collect() };
    let (mut low, mut high) = (0.0, 1.0_f64);
    for _ in 0..if size <= 600 { 10 } else { 7 } {
        let t = if low > 0.0 { (low * high).sqrt() } else { high / (size as f64).sqrt().max(2.0) };
        if is_shown(gram, &scaled(t), cholesky) {
            low = t;
        } else {
            high = t;
        }
    }
    let entries = scaled(INSIDE * low);
    let least = UNIT * UNIT;
    (low > 0.0 && entries.iter().all(|d| *d > least)).then_some(entries)
}

/// A matrix with a diagonal below it, and the entries that the diagonal began with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Improvable<'a> {
    pub(super) gram: &'a [f64],
    pub(super) diagonal: &'a [f64],
    pub(super) began: &'a [f64],
}

impl Improvable<'_> {
    /// The diagonal that is best for given weights, nearly; not yet shown to be below the matrix.
    pub(super) fn best_for(&self, weights: &[f64], cholesky: &mut Cholesky) -> Option<Vec<f64>> {
        let size = self.diagonal.len();
        let most = weights.iter().copied().fold(0.0, f64::max);
        // Also NaN ends here.
        let is_useful = most > 0.0 && most.is_finite();
        if !is_useful {
            return None;
        }
        let weights: Vec<f64> = weights.iter().map(|w| (w / most).max(LEAST_WEIGHT)).collect();
        let matrix = cholesky.matrix(size);
        matrix.copy_from_slice(self.gram);
        (0..size).for_each(|j| matrix[j * size + j] -= self.diagonal[j]);
        if !cholesky.factor() {
            return None;
        }
        let mut inverse = Inverse::new(size, cholesky);
        let mut diagonal = self.diagonal.to_vec();
        let mean = weights.iter().zip(&diagonal).map(|(w, d)| w * d).sum::<f64>() / size as f64;
        for barrier in BARRIERS {
            for j in 0..size {
                let wanted = diagonal[j] + 1.0 / inverse.diagonal[j] - barrier * mean / weights[j];
                let entry = wanted.max(LEAST_ENTRY * self.began[j]);
                inverse.change(j, entry - diagonal[j]);
                diagonal[j] = entry;
            }
        }
        diagonal.iter().all(|d| d.is_finite() && *d > 0.0).then_some(diagonal)
    }

    /// The point between the diagonal and another one, if it is shown to be below the matrix.
    pub(super) fn towards(&self, other: &[f64], step: f64, cholesky: &mut Cholesky) -> Option<Vec<f64>> {
        let between = |(d, to): (&f64, &f64)| (d + step * (to - d)) * INSIDE;
        let entries: Vec<f64> = self.diagonal.iter().zip(other).map(between).collect();
        (shift(entries.len()) < 0.5 && is_shown(self.gram, &entries, cholesky)).then_some(entries)
    }
}

/// $M = (G - D)^{-1}$ while the diagonal changes.
struct Inverse {
    size: usize,
    /// The lower triangle, without the changes that wait.
    matrix: Vec<f64>,
    diagonal: Vec<f64>,
    /// Columns of $M$ that changes were made with, and the same with their factors.
    columns: Vec<f64>,
    scaled: Vec<f64>,
}

impl Inverse {
    fn new(size: usize, cholesky: &mut Cholesky) -> Self {
        let mut matrix = vec![0.0; size * size];
        cholesky.inverse(&mut matrix);
        let diagonal = (0..size).map(|j| matrix[j * size + j]).collect();
        Self { size, matrix, diagonal, columns: Vec::new(), scaled: Vec::new() }
    }

    /// Follows a change of an entry of the diagonal.
    fn change(&mut self, j: usize, by: f64) {
        let size = self.size;
        if self.columns.len() == BLOCK * size {
            add_symmetric_product(&self.columns, &self.scaled, size, &mut self.matrix);
            self.columns.clear();
            self.scaled.clear();
        }
        let start = self.columns.len();
        self.columns.extend((0..j).map(|i| self.matrix[i * size + j]));
        self.columns.extend_from_slice(&self.matrix[j * size + j..(j + 1) * size]);
        let (before, column) = self.columns.split_at_mut(start);
        for (earlier, scaled) in before.chunks_exact(size).zip(self.scaled.chunks_exact(size)) {
            axpy(scaled[j], earlier, column);
        }
        let factor = by / (1.0 - by * self.diagonal[j]);
        self.scaled.extend(column.iter().map(|x| factor * x));
        for (m, x) in self.diagonal.iter_mut().zip(column) {
            *m += factor * *x * *x;
        }
    }
}
