//! The gradient of a batch, $\nabla f_B(\theta) = \sum_i v_i\ell'(\eta_i; y_i)x_i + (\lambda_j\theta_j)_j$, with the intercept as a feature of ones that has no ridge.

use crate::data::{Batch, Support};
use crate::linalg::axpy;
use crate::loss::Loss;
use crate::prox::{back, forward};
use crate::ridge::Ridge;
use std::fmt;

/// Value and gradient of $f_B$, with their memory.
pub(super) struct BatchGradient<'l> {
    loss: &'l dyn Loss,
    ridge: Ridge<'l>,
    support: Support,
    predictors: Vec<f64>,
    slopes: Vec<f64>,
    gradient: Vec<f64>,
}

impl fmt::Debug for BatchGradient<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchGradient").field("loss", &self.loss).field("ridge", &self.ridge).finish_non_exhaustive()
    }
}

impl<'l> BatchGradient<'l> {
    pub(super) fn new(loss: &'l dyn Loss, ridge: impl Into<Ridge<'l>>) -> Self {
        let (predictors, slopes, gradient) = (Vec::new(), Vec::new(), Vec::new());
        Self { loss, ridge: ridge.into(), support: Support::default(), predictors, slopes, gradient }
    }

    fn predict(&mut self, batch: &Batch, theta: &[f64]) {
        self.support.update(batch.layout().coefficients(theta));
        self.predictors.resize(batch.len(), 0.0);
        forward(batch.rows(), theta, &self.support, &mut self.predictors);
        self.predictors.iter_mut().zip(batch.offset()).for_each(|(eta, o)| *eta += o);
    }

    /// $f_B(\theta)$
    pub(super) fn value(&mut self, batch: &Batch, theta: &[f64]) -> f64 {
        self.predict(batch, theta);
        let ridge = self.ridge.value(batch.layout().coefficients(theta));
        self.loss.weighted_value(&self.predictors, batch.response(), batch.weights()) + ridge
    }

    /// $\nabla f_B(\theta)$, in the layout of `theta`.
    pub(super) fn at(&mut self, batch: &Batch, theta: &[f64]) -> &[f64] {
        self.predict(batch, theta);
        self.slopes.resize(batch.len(), 0.0);
        self.loss.weighted_slopes(&self.predictors, batch.response(), batch.weights(), &mut self.slopes);
        self.gradient.resize(theta.len(), 0.0);
        back(batch.rows(), &self.slopes, &mut self.gradient);
        if self.ridge.is_positive() {
            let layout = batch.layout();
            self.ridge.add_times(layout.coefficients(theta), layout.coefficients_mut(&mut self.gradient));
        }
        &self.gradient
    }

    /// $\theta \leftarrow \theta - \nabla f_B(\theta)/\rho$
    pub(super) fn descend(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) {
        let gradient = self.at(batch, theta);
        axpy(-1.0 / rho, gradient, theta);
    }
}
