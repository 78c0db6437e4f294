//! Sets as text, `sparsity:20`, shared by the command line, Python and model files.
//!
//! | text | set |
//! |---|---|
//! | `none` | every vector |
//! | `ball:1`, `ball:1;center=0.5,0,1` | Euclidean ball |
//! | `sparsity:20` | at most 20 nonzero entries |
//! | `rank:2` | matrices of rank at most 2 |
//! | `box:0,inf`, `box;lower=0,0,-1;upper=1,inf,1` | limits, shared or one pair per coordinate |
//! | `nonneg` | no negative entry |
//! | `l1:3`, `linf:2` | L1 and L∞ balls |
//! | `simplex`, `simplex:2` | nonnegative entries with a given sum |
//! | `affine;a=1,1,1\|1,-1,0;b=1,0` | linear equations, rows apart by a bar |
//! | `halfspace;a=1,1,1;b=2` | one linear inequality $a^T x \le b$ |
//! | `monotone`, `monotone:decreasing` | entries in order |
//! | `group-sparsity:2;groups=0-3,4-7,8+10+12,9+11` | at most 2 groups nonzero; indices from 0, ranges inclusive |
//! | `group-sparsity:2;size=4` | the same with consecutive groups of 4 |
//! | `blocks[0-9: simplex][10-19: box:0,1]` | a set of its own for each range |
//! | `sparsity:5 & nonneg` | the intersection |
//!
//! White space around any part is ignored. Printing gives the canonical text, which reads back as the same set.

mod catalogue;
mod parse;

pub use catalogue::{SetEntry, sets};

use std::fmt;
use std::str::FromStr;

use crate::constraint::{
    Affine, Ball, Blocks, Bounds, Constraint, GroupSparsity, HalfSpace, L1Ball, LinfBall, Monotone, NonNegative, Rank,
    Simplex, Sparsity, WholeSpace, intersection,
};
use crate::error::{Error, Result};
use crate::shape::Shape;

/// A set as plain data: what the text says, not yet checked against a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum SetSpec {
    /// `none`
    WholeSpace,
    /// `ball:r` or `ball:r;center=…`
    Ball {
        /// Largest distance from the centre.
        radius: f64,
        /// The origin if absent.
        center: Option<Vec<f64>>,
    },
    /// `sparsity:s`
    Sparsity {
        /// Largest number of nonzero entries.
        keep: usize,
    },
    /// `rank:r`
    Rank {
        /// Largest rank.
        rank: usize,
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
    /// `group-sparsity:g;groups=…` or `group-sparsity:g;size=…`
    GroupSparsity {
        /// Largest number of nonzero groups.
        keep: usize,
        /// The groups.
        groups: Groups,
    },
    /// `blocks[first-last: set]…`, at least one
    Blocks(Vec<Block>),
    /// `set & set & …`, at least two, none of them an intersection itself
    Intersection(Vec<SetSpec>),
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

/// How indices are put into groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Groups of `size` neighbours.
    Consecutive {
        /// Entries in each group.
        size: usize,
    },
    /// Each group a list of inclusive ranges of indices.
    Listed(Vec<Vec<(usize, usize)>>),
}

impl Groups {
    /// Groups given index by index; neighbours are written as ranges.
    pub fn listed(groups: &[Vec<usize>]) -> Self {
        let ranges = |indices: &Vec<usize>| {
            let mut ranges: Vec<(usize, usize)> = Vec::new();
            for &index in indices {
                match ranges.last_mut() {
                    Some((_, last)) if last.checked_add(1) == Some(index) => *last = index,
                    _ => ranges.push((index, index)),
                }
            }
            ranges
        };
        Self::Listed(groups.iter().map(ranges).collect())
    }
}

/// A set on a range of indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// First index, from 0.
    pub first: usize,
    /// Last index, inclusive.
    pub last: usize,
    /// The set these entries form a vector of.
    pub set: SetSpec,
}

impl SetSpec {
    /// Reads a specification.
    pub fn parse(text: &str) -> Result<Self> {
        parse::set(text)
    }

    /// Makes the set and checks it against the shape of the parameter.
    pub fn build(&self, shape: Shape) -> Result<Box<dyn Constraint>> {
        let set = self.unchecked(shape)?;
        set.check(shape)?;
        Ok(set)
    }

