//! Files that ask for too much, gaps in them, and names that are more than names.

use crate::common::{Place, SMALL};

/// A model file of version 0.1.0: `fit tiny.csv -t y -c sparsity:2`.
const OLD_MODEL: &str = include_str!("model_0.1.0.json");
const TINY: &str = "a,b,c,y\n1,0,2,2.1\n2,1,0,5.2\n3,1,1,7\n0,1,2,1.1\n2,0,1,3.9\n1,1,0,2.9\n3,0,2,6.1\n0,0,1,0.2\n";

fn small() -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place
}

/// Ends with status 2 and exactly an error and a hint, which are returned.
#[track_caller]
fn refused(place: &Place, words: &str) -> (String, String) {
    let said = place.run(words);
    let lines: Vec<&str> = said.stderr.lines().filter(|line| !line.starts_with("note: ")).collect();
    match lines[..] {
        [error, hint] if said.code == Some(2) && error.starts_with("error: ") && hint.starts_with("hint:  ") => {
            (error.to_owned(), hint.to_owned())
        }
        _ => panic!("{words}: {:?}\n{}", said.code, said.stderr),
    }
}

#[test]
fn a_model_file_cannot_claim_more_features_than_there_can_be() {
    let place = small();
    place.ok("fit small.csv -t y --ignore label -c sparsity:2 --max-steps 50 --out m.json --quiet");
    let text = place.read("m.json");
    for features in ["4294967296", "18446744073709551615", "67108865", "0"] {
        place.write("damaged.json", text.replace("\"features\": 3", &format!("\"features\": {features}")));
        let (error, _) = refused(&place, "predict damaged.json small.csv");
        assert!(error.contains("damaged.json: damaged model file"), "{error}");
    }
    // As many as there can be, but the file lists three names.
    place.write("names.json", text.replace("\"features\": 3", "\"features\": 67108864"));
    assert!(refused(&place, "predict names.json small.csv").0.contains("3 names for 67108864 features"));
    let unnamed = text.replace("\"names\": [\n    \"a\",\n    \"b\",\n    \"c\"\n  ],\n", "");
    assert!(!unnamed.contains("\"names\""), "{unnamed}");
    place.write("wide.json", unnamed.replace("\"features\": 3", "\"features\": 67108864"));
    assert!(refused(&place, "predict wide.json small.csv").0.contains("damaged model file"));
    let matrix = "\"features\": 3,\n  \"matrix\": [6148914691236517205, 3]";
    place.write("matrix.json", text.replace("\"features\": 3", matrix));
    assert!(refused(&place, "predict matrix.json small.csv").0.contains("damaged model file"));
}

#[test]
fn a_model_file_of_version_0_1_can_be_used() {
    let place = Place::new();
    assert!(OLD_MODEL.contains("\"swap_optimal\""));
    place.write("old.json", OLD_MODEL);
    place.write("tiny.csv", TINY);
    let said = place.json("evaluate old.json tiny.csv");
    let error = said["evaluation"]["mean_squared_error"].as_f64().unwrap();
    assert!((error - 2.0 * 0.005_703_125).abs() < 1e-9, "{error}");
    let fresh = place.json("fit tiny.csv -t y -c sparsity:2 --out new.json");
    assert_eq!(fresh["nonzeros"], 2);
    let numbers = |model: &str| -> Vec<f64> {
        let text = place.ok(&format!("predict {model} tiny.csv"));
        text.lines().skip(1).map(|line| line.parse().unwrap()).collect()
    };
    let gap = numbers("old.json").iter().zip(&numbers("new.json")).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(gap < 1e-9, "{gap}");
}

#[test]
fn two_rows_do_not_make_a_fit_to_millions_of_columns() {
    let place = Place::new();
    place.write("wide.svm", "+1 1:1 67108863:1\n-1 2:1\n");
    let (error, hint) = refused(&place, "fit wide.svm --loss logistic -c sparsity:1");
    assert!(error.contains("wide.svm, line 1: 67108863 columns for 3 entries"), "{error}");
    assert!(hint.contains("without gaps") && hint.contains("--features 67108863"), "{hint}");
}

