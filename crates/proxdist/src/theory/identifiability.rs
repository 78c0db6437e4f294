//! When there is no $\mu > 0$: which coefficients the data cannot tell apart, and what helps.

use super::curvature::MOST_DIMENSIONS;
use super::{Flat, TheoryFault};
use crate::error::{Error, Result};
use crate::linalg::Eigen;
use crate::problem::Problem;

/// Columns named in a message.
const NAMED: usize = 5;
/// Entries of a flat direction below this share of its largest are left out of the message.
const NOTABLE: f64 = 0.05;

/// Refuses Hessians that are too large to decompose.
pub(super) fn refuse_large(dimension: usize) -> Result<()> {
    if dimension <= MOST_DIMENSIONS {
        return Ok(());
    }
    Err(Error::Theory(Box::new(TheoryFault::TooLarge { dimension, most: MOST_DIMENSIONS })))
}

/// Refuses a Hessian whose least eigenvalue is zero to rounding. `columns` are the features of its rows, if they are features;
/// a row after the last is the intercept.
pub(super) fn refuse_flat(problem: &Problem, eigen: Option<&Eigen>, columns: Option<&[usize]>) -> Result<()> {
    let refused = |fault: TheoryFault| Err(Error::Theory(Box::new(fault)));
    let Some(eigen) = eigen else { return refused(TheoryFault::NotFinite) };
    let (Some(least), Some(largest)) = (eigen.values.first(), eigen.values.last()) else {
        return refused(TheoryFault::NoCoefficient);
    };
    let size = eigen.values.len();
    if *least > 4.0 * size as f64 * f64::EPSILON * largest {
        return Ok(());
    }
    let (has_intercept, has_ridge) = (problem.has_intercept(), problem.ridge_weight() > 0.0);
    refused(TheoryFault::Flat { why: explanation(problem, eigen, columns), has_intercept, has_ridge })
}

fn explanation(problem: &Problem, eigen: &Eigen, columns: Option<&[usize]>) -> Flat {
    let (rows, size) = (problem.data().rows(), eigen.values.len());
    if eigen.values[size - 1] <= 0.0 {
        return Flat::Everywhere;
    }
    if rows < size {
        return Flat::FewRows { rows, coefficients: size };
    }
    let Some(columns) = columns else { return Flat::Matrix };
    let flat = eigen.vector(0);
    let largest = flat.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    let mut involved: Vec<usize> = (0..size).filter(|&j| flat[j].abs() >= NOTABLE * largest).collect();
    involved.sort_by(|&i, &j| flat[j].abs().total_cmp(&flat[i].abs()).then(i.cmp(&j)));
    let names: Vec<String> = involved.iter().take(NAMED).map(|&j| name(problem, columns.get(j).copied())).collect();
    match (&names[..], involved.len()) {
        ([name], _) => Flat::Column { name: name.clone() },
        (_, count) if count <= NAMED => Flat::Columns { names },
        (_, count) => Flat::ManyColumns { count, names },
    }
}

fn name(problem: &Problem, column: Option<usize>) -> String {
    match (column, problem.data().feature_names()) {
        (None, _) => "(intercept)".to_owned(),
        (Some(j), Some(names)) => names[j].clone(),
        (Some(j), None) => format!("V{}", j + 1),
    }
}
