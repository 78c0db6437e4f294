//! Losses of one observation as functions of its linear predictor $\eta = x^T\theta + \beta_0 + o$, one file each.
//!
//! Everything the methods need of a loss are its value and two derivatives in $\eta$, or where it is two straight lines what those are (`kink.rs`); all losses here are convex. What it is about, a
//! [`Task`] and a [`Link`], decides which responses are allowed, what a prediction means and what is measured. The losses with a name
//! are listed in `catalogue.rs`.

mod absolute;
mod catalogue;
mod chord;
mod family;
mod gamma;
mod hinge;
mod huber;
mod kink;
mod kink_fault;
mod laws;
mod logistic;
mod negative_binomial;
mod poisson;
mod quantile;
mod row;
mod smoothed;
mod spec;
mod squared;
mod squared_hinge;
mod sum;
mod tails;
mod task;
mod tweedie;

pub use absolute::Absolute;
pub use catalogue::{LossEntry, catalogue, parse};
pub use family::Family;
pub use gamma::Gamma;
pub use hinge::Hinge;
pub use huber::Huber;
pub use kink::{Kink, Kinked};
pub use kink_fault::KinkFault;
pub use laws::{BrokenLaw, check_derivatives};
pub use logistic::Logistic;
pub use negative_binomial::NegativeBinomial;
pub use poisson::Poisson;
pub use quantile::Quantile;
pub use row::RowLoss;
pub(crate) use smoothed::Smoothed;
pub use spec::LossSpec;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;
pub use sum::Sum;
pub use task::{Link, Task};
pub use tweedie::Tweedie;

use chord::chord_at_ends;

use crate::error::{Error, Result};
use std::ops::Deref;

