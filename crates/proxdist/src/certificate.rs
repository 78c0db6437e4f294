//! How good a result is, from measurements on all data.

use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Data};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::linalg::{norm, norm_squared};
use crate::loss::Loss;
use crate::objective::Objective;
use crate::polish::gap;
use crate::sampling::monitor_sample;
use crate::solver::Penalty;
use serde::{Deserialize, Serialize};

/// What can be said about a result $\hat\theta \in C$.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Distance to the set of the iterate that the last projection started from.
    pub distance: f64,
    /// $L\,\|\hat\theta - P_C(\hat\theta - \nabla F(\hat\theta)/L)\|$ on all data: zero at a stationary point. With an L1 penalty its
    /// proximal map takes the place of $P_C$.
    pub stationarity: f64,
    /// The $L$ of the line above, the largest curvature of F at the result, estimated on a sample of rows.
    pub curvature: f64,
    /// A change of F that counts as none: $10^{-8}F(\hat\theta)$, or $10^{-14}F(0)$ where the model fits so well that only rounding errors are left.
    #[serde(default)]
    pub negligible: f64,
    /// An upper bound on $F(\hat\theta) - \min_C F$, for sets where one is computable.
    pub gap: Option<f64>,
    /// For sets that limit how many features or groups are used: what is known about other choices.
    #[serde(default)]
    pub exchanges: Exchanges,
    /// Whether the convergence theorems cover the schedule.
    pub schedule_meets_theory: bool,
}

impl Certificate {
    /// Whether the result is stationary: a step along the gradient could change F by a negligible amount at most.
    pub fn is_stationary(&self) -> bool {
        self.stationarity * self.stationarity / (2.0 * self.curvature) <= self.negligible
    }
}

/// Rows on which the largest curvature is estimated, and power iterations for it.
const SAMPLE: usize = 500;
const POWER_STEPS: usize = 12;

/// The largest eigenvalue of the Hessian of F at `theta`, from a sample of rows; a little too large rather than too small.
pub(crate) fn largest_curvature(data: &Data, loss: &dyn Loss, ridge: f64, theta: &[f64], seed: u64) -> Result<f64> {
    let rows = monitor_sample(seed, data.rows(), SAMPLE.min(data.rows()));
    let mut batch = Batch::default();
    batch.fill(data, &rows)?;
    let columns = data.columns();
    let block = batch.rows();
    let every_column = crate::data::Support::default();
    let intercept = theta.get(columns).copied();
    let mut predictors = vec![0.0; rows.len()];
    block.times(&theta[..columns], &every_column, &mut predictors);
    for (predictor, offset) in predictors.iter_mut().zip(batch.offset()) {
        *predictor += offset + intercept.unwrap_or(0.0);
    }
    let mut curvatures = vec![0.0; rows.len()];
    loss.weighted_curvatures(&predictors, batch.response(), batch.weights(), &mut curvatures);
    if curvatures.iter().all(|curvature| *curvature == 0.0) {
        // All rows lie on straight pieces of the loss; its steepest bend says how far a step may trust the gradient.
        let bend = loss.curvature_bound().unwrap_or(1.0);
        curvatures.iter_mut().zip(batch.weights()).for_each(|(curvature, weight)| *curvature = bend * weight);
    }
    // A start that no eigenvector is orthogonal to in practice: unequal entries of both signs.
    let mut v: Vec<f64> = (0..theta.len()).map(|j| ((j as f64 + 1.0) * 0.754_877_666).fract() - 0.4).collect();
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        let length = norm(&v);
        if length == 0.0 || !length.is_finite() {
            break;
        }
        v.iter_mut().for_each(|v| *v /= length);
        block.times(&v[..columns], &every_column, &mut predictors);
        let shift = v.get(columns).copied().unwrap_or(0.0);
        predictors.iter_mut().zip(&curvatures).for_each(|(p, w)| *p = (*p + shift) * w);
        v.fill(0.0);
        block.add_transpose_times(&predictors, &mut v[..columns]);
        if let Some(last) = v.get_mut(columns) {
            *last = predictors.iter().sum();
        }
        largest = norm(&v);
    }
    Ok((1.1 * largest + ridge).max(f64::MIN_POSITIVE))
}

/// $L\,\|\theta - P_C(\theta - \nabla F(\theta)/L)\|$, given the gradient.
pub(crate) fn stationarity(
    constraint: &dyn Constraint,
    columns: usize,
    theta: &[f64],
    gradient: &[f64],
    curvature: f64,
) -> Result<f64> {
    let mut moved: Vec<f64> = theta.iter().zip(gradient).map(|(t, g)| t - g / curvature).collect();
    constraint.project(&mut moved[..columns], &mut Workspace::default())?;
    moved.iter_mut().zip(theta).for_each(|(m, t)| *m -= t);
    Ok(curvature * norm_squared(&moved).sqrt())
}

/// The same with the proximal map of a penalty in place of the projection.
fn penalised_stationarity(penalty: Penalty, columns: usize, theta: &[f64], gradient: &[f64], curvature: f64) -> f64 {
    let mut moved: Vec<f64> = theta.iter().zip(gradient).map(|(t, g)| t - g / curvature).collect();
    penalty.prox(1.0 / curvature, &mut moved[..columns]);
    moved.iter_mut().zip(theta).for_each(|(m, t)| *m -= t);
    curvature * norm_squared(&moved).sqrt()
}

/// A result, and what is known of it before it is measured.
pub(crate) struct Reached<'a> {
    pub(crate) theta: &'a [f64],
    /// Distance to the set of the iterate it is the projection of.
    pub(crate) distance: f64,
    /// F and its gradient on all data, if the finish has seen them.
    pub(crate) known: Option<(f64, Vec<f64>)>,
    pub(crate) exchanges: Exchanges,
}

/// Measures a result on all data; returns F with it, which the same pass gives. `l1` weighs a penalty that belongs to F.
pub(crate) fn certify(
    objective: Objective,
    constraint: &dyn Constraint,
    reached: Reached,
    schedule_meets_theory: bool,
    l1: f64,
    seed: u64,
) -> Result<(Certificate, f64)> {
    let Reached { theta, distance, known, exchanges } = reached;
    let Objective { data, loss, ridge } = objective;
    let (mut value, gradient) = if let Some(known) = known {
        known
    } else {
        let mut gradient = vec![0.0; theta.len()];
        (objective.gradient(theta, &mut gradient)?, gradient)
    };
    let curvature = largest_curvature(data, loss, ridge, theta, seed)?;
    let stationarity = if l1 > 0.0 {
        value += l1 * objective.l1_norm(theta);
        penalised_stationarity(Penalty::L1(l1), data.columns(), theta, &gradient, curvature)
    } else {
        stationarity(constraint, data.columns(), theta, &gradient, curvature)?
    };
    let gap =
        if constraint.is_convex() && l1 == 0.0 { gap(constraint, data.columns(), &gradient, theta) } else { None };
    // No row of X is read for zero coefficients.
    let at_zero = objective.value(&vec![0.0; theta.len()]);
    let negligible = (1e-8 * value.abs()).max(1e-14 * at_zero.abs()) + f64::MIN_POSITIVE;
    let certificate =
        Certificate { distance, stationarity, curvature, negligible, gap, exchanges, schedule_meets_theory };
    Ok((certificate, value))
}
