//! The perspective relaxation of a node, which finds a good base point for its bound.
//!
//! $$P(\theta) = \tfrac12\theta^TH\theta - b^T\theta + c + \tfrac12\sum_Id_j\theta_j^2 + \tfrac12R(\theta), \qquad H = G - D,$$
//! with the penalty $R$ of the free columns from `water`, is convex, and its minimum is the largest value of the bound over all base points.
//! Two kinds of steps take turns, each followed by an exact search along its segment:
//!
//! * sweeps over the columns at a fixed level $\kappa$: with $h = H_{jj}$, $\rho = r_j + h\theta_j$ and $u = (|\rho| - \kappa\sqrt{d_j})_+/h$, the best $\theta_j$ is $\pm u$
//!   if $u\sqrt{d_j} \le \kappa$, and $\rho/G_{jj}$ otherwise or if the column is in;
//! * Newton's method on the support: with $\sigma_j = \mathrm{sgn}(\theta_j)\sqrt{d_j}$ below the level and $K = G - D$ there, $G$ elsewhere, stationary points have
//!   $K\theta = b - \kappa\sigma$ and $\sigma^T\theta = \kappa(m - q)$, $q$ the number of free columns above the level. One factorisation solves for $\theta$ and $\kappa$.

use super::bound::{Restricted, Top};
use super::part::Place;
use super::water::level;
use crate::linalg::{Cholesky, axpy, dot};

/// Shortest Newton step that counts as one.
const SHORT: f64 = 0.05;
/// Most Newton steps in a row.
const NEWTON_STEPS: usize = 6;

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
    /// $\kappa$ of the last point.
    pub(super) level: f64,
}

/// A point with its residual $r = b - H\theta$.
#[derive(Clone, Debug)]
struct Point {
    theta: Vec<f64>,
    residual: Vec<f64>,
}

/// The walk to the minimum of $P$.
struct Walk<'a> {
    node: Restricted<'a>,
    /// $\sqrt{d_j}$
    roots: Vec<f64>,
    /// $1/d_j$
    inverses: Vec<f64>,
    at: Point,
    best: f64,
    base: Vec<f64>,
    work: Vec<f64>,
}

