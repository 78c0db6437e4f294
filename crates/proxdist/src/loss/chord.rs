//! The curvature of a loss as seen from one predictor.
//!
//! For $h \ne 0$ let $\varphi(h) = 2\big(\ell(a + h) - \ell(a) - \ell'(a)h\big)/h^2$, the curvature of the parabola that touches the loss at $a$ and meets it at $a + h$. Where $\ell''$
//! rises to a peak and falls again, if at all, the least $\varphi$ of an interval around $a$ is at one of its ends or next to $a$, where it is $\ell''(a)$:
//!
//! Let $h > 0$ (the other side is its mirror image), $f(x) = \ell''(a + x)$ and $A(x) = \tfrac1x\int_0^xf$. Since $\int_0^hxA(x)\,dx = \int_0^h(h - y)f(y)\,dy$,
//! $$\varphi(h) = \frac2{h^2}\int_0^hxA(x)\,dx, \qquad xA' = f - A, \qquad \tfrac12h\varphi' = A - \varphi.$$
//! Both are running means, $A$ of $f$ and $\varphi$ of $A$. A running mean $m$ of a function $g$ that rises up to $P$ and falls from there on does the same. Up to $P$ it is an average of
//! values no larger than $g(x)$, so $m \le g$ and it rises. If $m \ge g$ at some $x_1 \ge P$, then $m(x)$ for any $x > x_1$ is an average of $m(x_1) \ge g(x_1) \ge g(x)$ and of values of $g$ between $x_1$ and $x$, no smaller
//! than $g(x)$ either: $m \ge g$ remains so, and $m$ falls ever after. Hence $A$ and then $\varphi$ rise and fall at most once, in this order, and over $[0, u]$ such a function is least at $0$ or at $u$. $\ell''$ need not be
//! continuous for this: at a jump $\varphi(0)$ is its limit from the right, and the least of both sides is taken for it.

use super::Loss;

/// Distances below which the difference quotient is left to the second derivative.
const NEAR: f64 = 1e-4;
/// What may be lost in the difference, relative to its terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The least $\varphi$ between two numbers, for losses whose curvature rises to a peak and falls again, if at all; rounded down.
pub(super) fn chord_at_ends(loss: &impl Loss, predictor: f64, response: f64, between: (f64, f64)) -> f64 {
    chord_within(loss, predictor, response, between, &|eta, _| response.abs() * eta.abs())
}

/// The same for a loss that says how large the terms are of which its value at a predictor is made, together with those of its slope times a way.
pub(super) fn chord_within(
    loss: &impl Loss,
    predictor: f64,
    response: f64,
    (low, high): (f64, f64),
    size: &dyn Fn(f64, f64) -> f64,
) -> f64 {
    let here = loss.least_curvature(predictor, response, 0.0);
    let ends = [low.min(predictor), high.max(predictor)];
    let least = ends.map(|end| chord(loss, response, [predictor, end], size)).into_iter().fold(here, f64::min);
    // Where an end is not a number, nothing is known.
    if low <= high && least > 0.0 { least } else { 0.0 }
}

/// $\varphi$ at one end, rounded down.
fn chord(loss: &impl Loss, response: f64, [from, to]: [f64; 2], size: &dyn Fn(f64, f64) -> f64) -> f64 {
    let way = to - from;
    // The interval between the two has all curvatures that matter.
    let middle = 0.5 * from + 0.5 * to;
    let radius = (0.5 * way.abs() + f64::EPSILON * (from.abs() + to.abs())).next_up();
    let least = loss.least_curvature(middle, response, radius);
    if way.abs() < NEAR {
        return least;
    }
    let (end, start, linear) = (loss.value(to, response), loss.value(from, response), loss.slope(from, response) * way);
    let terms = end.abs() + start.abs() + linear.abs() + size(from, way) + size(to, 0.0);
    let seen = 2.0 * (end - start - linear - ROUNDING * terms) / (way * way) * (1.0 - ROUNDING);
    // Not a number where something overflows.
    if seen > least { seen } else { least }
}

#[cfg(test)]
mod tests {
    use crate::loss::{Gamma, Huber, Logistic, Loss, NegativeBinomial, Poisson, SquaredHinge, Tweedie};

    #[test]
    fn parabolas_stay_below() {
        let huber = Huber::with_delta(0.7).expect("positive");
        let counts = [0.1, 3.0].map(|alpha| NegativeBinomial::with_alpha(alpha).expect("positive"));
        let amounts = [1.1, 1.5, 1.9].map(|power| Tweedie::with_power(power).expect("between 1 and 2"));
        let mut losses: Vec<&dyn Loss> = vec![&Logistic, &Poisson, &SquaredHinge, &huber, &Gamma];
        losses.extend(counts.iter().map(|loss| loss as &dyn Loss));
        losses.extend(amounts.iter().map(|loss| loss as &dyn Loss));
        for loss in losses {
            let suits = |y: &f64| loss.check_response(*y).is_ok();
            for response in [0.0, 1.0, 4.5].into_iter().filter(suits) {
                for at in -12..=12 {
                    let a = 0.5 * f64::from(at);
                    for (down, up) in [(0.0, 0.0), (1e-6, 1e-5), (0.3, 2.0), (4.0, 0.01), (9.0, 9.0), (30.0, 1.0)] {
                        let m = loss.least_chord(a, response, (a - down, a + up));
                        let least = loss.least_curvature(a, response, f64::max(down, up) + 1e-12);
                        assert!(m >= least * (1.0 - 1e-14), "{} {a}: {m} {least}", loss.spec());
                        for step in 0..=200 {
                            let h = -down + (up + down) * f64::from(step) / 200.0;
                            let below = loss.value(a, response) + loss.slope(a, response) * h + 0.5 * m * h * h;
                            let value = loss.value(a + h, response);
                            let rounding = 1e-14 * (1.0 + value.abs() + loss.value(a, response).abs() + h.abs());
                            assert!(value >= below - rounding, "{} {a} {h} {m}", loss.spec());
                        }
                    }
                }
            }
        }
    }
}
