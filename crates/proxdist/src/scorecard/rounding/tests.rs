//! The search against all cards.

use super::{SAME, Whole, patterns, search};
use proptest::prelude::*;

/// Numbers of a row; its constant, response and weight.
type Row = (Vec<f64>, [f64; 3]);

/// Every card of the bounds.
fn by_hand(problem: &Whole) -> f64 {
    let mut card = problem.low.clone();
    let mut best = f64::INFINITY;
    loop {
        best = best.min(problem.loss(&card));
        let Some(j) = (0..card.len()).find(|&j| card[j] < problem.high[j]) else { return best };
        card[j] += 1;
        card[..j].copy_from_slice(&problem.low[..j]);
    }
}

/// The loss of a card, straight from rows.
fn plain(rows: &[Row], card: &[i64]) -> f64 {
    let total: f64 = rows.iter().map(|(_, [.., weight])| weight).sum();
    let each = rows.iter().map(|(z, [constant, y, weight])| {
        let eta = constant + z.iter().zip(card).map(|(z, k)| z * *k as f64).sum::<f64>();
        weight * ((1.0 + eta.exp()).ln() - y * eta)
    });
    each.sum::<f64>() / total
}

fn problem(cells: &[(u8, u8, u8, u8)], columns: usize, factor: f64, bounds: &[(i64, i64)]) -> (Vec<Row>, Whole) {
    let row = |&(bits, label, weight, offset): &(u8, u8, u8, u8)| {
        let feature = |j: usize| match j {
            0 => 1.0,
            1 => f64::from(bits % 5) / 2.0,
            _ => f64::from(bits >> (j - 2) & 1),
        };
        let values = (0..columns).map(|j| feature(j) / factor).collect();
        (values, [f64::from(offset) / 5.0 - 0.3, f64::from(label % 2), f64::from(weight)])
    };
    let rows: Vec<_> = cells.iter().map(row).collect();
    let (low, high) = bounds.iter().take(columns).map(|&(low, width)| (low, low + width)).unzip();
    let whole = Whole { rows: patterns(columns, rows.iter().cloned()), low, high };
    (rows, whole)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn the_search_finds_the_best_of_all_cards(
        cells in prop::collection::vec((any::<u8>(), 0_u8..2, 0_u8..4, 0_u8..4), 6..40),
        columns in 2_usize..5,
        factor in prop_oneof![Just(0.7), Just(1.0), Just(3.0), Just(30.0)],
        bounds in prop::collection::vec((-6_i64..3, 0_i64..7), 5),
        real in prop::collection::vec(-4.0..4.0_f64, 5),
    ) {
        let (rows, whole) = problem(&cells, columns, factor, &bounds);
        prop_assume!(!whole.rows.weights.is_empty());
        let found = search(&whole, &real[..columns], 10_000);
        let best = by_hand(&whole);
        prop_assert!((found.loss - best).abs() <= SAME, "{} {best}", found.loss);
        prop_assert!(found.bound >= best - SAME && found.bound <= found.loss);
        prop_assert!((plain(&rows, &found.card) - found.loss).abs() < 1e-12);
        // With no boxes at all, the bound is still true.
        let first = search(&whole, &real[..columns], 0);
        prop_assert!(first.bound <= best + 1e-13 && first.loss >= best - 1e-13, "{} {best}", first.bound);
    }
}

#[test]
fn a_limit_leaves_a_true_bound() {
    let cells: Vec<(u8, u8, u8, u8)> = (0..120_u32)
        .map(|i| ((i * 73 % 256) as u8, u8::from(i * 37 % 11 < 4 + i % 3), (1 + i % 3) as u8, (i % 4) as u8))
        .collect();
    let bounds = [(-20, 40), (-4, 8), (-3, 6), (-3, 6), (-3, 6)];
    let (_, whole) = problem(&cells, 5, 2.0, &bounds);
    let best = by_hand(&whole);
    for boxes in [0, 1, 2, 5, 1000] {
        let found = search(&whole, &[0.3, 0.2, -0.4, 0.9, 0.1], boxes);
        assert!(found.bound <= best + 1e-13 && found.loss >= best - 1e-13 && found.boxes <= boxes);
    }
    let found = search(&whole, &[0.0; 5], 1000);
    assert!((found.loss - best).abs() <= SAME && found.loss - found.bound <= SAME);
}
