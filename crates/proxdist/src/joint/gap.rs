//! Upper bounds on $F(\hat\theta) - \min_CF$ over a convex set.
//!
//! Multipliers leave a residual $r$ and a slack $\sigma$ with $g^Td \ge r^Td - \sigma$ for every $d$ that stays in the set (`conic::multipliers`).
//!
//! - **By the ridge**, if every coefficient has one: $F(\hat\theta + d) \ge F + g^Td + \tfrac12\sum_j\lambda_jd_j^2$ everywhere, so the gap is at most $\sigma + \tfrac12\sum_jr_j^2/\lambda_j$.
//! - **By curvature**, for losses whose third derivatives are bounded by the second ([`super::loss::JointLoss::is_tame`]): along $d$ the second derivative falls at most like $e^{-Rt}$ where $R = \max_{ij}|(x_i - x_j)^Td|$ (Bach 2010), so
//!   $$F(\hat\theta + d) \ge F + g^Td + \phi(R)\,d^THd, \qquad \phi(R) = (e^{-R} + R - 1)/R^2.$$
//!   With $M = 2\phi(R)H$ for the $R$ that $\|d\|_H \le \rho$ allows, the gap is at most $\sigma + \tfrac12\|r\|_{M^{-1}}^2$ provided that $\tfrac12\rho_M^2 > \sigma + \|r\|_{M^{-1}}\rho_M$: F is above its value all over the boundary, hence beyond.

use super::objective::Function;
use crate::conic::{Multipliers, multipliers};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::gap::{Gap, Proof};
use crate::linalg::{Cholesky, dot};
use crate::polish::Smooth as _;

/// Work up to which the Hessian is formed, in multiplications.
const MOST_WORK: f64 = 2e9;
/// Bounds are moved outwards by this factor, and by this share of F for what rounding did to it.
const OUTWARDS: f64 = 1.0 + 1e-6;
const ROUNDING: f64 = 1e-13;

/// A point, with F and its gradient there and the metric of scaled columns.
#[derive(Clone, Copy)]
pub(super) struct Measured<'m> {
    pub(super) theta: &'m [f64],
    pub(super) value: f64,
    pub(super) gradient: &'m [f64],
    pub(super) metric: &'m [f64],
}

/// The better of the bounds that hold; the function is one of all features.
pub(super) fn bound(function: &mut Function, set: &dyn Constraint, at: Measured) -> Result<Option<Gap>> {
    let size = at.theta.len();
    let Some(conic) = set.structure().conic(size) else { return Ok(None) };
    let Some(found) = multipliers(&conic, at.theta, at.gradient, at.metric) else { return Ok(None) };
    let rounding = ROUNDING * at.value.abs();
    let ridge = function.objective.ridge;
    let mut bounds = Vec::new();
    if (0..size).all(|j| ridge.at(j) > 0.0) {
        let squares: f64 = found.residual[..size].iter().enumerate().map(|(j, r)| r * r / ridge.at(j)).sum();
        bounds.push(OUTWARDS * (found.slack + 0.5 * squares) + rounding);
    }
    let work = function.objective.data.rows() as f64 * (size * size) as f64;
    if function.objective.loss.is_tame() && work <= MOST_WORK {
        bounds.extend(by_curvature(function, at.theta, &found)?.map(|bound| bound + rounding));
    }
    let least = bounds.into_iter().filter(|bound| bound.is_finite()).min_by(f64::total_cmp);
    Ok(least.map(|value| Gap { value, proof: Proof::Curvature }))
}

fn by_curvature(function: &mut Function, theta: &[f64], found: &Multipliers) -> Result<Option<f64>> {
    let size = theta.len();
    let mut hessian = vec![0.0; size * size];
    function.linearise(theta)?;
    function.hessian(&mut hessian)?;
    // What rounding may have added is taken away, in units of the diagonal.
    let rounding = 8.0 * f64::EPSILON * (size as f64 + 100.0);
    let mut cholesky = Cholesky::default();
    let matrix = cholesky.matrix(size);
    matrix.copy_from_slice(&hessian);
    (0..size).for_each(|j| matrix[j * size + j] *= 1.0 - rounding);
    if !cholesky.factor() {
        return Ok(None);
    }
    let squared = |cholesky: &mut Cholesky, v: &[f64]| {
        let mut solved = v.to_vec();
        cholesky.solve(&mut solved);
        dot(v, &solved).max(0.0)
    };
    let residual = squared(&mut cholesky, &found.residual[..size]).sqrt();
    // In the metric of H twice as far as needed: the curvature may halve on the way.
    let radius = 4.0 * (residual + (2.0 * found.slack.max(0.0)).sqrt()) + f64::MIN_POSITIVE;
    let reach = radius * widest(function, &mut cholesky, &squared)?;
    let share = 2.0 * falling(2.0 * reach);
    let (size_m, radius_m) = (OUTWARDS * residual / share.sqrt(), radius * share.sqrt());
    let is_closed = 0.5 * radius_m * radius_m > found.slack + size_m * radius_m;
    Ok(is_closed.then_some(OUTWARDS * (found.slack + 0.5 * size_m * size_m)))
}

/// $\max_i\|x_i - \bar x\|_{H^{-1}}$, about any point $\bar x$: the mean of the columns.
fn widest(function: &Function, cholesky: &mut Cholesky, squared: &dyn Fn(&mut Cholesky, &[f64]) -> f64) -> Result<f64> {
    let data = function.objective.data;
    let all: Vec<usize> = (0..data.columns()).collect();
    let columns = function.objective.columns(&all)?;
    let means: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / data.rows() as f64).collect();
    let (mut most, mut row) = (0.0_f64, vec![0.0; all.len()]);
    for i in 0..data.rows() {
        row.iter_mut().zip(&columns).zip(&means).for_each(|((x, column), mean)| *x = column[i] - mean);
        most = most.max(squared(cholesky, &row));
    }
    Ok(most.sqrt())
}

/// $\phi(R) = (e^{-R} + R - 1)/R^2$, rounded down: ½ at 0.
fn falling(range: f64) -> f64 {
    let exact = if range < 1e-2 {
        // The alternating series, cut after a negative term.
        0.5 - range / 6.0
    } else {
        ((-range).exp_m1() + range) / (range * range)
    };
    exact * (1.0 - 1e-9)
}

#[cfg(test)]
mod tests {
    use super::falling;

    /// The function is ½ at zero, falls, and is never above its series by more than rounding.
    #[test]
    fn the_share_of_curvature_is_never_too_large() {
        for range in [1e-9, 1e-4, 9.99e-3, 1.01e-2, 0.3, 2.0, 40.0] {
            // ∫₀¹ (1 − t) e^(−Rt) dt by the midpoint rule.
            let cells = 200_000;
            let terms = (0..cells).map(|i| (f64::from(i) + 0.5) / f64::from(cells));
            let integral = terms.map(|t| (1.0 - t) * (-range * t).exp()).sum::<f64>() / f64::from(cells);
            let found = falling(range);
            assert!(found <= integral * (1.0 + 5e-9) && found > 0.99 * integral, "{range} {found} {integral}");
        }
    }
}
