//! The factors of a coefficient matrix: $\Theta = \sum_k\sigma_ku_kv_k^T$, the largest $\sigma_k$ first.
//!
//! With $g_j = (\sqrt{\sigma_k}\,u_{jk})_k$ for a feature and $h_m = (\sqrt{\sigma_k}\,v_{mk})_k$ for an output the coefficient is the inner product $g_j^Th_m$, so features and outputs can be drawn in one picture: a biplot (Gabriel 1971).

use super::model::OutputsModel;
use crate::linalg::{Eigen, add_transposed_product, dot};

/// Share of the largest singular value below which another one is rounding: squares have half the digits.
const NOTHING: f64 = 1e-7;

/// The factors of a coefficient matrix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutputFactors {
    /// Singular values, the largest first; as many as the rank.
    pub values: Vec<f64>,
    /// A number for each feature and factor, feature by feature, with $\sqrt{\sigma_k}$ in it.
    pub features: Vec<f64>,
    /// A number for each output and factor, output by output, with $\sqrt{\sigma_k}$ in it.
    pub outputs: Vec<f64>,
}

impl OutputsModel {
    /// The factors; `None` if all coefficients are zero or the decomposition fails. The largest entry of an output is positive.
    pub fn factors(&self) -> Option<OutputFactors> {
        factors_of(&self.coefficients, self.outputs.len())
    }
}

/// The factors of a matrix with so many columns, row by row: its rows take the part of features, its columns that of outputs.
pub fn factors_of(matrix: &[f64], columns: usize) -> Option<OutputFactors> {
    let (rows, size) = (matrix.len().checked_div(columns)?, columns);
    let mut square = vec![0.0; size * size];
    add_transposed_product(matrix, matrix, size, size, &mut square);
    let eigen = Eigen::of(&square, size)?;
    let value = |number: usize| eigen.values[number].max(0.0).sqrt();
    let largest = value(size - 1);
    // Eigenvalues ascend.
    let kept: Vec<usize> = (0..size).rev().filter(|&number| value(number) > NOTHING * largest).collect();
    if kept.is_empty() || !largest.is_finite() {
        return None;
    }
    let rank = kept.len();
    let values: Vec<f64> = kept.iter().map(|&number| value(number)).collect();
    let (mut of_rows, mut of_columns) = (vec![0.0; rows * rank], vec![0.0; size * rank]);
    for (place, &number) in kept.iter().enumerate() {
        let vector = eigen.vector(number);
        let top = vector.iter().copied().fold(0.0, |top: f64, v| if v.abs() > top.abs() { v } else { top });
        let (sign, root) = (if top < 0.0 { -1.0 } else { 1.0 }, values[place].sqrt());
        vector.iter().enumerate().for_each(|(k, v)| of_columns[k * rank + place] = sign * root * v);
        for (j, row) in matrix.chunks_exact(size).enumerate() {
            of_rows[j * rank + place] = sign * dot(row, vector) / root;
        }
    }
    Some(OutputFactors { values, features: of_rows, outputs: of_columns })
}
