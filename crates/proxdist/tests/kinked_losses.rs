//! Fits of kinked losses against Clarabel on the linear or quadratic program itself, with all residuals as variables, and against every choice of features.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use proxdist::constraint::{
    Ball, Bounds, Constraint, L1Ball, Monotone, NonNegative, Rank, Simplex, Sparsity, WholeSpace,
};
use proxdist::loss::{Absolute, Hinge, Loss, Quantile, Squared, Sum, Task};
use proxdist::path::{Path, PathSettings};
use proxdist::{Data, Exchanges, Problem, Settings, Stop};

/// A small table in raw units: columns spread over five decades, a constant one, weights some of which are zero, an offset, responses with ties.
struct Case {
    rows: usize,
    columns: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
}

/// Numbers in (−1, 1) from a seed.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Case {
    fn new(seed: u64, rows: usize, columns: usize, task: Task) -> Self {
        let mut next = numbers(seed + 1);
        let unit = |j: usize| 10f64.powf((j % 5) as f64 - 2.0);
        let mut x = Vec::new();
        for _ in 0..rows {
            for j in 0..columns {
                x.push(unit(j) * (next() + if j == 1 { 3.0 } else { 0.0 }));
            }
        }
        let offset: Vec<f64> = (0..rows).map(|_| 0.3 * next()).collect();
        let weights: Vec<f64> = (0..rows).map(|i| if i % 7 == 3 { 0.0 } else { 1.5 + next() }).collect();
        let response = |i: usize, noise: f64| {
            let signal: f64 = (0..columns).map(|j| x[i * columns + j] / unit(j) * [1.0, -0.5, 0.3][j % 3]).sum();
            let eta = signal + noise + offset[i];
            match task {
                Task::TwoClasses => f64::from(u8::from(eta > 0.0)),
                // Rounded, so that there are ties.
                _ => (2.0 * eta).round(),
            }
        };
        let y = (0..rows)
            .map(|i| {
                let noise = 1.5 * next();
                response(i, noise)
            })
            .collect();
        Self { rows, columns, x, y, weights, offset }
    }

    fn data(&self) -> Data<'_> {
        let data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        data.weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    /// The least F over a set in conic form by Clarabel: variables θ, magnitudes, β₀, then p and q of each row.
    fn least(&self, loss: &dyn Loss, set: &dyn Constraint, ridge: f64, support: &[usize]) -> f64 {
        let conic = set.structure().conic(support.len()).unwrap();
        let (shape, total) = (support.len() + conic.magnitudes.len(), self.weights.iter().sum::<f64>());
        let size = shape + 1 + 2 * self.rows;
        let mut linear = vec![0.0; size];
        let (mut equal, mut upper, mut round) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.rows {
            let kink = loss.kinked().unwrap().kink(self.y[i]);
            let mut row: Vec<(usize, f64)> =
                support.iter().enumerate().map(|(at, &j)| (at, self.x[i * self.columns + j])).collect();
            row.extend([(shape, 1.0), (shape + 1 + i, 1.0), (shape + 1 + self.rows + i, -1.0)]);
            equal.push((row, kink.at - self.offset[i]));
            linear[shape + 1 + i] = -kink.below * self.weights[i] / total;
            linear[shape + 1 + self.rows + i] = kink.above * self.weights[i] / total;
        }
        for j in shape + 1..size {
            upper.push((vec![(j, -1.0)], 0.0));
        }
        for row in &conic.rows {
            if row.is_equality { &mut equal } else { &mut upper }.push((row.terms.clone(), row.right));
        }
        let mut cones = vec![SupportedConeT::ZeroConeT(equal.len()), SupportedConeT::NonnegativeConeT(upper.len())];
        for ball in &conic.balls {
            round.push((Vec::new(), ball.radius));
            round.extend(ball.coordinates.iter().zip(&ball.center).map(|(&j, c)| (vec![(j, -1.0)], -c)));
            cones.push(SupportedConeT::SecondOrderConeT(ball.coordinates.len() + 1));
        }
        let all: Vec<_> = equal.into_iter().chain(upper).chain(round).collect();
        let mut triplets: Vec<(usize, usize, f64)> = Vec::new();
        for (i, (terms, _)) in all.iter().enumerate() {
            triplets.extend(terms.iter().map(|&(j, a)| (j, i, a)));
        }
        triplets.sort_by_key(|&(j, i, _)| (j, i));
        let matrix = CscMatrix::new_from_triplets(
            all.len(),
            size,
            triplets.iter().map(|t| t.1).collect(),
            triplets.iter().map(|t| t.0).collect(),
            triplets.iter().map(|t| t.2).collect(),
        );
        let right: Vec<f64> = all.iter().map(|(_, right)| *right).collect();
        let quadratic = CscMatrix::new_from_triplets(
            size,
            size,
            (0..support.len()).collect(),
            (0..support.len()).collect(),
            vec![ridge; support.len()],
        );
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-11,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-11,
            max_iter: 400,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&quadratic, &linear, &matrix, &right, &cones, settings).unwrap();
        solver.solve();
        solver.solution.obj_val
    }
}

fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Quantile::at(0.9).unwrap()),
        Box::new(Quantile::at(0.5).unwrap()),
        Box::new(Absolute),
        Box::new(Hinge),
    ]
}

#[test]
fn the_optimum_over_convex_sets_is_that_of_the_program_itself_and_its_gap_is_true() {
    let sets: Vec<Box<dyn Constraint>> = vec![
        Box::new(WholeSpace),
        Box::new(NonNegative),
        Box::new(Bounds::between(-0.4, 0.7).unwrap()),
        Box::new(Ball::radius(0.8).unwrap()),
        Box::new(L1Ball::radius(1.1).unwrap()),
        Box::new(Simplex::default()),
        Box::new(Monotone::increasing()),
    ];
    for (number, loss) in losses().iter().enumerate() {
        for (at, set) in sets.iter().enumerate() {
            for ridge in [0.0, 0.3] {
                let case = Case::new(100 * number as u64 + at as u64, 45, 5, loss.task());
                let data = case.data();
                let problem = Problem::new(&data, &**loss, &**set).ridge(ridge).intercept(true);
                let fit = problem.fit(&Settings::default()).unwrap();
                let least = case.least(&**loss, &**set, ridge, &[0, 1, 2, 3, 4]);
                let name = format!("{} {} ridge {ridge}", loss.spec(), set.spec());
                let scale = least.abs().max(1e-3);
                assert!((fit.objective() - least).abs() <= 1e-8 * scale, "{name}: {} {least}", fit.objective());
                let certificate = fit.certificate();
                assert!(certificate.stationarity <= 1e-9, "{name}: {certificate:?}");
                if let Some(gap) = certificate.gap {
                    assert!(
                        fit.objective() - least <= gap.value + 1e-9 * scale,
                        "{name}: {gap:?} {} {least}",
                        fit.objective()
                    );
                    assert!(gap.value <= 1e-8 * scale, "{name}: {gap:?} of {least}");
                } else {
                    let is_unbounded = at == 0 || at == 1 || at == 6;
                    assert!(loss.task() == Task::TwoClasses && ridge == 0.0 && is_unbounded, "{name}: no gap");
                }
                assert_eq!(fit.stop(), Stop::Polished, "{name}");
            }
        }
    }
}

#[test]
fn a_choice_of_features_is_the_best_of_every_choice() {
    for (number, loss) in losses().iter().enumerate() {
        for ridge in [0.0, 0.2] {
            let case = Case::new(40 + number as u64, 40, 6, loss.task());
            let data = case.data();
            let problem = Problem::new(&data, &**loss, Sparsity::at_most(2)).ridge(ridge).intercept(true);
            let fit = problem.fit(&Settings::default()).unwrap();
            let mut least = f64::INFINITY;
            for i in 0..6 {
                for j in 0..i {
                    least = least.min(case.least(&**loss, &WholeSpace, ridge, &[j, i]));
                }
            }
            let scale = least.abs().max(1e-3);
            assert!((fit.objective() - least).abs() <= 1e-8 * scale, "{}: {} {least}", loss.spec(), fit.objective());
            assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice);
            assert!(fit.coefficients().iter().filter(|c| **c != 0.0).count() <= 2);
        }
    }
}

