//! What a ranking is good for: thresholds, gains, lift and the Kolmogorov–Smirnov distance.
//!
//! Rows are taken from the highest score down. After a share $q$ of all weight, the *gain* is the share of the ones among it, the *lift* gain over $q$; rows of equal score are taken together, as one straight
//! piece. KS is the largest difference of the true and the false positive rate over all thresholds.

use super::classification::{Confusion, Labelled, Scale};
use serde::Serialize;

/// Decisions at one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cut {
    /// Rows above it are decided as 1: a probability, or a margin where there is none.
    pub threshold: f64,
    /// Decisions beside labels.
    pub confusion: Confusion,
}

/// Thresholds between the smallest and the largest.
const STEPS: usize = 100;

impl Labelled<'_> {
    /// The largest difference of true and false positive rate; `None` if only one class has weight.
    pub fn ks(&self) -> Option<f64> {
        let curve = self.full_curve()?;
        Some(curve.iter().map(|at| at.true_positive_rate - at.false_positive_rate).fold(0.0, f64::max))
    }

    /// Decisions at the probabilities 0, 0.01, …, 1, or at 101 margins from the smallest to the largest, evenly spread; empty if no row has weight.
    pub fn cuts(&self, scale: Scale) -> Vec<Cut> {
        let mut order: Vec<usize> = (0..self.len()).filter(|&row| self.weight(row) > 0.0).collect();
        order.sort_by(|&i, &j| self.score(i).total_cmp(&self.score(j)));
        let (Some(&lowest), Some(&highest)) = (order.first(), order.last()) else { return Vec::new() };
        let (low, high) = (self.score(lowest), self.score(highest));
        // Weight of zeros and ones up to each place.
        let mut below = vec![[0.0; 2]];
        for &row in &order {
            let mut next = below[below.len() - 1];
            next[usize::from(self.is_one(row))] += self.weight(row);
            below.push(next);
        }
        let all = below[order.len()];
        let cut = |step: usize| {
            let share = step as f64 / STEPS as f64;
            let (threshold, score) = match scale {
                Scale::LogOdds => (share, (share / (1.0 - share)).ln()),
                Scale::Probability => (share, share),
                Scale::Margin => (low + share * (high - low), low + share * (high - low)),
            };
            let [false_negatives, true_negatives] = {
                let place = order.partition_point(|&row| self.score(row) <= score);
                [below[place][1], below[place][0]]
            };
            let confusion = Confusion {
                true_positives: all[1] - false_negatives,
                false_positives: all[0] - true_negatives,
                true_negatives,
                false_negatives,
            };
            Cut { threshold, confusion }
        };
        (0..=STEPS).map(cut).collect()
    }

    /// The gains curve from (0, 0) to (1, 1): shares of the weight and of the ones, from the highest score down; `None` if only one class has weight.
    pub fn gains(&self) -> Option<Vec<(f64, f64)>> {
        let curve = self.full_curve()?;
        let ones: f64 = (0..self.len()).filter(|&row| self.is_one(row)).map(|row| self.weight(row)).sum();
        let zeros: f64 = (0..self.len()).filter(|&row| !self.is_one(row)).map(|row| self.weight(row)).sum();
        let share = |true_rate: f64, false_rate: f64| (true_rate * ones + false_rate * zeros) / (ones + zeros);
        Some(
            curve
                .iter()
                .map(|at| (share(at.true_positive_rate, at.false_positive_rate), at.true_positive_rate))
                .collect(),
        )
    }
}

/// The gain after a share of the rows, by straight pieces of a gains curve.
pub fn gain_at(curve: &[(f64, f64)], share: f64) -> f64 {
    let after = curve.partition_point(|at| at.0 < share);
    match (after.checked_sub(1).and_then(|i| curve.get(i)), curve.get(after)) {
        (Some(low), Some(high)) if high.0 > low.0 => low.1 + (share - low.0) / (high.0 - low.0) * (high.1 - low.1),
        (_, Some(high)) => high.1,
        (Some(low), None) => low.1,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETA: [f64; 8] = [-2.0, -0.5, 0.0, 0.0, 0.3, 1.5, 1.5, 3.0];
    const LABELS: [f64; 8] = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    const WEIGHTS: [f64; 8] = [1.0, 2.0, 0.0, 1.0, 3.0, 1.0, 1.0, 2.0];

    #[test]
    fn cuts_are_the_confusion_at_their_threshold() {
        for weights in [None, Some(&WEIGHTS[..])] {
            let labelled = Labelled::new(&ETA, &LABELS, weights).unwrap();
            let cuts = labelled.cuts(Scale::LogOdds);
            assert_eq!((cuts.len(), cuts[0].threshold, cuts[100].threshold), (101, 0.0, 1.0));
            for cut in &cuts[1..100] {
                let score = (cut.threshold / (1.0 - cut.threshold)).ln();
                assert_eq!(cut.confusion, labelled.confusion(score), "{}", cut.threshold);
            }
            assert_eq!((cuts[0].confusion.false_negatives, cuts[100].confusion.true_positives), (0.0, 0.0));
            let margins = labelled.cuts(Scale::Margin);
            assert!(margins.iter().all(|cut| cut.confusion == labelled.confusion(cut.threshold)));
        }
    }

    #[test]
    fn gains_and_ks_agree_with_counting() {
        let labelled = Labelled::new(&ETA, &LABELS, None).unwrap();
        let gains = labelled.gains().unwrap();
        assert_eq!((gains[0], gains[gains.len() - 1]), ((0.0, 0.0), (1.0, 1.0)));
        // The best row is a one; of the best three, two are.
        assert_eq!((gain_at(&gains, 1.0 / 8.0), gain_at(&gains, 3.0 / 8.0)), (0.25, 0.5));
        // Two rows tie: half of them is half of their ones.
        assert!((gain_at(&gains, 2.0 / 8.0) - 0.375).abs() < 1e-15);
        let rate = |t: f64, label: f64| {
            ETA.iter().zip(LABELS).filter(|(eta, y)| *y == label && **eta > t).count() as f64 / 4.0
        };
        let by_hand = ETA.iter().map(|&t| rate(t, 1.0) - rate(t, 0.0)).fold(0.0, f64::max);
        assert_eq!(labelled.ks(), Some(by_hand));
        assert_eq!(Labelled::new(&ETA, &[1.0; 8], None).unwrap().ks(), None);
    }
}
