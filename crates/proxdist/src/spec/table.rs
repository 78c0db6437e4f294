//! The table of sets: how each is written, read and described. The parser dispatches by it, `proxdist constraints` prints it, and a test makes
//! sure that no set is missing in it.

use super::coordinates::{Coordinates, name};
use super::parse::{Arguments, Piece, count, number, numbers};
use super::shapes::{curved, fused, kinks, polyhedron};
use super::{Bend, Break, Direction, Groups, SetSpec, selection};
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
    /// Another word for it.
    pub(super) also: Option<&'static str>,
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
    /// A linear row in words.
    Words,
    /// The sign between two sets.
    Between,
}

const SETS: &[SetEntry] = &[
    SetEntry {
        name: "none",
        also: Some("free"),
        syntax: "none or free",
        definition: "every vector",
        convex: Convexity::Yes,
        cost: "none",
        example: "none",
        form: Form::Arguments(|given| given.only(false, &[]).map(|()| SetSpec::WholeSpace)),
    },
    SetEntry {
        name: "ball",
        also: None,
        syntax: "ball:R or ball:R;center=C,C,...",
        definition: "within distance R of the origin or of a center",
        convex: Convexity::Yes,
        cost: "p",
        example: "ball:1;center=0.5,0,1,0",
        form: Form::Arguments(ball),
    },
    SetEntry {
        name: "sparsity",
        also: None,
        syntax: "sparsity:S, with ;keep=LIST ;drop=LIST ;most=2 per GROUPS ;heredity=strong;products=P=A*B,...",
        definition: "at most S nonzero entries; some always in (they count), some never, at most 2 of each group, products only with their factors",
        convex: Convexity::No,
        cost: "p",
        example: "sparsity:2",
        form: Form::Arguments(sparsity),
    },
    SetEntry {
        name: "rank",
        also: None,
        syntax: "rank:R",
        definition: "matrix of rank at most R",
        convex: Convexity::No,
        cost: "a few products with R + 8 vectors, else a full SVD",
        example: "rank:1",
        form: Form::Arguments(|given| Ok(SetSpec::Rank { rank: only_count(given, "a rank, as in rank:2")? })),
    },
    SetEntry {
        name: "rows",
        also: None,
        syntax: "rows:S",
        definition: "matrix with at most S nonzero rows: at most S features for all outputs together",
        convex: Convexity::No,
        cost: "p",
        example: "rows:1",
        form: Form::Arguments(|given| {
            Ok(SetSpec::Rows { keep: only_count(given, "a number of rows, as in rows:20")? })
        }),
    },
    SetEntry {
        name: "box",
        also: None,
        syntax: "box:L,U or box;lower=L,...;upper=U,...",
        definition: "every entry between limits, which may be inf",
        convex: Convexity::Yes,
        cost: "p",
        example: "box;lower=0,0,-1,-inf;upper=1,inf,1,0",
        form: Form::Arguments(bounds),
    },
    SetEntry {
        name: "nonneg",
        also: None,
        syntax: "nonneg",
        definition: "no negative entry",
        convex: Convexity::Yes,
        cost: "p",
        example: "nonneg",
        form: Form::Arguments(|given| given.only(false, &[]).map(|()| SetSpec::NonNegative)),
    },
    SetEntry {
        name: "l1",
        also: None,
        syntax: "l1:R",
        definition: "magnitudes sum to at most R",
        convex: Convexity::Yes,
        cost: "p per pass, few passes",
        example: "l1:3",
        form: Form::Arguments(|given| Ok(SetSpec::L1Ball { radius: only_number(given, "a radius, as in l1:3")? })),
    },
    SetEntry {
        name: "linf",
        also: None,
        syntax: "linf:R",
        definition: "every magnitude at most R",
        convex: Convexity::Yes,
        cost: "p",
        example: "linf:2",
        form: Form::Arguments(|given| Ok(SetSpec::LinfBall { radius: only_number(given, "a radius, as in linf:2")? })),
    },
    SetEntry {
        name: "simplex",
        also: None,
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
        also: None,
        syntax: "affine;a=ROW|ROW|...;b=B,B,...",
        definition: "solves the equations A x = b",
        convex: Convexity::Yes,
        cost: "m p for m equations",
        example: "affine;a=1,1,1,1|1,-1,0,0;b=1,0",
        form: Form::Arguments(affine),
    },
    SetEntry {
        name: "halfspace",
        also: None,
        syntax: "halfspace;a=A,A,...;b=B",
        definition: "satisfies a.x <= b",
        convex: Convexity::Yes,
        cost: "p",
        example: "halfspace;a=1,1,1,0;b=2",
        form: Form::Arguments(half_space),
    },
    SetEntry {
        name: "monotone",
        also: None,
        syntax: "monotone or monotone:decreasing",
        definition: "entries in increasing or decreasing order",
        convex: Convexity::Yes,
        cost: "p",
        example: "monotone:decreasing",
        form: Form::Arguments(monotone),
    },
    SetEntry {
        name: "polyhedron",
        also: None,
        syntax: "polyhedron;a=ROW|ROW|...;b=B,B,...;e=ROW|...;f=F,... or polyhedron;file=ROWS",
        definition: "satisfies the inequalities A x <= b and the equations E x = f; either may be left out. A file has one row in words \
                     a line, or a table with a column for each feature, sense and right",
        convex: Convexity::Yes,
        cost: "a quadratic program",
        example: "polyhedron;a=1,1,0,0|0,0,1,-1;b=1,0;e=1,1,1,1;f=1",
        form: Form::Arguments(polyhedron),
    },
    SetEntry {
        name: "cone",
        also: None,
        syntax: "cone or cone:A",
        definition: "the length of all entries but the first is at most A times the first (1 if not given)",
        convex: Convexity::Yes,
        cost: "p",
        example: "cone:2",
        form: Form::Arguments(|given| {
            given.only(true, &[])?;
            Ok(SetSpec::Cone { slope: given.main.map_or(Ok(1.0), number)? })
        }),
    },
    SetEntry {
        name: "convex",
        also: None,
        syntax: "convex or convex;at=T,T,...",
        definition: "slopes from entry to entry never fall; the entries are T apart, or equally spaced",
        convex: Convexity::Yes,
        cost: "a quadratic program",
        example: "convex;at=0,1,3,4",
        form: Form::Arguments(|given| curved(given, Bend::Convex)),
    },
    SetEntry {
        name: "concave",
        also: None,
        syntax: "concave or concave;at=T,T,...",
        definition: "slopes from entry to entry never rise",
        convex: Convexity::Yes,
        cost: "a quadratic program",
        example: "concave",
        form: Form::Arguments(|given| curved(given, Bend::Concave)),
    },
    SetEntry {
        name: "jumps",
        also: None,
        syntax: "jumps:K",
        definition: "piecewise constant with at most K jumps from entry to entry",
        convex: Convexity::No,
        cost: "K p^2",
        example: "jumps:1",
        form: Form::Arguments(|given| {
            let most = only_count(given, "a number of jumps, as in jumps:3")?;
            Ok(SetSpec::Breaks { kind: Break::Jump, most, at: None })
        }),
    },
    SetEntry {
        name: "kinks",
        also: None,
        syntax: "kinks:K or kinks:K;at=T,T,...",
        definition: "piecewise linear and continuous with at most K changes of slope",
        convex: Convexity::No,
        cost: "about 1000 K p^2",
        example: "kinks:1",
        form: Form::Arguments(kinks),
    },
    SetEntry {
        name: "fused",
        also: None,
        syntax: "fused:R, fused:R;order=2 or fused:R;d=ROW|ROW|...",
        definition: "magnitudes of the differences between neighbours sum to at most R; those of differences of this order; or those of D x",
        convex: Convexity::Yes,
        cost: "p for each pair of neighbours that become equal; other differences: a quadratic program",
        example: "fused:2",
        form: Form::Arguments(fused),
    },
    SetEntry {
        name: "group-sparsity",
        also: None,
        syntax: "group-sparsity:G;groups=1-4,age+income,asset_* or ;size=N or ;by=prefix or ;by=source or ;file=TABLE.csv",
        definition: "at most G groups with a nonzero entry; + unites, a comma starts the next group; by the part of a name before _; \
                     by the text column an indicator comes from; by a table of features and their groups",
        convex: Convexity::No,
        cost: "p",
        example: "group-sparsity:1;groups=1+3,2,4",
        form: Form::Arguments(group_sparsity),
    },
    SetEntry {
        name: "blocks",
        also: None,
        syntax: "SET[age,income] or blocks[asset_*: SET][1-10: SET]",
        definition: "the set on these coordinates, all others being free; or a set of its own for each list of coordinates: names, \
                     ranges first..last, patterns, positions from 1, !name for all but one",
        convex: Convexity::Depends,
        cost: "sum of the parts",
        example: "blocks[1-2: simplex][3-4: sparsity:1]",
        form: Form::Brackets,
    },
    SetEntry {
        name: "<=",
        also: None,
        syntax: "age + 2*income <= 3, a - b >= 0, a + b = 1, 0 <= sum(asset_*) <= 0.4",
        definition: "satisfies the row; any name in backquotes, lists in sum(...)",
        convex: Convexity::Yes,
        cost: "p",
        example: "sum(1-3) - 2*sum(4) <= 2",
        form: Form::Words,
    },
    SetEntry {
        name: "&",
        also: None,
        syntax: "SET & SET",
        definition: "in both sets, exactly: convex sets of every kind; choices of features with convex sets; \
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
            Self::Selection(rules) => {
                if rules.units.is_some() {
                    "group-sparsity"
                } else {
                    "sparsity"
                }
            }
            Self::Rank { .. } => "rank",
            Self::Rows { .. } => "rows",
            Self::Bounds { .. } | Self::BoundsEach { .. } => "box",
            Self::NonNegative => "nonneg",
            Self::L1Ball { .. } => "l1",
            Self::LinfBall { .. } => "linf",
            Self::Simplex { .. } => "simplex",
            Self::Affine { .. } => "affine",
            Self::HalfSpace { .. } => "halfspace",
            Self::Monotone { .. } => "monotone",
            Self::Polyhedron { .. } | Self::PolyhedronFile { .. } => "polyhedron",
            Self::Cone { .. } => "cone",
            Self::Curved { bend: Bend::Convex, .. } => "convex",
            Self::Curved { bend: Bend::Concave, .. } => "concave",
            Self::Breaks { kind, .. } => kind.plural(),
            Self::Fused { .. } => "fused",
            Self::GroupSparsity { .. } => "group-sparsity",
            Self::Blocks(_) => "blocks",
            Self::Linear(_) => "<=",
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
    given.only(true, &[&["groups", "size", "by", "separator", "file"][..], &selection::OPTIONS].concat())?;
    let example = "group-sparsity:2;groups=1-4,age+income,asset_* or group-sparsity:2;size=4";
    let keep = count(given.main(example)?, "a number of groups, as in group-sparsity:2;size=4")?;
    let ways = ["groups", "size", "by", "file"].map(|key| given.option(key).map(|value| (key, value)));
    let mut ways = ways.into_iter().flatten();
    let Some((key, value)) = ways.next() else {
        return Err(given.set.error(format!("the groups are missing, as in {example}")));
    };
    if let Some((_, second)) = ways.next() {
        return Err(second.error("give groups, size, by or file, only one of them"));
    }
    if let Some(separator) = given.option("separator").filter(|_| value.text() != "prefix") {
        return Err(separator.error("a separator belongs to by=prefix"));
    }
    let groups = match (key, value.text()) {
        ("size", _) => Groups::Consecutive { size: count(value, "a group size, as in size=4")? },
        ("file", _) => Groups::File(name(value)?),
        ("groups", text) if is_table(text) => Groups::File(name(value)?),
        ("groups", _) => self::groups(value)?,
        (_, "prefix") => Groups::Prefix { separator: given.option("separator").map_or(Ok("_".to_owned()), name)? },
        (_, "source") => Groups::Source,
        _ => return Err(value.error("prefix or source is expected")),
    };
    Ok(selection::read(given, keep, Some(&groups))?.unwrap_or(SetSpec::GroupSparsity { keep, groups }))
}

/// `1-3,age+income,asset_*`
pub(super) fn groups(lists: Piece) -> Result<Groups> {
    let list = |group: Piece| Coordinates::read(group, '+');
    Ok(Groups::Listed(lists.split(|c| c == ',').into_iter().map(list).collect::<Result<_>>()?))
}

/// Whether one word in place of a list of groups is the path of a table.
pub(super) fn is_table(text: &str) -> bool {
    let is_one = !text.contains([',', '+', '`', '*']);
    is_one && [".csv", ".tsv", ".csv.gz", ".tsv.gz"].iter().any(|end| text.ends_with(end))
}
