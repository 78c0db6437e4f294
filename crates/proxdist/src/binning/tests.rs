//! Bins against every way to cut, and the laws that all of them obey.

use super::{BinFault, BinRule, Bins, Column, Way, distinct, edges, monotone};
use proptest::prelude::*;

fn rule(text: &str) -> BinRule {
    text.parse().unwrap()
}

/// Sums of a bin, straight from the rows.
struct Bin {
    weight: f64,
    mean: f64,
    cost: f64,
}

fn bin_of(rows: &[usize], column: &Column, centre: f64, labels: bool) -> Bin {
    let weight_of = |i: usize| column.weights.map_or(1.0, |w| w[i]);
    let y = |i: usize| column.response.unwrap()[i];
    let weight: f64 = rows.iter().map(|&i| weight_of(i)).sum();
    let mean = rows.iter().map(|&i| weight_of(i) * y(i)).sum::<f64>() / weight;
    let cost = rows.iter().map(|&i| {
        weight_of(i)
            * if labels {
                -(y(i) * mean.ln() + (1.0 - y(i)) * (1.0 - mean).ln())
            } else {
                (y(i) - mean).powi(2) - (y(i) - centre).powi(2)
            }
    });
    Bin { weight, mean, cost: cost.sum() }
}

/// The least cost over all cut sets that are allowed.
fn by_hand(column: &Column, most: usize, share: f64) -> f64 {
    let used: Vec<usize> = (0..column.values.len())
        .filter(|&i| !column.values[i].is_nan() && column.weights.is_none_or(|w| w[i] > 0.0))
        .collect();
    let mut values: Vec<f64> = used.iter().map(|&i| column.values[i]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let labels = column.response.unwrap().iter().all(|&y| y == 0.0 || y == 1.0);
    let all = bin_of(&used, column, 0.0, labels);
    let centre = all.mean;
    let one = bin_of(&used, column, centre, labels).cost;
    let mut best = f64::INFINITY;
    for mask in 0..1_u32 << (values.len() - 1) {
        if mask.count_ones() as usize >= most {
            continue;
        }
        let cuts: Vec<f64> = (1..values.len()).filter(|k| mask >> (k - 1) & 1 == 1).map(|k| values[k]).collect();
        let member = |b: usize| -> Vec<usize> {
            used.iter().copied().filter(|&i| cuts.iter().filter(|&&cut| cut <= column.values[i]).count() == b).collect()
        };
        let bins: Vec<Bin> = (0..=cuts.len()).map(|b| bin_of(&member(b), column, centre, labels)).collect();
        let enough = bins.iter().all(|bin| bin.weight >= share * all.weight * (1.0 - 1e-12));
        let mixed = !labels || bins.iter().all(|bin| bin.mean > 1e-12 && bin.mean < 1.0 - 1e-12);
        let rising = bins.windows(2).all(|pair| pair[0].mean < pair[1].mean);
        let falling = bins.windows(2).all(|pair| pair[0].mean > pair[1].mean);
        if enough && mixed && (rising || falling) {
            best = best.min(bins.iter().map(|bin| bin.cost).sum());
        }
    }
    if best.is_infinite() { one } else { best }
}

fn cost_of(bins: &Bins, column: &Column) -> f64 {
    let used: Vec<usize> = (0..column.values.len())
        .filter(|&i| !column.values[i].is_nan() && column.weights.is_none_or(|w| w[i] > 0.0))
        .collect();
    let labels = column.response.unwrap().iter().all(|&y| y == 0.0 || y == 1.0);
    let centre = bin_of(&used, column, 0.0, labels).mean;
    (0..=bins.edges.len())
        .map(|b| {
            let rows: Vec<usize> = used.iter().copied().filter(|&i| bins.of(column.values[i]) == Some(b)).collect();
            assert!(!rows.is_empty(), "an empty bin");
            bin_of(&rows, column, centre, labels).cost
        })
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn monotone_bins_are_the_best_of_all_cut_sets(
        cells in prop::collection::vec((0_u8..9, 0_u8..4, 0_u8..3), 4..40),
        most in 2_usize..6, share in 0.0..0.3_f64, labels: bool, weighted: bool,
    ) {
        let values: Vec<f64> = cells.iter().map(|c| if c.0 == 8 { f64::NAN } else { f64::from(c.0) }).collect();
        let response: Vec<f64> = cells.iter().map(|c| f64::from(if labels { c.1 % 2 } else { c.1 })).collect();
        let weights: Vec<f64> = cells.iter().map(|c| f64::from(c.2)).collect();
        let column = Column { values: &values, response: Some(&response), weights: weighted.then_some(&weights) };
        let wanted = BinRule { way: Way::Monotone { most, share }, missing: false };
        let Ok(bins) = Bins::learn(&wanted, &column) else { return Ok(()) };
        prop_assert!(bins.edges.len() < most);
        let labels = response.iter().all(|&y| y == 0.0 || y == 1.0);
        let (found, best) = (cost_of(&bins, &column), by_hand(&column, most, share));
        // One bin of one label costs nothing, and is what is left where no cut is allowed.
        if bins.edges.is_empty() && labels && found.is_nan() { return Ok(()) }
        prop_assert!((found - best).abs() <= 1e-9 * (1.0 + best.abs()), "{found} {best} {:?}", bins.edges);
    }

    #[test]
    fn bins_cover_the_line_in_order_and_keep_equal_values_together(
        values in prop::collection::vec((-50_i32..50).prop_map(|k| f64::from(k) / 7.0), 1..200), most in 2_usize..9,
    ) {
        let rule = BinRule { way: Way::Quantile { most }, missing: true };
        let bins = Bins::learn(&rule, &Column { values: &values, response: None, weights: None }).unwrap();
        prop_assert!(bins.count() <= most && !bins.missing);
        prop_assert!(bins.edges.windows(2).all(|pair| pair[0] < pair[1]));
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let of: Vec<usize> = sorted.iter().map(|&value| bins.of(value).unwrap()).collect();
        prop_assert!(of.windows(2).all(|pair| pair[0] <= pair[1]));
        for bin in 0..bins.count() {
            prop_assert!(of.contains(&bin), "bin {bin} is empty");
        }
    }

    #[test]
    fn edges_lie_between(low in -1e6..1e6_f64, step in 1e-9..1e5_f64) {
        let (low, high) = (low, low + step);
        prop_assume!(high > low);
        let edge = edges::between(low, high);
        prop_assert!(low < edge && edge <= high, "{low} {edge} {high}");
    }
}

#[test]
fn many_values_are_cut_at_quantiles_and_stay_monotone() {
    let values: Vec<f64> = (0..5000).map(|i| f64::from(i * 7919 % 5000) / 10.0).collect();
    let response: Vec<f64> =
        values.iter().enumerate().map(|(i, v)| f64::from(u8::from((i * 31 % 97) as f64 / 97.0 < v / 600.0))).collect();
    let column = Column { values: &values, response: Some(&response), weights: None };
    let bins = Bins::learn(&rule("monotone:6"), &column).unwrap();
    assert_eq!(bins.edges.len(), 5);
    let cells = monotone::Cells::new(&distinct::of(&column).unwrap(), 0.05, monotone::Target::Labels);
    assert_eq!(cells.count(), 100);
    let rates: Vec<f64> = (0..6)
        .map(|bin| {
            let rows: Vec<usize> = (0..5000).filter(|&i| bins.of(values[i]) == Some(bin)).collect();
            assert!(rows.len() >= 250);
            rows.iter().map(|&i| response[i]).sum::<f64>() / rows.len() as f64
        })
        .collect();
    assert!(rates.windows(2).all(|pair| pair[0] < pair[1]), "{rates:?}");
}

#[test]
fn weights_count_as_rows() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let weights = [2.0, 1.0, 0.0, 3.0, 1.0, 2.0];
    let response = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    let repeated: Vec<usize> = (0..6).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let copies = |from: &[f64]| repeated.iter().map(|&i| from[i]).collect::<Vec<f64>>();
    let (many, answers) = (copies(&values), copies(&response));
    for text in ["quantile:3", "monotone:3", "monotone:4,0.2"] {
        let weighted =
            Bins::learn(&rule(text), &Column { values: &values, response: Some(&response), weights: Some(&weights) });
        let plain = Bins::learn(&rule(text), &Column { values: &many, response: Some(&answers), weights: None });
        // A value without weight lies in some bin, wherever the edge is.
        assert_eq!(weighted, plain, "{text}");
    }
}

