//! The solver of every method: draw the batch of step k, look up $\rho_k$, take the step.
//!
//! The batch depends on the seed, the batch size and k only, so methods run side by side see the same rows.

use super::{Iterate, Solver, Step};
use crate::data::{Batch, Data};
use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::sampling::Sampler;
use crate::schedule::{Schedule, checked_rho};

/// A method at work on data.
#[derive(Debug)]
pub struct Iteration<'a, S: Step = Box<dyn Step + 'a>> {
    data: &'a Data<'a>,
    how: S,
    schedule: &'a dyn Schedule,
    sampler: Sampler,
    rows: Vec<usize>,
    batch: Batch<'a>,
    at: Iterate,
    step: u64,
    /// The argument of the schedule: the step, unless a method has asked for later levels early.
    clock: u64,
    rho: f64,
}

impl<'a, S: Step> Iteration<'a, S> {
    /// A run of the method `how` that starts from `theta`: coefficients, then the intercept if there is one.
    pub fn of(
        how: S,
        data: &'a Data<'a>,
        schedule: &'a dyn Schedule,
        sampler: Sampler,
        theta: Vec<f64>,
    ) -> Result<Self> {
        let mut batch = Batch::default();
        if sampler.is_full_batch() {
            batch.fill_whole(data)?;
        }
        let (rows, at) = (Vec::with_capacity(sampler.batch_size()), Iterate::at(theta));
        Ok(Self { data, how, schedule, sampler, rows, batch, at, step: 0, clock: 0, rho: 0.0 })
    }

    /// Continues from a stored step: the batches of later steps are those of an uninterrupted run.
    #[must_use]
    pub fn resumed_at(mut self, step: u64) -> Self {
        (self.step, self.clock) = (step, step);
        self
    }

    /// Continues with what the method remembered, and with the schedule so far ahead of the steps as [`Solver::levels_ahead`] said.
    #[must_use]
    pub fn remembering(mut self, levels_ahead: u64, memory: &[f64]) -> Self {
        self.clock = self.step + levels_ahead;
        self.at.memory = memory.to_vec();
        self
    }

    /// Goes back to a step and the iterate that belongs to it.
    pub fn rewind(&mut self, step: u64, theta: &[f64]) {
        (self.step, self.clock) = (step, step);
        self.at.theta.copy_from_slice(theta);
        self.at.memory.clear();
    }
}

impl<S: Step> Solver for Iteration<'_, S> {
    fn advance(&mut self) -> Result<()> {
        self.step += 1;
        self.clock += 1;
        self.rho = checked_rho(self.schedule, self.clock)?;
        if !self.sampler.is_full_batch() {
            self.sampler.draw(self.step, &mut self.rows);
            self.batch.fill(self.data, &self.rows)?;
        }
        self.how.take(&self.batch, self.rho, &mut self.at)?;
        if std::mem::take(&mut self.at.is_settled) {
            self.clock = self.schedule.end_of_level(self.clock);
        }
        if all_finite(&self.at.theta) { Ok(()) } else { Err(Error::Diverged { step: self.step, rho: self.rho }) }
    }

    fn iterate(&self) -> &Iterate {
        &self.at
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

    fn levels_ahead(&self) -> u64 {
        self.clock - self.step
    }
}
