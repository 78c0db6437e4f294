//! Losses of one observation as functions of its linear predictor $\eta = x^T\theta + \beta_0 + o$, one file each.
//!
//! Everything the methods need of a loss are its value and two derivatives in $\eta$; all losses here are convex.

mod huber;
mod logistic;
mod poisson;
mod squared;
mod squared_hinge;
mod sum;

pub use huber::Huber;
pub use logistic::Logistic;
pub use poisson::Poisson;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;
pub use sum::Sum;

use crate::error::{Error, Result};
use std::ops::Deref;

/// A convex loss $\ell(\eta; y)$. A loss of your own is one `impl` of the first three methods.
///
/// The methods over slices have loops as defaults; they are compiled once for each loss, so the inner calls cost nothing.
pub trait Loss: Send + Sync {
    /// $\ell(\eta; y)$; infinite where it is too large for a number, never NaN.
    fn value(&self, predictor: f64, response: f64) -> f64;

    /// $\partial\ell/\partial\eta$
    fn slope(&self, predictor: f64, response: f64) -> f64;

    /// $\partial^2\ell/\partial\eta^2$, or a nonnegative generalised second derivative.
    fn curvature(&self, predictor: f64, response: f64) -> f64;

    /// A number that the loss of this response is never below, whatever the predictor.
    fn infimum(&self, response: f64) -> f64 {
        let _ = response;
        f64::NEG_INFINITY
    }

    /// The smallest known upper bound of the curvature over all $\eta$, if there is one.
    fn curvature_bound(&self) -> Option<f64> {
        None
    }

    /// A lower bound of the curvature over all predictors within `radius` of $\eta$: a number $m \ge 0$ with
    /// $$\ell(\eta_2; y) \ge \ell(\eta_1; y) + \ell'(\eta_1; y)(\eta_2 - \eta_1) + \tfrac m2(\eta_2 - \eta_1)^2$$
    /// whenever $|\eta_1 - \eta|$ and $|\eta_2 - \eta|$ are at most the radius. Proofs rest on it, so it must never be too large; zero always is
    /// right, and is the answer of losses that do not say.
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        let _ = (predictor, response, radius);
        0.0
    }

    /// Whether the second derivative vanishes on whole intervals, where it says nothing about the size of steps.
    fn has_straight_pieces(&self) -> bool {
        false
    }

    /// The curvature of a parabola that touches the loss at $\eta$ and is not below it up to the least value of the loss; nowhere, if the curvature is bounded. For losses that are
    /// nearly straight somewhere, where the second derivative is silent about how far a step may go; `None` for the others.
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let _ = (predictor, response);
        None
    }

    /// Whether the loss has a slope everywhere; a loss with a corner, such as $|y - \eta|$, must say that it has not.
    fn is_differentiable(&self) -> bool {
        true
    }

    /// Whether the curvature is the same everywhere, so that one Newton step is exact.
    fn is_quadratic(&self) -> bool {
        false
    }

    /// `Err` with the rule in words if the loss is not defined for this response.
    fn check_response(&self, response: f64) -> std::result::Result<(), &'static str> {
        let _ = response;
        Ok(())
    }

    /// The mean response that a linear predictor stands for: a probability for logistic, a rate for Poisson.
    fn mean(&self, predictor: f64) -> f64 {
        predictor
    }

    /// The loss in the grammar of [`parse`], such as `huber:2`; losses outside the grammar name themselves.
    fn spec(&self) -> String {
        "custom".to_owned()
    }

    /// $\sum_i v_i \ell(\eta_i; y_i)$
    fn weighted_value(&self, predictors: &[f64], responses: &[f64], weights: &[f64]) -> f64 {
        let terms = predictors.iter().zip(responses).zip(weights);
        terms.map(|((&eta, &y), &v)| if v == 0.0 { 0.0 } else { v * self.value(eta, y) }).sum()
    }

    /// $v_i \ell'(\eta_i; y_i)$ into `out`.
    fn weighted_slopes(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            // A row without weight counts for nothing, even where its slope is infinite.
            *out = if weights[i] == 0.0 { 0.0 } else { weights[i] * self.slope(predictors[i], responses[i]) };
        }
    }

    /// $v_i \ell''(\eta_i; y_i)$ into `out`.
    fn weighted_curvatures(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = if weights[i] == 0.0 { 0.0 } else { weights[i] * self.curvature(predictors[i], responses[i]) };
        }
    }
}

