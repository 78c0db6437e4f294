//! One row: a root in one dimension.
//!
//! With $\kappa = x^TD^{-1}x$ the minimiser is $z + D^{-1}x\,a$, where $h(a) = a + v\ell'(\eta_0 + \kappa a) = 0$. The slope
//! $\ell'$ never decreases, so the root lies between $0$ and $-v\ell'(\eta_0)$; Newton's method is kept inside that bracket by
//! bisection.

use super::penalties::Penalties;
use crate::data::Batch;
use crate::loss::Loss;

/// Moves `theta` from the anchor to the minimiser; `eta` is the linear predictor at the anchor.
pub(super) fn step(loss: &dyn Loss, batch: &Batch, penalty: Penalties, eta: f64, theta: &mut [f64]) {
    let rows = batch.rows();
    let (response, weight) = (batch.response()[0], batch.weights()[0]);
    let length: f64 = rows.row(0).map(|(_, x)| x * x).sum();
    let reach = length / penalty.coefficients + penalty.intercept.map_or(0.0, |p| 1.0 / p);
    let a = root(loss, response, weight, eta, reach);
    for (j, x) in rows.row(0) {
        theta[j] += a * x / penalty.coefficients;
    }
    if let (Some(p), Some(intercept)) = (penalty.intercept, penalty.layout().intercept_mut(theta)) {
        *intercept += a / p;
    }
}

/// Steps after which the best point so far is taken; halving a bracket from the largest number to the least takes about as many.
const MOST_STEPS: usize = 2200;

fn root(loss: &dyn Loss, response: f64, weight: f64, eta: f64, reach: f64) -> f64 {
    if weight == 0.0 {
        return 0.0;
    }
    let far = -weight * loss.slope(eta, response);
    let (mut low, mut high) = (far.min(0.0), far.max(0.0));
    let mut a = far / (1.0 + reach * weight * loss.curvature(eta, response));
    let mut last_step = high - low;
    let mut best = (far.abs(), 0.0);
    for _ in 0..MOST_STEPS {
        let predictor = eta + reach * a;
        let h = a + weight * loss.slope(predictor, response);
        if h.abs() < best.0 {
            best = (h.abs(), a);
        }
        if h > 0.0 {
            high = a;
        } else {
            low = a;
        }
        if h.abs() <= 1e-15 * far.abs() || high - low <= f64::EPSILON * low.abs().max(high.abs()) {
            break;
        }
        let step = h / (1.0 + reach * weight * loss.curvature(predictor, response));
        // Newton creeps where the loss grows like an exponential, and leaves where it is straight: halve the bracket instead.
        let is_good = step.abs() <= 0.5 * last_step && low < a - step && a - step < high;
        a = if is_good { a - step } else { 0.5 * (low + high) };
        last_step = if is_good { step.abs() } else { 0.5 * (high - low) };
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Poisson, Squared};

    #[test]
    fn squared_loss_has_the_closed_form() {
        let (y, v, eta, reach) = (3.0, 0.5, 1.0, 2.0);
        let expected = v * (y - eta) / (1.0 + v * reach);
        assert!((root(&Squared, y, v, eta, reach) - expected).abs() < 1e-15);
    }

    #[test]
    fn a_predictor_far_from_the_root_is_brought_back() {
        let (eta, reach) = (-3.9e8, 1.2e14);
        let a = root(&Poisson, 1.15, 1.0, eta, reach);
        // The predictor has seven digits behind the point there.
        assert!((a + (eta + reach * a).exp() - 1.15).abs() < 1e-6, "{a:e}");
        assert_eq!(root(&Poisson, 1.15, 0.0, 1e9, reach), 0.0);
    }

    #[test]
    fn a_huge_count_does_not_overflow_the_exponential() {
        let a = root(&Poisson, 1e6, 1.0, 0.0, 10.0);
        assert!((a + (10.0 * a).exp() - 1e6).abs() < 1e-6 * 1e6);
    }
}
