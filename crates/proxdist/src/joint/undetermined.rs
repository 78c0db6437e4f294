//! Coefficients whose size the data do not determine.
//!
//! A feature that tells rows apart without error has no best coefficient: F falls towards a limit as it grows, and a fit ends at some large number. At a minimum F rises alike whether a coefficient is doubled or left out, as
//! $\tfrac12H_{jj}\theta_j^2$ does; where doubling costs next to nothing beside leaving out, F is flat from there on. That is what was seen, in any units of the columns, and not a proof.

use super::objective::Function;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::polish::Smooth as _;

/// Share of what leaving a feature out costs, below which doubling its coefficient costs next to nothing.
const NEXT_TO_NOTHING: f64 = 1e-6;
/// Features up to which each is asked: that takes two values of F.
const MOST: usize = 200;

/// The features, ascending; none where a ridge or the set gives every coefficient a size.
pub(super) fn undetermined(
    function: &mut Function,
    constraint: &dyn Constraint,
    theta: &[f64],
    value: f64,
) -> Result<Vec<usize>> {
    let support: Vec<usize> = (0..theta.len()).filter(|&j| theta[j] != 0.0).collect();
    if function.objective.ridge.is_positive() || !constraint.is_scale_free() || support.len() > MOST {
        return Ok(Vec::new());
    }
    let (mut found, mut point) = (Vec::new(), theta.to_vec());
    for j in support {
        point[j] = 2.0 * theta[j];
        let doubled = function.value(&point)? - value;
        point[j] = 0.0;
        let left_out = function.value(&point)? - value;
        point[j] = theta[j];
        if doubled <= NEXT_TO_NOTHING * left_out {
            found.push(j);
        }
    }
    Ok(found)
}
