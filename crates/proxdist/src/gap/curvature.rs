//! An upper bound on $F(\hat\theta) - \min_C F$ over a convex set, from multipliers and the curvature of F.
//!
//! Let $g = \nabla F(\hat\theta)$, with the intercept among the coordinates, and let multipliers leave the residual $r$ and the slack $\sigma$ (`conic::multipliers`):
//! $g^Td \ge r^Td - \sigma$ for every $d$ with $\hat\theta + d \in C$. If $F(\hat\theta + d) \ge F(\hat\theta) + g^Td + \tfrac12d^TMd$ wherever $d^TMd \le \rho^2$, then there
//! $$F(\hat\theta + d) \ge F(\hat\theta) - \sigma - \|r\|_{M^{-1}}\|d\|_M + \tfrac12\|d\|_M^2 \ge F(\hat\theta) - \sigma - \tfrac12\|r\|_{M^{-1}}^2.$$
//! If moreover $\tfrac12\rho^2 > \sigma + \|r\|_{M^{-1}}\rho$, F is above $F(\hat\theta)$ all over the boundary $\|d\|_M = \rho$, so by convexity it is everywhere beyond, and
//! the bound $\sigma + \tfrac12\|r\|_{M^{-1}}^2$ holds for all of $C$.
//!
//! $M = \sum_iv_ic_ix_ix_i^T + \lambda I$ with $c_i$ the least curvature of the loss of row $i$ while its predictor moves by at most $\rho\|x_i\|_{M^{-1}}$
//! ([`Loss::least_curvature`]); for squared loss it is the Hessian and ρ may be anything. That $M$ is positive definite is shown by its Cholesky factor.

use super::{Measured, OUTWARDS, ROUNDING};
use crate::conic::nearby_multipliers;
use crate::constraint::Constraint;
use crate::data::{Support, Wanted, length};
use crate::error::Result;
use crate::linalg::{Cholesky, add_cross, dot, mirror};
use crate::objective::Objective;

/// Work up to which $M$ is formed, in multiplications, and numbers of X that are copied for it.
const MOST_WORK: f64 = 2e9;
const MOST_NUMBERS: usize = 20_000_000;
/// Attempts to find a radius in which the curvature suffices.
const ATTEMPTS: usize = 4;
/// The bound, if the set has a description by rows and balls, $M$ is affordable and positive definite, and the residual small enough.
pub(crate) fn by_curvature(
    objective: Objective,
    constraint: &dyn Constraint,
    measured: Measured,
) -> Result<Option<f64>> {
    let Measured { theta, value, gradient, metric } = measured;
    let (rows, layout) = (objective.data.rows(), objective.layout());
    let size = layout.len();
    if rows as f64 * (size * size) as f64 > MOST_WORK || rows.saturating_mul(size) > MOST_NUMBERS {
        return Ok(None);
    }
    let Some(conic) = constraint.structure().conic(layout.coefficient_count()) else { return Ok(None) };
    let (along, free) = layout.split(gradient);
    let Some(found) = nearby_multipliers(&conic, theta, along, metric) else { return Ok(None) };
    let mut residual = layout.zeros();
    let (coefficients, intercept) = layout.split_mut(&mut residual);
    coefficients.copy_from_slice(layout.coefficients(&found.residual));
    intercept.copy_from_slice(free);
    // F itself is a sum that is known to so many digits.
    let rounding = ROUNDING * value.abs();
    Ok(Curved::of(objective, theta)?.bound(&residual, found.slack, rounding))
}

/// The rows, with a one for the intercept, and what the loss is asked at them.
struct Curved<'p> {
    objective: Objective<'p>,
    x: Vec<f64>,
    predictors: Vec<f64>,
    response: Vec<f64>,
    weights: Vec<f64>,
    size: usize,
}

