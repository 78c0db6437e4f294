//! The constrained stochastic proximal point method of Asi and Duchi, `cspp`, whose step is itself a constrained problem:
//! $$\theta_k = \arg\min_{\theta \in C} h(\theta), \qquad h(\theta) = f_B(\theta) + \tfrac{\rho_k}{2}\|\theta - \theta_{k-1}\|^2.$$
//!
//! It is solved by accelerated projected gradient, $x^+ = P_C(y - \nabla h(y)/L)$ with $y$ extrapolated from $x$, with $L$ by backtracking. The start is
//! the better of the projected unconstrained prox and the projected anchor, and $h$ never rises: a step that would raise it is
//! forgotten and the momentum with it. The end is $L\|x^+ - y\| \le$ tolerance $\cdot \|\nabla f_B(\theta_{k-1})\|$, or after many steps
//! what has been reached. For sets that are not convex this finds a stationary point, and momentum stays off. All memory is taken
//! once, which the finish on all data in `polish` need not care about.

use super::batch_gradient::BatchGradient;
use super::{Iterate, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::Batch;
use crate::error::Result;
use crate::linalg::{all_finite, axpy, norm};
use crate::loss::Loss;
use crate::prox::BatchProx;
use crate::ridge::Ridge;

const MOST_STEPS: usize = 500;
/// Factor by which $L$ relaxes at every step, so that one steep place does not slow down the rest.
const RELAXATION: f64 = 0.9;
/// Differences of h below this, relative to h, are rounding.
const ROUNDING: f64 = 1e-13;

/// The prox of a batch over the set.
#[derive(Debug)]
pub struct ConstrainedPointStep<'a> {
    prox: Box<dyn BatchProx + 'a>,
    batch_loss: BatchGradient<'a>,
    constraint: &'a dyn Constraint,
    tolerance: f64,
    /// $L$; the iterate remembers it from batch to batch.
    curvature: f64,
    anchor: Vec<f64>,
    ahead: Vec<f64>,
    gradient: Vec<f64>,
    trial: Vec<f64>,
    work: Workspace,
}

impl<'a> ConstrainedPointStep<'a> {
    /// The step for a prox and its loss, a ridge weight, a set and the tolerance of the inner problem.
    pub fn new(
        prox: Box<dyn BatchProx + 'a>,
        loss: &'a dyn Loss,
        ridge: impl Into<Ridge<'a>>,
        constraint: &'a dyn Constraint,
        tolerance: f64,
    ) -> Self {
        let (anchor, ahead, gradient, trial) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (batch_loss, work) = (BatchGradient::new(loss, ridge), Workspace::default());
        Self { prox, batch_loss, constraint, tolerance, curvature: 0.0, anchor, ahead, gradient, trial, work }
    }

    /// $h$
    fn value(&mut self, batch: &Batch, rho: f64, point: &[f64]) -> f64 {
        let apart: f64 = point.iter().zip(&self.anchor).map(|(x, a)| (x - a) * (x - a)).sum();
        self.batch_loss.value(batch, point) + 0.5 * rho * apart
    }

    /// $\nabla h$ at the extrapolated point.
    fn differentiate(&mut self, batch: &Batch, rho: f64) {
        self.gradient.clear();
        self.gradient.extend_from_slice(self.batch_loss.at(batch, &self.ahead));
        for (g, (y, a)) in self.gradient.iter_mut().zip(self.ahead.iter().zip(&self.anchor)) {
            *g += rho * (y - a);
        }
    }

    /// Where to begin: fills `theta` and returns h there.
    fn start(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) -> Result<f64> {
        let layout = batch.layout();
        self.anchor.clear();
        self.anchor.extend_from_slice(theta);
        self.trial.clear();
        self.trial.extend_from_slice(theta);
        self.constraint.project(layout.coefficients_mut(&mut self.trial), &mut self.work)?;
        let mut trial = std::mem::take(&mut self.trial);
        let at_anchor = self.value(batch, rho, &trial);
        self.prox.apply(batch, rho, theta)?;
        self.constraint.project(layout.coefficients_mut(theta), &mut self.work)?;
        let at_prox = self.value(batch, rho, theta);
        if at_anchor < at_prox {
            theta.swap_with_slice(&mut trial);
        }
        self.trial = trial;
        Ok(at_anchor.min(at_prox))
    }

    /// The projected gradient step from `ahead` into `trial`, with backtracking; h there and the length of the step, or
    /// `None` if no step is short enough.
    fn step_from_ahead(&mut self, batch: &Batch, rho: f64) -> Result<Option<(f64, f64)>> {
        let layout = batch.layout();
        self.differentiate(batch, rho);
        let ahead = std::mem::take(&mut self.ahead);
        let base = self.value(batch, rho, &ahead);
        self.ahead = ahead;
        for _ in 0..60 {
            self.trial.clear();
            self.trial.extend_from_slice(&self.ahead);
            axpy(-1.0 / self.curvature, &self.gradient, &mut self.trial);
            if !all_finite(&self.trial) {
                return Ok(None);
            }
            self.constraint.project(layout.coefficients_mut(&mut self.trial), &mut self.work)?;
            let trial = std::mem::take(&mut self.trial);
            let value = self.value(batch, rho, &trial);
            let (mut slope, mut squared) = (0.0, 0.0);
            for ((x, y), g) in trial.iter().zip(&self.ahead).zip(&self.gradient) {
                slope += g * (x - y);
                squared += (x - y) * (x - y);
            }
            self.trial = trial;
            if value <= base + slope + 0.5 * self.curvature * squared + ROUNDING * base.abs() {
                return Ok(Some((value, squared.sqrt())));
            }
            self.curvature *= 2.0;
        }
        Ok(None)
    }
}

impl Step for ConstrainedPointStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        let theta = &mut at.theta[..];
        let target = self.tolerance * norm(self.batch_loss.at(batch, theta));
        let mut value = self.start(batch, rho, theta)?;
        // Not below ρ, the least that the curvature of h can be.
        self.curvature = at.memory.first().copied().unwrap_or(0.0).max(rho);
        let mut weight = 1.0_f64;
        self.ahead.clear();
        self.ahead.extend_from_slice(theta);
        for _ in 0..MOST_STEPS {
            let Some((reached, length)) = self.step_from_ahead(batch, rho)? else { break };
            if reached > value {
                if weight == 1.0 {
                    break;
                }
                weight = 1.0;
                self.ahead.copy_from_slice(theta);
                continue;
            }
            let is_solved = self.curvature * length <= target;
            let apart: f64 =
                (0..theta.len()).map(|j| (self.ahead[j] - self.trial[j]) * (self.trial[j] - theta[j])).sum();
            let next = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
            let keeps_momentum = self.constraint.is_convex() && apart <= 0.0;
            let momentum = if keeps_momentum { (weight - 1.0) / next } else { 0.0 };
            weight = if keeps_momentum { next } else { 1.0 };
            for j in 0..theta.len() {
                self.ahead[j] = self.trial[j] + momentum * (self.trial[j] - theta[j]);
            }
            theta.copy_from_slice(&self.trial);
            value = reached;
            if is_solved {
                break;
            }
            self.curvature = (RELAXATION * self.curvature).max(rho);
        }
        at.memory.clear();
        at.memory.push(self.curvature);
        Ok(())
    }

    fn share_among(&mut self, steps: usize) {
        self.prox.share_among(steps);
    }
}
