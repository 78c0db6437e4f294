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
    let said = place.run("fit sim/data.csv --target y --rate 0");
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
    assert!(said.stderr.contains("the methods are spd, pd, psgd"), "{}", said.stderr);
}

const NAMES: [&str; 9] = ["spd", "pd", "psgd", "sgd", "isgd", "incremental", "spg", "prm", "cspp"];

#[test]
fn every_method_fits_and_writes_a_model_that_says_its_name() {
    let place = place();
    for name in NAMES {
        let words =
            format!("fit sim/data.csv --target y -c sparsity:5 --method {name} --max-steps 300 --out {name}.json");
        let fit = place.json(&words);
        assert_eq!((&fit["method"], &fit["stop"]), (&Value::from(name), &Value::from("polished")), "{name}");
        assert!(place.read(&format!("{name}.json")).contains(&format!("\"method\": \"{name}\"")));
    }
    let listed = place.ok("methods");
    assert!(NAMES.iter().all(|name| listed.contains(&format!("\n{name}"))), "{listed}");
}

#[test]
fn compare_runs_methods_on_common_batches_and_measures_them_against_the_exact_finish() {
    let place = place();
    let words = "compare sim/data.csv --target y -c sparsity:5 --methods spd,incremental,psgd,pd --passes 20 --seed 3";
    let all = place.json(&format!("{words} --out traces.csv --plot methods.svg --report methods.html"));
    let exact = place.json("fit sim/data.csv --target y -c sparsity:5");
    let optimum = number(&all["optimum"]);
    assert!((optimum - number(&exact["objective"])).abs() < 1e-9 * optimum);
    let entries = all["methods"].as_array().expect("a list");
    assert_eq!(entries.len(), 4);
    for entry in entries {
        let gap = number(&entry["gap"]);
        assert!((-1e-12..0.2 * (number(&all["at_zero"]) - optimum)).contains(&gap), "{entry}");
        assert!(number(&entry["rows_seen"]) <= 400.0 * 20.0 + 64.0 * 100.0, "{entry}");
    }
    // The same batches: incremental without g is spd, so the same rate wins and F is the same.
    let same = |key: &str| (number(&entries[0][key]), number(&entries[1][key]));
    assert_eq!(same("rho1").0, same("rho1").1);
    assert!((same("objective").0 - same("objective").1).abs() < 1e-9);
    // The run in the table is one that `fit` repeats.
    let rate = number(&entries[2]["rho1"]);
    let again = place.json(&format!(
        "fit sim/data.csv --target y -c sparsity:5 --method psgd --rho1 {rate} --passes 20 --seed 3 --no-polish \
         --tolerance 1e-8"
    ));
    assert!((number(&again["objective"]) - number(&entries[2]["objective"])).abs() < 1e-12);
    let traces = place.read("traces.csv");
    assert!(traces.starts_with("method,phase,step,") && traces.contains("\npd,iteration,1,"), "{traces}");
    assert!(place.read("methods.svg").contains("rows seen"));
    let page = place.read("methods.html");
    assert!(page.contains("incremental") && page.contains("F* = "));
    let table = place.ok(words);
    assert!(table.contains("F - F*") && table.lines().any(|line| line.trim_start().starts_with("psgd")), "{table}");
}

#[test]
fn compare_refuses_what_cannot_be_compared() {
    let place = place();
    let cases = [
        ("--methods spd,spd", "given twice"),
        ("--methods spd,spg:l1=1", "another function"),
        ("--method psgd", "--methods"),
        ("--schedule constant", "gamma"),
        ("--methods spd,adam", "no such method"),
    ];
    for (words, piece) in cases {
        let said = place.run(&format!("compare sim/data.csv --target y {words}"));
        assert_eq!(said.code, Some(2), "{words}");
        assert!(said.stderr.contains(piece) && said.stderr.contains("hint:"), "{words}: {}", said.stderr);
    }
    assert_eq!(place.files(), ["sim"]);
}
