//! The ROC curve and the area under it.
//!
//! Lowering a threshold $t$ from $\infty$ traces the false and true positive rates of $\hat y = 1\{s > t\}$; equal scores
//! move together, as one straight piece. The area under that polygon is the AUC with ties counted one half. One sort, then
//! one pass: $O(n\log n)$.

use super::Labelled;
use serde::Serialize;

/// One corner of a ROC curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RocPoint {
    /// Scores at or above it count as positive; `None` at the start, where none do.
    pub threshold: Option<f64>,
    /// Share of the zeros that count as positive.
    pub false_positive_rate: f64,
    /// Share of the ones that count as positive.
    pub true_positive_rate: f64,
}

/// Points of a curve at most, unless more are needed to keep the area.
const MOST_POINTS: usize = 200;

/// How much thinning may change the area.
const AREA_TOLERANCE: f64 = 1e-3;

impl Labelled<'_> {
    /// The probability that a random one scores above a random zero; `None` if only one class has weight.
    pub fn auc(&self) -> Option<f64> {
        let (groups, ones, zeros) = self.groups()?;
        let (mut below, mut favourable) = (zeros, 0.0);
        for group in groups {
            below -= group.zeros;
            favourable += group.ones * (below + 0.5 * group.zeros);
        }
        Some((favourable / (ones * zeros)).clamp(0.0, 1.0))
    }

    /// The ROC curve from (0, 0) to (1, 1), thinned to about 200 corners; `None` if only one class has weight.
    pub fn roc_curve(&self) -> Option<Vec<RocPoint>> {
        Some(thinned(&without_straight_runs(&self.full_curve()?)))
    }

    pub(super) fn full_curve(&self) -> Option<Vec<RocPoint>> {
        let (groups, ones, zeros) = self.groups()?;
        let (mut true_positives, mut false_positives) = (0.0, 0.0);
        let mut curve = vec![RocPoint { threshold: None, false_positive_rate: 0.0, true_positive_rate: 0.0 }];
        for group in groups {
            true_positives += group.ones;
            false_positives += group.zeros;
            curve.push(RocPoint {
                threshold: Some(group.score),
                false_positive_rate: (false_positives / zeros).min(1.0),
                true_positive_rate: (true_positives / ones).min(1.0),
            });
        }
        // The sums are the same numbers in the same order, but let no rounding leave the corner open.
        if let Some(last) = curve.last_mut() {
            (last.false_positive_rate, last.true_positive_rate) = (1.0, 1.0);
        }
        Some(curve)
    }

    /// Weights of ones and zeros at each distinct score, from the highest down, and their totals.
    fn groups(&self) -> Option<(Vec<Group>, f64, f64)> {
        let mut order: Vec<usize> = (0..self.len()).filter(|&row| self.weight(row) > 0.0).collect();
        order.sort_by(|&i, &j| self.score(j).total_cmp(&self.score(i)));
        let mut groups: Vec<Group> = Vec::new();
        let (mut ones, mut zeros) = (0.0, 0.0);
        for row in order {
            let (score, weight) = (self.score(row), self.weight(row));
            let (one, zero) = if self.is_one(row) { (weight, 0.0) } else { (0.0, weight) };
            ones += one;
            zeros += zero;
            match groups.last_mut() {
                // By value: minus zero ties with zero.
                Some(group) if group.score == score => {
                    group.ones += one;
                    group.zeros += zero;
                }
                _ => groups.push(Group { score, ones: one, zeros: zero }),
            }
        }
        (ones > 0.0 && zeros > 0.0).then_some((groups, ones, zeros))
    }
}

/// All rows of one score.
struct Group {
    score: f64,
    ones: f64,
    zeros: f64,
}

/// Area of the trapezoid under the piece between two points.
fn area(from: &RocPoint, to: &RocPoint) -> f64 {
    (to.false_positive_rate - from.false_positive_rate) * 0.5 * (from.true_positive_rate + to.true_positive_rate)
}

