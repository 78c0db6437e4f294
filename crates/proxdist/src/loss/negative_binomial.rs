//! Negative binomial loss with the log link and a known $\alpha > 0$, for counts $y \ge 0$ and $\mu = e^\eta$:
//! $$\ell(\eta; y) = \big(y + \tfrac1\alpha\big)\log\frac{1 + \alpha\mu}{1 + \alpha y} - y\log\frac\mu y.$$
//! The negative log-likelihood of a count with variance $\mu + \alpha\mu^2$, up to the constant of $y$ with which a perfect prediction costs nothing. As $\alpha$ vanishes it
//! becomes that of a Poisson count.
//!
//! With $s = \eta + \log\alpha$ and the logistic function $\sigma$ the slope is $(y + \frac1\alpha)\sigma(s) - y$ and the curvature $(y + \frac1\alpha)\sigma(s)\sigma(-s)$: that of a logistic loss
//! with $y + \frac1\alpha$ trials, which rises to a peak at $s = 0$ and falls again.

use super::catalogue::Form;
use super::chord::chord_within;
use super::{Family, Link, Loss, LossEntry, Task, curvature_at_ends, rounded_down};
use crate::error::{Error, Result};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "negative-binomial",
    definition: "(y + 1/ALPHA) log((1 + ALPHA mu) / (1 + ALPHA y)) - y log(mu / y), with mu = exp(eta)",
    formula: "(y + 1/α) log((1 + αμ)/(1 + αy)) − y log(μ/y),\u{2002}μ = e^η,\u{2002}y ≥ 0",
    task: Task::Counts,
    link: Link::Log,
    form: Form::WithNumber {
        parameter: "ALPHA",
        usual: NegativeBinomial::USUAL_ALPHA,
        make: |alpha| Ok(Box::new(NegativeBinomial::with_alpha(alpha)?)),
    },
};

/// Half the negative binomial deviance, with the log link.
#[derive(Clone, Copy, Debug)]
pub struct NegativeBinomial {
    alpha: f64,
}

/// How small and how large α may be: beyond, its inverse times a count is no number, and the loss is that of Poisson long before.
const RANGE: (f64, f64) = (1e-100, 1e100);

impl NegativeBinomial {
    /// The α of a geometric distribution.
    pub const USUAL_ALPHA: f64 = 1.0;

    /// The loss of a variance $\mu + \alpha\mu^2$.
    pub fn with_alpha(alpha: f64) -> Result<Self> {
        if alpha >= RANGE.0 && alpha <= RANGE.1 {
            Ok(Self { alpha })
        } else {
            let rule = "positive, from 1e-100 to 1e100 (poisson is the limit at 0)";
            Err(Error::LossParameter { loss: &ENTRY, rule, value: alpha })
        }
    }

    /// $s = \eta + \log\alpha$
    fn shifted(self, predictor: f64) -> f64 {
        predictor + self.alpha.ln()
    }

    /// $y + 1/\alpha$
    fn trials(self, response: f64) -> f64 {
        response + 1.0 / self.alpha
    }
}

impl Loss for NegativeBinomial {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let (s, trials) = (self.shifted(predictor), self.trials(response));
        let value = if s > 0.0 {
            // The linear parts are joined first: (η − log(y + 1/α))/α − y log(1 + 1/(αy)) + (y + 1/α) log(1 + e^−s).
            let part = if response == 0.0 { 0.0 } else { response * (1.0 / (self.alpha * response)).ln_1p() };
            (predictor - trials.ln()) / self.alpha - part + trials * (-s).exp().ln_1p()
        } else {
            let above = (self.alpha * response).ln_1p() - (self.alpha * predictor.exp()).ln_1p();
            let entropy = if response == 0.0 { 0.0 } else { response * (response.ln() - predictor) };
            entropy - trials * above
        };
        value.max(0.0)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        // (μ − y)/(1 + αμ), with neither of the two too large.
        let s = self.shifted(predictor);
        if s > 0.0 {
            let tail = (-s).exp();
            (1.0 / self.alpha - response * tail) / (1.0 + tail)
        } else {
            let rate = predictor.exp();
            (rate - response) / (1.0 + self.alpha * rate)
        }
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        let tail = (-self.shifted(predictor).abs()).exp();
        self.trials(response) * (tail / ((1.0 + tail) * (1.0 + tail)))
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        let least = curvature_at_ends(self, predictor, response, radius);
        // Nothing is left of it where the size of the exponent is no number.
        rounded_down(least, predictor.abs() + radius + self.alpha.ln().abs())
    }
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        let known =
            1.0 + self.alpha.ln().abs() + response.max(f64::MIN_POSITIVE).ln().abs() + (self.alpha * response).ln_1p();
        let size = |eta: f64, way: f64| self.trials(response) * (known + eta.abs()) * (1.0 + way.abs());
        chord_within(self, predictor, response, between, &size)
    }
    /// As for a logistic loss: $\log(1 + e^s) - s/2$ is concave in $s^2$, so the parabola in $s^2$ that touches it lies above.
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let size = self.shifted(predictor).abs();
        let share = if size < 1e-4 { 0.25 } else { (0.5 * size).tanh() / (2.0 * size) };
        Some(self.trials(response) * share)
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::NegativeBinomial { alpha: self.alpha })
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
    fn spec(&self) -> String {
        format!("{}:{}", ENTRY.name, self.alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Poisson;

    #[test]
    fn a_small_alpha_is_poisson() {
        let loss = NegativeBinomial::with_alpha(1e-11).unwrap();
        for (eta, y) in [(0.3, 2.0), (-1.0, 0.0), (2.5, 40.0)] {
            let deviance = Poisson.deviance(eta, y).unwrap();
            assert!((loss.deviance(eta, y).unwrap() / deviance - 1.0).abs() < 1e-6);
            assert!((loss.slope(eta, y) - Poisson.slope(eta, y)).abs() < 1e-6);
            assert!((loss.curvature(eta, y) - Poisson.curvature(eta, y)).abs() < 1e-6);
        }
    }

    #[test]
    fn far_out_it_is_straight() {
        let loss = NegativeBinomial::with_alpha(0.5).unwrap();
        assert!((loss.slope(1e5, 3.0) - 2.0).abs() < 1e-12 && (loss.slope(-1e5, 3.0) + 3.0).abs() < 1e-12);
        let (far, farther) = (loss.value(1e300, 1e70), loss.value(-1e300, 1e70));
        assert!((far / 2e300 - 1.0).abs() < 1e-12 && farther == f64::INFINITY);
        assert!(NegativeBinomial::with_alpha(0.0).is_err() && NegativeBinomial::with_alpha(f64::NAN).is_err());
    }
}
