//! Sets as text, `sparsity:20`, shared by the command line, Python and model files.
//!
//! | text | set |
//! |---|---|
//! | `none`, `free` | every vector |
//! | `ball:1`, `ball:1;center=0.5,0,1` | Euclidean ball |
//! | `sparsity:20` | at most 20 nonzero entries |
//! | `sparsity:20;keep=age,4-5;drop=id_*` | the same with features that are always in, or never |
//! | `sparsity:9;most=2 per 1-4,5+7` | and at most 2 of each of some groups |
//! | `sparsity:9;heredity=strong;products=6=1*2` | and feature 6, the product of 1 and 2, only with both (`weak`: with one) |
//! | `rank:2` | matrices of rank at most 2 |
//! | `rows:20` | matrices with at most 20 nonzero rows: at most 20 features for all outputs of a model together |
//! | `box:0,inf`, `box;lower=0,0,-1;upper=1,inf,1` | limits, shared or one pair per coordinate |
//! | `nonneg` | no negative entry |
//! | `l1:3` | L1 ball |
//! | `linf:2` | L∞ ball |
//! | `simplex`, `simplex:2` | nonnegative entries with a given sum |
//! | `affine;a=1,1,1\|1,-1,0;b=1,0` | linear equations, rows apart by a bar |
//! | `halfspace;a=1,1,1;b=2` | one linear inequality $a^T x \le b$ |
//! | `monotone`, `monotone:decreasing` | entries in order |
//! | `polyhedron;a=1,1,0\|1,-1,0;b=1,0;e=0,1,1;f=2` | linear inequalities $Ax \le b$ and equations $Ex = f$ |
//! | `polyhedron;file=rows.csv` | the same with rows from a file, in words or as a table |
//! | `cone`, `cone:2` | the length of all entries but the first at most 1 or 2 times the first |
//! | `convex`, `convex;at=0,1,3` | slopes never fall, between entries at equal or given distances |
//! | `concave` | slopes never rise |
//! | `jumps:3` | piecewise constant with at most 3 jumps |
//! | `kinks:2`, `kinks:2;at=0,1,3` | piecewise linear and continuous with at most 2 kinks |
//! | `fused:3` | differences between neighbours whose magnitudes sum to at most 3 |
//! | `fused:3;order=2` | the same for differences of these differences, the changes of slope |
//! | `fused:3;d=1,-1,0\|1,0,-1` | the same for the entries of $Dx$, rows apart by a bar |
//! | `group-sparsity:2;groups=1-4,5-8,9+11+13,10+12` | at most 2 groups nonzero; a group unites lists of coordinates by `+` |
//! | `group-sparsity:2;size=4` | the same with consecutive groups of 4 |
//! | `group-sparsity:2;by=prefix` | features are together whose names begin alike up to `_`, or up to `;separator=` |
//! | `group-sparsity:2;by=source` | the indicators of one text column are together |
//! | `group-sparsity:2;file=groups.csv`, `groups=groups.csv` | by a table with the columns feature and group |
//! | `nonneg[age,income]`, `box:0,0.2[asset_*]` | a set on these coordinates, in this order; all others are free |
//! | `blocks[1-10: simplex][asset_*: box:0,1]` | a set of its own for each list of coordinates |
//! | `age + 2*income <= 3`, `a + b = 1`, `0 <= sum(asset_*) <= 0.4` | a linear row in words |
//! | `sparsity:5 & nonneg` | the intersection |
//!
//! White space around any part is ignored. Printing gives the canonical text, which reads back as the same set.
//!
//! Lists of coordinates are names, ranges of names, patterns and positions; [`Coordinates`] has their grammar. They are kept as written, and
//! [`SetSpec::build_for`] is where they meet the names of the features. Positions count from 1 in text, here and everywhere, and from 0 in values of Rust.

mod coordinates;
mod groups;
mod merge;
mod names;
mod parse;
mod piece;
mod print;
mod resolve;
mod row;
mod rows_file;
mod selection;
mod shapes;
mod sized;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use coordinates::positions;
pub use coordinates::{Coordinates, Place};
pub use groups::Groups;
pub use names::Names;
pub use row::{Row, Term};
pub use selection::{Heredity, Product, Quota, SelectionRules};
pub use shapes::{Bend, Break, Differences, LinearRows};
pub use table::{Convexity, EXAMPLE_SHAPE, SetEntry, sets};

