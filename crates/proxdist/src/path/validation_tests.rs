//! Folds by subtraction are folds computed directly, and scores are those of models fitted to the other rows.

use super::fold::{Fold, Totals};
use super::form::Form;
use super::moments::{Centre, Moments};
use super::testing::Case;
use super::validation::Whole;
use super::{FinishedFold, Path, PathProgress, PathSettings, PathValidation, PathWatch};
use crate::constraint::{Constraint, Sparsity};
use crate::data::Data;
use crate::loss::{Logistic, Loss, Squared};
use crate::objective::Objective;
use crate::preparation::{Preparation, Standardize, Units};
use crate::problem::Problem;
use crate::selection::{Deal, folds};
use std::ops::ControlFlow;

fn rows_of(fold_of: &[usize], fold: usize, inside: bool) -> Vec<usize> {
    (0..fold_of.len()).filter(|&row| (fold_of[row] == fold) == inside).collect()
}

/// The largest difference between the entries of two forms.
fn difference(a: &Form, b: &Form) -> f64 {
    assert_eq!(a.is_usable, b.is_usable);
    let mut worst: f64 = 0.0;
    for j in (0..a.columns()).filter(|&j| a.is_usable[j]) {
        let pairs = a.row(j).iter().zip(b.row(j)).enumerate().filter(|(k, _)| a.is_usable[*k]);
        worst = pairs.map(|(_, (x, y))| (x - y).abs()).fold(worst, f64::max);
        worst = worst.max((a.linear[j] - b.linear[j]).abs() / a.at_zero.sqrt());
    }
    worst.max((a.at_zero - b.at_zero).abs() / a.at_zero)
}

#[test]
fn sums_without_a_fold_are_those_of_the_other_rows() {
    for seed in 0..10 {
        let mut case = Case::random(50, 8, Box::new(Squared), seed);
        // Nearly all of a column, and all of another, lies in the first rows; a third is far from zero.
        for (i, row) in case.x.chunks_exact_mut(8).enumerate() {
            row[5] *= if i < 3 { 1e7 } else { 1.0 };
            row[6] *= if i < 3 { 1.0 } else { 0.0 };
            row[7] += 1e6;
        }
        let fold_of: Vec<usize> = (0..50).map(|row| if row < 10 { 0 } else { 1 + row % 4 }).collect();
        let data = case.data();
        let validation = PathValidation::new(&data, Squared, 4).intercept(case.has_intercept).fold_of(fold_of.clone());
        let splits = Deal::at_random(5).told(fold_of.clone()).splits(50, None).unwrap();
        for memory in [1 << 30, 8 * 64] {
            let settings = PathSettings::default().memory(memory);
            let set = Sparsity::at_most(4);
            let preparation =
                Preparation::decide(Standardize::Auto, [&set as &dyn Constraint], case.has_intercept).unwrap();
            let whole = Whole { validation: &validation, settings: &settings, preparation, sets: None };
            let totals = Totals::of(&whole, &splits).unwrap().unwrap();
            for number in 0..5 {
                let fold = Fold { whole, number, splits: &splits.all };
                let part = data.subset(rows_of(&fold_of, number, false)).unwrap();
                let training = part.data().unwrap();
                let units = preparation.units(&training, 0.0).unwrap();
                let sums = totals.without(&fold, &training).unwrap();
                let found = Form::whole(sums, units.scaling(), case.has_intercept).unwrap();
                let scaled = units.apply(training).unwrap();
                let direct = super::state_tests::form(Objective::new(&scaled, &Squared, 0.0), case.has_intercept);
                let worst = difference(&found, &direct);
                assert!(worst < 1e-9, "{seed}, fold {number}: {worst:e}");
            }
        }
    }
}

/// Sums are sums: of the parts of a data set together those of the whole.
#[test]
fn sums_of_parts_add_up() {
    let case = Case::random(40, 5, Box::new(Squared), 1);
    let data = case.data();
    let of = |data: &Data, centre: &Centre| Moments::of(Objective::new(data, &Squared, 0.0), centre).unwrap();
    let centre = Centre::of(Objective::new(&data, &Squared, 0.0), true).unwrap();
    let all = of(&data, &centre);
    let mut sum = Moments::none(5);
    for rows in [0..11, 11..40] {
        let part = data.subset(rows.collect()).unwrap();
        sum.add(1.0, &of(&part.data().unwrap(), &centre));
    }
    assert!((all.square - sum.square).abs() < 1e-12 * all.square);
    let far = all.second.iter().zip(&sum.second).any(|(a, b)| (a - b).abs() > 1e-12 * (a.abs() + 1e-9));
    assert!(!far);
}