/// Minimises the relaxation from a point, as far as the goal asks.
pub(super) fn relax(node: Restricted, theta: &[f64], goal: Goal, cholesky: &mut Cholesky) -> Relaxed {
    let mut walk = Walk::from(node, theta);
    let mut is_stalled = false;
    let mut reduction = 1.0;
    for _ in 0..goal.rounds {
        let before = walk.best;
        let kappa = walk.level_or_guess() * reduction;
        let swept = walk.swept(kappa, if is_stalled { 8 } else { 2 });
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
    let level = walk.level();
    Relaxed { theta: walk.at.theta, base: walk.base, bound: walk.best, level }
}

impl<'a> Walk<'a> {
    fn from(node: Restricted<'a>, theta: &[f64]) -> Self {
        let roots = node.diagonal.iter().map(|d| d.sqrt()).collect();
        let inverses = node.diagonal.iter().map(|d| 1.0 / d).collect();
        let theta: Vec<f64> =
            theta.iter().zip(node.places).map(|(&x, &place)| if place == Place::Out { 0.0 } else { x }).collect();
        let mut residual = node.part.linear.clone();
        for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
            axpy(-theta[j], node.part.row(j), &mut residual);
            residual[j] += node.diagonal[j] * theta[j];
        }
        let base = theta.clone();
        let at = Point { theta, residual };
        let mut walk = Self { node, roots, inverses, at, best: f64::NEG_INFINITY, base, work: Vec::new() };
        walk.measure();
        walk
    }

    /// $P$ at the point.
    fn value(&mut self) -> f64 {
        let kappa = self.level();
        let Point { theta, residual } = &self.at;
        let mut value = 0.0;
        for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
            value -= theta[j] * (self.node.part.linear[j] + residual[j]);
            let a = self.roots[j] * theta[j].abs();
            value += if self.node.places[j] == Place::Free { a * a.max(kappa) } else { a * a };
        }
        self.node.part.constant + 0.5 * value
    }

    /// The level of the point.
    fn level(&mut self) -> f64 {
        self.work.clear();
        for (j, x) in self.at.theta.iter().enumerate() {
            if *x != 0.0 && self.node.places[j] == Place::Free {
                self.work.push(self.roots[j] * x.abs());
            }
        }
        level(&mut self.work, self.node.room)
    }

    /// The level, or where that is zero the one at which the next columns would come in.
    fn level_or_guess(&mut self) -> f64 {
        let kappa = self.level();
        if kappa > 0.0 { kappa } else { self.top().first_out.sqrt() }
    }

    /// The largest shares of the bound at the point.
    fn top(&mut self) -> Top {
        self.work.clear();
        for (j, place) in self.node.places.iter().enumerate() {
            if *place == Place::Free {
                let r = self.at.residual[j];
                self.work.push(r * r * self.inverses[j]);
            }
        }
        Top::of(&mut self.work, self.node.room)
    }

    /// Keeps the point as base point if its bound is the best so far.
    fn measure(&mut self) {
        let mut sum = self.top().sum;
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

    /// The point after sweeps over all columns at a level.
    fn swept(&self, kappa: f64, sweeps: usize) -> Point {
        let Restricted { part, places, diagonal, .. } = self.node;
        let Point { mut theta, mut residual } = self.at.clone();
        for _ in 0..sweeps {
            let mut is_still = true;
            for j in 0..theta.len() {
                if places[j] == Place::Out {
                    continue;
                }
                let curvature = part.curvature(j);
                let h = (curvature - diagonal[j]).max(0.0);
                let rho = residual[j] + h * theta[j];
                let excess = rho.abs() - kappa * self.roots[j];
                let new = if places[j] == Place::In || excess * self.roots[j] > kappa * h {
                    rho / curvature
                } else if excess > 0.0 {
                    (excess / h).copysign(rho)
                } else {
                    0.0
                };
                let change = new - theta[j];
                if change != 0.0 {
                    is_still = false;
                    theta[j] = new;
                    axpy(-change, part.row(j), &mut residual);
                    residual[j] += diagonal[j] * change;
                }
            }
            if is_still {
                break;
            }
        }
        Point { theta, residual }
    }

    /// Newton's steps on the support, which loses columns on the way; returns how far the longest one went.
    ///
    /// Columns below the level that change their sign end at zero. Where that takes the step nowhere, it ends at the first change of sign, and the next step goes on without that column:
    /// otherwise the point creeps, and its bound stays far below the relaxation's value.
    fn newton(&mut self, cholesky: &mut Cholesky) -> f64 {
        let mut longest = 0.0;
        for _ in 0..NEWTON_STEPS {
            let Some((support, candidate)) = self.candidate(cholesky) else { break };
            let changes_sign = |x: f64, j: usize| self.node.places[j] == Place::Free && x * self.at.theta[j] < 0.0;
            let mut zeroed = candidate.clone();
            let mut first = 1.0_f64;
            for (x, &j) in zeroed.iter_mut().zip(&support) {
                if changes_sign(*x, j) {
                    first = first.min(self.at.theta[j] / (self.at.theta[j] - *x));
                    *x = 0.0;
                }
            }
            let mut step = self.go_to(self.moved(&support, &zeroed));
            if step == 1.0 && first == 1.0 {
                return 1.0;
            }
            if step <= SHORT && first < 1.0 {
                // Only as far as to the first change of sign.
                let mut short = candidate;
                for (x, &j) in short.iter_mut().zip(&support) {
                    let old = self.at.theta[j];
                    let is_first = *x * old < 0.0 && self.node.places[j] == Place::Free && old / (old - *x) <= first;
                    *x = if is_first { 0.0 } else { old + first * (*x - old) };
                }
                if self.go_to(self.moved(&support, &short)) == 1.0 {
                    step = 1.0;
                }
            }
            longest = step.max(longest);
            if step <= SHORT {
                break;
            }
        }
        longest
    }

    /// The stationary point on the support with the present signs, if its system can be solved.
    fn candidate(&mut self, cholesky: &mut Cholesky) -> Option<(Vec<usize>, Vec<f64>)> {
        let kappa = self.level();
        let Restricted { part, places, diagonal, room } = self.node;
        let theta = &self.at.theta;
        let support: Vec<usize> = (0..theta.len()).filter(|&j| places[j] == Place::In || theta[j] != 0.0).collect();
        let count = support.len();
        if count == 0 {
            return None;
        }
        let is_below = |j: usize| places[j] == Place::Free && self.roots[j] * theta[j].abs() < kappa;
        let mut signs = vec![0.0; count];
        let mut above = 0;
        let matrix = cholesky.matrix(count);
        for (a, &j) in support.iter().enumerate() {
            let row = part.row(j);
            support.iter().enumerate().for_each(|(b, &k)| matrix[a * count + b] = row[k]);
            if is_below(j) {
                matrix[a * count + a] -= diagonal[j];
                signs[a] = self.roots[j].copysign(theta[j]);
            } else if places[j] == Place::Free {
                above += 1;
            }
        }
        if !cholesky.factor() {
            return None;
        }
        let mut first: Vec<f64> = support.iter().map(|&j| part.linear[j]).collect();
        cholesky.solve(&mut first);
        if above < room && signs.iter().any(|sign| *sign != 0.0) {
            let mut second: Vec<f64> = signs.iter().map(|sign| -sign).collect();
            cholesky.solve(&mut second);
            let new_level = dot(&signs, &first) / ((room - above) as f64 - dot(&signs, &second));
            axpy(new_level, &second, &mut first);
        }
        first.iter().all(|x| x.is_finite()).then_some((support, first))
    }

    /// The point with other values on a support.
    fn moved(&self, support: &[usize], values: &[f64]) -> Point {
        let mut point = self.at.clone();
        for (&j, &x) in support.iter().zip(values) {
            let change = x - point.theta[j];
            if change != 0.0 {
                point.theta[j] = x;
                axpy(-change, self.node.part.row(j), &mut point.residual);
                point.residual[j] += self.node.diagonal[j] * change;
            }
        }
        point
    }

    /// Goes to the best point of the segment to another one; returns which part of it that is.
    fn go_to(&mut self, target: Point) -> f64 {
        let moving: Vec<(usize, f64)> = (0..target.theta.len())
            .filter(|&j| self.at.theta[j] != 0.0 || target.theta[j] != 0.0)
            .map(|j| (j, target.theta[j] - self.at.theta[j]))
            .collect();
        let start: f64 = moving.iter().map(|&(j, change)| self.at.residual[j] * change).sum();
        let end: f64 = moving.iter().map(|&(j, change)| target.residual[j] * change).sum();
        let mut work = std::mem::take(&mut self.work);
        let step = root_in_unit(|t| self.penalty_slope(&moving, t, &mut work) - (1.0 - t) * start - t * end);
        self.work = work;
        if step == 1.0 {
            self.at = target;
        } else if step > 0.0 {
            moving.iter().for_each(|&(j, change)| self.at.theta[j] += step * change);
            self.at.residual.iter_mut().zip(&target.residual).for_each(|(r, to)| *r += step * (to - *r));
        }
        step
    }

    /// The derivative of half the penalty along a segment.
    fn penalty_slope(&self, moving: &[(usize, f64)], t: f64, work: &mut Vec<f64>) -> f64 {
        work.clear();
        for &(j, change) in moving {
            let x = self.at.theta[j] + t * change;
            if self.node.places[j] == Place::Free && x != 0.0 {
                work.push(self.roots[j] * x.abs());
            }
        }
        let kappa = level(work, self.node.room);
        let mut slope = 0.0;
        for &(j, change) in moving {
            let x = self.at.theta[j] + t * change;
            let a = self.roots[j] * x.abs();
            let force = if self.node.places[j] == Place::Free { a.max(kappa) } else { a };
            // At zero the derivative to the right.
            slope += self.roots[j] * force * change * if x == 0.0 { change.signum() } else { x.signum() };
        }
        slope
    }
}

/// Where a rising function crosses zero between 0 and 1, or the end that is nearest to that.
fn root_in_unit(mut slope: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut below, mut above) = (slope(low), slope(high));
    // Written so that NaN goes nowhere.
    let goes_down = below < 0.0;
    if !goes_down {
        return 0.0;
    }
    if above <= 0.0 {
        return 1.0;
    }
    let size = -below;
    let mut was_below = None;
    for _ in 0..20 {
        let t = low - below * (high - low) / (above - below);
        let value = slope(t);
        if value.abs() <= 1e-3 * size || high - low < 1e-6 {
            return t;
        }
        // The Illinois rule: an end that stays twice loses half its weight.
        let is_below = value < 0.0;
        if is_below {
            (low, below) = (t, value);
        } else {
            (high, above) = (t, value);
        }
        if was_below == Some(is_below) {
            *(if is_below { &mut above } else { &mut below }) *= 0.5;
        }
        was_below = Some(is_below);
    }
    low
}
