//! The table of sets: how each is written, read and described. The parser dispatches by it, `proxdist constraints` prints it, and a test makes
//! sure that no set is missing in it.

use super::parse::{Arguments, Piece, count, number, numbers, range};
use super::{Direction, Groups, SetSpec, selection};
use crate::error::Result;
use crate::shape::Shape;
use std::fmt;

/// The shape of the parameter that all examples of the table are for.
pub const EXAMPLE_SHAPE: Shape = Shape::Matrix { rows: 2, columns: 2 };

/// One row of the table of sets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SetEntry {
    /// The word the specification starts with.
    pub name: &'static str,
    /// How it is written.
    pub syntax: &'static str,
    /// Which vectors belong to the set.
    pub definition: &'static str,
    /// Whether the set is convex.
    pub convex: Convexity,
    /// Cost of a projection, `p` the number of entries.
    pub cost: &'static str,
    /// A set of this kind, for a parameter of [`EXAMPLE_SHAPE`].
    pub example: &'static str,
    pub(super) form: Form,
}

/// Whether the sets of a row are convex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Convexity {
    /// All are.
    Yes,
    /// None is, but for limits that leave only zero or everything.
    No,
    /// They are if the sets they are made of are.
    Depends,
}

impl Convexity {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Depends => "depends",
        }
    }
}

impl fmt::Display for Convexity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How the text of a set goes on after its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// `name:main;key=value`, read by this function.
    Arguments(fn(&Arguments) -> Result<SetSpec>),
    /// Sets in brackets.
    Brackets,
    /// The sign between two sets.
    Between,
}

