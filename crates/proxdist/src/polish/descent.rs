//! What all finishing methods share: a feasible point with its value and gradient, the projected gradient step
//! $P_C(\theta - \nabla F(\theta)/L)$, and the rule by which a new point is accepted.
//!
//! For a convex set the step $d$ to $P_C(\theta - g/L)$ satisfies $g^Td \le -L\|d\|^2$, so the descent lemma
//! $F(\theta + d) \le F(\theta) + g^Td + \tfrac L2\|d\|^2$ gives $F(\theta + d) \le F(\theta) - \tfrac L2\|d\|^2$; where the
//! difference of values drowns in rounding, $(\nabla F(\theta + d) - g)^Td \le \tfrac L2\|d\|^2$ implies the same for convex
//! F. $L$ starts at the Rayleigh quotient of the gradient and is doubled until one of the two holds. The size that a
//! residual is compared with is $\sqrt{2LF}$, which bounds the gradient of a nonnegative function of curvature $L$.

use super::gap::is_lost_by_intercept;
use super::{Finished, Smooth};
use crate::constraint::{Constraint, Workspace};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{all_finite, dot, norm};

/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Differences of F below this, relative to F, are rounding.
const ROUNDING: f64 = 2e-14;
/// Predicted decreases below this, relative to F, cannot be verified by values alone.
const UNVERIFIABLE: f64 = 1e-11;
/// Distance to the set that is rounding, relative to the point.
const INSIDE: f64 = 1e-13;
/// Length of the longest first step, relative to the point.
const FURTHEST: f64 = 1e3;
/// Steps without progress before giving up.
const PATIENCE: usize = 3;
/// Halvings of a step along the projection arc; where more are needed, a gradient step does more.
const HALVINGS: usize = 25;
/// Doublings of the curvature before a gradient step is given up.
const DOUBLINGS: usize = 60;

/// A feasible point on its way down.
pub(super) struct Descent<'a> {
    pub(super) function: &'a mut dyn Smooth,
    set: &'a dyn Constraint,
    work: Workspace,
    pub(super) layout: Layout,
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) curvature: f64,
    /// The end of the last trial step and the gradient there.
    pub(super) trial: Vec<f64>,
    pub(super) trial_gradient: Vec<f64>,
    pub(super) iterations: usize,
    pub(super) products: usize,
    start: (Vec<f64>, f64),
    first_gradient: f64,
    /// The smallest residual so far, the value then, and the steps since.
    progress: (f64, f64, usize),
}

impl<'a> Descent<'a> {
    /// Starts at `point`, projected first in case it lies outside by rounding.
    pub(super) fn new(function: &'a mut dyn Smooth, set: &'a dyn Constraint, point: &[f64]) -> Result<Self> {
        let layout = function.layout();
        let mut start = point.to_vec();
        let mut work = Workspace::default();
        set.project(layout.coefficients_mut(&mut start), &mut work)?;
        if distance(&start, point) <= INSIDE * (1.0 + norm(point)) {
            // Moving a point of the set by rounding could raise F by rounding.
            start.copy_from_slice(point);
        }
        let mut gradient = vec![0.0; start.len()];
        let value = function.gradient(&start, &mut gradient)?;
        let size = norm(&gradient);
        let mut descent = Self {
            function,
            set,
            work,
            layout,
            trial: start.clone(),
            trial_gradient: gradient.clone(),
            point: start.clone(),
            value,
            gradient,
            curvature: 1.0,
            iterations: 0,
            products: 0,
            start: (start, value),
            first_gradient: size,
            progress: (f64::INFINITY, value, 0),
        };
        if descent.is_usable() && size > 0.0 {
            descent.function.linearise(&descent.point)?;
            let mut image = vec![0.0; descent.point.len()];
            let Self { function, gradient, .. } = &mut descent;
            function.hessian_times(gradient, &mut image)?;
            descent.products += 1;
            let quotient = norm(&image) / size;
            // A flat place says little about the curvature elsewhere: no step shall go much further than the point is.
            let least = size / (FURTHEST * (1.0 + norm(&descent.point)));
            descent.curvature = if quotient.is_finite() { quotient.max(least) } else { least };
        }
        Ok(descent)
    }

    /// Whether the value and gradient at the start are numbers; if not there is nothing to do.
    pub(super) fn is_usable(&self) -> bool {
        self.value.is_finite() && all_finite(&self.gradient)
    }

    /// Projects the coefficients and leaves the intercept.
    pub(super) fn project(&mut self, point: &mut [f64]) -> Result<()> {
        self.set.project(self.layout.coefficients_mut(point), &mut self.work)
    }

    /// Moves [`Self::trial`] to the end of the projected gradient step from `point`; returns the step's length.
    fn try_gradient_step(&mut self) -> Result<f64> {
        let mut trial = std::mem::take(&mut self.trial);
        for ((t, x), g) in trial.iter_mut().zip(&self.point).zip(&self.gradient) {
            *t = x - g / self.curvature;
        }
        let projected = self.project(&mut trial);
        self.trial = trial;
        projected?;
        Ok(distance(&self.trial, &self.point))
    }

    /// $L\,\|\theta - P_C(\theta - g/L)\|$ at the current point; leaves the end of that step in [`Self::trial`].
    pub(super) fn stationarity(&mut self) -> Result<f64> {
        Ok(self.curvature * self.try_gradient_step()?)
    }

