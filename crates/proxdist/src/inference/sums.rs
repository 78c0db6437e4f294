//! The sums over rows that standard errors are made of.
//!
//! With $z_i$ the chosen features of row $i$, centred and scaled, and 1 for the intercept,
//! $$E = \sum w_iI(\eta_i)z_iz_i^T, \quad A = \sum w_i\ell''(\eta_i; y_i)z_iz_i^T, \quad B = \sum w_i^2\ell'(\eta_i; y_i)^2z_iz_i^T, \quad g = \sum w_i\ell'(\eta_i; y_i)z_i$$
//! are the expected information, the observed one, the spread of the scores and the gradient. Columns in raw units may spread over many decades and lie far from zero; in the
//! coordinates of $z$ neither costs digits, and what is found there is brought back by a linear map.

use crate::data::{Data, Pass};
use crate::error::{Error, Result};
use crate::linalg::axpy;
use crate::loss::{Family, Loss};
use crate::metrics;

/// A column whose deviation is a smaller share of its mean than this is constant.
const CONSTANT: f64 = 1e-13;

/// Where a model stands on rows: predictors, and which columns it uses.
pub(super) struct Place<'p> {
    pub(super) data: &'p Data<'p>,
    pub(super) loss: &'p dyn Loss,
    /// Columns with a coefficient that is not zero.
    pub(super) support: &'p [usize],
    pub(super) has_intercept: bool,
    pub(super) predictors: Vec<f64>,
}

/// The sums, in the coordinates of centred and scaled columns.
pub(super) struct Sums {
    /// Numbers that are estimated.
    pub(super) size: usize,
    /// What was subtracted from each column, and what it was then divided by.
    pub(super) centers: Vec<f64>,
    pub(super) scales: Vec<f64>,
    pub(super) expected: Vec<f64>,
    pub(super) observed: Vec<f64>,
    pub(super) scores: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// Rows with a positive weight.
    pub(super) rows: usize,
    /// $\sum w_i(y_i - \mu_i)^2/V(\mu_i)$
    pub(super) pearson: f64,
}

impl<'p> Place<'p> {
    pub(super) fn new(
        data: &'p Data<'p>,
        loss: &'p dyn Loss,
        support: &'p [usize],
        (coefficients, intercept): (&[f64], Option<f64>),
    ) -> Result<Self> {
        let predictors = metrics::linear_predictors(data, coefficients, intercept.unwrap_or(0.0))?;
        Ok(Self { data, loss, support, has_intercept: intercept.is_some(), predictors })
    }

    /// All sums, in two readings of the chosen columns.
    pub(super) fn sums(&self) -> Result<Sums> {
        let (centers, scales) = self.units()?;
        let (count, data) = (self.support.len(), self.data);
        let size = count + usize::from(self.has_intercept);
        let square = size * size;
        let family = self.loss.family();
        let total = Pass::over(data, 3 * square + size).columns(Some(self.support)).sum(
            3 * square + size,
            || (Vec::new(), vec![0.0; size]),
            |sums, (block, row), chunk| {
                let picked = chunk.pick(self.support, block);
                for i in 0..chunk.len() {
                    let weight = chunk.weight(i);
                    if weight == 0.0 {
                        continue;
                    }
                    let (eta, y) = (self.predictors[chunk.first + i], chunk.response[i]);
                    let cells = &picked[i * count..(i + 1) * count];
                    for (j, (out, x)) in row.iter_mut().zip(cells).enumerate() {
                        *out = (x - centers[j]) / scales[j];
                    }
                    if self.has_intercept {
                        row[count] = 1.0;
                    }
                    let slope = weight * self.loss.slope(eta, y);
                    let curvature = weight * self.loss.curvature(eta, y);
                    let factors =
                        [weight * family.map_or(0.0, |family| family.information(eta)), curvature, slope * slope];
                    let (squares, gradient) = sums.split_at_mut(3 * square);
                    for (factor, part) in factors.iter().zip(squares.chunks_mut(square)) {
                        add_square(*factor, row, part);
                    }
                    axpy(slope, row, gradient);
                }
            },
        )?;
        let part = |k: usize| {
            let mut matrix = total[k * square..(k + 1) * square].to_vec();
            crate::linalg::mirror(&mut matrix, size);
            matrix
        };
        let (rows, pearson) = self.spread(family);
        let sums = Sums {
            size,
            centers,
            scales,
            expected: part(0),
            observed: part(1),
            scores: part(2),
            gradient: total[3 * square..].to_vec(),
            rows,
            pearson,
        };
        if total.iter().all(|value| value.is_finite()) { Ok(sums) } else { Err(self.overflow()) }
    }

    fn overflow(&self) -> Error {
        let row = self.predictors.iter().position(|eta| !eta.exp().is_finite() || !eta.is_finite()).unwrap_or(0);
        Error::NotFiniteData { what: "information", row, column: None, value: f64::INFINITY }
    }

    /// Rows that count, and what they say about the dispersion.
    fn spread(&self, family: Option<Family>) -> (usize, f64) {
        let (mut rows, mut pearson) = (0, 0.0);
        for (row, (&eta, &y)) in self.predictors.iter().zip(self.data.response()).enumerate() {
            let weight = self.data.weight(row);
            if weight > 0.0 {
                rows += 1;
                pearson += weight * family.map_or(0.0, |family| family.pearson(eta, y));
            }
        }
        (rows, pearson)
    }

    /// A centre and a size of each chosen column: weighted mean and deviation with an intercept, zero and root mean square without.
    fn units(&self) -> Result<(Vec<f64>, Vec<f64>)> {
        let count = self.support.len();
        let weights = self.data.weight_sum();
        let moments = |centers: Option<&[f64]>| {
            Pass::over(self.data, count).columns(Some(self.support)).sum(
                count,
                Vec::new,
                |sums, block: &mut Vec<f64>, chunk| {
                    let picked = chunk.pick(self.support, block);
                    for i in 0..chunk.len() {
                        let weight = chunk.weight(i) / weights;
                        for (j, x) in picked[i * count..(i + 1) * count].iter().enumerate() {
                            sums[j] += match centers {
                                None => weight * x,
                                Some(centers) => weight * (x - centers[j]) * (x - centers[j]),
                            };
                        }
                    }
                },
            )
        };
        let centers = if self.has_intercept { moments(None)? } else { vec![0.0; count] };
        let squares = moments(Some(&centers))?;
        // What is left of a constant column is rounding: it becomes a column of zeros.
        let scale = |(square, center): (&f64, &f64)| {
            let deviation = square.sqrt();
            if deviation > CONSTANT * center.abs() { deviation } else { f64::INFINITY }
        };
        let scales = squares.iter().zip(&centers).map(scale).collect();
        Ok((centers, scales))
    }
}

/// Adds a multiple of $zz^T$, one triangle of it.
fn add_square(factor: f64, row: &[f64], out: &mut [f64]) {
    if factor == 0.0 {
        return;
    }
    let size = row.len();
    for (j, z) in row.iter().enumerate() {
        let scaled = factor * z;
        out[j * size + j..(j + 1) * size].iter_mut().zip(&row[j..]).for_each(|(out, z)| *out += scaled * z);
    }
}
