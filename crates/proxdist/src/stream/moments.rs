//! Means and deviations of columns as rows come in, and the scale that follows from them.
//!
//! With weights $\omega_i = w_i2^{-a_i/h}$ that fade with the age of a row (all of it stays without a half-life), column $j$ has $m_j = \sum\omega_ix_{ij}/\sum\omega_i$ and
//! $s_j^2 = \sum\omega_i(x_{ij} - m_j)^2/\sum\omega_i$. Sums are taken about a center $c_j$: for dense rows the mean so far, to which they are moved after every chunk, so nothing cancels however far the mean is from zero; for
//! sparse rows zero, so only entries that are stored are touched. Two numbers a column are all that is kept.

use super::clock::kept;
use crate::data::{Chunk, Data, Wanted, length};
use crate::error::Result;
use crate::layout::Layout;
use crate::scaling::Scaling;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The sums about the centers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    weight: f64,
    centers: Vec<f64>,
    /// $\sum\omega(x - c)$ of each column, then $\sum\omega(x - c)^2$.
    sums: Vec<f64>,
    is_sparse: bool,
}

/// A variance below this share of the mean square is rounding: the column is constant.
const LEAST_SHARE: f64 = 1e-13;
/// Variances outside this range have lost terms, or would make others lose them.
const TRUSTED: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

impl Moments {
    /// Nothing is known yet of so many columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { weight: 0.0, centers: vec![0.0; columns], sums: vec![0.0; 2 * columns], is_sparse: false }
    }

    pub(crate) fn columns(&self) -> usize {
        self.centers.len()
    }

    /// Takes over what another one holds, in the memory that is there.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.centers.clone_from(&other.centers);
        self.sums.clone_from(&other.sums);
        (self.weight, self.is_sparse) = (other.weight, other.is_sparse);
    }

    /// Takes in some rows. `weights` is memory that is reused.
    pub(crate) fn add(
        &mut self,
        data: &Data,
        rows: Range<usize>,
        half_life: Option<f64>,
        weights: &mut Vec<f64>,
    ) -> Result<()> {
        let wanted = Wanted { rows, length: length(data.columns()), columns: None };
        data.chunks(&wanted, &mut |chunk| self.add_chunk(chunk, half_life, weights))
    }

    fn add_chunk(&mut self, chunk: &Chunk<'_>, half_life: Option<f64>, weights: &mut Vec<f64>) {
        let columns = self.columns();
        if self.weight == 0.0 {
            self.is_sparse = chunk.rows.is_sparse();
            if !self.is_sparse {
                chunk.rows.row(0).for_each(|(j, x)| self.centers[j] = x);
            }
        }
        let rows = chunk.len();
        weights.clear();
        weights.extend((0..rows).map(|i| chunk.weight(i) * kept(rows - 1 - i, half_life)));
        let fading = kept(rows, half_life);
        if fading < 1.0 {
            self.weight *= fading;
            self.sums.iter_mut().for_each(|sum| *sum *= fading);
        }
        self.weight += weights.iter().sum::<f64>();
        chunk.rows.add_moments(weights, &self.centers, &mut self.sums);
        if self.is_sparse || self.weight == 0.0 {
            return;
        }
        let (first, second) = self.sums.split_at_mut(columns);
        for ((center, first), second) in self.centers.iter_mut().zip(first).zip(second) {
            let shift = *first / self.weight;
            *center += shift;
            *second -= shift * *first;
            *first = 0.0;
        }
    }

    /// Mean and variance of a column; zero for the variance of one that never changes.
    fn of(&self, column: usize) -> (f64, f64) {
        let (shift, square) = (self.sums[column] / self.weight, self.sums[self.columns() + column] / self.weight);
        let variance = square - shift * shift;
        let is_real = variance > LEAST_SHARE * square && TRUSTED.contains(&variance);
        (self.centers[column] + shift, if is_real { variance } else { 0.0 })
    }

    /// Writes what is to be done to each column into `scaling`. Means are used if `has_intercept` and the rows are dense.
    pub(crate) fn write(&self, has_intercept: bool, scaling: &mut Scaling) {
        if self.weight == 0.0 {
            return;
        }
        let is_centered = has_intercept && !self.is_sparse;
        for column in 0..self.columns() {
            let (mean, variance) = self.of(column);
            scaling.means[column] = if is_centered { mean } else { 0.0 };
            scaling.factors[column] = if variance > 0.0 { 1.0 / variance.sqrt() } else { 1.0 };
        }
    }

    /// $s_j^2$ of all columns, 1 for constant ones, for a ridge on standardised effects.
    pub(crate) fn write_squares(&self, squares: &mut Vec<f64>) {
        squares.clear();
        let square = |column| match if self.weight > 0.0 { self.of(column).1 } else { 0.0 } {
            0.0 => 1.0,
            variance => variance,
        };
        squares.extend((0..self.columns()).map(square));
    }
}

/// Writes a parameter for columns scaled in one way down for columns scaled in another: $\theta_jf_j = \theta'_jf'_j$, and the intercept takes up what the means have moved. Predictions stay
/// what they are.
pub(crate) fn reexpress(theta: &mut [f64], layout: Layout, from: &Scaling, to: &Scaling) {
    let (coefficients, intercepts) = layout.split_mut(theta);
    let mut moved = 0.0;
    for (j, value) in coefficients.iter_mut().enumerate().filter(|(_, value)| **value != 0.0) {
        let raw = *value * from.factors[j];
        moved += raw * (to.means[j] - from.means[j]);
        *value = raw / to.factors[j];
    }
    if let Some(intercept) = intercepts.first_mut() {
        *intercept += moved;
    }
}