#[test]
fn rows_with_gaps_are_left_out_of_predictions_and_evaluations_as_of_fits() {
    let place = small();
    place.ok("fit small.csv -t y --ignore label -c none --max-steps 200 --out m.json --quiet");
    place.write("gaps.csv", "a,b,c,y\n1,0,2,2.1\n,1,0,5.2\n3,1,1,\n0,1,?,1.1\n2,0,1,3.9\n,,,\n");
    let whole = place.ok("predict m.json small.csv");
    let line = |text: &str, row: usize| text.lines().nth(row).unwrap().to_owned();
    let said = place.run("predict m.json gaps.csv --missing drop");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    // One line for each row; a gap in the target, which predictions do not need, is none.
    assert_eq!(said.stdout.lines().count(), 7);
    assert_eq!([2, 4, 6].map(|row| line(&said.stdout, row)), ["NA", "NA", "NA"]);
    assert_eq!([1, 3, 5].map(|row| line(&said.stdout, row)), [1, 3, 5].map(|row| line(&whole, row)));
    assert!(said.stderr.contains("3 of 6 rows are left out") && said.stderr.contains("NA"), "{}", said.stderr);
    let said = place.json("evaluate m.json gaps.csv --missing drop");
    assert_eq!(said["evaluation"]["rows"], 2);
    place.write("clean.csv", "a,b,c,y\n1,0,2,2.1\n2,0,1,3.9\n");
    assert_eq!(said["evaluation"], place.json("evaluate m.json clean.csv")["evaluation"]);
    assert!(place.ok("predict --help").contains("NA"));
}

/// A hint never names an option that the command does not have, or one that was just given.
#[test]
fn no_hint_leads_in_a_circle() {
    let place = small();
    place.ok("fit small.csv -t y --ignore label -c none --max-steps 50 --out m.json --quiet");
    place.ok("fit small.csv -t label --loss logistic --ignore y -c none --max-steps 50 --out l.json --quiet");
    place.ok("fit small.csv -t y --ignore label -c none --missing mean --max-steps 50 --out means.json --quiet");
    place.write("gap.csv", "a,b,c,y\n1,,2,2.1\n2,1,0,5.2\n");
    place.write("all_gaps.csv", "a,b,c,y\n1,,2,2.1\n2,1,,5.2\n");
    place.write("inf.csv", "a,b,c,y\n1,inf,2,2.1\n2,1,0,5.2\n");
    place.write("nan.csv", "a,b,c,y\n1,NaN,2,2.1\n2,1,0,5.2\n");
    place.write("word.csv", "a,b,c,y\n1,many,2,2.1\n2,1,0,5.2\n");
    place.write("three.csv", "a,b,c,label\n1,2,2,yes\n2,1,0,no\n1,1,1,maybe\n");
    place.write("nan.svm", "1 1:nan\n2 1:1\n");
    place.write("less.csv", "a,b\n1,2\n");
    let texts: String = (0..10_001).map(|row| format!("t{row},{}", row % 7)).collect::<Vec<_>>().join("\n");
    place.write("texts.csv", format!("text,y\n{texts}"));
    for (words, with, without) in [
        ("predict m.json gap.csv --missing mean", "--missing drop", vec!["--ignore"]),
        ("predict m.json gap.csv", "--missing drop", vec!["--ignore", "--missing mean"]),
        ("evaluate means.json gap.csv", "--missing mean", vec!["--ignore"]),
        ("predict m.json all_gaps.csv --missing drop", "file", vec!["--missing", "--ignore"]),
        ("predict m.json inf.csv --missing drop", "correct", vec!["--missing", "--ignore"]),
        ("fit inf.csv -t y --missing drop", "correct", vec!["--missing"]),
        ("fit nan.svm --missing drop", "zero", vec!["--missing"]),
        ("fit nan.csv -t y", "--missing drop", vec![]),
        ("predict m.json word.csv", "numbers", vec!["--categorical", "--ignore", "--loss"]),
        ("predict m.json less.csv", "every column", vec!["--"]),
        ("evaluate l.json three.csv", "labels", vec!["--positive"]),
        ("fit texts.csv -t y --categorical text", "--ignore text", vec!["--categorical"]),
        ("fit small.csv -t y --delimiter ; --header", "number", vec!["--delimiter"]),
    ] {
        let (_, hint) = refused(&place, words);
        assert!(hint.contains(with), "{words}: {hint}");
        assert!(without.iter().all(|option| !hint.contains(option)), "{words}: {hint}");
    }
}