    fn unchecked(&self, shape: Shape) -> Result<Box<dyn Constraint>> {
        Ok(match self {
            Self::WholeSpace => Box::new(WholeSpace),
            Self::Ball { radius, center: None } => Box::new(Ball::radius(*radius)?),
            Self::Ball { radius, center: Some(center) } => Box::new(Ball::radius(*radius)?.centred_at(center.clone())?),
            Self::Sparsity { keep } => Box::new(Sparsity::at_most(*keep)),
            Self::Rank { rank } => match shape {
                Shape::Matrix { rows, columns } => Box::new(Rank::at_most(*rank, rows, columns)),
                Shape::Vector(length) => {
                    let reason =
                        format!("the parameter is a vector of length {length}; rank needs a matrix, such as 64x64");
                    return Err(Error::constraint(self.to_string(), reason));
                }
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
            Self::GroupSparsity { keep, groups } => Box::new(GroupSparsity::of(*keep, groups.clone())?),
            Self::Blocks(blocks) => {
                let mut set = Blocks::new();
                for Block { first, last, set: inside } in blocks {
                    // Before the part itself is looked at: it may cost memory that a slip in the range would multiply.
                    Blocks::check_range(&self.to_string(), *first, *last, shape)?;
                    let length = last.saturating_sub(*first) + 1;
                    set = set.with(*first, *last, inside.unchecked(Shape::Vector(length))?)?;
                }
                Box::new(set)
            }
            Self::Intersection(parts) => {
                let parts = parts.iter().map(|part| part.build(shape)).collect::<Result<Vec<_>>>()?;
                Box::new(intersection(parts)?)
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

impl fmt::Display for SetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeSpace => write!(f, "none"),
            Self::Ball { radius, center: None } => write!(f, "ball:{}", number(*radius)),
            Self::Ball { radius, center: Some(center) } => {
                write!(f, "ball:{};center={}", number(*radius), numbers(center))
            }
            Self::Sparsity { keep } => write!(f, "sparsity:{keep}"),
            Self::Rank { rank } => write!(f, "rank:{rank}"),
            Self::Bounds { lower, upper } => write!(f, "box:{},{}", number(*lower), number(*upper)),
            Self::BoundsEach { lower, upper } => write!(f, "box;lower={};upper={}", numbers(lower), numbers(upper)),
            Self::NonNegative => write!(f, "nonneg"),
            Self::L1Ball { radius } => write!(f, "l1:{}", number(*radius)),
            Self::LinfBall { radius } => write!(f, "linf:{}", number(*radius)),
            Self::Simplex { total } if *total == 1.0 => write!(f, "simplex"),
            Self::Simplex { total } => write!(f, "simplex:{}", number(*total)),
            Self::Affine { rows, right } => {
                write!(f, "affine;a={};b={}", joined(rows, "|", |row| numbers(row)), numbers(right))
            }
            Self::HalfSpace { normal, offset } => write!(f, "halfspace;a={};b={}", numbers(normal), number(*offset)),
            Self::Monotone { direction: Direction::Increasing } => write!(f, "monotone"),
            Self::Monotone { direction: Direction::Decreasing } => write!(f, "monotone:decreasing"),
            Self::GroupSparsity { keep, groups: Groups::Consecutive { size } } => {
                write!(f, "group-sparsity:{keep};size={size}")
            }
            Self::GroupSparsity { keep, groups: Groups::Listed(groups) } => {
                let group = |ranges: &Vec<(usize, usize)>| joined(ranges, "+", |&(first, last)| range(first, last));
                write!(f, "group-sparsity:{keep};groups={}", joined(groups, ",", group))
            }
            Self::Blocks(blocks) => {
                let text = |block: &Block| block_text(block.first, block.last, &block.set.to_string());
                write!(f, "blocks{}", joined(blocks, "", text))
            }
            Self::Intersection(parts) => write!(f, "{}", joined(parts, " & ", ToString::to_string)),
        }
    }
}

/// One block as it is written after `blocks`.
pub(crate) fn block_text(first: usize, last: usize, set: &str) -> String {
    format!("[{}: {set}]", range(first, last))
}

fn range(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// The shortest text that reads back as the same number, without rows of zeros.
fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

fn numbers(values: &[f64]) -> String {
    joined(values, ",", |value| number(*value))
}

fn joined<T>(items: &[T], separator: &str, text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}
