//! Sets by the names of features, from the shell to the model file.

use crate::common::{Place, SMALL, Said, coefficient, support};
use serde_json::Value;
use std::fmt::Write as _;

/// Columns over five decades, one of text, and names that a grammar would like to read.
fn table() -> String {
    let mut text = "income,\"a, b\",asset_1,asset_2,2010,job,y\n".to_owned();
    for row in 0..60_u32 {
        let wave = |j: u32| f64::from((row * (2 * j + 3) + row * row * (j + 1)) % 17) / 5.0 - 1.6;
        for (j, unit) in [1e3, 1.0, 1e-2, 10.0, 0.1].into_iter().enumerate() {
            let _ = write!(text, "{},", (wave(j as u32) + 0.4) * unit);
        }
        let job = ["clerk", "cook", "pilot"][(row % 3) as usize];
        let target = (0..5).map(|j| wave(j) * (f64::from(j) - 2.2)).sum::<f64>() + f64::from(row % 3) / 2.0;
        let _ = writeln!(text, "{job},{target}");
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

fn fit(place: &Place, sets: &[&str]) -> Said {
    let words = ["fit", "t.csv", "--target", "y", "--json", "--out", "m.json", "--ridge", "0.01"];
    place.run_words(words.into_iter().chain(sets.iter().flat_map(|set| ["-c", set])))
}

fn fitted(place: &Place, sets: &[&str]) -> Value {
    let said = fit(place, sets);
    assert_eq!(said.code, Some(0), "{sets:?}\n{}", said.stderr);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{sets:?}: {error}"))
}

#[test]
fn names_and_positions_are_the_same_fit() {
    let place = place();
    // Features: income, "a, b", asset_1, asset_2, 2010, then the indicators of job.
    let pairs: [(&[&str], &[&str]); 5] = [
        (&["sparsity:4 & nonneg[income,asset_*]"], &["sparsity:4", "nonneg[1,3-4]"]),
        (&["box:-0.1,0.2[`a, b`]", "nonneg[`2010`]"], &["box:-0.1,0.2[2] & nonneg[5]"]),
        (&["monotone[asset_2,`a, b`]"], &["monotone[4,2]"]),
        (&["asset_1 + 2*asset_2 <= 3", "sum(job=*) = 0"], &["sum(3) + 2*sum(4) <= 3 & sum(6-8) = 0"]),
        (&["group-sparsity:2;by=source"], &["group-sparsity:2;groups=1,2,3,4,5,6-8"]),
    ];
    for (by_name, by_position) in pairs {
        let one = fitted(&place, by_name);
        let model: Value = serde_json::from_str(&place.read("m.json")).expect("a model file");
        assert_eq!(model["constraint"], by_name.join(" & "), "the model file keeps the names");
        let other = fitted(&place, by_position);
        assert_eq!(one["coefficients"], other["coefficients"], "{by_name:?}");
        assert_eq!(one["objective"], other["objective"], "{by_name:?}");
    }
}

#[test]
fn rows_and_lists_hold_in_the_result() {
    let place = place();
    let found = fitted(&place, &["0.2 <= asset_1 - income <= 0.3 & nonneg[!income]"]);
    let gap = coefficient(&found, "asset_1") - coefficient(&found, "income");
    assert!((0.2 - 1e-9..=0.3 + 1e-9).contains(&gap), "{gap}");
    assert!(support(&found).iter().filter(|name| *name != "income").all(|name| coefficient(&found, name) >= 0.0));
    let tuned = place.run_words([
        "tune",
        "t.csv",
        "--target",
        "y",
        "-c",
        "nonneg[asset_*]",
        "--grid",
        "ball:1,10",
        "--folds",
        "3",
    ]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
}

#[test]
fn groups_come_from_a_table() {
    let place = place();
    place.write("g.csv", "feature,group\nincome,money\nasset_1,money\nasset_2,money\n\"a, b\",rest\n2010,rest\njob=clerk,job\njob=cook,job\njob=pilot,job\n");
    let by_table = fitted(&place, &["group-sparsity:1;groups=g.csv"]);
    let model: Value = serde_json::from_str(&place.read("m.json")).expect("a model file");
    let listed = "group-sparsity:1;groups=income+asset_1+asset_2,`a, b`+`2010`,job=clerk+job=cook+job=pilot";
    assert_eq!(model["constraint"], listed, "the model file holds what the table said");
    assert_eq!(by_table["coefficients"], fitted(&place, &[listed])["coefficients"]);
    assert!(fit(&place, &["group-sparsity:1;file=none.csv"]).stderr.contains("none.csv"));
    place.write("bad.csv", "income\n");
    assert!(fit(&place, &["group-sparsity:1;file=bad.csv"]).stderr.contains("line 1 is not a feature and its group"));
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let place = place();
    let long = format!("box;lower={}", vec!["0.25"; 2000].join(","));
    let cases: [(&str, &str); 7] = [
        ("nonneg[incme]", "no feature is called incme, of 8; did you mean income?"),
        ("nonneg[x_*]", "none of the 8 features has a name like x_*"),
        ("nonneg[2010]", "write the name in backquotes, `2010`"),
        ("nonneg[0]", "positions count from 1"),
        ("nonneg[income", "this bracket is never closed"),
        ("income + 2*asst_1 <= 3", "did you mean asset_1"),
        (&long, "the set describes 2000 coordinates"),
    ];
    for (set, message) in cases {
        let said = fit(&place, &[set]);
        assert_eq!(said.code, Some(2), "{set}");
        assert!(said.stderr.contains(message) && said.stderr.contains("hint:"), "{set}: {}", said.stderr);
        assert!(said.stderr.len() < 1000, "{} characters of error", said.stderr.len());
    }
    place.write("small.csv", SMALL);
    let matrix = place.run("fit small.csv --target y --ignore label --shape 3x1 -c nonneg[a]");
    assert!(
        matrix.stderr.contains("the parameter is a matrix, whose entries have positions only"),
        "{}",
        matrix.stderr
    );
    // Columns without names are V1, V2, ….
    place.write("bare.csv", "1,2,3\n2,1,5\n4,4,1\n0,1,2\n3,1,1\n");
    let named = place.json("fit bare.csv --target 3 --no-header -c nonneg[V2]");
    assert_eq!(named["coefficients"], place.json("fit bare.csv --target 3 --no-header -c nonneg[2]")["coefficients"]);
}
