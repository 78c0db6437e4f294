//! The perspective relaxation of a node, which finds a good base point for its bound.
//!
//! $$P(\theta) = \tfrac12\theta^TH\theta - b^T\theta + c + \tfrac12\sum_Id_j\theta_j^2 + \tfrac12R(\theta), \qquad H = G - D,$$
//! with the penalty $R$ of the free units from `water`, of their magnitudes $a_u = (\sum_{j \in u}d_j\theta_j^2)^{1/2}$, is convex, and its minimum is the largest value of the bound over all base points.
//! Two kinds of steps take turns (`steps`), each followed by an exact search along its segment.

use super::bound::Restricted;
use super::family::{Levels, NO_POOL, Top};
use super::part::Place;
use super::steps::SHORT;
use crate::linalg::{Cholesky, axpy};

/// When a relaxation is good enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// A bound of at least this closes the node.
    pub(super) cutoff: f64,
    /// Difference between the relaxation's value and the bound.
    pub(super) accuracy: f64,
    /// The same, as a part of what the relaxation's value is below the cutoff.
    pub(super) share: f64,
    pub(super) rounds: usize,
}

/// What a relaxation found.
#[derive(Clone, Debug)]
pub(super) struct Relaxed {
    /// Its last point.
    pub(super) theta: Vec<f64>,
    /// The base point with the best bound.
    pub(super) base: Vec<f64>,
    /// That bound, without regard to rounding.
    pub(super) bound: f64,
    /// $\kappa$ of each pool at the last point.
    pub(super) levels: Vec<f64>,
}

/// A point with its residual $r = b - H\theta$.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) theta: Vec<f64>,
    pub(super) residual: Vec<f64>,
}

/// The walk to the minimum of $P$.
pub(super) struct Walk<'a> {
    pub(super) node: Restricted<'a>,
    /// $\sqrt{d_j}$
    pub(super) roots: Vec<f64>,
    /// $1/d_j$
    inverses: Vec<f64>,
    /// For units of several columns a number that $D^{-1/2}HD^{-1/2}$ is not above there.
    pub(super) bends: Vec<f64>,
    pub(super) at: Point,
    best: f64,
    base: Vec<f64>,
    /// Numbers by pool.
    pub(super) work: Vec<Vec<f64>>,
}

/// Minimises the relaxation from a point, as far as the goal asks.
pub(super) fn relax(node: Restricted, theta: &[f64], goal: Goal, cholesky: &mut Cholesky) -> Relaxed {
    let mut walk = Walk::from(node, theta);
    let mut is_stalled = false;
    let mut reduction = 1.0;
    walk.newton(cholesky);
    walk.measure();
    for _ in 0..goal.rounds {
        if walk.best >= goal.cutoff {
            break;
        }
        let before = walk.best;
        let mut levels = walk.levels_or_guess();
        levels.iter_mut().for_each(|level| *level *= reduction);
        let swept = walk.swept(&levels, if is_stalled { 8 } else { 2 });
        let swept_step = walk.go_to(swept);
        reduction = if swept_step > 0.0 { 1.0 } else { 0.5 * reduction };
        walk.measure();
        if walk.best >= goal.cutoff {
            break;
        }
        let newton_step = walk.newton(cholesky);
        walk.measure();
        let value = walk.value();
        let wanted = goal.accuracy.max(goal.share * (goal.cutoff - value));
        if walk.best >= goal.cutoff || value - walk.best <= wanted {
            break;
        }
        is_stalled = swept_step == 0.0 || newton_step <= SHORT;
        let is_hopeless = swept_step == 0.0 && newton_step == 0.0 && reduction < 1e-3 && walk.best <= before;
        if is_hopeless {
            break;
        }
    }
    let levels = walk.levels().pools;
    Relaxed { theta: walk.at.theta, base: walk.base, bound: walk.best, levels }
}

