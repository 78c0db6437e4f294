//! What a held-out fold is scored by: the mean loss, the share of rows whose likeliest class is theirs, the mean over classes of the area under the curve of each against the rest, or the mean squared error of all responses.

use super::loss::{OutputLoss, probabilities};
use super::measures::{area_of_class, likeliest};
use super::objective::Objective;
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::selection::Scoring;

/// A score of one's own, of models on the rows that a split holds out; the larger the better. Called from several threads.
pub trait OwnOutputsScore: Sync {
    /// The score of a model, in the units of the data: coefficients feature by feature, and an intercept for each output or none.
    fn score(&self, split: usize, coefficients: &[f64], intercepts: &[f64]) -> Result<f64>;
}

/// Refuses scores that are not those of several outputs.
pub(super) fn check(scoring: Scoring, loss: OutputLoss) -> Result<()> {
    let (rule, is_known) = if loss.is_classification() {
        (Rule::ScoreOfClasses, matches!(scoring, Scoring::Loss | Scoring::Accuracy | Scoring::Auc | Scoring::Own))
    } else {
        (Rule::ScoreOfResponses, matches!(scoring, Scoring::Loss | Scoring::MeanSquaredError | Scoring::Own))
    };
    if is_known { Ok(()) } else { Err(Error::setting("scoring", rule, scoring)) }
}

/// The score of a parameter; `held_out` is F of the rows held out, without gauge and ridge.
pub(super) fn score(scoring: Scoring, held_out: Objective, theta: &[f64]) -> Result<f64> {
    let (size, data) = (held_out.outputs(), held_out.data);
    if data.weight_sum() <= 0.0 {
        return Err(Error::ZeroWeights { rows: data.rows() });
    }
    if !matches!(scoring, Scoring::Accuracy | Scoring::Auc | Scoring::MeanSquaredError) {
        return held_out.value(theta);
    }
    let mut predictors = held_out.predictors(theta)?;
    let (values, weights): (&[f64], Vec<f64>) =
        (held_out.responses.values, (0..data.rows()).map(|row| data.weight(row)).collect());
    let total: f64 = weights.iter().sum();
    match scoring {
        Scoring::Accuracy => {
            let rows = predictors.chunks_exact(size).zip(values).zip(&weights);
            let right = rows.filter(|((eta, class), _)| likeliest(eta) == **class as usize);
            Ok(right.map(|(_, weight)| weight).sum::<f64>() / total)
        }
        Scoring::Auc => {
            predictors.chunks_exact_mut(size).for_each(probabilities);
            let areas = (0..size).map(|k| area_of_class(&predictors, values, &weights, (k, size)));
            let areas: Vec<f64> = areas.collect::<Result<Option<Vec<f64>>>>()?.ok_or_else(one_class)?;
            Ok(areas.iter().sum::<f64>() / size as f64)
        }
        _ => {
            let rows = predictors.chunks_exact(size).zip(values.chunks_exact(size)).zip(&weights);
            let square = |(eta, y): (&[f64], &[f64])| eta.iter().zip(y).map(|(eta, y)| (eta - y).powi(2)).sum::<f64>();
            Ok(rows.map(|(row, weight)| weight * square(row)).sum::<f64>() / (total * size as f64))
        }
    }
}

fn one_class() -> Error {
    Error::setting("scoring", Rule::ScoreOfAbsentClass, "auc")
}
