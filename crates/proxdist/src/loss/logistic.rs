//! Logistic loss $\ell(\eta; y) = \log(1 + e^\eta) - y\eta$ for $y \in \{0, 1\}$, the negative log-likelihood of a Bernoulli
//! response. All three formulas only ever take `exp` of a negative number, so they hold for every finite $\eta$.

use super::catalogue::Form;
use super::{Family, Link, Loss, LossEntry, ROUNDED_DOWN, Task, chord_at_ends, curvature_at_ends};

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

/// $e^{-|\eta|}$ below which a row has a logarithm of its own.
const SMALL: f64 = 0.1;

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
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        chord_at_ends(self, predictor, response, between)
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::Binomial)
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
    /// One `exp` for each row; and one logarithm for many rows of equal weight, of the product of their $1 + e^{-|\eta|}$. Terms that are small beside the 1
    /// have a logarithm each, so that a fit that is nearly perfect keeps all digits of its F.
    fn weighted_derivatives(
        &self,
        predictors: &[f64],
        responses: &[f64],
        weights: &[f64],
        out: [&mut [f64]; 2],
    ) -> f64 {
        let [slopes, curvatures] = out;
        let (mut total, mut product, mut shared) = (0.0, 1.0_f64, 0.0);
        for (i, (&eta, &weight)) in predictors.iter().zip(weights).enumerate() {
            let response = responses[i];
            if weight == 0.0 {
                (slopes[i], curvatures[i]) = (0.0, 0.0);
                continue;
            }
            let tail = (-eta.abs()).exp();
            let larger = 1.0 / (1.0 + tail);
            let (upper, lower) = if eta >= 0.0 { (larger, tail * larger) } else { (tail * larger, larger) };
            // The probability minus the response, without cancellation for the labels.
            slopes[i] = weight * if response == 1.0 { -lower } else { upper - response };
            curvatures[i] = weight * upper * lower;
            let share = if eta >= 0.0 { 1.0 - response } else { -response };
            total += if share == 0.0 { 0.0 } else { weight * share * eta };
            if tail < SMALL {
                total += weight * tail.ln_1p();
                continue;
            }
            if weight != shared || product > 1e200 {
                total += shared * product.ln();
                (product, shared) = (1.0, weight);
            }
            product *= 1.0 + tail;
        }
        total + shared * product.ln()
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

    #[test]
    fn the_three_together_are_the_three_alone() {
        let predictors: Vec<f64> = (0..500).map(|i| 0.05 * f64::from(i - 250)).chain([-800.0, 800.0, 0.0]).collect();
        let responses: Vec<f64> = (0..predictors.len()).map(|i| (i % 2) as f64).collect();
        let weights: Vec<f64> = (0..predictors.len()).map(|i| ((i / 100) as f64 * 0.5).max(0.0)).collect();
        let (mut slopes, mut curvatures) = (vec![0.0; weights.len()], vec![0.0; weights.len()]);
        let value = Logistic.weighted_derivatives(&predictors, &responses, &weights, [&mut slopes, &mut curvatures]);
        let expected = Logistic.weighted_value(&predictors, &responses, &weights);
        assert!((value - expected).abs() < 1e-13 * expected, "{value} {expected}");
        for far in [3.0, 10.0, 30.0, 100.0] {
            // All on the right side: F is nothing but small terms.
            let predictors: Vec<f64> = responses.iter().map(|y| (2.0 * y - 1.0) * far).collect();
            let (out, expected) = (
                [&mut vec![0.0; 503][..], &mut vec![0.0; 503][..]],
                Logistic.weighted_value(&predictors, &responses, &weights),
            );
            let value = Logistic.weighted_derivatives(&predictors, &responses, &weights, out);
            assert!((value - expected).abs() < 1e-13 * expected, "{far}: {value} {expected}");
        }
        for i in 0..weights.len() {
            let (slope, curvature) =
                (Logistic.slope(predictors[i], responses[i]), Logistic.curvature(predictors[i], 0.0));
            assert!((slopes[i] - weights[i] * slope).abs() <= 1e-15 * slopes[i].abs());
            assert!((curvatures[i] - weights[i] * curvature).abs() <= 1e-15 * curvatures[i].abs());
        }
    }
}
