//! Vectors in which at most $g$ groups of entries are nonzero; the groups partition the indices.
//!
//! Zeroing a group costs the sum of its squares, so the projection keeps the $g$ groups of largest norm. Selection
//! makes it $O(p)$. A cone, not convex; equal norms are resolved towards the group listed first.

use super::magnitude::largest;
use super::selection::Cut;
use super::structure::members;
use super::{Choice, Choosing, Constraint, SetFault, Structure, WholeSpace, Workspace, refusal, require_dimension};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Coordinates, Groups, SetSpec, positions};

/// At most so many groups with a nonzero entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSparsity {
    keep: usize,
    groups: Groups,
    /// The group of every index, for groups that are listed.
    group_of: Vec<usize>,
}

impl GroupSparsity {
    /// At most `keep` nonzero groups, each a list of indices; together they hold every index from 0 up exactly once.
    pub fn at_most(keep: usize, groups: &[Vec<usize>]) -> Result<Self> {
        Self::of(keep, Groups::listed(groups))
    }

    /// At most `keep` nonzero groups of `size` consecutive entries.
    pub fn of_size(keep: usize, size: usize) -> Result<Self> {
        Self::of(keep, Groups::Consecutive { size })
    }

    /// At most `keep` of these groups.
    pub fn of(keep: usize, groups: Groups) -> Result<Self> {
        let mut set = Self { keep, groups, group_of: Vec::new() };
        let fault = match &set.groups {
            Groups::Consecutive { size: 0 } => Some("a group must have at least one entry".into()),
            Groups::Consecutive { .. } => None,
            Groups::Listed(lists) => match lists.iter().map(Coordinates::ranges).collect::<Option<Vec<_>>>() {
                Some(ranges) => match group_of_each(&ranges) {
                    Ok(group_of) => {
                        set.group_of = group_of;
                        too_many(keep, lists.len())
                    }
                    Err(reason) => Some(reason.into()),
                },
                None => Some(SetFault::NeedsNames),
            },
            Groups::Prefix { .. } | Groups::Source | Groups::File(_) => Some(SetFault::NeedsNames),
        };
        fault.map_or(Ok(()), |fault| Err(refusal(set.spec(), fault)))?;
        Ok(set)
    }

    fn group(&self, index: usize) -> usize {
        match self.groups {
            Groups::Consecutive { size } => index / size,
            _ => self.group_of[index],
        }
    }

    /// Number of groups of a vector of this length, or what is wrong with the length.
    fn count(&self, length: usize) -> Result<usize> {
        match &self.groups {
            Groups::Consecutive { size } if !length.is_multiple_of(*size) => {
                let reason = format!("the parameter has {length} entries, not a multiple of the group size {size}");
                Err(refusal(self.spec(), reason))
            }
            Groups::Consecutive { size } => Ok(length / size),
            Groups::Listed(lists) => {
                require_dimension(self, self.group_of.len(), length)?;
                Ok(lists.len())
            }
            Groups::Prefix { .. } | Groups::Source | Groups::File(_) => Err(refusal(self.spec(), SetFault::NeedsNames)),
        }
    }
}

fn too_many(keep: usize, most: usize) -> Option<SetFault> {
    (keep > most).then_some(SetFault::TooManyGroups { most })
}

/// The group of every index, if each index from 0 up occurs exactly once.
fn group_of_each(lists: &[Vec<(usize, usize)>]) -> std::result::Result<Vec<usize>, String> {
    let mut ranges = Vec::new();
    for (group, list) in lists.iter().enumerate() {
        if list.is_empty() {
            return Err(format!("group {} is empty", group + 1));
        }
        ranges.extend(list.iter().map(|&(first, last)| (first, last, group)));
    }
    ranges.sort_unstable();
    let mut next = 0;
    for &(first, last, _) in &ranges {
        if last < first {
            return Err(format!("the range {} runs backwards", positions(first, last)));
        }
        if first < next {
            return Err(format!("position {} is in two groups", positions(first, first)));
        }
        if first > next {
            return Err(format!("position {} is in no group", positions(next, next)));
        }
        next = last.checked_add(1).filter(|next| *next <= MOST_INDICES).ok_or("the positions are too large")?;
    }
    let mut group_of = Vec::with_capacity(next);
    for (first, last, group) in ranges {
        group_of.extend((first..=last).map(|_| group));
    }
    Ok(group_of)
}

/// Beyond this many indices a list of groups is a slip of the pen, not a model: it would not fit in memory.
const MOST_INDICES: usize = 1 << 31;

impl Constraint for GroupSparsity {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        let count = self.count(point.len())?;
        if self.keep >= count {
            return Ok(());
        }
        // Squares of extreme entries overflow or vanish; dividing by the largest entry keeps their order.
        let top = largest(point.iter().copied());
        let extreme = top.is_finite() && top > 0.0 && !(1e-120..1e120).contains(&top);
        let scale = if extreme { top } else { 1.0 };
        let mut squares = work.take_numbers();
        squares.resize(count, 0.0);
        for (j, x) in point.iter().enumerate() {
            squares[self.group(j)] += (x / scale).powi(2);
        }
        let mut candidates = work.take_numbers();
        let mut cut = Cut::largest(squares.iter().map(|s| s.abs()), self.keep, &mut candidates);
        work.return_numbers(candidates);
        for s in &mut squares {
            *s = f64::from(u8::from(cut.keeps(s.abs())));
        }
        for (j, x) in point.iter_mut().enumerate() {
            *x = if squares[self.group(j)] > 0.0 { *x + 0.0 } else { 0.0 };
        }
        work.return_numbers(squares);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        self.keep == 0
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn is_scale_free(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        let count = self.count(shape.len())?;
        too_many(self.keep, count).map_or(Ok(()), |fault| Err(refusal(self.spec(), fault)))
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::GroupSparsity { keep: self.keep, groups: self.groups.clone() }
    }
}

impl Choosing for GroupSparsity {
    fn choice(&self, length: usize) -> Choice {
        Choice::of_units(self.keep, members(&self.groups, length))
    }

    fn on_support(&self, _support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        Some(Box::new(WholeSpace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_groups_of_largest_norm_stay() -> Result<()> {
        let set = GroupSparsity::at_most(1, &[vec![0, 2], vec![1, 3]])?;
        assert_eq!(projected(&set, &[3.0, 2.0, 3.0, 4.0])?, [0.0, 2.0, 0.0, 4.0]);
        assert_eq!(projected(&set, &[1.0, -1.0, -1.0, 1.0])?, [1.0, 0.0, -1.0, 0.0]);
        let set = GroupSparsity::of_size(1, 2)?;
        assert_eq!(projected(&set, &[1e300, 1e300, 2e300, 0.0])?, [0.0, 0.0, 2e300, 0.0]);
        Ok(())
    }
}
