//! The objective on data: $F(\theta, \beta_0) = \sum_i w_i\ell(\eta_i; y_i)/\sum_i w_i + \tfrac\lambda2\|\theta\|^2$ and its gradient.
//!
//! Sums run over fixed chunks of rows, each added up in order and the results in order of the chunks, so the bits do not depend
//! on how many threads share the work.

use crate::data::{Data, Support, added, over_rows};
use crate::error::{Error, Result};
use crate::linalg::{axpy, norm_squared};
use crate::loss::Loss;
use rayon::prelude::*;

/// Rows whose losses are summed at a time.
const CHUNK: usize = 1024;

/// F of one data set, loss and ridge.
#[derive(Clone, Copy)]
pub struct Objective<'p> {
    pub(crate) data: &'p Data<'p>,
    pub(crate) loss: &'p dyn Loss,
    pub(crate) ridge: f64,
}

/// What a loss is asked about some rows, in reused memory.
#[derive(Default)]
struct Chunk {
    support: Support,
    predictors: Vec<f64>,
    responses: Vec<f64>,
    weights: Vec<f64>,
}

impl Chunk {
    fn new(support: Support) -> Self {
        Self { support, ..Self::default() }
    }

    fn clear(&mut self) {
        self.predictors.clear();
        self.responses.clear();
        self.weights.clear();
    }
}

impl<'p> Objective<'p> {
    /// The objective with ridge weight λ, zero for none.
    pub fn new(data: &'p Data<'p>, loss: &'p dyn Loss, ridge: f64) -> Self {
        Self { data, loss, ridge }
    }

    pub(crate) fn split<'t>(&self, theta: &'t [f64]) -> (&'t [f64], f64) {
        let (coefficients, intercept) = theta.split_at(self.data.columns());
        (coefficients, intercept.first().copied().unwrap_or(0.0))
    }

    /// Whether the loss knows parabolas above it.
    pub(crate) fn has_majorant(&self) -> bool {
        let response = self.data.response().first().copied().unwrap_or(0.0);
        self.loss.majorant_curvature(0.0, response).is_some()
    }

    /// A number that F is never below, whatever the parameter.
    pub(crate) fn infimum(&self) -> f64 {
        let rows = 0..self.data.rows();
        let least = rows.map(|row| self.data.weight(row) * self.loss.infimum(self.data.response()[row])).sum::<f64>();
        least / self.data.weight_sum()
    }

    /// F on all rows; `theta` holds the coefficients and, if there is one, the intercept.
    pub fn value(&self, theta: &[f64]) -> f64 {
        let rows = self.data.rows();
        let chunks: Vec<f64> = (0..rows.div_ceil(CHUNK))
            .into_par_iter()
            .map_init(
                || Chunk::new(Support::of(self.split(theta).0)),
                |chunk, number| self.sum(theta, chunk, number * CHUNK..rows.min((number + 1) * CHUNK)).0,
            )
            .collect();
        chunks.iter().sum::<f64>() / self.data.weight_sum() + self.ridge_term(theta)
    }

    /// Why F is not finite at a parameter: the first row whose loss is not, if there is one.
    pub(crate) fn overflow(&self, theta: &[f64]) -> Error {
        let (coefficients, intercept) = self.split(theta);
        let (data, support) = (self.data, Support::of(coefficients));
        let predictor = |row: usize| data.source().dot(row, coefficients, &support) + intercept + data.offset_of(row);
        let mut rows = (0..data.rows()).filter(|&row| data.weight(row) > 0.0);
        let found = rows.find(|&row| !self.loss.value(predictor(row), data.response()[row]).is_finite());
        match found {
            Some(row) => Error::Overflow { loss: self.loss.spec(), row, predictor: predictor(row) },
            None => Error::Overflows { objective: self.value(theta) },
        }
    }

    /// F on some of the rows only, with their own weights.
    pub fn value_on(&self, theta: &[f64], rows: &[usize]) -> f64 {
        let parts: Vec<(f64, f64)> = rows
            .par_chunks(CHUNK)
            .map_init(
                || Chunk::new(Support::of(self.split(theta).0)),
                |chunk, rows| self.sum(theta, chunk, rows.iter().copied()),
            )
            .collect();
        let (losses, weights) = parts.iter().fold((0.0, 0.0), |(l, w), part| (l + part.0, w + part.1));
        if weights > 0.0 { losses / weights + self.ridge_term(theta) } else { self.ridge_term(theta) }
    }

    pub(crate) fn ridge_term(&self, theta: &[f64]) -> f64 {
        if self.ridge > 0.0 { 0.5 * self.ridge * norm_squared(self.split(theta).0) } else { 0.0 }
    }

    /// $\|\theta\|_1$, without the intercept.
    pub(crate) fn l1_norm(&self, theta: &[f64]) -> f64 {
        self.split(theta).0.iter().map(|value| value.abs()).sum()
    }

    /// Weighted losses and weights of some rows. The loss is asked once for all of them.
    fn sum(&self, theta: &[f64], chunk: &mut Chunk, rows: impl Iterator<Item = usize>) -> (f64, f64) {
        let (coefficients, intercept) = self.split(theta);
        let (data, source) = (self.data, self.data.source());
        chunk.clear();
        for row in rows.filter(|&row| data.weight(row) > 0.0) {
            let predictor = source.dot(row, coefficients, &chunk.support) + intercept + data.offset_of(row);
            chunk.predictors.push(predictor);
            chunk.responses.push(data.response()[row]);
            chunk.weights.push(data.weight(row));
        }
        let losses = self.loss.weighted_value(&chunk.predictors, &chunk.responses, &chunk.weights);
        (losses, chunk.weights.iter().sum())
    }

    /// F and its gradient on all rows; `gradient` has the layout of `theta`.
    pub fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (coefficients, intercept) = self.split(theta);
        let columns = self.data.columns();
        let support = Support::of(coefficients);
        // The last entry sums the value.
        let size = theta.len() + 1;
        let parts = over_rows(
            self.data,
            size,
            || (vec![0.0; size], Chunk::default(), Vec::new()),
            |(part, chunk, slopes): &mut (Vec<f64>, Chunk, Vec<f64>), rows, range| {
                let Chunk { predictors, weights, .. } = chunk;
                predictors.resize(range.len(), 0.0);
                slopes.resize(range.len(), 0.0);
                rows.times(coefficients, &support, predictors);
                weights.clear();
                weights.extend(range.clone().map(|row| self.data.weight(row)));
                for (predictor, row) in predictors.iter_mut().zip(range.clone()) {
                    *predictor = *predictor + intercept + self.data.offset_of(row);
                }
                let responses = &self.data.response()[range];
                part[size - 1] += self.loss.weighted_value(predictors, responses, weights);
                self.loss.weighted_slopes(predictors, responses, weights, slopes);
                rows.add_transpose_times(slopes, &mut part[..columns]);
                if theta.len() > columns {
                    part[columns] += slopes.iter().sum::<f64>();
                }
                Ok(())
            },
        )?;
        let total = added(parts.into_iter().map(|(part, ..)| part).collect());
        let scale = 1.0 / self.data.weight_sum();
        gradient.iter_mut().zip(&total).for_each(|(g, t)| *g = t * scale);
        if self.ridge > 0.0 {
            axpy(self.ridge, coefficients, &mut gradient[..columns]);
        }
        Ok(total[size - 1] * scale + self.ridge_term(theta))
    }
}
