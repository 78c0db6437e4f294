//! F as a function of a few coefficients only, the others being zero: the restriction to a support.
//!
//! The columns are copied out once if that is small, and read again from the data otherwise.

use super::Smooth;
use super::on_data::RowDerivatives;
use crate::data::{Data, added, over_chunks};
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
fn copied(data: &Data, columns: &[usize]) -> Vec<f64> {
    let width = columns.len();
    let mut all = vec![0.0; data.rows() * width];
    all.par_chunks_mut((CHUNK * width).max(1)).enumerate().for_each_init(Vec::new, |block, (chunk, out)| {
        let first = chunk * CHUNK;
        pick(data, columns, first..first + out.len() / width, block);
        out.copy_from_slice(block);
    });
    all
}

/// The chosen columns of consecutive rows, into `block`.
fn pick(data: &Data, columns: &[usize], range: Range<usize>, block: &mut Vec<f64>) {
    block.clear();
    let source = data.source();
    match source.borrow() {
        Some(all) => all.slice(range).pick(columns, block),
        None => range.for_each(|row| block.extend(columns.iter().map(|&column| source.entry(row, column)))),
    }
}

/// Columns that were copied once, for functions on nearly the same columns.
pub(crate) struct Block {
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Block {
    /// A copy of these columns, in ascending order, if that is small.
    pub(crate) fn of(data: &Data, columns: &[usize]) -> Option<Self> {
        let is_small = data.rows().saturating_mul(columns.len()) <= MOST_COPIED;
        is_small.then(|| Self { columns: columns.to_vec(), values: copied(data, columns) })
    }

    /// A copy of other columns, taken from here as far as they are here.
    fn adapted(&self, data: &Data, columns: &[usize]) -> Vec<f64> {
        let missing: Vec<usize> =
            columns.iter().copied().filter(|column| self.columns.binary_search(column).is_err()).collect();
        let rest = copied(data, &missing);
        let places: Vec<(bool, usize)> = columns
            .iter()
            .map(|column| match self.columns.binary_search(column) {
                Ok(at) => (true, at),
                Err(_) => (false, missing.iter().position(|other| other == column).unwrap_or(0)),
            })
            .collect();
        let (here, there) = (self.columns.len(), missing.len());
        let mut all = Vec::with_capacity(data.rows() * columns.len());
        for row in 0..data.rows() {
            let (own, other) = (&self.values[row * here..(row + 1) * here], &rest[row * there..(row + 1) * there]);
            all.extend(places.iter().map(|&(is_here, at)| if is_here { own[at] } else { other[at] }));
        }
        all
    }
}

impl<'p> OnColumns<'p> {
    pub(crate) fn new(objective: Objective<'p>, columns: &'p [usize], intercept: bool) -> Self {
        Self::near(objective, columns, intercept, None)
    }

    /// The same, with columns from a block as far as it has them.
    pub(crate) fn near(objective: Objective<'p>, columns: &'p [usize], intercept: bool, block: Option<&Block>) -> Self {
        let is_small = objective.data.rows().saturating_mul(columns.len()) <= MOST_COPIED;
        let copied = is_small.then(|| match block {
            Some(block) => block.adapted(objective.data, columns),
            None => copied(objective.data, columns),
        });
        Self { objective, columns, intercept, copied, curvatures: Vec::new() }
    }

    /// The chosen columns of consecutive rows, copied already or into `block`.
    fn rows<'b>(&'b self, range: Range<usize>, block: &'b mut Vec<f64>) -> &'b [f64] {
        if let Some(matrix) = &self.copied {
            let width = self.columns.len();
            return &matrix[range.start * width..range.end * width];
        }
        pick(self.objective.data, self.columns, range, block);
        block
    }

    /// Calls `each` on blocks of rows of the chosen columns; sums the accumulators in order.
    fn sum(
        &self,
        size: usize,
        each: impl Fn(&mut [f64], &[f64], Range<usize>, &mut RowDerivatives) + Sync,
    ) -> Result<Vec<f64>> {
        let parts = over_chunks(
            self.objective.data.rows(),
            CHUNK,
            size,
            || (vec![0.0; size], Vec::new(), RowDerivatives::default()),
            |(part, block, derived), range| {
                each(part, self.rows(range.clone(), block), range, derived);
                Ok(())
            },
            |(part, ..)| part,
        )?;
        Ok(added(parts))
    }

    fn split<'t>(&self, point: &'t [f64]) -> (&'t [f64], f64) {
        let (coefficients, intercept) = point.split_at(self.columns.len());
        (coefficients, intercept.first().copied().unwrap_or(0.0))
    }

    /// Hands the linear predictors of a block to `derived`.
    fn predict(&self, point: &[f64], block: &[f64], range: Range<usize>, derived: &mut RowDerivatives) {
        let (coefficients, intercept) = self.split(point);
        let products = numbered(block, self.columns.len(), range.clone()).map(|(_, x)| dot(x, coefficients));
        derived.predict(self.objective, products, intercept, range);
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
        let total = self.sum(1, |part, block, range, derived| {
            self.predict(point, block, range.clone(), derived);
            part[0] += derived.value(self.objective, range);
        })?;
        Ok(total[0] + self.ridge_term(point))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (width, size) = (self.columns.len(), point.len());
        let total = self.sum(size + 1, |part, block, range, derived| {
            self.predict(point, block, range.clone(), derived);
            derived.differentiate(self.objective, range.clone());
            part[size] += derived.value(self.objective, range.clone());
            for ((_, x), slope) in numbered(block, width, range).zip(&derived.slopes) {
                axpy(*slope, x, &mut part[..width]);
            }
            if size > width {
                part[width] += derived.slopes.iter().sum::<f64>();
            }
        })?;
        gradient.copy_from_slice(&total[..size]);
        axpy(self.objective.ridge, &point[..width], &mut gradient[..width]);
        Ok(total[size] + self.ridge_term(point))
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let mut curvatures = std::mem::take(&mut self.curvatures);
        curvatures.resize(self.objective.data.rows(), 0.0);
        curvatures.par_chunks_mut(CHUNK).enumerate().for_each_init(
            || (Vec::new(), RowDerivatives::default()),
            |(block, derived), (chunk, out)| {
                let range = chunk * CHUNK..chunk * CHUNK + out.len();
                self.predict(point, self.rows(range.clone(), block), range.clone(), derived);
                derived.bend(self.objective, range, caution, out);
            },
        );
        self.curvatures = curvatures;
        Ok(())
    }

    fn has_straight_pieces(&self) -> bool {
        self.objective.loss.has_straight_pieces()
    }

    fn has_majorant(&self) -> bool {
        self.objective.has_majorant()
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let (width, size) = (self.columns.len(), self.dimension());
        let mut total = self.sum(size, |part, block, range, _| {
            for (row, x) in numbered(block, width, range) {
                let curvature = self.curvatures[row];
                part.iter_mut().zip(x).for_each(|(d, x)| *d += curvature * x * x);
                if size > width {
                    part[width] += curvature;
                }
            }
        })?;
        total[..width].iter_mut().for_each(|d| *d += self.objective.ridge);
        Ok(total)
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let (coefficients, shift) = self.split(v);
        let (width, size) = (self.columns.len(), v.len());
        let total = self.sum(size, |part, block, range, _| {
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
        let total = self.sum(size * size, |part, block, range, _| {
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
