//! The best models of all sizes of sets with rules, from the shell.

use crate::common::Place;
use serde_json::Value;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/cellar.csv");

fn sizes(json: &Value) -> Vec<u64> {
    json["points"].as_array().unwrap().iter().map(|point| point["size"].as_u64().unwrap()).collect()
}

#[test]
fn features_that_are_kept_are_in_models_of_all_sizes() {
    let place = Place::new();
    let words = ["path", DEMO, "--target", "quality", "-c", "sparsity:5;keep=hue,ash", "--select", "bic", "--json"];
    let said = place.run_words(words);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("sizes below 2 are left out"), "{}", said.stderr);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(sizes(&json), [2, 3, 4, 5]);
    for (point, size) in json["points"].as_array().unwrap().iter().zip(2..) {
        let support: Vec<&str> =
            point["support"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(support.contains(&"hue") && support.contains(&"ash") && support.len() == size, "{support:?}");
        // A fit of that size is not better.
        let set = format!("sparsity:{size};keep=hue,ash");
        let fit = place.run_words(["fit", DEMO, "--target", "quality", "-c", &set, "--json"]);
        let fit: Value = serde_json::from_str(&fit.stdout).unwrap();
        let (path, fit) = (point["objective"].as_f64().unwrap(), fit["objective"].as_f64().unwrap());
        assert!((path - fit).abs() <= 1e-9 * fit, "{size}: {path} {fit}");
    }
    assert_eq!(json["constraint"], "sparsity:5;keep=hue,ash");
    let chosen = json["chosen"]["size"].as_u64().unwrap();
    assert_eq!(json["fit"]["constraint"], format!("sparsity:{chosen};keep=hue,ash"));
}

#[test]
fn groups_and_convex_sets_have_paths_with_held_out_scores_pages_and_tables() {
    let place = Place::new();
    for (set, unit) in [("group-sparsity:4;by=source", "number of groups"), ("nonneg", "number of features")] {
        let words = ["path", DEMO, "--target", "quality", "-c", set, "--sizes", "1-3", "--folds", "3"];
        let files = ["--ridge-grid", "0", "--report", "page.html", "--table", "t.csv", "--out", "m.json"];
        let said = place.run_words(words.into_iter().chain(files));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        assert!(said.stdout.contains("with each size in place of 3"), "{}", said.stdout);
        assert_eq!(place.read("t.csv").lines().count(), 4);
        assert!(place.read("page.html").contains(unit));
        let model: Value = serde_json::from_str(&place.read("m.json")).unwrap();
        assert!(model.to_string().contains(if unit.contains("groups") {
            "group-sparsity:"
        } else {
            "nonneg & sparsity:"
        }));
    }
}

#[test]
fn tune_over_the_sizes_of_a_set_agrees_with_the_path() {
    let place = Place::new();
    let common = ["--target", "quality", "-c", "sparsity:4;keep=hue", "--folds", "4", "--json"];
    let tuned = place.run_words(["tune", DEMO, "--grid", "sparsity:1-4"].into_iter().chain(common));
    let path = place.run_words(["path", DEMO, "--ridge-grid", "0"].into_iter().chain(common));
    assert_eq!((tuned.code, path.code), (Some(0), Some(0)), "{}{}", tuned.stderr, path.stderr);
    let (tuned, path): (Value, Value) =
        (serde_json::from_str(&tuned.stdout).unwrap(), serde_json::from_str(&path.stdout).unwrap());
    let means = |points: &Value| -> Vec<f64> {
        points.as_array().unwrap().iter().map(|point| point["mean"].as_f64().unwrap()).collect()
    };
    let (tuned, path) = (means(&tuned["table"]["scores"]), means(&path["points"]));
    assert_eq!(tuned.len(), 4);
    assert!(tuned.iter().zip(&path).all(|(a, b)| (a - b).abs() <= 1e-9 * b), "{tuned:?} {path:?}");
}

#[test]
fn sizes_within_rules_are_proven() {
    let place = Place::new();
    let words = [
        "path",
        DEMO,
        "--target",
        "quality",
        "-c",
        "sparsity:3;keep=hue",
        "--select",
        "bic",
        "--prove",
        "20s",
        "--json",
    ];
    let said = place.run_words(words);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    assert!(
        json["points"].as_array().unwrap().iter().all(|point| point["proven"] == "globally optimal, proven"),
        "{json}"
    );
    let words =
        ["path", DEMO, "--target", "quality", "-c", "nonneg", "--sizes", "1-3", "--select", "bic", "--prove", "5s"];
    let said = place.run_words(words);
    assert!(said.code == Some(0) && said.stderr.contains("there are no proofs for all sizes"), "{}", said.stderr);
}
