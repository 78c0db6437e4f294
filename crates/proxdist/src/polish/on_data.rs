//! F on all data and all columns, as a [`Smooth`] function. Every product with the Hessian is one pass over the rows.

use super::Smooth;
use crate::data::{Rows, Support, added, over_rows};
use crate::error::Result;
use crate::linalg::{axpy, mirror};
use crate::objective::Objective;
use rayon::prelude::*;
use std::ops::Range;

/// Rows whose curvatures are asked for at a time.
const CHUNK: usize = 1024;

/// The objective, and the curvature of each row at the linearised point.
pub(crate) struct OnData<'p> {
    objective: Objective<'p>,
    intercept: bool,
    curvatures: Vec<f64>,
}

impl<'p> OnData<'p> {
    pub(crate) fn new(objective: Objective<'p>, intercept: bool) -> Self {
        Self { objective, intercept, curvatures: Vec::new() }
    }

    /// With second derivatives as if row $i$ had the curvature given, weight and $1/\sum w$ included.
    pub(crate) fn with_curvatures(objective: Objective<'p>, intercept: bool, curvatures: Vec<f64>) -> Self {
        Self { objective, intercept, curvatures }
    }
}

/// Slope $w_i\ell'(\eta_i)/\sum w$ and curvature $w_i\ell''(\eta_i)/\sum w$ of some rows at a point. Its memory is reused, and the loss is
/// asked once for all rows.
#[derive(Default)]
pub(crate) struct RowDerivatives {
    predictors: Vec<f64>,
    weights: Vec<f64>,
    pub(crate) slopes: Vec<f64>,
    pub(crate) curvatures: Vec<f64>,
}

impl RowDerivatives {
    /// Measures `rows`, whose numbers are `range`; returns their part of F without the ridge term.
    pub(crate) fn measure(
        &mut self,
        objective: Objective,
        theta: &[f64],
        support: &Support,
        rows: Rows,
        range: Range<usize>,
    ) -> f64 {
        let (coefficients, intercept) = objective.split(theta);
        self.slopes.resize(range.len(), 0.0);
        rows.times(coefficients, support, &mut self.slopes);
        let products = std::mem::take(&mut self.slopes);
        self.predict(objective, products.iter().copied(), intercept, range.clone());
        self.slopes = products;
        self.curvatures.resize(range.len(), 0.0);
        let mut curvatures = std::mem::take(&mut self.curvatures);
        self.bend(objective, range.clone(), 0.0, &mut curvatures);
        self.curvatures = curvatures;
        self.differentiate(objective, range.clone());
        self.value(objective, range)
    }

    /// Takes in $x_i^T\theta$ of the rows `range`.
    pub(super) fn predict(
        &mut self,
        objective: Objective,
        products: impl Iterator<Item = f64>,
        intercept: f64,
        range: Range<usize>,
    ) {
        let data = objective.data;
        let scale = 1.0 / data.weight_sum();
        self.predictors.clear();
        self.predictors
            .extend(products.zip(range.clone()).map(|(product, row)| product + intercept + data.offset_of(row)));
        self.weights.clear();
        self.weights.extend(range.map(|row| scale * data.weight(row)));
    }

    /// The part of F of the rows that were taken in.
    pub(super) fn value(&self, objective: Objective, range: Range<usize>) -> f64 {
        objective.loss.weighted_value(&self.predictors, &objective.data.response()[range], &self.weights)
    }

    /// Their slopes.
    pub(super) fn differentiate(&mut self, objective: Objective, range: Range<usize>) {
        self.slopes.resize(range.len(), 0.0);
        let responses = &objective.data.response()[range];
        objective.loss.weighted_slopes(&self.predictors, responses, &self.weights, &mut self.slopes);
    }

