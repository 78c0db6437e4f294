//! Every kind of bad input has one error that names the value, the rule and the place. None of it panics.

use proxdist::constraint::{Constraint, Sparsity, WholeSpace};
use proxdist::loss::{self, Huber, Logistic, Loss, Poisson, Squared, SquaredHinge};
use proxdist::schedule::{Constant, Geometric, Polynomial};
use proxdist::spec::SetSpec;
use proxdist::{Data, Model, Problem, Settings, Shape};
use std::time::Duration;

const X: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0];
const Y: [f64; 3] = [0.0, 1.0, 1.0];

/// The message of an error, which must hold all the given pieces.
fn assert_says<T>(result: proxdist::Result<T>, pieces: &[&str]) {
    let message = result.err().expect("an error was expected").to_string();
    for piece in pieces {
        assert!(message.contains(piece), "{message:?} does not say {piece:?}");
    }
}

fn data() -> Data<'static> {
    Data::dense(&X, 2, &Y).unwrap()
}

fn fit(loss: impl Loss, set: impl Constraint, settings: &Settings) -> proxdist::Result<proxdist::Fit> {
    Problem::new(&data(), loss, set).fit(settings)
}

#[test]
fn nan_and_infinity_are_found_by_row_and_column() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let x = [1.0, 2.0, 3.0, bad, 5.0, 6.0];
        assert_says(Data::dense(&x, 2, &Y), &["feature", "row 1", "column 1", &bad.to_string()]);
        assert_says(Data::dense(&x.map(|v| v as f32), 2, &Y), &["row 1", "column 1"]);
        assert_says(Data::sparse(&[0_i32, 2, 4, 6], &[0, 1, 0, 1, 0, 1], &x, 2, &Y), &["row 1", "column 1"]);
        assert_says(Data::dense(&X, 2, &[0.0, bad, 1.0]), &["response", "row 1"]);
        assert_says(data().weights(&[1.0, 1.0, bad]), &["weight", "row 2"]);
        assert_says(data().offset(&[bad, 0.0, 0.0]), &["offset", "row 0"]);
    }
    // Far into a long matrix too, where whole chunks are cleared at a time.
    let mut long = vec![1.0; 30_000];
    long[29_999] = f64::NAN;
    assert_says(Data::dense(&long, 3, &vec![0.0; 10_000]), &["row 9999", "column 2"]);
}

#[test]
fn lengths_that_disagree_are_named() {
    assert_says(Data::dense(&X, 2, &[1.0]), &["response", "length 1", "expected 3"]);
    assert_says(Data::dense(&X, 4, &[1.0]), &["features", "length 6", "whole number of rows"]);
    assert_says(data().weights(&[1.0]), &["weights", "length 1", "expected 3"]);
    assert_says(data().offset(&[1.0; 5]), &["offset", "length 5", "expected 3"]);
    assert_says(data().names(["one"]), &["names", "length 1", "expected 2"]);
    assert_says(data().shape(2, 2), &["shape", "length 4", "expected 2"]);
    assert_says(data().shape(usize::MAX, 2), &["shape", "expected 2"]);
    let start = Settings::default().start(vec![0.0; 3], 0.0);
    assert_says(fit(Squared, WholeSpace, &start), &["start", "length 3", "expected 2"]);
}

#[test]
fn empty_data_are_refused() {
    assert_says(Data::dense::<f64>(&[], 2, &[]), &["no rows"]);
    assert_says(Data::dense(&X, 0, &Y), &["no columns"]);
    assert_says(Data::sparse::<i32, i32, f64>(&[], &[], &[], 2, &[]), &["no rows"]);
    assert_says(Data::sparse::<i32, i32, f64>(&[0], &[], &[], 2, &[]), &["no rows"]);
    assert_says(Data::sparse::<i32, i32, f64>(&[0, 0], &[], &[], 0, &[1.0]), &["no columns"]);
}

