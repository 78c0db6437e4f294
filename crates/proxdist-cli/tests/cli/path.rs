//! The best models of all sizes, from the shell.

use crate::common::{Place, SMALL, support};
use proxdist::constraint::{Constraint, Sparsity};
use proxdist::loss::Squared;
use proxdist::path::{Criterion, Path, PathSettings};
use proxdist::{Data, Preparation, Problem, Standardize};
use serde_json::Value;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/cellar.csv");

/// The features of the demo as the program sees them, names and rows, and the response.
fn demo() -> (Vec<String>, Vec<Vec<f64>>, Vec<f64>) {
    let text = std::fs::read_to_string(DEMO).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut names: Vec<String> = header[..12].iter().map(|name| (*name).to_owned()).collect();
    let regions = ["coast", "north", "south"];
    names.extend(regions.map(|region| format!("region={region}")));
    let (mut rows, mut response) = (Vec::new(), Vec::new());
    for fields in lines {
        let mut row: Vec<f64> = fields[..12].iter().map(|field| field.parse().unwrap()).collect();
        row.extend(regions.map(|region| f64::from(u8::from(fields[12] == region))));
        rows.push(row);
        response.push(fields[13].parse().unwrap());
    }
    (names, rows, response)
}

/// Half the mean squared residual of least squares with an intercept on some columns, by the normal equations of centred columns.
fn least_squares(rows: &[Vec<f64>], response: &[f64], columns: &[usize]) -> f64 {
    let n = rows.len() as f64;
    let mean = |values: &dyn Fn(usize) -> f64| (0..rows.len()).map(values).sum::<f64>() / n;
    let centred = |j: usize| -> Vec<f64> {
        let mean = mean(&|i| rows[i][j]);
        rows.iter().map(|row| row[j] - mean).collect()
    };
    let center = mean(&|i| response[i]);
    let mut rest: Vec<f64> = response.iter().map(|y| y - center).collect();
    // Gram and Schmidt, twice for accuracy.
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &j in columns {
        let mut column = centred(j);
        for _ in 0..2 {
            for other in &basis {
                let along: f64 = other.iter().zip(&column).map(|(a, b)| a * b).sum();
                column.iter_mut().zip(other).for_each(|(c, o)| *c -= along * o);
            }
        }
        let length = column.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 1e-9 {
            column.iter_mut().for_each(|c| *c /= length);
            let along: f64 = column.iter().zip(&rest).map(|(a, b)| a * b).sum();
            rest.iter_mut().zip(&column).for_each(|(r, c)| *r -= along * c);
            basis.push(column);
        }
    }
    rest.iter().map(|r| r * r).sum::<f64>() / (2.0 * n)
}