    /// Their curvatures, moved the share `caution` of the way towards those of parabolas above the loss, into `out`.
    pub(super) fn bend(&self, objective: Objective, range: Range<usize>, caution: f64, out: &mut [f64]) {
        let responses = &objective.data.response()[range];
        objective.loss.weighted_curvatures(&self.predictors, responses, &self.weights, out);
        if caution == 0.0 {
            return;
        }
        for (i, out) in out.iter_mut().enumerate() {
            if let Some(above) = objective.loss.majorant_curvature(self.predictors[i], responses[i]) {
                *out += caution * (self.weights[i] * above - *out);
            }
        }
    }
}

impl Smooth for OnData<'_> {
    fn features(&self) -> usize {
        self.objective.data.columns()
    }

    fn has_intercept(&self) -> bool {
        self.intercept
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        Ok(self.objective.value(point))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.objective.gradient(point, gradient)
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let objective = self.objective;
        let (coefficients, intercept) = objective.split(point);
        let support = Support::of(coefficients);
        let source = objective.data.source();
        self.curvatures.resize(objective.data.rows(), 0.0);
        self.curvatures.par_chunks_mut(CHUNK).enumerate().for_each_init(
            RowDerivatives::default,
            |rows, (chunk, out)| {
                let range = chunk * CHUNK..chunk * CHUNK + out.len();
                let products = range.clone().map(|row| source.dot(row, coefficients, &support));
                rows.predict(objective, products, intercept, range.clone());
                rows.bend(objective, range, caution, out);
            },
        );
        Ok(())
    }

    fn has_straight_pieces(&self) -> bool {
        self.objective.loss.has_straight_pieces()
    }

    fn has_majorant(&self) -> bool {
        self.objective.has_majorant()
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let columns = self.features();
        let (coefficients, shift) = self.objective.split(v);
        let support = Support::of(coefficients);
        let parts = over_rows(
            self.objective.data,
            v.len(),
            || (vec![0.0; v.len()], Vec::new()),
            |(part, products): &mut (Vec<f64>, Vec<f64>), rows, range| {
                products.resize(range.len(), 0.0);
                rows.times(coefficients, &support, products);
                for (product, row) in products.iter_mut().zip(range) {
                    *product = (*product + shift) * self.curvatures[row];
                }
                rows.add_transpose_times(products, &mut part[..columns]);
                if v.len() > columns {
                    part[columns] += products.iter().sum::<f64>();
                }
                Ok(())
            },
        )?;
        out.copy_from_slice(&added(parts.into_iter().map(|(part, _)| part).collect()));
        axpy(self.objective.ridge, coefficients, &mut out[..columns]);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let (columns, size) = (self.features(), self.dimension());
        let parts = over_rows(
            self.objective.data,
            columns * columns + size,
            || (vec![0.0; columns * columns], vec![0.0; size], Vec::new()),
            |(cross, border, work): &mut (Vec<f64>, Vec<f64>, Vec<f64>), rows, range| {
                let curvatures = &self.curvatures[range];
                rows.add_weighted_cross(curvatures, cross, work);
                if size > columns {
                    rows.add_transpose_times(curvatures, &mut border[..columns]);
                    border[columns] += curvatures.iter().sum::<f64>();
                }
                Ok(())
            },
        )?;
        out.fill(0.0);
        for (cross, border, _) in &parts {
            for j in 0..columns {
                axpy(1.0, &cross[j * columns + j..(j + 1) * columns], &mut out[j * size + j..j * size + columns]);
            }
            for j in 0..size * usize::from(size > columns) {
                out[j * size + columns] += border[j];
            }
        }
        for j in 0..columns {
            out[j * size + j] += self.objective.ridge;
        }
        mirror(out, size);
        Ok(())
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let (columns, size) = (self.features(), self.dimension());
        let parts = over_rows(
            self.objective.data,
            size,
            || vec![0.0; size],
            |part: &mut Vec<f64>, rows, range| {
                let curvatures = &self.curvatures[range];
                rows.add_weighted_squares(curvatures, &mut part[..columns]);
                if size > columns {
                    part[columns] += curvatures.iter().sum::<f64>();
                }
                Ok(())
            },
        )?;
        let mut diagonal = added(parts);
        diagonal[..columns].iter_mut().for_each(|d| *d += self.objective.ridge);
        Ok(diagonal)
    }
}
