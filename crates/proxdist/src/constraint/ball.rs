//! The Euclidean ball, $C = \{x : \|x - c\| \le r\}$; the center $c$ is the origin unless given.
//!
//! A point outside moves towards the center until it meets the sphere, $P(x) = c + r (x - c) / \|x - c\|$: by Cauchy's
//! inequality no other point of the ball is nearer. Convex, unique, $O(p)$. Radius zero leaves only the center.

use super::magnitude::Length;
use super::{Constraint, RowsAndBalls, SetFault, Structure, Workspace, refusal, require_dimension};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Points within a distance of a center.
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    radius: f64,
    center: Option<Vec<f64>>,
}

impl Ball {
    /// The ball around the origin; the radius is zero or positive.
    pub fn radius(radius: f64) -> Result<Self> {
        let ball = Self { radius, center: None };
        if radius.is_finite() && radius >= 0.0 {
            return Ok(ball);
        }
        Err(refusal(ball.spec(), SetFault::Radius))
    }

    /// The same ball around another center.
    pub fn centered_at(self, center: Vec<f64>) -> Result<Self> {
        let finite = center.iter().all(|value| value.is_finite());
        let ball = Self { center: Some(center), ..self };
        if finite { Ok(ball) } else { Err(refusal(ball.spec(), "every coordinate of the center must be finite")) }
    }

    /// The center; `None` is the origin.
    pub fn center(&self) -> Option<&[f64]> {
        self.center.as_deref()
    }

    /// The largest distance from the center.
    pub fn limit(&self) -> f64 {
        self.radius
    }
}

impl Constraint for Ball {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        let Some(center) = &self.center else {
            shorten(point, self.radius);
            return Ok(());
        };
        require_dimension(self, center.len(), point.len())?;
        let length = Length::of(point.iter().zip(center).map(|(x, c)| x - c));
        if length.value() <= self.radius {
            return Ok(());
        }
        for (x, c) in point.iter_mut().zip(center) {
            *x = c + length.rescaled(*x - c, self.radius);
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        self.center.as_ref().map_or(Ok(()), |center| require_dimension(self, center.len(), shape.len()))
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Ball(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        let length = Length::of(direction.iter().copied()).value();
        let center = self.center.iter().flatten().zip(direction).map(|(c, d)| c * d).sum::<f64>();
        Some(center + self.radius * length)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Ball { radius: self.radius, center: self.center.clone() }
    }
}

impl RowsAndBalls for Ball {
    fn conic(&self, features: usize) -> Option<Conic> {
        let is_own = self.center().is_none_or(|center| center.len() == features);
        is_own.then(|| Conic::everything(features).in_ball(self.center(), self.radius))
    }
}

/// The projection onto the ball around the origin.
pub(super) fn shorten(point: &mut [f64], radius: f64) {
    let length = Length::of(point.iter().copied());
    if length.value() <= radius {
        return;
    }
    // NaN is not shorter than anything, so it spreads and is seen.
    for x in point {
        *x = length.rescaled(*x, radius);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn a_point_outside_moves_along_the_ray_to_the_center() -> Result<()> {
        assert_eq!(projected(&Ball::radius(2.5)?, &[3.0, -4.0])?, [1.5, -2.0]);
        let shifted = Ball::radius(1.0)?.centered_at(vec![1.0, 1.0])?;
        assert_eq!(projected(&shifted, &[1.0, 5.0])?, [1.0, 2.0]);
        assert_eq!(projected(&shifted, &[1.0, 1.5])?, [1.0, 1.5]);
        Ok(())
    }

    #[test]
    fn radius_zero_leaves_only_the_center() -> Result<()> {
        assert_eq!(projected(&Ball::radius(0.0)?, &[3.0, -4.0])?, [0.0, 0.0]);
        assert_eq!(projected(&Ball::radius(0.0)?.centered_at(vec![7.0])?, &[-2.0])?, [7.0]);
        Ok(())
    }
}
