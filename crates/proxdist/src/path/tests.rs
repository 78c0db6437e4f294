//! The laws of a path.

use super::testing::{Case, enumerated};
use super::{Criterion, Path, PathProgress, PathSettings};
use crate::constraint::{NonNegative, Sparsity};
use crate::data::Data;
use crate::loss::{Gamma, Huber, Logistic, Loss, NegativeBinomial, Poisson, Squared, SquaredHinge, Tweedie};
use crate::objective::Objective;
use crate::problem::Problem;
use std::ops::ControlFlow;

/// What holds for every path.
fn obeys_laws(problem: &Problem, path: &Path, largest: usize, name: &str) {
    for points in path.by_ridge() {
        assert_eq!(points.len(), largest + 1, "{name}");
        for (size, point) in points.iter().enumerate() {
            assert_eq!(point.size, size);
            assert!(point.support.len() <= size, "{name}: {point:?}");
            let ridge = problem.ridge_term().with_weight(point.ridge);
            let objective = Objective { ridge, ..problem.objective() };
            assert_eq!(objective.value(&point.theta).unwrap(), point.objective, "{name}");
            let coefficients = path.layout.coefficients(&point.theta);
            let used: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
            assert!(used.iter().all(|j| point.support.contains(j)), "{name}");
            assert!(point.is_separated || point.stationarity <= 1e-10, "{name}: {point:?}");
            if size > 0 {
                assert!(point.objective <= points[size - 1].objective, "{name}: F rises at {size}");
            }
        }
    }
}

/// How many of the sizes of some random problems reach the least F of all supports; never below it.
fn reached(cases: impl Iterator<Item = (String, Case)>, settings: &PathSettings) -> (usize, usize) {
    let (largest, mut hits, mut all) = (4, 0, 0);
    for (name, case) in cases {
        let data = case.data();
        let problem = case.problem(&data, largest);
        let path = Path::trace(&problem, settings).unwrap();
        obeys_laws(&problem, &path, largest, &name);
        let least = enumerated(&problem, largest);
        let scale = least[0].abs();
        for (point, least) in path.points.iter().zip(&least) {
            if point.is_separated {
                continue;
            }
            assert!(point.objective >= least - 1e-9 * scale, "{name}: {} below {least}", point.objective);
            all += 1;
            let is_hit = point.objective <= least + 1e-8 * scale;
            if !is_hit {
                println!("{name} size {}: {} above {least}, {:?}", point.size, point.objective, point.support);
            }
            hits += usize::from(is_hit);
        }
    }
    (hits, all)
}

#[test]
fn squared_loss_reaches_the_best_subsets_of_nearly_all_small_problems() {
    let cases = |count: u64| (0..count).map(|seed| (format!("{seed}"), Case::random(25, 7, Box::new(Squared), seed)));
    let (hits, all) = reached(cases(60), &PathSettings::default());
    assert!(hits * 100 >= all * 97, "{hits} of {all}");
    let (hits, all) = reached(cases(60), &PathSettings::default().walk(20));
    assert!(hits * 100 >= all * 99, "{hits} of {all}");
    // Without room for the matrix.
    let (hits, all) = reached(cases(20), &PathSettings::default().memory(0));
    assert!(hits * 100 >= all * 97, "{hits} of {all}");
}

#[test]
fn other_losses_reach_the_best_subsets_of_nearly_all_small_problems() {
    let losses: [fn() -> Box<dyn Loss>; 8] = [
        || Box::new(Logistic),
        || Box::new(Poisson),
        || Box::new(Huber::with_delta(1.345).unwrap()),
        || Box::new(Huber::with_delta(0.05).unwrap()),
        || Box::new(SquaredHinge),
        || Box::new(Gamma),
        || Box::new(Tweedie::with_power(1.6).unwrap()),
        || Box::new(NegativeBinomial::with_alpha(0.5).unwrap()),
    ];
    let mut short = Vec::new();
    for loss in losses {
        let cases = (0..12).map(|seed| (format!("{} {seed}", loss().spec()), Case::random(60, 6, loss(), seed)));
        let (hits, all) = reached(cases, &PathSettings::default());
        if hits * 100 < all * 95 || all < 40 {
            short.push(format!("{}: {hits} of {all}", loss().spec()));
        }
    }
    assert!(short.is_empty(), "{short:?}");
}

/// A matrix in sparse rows gives what the same matrix gives densely, and on-demand rows give what the whole matrix gives.
#[test]
fn storage_and_memory_do_not_matter() {
    for loss in [Box::new(Squared) as Box<dyn Loss>, Box::new(Logistic)] {
        let mut case = Case::random(80, 9, loss, 3);
        // Half of the entries are zero.
        case.x.iter_mut().enumerate().filter(|(i, _)| i % 7 < 3).for_each(|(_, x)| *x = 0.0);
        case.ridge = 1e-3;
        let starts: Vec<usize> = (0..=80).map(|row| case.x[..row * 9].iter().filter(|x| **x != 0.0).count()).collect();
        let stored = || case.x.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let (indices, values): (Vec<u32>, Vec<f64>) = stored().map(|(at, x)| ((at % 9) as u32, *x)).unzip();
        let sparse = Data::sparse(&starts, &indices, &values, 9, &case.y).unwrap();
        let sparse = sparse.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
        let dense = case.data();
        for has_intercept in [false, true] {
            case_agrees(&case, &[&dense, &sparse], has_intercept);
        }
    }
}

