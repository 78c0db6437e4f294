//! The laws of a path.

use super::testing::{Case, enumerated};
use super::{Criterion, Path, PathProgress, PathSettings};
use crate::loss::Squared;
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
            hits += usize::from(point.objective <= least + 1e-8 * scale);
        }
    }
    (hits, all)
}

#[test]
fn squared_loss_reaches_the_best_subsets_of_nearly_all_small_problems() {
    let cases = |count: u64| (0..count).map(|seed| (format!("{seed}"), Case::random(25, 7, Box::new(Squared), seed)));
    let (hits, all) = reached(cases(60), &PathSettings::default());
    assert!(hits * 100 >= all * 97, "{hits} of {all}");
    let (walked, all) = reached(cases(60), &PathSettings::default().walk(20));
    assert!(walked * 100 >= all * 99, "{walked} of {all}");
    // Without room for the matrix.
    let (on_demand, all) = reached(cases(20), &PathSettings::default().memory(0));
    assert!(on_demand * 100 >= all * 97, "{on_demand} of {all}");
    println!("{hits} {walked} {on_demand}");
}
