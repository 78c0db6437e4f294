//! The partial likelihood against its definition in arithmetic of 400 bits, derivatives by differences so small that nothing but rounding is left; concordance against all pairs.

use super::partial::PartialLikelihood;
use super::{SurvivalTimes, Ties, concordance};
use crate::joint::JointLoss;
use crate::random::{Purpose, stream};
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use rand_core::Rng;

type Wide = FBig<HalfEven, 2>;

fn wide(x: f64) -> Wide {
    Wide::try_from(x).expect("a finite number").with_precision(400).value()
}

fn narrow(x: &Wide) -> f64 {
    x.to_f64().value()
}

/// Whole numbers below a limit.
fn draws(seed: u64, count: usize, below: u32) -> Vec<u32> {
    let mut generator = stream(seed, Purpose::Batch, 1);
    (0..count).map(|_| generator.next_u32() % below).collect()
}

struct Made {
    time: Vec<f64>,
    event: Vec<bool>,
    entry: Option<Vec<f64>>,
    strata: Option<Vec<usize>>,
    weights: Vec<f64>,
    eta: Vec<f64>,
}

/// Many ties; with entries, strata, weights (some of them zero) and predictors far apart by turns.
fn made(seed: u64, rows: usize) -> Made {
    let time: Vec<f64> = draws(seed, rows, 4).iter().map(|t| f64::from(*t) + 1.0).collect();
    let mut event: Vec<bool> = draws(seed + 100, rows, 3).iter().map(|e| *e > 0).collect();
    event[0] = true;
    let entries = draws(seed + 200, rows, 5);
    let entry = (seed % 2 == 1).then(|| {
        time.iter().zip(&entries).map(|(t, e)| if *e == 0 { 0.0 } else { (t - f64::from(*e)).max(0.0) }).collect()
    });
    let strata = (seed % 3 == 1).then(|| draws(seed + 300, rows, 2).iter().map(|s| *s as usize * 3).collect());
    let weights: Vec<f64> = draws(seed + 400, rows, 4).iter().map(|w| f64::from(*w) * 0.7).collect();
    let mut weights = if seed % 4 < 2 { vec![1.0; rows] } else { weights };
    weights[0] = 1.0;
    let spread = [1.0, 3.0, 60.0][seed as usize % 3];
    let eta = draws(seed + 500, rows, 1000).iter().map(|v| spread * (f64::from(*v) / 500.0 - 1.0)).collect();
    Made { time, event, entry, strata, weights, eta }
}

impl Made {
    fn times(&self) -> SurvivalTimes<'_> {
        let mut times = SurvivalTimes::new(&self.time, &self.event).unwrap();
        if let Some(entry) = &self.entry {
            times = times.entry(entry).unwrap();
        }
        if let Some(strata) = &self.strata {
            times = times.strata(strata).unwrap();
        }
        times
    }

    /// From the formula, risk set by risk set.
    fn definition(&self, eta: &[Wide], ties: Ties) -> Wide {
        let rows = eta.len();
        let stratum = |row: usize| self.strata.as_ref().map_or(0, |s| s[row]);
        let hazard: Vec<Wide> = (0..rows).map(|row| wide(self.weights[row]) * eta[row].exp()).collect();
        let mut total = wide(0.0);
        for first in 0..rows {
            let dies = |row: usize| {
                let is_same = self.time[row] == self.time[first] && stratum(row) == stratum(first);
                is_same && self.event[row] && self.weights[row] > 0.0
            };
            // Each event time once, by the first row that dies then.
            if !dies(first) || (0..first).any(dies) {
                continue;
            }
            let (mut at_risk, mut dying, mut weight, mut along, mut deaths) =
                (wide(0.0), wide(0.0), wide(0.0), wide(0.0), 0_u32);
            for row in (0..rows).filter(|&row| self.weights[row] > 0.0 && stratum(row) == stratum(first)) {
                let has_entered = self.entry.as_ref().is_none_or(|entry| entry[row] < self.time[first]);
                if has_entered && self.time[row] >= self.time[first] {
                    at_risk += &hazard[row];
                }
                if dies(row) {
                    dying += &hazard[row];
                    weight += wide(self.weights[row]);
                    along += wide(self.weights[row]) * &eta[row];
                    deaths += 1;
                }
            }
            let mean = &weight / wide(f64::from(deaths));
            let logs = match ties {
                Ties::Breslow => (&at_risk / &mean).ln(),
                Ties::Efron => (0..deaths).fold(wide(0.0), |sum, l| {
                    let part = wide(f64::from(l)) / wide(f64::from(deaths)) * &dying;
                    sum + ((&at_risk - part) / &mean).ln() / wide(f64::from(deaths))
                }),
            };
            total += weight * logs - along;
        }
        total / wide(self.weights.iter().sum())
    }
}

