//! How far Newton's method trusts the second derivatives of losses with straight pieces.
//!
//! Huber's loss with a δ far below the residuals is straight for nearly every row: the Hessian $H$ sees the few rows on the curved
//! piece, is often singular, and a Newton step leads anywhere. A quadratic function that touches F and is nowhere below it has a Hessian
//! $M \succeq H$, and its minimiser always lowers F, but steps of this kind alone converge slowly. Between them lies
//! $$H + \kappa(M - H), \qquad 0 \le \kappa \le 1,$$
//! a damping in the metric of the data, so that units and correlations of the columns do not matter. κ is zero until a full step
//! fails, is raised until one does not, and falls after each success; near the optimum it is zero again and convergence
//! quadratic.

use super::Smooth;

/// κ after a first failure; below it, κ is zero.
const LEAST: f64 = 1e-3;
const RISE: f64 = 10.0;
const FALL: f64 = 0.3;

/// The share κ.
#[derive(Default)]
pub(super) struct Caution {
    share: f64,
}

impl Caution {
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// After a full step that failed; false if no more caution is possible.
    pub(super) fn raise(&mut self, function: &dyn Smooth) -> bool {
        let is_possible = self.share < 1.0 && function.has_majorant();
        if is_possible {
            self.share = (RISE * self.share).clamp(LEAST, 1.0);
        }
        is_possible
    }

    /// After a full step that succeeded.
    pub(super) fn ease(&mut self) {
        self.share = if FALL * self.share < LEAST { 0.0 } else { FALL * self.share };
    }
}
