//! The steps of the relaxation (`relax`).
//!
//! * Sweeps over the units at fixed levels $\kappa$. For one column, with $h = H_{jj}$, $\rho = r_j + h\theta_j$ and $u = (|\rho| - \kappa\sqrt{d_j})_+/h$, the best $\theta_j$ is $\pm u$
//!   if $u\sqrt{d_j} \le \kappa$, and $\rho/G_{jj}$ otherwise or if the column is in. For several columns that are free, one step with a curvature $\ell$ that
//!   $D^{-1/2}HD^{-1/2}$ does not exceed: in $y = D^{1/2}\theta$ the target $w$ is shortened to $\|w\| - \kappa/\ell$, or to $\|w\|\ell/(\ell + 1)$ if that is above the level.
//! * Newton's method on the support: with $\sigma_u = D\theta_u/a_u$ below the level, and
//!   $K = G - D + \frac\kappa{a_u}(D - \sigma_u\sigma_u^T)$ there ($G - D$ for one column), $G$ elsewhere, stationary points have, to first order,
//!   $K\theta = b - \sum_c\kappa_c\sigma_c$ and $\sigma_c^T\theta = \kappa_c(m_c - q_c)$ for the pools $c$ of one level, $q_c$ the number of their free units above the level. One factorisation solves for $\theta$ and all $\kappa_c$.

use super::bound::Restricted;
use super::family::{Levels, NO_POOL};
use super::part::Place;
use super::relax::{Point, Walk};
use crate::linalg::{Cholesky, axpy, dot};

/// Shortest Newton step that counts as one.
pub(super) const SHORT: f64 = 0.05;
/// A step this long goes nearly all the way.
const NEARLY: f64 = 0.7;
/// Most Newton steps in a row.
const NEWTON_STEPS: usize = 25;

/// Where Newton's method would go on a support.
struct Candidate {
    /// Units, columns and the values of these.
    units: Vec<usize>,
    support: Vec<usize>,
    values: Vec<f64>,
}