fn case_agrees(case: &Case, storages: &[&Data], has_intercept: bool) {
    let mut found: Vec<Vec<(Vec<usize>, f64)>> = Vec::new();
    for data in storages {
        for memory in [1 << 30, 0] {
            let problem = Problem::new(data, &*case.loss, Sparsity::at_most(6)).ridge(1e-3).intercept(has_intercept);
            let path = Path::trace(&problem, &PathSettings::default().memory(memory)).unwrap();
            found.push(path.points.iter().map(|point| (point.support.clone(), point.objective)).collect());
        }
    }
    for other in &found[1..] {
        for ((support, value), (other_support, other_value)) in found[0].iter().zip(other) {
            assert_eq!(support, other_support);
            assert!((value - other_value).abs() <= 1e-12 * value.abs(), "{value} {other_value}");
        }
    }
}

#[test]
fn a_ridge_of_its_own_gives_what_a_grid_gives_or_worse() {
    for loss in [Box::new(Squared) as Box<dyn Loss>, Box::new(Logistic)] {
        let case = Case::random(60, 12, loss, 11);
        let data = case.data();
        let problem = case.problem(&data, 6);
        let grid = [1e-4, 1e-2, 1.0];
        let path = Path::trace(&problem, &PathSettings::default().ridges(grid)).unwrap();
        obeys_laws(&problem, &path, 6, "grid");
        assert_eq!(path.by_ridge().count(), 3);
        for (number, ridge) in grid.into_iter().enumerate() {
            let alone = Path::trace(&problem, &PathSettings::default().ridges([ridge])).unwrap();
            for size in 0..=6 {
                let (with, without) = (path.point(size, number).unwrap(), alone.point(size, 0).unwrap());
                assert_eq!((with.ridge, with.size), (ridge, size));
                assert!((with.objective - without.objective).abs() < 0.02 * without.objective, "{size} {ridge}");
            }
        }
    }
}

#[test]
fn no_bit_depends_on_the_threads() {
    for loss in [Box::new(Squared) as Box<dyn Loss>, Box::new(Logistic)] {
        let case = Case::random(700, 30, loss, 5);
        let data = case.data();
        let problem = case.problem(&data, 8);
        let of = |threads| Path::trace(&problem, &PathSettings::default().walk(5).threads(threads)).unwrap();
        let one = of(1);
        assert_eq!(one, of(2));
        assert_eq!(one, of(5));
    }
}