#[test]
fn threads_beyond_reason_are_refused() {
    let place = small();
    for command in
        ["fit small.csv -t y", "tune small.csv -t y --grid ridge:1", "theory small.csv -t y", "reproduce all"]
    {
        let (error, hint) = refused(&place, &format!("{command} --threads 100000"));
        assert!(error.contains("--threads") && error.contains("1024") && !hint.is_empty(), "{error}");
    }
}

#[test]
fn names_cannot_take_over_the_terminal() {
    let place = Place::new();
    let evil = "\u{1b}[2J\u{202e}a\u{7}";
    let row = |i: usize| format!("{},{},{}", i % 5, i % 3, 3 * (i % 5) + i % 2);
    let rows: String = (0..20).map(|i| row(i) + "\n").collect();
    place.write("evil.csv", format!("\"{evil}\nb\",b,y\n{rows}"));
    let name = format!("{evil}.csv");
    std::fs::copy(place.path("evil.csv"), place.path(&name)).unwrap();
    let hidden = |text: &str| text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    for words in [
        vec!["fit", &name, "-t", "y", "-c", "sparsity:1", "--out", &format!("{evil}.json")],
        vec!["fit", &name, "-t", "nothing"],
        vec!["fit", &name, "-t", "y", "--constraint", evil],
        vec!["tune", &name, "-t", "y", "--grid", "sparsity:1,2", "--folds", "2"],
        vec!["compare", &name, "-t", "y", "-c", "sparsity:1", "--passes", "2"],
        vec!["theory", &name, "-t", "y", "-c", "ball:1"],
        vec!["evaluate", &format!("{evil}.json"), &name],
        vec!["fit", &format!("{evil} missing.csv"), "-t", "y"],
    ] {
        let said = place.run_words(&words);
        assert!(!hidden(&said.stdout) && !hidden(&said.stderr), "{words:?}: {:?} {:?}", said.stdout, said.stderr);
        assert!(said.stderr.contains("\\u{1b}") || said.stdout.contains("\\u{1b}"), "{words:?}: {}", said.stderr);
    }
    let said = place.run_words(["fit", &name, "-t", "y", "-c", "sparsity:1"]);
    assert!(said.stdout.contains("\\u{1b}[2J\\u{202e}a\\u{7}\\nb  "), "{}", said.stdout);
}

#[test]
fn labels_that_a_spreadsheet_would_run_are_written_as_text() {
    let place = Place::new();
    let row = |i: usize| format!("{},{}\n", i % 7, if i % 7 > 3 { "=2+5" } else { "-1" });
    place.write("formula.csv", format!("a,y\n{}", (0..28).map(row).collect::<String>()));
    place.ok("fit formula.csv -t y --loss logistic -c ball:3 --positive =2+5 --out m.json --quiet");
    let said = place.run("predict m.json formula.csv");
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.contains(&"'=2+5") && lines.contains(&"-1") && !lines.contains(&"=2+5"), "{}", said.stdout);
    assert!(said.stderr.contains("--raw"), "{}", said.stderr);
    let raw = place.ok("predict m.json formula.csv --raw");
    assert_eq!(raw, said.stdout.replace("'=2+5", "=2+5"));
    assert!(place.ok("predict --help").contains("--raw"));
}

