//! Newton's direction along the low-rank matrices from the normal equations: see [`super::rank`].
//!
//! The matrix is scaled to a unit diagonal, so that units do not matter, and damped by a multiple of the identity. On the sphere
//! $\|\Theta\| = R$ the step must be orthogonal to $\Theta$: $x - \frac{\langle\Theta, x\rangle}{\langle\Theta, y\rangle}y$ with $x = -H^{-1}g$,
//! $y = H^{-1}\Theta$.

use super::rank::Model;
use super::rank_place::Place;
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, axpy, dot};

/// Smallest and largest damping of the matrix of unit diagonal.
const LEAST_DAMPING: f64 = 1e-13;
const MOST_DAMPING: f64 = 1e8;

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
}

impl Model for Dense {
    fn needs_normal(&self) -> bool {
        true
    }

    fn direction(&mut self, at: &Place, bend: bool, _goal: f64) -> Result<Option<Vec<f64>>> {
        let Some(normal) = &at.now.normal else {
            return Ok(None);
        };
        self.products += 1;
        let mut step: Vec<f64> = at.factors.reduced(&at.pull).iter().map(|g| -g).collect();
        let (size, unknowns) = (step.len(), at.factors.unknowns());
        let matrix = self.cholesky.matrix(size);
        matrix.copy_from_slice(normal);
        if let Some(multiplier) = at.multiplier {
            (0..unknowns).for_each(|k| matrix[k * size + k] += multiplier);
        }
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
            return Ok(None);
        }
        let mut solve = |right: &mut [f64]| {
            right.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
            self.cholesky.solve(right);
            right.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
        };
        solve(&mut step);
        if at.multiplier.is_some() {
            let mut centre = at.theta.clone();
            centre[at.set.size()..].fill(0.0);
            let centre = at.factors.reduced(&centre);
            let mut along = centre.clone();
            solve(&mut along);
            let across = dot(&centre, &along);
            if across > 0.0 {
                axpy(-dot(&centre, &step) / across, &along, &mut step);
            }
        }
        Ok(all_finite(&step).then(|| at.factors.expanded(&step)))
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