/// A convex loss $\ell(\eta; y)$. A loss of your own is one `impl` of the first three methods, and of [`Loss::task`] unless it is
/// about numbers.
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

    /// A lower bound of the curvature as seen from one predictor $a$: a number $m \ge 0$ with
    /// $$\ell(\eta; y) \ge \ell(a; y) + \ell'(a; y)(\eta - a) + \tfrac m2(\eta - a)^2$$
    /// for all $\eta$ between `low` and `high`. Proofs rest on it; it may be larger than [`Loss::least_curvature`] there.
    fn least_chord(&self, predictor: f64, response: f64, (low, high): (f64, f64)) -> f64 {
        self.least_curvature(predictor, response, (high - predictor).max(predictor - low).next_up())
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
        self.kinked().is_none()
    }

    /// The loss as two straight lines for every response, if that is what it is. Then it is fitted by methods that need no second derivative.
    fn kinked(&self) -> Option<&dyn Kinked> {
        None
    }

    /// Whether the curvature is the same everywhere, so that one Newton step is exact.
    fn is_quadratic(&self) -> bool {
        false
    }

    /// Its entry in the catalogue, if it has one.
    fn entry(&self) -> Option<&'static LossEntry> {
        None
    }

    /// What it explains: numbers, unless it says otherwise.
    fn task(&self) -> Task {
        self.entry().map_or(Task::Regression, |entry| entry.task)
    }

    /// What its linear predictor means: the number itself for regression, its exponential for counts; of two classes it is a margin unless
    /// the loss says that there are probabilities.
    fn link(&self) -> Link {
        self.entry().map_or_else(|| self.task().usual_link(), |entry| entry.link)
    }

    /// The mean response that a linear predictor stands for: a probability for logistic, a rate for Poisson. Only a loss with
    /// [`Link::Own`] needs to give it.
    fn mean(&self, predictor: f64) -> f64 {
        self.link().mean(predictor)
    }

    /// Whether [`Loss::mean`] is the probability of the label 1.
    fn has_probabilities(&self) -> bool {
        self.task() == Task::TwoClasses && matches!(self.link(), Link::Logit | Link::Own)
    }

    /// `Err` with the rule in words if the loss is not defined for this response; the rule is that of the task unless the loss has one of its own.
    fn check_response(&self, response: f64) -> std::result::Result<(), &'static str> {
        self.task().check_response(response)
    }

    /// The deviance $2(\ell(\eta; y) - \inf_t \ell(t; y))$ of an observation, if the loss is a negative log-likelihood: twice the log of how much likelier the response is
    /// under a model that fits it perfectly. `None` for other losses.
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        let _ = (predictor, response);
        None
    }

    /// The distribution that the loss is a likelihood of; `None` for losses that are none.
    fn family(&self) -> Option<Family> {
        None
    }

    /// The loss in the grammar of [`parse`], such as `huber:2`; losses outside the grammar name themselves.
    fn spec(&self) -> String {
        self.entry().map_or("custom", |entry| entry.name).to_owned()
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

    /// The three together, for methods that need all of them at once: slopes and curvatures into the two slices of `out`, the value returned. It is that of
    /// [`Loss::weighted_value`] up to rounding.
    fn weighted_derivatives(
        &self,
        predictors: &[f64],
        responses: &[f64],
        weights: &[f64],
        out: [&mut [f64]; 2],
    ) -> f64 {
        let [slopes, curvatures] = out;
        self.weighted_slopes(predictors, responses, weights, slopes);
        self.weighted_curvatures(predictors, responses, weights, curvatures);
        self.weighted_value(predictors, responses, weights)
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
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        (**self).least_chord(predictor, response, between)
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
    fn kinked(&self) -> Option<&dyn Kinked> {
        (**self).kinked()
    }
    fn is_quadratic(&self) -> bool {
        (**self).is_quadratic()
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        (**self).entry()
    }
    fn task(&self) -> Task {
        (**self).task()
    }
    fn link(&self) -> Link {
        (**self).link()
    }
    fn mean(&self, predictor: f64) -> f64 {
        (**self).mean(predictor)
    }
    fn has_probabilities(&self) -> bool {
        (**self).has_probabilities()
    }
    fn check_response(&self, response: f64) -> std::result::Result<(), &'static str> {
        (**self).check_response(response)
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        (**self).deviance(predictor, response)
    }
    fn family(&self) -> Option<Family> {
        (**self).family()
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
    fn weighted_derivatives(
        &self,
        predictors: &[f64],
        responses: &[f64],
        weights: &[f64],
        out: [&mut [f64]; 2],
    ) -> f64 {
        (**self).weighted_derivatives(predictors, responses, weights, out)
    }
}

/// Refuses the first response that the loss is not defined for.
pub(crate) fn check_responses(loss: &dyn Loss, responses: &[f64]) -> Result<()> {
    for (row, &value) in responses.iter().enumerate() {
        if let Err(rule) = loss.check_response(value) {
            return Err(Error::Response { loss: loss.spec(), task: loss.task(), row, value, rule });
        }
    }
    Ok(())
}

/// The least curvature within `radius` of a predictor, for losses whose curvature rises to a peak and falls again, if at all: it is at one
/// end. The ends are rounded outwards.
fn curvature_at_ends(loss: &impl Loss, predictor: f64, response: f64, radius: f64) -> f64 {
    let (low, high) = ((predictor - radius).next_down(), (predictor + radius).next_up());
    let least = loss.curvature(low, response).min(loss.curvature(high, response));
    // Where an end is not a number, nothing is known.
    if low <= high { least } else { 0.0 }
}

/// A curvature made of exponential functions, rounded down by more than they may be wrong where their exponents are sums of numbers that are together of this size.
fn rounded_down(curvature: f64, exponent: f64) -> f64 {
    let share = 1.0 - f64::EPSILON * (16.0 + 4.0 * exponent);
    if share > 0.0 && curvature < f64::INFINITY { share * curvature } else { 0.0 }
}

/// A curvature made of `exp`, rounded down by more than `exp` may be wrong.
const ROUNDED_DOWN: f64 = 1.0 - 8.0 * f64::EPSILON;
