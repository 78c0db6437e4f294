//! Measures for labels 0 and 1; the definitions are in [`super`].
//!
//! The log loss of log odds $\eta$ is $\log(1 + e^\eta) - y\eta$, which no $\eta$ overflows, so nothing is clipped. Given
//! probabilities instead, $p$ is kept within $[\epsilon, 1 - \epsilon]$, $\epsilon = 2^{-52}$, so that one confident mistake costs
//! 36 and not infinity.

use super::check;
use super::ranking::RocPoint;
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss};
use crate::rule::Rule;
use serde::Serialize;

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// $\log(p/(1-p))$, the linear predictor of a logistic model; the boundary is 0.
    LogOdds,
    /// A number whose sign is the decision and that stands for no probability.
    Margin,
    /// A probability of the label 1; the boundary is one half.
    Probability,
}

impl Scale {
    /// Scores above it are decided as 1.
    pub fn threshold(self) -> f64 {
        if self == Self::Probability { 0.5 } else { 0.0 }
    }

    fn probability(self, score: f64) -> Option<f64> {
        match self {
            Self::LogOdds => Some(Logistic.mean(score)),
            Self::Margin => None,
            Self::Probability => Some(score),
        }
    }

    pub(super) fn log_loss(self, score: f64, label: f64) -> Option<f64> {
        match self {
            Self::LogOdds => Some(Logistic.value(score, label)),
            Self::Margin => None,
            Self::Probability => {
                let probability = score.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
                Some(if label == 1.0 { -probability.ln() } else { -(-probability).ln_1p() })
            }
        }
    }
}

/// Scores beside labels, checked: the input of every measure of classes.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    scores: &'a [f64],
    labels: &'a [f64],
    weights: Option<&'a [f64]>,
}

impl<'a> Labelled<'a> {
    /// One score and one label, 0 or 1, a row.
    pub fn new(scores: &'a [f64], labels: &'a [f64], weights: Option<&'a [f64]>) -> Result<Self> {
        check("score", scores, labels, weights)?;
        match labels.iter().position(|label| *label != 0.0 && *label != 1.0) {
            None => Ok(Self { scores, labels, weights }),
            Some(row) => Err(Error::setting("a label", Rule::ZeroOrOne, format_args!("{} at row {row}", labels[row]))),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn score(&self, row: usize) -> f64 {
        self.scores[row]
    }

    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    pub(super) fn is_one(&self, row: usize) -> bool {
        self.labels[row] == 1.0
    }

    fn weight_sum(&self) -> f64 {
        (0..self.len()).map(|row| self.weight(row)).sum()
    }

    /// Decisions beside labels, where scores above the threshold are decided as 1.
    pub fn confusion(&self, threshold: f64) -> Confusion {
        let mut counts = Confusion::default();
        for row in 0..self.len() {
            let cell = match (self.score(row) > threshold, self.is_one(row)) {
                (true, true) => &mut counts.true_positives,
                (true, false) => &mut counts.false_positives,
                (false, true) => &mut counts.false_negatives,
                (false, false) => &mut counts.true_negatives,
            };
            *cell += self.weight(row);
        }
        counts
    }

    /// Share of right decisions.
    pub fn accuracy(&self, threshold: f64) -> f64 {
        let counts = self.confusion(threshold);
        (counts.true_positives + counts.true_negatives) / self.weight_sum()
    }

    /// Mean negative log-likelihood; `None` for margins.
    pub fn log_loss(&self, scale: Scale) -> Option<f64> {
        let mut total = 0.0;
        for row in (0..self.len()).filter(|&row| self.weight(row) > 0.0) {
            total += self.weight(row) * scale.log_loss(self.score(row), self.labels[row])?;
        }
        Some(total / self.weight_sum())
    }

    /// Ten bins of equally many rows (sizes differ by one at most) in order of their probability, fewer if there are fewer
    /// rows; empty for margins. Rows of weight zero are left out; equal probabilities are ordered by row.
    pub fn calibration(&self, scale: Scale) -> Vec<CalibrationBin> {
        const BINS: usize = 10;
        let probability = |row| scale.probability(self.score(row)).map(|probability| (probability, row));
        let rows = (0..self.len()).filter(|&row| self.weight(row) > 0.0);
        let Some(mut order) = rows.map(probability).collect::<Option<Vec<_>>>() else { return Vec::new() };
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bins = BINS.min(order.len());
        let bin = |number: usize| {
            let rows = &order[number * order.len() / bins..(number + 1) * order.len() / bins];
            let weight: f64 = rows.iter().map(|&(_, row)| self.weight(row)).sum();
            let predicted: f64 = rows.iter().map(|&(probability, row)| self.weight(row) * probability).sum();
            let observed: f64 = rows.iter().map(|&(_, row)| self.weight(row) * self.labels[row]).sum();
            CalibrationBin { mean_predicted: predicted / weight, observed_rate: observed / weight, count: rows.len() }
        };
        (0..bins).map(bin).collect()
    }

    /// All measures at once.
    pub fn classification(&self, scale: Scale) -> Classification {
        Classification {
            rows: self.len(),
            auc: self.auc(),
            accuracy: self.accuracy(scale.threshold()),
            log_loss: self.log_loss(scale),
            confusion: self.confusion(scale.threshold()),
            roc: self.roc_curve().unwrap_or_default(),
            calibration: self.calibration(scale),
        }
    }
}

/// Weights of the four outcomes; counts if there are no weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Confusion {
    /// Ones decided as 1.
    pub true_positives: f64,
    /// Zeros decided as 1.
    pub false_positives: f64,
    /// Zeros decided as 0.
    pub true_negatives: f64,
    /// Ones decided as 0.
    pub false_negatives: f64,
}

/// Rows of similar probability, and how often they are ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Mean of the probabilities.
    pub mean_predicted: f64,
    /// Share of ones.
    pub observed_rate: f64,
    /// Rows in the bin.
    pub count: usize,
}