impl<'p> Curved<'p> {
    fn of(objective: Objective<'p>, theta: &[f64]) -> Result<Self> {
        let (data, layout) = (objective.data, objective.layout());
        let (features, size) = (data.columns(), layout.len());
        let (coefficients, intercept) = objective.split(theta);
        let support = Support::of(coefficients);
        let (mut x, mut products) = (vec![0.0; data.rows() * size], Vec::with_capacity(data.rows()));
        let (mut response, mut offsets, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let wanted = Wanted { rows: 0..data.rows(), length: length(features), columns: None };
        data.chunks(&wanted, &mut |chunk| {
            for (i, out) in x[chunk.first * size..].chunks_exact_mut(size).take(chunk.len()).enumerate() {
                chunk.rows.row(i).for_each(|(j, value)| out[j] = value);
                layout.split_mut(out).1.fill(1.0);
                offsets.push(chunk.offset_of(i));
                weights.push(chunk.weight(i) / data.weight_sum());
            }
            chunk.products(coefficients, &support, &mut products);
            response.extend_from_slice(chunk.response);
        })?;
        let predictors = products.iter().zip(&offsets).map(|(product, offset)| product + intercept + offset).collect();
        Ok(Self { objective, x, predictors, response, weights, size })
    }

    /// The factor of $M$ for these radii of the rows; false if it is not positive definite.
    fn factor(&self, radii: &[f64], cholesky: &mut Cholesky) -> bool {
        let loss = self.objective.loss;
        let mut scaled = self.x.clone();
        for (row, x) in scaled.chunks_exact_mut(self.size).enumerate() {
            let least = loss.least_curvature(self.predictors[row], self.response[row], radii[row]);
            let root = (self.weights[row] * least).max(0.0).sqrt();
            x.iter_mut().for_each(|x| *x *= root);
        }
        let features = self.objective.data.columns();
        let mut matrix = vec![0.0; self.size * self.size];
        add_cross(&scaled, radii.len(), self.size, &mut matrix);
        self.objective.ridge.add_to_diagonal(features, self.size, &mut matrix);
        mirror(&mut matrix, self.size);
        // What rounding may have added is taken away, in units of the diagonal.
        let rounding = 4.0 * f64::EPSILON * (self.size as f64 + 10.0);
        for j in 0..self.size {
            matrix[j * self.size + j] *= 1.0 - rounding;
        }
        cholesky.matrix(self.size).copy_from_slice(&matrix);
        cholesky.factor()
    }

    /// $\sigma + \tfrac12\|r\|_{M^{-1}}^2$, and the rounding of F.
    fn bound(&self, residual: &[f64], slack: f64, rounding: f64) -> Option<f64> {
        let mut cholesky = Cholesky::default();
        let rows = self.predictors.len();
        let squared = |cholesky: &mut Cholesky, v: &[f64]| {
            let mut solved = v.to_vec();
            cholesky.solve(&mut solved);
            dot(v, &solved)
        };
        if !self.factor(&vec![0.0; rows], &mut cholesky) {
            return None;
        }
        let size = squared(&mut cholesky, residual).max(0.0);
        if self.objective.loss.is_quadratic() {
            return Some(OUTWARDS * (slack + 0.5 * size) + rounding).filter(|bound| bound.is_finite());
        }
        // Twice as far as needed, so that the curvature may halve on the way.
        let radius = 4.0 * (size.sqrt() + (2.0 * slack).sqrt()) + f64::MIN_POSITIVE;
        let mut radii = vec![0.0; rows];
        for _ in 0..ATTEMPTS {
            let mut is_inside = true;
            for (row, x) in self.x.chunks_exact(self.size).enumerate() {
                let reach = radius * squared(&mut cholesky, x).max(0.0).sqrt();
                is_inside = is_inside && reach <= radii[row];
                radii[row] = f64::max(radii[row], 2.0 * reach);
            }
            if is_inside {
                let size = OUTWARDS * squared(&mut cholesky, residual).max(0.0);
                let is_closed = 0.5 * radius * radius > slack + size.sqrt() * radius;
                let bound = OUTWARDS * (slack + 0.5 * size) + rounding;
                return Some(bound).filter(|bound| is_closed && bound.is_finite());
            }
            if !self.factor(&radii, &mut cholesky) {
                return None;
            }
        }
        None
    }
}
