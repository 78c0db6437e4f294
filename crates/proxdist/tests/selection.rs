//! Cross-validation: every row is held out once, what was planted is chosen, threads do not matter, failures say where.

use proxdist::loss::{Logistic, Loss, Squared, SquaredHinge};
use proxdist::selection::{Choice, CrossValidation, Finished, Grid, Scoring, Selection, Watch, folds};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::spec::SetSpec;
use proxdist::{Data, Error, Problem, Settings, Stop};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn linear(rows: usize, columns: usize, nonzeros: usize) -> Simulated {
    vector(Response::Linear, Truth::Sparse(nonzeros), rows, columns, 1).unwrap()
}

fn quick() -> Settings {
    Settings::default().max_steps(300)
}

fn grid(axes: &[&str]) -> Grid {
    Grid::parse(axes).unwrap()
}

fn bits(selection: &Selection) -> Vec<u64> {
    let scores = selection.table.scores.iter().flat_map(|score| score.folds.iter().chain([&score.mean]));
    scores.chain(selection.fit.coefficients()).chain(&selection.fit.intercept()).map(|v| v.to_bits()).collect()
}

#[test]
fn every_row_is_held_out_exactly_once_and_classes_are_shared_out() {
    let labels: Vec<f64> = (0..103).map(|i| f64::from(u8::from(i % 5 == 0))).collect();
    for count in [2, 5, 10, 21] {
        let fold_of = folds(103, count, Some(&labels), 3).unwrap();
        // One number a row is one fold a row; no fold is empty.
        assert!(fold_of.len() == 103 && (0..count).all(|fold| fold_of.contains(&fold)));
        for label in [0.0, 1.0] {
            let share = |fold| (0..103).filter(|&row| fold_of[row] == fold && labels[row] == label).count();
            let shares: Vec<usize> = (0..count).map(share).collect();
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1, "{shares:?}");
        }
        assert_eq!(fold_of, folds(103, count, Some(&labels), 3).unwrap());
    }
}

#[test]
fn planted_sparsity_is_chosen_by_one_standard_error() {
    let simulated = linear(400, 30, 5);
    let data = simulated.data().unwrap();
    for seed in 0..3 {
        let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(5).seed(seed);
        let selection = validation.run(&grid(&["sparsity:1,3,5,8,15"]), &quick()).unwrap();
        assert_eq!(selection.chosen().point.to_string(), "sparsity:5", "seed {seed}: {:?}", selection.table);
        assert_eq!((selection.chosen, selection.one_standard_error), (2, 2));
        let planted: Vec<usize> = (0..30).filter(|&j| simulated.truth[j] != 0.0).collect();
        assert_eq!(selection.fit.support(), planted);
    }
}

#[test]
fn the_last_fit_is_the_one_made_by_hand() {
    let simulated = linear(150, 10, 3);
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(4).intercept(true).ridge(0.01);
    let selection = validation.choice(Choice::Best).run(&grid(&["sparsity:2,3,6"]), &quick().seed(8)).unwrap();
    assert_eq!(selection.chosen, selection.best);
    let set = selection.chosen().point.constraint.build(data.parameter_shape()).unwrap();
    let by_hand = Problem::new(&data, Squared, set).intercept(true).ridge(0.01).fit(&quick().seed(8)).unwrap();
    // Up to rounding: it starts from the path.
    for (found, expected) in selection.fit.coefficients().iter().zip(by_hand.coefficients()) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} and {expected}");
    }
    assert_eq!(selection.fit.model().constraint, selection.chosen().point.constraint.to_string());
}

/// The naive twin: rows copied out, one fit after the other, the loss summed up row by row.
#[test]
fn scores_agree_with_a_loop_over_copied_rows() {
    let simulated = linear(60, 4, 2);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
    let offset: Vec<f64> = (0..60).map(|i| f64::from(i % 7) * 0.1).collect();
    let data = simulated.data().unwrap().weights(&weights).unwrap().offset(&offset).unwrap();
    let set = SetSpec::parse("sparsity:2").unwrap();
    let validation = CrossValidation::new(&data, Squared, set.clone()).folds(3).seed(5).ridge(0.1);
    let table = validation.run(&Grid::default(), &quick()).unwrap().table;
    let fold_of = folds(60, 3, None, 5).unwrap();
    for fold in 0..3 {
        let rows: Vec<usize> = (0..60).filter(|&row| fold_of[row] != fold).collect();
        let x: Vec<f64> = rows.iter().flat_map(|&row| simulated.x[4 * row..4 * row + 4].to_vec()).collect();
        let copied = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let (y, w, o) = (copied(&simulated.y), copied(&weights), copied(&offset));
        let train = Data::dense(&x, 4, &y).unwrap().weights(&w).unwrap().offset(&o).unwrap();
        let problem = Problem::new(&train, Squared, set.build(train.parameter_shape()).unwrap()).ridge(0.1);
        let fit = problem.fit(&quick()).unwrap();
        let (mut loss, mut total) = (0.0, 0.0);
        for row in (0..60).filter(|&row| fold_of[row] == fold) {
            let features = &simulated.x[4 * row..4 * row + 4];
            let eta = features.iter().zip(fit.coefficients()).map(|(x, t)| x * t).sum::<f64>() + offset[row];
            loss += weights[row] * Squared.value(eta, simulated.y[row]);
            total += weights[row];
        }
        let score = table.scores[0].folds[fold];
        assert!((score - loss / total).abs() <= 1e-9 * score, "{score} {}", loss / total);
    }
}

