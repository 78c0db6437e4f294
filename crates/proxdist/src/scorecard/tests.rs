//! Cards against the model, and against every other card.

use super::{Attribute, CardOptions, Feature, FeatureKind, Predictor, Scale, Scorecard, ScorecardFault, numbers};
use crate::data::Data;
use crate::error::Error;

/// Rows with a two-valued, a three-valued and a plain feature.
fn rows(count: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut x, mut y, mut w, mut o) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..count {
        let draw = |a: usize, m: usize| {
            // SplitMix64 of the row and the question.
            let mut z = (i as u64 * 1000 + a as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (((z ^ (z >> 31)) >> 33) % m as u64) as usize
        };
        let (member, level, amount) = (draw(5, 2), draw(11, 3), draw(13, 17) as f64 * 25.0);
        x.extend([member as f64, f64::from(u8::from(level == 1)), f64::from(u8::from(level == 2)), amount]);
        y.push(f64::from(u8::from(draw(29, 10) < 3 + 2 * member + level)));
        w.push(0.5 + draw(3, 4) as f64);
        o.push(draw(17, 5) as f64 / 10.0 - 0.2);
    }
    (x, y, w, o)
}

fn features() -> Vec<Feature> {
    let attribute = |text: &str, column| Attribute { text: text.to_owned(), column };
    vec![
        Feature {
            name: "member".into(),
            kind: FeatureKind::Attributes(vec![attribute("yes", Some(0)), attribute("no", None)]),
        },
        Feature {
            name: "level".into(),
            kind: FeatureKind::Attributes(vec![attribute("a", None), attribute("b", Some(1)), attribute("c", Some(2))]),
        },
        Feature { name: "amount".into(), kind: FeatureKind::Number { column: 3 } },
    ]
}

const COEFFICIENTS: [f64; 4] = [0.83, 0.41, -0.27, 0.0021];

fn card(options: &CardOptions, with_rows: bool) -> Result<Scorecard, Error> {
    let (x, y, w, o) = rows(90);
    let data = Data::dense(&x, 4, &y)?.weights(&w)?.offset(&o)?;
    let features = features();
    let model = Predictor { coefficients: &COEFFICIENTS, intercept: Some(-0.6), features: &features };
    Scorecard::new(&model, options, with_rows.then_some(&data))
}

/// The mean log loss of whole points, straight from the definition.
fn plain_loss(card: &Scorecard, base: i64, points: &[i64]) -> f64 {
    let (x, y, w, o) = rows(90);
    let (mut loss, mut total) = (0.0, 0.0);
    for i in 0..y.len() {
        let mut score = base as f64;
        for (line, points) in card.lines.iter().filter(|line| line.column.is_some()).zip(points) {
            score += *points as f64 * x[4 * i + line.column.unwrap()] / line.unit.unwrap_or(1.0);
        }
        let eta = card.scale.log_odds(score) + o[i];
        loss += w[i] * ((1.0 + eta.exp()).ln() - y[i] * eta);
        total += w[i];
    }
    loss / total
}

#[test]
fn real_points_are_the_model() {
    for (of_negative, pdo) in [(false, 20.0), (true, 20.0), (false, 3.0)] {
        let options = CardOptions { of_negative, pdo: Some(pdo), ..CardOptions::default() };
        let card = card(&options, true).unwrap();
        let (x, y, ..) = rows(90);
        for i in 0..y.len() {
            let eta = -0.6 + (0..4).map(|j| COEFFICIENTS[j] * x[4 * i + j]).sum::<f64>();
            let lines = card
                .lines
                .iter()
                .filter_map(|line| Some(line.real * x[4 * i + line.column?] / line.unit.unwrap_or(1.0)));
            let score = card.base_real + lines.sum::<f64>();
            assert!((card.scale.log_odds(score) - eta).abs() < 1e-12);
            assert!((card.scale.score(eta) - score).abs() < 1e-9);
        }
    }
    let scale = Scale::default();
    assert!((scale.score(50_f64.ln()) - 600.0).abs() < 1e-9);
    assert!((scale.score(100_f64.ln()) - 620.0).abs() < 1e-9);
}

#[test]
fn whole_points_are_the_best_of_all_within_reach() {
    for (pdo, reach, max_points) in [(20.0, 1.0, None), (1.5, 2.0, None), (4.0, 2.0, Some(3)), (0.7, 2.0, Some(9))] {
        let options = CardOptions { pdo: Some(pdo), reach, max_points, ..CardOptions::default() };
        let card = card(&options, true).unwrap();
        let search = card.search.unwrap();
        assert!(search.is_proven);
        let lines: Vec<_> = card.lines.iter().filter(|line| line.column.is_some()).collect();
        let chosen: Vec<i64> = lines.iter().map(|line| line.points).collect();
        let most = max_points.map_or(i64::MAX, i64::from);
        let choices: Vec<Vec<i64>> = lines
            .iter()
            .map(|line| {
                let near: Vec<i64> = (line.real.floor() as i64 - 3..=line.real.ceil() as i64 + 3)
                    .filter(|k| (*k as f64 - line.real).abs() <= reach && k.abs() <= most)
                    .collect();
                if near.is_empty() { vec![most * line.real.signum() as i64] } else { near }
            })
            .collect();
        let mut best = f64::INFINITY;
        let mut places = vec![0; choices.len()];
        loop {
            let points: Vec<i64> = places.iter().zip(&choices).map(|(&at, of)| of[at]).collect();
            for base in card.base - 40..=card.base + 40 {
                best = best.min(plain_loss(&card, base, &points));
            }
            let Some(next) = (0..places.len()).find(|&j| places[j] + 1 < choices[j].len()) else { break };
            places[next] += 1;
            places[..next].fill(0);
        }
        let found = plain_loss(&card, card.base, &chosen);
        assert!((found - best).abs() < 2e-9, "pdo {pdo}: {found} {best}");
        let measured = card.measured.unwrap();
        assert!((measured.log_loss - found).abs() < 1e-12 && (search.loss - found).abs() < 1e-12);
        assert!(measured.log_loss_model > 0.0 && (0.4..1.0).contains(&measured.auc));
    }
}

