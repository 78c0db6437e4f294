//! A quadratic function as a least-squares problem of as many rows as there are columns.
//!
//! F near a point $\theta_t$, or everywhere if it is quadratic, is $F_t + g^Td + \tfrac12d^THd$ with $d = \theta - \theta_t$. With the intercept at its best for each $\theta$
//! it is the same function of $\theta$ alone, with $H - hh^T/h_0$ and $g - hg_0/h_0$. From a factor $H = R^TR$ it becomes
//! $$\tfrac12\|R\theta - y\|^2 + \text{constant}, \qquad y = R\theta_t - R^{-T}g,$$
//! the squared loss of the rows of $R$: every finish over every set works on it as on any other data. A row of zeros carries the constant.
//!
//! The factor is Cholesky's, on columns scaled to diagonal 1; if $H$ is singular, that of its eigenvectors, without those that only rounding gives a length.

use super::frame::{Bent, Frame, Looked};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Eigen, dot, norm_squared};
use crate::shape::Shape;

/// Eigenvalues below this share of the largest are rounding.
const SMALLEST: f64 = 1e-13;
/// A diagonal below this share of the largest belongs to a column without extent, which F does not depend on.
const FLAT: f64 = 1e-24;
/// The least share of F that is left in the model of a loss that is not quadratic, so that it remains a size to compare with.
const LEFT: f64 = 0.1;

/// The rows, and what the intercept needs.
pub(super) struct Pseudo {
    columns: usize,
    shape: Shape,
    values: Vec<f64>,
    response: Vec<f64>,
    /// The best intercept in the coordinates of sums at $\theta_t$, less what it was there, and how it changes with each coefficient.
    intercept: Option<(f64, Vec<f64>)>,
    /// Where the model was made, in the coordinates of sums.
    at: (Vec<f64>, f64),
}

impl Pseudo {
    /// The model at a parameter of the fit. The diagonal is raised by the share `damping` of itself.
    pub(super) fn new(
        frame: &Frame,
        theta: &[f64],
        (looked, bent): (&Looked, &Bent),
        damping: f64,
        is_quadratic: bool,
    ) -> Result<Self> {
        let columns = frame.layout.coefficient_count();
        let at = frame.inward(theta);
        let (mut matrix, mut gradient) = (bent.matrix.clone(), looked.plain[..columns].to_vec());
        let mut value = looked.plain_value;
        let own = bent.border[columns];
        let intercept = match looked.plain.get(columns) {
            Some(&slope) if own > 0.0 => {
                let border = &bent.border[..columns];
                for (j, row) in matrix.chunks_exact_mut(columns).enumerate() {
                    row.iter_mut().zip(border).for_each(|(entry, h)| *entry -= border[j] * h / own);
                }
                gradient.iter_mut().zip(border).for_each(|(g, h)| *g -= h * slope / own);
                value -= 0.5 * slope * slope / own;
                Some((-slope / own, border.iter().map(|h| -h / own).collect()))
            }
            _ => None,
        };
        (0..columns).for_each(|j| matrix[j * columns + j] *= 1.0 + damping);
        let factor = Factor::of(&matrix, columns)?;
        let own = factor.against(&gradient);
        let rest = 2.0 * value - norm_squared(&own);
        let rest = if is_quadratic { rest.max(0.0) } else { rest.max(LEFT * 2.0 * value.abs()) };
        let mut response = factor.times(&at.0);
        response.iter_mut().zip(&own).for_each(|(y, u)| *y -= u);
        let mut values = factor.rows;
        values.resize(values.len() + columns, 0.0);
        response.push(rest.sqrt());
        // F is a mean over rows, and the fit has its own units.
        let root = (response.len() as f64).sqrt();
        for row in values.chunks_exact_mut(columns.max(1)) {
            row.iter_mut().zip(frame.stretch()).for_each(|(x, t)| *x *= root / t);
        }
        response.iter_mut().for_each(|y| *y *= root);
        Ok(Self { columns, shape: frame.layout.shape(), values, response, intercept, at })
    }

