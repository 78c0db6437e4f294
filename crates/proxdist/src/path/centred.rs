//! Sums about the mean of the rows themselves, with digits that were lost brought back.
//!
//! $$S = \sum_ic_i(x_i - m)(x_i - m)^T - \tfrac1{\sum c_i}f f^T, \qquad f = \sum_ic_i(x_i - m).$$
//! What is left of a column may be small beside what it was computed from: a column that is far from zero in sparse rows, or one whose
//! largest entries lie in the fold that was taken away. Such columns are summed again from their rows, centred first.

use super::moments::{Centre, Moments, Working, is_sparse};
use crate::data::{Pass, Rows};
use crate::error::Result;
use crate::linalg::{add_cross, add_transposed_product};
use crate::objective::Objective;

/// Share of a square that must be left for its digits to be trusted.
const TRUSTED: f64 = 1e-4;
/// Part of a column's square that is rounding once its mean has been taken away.
const CONSTANT: f64 = 1e-26;

/// Sums about the means, or about zero where there is no intercept.
#[derive(Clone, Debug)]
pub(super) struct Centred {
    pub(super) mass: f64,
    pub(super) bend: f64,
    pub(super) means: Vec<f64>,
    pub(super) mean_response: f64,
    /// The lower triangle, column-major.
    pub(super) second: Vec<f64>,
    pub(super) linear: Vec<f64>,
    pub(super) square: f64,
    /// Columns, and the response, that too little is left of.
    doubtful: Vec<usize>,
    is_response_doubtful: bool,
}

impl Centred {
    /// Takes the means away from sums of some rows, which may be what is left of the sums of `total`.
    pub(super) fn new(moments: Moments, centre: &Centre, has_intercept: bool, total: Option<&Moments>) -> Self {
        let columns = moments.columns();
        let before: Vec<f64> = (0..columns)
            .map(|j| moments.square_of(j, false).max(total.map_or(0.0, |total| total.square_of(j, false))))
            .collect();
        let square_before = moments.square.max(total.map_or(0.0, |total| total.square));
        let Moments { mass, bend, first, first_response, mut second, mut linear, mut square } = moments;
        let (mut means, mut mean_response) = (centre.columns.clone(), centre.response);
        if has_intercept && bend > 0.0 {
            for j in 0..columns {
                let share = first[j] / bend;
                means[j] += share;
                if share != 0.0 {
                    let column = &mut second[j * columns + j..(j + 1) * columns];
                    column.iter_mut().zip(&first[j..]).for_each(|(s, f)| *s -= share * f);
                    linear[j] -= share * first_response;
                }
            }
            mean_response += first_response / bend;
            square -= first_response * first_response / bend;
        }
        let is_doubtful = |&j: &usize| second[j * columns + j] < TRUSTED * before[j];
        let doubtful = (0..columns).filter(is_doubtful).collect();
        let is_response_doubtful = square < TRUSTED * square_before;
        Self { mass, bend, means, mean_response, second, linear, square, doubtful, is_response_doubtful }
    }

    /// Whether so much is lost that all sums are to be taken again from the rows.
    pub(super) fn is_hopeless(&self) -> bool {
        self.is_response_doubtful || 4 * self.doubtful.len() > self.means.len().max(8)
    }

    /// Sums the columns that too little is left of again, from the rows that these sums are about.
    pub(super) fn mend(&mut self, objective: Objective, has_intercept: bool) -> Result<()> {
        let (columns, doubtful) = (self.means.len(), std::mem::take(&mut self.doubtful));
        if doubtful.is_empty() {
            return Ok(());
        }
        if has_intercept {
            let means = means_of(objective, &doubtful)?;
            doubtful.iter().zip(means).for_each(|(&j, mean)| self.means[j] = mean);
        }
        let about = About { means: &self.means, mean_response: self.mean_response, has_intercept, is_far: true };
        let (cross, linear) = cross_rows(objective, &doubtful, &about)?;
        for (at, &j) in doubtful.iter().enumerate() {
            self.linear[j] = linear[at];
            for (k, &value) in cross[at * columns..(at + 1) * columns].iter().enumerate() {
                self.second[j.min(k) * columns + j.max(k)] = value;
            }
        }
        Ok(())
    }

    /// Whether anything is left of a column.
    pub(super) fn has(&self, column: usize, has_intercept: bool) -> bool {
        let square = self.second[column * self.means.len() + column];
        is_there(square, if has_intercept { self.means[column] } else { 0.0 }, self.bend)
    }
}

/// Whether a column of this square about its mean varies at all.
pub(super) fn is_there(square: f64, mean: f64, bend: f64) -> bool {
    square > 0.0 && square.is_finite() && square > CONSTANT * (square + bend * mean * mean)
}

/// What products are taken about: the means, or zero without an intercept.
pub(super) struct About<'a> {
    pub(super) means: &'a [f64],
    pub(super) mean_response: f64,
    pub(super) has_intercept: bool,
    /// Whether a mean is so large beside what its column varies by that products need both sides centred.
    pub(super) is_far: bool,
}

