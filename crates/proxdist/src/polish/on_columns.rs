//! F as a function of a few coefficients only, the others being zero: the restriction to a support.
//!
//! The columns are copied out once if that is small, and read again from the data otherwise.

use super::Smooth;
use crate::data::{Data, RowBuffer, added, over_chunks};
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

/// The chosen columns of all rows, row-major.
fn copied(data: &Data, columns: &[usize]) -> Result<Vec<f64>> {
    let width = columns.len();
    let mut all = vec![0.0; data.rows() * width];
    all.par_chunks_mut((CHUNK * width).max(1)).enumerate().try_for_each_init(
        || (RowBuffer::default(), Vec::new()),
        |(buffer, block), (chunk, out)| {
            let first = chunk * CHUNK;
            picked(data, columns, first..first + out.len() / width, buffer, block)?;
            out.copy_from_slice(block);
            Ok(())
        },
    )?;
    Ok(all)
}

/// The chosen columns of consecutive rows, into `block`.
fn picked(
    data: &Data,
    columns: &[usize],
    range: Range<usize>,
    buffer: &mut RowBuffer,
    block: &mut Vec<f64>,
) -> Result<()> {
    block.clear();
    if let Some(all) = data.source().borrow() {
        all.slice(range).pick(columns, block);
        return Ok(());
    }
    let rows: Vec<usize> = range.collect();
    data.source().pick(&rows, columns, buffer, block)
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
        let parts = over_chunks(
            self.objective.data.rows(),
            CHUNK,
            size,
            || (vec![0.0; size], RowBuffer::default(), Vec::new()),
            |(part, buffer, block), range| {
                if let Some(matrix) = &self.copied {
                    each(part, &matrix[range.start * width..range.end * width], range);
                } else {
                    picked(self.objective.data, self.columns, range.clone(), buffer, block)?;
                    each(part, block, range);
                }
                Ok(())
            },
        )?;
        Ok(added(parts.into_iter().map(|(part, ..)| part).collect()))
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
        let (coefficients, intercept) = self.split(point);
        let (width, data) = (self.columns.len(), self.objective.data);
        let scale = 1.0 / data.weight_sum();
        let mut curvatures = std::mem::take(&mut self.curvatures);
        curvatures.resize(data.rows(), 0.0);
        curvatures.par_chunks_mut(CHUNK).enumerate().try_for_each_init(
            || (RowBuffer::default(), Vec::new()),
            |(buffer, block), (chunk, out)| {
                let range = chunk * CHUNK..chunk * CHUNK + out.len();
                let rows = if let Some(matrix) = &self.copied {
                    &matrix[range.start * width..range.end * width]
                } else {
                    picked(data, self.columns, range.clone(), buffer, block)?;
                    block
                };
                for ((row, x), out) in numbered(rows, width, range).zip(out) {
                    let eta = self.predictor(row, x, coefficients, intercept);
                    *out = scale * data.weight(row) * self.objective.loss.curvature(eta, data.response()[row]);
                }
                Ok(())
            },
        )?;
        self.curvatures = curvatures;
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
