//! F, its gradient and the normal equations along the set, all from one pass over the rows: see [`super::rank`].

use super::factors::Factors;
use super::on_data::RowDerivatives;
use crate::data::{Chunk, Cut, Pass, Support};
use crate::error::Result;
use crate::linalg::{add_cross, all_finite, axpy, product};
use crate::objective::Objective;
use crate::ridge::Ridge;

/// Rows that are held spread out at a time.
const BLOCK: usize = 128;
/// Rows of a block that are read at a time: they stay in cache for the uses made of them.
const PIECE: usize = 32;
/// Parts that the rows are cut into when there is room for a matrix each. Fixed, so that sums do not depend on threads.
const SLABS: usize = 4;
/// Unknowns up to which there is room.
const ROOM: usize = 2000;
/// Share of a sum of squares that may be left when the mean is taken out; below it is rounding.
const CENTERED: f64 = 1e-12;

/// What is known at a point.
#[derive(Default)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    /// In the layout of the parameter.
    pub(super) gradient: Vec<f64>,
    /// The Gauss–Newton matrix in the coordinates of [`Factors`], lower triangle, column-major.
    pub(super) normal: Option<Vec<f64>>,
    /// The curvature of F along each entry of the matrix, where the intercept follows.
    pub(super) curvatures: Vec<f64>,
    /// The second derivatives with the intercept, $\sum c_iX_i$ and $\sum c_i$; empty and zero without one.
    pub(super) cross: Vec<f64>,
    pub(super) intercept_curvature: f64,
}

impl Derivatives {
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && all_finite(&self.gradient) && all_finite(&self.curvatures)
    }

    /// The mean curvature along an entry.
    pub(super) fn mean_curvature(&self) -> f64 {
        self.curvatures.iter().sum::<f64>() / self.curvatures.len().max(1) as f64
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
    let size = objective.layout().reduced_to(factors.unknowns()).len();
    let slabs = if size <= ROOM || !with_normal { SLABS } else { 1 };
    let parts = Pass::cut(objective.data, Cut::in_strips(rows, slabs, BLOCK))
        .fold(|| Sums::new(objective, factors, theta, size, with_normal), Sums::add)?;
    let mut total = Derivatives::default();
    for (number, Sums { total: part, .. }) in parts.into_iter().enumerate() {
        if number == 0 {
            total = part;
            continue;
        }
        total.value += part.value;
        total.intercept_curvature += part.intercept_curvature;
        axpy(1.0, &part.gradient, &mut total.gradient);
        axpy(1.0, &part.curvatures, &mut total.curvatures);
        axpy(1.0, &part.cross, &mut total.cross);
        if let (Some(all), Some(one)) = (&mut total.normal, &part.normal) {
            axpy(1.0, one, all);
        }
    }
    finish(objective, factors, theta, &mut total);
    Ok(total)
}

/// Takes the intercept out of the curvatures and adds the ridge term.
fn finish(objective: Objective, factors: &Factors, theta: &[f64], total: &mut Derivatives) {
    let (ridge, layout) = (objective.ridge, objective.layout());
    let matrix = layout.coefficients(theta);
    total.value += ridge.value(matrix);
    ridge.add_times(matrix, layout.coefficients_mut(&mut total.gradient));
    if total.intercept_curvature > 0.0 {
        for (h, k) in total.curvatures.iter_mut().zip(&total.cross) {
            *h = (*h - k * k / total.intercept_curvature).max(CENTERED * *h);
        }
    }
    total.curvatures.iter_mut().enumerate().for_each(|(j, h)| *h += ridge.at(j));
    let (unknowns, size) = (factors.unknowns(), layout.reduced_to(factors.unknowns()).len());
    if let Some(normal) = &mut total.normal {
        match ridge.even() {
            Some(weight) => Ridge::from(weight).add_to_diagonal(unknowns, size, normal),
            None => add_uneven(ridge, factors, size, normal),
        }
    }
}

