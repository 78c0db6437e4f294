//! How good predictions are.
//!
//! With weights $w_i$ (ones if there are none) and $W = \sum_i w_i$:
//!
//! | measure | definition |
//! |---|---|
//! | AUC | $\sum_{i: y_i = 1}\sum_{j: y_j = 0} w_iw_j\big(1\{s_i > s_j\} + \tfrac12 1\{s_i = s_j\}\big) \big/ \sum_{i: y_i = 1}\sum_{j: y_j = 0} w_iw_j$ |
//! | accuracy | $\tfrac1W\sum_i w_i 1\{y_i = \hat y_i\}$, $\hat y_i = 1$ where the score is above the threshold |
//! | log loss | $-\tfrac1W\sum_i w_i\big(y_i\log p_i + (1 - y_i)\log(1 - p_i)\big)$ |
//! | mean squared error | $\tfrac1W\sum_i w_i(y_i - \mu_i)^2$ |
//! | mean absolute error | $\tfrac1W\sum_i w_i\lvert y_i - \mu_i\rvert$ |
//! | $R^2$ | $1 - \sum_i w_i(y_i - \mu_i)^2 / \sum_i w_i(y_i - \bar y)^2$, $\bar y$ the weighted mean |
//! | Poisson deviance | $\tfrac2W\sum_i w_i\big(y_i\log(y_i/\mu_i) - y_i + \mu_i\big)$ |
//!
//! A measure that the data do not define, such as the AUC of one class or the $R^2$ of a constant, is `None`, never NaN.
//! Weights obey one law: a row of weight 2 counts as two rows, a row of weight 0 as none.

mod classification;
mod ranking;
mod regression;

pub use classification::{CalibrationBin, Classification, Confusion, Labelled, Scale};
pub use ranking::RocPoint;
pub use regression::{Quantile, Regression};

use crate::data::{Data, products};
use crate::error::{Error, Result};
use crate::loss::{self, Loss};
use crate::model::Model;
use serde::Serialize;

/// All measures of some predictions, as fits the loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Evaluation {
    /// Labels 0 and 1.
    Classification(Classification),
    /// Numbers.
    Regression(Regression),
}

impl Evaluation {
    /// Evaluates linear predictors $\eta_i$, offsets included, by the measures that belong to the loss.
    pub fn of(loss: &dyn Loss, predictors: &[f64], response: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        if is_for_classes(loss) {
            let scale = if loss.spec() == "logistic" { Scale::LogOdds } else { Scale::Margin };
            let labelled = Labelled::new(predictors, response, weights)?;
            return Ok(Self::Classification(labelled.classification(scale)));
        }
        if loss.spec() == "poisson" {
            return Regression::of_counts(predictors, response, weights).map(Self::Regression);
        }
        let means: Vec<f64> = predictors.iter().map(|&eta| loss.mean(eta)).collect();
        Regression::of(&means, response, weights).map(Self::Regression)
    }

    /// Evaluates a model on data, with their weights and offset.
    ///
    /// ```
    /// use proxdist::constraint::Sparsity;
    /// use proxdist::loss::Logistic;
    /// use proxdist::metrics::Evaluation;
    /// use proxdist::simulate::{Response, Truth, vector};
    /// use proxdist::{Problem, Settings};
    ///
    /// let simulated = vector(Response::Logistic, Truth::Sparse(3), 500, 20, 1)?;
    /// let data = simulated.data()?;
    /// let fit = Problem::new(&data, Logistic, Sparsity::at_most(3)).fit(&Settings::default())?;
    /// let Evaluation::Classification(result) = Evaluation::of_model(fit.model(), &data)? else { unreachable!() };
    /// assert!(result.auc.is_some_and(|auc| auc > 0.8));
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn of_model(model: &Model, data: &Data) -> Result<Self> {
        let loss = loss::parse(&model.loss)?;
        for (row, &value) in data.response().iter().enumerate() {
            if let Err(rule) = loss.check_response(value) {
                return Err(Error::Response { loss: loss.spec(), row, value, rule });
            }
        }
        let mut predictors = model.linear_predictors(data.source())?;
        predictors.iter_mut().enumerate().for_each(|(row, eta)| *eta += data.offset_of(row));
        Self::of(&*loss, &predictors, data.response(), Some(&weights(data)))
    }
}

