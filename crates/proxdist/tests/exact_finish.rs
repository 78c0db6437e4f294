//! Fits without any setting end on the exact constrained optimum, stay in the set, never raise F, and say how good they are.

use proxdist::constraint::{Ball, Constraint, Sparsity, projected};
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::simulate::{Response, Simulated, Truth, correlated, matrix, vector};
use proxdist::spec::SetSpec;
use proxdist::trace::Phase;
use proxdist::{Data, Exchanges, Fit, Problem, Proof, Settings, Stop};

fn built(text: &str, data: &Data) -> Box<dyn Constraint> {
    SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap()
}

fn planted(simulated: &Simulated) -> Vec<usize> {
    (0..simulated.truth.len()).filter(|&j| simulated.truth[j] != 0.0).collect()
}

/// Every set of the catalogue that has an exact finish, on a parameter of 12 = 3 × 4 coefficients.
const SETS: [&str; 20] = [
    "none",
    "ball:1",
    "sparsity:3",
    "rank:1",
    "box:-0.3,0.4",
    "nonneg",
    "l1:1.5",
    "linf:0.3",
    "simplex",
    "affine;a=1,1,1,1,1,1,1,1,1,1,1,1;b=1",
    "halfspace;a=1,1,1,1,1,1,1,1,1,1,1,1;b=-1",
    "monotone",
    "group-sparsity:2;size=3",
    "sparsity:3 & nonneg",
    "sparsity:3 & box:-0.2,0.5",
    "sparsity:3 & ball:1",
    "sparsity:3 & simplex",
    "sparsity:3 & l1:1",
    "blocks[1-5: simplex][6-12: box:-0.2,0.2]",
    "monotone & box:-0.3,0.3",
];

#[test]
fn the_result_lies_in_the_set_and_is_stationary_for_every_set_and_loss() {
    let huber = Huber::with_delta(1.0).unwrap();
    let losses: [(Response, &dyn Loss); 3] =
        [(Response::Linear, &Squared), (Response::Logistic, &Logistic), (Response::Huber, &huber)];
    for (response, loss) in losses {
        let simulated = vector(response, Truth::OutsideBall, 300, 12, 5).unwrap();
        let data = simulated.data().unwrap().shape(3, 4).unwrap();
        for text in SETS {
            let set = built(text, &data);
            let fit = Problem::new(&data, loss, &set).intercept(true).fit(&Settings::default()).unwrap();
            let again = projected(&*set, fit.coefficients()).unwrap();
            let moved = fit.coefficients().iter().zip(&again).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved < 1e-10, "{text}, {response:?}: {moved:e} outside the set");
            let certificate = fit.certificate();
            // Along a curved set a search ends a little earlier.
            let least = if text.starts_with("rank") { 2e-8 } else { 1e-9 };
            assert!(certificate.stationarity <= least, "{text}, {response:?}: {certificate:?}");
            assert_eq!(fit.stop(), Stop::Polished, "{text}, {response:?}");
            // One projection proves little about sets that are not convex.
            if let Some(gap) = certificate.gap.filter(|gap| gap.proof != Proof::Projection) {
                assert!(gap.value <= 1e-9 * fit.objective(), "{text}, {response:?}: {gap:?}");
            }
        }
    }
}

#[test]
fn balls_boxes_simplices_and_l1_balls_have_a_bound_on_what_is_missing() {
    let simulated = vector(Response::Linear, Truth::OutsideBall, 300, 12, 5).unwrap();
    let data = simulated.data().unwrap();
    for text in ["ball:1", "box:-0.3,0.4", "simplex", "l1:1.5", "linf:0.3"] {
        let problem = Problem::new(&data, Squared, built(text, &data));
        let polished = problem.fit(&Settings::default()).unwrap();
        let rough = problem.fit(&Settings::default().polish(false).max_steps(30)).unwrap();
        let (small, large) = (polished.certificate().gap.unwrap().value, rough.certificate().gap.unwrap().value);
        assert!(small <= 1e-7 * polished.objective(), "{text}: {small:e}");
        // The bound is one: the optimum is not further below than it says.
        assert!(rough.objective() - polished.objective() <= large + 1e-12, "{text}");
    }
}

