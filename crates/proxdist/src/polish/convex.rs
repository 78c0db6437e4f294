//! Finishing over a convex set: the exact method for its family, or for its rows and balls.
//!
//! | set | method |
//! |---|---|
//! | whole space | Newton with Armijo steps, on the one face there is |
//! | ball | quadratic models over the ball, by growing subspaces |
//! | polyhedron | projected gradient to find the face, Newton on it |
//! | every other set with a description by rows and balls, intersections above all | Newton with exact models over them |
//! | anything else | accelerated projected gradient, on scaled columns if the set does not depend on units |
//!
//! The families' own methods are quick but see the units of the columns. So their result is judged in the metric of the scaled columns
//! (`measure.rs`), and where it falls short the rows and balls of the set take over.

use super::measure::{Measure, metric, reference, relative};
use super::{Finished, Smooth, Until, accelerated, ball, faces, rows_and_balls, stretched};
use crate::conic::Conic;
use crate::constraint::{Constraint, Structure};
use crate::error::Result;

/// Variables up to which a dense model of F is formed and minimised. Whole logistic fits with 1000 columns and 20 000 rows took 2 s; beyond 2000 nothing was measured.
pub(super) const MOST_VARIABLES: usize = 2000;
/// Differences of F below this, relative to F, are rounding.
const ROUNDING: f64 = 1e-14;
/// Stationarity, relative and on scaled columns, that is good enough where more is not asked for.
const GOOD: f64 = 1e-10;

/// Lowers F over a convex `set` from the feasible `point` (coefficients, then the intercept if there is one) until the
/// stationarity residual is below the tolerance of `until`, relative to the size that gradients have at this F.
///
/// The result lies in the set and F is not above its value at the start. Where F has no minimum, as for separable
/// classes over the whole space, it ends at a finite point whose gradient is below the tolerance.
pub(crate) fn minimise(
    function: &mut dyn Smooth,
    set: &dyn Constraint,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let structure = set.structure();
    let conic = structure.conic(function.features());
    let small = conic.as_ref().filter(|conic| conic.variables() <= MOST_VARIABLES);
    let own = match (structure, structure.faces(), small) {
        (Structure::Ball(ball), _, _) => ball::minimise(function, ball, point, until)?,
        (_, Some(faces), _) => faces::minimise(function, set, faces, point, until)?,
        (_, None, Some(conic)) => return rows_and_balls::minimise(function, conic, point, until),
        (_, None, None) if set.is_scale_free() => stretched::minimise(function, set, point, until)?,
        (_, None, None) => accelerated::minimise(function, set, point, until)?,
    };
    let Some(conic) = conic else { return Ok(own) };
    let stationarity = judged(function, &conic, point, &own)?;
    let is_good = stationarity <= GOOD.max(10.0 * until.tolerance);
    if is_good || conic.variables() > MOST_VARIABLES || until.is_over() {
        return Ok(Finished { stationarity, ..own });
    }
    let before = point.to_vec();
    let more = rows_and_balls::minimise(function, &conic, point, until)?;
    // Never above what the family's own method had reached by more than rounding, and then only for a better point.
    let is_lower = more.value < own.value - ROUNDING * own.value.abs();
    let is_level = more.value <= own.value + ROUNDING * own.value.abs();
    if !(is_lower || (is_level && more.stationarity < stationarity)) {
        point.copy_from_slice(&before);
        return Ok(Finished { stationarity, ..own });
    }
    Ok(more)
}

/// The stationarity of a result on scaled columns, relative to F.
fn judged(function: &mut dyn Smooth, conic: &Conic, point: &[f64], ended: &Finished) -> Result<f64> {
    let Some(gradient) = &ended.gradient else { return Ok(f64::INFINITY) };
    let metric = metric(function, point)?;
    let measure = Measure { conic, layout: function.layout(), metric: &metric };
    Ok(relative(measure.residual(point, gradient), reference(function, ended.value)?))
}
