//! The intersection of convex sets by Dykstra's algorithm.
//!
//! Cyclic projections alone find *some* common point; Dykstra's algorithm (Boyle and Dykstra 1986) adds back, before each
//! projection, what the same set took away one sweep earlier, and then the limit is the *nearest* common point. It ends
//! when one sweep moves the point by less than a tolerance, summed over its projections (Birgin and Raydan 2005), so the
//! result lies within that tolerance of every set. Cost: one projection onto every part per sweep.

use super::magnitude::Length;
use super::{Constraint, ProjectionFault, SetFault, Workspace, projection_failure, refusal};
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Movement per sweep at which the iteration ends, relative to the size of the point.
const TOLERANCE: f64 = 1e-12;
/// Movement that is still accepted when the sweeps run out.
const ACCEPTABLE: f64 = 1e-8;
const SWEEPS: usize = 20_000;

/// Points common to several convex sets.
#[derive(Debug)]
pub struct Dykstra {
    parts: Vec<Box<dyn Constraint>>,
}

impl Dykstra {
    /// The intersection of sets that all say of themselves that they are convex.
    pub fn new(parts: Vec<Box<dyn Constraint>>) -> Result<Self> {
        let set = Self { parts };
        match set.parts.iter().find(|part| !part.is_convex()) {
            Some(part) => Err(refusal(set.spec(), SetFault::NotConvex { part: part.spec() })),
            None => Ok(set),
        }
    }

    /// The sets.
    pub(super) fn parts(&self) -> &[Box<dyn Constraint>] {
        &self.parts
    }

    /// One projection onto every part; returns how far the point moved on the way.
    fn sweep(&self, point: &mut [f64], taken: &mut [f64], before: &mut [f64], work: &mut Workspace) -> Result<f64> {
        let mut squares = 0.0;
        for (part, taken) in self.parts.iter().zip(taken.chunks_exact_mut(point.len())) {
            for ((x, t), b) in point.iter_mut().zip(&*taken).zip(&mut *before) {
                *x += t;
                *b = *x;
            }
            part.project(point, work)?;
            for ((x, t), b) in point.iter().zip(taken).zip(&*before) {
                let now = b - x;
                squares += (now - *t).powi(2);
                *t = now;
            }
        }
        Ok(squares.sqrt())
    }

    fn iterate(&self, point: &mut [f64], taken: &mut [f64], before: &mut [f64], work: &mut Workspace) -> Result<()> {
        let start = Length::of(point.iter().copied()).value();
        let mut moved = f64::INFINITY;
        let mut size = start;
        for _ in 0..SWEEPS {
            moved = self.sweep(point, taken, before, work)?;
            if !moved.is_finite() {
                return Err(projection_failure(self, ProjectionFault::TooLarge));
            }
            size = start.max(Length::of(point.iter().copied()).value());
            if moved <= TOLERANCE * size {
                return Ok(());
            }
        }
        if moved <= ACCEPTABLE * size {
            return Ok(());
        }
        Err(projection_failure(self, ProjectionFault::Apart { sweeps: SWEEPS, moved }))
    }
}

impl Constraint for Dykstra {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        if point.is_empty() {
            return Ok(());
        }
        let mut taken = work.take_numbers();
        let mut before = work.take_numbers();
        taken.resize(self.parts.len().saturating_mul(point.len()), 0.0);
        before.resize(point.len(), 0.0);
        let result = self.iterate(point, &mut taken, &mut before, work);
        work.return_numbers(before);
        work.return_numbers(taken);
        result
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.parts.iter().all(Constraint::is_cone)
    }

    fn is_scale_free(&self) -> bool {
        self.parts.iter().all(Constraint::is_scale_free)
    }

    /// Besides the parts' own checks, one trial projection shows whether there is a common point at all.
    fn check(&self, shape: Shape) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.check(shape))?;
        let trial = self.project(&mut vec![0.0; shape.len()], &mut Workspace::default());
        trial.map_err(|error| match error {
            Error::Projection { spec, fault } => refusal(spec, fault),
            other => other,
        })
    }

    fn spec(&self) -> SetSpec {
        SetSpec::all_of(self.parts.iter().map(Constraint::spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Bounds, HalfSpace, projected};

    #[test]
    fn the_limit_is_the_nearest_common_point_not_just_any() -> Result<()> {
        let parts: Vec<Box<dyn Constraint>> =
            vec![Box::new(Bounds::between(0.0, f64::INFINITY)?), Box::new(HalfSpace::below(vec![1.0, 1.0], 1.0)?)];
        let result = projected(&Dykstra::new(parts)?, &[2.0, -1.0])?;
        assert!((result[0] - 1.0).abs() < 1e-9 && result[1].abs() < 1e-9, "{result:?}");
        Ok(())
    }

    #[test]
    fn sets_without_a_common_point_are_refused() -> Result<()> {
        let parts: Vec<Box<dyn Constraint>> =
            vec![Box::new(Bounds::between(2.0, 3.0)?), Box::new(HalfSpace::below(vec![1.0, 1.0], 1.0)?)];
        let message = Dykstra::new(parts)?.check(Shape::Vector(2)).unwrap_err().to_string();
        assert!(message.contains("they may have no common point"), "{message}");
        Ok(())
    }
}
