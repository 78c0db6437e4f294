//! The minimum over real numbers within bounds, by Newton's method on the coordinates that the bounds leave free, and the bound that any point gives.

use super::problem::{Look, Region, Whole};
use crate::linalg::Cholesky;

/// Steps after which the point that was found is good enough: its bound is true wherever it is.
const STEPS: usize = 60;

/// A point of a region with the derivatives there, and what no point of the region is below.
pub(super) struct Relaxed {
    pub(super) point: Vec<f64>,
    pub(super) look: Look,
    pub(super) bound: f64,
}

/// Minimises over a region, from a point near it.
pub(super) fn relaxed(problem: &Whole, region: &Region, from: &[f64]) -> Relaxed {
    let mut point = region.clamped(from);
    let mut look = problem.look(&point);
    let mut bound = linear_bound(&point, &look, region);
    for _ in 0..STEPS {
        if look.value - bound <= 1e-3 * super::SAME {
            break;
        }
        let Some(step) = newton(&point, &look, region) else { break };
        let mut size = 1.0;
        let moved = loop {
            let trial = region.clamped(&point.iter().zip(&step).map(|(x, s)| x + size * s).collect::<Vec<_>>());
            let way: f64 = trial.iter().zip(&point).zip(&look.gradient).map(|((t, x), g)| g * (t - x)).sum();
            if problem.value(&trial) <= look.value + 1e-4 * way {
                break Some(trial);
            }
            size *= 0.5;
            if size < 1e-10 {
                break None;
            }
        };
        let Some(trial) = moved.filter(|trial| *trial != point) else { break };
        point = trial;
        look = problem.look(&point);
        bound = bound.max(linear_bound(&point, &look, region));
    }
    Relaxed { point, look, bound }
}

/// $L(x) + \sum_j\min_t\nabla_jL(x)(t - x_j)$, a little less for what rounding may have added.
fn linear_bound(point: &[f64], look: &Look, region: &Region) -> f64 {
    look.value + (0..point.len()).map(|j| least_linear(point, look, region, j)).sum::<f64>()
        - 1e-14 * (1.0 + look.value)
}

/// The least of $\nabla_jL(x)(t - x_j)$ between the bounds.
pub(super) fn least_linear(point: &[f64], look: &Look, region: &Region, j: usize) -> f64 {
    let ends = [region.low[j], region.high[j]].map(|end| look.gradient[j] * (end as f64 - point[j]));
    ends[0].min(ends[1]).min(0.0)
}

/// Newton's step on the coordinates that are not held at a bound.
fn newton(point: &[f64], look: &Look, region: &Region) -> Option<Vec<f64>> {
    let held = |j: usize| {
        let g = look.gradient[j];
        (point[j] <= region.low[j] as f64 && g >= 0.0) || (point[j] >= region.high[j] as f64 && g <= 0.0)
    };
    let columns = point.len();
    let free: Vec<usize> = (0..columns).filter(|&j| !held(j)).collect();
    if free.is_empty() {
        return None;
    }
    let mut factor = Cholesky::default();
    let trace: f64 = free.iter().map(|&j| look.hessian[j * columns + j]).sum();
    for ridge in [0.0, 1e-12, 1e-8, 1e-4] {
        let matrix = factor.matrix(free.len());
        for (a, &j) in free.iter().enumerate() {
            for (b, &l) in free.iter().enumerate() {
                matrix[a * free.len() + b] = look.hessian[j * columns + l];
            }
            matrix[a * free.len() + a] += ridge * trace + f64::MIN_POSITIVE;
        }
        if factor.factor() {
            let mut rhs: Vec<f64> = free.iter().map(|&j| -look.gradient[j]).collect();
            factor.solve(&mut rhs);
            let mut step = vec![0.0; columns];
            free.iter().zip(&rhs).for_each(|(&j, s)| step[j] = *s);
            return Some(step);
        }
    }
    None
}
