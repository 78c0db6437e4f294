//! Laws of the losses themselves: their derivatives, what their lower bounds of curvature promise, that they are defined everywhere, and
//! what they say about themselves.

use proptest::prelude::*;
use proxdist::loss::{
    self, BrokenLaw, Gamma, Huber, Link, Logistic, Loss, LossEntry, NegativeBinomial, Poisson, RowLoss, Squared,
    SquaredHinge, Sum, Task, check_derivatives,
};

/// Every loss of the library, with 0.7 for a parameter, or the usual one where it must be another.
fn alone() -> Vec<Box<dyn Loss>> {
    let unusual = |entry: &LossEntry| loss::parse(&format!("{}:0.7", entry.name));
    let usual = |entry: &LossEntry| loss::parse(&entry.example()).unwrap();
    loss::catalogue().iter().map(|entry| unusual(entry).unwrap_or_else(|_| usual(entry))).collect()
}

/// $\mu'/V(\mu)$ of the likelihoods, by name.
fn share_of_variance(loss: &dyn Loss, mean: f64) -> f64 {
    match loss.spec().split_once(':').unwrap_or((&loss.spec(), "")) {
        ("gamma", _) => 1.0 / mean,
        ("tweedie", power) => mean.powf(1.0 - power.parse::<f64>().unwrap()),
        ("negative-binomial", alpha) => 1.0 / (1.0 + alpha.parse::<f64>().unwrap() * mean),
        _ => 1.0,
    }
}

fn losses() -> Vec<Box<dyn Loss>> {
    let mut losses = alone();
    losses.push(Box::new(Sum(Squared, Huber::with_delta(0.7).unwrap())));
    losses.push(Box::new(Sum(Logistic, SquaredHinge)));
    losses
}

/// A response that the loss is defined for: the number itself, or a label made of it.
fn response(loss: &dyn Loss, noise: f64) -> f64 {
    let suits = |y: &f64| loss.check_response(*y).is_ok();
    [noise, f64::from(u8::from(noise > 0.0)), 0.5 + noise.abs()].into_iter().find(suits).unwrap()
}

