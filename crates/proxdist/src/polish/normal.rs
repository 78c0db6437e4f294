//! F, its gradient and the normal equations in the factors, all from one pass over the rows: see [`super::rank`].

use super::factors::Factors;
use super::on_data::RowDerivatives;
use crate::data::{RowBuffer, Rows, Support, view};
use crate::error::Result;
use crate::linalg::{add_cross, all_finite, axpy, norm_squared, product, transpose_times};
use crate::objective::Objective;
use rayon::prelude::*;

/// Rows that are held spread out at a time.
const BLOCK: usize = 128;
/// Rows of a block that are read at a time: they stay in cache for the four uses made of them.
const PIECE: usize = 32;
/// Rows up to which all of them enter the mean curvature, and one in how many does beyond.
const FEW: usize = 1000;
const SPARED: usize = 16;
/// Parts that the rows are cut into when there is room for a matrix each. Fixed, so that sums do not depend on threads.
const SLABS: usize = 4;
/// Unknowns up to which there is room.
const ROOM: usize = 1200;

/// What is known at a point.
#[derive(Default)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    /// In the layout of the parameter.
    pub(super) gradient: Vec<f64>,
    /// In the unknowns.
    pub(super) reduced: Vec<f64>,
    /// The Gauss–Newton matrix, lower triangle, column-major.
    pub(super) normal: Option<Vec<f64>>,
    /// Its trace over its size, or an estimate.
    pub(super) mean_curvature: f64,
}

impl Derivatives {
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && all_finite(&self.gradient) && all_finite(&self.reduced)
    }
}

/// One pass over all rows; with the normal equations if asked.
pub(super) fn derivatives(
    objective: Objective,
    factors: &Factors,
    theta: &[f64],
    with_normal: bool,
) -> Result<Derivatives> {
    let rows = objective.data.rows();
    let has_intercept = theta.len() > factors.size();
    let size = factors.unknowns() + usize::from(has_intercept);
    let slabs = if size <= ROOM { SLABS } else { 1 };
    let height = rows.div_ceil(slabs).next_multiple_of(BLOCK);
    let parts: Vec<Result<Derivatives>> = (0..slabs)
        .into_par_iter()
        .map(|slab| {
            let mut sums = Sums::new(objective, factors, theta, size, with_normal);
            let (start, end) = ((slab * height).min(rows), ((slab + 1) * height).min(rows));
            let mut buffer = RowBuffer::default();
            for first in (start..end).step_by(BLOCK) {
                let range = first..end.min(first + BLOCK);
                let block = view(objective.data.source(), range.clone(), &mut buffer)?;
                sums.add(block, range.start);
            }
            Ok(sums.total)
        })
        .collect();
    let mut total = Derivatives::default();
    for (number, part) in parts.into_iter().enumerate() {
        let part = part?;
        if number == 0 {
            total = part;
            continue;
        }
        total.value += part.value;
        total.mean_curvature += part.mean_curvature;
        axpy(1.0, &part.gradient, &mut total.gradient);
        if let (Some(all), Some(one)) = (&mut total.normal, &part.normal) {
            axpy(1.0, one, all);
        }
    }
    finish(objective, factors, theta, &mut total);
    Ok(total)
}

/// Adds the ridge term.
fn finish(objective: Objective, factors: &Factors, theta: &[f64], total: &mut Derivatives) {
    let (ridge, matrix) = (objective.ridge, factors.size());
    total.value += 0.5 * ridge * norm_squared(&theta[..matrix]);
    total.mean_curvature = total.mean_curvature / matrix.max(1) as f64 + ridge;
    axpy(ridge, &theta[..matrix], &mut total.gradient[..matrix]);
    total.reduced = factors.reduced(&total.gradient);
    let size = total.reduced.len();
    if let Some(normal) = &mut total.normal
        && ridge > 0.0
    {
        factors.add_ridge(ridge, normal, size);
    }
}

/// The sums over some rows, and memory for a block of them.
struct Sums<'a> {
    objective: Objective<'a>,
    factors: &'a Factors,
    theta: &'a [f64],
    size: usize,
    total: Derivatives,
    dense: Vec<f64>,
    features: Vec<f64>,
    /// $V$, row by row, and $U^T$, row by row.
    right: Vec<f64>,
    left: Vec<f64>,
    beside: Vec<f64>,
    derived: RowDerivatives,
}

