//! A half-space, $C = \{x : a^T x \le b\}$.
//!
//! A point outside moves along the normal by its excess, $P(x) = x - a \max(a^T x - b, 0) / \|a\|^2$: the shortest way
//! to the boundary is perpendicular to it. Convex, unique, $O(p)$.

use super::magnitude::Length;
use super::{
    Constraint, Face, Faces, RowsAndBalls, Structure, Workspace, projection_failure, refusal, require_dimension,
};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Distance to the boundary that counts as none, relative to the numbers that cancel in it.
const ON_BOUNDARY: f64 = 1e-14;

/// One linear inequality.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfSpace {
    normal: Vec<f64>,
    offset: f64,
    unit: Vec<f64>,
    distance: f64,
}

impl HalfSpace {
    /// Points with `normal · x <= offset`; the normal has a nonzero entry.
    pub fn below(normal: Vec<f64>, offset: f64) -> Result<Self> {
        let length = Length::of(normal.iter().copied());
        let unit = normal.iter().map(|a| length.rescaled(*a, 1.0)).collect();
        let half_space = Self { distance: length.rescaled(offset, 1.0), normal, offset, unit };
        if !half_space.normal.iter().chain([&offset]).all(|value| value.is_finite()) {
            return Err(refusal(half_space.spec(), "every number must be finite"));
        }
        if length.value() == 0.0 {
            return Err(refusal(half_space.spec(), "the normal a must have a nonzero entry"));
        }
        if !half_space.distance.is_finite() {
            return Err(refusal(half_space.spec(), "b is too large compared with a"));
        }
        Ok(half_space)
    }
}

impl Constraint for HalfSpace {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        require_dimension(self, self.unit.len(), point.len())?;
        let excess = point.iter().zip(&self.unit).map(|(x, a)| x * a).sum::<f64>() - self.distance;
        if excess <= 0.0 {
            return Ok(());
        }
        if !excess.is_finite() {
            return Err(projection_failure(self, "the product a·x is not a finite number"));
        }
        for (x, a) in point.iter_mut().zip(&self.unit) {
            *x -= excess * a;
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.offset == 0.0
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_dimension(self, self.unit.len(), shape.len())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::HalfSpace { normal: self.normal.clone(), offset: self.offset }
    }
}

impl RowsAndBalls for HalfSpace {
    fn conic(&self, features: usize) -> Option<Conic> {
        let terms = self.unit.iter().copied().enumerate().filter(|(_, a)| *a != 0.0).collect();
        (features == self.unit.len()).then(|| Conic::everything(features).at_most(terms, self.distance))
    }
}

impl Faces for HalfSpace {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let face = Face::of_free(0..self.unit.len());
        let terms = || point.iter().zip(&self.unit).map(|(x, a)| x * a);
        let size = terms().map(f64::abs).sum::<f64>() + self.distance.abs();
        let active = terms().sum::<f64>() >= self.distance - ON_BOUNDARY * size;
        (point.len() == self.unit.len()).then(|| if active { face.holding(&self.unit) } else { face })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn a_point_outside_falls_perpendicularly_onto_the_boundary() -> Result<()> {
        let set = HalfSpace::below(vec![0.0, 2.0], 2.0)?;
        assert_eq!(projected(&set, &[5.0, 4.0])?, [5.0, 1.0]);
        assert_eq!(projected(&set, &[5.0, -4.0])?, [5.0, -4.0]);
        Ok(())
    }
}
