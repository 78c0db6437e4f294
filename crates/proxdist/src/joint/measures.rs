//! How good predictions of times and of ordered labels are.
//!
//! Times: the concordance of Harrell, and the share of the deviance of the partial likelihood that the model explains, $1 - D(\eta)/D(o)$ with $D(\eta) = 2\sum w\,(L(\eta) - L_{\min})$, $o$ the offset and $L_{\min}$ the least loss that any predictors have. Labels: the share of rows whose
//! likeliest label is theirs, the mean of $-\log p$ of their label, and its share below that of the shares of the labels alone.

use super::loss::JointLoss as _;
use super::model::{JointKind, JointModel};
use crate::error::{Error, Result};
use crate::survival::{PartialLikelihood, SurvivalTimes, concordance};
use serde::Serialize;

/// All measures of some predictions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JointEvaluation {
    /// Of times.
    Times(CoxEvaluation),
    /// Of ordered labels.
    Levels(OrdinalEvaluation),
}

/// How well times are explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CoxEvaluation {
    /// Rows that were predicted.
    pub rows: usize,
    /// Events among those of positive weight.
    pub events: usize,
    /// The concordance; none if no pair of rows can be compared.
    pub concordance: Option<f64>,
    /// The deviance of the partial likelihood; none if the predictors are too far apart for numbers.
    pub deviance: Option<f64>,
    /// The share of it that the model explains; none if there is none to be explained.
    pub deviance_explained: Option<f64>,
}

/// How well ordered labels are explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OrdinalEvaluation {
    /// Rows that were predicted.
    pub rows: usize,
    /// Share of rows whose likeliest label is theirs.
    pub accuracy: f64,
    /// Mean of $-\log p$ of the label of each row.
    pub log_loss: f64,
    /// Share of the log loss of the shares of the labels that the model explains; none if all rows have one label.
    pub deviance_explained: Option<f64>,
    /// The labels.
    pub levels: Vec<String>,
    /// Weight of the rows of each label (outer) that were taken for each label (inner).
    pub confusion: Vec<Vec<f64>>,
}

impl CoxEvaluation {
    /// Of linear predictors, offset included.
    pub fn of(
        model: &JointModel,
        predictors: &[f64],
        offset: Option<&[f64]>,
        times: &SurvivalTimes,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        let JointKind::Cox { ties, .. } = &model.kind else { return Err(Error::Empty { what: "times" }) };
        let rows = times.rows();
        if predictors.len() != rows {
            let (found, expected, rule) = (predictors.len(), rows, "one for each row");
            return Err(Error::Length { what: "predictors", found, expected, rule });
        }
        let weights = weights.map_or_else(|| vec![1.0; rows], <[f64]>::to_vec);
        let index = concordance(times, predictors, Some(&weights))?.index();
        let total: f64 = weights.iter().sum();
        let loss = PartialLikelihood::new(times, *ties, weights)?;
        let deviance = |eta: &[f64]| 2.0 * total * (loss.value(eta, &mut Vec::new()) - loss.saturated()).max(0.0);
        let null = offset.map_or_else(|| vec![0.0; rows], <[f64]>::to_vec);
        let (own, null) = (deviance(predictors), deviance(&null));
        Ok(Self {
            rows,
            events: loss.counts().0,
            concordance: index,
            deviance: Some(own).filter(|value| value.is_finite()),
            deviance_explained: Some(1.0 - own / null).filter(|share| share.is_finite()),
        })
    }
}

impl OrdinalEvaluation {
    /// Of linear predictors, offset included; labels are numbers of levels.
    pub fn of(model: &JointModel, predictors: &[f64], labels: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let (JointKind::Ordinal { levels, .. }, Some(chances)) = (&model.kind, model.class_probabilities(predictors))
        else {
            return Err(Error::Empty { what: "levels" });
        };
        let (rows, size) = (labels.len(), levels.len());
        if predictors.len() != rows {
            let (found, expected, rule) = (predictors.len(), rows, "one for each row");
            return Err(Error::Length { what: "predictors", found, expected, rule });
        }
        let (mut confusion, mut lost, mut total) = (vec![vec![0.0; size]; size], 0.0, 0.0);
        for (row, (chances, &label)) in chances.chunks_exact(size).zip(labels).enumerate() {
            if !(label >= 0.0 && label.fract() == 0.0 && label < size as f64) {
                return Err(Error::ClassNumber { row, value: label, classes: size });
            }
            let weight = weights.map_or(1.0, |weights| weights[row]);
            let label = label as usize;
            confusion[label][likeliest(chances)] += weight;
            if weight > 0.0 {
                lost -= weight * chances[label].max(f64::MIN_POSITIVE).ln();
            }
            total += weight;
        }
        if total <= 0.0 {
            return Err(Error::ZeroWeights { rows });
        }
        let right: f64 = (0..size).map(|k| confusion[k][k]).sum();
        let shares = confusion.iter().map(|row| row.iter().sum::<f64>() / total).filter(|share| *share > 0.0);
        let null: f64 = shares.map(|share| -share * share.ln()).sum();
        let log_loss = lost / total;
        let deviance_explained = (null > 0.0).then(|| 1.0 - log_loss / null);
        let (accuracy, levels) = (right / total, levels.clone());
        Ok(Self { rows, accuracy, log_loss, deviance_explained, levels, confusion })
    }
}

/// The likeliest of some chances; the first of equals.
pub fn likeliest(chances: &[f64]) -> usize {
    (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap_or(0)
}
