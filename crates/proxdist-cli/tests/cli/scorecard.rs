//! Bins and scorecards: what a model remembers, what other commands make of it, and one error for each mistake.

use crate::common::{Place, SMALL};
use serde_json::Value;
use std::fmt::Write as _;

/// Loans: age and income are numbers, income is sometimes missing, home is text.
fn loans(rows: usize) -> String {
    let mut text = "age,income,home,flag,paid\n".to_owned();
    let mut state = 12_345_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for _ in 0..rows {
        let (age, income, home) =
            (18 + (draw() * 60.0) as u32, (draw() * draw() * 9000.0).round(), (draw() * 3.0) as usize);
        let flag = u8::from(draw() < 0.3);
        let eta = -1.5 + f64::from(age) / 25.0 + income / 4000.0 - 0.7 * f64::from(flag) + [0.0, 0.6, -0.4][home];
        let paid = if draw() < 1.0 / (1.0 + (-eta).exp()) { "yes" } else { "no" };
        let income = if draw() < 0.08 { String::new() } else { income.to_string() };
        let _ = writeln!(text, "{age},{income},{},{flag},{paid}", ["own", "rent", "other"][home]);
    }
    text
}

fn fitted(options: &str) -> Place {
    let place = Place::new();
    place.write("loans.csv", loans(600));
    place.ok(&format!("fit loans.csv --target paid --loss logistic --ridge 1e-3 --out model.json -q {options}"));
    place
}