#[test]
fn lines_count_rows_and_rates() {
    let card = card(&CardOptions::default(), true).unwrap();
    let names: Vec<String> = card.lines.iter().map(|line| format!("{} {}", line.feature, line.what())).collect();
    assert_eq!(names, ["member yes", "member no", "level a", "level b", "level c", "amount for each 1000"]);
    let (x, y, w, _) = rows(90);
    let of_b: Vec<usize> = (0..90).filter(|i| x[4 * i + 1] == 1.0).collect();
    let line = &card.lines[3];
    assert_eq!(line.rows, Some(of_b.len()));
    let rate = of_b.iter().map(|&i| w[i] * y[i]).sum::<f64>() / of_b.iter().map(|&i| w[i]).sum::<f64>();
    assert!((line.rate.unwrap() - rate).abs() < 1e-12);
    for feature in ["member", "level"] {
        let lines = || card.lines.iter().filter(|line| line.feature == feature);
        assert_eq!(lines().map(|line| line.rows.unwrap()).sum::<usize>(), 90);
        assert!((lines().map(|line| line.share.unwrap()).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let text = card.to_string();
    assert!(text.contains("base points") && text.contains("for each 1000"), "{text}");
    assert!(card.proof().contains("proven") && card.cost().contains("90 rows"));
}

#[test]
fn dependent_columns_are_held() {
    // Both columns of a pair, and a column of zeros.
    let x: Vec<f64> = (0..40)
        .flat_map(|i| {
            let a = f64::from(u8::from(i % 3 == 0));
            [a, 1.0 - a, 0.0, f64::from(i % 2)]
        })
        .collect();
    let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i % 5 < 2))).collect();
    let data = Data::dense(&x, 4, &y).unwrap();
    let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let features = numbers(&names);
    let model = Predictor { coefficients: &[0.4, -0.3, 0.2, 0.1], intercept: None, features: &features };
    let card = Scorecard::new(&model, &CardOptions::default(), Some(&data)).unwrap();
    assert!(card.search.unwrap().is_proven);
    let note = card.notes.iter().find(|note| note.contains("held")).unwrap();
    assert!(note.contains("b = 1") && note.contains("c = 1") && !note.contains("d = 1"), "{note}");
    assert!(card.notes.iter().any(|note| note.contains("no intercept")));
    assert_eq!(card.lines[1].points, card.lines[1].real.round() as i64);
    assert_eq!(card.range().map(|(low, high)| low <= high), Some(true));
    // Indicators without a name for their value are attributes, too: the largest has just so many points.
    let small = CardOptions { max_points: Some(7), ..CardOptions::default() };
    let card = Scorecard::new(&model, &small, Some(&data)).unwrap();
    assert!((card.lines[0].real - 7.0).abs() < 1e-12);
}

#[test]
fn small_cards_choose_their_scale() {
    let options = CardOptions { max_points: Some(5), ..CardOptions::default() };
    let card = card(&options, true).unwrap();
    assert!((card.lines[0].real - 5.0).abs() < 1e-12);
    assert!(card.lines.iter().all(|line| line.points.abs() <= 5));
    assert!(card.lines[5].unit.is_some_and(|unit| unit == 100.0 || unit == 1000.0));
}

#[test]
fn faults_are_named() {
    let of = |options: &CardOptions| match card(options, true) {
        Err(Error::Scorecard(fault)) => fault.to_string(),
        other => panic!("{other:?}"),
    };
    let default = CardOptions::default;
    assert!(of(&CardOptions { pdo: Some(0.0), ..default() }).starts_with("pdo must be positive"));
    assert!(of(&CardOptions { pdo: Some(f64::NAN), ..default() }).starts_with("pdo must be positive"));
    assert!(of(&CardOptions { odds: -1.0, ..default() }).starts_with("odds must be positive"));
    assert!(of(&CardOptions { points: f64::INFINITY, ..default() }).starts_with("points must be finite"));
    assert!(of(&CardOptions { max_points: Some(0), ..default() }).starts_with("max_points must be at least 1"));
    assert!(of(&CardOptions { reach: 0.0, ..default() }).starts_with("reach must be at least 1"));
    assert!(of(&CardOptions { units: vec![("member".into(), 2.0)], ..default() }).contains("no number called"));
    assert!(of(&CardOptions { units: vec![("amount".into(), 0.0)], ..default() }).starts_with("unit must be positive"));
    let ones = [1.0; 6];
    let data = Data::dense(&ones, 1, &ones).unwrap();
    let names = ["x".to_owned()];
    let model = Predictor { coefficients: &[1.0], intercept: None, features: &numbers(&names) };
    let error = Scorecard::new(&model, &default(), Some(&data)).unwrap_err();
    assert!(matches!(error, Error::Scorecard(ScorecardFault::OneLabel)));
    // Without rows there is a card, and a note.
    let plain = card(&default(), false).unwrap();
    assert!(plain.measured.is_none() && plain.notes[0].contains("without rows"));
    let empty = Predictor { coefficients: &[0.0], intercept: Some(0.0), features: &[] };
    assert!(Scorecard::new(&empty, &default(), None).unwrap().lines.is_empty());
}
