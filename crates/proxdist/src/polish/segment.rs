//! The least value of a convex function on a segment, about.
//!
//! A step that solves a quadratic model is taken whole where that lowers F as promised. Where it goes too far, by a little or by twenty orders of magnitude (counts
//! whose rates are near zero have next to no curvature, so their models reach for the horizon), halving it finds a point that is a little lower
//! than the start; the point where the derivative changes its sign is worth far more, above all for losses with straight pieces, whose models are
//! exact up to the next kink. The derivative rises along the segment, so its root is bracketed: regula falsi (Illinois), with bisection in between,
//! geometric as long as the bracket spans orders of magnitude.

use crate::error::Result;

/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Share of the first derivative that may be left at the end.
const FLAT: f64 = 0.1;
/// Trial points.
const MOST_TRIALS: usize = 80;
/// Ratio of the derivatives at both ends beyond which a straight line between them is no guide.
const STEEP: f64 = 1e3;
/// How far an end with no usable value is drawn in while the other end is the start.
const DRAWN_IN: f64 = 0.01;

/// A function on the segment at one place; `None` from the evaluation where there is no number.
pub(super) struct Trial<P> {
    pub(super) value: f64,
    pub(super) derivative: f64,
    pub(super) place: P,
}

/// Searches $[0, 1]$ for the least value of a convex function that starts with this value and negative derivative. Returns how far it went, if any place was lower.
pub(super) fn search<P>(
    value: f64,
    slope: f64,
    mut evaluate: impl FnMut(f64) -> Result<Option<Trial<P>>>,
) -> Result<Option<(f64, Trial<P>)>> {
    let (mut low, mut high) = ((0.0, slope), (1.0, f64::INFINITY));
    let mut best: Option<(f64, Trial<P>)> = None;
    let (mut t, mut was_below) = (1.0, None);
    for number in 0..MOST_TRIALS {
        let derivative = match evaluate(t)? {
            Some(trial) => {
                let derivative = trial.derivative;
                let is_enough = trial.value <= value + ARMIJO * t * slope;
                let is_lower = best.as_ref().is_none_or(|(_, best)| trial.value < best.value);
                if is_enough && is_lower {
                    best = Some((t, trial));
                }
                if is_enough && derivative <= FLAT * slope.abs() && (t == 1.0 || derivative >= FLAT * slope) {
                    break;
                }
                derivative
            }
            None => f64::INFINITY,
        };
        let is_below = derivative < 0.0;
        // An end that stays twice pulls the next point towards itself.
        let pull = if was_below == Some(is_below) { 0.5 } else { 1.0 };
        if is_below {
            (low, high.1) = ((t, derivative), pull * high.1);
        } else {
            (high, low.1) = ((t, derivative), pull * low.1);
        }
        was_below = Some(is_below);
        let next = between(low, high, number);
        if next <= low.0 || next >= high.0 {
            break;
        }
        t = next;
    }
    Ok(best)
}

/// The next place inside a bracket.
fn between(low: (f64, f64), high: (f64, f64), number: usize) -> f64 {
    let middle = || match low.0 {
        0.0 => DRAWN_IN * high.0,
        start if high.0 > 4.0 * start => (start * high.0).sqrt(),
        start => 0.5 * (start + high.0),
    };
    // An end that is steeper by orders of magnitude says nothing but that it is too far.
    if high.1 > STEEP * low.1.abs() || number % 3 == 2 {
        return middle();
    }
    low.0 + low.1 / (low.1 - high.1) * (high.0 - low.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(function: impl Fn(f64) -> (f64, f64)) -> (f64, usize) {
        let (value, slope) = function(0.0);
        let mut trials = 0;
        let end = search(value, slope, |t| {
            trials += 1;
            let (value, derivative) = function(t);
            Ok(value.is_finite().then_some(Trial { value, derivative, place: () }))
        });
        (end.unwrap().map_or(0.0, |(t, _)| t), trials)
    }

    #[test]
    fn a_step_that_keeps_its_promise_is_taken_whole_at_once() {
        assert_eq!(found(|t| ((t - 1.0).powi(2), 2.0 * (t - 1.0))), (1.0, 1));
        assert_eq!(found(|t| (-t, -1.0)), (1.0, 1));
    }

    #[test]
    fn the_least_value_is_found_however_near_the_start_it_is() {
        for exponent in 0..25 {
            let scale = 10_f64.powi(exponent);
            // Least at t = 1/scale, overflowing soon after.
            let (t, trials) =
                found(|t| ((scale * t).exp() - 1_f64.exp() * scale * t, scale * ((scale * t).exp() - 1_f64.exp())));
            assert!((scale * t - 1.0).abs() < 0.2 && trials < 40, "{exponent}: {t} after {trials}");
        }
    }

    #[test]
    fn a_kink_is_found() {
        // Falls with slope −1, rises with slope 1000 behind 0.3.
        let kink = |t: f64| if t < 0.3 { (-t, -1.0) } else { (-0.3 + 500.0 * (t - 0.3).powi(2), 1000.0 * (t - 0.3)) };
        let (t, trials) = found(kink);
        assert!((t - 0.3).abs() < 0.01 && trials < 30, "{t} after {trials}");
    }

    #[test]
    fn where_nothing_is_lower_it_says_so() {
        assert_eq!(found(|t| (if t == 0.0 { 0.0 } else { 1.0 }, -1e-9)).0, 0.0);
    }
}