proptest! {
    #[test]
    fn derivatives_match_finite_differences(predictor in -6.0..6.0_f64, noise in -3.0..3.0_f64) {
        for loss in losses() {
            let y = response(&*loss, noise);
            // A kink has no derivative; its own law is below.
            if loss.kinked().is_some_and(|kinked| (kinked.kink(y).at - predictor).abs() < 1e-4) {
                continue;
            }
            prop_assert_eq!(check_derivatives(&loss, &[predictor], &[y]), Ok(()), "{}", loss.spec());
            let curvature = loss.curvature(predictor, y);
            prop_assert!(curvature >= 0.0 && loss.curvature_bound().is_none_or(|bound| curvature <= bound));
            prop_assert!(loss.value(predictor, y) + loss.slope(predictor, y) * 0.1 <= loss.value(predictor + 0.1, y) + 1e-12);
        }
    }

    /// A loss with a kink is the larger of its two lines; every slope between theirs supports it at the kink.
    #[test]
    fn a_kink_is_where_two_lines_meet(predictor in -6.0..6.0_f64, noise in -3.0..3.0_f64, share in 0.0..=1.0_f64) {
        let mut count = 0;
        for loss in losses() {
            let y = response(&*loss, noise);
            let Some(kink) = loss.kinked().map(|kinked| kinked.kink(y)) else { continue };
            count += 1;
            let beyond = predictor - kink.at;
            let expected = (kink.below * beyond).max(kink.above * beyond);
            prop_assert!((loss.value(predictor, y) - expected).abs() <= 1e-15 * (1.0 + expected), "{}", loss.spec());
            let slope = kink.below + share * (kink.above - kink.below);
            prop_assert!(loss.value(predictor, y) >= slope * beyond - 1e-14);
            let at_kink = loss.slope(kink.at, y);
            prop_assert!(kink.below <= at_kink && at_kink <= kink.above);
            prop_assert!(!loss.is_differentiable() && loss.curvature(predictor, y) == 0.0);
        }
        prop_assert_eq!(count, 3);
    }

    /// A likelihood of variance $V(\mu)$ has the slope $(\mu - y)\mu'/V(\mu)$; a deviance is twice what its loss is above the least value.
    #[test]
    fn deviances_and_means_are_those_of_a_likelihood(predictor in -6.0..6.0_f64, noise in -3.0..30.0_f64) {
        for loss in losses() {
            let y = response(&*loss, noise);
            let Some(deviance) = loss.deviance(predictor, y) else { continue };
            let (slope, mean) = (loss.slope(predictor, y), loss.mean(predictor));
            let share = share_of_variance(&*loss, mean);
            let expected = (mean - y) * share;
            prop_assert!((slope - expected).abs() <= 1e-12 * (1.0 + share * (mean.abs() + y.abs())), "{}: {slope}", loss.spec());
            let above = 2.0 * (loss.value(predictor, y) - loss.infimum(y));
            let slack = 1e-12 * (1.0 + loss.value(predictor, y).abs() + loss.infimum(y).abs());
            prop_assert!(deviance >= 0.0 && (deviance - above).abs() <= slack, "{}: {deviance} {above}", loss.spec());
        }
    }

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
        // Not of sums: two losses that bend least in different places bend more together.
        for loss in alone() {
            let y = response(&*loss, noise);
            let least = loss.least_curvature(predictor, y, radius);
            let places = (0..=64).map(|i| predictor + radius * (f64::from(i) / 32.0 - 1.0));
            let at = places.min_by(|a, b| loss.curvature(*a, y).total_cmp(&loss.curvature(*b, y))).unwrap();
            // Between two of the places there may be a valley.
            let (mut low, mut high) = ((at - radius / 32.0).max(predictor - radius), (at + radius / 32.0).min(predictor + radius));
            for _ in 0..60 {
                let (left, right) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
                if loss.curvature(left, y) <= loss.curvature(right, y) { high = right } else { low = left }
            }
            let found = loss.curvature(at, y).min(loss.curvature(0.5 * (low + high), y));
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
    let others: [Box<dyn Loss>; 2] = [Box::new(Gamma), Box::new(NegativeBinomial::with_alpha(0.7).unwrap())];
    for loss in bent.into_iter().chain(others) {
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
                    eta.abs() > 1e20 || loss.curvature_bound().is_none() || slope.is_finite() && value.is_finite(),
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

#[test]
fn the_catalogue_says_of_each_loss_what_the_loss_says() {
    let mut names: Vec<&str> = loss::catalogue().iter().map(|entry| entry.name).collect();
    for entry in loss::catalogue() {
        let loss = loss::parse(&entry.example()).unwrap();
        assert_eq!(loss.spec(), entry.example());
        assert_eq!(loss::parse(entry.name).unwrap().spec(), entry.example(), "the usual parameter may be left out");
        assert_eq!(loss.entry().map(|entry| entry.name), Some(entry.name));
        assert_eq!((loss.task(), loss.link()), (entry.task, entry.link), "{}", entry.name);
        assert!(!entry.definition.is_empty() && !entry.formula.is_empty(), "{}", entry.name);
        assert!((-30..30).all(|i| loss.mean(f64::from(i)) == entry.link.mean(f64::from(i))), "{}", entry.name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), loss::catalogue().len());
    assert!(losses().iter().filter(|loss| loss.deviance(0.3, 1.0).is_some()).count() == 6, "six likelihoods");
}

#[test]
fn every_file_with_an_entry_is_in_the_catalogue() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/loss");
    let texts = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let entries = texts.filter(|text| text.contains("const ENTRY: LossEntry")).count();
    assert_eq!(entries, loss::catalogue().len());
}

#[test]
fn the_task_decides_which_responses_are_allowed() {
    let numbers = [0.0, 1.0, 0.5, 2.0, -1.0, f64::NAN];
    let allowed = |task: Task| numbers.map(|y| task.check_response(y).is_ok());
    assert_eq!(allowed(Task::Amounts), [false, true, true, true, false, false]);
    assert_eq!(allowed(Task::Regression)[..5], [true; 5]);
    assert_eq!(allowed(Task::TwoClasses), [true, true, false, false, false, false]);
    assert_eq!(allowed(Task::Counts), [true, true, true, true, false, false]);
    for loss in losses() {
        let rules = numbers.map(|y| loss.check_response(y));
        assert_eq!(rules, numbers.map(|y| loss.task().check_response(y)), "{}", loss.spec());
    }
}

#[test]
fn a_sum_takes_what_both_take_and_claims_no_probability_that_neither_has() {
    let meaning = |text: &str| {
        let loss = loss::parse(text).unwrap();
        (loss.task(), loss.link(), loss.has_probabilities())
    };
    assert_eq!(meaning("squared + huber:2"), (Task::Regression, Link::Identity, false));
    assert_eq!(meaning("squared + poisson"), (Task::Counts, Link::Identity, false));
    assert_eq!(meaning("poisson + squared"), (Task::Counts, Link::Log, false));
    assert_eq!(meaning("huber + logistic"), (Task::TwoClasses, Link::Margin, false));
    assert_eq!(meaning("logistic + squared-hinge"), (Task::TwoClasses, Link::Margin, false));
    assert_eq!(meaning("logistic + logistic"), (Task::TwoClasses, Link::Logit, true));
    assert_eq!(loss::parse("logistic + squared-hinge").unwrap().mean(0.3), 0.3);
}

/// A loss that says its task and nothing else about itself.
struct Own(Task);

impl Loss for Own {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        Squared.value(predictor, response)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        Squared.slope(predictor, response)
    }
    fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
        1.0
    }
    fn task(&self) -> Task {
        self.0
    }
}

