//! Losses of rows with $K$ outputs.
//!
//! - softmax: $\ell(\eta; y) = \log\sum_ke^{\eta_k} - \eta_y$ for a class $y \in \{0, \dots, K - 1\}$, with gradient $p - e_y$ and Hessian $\mathrm{diag}(p) - pp^T$,
//!   $p_k = e^{\eta_k}/\sum_me^{\eta_m}$. It is flat along $(1, \dots, 1)$. The Hessian is nowhere above $\tfrac12(I - \tfrac1K11^T)$ (Böhning 1992).
//! - squared and Huber: the loss of one response, added up over the $K$ responses of a row.
//!
//! With the *gauge* the term $\tfrac1{2K^2}(\sum_k\eta_k)^2$ is added to softmax: where predictors may be shifted without leaving the set, it changes neither the minimum nor the probabilities, only
//! picks the minimiser whose predictors sum to zero, and makes the Hessian positive definite.

use crate::error::{Error, Result};
use crate::loss::{Huber, Loss, RowLoss, Squared};
use std::fmt;

/// The loss of a model with several outputs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OutputLoss {
    /// One class of several for each row, by their probabilities.
    Softmax,
    /// Several responses for each row, by their squares.
    Squared,
    /// Several responses for each row, by squares with linear tails.
    Huber(Huber),
}

/// Losses are the same if their text is.
impl PartialEq for OutputLoss {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for OutputLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Softmax => f.write_str("softmax"),
            Self::Squared => f.write_str(&Loss::spec(&Squared)),
            Self::Huber(huber) => f.write_str(&Loss::spec(huber)),
        }
    }
}

impl OutputLoss {
    /// Reads `softmax` (or `multinomial`), `squared`, `huber` or `huber:1.5`.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if matches!(text, "softmax" | "multinomial") {
            return Ok(Self::Softmax);
        }
        let name = text.split(':').next().unwrap_or_default().trim();
        match name {
            "squared" => crate::loss::parse(text).map(|_| Self::Squared),
            "huber" => {
                // The catalogue knows the grammar and the rule; its text has the number.
                let spec = crate::loss::parse(text)?.spec();
                let delta = spec.split_once(':').and_then(|(_, delta)| delta.parse().ok());
                Ok(Self::Huber(Huber::with_delta(delta.unwrap_or(Huber::USUAL_DELTA))?))
            }
            _ => Err(Error::OutputLoss { loss: text.to_owned() }),
        }
    }

    /// Whether rows are of one class each.
    pub fn is_classification(self) -> bool {
        matches!(self, Self::Softmax)
    }

    /// Numbers that a row's response consists of, for so many outputs.
    pub fn responses(self, outputs: usize) -> usize {
        if self.is_classification() { 1 } else { outputs }
    }

    pub(crate) fn is_quadratic(self) -> bool {
        matches!(self, Self::Squared)
    }

    fn has_straight_pieces(self) -> bool {
        matches!(self, Self::Huber(_))
    }
}

/// The probabilities of the classes into `out`, which may hold the predictors.
pub(crate) fn probabilities(out: &mut [f64]) {
    let top = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    out.iter_mut().for_each(|eta| *eta = (*eta - top).exp());
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|p| *p /= sum);
}

/// A loss for so many outputs, with the gauge or without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsLoss {
    pub(crate) loss: OutputLoss,
    pub(crate) outputs: usize,
    pub(crate) has_gauge: bool,
}

impl RowsLoss {
    fn gauge(&self) -> f64 {
        let is_gauged = self.has_gauge && self.loss.is_classification();
        if is_gauged { 1.0 / (self.outputs * self.outputs) as f64 } else { 0.0 }
    }

    pub(crate) fn has_straight_pieces(&self) -> bool {
        self.loss.has_straight_pieces()
    }

    /// The second derivatives of a row, moved the share `caution` of the way towards those of a quadratic function above the loss, $K \times K$.
    pub(crate) fn block(&self, predictors: &[f64], response: &[f64], caution: f64, out: &mut [f64]) {
        let size = self.outputs;
        out.fill(0.0);
        match self.loss {
            OutputLoss::Softmax => {
                let gauge = self.gauge();
                let mut p = predictors.to_vec();
                probabilities(&mut p);
                for k in 0..size {
                    for m in 0..size {
                        let same = f64::from(u8::from(k == m));
                        let exact = p[k] * (same - p[m]);
                        let above = 0.5 * (same - 1.0 / size as f64);
                        out[k * size + m] = exact + caution * (above - exact) + gauge;
                    }
                }
            }
            OutputLoss::Squared => (0..size).for_each(|k| out[k * size + k] = 1.0),
            OutputLoss::Huber(huber) => {
                for (k, (&eta, &y)) in predictors.iter().zip(response).enumerate() {
                    let exact = huber.curvature(eta, y);
                    let above = huber.majorant_curvature(eta, y).unwrap_or(1.0);
                    out[k * size + k] = exact + caution * (above - exact);
                }
            }
        }
    }
}

impl RowLoss for RowsLoss {
    fn predictors(&self) -> usize {
        self.outputs
    }

    fn row_value(&self, predictors: &[f64], response: &[f64]) -> f64 {
        match self.loss {
            OutputLoss::Softmax => {
                let class = response[0] as usize;
                let (own, top) = (predictors[class], predictors.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                let sum: f64 = predictors.iter().sum();
                let gauge = 0.5 * self.gauge() * sum * sum;
                let others = |from: f64| {
                    let terms = predictors.iter().enumerate().filter(|(k, _)| *k != class);
                    terms.map(|(_, eta)| (eta - from).exp()).sum::<f64>()
                };
                // Where the class is the likeliest, what is left is small and keeps its digits.
                gauge
                    + if own >= top { others(own).ln_1p() } else { top - own + (others(top) + (own - top).exp()).ln() }
            }
            OutputLoss::Squared => sum_of(&Squared, predictors, response),
            OutputLoss::Huber(huber) => sum_of(&huber, predictors, response),
        }
    }

    fn row_gradient(&self, predictors: &[f64], response: &[f64], out: &mut [f64]) {
        match self.loss {
            OutputLoss::Softmax => {
                out.copy_from_slice(predictors);
                probabilities(out);
                out[response[0] as usize] -= 1.0;
                if self.has_gauge {
                    let shift = self.gauge() * predictors.iter().sum::<f64>();
                    out.iter_mut().for_each(|g| *g += shift);
                }
            }
            OutputLoss::Squared => out.iter_mut().zip(predictors).zip(response).for_each(|((g, eta), y)| *g = eta - y),
            OutputLoss::Huber(huber) => {
                out.iter_mut().zip(predictors).zip(response).for_each(|((g, &eta), &y)| *g = huber.slope(eta, y));
            }
        }
    }

    fn row_hessian(&self, predictors: &[f64], response: &[f64], out: &mut [f64]) {
        self.block(predictors, response, 0.0, out);
    }
}

fn sum_of(loss: &dyn Loss, predictors: &[f64], responses: &[f64]) -> f64 {
    predictors.iter().zip(responses).map(|(&eta, &y)| loss.value(eta, y)).sum()
}