/// Columns as they are.
pub(crate) fn unscaled(columns: usize) -> Scaling {
    Scaling { means: vec![0.0; columns], factors: vec![1.0; columns] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 12] = [1.0, 1e6, 3.0, 1e6 + 1.0, -2.0, 1e6 + 4.0, 0.5, 1e6 - 2.0, 7.0, 1e6, 0.0, 1e6 + 9.0];
    const W: [f64; 6] = [1.0, 2.0, 0.0, 1.0, 0.5, 3.0];

    fn scaled(moments: &Moments) -> Scaling {
        let mut scaling = unscaled(2);
        moments.write(true, &mut scaling);
        scaling
    }

    #[test]
    fn moments_do_not_depend_on_the_blocks_and_are_those_of_a_fit() {
        let y = [0.0; 6];
        let data = Data::dense(&X, 2, &y).unwrap().weights(&W).unwrap();
        let whole = Scaling::of(&data, true).unwrap();
        for cut in [vec![6], vec![1; 6], vec![2, 3, 1], vec![4, 2]] {
            let (mut moments, mut first) = (Moments::new(2), 0);
            for rows in cut {
                moments.add(&data, first..first + rows, None, &mut Vec::new()).unwrap();
                first += rows;
            }
            let found = scaled(&moments);
            for j in 0..2 {
                assert!((found.means[j] / whole.means[j] - 1.0).abs() < 1e-12, "{found:?}");
                assert!((found.factors[j] / whole.factors[j] - 1.0).abs() < 1e-9, "{found:?}");
            }
        }
    }

    #[test]
    fn old_rows_fade_as_the_half_life_says() {
        let y = [0.0; 6];
        let data = Data::dense(&X, 2, &y).unwrap();
        let faded: Vec<f64> = (0..6).map(|i| (-f64::from(5 - i) / 1.5).exp2()).collect();
        let expected = Scaling::of(&Data::dense(&X, 2, &y).unwrap().weights(&faded).unwrap(), true).unwrap();
        for cut in [vec![6], vec![1; 6], vec![4, 2]] {
            let (mut moments, mut first) = (Moments::new(2), 0);
            for rows in cut {
                moments.add(&data, first..first + rows, Some(1.5), &mut Vec::new()).unwrap();
                first += rows;
            }
            let found = scaled(&moments);
            for j in 0..2 {
                assert!((found.means[j] / expected.means[j] - 1.0).abs() < 1e-12);
                assert!((found.factors[j] / expected.factors[j] - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn sparse_rows_have_the_deviations_of_dense_ones_and_no_means() {
        let (starts, columns) = ([0_usize, 2, 3, 4, 4, 6, 7], [0_u32, 1, 0, 1, 0, 1, 1]);
        let (values, y) = ([1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0], [0.0; 6]);
        let dense = [1.0, 2.0, 3.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.5, 4.0, 0.0, 2.0];
        let (sparse, dense) =
            (Data::sparse(&starts, &columns, &values, 2, &y).unwrap(), Data::dense(&dense, 2, &y).unwrap());
        let [a, b] = [sparse, dense].map(|data| {
            let mut moments = Moments::new(2);
            moments.add(&data, 0..3, Some(4.0), &mut Vec::new()).unwrap();
            moments.add(&data, 3..6, Some(4.0), &mut Vec::new()).unwrap();
            scaled(&moments)
        });
        assert_eq!(a.means, [0.0, 0.0]);
        (0..2).for_each(|j| assert!((a.factors[j] / b.factors[j] - 1.0).abs() < 1e-13));
    }

    #[test]
    fn a_constant_column_keeps_its_units() {
        let (x, y) = ([0.1; 5], [0.0; 5]);
        let data = Data::dense(&x, 1, &y).unwrap();
        let mut moments = Moments::new(1);
        moments.add(&data, 0..5, Some(2.0), &mut Vec::new()).unwrap();
        let mut scaling = unscaled(1);
        moments.write(false, &mut scaling);
        assert_eq!((scaling.means[0], scaling.factors[0]), (0.0, 1.0));
    }

    #[test]
    fn another_scale_changes_no_prediction() {
        let layout = Layout::vector(2).intercepts(true);
        let (from, to) = (
            Scaling { means: vec![1.0, -2.0], factors: vec![2.0, 0.25] },
            Scaling { means: vec![3.0, 5.0], factors: vec![0.1, 40.0] },
        );
        let predict = |theta: &[f64], scaling: &Scaling, x: [f64; 2]| {
            (0..2).map(|j| theta[j] * (x[j] - scaling.means[j]) * scaling.factors[j]).sum::<f64>() + theta[2]
        };
        let before = [0.5, -3.0, 0.7];
        let mut after = before;
        reexpress(&mut after, layout, &from, &to);
        for x in [[0.0, 0.0], [1.0, 2.0], [-5.0, 30.0]] {
            assert!((predict(&before, &from, x) - predict(&after, &to, x)).abs() < 1e-12);
        }
    }
}