#[test]
fn value_slopes_and_second_derivatives_are_those_of_the_definition() {
    let (rows, step) = (5, wide(2.0_f64.powi(-60)));
    for seed in 0..12 {
        for ties in [Ties::Breslow, Ties::Efron] {
            let made = made(seed, rows);
            let loss = PartialLikelihood::new(&made.times(), ties, made.weights.clone()).unwrap();
            let at: Vec<Wide> = made.eta.iter().map(|eta| wide(*eta)).collect();
            let moved = |changes: &[(usize, i32)]| {
                let mut eta = at.clone();
                changes.iter().for_each(|(row, by)| eta[*row] += wide(f64::from(*by)) * &step);
                made.definition(&eta, ties)
            };
            let mut slopes = vec![0.0; rows];
            let value = loss.slopes(&made.eta, &mut Vec::new(), &mut slopes);
            let place = format!("seed {seed}, {ties}");
            let size = 1.0 + made.eta.iter().fold(0.0_f64, |top, eta| top.max(eta.abs()));
            assert!((value - narrow(&moved(&[]))).abs() < 1e-14 * size, "{place}: {value}");
            assert_eq!(value, loss.value(&made.eta, &mut Vec::new()), "{place}");
            let bends = loss.bends(&made.eta, &mut Vec::new());
            for i in 0..rows {
                let slope = narrow(&((moved(&[(i, 1)]) - moved(&[(i, -1)])) / (wide(2.0) * &step)));
                assert!((slopes[i] - slope).abs() < 1e-14, "{place}, row {i}: {} for {slope}", slopes[i]);
                let mut column = vec![0.0; rows];
                column[i] = 1.0;
                bends.times(&mut column);
                for j in i..rows {
                    let corners = [(1, 1, 1.0), (1, -1, -1.0), (-1, 1, -1.0), (-1, -1, 1.0)];
                    let sum = corners
                        .iter()
                        .fold(wide(0.0), |sum, (a, b, sign)| sum + wide(*sign) * moved(&[(i, *a), (j, *b)]));
                    let bend = narrow(&(sum / (wide(4.0) * &step * &step)));
                    assert!((column[j] - bend).abs() < 1e-14, "{place}, {i} {j}: {} for {bend}", column[j]);
                }
            }
            assert!(value >= loss.saturated() - 1e-15, "{place}");
        }
    }
}

