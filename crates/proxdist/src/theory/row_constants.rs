//! $L$ and $G^2$ from one pass over the rows.
//!
//! The loss of row $i$ as the iteration sees it is $f_i(\theta) = \tilde w_i\,\ell(\eta_i; y_i) + \tfrac\lambda2\|\theta\|^2$ with
//! $\tilde w_i = nw_i/\sum_j w_j$, so that $F$ is the plain average of the $f_i$. With an intercept the row is extended,
//! $\tilde x_i = (x_i, 1)$. If $\ell'' \le \kappa$, the gradient of $f_i$ is Lipschitz with $L_i = \tilde w_i\kappa\|\tilde x_i\|^2 + \lambda$, and that of a batch
//! with the average of the $L_i$ in it: at worst the $b$ largest. A batch also holds no more than all rows do, so
//! $\tfrac nb\lambda_{\max}(\kappa\sum_i w_i\tilde x_i\tilde x_i^T/\sum_i w_i) + \lambda$ is another bound, the better one for large batches.
//!
//! For $b$ of $n$ rows drawn without replacement,
//! $\mathbb{E}\|\nabla f_B\|^2 = \|\nabla F\|^2 + \frac{n-b}{b(n-1)}\big(\frac1n\sum_i\|\nabla f_i\|^2 - \|\nabla F\|^2\big)$.

use super::TheoryFault;
use crate::data::{Pass, Support, Wanted};
use crate::error::{Error, Result};
use crate::linalg::{Eigen, norm_squared};
use crate::objective::Objective;
use crate::polish::{OnData, Smooth as _};
use crate::ridge::Ridge;

/// What one pass over the rows gives at $\theta_*$.
pub(super) struct RowConstants {
    /// $L_i$ without $\lambda$, the largest first.
    row_lipschitz: Vec<f64>,
    /// $\frac1n\sum_i\|\nabla f_i(\theta_*)\|^2$
    mean_square: f64,
}

impl RowConstants {
    /// Looks at every row; `bound` is $\kappa$.
    pub(super) fn at(objective: Objective, theta: &[f64], bound: f64) -> Result<Self> {
        let Objective { data, loss, ridge, .. } = objective;
        let (coefficients, shift) = objective.split(theta);
        let support = Support::of(coefficients);
        // The gradient of the ridge term, the same for every row.
        let mut shrinking = vec![0.0; coefficients.len()];
        ridge.add_times(coefficients, &mut shrinking);
        let (size, shrunk) = (norm_squared(&shrinking), Support::of(&shrinking));
        let scale = data.rows() as f64 / data.weight_sum();
        let ones = objective.layout().intercept_count() as f64;
        let parts = Pass::over(data, 0).fold(
            || (Vec::new(), Vec::new(), Vec::new()),
            |(found, products, along): &mut (Vec<(f64, f64)>, Vec<f64>, Vec<f64>), chunk| {
                products.resize(chunk.len(), 0.0);
                chunk.rows.times(coefficients, &support, products);
                along.resize(chunk.len(), 0.0);
                chunk.rows.times(&shrinking, &shrunk, along);
                for i in 0..chunk.len() {
                    let weight = scale * chunk.weight(i);
                    let length = chunk.rows.row_norm_squared(i) + ones;
                    let predictor = products[i] + shift + chunk.offset_of(i);
                    let slope = weight * loss.slope(predictor, chunk.response[i]);
                    let square = slope * slope * length + 2.0 * slope * along[i] + size;
                    found.push((weight * bound * length, square));
                }
            },
        )?;
        let rows: Vec<(f64, f64)> = parts.into_iter().flat_map(|(found, ..)| found).collect();
        let mean_square = rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
        let mut row_lipschitz: Vec<f64> = rows.into_iter().map(|row| row.0).collect();
        row_lipschitz.sort_by(|a, b| b.total_cmp(a));
        match row_lipschitz.first() {
            Some(largest) if largest.is_finite() && mean_square.is_finite() => Ok(Self { row_lipschitz, mean_square }),
            _ => Err(Error::Theory(Box::new(TheoryFault::RowOverflows))),
        }
    }

    /// $L$ of batches of this size, without $\lambda$, from the rows alone.
    pub(super) fn lipschitz(&self, batch_size: usize) -> f64 {
        self.row_lipschitz[..batch_size].iter().sum::<f64>() / batch_size as f64
    }

    /// $G^2$ of batches of this size.
    pub(super) fn gradient_noise(&self, batch_size: usize, gradient_norm: f64) -> f64 {
        let (n, b) = (self.row_lipschitz.len() as f64, batch_size as f64);
        let full = gradient_norm * gradient_norm;
        // A single row leaves nothing to vary.
        let share = if n > 1.0 { (n - b) / (b * (n - 1.0)) } else { 0.0 };
        full + share * (self.mean_square - full).max(0.0)
    }
}

/// $\lambda_{\max}(\kappa\sum_i w_i\tilde x_i\tilde x_i^T/\sum_i w_i)$
pub(super) fn largest_curvature(objective: Objective, bound: f64) -> Result<Option<f64>> {
    let data = objective.data;
    let scale = bound / data.weight_sum();
    let mut curvatures = Vec::with_capacity(data.rows());
    // No feature is needed for the weights.
    data.chunks(&Wanted { rows: 0..data.rows(), length: data.rows(), columns: Some(&[]) }, &mut |chunk| {
        curvatures.extend((0..chunk.len()).map(|i| scale * chunk.weight(i)));
    })?;
    let plain = Objective { ridge: Ridge::default(), ..objective };
    let mut function = OnData::with_curvatures(plain, curvatures);
    let size = function.dimension();
    let mut hessian = vec![0.0; size * size];
    function.hessian(&mut hessian)?;
    Ok(Eigen::of(&hessian, size).and_then(|eigen| eigen.values.last().copied()))
}
