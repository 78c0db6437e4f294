//! A quadratic F on few columns, from one matrix: minimisers on any support without another look at the data.
//!
//! Around $\theta = 0$ let $s_i$ and $c_i$ be the slope and curvature of row $i$, weights included. With an intercept the columns are
//! centred by their $c$-weighted means, which takes the intercept out exactly: it costs $\tfrac12(\sum s_i)^2/\sum c_i$ less than F
//! at zero, whatever $\theta$. Then
//! $$F(\theta) = v - b^T\theta + \tfrac12\theta^TG\theta, \quad G = \sum_ic_i\tilde x_i\tilde x_i^T + \lambda I, \quad b = -\sum_is_i\tilde x_i,$$
//! kept with columns divided by $\sqrt{G_{jj}}$, so that units do not matter. Centring before squaring keeps the digits that a
//! column far from zero would lose.

use super::Smooth;
use super::on_data::RowDerivatives;
use crate::data::{Piece, RowBuffer, Support};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{Cholesky, add_cross, axpy, dot, mirror};
use crate::objective::Objective;

/// Numbers that are copied, columns, and operations, up to which the matrix is worth having.
const MOST_COPIED: usize = 1 << 21;
const MOST_COLUMNS: usize = 300;
const MOST_OPERATIONS: f64 = 3e8;
/// Part of a column's square that must be left beside the others for the minimum to be trusted.
const INDEPENDENT: f64 = 1e-7;
/// Part of a column's square that is rounding once its mean has been taken away.
const CONSTANT: f64 = 1e-26;

/// F as a quadratic function of all coefficients.
pub(super) struct Gram {
    /// That of all coefficients.
    layout: Layout,
    size: usize,
    scales: Vec<f64>,
    /// Columns of which nothing is left beside the intercept: they change nothing.
    is_empty: Vec<bool>,
    /// Scaled, full and symmetric.
    matrix: Vec<f64>,
    linear: Vec<f64>,
    constant: f64,
    means: Vec<f64>,
    shift: f64,
    cholesky: Cholesky,
}

impl Gram {
    /// Whether F is quadratic and the matrix cheap.
    pub(super) fn is_affordable(objective: Objective) -> bool {
        let (rows, columns) = (objective.data.rows(), objective.data.columns());
        objective.loss.is_quadratic()
            && columns <= MOST_COLUMNS
            && rows.saturating_mul(columns) <= MOST_COPIED
            && rows as f64 * (columns * columns) as f64 <= MOST_OPERATIONS
    }

