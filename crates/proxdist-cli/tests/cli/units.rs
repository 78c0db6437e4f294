//! In which units a fit is made, and what a ridge means in them.

use crate::common::Place;
use serde_json::Value;
use std::fmt::Write as _;

/// Units of the columns, over five decades.
const UNITS: [f64; 6] = [1.0, 1e-3, 10.0, 0.1, 100.0, 1e-2];

/// Columns far from zero in different units, and a target that each of them raises by about 1 in a deviation.
fn table() -> String {
    let mut text = "a,b,c,d,e,f,y\n".to_owned();
    for row in 0..80_u32 {
        let wave = |j: u32| f64::from((row * (2 * j + 3) + row * row * (j + 1)) % 17) / 5.0 - 1.6;
        let cells: Vec<String> = (0..6).map(|j| ((wave(j) + 2.0) * UNITS[j as usize]).to_string()).collect();
        let target: f64 = (0..6).map(wave).sum::<f64>() + f64::from(row % 7) / 3.0;
        let _ = writeln!(text, "{},{target}", cells.join(","));
    }
    text
}

/// The coefficients in deviations, nearly: times the units of the columns.
fn effects(fit: &Value) -> Vec<f64> {
    let names = ["a", "b", "c", "d", "e", "f"];
    names.iter().zip(UNITS).map(|(name, unit)| crate::common::coefficient(fit, name) * unit).collect()
}

fn apart(a: &Value, b: &Value) -> f64 {
    effects(a).iter().zip(effects(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn one_ridge_gives_one_model_whatever_the_set() {
    let place = Place::new();
    place.write("t.csv", table());
    for (free, bound) in [("nonneg", "box:0,1e9"), ("none", "ball:1e9"), ("none", "l1:1e9")] {
        for options in ["", "--no-standardize", "--no-intercept", "--holdout 0.2"] {
            let fit = |set: &str| place.json(&format!("fit t.csv --target y --ridge 1 {options} -c {set}"));
            let (one, other) = (fit(free), fit(bound));
            assert!(apart(&one, &other) < 1e-7, "{free} and {bound}, {options}: {}", apart(&one, &other));
        }
        let tuned = |set: &str| {
            place.json(&format!("tune t.csv --target y --grid ridge:0.5 --folds 4 -c {set}"))["fit"].clone()
        };
        assert!(apart(&tuned(free), &tuned(bound)) < 1e-7, "{free} and {bound}");
    }
    // Standardised effects and raw coefficients are two penalties.
    let [effects, raw] = ["", "--no-standardize"]
        .map(|option| place.json(&format!("fit t.csv --target y --ridge 1 -c ball:1e9 {option}")));
    assert!(apart(&effects, &raw) > 0.1);
}

#[test]
fn what_the_ridge_acts_on_is_said() {
    let place = Place::new();
    place.write("t.csv", table());
    let said = |words: &str| place.run(&format!("fit t.csv --target y {words}")).stderr;
    let text = "the ridge acts on coefficients times standard deviations";
    assert!(said("-c ball:1 --ridge 1").contains(text));
    for words in ["-c ball:1", "-c ball:1 --ridge 1 --no-standardize", "-c none --ridge 1"] {
        assert!(!said(words).contains(text), "{words}");
    }
    let refused = place.run("tune t.csv --target y --grid ball:1,2 --standardize");
    let expected = "--standardize: the set ball:1 would be another one on scaled columns";
    assert!(refused.code == Some(2) && refused.stderr.contains(expected), "{}", refused.stderr);
}
