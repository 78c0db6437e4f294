//! Newton's method on $\theta$ itself, for batches with more rows than features.
//!
//! The gradient is $X^Ts + D(\theta - z)$ with $s = v\circ\ell'(\eta)$, the Hessian $D + X^TWX$ with $W = \mathrm{diag}(v\circ\ell'')$.
//! Only the part of the Hessian that belongs to the intercept is filled in by hand; the rest comes from one product.

use super::newton::{Along, LIFTS, System};
use super::penalties::Penalties;
use super::{back, forward};
use crate::data::{Rows, Support};
use crate::linalg::{Cholesky, axpy, dot, norm};

/// Memory of the path.
#[derive(Default)]
pub(super) struct Memory {
    cross: Vec<f64>,
    cross_work: Vec<f64>,
    border: Vec<f64>,
    cholesky: Cholesky,
    gradient: Vec<f64>,
    moved: Vec<f64>,
    weighted: Vec<f64>,
    direction: Vec<f64>,
    every_column: Support,
}

/// The primal path for one batch and penalty.
pub(super) struct Primal<'s> {
    rows: Rows<'s>,
    penalty: Penalties,
    memory: &'s mut Memory,
}

impl<'s> Primal<'s> {
    pub(super) fn new(rows: Rows<'s>, penalty: Penalties, memory: &'s mut Memory) -> Self {
        let size = penalty.layout().len();
        [&mut memory.gradient, &mut memory.moved, &mut memory.weighted, &mut memory.direction, &mut memory.border]
            .into_iter()
            .for_each(|v| v.resize(size, 0.0));
        memory.moved.fill(0.0);
        Self { rows, penalty, memory }
    }

    /// Moves `theta` from the anchor to the current point.
    pub(super) fn finish(self, theta: &mut [f64]) {
        axpy(1.0, &self.memory.moved, theta);
    }

    /// $X^TWX$, the part that a lift leaves as it is.
    fn fill_cross(&mut self, curvatures: &[f64]) {
        let m = &mut *self.memory;
        let features = self.rows.width();
        m.cross.clear();
        m.cross.resize(features * features, 0.0);
        self.rows.add_weighted_cross(curvatures, &mut m.cross, &mut m.cross_work);
        if self.penalty.intercept.is_some() {
            back(self.rows, curvatures, &mut m.border);
        }
    }

    /// Factors $D + X^TWX$ with its diagonal lifted by a share of the largest entry; `false` if it is still not positive definite.
    fn factors(&mut self, lift: f64) -> bool {
        let m = &mut *self.memory;
        let layout = self.penalty.layout();
        let size = layout.len();
        let h = m.cholesky.matrix(size);
        layout.fill_bordered(&m.cross, &m.border, h);
        (0..layout.coefficient_count()).for_each(|j| h[j * size + j] += self.penalty.coefficients);
        if let (Some(penalty), Some(last)) = (self.penalty.intercept, layout.place_of_intercept()) {
            h[last * size + last] += penalty;
        }
        if lift > 0.0 {
            let largest = (0..size).map(|j| h[j * size + j]).fold(0.0, f64::max);
            (0..size).for_each(|j| h[j * size + j] += lift * largest);
        }
        m.cholesky.factor()
    }
}

impl System for Primal<'_> {
    fn gradient_norm(&mut self, slopes: &[f64]) -> f64 {
        let m = &mut *self.memory;
        back(self.rows, slopes, &mut m.gradient);
        m.weighted.copy_from_slice(&m.moved);
        self.penalty.multiply(&mut m.weighted);
        axpy(1.0, &m.weighted, &mut m.gradient);
        norm(&m.gradient)
    }

    fn direction(&mut self, _slopes: &[f64], curvatures: &[f64], _precision: f64, change: &mut [f64]) -> Option<Along> {
        self.fill_cross(curvatures);
        LIFTS.into_iter().find(|&lift| self.factors(lift))?;
        let m = &mut *self.memory;
        m.direction.iter_mut().zip(&m.gradient).for_each(|(d, g)| *d = -g);
        m.cholesky.solve(&mut m.direction);
        forward(self.rows, &m.direction, &m.every_column, change);
        m.weighted.copy_from_slice(&m.direction);
        self.penalty.multiply(&mut m.weighted);
        Some(Along { slope: dot(&m.moved, &m.weighted), curvature: dot(&m.direction, &m.weighted) })
    }

    fn advance(&mut self, t: f64) {
        axpy(t, &self.memory.direction, &mut self.memory.moved);
    }
}
