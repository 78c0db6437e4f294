//! Accelerated projected gradient: $\theta^+ = P_C(y - \nabla F(y)/L)$ from the extrapolated $y = \theta + \beta(\theta -
//! \theta^-)$, with $L$ by backtracking (Beck and Teboulle 2009).
//!
//! The momentum starts again whenever the step and the last movement point apart, $(y - \theta^+)^T(\theta^+ - \theta) > 0$
//! (O'Donoghue and Candès 2015), or when F would rise; so F never rises, and on strongly convex problems the rate is that
//! of the best fixed momentum. For sets that are not convex the momentum stays off: plain projected gradient, whose limit
//! points are stationary. It ends when $L\|\theta - P_C(\theta - \nabla F(\theta)/L)\|$ is small, when no step descends, or
//! after a fixed number of steps.

use super::descent::{Descent, distance};
use super::{Finished, Smooth, Until};
use crate::constraint::Constraint;
use crate::error::Result;

const MOST_ITERATIONS: usize = 5000;
/// Factor by which $L$ relaxes at every step, so that one steep place does not slow down the rest.
const RELAXATION: f64 = 0.95;
/// Decreases below this, relative to F, say nothing about $L$.
const UNVERIFIABLE: f64 = 1e-12;
const ROUNDING: f64 = 1e-14;

/// Lowers F over `set` from the feasible `point`.
pub(crate) fn minimise(
    function: &mut dyn Smooth,
    set: &dyn Constraint,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let with_momentum = set.is_convex();
    let mut at = Descent::new(function, set, point)?;
    let size = point.len();
    let (mut ahead, mut ahead_gradient) = (at.point.clone(), vec![0.0; size]);
    let mut weight = 1.0_f64;
    let mut gradient_is_known = true;
    while at.is_usable() && at.iterations < MOST_ITERATIONS && !until.is_over() {
        at.iterations += 1;
        if weight == 1.0 {
            if !gradient_is_known {
                let Descent { function, point, gradient, .. } = &mut at;
                at.value = function.gradient(point, gradient)?;
                gradient_is_known = true;
            }
            if at.stationarity()? <= at.target(until.tolerance) {
                break;
            }
            at.curvature *= RELAXATION;
            if !at.gradient_step()? {
                break;
            }
            if with_momentum {
                weight = 0.5 * (1.0 + 5.0_f64.sqrt());
                // The first extrapolation has no weight: (1 − 1)/t.
                ahead.clone_from(&at.point);
                ahead_gradient.clone_from(&at.gradient);
            }
            continue;
        }
        let base = if ahead == at.point { at.value } else { at.function.gradient(&ahead, &mut ahead_gradient)? };
        let Some((trial, value, length)) = step_from(&mut at, &ahead, base, &ahead_gradient)? else {
            weight = 1.0;
            continue;
        };
        // A step that raises F is forgotten, and so is the momentum that led there.
        if value > at.value {
            weight = 1.0;
            continue;
        }
        let apart: f64 = (0..size).map(|i| (ahead[i] - trial[i]) * (trial[i] - at.point[i])).sum();
        let next = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
        let momentum = (weight - 1.0) / next;
        for i in 0..size {
            ahead[i] = trial[i] + momentum * (trial[i] - at.point[i]);
        }
        at.point = trial;
        at.value = value;
        gradient_is_known = false;
        let again = apart > 0.0 || at.curvature * length <= at.target(until.tolerance);
        weight = if again { 1.0 } else { next };
    }
    if !gradient_is_known {
        let Descent { function, point, gradient, .. } = &mut at;
        at.value = function.gradient(point, gradient)?;
    }
    at.finish(point)
}

/// The projected gradient step from `ahead`, with backtracking: its end, the value there and its length.
fn step_from(at: &mut Descent, ahead: &[f64], base: f64, gradient: &[f64]) -> Result<Option<(Vec<f64>, f64, f64)>> {
    if !base.is_finite() {
        return Ok(None);
    }
    for _ in 0..60 {
        let mut trial: Vec<f64> = ahead.iter().zip(gradient).map(|(x, g)| x - g / at.curvature).collect();
        at.project(&mut trial)?;
        let length = distance(&trial, ahead);
        let value = at.function.value(&trial)?;
        let slope: f64 = (0..trial.len()).map(|i| gradient[i] * (trial[i] - ahead[i])).sum();
        let allowed = 0.5 * at.curvature * length * length;
        if value <= base + slope + allowed + ROUNDING * base.abs() {
            if allowed > UNVERIFIABLE * base.abs() {
                at.curvature *= RELAXATION;
            }
            return Ok(Some((trial, value, length)));
        }
        at.curvature *= 2.0;
    }
    Ok(None)
}
