//! The second-order cone, $C = \{(t, x) : \|x\| \le at\}$: the length of all entries but the first is at most $a$ times the first.
//!
//! A point $(t, x)$ with $\|x\| \le at$ stays. One with $a\|x\| \le -t$ lies in the polar cone and falls to the origin. Any other falls onto the
//! boundary ray $(1, a x/\|x\|)$ in the plane of the axis and $x$: the nearest point is $\frac{t + a\|x\|}{1 + a^2}(1, a x/\|x\|)$. A convex cone, unique, $O(p)$.
//!
//! It is a ball whose radius grows with a coefficient, so it has the finish, the certificate and the gap of rows and balls.

use super::magnitude::Length;
use super::{Constraint, ProjectionFault, RowsAndBalls, Structure, Workspace, projection_failure, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::spec::SetSpec;

/// Vectors whose first entry limits the length of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    slope: f64,
}

impl Cone {
    /// The length of the other entries is at most `slope` times the first; the slope is positive and finite.
    pub fn slope(slope: f64) -> Result<Self> {
        let set = Self { slope };
        let is_sound = (1e-100..=1e100).contains(&slope);
        if is_sound { Ok(set) } else { Err(refusal(set.spec(), "the slope must be a positive number")) }
    }
}

impl Default for Cone {
    fn default() -> Self {
        Self { slope: 1.0 }
    }
}

impl Constraint for Cone {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        if point.iter().any(|x| !x.is_finite()) {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        let Some((first, others)) = point.split_first_mut() else { return Ok(()) };
        let length = Length::of(others.iter().copied());
        let (away, a) = (length.value(), self.slope);
        if !away.is_finite() {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        if away <= a * *first {
            return Ok(());
        }
        if a * away <= -*first {
            *first = 0.0;
            others.fill(0.0);
            return Ok(());
        }
        // Halves first, so that the sum of two large numbers does not overflow.
        let height = 2.0 * ((0.5 * *first + 0.5 * (a * away)) / (1.0 + a * a));
        if !height.is_finite() {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        *first = height;
        others.iter_mut().for_each(|x| *x = length.rescaled(*x, a * height));
        // Rounding must not leave the point outside by a digit.
        let reached = Length::of(others.iter().copied()).value() / a;
        *first = first.max(reached);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Convex(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Cone { slope: self.slope }
    }
}

impl RowsAndBalls for Cone {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(Conic::everything(features).in_cone(self.slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn points_fall_onto_the_nearest_ray() -> Result<()> {
        let cone = Cone::default();
        assert_eq!(projected(&cone, &[0.0, 2.0])?, [1.0, 1.0]);
        assert_eq!(projected(&cone, &[5.0, 3.0, -4.0])?, [5.0, 3.0, -4.0]);
        assert_eq!(projected(&cone, &[-5.0, 3.0, -4.0])?, [0.0, 0.0, 0.0]);
        let steep = projected(&Cone::slope(2.0)?, &[0.0, 1.0])?;
        assert!((steep[0] - 0.4).abs() < 1e-15 && (steep[1] - 0.8).abs() < 1e-15, "{steep:?}");
        assert!(Cone::slope(0.0).is_err() && Cone::slope(f64::NAN).is_err());
        Ok(())
    }
}
