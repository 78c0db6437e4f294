//! What every exchange of features would do to F, from one pass over the data.
//!
//! At a minimiser on the support S (with the intercept, if there is one, always in it) let $A$ be the Hessian on S, $C$ its part
//! between S and the candidates, $d$ its diagonal and $g$ the gradient at the candidates. With $a = A^{-1}$ and $B = aC$, removing
//! $j \in S$ costs $\tfrac12\theta_j^2/a_{jj}$; then adding $i \notin S$ gains $\tfrac12$ of
//! $$\frac{(g_i - \theta_jB_{ji}/a_{jj})^2}{d_i - C_i^TB_i + B_{ji}^2/a_{jj}}.$$
//! This is exact for squared loss and the quadratic model otherwise, for all pairs at $O(|S|)$ a pair.
//!
//! A convex set beside sparsity can make the gradient $g_S$ on the support nonzero. Then all this is done at the minimiser of the model without
//! that set, $\theta - ag_S$, where the model is $\tfrac12g_S^Tag_S$ lower and $g_i$ becomes $g_i - B_i^Tg_S$: for squared loss what comes out
//! is a lower bound of F after the exchange.

use super::sweep::{Sweep, crosses};
use crate::constraint::Choice;
use crate::error::Result;
use crate::linalg::{Cholesky, axpy, dot};
use crate::objective::Objective;

/// One feature out, another in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swap {
    /// Position in the support of the feature that leaves.
    pub(crate) leaves: usize,
    /// Column that enters.
    pub(crate) enters: usize,
    /// Predicted change of F, or a lower bound of it.
    pub(crate) change: f64,
}

/// The current minimiser on a support, as the scores need it.
pub(crate) struct Held<'a> {
    pub(crate) support: &'a [usize],
    /// Coefficients of the support, then the intercept if there is one.
    pub(crate) point: &'a [f64],
    /// The gradient there in the same coordinates.
    pub(crate) gradient: &'a [f64],
    /// Hessian on the same, full and symmetric.
    pub(crate) hessian: &'a [f64],
}

/// The inverse of a Hessian, symmetric and full.
pub(crate) struct Inverse {
    pub(crate) entries: Vec<f64>,
    /// The largest $a_{jj}A_{jj}$: how much rounding grows. Infinite if the Hessian had to be nudged to be inverted.
    pub(crate) inflation: f64,
}

/// The inverse of a Hessian, nudged if it is singular. Its rows and columns are scaled first, so that units do not matter.
pub(crate) fn inverse(hessian: &[f64], size: usize) -> Option<Inverse> {
    if size == 0 {
        return Some(Inverse { entries: Vec::new(), inflation: 1.0 });
    }
    let scale = |j: usize| hessian[j * size + j].sqrt();
    let scales: Vec<f64> = (0..size).map(scale).map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect();
    let mut cholesky = Cholesky::default();
    [0.0, 1e-12, 1e-9, 1e-6].iter().find_map(|&nudge| {
        let matrix = cholesky.matrix(size);
        for j in 0..size {
            for k in 0..size {
                matrix[j * size + k] = hessian[j * size + k] / (scales[j] * scales[k]);
            }
            matrix[j * size + j] += nudge;
        }
        if !cholesky.factor() {
            return None;
        }
        let mut entries = vec![0.0; size * size];
        let mut inflation: f64 = if nudge > 0.0 { f64::INFINITY } else { 1.0 };
        for (j, column) in entries.chunks_exact_mut(size).enumerate() {
            column[j] = 1.0;
            cholesky.solve(column);
            inflation = inflation.max(column[j]);
            column.iter_mut().zip(&scales).for_each(|(a, s)| *a /= s * scales[j]);
        }
        inflation.is_finite().then_some(()).or((nudge > 0.0).then_some(()))?;
        Some(Inverse { entries, inflation })
    })
}

/// What the scores of all exchanges share.
pub(crate) struct Scores<'a> {
    held: &'a Held<'a>,
    sweep: &'a Sweep,
    candidates: &'a [usize],
    inverse: Inverse,
    /// Second derivatives with the support for the candidates, where the sweep does not have those of all columns.
    separate: Option<Vec<f64>>,
}

/// Part of a column's second derivative that must be left for its gain to be trusted.
const INDEPENDENT: f64 = 1e-8;

impl<'a> Scores<'a> {
    /// `None` if the Hessian on the support is not even nearly invertible.
    pub(crate) fn new(
        objective: Objective,
        theta: &[f64],
        held: &'a Held<'a>,
        sweep: &'a Sweep,
        candidates: &'a [usize],
    ) -> Result<Option<Self>> {
        let size = held.point.len();
        let Some(inverse) = inverse(held.hessian, size) else { return Ok(None) };
        let separate = match sweep.crosses {
            Some(_) => None,
            None => Some(crosses(objective, theta, held.support, candidates)?),
        };
        Ok(Some(Self { held, sweep, candidates, inverse, separate }))
    }

