//! [`SetSpec`] to text, and to words for people.

use super::coordinates::quoted;
use super::{Bend, Block, Break, Differences, Direction, Groups, LinearRows, SetSpec};
use crate::constraint::brief;
use crate::words::{self, plural};
use std::fmt;

/// Numbers of a vector up to which a message shows it.
const FEW: usize = 6;

/// The text of the grammar, which reads back as the same set. The alternate form `{:#}` is for messages: sets that hold more numbers than people read are told in words.
impl fmt::Display for SetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return match self {
                Self::Intersection(parts) => write!(f, "{}", joined(parts, " & ", |part| format!("{part:#}"))),
                Self::Blocks(blocks) if blocks.iter().any(|block| block.set.numbers_held() > FEW) => {
                    write!(f, "blocks{}", joined(blocks, "", |block| format!("[{}: {:#}]", block.on, block.set)))
                }
                set if set.numbers_held() > FEW => write!(f, "({})", set.words()),
                set => write!(f, "{set}"),
            };
        }
        match self {
            Self::WholeSpace => write!(f, "none"),
            Self::Ball { radius, center: None } => write!(f, "ball:{}", number(*radius)),
            Self::Ball { radius, center: Some(center) } => {
                write!(f, "ball:{};center={}", number(*radius), numbers(center))
            }
            Self::Sparsity { keep } => write!(f, "sparsity:{keep}"),
            Self::Selection(rules) => write!(f, "{rules}"),
            Self::Rank { rank } => write!(f, "rank:{rank}"),
            Self::Rows { keep } => write!(f, "rows:{keep}"),
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
            Self::Polyhedron { inequalities, equations } => {
                let side = |left: &str, right: &str, side: &LinearRows| {
                    let rows = joined(&side.rows, "|", |row| numbers(row));
                    let text = format!(";{left}={rows};{right}={}", numbers(&side.right));
                    if side.rows.is_empty() { String::new() } else { text }
                };
                write!(f, "polyhedron{}{}", side("a", "b", inequalities), side("e", "f", equations))
            }
            Self::PolyhedronFile { path } => write!(f, "polyhedron;file={}", quoted(path)),
            Self::Cone { slope } if *slope == 1.0 => write!(f, "cone"),
            Self::Cone { slope } => write!(f, "cone:{}", number(*slope)),
            Self::Curved { bend, at } => {
                let name = match bend {
                    Bend::Convex => "convex",
                    Bend::Concave => "concave",
                };
                write!(f, "{name}{}", places(at.as_ref()))
            }
            Self::Breaks { kind, most, at } => write!(f, "{}:{most}{}", kind.plural(), places(at.as_ref())),
            Self::Fused { radius, of } => {
                let of = match &**of {
                    Differences::Order(1) => String::new(),
                    Differences::Order(order) => format!(";order={order}"),
                    Differences::Rows(rows) => format!(";d={}", joined(rows, "|", |row| numbers(row))),
                };
                write!(f, "fused:{}{of}", number(*radius))
            }
            Self::GroupSparsity { keep, groups } => write!(f, "group-sparsity:{keep};{}", grouping(groups)),
            Self::Blocks(blocks) => match &blocks[..] {
                [Block { on, set: Self::WholeSpace }] => write!(f, "free[{on}]"),
                [Block { on, set }]
                    if !matches!(set, Self::Blocks(_) | Self::Intersection(_) | Self::Linear(_) | Self::Custom(_)) =>
                {
                    write!(f, "{set}[{on}]")
                }
                blocks => write!(f, "blocks{}", joined(blocks, "", |block| format!("[{}: {}]", block.on, block.set))),
            },
            Self::Intersection(parts) => write!(f, "{}", joined(parts, " & ", ToString::to_string)),
            Self::Linear(row) => write!(f, "{row}"),
            Self::Custom(name) => f.write_str(name),
        }
    }
}

impl SetSpec {
    /// How many numbers the vectors and matrices of the set hold.
    fn numbers_held(&self) -> usize {
        let table = |rows: &[Vec<f64>]| rows.iter().map(Vec::len).sum::<usize>();
        match self {
            Self::Ball { center: Some(numbers), .. }
            | Self::HalfSpace { normal: numbers, .. }
            | Self::BoundsEach { lower: numbers, .. }
            | Self::Curved { at: Some(numbers), .. }
            | Self::Breaks { at: Some(numbers), .. } => numbers.len(),
            Self::Affine { rows, .. } => table(rows),
            Self::Polyhedron { inequalities, equations } => table(&inequalities.rows) + table(&equations.rows),
            Self::Fused { of, .. } => match &**of {
                Differences::Rows(rows) => table(rows),
                Differences::Order(_) => 0,
            },
            _ => 0,
        }
    }

