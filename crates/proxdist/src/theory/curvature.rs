//! $\mu$ of Assumption 5, and how far it can be trusted.
//!
//! Along the segment from $\theta_*$ to $\theta = \theta_* + d$ the assumption reads $\int_0^1 t\,d^T\nabla^2F(\theta_* + td)\,d\,dt \ge \tfrac\mu2\|d\|^2$: the least
//! eigenvalue of the Hessian over the segment will do.
//!
//! - A quadratic loss has one Hessian everywhere: its least eigenvalue is $\mu$.
//! - Otherwise, where the support function $h$ of $C$ is known, the predictor of row $i$ stays between $-h(-x_i)$ and $h(x_i)$ on $C$,
//!   and the least curvature of the loss over that range gives a Hessian that is below all others.
//! - Failing that, the Hessian at $\theta_*$ gives a $\mu$ that holds near $\theta_*$ only.
//! - Sets that are not convex are outside the theorems. There the Hessian at $\theta_*$ is restricted to the directions that
//!   stay in the set: the support of $\theta_*$, or the tangent space of the matrices of its rank. This is a heuristic.

use super::identifiability::{refuse_flat, refuse_large};
use super::tangent;
use crate::constraint::{Constraint, Structure};
use crate::data::Pass;
use crate::error::Result;
use crate::linalg::Eigen;
use crate::objective::Objective;
use crate::polish::{OnColumns, OnData, Smooth};
use crate::problem::Problem;
use serde::Serialize;

/// The largest Hessian that is decomposed.
pub(super) const MOST_DIMENSIONS: usize = 2000;

/// What $\mu$ is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The Hessian is the same everywhere: Assumption 5 holds.
    Everywhere,
    /// The least curvature over all of the set: Assumption 5 holds.
    OnSet,
    /// The Hessian at $\theta_*$: Assumption 5 is certain near it only.
    AtSolution,
    /// The Hessian at $\theta_*$ on its support, for sets that are not convex: a heuristic.
    OnSupport,
    /// The Hessian at $\theta_*$ on the matrices tangent to its rank, for sets that are not convex: a heuristic.
    OnTangent,
}

/// $\mu$ and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curvature {
    /// The value that the bounds use.
    pub(super) value: f64,
    /// Its origin.
    pub(super) basis: Basis,
    /// The least eigenvalue of the Hessian at $\theta_*$, on the directions of the basis.
    pub(super) at_solution: f64,
}

impl Curvature {
    /// Finds $\mu$, or says why there is none.
    pub(super) fn of(problem: &Problem, theta: &[f64]) -> Result<Self> {
        let objective = problem.objective();
        let (layout, columns) = (objective.layout(), problem.data().columns());
        let set = problem.constraint();
        let local = |basis, value| Self { value, basis, at_solution: value };
        if !set.is_convex() {
            match set.structure() {
                Structure::Choice(_) => {
                    let support: Vec<usize> = (0..columns).filter(|&j| theta[j] != 0.0).collect();
                    let mut function = OnColumns::new(objective, &support)?;
                    let point = layout.gathered(&support, theta);
                    return Ok(local(Basis::OnSupport, least(problem, &mut function, &point, &support)?));
                }
                Structure::Rank { rank, rows, columns, radius: None } => {
                    let hessian = tangent::hessian(objective, theta, (rank, rows, columns))?;
                    let least = least_eigenvalue(problem, &hessian.entries, hessian.size, None)?;
                    return Ok(local(Basis::OnTangent, least));
                }
                _ => {}
            }
        }
        let every: Vec<usize> = (0..columns).collect();
        let at_solution = least(problem, &mut OnData::new(objective), theta, &every)?;
        if problem.loss().is_quadratic() && set.is_convex() {
            return Ok(local(Basis::Everywhere, at_solution));
        }
        let curvatures =
            if set.is_convex() && !layout.has_intercepts() { least_curvatures(objective, set)? } else { None };
        if let Some(curvatures) = curvatures {
            let mut function = OnData::with_curvatures(objective, curvatures);
            let value = eigen(&mut function)?.map_or(0.0, |eigen| eigen.values[0]);
            // At the size of rounding it says nothing, and the local value is the more useful one.
            if value > 1e-9 * at_solution {
                return Ok(Self { value, basis: Basis::OnSet, at_solution });
            }
        }
        Ok(local(Basis::AtSolution, at_solution))
    }
}

/// The least eigenvalue of the Hessian of `function` at a point; `columns` are the features it is a function of.
fn least(problem: &Problem, function: &mut dyn Smooth, point: &[f64], columns: &[usize]) -> Result<f64> {
    refuse_large(function.dimension())?;
    function.linearise(point)?;
    let size = function.dimension();
    let mut hessian = vec![0.0; size * size];
    function.hessian(&mut hessian)?;
    least_eigenvalue(problem, &hessian, size, Some(columns))
}

fn least_eigenvalue(problem: &Problem, hessian: &[f64], size: usize, columns: Option<&[usize]>) -> Result<f64> {
    let eigen = Eigen::of(hessian, size);
    refuse_flat(problem, eigen.as_ref(), columns)?;
    Ok(eigen.map_or(0.0, |eigen| eigen.values[0]))
}

fn eigen(function: &mut dyn Smooth) -> Result<Option<Eigen>> {
    let size = function.dimension();
    let mut hessian = vec![0.0; size * size];
    function.hessian(&mut hessian)?;
    Ok(Eigen::of(&hessian, size))
}

/// The least curvature of each row over the set, weight and $1/\sum w$ included; `None` where a predictor has no known range.
fn least_curvatures(objective: Objective, set: &dyn Constraint) -> Result<Option<Vec<f64>>> {
    let Objective { data, loss, .. } = objective;
    let scale = 1.0 / data.weight_sum();
    let parts = Pass::over(data, data.columns()).fold(
        || (Vec::new(), vec![0.0; data.columns()]),
        |(found, direction): &mut (Vec<Option<f64>>, Vec<f64>), chunk| {
            for i in 0..chunk.len() {
                direction.fill(0.0);
                chunk.rows.row(i).for_each(|(j, x)| direction[j] = x);
                let high = set.support_function(direction);
                direction.iter_mut().for_each(|x| *x = -*x);
                let low = set.support_function(direction).map(|most| -most);
                let (offset, response) = (chunk.offset_of(i), chunk.response[i]);
                let least = low
                    .zip(high)
                    .map(|(low, high)| loss.least_curvature(0.5 * (low + high) + offset, response, 0.5 * (high - low)));
                found.push(least.map(|least| least * scale * chunk.weight(i)));
            }
        },
    )?;
    Ok(parts.into_iter().flat_map(|(found, _)| found).collect())
}
