//! Laws of the losses themselves: what their lower bounds of curvature promise, and that they are defined everywhere.

use proptest::prelude::*;
use proxdist::loss::{Huber, Logistic, Loss, Poisson, Squared, SquaredHinge, Sum};

fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Squared),
        Box::new(Logistic),
        Box::new(Huber::with_delta(0.7).unwrap()),
        Box::new(Poisson),
        Box::new(SquaredHinge),
        Box::new(Sum(Squared, Huber::with_delta(0.7).unwrap())),
        Box::new(Sum(Logistic, SquaredHinge)),
    ]
}

/// A response that the loss is defined for: the number itself, or a label made of it.
fn response(loss: &dyn Loss, noise: f64) -> f64 {
    let suits = |y: &f64| loss.check_response(*y).is_ok();
    [noise, f64::from(u8::from(noise > 0.0))].into_iter().find(suits).unwrap()
}

proptest! {
    /// Between any two predictors of the interval the loss lies above the parabola of that curvature.
    #[test]
    fn the_least_curvature_is_a_modulus_of_strong_convexity(
        predictor in -8.0..8.0_f64,
        noise in -3.0..3.0_f64,
        radius in prop_oneof![0.0..0.3_f64, 0.0..6.0_f64],
        first in -1.0..1.0_f64,
        second in prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0_f64],
    ) {
        for loss in losses() {
            let y = response(&*loss, noise);
            let least = loss.least_curvature(predictor, y, radius);
            let (from, to) = (predictor + radius * first, predictor + radius * second);
            let (value, step) = (loss.value(from, y), to - from);
            let below = value + loss.slope(from, y) * step + 0.5 * least * step * step;
            let slack = 1e-13 * (1.0 + value.abs() + loss.value(to, y).abs() + (y * step).abs());
            prop_assert!(least >= 0.0 && below <= loss.value(to, y) + slack, "{}: {least}", loss.spec());
        }
    }

    #[test]
    fn the_least_curvature_is_the_least_one(
        predictor in -8.0..8.0_f64, noise in -3.0..3.0_f64, radius in 0.0..4.0_f64,
    ) {
        // Two losses that bend least in different places bend more together.
        for loss in losses().into_iter().filter(|loss| !loss.spec().starts_with("logistic +")) {
            let y = response(&*loss, noise);
            let least = loss.least_curvature(predictor, y, radius);
            let places = (0..=64).map(|i| predictor + radius * (f64::from(i) / 32.0 - 1.0));
            let found = places.map(|eta| loss.curvature(eta, y)).fold(f64::INFINITY, f64::min);
            prop_assert!(least <= found && found <= least * (1.0 + 1e-12), "{}: {least} {found}", loss.spec());
        }
    }
}

#[test]
fn an_interval_that_touches_a_straight_piece_promises_nothing() {
    let huber = Huber::with_delta(1.0).unwrap();
    assert_eq!([0.9, 1.0, 1.1].map(|radius| huber.least_curvature(3.0, 3.0, radius)), [1.0, 0.0, 0.0]);
    assert_eq!([0.9, 1.0, 1.1].map(|radius| SquaredHinge.least_curvature(0.0, 1.0, radius)), [1.0, 0.0, 0.0]);
    assert_eq!([0.9, 1.0, 1.1].map(|radius| SquaredHinge.least_curvature(0.0, 0.0, radius)), [1.0, 0.0, 0.0]);
}

#[test]
fn nothing_is_promised_without_a_bound_or_a_number() {
    let bent: [Box<dyn Loss>; 4] =
        [Box::new(Logistic), Box::new(Poisson), Box::new(SquaredHinge), Box::new(Huber::with_delta(1.0).unwrap())];
    for loss in bent {
        for (predictor, radius) in
            [(0.0, f64::INFINITY), (f64::INFINITY, f64::INFINITY), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, -1.0)]
        {
            assert_eq!(loss.least_curvature(predictor, 1.0, radius), 0.0, "{}: {predictor} {radius}", loss.spec());
        }
    }
}

/// However far out a predictor is, the loss is a number or too large for one; it is never undefined.
#[test]
fn extreme_predictors_have_values_and_slopes() {
    let sizes = [0.0, 1e-308, 1.0, 700.0, 710.0, 1e20, 1e154, 1e300, f64::MAX, f64::INFINITY];
    for loss in losses() {
        for eta in sizes.into_iter().flat_map(|size| [size, -size]) {
            for y in [0.0, 1.0, 3.0, 1e70].into_iter().filter(|y| loss.check_response(*y).is_ok()) {
                let (value, slope, curvature) = (loss.value(eta, y), loss.slope(eta, y), loss.curvature(eta, y));
                let place = format!("{} {eta:e} {y:e}: {value:e} {slope:e} {curvature:e}", loss.spec());
                assert!(!value.is_nan() && !slope.is_nan() && curvature >= 0.0, "{place}");
                assert!(value > f64::NEG_INFINITY, "{place}");
                assert!(loss.curvature_bound().is_none_or(|bound| curvature <= bound), "{place}");
                assert!(
                    eta.abs() > 1e20 || loss.spec() == "poisson" || slope.is_finite() && value.is_finite(),
                    "{place}"
                );
            }
        }
    }
}

#[test]
fn rows_without_weight_count_for_nothing_even_where_the_loss_overflows() {
    let (predictors, responses, weights) = ([1e5, 1.0, f64::INFINITY], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]);
    for loss in losses() {
        let y = responses.map(|y| response(&*loss, y));
        let (mut slopes, mut curvatures) = ([f64::NAN; 3], [f64::NAN; 3]);
        loss.weighted_slopes(&predictors, &y, &weights, &mut slopes);
        loss.weighted_curvatures(&predictors, &y, &weights, &mut curvatures);
        assert_eq!(slopes, [0.0, 2.0 * loss.slope(1.0, y[1]), 0.0], "{}", loss.spec());
        assert_eq!(curvatures, [0.0, 2.0 * loss.curvature(1.0, y[1]), 0.0], "{}", loss.spec());
        assert_eq!(loss.weighted_value(&predictors, &y, &weights), 2.0 * loss.value(1.0, y[1]), "{}", loss.spec());
    }
}
