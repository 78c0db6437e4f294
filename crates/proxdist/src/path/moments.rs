//! Sums over rows that a quadratic F is made of.
//!
//! A loss of constant curvature is a parabola in $\eta$: with slope $\ell'$ and curvature $\ell''$ of row $i$ at its offset,
//! $$\ell(\eta) = \text{const} + \tfrac12\ell''(z_i - x_i^T\theta - \beta_0)^2, \qquad z_i = -\ell'/\ell''$$
//! (for squared loss $z = y - o$). So F needs the rows only through
//! $$\sum_ic_i, \quad \sum_ic_i(x_i - m), \quad \sum_ic_i(x_i - m)(x_i - m)^T, \quad \sum_ic_i(x_i - m)(z_i - m_z), \quad \sum_ic_i(z_i - m_z)^2, \qquad c_i = w_i\ell''_i.$$
//! They are sums over rows: those of all folds but one are those of all rows minus those of the fold. The centre $m$ is the mean of all rows
//! where there is an intercept, so that little is left to cancel when the mean of some rows is taken away later. Sparse rows keep their zeros: their
//! centre is zero.

use crate::data::{Chunk, Data, Pass, Wanted};
use crate::error::Result;
use crate::linalg::{add_cross, axpy, transpose_times};
use crate::objective::Objective;

/// The weight $c_i$ and the working response $z_i$ of some rows, in memory that is reused.
#[derive(Default)]
pub(super) struct Working {
    pub(super) weights: Vec<f64>,
    pub(super) response: Vec<f64>,
}

impl Working {
    /// Takes in the rows of a chunk.
    pub(super) fn measure(&mut self, objective: Objective, chunk: &Chunk<'_>) {
        self.weights.clear();
        self.response.clear();
        for (i, &response) in chunk.response.iter().enumerate() {
            let (offset, weight) = (chunk.offset_of(i), chunk.weight(i));
            let curvature = objective.loss.curvature(offset, response);
            let is_used = weight > 0.0 && curvature > 0.0;
            self.weights.push(if is_used { weight * curvature } else { 0.0 });
            self.response.push(if is_used { -objective.loss.slope(offset, response) / curvature } else { 0.0 });
        }
    }
}

/// Where sums are taken about: a number for each column, and one for the working response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Centre {
    pub(super) columns: Vec<f64>,
    pub(super) response: f64,
    pub(super) is_sparse: bool,
}

impl Centre {
    /// The weighted means, or zero where there is no intercept; zero for the columns of sparse rows.
    pub(super) fn of(objective: Objective, has_intercept: bool) -> Result<Self> {
        let (data, columns) = (objective.data, objective.data.columns());
        let is_sparse = is_sparse(data)?;
        if !has_intercept {
            return Ok(Self { columns: vec![0.0; columns], response: 0.0, is_sparse });
        }
        let size = columns + 2;
        let sums = Pass::over(data, size).sum(size, Working::default, |part, working, chunk| {
            working.measure(objective, chunk);
            if !is_sparse {
                chunk.rows.add_transpose_times(&working.weights, &mut part[..columns]);
            }
            for (c, z) in working.weights.iter().zip(&working.response) {
                part[columns] += c * z;
                part[columns + 1] += c;
            }
        })?;
        let mean = |sum: f64| if sums[columns + 1] > 0.0 { sum / sums[columns + 1] } else { 0.0 };
        Ok(Self {
            columns: sums[..columns].iter().map(|&sum| mean(sum)).collect(),
            response: mean(sums[columns]),
            is_sparse,
        })
    }
}

impl Centre {
    /// Columns about these numbers, which are close to their means, and the response about its weighted mean: no feature is read.
    pub(super) fn known(objective: Objective, columns: &[f64]) -> Result<Self> {
        let sums =
            Pass::over(objective.data, 2).columns(Some(&[])).sum(2, Working::default, |part, working, chunk| {
                working.measure(objective, chunk);
                for (c, z) in working.weights.iter().zip(&working.response) {
                    part[0] += c * z;
                    part[1] += c;
                }
            })?;
        let response = if sums[1] > 0.0 { sums[0] / sums[1] } else { 0.0 };
        Ok(Self { columns: columns.to_vec(), response, is_sparse: is_sparse(objective.data)? })
    }

    /// Dense columns about their first row, and the response about its mean: as good as means where squares are all that is summed, since for a row $c$ of the data
    /// $(m - c)^2 \le ns^2$. Sparse ones about zero.
    pub(super) fn first_row(objective: Objective, has_intercept: bool) -> Result<Self> {
        let mut columns = vec![0.0; objective.data.columns()];
        if !has_intercept {
            return Ok(Self { columns, response: 0.0, is_sparse: is_sparse(objective.data)? });
        }
        objective.data.chunks(&Wanted { rows: 0..1, length: 1, columns: None }, &mut |first| {
            if !first.rows.is_sparse() {
                first.rows.row(0).for_each(|(j, x)| columns[j] = x);
            }
        })?;
        Self::known(objective, &columns)
    }
}