    /// The residual at which the point counts as stationary.
    pub(super) fn target(&self, tolerance: f64) -> f64 {
        tolerance * (2.0 * self.curvature * self.value.abs()).sqrt().max(1e-3 * self.first_gradient)
    }

    /// Whether the residual is at its target, and the intercept good enough for a bound on the gap where the set allows one.
    pub(super) fn is_finished(&self, residual: f64, tolerance: f64) -> bool {
        residual <= self.target(tolerance) && !is_lost_by_intercept(self.set, self.layout, &self.gradient)
    }

    /// Whether several steps in a row have neither lowered F beyond rounding nor halved the residual.
    pub(super) fn is_stalled(&mut self, residual: f64) -> bool {
        let (least, value, idle) = self.progress;
        let better = residual < 0.5 * least || self.value < value - ROUNDING * value.abs();
        self.progress = if better { (residual.min(least), self.value, 0) } else { (least, value, idle + 1) };
        self.progress.2 >= PATIENCE
    }

    /// Takes a projected gradient step, with $L$ doubled until it descends; false if none does.
    pub(super) fn gradient_step(&mut self) -> Result<bool> {
        for _ in 0..DOUBLINGS {
            let length = self.try_gradient_step()?;
            if length == 0.0 {
                return Ok(false);
            }
            let value = self.function.gradient(&self.trial, &mut self.trial_gradient)?;
            let (mut slope, mut change) = (0.0, 0.0);
            for i in 0..self.point.len() {
                let d = self.trial[i] - self.point[i];
                slope += self.gradient[i] * d;
                change += (self.trial_gradient[i] - self.gradient[i]) * d;
            }
            let allowed = 0.5 * self.curvature * length * length;
            let descends = value <= self.value + slope + allowed
                || (change <= allowed && value <= self.value + ROUNDING * self.value.abs());
            if descends && all_finite(&self.trial_gradient) {
                self.accept(value);
                return Ok(true);
            }
            self.curvature *= 2.0;
        }
        Ok(false)
    }

    /// Moves to $P_C(\theta + td)$ if F falls enough; true if it moved.
    pub(super) fn try_along(&mut self, step: &[f64], t: f64) -> Result<bool> {
        let mut trial = std::mem::take(&mut self.trial);
        for ((trial, x), d) in trial.iter_mut().zip(&self.point).zip(step) {
            *trial = x + t * d;
        }
        let is_finite = all_finite(&trial);
        let projected = if is_finite { self.project(&mut trial) } else { Ok(()) };
        self.trial = trial;
        projected?;
        Ok(is_finite && self.try_trial()?)
    }

    /// Moves along the projection arc, halving the step from its half on until F falls enough; returns the fraction taken, if any was.
    pub(super) fn search(&mut self, step: &[f64]) -> Result<Option<f64>> {
        let slope = dot(step, &self.gradient);
        if slope.is_nan() || slope >= 0.0 {
            return Ok(None);
        }
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            t *= 0.5;
            if self.try_along(step, t)? {
                return Ok(Some(t));
            }
        }
        Ok(None)
    }

    /// Evaluates F at [`Self::trial`] and moves there if F falls enough; true if it moved.
    pub(super) fn try_trial(&mut self) -> Result<bool> {
        let slope: f64 = (0..self.point.len()).map(|i| self.gradient[i] * (self.trial[i] - self.point[i])).sum();
        if slope.is_nan() || slope >= 0.0 {
            return Ok(false);
        }
        let value = self.function.gradient(&self.trial, &mut self.trial_gradient)?;
        if !value.is_finite() || !all_finite(&self.trial_gradient) {
            return Ok(false);
        }
        let mut good = value <= self.value + ARMIJO * slope;
        if !good && -slope <= UNVERIFIABLE * self.value.abs() && value <= self.value + ROUNDING * self.value.abs() {
            // Values no longer tell; the residual does.
            let (point, trial) = (self.point.clone(), self.trial.clone());
            let before = self.stationarity()?;
            self.point.clone_from(&trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
            let after = self.stationarity();
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
            (self.point, self.trial) = (point, trial);
            let after = after?;
            good = after < 0.5 * before;
        }
        if good {
            self.accept(value);
        }
        Ok(good)
    }

    /// Moves to [`Self::trial`], whose value and gradient are known.
    pub(super) fn accept(&mut self, value: f64) {
        std::mem::swap(&mut self.point, &mut self.trial);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        self.value = value;
    }

    /// Writes the result into `point`: the start, should rounding have left F above it.
    pub(super) fn finish(mut self, point: &mut [f64]) -> Result<Finished> {
        if !self.is_usable() || self.value > self.start.1 {
            self.point.clone_from(&self.start.0);
            self.value = self.function.gradient(&self.point, &mut self.gradient)?;
        }
        let stationarity = if self.is_usable() { self.stationarity()? } else { f64::INFINITY };
        point.copy_from_slice(&self.point);
        Ok(Finished {
            value: self.value,
            stationarity,
            gradient: Some(self.gradient),
            iterations: self.iterations,
            hessian_products: self.products,
        })
    }
}

/// $\|x - y\|$
pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    dot(&difference, &difference).sqrt()
}