#[test]
fn polishing_never_raises_the_objective() {
    let simulated = vector(Response::Logistic, Truth::Sparse(4), 400, 12, 3).unwrap();
    let data = simulated.data().unwrap().shape(3, 4).unwrap();
    for text in SETS {
        let problem = Problem::new(&data, Logistic, built(text, &data));
        let settings = Settings::default().rho1(0.5).max_steps(20).seed(1);
        let rough = problem.fit(&settings.clone().polish(false)).unwrap();
        let polished = problem.fit(&settings).unwrap();
        assert!(polished.objective() <= rough.objective(), "{text}");
        assert_eq!(polished.trace().last().unwrap().phase, Phase::Polish);
    }
}

fn assert_untuned_recovery(simulated: &Simulated, loss: &dyn Loss, name: &str) -> Fit {
    let data = simulated.data().unwrap();
    let support = planted(simulated);
    let fit = Problem::new(&data, loss, Sparsity::at_most(support.len())).fit(&Settings::default()).unwrap();
    assert_eq!(fit.support(), support, "{name}");
    // Without squares the exchanges that promise nothing are left to a model.
    let exchanges = fit.certificate().exchanges;
    assert!(
        exchanges.are_exhausted() || (exchanges == Exchanges::Model && !loss.is_quadratic()),
        "{name}: {exchanges}"
    );
    fit
}

#[test]
fn untuned_fits_find_planted_supports() {
    let huber = Huber::with_delta(2.0).unwrap();
    for seed in 0..3 {
        for nonzeros in [5, 20] {
            let linear = vector(Response::Linear, Truth::Sparse(nonzeros), 2000, 200, seed).unwrap();
            assert_untuned_recovery(&linear, &Squared, "linear");
            let outliers = vector(Response::Huber, Truth::Sparse(nonzeros), 2000, 200, seed).unwrap();
            assert_untuned_recovery(&outliers, &huber, "Huber");
        }
        let logistic = vector(Response::Logistic, Truth::Sparse(5), 2000, 200, seed).unwrap();
        assert_untuned_recovery(&logistic, &Logistic, "logistic");
    }
}

#[test]
fn pairs_that_hide_each_other_are_found() {
    for seed in 0..3 {
        let simulated = correlated(Response::Linear, 5, 2000, 100, seed).unwrap();
        assert_untuned_recovery(&simulated, &Squared, "correlated");
    }
}

/// Exhaustive search is the oracle: every support of the right size, refitted by normal equations.
#[test]
fn small_problems_end_on_the_best_of_all_subsets() {
    for seed in 0..8 {
        let simulated = correlated(Response::Linear, 4, 60, 9, seed).unwrap();
        let data = simulated.data().unwrap();
        for keep in 1..9 {
            let set = Sparsity::at_most(keep);
            let problem = Problem::new(&data, Squared, set);
            let found = problem.fit(&Settings::default()).unwrap().objective();
            let best = (0_u32..1 << 9)
                .filter(|mask| mask.count_ones() as usize == keep)
                .map(|mask| {
                    let columns: Vec<usize> = (0..9).filter(|j| mask >> j & 1 == 1).collect();
                    least_squares(&simulated, &columns)
                })
                .fold(f64::INFINITY, f64::min);
            assert!(found <= best * (1.0 + 1e-9), "seed {seed}, {keep} features: {found} against {best}");
        }
    }
}

/// Half the mean squared residual of least squares on some columns, by Gram–Schmidt.
fn least_squares(simulated: &Simulated, columns: &[usize]) -> f64 {
    let (n, p) = (simulated.y.len(), simulated.truth.len());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut residual = simulated.y.clone();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &j in columns {
        let mut column: Vec<f64> = (0..n).map(|i| simulated.x[i * p + j]).collect();
        for _ in 0..2 {
            for unit in &basis {
                let along = dot(unit, &column);
                column.iter_mut().zip(unit).for_each(|(c, u)| *c -= along * u);
            }
        }
        let length = dot(&column, &column).sqrt();
        column.iter_mut().for_each(|c| *c /= length);
        let along = dot(&column, &residual);
        residual.iter_mut().zip(&column).for_each(|(r, c)| *r -= along * c);
        basis.push(column);
    }
    0.5 * dot(&residual, &residual) / n as f64
}

