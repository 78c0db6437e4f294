//! Columns brought to mean 0 and standard deviation 1 for a fit, without touching them, and the model brought back.
//!
//! With weights $w_i$ the moments of column $j$ are $m_j = \sum_i w_ix_{ij}/\sum_i w_i$ and $s_j^2 = \sum_i w_i(x_{ij} - m_j)^2/\sum_i w_i$. Sets that
//! are unchanged when coordinates are stretched (sparsity, groups, sign, none) pose the same problem in $z_j = (x_j - m_j)/s_j$, whose
//! solution $\theta_j$ stands for $\theta_j/s_j$ in the units of the data. When this is done, and what the ridge then acts on, is said in [`crate::Preparation`].
//!
//! Means are subtracted only where an intercept can take them up and the rows are dense. One pass gives both moments: sums are taken
//! about the first row $c$, and since $(m - c)^2 \le n s^2$ for a point $c$ of the sample, $s^2 = \overline{(x - c)^2} - (m - c)^2$ loses no
//! more than $\log_2 n$ bits. Columns whose squares may have overflowed or vanished are measured again in units of their largest number.

use crate::data::{Data, Pass, Rows, Unit, Wanted};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// What is done to each column: $z = (x - m)f$ with the factor $f = 1/s$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    pub(crate) means: Vec<f64>,
    pub(crate) factors: Vec<f64>,
}

/// A variance below this share of the mean square about the first row is rounding: the column is constant.
const LEAST_SHARE: f64 = 1e-13;
/// Mean squares outside this range may have lost terms to overflow or underflow.
const TRUSTED: std::ops::RangeInclusive<f64> = 1e-200..=1e200;
/// A constant column keeps its units while its numbers are of such a size.
const KEPT: std::ops::RangeInclusive<f64> = 1e-70..=1e70;

/// Mean and standard deviation of a column, and the largest number in it where that had to be looked for.
#[derive(Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    deviation: f64,
    largest: Option<f64>,
}

impl Moments {
    /// From the mean `shift` and the mean `square` of $x - c$.
    fn about(center: f64, shift: f64, square: f64) -> Self {
        let variance = square - shift * shift;
        let deviation = if variance > LEAST_SHARE * square { variance.sqrt() } else { 0.0 };
        Self { mean: center + shift, deviation, largest: None }
    }

    /// From the mean, the variance about it and the mean square about the first row.
    pub(crate) fn joined(mean: f64, variance: f64, square: f64, largest: f64) -> Self {
        let deviation = if variance > LEAST_SHARE * square { variance.sqrt() } else { 0.0 };
        Self { mean, deviation, largest: Some(largest) }
    }

    pub(crate) fn factor(self) -> f64 {
        let factor = 1.0 / self.deviation;
        match self.largest {
            _ if factor.is_finite() => factor,
            // A constant column is left as it is, unless its square would not be a number.
            Some(largest) if largest > 0.0 && !KEPT.contains(&largest) => Unit::of(largest).divide(1.0),
            _ => 1.0,
        }
    }
}

impl Scaling {
    /// The moments of the columns; means are used if `has_intercept` and the rows are dense.
    pub fn of(data: &Data, has_intercept: bool) -> Result<Self> {
        let columns = data.columns();
        let (mut center, mut is_sparse) = (vec![0.0; columns], false);
        data.chunks(&Wanted { rows: 0..1, length: 1, columns: None }, &mut |first| {
            is_sparse = first.rows.is_sparse();
            if !is_sparse {
                first.rows.row(0).for_each(|(j, x)| center[j] = x);
            }
        })?;
        let total = sums(data, 2 * columns, |rows, weights, sums| rows.add_moments(weights, &center, sums))?;
        let weight = data.weight_sum();
        let mut moments: Vec<Moments> =
            (0..columns).map(|j| Moments::about(center[j], total[j] / weight, total[columns + j] / weight)).collect();
        let doubtful: Vec<usize> =
            (0..columns).filter(|&j| !TRUSTED.contains(&(total[columns + j] / weight))).collect();
        for (&j, found) in doubtful.iter().zip(moments_in_units(data, &doubtful, &center)?) {
            moments[j] = found;
        }
        let is_centered = has_intercept && !is_sparse;
        let mean = |moments: &Moments| if is_centered { moments.mean } else { 0.0 };
        Ok(Self { means: moments.iter().map(mean).collect(), factors: moments.iter().map(|m| m.factor()).collect() })
    }

    /// Whether means are subtracted.
    pub fn is_centered(&self) -> bool {
        self.means.iter().any(|mean| *mean != 0.0)
    }

    /// $s_j$, by which an effect is compared; for a constant column the number it is divided by, usually 1.
    pub fn deviations(&self) -> Vec<f64> {
        self.factors.iter().map(|factor| 1.0 / factor).collect()
    }

