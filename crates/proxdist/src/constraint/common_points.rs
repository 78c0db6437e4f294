//! The intersection of convex sets, $C = C_1 \cap \dots \cap C_k$, with the nearest common point exact.
//!
//! Where every part has a description by rows and balls ([`Conic`]), so has the intersection, one below the other, and the nearest
//! point is the minimiser of a quadratic function over it, found to the last digit: exact zeros, exact ties, no matter at what angle
//! the sets meet. An empty intersection is found out the same way, and the message names the parts that exclude each other.
//!
//! Sets of one's own that only have a projection are handled by Dykstra's algorithm ([`Dykstra`]), to a tolerance.

use super::dykstra::Dykstra;
use super::{Constraint, ProjectionFault, RowsAndBalls, SetFault, Structure, Workspace, projection_failure, refusal};
use crate::conic::{Conic, Nearest, nearest};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Distance that counts as none, relative to the point: a point of all parts is left as it is.
const ROUNDING: f64 = 1e-15;

/// Points common to several convex sets.
#[derive(Debug)]
pub struct CommonPoints {
    parts: Dykstra,
}

impl CommonPoints {
    /// The intersection of sets that all say of themselves that they are convex.
    pub fn new(parts: Vec<Box<dyn Constraint>>) -> Result<Self> {
        Ok(Self { parts: Dykstra::new(parts)? })
    }

    /// Whether every part leaves the point where it is.
    fn holds(&self, point: &[f64], work: &mut Workspace) -> Result<bool> {
        let mut moved = work.take_numbers();
        let top = point.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
        let mut is_inside = true;
        for part in self.parts.parts() {
            moved.clear();
            moved.extend_from_slice(point);
            part.project(&mut moved, work)?;
            is_inside = is_inside && moved.iter().zip(point).all(|(m, x)| (m - x).abs() <= ROUNDING * top);
        }
        work.return_numbers(moved);
        Ok(is_inside)
    }

    /// The parts that have no common point, as few as will do: two if two exclude each other, else those that cannot be left out.
    fn conflict(&self, features: usize) -> String {
        let parts = self.parts.parts();
        let is_empty = |chosen: &[usize]| {
            let all = chosen
                .iter()
                .try_fold(Conic::everything(features), |set, &k| Some(set.and(&parts[k].structure().conic(features)?)));
            all.is_some_and(|set| nearest(&set, None, &vec![0.0; features]) == Nearest::Empty)
        };
        let pairs = (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| vec![a, b]));
        let conflict = pairs.into_iter().find(|pair| is_empty(pair)).unwrap_or_else(|| {
            let mut chosen: Vec<usize> = (0..parts.len()).collect();
            for k in 0..parts.len() {
                let without: Vec<usize> = chosen.iter().copied().filter(|&c| c != k).collect();
                if is_empty(&without) {
                    chosen = without;
                }
            }
            chosen
        });
        let names: Vec<String> = conflict.into_iter().map(|k| super::brief(parts[k].spec())).collect();
        names.join(" and ")
    }
}

impl Constraint for CommonPoints {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        if point.is_empty() || self.holds(point, work)? {
            return Ok(());
        }
        let Some(conic) = self.conic(point.len()) else { return self.parts.project(point, work) };
        if point.iter().any(|x| !x.is_finite()) {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        match nearest(&conic, None, point) {
            Nearest::Found(found) => {
                point.copy_from_slice(&found);
                Ok(())
            }
            Nearest::Empty => {
                let parts = self.conflict(point.len());
                Err(projection_failure(self, ProjectionFault::NoCommonPoint { parts }))
            }
            // Sets that touch in so few points that no digits are left: what Dykstra's algorithm reaches, or its error.
            Nearest::Unclear => self.parts.project(point, work),
        }
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.parts.is_cone()
    }

    fn is_scale_free(&self) -> bool {
        self.parts.is_scale_free()
    }

    /// Besides the parts' own checks, one trial projection shows whether there is a common point at all.
    fn check(&self, shape: Shape) -> Result<()> {
        let Some(conic) = self.conic(shape.len()) else { return self.parts.check(shape) };
        self.parts.parts().iter().try_for_each(|part| part.check(shape))?;
        match nearest(&conic, None, &vec![0.0; shape.len()]) {
            Nearest::Empty => {
                let conflict = self.conflict(shape.len());
                Err(refusal(self.spec(), SetFault::empty(format!("{conflict} have no common point"))))
            }
            _ => Ok(()),
        }
    }

    fn structure(&self) -> Structure<'_> {
        let is_described = self.parts.parts().iter().all(|part| part.structure().rows_and_balls().is_some());
        if is_described { Structure::Convex(self) } else { Structure::Other }
    }

    /// The least of the parts' values is a bound, and where it is attained in all parts, exact; it need not be, so there is none here.
    fn support_function(&self, _direction: &[f64]) -> Option<f64> {
        None
    }

    fn spec(&self) -> SetSpec {
        self.parts.spec()
    }
}

/// One below the other; none if one of the parts has none, since what the others describe would be a larger set.
impl RowsAndBalls for CommonPoints {
    fn conic(&self, features: usize) -> Option<Conic> {
        let parts = self.parts.parts();
        parts
            .iter()
            .try_fold(Conic::everything(features), |set, part| Some(set.and(&part.structure().conic(features)?)))
    }
}
