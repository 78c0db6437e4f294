//! How good predictions of several outputs are.
//!
//! Classes: the share of rows whose likeliest class is theirs (ties go to the first), the mean of $-\log p$ of their class, the area under the ROC curve of each class against the rest, and how often each class was taken for each other. Responses: $R^2$, mean squared and mean absolute error of each. Rows count by
//! their weights; a measure that the rows do not define is `None`.

use super::loss::{RowsLoss, probabilities};
use super::model::OutputsModel;
use crate::error::{Error, Result};
use crate::loss::RowLoss;
use crate::metrics::{Labelled, Regression, RocPoint};
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
    /// Area under the ROC curve of each class against the rest, by its probability; `None` if all rows are of the class, or none.
    pub auc: Vec<Option<f64>>,
    /// The mean of these areas, if all of them are there.
    pub macro_auc: Option<f64>,
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
            confusion[class as usize][likeliest(eta)] += weight;
            lost += weight * loss.row_value(eta, &[class]);
            total += weight;
        }
        if total <= 0.0 {
            return Err(Error::ZeroWeights { rows: classes.len() });
        }
        let mut chances = predictors.to_vec();
        chances.chunks_exact_mut(size).for_each(probabilities);
        let equal = vec![1.0; classes.len()];
        let each = |k: usize| area_of_class(&chances, classes, weights.unwrap_or(&equal), (k, size));
        let auc = (0..size).map(each).collect::<Result<Vec<Option<f64>>>>()?;
        let known: Option<Vec<f64>> = auc.iter().copied().collect();
        let macro_auc = known.map(|areas| areas.iter().sum::<f64>() / size as f64);
        let right: f64 = (0..size).map(|k| confusion[k][k]).sum();
        Ok(Self::Classes(ClassesEvaluation {
            rows: classes.len(),
            accuracy: right / total,
            log_loss: lost / total,
            classes: model.outputs.clone(),
            auc,
            macro_auc,
            confusion,
        }))
    }
}

/// The likeliest class of a row; ties go to the first.
pub(super) fn likeliest(predictors: &[f64]) -> usize {
    (0..predictors.len()).rev().max_by(|&a, &b| predictors[a].total_cmp(&predictors[b])).unwrap_or(0)
}

/// The probabilities of one of several classes, and whether rows are of it.
fn against_rest(chances: &[f64], classes: &[f64], (class, size): (usize, usize)) -> (Vec<f64>, Vec<f64>) {
    let own = chances.iter().skip(class).step_by(size).copied().collect();
    (own, classes.iter().map(|value| f64::from(u8::from(*value as usize == class))).collect())
}

/// The area under the curve of a class against the rest; `None` if all rows are of the class, or none.
pub(super) fn area_of_class(
    chances: &[f64],
    classes: &[f64],
    weights: &[f64],
    which: (usize, usize),
) -> Result<Option<f64>> {
    let (own, labels) = against_rest(chances, classes, which);
    Ok(Labelled::new(&own, &labels, Some(weights))?.auc())
}

/// The ROC curve of each class against the rest, by its probability; `None` if all rows are of the class, or none. Predictors are linear, one for each row and class.
pub fn roc_curves(
    predictors: &[f64],
    classes: &[f64],
    weights: &[f64],
    size: usize,
) -> Result<Vec<Option<Vec<RocPoint>>>> {
    let mut chances = predictors.to_vec();
    chances.chunks_exact_mut(size).for_each(probabilities);
    let curve = |k: usize| {
        let (own, labels) = against_rest(&chances, classes, (k, size));
        Ok(Labelled::new(&own, &labels, Some(weights))?.roc_curve())
    };
    (0..size).map(curve).collect()
}