#[test]
fn no_ridge_is_best_where_the_signal_is_strong() {
    let simulated = linear(200, 6, 6);
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(4);
    let selection = validation.run(&grid(&["ridge:10,0,1"]), &quick()).unwrap();
    assert_eq!(selection.table.scores[selection.best].point.ridge, 0.0);
    assert_eq!(selection.fit.model().ridge, selection.chosen().point.ridge);
}

#[test]
fn two_axes_give_every_combination_and_all_scores_of_classes_work() {
    let simulated = vector(Response::Logistic, Truth::Sparse(2), 300, 8, 2).unwrap();
    let data = simulated.data().unwrap();
    let axes = grid(&["sparsity:1,2,5", "ridge:0,1"]);
    for (scoring, worst, best) in [("loss", 0.6, 0.0), ("auc", 0.75, 1.0), ("accuracy", 0.7, 1.0), ("mse", 0.2, 0.0)] {
        let scoring: Scoring = scoring.parse().unwrap();
        let validation = CrossValidation::new(&data, Logistic, SetSpec::parse("linf:50").unwrap());
        let settings = quick().max_steps(60).rho1(1e-2);
        let selection = validation.folds(3).scoring(scoring).run(&axes, &settings).unwrap();
        assert_eq!(selection.table.scores.len(), 6);
        let chosen = &selection.table.scores[selection.best];
        assert!((chosen.mean - best).abs() < (worst - best).abs(), "{scoring}: {chosen:?}");
        // Shrinkage hardly changes the order of the scores, which is all that the other two look at.
        assert!(scoring.larger_is_better() || chosen.point.ridge == 0.0, "{scoring}: {chosen:?}");
        assert!(chosen.point.constraint.to_string().starts_with("linf:50 & sparsity:"));
    }
    let hinge = CrossValidation::new(&data, SquaredHinge, SetSpec::WholeSpace).folds(3).scoring(Scoring::Accuracy);
    let selection = hinge.run(&grid(&["l1:0.5,3", "rho1:auto,0.1"]), &quick().max_steps(60)).unwrap();
    assert_eq!(selection.table.scores[0].point.to_string(), "l1:0.5, rho1:auto");
    let json = serde_json::to_value(&selection.table).unwrap();
    assert_eq!(json["scores"][0]["point"]["constraint"], "l1:0.5");
    assert_eq!(json["scores"][0]["folds"].as_array().map(Vec::len), Some(3));
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let simulated = vector(Response::Logistic, Truth::Sparse(2), 240, 6, 3).unwrap();
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Logistic, SetSpec::WholeSpace).folds(4).intercept(true);
    let axes = grid(&["sparsity:1,2,4", "ridge:0,0.1"]);
    let run = |threads| validation.run(&axes, &quick().max_steps(50).threads(threads)).unwrap();
    let first = run(1);
    for threads in [2, 4] {
        let other = run(threads);
        assert_eq!((bits(&other), other.chosen), (bits(&first), first.chosen));
    }
    assert_eq!(bits(&validation.run(&axes, &quick().max_steps(50)).unwrap()), bits(&first));
}

#[test]
fn whoever_watches_hears_of_every_fit_and_can_end_it() {
    let simulated = linear(100, 5, 2);
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(3);
    let axes = grid(&["sparsity:1,2"]);
    let seen = Mutex::new(Vec::new());
    let listen = |finished: &Finished| {
        seen.lock().unwrap().push((finished.fold, finished.point.to_string()));
        assert!(finished.total == 6 && (1..=6).contains(&finished.done));
        ControlFlow::<()>::Continue(())
    };
    assert!(validation.run_watched(&axes, &quick(), &listen).unwrap().is_continue());
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 6);

    let calls = AtomicUsize::new(0);
    let stop = |finished: &Finished| match calls.fetch_add(1, Ordering::Relaxed) {
        1 => ControlFlow::Break(format!("enough after {}", finished.total)),
        _ => ControlFlow::Continue(()),
    };
    let outcome = validation.run_watched(&axes, &quick().threads(1), &stop).unwrap();
    assert_eq!(outcome.break_value().as_deref(), Some("enough after 6"));
    assert_eq!(calls.into_inner(), 2);
}

