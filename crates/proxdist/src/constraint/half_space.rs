//! A half-space, $C = \{x : a^T x \le b\}$.
//!
//! A point outside moves along the normal by its excess, $P(x) = x - a \max(a^T x - b, 0) / \|a\|^2$: the shortest way
//! to the boundary is perpendicular to it. Convex, unique, $O(p)$. Where $a$ has one nonzero entry, that coordinate has the limit $b/a_j$, met exactly.

use super::magnitude::Length;
use super::{
    Constraint, Face, Faces, ProjectionFault, RowsAndBalls, Structure, Workspace, projection_failure, refusal,
    require_dimension,
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
    /// The only coordinate that the normal speaks of, if it is one.
    only: Option<usize>,
}

impl HalfSpace {
    /// Points with `normal · x <= offset`; the normal has a nonzero entry.
    pub fn below(normal: Vec<f64>, offset: f64) -> Result<Self> {
        let length = Length::of(normal.iter().copied());
        let unit = normal.iter().map(|a| length.rescaled(*a, 1.0)).collect();
        let mut spoken_of = normal.iter().enumerate().filter(|(_, a)| **a != 0.0).map(|(j, _)| j);
        let only = spoken_of.next().filter(|_| spoken_of.next().is_none());
        let half_space = Self { distance: length.rescaled(offset, 1.0), normal, offset, unit, only };
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
            return Err(projection_failure(self, ProjectionFault::Product));
        }
        if let Some(j) = self.only {
            point[j] = self.distance * self.unit[j];
            return Ok(());
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

    #[test]
    fn a_limit_of_one_coordinate_is_met_exactly() -> Result<()> {
        for (a, b) in [(-0.243_364_009_460_950_83, 0.0), (1.557_644_687_200_849_6, 0.0), (3.0, 0.7), (-1e-7, 5e3)] {
            let set = HalfSpace::below(vec![0.0, a], b)?;
            for size in [1e-30, 0.3, 1.7, 1e9] {
                let outside = b / a + size * a.signum();
                let met = projected(&set, &[2.5, outside])?;
                assert_eq!(met[0], 2.5);
                assert!((met[1] - b / a).abs() <= 1e-15 * (b / a).abs(), "{a} {b} {size}: {met:?}");
                assert_eq!(projected(&set, &met)?, met);
            }
        }
        Ok(())
    }
}
