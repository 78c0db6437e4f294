//! Numbers of any size: a prox always gets as far as rounding allows, and a fit is a finite one or an error that says what is too large.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use proxdist::constraint::{Ball, Constraint, L1Ball, NonNegative, Sparsity, WholeSpace};
use proxdist::data::Batch;
use proxdist::loss::{Gamma, Huber, Logistic, Loss, NegativeBinomial, Poisson, Squared, SquaredHinge, Sum, Tweedie};
use proxdist::prox::{BatchProx, Prox};
use proxdist::{Data, Error, Fit, Problem, Result, Scaling, Settings, Stop};

fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Squared),
        Box::new(Logistic),
        Box::new(Huber::with_delta(0.7).unwrap()),
        Box::new(Poisson),
        Box::new(SquaredHinge),
        Box::new(Gamma),
        Box::new(Tweedie::with_power(1.5).unwrap()),
        Box::new(NegativeBinomial::with_alpha(0.7).unwrap()),
        Box::new(Sum(Squared, Huber::with_delta(0.7).unwrap())),
    ]
}

/// Responses that the loss is defined for: the numbers themselves, their sizes, or labels made of them.
fn suited(loss: &dyn Loss, numbers: &[f64]) -> Vec<f64> {
    let suits = |y: &f64| loss.check_response(*y).is_ok();
    let of = |&v: &f64| [v, v.abs(), f64::from(u8::from(v > 0.0)), 1.0].into_iter().find(suits).unwrap();
    numbers.iter().map(of).collect()
}

/// A batch with features, anchor and penalty of any size, with rows that repeat, vanish or have no weight.
#[derive(Clone, Debug)]
struct Case {
    columns: usize,
    x: Vec<f64>,
    noise: Vec<f64>,
    weights: Vec<f64>,
    anchor: Vec<f64>,
    rho: f64,
    intercept: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    (1..10_usize, 1..10_usize, any::<bool>()).prop_flat_map(|(n, p, intercept)| {
        let numbers = |count: usize| prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), -2.0..2.0_f64], count);
        let kinds = prop::collection::vec(0..6_u8, n);
        let powers = (-6.0..6.0_f64, -6.0..6.0_f64, -8.0..8.0_f64);
        (numbers(n * p), numbers(n), numbers(p + usize::from(intercept)), kinds, powers).prop_map(
            move |(mut x, mut noise, mut anchor, kinds, (of_x, of_anchor, of_rho))| {
                let mut weights = vec![1.0; n];
                x.iter_mut().for_each(|x| *x *= 10_f64.powf(of_x));
                anchor.iter_mut().for_each(|z| *z *= 10_f64.powf(of_anchor));
                for (i, kind) in kinds.into_iter().enumerate().skip(1) {
                    match kind {
                        0 => x[i * p..(i + 1) * p].fill(0.0),
                        1 => x.copy_within((i - 1) * p..i * p, i * p),
                        2 => {
                            x.copy_within((i - 1) * p..i * p, i * p);
                            noise[i] = noise[i - 1];
                        }
                        3 => weights[i] = 0.0,
                        _ => {}
                    }
                }
                Case { columns: p, x, noise, weights, anchor, rho: 10_f64.powf(of_rho), intercept }
            },
        )
    })
}

impl Case {
    fn row(&self, i: usize) -> &[f64] {
        &self.x[i * self.columns..(i + 1) * self.columns]
    }

    fn predictor(&self, i: usize, theta: &[f64]) -> f64 {
        let product: f64 = self.row(i).iter().zip(theta).map(|(x, t)| x * t).sum();
        product + theta.get(self.columns).copied().unwrap_or(0.0)
    }

