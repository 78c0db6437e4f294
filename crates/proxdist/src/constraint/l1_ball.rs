//! The L1 ball, $C = \{x : \sum_j |x_j| \le r\}$.
//!
//! Signs never change, so a point outside is projected as $|x|$ onto the simplex of total $r$ and gets its signs back:
//! soft thresholding, $P(x)_j = \mathrm{sign}(x_j) \max(|x_j| - \tau, 0)$. Convex, unique, $O(p)$ per pass, few passes.

use super::simplex::Level;
use super::structure::top;
use super::{Constraint, Face, Faces, RowsAndBalls, SetFault, Structure, Workspace, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::spec::SetSpec;

/// A limit on the sum of magnitudes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L1Ball {
    radius: f64,
}

impl L1Ball {
    /// Magnitudes that sum to at most `radius`, which is zero or positive.
    pub fn radius(radius: f64) -> Result<Self> {
        let ball = Self { radius };
        if radius.is_finite() && radius >= 0.0 {
            return Ok(ball);
        }
        Err(refusal(ball.spec(), SetFault::Radius))
    }

    /// The radius.
    pub(super) fn limit(self) -> f64 {
        self.radius
    }

    /// Whether the sum of magnitudes is below the radius by more than rounding.
    pub(super) fn is_interior(self, point: &[f64]) -> bool {
        point.iter().map(|x| x.abs()).sum::<f64>() < self.radius * (1.0 - ON_BOUNDARY)
    }
}

/// Distance to the boundary that counts as none, relative to the radius.
const ON_BOUNDARY: f64 = 1e-13;

impl Constraint for L1Ball {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        if point.iter().map(|x| x.abs()).sum::<f64>() <= self.radius {
            return Ok(());
        }
        let mut candidates = work.take_numbers();
        let level = Level::of(point.iter().map(|x| x.abs()), self.radius, &mut candidates);
        work.return_numbers(candidates);
        for x in point {
            let magnitude = level.excess(x.abs());
            *x = if magnitude == 0.0 { 0.0 } else { magnitude.copysign(*x) };
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
        Some(self.radius * top(direction.iter().map(|d| d.abs())).max(0.0))
    }

    fn spec(&self) -> SetSpec {
        SetSpec::L1Ball { radius: self.radius }
    }
}

impl RowsAndBalls for L1Ball {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(Conic::everything(features).in_l1_ball(self.radius))
    }
}

impl Faces for L1Ball {
    fn face(&self, point: &[f64]) -> Option<Face> {
        if self.is_interior(point) {
            return Some(Face::of_free(0..point.len()));
        }
        let signs: Vec<f64> = point.iter().map(|x| if *x == 0.0 { 0.0 } else { x.signum() }).collect();
        Some(Face::of_free((0..point.len()).filter(|&j| point[j] != 0.0)).holding(&signs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn a_point_outside_is_soft_thresholded() -> Result<()> {
        assert_eq!(projected(&L1Ball::radius(1.0)?, &[2.0, -1.5, 0.1])?, [0.75, -0.25, 0.0]);
        assert_eq!(projected(&L1Ball::radius(1.0)?, &[0.5, -0.5])?, [0.5, -0.5]);
        assert_eq!(projected(&L1Ball::radius(0.0)?, &[4.0, -4.0])?, [0.0, 0.0]);
        Ok(())
    }
}
