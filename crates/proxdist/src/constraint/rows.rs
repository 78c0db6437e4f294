//! Matrices in which at most $s$ rows are nonzero, stored row by row: with a column for each output of a model, at most $s$ features for all outputs together.
//!
//! A row is a group of neighbouring entries, so this is [`GroupSparsity`] with groups as long as a row: the projection keeps the $s$ rows of largest norm, ties go to the row above. A vector counts as a matrix of one column.

use super::{Choice, Choosing, Constraint, GroupSparsity, SetFault, Structure, Workspace, refusal};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// At most so many rows with a nonzero entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    keep: usize,
    columns: usize,
    groups: GroupSparsity,
}

impl Rows {
    /// At most `keep` nonzero rows of a matrix with so many columns, at least one.
    pub fn at_most(keep: usize, columns: usize) -> Result<Self> {
        Ok(Self { keep, columns, groups: GroupSparsity::of_size(keep, columns.max(1))? })
    }
}

impl Constraint for Rows {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.groups.project(point, work)
    }

    fn is_convex(&self) -> bool {
        self.groups.is_convex()
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn is_scale_free(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        let rows = shape.len() / self.columns;
        if self.keep > rows {
            return Err(refusal(self.spec(), SetFault::TooManyRows { most: rows }));
        }
        self.groups.check(shape)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Rows { keep: self.keep }
    }
}

impl Choosing for Rows {
    fn choice(&self, length: usize) -> Choice {
        self.groups.choice(length)
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        self.groups.on_support(support)
    }
}
