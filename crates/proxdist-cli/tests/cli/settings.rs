//! Options that are settings of the library, and what is said about those that had no effect.

use crate::common::{Place, SMALL};

fn notes(place: &Place, words: &str) -> Vec<String> {
    let said = place.run(words);
    assert_eq!(said.code, Some(0), "{words}\n{}", said.stderr);
    said.stderr.lines().filter(|line| line.contains("had no effect")).map(str::to_owned).collect()
}

#[test]
fn an_option_without_effect_earns_a_note_that_says_why() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let fit = "fit small.csv --target y --ignore label";
    let alone = "the exact finish over this set needs no start, so no steps were taken";
    assert_eq!(
        notes(&place, &format!("{fit} -c ball:1 --max-steps 50 --passes 3")),
        [format!("note:  --max-steps had no effect: {alone}"), format!("note:  --passes had no effect: {alone}")]
    );
    assert!(notes(&place, &format!("{fit} -c ball:1")).is_empty());
    assert!(notes(&place, &format!("{fit} -c ball:1 --max-steps 50 --no-polish")).is_empty());
    assert!(notes(&place, &format!("{fit} -c ball:1 --max-steps 50 --quiet")).is_empty());
    let seed = notes(&place, &format!("{fit} -c ball:1 --seed 7"));
    assert_eq!(seed, ["note:  --seed had no effect: nothing was drawn at random"]);
    // It decides which rows are kept out.
    assert!(notes(&place, &format!("{fit} -c ball:1 --seed 7 --holdout 0.25")).is_empty());
    let json = place.json(&format!("{fit} -c ball:1 --gamma 0.7"));
    assert_eq!(json["notes"], serde_json::json!([format!("--gamma had no effect: {alone}")]));
}

#[test]
fn a_search_deals_rows_by_the_seed_and_takes_the_simplest_within_one_standard_error() {
    let place = Place::new();
    place.ok("simulate linear --n 60 --p 4 --s 2 --seed 2 --out data --quiet");
    let tune = "tune data/data.npz --target y --grid ball:1,5,20 --folds 4";
    let said = notes(&place, &format!("{tune} --seed 3 --tolerance 1e-3"));
    assert!(said.len() == 1 && said[0].contains("--tolerance had no effect"), "{said:?}");
    let usual = place.json(tune);
    assert_eq!(usual["chosen"], usual["one_standard_error"]);
    let best = place.json(&format!("{tune} --choice best"));
    assert_eq!((&best["chosen"], &best["table"]), (&best["best"], &usual["table"]));
    assert_eq!(place.run(&format!("{tune} --choice worst")).code, Some(2));
}

#[test]
fn settings_of_the_library_are_options_and_stand_in_the_model_file() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let words = "fit small.csv --target y --ignore label -c sparsity:2 --no-polish --rho1 0.5 --schedule constant --sampling cyclic \
                 --batch-size 4 --check-every 2 --monitor-rows 6 --max-steps 30 --threads 1 --out model.json --json";
    let fit: serde_json::Value = serde_json::from_str(&place.ok(words)).unwrap();
    assert_eq!((&fit["schedule"], &fit["batch_size"]), (&"constant:0.5".into(), &4.into()));
    let model = proxdist::Model::load(place.path("model.json")).unwrap();
    let settings: Vec<String> = model.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let expected = "batch_size=4 check_every=2 max_steps=30 monitor_rows=6 polish=false rho1=0.5 sampling=cyclic schedule=constant";
    assert_eq!(settings.join(" "), expected);
}

#[test]
fn a_checkpoint_belongs_to_the_settings_that_steps_depend_on() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let words = "fit small.csv --target y --ignore label -c sparsity:2 --rho1 0.05 --no-polish --tolerance 1e-15 --checkpoint c";
    place.ok(&format!("{words} --max-steps 50 --quiet"));
    place.ok(&format!("{words} --max-steps 80 --threads 1 --resume --quiet"));
    for (option, name) in
        [("--check-every 7", "check-every"), ("--sampling cyclic", "sampling"), ("--gamma 0.9", "gamma")]
    {
        let said = place.run(&format!("{words} --max-steps 80 --resume {option}"));
        assert!(said.code == Some(2) && said.stderr.contains(&format!("another {name}: ")), "{}", said.stderr);
    }
}
