//! How good predictions of several outputs are.
//!
//! Classes: the share of rows whose likeliest class is theirs (ties go to the first), the mean of $-\log p$ of their class, and how often each class was taken for each other. Responses: $R^2$, mean squared and mean absolute error of each. Rows count by
//! their weights; a measure that the rows do not define is `None`.

use super::loss::RowsLoss;
use super::model::OutputsModel;
use crate::error::{Error, Result};
use crate::loss::RowLoss;
use crate::metrics::Regression;
use serde::Serialize;

/// All measures of some predictions, as fits the loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputsEvaluation {
    /// One class of several.
    Classes(ClassesEvaluation),
    /// Several numbers.
    Responses {
        /// Rows that were predicted.
        rows: usize,
        /// One for each response.
        responses: Vec<ResponseEvaluation>,
    },
}

/// How well classes are predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClassesEvaluation {
    /// Rows that were predicted.
    pub rows: usize,
    /// Share of rows whose likeliest class is theirs.
    pub accuracy: f64,
    /// Mean of $-\log p$ of the class of each row.
    pub log_loss: f64,
    /// The classes.
    pub classes: Vec<String>,
    /// Weight of the rows of each class (outer) that were taken for each class (inner).
    pub confusion: Vec<Vec<f64>>,
}

/// How well one response is predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResponseEvaluation {
    /// The response.
    pub name: String,
    /// $R^2$, unless the response is constant.
    pub r_squared: Option<f64>,
    /// Mean squared error.
    pub mean_squared_error: f64,
    /// Mean absolute error.
    pub mean_absolute_error: f64,
}

impl OutputsEvaluation {
    /// Evaluates linear predictors, one for each row and output, against the classes or numbers of the rows.
    pub fn of(model: &OutputsModel, predictors: &[f64], responses: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let size = model.outputs.len();
        let (rows, each) = (predictors.len() / size, model.loss.responses(size));
        if responses.len() != rows * each {
            let rule = "one for each row and response";
            return Err(Error::Length { what: "responses", found: responses.len(), expected: rows * each, rule });
        }
        if rows == 0 {
            return Err(Error::Empty { what: "rows" });
        }
        if model.loss.is_classification() {
            return Self::of_classes(model, predictors, responses, weights);
        }
        let column = |all: &[f64], k: usize| -> Vec<f64> { all.iter().skip(k).step_by(size).copied().collect() };
        let each_response = |(k, name): (usize, &String)| {
            let measured = Regression::of(&column(predictors, k), &column(responses, k), weights)?;
            Ok(ResponseEvaluation {
                name: name.clone(),
                r_squared: measured.r_squared,
                mean_squared_error: measured.mean_squared_error,
                mean_absolute_error: measured.mean_absolute_error,
            })
        };
        let responses = model.outputs.iter().enumerate().map(each_response).collect::<Result<_>>()?;
        Ok(Self::Responses { rows, responses })
    }

    fn of_classes(model: &OutputsModel, predictors: &[f64], classes: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let size = model.outputs.len();
        let loss = RowsLoss { loss: model.loss, outputs: size, has_gauge: false };
        let mut confusion = vec![vec![0.0; size]; size];
        let (mut lost, mut total) = (0.0, 0.0);
        for (row, (eta, &class)) in predictors.chunks_exact(size).zip(classes).enumerate() {
            if class < 0.0 || class.fract() != 0.0 || class >= size as f64 {
                return Err(Error::ClassNumber { row, value: class, classes: size });
            }
            let weight = weights.map_or(1.0, |weights| weights[row]);
            let likeliest = (0..size).rev().max_by(|&a, &b| eta[a].total_cmp(&eta[b])).unwrap_or(0);
            confusion[class as usize][likeliest] += weight;
            lost += weight * loss.row_value(eta, &[class]);
            total += weight;
        }
        if total <= 0.0 {
            return Err(Error::ZeroWeights { rows: classes.len() });
        }
        let right: f64 = (0..size).map(|k| confusion[k][k]).sum();
        Ok(Self::Classes(ClassesEvaluation {
            rows: classes.len(),
            accuracy: right / total,
            log_loss: lost / total,
            classes: model.outputs.clone(),
            confusion,
        }))
    }
}
