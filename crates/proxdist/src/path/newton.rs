//! The minimiser of F on a support for losses that are not quadratic: Newton's method, brief because it starts close.
//!
//! $$H\delta = -g, \qquad H = X_S^T\mathrm{diag}(w\ell'')X_S + \Lambda, \quad g = X_S^Tw\ell' + \Lambda\theta,$$
//! with a column of ones for the intercept and $H$ scaled to a unit diagonal. F can fall by about $\tfrac12\kappa^2$, $\kappa^2 = -g^T\delta$: once that is next to nothing one more step is
//! exact to rounding, and while F is further than that above a limit that it has to get below, the support is given up. Where a full step does not lower
//! F it is halved. Losses with straight pieces go the way of the exact finish.
//!
//! Two classes that a hyperplane tells apart have no minimum without a ridge: as soon as all rows are on their side this is proven, and the search ends. Where
//! only some rows could be moved to infinity, steps stay long while F hardly falls; such ends are marked the same way.

use super::design::Design;
use crate::constraint::WholeSpace;
use crate::error::Result;
use crate::linalg::{Cholesky, axpy, dot};
use crate::loss::Task;
use crate::objective::Objective;
use crate::polish::{OnColumns, Until, floored, minimise};
use std::ops::ControlFlow;

/// Newton steps at most, and halvings of one.
const MOST_STEPS: usize = 40;
const HALVINGS: usize = 20;
/// Fall of F that a step promises, relative to F, at which it is the last; and at which there is no doubt about where it leads.
const LAST: f64 = 1e-7;
const CERTAIN: f64 = 1e-13;
/// A support is given up if F would still be too high after a fall this share of $\kappa^2$; one half is what the model expects. The first step
/// is given twice that.
const DOUBT: f64 = 0.6;
/// Fraction of the predicted fall that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// A last step that moves a linear predictor by this much goes to infinity.
const FAR: f64 = 0.1;
/// Tolerance of the exact finish where it takes over.
const STRAIGHT: f64 = 1e-9;
/// What is added to the diagonal, one after the other, until the matrix can be factored.
const NUDGES: [f64; 5] = [0.0, 1e-12, 1e-9, 1e-6, 1e-3];

/// A minimiser on a support.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// Coefficients, then the intercept if there is one.
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
    pub(super) is_separated: bool,
}

/// F on supports, with memory that is reused.
pub(super) struct Newton<'p> {
    pub(super) objective: Objective<'p>,
    design: Design<'p>,
    has_intercept: bool,
    /// F without any feature.
    pub(super) at_zero: f64,
    weights: Vec<f64>,
    offset: Vec<f64>,
    can_separate: bool,
    predictors: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    trial_slopes: Vec<f64>,
    trial_curvatures: Vec<f64>,
    hessian: Vec<f64>,
    cholesky: Cholesky,
    /// Steps of all fits so far.
    pub(super) steps: usize,
}

impl<'p> Newton<'p> {
    pub(super) fn new(objective: Objective<'p>, has_intercept: bool, design: Design<'p>) -> Result<Self> {
        let data = objective.data;
        let rows = data.rows();
        let zero = vec![0.0; data.columns() + usize::from(has_intercept)];
        Ok(Self {
            objective,
            design,
            has_intercept,
            at_zero: objective.value(&zero)?,
            weights: (0..rows).map(|row| data.weight(row) / data.weight_sum()).collect(),
            offset: (0..rows).map(|row| data.offset_of(row)).collect(),
            can_separate: objective.loss.task() == Task::TwoClasses && objective.loss.has_probabilities(),
            predictors: vec![0.0; rows],
            direction: vec![0.0; rows],
            trial: vec![0.0; rows],
            slopes: vec![0.0; rows],
            curvatures: vec![0.0; rows],
            trial_slopes: vec![0.0; rows],
            trial_curvatures: vec![0.0; rows],
            hessian: Vec::new(),
            cholesky: Cholesky::default(),
            steps: 0,
        })
    }