impl Walk<'_> {
    /// The point after sweeps over all units at some levels.
    pub(super) fn swept(&self, levels: &[f64], sweeps: usize) -> Point {
        let Restricted { part, runs, places, diagonal, .. } = self.node;
        let mut point = self.at.clone();
        for _ in 0..sweeps {
            let mut is_still = true;
            for unit in 0..runs.len() {
                let columns = runs.columns(unit);
                let place = places[columns.start];
                if place == Place::Out {
                    continue;
                }
                let kappa = if place == Place::Free { self.level_of(levels, unit) } else { 0.0 };
                if place == Place::Free && columns.len() > 1 {
                    is_still &= !self.step_of_unit(unit, kappa, &mut point);
                    continue;
                }
                for j in columns {
                    let curvature = part.curvature(j);
                    let h = (curvature - diagonal[j]).max(0.0);
                    let rho = point.residual[j] + h * point.theta[j];
                    let excess = rho.abs() - kappa * self.roots[j];
                    let new = if place == Place::In || excess * self.roots[j] > kappa * h {
                        rho / curvature
                    } else if excess > 0.0 {
                        (excess / h).copysign(rho)
                    } else {
                        0.0
                    };
                    is_still &= !self.set(j, new, &mut point);
                }
            }
            if is_still {
                break;
            }
        }
        point
    }

    /// One step for a free unit of several columns; whether it moved.
    fn step_of_unit(&self, unit: usize, kappa: f64, point: &mut Point) -> bool {
        let (columns, bend) = (self.node.runs.columns(unit), self.bends[unit]);
        let target: Vec<f64> = columns
            .clone()
            .map(|j| self.roots[j] * point.theta[j] + point.residual[j] / (self.roots[j] * bend))
            .collect();
        let length = target.iter().map(|w| w * w).sum::<f64>().sqrt();
        let short = (length - kappa / bend).max(0.0);
        let wanted = if short <= kappa { short } else { length * bend / (bend + 1.0) };
        let factor = if length > 0.0 { wanted / length } else { 0.0 };
        let mut has_moved = false;
        for (j, w) in columns.zip(target) {
            has_moved |= self.set(j, factor * w / self.roots[j], point);
        }
        has_moved
    }

    /// Moves a coordinate; whether it was elsewhere.
    fn set(&self, j: usize, value: f64, point: &mut Point) -> bool {
        let change = value - point.theta[j];
        if change != 0.0 {
            point.theta[j] = value;
            axpy(-change, self.node.part.row(j), &mut point.residual);
            point.residual[j] += self.node.diagonal[j] * change;
        }
        change != 0.0
    }

    /// Moves a coordinate of the point to zero.
    fn zero(&mut self, j: usize) {
        let x = self.at.theta[j];
        self.at.theta[j] = 0.0;
        axpy(x, self.node.part.row(j), &mut self.at.residual);
        self.at.residual[j] -= self.node.diagonal[j] * x;
    }

    /// Newton's steps on the support, which loses units on the way; returns how far the longest one went.
    ///
    /// Units below the level that change their sign are taken out, and the step is made anew without them, until it leads nearly all the way. Otherwise it goes to the least point of the segment, and where
    /// that is a kink the column that crosses zero there goes: without that the point creeps, and its bound stays far below the relaxation's value.
    pub(super) fn newton(&mut self, cholesky: &mut Cholesky) -> f64 {
        let mut longest = 0.0;
        for _ in 0..NEWTON_STEPS {
            let Some(candidate) = self.candidate(cholesky) else { break };
            let (mut zeroed, crossings) = self.without_changes_of_sign(&candidate);
            let mut segment = self.segment(self.moved(&candidate.support, &zeroed));
            let mut step = self.best_step(&segment);
            if crossings.is_empty() && zeroed == candidate.values {
                self.advance(segment, step);
                longest = step.max(longest);
                if step == 1.0 {
                    return 1.0;
                } else if step <= SHORT {
                    break;
                }
                continue;
            }
            if step < NEARLY {
                // Once more without them.
                let here = self.at.clone();
                let gone = candidate.support.iter().zip(&zeroed).filter(|(_, x)| **x == 0.0);
                gone.for_each(|(&j, _)| self.zero(j));
                if let Some(again) = self.candidate(cholesky) {
                    zeroed = self.without_changes_of_sign(&again).0;
                    let target = self.moved(&again.support, &zeroed);
                    self.at = here;
                    segment = self.segment(target);
                    step = self.best_step(&segment);
                } else {
                    self.at = here;
                }
            }
            if step >= NEARLY {
                // To the very end, where the zeros are.
                self.advance(segment, 1.0);
                longest = 1.0;
                continue;
            }
            let segment = self.segment(self.moved(&candidate.support, &candidate.values));
            let (step, column) = self.kinked_step(&segment, crossings);
            self.advance(segment, step);
            if let Some(j) = column {
                self.zero(j);
                longest = longest.max(2.0 * SHORT);
            } else if step <= SHORT {
                break;
            }
            longest = step.max(longest);
        }
        longest
    }

    /// The values of a candidate with zeros for free units that change their sign, and where columns do.
    fn without_changes_of_sign(&self, candidate: &Candidate) -> (Vec<f64>, Vec<(f64, usize)>) {
        let Candidate { units, support, values } = candidate;
        let (mut zeroed, mut crossings) = (values.clone(), Vec::new());
        let mut start = 0;
        for &unit in units {
            let end = start + self.node.runs.columns(unit).len();
            let (mut before, mut after) = (0.0, 0.0);
            for (&j, x) in support[start..end].iter().zip(&values[start..end]) {
                before += self.node.diagonal[j] * self.at.theta[j] * self.at.theta[j];
                after += self.node.diagonal[j] * self.at.theta[j] * x;
            }
            if after < 0.0 && self.is_free(unit) {
                zeroed[start..end].fill(0.0);
                if end == start + 1 {
                    crossings.push((before / (before - after), support[start]));
                }
            }
            start = end;
        }
        (zeroed, crossings)
    }

    /// The stationary point on the support with the present signs, if its system can be solved.
    fn candidate(&mut self, cholesky: &mut Cholesky) -> Option<Candidate> {
        let Levels { pools: levels, is_common, common_rooms } = self.levels();
        let Restricted { part, runs, places, room, diagonal } = self.node;
        let theta = &self.at.theta;
        let is_used = |unit: &usize| {
            let mut columns = runs.columns(*unit);
            places[columns.start] == Place::In || columns.any(|j| theta[j] != 0.0)
        };
        let units: Vec<usize> = (0..runs.len()).filter(is_used).collect();
        let support: Vec<usize> = units.iter().flat_map(|&unit| runs.columns(unit)).collect();
        let count = support.len();
        if count == 0 {
            return None;
        }
        // After the pools with a level of their own come those of the common levels of families.
        let kinds = levels.len() + room.families();
        let mut signs = vec![Vec::new(); kinds];
        let mut rooms: Vec<f64> = room.pools.iter().chain(&common_rooms).map(|room| *room as f64).collect();
        let matrix = cholesky.matrix(count);
        for (a, &j) in support.iter().enumerate() {
            let row = part.row(j);
            support.iter().enumerate().for_each(|(b, &k)| matrix[a * count + b] = row[k]);
        }
        let mut start = 0;
        for &unit in &units {
            let columns = runs.columns(unit);
            let (from, to) = (start, start + columns.len());
            start = to;
            let pool = runs.pool(unit);
            if places[columns.start] != Place::Free || pool == NO_POOL {
                continue;
            }
            let common = levels.len() + room.family(pool as usize);
            let kind = if is_common[pool as usize] { common } else { pool as usize };
            let (kappa, magnitude) = (levels[pool as usize], self.magnitude(unit, |j| theta[j]));
            if magnitude >= kappa {
                rooms[kind] -= 1.0;
                continue;
            }
            let sigma = &mut signs[kind];
            if sigma.is_empty() {
                sigma.resize(count, 0.0);
            }
            if columns.len() == 1 {
                let j = columns.start;
                matrix[from * count + from] -= diagonal[j];
                sigma[from] = self.roots[j].copysign(theta[j]);
                continue;
            }
            (from..to).for_each(|a| sigma[a] = diagonal[support[a]] * theta[support[a]] / magnitude);
            let curl = kappa / magnitude;
            for a in from..to {
                matrix[a * count + a] += (curl - 1.0) * diagonal[support[a]];
                (from..to).for_each(|b| matrix[a * count + b] -= curl * sigma[a] * sigma[b]);
            }
        }
        if !cholesky.factor() {
            return None;
        }
        let mut values: Vec<f64> = support.iter().map(|&j| part.linear[j]).collect();
        cholesky.solve(&mut values);
        let kinds: Vec<usize> = (0..kinds).filter(|&kind| !signs[kind].is_empty() && rooms[kind] > 0.0).collect();
        let directions: Vec<Vec<f64>> = kinds
            .iter()
            .map(|&kind| {
                let mut direction: Vec<f64> = signs[kind].iter().map(|sign| -sign).collect();
                cholesky.solve(&mut direction);
                direction
            })
            .collect();
        let mut levels: Vec<f64> = kinds.iter().map(|&kind| dot(&signs[kind], &values)).collect();
        if let ([kind], [direction]) = (&kinds[..], &directions[..]) {
            levels[0] /= rooms[*kind] - dot(&signs[*kind], direction);
        } else if !kinds.is_empty() {
            let small = cholesky.matrix(kinds.len());
            for (a, &kind) in kinds.iter().enumerate() {
                for (b, direction) in directions.iter().enumerate() {
                    small[a * kinds.len() + b] = -dot(&signs[kind], direction) + if a == b { rooms[kind] } else { 0.0 };
                }
            }
            if !cholesky.factor() {
                return None;
            }
            cholesky.solve(&mut levels);
        }
        directions.iter().zip(&levels).for_each(|(direction, level)| axpy(*level, direction, &mut values));
        values.iter().all(|x| x.is_finite()).then_some(Candidate { units, support, values })
    }

    /// The point with other values on a support.
    fn moved(&self, support: &[usize], values: &[f64]) -> Point {
        let mut point = self.at.clone();
        for (&j, &x) in support.iter().zip(values) {
            self.set(j, x, &mut point);
        }
        point
    }
}