impl<'a> Walk<'a> {
    fn from(node: Restricted<'a>, theta: &[f64]) -> Self {
        let roots: Vec<f64> = node.diagonal.iter().map(|d| d.sqrt()).collect();
        let inverses = node.diagonal.iter().map(|d| 1.0 / d).collect();
        let theta: Vec<f64> =
            theta.iter().zip(node.places).map(|(&x, &place)| if place == Place::Out { 0.0 } else { x }).collect();
        let mut residual = node.part.linear.clone();
        for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
            axpy(-theta[j], node.part.row(j), &mut residual);
            residual[j] += node.diagonal[j] * theta[j];
        }
        let bends = bends(node, &roots);
        let base = theta.clone();
        let at = Point { theta, residual };
        let work = vec![Vec::new(); node.room.pools.len()];
        let mut walk = Self { node, roots, inverses, bends, at, best: f64::NEG_INFINITY, base, work };
        walk.measure();
        walk
    }

    /// Whether a unit is free and counts.
    pub(super) fn is_free(&self, unit: usize) -> bool {
        self.node.places[self.node.runs.first(unit)] == Place::Free
    }

    /// $a_u$ of a point.
    pub(super) fn magnitude(&self, unit: usize, theta: impl Fn(usize) -> f64) -> f64 {
        let columns = self.node.runs.columns(unit);
        if columns.len() == 1 {
            return self.roots[columns.start] * theta(columns.start).abs();
        }
        columns.map(|j| (self.roots[j] * theta(j)).powi(2)).sum::<f64>().sqrt()
    }

    /// $P$ at the point.
    fn value(&mut self) -> f64 {
        let levels = self.levels().pools;
        let Point { theta, residual } = &self.at;
        let mut value = 0.0;
        for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
            value -= theta[j] * (self.node.part.linear[j] + residual[j]);
        }
        for unit in 0..self.node.runs.len() {
            let a = self.magnitude(unit, |j| theta[j]);
            value += a * if self.is_free(unit) { a.max(self.level_of(&levels, unit)) } else { a };
        }
        self.node.part.constant + 0.5 * value
    }

    /// The level of a unit's pool.
    pub(super) fn level_of(&self, levels: &[f64], unit: usize) -> f64 {
        levels.get(self.node.runs.pool(unit) as usize).copied().unwrap_or(0.0)
    }

    /// The levels of the point.
    pub(super) fn levels(&mut self) -> Levels {
        let mut work = std::mem::take(&mut self.work);
        work.iter_mut().for_each(Vec::clear);
        for unit in 0..self.node.runs.len() {
            let a = self.magnitude(unit, |j| self.at.theta[j]);
            let pool = self.node.runs.pool(unit);
            if a != 0.0 && pool != NO_POOL && self.is_free(unit) {
                work[pool as usize].push(a);
            }
        }
        let levels = Levels::of(&mut work, self.node.room);
        self.work = work;
        levels
    }

    /// The levels, or where one is zero the one at which the next units would come in.
    fn levels_or_guess(&mut self) -> Vec<f64> {
        let mut levels = self.levels().pools;
        if levels.contains(&0.0) {
            let first_out = self.top().first_out;
            let guessed = levels.iter_mut().zip(first_out).filter(|(level, _)| **level == 0.0);
            guessed.for_each(|(level, share)| *level = share.sqrt());
        }
        levels
    }

    /// Fills in the shares of the bound at the point.
    fn fill_shares(&mut self) {
        let mut work = std::mem::take(&mut self.work);
        work.iter_mut().for_each(Vec::clear);
        for unit in 0..self.node.runs.len() {
            let pool = self.node.runs.pool(unit);
            if pool != NO_POOL && self.is_free(unit) {
                let share = |j: usize| self.at.residual[j] * self.at.residual[j] * self.inverses[j];
                work[pool as usize].push(self.node.runs.columns(unit).map(share).sum());
            }
        }
        self.work = work;
    }

    /// The largest shares of the bound at the point.
    fn top(&mut self) -> Top {
        self.fill_shares();
        Top::of(&mut self.work, self.node.room)
    }

    /// Keeps the point as base point if its bound is the best so far.
    fn measure(&mut self) {
        self.fill_shares();
        let mut sum = Top::sum_of(&mut self.work, self.node.room);
        let Point { theta, residual } = &self.at;
        for j in 0..theta.len() {
            if self.node.places[j] == Place::In {
                sum += residual[j] * residual[j] * self.inverses[j];
            }
            if theta[j] != 0.0 {
                sum += theta[j] * (self.node.part.linear[j] - residual[j]);
            }
        }
        let bound = self.node.part.constant - 0.5 * sum;
        if bound > self.best {
            self.best = bound;
            self.base.copy_from_slice(&self.at.theta);
        }
    }
}

/// Row sums bound the largest eigenvalue. Nothing for units of one column.
fn bends(node: Restricted, roots: &[f64]) -> Vec<f64> {
    if node.runs.is_single() {
        return Vec::new();
    }
    let row_sum = |unit: usize, j: usize| {
        let columns = node.runs.columns(unit);
        let off: f64 = columns.filter(|&k| k != j).map(|k| (node.part.row(j)[k] / roots[j] / roots[k]).abs()).sum();
        off + (node.part.curvature(j) / node.diagonal[j] - 1.0).max(0.0)
    };
    let bend = |unit: usize| node.runs.columns(unit).map(|j| row_sum(unit, j)).fold(f64::MIN_POSITIVE, f64::max);
    let is_there = |unit: usize| node.places[node.runs.first(unit)] != Place::Out;
    (0..node.runs.len()).map(|unit| if is_there(unit) { bend(unit) } else { 1.0 }).collect()
}
