//! No constraint at all, $C = \mathbb{R}^p$; the projection is the identity. With it the iteration is implicit SGD.

use super::{Constraint, Workspace};
use crate::error::Result;

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
    fn spec(&self) -> String {
        "none".to_owned()
    }
}
