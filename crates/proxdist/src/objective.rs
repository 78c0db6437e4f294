//! The objective on data: $F(\theta, \beta_0) = \sum_i w_i\ell(\eta_i; y_i)/\sum_i w_i + \tfrac12\sum_j\lambda_j\theta_j^2$ and its gradient.
//!
//! Sums run over fixed groups of rows, each added up in order and the results in order of the groups, so the bits do not depend
//! on how many threads share the work.

use crate::data::{Chunk, Cut, Data, Pass, RowBuffer, Support, Wanted, products_at};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::loss::Loss;
use crate::ridge::Ridge;
use rayon::prelude::*;

/// Rows whose losses are summed at a time.
const GROUP: usize = 1024;

/// F of one data set, loss and ridge.
#[derive(Clone, Copy, Debug)]
pub struct Objective<'p> {
    pub(crate) data: &'p Data<'p>,
    pub(crate) loss: &'p dyn Loss,
    pub(crate) ridge: Ridge<'p>,
    pub(crate) has_intercept: bool,
}

/// What a loss is asked about a group of rows, in reused memory, and its answers: one sum for each group.
#[derive(Default)]
struct Losses {
    products: Vec<f64>,
    predictors: Vec<f64>,
    responses: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<f64>,
}

impl Losses {
    /// Takes in a row, unless it weighs nothing.
    fn push(&mut self, predictor: f64, response: f64, weight: f64) {
        if weight > 0.0 {
            self.predictors.push(predictor);
            self.responses.push(response);
            self.weights.push(weight);
        }
    }

    /// Takes in a chunk of rows; sums up whenever a group is complete.
    fn add(&mut self, loss: &dyn Loss, chunk: &Chunk<'_>, (coefficients, intercept): (&[f64], f64), support: &Support) {
        let mut products = std::mem::take(&mut self.products);
        products.clear();
        chunk.products(coefficients, support, &mut products);
        for (i, product) in products.iter().enumerate() {
            self.push(product + intercept + chunk.offset_of(i), chunk.response[i], chunk.weight(i));
        }
        self.products = products;
        if chunk.range().end.is_multiple_of(GROUP) {
            self.sum_up(loss);
        }
    }

    /// Ends a group. The loss is asked once for all its rows.
    fn sum_up(&mut self, loss: &dyn Loss) {
        self.sums.push(loss.weighted_value(&self.predictors, &self.responses, &self.weights));
        self.predictors.clear();
        self.responses.clear();
        self.weights.clear();
    }
}

impl<'p> Objective<'p> {
    /// The objective of a model without an intercept, with a ridge: by number the weight λ of all coefficients, zero for none.
    pub fn new(data: &'p Data<'p>, loss: &'p dyn Loss, ridge: impl Into<Ridge<'p>>) -> Self {
        Self { data, loss, ridge: ridge.into(), has_intercept: false }
    }

    /// The same for a model with an intercept, or without.
    #[must_use]
    pub fn intercept(self, has_intercept: bool) -> Self {
        Self { has_intercept, ..self }
    }

    /// How its parameter is arranged: coefficients, then the intercept if there is one.
    pub fn layout(&self) -> Layout {
        Layout::of(self.data.parameter_shape()).intercepts(self.has_intercept)
    }

    /// The same function of other rows.
    pub(crate) fn on<'d>(&self, data: &'d Data<'d>) -> Objective<'d>
    where
        'p: 'd,
    {
        Objective { data, loss: self.loss, ridge: self.ridge, has_intercept: self.has_intercept }
    }

