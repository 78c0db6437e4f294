//! `fit`, then `predict` and `evaluate`, give the library's numbers to the last bit.

use crate::common::{Place, SMALL};
use proxdist::metrics::Evaluation;
use proxdist::spec::SetSpec;
use proxdist::{Data, Fit, Problem, Settings};
use proxdist_io::{ReadOptions, Table, Task};
use std::fmt::Write as _;

/// 300 rows with a text column, two labels and a count.
fn mixed() -> String {
    let mut text = "size;colour;flag;dose;outcome;label\n".to_owned();
    let colours = ["red", "green", "blue"];
    let mut state = 12345_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for row in 0..300 {
        let (size, dose) = (4.0 * uniform() - 2.0, uniform());
        let colour = colours[(row * 7 + row / 5) % 3];
        let flag = if row % 4 == 0 { "y" } else { "n" };
        let outcome = 1.5 * size + if colour == "red" { 2.0 } else { 0.0 } + uniform() - 0.5;
        let label = if outcome + uniform() > 1.0 { "ill" } else { "healthy" };
        let _ = writeln!(text, "{size};{colour};{flag};{dose};{outcome};{label}");
    }
    text
}

fn fitted(table: &Table, loss: &str, set: &str, seed: u64) -> Fit {
    let data = data(table);
    let spec = SetSpec::parse(set).unwrap();
    let problem =
        Problem::new(&data, proxdist::loss::parse(loss).unwrap(), spec.build(data.parameter_shape()).unwrap());
    problem.intercept(true).fit(&Settings::default().seed(seed).max_steps(400)).unwrap()
}

fn data(table: &Table) -> Data<'_> {
    let values = table.features.dense_f64().unwrap();
    Data::dense(values, table.features.columns(), table.response.as_ref().unwrap()).unwrap()
}

fn numbers(column: &str) -> Vec<f64> {
    column.lines().skip(1).map(|line| line.parse().unwrap()).collect()
}

#[test]
fn a_classifier_makes_the_round_trip() {
    let place = Place::new();
    let text = mixed();
    place.write("mixed.csv", &text);
    place.ok("fit mixed.csv --target label --ignore outcome --loss logistic -c sparsity:3 --no-standardize --seed 9 --max-steps 400 --out m.json");
    let options = ReadOptions::new().target("label").ignore(["outcome"]).task(Task::Classes);
    let table = proxdist_io::read_bytes(text.as_bytes(), "mixed.csv", &options).unwrap();
    let fit = fitted(&table, "logistic", "sparsity:3", 9);
    let (data, model) = (data(&table), fit.model());
    assert_eq!(numbers(&place.ok("predict m.json mixed.csv --proba")), model.predict(data.source()).unwrap());
    assert_eq!(
        numbers(&place.ok("predict m.json mixed.csv --linear")),
        model.linear_predictors(data.source()).unwrap()
    );
    let labels = place.ok("predict m.json mixed.csv");
    assert!(labels.lines().skip(1).all(|label| label == "ill" || label == "healthy"), "{labels}");
    let said = place.json("evaluate m.json mixed.csv");
    let expected = serde_json::to_value(Evaluation::of_model(model, &data).unwrap()).unwrap();
    assert_eq!(said["evaluation"], expected);
    // The library reads the file too, whatever the command line added to it.
    let loaded = proxdist::Model::load(place.path("m.json")).unwrap();
    assert_eq!(loaded.coefficients, model.coefficients);
}

#[test]
fn a_regression_makes_the_round_trip() {
    let place = Place::new();
    let text = mixed();
    place.write("mixed.csv", &text);
    place.ok("fit mixed.csv --target outcome --ignore label -c l1:3 --seed 2 --max-steps 400 --out m.json");
    let options = ReadOptions::new().target("outcome").ignore(["label"]);
    let table = proxdist_io::read_bytes(text.as_bytes(), "mixed.csv", &options).unwrap();
    let fit = fitted(&table, "squared", "l1:3", 2);
    let data = data(&table);
    place.ok("predict m.json mixed.csv --out p.csv");
    assert_eq!(numbers(&place.read("p.csv")), fit.model().predict(data.source()).unwrap());
    let said = place.json("evaluate m.json mixed.csv");
    assert_eq!(said["evaluation"], serde_json::to_value(Evaluation::of_model(fit.model(), &data).unwrap()).unwrap());
}

#[test]
fn new_files_are_read_as_in_training_whatever_their_order() {
    let place = Place::new();
    place.write("mixed.csv", mixed());
    place.ok("fit mixed.csv --target outcome --ignore label -c none --max-steps 200 --out m.json");
    place.write("one.csv", "size;colour;flag;dose\n0.5;red;n;0.25\n-1;green;y;0.5\n");
    place.write("other.csv", "id,dose,flag,colour,size\n1,0.25,n,red,0.5\n2,0.5,y,green,-1\n");
    assert_eq!(place.ok("predict m.json one.csv"), place.ok("predict m.json other.csv"));
    place.write("strange.csv", "size;colour;flag;dose\n0.5;violet;n;0.25\n");
    let said = place.run("predict m.json strange.csv");
    assert!(
        said.code == Some(2) && said.stderr.contains("violet") && said.stderr.contains("--unknown zero"),
        "{}",
        said.stderr
    );
    place.ok("predict m.json strange.csv --unknown zero");
}

