//! Newton's method in the space of the batch by preconditioned conjugate gradients: $K$ is never formed.
//!
//! The systems are those of [`super::dual`], $By = SKg$ with $B = I + SKS$. One product with $B$ is a pass over the rows forward
//! and one back. Since the iterates are sums of search directions, $K Sy$ and $X^TSy$ are summed along the way, and neither the
//! line search nor the final point needs another pass. Started at zero, every iterate gives a descent direction, so stopping
//! early is safe. The preconditioner is the diagonal $1 + w_iK_{ii}$, or none where that is close to one.

use super::dual::DualPoint;
use super::newton::{Along, System};
use super::penalties::Penalties;
use super::{back, forward};
use crate::data::{Rows, Support};
use crate::linalg::{axpy, dot, norm};

/// Memory of the path: vectors of length b, and a few of the length of θ.
#[derive(Default)]
pub(super) struct Memory {
    diagonal: Vec<f64>,
    roots: Vec<f64>,
    kg: Vec<f64>,
    solution: Vec<f64>,
    k_solution: Vec<f64>,
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    search: Vec<f64>,
    scaled: Vec<f64>,
    k_search: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    wide_search: Vec<f64>,
    wide_scaled: Vec<f64>,
    wide_point: Vec<f64>,
    wide_direction: Vec<f64>,
    every_column: Support,
}

impl Memory {
    /// Takes the memory for batches of this size, if it has not been taken yet.
    pub(super) fn fit(&mut self, rows: usize, dimension: usize) {
        let m = self;
        let of_batch = [
            &mut m.diagonal,
            &mut m.roots,
            &mut m.kg,
            &mut m.solution,
            &mut m.k_solution,
            &mut m.residual,
            &mut m.preconditioned,
            &mut m.search,
            &mut m.scaled,
            &mut m.k_search,
            &mut m.direction,
        ];
        of_batch.into_iter().for_each(|buffer| buffer.resize(rows, 0.0));
        let of_theta =
            [&mut m.gradient, &mut m.wide_search, &mut m.wide_scaled, &mut m.wide_point, &mut m.wide_direction];
        of_theta.into_iter().for_each(|buffer| buffer.resize(dimension, 0.0));
    }
}

/// Average $w_iK_{ii}$ below which the system is so close to the identity that a preconditioner does not pay.
const NEGLIGIBLE: f64 = 0.2;

/// Eigenvalue of $SKS$ beyond which $Sy - g$ and $KSy - Kg$ lose too many digits: the Cholesky path, where nothing cancels, takes over.
const MOST_BENT: f64 = 1e6;

/// The conjugate gradient path for one batch and penalty.
pub(super) struct Conjugate<'s> {
    rows: Rows<'s>,
    penalty: Penalties,
    point: &'s mut DualPoint,
    memory: &'s mut Memory,
    budget: usize,
}

impl<'s> Conjugate<'s> {
    /// `budget` bounds the number of products with $B$ over all Newton steps.
    pub(super) fn new(
        rows: Rows<'s>,
        penalty: Penalties,
        budget: usize,
        point: &'s mut DualPoint,
        memory: &'s mut Memory,
    ) -> Self {
        memory.fit(rows.len(), penalty.layout().len());
        memory.wide_point.fill(0.0);
        Self { rows, penalty, point, memory, budget }
    }

    /// Moves `theta` from the anchor to the current point.
    pub(super) fn finish(self, theta: &mut [f64]) {
        let wide = &mut self.memory.wide_point;
        self.penalty.divide(wide);
        axpy(1.0, wide, theta);
    }

    /// The preconditioner. Only rows that bend the problem are measured: their lengths cost a pass.
    fn fill_diagonal(&mut self, curvatures: &[f64]) {
        let shift = self.penalty.intercept.map_or(0.0, |p| 1.0 / p);
        let kernel = |i: usize| self.rows.row_norm_squared(i) / self.penalty.coefficients + shift;
        let typical = curvatures.iter().sum::<f64>() / curvatures.len() as f64 * kernel(0);
        for (i, diagonal) in self.memory.diagonal.iter_mut().enumerate() {
            *diagonal = if typical < NEGLIGIBLE { 1.0 } else { 1.0 + curvatures[i] * kernel(i) };
        }
    }

