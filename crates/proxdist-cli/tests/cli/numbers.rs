//! Exact optima that others have computed, reached from the shell.

use crate::common::{Place, coefficient, references, shared_text, support};
use serde_json::Value;
use std::fmt::Write as _;

/// Rows of numbers by column name.
struct Columns {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

fn columns(text: &str, wanted: &[&str], keep: impl Fn(&[&str], &[&str]) -> bool) -> Columns {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let places: Vec<usize> = wanted.iter().map(|name| header.iter().position(|h| h == name).unwrap()).collect();
    let fields = lines.map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| keep(&header, fields));
    let rows = fields.map(|fields| places.iter().map(|&at| fields[at].parse().unwrap()).collect()).collect();
    Columns { names: wanted.iter().map(ToString::to_string).collect(), rows }
}

/// Subtracts the mean and divides by `scale` of the centered column, all but the last column.
fn standardised(table: &mut Columns, scale: impl Fn(&[f64]) -> f64) {
    for j in 0..table.names.len() - 1 {
        let mean = table.rows.iter().map(|row| row[j]).sum::<f64>() / table.rows.len() as f64;
        let centered: Vec<f64> = table.rows.iter().map(|row| row[j] - mean).collect();
        let by = scale(&centered);
        table.rows.iter_mut().zip(centered).for_each(|(row, value)| row[j] = value / by);
    }
}

