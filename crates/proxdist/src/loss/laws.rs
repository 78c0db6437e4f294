//! Whether the derivatives of a loss are what they say, at one row: for tests of losses, your own included.
//!
//! With a small step $h$ along each predictor the gradient must be the central difference of the values; each entry of the Hessian must lie between
//! the differences of the gradient to either side, which are the same unless the gradient has a kink there. The Hessian must be
//! symmetric and positive semidefinite, as it is for every convex loss.

use super::RowLoss;

/// A law that a loss breaks; predictors are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenLaw {
    /// The gradient is not the slope of the values.
    #[error("the gradient in predictor {predictor} is {told}, but values change by {found} per unit")]
    Gradient {
        /// The predictor.
        predictor: usize,
        /// What the loss says.
        told: f64,
        /// The central difference.
        found: f64,
    },
    /// The Hessian is not the change of the gradient.
    #[error("the Hessian at ({row}, {column}) is {told}, but the gradient changes by {low} to {high} per unit")]
    Hessian {
        /// Entry of the gradient.
        row: usize,
        /// The predictor that moves.
        column: usize,
        /// What the loss says.
        told: f64,
        /// The smaller one-sided difference.
        low: f64,
        /// The larger one.
        high: f64,
    },
    /// The Hessian is not symmetric.
    #[error("the Hessian is not symmetric at ({row}, {column})")]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// The Hessian has a direction of negative curvature.
    #[error("the Hessian is not positive semidefinite")]
    Indefinite,
}

/// The step of the differences.
const STEP: f64 = 1e-5;

/// Checks gradient and Hessian of a loss at the predictors of one row, as many as the loss has, to about four digits of the largest of value, gradient and Hessian. It is
/// meant for predictors of moderate size.
///
/// ```
/// use proxdist::loss::{Logistic, Poisson, check_derivatives};
///
/// assert_eq!(check_derivatives(&Logistic, &[0.3], &[1.0]), Ok(()));
/// assert_eq!(check_derivatives(&Poisson, &[-1.0], &[4.0]), Ok(()));
/// ```
pub fn check_derivatives(loss: &dyn RowLoss, predictors: &[f64], response: &[f64]) -> Result<(), BrokenLaw> {
    let size = loss.predictors();
    let gradient_at = |at: &[f64]| {
        let mut gradient = vec![0.0; size];
        loss.row_gradient(at, response, &mut gradient);
        gradient
    };
    let moved = |along: usize, by: f64| {
        let mut at = predictors.to_vec();
        at[along] += by;
        at
    };
    let gradient = gradient_at(predictors);
    let mut hessian = vec![0.0; size * size];
    loss.row_hessian(predictors, response, &mut hessian);
    let largest = gradient.iter().chain(&hessian).fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = 1.0 + loss.row_value(predictors, response).abs() + largest;
    for along in 0..size {
        let (below, above) = (moved(along, -STEP), moved(along, STEP));
        let found = (loss.row_value(&above, response) - loss.row_value(&below, response)) / (2.0 * STEP);
        let told = gradient[along];
        if is_apart(found, told, 1e-5 * scale) {
            return Err(BrokenLaw::Gradient { predictor: along, told, found });
        }
        let (below, above) = (gradient_at(&below), gradient_at(&above));
        for row in 0..size {
            let sides = [(gradient[row] - below[row]) / STEP, (above[row] - gradient[row]) / STEP];
            let (low, high, told) = (sides[0].min(sides[1]), sides[0].max(sides[1]), hessian[row * size + along]);
            if !(low - 1e-4 * scale <= told && told <= high + 1e-4 * scale) {
                return Err(BrokenLaw::Hessian { row, column: along, told, low, high });
            }
            if is_apart(told, hessian[along * size + row], 1e-12 * scale) {
                return Err(BrokenLaw::Asymmetric { row, column: along });
            }
        }
    }
    if is_semidefinite(&mut hessian, size, 1e-10 * scale) { Ok(()) } else { Err(BrokenLaw::Indefinite) }
}

/// Whether two numbers differ by more than a little, or are none.
fn is_apart(one: f64, other: f64, slack: f64) -> bool {
    let difference = (one - other).abs();
    difference > slack || difference.is_nan()
}

/// Whether a symmetric matrix, once its diagonal is raised by `slack`, has a Cholesky factor, which takes its place.
fn is_semidefinite(matrix: &mut [f64], size: usize, slack: f64) -> bool {
    for i in 0..size {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let left = matrix[i * size + j] - known;
            if i > j {
                matrix[i * size + j] = left / matrix[j * size + j];
            } else if left + slack > 0.0 {
                matrix[i * size + i] = (left + slack).sqrt();
            } else {
                return false;
            }
        }
    }
    true
}
