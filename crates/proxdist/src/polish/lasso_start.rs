//! Starts from an L1 path: on sparse text, and where features stand in for each other, it meets supports that greedy searches do not.
//!
//! On scaled columns, $u_j = \sqrt{h_j}\theta_j$ with $h$ the second derivatives at zero, $F + \lambda\|u\|_1$ is lowered by accelerated proximal gradient steps (Beck and
//! Teboulle 2009, started anew where F rises), for $\lambda$ from where nothing is selected down by equal ratios, each from the point before. From the first point with
//! $s$ features on the $s$ largest are refitted; the first with $3s$ or more is refitted as a whole, half of its features are dropped, and so on down to $s$. The best of all these is the start.

use super::measure::metric;
use super::refit::{EXACT, Fitted, ROUGH, Selecting, Watch};
use super::{OnData, marked_sweep};
use crate::error::Result;
use crate::linalg::dot;
use crate::objective::Objective;

/// Ratio of a λ to the next, how many there are at most, and steps for each.
const RATIO: f64 = 0.8;
const MOST_WEIGHTS: usize = 20;
const STEPS: usize = 20;
/// Features in all, in units of those that are wanted, where the path ends.
const MANY: usize = 3;
/// Steps are never longer than this in units of the curvature of single columns.
const LONGEST_STEP: f64 = 1.0;

/// About how many passes over the data a path takes.
pub(super) const PASSES: f64 = (MOST_WEIGHTS * STEPS) as f64 * 2.0;

/// The best minimiser for supports that an L1 path suggests; features must be chosen one by one.
pub(super) fn start(problem: &Selecting, size: usize, watch: &mut Watch) -> Result<Option<Fitted>> {
    let mut descent = Descent::new(problem.objective)?;
    let mut pool: Vec<Fitted> = Vec::new();
    let mut weight = descent.largest_slope();
    if weight <= 0.0 || !weight.is_finite() {
        return Ok(None);
    }
    // Refits on the way are not results.
    let fell_short = watch.fell_short;
    for _ in 0..MOST_WEIGHTS {
        weight *= RATIO;
        descent.lower(weight)?;
        if watch.is_over() {
            break;
        }
        let chosen = descent.largest(usize::MAX);
        if chosen.len() >= size {
            let start = problem.refit(descent.largest(size), Some(&descent.theta()), ROUGH, watch)?;
            pool.extend(start.filter(|start| pool.iter().all(|other| other.units != start.units)));
        }
        if chosen.len() >= MANY * size {
            pool.extend(eliminated(problem, &descent, size, watch)?);
            break;
        }
    }
    let best = pool.into_iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let best = match best {
        Some(best) => problem.refit(best.units.clone(), Some(&problem.spread(&best)), EXACT, watch)?,
        None => None,
    };
    watch.fell_short = fell_short;
    Ok(best)
}

/// From many features to few, half of them at a time.
fn eliminated(problem: &Selecting, descent: &Descent, size: usize, watch: &mut Watch) -> Result<Option<Fitted>> {
    let mut units = descent.largest(2 * MANY * size);
    let mut theta = descent.theta();
    while units.len() > size {
        let Some(fitted) = problem.refit(units, Some(&theta), ROUGH, watch)? else { return Ok(None) };
        theta = problem.spread(&fitted);
        units = descent.largest_of(&theta, size.max(fitted.units.len() / 2));
        if watch.is_over() {
            return Ok(None);
        }
    }
    problem.refit(units, Some(&theta), EXACT, watch)
}

/// The point of a path, in scaled units, with the intercept behind.
struct Descent<'p> {
    objective: Objective<'p>,
    /// $\sqrt{h_j}$, and that of the intercept.
    scales: Vec<f64>,
    point: Vec<f64>,
    /// Length of the last step, in units of the curvature of single columns.
    step: f64,
}

