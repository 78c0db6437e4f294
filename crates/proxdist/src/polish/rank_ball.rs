//! The minimiser of a quadratic model along the low-rank matrices within a ball: see [`super::rank`].
//!
//! With $v = \Theta + \xi$ the minimiser over $\|v\| \le R$ solves $(H + \lambda)v = H\Theta - G$ for a multiplier $\lambda \ge 0$, zero if the ball does not
//! hold it back. $\|v(\lambda)\|$ falls, and $1/\|v(\lambda)\|$ is nearly straight, so secants between safe bounds find $\lambda$; near the solution
//! the multiplier at $\Theta$ itself is good enough at once.

use super::rank_place::Place;
use crate::error::Result;
use crate::linalg::{axpy, norm};

const MOST_MULTIPLIERS: usize = 20;
/// How far from the sphere the end of a step may lie, relative to the step, and to its share of the radius.
const NEAR: f64 = 0.1;
const ROUNDING: f64 = 1e-14;

/// The step to the minimiser within the ball, if there is a ball; `solve` gives the step for a multiplier, or nothing where the model is not
/// convex.
pub(super) fn within_ball(
    at: &Place,
    mut solve: impl FnMut(f64) -> Result<Option<Vec<f64>>>,
) -> Result<Option<Vec<f64>>> {
    let Some(radius) = at.set.radius else {
        return solve(0.0);
    };
    let curvature = at.now.mean_curvature();
    let mut multiplier = at.multiplier.unwrap_or(0.0);
    // Too small and large enough.
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut before: Option<(f64, f64)> = None;
    let mut nearest: Option<(f64, Vec<f64>)> = None;
    for _ in 0..MOST_MULTIPLIERS {
        let Some(step) = solve(multiplier)? else {
            // On the sphere, convex for a larger multiplier perhaps.
            if at.multiplier.is_none() || nearest.is_some() {
                return Ok(nearest.map(|(_, step)| step));
            }
            low = multiplier;
            multiplier = 2.0 * multiplier + curvature;
            continue;
        };
        let direction = at.set.layout().coefficients(&step);
        let moved = norm(direction);
        let mut end = at.set.layout().coefficients(&at.theta).to_vec();
        axpy(1.0, direction, &mut end);
        let length = norm(&end);
        let off = (length - radius).abs();
        let is_inside = multiplier == 0.0 && length <= radius;
        if is_inside || off <= NEAR * moved * (moved / radius).min(1.0) + ROUNDING * radius {
            return Ok(Some(step));
        }
        if length > radius {
            low = multiplier;
        } else {
            high = multiplier;
        }
        let height = 1.0 / length - 1.0 / radius;
        let next = match before {
            Some((other, lower)) if lower != height => multiplier - height * (multiplier - other) / (height - lower),
            _ => (curvature + multiplier) * length / radius - curvature,
        };
        before = Some((multiplier, height));
        if nearest.as_ref().is_none_or(|(least, _)| off < *least) {
            nearest = Some((off, step));
        }
        multiplier = match next {
            next if next <= 0.0 && low == 0.0 => 0.0,
            next if next > low && next < high => next,
            _ if high.is_finite() => 0.5 * (low + high),
            _ => 10.0 * (low + f64::MIN_POSITIVE).max(1e-3 * curvature),
        };
    }
    Ok(nearest.map(|(_, step)| step))
}
