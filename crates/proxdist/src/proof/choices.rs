//! What may be chosen: the columns of a quadratic function in units, with limits on units and units that are in or out for certain.

use super::family::{Family, NO_POOL, Room};
use super::part::{Part, Place};
use super::positive::is_shown;
use super::quadratic::Quadratic;
use super::relations::{Relation, among};
use super::runs::Runs;
use crate::linalg::Cholesky;

/// The choices that a search goes through.
#[derive(Clone, Debug)]
pub(super) struct Choices<'a> {
    pub(super) quadratic: &'a Quadratic,
    /// The unit of each column.
    pub(super) units: Vec<usize>,
    pub(super) family: Family,
    pub(super) places: Vec<Place>,
    /// Relations that hold exactly among columns without a ridge.
    pub(super) relations: Vec<Relation>,
}

/// The columns that are not out, those of a unit side by side.
#[derive(Clone, Debug)]
pub(super) struct Alive<'a> {
    pub(super) columns: Vec<usize>,
    pub(super) part: Part<'a>,
    pub(super) runs: Runs,
    pub(super) places: Vec<Place>,
}

impl<'a> Choices<'a> {
    /// At most so many columns.
    pub(super) fn plain(quadratic: &'a Quadratic, size: usize) -> Self {
        let columns = quadratic.columns();
        Self::of(quadratic, (0..columns).collect(), Family::plain(columns, size))
    }

    /// Units within limits; those without a pool are in. Columns without any effect are out.
    pub(super) fn of(quadratic: &'a Quadratic, units: Vec<usize>, family: Family) -> Self {
        let place = |(j, unit): (usize, &usize)| match (quadratic.is_effective(j), family.pools[*unit]) {
            (false, _) => Place::Out,
            (true, NO_POOL) => Place::In,
            (true, _) => Place::Free,
        };
        let places = units.iter().enumerate().map(place).collect();
        Self { quadratic, units, family, places, relations: Vec::new() }
    }

    /// Decides about the units of some columns.
    pub(super) fn put(&mut self, columns: &[usize], place: Place) {
        let mut units: Vec<usize> = columns.iter().filter_map(|&j| self.units.get(j).copied()).collect();
        units.dedup();
        for unit in units {
            for j in (0..self.places.len()).filter(|&j| self.units[j] == unit && self.quadratic.is_effective(j)) {
                self.places[j] = place;
            }
        }
        // What is selected for certain has room.
        let units_in = self.units_in(Place::In);
        let Family { pools, keep, families, totals } = &mut self.family;
        let (mut counts, mut of_family) = (vec![0; keep.len()], vec![0; totals.len()]);
        for pool in units_in.iter().map(|&unit| pools[unit]).filter(|pool| *pool != NO_POOL) {
            counts[pool as usize] += 1;
            of_family[families[pool as usize]] += 1;
        }
        keep.iter_mut().zip(counts).for_each(|(keep, count)| *keep = count.max(*keep));
        totals.iter_mut().zip(of_family).for_each(|(total, count)| *total = count.max(*total));
    }

    /// The units in a place, in no order.
    fn units_in(&self, place: Place) -> Vec<usize> {
        let mut units: Vec<usize> =
            (0..self.places.len()).filter(|&j| self.places[j] == place).map(|j| self.units[j]).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// The room beside what is selected for certain.
    pub(super) fn room(&self) -> Room {
        self.family.room(self.units_in(Place::In))
    }

    /// The columns that are not out.
    pub(super) fn alive(&self) -> Alive<'a> {
        let mut columns: Vec<usize> = (0..self.places.len()).filter(|&j| self.places[j] != Place::Out).collect();
        columns.sort_by_key(|&j| (self.units[j], j));
        let whole = Part::whole(self.quadratic);
        let is_whole = columns.len() == whole.len() && columns.is_sorted();
        Alive {
            part: if is_whole { whole } else { whole.on(&columns) },
            runs: Runs::of(columns.iter().map(|&j| self.units[j]), &self.family),
            places: columns.iter().map(|&j| self.places[j]).collect(),
            columns,
        }
    }

    /// Whether the columns are independent but for the relations: shown for those that are left when each relation has lost a column.
    pub(super) fn is_untangled_by_relations(&self) -> bool {
        let mut is_there: Vec<bool> = self.places.iter().map(|place| *place != Place::Out).collect();
        loop {
            let left = among(&self.relations, |j| is_there[j]);
            let Some(&(column, _)) = left.first().and_then(|relation| relation.last()) else { break };
            is_there[column] = false;
        }
        let columns: Vec<usize> = (0..is_there.len()).filter(|&j| is_there[j]).collect();
        let part = Part::whole(self.quadratic).on(&columns);
        is_shown(&part.gram, &vec![0.0; columns.len()], &mut Cholesky::default())
    }

    /// Whether every unit has one column.
    pub(super) fn is_single(&self) -> bool {
        let mut seen = vec![false; self.family.pools.len()];
        self.units.iter().all(|&unit| !std::mem::replace(&mut seen[unit], true))
    }

    /// What is allowed of a support, with all that is selected for certain, in order.
    pub(super) fn allowed(&self, support: &[usize]) -> Vec<usize> {
        let is_free = |j: &usize| self.places.get(*j) == Some(&Place::Free);
        let mut wanted: Vec<usize> = support.iter().copied().filter(is_free).collect();
        wanted.sort_unstable();
        let mut room = self.room();
        let mut chosen = self.units_in(Place::In);
        for unit in wanted.iter().map(|&j| self.units[j]) {
            if !chosen.contains(&unit) && room.has(self.family.pools[unit]) {
                room.take(self.family.pools[unit]);
                chosen.push(unit);
            }
        }
        chosen.sort_unstable();
        let is_chosen = |j: &usize| self.places[*j] != Place::Out && chosen.binary_search(&self.units[*j]).is_ok();
        (0..self.places.len()).filter(is_chosen).collect()
    }

    /// The room beside a support.
    pub(super) fn room_beside(&self, support: &[usize]) -> Room {
        let mut units: Vec<usize> = support.iter().map(|&j| self.units[j]).collect();
        units.sort_unstable();
        units.dedup();
        self.family.room(units)
    }

    /// About the number of choices that there are, and not less.
    pub(super) fn count(&self) -> f64 {
        let free = self.units_in(Place::Free).len();
        let size = self.room().most();
        (0..size.min(free)).map(|k| (free - k) as f64 / (k + 1) as f64).product::<f64>().max(1.0)
    }

    /// A number that tells problems apart.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut mix = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(5);
        let Quadratic { gram, linear, constant, scales, floor } = self.quadratic;
        gram.iter().chain(linear).chain(scales).chain([constant, floor]).for_each(|x| mix(x.to_bits()));
        self.places.iter().for_each(|place| mix(*place as u64));
        self.relations.iter().flatten().for_each(|(j, c)| mix(*j as u64 ^ c.cast_unsigned().rotate_left(32)));
        let Family { pools, keep, families, totals } = &self.family;
        keep.iter().chain(families).chain(totals).chain(&self.units).for_each(|number| mix(*number as u64));
        pools.iter().for_each(|pool| mix(u64::from(*pool)));
        hash
    }
}
