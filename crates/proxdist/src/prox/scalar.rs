//! One row: a root in one dimension.
//!
//! With $\kappa = x^TD^{-1}x$ the minimiser is $z + D^{-1}x\,a$, where $h(a) = a + v\ell'(\eta_0 + \kappa a) = 0$. The slope
//! $\ell'$ never decreases, so the root lies between $0$ and $-v\ell'(\eta_0)$; Newton's method is kept inside that bracket by
//! bisection.

use super::Penalty;
use crate::data::Batch;
use crate::loss::Loss;

/// Moves `theta` from the anchor to the minimiser; `eta` is the linear predictor at the anchor.
pub(super) fn step(loss: &dyn Loss, batch: &Batch, penalty: Penalty, eta: f64, theta: &mut [f64]) {
    let rows = batch.rows();
    let (response, weight) = (batch.response()[0], batch.weights()[0]);
    let length: f64 = rows.row(0).map(|(_, x)| x * x).sum();
    let reach = length / penalty.coefficients + penalty.intercept.map_or(0.0, |p| 1.0 / p);
    let a = root(loss, response, weight, eta, reach);
    for (j, x) in rows.row(0) {
        theta[j] += a * x / penalty.coefficients;
    }
    if let Some(p) = penalty.intercept {
        theta[rows.width()] += a / p;
    }
}

fn root(loss: &dyn Loss, response: f64, weight: f64, eta: f64, reach: f64) -> f64 {
    let far = -weight * loss.slope(eta, response);
    let (mut low, mut high) = (far.min(0.0), far.max(0.0));
    let mut a = far / (1.0 + reach * weight * loss.curvature(eta, response));
    let mut last_step = high - low;
    for _ in 0..200 {
        if !(low..=high).contains(&a) {
            a = 0.5 * (low + high);
        }
        let predictor = eta + reach * a;
        let h = a + weight * loss.slope(predictor, response);
        if h.abs() <= 1e-15 * far.abs() || high - low <= f64::EPSILON * low.abs().max(high.abs()) {
            break;
        }
        if h > 0.0 {
            high = a;
        } else {
            low = a;
        }
        let step = h / (1.0 + reach * weight * loss.curvature(predictor, response));
        // Newton creeps where the loss grows like an exponential: halve the bracket instead.
        let is_slow = step.abs() > 0.5 * last_step;
        a = if is_slow { 0.5 * (low + high) } else { a - step };
        last_step = if is_slow { 0.5 * (high - low) } else { step.abs() };
    }
    a
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
    fn a_huge_count_does_not_overflow_the_exponential() {
        let a = root(&Poisson, 1e6, 1.0, 0.0, 10.0);
        assert!((a + (10.0 * a).exp() - 1e6).abs() < 1e-6 * 1e6);
    }
}
