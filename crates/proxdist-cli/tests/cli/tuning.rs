//! Cross-validation from the shell.

use crate::common::Place;

#[test]
fn the_planted_number_of_features_is_found() {
    let place = Place::new();
    place.ok("simulate linear --n 200 --p 12 --s 3 --seed 2 --out data --quiet");
    let words = "tune data/data.npz --target y --no-intercept --grid sparsity:1,2,3,6 --folds 5 --max-steps 300 --one-standard-error";
    let said = place.ok(&format!("{words} --out m.json --report r.html"));
    assert!(said.contains("loss by 5-fold cross-validation, smaller is better") && said.contains("chosen"), "{said}");
    assert!(said.contains("wrote m.json, r.html"), "{said}");
    let json = place.json(words);
    assert_eq!(json["chosen"], "sparsity:3");
    assert_eq!(json["table"]["scores"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["fit"]["nonzeros"], 3);
    let model = proxdist::Model::load(place.path("m.json")).unwrap();
    assert_eq!(model.constraint, "sparsity:3");
    assert!(place.read("r.html").contains("sparsity"));
}

#[test]
fn ranges_are_lists_and_tune_agrees_with_path() {
    let place = Place::new();
    place.ok("simulate linear --n 150 --p 12 --s 3 --seed 4 --out data --quiet");
    let tuned = place.json("tune data/data.npz --target y --grid sparsity:1-6 --grid ridge:0,1e-4..1e-1,log,4");
    let listed =
        place.json("tune data/data.npz --target y --grid sparsity:1,2,3,4,5,6 --grid ridge:0,1e-4,1e-3,1e-2,1e-1");
    assert_eq!(tuned["table"]["scores"].as_array().map(Vec::len), Some(30));
    assert_eq!(tuned["chosen"], listed["chosen"]);
    let path = place.json("path data/data.npz --target y --sizes 1-6");
    assert_eq!(
        tuned["chosen"].as_str().unwrap(),
        format!("sparsity:{}, ridge:{}", path["chosen"]["size"], path["chosen"]["ridge"])
    );
    assert_eq!(tuned["fit"]["objective"], path["fit"]["objective"]);
}

#[test]
fn grids_may_have_several_dimensions() {
    let place = Place::new();
    place.ok("simulate logistic --n 150 --p 6 --s 2 --seed 3 --out data --quiet");
    let json = place.json(
        "tune data/data.npz --target y --loss logistic --grid sparsity:1,2 --grid ridge:0,0.01 --rho1 0.01,auto \
         --folds 3 --max-steps 100 --score auc",
    );
    let scores = json["table"]["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 8);
    let best = json["best"].as_str().unwrap();
    let mean = |label: &str| scores.iter().find(|s| s["point"]["label"] == label).unwrap()["mean"].as_f64().unwrap();
    assert!(scores.iter().all(|score| score["mean"].as_f64().unwrap() <= mean(best)));
}

#[test]
fn qsar_is_tuned_over_four_sizes() {
    let Some(path) = crate::common::shared("classification/qsar_oral_toxicity.csv.gz") else { return };
    // The full grid and ten folds belong to an optimised build; this is the same road, shorter.
    let place = Place::new();
    let json = place.json(&format!(
        "tune {} --no-header --target 1025 --positive positive --loss logistic --grid sparsity:20,50 --folds 3 --max-steps 60 --no-polish --score auc",
        path.display()
    ));
    let scores = json["table"]["scores"].as_array().unwrap();
    assert!(scores.len() == 2 && scores.iter().all(|score| score["mean"].as_f64().unwrap() > 0.6), "{scores:?}");
}
