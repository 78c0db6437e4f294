//! Minimisation over matrices of rank at most $r$ by Newton's method along the set.
//!
//! Near $\Theta = U\Sigma V^T$ ($p \times q$, orthonormal $U$, $V$ with $r$ columns) the set is smooth with tangent space
//! $T = \{UA + BV^T\}$, and the projection onto it, $P(\Theta + \xi) = \Theta + \xi + B\Sigma^{-1}A + O(\|\xi\|^3)$ (for $U^TB = 0$ and $AV = 0$),
//! leads from a direction $\xi$ back to it. So to second order F is the quadratic function of $\xi \in T$ with gradient $P_TG$, $G = \nabla F(\Theta)$,
//! and Hessian
//! $$\xi \mapsto P_T\nabla^2F(\Theta)[\xi] + G_\perp\xi^TU\Sigma^{-1}V^T + U\Sigma^{-1}(\xi V)^TG_\perp, \qquad G_\perp = (I - UU^T)G(I - VV^T).$$
//! The terms behind the first are the bend of the set. With them the convergence is quadratic; if they make the model indefinite, or if
//! $\Theta$ has a rank below $r$, they are left out, and steps are damped until one descends.
//!
//! In a ball $\|\Theta\| \le R$ the model is minimised over $\|\Theta + \xi\| \le R$ (`rank_ball.rs`). A point on the sphere that the ball holds
//! back, $\lambda = -\langle G, \Theta\rangle/R^2 > 0$, is stationary if $P_TG + \lambda\Theta = 0$.
//!
//! A [`Model`] gives the direction: from the normal equations in the coordinates of $T$ (`rank_dense.rs`), at $O(n(r(p + q - r))^2)$, or where
//! these are many by conjugate gradients, each at a pass over the rows (`rank_cg.rs`). The sums run over fixed parts of the rows, so the bits do
//! not depend on the number of threads.
//!
//! Where the gradient vanishes F may still fall along the set, as at a saddle: with the normal equations at hand the second derivatives are looked at, and lead on (`rank_saddle.rs`).
//!
//! It ends when the gradient along the set is small in two ways, in the metric of the entries' own curvatures, so that units do not
//! matter, and by its norm: [`Place::is_finished`]. If no step descends before, the report says how large it still is.

pub(crate) use super::rank_place::LowRank;

use super::descent::distance;
use super::rank_cg::MatrixFree;
use super::rank_dense::Dense;
use super::rank_place::{Place, Task};
use super::rank_saddle::below;
use super::{Finished, Until};
use crate::error::Result;
use crate::linalg::{all_finite, dot, norm};
use crate::objective::Objective;

const MOST_ITERATIONS: usize = 300;
/// Step lengths tried before the model is refused, each a quarter of the one before.
const LENGTHS: usize = 3;
/// Unknowns beyond which the normal equations cost more than conjugate gradients.
const MOST_UNKNOWNS: usize = 2000;
/// Times that singular values too small for a minimum are given other directions, and that saddles are left.
const MOST_ESCAPES: usize = 5;
const ARMIJO: f64 = 1e-4;
/// Predicted decreases below this, relative to F, are followed by a pass without normal equations.
const LAST_STEP: f64 = 1e-6;
/// Predicted decreases below this, relative to F, cannot be verified by values alone.
const UNVERIFIABLE: f64 = 1e-11;
/// Distance to the set that is rounding, relative to the matrix.
const INSIDE: f64 = 1e-12;
const ROUNDING: f64 = 2e-14;

/// Quadratic models of F along the set.
pub(super) trait Model {
    /// Whether directions come from the normal equations.
    fn needs_normal(&self) -> bool;
    /// The minimiser of the model with the bend or without, roughly, to a residual of `goal` at most in the metric of
    /// [`Place::decrement`]; nothing if the model has none.
    fn direction(&mut self, at: &Place, bend: bool, goal: f64) -> Result<Option<Vec<f64>>>;
    /// A step was taken, the whole of the last direction or a part.
    fn accepted(&mut self, is_full: bool);
    /// The last direction led nowhere: the next one shall be shorter. False if that is hopeless.
    fn refused(&mut self) -> bool;
    /// Products of the Hessian with a vector so far; a whole Hessian counts as one.
    fn products(&self) -> usize;
}