    /// The rows as data, in the units of the fit.
    pub(super) fn data(&self) -> Result<Data<'_>> {
        let data = Data::dense(&self.values, self.columns, &self.response)?;
        match self.shape {
            Shape::Matrix { rows, columns } => data.shape(rows, columns),
            Shape::Vector(_) => Ok(data),
        }
    }

    /// A parameter of the fit with these coefficients and the intercept that is best for them.
    pub(super) fn completed(&self, frame: &Frame, coefficients: &[f64]) -> Vec<f64> {
        let inner = match &self.intercept {
            None => self.at.1,
            Some((first, slopes)) => {
                let (before, stretch) = (&self.at.0, frame.stretch());
                let moved = (0..self.columns).map(|j| slopes[j] * (coefficients[j] / stretch[j] - before[j]));
                self.at.1 + first + moved.sum::<f64>()
            }
        };
        frame.outward(coefficients, inner)
    }
}

/// $R$ with $R^TR = H$, row by row, and its use against a gradient.
struct Factor {
    size: usize,
    rows: Vec<f64>,
    scales: Vec<f64>,
    kind: Kind,
}

enum Kind {
    Triangular(Cholesky),
    /// The roots of the eigenvalues that are kept; row $k$ of $R$ is that root times the eigenvector.
    Spectral(Vec<f64>),
}

impl Factor {
    fn of(matrix: &[f64], size: usize) -> Result<Self> {
        let largest = (0..size).map(|j| matrix[j * size + j]).fold(0.0, f64::max);
        let scale = |j: usize| if matrix[j * size + j] > FLAT * largest { matrix[j * size + j].sqrt() } else { 0.0 };
        let scales: Vec<f64> = (0..size).map(scale).collect();
        let scaled = |j: usize, k: usize| match scales[j] * scales[k] {
            0.0 => f64::from(u8::from(j == k)),
            product => matrix[j * size + k] / product,
        };
        let mut cholesky = Cholesky::default();
        for (j, row) in cholesky.matrix(size).chunks_exact_mut(size.max(1)).enumerate() {
            row.iter_mut().enumerate().for_each(|(k, entry)| *entry = scaled(j, k));
        }
        let own: Vec<f64> = cholesky.matrix(size).to_vec();
        if cholesky.factor() && cholesky.least_pivot() > SMALLEST.sqrt() {
            let mut rows = vec![0.0; size * size];
            let lower = cholesky.matrix(size);
            for k in 0..size {
                for j in k..size {
                    rows[k * size + j] = lower[k * size + j] * scales[j];
                }
            }
            return Ok(Self { size, rows, scales, kind: Kind::Triangular(cholesky) });
        }
        let Some(eigen) = Eigen::of(&own, size) else { return Err(Error::Overflows { objective: f64::NAN }) };
        let most = eigen.values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..size).filter(|&k| eigen.values[k] > SMALLEST * most).collect();
        let roots: Vec<f64> = kept.iter().map(|&k| eigen.values[k].sqrt()).collect();
        let row = |(&k, root): (&usize, &f64)| -> Vec<f64> {
            eigen.vector(k).iter().zip(&scales).map(|(v, s)| root * v * s).collect()
        };
        let rows = kept.iter().zip(&roots).flat_map(row).collect();
        Ok(Self { size, rows, scales, kind: Kind::Spectral(roots) })
    }

    /// $R\phi$
    fn times(&self, point: &[f64]) -> Vec<f64> {
        self.rows.chunks_exact(self.size.max(1)).map(|row| dot(row, point)).collect()
    }

    /// $u$ with $R^Tu = g$, as far as $g$ is in the range.
    fn against(&self, gradient: &[f64]) -> Vec<f64> {
        let over = |value: f64, scale: f64| if scale > 0.0 { value / scale } else { 0.0 };
        let mut scaled: Vec<f64> = gradient.iter().zip(&self.scales).map(|(&g, &s)| over(g, s)).collect();
        match &self.kind {
            Kind::Triangular(cholesky) => {
                cholesky.solve_lower(&mut scaled);
                scaled
            }
            Kind::Spectral(roots) => {
                let unscaled = |row: &[f64]| -> f64 {
                    row.iter().zip(&self.scales).zip(&scaled).map(|((&r, &s), g)| over(r, s) * g).sum()
                };
                self.rows.chunks_exact(self.size).zip(roots).map(|(row, root)| unscaled(row) / (root * root)).collect()
            }
        }
    }
}
