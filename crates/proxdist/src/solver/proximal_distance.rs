//! The stochastic proximal distance algorithm:
//! $$\theta_k = \mathrm{prox}_{f_B/\rho_k}\big(P_C(\theta_{k-1})\big), \qquad \rho_k = \rho_1k^\gamma,$$
//! with a new batch $B$ at every step. With all rows in every batch it is the proximal distance algorithm.

use super::Solver;
use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Data};
use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::prox::BatchProx;
use crate::sampling::Sampler;
use crate::schedule::{Schedule, checked_rho};

/// Algorithm 1 of the paper, one step at a time.
pub struct ProximalDistance<'a> {
    data: &'a Data<'a>,
    constraint: &'a dyn Constraint,
    prox: Box<dyn BatchProx + 'a>,
    schedule: &'a dyn Schedule,
    sampler: Sampler,
    rows: Vec<usize>,
    batch: Batch<'a>,
    work: Workspace,
    theta: Vec<f64>,
    step: u64,
    rho: f64,
}

impl<'a> ProximalDistance<'a> {
    /// A run that starts from `theta`: coefficients, then the intercept if the prox has one.
    pub fn new(
        data: &'a Data<'a>,
        constraint: &'a dyn Constraint,
        prox: Box<dyn BatchProx + 'a>,
        schedule: &'a dyn Schedule,
        sampler: Sampler,
        theta: Vec<f64>,
    ) -> Result<Self> {
        let mut batch = Batch::default();
        if sampler.is_full_batch() {
            batch.fill_whole(data)?;
        }
        let (rows, work) = (Vec::with_capacity(sampler.batch_size()), Workspace::default());
        Ok(Self { data, constraint, prox, schedule, sampler, rows, batch, work, theta, step: 0, rho: 0.0 })
    }

    /// Continues from a stored step: the batches of later steps are those of an uninterrupted run.
    #[must_use]
    pub fn resumed_at(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    /// Goes back to a step and the iterate that belongs to it.
    pub fn rewind(&mut self, step: u64, theta: &[f64]) {
        self.step = step;
        self.theta.copy_from_slice(theta);
    }
}

impl Solver for ProximalDistance<'_> {
    fn advance(&mut self) -> Result<()> {
        self.step += 1;
        self.rho = checked_rho(self.schedule, self.step)?;
        if !self.sampler.is_full_batch() {
            self.sampler.draw(self.step, &mut self.rows);
            self.batch.fill(self.data, &self.rows)?;
        }
        self.constraint.project(&mut self.theta[..self.data.columns()], &mut self.work)?;
        self.prox.apply(&self.batch, self.rho, &mut self.theta)?;
        if all_finite(&self.theta) { Ok(()) } else { Err(Error::Diverged { step: self.step, rho: self.rho }) }
    }

    fn theta(&self) -> &[f64] {
        &self.theta
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn rho(&self) -> f64 {
        self.rho
    }

    fn rows_per_step(&self) -> usize {
        self.sampler.batch_size()
    }
}