/// Whether the loss is about two classes: it takes the labels 0 and 1 and no number besides.
pub(crate) fn is_for_classes(loss: &dyn Loss) -> bool {
    let takes = |response| loss.check_response(response).is_ok();
    takes(0.0) && takes(1.0) && !takes(0.5) && !takes(2.0)
}

/// $x_i^T\theta + \beta_0 + o_i$ of every row.
pub(crate) fn linear_predictors(data: &Data, coefficients: &[f64], intercept: f64) -> Result<Vec<f64>> {
    let mut predictors = products(data.source(), coefficients)?;
    predictors.iter_mut().enumerate().for_each(|(row, eta)| *eta = *eta + intercept + data.offset_of(row));
    Ok(predictors)
}

/// The weight of every row.
pub(crate) fn weights(data: &Data) -> Vec<f64> {
    (0..data.rows()).map(|row| data.weight(row)).collect()
}

/// What every measure asks of its input: one finite number a row, weights that are not negative and not all zero.
fn check(what: &'static str, values: &[f64], response: &[f64], weights: Option<&[f64]>) -> Result<()> {
    if response.is_empty() {
        return Err(Error::Empty { what: "rows" });
    }
    let columns = [(what, values), ("response", response), ("weight", weights.unwrap_or(response))];
    for (what, values) in columns {
        if values.len() != response.len() {
            let (found, expected) = (values.len(), response.len());
            return Err(Error::Length { what, found, expected, rule: "one a row" });
        }
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFiniteData { what, row, column: None, value: values[row] });
        }
    }
    let Some(weights) = weights else { return Ok(()) };
    if let Some(row) = weights.iter().position(|weight| *weight < 0.0) {
        return Err(Error::NegativeWeight { row, value: weights[row] });
    }
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 {
        return Err(Error::ZeroWeights { rows: weights.len() });
    }
    if sum.is_finite() { Ok(()) } else { Err(Error::setting("the sum of the weights", "finite", sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic, Poisson, Squared, SquaredHinge};

    #[test]
    fn the_loss_decides_what_is_measured() {
        let (eta, labels) = ([2.0, -1.0, 0.5], [1.0, 0.0, 0.0]);
        let classes = |loss: &dyn Loss| match Evaluation::of(loss, &eta, &labels, None).unwrap() {
            Evaluation::Classification(result) => Some(result.log_loss.is_some()),
            Evaluation::Regression(_) => None,
        };
        let losses: [&dyn Loss; 5] = [&Logistic, &SquaredHinge, &Squared, &Poisson, &Huber::with_delta(1.0).unwrap()];
        assert_eq!(losses.map(classes), [Some(true), Some(false), None, None, None]);
        let Evaluation::Regression(counts) = Evaluation::of(&Poisson, &eta, &labels, None).unwrap() else { panic!() };
        assert!(counts.deviance.is_some());
    }

    #[test]
    fn bad_input_is_named() {
        let fails = |eta: &[f64], y: &[f64], w: Option<&[f64]>| Evaluation::of(&Logistic, eta, y, w).unwrap_err();
        assert!(matches!(fails(&[], &[], None), Error::Empty { .. }));
        assert!(matches!(fails(&[1.0], &[1.0, 0.0], None), Error::Length { .. }));
        assert!(matches!(fails(&[1.0, 2.0], &[1.0, 0.0], Some(&[1.0])), Error::Length { .. }));
        assert!(matches!(fails(&[1.0, f64::NAN], &[1.0, 0.0], None), Error::NotFiniteData { row: 1, .. }));
        assert!(matches!(fails(&[1.0, 2.0], &[1.0, 0.0], Some(&[1.0, -1.0])), Error::NegativeWeight { row: 1, .. }));
        assert!(matches!(fails(&[1.0, 2.0], &[1.0, 0.0], Some(&[0.0, 0.0])), Error::ZeroWeights { rows: 2 }));
        assert_eq!(fails(&[1.0, 2.0], &[1.0, 3.0], None).to_string(), "a label must be 0 or 1, got 3 at row 1");
    }

    #[test]
    fn an_evaluation_has_a_json_form() {
        let result = Evaluation::of(&Logistic, &[2.0, -1.0], &[1.0, 1.0], None).unwrap();
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!((json["task"].as_str(), json["auc"].is_null()), (Some("classification"), true));
    }
}