    /// The minimiser on a support from `start`; `None` as soon as F is not expected to get below `limit`, or is no number.
    pub(super) fn fit(&mut self, support: &[usize], start: Vec<f64>, limit: f64) -> Result<Option<Fitted>> {
        if self.objective.loss.has_straight_pieces() {
            return self.fit_straight(support, start);
        }
        self.design.fetch(support)?;
        let mut point = start;
        let mut value = self.begin(support, &point);
        if !value.is_finite() {
            point.fill(0.0);
            value = self.begin(support, &point);
        }
        for number in 0..MOST_STEPS {
            if !value.is_finite() {
                return Ok(None);
            }
            self.steps += 1;
            let gradient = self.gradient(support, &point);
            self.hessian(support);
            let Some(step) = self.solve(&gradient) else { return Ok(None) };
            let fall = -dot(&gradient, &step);
            self.times(support, &step);
            // A step that goes far while F hardly falls is looked at longer.
            let share = 0.5 * fall / floored(value, self.at_zero).max(f64::MIN_POSITIVE);
            if share <= LAST && (share <= CERTAIN || !self.is_far()) {
                axpy(1.0, &step, &mut point);
                return Ok(Some(Fitted { point, value: value - 0.5 * fall, is_separated: self.is_far() }));
            }
            if value - if number == 0 { fall } else { DOUBT * fall } > limit {
                return Ok(None);
            }
            let Some(lower) = self.search(support, (&mut point, &step), value, fall) else {
                return Ok(Some(Fitted { point, value, is_separated: false }));
            };
            value = lower;
            if self.is_told_apart() {
                return Ok(Some(Fitted { point, value: self.objective.infimum()?, is_separated: true }));
            }
        }
        let is_separated = self.is_far();
        Ok(Some(Fitted { point, value, is_separated }))
    }

    /// Losses with straight pieces, where second derivatives do not say how far a step may go, take the way of the exact finish.
    fn fit_straight(&self, support: &[usize], mut point: Vec<f64>) -> Result<Option<Fitted>> {
        let mut function = OnColumns::new(self.objective, support)?;
        let mut never = || ControlFlow::Continue(());
        let mut until = Until { tolerance: STRAIGHT, poll: &mut never };
        let value = minimise(&mut function, &WholeSpace, &mut point, &mut until)?.value;
        Ok(value.is_finite().then_some(Fitted { point, value, is_separated: false }))
    }

    /// What features of a support cost to leave, by the inverse of the Hessian at a point: its diagonal.
    pub(super) fn own(&mut self, support: &[usize], point: &[f64]) -> Result<Option<Vec<f64>>> {
        self.design.fetch(support)?;
        self.begin(support, point);
        if self.objective.loss.has_straight_pieces() {
            self.bend_above();
        }
        self.hessian(support);
        let size = point.len();
        let mut own = Vec::with_capacity(support.len());
        for at in 0..support.len() {
            let mut unit = vec![0.0; size];
            unit[at] = -1.0;
            let Some(column) = self.solve(&unit) else { return Ok(None) };
            own.push(column[at]);
        }
        Ok(Some(own))
    }

    /// Predictors at a point; F there.
    fn begin(&mut self, support: &[usize], point: &[f64]) -> f64 {
        let mut predictors = std::mem::take(&mut self.predictors);
        let intercept = point.get(support.len()).copied().unwrap_or(0.0);
        predictors.iter_mut().zip(&self.offset).for_each(|(eta, offset)| *eta = offset + intercept);
        self.design.add_times(support, point, &mut predictors);
        self.predictors = predictors;
        let Objective { data, loss, .. } = self.objective;
        let out = [&mut self.slopes[..], &mut self.curvatures[..]];
        let value = loss.weighted_derivatives(&self.predictors, data.response(), &self.weights, out);
        value + self.ridge_term(support, point)
    }

    fn ridge_term(&self, support: &[usize], point: &[f64]) -> f64 {
        let ridge = self.objective.ridge;
        let squares = support.iter().zip(point).map(|(&j, value)| ridge.at(j) * value * value);
        if ridge.is_positive() { 0.5 * squares.sum::<f64>() } else { 0.0 }
    }

    fn gradient(&self, support: &[usize], point: &[f64]) -> Vec<f64> {
        let ridge = self.objective.ridge;
        let mut gradient = self.design.transpose_times(support, &self.slopes);
        gradient.iter_mut().zip(support).zip(point).for_each(|((g, &j), value)| *g += ridge.at(j) * value);
        gradient.extend(self.has_intercept.then(|| self.slopes.iter().sum::<f64>()));
        gradient
    }

