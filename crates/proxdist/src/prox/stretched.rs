//! The prox under a ridge whose weights differ from coefficient to coefficient, by a change of variables.
//!
//! With $t_j = \sqrt{\rho/(\rho + \lambda_j)}$ and $\theta_j = t_ju_j$,
//! $$\tfrac\rho2(\theta_j - z_j)^2 + \tfrac{\lambda_j}2\theta_j^2 = \tfrac\rho2(u_j - t_jz_j)^2 + \text{const},$$
//! so the minimiser is that of the prox without a ridge on columns times $t_j$, from the anchor $t_jz_j$, times $t_j$ again. The intercept has
//! $\lambda = 0$, hence $t = 1$.

use crate::data::Batch;
use crate::ridge::Ridge;

/// A batch with its columns stretched, in reused memory.
#[derive(Default)]
pub(super) struct Stretched {
    batch: Batch<'static>,
    factors: Vec<f64>,
}

impl Stretched {
    /// Takes in a batch for this penalty.
    pub(super) fn fill(&mut self, batch: &Batch, ridge: Ridge, rho: f64) {
        self.factors.clear();
        // Smaller than 1 by the share of the ridge, and exact where that is all there is or nothing.
        self.factors.extend((0..batch.rows().width()).map(|j| (rho / (rho + ridge.at(j))).sqrt()));
        self.batch.stretch(batch, &self.factors);
    }

    /// The stretched batch.
    pub(super) fn batch(&self) -> &Batch<'static> {
        &self.batch
    }

    /// $t_jv_j$ in place of $v_j$.
    pub(super) fn stretch(&self, v: &mut [f64]) {
        v.iter_mut().zip(&self.factors).for_each(|(v, factor)| *v *= factor);
    }
}
