//! Newton's direction along the low-rank matrices from the normal equations: see [`super::rank`].
//!
//! The matrix is scaled to a unit diagonal, so that units do not matter, and damped by a multiple of the identity.

use super::rank::Model;
use super::rank_ball::within_ball;
use super::rank_place::Place;
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, axpy, dot, mirror, norm};

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
        let matrix = self.cholesky.matrix(at.now.normal.as_ref()?.len().isqrt());
        let scales = scaled(at, bend, multiplier, matrix)?;
        let mut pull = at.now.gradient.clone();
        let layout = at.set.layout();
        axpy(multiplier, layout.coefficients(&at.theta), layout.coefficients_mut(&mut pull));
        let slopes = at.factors.reduced(&pull);
        self.towards(at, slopes.iter().zip(&scales).map(|(g, scale)| g * scale).collect(), &scales)
    }

    /// The minimiser of the model along the sphere; nothing if it is not convex along it.
    fn solve_on_sphere(&mut self, at: &Place) -> Option<Vec<f64>> {
        let Hessian { matrix, scales, outward } = Hessian::along_set(at)?;
        self.cholesky.matrix(scales.len()).copy_from_slice(&matrix);
        let mut slopes = at.factors.reduced(&at.pull);
        slopes.iter_mut().zip(&scales).for_each(|(g, scale)| *g *= scale);
        axpy(-dot(&slopes, &outward), &outward, &mut slopes);
        self.towards(at, slopes, &scales)
    }

    /// $-A^{-1}$ times slopes, for the matrix that was filled in.
    fn towards(&mut self, at: &Place, slopes: Vec<f64>, scales: &[f64]) -> Option<Vec<f64>> {
        let size = scales.len();
        let matrix = self.cholesky.matrix(size);
        (0..size).for_each(|k| matrix[k * size + k] += self.damping);
        if !self.cholesky.factor() {
            return None;
        }
        let mut step = slopes;
        self.cholesky.solve(&mut step);
        step.iter_mut().zip(scales).for_each(|(x, scale)| *x *= -scale);
        all_finite(&step).then(|| at.factors.expanded(&step))
    }
}

/// Fills in the model's matrix, scaled to a unit diagonal but for the bend, in the lower triangle (column-major); returns the scales.
fn scaled(at: &Place, bend: bool, multiplier: f64, matrix: &mut [f64]) -> Option<Vec<f64>> {
    matrix.copy_from_slice(at.now.normal.as_ref()?);
    let size = matrix.len().isqrt();
    (0..at.factors.unknowns()).for_each(|k| matrix[k * size + k] += multiplier);
    let scales: Vec<f64> =
        (0..size).map(|k| matrix[k * size + k].sqrt()).map(|root| if root > 0.0 { 1.0 / root } else { 1.0 }).collect();
    if bend {
        at.factors.add_bend(&at.now.gradient, matrix, size);
    }
    for (k, column) in matrix.chunks_exact_mut(size).enumerate() {
        let scale = scales[k];
        column[k..].iter_mut().zip(&scales[k..]).for_each(|(x, other)| *x *= scale * other);
    }
    Some(scales)
}

/// The Hessian along the set, with the bend. On a sphere that holds the point back it has the multiplier, $A + \lambda$, and only directions that stay on the sphere count:
/// $PAP + tt^T$ with $P = I - tt^T$ and $t$ the direction of $\Theta$.
pub(super) struct Hessian {
    /// Scaled to a unit diagonal, but for the bend; both triangles.
    pub(super) matrix: Vec<f64>,
    pub(super) scales: Vec<f64>,
    /// $t$ on the same scale; zero where there is no sphere.
    outward: Vec<f64>,
}

impl Hessian {
    /// Nothing where the normal equations are not known.
    pub(super) fn along_set(at: &Place) -> Option<Self> {
        let mut matrix = vec![0.0; at.now.normal.as_ref()?.len()];
        let scales = scaled(at, true, at.multiplier.unwrap_or(0.0), &mut matrix)?;
        let size = scales.len();
        mirror(&mut matrix, size);
        let mut outward = vec![0.0; size];
        if at.multiplier.is_some() {
            outward = at.factors.reduced(at.set.layout().coefficients(&at.theta));
            outward.resize(size, 0.0);
            outward.iter_mut().zip(&scales).for_each(|(t, scale)| *t *= scale);
            let length = norm(&outward);
            outward.iter_mut().for_each(|t| *t /= length);
            let image: Vec<f64> = matrix.chunks_exact(size).map(|row| dot(row, &outward)).collect();
            let own = dot(&image, &outward) + 1.0;
            for (k, row) in matrix.chunks_exact_mut(size).enumerate() {
                axpy(own * outward[k] - image[k], &outward, row);
                axpy(-outward[k], &image, row);
            }
        }
        Some(Self { matrix, scales, outward })
    }
}

impl Model for Dense {
    fn needs_normal(&self) -> bool {
        true
    }

    fn direction(&mut self, at: &Place, bend: bool, _goal: f64) -> Result<Option<Vec<f64>>> {
        self.products += 1;
        // Along the sphere F may have a minimum where the model in the ball has none, or one far away.
        let along = if bend && at.multiplier.is_some() { self.solve_on_sphere(at) } else { None };
        if along.is_some() {
            return Ok(along);
        }
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
