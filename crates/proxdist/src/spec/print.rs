//! [`SetSpec`] to text, and to words for people.

use super::coordinates::quoted;
use super::{Block, Direction, Groups, SetSpec};
use crate::constraint::brief;
use crate::words::{self, plural};
use std::fmt;

impl fmt::Display for SetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeSpace => write!(f, "none"),
            Self::Ball { radius, center: None } => write!(f, "ball:{}", number(*radius)),
            Self::Ball { radius, center: Some(center) } => {
                write!(f, "ball:{};center={}", number(*radius), numbers(center))
            }
            Self::Sparsity { keep } => write!(f, "sparsity:{keep}"),
            Self::Selection(rules) => write!(f, "{rules}"),
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
