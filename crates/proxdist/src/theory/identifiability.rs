//! When there is no $\mu > 0$: which coefficients the data cannot tell apart, and what helps.

use super::curvature::MOST_DIMENSIONS;
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
    Err(Error::Theory {
        reason: format!(
            "mu needs the eigenvalues of a {dimension} x {dimension} Hessian, and {MOST_DIMENSIONS} is the most"
        ),
        remedy: "use fewer features, or a sparsity set, whose mu is that of the support".to_owned(),
    })
}

/// Refuses a Hessian whose least eigenvalue is zero to rounding. `columns` are the features of its rows, if they are features;
/// a row after the last is the intercept.
pub(super) fn refuse_flat(problem: &Problem, eigen: Option<&Eigen>, columns: Option<&[usize]>) -> Result<()> {
    // An intercept is not shrunk, so there the ridge is no bound by itself.
    let remedy = if problem.has_intercept() {
        "a ridge term makes mu positive, and without an intercept mu >= lambda".to_owned()
    } else {
        "a ridge term lambda gives mu >= lambda".to_owned()
    };
    let Some(eigen) = eigen else {
        let reason = "the Hessian at the solution is not finite".to_owned();
        return Err(Error::Theory { reason, remedy: "scale large features down".to_owned() });
    };
    let (Some(least), Some(largest)) = (eigen.values.first(), eigen.values.last()) else {
        let reason = "mu is not defined: the solution has no nonzero coefficient".to_owned();
        return Err(Error::Theory { reason, remedy: "allow more coefficients".to_owned() });
    };
    let size = eigen.values.len();
    if *least > 4.0 * size as f64 * f64::EPSILON * largest {
        return Ok(());
    }
    let reason = format!("mu = 0: {}", explanation(problem, eigen, columns));
    // An intercept is never shrunk, so a column that equals it must go.
    let remedy = if problem.has_intercept() && problem.ridge_weight() > 0.0 {
        "leave those columns or the intercept out".to_owned()
    } else {
        format!("{remedy}, or leave columns out")
    };
    Err(Error::Theory { reason, remedy })
}

fn explanation(problem: &Problem, eigen: &Eigen, columns: Option<&[usize]>) -> String {
    let (rows, size) = (problem.data().rows(), eigen.values.len());
    if eigen.values[size - 1] <= 0.0 {
        return "no row has any curvature at the solution".to_owned();
    }
    if rows < size {
        return format!("{rows} rows cannot determine {size} coefficients");
    }
    let Some(columns) = columns else { return "some change of the matrix leaves every prediction as it is".to_owned() };
    let flat = eigen.vector(0);
    let largest = flat.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    let mut involved: Vec<usize> = (0..size).filter(|&j| flat[j].abs() >= NOTABLE * largest).collect();
    involved.sort_by(|&i, &j| flat[j].abs().total_cmp(&flat[i].abs()).then(i.cmp(&j)));
    let names: Vec<String> = involved.iter().take(NAMED).map(|&j| name(problem, columns.get(j).copied())).collect();
    match (&names[..], involved.len()) {
        ([one], _) => format!("column {one} changes no prediction where the loss is curved"),
        (_, all) if all <= NAMED => format!("a combination of the columns {} changes no prediction", names.join(", ")),
        (_, all) => format!("a combination of {all} columns changes no prediction, among them {}", names.join(", ")),
    }
}

fn name(problem: &Problem, column: Option<usize>) -> String {
    match (column, problem.data().feature_names()) {
        (None, _) => "(intercept)".to_owned(),
        (Some(j), Some(names)) => names[j].clone(),
        (Some(j), None) => format!("V{}", j + 1),
    }
}
