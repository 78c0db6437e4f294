//! Criteria of numbers of shared features, which choose on all rows without holding any out.

use super::loss::OutputLoss;
use super::separation::Separation;
use super::validation::OutputsValidation;
use crate::constraint::WholeSpace;
use crate::data::Data;
use crate::error::Result;
use crate::path::{Criterion, log_choices};

/// A point of the grid on all rows: the features that any output uses, and F there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutputsPoint {
    /// The features, ascending.
    pub support: Vec<usize>,
    /// F.
    pub objective: f64,
    /// Whether classes are told apart without error.
    pub separation: Separation,
    /// What criteria need; none for losses that are no likelihood.
    pub(super) likelihood: Option<Likelihood>,
}

impl OutputsPoint {
    /// A criterion of the point, the smaller the better; none for losses that are no likelihood.
    ///
    /// With $k$ features and $K$ responses, or $K$ classes of which one is determined by the others, there are $k K$ coefficients, or $k(K - 1)$, that AIC and BIC charge for, intercepts aside; EBIC charges for the $\binom pk$ choices, too. $-2\log L$ is that of
    /// the classes, or of responses with normal errors, independent and each with a variance of its own: $n\sum_k\log(\mathrm{RSS}_k/n)$ up to a constant. Weights count relative to their mean.
    pub fn criterion(&self, criterion: Criterion) -> Option<f64> {
        let Likelihood { deviance, parameters, rows, log_choices } = self.likelihood?;
        let charge = match criterion {
            Criterion::Akaike => 2.0 * parameters,
            Criterion::Bayes => parameters * rows.ln(),
            Criterion::ExtendedBayes { gamma } => parameters * rows.ln() + 2.0 * gamma * log_choices,
        };
        Some(deviance + charge)
    }
}

/// $-2\log L$ and what is charged for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Likelihood {
    pub(super) deviance: f64,
    pub(super) parameters: f64,
    pub(super) rows: f64,
    pub(super) log_choices: f64,
}

impl OutputsValidation<'_> {
    /// $-2\log L$ of a parameter in the units of the data, and what criteria charge for; none for losses that are no likelihood.
    pub(super) fn likelihood(&self, data: &Data, theta: &[f64], features: usize) -> Result<Option<Likelihood>> {
        let size = self.responses.outputs;
        let objective = self.problem(data, self.responses, &WholeSpace);
        let objective = objective.objective();
        let rows = (0..data.rows()).filter(|&row| data.weight(row) > 0.0).count() as f64;
        let (deviance, each) = match self.loss {
            OutputLoss::Softmax => (2.0 * rows * objective.value(theta)?, size - 1),
            OutputLoss::Squared => {
                let mut squares = vec![0.0; size];
                let predictors = objective.predictors(theta)?;
                let both = predictors.chunks_exact(size).zip(self.responses.values.chunks_exact(size));
                for (row, (eta, y)) in both.enumerate() {
                    let weight = data.weight(row);
                    squares
                        .iter_mut()
                        .zip(eta.iter().zip(y))
                        .for_each(|(sum, (eta, y))| *sum += weight * (y - eta).powi(2));
                }
                let of_output = |sum: &f64| rows * (sum / data.weight_sum()).max(f64::MIN_POSITIVE).ln();
                (squares.iter().map(of_output).sum(), size)
            }
            OutputLoss::Huber(_) => return Ok(None),
        };
        let log_choices = log_choices(data.columns(), features);
        Ok(Some(Likelihood { deviance, parameters: (features * each) as f64, rows: rows.max(1.0), log_choices }))
    }
}
