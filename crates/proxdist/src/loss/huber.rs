//! Huber's loss of the residual $r = y - \eta$:
//! $$\ell(\eta; y) = \tfrac12 r^2 \text{ if } |r| \le \delta, \qquad \delta(|r| - \tfrac12\delta) \text{ otherwise.}$$
//! Quadratic near zero, linear in the tails, so that outliers pull with bounded force. The generalised second derivative is
//! $1\{|r| \le \delta\}$, which makes the Newton steps of a prox semismooth.

use super::catalogue::Form;
use super::{Link, Loss, LossEntry, Task, chord_at_ends, curvature_at_ends};
use crate::error::{Error, Result};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "huber",
    definition: "r^2 / 2 if |r| <= DELTA, else DELTA (|r| - DELTA / 2), with r = y - eta",
    formula: "½ r^2 where |r| ≤ δ, else δ(|r| − ½δ),\u{2002}r = y − η",
    task: Task::Regression,
    link: Link::Identity,
    form: Form::WithNumber {
        parameter: "DELTA",
        usual: Huber::USUAL_DELTA,
        make: |delta| Ok(Box::new(Huber::with_delta(delta)?)),
    },
};

/// Squared loss with linear tails beyond `delta`.
#[derive(Clone, Copy, Debug)]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// The δ that loses 5 % efficiency under normal errors of unit variance.
    pub const USUAL_DELTA: f64 = 1.345;

    /// The loss that turns linear at residuals of size `delta > 0`.
    pub fn with_delta(delta: f64) -> Result<Self> {
        if delta > 0.0 && delta.is_finite() {
            Ok(Self { delta })
        } else {
            Err(Error::LossParameter { loss: &ENTRY, rule: "positive and finite", value: delta })
        }
    }
}

impl Loss for Huber {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let size = (response - predictor).abs();
        if size <= self.delta { 0.5 * size * size } else { self.delta * (size - 0.5 * self.delta) }
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        (predictor - response).clamp(-self.delta, self.delta)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        f64::from(u8::from((response - predictor).abs() <= self.delta))
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(1.0)
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        curvature_at_ends(self, predictor, response, radius)
    }
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        chord_at_ends(self, predictor, response, between)
    }
    fn has_straight_pieces(&self) -> bool {
        true
    }
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        // The parabola with its minimum at η = y, as in iteratively reweighted least squares.
        Some((self.delta / (response - predictor).abs()).min(1.0))
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn spec(&self) -> String {
        format!("{}:{}", ENTRY.name, self.delta)
    }
}
