//! Measures for numbers; the definitions are in [`super`].
//!
//! The $q$-quantile of the residuals $y_i - \mu_i$ is the smallest residual with at least $qW$ of the weight at or below it,
//! or half way to the next one if it is exactly $qW$: the median of 1, 2, 3, 4 is 2.5.

use super::check;
use crate::error::Result;
use crate::loss::{Kinked, Link, Loss};
use serde::Serialize;

/// A quantile of the residuals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantile {
    /// Share of the weight at or below.
    pub probability: f64,
    /// The residual there.
    pub residual: f64,
}

/// Everything measured about a numeric response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Regression {
    /// Rows evaluated.
    pub rows: usize,
    /// Share of the variance explained, if the response varies.
    pub r_squared: Option<f64>,
    /// Mean squared error.
    pub mean_squared_error: f64,
    /// Mean absolute error.
    pub mean_absolute_error: f64,
    /// Smallest residual, the 5, 25, 50, 75 and 95 per cent quantiles, and the largest.
    pub residual_quantiles: Vec<Quantile>,
    /// Mean deviance, for counts and amounts.
    pub deviance: Option<f64>,
    /// Share of the deviance explained, or of the pinball loss, if there is any.
    pub d_squared: Option<f64>,
    /// Mean pinball loss, for losses about a quantile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinball_loss: Option<f64>,
}

impl Regression {
    /// Measures predicted means against the response.
    pub fn of(means: &[f64], response: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check("prediction", means, response, weights)?;
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let mean_of = |value: &dyn Fn(usize) -> f64| {
            let mut total = (0.0, 0.0);
            for row in (0..response.len()).filter(|&row| weight(row) > 0.0) {
                total = (total.0 + weight(row) * value(row), total.1 + weight(row));
            }
            total.0 / total.1
        };
        let residual = |row: usize| response[row] - means[row];
        let mean_squared_error = mean_of(&|row| residual(row).powi(2));
        let center = mean_of(&|row| response[row]);
        let variance = mean_of(&|row| (response[row] - center).powi(2));
        let counted = (0..response.len()).filter(|&row| weight(row) > 0.0);
        // Compared as numbers: the variance of a constant may be rounding instead of zero.
        let (low, high) = counted
            .clone()
            .map(|row| response[row])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |range, y| (range.0.min(y), range.1.max(y)));
        Ok(Self {
            rows: response.len(),
            r_squared: (low < high && variance > 0.0).then(|| 1.0 - mean_squared_error / variance),
            mean_squared_error,
            mean_absolute_error: mean_of(&|row| residual(row).abs()),
            residual_quantiles: quantiles(counted.map(|row| (residual(row), weight(row))).collect()),
            deviance: None,
            d_squared: None,
            pinball_loss: None,
        })
    }

    /// Measures predictions of a quantile, with their mean pinball loss and the share of it that they explain: of that of the best constant, which is the quantile of
    /// the responses themselves.
    pub fn of_quantile(
        kinked: &dyn Kinked,
        predictors: &[f64],
        response: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        check("linear predictor", predictors, response, weights)?;
        let mut result = Self::of(predictors, response, weights)?;
        let level = kinked.level();
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let counted: Vec<usize> = (0..response.len()).filter(|&row| weight(row) > 0.0).collect();
        let all: f64 = counted.iter().map(|&row| weight(row)).sum();
        let pinball = |predictor: &dyn Fn(usize) -> f64| {
            let of_row = |&row: &usize| {
                let residual = response[row] - predictor(row);
                weight(row) * if residual >= 0.0 { level * residual } else { (level - 1.0) * residual }
            };
            counted.iter().map(of_row).sum::<f64>() / all
        };
        let loss = pinball(&|row| predictors[row]);
        result.pinball_loss = Some(loss);
        let mut order = counted.clone();
        order.sort_by(|&i, &j| response[i].total_cmp(&response[j]));
        let mut below = 0.0;
        let best = order.iter().find(|&&row| {
            below += weight(row);
            below >= level * all
        });
        let without = best.or(order.last()).map(|&row| pinball(&|_| response[row]));
        result.d_squared = without.filter(|without| *without > 0.0).map(|without| 1.0 - loss / without);
        Ok(result)
    }

    /// Measures linear predictors of a loss for counts or amounts, with its mean deviance and what is explained of it besides if it has one.
    pub fn of_counts(loss: &dyn Loss, predictors: &[f64], response: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check("linear predictor", predictors, response, weights)?;
        let means: Vec<f64> = predictors.iter().map(|&eta| loss.mean(eta)).collect();
        let mut result = Self::of(&means, response, weights)?;
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let all: f64 = (0..response.len()).map(weight).sum();
        let deviance = |predictor: &dyn Fn(usize) -> f64| {
            let mut total = 0.0;
            for row in (0..response.len()).filter(|&row| weight(row) > 0.0) {
                total += weight(row) * loss.deviance(predictor(row), response[row])?;
            }
            Some(total / all)
        };
        result.deviance = deviance(&|row| predictors[row]);
        if loss.link() == Link::Log {
            let sum: f64 = (0..response.len()).map(|row| weight(row) * response[row]).sum();
            let center = (sum / all).ln();
            let without = deviance(&|_| center).filter(|_| result.r_squared.is_some());
            result.d_squared =
                result.deviance.zip(without).filter(|(_, all)| *all > 0.0).map(|(left, all)| 1.0 - left / all);
        }
        Ok(result)
    }
}

