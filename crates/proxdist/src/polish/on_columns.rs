//! F as a function of a few coefficients only, the others being zero: the restriction to a support.
//!
//! The columns are copied out once if that is small, and read again from the data otherwise.

use super::Smooth;
use crate::data::{Data, Rows, added, over_rows};
use crate::error::Result;
use crate::linalg::{add_cross, axpy, dot, mirror, norm_squared};
use crate::objective::Objective;
use rayon::prelude::*;
use std::ops::Range;

/// Numbers that may be copied: 32 MB.
const MOST_COPIED: usize = 1 << 22;
/// Rows that are worked on at a time.
const CHUNK: usize = 2048;

/// The objective restricted to some columns.
pub(crate) struct OnColumns<'p> {
    objective: Objective<'p>,
    columns: &'p [usize],
    intercept: bool,
    copied: Option<Vec<f64>>,
    curvatures: Vec<f64>,
}

/// The chosen columns of some rows, row-major.
pub(crate) fn pick(rows: Rows, columns: &[usize], out: &mut Vec<f64>) {
    out.clear();
    for i in 0..rows.len() {
        match rows {
            Rows::Dense { values, columns: width, .. } => {
                let row = &values[i * width..(i + 1) * width];
                out.extend(columns.iter().map(|&j| row[j]));
            }
            Rows::Sparse { starts, indices, values, .. } => {
                let range = starts[i]..starts[i + 1];
                let (indices, values) = (&indices[range.clone()], &values[range]);
                out.extend(columns.iter().map(|&j| indices.binary_search(&(j as u32)).map_or(0.0, |at| values[at])));
            }
        }
    }
}

fn copied(data: &Data, columns: &[usize]) -> Result<Vec<f64>> {
    let parts = over_rows(
        data,
        0,
        || (Vec::new(), Vec::new()),
        |(all, block): &mut (Vec<f64>, Vec<f64>), rows, _| {
            pick(rows, columns, block);
            all.extend_from_slice(block);
            Ok(())
        },
    )?;
    Ok(parts.into_iter().flat_map(|(all, _)| all).collect())
}

impl<'p> OnColumns<'p> {
    pub(crate) fn new(objective: Objective<'p>, columns: &'p [usize], intercept: bool) -> Result<Self> {
        let is_small = objective.data.rows().saturating_mul(columns.len()) <= MOST_COPIED;
        let copied = if is_small { Some(copied(objective.data, columns)?) } else { None };
        Ok(Self { objective, columns, intercept, copied, curvatures: Vec::new() })
    }

    /// Calls `each` on blocks of rows of the chosen columns; sums the accumulators in order.
    fn sum(&self, size: usize, each: impl Fn(&mut [f64], &[f64], Range<usize>) + Sync) -> Result<Vec<f64>> {
        let width = self.columns.len();
        let rows = self.objective.data.rows();
        let Some(matrix) = &self.copied else {
            let parts = over_rows(
                self.objective.data,
                size,
                || (vec![0.0; size], Vec::new()),
                |(part, block): &mut (Vec<f64>, Vec<f64>), rows, range| {
                    pick(rows, self.columns, block);
                    each(part, block, range);
                    Ok(())
                },
            )?;
            return Ok(added(parts.into_iter().map(|(part, _)| part).collect()));
        };
        let parts: Vec<Vec<f64>> = (0..rows.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * CHUNK..rows.min((chunk + 1) * CHUNK);
                let mut part = vec![0.0; size];
                each(&mut part, &matrix[range.start * width..range.end * width], range);
                part
            })
            .collect();
        Ok(added(parts))
    }

    fn split<'t>(&self, point: &'t [f64]) -> (&'t [f64], f64) {
        let (coefficients, intercept) = point.split_at(self.columns.len());
        (coefficients, intercept.first().copied().unwrap_or(0.0))
    }

    fn predictor(&self, row: usize, x: &[f64], coefficients: &[f64], intercept: f64) -> f64 {
        dot(x, coefficients) + intercept + self.objective.data.offset_of(row)
    }

    fn ridge_term(&self, point: &[f64]) -> f64 {
        0.5 * self.objective.ridge * norm_squared(self.split(point).0)
    }
}

/// Rows of a block with their numbers; blocks of no columns still have rows.
fn numbered(block: &[f64], width: usize, range: Range<usize>) -> impl Iterator<Item = (usize, &[f64])> {
    let first = range.start;
    range.map(move |row| (row, &block[(row - first) * width..(row - first + 1) * width]))
}

impl Smooth for OnColumns<'_> {
    fn features(&self) -> usize {
        self.columns.len()
    }

    fn has_intercept(&self) -> bool {
        self.intercept
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let (coefficients, intercept) = self.split(point);
        let Objective { data, loss, .. } = self.objective;
        let total = self.sum(1, |part, block, range| {
            for (row, x) in numbered(block, self.columns.len(), range) {
                let weight = data.weight(row);
                if weight > 0.0 {
                    let eta = self.predictor(row, x, coefficients, intercept);
                    part[0] += weight * loss.value(eta, data.response()[row]);
                }
            }
        })?;
        Ok(total[0] / data.weight_sum() + self.ridge_term(point))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (coefficients, intercept) = self.split(point);
        let (width, size) = (self.columns.len(), point.len());
        let Objective { data, loss, ridge } = self.objective;
        let total = self.sum(size + 1, |part, block, range| {
            for (row, x) in numbered(block, width, range) {
                let weight = data.weight(row);
                if weight > 0.0 {
                    let eta = self.predictor(row, x, coefficients, intercept);
                    let slope = weight * loss.slope(eta, data.response()[row]);
                    part[size] += weight * loss.value(eta, data.response()[row]);
                    axpy(slope, x, &mut part[..width]);
                    if size > width {
                        part[width] += slope;
                    }
                }
            }
        })?;
        let scale = 1.0 / data.weight_sum();
        gradient.iter_mut().zip(&total).for_each(|(g, t)| *g = t * scale);
        axpy(ridge, coefficients, &mut gradient[..width]);
        Ok(total[size] * scale + self.ridge_term(point))
    }

    fn linearise(&mut self, point: &[f64]) -> Result<()> {
        let mut theta = vec![0.0; self.objective.data.columns()];
        let (coefficients, intercept) = self.split(point);
        self.columns.iter().zip(coefficients).for_each(|(&j, &value)| theta[j] = value);
        theta.push(intercept);
        self.curvatures = super::on_data::row_derivatives(self.objective, &theta).1;
        Ok(())
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let (coefficients, shift) = self.split(v);
        let (width, size) = (self.columns.len(), v.len());
        let total = self.sum(size, |part, block, range| {
            for (row, x) in numbered(block, width, range) {
                let product = (dot(x, coefficients) + shift) * self.curvatures[row];
                axpy(product, x, &mut part[..width]);
                if size > width {
                    part[width] += product;
                }
            }
        })?;
        out.copy_from_slice(&total);
        axpy(self.objective.ridge, coefficients, &mut out[..width]);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let (width, size) = (self.columns.len(), self.dimension());
        let total = self.sum(size * size, |part, block, range| {
            let mut weighted = Vec::with_capacity(range.len() * size);
            for (row, x) in numbered(block, width, range.clone()) {
                let factor = self.curvatures[row].sqrt();
                weighted.extend(x.iter().map(|x| factor * x));
                weighted.extend((size > width).then_some(factor));
            }
            add_cross(&weighted, range.len(), size, part);
        })?;
        out.copy_from_slice(&total);
        for j in 0..width {
            out[j * size + j] += self.objective.ridge;
        }
        mirror(out, size);
        Ok(())
    }
}