    /// Solves $By = SKg$ to the relative precision; leaves $y$, $KSy$ and $X^TSy$ in the memory. Returns how large an eigenvalue of $SKS$ it has met.
    fn solve(&mut self, precision: f64) -> f64 {
        let m = &mut *self.memory;
        m.solution.fill(0.0);
        m.k_solution.fill(0.0);
        m.wide_direction.fill(0.0);
        for i in 0..m.roots.len() {
            m.residual[i] = m.roots[i] * m.kg[i];
            m.preconditioned[i] = m.residual[i] / m.diagonal[i];
        }
        m.search.copy_from_slice(&m.preconditioned);
        // With y the gradient of the quadratic model is XᵀSr, of norm at most √(λD)‖r‖, where λ is the largest eigenvalue of
        // SKS; the search directions show how large that is.
        let target = precision * norm(&m.gradient) / self.penalty.coefficients.sqrt();
        let mut largest = 0.0_f64;
        let mut alignment = dot(&m.residual, &m.preconditioned);
        let mut is_first = true;
        while alignment > 0.0 && self.budget > 0 && (is_first || norm(&m.residual) * largest.sqrt() > target) {
            is_first = false;
            self.budget -= 1;
            m.scaled.iter_mut().zip(m.roots.iter().zip(&m.search)).for_each(|(out, (root, p))| *out = root * p);
            back(self.rows, &m.scaled, &mut m.wide_search);
            m.wide_scaled.copy_from_slice(&m.wide_search);
            self.penalty.divide(&mut m.wide_scaled);
            forward(self.rows, &m.wide_scaled, &m.every_column, &mut m.k_search);
            let (straight, bent) = (dot(&m.search, &m.search), dot(&m.scaled, &m.k_search));
            largest = largest.max(bent / straight);
            let length = alignment / (straight + bent);
            axpy(length, &m.search, &mut m.solution);
            axpy(length, &m.k_search, &mut m.k_solution);
            axpy(length, &m.wide_search, &mut m.wide_direction);
            for i in 0..m.roots.len() {
                m.residual[i] -= length * (m.search[i] + m.roots[i] * m.k_search[i]);
                m.preconditioned[i] = m.residual[i] / m.diagonal[i];
            }
            let next = dot(&m.residual, &m.preconditioned);
            let keep = next / alignment;
            alignment = next;
            m.search.iter_mut().zip(&m.preconditioned).for_each(|(p, z)| *p = z + keep * *p);
        }
        largest
    }
}

impl System for Conjugate<'_> {
    fn gradient_norm(&mut self, slopes: &[f64]) -> f64 {
        self.point.update_residual(slopes);
        back(self.rows, &self.point.g, &mut self.memory.gradient);
        norm(&self.memory.gradient)
    }

    fn direction(&mut self, _slopes: &[f64], curvatures: &[f64], precision: f64, change: &mut [f64]) -> Option<Along> {
        let m = &mut *self.memory;
        m.roots.iter_mut().zip(curvatures).for_each(|(root, w)| *root = w.sqrt());
        // `gradient` still holds Xᵀg, so Kg costs one pass.
        m.wide_scaled.copy_from_slice(&m.gradient);
        self.penalty.divide(&mut m.wide_scaled);
        forward(self.rows, &m.wide_scaled, &m.every_column, &mut m.kg);
        self.fill_diagonal(curvatures);
        if self.solve(precision) > MOST_BENT {
            return None;
        }
        let m = &mut *self.memory;
        axpy(-1.0, &m.gradient, &mut m.wide_direction);
        for i in 0..change.len() {
            m.direction[i] = m.roots[i] * m.solution[i] - self.point.g[i];
            change[i] = m.k_solution[i] - m.kg[i];
        }
        Some(Along { slope: dot(&self.point.a, change), curvature: dot(&m.direction, change) })
    }

    fn advance(&mut self, t: f64) {
        axpy(t, &self.memory.direction, &mut self.point.a);
        axpy(t, &self.memory.wide_direction, &mut self.memory.wide_point);
    }

    fn is_out_of_budget(&self) -> bool {
        self.budget == 0
    }
}
