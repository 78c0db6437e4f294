//! Low rank for losses that are not quadratic: Newton's method along the matrices of rank $r$, in the coordinates of `turned.rs`.
//!
//! The direction minimises the quadratic model of F along the set (its bend included, see [`crate::polish`] on rank) by conjugate gradients, preconditioned by the mean $K \times K$ block of curvature; it stays within
//! a trust radius once a step has failed. Features are uncorrelated in these coordinates, so few products are needed. Intercepts are free coordinates beside the matrix.

use super::turned::Turned;
use crate::constraint::{Constraint, Rank, Workspace};
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, axpy, dot, norm};
use crate::polish::{Factors, Smooth, Until};

const MOST_STEPS: usize = 300;
const MOST_PRODUCTS: usize = 200;
const ARMIJO: f64 = 1e-4;
/// Relative size of steps at which nothing is gained any more.
const SHORTEST: f64 = 1e-13;

/// A set of low-rank matrices, $p \times K$, and the mean block of curvature, factored.
pub(crate) struct Along<'a> {
    pub(crate) rank: usize,
    pub(crate) block: &'a mut Cholesky,
    /// The mean of its diagonal.
    pub(crate) bend: f64,
    /// F below which every row is on the side of its own class, so that there is no minimum; zero if that cannot be.
    pub(crate) enough: f64,
}

