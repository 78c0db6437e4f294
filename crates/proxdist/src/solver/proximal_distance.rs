//! The stochastic proximal distance algorithm, `spd`:
//! $$\theta_k = \mathrm{prox}_{f_B/\rho_k}\big(P_C(\theta_{k-1})\big), \qquad \rho_k = \rho_1k^\gamma,$$
//! with a new batch $B$ at every step. With all rows in every batch it is the proximal distance algorithm.

use super::{Iterate, Iteration, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::Batch;
use crate::error::Result;
use crate::prox::BatchProx;

/// Projects, then takes the prox.
#[derive(Debug)]
pub struct DistanceStep<'a> {
    constraint: &'a dyn Constraint,
    prox: Box<dyn BatchProx + 'a>,
    work: Workspace,
}

impl<'a> DistanceStep<'a> {
    /// The step for a set and the prox of a loss.
    pub fn new(constraint: &'a dyn Constraint, prox: Box<dyn BatchProx + 'a>) -> Self {
        Self { constraint, prox, work: Workspace::default() }
    }
}

impl Step for DistanceStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.constraint.project(batch.layout().coefficients_mut(&mut at.theta), &mut self.work)?;
        self.prox.apply(batch, rho, &mut at.theta)
    }

    fn share_among(&mut self, steps: usize) {
        self.prox.share_among(steps);
    }
}

/// Algorithm 1 of the paper, one step at a time.
pub type ProximalDistance<'a> = Iteration<'a, DistanceStep<'a>>;
