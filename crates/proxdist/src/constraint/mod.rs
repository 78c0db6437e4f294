//! The sets $C$ a parameter can be held to, one file each, all obeying the same laws.
//!
//! A set is its projection $P_C(x) = \arg\min_{c \in C} \|c - x\|$. Where several points are nearest (non-convex sets),
//! ties go to the lower index, so that a seed determines a fit.

mod whole_space;
mod workspace;

pub use whole_space::WholeSpace;
pub use workspace::Workspace;

use crate::error::Result;
use crate::shape::Shape;

/// A closed set that a point can be projected onto.
///
/// A set of your own is one `impl` of the first two methods; the others have sensible defaults.
pub trait Constraint: Send + Sync {
    /// Replaces `point` by a nearest point of the set; ties go to the lower index.
    ///
    /// `work` offers buffers that live as long as the fit, so that a projection inside the iteration need not allocate.
    /// A set that needs none ignores it.
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()>;

    /// Convex sets have a unique, nonexpansive projection.
    fn is_convex(&self) -> bool;

    /// Whether $x \in C$ implies $tx \in C$ for every $t \ge 0$: then $C \cap \{\|x\| \le r\}$ has an exact projection.
    fn is_cone(&self) -> bool {
        false
    }

    /// Whether the set is unchanged when each coordinate is multiplied by its own positive number, so that columns of
    /// the data may be rescaled without changing the problem.
    fn is_scale_free(&self) -> bool {
        false
    }

    /// Checks once, before a fit, that the set makes sense for a parameter of this shape.
    fn check(&self, shape: Shape) -> Result<()> {
        let _ = shape;
        Ok(())
    }

    /// The set in the grammar of [`crate::spec`], such as `sparsity:20`; sets outside the grammar name themselves.
    fn spec(&self) -> String {
        "custom".to_owned()
    }
}

impl<C: Constraint + ?Sized> Constraint for Box<C> {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        (**self).project(point, work)
    }
    fn is_convex(&self) -> bool {
        (**self).is_convex()
    }
    fn is_cone(&self) -> bool {
        (**self).is_cone()
    }
    fn is_scale_free(&self) -> bool {
        (**self).is_scale_free()
    }
    fn check(&self, shape: Shape) -> Result<()> {
        (**self).check(shape)
    }
    fn spec(&self) -> String {
        (**self).spec()
    }
}

/// The projection of `point`, for callers outside an iteration.
pub fn projected(set: &dyn Constraint, point: &[f64]) -> Result<Vec<f64>> {
    let mut result = point.to_vec();
    set.project(&mut result, &mut Workspace::default())?;
    Ok(result)
}