    /// The matrix, unless the data are too extreme for it.
    pub(super) fn new(objective: Objective) -> Result<Option<Self>> {
        let (data, layout) = (objective.data, objective.layout());
        let (columns, zero) = (layout.coefficient_count(), layout.zeros());
        let every: Vec<usize> = (0..columns).collect();
        let mut buffer = RowBuffer::default();
        let rows = data.whole(&mut buffer)?;
        let chunk = data.chunk(Piece { first: 0, rows, columns: None });
        let mut derived = RowDerivatives::default();
        let at_zero = derived.measure(objective, &zero, &Support::of(layout.coefficients(&zero)), &chunk);
        let mut x = Vec::new();
        rows.pick(&every, &mut x);
        let RowDerivatives { slopes, curvatures, .. } = derived;
        let bend: f64 = curvatures.iter().sum();
        if bend <= 0.0 || !bend.is_finite() {
            return Ok(None);
        }
        let before = squares(&x, columns);
        let mut means = vec![0.0; columns];
        let (mut shift, mut constant) = (0.0, at_zero);
        if layout.has_intercepts() {
            // Twice: the second pass corrects the rounding of the first.
            for _ in 0..2 {
                let mut excess = vec![0.0; columns];
                for (row, c) in x.chunks_exact(columns).zip(&curvatures) {
                    excess.iter_mut().zip(row).for_each(|(e, x)| *e += c * x);
                }
                excess.iter_mut().for_each(|e| *e /= bend);
                x.chunks_exact_mut(columns).for_each(|row| axpy(-1.0, &excess, row));
                axpy(1.0, &excess, &mut means);
            }
            let slope: f64 = slopes.iter().sum();
            shift = -slope / bend;
            constant -= 0.5 * slope * slope / bend;
        }
        let is_empty: Vec<bool> =
            squares(&x, columns).iter().zip(&before).map(|(after, before)| *after <= CONSTANT * before).collect();
        for row in x.chunks_exact_mut(columns) {
            row.iter_mut().zip(&is_empty).filter(|(_, is_empty)| **is_empty).for_each(|(x, _)| *x = 0.0);
        }
        let mut linear = vec![0.0; columns];
        for (row, (slope, c)) in x.chunks_exact_mut(columns).zip(slopes.iter().zip(&curvatures)) {
            // The slope once the intercept is at its optimum: the same sum, with less to cancel.
            axpy(-(slope + c * shift), row, &mut linear);
            let root = c.sqrt();
            row.iter_mut().for_each(|x| *x *= root);
        }
        let mut scales = squares(&x, columns);
        scales.iter_mut().enumerate().for_each(|(j, s)| *s = (*s + objective.ridge.at(j)).sqrt());
        scales.iter_mut().for_each(|s| *s = if *s > 0.0 && s.is_finite() { *s } else { 1.0 });
        for row in x.chunks_exact_mut(columns) {
            row.iter_mut().zip(&scales).for_each(|(x, s)| *x /= s);
        }
        let mut matrix = vec![0.0; columns * columns];
        add_cross(&x, data.rows(), columns, &mut matrix);
        mirror(&mut matrix, columns);
        for (j, scale) in scales.iter().enumerate() {
            matrix[j * columns + j] += objective.ridge.at(j) / (scale * scale);
            linear[j] /= scale;
        }
        let is_finite = constant.is_finite() && matrix.iter().chain(&linear).all(|v| v.is_finite());
        let cholesky = Cholesky::default();
        let gram = Self { layout, size: columns, scales, is_empty, matrix, linear, constant, means, shift, cholesky };
        Ok(is_finite.then_some(gram))
    }

    /// The minimum of F on a support without regard to any set; `None` if its columns are too nearly dependent to tell.
    pub(super) fn least(&mut self, support: &[usize]) -> Option<f64> {
        let support: Vec<usize> = support.iter().copied().filter(|&j| !self.is_empty[j]).collect();
        let count = support.len();
        if count == 0 {
            return Some(self.constant);
        }
        let matrix = self.cholesky.matrix(count);
        for (a, &j) in support.iter().enumerate() {
            for (b, &k) in support.iter().enumerate() {
                matrix[a * count + b] = self.matrix[j * self.size + k];
            }
        }
        if !self.cholesky.factor() {
            return None;
        }
        // Squared, a diagonal entry of the factor is the part of its column that those before it do not explain.
        let least = self.cholesky.least_pivot();
        if least.is_nan() || least * least < INDEPENDENT {
            return None;
        }
        let right: Vec<f64> = support.iter().map(|&j| self.linear[j]).collect();
        let mut solution = right.clone();
        self.cholesky.solve(&mut solution);
        Some(self.constant - 0.5 * dot(&right, &solution))
    }

    /// F on a support, in the units of the data, without the intercept: it is at its optimum everywhere.
    pub(super) fn restricted(&self, support: &[usize]) -> Quadratic {
        let mut hessian = Vec::with_capacity(support.len() * support.len());
        for &j in support {
            let row = &self.matrix[j * self.size..(j + 1) * self.size];
            hessian.extend(support.iter().map(|&k| row[k] * self.scales[j] * self.scales[k]));
        }
        let linear = support.iter().map(|&j| -self.linear[j] * self.scales[j]).collect();
        Quadratic { value: self.constant, slope: linear, hessian }
    }

