//! The proximal distance algorithm on all data, `pd`, of which `spd` is the stochastic version:
//! $$\theta_k = \mathrm{prox}_{F/\rho_k}\big(P_C(\theta_{k-1})\big).$$
//! At fixed $\rho$ it minimises $F + \frac\rho2\mathrm{dist}(\theta, C)^2$: the surrogate $F + \frac\rho2\|\theta - P_C(\theta_{k-1})\|^2$ lies above that and touches it at
//! $\theta_{k-1}$, so every step descends. With $\rho$ growing, by powers of k or by a factor every few steps, the limit lies in $C$.
//!
//! Two refinements of the literature are options. *Momentum* (Nesterov) takes the step from $y = \theta_{k-1} + \beta_k(\theta_{k-1} - \theta_{k-2})$ in place of
//! $\theta_{k-1}$ and starts again when the step and the last movement point apart, $(y - \theta_k)^T(\theta_k - \theta_{k-1}) > 0$. An *inner tolerance* ends a level of
//! a geometric schedule early, as soon as $\|\theta_k - \theta_{k-1}\| \le$ tolerance $\cdot\max(1, \|\theta_k\|)$.

use super::{Iterate, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::Batch;
use crate::error::Result;
use crate::linalg::norm;
use crate::prox::BatchProx;

/// Projects and takes the prox, with momentum if wanted.
#[derive(Debug)]
pub struct FullBatchStep<'a> {
    constraint: &'a dyn Constraint,
    prox: Box<dyn BatchProx + 'a>,
    momentum: bool,
    tolerance: Option<f64>,
    before: Vec<f64>,
    ahead: Vec<f64>,
    work: Workspace,
}

impl<'a> FullBatchStep<'a> {
    /// The step for a set and a prox, plain.
    pub fn new(constraint: &'a dyn Constraint, prox: Box<dyn BatchProx + 'a>) -> Self {
        let (before, ahead, work) = (Vec::new(), Vec::new(), Workspace::default());
        Self { constraint, prox, momentum: false, tolerance: None, before, ahead, work }
    }

    /// With Nesterov's momentum.
    #[must_use]
    pub fn momentum(mut self, momentum: bool) -> Self {
        self.momentum = momentum;
        self
    }

    /// Asks for the next level of the schedule once steps are this small.
    #[must_use]
    pub fn tolerance(mut self, tolerance: Option<f64>) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Moves `theta` ahead by the momentum. The memory holds the weight $t_k$ and the iterate before this one.
    fn extrapolate(&mut self, at: &mut Iterate) {
        if at.memory.len() != at.theta.len() + 1 {
            at.memory.clear();
            at.memory.push(1.0);
            at.memory.extend_from_slice(&at.theta);
        }
        let (weight, earlier) = at.memory.split_at_mut(1);
        let next = next_weight(weight[0]);
        let share = (weight[0] - 1.0) / next;
        weight[0] = next;
        for (theta, earlier) in at.theta.iter_mut().zip(earlier) {
            let here = *theta;
            *theta += share * (here - *earlier);
            *earlier = here;
        }
        self.ahead.clear();
        self.ahead.extend_from_slice(&at.theta);
    }
}

/// $t_{k+1} = \frac12(1 + \sqrt{1 + 4t_k^2})$
fn next_weight(weight: f64) -> f64 {
    0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt())
}

impl Step for FullBatchStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.before.clear();
        self.before.extend_from_slice(&at.theta);
        if self.momentum {
            self.extrapolate(at);
        }
        self.constraint.project(batch.layout().coefficients_mut(&mut at.theta), &mut self.work)?;
        self.prox.apply(batch, rho, &mut at.theta)?;
        if self.momentum {
            let moved = at.theta.iter().zip(&self.before).zip(&self.ahead);
            let apart: f64 = moved.map(|((theta, before), ahead)| (ahead - theta) * (theta - before)).sum();
            if apart > 0.0 {
                at.memory[0] = 1.0;
            }
        }
        if let Some(tolerance) = self.tolerance {
            self.before.iter_mut().zip(&at.theta).for_each(|(before, theta)| *before -= theta);
            at.is_settled = norm(&self.before) <= tolerance * norm(&at.theta).max(1.0);
        }
        Ok(())
    }

    fn share_among(&mut self, steps: usize) {
        self.prox.share_among(steps);
    }
}