/// One row far out: a scaling that has seen it makes it look harmless. The numbers of each fold come from the naive twin in the
/// library's tests; here it is enough that the loss is that of folds scaled apart.
#[test]
fn a_search_scales_each_fold_by_its_training_rows() {
    let place = Place::new();
    let row = |i: usize| {
        let far = if i == 0 { 1e3 } else { 1.0 };
        format!("{},{}\n", far * (1.0 + (i % 4) as f64), (i % 3) as f64 + if i == 0 { 2.0 } else { 0.0 })
    };
    place.write("leak.csv", format!("a,y\n{}", (0..20).map(row).collect::<String>()));
    let tuned = place.json("tune leak.csv -t y -c none --grid ridge:0.5 --folds 20");
    let mean = tuned["table"]["scores"][0]["mean"].as_f64().unwrap();
    // Without row 1, by hand: fit to the other rows, then predict it.
    let text = place.read("leak.csv");
    let others: Vec<&str> = text.lines().enumerate().filter(|(line, _)| *line != 1).map(|(_, text)| text).collect();
    place.write("others.csv", others.join("\n"));
    place.write("far.csv", format!("a,y\n{}", row(0)));
    place.ok("fit others.csv -t y -c none --ridge 0.5 --out m.json --quiet");
    let far = place.json("evaluate m.json far.csv")["evaluation"]["mean_squared_error"].as_f64().unwrap() / 2.0;
    let folds: Vec<f64> =
        tuned["table"]["scores"][0]["folds"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let worst = folds.iter().copied().fold(0.0, f64::max);
    assert!((worst / far - 1.0).abs() < 1e-6 && mean >= far / 20.0, "{worst} and {far}, mean {mean}");
}

#[test]
fn a_run_with_a_given_penalty_goes_on_with_it() {
    let place = small();
    let words = "fit small.csv -t y --ignore label -c sparsity:2 --rho1 0.05 --no-polish --tolerance 1e-15";
    place.ok(&format!("{words} --max-steps 600 --out whole.json --quiet"));
    place.ok(&format!("{words} --max-steps 200 --checkpoint c --out half.json --quiet"));
    place.ok(&format!("{words} --max-steps 600 --checkpoint c --resume --out resumed.json --quiet"));
    assert!(place.read("resumed.json").contains("poly:0.05,1"), "{}", place.read("resumed.json"));
    assert_eq!(place.read("resumed.json"), place.read("whole.json"));
    // Other names, other values, or other columns are another run.
    let rest = "-t y --ignore label -c sparsity:2 --rho1 0.05 --no-polish --tolerance 1e-15 --checkpoint c --resume";
    place.write("renamed.csv", SMALL.replacen("a,b,c", "a,q,c", 1));
    assert!(refused(&place, &format!("fit renamed.csv {rest}")).0.contains("names of the features"));
    place.write("changed.csv", SMALL.replacen("1,0,2,2.1", "1,5,2,2.1", 1));
    assert!(refused(&place, &format!("fit changed.csv {rest}")).0.contains("values of the features"));
    place.write("fewer.csv", SMALL);
    assert!(refused(&place, &format!("fit fewer.csv {rest} --ignore c")).0.contains("another features"));
}

#[test]
fn rows_are_counted_as_people_count_them() {
    let place = Place::new();
    let rows: String =
        (1..=30).map(|i| format!("{},{}", i % 5, if i == 17 { -3 } else { i % 4 })).collect::<Vec<_>>().join("\n");
    place.write("counts.csv", format!("x,y\n{rows}"));
    let (error, _) = refused(&place, "fit counts.csv -t y --loss poisson -c none");
    assert!(error.contains("counts.csv") && error.contains("data row 17 "), "{error}");
    // Rows that are left out or kept out still count.
    place.write("gaps.csv", format!("x,y\n,1\n{rows}"));
    let (error, _) = refused(&place, "fit gaps.csv -t y --loss poisson -c none --missing drop");
    assert!(error.contains("data row 18 "), "{error}");
    for seed in 0..3 {
        let said = place
            .run(&format!("fit counts.csv -t y --loss poisson -c none --holdout 0.3 --max-steps 20 --seed {seed}"));
        assert!(
            said.code == Some(2) && said.stderr.contains("counts.csv: the target of data row 17 "),
            "{}",
            said.stderr
        );
    }
}