    /// What the set asks of the coefficients, in words.
    pub fn words(&self) -> String {
        match self {
            Self::WholeSpace => "no constraint".to_owned(),
            Self::Ball { radius, center: None } => format!("Euclidean norm at most {}", words::number(*radius)),
            Self::Ball { radius, center: Some(_) } => {
                format!("within distance {} of a given center", words::number(*radius))
            }
            Self::Sparsity { keep } => format!("at most {}", plural(*keep, "nonzero coefficient")),
            Self::Selection(rules) => rules.words(),
            Self::Rank { rank } => format!("a coefficient matrix of rank at most {rank}"),
            Self::Rows { keep } => format!("at most {} for all outputs together", plural(*keep, "feature")),
            Self::Bounds { lower, upper } => match (lower.is_finite(), upper.is_finite()) {
                (true, true) => {
                    format!("every coefficient between {} and {}", words::number(*lower), words::number(*upper))
                }
                (true, false) => format!("every coefficient at least {}", words::number(*lower)),
                (false, true) => format!("every coefficient at most {}", words::number(*upper)),
                (false, false) => "no constraint".to_owned(),
            },
            Self::BoundsEach { .. } => "every coefficient between limits of its own".to_owned(),
            Self::NonNegative => "no negative coefficient".to_owned(),
            Self::L1Ball { radius } => format!("magnitudes that sum to at most {}", words::number(*radius)),
            Self::LinfBall { radius } => format!("no magnitude above {}", words::number(*radius)),
            Self::Simplex { total } => {
                format!("no negative coefficient and a sum of exactly {}", words::number(*total))
            }
            Self::Affine { right, .. } => plural(right.len(), "linear equation"),
            Self::HalfSpace { .. } => "a linear inequality".to_owned(),
            Self::Monotone { direction: Direction::Increasing } => "coefficients in increasing order".to_owned(),
            Self::Monotone { direction: Direction::Decreasing } => "coefficients in decreasing order".to_owned(),
            Self::Polyhedron { inequalities, equations } => {
                let counts = [(&**inequalities, "linear inequality"), (&**equations, "linear equation")];
                let text = |&(side, word): &(&LinearRows, &str)| match (side.rows.len(), word) {
                    (0, _) => None,
                    (1, word) => Some(format!("1 {word}")),
                    (count, "linear inequality") => Some(format!("{count} linear inequalities")),
                    (count, word) => Some(format!("{count} {word}s")),
                };
                counts.iter().filter_map(text).collect::<Vec<_>>().join(" and ")
            }
            Self::PolyhedronFile { path } => format!("the linear rows of {path}"),
            Self::Cone { slope } => {
                let times = if *slope == 1.0 { String::new() } else { format!("{} times ", words::number(*slope)) };
                format!("all coefficients but the first of a length at most {times}the first")
            }
            Self::Curved { bend: Bend::Convex, .. } => "coefficients that form a convex curve".to_owned(),
            Self::Curved { bend: Bend::Concave, .. } => "coefficients that form a concave curve".to_owned(),
            Self::Breaks { kind: Break::Jump, most, .. } => {
                format!("piecewise constant coefficients with at most {}", plural(*most, "jump"))
            }
            Self::Breaks { kind: Break::Kink, most, .. } => {
                format!("piecewise linear coefficients with at most {}", plural(*most, "kink"))
            }
            Self::Fused { radius, of } => {
                let of = match &**of {
                    Differences::Order(1) => "differences between neighbours".to_owned(),
                    Differences::Order(2) => "changes of slope".to_owned(),
                    Differences::Order(order) => format!("differences of order {order}"),
                    Differences::Rows(rows) => plural(rows.len(), "linear combination"),
                };
                format!("{of} whose magnitudes sum to at most {}", words::number(*radius))
            }
            Self::GroupSparsity { keep, groups } => {
                let of = match groups {
                    Groups::Consecutive { size } => format!(" of {size} coefficients"),
                    Groups::Prefix { .. } => " of features with a common prefix".to_owned(),
                    Groups::Source => " of features from one column".to_owned(),
                    Groups::Listed(_) | Groups::File(_) => String::new(),
                };
                format!("at most {}{of}", plural(*keep, "nonzero group"))
            }
            Self::Blocks(blocks) => {
                let each = |block: &Block| format!("for {}: {}", block.on.brief(), block.set.words());
                joined(blocks, "; ", each)
            }
            Self::Intersection(parts) => joined(parts, ", and ", Self::words),
            Self::Linear(row) => brief(row),
            Self::Custom(name) => format!("a set of its own ({name})"),
        }
    }
}

/// The option with the places of the entries, if they are given.
fn places(at: Option<&Vec<f64>>) -> String {
    at.map_or_else(String::new, |at| format!(";at={}", numbers(at)))
}

pub(super) fn grouping(groups: &Groups) -> String {
    match groups {
        Groups::Consecutive { size } => format!("size={size}"),
        Groups::Listed(groups) => format!("groups={}", joined(groups, ",", |group| group.text("+"))),
        Groups::Prefix { separator } if separator == "_" => "by=prefix".to_owned(),
        Groups::Prefix { separator } => format!("by=prefix;separator={}", quoted(separator)),
        Groups::Source => "by=source".to_owned(),
        Groups::File(path) => format!("file={}", quoted(path)),
    }
}

/// The shortest text that reads back as the same number, without rows of zeros.
pub(super) fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

fn numbers(values: &[f64]) -> String {
    joined(values, ",", |value| number(*value))
}

pub(super) fn joined<T>(items: &[T], separator: &str, text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}
