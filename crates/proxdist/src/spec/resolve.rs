//! From names to positions, on the way from data to a set.
//!
//! Specifications keep names as they are written, so that model files read back and one text serves many files. [`SetSpec::build_for`] is the one
//! place where they meet data: names become positions, the set is built from these, and it goes on giving the text that was written as its own.

use super::names::Names;
use super::{Block, SetSpec};
use crate::constraint::{Constraint, SetFault, Structure, Workspace, refusal};
use crate::data::Data;
use crate::error::Result;
use crate::shape::Shape;

impl SetSpec {
    /// Whether only positions are used: then the set can be built without the names of features.
    pub fn is_resolved(&self) -> bool {
        match self {
            Self::GroupSparsity { groups, .. } => groups.is_resolved(),
            Self::Selection(rules) => rules.is_resolved(),
            Self::Blocks(blocks) => blocks.iter().all(|block| block.on.is_resolved() && block.set.is_resolved()),
            Self::Intersection(parts) => parts.iter().all(Self::is_resolved),
            _ => true,
        }
    }

    /// The same set for these features, with positions in place of names. Inside `blocks` and brackets, positions are those of the list there.
    pub fn resolve(&self, names: &Names) -> Result<Self> {
        self.by_position(names).map_err(|fault| refusal(self, fault))
    }

    fn by_position(&self, names: &Names) -> std::result::Result<Self, SetFault> {
        Ok(match self {
            Self::GroupSparsity { keep, groups } => Self::GroupSparsity { keep: *keep, groups: groups.resolve(names)? },
            Self::Selection(rules) => Self::Selection(rules.resolve(names)?),
            Self::Blocks(blocks) => {
                let block = |block: &Block| {
                    let indices = names.find(&block.on)?;
                    let set = block.set.by_position(&names.part(&indices))?;
                    Ok(Block { on: super::Coordinates::positions(&indices), set })
                };
                Self::Blocks(blocks.iter().map(block).collect::<std::result::Result<_, SetFault>>()?)
            }
            Self::Intersection(parts) => Self::all_of(
                parts.iter().map(|part| part.by_position(names)).collect::<std::result::Result<Vec<_>, _>>()?,
            ),
            other => other.clone(),
        })
    }

    /// Makes the set for data and checks it against the shape of their parameter; names are those of the features.
    pub fn build_for(&self, data: &Data) -> Result<Box<dyn Constraint>> {
        let shape = data.parameter_shape();
        let names = match (data.feature_names(), shape) {
            (_, Shape::Matrix { .. }) => Names::of_matrix(shape.len()),
            (Some(names), Shape::Vector(_)) => Names::of(names),
            (None, Shape::Vector(count)) => Names::numbered(count),
        };
        let resolved = self.resolve(&names)?;
        let set = resolved.build(shape)?;
        Ok(if resolved == *self { set } else { Box::new(Written { spec: self.clone(), set }) })
    }
}

/// A set that keeps the words in which it was written.
struct Written {
    spec: SetSpec,
    set: Box<dyn Constraint>,
}

impl Constraint for Written {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.set.project(point, work)
    }
    fn is_convex(&self) -> bool {
        self.set.is_convex()
    }
    fn is_cone(&self) -> bool {
        self.set.is_cone()
    }
    fn is_scale_free(&self) -> bool {
        self.set.is_scale_free()
    }
    fn projects_exactly(&self) -> bool {
        self.set.projects_exactly()
    }
    fn check(&self, shape: Shape) -> Result<()> {
        self.set.check(shape)
    }
    fn structure(&self) -> Structure<'_> {
        self.set.structure()
    }
    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        self.set.support_function(direction)
    }
    fn spec(&self) -> SetSpec {
        self.spec.clone()
    }
}
