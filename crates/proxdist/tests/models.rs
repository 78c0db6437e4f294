//! A model that is saved and loaded predicts the same to the last bit.

use proxdist::constraint::{Ball, Sparsity};
use proxdist::data::Dense;
use proxdist::loss::{Huber, Logistic, Poisson, Squared, Task};
use proxdist::simulate::{Response, Truth, matrix, vector};
use proxdist::spec::SetSpec;
use proxdist::{Model, Problem, Settings};

fn round_trip(model: &Model, name: &str) -> Model {
    let path = std::env::temp_dir().join(format!("proxdist-{name}-{}.json", std::process::id()));
    model.save(&path).unwrap();
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    loaded
}

#[test]
fn a_loaded_model_is_the_saved_one() {
    let simulated = vector(Response::Logistic, Truth::Sparse(3), 300, 20, 4).unwrap();
    let names: Vec<String> = (0..20).map(|j| format!("gene \"{j}\" <é>")).collect();
    let data = simulated.data().unwrap().names(names).unwrap();
    let problem = Problem::new(&data, Logistic, Sparsity::at_most(3)).intercept(true).ridge(0.1 + 0.2);
    let model = problem.fit(&Settings::default().max_steps(50)).unwrap().model().clone();
    let loaded = round_trip(&model, "sparse");
    assert_eq!(loaded, model);
    let source = Dense::new(&simulated.x, 20).unwrap();
    let (before, after) = (model.predict(&source).unwrap(), loaded.predict(&source).unwrap());
    assert!(before.iter().zip(&after).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert!(before.iter().all(|p| (0.0..=1.0).contains(p)));
}

#[test]
fn a_fit_without_any_curvature_can_be_loaded_too() {
    // Every row lies on a straight piece of the loss, so that no step length follows from second derivatives.
    let mut simulated = vector(Response::Linear, Truth::Sparse(3), 100, 10, 4).unwrap();
    simulated.y.iter_mut().for_each(|y| *y *= 1e3);
    let data = simulated.data().unwrap();
    let loss = Huber::with_delta(10.0).unwrap();
    let fit = Problem::new(&data, loss, Ball::radius(1.0).unwrap()).fit(&Settings::default()).unwrap();
    assert!(fit.certificate().stationarity.is_finite(), "{:?}", fit.certificate());
    assert_eq!(round_trip(fit.model(), "straight"), *fit.model());
}

#[test]
fn a_matrix_model_keeps_its_shape() {
    let simulated = matrix(1, 60, 2).unwrap();
    let data = simulated.data().unwrap();
    let set = SetSpec::parse("rank:1").unwrap().build(data.parameter_shape()).unwrap();
    let model = Problem::new(&data, Squared, set).fit(&Settings::default().max_steps(5)).unwrap().model().clone();
    assert_eq!(model.constraint, "rank:1");
    assert_eq!(round_trip(&model, "matrix"), model);
}

#[test]
fn predictions_are_means_of_the_response() {
    let x = [0.5, 1.0, 0.1, 2.0];
    let y = [1.0, 3.0, 1.0, 8.0];
    let data = proxdist::Data::dense(&x, 1, &y).unwrap();
    let model =
        Problem::new(&data, Poisson, Ball::radius(1.0).unwrap()).fit(&Settings::default()).unwrap().model().clone();
    let source = Dense::new(&x, 1).unwrap();
    let (mean, linear) = (model.predict(&source).unwrap(), model.linear_predictors(&source).unwrap());
    assert!(mean.iter().zip(&linear).all(|(m, l)| *m == l.exp()));
    let wide = Dense::new(&x, 2).unwrap();
    assert!(model.predict(&wide).unwrap_err().to_string().contains("expected 1"));
}

#[test]
fn a_model_knows_what_it_predicts() {
    let text = small_model().to_json().unwrap();
    let with = |loss: &str| {
        Model::from_json(&text.replace("\"loss\": \"squared\"", &format!("\"loss\": \"{loss}\""))).unwrap()
    };
    let facts = |loss: &str| {
        let model = with(loss);
        (model.task().unwrap(), model.loss.known().unwrap().has_probabilities())
    };
    assert_eq!(facts("logistic"), (Task::TwoClasses, true));
    assert_eq!(facts("squared-hinge"), (Task::TwoClasses, false));
    assert_eq!(facts("poisson"), (Task::Counts, false));
    assert_eq!(facts("squared + huber:2"), (Task::Regression, false));
}

#[test]
fn a_model_of_an_unknown_loss_can_be_read_but_does_not_predict() {
    let text = small_model().to_json().unwrap().replace("\"loss\": \"squared\"", "\"loss\": \"custom\"");
    let model = Model::from_json(&text).unwrap();
    assert_eq!((model.loss.as_str(), model.to_json().unwrap()), ("custom", text));
    let source = Dense::new(&[0.5, 1.0], 2).unwrap();
    assert!(model.linear_predictors(&source).is_ok());
    for message in [model.predict(&source).unwrap_err().to_string(), model.task().unwrap_err().to_string()] {
        assert!(message.contains("custom") && message.contains("no such loss"), "{message}");
    }
}

fn small_model() -> Model {
    let (x, y) = ([0.5, 1.0, 0.1, 2.0], [1.0, 3.0]);
    let data = proxdist::Data::dense(&x, 2, &y).unwrap();
    Problem::new(&data, Squared, Ball::radius(1.0).unwrap())
        .intercept(true)
        .fit(&Settings::default().max_steps(20))
        .unwrap()
        .model()
        .clone()
}

/// Puts a number into a model where it does not belong.
type Spoil = fn(&mut Model, f64);

#[test]
fn no_number_that_is_not_finite_is_ever_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let good = small_model();
    good.save(&path).unwrap();
    let kept = std::fs::read(&path).unwrap();
    let spoil: [(&str, Spoil); 8] = [
        ("coefficient 2", |model, value| model.coefficients[1] = value),
        ("intercept", |model, value| model.intercept = Some(value)),
        ("F is", |model, value| model.objective = value),
        ("ridge", |model, value| model.ridge = value),
        ("certificate", |model, value| model.certificate.distance = value),
        ("certificate", |model, value| model.certificate.stationarity = value),
        ("certificate", |model, value| model.certificate.iterate_distance = Some(value)),
        ("certificate", |model, value| {
            model.certificate.gap = Some(proxdist::Gap { value, proof: proxdist::Proof::Curvature });
        }),
    ];
    for (what, spoil) in spoil {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut model = good.clone();
            spoil(&mut model, value);
            let message = model.save(&path).unwrap_err().to_string();
            assert!(message.starts_with("the model cannot be written") && message.contains(what), "{message}");
            assert!(model.to_json().is_err() && model.check_finite().is_err());
        }
    }
    assert_eq!(std::fs::read(&path).unwrap(), kept);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_a_file_claims_is_checked_before_memory_is_taken_for_it() {
    let text = small_model().to_json().unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        Model::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    for features in ["4294967296", "67108865", "18446744073709551615", "0"] {
        let reason = with("\"features\": 2", &format!("\"features\": {features}"));
        assert!(reason.starts_with("damaged model file: ") && reason.contains(features), "{reason}");
    }
    assert!(with("\"features\": 2", "\"features\": 2, \"matrix\": [9223372036854775809, 2]").contains("damaged"));
    assert!(with("\"features\": 2", "\"features\": 2, \"names\": [\"a\"]").contains("1 names for 2"));
    assert!(with("      1,\n", "      4294967295,\n").contains("coefficient 4294967295"));
}
