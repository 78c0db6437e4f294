//! The files people bring: wide, sparse, coded, compressed, without header.

use crate::common::{Place, coefficient, references, shared, shared_text, support};
use std::fmt::Write as _;

#[test]
fn qsar_keeps_exactly_a_hundred_features_and_tells_how_it_does_on_rows_kept_out() {
    let Some(path) = shared("classification/qsar_oral_toxicity.csv.gz") else { return };
    let place = Place::new();
    let words = format!(
        "fit {} --no-header --target 1025 --positive positive --loss logistic --constraint sparsity:100 --holdout 0.2 \
         --max-steps 200 --no-polish --threads 1 --out m.json",
        path.display()
    );
    let said = place.ok(&words);
    assert!(["AUC", "accuracy", "log loss"].iter().all(|measure| said.contains(measure)), "{said}");
    let model = proxdist::Model::load(place.path("m.json")).unwrap();
    assert_eq!(model.support().len(), 100);
    let json = place.json(&format!("evaluate m.json {} --rows heldout", path.display()));
    assert!(json["evaluation"]["auc"].as_f64().is_some_and(|auc| auc > 0.75), "{json}");
    assert_eq!(json["evaluation"]["rows"], 1798);
    // The last column may go by the name it gets without a header, too.
    let by_name =
        format!("fit {} --target V1025 --loss logistic -c sparsity:5 --max-steps 20 --no-polish", path.display());
    assert_eq!(place.json(&by_name)["nonzeros"], 5);
}

