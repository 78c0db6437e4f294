//! Proofs, as they are asked for and told: summary, JSON, tables and pages.

use crate::common::Place;
use serde_json::Value;

/// The table of the demonstration.
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/cellar.csv");

const PROVEN: &str = "globally optimal, proven";

#[test]
fn a_path_says_of_every_size_whether_it_is_proven() {
    let place = Place::new();
    // All indicators of the region depend on each other beside an intercept: a ridge makes proofs possible.
    let command = format!("path {DEMO} --target quality --sizes 1-5 --select bic --ridge-grid 1e-4 --prove 30s");
    let text = place.ok(&format!("{command} --table path.csv --report path.html"));
    assert_eq!(text.matches(PROVEN).count(), 6, "five sizes and the chosen fit: {text}");
    let json: Value = serde_json::from_str(&place.ok(&format!("{command} --json"))).unwrap();
    for point in json["points"].as_array().unwrap() {
        let (gap, objective) = (point["gap"].as_f64().unwrap(), point["objective"].as_f64().unwrap());
        assert!(gap <= 1e-6 * objective && point["proven"] == PROVEN, "{point}");
    }
    let table = place.read("path.csv");
    let (header, rows) = table.split_once('\n').unwrap();
    assert!(header.contains(",gap,proven,chosen,"), "{header}");
    assert!(rows.lines().all(|line| line.contains(&format!(",\"{PROVEN}\","))), "{rows}");
    let page = place.read("path.html");
    assert!(page.contains("For 5 of 5 models it is proven"), "said");
    assert!(page.contains(&format!("{PROVEN}</text>")), "ringed, with a legend");
    assert!(
        page.contains("<h2>What is certain</h2>") && page.contains("This is the global optimum"),
        "of the chosen model"
    );
    // Without a proof nothing is said of one.
    place.ok(&format!(
        "path {DEMO} --target quality --sizes 1-5 --select bic --ridge-grid 1e-4 --report plain.html --table plain.csv"
    ));
    assert!(!place.read("plain.html").contains(&format!("{PROVEN}</text>")));
    assert!(place.read("plain.csv").lines().skip(1).all(|line| line.contains(",,,")), "no gap, no words");
}

#[test]
fn a_path_of_a_loss_without_such_proofs_says_so() {
    // A note where there is none, and still a path.
    let said =
        Place::new().run(&format!("path {DEMO} --target quality --loss huber:1 --sizes 1-2 --folds 3 --prove 1s"));
    assert!(said.stderr.contains("--prove") && said.stdout.contains("chosen"), "{}{}", said.stderr, said.stdout);
}

/// Columns that are alike, so that choices are many and a proof needs nodes.
fn alike(place: &Place) {
    let (mut state, columns) = (7_u64, 40);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},y\n", names.join(","));
    for _ in 0..60 {
        let shared = next();
        let row: Vec<f64> = (0..columns).map(|_| shared + next()).collect();
        let signal: f64 = row.iter().take(6).zip([1.0, -1.0, 1.0, -1.0, 0.5, 0.3]).map(|(x, t)| x * t).sum();
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&cells.join(","));
        text.extend([",", &(signal + next()).to_string(), "\n"]);
    }
    place.write("alike.csv", text);
}

#[test]
fn a_fit_shows_how_its_proof_closed_and_little_memory_leads_to_the_same_end() {
    let place = Place::new();
    alike(&place);
    let command = "fit alike.csv --target y -c sparsity:7 --prove 1m";
    let text = place.ok(&format!("{command} --report page.html --trace trace.csv"));
    assert!(text.contains(PROVEN), "{text}");
    let page = place.read("page.html");
    for expected in ["<h2>Proof</h2>", "This is the global optimum", "no choice is below", "gap, as a share of F"] {
        assert!(page.contains(expected), "{expected}");
    }
    let trace = place.read("trace.csv");
    let proofs: Vec<Vec<&str>> =
        trace.lines().filter(|line| line.starts_with("proof,")).map(|line| line.split(',').collect()).collect();
    assert!(proofs.len() > 1, "{trace}");
    let number = |text: &str| text.parse::<f64>().unwrap();
    let gaps: Vec<f64> = proofs.iter().map(|line| number(line[2]) - number(line[8])).collect();
    assert!(gaps.windows(2).all(|pair| pair[1] <= pair[0] + 1e-15), "{gaps:?}");
    assert!(proofs.windows(2).all(|pair| number(pair[0][9]) <= number(pair[1][9])), "nodes only grow");

    let (much, little) =
        (place.json(&format!("{command} --memory 2G")), place.json(&format!("{command} --memory 30k")));
    for fit in [&much, &little] {
        assert_eq!(fit["proven"], PROVEN);
    }
    assert_eq!(much["coefficients"], little["coefficients"]);
    let said = place.run("fit alike.csv --target y -c sparsity:7 --memory 512M");
    assert!(!said.stderr.contains("--memory had no effect"), "{}", said.stderr);
}
