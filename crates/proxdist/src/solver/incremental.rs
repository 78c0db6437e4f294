//! The incremental proximal method of Bertsekas, `incremental`, for $F = \frac1n\sum_i f(\theta; z_i) + g(\theta; z_i)$: a proximal step on one
//! part, a gradient step on the other,
//! $$\eta_k = \mathrm{prox}_{f_B/\rho_k}(\theta_{k-1}), \qquad \theta_k = P_C\big(\eta_k - \alpha_k\nabla g_B(\eta_k)\big),$$
//! or the gradient step first and then the proximal one. The first of the two steps may be projected too.
//!
//! With $g = 0$ and nothing projected in between, $\theta_k = P_C(\mathrm{prox}(\theta_{k-1}))$, while the stochastic proximal distance algorithm has
//! $\theta_k = \mathrm{prox}(P_C(\theta_{k-1}))$: the same two maps in turn, looked at half a cycle apart. From the same start in $C$, the
//! iterates of this method are the projections of the iterates of that one.

use super::batch_gradient::BatchGradient;
use super::{Iterate, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::Batch;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::all_finite;
use crate::loss::Loss;
use crate::prox::BatchProx;
use crate::ridge::Ridge;

/// The part that gets the gradient step.
#[derive(Debug)]
pub(super) enum Explicit<'a> {
    /// Nothing: $g = 0$.
    Nothing,
    /// The ridge term, $g = \frac\lambda2\|\theta\|^2$.
    Ridge(Ridge<'a>),
    /// A second loss of the same rows.
    Loss(Box<BatchGradient<'a>>),
}

impl<'a> Explicit<'a> {
    pub(super) fn loss(loss: &'a dyn Loss) -> Self {
        Self::Loss(Box::new(BatchGradient::new(loss, 0.0)))
    }

    fn descend(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) {
        match self {
            Self::Nothing => {}
            Self::Ridge(ridge) => {
                let coefficients = batch.layout().coefficients_mut(theta);
                coefficients.iter_mut().enumerate().for_each(|(j, theta)| *theta *= 1.0 - ridge.at(j) / rho);
            }
            Self::Loss(gradient) => gradient.descend(batch, rho, theta),
        }
    }
}

/// A proximal step, a gradient step and the projection.
#[derive(Debug)]
pub struct IncrementalStep<'a> {
    pub(super) prox: Box<dyn BatchProx + 'a>,
    pub(super) explicit: Explicit<'a>,
    pub(super) constraint: &'a dyn Constraint,
    /// Whether the gradient step comes before the proximal one.
    pub(super) gradient_first: bool,
    /// Whether the first of the two steps is projected too.
    pub(super) project_between: bool,
    pub(super) work: Workspace,
}

impl IncrementalStep<'_> {
    fn project(&mut self, layout: Layout, theta: &mut [f64]) -> Result<()> {
        // A point that is not finite has no projection; the caller sees it as it is.
        if !all_finite(theta) {
            return Ok(());
        }
        self.constraint.project(layout.coefficients_mut(theta), &mut self.work)
    }
}

impl Step for IncrementalStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        let (layout, theta) = (batch.layout(), &mut at.theta[..]);
        for is_gradient in [self.gradient_first, !self.gradient_first] {
            if is_gradient {
                self.explicit.descend(batch, rho, theta);
            } else {
                self.prox.apply(batch, rho, theta)?;
            }
            if self.project_between && is_gradient == self.gradient_first {
                self.project(layout, theta)?;
            }
        }
        self.project(layout, theta)
    }

    fn share_among(&mut self, steps: usize) {
        self.prox.share_among(steps);
    }
}
