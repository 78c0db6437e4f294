//! Implicit stochastic gradient descent, `isgd`, also called the stochastic proximal point method:
//! $$\theta_k = \mathrm{prox}_{f_B/\rho_k}(\theta_{k-1}), \qquad\text{that is}\quad \theta_k = \theta_{k-1} - \alpha_k\nabla f_B(\theta_k).$$
//! The gradient is taken where the step ends, so no learning rate is too large. It does not see the set; the result of a run is
//! projected once at the end. The stochastic proximal distance algorithm on the whole space is this method.

use super::{Iterate, Step};
use crate::data::Batch;
use crate::error::Result;
use crate::prox::BatchProx;

/// Takes the prox.
#[derive(Debug)]
pub struct ImplicitStep<'a> {
    prox: Box<dyn BatchProx + 'a>,
}

impl<'a> ImplicitStep<'a> {
    /// The step for the prox of a loss.
    pub fn new(prox: Box<dyn BatchProx + 'a>) -> Self {
        Self { prox }
    }
}

impl Step for ImplicitStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.prox.apply(batch, rho, &mut at.theta)
    }

    fn share_among(&mut self, steps: usize) {
        self.prox.share_among(steps);
    }
}
