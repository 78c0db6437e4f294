//! A kinked loss with its kink rounded off, to look for choices of features with methods that need second derivatives. What they find is only a proposal: every fit that
//! decides is of the loss itself.
//!
//! With the slopes $s_- \le a \le s_+$ of the two lines and a width $h > 0$,
//! $$\ell_h(\eta) = \max_{s_- \le a \le s_+} a(\eta - k) - \tfrac h2a^2,$$
//! which is Huber's loss for $|y - \eta|$: a parabola of curvature $1/h$ near the kink, the lines less a constant further away, nowhere above the loss.

use super::{Kinked, Link, Loss, Task};

/// The rounded loss.
pub(crate) struct Smoothed<'l> {
    loss: &'l dyn Loss,
    kinked: &'l dyn Kinked,
    width: f64,
}

impl<'l> Smoothed<'l> {
    /// The loss rounded off over this width; `None` if it has no kink.
    pub(crate) fn of(loss: &'l dyn Loss, width: f64) -> Option<Self> {
        loss.kinked().map(|kinked| Self { loss, kinked, width })
    }
}

impl Loss for Smoothed<'_> {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let (kink, slope) = (self.kinked.kink(response), self.slope(predictor, response));
        if slope == 0.0 { 0.0 } else { slope * (predictor - kink.at) - 0.5 * self.width * slope * slope }
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        let kink = self.kinked.kink(response);
        ((predictor - kink.at) / self.width).clamp(kink.below, kink.above)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        let kink = self.kinked.kink(response);
        let slope = (predictor - kink.at) / self.width;
        if kink.below <= slope && slope <= kink.above { 1.0 / self.width } else { 0.0 }
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(1.0 / self.width)
    }
    fn has_straight_pieces(&self) -> bool {
        true
    }
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let (slope, beyond) = (self.slope(predictor, response), predictor - self.kinked.kink(response).at);
        Some(if slope == 0.0 { 1.0 / self.width } else { (slope / beyond).min(1.0 / self.width) })
    }
    fn task(&self) -> Task {
        self.loss.task()
    }
    fn link(&self) -> Link {
        self.loss.link()
    }
    fn spec(&self) -> String {
        self.loss.spec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Absolute, Hinge, Quantile, check_derivatives};

    #[test]
    fn it_is_below_the_loss_by_no_more_than_its_width_and_has_the_slopes_it_says() {
        let (quantile, width) = (Quantile::at(0.8).unwrap(), 0.3);
        let losses: [&dyn Loss; 3] = [&quantile, &Absolute, &Hinge];
        for loss in losses {
            let smoothed = Smoothed::of(loss, width).unwrap();
            for response in [0.0, 1.0] {
                for step in -60..=60 {
                    let eta = 0.05 * f64::from(step) + 0.013;
                    let short = loss.value(eta, response) - smoothed.value(eta, response);
                    assert!((-1e-15..=0.5 * width + 1e-15).contains(&short), "{} {eta}: {short}", loss.spec());
                }
            }
            for eta in [-2.3, -0.7, 0.11, 0.9, 1.05, 3.0] {
                assert_eq!(check_derivatives(&smoothed, &[eta], &[1.0]), Ok(()));
            }
        }
    }
}
