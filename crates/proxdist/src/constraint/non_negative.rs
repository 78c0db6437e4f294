//! Vectors without a negative entry, $C = \{x : x_j \ge 0\}$.
//!
//! Coordinates do not interact, so each negative one moves to zero. A convex cone, $O(p)$.

use super::bounds::clip;
use super::face::face_of_box;
use super::{Constraint, Face, Faces, RowsAndBalls, Structure, Workspace};
use crate::conic::Conic;
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

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        direction.iter().all(|d| *d <= 0.0).then_some(0.0)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::NonNegative
    }
}

impl RowsAndBalls for NonNegative {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(Conic::everything(features).between(std::iter::repeat((0.0, f64::INFINITY))))
    }
}

impl Faces for NonNegative {
    fn face(&self, point: &[f64]) -> Option<Face> {
        Some(face_of_box(std::iter::repeat((0.0, f64::INFINITY)), point))
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
