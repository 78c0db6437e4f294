//! The bound that every set has (for a projection that is exact).
//!
//! Let $F(\theta) \ge F(\hat\theta) + g^T(\theta - \hat\theta) + \tfrac\mu2\|\theta - \hat\theta\|^2$ with $\mu > 0$. Completing the square, with $w = \hat\theta - g/\mu$ and its projection $P(w)$,
//! $$F(\hat\theta) - \min_C F \le \tfrac\mu2\left(\|w - \hat\theta\|^2 - \|w - P(w)\|^2\right) = \tfrac\mu2(P(w) - \hat\theta)^T(2w - \hat\theta - P(w)),$$
//! convex set or not. It is zero exactly if $\hat\theta$ is a projection of $w$.
//!
//! $\mu$ is the ridge, or for a quadratic F the least eigenvalue of its Hessian, shown by a Cholesky factorisation. An intercept is taken out: where its
//! derivative is $g_0$ and not quite zero, F at the best intercept is lower by about $g_0^2/2h_{00}$, and its gradient differs from $g$ by at most $|g_0|\sqrt{h_{jj}/h_{00}}$ in entry $j$.

use super::{Measured, OUTWARDS, ROUNDING};
use crate::constraint::{Constraint, Workspace};
use crate::error::Result;
use crate::linalg::norm;
use crate::objective::Objective;
use crate::path::summed;

/// Multiplications up to which the Hessian is formed for this alone, and columns.
const MOST_WORK: f64 = 5e7;
const MOST_COLUMNS: usize = 400;

/// The bound, if the projection is exact and $\mu$ is known or cheap.
pub(crate) fn by_projection(
    objective: Objective,
    constraint: &dyn Constraint,
    measured: Measured,
) -> Result<Option<f64>> {
    let Measured { theta, value, gradient, metric } = measured;
    let layout = objective.layout();
    let columns = layout.coefficient_count();
    if !constraint.projects_exactly() || columns == 0 {
        return Ok(None);
    }
    let Some(mu) = strong_convexity(objective)? else { return Ok(None) };
    let (along, free) = layout.split(gradient);
    let (mut lost, mut bent) = (0.0, 0.0);
    if let (Some(&slope), Some(&bend)) = (free.first(), layout.split(metric).1.first()) {
        if slope != 0.0 && bend <= 0.0 {
            return Ok(None);
        }
        lost = if slope == 0.0 { 0.0 } else { slope * slope / bend };
        let shares = layout.coefficients(metric).iter().map(|h| h / bend);
        bent = if slope == 0.0 { 0.0 } else { slope.abs() * shares.sum::<f64>().sqrt() };
    }
    let coefficients = layout.coefficients(theta);
    let target: Vec<f64> = coefficients.iter().zip(along).map(|(t, g)| t - g / mu).collect();
    let mut nearest = target.clone();
    constraint.project(&mut nearest, &mut Workspace::default())?;
    let (mut gap, mut size, mut moved) = (0.0, 0.0, 0.0);
    for ((w, p), t) in target.iter().zip(&nearest).zip(coefficients) {
        let term = (p - t) * ((w - t) + (w - p));
        gap += term;
        size += (p - t).abs() * ((w - t).abs() + (w - p).abs() + f64::EPSILON * (w.abs() + t.abs() + p.abs()));
        moved += (p - t) * (p - t);
    }
    let rounding = (columns as f64 + 8.0) * f64::EPSILON * size;
    let sloped = bent * (norm(along) / mu + moved.sqrt() + bent / mu);
    let bound = 0.5 * mu * (gap.max(0.0) * OUTWARDS + rounding) + sloped + lost + ROUNDING * value.abs();
    Ok(bound.is_finite().then_some(bound))
}

/// A number that F, with the intercept at its best, is strongly convex with in all coefficients.
fn strong_convexity(objective: Objective) -> Result<Option<f64>> {
    let (rows, columns) = (objective.data.rows() as f64, objective.data.columns());
    let ridge = (0..columns).map(|j| objective.ridge.at(j)).fold(f64::INFINITY, f64::min);
    let ridge = Some(ridge).filter(|ridge| *ridge > 0.0 && ridge.is_finite());
    let is_cheap = columns <= MOST_COLUMNS && rows * (columns * columns) as f64 <= MOST_WORK;
    if !objective.loss.is_quadratic() || !is_cheap {
        return Ok(ridge);
    }
    let shown = summed(objective, usize::MAX)?.and_then(|summed| summed.least_eigenvalue());
    Ok(shown.into_iter().chain(ridge).reduce(f64::max))
}