const SETS: &[SetEntry] = &[
    SetEntry {
        name: "none",
        syntax: "none",
        definition: "every vector",
        convex: Convexity::Yes,
        cost: "none",
        example: "none",
        form: Form::Arguments(|given| given.only(false, &[]).map(|()| SetSpec::WholeSpace)),
    },
    SetEntry {
        name: "ball",
        syntax: "ball:R or ball:R;center=C,C,...",
        definition: "within distance R of the origin or of a center",
        convex: Convexity::Yes,
        cost: "p",
        example: "ball:1;center=0.5,0,1,0",
        form: Form::Arguments(ball),
    },
    SetEntry {
        name: "sparsity",
        syntax: "sparsity:S, with ;keep=0,3-4 ;drop=7 ;most=2 per 0-3,4+6 ;heredity=strong;products=5=0*1",
        definition: "at most S nonzero entries; some always in (they count), some never, at most 2 of each group, products only with their factors",
        convex: Convexity::No,
        cost: "p",
        example: "sparsity:2",
        form: Form::Arguments(sparsity),
    },
    SetEntry {
        name: "rank",
        syntax: "rank:R",
        definition: "matrix of rank at most R",
        convex: Convexity::No,
        cost: "a few products with R + 8 vectors, else a full SVD",
        example: "rank:1",
        form: Form::Arguments(|given| Ok(SetSpec::Rank { rank: only_count(given, "a rank, as in rank:2")? })),
    },
    SetEntry {
        name: "box",
        syntax: "box:L,U or box;lower=L,...;upper=U,...",
        definition: "every entry between limits, which may be inf",
        convex: Convexity::Yes,
        cost: "p",
        example: "box;lower=0,0,-1,-inf;upper=1,inf,1,0",
        form: Form::Arguments(bounds),
    },
    SetEntry {
        name: "nonneg",
        syntax: "nonneg",
        definition: "no negative entry",
        convex: Convexity::Yes,
        cost: "p",
        example: "nonneg",
        form: Form::Arguments(|given| given.only(false, &[]).map(|()| SetSpec::NonNegative)),
    },
    SetEntry {
        name: "l1",
        syntax: "l1:R",
        definition: "magnitudes sum to at most R",
        convex: Convexity::Yes,
        cost: "p per pass, few passes",
        example: "l1:3",
        form: Form::Arguments(|given| Ok(SetSpec::L1Ball { radius: only_number(given, "a radius, as in l1:3")? })),
    },
    SetEntry {
        name: "linf",
        syntax: "linf:R",
        definition: "every magnitude at most R",
        convex: Convexity::Yes,
        cost: "p",
        example: "linf:2",
        form: Form::Arguments(|given| Ok(SetSpec::LinfBall { radius: only_number(given, "a radius, as in linf:2")? })),
    },
    SetEntry {
        name: "simplex",
        syntax: "simplex or simplex:T",
        definition: "no negative entry, sum exactly T (1 if left out)",
        convex: Convexity::Yes,
        cost: "p per pass, few passes",
        example: "simplex:2",
        form: Form::Arguments(|given| {
            given.only(true, &[])?;
            Ok(SetSpec::Simplex { total: given.main.map_or(Ok(1.0), number)? })
        }),
    },
    SetEntry {
        name: "affine",
        syntax: "affine;a=ROW|ROW|...;b=B,B,...",
        definition: "solves the equations A x = b",
        convex: Convexity::Yes,
        cost: "m p for m equations",
        example: "affine;a=1,1,1,1|1,-1,0,0;b=1,0",
        form: Form::Arguments(affine),
    },
    SetEntry {
        name: "halfspace",
        syntax: "halfspace;a=A,A,...;b=B",
        definition: "satisfies a.x <= b",
        convex: Convexity::Yes,
        cost: "p",
        example: "halfspace;a=1,1,1,0;b=2",
        form: Form::Arguments(half_space),
    },
    SetEntry {
        name: "monotone",
        syntax: "monotone or monotone:decreasing",
        definition: "entries in increasing or decreasing order",
        convex: Convexity::Yes,
        cost: "p",
        example: "monotone:decreasing",
        form: Form::Arguments(monotone),
    },
    SetEntry {
        name: "group-sparsity",
        syntax: "group-sparsity:G;groups=0-3,4+6,5 or group-sparsity:G;size=N",
        definition: "at most G groups with a nonzero entry; + unites ranges, a comma starts the next group",
        convex: Convexity::No,
        cost: "p",
        example: "group-sparsity:1;groups=0+2,1,3",
        form: Form::Arguments(group_sparsity),
    },
    SetEntry {
        name: "blocks",
        syntax: "blocks[0-9: SET][10-19: SET]",
        definition: "a set of its own for each range of indices",
        convex: Convexity::Depends,
        cost: "sum of the parts",
        example: "blocks[0-1: simplex][2-3: sparsity:1]",
        form: Form::Brackets,
    },
    SetEntry {
        name: "&",
        syntax: "SET & SET",
        definition: "in both sets, exactly: convex sets of every kind; sparsity with box, nonneg, linf, simplex or l1; \
                     cones in a ball; anything else is refused",
        convex: Convexity::Depends,
        cost: "by formula: the sum of the parts; otherwise a quadratic program",
        example: "sparsity:2 & nonneg",
        form: Form::Between,
    },
];

/// All sets of the grammar; the last entry is the intersection.
pub fn sets() -> &'static [SetEntry] {
    SETS
}

impl SetSpec {
    /// The word the specification starts with; `&` for intersections, and nothing for a set of your own.
    pub fn name(&self) -> Option<&'static str> {
        Some(match self {
            Self::WholeSpace => "none",
            Self::Ball { .. } => "ball",
            Self::Sparsity { .. } => "sparsity",
            Self::Selection(rules) => if rules.units.is_some() { "group-sparsity" } else { "sparsity" },
            Self::Rank { .. } => "rank",
            Self::Bounds { .. } | Self::BoundsEach { .. } => "box",
            Self::NonNegative => "nonneg",
            Self::L1Ball { .. } => "l1",
            Self::LinfBall { .. } => "linf",
            Self::Simplex { .. } => "simplex",
            Self::Affine { .. } => "affine",
            Self::HalfSpace { .. } => "halfspace",
            Self::Monotone { .. } => "monotone",
            Self::GroupSparsity { .. } => "group-sparsity",
            Self::Blocks(_) => "blocks",
            Self::Intersection(_) => "&",
            Self::Custom(_) => return None,
        })
    }
}

/// A count and nothing else.
fn only_count(given: &Arguments, rule: &str) -> Result<usize> {
    given.only(true, &[])?;
    count(given.main(rule)?, rule)
}

/// A number and nothing else.
fn only_number(given: &Arguments, rule: &str) -> Result<f64> {
    given.only(true, &[])?;
    number(given.main(rule)?)
}

