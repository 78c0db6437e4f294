//! Losses that are two straight lines, and where they meet: $\ell(\eta; y) = \max\{s_-(\eta - k),\ s_+(\eta - k)\}$ with slopes $s_- \le 0 \le s_+$ on the two sides of the
//! kink $k$, which depends on the response.
//!
//! Such a loss has no second derivative, and at the kink no slope but a whole interval of them, $[s_-, s_+]$. Newton's method has nothing to hold on to; what takes its place
//! are methods in the slopes themselves, one for each row within that interval: a quadratic program over a box for the prox of a batch, an interior-point method for
//! all data. A loss that has a [`Kinked`] form is handed over to them everywhere.

/// The two lines of one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kink {
    /// The predictor $k$ at which the lines meet, and the loss is zero.
    pub at: f64,
    /// The slope $s_- \le 0$ for predictors below.
    pub below: f64,
    /// The slope $s_+ \ge 0$ for predictors above.
    pub above: f64,
}

impl Kink {
    /// $\ell(\eta)$
    pub fn value(&self, predictor: f64) -> f64 {
        let beyond = predictor - self.at;
        // A slope of zero stays zero, however far away.
        let slope = if beyond > 0.0 { self.above } else { self.below };
        if slope == 0.0 { 0.0 } else { slope * beyond }
    }

    /// A slope: that of the line, and at the kink the one of the interval that is nearest to zero.
    pub fn slope(&self, predictor: f64) -> f64 {
        if predictor > self.at {
            self.above
        } else if predictor < self.at {
            self.below
        } else {
            0.0_f64.clamp(self.below, self.above)
        }
    }
}

/// A loss that is two straight lines for every response.
pub trait Kinked: Send + Sync {
    /// The lines for a response.
    fn kink(&self, response: f64) -> Kink;

    /// Which quantile of the response the least mean loss of a constant is, for losses about numbers: the share $-s_-/(s_+ - s_-)$.
    fn level(&self) -> f64 {
        let Kink { below, above, .. } = self.kink(0.0);
        -below / (above - below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Absolute, Hinge, Quantile};

    #[test]
    fn lines_meet_at_zero_and_rise_to_both_sides() {
        let quantile = Quantile::at(0.9).unwrap();
        let losses: [&dyn Kinked; 3] = [&quantile, &Absolute, &Hinge];
        for loss in losses {
            for response in [0.0, 1.0] {
                let kink = loss.kink(response);
                assert!(kink.below <= 0.0 && kink.above >= 0.0 && kink.below < kink.above);
                assert_eq!(kink.value(kink.at), 0.0);
                assert_eq!(kink.value(kink.at + 2.0), 2.0 * kink.above);
                assert_eq!(kink.value(kink.at - 2.0), -2.0 * kink.below);
                assert!((kink.below..=kink.above).contains(&kink.slope(kink.at)));
                assert!(!kink.value(f64::INFINITY).is_nan() && !kink.value(f64::NEG_INFINITY).is_nan());
            }
        }
        assert_eq!((quantile.level(), Absolute.level()), (0.9, 0.5));
    }
}
