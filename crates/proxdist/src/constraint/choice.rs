//! Sets that leave a choice: which coordinates may be nonzero, and a convex set for those that are.
//!
//! Coordinates come in *units* that are chosen together (one coordinate for sparsity, a group for group sparsity). Units stand in
//! *pools*, each with a largest number of units that may be nonzero, and pools in *families* with a limit for all their units together;
//! coordinates outside every pool are always in. A unit may need others: of each of its lists one must be chosen with it (heredity). The set is the
//! union, over all such choices, of the convex sets that remain on the chosen coordinates, the others being zero.
//!
//! A unit that may be chosen may also stay zero: a coordinate that cannot be zero is always in, and the limit of its pool is lower
//! by one. A larger choice therefore never excludes a point, and only choices that no unit can join need be looked at. Limits of pools within limits of
//! families are a laminar matroid: where no unit needs another, all such choices have the same number of units, and any two of them are connected by exchanges of one unit for
//! another.

use super::room::Room;
use super::{Constraint, Structure};
use std::ops::ControlFlow;

/// A set that is a union of convex sets, one for each choice of units.
pub trait Choosing: Send + Sync {
    /// What there is to choose for a parameter of this length.
    fn choice(&self, length: usize) -> Choice;

    /// The convex set that remains on the coordinates of `support`, in ascending order, when all others are zero; `None` if no
    /// point of the set has all others zero. More coordinates than the limits allow are accepted: then only the limits are dropped.
    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>>;

    /// The one rule of the set, if it is about a number of coefficients and nothing else.
    fn counted(&self, length: usize) -> Option<Counted> {
        let choice = self.choice(length);
        let every: Vec<usize> = (0..length).collect();
        let is_free = self.on_support(&every).is_some_and(|set| matches!(set.structure(), Structure::WholeSpace));
        let limit = choice.single_limit().filter(|_| is_free)?;
        let mut is_free = vec![false; length];
        (0..choice.units()).for_each(|unit| choice.unit(unit).iter().for_each(|&j| is_free[j] = true));
        let always = choice.always_in().to_vec();
        always.iter().for_each(|&j| is_free[j] = true);
        let never = (0..length).filter(|&j| !is_free[j]).collect();
        Some(Counted { size: limit + always.len(), always, never })
    }

    /// The number $s$ if the set is "at most $s$ nonzero of all coordinates" and nothing else.
    fn plain_size(&self, length: usize) -> Option<usize> {
        let counted = self.counted(length)?;
        (counted.always.is_empty() && counted.never.is_empty()).then_some(counted.size)
    }
}

/// At most so many coefficients, some of them for certain, some never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The largest number, with those that are in for certain.
    pub size: usize,
    /// Coordinates that are always in.
    pub always: Vec<usize>,
    /// Coordinates that are never in.
    pub never: Vec<usize>,
}

/// Units in pools, pools in families, and the coordinates that are always in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Where the coordinates of each unit start in `members`, and the end of the last one.
    starts: Vec<usize>,
    members: Vec<usize>,
    /// The pool of each unit.
    pools: Vec<usize>,
    /// The largest number of nonzero units of each pool.
    keep: Vec<usize>,
    /// The family of each pool.
    families: Vec<usize>,
    /// The largest number of nonzero units of each family.
    totals: Vec<usize>,
    always: Vec<usize>,
    needs: Vec<Need>,
}