#[test]
fn a_loss_of_ones_own_need_only_say_its_task() {
    let links = [Task::Regression, Task::TwoClasses, Task::Counts, Task::Amounts].map(|task| Own(task).link());
    assert_eq!(links, [Link::Identity, Link::Margin, Link::Log, Link::Log]);
    assert!(Own(Task::TwoClasses).check_response(0.5).is_err() && !Own(Task::TwoClasses).has_probabilities());
    assert_eq!((Own(Task::Counts).mean(1.0), Own(Task::Counts).deviance(1.0, 1.0)), (1.0_f64.exp(), None));
    assert_eq!(Own(Task::Counts).spec(), "custom");
}

#[test]
fn a_pointer_to_a_loss_says_what_the_loss_says() {
    fn facts(loss: impl Loss) -> (Task, Link, f64, Option<f64>, Option<&'static str>, bool) {
        let entry = loss.entry().map(|entry| entry.name);
        (loss.task(), loss.link(), loss.mean(0.4), loss.deviance(0.4, 1.0), entry, loss.check_response(0.5).is_ok())
    }
    for loss in losses() {
        assert_eq!(facts(&*loss), facts(Box::new(&loss)), "{}", loss.spec());
    }
    assert_eq!(facts(&Box::new(Logistic) as &dyn Loss), facts(Logistic));
    assert_eq!(facts(std::sync::Arc::new(Own(Task::Counts))), facts(Own(Task::Counts)));
}

/// $\log\sum_k e^{\eta_k} - \eta_y$, the negative log-likelihood of one class among several.
struct Softmax;

impl Softmax {
    fn probabilities(predictors: &[f64]) -> Vec<f64> {
        let most = predictors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = predictors.iter().map(|eta| (eta - most).exp()).sum();
        predictors.iter().map(|eta| (eta - most).exp() / sum).collect()
    }
}