/// The scores of a fold are those of the path of the other rows, traced by itself.
#[test]
fn scores_are_those_of_paths_of_the_other_rows() {
    for (loss, standardize) in [
        (Box::new(Squared) as Box<dyn Loss>, Standardize::Auto),
        (Box::new(Squared), Standardize::Never),
        (Box::new(Logistic), Standardize::Auto),
    ] {
        let mut case = Case::random(90, 10, loss, 12);
        case.has_intercept = true;
        let data = case.data();
        let settings = PathSettings::default().ridges([1e-3, 1e-1]);
        let validation =
            PathValidation::new(&data, &*case.loss, 5).intercept(true).standardize(standardize).folds(4).seed(3);
        let found = validation.run(&settings).unwrap();
        assert_eq!(found.scores.len(), found.path.points.len());
        let labels = (case.loss.spec() == "logistic").then_some(&case.y[..]);
        let fold_of = folds(90, 4, labels, 3).unwrap();
        let set = Sparsity::at_most(5);
        let preparation = Preparation::decide(standardize, [&set as &dyn Constraint], true).unwrap();
        for fold in 0..4 {
            let (train, test) = (
                data.subset(rows_of(&fold_of, fold, false)).unwrap(),
                data.subset(rows_of(&fold_of, fold, true)).unwrap(),
            );
            let units = preparation.units(&train.data().unwrap(), 0.1).unwrap();
            let (train, test) =
                (units.apply(train.data().unwrap()).unwrap(), units.apply(test.data().unwrap()).unwrap());
            let problem = Problem::new(&train, &*case.loss, set).intercept(true);
            let path = Path::trace(&problem, &settings).unwrap();
            for (point, score) in path.points.iter().zip(&found.scores) {
                let expected = Objective::new(&test, &*case.loss, 0.0).intercept(true).value(&point.theta).unwrap();
                let difference = (expected - score.folds[fold]).abs();
                assert!(difference < 1e-6 * expected, "{} {standardize:?}: {difference:e}", case.loss.spec());
            }
        }
        let whole = preparation.units(&data, 0.1).unwrap();
        let scaled = whole.view(&data).unwrap();
        let problem = Problem::new(scaled.as_ref().unwrap_or(&data), &*case.loss, set).intercept(true);
        let path = Path::trace(&problem, &settings).unwrap();
        for (a, b) in path.points.iter().zip(&found.path.points) {
            assert_eq!(a.support, b.support);
            assert!((a.objective - b.objective).abs() < 1e-12 * a.objective);
        }
    }
}

#[test]
fn scores_do_not_depend_on_threads_and_can_be_ended() {
    for loss in [Box::new(Squared) as Box<dyn Loss>, Box::new(Logistic)] {
        let case = Case::random(200, 12, loss, 8);
        let data = case.data();
        let validation = PathValidation::new(&data, &*case.loss, 4).intercept(true).folds(5);
        let of = |threads| validation.run(&PathSettings::default().threads(threads)).unwrap();
        let (one, three) = (of(1), of(3));
        assert_eq!((&one.scores, &one.path), (&three.scores, &three.path));
        let ended = validation.run_watched(&PathSettings::default(), &|finished: &FinishedFold| {
            if finished.done >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(ended.unwrap().is_break());
    }
}

#[test]
fn impossible_folds_are_refused() {
    let case = Case::random(30, 4, Box::new(Squared), 8);
    let data = case.data();
    let refused = |validation: PathValidation| validation.run(&PathSettings::default()).unwrap_err().to_string();
    assert_eq!(refused(PathValidation::new(&data, Squared, 2).folds(1)), "folds must be at least 2, got 1");
    assert!(refused(PathValidation::new(&data, Squared, 2).fold_of(vec![0; 30])).contains("at least 2"));
    assert!(refused(PathValidation::new(&data, Squared, 2).fold_of(vec![0, 2])).contains("fold_of"));
    assert!(refused(PathValidation::new(&data, Squared, 5)).contains("sparsity:5"));
}

/// Keeps the path of all rows, and ends the work before the first fold.
#[derive(Default)]
struct Keeper {
    kept: std::sync::Mutex<Option<Path>>,
    steps: std::sync::atomic::AtomicUsize,
}

impl PathWatch for Keeper {
    fn finished(&self, _: &FinishedFold) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
    fn step(&self, _: &PathProgress) {
        self.steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    fn traced(&self, path: &Path, _: &Units) {
        *self.kept.lock().unwrap() = Some(path.clone());
    }
}

#[test]
fn a_watcher_has_the_path_of_all_rows_even_if_the_folds_are_ended() {
    let case = Case::random(80, 8, Box::new(Squared), 5);
    let data = case.data();
    let validation = PathValidation::new(&data, Squared, 4).intercept(true).folds(4);
    let keeper = Keeper::default();
    assert!(validation.run_watched(&PathSettings::default(), &keeper).unwrap().is_break());
    let whole = validation.run(&PathSettings::default()).unwrap();
    assert_eq!(keeper.kept.into_inner().unwrap().as_ref(), Some(&whole.path));
    assert!(keeper.steps.into_inner() > 0);
}

#[test]
fn the_choice_among_some_sizes_is_that_of_their_scores() {
    let case = Case::random(80, 8, Box::new(Squared), 6);
    let data = case.data();
    let settings = PathSettings::default().ridges([0.0, 0.1]);
    let found = PathValidation::new(&data, Squared, 6).intercept(true).folds(4).run(&settings).unwrap();
    assert_eq!(found.among(|_| true), Some((found.best, found.one_standard_error)));
    assert_eq!(found.among(|size| size > 6), None);
    let (best, simplest) = found.among(|size| size == 2 || size == 3).unwrap();
    let wanted = || found.scores.iter().filter(|score| score.size == 2 || score.size == 3);
    let least = wanted().map(|score| score.mean).fold(f64::INFINITY, f64::min);
    assert!((found.scores[best].mean - least).abs() < 1e-15);
    let bound = least + found.scores[best].standard_error;
    let smallest = wanted().filter(|score| score.mean <= bound).map(|score| score.size).min();
    assert_eq!(Some(found.scores[simplest].size), smallest);
}