fn csv(table: &Columns, keep: impl Fn(usize) -> bool) -> String {
    let mut text = table.names.join(",") + "\n";
    for (_, row) in table.rows.iter().enumerate().filter(|(i, _)| keep(*i)) {
        let _ = writeln!(text, "{}", row.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    }
    text
}

fn sum_of_squares(fit: &Value) -> f64 {
    2.0 * fit["objective"].as_f64().unwrap() * fit["data"]["rows"].as_f64().unwrap()
}

fn names_of(reference: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        reference["support"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn prostate_best_subsets_and_nonnegative_fit() {
    let (Some(text), Some(references)) = (shared_text("classic/prostate.csv"), references()) else { return };
    let wanted = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45", "lpsa"];
    let mut table = columns(&text, &wanted, |_, _| true);
    standardised(&mut table, |column| (column.iter().map(|v| v * v).sum::<f64>() / (column.len() - 1) as f64).sqrt());
    let train: Vec<bool> = text.lines().skip(1).map(|line| line.trim_end().ends_with('T')).collect();
    let place = Place::new();
    place.write("prostate.csv", csv(&table, |i| train[i]));
    for reference in references["prostate"]["best_subset"].as_array().unwrap() {
        let fit = place.json(&format!("fit prostate.csv --target lpsa -c sparsity:{}", reference["k"]));
        assert_eq!(fit["data"]["rows"], 67);
        is_best_subset(&fit, reference, 1e-8);
    }
    let fit = place.json("fit prostate.csv --target lpsa -c nonneg");
    let exact = &references["prostate"]["nonnegative_ls"];
    assert!((sum_of_squares(&fit) / exact["rss"].as_f64().unwrap() - 1.0).abs() < 1e-8);
    for (name, value) in exact["coef"].as_object().unwrap() {
        assert!((coefficient(&fit, name) - value.as_f64().unwrap()).abs() < 1e-5, "{name}");
    }
}

/// The sum of squares of the exhaustive search, hence its features and coefficients.
fn is_best_subset(fit: &Value, reference: &Value, tolerance: f64) {
    let (found, exact) = (sum_of_squares(fit), reference["rss"].as_f64().unwrap());
    assert!((found / exact - 1.0).abs() < tolerance, "{} features: {found} against {exact}", reference["k"]);
    assert_eq!(support(fit), names_of(reference));
}

#[test]
fn diabetes_best_subsets_of_every_size() {
    let (Some(text), Some(references)) = (shared_text("classic/diabetes.csv"), references()) else { return };
    let wanted = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6", "y"];
    let mut table = columns(&text, &wanted, |_, _| true);
    // Unit variance instead of unit length: the same subsets, and steps of a sensible size.
    standardised(&mut table, |column| (column.iter().map(|v| v * v).sum::<f64>() / column.len() as f64).sqrt());
    let place = Place::new();
    place.write("diabetes.csv", csv(&table, |_| true));
    for reference in references["diabetes"]["best_subset"].as_array().unwrap() {
        let fit = place.json(&format!("fit diabetes.csv --target y -c sparsity:{}", reference["k"]));
        is_best_subset(&fit, reference, 1e-8);
    }
}

/// Columns as they come, far from zero and correlated, and residuals of up to hundreds of δ: the bound on the gap says that F is the least.
#[test]
fn robust_fits_are_exact_for_a_delta_far_below_the_residuals() {
    let Some(path) = crate::common::shared("classic/diabetes.csv") else { return };
    let place = Place::new();
    for delta in [30.0, 3.0, 0.3] {
        for set in ["ball:20", "l1:40"] {
            let fit = place.json(&format!("fit {} --target y --loss huber:{delta} -c {set}", path.display()));
            let (gap, objective) = (fit["certificate"]["gap"]["value"].as_f64(), fit["objective"].as_f64().unwrap());
            assert!(gap.is_some_and(|gap| gap <= 1e-8 * objective), "huber:{delta} {set}: {gap:?} of {objective}");
        }
    }
}

#[test]
fn hitters_drops_missing_salaries_and_names_indicators() {
    let Some(path) = crate::common::shared("classic/hitters.csv") else { return };
    let Some(references) = references() else { return };
    let place = Place::new();
    let header = std::fs::read_to_string(&path).unwrap();
    let first = header.lines().next().unwrap().split(',').next().unwrap().trim_matches('"').to_owned();
    let ignore = if first == "AtBat" { String::new() } else { format!("--ignore {first}") };
    for reference in references["hitters"]["best_subset"].as_array().unwrap() {
        let fit = place.json(&format!(
            "fit {} --target Salary {ignore} --missing drop -c sparsity:{}",
            path.display(),
            reference["k"]
        ));
        assert_eq!((fit["data"]["rows"].as_u64(), fit["data"]["features"].as_u64()), (Some(263), Some(19)));
        assert_eq!(fit["data"]["dropped_rows"], 59);
        let (found, exact) = (sum_of_squares(&fit), reference["rss"].as_f64().unwrap());
        assert!((found / exact - 1.0).abs() < 1e-8, "{} features: {found} against {exact}", reference["k"]);
        // The reference calls an indicator DivisionW, this program Division=W.
        let names: Vec<String> = support(&fit).iter().map(|name| name.replace('=', "")).collect();
        assert_eq!(names, names_of(reference));
        for (name, value) in reference["support"].as_array().unwrap().iter().zip(reference["coef"].as_array().unwrap())
        {
            let name = name.as_str().unwrap();
            let entry = fit["coefficients"]
                .as_array()
                .unwrap()
                .iter()
                .find(|c| c["name"].as_str().unwrap().replace('=', "") == name);
            let found = entry.unwrap()["value"].as_f64().unwrap();
            assert!((found / value.as_f64().unwrap() - 1.0).abs() < 1e-4, "{name}: {found} against {value}");
        }
    }
}

/// One indicator for each position: the coefficients are the fitted values.
fn indicators(values: &[f64], weights: &[f64]) -> String {
    let names: Vec<String> = (1..=values.len()).map(|i| format!("at{i}")).collect();
    let mut text = format!("{},y,w\n", names.join(","));
    for (i, (value, weight)) in values.iter().zip(weights).enumerate() {
        let row: Vec<&str> = (0..values.len()).map(|j| if i == j { "1" } else { "0" }).collect();
        let _ = writeln!(text, "{},{value},{weight}", row.join(","));
    }
    text
}

fn fits_in_order(values: &[f64], weights: &[f64], expected: &Value) {
    let place = Place::new();
    place.write("ordered.csv", indicators(values, weights));
    let fit = place.json("fit ordered.csv --target y --weights w -c monotone --no-intercept");
    for (i, value) in expected.as_array().unwrap().iter().enumerate() {
        let found = coefficient(&fit, &format!("at{}", i + 1));
        assert!((found - value.as_f64().unwrap()).abs() < 1e-6, "at {}: {found} against {value}", i + 1);
    }
}

#[test]
fn pituitary_sizes_grow_with_age() {
    let (Some(text), Some(references)) = (shared_text("classic/pituitary.csv"), references()) else { return };
    let table = columns(&text, &["age", "size"], |_, _| true);
    let mut groups: Vec<(f64, f64, f64)> = Vec::new();
    for row in &table.rows {
        match groups.iter_mut().find(|(age, ..)| *age == row[0]) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + row[1], *count + 1.0),
            None => groups.push((row[0], row[1], 1.0)),
        }
    }
    groups.sort_by(|a, b| a.0.total_cmp(&b.0));
    let means: Vec<f64> = groups.iter().map(|(_, sum, count)| sum / count).collect();
    let counts: Vec<f64> = groups.iter().map(|(.., count)| *count).collect();
    fits_in_order(&means, &counts, &references["pituitary"]["fit"]);
}

#[test]
fn mendota_freezes_later_and_later() {
    let (Some(text), Some(references)) = (shared_text("classic/mendota.csv"), references()) else { return };
    let table = columns(&text, &["freeze"], |_, _| true);
    let values: Vec<f64> = table.rows.iter().map(|row| row[0]).collect();
    fits_in_order(&values, &vec![1.0; values.len()], &references["mendota"]["fit"]);
}