/// Breaks in the middle of a fit, by counting steps.
struct Impatient {
    steps: AtomicUsize,
    most: usize,
}

impl Watch for Impatient {
    type Reason = ();

    fn finished(&self, _finished: &Finished) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&self) -> ControlFlow<()> {
        if self.steps.fetch_add(1, Ordering::Relaxed) >= self.most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn an_interrupt_inside_a_fold_ends_all_and_inside_the_last_fit_keeps_what_there_is() {
    let simulated = linear(100, 5, 2);
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(2);
    let (axes, settings) = (grid(&["sparsity:1,2"]), quick().max_steps(20).tolerance(1e-300).threads(1));
    let run = |most| {
        let watch = Impatient { steps: AtomicUsize::new(0), most };
        let outcome = validation.run_watched(&axes, &settings, &watch).unwrap();
        (outcome, watch.steps.into_inner())
    };
    let (outcome, steps) = run(7);
    assert!(outcome.is_break() && steps < 20);
    let (outcome, total) = run(usize::MAX);
    assert!(outcome.is_continue());
    let stop = |most| match run(most).0 {
        ControlFlow::Continue(selection) => Some(selection.fit.stop()),
        ControlFlow::Break(()) => None,
    };
    assert!((1..20).any(|less| stop(total - less) == Some(Stop::Interrupted)));
}

/// Squared loss that breaks down at one response.
struct Brittle;

impl Loss for Brittle {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        if response == 99.0 { f64::NAN } else { Squared.value(predictor, response) }
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        if response == 99.0 { f64::NAN } else { Squared.slope(predictor, response) }
    }
    fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
        1.0
    }
}

#[test]
fn a_fit_that_fails_names_the_fold_the_point_and_the_row() {
    let mut simulated = linear(60, 4, 2);
    let fold_of = folds(60, 3, None, 0).unwrap();
    // A row that the first fold holds out: its fit goes well, the second is the first to fail.
    let row = (0..60).rev().find(|&row| fold_of[row] == 0).unwrap();
    simulated.y[row] = 99.0;
    let data = simulated.data().unwrap();
    let validation = CrossValidation::new(&data, Brittle, SetSpec::WholeSpace).folds(3);
    for threads in [1, 2, 4] {
        let settings = quick().batch_size(40).threads(threads);
        let message = validation.run(&grid(&["sparsity:1,2"]), &settings).unwrap_err().to_string();
        assert!(message.contains("sparsity:1 fails in fold 2 of 3: "), "{message}");
        assert!(message.contains(&format!("at row {row},")), "{message}");
    }
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_fitted() {
    let simulated = linear(40, 4, 2);
    let data = simulated.data().unwrap();
    let new = || CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(4);
    let fails = |validation: CrossValidation, axes: &[&str], settings: &Settings| {
        let silent = |_: &Finished| -> ControlFlow<()> { panic!("something was fitted") };
        validation.run_watched(&grid(axes), settings, &silent).unwrap_err()
    };
    let told = |error: Error, part: &str| assert!(error.to_string().contains(part), "{error}");
    told(fails(new().folds(1), &[], &quick()), "folds must be at least 2, got 1");
    told(fails(new().folds(41), &[], &quick()), "folds must be at most the number of rows, 40, got 41");
    told(fails(new().scoring(Scoring::Auc), &[], &quick()), "scoring must be loss or mse unless");
    told(fails(new(), &["sparsity:2,9"], &quick()), "constraint sparsity:9");
    told(fails(new(), &["rank:1,2"], &quick()), "rank needs a matrix");
    told(fails(new(), &["ball:1,-1"], &quick()), "ball");
    told(fails(new().ridge(-1.0), &[], &quick()), "ridge must be zero or positive");
    told(fails(new(), &[], &quick().batch_size(41)), "batch_size");
    told(fails(new(), &[], &quick().threads(0)), "threads");
    let schedule = proxdist::schedule::Constant::new(1.0).unwrap();
    told(fails(new(), &["rho1:1,auto"], &quick().schedule(schedule)), "without rho1 where a schedule is given");
    let logistic = CrossValidation::new(&data, Logistic, SetSpec::WholeSpace);
    assert!(matches!(fails(logistic, &[], &quick()), Error::Response { .. }));
    told("roc".parse::<Scoring>().unwrap_err(), "the scores are loss, auc, accuracy, mse, deviance, d2");

    let labels: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i < 3))).collect();
    let rare = Data::dense(&simulated.x, 4, &labels).unwrap();
    let validation = CrossValidation::new(&rare, Logistic, SetSpec::WholeSpace).folds(4);
    told(fails(validation, &[], &quick()), "folds must be at most 3, the number of rows with label 1, got 4");
}

