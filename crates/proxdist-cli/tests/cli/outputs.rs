//! More than two labels, and several targets, from the shell to the model file.

use crate::common::Place;
use serde_json::Value;
use std::fmt::Write as _;

/// Three kinds that `size` and `tone` tell apart, mostly; `first` and `second` are numbers to explain.
fn table() -> String {
    let mut text = "size,tone,noise,extra,kind,first,second\n".to_owned();
    for row in 0..120_u32 {
        let wave = |j: u32| f64::from((row * (7 * j + 5) + row * row * (j + 2)) % 23) / 11.0 - 1.0;
        let (size, tone, noise, extra) = (wave(1), wave(2), wave(3), wave(4));
        let scores = [2.0 * size + wave(5), 2.0 * tone + wave(6), -size - tone + wave(7)];
        let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
        let kind = ["oak", "ash", "elm"][best];
        let (first, second) = (3.0 * size + 0.1 * noise, size - 2.0 * tone + 0.2 * extra + 5.0);
        let _ = writeln!(text, "{},{tone},{noise},{extra},{kind},{first},{second}", 100.0 * size);
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

const CLASSES: &str = "fit t.csv --target kind --loss logistic --ignore first,second --ridge 0.01";

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').filter_map(|field| field.parse().ok()).collect()
}

#[test]
fn more_than_two_labels_are_explained_together() {
    let place = place();
    let said = place.run(&format!("{CLASSES} -c rows:2 --out m.json --report r.html"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("3 labels: \"ash\", \"elm\", \"oak\""), "{}", said.stderr);
    assert!(said.stderr.contains("3 classes are explained together"), "{}", said.stderr);
    assert!(said.stdout.contains("softmax loss, ridge 0.01: at most 2 features for all outputs together"));
    assert!(said.stdout.contains("coefficients sum to zero over the classes, by the ridge"), "{}", said.stdout);
    let page = place.read("r.html");
    assert!(page.contains("Coefficients by output") && page.contains("Classes on the rows of the fit"));
    let fit = place.json(&format!("{CLASSES} -c rows:2"));
    assert_eq!(fit["outputs"], serde_json::json!(["ash", "elm", "oak"]));
    assert_eq!(fit["features_used"], 2);
    let used: Vec<&str> = fit["coefficients"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert!(used.contains(&"size") && used.contains(&"tone"), "{used:?}");

    let text = place.ok("predict m.json t.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("ash,elm,oak,prediction"));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 120);
    let kinds: Vec<String> = table().lines().skip(1).map(|line| line.split(',').nth(4).unwrap().to_owned()).collect();
    let mut right = 0;
    for (row, kind) in rows.iter().zip(&kinds) {
        let chances = numbers(row);
        assert_eq!(chances.len(), 3);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let best = (0..3).max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap();
        let label = row.rsplit(',').next().unwrap();
        assert_eq!(label, ["ash", "elm", "oak"][best]);
        right += usize::from(label == kind);
    }
    let evaluated: Value = place.json("evaluate m.json t.csv");
    let accuracy = evaluated["evaluation"]["accuracy"].as_f64().unwrap();
    assert!((accuracy - right as f64 / 120.0).abs() < 1e-12);
    let confusion = evaluated["evaluation"]["confusion"].as_array().unwrap();
    let total: f64 = confusion.iter().flat_map(|row| row.as_array().unwrap()).map(|v| v.as_f64().unwrap()).sum();
    assert_eq!(total, 120.0);
    assert_eq!(place.ok("predict m.json t.csv --proba").lines().next(), Some("ash,elm,oak"));
}

/// The log loss of held-out rows, from the probabilities that `predict` writes.
#[test]
fn rows_kept_out_are_scored_the_same_later() {
    let place = place();
    let fit = place.json(&format!("{CLASSES} -c rank:1 --holdout 0.25 --seed 4 --out m.json"));
    let later = place.json("evaluate m.json t.csv --rows heldout");
    assert_eq!(fit["heldout"]["rows"], later["evaluation"]["rows"]);
    let close = |a: &Value, b: &Value| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-12;
    assert!(close(&fit["heldout"]["log_loss"], &later["evaluation"]["log_loss"]));
    assert!(close(&fit["heldout"]["accuracy"], &later["evaluation"]["accuracy"]));
}

#[test]
fn several_targets_have_one_model() {
    let place = place();
    let words = "fit t.csv --target first,second --ignore kind";
    let fit = place.json(&format!("{words} -c rows:2 --out m.json"));
    assert_eq!(fit["outputs"], serde_json::json!(["first", "second"]));
    assert_eq!(fit["certificate"]["exchanges"], "every-choice");
    // Each response by itself, on the two features that both use.
    let used: Vec<&str> = fit["coefficients"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    let others: Vec<&str> =
        ["size", "tone", "noise", "extra"].into_iter().filter(|name| !used.contains(name)).collect();
    for (output, name) in ["first", "second"].iter().enumerate() {
        let other = if output == 0 { "second" } else { "first" };
        let alone = place.json(&format!("fit t.csv --target {name} --ignore kind,{other},{}", others.join(",")));
        for coefficient in fit["coefficients"].as_array().unwrap() {
            let value = coefficient["values"][output].as_f64().unwrap();
            let expected = crate::common::coefficient(&alone, coefficient["name"].as_str().unwrap());
            assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name}: {value} {expected}");
        }
    }
    let text = place.ok("predict m.json t.csv");
    assert_eq!(text.lines().next(), Some("first,second"));
    let evaluated = place.json("evaluate m.json t.csv");
    let responses = evaluated["evaluation"]["responses"].as_array().unwrap();
    let mut squares = 0.0;
    for (predicted, line) in text.lines().skip(1).zip(table().lines().skip(1)) {
        let truth: f64 = line.split(',').nth(5).unwrap().parse().unwrap();
        squares += (numbers(predicted)[0] - truth).powi(2) / 120.0;
    }
    let told = responses[0]["mean_squared_error"].as_f64().unwrap();
    assert!((told - squares).abs() < 1e-9 * (1.0 + squares), "{told} {squares}");
}

#[test]
fn one_output_can_be_bound_by_name() {
    let place = place();
    let said = place.run(&format!("{CLASSES} -c nonneg[*@oak] --json"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let fit: Value = serde_json::from_str(&said.stdout).unwrap();
    let oak: Vec<f64> =
        fit["coefficients"].as_array().unwrap().iter().map(|c| c["values"][2].as_f64().unwrap()).collect();
    assert!(oak.iter().all(|value| *value >= 0.0), "{oak:?}");
}

#[test]
fn what_is_not_there_is_an_error_with_a_hint() {
    let place = place();
    place.write("one.csv", "a,y\n1,x\n2,x\n");
    place.ok(&format!("{CLASSES} -c rows:1 --out m.json"));
    for (words, message, hint) in [
        ("fit one.csv --target y --loss logistic", "two classes are needed", "classifier cannot learn"),
        ("fit t.csv --target kind --loss squared-hinge", "more than two classes", "--one-vs-rest"),
        ("fit t.csv --target first,kind", "holds text", "explain labels alone"),
        ("fit t.csv --target first,nothing", "no column \"nothing\"", "names of columns"),
        ("fit t.csv --target first,second,second", "given twice", "once"),
        (
            "fit t.csv --target first,second --ignore kind --loss poisson",
            "not one of several outputs",
            "--loss squared",
        ),
        (
            "fit t.csv --target first,second --ignore kind --checkpoint c",
            "--checkpoint is not available",
            "leave it out",
        ),
        ("fit t.csv --target first,second --ignore kind --prove 1", "a search for a proof", "explain one output"),
        (
            "fit t.csv --target first,second --ignore kind --method psgd",
            "another method than spd",
            "explain one output",
        ),
        ("fit t.csv --target first,second --ignore kind -c rows:9", "has 4 rows", "1 to 4"),
        ("path t.csv --target first,second", "this command explains one column", "proxdist fit"),
        ("path t.csv --target kind --loss logistic", "more than two classes", "--one-vs-rest"),
        ("tune t.csv --target first,second --grid sparsity:1,2", "this command explains one column", "proxdist fit"),
        ("compare t.csv --target first,second --methods spd,psgd", "this command explains one column", "proxdist fit"),
        ("theory t.csv --target first,second", "this command explains one column", "proxdist fit"),
        ("fit t.csv --stream --target first,second", "this command explains one column", "proxdist fit"),
        ("predict m.json one.csv", "", "column"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}\n{}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains("error:") && said.stderr.contains(message), "{words}\n{}", said.stderr);
        assert!(said.stderr.contains("hint:") && said.stderr.contains(hint), "{words}\n{}", said.stderr);
    }
}
