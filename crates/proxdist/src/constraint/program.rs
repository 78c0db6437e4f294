//! Projection onto a set that is known by its rows and balls alone: a quadratic program, solved to the last digits.

use super::{Constraint, ProjectionFault, SetFault, projection_failure, refusal};
use crate::conic::{Conic, Nearest, nearest};
use crate::error::Result;

/// Replaces `point` by the nearest point of `conic`, which describes `set`. A point that holds every row stays as it is, bit by bit.
pub(super) fn project(set: &dyn Constraint, conic: &Conic, point: &mut [f64]) -> Result<()> {
    if point.iter().any(|x| !x.is_finite()) {
        return Err(projection_failure(set, ProjectionFault::TooLarge));
    }
    if conic.violation(point) == 0.0 {
        return Ok(());
    }
    // Powers of two change no digit, and squares then neither overflow nor vanish.
    let top = point.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    let unit = if is_cone(conic) && top > 0.0 { top.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
    let scaled: Vec<f64> = point.iter().map(|x| x / unit).collect();
    match nearest(conic, None, &scaled) {
        Nearest::Found(found) => {
            point.iter_mut().zip(found).for_each(|(x, found)| *x = found * unit);
            Ok(())
        }
        Nearest::Empty => {
            let fault = ProjectionFault::Other("the rows exclude each other: the set is empty".to_owned());
            Err(projection_failure(set, fault))
        }
        Nearest::Unclear => {
            let fault = "no point could be shown to be nearest: the rows are too nearly dependent, or the numbers too far apart";
            Err(projection_failure(set, ProjectionFault::Other(fault.to_owned())))
        }
    }
}

/// Refuses a set without any point.
pub(super) fn require_a_point(set: &dyn Constraint, conic: &Conic) -> Result<()> {
    let origin = vec![0.0; conic.features];
    if conic.violation(&origin) > 0.0 && nearest(conic, None, &origin) == Nearest::Empty {
        return Err(refusal(set.spec(), SetFault::empty("the rows exclude each other")));
    }
    Ok(())
}

fn is_cone(conic: &Conic) -> bool {
    conic.balls.is_empty() && conic.rows.iter().all(|row| row.right == 0.0)
}