#[test]
fn a_damaged_sparse_matrix_is_refused_with_its_place() {
    let sparse = |starts: &'static [i32], indices: &'static [i32]| {
        Data::sparse(starts, indices, &[1.0, 2.0, 3.0, 4.0][..indices.len()], 3, &[0.0, 1.0])
    };
    assert_says(sparse(&[0, 2, 4], &[0, 1, 2]), &["last row start", "3 values"]);
    assert_says(sparse(&[1, 2, 3], &[0, 1, 2]), &["row start 0", "starts at 0"]);
    assert_says(sparse(&[0, 3, 2], &[0, 1, 2]), &["row start 2", "must not decrease"]);
    assert_says(sparse(&[0, -1, 3], &[0, 1, 2]), &["row start 1", "negative"]);
    assert_says(sparse(&[0, 2, 3], &[0, 3, 2]), &["row 0", "column index 3", "3 columns"]);
    assert_says(sparse(&[0, 2, 3], &[0, -3, 2]), &["row 0", "negative"]);
    assert_says(sparse(&[0, 1, 3], &[0, 2, 2]), &["row 1", "repeated"]);
    assert_says(Data::sparse(&[0_usize, 1], &[0_u32, 1], &[1.0], 3, &[0.0]), &["sparse indices", "length 2"]);
}

#[test]
fn weights_must_be_zero_or_positive_and_not_all_zero() {
    assert_says(data().weights(&[1.0, -0.5, 1.0]), &["row 1", "-0.5", "zero or positive"]);
    assert_says(data().weights(&[0.0; 3]), &["all 3 weights are zero"]);
}

#[test]
fn labels_outside_the_domain_of_the_loss_are_named() {
    let y = [0.0, 2.0, -1.0];
    let data = Data::dense(&X, 2, &y).unwrap();
    let settings = Settings::default();
    assert_says(Problem::new(&data, Logistic, WholeSpace).fit(&settings), &["row 1 is 2", "logistic", "0 or 1"]);
    assert_says(Problem::new(&data, SquaredHinge, WholeSpace).fit(&settings), &["row 1 is 2", "0 or 1"]);
    assert_says(
        Problem::new(&data, Poisson, WholeSpace).fit(&settings),
        &["row 2 is -1", "poisson", "zero or positive"],
    );
}

#[test]
fn settings_out_of_range_are_named_with_their_rule() {
    let base = Settings::default;
    let cases: Vec<(Settings, &[&str])> = vec![
        (base().batch_size(4), &["batch_size", "from 1 to the number of rows, 3", "got 4"]),
        (base().batch_size(0), &["batch_size", "got 0"]),
        (base().monitor_rows(9), &["monitor_rows", "got 9"]),
        (base().rho1(0.0), &["rho1", "positive", "got 0"]),
        (base().rho1(-1.0), &["rho1", "positive", "got -1"]),
        (base().rho1(f64::NAN), &["rho1", "NaN"]),
        (base().gamma(-0.5), &["gamma", "-0.5"]),
        (base().gamma(f64::INFINITY), &["gamma", "inf"]),
        (base().tolerance(0.0), &["tolerance", "positive"]),
        (base().max_steps(0), &["max_steps", "at least 1"]),
        (base().max_passes(0.0), &["max_passes", "positive"]),
        (base().time_limit(Duration::ZERO), &["time_limit", "positive"]),
        (base().check_every(0), &["check_every", "at least 1"]),
        (base().threads(0), &["threads", "from 1 to 1024"]),
        (base().threads(100_000), &["threads", "100000"]),
        (base().start(vec![0.0, f64::NAN], 0.0), &["start", "finite"]),
    ];
    for (settings, pieces) in cases {
        assert_says(fit(Squared, WholeSpace, &settings), pieces);
    }
    assert_says(Problem::new(&data(), Squared, WholeSpace).ridge(-1.0).fit(&base()), &["ridge", "got -1"]);
    assert_says(Huber::with_delta(0.0), &["huber delta", "positive"]);
    assert_says(Geometric::new(1.0, 0.5, 10), &["factor", "at least 1", "0.5"]);
    assert_says(Geometric::new(1.0, 2.0, 0), &["period", "at least 1"]);
    assert_says(Geometric::new(1.0, 2.0, 1).unwrap().capped_at(-1.0), &["cap", "positive"]);
    assert_says(Constant::new(-2.0), &["rho", "positive", "-2"]);
    assert_says(Polynomial::new(1.0, f64::NAN), &["gamma", "NaN"]);
}

