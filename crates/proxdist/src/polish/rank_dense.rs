//! Newton's direction along the low-rank matrices from the normal equations: see [`super::rank`].
//!
//! The matrix is scaled to a unit diagonal, so that units do not matter, and damped by a multiple of the identity.

use super::rank::Model;
use super::rank_ball::within_ball;
use super::rank_place::Place;
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, axpy};

/// Smallest and largest damping of the matrix of unit diagonal.
const LEAST_DAMPING: f64 = 1e-13;
const MOST_DAMPING: f64 = 1e30;

/// The damping, and memory.
pub(super) struct Dense {
    damping: f64,
    cholesky: Cholesky,
    products: usize,
}

impl Dense {
    pub(super) fn new() -> Self {
        Self { damping: LEAST_DAMPING, cholesky: Cholesky::default(), products: 0 }
    }

    /// The minimiser of the model with the term $\tfrac\lambda2\|\Theta + \xi\|^2$; nothing if it is not convex.
    fn solve(&mut self, at: &Place, bend: bool, multiplier: f64) -> Option<Vec<f64>> {
        let normal = at.now.normal.as_ref()?;
        let mut pull = at.now.gradient.clone();
        let layout = at.set.layout();
        axpy(multiplier, layout.coefficients(&at.theta), layout.coefficients_mut(&mut pull));
        let mut step: Vec<f64> = at.factors.reduced(&pull).iter().map(|g| -g).collect();
        let size = step.len();
        let matrix = self.cholesky.matrix(size);
        matrix.copy_from_slice(normal);
        (0..at.factors.unknowns()).for_each(|k| matrix[k * size + k] += multiplier);
        let scales: Vec<f64> = (0..size)
            .map(|k| matrix[k * size + k].sqrt())
            .map(|root| if root > 0.0 { 1.0 / root } else { 1.0 })
            .collect();
        if bend {
            at.factors.add_bend(&at.now.gradient, matrix, size);
        }
        for (k, column) in matrix.chunks_exact_mut(size).enumerate() {
            let scale = scales[k];
            column[k..].iter_mut().zip(&scales[k..]).for_each(|(x, other)| *x *= scale * other);
            column[k] += self.damping;
        }
        if !self.cholesky.factor() {
            return None;
        }
        step.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
        self.cholesky.solve(&mut step);
        step.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
        all_finite(&step).then(|| at.factors.expanded(&step))
    }
}

impl Model for Dense {
    fn needs_normal(&self) -> bool {
        true
    }

    fn direction(&mut self, at: &Place, bend: bool, _goal: f64) -> Result<Option<Vec<f64>>> {
        self.products += 1;
        within_ball(at, |multiplier| Ok(self.solve(at, bend, multiplier)))
    }

    fn accepted(&mut self, is_full: bool) {
        if is_full {
            self.damping = (0.01 * self.damping).max(LEAST_DAMPING);
        }
    }

    fn refused(&mut self) -> bool {
        self.damping = (100.0 * self.damping).max(1e-8);
        self.damping <= MOST_DAMPING
    }

    fn products(&self) -> usize {
        self.products
    }
}