/// A unit that may only be chosen together with one of some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The unit.
    pub unit: usize,
    /// The units of which one must be chosen with it.
    pub one_of: Vec<usize>,
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
        let keep = keep.min(choice.pools.len());
        Self { keep: vec![keep], families: vec![0], totals: vec![keep], ..choice }
    }

    /// One pool of single coordinates.
    pub fn of_coordinates(keep: usize, coordinates: impl IntoIterator<Item = usize>) -> Self {
        let members: Vec<usize> = coordinates.into_iter().collect();
        let count = members.len();
        let keep = keep.min(count);
        Self {
            starts: (0..=count).collect(),
            members,
            pools: vec![0; count],
            keep: vec![keep],
            families: vec![0],
            totals: vec![keep],
            ..Self::default()
        }
    }

    /// Nothing to choose: these coordinates are in.
    pub fn always(coordinates: impl IntoIterator<Item = usize>) -> Self {
        Self { starts: vec![0], always: coordinates.into_iter().collect(), ..Self::default() }
    }

    /// This choice beside another one, whose coordinate `j` is the coordinate `place(j)` here.
    #[must_use]
    pub fn beside(mut self, other: &Self, place: impl Fn(usize) -> usize) -> Self {
        let (end, units, pools, families) = (self.members.len(), self.pools.len(), self.keep.len(), self.totals.len());
        self.members.extend(other.members.iter().map(|&j| place(j)));
        self.starts.extend(other.starts[1..].iter().map(|start| start + end));
        self.pools.extend(other.pools.iter().map(|pool| pool + pools));
        self.keep.extend(&other.keep);
        self.families.extend(other.families.iter().map(|family| family + families));
        self.totals.extend(&other.totals);
        self.always.extend(other.always.iter().map(|&j| place(j)));
        self.needs.extend(other.needs.iter().map(|need| Need {
            unit: need.unit + units,
            one_of: need.one_of.iter().map(|unit| unit + units).collect(),
        }));
        self
    }

    /// Units with the pool of each, the limits of the pools, and a limit for all of them.
    pub fn in_pools(units: impl IntoIterator<Item = (Vec<usize>, usize)>, keep: &[usize], total: usize) -> Self {
        let (members, pools): (Vec<Vec<usize>>, Vec<usize>) = units.into_iter().unzip();
        let mut choice = Self { pools, ..Self::of_units(total, members) };
        let sizes = (0..keep.len()).map(|pool| choice.size_of(pool));
        choice.keep = keep.iter().zip(sizes).map(|(keep, size)| *keep.min(&size)).collect();
        choice.families = vec![0; choice.keep.len()];
        choice.totals = vec![total.min(choice.keep.iter().sum())];
        choice
    }

    /// The same with some units always in, and what they need without a choice; `None` if they do not fit or need what is left open.
    pub(super) fn settled(&self, units: &[usize]) -> Option<Self> {
        if units.is_empty() {
            return Some(self.clone());
        }
        let mut is_in = vec![false; self.units()];
        units.iter().for_each(|&unit| is_in[unit] = true);
        while let Some(need) =
            self.needs.iter().find(|need| is_in[need.unit] && !need.one_of.iter().any(|&other| is_in[other]))
        {
            let [only] = need.one_of[..] else { return None };
            is_in[only] = true;
        }
        let chosen: Vec<usize> = (0..self.units()).filter(|&unit| is_in[unit]).collect();
        self.room(&chosen)?;
        let mut rest = Self {
            keep: self.keep.clone(),
            families: self.families.clone(),
            totals: self.totals.clone(),
            ..Self::always(self.support(&chosen))
        };
        let mut number = vec![usize::MAX; self.units()];
        for unit in 0..self.units() {
            let pool = self.pools[unit];
            if is_in[unit] {
                rest.keep[pool] -= 1;
                rest.totals[self.families[pool]] -= 1;
                continue;
            }
            number[unit] = rest.pools.len();
            rest.members.extend(self.unit(unit));
            rest.starts.push(rest.members.len());
            rest.pools.push(pool);
        }
        for need in self.needs.iter().filter(|need| !is_in[need.unit] && !need.one_of.iter().any(|&other| is_in[other]))
        {
            let one_of = need.one_of.iter().map(|&other| number[other]).collect();
            rest.needs.push(Need { unit: number[need.unit], one_of });
        }
        Some(rest)
    }

    /// What there is to choose where only these coordinates, in ascending order, may be nonzero; they are numbered anew in that order. Units that are not
    /// all among them, or need others of which none is, cannot be chosen.
    pub(crate) fn only(&self, coordinates: &[usize]) -> Self {
        let place = |j: &usize| coordinates.binary_search(j).ok();
        let mut number: Vec<Option<usize>> = vec![None; self.units()];
        let mut is_in: Vec<bool> =
            (0..self.units()).map(|unit| self.unit(unit).iter().all(|j| place(j).is_some())).collect();
        let lost = |is_in: &[bool]| {
            let is_lost = |need: &&Need| is_in[need.unit] && !need.one_of.iter().any(|&other| is_in[other]);
            self.needs.iter().find(is_lost).map(|need| need.unit)
        };
        while let Some(unit) = lost(&is_in) {
            is_in[unit] = false;
        }
        let mut part = Self {
            starts: vec![0],
            keep: self.keep.clone(),
            families: self.families.clone(),
            totals: self.totals.clone(),
            always: self.always.iter().filter_map(place).collect(),
            ..Self::default()
        };
        for unit in (0..self.units()).filter(|&unit| is_in[unit]) {
            number[unit] = Some(part.pools.len());
            part.members.extend(self.unit(unit).iter().filter_map(place));
            part.starts.push(part.members.len());
            part.pools.push(self.pools[unit]);
        }
        part.keep = (0..part.keep.len()).map(|pool| part.keep[pool].min(part.size_of(pool))).collect();
        for (family, total) in part.totals.iter_mut().enumerate() {
            let room = part.keep.iter().zip(&part.families).filter(|(_, of)| **of == family);
            *total = (*total).min(room.map(|(keep, _)| keep).sum());
        }
        for need in &self.needs {
            if let Some(unit) = number[need.unit] {
                let one_of = need.one_of.iter().filter_map(|&other| number[other]).collect();
                part.needs.push(Need { unit, one_of });
            }
        }
        part
    }

    /// A unit that may only be chosen with one of some others.
    #[must_use]
    pub fn needing(mut self, need: Need) -> Self {
        self.needs.push(need);
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

    /// The family of a pool.
    pub fn family(&self, pool: usize) -> usize {
        self.families[pool]
    }

    /// The limits of the families.
    pub fn totals(&self) -> &[usize] {
        &self.totals
    }

    /// What units need of each other.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// The coordinates that are in every choice.
    pub fn always_in(&self) -> &[usize] {
        &self.always
    }

    /// Whether every unit is one coordinate.
    pub fn is_single(&self) -> bool {
        self.members.len() == self.units()
    }

    /// The largest number of units of one kind, if every unit is a coordinate and this is the only rule for them.
    pub fn single_limit(&self) -> Option<usize> {
        match (&self.keep[..], &self.totals[..]) {
            ([keep], [total]) if self.is_single() && self.needs.is_empty() => Some(*keep.min(total)),
            _ => None,
        }
    }

    pub(super) fn size_of(&self, pool: usize) -> usize {
        self.pools.iter().filter(|other| **other == pool).count()
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

    /// How many more units there is room for; `None` if there are too many.
    pub fn room(&self, chosen: &[usize]) -> Option<Room> {
        let mut room = Room::of(self);
        chosen.iter().all(|&unit| room.take(self, unit)).then_some(room)
    }

    /// The units that stand in a pool with too many of them, or where there is none, in such a family.
    pub fn crowded<'c>(&'c self, chosen: &'c [usize]) -> impl Iterator<Item = usize> + 'c {
        let (mut pools, mut families) = (vec![0; self.keep.len()], vec![0; self.totals.len()]);
        for &unit in chosen {
            pools[self.pools[unit]] += 1;
            families[self.families[self.pools[unit]]] += 1;
        }
        let is_crowded = pools.iter().zip(&self.keep).any(|(count, keep)| count > keep);
        chosen.iter().copied().filter(move |&unit| {
            let (pool, family) = (self.pools[unit], self.families[self.pools[unit]]);
            if is_crowded { pools[pool] > self.keep[pool] } else { families[family] > self.totals[family] }
        })
    }

    /// Whether a unit has with it what it needs.
    pub fn is_complete(&self, unit: usize, is_chosen: impl Fn(usize) -> bool) -> bool {
        self.needs.iter().filter(|need| need.unit == unit).all(|need| need.one_of.iter().any(|&other| is_chosen(other)))
    }

    /// Whether all of some units, in ascending order, have with them what they need.
    pub fn is_closed(&self, chosen: &[usize]) -> bool {
        let is_in = |unit: usize| chosen.binary_search(&unit).is_ok();
        self.needs.iter().filter(|need| is_in(need.unit)).all(|need| need.one_of.iter().any(|&other| is_in(other)))
    }

    /// Whether a unit outside a choice, in ascending order and with that much room left, can join it.
    pub fn can_join(&self, unit: usize, chosen: &[usize], room: &Room) -> bool {
        room.has(self, unit) && self.is_complete(unit, |other| chosen.binary_search(&other).is_ok())
    }

    /// A choice that holds these units, in ascending order, with as few others as they need; `None` if there is none.
    pub fn completed(&self, chosen: &[usize]) -> Option<Vec<usize>> {
        self.room(chosen)?;
        let is_in = |unit: usize| chosen.binary_search(&unit).is_ok();
        let mut missing =
            self.needs.iter().filter(|need| is_in(need.unit) && !need.one_of.iter().any(|&other| is_in(other)));
        let Some(need) = missing.next() else { return Some(chosen.to_vec()) };
        let tried = need.one_of.iter().filter_map(|&other| self.completed(&with(chosen, other)));
        tried.min_by_key(Vec::len)
    }

    /// The number of choices that no unit can join, which may be beyond what can be counted exactly; infinite where units need each other and there
    /// are too many to be counted one by one.
    pub fn count(&self) -> f64 {
        if !self.needs.is_empty() {
            let mut count = 0_usize;
            let is_whole = self.every(MOST_COUNTED, &mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            return if is_whole { count as f64 } else { f64::INFINITY };
        }
        // Σ_k (choices of k units of the pools so far) x^k, family by family; the largest power within the limit is what is full.
        let mut product = 1.0;
        for (family, &total) in self.totals.iter().enumerate() {
            let mut ways = vec![1.0_f64];
            for pool in (0..self.keep.len()).filter(|&pool| self.families[pool] == family) {
                let (size, most) = (self.size_of(pool), self.keep[pool]);
                let mut next = vec![0.0; total.min(ways.len() - 1 + most.min(size)) + 1];
                for (taken, many) in ways.iter().enumerate() {
                    for (more, next) in next.iter_mut().skip(taken).take(most.min(size) + 1).enumerate() {
                        *next += many * binomial(size, more);
                    }
                }
                ways = next;
            }
            product *= ways.last().copied().unwrap_or(1.0);
        }
        product
    }
}

/// Branches that are counted one by one where units need each other.
const MOST_COUNTED: usize = 200_000;

/// Some units and one more, in ascending order.
pub(crate) fn with(chosen: &[usize], unit: usize) -> Vec<usize> {
    let at = chosen.partition_point(|&other| other < unit);
    let mut more = chosen.to_vec();
    more.insert(at, unit);
    more
}

fn binomial(size: usize, keep: usize) -> f64 {
    (0..keep.min(size - keep)).map(|k| (size - k) as f64 / (k + 1) as f64).product::<f64>().round()
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
        let room = choice.room(&[1, 3]).expect("within the limits");
        assert_eq!([0, 1, 2, 5].map(|unit| room.has(&choice, unit)), [false, false, true, true]);
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