use crate::constraint::{
    Affine, Ball, Blocks, Bounds, Breaks, Cone, Constraint, Curved, Fused, GroupSparsity, HalfSpace, L1Ball, LinfBall,
    Monotone, NonNegative, Polyhedron, Rank, Rows, Selection, SetFault, Simplex, Sparsity, WholeSpace, intersection,
    refusal,
};
use crate::error::{Error, Result};
use crate::shape::Shape;
use std::str::FromStr;

/// A set as plain data: what the text says, not yet checked against a parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SetSpec {
    /// `none`
    WholeSpace,
    /// `ball:r` or `ball:r;center=…`
    Ball {
        /// Largest distance from the center.
        radius: f64,
        /// The origin if absent.
        center: Option<Vec<f64>>,
    },
    /// `sparsity:s`
    Sparsity {
        /// Largest number of nonzero entries.
        keep: usize,
    },
    /// `sparsity:s` or `group-sparsity:g` with more rules: `keep`, `drop`, `most`, `heredity`
    Selection(Box<SelectionRules>),
    /// `rank:r`
    Rank {
        /// Largest rank.
        rank: usize,
    },
    /// `rows:s`
    Rows {
        /// Largest number of nonzero rows.
        keep: usize,
    },
    /// `box:l,u`
    Bounds {
        /// Lower limit of every coordinate.
        lower: f64,
        /// Upper limit of every coordinate.
        upper: f64,
    },
    /// `box;lower=…;upper=…`
    BoundsEach {
        /// Lower limits, one per coordinate.
        lower: Vec<f64>,
        /// Upper limits, one per coordinate.
        upper: Vec<f64>,
    },
    /// `nonneg`
    NonNegative,
    /// `l1:r`
    L1Ball {
        /// Largest sum of magnitudes.
        radius: f64,
    },
    /// `linf:r`
    LinfBall {
        /// Largest magnitude.
        radius: f64,
    },
    /// `simplex` or `simplex:t`
    Simplex {
        /// The sum of the entries.
        total: f64,
    },
    /// `affine;a=…;b=…`
    Affine {
        /// The rows of $A$.
        rows: Vec<Vec<f64>>,
        /// The right-hand sides $b$.
        right: Vec<f64>,
    },
    /// `halfspace;a=…;b=…`
    HalfSpace {
        /// The normal $a$.
        normal: Vec<f64>,
        /// The right-hand side $b$.
        offset: f64,
    },
    /// `monotone` or `monotone:decreasing`
    Monotone {
        /// Which way the entries go.
        direction: Direction,
    },
    /// `polyhedron;a=…;b=…;e=…;f=…`
    Polyhedron {
        /// $A$ and $b$ of $Ax \le b$.
        inequalities: Box<LinearRows>,
        /// $E$ and $f$ of $Ex = f$.
        equations: Box<LinearRows>,
    },
    /// `polyhedron;file=…`: rows that whoever reads files has to bring, see [`SetSpec::with_files`]
    PolyhedronFile {
        /// Where they are.
        path: String,
    },
    /// `cone` or `cone:a`
    Cone {
        /// How many times the first entry the length of the others may be.
        slope: f64,
    },
    /// `convex`, `concave`, either with `;at=…`
    Curved {
        /// Which way.
        bend: Bend,
        /// The places of the entries; equally spaced if absent.
        at: Option<Vec<f64>>,
    },
    /// `jumps:k` or `kinks:k`, kinks perhaps with `;at=…`
    Breaks {
        /// What there are few of.
        kind: Break,
        /// The largest number of them.
        most: usize,
        /// The places of the entries; equally spaced if absent.
        at: Option<Vec<f64>>,
    },
    /// `fused:r`, perhaps with `;order=…` or `;d=…`
    Fused {
        /// Largest sum of the magnitudes of differences.
        radius: f64,
        /// Which differences.
        of: Box<Differences>,
    },
    /// `group-sparsity:g;groups=…` or `group-sparsity:g;size=…`
    GroupSparsity {
        /// Largest number of nonzero groups.
        keep: usize,
        /// The groups.
        groups: Groups,
    },
    /// `blocks[list: set]…`, at least one; `set[list]` is a single one
    Blocks(Vec<Block>),
    /// `set & set & …`, at least two, none of them an intersection itself
    Intersection(Vec<SetSpec>),
    /// `age + 2*income <= 3`
    Linear(Row),
    /// A set of your own, outside the grammar: the name it gives itself in messages and model files.
    Custom(String),
}

