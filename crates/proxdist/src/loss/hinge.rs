//! The hinge $\ell(\eta; y) = \max(0, 1 - t\eta)$ with $t = 2y - 1$ for labels $y \in \{0, 1\}$: the support vector classifier. Rows on the right side of their margin cost
//! nothing. With the ridge term $(\lambda/2)\|\theta\|^2$ it is the usual soft margin with $C = 1/(n\lambda)$; the predictor is a margin, not a probability.

use super::catalogue::Form;
use super::{Kink, Kinked, Link, Loss, LossEntry, Task};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "hinge",
    definition: "max(0, 1 - t eta), with t = -1 for y = 0 and t = 1 for y = 1",
    formula: "max(0, 1 − tη),\u{2002}t = 2y − 1 ∈ {−1, 1}",
    task: Task::TwoClasses,
    link: Link::Margin,
    form: Form::Plain(|| Box::new(Hinge)),
};

/// The shortfall of the margin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hinge;

impl Kinked for Hinge {
    fn kink(&self, response: f64) -> Kink {
        if response > 0.5 {
            Kink { at: 1.0, below: -1.0, above: 0.0 }
        } else {
            Kink { at: -1.0, below: 0.0, above: 1.0 }
        }
    }
}

impl Loss for Hinge {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        self.kink(response).value(predictor)
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
