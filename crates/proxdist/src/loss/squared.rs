//! Squared loss $\ell(\eta; y) = \tfrac12 (y - \eta)^2$: linear regression, and matrix regression when the parameter has a
//! shape. The ½ is kept for matrices too. The curvature is 1, so the first Newton step of a prox is the closed form.

use super::catalogue::Form;
use super::{Family, Link, Loss, LossEntry, Task};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "squared",
    definition: "(y - eta)^2 / 2",
    formula: "½ (y − η)^2",
    task: Task::Regression,
    link: Link::Identity,
    form: Form::Plain(|| Box::new(Squared)),
};

/// Half the squared residual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Squared;

impl Loss for Squared {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        0.5 * (response - predictor) * (response - predictor)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        predictor - response
    }
    fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
        1.0
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(1.0)
    }
    fn least_curvature(&self, _predictor: f64, _response: f64, _radius: f64) -> f64 {
        1.0
    }
    fn is_quadratic(&self) -> bool {
        true
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::Normal)
    }
    /// The squared residual: that of a normal response, without its variance.
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
}
