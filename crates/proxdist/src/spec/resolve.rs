//! From names to positions, on the way from data to a set.
//!
//! Specifications keep names as they are written, so that model files read back and one text serves many files. [`SetSpec::build_for`] is the one
//! place where they meet data: names become positions, the set is built from these, and it goes on giving the text that was written as its own.

use super::names::Names;
use super::{Block, Groups, SetSpec};
use crate::constraint::{Constraint, ProjectionFault, SetFault, Structure, Workspace, brief, refusal};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::shape::Shape;

impl SetSpec {
    /// Whether only positions are used: then the set can be built without the names of features.
    pub fn is_resolved(&self) -> bool {
        match self {
            Self::GroupSparsity { groups, .. } => groups.is_resolved(),
            Self::Selection(rules) => rules.is_resolved(),
            Self::Blocks(blocks) => blocks.iter().all(|block| block.on.is_resolved() && block.set.is_resolved()),
            Self::Intersection(parts) => parts.iter().all(Self::is_resolved),
            Self::Linear(_) | Self::PolyhedronFile { .. } => false,
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
            Self::Selection(rules) => Self::Selection(Box::new(rules.resolve(names)?)),
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
            Self::Linear(row) => row.resolve(names)?,
            other => other.clone(),
        })
    }

    /// Makes the set for data and checks it against the shape of their parameter; names are those of the features.
    pub fn build_for(&self, data: &Data) -> Result<Box<dyn Constraint>> {
        self.build_with(data.parameter_shape(), &Names::of_data(data))
    }

    /// The same set with the tables of groups and the files of rows that it names by path, which `read` brings as text.
    pub fn with_files(mut self, read: &mut dyn FnMut(&str) -> Result<String>) -> Result<Self> {
        self.read_rows(read)?;
        self.change_groups(&mut |groups| {
            if let Groups::File(path) = &*groups {
                let text = read(path)?;
                let refused = |reason| refusal(format!("the groups of {path}"), SetFault::Other(reason));
                *groups = Groups::table(&text).map_err(refused)?;
            }
            Ok(())
        })?;
        Ok(self)
    }

    /// Calls `change` for the groups of every set that has some.
    fn change_groups(&mut self, change: &mut dyn FnMut(&mut Groups) -> Result<()>) -> Result<()> {
        match self {
            Self::GroupSparsity { groups, .. } => change(groups),
            Self::Selection(rules) => rules.groups_mut().try_for_each(change),
            Self::Blocks(blocks) => blocks.iter_mut().try_for_each(|block| block.set.change_groups(change)),
            Self::Intersection(parts) => parts.iter_mut().try_for_each(|part| part.change_groups(change)),
            _ => Ok(()),
        }
    }

    /// Makes the set for features of these names and checks it against the shape of the parameter.
    pub fn build_with(&self, shape: Shape, names: &Names) -> Result<Box<dyn Constraint>> {
        if let Self::Intersection(parts) = self {
            refuse_idle_parts(self, parts)?;
        }
        let resolved = self.resolve(names)?;
        if resolved == *self {
            return resolved.checked(shape);
        }
        let parts = match self {
            Self::Intersection(parts) => &parts[..],
            one => std::slice::from_ref(one),
        };
        let pair = |part: &Self| Some((part.resolve(names).ok()?, part.clone()));
        let pairs: Vec<(Self, Self)> = parts.iter().filter_map(pair).collect();
        resolved.checked(shape).map(|set| written(self, set)).map_err(|error| as_written(error, self, &pairs))
    }
}

/// An error about a set in the words in which it was written; `pairs` are its parts, by positions and as written.
fn as_written(error: Error, whole: &SetSpec, pairs: &[(SetSpec, SetSpec)]) -> Error {
    let said = |set: SetSpec| pairs.iter().find(|(resolved, _)| *resolved == set).map_or(set, |(_, said)| said.clone());
    match error {
        Error::Constraint { fault, .. } => refusal(
            whole,
            match *fault {
                SetFault::NoExactProjection { first, second } => {
                    SetFault::NoExactProjection { first: said(first), second: said(second) }
                }
                SetFault::NotConvex { part } => SetFault::NotConvex { part: said(part) },
                SetFault::NotACone { part } => SetFault::NotACone { part: said(part) },
                // Parts that exclude each other are named there.
                SetFault::Empty { why } => {
                    let named = |why: String, (resolved, said): &(SetSpec, SetSpec)| {
                        why.replace(&brief(resolved), &brief(said))
                    };
                    SetFault::Empty { why: pairs.iter().fold(why, named) }
                }
                SetFault::Projection(ProjectionFault::NoCommonPoint { .. }) => {
                    ProjectionFault::NoCommonPoint { parts: brief(whole) }.into()
                }
                other => other,
            },
        ),
        Error::Projection { fault: ProjectionFault::NoCommonPoint { .. }, .. } => {
            let parts = brief(whole);
            Error::Projection { spec: parts.clone(), fault: ProjectionFault::NoCommonPoint { parts } }
        }
        Error::Projection { fault, .. } => Error::Projection { spec: brief(whole), fault },
        other => other,
    }
}

/// `set`, known by what was written.
pub(super) fn written(spec: &SetSpec, set: Box<dyn Constraint>) -> Box<dyn Constraint> {
    Box::new(Written { spec: spec.clone(), set })
}

/// Refuses coordinates that are called free beside sets that hold them: an intersection frees nothing.
pub(super) fn refuse_idle_parts(spec: &SetSpec, parts: &[SetSpec]) -> Result<()> {
    let is_idle = |part: &&SetSpec| match part {
        SetSpec::Blocks(blocks) => blocks.iter().all(|block| block.set == SetSpec::WholeSpace),
        _ => false,
    };
    let Some(idle) = parts.iter().find(is_idle) else { return Ok(()) };
    match parts.iter().find(|part| **part != SetSpec::WholeSpace && !is_idle(part)) {
        Some(other) => Err(refusal(spec, SetFault::FreesNothing { free: idle.clone(), beside: other.clone() })),
        None => Ok(()),
    }
}

/// A set that keeps the words in which it was written.
struct Written {
    spec: SetSpec,
    set: Box<dyn Constraint>,
}

impl Constraint for Written {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.set.project(point, work).map_err(|error| as_written(error, &self.spec, &[]))
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
        self.set.check(shape).map_err(|error| as_written(error, &self.spec, &[]))
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
