//! Squared hinge $\ell(\eta; y) = \tfrac12 \max(0, 1 - t\eta)^2$ with $t = 2y - 1$ for labels $y \in \{0, 1\}$: a support vector
//! classifier that is differentiable. The generalised second derivative is $1\{t\eta < 1\}$.

use super::catalogue::Form;
use super::{Link, Loss, LossEntry, Task, chord_at_ends, curvature_at_ends};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "squared-hinge",
    definition: "max(0, 1 - t eta)^2 / 2, with t = -1 for y = 0 and t = 1 for y = 1",
    formula: "½ max(0, 1 − tη)^2,\u{2002}t = 2y − 1 ∈ {−1, 1}",
    task: Task::TwoClasses,
    link: Link::Margin,
    form: Form::Plain(|| Box::new(SquaredHinge)),
};

/// Half the squared shortfall of the margin.
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let shortfall = (1.0 - (2.0 * response - 1.0) * predictor).max(0.0);
        0.5 * shortfall * shortfall
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        let sign = 2.0 * response - 1.0;
        -sign * (1.0 - sign * predictor).max(0.0)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        f64::from(u8::from((2.0 * response - 1.0) * predictor < 1.0))
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(1.0)
    }
    fn has_straight_pieces(&self) -> bool {
        true
    }
    fn majorant_curvature(&self, _predictor: f64, _response: f64) -> Option<f64> {
        Some(1.0)
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        curvature_at_ends(self, predictor, response, radius)
    }
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        chord_at_ends(self, predictor, response, between)
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
}
