//! Logistic loss $\ell(\eta; y) = \log(1 + e^\eta) - y\eta$ for $y \in \{0, 1\}$, the negative log-likelihood of a Bernoulli
//! response. All three formulas only ever take `exp` of a negative number, so they hold for every finite $\eta$.

use super::catalogue::Form;
use super::tails::{BLOCK, log_above_one, tail};
use super::{Family, Link, Loss, LossEntry, ROUNDED_DOWN, Task, chord_at_ends, curvature_at_ends};
use crate::linalg::wide;

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
        term(predictor, response, 1.0, tail(predictor))
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
    fn weighted_value(&self, predictors: &[f64], responses: &[f64], weights: &[f64]) -> f64 {
        let mut work = [0.0; BLOCK];
        let mut total = 0.0;
        for ((predictors, responses), weights) in
            predictors.chunks(BLOCK).zip(responses.chunks(BLOCK)).zip(weights.chunks(BLOCK))
        {
            let work = &mut work[..predictors.len()];
            values(predictors, responses, weights, work);
            total += work.iter().sum::<f64>();
        }
        total
    }
    /// A block of rows at a time, in wide registers (`tails.rs`).
    fn weighted_derivatives(
        &self,
        predictors: &[f64],
        responses: &[f64],
        weights: &[f64],
        [slopes, curvatures]: [&mut [f64]; 2],
    ) -> f64 {
        let mut work = [0.0; BLOCK];
        let mut total = 0.0;
        let rows = predictors.chunks(BLOCK).zip(responses.chunks(BLOCK)).zip(weights.chunks(BLOCK));
        for (((predictors, responses), weights), out) in
            rows.zip(slopes.chunks_mut(BLOCK).zip(curvatures.chunks_mut(BLOCK)))
        {
            let work = &mut work[..predictors.len()];
            derivatives(predictors, responses, weights, (work, out.0, out.1));
            total += work.iter().sum::<f64>();
        }
        total
    }
}

/// What a row adds to F, for its tail $e^{-|\eta|}$. Rows without weight add nothing, whatever they predict.
#[inline(always)]
#[allow(clippy::inline_always)] // what is not inlined is not compiled for wide registers
fn term(eta: f64, response: f64, weight: f64, tail: f64) -> f64 {
    // log(1 + e^η) = max(η, 0) + log(1 + e^−|η|); the linear part is joined first so that nothing cancels.
    let share = if eta >= 0.0 { 1.0 - response } else { -response };
    let linear = if share == 0.0 { 0.0 } else { share * eta };
    if weight == 0.0 { 0.0 } else { weight * (linear + log_above_one(tail)) }
}

/// What each row of a block adds to F.
fn values(predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
    wide(
        #[inline(always)]
        || {
            for (((&eta, &response), &weight), out) in predictors.iter().zip(responses).zip(weights).zip(out) {
                *out = term(eta, response, weight, tail(eta));
            }
        },
    );
}

/// The same with weighted slopes and curvatures.
fn derivatives(predictors: &[f64], responses: &[f64], weights: &[f64], out: (&mut [f64], &mut [f64], &mut [f64])) {
    wide(
        #[inline(always)]
        || {
            let rows = predictors.iter().zip(responses).zip(weights);
            for (((&eta, &response), &weight), ((value, slope), curvature)) in
                rows.zip(out.0.iter_mut().zip(out.1).zip(out.2))
            {
                let tail = tail(eta);
                let larger = 1.0 / (1.0 + tail);
                let smaller = tail * larger;
                let (upper, lower) = if eta >= 0.0 { (larger, smaller) } else { (smaller, larger) };
                // The probability minus the response, without cancellation for the labels.
                let away = if response == 1.0 { -lower } else { upper - response };
                *slope = if weight == 0.0 { 0.0 } else { weight * away };
                *curvature = if weight == 0.0 { 0.0 } else { weight * upper * lower };
                *value = term(eta, response, weight, tail);
            }
        },
    );
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
