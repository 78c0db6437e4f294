//! Projected stochastic gradient descent, `psgd`:
//! $$\theta_k = P_C\big(\theta_{k-1} - \alpha_k\nabla f_B(\theta_{k-1})\big), \qquad \alpha_k = 1/\rho_k.$$
//! Under a sparsity set this is stochastic gradient hard thresholding. Every iterate lies in the set.

use super::batch_gradient::BatchGradient;
use super::{Iterate, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::Batch;
use crate::error::Result;
use crate::linalg::all_finite;
use crate::loss::Loss;
use crate::ridge::Ridge;

/// Goes down the gradient, then projects.
#[derive(Debug)]
pub struct ProjectedGradientStep<'a> {
    gradient: BatchGradient<'a>,
    constraint: &'a dyn Constraint,
    work: Workspace,
}

impl<'a> ProjectedGradientStep<'a> {
    /// The step for a loss, a ridge weight and a set.
    pub fn new(loss: &'a dyn Loss, ridge: impl Into<Ridge<'a>>, constraint: &'a dyn Constraint) -> Self {
        Self { gradient: BatchGradient::new(loss, ridge), constraint, work: Workspace::default() }
    }
}

impl Step for ProjectedGradientStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.gradient.descend(batch, rho, &mut at.theta);
        // A point that is not finite has no projection; the caller sees it as it is.
        if all_finite(&at.theta) {
            self.constraint.project(batch.layout().coefficients_mut(&mut at.theta), &mut self.work)?;
        }
        Ok(())
    }
}
