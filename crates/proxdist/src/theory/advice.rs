//! What the theory recommends: values of $\rho_1$ and $\gamma$ for a number of steps.
//!
//! The bounds are worst cases, so their minimisers are careful: the closed forms need $\rho_1$ of the order of $L$ to keep $e^{4L^2s/\rho_1^2}$ in
//! check, where in practice one of the order of $\mu$ serves better. Both ends of that range are given.

use super::rates::largest_fast_rho1;
use super::{Bounds, Constants};
use crate::error::{Error, Result};
use crate::rule::Rule;
use rayon::prelude::*;
use serde::Serialize;

/// Powers that are tried.
const GAMMAS: [f64; 11] = [0.51, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0];
/// First penalties that are tried for each, spread evenly on a logarithmic axis, and golden sections after that.
const GRID: usize = 24;
const SECTIONS: usize = 24;
/// Steps beyond which the bound step by step takes too long.
const MOST_STEPS: u64 = 1_000_000;

/// A schedule and the bound it gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Recommendation {
    /// $\rho_1$
    pub rho1: f64,
    /// $\gamma$
    pub gamma: f64,
    /// The natural logarithm of the bound on $\delta_k$ at the step asked about.
    pub ln_bound: f64,
}

/// Advice for a number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The number of steps, $k$.
    pub steps: u64,
    /// The largest $\rho_1$ that has the rate $1/k$ at $\gamma = 1$.
    pub fastest_rho1: f64,
    /// What minimises the bound of Theorem 2.
    pub theorem: Recommendation,
    /// What minimises the bound step by step.
    pub step_by_step: Recommendation,
}

/// Advice for `steps` steps.
pub fn advise(constants: Constants, steps: u64) -> Result<Advice> {
    if !(1..=MOST_STEPS).contains(&steps) {
        return Err(Error::setting("steps to advise for", Rule::Steps { most: MOST_STEPS }, steps));
    }
    let theorem = best(constants, |bounds| bounds.ln_parameter(steps).unwrap_or(f64::INFINITY))?;
    let step_by_step = best(constants, |bounds| bounds.ln_parameter_step_by_step(&[steps])[0])?;
    Ok(Advice { steps, fastest_rho1: largest_fast_rho1(constants.mu), theorem, step_by_step })
}

/// Minimises a bound over both parameters.
fn best(constants: Constants, bound: impl Fn(&Bounds) -> f64 + Sync) -> Result<Recommendation> {
    let (low, high) = ((1e-3 * constants.mu).ln(), (1e4 * constants.lipschitz).ln());
    let spacing = (high - low) / (GRID - 1) as f64;
    let each: Vec<Recommendation> = GAMMAS
        .into_par_iter()
        .map(|gamma| {
            let value = |ln_rho1: f64| Ok::<_, Error>(bound(&Bounds::new(constants, ln_rho1.exp(), gamma)?));
            let mut start = (f64::INFINITY, low);
            for i in 0..GRID {
                let at = low + i as f64 * spacing;
                let found = value(at)?;
                if found < start.0 {
                    start = (found, at);
                }
            }
            let (ln_bound, ln_rho1) = golden(value, start, spacing)?;
            Ok(Recommendation { rho1: ln_rho1.exp(), gamma, ln_bound })
        })
        .collect::<Result<_>>()?;
    // Equal bounds keep the smaller power; the list is never empty.
    Ok(each.into_iter().reduce(|a, b| if b.ln_bound < a.ln_bound { b } else { a }).unwrap_or(Recommendation {
        rho1: constants.lipschitz,
        gamma: 1.0,
        ln_bound: f64::INFINITY,
    }))
}

/// Golden sections around the best point of a grid; never worse than it.
fn golden(value: impl Fn(f64) -> Result<f64>, start: (f64, f64), spacing: f64) -> Result<(f64, f64)> {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (start.1 - spacing, start.1 + spacing);
    let mut best = start;
    let (mut left, mut right) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_left, mut at_right) = (value(left)?, value(right)?);
    for _ in 0..SECTIONS {
        for found in [(at_left, left), (at_right, right)] {
            if found.0 < best.0 {
                best = found;
            }
        }
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - SHARE * (high - low);
            at_left = value(left)?;
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + SHARE * (high - low);
            at_right = value(right)?;
        }
    }
    Ok(best)
}