fn names(place: &Place) -> Vec<String> {
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    model["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Means of the label by bin of a column, from the file itself.
fn rates(column: usize, edges: &[f64]) -> Vec<(usize, f64)> {
    let mut found = vec![(0, 0.0); edges.len() + 1];
    for line in loans(600).lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let Ok(value) = cells[column].parse::<f64>() else { continue };
        let bin = edges.iter().filter(|&&edge| edge <= value).count();
        found[bin].0 += 1;
        found[bin].1 += f64::from(u8::from(cells[4] == "yes"));
    }
    found.into_iter().map(|(rows, events)| (rows, events / rows as f64)).collect()
}

#[test]
fn bins_are_remembered_and_obey_their_rules() {
    let place = fitted("--bins monotone:4 --bins income=quantile:3+missing");
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    let columns = model["data"]["schema"]["columns"].as_array().unwrap();
    let kinds: Vec<&str> = columns.iter().map(|column| column["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["bins", "bins", "levels", "number"]);
    let edges = |at: usize| -> Vec<f64> {
        columns[at]["bins"]["edges"].as_array().unwrap().iter().map(|edge| edge.as_f64().unwrap()).collect()
    };
    let ages = rates(0, &edges(0));
    assert!(ages.len() <= 4 && ages.iter().all(|(rows, _)| *rows >= 30), "{ages:?}");
    assert!(ages.windows(2).all(|pair| pair[0].1 < pair[1].1), "{ages:?}");
    let incomes = rates(1, &edges(1));
    assert!(incomes.len() == 3 && incomes.iter().all(|(rows, _)| rows.abs_diff(incomes[0].0) < 20), "{incomes:?}");
    let names = names(&place);
    assert!(names.contains(&"income is missing".to_owned()) && names.contains(&"flag".to_owned()), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("age < ")), "{names:?}");
}

#[test]
fn predictions_use_the_bins_of_the_model() {
    let place = fitted("--bins monotone:4+missing");
    let rows: Vec<String> = loans(600).lines().take(41).map(str::to_owned).collect();
    place.write("few.csv", rows.join("\n") + "\n");
    // The indicators by hand, and the model's coefficients.
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    let names = names(&place);
    let mut coefficients = vec![0.0; names.len()];
    for pair in model["nonzero"].as_array().unwrap() {
        coefficients[pair[0].as_u64().unwrap() as usize] = pair[1].as_f64().unwrap();
    }
    let columns = model["data"]["schema"]["columns"].as_array().unwrap();
    let said = place.ok("predict model.json few.csv --linear -q");
    let linear: Vec<f64> = said.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(linear.len(), 40);
    for (line, eta) in rows[1..].iter().zip(linear) {
        let cells: Vec<&str> = line.split(',').collect();
        let mut wanted = model["intercept"].as_f64().unwrap();
        for (name, coefficient) in names.iter().zip(&coefficients) {
            let value = match name.as_str() {
                "flag" => cells[3].parse().unwrap(),
                text if text.starts_with("home=") => f64::from(u8::from(text[5..] == *cells[2])),
                text => {
                    let column = usize::from(text.starts_with("income"));
                    let edges: Vec<f64> = columns[column]["bins"]["edges"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|e| e.as_f64().unwrap())
                        .collect();
                    let value = cells[column].parse::<f64>().ok();
                    let is_in = match (value, text.split_once(' ').unwrap().1) {
                        (None, what) => what == "is missing",
                        (Some(_), "is missing") => false,
                        (Some(value), what) => {
                            let bin = edges.iter().filter(|&&edge| edge <= value).count();
                            let lowest = edges.first().is_some_and(|edge| what == format!("< {edge}"));
                            let highest = edges.last().is_some_and(|edge| what == format!(">= {edge}"));
                            let inner =
                                (1..edges.len()).find(|&at| what == format!("in [{}, {})", edges[at - 1], edges[at]));
                            (lowest && bin == 0) || (highest && bin == edges.len()) || inner == Some(bin)
                        }
                    };
                    f64::from(u8::from(is_in))
                }
            };
            wanted += coefficient * value;
        }
        assert!((eta - wanted).abs() < 1e-9, "{line}: {eta} {wanted}");
    }
}

#[test]
fn groups_by_source_choose_whole_features() {
    let place = fitted("--bins quantile:4+missing --constraint group-sparsity:2;by=source");
    let said = place.ok("export model.json --to formula");
    let chosen = ["age", "income", "home", "flag"].iter().filter(|name| said.contains(**name)).count();
    assert_eq!(chosen, 2, "{said}");
}

#[test]
fn bins_are_not_learned_from_rows_that_are_kept_out() {
    // The rows that are kept out have another label than all others of their ages; bins that saw them would differ.
    let place = Place::new();
    place.write("loans.csv", loans(600));
    let fit = |more: &str, out: &str| {
        place.ok(&format!("fit loans.csv --target paid --loss logistic --ridge 1e-3 --ignore income --bins age=monotone:3 --out {out} -q {more}"));
        let model: Value = serde_json::from_str(&place.read(out)).unwrap();
        model["data"]["schema"]["columns"][0]["bins"]["edges"].clone()
    };
    let kept_out = fit("--holdout 0.5 --seed 3", "half.json");
    let all = fit("", "all.json");
    assert_ne!(kept_out, all);
    assert_eq!(fit("--holdout 0.5 --seed 3", "again.json"), kept_out);
}

fn card(place: &Place, more: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("scorecard model.json loans.csv --json -q {more}"))).unwrap()
}

#[test]
fn scores_are_the_model_before_rounding_and_near_it_after() {
    let place = fitted("--bins monotone:4+missing --weights flag");
    let found = card(&place, "--points 500 --pdo 30 --odds 10");
    let scorecard = &found["scorecard"];
    let (factor, offset) = (30.0 / std::f64::consts::LN_2, 500.0 - 30.0 * 10_f64.log2());
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    let intercept = model["intercept"].as_f64().unwrap();
    assert!((scorecard["base_real"].as_f64().unwrap() - (offset + factor * intercept)).abs() < 1e-9);
    let lines = scorecard["lines"].as_array().unwrap();
    for line in lines {
        let (real, points) = (line["real"].as_f64().unwrap(), line["points"].as_f64().unwrap());
        assert!((real - points).abs() <= 2.0 && points.fract() == 0.0, "{line}");
    }
    let measured = &scorecard["measured"];
    assert!(scorecard["search"]["is_proven"].as_bool().unwrap(), "{scorecard}");
    assert!((measured["auc"].as_f64().unwrap() - measured["auc_model"].as_f64().unwrap()).abs() < 0.01);
    // Weights of the fit count: rows of weight zero are in no share.
    let of_age: f64 =
        lines.iter().filter(|line| line["feature"] == "age").map(|line| line["share"].as_f64().unwrap()).sum();
    assert!((of_age - 1.0).abs() < 1e-9);
    assert_eq!(found["labels"], serde_json::json!(["no", "yes"]));
}

