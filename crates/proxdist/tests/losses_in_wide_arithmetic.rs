//! Losses against their definitions in arithmetic of 560 bits: values, and slopes and curvatures by finite differences so small that nothing but rounding is left, also
//! where predictors and responses are extreme.

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use proxdist::loss::{Gamma, Loss, NegativeBinomial, Tweedie};

type Wide = FBig<HalfEven, 2>;

fn wide(x: f64) -> Wide {
    Wide::try_from(x).expect("a finite number").with_precision(560).value()
}

fn narrow(x: &Wide) -> f64 {
    x.to_f64().value()
}

/// $y\log x$, zero without a count.
fn times_log(y: f64, x: &Wide) -> Wide {
    if y == 0.0 { wide(0.0) } else { wide(y) * x.ln() }
}

/// $y^b$
fn power(y: f64, b: &Wide) -> Wide {
    if y == 0.0 { wide(0.0) } else { (wide(y).ln() * b).exp() }
}

/// $y/\mu - 1 - \log(y/\mu)$
fn gamma(eta: &Wide, y: f64) -> Wide {
    let ratio = wide(y) / eta.exp();
    ratio.clone() - wide(1.0) - ratio.ln()
}

/// $y\mu^{1-p}/(p - 1) + \mu^{2-p}/(2 - p) - y^{2-p}/((p - 1)(2 - p))$
fn tweedie(eta: &Wide, y: f64, p: f64) -> Wide {
    let (a, b) = (wide(p) - wide(1.0), wide(2.0) - wide(p));
    let falling = wide(y) * (-(a.clone() * eta)).exp() / &a;
    falling + (b.clone() * eta).exp() / &b - power(y, &b) / a / b
}

/// $(y + 1/\alpha)\log((1 + \alpha\mu)/(1 + \alpha y)) - y\log(\mu/y)$
fn negative_binomial(eta: &Wide, y: f64, alpha: f64) -> Wide {
    let (mu, one) = (eta.exp(), wide(1.0));
    let trials = wide(y) + one.clone() / wide(alpha);
    let ratio = (one.clone() + wide(alpha) * &mu) / (one + wide(alpha) * wide(y));
    let entropy = if y == 0.0 { wide(0.0) } else { times_log(y, &(mu / wide(y))) };
    trials * ratio.ln() - entropy
}

/// A loss in wide arithmetic, from its predictor and its response.
type Definition = Box<dyn Fn(&Wide, f64) -> Wide>;

/// A loss with its definition.
struct Pair {
    loss: Box<dyn Loss>,
    definition: Definition,
}

fn pairs() -> Vec<Pair> {
    let mut pairs = vec![Pair { loss: Box::new(Gamma), definition: Box::new(gamma) }];
    for p in [1.001, 1.3, 1.5, 1.9, 1.999] {
        let loss = Box::new(Tweedie::with_power(p).unwrap());
        pairs.push(Pair { loss, definition: Box::new(move |eta, y| tweedie(eta, y, p)) });
    }
    for alpha in [1e-6, 0.3, 1.0, 40.0, 1e8] {
        let loss = Box::new(NegativeBinomial::with_alpha(alpha).unwrap());
        pairs.push(Pair { loss, definition: Box::new(move |eta, y| negative_binomial(eta, y, alpha)) });
    }
    pairs
}

#[test]
fn values_slopes_and_curvatures_are_those_of_the_definition() {
    let step = wide(2.0_f64.powi(-80));
    for Pair { loss, definition } in pairs() {
        for y in [0.0, 1e-9, 0.2, 1.0, 3.0, 1e4, 1e12].into_iter().filter(|y| loss.check_response(*y).is_ok()) {
            let about = if y > 0.0 { y.ln() } else { 0.0 };
            let near = [-1.0, -1e-3, -1e-7, 0.0, 1e-5, 0.4, 3.0].map(|by| about + by);
            for eta in near.into_iter().chain([-300.0, -40.0, 0.0, 40.0, 200.0]) {
                let at = wide(eta);
                let [below, here, above] = [&at - &step, at.clone(), &at + &step].map(|eta| definition(&eta, y));
                let slope = narrow(&((&above - &below) / (wide(2.0) * &step)));
                let curvature = narrow(&((&above + &below - wide(2.0) * &here) / (&step * &step)));
                let (value, place) = (narrow(&here), format!("{} {eta} {y}", loss.spec()));
                let told = [loss.value(eta, y), loss.slope(eta, y), loss.curvature(eta, y)];
                // The logarithm of the response and the predictor are rounded before they meet: by that much a predictor may be off.
                let blur = 8.0 * f64::EPSILON * (1.0 + eta.abs() + about.abs() + 20.0);
                let slack = blur * (slope.abs() + curvature) + 4.0 * f64::EPSILON * (1.0 + y);
                assert!((told[0] - value).abs() <= slack + 1e-13 * value, "{place}: {} for {value}", told[0]);
                assert!((told[1] - slope).abs() <= slack + 1e-13 * slope.abs(), "{place}: {} for {slope}", told[1]);
                assert!(
                    (told[2] - curvature).abs() <= 40.0 * blur * curvature + 1e-70 * (1.0 + value),
                    "{place}: {} for {curvature}",
                    told[2]
                );
            }
        }
    }
}

#[test]
fn the_least_curvature_is_never_above_the_definitions_own() {
    let step = wide(2.0_f64.powi(-80));
    for Pair { loss, definition } in pairs() {
        for y in [0.0, 1e-9, 1.0, 70.0].into_iter().filter(|y| loss.check_response(*y).is_ok()) {
            for (eta, radius) in [(0.0, 0.0), (-30.0, 2.0), (3.0, 5.0), (-2.0, 0.1), (0.5, 20.0), (150.0, 1.0)] {
                let least = loss.least_curvature(eta, y, radius);
                for i in 0..=10 {
                    let at = wide(eta + radius * (f64::from(i) / 5.0 - 1.0));
                    let [below, here, above] = [&at - &step, at.clone(), &at + &step].map(|eta| definition(&eta, y));
                    let curvature = narrow(&((&above + &below - wide(2.0) * &here) / (&step * &step)));
                    // The difference itself is off by the square of its step, and by the rounding of its terms.
                    assert!(
                        least <= curvature * (1.0 + 1e-20) + 1e-70,
                        "{} {eta} {radius} {y}: {least} {curvature}",
                        loss.spec()
                    );
                }
            }
        }
    }
}
