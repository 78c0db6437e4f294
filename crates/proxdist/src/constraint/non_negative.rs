//! Vectors without a negative entry, $C = \{x : x_j \ge 0\}$.
//!
//! Coordinates do not interact, so each negative one moves to zero. A convex cone, $O(p)$.

use super::bounds::clip;
use super::{Constraint, Workspace};
use crate::error::Result;
use crate::spec::SetSpec;

/// Every entry zero or positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonNegative;

impl Constraint for NonNegative {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        for x in point {
            *x = clip(*x, (0.0, f64::INFINITY));
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn is_scale_free(&self) -> bool {
        true
    }

    fn spec(&self) -> String {
        SetSpec::NonNegative.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn negative_entries_become_zero() -> Result<()> {
        assert_eq!(projected(&NonNegative, &[-1.0, 0.0, 2.0])?, [0.0, 0.0, 2.0]);
        Ok(())
    }
}