    /// The same from a sweep that has the second derivatives with the support for all columns; `None` if it has not, too.
    pub(crate) fn with_crosses(held: &'a Held<'a>, sweep: &'a Sweep, candidates: &'a [usize]) -> Option<Self> {
        let inverse = inverse(held.hessian, held.point.len()).filter(|_| sweep.has_crosses())?;
        Some(Self { held, sweep, candidates, inverse, separate: None })
    }

    /// How much rounding grows in these scores.
    pub(crate) fn inflation(&self) -> f64 {
        self.inverse.inflation
    }

    /// $B_i$ into `b`, and what the support leaves of the second derivative of the candidate.
    fn explain(&self, at: usize, b: &mut [f64]) -> f64 {
        let (column, size) = (self.candidates[at], b.len());
        let cross = match (&self.sweep.crosses, &self.separate) {
            (Some(all), _) => &all[column * size..(column + 1) * size],
            (None, Some(some)) => &some[at * size..(at + 1) * size],
            (None, None) => &[],
        };
        b.fill(0.0);
        for (k, &c) in cross.iter().enumerate() {
            axpy(c, &self.inverse.entries[k * size..(k + 1) * size], b);
        }
        let explained: f64 = cross.iter().zip(&*b).map(|(c, b)| c * b).sum();
        (self.sweep.diagonal[column] - explained).max(0.0)
    }

    /// Calls `each` with every swap that `allows` (position in the support, column) and its predicted change; `None` where the column is
    /// so nearly a combination of the others that nothing can be predicted. Gains are multiplied by `caution`, which is above one
    /// where second derivatives are estimates.
    pub(crate) fn swaps(&self, allows: impl Fn(usize, usize) -> bool, caution: f64, mut each: impl FnMut(Swap, bool)) {
        let size = self.held.point.len();
        let mut moved = vec![0.0; size];
        for (k, &g) in self.held.gradient.iter().enumerate() {
            axpy(-g, &self.inverse.entries[k * size..(k + 1) * size], &mut moved);
        }
        let dropped = 0.5 * dot(&moved, self.held.gradient);
        let free: Vec<f64> = self.held.point.iter().zip(&moved).map(|(x, d)| x + d).collect();
        let mut b = vec![0.0; size];
        for (at, &column) in self.candidates.iter().enumerate() {
            let diagonal = self.sweep.diagonal[column];
            // A column of zeros changes nothing.
            if diagonal == 0.0 {
                continue;
            }
            let left = self.explain(at, &mut b);
            let slope = self.sweep.gradient[column] - dot(&b, self.held.gradient);
            for leaves in (0..self.held.support.len()).filter(|&leaves| allows(leaves, column)) {
                let own = self.inverse.entries[leaves * size + leaves];
                let curvature = left + b[leaves] * b[leaves] / own;
                let along = slope - free[leaves] * b[leaves] / own;
                let gain = caution * along * along / curvature.max(INDEPENDENT * diagonal);
                let change = dropped + 0.5 * (free[leaves] * free[leaves] / own - gain);
                let is_clear = curvature > INDEPENDENT * diagonal && change.is_finite();
                each(Swap { leaves, enters: column, change }, is_clear);
            }
        }
    }

    /// Second derivative along a candidate once a feature of the support has left and the others follow.
    pub(crate) fn curvatures(&self, at: usize, b: &mut Vec<f64>) -> Vec<f64> {
        let size = self.held.point.len();
        b.resize(size, 0.0);
        let left = self.explain(at, b);
        let least = INDEPENDENT * self.sweep.diagonal[self.candidates[at]];
        let own = |j: usize| self.inverse.entries[j * size + j];
        (0..self.held.support.len()).map(|j| (left + b[j] * b[j] / own(j)).max(least)).collect()
    }
}

/// Predicted support after removing features one by one, cheapest first, on the quadratic model, until no pool and then no family has more than it may
/// keep. `units` has the unit of each position in the support, if it has one.
pub(crate) fn eliminate(held: &Held, units: &[Option<usize>], choice: &Choice) -> Option<Vec<usize>> {
    let size = held.point.len();
    let mut inverse = inverse(held.hessian, size)?.entries;
    let mut point = held.point.to_vec();
    let mut alive: Vec<usize> = (0..held.support.len()).collect();
    loop {
        let left: Vec<usize> = alive.iter().filter_map(|&j| units[j]).collect();
        let crowded: Vec<usize> = choice.crowded(&left).collect();
        if crowded.is_empty() {
            break;
        }
        let cost = |&j: &usize| point[j] * point[j] / inverse[j * size + j].max(f64::MIN_POSITIVE);
        let may_go = |&at: &usize| units[alive[at]].is_some_and(|unit| crowded.contains(&unit));
        let at = (0..alive.len()).filter(may_go).min_by(|&a, &b| cost(&alive[a]).total_cmp(&cost(&alive[b])))?;
        let j = alive.remove(at);
        let own = inverse[j * size + j];
        let column: Vec<f64> = inverse[j * size..(j + 1) * size].to_vec();
        axpy(-point[j] / own, &column, &mut point);
        for k in 0..size {
            axpy(-column[k] / own, &column, &mut inverse[k * size..(k + 1) * size]);
        }
    }
    Some(alive.into_iter().map(|j| held.support[j]).collect())
}