    /// The size of $\nabla f_B(\theta) + \rho(\theta - z)$, and what rounding may make of zero.
    fn residual(&self, loss: &dyn Loss, y: &[f64], theta: &[f64]) -> (f64, f64) {
        let total: f64 = self.weights.iter().sum();
        let mut gradient: Vec<f64> = theta.iter().zip(&self.anchor).map(|(t, z)| self.rho * (t - z)).collect();
        let mut noise: f64 = theta.iter().zip(&self.anchor).map(|(t, z)| 1e-14 * self.rho * (t.abs() + z.abs())).sum();
        for i in (0..y.len()).filter(|&i| self.weights[i] > 0.0) {
            let (weight, eta) = (self.weights[i] / total, self.predictor(i, theta));
            let slope = loss.slope(eta, y[i]);
            self.row(i).iter().zip(&mut gradient).for_each(|(x, g)| *g += weight * slope * x);
            if let Some(g) = gradient.get_mut(self.columns) {
                *g += weight * slope;
            }
            let sizes: Vec<f64> = theta.iter().zip(&self.anchor).map(|(t, z)| t.abs() + z.abs()).collect();
            let terms: f64 = self.row(i).iter().zip(&sizes).map(|(x, s)| x.abs() * s).sum();
            let by = 1e-12 * (terms + sizes.get(self.columns).copied().unwrap_or(0.0));
            let uncertain = (loss.slope(eta + by, y[i]) - loss.slope(eta - by, y[i])).abs() + 1e-12 * slope.abs();
            // The slope of Poisson is a difference of e^η and y.
            let uncertain = uncertain + if loss.curvature_bound().is_none() { 1e-15 * y[i] } else { 0.0 };
            let length = self.row(i).iter().map(|x| x * x).sum::<f64>() + f64::from(u8::from(self.intercept));
            noise += weight * uncertain * length.sqrt();
        }
        (gradient.iter().map(|g| g * g).sum::<f64>().sqrt(), noise)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn a_prox_ends_at_its_tolerance_or_at_rounding(case in cases()) {
        for loss in losses() {
            let y = suited(&*loss, &case.noise);
            let data = Data::dense(&case.x, case.columns, &y).unwrap().weights(&case.weights).unwrap();
            let rows: Vec<usize> = (0..y.len()).collect();
            let mut batch = Batch::default();
            batch.fill(&data, &rows).unwrap();
            // The path that is chosen by itself; a forced one may lack the digits that the choice avoids losing.
            let mut prox = Prox::new(&*loss).intercept(case.intercept);
            let mut theta = case.anchor.clone();
            match prox.apply(&batch, case.rho, &mut theta) {
                Ok(()) => {}
                // The only loss here that overflows at a moderate predictor.
                Err(Error::Overflow { .. }) if loss.curvature_bound().is_none() => continue,
                Err(error) => return Err(TestCaseError::fail(format!("{}: {error}", loss.spec()))),
            }
            let (first, _) = case.residual(&*loss, &y, &case.anchor);
            let (reached, noise) = case.residual(&*loss, &y, &theta);
            // A step that only gets part of the way down an exponential is taken for what it is; it never leads up.
            let share = if loss.curvature_bound().is_none() { 1.0 } else { 1e-6 };
            prop_assert!(reached <= share * first + noise, "{}: {reached:e} {first:e} {noise:e}", loss.spec());
        }
    }
}

fn fit_scaled(
    data: Data,
    loss: impl Loss,
    set: impl Constraint,
    settings: &Settings,
) -> Result<(Fit, proxdist::Model)> {
    let scaling = Scaling::of(&data, true)?;
    let data = data.scaled(scaling.clone())?;
    let fit = Problem::new(&data, loss, set).intercept(true).fit(settings)?;
    let model = scaling.restored(fit.model())?;
    Ok((fit, model))
}

/// Five rows that a plane separates: the steps of the race end where slopes are pure rounding.
#[test]
fn a_squared_hinge_that_vanishes_is_fitted() {
    let x = [
        [1.0, 0.0, 1.0, 0.0, 0.0, -1.0],
        [1.0, 2.0, 0.0, 2.0, 0.0, 1.0],
        [-1.0, 2.0, -1.0, 1.0, 0.0, -1.0],
        [-2.0, 1.0, 1.0, -1.0, 1.0, 1.0],
        [-1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    ]
    .concat();
    let y = [0.0, 0.0, 1.0, 1.0, 1.0];
    let data = Data::dense(&x, 6, &y).unwrap();
    let (fit, _) = fit_scaled(data, SquaredHinge, WholeSpace, &Settings::default()).unwrap();
    assert!(fit.objective() < 1e-12, "{}", fit.objective());
    assert!(matches!(fit.stop(), Stop::Converged | Stop::Polished), "{}", fit.stop());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn small_classifiers_with_squared_hinge_are_fitted(
        (columns, x, labels) in (3..9_usize, 2..8_usize).prop_flat_map(|(n, p)| {
            let whole = prop::collection::vec((-2..3_i32).prop_map(f64::from), n * p);
            (Just(p), whole, prop::collection::vec((0..2_u8).prop_map(f64::from), n))
        }),
        intercept in any::<bool>(),
    ) {
        let data = Data::dense(&x, columns, &labels).unwrap();
        let fit = Problem::new(&data, SquaredHinge, WholeSpace).intercept(intercept).fit(&Settings::default());
        prop_assert!(fit.is_ok_and(|fit| fit.objective() <= 0.5), "F(0) is a half");
    }
}

/// A column of usual numbers with one cell of another size.
fn with_one_cell(value: f64) -> (Vec<f64>, Vec<f64>) {
    let wave = |i: usize, phase: f64| (1.7 * i as f64 + phase).sin();
    let mut x: Vec<f64> = (0..40).flat_map(|i| [wave(i, 0.0), wave(3 * i, 1.0), wave(5 * i, 2.0)]).collect();
    let y = (0..40).map(|i| x[3 * i] - 2.0 * x[3 * i + 2] + 0.1 * wave(7 * i, 3.0)).collect();
    x[3 * 3 + 1] = value;
    (x, y)
}

#[test]
fn one_large_cell_is_scaled_or_named() {
    for large in [1e100, -1e155, 1e160, 1e300] {
        let (x, y) = with_one_cell(large);
        let data = || Data::dense(&x, 3, &y).unwrap().names(["a", "b", "c"]).unwrap();
        let error = Problem::new(&data(), Squared, Ball::radius(1.0).unwrap()).fit(&Settings::default());
        let error = error.err().unwrap();
        assert!(
            matches!(&error, Error::TooLarge { row: 3, column: Some(b), value, .. } if b == "b" && *value == large),
            "{error}"
        );
        for keep in [2, 3] {
            // In units of the cell the rest of the column is zero.
            let shrunk: Vec<f64> =
                x.iter().enumerate().map(|(at, x)| if at % 3 == 1 { x / large } else { *x }).collect();
            let twin = Data::dense(&shrunk, 3, &y).unwrap();
            let settings = Settings::default();
            let (expected, _) = fit_scaled(twin, Squared, Sparsity::at_most(keep), &settings).unwrap();
            let (fit, model) = fit_scaled(data(), Squared, Sparsity::at_most(keep), &settings).unwrap();
            assert_eq!(fit.stop(), Stop::Polished);
            assert!((fit.objective() - expected.objective()).abs() <= 1e-12 * expected.objective(), "{large:e}");
            assert!(model.coefficients.iter().all(|value| *value == 0.0 || value.is_normal()), "{large:e}");
        }
    }
}

#[test]
fn a_large_response_or_offset_is_named() {
    let x = [1.0, 2.0, 3.0];
    let fit =
        |data: Data| Problem::new(&data, Squared, WholeSpace).fit(&Settings::default()).err().unwrap().to_string();
    let y = [1.0, -1e200, 2.0];
    let message = fit(Data::dense(&x, 1, &y).unwrap());
    assert!(message.starts_with("response at row 1 is -1e200"), "{message}");
    let message = fit(Data::dense(&x, 1, &[1.0, 2.0, 3.0]).unwrap().offset(&[0.0, 0.0, 1e71]).unwrap());
    assert!(message.starts_with("offset at row 2 is 1e71"), "{message}");
}

/// A small problem in which anything may be of any size.
#[derive(Clone, Debug)]
struct Extreme {
    x: Vec<f64>,
    noise: Vec<f64>,
    weights: Vec<f64>,
    ridge: f64,
    loss: usize,
    set: usize,
    intercept: bool,
    is_scaled: bool,
}

const ROWS: usize = 8;
const COLUMNS: usize = 3;

fn extremes() -> impl Strategy<Value = Extreme> {
    let power = |most: i32| prop_oneof![2 => Just(0), 1 => -most..=most, 1 => Just(most), 1 => Just(-most)];
    let numbers = |count: usize| prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), -2.0..2.0_f64], count);
    let sizes = (power(300), power(300), 0..ROWS * COLUMNS, power(200), power(200), power(300));
    let choice = (0..6_usize, 0..5_usize, any::<bool>(), any::<bool>(), 0..3_u8);
    (numbers(ROWS * COLUMNS), numbers(ROWS), sizes, choice).prop_map(
        |(
            mut x,
            mut noise,
            (column, cell, at, of_y, of_weights, of_ridge),
            (loss, set, intercept, is_scaled, ridged),
        )| {
            x.iter_mut().skip(1).step_by(COLUMNS).for_each(|x| *x *= 10_f64.powi(column));
            x[at] = 1.5 * 10_f64.powi(cell);
            noise.iter_mut().for_each(|y| *y *= 10_f64.powi(of_y));
            let weights = (0..ROWS).map(|i| (i % 3) as f64 * 10_f64.powi(of_weights)).collect();
            let ridge = if ridged == 0 { 10_f64.powi(of_ridge) } else { 0.0 };
            Extreme { x, noise, weights, ridge, loss, set, intercept, is_scaled }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_fit_is_finite_or_an_error(case in extremes()) {
        let loss = losses().swap_remove(case.loss);
        let sets: [Box<dyn Constraint>; 5] = [
            Box::new(WholeSpace),
            Box::new(Ball::radius(1.0).unwrap()),
            Box::new(Sparsity::at_most(1)),
            Box::new(NonNegative),
            Box::new(L1Ball::radius(1.0).unwrap()),
        ];
        let set = sets.into_iter().nth(case.set).unwrap();
        let y = suited(&*loss, &case.noise);
        let data = Data::dense(&case.x, COLUMNS, &y).unwrap().weights(&case.weights).unwrap();
        let is_scaled = case.is_scaled && set.is_scale_free();
        let scaling = is_scaled.then(|| Scaling::of(&data, case.intercept).unwrap());
        let data = match &scaling {
            Some(scaling) => data.scaled(scaling.clone()).unwrap(),
            None => data,
        };
        let problem = Problem::new(&data, loss, set).ridge(case.ridge).intercept(case.intercept);
        let fit = match problem.fit(&Settings::default()) {
            Ok(fit) => fit,
            Err(error) => {
                let is_about_size = match &error {
                    Error::TooLarge { .. } | Error::Overflow { .. } | Error::Overflows { .. } | Error::Diverged { .. } => true,
                    Error::Setting { setting, .. } => *setting == "ridge" && case.ridge > 1e70,
                    _ => false,
                };
                prop_assert!(is_about_size, "{error}");
                return Ok(());
            }
        };
        let at_zero = problem.objective().value(&vec![0.0; COLUMNS + usize::from(case.intercept)]).unwrap();
        let certificate = fit.certificate();
        let numbers = [fit.objective(), certificate.distance, certificate.stationarity];
        let all = fit.coefficients().iter().chain(&numbers).copied().chain(fit.intercept()).chain(certificate.gap.map(|gap| gap.value));
        prop_assert!(all.into_iter().all(f64::is_finite), "{:?} {:?} {certificate:?}", fit.coefficients(), fit.objective());
        prop_assert!(fit.trace().iter().all(|at| at.objective.is_finite() && at.distance.is_finite()));
        prop_assert!(fit.objective() <= at_zero * (1.0 + 1e-9) + f64::MIN_POSITIVE, "{} {at_zero}", fit.objective());
        if let Some(Ok(model)) = scaling.map(|scaling| scaling.restored(fit.model())) {
            prop_assert!(model.coefficients.iter().chain(&model.intercept).all(|value| value.is_finite()));
        }
    }
}

/// Counts of 10⁶⁰ over features of 10⁶⁰: whatever the penalty, a step overflows.
#[test]
fn a_race_in_which_all_diverge_leaves_numbers() {
    let x = [1e60, -2e60, 3e60, 1e59];
    let y = [1e60, 0.0, 3e60, 7.0];
    let data = Data::dense(&x, 1, &y).unwrap();
    let mut fitted = 0;
    for radius in [1e-70, 1e-60, 1.0] {
        let problem = Problem::new(&data, Poisson, Ball::radius(radius).unwrap());
        let fit = match problem.fit(&Settings::default()) {
            Ok(fit) => fit,
            Err(Error::Overflow { .. } | Error::Overflows { .. } | Error::Diverged { .. }) => continue,
            Err(error) => panic!("{radius:e}: {error}"),
        };
        fitted += 1;
        let at = fit.certificate();
        assert!([fit.objective(), at.distance, at.stationarity].into_iter().all(f64::is_finite), "{radius:e}: {at:?}");
        assert!(fit.trace().iter().all(|at| at.objective.is_finite() && at.distance.is_finite()));
        assert!(fit.coefficients()[0].abs() <= radius && fit.objective() <= 1.0);
    }
    assert!(fitted > 0, "the smallest ball has a fit");
}

/// Where every row is classified beyond doubt the Hessian underflows; a set of one point has its fit all the same.
#[test]
fn curvature_that_underflows_is_no_reason_to_refuse() {
    let (x, y): (Vec<f64>, Vec<f64>) = (0..20)
        .map(|i| (f64::from(i), f64::from(i % 2)))
        .map(|(i, y)| ([0.1 * i, 200.0 + i, 1.0 + 0.05 * i, 165.0 - i], y))
        .fold((Vec::new(), Vec::new()), |(mut x, mut y), (row, label)| {
            x.extend(row);
            y.push(label);
            (x, y)
        });
    let data = Data::dense(&x, 4, &y).unwrap();
    let set = proxdist::spec::SetSpec::parse("simplex:8 & box:0,2").unwrap().build(data.parameter_shape()).unwrap();
    let fit = Problem::new(&data, Logistic, set).fit(&Settings::default()).unwrap();
    assert_eq!(fit.coefficients(), [2.0; 4]);
    assert!(fit.certificate().stationarity.is_finite());
}

/// Far from the responses every row lies on a straight piece of Huber's loss, where second derivatives say nothing.
#[test]
fn a_low_rank_fit_on_straight_pieces_is_measured_all_the_same() {
    let x: Vec<f64> = (0..75).map(|k| f64::from((k * 37) % 19) - 6.0 + 0.1 * f64::from(k % 5)).collect();
    let y = [1010.0, 900.0, 730.0, 910.0, 760.0];
    let data = Data::dense(&x, 15, &y).unwrap().shape(5, 3).unwrap();
    let set = proxdist::spec::SetSpec::parse("rank:2 & ball:1.6").unwrap().build(data.parameter_shape()).unwrap();
    let fit = Problem::new(&data, Huber::with_delta(1.7).unwrap(), set).fit(&Settings::default()).unwrap();
    assert!(fit.certificate().stationarity.is_finite() && fit.objective().is_finite());
    assert!(fit.coefficients().iter().map(|x| x * x).sum::<f64>().sqrt() <= 1.6 + 1e-12);
}
