//! Pages: the sentence at their head, what they show in which order, and that their figures are those of the other commands.

use crate::common::Place;
use std::fmt::Write as _;

/// Numbers, two classes, counts and a matrix of four features, with noise that no model explains.
fn table() -> String {
    let mut text = "a,b,c,d,number,kind,count\n".to_owned();
    let mut state = 11_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / 9_007_199_254_740_992.0
    };
    for _ in 0..240 {
        let [a, b, c, d] = [0; 4].map(|_| 2.0 * next() - 1.0);
        let eta = 2.0 * a - b + 0.1 * c;
        let number = eta + next() - 0.5;
        let kind = if next() < 1.0 / (1.0 + (-2.0 * eta).exp()) { "yes" } else { "no" };
        let count = (2.0 * eta.exp().min(9.0) * next()).floor();
        let _ = writeln!(text, "{a},{b},{c},{d},{number},{kind},{count}");
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

fn headline(page: &str) -> &str {
    let start = page.find("<h1>").unwrap() + 4;
    &page[start..start + page[start..].find("</h1>").unwrap()]
}

/// The headings of the page, in order.
fn headings(page: &str) -> Vec<&str> {
    page.split("<h2>").skip(1).map(|rest| rest.split("</h2>").next().unwrap()).collect()
}

fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if (10.0..99.0).contains(&value) { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

#[test]
fn a_regression_opens_with_what_it_explains_and_shows_the_rest_in_order() {
    let place = place();
    let fit = "fit t.csv --target number --ignore kind,count -c sparsity:2 --holdout 0.25 --out m.json";
    let told = place.json(&format!("{fit} --report r.html"));
    let page = place.read("r.html");
    let training = place.json("evaluate m.json t.csv --rows training");
    let share = |value: &serde_json::Value| percent(value["r_squared"].as_f64().unwrap());
    let (own, unseen) = (share(&training["evaluation"]), share(&told["heldout"]));
    let sentence = format!("number from 2 of 4 features; explains {own} of the variance (held out: {unseen}).");
    assert_eq!(headline(&page), sentence);
    let expected = [
        "Performance",
        "Residuals",
        "Coefficients",
        "How features act",
        "What is certain",
        "Alternatives",
        "The data",
        "How it was computed",
    ];
    assert_eq!(headings(&page), expected);
    assert!(page.contains("held out, 60 rows") && page.contains("rows of the fit, 180 rows"));
    assert!(page.contains("95 % interval") && page.contains("delta method"));
    assert!(page.contains("They take the chosen features as if they had been given beforehand"), "selection");
    assert!(page.contains("The coefficients satisfy the constraint exactly"));
    // Standard errors are those of `summary`.
    let summary = place.json("summary m.json t.csv");
    let first = &summary["summary"]["wald"]["estimates"][1];
    let [low, high] = ["low", "high"].map(|end| first[end].as_f64().unwrap());
    let shown = format!("{} to {}", short(low), short(high));
    assert!(page.contains(&shown), "{shown}");
}

/// Four significant digits, with a minus as it is printed.
fn short(value: f64) -> String {
    let power = value.abs().log10().floor();
    let text = format!("{value:.*}", (3.0 - power).max(0.0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

/// The F of every alternative is that of a fit with these features and no others.
#[test]
fn alternatives_are_what_a_fit_of_their_features_says() {
    let place = place();
    place.ok("fit t.csv --target number --ignore kind,count -c sparsity:2 --report r.html --quiet");
    let page = place.read("r.html");
    let section = &page[page.find("<h2>Alternatives</h2>").unwrap()..];
    let rows: Vec<Vec<&str>> = section
        .split("<tr>")
        .skip(2)
        .map(|row| {
            row.split("<td").skip(1).map(|cell| cell.split_once('>').unwrap().1.split('<').next().unwrap()).collect()
        })
        .take_while(|cells: &Vec<&str>| cells.len() == 4)
        .collect();
    assert!(rows.len() >= 5, "{rows:?}");
    let model = ["a", "b"];
    for cells in &rows {
        let features: Vec<&str> = match cells[0].split_once(" instead of ") {
            Some((enters, leaves)) => model.into_iter().filter(|f| *f != leaves).chain([enters]).collect(),
            None => match cells[0].strip_prefix("without ") {
                Some(leaves) => model.into_iter().filter(|f| *f != leaves).collect(),
                None => model.into_iter().chain([cells[0].strip_suffix(" as well").unwrap()]).collect(),
            },
        };
        let others: Vec<&str> = ["a", "b", "c", "d"].into_iter().filter(|f| !features.contains(f)).collect();
        let alone = format!("fit t.csv --target number --ignore kind,count,{} -c none", others.join(","));
        let objective = place.json(&alone)["objective"].as_f64().unwrap();
        let shown: f64 = cells[1].parse().unwrap();
        assert!((shown - objective).abs() <= 2e-6 * objective, "{cells:?}: {objective}");
    }
}

#[test]
fn classes_have_decisions_gains_and_odds_ratios() {
    let place = place();
    let fit =
        "fit t.csv --target kind --ignore number,count --loss logistic --positive yes -c sparsity:2 --holdout 0.25";
    let told = place.json(&format!("{fit} --report r.html --out m.json"));
    let page = place.read("r.html");
    let area = told["heldout"]["auc"].as_f64().unwrap();
    assert!(headline(&page).starts_with("kind = yes from 2 of 4 features; AUC 0."), "{}", headline(&page));
    assert!(headline(&page).ends_with(&format!("(held out: {}).", trimmed(area))), "{} {area}", headline(&page));
    for part in ["Gini", "KS", "odds ratio", "Decisions at a threshold", "Gains and lift", "taken for yes", "DeLong"] {
        assert!(page.contains(part), "{part}");
    }
    // The table of decisions is that of `evaluate`.
    let confusion = &place.json("evaluate m.json t.csv --rows heldout")["evaluation"]["confusion"];
    for (id, name) in [("tp", "true_positives"), ("fp", "false_positives"), ("tn", "true_negatives")] {
        let cell = format!("id=\"cut-{id}\">{}<", confusion[name].as_f64().unwrap());
        assert!(page.contains(&cell), "{cell}");
    }
    place.ok("evaluate m.json t.csv --report e.html");
    assert!(headline(&place.read("e.html")).ends_with(", these rows."), "{}", headline(&place.read("e.html")));
}

fn trimmed(value: f64) -> String {
    format!("{value:.3}").trim_end_matches('0').to_owned()
}

#[test]
fn every_task_has_its_sentence() {
    let place = place();
    let numbers = "fit t.csv --target number --ignore kind,count";
    let cases = [
        (format!("{numbers} -c none"), "number from all 4 features; explains "),
        (format!("{numbers} -c nonneg"), "features under the constraint “"),
        (format!("{numbers} --loss quantile:0.3 -c sparsity:2"), " of the pinball loss."),
        (format!("{numbers} -c rank:1 --shape 2x2"), "number from a 2 × 2 matrix of features, coefficients of rank 1;"),
        ("fit t.csv --target count --ignore kind,number --loss poisson -c sparsity:2".to_owned(), " of the deviance."),
        (
            "fit t.csv --target kind --ignore number,count --loss hinge -c sparsity:2".to_owned(),
            "from 2 of 4 features; AUC",
        ),
        (
            "fit t.csv --target number,count --ignore kind -c rows:2".to_owned(),
            "2 responses from 2 of 4 features; explains ",
        ),
        (
            "fit t.csv --target kind --ignore number --loss ordinal --levels no,yes -c sparsity:2".to_owned(),
            "of the rows are given the right label.",
        ),
        (
            "path t.csv --target number --ignore kind,count --sizes 1-3".to_owned(),
            "of the variance (held out, by cross-validation: ",
        ),
    ];
    for (command, expected) in cases {
        place.ok(&format!("{command} --report r.html --quiet"));
        let page = place.read("r.html");
        assert!(headline(&page).contains(expected), "{command}: {}", headline(&page));
    }
    // A quantile has kinks: no standard errors, and the page says so.
    place.ok(&format!("{numbers} --loss quantile:0.3 -c sparsity:2 --report r.html --quiet"));
    assert!(place.read("r.html").contains("There are no intervals: "));
}

#[test]
fn hostile_names_and_labels_stay_text() {
    let place = Place::new();
    let evil = "<script>alert(1)</script>";
    let rows = table().replace("a,b,c,d,number,kind,count", &format!("{evil},b\"><img src=x>,c,d,number,kind,count"));
    let rows = rows.replace(",yes,", ",<i>yes</i>,");
    // A name with quotes must be quoted in the file.
    let rows = rows.replace("b\"><img src=x>", "\"b\"\"><img src=x>\"");
    place.write("evil.csv", rows);
    let words = ["fit", "evil.csv", "--target", "kind", "--ignore", "number,count", "--loss", "logistic"];
    let more = ["-c", "sparsity:3", "--positive", "<i>yes</i>", "--holdout", "0.25", "--report", "r.html"];
    let said = place.run_words(words.into_iter().chain(more));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let page = place.read("r.html");
    for raw in [evil, "<img", "<i>yes"] {
        assert!(!page.contains(raw), "{raw} is not escaped");
    }
    assert!(page.contains("&lt;i&gt;yes&lt;/i&gt;") && page.contains("&lt;script&gt;alert(1)"));
}
