//! Finishing over a convex set: the exact method for its family, or accelerated projected gradient.
//!
//! | set | method |
//! |---|---|
//! | whole space | Newton with Armijo steps, on the one face there is |
//! | ball | quadratic models over the ball, by growing subspaces |
//! | polyhedron | projected gradient to find the face, Newton on it |
//! | anything else | accelerated projected gradient |

use super::{Finished, Smooth, Until, accelerated, ball, faces};
use crate::constraint::{Constraint, Structure};
use crate::error::Result;

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
    match set.structure() {
        Structure::Ball { centre, radius } => ball::minimise(function, set, centre, radius, point, until),
        Structure::WholeSpace | Structure::Polyhedron => faces::minimise(function, set, point, until),
        _ => accelerated::minimise(function, set, point, until),
    }
}