#[test]
fn farm_ads_is_never_densified() {
    let Some(path) = shared("classification/farm_ads.svm.gz") else { return };
    let place = Place::new();
    let fit = place.json(&format!(
        "fit {} --loss logistic -c sparsity:50 --max-steps 200 --no-polish --out m.json",
        path.display()
    ));
    assert_eq!((fit["data"]["rows"].as_u64(), fit["data"]["features"].as_u64()), (Some(4143), Some(54_877)));
    assert_eq!((fit["data"]["sparse"].as_bool(), fit["nonzeros"].as_u64()), (Some(true), Some(50)));
    let peak = fit["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 300 << 20, "{} MB", peak >> 20);
    let json = place.json(&format!("evaluate m.json {}", path.display()));
    assert!(json["evaluation"]["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.6), "{json}");
    let size = std::fs::metadata(place.path("m.json")).unwrap().len();
    assert!(size < 100_000, "a model of 50 coefficients takes {size} bytes");
}

#[test]
fn covtype_codes_become_indicators() {
    // Every thousandth row; the whole file belongs to an optimised build.
    let Some(text) = shared_text("large/covtype.csv.gz") else { return };
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let sample: Vec<&str> = lines.step_by(97).collect();
    let place = Place::new();
    place.write("covtype.csv", format!("{header}\n{}\n", sample.join("\n")));
    let fit = place.json(
        "fit covtype.csv --target cover --positive 2 --one-vs-rest --categorical wilderness,soil --loss logistic \
         -c linf:10 --max-steps 200 --out m.json",
    );
    assert_eq!(fit["data"]["classes"]["negative"], "not 2");
    let features = fit["data"]["features"].as_u64().unwrap();
    assert!((45..=54).contains(&features), "{features}");
    place.json("evaluate m.json covtype.csv");
}

#[test]
fn riboflavin_has_far_more_columns_than_rows() {
    let Some(path) = shared("classic/riboflavin.csv.gz") else { return };
    let place = Place::new();
    let fit = place.json(&format!("fit {} --target y -c sparsity:10 --max-steps 300", path.display()));
    assert_eq!((fit["data"]["rows"].as_u64(), fit["data"]["features"].as_u64()), (Some(71), Some(4088)));
    assert_eq!(fit["nonzeros"], 10);
    assert!(support(&fit).iter().all(|name| name.contains("_at")), "{:?}", support(&fit));
}

#[test]
fn leukemia_is_separable_and_the_fit_still_ends_with_numbers() {
    let Some(path) = shared("classification/leukemia.csv.gz") else { return };
    let place = Place::new();
    let command =
        format!("fit {} --target y --ignore train --loss logistic -c sparsity:5 --out m.json", path.display());
    let fit = place.json(&command);
    // Few genes separate the two kinds of leukemia: F has no minimum, its infimum is zero.
    assert_eq!(fit["nonzeros"], 5);
    let objective = fit["objective"].as_f64().unwrap();
    assert!((0.0..1e-6).contains(&objective), "{objective}");
    assert!(fit["certificate"]["stationarity"].as_f64().unwrap() < 1e-5);
    let measured = place.json(&format!("evaluate m.json {}", path.display()));
    assert_eq!(measured["evaluation"]["accuracy"], 1.0, "{measured}");
}

#[test]
fn zipcode_digits_have_coefficient_matrices_of_rank_two() {
    let (Some(train), Some(test)) =
        (shared_text("matrix/zipcode_train.csv.gz"), shared_text("matrix/zipcode_test.csv.gz"))
    else {
        return;
    };
    let place = Place::new();
    let two_or_three = |text: &str| {
        let is_wanted = |line: &&str| line.starts_with("digit") || line.starts_with("2,") || line.starts_with("3,");
        text.lines().filter(is_wanted).collect::<Vec<_>>().join("\n")
    };
    place.write("train.csv", two_or_three(&train));
    place.write("test.csv", two_or_three(&test));
    let fit = place.json("fit train.csv --target digit --loss logistic --shape 16x16 -c rank:2 --max-steps 400 --out m.json --report r.html");
    assert_eq!((fit["data"]["rows"].as_u64(), fit["rank"].as_u64()), (Some(1389), Some(2)));
    let json = place.json("evaluate m.json test.csv");
    assert!(
        json["evaluation"]["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.93),
        "{}",
        json["evaluation"]["accuracy"]
    );
}

#[test]
fn smoking_weights_form_a_simplex_near_the_exact_ones() {
    let (Some(text), Some(references)) = (shared_text("classic/smoking_prop99.csv"), references()) else { return };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (state, year, sale) = (at("state"), at("year"), at("cigsale"));
    let mut cells = std::collections::BTreeMap::<(u32, String), String>::new();
    let mut states = std::collections::BTreeSet::new();
    for fields in lines.map(|line| line.split(',').map(|field| field.trim_matches('"')).collect::<Vec<_>>()) {
        let year = fields[year].parse::<f64>().unwrap() as u32;
        states.insert(fields[state].to_owned());
        cells.insert((year, fields[state].to_owned()), fields[sale].to_owned());
    }
    let mut wide = states.iter().cloned().collect::<Vec<_>>().join(",") + "\n";
    for year in 1970..=1988 {
        let row: Vec<&str> = states.iter().map(|state| cells[&(year, state.clone())].as_str()).collect();
        let _ = writeln!(wide, "{}", row.join(","));
    }
    let place = Place::new();
    place.write("wide.csv", wide);
    let fit = place.json("fit wide.csv --target California -c simplex --no-intercept");
    let weights = fit["coefficients"].as_array().unwrap();
    let sum: f64 = weights.iter().map(|weight| weight["value"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && weights.iter().all(|weight| weight["value"].as_f64().unwrap() >= 0.0));
    let rss = 2.0 * 19.0 * fit["objective"].as_f64().unwrap();
    let exact = references["smoking_prop99"]["rss"].as_f64().unwrap();
    assert!((rss / exact - 1.0).abs() < 1e-8, "{rss} against {exact}");
    for (state, weight) in references["smoking_prop99"]["weights"].as_object().unwrap() {
        let found = coefficient(&fit, state);
        assert!((found - weight.as_f64().unwrap()).abs() < 1e-5, "{state}: {found} against {weight}");
    }
}