impl Along<'_> {
    fn preconditioned(&mut self, function: &Turned, factors: &Factors, v: &[f64]) -> Vec<f64> {
        let mut out = v.to_vec();
        out.chunks_exact_mut(function.outputs).for_each(|row| self.block.solve(row));
        tangent(function, factors, &out)
    }

    /// The relative size of the gradient along the set.
    fn stationarity(&self, residual: f64, value: f64, at_zero: f64) -> f64 {
        crate::polish::relative(
            residual / self.bend.max(f64::MIN_POSITIVE).sqrt(),
            crate::polish::floored(value, at_zero),
        )
    }

    /// The gradient along the set at a point of it, as [`Self::minimise`] returns it.
    pub(crate) fn measure(&self, function: &mut Turned, point: &[f64], at_zero: f64) -> Result<f64> {
        let mut gradient = vec![0.0; point.len()];
        let value = function.gradient(point, &mut gradient)?;
        let factors = Factors::of(
            &point[..function.features * function.outputs],
            function.features,
            function.outputs,
            self.rank,
            0.0,
        );
        let along = tangent(function, &factors, &gradient);
        Ok(self.stationarity(norm(&along), value, at_zero))
    }

    /// Lowers F along the set from a point of it; returns the gradient along it at the end, relative to $\sqrt{2F}$ in the metric of the coordinates.
    pub(crate) fn minimise(&mut self, function: &mut Turned, point: &mut [f64], until: &mut Until) -> Result<f64> {
        let (features, outputs) = (function.features, function.outputs);
        let at_zero = function.value(&vec![0.0; point.len()])?;
        let mut gradient = vec![0.0; point.len()];
        let mut value = function.gradient(point, &mut gradient)?;
        let (mut radius, mut stationarity) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..MOST_STEPS {
            let matrix = &point[..features * outputs];
            let mut factors = Factors::of(matrix, features, outputs, self.rank, 0.0);
            if !factors.is_smooth() {
                factors = factors.filled(&gradient[..features * outputs])?;
            }
            let along = tangent(function, &factors, &gradient);
            stationarity = self.stationarity(norm(&along), value, at_zero);
            let is_over = value < self.enough || !value.is_finite();
            if stationarity <= until.tolerance || is_over || (until.poll)().is_break() {
                break;
            }
            function.linearise_with(point, f64::from(u8::from(function.has_straight_pieces())) * 0.1)?;
            let forcing = stationarity.sqrt().min(0.1);
            let outside = factors.is_smooth().then(|| factors.outside(&gradient[..features * outputs]));
            let mut direction = self.direction(function, &factors, (outside.as_deref(), &along), (forcing, radius))?;
            if direction.is_none() {
                // With the bend of the set the model has no minimum here; without it is convex.
                direction = self.direction(function, &factors, (None, &along), (forcing, radius))?;
            }
            let Some(direction) = direction else { break };
            let (length, slope) = (norm(&direction), dot(&direction, &gradient));
            if slope >= 0.0 || length <= SHORTEST * norm(point).max(1e-300) {
                break;
            }
            let Some((next, t)) = self.search(function, &factors, (point, &direction), (value, slope))? else { break };
            radius = if t < 1.0 {
                t * length
            } else if radius.is_finite() {
                4.0 * radius.max(length)
            } else {
                radius
            };
            point.copy_from_slice(&next);
            value = function.gradient(point, &mut gradient)?;
        }
        Ok(stationarity)
    }

    /// The first point along a direction, back on the set, at which F has fallen enough.
    fn search(
        &self,
        function: &mut Turned,
        factors: &Factors,
        (point, direction): (&[f64], &[f64]),
        (value, slope): (f64, f64),
    ) -> Result<Option<(Vec<f64>, f64)>> {
        let size = function.features * function.outputs;
        let set = Rank::at_most(self.rank, function.features, function.outputs);
        let mut t = 1.0;
        while t > 1e-12 {
            let mut next = point.to_vec();
            axpy(t, direction, &mut next);
            let part: Vec<f64> = direction[..size].iter().map(|x| t * x).collect();
            if factors.is_smooth() {
                let end = factors.along(&part, false);
                if all_finite(&end) {
                    next[..size].copy_from_slice(&end);
                }
            }
            set.project(&mut next[..size], &mut Workspace::default())?;
            let found = function.value(&next)?;
            if found <= value + ARMIJO * t * slope {
                return Ok(Some((next, t)));
            }
            // Differences that cannot be told from rounding.
            if -slope * t <= 1e-15 * value.abs() {
                return Ok((found <= value).then_some((next, t)));
            }
            t *= 0.25;
        }
        Ok(None)
    }

    /// The minimiser of the model within the radius, roughly; nothing if it bends down along the gradient.
    fn direction(
        &mut self,
        function: &mut Turned,
        factors: &Factors,
        (outside, along): (Option<&[f64]>, &[f64]),
        (forcing, radius): (f64, f64),
    ) -> Result<Option<Vec<f64>>> {
        let size = function.features * function.outputs;
        let mut x = vec![0.0; along.len()];
        let mut residual = along.to_vec();
        let mut z = self.preconditioned(function, factors, &residual);
        let mut d: Vec<f64> = z.iter().map(|z| -z).collect();
        let mut power = dot(&residual, &z);
        let target = forcing * forcing * power;
        for number in 0..MOST_PRODUCTS {
            let mut image = vec![0.0; d.len()];
            function.hessian_times(&d, &mut image)?;
            let mut image = tangent(function, factors, &image);
            if let Some(outside) = outside {
                axpy(1.0, &factors.bent(outside, &d[..size]), &mut image[..size]);
            }
            let curvature = dot(&d, &image);
            if curvature <= 1e-14 * dot(&d, &d) * self.bend {
                if number == 0 {
                    return Ok(None);
                }
                break;
            }
            let length = power / curvature;
            axpy(length, &d, &mut x);
            if norm(&x) > radius {
                let scale = radius / norm(&x);
                x.iter_mut().for_each(|x| *x *= scale);
                break;
            }
            axpy(length, &image, &mut residual);
            z = self.preconditioned(function, factors, &residual);
            let next = dot(&residual, &z);
            if next <= target || !next.is_finite() {
                break;
            }
            let ratio = next / power;
            d.iter_mut().zip(&z).for_each(|(d, z)| *d = ratio * *d - z);
            power = next;
        }
        Ok(Some(x))
    }
}

/// The part of a vector along the set; intercepts as they are.
fn tangent(function: &Turned, factors: &Factors, v: &[f64]) -> Vec<f64> {
    let (matrix, free) = v.split_at(function.features * function.outputs);
    let mut out = factors.tangent(matrix);
    out.extend_from_slice(free);
    out
}
