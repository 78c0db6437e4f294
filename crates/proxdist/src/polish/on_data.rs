//! F on all data and all columns, as a [`Smooth`] function. Every product with the Hessian is one pass over the rows.

use super::Smooth;
use crate::data::{Rows, Support, added, over_rows};
use crate::error::Result;
use crate::linalg::{axpy, mirror};
use crate::objective::Objective;
use rayon::prelude::*;
use std::ops::Range;

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

/// Slope $w_i\ell'(\eta_i)/\sum w$ and curvature $w_i\ell''(\eta_i)/\sum w$ of some rows at a point. Its memory is reused.
#[derive(Default)]
pub(crate) struct RowDerivatives {
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
        let Objective { data, loss, .. } = objective;
        let scale = 1.0 / data.weight_sum();
        self.slopes.resize(range.len(), 0.0);
        self.curvatures.resize(range.len(), 0.0);
        rows.times(coefficients, support, &mut self.slopes);
        let mut value = 0.0;
        for ((slope, curvature), row) in self.slopes.iter_mut().zip(&mut self.curvatures).zip(range) {
            let (weight, response) = (scale * data.weight(row), data.response()[row]);
            let predictor = *slope + intercept + data.offset_of(row);
            value += if weight > 0.0 { weight * loss.value(predictor, response) } else { 0.0 };
            *slope = weight * loss.slope(predictor, response);
            *curvature = weight * loss.curvature(predictor, response);
        }
        value
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

    fn linearise(&mut self, point: &[f64]) -> Result<()> {
        let Objective { data, loss, .. } = self.objective;
        let (coefficients, intercept) = self.objective.split(point);
        let support = Support::of(coefficients);
        let scale = 1.0 / data.weight_sum();
        let curvature = |row: usize| {
            let predictor = data.source().dot(row, coefficients, &support) + intercept + data.offset_of(row);
            scale * data.weight(row) * loss.curvature(predictor, data.response()[row])
        };
        (0..data.rows()).into_par_iter().map(curvature).collect_into_vec(&mut self.curvatures);
        Ok(())
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
}
