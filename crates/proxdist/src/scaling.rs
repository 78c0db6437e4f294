//! Columns brought to mean 0 and standard deviation 1 for a fit, without touching them, and the model brought back.
//!
//! With weights $w_i$ the moments of column $j$ are $m_j = \sum_i w_ix_{ij}/\sum_i w_i$ and $s_j^2 = \sum_i w_i(x_{ij} - m_j)^2/\sum_i w_i$. Sets that
//! are unchanged when coordinates are stretched (sparsity, groups, sign, none) pose the same problem in $z_j = (x_j - m_j)/s_j$, whose
//! solution $\theta_j$ stands for $\theta_j/s_j$ in the units of the data. A ridge term acts on the coefficients of the scaled columns.
//!
//! Means are subtracted only where an intercept can take them up and the rows are dense. One pass gives both moments: sums are taken
//! about the first row $c$, and since $(m - c)^2 \le n s^2$ for a point $c$ of the sample, $s^2 = \overline{(x - c)^2} - (m - c)^2$ loses no
//! more than $\log_2 n$ bits.

use crate::data::{Data, RowBuffer, Rows, added, over_rows};
use crate::error::Result;
use crate::model::Model;

/// What is done to each column: $z = (x - m)f$ with the factor $f = 1/s$.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    pub(crate) means: Vec<f64>,
    pub(crate) factors: Vec<f64>,
}

/// A variance below this share of the mean square about the first row is rounding: the column is constant.
const LEAST_SHARE: f64 = 1e-13;

impl Scaling {
    /// The moments of the columns; means are used if `has_intercept` and the rows are dense.
    pub fn of(data: &Data, has_intercept: bool) -> Result<Self> {
        let columns = data.columns();
        let mut first = RowBuffer::default();
        data.source().gather(&[0], &mut first)?;
        let is_sparse = matches!(first.rows(), Rows::Sparse { .. });
        let mut centre = vec![0.0; columns];
        if !is_sparse {
            first.rows().row(0).for_each(|(j, x)| centre[j] = x);
        }
        let size = 2 * columns;
        let parts = over_rows(
            data,
            size,
            || (vec![0.0; size], Vec::new()),
            |(sums, weights): &mut (Vec<f64>, Vec<f64>), rows, range| {
                weights.clear();
                weights.extend(range.map(|row| data.weight(row)));
                rows.add_moments(weights, &centre, sums);
                Ok(())
            },
        )?;
        let total = added(parts.into_iter().map(|(sums, _)| sums).collect());
        let (sums, squares) = total.split_at(columns);
        let weight = data.weight_sum();
        let factor = |(sum, square): (&f64, &f64)| {
            let (shift, square) = (sum / weight, square / weight);
            let variance = square - shift * shift;
            let deviation = if variance > LEAST_SHARE * square { variance.sqrt() } else { 0.0 };
            // A constant column is left as it is, and so is one whose moments overflow.
            if deviation.is_normal() { 1.0 / deviation } else { 1.0 }
        };
        let factors = sums.iter().zip(squares).map(factor).collect();
        let mean = |(centre, sum): (&f64, &f64)| {
            let mean = centre + sum / weight;
            if mean.is_finite() { mean } else { 0.0 }
        };
        let means =
            if has_intercept && !is_sparse { centre.iter().zip(sums).map(mean).collect() } else { vec![0.0; columns] };
        Ok(Self { means, factors })
    }

    /// Whether means are subtracted.
    pub fn is_centred(&self) -> bool {
        self.means.iter().any(|mean| *mean != 0.0)
    }

    /// A model of scaled columns in the units of the data.
    #[must_use]
    pub fn restored(&self, model: &Model) -> Model {
        let mut model = model.clone();
        model.coefficients.iter_mut().zip(&self.factors).for_each(|(value, factor)| *value *= factor);
        model.intercept = model.intercept.map(|intercept| intercept - self.shift(&model.coefficients));
        model
    }

    /// Coefficients and intercept in the units of the data, as they are for scaled columns: where a fit may start.
    pub fn scaled_start(&self, coefficients: &[f64], intercept: f64) -> (Vec<f64>, f64) {
        let scaled = coefficients.iter().zip(&self.factors).map(|(value, factor)| value / factor).collect();
        (scaled, intercept + self.shift(coefficients))
    }

    fn shift(&self, coefficients: &[f64]) -> f64 {
        coefficients.iter().zip(&self.means).map(|(value, mean)| value * mean).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_definition_whatever_the_mean() {
        let y = [0.0; 4];
        let x = [1.0, 1e9 + 1.0, 5.0, 3.0, 1e9 + 3.0, 5.0, 1.0, 1e9 + 1.0, 5.0, 3.0, 1e9 + 3.0, 5.0];
        let data = Data::dense(&x, 3, &y).unwrap();
        let scaling = Scaling::of(&data, true).unwrap();
        assert_eq!((&scaling.means[..], &scaling.factors[..]), (&[2.0, 1e9 + 2.0, 5.0][..], &[1.0, 1.0, 1.0][..]));
        assert!(!Scaling::of(&data, false).unwrap().is_centred());
    }

    #[test]
    fn a_weight_of_two_is_a_row_twice() {
        let (x, y) = ([1.0, 4.0, 2.0, 8.0, 9.0, 3.0], [0.0; 3]);
        let weighted = Data::dense(&x, 2, &y).unwrap().weights(&[2.0, 1.0, 0.0]).unwrap();
        let twice = [1.0, 4.0, 1.0, 4.0, 2.0, 8.0];
        let repeated = Data::dense(&twice, 2, &y).unwrap();
        assert_eq!(Scaling::of(&weighted, true).unwrap(), Scaling::of(&repeated, true).unwrap());
    }

    #[test]
    fn a_constant_column_is_left_as_it_is_dense_or_sparse() {
        let (values, y) = ([0.1; 7], [0.0; 7]);
        let (starts, columns): ([usize; 8], [u32; 7]) = ([0, 1, 2, 3, 4, 5, 6, 7], [0; 7]);
        let sparse = Data::sparse(&starts, &columns, &values, 1, &y).unwrap();
        for data in [Data::dense(&values, 1, &y).unwrap(), sparse] {
            assert_eq!(Scaling::of(&data, true).unwrap().factors, [1.0]);
        }
    }
}