#[test]
fn the_other_label_turns_the_card_around() {
    let place = fitted("--bins monotone:3+missing");
    let (yes, no) = (card(&place, ""), card(&place, "--odds-of no"));
    for (a, b) in yes["scorecard"]["lines"].as_array().unwrap().iter().zip(no["scorecard"]["lines"].as_array().unwrap())
    {
        assert!((a["real"].as_f64().unwrap() + b["real"].as_f64().unwrap()).abs() < 1e-9);
    }
    assert_eq!(yes["scorecard"]["measured"]["auc_model"], no["scorecard"]["measured"]["auc_model"]);
}

#[test]
fn files_are_written_and_names_are_harmless() {
    let place = Place::new();
    let text = loans(300).replacen("age,", "<b>age</b>,", 1).replace("own", "=own");
    place.write("loans.csv", text);
    place.ok("fit loans.csv --target paid --loss logistic --ridge 1e-3 --bins quantile:3+missing --out model.json -q");
    let said =
        place.ok("scorecard model.json loans.csv --csv card.csv --html card.html --max-points 8 --test loans.csv");
    assert!(
        said.contains("base points") && said.contains("Other rows") && said.contains("wrote card.csv, card.html"),
        "{said}"
    );
    let (table, page) = (place.read("card.csv"), place.read("card.html"));
    assert!(
        table.starts_with("feature,attribute,unit,points,before_rounding,rows,share,positive\nbase points,,,"),
        "{table}"
    );
    assert!(table.contains("home,'= =own") || table.contains("home,= =own") || table.contains("'= =own"), "{table}");
    assert!(!page.contains("<b>age") && page.contains("&lt;b&gt;age&lt;/b&gt;"), "{page}");
    let points = table.lines().skip(2).map(|line| line.rsplit(',').nth(4).unwrap().parse::<i64>().unwrap());
    assert!(points.into_iter().all(|points| points.abs() <= 8), "{table}");
}

#[test]
fn plain_numbers_have_points_per_unit_and_a_card_needs_no_rows() {
    let place = fitted("--missing mean");
    let said = place.ok("scorecard model.json loans.csv --missing mean -q");
    assert!(said.contains("for each"), "{said}");
    let said = place.run("scorecard model.json --unit income=1000");
    assert!(
        said.stdout.contains("for each 1000") && said.stderr.contains("without rows"),
        "{}{}",
        said.stdout,
        said.stderr
    );
    // The flag is 0 or 1, so it is what the scale is made for.
    let small = card(&place, "--missing mean --max-points 9");
    let lines = small["scorecard"]["lines"].as_array().unwrap();
    let attributes =
        lines.iter().filter(|line| line["unit"].is_null()).map(|line| line["real"].as_f64().unwrap().abs());
    assert!((attributes.fold(0.0, f64::max) - 9.0).abs() < 1e-9, "{small}");
    let limited = card(&place, "--missing mean --max-nodes 0");
    let search = &limited["scorecard"]["search"];
    assert!(search["bound"].as_f64().unwrap() <= search["loss"].as_f64().unwrap() && search["nodes"] == 0);
}

