//! The quadratic form of the features that all outputs share: $A = \sum_iw_i(x_i - \bar x)(x_i - \bar x)^T/\sum_iw_i + \mathrm{diag}(\lambda)$.
//!
//! Means are taken out where there are intercepts, which then are at their best for any coefficients. Columns of $A$ are made when they are asked for and kept: a search that looks at few features never pays
//! for all $p^2$ numbers. One side of each product has its mean taken out, which is enough since $\sum_iw_i(x_{il} - \bar x_l) = 0$.

use super::exchange::QuadraticForm;
use crate::data::{Data, Pass, Wanted};
use crate::error::Result;
use std::collections::HashMap;

/// Columns up to which all of $A$ is made at once.
const ALL_AT_ONCE: usize = 256;

/// $A$, column by column.
pub(crate) struct Form<'p> {
    data: &'p Data<'p>,
    means: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
    columns: HashMap<usize, Vec<f64>>,
}

impl<'p> Form<'p> {
    /// The form of the features of some data with a ridge weight for each; with means taken out or not.
    pub(crate) fn new(data: &'p Data<'p>, is_centered: bool, ridge: &[f64]) -> Result<Self> {
        let (size, total) = (data.columns(), data.weight_sum());
        let mut is_sparse = false;
        data.chunks(&Wanted { rows: 0..1, length: 1, columns: None }, &mut |first| is_sparse = first.rows.is_sparse())?;
        let mut means = vec![0.0; size];
        if is_centered {
            means = sums(data, size, |weights, chunk, sums| chunk.rows.add_transpose_times(weights, sums))?;
            means.iter_mut().for_each(|mean| *mean /= total);
        }
        let center = if is_sparse { vec![0.0; size] } else { means.clone() };
        let moments = sums(data, 2 * size, |weights, chunk, sums| chunk.rows.add_moments(weights, &center, sums))?;
        let square = |j: usize| {
            let away = means[j] - center[j];
            (moments[size + j] / total - away * away).max(0.0) + ridge[j]
        };
        let diagonal = (0..size).map(square).collect();
        Ok(Self { data, means, diagonal, columns: HashMap::new() })
    }

    /// The means that are taken out.
    pub(crate) fn means(&self) -> &[f64] {
        &self.means
    }

    /// $\sum_iw_i(x_i - \bar x)z_i^T/\sum_iw_i$ for rows $z_i$ of `width` numbers whose weighted sum is zero, or whatever they are if means stay in.
    pub(crate) fn with(&self, z: &[f64], width: usize) -> Result<Vec<f64>> {
        let size = self.features() * width;
        let mut total = Pass::over(self.data, size).sum(size, Vec::new, |sums, weighted: &mut Vec<f64>, chunk| {
            weighted.clear();
            let range = chunk.range();
            for (i, z) in z[range.start * width..range.end * width].chunks_exact(width).enumerate() {
                let weight = chunk.weight(i);
                weighted.extend(z.iter().map(|z| weight * z));
            }
            chunk.rows.add_transposed_product(weighted, width, sums);
        })?;
        total.iter_mut().for_each(|value| *value /= self.data.weight_sum());
        Ok(total)
    }
}

impl QuadraticForm for Form<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn need(&mut self, features: &[usize]) -> Result<()> {
        let all = self.features();
        let mut missing: Vec<usize> = features.iter().copied().filter(|j| !self.columns.contains_key(j)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        if all <= ALL_AT_ONCE {
            missing = (0..all).filter(|j| !self.columns.contains_key(j)).collect();
        }
        missing.sort_unstable();
        missing.dedup();
        let (width, means, total) = (missing.len(), &self.means, self.data.weight_sum());
        let found =
            Pass::over(self.data, all * width).sum(all * width, Vec::new, |sums, picked: &mut Vec<f64>, chunk| {
                picked.clear();
                chunk.rows.pick(&missing, picked);
                for (i, row) in picked.chunks_exact_mut(width).enumerate() {
                    let weight = chunk.weight(i) / total;
                    row.iter_mut().zip(&missing).for_each(|(x, &j)| *x = weight * (*x - means[j]));
                }
                chunk.rows.add_transposed_product(picked, width, sums);
            })?;
        for (at, &j) in missing.iter().enumerate() {
            let mut column: Vec<f64> = found.iter().skip(at).step_by(width).copied().collect();
            column[j] = self.diagonal[j];
            self.columns.insert(j, column);
        }
        Ok(())
    }

    fn column(&self, feature: usize) -> &[f64] {
        self.columns.get(&feature).map_or(&[], Vec::as_slice)
    }
}

/// Sums over all rows; `add` is given the weights of a chunk.
fn sums(
    data: &Data,
    size: usize,
    add: impl Fn(&[f64], &crate::data::Chunk<'_>, &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    Pass::over(data, size).sum(size, Vec::new, |sums, weights: &mut Vec<f64>, chunk| {
        weights.clear();
        weights.extend((0..chunk.len()).map(|i| chunk.weight(i)));
        add(weights, chunk, sums);
    })
}
