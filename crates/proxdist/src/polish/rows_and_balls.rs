//! Newton's method over a convex set described by rows and balls ([`Conic`]): every intersection, and every family whose own method fell short.
//!
//! At $\theta$ the quadratic model of F is minimised over the whole set, exactly: an interior-point method finds which rows hold with equality, the
//! refinement the last digits, on scaled variables whatever the units of the columns (`crate::conic`). The segment to the model's minimiser
//! lies in the set, and F is searched on it (`segment.rs`). Once the rows have settled, the refinement alone takes the next step, and convergence is quadratic.
//!
//! It ends when the gradient is at the normal cone: $\|D^{-1/2}(g + A^Tz)\| \le \varepsilon\sqrt{2F}$ with $D$ the diagonal of the Hessian.

use super::caution::Caution;
use super::measure::{Measure, metric, reference, relative};
use super::models::{INSIDE, Models};
use super::segment::{self, Trial};
use super::{Finished, Smooth, Until};
use crate::conic::{Conic, Nearest, nearest};
use crate::error::Result;
use crate::linalg::{all_finite, dot};

const MOST_ITERATIONS: usize = 300;
/// Differences of F below this, relative to F, are rounding.
const ROUNDING: f64 = 2e-14;
/// Predicted decreases below this, relative to F, cannot be verified by values alone.
const UNVERIFIABLE: f64 = 1e-11;
/// Share of a model's step below which the model is tried again with more caution.
const SHORT: f64 = 0.2;
/// Damping of the model, relative to its diagonal, after steps that failed.
const DAMPINGS: [f64; 6] = [0.0, 1e-9, 1e-6, 1e-3, 1e-1, 1e1];
/// Share of the first derivative that a full step leaves if the model has seen too much curvature, and how often such a step is doubled.
const UNDERSHOT: f64 = 0.5;
const DOUBLINGS: usize = 40;
/// Steps without progress before it ends.
const PATIENCE: usize = 4;

/// Lowers F over the set from `point`.
pub(crate) fn minimise(
    function: &mut dyn Smooth,
    conic: &Conic,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let layout = function.layout();
    let coefficients = layout.coefficients_mut(point);
    if conic.violation(coefficients) > INSIDE
        && let Nearest::Found(inside) = nearest(conic, None, coefficients)
    {
        coefficients.copy_from_slice(&inside);
    }
    let mut at = At::new(function, conic, point)?;
    let floor = reference(function, 0.0)?;
    let mut models = Models::over(conic);
    let mut caution = Caution::fine();
    let (mut iterations, mut products, mut idle, mut damping) = (0, 0, 0, 0);
    let mut best = (f64::INFINITY, at.clone());
    let mut is_linearised = false;
    while at.is_usable() && !point.is_empty() {
        if is_linearised {
            let measure = Measure { conic, layout, metric: &metric_of(function, &models, &at.point)? };
            let residual = relative(measure.residual(&at.point, &at.gradient), at.value.max(floor));
            let has_improved = residual < 0.5 * best.0 || at.value < best.1.value - ROUNDING * best.1.value.abs();
            idle = if has_improved { 0 } else { idle + 1 };
            if residual < best.0 || at.value < best.1.value - ROUNDING * best.1.value.abs() {
                best = (residual, at.clone());
            }
            if residual <= until.tolerance {
                break;
            }
            if idle >= PATIENCE {
                let Some(next) = at.with_another_intercept(function, &models)? else { break };
                (at, idle, damping) = (next, 0, 0);
            }
            if idle > 0 {
                models.try_otherwise();
            }
        }
        if iterations >= MOST_ITERATIONS || until.is_over() {
            break;
        }
        iterations += 1;
        // The lowest point that this round has found, and the share of caution that led there.
        let mut lowest: Option<(At, f64)> = None;
        loop {
            models.prepare(function, &at, caution.share())?;
            is_linearised = true;
            products += 1;
            let was_warm = models.is_warm();
            let Some(target) = models.target(&at, DAMPINGS[damping], idle, at.value.max(floor)) else {
                if caution.raise(function) {
                    continue;
                }
                if damping + 1 == DAMPINGS.len() {
                    break;
                }
                damping += 1;
                continue;
            };
            let Some((length, next)) = at.towards(function, conic, &target)? else {
                if was_warm {
                    // The rows of the last model may be the wrong ones for this point.
                    models.forget_rows();
                    continue;
                }
                if lowest.is_none() && caution.raise(function) {
                    continue;
                }
                break;
            };
            let is_lower = lowest.as_ref().is_none_or(|(lowest, _)| next.value < lowest.value);
            if is_lower {
                lowest = Some((next, caution.share()));
            }
            // A step that had to be cut short tells of a model that was not to be trusted so far.
            if length >= SHORT || !is_lower || !caution.raise(function) {
                break;
            }
        }
        if let Some((next, share)) = lowest {
            caution.set(share);
            caution.ease();
            damping = damping.saturating_sub(1);
            at = next;
            continue;
        }
        idle += 1;
        if idle >= PATIENCE || damping + 1 == DAMPINGS.len() {
            // Nothing else helps.
            let Some(next) = at.with_another_intercept(function, &models)? else { break };
            (at, idle, damping) = (next, 0, 0);
            continue;
        }
        damping += 1;
    }
    if point.is_empty() {
        best.0 = 0.0;
    }
    let (stationarity, end) = if best.1.value <= at.value || !at.is_usable() { best } else { (f64::INFINITY, at) };
    point.copy_from_slice(&end.point);
    Ok(Finished {
        value: end.value,
        stationarity,
        gradient: Some(end.gradient),
        iterations,
        hessian_products: products,
    })
}

