//! The sets that one number tells apart, and how to change that number inside a specification.

use crate::spec::{Block, SetSpec};

/// The sets that are told by one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Ball,
    Sparsity,
    Rank,
    L1Ball,
    LinfBall,
    Simplex,
    GroupSparsity,
}

impl Family {
    pub(super) const ALL: [Self; 7] =
        [Self::Ball, Self::Sparsity, Self::Rank, Self::L1Ball, Self::LinfBall, Self::Simplex, Self::GroupSparsity];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Sparsity => "sparsity",
            Self::Rank => "rank",
            Self::L1Ball => "l1",
            Self::LinfBall => "linf",
            Self::Simplex => "simplex",
            Self::GroupSparsity => "group-sparsity",
        }
    }

    /// Whether the number is a count.
    pub(super) fn counts(self) -> bool {
        matches!(self, Self::Sparsity | Self::Rank | Self::GroupSparsity)
    }

    /// A set of the family by itself; groups have to be told.
    pub(super) fn set(self, value: f64) -> Option<SetSpec> {
        Some(match self {
            Self::Ball => SetSpec::Ball { radius: value, center: None },
            Self::Sparsity => SetSpec::Sparsity { keep: value as usize },
            Self::Rank => SetSpec::Rank { rank: value as usize },
            Self::L1Ball => SetSpec::L1Ball { radius: value },
            Self::LinfBall => SetSpec::LinfBall { radius: value },
            Self::Simplex => SetSpec::Simplex { total: value },
            Self::GroupSparsity => return None,
        })
    }

    /// Replaces the parameter if `set` is of the family, and says whether it is.
    pub(super) fn replace(self, set: &mut SetSpec, value: f64) -> bool {
        match (self, set) {
            (Self::Ball, SetSpec::Ball { radius: number, .. })
            | (Self::L1Ball, SetSpec::L1Ball { radius: number })
            | (Self::LinfBall, SetSpec::LinfBall { radius: number })
            | (Self::Simplex, SetSpec::Simplex { total: number }) => *number = value,
            (Self::Sparsity, SetSpec::Sparsity { keep: count })
            | (Self::Rank, SetSpec::Rank { rank: count })
            | (Self::GroupSparsity, SetSpec::GroupSparsity { keep: count, .. }) => *count = value as usize,
            _ => return false,
        }
        true
    }

    /// Replaces the parameter, or the whole set by a template with that parameter, wherever the family occurs; returns how
    /// often it did.
    pub(super) fn replace_all(self, set: &mut SetSpec, value: f64, template: Option<&SetSpec>) -> usize {
        match set {
            SetSpec::Intersection(parts) => parts.iter_mut().map(|part| self.replace_all(part, value, template)).sum(),
            SetSpec::Blocks(blocks) => {
                blocks.iter_mut().map(|Block { set, .. }| self.replace_all(set, value, template)).sum()
            }
            set => {
                let is_member = self.replace(set, value);
                if let (true, Some(template)) = (is_member, template) {
                    set.clone_from(template);
                    self.replace(set, value);
                }
                usize::from(is_member)
            }
        }
    }
}