impl<'a> Sums<'a> {
    fn new(objective: Objective<'a>, factors: &'a Factors, theta: &'a [f64], size: usize, with_normal: bool) -> Self {
        let total = Derivatives {
            gradient: vec![0.0; theta.len()],
            normal: with_normal.then(|| vec![0.0; size * size]),
            ..Derivatives::default()
        };
        let right = (0..factors.columns).flat_map(|j| factors.right.iter().map(move |v| v[j])).collect();
        let left = factors.left.concat();
        let (dense, features, beside) = (Vec::new(), Vec::new(), Vec::new());
        let derived = RowDerivatives::default();
        Self { objective, factors, theta, size, total, dense, features, right, left, beside, derived }
    }

    /// Adds a block of rows that starts at row `first`.
    fn add(&mut self, block: Rows, first: usize) {
        let width = self.factors.size();
        let values = match block {
            Rows::Dense { values, .. } => values,
            Rows::Sparse { .. } => {
                self.dense.clear();
                self.dense.resize(block.len() * width, 0.0);
                for i in 0..block.len() {
                    block.row(i).for_each(|(j, x)| self.dense[i * width + j] = x);
                }
                &self.dense
            }
        };
        let size = self.size;
        self.features.clear();
        self.features.resize(if self.total.normal.is_some() { block.len() * size } else { 0 }, 0.0);
        for start in (0..block.len()).step_by(PIECE) {
            let end = block.len().min(start + PIECE);
            let piece = &values[start * width..end * width];
            measure(self.objective, self.theta, piece, first + start, &mut self.derived, &mut self.total);
            if self.total.normal.is_some() {
                let features = &mut self.features[start * size..end * size];
                spread(piece, self.factors, (&self.left, &self.right), &mut self.beside, features, size);
                for (row, curvature) in features.chunks_exact_mut(size).zip(&self.derived.curvatures) {
                    let factor = curvature.sqrt();
                    row.iter_mut().for_each(|x| *x *= factor);
                }
            }
        }
        if let Some(normal) = &mut self.total.normal {
            add_cross(&self.features, block.len(), size, normal);
        }
    }
}

/// Adds F, its gradient and the mean curvature of some dense rows, the first of which is row `first`; leaves the curvature of
/// each in `derived`.
fn measure(
    objective: Objective,
    theta: &[f64],
    values: &[f64],
    first: usize,
    derived: &mut RowDerivatives,
    total: &mut Derivatives,
) {
    let (width, rows) = (objective.data.columns(), objective.data.rows());
    let dense = Rows::Dense { values, rows: values.len() / width, columns: width };
    let range = first..first + dense.len();
    total.value += derived.measure(objective, theta, &Support::default(), dense, range.clone());
    // Only a scale: where there are many rows, some of them tell it.
    let step = if rows > FEW { SPARED } else { 1 };
    for row in range.filter(|row| row.is_multiple_of(step)) {
        total.mean_curvature += step as f64 * derived.curvatures[row - first] * dense.row_norm_squared(row - first);
    }
    transpose_times(values, &derived.slopes, &mut total.gradient[..width], true);
    if let Some(last) = total.gradient.get_mut(width) {
        *last += derived.slopes.iter().sum::<f64>();
    }
}

/// The features $U^TX_i$, $X_iV$ and 1 (for an intercept) of every row.
fn spread(
    values: &[f64],
    factors: &Factors,
    (left, right): (&[f64], &[f64]),
    beside: &mut Vec<f64>,
    features: &mut [f64],
    size: usize,
) {
    let Factors { rows, columns, rank, .. } = *factors;
    let count = features.len() / size.max(1);
    if rank == 0 {
        features.fill(1.0);
        return;
    }
    // All X_i V at once: the matrices of the block lie below each other.
    beside.clear();
    beside.resize(count * rows * rank, 0.0);
    product(values, right, beside, columns, rank);
    let (after_a, after_b) = (rank * columns, rank * (rows + columns));
    for (i, out) in features.chunks_exact_mut(size).enumerate() {
        let x = &values[i * rows * columns..(i + 1) * rows * columns];
        product(left, x, &mut out[..after_a], rows, columns);
        out[after_a..after_b].copy_from_slice(&beside[i * rows * rank..(i + 1) * rows * rank]);
        out[after_b..].fill(1.0);
    }
}
