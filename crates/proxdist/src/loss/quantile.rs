//! The check function of the residual $r = y - \eta$, also called pinball loss:
//! $$\ell(\eta; y) = \tau r \text{ if } r \ge 0, \qquad (\tau - 1)r \text{ otherwise.}$$
//! The constant with the least mean loss is the $\tau$-quantile of the response, so a model with this loss predicts that quantile (Koenker and Bassett 1978). It is not
//! smoothed anywhere.

use super::catalogue::Form;
use super::{Kink, Kinked, Link, Loss, LossEntry, Task};
use crate::error::{Error, Result};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "quantile",
    definition: "TAU r if r >= 0, else (TAU - 1) r, with r = y - eta",
    formula: "τr where r ≥ 0, else (τ − 1)r,\u{2002}r = y − η",
    task: Task::Regression,
    link: Link::Identity,
    form: Form::WithNumber { parameter: "TAU", usual: 0.5, make: |level| Ok(Box::new(Quantile::at(level)?)) },
};

/// The loss whose best prediction is a quantile.
#[derive(Clone, Copy, Debug)]
pub struct Quantile {
    level: f64,
}

impl Quantile {
    /// The loss of the quantile at this level, strictly between 0 and 1.
    pub fn at(level: f64) -> Result<Self> {
        if level > 0.0 && level < 1.0 {
            Ok(Self { level })
        } else {
            Err(Error::LossParameter { loss: &ENTRY, rule: "between 0 and 1", value: level })
        }
    }
}

impl Kinked for Quantile {
    fn kink(&self, response: f64) -> Kink {
        Kink { at: response, below: -self.level, above: 1.0 - self.level }
    }
    fn level(&self) -> f64 {
        self.level
    }
}

impl Loss for Quantile {
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
    fn spec(&self) -> String {
        format!("{}:{}", ENTRY.name, self.level)
    }
}