/// Adds $\sum_j\lambda_j\langle E_j, \cdot\rangle^2$ to the normal equations, with $E_j$ the matrix of one entry: rows of data with one number each.
fn add_uneven(ridge: Ridge, factors: &Factors, size: usize, normal: &mut [f64]) {
    let matrix = factors.size();
    let (mut rows, mut beside, mut features) = (Vec::new(), Vec::new(), Vec::new());
    for start in (0..matrix).step_by(PIECE) {
        let count = PIECE.min(matrix - start);
        rows.clear();
        rows.resize(count * matrix, 0.0);
        (0..count).for_each(|i| rows[i * matrix + start + i] = ridge.at(start + i).sqrt());
        features.clear();
        features.resize(count * size, 0.0);
        spread(&rows, factors, &mut beside, &mut features, size);
        // An intercept is never shrunk.
        features.chunks_exact_mut(size).for_each(|row| factors.coordinates().split_mut(row).1.fill(0.0));
        add_cross(&features, count, size, normal);
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
    beside: Vec<f64>,
    derived: RowDerivatives,
}

impl<'a> Sums<'a> {
    fn new(objective: Objective<'a>, factors: &'a Factors, theta: &'a [f64], size: usize, with_normal: bool) -> Self {
        let total = Derivatives {
            gradient: vec![0.0; theta.len()],
            normal: with_normal.then(|| vec![0.0; size * size]),
            curvatures: vec![0.0; factors.size()],
            cross: vec![0.0; factors.size() * objective.layout().intercept_count()],
            ..Derivatives::default()
        };
        let (dense, features, beside) = (Vec::new(), Vec::new(), Vec::new());
        let derived = RowDerivatives::default();
        Self { objective, factors, theta, size, total, dense, features, beside, derived }
    }

    /// Adds a block of rows.
    fn add(&mut self, block: &Chunk<'_>) {
        let size = self.size;
        let with_normal = self.total.normal.is_some();
        self.features.clear();
        self.features.resize(if with_normal { block.len() * size } else { 0 }, 0.0);
        for start in (0..block.len()).step_by(PIECE) {
            let end = block.len().min(start + PIECE);
            let piece = block.slice(start..end);
            measure(self.objective, self.theta, &piece, &mut self.derived, &mut self.total);
            if !with_normal {
                continue;
            }
            let values = piece.rows.spread(&mut self.dense);
            let features = &mut self.features[start * size..end * size];
            spread(values, self.factors, &mut self.beside, features, size);
            for (row, curvature) in features.chunks_exact_mut(size).zip(&self.derived.curvatures) {
                let factor = curvature.sqrt();
                row.iter_mut().for_each(|x| *x *= factor);
            }
        }
        if let Some(normal) = &mut self.total.normal {
            add_cross(&self.features, block.len(), size, normal);
        }
    }
}

/// Adds F, its gradient and the curvatures of some rows; leaves the curvature of each in `derived`.
fn measure(
    objective: Objective,
    theta: &[f64],
    chunk: &Chunk<'_>,
    derived: &mut RowDerivatives,
    total: &mut Derivatives,
) {
    let (layout, rows) = (objective.layout(), chunk.rows);
    total.value += derived.measure(objective, theta, &Support::default(), chunk);
    rows.add_weighted_squares(&derived.curvatures, &mut total.curvatures);
    rows.add_transpose_times(&derived.slopes, layout.coefficients_mut(&mut total.gradient));
    if let Some(free) = layout.intercept_mut(&mut total.gradient) {
        *free += derived.slopes.iter().sum::<f64>();
        total.intercept_curvature += derived.curvatures.iter().sum::<f64>();
        rows.add_transpose_times(&derived.curvatures, &mut total.cross);
    }
}

/// The features of every row: its coordinates along the set, and 1 for an intercept.
fn spread(values: &[f64], factors: &Factors, beside: &mut Vec<f64>, features: &mut [f64], size: usize) {
    let Factors { rows, columns, rank, .. } = *factors;
    let count = features.len() / size.max(1);
    if rank == 0 {
        features.fill(1.0);
        return;
    }
    // All X_i V at once: the matrices of the block lie below each other.
    beside.clear();
    beside.resize(count * rows * rank, 0.0);
    product(values, &factors.right, beside, columns, rank);
    for ((x, b), out) in values
        .chunks_exact(rows * columns)
        .zip(beside.chunks_exact_mut(rows * rank))
        .zip(features.chunks_exact_mut(size.max(1)))
    {
        factors.reflect(b);
        let (unknowns, intercept) = factors.coordinates().split_mut(out);
        let (a, c) = unknowns.split_at_mut(rank * columns);
        product(&factors.left_t, x, a, rows, columns);
        c.copy_from_slice(&b[rank * rank..]);
        intercept.fill(1.0);
    }
}
