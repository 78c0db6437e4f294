//! Vectors whose entries are at most $r$ in magnitude, $C = \{x : \max_j |x_j| \le r\}$.
//!
//! A box with limits $\pm r$, so each entry is clipped by itself. Convex, unique, $O(p)$.

use super::bounds::clip;
use super::face::face_of_box;
use super::{Constraint, Face, Faces, RowsAndBalls, SetFault, Structure, Workspace, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::spec::SetSpec;

/// A limit on the largest magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinfBall {
    radius: f64,
}

impl LinfBall {
    /// Magnitudes of at most `radius`, which is zero or positive.
    pub fn radius(radius: f64) -> Result<Self> {
        let ball = Self { radius };
        if radius.is_finite() && radius >= 0.0 {
            return Ok(ball);
        }
        Err(refusal(ball.spec(), SetFault::Radius))
    }
}

impl Constraint for LinfBall {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        for x in point {
            *x = clip(*x, (-self.radius, self.radius));
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        Some(self.radius * direction.iter().map(|d| d.abs()).sum::<f64>())
    }

    fn spec(&self) -> SetSpec {
        SetSpec::LinfBall { radius: self.radius }
    }
}

impl RowsAndBalls for LinfBall {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(Conic::everything(features).between(std::iter::repeat((-self.radius, self.radius))))
    }
}

impl Faces for LinfBall {
    fn face(&self, point: &[f64]) -> Option<Face> {
        Some(face_of_box(std::iter::repeat((-self.radius, self.radius)), point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn large_entries_are_clipped_with_their_sign() -> Result<()> {
        assert_eq!(projected(&LinfBall::radius(2.0)?, &[-3.0, 1.0, 5.0])?, [-2.0, 1.0, 2.0]);
        Ok(())
    }
}
