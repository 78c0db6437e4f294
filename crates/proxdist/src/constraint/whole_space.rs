//! No constraint at all, $C = \mathbb{R}^p$; the projection is the identity. With it the iteration is implicit SGD.

use super::{Constraint, Face, Faces, RowsAndBalls, Structure, Workspace};
use crate::conic::Conic;
use crate::error::Result;
use crate::spec::SetSpec;

/// Every vector is allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeSpace;

impl Constraint for WholeSpace {
    fn project(&self, _point: &mut [f64], _work: &mut Workspace) -> Result<()> {
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
        Structure::WholeSpace
    }
    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        direction.iter().all(|d| *d == 0.0).then_some(0.0)
    }
    fn spec(&self) -> SetSpec {
        SetSpec::WholeSpace
    }
}

impl RowsAndBalls for WholeSpace {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(Conic::everything(features))
    }
}

impl Faces for WholeSpace {
    fn face(&self, point: &[f64]) -> Option<Face> {
        Some(Face::of_free(0..point.len()))
    }
}