/// Everything measured about labels 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Classification {
    /// Rows evaluated.
    pub rows: usize,
    /// Area under the ROC curve, if both classes are there.
    pub auc: Option<f64>,
    /// Share of right decisions.
    pub accuracy: f64,
    /// Mean negative log-likelihood, if the scores stand for probabilities.
    pub log_loss: Option<f64>,
    /// Decisions beside labels.
    pub confusion: Confusion,
    /// The ROC curve, thinned; empty if only one class is there.
    pub roc: Vec<RocPoint>,
    /// Probabilities beside frequencies; empty if the scores stand for no probabilities.
    pub calibration: Vec<CalibrationBin>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETA: [f64; 6] = [-2.0, -0.5, 0.0, 0.3, 1.5, 3.0];
    const LABELS: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0];

    #[test]
    fn measures_agree_with_hand_computation() {
        let result = Labelled::new(&ETA, &LABELS, None).unwrap().classification(Scale::LogOdds);
        let expected =
            Confusion { true_positives: 2.0, false_positives: 1.0, true_negatives: 2.0, false_negatives: 1.0 };
        assert_eq!((result.confusion, result.accuracy, result.rows), (expected, 4.0 / 6.0, 6));
        let naive = |(eta, y): (&f64, &f64)| {
            let p = 1.0 / (1.0 + (-eta).exp());
            -(y * p.ln() + (1.0 - y) * (1.0 - p).ln())
        };
        let mean = ETA.iter().zip(&LABELS).map(naive).sum::<f64>() / 6.0;
        assert!((result.log_loss.unwrap() - mean).abs() < 1e-14);
        let probabilities = ETA.map(|eta| 1.0 / (1.0 + (-eta).exp()));
        let same = Labelled::new(&probabilities, &LABELS, None).unwrap().classification(Scale::Probability);
        assert_eq!((same.auc, same.confusion), (result.auc, result.confusion));
        assert!((same.log_loss.unwrap() - mean).abs() < 1e-14);
    }

    #[test]
    fn a_weight_is_a_number_of_repetitions() {
        let weights = [2.0, 0.0, 1.0, 3.0, 1.0, 2.0];
        let repeated = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(weights).flat_map(|(v, w)| std::iter::repeat_n(*v, w as usize)).collect()
        };
        let (eta, labels) = (repeated(&ETA), repeated(&LABELS));
        let weighted = Labelled::new(&ETA, &LABELS, Some(&weights)).unwrap().classification(Scale::LogOdds);
        let plain = Labelled::new(&eta, &labels, None).unwrap().classification(Scale::LogOdds);
        assert_eq!((weighted.confusion, weighted.accuracy), (plain.confusion, plain.accuracy));
        assert!((weighted.auc.unwrap() - plain.auc.unwrap()).abs() < 1e-14);
        assert!((weighted.log_loss.unwrap() - plain.log_loss.unwrap()).abs() < 1e-14);
        assert_eq!(weighted.roc, plain.roc);
    }

    #[test]
    fn confident_mistakes_are_finite_and_log_odds_are_never_clipped() {
        let log_loss = |score, scale| Labelled::new(&[score], &[1.0], None).unwrap().log_loss(scale).unwrap();
        assert_eq!(log_loss(-5000.0, Scale::LogOdds), 5000.0);
        assert!((log_loss(0.0, Scale::Probability) - 36.04).abs() < 0.01);
        assert!(log_loss(1.0, Scale::Probability) >= 0.0);
        assert_eq!(Labelled::new(&[0.0], &[1.0], None).unwrap().log_loss(Scale::Margin), None);
    }

    #[test]
    fn calibration_bins_hold_equally_many_rows_in_order() {
        let probabilities: Vec<f64> = (0..47).map(|i| f64::from(i * 31 % 47) / 47.0).collect();
        let labels: Vec<f64> = probabilities.iter().map(|p| f64::from(u8::from(*p > 0.5))).collect();
        let bins = Labelled::new(&probabilities, &labels, None).unwrap().calibration(Scale::Probability);
        assert_eq!((bins.len(), bins.iter().map(|bin| bin.count).sum::<usize>()), (10, 47));
        assert!(bins.iter().all(|bin| bin.count == 4 || bin.count == 5));
        assert!(bins.windows(2).all(|pair| pair[0].mean_predicted < pair[1].mean_predicted));
        assert_eq!((bins[0].observed_rate, bins[9].observed_rate), (0.0, 1.0));
        assert_eq!(Labelled::new(&[0.1, 0.9], &[0.0, 1.0], None).unwrap().calibration(Scale::Probability).len(), 2);
        assert!(Labelled::new(&[0.1, 0.9], &[0.0, 1.0], None).unwrap().calibration(Scale::Margin).is_empty());
    }
}