impl RowLoss for Softmax {
    fn predictors(&self) -> usize {
        3
    }
    fn row_value(&self, predictors: &[f64], response: &[f64]) -> f64 {
        -Self::probabilities(predictors)[response[0] as usize].ln()
    }
    fn row_gradient(&self, predictors: &[f64], response: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&Self::probabilities(predictors));
        out[response[0] as usize] -= 1.0;
    }
    fn row_hessian(&self, predictors: &[f64], _response: &[f64], out: &mut [f64]) {
        let chances = Self::probabilities(predictors);
        for (at, out) in out.iter_mut().enumerate() {
            let (j, k) = (at / 3, at % 3);
            *out = chances[j] * (f64::from(u8::from(j == k)) - chances[k]);
        }
    }
}

proptest! {
    #[test]
    fn a_loss_of_three_predictors_obeys_the_same_laws(eta in prop::array::uniform3(-4.0..4.0_f64), class in 0..3_u8) {
        prop_assert_eq!(check_derivatives(&Softmax, &eta, &[f64::from(class)]), Ok(()));
    }

    #[test]
    fn a_scalar_loss_is_a_row_of_one_predictor(eta in -9.0..9.0_f64, noise in -3.0..3.0_f64) {
        for loss in losses() {
            let y = response(&*loss, noise);
            let (mut gradient, mut hessian) = ([f64::NAN], [f64::NAN]);
            loss.row_gradient(&[eta], &[y], &mut gradient);
            loss.row_hessian(&[eta], &[y], &mut hessian);
            prop_assert_eq!((loss.predictors(), loss.row_value(&[eta], &[y])), (1, loss.value(eta, y)));
            prop_assert_eq!((gradient[0], hessian[0]), (loss.slope(eta, y), loss.curvature(eta, y)));
        }
    }
}

/// A quadratic function of two predictors, and what is said about it.
struct Claims {
    truth: [f64; 4],
    slope_error: f64,
    told: [f64; 4],
}

impl RowLoss for Claims {
    fn predictors(&self) -> usize {
        2
    }
    fn row_value(&self, eta: &[f64], _response: &[f64]) -> f64 {
        let [a, b, _, d] = self.truth;
        0.5 * (a * eta[0] * eta[0] + 2.0 * b * eta[0] * eta[1] + d * eta[1] * eta[1])
    }
    fn row_gradient(&self, eta: &[f64], _response: &[f64], out: &mut [f64]) {
        let [a, b, c, d] = self.truth;
        out.copy_from_slice(&[a * eta[0] + b * eta[1], c * eta[0] + d * eta[1] + self.slope_error]);
    }
    fn row_hessian(&self, _eta: &[f64], _response: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.told);
    }
}

#[test]
fn false_derivatives_are_found() {
    let check = |truth, slope_error, told| check_derivatives(&Claims { truth, slope_error, told }, &[0.4, -0.3], &[]);
    let (bent, flat, saddle) = ([2.0, 1.0, 1.0, 2.0], [1.0; 4], [1.0, 2.0, 2.0, 1.0]);
    assert_eq!(check(bent, 0.0, bent), Ok(()));
    assert_eq!(check(flat, 0.0, flat), Ok(()), "flat in one direction");
    assert!(matches!(check(bent, 0.01, bent), Err(BrokenLaw::Gradient { predictor: 1, .. })));
    let wrong = check(bent, 0.0, [2.0, 1.0, 1.0, 1.9]);
    assert!(matches!(wrong, Err(BrokenLaw::Hessian { row: 1, column: 1, told: 1.9, .. })), "{wrong:?}");
    let skew = check(bent, 0.0, [2.0, 1.0, 1.00001, 2.0]);
    assert!(matches!(skew, Err(BrokenLaw::Asymmetric { .. })), "{skew:?}");
    assert_eq!(check(saddle, 0.0, saddle), Err(BrokenLaw::Indefinite));
    assert_eq!(check_derivatives(&Huber::with_delta(1.0).unwrap(), &[3.0], &[2.0]), Ok(()), "at a kink");
}
