//! The coordinates of a part of a vector: neighbours, or a list in any order.

use crate::spec::Coordinates;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Disjoint indices from 0, in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Places {
    /// `first..=last`
    Range { first: usize, last: usize },
    Listed {
        indices: Vec<usize>,
        /// The same in ascending order.
        sorted: Vec<usize>,
    },
}

impl Places {
    /// `first` is not above `last`.
    pub(super) fn range(first: usize, last: usize) -> Self {
        Self::Range { first, last }
    }

    /// At least one index, none of them twice.
    pub(super) fn of(indices: Vec<usize>) -> Result<Self, String> {
        let (Some(&first), Some(&last)) = (indices.first(), indices.last()) else {
            return Err("a part without coordinates is no part".to_owned());
        };
        if indices.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) {
            return Ok(Self::Range { first, last });
        }
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("position {} stands twice in one list", pair[0] as u128 + 1)),
            None => Ok(Self::Listed { indices, sorted }),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Range { first, last } => last - first + 1,
            Self::Listed { indices, .. } => indices.len(),
        }
    }

    /// The index of the k-th entry.
    pub(super) fn at(&self, k: usize) -> usize {
        match self {
            Self::Range { first, .. } => first + k,
            Self::Listed { indices, .. } => indices[k],
        }
    }

    /// The smallest index.
    pub(super) fn first(&self) -> usize {
        match self {
            Self::Range { first, .. } => *first,
            Self::Listed { sorted, .. } => sorted[0],
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|k| self.at(k))
    }

    pub(super) fn as_range(&self) -> Option<RangeInclusive<usize>> {
        match self {
            Self::Range { first, last } => Some(*first..=*last),
            Self::Listed { .. } => None,
        }
    }

    fn has(&self, index: usize) -> bool {
        match self {
            Self::Range { first, last } => (*first..=*last).contains(&index),
            Self::Listed { sorted, .. } => sorted.binary_search(&index).is_ok(),
        }
    }

    /// The lowest index that is in both.
    pub(super) fn common(&self, other: &Self) -> Option<usize> {
        match (self, other) {
            (Self::Range { first, last }, Self::Range { first: from, last: to }) => {
                (first <= to && from <= last).then_some(*first.max(from))
            }
            (Self::Listed { sorted, .. }, other) | (other, Self::Listed { sorted, .. }) => {
                sorted.iter().copied().find(|&j| other.has(j))
            }
        }
    }

    /// The largest index, if a vector of this length does not have it.
    pub(super) fn beyond(&self, length: usize) -> Option<usize> {
        let last = match self {
            Self::Range { last, .. } => *last,
            Self::Listed { sorted, .. } => sorted[sorted.len() - 1],
        };
        (last >= length).then_some(last)
    }

    /// These entries of a vector; `None` if it does not have them all.
    pub(super) fn gathered<'x>(&self, vector: &'x [f64]) -> Option<Cow<'x, [f64]>> {
        match self {
            Self::Range { first, last } => vector.get(*first..=*last).map(Cow::Borrowed),
            Self::Listed { indices, .. } => indices.iter().map(|&j| vector.get(j).copied()).collect(),
        }
    }

    pub(super) fn coordinates(&self) -> Coordinates {
        match self {
            Self::Range { first, last } => Coordinates::range(*first, *last),
            Self::Listed { indices, .. } => Coordinates::positions(indices),
        }
    }
}
