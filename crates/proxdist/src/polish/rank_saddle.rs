//! Ways down from a point of the low-rank matrices where the gradient along the set vanishes but F is not least: see [`super::rank`].
//!
//! There the Hessian $A$ along the set decides ([`Hessian`]). If it is positive definite, up to rounding, the point is a minimum of its neighbourhood. Otherwise a shift $\sigma$ makes it so, and inverse iteration on $A + \sigma$ turns to the direction $v$ in which F bends down most. F falls both ways along $v$;
//! how far is tried.

use super::rank_dense::Hessian;
use super::rank_place::{Place, Task};
use crate::error::Result;
use crate::linalg::{Cholesky, dot, norm};

/// Curvatures above minus this, on the scale of the unit diagonal, are none.
const LEVEL: f64 = 1e-6;
/// Steps of the inverse iteration.
const TURNS: usize = 20;
/// Lengths that are tried each way, each a quarter of the one before.
const LENGTHS: i32 = 12;
/// Share of F that a way down must gain.
const GAIN: f64 = 1e-11;

/// A point of the set with a measurably lower F near a stationary one; nothing if F is least there, or where the set is not smooth.
pub(super) fn below(task: Task, at: &Place) -> Result<Option<Place>> {
    if !at.factors.is_smooth() || at.factors.unknowns() == 0 {
        return Ok(None);
    }
    let at = &Place::new(task, at.theta.clone(), true, 0.0)?;
    let Some(direction) = downwards(at) else { return Ok(None) };
    let most = (2.0 * at.size).sqrt();
    let mut lowest: Option<(f64, Vec<f64>)> = None;
    for (number, sign) in (0..LENGTHS).flat_map(|number| [(number, 1.0), (number, -1.0)]) {
        let step: Vec<f64> = direction.iter().map(|d| sign * most * 0.25_f64.powi(number) * d).collect();
        for end in at.ends(&step, 1.0) {
            let end = end?;
            let value = task.objective.value(&end)?;
            let level = lowest.as_ref().map_or(at.now.value - GAIN * at.size, |(value, _)| *value);
            if value < level {
                lowest = Some((value, end));
            }
        }
    }
    lowest.map(|(_, end)| Place::new(task, end, true, 0.0)).transpose()
}

/// The direction along the set in which F bends down most, of unit length on the scale of the unit diagonal; nothing if it bends up everywhere.
fn downwards(at: &Place) -> Option<Vec<f64>> {
    let Hessian { matrix, scales, .. } = Hessian::along_set(at)?;
    let size = scales.len();
    let mut cholesky = Cholesky::default();
    let mut factor = |shift: f64| {
        let target = cholesky.matrix(size);
        target.copy_from_slice(&matrix);
        (0..size).for_each(|k| target[k * size + k] += shift);
        cholesky.factor()
    };
    let mut shift = LEVEL;
    if factor(shift) {
        return None;
    }
    while !factor(shift) {
        shift *= 2.0;
        if !shift.is_finite() {
            return None;
        }
    }
    let mut v: Vec<f64> = (0..size).map(|k| ((k as f64 + 1.0) * 0.754_877_666).fract() - 0.4).collect();
    for _ in 0..TURNS {
        cholesky.solve(&mut v);
        let length = norm(&v);
        v.iter_mut().for_each(|v| *v /= length);
    }
    let bend: f64 = matrix.chunks_exact(size).zip(&v).map(|(row, x)| x * dot(row, &v)).sum();
    if bend.is_nan() || bend >= -LEVEL {
        return None;
    }
    v.iter_mut().zip(&scales).for_each(|(v, scale)| *v *= scale);
    Some(at.factors.expanded(&v))
}
