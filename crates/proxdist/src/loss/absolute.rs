//! The absolute residual $\ell(\eta; y) = |y - \eta|$, so that F is the mean absolute error. It is twice `quantile:0.5`, and its best constant is the median; the factor
//! matters beside a ridge term only.

use super::catalogue::Form;
use super::{Kink, Kinked, Link, Loss, LossEntry, Task};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "absolute",
    definition: "|y - eta|, twice quantile:0.5",
    formula: "|y − η|",
    task: Task::Regression,
    link: Link::Identity,
    form: Form::Plain(|| Box::new(Absolute)),
};

/// The absolute residual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Absolute;

impl Kinked for Absolute {
    fn kink(&self, response: f64) -> Kink {
        Kink { at: response, below: -1.0, above: 1.0 }
    }
}

impl Loss for Absolute {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        (response - predictor).abs()
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        self.kink(response).slope(predictor)
    }
    fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
        0.0
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn kinked(&self) -> Option<&dyn Kinked> {
        Some(self)
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
}
