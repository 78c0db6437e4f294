//! Poisson loss with the log link, $\ell(\eta; y) = e^\eta - y\eta$ for $y \ge 0$: the negative log-likelihood of a count
//! without its constant. Its curvature $e^\eta$ has no bound, so where $e^\eta$ overflows a fit ends with a named error.

use super::Loss;

/// Negative Poisson log-likelihood with the log link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poisson;

impl Loss for Poisson {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        predictor.exp() - response * predictor
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        predictor.exp() - response
    }
    fn curvature(&self, predictor: f64, _response: f64) -> f64 {
        predictor.exp()
    }
    fn check_response(&self, response: f64) -> Result<(), &'static str> {
        if response >= 0.0 { Ok(()) } else { Err("counts or rates that are zero or positive") }
    }
    fn mean(&self, predictor: f64) -> f64 {
        predictor.exp()
    }
    fn spec(&self) -> String {
        "poisson".to_owned()
    }
}
