//! Cross-validation over numbers of features goes by paths: the same scores as a fit for every point and fold, any splits, any score.

use proxdist::loss::{Logistic, Loss, Squared};
use proxdist::path::{PathSettings, PathValidation};
use proxdist::selection::{CrossValidation, Finished, Grid, OwnScore, Scoring, Selection, Split};
use proxdist::simulate::{Response, Truth, vector};
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Result, Settings, Standardize};
use std::ops::ControlFlow;

fn grid(axes: &[&str]) -> Grid {
    Grid::parse(axes).unwrap()
}

/// A `rho1` axis asks for a fit of every point in every fold.
fn fit_by_fit(axes: &[&str]) -> Grid {
    grid(&axes.iter().copied().chain(["rho1:auto"]).collect::<Vec<_>>())
}

fn assert_same(a: &Selection, b: &Selection) {
    assert_eq!(a.table.scores.len(), b.table.scores.len());
    for (a, b) in a.table.scores.iter().zip(&b.table.scores) {
        assert_eq!((&a.point.constraint, a.point.ridge), (&b.point.constraint, b.point.ridge));
        for (x, y) in a.folds.iter().zip(&b.folds) {
            assert!((x - y).abs() < 1e-6 * y.abs().max(1e-3), "{}: {x} and {y}", a.point);
        }
    }
    assert_eq!((a.best, a.one_standard_error, a.chosen), (b.best, b.one_standard_error, b.chosen));
}

#[test]
fn paths_score_as_a_fit_of_every_point_in_every_fold_does() {
    for (response, loss) in
        [(Response::Linear, Box::new(Squared) as Box<dyn Loss>), (Response::Logistic, Box::new(Logistic))]
    {
        let simulated = vector(response, Truth::Sparse(3), 160, 9, 4).unwrap();
        let data = simulated.data().unwrap();
        for standardize in [Standardize::Auto, Standardize::Never] {
            let validation = CrossValidation::new(&data, &*loss, SetSpec::WholeSpace)
                .folds(4)
                .intercept(true)
                .standardize(standardize);
            // Ridges in any order: a table is in the order of its axes.
            let axes = ["sparsity:1-4,7", "ridge:0.1,1e-3"];
            let by_paths = validation.run(&grid(&axes), &Settings::default()).unwrap();
            assert_same(&by_paths, &validation.run(&fit_by_fit(&axes), &Settings::default()).unwrap());
        }
    }
}

/// Each block of rows is predicted from those before it.
fn in_time(rows: usize, parts: usize) -> Vec<Split> {
    let block = rows / (parts + 1);
    let split = |part: usize| Split {
        training: (0..part * block).collect(),
        held_out: (part * block..(part + 1) * block).collect(),
    };
    (1..=parts).map(split).collect()
}

#[test]
fn splits_in_time_are_those_of_a_loop_by_hand() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 120, 6, 5).unwrap();
    let data = simulated.data().unwrap();
    let splits = in_time(120, 3);
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).splits(splits.clone());
    let axes = ["sparsity:1-3"];
    let found = validation.run(&grid(&axes), &Settings::default()).unwrap();
    assert_eq!(found.table.folds, 3);
    assert_same(&found, &validation.run(&fit_by_fit(&axes), &Settings::default()).unwrap());
    for (number, split) in splits.iter().enumerate() {
        let part = data.subset(split.training.clone()).unwrap();
        let training = part.data().unwrap();
        for (size, score) in (1..=3).zip(&found.table.scores) {
            let set = SetSpec::Sparsity { keep: size }.build(training.parameter_shape()).unwrap();
            let fit = Problem::new(&training, Squared, set).fit(&Settings::default()).unwrap();
            let loss = |&row: &usize| {
                let x = &simulated.x[6 * row..6 * row + 6];
                let eta: f64 = x.iter().zip(fit.coefficients()).map(|(x, t)| x * t).sum();
                Squared.value(eta, simulated.y[row])
            };
            let expected = split.held_out.iter().map(loss).sum::<f64>() / split.held_out.len() as f64;
            assert!((score.folds[number] - expected).abs() < 1e-9 * expected);
        }
    }
}

/// Minus the mean squared error, by hand.
struct Closeness<'a> {
    data: &'a Data<'a>,
    x: &'a [f64],
    splits: &'a [Split],
}

impl OwnScore for Closeness<'_> {
    fn score(&self, split: usize, coefficients: &[f64], intercept: Option<f64>) -> Result<f64> {
        let (rows, p) = (&self.splits[split].held_out, coefficients.len());
        let square = |&row: &usize| {
            let eta: f64 = self.x[p * row..p * (row + 1)].iter().zip(coefficients).map(|(x, t)| x * t).sum();
            (eta + intercept.unwrap_or(0.0) - self.data.response()[row]).powi(2)
        };
        Ok(-rows.iter().map(square).sum::<f64>() / rows.len() as f64)
    }
}