#[test]
fn a_path_that_was_ended_has_the_sizes_found_so_far() {
    for loss in [Box::new(Squared) as Box<dyn Loss>, Box::new(Logistic)] {
        let mut case = Case::random(80, 12, loss, 2);
        case.ridge = 1e-3;
        let data = case.data();
        let problem = case.problem(&data, 8);
        let whole = Path::trace(&problem, &PathSettings::default()).unwrap();
        for stop in [0, 3, 8, 12] {
            let mut steps = 0;
            let path = Path::trace_observed(&problem, &PathSettings::default(), &mut |progress: &PathProgress| {
                assert!(progress.size <= progress.largest && progress.largest == 8);
                steps += 1;
                if steps > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let path = path.unwrap();
            assert_eq!(path.is_interrupted, steps > stop);
            let known = path.points.len() - 1;
            assert!(known >= stop.min(8) && known <= 8, "{known} {stop}");
            obeys_laws(&problem, &path, known, "ended");
            for (point, whole) in path.points.iter().zip(&whole.points) {
                assert!(point.objective >= whole.objective - 1e-12);
            }
        }
    }
}

/// Two classes that one column tells apart: from size one on F has no minimum, which is said, and F still never rises.
#[test]
fn separated_classes_are_marked() {
    let mut case = Case::random(60, 8, Box::new(Logistic), 21);
    let mut sorted: Vec<f64> = case.x.chunks_exact(8).map(|row| row[3]).collect();
    sorted.sort_by(f64::total_cmp);
    for (row, y) in case.x.chunks_exact(8).zip(&mut case.y) {
        *y = f64::from(u8::from(row[3] > sorted[25]));
    }
    (case.ridge, case.has_intercept) = (0.0, true);
    let data = case.data();
    let problem = case.problem(&data, 5);
    let path = Path::trace(&problem, &PathSettings::default()).unwrap();
    obeys_laws(&problem, &path, 5, "separated");
    assert!(!path.points[0].is_separated && path.points[5].is_separated);
    assert!(path.points[5].objective < 1e-5 && path.points[5].objective >= 0.0);
    let first = path.points.iter().position(|point| point.is_separated).unwrap();
    assert!(path.points[first..].iter().all(|point| point.is_separated));
    // A ridge makes it a problem like others.
    let shrunk = Path::trace(&problem, &PathSettings::default().ridges([1e-4])).unwrap();
    obeys_laws(&problem, &shrunk, 5, "shrunk");
    assert!(shrunk.points.iter().all(|point| !point.is_separated));
}

/// Some rows of a class can be moved to infinity, the others hold F above zero: no minimum either.
#[test]
fn partly_separated_classes_are_marked() {
    let (rows, columns) = (40, 3);
    let case = Case::random(rows, columns, Box::new(Logistic), 4);
    let (mut x, mut y) = (case.x.clone(), case.y.clone());
    for (i, row) in x.chunks_exact_mut(columns).enumerate() {
        // Only rows of class one have the second column.
        row[1] = if i % 5 == 0 { 1.0 } else { 0.0 };
        y[i] = if i % 5 == 0 { 1.0 } else { f64::from(u8::from(i % 2 == 0)) };
    }
    let data = Data::dense(&x, columns, &y).unwrap();
    let problem = Problem::new(&data, Logistic, Sparsity::at_most(1)).intercept(true);
    let path = Path::trace(&problem, &PathSettings::default()).unwrap();
    assert_eq!(path.points[1].support, [1]);
    assert!(path.points[1].is_separated && path.points[1].objective > 0.3);
    assert!(path.points[1].objective <= path.points[0].objective);
}

#[test]
fn criteria_agree_with_their_formulas() {
    let case = Case::random(60, 6, Box::new(Logistic), 9);
    let data = case.data();
    let path = Path::trace(&case.problem(&data, 4), &PathSettings::default().ridges([0.01])).unwrap();
    let (akaike, bayes) = (path.criterion(Criterion::Akaike).unwrap(), path.criterion(Criterion::Bayes).unwrap());
    let extended = path.criterion(Criterion::ExtendedBayes { gamma: 0.5 }).unwrap();
    for (at, point) in path.points.iter().enumerate() {
        let count = point.support.len() as f64;
        let predictors = crate::metrics::linear_predictors(
            &data,
            path.layout.coefficients(&point.theta),
            path.layout.intercept(&point.theta).unwrap_or(0.0),
        );
        let terms = predictors.unwrap();
        let terms = terms.iter().enumerate().map(|(i, eta)| data.weight(i) * 2.0 * Logistic.value(*eta, case.y[i]));
        let deviance = 60.0 * terms.sum::<f64>() / data.weight_sum();
        assert!((akaike[at] - deviance - 2.0 * count).abs() < 1e-9 * deviance);
        assert!((bayes[at] - deviance - count * 60.0_f64.ln()).abs() < 1e-9 * deviance);
        let choices: f64 = [1.0, 6.0, 15.0, 20.0, 15.0][point.support.len()];
        assert!((extended[at] - bayes[at] - choices.ln()).abs() < 1e-9 * deviance);
    }
    assert!(path.criterion(Criterion::ExtendedBayes { gamma: 2.0 }).is_err());
    let huber = Case::random(60, 6, Box::new(Huber::with_delta(1.0).unwrap()), 9);
    let data = huber.data();
    let path = Path::trace(&huber.problem(&data, 2), &PathSettings::default()).unwrap();
    assert!(path.criterion(Criterion::Akaike).unwrap_err().to_string().contains("log-likelihood"));
}

#[test]
fn what_a_path_cannot_do_is_said() {
    let case = Case::random(20, 4, Box::new(Squared), 1);
    let data = case.data();
    let refused = Path::trace(&Problem::new(&data, Squared, NonNegative), &PathSettings::default()).unwrap_err();
    let refused = refused.to_string();
    assert!(
        refused.contains("exactly one number of features or groups") && refused.ends_with("got nonneg"),
        "{refused}"
    );
    let wrong = Path::trace(&case.problem(&data, 2), &PathSettings::default().ridges([-1.0])).unwrap_err();
    assert!(wrong.to_string().contains("ridge"), "{wrong}");
    assert!(Path::trace(&case.problem(&data, 5), &PathSettings::default()).is_err());
}

/// More features than rows, no ridge: F reaches zero and stays there.
#[test]
fn more_features_than_rows_end_at_a_perfect_fit() {
    let mut case = Case::random(8, 20, Box::new(Squared), 6);
    case.ridge = 0.0;
    let data = case.data();
    let problem = case.problem(&data, 15);
    let path = Path::trace(&problem, &PathSettings::default().walk(3)).unwrap();
    for (size, point) in path.points.iter().enumerate() {
        assert!(point.support.len() <= size.min(8));
        assert!(size == 0 || point.objective <= path.points[size - 1].objective);
    }
    assert!(path.points[15].objective < 1e-12 * path.points[0].objective, "{:e}", path.points[15].objective);
}
