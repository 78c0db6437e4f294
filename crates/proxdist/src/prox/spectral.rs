//! The prox of one and the same batch again and again, for quadratic losses: one eigendecomposition makes every later $\rho$ cheap.
//!
//! With $H = \nabla^2f_B = Q\Lambda Q^T$ (ridge included, which leaves one penalty for all coordinates) and $c = -\nabla f_B(0)$, the minimiser of
//! $f_B(\theta) + \frac\rho2\|\theta - z\|^2$ is $Q(\Lambda + \rho)^{-1}Q^T(c + \rho z)$: two products with $Q$, whatever the number of rows and whatever $\rho$. Other losses, and
//! parameters so large that the decomposition would not pay, go the usual way.

use super::{BatchProx, Prox, back};
use crate::data::Batch;
use crate::error::Result;
use crate::linalg::{Eigen, times, transpose_times};
use std::fmt;

/// Coordinates beyond which the decomposition, a cubic cost, is not worth it.
const LARGEST: usize = 2048;

/// A prox that remembers the decomposition of the batch it was last applied to.
pub struct SpectralProx<'l> {
    usual: Prox<'l>,
    eigen: Option<Eigen>,
    /// Which batch the decomposition, or its failure, belongs to.
    belongs_to: Option<u64>,
    linear: Vec<f64>,
    work: Vec<f64>,
}

impl fmt::Debug for SpectralProx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpectralProx").field("usual", &self.usual).finish_non_exhaustive()
    }
}

impl<'l> SpectralProx<'l> {
    /// Does what `usual` does.
    pub fn new(usual: Prox<'l>) -> Self {
        let (linear, work) = (Vec::new(), Vec::new());
        Self { usual, eigen: None, belongs_to: None, linear, work }
    }

    /// Decomposes the Hessian of the batch, which fails for numbers too large to square.
    fn decompose(&mut self, batch: &Batch) -> Option<Eigen> {
        let (rows, layout) = (batch.rows(), self.usual.layout(batch));
        let (features, size) = (layout.coefficient_count(), layout.len());
        let (loss, zeros) = (self.usual.loss, vec![0.0; batch.len()]);
        let (mut slopes, mut curvatures) = (zeros.clone(), zeros);
        loss.weighted_slopes(batch.offset(), batch.response(), batch.weights(), &mut slopes);
        loss.weighted_curvatures(batch.offset(), batch.response(), batch.weights(), &mut curvatures);
        slopes.iter_mut().for_each(|slope| *slope = -*slope);
        self.linear.resize(size, 0.0);
        back(rows, &slopes, &mut self.linear);
        let mut cross = vec![0.0; features * features];
        rows.add_weighted_cross(&curvatures, &mut cross, &mut self.work);
        let (mut hessian, mut border) = (vec![0.0; size * size], vec![0.0; size]);
        back(rows, &curvatures, &mut border);
        layout.fill_bordered(&cross, &border, &mut hessian);
        (0..features).for_each(|j| hessian[j * size + j] += self.usual.ridge.at(j));
        Eigen::of(&hessian, size)
    }
}

impl BatchProx for SpectralProx<'_> {
    fn apply(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) -> Result<()> {
        let size = theta.len();
        if !self.usual.loss.is_quadratic() || size > LARGEST || size != self.usual.layout(batch).len() {
            return self.usual.apply(batch, rho, theta);
        }
        if self.belongs_to != Some(batch.stamp()) {
            (self.belongs_to, self.eigen) = (Some(batch.stamp()), self.decompose(batch));
        }
        let Some(eigen) = &self.eigen else { return self.usual.apply(batch, rho, theta) };
        theta.iter_mut().zip(&self.linear).for_each(|(theta, c)| *theta = c + rho * *theta);
        self.work.resize(size, 0.0);
        // The vectors are columns; read row by row, the same memory is their transpose.
        times(&eigen.vectors, theta, &mut self.work, false);
        self.work.iter_mut().zip(&eigen.values).for_each(|(x, lambda)| *x /= lambda.max(0.0) + rho);
        transpose_times(&eigen.vectors, &self.work, theta, false);
        Ok(())
    }

    fn share_among(&mut self, steps: usize) {
        self.usual.share_among(steps);
    }
}