/// The weighted means of some columns, summed about their first row.
fn means_of(objective: Objective, columns: &[usize]) -> Result<Vec<f64>> {
    let size = columns.len() + 1;
    let mut means = vec![0.0; columns.len()];
    // Twice: the second time corrects the rounding of the first.
    for _ in 0..2 {
        let sums = Pass::over(objective.data, size).columns(Some(columns)).sum(
            size,
            || (Working::default(), Vec::new()),
            |part, (working, block), chunk| {
                working.measure(objective, chunk);
                let block = chunk.pick(columns, block);
                for (row, c) in block.chunks_exact(columns.len()).zip(&working.weights) {
                    row.iter().zip(&means).zip(&mut *part).for_each(|((x, m), sum)| *sum += c * (x - m));
                    part[size - 1] += c;
                }
            },
        )?;
        means.iter_mut().zip(&sums).for_each(|(mean, sum)| *mean += sum / sums[size - 1]);
    }
    Ok(means)
}

/// $\sum_ic_i(x_{ij} - \bar x_j)(x_i - \bar x)^T$ for some columns $j$, a row each, and $\sum_ic_i(x_{ij} - \bar x_j)(z_i - \bar z)$.
pub(super) fn cross_rows(objective: Objective, chosen: &[usize], about: &About) -> Result<(Vec<f64>, Vec<f64>)> {
    let (columns, width) = (objective.data.columns(), chosen.len());
    let mean = |j: usize| if about.has_intercept { about.means[j] } else { 0.0 };
    // Products with all columns, then sums, then products with the response.
    let size = (columns + 2) * width;
    let sums = Pass::over(objective.data, size).sum(
        size,
        || (Working::default(), Vec::new(), Vec::new()),
        |part, (working, block, all): &mut (Working, Vec<f64>, Vec<f64>), chunk| {
            working.measure(objective, chunk);
            block.clear();
            chunk.rows.pick(chosen, block);
            let (products, rest) = part.split_at_mut(columns * width);
            let (totals, linear) = rest.split_at_mut(width);
            for (i, row) in block.chunks_exact_mut(width).enumerate() {
                let (c, z) = (working.weights[i], working.response[i] - about.mean_response);
                for (at, x) in row.iter_mut().enumerate() {
                    *x = c * (*x - mean(chosen[at]));
                    totals[at] += *x;
                    linear[at] += *x * z;
                }
            }
            if let (Rows::Dense { values, .. }, true) = (chunk.rows, about.has_intercept && about.is_far) {
                all.clear();
                for row in values.chunks_exact(columns) {
                    all.extend(row.iter().zip(about.means).map(|(x, mean)| x - mean));
                }
                add_transposed_product(all, block, columns, width, products);
            } else {
                chunk.rows.add_transposed_product(block, width, products);
            }
        },
    )?;
    // One side is centred, so the sums of its columns are next to nothing.
    let is_sparse = is_sparse(objective.data)?;
    let is_centred = about.has_intercept && about.is_far && !is_sparse;
    let (products, rest) = sums.split_at(columns * width);
    let (totals, linear) = rest.split_at(width);
    let mut cross = vec![0.0; columns * width];
    for j in 0..columns {
        for at in 0..width {
            let shift = if is_centred { 0.0 } else { mean(j) * totals[at] };
            cross[at * columns + j] = products[j * width + at] - shift;
        }
    }
    if about.has_intercept && is_sparse {
        // Between the chosen columns both sides are centred first: they are the ones that may be far from zero.
        centre_both(objective, chosen, about, &mut cross)?;
    }
    Ok((cross, linear.to_vec()))
}

fn centre_both(objective: Objective, chosen: &[usize], about: &About, cross: &mut [f64]) -> Result<()> {
    let (columns, width) = (objective.data.columns(), chosen.len());
    let sums = Pass::over(objective.data, width * width).columns(Some(chosen)).sum(
        width * width,
        || (Working::default(), Vec::new(), Vec::new()),
        |part, (working, block, centred): &mut (Working, Vec<f64>, Vec<f64>), chunk| {
            working.measure(objective, chunk);
            let block = chunk.pick(chosen, block);
            centred.clear();
            for (row, c) in block.chunks_exact(width).zip(&working.weights) {
                let root = c.sqrt();
                centred.extend(row.iter().zip(chosen).map(|(x, &j)| root * (x - about.means[j])));
            }
            add_cross(centred, chunk.len(), width, part);
        },
    )?;
    for (a, &j) in chosen.iter().enumerate() {
        for (b, &k) in chosen.iter().enumerate() {
            let (low, high) = (a.min(b), a.max(b));
            cross[a * columns + k] = sums[low * width + high];
            cross[b * columns + j] = sums[low * width + high];
        }
    }
    Ok(())
}