/// Lowers F over a set of low-rank matrices from `theta`: such a matrix, row by row, and then the intercept if there is one. Ends when the
/// gradient along the set is below the tolerance.
///
/// A step that does not lower F is not taken.
pub(crate) fn minimise(objective: Objective, set: LowRank, theta: &mut [f64], until: &mut Until) -> Result<Finished> {
    let mut dense = Dense::new();
    let mut free = MatrixFree::new(objective);
    let model: &mut dyn Model = if set.unknowns() <= MOST_UNKNOWNS { &mut dense } else { &mut free };
    minimise_with(model, Task::new(objective, set)?, theta, until)
}

/// The gradient along the set at a point of it, as [`minimise`] reports it at the end.
pub(super) fn stationarity(objective: Objective, set: LowRank, theta: &[f64]) -> Result<f64> {
    let at = Place::new(Task::new(objective, set)?, theta.to_vec(), false, 0.0)?;
    Ok(if at.now.is_finite() { at.stationarity() } else { f64::INFINITY })
}

pub(super) fn minimise_with(
    model: &mut dyn Model,
    task: Task,
    theta: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let matrix = task.set.layout().coefficients_mut(theta);
    let mut nearest = matrix.to_vec();
    task.set.project(&mut nearest)?;
    if distance(&nearest, matrix) > INSIDE * norm(&nearest) {
        matrix.copy_from_slice(&nearest);
    }
    let with_normal = model.needs_normal();
    let mut at = Place::new(task, theta.to_vec(), with_normal, 0.0)?;
    let (first, mut iterations, mut escapes) = (at.now.value, 0, 0);
    while at.now.is_finite() && iterations < MOST_ITERATIONS && !until.is_over() {
        if at.is_finished(until.tolerance) {
            if escapes == MOST_ESCAPES {
                break;
            }
            escapes += 1;
            if let Some(cut) = at.weakness()? {
                at = Place::new(task, at.theta, with_normal, cut)?;
            } else if let Some(lower) = if with_normal { below(task, &at)? } else { None } {
                at = lower;
            } else {
                break;
            }
        } else if with_normal && at.now.normal.is_none() {
            at = Place::new(task, at.theta, with_normal, 0.0)?;
        }
        iterations += 1;
        if let Some(next) = step(model, task, &at, until.tolerance, first)? {
            at = next;
            continue;
        }
        // Rounding may end the steps before the gradient is as small as wanted, near a saddle as well.
        let lower = if with_normal && escapes < MOST_ESCAPES { below(task, &at)? } else { None };
        let Some(lower) = lower else { break };
        (at, escapes) = (lower, escapes + 1);
    }
    theta.copy_from_slice(&at.theta);
    Ok(Finished {
        value: at.now.value,
        stationarity: if at.now.is_finite() { at.stationarity() } else { f64::INFINITY },
        gradient: Some(at.now.gradient),
        iterations,
        hessian_products: model.products(),
    })
}

/// A point with lower F, or nothing if no step descends.
fn step(model: &mut dyn Model, task: Task, at: &Place, tolerance: f64, ceiling: f64) -> Result<Option<Place>> {
    let (value, size) = (at.now.value, at.size);
    let goal = 0.03 * tolerance * (2.0 * size).sqrt();
    let mut bend = at.factors.is_smooth();
    loop {
        let direction = model.direction(at, bend, goal)?;
        let slope = direction.as_ref().map_or(0.0, |d| dot(d, &at.now.gradient));
        let Some(direction) = direction.filter(|d| slope < 0.0 && all_finite(d)) else {
            // Not convex: first without the bend, then with more damping.
            if !bend && !model.refused() {
                return Ok(None);
            }
            bend = false;
            continue;
        };
        let mut t = 1.0;
        for _ in 0..LENGTHS {
            for end in at.ends(&direction, t) {
                let is_last = -slope <= LAST_STEP * size;
                let next = Place::new(task, end?, model.needs_normal() && !is_last, 0.0)?;
                let cannot_be_verified = -slope <= UNVERIFIABLE * size
                    && next.now.value <= ceiling.min(value + ROUNDING * size)
                    && next.decrement < 0.25 * at.decrement;
                if next.now.is_finite() && (next.now.value <= value + ARMIJO * t * slope || cannot_be_verified) {
                    model.accepted(t == 1.0);
                    return Ok(Some(next));
                }
            }
            if -slope <= ROUNDING * size {
                return Ok(None);
            }
            t *= 0.25;
        }
        if !model.refused() {
            return Ok(None);
        }
        bend = false;
    }
}
