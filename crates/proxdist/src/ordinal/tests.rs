//! Ordered labels against their definition in arithmetic of 400 bits.

use super::loss::OrdinalLoss;
use super::{class_probabilities, thresholds};
use crate::joint::JointLoss;
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

type Wide = FBig<HalfEven, 2>;

fn wide(x: f64) -> Wide {
    Wide::try_from(x).expect("a finite number").with_precision(400).value()
}

fn narrow(x: &Wide) -> f64 {
    x.to_f64().value()
}

fn sigmoid(z: &Wide) -> Wide {
    wide(1.0) / (wide(1.0) + (-z.clone()).exp())
}

/// $-\sum w\log(\sigma(c_y - \eta) - \sigma(c_{y-1} - \eta))$
fn definition(eta: &[Wide], cuts: &[Wide], labels: &[usize], weights: &[f64]) -> Wide {
    let total: f64 = weights.iter().sum();
    let mut sum = wide(0.0);
    for ((eta, &label), weight) in eta.iter().zip(labels).zip(weights) {
        let upper = cuts.get(label).map_or_else(|| wide(1.0), |cut| sigmoid(&(cut - eta)));
        let lower = if label > 0 { sigmoid(&(&cuts[label - 1] - eta)) } else { wide(0.0) };
        sum -= wide(*weight) * (upper - lower).ln();
    }
    sum / wide(total)
}

struct Made {
    labels: Vec<usize>,
    weights: Vec<f64>,
    eta: Vec<f64>,
}

fn made(seed: usize) -> Made {
    let labels: Vec<usize> = (0..11).map(|i| if i < 4 { i } else { (i * 7 + seed * 5) % 4 }).collect();
    let weights = (0..11)
        .map(|i| if i > 3 && (i + seed).is_multiple_of(5) { 0.0 } else { 0.3 + ((i * seed) % 3) as f64 })
        .collect();
    let spread = [0.0, 1.0, 4.0, 40.0][seed % 4];
    let eta = (0..11).map(|i| spread * (((i * i * 13 + seed * 29) % 17) as f64 / 8.0 - 1.0)).collect();
    Made { labels, weights, eta }
}

impl Made {
    fn loss(&self) -> OrdinalLoss {
        let labels: Vec<f64> = self.labels.iter().map(|label| *label as f64).collect();
        OrdinalLoss::new(&labels, &["a", "b", "c", "d"].map(String::from), &self.weights).unwrap()
    }
}

#[test]
fn value_and_slopes_are_those_of_the_definition_and_thresholds_are_best() {
    let step = wide(2.0_f64.powi(-60));
    for seed in 0..16 {
        let (made, mut cuts, mut slopes) = (made(seed), Vec::new(), vec![0.0; 11]);
        let value = made.loss().slopes(&made.eta, &mut cuts, &mut slopes);
        assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]), "{cuts:?}");
        let eta: Vec<Wide> = made.eta.iter().map(|eta| wide(*eta)).collect();
        let at: Vec<Wide> = cuts.iter().map(|cut| wide(*cut)).collect();
        let exact = narrow(&definition(&eta, &at, &made.labels, &made.weights));
        assert!((value - exact).abs() < 1e-13 * (1.0 + exact), "seed {seed}: {value} for {exact}");
        for i in 0..11 {
            let moved = |by: &Wide| {
                let mut eta = eta.clone();
                eta[i] += by;
                definition(&eta, &at, &made.labels, &made.weights)
            };
            let slope = narrow(&((moved(&step) - moved(&-step.clone())) / (wide(2.0) * &step)));
            assert!((slopes[i] - slope).abs() < 1e-13, "seed {seed}, row {i}: {} for {slope}", slopes[i]);
        }
        for k in 0..cuts.len() {
            let moved = |by: &Wide| {
                let mut cuts = at.clone();
                cuts[k] += by;
                definition(&eta, &cuts, &made.labels, &made.weights)
            };
            let slope = narrow(&((moved(&step) - moved(&-step.clone())) / (wide(2.0) * &step)));
            assert!(slope.abs() < 1e-12, "seed {seed}, threshold {k}: {slope}");
        }
    }
}

/// Slopes at predictors a little apart, thresholds at their best for each, tell the second derivatives.
#[test]
fn second_derivatives_follow_the_thresholds() {
    for seed in 0..12 {
        let made = made(seed);
        let loss = made.loss();
        let bends = loss.bends(&made.eta, &mut Vec::new());
        for i in 0..11 {
            let slopes = |by: f64| {
                let (mut eta, mut out) = (made.eta.clone(), vec![0.0; 11]);
                eta[i] += by;
                loss.slopes(&eta, &mut Vec::new(), &mut out);
                out
            };
            let (above, below, step) = (slopes(1e-4), slopes(-1e-4), 1e-4);
            let mut column = vec![0.0; 11];
            column[i] = 1.0;
            bends.times(&mut column);
            for j in 0..11 {
                let bend = (above[j] - below[j]) / (2.0 * step);
                assert!((column[j] - bend).abs() < 1e-7, "seed {seed}, {i} {j}: {} for {bend}", column[j]);
            }
        }
        let mut ones = vec![1.0; 11];
        bends.times(&mut ones);
        assert!(ones.iter().all(|value| value.abs() < 1e-13), "{ones:?}");
    }
}

#[test]
fn chances_are_those_of_the_definition_however_extreme() {
    let cuts = [-2.0, -1.999_999, 3.0];
    for eta in [-200.0, -40.0, -2.0, 0.3, 37.0, 190.0] {
        let mut found = Vec::new();
        class_probabilities(eta, &cuts, &mut found);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (label, chance) in found.iter().enumerate() {
            let exact = narrow(&(-definition(&[wide(eta)], &cuts.map(wide), &[label], &[1.0])).exp());
            assert!((chance - exact).abs() <= 1e-11 * exact, "{eta} {label}: {chance} for {exact}");
        }
    }
}

#[test]
fn the_barrier_has_the_derivatives_of_its_definition() {
    let step = wide(2.0_f64.powi(-60));
    for gap in [1e-9, 1e-3, 0.5, 0.7, 2.0, 30.0, 500.0] {
        let exact = |gap: Wide| -(wide(1.0) - (-gap).exp()).ln();
        let [below, here, above] = [wide(gap) - &step, wide(gap), wide(gap) + &step].map(exact);
        let slope = narrow(&((&above - &below) / (wide(2.0) * &step)));
        let bend = narrow(&((&above + &below - wide(2.0) * &here) / (&step * &step)));
        let (value, first, second) = thresholds::barrier(gap);
        for (told, exact) in [(value, narrow(&here)), (first, slope), (second, bend)] {
            assert!((told - exact).abs() <= 1e-9 * exact.abs() + 1e-30, "{gap}: {told} for {exact}");
        }
    }
}
