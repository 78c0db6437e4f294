//! Losses with parameters, exposures and what is said about them.

use super::common::Place;
use std::fmt::Write as _;

/// Counts at rates per day, amounts, and labels.
fn table() -> String {
    let mut text = "x,z,days,none,count,amount,label\n".to_owned();
    for i in 0..80 {
        let (x, z) = (f64::from(i % 11) / 5.0 - 1.0, f64::from(i * 7 % 13) / 6.0 - 1.0);
        let days = 1.0 + f64::from(i % 5);
        let count = (days * (0.3 + 0.5 * x).exp() + f64::from(i % 3)).round();
        let amount = (0.2 * x - 0.1 * z).exp() * (0.5 + f64::from(i % 7) / 6.0);
        let label = if x + 0.5 * z + f64::from(i % 4) / 4.0 > 0.4 { "yes" } else { "no" };
        let _ = writeln!(text, "{x},{z},{days},{},{count},{amount},{label}", i % 2);
    }
    text
}

#[test]
fn an_exposure_is_an_offset_of_logarithms_and_is_remembered() {
    let place = Place::new();
    let text = table();
    place.write("t.csv", &text);
    let logs: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let days = line.split(',').nth(2).unwrap();
            let log = if i == 0 { "log".to_owned() } else { days.parse::<f64>().unwrap().ln().to_string() };
            format!("{line},{log}")
        })
        .collect();
    place.write("logs.csv", logs.join("\n"));
    let used = "--target count --ignore none,amount,label --loss negative-binomial:0.5 -c none -q";
    place.ok(&format!("fit t.csv {used} --exposure days --out exposure.json"));
    place.ok(&format!("fit logs.csv {used} --ignore days --offset log --out offset.json"));
    let coefficients = |name: &str| {
        let model: serde_json::Value = serde_json::from_str(&place.read(name)).unwrap();
        model["nonzero"].clone()
    };
    assert_eq!(coefficients("exposure.json"), coefficients("offset.json"));
    assert!(place.read("exposure.json").contains("\"exposure\":\"days\""));
    // The model knows its exposure.
    let by_itself = place.ok("predict exposure.json t.csv");
    assert_eq!(by_itself, place.ok("predict exposure.json t.csv --exposure days"));
    let said = place.ok("evaluate exposure.json t.csv");
    assert!(said.contains("deviance") && said.contains("D2"), "{said}");
}

#[test]
fn what_does_not_fit_a_loss_is_refused_with_a_hint() {
    let place = Place::new();
    place.write("t.csv", table());
    let cases = [
        ("fit t.csv --target amount --ignore label --loss squared --exposure days", "no log link"),
        ("fit t.csv --target count --ignore label --loss poisson --exposure none", "above zero"),
        ("fit t.csv --target count --ignore label --loss poisson --exposure days --offset x", "--offset"),
        ("fit t.csv --target none --ignore label --loss gamma", "above zero"),
        ("fit t.csv --target count --ignore label --loss tweedie:2.5", "below 2"),
        ("tune t.csv --target amount --ignore label --loss huber --grid sparsity:1,2 --score d2", "d2"),
    ];
    for (words, expected) in cases {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(expected) && said.stderr.contains("error:"), "{words}: {}", said.stderr);
    }
}