/// All choices of so many columns.
fn choices(columns: usize, size: usize) -> Vec<Vec<usize>> {
    let masks = (0_u32..1 << columns).filter(|mask| mask.count_ones() as usize == size);
    masks.map(|mask| (0..columns).filter(|j| mask >> j & 1 == 1).collect()).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn sizes_have_the_best_features_of_all_choices() {
    let (names, rows, response) = demo();
    let json = Place::new().json(&format!("path {DEMO} --target quality --sizes 1-4 --ridge-grid 0"));
    let points = json["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    for (point, size) in points.iter().zip(1..) {
        let measured = choices(names.len(), size).into_iter().map(|c| (least_squares(&rows, &response, &c), c));
        let (least, best) = measured.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let best: Vec<String> = best.iter().map(|&j| names[j].clone()).collect();
        assert_eq!(texts(&point["support"]), best, "size {size}");
        assert!((point["objective"].as_f64().unwrap() - least).abs() < 1e-10 * least, "size {size}");
    }
    assert_eq!(json["chosen"]["size"], 4);
    assert_eq!(json["chosen"]["support"], points[3]["support"]);
}

#[test]
fn the_table_is_for_people_and_f_never_rises() {
    let place = Place::new();
    let said = place.ok(&format!("path {DEMO} --target quality"));
    assert!(said.contains("sizes 1-15, ridge 0, 0.0001, 0.001, 0.01, 0.1 on standardised effects"), "{said}");
    assert!(said.contains("10-fold cross-validation, the smallest size within one standard error"), "{said}");
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    let first = lines.iter().position(|words| words.starts_with(&["size", "F", "held-out"])).unwrap() + 1;
    let sizes = &lines[first..first + 15];
    let objectives: Vec<f64> = sizes.iter().map(|words| words[1].parse().unwrap()).collect();
    assert!(objectives.is_sorted_by(|a, b| a >= b), "{objectives:?}");
    let chosen: Vec<_> = sizes.iter().filter(|words| words.contains(&"chosen")).collect();
    assert!(chosen.len() == 1 && chosen[0][0] == "4" && chosen[0].contains(&"region=coast"), "{said}");
    assert!(sizes[0].contains(&"alcohol") && sizes[0].contains(&"±"), "{said}");
}

/// What the README shows is what the program says.
#[test]
fn the_readme_shows_a_real_table() {
    let readme = include_str!("../../../../README.md");
    let (command, shown) = readme.split("$ proxdist path cellar.csv ").nth(1).unwrap().split_once('\n').unwrap();
    let shown = shown.split("```").next().unwrap();
    let said = Place::new().ok(&format!("path {DEMO} {command}"));
    assert!(said.starts_with(shown), "{said}");
}

#[test]
fn files_hold_the_chosen_model_and_all_sizes() {
    let place = Place::new();
    let words = format!("path {DEMO} --target quality --sizes 1,2,4-6 --folds 5 --seed 3");
    let said = place.ok(&format!("{words} --out m.json --table t.csv --report r.html"));
    assert!(said.contains("wrote m.json, t.csv, r.html"), "{said}");
    let json = place.json(&words);
    assert_eq!(json["command"], "path");
    assert_eq!((&json["folds"], &json["select"], &json["seed"]), (&5.into(), &"cv".into(), &3.into()));
    assert_eq!(json["ridges"].as_array().unwrap().len(), 5);
    let points = json["points"].as_array().unwrap();
    assert_eq!(points.len(), 25);
    for point in points {
        assert_eq!(point["folds"].as_array().unwrap().len(), 5);
        assert!(["objective", "mean", "standard_error", "aic", "bic", "ebic"].iter().all(|key| point[key].is_number()));
        assert_eq!(point["separated"], false);
    }
    let sizes: Vec<u64> = points[..5].iter().map(|point| point["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [1, 2, 4, 5, 6]);
    assert_eq!(texts(&points[2]["enters"]), ["sulphates", "region=coast"]);
    // The model carries a certificate of its own, and is what the path said.
    assert_eq!(json["fit"]["converged"], true);
    let mut chosen = texts(&json["chosen"]["support"]);
    chosen.sort();
    assert_eq!(support(&json["fit"]), chosen);
    let is_chosen = |point: &&Value| ["size", "ridge"].iter().all(|key| point[key] == json["chosen"][key]);
    let point = points.iter().find(is_chosen).unwrap();
    let (on_path, fitted) = (point["objective"].as_f64().unwrap(), json["fit"]["objective"].as_f64().unwrap());
    assert!((on_path - fitted).abs() < 1e-9 * on_path, "{on_path} {fitted}");
    // The model predicts, the table has a line for each point, the page has its figures.
    place.ok(&format!("predict m.json {DEMO} --out p.csv"));
    assert_eq!(place.read("p.csv").lines().count(), 301);
    assert!(place.ok(&format!("evaluate m.json {DEMO}")).contains("300 rows"));
    let table = place.read("t.csv");
    assert_eq!(table.lines().count(), 26);
    assert_eq!(table.lines().filter(|line| line.contains(",true,")).count(), 1);
    assert!(table.contains("acidity;sulphates;alcohol;region=coast"), "{table}");
    let page = place.read("r.html");
    for part in ["Loss on rows that were held out", "Objective", "Coefficients of all sizes", "chosen: size 4"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_criterion_chooses_what_the_library_does() {
    let (_, rows, response) = demo();
    let x = rows.concat();
    let data = Data::dense(&x, 15, &response).unwrap();
    let set = Sparsity::at_most(10);
    let preparation = Preparation::decide(Standardize::Auto, [&set as &dyn Constraint], true).unwrap();
    let units = preparation.units(&data, 0.0).unwrap();
    let data = units.apply(data).unwrap();
    let path = Path::trace(&Problem::new(&data, Squared, set).intercept(true), &PathSettings::default()).unwrap();
    let place = Place::new();
    for (select, criterion) in [
        ("aic", Criterion::Akaike),
        ("bic", Criterion::Bayes),
        ("ebic", Criterion::ExtendedBayes { gamma: 1.0 }),
        ("ebic:0.25", Criterion::ExtendedBayes { gamma: 0.25 }),
    ] {
        let json = place.json(&format!("path {DEMO} --target quality --sizes 0-10 --select {select}"));
        let least = path.least(criterion).unwrap();
        assert_eq!(json["chosen"]["size"], path.points[least].size, "{select}");
        assert_eq!(json["ridges"], serde_json::json!([0.0]));
        let name = select.split(':').next().unwrap();
        let value = json["points"][least][name].as_f64().unwrap();
        assert!((value - path.criterion(criterion).unwrap()[least]).abs() < 1e-6, "{select}");
    }
}

#[test]
fn without_a_choice_there_are_all_tables_and_no_fit() {
    let place = Place::new();
    place.write("t.csv", SMALL);
    let words = "path t.csv --target y --ignore label --select none --ridge-grid 1e-2..1,log,3";
    let said = place.ok(&format!("{words} --report r.html --table all.csv"));
    assert!(said.contains("ridge 0.01\n") && said.contains("ridge 0.1\n") && said.contains("ridge 1\n"), "{said}");
    assert!(!said.contains("stationarity"), "{said}");
    assert_eq!(place.read("all.csv").lines().count(), 10);
    assert!(place.read("r.html").contains("No size is chosen"));
    let json = place.json(words);
    assert!(json["chosen"].is_null() && json["fit"].is_null() && json["points"].as_array().unwrap().len() == 9);
}

#[test]
fn separated_sizes_are_marked_and_the_remedy_is_named() {
    let place = Place::new();
    let rows = (0..40).map(|i| format!("{i},{},{}\n", i * 7 % 11, if i < 20 { "no" } else { "yes" }));
    place.write("t.csv", format!("a,b,label\n{}", rows.collect::<String>()));
    let said = place.run("path t.csv --target label --loss logistic --folds 5 --ridge-grid 0");
    assert!(said.code == Some(0) && said.stdout.contains("separated"), "{}", said.stdout);
    assert!(said.stderr.contains("--ridge-grid 1e-4,1e-3,1e-2"), "{}", said.stderr);
    let words = "path t.csv --target label --loss logistic --folds 5 --ridge-grid 1e-3,1e-2";
    let json = place.json(words);
    assert!(json["points"].as_array().unwrap().iter().all(|point| point["separated"] == false));
    assert_eq!(json["notes"], serde_json::json!([]));
}

#[test]
fn mistakes_are_answered_in_two_lines() {
    let place = Place::new();
    place.write("t.csv", SMALL);
    let rare = SMALL.replace(",yes", ",no").replacen(",no", ",yes", 1);
    place.write("rare.csv", rare);
    for (words, part, hint) in [
        ("t.csv --target y --ignore label --sizes 3-1", "3-1 holds no size", "path --help"),
        ("t.csv --target y --ignore label --sizes 0", "without features", "path --help"),
        ("t.csv --target y --ignore label --sizes few", "\"few\" is no size", "path --help"),
        ("t.csv --target y --ignore label --sizes -2", "\"-2\" is no size", "path --help"),
        ("t.csv --target y --ignore label --sizes 1-4", "there are 3 features", "choose sizes from 1 to 3"),
        ("t.csv --target y --ignore label --sizes 1-99999999999999", "there are 3 features", "from 1 to 3"),
        ("t.csv --target y --ignore label --select least", "it must be cv, aic, bic", "path --help"),
        ("t.csv --target y --ignore label --select ebic:2", "from 0 to 1", "path --help"),
        ("t.csv --target y --ignore label --loss huber:1 --select bic", "is no likelihood", "--select cv"),
        ("t.csv --target y --ignore label --ridge-grid -1", "\"-1\" is no weight", "path --help"),
        ("t.csv --target y --ignore label --ridge-grid 1..1e-3,log,5", "a range goes up", "path --help"),
        ("t.csv --target y --ignore label --ridge-grid 1e80", "--ridge-grid: a weight must be", "0 means"),
        ("t.csv --target y --ignore label --folds 1", "--folds must be at least 2", "5 or 10"),
        ("t.csv --target y --ignore label --folds 99", "--folds must be at most", "--select bic"),
        ("rare.csv --target label --ignore y --loss logistic --folds 4", "rows with label", "--select bic"),
        ("t.csv --target y --ignore label --select none --out m.json", "no model is chosen", "leave --out out"),
        ("t.csv --target y --ignore label --table -", "--table -", "file name"),
        ("t.csv --target y --ignore label --table t.csv", "is an input", "another name"),
        (
            "t.csv --target y --ignore label --constraint blocks[1:sparsity:1][2-3:sparsity:1]",
            "several numbers of features",
            "tune --grid",
        ),
        ("t.csv --target y --ignore label --constraint sparsity:2;keep=aa", "no feature is called aa", "hint"),
        ("missing.csv --target y", "missing.csv", "hint"),
    ] {
        let said = place.run(&format!("path {words} --quiet"));
        assert_eq!(said.code, Some(2), "{words}\n{}", said.stderr);
        assert!(said.stdout.is_empty() && said.stderr.lines().count() == 2, "{words}\n{}", said.stderr);
        assert!(said.stderr.contains(part) && said.stderr.contains(hint), "{words}\n{}", said.stderr);
    }
    assert_eq!(place.files(), ["rare.csv", "t.csv"]);
}

#[test]
fn weights_offsets_and_units_are_those_of_fit() {
    let place = Place::new();
    place.write("t.csv", SMALL);
    for options in ["--weights c", "--offset c", "--no-intercept", "--no-standardize"] {
        let common = format!("t.csv --target y --ignore label {options}");
        let json = place.json(&format!("path {common} --sizes 1-2 --select bic --ridge-grid 0.1"));
        for point in json["points"].as_array().unwrap() {
            let fit = place.json(&format!("fit {common} --ridge 0.1 -c sparsity:{}", point["size"]));
            let (a, b) = (point["objective"].as_f64().unwrap(), fit["objective"].as_f64().unwrap());
            assert!((a - b).abs() < 1e-9 * b, "{options}: {a} {b}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_sizes_found_so_far() {
    let place = Place::new();
    place.ok("simulate logistic --n 4000 --p 300 --s 8 --out data --quiet");
    let words = "path data/data.npz --target y --loss logistic --sizes 1-30 --table t.csv --out m.json";
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .current_dir(place.path("."))
        .args(words.split_whitespace())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(child.try_wait().unwrap().is_none(), "it was over before it could be interrupted");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said = crate::common::said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("interrupted: there are the sizes found so far"), "{}", said.stderr);
    assert!(said.stderr.contains("m.json is not written"), "{}", said.stderr);
    assert!(place.read("t.csv").lines().count() > 1 && !place.path("m.json").exists());
}
