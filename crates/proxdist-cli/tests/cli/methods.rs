//! Every method by changing one word, and what a rate that is too large leads to.

use crate::common::Place;
use serde_json::Value;

/// A place with a simulated file of 400 rows and 20 features, five of which matter.
fn place() -> Place {
    let place = Place::new();
    place.ok("simulate linear --n 400 --p 20 --s 5 --seed 2 --out sim --format csv");
    place
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_rate_is_the_inverse_of_rho1() {
    let place = place();
    let fit = |words: &str| {
        place.json(&format!(
            "fit sim/data.csv --target y -c sparsity:5 --no-polish --max-steps 50 --method psgd {words}"
        ))
    };
    let (rate, rho1) = (fit("--rate 0.01"), fit("--rho1 100"));
    assert_eq!(rate["coefficients"], rho1["coefficients"]);
    assert_eq!(rate["method"], "psgd");
    let said = place.run("fit sim/data.csv --target y --rate 0.01 --rho1 100");
    assert_eq!(said.code, Some(2));
    let said = place.run("fit sim/data.csv --target y --rate -1");
    assert!(said.code == Some(2) && said.stderr.contains("positive number"), "{}", said.stderr);
}

#[test]
fn divergence_is_an_outcome_with_a_finite_model() {
    let place = place();
    let words = "fit sim/data.csv --target y -c sparsity:5 --rate 1000 --method";
    let fit = place.json(&format!("{words} psgd --out model.json"));
    assert_eq!((&fit["stop"], &fit["converged"]), (&Value::from("diverged"), &Value::from(false)));
    assert!(number(&fit["objective"]).is_finite());
    assert!(!place.read("model.json").contains("null, "), "no entry of the model is missing");
    place.ok("predict model.json sim/data.csv");
    let said = place.run(&format!("{words} sgd --require-convergence"));
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("diverged: the learning rate is too large for sgd"), "{}", said.stdout);
    for method in ["spd", "isgd"] {
        let fit = place.json(&format!("{words} {method} --no-polish"));
        assert_ne!(fit["stop"], "diverged", "{method}");
    }
}

#[test]
fn a_method_that_is_not_there_is_refused_with_the_list() {
    let said = place().run("fit sim/data.csv --target y --method adam");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("the methods are spd, psgd"), "{}", said.stderr);
}
