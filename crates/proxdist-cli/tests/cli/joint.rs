//! Times until an event and ordered labels, from the shell to the model file.

use crate::common::Place;
use std::fmt::Write as _;

/// Rows with times, events, strata, entries and ordered labels, from two of three features.
fn table() -> String {
    let mut text = "a,b,c,days,died,clinic,since,rating\n".to_owned();
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / 9_007_199_254_740_992.0
    };
    for row in 0..120 {
        let (a, b, c) = (next() * 4.0 - 2.0, next() * 200.0 - 100.0, next());
        let eta = a - 0.01 * b;
        let died = -(1.0 - next()).ln() * (-eta).exp();
        let left = 0.3 + 2.0 * next();
        let days = (50.0 * died.min(left)).ceil();
        let latent = eta + (next() / (1.0 - next())).max(1e-9).ln();
        let rating = if latent < -1.0 { "low" } else { ["mid", "high"][usize::from(latent > 1.0)] };
        let (event, clinic) = (u8::from(died <= left), ["north", "south"][row % 2]);
        let since = if row % 4 == 0 { (days / 2.0).floor() } else { 0.0 };
        let _ = writeln!(text, "{a},{b},{c},{days},{event},{clinic},{since},{rating}");
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

const COX: &str = "fit t.csv --loss cox --target days --event died --ignore rating";
const ORDINAL: &str = "fit t.csv --loss ordinal --target rating --levels low,mid,high --ignore days,died,clinic,since";

/// The same measures, but for the last digits: a fit has scaled columns, and its model file those of the file.
fn same(one: &serde_json::Value, other: &serde_json::Value) {
    let (one, other) = (one.as_object().unwrap(), other.as_object().unwrap());
    assert_eq!(one.len(), other.len());
    for (key, value) in one {
        match (value.as_f64(), other[key].as_f64()) {
            (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{key}: {a} {b}"),
            _ => assert_eq!(value, &other[key], "{key}"),
        }
    }
}

/// The column of a comma-separated text, by its place.
fn column(text: &str, place: usize) -> Vec<String> {
    text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

#[test]
fn times_are_fitted_predicted_and_evaluated() {
    let place = place();
    let said = place.run(&format!("{COX} --entry since --strata clinic -c sparsity:2 --out m.json --report r.html"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    for text in ["cox loss (efron ties): ", "120 rows x 3 features, ", " events, 2 strata, t.csv", "hazard ratio"] {
        assert!(said.stdout.contains(text), "{text}: {}", said.stdout);
    }
    let page = place.read("r.html");
    assert!(page.contains("Baseline survival") && page.contains("hazard ratio"));
    let model: serde_json::Value = serde_json::from_str(&place.read("m.json")).unwrap();
    assert_eq!((&model["version"], &model["loss"], &model["ties"]), (&3.into(), &"cox".into(), &"efron".into()));
    let names: Vec<&str> =
        model["baseline"]["strata"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["north", "south"]);

    let risks = place.ok("predict m.json t.csv");
    assert_eq!(risks.lines().next(), Some("linear_predictor,relative_risk"));
    let chances = place.ok("predict m.json t.csv --times 10,40");
    assert_eq!(chances.lines().next(), Some("survival@10,survival@40"));
    let center = model["baseline"]["center"].as_f64().unwrap();
    let clinics = column(&table(), 5);
    // S(t) = exp(−Λ₀(t) e^(η − c)) with the hazard of the row's own stratum.
    for (row, clinic) in clinics.iter().enumerate() {
        let stratum = &model["baseline"]["strata"][usize::from(clinic == "south")];
        let numbers =
            |key: &str| -> Vec<f64> { stratum[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let (times, hazard) = (numbers("times"), numbers("hazard"));
        let eta: f64 = column(&risks, 0)[row].parse().unwrap();
        let at = times.partition_point(|time| *time <= 40.0);
        let expected = (-hazard[at - 1] * (eta - center).exp()).exp();
        let found: f64 = column(&chances, 1)[row].parse().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let fit = place.json(&format!("{COX} --entry since --strata clinic -c sparsity:2"));
    let evaluated = place.json("evaluate m.json t.csv");
    same(&fit["training"], &evaluated["evaluation"]);
    assert!(evaluated["evaluation"]["concordance"].as_f64().unwrap() > 0.6);
    assert!(place.ok("evaluate m.json t.csv").contains("concordance"));
    let breslow = place.json(&format!("{COX} --ties breslow"));
    assert_eq!(breslow["model"]["ties"], "breslow");
    assert_ne!(breslow["objective"], place.json(COX)["objective"]);
}

#[test]
fn ordered_labels_are_fitted_predicted_and_evaluated() {
    let place = place();
    let said = place.run(&format!("{ORDINAL} -c sparsity:2 --out m.json --report r.html"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("labels in ascending order: low < mid < high"), "{}", said.stderr);
    for text in ["ordinal loss: ", "3 labels", "odds ratio", "low | mid", "mid | high"] {
        assert!(said.stdout.contains(text), "{text}: {}", said.stdout);
    }
    assert!(place.read("r.html").contains("Thresholds"));
    let text = place.ok("predict m.json t.csv");
    assert_eq!(text.lines().next(), Some("low,mid,high,prediction"));
    let mut right = 0;
    for (line, truth) in text.lines().skip(1).zip(column(&table(), 7)) {
        let fields: Vec<&str> = line.split(',').collect();
        let chances: Vec<f64> = fields[..3].iter().map(|field| field.parse().unwrap()).collect();
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let best = (0..3).max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap();
        assert_eq!(fields[3], ["low", "mid", "high"][best]);
        right += usize::from(fields[3] == truth);
    }
    let evaluated = place.json("evaluate m.json t.csv");
    let accuracy = evaluated["evaluation"]["accuracy"].as_f64().unwrap();
    assert!((accuracy - right as f64 / 120.0).abs() < 1e-12);
    let fit = place.json(&format!("{ORDINAL} -c sparsity:2"));
    same(&fit["training"], &evaluated["evaluation"]);
}

/// Rows kept out are the same ones for `evaluate`.
#[test]
fn kept_out_rows_are_evaluated_again() {
    let place = place();
    for command in [COX, ORDINAL] {
        let strata = if command == COX { "--strata clinic" } else { "" };
        let fit = place.json(&format!("{command} {strata} --holdout 0.25 --out m.json"));
        let evaluated = place.json("evaluate m.json t.csv --rows heldout");
        same(&fit["heldout"], &evaluated["evaluation"]);
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_a_hint() {
    let place = place();
    place.write("bad.csv", "a,b,days,died,since\n1,2,3,1,0\n2,1,-4,0,0\n3,5,6,1,0\n");
    place.write("none.csv", "a,b,days,died,since\n1,2,3,0,0\n2,1,4,0,5\n3,5,6,0,0\n");
    place.write("odd.csv", "a,b,days,died,since\n1,2,3,0,0\n2,1,4,2,5\n3,5,6,1,0\n");
    let asked = "--loss cox --target days --event died";
    for (words, message) in [
        ("fit t.csv --loss cox --target days".to_owned(), "which rows had the event is not known"),
        (format!("fit bad.csv {asked} --ignore since"), "bad.csv: time at data row 2 is -4"),
        (format!("fit none.csv {asked} --ignore since"), "all 3 rows are censored"),
        (format!("fit none.csv {asked} --entry since"), "entry at data row 2 is 5, not before its time 4"),
        (format!("fit odd.csv {asked} --ignore since"), "event at data row 2 is 2"),
        (format!("fit bad.csv {asked} --strata nowhere"), "nowhere"),
        (format!("fit bad.csv {asked} --levels x,y"), "--levels is not available for --loss cox"),
        ("fit bad.csv --target days --event died".to_owned(), "do not belong to --loss squared"),
        (ORDINAL.replace("low,mid,high", "low,mid"), "is not among --levels low,mid"),
        (ORDINAL.replace("low,mid,high", "low,mid,high,top"), "has the label \"top\""),
        (format!("{COX} --checkpoint c.json"), "--checkpoint is not available for --loss cox"),
        (format!("{COX} -c jumps:1"), "neither convex nor a choice of features"),
    ] {
        let said = place.run(&words);
        assert_eq!(said.code, Some(2), "{words}: {}", said.stdout);
        assert!(said.stderr.contains(message), "{words}: {}", said.stderr);
        assert!(said.stderr.contains("hint:  "), "{words}: {}", said.stderr);
    }
}

/// Sizes by a criterion and by rows held out: the models are those of single fits, the criterion is its formula, and the model file predicts.
#[test]
fn sizes_are_chosen_by_criteria_and_by_held_out_rows() {
    let place = place();
    let path = COX.replace("fit", "path") + " --strata clinic";
    let found = place.json(&format!("{path} --sizes 1-3 --select bic --out m.json --report r.html --table p.csv"));
    let events = column(&table(), 4).iter().filter(|event| *event == "1").count();
    assert_eq!(found["counted"], events);
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    for (at, point) in points.iter().enumerate() {
        let fit = place.json(&format!("{COX} --strata clinic -c sparsity:{}", at + 1));
        let (own, alone) = (point["objective"].as_f64().unwrap(), fit["objective"].as_f64().unwrap());
        assert!((own - alone).abs() <= 1e-12 * alone, "{own} {alone}");
        let used = point["support"].as_array().unwrap().len() as f64;
        let bic = 2.0 * 120.0 * own + used * (events as f64).ln();
        assert!((point["bic"].as_f64().unwrap() - bic).abs() < 1e-8);
    }
    let least = points.iter().map(|point| point["bic"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    let chosen = points.iter().find(|point| point["bic"].as_f64() == Some(least)).unwrap();
    assert_eq!(chosen["size"], found["chosen"]["size"]);
    assert_eq!(place.read("p.csv").lines().count(), 4);
    assert!(place.read("r.html").contains("Sizes"));
    assert!(place.ok("predict m.json t.csv").starts_with("linear_predictor,relative_risk"));

    let validated = place.json(&format!("{path} --sizes 1-3 --folds 4 --ridge-grid 0,0.01"));
    assert_eq!(validated["points"].as_array().unwrap().len(), 6);
    let tuned = place.json(&(ORDINAL.replace("fit", "tune") + " --grid sparsity:1-3 --folds 4 --score accuracy"));
    let scores = tuned["table"]["scores"].as_array().unwrap();
    assert_eq!((scores.len(), &tuned["table"]["scoring"]), (3, &"accuracy".into()));
    let tuned = place.json(&(COX.replace("fit", "tune") + " --strata clinic --grid ball:0.5,1 --score concordance"));
    assert_eq!(tuned["table"]["scoring"], "concordance");
    for (words, message) in [
        (COX.replace("fit", "tune") + " --grid sparsity:1-2 --score auc", "loss or concordance for times"),
        (
            "tune t.csv --target days --ignore rating,clinic --grid sparsity:1 --score concordance".to_owned(),
            "concordance",
        ),
        ("path t.csv --target days --ignore rating,clinic --event died".to_owned(), "do not belong to --loss squared"),
        (COX.replace("fit", "path") + " --sizes 9", "--sizes 9"),
        (COX.replace("fit", "path") + " --offset a,b", "--offset with several columns"),
    ] {
        let said = place.run(&words);
        assert_eq!(said.code, Some(2), "{words}: {}", said.stdout);
        assert!(said.stderr.contains(message) && said.stderr.contains("hint:  "), "{words}: {}", said.stderr);
    }
}

/// A feature that is larger for every death than for all who are still at risk: nothing is called optimal, and the hint names a ridge that helps.
#[test]
fn a_likelihood_without_a_maximum_is_told() {
    let place = Place::new();
    let mut text = "marker,noise,days,died\n".to_owned();
    for row in 0..40 {
        let _ = writeln!(text, "{},{},{},{}", 100 - row, row * row % 17, row + 1, u8::from(row % 3 > 0));
    }
    place.write("t.csv", text);
    for set in ["sparsity:1", "none"] {
        let words = format!("fit t.csv --loss cox --target days --event died -c {set}");
        let said = place.run(&format!("{words} --report r.html"));
        assert!(said.stderr.contains("F has no minimum") && said.stderr.contains("marker"), "{}", said.stderr);
        assert!(said.stderr.contains("--ridge 0.001"), "{}", said.stderr);
        assert!(said.stdout.contains("none: F only falls"), "{}", said.stdout);
        assert!(!said.stdout.contains("globally optimal"), "{}", said.stdout);
        assert!(place.read("r.html").contains("No minimum"));
        let fit = place.json(&words);
        assert_eq!(fit["undetermined"][0], "marker");
        assert!(fit["proven"].is_null());
        let ridged = place.json(&format!("{words} --ridge 0.001"));
        assert_eq!(ridged["undetermined"].as_array().unwrap().len(), 0);
        assert!(!ridged["proven"].is_null());
    }
}
