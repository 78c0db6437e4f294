//! From log odds to points and back.
//!
//! With odds $o$ of the label that points count for, $$\text{score} = P + \frac{d}{\log 2}\log\frac{o}{o_0} = \text{offset} + \text{factor}\cdot\log o,$$ so that a score of $P$ stands for the odds $o_0$, and $d$ more points
//! for twice the odds. Where points count for the negative label, the factor of the model's log odds $\eta$ is negative.

use super::ScorecardFault;
use serde::Serialize;

/// What points mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scale {
    /// The score of these odds.
    pub points: f64,
    /// Points that double the odds.
    pub pdo: f64,
    /// The odds of that score.
    pub odds: f64,
    /// Whether more points mean higher odds of the negative label.
    pub of_negative: bool,
}

impl Default for Scale {
    fn default() -> Self {
        Self { points: 600.0, pdo: 20.0, odds: 50.0, of_negative: false }
    }
}

impl Scale {
    /// Points for each unit of the model's log odds.
    pub fn factor(&self) -> f64 {
        let factor = self.pdo / std::f64::consts::LN_2;
        if self.of_negative { -factor } else { factor }
    }

    /// The score of even odds.
    pub fn offset(&self) -> f64 {
        self.points - self.pdo * self.odds.log2()
    }

    /// The score that a linear predictor stands for.
    pub fn score(&self, log_odds: f64) -> f64 {
        self.offset() + self.factor() * log_odds
    }

    /// The linear predictor that a score stands for.
    pub fn log_odds(&self, score: f64) -> f64 {
        (score - self.offset()) / self.factor()
    }

    pub(super) fn check(&self) -> Result<(), ScorecardFault> {
        let positive = |what, value: f64| {
            let is_right = value > 0.0 && value.is_finite();
            if is_right { Ok(()) } else { Err(ScorecardFault::Scale { what, rule: "positive and finite", value }) }
        };
        positive("pdo", self.pdo)?;
        positive("odds", self.odds)?;
        if !self.points.is_finite() {
            return Err(ScorecardFault::Scale { what: "points", rule: "finite", value: self.points });
        }
        Ok(())
    }
}