#[test]
fn a_score_of_ones_own_sees_models_in_the_units_of_the_data() {
    let mut simulated = vector(Response::Linear, Truth::Sparse(2), 90, 5, 6).unwrap();
    simulated.x.chunks_exact_mut(5).for_each(|row| row[1] = 40.0 + 100.0 * row[1]);
    let data = simulated.data().unwrap();
    let splits = in_time(90, 4);
    let own = Closeness { data: &data, x: &simulated.x, splits: &splits };
    let validation = || {
        CrossValidation::new(&data, Squared, SetSpec::WholeSpace)
            .splits(splits.clone())
            .intercept(true)
            .standardize(Standardize::Auto)
    };
    for axes in [grid(&["sparsity:1-4", "ridge:0,0.1"]), grid(&["l1:1,10"])] {
        let named = validation().scoring(Scoring::MeanSquaredError).run(&axes, &Settings::default()).unwrap();
        let found = validation().scored_by(&own).run(&axes, &Settings::default()).unwrap();
        assert_eq!((found.best, found.one_standard_error), (named.best, named.one_standard_error));
        assert_eq!(found.table.scoring, Scoring::Own);
        for (a, b) in found.table.scores.iter().zip(&named.table.scores) {
            assert!((a.mean + b.mean).abs() < 1e-9 * b.mean, "{}: {} and {}", a.point, a.mean, b.mean);
        }
    }
}

#[test]
fn the_last_fit_is_never_above_the_path_and_the_choice_is_that_of_the_path() {
    let simulated = vector(Response::Logistic, Truth::Sparse(4), 200, 15, 7).unwrap();
    let data = simulated.data().unwrap();
    let validation =
        CrossValidation::new(&data, Logistic, SetSpec::WholeSpace).intercept(true).standardize(Standardize::Auto);
    let found = validation.run(&grid(&["sparsity:0-8", "ridge:0,1e-3,1e-2"]), &Settings::default()).unwrap();
    let path = PathValidation::new(&data, Logistic, 8).intercept(true);
    let path = path.run(&PathSettings::default().ridges([0.0, 1e-3, 1e-2])).unwrap();
    let point = &path.path.points[path.one_standard_error];
    assert_eq!(found.chosen().point.constraint, SetSpec::Sparsity { keep: point.size });
    assert_eq!(found.chosen().point.ridge.to_bits(), point.ridge.to_bits());
    assert!(found.fit.objective() <= point.objective * (1.0 + 1e-12));
}

#[test]
fn one_class_in_a_split_is_named() {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i % 7)).collect();
    let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i >= 20 && i % 3 > 0))).collect();
    let data = Data::dense(&x, 1, &y).unwrap();
    let split = |training: std::ops::Range<usize>, held_out: std::ops::Range<usize>| Split {
        training: training.collect(),
        held_out: held_out.collect(),
    };
    let validation = |splits| CrossValidation::new(&data, Logistic, SetSpec::WholeSpace).intercept(true).splits(splits);
    let fitted = validation(vec![split(20..40, 0..20), split(0..20, 20..40)]);
    let said = fitted.run(&grid(&["sparsity:1"]), &Settings::default()).unwrap_err().to_string();
    assert!(said.contains("the second split must be fitted to rows of both classes"), "{said}");
    let scored = validation(vec![split(10..40, 0..10)]).scoring(Scoring::Auc);
    let said = scored.run(&grid(&["sparsity:1"]), &Settings::default()).unwrap_err().to_string();
    assert!(said.contains("fold 1 of 1") && said.contains("one class only"), "{said}");
}

#[test]
fn constant_and_repeated_columns_cost_nothing_but_themselves() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 80, 4, 8).unwrap();
    let x: Vec<f64> = simulated.x.chunks_exact(4).flat_map(|row| [row, row, &[3.0]].concat()).collect();
    let (wide, narrow) = (Data::dense(&x, 9, &simulated.y).unwrap(), simulated.data().unwrap());
    let run = |data: &Data| {
        let validation = CrossValidation::new(data, Squared, SetSpec::WholeSpace).intercept(true).folds(4);
        let validation = validation.standardize(Standardize::Auto);
        validation.run(&grid(&["sparsity:1-4"]), &Settings::default()).unwrap()
    };
    assert_same(&run(&wide), &run(&narrow));
}

#[test]
fn who_watches_hears_of_every_point_in_every_fold() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 60, 5, 9).unwrap();
    let data = simulated.data().unwrap();
    let heard = std::sync::Mutex::new(Vec::new());
    let listen = |finished: &Finished| {
        heard.lock().unwrap().push((finished.point.to_string(), finished.fold, finished.score.to_bits()));
        ControlFlow::<()>::Continue(())
    };
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(3);
    let outcome = validation.run_watched(&grid(&["sparsity:1,3", "ridge:1,0"]), &Settings::default(), &listen);
    let ControlFlow::Continue(found) = outcome.unwrap() else { panic!("nobody ended it") };
    let mut heard = heard.into_inner().unwrap();
    heard.sort();
    let scores = found.table.scores.iter();
    let mut told: Vec<_> = scores
        .flat_map(|s| s.folds.iter().enumerate().map(|(fold, score)| (s.point.to_string(), fold, score.to_bits())))
        .collect();
    told.sort();
    assert_eq!(heard, told);
}