#[test]
fn a_fold_without_weight_is_named() {
    let simulated = linear(20, 3, 1);
    let fold_of = folds(20, 4, None, 0).unwrap();
    let weights: Vec<f64> = fold_of.iter().map(|fold| f64::from(u8::from(*fold != 2))).collect();
    let data = simulated.data().unwrap().weights(&weights).unwrap();
    let validation = CrossValidation::new(&data, Squared, SetSpec::WholeSpace).folds(4);
    let message = validation.run(&grid(&["ball:1"]), &quick().max_steps(20)).unwrap_err().to_string();
    assert!(message.contains("ball:1 fails in fold 3 of 4: all 5 weights are zero"), "{message}");
}

#[test]
fn folds_that_are_told_are_used_and_checked() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 60, 6, 3).unwrap();
    let data = simulated.data().unwrap();
    let grid = Grid::parse(["sparsity:1,2"]).unwrap();
    let scores = |search: CrossValidation| {
        let selection = search.run(&grid, &Settings::default().max_steps(200))?;
        Ok::<_, proxdist::Error>(selection.table.scores.iter().map(|score| score.mean.to_bits()).collect::<Vec<_>>())
    };
    let search = || CrossValidation::new(&data, Squared, SetSpec::WholeSpace);
    let dealt = folds(60, 4, None, 9).unwrap();
    assert_eq!(scores(search().fold_of(dealt)).unwrap(), scores(search().folds(4).seed(9)).unwrap());
    for (told, message) in [
        (vec![0; 60], "folds must be at least 2"),
        (vec![0, 1], "fold_of has length 2, expected 60"),
        ((0..60).map(|row| 2 * (row % 2)).collect(), "none of 1"),
        ((0..60).map(|row| if row == 0 { usize::MAX } else { 0 }).collect(), "none of 1"),
    ] {
        let refused = scores(search().fold_of(told)).unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

/// The naive twin of scaling: for each fold the training rows are scaled by hand, the fit is brought back to the units of the
/// data and scored there. One row with a huge first column makes a scaling that has seen it tell.
#[test]
fn each_fold_is_scaled_by_its_training_rows_alone() {
    let mut simulated = linear(24, 3, 2);
    simulated.x[0] = 1e3;
    let data = simulated.data().unwrap();
    let set = SetSpec::WholeSpace;
    let start = (vec![0.5, -0.25, 1.0], 2.0);
    let settings = quick().start(start.0.clone(), start.1);
    let validation = CrossValidation::new(&data, Squared, set.clone()).folds(4).seed(2).intercept(true);
    let selection = validation.standardize(proxdist::Standardize::Auto).run(&grid(&["ridge:0.5"]), &settings).unwrap();
    let fold_of = folds(24, 4, None, 2).unwrap();
    let on_scaled = |train: Data| {
        let scaling = proxdist::Scaling::of(&train, true).unwrap();
        let (coefficients, intercept) = scaling.scaled_start(&start.0, start.1);
        let settings = quick().start(coefficients, intercept);
        let set = set.build(train.parameter_shape()).unwrap();
        let train = train.scaled(scaling.clone()).unwrap();
        let fit = Problem::new(&train, Squared, set).ridge(0.5).intercept(true).fit(&settings).unwrap();
        scaling.restored(fit.model()).unwrap()
    };
    for fold in 0..4 {
        let rows = |inside: bool| (0..24).filter(|&row| (fold_of[row] == fold) == inside).collect::<Vec<_>>();
        let training = data.subset(rows(false)).unwrap();
        let model = on_scaled(training.data().unwrap());
        let loss = |&row: &usize| {
            let x = &simulated.x[3 * row..3 * row + 3];
            let eta = x.iter().zip(&model.coefficients).map(|(x, t)| x * t).sum::<f64>() + model.intercept.unwrap();
            Squared.value(eta, simulated.y[row])
        };
        let held_out = rows(true);
        let expected = held_out.iter().map(loss).sum::<f64>() / held_out.len() as f64;
        let found = selection.table.scores[0].folds[fold];
        assert!((found / expected - 1.0).abs() < 1e-9, "fold {fold}: {found} and {expected}");
    }
    assert_eq!(selection.model().unwrap(), on_scaled(simulated.data().unwrap()));
}
