//! Newton's method over a convex set described by rows and balls ([`Conic`]): every intersection, and every family whose own method fell short.
//!
//! At $\theta$ the quadratic model of F is minimised over the whole set, exactly: an interior-point method finds which rows hold with equality, the
//! refinement the last digits, on scaled variables whatever the units of the columns (`crate::conic`). The segment to the model's minimiser
//! lies in the set, and F is searched on it (`segment.rs`). Once the rows have settled, the refinement alone takes the next step, and convergence is quadratic.
//!
//! It ends when the gradient is at the normal cone: $\|D^{-1/2}(g + A^Tz)\| \le \varepsilon\sqrt{2F}$ with $D$ the diagonal of the Hessian.

use super::caution::Caution;
use super::measure::{Measure, metric, reference, relative};
use super::segment::{self, Trial};
use super::{Finished, Smooth, Until};
use crate::conic::{Active, Conic, Hessian, Model, Nearest, Quadratic, Reach, nearest, refine, refined, solve};
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, dot};

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
/// Sizes of a set, relative to its points, in whose units it is looked at where it is too small to be seen otherwise.
const MAGNIFIED: [f64; 3] = [1e-3, 1e-6, 1e-9];
/// Violation at which the start is projected first.
const INSIDE: f64 = 1e-12;
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
    let mut models =
        Models { conic, cholesky: Cholesky::default(), hessian: Vec::new(), active: None, is_shifted: false };
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
            if residual <= until.tolerance || idle >= PATIENCE {
                break;
            }
            if idle > 0 {
                models.active = None;
                models.is_shifted = !models.is_shifted;
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
            let was_warm = models.active.is_some();
            // Where models in the coefficients lead nowhere, rounding may hide the way: the step itself has more digits.
            let close = if idle > 1 { models.step_from(&at, DAMPINGS[damping]) } else { None };
            let Some(target) = close.or_else(|| models.step(&at, DAMPINGS[damping])) else {
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
                    models.active = None;
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
            break;
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
struct At {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
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

/// Quadratic models of F over the set.
struct Models<'c> {
    conic: &'c Conic,
    cholesky: Cholesky,
    /// That of F at the last point, coefficients then intercept.
    hessian: Vec<f64>,
    /// The rows that held with equality at the last model's minimiser.
    active: Option<Active>,
    /// Whether the means of the columns are taken out of the intercept.
    is_shifted: bool,
}

impl Models<'_> {
    fn prepare(&mut self, function: &mut dyn Smooth, at: &At, caution: f64) -> Result<()> {
        function.linearise_with(&at.point, caution)?;
        self.hessian.resize(at.point.len() * at.point.len(), 0.0);
        function.hessian(&mut self.hessian)
    }

    /// The diagonal of the Hessian.
    fn diagonal(&self) -> Vec<f64> {
        let size = self.hessian.len().isqrt();
        (0..size).map(|j| self.hessian[j * size + j]).collect()
    }

    /// What $u = \beta_0 + m^T\theta$ in place of the intercept has for $m$. With $H_{0j}/H_{00}$, the means of the columns weighted by the curvature of the rows, the
    /// model has no product of $u$ with a coefficient, however far the columns are from zero; but differences of large numbers are what is left of it then.
    /// So both that and zero are tried.
    fn means(&self, at: &At) -> Vec<f64> {
        let (features, size) = (self.conic.features, at.point.len());
        let row = &self.hessian[(size - self.conic.behind(&at.point).len()) * size..];
        match row.get(features) {
            Some(bend) if self.is_shifted && *bend > 0.0 => row[..features].iter().map(|h| h / bend).collect(),
            _ => vec![0.0; features],
        }
    }

    /// Coefficients, magnitudes and $u$.
    fn shifted(&self, point: &[f64], means: &[f64]) -> Vec<f64> {
        let mut x = self.conic.lifted(point);
        let shift = dot(means, self.conic.coefficients(point));
        x.extend(self.conic.behind(point).iter().map(|intercept| intercept + shift));
        x
    }

    /// The minimiser of the model over the set.
    fn step(&mut self, at: &At, damping: f64) -> Option<Vec<f64>> {
        let means = self.means(at);
        let end = self.shifted_step(at, damping, &means)?;
        Some(self.with_intercept(end, &means))
    }

    /// Coefficients and the intercept from coefficients and $u$.
    fn with_intercept(&self, mut end: Vec<f64>, means: &[f64]) -> Vec<f64> {
        let shift = dot(means, self.conic.coefficients(&end));
        end.iter_mut().skip(self.conic.features).for_each(|u| *u -= shift);
        end
    }

    fn shifted_step(&mut self, at: &At, damping: f64, means: &[f64]) -> Option<Vec<f64>> {
        let quadratic = self.model(at, damping, means);
        let x = self.shifted(&at.point, means);
        if let Some(active) = &mut self.active {
            let mut near = x.clone();
            if refine(&quadratic, self.conic, &mut near, active) && self.conic.violation(&near) <= INSIDE {
                self.conic.drop_magnitudes(&mut near);
                return Some(near);
            }
        }
        self.active = None;
        let mut nearby = None;
        for reach in Reach::ALL {
            let Model::Found { x: mut near, mut active } = solve(&quadratic, self.conic, &x, reach, &mut self.cholesky)
            else {
                continue;
            };
            let is_exact = refined(&quadratic, self.conic, &mut near, &mut active);
            self.conic.drop_magnitudes(&mut near);
            if is_exact && self.conic.violation(&near) <= INSIDE {
                self.active = Some(active);
                return Some(near);
            }
            nearby = nearby.or(Some(near));
        }
        // Near the model's minimiser but not exactly in the set: the nearest point of the set will do.
        let mut near = nearby?;
        let Nearest::Found(inside) = nearest(self.conic, None, self.conic.coefficients(&near)) else { return None };
        self.conic.coefficients_mut(&mut near).copy_from_slice(&inside);
        Some(self.close_up(&quadratic, &near).unwrap_or(near))
    }

    /// The minimiser where the set is so small around `near` that no method on numbers of the size of `near` can tell its rows apart: around that point, in
    /// units of the set's own size.
    fn close_up(&mut self, quadratic: &Quadratic, near: &[f64]) -> Option<Vec<f64>> {
        let features = self.conic.features;
        let mut x = self.conic.lifted(near);
        let own = x.len();
        x.extend(self.conic.behind(near));
        for j in own..x.len() {
            let (slope, bend) = (quadratic.gradient(&x)[j], quadratic.diagonal(j));
            x[j] -= if bend > 0.0 { slope / bend } else { 0.0 };
        }
        let linear = quadratic.gradient(&x);
        let size = (0..features).map(|j| x[j].abs() * quadratic.diagonal(j).sqrt()).fold(0.0, f64::max);
        let moved = Quadratic { hessian: quadratic.hessian.clone(), linear };
        self.around(&moved, &x, MAGNIFIED.map(|share| Reach::Known(share * size)))
    }

    /// The same from the point itself, with its own gradient: where coefficients are so large that the model's minimiser, as a vector of coefficients, has lost
    /// the digits that matter, the step to it still has them.
    fn step_from(&mut self, at: &At, damping: f64) -> Option<Vec<f64>> {
        let means = self.means(at);
        let mut model = self.model(at, damping, &means);
        let (own, free) = (self.conic.coefficients(&at.gradient), self.conic.behind(&at.gradient));
        let shared = free.first().copied().unwrap_or(0.0);
        let along = |j: usize| own[j] - means[j] * shared;
        self.conic.coefficients_mut(&mut model.linear).iter_mut().enumerate().for_each(|(j, l)| *l = along(j));
        model.linear.iter_mut().skip(self.conic.variables()).zip(free).for_each(|(l, g)| *l = *g);
        let end = self.around(&model, &self.shifted(&at.point, &means), Reach::ALL)?;
        Some(self.with_intercept(end, &means))
    }

    /// The minimiser of a function of the step from `x`, over the steps that stay in the set; rows of one variable hold exactly where they are reached.
    fn around<const N: usize>(&mut self, moved: &Quadratic, x: &[f64], reaches: [Reach; N]) -> Option<Vec<f64>> {
        let conic = self.conic.around(x);
        reaches.into_iter().find_map(|reach| {
            let zero = vec![0.0; x.len()];
            let Model::Found { x: mut away, mut active } = solve(moved, &conic, &zero, reach, &mut self.cholesky)
            else {
                return None;
            };
            let is_exact = refined(moved, &conic, &mut away, &mut active);
            let mut end: Vec<f64> = x.iter().zip(&away).map(|(x, d)| x + d).collect();
            for (row, _) in self.conic.rows.iter().zip(&active.rows).filter(|(_, is_active)| **is_active) {
                if let [(j, a)] = row.terms[..] {
                    end[j] = row.right / a;
                }
            }
            self.conic.drop_magnitudes(&mut end);
            (is_exact && self.conic.violation(&end) <= INSIDE).then_some(end)
        })
    }

    /// $\tfrac12x^THx + (g - H\theta)^Tx$ in coefficients, magnitudes and $u$, with damping around the point.
    fn model(&self, at: &At, damping: f64, means: &[f64]) -> Quadratic {
        let (features, magnitudes) = (self.conic.features, self.conic.magnitudes.len());
        let (small, size) = (at.point.len(), at.point.len() + magnitudes);
        let (theta, free) = (self.conic.coefficients(&at.point), self.conic.behind(&at.gradient));
        let shared = free.first().copied().unwrap_or(0.0);
        let mut hessian = vec![0.0; size * size];
        let mut linear = vec![0.0; size];
        for (t, magnitude) in self.conic.magnitudes.iter().enumerate() {
            linear[features + t] = magnitude.price;
        }
        let last = size - 1;
        let bend = if free.is_empty() { 0.0 } else { self.hessian[small * small - 1] };
        let u = self.shifted(&at.point, means).get(self.conic.variables()).copied().unwrap_or(0.0);
        for j in 0..features {
            let row = &self.hessian[j * small..(j + 1) * small];
            let across = if free.is_empty() { 0.0 } else { row[features] };
            // Products with u that are left.
            let rest = across - means[j] * bend;
            let entries = &mut hessian[j * size..j * size + features];
            for (k, h) in entries.iter_mut().enumerate() {
                let other = if free.is_empty() { 0.0 } else { self.hessian[k * small + features] };
                *h = row[k] - means[j] * other - rest * means[k];
            }
            entries[j] = entries[j].max(0.0);
            let extra = damping * entries[j];
            linear[j] = at.gradient[j] - means[j] * shared - dot(entries, theta) - rest * u - extra * theta[j];
            entries[j] += extra;
            if !free.is_empty() {
                hessian[j * size + last] = rest;
                hessian[last * size + j] = rest;
            }
        }
        if !free.is_empty() {
            let along: f64 = (0..features).map(|j| hessian[last * size + j] * theta[j]).sum();
            hessian[last * size + last] = (1.0 + damping) * bend;
            linear[last] = shared - along - (1.0 + damping) * bend * u;
        }
        Quadratic { hessian: Hessian::Dense(hessian), linear }
    }
}