fn quantiles(mut residuals: Vec<(f64, f64)>) -> Vec<Quantile> {
    const PROBABILITIES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];
    residuals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = residuals.iter().map(|(_, weight)| weight).sum();
    let at = |probability: f64| {
        let mut below = 0.0;
        for (i, (residual, weight)) in residuals.iter().enumerate() {
            below += weight;
            if probability > 0.0 && below == probability * total && i + 1 < residuals.len() {
                return 0.5 * (residual + residuals[i + 1].0);
            }
            if below >= probability * total {
                return *residual;
            }
        }
        residuals.last().map_or(0.0, |last| last.0)
    };
    PROBABILITIES.map(|probability| Quantile { probability, residual: at(probability) }).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Absolute, Gamma, NegativeBinomial, Poisson, Quantile as QuantileLoss, Tweedie};

    #[test]
    fn measures_agree_with_hand_computation() {
        let result = Regression::of(&[1.0, 2.0, 2.0, 5.0], &[1.0, 3.0, 0.0, 4.0], None).unwrap();
        assert_eq!((result.mean_squared_error, result.mean_absolute_error), (1.5, 1.0));
        // The response has mean 2 and mean square deviation 2.5.
        assert_eq!(result.r_squared, Some(1.0 - 1.5 / 2.5));
        let residuals: Vec<f64> = result.residual_quantiles.iter().map(|q| q.residual).collect();
        // Of −2, −1, 0, 1.
        assert_eq!(residuals, [-2.0, -2.0, -1.5, -0.5, 0.5, 1.0, 1.0]);
        assert_eq!(result.deviance, None);
    }

    #[test]
    fn a_quantile_explains_a_share_of_the_pinball_loss() {
        let (response, loss) = ([1.0, 2.0, 3.0, 4.0, 10.0], QuantileLoss::at(0.8).unwrap());
        let of = |eta: &[f64; 5], weights| Regression::of_quantile(&loss, eta, &response, weights).unwrap();
        // The best constant is 4, or anything up to 10: 0.2·(3 + 2 + 1) + 0.8·6 = 6, divided by 5.
        assert_eq!(of(&[4.0; 5], None).d_squared, Some(0.0));
        assert!((of(&[4.0; 5], None).pinball_loss.unwrap() - 1.2).abs() < 1e-15);
        assert_eq!(of(&response, None).d_squared, Some(1.0));
        assert!(of(&[0.0; 5], None).d_squared.unwrap() < 0.0);
        // Without the last row the best constant is 4: 0.2·6/4.
        let weighted = of(&[4.0; 5], Some(&[1.0, 1.0, 1.0, 1.0, 0.0]));
        assert!((weighted.pinball_loss.unwrap() - 0.2 * 6.0 / 4.0).abs() < 1e-15);
        assert_eq!(weighted.d_squared, Some(0.0));
        let median = Regression::of_quantile(&Absolute, &[3.0; 5], &response, None).unwrap();
        assert_eq!(median.pinball_loss, Some(0.5 * median.mean_absolute_error));
        assert_eq!(Regression::of_quantile(&Absolute, &[3.0; 2], &[1.0; 2], None).unwrap().d_squared, None);
    }

    #[test]
    fn a_weight_is_a_number_of_repetitions() {
        let (means, response, weights) = ([1.0, 2.0, 9.0, 5.0], [1.5, 3.0, 0.0, 4.0], [1.0, 3.0, 0.0, 2.0]);
        let repeated = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(weights).flat_map(|(v, w)| std::iter::repeat_n(*v, w as usize)).collect()
        };
        let weighted = Regression::of_counts(&Poisson, &means, &response, Some(&weights)).unwrap();
        let plain = Regression::of_counts(&Poisson, &repeated(&means), &repeated(&response), None).unwrap();
        assert_eq!(weighted.residual_quantiles, plain.residual_quantiles);
        let pairs = [
            (weighted.mean_squared_error, plain.mean_squared_error),
            (weighted.mean_absolute_error, plain.mean_absolute_error),
            (weighted.r_squared.unwrap(), plain.r_squared.unwrap()),
            (weighted.deviance.unwrap(), plain.deviance.unwrap()),
        ];
        assert!(pairs.iter().all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{pairs:?}");
    }

    #[test]
    fn deviance_is_zero_for_perfect_counts_and_takes_zeros() {
        let perfect = Regression::of_counts(&Poisson, &[2.0_f64.ln(), 7.0_f64.ln()], &[2.0, 7.0], None).unwrap();
        assert!(perfect.deviance.unwrap() < 1e-14);
        let zero = Regression::of_counts(&Poisson, &[0.5], &[0.0], None).unwrap();
        assert!((zero.deviance.unwrap() - 2.0 * 0.5_f64.exp()).abs() < 1e-14);
        assert_eq!(zero.r_squared, None);
    }

    #[test]
    fn the_mean_explains_nothing_and_a_perfect_fit_everything() {
        let (response, weights) = ([2.0, 0.5, 4.0, 1.0], [1.0, 2.0, 1.0, 0.5]);
        let mean = (2.0 + 1.0 + 4.0 + 0.5_f64) / 4.5;
        let counts = NegativeBinomial::with_alpha(0.7).unwrap();
        let amounts = Tweedie::with_power(1.4).unwrap();
        let losses: [&dyn Loss; 4] = [&Poisson, &Gamma, &counts, &amounts];
        for loss in losses {
            let explained =
                |eta: &[f64]| Regression::of_counts(loss, eta, &response, Some(&weights)).unwrap().d_squared;
            assert!(explained(&[mean.ln(); 4]).unwrap().abs() < 1e-12, "{}", loss.spec());
            assert!((explained(&response.map(f64::ln)).unwrap() - 1.0).abs() < 1e-12, "{}", loss.spec());
            let halves = explained(&response.map(|y| 0.5 * (y.ln() + mean.ln()))).unwrap();
            assert!(halves > 0.5 && halves < 1.0, "{}: {halves}", loss.spec());
            assert_eq!(Regression::of_counts(loss, &[0.3; 2], &[1.5; 2], None).unwrap().d_squared, None);
        }
    }
}
