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
fn quantiles_and_hinges_are_fitted_exactly_and_told() {
    let place = Place::new();
    place.write("t.csv", table());
    let said = place.ok("fit t.csv --target amount --ignore label,count,none --loss quantile:0.9 -c none --out q.json");
    assert!(said.contains("globally optimal, proven"), "{said}");
    let said = place.ok("evaluate q.json t.csv");
    assert!(said.contains("pinball") && said.contains("D2"), "{said}");
    // Nine rows in ten are not above their prediction.
    let predictions = place.ok("predict q.json t.csv");
    let amounts = table();
    let below = amounts.lines().skip(1).zip(predictions.lines().skip(1)).filter(|(row, predicted)| {
        let amount: f64 = row.split(',').nth(5).unwrap().parse().unwrap();
        amount <= predicted.split(',').next_back().unwrap().parse::<f64>().unwrap() + 1e-9
    });
    assert!((72..=77).contains(&below.count()), "{predictions}");
    place.ok("fit t.csv --target label --ignore count,amount,none --loss hinge --ridge 0.1 -c sparsity:1 --out h.json");
    let said = place.ok("evaluate h.json t.csv");
    assert!(said.contains("accuracy"), "{said}");
    place.ok("tune t.csv --target amount --ignore label,count,none --loss absolute --grid sparsity:1,2 --score d2 --folds 3 -q");
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
        ("fit t.csv --target amount --ignore label --loss quantile:1", "between 0 and 1"),
        ("fit t.csv --target amount --ignore label,count --loss absolute --shape 2x2 -c rank:1", "has a kink"),
        ("path t.csv --target amount --ignore label --loss absolute --select bic", "no likelihood"),
        ("theory t.csv --target amount --ignore label --loss absolute", "not differentiable"),
        ("tune t.csv --target amount --ignore label --loss huber --grid sparsity:1,2 --score d2", "d2"),
    ];
    for (words, expected) in cases {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(expected) && said.stderr.contains("error:"), "{words}: {}", said.stderr);
    }
}
