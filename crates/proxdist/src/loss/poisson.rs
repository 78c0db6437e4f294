//! Poisson loss with the log link, $\ell(\eta; y) = e^\eta - y\eta$ for $y \ge 0$: the negative log-likelihood of a count
//! without its constant. Its curvature $e^\eta$ has no bound, so where $e^\eta$ overflows a fit ends with a named error.

use super::catalogue::Form;
use super::{Family, Link, Loss, LossEntry, ROUNDED_DOWN, Task, chord_at_ends, curvature_at_ends};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "poisson",
    definition: "exp(eta) - y eta",
    formula: "e^η − yη,\u{2002}y ≥ 0",
    task: Task::Counts,
    link: Link::Log,
    form: Form::Plain(|| Box::new(Poisson)),
};

/// Negative Poisson log-likelihood with the log link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poisson;

impl Loss for Poisson {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let rate = predictor.exp();
        // Where both terms overflow the exponential is by far the larger; without a count there is only one.
        if rate == f64::INFINITY || response == 0.0 { rate } else { rate - response * predictor }
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        predictor.exp() - response
    }
    fn curvature(&self, predictor: f64, _response: f64) -> f64 {
        predictor.exp()
    }
    /// $y - y\log y$, at $\eta = \log y$.
    fn infimum(&self, response: f64) -> f64 {
        if response == 0.0 {
            return 0.0;
        }
        let least = response - response * response.ln();
        least - 4.0 * f64::EPSILON * (response + (response * response.ln()).abs())
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        ROUNDED_DOWN * curvature_at_ends(self, predictor, response, radius)
    }
    fn least_chord(&self, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
        chord_at_ends(self, predictor, response, between)
    }
    /// Below $\log y$ the slope is nearly $-y$ while the curvature vanishes: that of the parabola with its least value at $\log y$ says how far it is to there.
    /// It lies above the loss in between, since the slope is convex.
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let (rate, way) = (predictor.exp(), response.ln() - predictor);
        let chord = (response - rate) / way;
        Some(if way > 0.0 && chord.is_finite() { chord.max(rate) } else { rate })
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::Poisson)
    }
    /// $2\big(y\log(y/\mu) - y + \mu\big)$ with $\mu = e^\eta$.
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        let entropy = if response > 0.0 { response * (response.ln() - predictor) } else { 0.0 };
        // Rounding may take a perfect prediction below zero.
        Some(2.0 * (entropy - response + predictor.exp()).max(0.0))
    }
}