#[test]
fn names_and_places() {
    let bins = Bins { edges: vec![30.0, 45.5], missing: true };
    let names: Vec<String> = (0..bins.count()).map(|bin| bins.name("age", bin)).collect();
    assert_eq!(names, ["age < 30", "age in [30, 45.5)", "age >= 45.5", "age is missing"]);
    assert_eq!([29.9, 30.0, 45.5, f64::NAN].map(|value| bins.of(value)), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(Bins { missing: false, ..bins }.of(f64::NAN), None);
    assert_eq!(edges::written(-0.0), "0");
    assert_eq!(edges::written(2.5e-7), "2.5e-7");
}

#[test]
fn edges_are_short() {
    for (low, high, edge) in [
        (29.0, 30.0, 30.0),
        (29.3, 31.7, 30.0),
        (0.0, 1.0, 1.0),
        (-1.0, 1.0, 0.0),
        (1234.0, 5678.0, 3000.0),
        (0.12, 0.13, 0.13),
        (1e-300, 2e-300, 2e-300),
        (5.0, 5.0_f64.next_up(), 5.0_f64.next_up()),
    ] {
        assert_eq!(edges::between(low, high), edge, "{low} {high}");
    }
}

#[test]
fn rules_read_back_and_faults_are_named() {
    for text in ["quantile:5", "monotone:7", "monotone:3,0.1", "quantile:2+missing", "monotone:4,0.2+missing"] {
        assert_eq!(rule(text).to_string(), text);
    }
    for text in ["", "5", "quantile", "quantiles:4", "quantile:5,0.1", "quantile:3+gaps", "tree:4"] {
        assert!(matches!(text.parse::<BinRule>(), Err(BinFault::Rule { .. })), "{text}");
    }
    for text in ["quantile:0", "quantile:1", "monotone:-2", "monotone:x", "quantile:101"] {
        assert!(matches!(text.parse::<BinRule>(), Err(BinFault::Count { .. })), "{text}");
    }
    for text in ["monotone:3,1", "monotone:3,-0.1", "monotone:3,x"] {
        assert!(matches!(text.parse::<BinRule>(), Err(BinFault::Share { .. })), "{text}");
    }
    let column = |values| Column { values, response: None, weights: None };
    assert_eq!(Bins::learn(&rule("monotone:3"), &column(&[1.0, 2.0])), Err(BinFault::NoResponse));
    assert_eq!(Bins::learn(&rule("quantile:3"), &column(&[f64::NAN])), Err(BinFault::Empty));
    assert!(matches!(
        Bins::learn(&rule("quantile:3"), &column(&[f64::INFINITY])),
        Err(BinFault::NotFinite { row: 0, .. })
    ));
    // A constant has one bin.
    assert_eq!(Bins::learn(&rule("quantile:3"), &column(&[4.0; 9])).unwrap().count(), 1);
}
