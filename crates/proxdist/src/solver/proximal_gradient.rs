//! The stochastic proximal gradient method, `spg`: a gradient step on the loss, then the proximal map of what is not smooth,
//! $$\theta_k = \mathrm{prox}_{\alpha_kq}\big(\theta_{k-1} - \alpha_k\nabla f_B(\theta_{k-1})\big).$$
//!
//! | $q$ | its proximal map with $\alpha$ |
//! |---|---|
//! | the set: 0 inside, infinite outside | $P_C$, which makes the method `psgd` |
//! | $\lambda\Vert\theta\Vert_1$ | every coefficient moves towards 0 by $\alpha\lambda$ and stops there |
//! | $\frac\lambda2\Vert\theta\Vert^2$ | every coefficient is divided by $1 + \alpha\lambda$ |
//!
//! With a penalty the method minimises $F + q$ and there is no set. The intercept is never penalised.

use super::batch_gradient::BatchGradient;
use super::{Iterate, Step};
use crate::data::Batch;
use crate::error::Result;
use crate::loss::Loss;
use crate::ridge::Ridge;

/// A penalty on the coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NormPenalty {
    /// $\lambda\|\theta\|_1$
    L1(f64),
    /// $\frac\lambda2\|\theta\|^2$
    L2(f64),
}

impl NormPenalty {
    /// $\|D^{-1/2}r\|$, where $r$ is the part of $-g$ outside the subdifferential of the penalty at `theta`: zero at a minimiser of $F + q$.
    pub(crate) fn residual(self, theta: &[f64], gradient: &[f64], metric: &[f64]) -> f64 {
        let left = |j: usize| match self {
            Self::L1(weight) if theta[j] == 0.0 => (gradient[j].abs() - weight).max(0.0),
            Self::L1(weight) => gradient[j] + weight * theta[j].signum(),
            Self::L2(weight) => gradient[j] + weight * theta[j],
        };
        let squares = (0..theta.len()).map(|j| (left(j), metric[j])).filter(|(left, _)| *left != 0.0);
        squares.map(|(left, bend)| left * left / bend.max(f64::MIN_POSITIVE)).sum::<f64>().sqrt()
    }

    /// Replaces `x` by $\arg\min_u \alpha q(u) + \frac12\|u - x\|^2$.
    pub(crate) fn prox(self, alpha: f64, x: &mut [f64]) {
        match self {
            Self::L1(weight) => {
                let threshold = alpha * weight;
                x.iter_mut().for_each(|x| *x = x.signum() * (x.abs() - threshold).max(0.0));
            }
            Self::L2(weight) => {
                let shrink = 1.0 / (1.0 + alpha * weight);
                x.iter_mut().for_each(|x| *x *= shrink);
            }
        }
    }
}

/// Goes down the gradient, then takes the proximal map of the penalty.
#[derive(Debug)]
pub struct ProximalGradientStep<'a> {
    gradient: BatchGradient<'a>,
    penalty: NormPenalty,
}

impl<'a> ProximalGradientStep<'a> {
    /// The step for a loss, a ridge weight and a penalty.
    pub fn new(loss: &'a dyn Loss, ridge: impl Into<Ridge<'a>>, penalty: NormPenalty) -> Self {
        Self { gradient: BatchGradient::new(loss, ridge), penalty }
    }
}

impl Step for ProximalGradientStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        self.gradient.descend(batch, rho, &mut at.theta);
        self.penalty.prox(1.0 / rho, batch.layout().coefficients_mut(&mut at.theta));
        Ok(())
    }
}
