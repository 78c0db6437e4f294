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

/// κ after a first failure, below which it is zero, and the factors by which it rises and falls.
struct Ladder {
    least: f64,
    rise: f64,
    fall: f64,
}

/// For methods that raise κ at every full step that fails.
const COARSE: Ladder = Ladder { least: 1e-3, rise: 10.0, fall: 0.3 };
/// For methods that search along a step first and raise κ only where that leads nowhere. Where all classes are told apart, curvatures are
/// many orders of magnitude below their bound, and a κ of 1e-3 would be all that is seen of the model.
const FINE: Ladder = Ladder { least: 1e-9, rise: 30.0, fall: 1.0 / 30.0 };

/// The share κ.
pub(super) struct Caution {
    share: f64,
    ladder: Ladder,
}

impl Default for Caution {
    fn default() -> Self {
        Self { share: 0.0, ladder: COARSE }
    }
}

impl Caution {
    /// A κ that rises from very small shares.
    pub(super) fn fine() -> Self {
        Self { share: 0.0, ladder: FINE }
    }

    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// Back to an earlier share.
    pub(super) fn set(&mut self, share: f64) {
        self.share = share;
    }

    /// After a full step that failed; false if no more caution is possible.
    pub(super) fn raise(&mut self, function: &dyn Smooth) -> bool {
        let is_possible = self.share < 1.0 && function.has_majorant();
        if is_possible {
            self.share = (self.ladder.rise * self.share).clamp(self.ladder.least, 1.0);
        }
        is_possible
    }

    /// After a full step that succeeded.
    pub(super) fn ease(&mut self) {
        let less = self.ladder.fall * self.share;
        self.share = if less < self.ladder.least { 0.0 } else { less };
    }
}