    /// The coefficients, and the intercept or zero.
    pub(crate) fn split<'t>(&self, theta: &'t [f64]) -> (&'t [f64], f64) {
        let layout = self.layout();
        (layout.coefficients(theta), layout.intercept(theta).unwrap_or(0.0))
    }

    /// Whether the loss knows parabolas above it.
    pub(crate) fn has_majorant(&self) -> bool {
        let response = self.data.response().first().copied().unwrap_or(0.0);
        self.loss.majorant_curvature(0.0, response).is_some()
    }

    /// A number that F is never below, whatever the parameter.
    pub(crate) fn infimum(&self) -> Result<f64> {
        let mut least = 0.0;
        // No feature is needed.
        let wanted = Wanted { rows: 0..self.data.rows(), length: GROUP, columns: Some(&[]) };
        self.data.chunks(&wanted, &mut |chunk| {
            for (i, &response) in chunk.response.iter().enumerate() {
                least += chunk.weight(i) * self.loss.infimum(response);
            }
        })?;
        Ok(least / self.data.weight_sum())
    }

    /// F on all rows, at a parameter of [`Self::layout`].
    pub fn value(&self, theta: &[f64]) -> Result<f64> {
        self.layout().check(theta)?;
        let at = self.split(theta);
        let support = Support::of(at.0);
        let columns = support.indices();
        let cut = Cut::in_groups(self.data.rows(), GROUP, columns.map_or(at.0.len(), <[usize]>::len));
        let strips = Pass::cut(self.data, cut).columns(columns).fold(Losses::default, |losses, chunk| {
            losses.add(self.loss, chunk, at, &support);
        })?;
        let mut sums = Vec::with_capacity(self.data.rows().div_ceil(GROUP));
        for mut losses in strips {
            // The last group may be short.
            if !losses.weights.is_empty() {
                losses.sum_up(self.loss);
            }
            sums.append(&mut losses.sums);
        }
        Ok(sums.iter().sum::<f64>() / self.data.weight_sum() + self.ridge_term(theta))
    }

    /// Why F is not finite at a parameter: the first row whose loss is not, if there is one.
    pub(crate) fn overflow(&self, theta: &[f64]) -> Error {
        self.first_overflow(theta).unwrap_or_else(|error| error)
    }

    fn first_overflow(&self, theta: &[f64]) -> Result<Error> {
        let (coefficients, intercept) = self.split(theta);
        let support = Support::of(coefficients);
        let found = Pass::over(self.data, 0).columns(support.indices()).fold(
            || (None, Vec::new()),
            |(found, products): &mut (Option<Error>, Vec<f64>), chunk| {
                products.clear();
                chunk.products(coefficients, &support, products);
                for (i, product) in products.iter().enumerate().filter(|(i, _)| chunk.weight(*i) > 0.0) {
                    let predictor = product + intercept + chunk.offset_of(i);
                    if found.is_none() && !self.loss.value(predictor, chunk.response[i]).is_finite() {
                        let (loss, row) = (self.loss.spec(), chunk.first + i);
                        *found = Some(Error::Overflow { loss, row, predictor });
                    }
                }
            },
        )?;
        match found.into_iter().find_map(|(found, _)| found) {
            Some(found) => Ok(found),
            None => Ok(Error::Overflows { objective: self.value(theta)? }),
        }
    }

    /// F on some of the rows only, with their own weights.
    pub fn value_on(&self, theta: &[f64], rows: &[usize]) -> Result<f64> {
        self.layout().check(theta)?;
        let (coefficients, intercept) = self.split(theta);
        let (data, source, support) = (self.data, self.data.random_access()?, Support::of(coefficients));
        let parts: Vec<Result<(f64, f64)>> = rows
            .par_chunks(GROUP)
            .map_init(
                || (Losses::default(), RowBuffer::default()),
                |(losses, buffer), rows| {
                    losses.products.clear();
                    products_at(source, rows, (coefficients, &support), buffer, &mut losses.products)?;
                    for (i, &row) in rows.iter().enumerate() {
                        let predictor = losses.products[i] + intercept + data.offset_of(row);
                        losses.push(predictor, data.response()[row], data.weight(row));
                    }
                    let weight = losses.weights.iter().sum();
                    losses.sum_up(self.loss);
                    Ok((losses.sums.pop().unwrap_or(0.0), weight))
                },
            )
            .collect();
        let (mut losses, mut weights) = (0.0, 0.0);
        for part in parts {
            let part = part?;
            losses += part.0;
            weights += part.1;
        }
        Ok(if weights > 0.0 { losses / weights + self.ridge_term(theta) } else { self.ridge_term(theta) })
    }

    pub(crate) fn ridge_term(&self, theta: &[f64]) -> f64 {
        if self.ridge.is_positive() { self.ridge.value(self.split(theta).0) } else { 0.0 }
    }

    /// $\|\theta\|_1$, without the intercept.
    pub(crate) fn l1_norm(&self, theta: &[f64]) -> f64 {
        self.split(theta).0.iter().map(|value| value.abs()).sum()
    }

    /// F and its gradient on all rows; `gradient` has the layout of `theta`.
    pub fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let layout = self.layout();
        layout.check(theta)?;
        layout.check(gradient)?;
        let (coefficients, intercept) = self.split(theta);
        let support = Support::of(coefficients);
        // The last entry sums the value.
        let size = layout.len() + 1;
        let total = Pass::over(self.data, size).sum(
            size,
            || [Vec::new(), Vec::new(), Vec::new()],
            |part, [predictors, weights, slopes]: &mut [Vec<f64>; 3], chunk| {
                predictors.resize(chunk.len(), 0.0);
                slopes.resize(chunk.len(), 0.0);
                chunk.rows.times(coefficients, &support, predictors);
                for (i, predictor) in predictors.iter_mut().enumerate() {
                    *predictor = *predictor + intercept + chunk.offset_of(i);
                }
                weights.clear();
                weights.extend((0..chunk.len()).map(|i| chunk.weight(i)));
                let (sums, value) = part.split_at_mut(layout.len());
                value[0] += self.loss.weighted_value(predictors, chunk.response, weights);
                self.loss.weighted_slopes(predictors, chunk.response, weights, slopes);
                chunk.rows.add_transpose_times(slopes, layout.coefficients_mut(sums));
                if let Some(free) = layout.intercept_mut(sums) {
                    *free += slopes.iter().sum::<f64>();
                }
            },
        )?;
        let scale = 1.0 / self.data.weight_sum();
        gradient.iter_mut().zip(&total).for_each(|(g, t)| *g = t * scale);
        if self.ridge.is_positive() {
            self.ridge.add_times(coefficients, layout.coefficients_mut(gradient));
        }
        Ok(total[layout.len()] * scale + self.ridge_term(theta))
    }
}