    /// $s_j^2$; for a constant column the square of the number it is divided by, usually 1.
    pub(crate) fn variances(&self) -> Vec<f64> {
        self.factors.iter().map(|factor| (1.0 / factor).powi(2)).collect()
    }

    /// A model of scaled columns in the units of the data. Fails where a coefficient is too large or too small to be a number in those units.
    pub fn restored(&self, model: &Model) -> Result<Model> {
        let (coefficients, intercept) =
            self.restored_point(&model.coefficients, model.intercept, model.names.as_deref())?;
        Ok(Model { coefficients, intercept, ..model.clone() })
    }

    /// Coefficients and intercept for scaled columns in the units of the data, as [`Scaling::restored`] does for a model; names are for errors.
    pub fn restored_point(
        &self,
        coefficients: &[f64],
        intercept: Option<f64>,
        names: Option<&[String]>,
    ) -> Result<(Vec<f64>, Option<f64>)> {
        let restored: Vec<f64> = coefficients.iter().zip(&self.factors).map(|(value, factor)| value * factor).collect();
        let is_lost = |&j: &usize| coefficients[j] != 0.0 && !restored[j].is_normal();
        if let Some(j) = (0..restored.len()).find(is_lost) {
            let column = names.and_then(|names| names.get(j)).cloned().unwrap_or_else(|| j.to_string());
            return Err(Error::Units { column, scaled: coefficients[j], deviation: 1.0 / self.factors[j] });
        }
        let intercept = intercept.map(|intercept| intercept - self.shift(&restored));
        Ok((restored, intercept))
    }