/// Rows enough that most of them are fixed to one side: the same minimum as by the method on all rows, whose least F a linear program on a few features gives.
#[test]
fn many_rows_end_at_the_same_minimum() {
    let case = Case::new(7, 16_000, 3, Task::Regression);
    let data = case.data();
    for level in [0.5, 0.9] {
        let problem = Problem::new(&data, Quantile::at(level).unwrap(), WholeSpace).intercept(true);
        let fit = problem.fit(&Settings::default()).unwrap();
        let gap = fit.certificate().gap.unwrap();
        assert!(gap.value <= 1e-9 * fit.objective(), "{gap:?} of {}", fit.objective());
        let least = case.least(&Quantile::at(level).unwrap(), &WholeSpace, 0.0, &[0, 1, 2]);
        assert!((fit.objective() - least).abs() <= 1e-7 * least, "{} {least}", fit.objective());
    }
}

/// Counts that are mostly zero, as are their features: the rows nearest to their kinks are all fitted before the method has begun.
#[test]
fn many_rows_of_zeros_end_at_the_minimum_too() {
    let rows = 16_000;
    let mut next = numbers(5);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let is_active = next() > -0.2;
        let values: Vec<f64> = (0..3).map(|_| if is_active { (4.0 * next().abs()).floor() } else { 0.0 }).collect();
        y.push((values.iter().sum::<f64>() * (1.0 + next()) + 0.2 * next()).max(0.0).floor());
        x.extend(values);
    }
    let case = Case { rows, columns: 3, x, y, weights: vec![1.0; rows], offset: vec![0.0; rows] };
    let data = Data::dense(&case.x, 3, &case.y).unwrap();
    for level in [0.5, 0.9, 0.97] {
        let problem = Problem::new(&data, Quantile::at(level).unwrap(), WholeSpace).intercept(true);
        let fit = problem.fit(&Settings::default()).unwrap();
        let least = case.least(&Quantile::at(level).unwrap(), &WholeSpace, 0.0, &[0, 1, 2]);
        assert!((fit.objective() - least).abs() <= 1e-7 * least, "{level}: {} {least}", fit.objective());
        assert!(fit.stop().is_success(), "{level}: {}", fit.stop());
    }
}