/// The one number that tells sets of a kind apart, such as the radius of a ball.
pub(crate) enum Number<'a> {
    /// A number of entries, groups or dimensions.
    Count(&'a mut usize),
    /// A radius or a total.
    Size(&'a mut f64),
}

/// Which way a monotone vector goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Each entry at least the one before it.
    #[default]
    Increasing,
    /// Each entry at most the one before it.
    Decreasing,
}

/// A set on some coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Which coordinates, in the order in which they form a vector.
    pub on: Coordinates,
    /// The set they form a vector of.
    pub set: SetSpec,
}

impl SetSpec {
    /// Reads a specification.
    pub fn parse(text: &str) -> Result<Self> {
        parse::set(text)
    }

    /// All of these sets at once: intersections among them are opened, one set stays what it is, and no set is no constraint.
    pub fn all_of(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for set in sets {
            match set {
                Self::Intersection(inner) => parts.extend(inner),
                one => parts.push(one),
            }
        }
        match parts.len() {
            0 | 1 => parts.pop().unwrap_or(Self::WholeSpace),
            _ => Self::Intersection(parts),
        }
    }

    /// The number that tells sets of this kind apart, where one does.
    pub(crate) fn number(&mut self) -> Option<Number<'_>> {
        match self {
            Self::Ball { radius: size, .. }
            | Self::L1Ball { radius: size }
            | Self::LinfBall { radius: size }
            | Self::Cone { slope: size }
            | Self::Fused { radius: size, .. }
            | Self::Simplex { total: size } => Some(Number::Size(size)),
            Self::Sparsity { keep: count }
            | Self::Rank { rank: count }
            | Self::Rows { keep: count }
            | Self::Breaks { most: count, .. }
            | Self::GroupSparsity { keep: count, .. } => Some(Number::Count(count)),
            Self::Selection(rules) => Some(Number::Count(&mut rules.most)),
            Self::WholeSpace
            | Self::Bounds { .. }
            | Self::BoundsEach { .. }
            | Self::NonNegative
            | Self::Affine { .. }
            | Self::HalfSpace { .. }
            | Self::Monotone { .. }
            | Self::Polyhedron { .. }
            | Self::PolyhedronFile { .. }
            | Self::Curved { .. }
            | Self::Blocks(_)
            | Self::Intersection(_)
            | Self::Linear(_)
            | Self::Custom(_) => None,
        }
    }

    /// Makes the set and checks it against the shape of the parameter, whose coordinates are `V1`, `V2`, …; with data of their own names it is
    /// [`SetSpec::build_for`].
    pub fn build(&self, shape: Shape) -> Result<Box<dyn Constraint>> {
        self.build_with(shape, &Names::of_shape(shape))
    }

    /// Makes a set that speaks of positions only.
    fn checked(&self, shape: Shape) -> Result<Box<dyn Constraint>> {
        let set = self.unchecked(shape)?;
        set.check(shape)?;
        Ok(set)
    }

    fn meet(parts: &[Self], shape: Shape) -> Result<Box<dyn Constraint>> {
        let parts = parts.iter().map(|part| part.in_groups(shape).checked(shape)).collect::<Result<Vec<_>>>()?;
        Ok(Box::new(intersection(parts)?))
    }

    /// Rows as the groups that they are, which combine with other sets.
    fn in_groups(&self, shape: Shape) -> Self {
        match (self, shape) {
            (Self::Rows { keep }, Shape::Matrix { columns, .. }) => {
                Self::GroupSparsity { keep: *keep, groups: Groups::Consecutive { size: columns } }
            }
            (Self::Rows { keep }, Shape::Vector(_)) => Self::Sparsity { keep: *keep },
            _ => self.clone(),
        }
    }

    fn unchecked(&self, shape: Shape) -> Result<Box<dyn Constraint>> {
        Ok(match self {
            Self::WholeSpace => Box::new(WholeSpace),
            Self::Ball { radius, center: None } => Box::new(Ball::radius(*radius)?),
            Self::Ball { radius, center: Some(center) } => {
                Box::new(Ball::radius(*radius)?.centered_at(center.clone())?)
            }
            Self::Sparsity { keep } => Box::new(Sparsity::at_most(*keep)),
            Self::Selection(rules) => Box::new(Selection::from((**rules).clone())),
            Self::Rank { rank } => match shape {
                Shape::Matrix { rows, columns } => Box::new(Rank::at_most(*rank, rows, columns)),
                Shape::Vector(length) => {
                    return Err(Error::constraint(self.to_string(), SetFault::NeedsMatrix { length }));
                }
            },
            Self::Rows { keep } => match shape {
                Shape::Matrix { columns, .. } => Box::new(Rows::at_most(*keep, columns)?),
                Shape::Vector(_) => Box::new(Rows::at_most(*keep, 1)?),
            },
            Self::Bounds { lower, upper } => Box::new(Bounds::between(*lower, *upper)?),
            Self::BoundsEach { lower, upper } => Box::new(Bounds::each(lower.clone(), upper.clone())?),
            Self::NonNegative => Box::new(NonNegative),
            Self::L1Ball { radius } => Box::new(L1Ball::radius(*radius)?),
            Self::LinfBall { radius } => Box::new(LinfBall::radius(*radius)?),
            Self::Simplex { total } => Box::new(Simplex::total(*total)?),
            Self::Affine { rows, right } => Box::new(Affine::equations(rows.clone(), right.clone())?),
            Self::HalfSpace { normal, offset } => Box::new(HalfSpace::below(normal.clone(), *offset)?),
            Self::Monotone { direction: Direction::Increasing } => Box::new(Monotone::increasing()),
            Self::Monotone { direction: Direction::Decreasing } => Box::new(Monotone::decreasing()),
            Self::Polyhedron { inequalities, equations } => {
                Box::new(Polyhedron::new((**inequalities).clone(), (**equations).clone())?)
            }
            Self::Cone { slope } => Box::new(Cone::slope(*slope)?),
            Self::Curved { bend, at } => {
                let set = match bend {
                    Bend::Convex => Curved::convex(),
                    Bend::Concave => Curved::concave(),
                };
                Box::new(if let Some(at) = at { set.at(at.clone())? } else { set })
            }
            Self::Breaks { kind, most, at } => {
                let set = match kind {
                    Break::Jump => Breaks::jumps(*most),
                    Break::Kink => Breaks::kinks(*most),
                };
                Box::new(if let Some(at) = at { set.at(at.clone())? } else { set })
            }
            Self::Fused { radius, of } => Box::new(Fused::radius(*radius)?.of((**of).clone())?),
            Self::GroupSparsity { keep, groups } => Box::new(GroupSparsity::of(*keep, groups.clone())?),
            Self::Blocks(blocks) => {
                let mut set = Blocks::new();
                for Block { on, set: inside } in blocks {
                    // Before the part itself is looked at: it may cost memory that a slip in a position would multiply.
                    let indices = Blocks::checked(self, on, shape)?;
                    let inside = inside.unchecked(Shape::Vector(indices.len()))?;
                    set = set.on(indices, inside)?;
                }
                Box::new(set)
            }
            Self::Intersection(parts) => {
                resolve::refuse_idle_parts(self, parts)?;
                match merge::merged(parts, shape.len()).map_err(|fault| refusal(self, fault))? {
                    Some(merged) if merged != *self => match merged {
                        Self::Intersection(merged) => resolve::written(self, Self::meet(&merged, shape)?),
                        other => resolve::written(self, other.checked(shape)?),
                    },
                    _ if parts.iter().any(|part| matches!(part, Self::Rows { .. })) => {
                        resolve::written(self, Self::meet(parts, shape)?)
                    }
                    _ => Self::meet(parts, shape)?,
                }
            }
            Self::Linear(_) => return Err(refusal(self, SetFault::NeedsNames)),
            Self::PolyhedronFile { .. } => return Err(refusal(self, "its file has to be read first")),
            Self::Custom(name) => {
                return Err(Error::constraint(name, "a set of your own cannot be made from its name"));
            }
        })
    }
}

impl FromStr for SetSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl FromStr for Shape {
    type Err = Error;

    /// Reads `1000` or `64x64`.
    fn from_str(text: &str) -> Result<Self> {
        parse::shape(text)
    }
}
