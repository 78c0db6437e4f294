//! A bound for every choice of columns, from one convex problem, where there is a ridge.
//!
//! The bound of `tangent` is largest at the minimiser of the perspective relaxation, in $u_j = \sqrt{\lambda_j}\theta_j$,
//! $$L(u, \beta) + \tfrac12R(u), \qquad R(u) = \min\Big\{\sum_j\frac{u_j^2}{z_j} : 0 \le z_j \le 1,\ \sum_jz_j \le s\Big\},$$
//! whose minimum it then equals (Fenchel duality: $\tfrac12R$ is the conjugate of half the sum of the $s$ largest squares). It is found by accelerated proximal gradient steps that begin anew where they lose their way; they
//! need nothing but products with the data. The prox of $R/2$ at $w$ with curvature $\ell$ has, with a level $\kappa$ at which the $z_j$ sum to $s$,
//! $$z_j = \operatorname{clip}\Big(\frac{|w_j|}\kappa - \frac1\ell, 0, 1\Big), \qquad u_j = \frac{\ell z_j}{1 + \ell z_j}w_j.$$
//! Any base point gives a bound that holds, so nothing depends on how far the steps get.

use super::tangent::{Losses, Relaxation, Tangent};
use crate::error::Result;
use crate::linalg::dot;
use crate::objective::Objective;
use std::ops::ControlFlow;

/// Steps, and steps between two bounds.
const MOST_STEPS: usize = 4000;
const BETWEEN: usize = 16;
/// What is left to gain, relative to the level, at which it ends.
const GOOD: f64 = 3e-5;
/// Doublings of the curvature in one step.
const DOUBLINGS: usize = 60;

/// A number that F is not below on any choice of `size` columns; at least, where F is not above `level`. From a start, until `poll` ends it, which it is told the best bound so far.
pub(crate) fn relaxed(
    objective: Objective,
    size: usize,
    (start, level): (&[f64], f64),
    poll: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Option<Relaxation>> {
    let Some(losses) = Losses::of(objective, size) else { return Ok(None) };
    if size == 0 || !level.is_finite() {
        return Ok(None);
    }
    let mut steps = Steps::from(&losses, start)?;
    let (mut best, mut number): (Option<Relaxation>, usize) = (None, 0);
    loop {
        let has_moved = steps.step()?;
        number += 1;
        let lower = |best: &Option<Relaxation>| best.as_ref().map_or(f64::NEG_INFINITY, |best| best.lower);
        let is_over = poll(lower(&best)).is_break() || number >= MOST_STEPS || !has_moved;
        let is_near = steps.relaxation - steps.about().max(lower(&best)) <= GOOD * level.abs();
        if is_over || is_near || number.is_multiple_of(BETWEEN) {
            let bound = losses.bound(&steps.tangent, level)?;
            best = bound.filter(|bound| bound.lower > lower(&best)).or(best);
            let (least, enough) = (lower(&best), level - 1e-7 * level.abs());
            if is_over || steps.relaxation - least <= 2.0 * GOOD * level.abs() || least >= enough {
                break;
            }
        }
    }
    Ok(best)
}

/// Accelerated proximal gradient steps.
struct Steps<'l, 'p> {
    losses: &'l Losses<'p>,
    point: Vec<f64>,
    /// At the point that the next step goes from.
    tangent: Tangent,
    curvature: f64,
    momentum: f64,
    /// The relaxation's value at the point.
    relaxation: f64,
}

impl<'l, 'p> Steps<'l, 'p> {
    fn from(losses: &'l Losses<'p>, start: &[f64]) -> Result<Self> {
        let point = losses.scaled(start);
        let tangent = losses.tangent(&point)?;
        Ok(Self { losses, point, tangent, curvature: 1.0, momentum: 1.0, relaxation: f64::INFINITY })
    }

    /// The bound, but for the slope along the intercept and rounding.
    fn about(&self) -> f64 {
        let Tangent { base, value, slopes } = &self.tangent;
        let features = self.losses.features();
        let mut squares: Vec<f64> = slopes[..features].iter().map(|h| h * h).collect();
        value - dot(base, slopes) - 0.5 * super::family::Cut::of(&mut squares, self.losses.size()).sum
    }

    /// One step; false if there is none.
    fn step(&mut self) -> Result<bool> {
        let Tangent { base, value, slopes } = &self.tangent;
        let mut found = None;
        for _ in 0..DOUBLINGS {
            let mut next: Vec<f64> = base.iter().zip(slopes).map(|(u, h)| u - h / self.curvature).collect();
            let penalty = self.prox(&mut next);
            let loss = self.losses.value(&next)?;
            let (mut slope, mut square) = (0.0, 0.0);
            for ((n, u), h) in next.iter().zip(base).zip(slopes) {
                slope += h * (n - u);
                square += (n - u) * (n - u);
            }
            if loss <= value + slope + 0.5 * self.curvature * square + 1e-13 * value.abs() {
                found = Some((next, loss + penalty));
                break;
            }
            self.curvature *= 2.0;
        }
        let Some((next, relaxation)) = found else { return Ok(false) };
        // Back along the way: the momentum is in the wrong direction.
        let against: f64 =
            base.iter().zip(&next).zip(&self.point).map(|((base, next), point)| (base - next) * (next - point)).sum();
        if against > 0.0 {
            self.momentum = 1.0;
            self.curvature *= 0.7;
        }
        let momentum = 0.5 + (0.25 + self.momentum * self.momentum).sqrt();
        let share = if against > 0.0 { 0.0 } else { (self.momentum - 1.0) / momentum };
        let from: Vec<f64> = next.iter().zip(&self.point).map(|(next, point)| next + share * (next - point)).collect();
        (self.momentum, self.relaxation, self.point) = (momentum, relaxation, next);
        self.tangent = self.losses.tangent(&from)?;
        Ok(true)
    }

    /// The prox of $R/2$ on the coefficients; returns $R/2$ there.
    fn prox(&self, w: &mut [f64]) -> f64 {
        let (features, curvature) = (self.losses.features(), self.curvature);
        let size = self.losses.size() as f64;
        let coefficients = &mut w[..features];
        let share = |w: f64, kappa: f64| (w.abs() / kappa - 1.0 / curvature).clamp(0.0, 1.0);
        let filled = |coefficients: &[f64], kappa: f64| coefficients.iter().map(|w| share(*w, kappa)).sum::<f64>();
        let largest = coefficients.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        // At the lower end as many are in as can be, at the upper end none is.
        let (mut low, mut high) = (1e-12 * largest, curvature * largest);
        if filled(coefficients, low) <= size {
            high = low;
        }
        for _ in 0..100 {
            if high <= low * (1.0 + 1e-14) {
                break;
            }
            let middle = (low * high).sqrt();
            let is_full = filled(coefficients, middle) > size;
            (low, high) = if is_full { (middle, high) } else { (low, middle) };
        }
        let mut penalty = 0.0;
        for w in coefficients {
            let z = share(*w, high);
            *w *= curvature * z / (1.0 + curvature * z);
            penalty += if z > 0.0 { 0.5 * *w * *w / z } else { 0.0 };
        }
        penalty
    }
}