/// Leaves out corners in the middle of a vertical or horizontal run: the curve stays the same.
fn without_straight_runs(curve: &[RocPoint]) -> Vec<RocPoint> {
    let is_corner = |i: usize| {
        let (Some(before), Some(after)) = (i.checked_sub(1).map(|i| curve[i]), curve.get(i + 1)) else { return true };
        let is_vertical = before.false_positive_rate == after.false_positive_rate;
        let is_horizontal = before.true_positive_rate == after.true_positive_rate;
        !(is_vertical || is_horizontal)
    };
    (0..curve.len()).filter(|&i| is_corner(i)).map(|i| curve[i]).collect()
}

/// At most [`MOST_POINTS`] corners, or the smallest doubling of that number which keeps the area.
fn thinned(curve: &[RocPoint]) -> Vec<RocPoint> {
    let total = |curve: &[RocPoint]| curve.windows(2).map(|pair| area(&pair[0], &pair[1])).sum::<f64>();
    let mut most = MOST_POINTS;
    while most < curve.len() {
        let few = one_a_stretch(curve, most - 2);
        if (total(&few) - total(curve)).abs() <= AREA_TOLERANCE {
            return few;
        }
        most *= 2;
    }
    curve.to_vec()
}

/// The ends, and one corner from each of `stretches` equal stretches of the curve's length (up plus right): the one that
/// brings the area of the chords so far closest to the area of the curve so far, so that errors cancel along the way.
fn one_a_stretch(curve: &[RocPoint], stretches: usize) -> Vec<RocPoint> {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return Vec::new() };
    let stretch_of = |point: &RocPoint| {
        let length = point.false_positive_rate + point.true_positive_rate;
        ((length * 0.5 * stretches as f64) as usize).min(stretches - 1)
    };
    let mut kept = vec![*first];
    let (mut curve_area, mut chord_area) = (0.0, 0.0);
    let mut candidate: Option<(usize, f64, RocPoint)> = None;
    for pair in curve[..curve.len() - 1].windows(2) {
        curve_area += area(&pair[0], &pair[1]);
        let (point, stretch) = (pair[1], stretch_of(&pair[1]));
        if let Some((_, _, point)) = candidate.take_if(|(other, ..)| *other != stretch) {
            chord_area += area(&kept[kept.len() - 1], &point);
            kept.push(point);
        }
        let error = (chord_area + area(&kept[kept.len() - 1], &point) - curve_area).abs();
        if candidate.as_ref().is_none_or(|(_, least, _)| error < *least) {
            candidate = Some((stretch, error, point));
        }
    }
    kept.extend(candidate.map(|(.., point)| point));
    kept.push(*last);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, below, stream, uniform};

    /// The definition, pair by pair.
    fn naive_auc(scores: &[f64], labels: &[f64], weights: &[f64]) -> Option<f64> {
        let (mut won, mut pairs) = (0.0, 0.0);
        for i in (0..scores.len()).filter(|&i| labels[i] == 1.0) {
            for j in (0..scores.len()).filter(|&j| labels[j] == 0.0) {
                let weight = weights[i] * weights[j];
                pairs += weight;
                won += weight
                    * if scores[i] > scores[j] { 1.0 } else { 0.5 * f64::from(u8::from(scores[i] == scores[j])) };
            }
        }
        (pairs > 0.0).then(|| won / pairs)
    }

    /// Scores on a grid of `levels` values, so that there are ties; the larger the score, the likelier a one.
    fn random(rows: usize, levels: u64, signal: f64, seed: u64) -> [Vec<f64>; 3] {
        let mut generator = stream(seed, Purpose::Simulation, 0);
        let scores: Vec<f64> = (0..rows).map(|_| below(&mut generator, levels) as f64 / levels as f64).collect();
        let labels =
            scores.iter().map(|s| f64::from(u8::from(uniform(&mut generator) < 0.5 + signal * (s - 0.5)))).collect();
        let weights = (0..rows).map(|_| below(&mut generator, 4) as f64).collect();
        [scores, labels, weights]
    }

    fn trapezoids(curve: &[RocPoint]) -> f64 {
        curve.windows(2).map(|pair| area(&pair[0], &pair[1])).sum()
    }

    #[test]
    fn auc_agrees_with_the_pairs_with_ties_and_weights() {
        for seed in 0..40 {
            let [scores, labels, weights] = random(2 + seed as usize * 3, 1 + seed % 13, 0.8, seed);
            if weights.iter().sum::<f64>() == 0.0 {
                continue;
            }
            let fast = Labelled::new(&scores, &labels, Some(&weights)).unwrap().auc();
            match (fast, naive_auc(&scores, &labels, &weights)) {
                (None, None) => {}
                (Some(fast), Some(naive)) => assert!((fast - naive).abs() < 1e-12, "{fast} {naive}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn auc_of_easy_cases() {
        let auc = |scores: &[f64], labels: &[f64]| Labelled::new(scores, labels, None).unwrap().auc();
        assert_eq!(auc(&[1.0, 2.0, 3.0], &[0.0, 0.0, 1.0]), Some(1.0));
        assert_eq!(auc(&[1.0, 2.0, 3.0], &[1.0, 1.0, 0.0]), Some(0.0));
        assert_eq!(auc(&[5.0, 5.0, 5.0], &[1.0, 1.0, 0.0]), Some(0.5));
        assert_eq!(auc(&[0.0, -0.0], &[1.0, 0.0]), Some(0.5));
        assert_eq!(auc(&[1.0, 2.0], &[1.0, 1.0]), None);
        assert_eq!(Labelled::new(&[1.0, 2.0], &[1.0, 0.0], Some(&[1.0, 0.0])).unwrap().auc(), None);
    }

    #[test]
    fn the_curve_is_short_monotone_and_keeps_the_area() {
        for (rows, levels, signal) in [(7, 3, 0.5), (500, 1 << 40, 0.0), (20_000, 1 << 40, 0.9), (20_000, 50, 0.3)] {
            let [scores, labels, weights] = random(rows, levels, signal, 5);
            let labelled = Labelled::new(&scores, &labels, Some(&weights)).unwrap();
            let (curve, auc) = (labelled.roc_curve().unwrap(), labelled.auc().unwrap());
            assert!(curve.len() <= MOST_POINTS, "{}", curve.len());
            assert!((trapezoids(&labelled.full_curve().unwrap()) - auc).abs() < 1e-12);
            assert!((trapezoids(&curve) - auc).abs() <= AREA_TOLERANCE);
            let rates = |point: &RocPoint| (point.false_positive_rate, point.true_positive_rate);
            assert_eq!((rates(&curve[0]), rates(&curve[curve.len() - 1])), ((0.0, 0.0), (1.0, 1.0)));
            for pair in curve.windows(2) {
                assert!(pair[0].false_positive_rate <= pair[1].false_positive_rate);
                assert!(pair[0].true_positive_rate <= pair[1].true_positive_rate);
                assert!(pair[0].threshold.is_none_or(|above| Some(above) > pair[1].threshold));
            }
        }
    }

    /// Alternating labels make the steepest stairs; every length is as likely to resonate with the stretches as any other.
    #[test]
    fn stairs_of_any_length_keep_their_area() {
        for rows in (380..460).chain([796, 1000, 5000]) {
            let scores: Vec<f64> = (0..rows).map(f64::from).collect();
            let labels: Vec<f64> = (0..rows).map(|i| f64::from(i % 2)).collect();
            let labelled = Labelled::new(&scores, &labels, None).unwrap();
            let curve = labelled.roc_curve().unwrap();
            let gap = (trapezoids(&curve) - labelled.auc().unwrap()).abs();
            assert!(gap <= AREA_TOLERANCE && curve.len() <= MOST_POINTS, "{rows}: {gap:e}, {}", curve.len());
        }
    }
}
