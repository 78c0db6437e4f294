//! Newton's method over a set, one reading of all rows a step.
//!
//! A reading gives F, its gradient and all second derivatives at $\theta_t$. The quadratic model is minimised over the set exactly (`pseudo.rs`), which is the next
//! point; if F is higher there, the model is bent upwards, first by parabolas above the loss where it has them, then by a share of its diagonal, and minimised again.
//! A quadratic F is its own model: its second derivatives are read once, and say what F is at the minimiser, too, as long as rounding allows (`elsewhere.rs`).

use super::driver::{Driver, Place};
use super::request::Second;
use crate::constraint::Structure;
use crate::error::{Error, Result};

/// Readings at most.
const MOST: usize = 40;
/// Stationarity at which there is nothing left to do, and the same on sets of low rank.
const GOAL: f64 = 2e-11;
const GOAL_RANK: f64 = 1e-9;
/// Relative rise of F that is rounding.
const ROUNDING: f64 = 1e-13;
/// Relative fall of F that is progress.
const FALL: f64 = 1e-9;
/// Stationarity below which values of F no longer tell which of two points is better.
const FINE: f64 = 1e-6;
/// Rounds without progress at the end.
const PATIENCE: usize = 2;

impl Driver<'_, '_> {
    /// The optimum near a feasible point, and how it went: the last place is the best that was looked at.
    pub(super) fn newton(&mut self, start: Vec<f64>) -> Result<Place> {
        let is_quadratic = self.loss.is_quadratic();
        let what = "the second derivatives of all pairs of columns";
        self.allow(what, self.bytes_of_all(), "fewer columns, or a limit on the number of features")?;
        let Some(mut at) = self.look(start.clone(), Second::All, 0.0)? else { return self.last_look(start) };
        let is_misled = !at.value().is_finite() || at.value() > 2.0 * self.at_zero().abs();
        if is_misled && !is_quadratic {
            // The sample has misled, as it may where it separates two classes.
            let zero = self.feasible_zero()?;
            match self.look(zero, Second::All, 0.0)? {
                Some(other) if other.value() < at.value() || !at.value().is_finite() => at = other,
                Some(_) => {}
                None => return Ok(at),
            }
        }
        if !at.value().is_finite() {
            return Err(Error::Overflows { objective: at.value() });
        }
        let goal = if matches!(self.constraint.structure(), Structure::Rank { .. }) { GOAL_RANK } else { GOAL };
        let mut residual = self.stationarity(&at)?;
        let (mut damping, mut caution, mut idle) = (0.0, 0.0, 0);
        for _ in 0..MOST {
            if residual <= goal || idle >= PATIENCE || self.reader.is_over() {
                break;
            }
            let pseudo = self.model(&at, damping)?;
            let coefficients = self.finish_on(&pseudo, &at)?.theta;
            let theta = pseudo.completed(&self.frame, &coefficients);
            if theta == at.theta {
                break;
            }
            let next = if is_quadratic {
                self.elsewhere(&mut at, None, theta)?
            } else {
                self.look(theta, Second::All, caution)?
            };
            let Some(mut next) = next else { break };
            let is_finite = next.value().is_finite();
            let after = if is_finite { self.stationarity(&next)? } else { f64::INFINITY };
            let is_lower = next.value() <= at.value() + ROUNDING * at.value().abs();
            if is_finite && (is_lower && (residual > FINE || after < residual) || residual <= FINE && after < residual)
            {
                let has_fallen = at.value() - next.value() > FALL * at.value().abs();
                idle = if after <= 0.5 * residual || has_fallen { 0 } else { idle + 1 };
                (at, residual) = (next, after);
                (damping, caution) = (damping / 8.0, 0.0);
                damping = if damping < 1e-4 { 0.0 } else { damping };
                continue;
            }
            if is_quadratic {
                at.bent = std::mem::take(&mut next.bent);
            }
            if residual <= FINE {
                // Only rounding is left.
                break;
            }
            if caution == 0.0 && damping == 0.0 && self.loss.has_straight_pieces() {
                caution = 1.0;
                let Some(again) = self.look(at.theta.clone(), Second::All, caution)? else { break };
                at = again;
            } else {
                damping = (4.0 * damping).max(0.25);
            }
            idle = 0;
        }
        Ok(at)
    }
}