    /// Second derivatives of parabolas above the loss in place of its own.
    fn bend_above(&mut self) {
        let Objective { data, loss, .. } = self.objective;
        for (i, out) in self.curvatures.iter_mut().enumerate() {
            let above = loss.majorant_curvature(self.predictors[i], data.response()[i]);
            *out = above.map_or(*out, |above| self.weights[i] * above);
        }
    }

    /// The Hessian on the support and the intercept, full.
    fn hessian(&mut self, support: &[usize]) {
        let size = support.len() + usize::from(self.has_intercept);
        self.design.weighted_gram(support, &self.curvatures, self.has_intercept, &mut self.hessian);
        support.iter().enumerate().for_each(|(at, &j)| self.hessian[at * size + at] += self.objective.ridge.at(j));
    }

    /// $-H^{-1}g$; `None` if the Hessian is not even nearly invertible.
    fn solve(&mut self, gradient: &[f64]) -> Option<Vec<f64>> {
        let size = gradient.len();
        if size == 0 {
            return Some(Vec::new());
        }
        let scale = |j: usize| self.hessian[j * size + j].sqrt();
        let scales: Vec<f64> = (0..size).map(scale).map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect();
        for nudge in NUDGES {
            let matrix = self.cholesky.matrix(size);
            for j in 0..size {
                for k in 0..size {
                    matrix[j * size + k] = self.hessian[j * size + k] / (scales[j] * scales[k]);
                }
                matrix[j * size + j] += nudge;
            }
            if self.cholesky.factor() {
                let mut step: Vec<f64> = gradient.iter().zip(&scales).map(|(g, s)| -g / s).collect();
                self.cholesky.solve(&mut step);
                step.iter_mut().zip(&scales).for_each(|(d, s)| *d /= s);
                return step.iter().all(|d| d.is_finite()).then_some(step);
            }
        }
        None
    }

    /// What a step does to the predictors.
    fn times(&mut self, support: &[usize], step: &[f64]) {
        self.direction.fill(step.get(support.len()).copied().unwrap_or(0.0));
        self.design.add_times(support, step, &mut self.direction);
    }

    /// Takes the step, or a half, a quarter, … of it, if F falls enough; returns F.
    fn search(
        &mut self,
        support: &[usize],
        (point, step): (&mut Vec<f64>, &[f64]),
        value: f64,
        fall: f64,
    ) -> Option<f64> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            for ((trial, eta), d) in self.trial.iter_mut().zip(&self.predictors).zip(&self.direction) {
                *trial = eta + share * d;
            }
            let end: Vec<f64> = point.iter().zip(step).map(|(x, d)| x + share * d).collect();
            let Objective { data, loss, .. } = self.objective;
            let out = [&mut self.trial_slopes[..], &mut self.trial_curvatures[..]];
            let lower = loss.weighted_derivatives(&self.trial, data.response(), &self.weights, out)
                + self.ridge_term(support, &end);
            if lower <= value - ARMIJO * share * fall {
                *point = end;
                std::mem::swap(&mut self.predictors, &mut self.trial);
                std::mem::swap(&mut self.slopes, &mut self.trial_slopes);
                std::mem::swap(&mut self.curvatures, &mut self.trial_curvatures);
                return Some(lower);
            }
            share *= 0.5;
        }
        None
    }

    /// Whether the last step moves a linear predictor far, with nothing that keeps coefficients small.
    fn is_far(&self) -> bool {
        let mut moved = self.direction.iter().zip(&self.weights);
        !self.objective.ridge.is_positive() && moved.any(|(d, weight)| *weight > 0.0 && d.abs() > FAR)
    }

    /// Whether all rows are on their side of the hyperplane, with nothing that keeps coefficients small.
    fn is_told_apart(&self) -> bool {
        let rows = self.predictors.iter().zip(&self.offset).zip(self.objective.data.response()).zip(&self.weights);
        let is_right = |(((eta, offset), y), weight): (((&f64, &f64), &f64), &f64)| {
            *weight == 0.0 || (2.0 * y - 1.0) * (eta - offset) > 0.0
        };
        self.can_separate && !self.objective.ridge.is_positive() && { rows }.all(is_right)
    }
}
