//! `summary`: tables, repetitions that go on from a file, and mistakes.

use crate::common::{Place, SMALL, shared};
use serde_json::Value;

fn fitted(options: &str) -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place.ok(&format!("fit small.csv --target y --ignore label --out model.json -q {options}"));
    place
}

fn estimates(said: &Value) -> Vec<(String, f64, f64)> {
    let list = said["summary"]["wald"]["estimates"].as_array().unwrap();
    list.iter()
        .map(|one| {
            (one["name"].as_str().unwrap().to_owned(), one["value"].as_f64().unwrap(), one["error"].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn a_table_has_a_line_for_each_number_and_says_what_it_takes_as_given() {
    let place = fitted("-c sparsity:2");
    let said = place.json("summary model.json small.csv -q");
    assert_eq!(estimates(&said).iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["intercept", "a", "b"]);
    let text = place.ok("summary model.json small.csv -q");
    for wanted in ["std. error", "95 % interval", "Student's t with 9 degrees", "given beforehand", "model-based"] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(wanted), "{wanted}\n{text}");
    }
    let robust = place.json("summary model.json small.csv -q --covariance hc1 --level 0.5");
    assert_eq!(robust["summary"]["wald"]["covariance"], "hc1");
    assert_ne!(estimates(&robust)[1].2, estimates(&said)[1].2);
    let width = |said: &Value| {
        let one = &said["summary"]["wald"]["estimates"][1];
        (one["high"].as_f64().unwrap() - one["low"].as_f64().unwrap()) / one["error"].as_f64().unwrap()
    };
    assert!(width(&robust) < 1.5 && width(&said) > 4.4);
}

/// A fit to a part of the rows is summed up on that part.
#[test]
fn rows_that_were_kept_out_are_left_out() {
    let place = fitted("--holdout 0.25");
    let said = place.run("summary model.json small.csv --json");
    assert!(said.stderr.contains("kept out"), "{}", said.stderr);
    let found: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(found["data"]["rows"], 9);
    assert!(found["summary"]["wald"]["pull"].as_f64().unwrap() < 1e-6);
}

#[test]
fn repetitions_go_on_from_a_file_and_do_not_depend_on_threads() {
    let place = fitted("-c sparsity:2");
    let whole = place.json("summary model.json small.csv -q --bootstrap 9 --stability 4 --seed 3 --threads 1");
    place.ok("summary model.json small.csv -q --bootstrap 4 --stability 2 --seed 3 --threads 2 --state kept.json");
    let first = place.read("kept.json");
    let said = place
        .run("summary model.json small.csv --bootstrap 9 --stability 4 --seed 3 --threads 2 --state kept.json --json");
    assert!(said.stderr.contains("going on from 8 repetitions"), "{}", said.stderr);
    let again: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(again["summary"]["bootstrap"], whole["summary"]["bootstrap"]);
    assert_eq!(again["summary"]["stability"], whole["summary"]["stability"]);
    let kept: Value = serde_json::from_str(&place.read("kept.json")).unwrap();
    assert_eq!((kept["bootstrap"].as_array().unwrap().len(), kept["halves"].as_array().unwrap().len()), (9, 8));
    assert!(first.len() < place.read("kept.json").len());
    // What is in the file is believed, so a changed file shows.
    let number = |list: &Value| list[0]["nonzero"][0][1].as_f64().unwrap();
    let changed = place.read("kept.json").replace(&number(&kept["bootstrap"]).to_string(), "77777.5");
    place.write("kept.json", changed);
    let other = place.json("summary model.json small.csv -q --bootstrap 9 --seed 3 --state kept.json");
    assert_ne!(other["summary"]["bootstrap"], whole["summary"]["bootstrap"]);
    let failed = place.run("summary model.json small.csv --bootstrap 9 --seed 4 --state kept.json");
    assert!(failed.code == Some(2) && failed.stderr.contains("another seed"), "{}", failed.stderr);
}

#[test]
fn active_constraints_have_their_prices() {
    let place = fitted("-c b<=0.5 -c nonneg");
    let text = place.ok("summary model.json small.csv -q");
    assert!(text.contains("active constraint") && text.contains("b <= 0.5"), "{text}");
    let said = place.json("summary model.json small.csv -q");
    let price = said["summary"]["prices"]["active"][0]["price"].as_f64().unwrap();
    // F is that much lower for each unit.
    let objective = |limit: &str| {
        let fit = place.json(&format!("fit small.csv --target y --ignore label -c b<={limit} -c nonneg -q"));
        fit["objective"].as_f64().unwrap_or_else(|| panic!("{fit}"))
    };
    let slope = (objective("0.5") - objective("0.50001")) / 1e-5;
    assert!((slope / price - 1.0).abs() < 1e-3, "{slope} {price}");
}

#[test]
fn hitters_has_the_errors_of_least_squares() {
    let Some(path) = shared("classic/hitters.csv") else { return };
    let place = Place::new();
    let data = path.display();
    place.ok(&format!("fit {data} --target Salary --missing drop --ignore player -c sparsity:3 --out model.json -q"));
    let said = place.json(&format!("summary model.json {data} --missing drop -q"));
    assert_eq!(estimates(&said).len(), 4);
    assert!(said["summary"]["wald"]["pull"].as_f64().unwrap() < 1e-6);
}

#[test]
fn mistakes_have_one_error_and_a_hint() {
    let place = fitted("-c sparsity:2");
    place.write("twin.csv", "a,b,y\n1,2,1.1\n2,4,2.3\n3,6,2.9\n4,8,4.2\n5,10,5\n");
    place.ok("fit twin.csv --target y --out twin.json -q -c ball:3");
    place.write("three.csv", "a,y\n1,u\n2,v\n3,w\n2,u\n1,v\n4,w\n");
    place.ok("fit three.csv --target y --loss logistic --out three.json -q");
    place.ok("fit small.csv --target y --ignore label --loss huber --out huber.json -q");
    place.write("few.csv", "a,b,c,y,label\n1,2,3,4,no\n2,1,0,5,yes\n");
    place.write("note.txt", "hello");
    for (words, wanted) in [
        ("summary", "MODEL"),
        ("summary model.json", "DATA"),
        ("summary small.csv model.json", "not a model file"),
        ("summary model.json missing.csv", "missing.csv"),
        ("summary - -", "standard input"),
        ("summary model.json small.csv --level 2", "--level"),
        ("summary model.json small.csv --covariance hc7", "hc7"),
        ("summary model.json small.csv --bootstrap 0", "--bootstrap"),
        ("summary model.json small.csv --bootstrap many", "--bootstrap"),
        ("summary model.json small.csv --threshold 0.7", "--stability"),
        ("summary model.json small.csv --stability 3 --threshold 0.3", "--threshold"),
        ("summary model.json small.csv --state kept.json", "--state"),
        ("summary model.json small.csv --bootstrap 3 --state note.txt", "note.txt"),
        ("summary model.json small.csv --bootstrap 3 --state small.csv", "small.csv"),
        ("summary model.json few.csv", "not enough"),
        ("summary twin.json twin.csv", "depend on each other"),
        ("summary three.json three.csv", "several"),
        ("summary huber.json small.csv --covariance model", "no likelihood"),
        ("summary model.json small.csv --target nothing", "nothing"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}\n{}{}", said.stdout, said.stderr);
        let lines: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert!(lines.len() == 1 && lines[0].contains(wanted), "{words}: {}", said.stderr);
        assert!(said.stderr.lines().any(|line| line.starts_with("hint:")), "{words}: {}", said.stderr);
        assert!(said.stdout.is_empty(), "{words}");
    }
}
