//! The sets $C$ a parameter can be held to, one file each, all obeying the same laws.
//!
//! A set is its projection $P_C(x) = \arg\min_{c \in C} \|c - x\|$. Where several points are nearest (non-convex sets),
//! ties go to the lower index, so that a seed determines a fit. A point with a NaN in it has no nearest point: the
//! projection then fails or leaves a NaN to be seen, but never hides it.

mod affine;
mod ball;
mod blocks;
mod bounds;
mod breaks;
mod choice;
mod common_points;
mod cone;
mod cone_in_ball;
mod curved;
mod dykstra;
mod face;
mod fault;
mod features;
mod fused;
mod group_sparsity;
mod half_space;
mod intersection;
mod jumps;
mod kinks;
mod l1_ball;
mod linf_ball;
mod magnitude;
mod monotone;
mod non_negative;
mod on_support;
mod picking;
mod places;
mod polyhedron;
mod program;
mod rank;
mod room;
mod rows;
mod selection;
mod simplex;
mod sparse_bounded;
mod sparse_sum;
mod sparsity;
pub mod structure;
mod whole_space;
mod within;
mod within_search;
mod workspace;

pub use affine::Affine;
pub use ball::Ball;
pub use blocks::Blocks;
pub use bounds::Bounds;
pub use breaks::Breaks;
pub(crate) use choice::with;
pub use choice::{Choice, Choosing, Counted, Need};
pub use common_points::CommonPoints;
pub use cone::Cone;
pub use cone_in_ball::ConeInBall;
pub use curved::Curved;
pub use dykstra::Dykstra;
pub use face::Face;
pub(crate) use fault::is_empty;
pub use fault::{ProjectionFault, SetFault};
pub use features::Selection;
pub use fused::Fused;
pub use group_sparsity::GroupSparsity;
pub use half_space::HalfSpace;
pub use intersection::{Intersection, Projection, intersection};
pub use l1_ball::L1Ball;
pub use linf_ball::LinfBall;
pub use monotone::Monotone;
pub use non_negative::NonNegative;
pub use polyhedron::Polyhedron;
pub use rank::Rank;
pub use room::Room;
pub use rows::Rows;
pub use simplex::Simplex;
pub use sparse_bounded::SparseBounded;
pub use sparse_sum::SparseSum;
pub use sparsity::Sparsity;
pub use structure::{Faces, RowsAndBalls, Structure};
pub use whole_space::WholeSpace;
pub use within::Within;
pub use workspace::Workspace;

use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::SetSpec;
use std::fmt::Display;
use std::ops::Deref;

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

    /// Whether [`Constraint::project`] finds the nearest point exactly, up to rounding. Bounds on the global optimum rest on it; sets of one's own
    /// may declare it.
    fn projects_exactly(&self) -> bool {
        !matches!(self.structure(), Structure::Other)
    }

    /// Checks once, before a fit, that the set makes sense for a parameter of this shape.
    fn check(&self, shape: Shape) -> Result<()> {
        let _ = shape;
        Ok(())
    }

    /// The family of the set, which decides how a fit is finished exactly, with what that finish needs.
    fn structure(&self) -> Structure<'_> {
        Structure::Other
    }

    /// $\max_{c \in C} d^Tc$ for a direction $d$, where it is finite and cheap to find.
    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        let _ = direction;
        None
    }

    /// What the set is, as plain data; printed it is the text of [`crate::spec`], such as `sparsity:20`. A set of the grammar is taken at its
    /// word where sets are combined; a set of your own gives itself a name, for messages and model files.
    fn spec(&self) -> SetSpec {
        SetSpec::Custom("custom".to_owned())
    }
}

/// Boxes, references and other pointers to a set are sets.
impl<P: Deref<Target: Constraint> + Send + Sync> Constraint for P {
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
    fn projects_exactly(&self) -> bool {
        (**self).projects_exactly()
    }
    fn check(&self, shape: Shape) -> Result<()> {
        (**self).check(shape)
    }
    fn structure(&self) -> Structure<'_> {
        (**self).structure()
    }
    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        (**self).support_function(direction)
    }
    fn spec(&self) -> SetSpec {
        (**self).spec()
    }
}

/// The projection of `point`, for callers outside an iteration.
pub fn projected(set: &dyn Constraint, point: &[f64]) -> Result<Vec<f64>> {
    let mut result = point.to_vec();
    set.project(&mut result, &mut Workspace::default())?;
    Ok(result)
}

/// Specifications longer than this are cut short in messages.
const LONGEST_SPEC: usize = 80;

/// The error of a set whose numbers make no sense, by themselves or for the parameter.
pub(crate) fn refusal(spec: impl Display, fault: impl Into<SetFault>) -> Error {
    Error::constraint(brief(spec), fault)
}

/// The error of a projection that cannot be computed.
fn projection_failure(set: &dyn Constraint, fault: ProjectionFault) -> Error {
    Error::Projection { spec: brief(set.spec()), fault }
}

/// A text that is cut short where it is long; `{:#}` of a set has words in place of vectors.
pub(crate) fn brief(spec: impl Display) -> String {
    let text = format!("{spec:#}");
    match text.char_indices().nth(LONGEST_SPEC) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Refuses a parameter whose length is not that of the set.
fn require_dimension(set: &dyn Constraint, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(refusal(set.spec(), SetFault::Dimension { expected, found }))
}
