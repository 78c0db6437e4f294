//! Stochastic gradient descent, `sgd`, the explicit method that the others are measured against:
//! $$\theta_k = \theta_{k-1} - \alpha_k\nabla f_B(\theta_{k-1}), \qquad \alpha_k = 1/\rho_k.$$
//! It does not see the set; the result of a run is projected once at the end. Where $\alpha_k$ exceeds $2/L_B$, with $L_B$ the largest
//! curvature of the batch, a step overshoots by more than it corrects, and a run of such steps diverges.

use super::batch_gradient::BatchGradient;
use super::{Iterate, Step};
use crate::data::Batch;
use crate::error::Result;
use crate::loss::Loss;
use crate::ridge::Ridge;

/// Goes down the gradient.
#[derive(Debug)]
pub struct GradientStep<'a> {
    gradient: BatchGradient<'a>,
}

impl<'a> GradientStep<'a> {
    /// The step for a loss and a ridge weight.
    pub fn new(loss: &'a dyn Loss, ridge: impl Into<Ridge<'a>>) -> Self {
        Self { gradient: BatchGradient::new(loss, ridge) }
    }
}

impl Step for GradientStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.gradient.descend(batch, rho, &mut at.theta);
        Ok(())
    }
}