fn sparsity(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &selection::OPTIONS)?;
    let rule = "a number of nonzero entries, as in sparsity:20";
    let keep = count(given.main(rule)?, rule)?;
    Ok(selection::read(given, keep, None)?.unwrap_or(SetSpec::Sparsity { keep }))
}

fn ball(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["center", "centre"])?;
    let center = given.option("center").or(given.option("centre")).map(numbers).transpose()?;
    Ok(SetSpec::Ball { radius: number(given.main("a radius, as in ball:1")?)?, center })
}

fn affine(given: &Arguments) -> Result<SetSpec> {
    given.only(false, &["a", "b"])?;
    let example = "affine;a=1,1,1|1,-1,0;b=1,0";
    let rows = given.required("a", example)?.split(|c| c == '|');
    let rows = rows.into_iter().map(numbers).collect::<Result<_>>()?;
    Ok(SetSpec::Affine { rows, right: numbers(given.required("b", example)?)? })
}

fn half_space(given: &Arguments) -> Result<SetSpec> {
    given.only(false, &["a", "b"])?;
    let example = "halfspace;a=1,1,1;b=2";
    let normal = numbers(given.required("a", example)?)?;
    Ok(SetSpec::HalfSpace { normal, offset: number(given.required("b", example)?)? })
}

fn monotone(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &[])?;
    let direction = match given.main.map(|piece| (piece, piece.text())) {
        None | Some((_, "increasing")) => Direction::Increasing,
        Some((_, "decreasing")) => Direction::Decreasing,
        Some((piece, _)) => return Err(piece.error("increasing or decreasing is expected")),
    };
    Ok(SetSpec::Monotone { direction })
}

fn bounds(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["lower", "upper"])?;
    let example = "box:0,inf or box;lower=0,0,-1;upper=1,inf,1";
    let (lower, upper) = (given.option("lower"), given.option("upper"));
    let Some(main) = given.main else {
        let lower = lower.map(numbers).transpose()?;
        let upper = upper.map(numbers).transpose()?;
        let free = |other: &[f64], limit| vec![limit; other.len()];
        return match (lower, upper) {
            (Some(lower), Some(upper)) => Ok(SetSpec::BoundsEach { lower, upper }),
            (Some(lower), None) => Ok(SetSpec::BoundsEach { upper: free(&lower, f64::INFINITY), lower }),
            (None, Some(upper)) => Ok(SetSpec::BoundsEach { lower: free(&upper, f64::NEG_INFINITY), upper }),
            (None, None) => Err(given.set.error(format!("limits are missing, as in {example}"))),
        };
    };
    if let Some(option) = lower.or(upper) {
        return Err(option.error("limits are either shared or given one by one, not both"));
    }
    match numbers(main)?[..] {
        [lower, upper] => Ok(SetSpec::Bounds { lower, upper }),
        _ => Err(main.error(format!("two limits are expected, as in {example}"))),
    }
}

fn group_sparsity(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &[&["groups", "size"][..], &selection::OPTIONS].concat())?;
    let example = "group-sparsity:2;groups=0-3,4-7,8+10+12,9+11 or group-sparsity:2;size=4";
    let keep = count(given.main(example)?, "a number of groups, as in group-sparsity:2;size=4")?;
    let groups = match (given.option("groups"), given.option("size")) {
        (Some(lists), None) => self::groups(lists)?,
        (None, Some(size)) => Groups::Consecutive { size: count(size, "a group size, as in size=4")? },
        (Some(_), Some(size)) => return Err(size.error("give groups or size, not both")),
        (None, None) => return Err(given.set.error(format!("the groups are missing, as in {example}"))),
    };
    Ok(selection::read(given, keep, Some(&groups))?.unwrap_or(SetSpec::GroupSparsity { keep, groups }))
}

/// `0-3,4+6,5`
pub(super) fn groups(lists: Piece) -> Result<Groups> {
    let list = |group: Piece| group.split(|c| c == '+').into_iter().map(range).collect::<Result<_>>();
    Ok(Groups::Listed(lists.split(|c| c == ',').into_iter().map(list).collect::<Result<_>>()?))
}
