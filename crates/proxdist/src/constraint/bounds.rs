//! Lower and upper limits on every coordinate, $C = \{x : l_j \le x_j \le u_j\}$; either limit may be infinite.
//!
//! Squared distance is a sum over coordinates, so each is clipped by itself: $P(x)_j = \min(\max(x_j, l_j), u_j)$.
//! Convex, unique, $O(p)$.

use super::face::face_of_box;
use super::structure::support_of_box;
use super::{Constraint, Face, Faces, RowsAndBalls, Structure, Workspace, refusal, require_dimension};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// A box: limits shared by all coordinates, or one pair for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    limits: Limits,
}

#[derive(Clone, Debug, PartialEq)]
enum Limits {
    Shared { lower: f64, upper: f64 },
    Each { lower: Vec<f64>, upper: Vec<f64> },
}

impl Bounds {
    /// The same limits for every coordinate.
    pub fn between(lower: f64, upper: f64) -> Result<Self> {
        let bounds = Self { limits: Limits::Shared { lower, upper } };
        match fault(lower, upper) {
            Some(reason) => Err(refusal(bounds.spec(), reason)),
            None => Ok(bounds),
        }
    }

    /// Limits of its own for every coordinate.
    pub fn each(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self> {
        let lengths = (lower.len(), upper.len());
        let bounds = Self { limits: Limits::Each { lower, upper } };
        if lengths.0 != lengths.1 {
            let reason = format!("there are {} lower but {} upper limits", lengths.0, lengths.1);
            return Err(refusal(bounds.spec(), reason));
        }
        let found = bounds.pairs(lengths.0).enumerate().find_map(|(j, (l, u))| Some((j, fault(l, u)?)));
        match found {
            Some((j, reason)) => Err(refusal(bounds.spec(), format!("coordinate {}: {reason}", j + 1))),
            None => Ok(bounds),
        }
    }

    /// The limits of the first `length` coordinates.
    pub(super) fn pairs(&self, length: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let at = |j: usize| match &self.limits {
            Limits::Shared { lower, upper } => (*lower, *upper),
            Limits::Each { lower, upper } => (lower[j], upper[j]),
        };
        (0..self.dimension().map_or(length, |dimension| dimension.min(length))).map(at)
    }

    /// How many coordinates there are, if the limits say so.
    pub(super) fn dimension(&self) -> Option<usize> {
        match &self.limits {
            Limits::Shared { .. } => None,
            Limits::Each { lower, upper } => Some(lower.len().min(upper.len())),
        }
    }

    /// The limits, if all coordinates share them.
    pub(super) fn shared(&self) -> Option<(f64, f64)> {
        match self.limits {
            Limits::Shared { lower, upper } => Some((lower, upper)),
            Limits::Each { .. } => None,
        }
    }

    /// Points within both boxes; `None` where the boxes cannot both hold a point.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        let meet = |(l, u): (f64, f64), (m, v): (f64, f64)| (l.max(m), u.min(v));
        let result = match (self.dimension(), other.dimension()) {
            (None, None) => {
                let (lower, upper) = self.pairs(1).zip(other.pairs(1)).map(|(a, b)| meet(a, b)).next()?;
                Self::between(lower, upper)
            }
            (Some(p), Some(q)) if p != q => return None,
            (p, q) => {
                let p = p.or(q)?;
                let (lower, upper) = self.pairs(p).zip(other.pairs(p)).map(|(a, b)| meet(a, b)).unzip();
                Self::each(lower, upper)
            }
        };
        result.ok()
    }

    /// Whether every limit is zero or infinite: then the set does not see the size of a vector.
    fn only_signs(&self) -> bool {
        self.pairs(1.max(self.dimension().unwrap_or(1)))
            .all(|(l, u)| (l == 0.0 || l == f64::NEG_INFINITY) && (u == 0.0 || u == f64::INFINITY))
    }
}

fn fault(lower: f64, upper: f64) -> Option<&'static str> {
    if lower.is_nan() || upper.is_nan() {
        Some("a limit must be a number, inf or -inf")
    } else if lower > upper {
        Some("the lower limit is above the upper one")
    } else if lower == f64::INFINITY || upper == f64::NEG_INFINITY {
        Some("no number lies between these limits")
    } else {
        None
    }
}

/// The number nearest to `x` between the limits; NaN stays, zero has no sign.
pub(super) fn clip(x: f64, (lower, upper): (f64, f64)) -> f64 {
    // Written as two selections so that it compiles without branches.
    let raised = if x < lower { lower } else { x };
    let clipped = if raised > upper { upper } else { raised };
    clipped + 0.0
}

impl Constraint for Bounds {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        require_dimension(self, self.dimension().unwrap_or(point.len()), point.len())?;
        match &self.limits {
            Limits::Shared { lower, upper } => {
                for x in point {
                    *x = clip(*x, (*lower, *upper));
                }
            }
            Limits::Each { lower, upper } => {
                for ((x, l), u) in point.iter_mut().zip(lower).zip(upper) {
                    *x = clip(*x, (*l, *u));
                }
            }
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.only_signs()
    }

    fn is_scale_free(&self) -> bool {
        self.only_signs()
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_dimension(self, self.dimension().unwrap_or(shape.len()), shape.len())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        support_of_box(self.pairs(direction.len()), direction)
    }

    fn spec(&self) -> SetSpec {
        match self.limits.clone() {
            Limits::Shared { lower, upper } => SetSpec::Bounds { lower, upper },
            Limits::Each { lower, upper } => SetSpec::BoundsEach { lower, upper },
        }
    }
}

impl RowsAndBalls for Bounds {
    fn conic(&self, features: usize) -> Option<Conic> {
        let is_own = self.dimension().is_none_or(|dimension| dimension == features);
        is_own.then(|| Conic::everything(features).between(self.pairs(features)))
    }
}

impl Faces for Bounds {
    fn face(&self, point: &[f64]) -> Option<Face> {
        Some(face_of_box(self.pairs(point.len()), point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn each_coordinate_is_clipped_by_itself() -> Result<()> {
        assert_eq!(projected(&Bounds::between(-1.0, 2.0)?, &[-3.0, 0.5, 9.0])?, [-1.0, 0.5, 2.0]);
        let each = Bounds::each(vec![0.0, f64::NEG_INFINITY], vec![f64::INFINITY, -1.0])?;
        assert_eq!(projected(&each, &[-5.0, 5.0])?, [0.0, -1.0]);
        Ok(())
    }

    #[test]
    fn signs_alone_make_a_cone() -> Result<()> {
        assert!(Bounds::each(vec![0.0, f64::NEG_INFINITY], vec![f64::INFINITY, 0.0])?.is_cone());
        assert!(!Bounds::between(0.0, 1.0)?.is_cone());
        Ok(())
    }
}