/// The metric that residuals are measured in: that of the model, unless the loss has straight pieces.
fn metric_of(function: &mut dyn Smooth, models: &Models, point: &[f64]) -> Result<Vec<f64>> {
    if function.has_straight_pieces() { metric(function, point) } else { Ok(models.diagonal()) }
}

/// A point with value and gradient.
#[derive(Clone)]
pub(super) struct At {
    pub(super) point: Vec<f64>,
    value: f64,
    pub(super) gradient: Vec<f64>,
}

impl At {
    fn new(function: &mut dyn Smooth, conic: &Conic, point: &[f64]) -> Result<Self> {
        let mut gradient = vec![0.0; point.len()];
        let value = function.gradient(point, &mut gradient)? + conic.penalty(point);
        Ok(Self { point: point.to_vec(), value, gradient })
    }

    fn is_usable(&self) -> bool {
        self.value.is_finite() && all_finite(&self.gradient)
    }

    /// Where F with its penalty is least on the way to `target`, about, and how far that is; `None` if F does not fall. A full step whose decrease
    /// is too small to be measured is taken on trust.
    fn towards(&self, function: &mut dyn Smooth, conic: &Conic, target: &[f64]) -> Result<Option<(f64, Self)>> {
        let step: Vec<f64> = target.iter().zip(&self.point).map(|(t, x)| t - x).collect();
        // Along the segment the penalty falls at least as fast as on the average.
        let slope = dot(&step, &self.gradient) + conic.penalty(target) - conic.penalty(&self.point);
        if !slope.is_finite() {
            return Ok(None);
        }
        if slope.abs() <= UNVERIFIABLE * self.value.abs() {
            let next = Self::new(function, conic, target)?;
            let is_level = next.is_usable() && next.value <= self.value + ROUNDING * self.value.abs();
            return Ok(is_level.then_some((1.0, next)));
        }
        if slope > 0.0 {
            return Ok(None);
        }
        let found = segment::search(self.value, slope, |t| {
            let mut trial = target.to_vec();
            if t < 1.0 {
                trial.iter_mut().zip(&self.point).zip(&step).for_each(|((trial, x), d)| *trial = x + t * d);
            }
            let place = Self::new(function, conic, &trial)?;
            let derivative = dot(&step, &place.gradient) + conic.penalty_slope(&place.point, &step);
            let (value, is_usable) = (place.value, place.is_usable());
            Ok(is_usable.then_some(Trial { value, derivative, place }))
        })?;
        let Some((length, trial)) = found else { return Ok(None) };
        if length < 1.0 || trial.derivative >= UNDERSHOT * slope {
            return Ok(Some((length, trial.place)));
        }
        self.beyond(function, conic, &step, trial).map(Some)
    }

    /// Lower by the intercept alone, if it can be.
    fn with_another_intercept(&self, function: &mut dyn Smooth, models: &Models) -> Result<Option<Self>> {
        let Some(target) = models.intercept_alone(self) else { return Ok(None) };
        let moved = self.towards(function, models.conic, &target)?.map(|(_, next)| next);
        Ok(moved.filter(|next| next.value < self.value - ROUNDING * self.value.abs()))
    }

    /// Further along a full step after which F still falls as steeply as if the model had seen little of the way, as a damped one does. Only within the set.
    fn beyond(&self, function: &mut dyn Smooth, conic: &Conic, step: &[f64], full: Trial<Self>) -> Result<(f64, Self)> {
        let (mut reached, mut length) = (full.place, 1.0);
        for _ in 0..DOUBLINGS {
            let longer = 2.0 * length;
            let trial: Vec<f64> = self.point.iter().zip(step).map(|(x, d)| x + longer * d).collect();
            if conic.violation(&trial) > ROUNDING {
                break;
            }
            let next = Self::new(function, conic, &trial)?;
            if !next.is_usable() || next.value >= reached.value {
                break;
            }
            (reached, length) = (next, longer);
        }
        Ok((length, reached))
    }
}