/// Whether only some entries of the rows are stored.
pub(super) fn is_sparse(data: &Data) -> Result<bool> {
    let mut is_sparse = false;
    data.chunks(&Wanted { rows: 0..1, length: 1, columns: None }, &mut |first| is_sparse = first.rows.is_sparse())?;
    Ok(is_sparse)
}

/// The sums over some rows.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// $\sum_iw_i$
    pub(super) mass: f64,
    /// $\sum_ic_i$
    pub(super) bend: f64,
    /// $\sum_ic_i(x_i - m)$
    pub(super) first: Vec<f64>,
    /// $\sum_ic_i(z_i - m_z)$
    pub(super) first_response: f64,
    /// $\sum_ic_i(x_i - m)(x_i - m)^T$, the lower triangle, column-major.
    pub(super) second: Vec<f64>,
    /// $\sum_ic_i(x_i - m)(z_i - m_z)$
    pub(super) linear: Vec<f64>,
    /// $\sum_ic_i(z_i - m_z)^2$
    pub(super) square: f64,
}

impl Moments {
    /// Sums of all rows of the data of an objective.
    pub(super) fn of(objective: Objective, centre: &Centre) -> Result<Self> {
        let columns = objective.data.columns();
        let matrix = columns * columns;
        let size = matrix + 2 * columns + 3;
        let mut sums = Pass::over(objective.data, size).sum(
            size,
            || (Working::default(), Vec::new(), [Vec::new(), Vec::new()]),
            |part, (working, block, along), chunk| {
                working.measure(objective, chunk);
                let (second, rest) = part.split_at_mut(matrix);
                let (first, rest) = rest.split_at_mut(columns);
                let (linear, rest) = rest.split_at_mut(columns);
                for (c, z) in working.weights.iter().zip(&working.response) {
                    rest[0] += c * (z - centre.response);
                    rest[1] += c * (z - centre.response) * (z - centre.response);
                    rest[2] += c;
                }
                if chunk.rows.is_sparse() {
                    add_sparse(working, chunk, centre, [second, first, linear], block);
                } else {
                    add_dense(working, chunk, centre, [second, first, linear], (block, along));
                }
            },
        )?;
        let rest = sums.split_off(matrix);
        Ok(Self {
            mass: objective.data.weight_sum(),
            bend: rest[2 * columns + 2],
            first: rest[..columns].to_vec(),
            first_response: rest[2 * columns],
            second: sums,
            linear: rest[columns..2 * columns].to_vec(),
            square: rest[2 * columns + 1],
        })
    }

    /// Sums over no rows.
    pub(super) fn none(columns: usize) -> Self {
        let zeros = || vec![0.0; columns];
        let (first, linear, second) = (zeros(), zeros(), vec![0.0; columns * columns]);
        Self { mass: 0.0, bend: 0.0, first, first_response: 0.0, second, linear, square: 0.0 }
    }

    /// Adds the sums over other rows, taken `times`: minus one takes them away.
    pub(super) fn add(&mut self, times: f64, other: &Self) {
        self.mass += times * other.mass;
        self.bend += times * other.bend;
        self.first_response += times * other.first_response;
        self.square += times * other.square;
        axpy(times, &other.first, &mut self.first);
        axpy(times, &other.second, &mut self.second);
        axpy(times, &other.linear, &mut self.linear);
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.first.len()
    }

    /// $\sum_ic_i(x_{ij} - \bar x_j)^2$ about the mean of these rows, or about the centre.
    pub(super) fn square_of(&self, column: usize, about_mean: bool) -> f64 {
        let square = self.second[column * self.columns() + column];
        let shift = if about_mean { self.first[column] * self.first[column] / self.bend } else { 0.0 };
        square - shift
    }
}

/// Sums of the matrix, of the columns, and of the columns with the response.
type Sums<'s> = [&'s mut [f64]; 3];

fn add_dense(
    working: &Working,
    chunk: &Chunk<'_>,
    centre: &Centre,
    [second, first, linear]: Sums,
    (block, along): (&mut Vec<f64>, &mut [Vec<f64>; 2]),
) {
    let columns = first.len();
    let mut none = Vec::new();
    block.clear();
    along.iter_mut().for_each(Vec::clear);
    let values = chunk.rows.spread(&mut none);
    for (i, row) in values.chunks_exact(columns).enumerate() {
        let root = working.weights[i].sqrt();
        block.extend(row.iter().zip(&centre.columns).map(|(x, m)| root * (x - m)));
        along[0].push(root);
        along[1].push(root * (working.response[i] - centre.response));
    }
    add_cross(block, chunk.len(), columns, second);
    transpose_times(block, &along[0], first, true);
    transpose_times(block, &along[1], linear, true);
}

fn add_sparse(
    working: &Working,
    chunk: &Chunk<'_>,
    centre: &Centre,
    [second, first, linear]: Sums,
    work: &mut Vec<f64>,
) {
    chunk.rows.add_weighted_cross(&working.weights, second, work);
    chunk.rows.add_transpose_times(&working.weights, first);
    work.clear();
    work.extend(working.weights.iter().zip(&working.response).map(|(c, z)| c * (z - centre.response)));
    chunk.rows.add_transpose_times(work, linear);
}
