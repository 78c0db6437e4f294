//! Logistic loss $\ell(\eta; y) = \log(1 + e^\eta) - y\eta$ for $y \in \{0, 1\}$, the negative log-likelihood of a Bernoulli
//! response. All three formulas only ever take `exp` of a negative number, so they hold for every finite $\eta$.

use super::catalogue::Form;
use super::{Link, Loss, LossEntry, ROUNDED_DOWN, Task, curvature_at_ends};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "logistic",
    definition: "log(1 + exp(eta)) - y eta",
    formula: "log(1 + e^η) − yη,\u{2002}y ∈ {0, 1}",
    task: Task::TwoClasses,
    link: Link::Logit,
    form: Form::Plain(|| Box::new(Logistic)),
};

/// Negative Bernoulli log-likelihood with the logit link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logistic;

/// $1 / (1 + e^{-\eta})$
pub(super) fn sigmoid(predictor: f64) -> f64 {
    let tail = (-predictor.abs()).exp();
    if predictor >= 0.0 { 1.0 / (1.0 + tail) } else { tail / (1.0 + tail) }
}

impl Loss for Logistic {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        // log(1 + e^η) = max(η, 0) + log1p(e^−|η|); the linear part is joined first so that nothing cancels.
        let share = if predictor >= 0.0 { 1.0 - response } else { -response };
        let linear = if share == 0.0 { 0.0 } else { share * predictor };
        linear + (-predictor.abs()).exp().ln_1p()
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        // For y = 1 this is σ(η) − 1 = −σ(−η), without cancellation.
        if response == 1.0 { -sigmoid(-predictor) } else { sigmoid(predictor) - response }
    }
    fn curvature(&self, predictor: f64, _response: f64) -> f64 {
        let tail = (-predictor.abs()).exp();
        tail / ((1.0 + tail) * (1.0 + tail))
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(0.25)
    }
    /// $\log(1 + e^\eta) - \eta/2$ is concave in $\eta^2$, so the parabola in $\eta^2$ that touches it lies above (Jaakkola and Jordan 2000).
    fn majorant_curvature(&self, predictor: f64, _response: f64) -> Option<f64> {
        let size = predictor.abs();
        Some(if size < 1e-4 { 0.25 } else { (0.5 * size).tanh() / (2.0 * size) })
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        ROUNDED_DOWN * curvature_at_ends(self, predictor, response, radius)
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_predictors_keep_their_precision() {
        assert_eq!(Logistic.value(800.0, 1.0), 0.0);
        assert_eq!(Logistic.value(800.0, 0.0), 800.0);
        assert_eq!(Logistic.value(-800.0, 1.0), 800.0);
        assert!((Logistic.slope(40.0, 1.0) / -(-40.0_f64).exp() - 1.0).abs() < 1e-12);
        assert!((Logistic.value(40.0, 1.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-12);
        assert!(Logistic.curvature(-40.0, 0.0) > 0.0);
    }
}