    /// The full parameter of coefficients on a support, with the best intercept.
    pub(super) fn spread(&self, support: &[usize], point: &[f64]) -> Vec<f64> {
        let mut theta = self.layout.spread(support, point);
        if let (coefficients, [intercept]) = self.layout.split_mut(&mut theta) {
            *intercept = self.shift - dot(&self.means, coefficients);
        }
        theta
    }
}

/// Sum of the squares of each column.
fn squares(x: &[f64], columns: usize) -> Vec<f64> {
    let mut squares = vec![0.0; columns];
    for row in x.chunks_exact(columns) {
        squares.iter_mut().zip(row).for_each(|(s, x)| *s += x * x);
    }
    squares
}

/// $v + g^Tx + \tfrac12x^THx$
pub(super) struct Quadratic {
    pub(super) value: f64,
    pub(super) slope: Vec<f64>,
    /// Full and symmetric.
    pub(super) hessian: Vec<f64>,
}

impl Smooth for Quadratic {
    fn layout(&self) -> Layout {
        Layout::vector(self.slope.len())
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let mut image = vec![0.0; point.len()];
        self.hessian_times(point, &mut image)?;
        Ok(self.value + dot(&self.slope, point) + 0.5 * dot(&image, point))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.hessian_times(point, gradient)?;
        let value = self.value + dot(&self.slope, point) + 0.5 * dot(gradient, point);
        axpy(1.0, &self.slope, gradient);
        Ok(value)
    }

    fn linearise_with(&mut self, _point: &[f64], _caution: f64) -> Result<()> {
        Ok(())
    }

    fn has_majorant(&self) -> bool {
        false
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        for (out, row) in out.iter_mut().zip(self.hessian.chunks_exact(v.len().max(1))) {
            *out = dot(row, v);
        }
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.hessian);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::loss::Squared;
    use crate::polish::testing::numbers;

    #[test]
    fn it_is_f_at_the_best_intercept_whatever_the_units() {
        let (rows, columns) = (30, 3);
        let mut x = numbers(rows * columns, 1);
        for row in x.chunks_exact_mut(columns) {
            row[0] += 1e4;
            row[2] *= 1e-5;
        }
        let (y, offset) = (numbers(rows, 2), numbers(rows, 3));
        let weights: Vec<f64> = numbers(rows, 4).iter().map(|w| w.abs()).collect();
        let data = Data::dense(&x, columns, &y).unwrap().weights(&weights).unwrap().offset(&offset).unwrap();
        let objective = Objective::new(&data, &Squared, 1e-3);
        for has_intercept in [false, true] {
            let objective = objective.intercept(has_intercept);
            let mut gram = Gram::new(objective).unwrap().unwrap();
            let point = [0.3, 40.0];
            let theta = gram.spread(&[0, 2], &point);
            let expected = objective.value(&theta).unwrap();
            let found = gram.restricted(&[0, 2]).value(&point).unwrap();
            assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
            let mut gradient = vec![0.0; theta.len()];
            objective.gradient(&theta, &mut gradient).unwrap();
            let mut own = vec![0.0; 2];
            gram.restricted(&[0, 2]).gradient(&point, &mut own).unwrap();
            if has_intercept {
                assert!(gradient[3].abs() < 1e-10, "{gradient:?}");
            } else {
                assert!((own[0] - gradient[0]).abs() < 1e-9 * gradient[0].abs(), "{own:?} {gradient:?}");
            }
            assert!(gram.least(&[0, 1]).unwrap() <= gram.least(&[1]).unwrap());
        }
    }

    #[test]
    fn equal_columns_are_not_trusted() {
        let single = numbers(20, 5);
        let x: Vec<f64> = single.iter().flat_map(|&x| [x, x, 0.1]).collect();
        let data = Data::dense(&x, 3, &single).unwrap();
        let mut gram = Gram::new(Objective::new(&data, &Squared, 0.0).intercept(true)).unwrap().unwrap();
        assert!(gram.least(&[0, 1]).is_none());
        assert_eq!(gram.least(&[2]), gram.least(&[]), "nothing is left of a constant beside the intercept");
        assert_eq!(gram.least(&[0, 2]), gram.least(&[0]));
    }
}