#[test]
fn a_schedule_that_under_or_overflows_names_the_step() {
    let vanishing = Settings::default().schedule(|step: u64| 10.0_f64.powi(-100 * step as i32));
    assert_says(fit(Squared, WholeSpace, &vanishing), &["step 4", "positive and finite"]);
    let exploding = Settings::default().schedule(|step: u64| 10.0_f64.powi(100 * step as i32));
    assert_says(fit(Squared, WholeSpace, &exploding), &["step 4", "inf"]);
}

#[test]
fn sets_that_do_not_fit_the_parameter_are_refused() {
    assert_says(fit(Squared, Sparsity::at_most(3), &Settings::default()), &["sparsity:3", "2"]);
    let rank = |text: &str, shape| SetSpec::parse(text).unwrap().build(shape).map(|_| ());
    assert_says(rank("rank:9", Shape::Matrix { rows: 64, columns: 8 }), &["rank:9", "64x8", "8"]);
    assert_says(rank("rank:1", Shape::Vector(8)), &["rank:1"]);
}

#[test]
fn overflow_of_the_exponential_names_row_and_predictor() {
    let x = [1.0, 900.0];
    let y = [1.0, 2.0];
    let data = Data::dense(&x, 1, &y).unwrap();
    let problem = Problem::new(&data, Poisson, WholeSpace);
    for settings in [Settings::default(), Settings::default().rho1(0.1)] {
        let settings = settings.batch_size(2).start(vec![1.0], 0.0);
        assert_says(problem.fit(&settings), &["poisson", "row 1", "9e2"]);
    }
}

#[test]
fn losses_that_cannot_be_read_say_what_is_allowed() {
    assert_says(loss::parse("quadratic"), &["quadratic", "character 1", "squared, logistic"]);
    assert_says(loss::parse("huber:two"), &["two", "character 7", "number"]);
    assert_says(loss::parse("logistic:3"), &["no argument"]);
    assert_says(loss::parse("huber:-1"), &["huber delta"]);
    assert_says(loss::parse("cauchy:0.3"), &["cauchy", "no such loss"]);
}

#[test]
fn foreign_and_damaged_model_files_are_refused_with_a_reason() {
    let fit = fit(Squared, Sparsity::at_most(1), &Settings::default()).unwrap();
    let good = fit.model().to_json().unwrap();
    let folder = std::env::temp_dir().join(format!("proxdist-bad-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.json");
    let cases = [
        (String::new(), "not a model file"),
        ("{}".to_owned(), "format"),
        ("[1, 2]".to_owned(), "not a model file"),
        (good.replace("proxdist-model", "other"), "format"),
        (good.replace("\"version\": 1", "\"version\": 99"), "version 99"),
        (good[..good.len() / 2].to_owned(), "not a model file"),
        (good.replace("\"features\": 2", "\"features\": 0"), "0 features"),
        (good.replace("\"features\": 2", "\"features\": 999999999999999"), "features"),
        (good.replace("\"nonzero\": [", "\"nonzero\": [[7, 1.0], "), "coefficient 7"),
        (good.replace("\"loss\": \"squared\",", ""), "loss"),
    ];
    for (text, piece) in cases {
        assert_ne!(text, good, "the case for {piece:?} changes nothing");
        std::fs::write(&path, text).unwrap();
        assert_says(Model::load(&path), &["model.json", piece]);
    }
    assert_says(Model::load(folder.join("absent.json")), &["absent.json"]);
    assert_says(fit.model().save(folder.join("no/such/folder/model.json")), &["model.json"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn constant_columns_and_separable_classes_have_finite_fits() {
    // The first column is constant and the second separates the classes.
    let x = [1.0, -2.0, 1.0, -1.0, 1.0, 1.0, 1.0, 2.0];
    let y = [0.0, 0.0, 1.0, 1.0];
    let data = Data::dense(&x, 2, &y).unwrap();
    let fit = Problem::new(&data, Logistic, Sparsity::at_most(1)).intercept(true).fit(&Settings::default()).unwrap();
    assert_eq!(fit.support(), [1]);
    assert!(fit.coefficients()[1].is_finite() && fit.objective() < 0.1);
}