/// A path is the best of every choice at each size, F never rises with the size, and each point is what a fit of its size by itself finds.
#[test]
fn paths_are_the_best_of_every_choice_at_every_size() {
    for (number, loss) in losses().iter().enumerate() {
        for ridge in [0.0, 0.2] {
            let case = Case::new(60 + number as u64, 40, 5, loss.task());
            let data = case.data();
            let problem = |size| Problem::new(&data, &**loss, Sparsity::at_most(size)).ridge(ridge).intercept(true);
            let path = Path::trace(&problem(4), &PathSettings::default()).unwrap();
            assert_eq!(path.points.iter().map(|point| point.size).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            for (size, point) in path.points.iter().enumerate() {
                let choices = (0_usize..32).filter(|bits| bits.count_ones() as usize == size);
                let least = choices
                    .map(|bits| (0..5).filter(|j| bits >> j & 1 == 1).collect::<Vec<usize>>())
                    .map(|support| case.least(&**loss, &WholeSpace, ridge, &support))
                    .fold(f64::INFINITY, f64::min);
                let scale = least.abs().max(1e-2);
                let name = loss.spec();
                assert!((point.objective - least).abs() <= 1e-8 * scale, "{name} {size}: {} {least}", point.objective);
                assert!(point.stationarity <= 1e-7, "{name} {size}: {}", point.stationarity);
                assert!(point.deviance.is_none() && point.support.len() <= size);
                if size > 0 {
                    let alone = problem(size).fit(&Settings::default()).unwrap();
                    assert!((alone.objective() - point.objective).abs() <= 1e-8 * scale);
                    assert!(point.objective <= path.points[size - 1].objective * (1.0 + 1e-12));
                }
            }
            let refused = path.criterion(proxdist::path::Criterion::Bayes).unwrap_err().to_string();
            assert!(refused.contains("criterion"), "{refused}");
        }
    }
}

/// Held-out scores of a path are the mean pinball loss of the fits of each size by itself, fold by fold.
#[test]
fn cross_validated_paths_score_like_single_fits() {
    let loss = Quantile::at(0.8).unwrap();
    let case = Case::new(91, 60, 4, Task::Regression);
    let data = case.data();
    let fold_of: Vec<usize> = (0..60).map(|row| row % 3).collect();
    let validation = proxdist::path::PathValidation::new(&data, loss, 2).intercept(true).fold_of(fold_of.clone());
    let found = validation.run(&PathSettings::default()).unwrap();
    assert_eq!(found.scores.len(), 3);
    for (size, score) in found.scores.iter().enumerate() {
        for fold in 0..3 {
            let rows = |inside: bool| (0..60).filter(|&i| (fold_of[i] == fold) == inside).collect::<Vec<usize>>();
            let (training, held_out) = (data.subset(rows(false)).unwrap(), data.subset(rows(true)).unwrap());
            let training = training.data().unwrap();
            let fit = Problem::new(&training, loss, Sparsity::at_most(size.max(1))).intercept(true);
            let (coefficients, intercept) = if size == 0 {
                (vec![0.0; 4], None)
            } else {
                let fit = fit.fit(&Settings::default()).unwrap();
                (fit.coefficients().to_vec(), fit.intercept())
            };
            let Some(intercept) = intercept else { continue };
            let (mut total, mut weight) = (0.0, 0.0);
            for &i in held_out.rows() {
                let eta: f64 =
                    (0..4).map(|j| case.x[i * 4 + j] * coefficients[j]).sum::<f64>() + intercept + case.offset[i];
                let u = case.y[i] - eta;
                total += case.weights[i] * if u >= 0.0 { 0.8 * u } else { -0.2 * u };
                weight += case.weights[i];
            }
            let alone = total / weight;
            // Where several models have the same F they may score differently.
            assert!((alone - score.folds[fold]).abs() <= 1e-6 * alone, "{size} {fold}: {alone} {}", score.folds[fold]);
        }
    }
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let case = Case::new(3, 30, 4, Task::Regression);
    let data = case.data().shape(2, 2).unwrap();
    let says = |error: proxdist::Error| error.to_string();
    let rank = Problem::new(&data, Absolute, Rank::at_most(1, 2, 2));
    assert!(says(rank.fit(&Settings::default()).unwrap_err()).contains("absolute loss has a kink"));
    assert!(rank.fit(&Settings::default().polish(false).max_steps(50)).is_ok());
    let data = case.data();
    let sum = Problem::new(&data, Sum(Absolute, Squared), WholeSpace);
    assert!(says(sum.fit(&Settings::default()).unwrap_err()).contains("not straight"));
    let sparse = Problem::new(&data, Absolute, Sparsity::at_most(2));
    let noted = sparse.fit(&Settings::default().prove(std::time::Duration::from_secs(1))).unwrap();
    assert!(noted.notes().iter().any(|note| note.to_string().contains("differentiable")), "{:?}", noted.notes());
    let whole = Problem::new(&data, Absolute, WholeSpace);
    let stopped = whole.fit(&Settings::default().polish(false).max_steps(30)).unwrap();
    let exact = whole.fit(&Settings::default()).unwrap();
    assert!(stopped.certificate().gap.is_none() && stopped.objective() >= exact.objective());
}
