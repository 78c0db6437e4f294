//! `--missing indicator`: missing values filled in and marked.

use crate::common::Place;
use serde_json::Value;

/// `y = 2a + 5` where `b` is missing, plus nothing else.
fn gaps() -> Place {
    let place = Place::new();
    let row = |row: i32| {
        let (a, is_gap) = (f64::from(row % 7), row % 4 == 1);
        let b = if is_gap { String::new() } else { format!("{}", (row * 5) % 11) };
        let kind = if row % 9 == 2 { "" } else { ["u", "v"][(row % 2) as usize] };
        format!("{a},{b},{kind},{}", 2.0 * a + if is_gap { 5.0 } else { 0.0 })
    };
    let rows: Vec<String> = (0..60).map(row).collect();
    place.write("gaps.csv", format!("a,b,kind,y\n{}\n", rows.join("\n")));
    place
}

fn refused(place: &Place, words: &str) -> String {
    let said = place.run(words);
    assert_eq!(said.code, Some(2), "{words}: {}", said.stderr);
    said.stderr
}

#[test]
fn a_missing_value_is_a_feature_of_its_own() {
    let place = gaps();
    place.ok("fit gaps.csv -t y -c sparsity:2 --missing indicator --out m.json --quiet");
    let model: Value = serde_json::from_str(&place.read("m.json")).unwrap();
    assert_eq!(model["names"], serde_json::json!(["a", "b", "b=missing", "kind=v", "kind=missing"]));
    let nonzero: Vec<(u64, f64)> = serde_json::from_value(model["nonzero"].clone()).unwrap();
    assert_eq!(nonzero.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2]);
    assert!(nonzero.iter().zip([2.0, 5.0]).all(|((_, found), truth)| (found - truth).abs() < 1e-9), "{nonzero:?}");
    place.write("new.csv", "kind,b,a\nv,,3\n,4,3\n");
    let said = place.ok("predict m.json new.csv --missing indicator --quiet");
    let found: Vec<f64> = said.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert!((found[0] - 11.0).abs() < 1e-9 && (found[1] - 6.0).abs() < 1e-9, "{said}");
    // The model knows what to do, whatever the word.
    assert_eq!(place.ok("predict m.json new.csv --missing mean --quiet"), said);
    assert!(refused(&place, "predict m.json new.csv").contains("--missing indicator"));
    place.ok("fit gaps.csv --stream -t y -c sparsity:2 --missing indicator --block 20 --out s.json --quiet");
    let stream: Value = serde_json::from_str(&place.read("s.json")).unwrap();
    assert_eq!(stream["names"], model["names"]);
}

#[test]
fn what_cannot_have_a_mark_is_refused() {
    let place = gaps();
    place.ok("fit gaps.csv -t y -c sparsity:2 --missing indicator --out m.json --quiet");
    let said = refused(&place, "export m.json --to sql");
    assert!(said.contains("has an indicator of its missing values") && said.contains("--missing mean"), "{said}");
    let said = refused(&place, "fit gaps.csv -t y,b -c none --missing indicator");
    assert!(said.contains("the target \"b\" has missing values") && said.contains("--missing drop"), "{said}");
    let said = refused(&place, "fit gaps.csv -t y --loss cox --event b -c none --missing indicator");
    assert!(said.contains("the column \"b\" of --event has missing values"), "{said}");
    let said = refused(&place, "fit gaps.csv -t y --loss cox --event a --strata kind -c none --missing indicator");
    assert!(said.contains("the column \"kind\" of --strata has missing values"), "{said}");
}