    /// The same for a parameter in place.
    pub(crate) fn restore(&self, layout: Layout, theta: &mut [f64], names: Option<&[String]>) -> Result<()> {
        let (coefficients, intercepts) = layout.split_mut(theta);
        let mut shift = 0.0;
        for (j, value) in coefficients.iter_mut().enumerate().filter(|(_, value)| **value != 0.0) {
            let restored = *value * self.factors[j];
            if !restored.is_normal() {
                let column = names.and_then(|names| names.get(j)).cloned().unwrap_or_else(|| j.to_string());
                return Err(Error::Units { column, scaled: *value, deviation: 1.0 / self.factors[j] });
            }
            shift += restored * self.means[j];
            *value = restored;
        }
        if let Some(intercept) = intercepts.first_mut() {
            *intercept -= shift;
        }
        Ok(())
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

/// Sums over all rows, `count` of them; `add` is given some rows and their weights.
fn sums(data: &Data, count: usize, add: impl Fn(Rows, &[f64], &mut [f64]) + Sync) -> Result<Vec<f64>> {
    Pass::over(data, count).sum(count, Vec::new, |sums, weights, chunk| {
        weights.clear();
        weights.extend((0..chunk.len()).map(|i| chunk.weight(i)));
        add(chunk.rows, weights, sums);
    })
}

/// The moments of some columns, each measured in a unit close to its largest number, so that no square overflows or vanishes.
fn moments_in_units(data: &Data, columns: &[usize], center: &[f64]) -> Result<Vec<Moments>> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let count = columns.len();
    // Where a column of the data is among those asked for.
    let mut place = vec![None; data.columns()];
    columns.iter().enumerate().for_each(|(at, &j)| place[j] = Some(at));
    let parts = Pass::over(data, count).fold(
        || vec![0.0_f64; count],
        |largest, chunk| {
            for i in (0..chunk.len()).filter(|&i| chunk.weight(i) > 0.0) {
                chunk.rows.row(i).for_each(|(j, x)| {
                    if let Some(at) = place[j] {
                        largest[at] = largest[at].max(x.abs());
                    }
                });
            }
        },
    )?;
    let largest = |at: usize| parts.iter().map(|part| part[at]).fold(0.0, f64::max);
    let largest: Vec<f64> = (0..count).map(largest).collect();
    let units: Vec<Unit> = largest.iter().map(|&size| Unit::of(size)).collect();
    let center: Vec<f64> = columns.iter().zip(&units).map(|(&j, unit)| unit.divide(center[j])).collect();
    let total = sums(data, 2 * count, |rows, weights, out| {
        for (i, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for (j, x) in rows.row(i) {
                let Some(at) = place[j] else { continue };
                let away = units[at].divide(x) - center[at];
                out[at] += weight * away;
                out[count + at] += weight * away * away;
            }
        }
    })?;
    let weight = data.weight_sum();
    let restored = |at: usize| {
        let within = Moments::about(center[at], total[at] / weight, total[count + at] / weight);
        let (mean, deviation) = (units[at].multiply(within.mean), units[at].multiply(within.deviation));
        Moments { mean, deviation, largest: Some(largest[at]) }
    };
    Ok((0..count).map(restored).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::WholeSpace;
    use crate::loss::Squared;
    use crate::problem::Problem;
    use crate::solver::Settings;

    #[test]
    fn moments_are_those_of_the_definition_whatever_the_mean() {
        let y = [0.0; 4];
        let x = [1.0, 1e9 + 1.0, 5.0, 3.0, 1e9 + 3.0, 5.0, 1.0, 1e9 + 1.0, 5.0, 3.0, 1e9 + 3.0, 5.0];
        let data = Data::dense(&x, 3, &y).unwrap();
        let scaling = Scaling::of(&data, true).unwrap();
        assert_eq!((&scaling.means[..], &scaling.factors[..]), (&[2.0, 1e9 + 2.0, 5.0][..], &[1.0, 1.0, 1.0][..]));
        assert!(!Scaling::of(&data, false).unwrap().is_centered());
    }

    /// Numbers of any size have the moments of the same numbers in other units.
    #[test]
    fn moments_do_not_depend_on_the_units() {
        let (y, pattern) = ([0.0; 6], [1.0, -0.25, 0.5, 0.75, -1.0, 0.125]);
        let weights = [1.0, 2.0, 0.5, 1.0, 3.0, 0.0];
        let usual = Data::dense(&pattern, 1, &y).unwrap().weights(&weights).unwrap();
        let expected = Scaling::of(&usual, true).unwrap();
        for exponent in [-1000, -700, -400, 0, 333, 515, 700, 1000] {
            let unit = 2.0_f64.powi(exponent);
            for size in [1e-200, 1.0, 1e200] {
                let (x, weights) = (pattern.map(|x| unit * x), weights.map(|w| size * w));
                let data = Data::dense(&x, 1, &y).unwrap().weights(&weights).unwrap();
                let found = Scaling::of(&data, true).unwrap();
                assert!((found.means[0] / unit / expected.means[0] - 1.0).abs() < 1e-14, "2^{exponent} {size:e}");
                assert!((found.factors[0] * unit / expected.factors[0] - 1.0).abs() < 1e-14, "2^{exponent} {size:e}");
            }
        }
    }

    #[test]
    fn one_large_cell_has_its_share_of_the_moments() {
        for large in [1e100, 1e155, 1e160, 1e300, -1e306] {
            let mut x = [0.5; 16];
            x[3] = large;
            let (starts, columns): (Vec<usize>, [u32; 16]) = ((0..=16).collect(), [0; 16]);
            let sparse = Data::sparse(&starts, &columns, &x, 1, &[0.0; 16]).unwrap();
            for (data, mean) in [(Data::dense(&x, 1, &[0.0; 16]).unwrap(), large / 16.0), (sparse, 0.0)] {
                let scaling = Scaling::of(&data, true).unwrap();
                assert!((scaling.means[0] - mean).abs() <= 1e-14 * mean.abs(), "{large:e}");
                let deviation = large.abs() * 15.0_f64.sqrt() / 16.0;
                assert!((scaling.factors[0] * deviation - 1.0).abs() < 1e-14, "{large:e}");
            }
        }
    }

    #[test]
    fn a_constant_column_of_extreme_size_is_brought_to_a_usual_one() {
        for (value, is_kept) in
            [(1e-200, false), (1e-30, true), (0.0, true), (7.0, true), (1e60, true), (-1e300, false)]
        {
            let x = [value; 5];
            let data = Data::dense(&x, 1, &[0.0; 5]).unwrap();
            let factor = Scaling::of(&data, false).unwrap().factors[0];
            let size = (value * factor).abs();
            assert!(if is_kept { factor == 1.0 } else { (1.0..2.0).contains(&size) }, "{value:e} {factor:e}");
        }
    }

    #[test]
    fn a_coefficient_that_the_units_cannot_express_is_an_error() {
        let y = [0.0, 1.0, 3.0, 4.0];
        for (size, is_fine) in [(1.0, true), (1e-290, true), (1e290, true)] {
            let x = [0.0, 0.3 * size, 0.5 * size, size];
            let data = Data::dense(&x, 1, &y).unwrap().names(["dose"]).unwrap();
            let scaling = Scaling::of(&data, true).unwrap();
            let data = data.scaled(scaling.clone()).unwrap();
            let fit = Problem::new(&data, Squared, WholeSpace).intercept(true).fit(&Settings::default()).unwrap();
            match scaling.restored(fit.model()) {
                Ok(model) => assert!(is_fine && (model.coefficients[0] * size - 2.2 / 0.53).abs() < 1e-9, "{size:e}"),
                Err(error) => assert!(!is_fine && error.to_string().contains("dose"), "{size:e}: {error}"),
            }
        }
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