/// Weights only count relative to each other, and a row of weight zero might as well not be there.
#[test]
fn weights_have_no_scale_and_zero_is_absence() {
    for seed in 2..8 {
        let made = made(4 * seed + 2, 12);
        let times = made.times();
        for ties in [Ties::Breslow, Ties::Efron] {
            let scaled: Vec<f64> = made.weights.iter().map(|w| w * 64.0).collect();
            let value = |weights: Vec<f64>| {
                PartialLikelihood::new(&times, ties, weights).unwrap().value(&made.eta, &mut Vec::new())
            };
            let (one, other) = (value(made.weights.clone()), value(scaled));
            assert!((one - other).abs() < 1e-13 * (1.0 + one), "{one} {other}");
            let kept: Vec<usize> = (0..12).filter(|&row| made.weights[row] > 0.0).collect();
            let pick = |all: &[f64]| -> Vec<f64> { kept.iter().map(|&row| all[row]).collect() };
            let part = Made {
                time: pick(&made.time),
                event: kept.iter().map(|&row| made.event[row]).collect(),
                entry: made.entry.as_deref().map(pick),
                strata: made.strata.as_ref().map(|s| kept.iter().map(|&row| s[row]).collect()),
                weights: pick(&made.weights),
                eta: pick(&made.eta),
            };
            let alone = PartialLikelihood::new(&part.times(), ties, part.weights.clone()).unwrap();
            assert!((alone.value(&part.eta, &mut Vec::new()) - one).abs() < 1e-14 * (1.0 + one));
        }
    }
}

/// The least loss is the limit of predictors that put every death far above those who stay, and no predictors are below it.
#[test]
fn the_saturated_loss_is_a_limit() {
    for ties in [Ties::Breslow, Ties::Efron] {
        let (time, event) = ([1.0, 1.0, 1.0, 2.0, 2.0, 3.0], [true, true, true, true, false, true]);
        let times = SurvivalTimes::new(&time, &event).unwrap();
        let loss = PartialLikelihood::new(&times, ties, vec![1.0, 3.0, 0.5, 1.0, 2.0, 1.0]).unwrap();
        let far: Vec<f64> = time.iter().zip(event).map(|(t, e)| -60.0 * t - if e { 0.0 } else { 30.0 }).collect();
        let (value, least) = (loss.value(&far, &mut Vec::new()), loss.saturated());
        assert!((value - least).abs() < 1e-12, "{ties}: {value} {least}");
    }
}

#[test]
fn predictors_too_far_apart_are_infinitely_bad_and_no_nan() {
    let (time, event) = ([1.0, 2.0, 3.0], [true, true, true]);
    for entry in [None, Some([0.0, 1.5, 1.0])] {
        let mut times = SurvivalTimes::new(&time, &event).unwrap();
        if let Some(entry) = &entry {
            times = times.entry(entry).unwrap();
        }
        let loss = PartialLikelihood::new(&times, Ties::Efron, vec![1.0; 3]).unwrap();
        let (eta, mut slopes) = ([5000.0, -5000.0, -6000.0], vec![1.0; 3]);
        assert_eq!(loss.value(&eta, &mut Vec::new()), f64::INFINITY);
        assert_eq!(loss.slopes(&eta, &mut Vec::new(), &mut slopes), f64::INFINITY);
        assert_eq!(slopes, [0.0; 3]);
    }
}

#[test]
fn concordance_is_that_of_all_pairs() {
    for seed in 0..40 {
        let made = made(seed, 15);
        let risks: Vec<f64> = made.eta.iter().map(|eta| (eta * 2.0).round()).collect();
        let found = concordance(&made.times(), &risks, Some(&made.weights)).unwrap();
        let (mut agree, mut differ, mut tied) = (0.0, 0.0, 0.0);
        for i in 0..15 {
            for j in (0..15).filter(|&j| j != i && made.event[i]) {
                let is_same = made.strata.as_ref().is_none_or(|s| s[i] == s[j]);
                let is_later = made.time[j] > made.time[i] || (made.time[j] == made.time[i] && !made.event[j]);
                let has_entered = made.entry.as_ref().is_none_or(|entry| entry[j] < made.time[i]);
                if is_same && is_later && has_entered {
                    let pair = made.weights[i] * made.weights[j];
                    match risks[i].partial_cmp(&risks[j]).unwrap() {
                        std::cmp::Ordering::Greater => agree += pair,
                        std::cmp::Ordering::Less => differ += pair,
                        std::cmp::Ordering::Equal => tied += pair,
                    }
                }
            }
        }
        let pairs = [(found.concordant, agree), (found.discordant, differ), (found.tied, tied)];
        assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-12), "seed {seed}: {pairs:?}");
    }
}