#[test]
fn mistakes_have_one_error_and_a_hint() {
    let place = fitted("--missing drop");
    place.write("small.csv", SMALL);
    place.write("three.csv", "a,y\n1,u\n2,v\n3,w\n2,u\n1,v\n4,w\n");
    place.write("one.csv", "age,income,home,flag,paid\n30,100,own,0,yes\n40,200,rent,1,yes\n");
    place.write("flat.csv", "a,b,y\n1,1,0\n1,2,1\n1,3,0\n1,4,1\n");
    place.write("rows.svm", "1 1:2 2:1\n0 1:1\n1 2:3\n");
    place.ok("fit three.csv --target y --loss logistic --out three.json -q");
    place.ok("fit loans.csv --target age --ignore paid --missing drop --out age.json -q");
    place.ok("fit loans.csv --target paid --loss squared-hinge --missing drop --out margin.json -q --ridge 0.1");
    for (words, wanted) in [
        ("scorecard", "MODEL"),
        ("scorecard missing.json", "missing.json"),
        ("scorecard three.json three.csv", "several outputs"),
        ("scorecard age.json loans.csv", "squared loss has none"),
        ("scorecard margin.json loans.csv", "squared-hinge loss has none"),
        ("scorecard model.json loans.csv --missing drop --pdo 0", "--pdo must be positive"),
        ("scorecard model.json loans.csv --missing drop --pdo -3", "--pdo must be positive"),
        ("scorecard model.json loans.csv --missing drop --odds 0", "--odds must be positive"),
        ("scorecard model.json loans.csv --missing drop --points inf", "--points must be finite"),
        ("scorecard model.json loans.csv --missing drop --max-points 0", "--max-points must be at least 1"),
        ("scorecard model.json loans.csv --missing drop --reach 0.5", "--reach must be at least 1"),
        ("scorecard model.json loans.csv --missing drop --odds-of maybe", "--odds-of maybe"),
        ("scorecard model.json loans.csv --missing drop --unit income", "income=1000"),
        ("scorecard model.json loans.csv --missing drop --unit hat=3", "hat"),
        ("scorecard model.json one.csv", "same label"),
        ("scorecard model.json loans.csv", "the value is missing"),
        ("scorecard model.json --test loans.csv", "DATA"),
        ("scorecard model.json loans.csv --html loans.csv", "loans.csv"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins quantile:0", "at least 2 bins"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins quantile:1", "at least 2 bins"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins trees:4", "no rule for bins"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins monotone:4,2", "least share"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins home=quantile:4", "this column holds text"),
        ("fit loans.csv --target paid --loss logistic --missing drop --bins hat=quantile:4", "hat"),
        ("fit loans.csv --target paid --loss logistic --bins age=quantile:4", "the value is missing"),
        ("fit loans.csv --target home --ignore paid --loss logistic --missing drop --bins monotone:4", "two labels"),
        ("fit loans.csv --target age,flag --missing drop --bins quantile:4", "one target"),
        ("fit rows.svm --loss logistic --bins quantile:4", "svmlight"),
        ("fit loans.csv --stream --target paid --loss logistic --missing drop --bins quantile:4", "in memory"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}\n{}{}", said.stdout, said.stderr);
        let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert!(errors.len() == 1 && errors[0].contains(wanted), "{words}: {}", said.stderr);
        assert!(said.stderr.lines().any(|line| line.starts_with("hint:")), "{words}: {}", said.stderr);
        assert!(said.stdout.is_empty(), "{words}");
    }
    // A constant column has one bin, which says nothing: it is left out with a note.
    let said = place.run("fit flat.csv --target y --bins quantile:2 --out flat.json");
    assert!(said.code == Some(0) && said.stderr.contains("column a has one bin and is left out"), "{}", said.stderr);
    // Without an intercept there is a card, and a note.
    place.ok("fit loans.csv --target paid --loss logistic --missing drop --no-intercept --out bare.json -q");
    let said = place.run("scorecard bare.json loans.csv --missing drop");
    assert!(said.code == Some(0) && said.stderr.contains("no intercept"), "{}", said.stderr);
}