#[test]
fn model_files_of_the_library_alone_predict_by_name_or_by_number_of_columns() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let table =
        proxdist_io::read_bytes(SMALL.as_bytes(), "small.csv", &ReadOptions::new().target("y").ignore(["label"]))
            .unwrap();
    let unnamed = data(&table);
    let named = data(&table).names(table.names().iter().cloned()).unwrap();
    let fit = |data: &Data| {
        Problem::new(data, proxdist::loss::Squared, proxdist::constraint::NonNegative)
            .fit(&Settings::default().max_steps(100))
            .unwrap()
    };
    fit(&named).model().save(place.path("named.json")).unwrap();
    fit(&unnamed).model().save(place.path("plain.json")).unwrap();
    let expected = fit(&named).model().predict(named.source()).unwrap();
    assert_eq!(numbers(&place.ok("predict named.json small.csv")), expected);
    place.write(
        "three.csv",
        SMALL.lines().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",") + "\n").collect::<String>(),
    );
    assert_eq!(numbers(&place.ok("predict plain.json three.csv")), expected);
    assert_eq!(place.run("predict plain.json small.csv").code, Some(2));
}

#[test]
fn rows_kept_out_are_the_same_again() {
    let place = Place::new();
    place.write("mixed.csv", mixed());
    let words = "fit mixed.csv --target label --ignore outcome --loss logistic -c sparsity:2 --no-standardize --max-steps 300 --holdout 0.2 --seed 5 --out m.json";
    let said = place.ok(words);
    assert!(said.contains("rows kept out of the fit, 60 rows") && said.contains("AUC"), "{said}");
    let fit = place.json(words);
    let again = place.json("evaluate m.json mixed.csv --rows heldout");
    assert_eq!(again["evaluation"], fit["heldout"]);
    let training = place.json("evaluate m.json mixed.csv --rows training");
    assert_eq!(training["evaluation"]["rows"], 240);
    assert_eq!(fit["data"]["rows"], 240);
}

#[test]
fn an_offset_column_enters_fit_and_predictions() {
    let place = Place::new();
    let row = |i: usize| format!("{},{},{}", i % 5, i % 3, 2 * (i % 5) + 10 * (i % 3));
    place.write("offset.csv", format!("x,known,y\n{}\n", (0..40).map(row).collect::<Vec<_>>().join("\n")));
    let fit = place.json("fit offset.csv --target y --offset known -c none --no-intercept --out m.json");
    assert_eq!(fit["coefficients"].as_array().map(Vec::len), Some(1));
    let linear = numbers(&place.ok("predict m.json offset.csv --linear"));
    let slope = fit["coefficients"][0]["value"].as_f64().unwrap();
    for (i, eta) in linear.iter().enumerate() {
        assert!((eta - (slope * (i % 5) as f64 + (i % 3) as f64)).abs() < 1e-12);
    }
}

#[test]
fn scaled_columns_do_not_change_what_a_model_means() {
    let place = Place::new();
    place.write("mixed.csv", mixed());
    let stretched: String = mixed()
        .lines()
        .enumerate()
        .map(|(row, line)| match (row, line.split_once(';')) {
            (1.., Some((size, rest))) => format!("{};{rest}\n", 1000.0 * size.parse::<f64>().unwrap() + 500.0),
            _ => format!("{line}\n"),
        })
        .collect();
    place.write("stretched.csv", stretched);
    let words = |file: &str| format!("fit {file} --target outcome --ignore label -c sparsity:2 --out {file}.json");
    let (plain, stretched) = (place.json(&words("mixed.csv")), place.json(&words("stretched.csv")));
    assert_eq!((plain["standardized"].as_bool(), plain["nonzeros"].as_u64()), (Some(true), Some(2)));
    let size = |fit: &serde_json::Value| crate::common::coefficient(fit, "size");
    assert!((size(&plain) / size(&stretched) / 1000.0 - 1.0).abs() < 1e-6, "{} {}", size(&plain), size(&stretched));
    let predicted = |file: &str| numbers(&place.ok(&format!("predict {file}.json {file}")));
    let (a, b) = (predicted("mixed.csv"), predicted("stretched.csv"));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + a.abs())));
    let rows = plain["data"]["rows"].as_f64().unwrap();
    let said = place.json("evaluate mixed.csv.json mixed.csv");
    let mse = said["evaluation"]["mean_squared_error"].as_f64().unwrap();
    assert!((mse / (2.0 * plain["objective"].as_f64().unwrap()) - 1.0).abs() < 1e-9, "{mse} over {rows}");
    let refused = place.run("fit mixed.csv --target outcome --ignore label -c ball:1 --standardize");
    assert!(refused.code == Some(2) && refused.stderr.contains("--standardize"), "{}", refused.stderr);
}
