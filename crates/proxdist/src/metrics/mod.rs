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
//! | deviance | $\tfrac2W\sum_i w_i\big(\ell(\eta_i; y_i) - \inf_t\ell(t; y_i)\big)$; for Poisson $\tfrac2W\sum_i w_i\big(y_i\log(y_i/\mu_i) - y_i + \mu_i\big)$ |
//! | pinball loss | $\tfrac1W\sum_i w_i\rho_\tau(y_i - \eta_i)$, $\rho_\tau(r) = \tau r$ for $r \ge 0$ and $(\tau - 1)r$ otherwise; its $D^2$ compares with the best constant, a $\tau$-quantile of the $y_i$ |
//! | $D^2$ | $1 - D/D_0$, with $D$ the deviance and $D_0$ that of the mean $\bar y$ in place of every $\mu_i$ |
//!
//! Intervals of these are in `intervals.rs`, thresholds, gains and KS in `gains.rs`.
//!
//! A measure that the data do not define, such as the AUC of one class or the $R^2$ of a constant, is `None`, never NaN.
//! Weights obey one law: a row of weight 2 counts as two rows, a row of weight 0 as none.

mod classification;
mod gains;
mod intervals;
#[cfg(test)]
mod intervals_tests;
mod ranking;
mod regression;

pub use classification::{CalibrationBin, Classification, Confusion, Labelled, Scale};
pub use gains::{Cut, gain_at};
pub use intervals::{Measured, measured, wilson};
pub use ranking::RocPoint;
pub use regression::{Quantile, Regression};

use crate::data::{Data, products};
use crate::error::{Error, Result};
use crate::loss::{Link, Loss, Task, check_responses};
use crate::model::Model;
use crate::rule::Rule;
use serde::Serialize;
use std::borrow::Cow;

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
        match (loss.task(), loss.kinked()) {
            (Task::TwoClasses, _) => {
                let (scores, scale) = scores(loss, predictors);
                let labelled = Labelled::new(&scores, response, weights)?;
                Ok(Self::Classification(labelled.classification(scale)))
            }
            (Task::Counts | Task::Amounts, _) => {
                Regression::of_counts(loss, predictors, response, weights).map(Self::Regression)
            }
            (Task::Regression, Some(kinked)) => {
                Regression::of_quantile(kinked, predictors, response, weights).map(Self::Regression)
            }
            (Task::Regression, None) => {
                let means: Vec<f64> = predictors.iter().map(|&eta| loss.mean(eta)).collect();
                Regression::of(&means, response, weights).map(Self::Regression)
            }
        }
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
        let loss = model.loss.known()?;
        check_responses(loss, data.response())?;
        let mut predictors = model.linear_predictors(data.source())?;
        predictors.iter_mut().enumerate().for_each(|(row, eta)| *eta += data.offset_of(row));
        Self::of(loss, &predictors, data.response(), Some(&weights(data)))
    }
}

/// What linear predictors of a loss for two classes are judged by, and what it means: themselves, unless only the loss knows how they become
/// probabilities.
pub(crate) fn scores<'p>(loss: &dyn Loss, predictors: &'p [f64]) -> (Cow<'p, [f64]>, Scale) {
    match loss.link() {
        Link::Logit => (predictors.into(), Scale::LogOdds),
        Link::Own => (predictors.iter().map(|&eta| loss.mean(eta)).collect(), Scale::Probability),
        Link::Margin | Link::Identity | Link::Log => (predictors.into(), Scale::Margin),
    }
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
    if sum.is_finite() { Ok(()) } else { Err(Error::setting("the sum of the weights", Rule::Finite, sum)) }
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
        assert!(counts.deviance.is_some() && counts.d_squared.is_some());
    }

    /// $p = 1 - e^{-e^\eta}$, of which the loss alone knows the formula.
    struct Cloglog;

    impl Loss for Cloglog {
        fn value(&self, predictor: f64, response: f64) -> f64 {
            if response == 1.0 { -self.mean(predictor).ln() } else { predictor.exp() }
        }
        fn slope(&self, predictor: f64, response: f64) -> f64 {
            let rate = predictor.exp();
            if response == 1.0 { -rate / rate.exp_m1() } else { rate }
        }
        fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
            1.0
        }
        fn task(&self) -> Task {
            Task::TwoClasses
        }
        fn link(&self) -> Link {
            Link::Own
        }
        fn mean(&self, predictor: f64) -> f64 {
            -(-predictor.exp()).exp_m1()
        }
    }

    #[test]
    fn probabilities_of_ones_own_decide_at_one_half() {
        // 1 − 1/e = 0.63 at zero: the label is 1 where the probability says so, not where the predictor is positive.
        let (eta, labels) = ([-0.1, -2.0, 1.0], [1.0, 0.0, 1.0]);
        let found = Evaluation::of(&Cloglog, &eta, &labels, None).unwrap();
        let Evaluation::Classification(found) = found else { panic!("two classes") };
        let mean_loss = eta.iter().zip(labels).map(|(eta, y)| Cloglog.value(*eta, y)).sum::<f64>() / 3.0;
        assert_eq!(found.accuracy, 1.0);
        assert!((found.log_loss.unwrap() - mean_loss).abs() < 1e-12);
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