#[test]
fn a_low_rank_truth_is_found_up_to_noise() {
    let simulated = matrix(2, 3000, 4).unwrap();
    let data = simulated.data().unwrap();
    let fit = Problem::new(&data, Squared, built("rank:2", &data)).fit(&Settings::default()).unwrap();
    let error: f64 = fit.coefficients().iter().zip(&simulated.truth).map(|(a, b)| (a - b) * (a - b)).sum();
    // No estimator does better than about r(p + q − r)/n = 0.084 here.
    assert!(error < 0.13, "{error}");
    assert!(fit.certificate().is_stationary());
}

#[test]
fn a_perfect_fit_is_stationary_too() {
    // More features allowed than the truth has: what is left of F and its gradient is rounding error.
    let mut simulated = vector(Response::Linear, Truth::Sparse(2), 200, 10, 1).unwrap();
    for (y, row) in simulated.y.iter_mut().zip(simulated.x.chunks_exact(10)) {
        *y = row.iter().zip(&simulated.truth).map(|(x, t)| x * t).sum();
    }
    let data = simulated.data().unwrap();
    for text in ["sparsity:2", "sparsity:3", "none", "ball:100"] {
        let fit = Problem::new(&data, Squared, built(text, &data)).intercept(true).fit(&Settings::default()).unwrap();
        assert!(fit.objective() < 1e-20 && fit.stop() == Stop::Polished, "{text}: {:?}", fit.certificate());
    }
}

#[test]
fn awkward_data_have_finite_fits() {
    // A constant column, two equal columns, and a class that one column separates.
    let rows = 40;
    let x: Vec<f64> = (0..rows)
        .flat_map(|i| {
            let wave = (1.3 * f64::from(i)).sin();
            [1.0, wave, wave, f64::from(i) - 19.5, (0.7 * f64::from(i)).cos()]
        })
        .collect();
    let labels: Vec<f64> = (0..rows).map(|i| f64::from(u8::from(i >= 20))).collect();
    let data = Data::dense(&x, 5, &labels).unwrap();
    for text in ["none", "sparsity:1", "sparsity:2", "ball:5", "nonneg", "l1:3", "sparsity:5"] {
        for loss in [&Logistic as &dyn Loss, &Squared] {
            let problem = Problem::new(&data, loss, built(text, &data)).intercept(true);
            let fit = problem.fit(&Settings::default()).unwrap();
            assert!(fit.coefficients().iter().all(|v| v.is_finite()), "{text}");
            assert!(fit.objective().is_finite() && fit.intercept().unwrap().is_finite(), "{text}");
        }
    }
    // Far more columns than rows.
    let wide = vector(Response::Linear, Truth::Sparse(3), 25, 300, 2).unwrap();
    let data = wide.data().unwrap();
    for keep in [1, 3, 10, 24, 40] {
        let fit =
            Problem::new(&data, Squared, Sparsity::at_most(keep)).intercept(true).fit(&Settings::default()).unwrap();
        assert!(fit.support().len() <= keep && fit.objective().is_finite());
    }
}

#[test]
fn averaging_gives_a_feasible_point_that_is_not_worse() {
    let simulated = vector(Response::Linear, Truth::OutsideBall, 2000, 20, 6).unwrap();
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Ball::radius(1.0).unwrap());
    let settings = Settings::default().rho1(0.05).polish(false).max_steps(600).batch_size(10);
    let plain = problem.fit(&settings).unwrap();
    let averaged = problem.fit(&settings.clone().average(true)).unwrap();
    assert!(averaged.objective() < plain.objective(), "{} {}", averaged.objective(), plain.objective());
    assert!(averaged.coefficients().iter().map(|v| v * v).sum::<f64>() <= 1.0 + 1e-12);
    // With sparsity too: the average is only taken once the support has settled.
    let sparse = vector(Response::Linear, Truth::Sparse(3), 2000, 20, 6).unwrap();
    let data = sparse.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(3));
    let averaged = problem.fit(&settings.average(true)).unwrap();
    assert_eq!(averaged.support(), planted(&sparse));
}