/// Boxes, references and other pointers to a loss are losses.
impl<P: Deref<Target: Loss> + Send + Sync> Loss for P {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        (**self).value(predictor, response)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        (**self).slope(predictor, response)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        (**self).curvature(predictor, response)
    }
    fn infimum(&self, response: f64) -> f64 {
        (**self).infimum(response)
    }
    fn curvature_bound(&self) -> Option<f64> {
        (**self).curvature_bound()
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        (**self).least_curvature(predictor, response, radius)
    }
    fn has_straight_pieces(&self) -> bool {
        (**self).has_straight_pieces()
    }
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        (**self).majorant_curvature(predictor, response)
    }
    fn is_differentiable(&self) -> bool {
        (**self).is_differentiable()
    }
    fn is_quadratic(&self) -> bool {
        (**self).is_quadratic()
    }
    fn check_response(&self, response: f64) -> std::result::Result<(), &'static str> {
        (**self).check_response(response)
    }
    fn mean(&self, predictor: f64) -> f64 {
        (**self).mean(predictor)
    }
    fn spec(&self) -> String {
        (**self).spec()
    }
    fn weighted_value(&self, predictors: &[f64], responses: &[f64], weights: &[f64]) -> f64 {
        (**self).weighted_value(predictors, responses, weights)
    }
    fn weighted_slopes(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        (**self).weighted_slopes(predictors, responses, weights, out);
    }
    fn weighted_curvatures(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        (**self).weighted_curvatures(predictors, responses, weights, out);
    }
}

/// One line of the catalogue of losses.
#[derive(Clone, Copy, Debug)]
pub struct LossEntry {
    /// How it is written.
    pub syntax: &'static str,
    /// What it is.
    pub definition: &'static str,
    /// Which responses it takes.
    pub responses: &'static str,
}

/// Every loss of the library.
pub fn catalogue() -> &'static [LossEntry] {
    &[
        LossEntry { syntax: "squared", definition: "(y - eta)^2 / 2", responses: "any number" },
        LossEntry { syntax: "logistic", definition: "log(1 + exp(eta)) - y eta", responses: "0 or 1" },
        LossEntry {
            syntax: "huber:DELTA",
            definition: "r^2 / 2 if |r| <= DELTA, else DELTA (|r| - DELTA / 2), with r = y - eta",
            responses: "any number",
        },
        LossEntry { syntax: "poisson", definition: "exp(eta) - y eta", responses: "zero or positive" },
        LossEntry {
            syntax: "squared-hinge",
            definition: "max(0, 1 - t eta)^2 / 2, with t = -1 for y = 0 and t = 1 for y = 1",
            responses: "0 or 1",
        },
    ]
}

/// Reads `squared`, `logistic`, `huber:2`, `poisson` or `squared-hinge`, or a sum of them such as `squared + huber:2`; plain
/// `huber` has δ = 1.345.
pub fn parse(text: &str) -> Result<Box<dyn Loss>> {
    if let Some((first, rest)) = text.split_once(" + ") {
        return Ok(Box::new(Sum(parse(first)?, parse(rest)?)));
    }
    let trimmed = text.trim();
    let (name, argument) =
        trimmed.split_once(':').map_or((trimmed, None), |(name, rest)| (name.trim(), Some(rest.trim())));
    let fail = |at: &str, reason: String| {
        let before = text.find(at).map_or(0, |byte| text[..byte].chars().count());
        Err(Error::Spec { text: text.to_owned(), at: at.to_owned(), position: before + 1, reason })
    };
    if let (Some(argument), false) = (argument, name == "huber") {
        return fail(argument, format!("the {name} loss takes no argument"));
    }
    match (name, argument) {
        ("squared", _) => Ok(Box::new(Squared)),
        ("logistic", _) => Ok(Box::new(Logistic)),
        ("poisson", _) => Ok(Box::new(Poisson)),
        ("squared-hinge", _) => Ok(Box::new(SquaredHinge)),
        ("huber", None) => Ok(Box::new(Huber::with_delta(Huber::USUAL_DELTA)?)),
        ("huber", Some(delta)) => match delta.parse::<f64>() {
            Ok(delta) => Ok(Box::new(Huber::with_delta(delta)?)),
            Err(_) => fail(delta, "expected a number, as in huber:2".to_owned()),
        },
        _ => {
            let known: Vec<&str> = catalogue().iter().map(|entry| entry.syntax).collect();
            fail(name, format!("no such loss; the losses are {}", known.join(", ")))
        }
    }
}

/// The least curvature within `radius` of a predictor, for losses whose curvature rises to a peak and falls again, if at all: it is at one
/// end. The ends are rounded outwards.
fn curvature_at_ends(loss: &impl Loss, predictor: f64, response: f64, radius: f64) -> f64 {
    let (low, high) = ((predictor - radius).next_down(), (predictor + radius).next_up());
    let least = loss.curvature(low, response).min(loss.curvature(high, response));
    // Where an end is not a number, nothing is known.
    if low <= high { least } else { 0.0 }
}

/// A curvature made of `exp`, rounded down by more than `exp` may be wrong.
const ROUNDED_DOWN: f64 = 1.0 - 8.0 * f64::EPSILON;

/// The rule of the two losses for classes.
fn check_label(response: f64) -> std::result::Result<(), &'static str> {
    if response == 0.0 || response == 1.0 { Ok(()) } else { Err("labels 0 or 1") }
}
