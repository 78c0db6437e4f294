//! The proximal Robbins–Monro method of Toulis and others, `prm`: the implicit step, solved only roughly by stochastic gradient
//! steps of its own. From the anchor $x_0 = z = P_C(\theta_{k-1})$ it goes through the rows $i_1, i_2, \dots$ of the batch one by one,
//! $$x_j = x_{j-1} - a_j\big(\nabla f(x_{j-1}; z_{i_j}) + \rho_k(x_{j-1} - z)\big), \qquad a_j = \frac{1}{\rho_kj + L},$$
//! and $\theta_k = x_m$. What is minimised there is $\rho_k$-strongly convex, for which steps of $1/(\rho_kj)$ converge; the $L$, the largest curvature of a
//! row of the batch (at the anchor, for losses whose curvature has no bound), keeps the first of them from overshooting. With $C$ the whole space this is the method of the
//! literature; the projection makes it the stochastic proximal distance algorithm with an inexact prox.

use super::{Iterate, Step};
use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Support};
use crate::error::Result;
use crate::loss::Loss;
use crate::ridge::Ridge;

/// Projects, then takes gradient steps on the prox.
#[derive(Debug)]
pub struct RobbinsMonroStep<'a> {
    loss: &'a dyn Loss,
    ridge: Ridge<'a>,
    constraint: &'a dyn Constraint,
    /// Gradient steps; one for each row of the batch if not given.
    inner: Option<usize>,
    anchor: Vec<f64>,
    every_column: Support,
    work: Workspace,
}

impl<'a> RobbinsMonroStep<'a> {
    /// The step for a loss, a ridge weight, a set and a number of inner steps, by default the rows of a batch.
    pub fn new(
        loss: &'a dyn Loss,
        ridge: impl Into<Ridge<'a>>,
        constraint: &'a dyn Constraint,
        inner: Option<usize>,
    ) -> Self {
        let ridge = ridge.into();
        let (every_column, work) = (Support::default(), Workspace::default());
        Self { loss, ridge, constraint, inner, anchor: Vec::new(), every_column, work }
    }

    /// The linear predictor of a row of the batch.
    fn predictor(&self, batch: &Batch, row: usize, theta: &[f64]) -> f64 {
        let layout = batch.layout();
        let mut product = [0.0];
        batch.rows().slice(row..row + 1).times(layout.coefficients(theta), &self.every_column, &mut product);
        product[0] + layout.intercept(theta).unwrap_or(0.0) + batch.offset()[row]
    }

    /// $v_i$ times b, so that the batch loss is the mean of the rows' own.
    fn weight(batch: &Batch, row: usize) -> f64 {
        batch.weights()[row] * batch.len() as f64
    }

    fn largest_curvature(&self, batch: &Batch, theta: &[f64]) -> f64 {
        let shift = batch.layout().split(theta).1.len() as f64;
        let curvature = |row| {
            let here = || self.loss.curvature(self.predictor(batch, row, theta), batch.response()[row]);
            let bend = self.loss.curvature_bound().unwrap_or_else(here);
            Self::weight(batch, row) * bend * (batch.rows().row_norm_squared(row) + shift)
        };
        (0..batch.len()).map(curvature).fold(0.0, f64::max) + self.ridge.largest(batch.rows().width())
    }
}

impl Step for RobbinsMonroStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        let (layout, theta) = (batch.layout(), &mut at.theta[..]);
        self.constraint.project(layout.coefficients_mut(theta), &mut self.work)?;
        self.anchor.clear();
        self.anchor.extend_from_slice(theta);
        let largest = self.largest_curvature(batch, theta);
        for (count, row) in (0..batch.len()).cycle().take(self.inner.unwrap_or(batch.len())).enumerate() {
            let rate = 1.0 / (rho * (count + 1) as f64 + largest);
            let slope = self.loss.slope(self.predictor(batch, row, theta), batch.response()[row]);
            let move_along = -rate * Self::weight(batch, row) * slope;
            for (j, (theta, anchor)) in theta.iter_mut().zip(&self.anchor).enumerate() {
                let ridge = if layout.is_coefficient(j) { self.ridge.at(j) } else { 0.0 };
                *theta -= rate * (rho * (*theta - anchor) + ridge * *theta);
            }
            let coefficients = layout.coefficients_mut(theta);
            batch.rows().slice(row..row + 1).add_transpose_times(&[move_along], coefficients);
            if let Some(intercept) = layout.intercept_mut(theta) {
                *intercept += move_along;
            }
        }
        Ok(())
    }
}
