//! Sets that leave a choice: which coordinates may be nonzero, and a convex set for those that are.
//!
//! Coordinates come in *units* that are chosen together (one coordinate for sparsity, a group for group sparsity). Units stand in
//! *pools*, each with a largest number of units that may be nonzero; coordinates outside every pool are always in. The set is the
//! union, over all such choices, of the convex sets that remain on the chosen coordinates, the others being zero.
//!
//! A unit that may be chosen may also stay zero: a coordinate that cannot be zero is always in, and the limit of its pool is lower
//! by one. A larger choice therefore never excludes a point, and only choices with full pools need be looked at.

use super::{Constraint, Structure};

/// A set that is a union of convex sets, one for each choice of units.
pub trait Choosing: Send + Sync {
    /// What there is to choose for a parameter of this length.
    fn choice(&self, length: usize) -> Choice;

    /// The convex set that remains on the coordinates of `support`, in ascending order, when all others are zero; `None` if no
    /// point of the set has all others zero. More coordinates than the limits allow are accepted: then only the limits are dropped.
    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>>;

    /// The number $s$ if the set is "at most $s$ nonzero of all coordinates" and nothing else.
    fn plain_size(&self, length: usize) -> Option<usize> {
        let choice = self.choice(length);
        let is_free = self.on_support(&[]).is_some_and(|set| matches!(set.structure(), Structure::WholeSpace));
        match choice.keep() {
            [size] if is_free && choice.is_single() && choice.units() == length => Some(*size),
            _ => None,
        }
    }
}

/// Units in pools, and the coordinates that are always in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Where the coordinates of each unit start in `members`, and the end of the last one.
    starts: Vec<usize>,
    members: Vec<usize>,
    /// The pool of each unit.
    pools: Vec<usize>,
    /// The largest number of nonzero units of each pool.
    keep: Vec<usize>,
    always: Vec<usize>,
}

impl Choice {
    /// One pool of units of which at most `keep` are nonzero.
    pub fn of_units(keep: usize, units: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let mut choice = Self { starts: vec![0], ..Self::default() };
        for unit in units {
            choice.members.extend(unit);
            choice.starts.push(choice.members.len());
            choice.pools.push(0);
        }
        choice.keep.push(keep.min(choice.pools.len()));
        choice
    }

    /// One pool of single coordinates.
    pub fn of_coordinates(keep: usize, coordinates: impl IntoIterator<Item = usize>) -> Self {
        let members: Vec<usize> = coordinates.into_iter().collect();
        let count = members.len();
        Self {
            starts: (0..=count).collect(),
            members,
            pools: vec![0; count],
            keep: vec![keep.min(count)],
            always: Vec::new(),
        }
    }

    /// Nothing to choose: these coordinates are in.
    pub fn always(coordinates: impl IntoIterator<Item = usize>) -> Self {
        Self { starts: vec![0], always: coordinates.into_iter().collect(), ..Self::default() }
    }

    /// This choice beside another one, whose coordinate `j` is the coordinate `place(j)` here.
    #[must_use]
    pub fn beside(mut self, other: &Self, place: impl Fn(usize) -> usize) -> Self {
        let (end, pools) = (self.members.len(), self.keep.len());
        self.members.extend(other.members.iter().map(|&j| place(j)));
        self.starts.extend(other.starts[1..].iter().map(|start| start + end));
        self.pools.extend(other.pools.iter().map(|pool| pool + pools));
        self.keep.extend(&other.keep);
        self.always.extend(other.always.iter().map(|&j| place(j)));
        self
    }

    /// Number of units.
    pub fn units(&self) -> usize {
        self.pools.len()
    }

    /// The coordinates of a unit.
    pub fn unit(&self, unit: usize) -> &[usize] {
        &self.members[self.starts[unit]..self.starts[unit + 1]]
    }

    /// The pool of a unit.
    pub fn pool(&self, unit: usize) -> usize {
        self.pools[unit]
    }

    /// The limits of the pools.
    pub fn keep(&self) -> &[usize] {
        &self.keep
    }

    /// Whether every unit is one coordinate.
    pub fn is_single(&self) -> bool {
        self.members.len() == self.units()
    }

    /// The coordinates that may be nonzero when these units are chosen, in ascending order.
    pub fn support(&self, chosen: &[usize]) -> Vec<usize> {
        let mut support = self.always.clone();
        chosen.iter().for_each(|&unit| support.extend(self.unit(unit)));
        support.sort_unstable();
        support
    }

    /// The units in which a point is not zero, in ascending order.
    pub fn active(&self, point: &[f64]) -> Vec<usize> {
        let is_active = |&unit: &usize| self.unit(unit).iter().any(|&j| point[j] != 0.0);
        (0..self.units()).filter(is_active).collect()
    }

    /// How many more units each pool has room for; `None` if one has too many.
    pub fn room(&self, chosen: &[usize]) -> Option<Vec<usize>> {
        let mut room = self.keep.clone();
        for &unit in chosen {
            let pool = room.get_mut(self.pools[unit])?;
            *pool = pool.checked_sub(1)?;
        }
        Some(room)
    }

    /// The number of choices with full pools, which may be beyond what can be counted exactly.
    pub fn count(&self) -> f64 {
        let mut sizes = vec![0_usize; self.keep.len()];
        self.pools.iter().for_each(|&pool| sizes[pool] += 1);
        let binomial = |(&size, &keep): (&usize, &usize)| -> f64 {
            (0..keep.min(size - keep)).map(|k| (size - k) as f64 / (k + 1) as f64).product::<f64>().round()
        };
        sizes.iter().zip(&self.keep).map(binomial).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_side_by_side_keep_their_limits() {
        let pair = Choice::of_units(1, [vec![0, 2], vec![1, 3]]);
        let choice =
            Choice::always([0, 1]).beside(&pair, |j| j + 2).beside(&Choice::of_coordinates(2, 0..4), |j| j + 6);
        assert_eq!((choice.units(), choice.keep()), (6, &[1, 2][..]));
        assert_eq!(choice.unit(1), [3, 5]);
        assert_eq!(choice.support(&[1, 3]), [0, 1, 3, 5, 7]);
        assert_eq!(choice.room(&[1, 3]), Some(vec![0, 1]));
        assert_eq!(choice.room(&[0, 1]), None);
        assert_eq!(choice.count(), 12.0);
        assert!(!choice.is_single());
        let mut point = vec![0.0; 10];
        (point[0], point[5], point[9]) = (1.0, -2.0, 3.0);
        assert_eq!(choice.active(&point), [1, 5]);
    }

    #[test]
    fn limits_are_at_most_the_number_of_units() {
        let choice = Choice::of_coordinates(9, 0..3);
        assert_eq!((choice.keep(), choice.count()), (&[3][..], 1.0));
        assert_eq!(Choice::of_coordinates(0, 0..3).count(), 1.0);
        assert_eq!(Choice::always(0..3).count(), 1.0);
    }
}