impl<'p> Descent<'p> {
    fn new(objective: Objective<'p>) -> Result<Self> {
        let zero = objective.layout().zeros();
        let diagonal = metric(&mut OnData::new(objective), &zero)?;
        let scales = diagonal.iter().map(|h| if *h > 0.0 { h.sqrt() } else { f64::INFINITY }).collect();
        let mut descent = Self { objective, scales, point: zero, step: LONGEST_STEP };
        // The intercept alone, before any feature.
        for _ in 0..STEPS {
            let (_, gradient) = descent.measured(&descent.point)?;
            let (features, size) = (descent.features(), descent.point.len());
            (features..size).for_each(|j| descent.point[j] -= gradient[j]);
        }
        Ok(descent)
    }

    fn features(&self) -> usize {
        self.objective.layout().coefficient_count()
    }

    fn unscaled(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.scales).map(|(u, scale)| u / scale).collect()
    }

    /// Coefficients and intercept in the units of the problem.
    fn theta(&self) -> Vec<f64> {
        self.unscaled(&self.point)
    }

    /// F and its gradient in scaled units.
    fn measured(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let theta = self.unscaled(point);
        let (value, mut gradient) = if let Some(marked) = self.objective.data.marked() {
            marked_sweep::gradient(self.objective, marked, &theta)
        } else {
            let mut gradient = vec![0.0; point.len()];
            (self.objective.gradient(&theta, &mut gradient)?, gradient)
        };
        gradient.iter_mut().zip(&self.scales).for_each(|(g, scale)| *g /= scale);
        Ok((value, gradient))
    }

    fn largest_slope(&self) -> f64 {
        let features = self.features();
        self.measured(&self.point)
            .map_or(0.0, |(_, gradient)| gradient[..features].iter().fold(0.0, |top, g| top.max(g.abs())))
    }

    /// The features of the largest effects, ascending.
    fn largest(&self, count: usize) -> Vec<usize> {
        self.largest_of(&self.theta(), count)
    }

    fn largest_of(&self, theta: &[f64], count: usize) -> Vec<usize> {
        let effect = |j: usize| (theta[j] * self.scales[j]).abs();
        let mut units: Vec<usize> = (0..self.features()).filter(|&j| theta[j] != 0.0).collect();
        units.sort_by(|&a, &b| effect(b).total_cmp(&effect(a)).then(a.cmp(&b)));
        units.truncate(count);
        units.sort_unstable();
        units
    }

    /// Some accelerated steps for a weight of the penalty.
    fn lower(&mut self, weight: f64) -> Result<()> {
        let features = self.features();
        let (mut before, mut ahead, mut momentum) = (self.point.clone(), self.point.clone(), 1.0_f64);
        for _ in 0..STEPS {
            let (value, gradient) = self.measured(&ahead)?;
            let (next, value_there) = loop {
                let step = self.step;
                let moved = |(j, (u, g)): (usize, (&f64, &f64))| {
                    let target = u - step * g;
                    let limit = if j < features { step * weight } else { 0.0 };
                    target.signum() * (target.abs() - limit).max(0.0)
                };
                let next: Vec<f64> = ahead.iter().zip(&gradient).enumerate().map(moved).collect();
                let way: Vec<f64> = next.iter().zip(&ahead).map(|(n, a)| n - a).collect();
                let there = self.objective.value(&self.unscaled(&next))?;
                let model = value + dot(&way, &gradient) + 0.5 / step * dot(&way, &way);
                if there <= model + 1e-12 * value.abs() || step < 1e-8 {
                    break (next, there);
                }
                self.step *= 0.5;
            };
            if !value_there.is_finite() {
                break;
            }
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            // Where momentum leads away, it starts anew.
            let turns: f64 = next.iter().zip(&before).zip(&ahead).map(|((n, b), a)| (a - n) * (n - b)).sum();
            let (share, now) = if turns > 0.0 { (0.0, 1.0) } else { ((momentum - 1.0) / grown, grown) };
            ahead = next.iter().zip(&before).map(|(n, b)| n + share * (n - b)).collect();
            (before, momentum) = (next, now);
        }
        self.point = before;
        Ok(())
    }
}
