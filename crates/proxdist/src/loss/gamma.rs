//! Gamma loss with the log link, for $y > 0$ and $\mu = e^\eta$:
//! $$\ell(\eta; y) = \frac y\mu - 1 - \log\frac y\mu = e^t - 1 - t, \qquad t = \log y - \eta.$$
//! The negative log-likelihood of an amount whose standard deviation is proportional to its mean, up to the shape (which scales it) and a constant of $y$: the one
//! with which a perfect prediction costs nothing. It depends on the ratio $y/\mu$ alone, so the unit of the response does not matter.
//!
//! The curvature $e^t$ falls in $\eta$. Above $\log y$ the loss is nearly straight, below it grows like an exponential function.

use super::catalogue::Form;
use super::chord::chord_within;
use super::{Family, Link, Loss, LossEntry, Task, rounded_down};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "gamma",
    definition: "y / mu - 1 - log(y / mu), with mu = exp(eta)",
    formula: "y/μ − 1 − log(y/μ),\u{2002}μ = e^η,\u{2002}y > 0",
    task: Task::Amounts,
    link: Link::Log,
    form: Form::Plain(|| Box::new(Gamma)),
};

/// Half the gamma deviance, with the log link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gamma;

/// $t = \log(y/\mu)$
fn log_ratio(predictor: f64, response: f64) -> f64 {
    response.ln() - predictor
}

impl Gamma {
    /// What the exponent of a curvature may be wrong by, in units of rounding.
    fn exponent(predictor: f64, response: f64) -> f64 {
        response.ln().abs() + predictor.abs()
    }
}

impl Loss for Gamma {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let t = log_ratio(predictor, response);
        // Where both terms are infinite the exponential is by far the larger.
        if t == f64::INFINITY { t } else { (t.exp_m1() - t).max(0.0) }
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        -log_ratio(predictor, response).exp_m1()
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        log_ratio(predictor, response).exp()
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    /// At the upper end, where the curvature is least.
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        let end = (predictor + radius).next_up();
        if radius >= 0.0 && predictor < f64::INFINITY {
            rounded_down(self.curvature(end, response), Self::exponent(end, response))
        } else {
            0.0
        }
    }
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        let size = |eta: f64, way: f64| {
            let t = log_ratio(eta, response);
            (1.0 + t.abs()) * (1.0 + t.exp()) * (1.0 + way.abs())
        };
        let chord = chord_within(self, predictor, response, between, &size);
        // A rounded logarithm is that of a slightly different response, for values and slopes alike.
        rounded_down(chord, response.ln().abs())
    }
    /// Above $\log y$ the slope is concave, so the parabola with its least value at $\log y$ lies above the loss in between; below, the curvature falls on the way.
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let t = log_ratio(predictor, response);
        Some(if t < 0.0 { t.exp_m1() / t } else { t.exp() })
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::Gamma)
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_ratios_keep_their_precision() {
        // e^t − 1 − t = t²/2 + t³/6 + … for small t.
        let t = 1e-5_f64;
        assert!((Gamma.value(-t, 1.0) / (0.5 * t * t * (1.0 + t / 3.0)) - 1.0).abs() < 1e-9);
        assert_eq!(Gamma.slope(0.0, 1.0), 0.0);
        assert_eq!(Gamma.value(1000.0, 1.0), 999.0);
        assert_eq!((Gamma.value(-1000.0, 1.0), Gamma.slope(1000.0, 1e-300)), (f64::INFINITY, 1.0));
        assert!(Gamma.value(-680.0, 1e-300).is_finite() && Gamma.value(700.0, 1e300).is_finite());
    }
}
